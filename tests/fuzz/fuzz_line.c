/* SPDX-License-Identifier: ISC
 * However a stream is cut into packets, the same lines come out of it: those that a plain split
 * at '\n' gives, up to the first that is too long.
 *
 * Input: a byte for the limit, a byte that chooses the cuts, then the stream.
 */
#include "common/base/buf.h"
#include "proto/line.h"
#include "tests/fuzz/fuzz.h"

/* The lines of the stream, each with its length before it; `!` once one is too long. */
static void put_line(struct buf *out, const char *line, size_t len)
{
    buf_printf(out, "%zu:", len);
    buf_put(out, line, len);
}

static bool is_blank(const char *s, size_t len)
{
    while (len > 0 && (*s == ' ' || *s == '\t' || *s == '\r')) {
        s++;
        len--;
    }
    return len == 0;
}

/* What line.h says, said again with the whole stream at hand. */
static void split(const char *s, size_t len, size_t limit, struct buf *out)
{
    while (len > 0) {
        const char *nl = memchr(s, '\n', len);
        const size_t n = nl != NULL ? (size_t)(nl - s) : len;
        const size_t bare = n > 0 && s[n - 1] == '\r' ? n - 1 : n;

        if (bare > limit) {
            buf_putc(out, '!');
            return;
        }
        if (nl == NULL)
            return;
        if (!is_blank(s, bare))
            put_line(out, s, bare);
        s += n + 1;
        len -= n + 1;
    }
}

static void drain(struct line_reader *r, struct buf *out)
{
    const char *line;
    size_t len;

    while (line_next(r, &line, &len) == LINE_GOT) {
        CHECK(len <= r->limit && line[len] == '\0');
        put_line(out, line, len);
    }
    CHECK(r->in == NULL ||
          r->in->len <= r->in->taken + r->limit + 1); /* only part of a line is kept */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line_reader r;
    struct buf want = BUF_EMPTY;
    struct buf got = BUF_EMPTY;
    const char *s;
    size_t len;
    unsigned cut;

    if (size < 2)
        return 0;
    s = (const char *)data + 2;
    len = size - 2;
    cut = data[1] + 1U;
    line_init(&r, data[0]);
    split(s, len, data[0], &want);
    for (size_t at = 0; at < len;) {
        const size_t n = MIN(len - at, (size_t)(cut % 67 + 1));

        line_feed(&r, s + at, n);
        drain(&r, &got);
        at += n;
        cut = cut * 31 + 7;
    }
    if (r.too_long)
        buf_putc(&got, '!');
    CHECK(want.len == got.len && memcmp(buf_str(&want), buf_str(&got), got.len) == 0);
    CHECK(!r.too_long || !line_is_partial(&r));
    buf_fini(&want);
    buf_fini(&got);
    line_fini(&r);
    return 0;
}
