/* SPDX-License-Identifier: ISC
 * Glicko-2 against the paper's example, and over a season of a club.
 */
#include "server/core/rating.h"

#include <math.h>

#include "common/base/drbg.h"
#include "tests/cmocka_all.h"

static void near_to(double got, double want, double by)
{
    if (fabs(got - want) > by)
        fail_msg("got %.6f, want %.6f", got, want);
}

/* "Example calculation" of the paper: 1464.06, 151.52, 0.05999; to four places as computed from
 * its formulas without rounding in between. */
static void glickmans_example(void **unused)
{
    struct rating me = {1500, 200, 0.06};
    const struct rating_game game[] = {
        {{1400, 30, 0.06}, 1}, {{1550, 100, 0.06}, 0}, {{1700, 300, 0.06}, 0}};

    (void)unused;
    near_to(rating_expect(&me, &game[0].opponent), 0.639, 0.0005);
    near_to(rating_expect(&me, &game[1].opponent), 0.432, 0.0005);
    near_to(rating_expect(&me, &game[2].opponent), 0.303, 0.0005);
    rating_period(&me, game, ARRAY_LEN(game));
    near_to(me.rating, 1464.0507, 0.00005);
    near_to(me.deviation, 151.5165, 0.00005);
    near_to(me.volatility, 0.0600, 0.00005);
    near_to(me.volatility, 0.05999, 0.00001);
}

static void order_of_games_does_not_matter(void **unused)
{
    struct rating a = {1600, 80, 0.06};
    struct rating b = a;
    const struct rating_game ab[] = {{{1400, 30, 0.06}, 1}, {{1550, 100, 0.06}, 0.5}};
    const struct rating_game ba[] = {ab[1], ab[0]};

    (void)unused;
    rating_period(&a, ab, 2);
    rating_period(&b, ba, 2);
    near_to(a.rating, b.rating, 1e-9);
    near_to(a.deviation, b.deviation, 1e-9);
}

static void absence_makes_unsure(void **unused)
{
    struct rating r = {1700, 50, 0.06};
    struct rating once = r;

    (void)unused;
    rating_period(&once, NULL, 0);
    near_to(once.deviation, 51.0756, 0.001); /* step 6 */
    near_to(once.rating, 1700, 0);
    rating_idle(&r, 1);
    near_to(r.deviation, once.deviation, 1e-9);
    rating_idle(&r, 1000000);
    near_to(r.deviation, RATING_START_DEV, 0);
}

/* A huge upset, and the same again and again: the search of step 5 ends, numbers stay numbers. */
static void extremes_stay_sane(void **unused)
{
    struct rating weak = {800, 30, 0.06};
    const struct rating_game upset = {{2800, 30, 0.06}, 1};

    (void)unused;
    for (int i = 0; i < 500; i++) {
        rating_period(&weak, &upset, 1);
        assert_true(isfinite(weak.rating) && isfinite(weak.volatility));
        assert_true(weak.deviation >= 30 && weak.deviation <= 350);
    }
    assert_true(weak.rating > 2000);
    assert_int_equal(rating_shown(1499.5), 1500);
    assert_int_equal(rating_shown(-0.6), -1);
}

enum { CLUB = 200, ROUNDS_OF_SEASON = 40 };

static double chance(struct drbg *rng)
{
    return (double)drbg_below(rng, 1U << 30) / (double)(1U << 30);
}

/* Rank of each of n values, 0 the smallest. */
static void rank(const double *value, int *out)
{
    for (int i = 0; i < CLUB; i++) {
        out[i] = 0;
        for (int k = 0; k < CLUB; k++)
            out[i] += value[k] < value[i] || (k < i && value[k] == value[i]);
    }
}

/* Spearman's rho. */
static double rank_correlation(const double *a, const double *b)
{
    int ra[CLUB];
    int rb[CLUB];
    double sum = 0;

    rank(a, ra);
    rank(b, rb);
    for (int i = 0; i < CLUB; i++)
        sum += (double)(ra[i] - rb[i]) * (double)(ra[i] - rb[i]);
    return 1.0 - 6.0 * sum / ((double)CLUB * ((double)CLUB * CLUB - 1.0));
}

static void play(struct rating *a, struct rating *b, double a_score)
{
    const struct rating_game of_a = {*b, a_score};
    const struct rating_game of_b = {*a, 1.0 - a_score};

    rating_period(a, &of_a, 1);
    rating_period(b, &of_b, 1);
}

/* 200 players of known strength, 40 games each against random opponents, a period a game as the
 * server does it; strengths lie as in a club (deviation 250). */
static void a_club_finds_its_order(void **unused)
{
    static const uint8_t seed[32] = "a club of two hundred";
    struct drbg rng;
    struct rating r[CLUB];
    double strength[CLUB];
    double found[CLUB];
    double error = 0;
    double rho;

    (void)unused;
    drbg_init(&rng, seed);
    for (int i = 0; i < CLUB; i++) {
        double sum = 0;

        for (int k = 0; k < 12; k++)
            sum += chance(&rng);
        strength[i] = 1500 + 250 * (sum - 6);
        r[i] = rating_start();
    }
    for (int g = 0; g < CLUB * ROUNDS_OF_SEASON / 2; g++) {
        const uint32_t a = drbg_below(&rng, CLUB);
        const uint32_t b = (a + 1 + drbg_below(&rng, CLUB - 1)) % CLUB;
        const double p = 1.0 / (1.0 + pow(10, (strength[b] - strength[a]) / 400));

        play(&r[a], &r[b], chance(&rng) < p ? 1 : 0);
    }
    for (int i = 0; i < CLUB; i++) {
        found[i] = r[i].rating;
        error += fabs(found[i] - strength[i]) / CLUB;
    }
    rho = rank_correlation(strength, found);
    print_message("club of %d, %d games each: rank correlation %.4f, mean error %.1f\n", CLUB,
                  ROUNDS_OF_SEASON, rho, error);
    assert_true(rho > 0.93);
    assert_true(error < 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glickmans_example),      cmocka_unit_test(order_of_games_does_not_matter),
        cmocka_unit_test(absence_makes_unsure),   cmocka_unit_test(extremes_stay_sane),
        cmocka_unit_test(a_club_finds_its_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
