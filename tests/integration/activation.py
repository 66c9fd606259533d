#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Under a service manager: sockets that it opened, readiness, watchdog, and who the process is."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_upgrade import Upgrading  # noqa: E402
from lib_wire import PATIENCE_S, Conn, Failure, equal, need, program  # noqa: E402


class Manager:
    """The end of $NOTIFY_SOCKET where the manager listens."""

    def __init__(self, top):
        self.path = os.path.join(top, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.settimeout(PATIENCE_S)

    def wait(self, word):
        """The next message with that word; the messages before it."""
        before = []
        while True:
            message = self.socket.recv(4096).decode()
            if any(line.split("=")[0] == word for line in message.split("\n")):
                return dict(line.split("=", 1) for line in message.split("\n")), before
            before.append(message)


# Becomes the server, with the descriptors named first from 3 on.
PLACE = """
import fcntl, os, sys
count, pid, given = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
kept = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 64) for fd in given[:count]]
for number, fd in enumerate(kept):
    os.dup2(fd, 3 + number)
    os.close(fd)
os.environ.update(LISTEN_FDS=str(count), LISTEN_PID=pid or str(os.getpid()))
os.execv(given[count], given[count:])
"""


def start(data, manager, sockets, *options, pid="", **env):
    """skirmishd as a manager starts it."""
    fds = [s.fileno() for s in sockets]
    return subprocess.Popen(
        [sys.executable, "-c", PLACE, str(len(fds)), pid, *map(str, fds), program("skirmishd"),
         "--data", data, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, env={**os.environ, "NOTIFY_SOCKET": manager.path, **env},
        text=True, pass_fds=fds)


def listener(family=socket.AF_INET, host="127.0.0.1"):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.bind((host, 0))
    s.listen(16)
    return s


def sockets_given(top, manager):
    """They are served, the default address isn't; who connected before the start is served too."""
    given = listener()
    early = socket.create_connection(given.getsockname())
    server = start(os.path.join(top, "a"), manager, [given], WATCHDOG_USEC="200000")
    equal(server.stdout.readline(), "listening 127.0.0.1:%d\n" % given.getsockname()[1], "one line")
    ready, _ = manager.wait("READY")
    equal(ready["READY"], "1", "ready")
    need(early.recv(100).startswith(b'{"jsonrpc"'), "the early caller's welcome")
    for _ in range(3):
        manager.wait("WATCHDOG")
    conn = Conn(given.getsockname())
    conn.hello()
    server.send_signal(signal.SIGHUP)
    manager.wait("RELOADING")
    equal(manager.wait("READY")[0], {"READY": "1", "STATUS": "serving"}, "reloaded")
    server.send_signal(signal.SIGTERM)
    manager.wait("STOPPING")
    conn.wait_note("server.closing")
    conn.wait_closed()
    equal(server.wait(PATIENCE_S), 0, "status")
    socket.create_connection(given.getsockname()).close()  # the manager still has its socket
    for s in (given, early, server.stdout, server.stderr):
        s.close()


def both_kinds(top, manager):
    """An address that is configured and was given is bound once; what else was given is served."""
    a, b = listener(), listener()
    at = ["127.0.0.1:%d" % s.getsockname()[1] for s in (a, b)]
    server = start(os.path.join(top, "b"), manager, [a, b], "--listen", at[1])
    equal([server.stdout.readline().split()[1] for _ in range(2)], [at[1], at[0]], "listening")
    server.send_signal(signal.SIGTERM)
    equal(server.wait(PATIENCE_S), 0, "status")
    for s in (a, b, server.stdout, server.stderr):
        s.close()


def an_ipv4_peer_on_an_ipv6_socket(top, manager):
    """It is who it is: its address counts as IPv4's in the log, and as loopback."""
    try:
        s = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        s.bind(("::", 0))
        s.listen(4)
    except OSError:
        print("no IPv6 here: not looked at")
        return
    server = start(os.path.join(top, "c"), manager, [s], "--log-level", "debug")
    server.stdout.readline()
    conn = Conn(("127.0.0.1", s.getsockname()[1]))
    conn.hello()
    conn.close()
    server.send_signal(signal.SIGTERM)
    log = server.communicate(timeout=PATIENCE_S)[1]
    need("from=127.0.0.1" in log and "::ffff" not in log, log)
    s.close()


def not_for_us(top, manager):
    """LISTEN_PID names another process: the sockets aren't ours."""
    given = listener()
    server = start(os.path.join(top, "d"), manager, [given], "--listen", "127.0.0.1:0", pid="1")
    line = server.stdout.readline()
    need(line.startswith("listening") and not line.endswith(":%d\n" % given.getsockname()[1]), line)
    server.send_signal(signal.SIGTERM)
    equal(server.wait(PATIENCE_S), 0, "status")
    for s in (given, server.stdout, server.stderr):
        s.close()


def no_socket_at_all(top, manager):
    """A descriptor that is no listening socket: a clear word, and the end."""
    with open("/dev/null", "rb") as null:
        server = start(os.path.join(top, "e"), manager, [null])
        words = server.communicate(timeout=PATIENCE_S)[1]
        equal(server.returncode, 78, words)
        need("no listening socket" in words, words)


def main_process(_top, manager):
    """An upgrade tells the manager who serves now, and the new one keeps the watchdog quiet."""
    os.environ.update(NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="200000")
    with Upgrading() as server:
        manager.wait("READY")
        server.begin_upgrade()
        said, _ = manager.wait("MAINPID")
        new = server.end_upgrade()
        equal(int(said["MAINPID"]), new, "the main process")
        manager.wait("READY")
        manager.wait("WATCHDOG")
    os.environ.pop("NOTIFY_SOCKET")
    os.environ.pop("WATCHDOG_USEC")


if __name__ == "__main__":
    program("skirmishd")
    for test in (sockets_given, both_kinds, an_ipv4_peer_on_an_ipv6_socket, not_for_us,
                 no_socket_at_all, main_process):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as directory:
            try:
                test(directory, Manager(directory))
            except (Failure, OSError, AssertionError):
                print("FAILED %s" % test.__name__)
                raise
        print("ok %s %.1f s" % (test.__name__, time.monotonic() - began), flush=True)
