/* SPDX-License-Identifier: ISC
 * morale.c -- testing and falling back: R32 to R39. */
#include "common/rules/rules_internal.h"

#include <string.h>

#define COMMANDER_REACH 3 /* R33 */

/* The walk of one that falls back: squares that it goes through, and whether off the board. */
struct walk {
    uint16_t path[RULES_PATH_MAX];
    unsigned n;
    bool left;
};

/* R33: +1 with a commander of its side near, as figures stand now. */
static unsigned commander_bonus(const struct rules_board *b, const struct rules_state *s,
                                unsigned f)
{
    for (unsigned g = 0; g < b->n_figures; g++) {
        int dx;
        int dy;

        if (!b->figure[g].commander || b->figure[g].side != b->figure[f].side ||
            !rules_on_board(s, g))
            continue;
        dx = (int)(s->at[f] % b->w) - (int)(s->at[g] % b->w);
        dy = (int)(s->at[f] / b->w) - (int)(s->at[g] / b->w);
        if (dx >= -COMMANDER_REACH && dx <= COMMANDER_REACH && dy >= -COMMANDER_REACH &&
            dy <= COMMANDER_REACH)
            return 1;
    }
    return 0;
}

/* May a fall-back pass `sq`: no enemy, no impassable ground? */
static bool is_passable(const struct rules_board *b, const struct rules_state *s, unsigned f,
                        uint16_t sq)
{
    return !rules_is_impassable(b, sq) &&
           !rules_has_enemy(b, s, sq, (enum rules_side)b->figure[f].side);
}

/*
 * R37: can the walk take one step more, `climbs` so far and in that step? "Held to the uphill
 * allowance if a step would climb": it stops before the step that it can't afford.
 */
static bool affords(const struct rules_board *b, unsigned f, unsigned steps, bool climbs)
{
    return steps + 1 <= rules_allowance(b, f, climbs);
}

/* The last square of the walk where it may stand is its end (R37, R38). */
static void stop_where_it_may(const struct rules_board *b, const struct rules_state *s, unsigned f,
                              struct walk *w)
{
    while (!w->left && w->n > 0 && !rules_has_room(b, s, f, w->path[w->n - 1], 1))
        w->n--;
}

/* R37: straight ahead. */
static void walk_straight(const struct rules_board *b, const struct rules_state *s, unsigned f,
                          enum rules_dir dir, struct walk *w)
{
    uint16_t at = s->at[f];
    bool climbs = false;

    for (;;) {
        uint16_t next = rules_step(b, at, dir);
        bool crosses = rules_obstacle_at(b, at, dir) != RULES_CLEAR;

        if (next == RULES_NO_SQUARE) {
            w->left = affords(b, f, w->n, climbs);
            break;
        }
        if ((crosses && w->n > 0) || !is_passable(b, s, f, next))
            break;
        climbs |= b->height[next] > b->height[at];
        if (!affords(b, f, w->n, climbs))
            break;
        w->path[w->n++] = next;
        at = next;
        if (crosses)
            break; /* its whole move */
    }
    stop_where_it_may(b, s, f, w);
}

/* R38: along the way round, as far as its allowance. */
static void walk_round(const struct rules_board *b, const struct rules_state *s, unsigned f,
                       enum rules_dir dir, struct walk *w)
{
    uint16_t way[RULES_PATH_MAX];
    unsigned n = rules_way_round(b, s, f, dir, way);
    uint16_t at = s->at[f];
    bool climbs = false;

    for (unsigned i = 0; i < n; i++) {
        if (way[i] != RULES_NO_SQUARE)
            climbs |= b->height[way[i]] > b->height[at];
        if (!affords(b, f, i, climbs))
            break;
        if (way[i] == RULES_NO_SQUARE) {
            w->left = true;
            break;
        }
        w->path[w->n++] = way[i];
        at = way[i];
    }
    stop_where_it_may(b, s, f, w);
}

/* R37, R38: `f`, retreating or routing, falls back now. */
static enum rules_err fall_back(struct rules_ctx *c, unsigned f)
{
    struct walk w = {{0}, 0, false};
    struct rules_event ev;
    enum rules_dir dir = rules_turn_by(c->s.face[f], c->s.fell[f] ? 0 : 2);
    uint16_t ahead = rules_step(c->b, c->s.at[f], dir);
    bool routs = c->s.status[f] == RULES_ROUTING;

    if (routs && ahead != RULES_NO_SQUARE && !is_passable(c->b, &c->s, f, ahead))
        walk_round(c->b, &c->s, f, dir, &w);
    else
        walk_straight(c->b, &c->s, f, dir, &w);
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_FALL_BACK;
    ev.u.fall_back.figure = (uint8_t)f;
    ev.u.fall_back.state = routs ? RULES_ROUT : RULES_RETREAT;
    ev.u.fall_back.face = (uint8_t)dir;
    ev.u.fall_back.left = w.left;
    ev.u.fall_back.n = (uint8_t)w.n;
    ev.u.fall_back.from = c->s.at[f];
    memcpy(ev.u.fall_back.path, w.path, sizeof(w.path[0]) * w.n);
    return rules_emit_judged(c, &ev);
}

/* R34 to R36. */
static enum rules_morale result_of(unsigned total)
{
    if (total >= 5)
        return RULES_STEADY;
    if (total == 4)
        return RULES_HALT;
    return total >= 2 ? RULES_RETREAT : RULES_ROUT;
}

/* All of the set in roster order, until the game ends. */
static enum rules_err fall_back_all(struct rules_ctx *c, const uint64_t *set)
{
    for (unsigned f = 0; f < c->b->n_figures && !rules_is_over(&c->s); f++) {
        enum rules_err e;

        if (!rules_in_set(set, f))
            continue;
        if ((e = fall_back(c, f)) != RULES_OK)
            return e;
    }
    return RULES_OK;
}

/* R33 to R36: one die for each that tests; results stand when all dice lie, so none is applied
 * before the last: the events are emitted in a second pass. */
static enum rules_err test_all(struct rules_ctx *c, enum rules_side side, uint64_t *falls)
{
    struct rules_event ev[RULES_FIGURES_MAX];
    unsigned n = 0;
    enum rules_err e;

    for (unsigned f = 0; f < c->b->n_figures; f++) {
        struct rules_event *m = &ev[n];

        /* acted now: it arrived this turn; routing: it never tests again */
        if (c->b->figure[f].side != side || c->s.status[f] != RULES_READY ||
            !rules_is_soldier((enum rules_type)c->b->figure[f].type))
            continue;
        memset(m, 0, sizeof(*m));
        m->kind = RULES_EV_MORALE;
        m->u.morale.figure = (uint8_t)f;
        if ((e = rules_roll(c, &m->u.morale.die)) != RULES_OK)
            return e;
        m->u.morale.bonus = (uint8_t)commander_bonus(c->b, &c->s, f);
        m->u.morale.result = (uint8_t)result_of(m->u.morale.die + m->u.morale.bonus);
        n++;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned f = ev[i].u.morale.figure;

        if ((e = rules_emit(c, &ev[i])) != RULES_OK)
            return e;
        if (ev[i].u.morale.result == RULES_RETREAT || ev[i].u.morale.result == RULES_ROUT)
            falls[f / 64] |= UINT64_C(1) << (f % 64);
    }
    return RULES_OK;
}

enum rules_err rules_do_morale(struct rules_ctx *c, enum rules_side side)
{
    uint64_t routing[RULES_FIGURES_MAX / 64] = {0};
    uint64_t falls[RULES_FIGURES_MAX / 64] = {0};
    enum rules_err e;

    for (unsigned f = 0; f < c->b->n_figures; f++)
        if (c->b->figure[f].side == side && c->s.status[f] == RULES_ROUTING)
            routing[f / 64] |= UINT64_C(1) << (f % 64);
    if ((e = fall_back_all(c, routing)) != RULES_OK) /* R36: before the others test */
        return e;
    if (rules_is_over(&c->s) || (c->s.testing >> side & 1) == 0)
        return RULES_OK;
    if ((e = test_all(c, side, falls)) != RULES_OK)
        return e;
    return fall_back_all(c, falls);
}

/* ---- R38, the way round ---- */

/* Steps from each square until off the edge `dir`, 0 where there is no way; breadth first. */
static void exit_distances(const struct rules_board *b, const struct rules_state *s, unsigned f,
                           enum rules_dir dir, uint16_t *dist)
{
    uint16_t queue[RULES_SQUARES_MAX];
    unsigned head = 0;
    unsigned tail = 0;

    memset(dist, 0, sizeof(dist[0]) * rules_squares(b));
    for (unsigned sq = 0; sq < rules_squares(b); sq++)
        if (rules_edge_distance(b, (uint16_t)sq, dir) == 0 && is_passable(b, s, f, (uint16_t)sq)) {
            dist[sq] = 1;
            queue[tail++] = (uint16_t)sq;
        }
    while (head < tail) {
        uint16_t sq = queue[head++];

        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            uint16_t to = rules_step(b, sq, (enum rules_dir)d);

            if (to == RULES_NO_SQUARE || dist[to] != 0 || !is_passable(b, s, f, to) ||
                rules_obstacle_at(b, sq, (enum rules_dir)d) != RULES_CLEAR)
                continue;
            dist[to] = (uint16_t)(dist[sq] + 1);
            queue[tail++] = to;
        }
    }
}

unsigned rules_way_round(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                         enum rules_dir dir, uint16_t way[RULES_PATH_MAX])
{
    static const uint8_t quarters[4] = {0, 3, 1, 2}; /* ahead, left, right, back */
    uint16_t dist[RULES_SQUARES_MAX];
    uint16_t at = s->at[figure];
    unsigned n = 0;

    exit_distances(b, s, figure, dir, dist);
    while (dist[at] != 0 && n < RULES_PATH_MAX) {
        if (dist[at] == 1) {
            way[n++] = RULES_NO_SQUARE;
            break;
        }
        for (unsigned q = 0; q < 4; q++) {
            enum rules_dir d = rules_turn_by(dir, quarters[q]);
            uint16_t to = rules_step(b, at, d);

            if (to != RULES_NO_SQUARE && dist[to] == dist[at] - 1 &&
                rules_obstacle_at(b, at, d) == RULES_CLEAR) {
                way[n++] = to;
                at = to;
                break;
            }
        }
    }
    return n;
}

void rules_odds_morale(unsigned bonus, unsigned of_six[4])
{
    memset(of_six, 0, 4 * sizeof(of_six[0]));
    for (unsigned die = 1; die <= 6; die++)
        of_six[result_of(die + bonus)]++;
}
