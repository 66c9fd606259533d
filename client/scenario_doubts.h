/* SPDX-License-Identifier: ISC
 * scenario_doubts.h -- what looks wrong in a scenario that is sound: a square that nobody can
 * reach, a wave that can't enter, a condition that can't be met, water without a ford.
 *
 * Pure. Ways are looked for on foot over obstacles and past everybody, since figures move; so what
 * is doubted here can't happen in any game.
 */
#ifndef SK_CLIENT_SCENARIO_DOUBTS_H
#define SK_CLIENT_SCENARIO_DOUBTS_H

#include "common/base/buf.h"
#include "proto/scenario.h"

/* A line for each doubt, appended to `out`, each begun with `before`. How many there are. */
unsigned scenario_doubts(const struct scenario *s, const char *before, struct buf *out);

#endif
