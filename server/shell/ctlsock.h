/* SPDX-License-Identifier: ISC
 * ctlsock.h -- the operator's door: a UNIX socket, DIR/admin.sock, lines of JSON in and out (admin.h of
 * the core).
 *
 * Mode 0600, and whoever gets through all the same is asked for by the kernel's word: only root and the
 * server's own user are heard, others are refused and logged. One request of a connection is under way
 * at a time. A new server takes the path over from an old one, or from what a crash left.
 */
#ifndef SK_SERVER_SHELL_CTLSOCK_H
#define SK_SERVER_SHELL_CTLSOCK_H

#include <uv.h>

#include "server/core/core.h"

#define CTLSOCK_NAME    "admin.sock"
#define CTLSOCK_WHY_LEN 4400
#define CTLSOCK_WHO_LEN 40

struct ctlsock;

struct ctlsock_hooks {
    /* A line, without its end, from `who` ("root"); both borrowed. Answered by ctlsock_answer. */
    void (*line)(void *arg, uint64_t conn, const char *who, const char *data, size_t len);
    void *arg;
};

/* Listen at `path`. ERR_IO: why[]. *out is owned: ctlsock_close. */
NODISCARD enum err ctlsock_open(uv_loop_t *loop, const char *path,
                                const struct ctlsock_hooks *hooks, struct ctlsock **out,
                                char why[CTLSOCK_WHY_LEN]);
/* The answer to the connection's request, a line with its end (takes the reference). */
void ctlsock_answer(struct ctlsock *s, uint64_t conn, struct shared *line);
/* Takes `s`: all connections end, and the path goes unless another server has taken it over; the loop
 * must run once more for the handles to close. NULL is nothing. */
void ctlsock_close(struct ctlsock *s);

/* A user's name as the system knows it, or "uid N". */
void ctlsock_name(unsigned uid, char who[CTLSOCK_WHO_LEN]);

/* The other end: a connected descriptor. ERR_NOT_FOUND no server there; ERR_DENIED; ERR_IO: why[]. */
NODISCARD enum err ctlsock_connect(const char *path, int *fd, char why[CTLSOCK_WHY_LEN]);

#endif
