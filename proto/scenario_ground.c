/* SPDX-License-Identifier: ISC
 * scenario_ground.c -- size, ground, heights and obstacles of a scenario file (R1 to R4).
 */
#include "proto/scenario_read.h"

static const char ground_marks[] = ".wrB~V"; /* in the order of enum rules_ground */
_Static_assert(sizeof(ground_marks) == RULES_GROUND_COUNT + 1, "a mark for every ground");

static bool read_size(const struct scn_reader *r, const struct scn_value *root)
{
    static const struct scn_range sizes = {RULES_BOARD_MIN, RULES_BOARD_MAX};
    const struct scn_value size = scn_member(root, "size");
    struct scn_value v;
    int64_t w, h;

    if (!scn_array(r, &size, 2, 2))
        return false;
    v = scn_element(&size, json_first(size.j), 0);
    if (!scn_int(r, &v, sizes, &w))
        return false;
    v = scn_element(&size, json_next(json_first(size.j)), 1);
    if (!scn_int(r, &v, sizes, &h))
        return false;
    r->s->board.w = (uint8_t)w;
    r->s->board.h = (uint8_t)h;
    return true;
}

/* A row of the picture into to[0..w): the position of each character in `marks`. */
static bool read_row(const struct scn_reader *r, const struct scn_value *v, const char *marks,
                     uint8_t *to)
{
    const unsigned w = r->s->board.w;
    const char *row = NULL;
    char quoted[SCN_QUOTE_LEN];
    size_t len;

    if (!scn_string(r, v, &row))
        return false;
    len = strlen(row);
    if (len != w)
        return scn_bad(r, "%s: has %zu characters; the board is %u wide, one each", v->where, len,
                       w);
    for (unsigned x = 0; x < w; x++) {
        const char *mark = strchr(marks, row[x]);

        if (mark == NULL)
            return scn_bad(r, "%s: unknown character in \"%s\"; use only %s", v->where,
                           scn_quote(row + x, quoted), marks);
        to[x] = (uint8_t)(mark - marks);
    }
    return true;
}

/* Rows, north first, of the whole board into to[]. */
static bool read_rows(const struct scn_reader *r, const struct scn_value *v, const char *marks,
                      uint8_t *to)
{
    const unsigned w = r->s->board.w, h = r->s->board.h;
    unsigned i = 0;

    if (!scn_array(r, v, 0, RULES_BOARD_MAX))
        return false;
    if (json_count(v->j) != h)
        return scn_bad(r, "%s: has %u rows; the board is %u high, north first", v->where,
                       json_count(v->j), h);
    for (const struct json *j = json_first(v->j); j != NULL; j = json_next(j), i++) {
        const struct scn_value row = scn_element(v, j, i);

        if (!read_row(r, &row, marks, to + (size_t)(h - 1 - i) * w))
            return false;
    }
    return true;
}

/* "c4n": the square and the direction; false when it isn't one of this board. */
static bool split_edge(const struct rules_board *b, const char *text, uint16_t *sq, uint8_t *dir)
{
    const size_t len = strlen(text);
    char square[RULES_SQUARE_NAME] = "";

    if (len < 3 || len > sizeof(square) || !dir_from_word(text + len - 1, dir))
        return false;
    memcpy(square, text, len - 1);
    *sq = rules_square_parse(b, square);
    return *sq != RULES_NO_SQUARE;
}

static bool read_edge(const struct scn_reader *r, const struct scn_value *v, uint8_t kind)
{
    struct rules_board *b = &r->s->board;
    const char *text = NULL;
    char quoted[SCN_QUOTE_LEN];
    uint16_t sq = 0, other;
    uint8_t dir = 0;
    uint8_t *edge;

    if (!scn_string(r, v, &text))
        return false;
    scn_quote(text, quoted);
    if (!split_edge(b, text, &sq, &dir))
        return scn_bad(r, "%s: \"%s\" is no edge of the %ux%u board; use a square and n, e, s or w",
                       v->where, quoted, b->w, b->h);
    other = rules_step(b, sq, (enum rules_dir)dir);
    if (other == RULES_NO_SQUARE)
        return scn_bad(r, "%s: %s is the board's rim; an obstacle lies between two squares (R4)",
                       v->where, quoted);
    if (dir == RULES_N || dir == RULES_S)
        edge = &b->edge_n[dir == RULES_N ? sq : other];
    else
        edge = &b->edge_e[dir == RULES_E ? sq : other];
    *edge = kind; /* named again, the last kind stands: to the rules they are alike (R16) */
    return true;
}

static bool read_obstacle(const struct scn_reader *r, const struct scn_value *v)
{
    struct scn_value kind, edges;
    uint8_t obstacle = 0;
    unsigned i = 0;

    if (!scn_object(r, v))
        return false;
    kind = scn_member(v, "kind");
    edges = scn_member(v, "edges");
    if (!scn_word(r, &kind, obstacle_from_word, "wall, fence, stream or barricade", &obstacle) ||
        !scn_array(r, &edges, 0, 2 * RULES_SQUARES_MAX))
        return false;
    for (const struct json *j = json_first(edges.j); j != NULL; j = json_next(j)) {
        const struct scn_value edge = scn_element(&edges, j, i++);

        if (!read_edge(r, &edge, obstacle))
            return false;
    }
    return true;
}

bool scn_read_ground(const struct scn_reader *r)
{
    const struct scn_value root = {.j = r->root};
    const struct scn_value ground = scn_member(&root, "ground");
    const struct scn_value heights = scn_member(&root, "heights");
    const struct scn_value obstacles = scn_member(&root, "obstacles");
    unsigned i = 0;

    if (!read_size(r, &root) || !read_rows(r, &ground, ground_marks, r->s->board.ground))
        return false;
    if (heights.j != NULL && !read_rows(r, &heights, "0123456789", r->s->board.height))
        return false;
    if (obstacles.j == NULL)
        return true;
    if (!scn_array(r, &obstacles, 0, 2 * RULES_SQUARES_MAX))
        return false;
    for (const struct json *j = json_first(obstacles.j); j != NULL; j = json_next(j)) {
        const struct scn_value item = scn_element(&obstacles, j, i++);

        if (!read_obstacle(r, &item))
            return false;
    }
    return true;
}
