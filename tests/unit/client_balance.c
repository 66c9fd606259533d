/* SPDX-License-Identifier: ISC
 * client_balance.c -- the arithmetic of balance runs, and that a game is its index alone.
 */
#include "client/balance.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool is_near(double a, double b)
{
    return a - b < 0.00005 && b - a < 0.00005;
}

/* Wilson's interval without correction, against worked values (z = 1.959964). */
static void intervals_are_wilsons(void **unused)
{
    static const struct {
        uint32_t k, n;
        double low, high;
    } rows[] = {
        {0, 10, 0.0, 0.27753},      {5, 10, 0.23659, 0.76341},     {10, 10, 0.72247, 1.0},
        {1, 100, 0.00177, 0.05449}, {500, 1000, 0.46907, 0.53093},
    };

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct balance_share s = balance_share(rows[i].k, rows[i].n);

        assert_true(is_near(s.share, (double)rows[i].k / rows[i].n));
        assert_true(is_near(s.low, rows[i].low));
        assert_true(is_near(s.high, rows[i].high));
    }
    assert_true(is_near(balance_share(0, 0).high, 0.0));
}

static void games_are_counted_by_side_bot_and_first_player(void **unused)
{
    static const struct balance_game games[] = {
        {RULES_A, RULES_BY_EXIT, RULES_A, 0, 4, {1, 2}, 30},
        {RULES_A, RULES_BY_EXIT, RULES_B, 1, 6, {3, 0}, 30},
        {RULES_B, RULES_BY_KILL, RULES_B, 1, 8, {2, 2}, 30},
        {RULES_NOBODY, RULES_BY_LIMIT, RULES_A, 0, 20, {0, 0}, 30},
    };
    static struct balance_tally t;

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(games); i++)
        balance_add(&t, &games[i]);
    assert_int_equal(t.games, 4);
    assert_int_equal(t.draws, 1);
    assert_int_equal(t.won[RULES_A], 2);
    assert_int_equal(t.won[RULES_B], 1);
    assert_int_equal(t.bot_won[0], 2); /* the first as A, and the third, swapped, as B */
    assert_int_equal(t.bot_won[1], 1);
    assert_int_equal(t.first_won, 2);
    assert_int_equal(t.how[RULES_A][RULES_BY_EXIT], 2);
    assert_int_equal(t.how[RULES_NOBODY][RULES_BY_LIMIT], 1);
    assert_int_equal(t.killed[RULES_A], 6);
    assert_int_equal(t.orders, 120);
    assert_int_equal(balance_turn_at(&t, 25), 4);
    assert_int_equal(balance_turn_at(&t, 50), 6);
    assert_int_equal(balance_turn_at(&t, 75), 8);
    assert_int_equal(balance_turn_at(&t, 100), 20);
}

static void a_game_follows_from_seed_and_index(void **unused)
{
    struct balance_setup setup = {NULL, {BOT_RECRUIT, BOT_RECRUIT}, true, 7};
    struct balance_game first[20], again;
    struct scenario_set set;
    unsigned differ = 0;

    (void)unused;
    scenario_set_init(&set);
    setup.board = &scenario_set_find(&set, "first-blood")->board;
    for (uint32_t i = 0; i < ARRAY_LEN(first); i++) {
        balance_play(&setup, i, &first[i]);
        balance_play(&setup, i, &again);
        assert_memory_equal(&first[i], &again, sizeof(again));
        assert_int_equal(first[i].swapped, i % 2);
        assert_int_not_equal(first[i].reason, RULES_BY_NOTHING);
        assert_true(first[i].orders >= 2U * first[i].turns - 1);
        differ += memcmp(&first[0], &first[i], sizeof(again)) != 0;
    }
    assert_true(differ > 10);
    setup.seed = 8;
    for (uint32_t i = 0; i < ARRAY_LEN(first); i++) {
        balance_play(&setup, i, &again);
        differ += memcmp(&again, &first[i], sizeof(again)) != 0;
    }
    assert_true(differ > 20);
    scenario_set_fini(&set);
}

static void the_account_has_every_part(void **unused)
{
    static const char *const parts[] = {"4 games, captain v recruit, seed 3",
                                        "won, with 95%",
                                        "by bot",
                                        "the first to move",
                                        "Red by exit",
                                        "drawn by limit",
                                        "median 6, limit 20",
                                        "soldiers killed a game: Red",
                                        "orders a game: 30",
                                        "2.0 games a second"};
    struct balance_setup setup = {NULL, {BOT_CAPTAIN, BOT_RECRUIT}, true, 3};
    static struct balance_tally t;
    struct scenario_set set;
    struct buf out = BUF_EMPTY;

    (void)unused;
    scenario_set_init(&set);
    setup.board = &scenario_set_find(&set, "first-blood")->board;
    balance_add(&t, &(struct balance_game){RULES_A, RULES_BY_EXIT, RULES_A, 0, 4, {1, 2}, 30});
    balance_add(&t, &(struct balance_game){RULES_A, RULES_BY_EXIT, RULES_B, 1, 6, {1, 2}, 30});
    balance_add(&t, &(struct balance_game){RULES_B, RULES_BY_KILL, RULES_B, 1, 8, {1, 2}, 30});
    balance_add(&t, &(struct balance_game){RULES_NOBODY, RULES_BY_LIMIT, RULES_A, 0, 20, {0}, 30});
    balance_words(&t, &setup, scenario_set_find(&set, "first-blood"), 2.0, &out);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (strstr(buf_str(&out), parts[i]) == NULL)
            fail_msg("no \"%s\" in:\n%s", parts[i], buf_str(&out));
    buf_reset(&out);
    balance_svg(&t, &setup, scenario_set_find(&set, "first-blood"), &out);
    assert_non_null(strstr(buf_str(&out), "<svg "));
    assert_non_null(strstr(buf_str(&out), "50.0%"));
    assert_non_null(strstr(buf_str(&out), "</svg>"));
    buf_fini(&out);
    scenario_set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_wilsons),
        cmocka_unit_test(games_are_counted_by_side_bot_and_first_player),
        cmocka_unit_test(a_game_follows_from_seed_and_index),
        cmocka_unit_test(the_account_has_every_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
