/* SPDX-License-Identifier: ISC
 * libmatch.h -- a table for referee tests: one match, a store in memory, both players' chains.
 */
#ifndef SK_TESTS_LIBMATCH_H
#define SK_TESTS_LIBMATCH_H

#include "common/base/drbg.h"
#include "server/core/match.h"

/* What the store holds of the match. */
struct shelf {
    uint8_t state;
    struct buf row, lines, timers, snap;
    uint32_t snap_seq, head, snaps;
    bool has_share[2];
    uint8_t share[2][FD1_LEN];
    uint32_t share_roll[2];
};

struct table {
    struct scenario_set set;
    const struct scenario *scenario;
    struct rules_board *board; /* owned */
    struct match_setup setup;
    struct match_env env;
    struct match_now now;
    struct match *m;
    struct shelf shelf;
    struct fd1_chain chain[2];
    struct match_applied last; /* of the last transaction */
    struct match_applied sum;  /* flags and ask of all since table_clear */
    struct match_step st;      /* of the last operation */
    bool hold;                 /* don't store by itself: the test calls table_store */
    struct drbg random;
    unsigned orders;
    struct buf text;
};

/* A match just opened by "alice" on first-blood; change t->setup in between for others. */
void table_init(struct table *t, const char *scenario);
void table_open(struct table *t);
void table_fini(struct table *t);
/* Let time pass, and the referee do what is due. */
void table_wait(struct table *t, int64_t ms);
/* The end of an operation: on ERR_OK store its transaction, then all that the referee wants. */
enum err table_end(struct table *t, enum err e);
/* The transaction of t->st to the shelf. */
void table_store(struct table *t);
void table_next(struct table *t);
void table_clear(struct table *t);

enum err table_join(struct table *t);
enum err table_anchor(struct table *t, enum role role, uint16_t generation);
/* Give the share that is asked for. */
enum err table_share(struct table *t, enum role role);
/* All shares that are owed. */
void table_shares(struct table *t);
/* Join, anchors, salt roll: play can begin. Both seats online. */
void table_start(struct table *t);

enum role table_active(const struct table *t);
enum err table_order(struct table *t, enum role role, const char *id, int64_t base,
                     const struct rules_order *o);
/* An order that the rules take now, dice or not; `end`: end of phase. */
void table_any(struct table *t, struct rules_order *o);
/* Give one random legal order, and the shares that it wants. */
void table_play(struct table *t);
/* A plain move of the active side: the first that there is. False: none. */
bool table_move(const struct table *t, struct rules_order *o);

/* The match read back from the shelf; must be equal to t->m in all that shows. Owned. */
struct match *table_load(struct table *t);
enum err table_try_load(struct table *t, struct match **out, char why[PLAY_WHY_LEN]);
void table_assert_same(struct table *t, struct match *a, struct match *b);
/* Everything of sync and record, as text. */
void table_show(struct table *t, struct match *m, struct buf *out);
/* Journal line `seq`, NUL-terminated, in t's own buffer until the next call. */
const char *table_line(struct table *t, uint32_t seq);

#endif
