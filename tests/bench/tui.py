#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What the full screen costs: start to first frame, keystroke to redraw, idle CPU, memory, size.

Run by hand: SK_BIN=build/release/bin python3 tests/bench/tui.py. A 64x64 board with 200 figures
in a terminal of 132x43, as a pseudo-terminal would give it; no server.
"""
import fcntl
import json
import os
import pty
import select
import statistics
import struct
import sys
import tempfile
import termios
import time

SIZE, FIGURES, KEYS, IDLE_S = 64, 200, 60, 5


def scenario():
    figures = []
    for side, letter, row in (("red", "r", 2), ("blue", "n", 40)):
        for i in range(FIGURES // 2):
            x, y = i % 50, row + i // 50
            name = (chr(96 + x // 26) if x >= 26 else "") + chr(97 + x % 26)
            figures.append({"id": "%s%d" % (letter, i + 1), "side": side, "type": "regular",
                            "at": "%s%d" % (name, y), "face": "n" if side == "red" else "s"})
    return {"format": 1, "id": "large", "title": "Large", "author": "bench", "summary": "bench",
            "scale": "1in", "size": [SIZE, SIZE], "ground": ["." * SIZE] * SIZE,
            "sides": [{"id": "red", "name": "Red", "home": "s"},
                      {"id": "blue", "name": "Blue", "home": "n"}], "figures": figures}


class Program:
    def __init__(self, argv):
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 43, 132, 0, 0))

    def read(self, quiet_s, until=None):
        """Output until nothing came for so long, or `until` did; when the last of it came."""
        data, last = b"", time.monotonic()
        while select.select([self.fd], [], [], quiet_s)[0]:
            data += os.read(self.fd, 65536)
            last = time.monotonic()
            if until is not None and until in data:
                break
        return data, last

    def cpu_ticks(self):
        with open("/proc/%d/stat" % self.pid, encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def memory(self):
        with open("/proc/%d/status" % self.pid, encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return {name: lines[name].strip() for name in ("VmRSS", "VmHWM")}


def main():
    path = os.path.join(os.environ.get("SK_BIN", "build/release/bin"), "skirmish")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(scenario(), file)
        file.flush()
        program = Program([path, "hotseat", file.name])
        data, when = program.read(5, until=b"Initiative")
        if b"Initiative" not in data:
            sys.exit("no first frame")
        print("start to first frame  %6.1f ms" % ((when - program.started) * 1000))
        program.read(0.3)
        times = []
        for i in range(KEYS):
            key = (b"\t", b"l", b"k", b"z")[i % 4]
            before = time.monotonic()
            os.write(program.fd, key)
            data, when = program.read(0.05)
            if data:
                times.append((when - before) * 1000)
        times.sort()
        print("key to redraw         %6.1f ms median, %.1f ms worst of %d" % (
            statistics.median(times), times[-1], len(times)))
        before = program.cpu_ticks()
        program.read(IDLE_S)
        print("idle CPU              %d ticks in %d s" % (program.cpu_ticks() - before, IDLE_S))
        memory = program.memory()
        print("memory                %s now, %s at most" % (memory["VmRSS"], memory["VmHWM"]))
        print("program               %.0f KiB" % (os.path.getsize(path) / 1024))
        os.write(program.fd, b"q")
        os.waitpid(program.pid, 0)


if __name__ == "__main__":
    main()
