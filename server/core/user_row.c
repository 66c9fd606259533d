/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/user.h"

void op_user_put(struct ops *o, const struct user *u)
{
    struct store_op *op = ops_add(o, STORE_USER_PUT);
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    jsonw_obj(&w);
    jsonw_m_str(&w, "name", u->name);
    jsonw_m_int(&w, "kind", u->kind);
    jsonw_m_int(&w, "role", u->role);
    jsonw_m_int(&w, "since", u->since.ms);
    if (u->hash != NULL)
        jsonw_m_str(&w, "hash", u->hash);
    if (u->email != NULL)
        jsonw_m_str(&w, "email", u->email);
    if (u->vacation.days > 0) {
        jsonw_m_obj(&w, "vacation");
        jsonw_m_int(&w, "until", u->vacation.until.ms);
        jsonw_m_int(&w, "year", u->vacation.year);
        jsonw_m_int(&w, "days", u->vacation.days);
        jsonw_obj_end(&w);
    }
    if (u->news != NULL)
        jsonw_m_str(&w, "news", u->news);
    if (u->barred_why != NULL) {
        jsonw_m_obj(&w, "barred");
        jsonw_m_int(&w, "until", u->barred.ms == BARRED_FOR_EVER ? 0 : u->barred.ms);
        jsonw_m_str(&w, "why", u->barred_why);
        jsonw_obj_end(&w);
    }
    if (u->warned)
        jsonw_m_bool(&w, "warned", true);
    jsonw_m_arr(&w, "muted");
    for (size_t i = 0; i < u->n_muted; i++)
        jsonw_str(&w, u->muted[i]);
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
    int64_t role;
    const char *text;

    if (!json_get_int(j, "role", &role) || role < USER_PLAIN || role > USER_ADMIN ||
        !json_get_int(j, "since", &u->since.ms) ||
        !read_vacation(&u->vacation, json_get(j, "vacation")) ||
        !read_barred(u, json_get(j, "barred")))
        return false;
    if (json_get_string(j, "news", &text))
        u->news = mem_strdup(text);
    if (!json_get_bool(j, "warned", &u->warned))
        u->warned = false;
    u->role = (uint8_t)role;
    if (json_get_string(j, "hash", &text))
        u->hash = mem_strdup(text);
    if (json_get_string(j, "email", &text))
        u->email = mem_strdup(text);
    for (const struct json *m = json_first(json_get(j, "muted")); m != NULL; m = json_next(m))
        if (!json_string(m, &text) || !user_mute(u, text, true))
            return false;
    return u->kind == USER_GUEST || u->hash != NULL;
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
