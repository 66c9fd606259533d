#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The guide's alert rules: Prometheus takes them, and every figure in them is on the page."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ["SK_SRC"]


def rules():
    with open(os.path.join(ROOT, "deploy", "doc", "operator-guide.md"), encoding="utf-8") as file:
        return re.search(r"```yaml\n(# skirmishd\.rules\.yml\n.*?)```", file.read(), re.S)[1]


def known_figures():
    """Names that the server's source puts on the page."""
    with open(os.path.join(ROOT, "server", "shell", "shell_metrics.c"), encoding="utf-8") as file:
        text = file.read()
    found = set(re.findall(r'(?:gauge|counter|head|histogram)\(b, "(\w+)"', text))
    return found | {name + "_bucket" for name in re.findall(r'histogram\(b, "(\w+)"', text)}


def main():
    text = rules()
    used = set(re.findall(r"skirmishd_(\w+)", re.sub(r"annotations:\n.*", "", text)))
    unknown = used - known_figures()
    if unknown or len(used) < 8:
        print("not on the page: %s (used: %s)" % (unknown, used))
        return 1
    tool = shutil.which("promtool")
    if tool is None:
        print("promtool isn't installed (Debian's prometheus), skipped")
        return 77
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([tool, "check", "rules", file.name], capture_output=True,
                              timeout=60, check=False)
    print(done.stdout.decode() + done.stderr.decode())
    return 0 if done.returncode == 0 and b"SUCCESS: 9 rules found" in done.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
