# SPDX-License-Identifier: ISC
# timeout: 300
"""accounts.py -- registering, logging in, tokens, passwords; with restarts between the steps."""
import os
import sqlite3
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_club import (MAIL, PASSWORD, equal, guest, hello, login, member, need,  # noqa: E402
                      outcome, resumed, seated, until)
from lib_wire import Refusal, run  # noqa: E402


def restart(server, kill=False):
    server.kill() if kill else server.stop()
    server.start()


def with_config(server, text):
    """The same data under another configuration file."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False) as file:
        file.write(text)
    server.stop()
    server.options = ("--config", file.name)
    server.start()
    os.unlink(file.name)


def registering(server):
    """Names unique without case, passwords of eight characters, the account outlives restarts."""
    conn = hello(server)
    for name in ("ab", "x" * 21, "a b c", "Zo\u00e9", "", 5, None):
        data = conn.refused("params", "session.register", name=name, password=PASSWORD)
        equal(data["field"], "name", "field for %r" % (name,))
    for password in ("", "1234567", "x" * 257, 12345678):
        data = conn.refused("params", "session.register", name="Ann", password=password)
        equal(data["field"], "password", "field for %r" % (password,))
    ann = member(server, "Ann")
    conn.refused("conflict", "session.register", name="aNN", password=PASSWORD)
    conn.refused("conflict", "session.guest", name="ANN")
    ann.refused("phase", "session.register", name="Other", password=PASSWORD)
    held = guest(server, "Bob")
    conn.refused("conflict", "session.register", name="bob", password=PASSWORD)
    held.close()
    for kill in (False, True):
        restart(server, kill)
        equal(login(server, "ann").user, {"name": "Ann", "kind": "member", "role": "member"},
              "who comes back")
        conn = hello(server)
        conn.refused("conflict", "session.register", name="ANN", password=PASSWORD)
    text = open(os.path.join(server.data, "skirmish.db"), "rb").read()
    wal = os.path.join(server.data, "skirmish.db-wal")
    text += open(wal, "rb").read() if os.path.exists(wal) else b""
    need(PASSWORD.encode() not in text, "the password stands in the database")
    need(bytes.fromhex(ann.token) not in text and ann.token.encode() not in text,
         "a token stands in the database")
    need(b"$argon2id$v=19$m=19456,t=2," in text, "no argon2id of 19 MiB, t = 2")


def policies(server):
    """Open, by invite, closed; who has an account comes in all the same."""
    member(server, "Ann").close()
    with_config(server, "[accounts]\nregister = closed\n")
    hello(server).refused("denied", "session.register", name="Bob", password=PASSWORD)
    login(server, "Ann")
    guest(server, "Gus")
    with_config(server, "[accounts]\nregister = invite\n")
    conn = hello(server)
    conn.refused("denied", "session.register", name="Bob", password=PASSWORD)
    conn.refused("denied", "session.register", name="Bob", password=PASSWORD, invite="nothing")
    need(outcome(conn, "session.login", {"name": "Ann", "password": PASSWORD}) == "ok", "login")
    with_config(server, "[accounts]\nregister = open\n")
    member(server, "Bob")


def same_words_and_time(server):
    """Unknown name and wrong password can't be told apart, by words or by time."""
    member(server, "Ann")
    conn, texts, spans = hello(server), set(), {"Ann": [], "Nobody": []}

    def alike():
        known, unknown = (min(span) for span in spans.values())
        return 0.5 < known / unknown < 2

    while len(spans["Ann"]) < 8 or (len(spans["Ann"]) < 64 and not alike()):  # others work too
        for name, span in spans.items():
            began = time.monotonic()
            try:
                conn.call("session.login", name=name, password="wrong password")
            except Refusal as refusal:
                texts.add((refusal.reason, str(refusal), tuple(sorted(refusal.data))))
            span.append(time.monotonic() - began)
    equal(len(texts), 1, "words: %s" % (texts,))
    equal(list(texts)[0][0], "auth", "reason")
    known, unknown = (min(span) for span in spans.values())
    print("wrong password %.1f ms, unknown name %.1f ms (least of %d; medians %.1f, %.1f)" % (
        known * 1e3, unknown * 1e3, len(spans["Ann"]), *(statistics.median(s) * 1e3 for s in spans.values())))
    need(alike(), "the times differ")


def hashing_is_bounded(server):
    """Two at work and thirty or so in the queue; the next hear busy, and those who wait come in."""
    member(server, "Ann")
    conns = [hello(server) for _ in range(80)]
    for conn in conns:
        conn.asked = conn.send("session.login", name="Ann", password=PASSWORD)
    heard = []
    for conn in conns:
        try:
            heard.append("ok" if conn.reply(conn.asked)["token"] else "")
        except Refusal as refusal:
            heard.append(refusal.reason)
    need(set(heard) == {"ok", "busy"} and heard.count("ok") >= 32, "heard %s" % (
        {word: heard.count(word) for word in set(heard)},))
    need(outcome(conns[heard.index("busy")], "session.login",
                 {"name": "Ann", "password": PASSWORD}) == "ok", "busy for ever")


def rotating(server):
    """The old token dies; reuse once its successor was used ends all; the owner is told."""
    ann = member(server, "Ann")
    first = ann.token
    second = resumed(server, first)
    hello(server).refused("auth", "session.resume", token=first)  # only refused
    restart(server, kill=True)
    third = resumed(server, second.token)
    thief = hello(server)
    thief.refused("auth", "session.resume", token=first)
    notice = third.wait_note("server.notice")
    need("token" in notice["text"], "told: %s" % notice)
    restart(server)
    for token in (first, second.token, third.token):
        hello(server).refused("auth", "session.resume", token=token)
    late = login(server, "Ann")
    late.settle()
    need(not late.find_note("server.notice", lambda p: True), "told twice")
    # nobody is there when it happens: told at the next login
    fourth = resumed(server, late.token)
    fifth = resumed(server, fourth.token)
    for conn in (late, fourth, fifth):
        conn.close()
    other = guest(server, "Watch")
    other.call("lobby.follow")
    until(lambda: "Ann" not in [u["name"] for u in other.call("lobby.follow")["online"]],
          "Ann to be gone")
    thief = hello(server)
    thief.refused("auth", "session.resume", token=late.token)
    restart(server, kill=True)
    login(server, "Ann").wait_note("server.notice", lambda p: "token" in p["text"])


def client_made_tokens(server):
    """A lost reply: `next`, then `token`; one of them comes in, and nothing ends."""
    ann = member(server, "Ann")
    token = ann.token
    for turn in range(6):
        following = os.urandom(32).hex()
        conn = hello(server)
        conn.send("session.resume", token=token, next=following)
        if turn % 2:
            conn.abort()
            restart(server, kill=turn % 4 == 1)
        else:
            conn.settle()
            conn.abort()
        conn = hello(server)
        token = following if outcome(conn, "session.resume", {"token": following,
                                                              "next": following[::-1]}) == "ok" \
            else token
        if token == following:
            token = following[::-1]
        else:
            token = resumed(server, token).token
    resumed(server, token)


def passwords(server):
    ann, also = member(server, "Ann"), login(server, "Ann")
    ann.refused("auth", "session.password", old="wrong one", new="another horse")
    equal(ann.refused("params", "session.password", old=PASSWORD, new="short")["field"], "new",
          "field")
    equal(ann.call("session.password", old=PASSWORD, new="another horse"), {}, "changed")
    also.wait_note("server.notice")
    also.wait_closed()
    hello(server).refused("auth", "session.resume", token=also.token)
    restart(server, kill=True)
    hello(server).refused("auth", "session.login", name="Ann", password=PASSWORD)
    login(server, "Ann", "another horse")
    resumed(server, ann.token)  # the login that changed it goes on
    guest(server, "Gus").refused("denied", "session.password", old=PASSWORD, new="12345678")


def logging_out(server):
    """One login, or everywhere; a restart brings none of them back."""
    one, two, three = member(server, "Ann"), login(server, "Ann"), login(server, "Ann")
    equal(one.call("session.logout"), {}, "logout")
    one.refused("auth", "match.mine")
    hello(server).refused("auth", "session.resume", token=one.token)
    two.call("match.mine")
    restart(server)
    two, three = resumed(server, two.token), resumed(server, three.token)
    equal(two.call("session.logout", all=True), {}, "logout everywhere")
    three.wait_closed()
    restart(server, kill=True)
    for token in (one.token, two.token, three.token):
        hello(server).refused("auth", "session.resume", token=token)
    login(server, "Ann")


def fifty_times(server):
    """Log in over oneself fifty times, dying in all ways: one person, one place, few tokens."""
    watch = guest(server, "Watch")
    watch.call("lobby.follow")
    ann, bob = member(server, "Ann"), member(server, "Bob")
    match, *_ = seated(ann, bob, clock=MAIL)
    conns = [ann]
    for turn in range(50):
        conn = login(server, "Ann" if turn % 2 else "ANN")
        conn.call("match.sync", match=match)
        conns.append(conn)
        if turn % 3 == 0:
            conns.pop(0).abort()
        elif turn % 3 == 1:
            conns.pop(0).close()
    presence = bob.call("match.sync", match=match)
    equal(presence["players"], {"red": "Ann", "blue": "Bob"}, "players")
    online = [u["name"] for u in watch.call("lobby.follow")["online"]]
    equal(sorted(online), ["Ann", "Bob", "Watch"], "who is online")
    equal(len(conns[-1].call("match.mine")["matches"]), 1, "matches of Ann")
    for conn in conns:
        conn.abort()
    watch.wait_note("lobby.event", lambda p: p["kind"] == "offline" and p["user"]["name"] == "Ann")
    watch.settle()
    comings = [n["params"]["kind"] for n in watch.notes
               if n["method"] == "lobby.event" and n["params"].get("user", {}).get("name") == "Ann"]
    need(comings in (["online"], ["online", "offline", "online"]), "Ann: %s" % comings)
    server.kill()
    db = sqlite3.connect(os.path.join(server.data, "skirmish.db"))
    users = [name for name, in db.execute("SELECT name FROM users ORDER BY name")]
    tokens = db.execute("SELECT count(*) FROM tokens WHERE user='ann'").fetchone()[0]
    db.close()
    server.start()
    equal(users, ["ann", "bob"], "accounts")
    need(tokens <= 20, "%d tokens of Ann" % tokens)


TESTS = (registering, policies, same_words_and_time, hashing_is_bounded, rotating,
         client_made_tokens, passwords, logging_out, fifty_times)

if __name__ == "__main__":
    run(TESTS)
