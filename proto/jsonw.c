/* SPDX-License-Identifier: ISC */
#include "proto/jsonw.h"

#include "common/base/hex.h"
#include "proto/json_bytes.h"

static const char hex_digits[] = "0123456789abcdef";

/* buf_room without a call in the common case: every byte of the wire passes here. */
static char *room(struct buf *b, size_t n)
{
    return b->cap - b->len > n ? b->data + b->len : buf_room(b, n);
}

/* Room for `n` bytes and the comma that may stand before them; writes the comma. */
static char *begin(struct jsonw *w, size_t n)
{
    char *at = room(w->out, n + 1);

    if (w->comma) {
        *at++ = ',';
        w->out->len++;
    }
    w->comma = true;
    return at;
}

/* What was begun has been written up to `end`. */
static void finish(struct jsonw *w, char *end)
{
    *end = '\0';
    w->out->len = (size_t)(end - w->out->data);
}

static void put_bytes(struct jsonw *w, const char *p, size_t n)
{
    char *at = begin(w, n);

    memcpy(at, p, n);
    finish(w, at + n);
}

void jsonw_obj(struct jsonw *w)
{
    put_bytes(w, "{", 1);
    w->comma = false;
}

static void close_with(struct jsonw *w, char bracket)
{
    char *at = room(w->out, 1);

    *at++ = bracket;
    finish(w, at);
    w->comma = true;
}

void jsonw_obj_end(struct jsonw *w)
{
    close_with(w, '}');
}

void jsonw_arr(struct jsonw *w)
{
    put_bytes(w, "[", 1);
    w->comma = false;
}

void jsonw_arr_end(struct jsonw *w)
{
    close_with(w, ']');
}

void jsonw_name(struct jsonw *w, const char *name)
{
    const size_t n = strlen(name);
    char *at = begin(w, n + 3);

    *at++ = '"';
    memcpy(at, name, n + 1); /* the NUL is written over */
    at += n;
    *at++ = '"';
    *at++ = ':';
    finish(w, at);
    w->comma = false;
}

void jsonw_str(struct jsonw *w, const char *s)
{
    jsonw_strn(w, s, strlen(s));
}

/* Length of the front of s[0..n) that needs no escape. */
static size_t plain_run(const char *s, size_t n)
{
    size_t i = 0;

    while (n - i >= sizeof(uint64_t) && json_has_special(json_load8(s + i)) == 0)
        i += sizeof(uint64_t);
    while (i < n && s[i] != '"' && s[i] != '\\' && (unsigned char)s[i] >= 0x20)
        i++;
    return i;
}

static void put_escape(struct buf *out, char c)
{
    const char escaped[2] = {'\\', c};
    const char code[6] = {
        '\\', 'u', '0', '0', hex_digits[(unsigned char)c >> 4], hex_digits[(unsigned char)c & 15]};

    if ((unsigned char)c < 0x20)
        buf_put(out, code, sizeof(code));
    else
        buf_put(out, escaped, sizeof(escaped));
}

void jsonw_strn(struct jsonw *w, const char *s, size_t n)
{
    size_t run = plain_run(s, n);
    char *at = begin(w, run + 2);

    *at++ = '"';
    if (run > 0)
        memcpy(at, s, run);
    at += run;
    if (run == n)
        *at++ = '"';
    finish(w, at);
    if (run == n)
        return;
    while (run < n) {
        size_t more;

        put_escape(w->out, s[run++]);
        more = plain_run(s + run, n - run);
        buf_put(w->out, s + run, more);
        run += more;
    }
    buf_putc(w->out, '"');
}

void jsonw_int(struct jsonw *w, int64_t v)
{
    char digits[20]; /* 2^63 has 19, and the sign */
    size_t at = sizeof(digits);
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (v < 0)
        digits[--at] = '-';
    put_bytes(w, digits + at, sizeof(digits) - at);
}

void jsonw_bool(struct jsonw *w, bool v)
{
    if (v)
        put_bytes(w, "true", 4);
    else
        put_bytes(w, "false", 5);
}

void jsonw_null(struct jsonw *w)
{
    put_bytes(w, "null", 4);
}

void jsonw_raw(struct jsonw *w, const char *json, size_t n)
{
    put_bytes(w, json, n);
}

void jsonw_hex(struct jsonw *w, const uint8_t *p, size_t n)
{
    char *at = begin(w, 2 * n + 2);

    *at++ = '"';
    hex_encode(at, p, n);
    at += 2 * n;
    *at++ = '"';
    finish(w, at);
}

void jsonw_m_str(struct jsonw *w, const char *name, const char *s)
{
    jsonw_name(w, name);
    jsonw_str(w, s);
}

void jsonw_m_int(struct jsonw *w, const char *name, int64_t v)
{
    jsonw_name(w, name);
    jsonw_int(w, v);
}

void jsonw_m_bool(struct jsonw *w, const char *name, bool v)
{
    jsonw_name(w, name);
    jsonw_bool(w, v);
}

void jsonw_m_null(struct jsonw *w, const char *name)
{
    jsonw_name(w, name);
    jsonw_null(w);
}

void jsonw_m_hex(struct jsonw *w, const char *name, const uint8_t *p, size_t n)
{
    jsonw_name(w, name);
    jsonw_hex(w, p, n);
}

void jsonw_m_raw(struct jsonw *w, const char *name, const char *json, size_t n)
{
    jsonw_name(w, name);
    jsonw_raw(w, json, n);
}

void jsonw_m_obj(struct jsonw *w, const char *name)
{
    jsonw_name(w, name);
    jsonw_obj(w);
}

void jsonw_m_arr(struct jsonw *w, const char *name)
{
    jsonw_name(w, name);
    jsonw_arr(w);
}
