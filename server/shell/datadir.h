/* SPDX-License-Identifier: ISC
 * datadir.h -- the directory that holds everything the server keeps: who may, one at a time, and
 * the master key.
 */
#ifndef SK_SERVER_SHELL_DATADIR_H
#define SK_SERVER_SHELL_DATADIR_H

#include "common/base/err.h"

#define DATADIR_PATH_LEN 4096
#define DATADIR_WHY_LEN  (DATADIR_PATH_LEN + 256)
#define MASTER_KEY_LEN   32

struct datadir {
    char path[DATADIR_PATH_LEN - 64]; /* leaves room for a file's name */
    int lock;                         /* held descriptor, or -1 */
};

/* DICE, Chains: the key that every server chain of this club grows from; never in the database. */
struct master_key {
    uint8_t key[MASTER_KEY_LEN];
    uint32_t kid; /* names it: match rows hold the kid alone */
    bool is_new;  /* made just now */
};

/*
 * Make `path` (and its parents) where it is missing, mode 0700, and lock it for this process.
 * why[] on error: ERR_BUSY another server has it; ERR_DENIED others may write to it; ERR_IO.
 */
NODISCARD enum err datadir_open(const char *path, struct datadir *d, char why[DATADIR_WHY_LEN]);
/* The same with the lock that another process handed over (taken; always open on return). */
NODISCARD enum err datadir_adopt(const char *path, int lock, struct datadir *d,
                                 char why[DATADIR_WHY_LEN]);
/* Gives up the lock. */
void datadir_close(struct datadir *d);
/* PATH/name into `out`. */
void datadir_file(const struct datadir *d, const char *name, char out[DATADIR_PATH_LEN]);

/*
 * Read PATH/master.key, or make it (mode 0400) where there is none. why[] on error: ERR_DENIED
 * others may read it; ERR_DATA it is no key; ERR_IO.
 */
NODISCARD enum err datadir_master_key(const struct datadir *d, struct master_key *out,
                                      char why[DATADIR_WHY_LEN]);

#endif
