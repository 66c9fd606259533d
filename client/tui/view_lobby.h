/* SPDX-License-Identifier: ISC
 * view_lobby.h -- the lobby, and lists to choose from: facts in, cells out. Pure.
 */
#ifndef SK_TUI_VIEW_LOBBY_H
#define SK_TUI_VIEW_LOBBY_H

#include "client/tui/lobby.h"
#include "client/tui/view.h"

/* Where the player is in the lobby. */
struct lobby_place {
    unsigned cursor;             /* row, headings not counted */
    int from;                    /* lines scrolled */
    const char *status;          /* the link; "" fine. Borrowed */
    const char *note;            /* the answer to the last key. Borrowed */
    unsigned long long uptime_s; /* of our visit; for nothing but tests' sake 0 */
};
/* The match at the cursor and its part; NULL: the lobby is empty. */
const struct lobby_match *view_lobby_at(const struct lobby *l, unsigned cursor,
                                        enum lobby_part *part);
/* Rows that the cursor can stand on. */
unsigned view_lobby_rows(const struct lobby *l);
void view_lobby(struct canvas *c, const struct keymap *km, const struct lobby *l,
                struct lobby_place *p);

/* A list to choose from, with a head and foot. Rows borrowed. */
struct list_page {
    const char *title, *head, *foot;
    const char *const *row;
    unsigned n, cursor;
    int from;
    bool rivals, pairs; /* players can be challenged; their games against us chosen */
};
void view_list(struct canvas *c, const struct keymap *km, struct list_page *p);
/* Scenarios: a list, and the one at the cursor drawn and described. */
void view_scenarios(struct canvas *c, const struct keymap *km, const struct scenario_set *set,
                    unsigned cursor, const char *hint);

/* "Red wins by elimination", "20 min + 30 s", for lists; appended. */
void view_clock_words(const struct clock_rule *clock, struct buf *out);

#endif
