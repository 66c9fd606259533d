/* SPDX-License-Identifier: ISC
 * store_tails.h -- match ids to the database's integer keys and the ends of their journals.
 *
 * The writer's memory: an order then costs one append, no look-up in an index. Changes of a group
 * that isn't committed are taken back (tails_undo).
 */
#ifndef SK_SERVER_SHELL_STORE_TAILS_H
#define SK_SERVER_SHELL_STORE_TAILS_H

#include "common/base/map.h"
#include "proto/entry.h"

struct tail {
    uint8_t id[MATCH_ID_LEN];
    bool over;         /* may be forgotten once `heads` has its newest row */
    uint32_t next_seq; /* of the next journal line; 0: not known */
    int64_t mkey;
    int64_t head; /* pos of its newest journal row; 0: none */
};

struct tail_change {
    struct tail *tail;
    struct tail before; /* mkey 0: it wasn't there */
};

struct tails {
    struct map by_id; /* owns its values */
    struct tail_change *change;
    size_t n_changes, cap;
};

void tails_init(struct tails *ts);
void tails_fini(struct tails *ts);
/* Borrowed until it is forgotten or undone; NULL when there is none. */
struct tail *tails_find(const struct tails *ts, const uint8_t id[MATCH_ID_LEN]);
/* Add a match that isn't there, as a change of the group; all else zero. Borrowed. */
struct tail *tails_add(struct tails *ts, const uint8_t id[MATCH_ID_LEN], int64_t mkey);
/* Remember `t` as it is before the group changes it. */
void tails_touch(struct tails *ts, struct tail *t);
/* The group is committed, or isn't. */
void tails_keep(struct tails *ts);
void tails_undo(struct tails *ts);
/* Forget all that are over. Not inside a group. */
void tails_forget_over(struct tails *ts);

#endif
