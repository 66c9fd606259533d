/* SPDX-License-Identifier: ISC
 * store.h -- what the server must not forget, behind one asynchronous door.
 *
 * Transactions are taken in the order given and committed in groups: one writer thread takes all
 * that waits, commits it at once, and the answers come back on the loop's thread in the same
 * order. The loop never waits for the disk. Where rows live is a backend's business
 * (store_backend.h): SQLite, or memory.
 *
 * Life: open, store_meta and store_load, store_start, store_submit ..., store_stop, store_free.
 * store_load is allowed after store_stop too.
 */
#ifndef SK_SERVER_SHELL_STORE_H
#define SK_SERVER_SHELL_STORE_H

#include <uv.h>

#include "server/core/core.h"

#define STORE_WHY_LEN 256

struct store;

struct store_hooks {
    /* On the loop's thread, in the order of store_submit. ERR_OK: durable. ERR_STORAGE: surely not
     * saved, nothing of it (the disk is full). */
    void (*done)(void *arg, uint64_t txn, enum err err);
    /* On the loop's thread too, in one row with `done`: what store_ask asked for. *found may be
     * emptied; what is left is freed. */
    void (*found)(void *arg, uint64_t id, struct store_found *found);
    /* On the writer's thread: the outcome of a commit can't be known, or stored data can't be read
     * back. Nothing given since is answered, ever. A server ends the process here; `why` is words
     * for people. */
    void (*lost)(void *arg, const char *why);
    void *arg;
};

/*
 * Where store_load puts the rows, in this order: meta, users, tokens, invites, matches (each with its
 * newest snapshot and all its journal lines), shares. All pointers are borrowed for the call.
 */
struct store_sink {
    void *arg;
    void (*meta)(void *arg, const char *name, const char *data);
    void (*user)(void *arg, const char *name, const char *data, size_t len);
    void (*token)(void *arg, const uint8_t hash[32], const char *user, const char *data,
                  size_t len);
    void (*invite)(void *arg, const uint8_t hash[32], const char *data, size_t len);
    void (*match)(void *arg, const struct core_match_row *row);
    void (*share)(void *arg, const uint8_t match[MATCH_ID_LEN], enum role role, uint32_t roll,
                  const uint8_t share[FD1_LEN]);
    /* A row that isn't what was written (`what` says which). A match still comes, as far as it can
     * be read, in state MATCH_BROKEN. */
    void (*damaged)(void *arg, const char *what);
};

struct store_stats {
    uint64_t groups, txns; /* committed */
    uint64_t refused;      /* transactions answered ERR_STORAGE */
    uint64_t commit_us;    /* time spent in commits, all of them */
    struct hist commit;    /* of groups */
    struct hist rest;      /* of housekeeping between two commits, which waits for it */
    struct hist wait;      /* of transactions, from store_submit to hooks.done */
    size_t waiting;        /* now: transactions and questions not yet begun */
};

/*
 * Open, or create, the SQLite database at `path` and bring its schema up to date. *out is owned:
 * store_free. why[] says what is wrong in words for people:
 * ERR_VERSION written by a newer program; ERR_DATA not our database, or damaged; ERR_BUSY another
 * process has it open; ERR_IO the rest.
 */
NODISCARD enum err store_open_sqlite(const char *path, struct store **out, char why[STORE_WHY_LEN]);
/* A store that lives as long as the process, for benchmarks and tests. *out is owned. */
void store_open_memory(struct store **out);

/* One META row into `out` (appended). ERR_NOT_FOUND; ERR_DATA damaged; ERR_IO. */
NODISCARD enum err store_meta(struct store *s, const char *name, struct buf *out);
/* Every row into `sink`. ERR_IO or ERR_DATA (why[]): reading itself failed. */
NODISCARD enum err store_load(struct store *s, const struct store_sink *sink,
                              char why[STORE_WHY_LEN]);

/* What store_ask asks for, at once; before store_start. *out: store_found_fini. */
void store_find(struct store *s, const struct store_read *read, struct store_found *out);

/* Begin to write, and to answer on `loop`. `hooks` is copied. */
void store_start(struct store *s, uv_loop_t *loop, const struct store_hooks *hooks);
/* Keep `txn` (taken). Answered by hooks.done. What is given in one turn of the loop is one group,
 * and goes to the writer at the turn's end. */
void store_submit(struct store *s, struct store_txn *txn);
/* Don't wait for the end of the turn: for who gives something at that end. */
void store_push(struct store *s);
/* Ask (taken), behind what was given before. Answered by hooks.found. */
void store_ask(struct store *s, struct store_read *read);
/*
 * A copy of the whole database as it is between two transactions, in a new file; the writer's thread
 * makes it, and commits wait meanwhile. Fields but the last two are the caller's, which keeps it all
 * until `done`, on the loop's thread: ERR_OK (complete, not yet synced); ERR_STORAGE no room, ERR_IO,
 * ERR_EOF the store has stopped, ERR_NOT_FOUND it is kept in memory: why[]. One at a time.
 */
struct store_copy {
    const char *path; /* nothing may be there */
    void (*done)(struct store_copy *c);
    enum err err;
    char why[STORE_WHY_LEN];
};
void store_copy(struct store *s, struct store_copy *c);

/* Commit what waits, answer it (here, before this returns), end the thread. The loop must run
 * twice more for its handles to close. Nothing if not started. */
void store_stop(struct store *s);
/* Takes `s`; stops it first if need be. NULL is nothing. */
void store_free(struct store *s);

/* Bytes of memory that SQLite holds in this process, its page cache for the most part. */
int64_t store_sqlite_memory(void);
const char *store_name(const struct store *s); /* "sqlite", "memory" */
void store_stats(struct store *s, struct store_stats *out);

#endif
