# SPDX-License-Identifier: ISC
"""chooser.py -- legal orders chosen at random with the reference rules' help, for record making
and for the wire bot. Deterministic for a random.Random and a position."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from player import Player  # noqa: E402
from rules import DiceOut, Refused  # noqa: E402

TRIES = 30


class NoDice:
    used = 0

    def d6(self):
        raise DiceOut()


def probe(game, order):
    """(what, detail) of an order, nothing changed: ("events", list), ("dice", None) when it needs
    a roll, or ("refused", Refused)."""
    saved, undos, dice = game.save(), list(game.undos), game.dice
    game.dice = NoDice()
    try:
        return "events", game.order(order, 0)
    except DiceOut:
        return "dice", None
    except Refused as refused:
        return "refused", refused
    finally:
        game.restore(saved)
        game.undos, game.dice = undos, dice


class Chooser(Player):
    """next_legal(): an order of the active side with its `side`. `stay`: how likely a figure that
    could act is left standing at the end of the phase."""

    def __init__(self, rng, game, stay=0.06, undo=0.04):
        super().__init__(rng, game)
        self.stay, self.undo = stay, undo

    def end(self):
        return {"side": self.game.side_id(self.game.active), "do": "end_phase"}

    def candidate(self):
        dart = self.rng.random()
        if dart < 0.65:
            order = self.fire()
            if order:
                return order
        if dart < 0.15:
            return self.aim()
        return self.turn() if dart > 0.97 else self.move()

    def next_legal(self):
        rng, game = self.rng, self.game
        if game.undos and rng.random() < self.undo:
            return dict(self.end(), do="undo")
        if not self.ready() or rng.random() < self.stay:
            return self.end()
        for _ in range(TRIES):
            order = self.candidate()
            if probe(game, order)[0] != "refused":
                return order
        return self.end()
