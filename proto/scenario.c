/* SPDX-License-Identifier: ISC
 * scenario.c -- a scenario file whole: words, sides, readings, then ground, forces and conditions.
 */
#include "proto/scenario.h"

#include "common/base/mem.h"
#include "common/base/sha256.h"
#include "common/base/str.h"
#include "proto/jsonw.h"
#include "proto/scenario_read.h"

#define STACK_3IN 6  /* default, R2 */
#define TURNS     50 /* default, R43 */

/* ---- readings, R50 ---- */

static const struct reading {
    const char *name;
    size_t offset; /* of its byte in struct rules_readings */
    const char *value[2];
} readings[] = {
    {"turning", offsetof(struct rules_readings, turning), {"action", "free"}},
    {"melee", offsetof(struct rules_readings, melee), {"after_both", "after_each"}},
    {"saves", offsetof(struct rules_readings, saves), {"each", "one"}},
    {"volley", offsetof(struct rules_readings, volley), {"front", "all"}},
    {"roster", offsetof(struct rules_readings, roster), {"all", "arrived"}},
};
_Static_assert(ARRAY_LEN(readings) == sizeof(struct rules_readings), "a row for every reading");

/* The value's number in *to; false when it is none of the two. */
static bool read_reading(const struct reading *row, const struct json *j, uint8_t *to)
{
    const char *word = NULL;

    if (!json_string(j, &word))
        return false;
    for (uint8_t i = 0; i < 2; i++) {
        if (str_eq(word, row->value[i])) {
            *to = i;
            return true;
        }
    }
    return false;
}

enum err readings_from_json(const struct json *j, struct rules_readings *r,
                            char why[SCENARIO_WHY_LEN])
{
    struct rules_readings got = *r;

    if (j == NULL || json_type(j) != JSON_OBJECT) {
        (void)snprintf(why, SCENARIO_WHY_LEN, "readings: must be an object");
        return ERR_PARAMS;
    }
    for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
        const struct reading *row = &readings[i];
        const struct json *value = json_get(j, row->name);

        if (value == NULL)
            continue;
        if (!read_reading(row, value, (uint8_t *)&got + row->offset)) {
            (void)snprintf(why, SCENARIO_WHY_LEN, "readings.%s: is unknown; use %s or %s (R50)",
                           row->name, row->value[0], row->value[1]);
            return ERR_PARAMS;
        }
    }
    *r = got;
    return ERR_OK;
}

void readings_to_json(const struct rules_readings *r, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    for (size_t i = 0; i < ARRAY_LEN(readings); i++) {
        const uint8_t value = ((const uint8_t *)r)[readings[i].offset];

        jsonw_m_str(&w, readings[i].name, readings[i].value[value]);
    }
    jsonw_obj_end(&w);
}

/* ---- the file ---- */

static bool read_head(const struct scn_reader *r, const struct scn_value *root)
{
    const struct scn_value format = scn_member(root, "format"), id = scn_member(root, "id");
    const struct scn_value title = scn_member(root, "title");
    const struct scn_value author = scn_member(root, "author");
    const struct scn_value summary = scn_member(root, "summary");
    int64_t n;

    return scn_object(r, root) && scn_int(r, &format, (struct scn_range){1, 1}, &n) &&
           scn_id(r, &id, r->s->id) && scn_text(r, &title, &r->s->title) &&
           scn_text(r, &author, &r->s->author) && scn_text(r, &summary, &r->s->summary);
}

static bool read_numbers(const struct scn_reader *r, const struct scn_value *root)
{
    const struct scn_value scale = scn_member(root, "scale"), turns = scn_member(root, "turns");
    const struct scn_value stack = scn_member(root, "stack");
    struct rules_board *b = &r->s->board;
    int64_t n_turns = TURNS, n_stack = STACK_3IN;

    if (!scn_word(r, &scale, scale_from_word, "1in or 3in", &b->scale))
        return false;
    if (turns.j != NULL && !scn_int(r, &turns, (struct scn_range){1, RULES_TURNS_MAX}, &n_turns))
        return false;
    if (stack.j != NULL && !scn_int(r, &stack, (struct scn_range){1, RULES_STACK_MAX}, &n_stack))
        return false;
    b->turns = (uint16_t)n_turns;
    b->stack = b->scale == RULES_3IN ? (uint8_t)n_stack : 1;
    return true;
}

static bool read_side(const struct scn_reader *r, const struct scn_value *v, unsigned i)
{
    struct rules_board_side *side = &r->s->board.side[i];
    const struct scn_value id = scn_member(v, "id"), name = scn_member(v, "name");
    const struct scn_value home = scn_member(v, "home");
    const struct scn_value limit = scn_member(v, "limit_winner");

    return scn_object(r, v) && scn_id(r, &id, r->s->side[i].id) &&
           scn_text(r, &name, &r->s->side[i].name) && scn_edge(r, &home, &side->home) &&
           scn_flag(r, &limit, &side->limit_winner);
}

static bool read_sides(const struct scn_reader *r, const struct scn_value *root)
{
    const struct scn_value sides = scn_member(root, "sides");
    struct scenario *s = r->s;
    unsigned i = 0;

    if (!scn_array(r, &sides, 2, 2))
        return false;
    for (const struct json *j = json_first(sides.j); j != NULL; j = json_next(j), i++) {
        const struct scn_value side = scn_element(&sides, j, i);

        if (!read_side(r, &side, i))
            return false;
    }
    if (str_eq(s->side[RULES_A].id, s->side[RULES_B].id))
        return scn_bad(r, "sides[1].id: is %s as the first side's; the two must differ",
                       s->side[RULES_B].id);
    if (s->board.side[RULES_A].limit_winner != 0 && s->board.side[RULES_B].limit_winner != 0)
        return scn_bad(r, "sides[1].limit_winner: both sides have it; at most one may (R43)");
    return true;
}

static bool read_all(const struct scn_reader *r)
{
    const struct scn_value root = {.j = r->root, .where = ""};
    const struct json *house = json_get(r->root, "readings");

    if (!read_head(r, &root) || !read_numbers(r, &root) || !scn_read_ground(r) ||
        !read_sides(r, &root))
        return false;
    if (house != NULL && readings_from_json(house, &r->s->board.readings, r->why) != ERR_OK)
        return false;
    return scn_read_forces(r) && scn_read_wins(r);
}

enum err scenario_from_json(const struct json *j, struct scenario **out, char why[SCENARIO_WHY_LEN])
{
    struct scenario *s = mem_zalloc(sizeof(*s));
    struct scn_reader r = {.root = j, .s = s};
    struct buf text = BUF_EMPTY;

    r.why = why;
    *out = NULL;
    if (!read_all(&r)) {
        scenario_free(s);
        return ERR_DATA;
    }
    json_print(j, &text);
    s->json_len = text.len;
    s->json = buf_detach(&text);
    sha256(s->hash, s->json, s->json_len);
    *out = s;
    return ERR_OK;
}

enum err scenario_parse(const char *text, size_t len, struct scenario **out,
                        char why[SCENARIO_WHY_LEN])
{
    struct json *j = NULL;
    enum err e;

    *out = NULL;
    if (len > SCENARIO_FILE_MAX) {
        (void)snprintf(why, SCENARIO_WHY_LEN, "the file is too large; at most %zu bytes",
                       SCENARIO_FILE_MAX);
        return ERR_DATA;
    }
    if (json_parse(text, len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    e = scenario_from_json(j, out, why);
    json_free(j);
    return e;
}

void scenario_free(struct scenario *s)
{
    if (s == NULL)
        return;
    mem_free(s->title);
    mem_free(s->author);
    mem_free(s->summary);
    mem_free(s->side[RULES_A].name);
    mem_free(s->side[RULES_B].name);
    for (size_t i = 0; i < ARRAY_LEN(s->figure_name); i++)
        mem_free(s->figure_name[i]);
    mem_free(s->json);
    mem_free(s);
}

enum rules_side scenario_side_find(const struct scenario *s, const char *id)
{
    for (unsigned i = RULES_A; i <= RULES_B; i++) {
        if (str_eq(s->side[i].id, id))
            return (enum rules_side)i;
    }
    return RULES_NOBODY;
}

struct rules_board *scenario_board_with(const struct scenario *s, const struct rules_readings *r)
{
    struct rules_board *b = mem_dup(&s->board, sizeof(s->board));

    b->readings = *r;
    return b;
}
