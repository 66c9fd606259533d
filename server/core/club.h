/* SPDX-License-Identifier: ISC
 * club.h -- what a match's end does to its players' standings, in that end's own transaction.
 *
 * So it happens exactly once: with the end, or not at all. What counts (won, lost, drawn; rated
 * or not) is said in PROTOCOL, Ratings.
 */
#ifndef SK_CORE_CLUB_H
#define SK_CORE_CLUB_H

#include "server/core/standing.h"

struct club_change;

/*
 * The room's match has a transaction pending. If it ends the match, add the rows of all who are
 * concerned to `o`; *out is owned by the pend that carries the transaction, NULL when nothing
 * changes. The standings are busy until club_stored. NULL gate: done. Else nothing was done: one
 * of them is busy, its gate is returned.
 */
struct gate *club_plan(struct core *c, const struct room *r, struct ops *o,
                       struct club_change **out);
/* The transaction's end; takes `ch` (may be NULL). */
void club_stored(struct core *c, struct club_change *ch, bool ok);
/* Nobody will answer it any more (the core's end). */
void club_change_free(struct club_change *ch);

#endif
