/* SPDX-License-Identifier: ISC
 * lib_badfs.h -- a disk under SQLite that can be told to fail.
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

#endif
