/* SPDX-License-Identifier: ISC */
#include "common/base/map.h"

#include "common/base/mem.h"

enum { CAP_MIN = 16 };

static uint64_t rotl(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t load_le(const uint8_t *p, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] = rotl(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] = rotl(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t map_hash(const uint64_t seed[2], const void *p, size_t n)
{
    const uint8_t *byte = p;
    uint64_t v[4] = {seed[0] ^ 0x736f6d6570736575, seed[1] ^ 0x646f72616e646f6d,
                     seed[0] ^ 0x6c7967656e657261, seed[1] ^ 0x7465646279746573};
    size_t left = n;

    for (; left >= 8; left -= 8, byte += 8)
        sip_word(v, load_le(byte, 8));
    sip_word(v, load_le(byte, left) | (uint64_t)n << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void map_init(struct map *m, size_t key_at, size_t key_len, const uint64_t seed[2])
{
    *m = (struct map){.key_at = key_at, .key_len = key_len, .seed = {seed[0], seed[1]}};
}

void map_fini(struct map *m)
{
    mem_free(m->slot);
    m->slot = NULL;
    m->n = m->cap = 0;
}

static const void *key_of(const struct map *m, const void *value)
{
    return (const char *)value + m->key_at;
}

/* The slot of `key`, or the free one where it would go. The map has at least one free slot. */
static size_t probe(const struct map *m, const void *key, uint64_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);

    while (m->slot[i].value != NULL &&
           (m->slot[i].hash != hash || memcmp(key_of(m, m->slot[i].value), key, m->key_len) != 0))
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *map_get(const struct map *m, const void *key)
{
    if (m->n == 0)
        return NULL;
    return m->slot[probe(m, key, map_hash(m->seed, key, m->key_len))].value;
}

static void grow(struct map *m)
{
    struct map_slot *old = m->slot;
    size_t old_cap = m->cap;

    m->cap = old_cap == 0 ? (size_t)CAP_MIN : old_cap * 2;
    m->slot = mem_array(m->cap, sizeof(*m->slot));
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].value != NULL)
            m->slot[probe(m, key_of(m, old[i].value), old[i].hash)] = old[i];
    mem_free(old);
}

void map_put(struct map *m, void *value)
{
    uint64_t hash = map_hash(m->seed, key_of(m, value), m->key_len);
    size_t i;

    if (4 * (m->n + 1) > 3 * m->cap)
        grow(m);
    i = probe(m, key_of(m, value), hash);
    CHECK(m->slot[i].value == NULL);
    m->slot[i] = (struct map_slot){hash, value};
    m->n++;
}

/* Close the gap at `hole`: move back whatever probing would no longer reach. */
static void close_gap(struct map *m, size_t hole)
{
    size_t mask = m->cap - 1;

    for (size_t i = (hole + 1) & mask; m->slot[i].value != NULL; i = (i + 1) & mask) {
        size_t home = (size_t)m->slot[i].hash & mask;

        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        m->slot[hole] = m->slot[i];
        hole = i;
    }
    m->slot[hole] = (struct map_slot){0, NULL};
}

void *map_take(struct map *m, const void *key)
{
    void *value;
    size_t i;

    if (m->n == 0)
        return NULL;
    i = probe(m, key, map_hash(m->seed, key, m->key_len));
    value = m->slot[i].value;
    if (value == NULL)
        return NULL;
    close_gap(m, i);
    m->n--;
    return value;
}

void *map_next(const struct map *m, size_t *at)
{
    while (*at < m->cap) {
        void *value = m->slot[(*at)++].value;

        if (value != NULL)
            return value;
    }
    return NULL;
}
