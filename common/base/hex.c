/* SPDX-License-Identifier: ISC */
#include "common/base/hex.h"

void hex_encode(char *dst, const uint8_t *src, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *dst++ = digits[src[i] >> 4];
        *dst++ = digits[src[i] & 15];
    }
    *dst = '\0';
}

/* The digit's value, -1 for no lower-case digit (the NUL too). */
static int value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool hex_decode(uint8_t *dst, size_t n, const char *s)
{
    for (size_t i = 0; i < n; i++) {
        int high = value(*s);
        int low = high < 0 ? -1 : value(s[1]);

        if (low < 0)
            return false;
        dst[i] = (uint8_t)(high * 16 + low);
        s += 2;
    }
    return *s == '\0';
}
