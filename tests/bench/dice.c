/* SPDX-License-Identifier: ISC
 * dice.c -- what FD1 costs: a link's hash, a chain, a roll with and without checkpoints.
 */
#include "common/base/msec.h"
#include "common/dice/fd1.h"

#define SPAN_MS 500

static const struct fd1_chain_id id = {.role = FD1_ROLE_MAKER};
static const uint8_t secret[FD1_LEN] = {1};

/* One piece of work on `c`; `i` counts the calls. The result goes into x, so that it is done. */
struct job {
    const char *name;
    void (*run)(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN]);
    unsigned hashes; /* a call makes, where that is the point; else 0 */
};

static void run_anchor(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN])
{
    (void)c;
    (void)i;
    CHECK(fd1_link_from_secret(&id, FD1_CHAIN_LEN, secret, 0, x));
}

static void run_init(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN])
{
    (void)i;
    CHECK(fd1_chain_init(c, &id, FD1_CHAIN_LEN, secret));
    memcpy(x, fd1_chain_anchor(c), FD1_LEN);
}

static void run_link(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN])
{
    CHECK(fd1_chain_link(c, 1 + i % FD1_CHAIN_LEN, x));
}

/* As the server: its own link, a check of two shares, the key, twenty dice. */
static void run_roll(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN])
{
    const uint32_t n = 2 + i % (FD1_CHAIN_LEN - 1);
    struct fd1_roll roll = {.n = n, .flags = FD1_FLAG_A | FD1_FLAG_B};
    struct fd1_link known = {.k = n - 1}, share = {.k = n};
    struct fd1_dice d;
    uint8_t faces[20];

    CHECK(fd1_chain_link(c, n, share.x));
    CHECK(fd1_descend(&id, &share, known.k, known.x));
    for (unsigned p = 0; p < 2; p++)
        CHECK(fd1_check_link(&id, &known, &share));
    memcpy(roll.s, share.x, FD1_LEN);
    fd1_roll_key(&roll, x);
    fd1_dice_init(&d, x);
    fd1_fill(&d, faces, sizeof(faces));
    x[0] = faces[19];
}

static void run_dice(struct fd1_chain *c, uint32_t i, uint8_t x[FD1_LEN])
{
    struct fd1_dice d;
    uint8_t faces[1000];

    (void)c;
    x[0] = (uint8_t)(i & 0xff);
    fd1_dice_init(&d, x);
    fd1_fill(&d, faces, sizeof(faces));
    x[1] ^= faces[999];
}

static void measure(const struct job *job)
{
    static struct fd1_chain c;
    uint8_t x[FD1_LEN] = {0};
    const struct mono start = mono_now();
    int64_t ms = 0;
    uint32_t calls = 0;

    CHECK(fd1_chain_init(&c, &id, FD1_CHAIN_LEN, secret));
    for (; ms < SPAN_MS; ms = mono_since(mono_now(), start))
        for (unsigned i = 0; i < 20; i++)
            job->run(&c, calls++, x);
    printf("%-36s %10.2f us", job->name, 1000.0 * (double)ms / calls);
    if (job->hashes > 0)
        printf("  %.0f link hashes/s", 1000.0 * calls * job->hashes / (double)ms);
    printf("  (%02x)\n", x[0]);
}

int main(void)
{
    static const struct job jobs[] = {
        {"anchor or link 0 from the secret", run_anchor, FD1_CHAIN_LEN},
        {"chain with checkpoints made", run_init, FD1_CHAIN_LEN},
        {"link from checkpoints, mean", run_link, 0},
        {"a server's roll of 20 dice", run_roll, 0},
        {"1000 d6", run_dice, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
        measure(&jobs[i]);
    return 0;
}
