# SPDX-License-Identifier: ISC
"""journal.py -- one match from its journal, entry by entry, checked against dice and rules.

Written from the protocol and the dice document, not from the C. A Journal takes lines in order and
raises Bad at the first that can't stand there: form, seq, hash chain, anchors and links, roll keys,
dice, absences, orders, and events that the rules don't give. The verifier and the wire bot are
built on it. Standard library only.
"""
import json
import re

import fd1
from adjudicate import order_problem
from fd1 import FLAG_A, FLAG_B, ROLES, ZEROS
from rules import DiceOut, Game, Refused
from scenario import READINGS, check

INT_MAX = 2 ** 53
NAME_RE = re.compile(r"[A-Za-z0-9_-]{3,20}\Z")
HEX_RE = re.compile(r"[0-9a-f]*\Z")
WITH_LEFT = ("order", "roll", "pause", "resume", "over")
FLAG = {"A": FLAG_A, "B": FLAG_B}


class Bad(ValueError):
    """An entry that can't stand where it stands."""


def need(truth, why):
    if not truth:
        raise Bad(why)


# ---- text

def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def no_float(text):
    raise Bad("a number that is no integer: " + text)


def wire_int(text):
    value = int(text)
    need(abs(value) <= INT_MAX, "an integer beyond 2^53")
    return value


def parse(line):
    """Strict JSON of one line (bytes)."""
    try:
        return json.loads(line.decode("utf-8"), parse_float=no_float, parse_int=wire_int,
                          parse_constant=no_float)
    except Bad:
        raise
    except (ValueError, RecursionError) as error:
        raise Bad("no JSON: %s" % error) from error


def parse_entry(line):
    """An entry's line: strict JSON and exactly the compact form, so that bytes and meaning agree.
    (A name twice in an object doesn't come back the same, so it is refused too.)"""
    entry = parse(line)
    need(isinstance(entry, dict), "no object")
    need(not any(byte < 0x20 for byte in line), "a control character")
    need("\\u" not in line.decode("utf-8").replace("\\\\", ""), "an escape where none is needed")
    need(compact(entry) == line, "not in compact form")
    return entry


# ---- members

def is_int(value, low=0, high=INT_MAX):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def get(entry, name, truth, what):
    need(name in entry, "no " + name)
    need(truth(entry[name]), "%s isn't %s" % (name, what))
    return entry[name]


def get_int(entry, name, low=0, high=INT_MAX):
    return get(entry, name, lambda v: is_int(v, low, high), "a number from %d" % low)


def get_word(entry, name, *words):
    return get(entry, name, lambda v: isinstance(v, str) and v in words, "/".join(words))


def get_bool(entry, name):
    return get(entry, name, lambda v: isinstance(v, bool), "true or false")


def get_name(entry, name):
    return get(entry, name, lambda v: isinstance(v, str) and NAME_RE.match(v), "a name")


def is_hex(value, size):
    return isinstance(value, str) and len(value) == 2 * size and HEX_RE.match(value) is not None


def get_hex(entry, name, size=fd1.LEN):
    get(entry, name, lambda v: is_hex(v, size), "%d bytes in hex" % size)
    return bytes.fromhex(entry[name])


class RollDice:
    """The rules' dice from one roll's stream, as many as they ask for."""

    def __init__(self, key):
        self.stream = fd1.Dice(key)
        self.values = []
        self.used = 0

    def d6(self):
        if self.used == len(self.values):
            self.values.append(self.stream.die(6))
        self.used += 1
        return self.values[self.used - 1]


class NoDice:
    """What an order is tried with first: it has its roll only if it asks for a die."""
    used = 0

    def d6(self):
        raise DiceOut()


class Open:
    """An order whose roll is open."""

    def __init__(self, seq, side, order):
        self.seq, self.side, self.order = seq, side, order


class Journal:
    """`scenario` is the parsed scenario, `scenario_hash` the hex that `opened` must name (None:
    whatever it names)."""

    def __init__(self, scenario, scenario_hash=None):
        problem = check(scenario)
        need(problem is None, "scenario: %s" % problem)
        self.scenario, self.scenario_hash = scenario, scenario_hash
        self.sides = [side["id"] for side in scenario["sides"]]
        self.head, self.hash = 0, ZEROS
        self.expected = []  # entries of the open batch that must come next
        self.changed = False  # the open batch changes the state
        self.ended = False
        self.opened = None
        self.mid = None
        self.fair = None
        self.names = {}  # role -> player
        self.side_of = {}  # role -> side's index, once started
        self.game = None
        self.tails = {}  # role -> fd1.Tail
        self.n = 0  # the last roll
        self.salt = None
        self.anchors_due = set()  # roles that must anchor before anything else rolls
        self.salt_due = True  # roll 1, or a salt roll after new anchors
        self.open = None
        self.absent = set()
        self.order_ids = set()
        self.alive = []  # orders not taken back: (seq, side, saved game, saved undos)
        self.roll_seq = 0  # entry of the last roll
        self.offers = {}  # id -> (side, what)
        self.offer_last = 0
        self.paused, self.pause_due = False, None

    # ---- one line

    def take(self, line):
        """The next entry (bytes without the newline). Returns it, parsed."""
        entry = parse_entry(line)
        need(get_int(entry, "seq", 1) == self.head + 1, "seq isn't %d" % (self.head + 1))
        get_int(entry, "ts", -INT_MAX)
        kind = get(entry, "kind", lambda v: isinstance(v, str), "a string")
        need(not self.ended, "an entry behind the end")
        self.check_left(entry, kind)
        self.head += 1
        hash_before, self.hash = self.hash, fd1.journal_hash(self.hash, line)
        try:
            self.dispatch(entry, kind)
        except Bad:
            self.head, self.hash = self.head - 1, hash_before
            raise
        return entry

    def take_entry(self, entry):
        """The same for an entry as it came over the wire, parsed."""
        return self.take(compact(entry))

    def dispatch(self, entry, kind):
        if self.expected:
            want = self.expected.pop(0)
            beside = ("seq", "ts", "left") if kind in WITH_LEFT else ("seq", "ts")
            got = {name: value for name, value in entry.items() if name not in beside}
            need(got == want, "here comes %s" % compact(want).decode("utf-8"))
            self.ended = kind == "over"
            return
        self.changed = False
        handler = getattr(self, "on_" + kind, None)
        need(handler is not None, "no entry of kind %r begins here" % kind)
        need((self.opened is None) == (kind == "opened"), "`opened` comes first, and once")
        handler(entry)

    def check_left(self, entry, kind):
        """The clock's `left` (that of move and fall_back is another, and theirs)."""
        if "left" not in entry or kind not in WITH_LEFT:
            return
        left = entry["left"]
        need(isinstance(left, dict) and sorted(left) == sorted(self.sides), "left by side")
        need(all(is_int(ms) for ms in left.values()), "left in ms")
        need(self.opened is not None and self.opened["clock"]["kind"] != "none", "no clock runs")

    def expect(self, events, changed=True):
        self.expected = list(events)
        self.changed = changed

    def settled(self):
        """Between batches: head, game and hashes belong together."""
        return not self.expected

    def wanted_state_hash(self):
        """What stands with the entry just taken: hex or None. None too within a batch."""
        return self.state_hash() if self.settled() and self.changed else None

    def state_hash(self):
        return self.game.state_hash() if self.game else None

    def side_index(self, entry, name="side"):
        return self.sides.index(get_word(entry, name, *self.sides))

    def role_of(self, side):
        return "A" if self.side_of["A"] == side else "B"

    def need_live(self):
        need(self.game is not None, "the game hasn't started")

    # ---- set-up

    def on_opened(self, entry):
        self.mid = get_hex(entry, "match", fd1.MID_LEN)
        get_int(entry, "no", 1)
        need(entry.get("scenario") == self.scenario["id"], "scenario isn't the record's")
        get_hex(entry, "scenario_hash")
        need(self.scenario_hash in (None, entry["scenario_hash"]), "scenario_hash isn't its hash")
        readings = get(entry, "readings", lambda v: isinstance(v, dict), "an object")
        need(set(readings) == set(READINGS), "readings aren't the five")
        for name, words in READINGS.items():
            get_word(readings, name, *words)
        self.check_clock(get(entry, "clock", lambda v: isinstance(v, dict), "an object"))
        self.fair = get_word(entry, "fair", "strict", "normal", "server")
        rated = get_bool(entry, "rated")
        need(not (rated and self.fair == "server"), "a rated match with server dice (D9)")
        slow = entry["clock"]["kind"] == "correspondence"
        need(not (slow and self.fair == "strict"), "strict with correspondence (D3)")
        self.names["A"] = get_name(entry, "maker")
        get_word(entry, "side", "random", *self.sides)
        self.tails["S"] = fd1.Tail(self.mid, "S", 0, 0, get_hex(entry, "anchor"))
        self.opened = entry

    def check_clock(self, clock):
        kind = get_word(clock, "kind", "live", "correspondence", "none")
        if kind == "live":
            get_int(clock, "main_s")
            get_int(clock, "phase_s")
        elif kind == "correspondence":
            get_int(clock, "days", 1, 30)

    def on_joined(self, entry):
        need("B" not in self.names, "somebody has joined")
        need(get_word(entry, "role", "A", "B") == "B", "the joiner is B")
        player = get_name(entry, "player")
        need(player.lower() != self.names["A"].lower(), "the maker joins")
        self.names["B"] = player

    def on_anchor(self, entry):
        role = get_word(entry, "role", *ROLES)
        generation = get_int(entry, "generation", 0, 65535)
        anchor = get_hex(entry, "anchor")
        old = self.tails.get(role)
        need(generation == (old.generation + 1 if old else 0), "not the next generation")
        need(role in self.names or role == "S", "nobody sits there")
        need(role == "S" or self.fair != "server", "a player's anchor with server dice (D9)")
        need(self.open is None, "an anchor while a roll is open (D8)")
        need(role == "S" or not self.salt_open(), "an anchor while the salt roll is open (D8)")
        if role == "S" and not self.used_up("S"):
            # A restored server: both players must follow (D7).
            self.anchors_due |= {r for r in ("A", "B") if r in self.tails}
        self.tails[role] = fd1.Tail(self.mid, role, generation, self.n, anchor)
        self.anchors_due.discard(role)
        self.salt_due = True

    def used_up(self, role):
        """No link for the next roll (D8)."""
        tail = self.tails.get(role)
        return tail is not None and self.n + 1 - tail.base > fd1.CHAIN_LEN

    def rollers(self):
        return ("S",) if self.fair == "server" else ROLES

    def salt_open(self):
        """The salt roll is there to be made: all who take part have their anchors."""
        return (self.salt_due and not self.anchors_due and "B" in self.names
                and all(role in self.tails for role in self.rollers()))

    # ---- rolls

    def on_absent(self, entry):
        role = get_word(entry, "role", "A", "B")
        need(self.fair == "normal", "an absence, but not in normal (D3)")
        need(self.open is not None, "absent from no roll")
        need(get_int(entry, "roll", 1) == self.n + 1, "absent from another roll")
        need(role != self.role_of(self.open.side), "the actor is never absent (D2)")
        need(role not in self.absent, "absent twice")
        self.absent.add(role)

    def on_roll(self, entry):
        need(get_int(entry, "n", 1) == self.n + 1, "n isn't %d" % (self.n + 1))
        need(self.open is not None or self.salt_open(), "no roll is open")
        wanted_for = self.open.seq if self.open else 0
        need(get_int(entry, "for") == wanted_for, "the roll is for %d" % wanted_for)
        flags = get_int(entry, "flags", 0, 3)
        need(flags == self.wanted_flags(), "flags aren't %d" % self.wanted_flags())
        links = {"S": get_hex(entry, "s")}
        for role in ("A", "B"):
            name = role.lower()
            if flags & FLAG[role]:
                links[role] = get_hex(entry, name)
            else:
                need(name in entry and entry[name] is None, "%s isn't null" % name)
        for role, link in links.items():
            self.take_link(role, self.n + 1, link)
        salt = self.salt if self.open else ZEROS
        key = fd1.roll_key(self.mid, self.n + 1, salt, links["S"], links.get("A"), links.get("B"))
        dice = get(entry, "dice", lambda v: isinstance(v, list) and all(map(is_int, v)),
                   "a list of dice")
        self.n += 1
        self.roll_seq = self.head
        self.roll(key, dice)
        self.absent = set()
        self.anchors_due |= {role for role in self.rollers() if self.used_up(role)}

    def wanted_flags(self):
        if self.fair == "server":
            return 0
        if self.open is None:
            return FLAG_A | FLAG_B
        return sum(flag for role, flag in FLAG.items() if role not in self.absent)

    def take_link(self, role, n, link):
        try:
            self.tails[role].take(n, link)
        except ValueError as error:
            raise Bad(str(error)) from error

    def roll(self, key, dice):
        rolled = RollDice(key)
        if self.open:
            side, order, seq = self.open.side, self.open.order, self.open.seq
            self.open = None
            events, shown = self.decide(side, order, seq, rolled), []
        elif self.game is None:
            events, shown = self.start(key, rolled)
        else:
            events, shown = [], []
        if self.salt_due:
            self.salt, self.salt_due = key, False
        shown += rolled.values
        need(dice == shown, "the dice are %s" % shown)
        self.expect(events, bool(events))

    def start(self, key, rolled):
        """Roll 1: perhaps the sides, then the first turn (DICE, Set-up)."""
        shown = []
        if self.opened["side"] == "random":
            shown.append(rolled.stream.die(2))
            side = shown[0] - 1
        else:
            side = self.sides.index(self.opened["side"])
        self.side_of = {"A": side, "B": 1 - side}
        self.game = Game(dict(self.scenario, readings=self.opened["readings"]), [])
        self.game.dice = rolled
        events = self.game.start()
        players = {self.sides[self.side_of[role]]: self.names[role] for role in ("A", "B")}
        return [{"kind": "started", "sides": players}] + events, shown

    # ---- orders

    def on_order(self, entry):
        self.need_live()
        side = self.side_index(entry)
        order_id = get(entry, "order_id", lambda v: isinstance(v, str) and 1 <= len(v) <= 32,
                       "1 to 32 characters")
        need((side, order_id) not in self.order_ids, "an order_id used before")
        order = get(entry, "order", lambda v: isinstance(v, dict), "an object")
        problem = order_problem(dict(order, side=entry["side"]), self.sides)
        need(problem is None, "order: %s" % problem)
        need(self.open is None, "an order while a roll is open (D5)")
        need(not self.salt_due and not self.anchors_due, "an order before the salt roll (D8)")
        need(not self.paused, "an order in a pause")
        need(self.game.active == side, "it is the other side's phase")
        self.order_ids.add((side, order_id))
        try:
            self.expect(self.decide(side, order, self.head, NoDice()))
        except DiceOut:
            self.open = Open(self.head, side, order)

    def decide(self, side, order, seq, dice):
        """The events of an order; DiceOut when NoDice don't do, and nothing has changed."""
        game = self.game
        before = (game.save(), list(game.undos))
        game.dice = dice
        try:
            events = game.order(dict(order, side=self.sides[side]), seq)
        except Refused as refused:
            raise Bad("the order breaks %s: %s" % (refused.rule, refused.message)) from refused
        if order["do"] == "undo":
            taken = events[0]["undone"]
            self.alive = [item for item in self.alive if item[0] != taken]
        else:
            self.alive.append((seq, side) + before)
        return events

    def on_undo(self, entry):
        """Not an order's: a restored server takes back an order whose roll is open (D7)."""
        need(self.open is not None, "an undo that nobody ordered")
        need(get_int(entry, "undone", 1) == self.open.seq, "not the open order")
        self.open = None
        self.absent = set()
        self.anchors_due = {"S"}

    def take_back_newest(self):
        """An agreed undo: the event; the position is that before the order."""
        seq, _, saved, undos = self.alive.pop()
        self.game.restore(saved)
        self.game.undos = list(undos) if self.roll_seq < seq else []  # R48: a die was rolled
        return {"kind": "undo", "undone": seq}

    # ---- around play

    def on_offer(self, entry):
        self.need_live()
        offer_id = get_int(entry, "id", 1)
        need(offer_id > self.offer_last, "an offer's id again")
        side = self.side_index(entry)
        what = get_word(entry, "offer", "draw", "pause", "undo")
        if what == "undo":
            need(not self.opened["rated"], "an undo offered in a rated match")
            need(self.alive and self.alive[-1][1] == side, "an undo that isn't one's to offer")
        self.offers[offer_id] = (side, what, self.alive[-1][0] if self.alive else 0)
        self.offer_last = offer_id

    def on_answer(self, entry):
        offer_id = get_int(entry, "id", 1)
        need(offer_id in self.offers, "an answer to no open offer")
        side, what, newest = self.offers.pop(offer_id)
        need(self.side_index(entry) == 1 - side, "an answer to one's own offer")
        if not get_bool(entry, "accept"):
            return
        if what == "draw":
            self.finish(None, "draw")
        elif what == "pause":
            self.pause_due = self.sides[side]
        else:
            need(self.open is None, "an undo while a roll is open (D5)")
            need(self.alive and self.alive[-1][0] == newest, "the offer's order isn't the newest")
            self.expect([self.take_back_newest()])

    def finish(self, side, reason):
        """An end that the rules don't find: its `over` comes next."""
        if self.game:
            self.game.over, self.game.active = (side, reason), None
        winner = None if side is None else self.sides[side]
        self.expect([{"kind": "over", "winner": winner, "reason": reason}], self.game is not None)

    def on_resign(self, entry):
        self.need_live()
        self.finish(1 - self.side_index(entry), "resign")

    def on_claim(self, entry):
        self.need_live()
        self.finish(self.side_index(entry), "abandon")

    def on_over(self, entry):
        """An `over` that opens its batch: a flag fallen, a match given up, a set-up that failed."""
        reason = get_word(entry, "reason", "time", "abandon", "void")
        winner = get(entry, "winner", lambda v: v is None or v in self.sides, "a side or null")
        if reason == "time":
            self.need_live()
            need(winner is not None, "somebody wins on time")
            need(self.opened["clock"]["kind"] != "none", "no clock runs")
        else:
            need(winner is None, "nobody wins")
            need(reason != "void" or self.game is None, "the game has started")
        self.finish(None if winner is None else self.sides.index(winner), reason)
        self.expected = []
        self.ended = True

    def on_pause(self, entry):
        self.swap_pause(entry, False)

    def on_resume(self, entry):
        self.swap_pause(entry, True)

    def swap_pause(self, entry, paused):
        need(self.paused == paused, "paused already" if self.paused else "there is no pause")
        need(self.pause_due is not None, "nobody agreed on it")
        need(self.open is None, "a pause begins after the roll (D5)")
        need(entry.get("by") == self.pause_due, "by isn't %s" % self.pause_due)
        self.paused, self.pause_due = not paused, None

    def on_presence(self, entry):
        self.need_live()
        self.side_index(entry)
        get_bool(entry, "online")

    def on_umpire(self, entry):
        by = get_name(entry, "by")
        get(entry, "reason", lambda v: isinstance(v, str), "a string")
        act = get_word(entry, "act", "pause", "resume", "adjudicate", "void")
        if act == "void":
            self.finish(None, "void")
        elif act == "adjudicate":
            self.need_live()
            winner = entry.get("winner")
            need(winner is None or winner in self.sides, "winner isn't a side or null")
            self.finish(None if winner is None else self.sides.index(winner), "adjudicated")
        else:
            need((act == "resume") == self.paused, "the pause is as the umpire wants it")
            self.pause_due = by

    def note(self):
        """What a reader should know of a sound journal's end, or None."""
        if self.ended and self.open:
            return "roll %d was left open" % (self.n + 1)
        return None
