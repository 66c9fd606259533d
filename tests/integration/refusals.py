#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 180
"""What the referee refuses, over the wire: each with its reason, code and rule; the match's head,
hash and state hash stay as they were."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, catch_up, play, pump_until, seat_pair  # noqa: E402
from lib_wire import equal, need, run  # noqa: E402
from chooser import probe  # noqa: E402
from scenario import EDGES, square_name  # noqa: E402
from rules import step  # noqa: E402

SCENARIO = "first-blood"
NOBODY = "0" * 32
ORDERS_A_PHASE = 1024


class Table:
    """A match under way: `active` has the phase, `idle` not, `eve` has no seat."""

    def __init__(self, server, fair="server", seed="refusals"):
        self.match, self.ann, self.bob = seat_pair(server, SCENARIO, seed, fair=fair)
        self.eve = server.connect()
        self.eve.guest("eve")
        self.ids = 0
        self.turn()

    def turn(self):
        pair = (self.ann, self.bob)
        self.active = next(b for b in pair if self.game(b).active == b.views[self.match].side())
        self.idle = pair[1 - pair.index(self.active)]

    def game(self, bot=None):
        return (bot or self.ann).views[self.match].game

    def head(self):
        return self.ann.views[self.match].head

    def new_id(self):
        self.ids += 1
        return "t-%d" % self.ids

    def place(self):
        """What the server says of the match now."""
        sync = self.eve.call("match.watch", match=self.match)
        self.eve.call("match.unwatch", match=self.match)
        return sync["head"], sync["hash"], sync["state_hash"]

    def params(self, order, order_id=None, base=None):
        return {"match": self.match, "order_id": order_id or self.new_id(), "order": order,
                "base": self.head() if base is None else base}

    def refused(self, reason, conn, order, **how):
        """conn's order is refused and nothing changes: the error's data."""
        before = self.place()
        data = conn.refused(reason, "match.order", **self.params(order, **how))
        equal(self.place(), before, "the match behind a refused order")
        return data

    def give(self, bot, order, order_id=None):
        """A good order: its seq, all having seen what came of it."""
        seq = bot.call("match.order", **self.params(order, order_id))["seq"]

        def seen():
            views = [b.views[self.match] for b in (self.ann, self.bob)]
            return all(v.head >= seq and v.journal.settled() and not v.journal.open for v in views)
        pump_until([self.ann, self.bob], seen, "order %d" % seq)
        catch_up([self.ann, self.bob], self.match)
        self.turn()
        return seq

    def own(self, bot):
        """A figure of that bot's side on the board."""
        side = bot.views[self.match].side()
        return next(f for f in self.game().figures if f.side == side and f.at is not None)

    def legal_move(self):
        """A move of the active side that needs no dice: (order, another of the same figure)."""
        found = []
        for fig in self.game().figures:
            for way in EDGES:
                order = {"do": "turn", "figures": [fig.id], "face": way}
                side = self.game().side_id(fig.side)
                if probe(self.game(), dict(order, side=side))[0] == "events":
                    found.append(order)
            if len(found) >= 2 and fig.side == self.game().active:
                return found[0], found[1]
        raise AssertionError("nobody can turn")


def with_rule(table, order):
    """The active side's order is illegal by the reference's rule."""
    side = table.game().side_id(table.game().active)
    what, refused = probe(table.game(), dict(order, side=side))
    equal(what, "refused", "the reference on %s" % order)
    data = table.refused("illegal", table.active, order)
    equal(data["rule"], refused.rule, "rule for %s" % order)


def out_of_turn(server):
    table = Table(server)
    fig = table.own(table.idle)
    for order in ({"do": "end_phase"}, {"do": "undo"},
                  {"do": "turn", "figures": [fig.id], "face": fig.face},
                  {"do": "fire", "square": square_name(fig.at), "face": fig.face}):
        table.refused("turn", table.idle, order)


def another_s_figure(server):
    table = Table(server)
    fig = table.own(table.idle)
    with_rule(table, {"do": "turn", "figures": [fig.id], "face": "n"})
    ahead = square_name(step(fig.at, fig.face))
    with_rule(table, {"do": "move", "figures": [fig.id], "path": [ahead]})
    with_rule(table, {"do": "fire", "square": square_name(fig.at), "face": fig.face})


def illegal(server):
    """Paths, shots and the rest, by rule."""
    table = Table(server)
    fig = table.own(table.active)
    x, y = fig.at
    diagonal = square_name((x + (1 if x == 0 else -1), y + (1 if y == 0 else -1)))
    with_rule(table, {"do": "move", "figures": [fig.id], "path": [diagonal]})
    with_rule(table, {"do": "move", "figures": [fig.id], "path": []})
    with_rule(table, {"do": "move", "figures": [fig.id], "path": ["bl64"]})
    far = [square_name((x, i)) for i in range(y + 1, y + 6)]
    if len(far) == 5:
        with_rule(table, {"do": "move", "figures": [fig.id], "path": far})
    with_rule(table, {"do": "move", "figures": [fig.id], "path": [], "exit": "n"})
    with_rule(table, {"do": "turn", "figures": [fig.id, fig.id], "face": "n"})
    with_rule(table, {"do": "undo"})
    empty = next(s for s in ((i, j) for i in range(4) for j in range(4))
                 if not table.game().standing(s))
    with_rule(table, {"do": "fire", "square": square_name(empty), "face": "n"})
    turn, _ = table.legal_move()
    table.give(table.active, turn)
    with_rule(table, turn)  # it has acted


def shapes(server):
    """Orders that aren't: params, with the member's name."""
    table = Table(server)
    fig = table.own(table.active)
    bad = ({}, {"do": "dance"}, {"do": 1}, {"do": "turn", "figures": [fig.id]},
           {"do": "turn", "figures": [], "face": "n"},
           {"do": "turn", "figures": fig.id, "face": "n"},
           {"do": "turn", "figures": [1], "face": "n"},
           {"do": "turn", "figures": [fig.id], "face": "north"},
           {"do": "move", "figures": [fig.id]}, {"do": "move", "figures": [fig.id], "path": "a1"},
           {"do": "move", "figures": [fig.id], "path": ["a1"], "exit": "up"},
           {"do": "fire", "square": "a1"}, {"do": "fire", "face": "n"}, [], "end_phase", None, 7)
    for order in bad:
        data = table.refused("params", table.active, order)
        need(data["field"].split(".")[0] == "order", "field of %s: %s" % (order, data["field"]))
    good = {"do": "end_phase"}
    conn = table.active
    for order_id in ("", "x" * 33, 5, None, []):
        params = table.params(good)
        params["order_id"] = order_id
        data = conn.refused("params", "match.order", **params)
        equal(data["field"], "order_id", "field of order_id %r" % (order_id,))
    for base in (-1, "3", None, table.head() + 1, 2 ** 53):
        params = table.params(good)
        params["base"] = base
        data = conn.refused("params", "match.order", **params)
        equal(data["field"], "base", "field of base %r" % (base,))
    for name in ("match", "order_id", "base", "order"):
        params = table.params(good)
        del params[name]
        data = conn.refused("params", "match.order", **params)
        equal(data["field"], name, "field when %s is missing" % name)


def unknown_match(server):
    table = Table(server)
    for match in (NOBODY, 999999):
        params = dict(table.params({"do": "end_phase"}), match=match)
        table.active.refused("not_found", "match.order", **params)
        for method in ("match.sync", "match.watch", "match.legal", "match.resign", "match.record",
                       "match.join", "match.cancel", "match.claim"):
            table.eve.refused("not_found", method, match=match)
    for match in ("", "xyz", -1, NOBODY[:-1], NOBODY[:-1] + "G", {}, None, True):
        equal(table.eve.refused("params", "match.sync", match=match)["field"], "match",
              "field of match %r" % (match,))


def second_seat(server):
    table = Table(server)
    before = table.place()
    table.eve.refused("conflict", "match.join", match=table.match)
    table.ann.refused("conflict", "match.join", match=table.match)
    view = table.bob.views[table.match]
    equal(table.bob.call("match.join", match=table.match),
          {"side": view.journal.sides[view.side()]}, "the seat's holder joins again")
    equal(table.place(), before, "the match behind second seats")


def without_a_seat(server):
    """Nothing that a seat does is done by anybody else, watching or not."""
    table = Table(server)
    watcher = server.connect()
    watcher.guest("wat")
    watcher.call("match.watch", match=table.match)
    for conn in (table.eve, watcher):
        table.refused("denied", conn, {"do": "end_phase"})
        before = table.place()
        for method, params in (("match.resign", {}), ("match.claim", {}), ("match.legal", {}),
                               ("match.offer", {"offer": "draw"}),
                               ("match.answer", {"offer_id": 1, "accept": True}),
                               ("match.anchor", {"generation": 0, "anchor": "ab" * 32}),
                               ("match.share", {"roll": 2, "share": "ab" * 32}),
                               ("match.chat", {"to": "players", "text": "psst"})):
            if method == "match.legal":
                continue  # looking is free
            conn.refused("denied", method, match=table.match, **params)
        equal(table.place(), before, "the match behind strangers' calls")


def nobody_yet(server):
    """Before hello: phase. Before login: auth."""
    table = Table(server)
    params = table.params({"do": "end_phase"})
    conn = server.connect()
    conn.refused("phase", "match.order", **params)
    conn.refused("phase", "session.guest", name="newbie")
    conn.hello()
    conn.refused("phase", "session.hello", protocol=1, client="again")
    conn.refused("auth", "match.order", **params)
    for method in ("match.sync", "match.watch", "match.legal", "match.resign", "match.record"):
        conn.refused("auth", method, match=table.match)
    conn.refused("auth", "lobby.list")
    conn.refused("method", "match.fly", match=table.match)
    fresh = server.connect()
    fresh.refused("version", "session.hello", protocol=2, client="from the future")


def before_the_start(server):
    """An open match, then one whose set-up isn't finished."""
    ann, bob = Bot(server, "ann", 1), Bot(server, "bob", 1)
    eve = server.connect()
    eve.guest("eve")
    match = ann.create(SCENARIO, side="random", clock={"kind": "none"}, fair="strict")
    order = {"match": match, "order_id": "early", "base": 1, "order": {"do": "end_phase"}}
    ann.refused("phase", "match.order", **order)
    eve.refused("denied", "match.order", **order)
    # bob joins, but sends no anchor: the salt roll can't be
    equal(bob.call("match.join", match=match), {"side": None}, "side before the salt roll")
    ann.refused("phase", "match.order", **order)
    bob.refused("phase", "match.order", **order)
    for method in ("match.resign", "match.claim"):
        ann.refused("phase", method, match=match)
    ann.refused("phase", "match.offer", match=match, offer="draw")
    ann.refused("phase", "match.legal", match=match)
    ann.refused("phase", "match.share", match=match, roll=1, share="ab" * 32)
    sync = eve.call("match.watch", match=match)
    equal((sync["state_hash"], sync["head"]), (None, 3), "a match in set-up")
    need(not {"players", "state", "side"} & set(sync), "no players before the start")


def stale_and_above(server):
    table = Table(server)
    turn, other = table.legal_move()
    old = table.head()
    table.give(table.active, turn)
    data = table.refused("stale", table.active, {"do": "end_phase"}, base=old)
    equal(data["head"], table.head(), "the head that a stale order is told")
    table.refused("params", table.active, {"do": "end_phase"}, base=table.head() + 1)
    # Chat and presence make no base stale; the head's own number is the newest that isn't.
    table.active.call("match.chat", match=table.match, to="all", text="well?")
    seq = table.give(table.active, {"do": "undo"})
    equal(seq, table.head() - 1, "an undo and its event")
    table.refused("stale", table.active, other, base=seq)
    equal(table.give(table.active, other), table.head() - 1, "the order at the head's base")


def same_id(server):
    """order_id: the same body the same answer, another a conflict, a refused one stays free."""
    table = Table(server)
    turn, other = table.legal_move()
    fig = table.own(table.idle)
    table.refused("illegal", table.active, {"do": "turn", "figures": [fig.id], "face": "n"},
                  order_id="mine")
    giver = table.active
    base = table.head()
    seq = table.give(giver, turn, "mine")
    after = table.place()
    for again in range(3):
        params = table.params(turn, "mine", base if again else None)
        equal(giver.call("match.order", **params), {"seq": seq}, "the same order again")
    table.refused("conflict", giver, other, order_id="mine")
    table.refused("conflict", giver, {"do": "end_phase"}, order_id="mine", base=base)
    for body in ({"do": "dance"}, {}):  # the id is looked up before all else
        table.refused("conflict", giver, body, order_id="mine")
    table.refused("conflict", giver, other, order_id="mine", base=table.head() + 9)
    # Members in another order are the same body.
    shuffled = dict(reversed(list(turn.items())))
    equal(giver.call("match.order", **table.params(shuffled, "mine")), {"seq": seq}, "same body")
    equal(table.place(), after, "the match behind repeated orders")
    # The other seat has ids of its own, the same words included.
    while table.active is giver:
        table.give(giver, {"do": "end_phase"})
    table.give(table.active, {"do": "end_phase"}, "mine")
    # ten at once
    table_order, _ = table.legal_move()
    bot = table.active
    ids = [bot.conn.send("match.order", **table.params(table_order, "ten", table.head()))
           for _ in range(10)]
    box = {}
    for request_id in ids:
        bot.waiting[request_id] = lambda result, key=request_id: box.update({key: result})
    pump_until([table.ann, table.bob], lambda: len(box) == 10, "ten answers")
    need(len({str(v) for v in box.values()}) == 1 and "seq" in box[ids[0]], "ten answers %s" % box)
    catch_up([table.ann, table.bob], table.match)
    equal(table.head(), box[ids[0]]["seq"] + 1, "one order and one event")


def behind_the_end(server):
    table = Table(server)
    turn, other = table.legal_move()
    giver = table.active
    seq = table.give(giver, turn, "last")
    giver.call("match.resign", match=table.match)
    pump_until([table.ann, table.bob],
               lambda: all(b.views[table.match].over() for b in (table.ann, table.bob)), "the end")
    loser = giver.views[table.match].side()
    equal(table.game().over, (1 - loser, "resign"), "who won")
    for bot in (table.ann, table.bob):
        table.refused("phase", bot, other)
        table.refused("phase", bot, {"do": "undo"})
    table.refused("denied", table.eve, other)
    again = giver.call("match.order", **table.params(turn, "last"))
    equal(again, {"seq": seq}, "an order known from before the end")
    table.refused("conflict", giver, other, order_id="last")
    before = table.place()
    for bot in (table.ann, table.bob):
        bot.refused("phase", "match.resign", match=table.match)
        bot.refused("phase", "match.claim", match=table.match)
        bot.refused("phase", "match.offer", match=table.match, offer="draw")
        bot.refused("phase", "match.anchor", match=table.match, generation=1, anchor="0" * 64)
    table.ann.refused("phase", "match.cancel", match=table.match)
    equal(table.place(), before, "the match behind its end")


def open_roll(server):
    """While a roll is open: no other order; shares and anchors by DICE."""
    table = Table(server, "strict", "open roll")
    pair = (table.ann, table.bob)
    for one in pair:  # the links stay in the hand for now
        one.answer_request = lambda view: None
    views = [one.views[table.match] for one in pair]
    while not views[0].journal.open:
        table.turn()
        bot, params = table.active, table.params({"do": "end_phase"})
        seq = bot.call("match.order", **params)["seq"]
        pump_until(pair, lambda: all(v.head >= seq and v.journal.settled() for v in views),
                   "end of a phase")
        catch_up(pair, table.match)
    other, view = table.idle, bot.views[table.match]
    roll, others = view.journal.n + 1, other.views[table.match]
    pump_until(pair, lambda: view.asked and others.asked, "the requests")
    equal((view.asked["roll"], view.asked["seq"]), (roll, seq), "what is asked for")
    table.refused("phase", bot, {"do": "undo"})
    table.refused("phase", bot, {"do": "end_phase"})
    table.refused("denied", table.eve, {"do": "end_phase"})
    equal(bot.call("match.order", **params), {"seq": seq}, "the order again while its roll is open")
    open_shares(table, bot, other, roll)
    for one in pair:
        del one.answer_request
        one.views[table.match].asked = None
    pump_until(pair, lambda: all(v.journal.n == roll for v in views), "the roll")
    catch_up(pair, table.match)
    link = view.chains[0][1][roll].hex()
    for one in pair:
        one.refused("phase", "match.share", match=table.match, roll=roll, share=link)
        one.refused("phase", "match.anchor", match=table.match, generation=2, anchor="0" * 64)
        anchor = one.views[table.match].chains[0][1][0].hex()
        equal(one.call("match.anchor", match=table.match, generation=0, anchor=anchor), {},
              "the same anchor again")
        one.refused("conflict", "match.anchor", match=table.match, generation=0, anchor="0" * 64)


def open_shares(table, bot, other, roll):
    """What is refused of shares and anchors in an open roll, then the right ones."""
    link = bot.views[table.match].link(bot.views[table.match].asked)
    before = table.place()
    match = table.match
    bot.refused("dice", "match.share", match=match, roll=roll, share="12" * 32)
    bot.refused("phase", "match.share", match=match, roll=roll - 1, share=link)
    bot.refused("phase", "match.share", match=match, roll=roll + 1, share=link)
    bot.refused("params", "match.share", match=match, roll=roll, share="short")
    bot.refused("phase", "match.anchor", match=match, generation=1, anchor="ab" * 32)
    equal(table.place(), before, "the match behind refused shares")
    for _ in range(2):  # the same share again gives the same answer
        equal(bot.call("match.share", match=match, roll=roll, share=link), {}, "the share")
    equal(table.place(), before, "one link isn't enough in strict")
    bot.refused("dice", "match.share", match=match, roll=roll, share="12" * 32)
    equal(table.place(), before, "the match behind a second, wrong share")
    view = other.views[match]
    equal(other.call("match.share", match=match, roll=roll, share=view.link(view.asked)), {},
          "the other's share")


def too_many(server):
    """1,024 orders of a seat in a phase, undo counted; then only its end is taken."""
    table = Table(server)
    bot, view = table.active, table.active.views[table.match]
    turn, _ = table.legal_move()
    for count in range(ORDERS_A_PHASE):
        order = {"do": "undo"} if count % 2 else turn
        bot.order(view, order)
        bot.conn.wait(lambda: not view.flying and view.journal.settled(), "order %d" % count)
    catch_up([table.ann, table.bob], table.match)
    table.refused("phase", bot, turn)
    table.refused("phase", bot, {"do": "undo"})
    table.give(bot, {"do": "end_phase"})
    need(view.game.active != view.side() or view.game.turn > 1, "the phase has ended")


def to_the_end(server):
    """Refused orders of every kind in a whole game change nothing in it."""
    table = Table(server, "server", "to the end")
    bots = [table.ann, table.bob]

    def poke(_bots):
        fig = table.own(table.idle)
        table.eve.refused("denied", "match.order", **table.params({"do": "end_phase"}))
        for bot in bots:
            params = table.params({"do": "turn", "figures": [fig.id], "face": "n"}, base=10 ** 6)
            bot.refused("params", "match.order", **params)
    play(bots, table.match, step=poke)
    table.ann.verified_record(table.match)


TESTS = (out_of_turn, another_s_figure, illegal, shapes, unknown_match, second_seat, without_a_seat,
         nobody_yet, before_the_start, stale_and_above, same_id, behind_the_end, open_roll,
         too_many, to_the_end)

if __name__ == "__main__":
    run(TESTS)
