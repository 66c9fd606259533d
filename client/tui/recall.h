/* SPDX-License-Identifier: ISC
 * recall.h -- lines that were typed before, to be had again with the arrow keys. Pure.
 */
#ifndef SK_TUI_RECALL_H
#define SK_TUI_RECALL_H

#include "client/tui/field.h"

#define RECALL_LINES 32

/* Zeroed, it is empty. */
struct recall {
    char *line[RECALL_LINES]; /* owned; the oldest first */
    unsigned n, at;           /* at: the one shown; n: none, the draft */
    char *draft;              /* owned: what stood there before the first arrow */
};
void recall_fini(struct recall *r);
/* A line was given: the newest from now on (one that is there already moves up). */
void recall_add(struct recall *r, const char *line);
/* Begin at the draft. */
void recall_begin(struct recall *r);
/* Up or down: the line before or behind into the field. False: the key is another. */
bool recall_key(struct recall *r, struct field *f, uint32_t key);

#endif
