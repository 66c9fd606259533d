#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""admin.py -- skirmishctl against a live server with games on it: what it shows, who may use it, and
what it does to accounts; what the players see of that, where it is kept, and that it lasts."""
import contextlib
import json
import os
import pwd
import socket
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_club import PASSWORD, active, end_phase, hello, login, member, resumed, seated, until  # noqa: E402
from lib_ctl import audit, ctl, kept, no, notice, run_ctl  # noqa: E402
from lib_wire import PATIENCE_S, Failure, Refusal, equal, need, program, run  # noqa: E402

REFUSED, USAGE, UNAVAILABLE = 1, 64, 69


# ---- looking ----

def looking(server):
    ann, bob = member(server, "ann"), member(server, "bob", email="bob@example.org")
    match, *_ = seated(ann, bob)
    status = ctl(server, "status")
    equal((status["online"], status["members"], status["matches"]["live"], status["pid"]),
          (2, 2, 1, server.process.pid), "status")
    players = {p["name"]: p for p in ctl(server, "players")["players"]}
    equal(sorted(players), ["ann", "bob"], "players")
    equal(players["ann"]["connections"], [{"address": "127.0.0.1", "tls": False}], "from where")
    bob_is = ctl(server, "player", "BOB")["player"]
    equal((bob_is["name"], bob_is["email"], bob_is["matches"]), ("bob", "bob@example.org", [1]),
          "player")
    bob.close()
    until(lambda: len(ctl(server, "players")["players"]) == 1, "bob's end")
    equal(len(ctl(server, "players", "--all")["players"]), 2, "all players")
    equal([m["match"] for m in ctl(server, "matches", "--state", "live")["matches"]], [match],
          "matches")
    for name in ("1", match):
        shown = ctl(server, "show", name)
        equal((shown["match"]["match"], [s["player"] for s in shown["seats"]]),
              (match, ["ann", "bob"]), "show")
    no(server, REFUSED, "not_found", "show", "77")
    no(server, REFUSED, "not_found", "player", "nobody")
    equal(ctl(server, "audit")["audit"], [], "looking stands in no audit")
    for words in (["status"], ["players", "--all"], ["player", "ann"], ["matches"], ["show", "1"],
                  ["audit"], ["bans"], ["invite", "list"], ["check"], ["motd"]):
        code, out, err = run_ctl(server, *words)
        need(code == 0 and out.strip() and not err, "%s: %d %r %r" % (words, code, out, err))


def words_that_are_wrong(server):
    for words in ([], ["nonsense"], ["show"], ["show", "1", "2"], ["ban"], ["suspend", "ann"],
                  ["ban", "1.2.3.4", "--for", "soon"], ["status", "--loud"], ["adjudicate", "1"],
                  ["ban", "1.2.3.4", "--for"], ["tls", "selfsign"]):
        code, out, err = run_ctl(server, *words)
        need(code == USAGE and err.startswith("skirmishctl: ") and not out,
             "%s: %d %r %r" % (words, code, out, err))
    for address in ("1.2.3", "1.2.3.4/33", "::/129", "1:2:3:4:5:6:7:8:9", "host", "1.2.3.4/"):
        no(server, USAGE, "params", "ban", address)
    code, out, _ = run_ctl(server, "--help")
    need(code == 0 and all(w in out for w in ("player erase NAME", "tls selfsign", "Exit codes")),
         out)
    equal(run_ctl(server, "ban", "--help")[0], 0, "a command's help")
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([program("skirmishctl"), "--data", empty, "status"],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        equal(done.returncode, UNAVAILABLE, done.stderr)
    with raw(server) as sock:  # what no skirmishctl says
        for line, reason in (("nonsense", "parse"), ("{}", "parse"), ('{"cmd":"dance"}', "method"),
                             ('{"cmd":"show","match":{}}', "params"),
                             ('{"cmd":"announce","text":"a\\u202eb"}', "params")):
            sock.sendall(line.encode() + b"\n")
            equal(json.loads(sock.reader.readline())["error"]["reason"], reason, line)
        sock.sendall(b'{"cmd":"status"}\n{"cmd":"bans"}\n')  # each in its turn
        need("pid" in json.loads(sock.reader.readline())["result"], "status")
        equal(json.loads(sock.reader.readline())["result"], {"bans": []}, "bans")


def raw(server):
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(PATIENCE_S)
    sock.connect(os.path.join(server.data, "admin.sock"))
    return Raw(sock)


class Raw:
    def __init__(self, sock):
        self.sock, self.reader = sock, sock.makefile("rb")
        self.sendall = sock.sendall

    def __enter__(self):
        return self

    def __exit__(self, *_args):
        self.reader.close()
        self.sock.close()


# ---- who may ----

def others(server):
    """Another user is refused: by the socket's mode, and where that was opened by the kernel's word."""
    path = os.path.join(server.data, "admin.sock")
    equal(os.stat(path).st_mode & 0o777, 0o600, "the socket's mode")
    if os.getuid() != 0:
        print("not root: other users are not tried")
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    equal(as_user(nobody, path), b"EACCES", "by a closed directory")
    os.chmod(server.data, 0o755)
    equal(as_user(nobody, path), b"EACCES", "by the socket's mode")
    os.chmod(path, 0o666)
    told = json.loads(as_user(nobody, path))
    equal(told["error"]["reason"], "auth", "by the kernel's word")
    need("admin.refused uid=%d" % nobody in server.log(), "and logged")
    equal(ctl(server, "audit")["audit"], [], "nothing was done")
    os.chmod(server.data, 0o700)


def as_user(uid, path):
    """What a process of that user hears when it asks."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        text = b"?"
        try:
            os.setgroups([])
            os.setuid(uid)
            with socket.socket(socket.AF_UNIX) as sock:
                sock.settimeout(PATIENCE_S)
                sock.connect(path)
                with contextlib.suppress(BrokenPipeError):  # it may be closed already
                    sock.sendall(b'{"cmd":"drain"}\n')
                text = sock.makefile("rb").readline()
        except PermissionError:
            text = b"EACCES"
        except OSError as error:
            text = str(error).encode()
        os.write(into, text)
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text


# ---- people ----

def accounts(server):
    made = ctl(server, "add", "uwe", "--role", "umpire", "--email", "uwe@example.org")
    uwe = login(server, "uwe", made["password"])
    equal(uwe.user["role"], "umpire", "an added umpire")
    kept(server, "add", player="uwe", role="umpire")
    equal(ctl(server, "add", "mia", "--password-stdin", stdin="long enough\n"), {"player": "mia"},
          "a given password isn't said again")
    mia = login(server, "mia", "long enough")
    need("long enough" not in json.dumps(ctl(server, "audit")), "a password in the audit")
    no(server, REFUSED, "conflict", "add", "MIA")
    no(server, USAGE, "params", "add", "no")
    ctl(server, "role", "mia", "admin", "--reason", "helps out")
    notice(mia, "admin")
    kept(server, "role", player="mia", role="admin", reason="helps out")
    equal(login(server, "mia", "long enough").user["role"], "admin", "the new role")
    fresh = ctl(server, "reset-password", "mia", "--reason", "forgotten")["password"]
    mia.wait_closed()
    kept(server, "reset-password", player="mia", reason="forgotten")
    hello(server).refused("auth", "session.login", name="mia", password="long enough")
    hello(server).refused("auth", "session.resume", token=mia.token)
    server.stop()
    server.start()
    mia = login(server, "mia", fresh)
    notice(mia, "new password")
    equal(mia.user["role"], "admin", "the role after a restart")
    uwe = login(server, "uwe", made["password"])
    ctl(server, "kick", "uwe", "--reason", "asleep")
    notice(uwe, "asleep")
    uwe.wait_closed()
    kept(server, "kick", player="uwe", reason="asleep")
    no(server, REFUSED, "phase", "kick", "uwe")
    login(server, "uwe", made["password"])


def suspended(server):
    ann, bob = member(server, "ann"), member(server, "bob")
    match, *_ = seated(ann, bob)
    ctl(server, "suspend", "bob", "--reason", "rude words")
    notice(bob, "rude words")
    bob.wait_closed()
    kept(server, "suspend", player="bob", reason="rude words")
    for again in range(2):
        conn = hello(server)
        with_words(conn, "rude words", "session.login", name="bob", password=PASSWORD)
        with_words(conn, "rude words", "session.resume", token=bob.token)
        conn.refused("auth", "session.login", name="bob", password="wrong password")
        conn.close()
        if again == 0:
            server.stop()
            server.start()
    no(server, REFUSED, "not_found", "suspend", "nobody", "--reason", "x")
    ann = login(server, "ann")
    ctl(server, "unsuspend", "bob")
    kept(server, "unsuspend", player="bob")
    bob = resumed(server, bob.token)  # the token is as it was
    notice(bob, "lifted")
    equal([m["match"] for m in bob.call("match.mine")["matches"]], [match], "the game is there")
    no(server, REFUSED, "phase", "unsuspend", "bob")
    ctl(server, "suspend", "bob", "--for", "2s", "--reason", "briefly")
    bob.wait_closed()
    until(lambda: can_login(server), "the suspension's end")
    ann.close()


def can_login(server):
    try:
        login(server, "bob").close()
    except Refusal as refusal:
        equal(refusal.reason, "denied", "of a suspended account")
        return False
    return True


def with_words(conn, words, method, **params):
    try:
        conn.call(method, **params)
    except Refusal as refusal:
        equal(refusal.reason, "denied", method)
        need(words in str(refusal), "%s: %s" % (method, refusal))
        return
    raise Failure("%s wasn't refused" % method)


def rows_of_users(server):
    with contextlib.closing(sqlite3.connect(os.path.join(server.data, "skirmish.db"))) as db:
        return b"".join(bytes(row[0]) for row in db.execute("SELECT data FROM users"))


def erased(server):
    ann, bob = member(server, "ann"), member(server, "bob", email="bob@example.org")
    bob.call("chat.mute", player="ann", on=True)
    ann.call("chat.mute", player="bob", on=True)
    match, *_ = seated(ann, bob, rated=True, fair="normal")
    words = no(server, REFUSED, "conflict", "player", "erase", "bob")
    need(words.endswith(" 1"), "it names the game: %s" % words)
    first, _ = active(ann, bob, match)
    end_phase(first, match)
    bob.call("match.resign", match=match)
    name = ctl(server, "player", "erase", "bob")["player"]
    bob.wait_closed()
    kept(server, "erase", player=name)
    need("bob" not in json.dumps(audit(server, "erase")), "the audit names who was erased")
    for again in range(2):
        ann = login(server, "ann")
        listed = ann.call("player.matches", player="ann")["matches"][0]
        equal((listed["match"], listed["joiner"]), (match, name), "the archive's list")
        equal([m["match"] for m in ann.call("player.matches", player=name)["matches"]], [match],
              "under the new name")
        equal(ann.call("player.get", player=name)["player"]["lost"], 1, "the profile")
        need(name in [p["name"] for p in ann.call("player.list")["players"]], "the ladder")
        ann.refused("not_found", "player.get", player="bob")
        record = ann.call("match.record", match=match)["lines"]
        need(any('"bob"' in line for line in record), "signed records keep the name")
        conn = hello(server)
        conn.refused("auth", "session.login", name="bob", password=PASSWORD)
        conn.refused("auth", "session.resume", token=bob.token)
        conn.refused("conflict", "session.register", name="Bob", password=PASSWORD)
        conn.refused("conflict", "session.guest", name="bob")
        need("email" not in ctl(server, "player", name)["player"], "the mail address is there")
        if again == 0:
            server.stop()
            server.start()
    server.stop()
    need(b"bob" not in rows_of_users(server), "the accounts' rows name bob")
    server.start()


if __name__ == "__main__":
    program("skirmishctl")
    run((looking, words_that_are_wrong, others, accounts, suspended, erased))
