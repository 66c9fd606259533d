#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# timeout: 180
"""The house around the games, over the wire: hello, guests and their tokens, scenarios, open
matches, challenges, invitations, following, chat, agreements, records, and restarts."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from lib_bot import Bot, at_rest, catch_up, play, pump_until, same_end, seat_pair, started  # noqa: E402
from lib_wire import Refusal, equal, need, run  # noqa: E402
from verify import verify  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED = tuple(sorted(name[:-len(".json")] for name in os.listdir(
    os.path.join(os.environ["SK_SRC"], "common", "scenarios")) if name.endswith(".json")))
NO_CLOCK = {"kind": "none"}
OPEN = {"scenario": "first-blood", "side": "random", "clock": NO_CLOCK, "fair": "server"}
TOKEN = "0123456789abcdef" * 4


def guests(server, *names):
    conns = []
    for name in names:
        conn = server.connect()
        conn.guest(name)
        conns.append(conn)
    return conns


# ---- hello, server, scenarios

def hello(server):
    conn = server.connect()
    equal((conn.welcome["protocol"], conn.welcome["tls"]), (1, False), "welcome")
    result = conn.hello()
    equal((result["server"], result["protocol"]), (conn.welcome["server"], 1), "hello")
    limits = {"line": 4096, "line_login": 16384, "line_server": 262144, "depth": 8, "members": 64,
              "values": 512, "chat": 400, "orders_phase": 1024}
    equal({name: result["limits"][name] for name in limits}, limits, "limits")
    for client in ("", 7, None):
        fresh = server.connect()
        data = fresh.refused("params", "session.hello", protocol=1, client=client)
        equal(data["field"], "client", "field for client %r" % (client,))
    fresh = server.connect()
    equal(fresh.refused("params", "session.hello", protocol="1", client="x")["field"], "protocol",
          "field")


def info(server):
    """Numbers that follow what happens; allowed before login."""
    conn = server.connect()
    conn.hello()
    first = conn.call("server.info")
    equal((first["players"], first["matches"], first["spectators"], first["scenarios"]),
          (0, 0, 0, len(SHIPPED)), "an empty house")
    match, _ann, _bob = seat_pair(server, "first-blood", 1, fair="server")
    [eve] = guests(server, "eve")
    eve.call("match.watch", match=match)
    later = conn.call("server.info")
    equal((later["players"], later["matches"], later["spectators"]), (3, 1, 1), "a game goes on")


def scenarios(server):
    """The shipped files as they are."""
    conn = server.connect()
    conn.hello()
    listed = {item["id"]: item for item in conn.call("scenario.list")["scenarios"]}
    equal(tuple(sorted(listed)), SHIPPED, "scenarios")
    for name, item in listed.items():
        path = os.path.join(os.environ.get("SK_SRC", ROOT), "common", "scenarios", name + ".json")
        with open(path, encoding="utf-8") as file:
            wanted = json.load(file)
        got = conn.call("scenario.get", id=name)["scenario"]
        equal(list(got), list(wanted), "members of %s, in their order" % name)
        equal(got, wanted, name)
        for member in ("title", "scale", "size"):
            equal(item[member], wanted[member], member)
        equal(item["turns"], wanted.get("turns", 50), "turns")
        equal(item["sides"], [{k: s[k] for k in ("id", "name")} for s in wanted["sides"]], "sides")
    conn.refused("not_found", "scenario.get", id="no-such")
    equal(conn.refused("params", "scenario.get", id=3)["field"], "id", "field")
    equal(conn.refused("params", "scenario.get")["field"], "id", "field")


# ---- guests

def names(server):
    """[A-Za-z0-9_-]{3,20}, unique without case; without one the server finds one."""
    first, *_ = guests(server, "Ann_1")
    for name in ("Ann_1", "ann_1", "ANN_1"):
        conn = server.connect()
        conn.hello()
        conn.refused("conflict", "session.guest", name=name)
        conn.close()
    conn = server.connect()
    conn.hello()
    for name in ("ab", "x" * 21, "", "a b", "a.b", "\u00e4nne", "ann\u200b", 5, {}, "a\tb", "ann "):
        equal(conn.refused("params", "session.guest", name=name)["field"], "name",
              "field for %r" % (name,))
    result = conn.call("session.guest", name="a-_" + "9" * 17)
    equal(result["user"], {"name": "a-_" + "9" * 17, "kind": "guest", "role": None}, "user")
    made = []
    for _ in range(3):
        conn = server.connect()
        conn.hello()
        made.append(conn.call("session.guest")["user"]["name"])
    need(len(set(name.lower() for name in made)) == 3, "names made twice: %s" % made)
    first.call("session.ping")


def resume_with(server, token, **more):
    """A fresh connection's resume: its result, or the Refusal."""
    conn = server.connect()
    conn.hello()
    try:
        return conn.call("session.resume", token=token, **more)
    except Refusal as refusal:
        return refusal
    finally:
        conn.close()


def refused_token(server, token):
    result = resume_with(server, token)
    need(isinstance(result, Refusal) and result.reason == "auth" and result.code == 1,
         "token %s...: %s" % (token[:8], result))


def tokens(server):
    """Each resume makes a new token and the old one dies."""
    conn = server.connect()
    token = conn.guest("roam")
    conn.close()
    seen = {token}
    for _ in range(5):
        result = resume_with(server, token)
        equal(result["user"]["name"], "roam", "who it is")
        need(result["token"] not in seen, "a token twice")
        old, token = token, result["token"]
        seen.add(token)
        refused_token(server, old)  # its successor wasn't used yet: refused, no more
    need(resume_with(server, token)["token"], "the newest token still works")
    refused_token(server, TOKEN)
    for bad in ("", "zz" * 32, TOKEN.upper(), TOKEN[:-1], 5, None):
        conn = server.connect()
        conn.hello()
        equal(conn.refused("params", "session.resume", token=bad)["field"], "token", "field")
        equal(conn.refused("params", "session.resume", token=TOKEN, next=bad)["field"], "next",
              "field")


def reused_token(server):
    """An old token used behind its successor's use ends all of the family."""
    conn = server.connect()
    zero = conn.guest("robbed")
    one = resume_with(server, zero)["token"]
    refused_token(server, zero)  # nobody has used `one` yet
    two = resume_with(server, one)["token"]
    refused_token(server, zero)  # `one` was used: the end of the family
    refused_token(server, two)
    refused_token(server, one)


def token_of_the_client(server):
    """`next`: the client knows the token before the answer; a lost answer loses nothing."""
    conn = server.connect()
    token = conn.guest("careful")
    mine = "ab" * 32
    lost = server.connect()
    lost.hello()
    request_id = lost.send("session.resume", token=token, next=mine)
    lost.wait(lambda: request_id in lost.replies, "an answer that the client loses")
    lost.abort()
    equal(resume_with(server, mine, next="cd" * 32)["token"], "cd" * 32, "next, tried first")
    # The other way: the request never came through, and `next` is unknown.
    refused_token(server, "ef" * 32)
    equal(resume_with(server, "cd" * 32, next="ef" * 32)["token"], "ef" * 32, "then token")
    need(resume_with(server, "ef" * 32)["token"], "and so on")


def logout(server):
    conn = server.connect()
    token = conn.guest("leaver")
    equal(conn.call("session.logout"), {}, "logout")
    conn.refused("auth", "lobby.list")
    refused_token(server, token)


# ---- the lobby

def listed(conn, **params):
    return [item["no"] for item in conn.call("lobby.list", **params)["matches"]]


def open_matches(server):
    """Made, listed newest first, in pages, joined, withdrawn."""
    ann, bob, eve = guests(server, "ann", "bob", "eve")
    made = [ann.call("match.create", **OPEN) for _ in range(7)]
    numbers = [item["no"] for item in made]
    equal(sorted(set(numbers)), numbers, "numbers grow")
    need(len({item["match"] for item in made}) == 7 and "invite" not in made[0], "ids")
    equal(listed(eve), numbers[::-1], "newest first")
    equal(listed(eve, state="live"), [], "none is live")
    pages, before = [], {}
    while True:
        page = eve.call("lobby.list", state="open", limit=3, **before)
        pages.append([item["no"] for item in page["matches"]])
        if "next" not in page:
            break
        before = {"before": page["next"]}
    equal(pages, [numbers[:3:-1], numbers[3:0:-1], numbers[:1]], "pages")
    one = eve.call("lobby.list", limit=1)["matches"][0]
    equal({k: one[k] for k in ("match", "no", "state", "scenario", "maker", "side", "clock", "fair",
                               "rated", "private", "watch", "spectators")},
          {"match": made[-1]["match"], "no": numbers[-1], "state": "open",
           "scenario": "first-blood", "maker": "ann", "side": "random", "clock": NO_CLOCK,
           "fair": "server", "rated": False, "private": False, "watch": "all",
           "spectators": 0}, "a summary")
    for params in ({"limit": 0}, {"limit": 101}, {"limit": "3"}, {"state": "lost"}, {"before": 0}):
        equal(eve.refused("params", "lobby.list", **params)["field"], list(params)[0], "field")
    equal(bob.call("match.join", match=numbers[0]), {"side": None}, "joined by number")
    ann.refused("phase", "match.cancel", match=numbers[0])
    bob.refused("denied", "match.cancel", match=numbers[1])
    equal(ann.call("match.cancel", match=numbers[1]), {}, "withdrawn")
    bob.refused("phase", "match.join", match=made[1]["match"])
    need(numbers[1] not in listed(eve) + listed(eve, state="over"), "a withdrawn match in a list")
    need(numbers[0] not in listed(eve, state="open"), "a joined match is open")
    equal(listed(eve, state="live"), [numbers[0]], "live")


def bad_matches(server):
    """What can't be made, by field; guests play unrated."""
    [ann] = guests(server, "ann")
    ann.refused("not_found", "match.create", **dict(OPEN, scenario="no-such"))
    ann.refused("denied", "match.create", **dict(OPEN, fair="strict", rated=True))
    ann.refused("not_found", "match.create", **dict(OPEN, opponent="nobody-here"))
    bad = (("side", "green"), ("side", 1), ("clock", None), ("clock", {"kind": "sand"}),
           ("clock", {"kind": "live"}), ("clock", {"kind": "live", "main_s": -1, "phase_s": 0}),
           ("clock", {"kind": "correspondence", "days": 0}),
           ("clock", {"kind": "correspondence", "days": 31}), ("fair", "very"), ("watch", "some"),
           ("readings", {"turning": "often"}), ("readings", []), ("private", "yes"),
           ("opponent", "a b"), ("rated", 1))
    for name, value in bad:
        field = ann.refused("params", "match.create", **dict(OPEN, **{name: value}))["field"]
        equal(field.split(".")[0], name, "field for %s %r" % (name, value))
    for name in ("scenario", "side", "clock"):
        params = {k: v for k, v in OPEN.items() if k != name}
        equal(ann.refused("params", "match.create", **params)["field"], name, "missing")
    slow = dict(OPEN, clock={"kind": "correspondence", "days": 3})
    equal(ann.refused("params", "match.create", **dict(slow, fair="strict"))["field"], "fair",
          "strict with correspondence")
    equal(listed(ann), [], "nothing was made")
    readings = {"turning": "free", "volley": "all"}
    match = ann.call("match.create", **dict(OPEN, readings=readings))["match"]
    shown = ann.call("lobby.list")["matches"][0]["readings"]
    wanted = {"turning": "free", "melee": "after_both", "saves": "each", "volley": "all",
              "roster": "all"}
    equal(shown, wanted, "readings of %s before anybody sits down" % match)


def sides(server):
    """The maker's wish; the joiner has the other side; random is open until roll 1."""
    ann, bob = guests(server, "ann", "bob")
    ids = [side["id"] for side in ann.call("scenario.get", id="first-blood")["scenario"]["sides"]]
    for wish in ids:
        match = ann.call("match.create", **dict(OPEN, side=wish))["match"]
        other = ids[1 - ids.index(wish)]
        equal(bob.call("match.join", match=match), {"side": other}, "the joiner's side")
        sync = bob.call("match.sync", match=match)
        if "players" not in sync:  # roll 1 isn't durable yet
            bob.wait_note("match.event", lambda p: p["entry"]["kind"] == "started")
            sync = bob.call("match.sync", match=match)
        equal((sync["players"], sync["role"], sync["side"]),
              ({wish: "ann", other: "bob"}, "B", other), "players")


def private(server):
    """In no list of others; the code opens it."""
    ann, bob, eve = guests(server, "ann", "bob", "eve")
    eve.call("lobby.follow")
    made = ann.call("match.create", **dict(OPEN, private=True))
    match, invite = made["match"], made["invite"]
    equal(listed(eve), [], "a private match in the list")
    mine = ann.call("match.mine")["matches"]
    equal([(m["match"], m["role"], m["invite"]) for m in mine], [(match, "A", invite)], "mine")
    for wrong in ({}, {"invite": invite[:-1]}, {"invite": ""}):
        reason = call_reason(eve, "match.join", match=match, **wrong)
        need(reason in ("denied", "not_found", "params"), "joined with %s: %s" % (wrong, reason))
    equal(bob.call("match.join", match=match, invite=invite), {"side": None}, "with the code")
    equal(listed(eve, state="live"), [], "a private match in the list, live")
    eve.settle()
    need(not [n for n in eve.notes if n["params"].get("match") == match], "news of a private match")


def call_reason(conn, method, **params):
    try:
        conn.call(method, **params)
    except Refusal as refusal:
        return refusal.reason
    return None


def challenges(server):
    """To one named player: shown to both, taken by that one alone, or declined."""
    ann, bob, eve = guests(server, "ann", "Bob", "eve")
    match = ann.call("match.create", **dict(OPEN, opponent="bob"))["match"]
    mine = bob.call("match.mine")["matches"]
    equal([(m["match"], m["role"], m["mine"]) for m in mine], [(match, None, True)], "a challenge")
    eve.refused("denied", "match.join", match=match)
    eve.refused("denied", "match.decline", match=match)
    equal(bob.call("match.decline", match=match), {}, "declined")
    equal(bob.call("match.mine")["matches"], [], "declined and gone")
    bob.refused("phase", "match.join", match=match)
    match = ann.call("match.create", **dict(OPEN, opponent="BOB"))["match"]
    text = json.dumps({"jsonrpc": "2.0", "id": "%d", "method": "match.join",
                       "params": {"match": match}})
    for number in (1, 2):  # twice in one packet: one match
        bob.checker.note_request(text % number)
    bob.send_raw("".join(text % number + "\n" for number in (1, 2)).encode("ascii"))
    need("side" in bob.reply("1") and "side" in bob.reply("2"), "accepted twice")
    equal([m["role"] for m in bob.call("match.mine")["matches"]], ["B"], "one seat")


def following(server):
    """lobby.event: matches come, change and go; people too."""
    ann, bob, eve = guests(server, "ann", "bob", "eve")
    online = {user["name"] for user in eve.call("lobby.follow")["online"]}
    equal(online, {"ann", "bob", "eve"}, "who is online")

    def event(kind, truth=lambda params: True):
        return eve.wait_note("lobby.event", lambda p: p["kind"] == kind and truth(p))
    match = ann.call("match.create", **OPEN)["match"]
    equal(event("match")["summary"]["state"], "open", "a new match")
    bob.call("match.join", match=match)
    live = event("match", lambda p: p["summary"]["state"] == "live")["summary"]
    equal((live["match"], live["joiner"], live["turn"]), (match, "bob", 1), "it began")
    bob.call("match.resign", match=match)
    over = event("match", lambda p: p["summary"]["state"] == "over")["summary"]
    equal(over["over"]["reason"], "resign", "it is over")
    gone = ann.call("match.create", **OPEN)["match"]
    event("match", lambda p: p["match"] == gone)
    ann.call("match.cancel", match=gone)
    equal(event("gone")["match"], gone, "withdrawn")
    [cat] = guests(server, "cat")
    equal(event("online")["user"], {"name": "cat", "kind": "guest", "role": None}, "somebody comes")
    cat.close()
    equal(event("offline")["user"]["name"], "cat", "and goes")
    equal(eve.call("lobby.unfollow"), {}, "unfollow")
    eve.notes.clear()
    ann.call("match.create", **OPEN)
    eve.settle()
    need(not [n for n in eve.notes if n["method"] == "lobby.event"], "news behind unfollow")


def mine(server):
    """match.mine: whose turn, what roll, and nothing that is over."""
    match, ann, bob = seat_pair(server, "first-blood", "mine", fair="strict")
    for bot in (ann, bob):
        view = bot.views[match]
        item, = bot.call("match.mine")["matches"]
        equal((item["match"], item["role"], item["turn"], item["roll"], item["left"], item["mine"],
               item["your_side"], item["active"]),
              (match, view.role, 1, None, {}, view.my_turn(), view.journal.sides[view.side()],
               view.game.side_id(view.game.active)), "mine of %s" % bot.name)
    ann.call("match.resign", match=match)
    equal(bob.call("match.mine")["matches"], [], "nothing that is over")


# ---- looking on, talking

def watching(server):
    """watch: all, invited, none; presence counts who looks on."""
    ann, bob, eve = guests(server, "ann", "bob", "eve")
    for wish, code in (("none", None), ("invited", "right")):
        made = ann.call("match.create", **dict(OPEN, watch=wish))
        bob.call("match.join", match=made["match"])
        eve.refused("denied", "match.watch", match=made["match"])
        if code:
            equal(eve.call("match.watch", match=made["match"], invite=made["invite"])["match"],
                  made["match"], "watched by invitation")
        equal(ann.call("match.sync", match=made["match"])["role"], "A", "seats always see it")
    match = ann.call("match.create", **OPEN)["match"]
    bob.call("match.join", match=match)
    ann.call("match.sync", match=match)
    eve.call("match.watch", match=match)
    ann.wait_note("match.presence", lambda p: p["match"] == match and p["spectators"] == 1)
    eve.call("match.unwatch", match=match)
    ann.wait_note("match.presence", lambda p: p["match"] == match and p["spectators"] == 0)
    seats = eve.wait_note("match.presence", lambda p: p["match"] == match)["seats"]
    equal([(s["role"], s["player"], s["online"]) for s in seats],
          [("A", "ann", True), ("B", "bob", True)], "seats")
    bob.abort()
    gone = ann.wait_note("match.presence", lambda p: not all(s["online"] for s in p["seats"]))
    equal([s["online"] for s in gone["seats"]], [True, False], "bob's connection broke")


def chat(server):
    """To players, or to all; clean text; muted people aren't heard; nothing in the journal."""
    ann, bob, eve, fay = guests(server, "ann", "bob", "eve", "fay")
    match = ann.call("match.create", **OPEN)["match"]
    bob.call("match.join", match=match)
    for conn in (ann, bob):
        while "state" not in conn.call("match.sync", match=match):  # its first roll is under way
            conn.settle()
    head = eve.call("match.watch", match=match)["head"]
    fay.call("match.watch", match=match)
    hard = "wall\u00e4 \U0001f3b2 \"q\" \\ " + "x" * 383 + "\u00e9"
    for sender, to, text, hearers in ((ann, "players", "psst", (bob,)), (ann, "all", hard[:400],
                                                                     (bob, eve, fay)),
                                      (eve, "all", "well played", (ann, bob, fay))):
        equal(sender.call("match.chat", match=match, to=to, text=text), {}, "chat")
        for conn in hearers:
            note = conn.wait_note("match.chat", lambda p, text=text: p["text"] == text)
            equal((note["to"], note["match"]), (to, match), "a chat")
    for conn in (eve, fay):
        conn.settle()
        need(not [n for n in conn.notes if n["params"].get("text") == "psst"], "heard the players")
    eve.refused("denied", "match.chat", match=match, to="players", text="me too")
    for text in ("", "x" * 401, "a\tb", "a\nb", "\u202eevil", "a\u200bb", "\u2066x", "\x7f",
                 "\ufeffx", 5):
        data = ann.refused("params", "match.chat", match=match, to="all", text=text)
        equal(data["field"], "text", "field for %r" % (text,))
    data = ann.refused("params", "match.chat", match=match, to="me", text="x")
    equal(data["field"], "to", "field")
    equal(bob.call("chat.mute", player="ann", on=True), {}, "mute")
    ann.call("match.chat", match=match, to="all", text="can you hear me?")
    eve.wait_note("match.chat", lambda p: p["text"] == "can you hear me?")
    bob.settle()
    need(not [n for n in bob.notes if n["params"].get("text") == "can you hear me?"], "muted")
    bob.call("chat.mute", player="ann", on=False)
    ann.call("match.chat", match=match, to="all", text="and now?")
    bob.wait_note("match.chat", lambda p: p["text"] == "and now?")
    equal(eve.call("match.watch", match=match)["head"], head, "talk is in no journal")


# ---- agreements and ends

def entries_until(bots, match, kind):
    pump_until(bots, lambda: all(b.views[match].kinds[-1] == kind for b in bots), kind)


def draw(server):
    match, ann, bob = seat_pair(server, "first-blood", "draw", fair="server")
    both = [ann, bob]
    offer = ann.call("match.offer", match=match, offer="draw")["offer_id"]
    ann.refused("denied", "match.answer", match=match, offer_id=offer, accept=True)
    bob.refused("not_found", "match.answer", match=match, offer_id=offer + 7, accept=True)
    open_ones = bob.call("match.sync", match=match)["offers"]
    equal([(o["offer_id"], o["offer"]) for o in open_ones], [(offer, "draw")], "open offers")
    bob.call("match.answer", match=match, offer_id=offer, accept=False)
    catch_up(both, match)
    bob.refused("stale", "match.answer", match=match, offer_id=offer, accept=True)
    offer = bob.call("match.offer", match=match, offer="draw")["offer_id"]
    ann.call("match.answer", match=match, offer_id=offer, accept=True)
    entries_until(both, match, "over")
    equal(ann.views[match].game.over, (None, "draw"), "the end")
    equal(bob.call("match.sync", match=match)["offers"], [], "offers behind the end")
    ann.verified_record(match)


def pause(server):
    """In a pause nobody orders; both agree again to go on."""
    clock = {"kind": "live", "main_s": 600, "phase_s": 5}
    match, ann, bob = seat_pair(server, "first-blood", "pause", fair="strict", clock=clock)
    both = [ann, bob]
    active, idle = both if ann.views[match].my_turn() else both[::-1]
    offer = idle.call("match.offer", match=match, offer="pause")["offer_id"]
    active.call("match.answer", match=match, offer_id=offer, accept=True)
    entries_until(both, match, "pause")
    view = active.views[match]
    active.refused("phase", "match.order", match=match, order_id="x", base=view.head,
                   order={"do": "end_phase"})
    offer = active.call("match.offer", match=match, offer="pause")["offer_id"]
    idle.call("match.answer", match=match, offer_id=offer, accept=True)
    entries_until(both, match, "resume")
    need(view.my_turn(), "the game goes on")
    play(both, match, until=lambda: view.head > 40 or view.over())
    catch_up(both, match)
    ann.verified_record(match)


def undo_by_agreement(server):
    """The newest order with its dice is taken back, its roll spent; only its giver may ask."""
    match, ann, bob = seat_pair(server, "first-blood", "undo", fair="strict")
    both = [ann, bob]
    for _ in range(6):
        n = ann.views[match].journal.n
        play(both, match, until=lambda n=n: ann.views[match].journal.n > n)
        at_rest(both, match)
        if ann.views[match].over():
            break
        seq, side, saved, _ = ann.views[match].journal.alive[-1]
        giver, other = both if ann.views[match].side() == side else both[::-1]
        other.refused("denied", "match.offer", match=match, offer="undo")
        offer = giver.call("match.offer", match=match, offer="undo")["offer_id"]
        other.call("match.answer", match=match, offer_id=offer, accept=True)
        entries_until(both, match, "undo")
        need(all(b.views[match].game.save() == saved for b in both), "not as before order %d" % seq)
        sync = ann.call("match.sync", match=match)
        equal(sync["state_hash"], ann.views[match].journal.state_hash(), "hash behind the undo")
    if not ann.views[match].over():
        play(both, match)
    ann.verified_record(match)


def claim(server):
    """Nobody is away: nothing to claim."""
    match, ann, bob = seat_pair(server, "first-blood", "claim", fair="strict")
    for bot in (ann, bob):
        bot.refused("phase", "match.claim", match=match)
    bob.drop()
    ann.refused("phase", "match.claim", match=match)


def resign(server):
    """Either side, in either phase; the record says who."""
    for who in (0, 1):
        names_ = ("ann%d" % who, "bob%d" % who)
        match, *pair = seat_pair(server, "first-blood", who, names_, fair="strict")
        equal(pair[who].call("match.resign", match=match), {}, "resign")
        entries_until(pair, match, "over")
        winner = pair[1 - who].views[match].side()
        equal(pair[0].views[match].game.over, (winner, "resign"), "who won")
        records = [bot.verified_record(match) for bot in pair]
        equal(records[0], records[1], "records")


def records(server):
    """match.record of every stage; a spectator's is the same."""
    ann, bob, eve = Bot(server, "ann", 1), Bot(server, "bob", 1), Bot(server, "eve", 1)
    match = ann.create("first-blood", side="random", clock=NO_CLOCK, fair="strict")
    opened = verify(ann.record(match))
    equal((opened.head, opened.state_hash()), (2, None), "a record before the start")
    bob.join(match, "first-blood")
    started([ann, bob], match)
    eve.watch(match, "first-blood")
    play([ann, bob, eve], match, until=lambda: eve.views[match].head > 60)
    at_rest([ann, bob, eve], match)
    equal(ann.verified_record(match), eve.verified_record(match), "a player's record")
    ann.call("match.resign", match=match)
    entries_until([ann, bob, eve], match, "over")
    whole = eve.verified_record(match)
    equal(ann.verified_record(match), whole, "a player's record")
    first = eve.call("match.record", match=match)
    equal("".join(line + "\n" for line in first["lines"]).encode("utf-8"),
          whole[:sum(len(line.encode("utf-8")) + 1 for line in first["lines"])], "a page")
    need(call_reason(eve, "match.record", match=match, after="nonsense") == "params", "a bad after")
    need(call_reason(eve, "match.record", match=match, after=1) == "params", "a number for after")


# ---- the server starts again

def restarts(server):
    """Clean ends and SIGKILL in the middle of games: seats, tokens, open rolls and dice go on."""
    match, ann, bob = seat_pair(server, "first-blood", "restarts", fair="strict")
    both = [ann, bob]
    idle = server.connect()
    homeless = idle.guest("homeless")
    for turn in range(8):
        head = ann.views[match].head
        play(both, match, until=lambda head=head: any(
            b.views[match].over() or b.views[match].head > head + 8 for b in both))
        if turn % 2:
            server.stop()
        else:
            server.kill()
        for bot in both:
            bot.drop()
        server.start()
        for bot in both:
            bot.reconnect()
        if ann.views[match].over():
            break
    if not ann.views[match].over():
        play(both, match)
    same_end(both, match)
    ann.verified_record(match)
    refused_token(server, homeless)  # guests without a seat live in memory


TESTS = (hello, info, scenarios, names, tokens, reused_token, token_of_the_client, logout,
         open_matches, bad_matches, sides, private, challenges, following, mine, watching, chat,
         draw, pause, undo_by_agreement, claim, resign, records, restarts)

if __name__ == "__main__":
    run(TESTS)
