#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""adjudicate.py FILE|-: what `skirmish adjudicate` prints, by the reference rules."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from rules import DiceOut, Game, Refused  # noqa: E402
from scenario import EDGES, check  # noqa: E402

EX_DATAERR = 65
SCENARIOS = os.path.join(HERE, "..", "..", "common", "scenarios")


def strings(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def order_problem(order, sides):
    """None for an order of one of the forms that the protocol gives, else what is wrong."""
    if not isinstance(order, dict) or order.get("side") not in sides:
        return "no object with a side of the scenario"
    what = order.get("do")
    if what in ("undo", "end_phase"):
        return None
    if what == "fire":
        ok = isinstance(order.get("square"), str) and order.get("face") in EDGES
        return None if ok else "fire needs square and face"
    if what not in ("move", "turn"):
        return "unknown do"
    if not strings(order.get("figures")) or not order["figures"]:
        return "needs figures"
    if what == "turn":
        return None if order.get("face") in EDGES else "turn needs face"
    if not strings(order.get("path")):
        return "move needs path"
    for name in ("face", "exit"):
        if name in order and order[name] not in EDGES:
            return "bad " + name
    return None


def load_scenario(value):
    if isinstance(value, str):
        path = os.path.join(SCENARIOS, os.path.basename(value) + ".json")
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    return value


def adjudicate(case):
    """The output objects in order; ValueError where the case itself is bad."""
    if not isinstance(case, dict):
        raise ValueError("no object")
    scenario = load_scenario(case.get("scenario"))
    problem = check(scenario)
    if problem:
        raise ValueError("scenario: " + problem)
    dice, orders = case.get("dice"), case.get("orders")
    if not isinstance(dice, list) or not isinstance(orders, list):
        raise ValueError("dice and orders are lists")
    if not all(isinstance(d, int) and not isinstance(d, bool) and 1 <= d <= 6 for d in dice):
        raise ValueError("dice: 1 to 6")
    sides = [side["id"] for side in scenario["sides"]]
    for i, order in enumerate(orders):
        problem = order_problem(order, sides)
        if problem:
            raise ValueError("orders[%d]: %s" % (i, problem))
    game = Game(scenario, dice)
    out = []
    for index in range(-1, len(orders)):
        try:
            out += game.start() if index < 0 else game.order(orders[index], index)
        except Refused as refused:
            out.append({"kind": "refused", "index": index, "rule": refused.rule,
                        "message": refused.message})
        except DiceOut:
            out.append({"kind": "dice_wanted", "index": index})
            break
    out.append({"kind": "state", **game.state_json(), "state_hash": game.state_hash(),
                "dice_used": game.dice.used})
    return out


def main(argv):
    if len(argv) != 2:
        print("usage: adjudicate.py FILE|-", file=sys.stderr)
        return 64
    try:
        if argv[1] == "-":
            case = json.load(sys.stdin)
        else:
            with open(argv[1], encoding="utf-8") as file:
                case = json.load(file)
        out = adjudicate(case)
    except (ValueError, OSError) as error:
        print("adjudicate: %s" % error, file=sys.stderr)
        return EX_DATAERR
    for item in out:
        print(json.dumps(item, separators=(",", ":"), ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
