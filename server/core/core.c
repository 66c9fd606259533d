/* SPDX-License-Identifier: ISC */
#include "server/core/core.h"

#include <sodium/utils.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/attic.h"
#include "server/core/ban.h"
#include "server/core/invite.h"
#include "server/core/lobby.h"
#include "server/core/room.h"
#include "server/core/session.h"
#include "server/core/standing.h"
#include "server/core/user.h"

/* served_ms is kept one second ahead, written twice a second: a crash costs a player at most that
 * second and gives nobody time (ARCHITECTURE, Known traps). */
enum { SERVED_AHEAD_MS = 1000, SERVED_EVERY_MS = 500, SERVED_SELDOM_MS = 60 * 1000 };

/* ---- life ---- */

static void maps_init(struct core *c)
{
    uint64_t seed[2];

    drbg_bytes(&c->rng, seed, sizeof(seed));
    map_init_own(&c->conns, offsetof(struct conn, id), sizeof(conn_id), seed);
    map_init(&c->addrs, offsetof(struct addr, key), SOURCE_LEN, seed);
    map_init(&c->users, offsetof(struct user, key), NAME_KEY_LEN, seed);
    map_init(&c->tokens, offsetof(struct token, hash), 32, seed);
    invites_init(c, seed);
    erased_init(c, seed);
    map_init_own(&c->rooms, offsetof(struct room, id), MATCH_ID_LEN, seed);
    map_init_own(&c->pends, offsetof(struct pend, id), sizeof(uint64_t), seed);
    attic_init(c, seed);
    map_init(&c->standings, offsetof(struct standing, key), NAME_KEY_LEN, seed);
    map_init(&c->sides, offsetof(struct sides, key), SIDES_KEY_LEN, seed);
}

struct core *core_new(const struct core_config *cfg, const struct scenario_set *scenarios,
                      struct mono now, struct wall wall)
{
    struct core *c = mem_zalloc(sizeof(*c));

    c->cfg = *cfg;
    limits_settle(&c->cfg.limits);
    c->scenarios = scenarios;
    memcpy(c->env.master, cfg->master, sizeof(c->env.master));
    c->env.kid = cfg->master_kid;
    c->env.spare = match_spare_new();
    c->born = c->now = now;
    c->wall = wall;
    c->saver.kind = TIMER_CORE;
    c->attic.kind = TIMER_ATTIC;
    c->drain.kind = TIMER_DRAIN;
    c->next_id = 1;
    c->next_no = 1;
    drbg_init(&c->rng, cfg->seed);
    maps_init(c);
    return c;
}

static void free_users(struct core *c)
{
    struct user *u;
    struct room *r;
    size_t at = 0;

    while ((r = map_next(&c->rooms, &at)) != NULL) {
        for (int role = ROLE_A; role <= ROLE_B; role++)
            if (r->seat[role] != NULL)
                user_drop_seat(c, r->seat[role], r);
        if (r->challenged != NULL)
            user_drop_seat(c, r->challenged, r);
    }
    for (at = 0; (u = map_next(&c->users, &at)) != NULL; at = 0)
        user_free(c, u);
}

void core_free(struct core *c)
{
    struct core_effects none = {NULL, 0, 0};
    struct addr *a;
    struct room *r;
    size_t at = 0;

    if (c == NULL)
        return;
    /* cppcheck-suppress autoVariables ; the core ends before it does */
    c->out = &none;
    c->stopping = true; /* nothing is started any more */
    while (c->conns_first != NULL)
        session_close(c, c->conns_first);
    session_bury(c);
    pends_free(c);
    admin_free(c);
    bans_free(c);
    mem_free(c->motd);
    mem_free(c->upgrade_why);
    free_users(c);
    for (at = 0; (a = map_next(&c->addrs, &at)) != NULL;)
        mem_free(a);
    for (at = 0; (r = map_next(&c->rooms, &at)) != NULL;)
        room_free(r);
    mem_free(c->all.at);
    for (int k = 0; k < ROOMS_KINDS; k++)
        mem_free(c->by_state[k].at);
    boards_free(c);
    core_effects_fini(&none);
    buf_fini(&c->line);
    mem_free(c->line_room);
    json_room_fini(&c->json_room);
    timers_fini(&c->timers);
    map_fini(&c->conns);
    map_fini(&c->addrs);
    map_fini(&c->users);
    map_fini(&c->tokens);
    invites_fini(c);
    erased_fini(c);
    map_fini(&c->rooms);
    standings_free(c);
    attic_fini(c);
    match_spare_free(c->env.spare);
    sodium_memzero(&c->env, sizeof(c->env));
    sodium_memzero(&c->cfg, sizeof(c->cfg));
    mem_free(c);
}

/* ---- served time ---- */

static void on_served_saved(struct core *c, struct pend *p, const struct core_event *ev)
{
    (void)p;
    (void)ev; /* not saved: the next one is tried all the same */
    c->saving = false;
}

static void save_served(struct core *c, int64_t ahead_ms,
                        void (*done)(struct core *, struct pend *, const struct core_event *))
{
    struct ops ops = {NULL, 0, 0};
    struct pend *p = pend_new(c, NULL, NULL, done);

    ops_meta(&ops, "served_ms", core_now(c).served.ms + ahead_ms);
    out_store(c, p->id, &ops);
}

/* Seldom where no clock can run, and an empty server doesn't wake the disk. */
static void saver_timer(struct core *c)
{
    if (c->by_state[ROOMS_OPEN].n + c->by_state[ROOMS_LIVE].n == 0)
        return;
    timer_arm(&c->timers, &c->saver,
              mono_after(c->now, c->n_clocks > 0 ? SERVED_EVERY_MS : SERVED_SELDOM_MS));
    if (c->saving || core_rests(c))
        return;
    c->saving = true;
    save_served(c, SERVED_AHEAD_MS, on_served_saved);
}

/* ---- stopping: say so, let what is under way end, keep the exact time, be done ---- */

static void say_last(struct core *c)
{
    while (c->conns_first != NULL)
        session_close(c, c->conns_first);
    c->stopped = true;
    out_stopped(c);
}

static void on_last_saved(struct core *c, struct pend *p, const struct core_event *ev)
{
    (void)p;
    (void)ev;
    say_last(c);
}

static void stop(struct core *c, const char *reason)
{
    struct jsonw w;
    struct shared *s;

    if (c->stopping)
        return;
    c->stopping = true;
    admin_jobs_end(c);
    w = note_open(c, NOTE_SERVER_CLOSING);
    jsonw_m_int(&w, "in_s", 0);
    jsonw_m_str(&w, "reason", reason != NULL ? reason : "the server stops");
    s = note_share(c, &w);
    for (struct conn *cn = c->conns_first; cn != NULL; cn = cn->next)
        out_shared(c, cn, s, true);
    shared_unref(s);
}

/* ---- holding: let what is under way end, keep the exact time, wait ---- */

/* Not saved (the disk is full): what was saved before is ahead of the time, and serves as well. */
static void on_held_saved(struct core *c, struct pend *p, const struct core_event *ev)
{
    (void)p;
    (void)ev;
    c->saving = false;
    c->held = true;
    out_held(c);
}

static void release(struct core *c)
{
    struct conn *next;

    if (!c->holding)
        return;
    c->holding = c->held = false;
    attic_wake(c);
    if (c->saver.pos !=
        0) /* the exact time was kept: ahead again, before a crash gives time back */
        timer_arm(&c->timers, &c->saver, c->now);
    for (size_t i = 0; i < c->all.n; i++) { /* settled in this step */
        if (c->all.at[i]->list == ROOMS_OPEN || c->all.at[i]->list == ROOMS_LIVE)
            timer_arm(&c->timers, &c->all.at[i]->timer, c->now);
    }
    for (struct conn *cn = c->conns_first; cn != NULL; cn = next) {
        next = cn->next;
        session_run(c, cn);
    }
}

/* ---- settings ---- */

/* What people have got by the old ones stays theirs; deadlines are looked at again. */
static void take_settings(struct core *c, const struct core_config *cfg)
{
    c->cfg.motd = cfg->motd;
    c->cfg.limits = cfg->limits;
    limits_settle(&c->cfg.limits);
    c->cfg.registration = cfg->registration;
    c->cfg.vacation_days = cfg->vacation_days;
    c->cfg.archive_ms = cfg->archive_ms;
    c->cfg.limit_loopback = cfg->limit_loopback;
    c->cfg.trust_plain = cfg->trust_plain;
    c->cfg.members_watch = cfg->members_watch;
    for (struct conn *cn = c->conns_first; cn != NULL; cn = cn->next)
        session_rearm(c, cn);
    attic_wake(c);
}

/* A stop or a hold has its end once nothing is under way. */
static void settle(struct core *c)
{
    if (!core_rests(c) || c->stopped || c->saving || c->pends.n > 0)
        return;
    if (c->stopping && c->held) { /* all is stored, and the store is another's by now */
        say_last(c);
        return;
    }
    if (c->held)
        return;
    c->saving = true;
    save_served(c, 0, c->stopping ? on_last_saved : on_held_saved);
}

/* ---- the step ---- */

static void on_timer(struct core *c, struct timer *t)
{
    switch ((enum timer_kind)t->kind) {
    case TIMER_CONN:
        session_timer(c, (struct conn *)(void *)((char *)t - offsetof(struct conn, timer)));
        break;
    case TIMER_USER:
        user_expire(c, (struct user *)(void *)((char *)t - offsetof(struct user, timer)));
        break;
    case TIMER_ROOM:
        room_timer(c, (struct room *)(void *)((char *)t - offsetof(struct room, timer)));
        break;
    case TIMER_CORE:
        saver_timer(c);
        break;
    case TIMER_ATTIC:
        attic_timer(c);
        break;
    case TIMER_DRAIN:
        admin_drain_timer(c);
        break;
    case TIMER_ADDR:
        limits_timer(c, (struct addr *)(void *)((char *)t - offsetof(struct addr, timer)));
        break;
    }
}

static void tick(struct core *c)
{
    struct timer *t;

    while (!c->held && (t = timers_due(&c->timers, c->now)) != NULL)
        on_timer(c, t);
}

static void on_conn_event(struct core *c, const struct core_event *ev)
{
    struct conn *cn = session_find(c, ev->conn);

    if (cn == NULL)
        return;
    if (ev->kind == CORE_BYTES)
        session_bytes(c, cn, ev->u.bytes.data, ev->u.bytes.len);
    else if (ev->kind == CORE_EOF)
        session_eof(c, cn);
    else if (ev->kind == CORE_SLOW)
        session_slow(c, cn);
    else
        session_drained(c, cn);
}

static void on_event(struct core *c, const struct core_event *ev)
{
    switch ((enum core_event_kind)ev->kind) {
    case CORE_ACCEPTED:
        session_accept(c, ev);
        break;
    case CORE_BYTES:
    case CORE_EOF:
    case CORE_SLOW:
    case CORE_DRAINED:
        on_conn_event(c, ev);
        break;
    case CORE_TICK:
        break;
    case CORE_STORED:
        pend_end(c, ev->u.stored.txn, ev);
        break;
    case CORE_READ:
        pend_end(c, ev->u.read.id, ev);
        break;
    case CORE_HASHED:
        pend_end(c, ev->u.hashed.job, ev);
        break;
    case CORE_ENTROPY:
        drbg_mix(&c->rng, ev->u.entropy);
        break;
    case CORE_STOP:
        stop(c, ev->u.reason);
        break;
    case CORE_HOLD:
        c->holding = !c->stopping;
        admin_jobs_end(c);
        break;
    case CORE_RELEASE:
        release(c);
        break;
    case CORE_SETTINGS:
        take_settings(c, ev->u.settings);
        break;
    case CORE_ADMIN:
        admin_event(c, ev);
        break;
    case CORE_JOB:
        admin_job_event(c, ev);
        break;
    }
}

void core_step(struct core *c, const struct core_event *ev, struct core_effects *out)
{
    if (c->stopped) /* the ends of connections that were closed at last */
        return;
    c->out = out;
    if (ev->now.ms > c->now.ms)
        c->now = ev->now;
    c->wall = ev->wall;
    tick(c); /* what was due before this event comes before it */
    on_event(c, ev);
    tick(c);
    admin_retry(c);
    settle(c);
    session_bury(c);
    c->out = NULL;
}

struct mono core_deadline(const struct core *c)
{
    const struct timer *t = timers_first(&c->timers);

    return t != NULL ? t->at : (struct mono){INT64_MAX};
}

void core_stats(const struct core *c, struct core_stats *out)
{
    *out = c->stats;
    out->conns = c->n_conns;
    out->players = c->n_players;
    out->spectators = c->n_watchers;
    out->matches_open = c->by_state[ROOMS_OPEN].n;
    out->matches_live = c->by_state[ROOMS_LIVE].n;
    out->matches_over = c->by_state[ROOMS_OVER].n;
    out->guests = c->n_guests;
    out->users = c->n_users_online;
    out->archived = c->n_archived;
    out->hashing = c->n_hashing;
    out->clocks = c->n_clocks;
}
