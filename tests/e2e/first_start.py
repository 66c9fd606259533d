#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""The first start with an invite code, in full screen and by lines; who was made is remembered."""
import json
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Failure, Screen, Server, need_tmux, program  # noqa: E402
import accounts_cli  # noqa: E402

SECRET = "correct horse"


def invite(server):
    """A code of the operator's."""
    done = subprocess.run([program("skirmishctl"), "--socket",
                           os.path.join(server.data, "admin.sock"), "--json", "invite", "make"],
                          capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)["result"]["code"]


def run(home, *words):
    """The program without a terminal, with that home alone to know by."""
    env = {k: v for k, v in os.environ.items() if k != "SKIRMISH_SERVER"}
    env.update(HOME=home, XDG_STATE_HOME=os.path.join(home, "state"),
               XDG_CONFIG_HOME=os.path.join(home, "config"))
    done = subprocess.run([program("skirmish"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False, env=env)
    return done.returncode, done.stdout + done.stderr


def fill_in(screen, url, name, code):
    screen.wait("where do you play", "Server")
    screen.keys("C-u")
    screen.type(url)
    screen.keys("Tab", "C-u")
    screen.type(name)
    screen.keys("Tab")
    if r"[new account]" not in screen.text():
        screen.keys("Right", "Right")
    screen.wait(r"\[new account\]", "Password", "Invite code")
    screen.keys("Tab", "C-u")
    screen.type(SECRET)
    screen.keys("Tab", "C-u")
    screen.type(code)
    screen.keys("Tab", "Enter")


def remembered(home, url, name):
    """Other commands know server and account; nobody else may read either, the password nobody."""
    code, said = run(home, "turns")
    if code != 1:
        raise Failure("turns: %d, %s" % (code, said))
    code, said = run(home, "play", "--script", "/dev/null")
    if code != 0 or "You are %s here" % name not in said:
        raise Failure("play: %d, %s" % (code, said))
    files = [os.path.join(where, file) for where, _, names in os.walk(home) for file in names]
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if SECRET in text:
            raise Failure("the password is kept in %s" % path)
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            raise Failure("others may read %s" % path)
    with open(os.path.join(home, "config", "skirmish", "config"), encoding="utf-8") as file:
        if "server = %s" % url not in file.read():
            raise Failure("the server isn't kept")


def full_screen(server, url, home):
    with Screen([program("skirmish")], home=home) as screen:
        fill_in(screen, url, "Ann", "not-a-code")
        screen.wait("did not let you in")
        fill_in(screen, url, "Ann", invite(server))
        screen.wait("YOUR GAMES", r"Ann \(you\)")
        screen.keys("q")
        screen.exit_code()
    remembered(home, url, "Ann")
    with Screen([program("skirmish")], home=home) as screen:
        screen.wait("YOUR GAMES", r"Ann \(you\)")
        screen.keys("q")
        screen.exit_code()


class Person:
    def __init__(self, home):
        self.env = {"HOME": home, "XDG_STATE_HOME": os.path.join(home, "state"), "TERM": "dumb",
                    "XDG_CONFIG_HOME": os.path.join(home, "config"), "LC_ALL": "C"}


def by_lines(server, url, home):
    os.environ.pop("SKIRMISH_SERVER", None)
    screen = accounts_cli.Screen(Person(home), "play")
    screen.wait("first start")
    screen.wait("Server")
    screen.type("host:notaport")
    screen.wait("Server", screen.type(url) - 1)
    screen.wait("guest, login or new")
    screen.type("new")
    screen.wait("Your name")
    screen.type("x")
    screen.wait("no name")
    screen.type("Bob")
    screen.wait("Invite code")
    screen.type(invite(server))
    screen.wait("New password")
    screen.type(SECRET)
    screen.wait("again: ")
    screen.type(SECRET)
    screen.wait("You are Bob at")
    screen.wait("You are Bob here")
    screen.type("quit")
    if screen.end() != 0:
        raise Failure("not a clean end:\n%s" % screen.text)
    if SECRET in screen.text or "\x1b" in screen.text:
        raise Failure("that must not be shown:\n%r" % screen.text)
    remembered(home, url, "Bob")


def main():
    need_tmux()
    program("skirmishctl")
    with tempfile.TemporaryDirectory(prefix="skirmish-first-") as top:
        config = os.path.join(top, "conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[accounts]\nregister = invite\n")
        with Server("--config", config) as server:
            url = "%s:%d" % server.address
            for test in (full_screen, by_lines):
                home = os.path.join(top, test.__name__)
                os.mkdir(home)
                test(server, url, home)
                print("%s: with an invite code, and remembered" % test.__name__)


if __name__ == "__main__":
    main()
