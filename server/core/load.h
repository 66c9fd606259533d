/* SPDX-License-Identifier: ISC
 * load.h -- recovery's parts that a check uses too.
 */
#ifndef SK_CORE_LOAD_H
#define SK_CORE_LOAD_H

#include "server/core/room.h"

/*
 * Play a stored match again from its first entry; it must come to the same hashes as its row, and to
 * `known`'s. ERR_DATA: why[].
 */
NODISCARD enum err load_again(struct core *c, const struct core_match_row *row,
                              const struct match *known, char why[PLAY_WHY_LEN]);

#endif
