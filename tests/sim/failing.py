#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 600
"""The k-th write to disk fails, once and for good, for every k of a fixed match; the k-th allocation
fails, for k's spread over it. Whatever the server does then, all that it acknowledged is there when
it is started again, and play goes on.

SK_FAIL_WRITES, SK_FAIL_ALLOCATIONS: how many k's are tried, evenly spread (default 24 and 12; 0 is
all of them, which takes minutes and hours).
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "integration"))

import lib_wire  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Refusal, Server, equal, need, program  # noqa: E402

ORDERS = 4
SILENT_S = 6  # so long is a server waited for that may answer no more


class FailingServer(Server):
    """With failing.so before it where `env` says so."""

    def __init__(self, data):
        super().__init__("--log-level", "error", data=data)
        self.env = {}

    def start(self, **env):
        old = dict(os.environ)
        os.environ.update(env)
        try:
            super().start()
        finally:
            os.environ.clear()
            os.environ.update(old)


class Match:
    """Two guests who end their phases; what the server has acknowledged."""

    def __init__(self):
        self.tokens, self.match, self.acked, self.head = {}, None, {}, 0
        self.seated = set()  # names whose seat was acknowledged
        self.patience = 20  # refusals for want of storage

    def log_in(self, server, name):
        conn = server.connect()
        conn.hello()
        for token in list(self.tokens.get(name, [])):  # the newest first: its answer may be lost
            following = os.urandom(32).hex()
            self.tokens[name].insert(0, following)
            try:
                conn.call("session.resume", token=token, next=following)
                return conn
            except Refusal as refusal:
                need(refusal.reason in ("auth", "storage"), refusal)
                self.tokens[name].remove(following)
        need(name not in self.seated, "%s is forgotten" % name)
        self.tokens[name] = [conn.call("session.guest", name=name)["token"]]
        return conn

    def play(self, server):
        """Go on from wherever it was; Failure or OSError when the server is gone."""
        ann = self.log_in(server, "Ann")
        if self.match is None:
            self.match = ann.call("match.create", scenario="first-blood", side="red",
                                  clock={"kind": "none"}, fair="server")["match"]
            self.seated.add("Ann")
        bob = self.log_in(server, "Bob")
        if "Bob" not in self.seated:
            try:
                bob.call("match.join", match=self.match)
            except Refusal as refusal:
                need(refusal.reason == "conflict", refusal)
            self.seated.add("Bob")
        sides = {"red": ann, "blue": bob}
        while len(self.acked) < ORDERS:
            sync = self.wait_started(ann)
            conn, number = sides[sync["state"]["active"]], "o%d" % len(self.acked)
            base = sync["head"]
            try:
                seq = conn.call("match.order", match=self.match, order_id=number, base=base,
                                order={"do": "end_phase"})["seq"]
            except Refusal as refusal:
                need(refusal.reason in ("phase", "stale", "storage", "turn"), refusal)
                self.patience -= 1
                need(self.patience > 0, "no order goes through: %s" % refusal)
                conn.settle()
                continue
            self.acked[number] = seq
        ann.close()
        bob.close()

    def wait_started(self, conn):
        """What a sync says once somebody is to order. News may come with the answer before it."""
        def look():
            conn.notes.clear()
            sync = self.started(conn)
            while sync is None and conn.notes:
                conn.notes.clear()
                sync = self.started(conn)
            return sync
        return conn.wait(look, "the start")

    def started(self, conn):
        sync = conn.call("match.sync", match=self.match)
        whole = "roll" not in sync and "state" in sync and sync["state"]["active"]
        return sync if whole else None

    def check(self, server):
        """All that was acknowledged stands in the journal."""
        if self.match is None:
            return
        conn = self.log_in(server, "Ann")
        entries = {}
        after = 0
        while after is not None:
            page = conn.call("match.sync", match=self.match, after=after)
            for event in page["events"]:
                entries[event["entry"]["seq"]] = event["entry"]
            after = page.get("next")
        for number, seq in self.acked.items():
            equal(entries.get(seq, {}).get("order_id"), number, "the order acknowledged as %d" % seq)
        equal(sorted(entries), list(range(1, len(entries) + 1)), "seq without gaps")
        conn.close()


def one(what, k, once, shim, counts=None):
    """A server in which the k-th fails; True when it did."""
    with tempfile.TemporaryDirectory(prefix="skirmishd-") as data:
        server, match = FailingServer(data), Match()
        env = {"LD_PRELOAD": shim, "SK_FAIL": what, "SK_FAIL_AT": str(k)}
        if once:
            env["SK_FAIL_ONCE"] = "1"
        if counts is not None:
            env["SK_FAIL_LOG"] = counts
        fell = False
        if k:
            lib_wire.PATIENCE_S = SILENT_S
        try:
            server.start(**env)
            match.play(server)
            server.stop()
        except (Failure, Refusal, OSError):
            fell = True
            match.patience = 20
            if server.process is not None:
                server.end(9)
        finally:
            lib_wire.PATIENCE_S = PATIENCE_S
        if fell and k == 0:
            raise Failure("it fell by itself\n%s" % server.log())
        server.start()
        try:
            match.check(server)
            match.play(server)
            match.check(server)
            server.stop()
        except BaseException:
            print("%s %d %s\n%s" % (what, k, "once" if once else "for good", server.log()))
            if server.process is not None:
                server.end(9)
            raise
        finally:
            os.unlink(server.log_path)
    return fell


def spread(last, count):
    """`count` numbers from 1 to last, both among them; all for 0."""
    if count in (0, 1) or count >= last:
        return list(range(1, last + 1))
    return sorted({1 + i * (last - 1) // (count - 1) for i in range(count)})


def main():
    program("skirmishd")
    build = os.environ.get("SK_BUILD", "")
    shim = os.path.join(build, "tests", "sim", "failing.so")
    if not os.path.exists(shim):
        print("failing.so isn't built (a sanitizer has its own malloc), skipped")
        return 77
    ends = subprocess.run([program("skirmishd"), "--version"], env={"LD_PRELOAD": shim},
                          timeout=PATIENCE_S, check=False, capture_output=True).returncode
    equal(ends, 0, "with failing.so before it")
    with tempfile.NamedTemporaryFile() as file:
        need(not one("io", 0, True, shim, file.name), "nothing fails")
        allocations, writes = (int(n) for n in file.read().split())
    print("a match of %d orders: %d allocations, %d writes" % (ORDERS, allocations, writes))
    tried = spread(writes, int(os.environ.get("SK_FAIL_WRITES", "24")))
    fell = sum(one("io", k, once, shim) for k in tried for once in (True, False))
    print("writes: %d runs, in %d the server ended or answered no more" % (2 * len(tried), fell))
    tried = spread(allocations, int(os.environ.get("SK_FAIL_ALLOCATIONS", "12")))
    fell = sum(one("malloc", k, True, shim) for k in tried)
    print("allocations: %d runs, in %d the server ended" % (len(tried), fell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
