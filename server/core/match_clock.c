/* SPDX-License-Identifier: ISC
 * match_clock.c -- time left, whose runs, and when it falls.
 *
 * Kept as time left as of a point of served time; nothing ticks. A clock runs for the one that the
 * match waits for: the active side, in an open roll who owes a share, the actor first.
 */
#include "server/core/match_impl.h"

bool core_has_clock(const struct match *m)
{
    return m->setup.clock.kind != CLOCK_NONE;
}

static int64_t fresh_ms(const struct match *m)
{
    const struct clock_rule *rule = &m->setup.clock;

    return rule->kind == CLOCK_LIVE ? rule->main_s * SECOND_MS : rule->days * DAY_MS;
}

void clock_start(const struct match *m, struct match_core *c)
{
    c->clock.left_ms[0] = fresh_ms(m);
    c->clock.left_ms[1] = fresh_ms(m);
}

int64_t clock_left(const struct match_core *c, enum rules_side side, struct mono now)
{
    int64_t left = c->clock.left_ms[side];

    if (c->clock.running == side)
        left -= mono_since(now, c->clock.since);
    return MAX(left, INT64_C(0));
}

void clock_settle(struct match_core *c, struct mono now)
{
    const int64_t a = clock_left(c, RULES_A, now), b = clock_left(c, RULES_B, now);

    c->clock.left_ms[RULES_A] = a;
    c->clock.left_ms[RULES_B] = b;
    c->clock.since = now;
}

/* What is left of the side's vacation. */
static int64_t away_ms(const struct match_core *c, enum rules_side side, struct mono now)
{
    return MAX(mono_since(c->clock.away_until[side], now), INT64_C(0));
}

void clock_away(struct match_core *c, enum rules_side side, struct mono until, struct mono now)
{
    c->clock.left_ms[side] += mono_since(until, now) - away_ms(c, side, now);
    c->clock.away_until[side] = until;
}

void clock_phase(const struct match *m, struct match_core *c, struct mono now)
{
    const uint8_t side = c->game.rules.state.active;

    if (side == RULES_NOBODY || !core_has_clock(m))
        return;
    if (m->setup.clock.kind == CLOCK_LIVE) {
        c->clock.left_ms[side] += m->setup.clock.phase_s * SECOND_MS;
        return;
    }
    clock_start(m, c); /* a phase's days, whole again for both */
    c->clock.left_ms[RULES_A] += away_ms(c, RULES_A, now);
    c->clock.left_ms[RULES_B] += away_ms(c, RULES_B, now);
}

void clock_rerun(const struct match *m, struct match_core *c, struct mono now)
{
    const enum role owes = core_owes(m, c);

    if (owes != c->clock.owes)
        c->clock.owes_since = now;
    c->clock.owes = (uint8_t)owes;
    c->clock.running = RULES_NOBODY;
    if (owes != ROLE_COUNT && core_has_clock(m))
        c->clock.running = c->side_of[owes];
}

struct mono clock_fall(const struct match_core *c)
{
    if (c->clock.running == RULES_NOBODY)
        return (struct mono){INT64_MAX};
    return mono_after(c->clock.since, c->clock.left_ms[c->clock.running]);
}

bool clock_fallen(const struct match_core *c, struct mono now)
{
    return mono_reached(now, clock_fall(c));
}

bool match_clock_at(const struct match *m, struct match_now now, struct match_clock *out)
{
    const struct match_core *c = m->core;

    if (!core_has_clock(m) || !c->started)
        return false;
    out->left_ms[RULES_A] = clock_left(c, RULES_A, now.served);
    out->left_ms[RULES_B] = clock_left(c, RULES_B, now.served);
    out->running = (enum rules_side)c->clock.running;
    return true;
}

void match_clock_json(const struct match *m, struct match_now now, struct jsonw *w)
{
    struct match_clock clock;

    if (m->is_shown || !match_clock_at(m, now, &clock))
        return;
    jsonw_m_obj(w, "left");
    for (unsigned i = 0; i < 2; i++)
        jsonw_m_int(w, side_id(m, (enum rules_side)i), clock.left_ms[i]);
    jsonw_obj_end(w);
    if (clock.running == RULES_NOBODY)
        jsonw_m_null(w, "running");
    else
        jsonw_m_str(w, "running", side_id(m, clock.running));
    jsonw_m_bool(w, "paused", m->core->clock.paused);
}
