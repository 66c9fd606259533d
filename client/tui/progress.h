/* SPDX-License-Identifier: ISC
 * progress.h -- how near a side is to what wins it the game.
 *
 * Pure; counts by the rules' own words (R42).
 */
#ifndef SK_TUI_PROGRESS_H
#define SK_TUI_PROGRESS_H

#include "common/base/buf.h"
#include "proto/scenario.h"

/* "enemy soldiers left 4; 1 of 3 on the far row": each condition of `side`; appended. */
void progress_words(const struct scenario *scn, const struct rules_board *b,
                    const struct rules_state *s, enum rules_side side, struct buf *out);

#endif
