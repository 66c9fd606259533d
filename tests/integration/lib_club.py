# SPDX-License-Identifier: ISC
"""lib_club.py -- members of a club over the wire: registering, seats that answer for dice.

    ann = member(server, "ann")           # registered, logged in
    seat = Seat(ann, match, "A", "normal")  # a dice chain; seat.anchor(), seat.share()
"""
import hashlib
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ref")]

import fd1  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Refusal, equal, need  # noqa: E402

PASSWORD = "correct horse"
MAIL = {"kind": "correspondence", "days": 3}
LIVE = {"kind": "live", "main_s": 600, "phase_s": 5}
NO_CLOCK = {"kind": "none"}


def hello(server):
    conn = server.connect()
    conn.hello()
    return conn


def member(server, name, password=PASSWORD, **more):
    """A new account on a new connection, logged in."""
    conn = hello(server)
    result = conn.call("session.register", name=name, password=password, **more)
    equal(result["user"], {"name": name, "kind": "member", "role": "member"}, "a new member")
    conn.token, conn.label = result["token"], name
    return conn


def login(server, name, password=PASSWORD):
    conn = hello(server)
    result = conn.call("session.login", name=name, password=password)
    need(result["user"]["name"].lower() == name.lower(), "logged in as %s" % result["user"])
    conn.token, conn.label, conn.user = result["token"], name, result["user"]
    return conn


def guest(server, name):
    conn = hello(server)
    conn.token, conn.label = conn.call("session.guest", name=name)["token"], name
    return conn


def resumed(server, token, **more):
    """A new connection, back by that token; its new one stands in .token."""
    conn = hello(server)
    result = conn.call("session.resume", token=token, **more)
    conn.token, conn.label, conn.user = result["token"], result["user"]["name"], result["user"]
    return conn


class Seat:
    """One player's part in a match's dice, on a connection that may change."""

    def __init__(self, conn, match, role):
        self.conn, self.match, self.role = conn, match, role
        secret = hashlib.sha256(("%s %s" % (match, role)).encode()).digest()
        self.links = fd1.chain(bytes.fromhex(match), role, 0, secret)

    def anchor(self, generation=0):
        return self.conn.call("match.anchor", match=self.match, generation=generation,
                              anchor=self.links[0].hex())

    def share(self, roll):
        """The link for that roll, as parameters of match.share."""
        return {"match": self.match, "roll": roll, "share": self.links[roll].hex()}

    def give(self, roll):
        """Wait until it is asked for, and answer."""
        self.conn.wait_note("match.roll_request",
                            lambda p: (p["match"], p["roll"]) == (self.match, roll))
        return self.conn.call("match.share", **self.share(roll))


def seated(ann, bob, fair="server", scenario="first-blood", side="red", **params):
    """A match of the two, begun: (match, seat of ann, seat of bob)."""
    params.setdefault("clock", NO_CLOCK)
    match = ann.call("match.create", scenario=scenario, side=side, fair=fair, **params)["match"]
    bob.call("match.join", match=match)
    return (match, *begin(ann, bob, match, fair))


def begin(ann, bob, match, fair):
    """Anchors and the salt roll of a match that has both seats."""
    seats = Seat(ann, match, "A"), Seat(bob, match, "B")
    if fair != "server":
        for seat in seats:
            seat.anchor()
        for seat in seats:
            seat.give(1)
    wait_entry(ann, match, "started")
    return seats


def entries(conn, match):
    """All entries so far."""
    found, after = [], 0
    while True:
        result = conn.call("match.sync", match=match, after=after)
        found += [event["entry"] for event in result["events"]]
        if "next" not in result:
            return found
        after = result["next"]


def wait_entry(conn, match, kind, truth=lambda entry: True):
    """Subscribed: the first entry of that kind that is there or comes."""
    for entry in entries(conn, match):
        if entry["kind"] == kind and truth(entry):
            return entry
    return conn.wait_note("match.event", lambda p: p["match"] == match and
                          p["entry"]["kind"] == kind and truth(p["entry"]))["entry"]


def state_of(conn, match):
    return conn.call("match.sync", match=match)


def active(ann, bob, match):
    """(who is to order, the other one)."""
    mine = [m for m in ann.call("match.mine")["matches"] if m["match"] == match]
    return (ann, bob) if mine[0]["mine"] else (bob, ann)


def end_phase(conn, match, order_id=None):
    head = state_of(conn, match)["head"]
    return conn.call("match.order", match=match, order_id=order_id or "end-%d" % head, base=head,
                     order={"do": "end_phase"})


def until(truth, what):
    """Ask again until truth(), which makes a round trip, is true; returns what it gave."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        value = truth()
        if value:
            return value
        need(time.monotonic() < deadline, "no end while waiting for %s" % what)


def outcome(conn, method, params):
    """"ok" or the reason of the refusal."""
    try:
        conn.call(method, **params)
    except Refusal as refusal:
        return refusal.reason
    return "ok"


__all__ = ["Failure", "Refusal", "equal", "need"]
