#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The guides' pictures, made from the real client in a real game: SK_BIN=build/release/bin
deploy/doc/pictures.py. Wants tmux and python3-pyte. Each picture is an SVG of a terminal."""
import html
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "e2e"))
os.environ["SK_BIN"] = os.path.abspath(os.environ.get("SK_BIN", "build/release/bin"))

import pyte  # noqa: E402
from lib_tmux import Screen, program  # noqa: E402

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
        for x in range(SIZE[0]):
            cell = screen.buffer[y][x]
            fg, bg = colour(cell.fg, INK), colour(cell.bg, PAPER)
            if cell.reverse:
                fg, bg = bg, fg
            left, top = MARGIN + x * CELL_X, MARGIN + y * CELL_Y
            if bg != PAPER:
                out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
                    left, top, CELL_X, CELL_Y, bg))
            if cell.data.strip():
                weight = ' font-weight="bold"' if cell.bold else ""
                out.append('<text x="%.1f" y="%d" fill="%s"%s>%s</text>' % (
                    left, top + 14, fg, weight, html.escape(cell.data)))
    return "\n".join(out + ["</g>", "</svg>", ""])


def keep(screen, name, alt):
    path = os.path.join(HERE, name + ".svg")
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg(screen.raw(), alt))
    print(path)


def main():
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(os.path.join(home, "config", "skirmish"))
        with open(os.path.join(home, "config", "skirmish", "config"), "w", encoding="utf-8") as file:
            file.write("pace = 0\n")
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


if __name__ == "__main__":
    main()
