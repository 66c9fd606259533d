/* SPDX-License-Identifier: ISC
 * draw.h -- a position as text: the board as a picture, the figures as a list.
 *
 * Pure: (scenario, board, position, style) to text, lines ending in '\n', no colour. The full
 * screen takes its glyphs from here too, so that both speak one language (the design's
 * vocabulary): first side upper case, second lower.
 */
#ifndef SK_CLIENT_DRAW_H
#define SK_CLIENT_DRAW_H

#include "common/base/buf.h"
#include "proto/scenario.h"

enum draw_zoom {
    DRAW_AUTO,  /* large where edges or stacks must be seen and 80 columns are enough */
    DRAW_SMALL, /* 2 cells a square; obstacles are listed under the board */
    DRAW_LARGE  /* 4 cells and 2 lines a square; obstacles lie between the squares */
};
struct draw_style {
    bool ascii;          /* nothing but ASCII */
    enum draw_zoom zoom; /* never DRAW_AUTO for draw_zoom's answer */
};

/* The glyphs; each one cell wide, static. */
const char *draw_ground(enum rules_ground g, bool ascii);
const char *draw_facing(enum rules_dir d, bool ascii);
const char *draw_obstacle(enum rules_obstacle o, bool upright, bool ascii);
/* 'R' for the first side's regular, 'r' for the second's. */
char draw_letter(enum rules_side side, enum rules_type type);
/* A mark for what a figure can't do now: "" for none, '=' halted, '!' falling back. */
const char *draw_status_mark(enum rules_status s, bool ascii);

/* What DRAW_AUTO means for this board. */
enum draw_zoom draw_zoom(const struct rules_board *b);
/* The board with its coordinates. */
void draw_board(const struct rules_board *b, const struct rules_state *s,
                const struct draw_style *style, struct buf *out);
/* What the glyphs on this board mean, a line or two. */
void draw_legend(const struct rules_board *b, const struct draw_style *style, struct buf *out);
/* A line for each figure of `side`: letter, id, type, square, facing, status, name. */
void draw_force(const struct scenario *scn, const struct rules_state *s, enum rules_side side,
                const struct draw_style *style, struct buf *out);

#endif
