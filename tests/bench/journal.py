#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""journal.py [--bin DIR] [--bench DIR] [--data DIR] [--seconds S] [--open N [--orders N]]: what the
journal costs, and how long recovery takes.

Orders a second through a running skirmishd, durable, with 1, 50 and 500 matches in play and one
order under way in each; the same with --store memory; the time of a commit on this disk. With
--open: so many open matches are made, the server is killed, and its start is timed.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

PARALLEL = (1, 50, 500)


class Server:
    def __init__(self, binary, data, store):
        self.binary, self.data, self.store = binary, data, store
        self.log_path = os.path.join(tempfile.gettempdir(), "bench-journal-%d.log" % os.getpid())
        self.process, self.port, self.start_s, self.cpu_s = None, None, None, None

    def start(self):
        began = time.monotonic()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "--listen", "127.0.0.1:0", "--data", self.data, "--store",
                 self.store], stdout=subprocess.PIPE, stderr=log)
        line = self.process.stdout.readline().decode("ascii")
        if not line.startswith("listening"):
            sys.exit("the server says %r; see %s" % (line, self.log_path))
        self.start_s = time.monotonic() - began
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as stat:
            ticks = stat.read().rpartition(")")[2].split()[11:13]
        self.cpu_s = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        self.port = line.rstrip("\n").rpartition(":")[2]
        return self

    def end(self, kill=False):
        (self.process.kill if kill else self.process.terminate)()
        self.process.wait()
        self.process.stdout.close()


def load(args, server, *words):
    done = subprocess.run([os.path.join(args.bench, "journal"), server.port, *map(str, words)],
                          stdout=subprocess.PIPE, check=True)
    return [float(word) for word in done.stdout.split()]


def rates(args, store):
    """{matches: (orders a second, median us, 99th us, longest us)}."""
    found = {}
    for matches in PARALLEL:
        data = tempfile.mkdtemp(prefix="bench-journal-", dir=args.data)
        server = Server(args.skirmishd, data, store).start()
        found[matches] = load(args, server, matches, args.seconds)
        server.end()
        shutil.rmtree(data)
    return found


def print_rates(args):
    disk, memory = rates(args, "sqlite"), rates(args, "memory")
    print("%-10s %28s %28s %8s" % ("matches", "sqlite: orders/s  p50  p99 us",
                                   "memory: orders/s  p50  p99 us", "ratio"))
    for matches in PARALLEL:
        d, m = disk[matches], memory[matches]
        print("%-10d %14.0f %6.0f %7.0f %14.0f %6.0f %7.0f %8.2f" % (
            matches, d[0], d[1], d[2], m[0], m[1], m[2], d[0] / m[0]))


def print_commit(args):
    done = subprocess.run([os.path.join(args.bench, "commit"), args.data or tempfile.gettempdir(),
                           str(args.seconds)], stdout=subprocess.PIPE, check=True)
    print(done.stdout.decode("ascii"), end="")


def print_recovery(args):
    data = tempfile.mkdtemp(prefix="bench-journal-", dir=args.data)
    server = Server(args.skirmishd, data, "sqlite").start()
    began = time.monotonic()
    load(args, server, args.open, "fill", args.orders)
    print("%d open matches of %d orders made in %.1f s" % (
        args.open, args.orders, time.monotonic() - began))
    server.end(kill=True)
    size = sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data))
    for what in ("killed", "killed again", "stopped"):
        server.start()
        print("start after it was %-13s %.2f s until it listens, %.2f s of CPU (%.0f MiB on disk)" % (
            what, server.start_s, server.cpu_s, size / 2 ** 20))
        server.end(kill=what == "killed")
    with open(server.log_path, encoding="utf-8") as log:
        print("".join(line for line in log if "load.done" in line), end="")
    if args.keep:
        print("kept in %s" % data)
    else:
        shutil.rmtree(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.environ.get("SK_BIN", "build/release/bin"))
    parser.add_argument("--bench", default="build/release/tests/bench")
    parser.add_argument("--data", help="directory on the disk to measure")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--open", type=int, default=0)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--keep", action="store_true", help="keep the open matches' data")
    args = parser.parse_args()
    args.skirmishd = os.path.join(args.bin, "skirmishd")
    if args.open:
        print_recovery(args)
        return
    print_commit(args)
    print_rates(args)


if __name__ == "__main__":
    main()
