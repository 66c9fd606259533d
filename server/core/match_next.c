/* SPDX-License-Identifier: ISC
 * match_next.c -- what the referee does by itself, and when.
 *
 * Each row knows when it is due (INT64_MAX: not at all, 0: now) and the entry that begins its
 * batch. The first that is due is started; the owner comes again after it is stored.
 */
#include <sodium/utils.h>

#include "common/base/mem.h"
#include "server/core/match_impl.h"

static const struct mono never = {INT64_MAX}, at_once = {0};

static struct mono later(struct mono a, struct mono b)
{
    return a.ms > b.ms ? a : b;
}

/* ---- a server with another master key: its database is a backup (D7) ---- */

static struct mono when_restored(const struct match *m, enum role role)
{
    (void)role;
    return m->restored ? at_once : never;
}

static void put_anchor(struct match *m, struct entry *e)
{
    const struct fd1_tail *tail = &m->core->dice.chain[ROLE_S].tail;

    e->kind = ENTRY_ANCHOR;
    e->u.anchor.role = ROLE_S;
    e->u.anchor.generation = (uint16_t)(tail->id.generation + 1);
    match_server_anchor(m, e->u.anchor.generation, e->u.anchor.anchor);
}

static void do_restored(struct match *m, enum role role, struct entry *e)
{
    (void)role;
    if (m->core->order_seq == 0) {
        put_anchor(m, e);
        return;
    }
    e->kind = ENTRY_PLAY;
    e->u.play.event.kind = RULES_EV_UNDO;
    e->u.play.event.u.undo.tag = m->core->order_seq;
}

/* ---- the server's chain is used up (D8) ---- */

static struct mono when_used_up(const struct match *m, enum role role)
{
    (void)role;
    return m->core->dice.chain[ROLE_S].need_anchor ? at_once : never;
}

static void do_used_up(struct match *m, enum role role, struct entry *e)
{
    (void)role;
    put_anchor(m, e);
}

/* ---- clocks ---- */

static void put_over(struct entry *e, enum rules_side winner, enum rules_reason reason)
{
    e->kind = ENTRY_PLAY;
    e->u.play.event.kind = RULES_EV_OVER;
    e->u.play.event.u.over.winner = (uint8_t)winner;
    e->u.play.event.u.over.reason = (uint8_t)reason;
}

static struct mono when_fallen(const struct match *m, enum role role)
{
    (void)role;
    return clock_fall(m->core);
}

static void do_fallen(struct match *m, enum role role, struct entry *e)
{
    (void)role;
    put_over(e, rules_enemy((enum rules_side)m->core->clock.running), RULES_BY_TIME);
}

static struct mono when_setup(const struct match *m, enum role role)
{
    const struct clock_rule *rule = &m->setup.clock;

    (void)role;
    if (m->core->state != MATCH_SETUP)
        return never;
    return mono_after(m->core->joined_at,
                      rule->kind == CLOCK_CORRESPONDENCE ? rule->days * DAY_MS : MATCH_SETUP_MS);
}

static void do_setup(struct match *m, enum role role, struct entry *e)
{
    (void)m;
    (void)role;
    put_over(e, RULES_NOBODY, RULES_BY_VOID);
}

static struct mono when_idle(const struct match *m, enum role role)
{
    (void)role;
    return m->core->state == MATCH_LIVE ? mono_after(m->core->order_at, MATCH_IDLE_MS) : never;
}

static void do_idle(struct match *m, enum role role, struct entry *e)
{
    (void)m;
    (void)role;
    put_over(e, RULES_NOBODY, RULES_BY_ABANDON);
}

/* ---- an opponent who gives no share (D3, D4) ---- */

static struct mono when_absent(const struct match *m, enum role role)
{
    const struct match_core *c = m->core;
    const struct match_seat *seat = &m->seat[role];

    if (m->setup.fair != FAIR_NORMAL || c->order_seq == 0 || role == core_actor(c) ||
        core_owes_share(m, c, core_actor(c)) || !core_owes_share(m, c, role))
        return never;
    if (!seat->online)
        return mono_after(m->loaded_at, MATCH_SILENT_MS); /* long past, but after a start */
    return mono_after(seat->asked ? later(m->roll_at, seat->asked_at) : m->roll_at,
                      MATCH_SILENT_MS);
}

static void do_absent(struct match *m, enum role role, struct entry *e)
{
    e->kind = ENTRY_ABSENT;
    e->u.absent.role = (uint8_t)role;
    e->u.absent.roll = m->core->dice.n + 1;
}

/* ---- the roll ---- */

static struct mono when_roll(const struct match *m, enum role role)
{
    const struct match_core *c = m->core;

    (void)role;
    return core_roll_open(m, c) && !core_owes_share(m, c, ROLE_A) && !core_owes_share(m, c, ROLE_B)
               ? at_once
               : never;
}

static void do_roll(struct match *m, enum role role, struct entry *e)
{
    const struct match_dice *d = &m->core->dice;
    struct entry_roll *r = &e->u.roll;

    (void)role;
    e->kind = ENTRY_ROLL;
    r->n = d->n + 1;
    r->for_seq = m->core->order_seq;
    r->has_s = true;
    if (d->has_share[ROLE_A]) {
        r->flags |= FD1_FLAG_A;
        memcpy(r->a, d->share[ROLE_A], FD1_LEN);
    }
    if (d->has_share[ROLE_B]) {
        r->flags |= FD1_FLAG_B;
        memcpy(r->b, d->share[ROLE_B], FD1_LEN);
    }
    match_server_link(m, m->core, r->n, r->s);
}

/* ---- an agreed pause, once the roll is done (D5) ---- */

static struct mono when_pause(const struct match *m, enum role role)
{
    (void)role;
    return m->core->clock.pause_due && !core_roll_open(m, m->core) ? at_once : never;
}

static void do_pause(struct match *m, enum role role, struct entry *e)
{
    (void)role;
    e->kind = ENTRY_PAUSE;
    e->u.by = m->core->clock.pause_by;
}

/* ---- presence ---- */

static struct mono when_presence(const struct match *m, enum role role)
{
    const struct match_seat *seat = &m->seat[role];

    if (m->core->state != MATCH_LIVE || seat->online != m->core->told_away[role])
        return never;
    return seat->online ? at_once : mono_after(seat->since, MATCH_AWAY_MS);
}

static void do_presence(struct match *m, enum role role, struct entry *e)
{
    e->kind = ENTRY_PRESENCE;
    e->u.presence.side = (uint8_t)match_side(m, role);
    e->u.presence.online = m->seat[role].online;
}

/* ---- the table ---- */

struct row {
    struct mono (*when)(const struct match *m, enum role role);
    void (*what)(struct match *m, enum role role, struct entry *e);
    uint8_t role;
};
static const struct row rows[] = {
    {when_restored, do_restored, ROLE_S}, {when_fallen, do_fallen, ROLE_S},
    {when_setup, do_setup, ROLE_S},       {when_used_up, do_used_up, ROLE_S},
    {when_absent, do_absent, ROLE_A},     {when_absent, do_absent, ROLE_B},
    {when_roll, do_roll, ROLE_S},         {when_pause, do_pause, ROLE_S},
    {when_presence, do_presence, ROLE_A}, {when_presence, do_presence, ROLE_B},
    {when_idle, do_idle, ROLE_S},
};

static bool is_ended(const struct match *m)
{
    return m->core->state == MATCH_OVER || m->core->state == MATCH_BROKEN;
}

static void drop_idle_chain(struct match *m, struct match_now now)
{
    if (m->chain == NULL ||
        (!is_ended(m) && !mono_reached(now.served, mono_after(m->chain_at, MATCH_CHAIN_MS))))
        return;
    sodium_memzero(m->chain, sizeof(*m->chain));
    mem_free(m->chain);
    m->chain = NULL;
}

bool match_next(struct match *m, struct match_now now, struct match_step *st)
{
    CHECK(m->pending == NULL);
    drop_idle_chain(m, now);
    if (is_ended(m) || !mono_reached(now.served, m->retry_at))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct entry e;

        if (!mono_reached(now.served, rows[i].when(m, (enum role)rows[i].role)))
            continue;
        memset(&e, 0, sizeof(e));
        rows[i].what(m, (enum role)rows[i].role, &e);
        if (m->chain != NULL)
            m->chain_at = now.served;
        (void)match_run(m, &e, now, st);
        return true;
    }
    return false;
}

struct mono match_deadline(const struct match *m)
{
    struct mono first = never;

    if (m->pending != NULL)
        return never;
    if (!is_ended(m)) {
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            const struct mono when = rows[i].when(m, (enum role)rows[i].role);

            first = when.ms < first.ms ? when : first;
        }
        if (first.ms != INT64_MAX)
            first = later(first, m->retry_at);
    }
    if (m->chain != NULL) {
        const struct mono idle = is_ended(m) ? at_once : mono_after(m->chain_at, MATCH_CHAIN_MS);

        first = idle.ms < first.ms ? idle : first;
    }
    return first;
}
