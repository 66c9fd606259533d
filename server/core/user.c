/* SPDX-License-Identifier: ISC */
#include "server/core/user.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/lobby.h"
#include "server/core/room.h"
#include "server/core/session.h"
#include "server/core/standing.h"

enum { GUEST_IDLE_MS = 24 * 3600 * 1000, EXPIRE_RETRY_MS = 60 * 1000, MUTED_MAX = 200 };

void name_key(char key[NAME_KEY_LEN], const char *name)
{
    memset(key, 0, NAME_KEY_LEN);
    for (size_t i = 0; i < NAME_KEY_LEN - 1 && name[i] != '\0'; i++)
        key[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
}

static struct user *find_any(const struct core *c, const char *name)
{
    char key[NAME_KEY_LEN];

    if (!msg_name_ok(name))
        return NULL;
    name_key(key, name);
    return map_get(&c->users, key);
}

struct user *user_find(const struct core *c, const char *name)
{
    struct user *u = find_any(c, name);

    return u != NULL && !u->unborn ? u : NULL;
}

bool user_is_taken(const struct core *c, const char *name)
{
    return find_any(c, name) != NULL || str_ieq(name, USER_OPERATOR) || erased_has(c, name);
}

struct user *user_new(struct core *c, const char *name, enum user_kind kind)
{
    struct user *u = mem_zalloc(sizeof(*u));

    name_key(u->key, name);
    CHECK(str_copy(u->name, sizeof(u->name), name));
    u->kind = (uint8_t)kind;
    u->since = c->wall;
    u->timer.kind = TIMER_USER;
    map_put(&c->users, u);
    if (kind == USER_GUEST)
        c->n_guests++;
    return u;
}

void user_guest_name(struct core *c, char name[NAME_LEN + 1])
{
    struct buf b = BUF_EMPTY;

    do {
        buf_reset(&b);
        buf_puts(&b, "Guest-");
        buf_put_int(&b, 10000 + (int64_t)drbg_below(&c->rng, 90000));
        if (c->n_guests > 30000) /* five digits fill up */
            buf_put_int(&b, drbg_below(&c->rng, 100000));
        CHECK(str_copy(name, NAME_LEN + 1, buf_str(&b)));
    } while (user_is_taken(c, name));
    buf_fini(&b);
}

const struct account *user_account(const struct user *u)
{
    static const struct account empty = {.hash = NULL};

    return u->own != NULL ? u->own : &empty;
}

struct account *user_own_account(struct user *u)
{
    if (u->own == NULL)
        u->own = mem_zalloc(sizeof(*u->own));
    return u->own;
}

void user_set_hash(struct user *u, char *hash)
{
    struct account *a = user_own_account(u);

    mem_free(a->hash);
    a->hash = hash;
}

static void account_free(struct account *a)
{
    if (a == NULL)
        return;
    mem_free(a->hash);
    mem_free(a->email);
    mem_free(a->news);
    mem_free(a->barred_why);
    mem_free(a->muted);
    mem_free(a);
}

void user_free(struct core *c, struct user *u)
{
    struct gate waiters = {NULL, NULL};

    CHECK(u->conns == NULL && u->seats == NULL && u->pins == 0);
    CHECK(map_take(&c->users, u->key) == u);
    timer_disarm(&c->timers, &u->timer);
    while (u->families != NULL)
        family_end(c, u->families);
    if (u->kind == USER_GUEST)
        c->n_guests--;
    gate_move(&u->gate, &waiters);
    account_free(u->own);
    mem_free(u);
    gate_open(c, &waiters);
}

void user_members(const struct user *u, struct jsonw *w)
{
    static const char *const role_words[] = {"member", "umpire", "admin"};

    jsonw_m_str(w, "name", u->name);
    jsonw_m_str(w, "kind", u->kind == USER_GUEST ? "guest" : "member");
    if (u->kind == USER_GUEST)
        jsonw_m_null(w, "role");
    else
        jsonw_m_str(w, "role", role_words[u->role]);
}

void user_json(const struct user *u, struct jsonw *w)
{
    jsonw_obj(w);
    user_members(u, w);
    jsonw_obj_end(w);
}

/* ---- suspended ---- */

bool user_is_barred(const struct core *c, const struct user *u)
{
    const struct account *a = user_account(u);

    return a->barred_why != NULL && c->wall.ms < a->barred.ms;
}

void user_bar(struct user *u, struct wall until, const char *why)
{
    struct account *a = user_own_account(u);

    mem_free(a->barred_why);
    a->barred = until;
    a->barred_why = why != NULL ? mem_strdup(why) : NULL;
}

char *user_barred_words(const struct core *c, const struct user *u)
{
    enum { HOUR_MS = 3600 * 1000, DAY_HOURS = 24 };
    const struct account *a = user_account(u);
    const int64_t hours = (a->barred.ms - c->wall.ms + HOUR_MS - 1) / HOUR_MS;
    struct buf b = BUF_EMPTY;

    buf_puts(&b, "This account is suspended");
    if (a->barred.ms != BARRED_FOR_EVER && hours > INT64_C(2) * DAY_HOURS)
        buf_printf(&b, " for %lld more days", (long long)(hours + DAY_HOURS - 1) / DAY_HOURS);
    else if (a->barred.ms != BARRED_FOR_EVER)
        buf_printf(&b, " for %lld more hours", (long long)hours);
    buf_printf(&b, ": %s", a->barred_why);
    return buf_detach(&b);
}

/* ---- presence ---- */

static void go_online(struct core *c, struct user *u)
{
    u->online_prev = c->online_last;
    u->online_next = NULL;
    if (c->online_last != NULL)
        c->online_last->online_next = u;
    else
        c->online_first = u;
    c->online_last = u;
    c->n_users_online++;
    timer_disarm(&c->timers, &u->timer);
    lobby_user(c, u, true);
}

static void go_offline(struct core *c, struct user *u)
{
    if (u->online_prev != NULL)
        u->online_prev->online_next = u->online_next;
    else
        c->online_first = u->online_next;
    if (u->online_next != NULL)
        u->online_next->online_prev = u->online_prev;
    else
        c->online_last = u->online_prev;
    u->online_prev = u->online_next = NULL;
    c->n_users_online--;
    lobby_user(c, u, false);
}

static void seats_changed(struct core *c, struct user *u)
{
    for (struct seat *s = u->seats; s != NULL; s = s->next)
        if (s->role != ROLE_COUNT)
            room_presence(c, s->room);
}

void user_attach(struct core *c, struct conn *cn, struct user *u, struct family *f)
{
    struct conn **end = &u->conns;
    bool first = u->conns == NULL;

    CHECK(cn->user == NULL);
    while (*end != NULL)
        end = &(*end)->user_next;
    *end = cn;
    cn->user_next = NULL;
    cn->user = u;
    cn->family = f;
    cn->phase = PHASE_USER;
    cn->in.limit = (uint32_t)c->cfg.limits.line_member;
    limits_logged_in(c, cn);
    c->stats.logged_in++;
    if (first) {
        go_online(c, u);
        seats_changed(c, u);
    }
    for (struct seat *s = u->seats; s != NULL; s = s->next)
        if (s->role != ROLE_COUNT) {
            room_ask(c, s->room, (enum role)s->role, cn);
            room_settle(c, s->room);
        }
}

void user_detach(struct core *c, struct conn *cn)
{
    struct user *u = cn->user;
    struct conn **at;

    if (u == NULL)
        return;
    subs_drop(c, cn);
    lobby_unfollow(c, cn);
    at = &u->conns;
    while (*at != cn)
        at = &(*at)->user_next;
    *at = cn->user_next;
    cn->user_next = NULL;
    cn->user = NULL;
    cn->family = NULL;
    cn->phase = PHASE_HELLO;
    cn->in.limit = (uint32_t)c->cfg.limits.line_guest;
    cn->grace = c->now;
    limits_logged_out(c, cn);
    c->stats.logged_in--;
    if (u->conns == NULL) {
        go_offline(c, u);
        seats_changed(c, u);
        user_idle(c, u);
    }
}

void user_idle(struct core *c, struct user *u)
{
    if (u->kind == USER_GUEST && u->conns == NULL && u->seats == NULL)
        timer_arm(&c->timers, &u->timer, mono_after(c->now, GUEST_IDLE_MS));
}

static void on_expired(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    pend_unpin(p);
    u->gate_shut = false;
    if (ev->u.stored.err == ERR_OK && u->pins == 0) {
        standing_forget(c, u->name);
        user_free(c, u);
        return;
    }
    timer_arm(&c->timers, &u->timer, mono_after(c->now, EXPIRE_RETRY_MS));
    gate_open(c, &u->gate);
}

void user_expire(struct core *c, struct user *u)
{
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    if (u->conns != NULL || u->seats != NULL)
        return;
    if (u->pins > 0 || u->gate_shut) {
        timer_arm(&c->timers, &u->timer, mono_after(c->now, EXPIRE_RETRY_MS));
        return;
    }
    if (!u->stored) {
        user_free(c, u);
        return;
    }
    for (struct family *f = u->families; f != NULL; f = f->next)
        ops_family_drop(&ops, f);
    memcpy(ops_add(&ops, STORE_USER_DROP)->name, u->key, sizeof(u->key));
    if (standing_find(c, u->name) != NULL)
        op_standing_drop(&ops, u->name);
    u->gate_shut = true; /* nobody logs in to a guest that is being forgotten */
    p = pend_new(c, NULL, NULL, on_expired);
    pend_pin(p, u);
    out_store(c, p->id, &ops);
}

/* ---- seats and mutes ---- */

void user_add_seat(struct core *c, struct user *u, struct room *r, enum role role)
{
    struct seat **end = &u->seats;
    struct seat *s = mem_zalloc(sizeof(*s));

    s->room = r;
    s->role = (uint8_t)role;
    while (*end != NULL)
        end = &(*end)->next;
    *end = s;
    timer_disarm(&c->timers, &u->timer);
}

void user_drop_seat(struct core *c, struct user *u, const struct room *r)
{
    struct seat **at = &u->seats;

    while (*at != NULL && (*at)->room != r)
        at = &(*at)->next;
    if (*at != NULL) {
        struct seat *s = *at;

        *at = s->next;
        mem_free(s);
    }
    user_idle(c, u);
}

static size_t muted_at(const struct account *a, const char *name)
{
    char key[NAME_KEY_LEN];
    size_t i = 0;

    name_key(key, name);
    while (i < a->n_muted && memcmp(a->muted[i], key, sizeof(key)) != 0)
        i++;
    return i;
}

bool user_has_muted(const struct user *u, const char *name)
{
    return u->own != NULL && u->own->n_muted > 0 && muted_at(u->own, name) < u->own->n_muted;
}

bool user_mute(struct user *u, const char *name, bool on)
{
    struct account *a = user_own_account(u);
    size_t i = muted_at(a, name);

    if (on == (i < a->n_muted))
        return true;
    if (!on) {
        a->n_muted--;
        memmove(a->muted[i], a->muted[i + 1], (a->n_muted - i) * sizeof(*a->muted));
        return true;
    }
    if (a->n_muted == MUTED_MAX)
        return false;
    a->muted = mem_resize(a->muted, a->n_muted + 1, sizeof(*a->muted));
    name_key(a->muted[a->n_muted++], name);
    return true;
}
