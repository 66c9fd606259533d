/* SPDX-License-Identifier: ISC
 * hasher.h -- password hashes (argon2id) on two threads of their own.
 *
 * One hash takes 70 to 130 ms and 19 MiB: never on the loop, never more than two at once, never
 * more than HASHER_QUEUE waiting. The threads run at nice 10, behind the games.
 */
#ifndef SK_SERVER_SHELL_HASHER_H
#define SK_SERVER_SHELL_HASHER_H

#include <uv.h>

#include "common/base/err.h"

#define HASHER_THREADS 2
#define HASHER_QUEUE   32  /* jobs that wait */
#define HASHER_LEN     128 /* of a hash string, with NUL (crypto_pwhash_STRBYTES) */
#define HASHER_MEM     ((size_t)19 * 1024 * 1024)
#define HASHER_OPS     2

struct hasher;

struct hasher_done {
    uint64_t job;
    enum err err;          /* ERR_BUSY: the queue was full, nothing was done */
    bool ok;               /* verify: it fits; make: it was made */
    char hash[HASHER_LEN]; /* make: the new string, else "" */
};
/* On the loop's thread; never from within hasher_submit. */
typedef void hasher_done_cb(void *arg, const struct hasher_done *done);

/* *out is owned. */
void hasher_start(uv_loop_t *loop, hasher_done_cb *done, void *arg, struct hasher **out);
/* Verify `password` against `hash`, or make a hash of it where `hash` is NULL. Takes both strings
 * (mem_free); the password is wiped. */
void hasher_submit(struct hasher *h, uint64_t job, char *password, char *hash);
/* Takes `h`: drops what waits, lets what runs end, tells nothing more. The loop must run once more
 * for its handle to close. */
void hasher_stop(struct hasher *h);

#endif
