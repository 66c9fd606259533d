# SPDX-License-Identifier: ISC
"""Checks of a scenario file (protocol, "Scenario files") for the reference rules.

check(obj) returns None for a sound scenario, else one string: where, what is wrong,
what would be right. Written from the documents alone, independently of the C reader.
"""
import re

SOLDIERS = ("irregular", "regular", "mounted")
TYPES = SOLDIERS + ("civilian", "wagon")
EDGES = ("n", "e", "s", "w")
STEP = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}
GROUND = ".wrB~V"
IMPASSABLE = "B~V"
READINGS = {
    "turning": ("action", "free"),
    "melee": ("after_both", "after_each"),
    "saves": ("each", "one"),
    "volley": ("front", "all"),
    "roster": ("all", "arrived"),
}
OBSTACLES = ("wall", "fence", "stream", "barricade")
MAX_FIGURES = 256
MAX_TURNS = 999
ID_RE = re.compile(r"[a-z0-9-]{1,32}\Z")
SQUARE_RE = re.compile(r"([a-z]|[a-b][a-z])([1-9][0-9]?)\Z")


class Bad(Exception):
    """A scenario that isn't sound; the text says where, what and what would be right."""


def parse_square(text):
    """R1: 'c4' -> (2, 3), None where the text names no square of the largest board."""
    match = SQUARE_RE.match(text) if isinstance(text, str) else None
    if not match:
        return None
    letters, number = match.groups()
    col = ord(letters[-1]) - 97
    if len(letters) == 2:
        col += 26 * (ord(letters[0]) - 96)
    row = int(number) - 1
    return (col, row) if col < 64 and row < 64 else None


def square_name(square):
    """R1: (2, 3) -> 'c4'."""
    col, row = square
    letters = chr(97 + col) if col < 26 else chr(96 + col // 26) + chr(97 + col % 26)
    return letters + str(row + 1)


def need(truth, where, wrong, right):
    if not truth:
        raise Bad("%s: %s; %s" % (where, wrong, right))


def is_int(value, low, high):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check_id(value, where):
    need(isinstance(value, str) and ID_RE.match(value), where, "bad id", "1 to 32 of a-z 0-9 -")


class Checker:
    def __init__(self, obj):
        self.obj = obj
        self.held = {}  # square -> [side, type, count]
        self.owner = {}  # figure id -> side id
        self.soldiers = {}

    def run(self):
        obj = self.obj
        need(isinstance(obj, dict), "scenario", "not an object", "one JSON object")
        need(is_int(obj.get("format"), 1, 1), "format", "unknown", "1")
        check_id(obj.get("id"), "id")
        for name in ("title", "author", "summary"):
            need(isinstance(obj.get(name), str), name, "missing or no string", "a string")
        need(obj.get("scale") in ("1in", "3in"), "scale", "unknown", "1in or 3in")
        self.check_numbers()
        self.check_ground()
        self.check_obstacles()
        self.check_readings()
        self.check_sides()
        self.check_figures()
        self.check_waves()
        for side in self.side_ids:
            need(self.soldiers[side] > 0, "figures", "no soldier of " + side, "one at least")
        need(len(self.owner) <= MAX_FIGURES, "figures", "too many", "up to 256")
        for index, side in enumerate(obj["sides"]):
            self.check_win(side, "sides[%d].win" % index)

    def check_numbers(self):
        obj = self.obj
        size = obj.get("size")
        ok = isinstance(size, list) and len(size) == 2 and all(is_int(v, 4, 64) for v in size)
        need(ok, "size", "bad", "[w, h], each 4 to 64")
        self.w, self.h = size
        self.turns = obj.get("turns", 50)
        need(is_int(self.turns, 1, MAX_TURNS), "turns", "bad", "1 to %d" % MAX_TURNS)
        need(is_int(obj.get("stack", 6), 1, 9), "stack", "bad", "1 to 9")
        self.stack = obj.get("stack", 6) if obj["scale"] == "3in" else 1

    def check_ground(self):
        for name, allowed in (("ground", GROUND), ("heights", "0123456789")):
            rows = self.obj.get(name)
            if rows is None and name == "heights" and name not in self.obj:
                continue
            need(isinstance(rows, list) and len(rows) == self.h, name, "bad", "%d rows" % self.h)
            for i, row in enumerate(rows):
                ok = isinstance(row, str) and len(row) == self.w and all(c in allowed for c in row)
                need(ok, "%s[%d]" % (name, i), "bad", "%d of %s" % (self.w, allowed))

    def ground(self, square):
        return self.obj["ground"][self.h - 1 - square[1]][square[0]]

    def on_board(self, square):
        return square is not None and 0 <= square[0] < self.w and 0 <= square[1] < self.h

    def check_obstacles(self):
        items = self.obj.get("obstacles", [])
        need(isinstance(items, list), "obstacles", "no list", "a list")
        for i, item in enumerate(items):
            where = "obstacles[%d]" % i
            need(isinstance(item, dict), where, "no object", "an object")
            need(item.get("kind") in OBSTACLES, where, "unknown kind", "/".join(OBSTACLES))
            edges = item.get("edges")
            need(isinstance(edges, list), where, "no edges", "a list like c4n")
            for edge in edges:
                ok = isinstance(edge, str) and edge[-1:] in EDGES
                square = parse_square(edge[:-1]) if ok else None
                need(self.on_board(square), where, "bad edge", "a square and n, e, s or w")
                dx, dy = STEP[edge[-1]]
                other = (square[0] + dx, square[1] + dy)
                need(self.on_board(other), where, "edge of the board", "between two squares (R4)")

    def check_readings(self):
        readings = self.obj.get("readings", {})
        need(isinstance(readings, dict), "readings", "no object", "an object")
        for name, values in READINGS.items():  # unknown members are ignored
            value = readings.get(name, values[0])
            need(value in values, "readings." + name, "unknown", "/".join(values))

    def check_sides(self):
        sides = self.obj.get("sides")
        need(isinstance(sides, list) and len(sides) == 2, "sides", "bad", "exactly two")
        for i, side in enumerate(sides):
            where = "sides[%d]" % i
            need(isinstance(side, dict), where, "no object", "an object")
            check_id(side.get("id"), where)
            need(isinstance(side.get("name"), str), where, "no name", "a string")
            need(side.get("home") in EDGES, where, "bad home", "n, e, s or w")
            need(isinstance(side.get("limit_winner", False), bool), where, "limit_winner", "true")
        self.side_ids = [side["id"] for side in sides]
        need(self.side_ids[0] != self.side_ids[1], "sides", "same id twice", "two ids")
        both = all(side.get("limit_winner", False) for side in sides)
        need(not both, "sides", "two limit_winner", "one at most")
        self.soldiers = {side: 0 for side in self.side_ids}

    def check_person(self, item, side, where):
        need(isinstance(item, dict), where, "no object", "an object")
        check_id(item.get("id"), where)
        need(item["id"] not in self.owner, where, "id twice: " + item["id"], "its own id")
        need(item.get("type") in TYPES, where, "unknown type", "/".join(TYPES))
        need(isinstance(item.get("name", ""), str), where, "bad name", "a string")
        commander = item.get("commander", False)
        need(isinstance(commander, bool), where, "bad commander", "true or false")
        ok = not commander or item["type"] in SOLDIERS
        need(ok, where, "no soldier can't command", "a soldier (R6)")
        self.owner[item["id"]] = side
        if item["type"] in SOLDIERS:
            self.soldiers[side] += 1

    def check_figures(self):
        figures = self.obj.get("figures")
        need(isinstance(figures, list), "figures", "no list", "a list")
        for i, item in enumerate(figures):
            where = "figures[%d]" % i
            need(isinstance(item, dict), where, "no object", "an object")
            need(item.get("side") in self.side_ids, where, "unknown side", "/".join(self.side_ids))
            self.check_person(item, item["side"], where)
            need(item.get("face") in EDGES, where, "bad face", "n, e, s or w")
            square = parse_square(item.get("at"))
            need(self.on_board(square), where, "off the board", "a square of it")
            need(self.ground(square) not in IMPASSABLE, where, "impassable ground", "R3")
            self.stand(square, item, where)

    def stand(self, square, item, where):
        side, kind, count = self.held.get(square, (item["side"], item["type"], 0))
        need(side == item["side"], where, "enemies in one square", "one side (R2)")
        alone = count == 0 or "wagon" not in (kind, item["type"])
        need(alone, where, "wagon not alone", "a square to itself (R17)")
        need(count < self.stack, where, "too many in a square", "up to %d (R2)" % self.stack)
        self.held[square] = (side, item["type"] if count == 0 else kind, count + 1)

    def check_squares(self, squares, where):
        need(isinstance(squares, list) and squares, where, "no squares", "a list of squares")
        for square in squares:
            need(self.on_board(parse_square(square)), where, "off the board", "squares of it")

    def check_waves(self):
        waves = self.obj.get("waves", [])
        need(isinstance(waves, list), "waves", "no list", "a list")
        for i, wave in enumerate(waves):
            where = "waves[%d]" % i
            need(isinstance(wave, dict), where, "no object", "an object")
            need(wave.get("side") in self.side_ids, where, "unknown side", "/".join(self.side_ids))
            ok = is_int(wave.get("turn"), 1, self.turns)
            need(ok, where, "bad turn", "1 to the turn limit %d" % self.turns)
            self.check_entry(wave, where)
            figures = wave.get("figures")
            need(isinstance(figures, list) and figures, where, "no figures", "a list")
            for item in figures:
                self.check_person(item, wave["side"], where)

    def check_entry(self, wave, where):
        given = [name for name in ("squares", "edge", "d6") if name in wave]
        need(len(given) == 1, where, "bad entry", "one of squares, edge, d6")
        if given == ["squares"]:
            self.check_squares(wave["squares"], where)
        elif given == ["edge"]:
            need(wave["edge"] in EDGES, where, "bad edge", "n, e, s or w")
        else:
            table = wave["d6"]
            ok = isinstance(table, dict) and all(table.get(face) in EDGES for face in "123456")
            need(ok, where, "bad d6", "1 to 6 to edges")

    def check_named(self, item, where):
        figures = item.get("figures")
        need(isinstance(figures, list) and figures, where, "no figures", "a list of ids")
        for name in figures:
            known = isinstance(name, str) and name in self.owner
            need(known, where, "unknown figure", "an id of the scenario")
        need(len(set(figures)) == len(figures), where, "figure twice", "each once")

    def check_win(self, side, where):
        items = side.get("win", [])
        need(isinstance(items, list), where, "no list", "a list")
        for item in items:
            need(isinstance(item, dict), where, "no object", "an object")
            kind = item.get("kind")
            known = ("eliminate", "kill", "exit", "hold", "baseline", "survive", "reach")
            need(kind in known, where, "unknown kind", "/".join(known))
            if kind in ("kill", "exit", "reach"):
                self.check_named(item, where)
            if kind in ("hold", "reach"):
                self.check_squares(item.get("squares"), where)
            if kind == "survive" or (kind == "hold" and "turn" in item):
                need(is_int(item.get("turn"), 1, MAX_TURNS), where, "bad turn", "a turn")
            if kind == "exit":
                need(item.get("edge") in EDGES, where, "bad edge", "n, e, s or w")
                count = item.get("count", len(item["figures"]))
                need(is_int(count, 1, len(item["figures"])), where, "bad count", "1 to the figures")


def check(obj):
    """None where the scenario is sound, else what is wrong."""
    try:
        Checker(obj).run()
    except Bad as bad:
        return str(bad)
    return None
