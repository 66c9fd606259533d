/* SPDX-License-Identifier: ISC
 * melee.c -- hand-to-hand: R25 to R31. */
#include "common/rules/rules_internal.h"

#include <string.h>

#define PAIRINGS_MAX 2048 /* sum over touching squares of the longer front: at most 8 a figure */

struct pair {
    uint8_t a, b;
    uint8_t total_a, total_b;
};

/* Is `sq` one of the three squares ahead of one who stands in `at` and faces `face`? */
static bool is_ahead(const struct rules_board *b, uint16_t at, unsigned face, uint16_t sq)
{
    int dx = (int)(sq % b->w) - (int)(at % b->w);
    int dy = (int)(sq / b->w) - (int)(at / b->w);

    switch ((enum rules_dir)face) {
    case RULES_N:
        return dy == 1;
    case RULES_E:
        return dx == 1;
    case RULES_S:
        return dy == -1;
    case RULES_W:
        return dx == -1;
    case RULES_NO_DIR:
        break;
    }
    return false;
}

unsigned rules_melee_bonus(const struct rules_board *b, const struct rules_state *s,
                           unsigned figure, unsigned against)
{
    uint16_t mine = s->at[figure];
    uint16_t theirs = s->at[against];
    unsigned bonus = b->figure[figure].type == RULES_MOUNTED ? 1 : 0;

    if (is_ahead(b, mine, s->face[figure], theirs) && !is_ahead(b, theirs, s->face[against], mine))
        bonus++; /* R28: on the flank or rear of one it faces */
    return bonus;
}

/* The front of `sq`, wagons left out (R17); returns how many. */
static unsigned front(const struct rules_board *b, const struct rules_grid *g, uint16_t sq,
                      uint8_t out[RULES_FRONT])
{
    unsigned n = 0;

    for (uint16_t f = g->first[sq]; f != RULES_NO_FIGURE && n < RULES_FRONT; f = g->next[f])
        if (b->figure[f].type != RULES_WAGON)
            out[n++] = (uint8_t)f;
    return n;
}

/* Square (dx, dy) from `sq`, or RULES_NO_SQUARE. */
static uint16_t neighbour(const struct rules_board *b, uint16_t sq, int dx, int dy)
{
    int x = (int)(sq % b->w) + dx;
    int y = (int)(sq / b->w) + dy;

    if (x < 0 || y < 0 || x >= b->w || y >= b->h)
        return RULES_NO_SQUARE;
    return (uint16_t)(y * b->w + x);
}

/* R26: pair the fronts of A's square `sq` and an enemy square. */
static unsigned pair_fronts(const struct rules_board *b, const struct rules_grid *g, uint16_t sq,
                            uint16_t enemy, struct pair *pair)
{
    uint8_t fa[RULES_FRONT];
    uint8_t fb[RULES_FRONT];
    unsigned na = front(b, g, sq, fa);
    unsigned nb = front(b, g, enemy, fb);
    unsigned n = MAX(na, nb);

    if (na == 0 || nb == 0 || b->figure[fb[0]].side != RULES_B)
        return 0;
    for (unsigned i = 0; i < n; i++)
        pair[i] = (struct pair){fa[i % na], fb[i % nb], 0, 0};
    return n;
}

/* By a, then b: few out of place, so insertion sort. */
static void sort_pairs(struct pair *pair, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        struct pair p = pair[i];
        unsigned at = i;

        for (; at > 0 && (pair[at - 1].a > p.a || (pair[at - 1].a == p.a && pair[at - 1].b > p.b));
             at--)
            pair[at] = pair[at - 1];
        pair[at] = p;
    }
}

/* Every pairing on the board, by A's figure, then B's. */
static unsigned find_pairs(const struct rules_board *b, const struct rules_state *s,
                           struct pair *pair)
{
    struct rules_grid g;
    unsigned n = 0;

    rules_grid_build(b, s, &g);
    for (unsigned f = 0; f < b->n_figures && b->figure[f].side == RULES_A; f++) {
        unsigned start = n;

        if (s->at[f] == RULES_NO_SQUARE || s->rank[f] != 1)
            continue;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                uint16_t sq = neighbour(b, s->at[f], dx, dy);

                if (sq != RULES_NO_SQUARE && g.first[sq] != RULES_NO_FIGURE &&
                    n + RULES_FRONT <= PAIRINGS_MAX)
                    n += pair_fronts(b, &g, s->at[f], sq, pair + n);
            }
        sort_pairs(pair + start, n - start);
    }
    if (b->scale == RULES_3IN)
        sort_pairs(pair, n);
    return n;
}

/* R27: one die for everyone in a pairing, roster order. */
static enum rules_err roll_all(struct rules_ctx *c, const struct pair *pair, unsigned n,
                               uint8_t die[RULES_FIGURES_MAX])
{
    uint8_t in[RULES_FIGURES_MAX] = {0};
    enum rules_err e;

    for (unsigned i = 0; i < n; i++)
        in[pair[i].a] = in[pair[i].b] = 1;
    for (unsigned f = 0; f < c->b->n_figures; f++) {
        union rules_item it;

        if (!in[f])
            continue;
        memset(&it, 0, sizeof(it));
        it.die.figure = (uint8_t)f;
        if ((e = rules_roll(c, &it.die.die)) != RULES_OK || (e = rules_put(c, it)) != RULES_OK)
            return e;
        die[f] = it.die.die;
    }
    return RULES_OK;
}

/* R28: totals, listed. */
static enum rules_err total_all(struct rules_ctx *c, struct pair *pair, unsigned n,
                                const uint8_t *die)
{
    for (unsigned i = 0; i < n; i++) {
        struct pair *p = &pair[i];
        union rules_item it;
        enum rules_err e;

        p->total_a = (uint8_t)(die[p->a] + rules_melee_bonus(c->b, &c->s, p->a, p->b));
        p->total_b = (uint8_t)(die[p->b] + rules_melee_bonus(c->b, &c->s, p->b, p->a));
        it.pairing.a = p->a;
        it.pairing.b = p->b;
        it.pairing.total_a = p->total_a;
        it.pairing.total_b = p->total_b;
        if ((e = rules_put(c, it)) != RULES_OK)
            return e;
    }
    return RULES_OK;
}

/* R30: the saves that `f` owes, until one fails; *killed then. */
static enum rules_err save_one(struct rules_ctx *c, const struct pair *pair, unsigned n, unsigned f,
                               bool *killed)
{
    bool is_a = c->b->figure[f].side == RULES_A;
    enum rules_err e;

    *killed = false;
    for (unsigned i = 0; i < n && !*killed; i++) {
        const struct pair *p = &pair[i];
        bool lost =
            is_a ? p->a == f && p->total_a < p->total_b : p->b == f && p->total_b < p->total_a;
        union rules_item it;

        if (!lost)
            continue;
        it.save.figure = (uint8_t)f;
        it.save.against = is_a ? p->b : p->a;
        if ((e = rules_roll(c, &it.save.die)) != RULES_OK)
            return e;
        it.save.saved = it.save.die >= 4;
        if ((e = rules_put(c, it)) != RULES_OK)
            return e;
        *killed = !it.save.saved;
        if (c->b->readings.saves == 1)
            break; /* R50: a single save, against the first of its victors */
    }
    return RULES_OK;
}

/* R30: all saves in roster order; then the killed are listed. */
static enum rules_err save_all(struct rules_ctx *c, const struct pair *pair, unsigned n,
                               struct rules_event *ev)
{
    uint8_t killed[RULES_FIGURES_MAX] = {0};
    uint32_t start = c->out->n_items;
    enum rules_err e;

    for (unsigned f = 0; f < c->b->n_figures; f++) {
        bool fell;

        if (!rules_on_board(&c->s, f))
            continue;
        if ((e = save_one(c, pair, n, f, &fell)) != RULES_OK)
            return e;
        if (fell)
            killed[ev->u.melee.n_killed++] = (uint8_t)f;
    }
    ev->u.melee.n_saves = (uint16_t)(c->out->n_items - start);
    for (unsigned i = 0; i < ev->u.melee.n_killed; i++) {
        union rules_item it;

        memset(&it, 0, sizeof(it));
        it.figure = killed[i];
        if ((e = rules_put(c, it)) != RULES_OK)
            return e;
    }
    return RULES_OK;
}

enum rules_err rules_do_melee(struct rules_ctx *c)
{
    struct pair pair[PAIRINGS_MAX];
    uint8_t die[RULES_FIGURES_MAX];
    struct rules_event ev;
    unsigned n = find_pairs(c->b, &c->s, pair);
    enum rules_err e;

    if (n == 0)
        return RULES_OK; /* no event without a pairing */
    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_MELEE;
    ev.u.melee.item = c->out->n_items;
    if ((e = roll_all(c, pair, n, die)) != RULES_OK)
        return e;
    ev.u.melee.n_dice = (uint16_t)(c->out->n_items - ev.u.melee.item);
    if ((e = total_all(c, pair, n, die)) != RULES_OK)
        return e;
    ev.u.melee.n_pairings = (uint16_t)n;
    if ((e = save_all(c, pair, n, &ev)) != RULES_OK)
        return e;
    return rules_emit_judged(c, &ev);
}

/* ---- odds ---- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;

        a = b;
        b = r;
    }
    return a;
}

/* Of 12 (or 6) ways in which one pairing goes, those that a figure with each own die survives. */
struct ways {
    uint64_t of[6], all;
};

/* Fold in one pairing: `edge` is own bonus less the other's. */
static void fold_pairing(struct ways *w, int edge, bool one_save)
{
    for (int d = 1; d <= 6; d++) {
        int beaten = 6 - (d + edge); /* faces of the other that beat d */
        unsigned beats = beaten < 0 ? 0U : (unsigned)MIN(beaten, 6);

        /* one save for all: ways to lose none; else a lost pairing is saved on 4, 5 or 6 */
        w->of[d - 1] *= (one_save ? 6 : 12) - beats;
    }
    w->all *= one_save ? 6 : 12;
}

/*
 * Chance of not falling, die by die: with own die d, each pairing is survived in
 * 12 - (throws that beat d) of 12 ways. With `saves: one` one save answers for all that were lost.
 */
struct rules_odds rules_odds_melee(const struct rules_board *b, const struct rules_state *s,
                                   unsigned figure)
{
    struct pair pair[PAIRINGS_MAX];
    unsigned n = find_pairs(b, s, pair);
    struct ways w = {{1, 1, 1, 1, 1, 1}, 1};
    bool one_save = b->readings.saves == 1;
    struct rules_odds odds = {0, 1};
    unsigned mine = 0;
    uint64_t live = 0;
    uint64_t g;

    for (unsigned i = 0; i < n && mine < 16; i++) { /* 12^17 is the most that 64 bits hold */
        unsigned other = pair[i].a == figure ? pair[i].b : pair[i].a;

        if (pair[i].a != figure && pair[i].b != figure)
            continue;
        mine++;
        fold_pairing(&w,
                     (int)rules_melee_bonus(b, s, figure, other) -
                         (int)rules_melee_bonus(b, s, other, figure),
                     one_save);
    }
    if (mine == 0)
        return odds;
    for (unsigned d = 0; d < 6; d++)
        live += one_save ? w.all + w.of[d] : 2 * w.of[d]; /* in halves: saved half the time */
    odds.n = 12 * w.all - live;
    odds.d = 12 * w.all;
    g = gcd(odds.n, odds.d);
    odds.n /= g;
    odds.d /= g;
    return odds;
}

void rules_odds_pairing(unsigned bonus, unsigned against, unsigned *wins, unsigned *loses)
{
    *wins = *loses = 0;
    for (unsigned a = 1; a <= 6; a++)
        for (unsigned o = 1; o <= 6; o++) {
            *wins += a + bonus > o + against;
            *loses += a + bonus < o + against;
        }
}
