/* SPDX-License-Identifier: ISC
 * order.c -- orders as JSON (PROTOCOL, Orders).
 */
#include "common/base/str.h"
#include "proto/play_json.h"

static const char *const do_words[] = {
    [RULES_DO_MOVE] = "move", [RULES_DO_TURN] = "turn",           [RULES_DO_FIRE] = "fire",
    [RULES_DO_UNDO] = "undo", [RULES_DO_END_PHASE] = "end_phase",
};

static enum err wrong(char field[PLAY_WHY_LEN], const char *member)
{
    (void)snprintf(field, PLAY_WHY_LEN, "order.%s", member);
    return ERR_PARAMS;
}

/* What an element of a list names; unknown ones are the rules' to refuse. */
static uint16_t find_figure(const struct scenario *scn, const char *word)
{
    return rules_figure_find(&scn->board, word);
}

static uint16_t find_square(const struct scenario *scn, const char *word)
{
    return rules_square_parse(&scn->board, word);
}

/* Array member of strings, read up to RULES_ORDER_MAX; the rest must be strings too. */
static bool get_list(const struct json *j, const char *name, const struct scenario *scn,
                     uint16_t (*find)(const struct scenario *, const char *), uint16_t *to)
{
    const struct json *list = play_get_array(j, name);
    unsigned i = 0;

    if (list == NULL)
        return false;
    for (const struct json *e = json_first(list); e != NULL; e = json_next(e), i++) {
        const char *word = NULL;

        if (!json_string(e, &word))
            return false;
        if (i < RULES_ORDER_MAX)
            to[i] = find(scn, word);
    }
    return true;
}

static uint8_t list_len(const struct json *j, const char *name)
{
    return (uint8_t)MIN(json_count(json_get(j, name)), (unsigned)RULES_ORDER_MAX);
}

/* A direction, RULES_NO_DIR when the member is absent. */
static bool get_dir(const struct json *j, const char *name, uint8_t *out)
{
    *out = RULES_NO_DIR;
    return json_get(j, name) == NULL || play_get_dir(j, name, out);
}

static enum err read_figures(const struct json *j, const struct scenario *scn,
                             struct rules_order *o, char field[PLAY_WHY_LEN])
{
    o->n_figures = list_len(j, "figures");
    if (!get_list(j, "figures", scn, find_figure, o->figure) || o->n_figures == 0)
        return wrong(field, "figures");
    return ERR_OK;
}

static enum err read_move(const struct json *j, const struct scenario *scn, struct rules_order *o,
                          char field[PLAY_WHY_LEN])
{
    if (!get_list(j, "path", scn, find_square, o->path))
        return wrong(field, "path");
    o->n_path = list_len(j, "path");
    if (!get_dir(j, "exit", &o->exit))
        return wrong(field, "exit");
    return read_figures(j, scn, o, field);
}

static enum err read_fire(const struct json *j, const struct scenario *scn, struct rules_order *o,
                          char field[PLAY_WHY_LEN])
{
    const char *square = NULL;

    if (!json_get_string(j, "square", &square))
        return wrong(field, "square");
    o->square = rules_square_parse(&scn->board, square);
    return ERR_OK;
}

static bool find_do(const char *word, uint8_t *out)
{
    for (size_t i = RULES_DO_MOVE; i < ARRAY_LEN(do_words); i++) {
        if (str_eq(word, do_words[i])) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Only a move may leave its facing to the last step; undo and end_phase know no such member. */
static bool read_face(const struct json *j, struct rules_order *o)
{
    switch ((enum rules_do)o->kind) {
    case RULES_DO_MOVE:
        return get_dir(j, "face", &o->face);
    case RULES_DO_TURN:
    case RULES_DO_FIRE:
        return get_dir(j, "face", &o->face) && o->face != RULES_NO_DIR;
    case RULES_DO_START:
    case RULES_DO_UNDO:
    case RULES_DO_END_PHASE:
        break;
    }
    return true;
}

enum err order_from_json(const struct json *j, const struct scenario *scn, struct rules_order *o,
                         char field[PLAY_WHY_LEN])
{
    const char *word = NULL;

    *o =
        (struct rules_order){.face = RULES_NO_DIR, .exit = RULES_NO_DIR, .square = RULES_NO_SQUARE};
    if (j == NULL || json_type(j) != JSON_OBJECT) {
        (void)snprintf(field, PLAY_WHY_LEN, "order");
        return ERR_PARAMS;
    }
    if (!json_get_string(j, "do", &word) || !find_do(word, &o->kind))
        return wrong(field, "do");
    if (!read_face(j, o))
        return wrong(field, "face");
    switch ((enum rules_do)o->kind) {
    case RULES_DO_MOVE:
        return read_move(j, scn, o, field);
    case RULES_DO_TURN:
        return read_figures(j, scn, o, field);
    case RULES_DO_FIRE:
        return read_fire(j, scn, o, field);
    case RULES_DO_START:
    case RULES_DO_UNDO:
    case RULES_DO_END_PHASE:
        break;
    }
    return ERR_OK;
}

static void put_figures(struct jsonw *w, const struct scenario *scn, const struct rules_order *o)
{
    jsonw_m_arr(w, "figures");
    for (unsigned i = 0; i < o->n_figures; i++) {
        CHECK(o->figure[i] < scn->board.n_figures);
        jsonw_str(w, play_id(scn, o->figure[i]));
    }
    jsonw_arr_end(w);
}

static void check_squares(const struct rules_board *b, const uint16_t *sq, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        CHECK(sq[i] < rules_squares(b));
}

void order_to_json(const struct rules_order *o, const struct scenario *scn, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    CHECK(o->kind != RULES_DO_START);
    jsonw_obj(&w);
    jsonw_m_str(&w, "do", do_words[o->kind]);
    if (o->kind == RULES_DO_MOVE || o->kind == RULES_DO_TURN)
        put_figures(&w, scn, o);
    if (o->kind == RULES_DO_MOVE) {
        check_squares(&scn->board, o->path, o->n_path);
        play_put_squares(&w, "path", scn, o->path, o->n_path);
    }
    if (o->kind == RULES_DO_FIRE) {
        check_squares(&scn->board, &o->square, 1);
        play_put_square(&w, "square", scn, o->square);
    }
    if (o->face != RULES_NO_DIR)
        play_put_dir(&w, "face", o->face);
    if (o->exit != RULES_NO_DIR)
        play_put_dir(&w, "exit", o->exit);
    jsonw_obj_end(&w);
}
