#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Ratings over the wire: computed as the paper says, once, and only for games that count."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot  # noqa: E402
from lib_rating import START, begin, glicko, member_pair, one_order, over  # noqa: E402
from lib_wire import equal, need, run  # noqa: E402


def profile(bot, name):
    return bot.call("player.get", player=name)["player"]


def counts(player):
    return player["games"], player["won"], player["lost"], player["drawn"]


def shown(rating):
    return round(rating[0]), round(rating[1])


def rating_of(player):
    return player["rating"]["rating"], player["rating"]["deviation"]


def by_the_paper(server):
    """Ann wins, draws and loses against Bob; each profile is what the formulas say."""
    ann, bob = member_pair(server)
    equal(rating_of(profile(bob, "ann")), (1500, 350), "a beginner")
    a, b = START, START
    for n, score in enumerate((1, 0.5, 0), 1):
        match = begin(ann, bob)
        one_order(ann, bob, match)
        if score == 0.5:
            offer = ann.call("match.offer", match=match, offer="draw")["offer_id"]
            bob.call("match.answer", match=match, offer_id=offer, accept=True)
        else:
            (bob if score == 1 else ann).call("match.resign", match=match)
        over([ann, bob], match)
        a, b = glicko(a, b, score), glicko(b, a, 1 - score)
        for bot, name, want in ((ann, "Ann", a), (bob, "Bob", b)):
            player = profile(bot, name)
            equal(rating_of(player), shown(want), "%s after game %d" % (name, n))
            equal(player["rating"]["games"], n, "games")
            equal(player["history"][-1]["match"], match, "the newest of the history")
            equal(player["history"][-1]["rating"], shown(want)[0], "its rating")
    equal(counts(profile(ann, "Ann")), (3, 1, 1, 1), "Ann's games")
    server.stop()
    server.start()
    for bot in (ann, bob):
        bot.server = server
        bot.reconnect()
    equal(rating_of(profile(bob, "Ann")), shown(a), "Ann after a restart")
    equal(len(profile(bob, "Ann")["history"]), 3, "history after a restart")
    ladder = bob.call("player.list")
    equal([p["name"] for p in ladder["players"]], ["Ann", "Bob"] if a[0] > b[0] else ["Bob", "Ann"],
          "the ladder")
    need("next" not in ladder, "one page")
    first = bob.call("player.list", limit=1)
    second = bob.call("player.list", limit=1, before=first["next"])
    equal(second["players"], ladder["players"][1:], "the second page")


def what_does_not_count(server):
    """No order given, guests, the server's dice, unrated, void: no rating moves."""
    ann, bob = member_pair(server)
    guest = Bot(server, "Guest", 3)
    match = begin(ann, bob)
    ann.call("match.resign", match=match)
    over([ann, bob], match)
    equal(profile(ann, "Bob")["rating"]["games"], 0, "no order was given")
    equal(counts(profile(ann, "Bob")), (1, 1, 0, 0), "it is won all the same")
    match = begin(ann, bob, rated=False)
    one_order(ann, bob, match)
    ann.call("match.resign", match=match)
    over([ann, bob], match)
    equal(profile(ann, "Bob")["rating"]["games"], 0, "unrated")
    equal(counts(profile(ann, "Ann")), (2, 0, 2, 0), "two lost")
    clock = {"kind": "none"}
    guest.refused("denied", "match.create", scenario="first-blood", side="red", clock=clock,
                  rated=True)
    equal(ann.refused("params", "match.create", scenario="first-blood", side="red", clock=clock,
                      rated=True, fair="server")["field"], "rated", "server dice, rated")
    made = ann.create("first-blood", side="red", clock=clock, rated=True)
    guest.refused("denied", "match.join", match=made)
    equal(profile(ann, "Guest")["rating"], None, "a guest has no rating")
    equal(ann.call("player.list")["players"], [], "nobody is rated")
    ann.refused("not_found", "player.get", player="Nobody")


def sides_are_seen(server):
    """A scenario's sides have ratings of their own."""
    ann, bob = member_pair(server)
    before = next(s for s in ann.call("scenario.list")["scenarios"] if s["id"] == "first-blood")
    need("rating" not in before["sides"][0], "no rated game yet")
    for _ in range(2):
        match = begin(ann, bob)
        one_order(ann, bob, match)
        bob.call("match.resign", match=match)
        over([ann, bob], match)
    fared = next(s for s in ann.call("scenario.list")["scenarios"] if s["id"] == "first-blood")
    red = next(s for s in fared["sides"] if s["id"] == "red")
    blue = next(s for s in fared["sides"] if s["id"] != "red")
    equal((red["won"], blue["won"], fared["drawn"]), (2, 0, 0), "results by side")
    need(red["rating"] > 1500 > blue["rating"], "red looks stronger")
    open_match = ann.create("first-blood", side="red", clock={"kind": "none"})
    listed = bob.call("lobby.list", state="open")["matches"]
    equal([m["maker_rating"]["games"] for m in listed if m["match"] == open_match], [2],
          "the maker's rating stands with the offer")


def many_at_once(server):
    """Matches of the same two that end in the same packet: each counts, once."""
    ann, bob = member_pair(server)
    matches = [begin(ann, bob) for _ in range(6)]
    for match in matches:
        one_order(ann, bob, match)
    lines = [ann.conn.line("match.resign", {"match": match}) for match in matches]
    for request_id, _ in lines:
        ann.waiting[request_id] = lambda result: equal(result, {}, "resign")
    ann.conn.send_raw("".join(text + "\n" for _, text in lines).encode())
    for request_id, text in lines:
        ann.conn.checker.note_request(text)
    for match in matches:
        over([ann, bob], match)
    a, b = START, START
    for _ in matches:
        a, b = glicko(a, b, 0), glicko(b, a, 1)
    equal(rating_of(profile(bob, "Ann")), shown(a), "Ann")
    equal(rating_of(profile(bob, "Bob")), shown(b), "Bob")
    equal(counts(profile(bob, "Bob")), (6, 6, 0, 0), "Bob's games")


def umpires_alone(server):
    ann, bob = member_pair(server)
    match = begin(ann, bob)
    for bot in (ann, bob):
        bot.refused("denied", "match.umpire", match=match, act="void", reason="no reason")


def talking_has_a_limit(server):
    """Eight lines at once; then one each two seconds, whatever the connection."""
    ann, bob = member_pair(server)
    match = begin(ann, bob)
    for i in range(8):
        ann.call("match.chat", match=match, to="all", text="word %d" % i)
    retry = ann.refused("rate", "match.chat", match=match, to="all", text="one more")["retry_ms"]
    need(0 < retry <= 2000, "told when: %s" % retry)
    bob.call("match.chat", match=match, to="players", text="hello")


if __name__ == "__main__":
    run([by_the_paper, what_does_not_count, sides_are_seen, many_at_once, umpires_alone,
         talking_has_a_limit])
