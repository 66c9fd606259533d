#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""make_record.py [--out DIR] [--check DIR]: the golden records.

Plays random games in Python alone, all three parties' chains included, and writes their records:
one for each kind of dice and for what may befall a match (absences, new anchors, a restored server,
offers, a roll left open). Each is small. The same every time: --check compares with DIR.
"""
import argparse
import hashlib
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import fd1  # noqa: E402
from chooser import Chooser  # noqa: E402
from journal import NoDice, RollDice, compact  # noqa: E402
from rules import DiceOut, Game  # noqa: E402
from scenario import READINGS  # noqa: E402
from verify import end_line  # noqa: E402

GOLDEN = os.path.join(ROOT, "proto", "golden", "records")
START_MS = 1700000000000
EACH_MS = 1500


def scenario(scale="1in", turns=3):
    """A meeting in a yard: small, with a wall, heights, a wave and a name that needs care."""
    figures = []
    forces = (("red", "regular", ("b1", "c1")), ("blue", "irregular", ("b5", "d5")))
    for side, kind, squares in forces:
        for i, square in enumerate(squares, 1):
            figures.append({"id": "%s%d" % (side[0], i), "side": side, "type": kind, "at": square,
                            "face": "n" if side == "red" else "s"})
    figures[0].update(name="Sgt. L\u00fcders \"Lu\\\" \U0001f3b2", commander=True)
    return {"format": 1, "id": "yard", "title": "The yard", "author": "Skirmish",
            "summary": "A small meeting.", "scale": scale, "size": [5, 5], "turns": turns,
            "ground": [".....", "..w..", ".....", "B....", "....."],
            "heights": ["00000", "00010", "00000", "00000", "00000"],
            "obstacles": [{"kind": "wall", "edges": ["d2n"]}],
            "sides": [{"id": "red", "name": "Red", "home": "s"},
                      {"id": "blue", "name": "Blue", "home": "n"}],
            "figures": figures,
            "waves": [{"side": "blue", "turn": 2,
                       "d6": {"1": "n", "2": "n", "3": "e", "4": "e", "5": "w", "6": "w"},
                       "figures": [{"id": "b3", "type": "mounted"}]}]}


class Scribe:
    """A match played by three parties in one program; lines[] is its record."""

    def __init__(self, seed, fair="strict", setup=None):
        setup = {"side": "random", "clock": {"kind": "none"}, "rated": False,
                 "scenario": scenario(), **(setup or {})}
        self.rng = random.Random(seed)
        self.fair = fair
        self.scenario = setup["scenario"]
        self.sides = [side["id"] for side in self.scenario["sides"]]
        self.side, self.clock, self.rated = setup["side"], setup["clock"], setup["rated"]
        self.readings = {name: words[0] for name, words in READINGS.items()}
        self.readings.update(self.scenario.get("readings", {}))
        self.mid = self.rng.randbytes(fd1.MID_LEN)
        self.master = self.rng.randbytes(fd1.LEN)
        self.head, self.hash, self.ts = 0, fd1.ZEROS, START_MS
        self.chains = {}  # role -> (generation, base, links)
        self.n, self.salt = 0, fd1.ZEROS
        self.game, self.maker_side = None, None
        self.orders = []  # (seq, side id, save, undos) not taken back
        self.offers = 0
        raw = compact(self.scenario)
        self.lines = [b'{"record":1,"match":"%s","scenario":%s}' % (
            self.mid.hex().encode("ascii"), raw)]
        self.put("opened", match=self.mid.hex(), no=7, scenario=self.scenario["id"],
                 scenario_hash=hashlib.sha256(raw).hexdigest(), readings=self.readings,
                 clock=self.clock, fair=fair, rated=self.rated, maker="Ann", side=self.side,
                 anchor=self.new_chain("S"))

    # ---- the journal

    def put(self, kind, **members):
        self.head += 1
        self.ts += EACH_MS
        entry = {"seq": self.head, "ts": self.ts, "kind": kind}
        entry.update({"for" if name == "for_" else name: v for name, v in members.items()})
        if self.clock["kind"] != "none" and kind in ("order", "roll", "over"):
            entry["left"] = {side: 3600000 - EACH_MS * self.head for side in self.sides}
        line = compact(entry)
        self.lines.append(line)
        self.hash = fd1.journal_hash(self.hash, line)
        return self.head

    def put_events(self, events):
        for event in events:
            members = {name: v for name, v in event.items() if name != "kind"}
            self.put(event["kind"], **members)

    def record(self):
        state_hash = self.game.state_hash() if self.game else None
        lines = self.lines + [end_line(self.head, self.hash, state_hash)]
        return b"".join(line + b"\n" for line in lines)

    # ---- chains and rolls

    def new_chain(self, role):
        generation = self.chains[role][0] + 1 if role in self.chains else 0
        secret = (fd1.server_secret(self.master, self.mid, generation) if role == "S"
                  else self.rng.randbytes(fd1.LEN))
        links = fd1.chain(self.mid, role, generation, secret, fd1.CHAIN_LEN)
        self.chains[role] = (generation, self.n, links)
        return links[0].hex()

    def anchor(self, role):
        anchor = self.new_chain(role)
        self.put("anchor", role=role, generation=self.chains[role][0], anchor=anchor)

    def used_up(self):
        return [role for role in self.chains
                if self.n + 1 - self.chains[role][1] > fd1.CHAIN_LEN]

    def links(self, roles):
        """Of the roll n: role -> link."""
        return {role: self.chains[role][2][self.n - self.chains[role][1]] for role in roles}

    def roll(self, for_, roles, dice_of):
        """Roll n + 1; dice_of(RollDice) gives (dice as shown, events)."""
        self.n += 1
        links = self.links(roles)
        key = fd1.roll_key(self.mid, self.n, self.salt if for_ else fd1.ZEROS, links["S"],
                           links.get("A"), links.get("B"))
        if not for_:
            self.salt = key
        dice, events = dice_of(RollDice(key))
        flags = (1 if "A" in links else 0) | (2 if "B" in links else 0)
        hexes = {r: links[r].hex() if r in links else None for r in "SAB"}
        self.put("roll", n=self.n, for_=for_, flags=flags, s=hexes["S"], a=hexes["A"],
                 b=hexes["B"], dice=dice)
        self.put_events(events)

    def rollers(self):
        return "S" if self.fair == "server" else "SAB"

    def salt_roll(self):
        self.roll(0, self.rollers(), lambda dice: ([], []))

    # ---- the match

    def set_up(self):
        if self.fair != "server":
            self.anchor("A")
        self.put("joined", player="bob_2", role="B")
        if self.fair != "server":
            self.anchor("B")
        self.roll(0, self.rollers(), self.first_dice)

    def first_dice(self, dice):
        shown = []
        if self.side == "random":
            shown.append(dice.stream.die(2))
            self.maker_side = shown[0] - 1
        else:
            self.maker_side = self.sides.index(self.side)
        self.game = Game(dict(self.scenario, readings=self.readings), [])
        self.game.dice = dice
        events = self.game.start()
        players = {self.sides[self.maker_side]: "Ann", self.sides[1 - self.maker_side]: "bob_2"}
        return shown + dice.values, [{"kind": "started", "sides": players}] + events

    def order(self, order, away=False, left_open=False):
        """One legal order (with its side); `away`: the other player isn't there for its roll."""
        game, side = self.game, order["side"]
        body = {name: v for name, v in order.items() if name != "side"}
        saved = (game.save(), list(game.undos))
        seq = self.put("order", side=side, order_id="o-%d" % (self.head + 1), order=body)
        game.dice = NoDice()
        try:
            events = game.order(order, seq)
        except DiceOut:
            if not left_open:
                self.order_roll(order, seq, away)
        else:
            self.put_events(events)
        if order["do"] == "undo":
            self.orders.pop()
        elif not left_open:
            self.orders.append((seq, side) + saved)

    def order_roll(self, order, seq, away):
        actor = "A" if self.sides.index(order["side"]) == self.maker_side else "B"
        roles = self.rollers()
        if away:
            other = "B" if actor == "A" else "A"
            self.put("absent", role=other, roll=self.n + 1)
            roles = "S" + actor

        def dice_of(dice):
            self.game.dice = dice
            events = self.game.order(order, seq)
            return dice.values, events
        self.roll(seq, roles, dice_of)
        due = self.used_up()
        if due and not self.game.over:
            for role in due:
                self.anchor(role)
            self.salt_roll()

    def play(self, orders=1000, away=0.0):
        """Up to so many orders, or to the end."""
        chooser = Chooser(self.rng, self.game)
        while not self.game.over and orders > 0:
            self.order(chooser.next_legal(), self.rng.random() < away)
            orders -= 1

    def next_with_dice(self):
        """Play on until an order that needs dice is to be given: that order."""
        chooser = Chooser(self.rng, self.game)
        while True:
            order = chooser.next_legal()
            if not self.diceless(order):
                return order
            self.order(order)

    def diceless(self, order):
        game = self.game
        saved, undos = game.save(), list(game.undos)
        game.dice = NoDice()
        try:
            game.order(order, 0)
        except DiceOut:
            return False
        game.restore(saved)
        game.undos = undos
        return True

    def other(self, side):
        return self.sides[1 - self.sides.index(side)]

    def offer(self, side, what, accept):
        self.offers += 1
        self.put("offer", id=self.offers, side=side, offer=what)
        self.put("answer", id=self.offers, side=self.other(side), accept=accept)

    def agreed_undo(self):
        seq, side, saved, undos = self.orders[-1]
        self.offer(side, "undo", True)
        self.put("undo", undone=seq)
        self.orders.pop()
        self.game.restore(saved)
        self.game.undos = []

    def finish(self, winner, reason):
        side = None if winner is None else self.sides.index(winner)
        if self.game:
            self.game.over, self.game.active = (side, reason), None
        self.put("over", winner=winner, reason=reason)


# ---- the golden ones

def strict(seed="strict 89"):
    """Random sides; A loses a device in the middle."""
    match = Scribe(seed, "strict")
    match.set_up()
    match.play(4)
    match.anchor("A")
    match.salt_roll()
    match.play()
    return match


def normal(seed="normal 197"):
    """Absences and the return, talk, a pause, an undo past dice; a clock."""
    match = Scribe(seed, "normal", {"clock": {"kind": "correspondence", "days": 3},
                                          "side": "blue"})
    match.set_up()
    match.play(3, away=1.0)
    match.put("presence", side="red", online=False)
    match.put("presence", side="red", online=True)
    match.offer("blue", "draw", False)
    match.offer("red", "pause", True)
    match.put("pause", by="red")
    match.offer("blue", "pause", True)
    match.put("resume", by="blue")
    match.order(match.next_with_dice())
    if not match.game.over:
        match.agreed_undo()
    match.play(away=0.5)
    return match


def server(seed="server 158"):
    """Server-only dice, at 3in with other readings."""
    yard = scenario("3in", 4)
    yard["readings"] = {"turning": "free", "melee": "after_each", "saves": "one", "volley": "all",
                        "roster": "arrived"}
    match = Scribe(seed, "server", {"scenario": yard, "side": "red"})
    match.set_up()
    match.play()
    return match


def restored(seed="restored 346"):
    """The server comes back from a backup while a roll is open; a draw ends it."""
    match = Scribe(seed, "strict")
    match.set_up()
    match.play(2)
    order = match.next_with_dice()
    match.order(order, left_open=True)
    match.put("undo", undone=match.head)
    match.anchor("S")
    match.anchor("B")
    match.anchor("A")
    match.salt_roll()
    match.play(6)
    match.offer("red", "draw", True)
    match.finish(None, "draw")
    return match


def resigned(seed="resigned"):
    """Somebody resigns while a roll is open."""
    match = Scribe(seed, "normal", {"side": "red"})
    match.set_up()
    match.play(1)
    match.order(match.next_with_dice(), left_open=True)
    match.put("resign", side="blue")
    match.finish("red", "resign")
    return match


def void(seed="void"):
    """The set-up wasn't finished."""
    match = Scribe(seed, "strict")
    match.anchor("A")
    match.put("joined", player="bob_2", role="B")
    match.finish(None, "void")
    return match


def playing(seed="playing 273"):
    """Not over yet."""
    match = Scribe(seed, "normal", {"side": "blue"})
    match.set_up()
    match.play(5)
    return match


RECORDS = (strict, normal, server, restored, resigned, void, playing)


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", help="write the records there", default=None)
    parser.add_argument("--check", help="compare with those there", default=None)
    args = parser.parse_args(argv[1:])
    wrong = 0
    for make in RECORDS:
        data = make().record()
        name = make.__name__ + ".ndjson"
        if args.check:
            with open(os.path.join(args.check, name), "rb") as file:
                wrong += file.read() != data
        else:
            folder = args.out or GOLDEN
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
            print("%s: %d bytes, %d lines" % (name, len(data), data.count(b"\n")))
    if wrong:
        print("%d records differ" % wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
