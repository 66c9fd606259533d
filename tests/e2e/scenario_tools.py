# SPDX-License-Identifier: ISC
"""skirmish scenario draw, show, check and balance as an author uses them; the guide's scenario is
cut out of the guide and must be sound and raise no doubt."""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

SKIRMISH = os.path.join(os.environ["SK_BIN"], "skirmish")
SRC = os.environ["SK_SRC"]


def run(*args, code=0):
    p = subprocess.run([SKIRMISH, *args], capture_output=True, text=True, check=False,
                       env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert p.returncode == code, (args, p.returncode, p.stdout, p.stderr)
    return p.stdout


def shipped():
    return [line.split()[0] for line in run("scenario", "list").splitlines()]


def check_guide(tmp):
    with open(os.path.join(SRC, "deploy/doc/scenario-guide.md"), encoding="utf-8") as f:
        blocks = re.findall(r"```json\n(.*?)```", f.read(), re.S)
    assert len(blocks) == 1, len(blocks)
    path = os.path.join(tmp, json.loads(blocks[0])["id"] + ".json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(blocks[0])
    assert run("scenario", "check", path) == f"{path}: sound: The Letter\n"
    assert "Briefing for Poachers" in run("scenario", "show", path)
    run("balance", path, "--games", "4", "--jobs", "2", "--bots", "recruit")


def check_shipped(ids):
    schema = os.path.join(SRC, "common/scenarios")
    assert len(ids) >= 12, ids
    for i in ids:
        with open(os.path.join(schema, i + ".json"), encoding="utf-8") as f:
            s = json.load(f)
        shown = run("scenario", "show", i)
        for text in (s["note"], s["inspiration"], *(side["briefing"] for side in s["sides"])):
            assert text in shown, (i, text)
    said = run("scenario", "check", *ids)
    assert "but:" not in said, said
    assert len(said.splitlines()) == len(ids), said


def check_drawings(ids, tmp):
    for i in ids:
        assert run("scenario", "draw", i).count("\n") > 8
        dom = xml.dom.minidom.parseString(run("scenario", "draw", i, "--svg"))
        assert len(dom.getElementsByTagName("circle")) > 3, i
    svg = os.path.join(tmp, "balance.svg")
    run("balance", "first-blood", "--games", "6", "--bots", "recruit", "--svg", svg)
    xml.dom.minidom.parse(svg)


def check_balance():
    def figures(jobs):
        out = run("balance", "first-blood", "--games", "30", "--bots", "sergeant,recruit",
                  "--swap", "--seed", "4", "--jobs", jobs, "--readings",
                  "melee:after_each,roster:arrived")
        return out[:out.index("speed:")]
    assert figures("1") == figures("3")
    assert '"melee":"after_each"' in figures("2")
    for wrong in (["--games", "0"], ["--bots", "general"], ["--readings", "melee:never"],
                  ["--readings", "x"], ["--games"], ["--what", "1"]):
        run("balance", "first-blood", *wrong, code=64)
    run("balance", code=64)
    run("balance", "no-such-file.json", code=66)


def main():
    ids = shipped()
    with tempfile.TemporaryDirectory() as tmp:
        check_guide(tmp)
        check_drawings(ids, tmp)
    check_shipped(ids)
    check_balance()
    return 0


if __name__ == "__main__":
    sys.exit(main())
