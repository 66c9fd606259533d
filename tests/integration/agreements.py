# SPDX-License-Identifier: ISC
# timeout: 300
"""agreements.py -- draw, pause, undo, rematch and resign by agreement, with a restart or SIGKILL
between any two steps; nothing after the end changes anything."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_bot import Bot, at_rest, catch_up, play, pump_until, started  # noqa: E402
from lib_club import (LIVE, NO_CLOCK, active, end_phase, entries, equal, guest, login,  # noqa: E402
                      member, need, outcome, seated, state_of, wait_entry)
from lib_wire import run  # noqa: E402


class Table:
    """Ann and Bob at a match; restart() brings both back as they were."""

    def __init__(self, server, **params):
        self.server = server
        self.ann, self.bob = member(server, "ann"), member(server, "bob")
        self.match, *_ = seated(self.ann, self.bob, **params)
        self.kills = 0

    def restart(self):
        self.kills += 1
        self.server.kill() if self.kills % 2 else self.server.stop()
        self.server.start()
        self.ann, self.bob = login(self.server, "ann"), login(self.server, "bob")

    def offer(self, conn, what):
        return conn.call("match.offer", match=self.match, offer=what)["offer_id"]

    def answer(self, conn, offer, accept):
        return conn.call("match.answer", match=self.match, offer_id=offer, accept=accept)

    def offers(self):
        return [(o["offer_id"], o["offer"]) for o in state_of(self.ann, self.match)["offers"]]

    def active(self):
        return active(self.ann, self.bob, self.match)


def draw(server):
    """Offered, kept over a crash, refused, offered again, stale after an order, agreed."""
    t = Table(server)
    offer = t.offer(t.ann, "draw")
    equal(t.offer(t.ann, "draw"), offer, "the same offer again")
    t.restart()
    equal(t.offers(), [(offer, "draw")], "offers")
    t.ann.refused("denied", "match.answer", match=t.match, offer_id=offer, accept=True)
    guest(server, "eve").refused("denied", "match.answer", match=t.match, offer_id=offer,
                                 accept=True)
    t.answer(t.bob, offer, False)
    t.restart()
    equal(t.offers(), [], "offers")
    t.bob.refused("stale", "match.answer", match=t.match, offer_id=offer, accept=True)
    offer = t.offer(t.bob, "draw")
    end_phase(t.active()[0], t.match)  # another position
    t.restart()
    data = t.ann.refused("stale", "match.answer", match=t.match, offer_id=offer, accept=True)
    equal(data["head"], state_of(t.ann, t.match)["head"], "head")
    t.ann.refused("not_found", "match.answer", match=t.match, offer_id=offer + 9, accept=True)
    both = t.offer(t.bob, "draw"), t.offer(t.ann, "draw")
    need(both[0] != both[1], "two offers, one id")
    t.restart()
    equal(t.answer(t.ann, both[0], True), {}, "agreed")
    over = entries(t.ann, t.match)[-1]
    equal((over["kind"], over["winner"], over["reason"]), ("over", None, "draw"), "the end")


def pause(server):
    """Nobody's clock runs, no order is taken, over restarts; both agree again to go on."""
    t = Table(server, clock=LIVE)
    first, second = t.active()
    offer = t.offer(first, "pause")
    t.restart()
    first, second = t.active()
    t.answer(second, offer, True)
    before = state_of(t.ann, t.match)["clock"]
    equal((before["running"], before["paused"]), (None, True), "the clock")
    for _ in range(3):
        t.restart()
        equal(state_of(t.ann, t.match)["clock"], before, "the clock after a restart")
        first = t.ann if first.label == "ann" else t.bob
        need(outcome(first, "match.order", {
            "match": t.match, "order_id": "early", "base": state_of(first, t.match)["head"],
            "order": {"do": "end_phase"}}) == "phase", "an order in a pause")
    need(not [m for c in (t.ann, t.bob) for m in c.call("match.mine")["matches"] if m["mine"]],
         "a paused game waits for somebody")
    offer = t.offer(t.bob, "pause")  # to go on
    t.restart()
    t.answer(t.ann, offer, True)
    clock = state_of(t.ann, t.match)["clock"]
    equal((clock["running"] is not None, clock["paused"]), (True, False), "it runs")
    end_phase(t.active()[0], t.match)
    kinds = [e["kind"] for e in entries(t.ann, t.match)]
    need(kinds.index("pause") < kinds.index("resume"), "the journal: %s" % kinds)


def undo(server):
    """Past dice and ends of phase, down to the start, in unrated games; its giver alone offers it."""
    ann, bob = Bot(server, "ann", "undo", stay=0.3), Bot(server, "bob", "undo", stay=0.3)
    match = ann.create("first-blood", side="red", clock=NO_CLOCK, fair="normal")
    bob.join(match, "first-blood")
    bots = [ann, bob]
    started(bots, match)
    view = ann.views[match]

    def orders():
        return view.kinds.count("order")
    play(bots, match, until=lambda: orders() >= 14)
    at_rest(bots, match)
    if view.over():
        return
    stale = None
    rolls = view.journal.n
    for step in range(8):
        head = view.head
        for giver, other in ((ann, bob), (bob, ann)):
            made = outcome(giver, "match.offer", {"match": match, "offer": "undo"})
            if made == "ok":
                break
            equal(made, "denied", "an undo by who didn't give the order")
        offer = giver.call("match.offer", match=match, offer="undo")["offer_id"]
        if stale:
            other.refused("stale", "match.answer", match=match, offer_id=stale, accept=True)
        if step in (2, 5):
            server.kill() if step == 2 else server.stop()
            server.start()
            for bot in bots:
                bot.drop()
                bot.reconnect()
        other.call("match.answer", match=match, offer_id=offer, accept=True)
        pump_until(bots, lambda h=head: view.head > h and view.kinds[-1] == "undo", "the undo")
        catch_up(bots, match)
        stale = offer
    equal(view.journal.n, rolls, "a roll came back")
    play(bots, match, until=lambda: orders() >= 24)  # and the game goes on with the next n
    catch_up(bots, match)
    ann.verified_record(match)


def undo_refused(server):
    """Never in rated games, nor while a roll is open, nor where there is nothing to take back."""
    t = Table(server, rated=True, fair="normal")
    end_phase(t.active()[0], t.match)
    for conn in (t.ann, t.bob):
        conn.refused("denied", "match.offer", match=t.match, offer="undo")
    t.ann.call("match.resign", match=t.match)
    t.match, *_ = seated(t.ann, t.bob, fair="normal")
    for conn in (t.ann, t.bob):
        conn.refused("phase", "match.offer", match=t.match, offer="undo")
    end_phase(t.active()[0], t.match)
    giver, other = t.active()
    end_phase(giver, t.match)  # the turn's end: a roll is open
    for conn in (giver, other):
        conn.refused("phase", "match.offer", match=t.match, offer="undo")
    t.restart()
    for conn in (t.ann, t.bob):
        conn.refused("phase", "match.offer", match=t.match, offer="undo")


def rematch(server):
    """A challenge to the same opponent, sides swapped, from who played and after the end only."""
    t = Table(server)
    eve = member(server, "eve")
    again = {"scenario": "first-blood", "side": "red", "clock": NO_CLOCK, "fair": "server",
             "rematch_of": t.match}
    t.ann.refused("phase", "match.create", **again)
    t.bob.call("match.resign", match=t.match)
    eve.refused("denied", "match.create", **again)
    t.ann.refused("params", "match.create", **again, opponent="eve")
    t.restart()
    made = t.ann.call("match.create", **again)["match"]
    summary = [m for m in t.bob.call("match.mine")["matches"] if m["match"] == made][0]
    equal((summary["opponent"], summary["rematch_of"], summary["side"]), ("bob", t.match, "blue"),
          "the challenge")
    login(server, "eve").refused("denied", "match.join", match=made)
    t.restart()
    equal(t.bob.call("match.join", match=made), {"side": "red"}, "sides swapped")
    t.ann.call("match.resign", match=made)
    third = t.bob.call("match.create", **dict(again, rematch_of=made))["match"]
    equal(t.ann.call("match.join", match=third), {"side": "red"}, "swapped again")


def after_the_end(server):
    """Resigned: from then on nothing changes, whatever is called and however often it restarts."""
    t = Table(server)
    offer = t.offer(t.ann, "draw")
    t.bob.call("match.resign", match=t.match)
    over = wait_entry(t.ann, t.match, "over")
    equal((over["winner"], over["reason"]), ("red", "resign"), "the end")
    end = state_of(t.ann, t.match)
    for _ in range(3):
        for conn in (t.ann, t.bob):
            for method, params in (
                    ("match.resign", {}), ("match.claim", {}), ("match.offer", {"offer": "draw"}),
                    ("match.offer", {"offer": "pause"}), ("match.offer", {"offer": "undo"}),
                    ("match.answer", {"offer_id": offer, "accept": True}),
                    ("match.share", {"roll": 1, "share": "00" * 32}),
                    ("match.anchor", {"generation": 0, "anchor": "00" * 32}),
                    ("match.order", {"order_id": "late", "base": end["head"],
                                     "order": {"do": "end_phase"}})):
                conn.refused("phase", method, match=t.match, **params)
        now = state_of(t.ann, t.match)
        equal({k: now[k] for k in ("head", "hash", "state_hash", "offers")},
              {k: end[k] for k in ("head", "hash", "state_hash", "offers")}, "behind the end")
        t.restart()


TESTS = (draw, pause, undo, undo_refused, rematch, after_the_end)

if __name__ == "__main__":
    run(TESTS)
