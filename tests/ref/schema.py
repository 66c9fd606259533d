# SPDX-License-Identifier: ISC
"""The schemas of proto/schema, held against real lines.

    checker = Checker()
    checker.note_request(line)        # each line that a client sends
    checker.check_server_line(line)   # each line that comes back: returns the message

A line that isn't what proto/schema says raises SchemaError with the place and the reason. One
Checker serves one connection: it knows the method of an id from the request noted.
"""

import functools
import json
import os

import jsonschema

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA_DIR = os.path.join(
    os.environ.get("SK_SRC", os.path.join(HERE, "..", "..")), "proto", "schema")
LINE_MAX = 256 * 1024
INT_MAX = 2 ** 53


class SchemaError(Exception):
    """A line isn't what the schemas say."""


@functools.lru_cache(maxsize=None)
def document(name):
    """A schema file as it stands."""
    with open(os.path.join(SCHEMA_DIR, name), encoding="utf-8") as file:
        return json.load(file)


@functools.lru_cache(maxsize=None)
def resolve(name, pointer):
    """The schema at `pointer` ("" or "/$defs/x") of a file, with every $ref replaced by what it
    names. The schemas don't recurse, and so no jsonschema version's resolver is needed."""
    node = document(name)
    for step in pointer.split("/")[1:]:
        if step not in node:
            raise KeyError("%s has no %s" % (name, pointer))
        node = node[step]
    return expand(node, name)


def expand(node, name):
    if isinstance(node, list):
        return [expand(item, name) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: expand(value, name) for key, value in node.items()
           if key not in ("$ref", "$defs", "$schema", "$comment")}
    if "$ref" not in node:
        return out
    file, _, pointer = node["$ref"].partition("#")
    target = resolve(file or name, pointer)
    if not set(out) - {"description", "title"}:
        return target
    out["allOf"] = [target] + out.get("allOf", [])
    return out


@functools.lru_cache(maxsize=None)
def validator(name, pointer=""):
    schema = resolve(name, pointer)
    return jsonschema.Draft202012Validator(schema)


def place(error):
    return "".join("[%d]" % p if isinstance(p, int) else "." + p for p in error.absolute_path)


def explain(error):
    """The innermost reason: of a oneOf, the branch that came furthest."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.absolute_path), -len(e.schema_path)))
    return "%s: %s" % (place(error) or ".", error.message[:300])


def check(value, name, pointer="", what=""):
    """Raise SchemaError unless `value` fits a schema: check(state, "state.json")."""
    for error in validator(name, pointer).iter_errors(value):
        raise SchemaError("%s against %s%s at %s" % (what or "value", name, pointer, explain(error)))


def defines(name, definition):
    return definition in document(name)["$defs"]


def no_float(text):
    raise SchemaError("a number that is no integer: %s" % text)


def wire_int(text):
    if abs(int(text)) > INT_MAX:
        raise SchemaError("an integer beyond 2^53: %s" % text)
    return int(text)


def no_twice(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise SchemaError("a name twice in one object: %s" % [name for name, _ in pairs])
    return members


def parse(line):
    """One strict line of the wire (bytes or text, its end allowed) as a Python value."""
    if isinstance(line, bytes):
        try:
            line = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SchemaError("not UTF-8: %s" % error) from error
    line = line.rstrip("\r\n")
    try:
        return json.loads(line, parse_float=no_float, parse_int=wire_int,
                          parse_constant=no_float, object_pairs_hook=no_twice)
    except ValueError as error:
        raise SchemaError("not JSON: %s: %.200r" % (error, line)) from error


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_entry(entry, what="entry"):
    """A journal entry, kind by kind (quicker and clearer than entry.json as a whole)."""
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or not defines("entry.json", kind):
        raise SchemaError("%s of no known kind: %.200r" % (what, entry))
    check(entry, "entry.json", "/$defs/head", "%s %s" % (what, kind))
    check(entry, "entry.json", "/$defs/" + kind, "%s %s" % (what, kind))
    line = compact(entry)
    if any(ord(c) < 0x20 for c in line):
        raise SchemaError("%s %s holds a control character" % (what, kind))


def check_play_event(event, what="event"):
    """An event of play as adjudicate prints it: no seq, no ts."""
    if not defines("entry.json", str(event.get("kind"))):
        raise SchemaError("%s of no known kind: %.200r" % (what, event))
    check(event, "entry.json", "/$defs/" + event["kind"], "%s %s" % (what, event["kind"]))


def check_request(line):
    """A client's own line is right in shape, params included. Returns the message."""
    message = parse(line)
    check(message, "request.json", "", "request")
    method = message["method"]
    if not defines("request.json", method):
        raise SchemaError("request of unknown method %s" % method)
    check(message.get("params", {}), "request.json", "/$defs/" + method, "params of " + method)
    return message


class Checker:
    """What came over one connection, held against the schemas."""

    def __init__(self):
        self.waiting = {}  # id -> method, of requests not yet answered
        self.welcomed = False
        self.counts = {}  # what was checked how often, for tests that want to have seen it

    def note_request(self, line):
        """Remember the method of the line's id. A line that isn't a request is passed over: what
        it gets is an error, which needs no method. Returns the message, or None."""
        try:
            message = parse(line)
        except SchemaError:
            return None
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return None
        request_id = message.get("id")
        if isinstance(request_id, bool) or not isinstance(request_id, (int, str)):
            return None
        if request_id in self.waiting:
            raise SchemaError("request id %r is in use" % (request_id,))
        self.waiting[request_id] = message["method"]
        return message

    def check_server_line(self, line):
        """The message of a line from the server, checked. Raises SchemaError."""
        if len(line) > LINE_MAX + 2:
            raise SchemaError("a line of %d bytes" % len(line))
        message = parse(line)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise SchemaError("not a JSON-RPC object: %.200r" % (line,))
        try:
            self.dispatch(message)
        except SchemaError as error:
            raise SchemaError("%s\n  in %.2000s" % (error, compact(message))) from error
        return message

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def dispatch(self, message):
        first = not self.welcomed
        self.welcomed = True
        if first != (message.get("method") == "server.welcome"):
            raise SchemaError("server.welcome comes first, and once")
        if "method" in message:
            self.notification(message)
        elif "error" in message:
            self.error(message)
        else:
            self.response(message)

    def notification(self, message):
        check(message, "server.json", "/$defs/notification_shape", "notification")
        method, params = message["method"], message["params"]
        self.count(method)
        if method == "match.event":
            self.event(params, method)
            check(params.get("match"), "types.json", "/$defs/match_id", method + ".match")
        else:
            check(params, "server.json", "/$defs/notification." + method, method)

    def event(self, params, what):
        check(params, "server.json", "/$defs/event_shape", what)
        check_entry(params["entry"], what)
        self.count("entry." + params["entry"]["kind"])

    def error(self, message):
        check(message, "server.json", "/$defs/error_response", "error")
        self.count("error." + message["error"]["data"]["reason"])
        if message["id"] is not None:
            self.answered(message["id"])

    def answered(self, request_id):
        if request_id not in self.waiting:
            raise SchemaError("an answer to id %r, which nobody asked" % (request_id,))
        return self.waiting.pop(request_id)

    def response(self, message):
        check(message, "server.json", "/$defs/response", "response")
        method = self.answered(message["id"])
        result = message["result"]
        self.count("result." + method)
        if not defines("server.json", method):
            raise SchemaError("a result for %s, which is no method" % method)
        if method in ("match.sync", "match.watch") and isinstance(result.get("events"), list):
            for event in result["events"]:
                self.event(event, method)
            result = dict(result, events=[])
        check(result, "server.json", "/$defs/" + method, "result of " + method)
