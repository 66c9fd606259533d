#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""skirmish who, ladder and history, as text and as JSON, after real rated games."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "integration"))
from lib_rating import begin, member_pair, one_order, over  # noqa: E402
from lib_wire import Server, program  # noqa: E402


class Club(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.server.__enter__()
        cls.addClassCleanup(cls.server.__exit__, None, None, None)
        cls.url = "skirmish://%s:%d" % cls.server.address
        cls.home = tempfile.TemporaryDirectory(prefix="skirmish-club-")
        cls.addClassCleanup(cls.home.cleanup)
        cls.ann, cls.bob = member_pair(cls.server)
        for loser in (cls.ann, cls.bob, cls.bob):
            match = begin(cls.ann, cls.bob)
            one_order(cls.ann, cls.bob, match)
            loser.call("match.resign", match=match)
            over([cls.ann, cls.bob], match)
        cls.match = begin(cls.ann, cls.bob)

    def ask(self, *words, code=0):
        done = subprocess.run([program("skirmish"), *words, "--name", "Looker"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, check=False,
                              env={**os.environ, "XDG_STATE_HOME": self.home.name,
                                   "SKIRMISH_SERVER": self.url})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def lines(self, *words):
        return [json.loads(line) for line in self.ask(*words, "--json").splitlines()]

    def test_who(self):
        text = self.ask("who")
        self.assertRegex(text, r"(?m)^Ann, member plays Bob at First Blood \(#4\), turn 1$")
        self.assertRegex(text, r"(?m)^Looker, guest \(you\)$")
        users = self.lines("who", self.url)
        self.assertEqual({u["name"] for u in users}, {"Ann", "Bob", "Looker"})

    def test_ladder(self):
        text = self.ask("ladder", self.url)
        self.assertRegex(text, r"(?m)^ +1\. Ann +\d+ \+/-\d+ +3 games  here$")
        self.assertRegex(text, r"(?m)^ +2\. Bob ")
        self.assertEqual([p["name"] for p in self.lines("ladder", "--limit", "1")], ["Ann"])

    def test_history(self):
        text = self.ask("history", "ann")
        self.assertRegex(text, r"^Ann, member since \d{4}-\d\d-\d\d, here\. Rated \d+ \+/-\d+ "
                         r"after 3 games\. 3 games in all: 2 won, 1 lost, 0 drawn\.")
        rows = text.splitlines()[1:]
        self.assertEqual([row.split()[0] for row in rows], ["#3", "#2", "#1"])
        self.assertRegex(rows[0], r"First Blood: (red|blue) against Bob, won \(resign\), rated$")
        self.assertRegex(rows[2], r"against Bob, lost \(resign\), rated$")
        profile, *games = self.lines("history", "Ann", "--server", self.url)
        self.assertEqual((profile["name"], len(games)), ("Ann", 3))
        self.assertEqual(len(self.lines("history", "Ann", "--limit", "2")), 3)

    def test_against(self):
        text = self.ask("history", "Bob", "--against", "Ann")
        self.assertIn("\nBob against Ann: 1 won, 2 lost, 0 drawn.\n", text)
        text = self.ask("history", "--against", "Ann")  # our own: a guest without games
        self.assertIn("No finished games.", text)

    def test_refusals(self):
        self.assertIn("no such", self.ask("history", "Nobody", code=77).lower())
        self.assertIn("usage", self.ask("ladder", "--limit", "many", code=64))
        self.assertIn("usage", self.ask("who", "--against", "Ann", code=64))


if __name__ == "__main__":
    program("skirmish")  # else skipped as a whole
    unittest.main()
