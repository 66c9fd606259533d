#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 240
"""TLS: versions, what a stranger hears, certificates and their reload, hostile handshakes, and the
client's skirmishs://."""
import hashlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_wire import PATIENCE_S, Conn, Failure, Server, equal, need, program, run  # noqa: E402

CONFIG, NOPERM = 78, 77


class TlsServer(Server):
    """A server with a TLS listener beside the plain one."""

    def __init__(self, *options, **kwargs):
        super().__init__("--listen-tls", "127.0.0.1:0", *options, **kwargs)
        self.tls_address, self.print = None, None

    def start(self):
        super().start()
        word, where, kind, self.print = self.read_stdout().split(" ")
        equal((word, kind), ("listening", "tls"), "the second listener")
        host, _, port = where.rpartition(":")
        self.tls_address = (host, int(port))


def anybody():
    """A context that takes every certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class TlsConn(Conn):
    def open(self, address):
        return anybody().wrap_socket(super().open(address))

    def is_ready(self, timeout_s):
        return self.socket.pending() > 0 or super().is_ready(timeout_s)


def fingerprint(address):
    with anybody().wrap_socket(socket.create_connection(address, PATIENCE_S)) as sock:
        return "SHA256:" + hashlib.sha256(sock.getpeercert(binary_form=True)).hexdigest()


def same_bytes_inside(_server):
    """A talk, much output, and an end, as on a plain connection."""
    with TlsServer("--selfsign") as server:
        conn = TlsConn(server.tls_address)
        need(conn.welcome["tls"], "the welcome knows it")
        need(not server.connect().welcome["tls"], "the other's too")
        conn.guest("Ann")
        ids = [conn.send("scenario.get", id="tin-lizzy-down") for _ in range(100)]
        for request_id in ids:
            conn.reply(request_id)
        equal(conn.socket.version(), "TLSv1.3", "version")
        equal(fingerprint(server.tls_address), server.print, "the fingerprint printed")
        server.process.send_signal(signal.SIGTERM)
        conn.wait_note("server.closing")
        conn.wait_closed()
        equal(server.process.wait(PATIENCE_S), 0, "status")
        server.start()


def versions(_server):
    with TlsServer("--selfsign") as server:
        for version, good in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True),
                              (ssl.TLSVersion.TLSv1_3, True)):
            context = anybody()
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
            try:
                sock = context.wrap_socket(socket.create_connection(server.tls_address, PATIENCE_S))
                got = b"server.welcome" in sock.recv(4096)
                sock.close()
            except ssl.SSLError:
                got = False
            equal(got, good, version)


def strangers(_server):
    """Plain words on the TLS port, TLS on the plain one, and bytes that are neither."""
    with TlsServer("--selfsign") as server:
        for words in (b"GET / HTTP/1.0\r\n\r\n", b'{"jsonrpc":"2.0"}\n'):
            with socket.create_connection(server.tls_address, PATIENCE_S) as sock:
                sock.sendall(words)
                need(b"skirmishs://" in sock.recv(4096), "a word to the stranger")
                equal(sock.recv(4096), b"", "then the end")
        for junk in (b"\x16\x03\x01\xff\xff" + b"x" * 100, b"\x16" + os.urandom(4000)):
            with socket.create_connection(server.tls_address, PATIENCE_S) as sock:
                sock.sendall(junk)
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(4096):
                    pass
        try:
            anybody().wrap_socket(socket.create_connection(server.address, PATIENCE_S))
            raise Failure("TLS with a plain port")
        except ssl.SSLError:
            pass
        TlsConn(server.tls_address).guest("Ann")


def half_open(_server):
    """Many that begin a handshake and stop: others get in, and memory stays small."""
    with TlsServer("--selfsign") as server:
        idle = [socket.create_connection(server.tls_address, PATIENCE_S) for _ in range(300)]
        for sock in idle:
            sock.sendall(b"\x16\x03\x01\x02\x00\x01")
        TlsConn(server.tls_address).guest("Ann")
        with open("/proc/%d/status" % server.process.pid, encoding="ascii") as file:
            rss = [int(line.split()[1]) for line in file if line.startswith("VmRSS:")][0]
        need(rss < 80 * 1024 or "asan" in os.environ.get("SK_BUILD", ""), "%d KiB" % rss)
        for sock in idle:
            sock.close()
        TlsConn(server.tls_address).guest("Bea")


def certificates(_server):
    where = ("--listen", "127.0.0.1:0", "--listen-tls", "127.0.0.1:0", "--store", "memory")

    def ends(words, *options):
        done = subprocess.run([program("skirmishd"), *where, *options], capture_output=True,
                              timeout=PATIENCE_S, check=False)
        equal(done.returncode, CONFIG, done.stderr)
        need(words in done.stderr.decode("utf-8"), "%r isn't in %r" % (words, done.stderr))

    ends("a TLS listener needs a certificate")
    ends("needs its key", "--tls-cert", "/dev/null")
    ends("certificate /dev/null", "--tls-cert", "/dev/null", "--tls-key", "/dev/null")
    with TlsServer("--selfsign") as one, TlsServer("--selfsign") as two:
        equal(os.stat(os.path.join(one.data, "tls.key")).st_mode & 0o777, 0o600, "the key's mode")
        ends("mismatch", "--tls-cert", os.path.join(one.data, "tls.crt"),
             "--tls-key", os.path.join(two.data, "tls.key"))
        conn = TlsConn(one.tls_address)
        conn.hello()
        for name in ("tls.crt", "tls.key"):
            shutil.copy(os.path.join(two.data, name), os.path.join(one.data, name + ".new"))
            os.rename(os.path.join(one.data, name + ".new"), os.path.join(one.data, name))
        one.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + PATIENCE_S
        while fingerprint(one.tls_address) != two.print:
            need(time.monotonic() < deadline, "the new certificate never came")
        conn.call("session.ping")
        with open(os.path.join(one.data, "tls.crt"), "w", encoding="ascii") as file:
            file.write("no certificate")
        one.process.send_signal(signal.SIGHUP)
        while "reload.tls" not in one.log() or "kept=old" not in one.log():
            need(time.monotonic() < deadline, "nothing in the log")
            conn.call("session.ping")
        equal(fingerprint(one.tls_address), two.print, "the old one stays")


def client(_server):
    """The client meets, knows, refuses."""
    skirmish = program("skirmish")
    home = tempfile.mkdtemp(prefix="skirmish-home-")
    env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home + "/config", XDG_STATE_HOME=home)
    known = os.path.join(home, "config", "skirmish", "known_hosts")

    def visit(code, words, where, *options):
        done = subprocess.run([skirmish, "play", where, "--plain", *options], input=b"q\n", env=env,
                              capture_output=True, timeout=PATIENCE_S, check=False)
        text = (done.stdout + done.stderr).decode("utf-8")
        equal(done.returncode, code, text)
        need(words in text, "%r isn't in %r" % (words, text))

    with TlsServer("--selfsign") as server:
        url = "skirmishs://127.0.0.1:%d" % server.tls_address[1]
        visit(0, server.print, url)
        with open(known, encoding="ascii") as file:
            equal(file.read(), "127.0.0.1:%d %s\n" % (server.tls_address[1], server.print), known)
        visit(0, "", url)
        visit(0, "", url, "--fingerprint", server.print)
        wrong = "SHA256:" + "0" * 64
        visit(NOPERM, "isn't the one you were given", url, "--fingerprint", wrong)
        with open(known, "w", encoding="ascii") as file:
            file.write("127.0.0.1:%d %s\n" % (server.tls_address[1], wrong))
        visit(NOPERM, "HAS CHANGED", url)
    by_authority(home, visit)
    shutil.rmtree(home)


def by_authority(home, visit):
    """A certificate that an authority of ours has signed, for 127.0.0.1."""
    openssl = shutil.which("openssl")
    if openssl is None:
        print("no openssl program: --ca isn't tried")
        return

    def make(*args):
        subprocess.run([openssl, *args], cwd=home, check=True, capture_output=True,
                       timeout=PATIENCE_S)

    with open(os.path.join(home, "ext"), "w", encoding="ascii") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    make("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=our CA")
    make("req", *key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=club")
    make("x509", "-req", "-in", "own.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
         "-out", "own.crt", "-extfile", "ext")
    with TlsServer("--tls-cert", os.path.join(home, "own.crt"), "--tls-key",
                   os.path.join(home, "own.key")) as server:
        url = "skirmishs://127.0.0.1:%d" % server.tls_address[1]
        visit(0, "", url, "--ca", os.path.join(home, "ca.crt"))
        visit(NOPERM, "can't be checked", url)
    with TlsServer("--selfsign") as server:
        visit(NOPERM, "isn't good", "skirmishs://127.0.0.1:%d" % server.tls_address[1],
              "--ca", os.path.join(home, "ca.crt"))


TESTS = [same_bytes_inside, versions, strangers, half_open, certificates, client]

if __name__ == "__main__":
    run(TESTS)
