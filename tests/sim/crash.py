#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 400
"""crash.py [--kills N] [--tables N] [--seed N]: bots play many matches of every kind while the server
is killed with SIGKILL at random moments and started again on the same data and port.

Kills come at random times, a few milliseconds behind an order or a link, and during recovery. After
each: every acknowledged order stands once and answers as before, nothing that any client saw is
gone or other, the dice of an open roll are those foretold before the crash, clocks lose at most the
second that a crash may cost and win nothing, set-ups go on. Each match's record is verified.
"""
import argparse
import os
import random
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), name) for name in ("integration", "ref")]

from lib_bot import same_end  # noqa: E402
from lib_crash import Lost, Mortal, Player, Secrets  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Refusal, equal, need, program, pump_all  # noqa: E402
from verify import verify  # noqa: E402

LIVE = {"kind": "live", "main_s": 3600, "phase_s": 0}
BLITZ = {"kind": "live", "main_s": 1800, "phase_s": 5}
DAYS = {"kind": "correspondence", "days": 2}
NONE = {"kind": "none"}
KINDS = (("first-blood", "strict", LIVE), ("first-blood", "normal", DAYS),
         ("first-blood", "server", NONE), ("first-blood", "strict", NONE),
         ("tin-lizzy-down", "normal", BLITZ), ("first-blood", "server", DAYS),
         ("first-blood", "normal", NONE), ("cowboys-and-indians", "server", LIVE))
VERIFY_EVERY = 6  # kills between two records verified in the midst of play
BEHIND_S = 0.004  # a kill behind an order comes within this time
RANDOM_S = 0.5
OFFERS = 0.03
SELDOM = ("match.create", "match.join", "match.anchor", "match.offer", "match.resign")
JOURNALED = SELDOM + ("match.order", "match.share", "match.answer")
WATCHED = 3  # every third match has a spectator


class Table:
    """One match from its first call to its verified record. advance() goes on from wherever it is,
    after a crash too."""

    def __init__(self, harness, number):
        self.harness, self.number = harness, number
        self.scenario, self.fair, self.clock = KINDS[number % len(KINDS)]
        self.seats = [None, None]
        self.watcher = None
        self.match = None
        self.finished = False

    def players(self):
        return [player for player in self.seats + [self.watcher] if player]

    def view(self, seat):
        player = self.seats[seat]
        return player.views.get(self.match) if player and self.match else None

    def sit(self, seat):
        if self.seats[seat] is None:
            self.seats[seat] = self.harness.player("%s-%d" % (("ann", "bob")[seat], self.number))
        return self.seats[seat]

    def advance(self):
        if not self.match:
            self.make()
        if self.view(1) is None:
            self.join()
        if self.fair != "server" and not self.anchored():
            self.anchor()
        if self.watcher is None and self.number % WATCHED == 0:
            self.watcher = self.harness.player("eve-%d" % self.number)
            self.watcher.watch(self.match, self.scenario)
        if self.view(0).over() and self.view(1).over():
            self.finish()
            return
        for player in self.players():
            self.play(player)

    def make(self):
        """Create, or find what was created before the answer was lost."""
        maker = self.sit(0)
        mine = maker.call("match.mine")["matches"]
        need(len(mine) <= 1, "a match was created twice: %s" % mine)
        if not mine:
            side = maker.rng.choice(("random", self.first_side(maker)))
            self.match = maker.call("match.create", scenario=self.scenario, side=side,
                                    clock=self.clock, fair=self.fair)["match"]
        else:
            self.match = mine[0]["match"]
            self.harness.count["found"] += 1
        maker.look(maker.view(self.match, self.scenario, "A"))

    def first_side(self, maker):
        return maker.scenario(self.scenario)["sides"][0]["id"]

    def join(self):
        joiner = self.sit(1)
        joiner.call("match.join", match=self.match)
        joiner.look(joiner.view(self.match, self.scenario, "B"))

    def anchored(self):
        return all(self.view(seat).chains and role in self.view(seat).journal.tails
                   for seat, role in ((0, "A"), (1, "B")))

    def anchor(self):
        for seat, role in ((0, "A"), (1, "B")):
            view = self.view(seat)
            if role not in view.journal.tails:
                self.seats[seat].anchor(view)
                self.seats[seat].look(view)

    def know_secrets(self):
        """Foretell dice from the first order on."""
        views = (self.view(0), self.view(1))
        if views[0].secrets is None:
            views[0].secrets = Secrets(self.harness.server.master_key(), self.match, self.fair,
                                       *views)

    def play(self, player):
        view = player.views[self.match]
        if view.resync:
            player.sync(view)
        if view.role is None or view.game is None or view.over():
            return
        if view.role == "A" and view.journal.open is None:
            self.know_secrets()
        player.decline_all(view)
        if self.harness.closing:
            self.resign(player, view)
        elif player.think(view):
            self.harness.count["orders"] += 1
            if player.rng.random() < OFFERS:
                player.offer(view, "draw")

    def resign(self, player, view):
        if view.role == "A":
            try:
                player.call("match.resign", match=self.match)
            except Refusal as refusal:
                need(refusal.reason == "phase", "resign: %s" % refusal)

    def finish(self):
        """The record is sound, and what everybody saw."""
        for player in self.players():
            player.look(player.views[self.match])
        same_end([p for p in self.players()], self.match)
        record = self.seats[0].verified_record(self.match)
        equal(self.seats[1].record(self.match), record, "the other seat's record")
        for player in self.seats:
            view = player.views[self.match]
            for _ in range(min(3, len(view.acked))):
                player.ask_again(view)
        for player in self.players():
            player.close()
        self.finished = True
        count = self.harness.count
        count["matches"] += 1
        count["rolls"] += self.view(0).journal.n
        for player in self.seats:
            count["resent"] += player.resent
            count["resent_done"] += player.resent_done


class Harness:
    def __init__(self, server, kills, tables, seed):
        self.server, self.kills_wanted, self.n_tables = server, kills, tables
        self.seed, self.rng = seed, random.Random(seed)
        self.kills, self.n_made = 0, 0
        self.tables = []
        self.closing = False
        self.sends_left = 0  # armed: this many calls that are journaled until the kill; or not so
        self.count = dict.fromkeys(("orders", "matches", "rolls", "found", "open_rolls", "early",
                                    "resent", "resent_done"), 0)
        signal.signal(signal.SIGALRM, lambda *_: self.server.slay())

    def player(self, name):
        player = Player(self.server, name, self.seed, stay=self.rng.choice((0.06, 0.3)))
        original = player.request

        def request(handler, method, **params):
            result = original(handler, method, **params)
            self.sent(method)
            return result
        player.request = request
        return player

    # ---- killing

    def arm(self):
        if self.kills >= self.kills_wanted:
            return
        if self.rng.random() < 0.7:
            self.sends_left = self.rng.randint(1, 40)
        else:
            signal.setitimer(signal.ITIMER_REAL, self.rng.uniform(1e-4, RANDOM_S))

    def sent(self, method):
        if not self.sends_left or method not in JOURNALED:
            return
        self.sends_left -= 1
        if method in SELDOM and self.rng.random() < 0.4:
            self.sends_left = 0
        if not self.sends_left:
            signal.setitimer(signal.ITIMER_REAL, self.rng.uniform(1e-5, BEHIND_S))

    def disarm(self):
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.sends_left = 0

    # ---- life

    def players(self):
        return [player for table in self.tables for player in table.players()]

    def run(self):
        self.server.start()
        self.arm()
        began = time.monotonic()
        while True:
            try:
                self.play()
                break
            except Lost as lost:
                if self.server.lives[-1][1] is None:
                    raise Failure("the server wasn't killed, but: %s" % lost) from lost
            self.recover()
        self.report(time.monotonic() - began)

    def play(self):
        while True:
            self.closing = self.kills >= self.kills_wanted
            self.tables = [table for table in self.tables if not table.finished]
            while not self.closing and len(self.tables) < self.n_tables:
                self.tables.append(Table(self, self.n_made))
                self.n_made += 1
            if not self.tables:
                return
            for table in self.tables:
                table.advance()
            conns = [player.conn for table in self.tables if not table.finished
                     for player in table.players()]
            if any(conn.closed for conn in conns):
                raise Lost("a connection is closed")
            if conns and not pump_all(conns, PATIENCE_S):
                raise Failure("nothing happens any more\n%s" % "\n\n".join(
                    "%s\n%s" % (c.label, c.traffic()) for c in conns))

    def recover(self):
        self.bury()
        for player in self.players():
            player.drain()
        self.count["open_rolls"] += sum(
            bool(table.view(0) and table.view(0).journal.open) for table in self.tables)
        while True:
            if self.kills < self.kills_wanted and self.rng.random() < 0.15:  # during recovery
                signal.setitimer(signal.ITIMER_REAL, self.rng.uniform(1e-4, 0.1))
            try:
                self.server.start()
                break
            except Failure:
                if self.server.lives[-1][1] is None:
                    raise
                self.count["early"] += 1
                self.bury()
        try:
            self.come_back()
        except Lost:
            if self.server.lives[-1][1] is None:
                raise
            return  # killed while they came; play finds that out

    def bury(self):
        self.disarm()
        code = self.server.buried()
        equal(code, -signal.SIGKILL, "the server's end")
        self.kills += 1
        if self.kills % 50 == 0:
            print("%d kills, %d matches, %d orders" % (
                self.kills, self.count["matches"], self.count["orders"]), flush=True)

    def come_back(self):
        players = self.players()
        self.rng.shuffle(players)
        for player in players:
            player.come_back()
        for player in self.rng.sample(players, min(4, len(players))):
            for view in player.views.values():
                if view.acked:
                    player.ask_again(view)
        if self.kills % VERIFY_EVERY == 0:
            self.verify_one()
        self.disarm()
        self.arm()

    def verify_one(self):
        """A record from the midst of play: sound, and what its players saw."""
        tables = [t for t in self.tables if t.view(0) and t.view(0).game]
        if tables:
            table = self.rng.choice(tables)
            view = table.view(0)
            journal = verify(table.seats[0].record(table.match))
            need(journal.head <= view.head, "the record is ahead of what was said")
            equal(journal.hash.hex(), view.hashes[journal.head], "the record's end")

    def report(self, seconds):
        count = self.count
        print("%d kills (%d during recovery) in %.0f s: %d matches, %d orders, %d rolls; %d rolls were "
              "open at a kill; of %d orders without an answer %d were done; %d matches were made "
              "without an answer" % (
                  self.kills, count["early"], seconds, count["matches"], count["orders"],
                  count["rolls"], count["open_rolls"], count["resent"], count["resent_done"],
                  count["found"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--tables", type=int, default=5)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    args = parser.parse_args()
    program("skirmishd")
    print("seed %d" % args.seed, flush=True)
    server = Mortal()
    harness = Harness(server, args.kills, args.tables, args.seed)
    try:
        harness.run()
        server.stop()
    except BaseException:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("--- seed %d, %d kills; the server's log\n%s" % (
            args.seed, harness.kills, server.log()[-3000:]))
        if server.process is not None:
            server.kill()
        raise


if __name__ == "__main__":
    main()
