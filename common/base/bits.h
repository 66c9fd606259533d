/* SPDX-License-Identifier: ISC
 * bits.h -- eight bytes at a time: the first one in memory is the lowest of the number, whatever
 * the machine's own order.
 */
#ifndef SK_BASE_BITS_H
#define SK_BASE_BITS_H

#include "common/base/util.h"

static inline uint64_t bits_order8(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

/* `p` needs no alignment. */
static inline uint64_t bits_load8(const void *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return bits_order8(v);
}

static inline void bits_store8(void *p, uint64_t v)
{
    v = bits_order8(v);
    memcpy(p, &v, sizeof(v));
}

static inline uint32_t bits_load4(const void *p)
{
    const uint8_t *b = p;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
