/* SPDX-License-Identifier: ISC
 * json_scan.c -- the strict scanner of json.h: one pass, an explicit stack, no tree.
 */
#include "proto/json_scan.h"

#include <limits.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "proto/json_bytes.h"

enum { NAMES_NEAR = 128 }; /* names of open objects kept without the heap */

/* A member's name as it stands between its quotes. */
struct name {
    uint32_t at, len; /* bytes of the text */
    uint32_t key;     /* of its code points, so that "a" and "\u0061" are the same */
    uint32_t hash;    /* of all of them, once another's key was the same; 0: not yet */
};

/* An array or object that is still open. */
struct frame {
    bool object;
    size_t members, names; /* members so far; where its names begin */
};

/* Where the scan stands, and what it found wrong there. */
struct text {
    const char *p, *end;
    const char *why; /* set by the first failure */
};

struct scan {
    struct text t;
    const char *start;
    unsigned max_depth, max_members, max_values;
    unsigned depth, values;
    struct frame frame[JSON_DEPTH_MAX];
    struct name *name; /* near, or on the heap */
    size_t n_names, cap_names;
    struct name near[NAMES_NEAR];
};

static bool fail(struct text *t, const char *why)
{
    t->why = why;
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void skip_blanks(struct text *t)
{
    while (t->p < t->end && (unsigned char)*t->p <= ' ' && is_blank(*t->p))
        t->p++;
}

static bool at_char(const struct text *t, char c)
{
    return t->p < t->end && *t->p == c;
}

/* ---- strings ---- */

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Four hex digits at p; false when they aren't there. */
static bool hex4(const char *p, const char *end, uint32_t *out)
{
    uint32_t v = 0;

    if (end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_value(p[i]);

        if (digit < 0)
            return false;
        v = v << 4 | (uint32_t)digit;
    }
    *out = v;
    return true;
}

/* The code point of a \u escape (or a pair of them) whose digits begin at t->p. */
static bool scan_unicode(struct text *t, uint32_t *cp)
{
    uint32_t low;

    if (!hex4(t->p, t->end, cp))
        return fail(t, "\\u wants four hex digits");
    if (*cp == 0)
        return fail(t, "\\u0000 is refused");
    if (*cp >= 0xdc00 && *cp <= 0xdfff)
        return fail(t, "a lone low surrogate");
    if (*cp >= 0xd800 && *cp <= 0xdbff) {
        if (t->end - t->p < 6 || t->p[4] != '\\' || t->p[5] != 'u' ||
            !hex4(t->p + 6, t->end, &low) || low < 0xdc00 || low > 0xdfff)
            return fail(t, "a lone high surrogate");
        *cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
        t->p += 6;
    }
    t->p += 4;
    return true;
}

/* One escape, t->p at its backslash. */
static bool scan_escape(struct text *t, uint32_t *cp)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    const char *found;

    if (t->end - t->p < 2)
        return fail(t, "a string without its end");
    if (t->p[1] == 'u') {
        t->p += 2;
        return scan_unicode(t, cp);
    }
    found = memchr(from, t->p[1], sizeof(from) - 1);
    if (found == NULL)
        return fail(t, "no such escape");
    *cp = (unsigned char)to[found - from];
    t->p += 2;
    return true;
}

/* One character that isn't plain ASCII, t->p at its first byte. */
static bool scan_odd(struct text *t, uint32_t *cp)
{
    size_t n;

    if (*t->p == '\\')
        return scan_escape(t, cp);
    if ((unsigned char)*t->p < 0x20)
        return fail(t, "a raw control character in a string");
    n = utf8_decode(t->p, (size_t)(t->end - t->p), cp);
    if (n == 0)
        return fail(t, "not UTF-8");
    t->p += n;
    return true;
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The first byte of [p, end) that isn't plain ASCII; `end`: none. */
static inline const char *find_odd(const char *p, const char *end)
{
    while (end - p >= (ptrdiff_t)sizeof(uint64_t)) {
        const uint64_t odd = json_has_odd(bits_load8(p));

        if (odd != 0)
            return p + __builtin_ctzll(odd) / 8;
        p += sizeof(uint64_t);
    }
    while (p < end && is_plain(*p))
        p++;
    return p;
}

/* The same of a string with something odd in it, t->p there. */
static __attribute__((noinline)) bool scan_odd_chars(struct text *t)
{
    uint32_t cp;

    while (t->p < t->end && *t->p != '"') {
        if (!scan_odd(t, &cp))
            return false;
        t->p = find_odd(t->p, t->end);
    }
    return t->p < t->end ? true : fail(t, "a string without its end");
}

/* A string, t->p behind its opening quote; then at its closing one. *odd: not plain ASCII. */
static inline bool scan_chars(struct text *t, bool *odd)
{
    t->p = find_odd(t->p, t->end);
    *odd = t->p == t->end || *t->p != '"';
    return *odd ? scan_odd_chars(t) : true;
}

static bool scan_string(struct text *t)
{
    bool odd;

    if (!scan_chars(t, &odd))
        return false;
    t->p++;
    return true;
}

/* ---- names ---- */

/* The next code point of a string, plain or not. */
static bool scan_char(struct text *t, uint32_t *cp)
{
    if (!is_plain(*t->p))
        return scan_odd(t, cp);
    *cp = (unsigned char)*t->p++;
    return true;
}

/* Are two scanned names equal once unescaped? */
static bool name_equal(const char *text, const struct name *a, const struct name *b)
{
    struct text left = {text + a->at, text + a->at + a->len, NULL};
    struct text right = {text + b->at, text + b->at + b->len, NULL};
    uint32_t l = 0;
    uint32_t r = 0;

    if (a->len == b->len && memcmp(left.p, right.p, a->len) == 0)
        return true;
    if (memchr(left.p, '\\', a->len) == NULL && memchr(right.p, '\\', b->len) == NULL)
        return false; /* no escapes: the bytes decide */
    while (left.p < left.end && right.p < right.end) {
        CHECK(scan_char(&left, &l) && scan_char(&right, &r)); /* they have been scanned before */
        if (l != r)
            return false;
    }
    return left.p == left.end && right.p == right.end;
}

/* Length and ends, of code points: enough to tell most names of one object apart. */
static uint32_t key_of(size_t len, uint32_t first, uint32_t last)
{
    return (uint32_t)len << 16 ^ first << 8 ^ last;
}

static uint32_t key_of_odd(const char *p, const char *end)
{
    struct text t = {p, end, NULL};
    uint32_t first = 0;
    uint32_t cp = 0;
    size_t len = 0;

    for (; t.p < t.end; len++) {
        CHECK(scan_char(&t, &cp)); /* it has been scanned before */
        if (len == 0)
            first = cp;
    }
    return key_of(len, first, cp);
}

static uint32_t name_key(const char *p, const char *end, bool odd)
{
    if (odd)
        return key_of_odd(p, end);
    return p == end ? key_of(0, 0, 0)
                    : key_of((size_t)(end - p), (unsigned char)*p, (unsigned char)end[-1]);
}

/* FNV-1a: peers choose names that are alike but for one letter. */
static uint32_t hash_of(const char *text, struct name *n)
{
    struct text t = {text + n->at, text + n->at + n->len, NULL};
    uint32_t hash = UINT32_C(2166136261);
    uint32_t cp = 0;

    if (n->hash != 0)
        return n->hash;
    while (t.p < t.end) {
        CHECK(scan_char(&t, &cp)); /* it has been scanned before */
        hash = (hash ^ cp) * UINT32_C(16777619);
    }
    n->hash = hash | 1;
    return n->hash;
}

static void keep_name(struct scan *s, struct name n)
{
    if (s->n_names == s->cap_names) {
        const bool near = s->name == s->near;

        s->cap_names *= 2;
        s->name = mem_resize(near ? NULL : s->name, s->cap_names, sizeof(n));
        if (near)
            memcpy(s->name, s->near, sizeof(s->near));
    }
    s->name[s->n_names++] = n;
}

/* Put a name with those of the innermost object. */
static bool add_name(struct scan *s, struct name n)
{
    struct frame *f = &s->frame[s->depth - 1];

    if (++f->members > s->max_members)
        return fail(&s->t, "too many members in one object");
    for (size_t i = f->names; i < s->n_names; i++)
        if (s->name[i].key == n.key && hash_of(s->start, &s->name[i]) == hash_of(s->start, &n) &&
            name_equal(s->start, &s->name[i], &n))
            return fail(&s->t, "the same name twice in one object");
    keep_name(s, n);
    return true;
}

/* A member's name and its colon. */
static bool scan_name(struct scan *s)
{
    struct text *t = &s->t;
    struct name n;
    const char *first;
    bool odd;

    skip_blanks(t);
    if (!at_char(t, '"'))
        return fail(t, "a member's name is wanted here");
    first = ++t->p;
    if (!scan_chars(t, &odd))
        return false;
    n.at = (uint32_t)(first - s->start);
    n.len = (uint32_t)(t->p - first);
    n.key = name_key(first, t->p, odd);
    n.hash = 0;
    if (!add_name(s, n))
        return false;
    t->p++;
    skip_blanks(t);
    if (!at_char(t, ':'))
        return fail(t, "':' is wanted here");
    t->p++;
    return true;
}

/* ---- values ---- */

static bool scan_number(struct text *t)
{
    const bool negative = *t->p == '-';
    uint64_t v = 0;
    const char *digits;

    if (negative)
        t->p++;
    digits = t->p;
    while (t->p < t->end && *t->p >= '0' && *t->p <= '9' && v <= (uint64_t)JSON_INT_MAX)
        v = 10 * v + (uint64_t)(*t->p++ - '0');
    if (t->p == digits)
        return fail(t, negative ? "a digit is wanted here" : "no JSON value begins so");
    if (v > (uint64_t)JSON_INT_MAX)
        return fail(t, "a number beyond 2^53");
    if (*digits == '0' && t->p - digits > 1)
        return fail(t, "a number with a leading zero");
    if (at_char(t, '.') || at_char(t, 'e') || at_char(t, 'E'))
        return fail(t, "only integers are taken");
    return true;
}

static bool scan_word(struct text *t, const char *word, size_t n)
{
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
        return fail(t, "no JSON value begins so");
    t->p += n;
    return true;
}

static bool push(struct scan *s, bool object)
{
    if (s->depth == s->max_depth)
        return fail(&s->t, "nested too deep");
    s->frame[s->depth++] = (struct frame){object, 0, s->n_names};
    s->t.p++;
    return true;
}

static void pop(struct scan *s)
{
    s->n_names = s->frame[--s->depth].names;
    s->t.p++;
}

/* The start of a value: a whole scalar, or an array or object just opened (*open). */
static bool scan_value(struct scan *s, bool *open)
{
    struct text *t = &s->t;

    *open = false;
    skip_blanks(t);
    if (t->p == t->end)
        return fail(t, "a value is wanted here, and the text ends");
    if (++s->values > s->max_values)
        return fail(t, "too many values");
    switch (*t->p) {
    case '{':
    case '[':
        *open = true;
        return push(s, *t->p == '{');
    case '"':
        t->p++;
        return scan_string(t);
    case 't':
        return scan_word(t, "true", 4);
    case 'f':
        return scan_word(t, "false", 5);
    case 'n':
        return scan_word(t, "null", 4);
    default:
        return scan_number(t);
    }
}

/* Behind the bracket that opens: close at once, or go on to the first value in it. */
static bool scan_open(struct scan *s, bool *closed)
{
    const bool object = s->frame[s->depth - 1].object;

    skip_blanks(&s->t);
    *closed = at_char(&s->t, object ? '}' : ']');
    if (*closed)
        pop(s);
    else if (object)
        return scan_name(s);
    return true;
}

/* Behind a value: close what ends here, up to where the next value begins or the text ends. */
static bool scan_after(struct scan *s)
{
    struct text *t = &s->t;

    while (s->depth > 0) {
        const bool object = s->frame[s->depth - 1].object;

        skip_blanks(t);
        if (at_char(t, ',')) {
            t->p++;
            return object ? scan_name(s) : true;
        }
        if (!at_char(t, object ? '}' : ']'))
            return fail(t, object ? "',' or '}' is wanted here" : "',' or ']' is wanted here");
        pop(s);
    }
    skip_blanks(t);
    return t->p == t->end ? true : fail(t, "something behind the end");
}

static bool scan_text(struct scan *s)
{
    do {
        bool open;
        bool whole = true;

        if (!scan_value(s, &open))
            return false;
        if (open && !scan_open(s, &whole))
            return false;
        if (whole && !scan_after(s))
            return false;
    } while (s->depth > 0);
    return true;
}

/* Say where it failed: the line too, if the text has more than one up to there. */
static void explain(const struct scan *s, char why[JSON_WHY_LEN])
{
    const char *bol = s->start;
    size_t line = 1;
    size_t byte;

    for (const char *p = s->start; p < s->t.p; p++) {
        if (*p == '\n') {
            line++;
            bol = p + 1;
        }
    }
    byte = (size_t)(s->t.p - bol) + 1;
    if (line > 1)
        (void)snprintf(why, JSON_WHY_LEN, "line %zu, byte %zu: %s", line, byte, s->t.why);
    else
        (void)snprintf(why, JSON_WHY_LEN, "byte %zu: %s", byte, s->t.why);
}

static unsigned limit_or(unsigned limit, unsigned otherwise)
{
    return limit > 0 ? MIN(limit, otherwise) : otherwise;
}

enum err json_scan_count(const char *text, size_t len, const struct json_limits *limits,
                         char why[JSON_WHY_LEN], unsigned *values)
{
    struct scan s; /* not all set: near is large, and this path hot */
    bool ok;

    s.t = (struct text){text, text + len, NULL};
    s.start = text;
    s.max_depth = limit_or(limits->depth, JSON_DEPTH_MAX);
    s.max_members = limit_or(limits->members, JSON_MEMBERS_MAX);
    s.max_values = limit_or(limits->values, UINT_MAX - 1);
    s.depth = 0;
    s.values = 0;
    s.name = s.near;
    s.n_names = 0;
    s.cap_names = NAMES_NEAR;
    ok = len <= JSON_TEXT_MAX ? scan_text(&s) : fail(&s.t, "the text is too long");
    why[0] = '\0';
    if (!ok)
        explain(&s, why);
    if (s.name != s.near)
        mem_free(s.name);
    *values = s.values;
    return ok ? ERR_OK : ERR_PARSE;
}

enum err json_scan(const char *text, size_t len, const struct json_limits *limits,
                   char why[JSON_WHY_LEN])
{
    unsigned values;

    return json_scan_count(text, len, limits, why, &values);
}
