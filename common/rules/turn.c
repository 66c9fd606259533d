/* SPDX-License-Identifier: ISC
 * turn.c -- the sequence of play, R9 to R11, R46; and rules_decide, where every order enters. */
#include "common/rules/rules_internal.h"

#include <string.h>

_Static_assert(sizeof(struct rules_state) ==
                   8 + RULES_FIGURES_MAX * 7 + RULES_WAVES_MAX + RULES_SQUARES_MAX / 8,
               "rules_state has padding: equal positions would not compare equal");
_Static_assert((int)RULES_BY_REACH == (int)RULES_BY_ELIMINATE + (int)RULES_WIN_REACH,
               "a condition's reason is its kind");

/* R10: initiative of turn `turn`. */
static enum rules_err begin_turn(struct rules_ctx *c, unsigned turn)
{
    struct rules_event ev;
    union rules_item it;
    enum rules_err e;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_INITIATIVE;
    ev.u.initiative.turn = (uint16_t)turn;
    ev.u.initiative.item = c->out->n_items;
    do {
        memset(&it, 0, sizeof(it));
        if ((e = rules_roll(c, &it.roll.a)) != RULES_OK ||
            (e = rules_roll(c, &it.roll.b)) != RULES_OK || (e = rules_put(c, it)) != RULES_OK)
            return e;
        ev.u.initiative.n++;
    } while (it.roll.a == it.roll.b);
    ev.u.initiative.first = it.roll.a > it.roll.b ? RULES_A : RULES_B;
    return rules_emit(c, &ev);
}

/* R11: a phase opens: arrivals, morale. */
static enum rules_err begin_phase(struct rules_ctx *c, enum rules_side side)
{
    struct rules_event ev;
    enum rules_err e;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_PHASE;
    ev.u.phase.turn = c->s.turn;
    ev.u.phase.side = (uint8_t)side;
    if ((e = rules_emit(c, &ev)) != RULES_OK || (e = rules_do_arrivals(c, side)) != RULES_OK ||
        rules_is_over(&c->s))
        return e;
    return rules_do_morale(c, side);
}

/* Both phases are over: hand-to-hand, end of turn, end checks (R9). */
static enum rules_err end_turn(struct rules_ctx *c)
{
    struct rules_event ev;
    enum rules_err e;

    if (c->b->readings.melee == 0) {
        e = rules_do_melee(c);
        if (e != RULES_OK || rules_is_over(&c->s))
            return e;
    }
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_END_TURN;
    ev.u.phase.turn = c->s.turn;
    if ((e = rules_emit(c, &ev)) != RULES_OK)
        return e;
    return rules_win_end_of_turn(c);
}

/* The active side's phase ends, and what follows up to the next phase's orders. */
static enum rules_err end_phase(struct rules_ctx *c)
{
    struct rules_event ev;
    enum rules_side side = (enum rules_side)c->s.active;
    enum rules_err e;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_END_PHASE;
    ev.u.phase.side = (uint8_t)side;
    if ((e = rules_emit(c, &ev)) != RULES_OK)
        return e;
    if (c->b->readings.melee == 1) {
        e = rules_do_melee(c); /* R50: after each phase */
        if (e != RULES_OK || rules_is_over(&c->s))
            return e;
    }
    if (c->s.first == side)
        return begin_phase(c, rules_enemy(side));
    if ((e = end_turn(c)) != RULES_OK || rules_is_over(&c->s))
        return e;
    if ((e = begin_turn(c, c->s.turn + 1U)) != RULES_OK)
        return e;
    return begin_phase(c, (enum rules_side)c->s.first);
}

/* R46: a phase that begins with nobody who can act is ended at once; this may chain. */
static enum rules_err skip_idle_phases(struct rules_ctx *c)
{
    while (!rules_is_over(&c->s)) {
        bool idle = true;
        enum rules_err e;

        for (unsigned f = 0; f < c->b->n_figures && idle; f++)
            idle = c->b->figure[f].side != c->s.active || !rules_can_act(c->b, &c->s, f);
        if (!idle)
            break;
        if ((e = end_phase(c)) != RULES_OK)
            return e;
    }
    return RULES_OK;
}

enum rules_err rules_do_start(struct rules_ctx *c)
{
    enum rules_err e;

    if ((e = begin_turn(c, 1)) != RULES_OK ||
        (e = begin_phase(c, (enum rules_side)c->s.first)) != RULES_OK)
        return e;
    return skip_idle_phases(c);
}

enum rules_err rules_do_end_phase(struct rules_ctx *c)
{
    enum rules_err e = end_phase(c);

    return e != RULES_OK ? e : skip_idle_phases(c);
}

/* R11, R42: may this side be heard at all? */
static enum rules_err check_side(const struct rules_ctx *c, const struct rules_order *o)
{
    if (rules_is_over(&c->s))
        return rules_refuse(&c->out->refusal, RULES_WHY_OVER, RULES_NO_FIGURE, RULES_NO_SQUARE);
    if (o->side != c->s.active)
        return rules_refuse(&c->out->refusal, RULES_WHY_NOT_YOUR_PHASE, RULES_NO_FIGURE,
                            RULES_NO_SQUARE);
    return RULES_OK;
}

static enum rules_err dispatch(struct rules_ctx *c, const struct rules_order *o)
{
    enum rules_err e;

    if (o->kind == RULES_DO_START && c->s.turn == 0)
        return rules_do_start(c);
    if ((e = check_side(c, o)) != RULES_OK)
        return e;
    switch ((enum rules_do)o->kind) {
    case RULES_DO_START: /* it has begun */
        return rules_refuse(&c->out->refusal, RULES_WHY_NOT_YOUR_PHASE, RULES_NO_FIGURE,
                            RULES_NO_SQUARE);
    case RULES_DO_MOVE:
        return rules_do_move(c, o);
    case RULES_DO_TURN:
        return rules_do_turn(c, o);
    case RULES_DO_FIRE:
        return rules_do_fire(c, o);
    case RULES_DO_UNDO:
        return rules_refuse(&c->out->refusal, RULES_WHY_NOTHING_TO_UNDO, RULES_NO_FIGURE,
                            RULES_NO_SQUARE);
    case RULES_DO_END_PHASE:
        return rules_do_end_phase(c);
    }
    return RULES_E_ILLEGAL;
}

enum rules_err rules_decide(const struct rules_board *b, const struct rules_state *s,
                            const struct rules_order *o, struct rules_dice *dice,
                            struct rules_outcome *out)
{
    struct rules_ctx c;
    size_t used = dice->used;
    uint32_t n_events = out->n_events;
    uint32_t n_items = out->n_items;
    enum rules_err e;

    c.b = b;
    c.s = *s;
    c.dice = dice;
    c.out = out;
    memset(&out->refusal, 0, sizeof(out->refusal));
    e = dispatch(&c, o);
    if (e != RULES_OK) { /* R47: nothing at all has happened */
        dice->used = used;
        out->n_events = n_events;
        out->n_items = n_items;
    }
    return e;
}
