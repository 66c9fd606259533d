#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""verify.py FILE [--head HASH]: is a match's record sound?

The second verifier, independent of `skirmish verify`: scenario hash, hash chain, anchors and links,
roll keys and dice, and that the rules give exactly these events and this end. Exit 0 sound, 65 not,
with the first line that fails (lines count from 1; entry seq q stands in line q + 1).
"""
import argparse
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import fd1  # noqa: E402
from journal import Bad, Journal, compact, need, parse  # noqa: E402

EX_DATAERR = 65
EX_NOINPUT = 66
HEADER_RE = re.compile(rb'\{"record":1,"match":"([0-9a-f]{32})","scenario":(\{.*\})\}\Z', re.DOTALL)


class Unsound(Exception):
    def __init__(self, line, why):
        super().__init__("line %d: %s" % (line, why))
        self.line = line
        self.why = why


def read_header(line):
    """(match, scenario's bytes)."""
    match = HEADER_RE.match(line)
    need(match, "no record's first line")
    return match.group(1).decode("ascii"), match.group(2)


def end_line(head, head_hash, state_hash):
    return compact({"end": {"head": head, "hash": head_hash.hex(), "state_hash": state_hash}})


def chain_end(lines):
    """The hash at the last of the entries' lines."""
    value = fd1.ZEROS
    for line in lines:
        value = fd1.journal_hash(value, line)
    return value


def split(data):
    """Lines without their ends; the last must have one."""
    lines = data.split(b"\n")
    if lines.pop() != b"" or len(lines) < 3:
        raise Unsound(len(lines) + 1, "a record is a header, entries and an end, each a line")
    return lines


def at(line, action, *args):
    try:
        return action(*args)
    except Bad as bad:
        raise Unsound(line, str(bad)) from bad
    except RecursionError as error:
        raise Unsound(line, "too deep") from error


def walk(lines):
    """Every line in order; the Journal at the end."""
    match, raw = at(1, read_header, lines[0])
    scenario = at(1, parse, raw)
    journal = at(1, Journal, scenario, hashlib.sha256(raw).hexdigest())
    for number, line in enumerate(lines[1:-1], 2):
        entry = at(number, journal.take, line)
        if entry["kind"] == "opened" and entry["match"] != match:
            raise Unsound(number, "not the match that the first line names")
    if not journal.settled():
        raise Unsound(len(lines), "entries are missing: %s" % journal.expected[0])
    return journal


def check_end(lines, journal, kept_head):
    want = end_line(journal.head, journal.hash, journal.state_hash())
    if lines[-1] != want:
        raise Unsound(len(lines), "the end is %s" % want.decode("ascii"))
    if kept_head is not None and kept_head != journal.hash.hex():
        raise Unsound(len(lines), "the head's hash isn't the one that was kept")


def verify(data, kept_head=None):
    """The Journal of a sound record (bytes); Unsound names the first bad line of any other."""
    lines = split(data)
    journal = walk(lines)
    check_end(lines, journal, kept_head)
    return journal


def quick_refusal(data):
    """Is it certain without looking at dice and rules that the record isn't sound? Tells exactly
    what verify would refuse for header, chain or end; the tests change many bytes with it."""
    try:
        lines = split(data)
        match, raw = read_header(lines[0])
    except (Unsound, Bad):
        return True
    tail = b'"hash":"' + chain_end(lines[1:-1]).hex().encode("ascii") + b'"'
    if tail not in lines[-1]:
        return True
    opened = lines[1]
    return (match.encode("ascii") not in opened
            or hashlib.sha256(raw).hexdigest().encode("ascii") not in opened)


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--head", help="hash of the head as it was kept from play")
    args = parser.parse_args(argv[1:])
    try:
        with open(args.file, "rb") as file:
            data = file.read()
    except OSError as error:
        print("verify: %s" % error, file=sys.stderr)
        return EX_NOINPUT
    try:
        journal = verify(data, args.head)
    except Unsound as unsound:
        print("%s: %s" % (args.file, unsound))
        return EX_DATAERR
    note = journal.note()
    print("%s: sound: %d entries, %d rolls, head %s%s" % (
        args.file, journal.head, journal.n, journal.hash.hex(), "; " + note if note else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
