#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""attack.py -- what honest players feel while the server is attacked. Loopback only; every attack
is bounded in connections and in time.

    SK_BIN=build/release/bin tests/bench/attack.py [--seconds N] [attack]...

The server has core 0; attackers (nice 19) and honest players share core 1, and `quiet` is measured
with a spinner of the attackers' niceness there. Limits hold for loopback too here: honest players
come from 127.0.0.1, attackers from many addresses of 127/8, as a botnet would. The latency is from
an order's sending to its event's arrival, at its giver and at the opponent, the disk included.
"""
import argparse
import json
import os
import random
import resource
import select
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "integration"))

from lib_wire import Server, program  # noqa: E402

HONEST_PAIRS = 4
PAUSE_S = 0.05  # between a player's event and the next order
NICE = 19
DEADLINE_S = 20


def line(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params},
                      separators=(",", ":")).encode() + b"\n"


HELLO = line(1, "session.hello", protocol=1, client="bench/1")


# ---- honest players


class Player:
    """One of a pair: logs in, sits, ends its phases as they come."""

    def __init__(self, bench, pair, name):
        self.bench, self.name = bench, name
        self.sock = socket.create_connection(bench.address)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.next_id, self.replies = b"", 10, {}
        self.pair, self.side = pair, None
        self.ask("session.hello", protocol=1, client="bench/1")
        self.ask("session.guest", name=name)

    def send(self, method, **params):
        self.next_id += 1
        self.sock.sendall(line(self.next_id, method, **params))
        return self.next_id

    def ask(self, method, **params):
        number, deadline = self.send(method, **params), time.monotonic() + DEADLINE_S
        while number not in self.replies:
            if not select.select([self.sock], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("%s: no answer to %s" % (self.name, method))
            self.read()
        reply = self.replies.pop(number)
        if "error" in reply:
            raise RuntimeError("%s: %s" % (self.name, reply["error"]["message"]))
        return reply["result"]

    def read(self):
        data = self.sock.recv(1 << 16)
        if not data:
            raise RuntimeError("%s: the server closed an honest player's line" % self.name)
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        now = time.monotonic()
        for text in lines:
            message = json.loads(text)
            if message.get("method") == "match.event":
                if message["params"]["match"] == self.pair.match:
                    self.pair.event(self, message["params"]["entry"], now)
            elif message.get("method") == "server.ping":
                self.send("session.ping")
            elif "error" in message and message["id"] == self.pair.flying:
                self.pair.refused(self, message["error"])
            elif "id" in message:
                self.replies[message["id"]] = message


class Pair:
    """Two players at a match, and a new one when it is over."""

    def __init__(self, bench, number):
        self.bench = bench
        self.match, self.flying = None, None
        self.players = [Player(bench, self, "Honest%d%s" % (number, who)) for who in "ab"]
        self.begin()

    def begin(self):
        maker, other = self.players
        self.head, self.sent, self.due, self.order, self.over = 0, None, None, 0, False
        self.flying, self.lost = None, False
        self.match = maker.ask("match.create", scenario="first-blood", side="red", fair="server",
                               clock={"kind": "none"})["match"]
        maker.side, other.side = "red", "blue"
        other.ask("match.join", match=self.match)
        for player in self.players:
            for event in player.ask("match.sync", match=self.match, after=0)["events"]:
                self.event(player, event["entry"], time.monotonic())

    def event(self, player, entry, now):
        if entry["kind"] == "order" and self.sent is not None:
            self.bench.samples.append(now - self.sent)
        if entry["seq"] <= self.head:
            return  # the other one has seen it
        self.head = entry["seq"]
        if entry["kind"] == "over":
            self.over = True
        if entry["kind"] == "phase":
            self.due = (now + PAUSE_S, next(p for p in self.players if p.side == entry["side"]))

    def act(self, now):
        if self.lost:
            self.look()
        elif self.over:
            self.begin()
        elif self.due is not None and now >= self.due[0]:
            player = self.due[1]
            self.due, self.order = None, self.order + 1
            self.sent = time.monotonic()
            self.flying = player.send(
                "match.order", match=self.match, order_id="o%d" % self.order, base=self.head,
                order={"do": "end_phase"})

    def refused(self, player, error):
        """Look where the game stands before the next one."""
        self.bench.refusals.append("%s of %s" % (error["data"]["reason"], player.side))
        self.due, self.lost = None, True

    def look(self):
        result = self.players[0].ask("match.sync", match=self.match)
        active = result.get("state", {}).get("active")
        self.lost, self.head = False, max(self.head, result["head"])
        self.over = self.over or "over" in result.get("state", {})
        self.due = next(((time.monotonic() + PAUSE_S, p) for p in self.players
                         if p.side == active), None)


class Bench:
    def __init__(self, server):
        self.server, self.address = server, server.address
        self.samples, self.refusals = [], []
        self.pairs = [Pair(self, i) for i in range(HONEST_PAIRS)]

    def play(self, seconds):
        """Sorted latencies in milliseconds, and the largest memory (MiB) seen meanwhile."""
        self.samples = []
        sockets = {p.sock: p for pair in self.pairs for p in pair.players}
        end, most, looked = time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            for sock in select.select(list(sockets), [], [], 0.005)[0]:
                sockets[sock].read()
            now = time.monotonic()
            for pair in self.pairs:
                pair.act(now)
            if now - looked > 0.1:
                looked, most = now, max(most, self.memory())
        return sorted(1000 * s for s in self.samples), most

    def memory(self):
        with open("/proc/%d/status" % self.server.process.pid, encoding="ascii") as file:
            return next(int(text.split()[1]) for text in file if text.startswith("VmRSS")) / 1024


# ---- attackers: each runs in a child until its time is over


def source(i):
    return "127.%d.%d.%d" % (9 + i // 60000, i // 250 % 240, i % 250 + 1)


def connect(address, i):
    """A connection from the i-th source; None where there is no room for it."""
    sock = socket.socket()
    try:
        sock.bind((source(i), 0))
        sock.settimeout(1)
        sock.connect(address)
        sock.setblocking(False)
        return sock
    except OSError:
        sock.close()
        return None


def try_send(sock, data):
    """False: it is closed."""
    try:
        sock.send(data)
        return True
    except BlockingIOError:
        return True
    except OSError:
        return False


def drop_input(sock):
    """Throw away what came; False: it is closed."""
    try:
        return sock.recv(1 << 16) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def slowloris(address, until):
    """2,000 connections at a time that never finish a line."""
    socks, made = [], 0
    while time.monotonic() < until:
        while len(socks) < 2000 and time.monotonic() < until:
            sock = connect(address, made // 20)
            made += 1
            if sock is not None:
                socks.append(sock)
            if made % 100 == 0:
                break
        socks = [s for s in socks if drop_input(s) and try_send(s, b"{")]
        time.sleep(0.05)
    return "%d connections made, %d held at the end" % (made, len(socks))


def flood(address, until, rate=100e6):
    """Valid requests from 8 sources, up to 100 MB/s."""
    data = HELLO + line(2, "server.info") * 1200
    socks, began, sent = [], time.monotonic(), 0
    while time.monotonic() < until:
        socks = [s for s in socks if drop_input(s)]
        while len(socks) < 8:
            sock = connect(address, random.randrange(1000, 200000))
            if sock is None:
                break
            socks.append(sock)
        if sent > (time.monotonic() - began) * rate or not socks:
            time.sleep(0.001)
            continue
        for sock in select.select([], socks, [], 0.01)[1]:
            try:
                sent += sock.send(data)
            except OSError:
                pass
    return "%.0f MB sent" % (sent / 1e6)


def logins(address, until, rate=5000):
    """Up to 5,000 wrong passwords a second, 20 a source."""
    began, tried, made = time.monotonic(), 0, 0
    text = HELLO + line(2, "session.login", name="somebody", password="not the right one")
    socks = []
    while time.monotonic() < until:
        while len(socks) < 64 and tried < (time.monotonic() - began) * rate:
            sock = connect(address, 300000 + made // 20)
            made += 1
            if sock is None:
                break
            if try_send(sock, text):
                tried += 1
                socks.append((sock, time.monotonic()))
            else:
                sock.close()
        now = time.monotonic()
        keep = []
        for sock, since in socks:
            if drop_input(sock) and now - since < 0.2:
                keep.append((sock, since))
            else:
                sock.close()
        socks = keep
        time.sleep(0.001)
    return "%d passwords tried" % tried


def spectators(address, until):
    """1,000 that look on at the honest matches and read nothing."""
    socks, made = [], 0
    text = HELLO + line(2, "session.guest") + b"".join(
        line(10 + i, "match.watch", match=i + 1) for i in range(HONEST_PAIRS))
    ask = line(30, "match.sync", match=1)
    while time.monotonic() < until:
        while len(socks) < 1000 and time.monotonic() < until:
            sock = connect(address, 400000 + made // 20)
            made += 1
            if sock is None:
                break
            try_send(sock, text)
            socks.append(sock)
            if made % 50 == 0:
                break
        socks = [s for s in socks if try_send(s, ask)]
        time.sleep(0.2)
    return "%d made, %d held at the end" % (made, len(socks))


def storm(address, until):
    """Connect and go, as fast as one process can."""
    made = 0
    while time.monotonic() < until:
        sock = connect(address, 500000 + made // 15)
        made += 1
        if sock is not None:
            sock.close()
    return "%d connections" % made


def giants(address, until):
    """Lines without an end."""
    data, made, sent = b'{"x":"' + b"x" * (1 << 20), 0, 0
    while time.monotonic() < until:
        sock = connect(address, 600000 + made // 10)
        made += 1
        if sock is None:
            continue
        for _ in range(20):
            try:
                sent += sock.send(data)
            except BlockingIOError:
                select.select([], [sock], [], 0.02)
            except OSError:
                break
        sock.close()
    return "%d lines, %.0f MB taken by the network" % (made, sent / 1e6)


def spinner(_address, until):
    while time.monotonic() < until:
        pass
    return ""


ATTACKS = {"slowloris": [slowloris], "flood": [flood], "logins": [logins],
           "spectators": [spectators], "storm": [storm], "giants": [giants]}
ATTACKS["all"] = [attack for attacks in list(ATTACKS.values()) for attack in attacks]


def start(attack, address, seconds):
    """Run it in a child on core 1: (pid, file of its words)."""
    out = tempfile.TemporaryFile("w+")
    pid = os.fork()
    if pid == 0:
        os.nice(NICE)
        try:
            out.write(attack(address, time.monotonic() + seconds))
        except Exception as error:  # the bench goes on and says so
            out.write("gave up: %r" % error)
        out.flush()
        os._exit(0)
    return pid, out


def measure(bench, attacks, seconds):
    """Latencies while the attacks run, memory, and what the attackers say."""
    children = [start(attack, bench.address, seconds + 1) for attack in attacks]
    try:
        bench.play(1)  # until they are at it
        samples, memory = bench.play(seconds - 1)
    finally:
        words = []
        for pid, out in children:
            os.waitpid(pid, 0)
            out.seek(0)
            words.append(out.read())
            out.close()
    return samples, memory, "; ".join(w for w in words if w)


def at(samples, part):
    return samples[min(len(samples) - 1, int(len(samples) * part))] if samples else float("nan")


def report(name, result, quiet):
    samples, memory, words = result
    times = at(samples, 0.99) / at(quiet, 0.99) if quiet else 1
    print("%-11s %6d orders  p50 %7.2f ms  p99 %7.2f ms (%5.2f times quiet)  %5.0f MiB  %s" % (
        name, len(samples), at(samples, 0.5), at(samples, 0.99), times, memory, words), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("attack", nargs="*", choices=[[], *ATTACKS], default=[])
    args = parser.parse_args()
    program("skirmishd")
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, soft))
    conf = tempfile.NamedTemporaryFile("w", suffix=".conf")
    conf.write("[limits]\nloopback = yes\n[log]\nlevel = warn\n")
    conf.flush()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with Server("--config", conf.name) as server:
        os.sched_setaffinity(0, {cores[-1]})
        bench = Bench(server)
        quiet = measure(bench, [spinner], args.seconds)
        report("quiet", quiet, None)
        for name in args.attack or ATTACKS:
            report(name, measure(bench, ATTACKS[name], args.seconds), quiet[0])
            settle = measure(bench, [spinner], 3)
        report("quiet again", settle, quiet[0])
        if server.process.poll() is not None:
            print("THE SERVER ENDED with status %d" % server.process.returncode)
            return 1
        heads = [(pair.match, pair.head) for pair in bench.pairs]
        lost = [match for match, head in heads if bench.pairs[0].players[0].ask(
            "match.watch", match=match, after=head)["head"] < head]
        print("orders refused to honest players: %d %s" % (
            len(bench.refusals), sorted(set(bench.refusals))))
        print("crashes: 0; matches that lost an entry: %d of %d" % (len(lost), len(heads)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
