/* SPDX-License-Identifier: ISC
 * user_erased.c -- names of members who were erased, as hashes. Their games' records go on naming them,
 * so nobody else may have the name: not to sign with it, nor to be taken for a seat's holder.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/sha256.h"
#include "common/base/str.h"
#include "server/core/user.h"

#define ERASED "erased/"

enum { ERASED_LEN = 16 }; /* of the hash */

struct erased {
    uint8_t hash[ERASED_LEN];
};

static void hash_of(const char *name, uint8_t hash[ERASED_LEN])
{
    uint8_t all[SHA256_LEN];
    char key[NAME_KEY_LEN];

    name_key(key, name);
    sha256(all, key, sizeof(key));
    memcpy(hash, all, ERASED_LEN);
}

void erased_init(struct core *c, const uint64_t seed[2])
{
    map_init(&c->erased, offsetof(struct erased, hash), ERASED_LEN, seed);
}

void erased_fini(struct core *c)
{
    struct erased *e;
    size_t at = 0;

    while ((e = map_next(&c->erased, &at)) != NULL)
        mem_free(e);
    map_fini(&c->erased);
}

bool erased_has(const struct core *c, const char *name)
{
    uint8_t hash[ERASED_LEN];

    if (c->erased.n == 0)
        return false;
    hash_of(name, hash);
    return map_get(&c->erased, hash) != NULL;
}

static void enter(struct core *c, const uint8_t hash[ERASED_LEN])
{
    if (map_get(&c->erased, hash) == NULL)
        map_put(&c->erased, mem_dup(hash, ERASED_LEN));
}

void erased_enter(struct core *c, const char *name)
{
    uint8_t hash[ERASED_LEN];

    hash_of(name, hash);
    enter(c, hash);
}

void op_erased_put(struct ops *o, const char *name)
{
    struct store_op *op = ops_add(o, STORE_META_PUT);
    uint8_t hash[ERASED_LEN];

    hash_of(name, hash);
    CHECK(str_copy(op->name, sizeof(op->name), ERASED));
    hex_encode(op->name + sizeof(ERASED) - 1, hash, sizeof(hash));
    op->data = mem_strdup("1");
    op->len = 1;
}

enum err erased_load(struct core *c, const char *name)
{
    uint8_t hash[ERASED_LEN];

    if (!str_starts(name, ERASED))
        return ERR_NOT_FOUND;
    if (!hex_decode(hash, sizeof(hash), name + sizeof(ERASED) - 1))
        return ERR_DATA;
    enter(c, hash);
    return ERR_OK;
}
