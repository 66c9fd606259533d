#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""An order given while the line is down, when the same player has gone on from another machine: it
isn't sent, and that is said, in full screen and by lines."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from lib_tmux import Failure, Screen, Server, need_tmux, program  # noqa: E402
from lib_club import active, end_phase  # noqa: E402
from tui_play import MINE, quiet  # noqa: E402
import accounts_cli  # noqa: E402

SECRET = "correct horse"


class Wire:
    """Between client and server; can be cut, and mended."""

    def __init__(self, to):
        self.to, self.whole, self.ends = to, True, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "skirmish://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if not self.whole:
                client.close()
                continue
            server = socket.create_connection(self.to)
            self.ends += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    @staticmethod
    def carry(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.whole = False
        for end in self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.cut()
        self.listener.close()


def environment(home):
    return {**os.environ, "HOME": home, "XDG_STATE_HOME": os.path.join(home, "state"),
            "XDG_CONFIG_HOME": os.path.join(home, "config"), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def log_in(server, name=None):
    conn = server.connect()
    conn.hello()
    if name is None:
        conn.call("session.guest", name="Bob")
    else:
        conn.call("session.login", name=name, password=SECRET)
    return conn


def begin(server):
    """Bob sits down, and it is Ann's phase."""
    bob = log_in(server)
    match = bob.call("lobby.list", state="open")["matches"][0]["match"]
    bob.call("match.join", match=match)
    ann = log_in(server, "Ann")
    if active(bob, ann, match)[0] is bob:
        end_phase(bob, match)
    return bob, ann, match


def words(wire):
    return [program("skirmish"), "play", wire.url, "--create", "first-blood", "--side", "red",
            "--fair", "server"]


def full_screen(server, wire, home):
    with Screen(words(wire), home=home) as screen:
        screen.wait("waiting for an opponent")
        _, ann, match = begin(server)
        screen.wait(MINE)
        wire.cut()
        screen.wait("The line is down")
        screen.keys(":")
        screen.type("m r1 b3 n")
        screen.keys("Enter")
        screen.wait("Kept until the line is up: m r1 b3 n")
        end_phase(ann, match)
        wire.whole = True
        screen.wait("Not sent, the board has moved on: m r1 b3 n", r"R R1 +b2 ",
                    gone="The line is down")


def by_lines(server, wire, home):
    screen = accounts_cli.Screen(types.SimpleNamespace(env=environment(home)), *words(wire)[1:])
    screen.wait(r"Match #\d+")
    _, ann, match = begin(server)
    screen.wait("Your phase")
    wire.cut()
    screen.wait("The line is down")
    screen.type("m r1 b3 n")
    end_phase(ann, match)
    wire.whole = True
    screen.wait("Not sent, the board has moved on since it was typed: m r1 b3 n")
    screen.type("look b2")
    screen.wait("b2: open; R1 regular")
    screen.type("quit")
    if screen.end() != 0:
        raise Failure("not a clean end:\n%s" % screen.text)


def main():
    need_tmux()
    for test in (full_screen, by_lines):
        with tempfile.TemporaryDirectory(prefix="skirmish-kept-") as home, Server() as server:
            quiet(home)
            wire = Wire(server.address)
            done = subprocess.run([program("skirmish"), "account", "register", wire.url, "--name",
                                   "Ann", "--password-stdin"], input=SECRET + "\n", text=True,
                                  capture_output=True, timeout=60, check=False,
                                  env=environment(home))
            if done.returncode != 0:
                raise Failure(done.stderr)
            test(server, wire, home)
            wire.close()
        print("%s: not sent, and said" % test.__name__)


if __name__ == "__main__":
    main()
