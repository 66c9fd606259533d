# SPDX-License-Identifier: ISC
# timeout: 300
"""Accounts and agreements as a person meets them: skirmish account, turns, and line mode's draw,
pause, takeback and rematch, by the real programs."""
import os
import pty
import re
import select
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
import lib_wire  # noqa: E402

SECRET = "correct horse battery"
# None of them is first-blood's own.
READINGS = {"turning": "free", "melee": "after_each", "saves": "one", "volley": "all",
            "roster": "arrived"}


class Person:
    """Somebody with a state directory of their own."""

    def __init__(self, url):
        self.url, self.home = url, tempfile.TemporaryDirectory(prefix="person-")
        self.env = dict(os.environ, XDG_STATE_HOME=self.home.name, SKIRMISH_SERVER=url)

    def run(self, *words, text=""):
        """(exit code, output, errors)."""
        done = subprocess.run([lib_wire.program("skirmish"), *words], input=text, text=True,
                              env=self.env, capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def account(self, action, *words, text=SECRET + "\n"):
        return self.run("account", action, "--password-stdin", *words, text=text)

    def files(self):
        return [os.path.join(where, name) for where, _, names in os.walk(self.home.name)
                for name in names]


class Screen:
    """A program on a terminal: what it shows, what is typed."""

    def __init__(self, person, *words):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(person.env)
            path = lib_wire.program("skirmish")
            os.execv(path, [path, *words])

    def read(self, timeout_s):
        if not select.select([self.fd], [], [], timeout_s)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def wait(self, pattern, since=0):
        """Read until the pattern stands behind `since`; where it ends."""
        deadline = time.monotonic() + lib_wire.PATIENCE_S
        while True:
            found = re.search(pattern, self.text[since:])
            if found:
                return since + found.end()
            left = deadline - time.monotonic()
            if left <= 0 or not self.read(left):
                raise AssertionError("no %r in\n%s" % (pattern, self.text))

    def type(self, line):
        """Type it; where the text stood before."""
        at = len(self.text)
        os.write(self.fd, line.encode() + b"\n")
        return at

    def end(self):
        while self.read(lib_wire.PATIENCE_S):
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return code


class Club(unittest.TestCase):
    def setUp(self):
        self.server = lib_wire.Server()
        self.server.__enter__()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.url = "skirmish://%s:%d" % self.server.address
        self.ann, self.bob = self.person(), self.person()

    def person(self):
        person = Person(self.url)
        self.addCleanup(person.home.cleanup)
        return person

    def check(self, result, code, words=""):
        self.assertEqual(result[0], code, result)
        self.assertIn(words, result[1] + result[2])

    def test_register_and_log_in(self):
        self.check(self.ann.account("register", "--name", "Ann"), 0, "You are Ann at")
        self.check(self.bob.account("register", "--name", "ANN"), 77)
        self.check(self.bob.account("login", "--name", "Ann", text="wrong\n"), 77, "wrong")
        self.check(self.bob.account("login", "--name", "Ann"), 0, "You are Ann")
        self.check(self.bob.account("register", "--name", "Bob", text="\n"), 64, "no password")
        for path in self.ann.files():
            with open(path, encoding="utf-8") as file:
                self.assertNotIn(SECRET, file.read())
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)
        self.check(self.ann.run("play", "--script", "/dev/null"), 0, "You are Ann here")

    def test_new_password_and_log_out(self):
        self.check(self.ann.account("register", "--name", "Ann"), 0)
        self.check(self.bob.account("login", "--name", "Ann"), 0)
        self.check(self.ann.account("password", text="wrong one\nanother horse\n"), 77)
        self.check(self.ann.account("password", text=SECRET + "\nanother horse\n"), 0,
                   "New password of Ann")
        self.check(self.bob.account("login", "--name", "Ann"), 77)
        self.check(self.bob.account("login", "--name", "Ann", text="another horse\n"), 0)
        self.check(self.bob.run("account", "logout", "--all"), 0, "everywhere")
        self.assertEqual([p for p in self.bob.files() if not p.endswith(".lock")], [])
        code, said, _ = self.ann.run("play", "--script", "/dev/null")
        self.assertNotEqual((code, "You are Ann here" in said), (0, True), "logged out everywhere")

    def test_the_terminal_shows_no_password(self):
        screen = Screen(self.ann, "account", "register", "--name", "Ann")
        screen.wait("New password")
        screen.type("some thyng\x7f\x7f\x7fing")
        screen.wait("again: ")
        screen.type("some thing")
        self.assertEqual(screen.end(), 0, screen.text)
        self.assertIn("You are Ann", screen.text)
        for word in ("some", "thyng", "thing"):
            self.assertNotIn(word, screen.text)
        self.check(self.bob.account("login", "--name", "Ann", text="some thing\n"), 0)
        screen = Screen(self.bob, "account", "password")
        screen.wait("Old password")
        os.write(screen.fd, b"\x03")  # Ctrl-C
        self.assertEqual(screen.end(), 64, screen.text)

    def test_registering_needs_leave(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("[accounts]\nregister = closed\n")
            file.flush()
            with lib_wire.Server("--config", file.name) as closed:
                url = "skirmish://%s:%d" % closed.address
                self.check(self.ann.account("register", url, "--name", "Ann"), 77,
                           "takes no new accounts")

    def play_both(self, *more):
        """Both at their terminals, in a match that has begun; the screens by whose phase it is."""
        for person, name in ((self.ann, "Ann"), (self.bob, "Bob")):
            self.check(person.account("register", "--name", name), 0)
        ann = Screen(self.ann, "play", "--plain", "--create", "first-blood", "--side", "red", *more)
        ann.wait(r"Match #\d+")
        bob = Screen(self.bob, "play", "--plain", "--join", "any")
        for screen in (ann, bob):
            screen.wait("Turn 1")
        while "Your phase" not in ann.text and "Your phase" not in bob.text:
            ann.read(0.05)
            bob.read(0.05)
        return (ann, bob) if "Your phase" in ann.text else (bob, ann)

    def test_turns(self):
        self.check(self.ann.run("turns"), 1)
        for person, name in ((self.ann, "Ann"), (self.bob, "Bob")):
            self.check(person.account("register", "--name", name), 0)
        self.check(self.ann.run("turns"), 1)
        conn = self.server.connect()
        self.addCleanup(conn.close)
        conn.hello()
        conn.call("session.login", name="Ann", password=SECRET)
        match = conn.call("match.create", scenario="first-blood", side="red", fair="server",
                          clock={"kind": "correspondence", "days": 3}, opponent="Bob")["match"]
        code, said, _ = self.bob.run("turns", self.url)
        self.assertEqual(code, 0)
        self.assertIn("%s/match/%s" % (self.url, match), said)
        self.assertIn("a challenge", said)
        self.check(self.ann.run("turns", self.url), 1)
        other = self.server.connect()
        other.hello()
        self.addCleanup(other.close)
        other.call("session.login", name="Bob", password=SECRET)
        other.call("match.join", match=match)
        results = [self.ann.run("turns", self.url), self.bob.run("turns", self.url)]
        self.assertEqual(sorted(code for code, *_ in results), [0, 1], results)
        said = "".join(text for _, text, _ in results)
        self.assertRegex(said, r"#1 First Blood, (red|blue), turn 1, .*left: an order")
        gone = "skirmish://127.0.0.1:1"
        code, _, errors = self.ann.run("turns", gone)
        self.assertEqual(code, 69, errors)
        codes = [p.run("turns", gone, self.url)[0] for p in (self.ann, self.bob)]
        self.assertEqual(sorted(codes), [0, 69], "one server is away")

    def test_draw_and_rematch(self):
        first, second = self.play_both("--delay", "2", "--max-spectators", "3")
        at = len(second.text)
        first.type("draw")
        second.wait("(?i)draw", at)
        at = len(first.text)
        second.type("decline")
        first.wait("says no", at)
        at = len(second.text)
        first.type("draw")
        second.wait("(?i)draw", at)
        marks = [(first, len(first.text)), (second, second.type("accept"))]
        for screen, mark in marks:
            screen.wait("`rematch` asks for another game", mark)
        at = len(second.text)
        mark = first.type("rematch")
        second.wait("challenges you", at)
        second.wait("`accept` sits down", at)
        at = second.type("accept")
        second.wait("Match #2", at)
        first.wait("Match #2", mark)
        first.wait("Turn 1", mark)
        second.wait("Turn 1", at)
        sides = [re.findall(r"You play (\w+)", screen.text) for screen in (first, second)]
        self.assertEqual(len(sides[0]), 2, sides)
        self.assertEqual(sides[0], sides[1][::-1], "sides swapped")
        conn = self.server.connect()
        self.addCleanup(conn.close)
        conn.guest("looker")
        again = next(m for m in conn.call("lobby.list", state="live")["matches"] if m["no"] == 2)
        self.assertEqual((again.get("delay"), again.get("max_spectators")), (2, 3), "for who looks on")
        for screen in (first, second):
            screen.type("quit")
            self.assertEqual(screen.end(), 0)

    def test_rematch_as_it_was_played(self):
        """Whoever asks for it: with the readings of the first game."""
        conn = self.server.connect()
        self.addCleanup(conn.close)
        conn.hello()
        conn.call("session.register", name="Cora", password=SECRET)
        first = conn.call("match.create", scenario="first-blood", side="red", fair="server",
                          clock={"kind": "none"}, readings=READINGS)["match"]
        self.check(self.ann.account("register", "--name", "Ann"), 0)
        ann = Screen(self.ann, "play", "--plain", "--join", "any")
        ann.wait("Turn 1")
        conn.call("match.resign", match=first)
        ann.wait("`rematch` asks for another game")
        ann.wait("A rematch is offered", ann.type("rematch"))
        asked = conn.call("match.mine")["matches"]
        self.assertEqual([(m["rematch_of"], m["readings"]) for m in asked], [(first, READINGS)])
        ann.type("quit")
        self.assertEqual(ann.end(), 0)

    def test_pause_and_takeback(self):
        first, second = self.play_both("--clock", "10m+5s")
        at = len(second.text)
        first.type("pause")
        second.wait("offers a pause", at)
        at = len(second.text)
        second.type("accept")
        for screen, mark in ((first, 0), (second, at)):
            screen.wait("The match is paused", mark)
        at = len(first.text)
        second.type("pause")
        first.wait("offers a pause", at)
        at = len(second.text)
        first.type("accept")
        second.wait("goes on", at)
        first.wait("goes on")
        at = len(second.text)
        first.type("end")
        second.wait("Your phase", at)
        at = len(second.text)
        first.type("takeback")
        second.wait("(?i)offer", at)
        at = len(first.text)
        second.type("accept")
        first.wait("Your phase", at)
        for screen in (first, second):
            screen.type("quit")
            self.assertEqual(screen.end(), 0)


if __name__ == "__main__":
    unittest.main()
