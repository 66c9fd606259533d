/* SPDX-License-Identifier: ISC
 * attic.h -- finished matches leave memory and the live tables for the archive, and come back when
 * somebody asks for one.
 *
 * One that was opened from the archive is a room like any other, but for being dropped again once
 * nobody looks. Lists are made of what is in memory and what the archive has: the store answers
 * reads and transactions in the order given, so that no match is missed or listed twice.
 */
#ifndef SK_CORE_ATTIC_H
#define SK_CORE_ATTIC_H

#include "server/core/session.h"

void attic_init(struct core *c, const uint64_t seed[2]);
void attic_fini(struct core *c);

/* The match isn't in memory: wait at no->gate while the archive is asked, or *no says why not. */
void attic_fetch(struct core *c, const struct msg_match *ref, struct refusal *no);
/* Something may be to do soon. */
void attic_wake(struct core *c);
void attic_timer(struct core *c);

/* Archive all finished matches in memory that `name` played, in this transaction; then its end. */
void attic_archive_of(struct core *c, const char *name, struct ops *o);
void attic_archived_of(struct core *c, const char *name, bool ok);

#define ATTIC_PAGE  50   /* matches in a page, where nothing else is asked for */
#define ATTIC_READS 1000 /* lists that wait for the archive at once */
/*
 * Answer lobby.list or player.matches with a page of rooms in memory and of the archive: at once,
 * or when the archive has answered (LATER).
 */
enum verdict attic_answer_list(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no);

#endif
