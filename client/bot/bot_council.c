/* SPDX-License-Identifier: ISC
 * bot_council.c -- many plans side by side, the worse half sent away again and again.
 *
 * Rivals see the same dice and the same enemies, sample by sample. Half of them go after a few
 * samples, half of the rest after as many more, and so on; the last one must beat the plan in force
 * with fresh dice, so that luck isn't mistaken for merit, and founds the next generation. A sample
 * ends with the turn in which the enemy has answered, and is worth the chance to win from there.
 * The enemy answers in the styles that hurt the plan in force most.
 */
#include "client/bot/bot_internal.h"

#define FIRST_SAMPLES 8  /* of each rival; doubled each time that half of them go */
#define FINAL_SAMPLES 64 /* of the last one and the plan in force */
#define PROBES        6  /* samples for each style of the enemy */

struct council {
    struct bot *bot;
    const struct rules_state *from;
    struct bot_rng rng;
    unsigned spent, limit;
    uint32_t base;                    /* of this generation's dice */
    uint8_t answer[4];                /* enum bot_style: the enemy's, in turn */
    uint8_t ready[RULES_FIGURES_MAX]; /* figures that may be given orders */
    unsigned n_ready;
};

/* ---- one sample ---- */

static int sample(struct council *q, const struct bot_plan *plan, unsigned k, enum bot_style foe)
{
    struct bot *bot = q->bot;
    struct rules_state s = *q->from;
    const uint32_t dice = bot_mix((uint32_t)bot->seed, q->base + k);
    const unsigned until = s.turn + (s.active == s.first ? 1U : 2U);
    bool on;

    memset(bot->follow.style, (int)bot_usual_style(bot, bot->side), bot->map.b->n_figures);
    memset(bot->foe.style, (int)foe, bot->map.b->n_figures);
    on = bot_play_phase(bot, &s, plan, dice);
    q->spent++;
    while (on && !rules_is_over(&s) && s.turn < until) {
        on = bot_play_phase(bot, &s, s.active == bot->side ? &bot->follow : &bot->foe, dice);
        q->spent++;
    }
    return bot_chance(&bot->view, &bot->map, &s, bot->side);
}

/* Set q->answer by what the enemy can do to `plan`: twice the worst, the next, and the usual. */
static void probe(struct council *q, const struct bot_plan *plan)
{
    int64_t worst = INT64_MAX, next = INT64_MAX;
    enum bot_style at[2] = {BOT_BALANCED, BOT_BALANCED};

    for (unsigned style = 0; style < BOT_STYLES_TRIED; style++) {
        int64_t sum = 0;

        for (unsigned k = 0; k < PROBES; k++)
            sum += sample(q, plan, k, (enum bot_style)style);
        if (sum < worst) {
            next = worst;
            at[1] = at[0];
            worst = sum;
            at[0] = (enum bot_style)style;
        } else if (sum < next) {
            next = sum;
            at[1] = (enum bot_style)style;
        }
    }
    q->answer[0] = q->answer[2] = (uint8_t)at[0];
    q->answer[1] = (uint8_t)at[1];
    q->answer[3] = (uint8_t)bot_usual_style(q->bot, rules_enemy(q->bot->side));
    q->base += PROBES;
}

/* ---- rivals ---- */

/* Those near `f` in another style. */
static void change_near(const struct council *q, struct bot_plan *plan, unsigned f, unsigned within,
                        enum bot_style style)
{
    const unsigned w = q->bot->map.b->w;
    const uint16_t a = q->from->at[f];

    for (unsigned i = 0; i < q->n_ready; i++) {
        const uint16_t c = q->from->at[q->ready[i]];
        const unsigned dx = a % w > c % w ? a % w - c % w : c % w - a % w;
        const unsigned dy = a / w > c / w ? a / w - c / w : c / w - a / w;

        if (dx + dy <= within)
            plan->style[q->ready[i]] = (uint8_t)style;
    }
}

static void change(struct council *q, struct bot_plan *plan)
{
    const unsigned f = q->ready[bot_rng_below(&q->rng, q->n_ready)];
    const enum bot_style style = (enum bot_style)bot_rng_below(&q->rng, BOT_STYLES_TRIED);

    switch (bot_rng_below(&q->rng, 4)) {
    case 0:
        change_near(q, plan, f, 2 + bot_rng_below(&q->rng, 5), style);
        break;
    case 1:
        plan->style[f] = (uint8_t)style;
        plan->noise[f] = 0;
        break;
    default:
        plan->noise[f] = (uint8_t)(10 + bot_rng_below(&q->rng, 60));
        plan->seed[f] = (uint32_t)bot_rng_next(&q->rng);
        break;
    }
}

/* The plan in force first, then whole styles if it is the first generation, then the plan in force
 * with one to three things changed. */
static void muster(struct council *q, unsigned rivals, bool first)
{
    struct bot_rival *r = q->bot->rival;

    for (unsigned i = 0; i < rivals; i++) {
        r[i].sum = 0;
        if (first && i >= 1 && i <= BOT_STYLES_TRIED) {
            bot_plan_fill(&r[i].plan, (enum bot_style)(i - 1), 0, 0);
            continue;
        }
        r[i].plan = q->bot->best;
        if (first && i > rivals / 2) /* of another style's kin */
            bot_plan_fill(&r[i].plan, (enum bot_style)bot_rng_below(&q->rng, BOT_STYLES_TRIED), 0,
                          0);
        for (unsigned n = i == 0 ? 0 : 1 + bot_rng_below(&q->rng, 3); n > 0; n--)
            change(q, &r[i].plan);
    }
}

/* The better ones of r[1] to r[n-1] first; r[0] is the plan in force. */
static void sort(struct bot_rival *r, unsigned n)
{
    for (unsigned i = 2; i < n; i++) {
        for (unsigned k = i; k > 1 && r[k].sum > r[k - 1].sum; k--) {
            const struct bot_rival swap = r[k];

            r[k] = r[k - 1];
            r[k - 1] = swap;
        }
    }
}

/* Is r[1] better than the plan in force with dice that it wasn't chosen by? The lead must be larger
 * than most of the noise in it. */
static bool wins(struct council *q, unsigned k)
{
    const struct bot_rival *r = q->bot->rival;
    int64_t lead = 0, squares = 0;

    for (unsigned upto = k + FINAL_SAMPLES; k < upto; k++) {
        const enum bot_style foe = (enum bot_style)q->answer[k % 4];
        const int64_t d = sample(q, &r[1].plan, k, foe) - sample(q, &r[0].plan, k, foe);

        lead += d;
        squares += d * d;
    }
    return lead > 0 && 2 * lead * lead > squares;
}

/* A generation: bot->best is who stands at its end. */
static void contest(struct council *q, unsigned rivals)
{
    struct bot_rival *r = q->bot->rival;
    unsigned k = 0, upto = FIRST_SAMPLES;

    for (unsigned n = rivals; n > 2; n /= 2, upto *= 2) {
        for (unsigned i = 1; i < n; i++)
            for (unsigned j = k; j < upto; j++)
                r[i].sum += sample(q, &r[i].plan, j, (enum bot_style)q->answer[j % 4]);
        k = upto;
        sort(r, n);
    }
    if (wins(q, k))
        q->bot->best = r[1].plan;
    q->base += k + FINAL_SAMPLES;
}

void bot_council(struct bot *bot, const struct rules_state *s, bool again)
{
    struct council q = {.bot = bot, .from = s};
    const struct bot_budget *budget = &bot_budgets[bot->level];
    const struct rules_board *b = bot->map.b;

    q.rng.s = bot->seed ^ (uint64_t)s->turn << 8 ^ s->active;
    for (unsigned i = 0; again && i < ARRAY_LEN(s->fired); i++)
        q.rng.s = q.rng.s * 31 + s->fired[i];
    q.base = (uint32_t)bot_rng_next(&q.rng);
    q.limit = again ? budget->again : budget->effort / rules_squares(b);
    for (unsigned f = 0; f < b->n_figures; f++)
        if (b->figure[f].side == bot->side && rules_can_act(b, s, f))
            q.ready[q.n_ready++] = (uint8_t)f;
    if (again)
        bot->best = bot->plan;
    else
        bot_plan_fill(&bot->best, bot_usual_style(bot, bot->side), 0, 0);
    for (bool first = !again; q.n_ready > 0 && q.spent < q.limit; first = false) {
        probe(&q, &bot->best);
        muster(&q, again ? BOT_RIVALS / 4 : BOT_RIVALS, first);
        contest(&q, again ? BOT_RIVALS / 4 : BOT_RIVALS);
    }
    bot->plan = bot->best;
}
