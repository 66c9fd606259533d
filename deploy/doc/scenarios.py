#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""deploy/doc/scenarios.md and its pictures, from the shipped scenarios and what `skirmish balance`
said about them: SK_BIN=build/release/bin deploy/doc/scenarios.py FIGURES

FIGURES is a directory with the output of the commands that the page names: ID.txt for each scenario,
time.txt, and the two tables of bots, sergeant-recruit.txt and captain-sergeant.txt."""
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
SKIRMISH = os.path.join(os.environ.get("SK_BIN", os.path.join(TOP, "build/release/bin")), "skirmish")
ORDER = ("first-blood", "first-blood-3in", "tin-lizzy-down", "cowboys-and-indians", "broken-country",
         "two-fords", "two-fords-3in", "wagon-to-the-ranch", "through-the-gorge",
         "relief-of-the-fort", "surprise-at-the-crossroads", "surprise-at-the-crossroads-3in")
PACE_S = (8, 15)  # seconds an order: reckoned, not measured
HEAD = """<!-- SPDX-License-Identifier: ISC -->
# The shipped scenarios

Made by `deploy/doc/scenarios.py` from the scenario files and from what the commands below printed; the
test `golden.scenario_balance` compares the two. Every figure can be made again: a run depends on its
seed (1 unless given) and on nothing else, however many cores play it.

## Are they fair?

Two bots of equal strength, sergeants, played each many times. A scenario is called even where each
side wins 45 to 55 in a hundred; where it isn't, its own note says so.

| Scenario | Scale | Board | Minutes | Games | First side | Second side | Drawn | |
|---|---|---|---|---|---|---|---|---|
%s

In brackets: where the true share lies in 19 of 20 such runs (Wilson's interval).

## How long?

Counted: the orders of both sides in a game of two sergeants, ends of phases included
(`skirmish balance all --games 20`). Reckoned: %d to %d seconds for each, for people who know the rules,
or look things up; that pace is a guess, no people were timed. Who thinks hard takes longer.

## How strong are the bots?

Sides swapped in every other game, over the shipped scenarios. In brackets the interval as above. A
captain is meant to beat a sergeant in 70 games of 100; where the whole table's interval reaches below
that, more games are needed to say that it does.

%s
`skirmish balance all --games 17 --swap --bots sergeant,recruit` makes such a table, `--bots
captain,sergeant` the other; both print the games a second on one core, and with a scenario's name
instead of `all` they make its row. A captain thinks for about 0.2 s of one core a phase, a sergeant
for about 3 ms; both count samples, not time, and are the same on every machine.
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def shares(text):
    """{who: (won, percent, "low to high")} of the lines of shares up to `of the decided games`."""
    part = text.partition("of the decided games")[0]
    return {m[1].strip(): (int(m[2]), float(m[3]), m[4]) for m in
            re.finditer(r"^  (\S.*?) +(\d+) +([\d.]+)%  \(([\d.]+ to [\d.]+)\)$", part, re.M)}


def games(text):
    return int(re.search(r": (\d+) games", text)[1])


def load():
    found = {}
    for path in glob.glob(os.path.join(TOP, "common", "scenarios", "*.json")):
        scenario = json.loads(read(path))
        found[scenario["id"]] = scenario
    assert sorted(found) == sorted(ORDER), "ORDER lists the shipped scenarios"
    return [found[name] for name in ORDER]


def blocks(text):
    """A run over `all`: {id: block}."""
    return {re.search(r"\((\S+)\):", part)[1]: part for part in re.split(r"\n\n", text)
            if " games, " in part}


def verdict(scenario, got):
    names = [side["name"] for side in scenario["sides"]]
    for name in names:
        if got[name][1] > 55 or any(got[other][1] < 45 for other in names if other != name):
            return "%s favoured" % name
    return "even"


def force(scenario, side):
    count = {}
    waves = [dict(figure, side=wave["side"], due=wave["turn"]) for wave in scenario.get("waves", [])
             for figure in wave["figures"]]
    for figure in scenario["figures"] + waves:
        if figure["side"] == side:
            word = figure["type"] + (" due on turn %d" % figure["due"] if "due" in figure else "")
            count[word] = count.get(word, 0) + 1
    return ", ".join("%d %s" % (n, word) for word, n in count.items())


def bots_table(run):
    """A row a scenario and one for all."""
    rows, total, all_games = [], {}, 0
    pair = re.search(r"games, (\w+) v (\w+), seed", run)
    for name, block in ((n, b) for n in ORDER for i, b in blocks(run).items() if i == n):
        got = shares(block)
        n = games(block)
        all_games += n
        rows.append("| %s | %d | %d | %.0f%% (%s) |" % (
            name, n, got[pair[1]][0], got[pair[1]][1], got[pair[1]][2]))
        for level in pair.groups():
            total[level] = total.get(level, 0) + got[level][0]
    low, high = wilson(total[pair[1]], all_games)
    rows.append("| **all** | %d | %d | **%.1f%%** (%.1f to %.1f) |" % (
        all_games, total[pair[1]], 100 * total[pair[1]] / all_games, low, high))
    return "| %s v %s | Games | Won | |\n|---|---|---|---|\n%s\n" % (*pair.groups(), "\n".join(rows))


def wilson(k, n, z=1.959963984540054):
    p = k / n
    half = z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return (100 * (p + z * z / (2 * n) - half) / (1 + z * z / n),
            100 * (p + z * z / (2 * n) + half) / (1 + z * z / n))


def minutes(orders):
    return "%d to %d" % tuple(round(orders * pace / 60) for pace in PACE_S)


def part(scenario, text, orders):
    name = scenario["id"]
    picture = "scenario-%s.svg" % name
    drawn = subprocess.run([SKIRMISH, "scenario", "draw", name, "--svg"], check=True,
                           capture_output=True, text=True).stdout
    with open(os.path.join(HERE, picture), "w", encoding="utf-8") as file:
        file.write(drawn)
    out = ["## %s" % scenario["title"], "", scenario["summary"], "",
           "![%s: the board at the start](%s)" % (scenario["title"], picture), ""]
    for side in scenario["sides"]:
        out.append("- **%s** (%s): %s" % (side["name"], force(scenario, side["id"]),
                                          side.get("briefing", "")))
    out += ["", scenario["note"], "", "*After:* " + scenario["inspiration"], "",
            "**Playing time:** %s minutes (%d orders, half the games between %s)." % (
                minutes(orders), orders, re.search(r"between (turn \d+ and \d+)", text)[1]), "",
            "`skirmish balance %s --games %d`:" % (name, games(text)), "", "```", text.strip(), "```",
            ""]
    return "\n".join(out)


def main():
    figures = sys.argv[1]
    rows, parts, tables = [], [], []
    time = blocks(read(os.path.join(figures, "time.txt")))
    for scenario in load():
        text = read(os.path.join(figures, scenario["id"] + ".txt"))
        got = shares(text)
        a, b = (side["name"] for side in scenario["sides"])
        orders = int(re.search(r"orders a game: (\d+)", time[scenario["id"]])[1])
        rows.append("| [%s](#%s) | %s | %d×%d | %s | %d | %s %.1f%% (%s) | %s %.1f%% (%s) | %.1f%% | %s |" % (
            scenario["id"], re.sub(r"[^a-z0-9 -]", "", scenario["title"].lower()).replace(" ", "-"),
            scenario["scale"], *scenario["size"], minutes(orders), games(text), a, *got[a][1:], b, *got[b][1:],
            got["drawn"][1], verdict(scenario, got)))
        parts.append(part(scenario, text, orders))
    for name in ("sergeant-recruit", "captain-sergeant"):
        tables.append(bots_table(read(os.path.join(figures, name + ".txt"))))
    with open(os.path.join(HERE, "scenarios.md"), "w", encoding="utf-8") as file:
        file.write(HEAD % ("\n".join(rows), *PACE_S, "\n".join(tables)))
        file.write("\n" + "\n".join(parts))


if __name__ == "__main__":
    main()
