#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""The golden records against both verifiers.

tests/ref/verify.py accepts proto/golden/records/*.ndjson and refuses every single-byte change of
them, every forgery with a hash chain made anew, and lines dropped, doubled or swapped. Where
`skirmish verify` is built (SK_BIN), it agrees, on a sample of the changes too (--every N: each Nth
byte). Exit 0, or 1 with what was wrong.
"""
import argparse
import copy
import glob
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "ref"))

import fd1  # noqa: E402
import make_record  # noqa: E402
from journal import compact  # noqa: E402
from verify import Unsound, chain_end, quick_refusal, verify  # noqa: E402

GOLDEN = os.path.join(ROOT, "proto", "golden", "records")
VERIFY = os.path.join(ROOT, "tests", "ref", "verify.py")
EX_USAGE, EX_DATAERR = 64, 65
# What a party may write freely; a verifier can't know better once the chain is made anew.
FREE = ("ts", "no", "order_id", "left", "rated", "clock", "online", "main_s", "days", "phase_s",
        "motd", "fair", "id")


class Fails:
    def __init__(self):
        self.count = 0

    def check(self, truth, text):
        if not truth:
            self.count += 1
            if self.count <= 20:
                print("WRONG: " + text)


def unsound(data, kept=None):
    """None, or the Unsound that verify raises."""
    try:
        verify(data, kept)
    except Unsound as error:
        return error
    return None


def refused(data):
    return quick_refusal(data) or unsound(data) is not None


def load():
    records = {}
    for path in sorted(glob.glob(os.path.join(GOLDEN, "*.ndjson"))):
        with open(path, "rb") as file:
            records[os.path.basename(path)] = file.read()
    return records


def test_made_again(fails, records):
    """The files are what make_record makes."""
    made = {make.__name__ + ".ndjson": make().record() for make in make_record.RECORDS}
    fails.check(made == records, "proto/golden/records isn't what tests/ref/make_record.py makes")


def test_accepted(fails, records):
    for name, data in records.items():
        error = unsound(data)
        fails.check(error is None, "%s: %s" % (name, error))
        end = json.loads(data.split(b"\n")[-2])["end"]
        fails.check(unsound(data, end["hash"]) is None, "%s refused with its own head" % name)
        wrong = unsound(data, "0" * 64)
        fails.check(wrong is not None, "%s with another head" % name)


def test_program(fails, records):
    """The script's own exit codes and words."""
    path = os.path.join(GOLDEN, sorted(records)[0])
    done = subprocess.run([sys.executable, VERIFY, path], capture_output=True, check=False)
    fails.check(done.returncode == 0 and b"sound" in done.stdout, "verify.py %s: %s" % (path, done))
    done = subprocess.run([sys.executable, VERIFY, path, "--head", "0" * 64], capture_output=True,
                          check=False)
    fails.check(done.returncode == EX_DATAERR and b"line " in done.stdout, "other head: %s" % done)


def line_of(data, position):
    return data.count(b"\n", 0, position) + 1


def changes(data, rng):
    """(position, changed data): each byte replaced in two ways."""
    common = b'0123456789abcdefnesw":,{}[] \n'
    for i, byte in enumerate(data):
        for other in {byte ^ (1 << rng.randrange(8)), rng.choice(common)}:
            if other != byte:
                yield i, data[:i] + bytes([other]) + data[i + 1:]


def test_bytes(fails, records):
    """Every single byte; now and then the whole verifier and the line that it names."""
    rng = random.Random("bytes")
    tried = 0
    for name, data in records.items():
        for i, changed in changes(data, rng):
            tried += 1
            fails.check(refused(changed), "%s: byte %d changed to %r" % (name, i, changed[i]))
            if tried % 97 == 0:
                error = unsound(changed)
                fails.check(error is not None and error.line >= line_of(data, i),
                            "%s: byte %d of line %d: %s" % (name, i, line_of(data, i), error))
    print("%d changed bytes" % tried)


def test_lines(fails, records):
    """Bytes and lines dropped, doubled and swapped, files cut."""
    rng = random.Random("lines")
    for name, data in records.items():
        lines = data.splitlines(True)
        for i, line in enumerate(lines):
            less, more = lines[:i] + lines[i + 1:], lines[:i] + [line] + lines[i:]
            fails.check(refused(b"".join(less)), "%s without line %d" % (name, i + 1))
            fails.check(refused(b"".join(more)), "%s with line %d twice" % (name, i + 1))
            swapped = list(lines)
            swapped[i - 1:i + 1] = [line, lines[i - 1]]
            fails.check(i == 0 or refused(b"".join(swapped)), "%s: %d swapped" % (name, i + 1))
        for i in rng.sample(range(len(data)), 200):
            fails.check(refused(data[:i]), "%s cut to %d bytes" % (name, i))
            fails.check(refused(data[:i] + data[i + 1:]), "%s without byte %d" % (name, i))
            fails.check(refused(data[:i] + b"0" + data[i:]), "%s with a byte at %d" % (name, i))


# ---- forgeries: the chain and the end made anew

def leaves(value, path=()):
    """Paths to what may be changed in an entry."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in FREE:
                yield from leaves(item, path + (name,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, path + (i,))
    else:
        yield path


def other_value(value, rng):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return "00" * 32
    if len(value) == 64:
        i = rng.randrange(64)
        return value[:i] + "0123456789abcdef"[(int(value[i], 16) + 1) % 16] + value[i + 1:]
    return {"n": "s", "s": "e", "e": "w", "w": "n"}.get(value, value + "x")


def forge(lines, number, path, rng):
    entry = json.loads(lines[number])
    spot = entry
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = other_value(spot[path[-1]], rng)
    return rechain(lines[:number] + [compact(entry)] + lines[number + 1:])


def rechain(lines):
    """The record with hash and head put right; the state hash stays."""
    end = json.loads(lines[-1])
    end["end"].update(head=len(lines) - 2, hash=chain_end(lines[1:-1]).hex())
    return b"\n".join(lines[:-1] + [compact(end)]) + b"\n"


def test_forged(fails, records):
    """One value of one entry, or a whole batch, changed by somebody who can hash."""
    rng = random.Random("forged")
    tried = 0
    for name, data in records.items():
        if name == "void.ndjson":
            continue  # nothing rolled: whoever can hash may write what they like
        lines = data.split(b"\n")[:-1]
        for number in range(1, len(lines) - 1):
            entry = json.loads(lines[number])
            paths = list(leaves(copy.deepcopy(entry)))
            for path in rng.sample(paths, min(4, len(paths))):
                tried += 1
                error = unsound(forge(lines, number, path, rng))
                fails.check(error is not None and error.line >= number + 1,
                            "%s: line %d, %s of %s forged: %s" % (
                                name, number + 1, path, entry["kind"], error))
            if entry["kind"] not in ("presence",):
                error = unsound(rechain(lines[:number] + lines[number + 1:]))
                fails.check(error is not None, "%s: line %d left out" % (name, number + 1))
    print("%d forgeries" % tried)


def test_used_up(fails):
    """Chains so short that they end in the middle of the game: new anchors, a new salt."""
    whole, fd1.CHAIN_LEN = fd1.CHAIN_LEN, 3
    try:
        for fair in ("strict", "server"):
            match = make_record.Scribe("used up", fair)
            match.set_up()
            match.play(14)
            anchors = sum(b'"kind":"anchor"' in line for line in match.lines)
            fails.check(anchors >= (5 if fair == "strict" else 1), "no chain was used up")
            error = unsound(match.record())
            fails.check(error is None, "used-up chains, %s: %s" % (fair, error))
            lines = match.record().split(b"\n")[:-1]
            for i, line in enumerate(lines):
                if b'"kind":"anchor"' in line and b'"generation":1' in line:
                    error = unsound(rechain(lines[:i] + lines[i + 1:]))
                    fails.check(error is not None, "a new anchor left out")
    finally:
        fd1.CHAIN_LEN = whole


def escaped(records):
    """A record of a writer who escapes all but ASCII in the scenario: those bytes are hashed."""
    lines = records["void.ndjson"].split(b"\n")[:-1]
    header = json.loads(lines[0])
    raw = json.dumps(header["scenario"], separators=(",", ":")).encode("ascii")
    opened = json.loads(lines[1])
    opened["scenario_hash"] = hashlib.sha256(raw).hexdigest()
    lines[0] = b'{"record":1,"match":"%s","scenario":%s}' % (header["match"].encode("ascii"), raw)
    lines[1] = compact(opened)
    return rechain(lines)


def test_escaped(fails, records):
    data = escaped(records)
    fails.check(b"\\u" in data.split(b"\n")[0], "nothing is escaped")
    fails.check(unsound(data) is None, "an escaped scenario: %s" % unsound(data))


# ---- the program in C

def run_skirmish(program, path, *more):
    return subprocess.run([program, "verify", path, *more], capture_output=True, timeout=300,
                          check=False)


def test_skirmish(fails, records, program, every):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "changed.ndjson")
        with open(path, "wb") as file:
            file.write(escaped(records))
        done = run_skirmish(program, path)
        fails.check(done.returncode == 0, "skirmish verify, an escaped scenario: %s" % done)
        for name, data in records.items():
            end = json.loads(data.split(b"\n")[-2])["end"]
            done = run_skirmish(program, os.path.join(GOLDEN, name), "--head", end["hash"])
            fails.check(done.returncode == 0, "skirmish verify %s: %s" % (name, done))
            done = run_skirmish(program, os.path.join(GOLDEN, name), "--head", "0" * 64)
            fails.check(done.returncode == EX_DATAERR, "skirmish verify %s, other head" % name)
            tried = list(changes(data, random.Random("skirmish")))[::every]
            lines = data.split(b"\n")[:-1]
            rng = random.Random("forged for skirmish")
            for number in range(1, len(lines) - 1, 2):
                paths = list(leaves(json.loads(lines[number])))
                tried += [(None, forge(lines, number, rng.choice(paths), rng))] if paths else []
            for i, changed in tried:
                with open(path, "wb") as file:
                    file.write(changed)
                done = run_skirmish(program, path)
                fails.check(done.returncode == EX_DATAERR,
                            "skirmish verify took %s with byte %s changed: %s: %s" % (
                                name, i, done, unsound(changed)))


def skirmish_program():
    """The program, or None where it isn't built or has no `verify` yet."""
    program = os.path.join(os.environ.get("SK_BIN", ""), "skirmish")
    if not os.environ.get("SK_BIN") or not os.access(program, os.X_OK):
        print("skirmish: not built here, skipped")
        return None
    if run_skirmish(program, os.path.join(GOLDEN, "strict.ndjson")).returncode == EX_USAGE:
        print("skirmish verify: not there, skipped")
        return None
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=199, help="skirmish verify: each Nth change")
    args = parser.parse_args()
    fails, records = Fails(), load()
    fails.check(len(records) == len(make_record.RECORDS), "%d records" % len(records))
    test_made_again(fails, records)
    test_accepted(fails, records)
    test_program(fails, records)
    test_bytes(fails, records)
    test_lines(fails, records)
    test_forged(fails, records)
    test_used_up(fails)
    test_escaped(fails, records)
    program = skirmish_program()
    if program:
        test_skirmish(fails, records, program, args.every)
    print("%d records, %d wrong" % (len(records), fails.count))
    return 1 if fails.count else 0


if __name__ == "__main__":
    sys.exit(main())
