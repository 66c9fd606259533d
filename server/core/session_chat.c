/* SPDX-License-Identifier: ISC
 * session_chat.c -- people talking, and not listening.
 */
#include "server/core/room.h"
#include "server/core/user.h"

/* A person's words, whatever the connection: CHAT_BURST at once, then one each CHAT_STEP_MS. */
enum { CHAT_STEP_MS = 2000, CHAT_BURST = 8 };

static bool may_talk(const struct core *c, struct user *u, int64_t *retry_ms)
{
    const int64_t from = MAX(u->chat_ms, c->now.ms);
    const int64_t over = from + CHAT_STEP_MS - c->now.ms - (int64_t)CHAT_BURST * CHAT_STEP_MS;

    if (over > 0) {
        *retry_ms = over;
        return false;
    }
    u->chat_ms = from + CHAT_STEP_MS;
    return true;
}

/* ---- match.chat: never in the journal ---- */

/* Who hears it: players have a room of their own; who looks on reaches players only where that
 * can't help one of them (not in a rated game before its end). */
static void deliver(struct core *c, struct conn *cn, const struct msg_request *req, struct room *r)
{
    bool seated = room_role(r, cn->user) != ROLE_COUNT;
    bool closed = match_setup_of(r->m)->rated && match_state(r->m) != MATCH_OVER;
    struct room_line l = {.from = cn->user->name,
                          .to_players = seated || !closed,
                          .to_watchers = req->p.to == CHAT_ALL,
                          .to_later = req->p.to == CHAT_ALL};
    struct jsonw w;

    reply_empty(c, cn, req);
    w = note_open(c, NOTE_MATCH_CHAT);
    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    jsonw_m_str(&w, "from", cn->user->name);
    jsonw_m_str(&w, "to", msg_chat_to_word((enum msg_chat_to)req->p.to));
    jsonw_m_str(&w, "text", req->p.text);
    jsonw_m_int(&w, "ts", c->wall.ms);
    l.line = note_share(c, &w);
    room_say(c, r, &l);
    shared_unref(l.line);
}

/* A guest's first words: now its row is kept. */
static void on_chatter_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct conn *cn = pend_conn(p);

    if (cn == NULL)
        return;
    if (ev->u.stored.err != ERR_OK)
        reply_error(c, cn, &p->req.id, ERR_STORAGE, NULL);
    else
        deliver(c, cn, &p->req, p->room);
}

enum verdict on_match_chat(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    struct room *r = room_need(c, &req->p.match, no);
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    if (r == NULL)
        return REFUSED;
    if (room_role(r, cn->user) == ROLE_COUNT) {
        if (sub_find(cn, r) == NULL)
            return session_refuse(no, ERR_DENIED, "look on first");
        if (req->p.to == CHAT_PLAYERS)
            return session_refuse(no, ERR_DENIED, "this room is the players'");
    }
    if (!may_talk(c, cn->user, &no->fault.retry_ms))
        return session_refuse(no, ERR_RATE, "you talk too fast");
    if (!ops_user(&ops, cn->user)) {
        deliver(c, cn, req, r);
        return SAID;
    }
    p = pend_new(c, cn, req, on_chatter_stored);
    pend_pin_room(p, r);
    pend_pin(p, cn->user);
    pend_has_row(p, cn->user);
    out_store(c, p->id, &ops);
    return LATER;
}

/* ---- chat.mute ---- */

static void on_mute_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct conn *cn = pend_conn(p);

    u->gate_shut = false;
    if (ev->u.stored.err != ERR_OK) {
        bool undone = user_mute(u, p->req.p.player, !p->req.p.on);

        CHECK(undone);
        if (cn != NULL)
            reply_error(c, cn, &p->req.id, ERR_STORAGE, NULL);
    } else if (cn != NULL) {
        reply_empty(c, cn, &p->req);
    }
    gate_open(c, &u->gate);
}

enum verdict on_chat_mute(struct core *c, struct conn *cn, struct msg_request *req,
                          struct refusal *no)
{
    struct user *u = cn->user;
    const struct user *other = user_find(c, req->p.player);
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    if (u->gate_shut)
        return session_hold(no, &u->gate);
    if (req->p.on && other == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such player");
    if (other == u)
        return session_refuse_field(no, "player", "you can't mute yourself");
    if (user_has_muted(u, req->p.player) == req->p.on) {
        reply_empty(c, cn, req);
        return SAID;
    }
    if (!user_mute(u, req->p.player, req->p.on))
        return session_refuse(no, ERR_BUSY, "your list is full");
    if (!u->stored && u->storing == 0) {
        reply_empty(c, cn, req);
        return SAID;
    }
    p = pend_new(c, cn, req, on_mute_stored);
    pend_pin(p, u);
    if (ops_user(&ops, u))
        pend_has_row(p, u);
    else
        op_user_put(&ops, u);
    u->gate_shut = true;
    out_store(c, p->id, &ops);
    return LATER;
}
