#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""The server dies in the middle of a game in full screen, comes back, and nothing is lost."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Failure, Screen, Server, program  # noqa: E402
from lib_wire import free_port  # noqa: E402
from tui_play import MINE, OVER, my_phase, quiet, turn  # noqa: E402

LOST = "The line is down"
TURNS_MAX = 25


class Bot:
    """The program's own bot as the opponent."""

    def __init__(self, url, match, home):
        self.process = subprocess.Popen(
            [program("skirmish"), "bot", url, "--join", match, "--name", "Moktar", "--level",
             "recruit"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": os.path.join(home, "bot")})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def end_phase(screen):
    now = turn(screen)
    screen.keys("e")
    screen.wait(r"End the phase\?|%s" % OVER)
    screen.keys("y")
    screen.until(lambda: re.search(OVER, screen.text()) or turn(screen) != now or
                 not re.search(MINE, screen.text()), "the phase's end")


def outage(screen, server):
    """Kill the server under an order; play goes on where it was."""
    screen.keys(":")
    screen.type("m r1 b3 n")
    server.kill()
    screen.keys("Enter")
    screen.wait(LOST, r"Try \d+ ")
    screen.keys("Tab")  # looking and choosing go on
    screen.wait("chosen")
    screen.keys("e")
    screen.wait("not sent|not your phase|on its way|End the phase")
    screen.keys("Escape")
    server.start()
    screen.wait(MINE, gone=LOST)
    text = screen.wait(r"R R1 +b[23] ", gone="on its way")
    if not re.search(r"R R1 +b3 .*acted", text):
        # not arrived, and so it is said; given again it is done
        screen.keys(":")
        screen.type("m r1 b3 n")
        screen.keys("Enter")
        screen.wait(r"R R1 +b3 .*(acted|chosen)")


def typed(screen, line):
    screen.keys(":")
    screen.type(line)
    screen.keys("Enter")


def kept(screen, server):
    """Orders given while the line is down: the newest is kept, and sent when it still fits."""
    server.kill()
    screen.wait(LOST)
    typed(screen, "m r4 h4 n")
    screen.wait("Kept until the line is up: m r4 h3 h4 n")
    screen.keys("Escape")
    screen.wait(gone="Kept until")
    screen.keys(":", "Up")  # the line typed before, changed
    screen.wait("> m r4 h4 n")
    screen.keys("BSpace")
    screen.type("e")
    screen.keys("Enter")
    screen.wait("Kept until the line is up: m r4 h3 h4 e")
    server.start()
    screen.wait(MINE, r"R R4 +h4 +▶ acted", "Sent, now that the line is up: m r4 h3 h4 e", gone=LOST)
    screen.keys("u")
    screen.wait(r"R R4 +h2 ")


def main():
    port = free_port()
    url = "skirmish://127.0.0.1:%d" % port
    with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
        quiet(home)
        with Server("--listen", "127.0.0.1:%d" % port) as server, Screen(
                [program("skirmish"), "play", url, "--name", "Ann", "--create", "first-blood",
                 "--side", "red"], home=home) as screen:
            screen.wait("waiting for an opponent")
            with Bot(url, "any", home):
                if not my_phase(screen):
                    raise Failure("over before it began")
                outage(screen, server)
                screen.keys("u")
                screen.wait(r"R R1 +b2 ")
                kept(screen, server)
                end_phase(screen)
                server.kill()  # in the bot's phase, most likely
                screen.wait(LOST)
                server.start()
                screen.wait(gone=LOST)
                for _ in range(TURNS_MAX):
                    if not my_phase(screen):
                        break
                    end_phase(screen)
                screen.wait(OVER, "dice checked")
                screen.keys("q")
                if screen.exit_code() != 0:
                    raise Failure("not a clean end")
    print("three outages, and the game went on to its end")


if __name__ == "__main__":
    main()
