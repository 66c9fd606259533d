/* SPDX-License-Identifier: ISC
 * base_map.c -- SipHash-1-3 against published values; maps of either kind against a plain list. */
#include "common/base/map.h"
#include "common/base/mem.h"

#include "tests/cmocka_all.h"

/* SipHash-1-3 under the key 00..0f of the texts "", 00, 00 01, ...: its lower halves, as the Linux
 * kernel's lib/siphash test has them. */
static void test_hash(void **state)
{
    static const uint32_t want[] = {
        0x050fc4dc, 0x7d57ca93, 0x4dc7d44d, 0xe7ddf7fb, 0x88d38328, 0x49533b67,
        0xc59f22a7, 0x9bb11140, 0x8d299a8e, 0x6c063de4, 0x92ff097f, 0xf94dc352,
        0x57b4d9a2, 0x1229ffa7, 0xc0f95d34, 0x2a519956, 0x7d908b66,
    };
    static const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    uint8_t text[ARRAY_LEN(want)];

    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(want); n++) {
        text[n] = (uint8_t)n;
        assert_int_equal((uint32_t)map_hash(key, text, n), want[n]);
    }
    assert_true(map_hash(key, text, 0) == 0xabac0158050fc4dc);
}

struct thing {
    int n;
    uint64_t key[2];
};

enum { FEW = 3000, MANY = 30000 }; /* tables double up to a size in between */

/* Keys in steps: a counter's, or any other that we may count in. */
static void walk_map(struct map *m, unsigned n, uint64_t step)
{
    struct thing *all = mem_array(n, sizeof(*all));
    uint64_t missing[2] = {n * step, 0};
    unsigned left = 0;

    for (unsigned i = 0; i < n; i++) {
        all[i].key[0] = i * step;
        map_put(m, &all[i]);
    }
    assert_null(map_get(m, missing));
    for (unsigned i = 0; i < n; i++)
        assert_ptr_equal(map_get(m, all[i].key), &all[i]);
    for (unsigned i = 0; i < n; i += 3)
        assert_ptr_equal(map_take(m, all[i].key), &all[i]);
    for (unsigned i = 0; i < n; i++)
        assert_ptr_equal(map_get(m, all[i].key), i % 3 == 0 ? NULL : &all[i]);
    for (size_t at = 0; map_next(m, &at) != NULL;)
        left++;
    assert_int_equal(left, n - n / 3);
    map_fini(m);
    mem_free(all);
}

static void test_kinds(void **state)
{
    static const uint64_t seed[2] = {1, 2};
    static const uint64_t steps[] = {1, 2, 1u << 12, UINT64_C(1) << 33, UINT64_C(1) << 52};
    const size_t at = offsetof(struct thing, key);
    struct map many;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        for (size_t len = 8; len <= 16; len += 8) {
            struct map m;

            map_init(&m, at, len, seed);
            walk_map(&m, FEW, steps[i]);
            map_init_own(&m, at, len, seed);
            walk_map(&m, FEW, steps[i]);
        }
    map_init(&many, at, 8, seed);
    walk_map(&many, MANY, 1);
    map_init_own(&many, at, 8, seed);
    walk_map(&many, MANY, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
