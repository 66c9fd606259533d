# SPDX-License-Identifier: ISC
"""lib_bench.py -- servers and load clients of tests/bench/run: started, visited, ended."""
import ctypes
import json
import os
import platform
import re
import resource
import select
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

SERVER_CPU, LOAD_CPU = 0, 1
PR_SET_PDEATHSIG = 1
START_S, POLL_S = 60.0, 0.02
PORT_TRIES = 3
PEERS = {"mosquitto": ["mosquitto"], "redis-server": ["redis-server", "valkey-server"],
         "nats-server": ["nats-server"],
         "wesnothd": ["wesnothd-1.16", "wesnothd", "wesnothd-1.18", "wesnothd-1.14"]}
PEER_PATH = ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/usr/games:/usr/lib/games"  # behind PATH


def median(values):
    return statistics.median(values) if values else 0.0


def cpus():
    return sorted(os.sched_getaffinity(0))


def pin(which):
    """For preexec: that CPU, where there are two; and no longer than we live."""
    allowed, libc = cpus(), ctypes.CDLL(None)

    def begin():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.sched_setaffinity(0, {allowed[which % len(allowed)]})
    return begin


# ---- the machine ----

def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="ascii")
                  if line.startswith("model name")), platform.machine())
    with open("/proc/meminfo", encoding="ascii") as info:
        memory = int(info.readline().split()[1]) // 1024
    return {"cpu": model, "cpus": len(cpus()), "memory_mb": memory, "kernel": platform.release(),
            "load": os.getloadavg()[0], "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def best(function, n):
    """The quickest of n."""
    took = []
    for _ in range(n):
        began = time.perf_counter()
        function()
        took.append(time.perf_counter() - began)
    return min(took), median(took)


def canaries(data):
    """Three small works that tell whether the machine is still the same: spin, getppid, fdatasync."""
    def spin():
        for _ in range(200000):
            pass

    def calls():
        for _ in range(20000):
            os.getppid()
    fd, path = tempfile.mkstemp(dir=data)
    page = bytes(4096)

    def sync():
        os.write(fd, page)
        os.fdatasync(fd)
    try:
        return {"spin_ms": round(best(spin, 15)[0] * 1e3, 3),
                "getppid_ms": round(best(calls, 15)[0] * 1e3, 3),
                "fdatasync_ms": round(best(sync, 60)[1] * 1e3, 3)}
    finally:
        os.close(fd)
        os.unlink(path)


def moved(before, after):
    """Which of them aren't what they were."""
    return [k for k in before if max(before[k], after[k]) > 1.15 * min(before[k], after[k])]


# ---- servers ----

class Trouble(Exception):
    """A server or a load client that doesn't do what it should."""


class Service:
    """A server process: .port, .pid."""

    def __init__(self, name, command, port=0, cwd=None):
        self.name, self.port = name, port
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, cwd=cwd, preexec_fn=pin(SERVER_CPU),
            stdout=subprocess.DEVNULL if port else subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        if port:
            self.wait_port()
        else:
            self.ports = [self.read_port()]
            self.port = self.ports[0]

    def read_port(self):
        while True:
            line = self.process.stdout.readline().decode("ascii", "replace")
            if not line:
                raise Trouble("%s doesn't start" % self.name)
            if line.startswith("listening"):
                return int(line.split()[1].rpartition(":")[2])

    def more_ports(self, n):
        """The next listeners' ports."""
        return [self.read_port() for _ in range(n)]

    def wait_port(self):
        deadline = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError as why:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    self.end()
                    raise Trouble("%s doesn't serve" % self.name) from why
                time.sleep(POLL_S)

    def rss_kb(self):
        with open("/proc/%d/status" % self.pid, encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    def rss_at_rest_kb(self):
        """The same twice, one after the other."""
        deadline = time.monotonic() + START_S
        last = self.rss_kb()
        while True:
            time.sleep(2 * POLL_S)
            now = self.rss_kb()
            if now == last or time.monotonic() > deadline:
                return now
            last = now

    def end(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- load ----

class Load:
    """A load client with its connections: go() is one window."""

    def __init__(self, bench, kind, service, *args, port=None, cpu=LOAD_CPU):
        command = [bench.tool("load"), kind, str(port or (service.port if service else 0)),
                   str(service.pid if service else 0)] + [str(a) for a in args]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        preexec_fn=pin(cpu))
        self.name = kind

    def line(self):
        line = self.process.stdout.readline().decode("ascii")
        if not line:
            raise Trouble("the load client `%s` has ended" % self.name)
        return line.strip()

    def expect(self, word):
        line = self.line()
        if line != word:
            raise Trouble("the load client `%s` says %r" % (self.name, line))
        return self

    def ready(self):
        return self.expect("ready")

    def has_line(self):
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def say(self, words):
        self.process.stdin.write(words.encode("ascii") + b"\n")
        self.process.stdin.flush()

    def begin(self, ms, width=0):
        self.say("go %d %d" % (ms, width))

    def result(self):
        return json.loads(self.line())

    def rest(self):
        self.say("rest")
        self.line()

    def go(self, ms, width=0):
        self.rest()
        self.begin(ms, width)
        return self.result()

    def end(self):
        self.process.kill()
        self.process.wait()


def cpu_us(result):
    return result["cpu_ns"] / max(result["n"], 1) / 1e3


def per_s(result):
    return result["n"] * 1e9 / result["wall_ns"]


def find_peer(name):
    """The program of a peer; None: it isn't installed."""
    path = os.environ.get("PATH", "") + PEER_PATH
    for candidate in PEERS[name]:
        found = shutil.which(candidate, path=path)
        if found:
            return found
    return None


def peer_versions():
    """What each installed peer says that it is."""
    found = {}
    for name, flag in (("mosquitto", "-h"), ("redis-server", "--version"),
                       ("nats-server", "--version"), ("wesnothd", "--version")):
        path = find_peer(name)
        if path is None:
            continue
        try:
            said = subprocess.run([path, flag], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=START_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        number = re.search(r"\d+(\.\d+)+", said.stdout + said.stderr)
        found[name] = number.group(0) if number else "?"
    return found


class Bench:
    """What runs together; all of it is ended at the end."""

    def __init__(self, build, data, size):
        self.build, self.size = build, size
        self.dir = tempfile.mkdtemp(prefix="skirmish-bench-", dir=data)
        self.running = []
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.max_conns = hard - 200

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for thing in reversed(self.running):
            thing.end()
        shutil.rmtree(self.dir, ignore_errors=True)

    def tool(self, name):
        return os.path.join(self.build, "tests", "bench", name)

    def keep(self, thing):
        self.running.append(thing)
        return thing

    def drop(self, thing):
        self.running.remove(thing)
        thing.end()

    def path(self, name):
        return os.path.join(self.dir, name)

    def load(self, kind, service, *args, **more):
        return self.keep(Load(self, kind, service, *args, **more))

    # -- servers --

    def ref(self, kind, *args):
        return self.keep(Service("ref " + kind, [self.tool("ref"), kind, *args]))

    def skirmishd(self, *options, under=()):
        """`under`: a command that runs it."""
        data = tempfile.mkdtemp(dir=self.dir)
        conf = os.path.join(data, "skirmishd.conf")
        with open(conf, "w", encoding="ascii") as out:
            out.write("[limits]\nmatches = 100000\nguests = 100000\nwatchers = 100000\n"
                      "connections_before_login = 20000\nearly_drop = 20000\n")
        return self.keep(Service("skirmishd", [
            *under, os.path.join(self.build, "bin", "skirmishd"), "--config", conf, "--data", data,
            "--listen", "127.0.0.1:0", *options]))

    def certificate(self):
        cert, key = self.path("cert.pem"), self.path("key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost", "-days",
                        "2", "-keyout", key, "-out", cert], check=True, stderr=subprocess.DEVNULL)
        return cert, key

    def mosquitto(self):
        return self.peer("mosquitto", ["-c"], "listener %(port)d 127.0.0.1\nallow_anonymous true\n"
                         "persistence false\nset_tcp_nodelay true\nmax_queued_messages 0\n"
                         "log_type none\nuser root\n")

    def redis(self):
        return self.peer("redis-server", [], "bind 127.0.0.1\nprotected-mode no\n"
                         "port %(port)d\nsave \"\"\nappendonly no\n"
                         "maxclients 15000\ndir %(dir)s\n"
                         "client-output-buffer-limit pubsub 0 0 0\n")

    def nats(self):
        return self.peer("nats-server", ["-c"], "host: 127.0.0.1\nport: %(port)d\n"
                         "ping_interval: \"1h\"\nmax_connections: 20000\nwrite_deadline: \"60s\"\n")

    def wesnothd(self):
        return self.peer("wesnothd", ["-p", "%(port)d", "-c"],
                         "connections_allowed=0\nmax_messages=1000000\nmessages_time_period=1\n"
                         "deny_unregistered_login=no\n")

    def peer(self, name, flags, text):
        """A peer where it is installed and serves; None, and why is said."""
        path = find_peer(name)
        if path is None:
            print("          %s isn't installed: left out" % name, flush=True)
            return None
        for _ in range(PORT_TRIES):
            port, conf = free_port(), self.path(name + ".conf")
            with open(conf, "w", encoding="ascii") as out:
                out.write(text % {"port": port, "dir": self.dir})
            command = [path, *(flag.replace("%(port)d", str(port)) for flag in flags), conf]
            try:
                return self.keep(Service(name, command, port))
            except Trouble:
                continue  # somebody else has that port by now, perhaps
        print("          %s doesn't serve: left out" % path, flush=True)
        return None
