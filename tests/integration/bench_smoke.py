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


def main():
    build, src = os.environ.get("SK_BUILD", ""), os.environ.get("SK_SRC", "")
    if not os.access(os.path.join(build, "tests", "bench", "load"), os.X_OK):
        print("the load client isn't built in SK_BUILD, skipped")
        return 77
    with tempfile.TemporaryDirectory() as data:
        found, picture = os.path.join(data, "found.json"), os.path.join(data, "found.svg")
        run = subprocess.run(
            [sys.executable, os.path.join(src, "tests", "bench", "run"), "--tiny", "--build", build,
             "--data", data, "--only", ",".join(GROUPS), "--json", found, "--svg", picture],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(run.stdout)
        if run.returncode != 0:
            return 1
        with open(found, encoding="utf-8") as file:
            results = json.load(file)
        words = [text.text for text in ElementTree.parse(picture).iter() if text.tag.endswith("text")]
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
