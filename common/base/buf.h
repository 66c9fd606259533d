/* SPDX-License-Identifier: ISC
 * buf.h -- a growing run of bytes.
 *
 * Invariants: data[0..len) is the content; when cap > 0, len < cap and data[len] is NUL,
 * so text built in a buf is a C string (buf_str). A zeroed struct is an empty buf.
 */
#ifndef SK_BASE_BUF_H
#define SK_BASE_BUF_H

#include <stdarg.h>

#include "common/base/err.h"
#include "common/base/util.h"

struct buf {
    char *data;
    size_t len, cap;
};

#define BUF_EMPTY ((struct buf){NULL, 0, 0})

/* Free the content; the buf is empty and may be used again. */
void buf_fini(struct buf *b);
/* Forget the content, keep the room. */
void buf_reset(struct buf *b);
/* Room for `n` more bytes behind len (and the NUL). Returns where they go; caller adds to len. */
char *buf_room(struct buf *b, size_t n);
void buf_put(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
/* Append a decimal integer; no printf behind it. */
void buf_put_int(struct buf *b, int64_t v);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Drop the first `n` bytes (n <= len); the rest moves down. */
void buf_consume(struct buf *b, size_t n);
/* The content as a C string, "" when empty. Borrowed until the next change. */
const char *buf_str(const struct buf *b);
/* The content as a heap string the caller owns; the buf is empty after. */
NODISCARD char *buf_detach(struct buf *b);
/*
 * Whole file into `b` (appended), at most `max` bytes. "-" is standard input.
 * ERR_IO (errno says why), ERR_ROOM when it is larger; `b` is then as before.
 */
NODISCARD enum err buf_read_file(struct buf *b, const char *path, size_t max);

#endif
