#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""SIGHUP: what changes, what needs a restart, what a bad file does, and nobody is dropped; SIGTERM:
everybody is told."""
import os
import re
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import play, same_end, seat_pair  # noqa: E402
from lib_wire import PATIENCE_S, Conn, Failure, Server, equal, need, run  # noqa: E402


class Configured(Server):
    """A server with a configuration file that changes."""

    def __init__(self, text, *options):
        self.dir = tempfile.mkdtemp(prefix="skirmishd-conf-")
        self.conf = os.path.join(self.dir, "skirmishd.conf")
        self.write(text)
        self.reloads = 0
        super().__init__("--config", self.conf, *options)

    def __exit__(self, *what):
        super().__exit__(*what)
        for name in os.listdir(self.dir):
            os.unlink(os.path.join(self.dir, name))
        os.rmdir(self.dir)

    def write(self, text):
        with open(self.conf + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(self.conf + ".new", self.conf)

    def ends(self):
        return len(re.findall(r"reload\.(?:done|failed)", self.log()))

    def hang_up(self, text):
        """Write the file, have it read: what the log says about it."""
        self.write(text)
        before, ended = len(self.log()), self.ends()
        self.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE_S
        while self.ends() == ended:
            if time.monotonic() > deadline:
                raise Failure("not reloaded\n%s" % self.log())
            time.sleep(0.01)  # polling the log, within the deadline
        return self.log()[before:]


def settles(truth, what):
    """The core is told in the turn behind the log's line."""
    deadline = time.monotonic() + PATIENCE_S
    while not truth():
        need(time.monotonic() < deadline, what)


def motd(server):
    conn = Conn(server.address)
    conn.close()
    return conn.welcome["motd"]


def live(_server):
    with Configured("[server]\nmotd = first\n") as server:
        old = server.connect()
        old.guest("Old")
        said = server.hang_up("[server]\nmotd = second\n[limits]\nmatches = 1\nline = 5000\n"
                              "[accounts]\nregister = closed\n[log]\nlevel = debug\n")
        for words in ("key=motd was=first now=second", "key=matches was=20000 now=1",
                      "key=register was=open now=closed", "key=level was=info now=debug",
                      "reload.done changed=5 need_restart=0"):
            need(words in said, "%r isn't in\n%s" % (words, said))
        settles(lambda: motd(server) == "second", "the motd never changed")
        make = {"scenario": "first-blood", "side": "red", "clock": {"kind": "none"}}
        old.call("match.create", **make)
        old.refused("busy", "match.create", **make)
        conn = server.connect()
        equal(conn.hello()["limits"]["line_login"], 5000, "the new limit is told")
        conn.refused("denied", "session.register", name="Ann", password="correct horse")
        need("net.accept" in server.log(), "debug lines")
        server.hang_up("")
        settles(lambda: motd(server) == "", "the default motd never came")
        old.call("match.create", **make)
        server.hang_up("[log]\njson = yes\n")
        said = server.hang_up("[log]\njson = yes\n[limits]\nguests = 9\n")
        need(all(line.startswith('{"time":"') for line in said.splitlines()), "JSON: " + said)


def deadlines(_server):
    """A shorter silence holds for connections that are there."""
    with Configured("") as server:
        conn = server.connect()
        conn.hello()
        server.hang_up("[limits]\nping_ms = 100\nsilence_ms = 300\n")
        conn.wait_closed()
        need(conn.find_note("server.ping", lambda params: True) is not None, "asked before")


def restarts(_server):
    with Configured("") as server:
        said = server.hang_up("[server]\nstore = memory\nmotd = new\n"
                              "[tls]\nselfsign = yes\n")
        for words in ("reload.restart section=server key=store now=sqlite wanted=memory",
                      "reload.restart section=tls key=selfsign now=no wanted=yes",
                      "reload.done changed=1 need_restart=2"):
            need(words in said, "%r isn't in\n%s" % (words, said))
        settles(lambda: motd(server) == "new", "the motd never changed")


def bad(_server):
    """A bad file changes nothing, not even what stands before the mistake."""
    with Configured("[server]\nmotd = kept\n") as server:
        for text, words in (
                ("[server]\nmotd = lost\n[limits]\nmatches = none\n",
                 ":4: matches: \\x22none\\x22 is no number from 1 to 1000000"),
                ("[server]\nmotd = lost\nmotd = lost\n", ":3: motd: given twice"),
                ("[server]\nmotd = lost\nmodt = lost\n", ":3: modt: no such option in [server]"),
                ("[server]\nmotd = lost\n[tls]\ncert = /nowhere\n", ":4: a certificate needs")):
            said = server.hang_up(text)
            need("reload.failed" in said and "reload.option" not in said, said)
            need(words in said.replace('\\"', "\\x22"), "%r isn't in\n%s" % (words, said))
            equal(motd(server), "kept", "nothing changed")
        os.unlink(server.conf)
        ended = server.ends()
        server.process.send_signal(signal.SIGHUP)
        settles(lambda: server.ends() > ended, "not reloaded")
        need("can't read" in server.log(), "why")
        equal(motd(server), "kept", "nothing changed")


def under_load(_server):
    """Games go on while the configuration is read again and again: nobody is dropped."""
    with Configured("") as server:
        pairs = [seat_pair(server, "first-blood", seed, ("ann%d" % seed, "bob%d" % seed),
                           fair="normal") for seed in range(4)]
        count = [0]

        def step(_bots):
            count[0] += 1
            if count[0] % 5 == 0:
                server.write("[server]\nmotd = %d\n[limits]\nbytes_a_turn = %d\n" % (
                    count[0], 512 + count[0] % 7) + ("bad\n" if count[0] % 3 == 0 else ""))
                server.process.send_signal(signal.SIGHUP)
        for match, *bots in pairs:
            play(bots, match, step=step)
            same_end(bots, match)
        for match, *bots in pairs:
            for bot in bots:
                bot.call("session.ping")
                need(not bot.conn.closed, "dropped")
        need(count[0] >= 50, "%d orders only" % count[0])
        log = server.log()
        need(log.count("reload.done") > 5 and log.count("reload.failed") > 2, "reloads: " + log)


def drained(_server):
    """SIGTERM with an order on its way: all are told, what was answered is kept, games go on later."""
    with Configured("") as server:
        match, *bots = seat_pair(server, "first-blood", 11, fair="normal")
        for _ in range(3):
            target = sum(bot.views[match].orders for bot in bots) + 6
            play(bots, match,
                 until=lambda: sum(bot.views[match].orders for bot in bots) >= target)  # noqa: B023
            for bot in bots:
                bot.think(bot.views[match])
            equal(server.end(signal.SIGTERM), 0, "status")
            for bot in bots:
                bot.conn.wait_closed()
                need([n for n in bot.other_notes if n["method"] == "server.closing"],
                     "%s wasn't told" % bot.name)
                bot.other_notes.clear()
            server.start()
            for bot in bots:
                bot.reconnect()
        play(bots, match)
        same_end(bots, match)


TESTS = [live, deadlines, restarts, bad, under_load, drained]

if __name__ == "__main__":
    run(TESTS)
