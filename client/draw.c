/* SPDX-License-Identifier: ISC
 * draw.c -- a position as text.
 */
#include "client/draw.h"

#define LARGE_WIDTH_MAX 18 /* squares of 4 cells that go into 80 columns beside the row names */

struct glyph {
    const char *fine, *ascii;
};

static const struct glyph grounds[] = {{"·", "."}, {"♣", "\""}, {"░", ":"},
                                       {"▓", "#"}, {"≈", "~"},  {"▣", "%"}};
static const struct glyph facings[] = {{"▲", "^"}, {"▶", ">"}, {"▼", "v"}, {"◀", "<"}, {" ", " "}};
static const struct glyph lying[] = {{" ", " "}, {"∼", "~"}, {"━", "="}, {"┅", "-"}, {"╳", "x"}};
static const struct glyph upright[] = {{" ", " "}, {"≀", "~"}, {"┃", "|"}, {"┇", ":"}, {"╳", "x"}};
_Static_assert(ARRAY_LEN(grounds) == RULES_GROUND_COUNT, "a glyph for every ground");
_Static_assert(ARRAY_LEN(facings) == RULES_NO_DIR + 1, "a glyph for every direction");
_Static_assert(ARRAY_LEN(lying) == RULES_OBSTACLE_COUNT, "a glyph for every obstacle");
_Static_assert(ARRAY_LEN(upright) == RULES_OBSTACLE_COUNT, "a glyph for every obstacle");

static const char letters[][RULES_TYPE_COUNT + 1] = {"NRMCW", "nrmcw"}; /* of A, of B */
static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

static const char *pick(const struct glyph *g, bool ascii)
{
    return ascii ? g->ascii : g->fine;
}

const char *draw_ground(enum rules_ground g, bool ascii)
{
    return pick(&grounds[g], ascii);
}

const char *draw_facing(enum rules_dir d, bool ascii)
{
    return pick(&facings[d], ascii);
}

const char *draw_obstacle(enum rules_obstacle o, bool is_upright, bool ascii)
{
    return pick(is_upright ? &upright[o] : &lying[o], ascii);
}

char draw_letter(enum rules_side side, enum rules_type type)
{
    return letters[side == RULES_A ? 0 : 1][type];
}

const char *draw_status_mark(enum rules_status s, bool ascii)
{
    if (s == RULES_HALTED)
        return "=";
    if (s == RULES_RETREATING || s == RULES_ROUTING)
        return ascii ? "!" : "‼";
    return "";
}

static bool has_obstacles(const struct rules_board *b)
{
    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        if (b->edge_n[sq] != RULES_CLEAR || b->edge_e[sq] != RULES_CLEAR)
            return true;
    }
    return false;
}

enum draw_zoom draw_zoom(const struct rules_board *b)
{
    const bool wants = b->scale == RULES_3IN || has_obstacles(b);

    return wants && b->w <= LARGE_WIDTH_MAX ? DRAW_LARGE : DRAW_SMALL;
}

/* ---- the board ---- */

/* One picture under way. */
struct picture {
    const struct rules_board *b;
    const struct rules_state *s;
    bool ascii, large;
    struct buf *out;
    uint16_t first[RULES_SQUARES_MAX]; /* figure of rank 1, or RULES_NO_FIGURE */
    uint8_t count[RULES_SQUARES_MAX];
};

static void place_figures(struct picture *p)
{
    memset(p->first, 0xff, sizeof(p->first));
    memset(p->count, 0, sizeof(p->count));
    for (unsigned f = 0; f < p->b->n_figures; f++) {
        const uint16_t sq = p->s->at[f];

        if (sq == RULES_NO_SQUARE)
            continue;
        p->count[sq]++;
        if (p->s->rank[f] == 1)
            p->first[sq] = (uint16_t)f;
    }
}

/* End the line begun at `from` without blanks at its end. */
static void end_line(struct buf *out, size_t from)
{
    size_t n = out->len;

    while (n > from && out->data[n - 1] == ' ')
        n--;
    out->len = n;
    buf_putc(out, '\n');
}

/* Column names: one line, or two where the board goes beyond column z. */
static void put_columns(const struct picture *p)
{
    for (unsigned line = p->b->w > 26 ? 0 : 1; line < 2; line++) {
        const size_t from = p->out->len;

        buf_puts(p->out, p->large ? "     " : "    ");
        for (unsigned x = 0; x < p->b->w; x++) {
            const char *low = &alphabet[x % 26];
            const char *high = x < 26 ? " " : &alphabet[x / 26 - 1];

            buf_putc(p->out, ' ');
            buf_put(p->out, line == 0 ? high : low, 1);
            buf_puts(p->out, p->large ? "  " : "");
        }
        end_line(p->out, from);
    }
}

/* A square nobody stands in: its ground, or its height in the open; 1 cell. */
static void put_ground(const struct picture *p, unsigned sq)
{
    const unsigned height = p->b->height[sq];

    if (p->b->ground[sq] == RULES_OPEN && height > 0)
        buf_put_int(p->out, height);
    else
        buf_puts(p->out, draw_ground((enum rules_ground)p->b->ground[sq], p->ascii));
}

static void put_figure(const struct picture *p, unsigned sq)
{
    const unsigned f = p->first[sq];
    const struct rules_figure *is = &p->b->figure[f];
    const char *facing = draw_facing((enum rules_dir)p->s->face[f], p->ascii);

    buf_putc(p->out, draw_letter((enum rules_side)is->side, (enum rules_type)is->type));
    if (!p->large) {
        buf_puts(p->out, facing);
    } else if (p->b->scale == RULES_3IN) {
        buf_put_int(p->out, p->count[sq]);
        buf_puts(p->out, facing);
    } else {
        buf_puts(p->out, facing);
        buf_putc(p->out, is->commander != 0 ? '*' : ' ');
    }
}

static void put_square(const struct picture *p, unsigned x, unsigned sq)
{
    const bool empty = p->first[sq] == RULES_NO_FIGURE;

    if (p->large) {
        const uint8_t west = x == 0 ? RULES_CLEAR : p->b->edge_e[sq - 1];

        buf_puts(p->out, draw_obstacle((enum rules_obstacle)west, true, p->ascii));
    }
    if (!empty) {
        put_figure(p, sq);
        return;
    }
    buf_puts(p->out, p->large ? " " : "");
    put_ground(p, sq);
    buf_putc(p->out, ' ');
}

static void put_row(const struct picture *p, unsigned y)
{
    const size_t from = p->out->len;

    buf_printf(p->out, p->large ? " %2u " : " %2u  ", y + 1);
    for (unsigned x = 0; x < p->b->w; x++)
        put_square(p, x, y * p->b->w + x);
    end_line(p->out, from);
}

/* The edges between row y and the one to its south. */
static void put_edges(const struct picture *p, unsigned y)
{
    const size_t from = p->out->len;

    buf_puts(p->out, "    ");
    for (unsigned x = 0; x < p->b->w; x++) {
        const uint8_t edge = p->b->edge_n[(y - 1) * p->b->w + x];
        const char *glyph = draw_obstacle((enum rules_obstacle)edge, false, p->ascii);

        buf_printf(p->out, " %s%s%s", glyph, glyph, glyph);
    }
    end_line(p->out, from);
}

/* "stream c4n c5e" for each kind that there is. */
static void list_obstacles(const struct rules_board *b, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    for (unsigned kind = RULES_CLEAR + 1; kind < RULES_OBSTACLE_COUNT; kind++) {
        bool any = false;

        for (unsigned sq = 0; sq < rules_squares(b); sq++) {
            const bool n = b->edge_n[sq] == kind, e = b->edge_e[sq] == kind;

            if (!n && !e)
                continue;
            if (!any)
                buf_printf(out, "     %s", obstacle_word((enum rules_obstacle)kind));
            any = true;
            rules_square_name(b, (uint16_t)sq, name);
            if (n)
                buf_printf(out, " %sn", name);
            if (e)
                buf_printf(out, " %se", name);
        }
        if (any)
            buf_putc(out, '\n');
    }
}

void draw_board(const struct rules_board *b, const struct rules_state *s,
                const struct draw_style *style, struct buf *out)
{
    const enum draw_zoom zoom = style->zoom == DRAW_AUTO ? draw_zoom(b) : style->zoom;
    struct picture p = {
        .b = b, .s = s, .ascii = style->ascii, .large = zoom == DRAW_LARGE, .out = out};

    place_figures(&p);
    put_columns(&p);
    for (unsigned y = b->h; y-- > 0;) {
        put_row(&p, y);
        if (p.large && y > 0)
            put_edges(&p, y);
    }
    if (!p.large)
        list_obstacles(b, out);
}

/* ---- the words beside it ---- */

/* Which grounds, obstacles and types are there, as bits. */
struct used {
    unsigned ground, obstacle, type;
    bool heights;
};

static struct used look_at(const struct rules_board *b)
{
    struct used u = {0, 0, 0, false};

    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        u.ground |= 1U << b->ground[sq];
        u.obstacle |= 1U << b->edge_n[sq] | 1U << b->edge_e[sq];
        u.heights = u.heights || b->height[sq] > 0;
    }
    for (unsigned f = 0; f < b->n_figures; f++)
        u.type |= 1U << b->figure[f].type;
    return u;
}

void draw_legend(const struct rules_board *b, const struct draw_style *style, struct buf *out)
{
    const enum draw_zoom zoom = style->zoom == DRAW_AUTO ? draw_zoom(b) : style->zoom;
    const struct used u = look_at(b);
    size_t from = out->len;

    for (unsigned t = 0; t < RULES_TYPE_COUNT; t++) {
        if ((u.type >> t & 1) != 0)
            buf_printf(out, "%c %s  ", draw_letter(RULES_A, (enum rules_type)t),
                       type_word((enum rules_type)t));
    }
    buf_puts(out, zoom == DRAW_LARGE && b->scale == RULES_1IN ? "* commander" : "");
    end_line(out, from);
    from = out->len;
    for (unsigned g = 0; g < RULES_GROUND_COUNT; g++) {
        if ((u.ground >> g & 1) != 0)
            buf_printf(out, "%s %s  ", draw_ground((enum rules_ground)g, style->ascii),
                       ground_word((enum rules_ground)g));
    }
    buf_puts(out, u.heights ? "1-9 height  " : "");
    for (unsigned o = RULES_CLEAR + 1; zoom == DRAW_LARGE && o < RULES_OBSTACLE_COUNT; o++) {
        if ((u.obstacle >> o & 1) != 0)
            buf_printf(out, "%s%s %s  ", draw_obstacle((enum rules_obstacle)o, false, style->ascii),
                       draw_obstacle((enum rules_obstacle)o, true, style->ascii),
                       obstacle_word((enum rules_obstacle)o));
    }
    end_line(out, from);
}

/* Where a figure is that isn't on the board. */
static void put_absence(const struct rules_board *b, const struct rules_state *s, unsigned f,
                        struct buf *out)
{
    switch ((enum rules_status)s->status[f]) {
    case RULES_DUE:
        buf_printf(out, "-    due in turn %u", b->wave[b->figure[f].wave].turn);
        break;
    case RULES_LEFT:
        buf_printf(out, "-    left by %s", dir_word((enum rules_dir)s->left_by[f]));
        break;
    case RULES_DEAD:
        buf_puts(out, "-    killed");
        break;
    case RULES_READY:
    case RULES_ACTED:
    case RULES_HALTED:
    case RULES_RETREATING:
    case RULES_ROUTING:
    case RULES_STATUS_COUNT:
        break;
    }
}

/* Columns of the longest id and name of a type on this side. */
static int id_width(const struct rules_board *b, enum rules_side side)
{
    int width = 0;

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side == side)
            width = MAX(width, (int)strlen(b->id[f]) + (b->figure[f].commander != 0 ? 1 : 0));
    }
    return width;
}

void draw_force(const struct scenario *scn, const struct rules_state *s, enum rules_side side,
                const struct draw_style *style, struct buf *out)
{
    const struct rules_board *b = &scn->board;
    const int width = id_width(b, side);

    for (unsigned f = 0; f < b->n_figures; f++) {
        const struct rules_figure *is = &b->figure[f];
        const char *star = is->commander != 0 ? "*" : "";
        const enum rules_status status = (enum rules_status)s->status[f];
        char name[RULES_SQUARE_NAME];

        if (is->side != side)
            continue;
        buf_printf(out, "  %c %s%s%*s  %-9s  ", draw_letter(side, (enum rules_type)is->type),
                   b->id[f], star, width - (int)strlen(b->id[f]) - (int)strlen(star), "",
                   type_word((enum rules_type)is->type));
        if (s->at[f] == RULES_NO_SQUARE)
            put_absence(b, s, f, out);
        else
            buf_printf(out, "%-4s %s%s %s", rules_square_name(b, s->at[f], name),
                       draw_facing((enum rules_dir)s->face[f], style->ascii),
                       draw_status_mark(status, style->ascii), status_word(status));
        if (scn->figure_name[f] != NULL)
            buf_printf(out, "  %s", scn->figure_name[f]);
        buf_putc(out, '\n');
    }
}
