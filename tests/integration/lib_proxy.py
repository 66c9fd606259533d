# SPDX-License-Identifier: ISC
"""lib_proxy.py -- a wire between client and server that breaks at chosen bytes.

Each connection gets a Cut (or None: it holds). Where it breaks, the client's end closes at once;
the server's end closes too, or stays open until release(): then the server hasn't seen yet that its
peer is gone.
"""
import select
import socket
import struct
import threading

REPLY = b'"result":{"seq":'  # the answer to an order


class Cut:
    """Where one connection breaks: behind `up` bytes to the server, or `down` bytes from it, or at
    the `reply`-th answer to an order, of which only `keep` bytes pass."""

    def __init__(self, up=None, down=None, reply=None, keep=0, reset=False, linger=False):
        self.up, self.down, self.reply, self.keep = up, down, reply, keep
        self.reset = reset  # RST instead of FIN
        self.linger = linger

    def take_up(self, data):
        """(what passes, does it break there)."""
        if self.up is None:
            return data, False
        passes = data[:self.up]
        self.up -= len(passes)
        return passes, self.up == 0

    def take_down(self, data):
        if self.reply is not None:
            at = data.find(REPLY)
            if at >= 0:
                self.reply -= 1
                if self.reply <= 0:
                    start = data.rfind(b"\n", 0, at) + 1
                    end = data.find(b"\n", at)
                    return data[:min(start + self.keep, end)], True
        if self.down is None:
            return data, False
        passes = data[:self.down]
        self.down -= len(passes)
        return passes, self.down == 0


def close(sock, reset):
    if reset:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    try:
        sock.close()
    except OSError:
        pass


class Proxy:
    """Listens at `address`; plan() gives each new connection its Cut."""

    def __init__(self, target, plan):
        self.target, self.plan = target, plan
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.lock = threading.Lock()
        self.cuts = 0
        self.held = []  # servers' ends of broken connections
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.carry, args=(client, self.plan()), daemon=True).start()

    def carry(self, client, cut):
        try:
            server = socket.create_connection(self.target)
        except OSError:
            client.close()
            return
        for sock in (client, server):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            broke = self.pump(client, server, cut)
        except OSError:
            broke = False  # an end went by itself
        close(client, cut is not None and cut.reset)
        with self.lock:
            self.cuts += broke
            if broke and cut.linger:
                self.held.append(server)
                return
        close(server, cut is not None and cut.reset)

    @staticmethod
    def pump(client, server, cut):
        while True:
            for sock in select.select([client, server], [], [])[0]:
                data = sock.recv(1 << 16)
                if not data:
                    return False
                breaks = False
                if cut:
                    data, breaks = (cut.take_up if sock is client else cut.take_down)(data)
                (server if sock is client else client).sendall(data)
                if breaks:
                    return True

    def release(self):
        """The server learns that the broken connections are gone. How many there were."""
        with self.lock:
            held, self.held = self.held, []
        for sock in held:
            sock.close()
        return len(held)

    def close(self):
        self.listener.close()
        self.release()
