#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""tests/bench/run still runs: a tiny run of the groups that need nothing installed gives its table,
its bars, its JSON and its picture. What the values are is nobody's business here."""
import json
import os
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

GROUPS = ("orders", "lines", "growth")
BARS = {"order-cpu", "order-rate", "ack-latency", "group-commit", "ping-cpu", "tls-cpu", "tls-rss",
        "growth-orders"}


def run_tiny(build, src, data, *args):
    run = subprocess.run(
        [sys.executable, os.path.join(src, "tests", "bench", "run"), "--tiny", "--build", build,
         "--data", data, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(run.stdout)
    return run


def long_run(build, src, data):
    """More windows than a game has phases: its spectators still get what is ordered."""
    sys.path.insert(0, os.path.join(src, "tests", "bench"))
    from lib_bars import SIZES, crowd
    from lib_bench import Bench
    with Bench(build, data, SIZES["tiny"]) as bench:
        load, _ = crowd(bench, bench.skirmishd(), 3, 1)
        for _ in range(60):
            assert load.go(2, 1)["n"] > 0


def kept(build, src, data, found):
    """A group measured anew; the others are of the run before."""
    again = os.path.join(data, "again.json")
    assert run_tiny(build, src, data, "--only", "lines", "--keep", found, "--json", again).returncode == 0
    with open(again, encoding="utf-8") as file:
        results = json.load(file)
    assert {bar["name"] for bar in results["bars"]} == BARS
    assert {g["name"]: "at" in g for g in results["groups"]} == {"orders": True, "lines": False,
                                                                 "growth": True}, results["groups"]


def main():
    build, src = os.environ.get("SK_BUILD", ""), os.environ.get("SK_SRC", "")
    if not os.access(os.path.join(build, "tests", "bench", "load"), os.X_OK):
        print("the load client isn't built in SK_BUILD, skipped")
        return 77
    with tempfile.TemporaryDirectory() as data:
        found, picture = os.path.join(data, "found.json"), os.path.join(data, "found.svg")
        run = run_tiny(build, src, data, "--only", ",".join(GROUPS), "--json", found, "--svg", picture)
        if run.returncode != 0:
            return 1
        with open(found, encoding="utf-8") as file:
            results = json.load(file)
        words = [text.text for text in ElementTree.parse(picture).iter() if text.tag.endswith("text")]
        kept(build, src, data, found)
        long_run(build, src, data)
    bars = {bar["name"]: bar["value"] for bar in results["bars"]}
    printed = {line.split()[1] for line in run.stdout.splitlines() if line.startswith("bar ")}
    missing = {line.split()[-1] for line in run.stdout.splitlines() if line.startswith("not measured:")}
    assert set(bars) == BARS == printed, (sorted(bars), sorted(printed))
    assert "fan-cpu" in missing and not missing & BARS, sorted(missing)
    assert tuple(group["name"] for group in results["groups"]) == GROUPS, results["groups"]
    assert words.count("not measured") == len(missing), words
    assert all(value > 0 for value in bars.values()), bars
    return 0


if __name__ == "__main__":
    sys.exit(main())
