#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""What the process has given up, and who may read its files."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import equal, need, run  # noqa: E402


def status(pid, name):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith(name + ":"):
                return line.split()[1]
    return None


def privileges(server):
    pid = server.process.pid
    server.connect().hello()
    equal(status(pid, "NoNewPrivs"), "1", "no new privileges")
    with open("/proc/%d/limits" % pid, encoding="ascii") as file:
        core = [line.split()[4:6] for line in file if line.startswith("Max core file size")]
    equal(core, [["0", "0"]], "core dumps")
    filtered = status(pid, "Seccomp")
    said = "filter=yes" in server.log()
    equal(filtered == "2", said or status(os.getpid(), "Seccomp") == "2", "the filter")
    for task in os.listdir("/proc/%d/task" % pid):  # the store's and the hashers' threads too
        with open("/proc/%d/task/%s/status" % (pid, task), encoding="ascii") as file:
            need("Seccomp:\t%s" % filtered in file.read(), "thread %s" % task)


def files(server):
    """Nobody else may read anything, whatever the caller's umask."""
    server.stop()
    old = os.umask(0)
    try:
        server.start()
    finally:
        os.umask(old)
    server.connect().guest("Ann")
    equal(os.stat(server.data).st_mode & 0o077, 0, server.data)
    for name in os.listdir(server.data):
        equal(os.stat(os.path.join(server.data, name)).st_mode & 0o077, 0, name)


TESTS = [privileges, files]

if __name__ == "__main__":
    run(TESTS)
