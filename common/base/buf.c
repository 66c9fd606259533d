/* SPDX-License-Identifier: ISC */
#include "common/base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"

enum { CAP_MIN = 64, READ_STEP = 64 * 1024 };

void buf_fini(struct buf *b)
{
    mem_free(b->data);
    *b = BUF_EMPTY;
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    if (b->cap > 0)
        b->data[0] = '\0';
}

char *buf_room(struct buf *b, size_t n)
{
    size_t cap = b->cap;

    CHECK(n < SIZE_MAX / 2 - b->len);
    if (cap > b->len + n)
        return b->data + b->len;
    cap = MAX(cap, (size_t)CAP_MIN);
    while (cap <= b->len + n)
        cap *= 2;
    b->data = mem_resize(b->data, cap, 1);
    b->cap = cap;
    b->data[b->len] = '\0';
    return b->data + b->len;
}

/* The same without a call when the room is there. */
static char *room(struct buf *b, size_t n)
{
    return b->cap - b->len > n ? b->data + b->len : buf_room(b, n);
}

void buf_put(struct buf *b, const void *p, size_t n)
{
    char *dst = room(b, n);

    if (n > 0)
        memcpy(dst, p, n);
    dst[n] = '\0';
    b->len += n;
}

void buf_puts(struct buf *b, const char *s)
{
    buf_put(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
    char *dst = room(b, 1);

    dst[0] = c;
    dst[1] = '\0';
    b->len++;
}

void buf_put_int(struct buf *b, int64_t v)
{
    char *end = str_put_int(room(b, STR_INT_MAX), v);

    *end = '\0';
    b->len = (size_t)(end - b->data);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    char *dst = buf_room(b, 0);
    const size_t room = b->cap - b->len;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(dst, room, fmt, ap);
    CHECK(n >= 0);
    if ((size_t)n >= room) {
        dst = buf_room(b, (size_t)n);
        n = vsnprintf(dst, (size_t)n + 1, fmt, again);
        CHECK(n >= 0);
    }
    va_end(again);
    b->len += (size_t)n;
}

void buf_consume(struct buf *b, size_t n)
{
    CHECK(n <= b->len);
    if (n == 0)
        return;
    b->len -= n;
    memmove(b->data, b->data + n, b->len + 1);
}

const char *buf_str(const struct buf *b)
{
    return b->cap > 0 ? b->data : "";
}

char *buf_detach(struct buf *b)
{
    char *s = b->cap > 0 ? b->data : mem_strdup("");

    *b = BUF_EMPTY;
    return s;
}

/* Append what `fd` holds until its end. ERR_IO with errno, ERR_ROOM beyond `max` bytes. */
static enum err read_all(struct buf *b, int fd, size_t max)
{
    size_t total = 0;

    for (;;) {
        size_t want = MIN((size_t)READ_STEP, max - total + 1); /* one more shows what's too long */
        ssize_t n = read(fd, buf_room(b, want), want);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ERR_IO;
        if (n == 0)
            return ERR_OK;
        total += (size_t)n;
        if (total > max)
            return ERR_ROOM;
        b->len += (size_t)n;
        b->data[b->len] = '\0';
    }
}

enum err buf_read_file(struct buf *b, const char *path, size_t max)
{
    const bool standard = str_eq(path, "-");
    const size_t before = b->len;
    int fd = STDIN_FILENO;
    int why;
    enum err e;

    CHECK(max < SIZE_MAX / 4);
    if (!standard)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ERR_IO;
    e = read_all(b, fd, max);
    why = errno;
    if (!standard)
        (void)close(fd); /* nothing was written */
    errno = why;
    if (e != ERR_OK && b->cap > 0) {
        b->len = before;
        b->data[before] = '\0';
    }
    return e;
}
