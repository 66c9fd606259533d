/* SPDX-License-Identifier: ISC
 * theme.c -- palettes.
 */
#include "client/tui/theme.h"

#include "common/base/str.h"

#define D THEME_DEFAULT

/* 8: the first eight ANSI colours; 16: with the bright ones; 256: xterm's cube and greys. */
static const struct theme shipped_default = {
    .ink = {[INK_TEXT] = {D, D, D},
            [INK_FAINT] = {D, 8, 245},
            [INK_TITLE] = {D, 15, 231},
            [INK_SIDE_A] = {3, 11, 214},
            [INK_SIDE_B] = {6, 14, 75},
            [INK_GOOD] = {6, 14, 80},
            [INK_WARN] = {3, 11, 220},
            [INK_KEY] = {D, 15, 229},
            [INK_GROUND] = {D, 8, 240},
            [INK_WOODS] = {2, 2, 71},
            [INK_ROAD] = {3, 3, 137},
            [INK_BUILDING] = {D, 7, 250},
            [INK_WATER] = {4, 12, 68},
            [INK_EDGE] = {D, 15, 253}},
    .paper = {[PAPER_PLAIN] = {D, D, D},
              [PAPER_HIGH] = {D, D, 236},
              [PAPER_HIGHER] = {D, D, 239},
              [PAPER_MAY] = {D, D, 23},
              [PAPER_TARGET] = {D, D, 94},
              [PAPER_CHOSEN] = {D, D, 60},
              [PAPER_LAST] = {D, D, 238},
              [PAPER_CURSOR] = {D, D, D},
              [PAPER_BAR] = {D, D, 237}},
};
static const struct theme shipped_contrast = {
    .ink = {[INK_TEXT] = {D, D, D},
            [INK_FAINT] = {D, D, D},
            [INK_TITLE] = {7, 15, 231},
            [INK_SIDE_A] = {3, 11, 226},
            [INK_SIDE_B] = {6, 14, 123},
            [INK_GOOD] = {7, 15, 231},
            [INK_WARN] = {3, 11, 226},
            [INK_KEY] = {7, 15, 231},
            [INK_GROUND] = {D, D, D},
            [INK_WOODS] = {D, D, D},
            [INK_ROAD] = {D, D, D},
            [INK_BUILDING] = {7, 15, 231},
            [INK_WATER] = {D, D, D},
            [INK_EDGE] = {7, 15, 231}},
    .paper = {[PAPER_PLAIN] = {D, D, D},
              [PAPER_HIGH] = {D, D, D},
              [PAPER_HIGHER] = {D, D, D},
              [PAPER_MAY] = {D, D, 18},
              [PAPER_TARGET] = {D, D, 88},
              [PAPER_CHOSEN] = {D, D, 55},
              [PAPER_LAST] = {D, D, D},
              [PAPER_CURSOR] = {D, D, D},
              [PAPER_BAR] = {D, D, D}},
};

static const char *const ink_names[] = {"text", "faint",    "title", "side-a", "side-b",
                                        "good", "warn",     "key",   "ground", "woods",
                                        "road", "building", "water", "edge"};
static const char *const paper_names[] = {"paper",      "paper-high",   "paper-higher",
                                          "paper-may",  "paper-target", "paper-chosen",
                                          "paper-last", "paper-cursor", "paper-bar"};
_Static_assert(ARRAY_LEN(ink_names) == INK_COUNT, "a name for every ink");
_Static_assert(ARRAY_LEN(paper_names) == PAPER_COUNT, "a name for every paper");

/* What papers are where there is no colour for them. */
static const uint8_t paper_attr[] = {
    0, 0, 0, 0, ATTR_BOLD | ATTR_UNDERLINE, ATTR_BOLD, 0, ATTR_REVERSE, ATTR_REVERSE};
_Static_assert(ARRAY_LEN(paper_attr) == PAPER_COUNT, "attributes for every paper");

bool theme_named(const char *name, struct theme *t)
{
    if (str_eq(name, "default")) {
        *t = shipped_default;
    } else if (str_eq(name, "contrast")) {
        *t = shipped_contrast;
    } else if (str_eq(name, "mono")) {
        for (unsigned i = 0; i < INK_COUNT; i++)
            t->ink[i] = (struct theme_colour){D, D, D};
        for (unsigned i = 0; i < PAPER_COUNT; i++)
            t->paper[i] = (struct theme_colour){D, D, D};
    } else {
        return false;
    }
    return true;
}

static bool read_colour(const char *text, struct theme_colour *out)
{
    int64_t v;

    if (str_eq(text, "default")) {
        *out = (struct theme_colour){D, D, D};
        return true;
    }
    if (!str_to_int(text, 0, 255, &v))
        return false;
    *out = (struct theme_colour){(int16_t)(v < 8 ? v : D), (int16_t)(v < 16 ? v : D), (int16_t)v};
    return true;
}

bool theme_set(struct theme *t, const char *part, const char *colour)
{
    for (unsigned i = 0; i < INK_COUNT; i++) {
        if (str_eq(part, ink_names[i]))
            return read_colour(colour, &t->ink[i]);
    }
    for (unsigned i = 0; i < PAPER_COUNT; i++) {
        if (str_eq(part, paper_names[i]))
            return read_colour(colour, &t->paper[i]);
    }
    return false;
}

static int at_depth(const struct theme_colour *c, int colours)
{
    if (colours >= 256)
        return c->c256;
    if (colours >= 16)
        return c->c16;
    return colours >= 8 ? c->c8 : D;
}

struct theme_look theme_look(const struct theme *t, struct style st, int colours)
{
    struct theme_look look = {at_depth(&t->ink[st.ink], colours),
                              at_depth(&t->paper[st.paper], colours), st.attr};

    if (st.paper != PAPER_PLAIN && look.bg == D)
        look.attr |= paper_attr[st.paper];
    /* dim where a grey is missing; bold is what tells titles without a colour of theirs */
    if (look.fg == D && st.ink == INK_FAINT)
        look.attr |= ATTR_DIM;
    if (look.fg == D && st.ink == INK_KEY)
        look.attr |= ATTR_BOLD;
    if ((look.attr & ATTR_REVERSE) != 0)
        look.attr &= ~ATTR_DIM;
    return look;
}

int theme_depth(int terminal, const char *setting, const char *no_color)
{
    int64_t wanted;
    int depth = terminal;

    if (setting != NULL && str_to_int(setting, 0, 256, &wanted))
        depth = (int)MIN(wanted, (int64_t)terminal);
    else if ((setting != NULL && str_eq(setting, "none")) ||
             (no_color != NULL && no_color[0] != '\0'))
        depth = 0;
    if (depth >= 256)
        return 256;
    if (depth >= 16)
        return 16;
    return depth >= 8 ? 8 : 0;
}
