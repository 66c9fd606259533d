/* SPDX-License-Identifier: ISC
 * arrive.c -- reinforcements: R40, R41. */
#include "common/rules/rules_internal.h"

#include <string.h>

/* Where one wave looks for room: the n-th square to try, in order. */
struct entry_squares {
    const struct rules_board *b;
    const struct rules_wave *wave;
    enum rules_dir edge; /* RULES_NO_DIR: the wave's list */
};

/* The k-th index along a line of `n` counted from its middle outward: +0, +1, -1, +2, -2 ... */
static int outward(unsigned n, unsigned k)
{
    int step = (int)((k + 1) / 2);

    return (int)(n / 2) + (k % 2 == 1 ? step : -step);
}

/* How many places there are to try (some of an edge's lie beyond its ends). */
static unsigned entry_count(const struct entry_squares *q)
{
    if (q->edge == RULES_NO_DIR)
        return q->wave->n;
    return 2U * ((q->edge == RULES_N || q->edge == RULES_S) ? q->b->w : q->b->h);
}

/* The k-th square to try; RULES_NO_SQUARE beyond the edge's ends. */
static uint16_t entry_square(const struct entry_squares *q, unsigned k)
{
    bool row = q->edge == RULES_N || q->edge == RULES_S;
    unsigned n = row ? q->b->w : q->b->h;
    int i;

    if (q->edge == RULES_NO_DIR)
        return q->b->list[q->wave->list + k];
    i = outward(n, k);
    if (i < 0 || i >= (int)n)
        return RULES_NO_SQUARE;
    switch (q->edge) {
    case RULES_N:
        return (uint16_t)((q->b->h - 1) * q->b->w + i);
    case RULES_S:
        return (uint16_t)i;
    case RULES_E:
        return (uint16_t)(i * q->b->w + q->b->w - 1);
    case RULES_W:
        return (uint16_t)(i * q->b->w);
    case RULES_NO_DIR:
        break;
    }
    return RULES_NO_SQUARE;
}

/* R41: is `sq` free for `f`? */
static bool is_free(const struct rules_board *b, const struct rules_state *s, unsigned f,
                    uint16_t sq)
{
    if (sq == RULES_NO_SQUARE || rules_is_impassable(b, sq) ||
        rules_has_enemy(b, s, sq, (enum rules_side)b->figure[f].side))
        return false;
    if (b->figure[f].type == RULES_WAGON && b->ground[sq] != RULES_ROAD)
        return false;
    return rules_has_room(b, s, f, sq, 1);
}

/* R41: facing inward: away from the nearest edge, its home edge among equals, else n, e, s, w. */
static enum rules_dir inward(const struct rules_board *b, uint16_t sq, enum rules_side side)
{
    unsigned best = UINT16_MAX;
    enum rules_dir edge = RULES_N;

    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        unsigned far = rules_edge_distance(b, sq, (enum rules_dir)d);

        if (far < best || (far == best && d == b->side[side].home)) {
            best = far;
            edge = (enum rules_dir)d;
        }
    }
    return rules_turn_by(edge, 2);
}

/* The die of a wave with a table, in the turn that it is due (R40); else the edge that it has. */
static enum rules_err wave_edge(struct rules_ctx *c, unsigned w, struct rules_event *ev)
{
    const struct rules_wave *wave = &c->b->wave[w];
    enum rules_err e;

    ev->u.arrive.edge = RULES_NO_DIR;
    switch ((enum rules_entry)wave->entry) {
    case RULES_ENTRY_SQUARES:
        break;
    case RULES_ENTRY_EDGE:
        ev->u.arrive.edge = wave->edge[0];
        break;
    case RULES_ENTRY_TABLE:
        ev->u.arrive.edge = c->s.wave_edge[w];
        if (wave->turn != c->s.turn)
            break;
        if ((e = rules_roll(c, &ev->u.arrive.die)) != RULES_OK)
            return e;
        ev->u.arrive.edge = wave->edge[ev->u.arrive.die - 1];
        break;
    }
    return RULES_OK;
}

/* Each figure in order takes the first free square; `s` is a scratch copy that it is put into. */
static enum rules_err place_all(struct rules_ctx *c, const struct rules_wave *wave,
                                struct rules_event *ev, uint64_t *placed)
{
    struct rules_state s = c->s;
    struct entry_squares q = {c->b, wave, (enum rules_dir)ev->u.arrive.edge};
    unsigned count = entry_count(&q);

    for (unsigned i = 0; i < wave->n_figures; i++) {
        unsigned f = wave->figure + i;

        if (s.status[f] != RULES_DUE)
            continue;
        for (unsigned k = 0; k < count; k++) {
            union rules_item it;
            uint16_t sq = entry_square(&q, k);
            enum rules_err e;

            if (!is_free(c->b, &s, f, sq))
                continue;
            it.placed.figure = (uint8_t)f;
            it.placed.at = sq;
            it.placed.face =
                (uint8_t)(q.edge == RULES_NO_DIR ? inward(c->b, sq, (enum rules_side)wave->side)
                                                 : rules_turn_by(q.edge, 2));
            if ((e = rules_put(c, it)) != RULES_OK)
                return e;
            s.at[f] = sq; /* rank doesn't matter for what is free */
            placed[f / 64] |= UINT64_C(1) << (f % 64);
            ev->u.arrive.n_placed++;
            break;
        }
    }
    return RULES_OK;
}

/* One wave that is due or waits. */
static enum rules_err arrive(struct rules_ctx *c, unsigned w)
{
    const struct rules_wave *wave = &c->b->wave[w];
    uint64_t placed[RULES_FIGURES_MAX / 64] = {0};
    struct rules_event ev;
    enum rules_err e;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_ARRIVE;
    ev.u.arrive.side = wave->side;
    ev.u.arrive.wave = (uint8_t)w;
    ev.u.arrive.item = c->out->n_items;
    if ((e = wave_edge(c, w, &ev)) != RULES_OK || (e = place_all(c, wave, &ev, placed)) != RULES_OK)
        return e;
    for (unsigned f = wave->figure; f < (unsigned)wave->figure + wave->n_figures; f++) {
        union rules_item it;

        if (c->s.status[f] != RULES_DUE || rules_in_set(placed, f))
            continue;
        memset(&it, 0, sizeof(it));
        it.figure = (uint8_t)f;
        if ((e = rules_put(c, it)) != RULES_OK)
            return e;
        ev.u.arrive.n_waiting++;
    }
    if (ev.u.arrive.n_placed == 0 && wave->turn != c->s.turn)
        return RULES_OK; /* nobody placed and nobody newly due says nothing */
    return rules_emit_judged(c, &ev);
}

enum rules_err rules_do_arrivals(struct rules_ctx *c, enum rules_side side)
{
    for (unsigned w = 0; w < c->b->n_waves && !rules_is_over(&c->s); w++) {
        const struct rules_wave *wave = &c->b->wave[w];
        bool waits = false;
        enum rules_err e;

        if (wave->side != side || wave->turn > c->s.turn)
            continue;
        for (unsigned f = wave->figure; f < (unsigned)wave->figure + wave->n_figures; f++)
            waits |= c->s.status[f] == RULES_DUE;
        if (waits && (e = arrive(c, w)) != RULES_OK)
            return e;
    }
    return RULES_OK;
}
