/* SPDX-License-Identifier: ISC
 * view.h -- what all screens share. Pure.
 */
#ifndef SK_TUI_VIEW_H
#define SK_TUI_VIEW_H

#include "client/tui/canvas.h"
#include "client/tui/keymap.h"
#include "proto/scenario.h"

#define VIEW_COLS 80 /* the smallest window that is played in */
#define VIEW_ROWS 24

/* Is the window too small? Then says so on it, whatever its size, and what waits. True: it is. */
bool view_small(struct canvas *c, const char *waits);
/* "Tab next" with its key as set, and a zone on it; returns the column behind. */
int view_hint(struct canvas *c, struct area a, const struct keymap *km, enum action act,
              const char *word);
/* A line over the whole width for trouble with the link. */
void view_trouble(struct canvas *c, int y, const char *text);
/* Keys of a context, those that do something now (`can`) first; scrolled by `from` rows, which is
 * held in bounds. */
void view_help(struct canvas *c, const struct keymap *km, unsigned ctx, const bool *can, int *from);
/* Text in lines over the screen, with a title; scrolled likewise. */
void view_text(struct canvas *c, const struct keymap *km, const char *title, const char *text,
               int *from);
/* A scenario in words: forces, who wins how, reinforcements, readings; appended. */
void view_scenario_words(const struct scenario *scn, bool ascii, struct buf *out);

#endif
