#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Every shipped scenario is in deploy/doc/scenarios.md with enough games, and is even there (45 to 55
in a hundred for either side) or says in its own note who is favoured, and by how much."""
import glob
import json
import os
import re
import sys

SRC = os.environ["SK_SRC"]
MANY = {"first-blood", "tin-lizzy-down", "cowboys-and-indians"}  # the first three


def figures(page):
    """{id: (games, {who: percent of all games})}"""
    found = {}
    for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S):
        head = re.match(r".*\((\S+)\): (\d+) games, sergeant v sergeant, seed 1\n", block)
        if head:
            won = re.findall(r"^  (\S.*?) +\d+ +([\d.]+)%", block.partition("of the decided")[0], re.M)
            found[head[1]] = (int(head[2]), {who: float(share) for who, share in won})
    return found


def wrongs(scenario, games, share):
    note = scenario["note"]
    names = [side["name"] for side in scenario["sides"]]
    if games < (2000 if scenario["id"] in MANY else 400):
        yield "only %d games" % games
    if set(names) - set(share):
        yield "the sides are %s there" % sorted(share)
        return
    uneven = not all(45 <= share[name] <= 55 for name in names)
    if uneven != ("favoured" in note):
        yield "%s, and the note says %r" % (share, note)
    if uneven:
        best = max(names, key=lambda name: share[name])
        if not re.search(r"%s\b.*favoured.*\b%d in 100" % (best, round(share[best])), note, re.I):
            yield "the note should say: %s ... favoured ... %d in 100" % (best, round(share[best]))


def main():
    with open(os.path.join(SRC, "deploy", "doc", "scenarios.md"), encoding="utf-8") as file:
        found = figures(file.read())
    paths = sorted(glob.glob(os.path.join(SRC, "common", "scenarios", "*.json")))
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            scenario = json.load(file)
        for text in wrongs(scenario, *found.get(scenario["id"], (0, {}))):
            print("%s: %s" % (scenario["id"], text))
            bad += 1
    print("%d scenarios, %d wrong" % (len(paths), bad))
    return 1 if bad or len(paths) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
