/* SPDX-License-Identifier: ISC
 * lib_badfs.h -- a disk under SQLite that can be told to fail, and that counts.
 */
#ifndef SK_TESTS_LIB_BADFS_H
#define SK_TESTS_LIB_BADFS_H

#include "common/base/util.h"

enum badfs_fault {
    BADFS_NONE,
    BADFS_FULL,      /* writes: no room */
    BADFS_WRITE_EIO, /* writes: I/O error */
    BADFS_TORN,      /* a write leaves its first half, then I/O error */
    BADFS_SYNC_EIO   /* syncs: I/O error */
};

/* Make it SQLite's default; once a process. */
void badfs_install(void);
/* From the `after`-th (0: the next) such call on, fail. Until changed. */
void badfs_set(enum badfs_fault fault, unsigned after);
/* Calls failed since badfs_set. */
unsigned badfs_failed(void);

/* What was written of databases and their write-ahead logs since badfs_watch. */
struct badfs_seen {
    uint64_t log_end;   /* the largest size that a log had */
    uint64_t log_bytes; /* written to logs in all */
    uint64_t db_bytes;  /* written to databases in all */
    uint64_t db_run;    /* the most that was written to databases between two writes of a log */
};
void badfs_watch(void);
void badfs_seen(struct badfs_seen *out);

#endif
