/* SPDX-License-Identifier: ISC
 * load.h -- stored rows into a new core, before the loop runs.
 */
#ifndef SK_SERVER_SHELL_LOAD_H
#define SK_SERVER_SHELL_LOAD_H

#include "server/shell/store.h"

/*
 * Feed every row to `core` and end with core_load_done. A row that can't be used is logged and set
 * aside; the rest goes on. ERR_DATA, ERR_IO with why[]: the store can't be read.
 */
NODISCARD enum err load_all(struct store *store, struct core *core, char why[STORE_WHY_LEN]);
/* Serving time so far (ARCHITECTURE, served_ms): 0 for a new store. Same errors. */
NODISCARD enum err load_served_ms(struct store *store, int64_t *out, char why[STORE_WHY_LEN]);

#endif
