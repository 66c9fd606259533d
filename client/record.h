/* SPDX-License-Identifier: ISC
 * record.h -- a match as a file: read line by line, everything checked (PROTOCOL, Records).
 *
 * Pure. Every byte counts: the first line's frame and scenario, the entries by the hash chain and
 * by what rules and dice give, the last line as it must be written.
 */
#ifndef SK_CLIENT_RECORD_H
#define SK_CLIENT_RECORD_H

#include "client/audit.h"

#define RECORD_FILE_MAX ((size_t)256 * 1024 * 1024)

struct record {
    struct scenario *scn; /* owned; NULL before the first line */
    struct audit audit;
    uint64_t line;                /* number of the line looked at last, from 1 */
    char why[AUDIT_WHY_LEN + 40]; /* what is wrong with it */
};

/* Told of each entry once it is checked: r->audit.last. */
struct record_sink {
    void *data;
    void (*entry)(void *data, const struct record *r);
};

/*
 * Check the whole record; `head` (64 hex digits, or NULL) is the hash that somebody kept from
 * play. ERR_DATA: r->line and r->why. record_fini in either case.
 */
NODISCARD enum err record_check(struct record *r, const char *text, size_t len, const char *head,
                                const struct record_sink *sink);
void record_fini(struct record *r);
/* What a sound record shows, in a line or two. */
void record_words(const struct record *r, struct buf *out);

#endif
