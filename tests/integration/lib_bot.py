# SPDX-License-Identifier: ISC
"""lib_bot.py -- a player, or a spectator, over the wire.

A Bot keeps its own journal of each match from the first entry on (tests/ref/journal.py: links,
rolls, dice and the rules' events all checked), compares hash and state hash with each event, keeps
its dice chain and answers requests for a link as DICE D7 says, chooses legal orders at random, and
comes back after a lost connection with its token. What it chooses depends on its seed and the
position alone.

    ann, bob = Bot(server, "ann", 1), Bot(server, "bob", 2)
    match = ann.create("first-blood", side="red", clock={"kind": "none"}, fair="strict")
    bob.join(match)
    play([ann, bob], match)
"""
import hashlib
import json
import os
import random
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ref")]

import fd1  # noqa: E402
from chooser import Chooser  # noqa: E402
from journal import Bad, Journal, compact  # noqa: E402
from lib_wire import Caller, Conn, Failure, Refusal, equal, need, wait_all  # noqa: E402
from verify import Unsound, verify  # noqa: E402


class WentBack(Failure):
    """The server asks for a link that it must not have (DICE D7)."""


class Point:
    """What is true behind one settled entry, to compare a sync with."""

    def __init__(self, view):
        journal, game = view.journal, view.journal.game
        self.state = game.state_json() if game else None
        self.state_hash = game.state_hash() if game else None
        self.undos = [seq for seq, _ in game.undos] if game else []
        self.open = journal.open.seq if journal.open else None
        self.salt_open = journal.salt_open() and not journal.ended
        self.anchor_seq = view.anchor_seq
        self.n = journal.n
        self.dice = {"salt": journal.salt.hex() if journal.salt else None, "n": journal.n}
        self.dice["generations"], self.dice["bases"] = {}, {}
        for role in fd1.ROLES:
            tail = journal.tails.get(role)
            self.dice[role.lower()] = tail.link.hex() if tail else None
            self.dice["generations"][role] = tail.generation if tail else None
            self.dice["bases"][role] = tail.base if tail else None


class View:
    """One match as this bot knows it."""

    def __init__(self, match, scenario):
        self.match = match
        self.journal = Journal(scenario, hashlib.sha256(compact(scenario)).hexdigest())
        self.hashes = [fd1.ZEROS.hex()]  # by seq
        self.state_hashes = [None]  # as they stood with the events
        self.kinds = [None]
        self.anchor_seq = 0
        self.role = None  # A or B where the bot sits
        self.chains = []  # per generation: (base, links)
        self.given = {}  # roll -> hash that its link was given for (D7)
        self.asked = None  # a request not yet answered
        self.orders = 0
        self.flying = None  # (order_id, order, base) given and not yet answered
        self.answered = 0  # seq of the newest order that was answered; its entry comes behind that
        self.chooser = None
        self.method = "match.sync"
        self.events = []  # kept, with the two below, where keep is set
        self.keep = False
        self.points = {}  # settled seq -> Point
        self.resync = False

    @property
    def head(self):
        return self.journal.head

    @property
    def game(self):
        return self.journal.game

    def over(self):
        return self.journal.ended

    def side(self):
        """Index of this seat's side, None before the start or without a seat."""
        return self.journal.side_of.get(self.role)

    def my_turn(self):
        """Is an order of this seat wanted now?"""
        journal = self.journal
        return (self.role is not None and self.game is not None and journal.settled()
                and not journal.ended and not journal.open and not journal.paused
                and not journal.salt_due and not journal.anchors_due
                and self.game.active is not None and self.game.active == self.side()
                and self.flying is None)

    def take(self, event):
        """An event of the stream; one that is known already must be the same."""
        entry, seq = event["entry"], event["entry"]["seq"]
        if seq <= self.head:
            equal(event["hash"], self.hashes[seq], "entry %d comes again, otherwise" % seq)
            return
        equal(seq, self.head + 1, "entries have a gap")
        try:
            self.journal.take_entry(entry)
        except Bad as bad:
            raise Failure("entry %d: %s\n%s" % (seq, bad, json.dumps(entry))) from bad
        equal(event["hash"], self.journal.hash.hex(), "hash at %d" % seq)
        self.check_state_hash(event)
        self.hashes.append(event["hash"])
        self.state_hashes.append(event["state_hash"])
        self.kinds.append(entry["kind"])
        if entry["kind"] == "anchor":
            self.anchor_seq = seq
        if self.keep:
            self.events.append({name: event[name] for name in ("hash", "state_hash", "entry")})
            if self.journal.settled():
                self.points[seq] = Point(self)

    def check_state_hash(self, event):
        want = self.journal.wanted_state_hash()
        if want is not None and event["state_hash"] is None and self.same_as_before(want):
            return  # an order that left everything as it was
        equal(event["state_hash"], want, "state hash at %d (%s)" % (
            event["entry"]["seq"], event["entry"]["kind"]))

    def same_as_before(self, state_hash):
        return state_hash == next((h for h in reversed(self.state_hashes) if h), None)

    def link(self, request):
        """The link for a request, None while its entry isn't here yet; WentBack (D7)."""
        roll, seq, head_hash = request["roll"], request["seq"], request["hash"]
        at = seq or self.anchor_seq
        if at > self.head or (seq == 0 and not self.journal.salt_open()):
            return None
        if self.hashes[at] != head_hash:
            raise WentBack("roll %d is asked for at another hash" % roll)
        if self.given.get(roll, head_hash) != head_hash:
            raise WentBack("roll %d is asked for twice, with two orders" % roll)
        self.given[roll] = head_hash
        base, links = self.chains[-1]
        return links[roll - base].hex()


class Bot(Caller):
    def __init__(self, server, name, seed, stay=0.06):
        self.server, self.name = server, name
        self.rng = random.Random("%s/%s" % (seed, name))
        self.stay = stay
        self.views = {}
        self.scenarios = {}
        self.token = None
        self.conn = None
        self.waiting = {}  # request id -> handler of its message
        self.other_notes = []  # notifications that aren't of play
        self.before_order = None  # called with (bot, view) where an order is to be given
        self.connect()

    # ---- the connection

    def connect(self):
        """A connection, logged in: as the guest of before where there is a token."""
        self.conn = Conn(self.server.address)
        self.conn.label = self.name
        self.waiting = {}
        self.conn.hello()
        if self.token is None:
            result = self.conn.call("session.guest", name=self.name)
            equal(result["user"], {"name": self.name, "kind": "guest", "role": None}, "guest")
            self.token = result["token"]
        else:
            self.resume()
        self.conn.listener = self.on_message
        while self.conn.notes:
            self.on_message(self.conn.notes.popleft())

    def resume(self):
        following = self.rng.randbytes(32).hex()
        result = self.conn.call("session.resume", token=self.token, next=following)
        equal(result["token"], following, "the token that the client made")
        equal(result["user"]["name"], self.name, "resumed as")
        self.token = following

    def drop(self):
        """The connection breaks; answers under way are lost."""
        self.conn.abort()
        for view in self.views.values():
            view.asked = None

    def reconnect(self):
        self.connect()
        for view in self.views.values():
            self.sync(view)
            if view.flying:
                self.send_order(view)

    def request(self, handler, method, **params):
        """Send; handler(result) or, for an error, handler(Refusal) is called with the answer."""
        request_id = self.conn.send(method, **params)
        self.waiting[request_id] = handler
        return request_id

    def call(self, method, **params):
        """Send and read until the answer is here."""
        box = []
        self.request(box.append, method, **params)
        self.conn.wait(lambda: box, "the answer to " + method)
        if isinstance(box[0], Refusal):
            raise box[0]
        return box[0]

    def traffic(self):
        return self.conn.traffic()

    def on_message(self, message):
        if "method" not in message:
            handler = self.waiting.pop(message["id"])
            handler(Refusal(message["error"]) if "error" in message else message["result"])
            return
        method, params = message["method"], message["params"]
        view = self.views.get(params.get("match"))
        if method == "match.event" and view:
            view.take(params)
            self.answer_request(view)
        elif method == "match.roll_request":
            need(view and view.role, "%s is asked for a link without a seat" % self.name)
            view.asked = params
            self.answer_request(view)
        elif method == "match.resync" and view:
            view.resync = True
        elif method == "server.ping":  # who only looks on says nothing else, and is dropped in the end
            self.request(lambda result: None, "session.ping")
        else:
            self.other_notes.append(message)

    # ---- matches

    def scenario(self, scenario_id):
        if scenario_id not in self.scenarios:
            self.scenarios[scenario_id] = self.call("scenario.get", id=scenario_id)["scenario"]
        return self.scenarios[scenario_id]

    def view(self, match, scenario_id, role):
        view = View(match, self.scenario(scenario_id))
        view.role = role
        self.views[match] = view
        return view

    def create(self, scenario, **params):
        """match.create with these params, the anchor sent where the dice want one; the match."""
        created = self.call("match.create", scenario=scenario, **params)
        view = self.view(created["match"], scenario, "A")
        self.sync(view)
        self.anchor(view)
        return created["match"]

    def join(self, match, scenario, **params):
        result = self.call("match.join", match=match, **params)
        view = self.view(match, scenario, "B")
        self.sync(view)
        self.anchor(view)
        return result

    def watch(self, match, scenario, keep=False):
        view = self.view(match, scenario, None)
        view.keep, view.method = keep, "match.watch"
        self.sync(view)
        return view

    def sync(self, view):
        """All entries behind those known, page by page. The result of the last page."""
        pages = []

        def page(result):
            if isinstance(result, Refusal):
                raise result
            for event in result["events"]:
                view.take(event)
            pages.append(result)
            if "next" in result:
                equal(result["next"], view.head, "next is the last entry given")
                ask()

        def ask():
            # Taken in as it comes: live events may stand right behind it.
            self.request(page, view.method, match=view.match, after=view.head)
        ask()
        self.conn.wait(lambda: pages and "next" not in pages[-1], "the answer to " + view.method)
        need(view.head >= pages[-1]["head"], "sync ends before the head")
        equal(view.hashes[pages[-1]["head"]], pages[-1]["hash"], "hash at the head")
        view.resync = False
        self.answer_request(view)
        return pages[-1]

    def anchor(self, view, again=False):
        """Send the next generation's anchor, where this match wants one."""
        if view.journal.fair == "server":
            return
        if not view.chains or again:
            generation, secret = len(view.chains), self.rng.randbytes(fd1.LEN)
            links = fd1.chain(view.journal.mid, view.role, generation, secret)
            view.chains.append((view.journal.n, links))
        self.call("match.anchor", match=view.match, generation=len(view.chains) - 1,
                  anchor=view.chains[-1][1][0].hex())

    def answer_request(self, view):
        """Give the link that was asked for, once the order's entry is here."""
        if view.asked is None:
            return
        link = view.link(view.asked)
        if link is None:
            return
        roll, view.asked = view.asked["roll"], None

        def answered(result):
            late = isinstance(result, Refusal) and result.reason == "phase"
            need(late or result == {}, "share of roll %d: %s" % (roll, result))
        self.request(answered, "match.share", match=view.match, roll=roll, share=link)

    # ---- orders

    def think(self, view):
        """Give an order if one is wanted; True if so."""
        if view.resync:
            self.sync(view)
        if not view.my_turn():
            return False
        if self.before_order:
            self.before_order(self, view)
        if view.chooser is None or view.chooser.game is not view.game:
            view.chooser = Chooser(self.rng, view.game, stay=self.stay)
        order = view.chooser.next_legal()
        del order["side"]
        self.order(view, order)
        return True

    def order(self, view, order):
        """Send one; its answer is checked when it comes."""
        view.orders += 1
        view.flying = ("%s-%d" % (self.name, view.orders), order, view.head)
        self.send_order(view)

    def send_order(self, view):
        order_id, order, base = view.flying

        def answered(result):
            if isinstance(result, Refusal):
                raise Failure("%s: order %s refused: %s" % (self.name, order, result))
            view.flying = None
            view.answered = max(view.answered, result["seq"])
            need(result["seq"] > base, "the order stands at %d, not behind %d" % (
                result["seq"], base))
        self.request(answered, "match.order", match=view.match, order_id=order_id, base=base,
                     order=order)

    # ---- the end

    def record(self, match):
        """The record's bytes, page by page."""
        lines, after = [], {}
        while True:
            result = self.call("match.record", match=match, **after)
            lines += result["lines"]
            if "next" not in result:
                return "".join(line + "\n" for line in lines).encode("utf-8")
            after = {"after": result["next"]}

    def verified_record(self, match):
        """The record, sound and with the head that this bot has seen."""
        view = self.views[match]
        data = self.record(match)
        try:
            journal = verify(data, view.journal.hash.hex())
        except Unsound as unsound:
            path = os.path.join(tempfile.gettempdir(), "unsound-%s.ndjson" % match)
            with open(path, "wb") as file:
                file.write(data)
            raise Failure("record of %s (kept in %s): %s" % (match, path, unsound)) from unsound
        equal(journal.state_hash(), view.journal.state_hash(), "state hash of the record")
        return data

    def close(self):
        self.conn.close()


def play(bots, match, until=None, step=None):
    """Let the bots play that match until it is over, or until() is true. step(bots), if given, is
    called each time that nothing waits to be read and an order has been given: it may drop
    connections, look, order."""
    done = until or (lambda: all(bot.views[match].over() for bot in bots))

    def give(bot):
        gave = match in bot.views and bot.think(bot.views[match])
        if gave and step:
            step(bots)
        return gave

    def think():
        if done():
            return True
        while any([give(bot) for bot in bots]):
            pass
        return done()
    wait_all(lambda: [bot.conn for bot in bots], think, "the end of %s" % match)


def pump_until(bots, truth, what):
    """Let the bots read, answering requests for links, but give no order."""
    wait_all(lambda: [bot.conn for bot in bots], truth, what)


def started(bots, match):
    """Wait until the salt roll is made and all know it."""
    def truth():
        views = [bot.views[match] for bot in bots]
        return all(v.game and v.journal.settled() for v in views)
    pump_until(bots, truth, "the start of %s" % match)


def seat_pair(server, scenario, seed, names=("ann", "bob"), **params):
    """Two bots in a match that has started: (match, ann, bob)."""
    ann, bob = Bot(server, names[0], seed), Bot(server, names[1], seed)
    match = ann.create(scenario, **{"side": "random", "clock": {"kind": "none"}, **params})
    bob.join(match, scenario)
    started([ann, bob], match)
    return match, ann, bob


def catch_up(bots, match):
    """All bots have read what the others have."""
    def truth():
        heads = {bot.views[match].head for bot in bots}
        views = [bot.views[match] for bot in bots]
        return len(heads) == 1 and all(
            v.journal.settled() and not v.flying and v.head >= v.answered for v in views)
    pump_until(bots, truth, "one head")


def at_rest(bots, match):
    """The same, and no roll is open: what was ordered has its end, and nobody orders more."""
    catch_up(bots, match)
    pump_until(bots, lambda: not any(bot.views[match].journal.open for bot in bots), "the last roll")
    catch_up(bots, match)


def same_end(bots, match):
    """All have the same head, hash and state hash."""
    first = bots[0].views[match].journal
    for bot in bots[1:]:
        other = bot.views[match].journal
        equal((other.head, other.hash, other.state_hash()),
              (first.head, first.hash, first.state_hash()), "the ends of %s" % match)
