/* SPDX-License-Identifier: ISC
 * bot_score.c -- what a place, a facing and a volley are worth to a figure, in tenths of a point.
 */
#include "client/bot/bot_internal.h"

#define FAR_ENOUGH 60 /* steps beyond which an enemy is simply far */

static const struct bot_weights weights[BOT_STYLES] = {
    [BOT_BALANCED] = {90, 60, 150, 6, 5, 10, 0, 10, 2, 0},
    [BOT_RACE] = {260, 10, 300, 3, 2, 6, 0, 5, 1, 0},
    [BOT_HUNT] = {20, 120, 40, 4, 6, 10, 20, 12, 1, 0},
    [BOT_HOLD] = {0, 8, 60, 7, 6, 10, -10, 14, 3, -5},
    [BOT_CAREFUL] = {40, 25, 80, 14, 8, 12, -100, 10, 3, -10},
    [BOT_CHARGE] = {40, 160, 60, 1, 2, 12, 160, 6, 0, 0},
    [BOT_BACK] = {0, -90, 30, 14, 3, 10, -120, 6, 2, -20},
    [BOT_PLAIN] = {110, 80, 150, 0, 1, 0, 0, 20, 0, 0},
};

void bot_ask(struct bot_asked *q, const struct bot_view *v, const struct rules_state *s,
             const struct bot_plan *plan, unsigned figure)
{
    const struct rules_board *b = v->m->b;
    const unsigned w = b->w;
    unsigned best = UINT16_MAX;

    q->view = v;
    q->s = s;
    q->plan = plan;
    q->figure = (uint8_t)figure;
    q->group = 1;
    q->style = plan->style[figure];
    q->from = s->at[figure];
    q->look = RULES_NO_DIR;
    q->allowance = (uint8_t)MAX(rules_allowance(b, figure, false), 1U);
    for (unsigned f = 0; f < b->n_figures; f++) {
        int dx, dy, ax, ay;

        if (s->at[f] == RULES_NO_SQUARE || b->figure[f].side == v->me)
            continue;
        dx = (int)(s->at[f] % w) - (int)(q->from % w);
        dy = (int)(s->at[f] / w) - (int)(q->from / w);
        ax = dx < 0 ? -dx : dx;
        ay = dy < 0 ? -dy : dy;
        if ((unsigned)(ax + ay) >= best)
            continue;
        best = (unsigned)(ax + ay);
        q->look = (uint8_t)(ax > ay ? (dx > 0 ? RULES_E : RULES_W) : (dy > 0 ? RULES_N : RULES_S));
    }
}

/* Tenths of a turn for `steps`. */
static int turns(const struct bot_asked *q, unsigned steps)
{
    return (int)(MIN(steps, (unsigned)BOT_FAR) * 10 / q->allowance);
}

/* Progress of a figure that itself has to get somewhere. */
static int runner_score(const struct bot_asked *q, uint16_t sq)
{
    const struct bot_map *m = q->view->m;
    const enum bot_mover by = m->b->figure[q->figure].type == RULES_WAGON ? BOT_WHEELS : BOT_FOOT;
    const uint8_t *field = m->goal[q->view->me][m->runs[q->figure] - 1][by];
    const int weight = MAX(weights[q->style].goal, 40) * 2;

    if (by == BOT_WHEELS) /* nothing harms it: it always goes on */
        return -300 * turns(q, field[sq]) / 10;
    return -weight * turns(q, field[sq]) / 10;
}

/* Progress towards the enemy's baseline; 0 where no condition asks for it. */
static int baseline_score(const struct bot_asked *q, uint16_t sq)
{
    const struct bot_map *m = q->view->m;
    const struct rules_board_side *bs = &m->b->side[q->view->me];

    for (unsigned w = 0; w < bs->n_wins; w++)
        if (bs->win[w].kind == RULES_WIN_BASELINE)
            return -weights[q->style].goal * turns(q, m->goal[q->view->me][w][BOT_FOOT][sq]) / 10;
    return 0;
}

static int soldier_score(const struct bot_asked *q, uint16_t sq)
{
    const struct bot_view *v = q->view;
    const struct bot_weights *w = &weights[q->style];
    int score = baseline_score(q, sq);

    if (v->has_foe != 0)
        score -= w->chase * turns(q, MIN(v->chase[sq], FAR_ENOUGH)) / 10;
    if (v->has_need != 0)
        score -= w->need * turns(q, MIN(v->need[sq], FAR_ENOUGH)) / 10;
    if (v->m->post[v->me][sq] != 0 &&
        (sq == q->from ? v->count[sq] <= q->group : v->count[sq] == 0))
        score += w->need * 4;
    return score;
}

/* In 3in the first three of a square fight, so company is good up to there. */
static int crowd_score(const struct bot_asked *q, uint16_t sq)
{
    const unsigned others = q->view->count[sq] - (sq == q->from ? q->group : 0U);
    const unsigned all = others + q->group;

    if (q->view->m->b->scale == RULES_1IN || others == 0)
        return 0;
    return all <= RULES_FRONT ? 30 : -20 * (int)(all - RULES_FRONT);
}

int bot_place_score(const struct bot_asked *q, uint16_t sq)
{
    const struct bot_view *v = q->view;
    const struct bot_weights *w = &weights[q->style];
    const enum rules_type type = (enum rules_type)v->m->b->figure[q->figure].type;
    int score = crowd_score(q, sq);

    if (rules_is_soldier(type))
        score += w->press * v->press[sq];
    if (type != RULES_WAGON)
        score -= (int)v->danger[sq] * MAX(v->m->value[q->figure], 60) / 1000 * w->danger;
    if (v->m->runs[q->figure] != 0)
        score += runner_score(q, sq);
    else if (rules_is_soldier(type))
        score += soldier_score(q, sq);
    else if (type == RULES_CIVILIAN && v->has_foe != 0) /* keeps away */
        score += 40 * turns(q, MIN(v->chase[sq], 8U)) / 10 - 100 * (v->near[sq] != 0);
    return score + (v->near[sq] != 0 ? w->contact * v->near[sq] : 0);
}

/* Is `sq` one of the three squares ahead of one in `at` who faces `face` (R28)? */
static bool is_ahead(const struct rules_board *b, uint16_t at, unsigned face, uint16_t sq)
{
    const int dx = (int)(sq % b->w) - (int)(at % b->w);
    const int dy = (int)(sq / b->w) - (int)(at / b->w);

    return (face == RULES_N && dy == 1) || (face == RULES_E && dx == 1) ||
           (face == RULES_S && dy == -1) || (face == RULES_W && dx == -1);
}

/* What a pairing with the enemy in `foe` is worth on average, in points, from `sq` facing so. */
static int pairing_score(const struct bot_asked *q, uint16_t sq, unsigned face, uint16_t foe)
{
    /* wins of 36 by bonus difference -2..2; losses are those of the opposite difference */
    static const int wins[5] = {6, 10, 15, 21, 26};
    const struct bot_map *m = q->view->m;
    const unsigned f = q->view->top[foe];
    const bool ahead = is_ahead(m->b, sq, face, foe);
    const bool behind = is_ahead(m->b, foe, q->s->face[f], sq);
    int diff = (m->b->figure[q->figure].type == RULES_MOUNTED) -
               (m->b->figure[f].type == RULES_MOUNTED) + (ahead && !behind) - (behind && !ahead);

    diff = MIN(MAX(diff, -2), 2);
    return (wins[diff + 2] * m->value[f] - wins[2 - diff] * m->value[q->figure]) / 72;
}

static int melee_score(const struct bot_asked *q, uint16_t sq, unsigned face)
{
    const struct rules_board *b = q->view->m->b;
    const unsigned x = sq % b->w, y = sq / b->w;
    int sum = 0;

    for (unsigned ny = y > 0 ? y - 1 : 0; ny <= y + 1 && ny < b->h; ny++)
        for (unsigned nx = x > 0 ? x - 1 : 0; nx <= x + 1 && nx < b->w; nx++) {
            const uint16_t foe = (uint16_t)(ny * b->w + nx);

            if (q->view->foe[foe] != 0 && b->figure[q->view->top[foe]].type != RULES_WAGON)
                sum += pairing_score(q, sq, face, foe);
        }
    return sum;
}

int bot_face_score(const struct bot_asked *q, uint16_t sq, enum rules_dir face)
{
    const struct bot_view *v = q->view;
    const struct bot_weights *w = &weights[q->style];
    const enum rules_type type = (enum rules_type)v->m->b->figure[q->figure].type;
    int score = face == q->look ? 8 : 0;

    if (rules_is_soldier(type))
        score += (v->shot[sq][face] * w->shot + v->cover[sq][face] * w->cover) * 4 *
                 MIN(q->group, RULES_FRONT);
    if (v->near[sq] != 0 && type != RULES_WAGON)
        score += melee_score(q, sq, face) * w->melee;
    return score;
}

int bot_fire_score(const struct bot_asked *q, enum rules_dir face)
{
    const struct bot_map *m = q->view->m;
    struct rules_aim aim;
    struct rules_refusal no;
    int sum = 0;

    if (q->view->shot[q->from][face] == 0 ||
        rules_aim(m->b, q->s, q->from, face, &aim, &no) != RULES_OK)
        return 0;
    for (unsigned i = 0; i < aim.n; i++) {
        int odds = (int)bot_kill_chance(m->b, aim.range);

        for (unsigned k = 0; k < i; k++) /* it may have fallen to one before */
            odds -= aim.shot[k].at == aim.shot[i].at ? odds / 5 : 0;
        sum += odds * MAX(m->value[aim.shot[i].at], 20) / 1000;
    }
    return sum * weights[q->style].fire;
}
