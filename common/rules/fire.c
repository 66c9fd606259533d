/* SPDX-License-Identifier: ISC
 * fire.c -- the line of fire and the volley: R18 to R24. */
#include "common/rules/rules_internal.h"

#include <string.h>

/* R20: reach by scale. */
static unsigned reach_of(const struct rules_board *b)
{
    return b->scale == RULES_1IN ? 5 : 3;
}

/* R21: {to hit, to save} by range. */
static const uint8_t table_1in[6][2] = {{0, 0}, {0, 0}, {3, 6}, {4, 5}, {5, 4}, {6, 4}};
static const uint8_t table_3in[4][2] = {{0, 0}, {0, 0}, {5, 5}, {6, 4}};

/* Does ground or height in a square between end the line (R19)? */
static bool blocks(const struct rules_board *b, uint16_t sq, uint16_t from, uint16_t target)
{
    if (b->ground[sq] == RULES_WOODS || b->ground[sq] == RULES_BUILDING ||
        b->ground[sq] == RULES_VEHICLE)
        return true;
    return b->height[sq] > b->height[from] && b->height[sq] > b->height[target];
}

/* The first square in the line that holds anyone, and its distance; RULES_NO_SQUARE: none. */
static uint16_t first_held(const struct rules_board *b, const struct rules_state *s, uint16_t from,
                           enum rules_dir face, unsigned *range)
{
    uint16_t sq = rules_step(b, from, face);

    for (*range = 1; sq != RULES_NO_SQUARE; ++*range) {
        if (rules_count_at(b, s, sq) > 0)
            return sq;
        sq = rules_step(b, sq, face);
    }
    return RULES_NO_SQUARE;
}

/* R19, R20: the target square of a shot of `side` from `from` towards `face`. */
static enum rules_err look(const struct rules_board *b, const struct rules_state *s,
                           struct rules_aim *aim, enum rules_side side, struct rules_refusal *no)
{
    uint8_t who[RULES_STACK_MAX];
    unsigned range;
    uint16_t from = aim->square;
    uint16_t target = first_held(b, s, from, (enum rules_dir)aim->face, &range);
    uint16_t sq = from;

    /* without a target, heights are held against the firer's own */
    for (unsigned i = 1; i < range; i++) {
        sq = rules_step(b, sq, (enum rules_dir)aim->face);
        if (blocks(b, sq, from, target == RULES_NO_SQUARE ? from : target))
            return rules_refuse(no, RULES_WHY_BLOCKED, RULES_NO_FIGURE, sq);
    }
    if (target == RULES_NO_SQUARE)
        return rules_refuse(no, RULES_WHY_NO_TARGET, RULES_NO_FIGURE, from);
    (void)rules_at(b, s, target, who);
    if (b->figure[who[0]].side == side || b->figure[who[0]].type == RULES_WAGON)
        return rules_refuse(no, RULES_WHY_FRIEND, who[0], target);
    if (range < 2)
        return rules_refuse(no, RULES_WHY_TOO_NEAR, who[0], target);
    no->asked = (uint16_t)range;
    no->allowed = (uint16_t)reach_of(b);
    if (range > reach_of(b))
        return rules_refuse(no, RULES_WHY_OUT_OF_REACH, who[0], target);
    aim->target = target;
    aim->range = (uint8_t)range;
    aim->to_hit = b->scale == RULES_1IN ? table_1in[range][0] : table_3in[range][0];
    aim->to_save = b->scale == RULES_1IN ? table_1in[range][1] : table_3in[range][1];
    return RULES_OK;
}

/* R18, R23: who of the square shoots that way, into aim->shot[].figure; or why nobody does. */
static enum rules_err shooters(const struct rules_board *b, const struct rules_state *s,
                               struct rules_aim *aim, struct rules_refusal *no)
{
    uint8_t who[RULES_STACK_MAX];
    unsigned n = rules_at(b, s, aim->square, who);
    unsigned front = b->readings.volley == 1 ? n : MIN(n, RULES_FRONT);
    enum rules_why why = RULES_WHY_NO_SHOOTER;
    bool armed = false;
    bool unarmed = false;

    for (unsigned i = 0; i < front; i++) {
        unsigned f = who[i];

        if (s->face[f] != aim->face)
            continue;
        if (!rules_is_soldier((enum rules_type)b->figure[f].type)) {
            unarmed = true;
            continue;
        }
        armed = true;
        if (s->status[f] == RULES_READY)
            aim->shot[aim->n++].figure = (uint8_t)f;
        else if (s->status[f] == RULES_HALTED)
            why = RULES_WHY_HALTED;
        else if (why == RULES_WHY_NO_SHOOTER && s->status[f] != RULES_ACTED)
            why = RULES_WHY_FALLING_BACK;
    }
    if (unarmed && !armed)
        why = RULES_WHY_UNARMED;
    return aim->n > 0 ? RULES_OK : rules_refuse(no, why, who[0], aim->square);
}

/* NOLINTNEXTLINE(readability-function-size): where and whereto, and an answer of each kind */
enum rules_err rules_aim(const struct rules_board *b, const struct rules_state *s, uint16_t square,
                         enum rules_dir face, struct rules_aim *out, struct rules_refusal *no)
{
    uint8_t who[RULES_STACK_MAX];
    unsigned m;
    enum rules_err e;

    memset(out, 0, sizeof(*out));
    out->square = square;
    out->face = (uint8_t)face;
    if (square == RULES_NO_SQUARE || face == RULES_NO_DIR || rules_at(b, s, square, who) == 0)
        return rules_refuse(no, RULES_WHY_NO_SHOOTER, RULES_NO_FIGURE, square);
    if (rules_has_fired(s, square))
        return rules_refuse(no, RULES_WHY_FIRED, who[0], square);
    if ((e = shooters(b, s, out, no)) != RULES_OK ||
        (e = look(b, s, out, (enum rules_side)b->figure[who[0]].side, no)) != RULES_OK)
        return e;
    m = MIN(rules_at(b, s, out->target, who), RULES_FRONT);
    for (unsigned k = 0; k < out->n; k++)
        out->shot[k].at = who[k % m]; /* R23 */
    return RULES_OK;
}

/* Roll one shot; `dead` holds who has fallen in this volley. R22, R23. */
static enum rules_err shoot(struct rules_ctx *c, const struct rules_aim *aim,
                            struct rules_shot *shot, uint64_t *dead)
{
    enum rules_err e;

    if (rules_in_set(dead, shot->at))
        return RULES_OK; /* its aim has fallen: no die, but it has acted */
    if ((e = rules_roll(c, &shot->die)) != RULES_OK)
        return e;
    shot->hit = shot->die >= aim->to_hit;
    if (!shot->hit)
        return RULES_OK;
    if ((e = rules_roll(c, &shot->save)) != RULES_OK)
        return e;
    shot->killed = shot->save < aim->to_save;
    if (shot->killed)
        dead[shot->at / 64] |= UINT64_C(1) << (shot->at % 64);
    return RULES_OK;
}

enum rules_err rules_do_fire(struct rules_ctx *c, const struct rules_order *o)
{
    struct rules_aim aim;
    struct rules_event ev;
    uint64_t dead[RULES_FIGURES_MAX / 64] = {0};
    uint8_t who[RULES_STACK_MAX];
    enum rules_err e;

    if (o->square != RULES_NO_SQUARE && rules_at(c->b, &c->s, o->square, who) > 0 &&
        c->b->figure[who[0]].side != o->side)
        return rules_refuse(&c->out->refusal, RULES_WHY_NO_SHOOTER, who[0], o->square);
    e = rules_aim(c->b, &c->s, o->square, (enum rules_dir)o->face, &aim, &c->out->refusal);
    if (e != RULES_OK)
        return e;
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_VOLLEY;
    ev.u.volley.square = aim.square;
    ev.u.volley.target = aim.target;
    ev.u.volley.face = aim.face;
    ev.u.volley.range = aim.range;
    ev.u.volley.to_hit = aim.to_hit;
    ev.u.volley.to_save = aim.to_save;
    ev.u.volley.n = aim.n;
    for (unsigned k = 0; k < aim.n; k++) {
        ev.u.volley.shot[k] = aim.shot[k];
        if ((e = shoot(c, &aim, &ev.u.volley.shot[k], dead)) != RULES_OK)
            return e;
    }
    return rules_emit_judged(c, &ev);
}
