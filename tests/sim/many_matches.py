#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""Many short matches in one server's life: memory and descriptors stay flat, all are archived.

    SK_BIN=build/release/bin tests/sim/many_matches.py [--matches N] [--rounds N] [--tables N] [--verify N]

Some pairs of guests create, join and resign matches, some after a few orders, and come back on new
connections now and then. Memory and descriptors are printed behind each round and must not grow; then the
archive is read whole, and records of it are verified by the client. ctest plays a few hundred;
`.ci/campaign matches` the long run.
"""
import argparse
import glob
import gzip
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "integration"))

from lib_wire import PATIENCE_S, Server, equal, need, program  # noqa: E402

RECONNECT_EVERY = 50  # matches of a table
ORDERS_EVERY = 10
# What one match may leave behind for good, at most, and what allocator and caches may still take.
BYTES_A_MATCH, BYTES_SLACK = 16, 256 << 10


class Watched(Server):
    """A server whose figures are looked at."""

    def __init__(self, *options):
        super().__init__(*options)
        self.conf, self.door = self.data + ".conf", self.data + ".sock"
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write("[metrics]\nlisten = %s\n" % self.door)
        self.options = (*options, "--config", self.conf)

    def __exit__(self, *what):
        super().__exit__(*what)
        os.unlink(self.conf)

    def figures(self):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(PATIENCE_S)
            sock.connect(self.door)
            sock.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            page = b"".join(iter(lambda: sock.recv(65536), b"")).decode("ascii")
        return {name: float(value) for name, value in
                re.findall(r"^skirmishd_(\S+) ([0-9.]+)$", page, re.M)}


class Peer:
    """One guest's connection."""

    def __init__(self, run, name):
        self.run, self.name, self.token, self.sock = run, name, None, None
        self.buffer, self.number, self.waiter, self.notes = b"", 0, None, []

    def connect(self):
        if self.sock is not None:
            self.run.selector.unregister(self.sock)
            self.sock.close()
        self.sock = socket.create_connection(self.run.address, PATIENCE_S)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer, self.notes = b"", []
        self.run.selector.register(self.sock, selectors.EVENT_READ, self)

    def send(self, method, params):
        self.number += 1
        self.sock.sendall(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method,
                                      "params": params}, separators=(",", ":")).encode() + b"\n")

    def read(self):
        """The answer to the last request, or None."""
        data = self.sock.recv(1 << 18)
        need(data, "%s: the server closed the connection" % self.name)
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        answer = None
        for line in lines:
            if line.startswith(b'{"jsonrpc":"2.0","id":%d,' % self.number):
                answer = json.loads(line)
            elif b'"method":"server.ping"' in line:
                self.sock.sendall(b"\n")
        return answer


def result_of(peer, answer):
    """Its result; an order may come too late for a roll that was under way: None then."""
    if "result" in answer:
        return answer["result"]
    need(answer["error"]["data"]["reason"] in ("stale", "phase"),
         "%s: %s" % (peer.name, answer["error"]))
    return None


class Run:
    def __init__(self, server, args):
        self.server, self.address, self.args = server, server.address, args
        self.selector = selectors.DefaultSelector()
        self.begun, self.done, self.active, self.limit = 0, 0, 0, 0
        self.pairs = [[Peer(self, "%s%d" % (name, number)) for name in ("Ann", "Bob")]
                      for number in range(args.tables)]
        self.figures, self.started = [], time.monotonic()

    def log_in(self, peer):
        peer.connect()
        yield peer, "session.hello", {"protocol": 1, "client": "many/1"}
        if peer.token is None:
            result = yield peer, "session.guest", {"name": peer.name}
        else:
            result = yield peer, "session.resume", {"token": peer.token}
        peer.token = result["token"]

    def orders(self, match, table):
        """A phase each, then the next."""
        for round_ in range(2):
            for peer in table:
                got = {}
                while "state" not in got:  # the first roll may be under way
                    got = yield peer, "match.sync", {"match": match}
                if got["state"]["active"] == got["side"]:
                    yield peer, "match.order", {"match": match, "order_id": "o%d" % round_,
                                                "base": got["head"], "order": {"do": "end_phase"}}
                yield peer, "match.unwatch", {"match": match}

    def table(self, pair):
        """One pair's part of a round: yields requests, is sent their results."""
        for peer in pair:
            yield from self.log_in(peer)
        played = 0
        while self.begun < self.limit:
            self.begun += 1
            made = yield pair[0], "match.create", {
                "scenario": "first-blood", "side": "red", "clock": {"kind": "none"},
                "fair": "server", "watch": "none"}
            yield pair[1], "match.join", {"match": made["match"]}
            if played % ORDERS_EVERY == 0:
                yield from self.orders(made["match"], pair)
            yield pair[played % 2], "match.resign", {"match": made["match"]}
            played += 1
            self.done += 1
            if played % RECONNECT_EVERY == 0:
                for peer in pair:
                    yield from self.log_in(peer)

    def measure(self):
        """Once the round's matches have left memory."""
        deadline = time.monotonic() + max(4 * PATIENCE_S, self.done / 20)
        while True:
            now = self.server.figures()
            if now["matches_archived"] == self.done and now['matches{state="over"}'] == 0:
                break
            need(time.monotonic() < deadline, "not all have left for the archive: %s" % now)
            self.serve(0.05)
        pid = self.server.process.pid
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        fds = len(os.listdir("/proc/%d/fd" % pid))
        rss = int(status["VmRSS"].split()[0]) << 10
        heap, cache = now["heap_bytes"], now["store_memory_bytes"]
        size = sum(os.path.getsize(p) for p in glob.glob(self.server.data + "/archive/*"))
        base = os.path.getsize(self.server.data + "/skirmish.db")
        self.figures.append((self.done, heap - cache, fds))
        print("%7d matches %5.0f s  memory %5.1f MB: %6.3f in use, %6.3f the database's cache  "
              "descriptors %3d  archive %7.2f MB  database %6.2f MB" % (
                  self.done, time.monotonic() - self.started, rss / 2**20, (heap - cache) / 2**20,
                  cache / 2**20, fds, size / 2**20, base / 2**20), flush=True)

    def advance(self, life, result):
        try:
            peer, method, params = life.send(result)
        except StopIteration:
            self.active -= 1
            return
        peer.waiter = life
        peer.send(method, params)

    def serve(self, patience_s):
        """Read what comes. False: nothing did."""
        events = self.selector.select(patience_s)
        for key, _mask in events:
            answer = key.data.read()
            if answer is None:
                continue
            life, key.data.waiter = key.data.waiter, None
            self.advance(life, result_of(key.data, answer))
        return bool(events)

    def play(self):
        for round_ in range(1, self.args.rounds + 1):
            self.limit = self.args.matches * round_ // self.args.rounds
            for pair in self.pairs:
                self.active += 1
                self.advance(self.table(pair), None)
            while self.active > 0:
                need(self.serve(PATIENCE_S), "nothing came, %d tables play" % self.active)
            self.measure()
        for pair in self.pairs:
            for peer in pair:
                peer.sock.close()


def is_sanitized():
    with open(program("skirmishd"), "rb") as file:
        return b"__asan_init" in file.read()


def flat(run):
    """Neither memory nor descriptors grow behind the first round."""
    (done, heap, fds), (last, heap_end, fds_end) = run.figures[0], run.figures[-1]
    need(fds_end <= fds + 4, "descriptors grow: %d, then %d" % (fds, fds_end))
    if is_sanitized():
        print("memory isn't looked at: a sanitizer keeps what is freed")
        return
    allowed = BYTES_SLACK + (last - done) * BYTES_A_MATCH
    print("memory in use grew by %d kB behind %d matches, allowed are %d kB" % (
        (heap_end - heap) / 1024, done, allowed / 1024))
    need(heap_end - heap <= allowed, "memory grows: %d, then %d" % (heap, heap_end))


def records(data):
    """Each record of the archive's files: its lines, without the last, which is the server's."""
    lines = []
    for path in sorted(glob.glob(data + "/archive/*.ndjson.gz")):
        with gzip.open(path, "rb") as file:
            for line in file:
                if line.startswith(b'{"record":') and lines:
                    yield lines
                    lines = []
                lines.append(line)
    if lines:
        yield lines


def verify(data, args):
    """All records are whole and each match stands there once; some are verified by the client."""
    seen, checked = set(), 0
    stride = max(1, args.matches // args.verify)
    with tempfile.TemporaryDirectory() as work:
        for at, lines in enumerate(records(data)):
            match = json.loads(lines[0])["match"]
            need(match not in seen, "%s stands twice in the archive" % match)
            seen.add(match)
            end = [i for i, line in enumerate(lines) if line.startswith(b'{"end":')]
            equal(len(end), 1, "%s: ends" % match)
            if at % stride:
                continue
            path = os.path.join(work, "record.ndjson")
            with open(path, "wb") as file:
                file.writelines(lines[:end[0] + 1])
            done = subprocess.run([program("skirmish"), "verify", path], capture_output=True,
                                  timeout=PATIENCE_S, check=False)
            equal(done.returncode, 0, "verify %s: %s" % (match, done.stderr.decode()))
            checked += 1
    equal(len(seen), args.matches, "records in the archive")
    print("%d records in the archive, each match once; %d verified by the client" % (
        len(seen), checked))


def check_database(data, matches):
    """The program's own proof of a stopped server's database: every match is played again."""
    done = subprocess.run([program("skirmishd"), "--check-backup", data + "/skirmish.db"],
                          capture_output=True, timeout=max(600, PATIENCE_S), check=False)
    equal(done.returncode, 0, done.stderr.decode())
    said = done.stdout.decode().strip().rpartition(": ")[2]
    print(said)
    need("%d of them archived" % matches in said, "not all were played again")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=int(os.environ.get("SK_MATCHES", "500")))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--verify", type=int, default=20, help="records that the client verifies")
    args = parser.parse_args()
    program("skirmish")
    with Watched("--archive-after", "0") as server:
        run = Run(server, args)
        run.play()
        flat(run)
        server.stop()
        verify(server.data, args)
        check_database(server.data, args.matches)
        server.start()
    return 0


if __name__ == "__main__":
    sys.exit(main())
