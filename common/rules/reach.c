/* SPDX-License-Identifier: ISC
 * reach.c -- where a figure may go, with the rule for where it may not; and simple odds. */
#include "common/rules/rules_internal.h"

#include <string.h>

#define SPAN (2 * RULES_PATH_MAX + 1) /* the window of squares within five steps */

/* A place in the search: a square, and whether the path there has climbed. */
struct node {
    uint16_t at, via; /* via: index of the node before */
    uint8_t steps, climbed;
};

struct search {
    const struct rules_board *b;
    const struct rules_state *s;
    unsigned figure;
    bool wagon;
    uint8_t seen[SPAN * SPAN][2];
    struct node node[SPAN * SPAN * 2];
    unsigned n;
};

/* The window's index of `sq`, around where the figure stands. */
static unsigned window(const struct search *q, uint16_t sq)
{
    uint16_t home = q->s->at[q->figure];
    int dx = (int)(sq % q->b->w) - (int)(home % q->b->w) + RULES_PATH_MAX;
    int dy = (int)(sq / q->b->w) - (int)(home / q->b->w) + RULES_PATH_MAX;

    return (unsigned)(dy * SPAN + dx);
}

/* May the figure pass `sq`? RULES_WHY_NONE: yes. */
static enum rules_why why_not_pass(const struct search *q, uint16_t sq)
{
    if (rules_is_impassable(q->b, sq))
        return RULES_WHY_GROUND;
    if (rules_has_enemy(q->b, q->s, sq, (enum rules_side)q->b->figure[q->figure].side))
        return RULES_WHY_ENEMY;
    if (q->wagon && q->b->ground[sq] != RULES_ROAD)
        return RULES_WHY_WAGON_ROAD;
    return RULES_WHY_NONE;
}

static void try_step(struct search *q, unsigned from, enum rules_dir d)
{
    struct node at = q->node[from];
    uint16_t to = rules_step(q->b, at.at, d);
    bool climbed;

    if (to == RULES_NO_SQUARE || rules_obstacle_at(q->b, at.at, d) != RULES_CLEAR ||
        why_not_pass(q, to) != RULES_WHY_NONE)
        return;
    climbed = at.climbed || q->b->height[to] > q->b->height[at.at];
    if (at.steps + 1U > rules_allowance(q->b, q->figure, climbed) ||
        q->seen[window(q, to)][climbed])
        return;
    q->seen[window(q, to)][climbed] = 1;
    q->node[q->n++] = (struct node){to, (uint16_t)from, (uint8_t)(at.steps + 1), climbed};
}

/* Breadth first over (square, climbed). */
static void search(struct search *q)
{
    q->node[0] = (struct node){q->s->at[q->figure], 0, 0, 0};
    q->n = 1;
    q->seen[window(q, q->node[0].at)][0] = 1;
    for (unsigned i = 0; i < q->n; i++)
        for (unsigned d = RULES_N; d <= RULES_W; d++)
            try_step(q, i, (enum rules_dir)d);
}

static const struct rules_to *find_to(const struct rules_reach *r, uint16_t sq)
{
    for (unsigned i = 0; i < r->n_to; i++)
        if (r->to[i].at == sq)
            return &r->to[i];
    return NULL;
}

static void list_squares(const struct search *q, struct rules_reach *out)
{
    for (unsigned i = 1; i < q->n; i++) {
        const struct node *end = &q->node[i];
        struct rules_to *to = &out->to[out->n_to];
        unsigned k = i;

        if (end->at == q->node[0].at || find_to(out, end->at) != NULL ||
            !rules_has_room(q->b, q->s, q->figure, end->at, 1) || out->n_to == RULES_REACH_MAX)
            continue;
        to->at = end->at;
        to->n = end->steps;
        for (unsigned s = end->steps; s > 0; s--) {
            to->path[s - 1] = q->node[k].at;
            k = q->node[k].via;
        }
        out->n_to++;
    }
}

/* R16: one step over each obstacle beside it, where no way of one step leads there anyway. */
static void list_crossings(const struct search *q, struct rules_reach *out)
{
    uint16_t at = q->s->at[q->figure];

    for (unsigned d = RULES_N; d <= RULES_W && !q->wagon; d++) {
        uint16_t to = rules_step(q->b, at, (enum rules_dir)d);
        const struct rules_to *had;
        struct rules_to *cross;

        if (to == RULES_NO_SQUARE ||
            rules_obstacle_at(q->b, at, (enum rules_dir)d) == RULES_CLEAR ||
            why_not_pass(q, to) != RULES_WHY_NONE ||
            !rules_has_room(q->b, q->s, q->figure, to, 1) ||
            rules_allowance(q->b, q->figure, q->b->height[to] > q->b->height[at]) < 1)
            continue;
        had = find_to(out, to);
        cross = had != NULL ? &out->to[had - out->to] : &out->to[out->n_to];
        if (had == NULL && out->n_to == RULES_REACH_MAX)
            continue;
        out->n_to = (uint8_t)(out->n_to + (had == NULL));
        cross->at = to;
        cross->n = 1;
        cross->crosses = 1;
        cross->path[0] = to;
    }
}

/* R45: edges that it may leave by, with one step to spare. */
static void list_exits(const struct search *q, struct rules_reach *out)
{
    enum rules_side side = (enum rules_side)q->b->figure[q->figure].side;

    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        out->exit_via[d] = RULES_NO_SQUARE;
        if (!rules_may_exit(q->b, side, (enum rules_dir)d))
            continue;
        for (unsigned i = 0; i < q->n; i++)
            if (rules_edge_distance(q->b, q->node[i].at, (enum rules_dir)d) == 0 &&
                q->node[i].steps + 1U <= rules_allowance(q->b, q->figure, q->node[i].climbed)) {
                out->exits |= (uint8_t)(1U << d);
                out->exit_via[d] = q->node[i].at;
                break;
            }
    }
}

/* Why a square within the open allowance isn't among `to`. */
static enum rules_why why_not_there(const struct search *q, uint16_t sq)
{
    enum rules_why why = why_not_pass(q, sq);
    uint16_t at = q->s->at[q->figure];

    if (why != RULES_WHY_NONE)
        return why;
    if (q->seen[window(q, sq)][0] || q->seen[window(q, sq)][1])
        return RULES_WHY_FULL;
    for (unsigned d = RULES_N; d <= RULES_W; d++)
        if (rules_step(q->b, at, (enum rules_dir)d) == sq &&
            rules_obstacle_at(q->b, at, (enum rules_dir)d) != RULES_CLEAR)
            return q->wagon ? RULES_WHY_WAGON_CROSSING : RULES_WHY_FULL;
    for (unsigned d = RULES_N; d <= RULES_W; d++) /* a step beyond an obstacle? */
        if (rules_obstacle_at(q->b, sq, (enum rules_dir)d) != RULES_CLEAR)
            return RULES_WHY_CROSSING;
    return q->b->height[sq] > q->b->height[at] ? RULES_WHY_UPHILL : RULES_WHY_TOO_FAR;
}

static void list_not(const struct search *q, struct rules_reach *out)
{
    uint16_t home = q->s->at[q->figure];
    int far = (int)rules_allowance(q->b, q->figure, false);

    for (int dy = -far; dy <= far; dy++)
        for (int dx = -far; dx <= far; dx++) {
            int x = (int)(home % q->b->w) + dx;
            int y = (int)(home / q->b->w) + dy;
            uint16_t sq;

            if ((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy) > far || x < 0 || y < 0 || x >= q->b->w ||
                y >= q->b->h || (dx == 0 && dy == 0))
                continue;
            sq = (uint16_t)(y * q->b->w + x);
            if (find_to(out, sq) != NULL || out->n_not == RULES_REACH_MAX)
                continue;
            out->no[out->n_not].at = sq;
            out->no[out->n_not++].why = (uint8_t)why_not_there(q, sq);
        }
}

/* Why the figure can't act at all. */
static enum rules_why why_not_act(const struct rules_board *b, const struct rules_state *s,
                                  unsigned f)
{
    enum rules_why why;

    if (rules_is_over(s))
        return RULES_WHY_OVER;
    if (rules_can_act(b, s, f))
        return RULES_WHY_NONE;
    why = rules_why_not_ready(s, f);
    return why != RULES_WHY_NONE ? why : RULES_WHY_WAGON_ROAD;
}

void rules_reach(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                 struct rules_reach *out)
{
    struct search q;

    memset(out, 0, sizeof(*out));
    for (unsigned d = 0; d < 4; d++)
        out->exit_via[d] = RULES_NO_SQUARE;
    out->why = (uint8_t)why_not_act(b, s, figure);
    if (out->why != RULES_WHY_NONE)
        return;
    memset(q.seen, 0, sizeof(q.seen));
    q.b = b;
    q.s = s;
    q.figure = figure;
    q.wagon = b->figure[figure].type == RULES_WAGON;
    search(&q);
    out->turn = 1;
    list_squares(&q, out);
    list_crossings(&q, out);
    list_exits(&q, out);
    list_not(&q, out);
}

/* ---- odds of one shot, R21, R22 ---- */

static struct rules_odds reduced(uint64_t n, uint64_t d)
{
    for (uint64_t f = 2; f <= 6; f++)
        while (n % f == 0 && d % f == 0) {
            n /= f;
            d /= f;
        }
    return n == 0 ? (struct rules_odds){0, 1} : (struct rules_odds){n, d};
}

struct rules_odds rules_odds_hit(unsigned to_hit)
{
    return reduced(7 - to_hit, 6);
}

struct rules_odds rules_odds_kill(unsigned to_hit, unsigned to_save)
{
    return reduced((uint64_t)(7 - to_hit) * (to_save - 1), 36);
}
