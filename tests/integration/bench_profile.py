#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""tests/bench/profile still runs: a tiny profile of the order path names each group, and what is known
to be on that path is found there. How much of it is nobody's business here."""
import json
import os
import subprocess
import sys
import tempfile

# timeout: 240
ON_THE_PATH = ("SHA-256", "SQLite", "cJSON", "malloc", "encoders", "rules", "JSON, messages",
               "server core", "journal")


def main():
    build, src = os.environ.get("SK_BUILD", ""), os.environ.get("SK_SRC", "")
    if not os.access(os.path.join(build, "tests", "bench", "load"), os.X_OK):
        print("the load client isn't built in SK_BUILD, skipped")
        return 77
    with tempfile.TemporaryDirectory() as data:
        found = os.path.join(data, "found.json")
        command = [sys.executable, os.path.join(src, "tests", "bench", "profile"), "--tiny", "--build",
                   build, "--data", data, "--json", found]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        print(run.stdout)
        if run.returncode != 0:
            return run.returncode  # 77: what is missing was said
        with open(found, encoding="utf-8") as file:
            results = json.load(file)
    groups = results["groups"]
    lines = [line for title in groups for line in run.stdout.splitlines() if line.startswith(title)]
    assert results["orders"] >= results["matches"] > 0, results
    assert len(lines) == len(groups), run.stdout
    assert all(groups[title] > 0 for title in ON_THE_PATH), groups
    return 0


if __name__ == "__main__":
    sys.exit(main())
