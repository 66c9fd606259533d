/* SPDX-License-Identifier: ISC */
#include "common/base/hex.h"

/* The digits of four bytes, first one lowest: a nibble in each byte, then '0' or 'a' - 10 on top. */
static uint64_t eight_digits(const uint8_t src[4])
{
    const uint64_t lanes =
        (uint64_t)src[0] | (uint64_t)src[1] << 16 | (uint64_t)src[2] << 32 | (uint64_t)src[3] << 48;
    const uint64_t nibbles = (lanes >> 4 & 0x000f000f000f000fU) | (lanes & 0x000f000f000f000fU)
                                                                      << 8;
    const uint64_t letters = (nibbles + 0x0606060606060606U) >> 4 & 0x0101010101010101U;

    return nibbles + 0x3030303030303030U + letters * ('a' - 10 - '0');
}

void hex_encode(char *dst, const uint8_t *src, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (; n >= 4; n -= 4, src += 4, dst += 8) {
        const uint64_t eight = eight_digits(src);

        for (unsigned i = 0; i < 8; i++)
            dst[i] = (char)(eight >> (8 * i));
    }
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
