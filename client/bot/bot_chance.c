/* SPDX-License-Identifier: ISC
 * bot_chance.c -- how likely a side is to win from a position.
 *
 * A logistic model over traits that any scenario has. The weights are fitted to the positions at
 * the turns' beginnings in games of sergeants over the shipped scenarios; a chance, unlike points,
 * says when to dare and when to be content.
 */
#include "client/bot/bot_internal.h"

#define ONE 1000 /* a whole, of a trait */

/* Thousandths of log2, straight between powers of two. */
static int log2_milli(int x)
{
    int k = 0;

    if (x < 1)
        return 0;
    while (x >> (k + 1) != 0)
        k++;
    return k * ONE + (int)((int64_t)(x - (1 << k)) * ONE >> k);
}

static void force_traits(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                         int *t)
{
    int points = 40, heads = 0, shaken = 0, roster = MAX(m->b->side[side].soldiers, 1);

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        const enum rules_status status = (enum rules_status)s->status[f];

        if (m->b->figure[f].side != side ||
            !rules_is_soldier((enum rules_type)m->b->figure[f].type) ||
            (s->at[f] == RULES_NO_SQUARE && status != RULES_DUE))
            continue;
        heads++;
        if (m->b->figure[f].commander != 0 && status != RULES_ROUTING)
            t[BOT_T_LEADER] = ONE;
        if (status == RULES_ROUTING) {
            shaken += 2;
            continue;
        }
        shaken += status == RULES_HALTED || status == RULES_RETREATING;
        points += m->b->figure[f].type == RULES_MOUNTED ? 125 : 100;
    }
    t[BOT_T_FORCE] = log2_milli(points);
    t[BOT_T_HEADS] = ONE * heads / roster;
    t[BOT_T_SHAKEN] = ONE * shaken / roster;
    t[BOT_T_TESTING] = (s->testing >> side & 1) != 0 ? ONE : 0;
}

/* How many of an exit's or reach's figures may still do it, above those that must; and whether the
 * nearest can in time. */
static void runner_traits(const struct bot_map *m, const struct rules_state *s,
                          enum rules_side side, unsigned w, int *t)
{
    const struct rules_win *win = &m->b->side[side].win[w];
    const int needed = win->kind == RULES_WIN_EXIT ? MAX(win->count, 1) : 1;
    const unsigned left = 10U * (unsigned)(m->b->turns - MIN(s->turn, m->b->turns) + 1);
    int able = 0, in_time = 0;

    for (unsigned f = 0; f < m->b->n_figures; f++) {
        const enum bot_mover by = m->b->figure[f].type == RULES_WAGON ? BOT_WHEELS : BOT_FOOT;
        const unsigned speed = MAX(rules_allowance(m->b, f, false), 1U);

        if ((win->figures[f / 64] >> (f % 64) & 1) == 0 || s->status[f] == RULES_DEAD ||
            s->status[f] == RULES_ROUTING ||
            (s->status[f] == RULES_LEFT && s->left_by[f] != win->edge))
            continue;
        able++;
        in_time +=
            s->at[f] == RULES_NO_SQUARE || m->goal[side][w][by][s->at[f]] * 10U / speed <= left;
    }
    t[BOT_T_SPARE] += ONE * MIN(able - needed, needed) / needed;
    t[BOT_T_LATE] += in_time < needed ? ONE : 0;
}

static void win_traits(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                       int *t)
{
    const struct rules_board_side *bs = &m->b->side[side];

    for (unsigned w = 0; w < bs->n_wins; w++) {
        const int value = bot_win_value(m, s, side, w) * 10 / 8;

        switch ((enum rules_win_kind)bs->win[w].kind) {
        case RULES_WIN_EXIT:
            t[BOT_T_EXIT] += value;
            runner_traits(m, s, side, w, t);
            break;
        case RULES_WIN_REACH:
            t[BOT_T_REACH] += value;
            runner_traits(m, s, side, w, t);
            break;
        case RULES_WIN_HOLD:
            t[BOT_T_HOLD] += value;
            break;
        case RULES_WIN_BASELINE:
            t[BOT_T_BASELINE] += value;
            break;
        case RULES_WIN_KILL:
            t[BOT_T_KILL] += value;
            break;
        case RULES_WIN_SURVIVE:
            t[BOT_T_SURVIVE] += ONE * s->turn / MAX(bs->win[w].turn, 1);
            break;
        case RULES_WIN_ELIMINATE:
        case RULES_WIN_COUNT:
            break;
        }
    }
    if (bs->limit_winner != 0)
        t[BOT_T_LIMIT] = ONE * s->turn / m->b->turns;
}

/* Soldiers of the enemy that hand-to-hand as things stand would kill, on average, if all die apart. */
static int melee_trait(const struct bot_view *v, const struct rules_state *s, unsigned f)
{
    const struct rules_board *b = v->m->b;
    const unsigned x = s->at[f] % b->w, y = s->at[f] / b->w;
    int sum = 0;

    for (unsigned ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < b->h; ny++)
        for (unsigned nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < b->w; nx++) {
            const unsigned sq = ny * b->w + nx, foe = v->top[sq];
            unsigned wins, loses;

            if (v->count[sq] == 0 || v->owner[sq] == b->figure[f].side ||
                b->figure[foe].type == RULES_WAGON)
                continue;
            rules_odds_pairing(rules_melee_bonus(b, s, f, foe), rules_melee_bonus(b, s, foe, f),
                               &wins, &loses);
            sum += ONE * (int)wins / 72;
        }
    return sum;
}

static void side_traits(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                        enum rules_side side, int t[BOT_TRAITS])
{
    memset(t, 0, sizeof(t[0]) * BOT_TRAITS);
    force_traits(m, s, side, t);
    win_traits(m, s, side, t);
    t[BOT_T_TEMPO] = s->active == side ? ONE : 0;
    t[s->active == side ? BOT_T_AIM : BOT_T_WATCH] = 10 * bot_lines_value(v, s, side);
    for (unsigned f = 0; f < m->b->n_figures; f++)
        if (m->b->figure[f].side == side && s->at[f] != RULES_NO_SQUARE && s->rank[f] == 1 &&
            m->b->figure[f].type != RULES_WAGON)
            t[BOT_T_MELEE] += melee_trait(v, s, f);
}

void bot_traits(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                enum rules_side side, int out[BOT_TRAITS])
{
    int foe[BOT_TRAITS];

    bot_view_place(v, m, s);
    side_traits(v, m, s, side, out);
    side_traits(v, m, s, rules_enemy(side), foe);
    for (unsigned i = 0; i < BOT_TRAITS; i++)
        out[i] -= foe[i];
}

/* Thousandths of the logit per whole of a trait. */
static const int16_t weights[BOT_TRAITS] = {
    [BOT_T_FORCE] = 350,    [BOT_T_HEADS] = 4650, [BOT_T_TESTING] = -270, [BOT_T_SHAKEN] = -200,
    [BOT_T_LEADER] = 260,   [BOT_T_EXIT] = 4350,  [BOT_T_REACH] = 500,    [BOT_T_HOLD] = 1650,
    [BOT_T_BASELINE] = 100, [BOT_T_KILL] = 800,   [BOT_T_SURVIVE] = 3500, [BOT_T_LIMIT] = 500,
    [BOT_T_AIM] = 340,      [BOT_T_WATCH] = 270,
};

static int logit(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                 enum rules_side side)
{
    int t[BOT_TRAITS];
    int64_t sum = 0;

    bot_traits(v, m, s, side, t);
    for (unsigned i = 0; i < BOT_TRAITS; i++)
        sum += (int64_t)weights[i] * t[i];
    return (int)(sum / ONE);
}

/* 1 / (1 + e^-x) of BOT_WON, x in thousandths. */
static int logistic(int x)
{
    static const uint16_t half[] = {5000, 6225, 7311, 8176, 8808, 9241, 9526, 9707,
                                    9820, 9890, 9933, 9959, 9975, 9985, 9991};
    const int far = x < 0 ? -x : x, i = far / 500;
    int p = half[ARRAY_LEN(half) - 1];

    if (i + 1 < (int)ARRAY_LEN(half))
        p = half[i] + (half[i + 1] - half[i]) * (far % 500) / 500;
    return x < 0 ? BOT_WON - p : p;
}

int bot_chance(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
               enum rules_side side)
{
    if (rules_is_over(s)) {
        if (s->winner == RULES_NOBODY)
            return BOT_WON / 2;
        return s->winner == side ? BOT_WON : 0;
    }
    return logistic(logit(v, m, s, side) - (side == RULES_A ? m->start : -m->start));
}

void bot_chance_begin(struct bot_view *v, struct bot_map *m)
{
    struct rules_state s;

    rules_begin(m->b, &s);
    m->start = logit(v, m, &s, RULES_A);
}
