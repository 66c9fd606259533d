# SPDX-License-Identifier: ISC
"""lib_crash.py -- a server that dies at any moment, and players who come back each time.

A Player is a Bot whose connection may be gone behind every call (Lost). It keeps what the server
has acknowledged; check_kept() holds the server to that after a restart. Secret() knows every chain of
a match, the server's too, and so the dice of a roll before it is rolled.
"""
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "ref")]

import fd1  # noqa: E402
from lib_bot import Bot, View  # noqa: E402
from lib_wire import Conn, Failure, Refusal, Server, equal, free_port, need  # noqa: E402

# The server's clocks began before we knew, or ran on while we looked; and it looks at the time once
# in a turn of its loop, which takes its time where many programs want the processor.
EARLY_MS = 300


class Lost(Failure):
    """The connection is gone."""


class LostConn(Conn):
    """A connection that may end at any time; writing into the void is silent, reading is Lost."""

    def __init__(self, address):
        try:
            super().__init__(address)
        except ConnectionError as error:
            raise Lost("no connection: %s" % error) from error

    def send_raw(self, data):
        try:
            super().send_raw(data)
        except (ConnectionError, OSError):
            pass  # what was sent before may still be read, up to the end

    def wait(self, truth, what):
        try:
            return super().wait(truth, what)
        except Failure as failure:
            if self.closed:
                raise Lost("%s: gone while waiting for %s" % (self.label, what)) from failure
            raise


class Mortal(Server):
    """A server on one port for all its lives, and a ledger of them."""

    def __init__(self, *options, **named):
        self.port = free_port()  # the first life takes it, the others take it again
        super().__init__("--listen", "127.0.0.1:%d" % self.port, *options, **named)
        self.lives = []  # [began, ended] by time.monotonic(); ended None: it lives

    def start(self):
        self.lives.append([time.monotonic(), None])
        super().start()

    def read_stdout(self):
        line = super().read_stdout()
        while not line.endswith(":%d" % self.port):  # that of the free port comes first
            line = super().read_stdout()
        return line

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def buried(self):
        """It is dead: wait for the last of it."""
        code = self.process.wait()
        self.process.stdout.close()
        self.process = None
        if self.lives[-1][1] is None:
            self.lives[-1][1] = time.monotonic()
        return code

    def slay(self):
        """SIGKILL; also from a signal handler."""
        process = self.process
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGKILL)
            self.lives[-1][1] = time.monotonic()

    def served_s(self, since, until):
        """(least, most) seconds that clocks may have run between two moments; a crash costs at
        most one second more."""
        up, crashes = 0.0, 0
        for began, ended in self.lives:
            begin, end = max(began, since), min(ended or until, until)
            up += max(0.0, end - begin)
            crashes += ended is not None and since < ended < until
        return up, up + crashes

    def master_key(self):
        with open(os.path.join(self.data, "master.key"), encoding="ascii") as file:
            return bytes.fromhex(file.read().split()[2])


class KeptView(View):
    """A view that remembers where its seat's orders stand, and the dice of an open roll."""

    def __init__(self, match, scenario):
        super().__init__(match, scenario)
        self.acked = {}  # order_id -> (seq, order)
        self.stands = {}  # order_id -> seq, as the journal has it
        self.entries = []  # by seq - 1
        self.foretold = {}  # seq of an order with an open roll -> (n, key)
        self.secrets = None  # a Secrets, where the dice are to be foretold
        self.clock = None  # (asked, answered, left, journal head) of the last look

    def my_side_id(self):
        side = self.side()
        return None if side is None else self.journal.sides[side]

    def my_turn(self):
        """The answer to an order may come before the order's entry."""
        return super().my_turn() and self.head >= self.answered

    def take(self, event):
        known = self.head
        super().take(event)
        if self.head == known:
            return
        entry = event["entry"]
        self.entries.append(entry)
        if entry["kind"] == "order" and entry["side"] == self.my_side_id():
            need(entry["order_id"] not in self.stands, "order %s stands twice" % entry["order_id"])
            self.stands[entry["order_id"]] = entry["seq"]
        if self.secrets:
            self.foretell(entry)

    def foretell(self, entry):
        journal = self.journal
        if journal.open and journal.open.seq not in self.foretold:
            n = journal.n + 1
            self.foretold[journal.open.seq] = (n, self.secrets.key(n, journal.salt))
        if entry["kind"] == "roll" and entry["for"]:
            n, key = self.foretold[entry["for"]]
            equal(entry["n"], n, "the open roll's number")
            if entry["flags"] == self.secrets.flags:
                stream = fd1.Dice(key)
                equal(entry["dice"], stream.roll(len(entry["dice"])), "the open roll's dice")


class Secrets:
    """Every chain of a match in its first generation."""

    def __init__(self, master, match, fair, a, b):
        self.mid = bytes.fromhex(match)
        self.flags = 0 if fair == "server" else fd1.FLAG_A | fd1.FLAG_B
        seed = fd1.server_secret(master, self.mid, 0)
        self.server = fd1.chain(self.mid, "S", 0, seed)
        self.seats = (a, b)

    def key(self, n, salt):
        a, b = (view.chains[0][1][n] if self.flags else None for view in self.seats)
        return fd1.roll_key(self.mid, n, salt, self.server[n], a, b)


class Player(Bot):
    """Comes back as who it was; what it had asked and not heard, it asks again."""

    def __init__(self, server, name, seed, stay=0.06):
        self.tokens = []  # newest first; the first may never have reached the server
        self.resent = 0  # orders given again because their answer was lost ...
        self.resent_done = 0  # ... and already done
        self.offers = {}  # offer_id -> what, acknowledged
        super().__init__(server, name, seed, stay)

    # ---- the connection

    def connect(self):
        self.conn = LostConn(self.server.address)
        self.conn.label = self.name
        self.waiting = {}
        self.conn.hello()
        self.login()
        self.conn.listener = self.on_message
        while self.conn.notes:
            self.on_message(self.conn.notes.popleft())

    def login(self):
        """By the newest token that the server takes. What was refused first may be taken in the end:
        the request that makes it known may still be on its way, on a connection given up."""
        tried = list(self.tokens)
        for token in tried + tried[:-1]:
            following = self.rng.randbytes(32).hex()
            self.tokens.insert(0, following)
            try:
                result = self.conn.call("session.resume", token=token, next=following)
            except Refusal as refusal:
                need(refusal.reason == "auth", "resume: %s" % refusal)
                self.tokens.remove(following)
                continue
            equal((result["token"], result["user"]["name"]), (following, self.name), "resumed as")
            self.tokens = [following]
            return
        need(not self.is_seated(), "%s has a seat, and no token is taken" % self.name)
        result = self.conn.call("session.guest", name=self.name)
        equal(result["user"]["name"], self.name, "guest")
        self.tokens = [result["token"]]

    def is_seated(self):
        return any(view.role and not view.over() for view in self.views.values())

    def drain(self):
        """Read what a dead server has still sent: that too was seen."""
        while not self.conn.closed:
            if not self.conn.pump(20):
                raise Failure("%s: the dead server's connection stays open" % self.name)
        self.conn.close()
        for view in self.views.values():
            view.asked = None

    def come_back(self):
        """Connect, catch up, ask again."""
        self.conn.close()
        self.connect()
        for view in self.views.values():
            view.asked = None
            self.look(view)
            if view.flying and view.over() and view.flying[0] not in view.stands:
                view.flying = None  # given too late
            elif view.flying:
                self.resent += 1
                self.resent_done += view.flying[0] in view.stands
                self.send_order(view)

    def view(self, match, scenario_id, role):
        view = KeptView(match, self.scenario(scenario_id))
        view.role = role
        self.views[match] = view
        return view

    # ---- what the server must have kept

    def look(self, view):
        """Sync, and hold the answer against what is known: nothing seen is gone or other."""
        before = time.monotonic()
        result = self.sync(view)
        if view.head == result["head"] and view.journal.settled():
            equal(result["state_hash"], view.journal.state_hash(), "state hash at the head")
        for order_id, (seq, order) in view.acked.items():
            equal(view.stands.get(order_id), seq, "order %s was acknowledged" % order_id)
            equal(view.entries[seq - 1]["order"], order, "order %s" % order_id)
        self.look_at_clock(view, result, before)
        return result

    def look_at_clock(self, view, result, before):
        left = result["clock"].get("left")
        now, old = time.monotonic(), view.clock
        view.clock = (before, now, left, result["head"])
        if left is None or old is None or old[2] is None or old[3] != result["head"]:
            return
        used = sum(old[2].values()) - sum(left.values())
        early = EARLY_MS + ((now - before) + (old[1] - old[0])) * 1000
        least, most = self.server.served_s(old[1], before)[0], self.server.served_s(old[0], now)[1]
        crashed = most - least > 1 - 1e-6
        runs = result["clock"]["running"] is not None
        need(used <= most * 1000 + early, "clocks lost %d ms in %.0f ms" % (used, most * 1000))
        need(not runs or crashed or used >= least * 1000 - early,
             "clocks lost %d ms in %.0f ms" % (used, least * 1000))
        need(used >= 0, "clocks won %d ms" % -used)

    def ask_again(self, view):
        """An acknowledged order once more: the same answer; with another body: a conflict."""
        order_id = self.rng.choice(list(view.acked))
        seq, order = view.acked[order_id]
        base = self.rng.choice((seq - 1, view.head))
        equal(self.call("match.order", match=view.match, order_id=order_id, base=base, order=order),
              {"seq": seq}, "order %s again" % order_id)
        other = {"do": "undo"} if order["do"] != "undo" else {"do": "end_phase"}
        self.refused("conflict", "match.order", match=view.match, order_id=order_id, base=base,
                     order=other)

    # ---- orders and offers

    def send_order(self, view):
        order_id, order, base = view.flying

        def answered(result):
            if isinstance(result, Refusal):
                need(view.over() or result.reason == "phase", "%s: order %s at %d refused: %s\n%s" % (
                    self.name, order, base, result, self.traffic()))
                view.flying = None
                return
            need(result["seq"] > base, "the order stands at %d, not behind %d" % (
                result["seq"], base))
            view.acked[order_id] = (result["seq"], order)
            view.answered = max(view.answered, result["seq"])
            if view.flying and view.flying[0] == order_id:
                view.flying = None
        self.request(answered, "match.order", match=view.match, order_id=order_id, base=base,
                     order=order)

    def offer(self, view, what):
        def answered(result):
            if isinstance(result, Refusal):
                need(result.reason in ("phase", "conflict"), "offer: %s" % result)
            else:
                self.offers[result["offer_id"]] = what
        self.request(answered, "match.offer", match=view.match, offer=what)

    def decline_all(self, view):
        for offer_id, (side, _what, _seq) in list(view.journal.offers.items()):
            if side != view.side():
                self.request(lambda result: None, "match.answer", match=view.match,
                             offer_id=offer_id, accept=False)
