# SPDX-License-Identifier: ISC
"""fd1.py -- FD1 once more, from its document (proto/DICE.md) and not from the C.

Standard library only. Everything is bytes; integers are big-endian in every hash. Errors that a
record's reader must expect are ValueError.
"""
import hashlib
import hmac

LEN = 32
MID_LEN = 16
CHAIN_LEN = 4096
FLAG_A = 1
FLAG_B = 2
ZEROS = bytes(LEN)
ROLES = ("S", "A", "B")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def _sized(name, value, size):
    if len(value) != size:
        raise ValueError(f"{name} has {len(value)} bytes, not {size}")
    return value


def server_secret(master, mid, generation):
    """Secret of the server's chain."""
    message = b"FD1seed." + _sized("mid", mid, MID_LEN) + generation.to_bytes(2, "big")
    return hmac.new(_sized("master", master, LEN), message, hashlib.sha256).digest()


def step(mid, role, generation, k, link):
    """Link k - 1 from link k."""
    if role not in ROLES:
        raise ValueError(f"no role {role!r}")
    return sha256(
        b"FD1chain",
        _sized("mid", mid, MID_LEN),
        role.encode("ascii"),
        generation.to_bytes(2, "big"),
        k.to_bytes(4, "big"),
        _sized("link", link, LEN),
    )


def descend(mid, role, generation, k_from, link, k_to):
    """Link k_to from link k_from of the same chain, k_to <= k_from."""
    if not 0 <= k_to <= k_from <= CHAIN_LEN:
        raise ValueError(f"no way from link {k_from} to link {k_to}")
    for k in range(k_from, k_to, -1):
        link = step(mid, role, generation, k, link)
    return link


def chain(mid, role, generation, secret, length=CHAIN_LEN):
    """All links x[0] (the anchor) to x[length] (the secret)."""
    links = [_sized("secret", secret, LEN)]
    for k in range(length, 0, -1):
        links.append(step(mid, role, generation, k, links[-1]))
    links.reverse()
    return links


class Tail:
    """What the others know of a chain: the last link shown, at first the anchor."""

    def __init__(self, mid, role, generation, base, anchor):
        self.mid, self.role, self.generation, self.base = mid, role, generation, base
        self.k, self.link = 0, _sized("anchor", anchor, LEN)

    def take(self, n, link):
        """Take `link` as this chain's for roll n, a later one than any taken. ValueError if not."""
        k = n - self.base
        if not self.k < k <= CHAIN_LEN:
            raise ValueError(f"chain {self.role}/{self.generation} has no new link for roll {n}")
        found = descend(self.mid, self.role, self.generation, k, link, self.k)
        if found != self.link:
            raise ValueError(f"wrong link of {self.role} for roll {n}")
        self.k, self.link = k, link


def roll_key(mid, n, salt, s, a=None, b=None):
    """R_n. An absent share is None; the salt of a salt roll is ZEROS."""
    flags = (FLAG_A if a is not None else 0) | (FLAG_B if b is not None else 0)
    return sha256(
        b"FD1roll.",
        _sized("mid", mid, MID_LEN),
        n.to_bytes(4, "big"),
        bytes([flags]),
        _sized("salt", salt, LEN),
        _sized("s", s, LEN),
        _sized("a", ZEROS if a is None else a, LEN),
        _sized("b", ZEROS if b is None else b, LEN),
    )


class Dice:
    """The dice of one roll, read left to right."""

    def __init__(self, key):
        self.key = _sized("key", key, LEN)
        self._bytes = self._stream()

    def _stream(self):
        j = 0
        while True:
            yield from sha256(b"FD1dice.", self.key, j.to_bytes(4, "big"))
            j += 1

    def die(self, sides):
        if not 2 <= sides <= 256:
            raise ValueError(f"no die of {sides} sides")
        limit = 256 - 256 % sides
        for v in self._bytes:
            if v < limit:
                return 1 + v % sides
        raise AssertionError("the stream has no end")

    def roll(self, count, sides=6):
        return [self.die(sides) for _ in range(count)]


def journal_hash(prev, line):
    """Hash of the entry `line` (bytes, no newline) behind hash `prev` (ZEROS at the first)."""
    return sha256(b"FD1jrnl.", _sized("prev", prev, LEN), len(line).to_bytes(4, "big"), line)
