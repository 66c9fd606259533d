/* SPDX-License-Identifier: ISC
 * theme.h -- what meanings look like on a terminal of so many colours.
 *
 * Pure. The default tells the sides by blue and orange, which all common kinds of colour blindness
 * tell apart, and nothing by colour alone. Without colours only bold, dim, underline and reverse
 * are used.
 */
#ifndef SK_TUI_THEME_H
#define SK_TUI_THEME_H

#include "client/tui/canvas.h"

#define THEME_DEFAULT (-1) /* the terminal's own colour */

struct theme_colour {
    int16_t c8, c16, c256; /* a colour's number at each depth; THEME_DEFAULT */
};
struct theme {
    struct theme_colour ink[INK_COUNT], paper[PAPER_COUNT];
};
/* What a cell is to look like: colours and attributes (ATTR_...). */
struct theme_look {
    int fg, bg;
    unsigned attr;
};

/* The shipped ones: "default", "contrast", "mono". False for another name, *t as it was. */
bool theme_named(const char *name, struct theme *t);
/*
 * One setting: part "side-a", "paper-may" and so on; a colour's number ("33") or "default", for all
 * depths that have it. False: no such part or colour.
 */
NODISCARD bool theme_set(struct theme *t, const char *part, const char *colour);
/* colours: how many the terminal has (0: none, 8, 16, 256). */
struct theme_look theme_look(const struct theme *t, struct style st, int colours);
/* How many to use: of what the terminal has, the setting ("auto", "none", "8", "16", "256") and
 * NO_COLOR (NULL: not set). */
int theme_depth(int terminal, const char *setting, const char *no_color);

#endif
