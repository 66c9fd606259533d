/* SPDX-License-Identifier: ISC
 * boardview.c -- drawing the board.
 */
#include "client/tui/boardview.h"

#include "client/tui/keymap.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"

#define NAMES_LARGE 4 /* cells of the row names; the west edge's cell comes behind */
#define NAMES_SMALL 5

static int name_rows(const struct rules_board *b)
{
    return b->w > 26 ? 2 : 1;
}

static int names(bool large)
{
    return large ? NAMES_LARGE : NAMES_SMALL;
}

static int square_w(bool large)
{
    return large ? 4 : 2;
}

int boardview_width(const struct rules_board *b, bool large)
{
    return names(large) + b->w * square_w(large) + (large ? 1 : 0);
}

int boardview_height(const struct rules_board *b, bool large)
{
    return name_rows(b) + (large ? 2 * b->h - 1 : b->h);
}

/* Keep [*from, *from + n) within [0, all) with `sight` in it, a square from its border if can be. */
static void keep_in_sight(int *from, int n, int all, int sight)
{
    const int margin = n >= 5 ? 1 : 0;

    if (sight - margin < *from)
        *from = sight - margin;
    if (sight + margin > *from + n - 1)
        *from = sight + margin - n + 1;
    *from = MAX(0, MIN(*from, all - n));
}

void boardview_place(struct boardplace *p, const struct rules_board *b, bool large,
                     struct area room, uint16_t sight)
{
    const int w = (room.w - names(large) - (large ? 1 : 0)) / square_w(large);
    const int h = large ? (room.h - name_rows(b) + 1) / 2 : room.h - name_rows(b);
    const int cols = MAX(1, MIN(w, b->w)), rows = MAX(1, MIN(h, b->h));

    p->area = room;
    p->large = large;
    keep_in_sight(&p->left, cols, b->w, sight % b->w);
    keep_in_sight(&p->bottom, rows, b->h, sight / b->w);
    p->right = p->left + cols - 1;
    p->top = p->bottom + rows - 1;
}

/* Upper left cell of a square; in the large picture the cell of its west edge. */
static void cell_of(const struct boardplace *p, const struct rules_board *b, uint16_t sq, int *x,
                    int *y)
{
    *x = p->area.x + names(p->large) + (sq % b->w - p->left) * square_w(p->large);
    *y = p->area.y + name_rows(b) + (p->top - sq / b->w) * (p->large ? 2 : 1);
}

uint16_t boardview_square(const struct boardplace *p, const struct rules_board *b, int x, int y)
{
    const int px = x - p->area.x - names(p->large), py = y - p->area.y - name_rows(b);
    const int col = p->left + px / square_w(p->large), row = p->top - py / (p->large ? 2 : 1);

    if (px < 0 || py < 0 || col > p->right || row < p->bottom)
        return RULES_NO_SQUARE;
    return (uint16_t)(row * b->w + col);
}

/* ---- one square ---- */

static const enum ink ground_inks[] = {INK_GROUND,   INK_WOODS, INK_ROAD,
                                       INK_BUILDING, INK_WATER, INK_BUILDING};
_Static_assert(ARRAY_LEN(ground_inks) == RULES_GROUND_COUNT, "an ink for every ground");

static void put_one(struct canvas *c, int x, int y, struct style st, const char *glyph)
{
    uint32_t cp = ' ';

    (void)utf8_decode(glyph, strlen(glyph), &cp);
    canvas_glyph(c, x, y, st, cp);
}

/* Who stands where: the figure of rank 1, and how many. */
struct crowd {
    uint16_t first[RULES_SQUARES_MAX];
    uint8_t count[RULES_SQUARES_MAX];
};

static struct crowd *gather(const struct boardview *v)
{
    struct crowd *w = mem_zalloc(sizeof(*w));

    memset(w->first, 0xff, sizeof(w->first));
    for (unsigned f = 0; f < v->board->n_figures; f++) {
        const uint16_t sq = v->state->at[f];

        if (sq == RULES_NO_SQUARE)
            continue;
        w->count[sq]++;
        if (v->state->rank[f] == 1)
            w->first[sq] = (uint16_t)f;
    }
    return w;
}

static struct style ground_style(const struct boardview *v, uint16_t sq)
{
    const unsigned height = v->board->height[sq];
    struct style st = style_of(ground_inks[v->board->ground[sq]]);

    if (height > 0)
        st.paper = height > 3 ? PAPER_HIGHER : PAPER_HIGH;
    return st;
}

/* Would an enemy of the chosen touch a figure at `sq`? */
static bool in_contact(const struct boardview *v, const struct crowd *w, uint16_t sq, unsigned side)
{
    const int x = sq % v->board->w, y = sq / v->board->w;

    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            const int nx = x + dx, ny = y + dy;
            unsigned f;

            if (nx < 0 || ny < 0 || nx >= v->board->w || ny >= v->board->h)
                continue;
            f = w->first[ny * v->board->w + nx];
            if (f != RULES_NO_FIGURE && v->board->figure[f].side != side &&
                v->board->figure[f].type != RULES_WAGON)
                return true;
        }
    }
    return false;
}

/* A square nobody stands in. */
static void put_empty(struct canvas *c, const struct boardview *v, const struct crowd *w,
                      uint16_t sq, struct area cell)
{
    struct style st = ground_style(v, sq);
    const unsigned height = v->board->height[sq];
    const bool may = v->select != NULL && select_to(v->select, sq) != NULL;

    canvas_fill(c, cell, st, ' ');
    if (may) {
        const unsigned side = v->board->figure[v->select->figure[0]].side;

        st = style_bold(INK_TEXT);
        canvas_glyph(c, cell.x, cell.y, st, in_contact(v, w, sq, side) ? 0x25ce : 0x25e6);
    } else if (v->board->ground[sq] == RULES_OPEN && height > 0) {
        canvas_glyph(c, cell.x, cell.y, st, '0' + height);
    } else {
        put_one(c, cell.x, cell.y, st,
                draw_ground((enum rules_ground)v->board->ground[sq], c->ascii));
    }
}

static struct style figure_style(const struct boardview *v, unsigned f)
{
    const struct rules_figure *is = &v->board->figure[f];
    struct style st = style_of(is->side == RULES_A ? INK_SIDE_A : INK_SIDE_B);
    const bool waits = v->state->active == is->side;

    st.paper = ground_style(v, v->state->at[f]).paper;
    if (waits && !rules_can_act(v->board, v->state, f))
        st.attr = ATTR_DIM;
    else
        st.attr = ATTR_BOLD;
    if (is->commander != 0)
        st.attr |= ATTR_UNDERLINE;
    return st;
}

static void put_figures(struct canvas *c, const struct boardview *v, const struct crowd *w,
                        uint16_t sq, struct area cell)
{
    const unsigned f = w->first[sq];
    const struct rules_figure *is = &v->board->figure[f];
    const struct style st = figure_style(v, f);
    const char *facing = draw_facing((enum rules_dir)v->state->face[f], c->ascii);
    struct style second = st;

    second.attr &= (uint8_t)~ATTR_UNDERLINE;
    canvas_fill(c, cell, second, ' ');
    canvas_glyph(c, cell.x, cell.y, st,
                 (uint32_t)draw_letter((enum rules_side)is->side, (enum rules_type)is->type));
    if (cell.w < 3) {
        put_one(c, cell.x + 1, cell.y, second, facing);
    } else if (v->board->scale == RULES_3IN) {
        canvas_glyph(c, cell.x + 1, cell.y, second, (uint32_t)'0' + w->count[sq]);
        put_one(c, cell.x + 2, cell.y, second, facing);
    } else {
        put_one(c, cell.x + 1, cell.y, second, facing);
        if (is->commander != 0)
            canvas_glyph(c, cell.x + 2, cell.y, second, '*');
    }
}

static enum paper paper_of(const struct boardview *v, uint16_t sq)
{
    const struct select *s = v->select;

    for (unsigned i = 0; s != NULL && i < s->n; i++) {
        if (v->state->at[s->figure[i]] == sq)
            return PAPER_CHOSEN;
    }
    for (unsigned d = RULES_N; s != NULL && s->n > 0 && d <= RULES_W; d++) {
        if (s->has_aim[d] && s->aim[d].target == sq)
            return PAPER_TARGET;
    }
    if (s != NULL && select_to(s, sq) != NULL)
        return PAPER_MAY;
    for (unsigned i = 0; i < v->n_last; i++) {
        if (v->last[i] == sq)
            return PAPER_LAST;
    }
    return PAPER_PLAIN;
}

/* Obstacles where there is no room between squares: underlined, or a bar in the second cell. */
static void put_small_edges(struct canvas *c, const struct boardview *v, const struct crowd *w,
                            uint16_t sq, struct area cell)
{
    const enum rules_obstacle east = rules_obstacle_at(v->board, sq, RULES_E);

    if (rules_obstacle_at(v->board, sq, RULES_S) != RULES_CLEAR)
        canvas_tint(c, cell, (enum paper)c->cell[cell.y * c->w + cell.x].style.paper,
                    ATTR_UNDERLINE);
    if (east != RULES_CLEAR && w->first[sq] == RULES_NO_FIGURE)
        put_one(c, cell.x + 1, cell.y, style_of(INK_EDGE), draw_obstacle(east, true, c->ascii));
}

static void put_square(struct canvas *c, const struct boardplace *p, const struct boardview *v,
                       const struct crowd *w, uint16_t sq)
{
    const enum paper paper = paper_of(v, sq);
    struct area cell = {0, 0, p->large ? 3 : 2, 1};

    cell_of(p, v->board, sq, &cell.x, &cell.y);
    cell.x += p->large ? 1 : 0;
    if (w->first[sq] != RULES_NO_FIGURE)
        put_figures(c, v, w, sq, cell);
    else if (p->large)
        put_empty(c, v, w, sq, (struct area){cell.x + 1, cell.y, 1, 1});
    else
        put_empty(c, v, w, sq, cell);
    if (paper != PAPER_PLAIN)
        canvas_tint(c, cell, paper, 0);
    if (!p->large)
        put_small_edges(c, v, w, sq, cell);
    if (v->select != NULL && v->select->cursor == sq)
        canvas_tint(c, cell, PAPER_CURSOR, 0);
    canvas_zone(c, cell, ZONE_SQUARE, sq);
}

/* ---- between and around ---- */

static void put_large_edges(struct canvas *c, const struct boardplace *p,
                            const struct rules_board *b, uint16_t sq)
{
    const enum rules_obstacle west = rules_obstacle_at(b, sq, RULES_W);
    const enum rules_obstacle south = rules_obstacle_at(b, sq, RULES_S);
    int x, y;

    cell_of(p, b, sq, &x, &y);
    if (west != RULES_CLEAR)
        put_one(c, x, y, style_of(INK_EDGE), draw_obstacle(west, true, c->ascii));
    if (south != RULES_CLEAR && sq / b->w > p->bottom) {
        for (int i = 1; i <= 3; i++)
            put_one(c, x + i, y + 1, style_of(INK_EDGE), draw_obstacle(south, false, c->ascii));
    }
}

static void put_names(struct canvas *c, const struct boardplace *p, const struct boardview *v)
{
    const struct rules_board *b = v->board;
    const uint16_t cursor = v->select != NULL ? v->select->cursor : RULES_NO_SQUARE;
    char name[RULES_SQUARE_NAME];
    int x, y;

    for (int col = p->left; col <= p->right; col++) {
        const bool here = cursor != RULES_NO_SQUARE && cursor % b->w == col;
        const struct style st = here ? style_bold(INK_TITLE) : style_of(INK_FAINT);

        cell_of(p, b, (uint16_t)(p->top * b->w + col), &x, &y);
        x += p->large ? 2 : 0;
        (void)rules_square_name(b, (uint16_t)col, name);
        if (name[1] >= 'a') {
            canvas_glyph(c, x, p->area.y, st, (uint32_t)name[0]);
            canvas_glyph(c, x, p->area.y + 1, st, (uint32_t)name[1]);
        } else {
            canvas_glyph(c, x, p->area.y + name_rows(b) - 1, st, (uint32_t)name[0]);
        }
    }
    for (int row = p->bottom; row <= p->top; row++) {
        const bool here = cursor != RULES_NO_SQUARE && cursor / b->w == row;

        cell_of(p, b, (uint16_t)(row * b->w + p->left), &x, &y);
        (void)canvas_printf(c, row_of(p->area.x, y, 3),
                            here ? style_bold(INK_TITLE) : style_of(INK_FAINT), "%3d", row + 1);
    }
}

/* Signs in the frame that there is more board that way. */
static void put_more(struct canvas *c, const struct boardplace *p, const struct rules_board *b)
{
    const struct style st = style_bold(INK_WARN);
    int x, y;

    cell_of(p, b, (uint16_t)(p->bottom * b->w + p->right), &x, &y);
    x += square_w(p->large);
    if (p->left > 0)
        canvas_glyph(c, p->area.x, p->area.y, st, 0x2190);
    if (p->top < b->h - 1)
        canvas_glyph(c, p->area.x + 1, p->area.y, st, 0x2191);
    if (p->bottom > 0)
        canvas_glyph(c, p->area.x + 2, p->area.y, st, 0x2193);
    if (p->right < b->w - 1)
        canvas_glyph(c, p->area.x + 3, p->area.y, st, 0x2192);
}

void boardview_draw(struct canvas *c, const struct boardplace *p, const struct boardview *v)
{
    struct crowd *w = gather(v);

    put_names(c, p, v);
    for (int row = p->bottom; row <= p->top; row++) {
        for (int col = p->left; col <= p->right; col++) {
            const uint16_t sq = (uint16_t)(row * v->board->w + col);

            put_square(c, p, v, w, sq);
            if (p->large)
                put_large_edges(c, p, v->board, sq);
        }
    }
    put_more(c, p, v->board);
    mem_free(w);
}
