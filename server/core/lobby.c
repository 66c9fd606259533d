/* SPDX-License-Identifier: ISC */
#include "server/core/lobby.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/attic.h"
#include "server/core/standing.h"
#include "server/core/user.h"

enum { ONLINE_MAX = 1000 };

/* ---- rooms by number ---- */

size_t list_below(const struct room_list *l, uint32_t no)
{
    size_t lo = 0;
    size_t hi = l->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (l->at[mid]->no < no)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void list_add(struct room_list *l, struct room *r)
{
    size_t at = list_below(l, r->no);

    if (l->n == l->cap) {
        l->cap = l->cap == 0 ? 16 : l->cap * 2;
        l->at = mem_resize(l->at, l->cap, sizeof(struct room *));
    }
    memmove(&l->at[at + 1], &l->at[at], (l->n - at) * sizeof(struct room *));
    l->at[at] = r;
    l->n++;
}

void list_drop(struct room_list *l, const struct room *r)
{
    size_t at = list_below(l, r->no);

    CHECK(at < l->n && l->at[at] == r);
    l->n--;
    memmove(&l->at[at], &l->at[at + 1], (l->n - at) * sizeof(struct room *));
}

/* ---- a match in a list ---- */

static const char *state_word(const struct match *m)
{
    switch (m != NULL ? match_state(m) : MATCH_BROKEN) {
    case MATCH_OPEN:
        return "open";
    case MATCH_SETUP:
        return "setup";
    case MATCH_LIVE:
        return "live";
    case MATCH_OVER:
        return "over";
    case MATCH_BROKEN:
        break;
    }
    return "broken";
}

static void put_side(struct jsonw *w, const char *name, const struct scenario *scn,
                     enum rules_side side)
{
    if (side == RULES_NOBODY)
        jsonw_m_null(w, name);
    else
        jsonw_m_str(w, name, scn->side[side].id);
}

/* What stands from the start on, and from the end. */
static void put_play(const struct match *m, bool names, struct jsonw *w)
{
    const struct rules_state *s = match_position(m);
    const struct scenario *scn = match_setup_of(m)->scenario;

    if (s != NULL && names) {
        jsonw_m_obj(w, "players");
        for (int side = RULES_A; side <= RULES_B; side++)
            jsonw_m_str(w, scn->side[side].id,
                        match_name(m, match_role_of_side(m, (enum rules_side)side)));
        jsonw_obj_end(w);
    }
    if (s != NULL) {
        jsonw_m_int(w, "turn", s->turn);
        put_side(w, "active", scn, (enum rules_side)s->active);
    }
    if (match_state(m) != MATCH_OVER)
        return;
    jsonw_m_obj(w, "over");
    put_side(w, "winner", scn, s != NULL ? (enum rules_side)s->winner : RULES_NOBODY);
    jsonw_m_str(w, "reason", reason_word(s != NULL ? (enum rules_reason)s->reason : RULES_BY_VOID));
    jsonw_obj_end(w);
    jsonw_m_int(w, "over_ts", match_last_at(m).ms);
}

static void put_setup(const struct match_setup *s, bool names, struct jsonw *w)
{
    jsonw_m_str(w, "scenario", s->scenario->id);
    jsonw_m_str(w, "title", s->scenario->title);
    if (names)
        jsonw_m_str(w, "maker", s->maker);
    jsonw_m_str(w, "side", s->side == RULES_NOBODY ? "random" : s->scenario->side[s->side].id);
    if (names && s->opponent[0] != '\0')
        jsonw_m_str(w, "opponent", s->opponent);
    jsonw_name(w, "clock");
    clock_rule_to_json(&s->clock, w->out);
    w->comma = true;
    jsonw_m_str(w, "fair", fair_word((enum fair)s->fair));
    jsonw_m_bool(w, "rated", s->rated);
    jsonw_m_bool(w, "private", s->is_private);
    jsonw_m_str(w, "watch", msg_watch_word((enum msg_watch)s->watch));
    jsonw_name(w, "readings");
    readings_to_json(&s->board->readings, w->out);
    w->comma = true;
    if (s->delay > 0)
        jsonw_m_int(w, "delay", s->delay);
    if (s->max_spectators > 0)
        jsonw_m_int(w, "max_spectators", s->max_spectators);
    if (s->has_rematch)
        jsonw_m_hex(w, "rematch_of", s->rematch_of, sizeof(s->rematch_of));
}

/* A member's rating stands with a match that still looks for somebody. */
static void put_maker_rating(const struct core *c, const struct room *r, struct jsonw *w)
{
    const struct user *u = user_find(c, match_setup_of(r->m)->maker);

    if (match_state(r->m) != MATCH_OPEN || u == NULL || u->kind != USER_MEMBER)
        return;
    jsonw_name(w, "maker_rating");
    standing_rating(standing_find(c, u->name), w);
}

void lobby_summary(const struct core *c, const struct room *r, struct match_viewer who,
                   struct jsonw *w)
{
    const struct match *m = r->m != NULL ? match_shown(r->m, who) : NULL;

    jsonw_m_hex(w, "match", r->id, sizeof(r->id));
    jsonw_m_int(w, "no", r->no);
    jsonw_m_str(w, "state", state_word(m));
    put_setup(room_setup(r), true, w);
    if (r->m != NULL) {
        put_maker_rating(c, r, w);
        if (match_name(r->m, ROLE_B)[0] != '\0')
            jsonw_m_str(w, "joiner", match_name(r->m, ROLE_B));
        put_play(m, true, w);
    }
    jsonw_m_int(w, "spectators", r->watchers.n);
    jsonw_m_int(w, "ts", r->m != NULL ? match_opened_at(r->m).ms : 0);
}

void lobby_archive(const struct room *r, struct buf *out)
{
    struct jsonw w = jsonw_on(out);
    const struct match_setup *s = match_setup_of(r->m);
    const enum rules_side side = match_side(r->m, ROLE_A);

    jsonw_obj(&w);
    put_side(&w, "maker_side", s->scenario, match_position(r->m) != NULL ? side : RULES_NOBODY);
    put_side(&w, "joiner_side", s->scenario,
             match_position(r->m) != NULL ? rules_enemy(side) : RULES_NOBODY);
    jsonw_m_bool(&w, "challenge", s->opponent[0] != '\0');
    jsonw_m_obj(&w, "summary");
    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    jsonw_m_int(&w, "no", r->no);
    jsonw_m_str(&w, "state", state_word(r->m));
    put_setup(s, false, &w);
    put_play(r->m, false, &w);
    jsonw_m_int(&w, "spectators", 0);
    jsonw_m_int(&w, "ts", match_opened_at(r->m).ms);
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
}

static void put_names(const struct json *j, const struct store_row *row, struct jsonw *w)
{
    const char *side[2];
    bool challenge;

    jsonw_m_str(w, "maker", row->name[ROLE_A]);
    if (row->name[ROLE_B][0] != '\0')
        jsonw_m_str(w, "joiner", row->name[ROLE_B]);
    if (json_get_bool(j, "challenge", &challenge) && challenge && row->name[ROLE_B][0] != '\0')
        jsonw_m_str(w, "opponent", row->name[ROLE_B]);
    if (!json_get_string(j, "maker_side", &side[ROLE_A]) ||
        !json_get_string(j, "joiner_side", &side[ROLE_B]))
        return;
    jsonw_m_obj(w, "players");
    jsonw_m_str(w, side[ROLE_A], row->name[ROLE_A]);
    jsonw_m_str(w, side[ROLE_B], row->name[ROLE_B]);
    jsonw_obj_end(w);
}

enum err lobby_archived(const struct store_row *row, struct jsonw *w)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const struct json *summary;

    if (json_parse(row->data, row->len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    summary = json_get(j, "summary");
    for (const struct json *m = json_first(summary); m != NULL; m = json_next(m)) {
        jsonw_name(w, json_name(m));
        json_print(m, w->out);
        w->comma = true;
    }
    if (summary != NULL)
        put_names(j, row, w);
    json_free(j);
    return summary != NULL ? ERR_OK : ERR_DATA;
}

void lobby_roll(const struct match_request *q, struct jsonw *w)
{
    jsonw_obj(w);
    jsonw_m_int(w, "n", q->n);
    jsonw_m_int(w, "seq", q->seq);
    jsonw_m_hex(w, "hash", q->hash, sizeof(q->hash));
    jsonw_m_arr(w, "waiting");
    if ((q->waiting >> ROLE_A & 1) != 0)
        jsonw_str(w, "A");
    if ((q->waiting >> ROLE_B & 1) != 0)
        jsonw_str(w, "B");
    jsonw_arr_end(w);
    jsonw_obj_end(w);
}

void lobby_left(const struct room *r, struct match_now now, struct jsonw *w)
{
    const struct scenario *scn = match_setup_of(r->m)->scenario;
    struct match_clock clock;

    jsonw_obj(w);
    if (match_clock_at(r->m, now, &clock))
        for (int side = RULES_A; side <= RULES_B; side++)
            jsonw_m_int(w, scn->side[side].id, MAX(clock.left_ms[side], 0));
    jsonw_obj_end(w);
}

/* ---- news ---- */

static struct jsonw event_open(struct core *c, const char *kind)
{
    struct jsonw w = note_open(c, NOTE_LOBBY_EVENT);

    jsonw_m_str(&w, "kind", kind);
    return w;
}

static bool sits(const struct room *r, const struct user *u)
{
    return u == r->challenged || match_role_of(r->m, u->name) != ROLE_COUNT;
}

/* To all who follow; of a private match only to who sits there. */
static void tell(struct core *c, const struct room *r, struct jsonw *w)
{
    struct shared *s = note_share(c, w);

    for (const struct follower *f = c->followers_first; f != NULL; f = f->next)
        if (!f->conn->slow &&
            (r == NULL || !match_setup_of(r->m)->is_private || sits(r, f->conn->user)))
            out_shared(c, f->conn, s, false);
    shared_unref(s);
}

void lobby_user(struct core *c, const struct user *u, bool online)
{
    struct jsonw w;

    if (c->followers_first == NULL)
        return;
    w = event_open(c, online ? "online" : "offline");
    jsonw_name(&w, "user");
    user_json(u, &w);
    tell(c, NULL, &w);
}

/* An open match that was withdrawn never was one: it is in no list. */
bool lobby_is_gone(const struct room *r)
{
    return r->m != NULL && match_state(r->m) == MATCH_OVER && match_name(r->m, ROLE_B)[0] == '\0';
}

void lobby_match(struct core *c, const struct room *r)
{
    struct jsonw w;

    if (c->followers_first == NULL)
        return;
    w = event_open(c, lobby_is_gone(r) ? "gone" : "match");
    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    if (!lobby_is_gone(r)) {
        jsonw_m_obj(&w, "summary");
        lobby_summary(c, r, room_stranger, &w);
        jsonw_obj_end(&w);
    }
    tell(c, r, &w);
}

void lobby_unfollow(struct core *c, struct conn *cn)
{
    struct follower *f = cn->follower;

    if (f == NULL)
        return;
    if (f->prev != NULL)
        f->prev->next = f->next;
    else
        c->followers_first = f->next;
    if (f->next != NULL)
        f->next->prev = f->prev;
    else
        c->followers_last = f->prev;
    mem_free(f);
    cn->follower = NULL;
}

static void follow(struct core *c, struct conn *cn)
{
    struct follower *f = mem_zalloc(sizeof(*f));

    f->conn = cn;
    f->prev = c->followers_last;
    if (f->prev != NULL)
        f->prev->next = f;
    else
        c->followers_first = f;
    c->followers_last = f;
    cn->follower = f;
}

/* ---- requests ---- */

enum verdict on_lobby_follow(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct jsonw w = reply_open(c, req);
    unsigned n = 0;

    (void)no;
    jsonw_obj(&w);
    jsonw_m_arr(&w, "online");
    for (const struct user *u = c->online_first; u != NULL && n < ONLINE_MAX; u = u->online_next) {
        user_json(u, &w);
        n++;
    }
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    if (cn->follower == NULL)
        follow(c, cn);
    return SAID;
}

enum verdict on_lobby_unfollow(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no)
{
    (void)no;
    lobby_unfollow(c, cn);
    reply_empty(c, cn, req);
    return SAID;
}

enum verdict on_lobby_list(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    return attic_answer_list(c, cn, req, no);
}
static void put_mine(const struct core *c, const struct room *r, enum role role, struct jsonw *w)
{
    const struct match_setup *s = match_setup_of(r->m);
    const struct rules_state *pos = match_position(r->m);
    struct match_request q;

    jsonw_obj(w);
    lobby_summary(c, r, (struct match_viewer){.role = role}, w);
    if (role == ROLE_COUNT) {
        jsonw_m_null(w, "role");
    } else {
        enum rules_side side = match_side(r->m, role);

        jsonw_m_str(w, "role", role == ROLE_A ? "A" : "B");
        if (side != RULES_NOBODY)
            jsonw_m_str(w, "your_side", s->scenario->side[side].id);
        if (role == ROLE_A && s->invite[0] != '\0')
            jsonw_m_str(w, "invite", s->invite);
    }
    if (pos == NULL)
        jsonw_m_int(w, "turn", 0);
    jsonw_name(w, "left");
    lobby_left(r, core_now(c), w);
    jsonw_name(w, "roll");
    if (match_request(r->m, &q))
        lobby_roll(&q, w);
    else
        jsonw_null(w);
    jsonw_m_bool(w, "mine", role == ROLE_COUNT || match_owes(r->m, role) != OWES_NOTHING);
    jsonw_obj_end(w);
}

/* One that is set aside: what its row tells. */
static void put_mine_aside(const struct core *c, const struct room *r, const char *name,
                           struct jsonw *w)
{
    const bool is_maker = str_ieq(r->aside->maker, name);

    jsonw_obj(w);
    lobby_summary(c, r, (struct match_viewer){.role = is_maker ? ROLE_A : ROLE_COUNT}, w);
    if (is_maker)
        jsonw_m_str(w, "role", "A");
    else
        jsonw_m_null(w, "role");
    jsonw_m_int(w, "turn", 0);
    jsonw_m_obj(w, "left");
    jsonw_obj_end(w);
    jsonw_m_null(w, "roll");
    jsonw_m_bool(w, "mine", false);
    jsonw_obj_end(w);
}

static void put_all_aside(const struct core *c, const char *name, struct jsonw *w)
{
    unsigned left = c->n_aside;

    for (size_t i = 0; i < c->all.n && left > 0; i++) {
        const struct room *r = c->all.at[i];

        if (r->m != NULL)
            continue;
        left--;
        if (r->aside != NULL && !r->aside_over &&
            (str_ieq(r->aside->maker, name) || str_ieq(r->aside->opponent, name)))
            put_mine_aside(c, r, name, w);
    }
}

enum verdict on_match_mine(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    struct jsonw w = reply_open(c, req);

    (void)no;
    jsonw_obj(&w);
    jsonw_m_arr(&w, "matches");
    for (const struct seat *s = cn->user->seats; s != NULL; s = s->next)
        put_mine(c, s->room, (enum role)s->role, &w);
    put_all_aside(c, cn->user->name, &w);
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}
