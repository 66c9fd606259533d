#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The guides' pictures, and the README's walk from the lobby to a game's end, made from the real
client in real games: SK_BIN=build/release/bin deploy/doc/pictures.py. Wants tmux and python3-pyte.
Each picture is an SVG of a terminal."""
import contextlib
import html
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "e2e"))
os.environ["SK_BIN"] = os.path.abspath(os.environ.get("SK_BIN", "build/release/bin"))

import pyte  # noqa: E402
from lib_tmux import Failure, Screen, Server, program  # noqa: E402
from lib_bot import seat_pair  # noqa: E402
from tui_play import MINE, OVER, my_phase, turn  # noqa: E402

SIZE = (100, 30)
CELL_X, CELL_Y, MARGIN = 8.4, 18, 10
PAPER, INK = "#101418", "#d8dee4"
COLOURS = {"default": INK, "black": "#45505a", "red": "#ff7b72", "green": "#7ee787", "brown": "#e3b341",
           "yellow": "#e3b341", "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea",
           "white": "#f0f6fc"}


def colour(name, otherwise):
    if name == "default":
        return otherwise
    name = name.replace("bright", "")
    return COLOURS.get(name, "#" + name if re.fullmatch("[0-9a-f]{6}", name) else otherwise)


def look(cell):
    """How a cell is painted: paper, ink, weight."""
    fg, bg = colour(cell.fg, INK), colour(cell.bg, PAPER)
    return (fg, bg, cell.bold) if cell.reverse else (bg, fg, cell.bold)


def draw_row(row, top, out):
    """Cells that look alike, in one go."""
    x = 0
    while x < SIZE[0]:
        first, style = x, look(row[x])
        while x < SIZE[0] and look(row[x]) == style:
            x += 1
        paper, ink, bold = style
        left, width = MARGIN + first * CELL_X, (x - first) * CELL_X
        if paper != PAPER:
            out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
                left, top, width, CELL_Y, paper))
        text = "".join(row[i].data for i in range(first, x))
        if text.strip():
            out.append('<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>' % (
                left, top + 14, width, ink, ' font-weight="bold"' if bold else "",
                html.escape(text)))


def svg(raw, alt):
    """The screen that those escape sequences draw."""
    screen = pyte.Screen(*SIZE)
    pyte.Stream(screen).feed(raw.rstrip("\n").replace("\n", "\r\n"))
    width, height = SIZE[0] * CELL_X + 2 * MARGIN, SIZE[1] * CELL_Y + 2 * MARGIN
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img">' % (
        width, height), "<title>%s</title>" % html.escape(alt),
           '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % PAPER,
           '<g font-family="DejaVu Sans Mono, monospace" font-size="14" xml:space="preserve">']
    for y in range(SIZE[1]):
        draw_row(screen.buffer[y], MARGIN + y * CELL_Y, out)
    return "\n".join(out + ["</g>", "</svg>", ""])


def keep(screen, name, alt):
    path = os.path.join(HERE, name + ".svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg(screen.raw(), alt))
    print(path)


def settle(home):
    os.makedirs(os.path.join(home, "config", "skirmish"))
    with open(os.path.join(home, "config", "skirmish", "config"), "w", encoding="utf-8") as file:
        file.write("pace = 0\n")


def guide():
    with tempfile.TemporaryDirectory() as home:
        settle(home)
        words = [program("skirmish"), "solo", "first-blood", "--side", "red", "--level", "recruit"]
        with Screen(words, size=SIZE, home=home, TMPDIR=home) as screen:
            screen.wait(r"phase \(you\)", gone="on its way")
            keep(screen, "picture-board", "The board at the start of a turn")
            screen.keys("Tab")
            screen.wait(r"chosen", r"may go to \d+ squares")
            keep(screen, "picture-move", "A figure chosen: the squares that it may go to")
            screen.keys("?")
            screen.wait("What can be done now")
            keep(screen, "picture-keys", "The keys")


# ---- the walk

@contextlib.contextmanager
def opponent(url, home):
    """Moktar, who waits at an open match."""
    bot = subprocess.Popen(
        [program("skirmish"), "bot", url, "--name", "Moktar", "--create", "first-blood", "--side",
         "blue", "--level", "sergeant"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": os.path.join(home, "bot")})
    try:
        yield
    finally:
        bot.kill()
        bot.wait()


def end_phase(screen):
    now = turn(screen)
    screen.keys("e")
    screen.wait(r"End the phase\?|turn (?!%s of)|%s" % (now, OVER))
    screen.keys("y")
    screen.until(lambda: re.search(OVER, screen.text()) or turn(screen) != now or
                 not re.search(MINE, screen.text()), "the phase's end")


def choose_a_shot(screen):
    """Choose a figure that has a target; False: none has."""
    first = None
    while True:
        screen.keys("Tab")
        chosen = re.search(r"(R R\d)\*? .*chosen", screen.wait("chosen", "may go to"))
        if chosen.group(1) == first:
            return False
        first = first or chosen.group(1)
        if re.search(r"sees n\d", screen.text()):
            return True


def advance(screen):
    """Three figures go towards the enemy, as far as they may."""
    for _ in range(3):
        screen.keys("Tab")
        screen.wait("chosen")
        screen.keys("Up", "Up", "Enter")
        my_phase(screen)
        screen.keys("Escape")


def first_shot(screen):
    while not choose_a_shot(screen):
        advance(screen)
        end_phase(screen)
        if not my_phase(screen):
            raise Failure("over before a shot; once more, please")
    keep(screen, "walk-odds", "A figure chosen: where it may go, whom it sees, and the exact odds")
    screen.keys("f", "f")
    screen.wait(r"fires", gone="on its way")
    keep(screen, "walk-report", "What happened, in words, with every die")


def to_the_end(screen):
    for _ in range(25):
        if not my_phase(screen):
            return
        if choose_a_shot(screen):
            screen.keys("f", "f")
            my_phase(screen)
        end_phase(screen)
    screen.keys("R", "y")


def walk():
    with tempfile.TemporaryDirectory() as home, Server() as server:
        settle(home)
        url = "skirmish://%s:%d" % server.address
        pair = seat_pair(server, "tin-lizzy-down", 3, names=("Kim", "Lee"))
        with opponent(url, home), Screen([program("skirmish"), "play", url, "--name", "Anna"],
                                         size=SIZE, home=home) as screen:
            screen.wait("Moktar, no clock", "Kim and Lee")
            keep(screen, "walk-lobby", "The lobby: your games, challenges, open matches, who is here")
            screen.keys("a")
            screen.wait(MINE + "|Blue's phase")
            my_phase(screen)
            first_shot(screen)
            end_phase(screen)
            if my_phase(screen):
                screen.keys("r", "[", "]", "]", "]")
                screen.wait("Looking back")
                keep(screen, "walk-back", "What the opponent did, step by step, once more")
                screen.keys("Escape")
            to_the_end(screen)
            screen.wait(OVER)
            keep(screen, "walk-end", "The end, and what checked it")
        for bot in pair[1:]:
            bot.close()


def main():
    guide()
    walk()


if __name__ == "__main__":
    main()
