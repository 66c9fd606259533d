/* SPDX-License-Identifier: ISC
 * drbg.h -- deterministic random bytes from a seed (ChaCha20 through libsodium).
 *
 * The server core is told its entropy: the shell seeds one of these from the kernel, the
 * simulator from a number, and the same seed gives the same bytes. Not for dice between
 * players: those are FD1 (common/dice).
 */
#ifndef SK_BASE_DRBG_H
#define SK_BASE_DRBG_H

#include "common/base/util.h"

#define DRBG_SEED_LEN 32

struct drbg {
    uint8_t key[DRBG_SEED_LEN];
    uint64_t counter;
};

void drbg_init(struct drbg *g, const uint8_t seed[DRBG_SEED_LEN]);
/* Mix fresh entropy in: key = SHA-256(key || seed). */
void drbg_mix(struct drbg *g, const uint8_t seed[DRBG_SEED_LEN]);
/* Next `n` bytes. */
void drbg_bytes(struct drbg *g, void *dst, size_t n);
/* Uniform in [0, bound), bound >= 1, without modulo bias. */
uint32_t drbg_below(struct drbg *g, uint32_t bound);

#endif
