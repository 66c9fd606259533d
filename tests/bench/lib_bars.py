# SPDX-License-Identifier: ISC
"""lib_bars.py -- the bars of tests/bench/run: what is measured against what."""
import collections
import os
import re
import subprocess
import time

from lib_bench import Trouble, cpu_us, median, per_s

# rounds, and those of the fans; a window's ms, and in how many slices the fans' are cut
Size = collections.namedtuple("Size", "name rounds fan_rounds ms slices matches readers many crowd tls"
                              " open_few open_many lobby")
SIZES = {
    "full": Size("full", 7, 11, 1000, 4, 200, 1000, 15000, 15000, 2000, 100, 10000, 500),
    "quick": Size("quick", 3, 4, 250, 2, 200, 1000, 2000, 3000, 500, 100, 1000, 150),
    "tiny": Size("tiny", 1, 1, 60, 2, 4, 20, 30, 40, 10, 5, 20, 20),
}

# Where `least` is, the value has to reach its bound; else to stay below.
Spec = collections.namedtuple("Spec", "group bound aim least")
SPECS = {
    "order-cpu": Spec("orders", 3.3, 2.5, False),
    "order-rate": Spec("orders", 0.30, 0.40, True),
    "ack-latency": Spec("orders", 1.5, 1.2, False),
    "group-commit": Spec("orders", 10, 18, True),
    "ping-cpu": Spec("lines", 1.5, 1.3, False),
    "tls-cpu": Spec("lines", 1.8, 1.6, False),
    "tls-rss": Spec("lines", 20, 17, False),
    "fan-cpu": Spec("fans", 1.15, 1.0, False),
    "fan-cpu-redis": Spec("fans", 1.0, None, False),
    "fan-cpu-nats": Spec("fans", 1.0, None, False),
    "fan-cpu-mosquitto": Spec("fans", 1.0, None, False),
    "fan-burst": Spec("fans", 0.5, 0.3, False),
    "idle-rss": Spec("idle", 1.0, 0.83, False),  # the aim: below mosquitto's
    "growth-fan": Spec("idle", 1.3, 1.1, False),
    "growth-orders": Spec("growth", 1.3, 1.1, False),
    "login-storm": Spec("storm", 0.5, 0.7, True),
    "wesnothd-cpu": Spec("wesnothd", 1 / 8, None, False),
    "wesnothd-rss": Spec("wesnothd", 1 / 50, None, False),
}

PING = '{"jsonrpc":"2.0","id":7,"method":"session.ping"}'
ORDER = ('{"jsonrpc":"2.0","id":9,"method":"match.order","params":{"match":'
         '"b932fdee5e145e78bc12b5e9c63b4e1c","order_id":"o1234","base":2345,"order":'
         '{"do":"turn","figures":["red-1"],"face":"e"}}}')
CREATE = ('{"jsonrpc":"2.0","id":9,"method":"match.create","params":{"scenario":"first-blood",'
          '"side":"random","clock":{"kind":"none"},"fair":"server"}}')
PINGERS = 50


class Bar:
    """What was found, beside its bound and what is aimed at."""

    def __init__(self, name, value, note=""):
        spec = SPECS[name]
        self.name, self.value, self.note = name, value, note
        self.bound, self.aim, self.least = spec.bound, spec.aim, spec.least

    def ok(self):
        return self.value >= self.bound if self.least else self.value <= self.bound

    def __str__(self):
        return "bar %s ratio %.3f bound %.3f %s" % (self.name, self.value, self.bound,
                                                    "ok" if self.ok() else "short")


def row(name, unit, values):
    return {"name": name, "unit": unit, "value": median(values), "values": values}


def ratios(mine, theirs):
    return [a / b for a, b in zip(mine, theirs) if b]


def together(parts):
    """One window out of its slices."""
    whole = {k: sum(p[k] for p in parts) for k in ("n", "wall_ns", "cpu_ns", "lines", "bytes")}
    whole["p50_us"] = median([p["p50_us"] for p in parts])
    whole["p99_us"] = max(p["p99_us"] for p in parts)
    whole["max_us"] = max(p["max_us"] for p in parts)
    return whole


class Rounds:
    """Windows in rotation: results by name, one of each a round.

    A window may be cut in slices: all servers are then visited once a slice, there and back again,
    so that what the machine does meanwhile falls on all of them alike.
    """

    def __init__(self, bench, rounds=0, slices=1):
        self.bench, self.plan, self.got = bench, [], collections.defaultdict(list)
        self.rounds, self.slices = rounds or bench.size.rounds, slices

    def add(self, name, load, ms=None, width=0):
        if load is not None:
            self.plan.append((name, load, ms or self.bench.size.ms, width))
        return self

    def run(self):
        for name, load, ms, width in self.plan:
            load.go(ms // 2, width)  # warm
        for i in range(self.rounds):
            turn = i % len(self.plan)
            plan, parts = self.plan[turn:] + self.plan[:turn], collections.defaultdict(list)
            for k in range(self.slices):
                for name, load, ms, width in plan if k % 2 == 0 else reversed(plan):
                    parts[name].append(load.go(ms // self.slices, width))
            for name, found in parts.items():
                self.got[name].append(together(found))
        return self

    def cpu(self, name):
        return [cpu_us(r) for r in self.got[name]]

    def rate(self, name):
        return [per_s(r) for r in self.got[name]]

    def p50(self, name):
        return [r["p50_us"] for r in self.got[name]]


# ---- orders ----

def orders(bench):
    """order-cpu, order-rate, group-commit, ack-latency."""
    echo, cjson, server = bench.ref("echo"), bench.ref("cjson"), bench.skirmishd()
    n = bench.size.matches
    r = Rounds(bench)
    r.add("echo", bench.load("echo", echo, n, "raw", ORDER).ready())
    r.add("echo-one", bench.load("echo", echo, 1, "raw", ORDER).ready(), width=1)
    r.add("cjson", bench.load("echo", cjson, n, "raw", ORDER).ready())
    r.add("disk", bench.load("disk", None, bench.path("append")).ready())
    order = bench.load("order", server, n).ready()
    r.add("order", order, bench.size.ms * 2)
    r.add("order-one", order, width=1)
    r.run()
    floor = [a + b for a, b in zip(r.p50("disk"), r.p50("echo-one"))]
    rows = [row("raw echo, CPU a line", "us", r.cpu("echo")),
            row("cJSON echo, CPU a line", "us", r.cpu("cjson")),
            row("order, CPU", "us", r.cpu("order")),
            row("order alone, CPU", "us", r.cpu("order-one")),
            row("cJSON echo, rate", "1/s", r.rate("cjson")),
            row("orders, %d in flight" % n, "1/s", r.rate("order")),
            row("orders, one in flight", "1/s", r.rate("order-one")),
            row("order, ack p50 alone", "us", r.p50("order-one")),
            row("4 KiB append and fdatasync, and echo, p50", "us", floor),
            row("order, ack p50 with %d in flight" % n, "us", r.p50("order")),
            row("order, longest wait for an ack alone", "ms",
                [g["max_us"] / 1e3 for g in r.got["order-one"]]),
            row("order, longest wait for an ack with %d in flight" % n, "ms",
                [g["max_us"] / 1e3 for g in r.got["order"]]),
            row("the disk's own longest", "ms", [g["max_us"] / 1e3 for g in r.got["disk"]])]
    bars = [Bar("order-cpu", median(ratios(r.cpu("order"), r.cpu("cjson")))),
            Bar("order-rate", median(ratios(r.rate("order"), r.rate("cjson")))),
            Bar("ack-latency", median(ratios(r.p50("order-one"), floor))),
            Bar("group-commit", median(ratios(r.rate("order"), r.rate("order-one"))))]
    return rows, bars


# ---- lines ----

def lines(bench):
    """ping-cpu, tls-cpu, tls-rss."""
    cert, key = bench.certificate()
    echo, sealed = bench.ref("echo"), bench.ref("tls", cert, key)
    server = bench.skirmishd("--listen-tls", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
    port = server.more_ports(1)[0]
    r = Rounds(bench)
    r.add("echo", bench.load("echo", echo, PINGERS, "raw", PING).ready())
    r.add("sealed", bench.load("echo", sealed, PINGERS, "raw+tls", PING).ready())
    r.add("ping", bench.load("echo", server, PINGERS, "guest", PING).ready())
    r.add("ping-tls", bench.load("echo", server, PINGERS, "guest+tls", PING, port=port).ready())
    r.run()
    before, n = server.rss_at_rest_kb(), bench.size.tls
    crowd = bench.load("echo", server, n, "guest+tls", PING, port=port).ready()
    crowd.go(50)
    weight = (server.rss_at_rest_kb() - before) / n
    rows = [row("raw echo, CPU a line", "us", r.cpu("echo")),
            row("raw TLS echo, CPU a line", "us", r.cpu("sealed")),
            row("session.ping, CPU", "us", r.cpu("ping")),
            row("session.ping under TLS, CPU", "us", r.cpu("ping-tls")),
            row("TLS connection with its guest", "KB", [weight])]
    bars = [Bar("ping-cpu", median(ratios(r.cpu("ping"), r.cpu("echo")))),
            Bar("tls-cpu", median(ratios(r.cpu("ping-tls"), r.cpu("ping"))),
                note="raw TLS echo over raw echo: %.2f" % median(ratios(r.cpu("sealed"),
                                                                        r.cpu("echo")))),
            Bar("tls-rss", weight)]
    return rows, bars


# ---- many readers ----

def crowd(bench, server, n, matches):
    load = bench.load("fan", server, n, matches).expect("matches")
    before = server.rss_at_rest_kb()
    load.say("on")
    load.ready()
    load.rest()
    return load, (server.rss_at_rest_kb() - before) / n


def event_bytes(load):
    got = load.go(100, 1)
    return max(got["bytes"] // max(got["n"], 1), 16)


def peer_load(bench, peer, dialect, n, size):
    """Readers of a peer; None: it isn't there, or doesn't take them."""
    if peer is None:
        return None
    try:
        return bench.load("peer", peer, dialect, n, size).ready()
    except Trouble as why:
        print("          %s: %s: left out" % (peer.name, why), flush=True)
        return None


def fan_rounds(bench):
    return Rounds(bench, bench.size.fan_rounds, bench.size.slices)


def fans(bench):
    """fan-cpu, fan-burst, and the peers."""
    n = bench.size.readers
    server = bench.skirmishd()
    mine, _ = crowd(bench, server, n, 4)
    size = event_bytes(mine)
    raw = bench.load("peer", bench.ref("fan"), "raw", n, size).ready()
    r = fan_rounds(bench).add("raw", raw).add("skirmishd", mine, width=1)
    r.add("raw-4", raw, width=4).add("skirmishd-4", mine, width=4)
    peers = {"redis": (bench.redis(), "redis"), "nats": (bench.nats(), "nats"),
             "mosquitto": (bench.mosquitto(), "mqtt")}
    for name, (peer, dialect) in peers.items():
        load = peer_load(bench, peer, dialect, n, size)
        r.add(name, load)
        if bench.size.name != "quick":  # no bar is about it
            r.add(name + "-4", load, width=4)
    r.run()
    rows = [row("%s, CPU a delivery (%d B)%s" % (name.removesuffix("-4"), size, " in fours"
                                                if name.endswith("-4") else ""), "us", r.cpu(name))
            for name in r.got]
    bars = [Bar("fan-cpu", median(ratios(r.cpu("skirmishd"), r.cpu("raw"))))]
    bars += [Bar("fan-cpu-" + name, median(ratios(r.cpu("skirmishd"), r.cpu(name))))
             for name in peers if r.got[name]]
    bars.append(Bar("fan-burst", median(ratios(r.cpu("skirmishd-4"), r.cpu("raw")))))
    return rows, bars


def idle(bench):
    """idle-rss, and growth of fan-cpu with the number of spectators."""
    n = min(bench.size.crowd, bench.max_conns)
    few = bench.size.readers
    small = bench.skirmishd()
    mine_few, _ = crowd(bench, small, few, 1)
    server = bench.skirmishd()
    mine, weight = crowd(bench, server, n, 1)
    size = event_bytes(mine_few)
    raw_few = bench.load("peer", bench.ref("fan"), "raw", few, size).ready()
    raw = bench.load("peer", bench.ref("fan"), "raw", n, size).ready()
    r = fan_rounds(bench).add("few", mine_few).add("raw-few", raw_few)
    r.add("many", mine).add("raw-many", raw).run()
    held = 0
    if bench.size.name == "full":  # the rest of what one process takes
        bench.load("echo", server, max(min(18990, bench.max_conns) - n, 1), "guest", PING).ready()
        held = len(os.listdir("/proc/%d/fd" % server.pid))
    ratio_few = ratios(r.cpu("few"), r.cpu("raw-few"))
    ratio_many = ratios(r.cpu("many"), r.cpu("raw-many"))
    rows = [row("idle spectator at %d" % n, "KB", [weight]),
            row("CPU a delivery over raw at %d" % few, "x", ratio_few),
            row("CPU a delivery over raw at %d" % n, "x", ratio_many),
            row("descriptors held by one process", "", [held])]
    return rows, [Bar("idle-rss", weight),
                  Bar("growth-fan", median(ratios(ratio_many, ratio_few)))]


# ---- growth, storms ----

def open_matches(bench, server, n):
    """So many open ones, beside those in play."""
    load = bench.load("echo", server, 100, "guest", CREATE).ready()
    done = 0
    while done < n:
        done += load.go(200)["n"]
    bench.drop(load)
    return done


def growth(bench):
    """growth-orders: order-cpu with many open matches against few."""
    loads, n = [], {}
    for name, count in (("few", bench.size.open_few), ("many", bench.size.open_many)):
        server = bench.skirmishd()
        n[name] = open_matches(bench, server, count)
        loads.append((name, bench.load("order", server, bench.size.matches).ready()))
    r = Rounds(bench)
    for name, load in loads:
        r.add(name, load)
    r.run()
    rows = [row("order, CPU, %d open matches" % n[name], "us", r.cpu(name)) for name in n]
    return rows, [Bar("growth-orders", median(ratios(r.cpu("many"), r.cpu("few"))))]


def joined(bench, server, order, n):
    """Orders while so many come to look on at one more match, as fast as they can; and for how long."""
    load = bench.load("fan", server, n, 1).expect("matches")
    began, found = time.monotonic(), []
    load.say("on")
    while not found or not load.has_line():
        found.append(order.go(max(bench.size.ms // 4, 50)))
    load.ready()
    return found, time.monotonic() - began


def storm(bench):
    """login-storm: orders a second while people log in by password, and while guests come in crowds."""
    server = bench.skirmishd()
    order = bench.load("order", server, bench.size.matches).ready()
    storm_load = bench.load("storm", server, 8 if bench.size.name == "tiny" else 40).ready()
    quiet, wild, logins = [], [], []
    order.go(bench.size.ms)
    for _ in range(bench.size.rounds):
        quiet.append(per_s(order.go(bench.size.ms)))
        storm_load.begin(bench.size.ms * 2)
        storm_load.expect("storming")
        wild.append(per_s(order.go(bench.size.ms)))
        logins.append(per_s(storm_load.result()))
    bench.drop(storm_load)
    n = min(bench.size.many // 3, bench.max_conns // 2)
    joining, began = joined(bench, server, order, n)
    rows = [row("orders, quiet", "1/s", quiet), row("orders in a login storm", "1/s", wild),
            row("logins by password meanwhile", "1/s", logins),
            row("orders while %d come to look on" % n, "1/s", [per_s(r) for r in joining]),
            row("their coming", "1/s", [n / began]),
            row("longest wait for an order meanwhile", "ms", [r["max_us"] / 1e3 for r in joining])]
    return rows, [Bar("login-storm", median(ratios(wild, quiet)))]


# ---- wesnothd, rules ----

def wesnoth(bench):
    """wesnothd-cpu, wesnothd-rss: lobby chat there, an order's event here."""
    peer = bench.wesnothd()
    if peer is None:
        return [], []
    n = bench.size.lobby  # logging in costs wesnothd more with each who is there
    server = bench.skirmishd()
    mine, weight = crowd(bench, server, n, 1)
    before = peer.rss_at_rest_kb()
    load = peer_load(bench, peer, "wesnoth", n, 240)
    if load is None:
        return [], []
    theirs = (peer.rss_at_rest_kb() - before) / n
    r = fan_rounds(bench).add("skirmishd", mine).add("wesnothd", load).run()
    rows = [row("skirmishd, CPU a delivery", "us", r.cpu("skirmishd")),
            row("wesnothd, CPU a delivery", "us", r.cpu("wesnothd")),
            row("skirmishd, a spectator", "KB", [weight]), row("wesnothd, a player", "KB", [theirs])]
    return rows, [Bar("wesnothd-cpu", median(ratios(r.cpu("skirmishd"), r.cpu("wesnothd")))),
                  Bar("wesnothd-rss", weight / theirs)]


def rules(bench):
    """Orders decided and applied a second."""
    if bench.size.name != "full":  # it takes as long as all the rest
        return [], []
    out = subprocess.run([bench.tool("rules")], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^(\S+) .*?(\d+) orders/s", out, re.MULTILINE)
    return [row("rules, orders decided and applied: " + name, "1/s", [int(n)])
            for name, n in found], []


GROUPS = {"orders": orders, "lines": lines, "fans": fans, "idle": idle, "growth": growth,
          "storm": storm, "wesnothd": wesnoth, "rules": rules}
