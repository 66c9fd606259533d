/* SPDX-License-Identifier: ISC
 * jsonw.h -- compact JSON out, printed by hand into a buf.
 *
 * No spaces, members in the order written, integers only; in strings `"` and `\` are escaped and
 * control characters as \u00XX, all else raw UTF-8: the bytes that hashes cover (PROTOCOL,
 * Entries). Commas are kept by the writer. Strings must be valid UTF-8.
 */
#ifndef SK_PROTO_JSONW_H
#define SK_PROTO_JSONW_H

#include "common/base/buf.h"

struct jsonw {
    struct buf *out; /* borrowed */
    bool comma;      /* the next value needs one before it */
};

static inline struct jsonw jsonw_on(struct buf *out)
{
    return (struct jsonw){out, false};
}
void jsonw_obj(struct jsonw *w);
void jsonw_obj_end(struct jsonw *w);
void jsonw_arr(struct jsonw *w);
void jsonw_arr_end(struct jsonw *w);
void jsonw_strn(struct jsonw *w, const char *s, size_t n);
static inline void jsonw_str(struct jsonw *w, const char *s)
{
    jsonw_strn(w, s, strlen(s));
}
void jsonw_int(struct jsonw *w, int64_t v);
void jsonw_bool(struct jsonw *w, bool v);
void jsonw_null(struct jsonw *w);
/* A value that is JSON already. */
void jsonw_raw(struct jsonw *w, const char *json, size_t n);
/* A string of `n` bytes as lower-case hex. */
void jsonw_hex(struct jsonw *w, const uint8_t *p, size_t n);

/* `"name":` of the next value, and a member whole. A name is `len` bytes and needs no escaping. */
void jsonw_key(struct jsonw *w, const char *name, size_t len);
void jsonw_key_strn(struct jsonw *w, const char *name, size_t len, const char *s, size_t n);
void jsonw_key_int(struct jsonw *w, const char *name, size_t len, int64_t v);
void jsonw_key_raw(struct jsonw *w, const char *name, size_t len, const char *json, size_t n);
void jsonw_key_hex(struct jsonw *w, const char *name, size_t len, const uint8_t *p, size_t n);

/* The same for a name that is a C string: the length of a literal costs nothing here. */
static inline void jsonw_name(struct jsonw *w, const char *name)
{
    jsonw_key(w, name, strlen(name));
}

static inline void jsonw_m_str(struct jsonw *w, const char *name, const char *s)
{
    jsonw_key_strn(w, name, strlen(name), s, strlen(s));
}

static inline void jsonw_m_int(struct jsonw *w, const char *name, int64_t v)
{
    jsonw_key_int(w, name, strlen(name), v);
}

static inline void jsonw_m_raw(struct jsonw *w, const char *name, const char *json, size_t n)
{
    jsonw_key_raw(w, name, strlen(name), json, n);
}

static inline void jsonw_m_hex(struct jsonw *w, const char *name, const uint8_t *p, size_t n)
{
    jsonw_key_hex(w, name, strlen(name), p, n);
}

static inline void jsonw_m_bool(struct jsonw *w, const char *name, bool v)
{
    if (v)
        jsonw_m_raw(w, name, "true", 4);
    else
        jsonw_m_raw(w, name, "false", 5);
}

static inline void jsonw_m_null(struct jsonw *w, const char *name)
{
    jsonw_m_raw(w, name, "null", 4);
}

static inline void jsonw_m_obj(struct jsonw *w, const char *name)
{
    jsonw_m_raw(w, name, "{", 1);
    w->comma = false;
}

static inline void jsonw_m_arr(struct jsonw *w, const char *name)
{
    jsonw_m_raw(w, name, "[", 1);
    w->comma = false;
}

#endif
