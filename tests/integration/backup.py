#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""Backups made while people play, and what proves them: restored to scratch, every match played
again; damage found; a server that goes on from one."""
import glob
import gzip
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import catch_up, play, seat_pair  # noqa: E402
from lib_wire import PATIENCE_S, Server, equal, need, program, run  # noqa: E402

DATAERR, NOINPUT, TEMPFAIL = 65, 66, 75
NAME = re.compile(r"skirmish-\d{8}T\d{6}Z\.db$")


def skirmishd(*options):
    done = subprocess.run([program("skirmishd"), *options], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout + done.stderr


class Club:
    """A server with a configuration file that says where backups go, and two who play there."""

    def __init__(self, keep=14, more=""):
        self.top = tempfile.mkdtemp(prefix="skirmishd-")
        self.dir = os.path.join(self.top, "backups")
        os.mkdir(self.dir)
        conf = os.path.join(self.top, "conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write("[backup]\ndirectory = %s\nkeep = %d\n%s" % (self.dir, keep, more))
        self.server = Server("--config", conf)

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *args):
        self.server.__exit__(*args)
        subprocess.run(["rm", "-rf", self.top], check=True)

    def seat(self, fair, names):
        match, ann, bob = seat_pair(self.server, "first-blood", 7, names=names, fair=fair)
        return match, [ann, bob]

    def backup(self, during=lambda: None):
        """The newest backup, made now."""
        before = self.server.log().count("backup.done")
        self.server.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE_S
        while self.server.log().count("backup.done") == before:
            need(time.monotonic() < deadline and "backup.failed" not in self.server.log(),
                 "no backup\n%s" % self.server.log()[-2000:])
            during()
        return os.path.join(self.dir, sorted(f for f in os.listdir(self.dir) if NAME.match(f))[-1])


def until(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        need(time.monotonic() < deadline, "never " + what)
        time.sleep(0.02)  # polling a file, within the deadline


def archived(server):
    """Matches whose record stands whole in the archive's files."""
    count = 0
    for path in glob.glob(os.path.join(server.data, "archive", "*.ndjson.gz")):
        try:
            with gzip.open(path, "rt", encoding="utf-8") as file:
                count += sum(line.startswith('{"row":') for line in file)
        except (EOFError, gzip.BadGzipFile):  # it is being written
            return -1
    return count


def orders(bots, match, n):
    enough = sum(bot.views[match].orders for bot in bots) + n
    play(bots, match, until=lambda: sum(bot.views[match].orders for bot in bots) >= enough
         or all(bot.views[match].over() for bot in bots))


def made_while_playing(_server):
    with Club() as club:
        games = [club.seat(fair, names) for fair, names in (
            ("strict", ("ann", "bob")), ("server", ("cid", "dan")))]
        for match, bots in games:
            orders(bots, match, 12)
        made = club.backup(lambda: orders(games[0][1], games[0][0], 1))
        equal(os.stat(made).st_mode & 0o777, 0o600, "the backup's mode")
        equal([f for f in os.listdir(club.dir) if not NAME.match(f)], [], "leftovers")
        with open(os.path.join(club.server.data, "master.key"), encoding="ascii") as key, \
                open(made, "rb") as db:
            need(bytes.fromhex(key.read().split()[2]) not in db.read(), "the key is in the backup")
        with open(made, "rb") as file:
            before = file.read()
        code, words = skirmishd("--check-backup", made)
        equal(code, 0, words)
        need("2 matches" in words and "every hash is the same" in words, words)
        with open(made, "rb") as file:
            need(file.read() == before, "the check wrote to the backup")
        for match, bots in games:  # and they play on
            play(bots, match)
            bots[0].verified_record(match)


def old_ones_go(_server):
    with Club(keep=2) as club:
        for year in (2020, 2021, 2022):
            with open(os.path.join(club.dir, "skirmish-%d0101T000000Z.db" % year), "wb"):
                pass
        for name in (".skirmish-20200101T000000Z.partial", "skirmish-mine.db", "other"):
            with open(os.path.join(club.dir, name), "wb"):
                pass
        made = os.path.basename(club.backup())
        equal(sorted(os.listdir(club.dir)),
              sorted(["skirmish-20220101T000000Z.db", made, "skirmish-mine.db", "other"]), "left")


def nowhere_to_put_it(server):
    server.process.send_signal(signal.SIGUSR1)
    deadline = time.monotonic() + PATIENCE_S
    while "no [backup] directory" not in server.log():
        need(time.monotonic() < deadline, server.log())
    with Club() as club:
        os.rmdir(club.dir)
        club.server.process.send_signal(signal.SIGUSR1)
        while "backup.failed" not in club.server.log():
            need(time.monotonic() < deadline, club.server.log())
        club.server.connect().hello()  # and it serves on
        os.mkdir(club.dir)


def tamper(path, sql, *params):
    db = sqlite3.connect(path)
    db.execute(sql, params)
    db.commit()
    db.close()


def finds_damage(server):
    server.stop()
    with Club() as club:
        match, bots = club.seat("server", ("ann", "bob"))
        orders(bots, match, 10)
        made = club.backup()
        with open(made, "rb") as file:
            sound = file.read()
        club.server.stop()
        db = sqlite3.connect(made)
        pos, lines = db.execute("SELECT pos, lines FROM journal ORDER BY pos DESC LIMIT 1"
                                " OFFSET 3").fetchone()
        db.close()
        ways = {
            "another byte in a line": ("UPDATE journal SET lines=? WHERE pos=?",
                                       lines.replace(b"1", b"2", 1), pos),
            "a line is gone": ("DELETE FROM journal WHERE pos=?", pos),
            "the match's row is gone": ("UPDATE matches SET data=?", b"{}"),
        }
        for what, (sql, *params) in ways.items():
            tamper(made, sql, *params)
            code, words = skirmishd("--check-backup", made)
            equal(code, DATAERR, "%s: %s" % (what, words))
            code, words = skirmishd("--restore", made, "--data", club.server.data)
            equal(code, DATAERR, "%s: %s" % (what, words))
            need("nothing was changed" in words, words)
            with open(made, "wb") as file:
                file.write(sound)
        with open(made, "wb") as file:
            file.write(sound[:len(sound) // 2])
        equal(skirmishd("--check-backup", made)[0], DATAERR, "half a file")
        equal(skirmishd("--check-backup", made + "x")[0], NOINPUT, "no file")
        club.server.start()
        for bot in bots:
            bot.reconnect()
        orders(bots, match, 2)
    server.start()


def nobody_else_has_it(server):
    live = os.path.join(server.data, "skirmish.db")
    for job in ("--check-backup", "--dry-run-upgrade"):
        code, words = skirmishd(job, live)
        equal(code, TEMPFAIL, words)
    with Club() as club:
        made = club.backup()
        equal(skirmishd("--restore", made, "--data", server.data)[0], TEMPFAIL, "a server runs there")
    match, ann, bob = seat_pair(server, "first-blood", 3, fair="server")
    orders([ann, bob], match, 5)
    server.kill()  # its log stays beside the database
    code, words = skirmishd("--dry-run-upgrade", live)
    equal(code, 0, words)
    need("upgrade to" in words and "1 matches" in words, words)
    server.start()
    ann.reconnect()
    bob.reconnect()
    orders([ann, bob], match, 2)


def goes_on_from_it(_server):
    """All is lost but the backup; the games in it go on from where it was made, with new dice."""
    with Club() as club:
        match, bots = club.seat("server", ("cid", "dan"))
        orders(bots, match, 8)
        catch_up(bots, match)
        heads = [bot.views[match].head for bot in bots]
        tokens = [bot.token for bot in bots]
        made = club.backup()
        orders(bots, match, 4)
        club.server.stop()
        key = os.path.join(club.server.data, "master.key")
        with open(key, encoding="ascii") as file:
            old_key = file.read()
        code, words = skirmishd("--restore", made, "--data", club.server.data)
        equal(code, 0, words)
        need(not os.path.exists(key), "the old key is still in place")
        kept = [f for f in os.listdir(club.server.data) if ".before-" in f]
        equal(sorted(f.split(".before-")[0] for f in kept), ["master.key", "skirmish.db"], "kept")
        club.server.start()
        with open(key, encoding="ascii") as file:
            need(file.read().split()[1:] != old_key.split()[1:], "the key is the old one")
        conn = club.server.connect()
        conn.hello()
        conn.call("session.resume", token=tokens[0])  # as of the backup
        result = conn.call("match.sync", match=match)
        need(result["head"] > max(heads) and result["hash"], "the match as of the backup")
        tail = conn.call("match.sync", match=match, after=heads[0])["events"]
        kinds = [(e["entry"]["kind"], e["entry"].get("role")) for e in tail]
        need(("anchor", "S") in kinds, "no new chain of the server: %s" % kinds)


def takes_the_archive_along(_server):
    """What is over is in the backup too, and on another machine; two backups share one archive."""
    with Club(more="[archive]\nafter_s = 0\n") as club:
        records = {}
        for number, names in enumerate((("ann", "bob"), ("cid", "dan"))):
            match, bots = club.seat("server", names)
            orders(bots, match, 6)
            bots[0].call("match.resign", match=match)
            catch_up(bots, match)
            records[match] = bots[0].verified_record(match)
            for bot in bots:
                bot.drop()
            until(lambda n=number: archived(club.server) > n, "archived")
            made = club.backup()
        code, words = skirmishd("--check-backup", made)
        equal(code, 0, words)
        need("2 matches (2 of them archived)" in words, words)
        files = os.listdir(os.path.join(club.dir, "archive"))
        equal(len(files), 1, "the archive's mirror: %s" % files)
        with Server() as other:
            other.stop()
            for _ in range(2):  # the second puts the first one's aside
                equal(skirmishd("--restore", made, "--data", other.data)[0], 0, "restore")
            other.start()
            conn = other.connect()
            conn.guest("eve")
            for match, record in records.items():
                lines = conn.call("match.record", match=match)["lines"]
                equal("".join(line + "\n" for line in lines).encode("utf-8"), record, "a record")
        path = os.path.join(club.dir, "archive", files[0])
        with open(path, "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
        code, words = skirmishd("--check-backup", made)
        equal(code, DATAERR, words)
        need("load.aside" in words and "what=archived" in words, words)


TESTS = [made_while_playing, old_ones_go, nowhere_to_put_it, finds_damage, nobody_else_has_it,
         goes_on_from_it, takes_the_archive_along]

if __name__ == "__main__":
    run(TESTS)
