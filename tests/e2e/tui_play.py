#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 400
"""Whole games in full screen against the bot on a private server: by keys, and by mouse."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Failure, Screen, program  # noqa: E402

MINE = r"phase \(you\)"
OVER = r"The game is over"
TURNS_MAX = 25
BOARD_X, BOARD_Y = 6, 2  # of square a10 of first-blood in small squares


def quiet(home):
    """A home whose settings show the other side's steps at once."""
    os.makedirs(os.path.join(home, "config", "skirmish"))
    with open(os.path.join(home, "config", "skirmish", "config"), "w", encoding="utf-8") as file:
        file.write("pace = 0\ntitle = on\n")


def cell(square):
    """Where the square is drawn."""
    return (BOARD_X + 2 * (ord(square[0]) - ord("a")), BOARD_Y + 10 - int(square[1:]))


def solo(home, *words):
    return Screen([program("skirmish"), "solo", "first-blood", "--side", "red", "--level",
                   "recruit", *words], home=home, TMPDIR=home)


def my_phase(screen):
    """Wait for our phase (True) or the end of the game (False)."""
    return re.search(OVER, screen.wait("%s|%s" % (MINE, OVER), gone="on its way")) is None


def turn(screen):
    return re.search(r"turn (\d+) of", screen.text()).group(1)


def by_keys(screen):
    if not my_phase(screen):
        raise Failure("over before it began")
    screen.keys("Tab")
    screen.wait(r"R R1 +b2 .*chosen", r"may go to \d+ squares", "◦")
    screen.keys("Up", "Up")
    screen.wait(r"To\s+b4:\s+2\s+steps")
    screen.keys("Enter")
    screen.wait(r"R R1 +b4 .*acted")
    screen.keys("u")
    screen.wait(r"R R1 +b2 .*ready")
    screen.keys(":")
    screen.type("m r1 b9 n")
    screen.keys("Enter")
    screen.wait(r"R12|R13")  # why not
    screen.keys(":")
    screen.type("m r1 b3 n")
    screen.keys("Enter")
    screen.wait(r"R R1 +b3 .*acted")
    screen.keys("t")
    screen.type("good luck")
    screen.keys("Enter")
    screen.wait(r"You: good luck")
    screen.keys("?")
    screen.wait("What can be done now", "end the phase")
    screen.keys("Escape")
    screen.wait(gone="What can be done now")
    for _ in range(TURNS_MAX):
        if not my_phase(screen):
            return
        now = turn(screen)
        screen.keys("Tab", "f", "f")  # whoever is first, if there is a target
        my_phase(screen)
        screen.keys("e")
        screen.until(lambda now=now: re.search(r"End the phase\?|turn (?!%s of)|%s" % (now, OVER),
                                               screen.text()), "the question")
        screen.keys("y")
        screen.until(lambda now=now: re.search(OVER, screen.text()) or turn(screen) != now or
                     not re.search(MINE, screen.text()), "the phase's end")
    raise Failure("no end after %d phases" % TURNS_MAX)


def by_mouse(screen):
    if not my_phase(screen):
        raise Failure("over before it began")
    screen.click(*cell("f2"))
    screen.wait(r"R R3\* +f2 .*chosen")
    screen.click(*cell("f4"))
    screen.wait(r"To\s+f4:\s+2\s+steps")
    screen.click(*cell("f4"))
    screen.wait(r"R R3\* +f4 .*acted")
    screen.click_on("R R1")  # in the list
    screen.wait(r"R R1 +b2 .*chosen")
    screen.click_on("u undo")
    screen.wait(r"R R3\* +f2 .*ready")
    for _ in range(TURNS_MAX):
        if not my_phase(screen):
            return
        now = turn(screen)
        screen.click_on("  e end", dx=3)
        screen.wait(r"End the phase\?")
        screen.click_on("y yes")
        screen.until(lambda now=now: re.search(OVER, screen.text()) or turn(screen) != now or
                     not re.search(MINE, screen.text()), "the phase's end")
    raise Failure("no end after %d phases" % TURNS_MAX)


def leave_by_key(screen):
    screen.keys("q")


def leave_by_mouse(screen):
    screen.click_on("q leave")


def kept():
    """A game that is left and taken up again, with its server stopped between."""
    with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
        quiet(home)
        with solo(home, "--keep", os.path.join(home, "game")) as screen:
            my_phase(screen)
            screen.keys(":")
            screen.type("m r1 b3 e")
            screen.keys("Enter")
            screen.wait(r"R R1 +b3 +▶ acted")
            screen.keys("q")
            screen.exit_code()
        with solo(home, "--keep", os.path.join(home, "game")) as screen:
            screen.wait(MINE, r"R R1 +b3 +▶ acted", "dice checked")
            now = turn(screen)
            screen.keys("e")
            screen.wait("End the phase")
            screen.keys("y")
            screen.until(lambda: re.search(MINE, screen.text()) and turn(screen) != now,
                         "our next phase")  # the bot is back too
            screen.keys("R", "y")
            screen.wait(OVER)
            screen.keys("q")
            screen.exit_code()
        if os.path.exists(os.path.join(home, "game", "match")):
            raise Failure("a game that is over is kept")
    print("kept: left and taken up again")


def plain_terminal():
    """Eight colours and no alphabet but ASCII: a whole game, and nothing else on the screen."""
    with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
        quiet(home)
        with Screen([program("skirmish"), "solo", "first-blood", "--side", "red", "--level",
                     "recruit"], home=home, term="xterm", TMPDIR=home, LC_ALL="C") as screen:
            my_phase(screen)
            for _ in range(TURNS_MAX):
                if not my_phase(screen):
                    break
                now = turn(screen)
                screen.keys("Tab")
                if "chosen" in screen.wait("chosen|Nobody of yours can act"):
                    screen.wait(r"may go to|no shot|sees")
                    screen.keys("Up", "Enter", "Escape")
                my_phase(screen)
                screen.keys("e")
                screen.wait(r"End the phase\?|turn (?!%s of)|%s" % (now, OVER))
                screen.keys("y")
                screen.until(lambda now=now: re.search(OVER, screen.text()) or turn(screen) != now
                             or not re.search(MINE, screen.text()), "the phase's end")
                if not screen.text().isascii():
                    raise Failure("more than ASCII:\n%s" % screen.text())
            text = screen.wait(OVER, "dice checked")
            if not text.isascii() or "38;5" in screen.raw():
                raise Failure("more than ASCII in eight colours:\n%s" % text)
            screen.keys("q")
            if screen.exit_code() != 0:
                raise Failure("not a clean end")
    print("plain_terminal: a whole game in ASCII and eight colours")


def main():
    kept()
    plain_terminal()
    for play, leave in ((by_keys, leave_by_key), (by_mouse, leave_by_mouse)):
        with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home:
            quiet(home)
            with solo(home) as screen:
                play(screen)
                screen.wait(OVER, r"over .*dice checked")
                leave(screen)
                code = screen.exit_code()
                if code != 0:
                    raise Failure("exit status %d" % code)
            left = [name for name in os.listdir(home) if name.startswith("skirmish-solo")]
            if left:
                raise Failure("left behind: %s" % left)
        print("%s: a whole game" % play.__name__)


if __name__ == "__main__":
    main()
