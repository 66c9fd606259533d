/* SPDX-License-Identifier: ISC
 * view_help.c -- the keys as they are set, texts to read, and what lies over a match.
 */
#include "client/describe.h"
#include "client/draw.h"
#include "client/tui/view_match.h"

/* The frame of a page, and its foot. */
static struct area page(struct canvas *c, const struct keymap *km, const char *title)
{
    const struct area in = canvas_box(c, (struct area){0, 0, c->w, c->h - 1}, title);
    int x = 1;

    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_UP, "up");
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_DOWN, "down");
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_PAGE_DOWN, "on");
    (void)view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_CANCEL, "back");
    return in;
}

static void hold(int *from, int rows, int seen)
{
    *from = MAX(0, MIN(*from, rows - seen));
}

/* ---- help ---- */

static void put_action(struct canvas *c, struct area a, const struct keymap *km, enum action act,
                       bool now)
{
    struct buf keys = BUF_EMPTY;

    keymap_keys(km, act, &keys);
    (void)canvas_put(c, row_of(a.x, a.y, 16), now ? style_bold(INK_KEY) : style_of(INK_FAINT),
                     buf_str(&keys));
    (void)canvas_put(c, row_of(a.x + 17, a.y, a.w - 17), style_of(now ? INK_TEXT : INK_FAINT),
                     action_help(act));
    canvas_zone(c, a, (int)act, 0);
    buf_fini(&keys);
}

/* Actions of the context in rows: those that do something now, then the others. */
static int list_actions(unsigned ctx, const bool *can, enum action out[ACT_COUNT], int *n_now)
{
    int n = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++) {
            const bool now = can == NULL || can[a];

            if ((action_contexts((enum action)a) & ctx) != 0 && now == (pass == 0))
                out[n++] = (enum action)a;
        }
        if (pass == 0)
            *n_now = n;
    }
    return n;
}

void view_help(struct canvas *c, const struct keymap *km, unsigned ctx, const bool *can, int *from)
{
    const struct area in = page(c, km, "What can be done now");
    enum action act[ACT_COUNT];
    int n_now = 0;
    const int n = list_actions(ctx, can, act, &n_now), rows = n + (n > n_now ? 2 : 0);

    hold(from, rows, in.h);
    for (int i = 0; i < in.h && *from + i < rows; i++) {
        const int row = *from + i;
        const struct area a = row_of(in.x, in.y + i, in.w);

        if (row < n_now)
            put_action(c, a, km, act[row], true);
        else if (row == n_now + 1)
            (void)canvas_put(c, a, style_bold(INK_TITLE), "At other times");
        else if (row > n_now + 1)
            put_action(c, a, km, act[row - 2], false);
    }
}

/* ---- text ---- */

void view_text(struct canvas *c, const struct keymap *km, const char *title, const char *text,
               int *from)
{
    const struct area in = page(c, km, title);

    hold(from, canvas_wrap_rows(in.w, text), in.h);
    (void)canvas_wrap(c, in, style_of(INK_TEXT), text, *from);
}

static void put_side(const struct scenario *scn, const struct rules_state *start, unsigned side,
                     const struct draw_style *style, struct buf *out)
{
    buf_printf(out, "\n%s: %u soldiers, home %s\n", scn->side[side].name,
               scn->board.side[side].soldiers,
               describe_dir((enum rules_dir)scn->board.side[side].home));
    draw_force(scn, start, (enum rules_side)side, style, out);
    buf_printf(out, "%s wins with\n", scn->side[side].name);
    describe_wins(scn, (enum rules_side)side, out);
}

void view_scenario_words(const struct scenario *scn, bool ascii, struct buf *out)
{
    const struct draw_style style = {.ascii = ascii, .zoom = DRAW_SMALL};
    struct buf readings = BUF_EMPTY;
    struct rules_state start;

    rules_begin(&scn->board, &start);
    buf_printf(out, "%s, by %s. %s squares, %u x %u.\n%s\n\n", scn->title, scn->author,
               scale_word((enum rules_scale)scn->board.scale), scn->board.w, scn->board.h,
               scn->summary);
    draw_board(&scn->board, &start, &style, out);
    buf_putc(out, '\n');
    draw_legend(&scn->board, &style, out);
    put_side(scn, &start, RULES_A, &style, out);
    put_side(scn, &start, RULES_B, &style, out);
    if (scn->board.n_waves > 0)
        buf_puts(out, "\nReinforcements\n");
    describe_waves(scn, out);
    describe_readings(&scn->board.readings, &readings);
    if (readings.len > 0)
        buf_printf(out, "\nHouse readings\n%s", buf_str(&readings));
    buf_fini(&readings);
    buf_putc(out, '\n');
    describe_limit(scn, out);
}

/* ---- over a match ---- */

static void put_log(struct canvas *c, const struct scene *v, const struct keymap *km, int *from)
{
    const struct area in = page(c, km, "The game in words");

    *from = MAX(0, *from);
    log_draw(v->log, c, in, *from);
}

static void put_luck(struct canvas *c, const struct scene *v, const struct keymap *km, int *from)
{
    struct buf words = BUF_EMPTY;

    if (v->luck != NULL)
        luck_words(v->luck, v->a->scn, &words);
    view_text(c, km, "How the dice fell", buf_str(&words), from);
    buf_fini(&words);
}

static void put_info(struct canvas *c, const struct scene *v, const struct keymap *km, int *from)
{
    struct buf words = BUF_EMPTY;

    view_scenario_words(v->a->scn, c->ascii, &words);
    view_text(c, km, v->a->scn->title, buf_str(&words), from);
    buf_fini(&words);
}

void view_over(struct canvas *c, const struct scene *v, const struct keymap *km, struct table *t)
{
    switch (t->over) {
    case TABLE_BOARD:
        break;
    case TABLE_HELP:
        view_help(c, km, v->kind == SCENE_REPLAY ? CTX_REPLAY : CTX_MATCH, v->can, &t->over_at);
        break;
    case TABLE_INFO:
        put_info(c, v, km, &t->over_at);
        break;
    case TABLE_LOG:
        put_log(c, v, km, &t->over_at);
        break;
    case TABLE_LUCK:
        put_luck(c, v, km, &t->over_at);
        break;
    }
}
