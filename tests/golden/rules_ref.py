#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The reference rules against the golden cases: the shared ones, where present, and our own in
proto/golden/rules. With --bin (or SK_BIN) naming the directory of the programs, `skirmish
adjudicate` is held to the same cases. Exit 0 all equal, 1 not, 77 no case found."""
import argparse
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "ref"))

from adjudicate import adjudicate  # noqa: E402


def case_files():
    shared = os.environ.get("SK_CASES") or os.path.join(ROOT, "..", "shared", "cases")
    own = os.path.join(ROOT, "proto", "golden")
    groups = (("shared", os.path.join(shared, "rules")), ("own", os.path.join(own, "rules")))
    for name, folder in groups:
        files = sorted(glob.glob(os.path.join(folder, "*.json")))
        print("%s cases: %s" % (name, len(files) if files else "none there, skipped"))
        yield from files


def plain(items):
    return [{k: v for k, v in item.items() if k != "message"} for item in items]


def run_reference(case, _path):
    return plain(adjudicate(case))


def run_program(binary):
    def run(_case, path):
        done = subprocess.run([binary, "adjudicate", path], capture_output=True, timeout=300,
                              check=False)
        if done.returncode != 0:
            raise ValueError("exit %d: %s" % (done.returncode, done.stderr.decode()))
        return plain([json.loads(line) for line in done.stdout.splitlines()])
    return run


def differs(got, want, path):
    for i in range(max(len(got), len(want))):
        one = got[i] if i < len(got) else None
        two = want[i] if i < len(want) else None
        if one != two:
            print("%s: line %d\n  got  %s\n  want %s" % (path, i, json.dumps(one), json.dumps(two)))
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.environ.get("SK_BIN"), help="directory of the programs")
    args = parser.parse_args()
    runners = [("reference", run_reference)]
    if args.bin and os.access(os.path.join(args.bin, "skirmish"), os.X_OK):
        runners.append(("skirmish", run_program(os.path.join(args.bin, "skirmish"))))
    else:
        print("skirmish: not built here, skipped")
    files = list(case_files())
    if not files:
        return 77
    bad = 0
    for name, run in runners:
        for path in files:
            with open(path, encoding="utf-8") as file:
                case = json.load(file)
            try:
                bad += differs(run(case, path), plain(case["expect"]), name + " " + path)
            except ValueError as error:
                print("%s %s: %s" % (name, path, error))
                bad += 1
    print("%d cases, %d runners, %d wrong" % (len(files), len(runners), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
