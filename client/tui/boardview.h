/* SPDX-License-Identifier: ISC
 * boardview.h -- the board as a picture in a part of the canvas, scrolled and zoomed.
 *
 * Glyphs are draw.h's. Pure.
 */
#ifndef SK_TUI_BOARDVIEW_H
#define SK_TUI_BOARDVIEW_H

#include "client/draw.h"
#include "client/tui/canvas.h"
#include "client/tui/select.h"

#define BOARDVIEW_LAST_MAX 16

/* What is drawn. */
struct boardview {
    const struct rules_board *board;
    const struct rules_state *state;
    const struct select *select;       /* NULL: no cursor */
    bool large;                        /* 4x2 cells a square, else 2x1 */
    uint16_t last[BOARDVIEW_LAST_MAX]; /* squares where something happened last */
    unsigned n_last;
};
/* Where on the canvas: set by boardview_place. */
struct boardplace {
    struct area area; /* with row and column names */
    bool large;
    int left, right, bottom, top; /* board columns and rows seen; inclusive */
};

/* Cells that the whole board takes, names included. */
int boardview_width(const struct rules_board *b, bool large);
int boardview_height(const struct rules_board *b, bool large);
/* Find which part is seen in `room`, with `sight` in it; keeps the old place where it can. */
void boardview_place(struct boardplace *p, const struct rules_board *b, bool large,
                     struct area room, uint16_t sight);
void boardview_draw(struct canvas *c, const struct boardplace *p, const struct boardview *v);
/* The square drawn there, or RULES_NO_SQUARE. */
uint16_t boardview_square(const struct boardplace *p, const struct rules_board *b, int x, int y);

#endif
