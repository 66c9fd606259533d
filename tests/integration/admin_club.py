#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""admin_club.py -- skirmishctl against a live server with games on it: bans, invites, an operator as
umpire, checks, and what the server is told to do with itself."""
import contextlib
import json
import os
import socket
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_club import NO_CLOCK, PASSWORD, entries, hello, login, member, seated, until  # noqa: E402
from lib_ctl import answer, ctl, kept, no, notice, run_ctl  # noqa: E402
from lib_wire import PATIENCE_S, Conn, Server, equal, need, program, run  # noqa: E402

REFUSED, USAGE, DATAERR = 1, 64, 65


def database(server):
    return sqlite3.connect(os.path.join(server.data, "skirmish.db"))


class From(Conn):
    """A connection from another address of this machine."""
    source = "127.0.0.2"

    def open(self, address):
        return socket.create_connection(address, PATIENCE_S, source_address=(self.source, 0))


def greeting(server, source):
    """The first line that a connection from there hears."""
    with socket.create_connection(server.address, PATIENCE_S, source_address=(source, 0)) as sock:
        return json.loads(sock.makefile("rb").readline())


def is_banned(server, source="127.0.0.2"):
    line = greeting(server, source)
    if line.get("method") == "server.welcome":
        return False
    equal(line["error"]["data"]["reason"], "denied", "to a banned address")
    return True


# ---- addresses ----

def bans(server):
    far, near = From(server.address), hello(server)
    far.hello()
    got = ctl(server, "ban", "127.0.0.2", "--reason", "spam")
    equal(got, {"address": "127.0.0.2", "closed": 1}, "ban")
    far.wait_closed()
    near.call("session.ping")
    kept(server, "ban", address="127.0.0.2", reason="spam")
    for again in range(2):
        need(is_banned(server) and not is_banned(server, "127.0.0.1"), "who is banned")
        listed = ctl(server, "bans")["bans"]
        equal([(b["address"], b["until"], b["reason"]) for b in listed],
              [("127.0.0.2", 0, "spam")], "bans")
        if again == 0:
            server.stop()
            server.start()
    no(server, REFUSED, "not_found", "unban", "127.0.0.3")
    ctl(server, "unban", "127.0.0.2/32")
    kept(server, "unban", address="127.0.0.2/32")
    need(not is_banned(server), "unbanned")
    ctl(server, "ban", "127.0.0.7/30", "--for", "3s")
    equal(ctl(server, "bans")["bans"][0]["address"], "127.0.0.4/30", "a network")
    need(is_banned(server, "127.0.0.5") and not is_banned(server), "who is in it")
    server.stop()
    server.start()
    until(lambda: not is_banned(server, "127.0.0.5"), "the ban's end")
    equal(ctl(server, "bans")["bans"], [], "bans in force")
    equal(ctl(server, "ban", "2001:DB8:0:0:1::/32")["address"], "2001:db8::/32", "IPv6")


# ---- invites: issue 4's registration by invite code ----

def invites(_server):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write("[accounts]\nregister = invite\n")
        conf.flush()
        with Server("--config", conf.name) as server:
            equal(ctl(server, "status")["register"], "invite", "registration")
            made = ctl(server, "invite", "make", "--uses", "2", "--for", "1d")
            kept(server, "invite", uses=2, id=made["id"])
            need(made["code"] not in json.dumps(ctl(server, "audit")), "a code in the audit")
            hello(server).refused("denied", "session.register", name="ann", password=PASSWORD)
            hello(server).refused("denied", "session.register", name="ann", password=PASSWORD,
                                  invite="abcdefghjkmn")
            member(server, "ann", invite=made["code"])
            server.stop()
            server.start()
            equal([(i["id"], i["uses"]) for i in ctl(server, "invite", "list")["invites"]],
                  [(made["id"], 1)], "invites after a restart")
            member(server, "bob", invite=made["code"])
            hello(server).refused("denied", "session.register", name="cid", password=PASSWORD,
                                  invite=made["code"])
            equal(ctl(server, "invite", "list")["invites"], [], "used up")
            for key in ("code", "id"):
                made = ctl(server, "invite", "make")
                ctl(server, "invite", "revoke", made[key])
                kept(server, "revoke", id=made["id"])
                hello(server).refused("denied", "session.register", name="cid", password=PASSWORD,
                                      invite=made["code"])
            no(server, REFUSED, "not_found", "invite", "revoke", made["code"])
            made = ctl(server, "invite", "make", "--for", "1s")
            until(lambda: not ctl(server, "invite", "list")["invites"], "the code's end")
            hello(server).refused("denied", "session.register", name="cid", password=PASSWORD,
                                  invite=made["code"])


# ---- matches ----

def judged(server):
    ann, bob = member(server, "ann"), member(server, "bob")
    sides = []
    for act, words, over in (
            ("adjudicate", ("blue", "--reason", "bob is ill"), {"winner": "blue",
                                                                "reason": "adjudicated"}),
            ("adjudicate", ("draw", "--reason", "late"), {"winner": None, "reason": "adjudicated"}),
            ("void", ("--reason", "a bug"), {"winner": None, "reason": "void"})):
        match, *_ = seated(ann, bob)
        ctl(server, "pause", match, "--reason", "a look")
        no(server, REFUSED, "phase", "pause", match, "--reason", "again")
        ctl(server, "resume", match, "--reason", "done")
        ctl(server, act, match, *words)
        ended = ann.wait_note("match.event", lambda p, m=match: p["match"] == m and
                              p["entry"]["kind"] == "over")["entry"]
        equal({k: ended[k] for k in over}, over, act)
        journal = [e for e in entries(ann, match) if e["kind"] == "umpire"]
        equal([(e["by"], e["act"], e["reason"]) for e in journal],
              [("operator", "pause", "a look"), ("operator", "resume", "done"),
               ("operator", act, words[-1])], "the journal")
        kept(server, act, match=match, reason=words[-1])
        no(server, REFUSED, "phase", act, match, *words)
        sides.append(match)
    match, *_ = seated(ann, bob)
    no(server, USAGE, "params", "adjudicate", match, "green", "--reason", "x")
    code, out, _ = run_ctl(server, "show", sides[0])
    need(code == 0 and "adjudicated" in out, out)
    open_one = ann.call("match.create", scenario="first-blood", side="red", clock=NO_CLOCK)
    ctl(server, "void", str(open_one["no"]), "--reason", "spam")
    no(server, REFUSED, "not_found", "void", "999", "--reason", "x")


def umpires(server):
    """Who is made umpire may look at private games and act in them; whoever is so no longer mayn't."""
    ann, bob, uwe = (member(server, name) for name in ("ann", "bob", "uwe"))
    match = ann.call("match.create", scenario="first-blood", side="red", clock=NO_CLOCK, fair="server",
                     private=True, opponent="bob")["match"]
    bob.call("match.join", match=match)
    uwe.refused("denied", "match.watch", match=match)
    ctl(server, "role", "uwe", "umpire")
    uwe.call("match.watch", match=match)
    uwe.call("match.umpire", match=match, act="pause", reason="dinner")
    equal([e["by"] for e in entries(ann, match) if e["kind"] == "umpire"], ["uwe"], "the journal")
    ctl(server, "role", "uwe", "member")
    uwe.refused("denied", "match.umpire", match=match, act="resume", reason="dinner")


def checked(server):
    """All of it is sound; a flipped bit is found, named, and shown as broken to its players."""
    ann, bob = member(server, "ann"), member(server, "bob")
    done, *_ = seated(ann, bob)
    bob.call("match.resign", match=done)
    match = ann.call("match.create", scenario="first-blood", side="red", clock=NO_CLOCK,
                     opponent="bob")["match"]
    other, *_ = seated(ann, bob)
    equal(ctl(server, "check"), {"matches": 3, "bad": 0, "found": []}, "check")
    equal(ctl(server, "check", "all")["matches"], 3, "check all")
    equal(ctl(server, "check", other)["matches"], 1, "check of one")
    no(server, REFUSED, "not_found", "check", "99")
    server.stop()
    with contextlib.closing(database(server)) as db, db:
        pos, lines = db.execute("SELECT j.pos, j.lines FROM journal j JOIN matches m"
                                " ON m.mkey=j.mkey WHERE m.id=?", (bytes.fromhex(match),)).fetchone()
        spoilt = bytearray(lines)
        spoilt[len(spoilt) // 2] ^= 1
        db.execute("UPDATE journal SET lines=? WHERE pos=?", (bytes(spoilt), pos))
    server.start()
    got = ctl(server, "check", code=DATAERR)
    equal((got["matches"], got["bad"], [f["match"] for f in got["found"]]), (3, 1, [match]),
          "what is found")
    equal([m["match"] for m in ctl(server, "matches", "--state", "broken")["matches"]], [match],
          "broken matches")
    equal(ctl(server, "show", match)["match"]["state"], "broken", "show")
    ann, bob = login(server, "ann"), login(server, "bob")
    for conn, role in ((ann, "A"), (bob, None)):
        mine = {m["match"]: m for m in conn.call("match.mine")["matches"]}
        equal((mine[match]["state"], mine[match]["role"], mine[match]["mine"]),
              ("broken", role, False), "match.mine")
        need(other in mine, "the other one is there too")


# ---- the server ----

def words_to_all(server):
    ann = member(server, "ann")
    equal(ctl(server, "announce", "Club", "night", "at eight"), {"told": 1}, "announce")
    notice(ann, "Club night at eight")
    kept(server, "announce", text="Club night at eight")
    ctl(server, "motd", "be kind")
    kept(server, "motd", text="be kind")
    equal(server.connect().welcome["motd"], "be kind", "motd")
    server.stop()
    server.start()
    equal(server.connect().welcome["motd"], "be kind", "motd after a restart")
    ctl(server, "motd", "--reset")
    equal(server.connect().welcome["motd"], "", "the configuration's motd")


def shell_jobs(server):
    ann, bob = member(server, "ann"), member(server, "bob")
    match, *_ = seated(ann, bob)
    no(server, REFUSED, "not_found", "backup")
    with tempfile.TemporaryDirectory() as top:
        words = ctl(server, "backup", top)["words"]
        kept(server, "backup", directory=top)
        path = words.split(": ")[0]
        need(os.path.dirname(path) == top and words.endswith("sound"), words)
        code, out, _ = run_ctl(None, "check", "--backup", path)
        need(code == 0 and "1 matches" in out, out)
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) // 2)
            file.write(b"x" * 5000)
        equal(run_ctl(None, "check", "--backup", path)[0], DATAERR, "a spoilt backup")
        need("error" in answer(server, "backup", os.path.join(top, "no"))[1], "no such directory")
    ctl(server, "reload")
    kept(server, "reload")
    pid = ctl(server, "status")["pid"]
    now = ctl(server, "upgrade")["pid"]
    need(now != pid, "another process")
    kept(server, "upgrade")
    equal(ctl(server, "status")["pid"], now, "who serves")
    login(server, "ann").call("match.sync", match=match)
    ctl(server, "drain")
    server.process.wait(PATIENCE_S)
    until(lambda: not is_there(now), "the end of the new server")
    need(not os.path.exists(os.path.join(server.data, "admin.sock")), "the socket is left behind")
    server.process.stdout.close()
    server.process = None
    server.start()
    equal(ctl(server, "status")["members"], 2, "all is there")


def is_there(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        return file.read().split(")")[1].split()[0] != "Z"


def drained(server):
    ann, bob = member(server, "ann"), member(server, "bob")
    match, *_ = seated(ann, bob)
    no(server, REFUSED, "phase", "drain", "--cancel")
    ctl(server, "drain", "--in", "1h", "--reason", "new disk")
    kept(server, "drain", in_s=3600, reason="new disk")
    equal(ann.wait_note("server.closing"), {"in_s": 3600, "reason": "new disk"}, "server.closing")
    ann.refused("busy", "match.create", scenario="first-blood", side="red", clock=NO_CLOCK)
    ann.call("match.sync", match=match)  # games go on
    need("drains_at" in ctl(server, "status"), "status tells")
    ctl(server, "drain", "--cancel")
    notice(ann, "stays open")
    ann.call("match.create", scenario="first-blood", side="red", clock=NO_CLOCK)
    ctl(server, "drain", "--in", "1s")
    equal(server.process.wait(PATIENCE_S), 0, "the end")
    server.process.stdout.close()
    server.process = None
    server.start()
    kept(server, "drain", in_s=1)


def certificate(_server):
    with tempfile.TemporaryDirectory() as top:
        code, out, _ = run_ctl(None, "tls", "selfsign", top)
        need(code == 0 and "SHA256:" in out, out)
        equal(os.stat(os.path.join(top, "tls.key")).st_mode & 0o777, 0o600, "the key's mode")
        again = run_ctl(None, "tls", "selfsign", os.path.join(top, "tls.crt"),
                        os.path.join(top, "tls.key"))
        equal(again[:2], (0, out), "what is there stays")
        os.unlink(os.path.join(top, "tls.key"))
        equal(run_ctl(None, "tls", "selfsign", top)[0], DATAERR, "a certificate without its key")


if __name__ == "__main__":
    program("skirmishctl")
    run((bans, invites, judged, umpires, checked, words_to_all, shell_jobs, drained,
         certificate))
