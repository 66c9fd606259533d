/* SPDX-License-Identifier: ISC
 * admin_look.c -- what an operator may see: the server, people, matches, the audit.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/ban.h"
#include "server/core/lobby.h"
#include "server/core/user.h"

enum { AUDIT_PRESET = 50, AUDIT_MAX = 1000, LIST_PRESET = 50, LIST_MAX = 1000 };

/* ---- status ---- */

static void put_matches(const struct core *c, struct jsonw *w)
{
    int64_t broken = 0;
    int64_t over = 0;

    for (size_t i = 0; i < c->all.n; i++) {
        broken += c->all.at[i]->m == NULL;
        over += c->all.at[i]->list == ROOMS_OVER && !c->all.at[i]->archived;
    }
    jsonw_m_obj(w, "matches");
    jsonw_m_int(w, "open", (int64_t)c->by_state[ROOMS_OPEN].n);
    jsonw_m_int(w, "live", (int64_t)c->by_state[ROOMS_LIVE].n);
    jsonw_m_int(w, "over", over + (int64_t)c->n_archived);
    jsonw_m_int(w, "archived", (int64_t)c->n_archived);
    jsonw_m_int(w, "broken", broken);
    jsonw_obj_end(w);
}

static void put_people(const struct core *c, struct jsonw *w)
{
    const struct user *u;
    int64_t members = 0;
    int64_t barred = 0;
    size_t at = 0;

    while ((u = map_next(&c->users, &at)) != NULL) {
        members += u->kind == USER_MEMBER && !u->unborn;
        barred += user_is_barred(c, u);
    }
    jsonw_m_int(w, "members", members);
    jsonw_m_int(w, "suspended", barred);
    jsonw_m_int(w, "guests", c->n_guests);
    jsonw_m_int(w, "online", c->n_users_online);
}

enum verdict on_admin_status(struct core *c, struct admin_ask *a, struct refusal *no)
{
    static const char *const words[] = {"open", "invite", "closed"};
    struct jsonw w = admin_open(c);
    int64_t bans = 0;

    (void)no;
    for (size_t i = 0; i < c->n_bans; i++)
        bans += !ban_is_over(c, c->ban[i]);
    jsonw_m_str(&w, "server", c->cfg.server);
    jsonw_m_int(&w, "pid", c->cfg.pid);
    jsonw_m_int(&w, "uptime_s", mono_since(c->now, c->born) / 1000);
    jsonw_m_int(&w, "connections", c->n_conns);
    put_people(c, &w);
    jsonw_m_int(&w, "spectators", c->n_watchers);
    put_matches(c, &w);
    jsonw_m_int(&w, "orders", (int64_t)c->stats.orders);
    jsonw_m_int(&w, "refusals", (int64_t)c->stats.refusals);
    jsonw_m_int(&w, "bans", bans);
    jsonw_m_str(&w, "register", words[c->cfg.registration]);
    if (c->drain.pos != 0)
        jsonw_m_int(&w, "drains_at", c->drain_at.ms);
    if (c->upgrade_why != NULL) {
        jsonw_m_int(&w, "upgrade_failed_at", c->upgrade_at.ms);
        jsonw_m_str(&w, "upgrade_failed", c->upgrade_why);
    }
    admin_send(c, a, &w);
    return SAID;
}

/* ---- people ---- */

static void put_conns(const struct user *u, struct jsonw *w)
{
    char text[BAN_TEXT_LEN];

    jsonw_m_arr(w, "connections");
    for (const struct conn *cn = u->conns; cn != NULL; cn = cn->user_next) {
        ban_ip_text(cn->ip, text);
        jsonw_obj(w);
        jsonw_m_str(w, "address", text);
        jsonw_m_bool(w, "tls", cn->tls);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

static void put_user(const struct core *c, const struct user *u, struct jsonw *w)
{
    const struct account *a = user_account(u);

    user_members(u, w);
    jsonw_m_bool(w, "online", u->conns != NULL);
    jsonw_m_int(w, "since", u->since.ms);
    put_conns(u, w);
    if (!user_is_barred(c, u))
        return;
    jsonw_m_obj(w, "suspended");
    jsonw_m_int(w, "until", a->barred.ms == BARRED_FOR_EVER ? 0 : a->barred.ms);
    jsonw_m_str(w, "reason", a->barred_why);
    jsonw_obj_end(w);
}

/* Names in their order. */
static void sort(const struct user **list, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            const struct user *u = list[i];
            size_t k = i;

            for (; k >= gap && memcmp(list[k - gap]->key, u->key, sizeof(u->key)) > 0; k -= gap)
                list[k] = list[k - gap];
            list[k] = u;
        }
}

enum verdict on_admin_players(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const struct user **list = mem_array(c->users.n + 1, sizeof(const struct user *));
    const struct user *u;
    const bool all = admin_flag(a, "all");
    size_t at = 0;
    size_t n = 0;
    struct jsonw w;

    (void)no;
    while ((u = map_next(&c->users, &at)) != NULL)
        if (!u->unborn && (u->conns != NULL || (all && u->kind == USER_MEMBER)))
            list[n++] = u;
    sort(list, n);
    w = admin_open(c);
    jsonw_m_arr(&w, "players");
    for (size_t i = 0; i < n; i++) {
        jsonw_obj(&w);
        put_user(c, list[i], &w);
        jsonw_obj_end(&w);
    }
    jsonw_arr_end(&w);
    admin_send(c, a, &w);
    mem_free((void *)list);
    return SAID;
}

enum verdict on_admin_player(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const struct user *u = admin_user(c, a, no);
    const char *email;
    struct jsonw w;

    if (u == NULL)
        return REFUSED;
    w = admin_open(c);
    jsonw_m_obj(&w, "player");
    put_user(c, u, &w);
    email = user_account(u)->email;
    if (email != NULL)
        jsonw_m_str(&w, "email", email);
    jsonw_m_arr(&w, "matches");
    for (const struct seat *s = u->seats; s != NULL; s = s->next)
        jsonw_int(&w, s->room->no);
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    admin_send(c, a, &w);
    return SAID;
}

/* ---- matches ---- */

enum which { WHICH_PLAYED, WHICH_OPEN, WHICH_LIVE, WHICH_OVER, WHICH_BROKEN, WHICH_COUNT };

struct list {
    enum which which;
    uint32_t before, limit;
};

/* By default what goes on: whatever isn't over. */
static bool is_listed(const struct list *l, const struct room *r)
{
    if (r->no >= l->before)
        return false;
    switch (l->which) {
    case WHICH_PLAYED:
        return r->list != ROOMS_OVER;
    case WHICH_OPEN:
        return r->list == ROOMS_OPEN;
    case WHICH_LIVE:
        return r->list == ROOMS_LIVE;
    case WHICH_OVER:
        return r->list == ROOMS_OVER && !r->archived && !lobby_is_gone(r);
    case WHICH_BROKEN:
        return r->m == NULL;
    case WHICH_COUNT:
        break;
    }
    return false;
}

static bool read_list(const struct admin_ask *a, struct list *l, struct refusal *no)
{
    static const char *const words[] = {"played", "open", "live", "over", "broken"};
    int64_t before = UINT32_MAX;
    int64_t limit = LIST_PRESET;
    const char *word = words[0];
    unsigned i = 0;

    if (!admin_int(a, "before", (struct admin_range){1, UINT32_MAX}, &before, no) ||
        !admin_int(a, "limit", (struct admin_range){1, LIST_MAX}, &limit, no))
        return false;
    if (json_get(a->req, "state") != NULL && !json_get_string(a->req, "state", &word))
        word = "";
    while (i < WHICH_COUNT && !str_eq(word, words[i]))
        i++;
    *l = (struct list){(enum which)i, (uint32_t)before, (uint32_t)limit};
    if (i < WHICH_COUNT)
        return true;
    session_refuse_field(no, "state", "open, live, over or broken");
    return false;
}

static void put_room(const struct core *c, const struct room *r, struct jsonw *w)
{
    jsonw_obj(w);
    if (room_setup(r) != NULL) {
        lobby_summary(c, r, (struct match_viewer){.role = ROLE_COUNT, .umpire = true}, w);
    } else {
        jsonw_m_hex(w, "match", r->id, sizeof(r->id));
        jsonw_m_int(w, "no", r->no);
        jsonw_m_str(w, "state", "broken");
    }
    jsonw_obj_end(w);
}

static void put_archived(const struct store_row *row, struct jsonw *w)
{
    jsonw_obj(w);
    if (lobby_archived(row, w) != ERR_OK)
        jsonw_m_int(w, "no", row->no);
    jsonw_obj_end(w);
}

/* Rooms in memory and the archive's rows, newest first. */
static void answer_list(struct core *c, const struct admin_ask *a, const struct list *l,
                        const struct store_found *found)
{
    struct jsonw w = admin_open(c);
    uint32_t left = l->limit;
    size_t row = 0;
    size_t i = c->all.n;

    jsonw_m_arr(&w, "matches");
    while (left > 0) {
        const struct store_row *s = found != NULL && row < found->n ? &found->row[row] : NULL;

        while (i > 0 && !is_listed(l, c->all.at[i - 1]))
            i--;
        if (i == 0 && s == NULL)
            break;
        if (i > 0 && (s == NULL || c->all.at[i - 1]->no > s->no)) {
            put_room(c, c->all.at[--i], &w);
        } else {
            put_archived(s, &w);
            row++;
        }
        left--;
    }
    jsonw_arr_end(&w);
    admin_send(c, a, &w);
}

static void on_archive_read(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct refusal no = {.err = ERR_OK};
    struct list l;

    if (ev->u.read.found->err != ERR_OK)
        admin_fail(c, p->ask, ERR_INTERNAL, "the archive's list can't be read");
    else if (read_list(p->ask, &l, &no))
        answer_list(c, p->ask, &l, ev->u.read.found);
}

static enum verdict read_store(struct core *c, struct admin_ask *a, struct store_read r,
                               admin_end *done)
{
    struct pend *p = pend_new(c, NULL, NULL, done);

    p->ask = a;
    r.id = p->id;
    out_read(c, mem_dup(&r, sizeof(r)));
    return LATER;
}

enum verdict on_admin_matches(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct list l;

    if (!read_list(a, &l, no))
        return REFUSED;
    if (l.which == WHICH_OVER && c->n_archived > 0)
        return read_store(
            c, a,
            (struct store_read){
                .what = READ_PLAYED, .no = l.before, .limit = l.limit, .hidden = true},
            on_archive_read);
    answer_list(c, a, &l, NULL);
    return SAID;
}

static void put_seats(const struct core *c, const struct room *r, struct jsonw *w)
{
    const struct match_setup *s = match_setup_of(r->m);

    jsonw_m_arr(w, "seats");
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const char *name = match_name(r->m, (enum role)role);
        const enum rules_side side = match_side(r->m, (enum role)role);
        const struct user *u = user_find(c, name);

        if (name[0] == '\0')
            continue;
        jsonw_obj(w);
        jsonw_m_str(w, "role", role == ROLE_A ? "A" : "B");
        jsonw_m_str(w, "player", name);
        if (side != RULES_NOBODY)
            jsonw_m_str(w, "side", s->scenario->side[side].id);
        jsonw_m_bool(w, "online", user_is_online(u));
        jsonw_m_bool(w, "to_act",
                     match_state(r->m) != MATCH_OVER &&
                         match_owes(r->m, (enum role)role) != OWES_NOTHING);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

static void put_position(const struct core *c, const struct room *r, struct jsonw *w)
{
    struct match_request q;

    put_seats(c, r, w);
    jsonw_m_bool(w, "paused", match_is_paused(r->m));
    jsonw_m_bool(w, "archived", r->archived);
    jsonw_name(w, "left");
    lobby_left(r, core_now(c), w);
    jsonw_name(w, "roll");
    if (match_request(r->m, &q))
        lobby_roll(&q, w);
    else
        jsonw_null(w);
    jsonw_m_int(w, "head", match_head(r->m));
    jsonw_m_hex(w, "hash", match_hash(r->m), FD1_LEN);
    jsonw_m_int(w, "last_ts", match_last_at(r->m).ms);
}

enum verdict on_admin_show(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct msg_match ref;
    struct room *r;
    struct jsonw w;

    if (!admin_match(a, &ref, no))
        return REFUSED;
    r = room_find(c, &ref);
    if (r == NULL) {
        r = room_need(c, &ref, no);
        if (r == NULL)
            return REFUSED;
    }
    r->used = c->now;
    w = admin_open(c);
    jsonw_name(&w, "match");
    put_room(c, r, &w);
    if (r->m != NULL)
        put_position(c, r, &w);
    admin_send(c, a, &w);
    return SAID;
}

/* ---- the audit ---- */

static void on_audit_read(struct core *c, struct pend *p, const struct core_event *ev)
{
    const struct store_found *found = ev->u.read.found;
    struct jsonw w;

    if (found->err != ERR_OK) {
        admin_fail(c, p->ask, ERR_INTERNAL, "the audit can't be read: it is damaged");
        return;
    }
    w = admin_open(c);
    jsonw_m_arr(&w, "audit");
    for (size_t i = 0; i < found->n; i++)
        jsonw_raw(&w, found->row[i].data, found->row[i].len);
    jsonw_arr_end(&w);
    admin_send(c, p->ask, &w);
}

enum verdict on_admin_audit(struct core *c, struct admin_ask *a, struct refusal *no)
{
    int64_t limit = AUDIT_PRESET;

    if (!admin_int(a, "limit", (struct admin_range){1, AUDIT_MAX}, &limit, no))
        return REFUSED;
    return read_store(c, a, (struct store_read){.what = READ_AUDIT, .limit = (uint32_t)limit},
                      on_audit_read);
}
