#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""The process: words and exit codes, its directory, listeners, limits, stopping and coming back."""
import json
import os
import resource
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import PATIENCE_S, Conn, Failure, Server, equal, need, program, run  # noqa: E402

USAGE, DATAERR, UNAVAILABLE, TEMPFAIL, CONFIG = 64, 65, 69, 75, 78


def ends(code, words, *options):
    """skirmishd with those options ends by itself with that code, and says so on one stream."""
    done = subprocess.run([program("skirmishd"), *options], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=PATIENCE_S, check=False)
    text = (done.stdout if code == 0 else done.stderr).decode("utf-8")
    equal(done.returncode, code, "%s: %s" % (options, text))
    need(words in text, "%s: %r isn't in %r" % (options, words, text))


def conf(text):
    handle, path = tempfile.mkstemp(prefix="skirmishd-", suffix=".conf")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    return path


def words_and_codes(_server):
    ends(0, "skirmishd 0.", "--version")
    ends(0, "--listen", "--help")
    ends(0, "sound", "--check-config")
    ends(USAGE, "--lissen: no such option", "--lissen", "127.0.0.1:0")
    ends(USAGE, "no HOST:PORT", "--listen", "127.0.0.1")
    path = conf("[server]\nmotd = a\n\n[limits]\nconections = 3\n")
    ends(CONFIG, "%s:5: conections: no such option in [limits]" % path, "--config", path,
         "--check-config")
    ends(CONFIG, "there is no address for host",
         "--listen", "no-such-host.invalid:0", "--store", "memory")
    os.unlink(path)
    ends(CONFIG, "can't read %s" % path, "--config", path)


def port_taken(server):
    where = "%s:%d" % server.address
    ends(UNAVAILABLE, "port %d on 127.0.0.1 is in use" % server.address[1],
         "--listen", where, "--store", "memory")


def directory_taken(server):
    ends(TEMPFAIL, "another skirmishd is using %s" % server.data,
         "--listen", "127.0.0.1:0", "--data", server.data)
    server.kill()
    server.start()  # a lock dies with its process
    server.connect().hello()


def mode(path):
    return os.stat(path).st_mode & 0o777


def own_directory(server):
    nested = os.path.join(server.data, "a", "b")
    with Server(data=nested):
        equal(mode(nested), 0o700, "the directory's mode")
        equal(mode(os.path.join(nested, "master.key")), 0o400, "the key's mode")
        equal(mode(os.path.join(nested, "skirmish.db")), 0o600, "the database's mode")
    os.chmod(os.path.join(nested, "master.key"), 0o440)
    ends(CONFIG, "others may read the master key", "--listen", "127.0.0.1:0", "--data", nested)


def newer_schema(server):
    server.stop()
    path = os.path.join(server.data, "skirmish.db")
    db = sqlite3.connect(path)
    ours = db.execute("PRAGMA user_version").fetchone()[0]
    db.execute("PRAGMA user_version=99")
    db.close()
    ends(DATAERR, "a newer skirmishd wrote it (schema 99", "--listen", "127.0.0.1:0", "--data",
         server.data)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=%d" % ours)
    db.close()
    server.start()


def listeners(_server):
    have_v6 = socket.has_ipv6
    if have_v6:
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            have_v6 = False
    second = "[::1]:0" if have_v6 else "localhost:0"
    with Server("--listen", second) as server:
        word, _, address = server.read_stdout().partition(" ")
        host, _, port = address.rpartition(":")
        equal((word, host), ("listening", second.rpartition(":")[0]), "the second listener")
        need(int(port) > 0, "a real port: %s" % address)
        Conn((host.strip("[]"), int(port))).hello()
        server.connect().hello()


def stopping(server):
    """SIGTERM: everybody is told, then the end, with status 0, whoever stays connected."""
    conns = [server.connect() for _ in range(3)]
    for conn in conns:
        conn.hello()
    silent = socket.create_connection(server.address)
    server.process.send_signal(signal.SIGTERM)
    for conn in conns:
        conn.wait_note("server.closing")
        conn.wait_closed()
    equal(server.process.wait(PATIENCE_S), 0, "status")
    silent.close()
    server.start()
    server.process.send_signal(signal.SIGINT)
    equal(server.process.wait(PATIENCE_S), 0, "status")
    server.start()


def coming_back(server):
    """A guest with a seat, and the match, are there after a clean stop and after a kill."""
    conn = server.connect()
    token = conn.guest("Ann")
    made = conn.call("match.create", scenario="first-blood", side="random",
                     clock={"kind": "none"}, fair="server")
    for end in (server.stop, server.kill, server.stop):
        conn.close()
        end()
        server.start()
        conn = server.connect()
        conn.hello()
        token = conn.call("session.resume", token=token)["token"]
        mine = conn.call("match.mine")["matches"]
        equal([m["match"] for m in mine], [made["match"]], "my seats")
    conn.close()


def half_closed(server):
    """A peer that sends no more still gets its answers (so `nc` in a pipe works)."""
    conn = server.connect()
    conn.hello()
    ids = [conn.send("scenario.list") for _ in range(20)]
    conn.socket.shutdown(socket.SHUT_WR)
    for request_id in ids:
        conn.reply(request_id)
    conn.wait_closed()


def full(_server):
    path = conf("[limits]\nconnections = 3\n")
    with Server("--config", path) as server:
        conns = [server.connect() for _ in range(3)]
        for _ in range(40):  # more than are told politely at a time
            with socket.create_connection(server.address, PATIENCE_S) as sock:
                text = b""
                while not text.endswith(b"\n"):
                    data = sock.recv(4096)
                    need(data, "closed without a word: %r" % text)
                    text += data
                need(b'"reason":"busy"' in text, "wanted busy: %r" % text)
                need(b'"code":10' in text, "wanted busy: %r" % text)
        conns[0].hello()
        conns.pop().close()
        deadline = time.monotonic() + PATIENCE_S
        while True:  # until the server has seen that one is gone
            with socket.create_connection(server.address, PATIENCE_S) as sock:
                if b"server.welcome" in sock.recv(4096):
                    break
            need(time.monotonic() < deadline, "the place never became free")
    os.unlink(path)


def descriptors(server):
    """The process runs out of descriptors: callers are turned away, games go on, it recovers."""
    pid = server.process.pid
    conn = server.connect()
    conn.hello()
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/%d/fd" % pid))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, before[1]))
    spent = cpu_s(pid)
    for _ in range(20):
        with socket.create_connection(server.address, PATIENCE_S) as sock:
            sock.settimeout(PATIENCE_S)
            need(b'"reason":"busy"' in sock.recv(4096), "not turned away")
        conn.call("session.ping")
    need(cpu_s(pid) - spent < 1, "it spins")
    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    server.connect().hello()


def cpu_s(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_kb(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise Failure("no VmRSS")


def slow_reader(server):
    """Asks for much and reads nothing: bounded, nobody else waits, and every answer is there."""
    other = server.connect()
    other.hello()
    size = len(str(other.call("scenario.get", id="tin-lizzy-down")))
    count = 16 * 1024 * 1024 // size
    before = rss_kb(server.process.pid)
    hello = '{"jsonrpc":"2.0","id":0,"method":"session.hello","params":{"protocol":1,"client":"x"}}\n'
    pending = hello.encode() + b"".join(
        b'{"jsonrpc":"2.0","id":%d,"method":"scenario.get","params":{"id":"tin-lizzy-down"}}\n' % i
        for i in range(1, count + 1))
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)  # the server's to hold, or not
        slow.connect(server.address)
        slow.setblocking(False)
        stuck = 0
        while stuck < 50:  # until nobody takes more, and the server has done what it wants to
            try:
                pending = pending[slow.send(pending):] if pending else pending
                stuck += not pending
            except BlockingIOError:
                stuck += 1
            other.call("session.ping")
        need(rss_kb(server.process.pid) - before < 8 * 1024, "the queue isn't bounded")
        got, deadline = b"", time.monotonic() + PATIENCE_S
        while got.count(b"\n") < count + 2:  # welcome and hello too
            need(time.monotonic() < deadline, "%d of %d" % (got.count(b"\n"), count))
            can_read, can_write, _ = select.select([slow], [slow] if pending else [], [], 1)
            if can_read:
                got += slow.recv(1 << 20)
            if can_write:
                pending = pending[slow.send(pending):]
    equal([json.loads(line)["id"] for line in got.split(b"\n")[1:-1]], list(range(count + 1)),
          "the answers, in order")


TESTS = [words_and_codes, port_taken, directory_taken, own_directory, newer_schema, listeners,
         stopping, coming_back, half_closed, full, descriptors, slow_reader]

if __name__ == "__main__":
    run(TESTS)
