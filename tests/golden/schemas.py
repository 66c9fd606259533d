# SPDX-License-Identifier: ISC
"""The schemas themselves: sound, complete, true to the published cases, and with teeth: every
example of a message passes, and is refused once any member that it must have is taken away or is
of another type."""

import copy
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "ref"))

import jsonschema  # noqa: E402

import schema  # noqa: E402

HEX = "0123456789abcdef" * 4
MID = "0123456789abcdef" * 2
USER = {"name": "Moktar", "kind": "guest", "role": None}
CLOCK = {"kind": "live", "main_s": 900, "phase_s": 10}
READINGS = {"turning": "action", "melee": "after_both", "saves": "each", "volley": "front",
            "roster": "all"}
PLAYERS = {"red": "Anna", "blue": "Moktar"}
LEFT = {"red": 900000, "blue": 890000}
OVER = {"winner": "red", "reason": "eliminate"}
ROLL = {"n": 3, "seq": 9, "hash": HEX, "waiting": ["B"]}
RATING = {"rating": 1534, "deviation": 62, "games": 12}
ORDER = {"do": "move", "figures": ["r1"], "path": ["b3", "b4"], "face": "n"}
SCENARIO = {
    "format": 1, "id": "s", "title": "S", "author": "a", "summary": "s", "scale": "1in",
    "size": [4, 4], "ground": ["....", "wrB~", "...V", "...."], "heights": ["0000"] * 4,
    "obstacles": [{"kind": "wall", "edges": ["b2n"]}],
    "sides": [
        {"id": "red", "name": "Red", "home": "s", "win": [
            {"kind": "eliminate"}, {"kind": "kill", "figures": ["b1"]},
            {"kind": "exit", "figures": ["r1"], "edge": "n"},
            {"kind": "hold", "squares": ["c4"], "turn": 10}]},
        {"id": "blue", "name": "Blue", "home": "n", "limit_winner": True, "win": [
            {"kind": "survive", "turn": 9}, {"kind": "baseline"},
            {"kind": "reach", "figures": ["b1"], "squares": ["a1"]}]}],
    "figures": [
        {"id": "r1", "side": "red", "type": "regular", "at": "a1", "face": "n"},
        {"id": "b1", "side": "blue", "type": "irregular", "at": "d4", "face": "s"}],
    "waves": [
        {"side": "red", "turn": 2, "edge": "w", "figures": [{"id": "r2", "type": "mounted"}]},
        {"side": "red", "turn": 3, "squares": ["a1"], "figures": [{"id": "r3", "type": "wagon"}]},
        {"side": "blue", "turn": 3, "d6": {"1": "n", "2": "n", "3": "e", "4": "e", "5": "s",
                                           "6": "w"},
         "figures": [{"id": "b2", "type": "irregular"}]}],
    "readings": READINGS}
STATE = {
    "turn": 3, "first": "red", "active": "blue",
    "figures": [
        {"id": "r1", "side": "red", "type": "regular", "at": "c4", "face": "n", "status": "ready",
         "rank": 1},
        {"id": "r2", "side": "red", "type": "mounted", "at": None, "face": "e", "status": "left",
         "rank": 0, "left_by": "n"},
        {"id": "b1", "side": "blue", "type": "irregular", "at": None, "face": None,
         "status": "due", "rank": 0},
        {"id": "b2", "side": "blue", "type": "irregular", "at": "bl64", "face": "s",
         "status": "routing", "rank": 2, "fell": True}],
    "testing": ["blue"], "fired": ["c4"], "waves": [{"wave": 0, "edge": "w"}]}

ENTRIES = [
    {"kind": "opened", "match": MID, "no": 7, "scenario": "s", "scenario_hash": HEX,
     "readings": READINGS, "clock": CLOCK, "fair": "strict", "rated": True, "maker": "Anna",
     "side": "random", "anchor": HEX},
    {"kind": "joined", "player": "Moktar", "role": "B"},
    {"kind": "anchor", "role": "S", "generation": 1, "anchor": HEX},
    {"kind": "absent", "role": "B", "roll": 4},
    {"kind": "roll", "n": 1, "for": 0, "flags": 3, "s": HEX, "a": HEX, "b": None, "dice": [2, 6],
     "left": LEFT},
    {"kind": "started", "sides": PLAYERS},
    {"kind": "order", "side": "red", "order_id": "x", "order": ORDER, "left": LEFT},
    {"kind": "offer", "id": 1, "side": "red", "offer": "draw"},
    {"kind": "answer", "id": 1, "side": "blue", "accept": False},
    {"kind": "resign", "side": "red"},
    {"kind": "claim", "side": "red"},
    {"kind": "pause", "by": "red", "left": LEFT},
    {"kind": "resume", "by": "blue", "left": LEFT},
    {"kind": "presence", "side": "red", "online": False},
    {"kind": "umpire", "by": "Umpire_1", "act": "adjudicate", "winner": "red", "reason": "late"},
    {"kind": "initiative", "turn": 1, "dice": [[3, 3], [5, 2]], "first": "red"},
    {"kind": "phase", "turn": 1, "side": "red"},
    {"kind": "end_phase", "side": "red"},
    {"kind": "end_turn", "turn": 1},
    {"kind": "arrive", "side": "red", "wave": 0, "die": 3, "edge": "w",
     "figures": [{"figure": "r2", "at": "a2", "face": "e"}], "waiting": ["r3"]},
    {"kind": "morale", "figure": "r1", "die": 4, "bonus": 1, "result": "steady"},
    {"kind": "fall_back", "figure": "r1", "state": "rout", "from": "a1", "path": [], "face": "s",
     "left": True},
    {"kind": "move", "figures": ["r1"], "from": "b2", "path": ["b3"], "face": "n"},
    {"kind": "turn", "figures": ["r1"], "at": "b2", "face": "n"},
    {"kind": "undo", "undone": 12},
    {"kind": "volley", "square": "b2", "face": "n", "target": "b5", "range": 3, "to_hit": 4,
     "to_save": 5, "shots": [
         {"figure": "r1", "at": "b1", "die": 5, "hit": True, "save": 2, "killed": True},
         {"figure": "r2", "at": "b2", "die": 1, "hit": False},
         {"figure": "r3", "at": "b1"}]},
    {"kind": "melee", "dice": [{"figure": "r1", "die": 5}, {"figure": "b1", "die": 4}],
     "pairings": [{"a": "r1", "b": "b1", "total_a": 6, "total_b": 4}],
     "saves": [{"figure": "b1", "against": "r1", "die": 2, "saved": False}], "killed": ["b1"]},
    {"kind": "over", "winner": None, "reason": "draw", "left": LEFT},
]
for number, item in enumerate(ENTRIES):
    item.update({"seq": number + 1, "ts": 1767225600000})

EVENT = {"hash": HEX, "state_hash": None, "entry": ENTRIES[2]}
SUMMARY = {
    "match": MID, "no": 7, "state": "live", "scenario": "s", "title": "S", "maker": "Anna",
    "side": "red", "clock": CLOCK, "fair": "strict", "rated": True, "private": False,
    "watch": "all", "readings": READINGS, "spectators": 2, "ts": 1767225600000,
    "players": PLAYERS, "turn": 3, "active": "red"}
SYNC = {
    "match": MID, "no": 7, "scenario": "s", "scenario_hash": HEX, "readings": READINGS,
    "rated": True, "maker": "Anna", "players": PLAYERS, "role": "A", "side": "red",
    "state_seq": 3, "state_seq_hash": HEX, "state": STATE, "head": 4, "hash": HEX,
    "state_hash": HEX, "events": [EVENT], "clock": CLOCK, "fair": "strict",
    "dice": {"salt": HEX, "n": 2, "s": HEX, "a": HEX, "b": None,
             "generations": {"S": 0, "A": 0, "B": None}, "bases": {"S": 0, "A": 0, "B": None}},
    "roll": ROLL, "offers": [{"offer_id": 1, "side": "red", "offer": "undo"}]}
LOGIN = {"user": USER, "token": HEX}
RESULTS = {
    "session.hello": {
        "server": "skirmishd/0.1.0", "protocol": 1, "time_ms": 1767225600000,
        "limits": {"line": 4096, "line_login": 16384, "line_server": 262144, "depth": 8,
                   "members": 64, "values": 512, "chat": 400, "orders_phase": 1024}},
    "session.ping": {"time_ms": 1}, "session.guest": LOGIN, "session.register": LOGIN,
    "session.login": LOGIN, "session.resume": LOGIN, "session.password": {},
    "session.logout": {},
    "server.info": {"server": "skirmishd/0.1.0", "uptime_s": 3, "players": 2, "matches": 1,
                    "spectators": 0, "scenarios": 3},
    "scenario.list": {"scenarios": [
        {"id": "s", "title": "S", "scale": "1in", "size": [4, 4], "turns": 50,
         "sides": [{"id": "red", "name": "Red"}, {"id": "blue", "name": "Blue"}]}]},
    "scenario.get": {"scenario": SCENARIO},
    "lobby.list": {"matches": [SUMMARY], "next": 7},
    "lobby.follow": {"online": [USER]}, "lobby.unfollow": {},
    "match.mine": {"matches": [dict(SUMMARY, role="A", left=LEFT, roll=None, mine=True)]},
    "match.create": {"match": MID, "no": 7, "invite": "x"},
    "match.join": {"side": None}, "match.decline": {}, "match.cancel": {}, "match.anchor": {},
    "match.share": {}, "match.sync": SYNC, "match.watch": SYNC, "match.unwatch": {},
    "match.order": {"seq": 5},
    "match.legal": {
        "to": [{"at": "b3", "path": ["b3"], "crossing": True}], "exit": ["n"], "turn": True,
        "fire": [{"face": "n", "target": "b5", "range": 3,
                  "shots": [{"at": "b1", "hit": [1, 2], "kill": [1, 3]}]}],
        "why": [{"at": "b6", "rule": "R12"}]},
    "match.resign": {}, "match.claim": {}, "match.offer": {"offer_id": 1}, "match.answer": {},
    "match.chat": {}, "chat.mute": {},
    "match.record": {"lines": ["{\"record\":1}"], "next": "1"},
    "player.get": {"player": {
        "name": "Anna", "kind": "member", "role": "umpire", "online": True, "rating": RATING,
        "games": 12, "won": 5, "lost": 6, "drawn": 1, "setups_owed": {"Moktar": 1},
        "left_behind": {}, "history": [{"ts": 1, "rating": 1500}]}},
    "player.list": {"players": [{"rank": 1, "name": "Anna", "rating": 1534, "deviation": 62,
                                 "games": 12, "online": False}], "next": 1},
    "player.matches": {"matches": [dict(SUMMARY, state="over", over=OVER)]},
    "player.vacation": {"until_ms": 1, "days_left": 20}, "match.umpire": {},
}
NOTIFICATIONS = {
    "server.welcome": [{"server": "skirmishd/0.1.0", "protocol": 1, "tls": False, "motd": ""}],
    "server.notice": [{"text": "back at nine"}],
    "server.ping": [{"time_ms": 1}],
    "server.closing": [{"in_s": 0, "reason": "shutdown"}],
    "lobby.event": [{"kind": "match", "match": MID, "summary": SUMMARY},
                    {"kind": "gone", "match": MID}, {"kind": "online", "user": USER},
                    {"kind": "offline", "user": USER}],
    "match.event": [dict(EVENT, match=MID, entry=entry) for entry in ENTRIES],
    "match.roll_request": [{"match": MID, "roll": 1, "seq": 0, "hash": HEX}],
    "match.resync": [{"match": MID}],
    "match.presence": [{"match": MID, "spectators": 1, "seats": [
        {"role": "A", "side": "red", "player": "Anna", "online": False, "away_ms": 900}]}],
    "match.clock": [{"match": MID, "left": LEFT, "running": None, "paused": True}],
    "match.chat": [{"match": MID, "from": "Anna", "to": "all", "text": "hello", "ts": 1}],
}
ERRORS = [
    ("parse", -32700, {}), ("invalid", -32600, {}), ("method", -32601, {}),
    ("params", -32602, {"field": "order.path"}), ("internal", -32603, {}), ("auth", 1, {}),
    ("denied", 2, {}), ("not_found", 3, {}), ("conflict", 4, {}), ("phase", 5, {}),
    ("turn", 6, {}), ("illegal", 7, {"rule": "R13"}), ("stale", 8, {"head": 9}),
    ("rate", 9, {"retry_ms": 100}), ("busy", 10, {}), ("storage", 11, {}), ("dice", 12, {}),
    ("version", 13, {})]
# What the examples hold that may be absent; all else must be there.
OPTIONAL = set("""
    arrive:die order:left order:order.face over:left pause:left resume:left roll:left umpire:winner
    lobby.list:next match.create:invite match.legal:to.crossing match.record:next player.list:next
    match.presence:seats.away_ms match.presence:seats.side
    match.sync:roll match.sync:side match.sync:state.figures.fell match.sync:state.waves
    match.watch:roll match.watch:side match.watch:state.figures.fell match.watch:state.waves
    player.get:player.setups_owed.Moktar
    player.matches:matches.active player.matches:matches.players player.matches:matches.turn
    scenario.get:scenario.heights scenario.get:scenario.obstacles scenario.get:scenario.waves
    scenario.get:scenario.readings scenario.get:scenario.readings.turning
    scenario.get:scenario.readings.melee scenario.get:scenario.readings.saves
    scenario.get:scenario.readings.volley scenario.get:scenario.readings.roster
    scenario.get:scenario.sides.limit_winner scenario.get:scenario.sides.win
    scenario.get:scenario.sides.win.turn
    """.split())


def passes(check, *args):
    try:
        check(*args)
    except schema.SchemaError:
        return False
    return True


def paths(value, here=()):
    """Every member of every object in value, as a path."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield here + (name,)
            yield from paths(member, here + (name,))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from paths(member, here + (index,))


def changed(value, path, new, drop=False):
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    if drop:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return value


def plain(path):
    """A member's path without the indices."""
    return ".".join(step for step in path if isinstance(step, str))


def bite(what, value, check):
    """The example passes; no member can be of a wrong type, none that is due can be absent."""
    check(value)
    wrong = []
    for path in paths(value):
        name = "%s:%s" % (what, plain(path))
        if passes(check, changed(value, path, [1.5])):
            wrong.append("%s may be of any type" % name)
        may_be_absent = passes(check, changed(value, path, None, drop=True))
        if may_be_absent and name not in OPTIONAL and not name.startswith("match.event:entry."):
            wrong.append("%s may be absent" % name)
    if wrong:
        raise AssertionError("; ".join(wrong))
    return 1


def metaschemas():
    for name in sorted(os.listdir(schema.SCHEMA_DIR)):
        jsonschema.Draft202012Validator.check_schema(schema.document(name))
        schema.resolve(name, "")
        for definition in schema.document(name).get("$defs", {}):
            schema.resolve(name, "/$defs/" + definition)


def everything_is_there():
    methods = {name for name in schema.document("request.json")["$defs"] if "." in name}
    results = {name for name in schema.document("server.json")["$defs"]
               if "." in name and not name.startswith("notification.")}
    assert methods == results == set(RESULTS), methods ^ results ^ set(RESULTS)
    notified = schema.document("server.json")["$defs"]["notification_shape"]
    notified = set(notified["properties"]["method"]["enum"])
    assert notified == set(NOTIFICATIONS)
    assert all(schema.defines("server.json", "notification." + name) for name in notified)
    kinds = schema.document("entry.json")["$defs"]
    named = set(kinds["head"]["properties"]["kind"]["enum"])
    assert named == set(kinds) - {"head"} == {entry["kind"] for entry in ENTRIES}


def examples_pass_and_bite():
    count = 0
    for method, result in RESULTS.items():
        count += bite(method, result,
                      lambda value: schema.check(value, "server.json", "/$defs/" + method))
    for method, examples in NOTIFICATIONS.items():
        for params in examples:
            count += bite(method, params, lambda value: schema.check(
                value, "server.json", "/$defs/notification." + method))
    for entry in ENTRIES:
        count += bite(entry["kind"], entry, schema.check_entry)
        schema.check(entry, "entry.json")
    for reason, code, data in ERRORS:
        error = {"code": code, "message": "words", "data": dict(data, reason=reason)}
        count += bite(reason, {"id": 1, "error": error}, lambda value: schema.check(
            value, "server.json", "/$defs/error_response"))
        assert not passes(schema.check, dict(error, code=code + 1), "server.json", "/$defs/error")
    return count


def line(**members):
    return schema.compact(dict({"jsonrpc": "2.0"}, **members)) + "\n"


def the_checker_follows_a_connection():
    checker = schema.Checker()
    check = checker.check_server_line
    assert not passes(schema.Checker().check_server_line, line(id=1, result={}))
    check(line(method="server.welcome", params=NOTIFICATIONS["server.welcome"][0]).encode())
    assert not passes(check, line(method="server.welcome",
                                  params=NOTIFICATIONS["server.welcome"][0]))
    for number, (method, result) in enumerate(RESULTS.items()):
        checker.note_request(line(id=number, method=method, params={}))
        assert not passes(check, line(id=str(number), result=result)), "another id"
        check(line(id=number, result=result))
        assert not passes(check, line(id=number, result=result)), "answered twice"
        schema.check(json.loads(line(id=number, result=result)), "server.json")
    for method, examples in NOTIFICATIONS.items():
        for params in examples:
            if method != "server.welcome":
                check(line(method=method, params=params))
                schema.check(json.loads(line(method=method, params=params)), "server.json")
    checker.note_request(line(id="a", method="match.order", params={}))
    check(line(id="a", error={"code": 6, "message": "not your turn", "data": {"reason": "turn"}}))
    check(line(id=None, error={"code": -32700, "message": "no", "data": {"reason": "parse"}}))
    assert checker.note_request("nonsense") is None and checker.waiting == {}
    for bad in ('{"jsonrpc":"2.0","method":"server.ping","params":{"time_ms":1.0}}\n',
                '{"jsonrpc":"2.0","method":"server.ping","params":{"time_ms":1,"time_ms":1}}\n',
                '{"jsonrpc":"2.0","method":"server.pong","params":{}}\n',
                '{"jsonrpc":"2.0","method":"match.event","params":{}}\n',
                b'{"jsonrpc":"2.0","method":"server.notice","params":{"text":"\xff"}}\n', "[]\n"):
        assert not passes(check, bad), bad
    assert checker.counts["entry.volley"] == 1 and checker.counts["error.turn"] == 1
    schema.check_request(line(id=1, method="match.order", params={
        "match": MID, "order_id": "a", "base": 4, "order": ORDER}))
    assert not passes(schema.check_request, line(id=1, method="match.order", params={"match": MID}))


def published_cases_fit():
    cases = os.environ.get("SK_CASES") or os.path.join(HERE, "..", "..", "..", "shared", "cases")
    files = sorted(glob.glob(os.path.join(cases, "rules", "*.json")))
    for name in files:
        with open(name, encoding="utf-8") as file:
            case = json.load(file)
        schema.check(case["scenario"], "scenario.json", "", name)
        for event in case["expect"]:
            if event["kind"] == "state":
                schema.check(event, "state.json", "", name)
            elif event["kind"] not in ("refused", "dice_wanted"):
                schema.check_play_event(event, name)
        for order in case["orders"]:
            schema.check(order, "order.json", "", name)
    print("%d published cases%s" % (len(files), "" if files else ": skipped, they aren't here"))


def shipped_scenarios_fit():
    for name in sorted(glob.glob(os.path.join(schema.SCHEMA_DIR, "../../common/scenarios/*.json"))):
        with open(name, encoding="utf-8") as file:
            schema.check(json.load(file), "scenario.json", "", name)


def main():
    metaschemas()
    everything_is_there()
    print("%d examples" % examples_pass_and_bite())
    the_checker_follows_a_connection()
    published_cases_fit()
    shipped_scenarios_fit()


if __name__ == "__main__":
    main()
