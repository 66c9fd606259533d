/* SPDX-License-Identifier: ISC
 * session_watch.c -- reading a match: sync, watch, legal, record.
 *
 * Reading sees the durable match and so waits for no transaction: what is under way comes to the
 * new reader as an event, like to all others.
 */
#include "common/base/str.h"
#include "server/core/room.h"

/* May the caller see this match? Once it reads it, it goes on to. */
static bool may_look(const struct conn *cn, const struct room *r, const char *invite)
{
    const struct match_setup *s = match_setup_of(r->m);

    if (room_role(r, cn->user) != ROLE_COUNT || cn->user->role != USER_PLAIN ||
        sub_find(cn, r) != NULL || str_ieq(s->opponent, cn->user->name))
        return true;
    if (s->watch == MSG_WATCH_NONE)
        return false;
    return (s->watch == MSG_WATCH_ALL && !s->is_private) || room_invited(r, invite);
}

/* The match that the request names, to look at. NULL: *no says why not. */
static struct room *need_look(struct core *c, const struct conn *cn, const struct msg_request *req,
                              struct refusal *no)
{
    struct room *r = room_need(c, &req->p.match, no);

    if (r != NULL && !may_look(cn, r, req->p.invite)) {
        session_refuse(no, ERR_DENIED, "this match isn't open to you");
        return NULL;
    }
    return r;
}

/* Read live from the head on, or no longer while older pages are read. */
static void follow(struct core *c, struct conn *cn, struct room *r, const struct match_synced *got)
{
    struct sub *s = sub_find(cn, r);
    bool is_player = room_role(r, cn->user) != ROLE_COUNT;

    if (s != NULL && (got->upto != match_head(r->m) || s->player != is_player)) {
        sub_drop(c, s);
        s = NULL;
    }
    if (got->upto != match_head(r->m))
        return;
    if (s == NULL)
        s = sub_add(c, cn, r, is_player);
    if (got->has_state)
        s->state_seq = got->state_seq;
    s->stale = false;
}

static enum verdict sync(struct core *c, struct conn *cn, struct msg_request *req,
                         struct refusal *no)
{
    struct room *r = need_look(c, cn, req, no);
    struct match_sync ask = {.has_after = msg_has(&req->p, MSG_F_AFTER), .after = req->p.after};
    struct match_synced got = {.upto = 0};
    struct jsonw w;

    if (r == NULL)
        return REFUSED;
    ask.role = room_role(r, cn->user);
    if (ask.role == ROLE_COUNT && sub_find(cn, r) == NULL &&
        (int64_t)r->watchers.n >= c->cfg.limits.max_watchers)
        return session_refuse(no, ERR_BUSY, "too many look on");
    w = reply_open(c, req);
    jsonw_obj(&w);
    if (match_sync(r->m, &ask, core_now(c), &w, &got) != ERR_OK)
        return session_refuse_field(no, "after", "after is above the head");
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    follow(c, cn, r, &got);
    room_tell_presence(c, r, cn);
    room_tell_clock(c, r, cn);
    if (ask.role == ROLE_A || ask.role == ROLE_B) {
        room_ask(c, r, ask.role, cn);
        room_settle(c, r);
    }
    return SAID;
}

enum verdict on_match_sync(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    return sync(c, cn, req, no);
}

enum verdict on_match_watch(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    return sync(c, cn, req, no);
}

enum verdict on_match_unwatch(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    struct room *r = room_need(c, &req->p.match, no);
    struct sub *s;

    if (r == NULL)
        return REFUSED;
    s = sub_find(cn, r);
    if (s != NULL)
        sub_drop(c, s);
    reply_empty(c, cn, req);
    return SAID;
}

enum verdict on_match_legal(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct room *r = need_look(c, cn, req, no);
    enum role role;
    struct jsonw w;
    enum err e;

    if (r == NULL)
        return REFUSED;
    role = room_role(r, cn->user);
    w = reply_open(c, req);
    jsonw_obj(&w);
    e = match_legal(r->m, role == ROLE_COUNT ? RULES_NOBODY : match_side(r->m, role), req->p.figure,
                    &w);
    if (e == ERR_PARAMS)
        return session_refuse_field(no, "figure", "no such figure");
    if (e != ERR_OK)
        return session_refuse(no, e, NULL);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

enum verdict on_match_record(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct room *r = need_look(c, cn, req, no);
    int64_t after = 0;
    struct jsonw w;

    if (r == NULL)
        return REFUSED;
    if (req->p.page != NULL && !str_to_int(req->p.page, 0, INT64_MAX, &after))
        return session_refuse_field(no, "after", NULL);
    w = reply_open(c, req);
    jsonw_obj(&w);
    if (match_record(r->m, after, &w) != ERR_OK)
        return session_refuse_field(no, "after", NULL);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}
