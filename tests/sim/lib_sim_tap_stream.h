/* SPDX-License-Identifier: ISC
 * lib_sim_tap_stream.h -- the part of the tap that looks at matches as they are told: entries,
 * sync, records and lists, and who follows what; for lib_sim_tap.c alone.
 */
#ifndef SK_TESTS_LIB_SIM_TAP_STREAM_H
#define SK_TESTS_LIB_SIM_TAP_STREAM_H

#include "tests/sim/lib_sim.h"

/* An event, from its match's id on: the entry that is due on this link, as the journal has it. */
void tap_event(struct sim *s, struct sim_link *l, const char *match);
/* A sync's result `r` and, for the bytes of its entries, the line `text`. From its last page on the
 * link follows the match. */
void tap_sync(struct sim *s, struct sim_link *l, const struct sim_asked *q, const struct json *r,
              const char *text);
/* The link follows the match no more, if it did. */
void tap_unfollow(struct sim_link *l, const struct sim_ledger *led);
void tap_record(struct sim *s, const struct sim_asked *q, const struct json *r);
/* All that this player has finished and may be shown here, once, newest first. */
void tap_played(struct sim *s, const struct sim_link *l, const struct sim_asked *q,
                const struct json *r);
/* What is said to be left on both sides' clocks, if it is. */
void tap_clock(struct sim *s, const struct sim_ledger *led, const struct json *left);

bool tap_is_hash(const uint8_t *hash, const char *hex);
bool tap_u32(const struct json *j, const char *name, uint32_t *out);

#endif
