#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""The page of figures: Prometheus' own checker and ours, what it counts, and its small HTTP."""
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import catch_up, play, seat_pair  # noqa: E402
from lib_upgrade import Upgrading  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Server, equal, need, program  # noqa: E402

DEADLINE_S = 3  # of the server, for one caller


class Measured(Server):
    """A server with figures on a free port of loopback, or where `listen` says."""

    def __init__(self, listen="127.0.0.1:0", more=""):
        self.dir = tempfile.mkdtemp(prefix="skirmishd-conf-")
        self.listen = listen.replace("DIR", self.dir)
        path = os.path.join(self.dir, "skirmishd.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[metrics]\nlisten = %s\n%s" % (self.listen, more))
        super().__init__("--config", path)

    def __exit__(self, *what):
        super().__exit__(*what)
        shutil.rmtree(self.dir)

    def dial(self):
        if self.listen[0] == "/":
            sock = socket.socket(socket.AF_UNIX)
            sock.settimeout(PATIENCE_S)
            sock.connect(self.listen)
            return sock
        where = re.search(r"metrics\.listen host=(\S+) port=(\d+)", self.log())
        need(where, "no metrics.listen in the log")
        return socket.create_connection((where[1], int(where[2])), PATIENCE_S)


def exchange(server, request):
    with server.dial() as sock:
        sock.sendall(request)
        return read_all(sock)


def read_all(sock):
    data = b""
    while True:
        try:
            more = sock.recv(65536)
        except ConnectionError:
            return data
        if not more:
            return data
        data += more


def page(server):
    answer = exchange(server, b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("ascii").split("\r\n")
    equal(lines[0], "HTTP/1.0 200 OK", "status")
    need("Content-Type: text/plain; version=0.0.4; charset=utf-8" in lines, head)
    need("Content-Length: %d" % len(body) in lines, head)
    return body.decode("ascii")


SAMPLE = re.compile(r'(\w+)(?:\{((?:\w+="[^"\\\n]*",?)+)\})? (\d+(?:\.\d+)?)')


def parse(text):
    """{(name, labels): value} of a page, which is checked line by line."""
    found, kind, last = {}, {}, None
    need(text.endswith("\n"), "the page ends in a line's end")
    lines = iter(text[:-1].split("\n"))
    for line in lines:
        if line.startswith("# HELP "):
            name, _, words = line[7:].partition(" ")
            need(words, "no help: " + line)
            word, _, what, of = next(lines).partition(" TYPE ")[2].partition(" ") + ("",)
            equal(word, name, "HELP and TYPE stand together")
            need(name not in kind, name + " comes twice")
            kind[name], last = of or what, name
            continue
        match = SAMPLE.fullmatch(line)
        need(match, "no sample: %r" % line)
        base = re.sub(r"_(bucket|sum|count)$", "", match[1])
        need(last in (match[1], base), "%s stands below %s" % (match[1], last))
        key = (match[1], match[2] or "")
        need(key not in found, "%s twice" % (key,))
        found[key] = float(match[3])
    for name, of in kind.items():
        if of == "counter":
            need(name.endswith("_total"), name)
        if of == "histogram":
            check_histogram(name, found)
    return found


def check_histogram(name, found):
    buckets = [(labels, value) for (n, labels), value in found.items() if n == name + "_bucket"]
    values = [value for _, value in buckets]
    equal(values, sorted(values), name + " rises")
    bounds = [labels[4:-1] for labels, _ in buckets]
    equal(bounds[-1], "+Inf", name + " ends")
    equal([float(b) for b in bounds[:-1]], sorted(float(b) for b in bounds[:-1]), name + " bounds")
    equal(values[-1], found[name + "_count", ""], name + " counts")


def figures(server):
    return {name[10:] + ("{%s}" % labels if labels else ""): value
            for (name, labels), value in parse(page(server)).items()}


def counts():
    """What happens is on the page, and only that."""
    with Measured() as server:
        before = figures(server)
        match, *bots = seat_pair(server, "first-blood", 7, fair="normal")
        play(bots, match)
        catch_up(bots, match)
        orders = sum(bot.views[match].orders for bot in bots)
        other = server.connect()
        other.hello()
        other.refused("auth", "session.login", name="Nobody", password="wrong horse")
        other.refused("auth", "match.mine")
        other.refused("params", "session.guest", name="no good name!")
        other.refused("auth", "session.resume", token="00" * 32)
        now = figures(server)
        grown = {name: now[name] - before[name] for name in now}
        for name, want in (("orders_total", orders), ("order_ack_seconds_count", orders),
                           ('matches_created_total{fair="normal"}', 1),
                           ('matches_created_total{fair="server"}', 0),
                           ('logins_total{way="guest",result="ok"}', 2),
                           ('logins_total{way="guest",result="failed"}', 1),
                           ('logins_total{way="login",result="failed"}', 1),
                           ('logins_total{way="resume",result="failed"}', 1),
                           ('refusals_total{reason="auth"}', 3),
                           ('refusals_total{reason="params"}', 1),
                           ('refusals_total{reason="illegal"}', 0),
                           ("users_online", 2), ("connections", 3), ("accepted_total", 3)):
            equal(grown[name], want, name)
        for name in ("store_groups_total", "received_bytes_total", "sent_bytes_total",
                     "writes_total"):
            need(grown[name] > 0, name)
        need(grown["store_transactions_total"] >= grown["store_groups_total"], "groups")
        equal(now["commit_seconds_count"], now["store_groups_total"], "each commit is measured")
        equal(now["transaction_seconds_count"], now["store_transactions_total"],
              "each transaction is measured")
        need(now["memory_bytes"] > 1 << 20 and now["descriptors"] > 5, "the process")
        for bot in bots:
            bot.close()
        deadline = time.monotonic() + PATIENCE_S
        while figures(server)["users_online"] > 0:
            need(time.monotonic() < deadline, "they are still online")


def promtool():
    """Prometheus' own parser and linter."""
    tool = shutil.which("promtool")
    if tool is None:
        print("promtool isn't installed (Debian's prometheus): its check is skipped")
        return
    with Measured() as server:
        text = page(server)
    done = subprocess.run([tool, "check", "metrics"], input=text.encode(), capture_output=True,
                          timeout=60, check=False)
    equal((done.returncode, done.stdout + done.stderr), (0, b""), "promtool check metrics")


def small_http():
    with Measured() as server:
        for request, status in (
                (b"POST /metrics HTTP/1.0\r\n\r\n", b"405"), (b"GET / HTTP/1.0\r\n\r\n", b"404"),
                (b"GET /metrics/../x HTTP/1.1\n\n", b"404"), (b"GET /metrics\r\n\r\n", b"400"),
                (b"\r\n\r\n", b"400"), (b"GET \0 HTTP/1.0\r\n\r\n", b"400"),
                (b"GET /metrics SPDY/1\r\n\r\n", b"400"),
                (b"GET /metrics HTTP/1.0\r\nX: " + b"x" * 5000, b"431")):
            answer = exchange(server, request)
            need(answer.startswith(b"HTTP/1.0 " + status + b" "), "%r: %r" % (request, answer))
        answer = exchange(server, b"HEAD /metrics HTTP/1.0\r\n\r\n")
        need(answer.startswith(b"HTTP/1.0 200 ") and answer.endswith(b"\r\n\r\n"), answer)
        # in pieces; one who says nothing, one who says half, one who doesn't read
        with server.dial() as slow, server.dial() as half, server.dial() as silent:
            half.sendall(b"GET /metrics HT")
            for byte in b"GET /metrics HTTP/1.0\r\n\r\n":
                slow.sendall(bytes([byte]))
            need(b"skirmishd_orders_total" in read_all(slow), "in pieces")
            began = time.monotonic()
            equal(read_all(silent), b"", "silent")
            equal(read_all(half), b"", "half")
            need(time.monotonic() - began < DEADLINE_S + PATIENCE_S, "closed by the deadline")
        # more callers than places: some are closed at once, the page comes back afterwards
        crowd = [server.dial() for _ in range(40)]
        deadline = time.monotonic() + PATIENCE_S
        conn = server.connect()
        conn.hello()  # the players' doors stand open
        for sock in crowd:
            equal(read_all(sock), b"", "one of the crowd")
            sock.close()
        while True:
            try:
                page(server)
                break
            except (Failure, ConnectionError):
                need(time.monotonic() < deadline, "the page never came back")


def ends(code, words, listen):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write("[metrics]\n\nlisten = %s\n" % listen)
        file.flush()
        done = subprocess.run([program("skirmishd"), "--listen", "127.0.0.1:0", "--store", "memory",
                               "--config", file.name], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE_S, check=False)
        text = done.stderr.decode()
        equal(done.returncode, code, text)
        need(words.replace("FILE", file.name) in text, "%r isn't in %r" % (words, text))


def stays_at_home():
    for listen in ("0.0.0.0:9200", "[::]:9200", "192.0.2.1:9200", "example.org:9200", "9200",
                   "[::ffff:127.0.0.1]:9200", "127.0.0.1", "relative/path"):
        ends(78, "FILE:3: listen: \"%s\" is none of 127.0.0.1:PORT" % listen, listen)
    ends(78, "longer than a socket's path may be", "/" + "x" * 120)
    ends(71, "metrics can't be served at /nowhere/at/all", "/nowhere/at/all")
    with Measured() as server:
        sock = server.dial()
        host, port = sock.getpeername()
        sock.close()
        ends(69, "metrics can't be served at %s:%d: address already in use" % (host, port),
             "%s:%d" % (host, port))


def unix_socket():
    with Measured("DIR/metrics.sock") as server:
        equal(stat.S_IMODE(os.stat(server.listen).st_mode), 0o600, "mode")
        need("skirmishd_connections 0" in page(server), "the page")
        ends(69, "address already in use", server.listen)
        server.kill()
        need(os.path.exists(server.listen), "left behind")
        server.start()
        need("skirmishd_connections 0" in page(server), "the page")
        server.stop()
        need(not os.path.exists(server.listen), "removed")
        server.start()


class MeasuredUpgrade(Upgrading):
    dial = Measured.dial


def upgrade():
    """The new program takes the figures' door over when the old one has gone."""
    work = tempfile.mkdtemp(prefix="skirmishd-conf-")
    path, conf = os.path.join(work, "m.sock"), os.path.join(work, "c.conf")
    with open(conf, "w", encoding="utf-8") as file:
        file.write("[metrics]\nlisten = %s\n" % path)
    real = os.environ["SK_BIN"]
    try:
        with MeasuredUpgrade("--config", conf) as server:
            server.listen = path
            page(server)
            server.begin_upgrade()
            server.end_upgrade()
            deadline = time.monotonic() + PATIENCE_S
            while True:
                try:
                    page(server)
                    break
                except (Failure, OSError):
                    need(time.monotonic() < deadline, "no figures behind the upgrade")
                    time.sleep(0.02)
    finally:
        os.environ["SK_BIN"] = real
        shutil.rmtree(work)


def main():
    failed = []
    for test in (counts, promtool, small_http, stays_at_home, unix_socket, upgrade):
        if sys.argv[1:] and test.__name__ not in sys.argv[1:]:
            continue
        try:
            test()
            print(test.__name__, "ok", flush=True)
        except Exception:  # the next one has a server of its own
            import traceback
            traceback.print_exc()
            failed.append(test.__name__)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
