/* SPDX-License-Identifier: ISC
 * room.h -- a match and all who have to do with it: its seats' users, its readers, its lobby row.
 *
 * The referee (match.h) decides; a room carries its transactions to the store and what came of
 * them to people: the answer first, then events to players, then to those who look on.
 */
#ifndef SK_CORE_ROOM_H
#define SK_CORE_ROOM_H

#include "server/core/session.h"

/* ---- finding ---- */

/* Borrowed; NULL: no such match. */
struct room *room_find(const struct core *c, const struct msg_match *ref);
/* A match that a request names and can be worked with. Else *no is set: ERR_NOT_FOUND, or
 * ERR_DATA's wire face for one set aside. */
/* (One in the archive: NULL with no->gate set, where the request is to wait; it comes again.) */
struct room *room_need(struct core *c, const struct msg_match *ref, struct refusal *no);
/* The user's seat; ROLE_COUNT: none. */
enum role room_role(const struct room *r, const struct user *u);
/* Is this the match's invite code? */
bool room_invited(const struct room *r, const char *invite);
/* Board of a scenario under readings, kept for the core's life. */
const struct rules_board *room_board(struct core *c, const struct scenario *scn,
                                     const struct rules_readings *readings);
void boards_free(struct core *c);

/* ---- life ---- */

/* A room outside the core around a match (taken; NULL: set aside under `id` and `no`). */
struct room *room_new(struct match *m, const uint8_t id[MATCH_ID_LEN], uint32_t no);
/* It is durable: known by id and number from now on, its seats with their users. */
void room_enter(struct core *c, struct room *r);
/* One that was never entered, or at the core's end. */
void room_free(struct room *r);
/* A finished one that nobody has to do with leaves memory. */
void room_leave(struct core *c, struct room *r);
/* How its match was asked for; NULL: it is set aside, and its row doesn't tell. Borrowed. */
const struct match_setup *room_setup(const struct room *r);

/* ---- the one road ---- */

typedef void room_answer(struct core *, struct conn *, const struct pend *);
/* What a request's operation on a room gave, and how to answer its success. */
struct room_op {
    struct room *room;
    enum err err;            /* what the operation said, */
    struct match_step *step; /* and gave: finished or moved */
    room_answer *answer;     /* NULL: `{}` */
    bool is_new;
    bool sits; /* the caller takes a seat by it: a guest becomes durable with it */
};
/* Answer at once, refuse, or start the transaction and let `cn` wait. */
enum verdict room_submit(struct core *c, struct conn *cn, struct msg_request *req,
                         const struct room_op *op, struct refusal *no);
/* The same for an operator: LATER or HELD have the request, REFUSED hasn't. */
enum verdict room_judge(struct core *c, struct admin_ask *a, const struct room_op *op,
                        struct refusal *no);
/* Start what the referee wants by itself, and set the timer for what it will want. */
void room_settle(struct core *c, struct room *r);
/* The end of a transaction of its match: what came of it is told, and what the match wants then. */
void room_on_stored(struct core *c, struct pend *p, const struct core_event *ev);
/* The end of a transaction of several rooms in which match_extend's of this one was. */
void room_extended(struct core *c, struct room *r, bool ok);
void room_timer(struct core *c, struct room *r);
/* A seat's user came online or went. */
void room_presence(struct core *c, struct room *r);
/* Send an open roll's request to this connection of a seat that owes; room_settle follows. */
void room_ask(struct core *c, struct room *r, enum role role, struct conn *cn);

/* ---- readers ---- */

/* NULL: it doesn't. */
struct sub *sub_find(struct conn *cn, const struct room *r);
/* The connection reads the match live from now on. */
struct sub *sub_add(struct core *c, struct conn *cn, struct room *r, bool player);
void sub_drop(struct core *c, struct sub *s);
void subs_drop(struct core *c, struct conn *cn);
/* A reader that fell behind has caught breath: it syncs whatever it missed. */
void subs_resync(struct core *c, struct conn *cn);
/* An agreed undo has gone back to `undo_to`: who was given a later state syncs again. */
void room_undone(struct core *c, struct room *r, uint32_t undo_to);
/* match.presence, or match.clock where a clock runs, to one connection. */
void room_tell_presence(struct core *c, const struct room *r, struct conn *cn);
void room_tell_clock(struct core *c, const struct room *r, struct conn *cn);
void room_tell_all_presence(struct core *c, struct room *r);
void room_tell_all_clock(struct core *c, struct room *r);
/* What delayed viewers may see by now, to them. */
void room_show(struct core *c, struct room *r);
/* The user as a viewer of this match; and anybody without a seat. */
struct match_viewer room_viewer(const struct room *r, const struct user *u);
extern const struct match_viewer room_stranger;
/* Entries [first, first + n) as one run of lines, written once for all readers; one reference, the
 * caller's. */
NODISCARD struct shared *room_lines(struct core *c, struct room *r, uint32_t first, uint32_t n);
/* One line to players, then (all) to those who look on, but not to who has muted `from`. */
struct room_line {
    struct shared *line;
    const char *from;                       /* NULL: nobody in particular */
    bool to_players, to_watchers, to_later; /* later: who looks on with a delay */
};
void room_say(struct core *c, struct room *r, const struct room_line *l);

#endif
