/* SPDX-License-Identifier: ISC
 * bot_judge.c -- what a position is worth: soldiers, and how near each side is to each way to win.
 */
#include "client/bot/bot_internal.h"

/* `most`, less with each turn that it still takes: half after `half` turns. In tenths of a turn. */
static int nearness(int most, int half, int tenths)
{
    return most * half * 10 / (half * 10 + tenths);
}

static int turns_for(const struct bot_map *m, unsigned f, unsigned steps)
{
    return (int)(steps * 10 / MAX(rules_allowance(m->b, f, false), 1U));
}

/* Keep the `n` highest in best[], highest first. */
static void keep(int *best, unsigned n, int value)
{
    unsigned i = n;

    if (n == 0 || value <= best[n - 1])
        return;
    for (; i > 1 && best[i - 2] < value; i--)
        best[i - 1] = best[i - 2];
    best[i - 1] = value;
}

static int average(const int *best, unsigned n)
{
    int sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += best[i];
    return n == 0 ? 0 : sum / (int)n;
}

static const uint8_t *field_of(const struct bot_map *m, enum rules_side side, unsigned w,
                               unsigned f)
{
    return m->goal[side][w][m->b->figure[f].type == RULES_WAGON ? BOT_WHEELS : BOT_FOOT];
}

/* exit and reach: how far the best `count` of the named are, 0 to 800. */
static int run_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                     unsigned w)
{
    const struct rules_win *win = &m->b->side[side].win[w];
    const unsigned n = win->kind == RULES_WIN_EXIT ? win->count : 1U;
    int best[RULES_FIGURES_MAX] = {0};

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        if ((win->figures[f / 64] >> (f % 64) & 1) == 0)
            continue;
        if (s->status[f] == RULES_LEFT && s->left_by[f] == win->edge)
            keep(best, n, 800);
        else if (s->status[f] == RULES_DUE)
            keep(best, n, 100);
        else if (s->at[f] != RULES_NO_SQUARE && s->status[f] != RULES_ROUTING)
            keep(best, n, nearness(700, 8, turns_for(m, f, field_of(m, side, w, f)[s->at[f]])));
    }
    return best[n - 1] == 0 ? 0 : average(best, n);
}

static bool is_fit(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                   unsigned f)
{
    return m->b->figure[f].side == side && s->at[f] != RULES_NO_SQUARE &&
           s->status[f] != RULES_ROUTING && rules_is_soldier((enum rules_type)m->b->figure[f].type);
}

static int baseline_value(const struct bot_map *m, const struct rules_state *s,
                          enum rules_side side, unsigned w)
{
    const unsigned n = (m->b->side[side].soldiers + 1U) / 2;
    int best[RULES_FIGURES_MAX] = {0};

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        int tenths;

        if (!is_fit(m, s, side, f))
            continue;
        tenths = turns_for(m, f, m->goal[side][w][BOT_FOOT][s->at[f]]);
        keep(best, n, tenths == 0 ? 350 : nearness(250, 3, tenths));
    }
    return average(best, n);
}

/* One square of a hold: ours, or how near our nearest is; 0 to 700. */
static int post_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                      uint16_t sq)
{
    int best = 0;

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        int dx, dy, far;

        if (!is_fit(m, s, side, f))
            continue;
        dx = (int)(s->at[f] % m->b->w) - (int)(sq % m->b->w);
        dy = (int)(s->at[f] / m->b->w) - (int)(sq / m->b->w);
        far = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
        keep(&best, 1, far == 0 ? 700 : nearness(400, 4, turns_for(m, f, (unsigned)far)));
    }
    return best;
}

static int hold_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                      const struct rules_win *win)
{
    int sum = 0;

    if (win->turn != 0 && win->turn < s->turn)
        return 0;
    for (unsigned i = 0; i < win->n; i++)
        sum += post_value(m, s, side, m->b->list[win->list + i]);
    sum /= MAX(win->n, 1);
    return win->turn == 0 ? sum : sum * 10 / (10 + (win->turn - s->turn));
}

static int kill_value(const struct bot_map *m, const struct rules_state *s,
                      const struct rules_win *win)
{
    int dead = 0, all = 0;

    for (unsigned f = 0; f < m->b->n_figures; f++)
        if ((win->figures[f / 64] >> (f % 64) & 1) != 0) {
            all++;
            dead += s->status[f] == RULES_DEAD;
        }
    return all == 0 ? 0 : 300 * dead / all;
}

/* Points of soldiers still there or to come, shaken ones for less; *left of *all of them. */
static int force_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                       int *left, int *all)
{
    int sum = 0;

    *left = *all = 0;
    for (unsigned f = 0; f < m->b->n_figures; f++) {
        const bool soldier = rules_is_soldier((enum rules_type)m->b->figure[f].type);

        if (m->b->figure[f].side != side)
            continue;
        *all += soldier;
        if (s->at[f] == RULES_NO_SQUARE && s->status[f] != RULES_DUE)
            continue;
        *left += soldier;
        if (s->status[f] == RULES_ROUTING)
            sum += m->value[f] * 15 / 100;
        else if (s->status[f] == RULES_RETREATING || s->status[f] == RULES_HALTED)
            sum += m->value[f] * 80 / 100;
        else
            sum += m->value[f];
    }
    return (s->testing >> side & 1) != 0 ? sum - 120 : sum;
}

int bot_win_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                  unsigned w)
{
    const struct rules_win *win = &m->b->side[side].win[w];

    switch ((enum rules_win_kind)win->kind) {
    case RULES_WIN_EXIT:
    case RULES_WIN_REACH:
        return run_value(m, s, side, w);
    case RULES_WIN_HOLD:
        return hold_value(m, s, side, win);
    case RULES_WIN_BASELINE:
        return baseline_value(m, s, side, w);
    case RULES_WIN_KILL:
        return kill_value(m, s, win);
    case RULES_WIN_SURVIVE:
        return 400 * s->turn / win->turn;
    case RULES_WIN_ELIMINATE:
    case RULES_WIN_COUNT:
        break;
    }
    return 0;
}

/* One side's part. */
static int side_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side)
{
    const struct rules_board_side *bs = &m->b->side[side];
    int left, all, best = 0;
    int sum = force_value(m, s, side, &left, &all);

    all = MAX(all, 1); /* every side has a soldier: R6 */
    sum -= 300 * (all - left) * (all - left) / (all * all);
    for (unsigned w = 0; w < bs->n_wins; w++) {
        const int value = bot_win_value(m, s, side, w);

        sum += value / 4;
        best = MAX(best, value);
    }
    return sum + best + (bs->limit_winner != 0 ? 400 * s->turn / m->b->turns : 0);
}

int bot_lines_value(const struct bot_view *v, const struct rules_state *s, enum rules_side side)
{
    const struct rules_board *b = v->m->b;
    int sum = 0;

    for (unsigned f = 0; f < b->n_figures; f++) {
        unsigned range;
        uint16_t at;

        if (b->figure[f].side != side || s->at[f] == RULES_NO_SQUARE || s->rank[f] > RULES_FRONT ||
            s->status[f] != RULES_READY || !rules_is_soldier((enum rules_type)b->figure[f].type))
            continue;
        at = bot_view_target(v, s->at[f], (enum rules_dir)s->face[f], &range);
        if (at != RULES_NO_SQUARE && v->owner[at] != side)
            sum += (int)bot_kill_chance(b, range) * v->m->value[v->top[at]] / 1000;
    }
    return sum;
}

/* Most of them count for who moves next. */
static int lines_value(const struct bot_view *v, const struct rules_state *s, enum rules_side side)
{
    return bot_lines_value(v, s, side) * (s->active == side ? 9 : 4) / 10;
}

int bot_judge(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
              enum rules_side side)
{
    const enum rules_side enemy = rules_enemy(side);
    int value;

    if (rules_is_over(s)) {
        if (s->winner == RULES_NOBODY)
            return 0;
        return s->winner == side ? BOT_WON : -BOT_WON;
    }
    bot_view_place(v, m, s);
    value = side_value(m, s, side) - side_value(m, s, enemy) + lines_value(v, s, side) -
            lines_value(v, s, enemy);
    return MIN(MAX(value, -BOT_WON / 2), BOT_WON / 2);
}
