# SPDX-License-Identifier: ISC
# timeout: 300
"""challenges.py -- challenges and private matches: taken, declined, withdrawn, over restarts; no
ghost, no double, no orphan, whatever order connections die in."""
import itertools
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_club import (NO_CLOCK, equal, guest, hello, login, member, need, outcome,  # noqa: E402
                      resumed, until)
from lib_wire import run  # noqa: E402

OPEN = {"scenario": "first-blood", "side": "red", "clock": NO_CLOCK, "fair": "server"}


def restart(server, kill=True):
    server.kill() if kill else server.stop()
    server.start()


def listed(conn, **params):
    """Match ids by state, every page."""
    found, more = {}, {}
    while True:
        page = conn.call("lobby.list", **params, **more)
        found.update((m["match"], m["state"]) for m in page["matches"])
        if "next" not in page:
            return found
        more = {"before": page["next"]}


def mine(conn):
    return {m["match"]: (m["state"], m["role"]) for m in conn.call("match.mine")["matches"]}


def named(server):
    """To a named player: told, seen in match.mine, only theirs to take; it outlives restarts."""
    ann, bob, eve = member(server, "ann"), member(server, "bob"), member(server, "eve")
    ann.refused("not_found", "match.create", **OPEN, opponent="nobody")
    equal(ann.refused("params", "match.create", **OPEN, opponent="ANN")["field"], "opponent",
          "oneself")
    match = ann.call("match.create", **OPEN, opponent="BOB")["match"]
    notice = bob.wait_note("server.notice")
    equal(notice["match"], match, "the notice")
    for kill in (False, True):
        restart(server, kill)
        ann, bob, eve = (login(server, name) for name in ("ann", "bob", "eve"))
        equal((mine(ann), mine(bob)), ({match: ("open", "A")}, {match: ("open", None)}),
              "match.mine")
        eve.refused("denied", "match.join", match=match)
        eve.refused("denied", "match.decline", match=match)
        bob.refused("denied", "match.cancel", match=match)
    equal(bob.call("match.join", match=match), {"side": "blue"}, "taken")
    restart(server)
    ann, bob = login(server, "ann"), login(server, "bob")
    equal((mine(ann), mine(bob)), ({match: ("live", "A")}, {match: ("live", "B")}), "match.mine")
    bob.refused("phase", "match.decline", match=match)
    ann.refused("phase", "match.cancel", match=match)
    equal(bob.call("match.join", match=match), {"side": "blue"}, "the same answer again")


def declined_and_withdrawn(server):
    ann, bob, eve = member(server, "ann"), member(server, "bob"), guest(server, "eve")
    eve.call("lobby.follow")
    for method in ("match.decline", "match.cancel"):
        match = ann.call("match.create", **OPEN, opponent="bob")["match"]
        eve.wait_note("lobby.event", lambda p, m=match: p.get("match") == m)
        who = bob if method == "match.decline" else ann
        equal(who.call(method, match=match), {}, method)
        eve.wait_note("lobby.event", lambda p, m=match: (p["kind"], p.get("match")) == ("gone", m))
        equal((mine(ann), mine(bob), listed(ann)), ({}, {}, {}), "lists")
        bob.refused("phase", "match.join", match=match)
        ann.refused("phase", "match.cancel", match=match)
        restart(server)
        ann, bob, eve = login(server, "ann"), login(server, "bob"), guest(server, "eve")
        eve.call("lobby.follow")
        equal((mine(ann), mine(bob), listed(ann)), ({}, {}, {}), "lists after a restart")


def private(server):
    """Only by the code; in no list; the code outlives a restart."""
    ann, bob, eve = member(server, "ann"), member(server, "bob"), member(server, "eve")
    eve.call("lobby.follow")
    made = ann.call("match.create", **OPEN, private=True)
    match, code = made["match"], made["invite"]
    restart(server)
    ann, bob, eve = (login(server, name) for name in ("ann", "bob", "eve"))
    equal(listed(eve), {}, "the lobby")
    for wrong in ({}, {"invite": code[:-1]}, {"invite": code.upper() + "x"}):
        bob.refused("denied", "match.join", match=match, **wrong)
    for method in ("match.sync", "match.watch", "match.record", "match.legal"):
        eve.refused("denied", method, match=match)
    equal(bob.call("match.join", match=match, invite=code), {"side": "blue"}, "joined")
    equal(listed(eve), {}, "the lobby")
    eve.refused("conflict", "match.join", match=match, invite=code)
    eve.settle()
    need(not [n for n in eve.notes if n["method"] == "lobby.event"
              and n["params"].get("match") == match], "told of a private match")


def twice_in_a_packet(server):
    """Two acceptances in one packet, on one or two connections: one match, one answer."""
    ann, bob, also = member(server, "ann"), member(server, "bob"), login(server, "bob")
    for conns in ((bob, bob), (bob, also)):
        match = ann.call("match.create", **OPEN, opponent="bob")["match"]
        lines = [conn.line("match.join", {"match": match}) for conn in conns]
        if conns[0] is conns[1]:
            for _, text in lines:
                bob.checker.note_request(text)
            bob.send_raw("".join(text + "\n" for _, text in lines).encode())
        else:
            for conn, (_, text) in zip(conns, lines):
                conn.send_line(text)
        answers = [conn.reply(request) for conn, (request, _) in zip(conns, lines)]
        equal(answers, [{"side": "blue"}] * 2, "answers")
        equal([e["entry"]["kind"] for e in ann.call("match.sync", match=match, after=0)["events"]]
              .count("joined"), 1, "joined")
    equal(len(mine(ann)), 2, "matches")
    restart(server)
    equal(len(mine(login(server, "bob"))), 2, "matches")


def all_at_once(server):
    """Makers withdraw, the challenged join and decline, all in the same moment; some die of it."""
    rng = random.Random(4)
    makers = [guest(server, "Maker-%d" % i) for i in range(12)]
    other = [guest(server, "Other-%d" % i) for i in range(12)]
    watch = guest(server, "Watch")
    watch.call("lobby.follow")
    matches = [maker.call("match.create", **OPEN, opponent=conn.label)["match"]
               for maker, conn in zip(makers, other)]
    sent = []
    for i, match in enumerate(matches):
        acts = [(makers[i], "match.cancel"), (other[i], "match.join"),
                (other[i], "match.decline")]
        rng.shuffle(acts)
        sent += [(conn, match, method, conn.send(method, match=match)) for conn, method in acts]
    for conn in rng.sample(makers + other, 8):
        conn.abort()
    outcomes = {}
    for conn, match, method, request in sent:
        if conn.closed:
            continue
        conn.wait(lambda c=conn, r=request: r in c.replies, "an answer")
        if "result" in conn.replies.pop(request):
            outcomes.setdefault(match, []).append(method)
    for match, won in outcomes.items():
        need(len(won) == 1, "%s: %s" % (match, won))
    before = {m: s for m, s in listed(watch).items()}
    for kill in (True, False):
        restart(server, kill)
        watch = guest(server, "Watch-%s" % kill)
        equal(listed(watch), before, "the lobby after a restart")
    for match in matches:
        if match in outcomes:
            equal(before.get(match), "live" if outcomes[match] == ["match.join"] else None, match)
    need(set(before.values()) <= {"live"}, "left over: %s" % before)


def deaths(server):
    """Three connections die in each order, with requests in flight: no ghost is left."""
    tokens = {name: member(server, name).token for name in ("ann", "bob", "eve")}
    watch = guest(server, "Watch")
    watch.call("lobby.follow")
    for order in itertools.permutations(tokens):
        conns = {}
        for name in tokens:
            conns[name] = resumed(server, tokens[name])
            tokens[name] = conns[name].token
        match = conns["ann"].call("match.create", **OPEN, opponent="bob")["match"]
        conns["eve"].call("match.watch", match=match)
        conns["bob"].send("match.join", match=match)
        conns["ann"].send("match.cancel", match=match)
        conns["eve"].send("match.unwatch", match=match)
        for name in order:
            conns[name].abort()
        until(lambda: [u["name"] for u in watch.call("lobby.follow")["online"]] == ["Watch"],
              "all to be gone")
        info = watch.call("server.info")
        equal((info["players"], info["spectators"]), (1, 0), "who is there")
        need(listed(watch).get(match) in ("live", None), "an open match that nobody wants")
        watch.notes.clear()
    restart(server)
    equal(guest(server, "Watch2").call("server.info")["players"], 1, "players after a restart")


def killed_between(server):
    """SIGKILL with the acceptance in flight: the match is open, or joined, never two or none."""
    ann, bob = member(server, "ann"), member(server, "bob")
    states = set()
    for turn in range(12):
        match = ann.call("match.create", **OPEN, opponent="bob")["match"]
        bob.send("match.join", match=match)
        if turn % 3 == 0:
            bob.pump(0.002)
        server.kill()
        server.start()
        ann, bob = login(server, "ann"), login(server, "bob")
        state, role = mine(ann)[match]
        equal(role, "A", "the maker's role")
        equal(mine(bob)[match], (state, "B" if state == "live" else None), "the other's")
        states.add(state)
        equal(bob.call("match.join", match=match), {"side": "blue"}, "join again")
        equal([e["entry"]["kind"] for e in ann.call("match.sync", match=match, after=0)["events"]]
              .count("joined"), 1, "joined")
        equal(ann.call("match.resign", match=match), {}, "resign")
    print("states after SIGKILL: %s" % sorted(states))
    equal((mine(ann), mine(bob)), ({}, {}), "nothing is left")


TESTS = (named, declined_and_withdrawn, private, twice_in_a_packet, all_at_once, deaths,
         killed_between)

if __name__ == "__main__":
    run(TESTS)
