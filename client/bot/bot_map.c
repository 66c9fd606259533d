/* SPDX-License-Identifier: ISC
 * bot_map.c -- what a board is to a bot: neighbours, distances to what wins, worth of figures.
 */
#include "client/bot/bot_internal.h"
#include "common/base/mem.h"

#define STEP_WALL  2 /* steps more for an obstacle: it takes the whole turn */
#define STEP_CLIMB 1

/* ---- fields ---- */

void bot_flood_begin(struct bot_flood *f, const struct bot_map *m, uint8_t *dist)
{
    f->dist = dist;
    f->head = 0;
    f->len = 0;
    memset(dist, BOT_FAR, rules_squares(m->b));
    memset(f->queued, 0, rules_squares(m->b));
}

static void enqueue(struct bot_flood *f, uint16_t sq)
{
    if (f->queued[sq] != 0)
        return;
    f->queued[sq] = 1;
    f->queue[(f->head + f->len) % RULES_SQUARES_MAX] = sq;
    f->len++;
}

void bot_flood_source(struct bot_flood *f, uint16_t sq, unsigned dist)
{
    if (dist >= f->dist[sq])
        return;
    f->dist[sq] = (uint8_t)dist;
    enqueue(f, sq);
}

/* What a step from `to` to `from` costs (a field is walked from its sources outward). */
static uint8_t step_cost(const struct bot_map *m, uint16_t from, uint16_t to, unsigned back,
                         enum bot_mover by)
{
    const struct rules_board *b = m->b;

    if (by == BOT_WHEELS && (b->ground[to] != RULES_ROAD || (m->walls[to] >> back & 1) != 0))
        return BOT_FAR;
    return (uint8_t)(1U + ((m->walls[to] >> back & 1) != 0 ? STEP_WALL : 0U) +
                     (b->height[from] > b->height[to] ? STEP_CLIMB : 0U));
}

void bot_flood_run(struct bot_flood *f, const struct bot_map *m, enum bot_mover by,
                   const uint8_t *shut)
{
    while (f->len > 0) {
        const uint16_t sq = f->queue[f->head];

        f->head = (f->head + 1) % RULES_SQUARES_MAX;
        f->len--;
        f->queued[sq] = 0;
        if (shut != NULL && shut[sq] != 0 && f->dist[sq] != 0)
            continue;
        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            const uint16_t to = m->next[sq][d];
            unsigned dist;

            if (to == RULES_NO_SQUARE)
                continue;
            dist = (unsigned)f->dist[sq] + m->cost[by][sq][d];
            if (dist < f->dist[to] && dist < BOT_FAR) {
                f->dist[to] = (uint8_t)dist;
                enqueue(f, to);
            }
        }
    }
}

/* ---- fixed goals ---- */

static bool has_field(enum rules_win_kind kind)
{
    return kind == RULES_WIN_EXIT || kind == RULES_WIN_HOLD || kind == RULES_WIN_BASELINE ||
           kind == RULES_WIN_REACH;
}

static void add_edge(struct bot_flood *f, const struct bot_map *m, enum rules_dir edge,
                     enum bot_mover by, unsigned dist)
{
    for (unsigned sq = 0; sq < rules_squares(m->b); sq++)
        if (rules_edge_distance(m->b, (uint16_t)sq, edge) == 0 &&
            !rules_is_impassable(m->b, (uint16_t)sq) &&
            (by == BOT_FOOT || m->b->ground[sq] == RULES_ROAD))
            bot_flood_source(f, (uint16_t)sq, dist);
}

static uint8_t *new_field(const struct bot_map *m, enum rules_side side,
                          const struct rules_win *win, enum bot_mover by)
{
    const struct rules_board *b = m->b;
    uint8_t *dist = mem_alloc(rules_squares(b));
    struct bot_flood *f = mem_alloc(sizeof(*f));

    bot_flood_begin(f, m, dist);
    if (win->kind == RULES_WIN_EXIT)
        add_edge(f, m, (enum rules_dir)win->edge, by, 1); /* the step off is one more */
    else if (win->kind == RULES_WIN_BASELINE)
        add_edge(f, m, (enum rules_dir)b->side[rules_enemy(side)].home, by, 0);
    for (unsigned i = 0; i < win->n; i++)
        bot_flood_source(f, b->list[win->list + i], 0);
    bot_flood_run(f, m, by, NULL);
    mem_free(f);
    return dist;
}

/* ---- what the conditions make of figures and sides ---- */

static bool in_set(const uint64_t *set, unsigned f)
{
    return (set[f / 64] >> (f % 64) & 1) != 0;
}

static void mark_figures(struct bot_map *m, enum rules_side side, unsigned w)
{
    const struct rules_win *win = &m->b->side[side].win[w];

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        if (!in_set(win->figures, f))
            continue;
        if (win->kind == RULES_WIN_KILL) {
            m->marked[f] = 1;
            m->value[f] = (int16_t)(m->value[f] + (m->b->figure[f].side != side ? 160 : 0));
        } else if ((win->kind == RULES_WIN_EXIT || win->kind == RULES_WIN_REACH) &&
                   m->b->figure[f].side == side) {
            m->marked[f] = 1;
            if (m->runs[f] == 0)
                m->runs[f] = (uint8_t)(w + 1);
        }
    }
}

static void value_figures(struct bot_map *m)
{
    static const int16_t worth[RULES_TYPE_COUNT] = {
        [RULES_IRREGULAR] = 100, [RULES_REGULAR] = 100, [RULES_MOUNTED] = 125};

    for (unsigned f = 0; f < m->b->n_figures; f++)
        m->value[f] =
            (int16_t)(worth[m->b->figure[f].type] + (m->b->figure[f].commander != 0 ? 40 : 0));
}

static void mark_posts(struct bot_map *m, enum rules_side side, const struct rules_win *win)
{
    m->controls[side] = 1;
    for (unsigned i = 0; i < win->n; i++)
        m->post[side][m->b->list[win->list + i]] = 1;
}

static void read_wins(struct bot_map *m, enum rules_side side)
{
    const struct rules_board_side *bs = &m->b->side[side];
    bool active = false;

    m->patient[side] = bs->limit_winner;
    for (unsigned w = 0; w < bs->n_wins; w++) {
        const struct rules_win *win = &bs->win[w];

        mark_figures(m, side, w);
        if (has_field((enum rules_win_kind)win->kind))
            for (unsigned by = BOT_FOOT; by < BOT_MOVERS; by++)
                m->goal[side][w][by] = new_field(m, side, win, (enum bot_mover)by);
        if (win->kind == RULES_WIN_HOLD)
            mark_posts(m, side, win);
        if (win->kind == RULES_WIN_HOLD || win->kind == RULES_WIN_REACH)
            mark_posts(m, rules_enemy(side), win);
        m->patient[side] |= win->kind == RULES_WIN_SURVIVE;
        active |= win->kind != RULES_WIN_SURVIVE && win->kind != RULES_WIN_ELIMINATE;
    }
    m->waits[side] = m->patient[side] != 0 && !active;
}

/* Over squares that may be walked only, and that are no higher than the firer's. */
static uint8_t beam_from(const struct bot_map *m, uint16_t sq, unsigned d)
{
    const unsigned reach = m->b->scale == RULES_1IN ? 5 : 3;
    uint16_t at = m->next[sq][d];
    unsigned far = 0;

    for (unsigned range = 2; range <= reach && at != RULES_NO_SQUARE; range++) {
        if (m->dark[at] != 0 || m->b->height[at] > m->b->height[sq])
            break;
        at = m->next[at][d];
        if (at != RULES_NO_SQUARE)
            far = range;
    }
    return (uint8_t)far;
}

static void lay_costs(struct bot_map *m)
{
    for (unsigned sq = 0; sq < rules_squares(m->b); sq++)
        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            const uint16_t to = m->next[sq][d];

            for (unsigned by = BOT_FOOT; to != RULES_NO_SQUARE && by < BOT_MOVERS; by++)
                m->cost[by][sq][d] =
                    step_cost(m, (uint16_t)sq, to, (d + 2) % 4, (enum bot_mover)by);
        }
}

void bot_map_init(struct bot_map *m, const struct rules_board *b)
{
    memset(m, 0, sizeof(*m));
    m->b = b;
    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        m->dark[sq] = b->ground[sq] == RULES_WOODS || b->ground[sq] == RULES_BUILDING ||
                      b->ground[sq] == RULES_VEHICLE;
        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            const uint16_t to = rules_step(b, (uint16_t)sq, (enum rules_dir)d);

            m->next[sq][d] =
                to == RULES_NO_SQUARE || rules_is_impassable(b, to) ? RULES_NO_SQUARE : to;
            if (rules_obstacle_at(b, (uint16_t)sq, (enum rules_dir)d) != RULES_CLEAR)
                m->walls[sq] |= (uint8_t)(1U << d);
        }
    }
    for (unsigned sq = 0; sq < rules_squares(b); sq++)
        for (unsigned d = RULES_N; d <= RULES_W; d++)
            m->beam[sq][d] = beam_from(m, (uint16_t)sq, d);
    lay_costs(m);
    value_figures(m);
    read_wins(m, RULES_A);
    read_wins(m, RULES_B);
}

void bot_map_fini(struct bot_map *m)
{
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        for (unsigned w = 0; w < RULES_WINS_MAX; w++)
            for (unsigned by = BOT_FOOT; by < BOT_MOVERS; by++)
                mem_free(m->goal[side][w][by]);
}
