# SPDX-License-Identifier: ISC
# timeout: 900
"""Two clients play a whole game through the real server, a third looks on from the middle.

Twenty games on each of the three first scenarios, with fresh dice each: all three processes must
end with the same state hash, and with the same result in words.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "integration"))
import lib_wire  # noqa: E402

BIN = os.environ["SK_BIN"]
GAMES = int(os.environ.get("SK_GAMES", "20"))
SCENARIOS = ("first-blood", "tin-lizzy-down", "cowboys-and-indians")
AT_ONCE = 4
GAME_SECONDS = 240


def client(state, *args):
    """A client process of its own, with a state directory of its own; JSON lines out."""
    env = dict(os.environ, XDG_STATE_HOME=os.path.join(state, "state"), XDG_CONFIG_HOME=state)
    return subprocess.Popen([os.path.join(BIN, "skirmish"), *args, "--json"], env=env, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def entries(line):
    """The (hash, state_hash, entry) events that a server's line carries."""
    message = json.loads(line)
    if message.get("method") == "match.event":
        return [message["params"]]
    return message.get("result", {}).get("events", []) if "result" in message else []


class Reader:
    """Follows one client's JSON lines to its end."""

    def __init__(self, process):
        self.process = process
        self.state_hash = None
        self.over = None
        self.seqs = set()

    def take(self, line):
        for event in entries(line):
            self.seqs.add(event["entry"]["seq"])
            if event["state_hash"]:
                self.state_hash = event["state_hash"]
            if event["entry"]["kind"] == "over":
                self.over = (event["entry"]["winner"], event["entry"]["reason"])

    def until(self, wanted):
        """Read until wanted() or the end of output."""
        for line in self.process.stdout:
            self.take(line)
            if wanted():
                return True
        return False

    def finish(self):
        self.until(lambda: False)
        error = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(GAME_SECONDS), error


def play(url, scenario, number, state):
    """One game; what each of the three saw."""
    dirs = [os.path.join(state, who) for who in "abw"]
    maker = client(dirs[0], "bot", url, "--name", f"A{number}-{scenario[:5]}", "--create",
                   scenario, "--side", "random", "--seed", str(number), "--patience", "60")
    a = Reader(maker)
    match = None
    for line in maker.stdout:
        a.take(line)
        message = json.loads(line)
        if "match" in message.get("result", {}):
            match = message["result"]["match"]
            break
    if match is None:
        raise AssertionError(f"no match was made: {maker.stderr.read()}")
    b = Reader(client(dirs[1], "bot", url, "--name", f"B{number}-{scenario[:5]}", "--join", match,
                      "--seed", str(1000 + number), "--patience", "60"))
    middle = 25 + number  # entries on the way: the watcher comes when play is well on
    with ThreadPoolExecutor(3) as pool:
        b_end = pool.submit(b.finish)
        a.until(lambda: len(a.seqs) > middle)
        w = Reader(client(dirs[2], "watch", f"{url}/match/{match}", "--patience", "60"))
        w_end = pool.submit(w.finish)
        ends = [a.finish(), b_end.result(), w_end.result()]
    return match, (a, b, w), ends


class ThreeClients(unittest.TestCase):
    def test_whole_games(self):
        with tempfile.TemporaryDirectory() as top, lib_wire.Server() as server:
            url = "skirmish://%s:%d" % tuple(server.address[:2])
            for scenario in SCENARIOS:
                hashes = set()
                with ThreadPoolExecutor(AT_ONCE) as pool:
                    jobs = [pool.submit(play, url, scenario, n, os.path.join(top, scenario, str(n)))
                            for n in range(GAMES)]
                    for job in jobs:
                        match, three, ends = job.result()
                        for reader, (code, error) in zip(three, ends):
                            self.assertEqual(code, 0, f"{scenario} {match}: {error}")
                            self.assertIsNotNone(reader.over, f"{scenario} {match}: {error}")
                        self.assertEqual(len({r.state_hash for r in three}), 1, match)
                        self.assertEqual(len({r.over for r in three}), 1, match)
                        hashes.add(three[0].state_hash)
                self.assertGreater(len(hashes), GAMES // 2, "the dice of the games are alike")


if __name__ == "__main__":
    unittest.main()
