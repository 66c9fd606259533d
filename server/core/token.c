/* SPDX-License-Identifier: ISC */

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/sha256.h"
#include "server/core/user.h"

void token_make(struct core *c, uint8_t token[MSG_TOKEN_LEN])
{
    drbg_bytes(&c->rng, token, MSG_TOKEN_LEN);
}

/* Tokens are 32 random bytes: one plain hash keeps a stolen database from logging in. */
void token_hash(const uint8_t token[MSG_TOKEN_LEN], uint8_t hash[32])
{
    sha256(hash, token, MSG_TOKEN_LEN);
}

struct token *token_find(const struct core *c, const uint8_t token[MSG_TOKEN_LEN])
{
    uint8_t hash[32];

    token_hash(token, hash);
    return map_get(&c->tokens, hash);
}

struct family *family_new(struct core *c, struct user *u)
{
    struct family *f = mem_zalloc(sizeof(*f));

    drbg_bytes(&c->rng, f->id, sizeof(f->id));
    f->user = u;
    return f;
}

void family_free(struct family *f)
{
    CHECK(f == NULL || f->newest == NULL);
    mem_free(f);
}

void family_enter(struct family *f)
{
    struct family **end = &f->user->families;

    while (*end != NULL)
        end = &(*end)->next;
    *end = f;
}

static void token_drop(struct core *c, struct token *t)
{
    CHECK(map_take(&c->tokens, t->hash) == t);
    if (t == &t->family->one)
        *t = (struct token){.family = NULL};
    else
        mem_free(t);
}

static void token_enter(struct core *c, struct family *f, const uint8_t hash[32], uint32_t n)
{
    struct token **at = &f->newest;
    struct token *t = f->one.family == NULL ? &f->one : mem_zalloc(sizeof(*t));

    memcpy(t->hash, hash, sizeof(t->hash));
    t->family = f;
    t->n = n;
    while (*at != NULL && (*at)->n > n) /* rows come in any order */
        at = &(*at)->older;
    t->older = *at;
    *at = t;
    map_put(&c->tokens, t);
}

struct token *family_oldest(const struct family *f)
{
    struct token *t = f->newest;

    while (t != NULL && t->older != NULL)
        t = t->older;
    return t;
}

unsigned family_size(const struct family *f)
{
    unsigned n = 0;

    for (const struct token *t = f->newest; t != NULL; t = t->older)
        n++;
    return n;
}

struct family *family_surplus(const struct user *u)
{
    struct family *first = NULL;
    struct family *idle = NULL;
    unsigned n = 0;

    for (struct family *f = u->families; f != NULL; f = f->next) {
        const struct conn *cn = u->conns;

        if (f->ending)
            continue;
        n++;
        while (cn != NULL && cn->family != f)
            cn = cn->user_next;
        if (first == NULL)
            first = f;
        if (cn == NULL && idle == NULL)
            idle = f; /* the oldest that nobody is logged in by */
    }
    if (n < FAMILIES_KEPT)
        return NULL;
    return idle != NULL ? idle : first;
}

static void drop_oldest(struct core *c, struct family *f)
{
    struct token **at = &f->newest;

    while ((*at)->older != NULL)
        at = &(*at)->older;
    token_drop(c, *at);
    *at = NULL;
}

void family_push(struct core *c, struct family *f, const uint8_t token[MSG_TOKEN_LEN])
{
    uint8_t hash[32];

    token_hash(token, hash);
    token_enter(c, f, hash, f->newest == NULL ? 0 : f->newest->n + 1);
    if (family_size(f) > TOKENS_KEPT)
        drop_oldest(c, f);
}

void family_end(struct core *c, struct family *f)
{
    struct family **at = &f->user->families;

    for (struct conn *cn = f->user->conns; cn != NULL; cn = cn->user_next)
        if (cn->family == f)
            cn->family = NULL;
    while (f->newest != NULL)
        drop_oldest(c, f);
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    mem_free(f);
}

/* ---- rows ---- */

void op_token_put(struct ops *o, const struct family *f, const uint8_t hash[32], uint32_t n)
{
    struct store_op *op = ops_add(o, STORE_TOKEN_PUT);
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    jsonw_obj(&w);
    jsonw_m_hex(&w, "family", f->id, sizeof(f->id));
    jsonw_m_int(&w, "n", n);
    jsonw_obj_end(&w);
    memcpy(op->key, hash, sizeof(op->key));
    memcpy(op->name, f->user->key, sizeof(f->user->key));
    op_data(op, &b);
    buf_fini(&b);
}

void op_token_drop(struct ops *o, const uint8_t hash[32])
{
    memcpy(ops_add(o, STORE_TOKEN_DROP)->key, hash, 32);
}

void ops_family_drop(struct ops *o, struct family *f)
{
    f->ending = true;
    for (const struct token *t = f->newest; t != NULL; t = t->older)
        op_token_drop(o, t->hash);
}

void families_ended(struct core *c, struct user *u, bool ok)
{
    struct family *next;

    for (struct family *f = u->families; f != NULL; f = next) {
        next = f->next;
        if (f->ending && ok)
            family_end(c, f);
        else
            f->ending = false;
    }
}

static struct family *family_find(struct user *u, const uint8_t id[16])
{
    for (struct family *f = u->families; f != NULL; f = f->next)
        if (memcmp(f->id, id, sizeof(f->id)) == 0)
            return f;
    return NULL;
}

enum err token_load(struct core *c, const uint8_t hash[32], const char *user, const char *data,
                    size_t len)
{
    struct user *u = user_find(c, user);
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    struct family *f;
    uint8_t id[16];
    const char *hex;
    int64_t n;
    enum err e = ERR_DATA;

    if (u == NULL || map_get(&c->tokens, hash) != NULL ||
        json_parse(data, len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    if (!json_get_string(j, "family", &hex) || !hex_decode(id, sizeof(id), hex) ||
        !json_get_int(j, "n", &n) || n < 0 || n > UINT32_MAX)
        goto out;
    f = family_find(u, id);
    if (f == NULL) {
        f = mem_zalloc(sizeof(*f));
        memcpy(f->id, id, sizeof(f->id));
        f->user = u;
        family_enter(f);
    }
    token_enter(c, f, hash, (uint32_t)n);
    e = ERR_OK;
out:
    json_free(j);
    return e;
}
