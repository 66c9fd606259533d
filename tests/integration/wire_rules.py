#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 600
"""Whole random games on the real server, of each shipped scenario and each kind of dice.

Both players and a spectator rebuild the match by the reference rules from orders and dice alone:
every link, die, event, hash and state hash of the server's is compared as it comes. Illegal orders
are mixed in and must be refused by the rule that the reference names. The record is verified, and
is the same for all who ask."""
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, play, pump_until, same_end, seat_pair  # noqa: E402
from lib_wire import Failure, Refusal, equal, need, run  # noqa: E402
from chooser import Chooser, probe  # noqa: E402

SCENARIOS = ("first-blood", "tin-lizzy-down", "cowboys-and-indians")
OTHER_READINGS = {"turning": "free", "melee": "after_each", "saves": "one", "volley": "all",
                  "roster": "arrived"}


class Mischief:
    """Now and then an illegal order before a legal one: refused as the reference refuses it. Of an
    order that breaks several rules each may name another; that is shown, and must be rare."""

    def __init__(self, seed, chance):
        self.chance = chance
        self.rng = random.Random("mischief %s" % seed)
        self.refused = self.other_rule = 0

    def __call__(self, bot, view):
        if self.rng.random() >= self.chance:
            return
        chooser = Chooser(self.rng, view.game)
        order = chooser.anything() if self.rng.random() < 0.7 else chooser.unable()
        order["side"] = view.journal.sides[view.side()]
        what, refused = probe(view.game, order)
        if what != "refused":
            return
        del order["side"]
        params = {"match": view.match, "order_id": "wrong", "base": view.head, "order": order}
        try:
            result = bot.call("match.order", **params)
        except Refusal as refusal:
            self.judge(order, refused, refusal)
        else:
            raise Failure("%s: taken at %d, the reference says %s" % (
                order, result["seq"], refused.rule))

    def judge(self, order, refused, refusal):
        if "nobody" in order.get("figures", ()) and refusal.reason == "params":
            return  # no figure of the scenario
        equal(refusal.reason, "illegal", "reason of %s (%s)" % (order, refused.rule))
        self.refused += 1
        if refusal.data["rule"] != refused.rule:
            self.other_rule += 1
            print("  %s: the reference says %s, the server %s" % (
                order, refused.rule, refusal.data["rule"]))


def verified_in_c(record, head_hash):
    """`skirmish verify`, where it is built, finds the same."""
    path = os.path.join(os.environ["SK_BIN"], "skirmish")
    if not os.access(path, os.X_OK):
        return
    with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
        file.write(record)
        file.flush()
        done = subprocess.run([path, "verify", file.name, "--head", head_hash],
                              capture_output=True, timeout=300, check=False)
    equal(done.returncode, 0, "skirmish verify: %s" % (done.stderr + done.stdout).decode())


def one_game(server, scenario, seed, **params):
    """A game from create to record: (the spectator's view, how many orders were refused)."""
    names = [name + str(seed).replace(" ", "-") for name in ("a-", "b-", "e-")]
    match, ann, bob = seat_pair(server, scenario, seed, names[:2], **params)
    eve = Bot(server, names[2], seed)
    watched = eve.watch(match, scenario, keep=True)
    mischief = ann.before_order = bob.before_order = Mischief(seed, 0.3)
    bots = [ann, bob, eve]
    play(bots, match)
    pump_until(bots, lambda: not any(bot.waiting for bot in bots), "the last answers")
    same_end(bots, match)
    records = [bot.verified_record(match) for bot in bots]
    need(records[0] == records[1] == records[2], "records differ")
    verified_in_c(records[0], watched.journal.hash.hex())
    need(mischief.other_rule * 5 <= mischief.refused + 5, "%d of %d refused by another rule" % (
        mischief.other_rule, mischief.refused))
    for bot in bots:
        bot.close()
    return watched, mischief.refused


def games(server, fair, seeds, **params):
    seen, refused = set(), 0
    for seed in seeds:
        for scenario in SCENARIOS:
            view, count = one_game(server, scenario, "%d-%d" % (seed, SCENARIOS.index(scenario)),
                                   fair=fair, **params)
            seen |= set(view.kinds)
            refused += count
    need({"volley", "move", "turn", "arrive", "morale", "fall_back", "melee", "over"} <= seen,
         "not all events were seen: %s" % sorted(str(kind) for kind in seen))
    need(refused > 5, "only %d orders refused" % refused)


def server_dice(server):
    games(server, "server", range(2))


def strict(server):
    games(server, "strict", range(1))


def normal(server):
    games(server, "normal", range(1))


def other_readings(server):
    games(server, "server", range(1), readings=OTHER_READINGS)


def live_clock(server):
    """With a clock that runs: who hasn't the phase loses no time, and nobody gains any but the
    increment of a phase."""
    main_s, phase_s = 1800, 5
    clock = {"kind": "live", "main_s": main_s, "phase_s": phase_s}
    view, _ = one_game(server, "first-blood", "live", fair="strict", clock=clock)
    sides = view.journal.sides
    left = dict.fromkeys(sides, (main_s + phase_s) * 1000)  # the first phase may have its own
    phases = dict.fromkeys(sides, 0)  # ends of phases since `left`
    seen = 0
    for event in view.events:
        entry = event["entry"]
        if entry["kind"] in ("end_phase", "phase"):
            phases[entry["side"]] += 1
        if entry["kind"] not in ("order", "roll", "over") or entry["seq"] < 6:
            continue
        seen += 1
        for side, ms in entry["left"].items():
            most = left[side] + (phase_s * 1000 if phases[side] else 0)
            need(ms <= most, "%s has %d ms at %d, and had %d" % (
                side, ms, entry["seq"], left[side]))
            left[side], phases[side] = ms, 0
    need(seen > 20, "left stands with %d entries only" % seen)


def broken_connections(server):
    """Connections break in the middle of everything; both come back, and go on where they were."""
    scenario = "first-blood"
    match, ann, bob = seat_pair(server, scenario, "broken", fair="strict")
    rng = random.Random("breaks")
    breaks = [0]

    def step(bots):
        if rng.random() < 0.2:
            bot = rng.choice(bots)
            breaks[0] += 1
            bot.drop()
            bot.reconnect()
    play([ann, bob], match, step=step)
    same_end([ann, bob], match)
    ann.verified_record(match)
    need(breaks[0] > 5, "only %d breaks" % breaks[0])


TESTS = (server_dice, strict, normal, other_readings, live_clock, broken_connections)

if __name__ == "__main__":
    run(TESTS)
