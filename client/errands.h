/* SPDX-License-Identifier: ISC
 * errands.h -- our part in the dice of matches that we sit at and don't look at just now.
 *
 * The server asks each of our connections for a share. Who is in the lobby or at another match must
 * not keep the opponent waiting: for such a match a seat without a front end follows the journal,
 * checks it, and gives shares and anchors. It never orders, and leaves the dice alone where the
 * secret is on another machine.
 */
#ifndef SK_CLIENT_ERRANDS_H
#define SK_CLIENT_ERRANDS_H

#include "client/seat.h"

struct errands;

struct errands_config {
    struct seat *const *front; /* the place of a front end's seat, NULL in the lobby. Borrowed */
    bool go_on;                /* as of struct seat_wish */
    void (*told)(void *data, const char *text); /* news for people: "Match #7: ..." */
    void *data;
};

/* Borrows `link`. errands_free in the end, after link_free. */
struct errands *errands_new(struct uv_loop_s *loop, struct link *link,
                            const struct errands_config *cfg);
void errands_free(struct errands *e);
/* The line is up, or down. */
void errands_up(struct errands *e);
void errands_down(struct errands *e);
void errands_note(struct errands *e, enum msg_note note, const struct json *params);
/* A front end is about to sit down at `match` (id or number; NULL: a new one): that one is its
 * own. Not from within a hook of a seat. */
void errands_leave(struct errands *e, const char *match);
/* The front end has left its match: see what waits there. */
void errands_back(struct errands *e);
/* How many matches are followed. */
unsigned errands_count(const struct errands *e);

#endif
