/* SPDX-License-Identifier: ISC
 * bot_search.c -- plans tried in the head: played on with sampled dice, judged, bettered.
 *
 * All plans of a comparison see the same dice and the same style of enemy, sample by sample, so
 * that what differs is the plan. A plan that has won is compared anew with fresh dice, so that luck
 * isn't mistaken for merit.
 */
#include "client/bot/bot_internal.h"

#define SAMPLES_MAX 64   /* of one plan */
#define DICE_EACH   2048 /* faces at an order's disposal */

const struct bot_budget bot_budgets[BOT_LEVEL_COUNT] = {
    [BOT_RECRUIT] = {.noise = 100},
    [BOT_SERGEANT] =
        {.noise = 20, .styles = BOT_STYLES_TRIED, .phases = 120, .least = 4, .most = 16},
    [BOT_CAPTAIN] = {.effort = 1200000, .again = 400, .council = true},
};

uint64_t bot_rng_next(struct bot_rng *r)
{
    uint64_t z = (r->s += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned bot_rng_below(struct bot_rng *r, unsigned n)
{
    return (unsigned)((bot_rng_next(r) >> 32) * n >> 32);
}

uint32_t bot_mix(uint32_t a, uint32_t b)
{
    uint32_t h = a * 0x9e3779b1U ^ (b + 0x7f4a7c15U) * 0x85ebca6bU;

    h = (h ^ (h >> 15)) * 0xc2b2ae35U;
    return h ^ (h >> 13);
}

/* ---- one sample ---- */

struct search {
    struct bot *bot;
    const struct rules_state *from;
    const struct bot_budget *budget;
    unsigned spent;
    uint32_t base;          /* of the dice in use */
    int value[SAMPLES_MAX]; /* of bot->best under them */
    unsigned known;         /* of which so many are there */
};

/* Where in the pool the order's dice begin: the same for the same deed in the same sample. */
static unsigned dice_for(const struct rules_state *s, const struct rules_order *o, uint32_t sample)
{
    const uint32_t deed = bot_mix((uint32_t)(o->kind << 16 | o->square), s->turn * 2U + o->side);

    return bot_mix(sample, deed) % (BOT_DICE - DICE_EACH);
}

/* `o` in the head; false when dice or room ran out: the sample ends as it stands. */
static bool step(struct bot *bot, struct rules_state *s, const struct rules_order *o,
                 uint32_t sample)
{
    struct rules_dice dice = {bot->dice + dice_for(s, o, sample), DICE_EACH, 0};
    enum rules_err e;

    bot->out.n_events = 0;
    bot->out.n_items = 0;
    e = rules_decide(bot->map.b, s, o, &dice, &bot->out);
    CHECK(e != RULES_E_ILLEGAL);
    if (e != RULES_OK)
        return false;
    for (uint32_t i = 0; i < bot->out.n_events; i++)
        rules_apply(bot->map.b, s, &bot->out.event[i], bot->out.item);
    return true;
}

bool bot_play_phase(struct bot *bot, struct rules_state *s, const struct bot_plan *plan,
                    uint32_t sample)
{
    struct bot_drill d;
    struct rules_order o;

    bot_view_build(&bot->view, &bot->map, s, (enum rules_side)s->active);
    bot_drill_begin(&d, plan, &bot->view, s);
    do {
        uint16_t before;

        bot_drill_next(&d, s, &o);
        before = o.n_figures > 0 ? s->at[o.figure[0]] : RULES_NO_SQUARE;
        if (!step(bot, s, &o, sample))
            return false;
        if (!rules_is_over(s))
            bot_drill_done(&d, s, &o, before);
    } while (o.kind != RULES_DO_END_PHASE && !rules_is_over(s));
    return true;
}

enum bot_style bot_usual_style(const struct bot *bot, enum rules_side side)
{
    return bot->map.waits[side] != 0 ? BOT_HOLD : BOT_CAREFUL;
}

/* How the enemy is thought to play in a sample. */
static enum bot_style enemy_style(const struct bot *bot, unsigned k)
{
    static const uint8_t other[] = {BOT_BALANCED, BOT_HUNT, BOT_BALANCED, BOT_CHARGE};

    return k % 2 == 0 ? bot_usual_style(bot, rules_enemy(bot->side))
                      : (enum bot_style)other[k / 2 % ARRAY_LEN(other)];
}

/*
 * The k-th sample of a plan: this phase by it, then on as usual; judged as the turn ends.
 */
static int sample(struct search *q, const struct bot_plan *plan, unsigned k)
{
    struct bot *bot = q->bot;
    struct rules_state s = *q->from;
    const uint32_t dice = bot_mix((uint32_t)bot->seed, q->base + k);
    bool on;

    memset(bot->follow.style, (int)bot_usual_style(bot, bot->side), bot->map.b->n_figures);
    memset(bot->foe.style, (int)enemy_style(bot, k), bot->map.b->n_figures);
    on = bot_play_phase(bot, &s, plan, dice);
    q->spent++;
    while (on && !rules_is_over(&s) && s.turn == q->from->turn) {
        on = bot_play_phase(bot, &s, s.active == bot->side ? &bot->follow : &bot->foe, dice);
        q->spent++;
    }
    return bot_judge(&bot->view, &bot->map, &s, bot->side);
}

/* ---- plans compared ---- */

static bool is_left(const struct search *q)
{
    return q->spent < q->budget->phases;
}

/* What bot->best scores in sample k. */
static int best_value(struct search *q, unsigned k)
{
    while (q->known <= k) {
        q->value[q->known] = sample(q, &q->bot->best, q->known);
        q->known++;
    }
    return q->value[k];
}

/* A figure that may be given orders now; RULES_NO_FIGURE: none. */
static unsigned any_ready(const struct search *q, struct bot_rng *rng)
{
    const struct rules_board *b = q->bot->map.b;
    const unsigned start = bot_rng_below(rng, b->n_figures);

    for (unsigned i = 0; i < b->n_figures; i++) {
        const unsigned f = (start + i) % b->n_figures;

        if (b->figure[f].side == q->bot->side && rules_can_act(b, q->from, f))
            return f;
    }
    return RULES_NO_FIGURE;
}

/* `f` and those near it in another style. */
static void change_style(const struct search *q, unsigned f, unsigned within, enum bot_style style)
{
    const unsigned w = q->bot->map.b->w;

    for (unsigned g = 0; g < q->bot->map.b->n_figures; g++) {
        const uint16_t a = q->from->at[f], c = q->from->at[g];
        unsigned dx, dy;

        if (c == RULES_NO_SQUARE)
            continue;
        dx = a % w > c % w ? a % w - c % w : c % w - a % w;
        dy = a / w > c / w ? a / w - c / w : c / w - a / w;
        if (dx + dy <= within && (within > 0 || g == f))
            q->bot->plan.style[g] = (uint8_t)style;
    }
}

/* bot->plan: bot->best with one thing changed. */
static bool change(const struct search *q, struct bot_rng *rng)
{
    struct bot_plan *plan = &q->bot->plan;
    const unsigned f = any_ready(q, rng);

    if (f == RULES_NO_FIGURE)
        return false;
    *plan = q->bot->best;
    switch (bot_rng_below(rng, 4)) {
    case 0:
        change_style(q, f, 3 + bot_rng_below(rng, 4),
                     (enum bot_style)bot_rng_below(rng, BOT_STYLES_TRIED));
        break;
    case 1:
        change_style(q, f, 0, (enum bot_style)bot_rng_below(rng, BOT_STYLES_TRIED));
        break;
    default:
        plan->noise[f] = (uint8_t)(10 + bot_rng_below(rng, 50));
        plan->seed[f] = (uint32_t)bot_rng_next(rng);
        break;
    }
    return true;
}

/*
 * Is bot->plan better than bot->best? Few samples at first, more while it looks so; in the end the
 * lead must be larger than the noise in it.
 */
static bool is_better(struct search *q)
{
    int64_t lead = 0, squares = 0;
    unsigned k = 0;

    for (unsigned upto = q->budget->least; upto <= q->budget->most; upto *= 2) {
        for (; k < upto; k++) {
            const int64_t d = sample(q, &q->bot->plan, k) - best_value(q, k);

            lead += d;
            squares += d * d;
        }
        if (lead <= 0)
            return false;
    }
    return lead * lead > squares;
}

static void accept(struct search *q)
{
    q->bot->best = q->bot->plan;
    q->base += SAMPLES_MAX;
    q->known = 0;
}

void bot_search(struct bot *bot, const struct rules_state *s)
{
    struct search q = {.bot = bot, .from = s, .budget = &bot_budgets[bot->level]};
    struct bot_rng rng = {bot->seed ^ (uint64_t)s->turn << 8 ^ s->active};

    bot_plan_fill(&bot->best, bot_usual_style(bot, bot->side), 0, 0);
    for (unsigned style = 0; style < q.budget->styles; style++) {
        bot_plan_fill(&bot->plan, (enum bot_style)style, 0, 0);
        if (style != bot_usual_style(bot, bot->side) && is_better(&q))
            accept(&q);
    }
    while (is_left(&q) && change(&q, &rng))
        if (is_better(&q))
            accept(&q);
    bot->plan = bot->best;
}
