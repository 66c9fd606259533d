#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Every rules case through `skirmish adjudicate`: exactly the `expect` lines, and exit 0.

Cases are JSON objects {why, scenario, dice, orders, expect}: those published beside the checkout
(SK_CASES/rules) and the project's own (proto/golden/rules). `message` of a refusal is words for
people and isn't compared, nor is the order of an object's members. Status 77: no cases at all.
"""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SRC = pathlib.Path(os.environ.get("SK_SRC", HERE.parent.parent))
CASES = pathlib.Path(os.environ.get("SK_CASES", SRC.parent / "shared" / "cases"))
SKIRMISH = pathlib.Path(os.environ.get("SK_BIN", SRC / "build" / "release" / "bin")) / "skirmish"


def played(case):
    """What adjudicate prints for the case, as objects; its arguments through standard input."""
    given = {name: case[name] for name in ("scenario", "dice", "orders")}
    done = subprocess.run([SKIRMISH, "adjudicate", "-"], input=json.dumps(given).encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)
    if done.returncode != 0:
        return ["exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip())]
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    for line in lines:
        if line["kind"] == "refused" and not line.pop("message", ""):
            return ["a refusal without words: %r" % line]
    return lines


def difference(case):
    """None where the case is played as expected, else the first line that differs."""
    got, want = played(case), case["expect"]
    for i in range(max(len(got), len(want))):
        have = got[i] if i < len(got) else "(nothing)"
        due = want[i] if i < len(want) else "(nothing)"
        if have != due:
            return "line %d\n  got  %s\n  want %s" % (i, json.dumps(have), json.dumps(due))
    return None


def main():
    ran = failed = 0
    for folder in (CASES / "rules", SRC / "proto" / "golden" / "rules"):
        files = sorted(folder.glob("*.json"))
        if not files:
            print("no cases in", folder.name, "beside", folder.parent.name, "(skipped)")
        for file in files:
            wrong = difference(json.loads(file.read_text()))
            ran += 1
            if wrong:
                failed += 1
                print("%s: %s" % (file.name, wrong))
    print("%d cases, %d failed" % (ran, failed))
    if ran == 0:
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
