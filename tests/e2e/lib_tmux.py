# SPDX-License-Identifier: ISC
"""lib_tmux.py -- a program in a terminal of its own, seen and handled as by a person.

    with Screen(["skirmish", "hotseat"]) as screen:
        screen.wait("Turn 1")
        screen.keys("Tab", "e", "y")

Nothing here sleeps for a fixed time and hopes: every wait is for something on the screen, with a
deadline that fails the test with the screen as it is.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "integration"))

from lib_wire import Failure, Server, program  # noqa: E402,F401

PATIENCE_S = float(os.environ.get("SK_PATIENCE", "90"))
POLL_S = 0.05

CONF = """
set -g default-terminal "%s"
set -g status off
set -g mouse off
set -s escape-time 0
"""

# The shell stays, so that what the program leaves behind can be seen.
SCRIPT = """trap : INT
env %s %s
echo "ended with $?"
while :; do read -r _; done
"""


def need_tmux():
    if shutil.which("tmux") is None:
        print("tmux is missing, skipped")
        sys.exit(77)


class Screen:
    """A tmux server with one pane, in which the program runs."""

    def __init__(self, argv, size=(80, 24), term="tmux-256color", home=None, **env):
        need_tmux()
        self.argv = argv
        self.size, self.term, self.env = size, term, env
        self.own_home = home is None
        self.home = home or tempfile.mkdtemp(prefix="skirmish-tui-")
        self.work = tempfile.mkdtemp(prefix="skirmish-tmux-")

    def tmux(self, *words, check=True):
        done = subprocess.run(
            ["tmux", "-u", "-S", os.path.join(self.work, "socket"), "-f",
             os.path.join(self.work, "conf"), *words], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False, timeout=120,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        if check and done.returncode != 0:
            raise Failure("tmux %s: %s" % (words, done.stdout))
        return done.stdout

    def __enter__(self):
        env = {"HOME": self.home, "XDG_STATE_HOME": os.path.join(self.home, "state"),
               "XDG_CONFIG_HOME": os.path.join(self.home, "config"), "LC_ALL": "C.UTF-8",
               "TERM": self.term, **self.env}
        with open(os.path.join(self.work, "conf"), "w", encoding="utf-8") as conf:
            conf.write(CONF % (self.term if self.term != "dumb" else "screen"))
        with open(os.path.join(self.work, "run"), "w", encoding="utf-8") as script:
            script.write(SCRIPT % (
                " ".join("%s='%s'" % item for item in env.items()),
                " ".join("'%s'" % word for word in self.argv)))
        self.tmux("new-session", "-d", "-x", str(self.size[0]), "-y", str(self.size[1]),
                  "exec sh '%s'" % os.path.join(self.work, "run"))
        return self

    def __exit__(self, kind, _value, _trace):
        if kind is not None:
            print("--- the screen\n%s" % self.text())
        self.tmux("kill-server", check=False)
        shutil.rmtree(self.work, ignore_errors=True)
        if self.own_home:
            shutil.rmtree(self.home, ignore_errors=True)

    # ---- seeing

    def text(self):
        return self.tmux("capture-pane", "-p", check=False)

    def raw(self):
        """With the escape sequences of colours and attributes."""
        return self.tmux("capture-pane", "-p", "-e", check=False)

    def ask(self, what):
        return self.tmux("display-message", "-p", "#{%s}" % what).strip()

    def wait(self, *patterns, gone=None, patience=PATIENCE_S):
        """Until all patterns (and not `gone`) are on the screen; the screen."""
        deadline = time.monotonic() + patience
        while True:
            text = self.text()
            if all(re.search(p, text, re.M) for p in patterns) and (
                    gone is None or not re.search(gone, text, re.M)):
                return text
            if time.monotonic() > deadline:
                raise Failure("waited for %s%s, the screen is:\n%s" % (
                    patterns, " and not %s" % gone if gone else "", text))
            time.sleep(POLL_S)

    def until(self, true, what, patience=PATIENCE_S):
        deadline = time.monotonic() + patience
        while not true():
            if time.monotonic() > deadline:
                raise Failure("waited for %s, the screen is:\n%s" % (what, self.text()))
            time.sleep(POLL_S)

    def exit_code(self):
        """Wait for the program's end; its exit status as a shell tells it."""
        text = self.wait(r"ended with \d+$")
        return int(re.search(r"ended with (\d+)$", text, re.M).group(1))

    def pid(self):
        """Of the program (env has become it)."""
        with open("/proc/%s/task/%s/children" % ((self.ask("pane_pid"),) * 2),
                  encoding="utf-8") as file:
            return int(file.read().split()[0])

    def find(self, text):
        """Column and row (from 0) where the text stands on the screen."""
        for y, line in enumerate(self.text().split("\n")):
            x = line.find(text)
            if x >= 0:
                return x, y
        raise Failure("%r isn't on the screen:\n%s" % (text, self.text()))

    # ---- handling

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def click(self, x, y):
        """A press of the left button there, as the terminal would send it."""
        self.tmux("send-keys", "-H", "1b", "5b", "4d", "20", "%x" % (x + 33), "%x" % (y + 33))
        self.tmux("send-keys", "-H", "1b", "5b", "4d", "23", "%x" % (x + 33), "%x" % (y + 33))

    def click_on(self, text, dx=0):
        x, y = self.find(text)
        self.click(x + dx, y)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))
