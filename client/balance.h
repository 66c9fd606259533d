/* SPDX-License-Identifier: ISC
 * balance.h -- games of bot against bot, and what they say about a scenario.
 *
 * Pure but for its heap. A game depends on setup and index alone, so the same run gives the same
 * figures however many cores play it.
 */
#ifndef SK_CLIENT_BALANCE_H
#define SK_CLIENT_BALANCE_H

#include "client/bot/bot.h"
#include "common/base/buf.h"
#include "proto/scenario.h"

#define BALANCE_TURNS 1000 /* above RULES_TURNS_MAX */

struct balance_setup {
    const struct rules_board *board; /* borrowed; with the readings as played */
    enum bot_level level[2];         /* of the first and the second bot */
    bool swaps;                      /* in every other game the first bot plays side B */
    uint64_t seed;
};

struct balance_game {
    uint8_t winner, reason; /* enum rules_side, enum rules_reason */
    uint8_t first;          /* who had the first phase of turn 1 */
    uint8_t swapped;        /* 1: the first bot played side B */
    uint16_t turns, killed[2];
    uint16_t orders; /* of both sides, ends of phases included; no more than fit */
};

/* Play game `index`. */
void balance_play(const struct balance_setup *setup, uint32_t index, struct balance_game *out);

struct balance_tally {
    uint32_t games, draws;
    uint32_t won[2];                     /* by side */
    uint32_t bot_won[2];                 /* by bot */
    uint32_t first_won;                  /* by whoever had the first phase */
    uint32_t how[3][RULES_REASON_COUNT]; /* by winner (RULES_NOBODY: drawn) and reason */
    uint32_t killed[2];
    uint64_t orders;
    uint32_t turns[BALANCE_TURNS]; /* games that ended in each turn */
};
void balance_add(struct balance_tally *t, const struct balance_game *g);
/* The turn by which `percent` of the games had ended. */
unsigned balance_turn_at(const struct balance_tally *t, unsigned percent);

/* `k` of `n` as a share, with Wilson's score interval of 95%. All 0 when n is. */
struct balance_share {
    double share, low, high;
};
struct balance_share balance_share(uint32_t k, uint32_t n);

/* The whole account in words. `cpu_s`: seconds of processor time that the games took. */
void balance_words(const struct balance_tally *t, const struct balance_setup *setup,
                   const struct scenario *scn, double cpu_s, struct buf *out);
/* The same as a drawing, SVG 1.1. */
void balance_svg(const struct balance_tally *t, const struct balance_setup *setup,
                 const struct scenario *scn, struct buf *out);

#endif
