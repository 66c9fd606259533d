/* SPDX-License-Identifier: ISC
 * move.c -- moving and turning: R12 to R17, R45. */
#include "common/rules/rules_internal.h"

#include <string.h>

/* R11, R35, R36: may `figure` of `side` take an order? RULES_WHY_NONE: yes. */
static enum rules_why why_not_ready(const struct rules_board *b, const struct rules_state *s,
                                    unsigned figure, enum rules_side side)
{
    if (figure >= b->n_figures || b->figure[figure].side != side)
        return RULES_WHY_NO_FIGURE;
    return rules_why_not_ready(s, figure);
}

/* The figures of an order: each ready, and together figures of one square (R15). */
static enum rules_err check_group(const struct rules_ctx *c, const struct rules_order *o)
{
    struct rules_refusal *no = &c->out->refusal;

    if (o->n_figures == 0)
        return rules_refuse(no, RULES_WHY_NO_FIGURE, RULES_NO_FIGURE, RULES_NO_SQUARE);
    for (unsigned i = 0; i < o->n_figures; i++) {
        enum rules_why why = why_not_ready(c->b, &c->s, o->figure[i], (enum rules_side)o->side);

        if (why != RULES_WHY_NONE)
            return rules_refuse(no, why, o->figure[i], RULES_NO_SQUARE);
    }
    if (o->n_figures > 1 && (c->b->scale == RULES_1IN || o->n_figures > RULES_STACK_MAX))
        return rules_refuse(no, RULES_WHY_GROUP, o->figure[0], RULES_NO_SQUARE);
    for (unsigned i = 1; i < o->n_figures; i++) {
        if (c->s.at[o->figure[i]] != c->s.at[o->figure[0]])
            return rules_refuse(no, RULES_WHY_GROUP, o->figure[i], c->s.at[o->figure[i]]);
        for (unsigned j = 0; j < i; j++)
            if (o->figure[i] == o->figure[j])
                return rules_refuse(no, RULES_WHY_GROUP, o->figure[i], c->s.at[o->figure[i]]);
    }
    return RULES_OK;
}

/* The group in rank order (R15), into figure[]. */
static void in_rank_order(const struct rules_ctx *c, const struct rules_order *o, uint8_t *figure)
{
    for (unsigned i = 0; i < o->n_figures; i++) {
        unsigned at = i;

        for (; at > 0 && c->s.rank[figure[at - 1]] > c->s.rank[o->figure[i]]; at--)
            figure[at] = figure[at - 1];
        figure[at] = (uint8_t)o->figure[i];
    }
}

/* The direction of the step from `from` to its neighbour `to`; RULES_NO_DIR if it isn't one. */
static enum rules_dir step_dir(const struct rules_board *b, uint16_t from, uint16_t to)
{
    for (unsigned d = RULES_N; d <= RULES_W; d++)
        if (rules_step(b, from, (enum rules_dir)d) == to)
            return (enum rules_dir)d;
    return RULES_NO_DIR;
}

/* What a path is, apart from who walks it. */
struct path_facts {
    bool crosses, climbs;
    uint8_t last_dir; /* of the last step; RULES_NO_DIR without one */
};

/* Shape of the path: on the board, step by step, R12, R13. */
static enum rules_err check_shape(const struct rules_ctx *c, const struct rules_order *o,
                                  struct path_facts *facts)
{
    struct rules_refusal *no = &c->out->refusal;
    uint16_t at = c->s.at[o->figure[0]];

    *facts = (struct path_facts){false, false, RULES_NO_DIR};
    for (unsigned i = 0; i < o->n_path; i++)
        if (o->path[i] == RULES_NO_SQUARE)
            return rules_refuse(no, RULES_WHY_OFF_BOARD, o->figure[0], RULES_NO_SQUARE);
    if (o->n_path == 0 && o->exit == RULES_NO_DIR)
        return rules_refuse(no, RULES_WHY_NO_PATH, o->figure[0], at);
    for (unsigned i = 0; i < o->n_path; i++) {
        enum rules_dir d = step_dir(c->b, at, o->path[i]);

        if (d == RULES_NO_DIR)
            return rules_refuse(no, RULES_WHY_STEP, o->figure[0], o->path[i]);
        facts->crosses |= rules_obstacle_at(c->b, at, d) != RULES_CLEAR;
        facts->climbs |= c->b->height[o->path[i]] > c->b->height[at];
        facts->last_dir = (uint8_t)d;
        at = o->path[i];
    }
    if (o->exit == RULES_NO_DIR)
        return RULES_OK;
    if (!rules_may_exit(c->b, (enum rules_side)o->side, (enum rules_dir)o->exit) ||
        rules_edge_distance(c->b, at, (enum rules_dir)o->exit) != 0)
        return rules_refuse(no, RULES_WHY_EXIT, o->figure[0], at);
    facts->last_dir = o->exit;
    return RULES_OK;
}

/* Crossings and wagons: R16, R17. */
static enum rules_err check_kind(const struct rules_ctx *c, const struct rules_order *o,
                                 const struct path_facts *facts)
{
    struct rules_refusal *no = &c->out->refusal;
    unsigned f = o->figure[0]; /* a wagon never shares its square */
    bool wagon = c->b->figure[f].type == RULES_WAGON;

    if (facts->crosses && wagon)
        return rules_refuse(no, RULES_WHY_WAGON_CROSSING, f, o->path[0]);
    if (facts->crosses && (o->n_path > 1 || o->exit != RULES_NO_DIR))
        return rules_refuse(no, RULES_WHY_CROSSING, f, o->path[0]);
    if (!wagon)
        return RULES_OK;
    if (c->b->ground[c->s.at[f]] != RULES_ROAD)
        return rules_refuse(no, RULES_WHY_WAGON_ROAD, f, c->s.at[f]);
    return RULES_OK;
}

/* Each figure within its own allowance: R7, R12. */
static enum rules_err check_allowance(const struct rules_ctx *c, const struct rules_order *o,
                                      const struct path_facts *facts)
{
    unsigned steps = o->n_path + (o->exit != RULES_NO_DIR ? 1U : 0U);

    for (unsigned i = 0; i < o->n_figures; i++) {
        unsigned allowed = rules_allowance(c->b, o->figure[i], facts->climbs);

        if (steps > allowed) {
            c->out->refusal.asked = (uint16_t)steps;
            c->out->refusal.allowed = (uint16_t)allowed;
            return rules_refuse(&c->out->refusal,
                                facts->climbs && steps <= rules_allowance(c->b, o->figure[i], false)
                                    ? RULES_WHY_UPHILL
                                    : RULES_WHY_TOO_FAR,
                                o->figure[i], RULES_NO_SQUARE);
        }
    }
    return RULES_OK;
}

/* The squares on the way: R13, and R17 for a wagon. */
static enum rules_err check_way(const struct rules_ctx *c, const struct rules_order *o)
{
    struct rules_refusal *no = &c->out->refusal;
    unsigned f = o->figure[0];
    uint16_t from = c->s.at[f];

    for (unsigned i = 0; i < o->n_path; i++) {
        if (rules_is_impassable(c->b, o->path[i]))
            return rules_refuse(no, RULES_WHY_GROUND, f, o->path[i]);
        if (rules_has_enemy(c->b, &c->s, o->path[i], (enum rules_side)o->side))
            return rules_refuse(no, RULES_WHY_ENEMY, f, o->path[i]);
        if (c->b->figure[f].type == RULES_WAGON && c->b->ground[o->path[i]] != RULES_ROAD)
            return rules_refuse(no, RULES_WHY_WAGON_ROAD, f, o->path[i]);
    }
    if (o->n_path == 0 || o->exit != RULES_NO_DIR || o->path[o->n_path - 1] == from)
        return RULES_OK;
    if (!rules_has_room(c->b, &c->s, f, o->path[o->n_path - 1], o->n_figures))
        return rules_refuse(no, RULES_WHY_FULL, f, o->path[o->n_path - 1]);
    return RULES_OK;
}

enum rules_err rules_do_move(struct rules_ctx *c, const struct rules_order *o)
{
    struct rules_event ev;
    struct path_facts facts;
    enum rules_err e;

    if ((e = check_group(c, o)) != RULES_OK || (e = check_shape(c, o, &facts)) != RULES_OK ||
        (e = check_kind(c, o, &facts)) != RULES_OK ||
        (e = check_allowance(c, o, &facts)) != RULES_OK || (e = check_way(c, o)) != RULES_OK)
        return e;
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_MOVE;
    ev.u.move.n_figures = o->n_figures;
    in_rank_order(c, o, ev.u.move.figure);
    ev.u.move.from = c->s.at[o->figure[0]];
    ev.u.move.n = o->n_path;
    memcpy(ev.u.move.path, o->path, sizeof(o->path[0]) * o->n_path);
    ev.u.move.face = o->face != RULES_NO_DIR ? o->face : facts.last_dir;
    ev.u.move.left = o->exit;
    return rules_emit_judged(c, &ev);
}

enum rules_err rules_do_turn(struct rules_ctx *c, const struct rules_order *o)
{
    struct rules_event ev;
    enum rules_err e = check_group(c, o);

    if (e != RULES_OK)
        return e;
    if (o->face == RULES_NO_DIR)
        return rules_refuse(&c->out->refusal, RULES_WHY_FACE, o->figure[0], RULES_NO_SQUARE);
    if (!rules_can_act(c->b, &c->s, o->figure[0])) /* ready, so a wagon off the road: R17 */
        return rules_refuse(&c->out->refusal, RULES_WHY_WAGON_ROAD, o->figure[0],
                            c->s.at[o->figure[0]]);
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_TURN;
    ev.u.turn.n_figures = o->n_figures;
    in_rank_order(c, o, ev.u.turn.figure);
    ev.u.turn.at = c->s.at[o->figure[0]];
    ev.u.turn.face = o->face;
    return rules_emit(c, &ev);
}
