/* SPDX-License-Identifier: ISC
 * bot_view.c -- a position as the side to move sees it: who stands where, lines of fire, fields.
 */
#include "client/bot/bot_internal.h"

#define OFF_COMMON 5 /* steps that an ordinary enemy seems farther where there are better ones */
#define ROAD_AHEAD 4 /* squares of its way on which a wagon is met */

unsigned bot_kill_chance(const struct rules_board *b, unsigned range)
{
    /* R21, R22 in thousandths: (7 - hit)/6 x (save - 1)/6 */
    static const uint16_t one_inch[] = {0, 0, 556, 333, 167, 83};
    static const uint16_t three_inch[] = {0, 0, 222, 83};

    if (b->scale == RULES_1IN)
        return range < ARRAY_LEN(one_inch) ? one_inch[range] : 0;
    return range < ARRAY_LEN(three_inch) ? three_inch[range] : 0;
}

static unsigned reach_of(const struct rules_board *b)
{
    return b->scale == RULES_1IN ? 5 : 3;
}

/* A line from an enemy outward. `sees`: could it be shot at from the squares, or shoot there. */
struct ray {
    uint16_t at;
    uint8_t top; /* highest square between so far */
};

/* One more step; false when the line ends before it. */
static bool ray_step(const struct bot_view *v, struct ray *r, uint16_t from, enum rules_dir d)
{
    const struct rules_board *b = v->m->b;
    const uint16_t to = rules_step(b, r->at, d);

    if (to == RULES_NO_SQUARE)
        return false;
    if (r->at != from) {
        if (v->m->dark[r->at] != 0 || v->count[r->at] != 0)
            return false;
        r->top = MAX(r->top, b->height[r->at]);
    }
    r->at = to;
    return true;
}

/* May a shot pass between `sq` and the ray's start, heights alone (R19)? */
static bool is_over(const struct bot_view *v, const struct ray *r, uint16_t from)
{
    const uint8_t *height = v->m->b->height;

    return r->top <= height[from] || r->top <= height[r->at];
}

uint16_t bot_view_target(const struct bot_view *v, uint16_t from, enum rules_dir d, unsigned *range)
{
    struct ray r = {from, 0};

    for (*range = 1; *range <= reach_of(v->m->b) && ray_step(v, &r, from, d); ++*range) {
        const enum rules_ground ground = (enum rules_ground)v->m->b->ground[r.at];

        if (ground == RULES_BUILDING || ground == RULES_VEHICLE)
            break;
        if (v->count[r.at] != 0)
            return is_over(v, &r, from) ? r.at : RULES_NO_SQUARE;
    }
    return RULES_NO_SQUARE;
}

/* Where the line laid by `n` enemies in `from` kills. */
static void add_danger(struct bot_view *v, uint16_t from, enum rules_dir d, unsigned n)
{
    struct ray r = {from, 0};

    for (unsigned range = 1; range <= reach_of(v->m->b) && ray_step(v, &r, from, d); range++) {
        const unsigned chance = bot_kill_chance(v->m->b, range) * n;

        if (v->m->b->ground[r.at] == RULES_BUILDING || v->m->b->ground[r.at] == RULES_VEHICLE)
            return;
        if (is_over(v, &r, from))
            v->danger[r.at] = (uint16_t)MIN(v->danger[r.at] + chance, 2000U);
    }
}

/* From where the enemy in `from` can be shot. */
/* NOLINTNEXTLINE(readability-function-cognitive-complexity): four lines, each walked to its end */
static void add_shots(struct bot_view *v, uint16_t from, int value)
{
    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        struct ray r = {from, 0};

        for (unsigned range = 1; range <= reach_of(v->m->b); range++) {
            unsigned points;
            uint8_t *best;

            if (!ray_step(v, &r, from, (enum rules_dir)d) || rules_is_impassable(v->m->b, r.at)) {
                if (r.at == from || v->m->b->ground[r.at] != RULES_WATER)
                    break;
                continue;
            }
            if (!is_over(v, &r, from))
                continue;
            points = bot_kill_chance(v->m->b, range) * (unsigned)value / 4000;
            best = &v->shot[r.at][(d + 2) % 4];
            *best = (uint8_t)MIN(MAX(*best, points), 255U);
        }
    }
}

void bot_view_place(struct bot_view *v, const struct bot_map *m, const struct rules_state *s)
{
    const unsigned n = rules_squares(m->b);

    v->m = m;
    memset(v->count, 0, n);
    memset(v->owner, RULES_NOBODY, n);
    for (unsigned f = 0; f < m->b->n_figures; f++) {
        const uint16_t sq = s->at[f];

        if (sq == RULES_NO_SQUARE)
            continue;
        v->count[sq]++;
        v->owner[sq] = m->b->figure[f].side;
        if (s->rank[f] == 1)
            v->top[sq] = (uint8_t)f;
    }
}

static void put_figures(struct bot_view *v, const struct rules_state *s)
{
    const unsigned n = rules_squares(v->m->b);

    bot_view_place(v, v->m, s);
    memset(v->near, 0, n);
    memset(v->press, 0, n);
    memset(v->danger, 0, n * sizeof(v->danger[0]));
    memset(v->shot, 0, n * sizeof(v->shot[0]));
    for (unsigned sq = 0; sq < n; sq++)
        v->foe[sq] = v->count[sq] != 0 && v->owner[sq] != v->me;
}

static void mark_near(struct bot_view *v, uint16_t sq)
{
    const struct rules_board *b = v->m->b;
    const unsigned x = sq % b->w, y = sq / b->w;

    for (unsigned ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < b->h; ny++)
        for (unsigned nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < b->w; nx++)
            v->near[ny * b->w + nx]++;
}

/* Squares within the enemy's allowance, as the crow walks. */
static void add_press(struct bot_view *v, unsigned f, uint16_t from)
{
    const struct rules_board *b = v->m->b;
    const int far = (int)rules_allowance(b, f, false);
    const int x0 = from % b->w, y0 = from / b->w;

    for (int dy = -far; dy <= far; dy++) {
        const int wide = far - (dy < 0 ? -dy : dy), y = y0 + dy;

        if (y < 0 || y >= b->h)
            continue;
        for (int x = MAX(x0 - wide, 0); x <= MIN(x0 + wide, b->w - 1); x++)
            v->press[y * b->w + x]++;
    }
}

/* What the lines from each square are worth if enemies go where they can. */
static void lay_cover(struct bot_view *v)
{
    const struct bot_map *m = v->m;
    const int ahead[4] = {m->b->w, 1, -m->b->w, -1};
    unsigned chance[RULES_PATH_MAX + 1];

    for (unsigned range = 0; range <= RULES_PATH_MAX; range++)
        chance[range] = bot_kill_chance(m->b, range);
    for (unsigned sq = 0; sq < rules_squares(m->b); sq++)
        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            unsigned sum = 0;

            for (int range = 2; range <= m->beam[sq][d]; range++)
                sum += chance[range] * MIN(v->press[(int)sq + range * ahead[d]], 2U);
            v->cover[sq][d] = (uint8_t)MIN(sum / 80, 255U); /* a fifth of 100 points, /4 */
        }
}

/* Lines of fire of every enemy that may fire in its next phase, and of ours at it. */
static void lay_lines(struct bot_view *v, const struct rules_state *s)
{
    const struct rules_board *b = v->m->b;

    for (unsigned f = 0; f < b->n_figures; f++) {
        const uint16_t sq = s->at[f];

        if (sq == RULES_NO_SQUARE || b->figure[f].side == v->me)
            continue;
        if (rules_is_soldier((enum rules_type)b->figure[f].type) && s->status[f] != RULES_ROUTING)
            add_press(v, f, sq);
        if (s->rank[f] == 1 && b->figure[f].type != RULES_WAGON) {
            mark_near(v, sq);
            add_shots(v, sq, v->m->value[f]);
        }
        if (s->rank[f] <= RULES_FRONT && rules_is_soldier((enum rules_type)b->figure[f].type) &&
            s->status[f] != RULES_RETREATING && s->status[f] != RULES_ROUTING)
            add_danger(v, sq, (enum rules_dir)s->face[f], 1);
    }
}

/* A wagon can't be harmed, only stood before: the next squares of its way are what to reach. */
static void block_way(struct bot_view *v, const struct rules_state *s, unsigned f)
{
    const enum rules_side side = (enum rules_side)v->m->b->figure[f].side;
    const uint8_t *way = v->m->goal[side][v->m->runs[f] - 1][BOT_WHEELS];
    uint16_t at = s->at[f];

    for (unsigned i = 0; i < ROAD_AHEAD; i++) {
        uint16_t best = RULES_NO_SQUARE;

        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            const uint16_t to = v->m->next[at][d];

            if (to != RULES_NO_SQUARE && way[to] < way[at] &&
                (best == RULES_NO_SQUARE || way[to] < way[best]))
                best = to;
        }
        if (best == RULES_NO_SQUARE)
            return;
        at = best;
        if (v->count[at] == 0 || v->foe[at] == 0)
            bot_flood_source(&v->flood, at, i == 0 ? 1 : 0);
    }
}

static void build_chase(struct bot_view *v, const struct rules_state *s)
{
    const struct rules_board *b = v->m->b;
    bool better = false;

    for (unsigned f = 0; f < b->n_figures; f++)
        better |= b->figure[f].side != v->me && s->at[f] != RULES_NO_SQUARE && v->m->marked[f] != 0;
    bot_flood_begin(&v->flood, v->m, v->chase);
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side == v->me || s->at[f] == RULES_NO_SQUARE)
            continue;
        v->has_foe = 1;
        if (b->figure[f].type == RULES_WAGON) {
            if (v->m->runs[f] != 0)
                block_way(v, s, f);
        } else if (v->m->marked[f] != 0) {
            bot_flood_source(&v->flood, s->at[f], 0);
        } else if (rules_is_soldier((enum rules_type)b->figure[f].type)) {
            bot_flood_source(&v->flood, s->at[f], better ? OFF_COMMON : 0);
        }
    }
    bot_flood_run(&v->flood, v->m, BOT_FOOT, v->foe);
}

/* Does one of my soldiers, not routing, stand there? */
static bool is_mine(const struct bot_view *v, const struct rules_state *s, uint16_t sq)
{
    return v->owner[sq] == v->me && s->status[v->top[sq]] != RULES_ROUTING &&
           rules_is_soldier((enum rules_type)v->m->b->figure[v->top[sq]].type);
}

/* Posts (bot_map) where none of mine stands yet. */
static void build_need(struct bot_view *v, const struct rules_state *s)
{
    v->has_need = v->m->controls[v->me];
    if (v->has_need == 0)
        return;
    bot_flood_begin(&v->flood, v->m, v->need);
    for (unsigned sq = 0; sq < rules_squares(v->m->b); sq++)
        if (v->m->post[v->me][sq] != 0 && !is_mine(v, s, (uint16_t)sq))
            bot_flood_source(&v->flood, (uint16_t)sq, 0);
    v->has_need = v->flood.len > 0;
    bot_flood_run(&v->flood, v->m, BOT_FOOT, v->foe);
}

void bot_view_build(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                    enum rules_side me)
{
    v->m = m;
    v->me = me;
    v->has_foe = 0;
    put_figures(v, s);
    lay_lines(v, s);
    lay_cover(v);
    build_chase(v, s);
    build_need(v, s);
}

/* Count a square anew. */
static void recount(struct bot_view *v, const struct rules_state *s, uint16_t sq)
{
    v->count[sq] = 0;
    v->owner[sq] = RULES_NOBODY;
    for (unsigned f = 0; f < v->m->b->n_figures; f++) {
        if (s->at[f] != sq)
            continue;
        v->count[sq]++;
        v->owner[sq] = v->m->b->figure[f].side;
        if (s->rank[f] == 1)
            v->top[sq] = (uint8_t)f;
    }
}

void bot_view_moved(struct bot_view *v, const struct rules_state *s, uint16_t from, uint16_t to)
{
    recount(v, s, from);
    if (to != RULES_NO_SQUARE)
        recount(v, s, to);
}
