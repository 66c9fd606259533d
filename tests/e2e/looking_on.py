#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""Who looks on with a delay is told so in words, and who finds no room too: by lines and in full
screen. Both fronts open such matches."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Screen, Server, need_tmux, program  # noqa: E402
from lib_bot import seat_pair  # noqa: E402
from lib_ctl import ctl  # noqa: E402
from lib_wire import equal, need  # noqa: E402
from tui_play import quiet  # noqa: E402


def environment(home):
    return {**os.environ, "HOME": home, "XDG_STATE_HOME": os.path.join(home, "state"),
            "XDG_CONFIG_HOME": os.path.join(home, "config"), "LC_ALL": "C"}


class Club:
    """A server, and homes for those who come to it."""

    def __init__(self, top, server):
        self.top, self.server = top, server
        self.url = "skirmish://%s:%d" % server.address
        self.conn = server.connect()
        self.conn.guest("Wire")

    def home(self, name):
        home = os.path.join(self.top, name)
        if not os.path.isdir(home):
            quiet(home)
        return home

    def run(self, name, command, *words, lines=()):
        """A program by lines, to its end: its exit code and all that it said."""
        done = subprocess.run(
            [program("skirmish"), command, self.url, "--name", name, *words], text=True, timeout=100,
            input="".join(line + "\n" for line in lines), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
            env=environment(self.home(name)))
        return done.returncode, done.stdout

    def made_by(self, name):
        """What the lobby says of that player's open match."""
        found = [m for m in self.conn.call("lobby.list", state="open", limit=50)["matches"]
                 if m["maker"] == name]
        need(len(found) == 1, "one match of %s: %s" % (name, found))
        return found[0]


def has(text, *words):
    for word in words:
        need(word in text, "%r isn't in: %s" % (word, text))


def opened_by_lines(club):
    """Options of the command line, and words of the lobby."""
    code, text = club.run("Amy", "play", "--create", "first-blood", "--side", "red", "--delay", "2",
                          "--max-spectators", "1")
    equal(code, 0, text)
    has(text, "Who looks on sees it delayed by 2 phases.")
    made = club.made_by("Amy")
    equal((made.get("delay"), made.get("max_spectators")), (2, 1), "as Amy wished")
    code, text = club.run("Dan", "play", lines=[
        "create first-blood red delay 101", "create first-blood red spectators none",
        "create first-blood red 3d delay 1 spectators 40"])
    equal(code, 0, text)
    has(text, "Behind delay stands a number of phases, 0 to 100.",
        "Behind spectators stands a number, 1 to 1000000.", "sees it delayed by 1 phase.")
    made = club.made_by("Dan")
    equal((made.get("delay"), made.get("max_spectators"), made["clock"]["kind"]),
          (1, 40, "correspondence"), "as Dan wished")
    code, text = club.run("Eve", "play", lines=["list", "quit"])
    has(text, "delayed by 2 phases for who looks on, at most 1 look on",
        "delayed by 1 phase for who looks on, at most 40 look on")
    for words in (["--delay", "101", "--create", "first-blood"], ["--delay", "2"],
                  ["--max-spectators", "0", "--create", "first-blood"], ["--max-spectators", "3"]):
        equal(club.run("Eve", "play", *words)[0], 64, words)


def opened_in_full_screen(club):
    with Screen([program("skirmish"), "play", club.url, "--name", "Kim"],
                home=club.home("Kim")) as screen:
        screen.wait("YOUR GAMES", r"Kim \(you\)")
        screen.keys("c")
        screen.wait("Scenarios")
        screen.keys("Down", "Down", "Enter")
        screen.wait("Delay", "Spectators", "open the match")
        screen.keys("Up", "Up")  # from the button to the last question but one
        screen.wait("How many may look on at a time")
        screen.type("0")
        screen.keys("Up")
        screen.wait("How many phases those who look on are behind")
        screen.keys("Right", "Right", "Right")
        screen.wait(r"Delay.*\[3\]")
        screen.keys("Down", "Down", "Down", "Enter")
        screen.wait("is a number, 1 to 1000000, or empty")
        screen.keys("Up", "Up")
        screen.keys("C-u")
        screen.type("7")
        screen.keys("Down", "Down", "Enter")
        screen.wait("waiting for an opponent")
    made = club.made_by("Kim")
    equal((made.get("delay"), made.get("max_spectators")), (3, 7), "as Kim wished")
    with Screen([program("skirmish"), "play", club.url, "--name", "Eve"], size=(100, 30),
                home=club.home("Eve")) as screen:
        screen.wait("Kim.*seen 3 phases late", "Dan.*seen 1 phase late")


def watched(club):
    """A match in play, with a delay and room for two."""
    no, ann, _ = seat_pair(club.server, "first-blood", 7, fair="server", delay=2,
                             max_spectators=2)
    number = str(next(m["no"] for m in club.conn.call("lobby.list", state="live", limit=50)[
        "matches"] if m["match"] == no))
    watch = [program("skirmish"), "watch", club.url, "--join", number, "--name"]
    with Screen(watch + ["Eve", "--plain"], home=club.home("Eve")) as lines:
        lines.wait("You look on, delayed by 2 phases")
        lines.type("who\n")
        lines.wait("1 looks on, delayed by 2 phases")
        with Screen(watch + ["Kim"], home=club.home("Kim")) as screen:
            screen.wait("Turn 1|turn 1|setting up|phase", "You look on, delayed by 2 phases")
            refused(club, number)
            umpire(club, watch)
            ann.call("match.resign", match=no)
            screen.wait("over", gone="delayed by")


def umpire(club, watch):
    """Isn't held back, and isn't told so."""
    home = club.home("Uma")
    subprocess.run([program("skirmish"), "account", "register", club.url, "--name", "Uma",
                    "--password-stdin"], input="correct horse\n", text=True, timeout=60, check=True,
                   stdout=subprocess.DEVNULL, env=environment(home))
    ctl(club.server, "role", "Uma", "umpire")
    with Screen(watch + ["Uma", "--plain"], home=home) as lines:
        need("delayed" not in lines.wait(r"You look on\."), "an umpire who is held back")


def refused(club, number):
    """There is no room: the program ends with 75, the lobby says it."""
    code, text = club.run("Dan", "watch", "--join", number)
    equal(code, 75, text)
    has(text, "no room to look on now, try later")
    with Screen([program("skirmish"), "play", club.url, "--name", "Dan"], size=(110, 30),
                home=club.home("Dan")) as screen:
        screen.wait("LOOK ON", "2 of 2 look on, delayed by 2 phases")
        row = next(i for i, line in enumerate(screen.text().split("\n")) if "2 of 2 look" in line)
        screen.click(30, row)
        screen.keys("w")
        screen.wait("no room to look on now, try later", "YOUR GAMES")


def main():
    need_tmux()
    with tempfile.TemporaryDirectory(prefix="skirmish-look-") as top, Server() as server:
        club = Club(top, server)
        opened_by_lines(club)
        opened_in_full_screen(club)
        watched(club)
    print("told of the delay, and of the lack of room")


if __name__ == "__main__":
    main()
