/* SPDX-License-Identifier: ISC */
#include "proto/line.h"

#include "common/base/mem.h"

enum {
    CAP_MIN = 64,
    KEEP_CAP = 8 * 1024 /* a drained reader keeps this much room */
};

void line_init(struct line_reader *r, size_t limit)
{
    CHECK(limit <= UINT32_MAX);
    *r = (struct line_reader){.in = NULL, .limit = (uint32_t)limit};
}

void line_fini(struct line_reader *r)
{
    mem_free(r->in);
    r->in = NULL;
}

void line_lend(struct line_reader *r, struct line_bytes **spare)
{
    if (r->in != NULL)
        return;
    r->in = *spare;
    *spare = NULL;
}

void line_settle(struct line_reader *r, struct line_bytes **spare)
{
    struct line_bytes *in = r->in;

    if (in == NULL || in->taken < in->len)
        return;
    if (*spare != NULL || in->cap > KEEP_CAP) {
        line_fini(r);
        return;
    }
    in->len = in->taken = in->scanned = 0;
    *spare = in;
    r->in = NULL;
}

/* Move what waits to the front, when that is no more work than what was handed out since. */
static void drop_taken(struct line_bytes *in)
{
    const size_t waiting = in->len - in->taken;

    if (in->taken < waiting)
        return;
    memmove(in->data, in->data + in->taken, waiting);
    in->len = waiting;
    in->taken = 0;
}

/* Room for `n` more bytes. */
static struct line_bytes *with_room(struct line_bytes *in, size_t n)
{
    const size_t len = in != NULL ? in->len : 0;
    size_t cap = in != NULL ? in->cap : (size_t)CAP_MIN;

    CHECK(n < SIZE_MAX / 4 - len);
    if (in != NULL && cap - len >= n)
        return in;
    while (cap - len < n)
        cap *= 2;
    if (in != NULL) {
        in = mem_resize(in, sizeof(*in) + cap, 1);
    } else {
        in = mem_alloc(sizeof(*in) + cap);
        *in = (struct line_bytes){.len = 0};
    }
    in->cap = cap;
    return in;
}

void line_feed(struct line_reader *r, const char *data, size_t len)
{
    if (r->too_long || len == 0)
        return;
    if (r->in != NULL)
        drop_taken(r->in);
    r->in = with_room(r->in, len);
    memcpy(r->in->data + r->in->len, data, len);
    r->in->len += len;
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
    r->in->scanned = len;
    if (len > r->limit && (len > (size_t)r->limit + 1 || s[len - 1] != '\r'))
        return stop(r);
    if (len == 0 && r->in->cap > KEEP_CAP)
        line_fini(r);
    return LINE_NONE;
}

enum line_result line_next(struct line_reader *r, const char **line, size_t *len)
{
    struct line_bytes *in = r->in;

    if (r->too_long)
        return LINE_TOO_LONG;
    if (in == NULL)
        return LINE_NONE;
    while (in->len > in->taken) {
        char *s = in->data + in->taken;
        const size_t waiting = in->len - in->taken;
        const char *nl = memchr(s + in->scanned, '\n', waiting - in->scanned);
        size_t n;

        if (nl == NULL)
            return wait_for_end(r, s, waiting);
        n = (size_t)(nl - s);
        in->taken += n + 1;
        in->scanned = 0;
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
    return wait_for_end(r, in->data, 0);
}

bool line_is_partial(const struct line_reader *r)
{
    const struct line_bytes *in = r->in;

    return in != NULL && in->len > in->taken && in->data[in->len - 1] != '\n';
}
