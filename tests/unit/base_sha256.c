/* SPDX-License-Identifier: ISC
 * base_sha256.c -- SHA-256 by the processor is libsodium's: every length, every cut.
 */
#include "tests/cmocka_all.h"

#include "common/base/hex.h"
#include "common/base/sha256.h"

#include <sodium/crypto_hash_sha256.h>

enum { LONGEST = 700 };

static void fill(uint8_t *p, size_t n)
{
    uint32_t x = 1;

    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (uint8_t)(x >> 24);
    }
}

static void test_lengths(void **state)
{
    uint8_t text[LONGEST], want[SHA256_LEN], got[SHA256_LEN];

    (void)state;
    fill(text, sizeof(text));
    for (size_t n = 0; n <= sizeof(text); n++) {
        (void)crypto_hash_sha256(want, text, n);
        sha256(got, text, n);
        assert_memory_equal(got, want, SHA256_LEN);
    }
}

static void test_cuts(void **state)
{
    uint8_t text[LONGEST], want[SHA256_LEN], got[SHA256_LEN];

    (void)state;
    fill(text, sizeof(text));
    (void)crypto_hash_sha256(want, text, sizeof(text));
    for (size_t a = 0; a <= sizeof(text); a += 7) {
        for (size_t b = a; b <= sizeof(text); b += 13) {
            struct sha256 s;

            sha256_init(&s);
            sha256_update(&s, text, a);
            sha256_update(&s, text + a, b - a);
            sha256_update(&s, text + b, sizeof(text) - b);
            sha256_final(&s, got);
            assert_memory_equal(got, want, SHA256_LEN);
        }
    }
}

/* FIPS 180-4's own example, so that not both are wrong. */
static void test_vector(void **state)
{
    uint8_t got[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];

    (void)state;
    sha256(got, "abc", 3);
    hex_encode(hex, got, sizeof(got));
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_vector),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
