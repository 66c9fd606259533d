# SPDX-License-Identifier: ISC
"""Reference implementation of the rules (R1 to R50), written from the documents alone.

Plain and slow on purpose: each function is one concern and names its rules. The C engine is
compared with it on random cases (tests/sim/rules_diff.py). Game is the whole interface:
Game(scenario, dice), start(), order(dict, index), state_json(), state_hash().
"""
import hashlib

from scenario import EDGES, IMPASSABLE, SOLDIERS, STEP, parse_square, square_name

BACK = {"n": "s", "s": "n", "e": "w", "w": "e"}
LEFT = {"n": "w", "w": "s", "s": "e", "e": "n"}
RIGHT = {"n": "e", "e": "s", "s": "w", "w": "n"}

# R7: type -> (open, uphill)
ALLOWANCE = {
    "1in": {"irregular": (3, 2), "regular": (2, 1), "mounted": (5, 3), "civilian": (2, 1),
            "wagon": (2, 0)},
    "3in": {"irregular": (2, 1), "regular": (1, 1), "mounted": (3, 2), "civilian": (1, 1),
            "wagon": (1, 0)},
}
# R21: range -> (to hit, to save)
FIRE_TABLE = {
    "1in": {5: (6, 4), 4: (5, 4), 3: (4, 5), 2: (3, 6)},
    "3in": {3: (6, 4), 2: (5, 5)},
}
MELEE_SAVE = 4  # R30
FRONT = 3  # R2
AT_ONCE = ("eliminate", "kill", "exit", "reach")


class Refused(Exception):
    """R47: the order breaks a rule; nothing has changed."""

    def __init__(self, rule, message):
        super().__init__(message)
        self.rule = rule
        self.message = message


class DiceOut(Exception):
    """The dice given are too few for what was ordered."""


class Dice:
    def __init__(self, values):
        self.values = list(values)
        self.used = 0

    def d6(self):
        if self.used >= len(self.values):
            raise DiceOut()
        self.used += 1
        return self.values[self.used - 1]


class Board:
    """What the scenario says and play doesn't change."""

    def __init__(self, scenario):
        self.scale = scenario["scale"]
        self.w, self.h = scenario["size"]
        self.turns = scenario.get("turns", 50)
        self.stack = scenario.get("stack", 6) if self.scale == "3in" else 1
        self.rows = scenario["ground"][::-1]
        self.heights = [[int(c) for c in row] for row in scenario.get("heights", [])[::-1]]
        self.obstacles = set()
        for item in scenario.get("obstacles", []):
            for edge in item["edges"]:
                here = parse_square(edge[:-1])
                self.obstacles.add(frozenset((here, step(here, edge[-1]))))
        self.sides = [side["id"] for side in scenario["sides"]]
        self.homes = [side["home"] for side in scenario["sides"]]
        self.limit_winner = None
        for i, side in enumerate(scenario["sides"]):
            if side.get("limit_winner"):
                self.limit_winner = i
        default = [{"kind": "eliminate"}, {"kind": "baseline"}]
        self.wins = [side.get("win") or default for side in scenario["sides"]]
        self.readings = {"turning": "action", "melee": "after_both", "saves": "each",
                         "volley": "front", "roster": "all"}
        self.readings.update(scenario.get("readings", {}))
        self.waves = scenario.get("waves", [])

    def on_board(self, square):
        return square is not None and 0 <= square[0] < self.w and 0 <= square[1] < self.h

    def ground(self, square):
        return self.rows[square[1]][square[0]]

    def impassable(self, square):
        return self.ground(square) in IMPASSABLE

    def height(self, square):
        return self.heights[square[1]][square[0]] if self.heights else 0

    def obstacle(self, one, two):
        return frozenset((one, two)) in self.obstacles

    def on_edge(self, square, edge):
        """R5: whether the square lies along that edge."""
        return not self.on_board(step(square, edge))


class Figure:
    FIELDS = ("at", "face", "status", "rank", "fell", "left_by")

    def __init__(self, item, side, index):
        self.id = item["id"]
        self.side = side
        self.index = index  # in roster order
        self.type = item["type"]
        self.name = item.get("name")
        self.commander = bool(item.get("commander"))
        self.soldier = self.type in SOLDIERS
        self.at = parse_square(item["at"]) if "at" in item else None
        self.face = item["face"] if "at" in item else None
        self.status = "ready" if "at" in item else "due"
        self.rank = 0
        self.fell = False
        self.left_by = None

    def save(self):
        return tuple(getattr(self, name) for name in self.FIELDS)

    def restore(self, saved):
        for name, value in zip(self.FIELDS, saved):
            setattr(self, name, value)


def step(square, way):
    return (square[0] + STEP[way][0], square[1] + STEP[way][1])


def way_of(one, two):
    """The way of the step from one square to the next, None if it isn't orthogonal and single."""
    for way in EDGES:
        if step(one, way) == two:
            return way
    return None


class Game:
    STATE = ("turn", "first", "active", "over")

    def __init__(self, scenario, dice):
        self.board = Board(scenario)
        self.dice = Dice(dice)
        self.figures = []
        self.wave_figures = [[] for _ in self.board.waves]
        self.build_roster(scenario)
        self.by_id = {fig.id: fig for fig in self.figures}
        self.turn = 0
        self.first = None
        self.active = None
        self.over = None  # (side index or None, reason)
        self.testing = [False, False]
        self.fired = set()
        self.wave_edge = {}
        self.undos = []  # (order index, saved state), oldest first
        self.events = []
        self.rank_all()

    def build_roster(self, scenario):
        """Roster order: A's figures, A's reinforcements in wave order, B's likewise."""
        for side, side_id in enumerate(self.board.sides):
            for item in scenario["figures"]:
                if item["side"] == side_id:
                    self.figures.append(Figure(item, side, len(self.figures)))
            for number, wave in enumerate(self.board.waves):
                if wave["side"] != side_id:
                    continue
                for item in wave["figures"]:
                    fig = Figure({"id": item["id"], "type": item["type"], "name": item.get("name"),
                                  "commander": item.get("commander")}, side, len(self.figures))
                    self.figures.append(fig)
                    self.wave_figures[number].append(fig)

    def rank_all(self):
        counts = {}
        for fig in self.figures:
            if fig.at is not None:
                counts[fig.at] = counts.get(fig.at, 0) + 1
                fig.rank = counts[fig.at]

    # ---- the state as a whole

    def save(self):
        return ([fig.save() for fig in self.figures], [getattr(self, name) for name in self.STATE],
                list(self.testing), set(self.fired), dict(self.wave_edge))

    def restore(self, saved):
        for fig, data in zip(self.figures, saved[0]):
            fig.restore(data)
        for name, value in zip(self.STATE, saved[1]):
            setattr(self, name, value)
        self.testing, self.fired, self.wave_edge = list(saved[2]), set(saved[3]), dict(saved[4])

    def attempt(self, action):
        """R47: what action emits, or nothing changed and its exception."""
        saved, used, undos = self.save(), self.dice.used, list(self.undos)
        self.events = []
        try:
            action()
        except (Refused, DiceOut):
            self.restore(saved)
            self.dice.used = used
            self.undos = undos
            raise
        if self.dice.used > used:
            self.undos = []  # R48: a die was rolled
        return self.events

    def start(self):
        """Match start: the events, or DiceOut."""
        return self.attempt(self.play_from_turn_start)

    def order(self, order, index):
        """The events of one order, or Refused, or DiceOut."""
        return self.attempt(lambda: self.carry_out(order, index))

    def emit(self, kind, **members):
        event = {"kind": kind}
        event.update(members)
        self.events.append(event)

    def side_id(self, side):
        return None if side is None else self.board.sides[side]

    # ---- squares and who stands there

    def standing(self, square):
        """The figures of a square in rank order (R2)."""
        here = [fig for fig in self.figures if fig.at == square]
        return sorted(here, key=lambda fig: fig.rank)

    def held_by_enemy(self, square, side):
        return any(fig.at == square and fig.side != side for fig in self.figures)

    def blocked(self, square, side):
        """R13: a path never enters it: an enemy or impassable ground."""
        return self.board.impassable(square) or self.held_by_enemy(square, side)

    def may_stand(self, movers, square):
        """R13, R17: whether the movers may end in the square; their own places don't count."""
        if self.blocked(square, movers[0].side):
            return False
        others = [fig for fig in self.figures if fig.at == square and fig not in movers]
        if others and any(fig.type == "wagon" for fig in others + movers):
            return False
        return len(others) + len(movers) <= self.board.stack

    def allowance(self, fig, climbs):
        return ALLOWANCE[self.board.scale][fig.type][1 if climbs else 0]

    def climbs(self, one, two):
        return self.board.height(two) > self.board.height(one)

    def close_up(self, square):
        for rank, fig in enumerate(self.standing(square), 1):
            fig.rank = rank

    def take_off(self, fig):
        square, fig.at, fig.rank = fig.at, None, 0
        self.close_up(square)

    def put(self, fig, square):
        """R8: last in rank."""
        fig.rank = len(self.standing(square)) + 1
        fig.at = square

    def remove_dead(self, fig):
        self.take_off(fig)
        fig.status, fig.fell = "dead", False

    def leave(self, fig, edge):
        self.take_off(fig)
        fig.status, fig.fell, fig.left_by = "left", False, edge

    # ---- the turn (R9 to R11, R46)

    def play_from_turn_start(self):
        self.begin_turn()
        self.end_idle_phases()

    def begin_turn(self):
        """R9, R10."""
        self.turn += 1
        self.fired = set()
        for fig in self.figures:
            if fig.status in ("acted", "halted", "retreating"):
                fig.status = "ready"
        throws = []
        while not throws or throws[-1][0] == throws[-1][1]:
            one = self.dice.d6()
            throws.append([one, self.dice.d6()])
        self.first = 0 if throws[-1][0] > throws[-1][1] else 1
        self.emit("initiative", turn=self.turn, dice=throws, first=self.side_id(self.first))
        self.begin_phase(self.first)

    def begin_phase(self, side):
        """R11: arrivals, then morale, then the player's orders."""
        self.active = side
        self.emit("phase", turn=self.turn, side=self.side_id(side))
        arrived = self.arrivals(side)
        if not self.over:
            self.morale(side, arrived)

    def can_act(self, fig):
        """R46: status ready; not a wagon off the road."""
        if fig.status != "ready":
            return False
        return fig.type != "wagon" or self.board.ground(fig.at) == "r"

    def end_idle_phases(self):
        """R46: a phase that begins with nobody who can act ends by itself; this may chain."""
        while not self.over and not any(
                fig.side == self.active and self.can_act(fig) for fig in self.figures):
            self.close_phase()

    def close_phase(self):
        """The active side's phase ends, and all that follows up to the next phase's orders."""
        self.undos = []
        side = self.active
        self.emit("end_phase", side=self.side_id(side))
        for fig in self.figures:
            if fig.side == side and fig.status == "ready":
                fig.status = "acted"
        second = side != self.first
        if second or self.board.readings["melee"] == "after_each":  # R25, R50
            self.melee()
        if self.over:
            return
        if not second:
            self.begin_phase(1 - side)
            return
        self.emit("end_turn", turn=self.turn)
        self.check_win(True)
        if not self.over and self.turn >= self.board.turns:  # R43
            self.finish(self.board.limit_winner, "limit")
        if not self.over:
            self.begin_turn()

    # ---- reinforcements (R40, R41)

    def arrivals(self, side):
        arrived = []
        for number, wave in enumerate(self.board.waves):
            if wave["side"] == self.side_id(side) and wave["turn"] <= self.turn and not self.over:
                arrived += self.arrive(number, wave, side)
        return arrived

    def arrive(self, number, wave, side):
        waiting = [fig for fig in self.wave_figures[number] if fig.status == "due"]
        if not waiting:
            return []
        newly = wave["turn"] == self.turn
        members = {}
        if "d6" in wave:
            if newly:
                members["die"] = self.dice.d6()
                self.wave_edge[number] = wave["d6"][str(members["die"])]
            members["edge"] = self.wave_edge[number]
        elif "edge" in wave:
            members["edge"] = wave["edge"]
        edge = members.get("edge")
        squares = self.edge_squares(edge) if edge else [parse_square(s) for s in wave["squares"]]
        placed = []
        for fig in waiting:
            square = self.free_square(fig, squares)
            if square is not None:
                self.put(fig, square)
                fig.face = BACK[edge] if edge else self.inward(square, side)
                fig.status = "acted"
                placed.append(fig)
        left_out = [fig.id for fig in waiting if fig not in placed]
        if not left_out:
            self.wave_edge.pop(number, None)
        if placed or newly:
            self.emit("arrive", side=self.side_id(side), wave=number, **members,
                      figures=[{"figure": f.id, "at": square_name(f.at), "face": f.face}
                               for f in placed],
                      waiting=left_out)
            self.check_win(False)
        return placed

    def edge_squares(self, edge):
        """R41: from the middle square outward."""
        board = self.board
        n = board.w if edge in "ns" else board.h
        order = [n // 2]
        for away in range(1, n):
            order += [n // 2 + away, n // 2 - away]
        line = {"n": lambda i: (i, board.h - 1), "s": lambda i: (i, 0),
                "e": lambda i: (board.w - 1, i), "w": lambda i: (0, i)}[edge]
        return [line(i) for i in order if 0 <= i < n]

    def free_square(self, fig, squares):
        for square in squares:
            road = fig.type != "wagon" or self.board.ground(square) == "r"
            if road and self.may_stand([fig], square):
                return square
        return None

    def inward(self, square, side):
        """R41: away from the nearest board edge."""
        board = self.board
        distance = {"n": board.h - 1 - square[1], "e": board.w - 1 - square[0],
                    "s": square[1], "w": square[0]}
        near = [edge for edge in EDGES if distance[edge] == min(distance.values())]
        home = board.homes[side]
        return BACK[home if home in near else near[0]]

    # ---- morale (R32 to R39)

    def note_losses(self):
        """R32: from half its roster killed on, a side tests."""
        for side in (0, 1):
            own = [fig for fig in self.figures if fig.side == side and fig.soldier]
            killed = sum(1 for fig in own if fig.status == "dead")
            if self.board.readings["roster"] == "arrived":  # R50
                own = [fig for fig in own if fig.status != "due"]
            if killed > 0 and killed * 2 >= len(own):
                self.testing[side] = True

    def morale(self, side, arrived):
        for fig in self.figures:
            if fig.side == side and fig.status == "routing" and not self.over:
                self.fall_back(fig, "rout")
        if self.over or not self.testing[side]:
            return
        testers = [fig for fig in self.figures
                   if fig.side == side and fig.soldier and fig.at is not None
                   and fig.status != "routing" and fig not in arrived]
        runners = []
        for fig in testers:  # all dice before any result
            result = self.test_morale(fig)
            if result in ("retreat", "rout"):
                runners.append((fig, result))
        for fig, result in runners:
            if not self.over:
                self.fall_back(fig, result)

    def test_morale(self, fig):
        """R33 to R36: one figure's die and what it becomes."""
        die = self.dice.d6()
        bonus = 1 if self.commander_near(fig) else 0
        total = die + bonus
        if total >= 5:
            result, fig.fell = "steady", False
        elif total == 4:
            result, fig.status, fig.fell = "halt", "halted", False
        elif total >= 2:
            result, fig.status = "retreat", "retreating"
        else:
            result, fig.status = "rout", "routing"
        self.emit("morale", figure=fig.id, die=die, bonus=bonus, result=result)
        return result

    def commander_near(self, fig):
        """R33: within 3 squares counted as max(|dx|, |dy|)."""
        for other in self.figures:
            if other.commander and other.side == fig.side and other.at is not None:
                if max(abs(other.at[0] - fig.at[0]), abs(other.at[1] - fig.at[1])) <= 3:
                    return True
        return False

    def fall_back(self, fig, state):
        """R37, R38: the walk, its event, and the end checks."""
        if not fig.fell:
            fig.face = BACK[fig.face]
        fig.fell = True
        start = fig.at
        path, left = self.fall_back_path(fig, state)
        if left:
            self.leave(fig, fig.face)
        elif path:
            self.take_off(fig)
            self.put(fig, path[-1])
        self.emit("fall_back", figure=fig.id, state=state, **{"from": square_name(start)},
                  path=[square_name(s) for s in path], face=fig.face, left=left)
        self.check_win(False)

    def fall_back_path(self, fig, state):
        ahead = step(fig.at, fig.face)
        if state == "rout" and self.board.on_board(ahead) and self.blocked(ahead, fig.side):
            ways = self.way_round(fig)
        else:
            ways = [fig.face] * (self.board.w + self.board.h)
        return self.walk(fig, ways)

    def walk(self, fig, ways):
        """R37: as many of the steps as the figure can afford; (path, whether it left the board)."""
        path, here, climbed = [], fig.at, False
        for way in ways:
            there = step(here, way)
            if not self.board.on_board(there):
                if len(path) + 1 <= self.allowance(fig, climbed):
                    return path, True
                break
            crossing = self.board.obstacle(here, there)
            climbs = climbed or self.climbs(here, there)
            if (self.blocked(there, fig.side) or (crossing and path)
                    or len(path) + 1 > self.allowance(fig, climbs)):
                break
            path.append(there)
            here, climbed = there, climbs
            if crossing:
                break
        while path and not self.may_stand([fig], path[-1]):
            path.pop()
        return path, False

    def way_round(self, fig):
        """R38: the ways of the shortest path off the edge that it faces, [] if there is none."""
        left = self.steps_to_edge(fig)
        order = (fig.face, LEFT[fig.face], RIGHT[fig.face], BACK[fig.face])
        here, ways = fig.at, []
        if here not in left:
            return []
        while left[here] > 1:
            for way in order:
                there = step(here, way)
                if left.get(there) == left[here] - 1 and not self.board.obstacle(here, there):
                    ways.append(way)
                    here = there
                    break
        return ways + [fig.face]

    def steps_to_edge(self, fig):
        """R38: square -> steps to the step off the faced edge, over friends and free squares."""
        board = self.board
        squares = [(x, y) for x in range(board.w) for y in range(board.h)]
        free = {s for s in squares if not self.blocked(s, fig.side)}
        layer = [s for s in free if board.on_edge(s, fig.face)]
        left = {s: 1 for s in layer}
        while layer:
            following = []
            for here in layer:
                for way in EDGES:
                    there = step(here, way)
                    if there in free and there not in left and not board.obstacle(here, there):
                        left[there] = left[here] + 1
                        following.append(there)
            layer = following
        return left

    # ---- orders

    def carry_out(self, order, index):
        if self.over:
            raise Refused("R42", "the game is over")
        side = self.board.sides.index(order["side"])
        if side != self.active:
            raise Refused("R11", "it is the other side's phase")
        what = order["do"]
        if what == "move":
            self.order_move(order, index, side)
        elif what == "turn":
            self.order_turn(order, index, side)
        elif what == "fire":
            self.order_fire(order, side)
        elif what == "undo":
            self.order_undo()
        else:
            self.close_phase()
            self.end_idle_phases()

    def order_undo(self):
        """R48."""
        if not self.undos:
            raise Refused("R48", "nothing to take back")
        index, saved = self.undos.pop()
        self.restore(saved)
        self.emit("undo", undone=index)

    def ordered_figures(self, order, side):
        """R11, R35, R36, R15: the figures of a move or turn, in rank order."""
        figures = []
        for name in order["figures"]:
            fig = self.by_id.get(name)
            if fig is None or fig.side != side or fig.at is None:
                raise Refused("R11", "%s is no figure of yours on the board" % name)
            figures.append(fig)
        for fig in figures:
            if fig.status == "acted":
                raise Refused("R11", "%s has acted" % fig.id)
            if fig.status == "halted":
                raise Refused("R35", "%s halts this turn" % fig.id)
            if fig.status in ("retreating", "routing"):
                raise Refused("R36", "%s falls back" % fig.id)
        single = len({fig.id for fig in figures}) == len(figures)
        together = len({fig.at for fig in figures}) == 1
        if not single or not together or (self.board.scale == "1in" and len(figures) > 1):
            raise Refused("R15", "only figures of one square move together, in 3in")
        return sorted(figures, key=lambda fig: fig.rank)

    def order_turn(self, order, index, side):
        """R14, R15, R50."""
        figures = self.ordered_figures(order, side)
        if any(fig.type == "wagon" and self.board.ground(fig.at) != "r" for fig in figures):
            raise Refused("R17", "a wagon off the road doesn't turn")
        self.undos.append((index, self.save()))
        for fig in figures:
            fig.face = order["face"]
            if self.board.readings["turning"] == "action":
                fig.status = "acted"
        self.emit("turn", figures=[fig.id for fig in figures], at=square_name(figures[0].at),
                  face=order["face"])

    def order_move(self, order, index, side):
        figures = self.ordered_figures(order, side)
        path = [parse_square(name) for name in order["path"]]
        leaving = order.get("exit")
        start = figures[0].at
        last_way = self.check_path(figures, path, leaving, side)
        face = order.get("face", last_way)
        self.undos.append((index, self.save()))
        for fig in figures:
            fig.face, fig.status = face, "acted"
            if leaving:
                self.leave(fig, leaving)
            else:
                self.take_off(fig)
        if not leaving:
            for fig in figures:  # R15: they keep their rank order
                self.put(fig, path[-1])
        left = {"left": True} if leaving else {}
        self.emit("move", figures=[fig.id for fig in figures], **{"from": square_name(start)},
                  path=[square_name(s) for s in path], face=face, **left)
        self.check_win(False)

    def check_path(self, figures, path, leaving, side):
        """R12, R13, R16, R17, R45, in the order in which a refusal names them; the last way."""
        if not all(self.board.on_board(square) for square in path):
            raise Refused("R13", "the path leaves the board")
        if not path and not leaving:
            raise Refused("R12", "a path has a square at least")
        squares = [figures[0].at] + path
        steps = list(zip(squares, squares[1:]))
        ways = [way_of(one, two) for one, two in steps]
        if None in ways:
            raise Refused("R12", "each square must be orthogonally next to the last")
        if leaving:
            self.check_exit(squares[-1], leaving, side)
        wagon = figures[0].type == "wagon"
        self.check_crossing(steps, leaving, wagon)
        if wagon and any(self.board.ground(square) != "r" for square in squares):
            raise Refused("R17", "a wagon keeps to the road")
        climbs = any(self.climbs(one, two) for one, two in steps)
        cost = len(path) + (1 if leaving else 0)
        if any(cost > self.allowance(fig, climbs) for fig in figures):
            raise Refused("R12", "farther than the allowance")
        if any(self.blocked(square, side) for square in path):
            raise Refused("R13", "an enemy or impassable ground is in the way")
        if not leaving and not self.may_stand(figures, path[-1]):
            raise Refused("R13", "no room in the last square")
        return leaving or ways[-1]

    def check_exit(self, last, leaving, side):
        """R45."""
        named = [win["edge"] for win in self.board.wins[side] if win["kind"] == "exit"]
        if leaving not in named:
            raise Refused("R45", "no exit condition names that edge")
        if not self.board.on_edge(last, leaving):
            raise Refused("R45", "the path doesn't end along that edge")

    def check_crossing(self, steps, leaving, wagon):
        """R16."""
        if not any(self.board.obstacle(one, two) for one, two in steps):
            return
        if wagon:
            raise Refused("R16", "wagons never cross")
        if len(steps) > 1 or leaving:
            raise Refused("R16", "a crossing is one step and no more")

    # ---- firing (R18 to R24)

    def order_fire(self, order, side):
        square, face = parse_square(order["square"]), order["face"]
        own = [fig for fig in self.standing(square) if fig.side == side] if square else []
        if not own:
            raise Refused("R23", "nobody of yours stands there")
        if square in self.fired:
            raise Refused("R23", "that square has fired")
        shooters = self.shooters(own, face)
        target, distance = self.target(square, face, side)
        to_hit, to_save = FIRE_TABLE[self.board.scale][distance]
        front = self.standing(target)[:FRONT]
        shots = []
        for k, shooter in enumerate(shooters):
            shots.append(self.shoot(shooter, front[k % len(front)], to_hit, to_save))
            shooter.status = "acted"
        for aim in front:  # dead at once for the shots that follow; ranks close up now
            if aim.status == "dead":
                self.remove_dead(aim)
        self.fired.add(square)
        self.note_losses()
        self.emit("volley", square=square_name(square), face=face, target=square_name(target),
                  range=distance, to_hit=to_hit, to_save=to_save, shots=shots)
        self.check_win(False)

    def shooters(self, own, face):
        """R18, R23, R50; with none, why not."""
        able = own if self.board.readings["volley"] == "all" else own[:FRONT]
        facing = [fig for fig in able if fig.face == face]
        shooters = [fig for fig in facing if fig.soldier and fig.status == "ready"]
        if shooters:
            return shooters
        status = {fig.status for fig in facing if fig.soldier}
        if facing and not any(fig.soldier for fig in facing):
            raise Refused("R18", "only soldiers fire")
        if "halted" in status:
            raise Refused("R35", "who halts doesn't fire")
        if status & {"retreating", "routing"}:
            raise Refused("R36", "who falls back doesn't fire")
        raise Refused("R23", "nobody there faces that way and may act")

    def target(self, square, face, side):
        """R19, R20: the target square and its range."""
        board = self.board
        between = []
        here = step(square, face)
        while board.on_board(here):
            distance = len(between) + 1
            ground = board.ground(here)
            if ground in "BV":
                raise Refused("R19", "a building or vehicle blocks sight")
            there = self.standing(here)
            if there:
                return self.target_found(there, square, between, side), distance
            if ground == "w":
                raise Refused("R19", "woods block sight")
            between.append(here)
            here = step(here, face)
        raise Refused("R19", "nobody in the line")

    def target_found(self, there, square, between, side):
        board = self.board
        here = there[0].at
        if there[0].side == side:
            raise Refused("R19", "friends are in the line")
        if there[0].type == "wagon":
            raise Refused("R19", "a wagon blocks sight")
        top = max(board.height(square), board.height(here))
        if any(board.height(s) > top for s in between):
            raise Refused("R19", "high ground blocks sight")
        if len(between) + 1 not in FIRE_TABLE[board.scale]:
            raise Refused("R20", "out of reach or at hand-to-hand range")
        return here

    def shoot(self, shooter, aim, to_hit, to_save):
        """R22, R23: one shot."""
        shot = {"figure": shooter.id, "at": aim.id}
        if aim.status == "dead":
            return shot
        shot["die"] = self.dice.d6()
        shot["hit"] = shot["die"] >= to_hit
        if shot["hit"]:
            shot["save"] = self.dice.d6()
            shot["killed"] = shot["save"] < to_save
            if shot["killed"]:
                aim.status = "dead"
        return shot

    # ---- hand-to-hand (R25 to R31)

    def melee(self):
        pairings = self.pairings()
        if not pairings:
            return
        fighters = sorted({f.index for pair in pairings for f in pair})
        thrown = {index: self.dice.d6() for index in fighters}  # R27
        shown, losses = [], []
        for a, b in pairings:
            total_a = thrown[a.index] + self.melee_bonus(a, b)
            total_b = thrown[b.index] + self.melee_bonus(b, a)
            shown.append({"a": a.id, "b": b.id, "total_a": total_a, "total_b": total_b})
            if total_a != total_b:  # R29
                losses.append((a.index, b.index) if total_a < total_b else (b.index, a.index))
        saves, killed = self.melee_saves(sorted(losses))
        for fig in killed:
            self.remove_dead(fig)
        self.note_losses()
        self.emit("melee",
                  dice=[{"figure": self.figures[i].id, "die": thrown[i]} for i in fighters],
                  pairings=shown, saves=saves, killed=[fig.id for fig in killed])
        self.check_win(False)

    def pairings(self):
        """R26: (a, b) by a, then b."""
        squares = {}
        for fig in self.figures:
            if fig.at is not None and fig.type != "wagon":
                squares.setdefault(fig.at, fig.side)
        pairs = []
        for one in (s for s in squares if squares[s] == 0):
            for two in (s for s in squares if squares[s] == 1):
                if max(abs(one[0] - two[0]), abs(one[1] - two[1])) == 1:
                    pairs += self.pair_fronts(one, two)
        return sorted(pairs, key=lambda pair: (pair[0].index, pair[1].index))

    def pair_fronts(self, one, two):
        a, b = self.standing(one)[:FRONT], self.standing(two)[:FRONT]
        return [(a[k % len(a)], b[k % len(b)]) for k in range(max(len(a), len(b)))]

    def melee_bonus(self, fig, foe):
        """R28."""
        behind = not in_front(foe, fig.at) and in_front(fig, foe.at)
        return (1 if fig.type == "mounted" else 0) + (1 if behind else 0)

    def melee_saves(self, losses):
        """R30, R50: losses are (owing, opponent) in roster order."""
        saves, killed, done = [], [], set()
        for loser, winner in losses:
            if loser in done:
                continue
            die = self.dice.d6()
            saved = die >= MELEE_SAVE
            saves.append({"figure": self.figures[loser].id, "against": self.figures[winner].id,
                          "die": die, "saved": saved})
            if not saved:
                killed.append(self.figures[loser])
            if not saved or self.board.readings["saves"] == "one":
                done.add(loser)
        return saves, killed

    # ---- winning (R42, R43)

    def check_win(self, turn_ends):
        """After an event the kinds that count at once, after a turn the others."""
        true = [[win for win in self.board.wins[side] if self.is_true(win, side)]
                for side in (0, 1)]
        if turn_ends and not true[0] and not true[1]:  # no condition of another kind
            true = [[win for win in self.board.wins[side]
                     if win["kind"] == "survive" and self.turn >= win["turn"]] for side in (0, 1)]
        met = [[win for win in true[side] if (win["kind"] in AT_ONCE) != turn_ends]
               for side in (0, 1)]
        if met[0] and met[1]:
            self.finish(None, "draw")
        elif met[0] or met[1]:
            side = 0 if met[0] else 1
            self.finish(side, met[side][0]["kind"])

    def finish(self, winner, reason):
        self.over = (winner, reason)
        self.active = None
        self.emit("over", winner=self.side_id(winner), reason=reason)

    def is_true(self, win, side):
        """Whether one condition, of any kind but survive, holds as things stand."""
        kind = win["kind"]
        if kind == "eliminate":
            return self.eliminated(1 - side)
        if kind == "kill":
            return all(self.by_id[name].status == "dead" for name in win["figures"])
        if kind == "exit":
            return self.exit_met(win)
        if kind == "reach":
            squares = [parse_square(name) for name in win["squares"]]
            return any(self.by_id[name].at in squares for name in win["figures"])
        if kind == "hold":
            return win.get("turn", self.turn) == self.turn and self.holds(win, side)
        return kind == "baseline" and self.on_baseline(side)

    def eliminated(self, side):
        """R42: no soldier on the board and none due, its own exit not met in the same instant."""
        own = [fig for fig in self.figures if fig.side == side and fig.soldier]
        if any(fig.at is not None or fig.status == "due" for fig in own):
            return False
        return not any(win["kind"] == "exit" and self.exit_met(win)
                       for win in self.board.wins[side])

    def exit_met(self, win):
        gone = sum(1 for name in win["figures"] if self.by_id[name].left_by == win["edge"])
        return gone >= win.get("count", len(win["figures"]))

    def steady_soldiers(self, side):
        return [fig for fig in self.figures if fig.side == side and fig.soldier
                and fig.at is not None and fig.status != "routing"]

    def holds(self, win, side):
        held = {fig.at for fig in self.steady_soldiers(side)}
        return all(parse_square(name) in held for name in win["squares"])

    def on_baseline(self, side):
        edge = self.board.homes[1 - side]
        there = [f for f in self.steady_soldiers(side) if self.board.on_edge(f.at, edge)]
        roster = sum(1 for fig in self.figures if fig.side == side and fig.soldier)
        return len(there) * 2 >= roster

    # ---- the state as the protocol shows it

    def state_json(self):
        state = {"turn": self.turn, "first": self.side_id(self.first),
                 "active": self.side_id(self.active),
                 "figures": [self.figure_json(fig) for fig in self.figures],
                 "testing": [self.side_id(side) for side in (0, 1) if self.testing[side]],
                 "fired": [square_name(s) for s in self.fired_in_order()]}
        if self.wave_edge:
            state["waves"] = [{"wave": n, "edge": e} for n, e in sorted(self.wave_edge.items())]
        if self.over:
            state["over"] = {"winner": self.side_id(self.over[0]), "reason": self.over[1]}
        return state

    def fired_in_order(self):
        return sorted(self.fired, key=lambda square: (square[1], square[0]))

    def figure_json(self, fig):
        item = {"id": fig.id, "side": self.side_id(fig.side), "type": fig.type}
        if fig.name is not None:
            item["name"] = fig.name
        if fig.commander:
            item["commander"] = True
        item.update(at=square_name(fig.at) if fig.at is not None else None, face=fig.face,
                    status=fig.status, rank=fig.rank)
        if fig.fell:
            item["fell"] = True
        if fig.left_by:
            item["left_by"] = fig.left_by
        return item

    def canonical(self):
        """The text that state_hash covers."""
        role = {None: "-", 0: "A", 1: "B"}
        over = "-"
        if self.over:
            none = "void" if self.over[1] == "void" else "draw"
            over = none if self.over[0] is None else role[self.over[0]]
        lines = ["skirmish-state 1 %d %s %s %d %d %s" % (
            self.turn, role[self.first], role[self.active], self.testing[0], self.testing[1], over)]
        for fig in self.figures:
            at = square_name(fig.at) if fig.at is not None else "-"
            status = "left-" + fig.left_by if fig.status == "left" else fig.status
            lines.append("%s %s %s %s %d %d" % (
                fig.id, at, fig.face or "-", status, fig.rank, fig.fell))
        lines.append(" ".join(["fired"] + [square_name(s) for s in self.fired_in_order()]))
        lines += ["wave %d %s" % item for item in sorted(self.wave_edge.items())]
        return "".join(line + "\n" for line in lines)

    def state_hash(self):
        return hashlib.sha256(self.canonical().encode("ascii")).hexdigest()


def in_front(fig, square):
    """R28: whether the touching square is one of the three ahead of the figure."""
    dx, dy = STEP[fig.face]
    return (square[0] - fig.at[0]) * dx + (square[1] - fig.at[1]) * dy > 0
