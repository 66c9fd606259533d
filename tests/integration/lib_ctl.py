# SPDX-License-Identifier: ISC
"""lib_ctl.py -- skirmishctl against a server of a test.

    ctl(server, "role", "uwe", "umpire")       # the result as an object; fails where it is refused
    no(server, 1, "not_found", "show", "99")   # refused: exit code and reason
"""
import json
import os
import pwd
import subprocess
import time

from lib_wire import PATIENCE_S, Failure, equal, need, program


ME = pwd.getpwuid(os.getuid()).pw_name


def run_ctl(server, *words, stdin=""):
    """(exit code, standard output, standard error), for people."""
    where = ["--data", server.data] if server is not None else []
    done = subprocess.run([program("skirmishctl"), *where, *words], input=stdin, text=True,
                          capture_output=True, timeout=3 * PATIENCE_S, check=False)
    return done.returncode, done.stdout, done.stderr


def answer(server, *words, stdin=""):
    code, out, err = run_ctl(server, "--json", *words, stdin=stdin)
    try:
        return code, json.loads(out)
    except ValueError as error:
        raise Failure("skirmishctl %s: status %d\n%s%s" % (words, code, out, err)) from error


def ctl(server, *words, stdin="", code=0):
    got, message = answer(server, *words, stdin=stdin)
    need(got == code and "result" in message, "skirmishctl %s: %d %s" % (words, got, message))
    return message["result"]


def no(server, code, reason, *words):
    got, message = answer(server, *words)
    need("error" in message, "skirmishctl %s: %s" % (words, message))
    equal((got, message["error"]["reason"]), (code, reason), "skirmishctl %s" % (words,))
    return message["error"]["message"]


def audit(server, act):
    """What the audit has of that act, newest first: who, when and of what."""
    return [line for line in ctl(server, "audit", "--limit", "1000")["audit"]
            if line["act"] == act]


def notice(conn, part):
    return conn.wait_note("server.notice", lambda p: part in p["text"])


def kept(server, act, **of):
    """The newest such act stands in the audit, with who, when and of what."""
    found = audit(server, act)
    need(found, "no %s in the audit" % act)
    line = found[0]
    equal(line["who"], ME, "who did it")
    need(abs(line["ts"] - time.time() * 1000) < 10 * 60 * 1000, "when: %s" % line)
    for name, value in of.items():
        equal(line["of"].get(name), value, "%s of %s" % (name, act))
