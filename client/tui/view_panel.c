/* SPDX-License-Identifier: ISC
 * view_panel.c -- beside the board: both forces, the figures, and the chosen.
 */
#include "client/tui/progress.h"
#include "client/tui/view_match.h"
#include "client/words.h"

#define DETAIL_MIN 4

/* ---- forces ---- */

static struct style side_style(unsigned side)
{
    return style_bold(side == RULES_A ? INK_SIDE_A : INK_SIDE_B);
}

static void put_clock(const struct scene *v, unsigned side, struct buf *out)
{
    const struct scene_player *p = &v->player[side];

    if (p->has_left) {
        buf_puts(out, v->running == side ? "clock " : "left ");
        words_span(p->left_ms, out);
        buf_puts(out, "  ");
    }
    if (p->known && p->online)
        buf_puts(out, "online");
    else if (p->known) {
        buf_puts(out, "away ");
        words_span(p->away_ms, out);
    }
}

/* What its morale waits for. */
static void put_morale(const struct scene *v, unsigned side, struct buf *out)
{
    const struct rules_board *b = v->a->board;
    const unsigned roster = rules_roster(b, v->s, (enum rules_side)side);

    if ((v->s->testing >> side & 1) != 0)
        buf_puts(out, "tests morale");
    else
        buf_printf(out, "tests at %u killed", (roster + 1) / 2);
}

static void put_force(struct canvas *c, struct area a, const struct scene *v, unsigned side)
{
    const struct rules_board *b = v->a->board;
    const unsigned all = b->side[side].soldiers;
    const unsigned left = all - rules_killed(b, v->s, (enum rules_side)side);
    const char *name = v->player[side].name;
    const bool mine = v->me == side && v->kind != SCENE_HOTSEAT;
    struct buf line = BUF_EMPTY;
    char strength[32];
    int x, room;

    (void)snprintf(strength, sizeof(strength), "%u of %u", left, all);
    room = a.w - 2 - (int)strlen(strength); /* a blank before it */
    x = canvas_put(c, row_of(a.x, a.y, room), side_style(side), v->a->scn->side[side].name);
    (void)canvas_printf(c, row_of(x + 1, a.y, a.x + room - x - 1), style_of(INK_TEXT), "%s",
                        mine ? "you" : name);
    canvas_put_right(c, row_of(a.x, a.y, a.w - 1), style_of(INK_TEXT), strength);
    put_clock(v, side, &line);
    (void)canvas_put(c, row_of(a.x, a.y + 1, a.w - 1), style_of(INK_TEXT), buf_str(&line));
    buf_reset(&line);
    put_morale(v, side, &line);
    (void)canvas_put(c, row_of(a.x, a.y + 2, a.w - 1), style_of(INK_FAINT), buf_str(&line));
    buf_reset(&line);
    progress_words(v->a->scn, b, v->s, (enum rules_side)side, &line);
    (void)canvas_wrap(c, (struct area){a.x, a.y + 3, a.w - 1, 2}, style_of(INK_FAINT),
                      buf_str(&line), 0);
    buf_fini(&line);
}

/* ---- figures ---- */

/* Columns of the longest id, with letter and star. */
static int id_width(const struct rules_board *b)
{
    size_t w = 0;

    for (unsigned f = 0; f < b->n_figures; f++)
        w = MAX(w, strlen(b->id[f]) + (b->figure[f].commander != 0 ? 1 : 0));
    return MIN((int)w + 2, 16);
}

/* What the figure could do, in few words. */
static void put_can(const struct scene *v, unsigned f, struct buf *out)
{
    const struct rules_board *b = v->a->board;
    const unsigned face = v->s->face[f];
    struct rules_reach reach;
    struct rules_aim aim;
    struct rules_refusal no;

    if (v->s->active != b->figure[f].side || !rules_can_act(b, v->s, f) || rules_is_over(v->s))
        return;
    rules_reach(b, v->s, f, &reach);
    buf_printf(out, "%u to go", reach.n_to);
    if (face <= RULES_W && rules_is_soldier((enum rules_type)b->figure[f].type) &&
        rules_aim(b, v->s, v->s->at[f], (enum rules_dir)face, &aim, &no) == RULES_OK && aim.n > 0) {
        buf_puts(out, ", fires at ");
        words_id(v->a->scn, aim.shot[0].at, out);
    }
}

static void put_where(const struct scene *v, unsigned f, bool ascii, struct buf *out)
{
    const struct rules_board *b = v->a->board;
    const enum rules_status status = (enum rules_status)v->s->status[f];
    char name[RULES_SQUARE_NAME];

    if (v->s->at[f] != RULES_NO_SQUARE) {
        buf_printf(out, "%-4s%s%s %s", rules_square_name(b, v->s->at[f], name),
                   draw_facing((enum rules_dir)v->s->face[f], ascii),
                   draw_status_mark(status, ascii), status_word(status));
        if (b->scale == RULES_3IN)
            buf_printf(out, " (rank %u)", v->s->rank[f]);
    } else if (status == RULES_DUE) {
        buf_printf(out, "due in turn %u", b->wave[b->figure[f].wave].turn);
    } else {
        buf_puts(out, status == RULES_DEAD ? "killed" : status_word(status));
    }
}

static void put_figure(struct canvas *c, struct area a, const struct scene *v,
                       const struct table *t, unsigned f)
{
    const struct rules_figure *is = &v->a->board->figure[f];
    const bool chosen = select_has(&t->select, f), gone = v->s->at[f] == RULES_NO_SQUARE;
    const int id_w = id_width(v->a->board);
    struct style st = side_style(is->side);
    struct buf line = BUF_EMPTY;
    int x;

    if (gone)
        st = style_of(INK_FAINT);
    words_id(v->a->scn, f, &line);
    (void)canvas_printf(c, row_of(a.x, a.y, id_w), st, "%c %s%s",
                        draw_letter((enum rules_side)is->side, (enum rules_type)is->type),
                        buf_str(&line), is->commander != 0 ? "*" : "");
    buf_reset(&line);
    put_where(v, f, c->ascii, &line);
    x = canvas_put(c, row_of(a.x + id_w + 1, a.y, a.w - id_w - 2),
                   style_of(gone || !rules_can_act(v->a->board, v->s, f) ? INK_FAINT : INK_TEXT),
                   buf_str(&line));
    buf_reset(&line);
    if (chosen)
        buf_puts(&line, "◀ chosen");
    else
        put_can(v, f, &line);
    x = MAX(x + 2, a.x + id_w + 14);
    (void)canvas_put(c, row_of(x, a.y, a.x + a.w - x),
                     chosen ? style_bold(INK_KEY) : style_of(INK_FAINT), buf_str(&line));
    buf_fini(&line);
    if (chosen)
        canvas_tint(c, row_of(a.x, a.y, a.w), PAPER_CHOSEN, 0);
    canvas_zone(c, row_of(a.x, a.y, a.w), ZONE_FIGURE, (int)f);
}

/* The figures listed: of one side, or of both. Returns how many; index[] by row. */
static unsigned listed(const struct scene *v, bool both, uint16_t index[RULES_FIGURES_MAX])
{
    unsigned side = v->me, n = 0;

    if (side > RULES_B)
        side = v->s->active <= RULES_B ? v->s->active : RULES_A;
    for (unsigned pass = 0; pass < (both ? 2U : 1U); pass++) {
        for (unsigned f = 0; f < v->a->board->n_figures; f++) {
            if (v->a->board->figure[f].side == (pass == 0 ? side : 1 - side))
                index[n++] = (uint16_t)f;
        }
    }
    return n;
}

static void put_list(struct canvas *c, struct area a, const struct scene *v, struct table *t)
{
    uint16_t index[RULES_FIGURES_MAX];
    unsigned n = listed(v, true, index);
    int rows = a.h, chosen = -1;

    if ((int)n > rows)
        n = listed(v, (int)n <= rows || v->me > RULES_B, index);
    for (unsigned i = 0; i < n; i++) {
        if (select_has(&t->select, index[i]))
            chosen = (int)i;
    }
    if (chosen >= 0 && chosen < t->list_from)
        t->list_from = chosen;
    if (chosen >= t->list_from + rows)
        t->list_from = chosen - rows + 1;
    t->list_from = MAX(0, MIN(t->list_from, (int)n - rows));
    for (int i = 0; i < rows && t->list_from + i < (int)n; i++)
        put_figure(c, row_of(a.x, a.y + i, a.w), v, t, index[t->list_from + i]);
    if (t->list_from > 0)
        canvas_put_right(c, row_of(a.x, a.y, a.w), style_bold(INK_KEY), "↑");
    if (t->list_from + rows < (int)n)
        canvas_put_right(c, row_of(a.x, a.y + rows - 1, a.w), style_bold(INK_KEY), "↓");
}

/* ---- the chosen ---- */

static int put_detail(struct canvas *c, struct area a, const struct scene *v, const struct table *t)
{
    const struct select_place at = {v->a->scn, v->a->board, v->s, v->me};
    struct buf words = BUF_EMPTY;
    int rows;

    if (t->select.n > 0)
        select_words(&t->select, &at, &words);
    else if (!v->a->started || (v->a->over && rules_is_over(v->s)))
        words_position(v->a, v->me, &words);
    rows = MAX(DETAIL_MIN, MIN(canvas_wrap_rows(a.w, buf_str(&words)), a.h));
    (void)canvas_wrap(c, (struct area){a.x, a.y + a.h - rows, a.w, rows}, style_of(INK_TEXT),
                      buf_str(&words), 0);
    buf_fini(&words);
    return rows;
}

static void put_legend(struct canvas *c, struct area a, const struct scene *v,
                       const struct table *t)
{
    char right[80] = "";

    if (v->spectators > 0)
        (void)snprintf(right, sizeof(right), "%u look on", v->spectators);
    canvas_put_right(c, a, style_of(INK_FAINT), right);
    if (t->select.n > 0)
        (void)canvas_put(c, row_of(a.x, a.y, a.w - 12), style_of(INK_FAINT),
                         "◦ may go  ◎ may go, then fights");
}

void view_panel(struct canvas *c, struct area a, const struct scene *v, struct table *t)
{
    const int half = a.w / 2;
    const int detail_room = MAX(DETAIL_MIN, (a.h - 7) / 2);
    int detail;

    put_force(c, (struct area){a.x, a.y, half, 5}, v, RULES_A);
    put_force(c, (struct area){a.x + half, a.y, a.w - half, 5}, v, RULES_B);
    canvas_rule(c, a.x, a.y + 5, a.w);
    put_legend(c, row_of(a.x, a.y + a.h - 1, a.w), v, t);
    detail = put_detail(c, (struct area){a.x, a.y + a.h - 1 - detail_room, a.w, detail_room}, v, t);
    put_list(c, (struct area){a.x, a.y + 6, a.w, a.h - 7 - detail}, v, t);
}
