/* SPDX-License-Identifier: ISC
 * game.h -- a match for the load client: two guests who turn a figure and take it back, for ever.
 *
 * With server dice, so that no client has to answer rolls. Each order is one durable transaction of
 * two entries (`order`, and `turn` or `undo`); before the bound of orders a phase the phase is ended.
 */
#ifndef SK_TESTS_BENCH_GAME_H
#define SK_TESTS_BENCH_GAME_H

#include "tests/bench/load/load.h"

enum { GAME_PHASE_ORDERS = 1000 };

struct game {
    char match[40];
    struct link seat[2]; /* in the order of the scenario's sides as this match names them */
    char side[2][40], figure[2][40], face[2];
    unsigned active;   /* whose phase it is */
    int64_t head[2];   /* newest entry that each seat has seen */
    int64_t lookers;   /* spectators, as the first seat was told last */
    int64_t seq;       /* of the answer to the order under way */
    uint64_t orders;   /* so far; each has an id by it */
    uint64_t sent_ns;  /* the order under way; 0: none */
    unsigned in_phase; /* orders of this phase */
    bool turned;       /* the next order takes the turn back */
    bool ending;       /* the order under way ends the phase */
};

/* Make, join and begin one; `i` numbers its connections. */
void game_begin(struct load *l, struct game *g, unsigned i);
/* Send the active seat's next order. */
void game_order(struct game *g);
/* Take what came to a seat. True: the order under way is done and the seat has seen its entries. */
bool game_take(struct game *g, unsigned seat);
/* End the phase if it has had many orders, and wait until both seats have seen that. */
void game_next_phase(struct game *g);
/* Both seats have seen all. */
bool game_is_even(const struct game *g);
/* A guest who looks on; returns the match's head as it was then. */
void game_watch(struct link *k, const struct game *g, unsigned n);

#endif
