# SPDX-License-Identifier: ISC
"""lib_upgrade.py -- a server that is replaced while it serves.

Each life of the server is another process, not started by us: we adopt them (a subreaper gets the
children that lose their parent).
"""
import ctypes
import os
import shutil
import signal
import tempfile
import time

from lib_crash import Mortal
from lib_wire import PATIENCE_S, Failure, need, program

PR_SET_CHILD_SUBREAPER = 36


class Adopted:
    """What Server wants of a process, for one that we know by its number alone."""

    def __init__(self, pid, stdout):
        self.pid, self.stdout, self.code = pid, stdout, None

    def poll(self):
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def wait(self, timeout=PATIENCE_S):
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise Failure("process %d doesn't end" % self.pid)
            time.sleep(0.002)
        return self.code

    def send_signal(self, signum):
        os.kill(self.pid, signum)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Upgrading(Mortal):
    """A Mortal whose program is a copy of its own, to be replaced at will."""

    def __init__(self, *options):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.bin = tempfile.mkdtemp(prefix="skirmish-bin-")
        self.real = program("skirmishd")
        self.install(self.real)
        os.environ["SK_BIN"] = self.bin
        super().__init__(*options)

    def install(self, path):
        """Another program at our program's path, as a package's upgrade does it."""
        new = os.path.join(self.bin, "new")
        shutil.copy(path, new)
        os.rename(new, os.path.join(self.bin, "skirmishd"))

    def install_script(self, text):
        path = os.path.join(self.bin, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        self.install(path)

    def __exit__(self, *args):
        super().__exit__(*args)
        shutil.rmtree(self.bin, ignore_errors=True)

    def servers(self):
        """Our children that run a program of this name."""
        found = set()
        with open("/proc/self/task/%d/children" % os.getpid(), encoding="ascii") as file:
            for word in file.read().split():
                with open("/proc/%s/comm" % word, encoding="ascii") as comm:
                    if comm.read() == "skirmishd\n":
                        found.add(int(word))
        return found

    def begin_upgrade(self):
        self.began = time.monotonic()
        self.process.send_signal(signal.SIGUSR2)

    def end_upgrade(self):
        """The old one has ended well; the new one is ours. Its pid."""
        old = self.process
        code = old.wait(PATIENCE_S)
        need(code == 0, "the old server ended with %s\n%s" % (code, self.log()[-3000:]))
        deadline = time.monotonic() + PATIENCE_S
        while not (new := self.servers() - {old.pid}):  # ours once its starter has ended too
            need(time.monotonic() < deadline, "there is no new server\n%s" % self.log()[-3000:])
            time.sleep(0.002)
        self.process = Adopted(new.pop(), old.stdout)
        self.lives[-1][1] = self.began  # for clocks: the pause isn't service
        self.lives.append([time.monotonic(), None])
        return self.process.pid

    def failures(self):
        return self.log().count("upgrade.failed")

    def wait_for_log(self, word, count=1):
        deadline = time.monotonic() + PATIENCE_S
        while self.log().count(word) < count:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Failure("no %s in the log\n%s" % (word, self.log()[-3000:]))
            time.sleep(0.005)
