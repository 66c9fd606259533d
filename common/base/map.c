/* SPDX-License-Identifier: ISC */
#include "common/base/map.h"

#include "common/base/bits.h"
#include "common/base/mem.h"

enum {
    CAP_MIN = 16,
    CAP_SMALL = 4096 /* larger tables grow by a quarter and fill up more: little is free */
};

/* The state of SipHash. */
struct sip {
    uint64_t a, b, c, d;
};

static inline uint64_t rotl(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static inline struct sip sip_round(struct sip v)
{
    v.a += v.b;
    v.c += v.d;
    v.b = rotl(v.b, 13) ^ v.a;
    v.d = rotl(v.d, 16) ^ v.c;
    v.a = rotl(v.a, 32);
    v.c += v.b;
    v.a += v.d;
    v.b = rotl(v.b, 17) ^ v.c;
    v.d = rotl(v.d, 21) ^ v.a;
    v.c = rotl(v.c, 32);
    return v;
}

static inline struct sip sip_word(struct sip v, uint64_t word)
{
    v.d ^= word;
    v = sip_round(v);
    v.a ^= word;
    return v;
}

uint64_t map_hash(const uint64_t seed[2], const void *p, size_t n)
{
    const uint8_t *byte = p;
    struct sip v = {seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d,
                    seed[0] ^ 0x6c7967656e657261, seed[1] ^ 0x7465646279746573};
    uint64_t last = (uint64_t)n << 56;
    size_t left = n;

    for (; left >= 8; left -= 8, byte += 8)
        v = sip_word(v, bits_load8(byte));
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)byte[i] << (8 * i);
    v = sip_word(v, last);
    v.c ^= 0xff;
    v = sip_round(sip_round(sip_round(v)));
    return v.a ^ v.b ^ v.c ^ v.d;
}

void map_init(struct map *m, size_t key_at, size_t key_len, const uint64_t seed[2])
{
    *m = (struct map){.key_at = key_at, .key_len = key_len, .seed = {seed[0], seed[1]}};
}

void map_init_own(struct map *m, size_t key_at, size_t key_len, const uint64_t seed[2])
{
    CHECK(key_len >= 8);
    map_init(m, key_at, key_len, seed);
    m->own = true;
}

void map_fini(struct map *m)
{
    mem_free((void *)m->value);
    mem_free(m->hash);
    m->value = NULL;
    m->hash = NULL;
    m->n = m->cap = 0;
}

static uint64_t mix(const struct map *m, const void *key)
{
    uint64_t v;

    if (!m->own)
        return map_hash(m->seed, key, m->key_len);
    v = (bits_load8(key) ^ m->seed[0]) * UINT64_C(0x9e3779b97f4a7c15);
    v = (v ^ v >> 32 ^ m->seed[1]) * UINT64_C(0xd6e8feb86659fd93);
    return v ^ v >> 32;
}

/* What a slot keeps of it, never 0. */
static uint32_t hash_of(const struct map *m, const void *key)
{
    return (uint32_t)(mix(m, key) >> 32) | 1;
}

static const void *key_of(const struct map *m, const void *value)
{
    return (const char *)value + m->key_at;
}

/* Where probing for it begins: the hash as a fraction of the table. */
static size_t home_of(const struct map *m, uint32_t hash)
{
    return (size_t)((uint64_t)hash * m->cap >> 32);
}

static size_t behind(const struct map *m, size_t i)
{
    return i + 1 < m->cap ? i + 1 : 0;
}

/* Slots from one to another, onwards. */
static size_t distance(const struct map *m, size_t from, size_t to)
{
    return to >= from ? to - from : to + m->cap - from;
}

/* The slot of `key`, or the free one where it would go. The map has at least one free slot. */
static size_t probe(const struct map *m, const void *key, uint32_t hash)
{
    size_t i = home_of(m, hash);

    while (m->hash[i] != 0 &&
           (m->hash[i] != hash || memcmp(key_of(m, m->value[i]), key, m->key_len) != 0))
        i = behind(m, i);
    return i;
}

void *map_get(const struct map *m, const void *key)
{
    if (m->n == 0)
        return NULL;
    return m->value[probe(m, key, hash_of(m, key))];
}

static void set(struct map *m, size_t slot, void *value, uint32_t hash)
{
    m->value[slot] = value;
    m->hash[slot] = hash;
}

/* So many values before it grows: three quarters, or four fifths. */
static size_t full(const struct map *m)
{
    return m->cap <= CAP_SMALL ? m->cap / 4 * 3 : m->cap / 5 * 4;
}

static void grow(struct map *m)
{
    struct map old = *m;

    m->cap = old.cap < CAP_SMALL ? MAX(old.cap * 2, (size_t)CAP_MIN) : old.cap + old.cap / 4;
    CHECK(m->cap <= UINT32_MAX);
    m->value = mem_array(m->cap, sizeof(*m->value));
    m->hash = mem_array(m->cap, sizeof(*m->hash));
    for (size_t i = 0; i < old.cap; i++)
        if (old.hash[i] != 0)
            set(m, probe(m, key_of(m, old.value[i]), old.hash[i]), old.value[i], old.hash[i]);
    map_fini(&old);
}

void map_put(struct map *m, void *value)
{
    const uint32_t hash = hash_of(m, key_of(m, value));
    size_t i;

    if (m->n >= full(m))
        grow(m);
    i = probe(m, key_of(m, value), hash);
    CHECK(m->hash[i] == 0);
    set(m, i, value, hash);
    m->n++;
}

/* Close the gap at `hole`: move back whatever probing would no longer reach. */
static void close_gap(struct map *m, size_t hole)
{
    for (size_t i = behind(m, hole); m->hash[i] != 0; i = behind(m, i)) {
        const size_t home = home_of(m, m->hash[i]);

        if (distance(m, home, i) < distance(m, hole, i))
            continue;
        set(m, hole, m->value[i], m->hash[i]);
        hole = i;
    }
    set(m, hole, NULL, 0);
}

void *map_take(struct map *m, const void *key)
{
    void *value;
    size_t i;

    if (m->n == 0)
        return NULL;
    i = probe(m, key, hash_of(m, key));
    value = m->value[i];
    if (value == NULL)
        return NULL;
    close_gap(m, i);
    m->n--;
    return value;
}

void *map_next(const struct map *m, size_t *at)
{
    while (*at < m->cap) {
        void *value = m->value[(*at)++];

        if (value != NULL)
            return value;
    }
    return NULL;
}
