# SPDX-License-Identifier: ISC
# timeout: 600
"""matrix.py -- every method by every role in every state of a match, against proto/methods.json."""
import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_club import (NO_CLOCK, PASSWORD, Seat, active, begin, end_phase, guest, hello,  # noqa
                      login, member, need, outcome, resumed, state_of)
from lib_ctl import ctl  # noqa: E402
from lib_wire import Failure, Refusal, run  # noqa: E402

ROOT = os.environ.get("SK_SRC") or os.path.dirname(os.path.dirname(HERE))
# Whose success leaves match and connection as they were.
HARMLESS = {"session.ping", "server.info", "scenario.list", "scenario.get", "lobby.list",
            "lobby.follow", "lobby.unfollow", "chat.mute", "player.vacation", "player.get",
            "player.list", "player.matches", "match.mine", "match.legal", "match.record",
            "match.chat"}
STATELESS = {"match.create", "match.mine"}  # name no match
# Those whose success is about the connection: each call has one of its own.
OF_SESSION = {"session.hello", "session.guest", "session.register", "session.login",
              "session.resume", "session.logout", "session.password"}


def load_table():
    with open(os.path.join(ROOT, "proto", "methods.json"), encoding="utf-8") as file:
        return json.load(file)


def known_methods():
    """The methods that the server's own table has."""
    with open(os.path.join(ROOT, "proto", "msg.h"), encoding="utf-8") as file:
        return set(re.findall(r'X\(MSG_[A-Z_]+, *"([a-z_.]+)"\)', file.read()))


def wanted(table, method, state, role):
    for states, roles, answer in table["methods"][method]:
        if (states == "*" or state in states.split()) and (roles == "*" or role in roles.split()):
            return answer
    raise Failure("methods.json: nothing on %s, %s, %s" % (method, state, role))


class Scene:
    """A match in one state, and a connection for each role."""

    def __init__(self, server, people, state):
        self.server, self.people, self.state = server, people, state
        self.conns, self.offer = {}, 1
        self.build()

    def build(self):
        ann, bob = self.get("ann"), self.get("bob")
        open_as = {"private": True} if self.state == "private" else {"opponent": "bob"}
        self.match = match = ann.call("match.create", scenario="first-blood", side="red", fair="normal",
                              clock=NO_CLOCK, **open_as)["match"]
        self.seats = {ann: Seat(ann, self.match, "A"), bob: Seat(bob, self.match, "B")}
        self.roles = {"seated": ann, "opponent": bob}
        if self.state not in ("open", "private"):
            bob.call("match.join", match=self.match)
        if self.state in ("live", "roll", "paused", "over"):
            self.play(ann, bob)
            if self.match != match:
                return
        if self.state != "private":
            self.get("sue").call("match.watch", match=self.match)
        self.roles.update(guest=self.get("guest"), member=self.get("mia"),
                          spectator=self.get("sue"), umpire=self.get("uwe"))

    def play(self, ann, bob):
        """From the start to the state; where chance makes bob the seated one, again."""
        begin(ann, bob, self.match, "normal")
        seated, opponent = active(ann, bob, self.match)
        if self.state == "roll":
            end_phase(seated, self.match)
            opponent.call("match.sync", match=self.match)
            end_phase(opponent, self.match)
            seated, opponent = opponent, seated
        if seated is not ann:
            ann.call("match.resign", match=self.match)
            self.build()
            return
        if self.state in ("paused", "over"):
            offer = opponent.call("match.offer", match=self.match,
                                  offer="pause" if self.state == "paused" else "draw")["offer_id"]
            seated.call("match.answer", match=self.match, offer_id=offer, accept=True)

    def get(self, name):
        """The person's lasting connection."""
        if name not in self.conns or self.conns[name].closed:
            self.conns[name] = self.fresh(name)
        return self.conns[name]

    def fresh(self, name):
        if name != "guest":
            return login(self.server, name)
        conn = resumed(self.server, self.people[name])
        self.people[name] = conn.token
        return conn

    def name_of(self, role):
        return {"guest": "guest", "member": "mia", "spectator": "sue",
                "umpire": "uwe"}.get(role) or self.roles[role].label.lower()

    def conn(self, role, method):
        if role == "new":
            return self.server.connect()
        if role in ("none", "suspended"):
            return hello(self.server)
        if method in OF_SESSION:
            return self.throwaway(self.name_of(role))
        return self.roles[role]

    def throwaway(self, name):
        """A login beside the lasting one, that may be ended."""
        if name == "guest":
            self.serial = getattr(self, "serial", 0) + 1
            return guest(self.server, "Extra-%d-%s" % (self.serial, self.state))
        return login(self.server, name)

    def params(self, method, role):
        conn = self.roles.get(role, self.roles["seated"])
        seat = self.seats.get(conn) or self.seats[self.roles["seated"]]
        match = {"match": self.match}
        unique = "%s-%s" % (self.state, role)
        roll = 2 if self.state in ("roll", "live", "paused", "over") else 1
        if method == "match.order":
            base = state_of(self.roles["seated"], self.match)["head"]
            return {**match, "order_id": unique, "base": base, "order": {"do": "end_phase"}}
        generation = 0 if self.state in ("open", "private", "setup") else 1
        return {
            "session.hello": {"protocol": 1, "client": "matrix"},
            "session.guest": {"name": "G-" + unique},
            "session.register": {"name": "R-" + unique, "password": PASSWORD},
            "session.login": {"name": "sid" if role == "suspended" else "mia",
                              "password": PASSWORD},
            "session.resume": {"token": self.spare(method, role)},
            "session.password": {"old": PASSWORD, "new": PASSWORD},
            "scenario.get": {"id": "first-blood"},
            "chat.mute": {"player": "nell", "on": True},
            "player.vacation": {"days": 0}, "player.get": {"player": "mia"},
            "player.matches": {"player": "mia"},
            "match.create": {"scenario": "first-blood", "side": "random", "clock": NO_CLOCK},
            "match.anchor": {**match, "generation": generation, "anchor": seat.links[0].hex()},
            "match.share": seat.share(roll),
            "match.offer": {**match, "offer": "draw"},
            "match.answer": {**match, "offer_id": self.offer, "accept": False},
            "match.chat": {**match, "to": "all", "text": "hello"},
            "match.umpire": {**match, "act": "pause", "reason": "matrix"},
        }.get(method, match if method.startswith("match.") and method != "match.mine" else {})

    def spare(self, method, role):
        """A token to resume by, where it will be used."""
        if role == "suspended":
            return self.people["sid"]
        return login(self.server, "mia").token if (method, role) == (
            "session.resume", "none") else "00" * 32

    def look_after(self, method, role, got):
        """A new password has ended the person's lasting connection."""
        if (method, got) == ("session.password", "ok"):
            self.conns.pop(self.name_of(role)).wait_closed()
            self.build()

    def prepare(self, method):
        """match.answer wants an offer of the opponent's."""
        if method == "match.answer" and self.state in ("live", "roll", "paused"):
            self.offer = self.roles["opponent"].call("match.offer", match=self.match,
                                                     offer="draw")["offer_id"]


def people(server):
    """Tokens by name; the operator makes one of them umpire, and suspends one."""
    names = ("ann", "bob", "mia", "sue", "uwe", "nell", "sid")
    conns = {name: member(server, name) for name in names}
    ctl(server, "role", "uwe", "umpire")
    ctl(server, "suspend", "sid", "--reason", "matrix")
    tokens = {name: conn.token for name, conn in conns.items()}
    tokens["guest"] = guest(server, "Gus").token
    return tokens


def matrix(server):
    table, known = load_table(), known_methods()
    need(known, "no methods in proto/msg.h")
    need(known <= set(table["methods"]), "not in methods.json: %s" % (
        sorted(known - set(table["methods"])),))
    tokens = people(server)
    wrong, calls = [], collections.Counter()
    for state in table["states"]:
        scene = Scene(server, tokens, state)
        for method in sorted(set(table["methods"]) & known):
            if state != "open" and (not method.startswith("match.") or method in STATELESS):
                continue
            for role in table["roles"]:
                want = wanted(table, method, state, role)
                scene.prepare(method)
                conn = scene.conn(role, method)
                got = outcome(conn, method, scene.params(method, role))
                calls[got] += 1
                if got != want:
                    wrong.append("%-17s %-8s %-10s wanted %s, got %s" % (
                        method, state, role, want, got))
                if role in ("new", "none", "suspended") or method in OF_SESSION:
                    conn.close()
                    scene.look_after(method, role, got)
                elif got == "ok" and method not in HARMLESS:
                    scene.build()
    print("%d calls: %s" % (sum(calls.values()), dict(calls)))
    absent = sorted(set(table["methods"]) - known)
    if absent:
        print("not in this server: %s" % ", ".join(absent))
    need(not wrong, "%d answers differ from proto/methods.json:\n%s" % (
        len(wrong), "\n".join(wrong)))


if __name__ == "__main__":
    run((matrix,))
