/* SPDX-License-Identifier: ISC */
#include "common/base/hex.h"

/* Sixteen bytes side by side, in one register where the machine has such. */
typedef uint8_t lanes __attribute__((vector_size(16)));

static lanes digit_of(lanes nibble)
{
    return nibble + '0' + ((lanes)(nibble > 9) & ('a' - 10 - '0'));
}

static void sixteen(char *dst, const uint8_t *src)
{
    lanes in, high, low, front, back;

    memcpy(&in, src, sizeof(in));
    high = digit_of(in >> 4);
    low = digit_of(in & 15);
    front =
        __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    back = __builtin_shufflevector(high, low, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                   15, 31);
    memcpy(dst, &front, sizeof(front));
    memcpy(dst + sizeof(front), &back, sizeof(back));
}

void hex_encode(char *dst, const uint8_t *src, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (; n >= sizeof(lanes); n -= sizeof(lanes), src += sizeof(lanes), dst += 2 * sizeof(lanes))
        sixteen(dst, src);
    for (size_t i = 0; i < n; i++) {
        *dst++ = digits[src[i] >> 4];
        *dst++ = digits[src[i] & 15];
    }
    *dst = '\0';
}

/* A lower-case digit's value and one; 0: no such digit (the NUL too). */
static const uint8_t value_and_one[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool hex_decode(uint8_t *dst, size_t n, const char *s)
{
    for (size_t i = 0; i < n; i++, s += 2) {
        const unsigned high = value_and_one[(uint8_t)s[0]];
        const unsigned low = high == 0 ? 0 : value_and_one[(uint8_t)s[1]];

        if (low == 0)
            return false;
        dst[i] = (uint8_t)((high - 1) << 4 | (low - 1));
    }
    return *s == '\0';
}
