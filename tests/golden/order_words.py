#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""The player's guide names every line that the client understands, and every exit code."""
import os
import re
import sys
import unittest

ROOT = os.environ.get("SK_SRC", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ROW = re.compile(r"X\(COMMAND_[A-Z_]+, \"([a-z]+)\", (?:\"([a-z?]+)\"|NULL),")


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


class Guide(unittest.TestCase):
    def setUp(self):
        guide = read("deploy", "doc", "player-guide.md")
        self.part = guide[guide.index("## By lines, and in scripts"):]

    def test_every_word(self):
        rows = ROW.findall(read("client", "orders.h"))
        self.assertGreater(len(rows), 25)
        lines = re.findall(r"`([^`]+)`", self.part)
        for word, brief in rows:
            self.assertTrue([line for line in lines if line.split()[0] in (word, brief)], word)

    def test_every_exit_code(self):
        codes = re.search(r"Exit codes: (.*?)\\n\"", read("client", "main.c"), re.S).group(1)
        for code in re.findall(r"\b(\d+) ", codes):
            self.assertRegex(self.part, r"\b%s\b" % code)


if __name__ == "__main__":
    sys.exit(unittest.main())
