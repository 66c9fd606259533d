# SPDX-License-Identifier: ISC
"""player.py -- random orders, most of them legal, found with the reference rules' help, for the
comparison of engines (tests/sim/rules_diff.py); chooser.py takes the legal ones. Deterministic
for a random.Random and a position."""
from rules import ALLOWANCE, Refused, step
from scenario import EDGES, square_name


class Player:
    """Random orders, most of them legal, found with the reference's help."""

    def __init__(self, rng, game):
        self.rng = rng
        self.game = game

    def ready(self):
        game = self.game
        return [f for f in game.figures if f.side == game.active and game.can_act(f)]

    def anything(self):
        """An order that is most likely refused: wrong figure, square, side or path."""
        rng, game = self.rng, self.game
        side = rng.choice(game.board.sides)
        if game.active is not None and rng.random() < 0.7:
            side = game.side_id(game.active)
        pool = [f for f in game.figures if game.side_id(f.side) == side and f.at is not None]
        if not pool or rng.random() < 0.3:
            pool = game.figures
        names = [rng.choice(pool).id for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        if rng.random() < 0.05:
            names.append("nobody")
        what = rng.randrange(4)
        if what == 0:
            return {"side": side, "do": "turn", "figures": names, "face": rng.choice(EDGES)}
        if what == 1:
            square = (rng.randrange(game.board.w), rng.randrange(min(game.board.h + 1, 64)))
            face = rng.choice(EDGES)
            fig = rng.choice(pool)
            if fig.at is not None and rng.random() < 0.9:
                square, face = fig.at, rng.choice((fig.face, fig.face, fig.face, face))
            return {"side": side, "do": "fire", "square": square_name(square), "face": face}
        if what == 2:
            return {"side": side, "do": rng.choice(("undo", "end_phase", "undo"))}
        return self.wild_move(side, names)

    def wild_move(self, side, names):
        rng, game = self.rng, self.game
        fig = game.by_id.get(names[0])
        here = (rng.randrange(game.board.w), rng.randrange(game.board.h))
        if fig and fig.at:
            here = fig.at
        path = []
        for _ in range(rng.randrange(6)):
            diagonal = (here[0] + 1, here[1] + 1)
            here = step(here, rng.choice(EDGES)) if rng.random() < 0.9 else diagonal
            if here[0] < 0 or here[1] < 0 or here[0] > 63 or here[1] > 63:
                break
            path.append(square_name(here))
        order = {"side": side, "do": "move", "figures": names, "path": path}
        if rng.random() < 0.3:
            order["exit"] = rng.choice(EDGES)
        return order

    def unable(self):
        """An order to somebody whose morale or whose type forbids it."""
        rng, game = self.rng, self.game
        side = game.side_id(game.active)
        pool = [f for f in game.figures if f.side == game.active and f.at is not None
                and (f.status in ("halted", "retreating", "routing") or not f.soldier)]
        if not pool:
            return self.anything()
        fig = rng.choice(pool)
        if rng.random() < 0.4:
            return {"side": side, "do": "fire", "square": square_name(fig.at), "face": fig.face}
        if rng.random() < 0.3:
            return {"side": side, "do": "turn", "figures": [fig.id], "face": rng.choice(EDGES)}
        return self.wild_move(side, [fig.id])

    def group(self):
        """Some ready figures of one square."""
        rng = self.rng
        fig = rng.choice(self.ready())
        mates = [f for f in self.ready() if f.at == fig.at and f is not fig]
        if self.game.board.scale == "1in" or rng.random() < 0.4:
            return [fig]
        together = [fig] + rng.sample(mates, rng.randint(0, len(mates)))
        rng.shuffle(together)
        return together

    def nearness(self, square):
        foes = [f.at for f in self.game.figures if f.side != self.game.active and f.at is not None]
        return min((abs(x - square[0]) + abs(y - square[1]) for x, y in foes), default=0)

    def walk(self, figures):
        """A random path within the allowance, around what blocks."""
        rng, game = self.rng, self.game
        most = min(ALLOWANCE[game.board.scale][f.type][0] for f in figures)
        here, path = figures[0].at, []
        for _ in range(rng.randint(1, most)):
            nexts = [step(here, way) for way in EDGES]
            nexts = [s for s in nexts if game.board.on_board(s) and not game.blocked(s, game.active)
                     and not (path and game.board.obstacle(here, s))]
            if figures[0].type == "wagon":
                nexts = [s for s in nexts if game.board.ground(s) == "r"]
            if not nexts:
                break
            there = rng.choice(nexts)
            path.append(there)
            if game.board.obstacle(here, there):
                break
            here = there
        return path

    def move(self):
        rng, game = self.rng, self.game
        figures = self.group()
        walks = [self.walk(figures) for _ in range(rng.choice((1, 4, 6)))]
        path = min(walks, key=lambda p: self.nearness(p[-1] if p else figures[0].at))
        order = {"side": game.side_id(game.active), "do": "move",
                 "figures": [f.id for f in figures], "path": [square_name(s) for s in path]}
        if rng.random() < 0.4:
            order["face"] = self.towards(path[-1] if path else figures[0].at)
        exits = [win["edge"] for win in game.board.wins[game.active] if win["kind"] == "exit"]
        for edge in exits:
            ends = [figures[0].at] + path
            near = [i for i, s in enumerate(ends) if game.board.on_edge(s, edge)]
            if near and rng.random() < 0.6:
                order["path"] = [square_name(s) for s in ends[1:near[0] + 1]]
                order["exit"] = edge
                break
        return order

    def towards(self, square):
        rng, game = self.rng, self.game
        foes = [f.at for f in game.figures if f.side != game.active and f.at is not None]
        if not foes or rng.random() < 0.3:
            return rng.choice(EDGES)
        x, y = min(foes, key=lambda s: abs(s[0] - square[0]) + abs(s[1] - square[1]))
        dx, dy = x - square[0], y - square[1]
        if abs(dx) > abs(dy):
            return "e" if dx > 0 else "w"
        return "n" if dy > 0 else "s"

    def aim(self):
        """Somebody with an enemy in a straight line turns to it."""
        rng, game = self.rng, self.game
        foes = [f.at for f in game.figures if f.side != game.active and f.at is not None]
        lined = [f for f in self.ready() if any(x == f.at[0] or y == f.at[1] for x, y in foes)]
        if not lined:
            return self.turn()
        fig = rng.choice(lined)
        x, y = rng.choice([s for s in foes if s[0] == fig.at[0] or s[1] == fig.at[1]])
        if x == fig.at[0]:
            face = "n" if y > fig.at[1] else "s"
        else:
            face = "e" if x > fig.at[0] else "w"
        mates = [f for f in self.ready() if f.at == fig.at]
        if game.board.scale == "1in" or rng.random() < 0.3:
            mates = [fig]
        return self.turn_order(mates, face)

    def turn_order(self, figures, face):
        return {"side": self.game.side_id(self.game.active), "do": "turn",
                "figures": [f.id for f in figures], "face": face}

    def turn(self):
        figures = self.group()
        return self.turn_order(figures, self.towards(figures[0].at))

    def fire(self):
        rng, game = self.rng, self.game
        shots = []
        for fig in self.ready():
            if fig.at in game.fired:
                continue
            try:
                game.shooters(game.standing(fig.at), fig.face)
                game.target(fig.at, fig.face, game.active)
            except Refused:
                continue
            shots.append(fig)
        if not shots:
            return None
        fig = rng.choice(shots)
        return {"side": game.side_id(game.active), "do": "fire", "square": square_name(fig.at),
                "face": fig.face}

    def next(self):
        rng, game = self.rng, self.game
        if game.over or rng.random() < 0.15:
            return self.anything()
        if rng.random() < 0.04:
            return self.unable()
        end = {"side": game.side_id(game.active), "do": "end_phase"}
        if not self.ready():
            return end
        dart = rng.random()
        if dart < 0.1:
            return end
        if dart < 0.15:
            return {"side": end["side"], "do": "undo"}
        if dart < 0.8:
            order = self.fire()
            if order:
                return order
            if dart < 0.3:
                return self.aim()
        return self.turn() if dart > 0.97 else self.move()
