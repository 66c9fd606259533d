/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/user.h"

void op_user_put(struct ops *o, const struct user *u)
{
    struct store_op *op = ops_add(o, STORE_USER_PUT);
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);
    const struct account *a = user_account(u);

    jsonw_obj(&w);
    jsonw_m_str(&w, "name", u->name);
    jsonw_m_int(&w, "kind", u->kind);
    jsonw_m_int(&w, "role", u->role);
    jsonw_m_int(&w, "since", u->since.ms);
    if (a->hash != NULL)
        jsonw_m_str(&w, "hash", a->hash);
    if (a->email != NULL)
        jsonw_m_str(&w, "email", a->email);
    if (a->vacation.days > 0) {
        jsonw_m_obj(&w, "vacation");
        jsonw_m_int(&w, "until", a->vacation.until.ms);
        jsonw_m_int(&w, "year", a->vacation.year);
        jsonw_m_int(&w, "days", a->vacation.days);
        jsonw_obj_end(&w);
    }
    if (a->news != NULL)
        jsonw_m_str(&w, "news", a->news);
    if (a->barred_why != NULL) {
        jsonw_m_obj(&w, "barred");
        jsonw_m_int(&w, "until", a->barred.ms == BARRED_FOR_EVER ? 0 : a->barred.ms);
        jsonw_m_str(&w, "why", a->barred_why);
        jsonw_obj_end(&w);
    }
    if (u->warned)
        jsonw_m_bool(&w, "warned", true);
    jsonw_m_arr(&w, "muted");
    for (size_t i = 0; i < a->n_muted; i++)
        jsonw_str(&w, a->muted[i]);
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    memcpy(op->name, u->key, sizeof(u->key));
    op_data(op, &b);
    buf_fini(&b);
}

bool ops_user(struct ops *o, const struct user *u)
{
    if (u->stored)
        return false;
    op_user_put(o, u);
    for (const struct family *f = u->families; f != NULL; f = f->next)
        for (const struct token *t = f->newest; t != NULL; t = t->older)
            op_token_put(o, f, t->hash, t->n);
    return true;
}

static bool read_vacation(struct vacation *v, const struct json *j)
{
    return j == NULL || (json_get_int(j, "until", &v->until.ms) &&
                         json_get_int(j, "year", &v->year) && json_get_int(j, "days", &v->days));
}

static bool read_barred(struct user *u, const struct json *j)
{
    struct wall until;
    const char *why;

    if (j == NULL)
        return true;
    if (!json_get_int(j, "until", &until.ms) || !json_get_string(j, "why", &why))
        return false;
    if (until.ms == 0)
        until.ms = BARRED_FOR_EVER;
    user_bar(u, until, why);
    return true;
}

/* Read the row's members; false: it isn't one. */
static bool read_row(struct user *u, const struct json *j)
{
    struct account *a = user_own_account(u);
    int64_t role;
    bool warned;
    const char *text;

    if (!json_get_int(j, "role", &role) || role < USER_PLAIN || role > USER_ADMIN ||
        !json_get_int(j, "since", &u->since.ms) ||
        !read_vacation(&a->vacation, json_get(j, "vacation")) ||
        !read_barred(u, json_get(j, "barred")))
        return false;
    if (json_get_string(j, "news", &text))
        a->news = mem_strdup(text);
    u->warned = json_get_bool(j, "warned", &warned) && warned;
    u->role = (uint8_t)role;
    if (json_get_string(j, "hash", &text))
        a->hash = mem_strdup(text);
    if (json_get_string(j, "email", &text))
        a->email = mem_strdup(text);
    for (const struct json *m = json_first(json_get(j, "muted")); m != NULL; m = json_next(m))
        if (!json_string(m, &text) || !user_mute(u, text, true))
            return false;
    return u->kind == USER_GUEST || a->hash != NULL;
}

enum err user_load(struct core *c, const char *name, const char *data, size_t len)
{
    char why[JSON_WHY_LEN];
    char key[NAME_KEY_LEN];
    char wanted[NAME_KEY_LEN];
    struct json *j = NULL;
    struct user *u;
    const char *shown;
    int64_t kind;
    enum err e = ERR_DATA;

    if (json_parse(data, len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    if (!json_get_string(j, "name", &shown) || !msg_name_ok(shown) ||
        !json_get_int(j, "kind", &kind) || (kind != USER_GUEST && kind != USER_MEMBER))
        goto out;
    name_key(key, shown);
    name_key(wanted, name);
    if (memcmp(key, wanted, sizeof(key)) != 0 || map_get(&c->users, key) != NULL)
        goto out;
    u = user_new(c, shown, (enum user_kind)kind);
    u->stored = true;
    if (read_row(u, j))
        e = ERR_OK;
    else
        user_free(c, u);
out:
    json_free(j);
    return e;
}
