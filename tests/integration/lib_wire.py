# SPDX-License-Identifier: ISC
"""lib_wire.py -- the real server as a child process, and plain connections to it.

    with Server() as server:
        conn = server.connect()            # welcome read
        conn.hello()
        me = conn.call("session.guest", name="Ann")

Nothing here sleeps: every wait is for a condition, with a deadline that fails the test with the
last lines of the traffic. Each line from the server is held against proto/schema.
"""
import collections
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "ref"))

import schema  # noqa: E402

PATIENCE_S = float(os.environ.get("SK_PATIENCE", "60"))  # until it counts as "never"
TRACE_LINES = 60
CODES = {"parse": -32700, "invalid": -32600, "method": -32601, "params": -32602, "internal": -32603,
         "auth": 1, "denied": 2, "not_found": 3, "conflict": 4, "phase": 5, "turn": 6, "illegal": 7,
         "stale": 8, "rate": 9, "busy": 10, "storage": 11, "dice": 12, "version": 13}


class Failure(Exception):
    """The test has failed; the text says where."""


class Refusal(Exception):
    """An error response."""

    def __init__(self, error):
        super().__init__("%s: %s" % (error["data"]["reason"], error["message"]))
        self.reason, self.code, self.data = error["data"]["reason"], error["code"], error["data"]


def program(name):
    """Path of a built program; ends the test as skipped where there is none."""
    path = os.path.join(os.environ.get("SK_BIN", ""), name)
    if not os.environ.get("SK_BIN") or not os.access(path, os.X_OK):
        print("%s: not built in SK_BIN, skipped" % name)
        sys.exit(77)
    return path


def free_port():
    """A port of loopback for a server that will come back on it. Not one of those that the system
    gives to connections: while the server is down somebody else's could have it."""
    while True:
        port = random.randrange(16000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Server:
    """`skirmishd` on a free port of loopback with a data directory of its own."""

    def __init__(self, *options, data=None):
        self.options = options
        self.own_data = data is None
        self.data = data or tempfile.mkdtemp(prefix="skirmishd-")
        self.log_path = os.path.join(tempfile.gettempdir(), "%s.log" % os.path.basename(self.data))
        self.process, self.address, self.started_ms = None, None, None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, _value, _trace):
        if self.process is not None:
            self.stop() if kind is None else self.kill()
        if kind is not None:
            print("--- server's log\n%s" % self.log()[-4000:])
        os.unlink(self.log_path)
        if self.own_data:
            shutil.rmtree(self.data, ignore_errors=True)

    def start(self):
        self.started_ms = time.time() * 1000
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [program("skirmishd"), "--listen", "127.0.0.1:0", "--data", self.data,
                 *self.options], stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
        line = self.read_stdout()
        word, _, address = line.partition(" ")
        if word != "listening" or ":" not in address:
            raise Failure("the server says %r\n%s" % (line, self.log()))
        host, _, port = address.rpartition(":")
        self.address = (host, int(port))

    def read_stdout(self):
        text, deadline = b"", time.monotonic() + PATIENCE_S
        out = self.process.stdout
        while not text.endswith(b"\n"):
            if not select.select([out], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Failure("the server doesn't begin to serve\n%s" % self.log())
            byte = os.read(out.fileno(), 1)
            if not byte:
                raise Failure("the server ended at once\n%s" % self.log())
            text += byte
        return text.decode("utf-8").rstrip("\n")

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self, signum):
        self.process.send_signal(signum)
        try:
            code = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("the server doesn't end\n%s" % self.log()) from None
        self.process.stdout.close()
        self.process = None
        return code

    def stop(self):
        """SIGTERM: a clean end with status 0."""
        code = self.end(signal.SIGTERM)
        if code != 0:
            raise Failure("the server ended with status %d\n%s" % (code, self.log()))

    def kill(self):
        self.end(signal.SIGKILL)

    def connect(self):
        return Conn(self.address)


class Caller:
    """What has call() and traffic()."""

    def refused(self, reason, method, /, **params):
        """The call is refused for that reason, with its code; the error's data."""
        try:
            result = self.call(method, **params)
        except Refusal as refusal:
            if refusal.reason != reason or refusal.code != CODES[reason]:
                raise Failure("%s %s: wanted %s, got %s (%d)\n%s" % (
                    method, params, reason, refusal, refusal.code, self.traffic())) from refusal
            return refusal.data
        raise Failure("%s %s: wanted %s, got %s\n%s" % (
            method, params, reason, result, self.traffic()))


class Conn(Caller):
    """One connection. Responses by id, notifications in order; nothing is lost or read twice."""
    names = 0

    def __init__(self, address):
        self.socket = self.open(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.checker = schema.Checker()
        self.buffer = b""
        self.next_id = 1
        self.replies = {}  # id -> message
        self.notes = collections.deque()  # notifications not yet taken
        self.trace = collections.deque(maxlen=TRACE_LINES)
        self.closed = False
        self.listener = None  # called with each message instead of keeping it, where set
        Conn.names += 1
        self.label = "conn%d" % Conn.names
        self.welcome = self.wait_note("server.welcome")

    def open(self, address):
        """A connected socket; others connect otherwise."""
        return socket.create_connection(address, PATIENCE_S)

    def is_ready(self, timeout_s):
        """Is there something to read?"""
        return bool(select.select([self.socket], [], [], timeout_s)[0])

    # ---- out

    def send_raw(self, data):
        self.socket.sendall(data)

    def send_line(self, text):
        """A line as it is; its id, if it has one, is waited for."""
        self.trace.append("> %.600s" % text)
        self.checker.note_request(text)
        self.send_raw(text.encode("utf-8") + b"\n")

    def line(self, method, params):
        """(id, text) of a request, not yet sent."""
        request_id = self.next_id
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        return request_id, json.dumps(message, ensure_ascii=False, separators=(",", ":"))

    def send(self, method, /, **params):
        """Returns the request's id."""
        request_id, text = self.line(method, params)
        self.send_line(text)
        return request_id

    # ---- in

    def pump(self, timeout_s):
        """Read once and take in whole lines. False: nothing came."""
        if self.closed or not self.is_ready(timeout_s):
            return False
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionError:
            data = b""
        if not data:
            self.closed = True
            return True
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            self.take(line)
        return True

    def take(self, line):
        self.trace.append("< %.600s" % line.decode("utf-8", "replace"))
        try:
            message = self.checker.check_server_line(line)
        except schema.SchemaError as error:
            raise Failure("%s: %s\n%s" % (self.label, error, self.traffic())) from error
        if self.listener is not None:
            self.listener(message)
        elif "method" in message:
            self.notes.append(message)
        else:
            self.replies[message["id"]] = message

    def traffic(self):
        return "\n".join(self.trace)

    def wait(self, truth, what):
        """Read until truth() is true; returns what it gave."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            value = truth()
            if value:
                return value
            left = deadline - time.monotonic()
            if left <= 0 or self.closed:
                raise Failure("%s: %s while waiting for %s\n%s" % (
                    self.label, "closed" if self.closed else "no end", what, self.traffic()))
            self.pump(left)

    def reply(self, request_id):
        """The result of a request sent; Refusal if it was an error."""
        self.wait(lambda: request_id in self.replies, "the answer to %r" % (request_id,))
        message = self.replies.pop(request_id)
        if "error" in message:
            raise Refusal(message["error"])
        return message["result"]

    def call(self, method, /, **params):
        return self.reply(self.send(method, **params))

    def find_note(self, method, truth):
        for note in self.notes:
            if note["method"] == method and truth(note["params"]):
                self.notes.remove(note)
                return note["params"]
        return None

    def wait_note(self, method, truth=lambda params: True):
        """Params of the first such notification; it is taken, others stay."""
        return self.wait(lambda: self.find_note(method, truth), method)

    def settle(self):
        """Read all that the server sent until now: it answers in order."""
        self.call("session.ping")

    def hello(self):
        return self.call("session.hello", protocol=1, client="test/1")

    def guest(self, name):
        """Hello and a guest's login: its token."""
        self.hello()
        return self.call("session.guest", name=name)["token"]

    def wait_closed(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self.closed:
            if not self.pump(max(0.0, deadline - time.monotonic())):
                raise Failure("%s isn't closed\n%s" % (self.label, self.traffic()))

    def close(self):
        if not self.closed:
            self.closed = True
        self.socket.close()

    def abort(self):
        """Gone without a good-bye (RST)."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()


def pump_all(conns, timeout_s):
    """Read once from whatever connection has something; False: none had."""
    open_ones = {conn.socket: conn for conn in conns if not conn.closed}
    if not open_ones:
        return False
    ready = select.select(list(open_ones), [], [], timeout_s)[0]
    for sock in ready:
        open_ones[sock].pump(0)
    return bool(ready)


def wait_all(conns, truth, what):
    """Read from all of them until truth(). The patience is for silence."""
    while not truth():
        if not pump_all(conns(), PATIENCE_S):
            raise Failure("no end while waiting for %s\n%s" % (
                what, "\n\n".join("%s\n%s" % (c.label, c.traffic()) for c in conns())))


def need(truth, text):
    if not truth:
        raise Failure(text)


def equal(got, want, text):
    if got != want:
        raise Failure("%s\n  got  %.1500r\n  want %.1500r" % (text, got, want))


def run(tests):
    """Run functions in order, each with a server of its own, and end the program: with 1 where one
    has failed. Arguments name tests."""
    only = sys.argv[1:]
    program("skirmishd")
    failed = []
    for test in tests:
        if only and test.__name__ not in only:
            continue
        began = time.monotonic()
        try:
            with Server() as server:
                test(server)
        except Exception:  # a test may fail in any way; the next one has a server of its own
            traceback.print_exc()
            failed.append(test.__name__)
        print("%-30s %s %.2f s" % (test.__name__, "FAILED" if test.__name__ in failed else "ok",
                                   time.monotonic() - began), flush=True)
    if failed:
        print("failed: %s" % " ".join(failed))
    sys.exit(1 if failed else 0)
