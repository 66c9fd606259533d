/* SPDX-License-Identifier: ISC
 * scenario_svg.c -- a scenario's board and set-up as a drawing.
 */
#include "client/scenario_svg.h"

#include "client/draw.h"

#define CELL 32U
#define EDGE 30U /* room for the coordinates */
#define TOP  40U /* and for the title */

static const char *const ground_colour[] = {"#f4efdc", "#b9cf9a", "#e0c58f",
                                            "#6b625a", "#9fc3dd", "#8b8b95"};
_Static_assert(ARRAY_LEN(ground_colour) == RULES_GROUND_COUNT, "a colour for every ground");
static const char *const obstacle_style[] = {
    "", "stroke=\"#3f7fae\" stroke-width=\"5\"", "stroke=\"#444\" stroke-width=\"5\"",
    "stroke=\"#7a5a30\" stroke-width=\"3\" stroke-dasharray=\"5 3\"",
    "stroke=\"#7a5a30\" stroke-width=\"6\" stroke-dasharray=\"3 2\""};
_Static_assert(ARRAY_LEN(obstacle_style) == RULES_OBSTACLE_COUNT, "a line for every obstacle");
static const char *const side_colour[] = {"#b5413b", "#3b6fb5"};

static unsigned left_of(const struct rules_board *b, unsigned sq)
{
    return EDGE + sq % MAX(b->w, 1U) * CELL;
}

static unsigned top_of(const struct rules_board *b, unsigned sq)
{
    return TOP + (b->h - 1U - sq / MAX(b->w, 1U)) * CELL;
}

static void put_escaped(const char *text, struct buf *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            buf_printf(out, "&#%d;", *text);
        else
            buf_putc(out, *text);
    }
}

static void put_ground(const struct rules_board *b, struct buf *out)
{
    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        const unsigned x = left_of(b, sq), y = top_of(b, sq);

        buf_printf(out,
                   "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\" "
                   "stroke=\"#c9c2ab\"/>\n",
                   x, y, CELL, CELL, ground_colour[b->ground[sq]]);
        if (b->height[sq] > 0) /* higher is darker, and the number says how high */
            buf_printf(
                out,
                "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"#7a5a30\" "
                "fill-opacity=\"0.%u\"/>\n<text x=\"%u\" y=\"%u\" font-size=\"9\">%u</text>\n",
                x, y, CELL, CELL, b->height[sq], x + 3, y + 10, b->height[sq]);
    }
}

static void put_obstacles(const struct rules_board *b, struct buf *out)
{
    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        const unsigned x = left_of(b, sq), y = top_of(b, sq);

        if (b->edge_n[sq] != RULES_CLEAR)
            buf_printf(out, "<path d=\"M%u %uh%u\" %s/>\n", x, y, CELL,
                       obstacle_style[b->edge_n[sq]]);
        if (b->edge_e[sq] != RULES_CLEAR)
            buf_printf(out, "<path d=\"M%u %uv%u\" %s/>\n", x + CELL, y, CELL,
                       obstacle_style[b->edge_e[sq]]);
    }
}

static void put_coordinates(const struct rules_board *b, struct buf *out)
{
    for (unsigned x = 0; x < b->w; x++) {
        char name[RULES_SQUARE_NAME];

        (void)rules_square_name(b, (uint16_t)x, name);
        name[strlen(name) - 1] = '\0'; /* the row is 1 */
        buf_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%s</text>\n",
                   EDGE + x * CELL + CELL / 2, TOP + b->h * CELL + 16U, name);
    }
    for (unsigned y = 0; y < b->h; y++)
        buf_printf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\">%u</text>\n", EDGE - 6,
                   TOP + (b->h - 1U - y) * CELL + 20U, y + 1);
}

/* The figures of a square: a disc with the letter, a tip where they look, how many there are. */
static void put_figure(const struct rules_board *b, const struct rules_state *s, unsigned f,
                       struct buf *out)
{
    static const char *const tip[] = {"0 -15 5 -9 -5 -9", "15 0 9 -5 9 5", "0 15 5 9 -5 9",
                                      "-15 0 -9 -5 -9 5"};
    uint8_t who[RULES_STACK_MAX];
    const struct rules_figure *is = &b->figure[f];
    const unsigned n = rules_at(b, s, s->at[f], who);
    const unsigned x = left_of(b, s->at[f]) + CELL / 2, y = top_of(b, s->at[f]) + CELL / 2;

    buf_printf(out,
               "<g transform=\"translate(%u %u)\"><polygon points=\"%s\" fill=\"%s\"/><circle "
               "r=\"10\" fill=\"%s\"%s/><text y=\"4\" text-anchor=\"middle\" fill=\"#fff\">%c"
               "</text>",
               x, y, tip[s->face[f]], side_colour[is->side], side_colour[is->side],
               is->commander != 0 ? " stroke=\"#000\" stroke-width=\"2\"" : "",
               draw_letter(RULES_A, (enum rules_type)is->type));
    if (n > 1)
        buf_printf(out, "<text x=\"9\" y=\"14\" font-size=\"10\">%u</text>", n);
    buf_puts(out, "</g>\n");
}

void scenario_svg(const struct scenario *s, const struct rules_state *state, struct buf *out)
{
    const struct rules_board *b = &s->board;

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n<title>",
               EDGE + b->w * CELL + 10U, TOP + b->h * CELL + 26U);
    put_escaped(s->title, out);
    buf_printf(out,
               ": the board at the start</title>\n<rect width=\"100%%\" height=\"100%%\" "
               "fill=\"#fff\"/>\n<text x=\"%u\" y=\"24\" font-size=\"16\">",
               EDGE);
    put_escaped(s->title, out);
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        buf_printf(out, "<tspan dx=\"14\" font-size=\"12\" fill=\"%s\">", side_colour[side]);
        put_escaped(s->side[side].name, out);
        buf_puts(out, "</tspan>");
    }
    buf_puts(out, "</text>\n");
    put_ground(b, out);
    put_obstacles(b, out);
    put_coordinates(b, out);
    for (unsigned f = 0; f < b->n_figures; f++)
        if (state->at[f] != RULES_NO_SQUARE && state->rank[f] == 1)
            put_figure(b, state, f, out);
    buf_puts(out, "</svg>\n");
}
