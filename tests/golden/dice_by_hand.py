#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""dice_by_hand.py -- the commands of proto/DICE.md give what it says they do, and what is golden.

Each ```sh block is run, all in one bash, and what it prints must be the ``` block right behind it,
or nothing. The link, keys and journal hash printed must also be found in the golden vectors.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:```\n(.*?)^```\n)?", re.M | re.S)
MARK = "=== next block ==="


def main():
    bash = shutil.which("bash")
    if bash is None:
        print("SKIP no bash here")
        return 77
    blocks = BLOCK.findall((ROOT / "proto" / "DICE.md").read_text(encoding="utf-8"))
    script = "".join(f"{commands}echo '{MARK}'\n" for commands, _ in blocks)
    run = subprocess.run([bash, "-euc", script], capture_output=True, text=True, timeout=300)
    got = run.stdout.split(MARK + "\n")[:-1]
    if run.returncode != 0 or run.stderr or len(got) != len(blocks):
        print(f"FAIL status {run.returncode}: {run.stderr}")
        return 1
    bad = 0
    for (commands, want), out in zip(blocks, got):
        if out != want:
            print(f"FAIL\n{commands}gives\n{out}not\n{want}")
            bad = 1
    golden = json.loads((ROOT / "proto/golden/dice-vectors.json").read_text(encoding="utf-8"))
    match = golden["matches"][0]
    maker = next(c for c in match["chains"] if c["role"] == "A" and c["generation"] == 0)
    faces = [int(face) for face in re.findall(r"shows (\d)", run.stdout)]
    keys = [r["key"] for r in match["rolls"][:2]]
    for value in keys + [maker["links"]["0"], maker["links"]["1"], golden["journal"][0]["hash"]]:
        if value not in run.stdout:
            print(f"FAIL {value} is golden but not in the document")
            bad = 1
    if len(faces) < 8 or faces != match["rolls"][0]["d6"][: len(faces)]:
        print(f"FAIL dice {faces} are not the golden ones")
        bad = 1
    print("FAIL" if bad else f"ok   {len(blocks)} blocks")
    return bad


if __name__ == "__main__":
    sys.exit(main())
