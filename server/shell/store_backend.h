/* SPDX-License-Identifier: ISC
 * store_backend.h -- what a kind of store does; blocking, and free of threads.
 *
 * A backend embeds struct store_backend as its first member. Its functions are called by one thread
 * at a time: the loop's before store_start and after store_stop, the writer's between.
 */
#ifndef SK_SERVER_SHELL_STORE_BACKEND_H
#define SK_SERVER_SHELL_STORE_BACKEND_H

#include "server/shell/store.h"

struct store_backend;

/* Transactions to commit together, in order. Borrowed. */
struct store_group {
    struct store_txn *const *txn;
    size_t n;
};

struct store_backend_class {
    const char *name;
    NODISCARD enum err (*meta)(struct store_backend *b, const char *name, struct buf *out);
    NODISCARD enum err (*load)(struct store_backend *b, const struct store_sink *sink,
                               char why[STORE_WHY_LEN]);
    /* All of the group or nothing of it. ERR_STORAGE: surely nothing is saved. Any other error: the
     * outcome isn't known, or the backend can't go on; it is used no more but to be closed. */
    NODISCARD enum err (*commit)(struct store_backend *b, const struct store_group *g,
                                 char why[STORE_WHY_LEN]);
    /* Into *out, zeroed before. */
    void (*read)(struct store_backend *b, const struct store_read *r, struct store_found *out);
    /* Housekeeping that waits for a quiet moment: is there any, may it wait on, do it. */
    bool (*wants_rest)(const struct store_backend *b);
    bool (*needs_rest)(const struct store_backend *b);
    NODISCARD enum err (*rest)(struct store_backend *b, char why[STORE_WHY_LEN]);
    /* store_copy; NULL: there is nothing to copy. An error leaves the backend as it was. */
    NODISCARD enum err (*copy)(struct store_backend *b, const char *path, char why[STORE_WHY_LEN]);
    void (*close)(struct store_backend *b); /* takes b */
};

struct store_backend {
    const struct store_backend_class *class;
};

/* The door before a backend (taken). */
struct store *store_new(struct store_backend *b);

#endif
