/* SPDX-License-Identifier: ISC
 * starter.h -- the one that can start the program again, when the server itself no longer may.
 *
 * The server runs under a filter without exec (confine.h). So before that, and before it holds any
 * secret, descriptor or thread, it forks a small process which does nothing but wait: on a word it
 * starts the program at this one's path, and nothing else, with our arguments and the descriptors
 * sent along. It ends with the server.
 */
#ifndef SK_SERVER_SHELL_STARTER_H
#define SK_SERVER_SHELL_STARTER_H

#include "common/base/err.h"

#define STARTER_FDS 40 /* sent along at most */

struct starter {
    int fd; /* to it; -1: there is none */
};

enum starter_what {
    STARTER_BEGUN,  /* value: the new process */
    STARTER_FAILED, /* value: errno of the exec or fork */
    STARTER_ENDED,  /* value: its status as of wait(2) */
    STARTER_GONE    /* the starter itself is */
};
struct starter_word {
    int32_t what; /* enum starter_what */
    int32_t value;
};

/* Fork it. Single-threaded still. ERR_IO: errno, s->fd is -1. */
NODISCARD enum err starter_open(struct starter *s, char **argv);
/* Start it, with `fd` as its descriptors from 3 on (borrowed), and `variable` ("NAME=value", less
 * than 80 bytes) in its environment. False: the starter is gone. */
NODISCARD bool starter_start(const struct starter *s, const int *fd, size_t n,
                             const char *variable);
/* SIGKILL for what was started, if it still runs. */
void starter_kill(const struct starter *s);
/* The next word, without waiting; false: none yet. */
NODISCARD bool starter_hear(const struct starter *s, struct starter_word *out);
/* It ends. */
void starter_close(struct starter *s);

#endif
