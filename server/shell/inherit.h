/* SPDX-License-Identifier: ISC
 * inherit.h -- descriptors that this process was started with: listening sockets of a service
 * manager (sd_listen_fds(3)), or all that an older skirmishd hands over (handover.h).
 */
#ifndef SK_SERVER_SHELL_INHERIT_H
#define SK_SERVER_SHELL_INHERIT_H

#include "common/base/err.h"

#define INHERIT_MAX     32
#define INHERIT_WHY_LEN 160
#define INHERIT_FIRST   3                    /* descriptor of the first one */
#define INHERIT_VAR     "SKIRMISHD_HANDOVER" /* in the environment: "SOCKETS PARENT LOCK" */

struct inherit {
    int fd[INHERIT_MAX]; /* listening sockets; -1: taken */
    size_t n;
    int lock;   /* of the data directory, or -1 */
    int parent; /* to the process that hands over, or -1: nobody does */
};

/* Read the environment, and clear what was read from it, for our own children. ERR_PARAMS: why[]. */
NODISCARD enum err inherit_take(struct inherit *in, char why[INHERIT_WHY_LEN]);
/* The socket bound to this address (port 0: to any port of it), now the caller's; -1: none. */
int inherit_find(struct inherit *in, const char *host, uint16_t port);
/* Any socket that is left, now the caller's; -1: none. */
int inherit_next(struct inherit *in);
/* Close what nobody took. */
void inherit_close(struct inherit *in);

/* A word to the process that hands over. Nothing where there is none. */
void inherit_say(const struct inherit *in, const char *word);
/* Wait for its word: false when it has gone instead. */
NODISCARD bool inherit_hear(const struct inherit *in, const char *word);

#endif
