#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""The manual pages are clean, and say what the programs' --help says: no more and no less; so does
the shell's completion."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import Failure, equal, need, program  # noqa: E402

SRC = os.environ.get("SK_SRC", "")
MAN = os.path.join(SRC, "deploy", "man")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
skipped = []


def page(name):
    """The page's text without marks: bold, underline, escapes."""
    with open(os.path.join(MAN, name + ".scd"), encoding="utf-8") as f:
        return f.read()


def plain(text):
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)\*|(?<![\w\\])_|(?<!\\)_(?!\w)", "", text))


def said(*words):
    done = subprocess.run([program(words[0]), *words[1:]], stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, check=True, timeout=20,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": "/nowhere"})
    return done.stdout


def same(left, right, what):
    need(left == right, "%s: only in --help %s, only in the page %s"
         % (what, sorted(left - right), sorted(right - left)))


def commands(text):
    return set(re.findall(r"^  ([a-z][a-z-]*)", text, re.M))


def client():
    text = plain(page("skirmish.6"))
    listed = commands(said("skirmish", "--help"))
    need(len(listed) > 10, "commands of --help: %s" % listed)
    same(listed, set(re.findall(r"^\*skirmish ([a-z]+)", page("skirmish.6"), re.M)),
         "commands")
    flags = {"--help", "--version"}
    for command in sorted(listed):
        own = set(FLAG.findall(said("skirmish", command, "--help")))
        flags |= own
        entry = re.search(r"(?:^skirmish %s.*\n)+(?:\t.*\n)+" % command, text, re.M)
        need(entry, "an entry of %s" % command)
        if command not in ("play", "watch", "bot"):
            same(own, set(FLAG.findall(entry.group())), command)
    same(flags, set(FLAG.findall(text)), "skirmish(6)")


def server():
    text = said("skirmishd", "--help")
    same(set(FLAG.findall(text)), set(FLAG.findall(plain(page("skirmishd.8")))), "skirmishd(8)")


def configuration():
    """Sections, keys and defaults."""
    help_keys = {(s, k): v.strip() for s, k, v in
                 re.findall(r"^ +\[(\w+)\] (\w+) =(.*)$", said("skirmishd", "--help"), re.M)}
    need(len(help_keys) > 40, "options of --help: %d" % len(help_keys))
    source = subprocess.run(["awk", "-v", "conf=" + os.path.join(SRC, "deploy/skirmishd.conf"), "-f",
                             os.path.join(MAN, "options.awk"),
                             os.path.join(MAN, "skirmishd.conf.5.scd")],
                            capture_output=True, text=True, check=True).stdout
    page_keys, section = {}, None
    for line in plain(source).splitlines():
        heading = re.match(r"## \[(\w+)\]$", line)
        section = heading.group(1) if heading else section
        entry = re.match(r"(\w+) =(.*)$", line)
        if section and entry and (section, entry.group(1)) not in page_keys:
            page_keys[section, entry.group(1)] = entry.group(2).strip()
        if line.startswith("# EXAMPLE"):
            break
    same(set(help_keys), set(page_keys), "skirmishd.conf(5)")
    for key, value in help_keys.items():
        if key != ("server", "data"):  # depends on who asks
            equal(page_keys[key], value, "default of [%s] %s" % key)


def operator():
    if not os.access(os.path.join(os.environ["SK_BIN"], "skirmishctl"), os.X_OK):
        skipped.append("skirmishctl isn't built: its page wasn't looked at")
        return
    text, ours = said("skirmishctl", "--help"), page("skirmishctl.8")
    listed = set(re.findall(r"^  ([a-z][a-z-]*(?: [a-z][a-z-]*)?)(?: |$)", text, re.M))
    need(len(listed) > 20, "commands of --help: %s" % listed)
    same(listed, set(re.findall(r"^\*([a-z][a-z -]*)\*", ours, re.M))
         - {"skirmishctl", "skirmishd"},
         "skirmishctl's commands")
    same(set(FLAG.findall(text)), set(FLAG.findall(plain(ours))), "skirmishctl(8)")


def clean():
    """scdoc takes every page, mandoc's lint and man have nothing to say about it."""
    missing = [tool for tool in ("scdoc", "mandoc", "man") if not shutil.which(tool)]
    if missing:
        skipped.append("%s missing: pages not formatted" % ", ".join(missing))
        return
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    for name in sorted(os.listdir(MAN)):
        if not name.endswith(".scd"):
            continue
        done = subprocess.run([os.path.join(MAN, "page"), os.path.join(MAN, name)],
                              capture_output=True, env=env, check=False)
        equal((done.returncode, done.stderr), (0, b""), name)
        with tempfile.NamedTemporaryFile(suffix="." + name.split(".")[-2]) as f:
            f.write(done.stdout)
            f.flush()
            lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", f.name], capture_output=True,
                                  text=True, env=env, check=False)
            equal((lint.returncode, lint.stdout), (0, ""), name)
            man = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", f.name],
                                 capture_output=True, text=True, env=env, check=False)
            equal((man.returncode, man.stderr), (0, ""), name)


def complete(*words):
    """What bash would offer for the last word."""
    script = 'compopt() { :; }\n. "$0"\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n' \
             '"_${1##*/}" "$1"\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    done = subprocess.run(["bash", "-c", script, os.path.join(SRC, "deploy/completion/skirmish"),
                           program(words[0]), *words[1:]], capture_output=True, text=True,
                          check=True, timeout=20)
    equal(done.stderr, "", "completion of %s" % (words,))
    return set(done.stdout.split())


def completion():
    if not shutil.which("bash"):
        skipped.append("no bash: completion not looked at")
        return
    listed = commands(said("skirmish", "--help"))
    equal(complete("skirmish", ""), listed | {"help", "--help", "--version"}, "commands")
    equal(complete("skirmish", "wa"), {"watch"}, "wa")
    equal(complete("skirmish", "account", "reg"), {"register"}, "account")
    equal(complete("skirmish", "play", "--create", "first-blood-"), {"first-blood-3in"}, "scenario")
    equal(complete("skirmish", "bot", "--lev"), {"--level"}, "option")
    equal(complete("skirmish", "verify", "--"), {"--head"}, "options of verify")
    equal(complete("skirmish", "bot", "--level", "c"), {"captain"}, "level")
    need("--check-backup" in complete("skirmishd", "--check"), "skirmishd")
    if os.access(os.path.join(os.environ["SK_BIN"], "skirmishctl"), os.X_OK):
        need("backup" in complete("skirmishctl", "back"), "skirmishctl")


if __name__ == "__main__":
    program("skirmishd")
    for test in (client, server, configuration, operator, clean, completion):
        try:
            test()
        except Failure:
            print("FAILED %s" % test.__name__)
            raise
        print("ok %s" % test.__name__, flush=True)
    for why in skipped:
        print("SKIPPED: %s" % why)
