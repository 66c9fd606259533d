/* SPDX-License-Identifier: ISC
 * dice_chi2.c -- are FD1's dice fair? Pearson's chi-squared over ten million of them.
 *
 * The dice are rolled as in play: three chains a match, a salt roll, then a roll key for each
 * order. Secrets are fixed, so the figures are the same on every machine. A limit is the value
 * that fair dice exceed once in a million; the last cases show that the test would see dice made
 * without rejection (a bias of one part in 128) and dice that follow on one another.
 */
#include "common/dice/fd1.h"

#define DICE        10000000u
#define A_ROLL      1000u /* dice taken of one roll */
#define MAX_CELLS   256u
#define SMALL_DICE  2000000u
#define FIRSTS      20000u
#define LIMIT_DF1   23.93
#define LIMIT_DF5   35.89
#define LIMIT_DF19  63.68
#define LIMIT_DF35  89.95
#define LIMIT_DF255 377.08

/* A match that rolls on and on: the chains of the three, and the next roll's number. */
struct source {
    struct fd1_chain chain[3]; /* S, A, B */
    uint8_t salt[FD1_LEN];
    uint32_t match, n;
    struct fd1_dice dice;
    unsigned left; /* dice still to take of this roll */
};

struct tally {
    uint64_t count[MAX_CELLS];
    unsigned cells;
};

static void next_roll(struct source *s)
{
    struct fd1_roll roll = {.n = ++s->n, .flags = FD1_FLAG_A | FD1_FLAG_B};
    uint8_t key[FD1_LEN];

    memcpy(roll.mid, s->chain[0].id.mid, FD1_MID_LEN);
    memcpy(roll.salt, s->salt, FD1_LEN);
    CHECK(fd1_chain_link(&s->chain[0], s->n, roll.s));
    CHECK(fd1_chain_link(&s->chain[1], s->n, roll.a));
    CHECK(fd1_chain_link(&s->chain[2], s->n, roll.b));
    fd1_roll_key(&roll, key);
    if (s->n == 1)
        memcpy(s->salt, key, FD1_LEN);
    fd1_dice_init(&s->dice, key);
    s->left = A_ROLL;
}

static void next_match(struct source *s)
{
    static const uint8_t roles[3] = {FD1_ROLE_SERVER, FD1_ROLE_MAKER, FD1_ROLE_JOINER};

    s->match++;
    s->n = 0;
    memset(s->salt, 0, sizeof(s->salt));
    for (unsigned i = 0; i < 3; i++) {
        struct fd1_chain_id id = {.role = roles[i]};
        uint8_t secret[FD1_LEN] = {(uint8_t)(s->match & 0xff), (uint8_t)(s->match >> 8), roles[i]};

        memcpy(id.mid, secret, 2);
        CHECK(fd1_chain_init(&s->chain[i], &id, FD1_CHAIN_LEN, secret));
    }
    next_roll(s);
}

static unsigned next_die(struct source *s, unsigned sides)
{
    if (s->match == 0 || (s->left == 0 && s->n == FD1_CHAIN_LEN))
        next_match(s);
    else if (s->left == 0)
        next_roll(s);
    s->left--;
    return fd1_die(&s->dice, sides);
}

/* Sum over the cells of (seen - expected)^2 / expected, all cells equally likely. */
static double chi2(const struct tally *t)
{
    double total = 0, sum = 0;

    for (unsigned i = 0; i < t->cells; i++)
        total += (double)t->count[i];
    for (unsigned i = 0; i < t->cells; i++) {
        const double off = (double)t->count[i] - total / t->cells;

        sum += off * off * t->cells / total;
    }
    return sum;
}

/* Print one line; true when the statistic is on the side of `limit` where it should be. */
static bool report(const char *what, const struct tally *t, double limit, bool fair)
{
    const double x = chi2(t);
    const bool ok = fair ? x < limit : x > limit;

    printf("%s %-34s chi2 %10.2f  df %3u  %s %.2f\n", ok ? "ok  " : "FAIL", what, x, t->cells - 1,
           fair ? "below" : "above", limit);
    return ok;
}

/* Ten million d6: by face, and each with the one before it (disjoint pairs). */
static bool run_d6(struct source *s)
{
    struct tally face = {.cells = 6}, pair = {.cells = 36};
    unsigned last = 0;
    bool ok;

    for (unsigned i = 0; i < DICE; i++) {
        const unsigned v = next_die(s, 6) - 1;

        face.count[v]++;
        if (i % 2 == 1)
            pair.count[6 * last + v]++;
        last = v;
    }
    ok = report("d6, 10^7 dice", &face, LIMIT_DF5, true);
    return report("d6, pairs in a row", &pair, LIMIT_DF35, true) && ok;
}

static bool run_small(struct source *s, const char *what, unsigned sides, double limit)
{
    struct tally face = {.cells = sides};

    for (unsigned i = 0; i < SMALL_DICE; i++)
        face.count[next_die(s, sides) - 1]++;
    return report(what, &face, limit, true);
}

/* The first die of each roll alone: what a short order sees. */
static bool run_firsts(struct source *s)
{
    struct tally face = {.cells = 6};

    for (unsigned i = 0; i < FIRSTS; i++) {
        if (s->n == FD1_CHAIN_LEN)
            next_match(s);
        else
            next_roll(s);
        face.count[fd1_die(&s->dice, 6) - 1]++;
    }
    return report("d6, first of each of 20,000 rolls", &face, LIMIT_DF5, true);
}

/* What the test must find: bytes taken modulo 6, and pairs that lean a little together. */
static bool run_unfair(struct source *s)
{
    struct tally face = {.cells = 6}, pair = {.cells = 36};
    bool ok;

    for (unsigned i = 0; i < SMALL_DICE; i++)
        face.count[(next_die(s, 256) - 1) % 6]++;
    for (unsigned i = 0; i < SMALL_DICE / 2; i++) {
        const unsigned first = next_die(s, 6) - 1;
        const unsigned second = next_die(s, 100) == 1 ? first : next_die(s, 6) - 1;

        pair.count[6 * first + second]++;
    }
    ok = report("unfair: no rejection", &face, LIMIT_DF5, false);
    return report("unfair: 1 in 100 repeats", &pair, LIMIT_DF35, false) && ok;
}

int main(void)
{
    static struct source s;
    bool ok = run_d6(&s);

    ok = run_small(&s, "d2", 2, LIMIT_DF1) && ok;
    ok = run_small(&s, "d20", 20, LIMIT_DF19) && ok;
    ok = run_small(&s, "d256", 256, LIMIT_DF255) && ok;
    ok = run_firsts(&s) && ok;
    ok = run_unfair(&s) && ok;
    return ok ? 0 : 1;
}
