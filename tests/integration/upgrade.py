#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 400
"""An upgrade throws nobody out: players and the real client play on through twenty of them; a new
program that fails, at whatever point, changes nothing for anybody."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import same_end  # noqa: E402
from lib_crash import Player  # noqa: E402
from lib_upgrade import Upgrading  # noqa: E402
from lib_wire import PATIENCE_S, Failure, equal, need, program, pump_all  # noqa: E402

UPGRADES = int(os.environ.get("SK_UPGRADES", "20"))
BACK_S = float(os.environ.get("SK_BACK_S", PATIENCE_S))  # on an idle machine 2 will do
TABLES = (("first-blood", "strict", {"kind": "live", "main_s": 3600, "phase_s": 0}),
          ("tin-lizzy-down", "normal", {"kind": "correspondence", "days": 2}),
          ("first-blood", "server", {"kind": "live", "main_s": 1800, "phase_s": 5}))

# Says what a new server says, up to a point, and waits there for the test.
IMPOSTOR = """#!/usr/bin/python3
import os, sqlite3, sys
sockets, parent, lock = (int(word) for word in os.environ["SKIRMISHD_HANDOVER"].split())
assert sockets == %(sockets)d and lock > parent
os.write(parent, b"ready\\n")
assert os.read(parent, 16) == b"go\\n"
db = sqlite3.connect(%(data)r + "/skirmish.db")  # the old one has closed it
db.execute("PRAGMA user_version=%(version)d")
db.commit()
db.close()
open(%(here)r, "w").close()
open(%(fifo)r).read()
sys.exit(3)
"""


class Table:
    """Two players, somebody who looks on, one match after the other."""

    def __init__(self, server, number):
        self.server, self.number, self.n_made = server, number, 0
        self.scenario, self.fair, self.clock = TABLES[number]
        self.finished = 0
        self.players = []
        self.seat()

    def seat(self):
        self.n_made += 1
        names = ["%s-%d-%d" % (who, self.number, self.n_made) for who in ("ann", "bob", "eve")]
        a, b, w = self.players = [Player(self.server, name, self.number) for name in names]
        self.match = a.create(self.scenario, side="random", clock=self.clock, fair=self.fair)
        b.join(self.match, self.scenario)
        w.watch(self.match, self.scenario)

    def advance(self):
        a, b, _ = self.players
        for player in self.players:
            view = player.views[self.match]
            if view.resync:
                player.sync(view)
        for player in (a, b):
            player.think(player.views[self.match])
        if all(player.views[self.match].over() for player in self.players):
            for player in self.players:
                player.look(player.views[self.match])
            same_end(self.players, self.match)
            a.verified_record(self.match)
            for player in self.players:
                player.close()
            self.finished += 1
            self.seat()


def play(tables, orders):
    """Until so many orders more have been accepted."""
    def acked():
        return sum(len(view.acked) for table in tables for player in table.players
                   for view in player.views.values()) + sum(table.n_made for table in tables)
    enough, seated = acked() + orders, sum(table.n_made for table in tables)
    while acked() < enough and sum(table.n_made for table in tables) == seated:
        for table in tables:
            table.advance()
        conns = [player.conn for table in tables for player in table.players]
        if not pump_all(conns, PATIENCE_S):
            raise Failure("nothing happens any more")


def told(player):
    """Its connection is closed, and was told why."""
    player.drain()
    last = [note["params"] for note in player.other_notes if note["method"] == "server.closing"]
    equal([note["reason"] for note in last], ["upgrade"], "%s is told" % player.name)
    player.other_notes = []


class Client:
    """A process of the real client, in a game of its own."""

    def __init__(self, server, top, name, *words):
        url = "skirmish://127.0.0.1:%d" % server.port
        env = dict(os.environ, XDG_STATE_HOME=os.path.join(top, name), XDG_CONFIG_HOME=top)
        self.path = os.path.join(top, name + ".out")
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(
                [CLIENT, words[0], url, "--name", name, *words[1:], "--json"], env=env,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)

    def lines(self):
        with open(self.path, encoding="utf-8") as file:
            return [line for line in file if line.endswith("\n")]

    def logins(self):
        return sum('"token"' in line for line in self.lines())

    def wait(self, truth, what):
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Failure("%s: no %s\n%s" % (self.path, what, "".join(self.lines()[-5:])))
            time.sleep(0.005)

    def end_hash(self):
        equal(self.process.wait(120), 0, "the client's end\n%s" % "".join(self.lines()[-5:]))
        hashes = [None]
        for line in self.lines():
            message = json.loads(line) if line.startswith("{") else {}
            events = message.get("result", {}).get("events", [])
            if message.get("method") == "match.event":
                events = [message["params"]]
            hashes += [event["state_hash"] for event in events if event["state_hash"]]
        return hashes[-1]


class Game:
    """Two bots of the real client against each other."""

    def __init__(self, server, top, number):
        common = ("--patience", "60", "--seed", str(number))
        self.maker = Client(server, top, "maker%d" % number, "bot", "--create", "tin-lizzy-down",
                            "--side", "random", *common)
        self.maker.wait(lambda: self.match() is not None, "match")
        self.joiner = Client(server, top, "joiner%d" % number, "bot", "--join", self.match(),
                             *common)

    def match(self):
        for line in self.maker.lines():
            result = json.loads(line).get("result", {}) if line.startswith("{") else {}
            if "match" in result:
                return result["match"]
        return None

    def is_under_way(self):
        return sum('"kind":"order"' in line for line in self.joiner.lines()) > 3


def through_twenty(server, tables, top):
    slowest, pids, games, cut = 0.0, {server.process.pid}, [], 0
    watcher = Client(server, top, "watcher", "watch", "--join", tables[0].match, "--stay",
                     "--patience", "60")
    for number in range(UPGRADES):
        play(tables, 20)
        games.append(Game(server, top, number))
        games[-1].joiner.wait(games[-1].is_under_way, "orders")
        cut += games[-1].maker.process.poll() is None
        logins = watcher.logins()
        server.begin_upgrade()
        everybody = [player for table in tables for player in table.players]
        for player in everybody:
            told(player)
        closed = time.monotonic()
        pids.add(server.end_upgrade())
        for player in everybody:
            player.come_back()
        watcher.wait(lambda n=logins: watcher.logins() > n, "login after upgrade %d" % number)
        back = time.monotonic() - closed
        slowest = max(slowest, back)
        need(back < BACK_S, "everybody was back after %.2f s only" % back)
    equal(len(pids), UPGRADES + 1, "processes")
    for game in games:
        equal(game.maker.end_hash(), game.joiner.end_hash(), "the two clients' ends")
    watcher.process.terminate()
    watcher.process.wait()
    print("%d upgrades; from the last word of the old server until all %d were back: %.2f s at most"
          "; %d of %d games of the client's bots were cut through" % (
              UPGRADES, len(tables) * 3 + 1, slowest, cut, len(games)))
    need(cut > UPGRADES // 2, "the bots' games are over too soon to be cut")


def twenty_upgrades():
    with tempfile.TemporaryDirectory() as top, Upgrading() as server:
        tables = [Table(server, number) for number in range(len(TABLES))]
        through_twenty(server, tables, top)
        play(tables, 30)
        while not any(table.finished for table in tables):
            play(tables, 30)
        for table in tables:
            for player in table.players[:2]:
                for view in player.views.values():
                    if view.acked:
                        player.ask_again(view)
        print("%d matches played out and verified" % sum(table.finished for table in tables))


def calm(server, tables):
    """Nobody was closed, and play goes on."""
    need(server.process.poll() is None, "the old server has ended")
    play(tables, 6)
    for table in tables:
        for player in table.players:
            need(not player.conn.closed, "%s was closed" % player.name)
            equal([n for n in player.other_notes if n["method"] == "server.closing"], [], "closing")


def a_program_that_fails_at_once():
    with Upgrading() as server:
        tables = [Table(server, 0), Table(server, 2)]
        for number, script in enumerate(("#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n",
                                         "no program at all\n")):
            play(tables, 3)
            server.install_script(script)
            server.begin_upgrade()
            server.wait_for_log("upgrade.failed", number + 1)
            calm(server, tables)
        server.install(server.real)
        server.begin_upgrade()
        for table in tables:
            for player in table.players:
                told(player)
        server.end_upgrade()
        for table in tables:
            for player in table.players:
                player.come_back()
        play(tables, 6)


def impostor(server, version):
    top = tempfile.mkdtemp(dir=server.bin)
    here, fifo = os.path.join(top, "here"), os.path.join(top, "fifo")
    os.mkfifo(fifo)
    server.install_script(IMPOSTOR % {"data": server.data, "version": version, "here": here,
                                      "fifo": fifo, "sockets": 2})
    return here, fifo


def schema_version(server):
    """Of the real program: that of a database which it has closed."""
    import sqlite3
    db = sqlite3.connect(os.path.join(server.data, "skirmish.db"))
    version = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return version


def reach(server, here):
    server.begin_upgrade()
    deadline = time.monotonic() + PATIENCE_S
    while not os.path.exists(here):
        need(time.monotonic() < deadline, "the new program isn't reached\n%s" % server.log()[-3000:])
        time.sleep(0.005)


def left(player, match):
    return sum(player.call("match.sync", match=match, after=player.views[match].head)
               ["clock"]["left"].values())


def a_program_that_fails_with_the_database():
    """It has the database open, and dies before it changed anything for good: the old one goes on,
    and the clocks stood still."""
    with Upgrading() as server:
        server.stop()
        version = schema_version(server)
        server.start()
        table = Table(server, 0)
        play([table], 3)
        here, fifo = impostor(server, version)
        ann = table.players[0]
        asked, before = time.monotonic(), left(ann, table.match)
        reach(server, here)
        still = time.monotonic()
        ping = ann.conn.send("session.ping")  # not answered while it lasts
        ann.waiting[ping] = lambda result: None
        while time.monotonic() < still + 1.5:
            need(ping in ann.waiting, "the old server answers without its database")
            ann.conn.pump(0.05)
        stood = time.monotonic() - still
        with open(fifo, "w", encoding="ascii"):
            pass
        server.wait_for_log("upgrade.failed")
        used = before - left(ann, table.match)
        passed = (time.monotonic() - asked) * 1000
        need(0 <= used <= passed - stood * 1000 + 500,
             "clocks used %d ms of %d, and stood still for %d" % (used, passed, stood * 1000))
        calm(server, [table])


def a_program_that_fails_too_late():
    """It has migrated the database: the old one can't go on, and says so."""
    with Upgrading() as server:
        table = Table(server, 0)
        play([table], 3)
        here, fifo = impostor(server, 99)
        reach(server, here)
        with open(fifo, "w", encoding="ascii"):
            pass
        equal(server.process.wait(PATIENCE_S), 75, "the old server's end")
        need("a newer skirmishd wrote it (schema 99" in server.log(), server.log()[-2000:])
        server.process.stdout.close()
        server.process = None


CLIENT = program("skirmish")

if __name__ == "__main__":
    program("skirmishd")
    status = 0
    for test in (twenty_upgrades, a_program_that_fails_at_once,
                 a_program_that_fails_with_the_database, a_program_that_fails_too_late):
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        old_bin = os.environ["SK_BIN"]
        test()
        os.environ["SK_BIN"] = old_bin
        print("ok %s %.1f s" % (test.__name__, time.monotonic() - began), flush=True)
    sys.exit(status)
