#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""A blind player's path: lobby and match through a pipe, by the text alone. Every line is a
sentence; the board, what has changed on it, and what a step back changes are told in words."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "integration"))
from lib_wire import Server, program  # noqa: E402

GLYPHS = re.compile(r"[▲▶▼◀·♣▓≈]|^ *\d+  [.#\"~:%A-Za-z]{2}", re.M)


class Ear(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.url = "skirmish://%s:%d" % self.server.address
        self.home = tempfile.TemporaryDirectory(prefix="skirmish-ear-")
        self.addCleanup(self.home.cleanup)

    def env(self, name):
        return {**os.environ, "XDG_STATE_HOME": os.path.join(self.home.name, name), "LC_ALL": "C"}

    def hear(self, name, lines, *words):
        """All that is said when these lines are typed through a pipe."""
        done = subprocess.run([program("skirmish"), "play", self.url, "--name", name, *words],
                              input="".join(line + "\n" for line in lines), text=True,
                              capture_output=True, timeout=100, check=False, env=self.env(name))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        return done.stdout

    def test_lobby(self):
        done = subprocess.run([program("skirmish"), "account", "register", self.url, "--name",
                               "Ann", "--password-stdin"], input="correct horse\n", text=True,
                              capture_output=True, timeout=60, check=False, env=self.env("Ann"))
        self.assertEqual(done.returncode, 0, done.stderr)
        conn = self.server.connect()
        self.addCleanup(conn.close)
        conn.hello()
        conn.call("session.register", name="Moktar", password="battery staple")
        match = conn.call("match.create", scenario="first-blood", side="red", opponent="Ann",
                          clock={"kind": "none"})
        text = self.hear("Ann", ["who", "ladder", "history", "history Nobody", "decline #%d" %
                                 match["no"], "decline 77", "challenge x", "challenge Moktar",
                                 "help", "quit"])
        for words in ("Moktar, member.\n", "Ann, member (you).\n", "Nobody is rated here yet.",
                      "Ann, member since ", "No finished games.", "Done.", "Refused (not_found)",
                      "That is written: challenge NAME SCENARIO", "withdraw MATCH",
                      "(first-blood), made by Moktar who takes red, for Ann"):
            self.assertIn(words, text)
        self.assertEqual(conn.call("match.mine")["matches"], [])  # it was declined
        self.hear("Ann", ["challenge Moktar first-blood blue"])
        conn.wait_note("server.notice", lambda params: "match" in params)

    def test_match(self):
        bot = subprocess.Popen([program("skirmish"), "bot", self.url, "--name", "Botty"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=self.env("Botty"))
        try:
            text = self.hear("Ann", [
                "ground", "look t1", "look l1", "look z9", "figures", "goals", "status", "legal l1",
                "odds l1", "t l1 n", "u", "m l1 a1", "e", "e", "e", "log 3", "resign",
                "resign yes"], "--create", "tin-lizzy-down", "--side", "legion")
        finally:
            bot.kill()
            bot.wait()
        for words in ("building: d12 to e12, n12 to o12, ", "wall: e9 north, f9 north",
                      "h7: road, barricade north, barricade west; L1 regular ready. From there: ",
                      "SERGEANT at h6 facing west, 1 south; ", "L1 h7 west, regular, ready.\n",
                      "M1 due, regular.\n", "turns to face north.",
                      "is taken back. L1 h7 west, ready again.", "Reinforcements for Tribes by the ",
                      "Your phase. Ten figures ready: ", "`resign yes` does it",
                      "Result: tribes, resign"):
            self.assertIn(words, text)
        self.assertRegex(text, r"t\d+ moves [a-r]\d+ to [a-r]\d+(.*), facing (north|east|south|west)\.")
        self.assertRegex(text, r"Refused \(R\d+\): .*L1 may reach ")
        self.assertIsNone(GLYPHS.search(text), text)


if __name__ == "__main__":
    program("skirmish")  # else skipped as a whole
    unittest.main()
