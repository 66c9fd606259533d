/* SPDX-License-Identifier: ISC
 * standing.h -- what players have done: games, rating, who was left waiting; and how scenarios'
 * sides fare.
 *
 * A standing is a row of its own in the store, apart from the account: it changes only with a
 * match's end, in that end's transaction (club.h). While such a transaction is under way the
 * standing is busy, and another end that concerns it waits at its gate.
 */
#ifndef SK_CORE_STANDING_H
#define SK_CORE_STANDING_H

#include "server/core/outbox.h"
#include "server/core/rating.h"

#define STANDING_PAST  100 /* ratings remembered */
#define STANDING_PAIRS 200 /* opponents remembered for set-ups owed and games left */
#define SIDES_KEY_LEN  36

/* How often this player kept one opponent waiting for good. */
struct standing_pair {
    char name[NAME_LEN + 1];
    uint32_t owed; /* set-ups not finished */
    uint32_t left; /* games claimed for absence */
};
struct standing_past {
    int64_t ts, rating; /* as shown */
    uint8_t match[MATCH_ID_LEN];
};
struct standing {
    char key[NAME_KEY_LEN];
    char name[NAME_LEN + 1];
    struct rating rating;
    int64_t rated_at; /* UNIX time in ms of the newest rated game; 0: none */
    uint32_t rated;   /* games that counted for the rating */
    uint32_t won, lost, drawn;
    struct standing_pair *pair; /* owned; oldest first */
    size_t n_pairs;
    struct standing_past *past; /* owned; oldest first */
    size_t n_past;
    bool busy;
    struct gate gate;
};

/* A scenario's two sides: each as strong as its games say, the players' own strength set off. */
struct sides {
    char key[SIDES_KEY_LEN]; /* the scenario's id, padded with zeros */
    struct rating side[2];
    uint32_t won[2], drawn; /* rated games */
    bool busy;
    struct gate gate;
};

/* Borrowed; NULL: has no game behind it. */
struct standing *standing_find(const struct core *c, const char *name);
struct sides *sides_find(const struct core *c, const char *scenario);
/* Outside the core, owned by the caller until entered: a beginner's; a copy of its own. */
struct standing *standing_new(const char *name);
struct standing *standing_copy(const struct standing *s);
void standing_free(struct standing *s);
struct sides *sides_new(const char *scenario);
/* It counts from now on, in place of the one of that key; takes it. Waiters are retried. */
void standing_enter(struct core *c, struct standing *s);
void sides_enter(struct core *c, struct sides *s);
/* Not busy any more; waiters are retried. NULL is nobody. */
void standing_release(struct core *c, struct standing *s);
void sides_release(struct core *c, struct sides *s);
/* Forget it; its row's end is the caller's (op_standing_drop). */
void standing_forget(struct core *c, const char *name);

struct standing_pair *standing_pair_of(struct standing *s, const char *name);
void standing_add_past(struct standing *s, const struct standing_past *past);
/* How many rated players stand before it; the ladder's order is rating, then name. */
size_t standing_rank(const struct core *c, const struct standing *s);
/* {rating, deviation, games} as a value. NULL: a beginner's. */
void standing_rating(const struct standing *s, struct jsonw *w);

void op_standing_put(struct ops *o, const struct standing *s);
void op_standing_drop(struct ops *o, const char *name);
void op_sides_put(struct ops *o, const struct sides *s);
/* Rows read back; `name` as the ops wrote it. ERR_NOT_FOUND: another row's name · ERR_DATA. */
NODISCARD enum err standing_load(struct core *c, const char *name, const char *data);
void standings_free(struct core *c);

#endif
