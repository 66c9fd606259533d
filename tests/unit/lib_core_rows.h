/* SPDX-License-Identifier: ISC
 * lib_core_rows.h -- what the store of lib_core's small world keeps, as rows; for lib_core.c alone.
 */
#ifndef SK_TESTS_LIB_CORE_ROWS_H
#define SK_TESTS_LIB_CORE_ROWS_H

#include "tests/unit/lib_core.h"

/* One op of a transaction that ended well. */
void rows_keep(struct world *w, const struct store_op *op);
/* All that a core recovers, into w->core, as a new process does. */
void rows_load(struct world *w);
/* The rows that are asked for, newest first. */
void rows_read(const struct world *w, const struct store_read *q, struct store_found *out);
void rows_fini(struct world *w);

#endif
