/* SPDX-License-Identifier: ISC
 * load.h -- stored rows into a new core, before the loop runs.
 */
#ifndef SK_SERVER_SHELL_LOAD_H
#define SK_SERVER_SHELL_LOAD_H

#include "server/shell/store.h"

/* What was read. */
struct load_report {
    unsigned users, matches;
    unsigned archived; /* of a proof */
    unsigned aside;    /* rows that can't be used */
    uint64_t entries;
};

/*
 * Feed every row to `core` and end with core_load_done. A row that can't be used is logged and set
 * aside; the rest goes on. ERR_DATA, ERR_IO with why[]: the store can't be read.
 */
NODISCARD enum err load_all(struct store *store, struct core *core, char why[STORE_WHY_LEN]);
/*
 * The same as a proof: nothing is believed but journals, every match is played again from its first
 * entry, and must come to the hashes that its row has; those in the archive too.
 */
NODISCARD enum err load_proof(struct store *store, struct core *core, struct load_report *out,
                              char why[STORE_WHY_LEN]);
/* Serving time so far (ARCHITECTURE, served_ms): 0 for a new store. Same errors. */
NODISCARD enum err load_served_ms(struct store *store, int64_t *out, char why[STORE_WHY_LEN]);

#endif
