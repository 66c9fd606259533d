#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 300
"""Every method, every field, boundary values: driven by proto/schema/request.json, which is also
the oracle.

What the schema doesn't allow is refused as `params` with the field, what JSON or the wire's limits
don't allow as `parse`; everything else gets a result or a reason of the protocol's. Nothing is ever
`internal`, unanswered, answered twice, or felt by another connection; paths and other people's
syntax are data.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import jsonschema  # noqa: E402
from lib_wire import CODES, Failure, Refusal, equal, need, run  # noqa: E402
from schema import document, resolve  # noqa: E402

HEX = "0123456789abcdef" * 4
SAMPLES = {
    "protocol": 1, "client": "test/1", "name": "Nobody", "password": "long enough",
    "email": "a@b.example", "invite": "code", "old": "long enough", "new": "longer still",
    "all": False, "token": HEX, "next": HEX[::-1], "id": "first-blood", "state": "open",
    "limit": 10, "before": 5, "scenario": "first-blood", "side": "random",
    "clock": {"kind": "live", "main_s": 600, "phase_s": 5}, "rated": False, "fair": "server",
    "private": False, "opponent": "Nobody", "watch": "all", "readings": {"turning": "free"},
    "rematch_of": 1, "match": 1, "generation": 0, "anchor": HEX, "roll": 1, "share": HEX,
    "after": 0, "order_id": "o1", "base": 0, "figure": "r1", "offer": "draw", "offer_id": 1,
    "order": {"do": "move", "figures": ["r1"], "path": ["b3", "b4"], "face": "n"},
    "accept": True, "to": "all", "text": "hello", "player": "Nobody", "on": True, "days": 0,
    "act": "pause", "reason": "because", "winner": "red", "against": "Nobody", "delay": 1,
    "max_spectators": 5}

NUMBERS = [0, 1, -1, 2, 99, 100, 101, 255, 256, 366, 367, 65535, 65536, 2**31 - 1, 2**31,
           2**32 - 1, 2**32, 2**53 - 1, 2**53, -2**53, -2**31]
TEXTS = ["", " ", "a", "ab", "abc", "a" * 20, "a" * 21, "a" * 32, "a" * 33, "a" * 256, "a" * 257,
         "a" * 400, "a" * 401, "A", "r1", "b3", "b04", "zz99", "n", "nn", "../../etc/passwd",
         "..", "/", "C:\\", "%n%s%x", "'; drop table users; --", "<b>", "null", "true", "-0",
         "\x7f", "\t", "\n", "é", "日本語", "😀", "a\u0301", "\u202eabc", "\u200b", "\ufeff",
         "\U0010ffff", HEX, HEX.upper(), HEX[:-1], HEX + "0", HEX[:32], HEX[:31], "0" * 32]
OTHERS = [None, True, False, [], {}, [[]], [{}], {"a": 1}, ["r1"], ["r1", "r1"], ["r1"] * 64,
          ["b3"] * 6, {"kind": "none"}, {"kind": "live"}, {"kind": "live", "main_s": -1},
          {"kind": "correspondence", "days": 31}, {"do": "undo"}, {"do": "nothing"},
          {"do": "fire", "square": "c4"}, {"do": "end_phase", "extra": [1]}]
VALUES = NUMBERS + TEXTS + OTHERS
# as they stand in a line: refused before anybody looks at a field
RAW = ["1.0", "1e2", "01", "-", "1.", ".5", "+1", "0x10", "NaN", "Infinity", str(2**53 + 1),
       str(-2**53 - 1), "1" * 400, '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\x01"', "'a'",
       "tru", "[1,]", '{"a":1,"a":2}', "[[[[[[[1]]]]]]]", "{", "[" + "0," * 600 + "0]"]


def methods(server):
    """Those that the schema has and this server knows."""
    conn = server.connect()
    conn.guest("Asker")
    names = [name for name in document("request.json")["$defs"] if "." in name]
    known = []
    for name in names:
        conn.send_line('{"jsonrpc":"2.0","id":"m","method":"%s","params":[]}' % name)
        try:
            conn.reply("m")
        except Refusal as refusal:
            if refusal.reason != "method":
                known.append(name)
    if known != names:
        print("not known here: %s" % " ".join(sorted(set(names) - set(known))))
    conn.close()
    return known


def sound(method):
    """Parameters that the schema allows, every field of it there."""
    shape = resolve("request.json", "/$defs/" + method)
    params = {}
    for part in [shape, *shape.get("allOf", [])]:
        for field, kind in part.get("properties", {}).items():
            params[field] = SAMPLES[field]
            if not jsonschema.Draft202012Validator(kind).is_valid(params[field]):
                params[field] = str(params[field])
    return params


def paths(params):
    """Every place in the parameters: the fields, and the members of those that are objects."""
    for field, value in params.items():
        yield (field,)
        if isinstance(value, dict):
            yield from ((field, inner) for inner in value)


def changed(params, path, value):
    out = json.loads(json.dumps(params))
    node = out
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return out


class Caller:
    """A connection where the method has a chance to be looked at, made again when it is gone."""

    def __init__(self, server, method):
        self.server, self.method = server, method
        self.conn, self.bad, self.number = None, 0, 0
        self.checker = jsonschema.Draft202012Validator(resolve("request.json", "/$defs/" + method))

    def ready(self):
        if self.conn is not None and not self.conn.closed:
            return
        self.conn, self.bad = self.server.connect(), 0
        if self.method != "session.hello":
            self.conn.hello()
        if self.method.split(".")[0] not in ("session", "server", "scenario") or \
                self.method in ("session.logout", "session.password"):
            self.conn.call("session.guest")

    def ask(self, text):
        """The error's reason and field of a line with these params, or (None, None)."""
        self.ready()
        self.number += 1
        number = "q%d" % self.number
        self.conn.checker.note_request('{"id":"%s","method":"%s"}' % (number, self.method))
        self.conn.send_raw(('{"jsonrpc":"2.0","id":"%s","method":"%s","params":%s}\n' % (
            number, self.method, text)).encode("utf-8", "surrogatepass"))
        self.conn.wait(lambda: number in self.conn.replies or None in self.conn.replies, text[:200])
        reply = self.conn.replies.pop(number, None) or self.conn.replies.pop(None)
        error = reply.get("error")
        if self.method in ("session.hello", "session.guest", "session.resume", "session.logout",
                           "session.register", "session.login") and error is None:
            self.conn.close()  # it is somewhere else now
        if error is None:
            return None, None
        need(error["data"]["reason"] in CODES, error)
        need(error["data"]["reason"] != "internal", "%s %s: %s" % (self.method, text, error))
        if error["data"]["reason"] == "parse":
            self.bad += 1
            if self.bad == 10:
                self.conn.wait_closed()
        return error["data"]["reason"], error["data"].get("field")

    def check(self, params, path):
        reason, field = self.ask(json.dumps(params, ensure_ascii=False))
        if reason == "version":
            need(params["protocol"] != 1, params)
        elif path[0] == "order" and reason == "not_found":
            pass  # an order is read with its match's scenario at hand: refusals.py has a match
        elif not self.checker.is_valid(params):
            equal(reason, "params", "%s with %s = %.200r" % (self.method, ".".join(path), params))
            need(field and (field.split(".")[0] == path[0] or path == ("",)),
                 "%s names the field %r, not %r" % (self.method, field, path))

    def end(self):
        if self.conn is not None:
            self.conn.close()


def slow(method):
    """Each call costs a password's hash: a few of the values will do."""
    return method in ("session.login", "session.register")


def every_field(server):
    watch = server.connect()
    watch.guest("Watch")
    tried = 0
    for method in methods(server):
        caller, params = Caller(server, method), sound(method)
        need(caller.checker.is_valid(params), "the sample of %s: %s" % (method, params))
        for path in paths(params):
            for value in VALUES:
                given = changed(params, path, value)
                if slow(method) and caller.checker.is_valid(given) and tried % 7:
                    tried += 1
                    continue
                caller.check(given, path)
                tried += 1
        caller.end()
        watch.call("session.ping")
    print("%d calls" % tried)
    need(tried > 5000, "too few")


def missing_and_extra(server):
    for method in methods(server):
        caller, params = Caller(server, method), sound(method)
        for field in params:
            less = {name: value for name, value in params.items() if name != field}
            caller.check(less, (field,))
        if not slow(method):
            caller.check(dict(params, extra={"a": [1, "b", None]}, __proto__=1), ("",))
        for text in ("[]", '"x"', "1", "null", "true"):
            reason, _ = caller.ask(text)
            equal(reason, "params", "%s with params %s" % (method, text))
        caller.end()


def not_json(server):
    """Refused before the method is looked at, and counted: the tenth closes."""
    for method in methods(server):
        caller, params = Caller(server, method), sound(method)
        for field in list(params)[:2] or ["x"]:
            for raw in RAW:
                text = json.dumps(dict(params, **{field: "@@"})).replace('"@@"', raw)
                reason, _ = caller.ask(text)
                equal(reason, "parse", "%s with %s = %.60s" % (method, field, raw))
        caller.end()


def many_at_random(server):
    """Several fields wrong at once."""
    seed = int(os.environ.get("SK_SEED", "7"))
    rng = random.Random(seed)
    for method in methods(server):
        if slow(method):
            continue
        caller, params = Caller(server, method), sound(method)
        for _ in range(60):
            given = {f: rng.choice(VALUES) if rng.random() < 0.5 else v for f, v in params.items()}
            reason, _ = caller.ask(json.dumps(given))
            late = ("not_found",) if method == "match.order" else ()  # see check()
            if not caller.checker.is_valid(given) and reason not in ("params", "version", *late):
                raise Failure("seed %d: %s %s: %s" % (seed, method, given, reason))
        caller.end()


TESTS = [every_field, missing_and_extra, not_json, many_at_random]

if __name__ == "__main__":
    run(TESTS)
