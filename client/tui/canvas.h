/* SPDX-License-Identifier: ISC
 * canvas.h -- a screenful of cells that views draw on and term.c shows.
 *
 * Pure. Text that comes in may be anybody's: what is not plain UTF-8 (controls, escapes, bidi,
 * invisible characters) never gets into a cell. A cell says what it means (struct style), not its
 * colour: that is theme.h's. With `ascii` set every glyph is brought down to ASCII on its way in.
 */
#ifndef SK_TUI_CANVAS_H
#define SK_TUI_CANVAS_H

#include "common/base/buf.h"

#define CANVAS_MAX 1000 /* columns, and rows, that are drawn of an even larger terminal */

/* What the ink of a cell stands for. */
enum ink {
    INK_TEXT,
    INK_FAINT,
    INK_TITLE,
    INK_SIDE_A,
    INK_SIDE_B,
    INK_GOOD,
    INK_WARN,
    INK_KEY,
    INK_GROUND,
    INK_WOODS,
    INK_ROAD,
    INK_BUILDING,
    INK_WATER,
    INK_EDGE,
    INK_COUNT
};
/* What its paper stands for. */
enum paper {
    PAPER_PLAIN,
    PAPER_HIGH,   /* raised ground */
    PAPER_HIGHER, /* much raised ground */
    PAPER_MAY,    /* a square that the chosen may go to */
    PAPER_TARGET,
    PAPER_CHOSEN,
    PAPER_LAST, /* where something happened last */
    PAPER_CURSOR,
    PAPER_BAR,
    PAPER_COUNT
};
#define ATTR_BOLD      1U
#define ATTR_DIM       2U
#define ATTR_UNDERLINE 4U
#define ATTR_REVERSE   8U

struct style {
    uint8_t ink, paper, attr;
};
struct cell {
    uint32_t cp; /* 0: right half of the wide glyph before it */
    struct style style;
};
/* Columns and rows from the upper left corner, 0 based. */
struct area {
    int x, y, w, h;
};
/* A part of the screen that a click means something on: `act` (keymap.h) with `arg`. */
struct zone {
    struct area area;
    int act, arg;
};
struct canvas {
    int w, h;
    bool ascii;
    struct cell *cell; /* owned; w * h, row by row */
    struct zone *zone; /* owned; later ones lie on top */
    size_t n_zones, zone_cap;
    int caret_x, caret_y; /* where text is typed; x < 0: nowhere */
};

/* Blank, w x h (cut to 1..CANVAS_MAX). canvas_fini in the end. */
void canvas_init(struct canvas *c, int w, int h, bool ascii);
void canvas_fini(struct canvas *c);
/* Blank again, without zones or caret; another size and alphabet if wanted. */
void canvas_reset(struct canvas *c, int w, int h, bool ascii);

static inline struct style style_of(enum ink ink)
{
    return (struct style){(uint8_t)ink, PAPER_PLAIN, 0};
}
static inline struct style style_bold(enum ink ink)
{
    return (struct style){(uint8_t)ink, PAPER_PLAIN, ATTR_BOLD};
}
static inline struct area row_of(int x, int y, int w)
{
    return (struct area){x, y, w, 1};
}

/*
 * Write `text` from the left end of `a`'s first row, cut (with an ellipsis) at its right end.
 * Returns the column behind. What lies off the canvas is passed over.
 */
int canvas_put(struct canvas *c, struct area a, struct style st, const char *text);
int canvas_printf(struct canvas *c, struct area a, struct style st, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
/* The same with its end at a's right end. */
void canvas_put_right(struct canvas *c, struct area a, struct style st, const char *text);
/* Words filled into a's width, down to its height; the rows used. Begins `skip` rows into the
 * text. */
int canvas_wrap(struct canvas *c, struct area a, struct style st, const char *text, int skip);
/* Rows that canvas_wrap would need in this width. */
int canvas_wrap_rows(int w, const char *text);
/* One glyph. */
void canvas_glyph(struct canvas *c, int x, int y, struct style st, uint32_t cp);
/* Fill with a glyph. */
void canvas_fill(struct canvas *c, struct area a, struct style st, uint32_t cp);
/* A horizontal line. */
void canvas_rule(struct canvas *c, int x, int y, int w);
/* Change the paper, and add attributes, under what is written. */
void canvas_tint(struct canvas *c, struct area a, enum paper paper, unsigned attr);
/* A frame with a title, its inside blanked; returns the inside. */
struct area canvas_box(struct canvas *c, struct area a, const char *title);

void canvas_zone(struct canvas *c, struct area a, int act, int arg);
/* The uppermost zone there, or NULL. Borrowed. */
const struct zone *canvas_zone_at(const struct canvas *c, int x, int y);

/* Cells that the text takes. */
int canvas_width(const char *text);

/* The picture as text, lines ending in '\n' without blanks before it. Appended. */
void canvas_text(const struct canvas *c, struct buf *out);
/* The papers and attributes as text: '.' plain, a letter for each paper (HhmtclUB...), upper case
 * attributes in a second picture would be too much: 'b' bold, 'd' dim, 'u' underlined, 'r' reverse
 * where the paper is plain. Appended. */
void canvas_styles(const struct canvas *c, struct buf *out);

#endif
