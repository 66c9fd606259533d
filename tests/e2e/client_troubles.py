# SPDX-License-Identifier: ISC
# timeout: 600
"""The real client in trouble: lines cut anywhere, a server killed in the middle, a server that
went back to an older day; and line mode through a pipe, as a script or a screen reader uses it.

Whatever happens, a game ends the same for everybody, and its record is sound.
"""
import contextlib
import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
import lib_wire  # noqa: E402

GAME_SECONDS = 150


def rolls_of(data):
    """How many rolls the journal in a data directory has, all of one match."""
    with tempfile.TemporaryDirectory() as top:
        copy = shutil.copytree(data, os.path.join(top, "data"))
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "skirmish.db"))) as db:
            rows = db.execute("SELECT lines FROM journal").fetchall()
    entries = [json.loads(line) for (lines,) in rows for line in bytes(lines).splitlines()]
    return sum(entry["kind"] == "roll" for entry in entries)


class Proxy:
    """A fixed address before a server; cuts lines when told to, in the middle of bytes."""

    def __init__(self, address, chance=0.0, seed=1):
        self.address, self.chance, self.cuts = address, chance, 0
        self.random = random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "skirmish://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(inner,), daemon=True).start()

    def serve(self, inner):
        try:
            outer = socket.create_connection(self.address)
        except OSError:
            inner.close()
            return
        threading.Thread(target=self.pump, args=(inner, outer), daemon=True).start()
        self.pump(outer, inner)

    def pump(self, source, sink):
        """Bytes from one to the other, until an end or a cut; some of the last bytes get through."""
        try:
            while True:
                data = source.recv(self.random.choice((1, 9, 400, 65536)))
                if not data:
                    break
                if self.random.random() < self.chance:
                    self.cuts += 1
                    sink.sendall(data[:self.random.randrange(len(data) + 1)])
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()  # each end is the source of one pump

    def close(self):
        self.listener.close()


class Client:
    """A client process; its lines come in on a thread, and can be waited for."""

    def __init__(self, state, *args, stdin=subprocess.DEVNULL):
        env = dict(os.environ, XDG_STATE_HOME=state, XDG_CONFIG_HOME=state, LC_ALL="C.UTF-8")
        self.process = subprocess.Popen([lib_wire.program("skirmish"), *args], env=env, text=True,
                                        stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.lines, self.changed, self.done = [], threading.Condition(), False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()
        with self.changed:
            self.done = True
            self.changed.notify_all()

    def wait_for(self, text):
        """The first line that has `text`."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.done or self.find(text), GAME_SECONDS):
                raise lib_wire.Failure("no line has %r:\n%s" % (text, self.tail()))
            line = self.find(text)
        if line is None:
            raise lib_wire.Failure("ended without %r:\n%s" % (text, self.tail()))
        return line

    def find(self, text):
        return next((line for line in self.lines if text in line), None)

    def tail(self):
        return "\n".join(self.lines[-25:])

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def end(self):
        code = self.process.wait(GAME_SECONDS)
        self.thread.join(GAME_SECONDS)
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        self.process.stdout.close()


class Troubles(unittest.TestCase):
    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="skirmish-troubles-")
        self.addCleanup(shutil.rmtree, self.state, ignore_errors=True)

    def client(self, who, *args, **more):
        client = Client(os.path.join(self.state, who), *args, **more)
        self.addCleanup(client.stop)
        return client

    def seat_two(self, url, scenario, *options):
        """Two bots at a match of the given server, both seated."""
        a = self.client("a", "bot", url, "--name", "Ada", "--create", scenario, "--side", "random",
                        "--seed", "11", "--patience", "60", *options)
        a.wait_for("Match #1")
        b = self.client("b", "bot", url, "--name", "Bea", "--join", "1", "--seed", "12",
                        "--patience", "60", *(o for o in options if o == "--go-on"))
        return a, b

    def same_end(self, url, *clients):
        """All end well with the same words, and the record is sound to the hash they saw."""
        results = set()
        for client in clients:
            self.assertEqual(client.end(), 0, client.tail())
            results.add(client.wait_for("Result: "))
        self.assertEqual(len(results), 1, results)
        record = os.path.join(self.state, "record")
        with open(record, "wb") as file:
            subprocess.run([lib_wire.program("skirmish"), "record", url + "/match/1"], check=True,
                           stdout=file, env=dict(os.environ, XDG_STATE_HOME=self.state))
        head = results.pop().split(" hash ")[1].split(",")[0]
        subprocess.run([lib_wire.program("skirmish"), "verify", record, "--head", head],
                       check=True, stdout=subprocess.DEVNULL)

    def test_lines_cut_anywhere(self):
        with lib_wire.Server() as self.server:
            proxy = Proxy(self.server.address, chance=0.01)
            self.addCleanup(proxy.close)
            a, b = self.seat_two(proxy.url, "first-blood", "--fair", "strict")
            a.wait_for("Turn 2.")
            watcher = self.client("w", "watch", proxy.url + "/match/1", "--patience", "60")
            self.same_end("skirmish://%s:%d" % self.server.address, a, b, watcher)
            self.assertGreater(proxy.cuts, 3)

    def test_server_killed(self):
        with lib_wire.Server() as self.server:
            proxy = Proxy(self.server.address)
            self.addCleanup(proxy.close)
            a, b = self.seat_two(proxy.url, "first-blood")
            watcher = self.client("w", "watch", proxy.url + "/match/1", "--patience", "60")
            for turn in (1, 2, 3):
                a.wait_for("Turn %d." % turn)
                self.server.kill()
                self.server.start()
                proxy.address = self.server.address
            self.same_end("skirmish://%s:%d" % self.server.address, a, b, watcher)

    def go_back(self, options, new_key):
        """A game whose server comes back with an older day's data."""
        old = os.path.join(self.state, "old")
        with lib_wire.Server() as self.server:
            proxy = Proxy(self.server.address)
            self.addCleanup(proxy.close)
            a, b = self.seat_two(proxy.url, "tin-lizzy-down", "--fair", "strict", *options)
            a.wait_for("Turn 1.")
            self.server.kill()
            shutil.copytree(self.server.data, old, ignore=shutil.ignore_patterns("*.sock"))
            self.server.start()
            proxy.address = self.server.address
            a.wait_for("Turn 2.")
            b.wait_for("Turn 2.")
            self.server.kill()
            shutil.rmtree(self.server.data)
            shutil.copytree(old, self.server.data)
            if new_key:
                os.unlink(os.path.join(self.server.data, "master.key"))
            self.server.start()
            proxy.address = self.server.address
            a.wait_for("the server went back")
            b.wait_for("the server went back")
            if options:
                self.same_end("skirmish://%s:%d" % self.server.address, a, b)
            else:
                conn = self.server.connect()
                conn.hello()
                conn.call("session.guest")
                sync = conn.call("match.watch", match=1, after=0)
                # A roll that was open then may have been made; nobody gave a link for another future.
                self.assertLessEqual(sync["dice"]["n"], rolls_of(old) + 1)
                conn.close()

    def test_server_went_back(self):
        self.go_back((), new_key=False)

    def test_restored_and_told_to_go_on(self):
        self.go_back(("--go-on",), new_key=True)

    def test_old_data_and_told_to_go_on(self):
        """Without a new key the server knows nothing of it, and one anchors before the other."""
        self.go_back(("--go-on",), new_key=False)

    def test_lines_through_a_pipe(self):
        with lib_wire.Server() as self.server:
            url = "skirmish://%s:%d" % self.server.address
            bot = self.client("b", "bot", url, "--name", "Bea", "--seed", "3")
            bot.wait_for("Waiting for an open match")
            player = self.client("a", "play", url, "--name", "Ada", "--create", "first-blood",
                                 "--side", "red", stdin=subprocess.PIPE)
            player.say("m r9 b4", "m r1 b9", "m r1 b3 n", "legal r1", "odds r3", "board", "who",
                       "u", "xyzzy", "say good luck", "e", "resign", "resign now", "resign yes")
            player.process.stdin.close()
            player.process.stdin = None
            self.assertEqual(player.end(), 0, player.tail())
            for text in ("There is no figure r9; yours are r1", "Refused (R12)", "R1 may reach",
                         "Order ", "R1 moves b2 to b3, facing north.", "R1 can't act (R11)",
                         "R3 at f2 facing north", "is taken back.", " 10  ", "Ada plays Red (you)",
                         "xyzzy is no command", "Ada: good luck", "Red's phase ends.",
                         "Dice checked.", "`resign yes` does it", "resign [yes]",
                         "Result: blue, resign"):
                player.wait_for(text)
            self.same_end(url, player, bot)

    def test_exit_codes(self):
        def code(*args):
            client = self.client("x", *args)
            return client.end()

        with lib_wire.Server() as self.server:
            url = "skirmish://%s:%d" % self.server.address
            self.assertEqual(code("play", url, "--join", "99"), 77)
            self.assertEqual(code("play", url, "--join", "any"), 75)
            self.assertEqual(code("watch", url), 64)
            self.assertEqual(code("play", "http://x"), 64)
            self.assertEqual(code("bot", url, "--level", "general"), 64)
        self.assertEqual(code("play", url, "--join", "1"), 69)


if __name__ == "__main__":
    unittest.main(verbosity=2)
