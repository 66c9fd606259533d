#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""match.legal against the reference rules, at random points of games: every square that a figure
can reach and no other, a shortest path to it, exits, turns, shots with their exact odds."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import play, seat_pair  # noqa: E402
from lib_wire import equal, need, run  # noqa: E402
from chooser import probe  # noqa: E402
from rules import ALLOWANCE, FIRE_TABLE, FRONT, Refused, step  # noqa: E402
from scenario import EDGES, parse_square, square_name  # noqa: E402


def may_go(game, fig, path, leaving=None):
    try:
        game.check_path([fig], path, leaving, fig.side)
    except Refused:
        return False
    return True


def able(game, fig):
    try:
        game.ordered_figures({"figures": [fig.id]}, fig.side)
    except Refused:
        return False
    return fig.side == game.active


def reach(game, fig):
    """({square: length of a shortest path}, edges to leave by)."""
    shortest, exits = {}, set()
    most = ALLOWANCE[game.board.scale][fig.type][0]
    layer = [[]]
    for _ in range(most + 1):
        following = []
        for path in layer:
            if path and path[-1] != fig.at and may_go(game, fig, path):
                shortest.setdefault(path[-1], len(path))
            exits |= {edge for edge in EDGES if may_go(game, fig, path, edge)}
            here = path[-1] if path else fig.at
            nexts = [step(here, way) for way in EDGES]
            following += [path + [s] for s in nexts if game.board.on_board(s)
                          and not game.blocked(s, fig.side)]
        layer = following
    return shortest, exits


def odds(part, whole):
    shared = math.gcd(part, whole)
    return [part // shared, whole // shared]


def volley(game, fig):
    """What the figure's square can shoot at with it: None, or as match.legal shows it."""
    order = {"side": game.side_id(fig.side), "do": "fire", "square": square_name(fig.at),
             "face": fig.face}
    if probe(game, order)[0] != "dice":
        return None
    shooters = game.shooters([f for f in game.standing(fig.at)], fig.face)
    if fig not in shooters:
        return None
    target, distance = game.target(fig.at, fig.face, fig.side)
    to_hit, to_save = FIRE_TABLE[game.board.scale][distance]
    front = game.standing(target)[:FRONT]
    shots = [{"at": front[k % len(front)].id, "hit": odds(7 - to_hit, 6),
              "kill": odds((7 - to_hit) * (to_save - 1), 36)} for k in range(len(shooters))]
    return {"face": fig.face, "target": square_name(target), "range": distance, "shots": shots}


def check_moves(game, fig, got, shortest):
    equal(sorted(item["at"] for item in got["to"]), sorted(square_name(s) for s in shortest),
          "where %s can go" % fig.id)
    for item in got["to"]:
        path = [parse_square(name) for name in item["path"]]
        equal(square_name(path[-1]), item["at"], "a path's end")
        need(may_go(game, fig, path), "%s can't go %s" % (fig.id, item["path"]))
        equal(len(path), shortest[path[-1]], "length of %s" % item["path"])
        equal(item.get("crossing", False), game.board.obstacle(fig.at, path[0]), "crossing")


def check_figure(bot, view, fig):
    game = view.game
    got = bot.call("match.legal", match=view.match, figure=fig.id)
    ready = able(game, fig)
    shortest, exits = reach(game, fig) if ready else ({}, set())
    check_moves(game, fig, got, shortest)
    equal(sorted(got["exit"]), sorted(exits), "where %s can leave" % fig.id)
    turn = {"side": game.side_id(fig.side), "do": "turn", "figures": [fig.id], "face": fig.face}
    equal(got["turn"], probe(game, turn)[0] == "events", "whether %s can turn" % fig.id)
    wanted = volley(game, fig) if ready else None
    equal(got["fire"], [wanted] if wanted else [], "what %s can shoot at" % fig.id)
    reachable = {square_name(s) for s in shortest}
    need(not any(item["at"] in reachable for item in got["why"]), "why not, but it can")
    return len(shortest) + len(exits), len(got["fire"])


class Asker:
    def __init__(self, every):
        self.every = every
        self.turns = self.squares = self.fires = 0

    def __call__(self, bot, view):
        self.turns += 1
        if self.turns % self.every:
            return
        counts = {}
        for fig in view.game.figures:
            if fig.side == view.game.active and fig.at is not None:
                counts[fig.id] = check_figure(bot, view, fig)
        listed = bot.call("match.legal", match=view.match)["figures"]
        shown = {item["figure"]: (item["moves"], item["fires"]) for item in listed}
        for name, pair in counts.items():
            equal(shown.get(name, (0, 0)), pair, "moves and fires of %s" % name)
        others = {name: pair for name, pair in shown.items() if name not in counts}
        need(all(pair == (0, 0) for pair in others.values()), "off the board: %s" % others)
        self.squares += sum(pair[0] for pair in counts.values())
        self.fires += sum(pair[1] for pair in counts.values())


def games(server, scenario, **params):
    asker = Asker(9)
    for number in range(12):  # what is seen hangs on the dice
        names = ["%s%d" % (name, number) for name in ("ann", "bob")]
        match, ann, bob = seat_pair(server, scenario, "legal %d" % number, names, fair="server",
                                    **params)
        ann.before_order = bob.before_order = asker
        play([ann, bob], match)
        if asker.squares > 100 and asker.fires > 0:
            return
    need(False, "little was seen: %d squares, %d shots" % (asker.squares, asker.fires))


def first_blood(server):
    games(server, "first-blood")


def tin_lizzy(server):
    games(server, "tin-lizzy-down")


def cowboys(server):
    games(server, "cowboys-and-indians")


def other_readings(server):
    games(server, "cowboys-and-indians", readings={"turning": "free", "volley": "all"})


def who_may_ask(server):
    """A seat sees its own figures, who looks on all; unknown figures are wrong parameters."""
    match, ann, bob = seat_pair(server, "first-blood", "ask", fair="server")
    view = ann.views[match]
    for bot in (ann, bob):
        shown = {item["figure"] for item in bot.call("match.legal", match=match)["figures"]}
        own = {f.id for f in view.game.figures if f.side == bot.views[match].side()}
        equal(shown, own, "the figures of %s" % bot.name)
    for figure in ("nobody", 7, ""):
        equal(ann.refused("params", "match.legal", match=match, figure=figure)["field"], "figure",
              "field for %r" % (figure,))
    eve = server.connect()
    eve.guest("eve")
    eve.call("match.watch", match=match)
    shown = {item["figure"] for item in eve.call("match.legal", match=match)["figures"]}
    equal(shown, {f.id for f in view.game.figures if f.at is not None}, "all, to who looks on")


TESTS = (first_blood, tin_lizzy, cowboys, other_readings, who_may_ask)

if __name__ == "__main__":
    run(TESTS)
