#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""deploy/skirmishd.conf is what the program's table of options says, and a sound configuration."""
import os
import re
import subprocess
import sys

PROGRAM = os.path.join(os.environ["SK_BIN"], "skirmishd")
SAMPLE = os.path.join(os.environ["SK_SRC"], "deploy", "skirmishd.conf")


def says(*options):
    return subprocess.run([PROGRAM, *options], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=True).stdout.decode()


def pairs(text):
    """[section] key: default, of the sample."""
    found, section = {}, None
    for line in text.splitlines():
        head = re.fullmatch(r"\[(\w+)\]", line)
        option = re.fullmatch(r"#(\w+) =(?: (.*))?", line)
        if head:
            section = head[1]
        elif option:
            found[section, option[1]] = option[2] or ""
    return found


def main():
    if not os.access(PROGRAM, os.X_OK):
        print("skirmishd isn't built, skipped")
        return 77
    with open(SAMPLE, encoding="utf-8") as file:
        sample = file.read()
    if sample != says("--sample-config"):
        print("deploy/skirmishd.conf is old: skirmishd --sample-config >deploy/skirmishd.conf")
        return 1
    listed = {(s, k): v for s, k, v in re.findall(r"^      \[(\w+)\] (\w+) = ?(.*)$",
                                                  says("--help"), re.M)}
    listed["server", "data"] = ""  # worked out
    if listed != pairs(sample) or len(listed) < 40:
        print("help and sample differ: %s" % (set(listed.items()) ^ set(pairs(sample).items())))
        return 1
    print(says("--config", SAMPLE, "--check-config"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
