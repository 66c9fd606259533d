# SPDX-License-Identifier: ISC
"""lib_rating.py -- members of a club: bots of lib_bot with accounts, and Glicko-2 in Python."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, pump_until, started  # noqa: E402
from lib_wire import Conn, equal  # noqa: E402

PASSWORD = "correct horse"


class Member(Bot):
    """A bot with an account, made at its first connection."""

    def connect(self):
        if self.token is not None:
            super().connect()
            return
        self.conn = Conn(self.server.address)
        self.conn.label = self.name
        self.conn.hello()
        result = self.conn.call("session.register", name=self.name, password=PASSWORD)
        equal(result["user"], {"name": self.name, "kind": "member", "role": "member"}, "member")
        self.token = result["token"]
        self.conn.listener = self.on_message


def member_pair(server, names=("Ann", "Bob")):
    return Member(server, names[0], 1), Member(server, names[1], 2)


def begin(ann, bob, **params):
    """A rated match that has started, Ann red."""
    scenario = params.pop("scenario", "first-blood")
    match = ann.create(scenario, **{"side": "red", "clock": {"kind": "none"}, "rated": True,
                                    "fair": "normal", **params})
    bob.join(match, scenario)
    started([ann, bob], match)
    return match


def one_order(ann, bob, match):
    """Whoever's turn it is gives one."""
    mover = ann if ann.views[match].my_turn() else bob
    before = mover.views[match].head
    mover.think(mover.views[match])
    pump_until([ann, bob], lambda: mover.views[match].head > before and not
               mover.views[match].flying, "an order")


def over(bots, match):
    pump_until(bots, lambda: all(b.views[match].over() for b in bots), "the end of %s" % match)


# ---- Glicko-2, from the paper, one game a period

SCALE, TAU = 173.7178, 0.5


def g(phi):
    return 1 / math.sqrt(1 + 3 * phi ** 2 / math.pi ** 2)


def glicko(me, other, score):
    """(rating, deviation, volatility) after one game; bisection where the server has Illinois."""
    mu, phi, sigma = (me[0] - 1500) / SCALE, me[1] / SCALE, me[2]
    mu_j, phi_j = (other[0] - 1500) / SCALE, other[1] / SCALE
    e = 1 / (1 + math.exp(-g(phi_j) * (mu - mu_j)))
    v = 1 / (g(phi_j) ** 2 * e * (1 - e))
    delta = v * g(phi_j) * (score - e)
    a = math.log(sigma ** 2)

    def f(x):
        d = phi ** 2 + v + math.exp(x)
        return math.exp(x) * (delta ** 2 - d) / (2 * d * d) - (x - a) / TAU ** 2
    low, high = a - 10, a + 10
    for _ in range(100):
        mid = (low + high) / 2
        low, high = (mid, high) if f(mid) > 0 else (low, mid)
    sigma = math.exp(low / 2)
    phi = 1 / math.sqrt(1 / (phi ** 2 + sigma ** 2) + 1 / v)
    return 1500 + SCALE * (mu + phi ** 2 * g(phi_j) * (score - e)), SCALE * phi, sigma


START = (1500.0, 350.0, 0.06)
