/* SPDX-License-Identifier: ISC
 * The generator, and the clocks.
 */
#include "common/base/drbg.h"

#include "common/base/hex.h"
#include "common/base/msec.h"
#include "tests/cmocka_all.h"

static const uint8_t zero_seed[DRBG_SEED_LEN];

/* ChaCha20's published key stream for the zero key and the zero nonce. */
static void first_bytes_are_chacha20(void **unused)
{
    struct drbg g;
    uint8_t bytes[32];
    char text[65];

    (void)unused;
    drbg_init(&g, zero_seed);
    drbg_bytes(&g, bytes, sizeof(bytes));
    hex_encode(text, bytes, sizeof(bytes));
    assert_string_equal(text, "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7");
}

static void same_seed_same_bytes(void **unused)
{
    uint8_t seed[DRBG_SEED_LEN] = {1, 2, 3};
    struct drbg a;
    struct drbg b;
    uint8_t x[100];
    uint8_t y[100];

    (void)unused;
    drbg_init(&a, seed);
    drbg_init(&b, seed);
    for (size_t n = 0; n <= sizeof(x); n++) {
        drbg_bytes(&a, x, n);
        drbg_bytes(&b, y, n);
        if (n > 0)
            assert_memory_equal(x, y, n);
    }
    drbg_bytes(&a, y, sizeof(y));
    assert_memory_not_equal(x, y, sizeof(x)); /* a call goes on from the last one */
    seed[31] = 1;
    drbg_init(&a, seed);
    drbg_init(&b, zero_seed);
    drbg_bytes(&a, x, sizeof(x));
    drbg_bytes(&b, y, sizeof(y));
    assert_memory_not_equal(x, y, sizeof(x));
}

static void mixing_changes_what_follows(void **unused)
{
    struct drbg a;
    struct drbg b;
    uint8_t x[32];
    uint8_t y[32];
    char text[65];

    (void)unused;
    drbg_init(&a, zero_seed);
    drbg_init(&b, zero_seed);
    drbg_mix(&a, zero_seed);
    hex_encode(text, a.key, sizeof(a.key)); /* SHA-256 of 64 zero bytes */
    assert_string_equal(text, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
    drbg_bytes(&a, x, sizeof(x));
    drbg_bytes(&b, y, sizeof(y));
    assert_memory_not_equal(x, y, sizeof(x));
    drbg_mix(&b, zero_seed);
    drbg_bytes(&b, y, sizeof(y));
    assert_memory_equal(x, y, sizeof(x)); /* the counter starts again with the key */
}

/* 60,000 rolls: each face within 5 sigma of 10,000; the seed is fixed, so it can't flake. */
static void below_is_uniform_and_bounded(void **unused)
{
    struct drbg g;
    unsigned count[6] = {0};

    (void)unused;
    drbg_init(&g, zero_seed);
    for (int i = 0; i < 60000; i++) {
        uint32_t v = drbg_below(&g, 6);

        assert_true(v < 6);
        count[v]++;
    }
    for (size_t i = 0; i < 6; i++)
        assert_in_range(count[i], 10000 - 456, 10000 + 456);
    for (int i = 0; i < 100; i++)
        assert_int_equal(drbg_below(&g, 1), 0);
}

/* A bound just above 2^31 throws away nearly half of all draws: modulo would favour low values. */
static void below_has_no_modulo_bias(void **unused)
{
    const uint32_t bound = 0x80000001U;
    struct drbg g;
    unsigned low = 0;

    (void)unused;
    drbg_init(&g, zero_seed);
    for (int i = 0; i < 20000; i++) {
        uint32_t v = drbg_below(&g, bound);

        assert_true(v < bound);
        low += v < bound / 2;
    }
    assert_in_range(low, 10000 - 354, 10000 + 354);
    for (int i = 0; i < 1000; i++)
        assert_true(drbg_below(&g, UINT32_MAX) < UINT32_MAX);
}

static void clocks_go_forward(void **unused)
{
    struct mono then = mono_now();
    struct mono later = mono_after(then, 250);

    (void)unused;
    assert_true(mono_since(mono_now(), then) >= 0);
    assert_int_equal(mono_since(later, then), 250);
    assert_true(mono_reached(later, later));
    assert_false(mono_reached(then, later));
    assert_true(wall_now().ms > INT64_C(1700000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_are_chacha20),
        cmocka_unit_test(same_seed_same_bytes),
        cmocka_unit_test(mixing_changes_what_follows),
        cmocka_unit_test(below_is_uniform_and_bounded),
        cmocka_unit_test(below_has_no_modulo_bias),
        cmocka_unit_test(clocks_go_forward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
