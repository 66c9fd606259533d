#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""record_bytes.py [--values N] [--sample N] [--seed N]: changed bytes of records, by hand.

The golden records: each byte replaced by N others (255 is all of them). A whole game of each kind
of dice on a shipped scenario: a sample of its bytes, by 16 others each. Both verifiers must refuse
every one: `skirmish verify`'s reader (sim_record_bytes of SK_BUILD) and tests/ref/verify.py.
"""
import argparse
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "ref"))

from make_record import Scribe  # noqa: E402
from verify import Unsound, quick_refusal, verify  # noqa: E402

GAMES = (("strict", "first-blood", 0.0), ("normal", "tin-lizzy-down", 0.2),
         ("server", "cowboys-and-indians", 0.0))
OTHERS = 255
OTHERS_LONG = 16
WHOLE_EVERY = 199  # the whole verifier, not only what refuses without a look at the game


def others(byte, count, rng):
    if count >= OTHERS:
        return [value for value in range(256) if value != byte]
    return [byte ^ k for k in rng.sample(range(1, 256), count)]


def refused(data, whole):
    if not whole and quick_refusal(data):
        return True
    try:
        verify(data)
    except Unsound:
        return True
    return False


def sweep_python(name, data, spots, count, rng):
    """How many changes, how many taken."""
    verify(data)
    tried, taken = 0, 0
    for i in spots:
        for value in others(data[i], count, rng):
            tried += 1
            if not refused(data[:i] + bytes([value]) + data[i + 1:], tried % WHOLE_EVERY == 0):
                taken += 1
                print("TAKEN: %s: byte %d made %d" % (name, i, value))
    return tried, taken


def sweep_c(program, path, values, step):
    done = subprocess.run([program, str(values), str(step), path], stdout=subprocess.PIPE,
                          encoding="utf-8", check=False)
    return done.stdout.strip().replace("\n", "; "), done.returncode != 0


def long_game(fair, scenario, away, seed):
    with open(os.path.join(ROOT, "common", "scenarios", scenario + ".json"), "rb") as file:
        match = Scribe("%s %d" % (scenario, seed), fair, {"scenario": json.load(file)})
    match.set_up()
    match.play(away=away)
    return match.record()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=OTHERS)
    parser.add_argument("--sample", type=int, default=500, help="bytes of each long record")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    program = os.path.join(os.environ["SK_BUILD"], "tests", "sim", "sim_record_bytes")
    wrong = False

    def sweep(name, path, data, spots, values, step):
        nonlocal wrong
        began = time.monotonic()
        words, bad = sweep_c(program, path, values, step)
        tried, taken = sweep_python(name, data, spots, values, rng)
        wrong |= bad or taken > 0
        print("%-22s %7d bytes: skirmish %s; verify.py %d changes, %d taken (%.0f s)" % (
            name, len(data), words, tried, taken, time.monotonic() - began), flush=True)

    for path in sorted(glob.glob(os.path.join(ROOT, "proto", "golden", "records", "*.ndjson")),
                       key=os.path.getsize):
        with open(path, "rb") as file:
            data = file.read()
        sweep(os.path.basename(path), path, data, range(len(data)), args.values, 1)
    with tempfile.TemporaryDirectory() as folder:
        for fair, scenario, away in GAMES:
            data = long_game(fair, scenario, away, args.seed)
            path = os.path.join(folder, fair + ".ndjson")
            with open(path, "wb") as file:
                file.write(data)
            step = max(1, len(data) // args.sample)
            sweep("%s %s" % (fair, scenario), path, data, range(0, len(data), step),
                  min(args.values, OTHERS_LONG), step)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
