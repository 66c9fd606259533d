/* SPDX-License-Identifier: ISC
 * lobby.h -- lists of matches, who is online, and the news of both.
 */
#ifndef SK_CORE_LOBBY_H
#define SK_CORE_LOBBY_H

#include "server/core/room.h"

void lobby_unfollow(struct core *c, struct conn *cn);
/* A user's first connection came, or its last one went. */
void lobby_user(struct core *c, const struct user *u, bool online);
/* The match is new, or its summary has changed; a private one is told only to who sits in it. */
void lobby_match(struct core *c, const struct room *r);
/* It is in no list any more. */
void lobby_gone(struct core *c, const struct room *r);
/* A match's summary as members behind an open object. */
void lobby_summary(const struct core *c, const struct room *r, struct match_viewer who,
                   struct jsonw *w);
/* The same of a finished match for the archive, as an object: players' names are apart, so that
 * they can change; and back, behind an open object (names by role). ERR_DATA. */
void lobby_archive(const struct room *r, struct buf *out);
NODISCARD enum err lobby_archived(const struct store_row *row, struct jsonw *w);
/* Is it listed at all, being withdrawn before anybody joined? */
bool lobby_is_gone(const struct room *r);
/* An open roll as an object: {n, seq, hash, waiting}. */
void lobby_roll(const struct match_request *q, struct jsonw *w);
/* Time left by side id; {} without a clock. */
void lobby_left(const struct room *r, struct match_now now, struct jsonw *w);

/* Rooms by number. */
void list_add(struct room_list *l, struct room *r);
void list_drop(struct room_list *l, const struct room *r);
/* How many have a number below `no`. */
size_t list_below(const struct room_list *l, uint32_t no);

#endif
