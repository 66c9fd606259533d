#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""Three people in full screen at one server: first start, lobby, challenge, play, look on, talk."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Failure, Screen, Server, program  # noqa: E402
from tui_play import MINE, quiet  # noqa: E402


def first_start(screen, url, name):
    screen.wait("where do you play", "Server")
    screen.keys("C-u")
    screen.type(url)
    screen.keys("Tab")
    screen.type(name)
    screen.keys("Tab")
    screen.wait(r"\[guest\]", "needs no password")
    screen.keys("Tab", "Enter")
    screen.wait("YOUR GAMES", r"%s \(you\)" % name)


def account(top, url):
    """An account made at the first start; from another machine, the wrong and the right password."""
    with Screen([program("skirmish")], home=os.path.join(top, "Zed")) as screen:
        fill_in(screen, url, "Zed", 2, "correct horse")
        screen.wait("YOUR GAMES", r"Zed \(you\)")
        screen.keys("q")
        if screen.exit_code() != 0:
            raise Failure("not a clean end")
    with Screen([program("skirmish")], home=os.path.join(top, "Zed")) as screen:
        screen.wait("YOUR GAMES", r"Zed \(you\)")  # by the token that was kept
    with Screen([program("skirmish")], home=os.path.join(top, "Zed2")) as screen:
        fill_in(screen, url, "Zed", 1, "battery staple")
        screen.wait("did not let you in")
        fill_in(screen, url, "Zed", 1, "correct horse")
        screen.wait("YOUR GAMES", r"Zed \(you\)")


def fill_in(screen, url, name, kind, password):
    screen.wait("where do you play", "Server")
    screen.keys("C-u")
    screen.type(url)
    screen.keys("Tab", "C-u")
    screen.type(name)
    screen.keys("Tab", *["Right"] * kind)
    screen.wait(r"\[(log in|new account)\]", "Password")
    screen.keys("Tab")
    screen.type(password)
    if password in screen.text():
        raise Failure("the password can be read")
    screen.keys(*["Tab"] * (2 if kind == 2 else 1), "Enter")  # a new account has an invite row


def settings_are_kept(home, url):
    path = os.path.join(home, "config", "skirmish", "config")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "server = %s\n" % url not in text or "name = Ann\n" not in text:
        raise Failure("the settings are %r" % text)
    if os.stat(path).st_mode & 0o077:
        raise Failure("others may read the settings")


def challenge(ann, bob):
    """Ann opens First Blood for Bob, who accepts."""
    ann.keys("c")
    ann.wait("Scenarios", "Cowboys and Indians")
    ann.keys("Down", "Down")
    ann.wait("Red: 6 regulars", r"R▲· R▲")
    ann.keys("Enter")
    ann.wait("Your side", r"\[red\]", "open the match")
    ann.keys("Up")  # from the button to the last question
    ann.type("Bob")
    ann.keys("Enter", "Enter")
    ann.wait("waiting for an opponent")
    bob.wait("CHALLENGES", "Ann wants to play, no clock")
    bob.keys("a")
    ann.wait(r"Red you", "Blue Bob", "Turn 1. Initiative")
    bob.wait("Red Ann", "Blue you", "Turn 1. Initiative")


def club(ann):
    """Who is here, profiles, score against each other, ladder, a challenge from there."""
    ann.keys("i")
    ann.wait("Who is here", r"Ann +\(you\)", "Bob", "Eve")
    row = [line for line in ann.text().split("\n") if re.match(r"│ ?(Ann|Bob|Eve) ", line)]
    ann.keys("Home", *["Down"] * [line[1:].split()[0] for line in row].index("Bob"), "Enter")
    ann.wait("A player", r"Bob, guest since \d{4}-\d\d-\d\d, here\. Unrated\. 1 game in all: 0 won",
             r"First Blood: blue against Ann, drawn \(draw\)")
    ann.keys("v")
    ann.wait(r"Bob against Ann: 0 won, 0 lost, 1 drawn\.")
    ann.keys("Enter")
    ann.wait("The game is over", "draw")
    ann.keys("q")
    ann.wait("YOUR GAMES")
    ann.keys("h")
    ann.wait(r"Ann, guest since", r"red against Bob, drawn")
    ann.keys("q")
    ann.wait("YOUR GAMES")
    ann.keys("l")
    ann.wait("The ladder", "Nobody is rated yet")
    ann.keys("q")
    ann.wait("YOUR GAMES")
    ann.keys("i")
    ann.wait("Who is here")
    ann.keys("Home", *["Down"] * [line[1:].split()[0] for line in row].index("Bob"), "c")
    ann.wait("Scenarios")
    ann.keys("Enter")
    ann.wait("Against +Bob", "open the match")
    ann.keys("Escape")
    ann.wait("Scenarios")
    ann.keys("q")
    ann.wait("YOUR GAMES")


def main():
    with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as top, Server() as server:
        url = "%s:%d" % server.address
        homes = {}
        for name in ("Ann", "Bob", "Eve"):
            homes[name] = os.path.join(top, name)
            os.mkdir(homes[name])
        for name in ("Bob", "Eve"):
            quiet(homes[name])
        play = [program("skirmish"), "play", url, "--name"]
        with Screen([program("skirmish")], home=homes["Ann"]) as ann, \
                Screen(play + ["Bob"], home=homes["Bob"]) as bob, \
                Screen(play + ["Eve"], home=homes["Eve"], size=(100, 30)) as eve:
            first_start(ann, url, "Ann")
            settings_are_kept(homes["Ann"], url)
            bob.wait(r"Bob \(you\)")
            ann.wait("HERE \\(3\\)", "Bob", "Eve")
            challenge(ann, bob)
            eve.wait("LOOK ON", "Ann and Bob")
            eve.keys("w")
            eve.wait("Red Ann", "Blue Bob", r"Turn 1 of 20\. .*phase", "no dice checked yet")
            ann.wait("1 look on")

            first, second = (ann, bob) if "phase (you)" in ann.text() else (bob, ann)
            first.wait(MINE)
            first.keys("Tab", "Down" if first is bob else "Up", "Enter")
            second.wait(r"(N1|n1|R1) moves")
            eve.wait(r"(N1|n1|R1) moves")
            eve.keys("[")
            eve.wait("Looking back", "dice checked ✓")  # what was before has come
            eve.keys("Escape")
            eve.wait(gone="Looking back")

            second.keys("t")
            second.type("well moved")
            second.keys("Enter")
            first.wait("(Ann|Bob): well moved")
            first.keys("D", "y")
            second.wait("y accept")
            second.keys("y")
            for screen in (ann, bob, eve):
                screen.wait("The game is over", "draw")
            for screen in (ann, bob):
                screen.keys("q")
                screen.wait("YOUR GAMES")
            ann.keys("H")
            ann.wait("Games that are over", "Ann and Bob")
            ann.keys("q")
            ann.wait("YOUR GAMES")
            club(ann)
            ann.keys("q")
            if ann.exit_code() != 0:
                raise Failure("not a clean end")
        for name in ("Zed", "Zed2"):
            os.mkdir(os.path.join(top, name))
        account(top, url)
    print("first start, account, challenge, onlooker, talk, draw")


if __name__ == "__main__":
    main()
