/* SPDX-License-Identifier: ISC
 * metrics.h -- a page of figures for Prometheus, on a loopback address or a UNIX socket.
 *
 * A small HTTP/1.0 responder: GET and HEAD of /metrics, nothing else, a few callers at a time, each
 * with a deadline and little room. It is a door for one scraper on this machine, not a web server.
 */
#ifndef SK_SERVER_SHELL_METRICS_H
#define SK_SERVER_SHELL_METRICS_H

#include <uv.h>

#include "common/base/buf.h"
#include "common/base/err.h"

#define METRICS_WHY_LEN     400
#define METRICS_PEERS_MAX   8    /* one more is closed at once */
#define METRICS_REQUEST_MAX 4096 /* bytes of a request's head */
#define METRICS_DEADLINE_MS 3000 /* from a caller's coming to its end */

struct metrics;
struct metrics_config {
    const char *where; /* as the configuration has it; borrowed for the call */
    bool patient;      /* see below */
    void (*page)(void *arg, struct buf *out); /* append the page (text format 0.0.4) */
    void *arg;
};

/*
 * Listen. *out is owned: metrics_close. why[]: ERR_BUSY somebody listens there; ERR_IO the rest. With `patient`, ERR_BUSY isn't given: it is tried again
 * until it is free (the server that we take over from still has it).
 */
NODISCARD enum err metrics_open(uv_loop_t *loop, const struct metrics_config *cfg,
                                struct metrics **out, char why[METRICS_WHY_LEN]);
/* Takes `m`, may be NULL; the loop must run until its handles are closed. */
void metrics_close(struct metrics *m);

#endif
