/* SPDX-License-Identifier: ISC */
#include "server/core/invite.h"

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/sha256.h"
#include "common/base/str.h"

struct invite {
    uint8_t hash[32];
    uint32_t uses;    /* left, those held too */
    uint32_t held;    /* registrations under way */
    uint32_t storing; /* of these, in a transaction under way */
    struct wall until;
    char by[NAME_LEN + 1];
    bool revoked; /* its row's end is under way */
};

static void hash_of(const char *code, uint8_t hash[32])
{
    sha256(hash, code, strlen(code));
}

void invite_letters(struct core *c, char *code, size_t n)
{
    static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789"; /* none that look alike */

    for (size_t i = 0; i < n; i++)
        code[i] = letters[drbg_below(&c->rng, sizeof(letters) - 1)];
    code[n] = '\0';
}

static void op_put(struct ops *o, const struct invite *inv, uint32_t uses)
{
    struct store_op *op = ops_add(o, uses > 0 ? STORE_INVITE_PUT : STORE_INVITE_DROP);
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    memcpy(op->key, inv->hash, sizeof(op->key));
    if (uses == 0)
        return;
    jsonw_obj(&w);
    jsonw_m_int(&w, "uses", uses);
    jsonw_m_int(&w, "until", inv->until.ms);
    jsonw_m_str(&w, "by", inv->by);
    jsonw_obj_end(&w);
    op_data(op, &b);
    buf_fini(&b);
}

void invite_make(struct core *c, const struct invite_terms *t, char code[INVITE_CODE_LEN + 1],
                 struct ops *o)
{
    struct invite *inv = mem_zalloc(sizeof(*inv));

    CHECK(t->uses > 0 && t->uses <= INVITE_USES_MAX);
    invite_letters(c, code, INVITE_CODE_LEN);
    hash_of(code, inv->hash);
    inv->uses = t->uses;
    inv->until = t->until;
    (void)str_copy(inv->by, sizeof(inv->by), t->by);
    map_put(&c->invites, inv);
    op_put(o, inv, inv->uses);
}

static struct invite *find(const struct core *c, const char *code)
{
    uint8_t hash[32];

    hash_of(code, hash);
    return map_get(&c->invites, hash);
}

static void drop(struct core *c, struct invite *inv)
{
    CHECK(map_take(&c->invites, inv->hash) == inv);
    mem_free(inv);
}

void invite_forget(struct core *c, const char *code)
{
    struct invite *inv = find(c, code);

    if (inv != NULL && inv->held == 0)
        drop(c, inv);
}

void invite_view(const struct invite *inv, struct invite_view *out)
{
    *out = (struct invite_view){.by = inv->by, .uses = inv->uses, .until = inv->until};
    hex_encode(out->id, inv->hash, (INVITE_ID_LEN - 1) / 2);
}

bool invite_next(const struct core *c, size_t *at, struct invite_view *out)
{
    const struct invite *inv;

    while ((inv = map_next(&c->invites, at)) != NULL) {
        if (inv->revoked || (inv->until.ms != 0 && c->wall.ms >= inv->until.ms))
            continue;
        invite_view(inv, out);
        return true;
    }
    return false;
}

struct invite *invite_find(const struct core *c, const char *code_or_id)
{
    struct invite *inv = find(c, code_or_id);
    struct invite_view view;
    size_t at = 0;

    if (inv != NULL)
        return inv->revoked ? NULL : inv;
    while ((inv = map_next(&c->invites, &at)) != NULL) {
        invite_view(inv, &view);
        if (!inv->revoked && str_eq(view.id, code_or_id))
            return inv;
    }
    return NULL;
}

bool invite_is_held(const struct invite *inv)
{
    return inv->held > 0;
}

void op_invite_revoke(struct ops *o, struct invite *inv)
{
    inv->revoked = true;
    op_put(o, inv, 0);
}

void invite_revoked(struct core *c, struct invite *inv, bool ok)
{
    inv->revoked = false;
    if (ok)
        drop(c, inv);
}

struct invite *invite_hold(struct core *c, const char *code)
{
    struct invite *inv = find(c, code);

    if (inv == NULL || inv->revoked || inv->uses == inv->held ||
        (inv->until.ms != 0 && c->wall.ms >= inv->until.ms))
        return NULL;
    inv->held++;
    return inv;
}

void invite_release(struct invite *inv)
{
    if (inv != NULL)
        inv->held--;
}

void op_invite_spend(struct ops *o, struct invite *inv)
{
    inv->storing++;
    /* if an earlier one fails the row says one use too few, until the next is spent */
    op_put(o, inv, inv->uses - inv->storing);
}

void invite_spent(struct core *c, struct invite *inv, bool ok)
{
    inv->storing--;
    if (!ok)
        return;
    inv->held--;
    inv->uses--;
    if (inv->uses == 0)
        drop(c, inv);
}

void invites_init(struct core *c, const uint64_t seed[2])
{
    map_init(&c->invites, offsetof(struct invite, hash), sizeof(((struct invite *)0)->hash), seed);
}

void invites_fini(struct core *c)
{
    struct invite *inv;
    size_t at = 0;

    while ((inv = map_next(&c->invites, &at)) != NULL)
        mem_free(inv);
    map_fini(&c->invites);
}

enum err invite_load(struct core *c, const uint8_t hash[32], const char *data, size_t len)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    struct invite *inv;
    struct wall until;
    const char *by;
    int64_t uses;
    enum err e = ERR_DATA;

    if (map_get(&c->invites, hash) != NULL ||
        json_parse(data, len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    if (json_get_int(j, "uses", &uses) && uses > 0 && uses <= INVITE_USES_MAX &&
        json_get_int(j, "until", &until.ms) && json_get_string(j, "by", &by)) {
        inv = mem_zalloc(sizeof(*inv));
        memcpy(inv->hash, hash, sizeof(inv->hash));
        inv->uses = (uint32_t)uses;
        inv->until = until;
        (void)str_copy(inv->by, sizeof(inv->by), by);
        map_put(&c->invites, inv);
        e = ERR_OK;
    }
    json_free(j);
    return e;
}
