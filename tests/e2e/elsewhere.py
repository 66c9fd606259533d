#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""A roll doesn't wait for somebody who is in the lobby, or at another match: the client gives its
share all the same. With strict dice a roll can't be made without it."""
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "integration"))
from lib_bot import Bot  # noqa: E402
from lib_wire import PATIENCE_S, Failure, equal, program, pump_all, run  # noqa: E402


class Client:
    """`skirmish play` by lines, as Bob."""

    def __init__(self, server, home, *words):
        self.text = ""
        self.process = subprocess.Popen(
            [program("skirmish"), "play", "skirmish://%s:%d" % server.address, "--plain",
             "--name", "Bob", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env={**os.environ, "XDG_STATE_HOME": home})
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.text += line

    def has(self, pattern, since=0):
        return re.search(pattern, self.text[since:]) is not None

    def say(self, line):
        at = len(self.text)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return at

    def __enter__(self):
        return self

    def __exit__(self, kind, _value, _trace):
        if kind is not None:
            print("--- the client said\n%s" % self.text)
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


def pump_until(ann, truth, what):
    """Ann reads, and answers requests, until that is true: of her, or of what Bob's client says."""
    deadline = time.monotonic() + PATIENCE_S
    while not truth():
        if time.monotonic() > deadline:
            raise Failure("no end while waiting for %s" % what)
        pump_all([ann.conn], 0.05)


def quit_cleanly(client):
    client.say("quit")
    equal(client.process.wait(60), 0, "exit status")


def reach_the_last_phase(ann, view, bob):
    """Until Ann's phase is a turn's last, so that its end needs dice."""
    seen = 0
    while not (view.my_turn() and view.game.first != view.side()):
        if view.my_turn():
            ann.order(view, {"do": "end_phase"})
        mark = seen
        pump_until(ann, lambda mark=mark: view.my_turn() or bob.has("Your phase", mark), "a phase")
        if not view.my_turn():
            seen = bob.say("end")
            pump_until(ann, lambda: view.journal.settled() and (
                view.my_turn() or view.over() or bob.has("Your phase", seen)), "Ann's phase")


def prepare(server, home):
    """A strict match of Ann and Bob, whose next roll is one order of Ann's away; Bob has left."""
    ann = Bot(server, "Ann", 5)
    match = ann.create("first-blood", side="red", clock={"kind": "none"}, fair="strict")
    view = ann.views[match]
    with Client(server, home, "--join", match) as bob:
        pump_until(ann, lambda: view.game is not None and view.journal.settled(), "the start")
        reach_the_last_phase(ann, view, bob)
        quit_cleanly(bob)
    return ann, view


def rolled(ann, view):
    """Ann ends her phase; the roll comes though nobody sits at the match for Bob."""
    rolls = view.kinds.count("roll")
    ann.order(view, {"do": "end_phase"})
    pump_until(ann, lambda: view.kinds.count("roll") > rolls and view.journal.settled(),
               "the roll")
    equal(view.kinds.count("absent"), 0, "marked absent")


def in_the_lobby(server):
    with tempfile.TemporaryDirectory(prefix="skirmish-elsewhere-") as home:
        ann, view = prepare(server, home)
        with Client(server, home) as bob:
            pump_until(ann, lambda: bob.has("You are Bob here"), "the lobby")
            rolled(ann, view)
            quit_cleanly(bob)


def comes_back_to_an_open_roll(server):
    """Bob isn't there at all when the roll is opened, and then only in the lobby."""
    with tempfile.TemporaryDirectory(prefix="skirmish-elsewhere-") as home:
        ann, view = prepare(server, home)
        rolls = view.kinds.count("roll")
        ann.order(view, {"do": "end_phase"})
        pump_until(ann, lambda: view.journal.open is not None, "the open roll")
        with Client(server, home) as bob:
            pump_until(ann, lambda: view.kinds.count("roll") > rolls and view.journal.settled(),
                       "the roll")
            quit_cleanly(bob)


def at_another_match(server):
    with tempfile.TemporaryDirectory(prefix="skirmish-elsewhere-") as home:
        ann, view = prepare(server, home)
        with Client(server, home, "--create", "first-blood", "--side", "blue") as bob:
            pump_until(ann, lambda: bob.has("Match #"), "the other match")
            rolled(ann, view)
            # and then at that one itself, which is Bob's alone again
            quit_cleanly(bob)
        with Client(server, home, "--join", view.match) as bob:
            pump_until(ann, lambda: bob.has("You play Blue"), "the match")
            if view.my_turn():
                ann.order(view, {"do": "end_phase"})
            pump_until(ann, lambda: bob.has("Your phase"), "Bob's phase")
            if bob.has("WARNING"):
                raise AssertionError("a warning")
            quit_cleanly(bob)


if __name__ == "__main__":
    program("skirmish")  # else skipped as a whole
    run([in_the_lobby, comes_back_to_an_open_roll, at_another_match])
