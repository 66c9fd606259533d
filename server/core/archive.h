/* SPDX-License-Identifier: ISC
 * archive.h -- a finished match as text, to be kept on disk, and back.
 *
 * The text is the match's record (PROTOCOL, Records) and one line more, `{"row":...,"snapshot":...}`:
 * the referee's private row and its last snapshot, so that the match can be opened again without
 * being played again.
 */
#ifndef SK_CORE_ARCHIVE_H
#define SK_CORE_ARCHIVE_H

#include "server/core/match.h"

#define ARCHIVE_WHY_LEN 320

void archive_write(const struct match *m, struct buf *out);

/* What opening needs of the server; all borrowed for the life of what is opened. */
struct archive_env {
    const struct scenario_set *scenarios; /* NULL: none; the record has its own */
    const struct match_env *match;
    struct match_now now;
    bool verify; /* play it all again, pass the snapshot over, compare the record byte for byte */
};
struct archived {
    struct match *m;           /* NULL: nothing */
    struct scenario *scenario; /* owned; NULL: the set's */
    struct rules_board *board; /* owned; NULL: the scenario's */
};
/* Open it again. ERR_DATA: why[] says what isn't sound; *out is empty. */
NODISCARD enum err archive_open(const struct archive_env *env, const char *text, size_t len,
                                struct archived *out, char why[ARCHIVE_WHY_LEN]);
void archived_fini(struct archived *a);

#endif
