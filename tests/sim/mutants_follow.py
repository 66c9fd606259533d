# SPDX-License-Identifier: ISC
"""Mutants follow the sources, each with a place where its mistake goes, and the simulator catches
two of them. All of them: tests/sim/mutants/run, by hand."""
# timeout: 300
import os
import subprocess
import sys

RUN = os.path.join(os.environ["SK_SRC"], "tests", "sim", "mutants", "run")
FEW = ["02", "43"]


def run(*args):
    done = subprocess.run([sys.executable, RUN, *args], text=True, capture_output=True, check=False)
    sys.stdout.write(done.stdout)
    if done.returncode != 0:
        sys.exit(f"run {' '.join(args)}: {done.stdout}{done.stderr}")
    return done.stdout.splitlines()[-1]


assert run("--check").endswith(" find their places")
with open(os.path.join(os.environ["SK_BUILD"], "CMakeCache.txt"), encoding="utf-8") as cache:
    if "fsanitize" in cache.read():
        sys.exit(0)  # as slow as it is: the release build is enough
assert run("--seeds", "60", *FEW) == f"{len(FEW)} of {len(FEW)} caught"
