/* SPDX-License-Identifier: ISC */
#include "proto/jsonw.h"

#include "common/base/hex.h"
#include "common/base/str.h"
#include "proto/json_bytes.h"

static const char hex_digits[] = "0123456789abcdef";

/* buf_room without a call in the common case: every byte of the wire passes here. */
static inline char *room(struct buf *b, size_t n)
{
    return b->cap - b->len > n ? b->data + b->len : buf_room(b, n);
}

/* Room for `n` bytes and the comma that may stand before them; writes the comma. */
static inline char *begin(struct jsonw *w, size_t n)
{
    char *at = room(w->out, n + 1);

    *at = ','; /* written over, when there is none */
    at += w->comma;
    w->comma = true;
    return at;
}

/* What was begun has been written up to `end`. */
static inline void finish(struct jsonw *w, char *end)
{
    *end = '\0';
    w->out->len = (size_t)(end - w->out->data);
}

/* Most of what is written here is shorter than a call of memcpy is worth. */
static inline char *put_short(char *at, const char *p, size_t n)
{
    if (n > 16) {
        memcpy(at, p, n);
    } else if (n >= 8) {
        memcpy(at, p, 8);
        memcpy(at + (n - 8), p + (n - 8), 8);
    } else if (n >= 4) {
        memcpy(at, p, 4);
        memcpy(at + (n - 4), p + (n - 4), 4);
    } else {
        for (size_t i = 0; i < n; i++)
            at[i] = p[i];
    }
    return at + n;
}

enum { NAME_EXTRA = 3 }; /* `"":` */

static inline char *put_name(char *at, const char *name, size_t n)
{
    *at = '"';
    at = put_short(at + 1, name, n);
    *at = '"';
    at[1] = ':';
    return at + 2;
}

static void put_bytes(struct jsonw *w, const char *p, size_t n)
{
    finish(w, put_short(begin(w, n), p, n));
}

static inline bool is_plain(char c)
{
    return c != '"' && c != '\\' && (unsigned char)c >= 0x20;
}

/* Eight bytes, unless one of them needs an escape. */
static inline bool copy8(char *at, const char *s)
{
    const uint64_t v = bits_load8(s);

    if (json_has_special(v) != 0)
        return false;
    bits_store8(at, v);
    return true;
}

/* The same of four to seven, all of them. */
static inline bool copy4(char *at, const char *s, size_t n)
{
    const uint64_t v = bits_load4(s) | (uint64_t)bits_load4(s + (n - 4)) << 32;

    if (json_has_special(v) != 0)
        return false;
    memcpy(at, s, 4);
    memcpy(at + (n - 4), s + (n - 4), 4);
    return true;
}

/* Copy the front of s[0..n) that needs no escape; returns its length. */
static inline size_t copy_plain(char *at, const char *s, size_t n)
{
    size_t i = 0;

    while (n - i >= 8 && copy8(at + i, s + i))
        i += 8;
    if (n >= 8 && n - i < 8 && copy8(at + (n - 8), s + (n - 8)))
        return n;
    if (n >= 4 && n < 8 && copy4(at, s, n))
        return n;
    for (; i < n && is_plain(s[i]); i++)
        at[i] = s[i];
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

/* The rest of a string from its first byte on that needs an escape. */
static void put_rest(struct jsonw *w, const char *s, size_t n)
{
    while (n > 0) {
        size_t run;

        put_escape(w->out, *s++);
        n--;
        run = copy_plain(room(w->out, n), s, n);
        w->out->len += run;
        s += run;
        n -= run;
    }
    buf_putc(w->out, '"');
}

/* The string s[0..n) at `at`, where there is room for it without escapes and for its quotes. */
static inline void put_string(struct jsonw *w, char *at, const char *s, size_t n)
{
    size_t run;

    *at++ = '"';
    run = copy_plain(at, s, n);
    at += run;
    if (run == n)
        *at++ = '"';
    finish(w, at);
    if (run < n)
        put_rest(w, s + run, n - run);
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

void jsonw_strn(struct jsonw *w, const char *s, size_t n)
{
    put_string(w, begin(w, n + 2), s, n);
}

void jsonw_int(struct jsonw *w, int64_t v)
{
    finish(w, str_put_int(begin(w, STR_INT_MAX), v));
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

static char *put_hex(char *at, const uint8_t *p, size_t n)
{
    *at++ = '"';
    hex_encode(at, p, n);
    at += 2 * n;
    *at++ = '"';
    return at;
}

void jsonw_hex(struct jsonw *w, const uint8_t *p, size_t n)
{
    finish(w, put_hex(begin(w, 2 * n + 2), p, n));
}

void jsonw_key(struct jsonw *w, const char *name, size_t len)
{
    finish(w, put_name(begin(w, len + NAME_EXTRA), name, len));
    w->comma = false;
}

void jsonw_key_strn(struct jsonw *w, const char *name, size_t len, const char *s, size_t n)
{
    char *at = begin(w, len + NAME_EXTRA + n + 2);

    put_string(w, put_name(at, name, len), s, n);
}

void jsonw_key_int(struct jsonw *w, const char *name, size_t len, int64_t v)
{
    char *at = begin(w, len + NAME_EXTRA + STR_INT_MAX);

    finish(w, str_put_int(put_name(at, name, len), v));
}

void jsonw_key_raw(struct jsonw *w, const char *name, size_t len, const char *json, size_t n)
{
    char *at = begin(w, len + NAME_EXTRA + n);

    finish(w, put_short(put_name(at, name, len), json, n));
}

void jsonw_key_hex(struct jsonw *w, const char *name, size_t len, const uint8_t *p, size_t n)
{
    char *at = begin(w, len + NAME_EXTRA + 2 * n + 2);

    finish(w, put_hex(put_name(at, name, len), p, n));
}
