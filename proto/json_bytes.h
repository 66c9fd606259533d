/* SPDX-License-Identifier: ISC
 * json_bytes.h -- eight bytes of a JSON string at a time (bits_load8), for json_scan.c and
 * jsonw.c only.
 */
#ifndef SK_PROTO_JSON_BYTES_H
#define SK_PROTO_JSON_BYTES_H

#include "common/base/bits.h"

#define JSON_ONES UINT64_C(0x0101010101010101)
#define JSON_TOPS UINT64_C(0x8080808080808080)

/* Nonzero when one of the eight bytes of `v` is 0; the lowest marked byte is exact. */
static inline uint64_t json_has_zero(uint64_t v)
{
    return (v - JSON_ONES) & ~v & JSON_TOPS;
}

/* Nonzero when one of the bytes of `v` is `"`, `\` or a control character (below 0x20). */
static inline uint64_t json_has_special(uint64_t v)
{
    return json_has_zero(v ^ JSON_ONES * '"') | json_has_zero(v ^ JSON_ONES * '\\') |
           ((v - JSON_ONES * 0x20) & ~v & JSON_TOPS);
}

/* Nonzero when one of the bytes of `v` is special or isn't ASCII; the lowest marked one is exact:
 * without ASCII's eighth bit, taking 1 sets it just for a 0, or borrows for one below. */
static inline uint64_t json_has_odd(uint64_t v)
{
    const uint64_t quote = v ^ JSON_ONES * '"';
    const uint64_t backslash = v ^ JSON_ONES * '\\';

    return ((quote - JSON_ONES) | (backslash - JSON_ONES) | (v - JSON_ONES * 0x20) | v) & JSON_TOPS;
}

#endif
