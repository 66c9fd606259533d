#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Who looks on: a match's delay holds in whatever way one asks, and its cap.

Ann and Bob play with a delay of two phases. At each step the positions, hashes and lists that Ann
has seen are kept; whoever has no seat must be given what was true two phases ago, an umpire what is
true now. Then the server is started again, and the game ends."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_club import (begin, end_phase, entries, guest, login, member,  # noqa: E402
                      state_of, until)
from lib_ctl import ctl  # noqa: E402
from lib_wire import Server, equal, need, run  # noqa: E402

DELAY = 2
PHASES = 5


def visible(all_entries):
    """By PROTOCOL, from the whole journal."""
    if all_entries[-1]["kind"] == "over":
        return len(all_entries)
    phases = [e["seq"] for e in all_entries if e["kind"] == "phase"]
    if not phases:
        return len(all_entries)
    if len(phases) >= DELAY:
        return phases[-DELAY]
    return next(e["seq"] for e in all_entries if e["kind"] == "roll") - 1


class Table:
    """The match as Ann knows it, by the entry that it was true behind."""

    def __init__(self, ann, match):
        self.ann, self.match = ann, match
        self.sync, self.legal, self.listed = {}, {}, {}

    def keep(self):
        """Call when nothing is under way."""
        now = self.ann.call("match.sync", match=self.match)
        self.sync[now["head"]] = now
        if "state" in now:
            self.legal[now["head"]] = self.ann.call("match.legal", match=self.match,
                                                    figure=now["state"]["figures"][0]["id"])
        mine = self.ann.call("match.mine")["matches"]
        self.listed[now["head"]] = {k: mine[0].get(k) for k in ("turn", "active")} if mine else {}

    def entries(self):
        return entries(self.ann, self.match)


def told(conn, match):
    """Seqs of the events that a reader was sent, in order; checked to have no gap."""
    conn.settle()
    seqs = [n["params"]["entry"]["seq"] for n in conn.notes if n["method"] == "match.event"
            and n["params"]["match"] == match]
    equal(seqs, list(range(seqs[0], seqs[0] + len(seqs))) if seqs else [], "events without a gap")
    return seqs


def record_of(conn, match):
    lines, after = [], None
    while True:
        page = conn.call("match.record", match=match, **({"after": after} if after else {}))
        lines += [json.loads(line) for line in page["lines"]]
        after = page.get("next")
        if after is None:
            return lines


def check_sees(conn, table, head):
    """All that this connection can ask for is as it was at `head`."""
    match, then = table.match, table.sync.get(head)
    got = conn.call("match.watch", match=match)
    equal(got["head"], head, "the head of who looks on")
    if then is not None:
        for name in ("hash", "state_hash", "state", "state_seq", "state_seq_hash", "dice", "events"):
            equal(got.get(name), then.get(name), "%s at %d" % (name, head))
    conn.refused("params", "match.watch", match=match, after=head + 1)
    equal(conn.call("match.watch", match=match, after=head)["events"], [], "nothing lies behind it")
    lines = record_of(conn, match)
    equal(lines[-1]["end"]["head"], head, "the record's end")
    equal(len(lines), head + 2, "the record's lines")
    if "state" in got:
        figure = got["state"]["figures"][0]["id"]
        equal(conn.call("match.legal", match=match, figure=figure), table.legal.get(head),
              "what is legal at %d" % head)
    else:
        conn.refused("phase", "match.legal", match=match)


def check_listed(conn, table, head):
    listed = [m for m in conn.call("lobby.list")["matches"] if m["match"] == table.match]
    if head in table.listed and listed[0]["state"] == "live":
        equal({k: listed[0].get(k) for k in ("turn", "active")}, table.listed[head],
              "the lobby at %d" % head)
    equal((listed[0]["delay"], listed[0].get("max_spectators")), (DELAY, None), "delay is listed")


def play_phase(seats, table):
    """One figure turns, then the phase ends; everything is kept."""
    now = state_of(table.ann, table.match)
    conn = seats[now["state"]["active"]]
    figure = next(f for f in now["state"]["figures"]
                  if f["side"] == now["state"]["active"] and f["status"] == "ready")
    face = "e" if figure["face"] != "e" else "n"
    conn.call("match.order", match=table.match, order_id="turn-%d" % now["head"], base=now["head"],
              order={"do": "turn", "figures": [figure["id"]], "face": face})
    table.keep()
    phases = [e for e in table.entries() if e["kind"] == "phase"]
    end_phase(conn, table.match)
    until(lambda: len([e for e in table.entries() if e["kind"] == "phase"]) > len(phases),
          "the next phase")
    table.keep()


def delay_holds(server):
    member(server, "uwe")
    ctl(server, "role", "uwe", "umpire")
    ann, bob, eve, lou = (guest(server, name) for name in ("ann", "bob", "eve", "lou"))
    uwe = login(server, "uwe")
    lou.call("lobby.follow")
    match = ann.call("match.create", scenario="first-blood", side="red", fair="server",
                     clock={"kind": "live", "main_s": 600, "phase_s": 5}, delay=DELAY)["match"]
    equal(eve.call("match.watch", match=match)["delay"], DELAY, "a sync tells the delay")
    bob.call("match.join", match=match)
    begin(ann, bob, match, "server")
    table = Table(ann, match)
    table.keep()
    seats = {state_of(who, match)["side"]: who for who in (ann, bob)}
    for _ in range(PHASES):
        everything = table.entries()
        head, seen = len(everything), visible(everything)
        need(seen < head, "something is hidden")
        check_sees(lou, table, seen)
        check_listed(lou, table, seen)
        equal(uwe.call("match.watch", match=match)["head"], head, "an umpire sees the head")
        equal(record_of(uwe, match)[-1]["end"]["head"], head, "and the whole record")
        equal(told(eve, match)[-1:], [seen], "events so far")
        play_phase(seats, table)
    clocks = [n for n in eve.notes if n["method"] == "match.clock"]
    equal(clocks, [], "no clock is told")
    check_restart(server, match)


def check_restart(server, match):
    """The same after a start, when the marks come from the journal's lines."""
    before = guest(server, "mia").call("match.watch", match=match)
    server.stop()
    server.start()
    lou = guest(server, "lou2")
    after = lou.call("match.watch", match=match)
    for name in ("head", "hash", "state_hash", "state", "dice"):
        equal(after[name], before[name], "%s after a start" % name)


def all_is_shown_at_the_end(server):
    ann, bob, eve = (guest(server, name) for name in ("ann", "bob", "eve"))
    match = ann.call("match.create", scenario="first-blood", side="red", fair="server",
                     clock={"kind": "none"}, delay=DELAY)["match"]
    bob.call("match.join", match=match)
    begin(ann, bob, match, "server")
    seen = eve.call("match.watch", match=match)["head"]
    bob.call("match.resign", match=match)
    everything = until(lambda: [e for e in [entries(ann, match)] if e[-1]["kind"] == "over"],
                       "the end")[0]
    equal(told(eve, match), list(range(seen + 1, len(everything) + 1)), "the rest comes at once")
    got = guest(server, "lou").call("match.watch", match=match)
    equal(got["head"], len(everything), "and who comes now sees it all")
    need("over" in got["state"], "with its end")


def cap_holds(server):
    member(server, "uwe")
    ctl(server, "role", "uwe", "umpire")
    ann, bob, eve, lou, mia = (guest(server, n) for n in ("ann", "bob", "eve", "lou", "mia"))
    uwe = login(server, "uwe")
    match = ann.call("match.create", scenario="first-blood", side="red", fair="server",
                     clock={"kind": "none"}, max_spectators=2)["match"]
    bob.call("match.join", match=match)
    begin(ann, bob, match, "server")
    bob.call("match.sync", match=match)  # a seat is no spectator
    for who in (eve, lou):
        who.call("match.watch", match=match)
        sync = who.call("match.watch", match=match)  # nor counts twice
        equal(sync["max_spectators"], 2, "a sync tells the cap")
    mia.refused("busy", "match.watch", match=match)
    mia.refused("busy", "match.sync", match=match)
    uwe.call("match.watch", match=match)
    uwe.call("match.unwatch", match=match)
    eve.call("match.unwatch", match=match)
    mia.call("match.watch", match=match)
    for bad in (0, -1, "2"):
        ann.refused("params", "match.create", scenario="first-blood", side="red",
                    clock={"kind": "none"}, max_spectators=bad)
    ann.refused("params", "match.create", scenario="first-blood", side="red",
                clock={"kind": "none"}, delay=101)


def guests_may_be_kept_out(_):
    with tempfile.TemporaryDirectory() as path:
        conf = os.path.join(path, "skirmishd.conf")
        with open(conf, "w", encoding="ascii") as out:
            out.write("[accounts]\nguests_watch = no\n")
        with Server("--config", conf) as server:
            ann, bob = guest(server, "ann"), guest(server, "bob")
            match = ann.call("match.create", scenario="first-blood", side="red", fair="server",
                             clock={"kind": "none"})["match"]
            guest(server, "eve").refused("denied", "match.watch", match=match)
            bob.call("match.join", match=match)
            begin(ann, bob, match, "server")  # who plays sees it all the same
            guest(server, "lou").refused("denied", "match.record", match=match)
            member(server, "mia").call("match.watch", match=match)


if __name__ == "__main__":
    run([delay_holds, all_is_shown_at_the_end, cap_holds, guests_may_be_kept_out])
