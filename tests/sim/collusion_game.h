/* SPDX-License-Identifier: ISC
 * collusion_game.h -- the games that collusion.c attacks: three chains, a salt, an open roll.
 *
 * A game knows every secret; what a party may use of it is the attacking code's affair.
 */
#ifndef SK_SIM_COLLUSION_GAME_H
#define SK_SIM_COLLUSION_GAME_H

#include "common/dice/fd1.h"

#define PARTIES   3
#define LINKS     16 /* chain length here: long enough for a game */
#define OPEN_ROLL 5  /* the roll under attack */
#define DICE      10
#define MAX_SENDS 12

enum party { SERVER, MAKER, JOINER };
#define SET(party) (1u << (party))
#define EVERYBODY  (SET(SERVER) | SET(MAKER) | SET(JOINER))

static const uint8_t roles[PARTIES] = {FD1_ROLE_SERVER, FD1_ROLE_MAKER, FD1_ROLE_JOINER};

/* What a party may send as its share. */
enum share {
    SHARE_RIGHT,
    SHARE_RANDOM,
    SHARE_FLIPPED,   /* one bit off */
    SHARE_LAST,      /* the link of the roll before */
    SHARE_NEXT,      /* the link of the roll after */
    SHARE_NEW_CHAIN, /* of a chain anchored while the roll is open */
    SHARE_OTHERS,    /* another party's right link */
    SHARE_KINDS
};

struct game {
    struct fd1_chain_id id[PARTIES];
    uint8_t link[PARTIES][LINKS + 1][FD1_LEN];
    struct fd1_tail tail[PARTIES];
    uint8_t salt[FD1_LEN], head[FD1_LEN]; /* head: journal hash before the order */
    uint8_t seeds[2 * FD1_LEN];           /* of the usual scheme: server's, client's */
    uint32_t n;                           /* the open roll */
};

/* One try: all that a coalition can vary. */
struct attempt {
    char text[48];
    uint64_t order_id, request_id, time_ms;
    uint32_t nonce;
    struct {
        enum party party;
        enum share kind;
        uint64_t noise;
    } sent[MAX_SENDS]; /* shares in order of arrival */
    unsigned sends;
};

static inline bool has(unsigned set, unsigned party)
{
    return (set >> party & 1u) != 0;
}

/* splitmix64: repeatable tries, nothing more. */
static inline uint64_t next_u64(uint64_t *rng)
{
    uint64_t z = (*rng += 0x9e3779b97f4a7c15u);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline void fill(uint8_t *dst, size_t n, uint64_t *rng)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = (uint8_t)(next_u64(rng) & 0xff);
}

/* R_n of the game's open roll, with the shares of `present` taken from `share`. */
static inline void roll_key(const struct game *g, unsigned present, uint8_t share[PARTIES][FD1_LEN],
                            uint8_t key[FD1_LEN])
{
    struct fd1_roll r = {.n = g->n};

    memcpy(r.mid, g->id[SERVER].mid, FD1_MID_LEN);
    memcpy(r.salt, g->salt, FD1_LEN);
    memcpy(r.s, share[SERVER], FD1_LEN);
    memcpy(r.a, share[MAKER], FD1_LEN);
    memcpy(r.b, share[JOINER], FD1_LEN);
    r.flags =
        (uint8_t)((has(present, MAKER) ? FD1_FLAG_A : 0) | (has(present, JOINER) ? FD1_FLAG_B : 0));
    fd1_roll_key(&r, key);
}

static inline void right_shares(const struct game *g, uint8_t share[PARTIES][FD1_LEN])
{
    for (unsigned p = 0; p < PARTIES; p++)
        memcpy(share[p], g->link[p][g->n], FD1_LEN);
}

/* Finish the open roll with everybody's share and open the next. */
static inline void game_next(struct game *g)
{
    uint8_t share[PARTIES][FD1_LEN], key[FD1_LEN];

    right_shares(g, share);
    for (unsigned p = 0; p < PARTIES; p++)
        CHECK(fd1_tail_take(&g->tail[p], g->n, share[p]));
    roll_key(g, EVERYBODY, share, key);
    if (g->n == 1)
        memcpy(g->salt, key, FD1_LEN);
    g->n++;
}

/* A game whose secrets come from `seed`, set up and its salt rolled: roll 2 is open. */
static inline void game_open(struct game *g, uint64_t seed)
{
    struct fd1_chain_id id = {.generation = 0};
    uint8_t secret[FD1_LEN];
    uint64_t rng = seed;

    memset(g, 0, sizeof(*g));
    fill(id.mid, FD1_MID_LEN, &rng);
    for (unsigned p = 0; p < PARTIES; p++) {
        id.role = roles[p];
        fill(secret, FD1_LEN, &rng);
        g->id[p] = id;
        for (uint32_t k = 0; k <= LINKS; k++)
            CHECK(fd1_link_from_secret(&id, LINKS, secret, k, g->link[p][k]));
        fd1_tail_init(&g->tail[p], &id, 0, g->link[p][0]);
    }
    fill(g->head, FD1_LEN, &rng);
    fill(g->seeds, sizeof(g->seeds), &rng);
    g->n = 1;
    game_next(g);
}

/* The share that `party` sends, made as `kind` says. */
static inline void make_share(const struct game *g, enum party party, enum share kind,
                              uint64_t noise, uint8_t x[FD1_LEN])
{
    struct fd1_chain_id next = g->id[party];
    uint8_t secret[FD1_LEN];

    memcpy(x, g->link[party][g->n], FD1_LEN);
    switch (kind) {
    case SHARE_RIGHT:
        break;
    case SHARE_RANDOM:
        fill(x, FD1_LEN, &noise);
        break;
    case SHARE_FLIPPED:
        x[noise % FD1_LEN] ^= (uint8_t)(1u << (noise >> 8) % 8);
        break;
    case SHARE_LAST:
        memcpy(x, g->link[party][g->n - 1], FD1_LEN);
        break;
    case SHARE_NEXT:
        memcpy(x, g->link[party][g->n + 1], FD1_LEN);
        break;
    case SHARE_NEW_CHAIN:
        next.generation++;
        fill(secret, FD1_LEN, &noise);
        CHECK(fd1_link_from_secret(&next, LINKS, secret, 1, x));
        break;
    case SHARE_OTHERS:
        memcpy(x, g->link[(party + 1) % PARTIES][g->n], FD1_LEN);
        break;
    case SHARE_KINDS:
        CHECK(kind != SHARE_KINDS);
        break;
    }
}

#endif
