/* SPDX-License-Identifier: ISC
 * handover.h -- an upgrade, as seen by the process that is replaced: start the new program, give it
 * the sockets and the directory's lock, and let it have the database, in this order:
 *
 *   1. it is started, reads its configuration and takes the sockets; says "ready"
 *   2. hooks.ready: the owner takes no more orders and closes the database, then handover_go
 *   3. it opens, migrates and recovers the database; says "loaded"
 *   4. hooks.loaded: the owner sends its peers away and ends; the new one serves
 *
 * Whatever fails before 4 (it ends, or isn't heard of for too long) ends in hooks.failed, with the
 * new process gone for sure: the owner opens the database again and goes on.
 */
#ifndef SK_SERVER_SHELL_HANDOVER_H
#define SK_SERVER_SHELL_HANDOVER_H

#include <uv.h>

#include "common/base/err.h"
#include "server/shell/starter.h"

#define HANDOVER_WHY_LEN   200
#define HANDOVER_READY_MS  30000
#define HANDOVER_LOADED_MS 120000

struct handover;

struct handover_hooks {
    void (*ready)(void *arg);
    void (*loaded)(void *arg, int pid);
    void (*failed)(void *arg, const char *why); /* the last one; `why` is borrowed */
    void *arg;
};
struct handover_gift {
    const struct starter *starter; /* borrowed until handover_free */
    const int *fd;                 /* listening sockets, borrowed for the call */
    size_t n;
    int lock; /* of the data directory; -1: none */
};

/*
 * Step 1. *out is owned: handover_free. ERR_IO: there is nobody to start it, why[], no hook is
 * called.
 */
NODISCARD enum err handover_start(uv_loop_t *loop, const struct handover_gift *gift,
                                  const struct handover_hooks *hooks, struct handover **out,
                                  char why[HANDOVER_WHY_LEN]);
/* Step 3: the database is closed. */
void handover_go(struct handover *h);
/* Step 4's end: the new one may serve; from now on it is on its own. */
void handover_done(struct handover *h);
/* Give it up: the new process is killed, hooks.failed is called once it is gone. */
void handover_cancel(struct handover *h, const char *why);
/* Takes `h` (NULL is nothing): no hook is called any more; the loop must run once more. */
void handover_free(struct handover *h);

#endif
