/* SPDX-License-Identifier: ISC
 * house.h -- a house bot's day: which of its matches it sits at.
 *
 * It takes every challenge to it, plays all its matches at once by going from one to the next that
 * waits for it, and never ends by itself. It asks the server what waits (`match.mine`) each second,
 * and as soon as it is challenged; so it needs to remember nothing.
 */
#ifndef SK_CLIENT_HOUSE_H
#define SK_CLIENT_HOUSE_H

#include <uv.h>

#include "client/app.h"

#define HOUSE_SHUNNED 16

struct house {
    struct app *app;
    void *data;                /* of the hook below */
    void (*stand)(void *data); /* it is about to leave its seat */
    uv_timer_t timer;          /* until the next look */
    bool asks;                 /* an answer is to come */
    bool failed;               /* there is no getting to the match that it has gone to */
    bool go_on;                /* see seat_wish */
    struct seat_wish wish;     /* of the seat */
    char match[MATCH_ID_HEX];  /* where it sits, or went last */
    char shunned[HOUSE_SHUNNED][MATCH_ID_HEX]; /* matches that it couldn't get to */
    unsigned n_shunned;                        /* ever; the newest are there */
};

/* Before the loop runs. `app`, and the house until house_close, are borrowed. */
void house_begin(struct house *h, struct app *app);
/* Logged in; challenged, perhaps; the match may be over, or waits for the other side. */
void house_look(struct house *h);
/* From the seat's hook of that name. */
void house_failed(struct house *h);
/* The loop ends. */
void house_close(struct house *h);

#endif
