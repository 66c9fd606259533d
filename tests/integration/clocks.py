# SPDX-License-Identifier: ISC
# timeout: 300
"""clocks.py -- time over the wire: live and correspondence, restarts, presence, vacation, absence.

What needs minutes or days of waiting is tests/unit/core_clocks.c, in simulated time."""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_club import (LIVE, MAIL, NO_CLOCK, active, end_phase, entries, equal, guest,  # noqa
                      login, member, need, seated, state_of, until)
from lib_wire import run  # noqa: E402

DAY_MS = 86400000


def restart(server, kill):
    server.kill() if kill else server.stop()
    server.start()
    return login(server, "ann"), login(server, "bob")


def left(conn, match):
    """(red's, blue's, who runs)."""
    def runs():  # with the server's dice a turn's roll is the server's own moment
        clock = state_of(conn, match)["clock"]
        return clock["running"] and clock
    clock = until(runs, "a clock to run")
    return clock["left"]["red"], clock["left"]["blue"], clock["running"]


def live(server):
    """Main time, an increment a phase; entries say what was left, and it is conserved."""
    ann, bob = member(server, "ann"), member(server, "bob")
    began = time.monotonic()
    match, *_ = seated(ann, bob, clock=LIVE)
    red, blue, running = left(ann, match)
    gone = (time.monotonic() - began) * 1000 + 50
    need(605000 - gone < (red if running == "red" else blue) <= 605000, "main time and increment")
    equal(blue if running == "red" else red, 600000, "main time")
    for phases in range(2, 8):
        who, other = active(ann, bob, match)
        seq = end_phase(who, match)["seq"]
        order = [e for e in entries(who, match) if e["seq"] == seq][0]
        need(set(order["left"]) == {"red", "blue"}, "left of the order: %s" % order)
        red, blue, running = left(ann, match)
        need(running in ("red", "blue"), "nobody's clock runs")
        spent = 1200000 + 5000 * phases - red - blue
        need(0 <= spent <= (time.monotonic() - began) * 1000 + 50, "spent %d" % spent)


def restarts(server):
    """Down time is never charged; a crash costs a second at most, and hands nothing out."""
    ann, bob = member(server, "ann"), member(server, "bob")
    began = time.monotonic()
    match, *_ = seated(ann, bob, clock=LIVE)
    for turn in range(6):
        end_phase(active(ann, bob, match)[0], match)
        up = time.monotonic()
        red, blue, running = left(ann, match)
        kill = turn % 2 == 0
        ann, bob = restart(server, kill)
        red2, blue2, running2 = left(ann, match)
        lost = red + blue - red2 - blue2
        served = (time.monotonic() - up) * 1000  # at most: the down time is in it
        equal(running2, running, "who runs")
        need(-1 <= lost <= served + (1000 if kill else 0), "%s cost %d ms (%d)" % (
            "SIGKILL" if kill else "SIGTERM", lost, served))
        equal(red2 if running == "blue" else blue2, red if running == "blue" else blue,
              "the other's clock")
    spent = 1200000 + 5000 * 7 - sum(left(ann, match)[:2])
    need(spent <= (time.monotonic() - began) * 1000 + 3 * 1000, "spent %d in all" % spent)


def flag_falls(server):
    """It ends by itself, at once, with both gone too; the record says so."""
    ann, bob = member(server, "ann"), member(server, "bob")
    for away in (False, True):
        match, *_ = seated(ann, bob, clock={"kind": "live", "main_s": 1, "phase_s": 1})
        loser = left(ann, match)[2]
        if away:
            ann.abort()
            bob.abort()
            watch = guest(server, "watch")
            watch.call("match.watch", match=match)
            over = watch.wait_note("match.event", lambda p: p["entry"]["kind"] == "over")["entry"]
            ann, bob = login(server, "ann"), login(server, "bob")
        else:
            over = ann.wait_note("match.event", lambda p: p["entry"]["kind"] == "over")["entry"]
        equal((over["reason"], over["winner"]), ("time", "blue" if loser == "red" else "red"),
              "the end")
        equal(over["left"][loser], 0, "left")
        begun = [e["ts"] for e in entries(ann, match) if e["kind"] == "started"][0]
        need(1980 <= over["ts"] - begun <= 2900, "fell after %d ms" % (over["ts"] - begun))
        equal(ann.call("match.mine"), {"matches": []}, "seats")


def correspondence(server):
    """Days a phase, whole again with each; from 1 to 30; strict dice don't go with it."""
    ann, bob = member(server, "ann"), member(server, "bob")
    for days in (0, 31, -1, "3", None):
        ann.refused("params", "match.create", scenario="first-blood", side="red",
                    clock={"kind": "correspondence", "days": days})
    ann.refused("params", "match.create", scenario="first-blood", side="red", clock=MAIL,
                fair="strict")
    for days in (1, 30):
        match, *_ = seated(ann, bob, clock={"kind": "correspondence", "days": days})
        for _ in range(3):
            red, blue, _ = left(ann, match)
            need(days * DAY_MS - 60000 < min(red, blue) <= max(red, blue) <= days * DAY_MS,
                 "left %d, %d" % (red, blue))
            end_phase(active(ann, bob, match)[0], match)
    ann, bob = restart(server, True)
    equal(len(ann.call("match.mine")["matches"]), 2, "games")


def vacation(server):
    """Days on top in every correspondence game, told to both; kept; a yearly allowance."""
    ann, bob = member(server, "ann"), member(server, "bob")
    one, *_ = seated(ann, bob, clock=MAIL)
    two, *_ = seated(bob, ann, clock=MAIL, side="blue")
    none, *_ = seated(ann, bob, clock=NO_CLOCK)
    equal(ann.call("player.vacation", days=0), {"until_ms": 0, "days_left": 30}, "none yet")
    for bad in (-1, 400, "3", None, 1.5):
        reason = "parse" if bad == 1.5 else "params"
        if reason == "params":
            ann.refused(reason, "player.vacation", days=bad)
    guest(server, "gus").refused("denied", "player.vacation", days=1)
    for match in (one, two):
        state_of(bob, match)
    bob.notes.clear()
    told = ann.call("player.vacation", days=10)
    equal(told["days_left"], 20, "days left")
    need(abs(told["until_ms"] - (time.time() * 1000 + 10 * DAY_MS)) < 60000, "until")
    for match in (one, two):
        note = bob.wait_note("match.clock", lambda p, m=match: p["match"] == m)
        need(note["left"]["red"] > 12 * DAY_MS, "told to bob: %s" % note)
        red, blue, _ = left(bob, match)
        need(red > 12.9 * DAY_MS and blue <= 3 * DAY_MS, "left %d, %d" % (red, blue))
    need("clock" in state_of(ann, none), "a game without a clock")
    ann.refused("denied", "player.vacation", days=21)
    ann, bob = restart(server, True)
    need(left(ann, one)[0] > 12.9 * DAY_MS, "after a restart")
    equal(ann.call("player.vacation", days=0)["days_left"], 20, "after a restart")
    three, *_ = seated(ann, bob, clock=MAIL)  # begins meanwhile
    until(lambda: left(bob, three)[0] > 12.9 * DAY_MS, "the rest of it in a new game")
    for match in (one, three):
        end_phase(active(ann, bob, match)[0], match)  # a new phase: its days and the rest
        red, blue, _ = left(bob, match)
        need(red > 12.9 * DAY_MS and blue <= 3 * DAY_MS, "left %d, %d" % (red, blue))


def presence(server):
    """Fifteen seconds away is an entry, and so is the return; a blink is none; claims wait."""
    ann, bob = member(server, "ann"), member(server, "bob")
    match, *_ = seated(ann, bob, clock=LIVE)
    who, other = active(ann, bob, match)
    name = who.label
    side = state_of(who, match)["side"]
    state_of(other, match)
    other.refused("phase", "match.claim", match=match)  # is there
    who.abort()
    other.wait_note("match.presence", lambda p: not all(s["online"] for s in p["seats"]))
    data = other.refused("phase", "match.claim", match=match)
    need(115000 < data["retry_ms"] <= 120000, "claim after %s" % data)
    who = login(server, name)  # a blink
    other.settle()
    need("presence" not in [e["kind"] for e in entries(other, match)], "a blink in the journal")
    who.abort()
    gone = other.wait_note("match.event", lambda p: p["entry"]["kind"] == "presence")["entry"]
    equal((gone["side"], gone["online"]), (side, False), "the entry")
    who = login(server, name)
    back = other.wait_note("match.event", lambda p: p["entry"]["kind"] == "presence")["entry"]
    equal((back["side"], back["online"]), (side, True), "the return")
    need(14500 < gone["ts"] - [e for e in entries(other, match) if e["kind"] == "started"][0]["ts"],
         "too early")


TESTS = (live, restarts, flag_falls, correspondence, vacation, presence)

if __name__ == "__main__":
    run(TESTS)
