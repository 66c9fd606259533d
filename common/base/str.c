/* SPDX-License-Identifier: ISC */
#include "common/base/str.h"

bool str_ncopy(char *dst, size_t size, const char *src, size_t n)
{
    size_t take;

    CHECK(size > 0);
    take = MIN(n, size - 1);
    if (take > 0)
        memcpy(dst, src, take);
    dst[take] = '\0';
    return take == n;
}

bool str_copy(char *dst, size_t size, const char *src)
{
    return str_ncopy(dst, size, src, strlen(src));
}

bool str_eq(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* The C library's answer depends on the locale. */
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool str_ieq(const char *a, const char *b)
{
    while (*a != '\0' && (*a == *b || lower(*a) == lower(*b))) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s);
    size_t m = strlen(suffix);

    return m <= n && str_eq(s + n - m, suffix);
}

bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *out)
{
    const bool minus = *s == '-';
    const char *p = minus ? s + 1 : s;
    int64_t v = 0;

    if (*p == '\0' || (*p == '0' && (p[1] != '\0' || minus)))
        return false;
    for (; *p != '\0'; p++) {
        int digit = *p - '0';

        if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, digit, &v)) /* downwards: INT64_MIN has no positive */
            return false;
    }
    if (!minus && __builtin_sub_overflow(0, v, &v))
        return false;
    if (v < min || v > max)
        return false;
    *out = v;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

char *str_word(char **s)
{
    char *word = *s;
    char *end;

    while (is_blank(*word))
        word++;
    end = word;
    while (*end != '\0' && !is_blank(*end))
        end++;
    *s = end;
    if (end == word)
        return NULL;
    if (*end != '\0') {
        *end = '\0';
        *s = end + 1;
    }
    return word;
}
