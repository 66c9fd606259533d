#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The programs that the bot author's guide prints are programs: taken out of its text as they stand,
each plays whole games against the real server, and the games' records are sound."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import PATIENCE_S, Failure, Server, equal, need, program  # noqa: E402

GUIDE = os.path.join(os.environ.get("SK_SRC", ""), "deploy/doc/bot-guide.md")
GAME_S = 10 * PATIENCE_S  # several hundred orders, each on disk before it is answered


def block(language, text):
    """The one block of code in that language."""
    found = re.findall(r"^```%s\n(.*?)^```$" % language, text, re.M | re.S)
    equal(len(found), 1, "blocks of %s in the guide" % language)
    return found[0]


def lay_out(top):
    """Both programs, as commands to which HOST PORT NAME [MATCH] is added; and their lengths."""
    with open(GUIDE, encoding="utf-8") as f:
        text = f.read()
    source = {"python": block("python", text), "c": block("c", text)}
    need(source["python"].count("\n") <= 40, "the Python player has grown: that is the point of it")
    need(source["c"].count("\n") <= 190, "the C player has grown beyond 190 lines")
    for name, kind in (("twenty.py", "python"), ("player.c", "c")):
        with open(os.path.join(top, name), "w", encoding="utf-8") as f:
            f.write(source[kind])
    line = re.search(r"`cc (.*)`", text)
    need(line, "how the C player is compiled")
    done = subprocess.run([shutil.which("cc") or "gcc", "-Wall", "-Wextra", "-Werror",
                           *line.group(1).split()], cwd=top, capture_output=True, text=True,
                          check=False)
    equal((done.returncode, done.stderr), (0, ""), "cc %s" % line.group(1))
    return ([sys.executable, os.path.join(top, "twenty.py")], [os.path.join(top, "player")])


def game(server, first, second, names):
    """`first` opens a match and `second` joins it, to the end; the match's id."""
    host, port = server.address
    both = []
    try:
        both.append(subprocess.Popen([*first, host, str(port), names[0]], stdout=subprocess.PIPE,
                                     text=True))
        match = re.match(r"[0-9a-f]{32}", both[0].stdout.readline())
        need(match, "the first player says its match")
        both.append(subprocess.Popen([*second, host, str(port), names[1], match.group()],
                                     stdout=subprocess.PIPE, text=True))
        for player in both:
            out, _ = player.communicate(timeout=GAME_S)
            equal(player.returncode, 0, "a player's status")
            need(out.splitlines()[-1].startswith("over"), out)
    except subprocess.TimeoutExpired:
        raise Failure("no end within %d s" % GAME_S) from None
    finally:
        for player in both:
            player.kill()
            player.wait()
            player.stdout.close()
    return match.group()


def sound(server, match, top):
    """The record of it, by the client's own check."""
    url = "skirmish://%s:%d/match/%s" % (*server.address, match)
    path = os.path.join(top, "record")
    env = {**os.environ, "XDG_STATE_HOME": os.path.join(top, "state")}
    with open(path, "wb") as f:
        subprocess.run([program("skirmish"), "record", url], stdout=f, env=env, check=True,
                       timeout=GAME_S)
    done = subprocess.run([program("skirmish"), "verify", path], capture_output=True, text=True,
                          check=False, timeout=GAME_S)
    equal(done.returncode, 0, done.stdout + done.stderr)
    return done.stdout.strip()


if __name__ == "__main__":
    program("skirmishd")
    program("skirmish")
    with tempfile.TemporaryDirectory() as directory, Server() as a_server:
        python, c = lay_out(directory)
        for one, other, names in ((python, c, ("Python", "against-C")),
                                  (c, python, ("C-player", "against-Python"))):
            verdict = sound(a_server, game(a_server, one, other, names), directory)
            print("ok %s %s: %s" % (*names, verdict.splitlines()[-1]), flush=True)
