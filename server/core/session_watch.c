/* SPDX-License-Identifier: ISC
 * session_watch.c -- reading a match: sync, watch, legal, record.
 *
 * Reading sees the durable match and so waits for no transaction: what is under way comes to the
 * new reader as an event, like to all others.
 */
#include "common/base/str.h"
#include "server/core/room.h"

/* May the caller see this match? Once it reads it, it goes on to. */
static bool may_look(const struct core *c, struct conn *cn, const struct room *r,
                     const char *invite)
{
    const struct match_setup *s = match_setup_of(r->m);

    if (room_role(r, cn->user) != ROLE_COUNT || cn->user->role != USER_PLAIN ||
        sub_find(cn, r) != NULL || str_ieq(s->opponent, cn->user->name))
        return true;
    if (s->watch == MSG_WATCH_NONE || (c->cfg.members_watch && cn->user->kind == USER_GUEST))
        return false;
    return (s->watch == MSG_WATCH_ALL && !s->is_private) || room_invited(r, invite);
}

/* The match that the request names, to look at. NULL: *no says why not. */
static struct room *need_look(struct core *c, struct conn *cn, const struct msg_request *req,
                              struct refusal *no)
{
    struct room *r = room_need(c, &req->p.match, no);

    if (r != NULL && !may_look(c, cn, r, req->p.invite)) {
        session_refuse(no, ERR_DENIED, "this match isn't open to you");
        return NULL;
    }
    return r;
}

/* Read live from the head on, or no longer while older pages are read. */
static void follow(struct core *c, struct conn *cn, struct room *r, const struct match_synced *got)
{
    const struct match_viewer who = room_viewer(r, cn->user);
    const uint32_t head = match_visible_head(r->m, who);
    struct sub *s = sub_find(cn, r);
    bool is_player = who.role != ROLE_COUNT;

    if (s != NULL && (got->upto != head || s->player != is_player)) {
        sub_drop(c, s);
        s = NULL;
    }
    if (got->upto != head)
        return;
    if (s == NULL)
        s = sub_add(c, cn, r, is_player);
    if (got->has_state)
        s->state_seq = got->state_seq;
    s->later = match_is_delayed(r->m, who);
    s->stale = false;
}

/* Is there room for one more who looks on? The match's own bound isn't for umpires. */
static bool has_room(const struct core *c, struct conn *cn, const struct room *r)
{
    const uint32_t own = match_setup_of(r->m)->max_spectators;

    if (sub_find(cn, r) != NULL)
        return true;
    if (own > 0 && r->watchers.n >= own && cn->user->role == USER_PLAIN)
        return false;
    return (int64_t)r->watchers.n < c->cfg.limits.max_watchers;
}

/* What is the same for all who come now isn't written again, nor copied, for each. */
static void sync_prepared(struct core *c, struct conn *cn, const struct msg_request *req,
                          struct match *m, struct match_synced *got)
{
    const struct match_prepared *p = match_prepare(m);
    struct jsonw w = reply_open(c, req);

    out_buf(c, cn, w.out);
    out_shared(c, cn, p->front, false);
    w = jsonw_on(out_line(c));
    match_clock_rule(m, core_now(c), &w);
    out_buf(c, cn, w.out);
    out_shared(c, cn, p->rear, false);
    *got = p->got;
}

static enum err sync_own(struct core *c, struct conn *cn, const struct msg_request *req,
                         struct match *m, struct match_synced *got)
{
    struct match_sync ask = {.has_after = msg_has(&req->p, MSG_F_AFTER), .after = req->p.after};
    struct jsonw w;
    enum err e;

    ask.role = match_role_of(m, cn->user->name);
    if (ask.role == ROLE_COUNT && !ask.has_after) {
        sync_prepared(c, cn, req, m, got);
        return ERR_OK;
    }
    w = reply_open(c, req);
    jsonw_obj(&w);
    e = match_sync(m, &ask, core_now(c), &w, got);
    if (e != ERR_OK)
        return e;
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return ERR_OK;
}

static enum verdict sync(struct core *c, struct conn *cn, struct msg_request *req,
                         struct refusal *no)
{
    struct room *r = need_look(c, cn, req, no);
    struct match_synced got = {.upto = 0};
    struct match_viewer who;

    if (r == NULL)
        return REFUSED;
    who = room_viewer(r, cn->user);
    if (who.role == ROLE_COUNT && !has_room(c, cn, r))
        return session_refuse(no, ERR_BUSY, "too many look on");
    if (sync_own(c, cn, req, match_shown(r->m, who), &got) != ERR_OK)
        return session_refuse_field(no, "after", "after is above the head");
    follow(c, cn, r, &got);
    room_tell_presence(c, r, cn);
    if (!match_is_delayed(r->m, who))
        room_tell_clock(c, r, cn);
    if (who.role == ROLE_A || who.role == ROLE_B) {
        room_ask(c, r, who.role, cn);
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
    e = match_legal(match_shown(r->m, room_viewer(r, cn->user)),
                    role == ROLE_COUNT ? RULES_NOBODY : match_side(r->m, role), req->p.figure, &w);
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
    if (match_record(match_shown(r->m, room_viewer(r, cn->user)), after, &w) != ERR_OK)
        return session_refuse_field(no, "after", NULL);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}
