#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A server that sends terminal control sequences wherever it can send text: in line mode and in
full screen none of them reaches the terminal, and what can be read still does."""
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "integration"))
from lib_wire import program  # noqa: E402
import accounts_cli  # noqa: E402

# a title, a colour, a query that a terminal would answer, C1 forms of them, bidi, a bell
EVIL = "EVIL\x1b]0;pwned\x07\x1b[31m\x1b[c\x1bP1$r\x1b\\\u009b31m\u009dpwned\u009c\u202e\u200b\x07!"
FORBIDDEN = (b"\x1b]0;pwned", b"\x1b[31m\x1b[c", b"\x1b[c", b"\x1bP1", b"\xc2\x9b", b"\xc2\x9d",
             b"\xe2\x80\xae", b"\xe2\x80\x8b")
MATCH = "00000000000000000000000000000001"


def summary(no, state, **more):
    return {"match": MATCH[:-1] + str(no), "no": no, "state": state, "scenario": EVIL, "title": EVIL,
            "maker": EVIL, "side": EVIL, "clock": {"kind": "none"}, "fair": EVIL, "rated": False,
            "private": False, "watch": "all", "readings": {}, "spectators": 0, "ts": 1, **more}


USER = {"name": EVIL, "kind": EVIL, "role": EVIL}
OVER = summary(3, "over", joiner=EVIL, players={EVIL: EVIL}, over={"winner": EVIL, "reason": EVIL},
               over_ts=1)
PLAYER = {"name": EVIL, "kind": EVIL, "role": None, "online": True, "games": 1, "won": 1, "lost": 0,
          "drawn": 0, "rating": {"rating": 1500, "deviation": 350, "games": 1},
          "setups_owed": {EVIL: 2}, "left_behind": {EVIL: 1}, "history": []}
ANSWERS = {
    "session.hello": {"server": EVIL, "protocol": 1, "limits": {}, "time_ms": 1},
    "session.guest": {"user": {"name": "Ann", "kind": "guest", "role": None}, "token": "0" * 64},
    "session.resume": {"user": {"name": "Ann", "kind": "guest", "role": None}, "token": "1" * 64},
    "lobby.list": {"matches": [summary(1, "open"), summary(2, "live", joiner=EVIL, turn=1), OVER]},
    "match.mine": {"matches": [summary(4, "live", joiner=EVIL, role="A", turn=1, left={},
                                       roll=None, mine=True, your_side=EVIL, invite=EVIL)]},
    "lobby.follow": {"online": [USER]},
    "player.get": {"player": PLAYER},
    "player.list": {"players": [{"rank": 1, "name": EVIL, "rating": 1, "deviation": 1, "games": 1,
                                 "online": True}]},
    "player.matches": {"matches": [OVER]},
    "scenario.list": {"scenarios": [{"id": EVIL, "title": EVIL, "scale": EVIL, "turns": 1,
                                     "sides": [{"id": EVIL, "name": EVIL}]}]},
}


class Hostile:
    """Answers each request with the like of it, or a refusal in those words; then a notice."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "skirmish://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(conn,), daemon=True).start()

    def talk(self, conn):
        def send(**message):
            conn.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        try:
            send(method="server.welcome", params={"server": EVIL, "protocol": 1, "tls": False,
                                                  "motd": EVIL})
            for line in conn.makefile(encoding="utf-8"):
                request = json.loads(line)
                if request["method"] in ANSWERS:
                    send(id=request["id"], result=ANSWERS[request["method"]])
                else:
                    send(id=request["id"], error={"code": 2, "message": EVIL,
                                                  "data": {"reason": "denied", "rule": EVIL}})
                if request["method"] == "match.mine":
                    send(method="server.notice", params={"text": EVIL})
        except OSError:
            pass
        finally:
            conn.close()


class Terminal(unittest.TestCase):
    def setUp(self):
        self.server = Hostile()
        self.addCleanup(self.server.listener.close)
        home = tempfile.TemporaryDirectory(prefix="skirmish-hostile-")
        self.addCleanup(home.cleanup)
        self.env = {**os.environ, "HOME": home.name, "XDG_STATE_HOME": home.name,
                    "XDG_CONFIG_HOME": home.name, "LC_ALL": "C.UTF-8", "TERM": "xterm",
                    "SKIRMISH_SERVER": self.server.url}

    def check(self, data):
        self.assertIn(b"EVIL", data)
        for bad in FORBIDDEN:
            self.assertNotIn(bad, data)

    def test_lines(self):
        done = subprocess.run([program("skirmish"), "play", "--name", "Ann"], env=self.env,
                              input=b"list\nscenarios\nwho\nladder\nhistory\ndecline 1\ncreate x\n",
                              capture_output=True, timeout=60, check=False)
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, 77, said)
        self.check(said)
        self.assertNotIn(b"\x1b", said)
        self.assertNotIn(b"\x07", said)

    def test_commands(self):
        for words in (["who"], ["ladder"], ["history"], ["turns"], ["record", "1"]):
            done = subprocess.run([program("skirmish"), *words, "--name", "Ann"], env=self.env,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                  check=False)
            self.check(done.stdout + done.stderr)
            self.assertNotIn(b"\x1b", done.stdout + done.stderr, words)

    def test_full_screen(self):
        screen = accounts_cli.Screen(self, "play", "--name", "Ann")
        screen.wait("YOUR GAMES")
        screen.wait("EVIL")
        for key, then in (("l", "ladder"), ("q", "YOUR GAMES"), ("h", "A player"),
                          ("q", "YOUR GAMES"), ("H", "over"), ("q", "YOUR GAMES"),
                          ("i", "Who is here"), ("q", "YOUR GAMES"), ("\r", "EVIL")):
            at = len(screen.text)
            os.write(screen.fd, key.encode())
            while not re.search(then, screen.text[at:]) and screen.read(20):
                pass
        os.write(screen.fd, b"\x03")
        code = screen.end()
        self.assertEqual(code, 130, screen.text[-500:])
        self.check(screen.text.encode())


if __name__ == "__main__":
    program("skirmish")  # else skipped as a whole
    unittest.main()
