/* SPDX-License-Identifier: ISC
 * bot.c -- a bot from its birth to its orders.
 */
#include "client/bot/bot.h"

#include "client/bot/bot_internal.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define EVENTS_MAX 1024
#define ITEMS_MAX  8192

static const char *const words[] = {"recruit", "sergeant", "captain"};
_Static_assert(ARRAY_LEN(words) == BOT_LEVEL_COUNT, "a word for every level");

const char *bot_level_word(enum bot_level level)
{
    return words[level];
}

bool bot_level_from_word(const char *word, enum bot_level *out)
{
    for (unsigned i = 0; i < BOT_LEVEL_COUNT; i++)
        if (str_eq(word, words[i])) {
            *out = (enum bot_level)i;
            return true;
        }
    return false;
}

struct bot *bot_new(const struct rules_board *b, enum rules_side side, enum bot_level level,
                    uint64_t seed)
{
    struct bot *bot = mem_zalloc(sizeof(*bot));
    struct bot_rng rng = {seed};

    bot_map_init(&bot->map, b);
    bot_chance_begin(&bot->view, &bot->map);
    bot->side = side;
    bot->level = level;
    bot->seed = bot_rng_next(&rng);
    bot->dice = mem_alloc(BOT_DICE);
    if (bot_budgets[level].council)
        bot->rival = mem_array(BOT_RIVALS, sizeof(*bot->rival));
    for (unsigned i = 0; i < BOT_DICE; i++)
        bot->dice[i] = (uint8_t)(1 + bot_rng_below(&rng, 6));
    bot->out.event = mem_array(EVENTS_MAX, sizeof(*bot->out.event));
    bot->out.event_cap = EVENTS_MAX;
    bot->out.item = mem_array(ITEMS_MAX, sizeof(*bot->out.item));
    bot->out.item_cap = ITEMS_MAX;
    return bot;
}

void bot_free(struct bot *bot)
{
    if (bot == NULL)
        return;
    bot_map_fini(&bot->map);
    mem_free(bot->dice);
    mem_free(bot->rival);
    mem_free(bot->out.event);
    mem_free(bot->out.item);
    mem_free(bot);
}

/* The plan for the phase that `s` is in. */
static void make_plan(struct bot *bot, const struct rules_state *s)
{
    const struct bot_budget *budget = &bot_budgets[bot->level];
    const uint32_t seed = bot_mix((uint32_t)bot->seed, s->turn);

    if (budget->council)
        bot_council(bot, s, false);
    else if (budget->phases > 0)
        bot_search(bot, s);
    else
        bot_plan_fill(&bot->plan, bot->map.waits[bot->side] != 0 ? BOT_HOLD : BOT_PLAIN, 0, 0);
    for (unsigned f = 0; budget->noise > 0 && f < bot->map.b->n_figures; f++) {
        bot->plan.noise[f] = budget->noise;
        bot->plan.seed[f] = bot_mix(seed, f);
    }
}

void bot_decide(struct bot *bot, const struct rules_state *s, struct rules_order *out)
{
    if (!bot->is_drilling || bot->turn != s->turn) {
        make_plan(bot, s);
        bot_view_build(&bot->view, &bot->map, s, bot->side);
        bot_drill_begin(&bot->drill, &bot->plan, &bot->view, s);
        bot->is_drilling = true;
        bot->turn = s->turn;
    } else {
        if (bot->is_rolled && bot_budgets[bot->level].again > 0) {
            bot_council(bot, s, true);
            bot_view_build(&bot->view, &bot->map, s, bot->side);
            bot_drill_begin(&bot->drill, &bot->plan, &bot->view, s);
        } else {
            bot_view_build(&bot->view, &bot->map, s, bot->side);
        }
    }
    bot_drill_next(&bot->drill, s, out);
    bot->is_rolled = out->kind == RULES_DO_FIRE;
    if (out->kind == RULES_DO_END_PHASE)
        bot->is_drilling = false;
}
