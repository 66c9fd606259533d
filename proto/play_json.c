/* SPDX-License-Identifier: ISC
 * play_json.c -- what the codecs of orders, events and positions share.
 */
#include "proto/play_json.h"

void play_put_side(struct jsonw *w, const char *name, const struct scenario *scn, uint8_t side)
{
    if (side == RULES_NOBODY)
        jsonw_m_null(w, name);
    else
        jsonw_m_str(w, name, scn->side[side].id);
}

void play_put_square(struct jsonw *w, const char *name, const struct scenario *scn, uint16_t sq)
{
    char text[RULES_SQUARE_NAME];

    jsonw_m_str(w, name, rules_square_name(&scn->board, sq, text));
}

void play_put_squares(struct jsonw *w, const char *name, const struct scenario *scn,
                      const uint16_t *sq, unsigned n)
{
    char text[RULES_SQUARE_NAME];

    jsonw_m_arr(w, name);
    for (unsigned i = 0; i < n; i++)
        jsonw_str(w, rules_square_name(&scn->board, sq[i], text));
    jsonw_arr_end(w);
}

void play_put_dir(struct jsonw *w, const char *name, uint8_t dir)
{
    jsonw_m_str(w, name, dir_word((enum rules_dir)dir));
}

bool play_get_uint(const struct json *j, const char *name, unsigned max, unsigned *out)
{
    int64_t v;

    if (!json_get_int(j, name, &v) || v < 0 || v > (int64_t)max)
        return false;
    *out = (unsigned)v;
    return true;
}

bool play_get_die(const struct json *j, const char *name, uint8_t *out)
{
    unsigned v;

    if (!play_get_uint(j, name, 6, &v) || v == 0)
        return false;
    *out = (uint8_t)v;
    return true;
}

bool play_get_dir(const struct json *j, const char *name, uint8_t *out)
{
    const char *word = NULL;

    return json_get_string(j, name, &word) && dir_from_word(word, out);
}

bool play_get_side(const struct json *j, const char *name, const struct scenario *scn, uint8_t *out)
{
    const char *id = NULL;

    if (!json_get_string(j, name, &id))
        return false;
    *out = (uint8_t)scenario_side_find(scn, id);
    return *out != RULES_NOBODY;
}

bool play_square(const struct json *j, const struct scenario *scn, uint16_t *out)
{
    const char *text = NULL;

    if (!json_string(j, &text))
        return false;
    *out = rules_square_parse(&scn->board, text);
    return *out != RULES_NO_SQUARE;
}

bool play_figure(const struct json *j, const struct scenario *scn, uint8_t *out)
{
    const char *id = NULL;
    uint16_t f;

    if (!json_string(j, &id))
        return false;
    f = rules_figure_find(&scn->board, id);
    *out = (uint8_t)f;
    return f != RULES_NO_FIGURE;
}

bool play_get_square(const struct json *j, const char *name, const struct scenario *scn,
                     uint16_t *out)
{
    return play_square(json_get(j, name), scn, out);
}

bool play_get_figure(const struct json *j, const char *name, const struct scenario *scn,
                     uint8_t *out)
{
    return play_figure(json_get(j, name), scn, out);
}

const struct json *play_get_array(const struct json *j, const char *name)
{
    const struct json *list = json_get(j, name);

    return list != NULL && json_type(list) == JSON_ARRAY ? list : NULL;
}

bool play_get_path(const struct json *j, const char *name, const struct scenario *scn,
                   uint16_t path[RULES_PATH_MAX], uint8_t *n)
{
    const struct json *list = play_get_array(j, name);
    uint8_t i = 0;

    if (list == NULL || json_count(list) > RULES_PATH_MAX)
        return false;
    for (const struct json *sq = json_first(list); sq != NULL; sq = json_next(sq)) {
        if (!play_square(sq, scn, &path[i++]))
            return false;
    }
    *n = i;
    return true;
}
