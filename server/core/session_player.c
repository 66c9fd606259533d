/* SPDX-License-Identifier: ISC
 * session_player.c -- profiles and the ladder.
 */
#include "server/core/session.h"
#include "server/core/standing.h"
#include "server/core/user.h"

enum { LADDER_DEFAULT = 50 };

/* ---- player.get ---- */

static void put_pairs(const struct standing *s, bool owed, struct jsonw *w)
{
    jsonw_m_obj(w, owed ? "setups_owed" : "left_behind");
    for (size_t i = 0; s != NULL && i < s->n_pairs; i++) {
        const uint32_t n = owed ? s->pair[i].owed : s->pair[i].left;

        if (n > 0)
            jsonw_m_int(w, s->pair[i].name, n);
    }
    jsonw_obj_end(w);
}

static void put_past(const struct standing *s, struct jsonw *w)
{
    jsonw_m_arr(w, "history");
    for (size_t i = 0; s != NULL && i < s->n_past; i++) {
        jsonw_obj(w);
        jsonw_m_int(w, "ts", s->past[i].ts);
        jsonw_m_int(w, "rating", s->past[i].rating);
        jsonw_m_hex(w, "match", s->past[i].match, MATCH_ID_LEN);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

static void put_profile(const struct core *c, const struct user *u, struct jsonw *w)
{
    const struct standing *s = standing_find(c, u->name);

    user_members(u, w);
    jsonw_m_bool(w, "online", u->conns != NULL);
    jsonw_name(w, "rating");
    if (u->kind == USER_GUEST)
        jsonw_null(w);
    else
        standing_rating(s, w);
    jsonw_m_int(w, "games", s != NULL ? (int64_t)s->won + s->lost + s->drawn : 0);
    jsonw_m_int(w, "won", s != NULL ? s->won : 0);
    jsonw_m_int(w, "lost", s != NULL ? s->lost : 0);
    jsonw_m_int(w, "drawn", s != NULL ? s->drawn : 0);
    put_pairs(s, true, w);
    put_pairs(s, false, w);
    put_past(s, w);
    jsonw_m_int(w, "since_ms", u->since.ms);
    if (user_vacation_until_ms(c, u) > 0)
        jsonw_m_int(w, "vacation_until_ms", user_vacation_until_ms(c, u));
}

enum verdict on_player_get(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    const struct user *u = user_find(c, req->p.player);
    struct jsonw w;

    if (u == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such player");
    w = reply_open(c, req);
    jsonw_obj(&w);
    jsonw_m_obj(&w, "player");
    put_profile(c, u, &w);
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

/* ---- player.list ---- */

static void put_rung(const struct core *c, size_t at, struct jsonw *w)
{
    const struct standing *s = c->ladder.at[at];
    const struct user *u = user_find(c, s->name);

    jsonw_obj(w);
    jsonw_m_int(w, "rank", (int64_t)at + 1);
    jsonw_m_str(w, "name", s->name);
    jsonw_m_int(w, "rating", rating_shown(s->rating.rating));
    jsonw_m_int(w, "deviation", rating_shown(s->rating.deviation));
    jsonw_m_int(w, "games", s->rated);
    jsonw_m_bool(w, "online", user_is_online(u));
    jsonw_obj_end(w);
}

enum verdict on_player_list(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    /* `before` is the first rank of this page: the last of the page before, and one */
    size_t at = msg_has(&req->p, MSG_F_BEFORE) ? req->p.before - 1 : 0;
    size_t left = msg_has(&req->p, MSG_F_LIMIT) ? req->p.limit : LADDER_DEFAULT;
    struct jsonw w = reply_open(c, req);

    (void)no;
    jsonw_obj(&w);
    jsonw_m_arr(&w, "players");
    for (; at < c->ladder.n && left > 0; at++, left--)
        put_rung(c, at, &w);
    jsonw_arr_end(&w);
    if (at < c->ladder.n)
        jsonw_m_int(&w, "next", (int64_t)at + 1);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}
