/* SPDX-License-Identifier: ISC
 * hex.h -- bytes as lower-case hex and back.
 */
#ifndef SK_BASE_HEX_H
#define SK_BASE_HEX_H

#include "common/base/util.h"

/* Write 2*n lower-case digits and a NUL to `dst` (room 2*n+1). */
void hex_encode(char *dst, const uint8_t *src, size_t n);
/* Exactly 2*n lower-case digits of C string `s` into dst[n]; false for anything else (upper case
 * too), dst then undefined. */
NODISCARD bool hex_decode(uint8_t *dst, size_t n, const char *s);

#endif
