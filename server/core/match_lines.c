/* SPDX-License-Identifier: ISC
 * match_lines.c -- a match's journal lines in memory, and the fixed front of a line.
 *
 * A line's front is always `{"seq":7,"ts":1234,"kind":"order"`, since we wrote it; what only needs
 * the front (kind, order ids) is read from it without a JSON tree. The whole line is held by its
 * hash.
 */
#include "common/base/mem.h"
#include "proto/entry_words.h"
#include "server/core/match_impl.h"

struct match_rec *recs_close(struct match_recs *r, size_t off)
{
    struct match_rec *rec;

    if (r->n == r->cap) {
        r->cap = r->cap == 0 ? 8 : r->cap * 2;
        r->rec = mem_resize(r->rec, r->cap, sizeof(*r->rec));
    }
    CHECK(r->text.len < UINT32_MAX);
    rec = &r->rec[r->n++];
    memset(rec, 0, sizeof(*rec));
    rec->off = (uint32_t)off;
    rec->len = (uint32_t)(r->text.len - off);
    buf_putc(&r->text, '\n');
    return rec;
}

struct match_rec *recs_add(struct match_recs *r, const char *line, size_t len)
{
    const size_t off = r->text.len;

    buf_put(&r->text, line, len);
    return recs_close(r, off);
}

void recs_append(struct match_recs *to, const struct match_recs *from)
{
    const uint32_t base = (uint32_t)to->text.len;

    if (from->n == 0)
        return;
    CHECK(to->text.len + from->text.len < UINT32_MAX);
    if (to->n + from->n > to->cap) {
        to->cap = MAX(to->n + from->n, to->cap + to->cap / 2);
        to->rec = mem_resize(to->rec, to->cap, sizeof(*to->rec));
    }
    for (uint32_t i = 0; i < from->n; i++) {
        to->rec[to->n] = from->rec[i];
        to->rec[to->n++].off += base;
    }
    buf_put(&to->text, from->text.data, from->text.len);
}

void recs_fini(struct match_recs *r)
{
    buf_fini(&r->text);
    mem_free(r->rec);
    *r = (struct match_recs){0};
}

/* A cursor over a line. */
struct cursor {
    const char *at, *end;
};

static bool skip(struct cursor *c, const char *word)
{
    const size_t n = strlen(word);

    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool number(struct cursor *c, int64_t *out)
{
    const bool minus = skip(c, "-"); /* a wall clock before 1970 */
    const char *const from = c->at;
    int64_t v = 0;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && c->at - from < 16)
        v = v * 10 + (*c->at++ - '0');
    *out = minus ? -v : v;
    return c->at > from;
}

/* A string's bytes, without its quotes but escapes as they are. */
static bool string(struct cursor *c, const char **s, size_t *len)
{
    if (!skip(c, "\""))
        return false;
    *s = c->at;
    while (c->at < c->end && *c->at != '"')
        c->at += *c->at == '\\' ? 2 : 1;
    if (c->at >= c->end)
        return false;
    *len = (size_t)(c->at++ - *s);
    return true;
}

bool front_read(const char *line, size_t len, struct match_front *out)
{
    struct cursor c = {line, line + len};
    const char *kind = NULL;
    size_t kind_len = 0;
    int64_t seq, ts;
    char word[16];

    if (!skip(&c, "{\"seq\":") || !number(&c, &seq) || seq < 1 || seq > UINT32_MAX ||
        !skip(&c, ",\"ts\":") || !number(&c, &ts) || !skip(&c, ",\"kind\":") ||
        !string(&c, &kind, &kind_len) || kind_len >= sizeof(word))
        return false;
    out->seq = (uint32_t)seq;
    out->ts.ms = ts;
    out->rest = c.at;
    memcpy(word, kind, kind_len);
    word[kind_len] = '\0';
    if (!entry_kind_from_word(word, &out->kind))
        out->kind = ENTRY_PLAY;
    return true;
}

bool front_order(const char *line, size_t len, struct match_order_front *out)
{
    struct match_front front;
    struct cursor c = {line, line + len};

    if (!front_read(line, len, &front) || front.kind != ENTRY_ORDER)
        return false;
    c.at = front.rest;
    if (!skip(&c, ",\"side\":") || !string(&c, &out->side, &out->side_len) ||
        !skip(&c, ",\"order_id\":"))
        return false;
    out->id = c.at;
    if (!string(&c, &(const char *){NULL}, &(size_t){0}))
        return false;
    out->id_len = (size_t)(c.at - out->id);
    if (!skip(&c, ",\"order\":"))
        return false;
    out->order = c.at;
    out->order_len = (size_t)(c.end - c.at);
    return true;
}
