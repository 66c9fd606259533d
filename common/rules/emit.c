/* SPDX-License-Identifier: ISC
 * emit.c -- what every stage of a decision does: roll, list, emit, refuse. */
#include "common/rules/rules_internal.h"

static const uint8_t why_rule[RULES_WHY_COUNT] = {
#define X(name, rule) [name] = (rule),
    RULES_WHY_TABLE(X)
#undef X
};

unsigned rules_why_rule(enum rules_why why)
{
    return why_rule[why];
}

enum rules_err rules_refuse(struct rules_refusal *r, enum rules_why why, unsigned figure,
                            uint16_t square)
{
    r->why = (uint8_t)why;
    r->figure = (uint16_t)figure;
    r->square = square;
    return RULES_E_ILLEGAL;
}

enum rules_err rules_roll(struct rules_ctx *c, uint8_t *face)
{
    if (c->dice->used >= c->dice->len)
        return RULES_E_DICE;
    *face = c->dice->face[c->dice->used++];
    return RULES_OK;
}

enum rules_err rules_put(struct rules_ctx *c, union rules_item item)
{
    if (c->out->n_items >= c->out->item_cap)
        return RULES_E_ROOM;
    c->out->item[c->out->n_items++] = item;
    return RULES_OK;
}

enum rules_err rules_emit(struct rules_ctx *c, const struct rules_event *ev)
{
    if (c->out->n_events >= c->out->event_cap)
        return RULES_E_ROOM;
    c->out->event[c->out->n_events++] = *ev;
    rules_apply(c->b, &c->s, ev, c->out->item);
    return RULES_OK;
}

/* R11, R35, R36: by its status alone. */
enum rules_why rules_why_not_ready(const struct rules_state *s, unsigned figure)
{
    switch ((enum rules_status)s->status[figure]) {
    case RULES_READY:
        return RULES_WHY_NONE;
    case RULES_ACTED:
        return RULES_WHY_ACTED;
    case RULES_HALTED:
        return RULES_WHY_HALTED;
    case RULES_RETREATING:
    case RULES_ROUTING:
        return RULES_WHY_FALLING_BACK;
    case RULES_DEAD:
    case RULES_LEFT:
    case RULES_DUE:
    case RULES_STATUS_COUNT:
        break;
    }
    return RULES_WHY_NO_FIGURE;
}
