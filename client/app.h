/* SPDX-License-Identifier: ISC
 * app.h -- one client program at work: event loop, link and seat, and the front end that looks at
 * them (line mode, full screen, bot).
 */
#ifndef SK_CLIENT_APP_H
#define SK_CLIENT_APP_H

#include "client/options.h"

struct uv_loop_s;
struct app;

/* A front end; `data` is its own. What is NULL is passed over. */
struct app_front {
    void *data;
    void (*begin)(void *data, struct app *app); /* before the loop runs */
    void (*up)(void *data);                     /* logged in (again) */
    void (*down)(void *data, const char *why, int64_t retry_ms);
    void (*note)(void *data, enum msg_note note, const struct json *params); /* but a match's */
    void (*told)(void *data, const char *text); /* news for people; NULL: to standard error */
    void (*close)(void *data);                  /* the loop ends: close own handles */
    struct seat_hooks seat;                     /* its `data` too */
};

/* Run until the front end leaves or nothing can be done any more. Returns the exit code. What
 * fails is said on standard error. */
int app_run(const struct options *opt, const struct app_front *front);

const struct options *app_options(const struct app *app);
struct uv_loop_s *app_loop(struct app *app);
struct link *app_link(struct app *app);
/* The seat; NULL in the lobby. */
struct seat *app_seat(struct app *app);
/* Take a place at a match; only while there is none. The strings of `wish` stay borrowed. */
void app_sit(struct app *app, const struct seat_wish *wish);
/* Give the place up, back to the lobby; not from within a hook of the seat. */
void app_stand(struct app *app);
/* End the loop with this exit code. */
void app_leave(struct app *app, int code);

#endif
