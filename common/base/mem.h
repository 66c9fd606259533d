/* SPDX-License-Identifier: ISC
 * mem.h -- heap memory that is there or the process ends.
 *
 * Exhaustion prints one line and aborts: a clean end that keeps the same promises as
 * SIGKILL. Sizes multiply checked. Everything is freed with mem_free.
 */
#ifndef SK_BASE_MEM_H
#define SK_BASE_MEM_H

#include "common/base/util.h"

/* `n` uninitialised bytes, owned by the caller. Never NULL. */
NODISCARD void *mem_alloc(size_t n);
/* `n` zero bytes, owned by the caller. Never NULL. */
NODISCARD void *mem_zalloc(size_t n);
/* Zeroed array of `count` elements of `size` bytes; aborts on overflow too. */
NODISCARD void *mem_array(size_t count, size_t size);
/* Resize to `count` elements of `size` bytes; takes `p` (may be NULL). New bytes are not set. */
NODISCARD void *mem_resize(void *p, size_t count, size_t size);
/* Copy of `n` bytes, owned by the caller. */
NODISCARD void *mem_dup(const void *p, size_t n);
/* Copy of a C string, owned by the caller. */
NODISCARD char *mem_strdup(const char *s);
/* Copy of `n` bytes with a NUL behind them, owned by the caller. */
NODISCARD char *mem_strndup(const char *s, size_t n);
/* Takes `p`; NULL is nothing. */
void mem_free(void *p);

#endif
