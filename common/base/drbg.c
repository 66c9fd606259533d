/* SPDX-License-Identifier: ISC */
#include "common/base/drbg.h"

#include <sodium.h>

#include "common/base/sha256.h"

_Static_assert(DRBG_SEED_LEN == crypto_stream_chacha20_KEYBYTES, "the seed is the key");
_Static_assert(DRBG_SEED_LEN == SHA256_LEN, "the hash is the next key");

void drbg_init(struct drbg *g, const uint8_t seed[DRBG_SEED_LEN])
{
    memcpy(g->key, seed, sizeof(g->key));
    g->counter = 0;
}

void drbg_mix(struct drbg *g, const uint8_t seed[DRBG_SEED_LEN])
{
    struct sha256 h;

    sha256_init(&h);
    sha256_update(&h, g->key, sizeof(g->key));
    sha256_update(&h, seed, DRBG_SEED_LEN);
    sha256_final(&h, g->key);
    g->counter = 0;
}

/* Each call is a stream of its own: the call's number is the nonce, little-endian. */
void drbg_bytes(struct drbg *g, void *dst, size_t n)
{
    uint8_t nonce[crypto_stream_chacha20_NONCEBYTES];

    if (n == 0)
        return;
    for (size_t i = 0; i < sizeof(nonce); i++)
        nonce[i] = (uint8_t)(g->counter >> (8 * i));
    CHECK(crypto_stream_chacha20(dst, n, nonce, g->key) == 0);
    g->counter++;
    CHECK(g->counter != 0);
}

uint32_t drbg_below(struct drbg *g, uint32_t bound)
{
    uint8_t raw[4];
    uint32_t v;
    uint32_t skip;

    CHECK(bound > 0);
    skip = (uint32_t)(0 - bound) % bound; /* 2^32 mod bound: what is left is a whole multiple */
    do {
        drbg_bytes(g, raw, sizeof(raw));
        v = (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 |
            (uint32_t)raw[3] << 24;
    } while (v < skip);
    return v % bound;
}
