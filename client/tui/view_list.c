/* SPDX-License-Identifier: ISC
 * view_list.c -- lists, and the scenarios.
 */
#include "client/describe.h"
#include "client/tui/boardview.h"
#include "client/tui/view_lobby.h"

#define NAMES_W 26

static int put_hints(struct canvas *c, const struct keymap *km, const char *choose)
{
    int x = 1;

    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_UP, "up");
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_DOWN, "down");
    if (choose[0] != '\0')
        x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_CHOOSE, choose);
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_HELP, "help");
    return view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_QUIT, "back");
}

/* The rows below the words at the head, with the cursor in sight. */
static void put_rows(struct canvas *c, struct area a, struct list_page *p)
{
    if ((int)p->cursor < p->from)
        p->from = (int)p->cursor;
    if ((int)p->cursor >= p->from + a.h)
        p->from = (int)p->cursor - a.h + 1;
    for (int i = 0; i < a.h && p->from + i < (int)p->n; i++) {
        const unsigned row = (unsigned)(p->from + i);
        const struct area line = row_of(a.x, a.y + i, a.w);

        (void)canvas_put(c, line, style_of(INK_TEXT), p->row[row]);
        if (row == p->cursor)
            canvas_tint(c, line, PAPER_CURSOR, 0);
        canvas_zone(c, line, ZONE_ROW, (int)row);
    }
}

void view_list(struct canvas *c, const struct keymap *km, struct list_page *p)
{
    const struct area in = canvas_box(c, (struct area){0, 0, c->w, c->h - 1}, p->title);
    const int head = MIN(MAX(canvas_wrap_rows(in.w, p->head), 1), in.h - 1);
    int x;

    (void)canvas_wrap(c, (struct area){in.x, in.y, in.w, head}, style_of(INK_FAINT), p->head, 0);
    if (p->n == 0)
        (void)canvas_put(c, row_of(in.x, in.y + head, in.w), style_of(INK_FAINT), p->foot);
    if (p->n > 0 && p->cursor >= p->n)
        p->cursor = p->n - 1;
    put_rows(c, (struct area){in.x, in.y + head, in.w, in.h - head}, p);
    x = put_hints(c, km, "look");
    if (p->rivals)
        x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_CREATE, "challenge");
    if (p->pairs)
        (void)view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_AGAINST, "against you");
}

/* ---- scenarios ---- */

static void put_names(struct canvas *c, struct area a, const struct scenario_set *set,
                      unsigned cursor)
{
    const int from = MAX(0, (int)cursor - a.h + 1);

    for (int i = 0; i < a.h && from + i < (int)set->len; i++) {
        const struct area row = row_of(a.x, a.y + i, a.w);

        (void)canvas_put(c, row, style_of(INK_TEXT), set->item[from + i]->title);
        if (from + i == (int)cursor)
            canvas_tint(c, row, PAPER_CURSOR, 0);
        canvas_zone(c, row, ZONE_ROW, from + i);
    }
}

static void put_map(struct canvas *c, struct area a, const struct scenario *scn)
{
    struct rules_state start;
    struct boardplace place;
    const struct boardview v = {.board = &scn->board, .state = &start};
    const struct area room = {a.x, a.y, MIN(a.w, boardview_width(&scn->board, false)),
                              MIN(a.h, boardview_height(&scn->board, false))};
    const size_t zones = c->n_zones;

    memset(&place, 0, sizeof(place));
    rules_begin(&scn->board, &start);
    boardview_place(&place, &scn->board, false, room,
                    (uint16_t)(scn->board.h / 2 * scn->board.w + scn->board.w / 2));
    boardview_draw(c, &place, &v);
    c->n_zones = zones; /* nothing to click on a map */
}

static void put_words(struct canvas *c, struct area a, const struct scenario *scn)
{
    struct buf words = BUF_EMPTY;

    buf_printf(&words, "%s %s, %u turns\n%s\n", scale_word((enum rules_scale)scn->board.scale),
               scn->id, scn->board.turns, scn->summary);
    for (unsigned side = 0; side < 2; side++) {
        buf_printf(&words, "%s wins with\n", scn->side[side].name);
        describe_wins(scn, (enum rules_side)side, &words);
    }
    describe_waves(scn, &words);
    (void)canvas_wrap(c, a, style_of(INK_TEXT), buf_str(&words), 0);
    buf_fini(&words);
}

static void put_force(struct canvas *c, struct area a, const struct scenario *scn, unsigned side)
{
    struct buf words = BUF_EMPTY;
    unsigned first = RULES_NO_FIGURE, n = 0;

    for (unsigned f = 0; f < scn->board.n_figures; f++) {
        if (scn->board.figure[f].side != side)
            continue;
        first = MIN(first, f);
        n++;
    }
    if (n > 0)
        describe_figures(&scn->board, first, n, &words);
    (void)canvas_printf(c, a, style_bold(side == 0 ? INK_SIDE_A : INK_SIDE_B), "%s: %s",
                        scn->side[side].name, buf_str(&words));
    buf_fini(&words);
}

void view_scenarios(struct canvas *c, const struct keymap *km, const struct scenario_set *set,
                    unsigned cursor, const char *hint)
{
    const struct area in = canvas_box(c, (struct area){0, 0, c->w, c->h - 1}, "Scenarios");
    const int x = in.x + NAMES_W + 1, w = in.x + in.w - x;
    const struct scenario *scn;
    int map_h;

    put_names(c, (struct area){in.x, in.y, NAMES_W, in.h}, set, cursor);
    (void)put_hints(c, km, hint);
    if (cursor >= set->len)
        return;
    scn = set->item[cursor];
    map_h = MIN(boardview_height(&scn->board, false), in.h * 3 / 5);
    put_map(c, (struct area){x, in.y, w, map_h}, scn);
    put_force(c, row_of(x, in.y + map_h, w), scn, 0);
    put_force(c, row_of(x, in.y + map_h + 1, w), scn, 1);
    put_words(c, (struct area){x, in.y + map_h + 2, w, in.h - map_h - 2}, scn);
}
