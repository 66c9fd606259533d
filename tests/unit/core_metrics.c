/* SPDX-License-Identifier: ISC */
#include "server/core/metrics.h"

#include "tests/cmocka_all.h"

static void a_bound_counts_in_its_own_bucket(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < HIST_BOUNDS; i++) {
        struct hist h = {.sum_us = 0};

        hist_add(&h, hist_bound_us[i]);
        hist_add(&h, hist_bound_us[i] + 1);
        assert_int_equal(h.n[i], 1);
        assert_int_equal(h.n[i + 1], 1);
        assert_int_equal(h.sum_us, 2 * hist_bound_us[i] + 1);
        assert_true(i == 0 || hist_bound_us[i] > hist_bound_us[i - 1]);
    }
}

static void nothing_is_too_short_or_too_long(void **unused)
{
    struct hist h = {.sum_us = 0};

    (void)unused;
    hist_add(&h, 0);
    hist_add(&h, UINT64_MAX / 2);
    assert_int_equal(h.n[0], 1);
    assert_int_equal(h.n[HIST_BOUNDS], 1);
    assert_int_equal(h.sum_us, UINT64_MAX / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_counts_in_its_own_bucket),
        cmocka_unit_test(nothing_is_too_short_or_too_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
