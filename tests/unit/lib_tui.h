/* SPDX-License-Identifier: ISC
 * lib_tui.h -- a table with a game on it, for tests of the screens.
 */
#ifndef SK_TEST_LIB_TUI_H
#define SK_TEST_LIB_TUI_H

#include "client/tui/form.h"
#include "client/tui/local.h"
#include "client/tui/view_lobby.h"
#include "client/tui/view_match.h"

struct stage {
    struct scenario *scn;
    struct local local;
    struct log log;
    struct keymap km;
    struct canvas canvas;
    struct scene scene;
    struct table table;
    const char *dice; /* digits to be thrown, then over again; "" is an error */
    size_t dice_at;
};

/* A game of that scenario (JSON text, or the id of a shipped one) with these dice begun. */
void stage_init(struct stage *s, const char *scenario, const char *dice);
void stage_fini(struct stage *s);
/* Give an order as it is typed, by the side whose phase it is. Fails the test if refused. */
void stage_order(struct stage *s, const char *line);
/* The player at `side` sits here: scene.me, and what may be done. */
void stage_sit(struct stage *s, enum rules_side side);
void stage_choose(struct stage *s, const char *figure);
/* Draw, and hold the picture against tests/golden/tui/NAME.txt (SK_UPDATE=1 writes it). */
void stage_shot(struct stage *s, const char *name, int w, int h, bool ascii);
/* The canvas as it is against the golden file. */
void golden_canvas(const struct canvas *c, const char *name);

#endif
