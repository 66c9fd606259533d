/* SPDX-License-Identifier: ISC */
#include "common/base/sha256.h"

#include <string.h>

/* clang 14 can't ask for this at run time: libsodium alone there. */
#if defined(__x86_64__) && !defined(__clang__)
#define SHA256_BY_PROCESSOR 1
#else
#define SHA256_BY_PROCESSOR 0
#endif

enum { BLOCK = 64 };

#if SHA256_BY_PROCESSOR
#include <immintrin.h>

static const uint32_t round_k[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static bool has_instructions(void)
{
    return __builtin_cpu_supports("sha") != 0 && __builtin_cpu_supports("sse4.1") != 0;
}

#define HARDWARE __attribute__((target("sha,sse4.1,ssse3")))

HARDWARE static inline __m128i load(const void *p)
{
    return _mm_loadu_si128((const __m128i_u *)p);
}

/* The next four words of the schedule, in place of w[0]. */
HARDWARE static inline __m128i schedule(const __m128i w[4], unsigned r)
{
    const __m128i a = _mm_sha256msg1_epu32(w[r & 3], w[(r + 1) & 3]);
    const __m128i b = _mm_alignr_epi8(w[(r + 3) & 3], w[(r + 2) & 3], 4);

    return _mm_sha256msg2_epu32(_mm_add_epi32(a, b), w[(r + 3) & 3]);
}

/* `n` blocks into the state. The instructions want its words as ABEF and CDGH. */
HARDWARE static void blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
    const __m128i big_end = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
    const __m128i cdab = _mm_shuffle_epi32(load(h), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(load(h + 4), 0x1b);
    __m128i s0 = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i s1 = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i feba, dchg;

    for (; n > 0; n--, p += BLOCK) {
        const __m128i was0 = s0, was1 = s1;
        __m128i w[4];

        for (unsigned i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(load(p + (size_t)16 * i), big_end);
#pragma GCC unroll 16
        for (unsigned r = 0; r < 16; r++) {
            const __m128i k = _mm_add_epi32(w[r & 3], load(round_k + (size_t)4 * r));

            s1 = _mm_sha256rnds2_epu32(s1, s0, k);
            s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(k, 0x0e));
            if (r < 12)
                w[r & 3] = schedule(w, r);
        }
        s0 = _mm_add_epi32(s0, was0);
        s1 = _mm_add_epi32(s1, was1);
    }
    feba = _mm_shuffle_epi32(s0, 0x1b);
    dchg = _mm_shuffle_epi32(s1, 0xb1);
    _mm_storeu_si128((__m128i_u *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i_u *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* libsodium's state: `count` is in bits, the block that isn't full stands in `buf`. */
static void update(crypto_hash_sha256_state *s, const uint8_t *p, size_t len)
{
    const size_t have = s->count / 8 % BLOCK;
    size_t whole;

    s->count += (uint64_t)len * 8;
    if (have + len < BLOCK) {
        memcpy(s->buf + have, p, len);
        return;
    }
    if (have > 0) {
        memcpy(s->buf + have, p, BLOCK - have);
        blocks(s->state, s->buf, 1);
        p += BLOCK - have;
        len -= BLOCK - have;
    }
    whole = len / BLOCK;
    blocks(s->state, p, whole);
    memcpy(s->buf, p + whole * BLOCK, len % BLOCK);
}

static void put_be(uint8_t *p, uint64_t v, unsigned bytes)
{
    while (bytes-- > 0) {
        p[bytes] = (uint8_t)v;
        v >>= 8;
    }
}

static void final(crypto_hash_sha256_state *s, uint8_t out[SHA256_LEN])
{
    const uint64_t bits = s->count;
    size_t have = s->count / 8 % BLOCK;

    s->buf[have++] = 0x80;
    if (have > BLOCK - 8) {
        memset(s->buf + have, 0, BLOCK - have);
        blocks(s->state, s->buf, 1);
        have = 0;
    }
    memset(s->buf + have, 0, BLOCK - 8 - have);
    put_be(s->buf + BLOCK - 8, bits, 8);
    blocks(s->state, s->buf, 1);
    for (unsigned i = 0; i < 8; i++)
        put_be(out + (size_t)4 * i, s->state[i], 4);
}
#endif

void sha256_init(struct sha256 *s)
{
    (void)crypto_hash_sha256_init(&s->lib);
}

void sha256_update(struct sha256 *s, const void *data, size_t len)
{
    if (len == 0)
        return;
#if SHA256_BY_PROCESSOR
    if (has_instructions()) {
        update(&s->lib, data, len);
        return;
    }
#endif
    (void)crypto_hash_sha256_update(&s->lib, data, len);
}

void sha256_final(struct sha256 *s, uint8_t out[SHA256_LEN])
{
#if SHA256_BY_PROCESSOR
    if (has_instructions()) {
        final(&s->lib, out);
        return;
    }
#endif
    (void)crypto_hash_sha256_final(&s->lib, out);
}

void sha256(uint8_t out[SHA256_LEN], const void *data, size_t len)
{
    struct sha256 s;

    sha256_init(&s);
    sha256_update(&s, data, len);
    sha256_final(&s, out);
}
