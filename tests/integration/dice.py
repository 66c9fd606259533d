#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""FD1 over the wire where somebody isn't there: absences in normal, waiting in strict, a device
lost, a server that comes back from a backup. The bots check every roll; the records are verified."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import View, at_rest, catch_up, play, pump_until, same_end, seat_pair, started  # noqa: E402
from lib_wire import Failure, equal, need, run  # noqa: E402

SCENARIO = "first-blood"


def pair_of(match, ann, bob):
    """(who has the phase, who hasn't)."""
    return (ann, bob) if ann.views[match].my_turn() else (bob, ann)


def withhold(*bots):
    for bot in bots:
        bot.answer_request = lambda view: None


def answer(bot, match):
    """No longer withhold; answer what is asked."""
    vars(bot).pop("answer_request", None)
    bot.answer_request(bot.views[match])


def open_roll(match, ann, bob):
    """End phases until a roll is open, nobody giving a link: (actor, other, seq)."""
    withhold(ann, bob)
    both = [ann, bob]
    while True:
        actor, other = pair_of(match, ann, bob)
        view = actor.views[match]
        actor.order(view, {"do": "end_phase"})
        pump_until(both, lambda: not view.flying, "an order's answer")
        catch_up(both, match)
        if view.journal.open:
            pump_until(both, lambda: all(b.views[match].asked for b in both), "the requests")
            return actor, other, view.journal.open.seq


def entries(bot, match, start):
    """Entries behind seq `start`."""
    return [e["entry"] for e in bot.call("match.sync", match=match, after=start)["events"]]


def finish(match, ann, bob):
    for bot in (ann, bob):
        answer(bot, match)
    play([ann, bob], match)
    same_end([ann, bob], match)
    equal(ann.verified_record(match), bob.verified_record(match), "records")


def away_in_normal(server):
    """The opponent has no connection: absent for that roll, in an entry before it, and final."""
    match, ann, bob = seat_pair(server, SCENARIO, "away", fair="normal")
    absence(server, match, ann, bob)
    absence(server, match, ann, bob)
    finish(match, ann, bob)


def absence(server, match, ann, bob):
    actor, other, seq = open_roll(match, ann, bob)
    view = actor.views[match]
    roll, request = view.journal.n + 1, other.views[match].asked
    link = other.views[match].link(request)
    other.drop()
    answer(actor, match)
    pump_until([actor], lambda: view.journal.n == roll, "the roll without the other")
    absent, rolled = entries(actor, match, seq)[:2]
    role = other.views[match].role
    equal((absent["kind"], absent["role"], absent["roll"]), ("absent", role, roll), "absent")
    up_ms = absent["ts"] - server.started_ms
    need(up_ms >= 10000, "nobody is away until 10 s after a server start (D4): %d ms" % up_ms)
    equal((rolled["kind"], rolled["flags"], rolled[role.lower()]),
          ("roll", 1 if role == "B" else 2, None), "the roll")
    other.reconnect()
    other.refused("phase", "match.share", match=match, roll=roll, share=link)


def silent_in_normal(server):
    """Connected, but no link for 10 s: absent."""
    match, ann, bob = seat_pair(server, SCENARIO, "silent", fair="normal")
    actor, other, seq = open_roll(match, ann, bob)
    view = actor.views[match]
    roll = view.journal.n + 1
    answer(actor, match)
    pump_until([actor, other], lambda: view.journal.n == roll, "the roll")
    absent = entries(actor, match, seq)[0]
    opened = actor.call("match.sync", match=match, after=seq - 1)["events"][0]["entry"]
    equal(absent["kind"], "absent", "the silent one")
    need(absent["ts"] - opened["ts"] >= 9500, "absent after %d ms" % (absent["ts"] - opened["ts"]))
    finish(match, ann, bob)


def acknowledged(server):
    """Who has given the link may go: it counts, and nobody is marked absent."""
    match, ann, bob = seat_pair(server, SCENARIO, "acknowledged", fair="normal")
    actor, other, seq = open_roll(match, ann, bob)
    view = actor.views[match]
    roll, theirs = view.journal.n + 1, other.views[match]
    equal(other.call("match.share", match=match, roll=roll, share=theirs.link(theirs.asked)), {},
          "the share")
    other.drop()
    server.kill()
    actor.drop()
    server.start()
    del actor.answer_request
    actor.reconnect()
    pump_until([actor], lambda: view.journal.n == roll, "the roll")
    equal([(e["kind"], e.get("flags")) for e in entries(actor, match, seq)][0], ("roll", 3),
          "both links, no absence")
    other.reconnect()
    finish(match, ann, bob)


def strict_waits(server):
    """In strict the roll waits for the other, whatever ends meanwhile: same n, same order."""
    match, ann, bob = seat_pair(server, SCENARIO, "waits", fair="strict")
    actor, other, seq = open_roll(match, ann, bob)
    view = actor.views[match]
    n, hash_there = view.journal.n, view.hashes[seq]
    other.drop()
    answer(actor, match)
    actor.call("session.ping")
    server.kill()
    actor.drop()
    server.start()
    actor.reconnect()
    equal((view.journal.n, view.head), (n, seq), "nothing was rolled")
    sync = actor.call("match.sync", match=match)
    equal((sync["roll"]["n"], sync["roll"]["seq"], sync["roll"]["hash"], sync["roll"]["waiting"]),
          (n + 1, seq, hash_there, [other.views[match].role]), "the open roll, one link there")
    other.reconnect()
    pump_until([ann, bob], lambda: other.views[match].asked, "the request again")
    answer(other, match)
    pump_until([ann, bob], lambda: view.journal.n == n + 1, "the roll")
    finish(match, ann, bob)


def device_lost(server):
    """A new chain in the middle of the game: no order before the salt roll, which needs all."""
    match, ann, bob = seat_pair(server, SCENARIO, "lost", fair="strict")
    both = [ann, bob]
    for loser in (bob, ann, ann):
        n = ann.views[match].journal.n
        play(both, match, until=lambda n=n: ann.views[match].journal.n > n)
        at_rest(both, match)
        if ann.views[match].over():
            break
        view = loser.views[match]
        withhold(*both)
        loser.anchor(view, again=True)
        catch_up(both, match)
        actor, other = pair_of_active(match, ann, bob)
        actor.refused("phase", "match.order", match=match, order_id="early", base=view.head,
                      order={"do": "end_phase"})
        other.refused("phase", "match.anchor", match=match, generation=9,
                      anchor="ab" * 32)
        roll = view.journal.n + 1
        pump_until(both, lambda: all(b.views[match].asked for b in both), "the salt requests")
        equal([b.views[match].asked["seq"] for b in both], [0, 0], "seq of a salt roll")
        for bot in both:
            answer(bot, match)
        pump_until(both, lambda roll=roll: all(b.views[match].journal.n == roll for b in both),
                   "the salt roll")
        need(not view.journal.salt_due, "a new salt")
        sync = ann.call("match.sync", match=match)
        equal(sync["dice"]["generations"][view.role], len(view.chains) - 1, "generation")
    finish(match, ann, bob)


def pair_of_active(match, ann, bob):
    view = ann.views[match]
    return (ann, bob) if view.game.active == view.side() else (bob, ann)


def copy_of(folder):
    copy = tempfile.mkdtemp(prefix="skirmishd-backup-")
    shutil.rmtree(copy)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.sock"))
    return copy


def forget(bot, match):
    """DICE D7, the player says so: heads and given links are forgotten; the chains are counted."""
    old = bot.views[match]
    view = View(match, bot.scenarios[SCENARIO])
    view.role, view.chains, view.orders = old.role, old.chains, old.orders
    bot.views[match] = view
    bot.sync(view)
    return view


def restored(server):
    """A backup comes back under a new master key: the open order is taken back, all anchor anew."""
    match, ann, bob = seat_pair(server, SCENARIO, "restored", fair="strict")
    both = [ann, bob]
    _, _, seq = open_roll(match, ann, bob)
    tokens = [bot.token for bot in both]
    server.stop()
    backup = copy_of(server.data)
    for bot in both:
        bot.drop()
    server.start()
    for bot in both:
        bot.reconnect()
    for bot in both:
        answer(bot, match)
    play(both, match, until=lambda: ann.views[match].head > seq + 30 or ann.views[match].over())
    ahead = ann.views[match].head
    server.kill()
    shutil.rmtree(server.data)
    shutil.copytree(backup, server.data)
    shutil.rmtree(backup)
    os.unlink(os.path.join(server.data, "master.key"))
    for bot in both:
        bot.drop()
    server.start()
    for bot, token in zip(both, tokens):
        bot.token = token
        old, bot.views = bot.views, {}
        bot.reconnect()
        bot.views = old
        view = forget(bot, match)
        need(view.head < ahead, "the server went back")
    pump_until(both, lambda: all(b.views[match].journal.anchors_due == {"A", "B"} for b in both),
               "the server's new anchor")
    kinds = [(e["kind"], e.get("undone"), e.get("role")) for e in entries(ann, match, seq)]
    equal(kinds[:2], [("undo", seq, None), ("anchor", None, "S")], "what the server does first")
    for bot in both:
        bot.anchor(bot.views[match], again=True)
    pump_until(both, lambda: not any(b.views[match].journal.salt_due for b in both), "the new salt")
    finish(match, ann, bob)


def went_back(server):
    """A client that is asked for a link on another past gives none (the bot's own D7)."""
    match, ann, bob = seat_pair(server, SCENARIO, "back", fair="strict")
    actor, _, _ = open_roll(match, ann, bob)
    view = actor.views[match]
    view.link(view.asked)
    try:
        view.link(dict(view.asked, hash="00" * 32))
    except Failure:
        return
    raise Failure("a link for another hash")


TESTS = (away_in_normal, silent_in_normal, acknowledged, strict_waits, device_lost, restored,
         went_back)

if __name__ == "__main__":
    run(TESTS)
