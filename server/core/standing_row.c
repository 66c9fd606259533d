/* SPDX-License-Identifier: ISC
 * standing_row.c -- standings as small named values of the store: "club/<name>", "sides/<id>".
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/standing.h"
#include "server/core/user.h"

#define CLUB  "club/"
#define SIDES "sides/"

/* JSON here knows whole numbers only: millionths. */
#define MICRO 1e6

static void put_real(struct jsonw *w, const char *name, double v)
{
    jsonw_m_int(w, name, rating_shown(v * MICRO));
}

static void put_rating(struct jsonw *w, const struct rating *r)
{
    put_real(w, "r", r->rating);
    put_real(w, "d", r->deviation);
    put_real(w, "v", r->volatility);
}

static void put_row(struct ops *o, const char *prefix, const char *key, const struct buf *data)
{
    struct store_op *op = ops_add(o, STORE_META_PUT);
    const size_t n = strlen(prefix);

    CHECK(str_copy(op->name, sizeof(op->name), prefix) &&
          str_copy(op->name + n, sizeof(op->name) - n, key));
    op_data(op, data);
}

void op_standing_put(struct ops *o, const struct standing *s)
{
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    jsonw_obj(&w);
    jsonw_m_str(&w, "name", s->name);
    put_rating(&w, &s->rating);
    jsonw_m_int(&w, "rated_at", s->rated_at);
    jsonw_m_int(&w, "rated", s->rated);
    jsonw_m_int(&w, "won", s->won);
    jsonw_m_int(&w, "lost", s->lost);
    jsonw_m_int(&w, "drawn", s->drawn);
    jsonw_m_arr(&w, "pairs");
    for (size_t i = 0; i < s->n_pairs; i++) {
        jsonw_arr(&w);
        jsonw_str(&w, s->pair[i].name);
        jsonw_int(&w, s->pair[i].owed);
        jsonw_int(&w, s->pair[i].left);
        jsonw_arr_end(&w);
    }
    jsonw_arr_end(&w);
    jsonw_m_arr(&w, "past");
    for (size_t i = 0; i < s->n_past; i++) {
        jsonw_arr(&w);
        jsonw_int(&w, s->past[i].ts);
        jsonw_int(&w, s->past[i].rating);
        jsonw_hex(&w, s->past[i].match, MATCH_ID_LEN);
        jsonw_arr_end(&w);
    }
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    put_row(o, CLUB, s->key, &b);
    buf_fini(&b);
}

void op_standing_drop(struct ops *o, const char *name)
{
    struct store_op *op = ops_add(o, STORE_META_DROP);
    char key[NAME_KEY_LEN];

    name_key(key, name);
    (void)str_copy(op->name, sizeof(op->name), CLUB);
    CHECK(str_copy(op->name + sizeof(CLUB) - 1, sizeof(op->name) - sizeof(CLUB) + 1, key));
}

void op_sides_put(struct ops *o, const struct sides *s)
{
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    jsonw_obj(&w);
    jsonw_m_arr(&w, "sides");
    for (int i = 0; i < 2; i++) {
        jsonw_obj(&w);
        put_rating(&w, &s->side[i]);
        jsonw_m_int(&w, "won", s->won[i]);
        jsonw_obj_end(&w);
    }
    jsonw_arr_end(&w);
    jsonw_m_int(&w, "drawn", s->drawn);
    jsonw_obj_end(&w);
    put_row(o, SIDES, s->key, &b);
    buf_fini(&b);
}

/* ---- in ---- */

static bool get_real(const struct json *j, const char *name, double *out)
{
    int64_t v;

    if (!json_get_int(j, name, &v))
        return false;
    *out = (double)v / MICRO;
    return true;
}

static bool get_rating(const struct json *j, struct rating *r)
{
    return get_real(j, "r", &r->rating) && get_real(j, "d", &r->deviation) &&
           get_real(j, "v", &r->volatility) && r->deviation > 0 && r->volatility > 0;
}

static bool get_count(const struct json *j, uint32_t *out)
{
    int64_t v;

    if (!json_int(j, &v) || v < 0 || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool read_pairs(const struct json *list, struct standing *s)
{
    for (const struct json *p = json_first(list); p != NULL; p = json_next(p)) {
        const struct json *owed;
        struct standing_pair *pair;
        const char *text;

        if (json_count(p) != 3 || !json_string(json_first(p), &text))
            return false;
        owed = json_next(json_first(p));
        pair = standing_pair_of(s, text);
        if (!get_count(owed, &pair->owed) || !get_count(json_next(owed), &pair->left))
            return false;
    }
    return true;
}

static bool read_past(const struct json *list, struct standing *s)
{
    for (const struct json *p = json_first(list); p != NULL; p = json_next(p)) {
        const struct json *rating;
        struct standing_past past;
        const char *id;

        if (json_count(p) != 3 || !json_int(json_first(p), &past.ts))
            return false;
        rating = json_next(json_first(p));
        if (!json_int(rating, &past.rating) || !json_string(json_next(rating), &id) ||
            !hex_decode(past.match, MATCH_ID_LEN, id))
            return false;
        standing_add_past(s, &past);
    }
    return true;
}

static bool read_standing(const struct json *j, struct standing *s)
{
    return get_rating(j, &s->rating) && json_get_int(j, "rated_at", &s->rated_at) &&
           get_count(json_get(j, "rated"), &s->rated) && get_count(json_get(j, "won"), &s->won) &&
           get_count(json_get(j, "lost"), &s->lost) && get_count(json_get(j, "drawn"), &s->drawn) &&
           read_pairs(json_get(j, "pairs"), s) && read_past(json_get(j, "past"), s);
}

static enum err load_standing(struct core *c, const char *key, const struct json *j)
{
    struct standing *s;
    const char *name;

    if (!json_get_string(j, "name", &name) || !msg_name_ok(name) || !str_ieq(name, key))
        return ERR_DATA;
    s = standing_new(name);
    if (!read_standing(j, s)) {
        standing_free(s);
        return ERR_DATA;
    }
    standing_enter(c, s);
    return ERR_OK;
}

static enum err load_sides(struct core *c, const char *id, const struct json *j)
{
    struct sides *s = sides_new(id);
    const struct json *side = json_first(json_get(j, "sides"));

    for (int i = 0; i < 2; i++, side = json_next(side)) {
        if (!get_rating(side, &s->side[i]) || !get_count(json_get(side, "won"), &s->won[i]))
            goto bad;
    }
    if (!get_count(json_get(j, "drawn"), &s->drawn))
        goto bad;
    sides_enter(c, s);
    return ERR_OK;
bad:
    mem_free(s);
    return ERR_DATA;
}

enum err standing_load(struct core *c, const char *name, const char *data)
{
    const bool club = str_starts(name, CLUB);
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    enum err e;

    if (!club && !str_starts(name, SIDES))
        return ERR_NOT_FOUND;
    if (json_parse(data, strlen(data), &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    e = club ? load_standing(c, name + sizeof(CLUB) - 1, j)
             : load_sides(c, name + sizeof(SIDES) - 1, j);
    json_free(j);
    return e;
}
