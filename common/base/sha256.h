/* SPDX-License-Identifier: ISC
 * sha256.h -- libsodium's SHA-256, by the processor's own instructions where it has them.
 *
 * FIPS 180-4. The state is libsodium's; on other processors all is done by libsodium. An order is
 * hashed three times (its journal lines, its row, the position): in portable C that is half of what
 * an order costs.
 */
#ifndef SK_BASE_SHA256_H
#define SK_BASE_SHA256_H

#include <sodium/crypto_hash_sha256.h>

#include "common/base/util.h"

#define SHA256_LEN crypto_hash_sha256_BYTES

struct sha256 {
    crypto_hash_sha256_state lib;
};
void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *data, size_t len);
/* The hash of all that was given; *s is used up. */
void sha256_final(struct sha256 *s, uint8_t out[SHA256_LEN]);
/* The three in one. */
void sha256(uint8_t out[SHA256_LEN], const void *data, size_t len);

#endif
