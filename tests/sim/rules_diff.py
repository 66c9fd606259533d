#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Random games played by the reference rules and by `skirmish adjudicate`, compared line by line.

rules_diff.py [--games N] [--seed S] [--bin DIR] [--out DIR] [--strict] [--alone] [--stats]
Scenarios, dice and orders are random but the same for the same seed and number. Each difference
is reported with the case in a file of its own. Refusals that differ only in `rule` (an order may
break several) are counted apart, and no failure without --strict. --alone plays the reference
only and checks its states. Exit 0 equal, 1 not, 77 no program.
"""
import argparse
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "ref"))

from adjudicate import SCENARIOS, adjudicate  # noqa: E402
from player import Player  # noqa: E402
from rules import BACK, DiceOut, Game, Refused, step  # noqa: E402
from scenario import EDGES, IMPASSABLE, READINGS, SOLDIERS, TYPES, check, square_name  # noqa: E402

GRIM_DICE = ((5, 1, 1, 0, 0, 5), (3, 1, 1, 1, 0, 3), (4, 2, 1, 1, 1, 5), (6, 1, 1, 1, 1, 2))
MAX_ORDERS = 120
SIDES = ("red", "blue")
# Of ". w r B ~ V": bare, mixed, nearly bare, woods and roads, walls, roads.
GROUND_WEIGHTS = ((1, 0, 0, 0, 0, 0), (60, 8, 8, 2, 2, 2), (90, 1, 1, 1, 1, 1),
                  (50, 15, 25, 5, 3, 2), (40, 5, 5, 20, 5, 5), (20, 2, 78, 1, 1, 1))
GRIM_WEIGHTS = ((1, 0, 0, 0, 0, 0), (70, 5, 5, 0, 10, 0), (60, 0, 0, 0, 30, 0))
# Fair twice, then low, high and extreme: hits, failed saves and failed morale come often.
DICE_WEIGHTS = ((1,) * 6, (1,) * 6, (3, 3, 2, 1, 1, 3), (1, 1, 1, 2, 3, 4), (3, 2, 2, 2, 2, 3),
                (5, 1, 1, 1, 1, 5), (3, 1, 1, 1, 1, 4), (3, 2, 1, 1, 2, 3))


class Maker:
    """One random scenario."""

    def __init__(self, rng):
        self.rng = rng
        self.grim = rng.random() < 0.35  # many die, few win: morale and falling back
        self.scale = rng.choice(("1in", "3in"))
        self.w, self.h = self.size()
        self.turns = rng.choice((8, 12, 20) if self.grim else (1, 2, 3, 4, 5, 6, 8, 12, 20))
        self.stack = rng.choice((None, None, 1, 2, 3, 4, 6, 9)) if self.scale == "3in" else None
        self.limit = (self.stack or 6) if self.scale == "3in" else 1
        self.held = {}
        self.ids = {side: [] for side in SIDES}
        self.soldiers = {side: 0 for side in SIDES}

    def size(self):
        rng = self.rng
        kind = rng.random()
        if self.grim:
            return rng.randint(5, 9), rng.randint(5, 9)
        if kind < 0.75:
            return rng.randint(4, 9), rng.randint(4, 9)
        if kind < 0.97:
            return rng.randint(4, 20), rng.randint(4, 20)
        return rng.choice(((64, 4), (4, 64), (30, 5), (53, 4)))

    def make(self):
        rng = self.rng
        obj = {"format": 1, "id": "case", "title": "Case", "author": "rules_diff",
               "summary": "random", "scale": self.scale, "size": [self.w, self.h], "turns": self.turns}
        if self.stack:
            obj["stack"] = self.stack
        obj["ground"] = self.ground()
        self.rows = obj["ground"][::-1]
        if rng.random() < 0.5:
            obj["heights"] = self.heights()
        if rng.random() < 0.6:
            obj["obstacles"] = self.obstacles()
        homes = rng.choice((("s", "n"), ("n", "s"), ("e", "w"), ("w", "s"), ("n", "n")))
        obj["sides"] = [{"id": side, "name": side.title(), "home": home}
                        for side, home in zip(SIDES, homes)]
        obj["figures"] = self.figures()
        if rng.random() < 0.5:
            obj["waves"] = [self.wave() for _ in range(rng.randint(1, 3))]
        self.need_soldiers(obj)
        for i in (0, 1):
            if rng.random() < (0.2 if self.grim else 0.8):
                obj["sides"][i]["win"] = self.wins(i)
            elif self.grim:
                obj["sides"][i]["win"] = [{"kind": "survive", "turn": self.turns}]
        if rng.random() < 0.3:
            rng.choice(obj["sides"])["limit_winner"] = True
        if rng.random() < 0.5:
            obj["readings"] = {name: rng.choice(values) for name, values in READINGS.items()
                               if rng.random() < 0.5}
        return obj

    def ground(self):
        rng = self.rng
        weights = rng.choice(GRIM_WEIGHTS if self.grim else GROUND_WEIGHTS)
        return ["".join(rng.choices(".wrB~V", weights, k=self.w)) for _ in range(self.h)]

    def heights(self):
        digits = self.rng.choice(("0001", "0012", "0123456789", "0000001"))
        return ["".join(self.rng.choice(digits) for _ in range(self.w)) for _ in range(self.h)]

    def obstacles(self):
        rng = self.rng
        chance = rng.choice((0.05, 0.1, 0.3))
        edges = []
        for x in range(self.w):
            for y in range(self.h):
                for one, way in (((x, y), "n"), ((x, y), "e")):
                    two = step(one, way)
                    if two[0] < self.w and two[1] < self.h and rng.random() < chance:
                        named = rng.choice(((one, way), (two, BACK[way])))
                        edges.append(square_name(named[0]) + named[1])
        kinds = ("wall", "fence", "stream", "barricade")
        return [{"kind": rng.choice(kinds), "edges": edges}] if edges else []

    def person(self, side):
        rng = self.rng
        kind = rng.choices(TYPES, (6, 8, 5, 2, 1))[0]
        item = {"id": "%s%d" % (side[0], len(self.ids[side]) + 1), "type": kind}
        self.ids[side].append(item["id"])
        if kind in SOLDIERS:
            self.soldiers[side] += 1
            if rng.random() < 0.12:
                item["commander"] = True
        if rng.random() < 0.05:
            item["name"] = rng.choice(("Ada", "Bo \"X\"", "L\u00fcders", "a\\b"))
        return item

    def square(self, centre):
        rng = self.rng
        spread = rng.choice((1, 1, 2, 3, 8))
        x = min(max(centre[0] + rng.randint(-spread, spread), 0), self.w - 1)
        y = min(max(centre[1] + rng.randint(-spread, spread), 0), self.h - 1)
        return (x, y)

    def takes(self, square, side, kind):
        if self.rows[square[1]][square[0]] in IMPASSABLE:
            return False
        there = self.held.get(square, [])
        if there and (there[0][0] != side or "wagon" in (kind, there[0][1])):
            return False
        return len(there) < self.limit

    def figures(self):
        rng = self.rng
        most = rng.choice((8, 14) if self.grim else (1, 2, 4, 8, 8, 14, 14))
        out = []
        for side in SIDES:
            if side == "red" or rng.random() < 0.4:
                centre = (rng.randrange(self.w), rng.randrange(self.h))
            last = None
            for _ in range(rng.randint(0 if rng.random() < 0.1 else 1, most)):
                item = self.person(side)
                square = last if last and rng.random() < 0.5 else self.square(centre)
                for _ in range(8):
                    if self.takes(square, side, item["type"]):
                        break
                    square = self.square(centre)
                else:
                    self.forget(side, item)
                    continue
                self.held.setdefault(square, []).append((side, item["type"]))
                last = square
                out.append({"id": item.pop("id"), "side": side, "type": item.pop("type"),
                            "at": square_name(square), "face": rng.choice(EDGES), **item})
        if rng.random() < 0.3:
            rng.shuffle(out)  # roster order isn't file order
        return out

    def forget(self, side, item):
        self.ids[side].remove(item["id"])
        if item["type"] in SOLDIERS:
            self.soldiers[side] -= 1

    def some_squares(self, most):
        rng = self.rng
        return [square_name((rng.randrange(self.w), rng.randrange(self.h)))
                for _ in range(rng.randint(1, most))]

    def wave(self):
        rng = self.rng
        side = rng.choice(SIDES)
        wave = {"side": side, "turn": rng.randint(1, min(self.turns, 4))}
        form = rng.randrange(3)
        if form == 0:
            wave["squares"] = self.some_squares(5)
        elif form == 1:
            wave["edge"] = rng.choice(EDGES)
        else:
            wave["d6"] = {face: rng.choice(EDGES) for face in "123456"}
        wave["figures"] = [self.person(side) for _ in range(rng.choice((1, 2, 3, 5, 9)))]
        return wave

    def need_soldiers(self, obj):
        for side in SIDES:
            if self.soldiers[side] == 0:
                item = self.person(side)
                item.update(type="regular")
                self.soldiers[side] = 1
                obj.setdefault("waves", []).append(
                    {"side": side, "turn": 1, "edge": self.rng.choice(EDGES), "figures": [item]})

    def named(self, side, most=4):
        ids = self.ids[SIDES[side]]
        return self.rng.sample(ids, self.rng.randint(1, min(most, len(ids))))

    def wins(self, side):
        return [self.win(side) for _ in range(self.rng.choice((0, 1, 1, 1, 2, 3)))]

    def win(self, side):
        rng = self.rng
        kind = rng.choice(("eliminate", "kill", "exit", "exit", "hold", "baseline", "survive",
                           "reach"))
        win = {"kind": kind}
        if kind == "kill":
            win["figures"] = self.named(1 - side, 2)
        elif kind == "exit":
            win["figures"] = self.named(side)
            if rng.random() < 0.6:
                win["count"] = rng.randint(1, len(win["figures"]))
            win["edge"] = rng.choice(EDGES)
        elif kind == "hold":
            win["squares"] = self.some_squares(2)
            held = [s for s, there in self.held.items() if there[0][0] == SIDES[side]]
            if held and rng.random() < 0.6:
                win["squares"] = [square_name(rng.choice(held))]
            if rng.random() < 0.5:
                win["turn"] = rng.randint(1, self.turns)
        elif kind == "survive":
            win["turn"] = rng.randint(1, self.turns)
        elif kind == "reach":
            win["figures"] = self.named(side)
            win["squares"] = self.some_squares(3)
        return win


def random_dice(rng, grim):
    if grim:
        return rng.choices((1, 2, 3, 4, 5, 6), rng.choice(GRIM_DICE), k=400)
    count = rng.choice((0, 1, 2, 3, 5, 8, 13, 20, 30, 50)) if rng.random() < 0.25 else 400
    weights = rng.choice(DICE_WEIGHTS)
    return rng.choices((1, 2, 3, 4, 5, 6), weights, k=count)


def sound(game):
    """What must hold of any state between orders."""
    squares = collections.defaultdict(list)
    for fig in game.figures:
        assert (fig.at is None) == (fig.status in ("dead", "left", "due")), fig.id
        assert (fig.at is None) == (fig.rank == 0) and not (fig.fell and fig.at is None), fig.id
        if fig.at is not None:
            squares[fig.at].append(fig)
    for square, there in squares.items():
        assert not game.board.impassable(square), square
        assert len({fig.side for fig in there}) == 1 and len(there) <= game.board.stack, square
        assert len(there) == 1 or all(fig.type != "wagon" for fig in there), square
        assert sorted(fig.rank for fig in there) == list(range(1, len(there) + 1)), square
    assert (game.active is None) == (game.turn == 0 or game.over is not None)


def random_scenario(rng):
    """(scenario, whether its dice should be grim); one in twenty is a shipped one."""
    shipped = sorted(glob.glob(os.path.join(SCENARIOS, "*.json")))
    if shipped and rng.random() < 0.05:
        with open(rng.choice(shipped), encoding="utf-8") as file:
            return json.load(file), rng.random() < 0.5
    maker = Maker(rng)
    return maker.make(), maker.grim


def random_case(rng):
    scenario, grim = random_scenario(rng)
    problem = check(scenario)
    assert problem is None, problem
    dice = random_dice(rng, grim)
    game = Game(scenario, dice)
    orders = []
    after = rng.randrange(4)  # orders given after the game or the dice have ended
    player = Player(rng, game)
    try:
        sound(game)
        game.start()
        most = MAX_ORDERS * (4 if len(game.figures) > 30 else 1)
        while len(orders) < most and (not game.over or after > 0):
            after -= 1 if game.over else 0
            orders.append(player.next())
            try:
                game.order(orders[-1], len(orders) - 1)
            except Refused:
                pass
            sound(game)
    except DiceOut:
        orders += [player.anything() for _ in range(after)]
    return {"scenario": scenario, "dice": dice, "orders": orders}


def plain(item, *without):
    kept = {k: v for k, v in item.items() if k != "message" and k not in without}
    return json.dumps(kept, sort_keys=True)


def compare(got, want):
    """(None or the first differing line's number, [(rule got, rule wanted)] that differ)."""
    rules = []
    for i in range(max(len(got), len(want))):
        if i >= len(got) or i >= len(want) or plain(got[i], "rule") != plain(want[i], "rule"):
            return i, rules
        if plain(got[i]) != plain(want[i]):
            rules.append((got[i].get("rule"), want[i].get("rule")))
    return None, rules


def run_program(program, case, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(case, file)
    done = subprocess.run([program, "adjudicate", path], capture_output=True, timeout=300,
                          check=False)
    try:
        got = [json.loads(line) for line in done.stdout.decode().splitlines()]
    except ValueError:
        got = [{"kind": "unreadable", "text": done.stdout.decode(errors="replace")}]
    if done.returncode != 0:
        got.append({"kind": "exit", "code": done.returncode,
                    "stderr": done.stderr.decode(errors="replace")})
    return got


def tally(stats, out):
    for item in out:
        stats[item["kind"]] += 1
        if item["kind"] in ("refused", "over", "morale", "fall_back"):
            detail = [item[k] for k in ("rule", "reason", "result", "state") if k in item]
            stats["%s %s" % (item["kind"], detail[0])] += 1


class Run:
    def __init__(self, args):
        self.args = args
        self.program = os.path.join(args.bin, "skirmish") if args.bin else None
        self.out = args.out or tempfile.mkdtemp(prefix="rules_diff.")
        os.makedirs(self.out, exist_ok=True)
        self.stats = collections.Counter()
        self.rules = collections.Counter()  # (rule got, rule wanted)
        self.different = self.orders = 0

    def game(self, number):
        case = random_case(random.Random("%d/%d" % (self.args.seed, number)))
        want = adjudicate(case)
        self.orders += len(case["orders"])
        tally(self.stats, want)
        if self.args.alone:
            return
        got = run_program(self.program, case, os.path.join(self.out, "case.json"))
        line, rules = compare(got, want)
        new = [pair for pair in rules if pair not in self.rules]
        self.rules.update(rules)
        if line is not None or new:
            self.report(number, case, got, want, line)

    def report(self, number, case, got, want, line):
        self.different += line is not None
        name = "diff" if line is not None else "rule"
        path = os.path.join(self.out, "%s-%d-%d.json" % (name, self.args.seed, number))
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**case, "expect": want}, file, indent=1)
        if self.different > 5:
            return
        if line is None:
            line = next(i for i, two in enumerate(zip(got, want)) if plain(two[0]) != plain(two[1]))
        print("%s\n  line %d\n  program   %s\n  reference %s" % (
            path, line, json.dumps(got[line]) if line < len(got) else None,
            json.dumps(want[line]) if line < len(want) else None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--bin", default=os.environ.get("SK_BIN"), help="directory of the programs")
    parser.add_argument("--out", help="directory for the cases that differ")
    parser.add_argument("--alone", action="store_true", help="play the reference only")
    parser.add_argument("--strict", action="store_true", help="another rule is a difference, too")
    parser.add_argument("--stats", action="store_true", help="show what the games held")
    args = parser.parse_args()
    if not args.alone and not (args.bin and os.access(os.path.join(args.bin, "skirmish"), os.X_OK)):
        print("no skirmish program in --bin or SK_BIN: skipped")
        return 77
    run = Run(args)
    for number in range(args.first, args.first + args.games):
        run.game(number)
    if args.stats:
        for name, count in sorted(run.stats.items()):
            print("%8d %s" % (count, name))
    print("%d games, %d orders: %d differ, %d refusals with another rule" % (
        args.games, run.orders, run.different, sum(run.rules.values())))
    for (got, want), count in sorted(run.rules.items()):
        print("%8d refused for %s, by the reference for %s" % (count, got, want))
    return 1 if run.different or (run.rules and args.strict) else 0


if __name__ == "__main__":
    sys.exit(main())
