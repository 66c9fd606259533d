/* SPDX-License-Identifier: ISC
 * scenario_win.c -- victory conditions of a scenario file (R42).
 */
#include "proto/scenario_read.h"

static const char win_words[] = "eliminate, kill, exit, hold, baseline, survive or reach";

static bool read_named(const struct scn_reader *r, const struct scn_value *v, struct rules_win *win,
                       unsigned *count)
{
    const struct scn_value list = scn_member(v, "figures");
    unsigned i = 0;

    if (!scn_array(r, &list, 1, RULES_FIGURES_MAX))
        return false;
    for (const struct json *j = json_first(list.j); j != NULL; j = json_next(j)) {
        const struct scn_value item = scn_element(&list, j, i++);
        char quoted[SCN_QUOTE_LEN];
        const char *id = NULL;
        uint64_t bit;
        uint16_t f;

        if (!scn_string(r, &item, &id))
            return false;
        f = rules_figure_find(&r->s->board, id);
        if (f == RULES_NO_FIGURE)
            return scn_bad(r, "%s: there is no figure \"%s\"; use an id of figures or waves",
                           item.where, scn_quote(id, quoted));
        bit = UINT64_C(1) << (f % 64);
        if ((win->figures[f / 64] & bit) != 0)
            return scn_bad(r, "%s: %s is named already; name each figure once", item.where, id);
        win->figures[f / 64] |= bit;
    }
    *count = i;
    return true;
}

/* A turn beyond the limit is never reached: odd, but no error. */
static bool read_turn(const struct scn_reader *r, const struct scn_value *v, uint16_t *out)
{
    const struct scn_value turn = scn_member(v, "turn");
    int64_t t = 0;

    if (!scn_int(r, &turn, (struct scn_range){1, RULES_TURNS_MAX}, &t))
        return false;
    *out = (uint16_t)t;
    return true;
}

static bool read_exit(const struct scn_reader *r, const struct scn_value *v, struct rules_win *win)
{
    const struct scn_value edge = scn_member(v, "edge"), count = scn_member(v, "count");
    unsigned named = 0;
    int64_t n;

    if (!read_named(r, v, win, &named) || !scn_edge(r, &edge, &win->edge))
        return false;
    n = named;
    if (count.j != NULL && !scn_int(r, &count, (struct scn_range){1, named}, &n))
        return false;
    win->count = (uint16_t)n;
    return true;
}

static bool read_win(const struct scn_reader *r, const struct scn_value *v, struct rules_win *win)
{
    struct scn_value kind, squares;
    unsigned named;

    if (!scn_object(r, v))
        return false;
    kind = scn_member(v, "kind");
    squares = scn_member(v, "squares");
    if (!scn_word(r, &kind, win_from_word, win_words, &win->kind))
        return false;
    switch ((enum rules_win_kind)win->kind) {
    case RULES_WIN_ELIMINATE:
    case RULES_WIN_BASELINE:
    case RULES_WIN_COUNT:
        return true;
    case RULES_WIN_KILL:
        return read_named(r, v, win, &named);
    case RULES_WIN_EXIT:
        return read_exit(r, v, win);
    case RULES_WIN_HOLD:
        if (json_get(v->j, "turn") != NULL && !read_turn(r, v, &win->turn))
            return false;
        return scn_squares(r, &squares, &win->list, &win->n);
    case RULES_WIN_SURVIVE:
        return read_turn(r, v, &win->turn);
    case RULES_WIN_REACH:
        return read_named(r, v, win, &named) && scn_squares(r, &squares, &win->list, &win->n);
    }
    return true;
}

/* One side's list; an empty or absent one is the default of R42. */
static bool read_list(const struct scn_reader *r, const struct scn_value *list,
                      struct rules_board_side *side)
{
    const struct json *j;
    unsigned n = 0;

    if (list->j != NULL && !scn_array(r, list, 0, RULES_WINS_MAX))
        return false;
    j = json_first(list->j);
    if (j == NULL) {
        side->win[0] = (struct rules_win){.kind = RULES_WIN_ELIMINATE, .edge = RULES_NO_DIR};
        side->win[1] = (struct rules_win){.kind = RULES_WIN_BASELINE, .edge = RULES_NO_DIR};
        side->n_wins = 2;
        return true;
    }
    for (; j != NULL; j = json_next(j), n++) {
        const struct scn_value item = scn_element(list, j, n);

        side->win[n] = (struct rules_win){.edge = RULES_NO_DIR};
        if (!read_win(r, &item, &side->win[n]))
            return false;
    }
    side->n_wins = (uint8_t)n;
    return true;
}

bool scn_read_wins(const struct scn_reader *r)
{
    const struct scn_value root = {.j = r->root};
    const struct scn_value sides = scn_member(&root, "sides");
    unsigned i = 0;

    for (const struct json *j = json_first(sides.j); j != NULL && i < 2; j = json_next(j), i++) {
        const struct scn_value side = scn_element(&sides, j, i);
        const struct scn_value list = scn_member(&side, "win");

        if (!read_list(r, &list, &r->s->board.side[i]))
            return false;
    }
    return true;
}
