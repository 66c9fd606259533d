#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 400
"""disk.py [TEST...]: the real server on a disk that fails (tests/preload/baddisk.c).

No room: `storage` to the player, nothing changed, reading and watching go on, play goes on by itself
when there is room. I/O error in a write or a sync: nobody is answered, the server ends with a clear
message, and at the next start every acknowledged order is there once. A write cut short by a crash,
at each write of a commit; the log cut off anywhere. A database with flipped bits: the match hit is
set aside and shown as broken, the others are what they were and play on.
"""
import json
import mmap
import os
import random
import shutil
import signal
import sqlite3
import struct
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import catch_up, play, pump_until, same_end, started  # noqa: E402
from lib_crash import Mortal, Player  # noqa: E402
from lib_wire import PATIENCE_S, Refusal, equal, need, program, pump_all  # noqa: E402

NONE, FULL, WRITE_EIO, TORN, SYNC_EIO, WRITE_DIE, SYNC_DIE = range(7)
EX_IOERR = 74
SCENARIO = "first-blood"
CLOCK = {"kind": "none"}


class BadDisk:
    """What the preloaded library is told, and how often it struck."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "baddisk")
        with open(self.path, "wb") as file:
            file.write(bytes(mmap.PAGESIZE))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def set(self, fault, after=0):
        self.map[0:12] = struct.pack("=III", NONE, after, 0)
        self.map[0:4] = struct.pack("=I", fault)

    def hits(self):
        return struct.unpack("=I", self.map[8:12])[0]


class DiskServer(Mortal):
    """A server whose disk can fail."""

    def __init__(self):
        super().__init__()
        self.aside = tempfile.mkdtemp(prefix="baddisk-")
        self.disk = BadDisk(self.aside)

    def start(self):
        library = os.path.join(os.environ["SK_BUILD"], "tests", "preload", "baddisk.so")
        kept = dict(os.environ)
        os.environ.update(LD_PRELOAD=library, SK_BADDISK=self.disk.path,
                          ASAN_OPTIONS="verify_asan_link_order=0:" + kept.get("ASAN_OPTIONS", ""))
        try:
            super().start()
        finally:
            os.environ.clear()
            os.environ.update(kept)

    def __exit__(self, kind, value, trace):
        self.disk.set(NONE)
        super().__exit__(kind, value, trace)
        shutil.rmtree(self.aside, ignore_errors=True)

    def ended(self, code):
        """It has ended by itself, with that status."""
        status = self.process.wait(20)
        self.buried()
        equal(status, code, "the server's status")


class Patient(Player):
    """Takes `storage` for an answer: asks again once told to."""
    put_off = None

    def request(self, handler, method, **params):
        def answered(result):
            if isinstance(result, Refusal) and result.reason == "storage":
                need("not saved" in str(result) or "storage" in str(result), str(result))
                self.put_off.append((handler, method, params))
                return
            handler(result)
        self.put_off = self.put_off or []
        return super().request(answered, method, **params)

    def ask_what_was_put_off(self):
        again, self.put_off = self.put_off, []
        for handler, method, params in again:
            if method in ("match.order", "match.share"):
                self.request(handler, method, **params)


def pair(server, tag, fair, kind=Player):
    ann, bob = kind(server, "ann-%s" % tag, tag), kind(server, "bob-%s" % tag, tag)
    match = ann.create(SCENARIO, side="random", clock=CLOCK, fair=fair)
    bob.join(match, SCENARIO)
    started([ann, bob], match)
    return match, ann, bob


def some_orders(match, players, n):
    """Play until the journal is n entries longer."""
    head = max(p.views[match].head for p in players) + n
    play(players, match, until=lambda: all(
        p.views[match].over() or (p.views[match].head >= head and p.views[match].journal.settled()
                                  and not p.views[match].flying and not p.views[match].journal.open)
        for p in players))
    catch_up(players, match)


def finish(match, players):
    play(players, match)
    for player in players:
        player.look(player.views[match])
    same_end(players, match)
    equal(players[0].verified_record(match), players[1].verified_record(match), "records")
    for player in players:
        if player.views[match].acked:
            player.ask_again(player.views[match])


# ---- no room

def reading_goes_on(server, match, players):
    """All that only reads works, and shows the match unchanged."""
    view = players[0].views[match]
    conn = server.connect()
    conn.hello()
    conn.call("session.guest")
    for method in ("match.sync", "match.watch"):
        seen = conn.call(method, match=match)
        equal((seen["head"], seen["hash"]), (view.head, view.hashes[view.head]), method)
    lines = conn.call("match.record", match=match)["lines"]
    need(json.loads(lines[0])["match"] == match, "the record")
    listed = conn.call("lobby.list", state="live")["matches"]
    need(match in [m["match"] for m in listed], "the lobby")
    conn.call("match.legal", match=match)
    conn.refused("storage", "match.create", scenario=SCENARIO, side="red", clock=CLOCK,
                 fair="server")
    conn.close()


def full_disk(server):
    """In each mode, at several moments of an order's way."""
    for fair in ("strict", "normal", "server"):
        match, ann, bob = pair(server, fair, fair, Patient)
        for after in (0, 1, 2, 5, 9):
            some_orders(match, [ann, bob], 12)
            if not ann.views[match].over():
                no_room(server, match, [ann, bob], after)
        finish(match, [ann, bob])
        ann.close()
        bob.close()


def no_room(server, match, both, after):
    for player in both:
        player.put_off = []  # asked for again at a sync meanwhile, refused, and given since
    server.disk.set(FULL, after)
    play(both, match, until=lambda: all(p.views[match].over() for p in both) or (
        server.disk.hits() > 0 and (any(p.put_off for p in both) or all(
            p.views[match].journal.open for p in both))))
    if server.disk.hits() == 0:  # the game was over before
        server.disk.set(NONE)
        return
    for player in both:  # what is under way ends
        player.call("session.ping")
    catch_heads(both, match)
    reading_goes_on(server, match, both)
    server.disk.set(NONE)
    for player in both:
        player.ask_what_was_put_off()
    some_orders(match, both, 6)  # and the server's own work has begun again by itself
    need("the disk is full" in server.log() and "room again" in server.log(), "the log's words")


def catch_heads(players, match):
    """All have read what the server has said."""
    head = max(p.call("match.sync", match=match, after=p.views[match].head)["head"]
               for p in players)
    pump_until(players, lambda: all(p.views[match].head == head for p in players), "one head")


# ---- I/O errors, and crashes in the midst of a write

def play_until_it_ends(server, match, players, code):
    """Orders are given until the server is gone. False: the match was over before."""
    while not any(p.conn.closed for p in players):
        if all(p.views[match].over() for p in players):
            return False
        for player in players:
            if not player.conn.closed:
                player.think(player.views[match])
        pump_some(players)
    server.ended(code)
    for player in players:
        player.drain()
    return True


def pump_some(players):
    need(pump_all([p.conn for p in players], PATIENCE_S), "nothing happens any more")


def restart(server, players):
    server.disk.set(NONE)
    server.start()
    for player in players:
        player.come_back()


def io_errors(server):
    """Every kind of failure, at each write and sync of the next commits."""
    match, ann, bob = pair(server, "eio", "strict")
    both, games, rng = [ann, bob], 0, random.Random(7)
    for fault, code in ((WRITE_EIO, EX_IOERR), (TORN, EX_IOERR), (SYNC_EIO, EX_IOERR),
                        (WRITE_DIE, -signal.SIGKILL), (SYNC_DIE, -signal.SIGKILL)):
        for after in list(range(8)) + [rng.randint(8, 60) for _ in range(4)]:
            if ann.views[match].over() or ann.views[match].head > 220:
                finish(match, both)
                games += 1
                match, ann, bob = pair(server, "eio%d" % games, ("normal", "server")[games % 2])
                both = [ann, bob]
            some_orders(match, both, 2)
            if ann.views[match].over():
                continue
            before = len(server.log())
            server.disk.set(fault, after)
            if not play_until_it_ends(server, match, both, code):
                server.disk.set(NONE)
                continue
            if code == EX_IOERR:
                said = server.log()[before:]
                need("the database failed: disk I/O error" in said, "no clear message:\n%s" % said)
            restart(server, both)
    finish(match, both)


def torn_log(server):
    """The log as power loss may leave it: cut off at any byte of its last commits, or with bytes of
    the last frame missing. A start gives a sound match, no later than it was."""
    match, ann, bob = pair(server, "torn", "server")
    both, rng = [ann, bob], random.Random(5)
    some_orders(match, both, 60)
    view = ann.views[match]
    server.slay()
    server.buried()
    for player in both:
        player.drain()
    kept = server.data + ".kept"
    shutil.copytree(server.data, kept, ignore=shutil.ignore_patterns("*.sock"))
    size = os.path.getsize(os.path.join(kept, "skirmish.db-wal"))
    frame = 24 + 4096
    heads = set()
    for _ in range(40):
        restore(server, kept)
        cut = size - (rng.randint(0, min(size - 32, 12 * frame)) if heads else 0)
        with open(os.path.join(server.data, "skirmish.db-wal"), "r+b") as file:
            if rng.random() < 0.3:  # the size is there, the bytes aren't
                file.seek(cut)
                file.write(bytes(size - cut))
            else:
                file.truncate(cut)
        server.start()
        heads.add(check_prefix(server, match, view))
        server.slay()
        server.buried()
    need(len(heads) > 1 and max(heads) == view.head, "cuts that cut nothing: %s" % heads)
    restore(server, kept)
    shutil.rmtree(kept)
    server.start()
    for player in both:
        player.come_back()
    finish(match, both)


def restore(server, kept):
    for name in os.listdir(server.data):
        if name != "lock":
            os.unlink(os.path.join(server.data, name))
    for name in os.listdir(kept):
        if name != "lock":
            shutil.copy(os.path.join(kept, name), os.path.join(server.data, name))


def check_prefix(server, match, view):
    """What the server has of the match is a beginning of what was seen."""
    conn = server.connect()
    conn.hello()
    conn.call("session.guest")
    try:
        result = conn.call("match.watch", match=match, after=0)
    except Refusal as refusal:  # cut off before it was made
        equal(refusal.reason, "not_found", "the match")
        return 0
    need(result["head"] <= view.head, "entries that nobody saw")
    for event in result["events"]:  # the server's own roll may be made again: same dice, other ts
        entry, seen = event["entry"], view.entries[event["entry"]["seq"] - 1]
        equal({k: v for k, v in entry.items() if k != "ts"},
              {k: v for k, v in seen.items() if k != "ts"}, "entry %d" % entry["seq"])
    conn.close()
    return result["head"]


# ---- flipped bits

def flipped_rows(server):
    """One byte changed in one row of one match: that match alone is set aside, shown as broken, and
    the others play on."""
    tables = [pair(server, "flip%d" % i, fair) for i, fair in enumerate(
        ("strict", "server", "normal"))]
    for match, *both in tables:
        some_orders(match, both, 40)
    server.slay()
    server.buried()
    for _match, *both in tables:
        for player in both:
            player.drain()
    whole = sqlite3.connect(os.path.join(server.data, "skirmish.db"))
    whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole.close()
    victim = tables[1]
    damage(server, victim[0])
    server.start()
    others = [table for table in tables if table is not victim]
    for _match, *both in others:
        for player in both:
            player.come_back()
    conn = server.connect()
    conn.hello()
    conn.call("session.guest")
    listed = {m["match"]: m["state"] for m in conn.call("lobby.list")["matches"]}
    equal(listed.get(victim[0]), "broken", "the match in the lobby")
    for method in ("match.sync", "match.watch", "match.record"):
        conn.refused("internal", method, match=victim[0])
    need("load.damaged" in server.log() and victim[0] in server.log(), "the log names the match")
    for match, *both in others:
        finish(match, both)


def damage(server, match):
    """A bit in the midst of a line of its journal, in the file itself."""
    path = os.path.join(server.data, "skirmish.db")
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT j.lines FROM journal j JOIN matches m ON m.mkey=j.mkey"
                          " WHERE m.id=? ORDER BY j.pos", (bytes.fromhex(match),)).fetchall()
    db.close()
    lines = bytes(rows[len(rows) // 2][0])
    with open(path, "r+b") as file:
        data = file.read()
        at = data.find(lines[:200])
        need(at >= 0, "the row isn't in the file in one piece")
        file.seek(at + min(150, len(lines) // 2))
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 4]))


def main():
    only = sys.argv[1:]
    program("skirmishd")
    library = os.path.join(os.environ.get("SK_BUILD", ""), "tests", "preload", "baddisk.so")
    if not os.path.exists(library):
        print("%s: not built, skipped" % library)
        return 77
    failed = []
    for test in (full_disk, io_errors, torn_log, flipped_rows):
        if only and test.__name__ not in only:
            continue
        began = time.monotonic()
        try:
            with DiskServer() as server:
                test(server)
        except Exception:  # whatever it is, the next one has a server of its own
            traceback.print_exc()
            failed.append(test.__name__)
        print("%-20s %s %.1f s" % (test.__name__, "FAILED" if test.__name__ in failed else "ok",
                                   time.monotonic() - began), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
