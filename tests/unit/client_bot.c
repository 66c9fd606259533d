/* SPDX-License-Identifier: ISC
 * client_bot.c -- bots: always legal, always through, always the same for a seed.
 */
// timeout: 400
#include "client/bot/bot.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "proto/game.h"
#include "proto/scenario.h"
#include "tests/sim/lib_play.h"

#define DICE       4096
#define ORDERS_MAX 40000 /* of one game: far above what a phase's figures can add up to */

struct played {
    unsigned orders;
    uint8_t reason;
    uint8_t hash[RULES_HASH_LEN];
};

/* Decide and apply an order that must be legal. */
static void play_order(struct game *g, struct game_events *ev, const struct rules_order *o,
                       struct play_rng *rng)
{
    uint8_t die[DICE];
    struct rules_dice dice = {die, DICE, 0};
    enum rules_err e;

    play_dice(rng, die, DICE);
    e = game_decide(g, o, &dice, ev);
    if (e != RULES_OK)
        fail_msg("turn %u: order of kind %u: error %d, why %u", g->rules.state.turn, o->kind, e,
                 ev->out.refusal.why);
    game_apply_all(g, 0, ev);
}

/* A whole game, or its first `phases` phases, of one level against itself. */
static struct played play(const struct rules_board *b, enum bot_level level, uint64_t seed,
                          unsigned phases)
{
    struct bot *bot[2] = {bot_new(b, RULES_A, level, seed), bot_new(b, RULES_B, level, seed + 1)};
    struct rules_order o = {.kind = RULES_DO_START, .side = RULES_NOBODY};
    struct played p = {0};
    struct game_events ev = {0};
    struct play_rng rng;
    struct game g;

    play_seed(&rng, seed);
    game_init(&g, b);
    play_order(&g, &ev, &o, &rng);
    while (!rules_is_over(&g.rules.state) && phases > 0 && p.orders < ORDERS_MAX) {
        bot_decide(bot[g.rules.state.active], &g.rules.state, &o);
        assert_int_equal(o.side, g.rules.state.active);
        assert_int_not_equal(o.kind, RULES_DO_UNDO);
        play_order(&g, &ev, &o, &rng);
        p.orders++;
        phases -= o.kind == RULES_DO_END_PHASE;
    }
    assert_true(p.orders < ORDERS_MAX);
    p.reason = g.rules.state.reason;
    game_hash(&g, p.hash);
    bot_free(bot[RULES_A]);
    bot_free(bot[RULES_B]);
    game_fini(&g);
    game_events_fini(&ev);
    return p;
}

static void levels_have_words(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < BOT_LEVEL_COUNT; i++) {
        enum bot_level back = BOT_LEVEL_COUNT;

        assert_true(bot_level_from_word(bot_level_word((enum bot_level)i), &back));
        assert_int_equal(back, i);
    }
    {
        enum bot_level kept = BOT_CAPTAIN;

        assert_false(bot_level_from_word("general", &kept));
        assert_int_equal(kept, BOT_CAPTAIN);
    }
}

/* Any board, of either scale, with any condition and reading: no order is ever refused. */
static void orders_are_legal_on_any_board(void **unused)
{
    struct rules_board *b = mem_zalloc(sizeof(*b));
    struct play_rng rng;

    (void)unused;
    play_seed(&rng, 9);
    for (unsigned i = 0; i < 60; i++) {
        play_random_board(&rng, b);
        assert_int_not_equal(play(b, BOT_RECRUIT, i, UINT32_MAX).reason, RULES_BY_NOTHING);
        if (i % 4 == 0)
            (void)play(b, BOT_SERGEANT, i, 6);
        if (i % 20 == 0)
            (void)play(b, BOT_CAPTAIN, i, 1);
    }
    mem_free(b);
}

/* The shipped ones as they are, and with every reading turned. */
static void shipped_scenarios_are_played_out(void **unused)
{
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    for (size_t i = 0; i < set.len; i++) {
        const struct rules_readings other = {1, 1, 1, 1, 1};
        struct rules_board *b = scenario_board_with(set.item[i], &other);

        assert_int_not_equal(play(&set.item[i]->board, BOT_RECRUIT, i, UINT32_MAX).reason,
                             RULES_BY_NOTHING);
        assert_int_not_equal(play(b, BOT_RECRUIT, i, UINT32_MAX).reason, RULES_BY_NOTHING);
        (void)play(&set.item[i]->board, BOT_SERGEANT, i, 12);
        (void)play(b, BOT_SERGEANT, i, 6);
        mem_free(b);
    }
    scenario_set_fini(&set);
}

static void equal_seeds_give_equal_games(void **unused)
{
    struct scenario_set set;
    const struct scenario *s;

    (void)unused;
    scenario_set_init(&set);
    s = scenario_set_find(&set, "first-blood");
    assert_non_null(s);
    for (unsigned level = 0; level < BOT_LEVEL_COUNT; level++) {
        const unsigned phases = level == BOT_CAPTAIN ? 2 : UINT32_MAX;
        const struct played a = play(&s->board, (enum bot_level)level, 5, phases);
        const struct played c = play(&s->board, (enum bot_level)level, 5, phases);
        const struct played other = play(&s->board, (enum bot_level)level, 6, phases);

        assert_int_equal(a.orders, c.orders);
        assert_memory_equal(a.hash, c.hash, RULES_HASH_LEN);
        assert_memory_not_equal(a.hash, other.hash, RULES_HASH_LEN);
    }
    scenario_set_fini(&set);
}

/* Two bots asked the same thing in the middle of a game, one of them for the first time. */
static void a_game_can_be_taken_up_in_the_middle(void **unused)
{
    struct scenario_set set;
    const struct scenario *s;
    struct rules_state state;
    struct rules_order first, second;
    struct bot *a, *c;

    (void)unused;
    scenario_set_init(&set);
    s = scenario_set_find(&set, "cowboys-and-indians");
    assert_non_null(s);
    rules_begin(&s->board, &state);
    state.turn = 3;
    state.first = state.active = RULES_A;
    a = bot_new(&s->board, RULES_A, BOT_SERGEANT, 1);
    c = bot_new(&s->board, RULES_A, BOT_SERGEANT, 1);
    bot_decide(a, &state, &first);
    bot_decide(c, &state, &second);
    assert_memory_equal(&first, &second, sizeof(first));
    bot_free(a);
    bot_free(c);
    scenario_set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_have_words),
        cmocka_unit_test(orders_are_legal_on_any_board),
        cmocka_unit_test(shipped_scenarios_are_played_out),
        cmocka_unit_test(equal_seeds_give_equal_games),
        cmocka_unit_test(a_game_can_be_taken_up_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
