/* SPDX-License-Identifier: ISC
 * dice_fd1.c -- FD1 against its golden vectors, and what it must refuse.
 *
 * The rows of proto/golden/dice-vectors.inc come from the Python reference, which is itself held
 * against the shared vectors (tests/golden/dice_vectors.py).
 */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "common/base/hex.h"
#include "common/dice/fd1.h"

#define MAX_DICE 300

struct secret_row {
    const char *master, *mid;
    uint16_t generation;
    const char *secret;
};
struct link_row {
    const char *mid;
    char role;
    uint16_t generation;
    uint32_t n;
    const char *secret;
    uint32_t k;
    const char *link;
};
struct share_row {
    const char *mid;
    char role;
    uint16_t generation;
    uint32_t base;
    const char *anchor;
    uint32_t n;
    const char *link;
};
struct roll_row {
    const char *mid;
    uint32_t n;
    uint8_t flags;
    const char *salt, *s, *a, *b, *key, *d6;
};
struct dice_row {
    const char *key, *sides, *dice;
};
struct journal_row {
    const char *line, *hash;
};

#define SECRET(...) {__VA_ARGS__},
static const struct secret_row secret_rows[] = {
#include "proto/golden/dice-vectors.inc"
};
#define LINK(...) {__VA_ARGS__},
static const struct link_row link_rows[] = {
#include "proto/golden/dice-vectors.inc"
};
#define SHARE(...) {__VA_ARGS__},
static const struct share_row share_rows[] = {
#include "proto/golden/dice-vectors.inc"
};
#define ROLL(...) {__VA_ARGS__},
static const struct roll_row roll_rows[] = {
#include "proto/golden/dice-vectors.inc"
};
#define DICE(...) {__VA_ARGS__},
static const struct dice_row dice_rows[] = {
#include "proto/golden/dice-vectors.inc"
};
#define JOURNAL(...) {__VA_ARGS__},
static const struct journal_row journal_rows[] = {
#include "proto/golden/dice-vectors.inc"
};

static void unhex(uint8_t *dst, size_t n, const char *s)
{
    assert_true(hex_decode(dst, n, s));
}

static void assert_hex(const uint8_t x[FD1_LEN], const char *want)
{
    char got[2 * FD1_LEN + 1];

    hex_encode(got, x, FD1_LEN);
    assert_string_equal(got, want);
}

static struct fd1_chain_id chain_id(const char *mid, char role, uint16_t generation)
{
    struct fd1_chain_id id = {.role = (uint8_t)role, .generation = generation};

    unhex(id.mid, FD1_MID_LEN, mid);
    return id;
}

/* A chain whose secret is all bytes `fill`. */
static struct fd1_chain chain_of(uint8_t fill, char role, uint32_t n)
{
    static struct fd1_chain c;
    const struct fd1_chain_id id = chain_id("00112233445566778899aabbccddeeff", role, 0);
    uint8_t secret[FD1_LEN];

    memset(secret, fill, sizeof(secret));
    assert_true(fd1_chain_init(&c, &id, n, secret));
    return c;
}

static void server_secrets_are_the_golden_ones(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(secret_rows); i++) {
        const struct secret_row *r = &secret_rows[i];
        uint8_t master[FD1_LEN], mid[FD1_MID_LEN], secret[FD1_LEN];

        unhex(master, sizeof(master), r->master);
        unhex(mid, sizeof(mid), r->mid);
        fd1_server_secret(master, mid, r->generation, secret);
        assert_hex(secret, r->secret);
    }
}

static void links_are_the_golden_ones_both_ways(void **unused)
{
    struct fd1_chain chain = {0};

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(link_rows); i++) {
        const struct link_row *r = &link_rows[i];
        const struct fd1_chain_id id = chain_id(r->mid, r->role, r->generation);
        uint8_t secret[FD1_LEN], x[FD1_LEN];

        unhex(secret, sizeof(secret), r->secret);
        if (i == 0 || strcmp(r->secret, link_rows[i - 1].secret) != 0)
            assert_true(fd1_chain_init(&chain, &id, r->n, secret));
        assert_true(fd1_chain_link(&chain, r->k, x));
        assert_hex(x, r->link);
        assert_true(fd1_link_from_secret(&id, r->n, secret, r->k, x));
        assert_hex(x, r->link);
        if (r->k == 0)
            assert_hex(fd1_chain_anchor(&chain), r->link);
    }
}

static void checkpoints_serve_every_link(void **unused)
{
    static const uint32_t lengths[] = {1, 8, 63, 64, 65, 200, FD1_CHAIN_LEN};

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        const struct fd1_chain c = chain_of(7, 'A', lengths[i]);
        struct fd1_link at = {.k = c.n};
        uint8_t x[FD1_LEN];

        memset(at.x, 7, sizeof(at.x));
        for (;;) { /* one hash a link from the top, against the checkpoints */
            assert_true(fd1_chain_link(&c, at.k, x));
            assert_memory_equal(x, at.x, FD1_LEN);
            if (at.k == 0)
                break;
            assert_true(fd1_descend(&c.id, &at, at.k - 1, at.x));
            at.k--;
        }
    }
}

static void a_chain_has_no_link_beyond_its_ends(void **unused)
{
    const struct fd1_chain c = chain_of(7, 'A', 8);
    const struct fd1_link top = {.k = FD1_CHAIN_LEN + 1}, low = {.k = 3};
    struct fd1_chain made = c;
    uint8_t x[FD1_LEN] = {0x55}, secret[FD1_LEN] = {1};

    (void)unused;
    assert_false(fd1_chain_link(&c, 9, x));
    assert_false(fd1_link_from_secret(&c.id, 8, secret, 9, x));
    assert_false(fd1_link_from_secret(&c.id, 0, secret, 0, x));
    assert_false(fd1_link_from_secret(&c.id, FD1_CHAIN_LEN + 1, secret, 1, x));
    assert_false(fd1_descend(&c.id, &top, FD1_CHAIN_LEN, x));
    assert_false(fd1_descend(&c.id, &low, 4, x));
    assert_int_equal(x[0], 0x55);
    assert_false(fd1_chain_init(&made, &c.id, 0, secret));
    assert_false(fd1_chain_init(&made, &c.id, FD1_CHAIN_LEN + 1, secret));
    assert_memory_equal(&made, &c, sizeof(c));
}

static void rolls_map_to_links_within_the_chain(void **unused)
{
    (void)unused;
    assert_int_equal(fd1_link_number(0, 0), 0);
    assert_int_equal(fd1_link_number(0, 1), 1);
    assert_int_equal(fd1_link_number(5, 5), 0);
    assert_int_equal(fd1_link_number(5, 6), 1);
    assert_int_equal(fd1_link_number(6, 5), 0);
    assert_int_equal(fd1_link_number(0, FD1_CHAIN_LEN), FD1_CHAIN_LEN);
    assert_int_equal(fd1_link_number(0, FD1_CHAIN_LEN + 1), 0);
    assert_int_equal(fd1_link_number(7, UINT32_MAX), 0);
}

static void tails_take_the_golden_shares(void **unused)
{
    struct fd1_tail t = {0};

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(share_rows); i++) {
        const struct share_row *r = &share_rows[i];
        const struct fd1_chain_id id = chain_id(r->mid, r->role, r->generation);
        uint8_t anchor[FD1_LEN], x[FD1_LEN];

        unhex(anchor, sizeof(anchor), r->anchor);
        unhex(x, sizeof(x), r->link);
        if (i == 0 || strcmp(r->anchor, share_rows[i - 1].anchor) != 0)
            fd1_tail_init(&t, &id, r->base, anchor);
        assert_true(fd1_tail_check(&t, r->n, x));
        assert_false(fd1_tail_check(&t, r->n + 1, x)); /* not another roll's */
        assert_true(fd1_tail_take(&t, r->n, x));
        assert_false(fd1_tail_take(&t, r->n, x)); /* not twice */
        assert_int_equal(t.last.k, r->n - r->base);
        assert_memory_equal(t.last.x, x, FD1_LEN);
    }
}

static void a_wrong_link_is_refused_whatever_is_wrong(void **unused)
{
    const struct fd1_chain c = chain_of(7, 'B', 100), other = chain_of(8, 'B', 100);
    struct fd1_link known = {.k = 3}, good = {.k = 90}, bad;
    struct fd1_chain_id id = c.id;
    struct fd1_tail t, before;

    (void)unused;
    assert_true(fd1_chain_link(&c, known.k, known.x));
    assert_true(fd1_chain_link(&c, good.k, good.x));
    assert_true(fd1_check_link(&c.id, &known, &good)); /* absent for 86 rolls */
    for (size_t i = 0; i < (size_t)8 * FD1_LEN; i++) {
        bad = good;
        bad.x[i / 8] = (uint8_t)(bad.x[i / 8] ^ 1u << i % 8);
        assert_false(fd1_check_link(&c.id, &known, &bad));
    }
    bad = good;
    bad.k = 89;
    assert_false(fd1_check_link(&c.id, &known, &bad));
    assert_false(fd1_check_link(&c.id, &good, &known)); /* downwards */
    assert_false(fd1_check_link(&c.id, &good, &good));
    assert_true(fd1_chain_link(&other, good.k, bad.x));
    bad.k = good.k;
    assert_false(fd1_check_link(&c.id, &known, &bad));
    bad.k = UINT32_MAX; /* bounded work, and an answer */
    assert_false(fd1_check_link(&c.id, &known, &bad));
    id.role = 'A';
    assert_false(fd1_check_link(&id, &known, &good));
    id = c.id;
    id.generation = 1;
    assert_false(fd1_check_link(&id, &known, &good));
    id = c.id;
    id.mid[15] ^= 1;
    assert_false(fd1_check_link(&id, &known, &good));

    fd1_tail_init(&t, &c.id, 10, fd1_chain_anchor(&c));
    before = t;
    assert_false(fd1_tail_take(&t, 90, good.x));
    assert_false(fd1_tail_take(&t, 10, good.x));
    assert_memory_equal(&t, &before, sizeof(t));
    assert_true(fd1_tail_take(&t, 100, good.x));
}

static struct fd1_roll roll_of(const struct roll_row *r)
{
    struct fd1_roll roll = {.n = r->n, .flags = r->flags};

    unhex(roll.mid, sizeof(roll.mid), r->mid);
    unhex(roll.salt, sizeof(roll.salt), r->salt);
    unhex(roll.s, sizeof(roll.s), r->s);
    unhex(roll.a, sizeof(roll.a), r->a);
    unhex(roll.b, sizeof(roll.b), r->b);
    return roll;
}

static void rolls_are_the_golden_ones(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(roll_rows); i++) {
        const struct roll_row *r = &roll_rows[i];
        const size_t count = strlen(r->d6) / 2;
        const struct fd1_roll roll = roll_of(r);
        uint8_t key[FD1_LEN], want[MAX_DICE], got[MAX_DICE];
        struct fd1_dice d;

        fd1_roll_key(&roll, key);
        assert_hex(key, r->key);
        assert_true(count <= MAX_DICE);
        unhex(want, count, r->d6);
        fd1_dice_init(&d, key);
        fd1_fill(&d, got, count);
        assert_memory_equal(got, want, count);
    }
}

static void every_input_of_a_roll_counts_but_an_absent_share(void **unused)
{
    struct fd1_roll roll = roll_of(&roll_rows[0]);
    uint8_t *bytes[] = {roll.mid, roll.salt, roll.s, roll.a, roll.b};
    uint8_t first[FD1_LEN], key[FD1_LEN];

    (void)unused;
    assert_int_equal(roll.flags, FD1_FLAG_A | FD1_FLAG_B);
    fd1_roll_key(&roll, first);
    for (size_t i = 0; i < ARRAY_LEN(bytes); i++) {
        bytes[i][15] ^= 1;
        fd1_roll_key(&roll, key);
        assert_memory_not_equal(key, first, FD1_LEN);
        bytes[i][15] ^= 1;
    }
    roll.n++;
    fd1_roll_key(&roll, key);
    assert_memory_not_equal(key, first, FD1_LEN);
    roll.n--;
    roll.flags = FD1_FLAG_A;
    fd1_roll_key(&roll, key);
    assert_memory_not_equal(key, first, FD1_LEN);
    memcpy(first, key, FD1_LEN);
    roll.b[0] ^= 1;
    fd1_roll_key(&roll, key);
    assert_memory_equal(key, first, FD1_LEN);
}

static unsigned hex_u16(const char *s)
{
    uint8_t v[2];
    char digits[5] = {s[0], s[1], s[2], s[3], 0};

    unhex(v, sizeof(v), digits);
    return (unsigned)v[0] << 8 | v[1];
}

static void dice_of_every_size_are_the_golden_ones(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(dice_rows); i++) {
        const struct dice_row *r = &dice_rows[i];
        uint8_t key[FD1_LEN];
        struct fd1_dice d;

        unhex(key, sizeof(key), r->key);
        fd1_dice_init(&d, key);
        assert_int_equal(strlen(r->sides), strlen(r->dice));
        for (size_t j = 0; j < strlen(r->sides); j += 4)
            assert_int_equal(fd1_die(&d, hex_u16(r->sides + j)), hex_u16(r->dice + j));
    }
}

static void there_is_no_die_of_other_sizes(void **unused)
{
    const uint8_t key[FD1_LEN] = {9};
    struct fd1_dice d, fresh;

    (void)unused;
    fd1_dice_init(&d, key);
    fresh = d;
    assert_int_equal(fd1_die(&d, 0), 0);
    assert_int_equal(fd1_die(&d, 1), 0);
    assert_int_equal(fd1_die(&d, 257), 0);
    assert_memory_equal(&d, &fresh, sizeof(d));
}

static void a_die_shows_each_face_and_no_other(void **unused)
{
    const uint8_t key[FD1_LEN] = {3};

    (void)unused;
    for (unsigned sides = 2; sides <= 256; sides++) {
        bool seen[257] = {false};
        struct fd1_dice d;
        unsigned faces = 0;

        fd1_dice_init(&d, key);
        for (unsigned i = 0; i < 40 * sides; i++) {
            const unsigned v = fd1_die(&d, sides);

            assert_in_range(v, 1, sides);
            faces += !seen[v];
            seen[v] = true;
        }
        assert_int_equal(faces, sides);
    }
}

static void the_journal_chain_is_the_golden_one(void **unused)
{
    uint8_t h[FD1_LEN] = {0};

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(journal_rows); i++) {
        const struct journal_row *r = &journal_rows[i];

        fd1_journal_hash(h, r->line, (uint32_t)strlen(r->line), h);
        assert_hex(h, r->hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(server_secrets_are_the_golden_ones),
        cmocka_unit_test(links_are_the_golden_ones_both_ways),
        cmocka_unit_test(checkpoints_serve_every_link),
        cmocka_unit_test(a_chain_has_no_link_beyond_its_ends),
        cmocka_unit_test(rolls_map_to_links_within_the_chain),
        cmocka_unit_test(tails_take_the_golden_shares),
        cmocka_unit_test(a_wrong_link_is_refused_whatever_is_wrong),
        cmocka_unit_test(rolls_are_the_golden_ones),
        cmocka_unit_test(every_input_of_a_roll_counts_but_an_absent_share),
        cmocka_unit_test(dice_of_every_size_are_the_golden_ones),
        cmocka_unit_test(there_is_no_die_of_other_sizes),
        cmocka_unit_test(a_die_shows_each_face_and_no_other),
        cmocka_unit_test(the_journal_chain_is_the_golden_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
