#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""Finished matches leave memory for the archive and are served from there as before."""
import glob
import gzip
import os
import sqlite3
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, pump_until  # noqa: E402
from lib_rating import begin, member_pair, one_order, over  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Server, equal, need  # noqa: E402

import time  # noqa: E402


def archived(server):
    """(matches in the archive, matches in the live tables), as the disk has them."""
    uri = "file:%s/skirmish.db?immutable=1" % server.data
    with sqlite3.connect(uri, uri=True) as db:
        return (db.execute("SELECT count(*) FROM archive").fetchone()[0],
                db.execute("SELECT count(*) FROM matches").fetchone()[0])


def files(server):
    """All lines of the archive's files, which are gzip that anybody reads."""
    lines = []
    for path in sorted(glob.glob(server.data + "/archive/*.ndjson.gz")):
        try:
            with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
                lines += [line.rstrip("\n") for line in file]
        except (EOFError, gzip.BadGzipFile):  # it is being written: what is whole counts
            pass
    return lines


def wait_for_files(server, lines):
    """Until those lines stand in the archive, one behind the other."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        have = files(server)
        if lines[0] in have:
            at = have.index(lines[0])
            equal(have[at:at + len(lines)], lines, "the record in the archive's file")
            return
        if time.monotonic() > deadline:
            raise Failure("not archived")
        time.sleep(0.02)  # polling a file, within the deadline


def finish(ann, bob, **params):
    """A match that Bob has resigned after an order: its id."""
    match = begin(ann, bob, **params)
    one_order(ann, bob, match)
    bob.call("match.resign", match=match)
    over([ann, bob], match)
    return match


def leave(*bots):
    """Nobody looks at any match any more."""
    for bot in bots:
        for match in bot.views:
            bot.call("match.unwatch", match=match)


def served_as_before(server):
    ann, bob = member_pair(server)
    matches = [finish(ann, bob) for _ in range(3)]
    hidden = finish(ann, bob, rated=False, private=False)
    matches.append(hidden)
    before = {match: ann.record(match) for match in matches}
    listed = ann.call("player.matches", player="Bob")["matches"]
    equal([m["match"] for m in listed], matches[::-1], "newest first")
    leave(ann, bob)
    for match in matches:
        wait_for_files(server, before[match].decode().rstrip("\n").split("\n"))
    for round_ in ("archived", "after a restart"):
        for match in matches:
            equal(ann.record(match), before[match], "%s: the record" % round_)
        again = ann.call("player.matches", player="Bob")["matches"]
        for m in listed + again:
            m.pop("spectators")
        equal([sorted(m.items(), key=str) for m in again],
              [sorted(m.items(), key=str) for m in listed], round_ + ": the list")
        listed = again = [dict(m, spectators=0) for m in listed]
        page = ann.call("player.matches", player="ann", against="BOB", limit=3)
        rest = ann.call("player.matches", player="ann", limit=3, before=page["next"])
        equal([m["match"] for m in page["matches"] + rest["matches"]], matches[::-1], "pages")
        need("next" not in rest, "the last page")
        equal([m["match"] for m in ann.call("lobby.list", state="over")["matches"]], matches[::-1],
              "lobby.list")
        equal(ann.call("player.matches", player="Nobody")["matches"], [], "nobody's")
        if round_ == "archived":
            server.stop()
            equal(archived(server), (4, 0), "all in the archive, none in the live tables")
            server.start()
            ann.views.clear()
            bob.views.clear()
            ann.reconnect()
            bob.reconnect()
    methods_go_on(ann, bob, matches[0])


def methods_go_on(ann, bob, match):
    """What may be asked of a finished match is answered as it was in memory."""
    record = ann.record(match)
    equal(ann.record(1), record, "by its number")
    synced = ann.call("match.sync", match=match, after=0)
    need(synced["head"] == len(synced["events"]) > 5, "a sync from the start")
    need(any(e["state_hash"] for e in synced["events"]), "with state hashes")
    order = next(e["entry"] for e in synced["events"] if e["entry"]["kind"] == "order")
    giver = ann if synced["players"][order["side"]] == "Ann" else bob
    again = giver.call("match.order", match=match, order_id=order["order_id"], base=0,
                       order=order["order"])
    equal(again, {"seq": order["seq"]}, "an order given again, by its id")
    giver.refused("conflict", "match.order", match=match, order_id=order["order_id"], base=0,
                  order={"do": "undo"})
    giver.refused("phase", "match.order", match=match, order_id="new", base=0,
                  order={"do": "end_phase"})
    ann.refused("phase", "match.resign", match=match)
    made = ann.call("match.create", scenario="first-blood", side="random",
                    clock={"kind": "none"}, rematch_of=match)
    need(made["no"] > 4, "a rematch of it")
    ann.refused("not_found", "match.record", match="00" * 16)
    ann.refused("not_found", "match.record", match=9999999)
    bob.call("match.decline", match=made["match"])


def both_worlds(server):
    """Lists are whole while some matches are in memory and some are archived; private ones are
    their players' own."""
    ann, bob = member_pair(server)
    guest = Bot(server, "Guest", 5)
    first, second, third = [finish(ann, bob, rated=False) for _ in range(3)]
    made = ann.call("match.create", scenario="first-blood", side="red", clock={"kind": "none"},
                    fair="normal", private=True)
    view = ann.view(made["match"], "first-blood", "A")
    ann.sync(view)
    ann.anchor(view)
    bob.join(made["match"], "first-blood", invite=made["invite"])
    pump_until([ann, bob], lambda: all(b.views[made["match"]].game for b in (ann, bob)), "start")
    ann.call("match.resign", match=made["match"])
    over([ann, bob], made["match"])
    record = ann.record(second)
    for match in (first, third, made["match"]):  # the second one is still looked at
        for bot in (ann, bob):
            bot.call("match.unwatch", match=match)
    wait_for_files(server, ann.record(made["match"]).decode().rstrip("\n").split("\n"))
    everything = [made["match"], third, second, first]
    for bot, want in ((ann, everything), (bob, everything), (guest, everything[1:])):
        got = bot.call("player.matches", player="Ann")["matches"]
        equal([m["match"] for m in got], want, "%s sees" % bot.name)
    equal([m["match"] for m in guest.call("lobby.list")["matches"]], everything[1:], "the lobby")
    guest.refused("denied", "match.record", match=made["match"])
    equal(ann.record(second), record, "the one in memory")


TESTS = [served_as_before, both_worlds]


def main():
    failed = 0
    for test in TESTS:
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        try:
            with Server("--archive-after", "0") as server:
                test(server)
            print(test.__name__, "ok", flush=True)
        except Exception:  # the next one has a server of its own
            import traceback
            traceback.print_exc()
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
