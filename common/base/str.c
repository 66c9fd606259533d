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

#define TEN4  UINT64_C(10000)
#define TEN8  (TEN4 * TEN4)
#define TEN12 (TEN8 * TEN4)
#define TEN16 (TEN8 * TEN8)
static const uint64_t power_of_ten[] = {
    1,           10,           100,       1000,       TEN4,        10 * TEN4,    100 * TEN4,
    1000 * TEN4, TEN8,         10 * TEN8, 100 * TEN8, 1000 * TEN8, TEN12,        10 * TEN12,
    100 * TEN12, 1000 * TEN12, TEN16,     10 * TEN16, 100 * TEN16, 1000 * TEN16,
};
_Static_assert(ARRAY_LEN(power_of_ten) == STR_INT_MAX, "up to a number of 64 bits");

/* How many digits v (not 0) has: its bits times log10(2), which may be one too few. */
static unsigned count_digits(uint64_t v)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(v);
    const unsigned low = bits * 1233 >> 12;

    return low + (v >= power_of_ten[low]);
}

char *str_put_int(char *dst, int64_t v)
{
    static const char pairs[] = "00010203040506070809"
                                "10111213141516171819"
                                "20212223242526272829"
                                "30313233343536373839"
                                "40414243444546474849"
                                "50515253545556575859"
                                "60616263646566676869"
                                "70717273747576777879"
                                "80818283848586878889"
                                "90919293949596979899";
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char *end, *at;

    if (v < 0)
        *dst++ = '-';
    if (rest < 10) {
        *dst = (char)('0' + (int)rest);
        return dst + 1;
    }
    end = dst + count_digits(rest);
    for (at = end; rest >= 10; rest /= 100) {
        at -= 2;
        memcpy(at, pairs + 2 * (rest % 100), 2);
        if (rest < 100)
            return end;
    }
    *--at = (char)('0' + (int)rest);
    return end;
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
