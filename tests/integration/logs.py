#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""The log while hostile people are about: every line parses, in both forms to the same, and no
password, token, invite code, address of mail or chat is ever in it."""
import glob
import json
import os
import re
import signal
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import PATIENCE_S, Conn, Failure, Refusal, Server, equal, need  # noqa: E402

FORGED = '2026-01-31T12:00:00.123Z error forged who="me"'
HOSTILE = ["\n" + FORGED, '"} {"time":"x', "a\u202eb", "\u200b", "\x1b[2J", "\x00", "\\x41\\",
           "' ; DROP TABLE users", "caf\u00e9 \U0001f3b2", "%s%n%d", "level=error event=forged",
           "\ud800", "x" * 300, "\x7f\x9b", "\r\nstop signal=9"]
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
FIELD = r' ([a-z_]+)=("[^"]*"|[^ "=]+)'
LINE = re.compile(r"(%s) (error|warn |info |debug) ([a-z.]+)((?:%s)*)" % (STAMP, FIELD))


def plain(text):
    """A value as it was before it was logged."""
    need(re.fullmatch(r"(?:[^\\]|\\x[0-9a-f]{2})*", text, re.S), "escaped otherwise: %r" % text)
    data = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]),
                  text.encode("utf-8", "surrogateescape"))
    return data.decode("utf-8", "surrogateescape")


def parse_text(line):
    match = LINE.fullmatch(line)
    need(match, "no log line: %r" % line)
    fields = [(key, plain(value.strip('"'))) for key, value in re.findall(FIELD, match[4])]
    return match[2].strip(), match[3], fields


def parse_json(line):
    pairs = json.loads(line, object_pairs_hook=list)
    names = [key for key, _ in pairs]
    equal(len(names), len(set(names)), "a member twice: " + line)
    equal(names[:3], ["time", "level", "event"], "members")
    need(re.fullmatch(STAMP, pairs[0][1]), "time: " + line)
    return pairs[1][1], pairs[2][1], [(k, plain(str(v))) for k, v in pairs[3:]]


def raw(address, data):
    with socket.create_connection(address, PATIENCE_S) as sock:
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
        except OSError:
            pass  # cut off in the middle: as it should be


def try_(conn, method, **params):
    """Whatever it answers."""
    try:
        return conn.call(method, **params)
    except Refusal:
        return {}


def people(server, secrets):
    """Members, guests and matches with all that must not be told."""
    ann, bob = server.connect(), server.connect()
    for conn, name in ((ann, "Ann"), (bob, "Bob")):
        conn.hello()
        password = "correct horse of " + name
        token = conn.call("session.register", name=name, password=password,
                          email=name.lower() + "@secret.example")["token"]
        secrets += [password, token, name.lower() + "@secret.example"]
    made = ann.call("match.create", scenario="first-blood", side="red", clock={"kind": "none"},
                    fair="server", private=True)
    secrets.append(made["invite"])
    bob.call("match.join", match=made["match"], invite=made["invite"])
    ann.call("match.chat", match=made["match"], to="all", text="whispered openly")
    secrets.append("whispered openly")
    for number, text in enumerate(HOSTILE):  # more than its rate allows, and more than is plain
        line = "whispered %d %s" % (number, text.encode("utf-8", "replace").decode())
        if "\0" not in text:  # that is no JSON of ours, and answered to nobody
            try_(ann, "match.chat", match=made["match"], to="all", text=line)
        secrets.append("whispered %d" % number)
    other = server.connect()
    other.hello()
    try_(other, "session.login", name="Ann", password="a wrong guess")
    following = os.urandom(32).hex()
    again = other.call("session.resume", token=secrets[1], next=following)
    secrets += ["a wrong guess", following, again["token"]]
    return [ann, bob, other]


def strangers(server):
    """Names, client strings and lines that nobody should send."""
    for text in HOSTILE:
        conn = Conn(server.address)
        for method, params in (("session.hello", {"protocol": 1, "client": text}),
                               ("session.guest", {"name": text}),
                               ("session.login", {"name": text, "password": text})):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            conn.send_raw(body.encode() + b"\n")
        conn.close()
        raw(server.address, text.encode("utf-8", "surrogatepass") + b"\n\xff\xfe\n" + b"\0" * 20)
    raw(server.address, b"GET / HTTP/1.0\r\n\r\n")
    raw(server.address, b"\x16\x03\x01" + bytes(range(256)) * 20)


class Talking(Server):
    """At level debug, in one of the forms, with a configuration to change."""

    def __init__(self, form):
        self.dir = tempfile.mkdtemp(prefix='sk log" level=error ')
        self.form = form
        self.conf = os.path.join(self.dir, "a b=c.conf")
        self.write("quiet")
        super().__init__("--config", self.conf)

    def write(self, motd, more=""):
        with open(self.conf, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("[server]\nmotd = %s\n[log]\nlevel = debug\njson = %s\n"
                       "[backup]\ndirectory = %s/no=such dir\n%s" % (
                           motd, "yes" if self.form == "json" else "no",
                           self.dir.replace('"', "'"), more))

    def reload(self, *what):
        self.write(*what)
        count = self.ends()
        self.process.send_signal(signal.SIGHUP)
        self.wait(lambda: self.ends() > count, "a reload")

    def ends(self):
        return self.log().count("reload.done") + self.log().count("reload.failed")

    def wait(self, truth, what):
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            if time.monotonic() > deadline:
                raise Failure("no %s\n%s" % (what, self.log()))
            time.sleep(0.01)  # polling the log, within the deadline

    def __exit__(self, *what):
        super().__exit__(*what)
        os.unlink(self.conf)
        os.rmdir(self.dir)


def tell(form):
    """A server's life among them: the parsed log, and its bytes."""
    secrets = []
    with Talking(form) as server:
        conns = people(server, secrets)
        strangers(server)
        for motd in ('say "hi" level=error event=forged', "\\x41 back", "caf\u00e9=1", "a'b"):
            server.reload(motd)
        server.reload('lost\n[limits]\nmatches = "x" level=error')
        server.reload("lost", "keep = \udcff\udcfe\n")
        server.reload("lost", "nobody \u202e= 1\n")
        server.process.send_signal(signal.SIGUSR1)
        server.wait(lambda: "backup.failed" in server.log(), "backup.failed")
        for conn in conns:
            conn.close()
        server.wait(lambda: server.log().count("net.eof") >= server.log().count("net.accept"),
                    "the last net.eof")
        server.stop()
        with open(server.log_path, "rb") as file:
            data = file.read()
    need(data.endswith(b"\n"), "the last line ends")
    lines = data.decode("utf-8").split("\n")[:-1]  # strictly: nothing but UTF-8 is in it
    need(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", "\n".join(lines)), "controls")
    for secret in secrets:
        need(secret.encode() not in data, "%s: %r is in the log" % (form, secret))
    need(len(secrets) > 20, "secrets")
    return [(parse_json if form == "json" else parse_text)(line) for line in lines], server.dir


def steady(told):
    """What doesn't depend on chance: ports, times, connections' order."""
    events, place = told

    def same(value):
        value = value.replace(place, "DIR").replace(place.replace('"', "'"), "DIR")
        return re.sub(r"\d{8}T\d{6}Z", "THEN", value)
    return sorted((level, event, tuple((k, same(v)) for k, v in fields if k not in ("conn", "ms")))
                  for level, event, fields in events if not event.startswith("net."))


def same_in_both_forms():
    text, as_json = tell("text"), tell("json")
    equal(steady(text), steady(as_json), "text and JSON tell the same")
    for events, _ in (text, as_json):
        need(not any(level == "error" and event == "forged" for level, event, _ in events), "forged")
        changed = [dict(fields) for _, event, fields in events if event == "reload.option"]
        equal([f["now"] for f in changed if f["key"] == "motd"],
              ['say "hi" level=error event=forged', "\\x41 back", "caf\u00e9=1", "a'b"],
              "values come back as they were")
        need(sum(event == "reload.failed" for _, event, _ in events) == 3, "bad files")
        need(sum(event == "net.accept" for _, event, _ in events) >= 2 * len(HOSTILE), "strangers")


def calls_of_ours():
    """The formats in the source are what the log's own formatter knows."""
    root, seen = os.environ["SK_SRC"], 0
    for path in glob.glob(root + "/server/**/*.c", recursive=True) + glob.glob(
            root + "/common/**/*.c", recursive=True):
        with open(path, encoding="utf-8") as file:
            source = file.read()
        for call in re.findall(r'LOG_(?:ERROR|WARN|INFO|DEBUG)\((.*?)\);', source, re.S):
            literals = re.findall(r'"((?:[^"\\]|\\.)*)"', call)
            if not literals or "..." in call:
                continue
            formats = [text for text in literals if "%" in text]
            need(len(formats) == 1, "%s: one format a call: %s" % (path, call))
            for field in formats[0].split(" "):
                need(re.fullmatch(r"(?:[a-z_]+=)?(?:[^% =]|%(?:s|d|u|lld|llu|zu))*", field),
                     "%s: %r in %r" % (path, field, formats[0]))
            seen += 1
    need(seen >= 25, "%d calls only" % seen)


def main():
    failed = 0
    for test in (calls_of_ours, same_in_both_forms):
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        try:
            test()
            print(test.__name__, "ok", flush=True)
        except Exception:  # each has servers of its own
            import traceback
            traceback.print_exc()
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
