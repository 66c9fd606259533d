#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""match.sync and match.watch at every point of a game give what the stream gave.

A spectator there from the first entry keeps every event and what is true behind it. At each order
others ask, with `after` and without; afterwards each answer is compared with the kept stream."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, catch_up, play, pump_until, same_end, seat_pair  # noqa: E402
from lib_wire import equal, need, run, wait_all  # noqa: E402

SCENARIO = "first-blood"
PAGE_BYTES = 64 * 1024


def wanted_state_seq(point, head):
    """The newest point behind which no undo reaches, and before an order whose roll is open."""
    seqs = [head]
    if point.open:
        seqs.append(point.open - 1)
    if point.undos:
        seqs.append(point.undos[0] - 1)
    return seqs[-1], min(seqs)


def check_head(view, result, point):
    head = result["head"]
    equal(result["hash"], view.hashes[head], "hash at the head %d" % head)
    equal(result["state_hash"], point.state_hash, "state hash at the head %d" % head)
    equal({k: result["dice"].get(k) for k in point.dice}, point.dice, "dice at %d" % head)
    opened = view.events[0]["entry"]
    for name in ("match", "no", "scenario", "scenario_hash", "fair", "readings", "rated", "maker"):
        equal(result[name], opened[name], name)
    equal(result["clock"]["kind"], opened["clock"]["kind"], "clock")
    roll = result.get("roll")
    if point.open:
        equal((roll["n"], roll["seq"], roll["hash"]),
              (point.n + 1, point.open, view.hashes[point.open]), "the open roll")
    elif point.salt_open:
        equal((roll["n"], roll["seq"], roll["hash"]),
              (point.n + 1, 0, view.hashes[point.anchor_seq]), "the open salt roll")
    else:
        equal(roll, None, "no roll is open")


def check_events(view, result, after):
    """The entries behind `after`, up to the head or to `next`."""
    last = result.get("next", result["head"])
    equal(result["events"], view.events[after:last], "events behind %d to %d" % (after, last))


def check_without(view, result):
    head = result["head"]
    point = view.points[head]
    check_head(view, result, point)
    if point.state is None:
        need(not {"state", "state_seq", "players"} & set(result), "state before the start")
        check_events(view, result, 0)
        return
    seq = result["state_seq"]
    need(seq in wanted_state_seq(point, head), "state_seq %d at head %d, open %s, undos %s" % (
        seq, head, point.open, point.undos))
    equal(result["state"], view.points[seq].state, "state at %d" % seq)
    equal(result["state_seq_hash"], view.hashes[seq], "state_seq_hash at %d" % seq)
    started = next(e["entry"] for e in view.events if e["entry"]["kind"] == "started")
    equal(result["players"], started["sides"], "players")
    check_events(view, result, seq)


def check_after(view, result, after):
    check_head(view, result, view.points[result["head"]])
    need("state" not in result and "state_seq" not in result, "a state with after")
    check_events(view, result, after)


class Looker:
    """Asks at each step; compares at the end."""

    def __init__(self, server, match, seed):
        self.conn = server.connect()
        self.conn.guest("looker")
        self.match = match
        self.rng = random.Random(seed)
        self.answers = []  # (result, after or None)

    def look(self, bots):
        result = self.conn.call("match.watch", match=self.match)
        self.answers.append((result, None))
        after = self.rng.choice((0, result["head"], self.rng.randint(0, result["head"])))
        result = self.conn.call("match.watch", match=self.match, after=after)
        self.answers.append((result, after))
        for bot in bots:  # the seats are told no other thing, and who they are
            if bot.views[self.match].role and self.rng.random() < 0.1:
                after = self.rng.randint(0, bot.views[self.match].head)
                result = bot.call("match.sync", match=self.match, after=after)
                self.answers.append((result, after))
                self.check_seat(bot, result)
                self.answers.append((bot.call("match.sync", match=self.match), None))
                bot.sync(bot.views[self.match])  # a page may have ended before the head

    def check_seat(self, bot, result):
        view = bot.views[self.match]
        equal(result["role"], view.role, "role")
        equal(result["side"], view.journal.sides[view.side()], "side")

    def check(self, view):
        for result, after in self.answers:
            if after is None:
                check_without(view, result)
            else:
                check_after(view, result, after)
        return len(self.answers)


def every_point(server, fair="strict", scenario=SCENARIO):
    ann, bob, eve = Bot(server, "ann", 3), Bot(server, "bob", 3), Bot(server, "eve", 3)
    match = ann.create(scenario, side="random", clock={"kind": "none"}, fair=fair)
    view = eve.watch(match, scenario, keep=True)
    looker = Looker(server, match, "looks %s" % fair)
    looker.look([])
    bob.join(match, scenario)
    looker.look([])
    bots = [ann, bob, eve]
    play(bots, match, step=looker.look)
    looker.look([])
    same_end(bots, match)
    count = looker.check(view)
    need(count > 40, "only %d answers" % count)
    conn = looker.conn
    for after in (view.head + 1, 2 ** 53, -1, "1", None):
        equal(conn.refused("params", "match.watch", match=match, after=after)["field"], "after",
              "field for after %r" % (after,))
    equal(conn.call("match.watch", match=match, after=view.head)["events"], [], "behind the head")


def server_dice(server):
    every_point(server, "server", "cowboys-and-indians")


def pages(server):
    """A long journal comes in pages of at most 64 KiB; live events begin at the head only."""
    counts = []
    while max(counts, default=0) < 2 and len(counts) < 20:  # dice may end a game within one page
        counts.append(pages_of_a_game(server, len(counts)))
    need(counts[-1] > 1, "pages of whole games: %s" % counts)


def pages_of_a_game(server, number):
    names = ["%s-%d" % (name, number) for name in ("ann", "bob", "eve")]
    match, ann, bob = seat_pair(server, "tin-lizzy-down", "pages", names[:2], fair="strict")
    play([ann, bob], match)
    eve = Bot(server, names[2], 1)
    view = eve.watch(match, "tin-lizzy-down", keep=True)
    same_end([ann, bob, eve], match)
    after, pages_seen = 0, 0
    while True:
        result = eve.call("match.watch", match=match, after=after)
        check_after(view, result, after)
        size = sum(len(str(event)) for event in result["events"])
        need(size < 2 * PAGE_BYTES, "a page of about %d bytes" % size)
        pages_seen += 1
        if "next" not in result:
            return pages_seen
        need(result["next"] > after, "a page that goes nowhere")
        after = result["next"]


def in_the_middle(server):
    """Spectators who come when the game is on end where all end."""
    match, ann, bob = seat_pair(server, SCENARIO, "middle", fair="normal")
    late = []

    def step(bots):
        if len(late) < 4 and len(bots) == 2 and ann.views[match].head > 12 * (1 + len(late)):
            late.append(Bot(server, "late%d" % len(late), 1))
            late[-1].watch(match, SCENARIO)
    bots = [ann, bob]

    def done():
        return all(bot.views[match].over() for bot in bots + late)
    play_with(bots, late, match, done, step)
    need(len(late) > 1, "nobody came late")
    same_end(bots + late, match)


def play_with(bots, others, match, done, step):
    def think():
        for bot in bots:
            if bot.think(bot.views[match]):
                step(bots)
        return done()
    wait_all(lambda: [bot.conn for bot in bots + others], think, "the end")


def two_matches(server):
    """One connection sits in two matches, and looks on at a third."""
    ann, bob, eve = Bot(server, "ann", 8), Bot(server, "bob", 8), Bot(server, "eve", 8)
    clock = {"kind": "none"}
    first = ann.create(SCENARIO, side="random", clock=clock, fair="strict")
    second = bob.create("cowboys-and-indians", side="random", clock=clock, fair="server")
    third = eve.create(SCENARIO, side="random", clock=clock, fair="strict")
    ann.join(second, "cowboys-and-indians")
    bob.join(first, SCENARIO)
    bob.join(third, SCENARIO)
    ann.watch(third, SCENARIO)
    bots, matches = (ann, bob, eve), (first, second, third)

    def think():
        for bot in bots:
            for match in matches:
                if match in bot.views:
                    bot.think(bot.views[match])
        return all(bot.views[m].over() for bot in bots for m in matches if m in bot.views)
    wait_all(lambda: [bot.conn for bot in bots], think, "three games")
    for match in matches:
        same_end([bot for bot in bots if match in bot.views], match)
        bob.verified_record(match)


def one_player_two_connections(server):
    """Both connections of one account see the match; either may order, and give a link."""
    match, ann, bob = seat_pair(server, SCENARIO, "two", fair="strict")
    other = server.connect()
    other.hello()
    ann.token = other.call("session.resume", token=ann.token)["token"]
    view = ann.views[match]
    result = other.call("match.sync", match=match, after=view.head)
    equal((result["role"], result["side"]), ("A", view.journal.sides[view.side()]), "the seat")
    play([ann, bob], match, until=view.my_turn)
    seq = other.call("match.order", match=match, order_id="from the other", base=view.head,
                     order={"do": "end_phase"})["seq"]
    pump_until([ann, bob], lambda: view.head >= seq and view.journal.settled(), "its entry")
    request = None
    if view.journal.open or view.journal.n > 1:
        request = other.wait_note("match.roll_request", lambda p: p["seq"] == seq)
    pump_until([ann, bob], lambda: not view.journal.open, "its roll")
    last = other.wait_note("match.event", lambda p: p["entry"]["seq"] == view.head)
    equal(last["hash"], view.hashes[view.head], "the stream on the other connection")
    if request:
        other.refused("phase", "match.share", match=match, roll=request["roll"],
                      share=view.chains[0][1][request["roll"]].hex())


def unwatched(server):
    """match.unwatch: not one event more; watching again goes on."""
    match, ann, bob = seat_pair(server, SCENARIO, "unwatched", fair="server")
    eve = Bot(server, "eve", 2)
    view = eve.watch(match, SCENARIO)
    equal(eve.call("match.unwatch", match=match), {}, "unwatch")
    head = view.head
    play([ann, bob], match, until=lambda: ann.views[match].head > head + 20)
    eve.call("session.ping")
    equal(view.head, head, "events behind an unwatch")
    eve.sync(view)
    need(view.head >= head + 20, "watching again")
    pump_until([ann, bob], lambda: not ann.views[match].flying and not bob.views[match].flying, "")


TESTS = (every_point, server_dice, pages, in_the_middle, two_matches, one_player_two_connections,
         unwatched)

if __name__ == "__main__":
    run(TESTS)
