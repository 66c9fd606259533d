/* SPDX-License-Identifier: ISC
 * map.h -- values found by a key of fixed length that stands inside them.
 *
 * Open addressing over SipHash-1-3 with a seed of the owner's, so that peers who choose keys can't
 * choose collisions. The map borrows its values; a value's key must not change while it is in.
 *
 * A map whose keys we draw or count ourselves (match ids, connections) does with two
 * multiplications over eight of their bytes, with the seed between them: nobody chooses what is
 * stored. A peer may ask for any key, but asking for one that isn't there costs a walk to the next
 * free slot, and how far that is our own keys decide.
 */
#ifndef SK_BASE_MAP_H
#define SK_BASE_MAP_H

#include "common/base/util.h"

struct map {
    void **value;   /* of each slot */
    uint32_t *hash; /* of each slot's value; 0: free */
    size_t n, cap;  /* values in it; slots */
    size_t key_at, key_len;
    uint64_t seed[2];
    bool own; /* keys are our own */
};

/* An empty map of values whose key is `key_len` bytes at offset `key_at`. */
void map_init(struct map *m, size_t key_at, size_t key_len, const uint64_t seed[2]);
/* The same for keys (of 8 bytes at least) that are ours: random, or counted, in their first 8. */
void map_init_own(struct map *m, size_t key_at, size_t key_len, const uint64_t seed[2]);
/* Frees the map's own memory, not the values. */
void map_fini(struct map *m);
/* The value with `key` (key_len bytes), borrowed; NULL when there is none. */
void *map_get(const struct map *m, const void *key);
/* Put a value in whose key isn't there yet (CHECK). */
void map_put(struct map *m, void *value);
/* Take the value with `key` out and return it; NULL when there is none. */
void *map_take(struct map *m, const void *key);
/*
 * Walk: the next value at or behind *at, which moves on; NULL at the end. Start with 0. Any order;
 * the map must not change on the way.
 */
void *map_next(const struct map *m, size_t *at);

/* SipHash-1-3 of `n` bytes. */
uint64_t map_hash(const uint64_t seed[2], const void *p, size_t n);

#endif
