/* SPDX-License-Identifier: ISC
 * view_match.h -- the match screen: facts in, cells out. Pure.
 */
#ifndef SK_TUI_VIEW_MATCH_H
#define SK_TUI_VIEW_MATCH_H

#include "client/tui/scene.h"
#include "client/tui/view.h"

/* A match, or a game seen again. Places the board in t->place. The window isn't small. */
void view_match(struct canvas *c, const struct scene *v, const struct keymap *km, struct table *t);
/* The panel beside the board: forces, figures, what the chosen may do. */
void view_panel(struct canvas *c, struct area a, const struct scene *v, struct table *t);
/* The whole log, the scenario, or the luck, in place of the board (t->over). */
void view_over(struct canvas *c, const struct scene *v, const struct keymap *km, struct table *t);

#endif
