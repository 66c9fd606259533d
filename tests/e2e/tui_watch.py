#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# timeout: 200
"""Looking on in full screen: the join costs a position, not the journal; the first step back
fetches what was before, once, and checks it; one goes to move one and forward while play goes on."""
import os
import re
import socket
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib_tmux import Failure, Screen, Server, need_tmux, program  # noqa: E402
from lib_bot import at_rest, play, seat_pair  # noqa: E402
from tui_play import quiet  # noqa: E402


class Relay:
    """Passes one connection on, and keeps what the client says."""

    def __init__(self, to):
        self.to, self.said = to, b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "skirmish://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.ends = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        client, _ = self.listener.accept()
        server = socket.create_connection(self.to)
        self.ends = [self.listener, client, server]
        threading.Thread(target=self.carry, args=(server, client, False), daemon=True).start()
        self.carry(client, server, True)

    def carry(self, source, sink, keep):
        try:
            while data := source.recv(65536):
                if keep:
                    self.said += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def lines(self, method):
        return [line for line in self.said.split(b"\n") if b'"%s"' % method.encode() in line]

    def close(self):
        for end in self.ends:
            end.close()


def until(bots, match, head):
    play(bots, match, until=lambda: any(
        b.views[match].over() or b.views[match].head >= head for b in bots))
    at_rest(bots, match)


def step_of(screen):
    found = re.search(r"step (\d+) of (\d+)", screen.text())
    return (int(found.group(1)), int(found.group(2))) if found else None


def look_on(screen, relay, match, bots):
    view = bots[0].views[match]
    joined = view.head
    screen.wait("Red ann|Red bob", r"(no dice checked yet|dice checked from roll \d+ on)",
                gone="dice checked ✓")
    watches = relay.lines("match.watch")
    if len(watches) != 1 or b'"after"' in watches[0]:
        raise Failure("not joined by the state alone: %s" % watches)
    if relay.lines("match.record"):
        raise Failure("the record was fetched unasked")
    screen.keys("[")
    screen.wait("Looking back", "dice checked ✓")
    screen.until(lambda: step_of(screen)[1] == joined, "all entries")
    screen.keys("Home")
    screen.wait(r"step [1-9] of", "Turn 1. Initiative", r"R R1 +b2 ")
    first = step_of(screen)
    until(bots, match, joined + 30)  # play goes on while we are at move one
    screen.until(lambda: step_of(screen)[1] >= min(joined + 30, view.head), "the new entries")
    if step_of(screen)[0] != first[0]:
        raise Failure("what is shown has moved")
    screen.keys("]")
    screen.until(lambda: step_of(screen)[0] > first[0], "a step on")
    screen.keys("End")
    screen.wait(gone="Looking back")
    for _ in range(3):
        screen.keys("[", "[", "Home", "Escape")
    screen.wait("dice checked ✓", gone="Looking back")
    if len(relay.lines("match.record")) != 1:
        raise Failure("fetched %d times" % len(relay.lines("match.record")))
    if len(relay.lines("match.watch")) != 1:
        raise Failure("synced again")


def main():
    need_tmux()
    with tempfile.TemporaryDirectory(prefix="skirmish-tui-") as home, Server() as server:
        quiet(home)
        match, ann, bob = seat_pair(server, "first-blood", 7, fair="normal")
        until([ann, bob], match, 60)
        if ann.views[match].over():
            raise Failure("over too early; another seed")
        relay = Relay(server.address)
        with Screen([program("skirmish"), "watch", "%s/match/%s" % (relay.url, match), "--name",
                     "Eve"], size=(100, 30), home=home) as screen:
            look_on(screen, relay, match, [ann, bob])
            screen.keys("q")
            if screen.exit_code() != 0:
                raise Failure("not a clean end")
        relay.close()
    print("joined by the state, looked back to move one, fetched once")


if __name__ == "__main__":
    main()
