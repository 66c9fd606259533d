/* SPDX-License-Identifier: ISC
 * lib_play.h -- random boards and random orders for property tests, benchmarks and fuzzers.
 */
#ifndef SK_TESTS_LIB_PLAY_H
#define SK_TESTS_LIB_PLAY_H

#include "common/rules/rules.h"

/* xorshift64*: small, seeded, the same everywhere. */
struct play_rng {
    uint64_t s;
};
void play_seed(struct play_rng *r, uint64_t seed);
/* In [0, n), n >= 1. */
unsigned play_below(struct play_rng *r, unsigned n);
bool play_chance(struct play_rng *r, unsigned percent);
/* `n` d6 faces. */
void play_dice(struct play_rng *r, uint8_t *face, size_t n);

/* A valid board: either scale, any ground, obstacle, type, wave, condition and reading. */
void play_random_board(struct play_rng *r, struct rules_board *b);
/*
 * An order for the active side, most often legal (a random reachable square, a volley that has a
 * target, a turn); sometimes the end of the phase.
 */
void play_legal_order(struct play_rng *r, const struct rules_game *g, struct rules_order *o);
/* Anything at all: wrong side, dead figures, wild paths. Often illegal, sometimes not. */
void play_wild_order(struct play_rng *r, const struct rules_game *g, struct rules_order *o);

#endif
