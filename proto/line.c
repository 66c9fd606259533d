/* SPDX-License-Identifier: ISC */
#include "proto/line.h"

/* A drained reader keeps this much room, so that idle connections cost little. */
enum { KEEP_CAP = 8 * 1024 };

void line_init(struct line_reader *r, size_t limit)
{
    *r = (struct line_reader){.in = BUF_EMPTY, .limit = limit};
}

void line_fini(struct line_reader *r)
{
    buf_fini(&r->in);
    r->scanned = 0;
    r->taken = 0;
}

/* Move what waits to the front, when that is no more work than what was handed out since. */
static void drop_taken(struct line_reader *r)
{
    if (r->taken == r->in.len)
        buf_reset(&r->in);
    else if (r->taken >= r->in.len - r->taken)
        buf_consume(&r->in, r->taken);
    else
        return;
    r->taken = 0;
}

void line_feed(struct line_reader *r, const char *data, size_t len)
{
    if (r->too_long || len == 0)
        return;
    drop_taken(r);
    buf_put(&r->in, data, len);
}

static bool is_blank(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
            return false;
    return true;
}

static enum line_result stop(struct line_reader *r)
{
    line_fini(r);
    r->too_long = true;
    return LINE_TOO_LONG;
}

/* No '\n' among the `len` bytes that wait at `s`: is there still hope for their line? */
static enum line_result wait_for_end(struct line_reader *r, const char *s, size_t len)
{
    r->scanned = len;
    if (len > r->limit && (len > r->limit + 1 || s[len - 1] != '\r'))
        return stop(r);
    if (len == 0 && r->in.cap > KEEP_CAP) {
        buf_fini(&r->in);
        r->taken = 0;
    }
    return LINE_NONE;
}

enum line_result line_next(struct line_reader *r, const char **line, size_t *len)
{
    if (r->too_long)
        return LINE_TOO_LONG;
    while (r->in.len > r->taken) {
        char *s = r->in.data + r->taken;
        const size_t waiting = r->in.len - r->taken;
        const char *nl = memchr(s + r->scanned, '\n', waiting - r->scanned);
        size_t n;

        if (nl == NULL)
            return wait_for_end(r, s, waiting);
        n = (size_t)(nl - s);
        r->taken += n + 1;
        r->scanned = 0;
        if (n > 0 && s[n - 1] == '\r')
            n--;
        if (n > r->limit)
            return stop(r);
        if (is_blank(s, n))
            continue;
        s[n] = '\0';
        *line = s;
        *len = n;
        return LINE_GOT;
    }
    return wait_for_end(r, r->in.data, 0);
}

bool line_is_partial(const struct line_reader *r)
{
    return r->in.len > r->taken && r->in.data[r->in.len - 1] != '\n';
}
