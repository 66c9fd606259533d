# SPDX-License-Identifier: ISC
# timeout: 300
"""house_bots.py -- what [bots] names is seated by the server itself: takes challenges, several at
a time, plays them to the end over a crash of the server, declines what it can't take, is started
again when it dies, and goes with the server."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from lib_club import NO_CLOCK, guest, member  # noqa: E402
from lib_wire import (PATIENCE_S, Failure, Refusal, Server, equal, free_port, need,  # noqa: E402
                      program, run)


class Club(Server):
    """A server with a configuration file, on one port for all its lives."""

    def __init__(self, bots):
        super().__init__()
        self.address = ("127.0.0.1", free_port())
        self.config = os.path.join(self.data, "skirmishd.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("[bots]\n%s" % bots)

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [program("skirmishd"), "--config", self.config, "--data", self.data,
                 "--listen", "%s:%d" % self.address],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
        equal(self.read_stdout(), "listening %s:%d" % self.address, "standard output")


def wait(truth, what):
    deadline = time.monotonic() + PATIENCE_S
    while True:
        got = truth()
        if got:
            return got
        if time.monotonic() > deadline:
            raise Failure("no " + what)
        time.sleep(0.02)


def online(conn):
    return {user["name"] for user in conn.call("lobby.follow")["online"]}


def challenge(conn, bot, **more):
    """Once the bot is there."""
    wait(lambda: bot in online(conn), bot)
    params = dict({"scenario": "first-blood", "side": "red", "clock": NO_CLOCK, "fair": "server",
                   "opponent": bot}, **more)
    return conn.call("match.create", **params)["match"]


def state(conn, match):
    """Of a match of ours; None: it is gone or over for long."""
    for one in conn.call("match.mine")["matches"]:
        if one["match"] == match:
            return one["state"]
    return None


def children(pid):
    """Processes below it: {pid: command line}."""
    found, todo = {}, [pid]
    while todo:
        parent = todo.pop()
        try:
            with open("/proc/%d/task/%d/children" % (parent, parent), encoding="ascii") as file:
                below = [int(word) for word in file.read().split()]
        except OSError:
            continue
        for child in below:
            try:
                with open("/proc/%d/cmdline" % child, "rb") as file:
                    found[child] = file.read().replace(b"\0", b" ").decode()
            except OSError:
                continue
            todo.append(child)
    return found


def bots_of(server):
    return {pid: line for pid, line in children(server.process.pid).items() if "--house" in line}


def open_files(pid):
    folder = "/proc/%d/fd" % pid
    return {os.path.realpath(os.path.join(folder, name)) for name in os.listdir(folder)}


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Player:
    """The real client's bot, in a game against the house's."""

    def __init__(self, server, top, name, opponent):
        self.path = os.path.join(top, name + ".out")
        env = dict(os.environ, XDG_STATE_HOME=os.path.join(top, name), XDG_CONFIG_HOME=top)
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(
                [program("skirmish"), "bot", "skirmish://%s:%d" % server.address, "--name", name,
                 "--create", "first-blood", "--side", "red", "--opponent", opponent, "--json",
                 "--seed", "3"], env=env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT)

    def text(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def orders(self):
        return len(re.findall(r'"kind":"order"', self.text()))

    def finish(self):
        try:
            code = self.process.wait(2 * PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("%s: no end\n%s" % (self.path, self.text()[-2000:])) from None
        equal(code, 0, "%s: status\n%s" % (self.path, self.text()[-2000:]))
        lines = [json.loads(line) for line in self.text().splitlines() if line.startswith("{")]
        kinds = [note["params"]["entry"]["kind"] for note in lines
                 if note.get("method") == "match.event"]
        for note in lines:
            kinds += [e["entry"]["kind"] for e in note.get("result", {}).get("events", [])]
        need("over" in kinds, "%s: the game isn't over" % self.path)


def plays_over_a_crash(server):
    """Two games at once; the server is killed in the midst of both."""
    with tempfile.TemporaryDirectory() as top:
        looker = guest(server, "looker")
        wait(lambda: "Rusty" in online(looker), "Rusty")
        ann = Player(server, top, "ann", "Rusty")
        bob = Player(server, top, "bob", "Rusty")
        wait(lambda: min(ann.orders(), bob.orders()) >= 4, "orders in both games")
        before = set(bots_of(server))
        equal(len(before), 2, "bots")
        shared = set.union(*map(open_files, before)) & open_files(server.process.pid)
        equal(shared - {"/dev/null", server.log_path}, set(), "what bots hold of the server's")
        server.kill()
        wait(lambda: not any(is_alive(pid) for pid in before), "end of the bots")
        server.start()
        ann.finish()
        bob.finish()


def declines(server):
    """A rated challenge to a guest can't be: the server says so itself, and the bot goes on."""
    ann = member(server, "carol")
    wait(lambda: "Rusty" in online(ann), "Rusty")
    try:
        match = challenge(ann, "Rusty", rated=True)
    except Refusal as no:
        equal(no.reason, "denied", "a rated challenge to a guest")
    else:
        wait(lambda: state(ann, match) is None, "decline")
    match = challenge(ann, "Rusty")
    wait(lambda: state(ann, match) == "live", "the match that it takes")


def leaves_open_matches_alone(server):
    dora = guest(server, "dora")
    open_one = dora.call("match.create", scenario="first-blood", side="red", clock=NO_CLOCK,
                         fair="server")["match"]
    taken = challenge(dora, "Nemo")
    wait(lambda: state(dora, taken) == "live", "the challenge that is taken")
    equal(state(dora, open_one), "open", "an open match")
    dora.call("match.cancel", match=open_one)


def started_again(server):
    pid, line = sorted(bots_of(server).items())[0]
    name = line.split("--name ")[1].split()[0]
    os.kill(pid, signal.SIGKILL)
    wait(lambda: [p for p, now in bots_of(server).items() if p != pid and name in now],
         name + " again")
    erin = guest(server, "erin")
    wait(lambda: name in online(erin), name + " back")


def refused(_server):
    """A name that is none, or is there twice."""
    for bots, why in (("recruit = a!b\n", "a name is"), ("recruit = Al0\ncaptain = al0\n", "twice")):
        club = Club(bots)
        done = subprocess.run([program("skirmishd"), "--config", club.config, "--check-config"],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        shutil.rmtree(club.data)
        equal((done.returncode, why in done.stderr), (78, True), done.stderr)


def all_of_it(_server):
    with Club("recruit = Rusty\nsergeant = Nemo\n") as club:
        for part in (plays_over_a_crash, declines, leaves_open_matches_alone, started_again):
            part(club)
        pids = set(bots_of(club))
        equal(len(pids), 2, "bots")
        club.stop()
        wait(lambda: not any(is_alive(pid) for pid in pids), "end of the bots with the server")


if __name__ == "__main__":
    run([refused, all_of_it])
