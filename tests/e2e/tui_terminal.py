#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""The full screen and the terminal: sizes, colours, alphabets, signals, crashes, dumb ones."""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Screen, need_tmux, program  # noqa: E402
import accounts_cli  # noqa: E402

COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
SHOWN = "Turn 1. Initiative"


def hotseat(*words, **how):
    return Screen([program("skirmish"), "hotseat", *words], **how)


def settle(home, text):
    path = os.path.join(home, "config", "skirmish")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "config"), "w", encoding="utf-8") as file:
        file.write(text)


def colours(raw):
    """The numbers of all SGR sequences."""
    return [n for seq in COLOUR.findall(raw) for n in seq.split(";")]


def process_state(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


class Sizes(unittest.TestCase):
    def test_resize_storm(self):
        chance = random.Random(6)
        with hotseat() as screen:
            screen.wait(SHOWN)
            for _ in range(40):
                screen.resize(chance.randint(1, 200), chance.randint(1, 60))
            screen.resize(1, 1)
            screen.resize(40, 10)
            screen.wait("This window has 40 x 10", "80 x 24")
            screen.resize(132, 43)
            screen.wait(SHOWN, r"R R1 +b2", r"n n6 +k10")
            screen.resize(80, 24)
            screen.wait(SHOWN, r"(n n6 +k10|R R6 +k2)")
            screen.keys("q")
            self.assertEqual(screen.exit_code(), 0)

    def test_a_large_board_scrolls(self):
        with hotseat("tin-lizzy-down") as screen:
            screen.wait("turn 1 of")
            screen.keys("z")
            screen.wait(r"[←↑↓→]")
            for _ in range(70):
                screen.keys("Left", "Down")
            screen.wait(r"^ +1 ", "a1: ")


class Colours(unittest.TestCase):
    def test_256(self):
        with hotseat(term="tmux-256color") as screen:
            screen.wait(SHOWN)
            self.assertIn("38;5;214", screen.raw())

    def test_8(self):
        with hotseat(term="xterm") as screen:
            screen.wait(SHOWN)
            raw = screen.raw()
            self.assertNotIn("38;5", raw)
            self.assertIn("33", colours(raw))  # the first side
            self.assertIn("36", colours(raw))  # the second

    def test_16(self):
        with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
            settle(home, "colours = 16\n")
            with hotseat(term="tmux-256color", home=home) as screen:
                screen.wait(SHOWN)
                raw = screen.raw()
                self.assertNotIn("38;5", raw)
                self.assertTrue([n for n in colours(raw) if re.fullmatch("9[0-7]", n)], raw)

    def test_theme(self):
        """A colour of the config's, a whole theme, and a theme that there isn't."""
        with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
            settle(home, "theme.side-a = 201\n")
            with hotseat(home=home) as screen:
                screen.wait(SHOWN)
                self.assertIn("38;5;201", screen.raw())
                self.assertNotIn("38;5;214", screen.raw())
            settle(home, "theme = plaid\n")
            with hotseat(home=home) as screen:
                self.assertEqual(screen.exit_code(), 78)
                self.assertIn("line 1", screen.text().replace("\n", ""))

    def test_no_color(self):
        with hotseat(NO_COLOR="1") as screen:
            screen.wait(SHOWN)
            raw = screen.raw()
            self.assertNotIn("38;5", raw)
            self.assertFalse([n for n in colours(raw) if n.isdigit() and 30 <= int(n) <= 37])
            self.assertIn("1", colours(raw))  # bold is there

    def test_ascii(self):
        with hotseat(LC_ALL="C") as screen:
            text = screen.wait(SHOWN, r"R\^", "nv")
            self.assertTrue(text.isascii(), text)


class Ends(unittest.TestCase):
    def given_back(self, screen):
        screen.exit_code()
        self.assertEqual(screen.ask("alternate_on"), "0")
        self.assertEqual(screen.ask("cursor_flag"), "1")
        self.assertEqual(screen.ask("mouse_any_flag"), "0")

    def test_signals_and_crashes(self):
        for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(signal=sig), hotseat() as screen:
                screen.wait(SHOWN)
                self.assertEqual(screen.ask("alternate_on"), "1")
                os.kill(screen.pid(), sig)
                self.given_back(screen)

    def test_ctrl_c(self):
        with hotseat() as screen:
            screen.wait(SHOWN)
            screen.keys("C-c")
            self.given_back(screen)
            self.assertEqual(screen.exit_code(), 130)

    def test_stop_and_go_on(self):
        with hotseat() as screen:
            screen.wait(SHOWN)
            pid = screen.pid()
            os.kill(pid, signal.SIGTSTP)
            screen.until(lambda: process_state(pid) == "T", "the stop")
            self.assertEqual(screen.ask("alternate_on"), "0")
            os.kill(pid, signal.SIGCONT)
            screen.wait(SHOWN)
            self.assertEqual(screen.ask("alternate_on"), "1")
            screen.keys("Tab")
            screen.wait("chosen")


    def test_the_stop_key(self):
        """Ctrl-Z as it is typed: the terminal is given back, and taken again."""
        with hotseat() as screen:
            screen.wait(SHOWN)
            pid = screen.pid()
            screen.keys("C-z")
            screen.until(lambda: process_state(pid) == "T", "the stop")
            self.assertEqual(screen.ask("alternate_on"), "0")
            os.kill(pid, signal.SIGCONT)
            screen.wait(SHOWN)
            self.assertEqual(screen.ask("alternate_on"), "1")


class Keys(unittest.TestCase):
    def test_vi_and_arrows(self):
        """The same cursor by both; and a figure moved with one, faced with the other."""
        with hotseat() as screen:
            screen.wait(SHOWN)
            screen.keys("Tab", "Up", "Right")
            there = screen.wait(r"^ ?([a-l]\d+): ", "chosen")
            screen.keys("Left", "Down", "k", "l")
            screen.wait(re.escape(re.search(r"^ ?([a-l]\d+): ", there, re.M).group(1)) + ": ")
            screen.keys("h", "j", "Tab", "k", "L", "Enter")
            screen.wait(r"▶ +acted", "(facing|to face) east")
            screen.keys("u")
            screen.wait("is taken back")

    def test_title_and_bell(self):
        """Both are settings; the title says whose turn it is, the bell rings."""
        with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
            for setting, wanted, unwanted in (
                    ("title = on\nbell = off\n", "\x1b]2;* your turn - Skirmish\x07", None),
                    ("title = off\nbell = on\n", "\x07", "\x1b]2;"),
                    ("title = off\nbell = off\n", "fire", "\x07")):
                settle(home, setting)
                person = types.SimpleNamespace(env={
                    **os.environ, "HOME": home, "XDG_CONFIG_HOME": os.path.join(home, "config"),
                    "TERM": "xterm", "LC_ALL": "C.UTF-8", "TMPDIR": home})
                screen = accounts_cli.Screen(person, "solo", "first-blood", "--level", "recruit")
                screen.wait(re.escape(wanted))
                os.write(screen.fd, b"q")
                self.assertEqual(screen.end(), 0)
                if unwanted is not None:
                    self.assertNotIn(unwanted, screen.text)


class Dumb(unittest.TestCase):
    def run_in(self, *words):
        need_tmux()
        env = {**os.environ, "TERM": "dumb", "LC_ALL": "C"}
        return subprocess.run([program("skirmish"), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              check=False, timeout=120, env=env)

    def test_no_terminal_at_all(self):
        for words in ((), ("hotseat",), ("solo",)):
            done = self.run_in(*words)
            self.assertEqual(done.returncode, 64, words)
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_dumb_terminal(self):
        with hotseat(term="dumb") as screen:
            self.assertEqual(screen.exit_code(), 64)
            self.assertIn("needs a terminal", screen.text())


class Settings(unittest.TestCase):
    def test_keys_and_bad_lines(self):
        with hotseat() as screen:
            screen.wait(SHOWN)
        home = screen.home
        path = os.path.join(home, "config", "skirmish")
        os.makedirs(path)
        with open(os.path.join(path, "config"), "w", encoding="utf-8") as file:
            file.write("key.help = F2\n")
        try:
            with hotseat(home=home) as screen:
                screen.wait(SHOWN, "F2 help")
                screen.keys("F2")
                screen.wait("What can be done now")
                screen.keys("End")
                screen.wait(r"F2 +this help")
            with open(os.path.join(path, "config"), "a", encoding="utf-8") as file:
                file.write("colour = 7\n")
            with hotseat(home=home) as screen:
                self.assertEqual(screen.exit_code(), 78)
                self.assertIn("line 2", screen.text().replace("\n", ""))
        finally:
            os.unlink(os.path.join(path, "config"))
            os.removedirs(path)


if __name__ == "__main__":
    need_tmux()
    program("skirmish")  # else skipped as a whole
    unittest.main()
