#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 400
"""resend.py [--cuts N] [TEST...]: an order is applied once, whatever happens to its answer.

Connections that break behind the commit and before the reply, at any byte of it, within an order,
or anywhere; reconnects before the server has seen the old connection's end; syncs while the opponent's
order is on its way; many copies of an order in one packet and over several connections, with other
bodies among them, and again after a SIGKILL. Whole games, every entry checked, records verified.
"""
import argparse
import itertools
import json
import os
import random
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import play, pump_until, same_end, started  # noqa: E402
from lib_crash import Lost, Mortal, Player  # noqa: E402
from lib_proxy import Cut, Proxy  # noqa: E402
from lib_wire import PATIENCE_S, Failure, equal, need, program, pump_all  # noqa: E402

SCENARIO = "first-blood"
NONE = {"kind": "none"}
ONLOOKERS = itertools.count()  # names of guests, who keep them for a day


class Via:
    """What a Player needs of a server, through a proxy."""

    def __init__(self, server, proxy):
        self.address, self.served_s = proxy.address, server.served_s


def pair(server, rng, tag, fair, first=None, second=None):
    """Two players in a match that has started, each by its own way: (match, ann, bob)."""
    ann = Player(first or server, "ann-%s" % tag, rng.random())
    bob = Player(second or server, "bob-%s" % tag, rng.random())
    match = ann.create(SCENARIO, side="random", clock=NONE, fair=fair)
    bob.join(match, SCENARIO)
    started([ann, bob], match)
    return match, ann, bob


def finish(match, ann, bob):
    """Records are sound and alike, every acknowledged order stands and answers as before."""
    for player in (ann, bob):
        player.look(player.views[match])
    same_end([ann, bob], match)
    equal(ann.verified_record(match), bob.verified_record(match), "records")
    for player in (ann, bob):
        view = player.views[match]
        need(not view.flying, "an order is still under way")
        for _ in range(min(5, len(view.acked))):
            player.ask_again(view)
        player.close()


# ---- cut connections

def any_cut(rng):
    """Behind the commit and before the reply, mostly."""
    dart, linger, reset = rng.random(), rng.random() < 0.3, rng.random() < 0.3
    if dart < 0.6:
        return Cut(reply=rng.choice((1, 1, 2, 3)), keep=rng.choice((0, 0, 1, 20, 39, 40, 41, 10000)),
                   linger=linger, reset=reset)
    if dart < 0.8:
        return Cut(up=rng.randint(300, 1500), linger=linger, reset=reset)
    return Cut(down=rng.randint(700, 4000), linger=linger, reset=reset)


def persist(player):
    """Come back, through connections that break meanwhile too."""
    while True:
        try:
            player.come_back()
            return
        except Lost:
            player.drain()


def play_on(match, players):
    """Play to the end; who loses the connection comes back, the others go on."""
    def truth():
        for player in players:
            if player.conn.closed:
                player.drain()
                persist(player)
        return all(player.views[match].over() for player in players)
    while not truth():
        for player in players:
            try:
                player.think(player.views[match])
            except Lost:
                player.drain()
                persist(player)
        conns = [player.conn for player in players]
        if all(conn.closed for conn in conns):
            continue
        if not pump_all(conns, PATIENCE_S):
            raise Failure("nothing happens any more\n%s" % "\n\n".join(
                "%s\n%s" % (conn.label, conn.traffic()) for conn in conns))


class Breaking:
    """Every connection through this proxy breaks, once it is told to."""

    def __init__(self, server, rng):
        self.rng, self.on = rng, False
        self.proxy = Proxy(server.address, self.plan)
        self.via = Via(server, self.proxy)

    def plan(self):
        return any_cut(self.rng) if self.on else None


def cut_games(server, rng, cuts):
    """Both players' wires break all the time, until so many have."""
    done, resent, repeated, games = 0, 0, 0, 0
    while done < cuts:
        fair = ("strict", "normal", "server")[games % 3]
        wires = [Breaking(server, rng), Breaking(server, rng)]
        match, ann, bob = pair(server, rng, "cut%d" % games, fair, wires[0].via, wires[1].via)
        for wire, player in zip(wires, (ann, bob)):
            wire.on = True
            player.conn.abort()  # the next connection breaks
            player.before_order = lambda *_: [w.proxy.release() for w in wires
                                              if rng.random() < 0.2]
        play_on(match, [ann, bob])
        for wire, player in zip(wires, (ann, bob)):
            wire.on = False
            wire.proxy.release()
            player.drain() if player.conn.closed else player.conn.abort()
            persist(player)
            done += wire.proxy.cuts
        finish(match, ann, bob)
        for wire in wires:
            wire.proxy.close()
        resent += ann.resent + bob.resent
        repeated += ann.resent_done + bob.resent_done
        games += 1
    print("%d cuts in %d games: of %d orders without an answer %d were done" % (
        done, games, resent, repeated))
    need(repeated > cuts // 5, "the cuts don't come behind the commit")


# ---- a sync while an order is on its way

def strictly(events, head, text):
    """Consecutive entries from behind `head` on."""
    for event in events:
        equal(event["entry"]["seq"], head + 1, text)
        head += 1
    return head


class Plain:
    """No schema, where many read the same."""
    note_request = staticmethod(lambda text: None)
    check_server_line = staticmethod(json.loads)


class Race:
    """Readers who come while an order is on its way, at a moment between its sending and a little
    behind its usual answer."""

    def __init__(self, server, rng, match, rounds):
        self.server, self.rng, self.match, self.rounds = server, rng, match, rounds
        self.readers = []  # (conn, request, after, order_id)
        self.ready, self.sent, self.takes = None, 0.0, 0.002

    def prepare(self, _bot, _view):
        """Before an order is given: the next reader, logged in."""
        if len(self.readers) < self.rounds and self.ready is None:
            self.ready = self.server.connect()
            self.ready.hello()
            self.ready.call("session.guest")
            self.ready.checker = Plain()
        self.sent = time.perf_counter()

    def go(self, view):
        """An order has just been sent."""
        if self.ready is None:
            return
        until = self.sent + self.rng.uniform(0, 2 * self.takes)
        while time.perf_counter() < until:
            pass
        after = self.rng.choice((None, 0, view.head))
        asked = {} if after is None else {"after": after}
        request = self.ready.send("match.watch", match=self.match, **asked)
        self.readers.append((self.ready, request, after, view.flying[0]))
        self.ready = None

    def note(self, view):
        """An answer is here?"""
        if view.flying is None and self.sent:
            self.takes = min(0.1, time.perf_counter() - self.sent)
            self.sent = 0.0


def opponent_orders_meanwhile(server, rng, rounds):
    """A reader comes at the same moment as an order: what sync gave and what follows join without a
    gap and nothing comes twice."""
    early, n = 0, 0
    while n < rounds:
        match, ann, bob = pair(server, rng, "race%d" % n, "normal")
        race = Race(server, rng, match, rounds - n)
        ann.before_order = bob.before_order = race.prepare
        race_on(match, [ann, bob], race)
        whole = stream(ann, match)
        for reader in race.readers:
            early += check_reader(match, reader, whole)
            reader[0].close()
        n += len(race.readers)
        finish(match, ann, bob)
    print("%d readers, %d before the order" % (n, early))
    need(0 < early < n or rounds < 30, "the race is always won by the same")


def race_on(match, players, race):
    """Play to the end."""
    while not all(player.views[match].over() for player in players):
        for player in players:
            view = player.views[match]
            if player.think(view):
                race.go(view)
        need(pump_all([player.conn for player in players], PATIENCE_S), "nothing happens any more")
        for player in players:
            race.note(player.views[match])


def stream(player, match):
    """All events, page by page."""
    events, more = [], True
    while more:
        page = player.call("match.sync", match=match, after=len(events))
        events, more = events + page["events"], "next" in page
    return events


def check_reader(match, reader, whole):
    """Is the sync's head before the order? All that it was given is in the stream, once."""
    conn, request, after, order_id = reader
    result = conn.reply(request)
    first = result.get("state_seq", 0) if after is None else after
    events, page = list(result["events"]), result
    while "next" in page:  # not told of anything new before it has the last page
        page = conn.call("match.watch", match=match, after=page["next"])
        events += page["events"]
    head = strictly(events, first, "the pages")
    equal(page["head"], head, "the last page ends at the head")
    conn.settle()  # what the players know was sent before this answer
    live = [n["params"] for n in conn.notes if n["method"] == "match.event"]
    strictly(live, head, "live behind the page")
    events += [{k: v for k, v in event.items() if k != "match"} for event in live]
    equal(events, whole[first:], "what the reader saw")
    return not any(e["entry"].get("order_id") == order_id for e in result["events"])


# ---- the old connection is still there

def old_socket_open(server, rng, rounds):
    """A player comes back on a new wire while the server still holds the old one, plays on, and then
    the old one's end arrives: nothing changes by it."""
    breaking = Breaking(server, rng)
    match, ann, bob = pair(server, rng, "old", "strict", breaking.via)
    def plan():
        return Cut(reply=rng.randint(2, 3), keep=rng.randint(0, 45), linger=True)

    breaking.proxy.plan = plan
    released = []

    def settle_old(_bot, _view):
        if len(breaking.proxy.held) > rng.randint(0, 3):
            released.append(breaking.proxy.release())

    ann.before_order = bob.before_order = settle_old
    ann.conn.abort()
    games = 0
    while sum(released) < rounds:
        play_on(match, [ann, bob])
        breaking.proxy.plan = lambda: None
        persist(ann)
        released.append(breaking.proxy.release())
        online(server, ann, bob, match)
        finish(match, ann, bob)
        games += 1
        if sum(released) < rounds:
            match, ann, bob = pair(server, rng, "old%d" % games, "strict", breaking.via)
            ann.before_order = bob.before_order = settle_old
            breaking.proxy.plan = plan
            ann.conn.abort()
    print("%d old connections ended late, in %d games" % (sum(released), games))


def online(server, ann, bob, match):
    """Both are there: their new connections are asked and told, whatever the old ones did."""
    conn = server.connect()
    conn.guest("onlooker%d" % next(ONLOOKERS))
    conn.call("match.watch", match=match)
    seats = conn.wait_note("match.presence")["seats"]
    need(all(seat["online"] for seat in seats) or ann.views[match].over(), "offline: %s" % seats)
    ann.call("session.ping")
    bob.call("session.ping")
    conn.close()


# ---- copies

def answers(conns_and_ids):
    """(seqs of the results, reasons of the errors)."""
    seqs, reasons = [], []
    for conn, request in conns_and_ids:
        message = conn.wait(lambda c=conn, r=request: c.replies.pop(r, None), "an answer")
        if "error" in message:
            reasons.append(message["error"]["data"]["reason"])
        else:
            seqs.append(message["result"]["seq"])
    return seqs, reasons


def more_conns(player, n):
    """More connections of the same account."""
    conns = []
    for _ in range(n):
        conn = player.server.connect()
        conn.hello()
        following = player.rng.randbytes(32).hex()
        conn.call("session.resume", token=player.tokens[0], next=following)
        player.tokens = [following]
        conns.append(conn)
    return conns


def give_copies(player, view, conns, mixed):
    """The order that the player would give, many times at once. `mixed`: another body among them."""
    order = player.chooser_order(view)
    params = {"match": view.match, "order_id": "copy-%d" % view.head, "base": view.head}
    other = {"do": "end_phase"} if order["do"] != "end_phase" else {"do": "undo"}
    asked, packets = [], {}
    for i in range(10 * len(conns)):
        conn = conns[i % len(conns)]
        body = other if mixed and i == 7 else order
        request, text = conn.line("match.order", dict(params, order=body))
        conn.checker.note_request(text)
        packets[conn] = packets.get(conn, "") + text + "\n"
        asked.append((conn, request))
    for conn, packet in packets.items():
        conn.send_raw(packet.encode("utf-8"))
    seqs, reasons = answers(asked)
    equal(set(seqs), {seqs[0]}, "answers to the copies")
    if mixed and reasons != ["conflict"]:  # the other came first, and was taken or refused
        need(set(reasons) == {"conflict"} and len(seqs) == 1, "%s %s" % (seqs, reasons))
        order = other
    elif not mixed:
        equal(reasons, [], "refusals of copies")
    view.acked[params["order_id"]] = (seqs[0], order)


def chooser_order(player, view):
    """A legal order, not given."""
    kept, player.order = player.order, lambda _view, order: setattr(view, "chosen", order)
    try:
        need(player.think(view), "an order is wanted")
    finally:
        player.order = kept
    return view.chosen


def copies(server, rng, rounds):
    """Ten copies in one packet, over four connections, mixed with another body, and after SIGKILL."""
    Player.chooser_order = chooser_order
    for fair in ("strict", "server"):
        match, ann, bob = pair(server, rng, "copies" + fair, fair)
        both = [ann, bob]
        extra = {player: more_conns(player, 3) for player in both}
        for turn in range(rounds):
            pump_until(both, lambda: any(p.views[match].my_turn() for p in both)
                       or all(p.views[match].over() for p in both), "a turn")
            player = next((p for p in both if p.views[match].my_turn()), None)
            if player is None:  # one may know of the end before the other does
                break
            view = player.views[match]
            conns = rng.choice((extra[player][:1], extra[player]))
            give_copies(player, view, conns, mixed=turn % 3 == 2 and len(conns) > 1)
            pump_until(both, lambda v=view: v.head >= max(s for s, _ in v.acked.values()),
                       "the order's entry")
            if turn % 25 == 24:
                server.slay()
                server.buried()
                for conn in [c for conns in extra.values() for c in conns]:
                    conn.close()
                server.start()
                for p in both:
                    p.drain()
                    p.come_back()
                extra = {player: more_conns(player, 3) for player in both}
            if view.acked:
                player.ask_again(view)
        play(both, match)
        finish(match, ann, bob)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("tests", nargs="*")
    args = parser.parse_args()
    program("skirmishd")
    print("seed %d" % args.seed, flush=True)
    failed = []
    for test, n in ((cut_games, args.cuts), (opponent_orders_meanwhile, args.cuts // 2),
                    (old_socket_open, args.cuts // 4), (copies, args.cuts // 5)):
        if args.tests and test.__name__ not in args.tests:
            continue
        began = time.monotonic()
        try:
            with Mortal() as server:
                test(server, random.Random("%d/%s" % (args.seed, test.__name__)), n)
        except Exception:  # whatever it is, the next one has a server of its own
            traceback.print_exc()
            failed.append(test.__name__)
        print("%-28s %s %.1f s" % (test.__name__, "FAILED" if test.__name__ in failed else "ok",
                                   time.monotonic() - began), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
