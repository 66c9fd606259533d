/* SPDX-License-Identifier: ISC
 * sha256.h -- SHA-256 (FIPS 180-4) by libcrypto, which uses the processor's own instructions.
 *
 * An order is hashed three times (its journal lines, its row, the position): in portable C that is
 * half of what an order costs.
 */
#ifndef SK_BASE_SHA256_H
#define SK_BASE_SHA256_H

#include <stdalign.h>

#include "common/base/util.h"

#define SHA256_LEN 32

struct sha256 {
    alignas(8) uint8_t lib[112]; /* libcrypto's */
};
void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t len);
/* The hash of all that was given; *s is used up. */
void sha256_final(struct sha256 *s, uint8_t out[SHA256_LEN]);
/* The three in one. */
void sha256(uint8_t out[SHA256_LEN], const void *data, size_t len);

#endif
