/* SPDX-License-Identifier: ISC
 * luck.h -- what each side rolled against what was to be expected.
 *
 * Hits and saves are counted against their exact chances, hand-to-hand, morale and initiative dice
 * against the mean of 3.5. The tail is exact for what was rolled: the chance to do as well or
 * better (as badly or worse, where that is the smaller), no more and no less.
 */
#ifndef SK_CLIENT_LUCK_H
#define SK_CLIENT_LUCK_H

#include "client/audit.h"

enum luck_kind { LUCK_HITS, LUCK_SAVES, LUCK_MELEE, LUCK_MORALE, LUCK_INITIATIVE, LUCK_KIND_COUNT };
enum { LUCK_MAX = 4096 }; /* dice of a kind and side that are counted */

struct luck_row {
    unsigned n;               /* dice */
    unsigned got;             /* successes, or the sum of the dice */
    uint8_t of_six[LUCK_MAX]; /* hits, saves: faces of six that succeed */
};
struct luck {
    struct luck_row row[2][LUCK_KIND_COUNT]; /* by side */
};

/* Count the newest entry of `a`. *l begins zeroed. */
void luck_entry(struct luck *l, const struct audit *a);
/* Expected value, and the chances of at most and of at least what was got. n > 0. */
void luck_tail(const struct luck_row *row, enum luck_kind kind, double *mean, double *at_most,
               double *at_least);
/* The ledger, a line for each side and kind that rolled. */
void luck_words(const struct luck *l, const struct scenario *scn, struct buf *out);

#endif
