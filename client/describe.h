/* SPDX-License-Identifier: ISC
 * describe.h -- a scenario in words: who wins how, what comes when, which readings.
 *
 * Pure; whole lines, appended to `out`.
 */
#ifndef SK_CLIENT_DESCRIBE_H
#define SK_CLIENT_DESCRIBE_H

#include "common/base/buf.h"
#include "proto/scenario.h"

/* "north" */
const char *describe_dir(enum rules_dir d);
/* "3 regulars, 1 civilian" of the figures [from, from + n) of the roster. */
void describe_figures(const struct rules_board *b, unsigned from, unsigned n, struct buf *out);
/* Each condition of `side`, a line "  - ..." each. */
void describe_wins(const struct scenario *scn, enum rules_side side, struct buf *out);
/* What the turn limit means: one line. */
void describe_limit(const struct scenario *scn, struct buf *out);
/* The reinforcements of both sides, a line each; nothing when there are none. */
void describe_waves(const struct scenario *scn, struct buf *out);
/* The house readings that differ from the rules' own, a line each; nothing when none does. */
void describe_readings(const struct rules_readings *r, struct buf *out);

#endif
