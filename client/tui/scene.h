/* SPDX-License-Identifier: ISC
 * scene.h -- all that a match screen shows, as plain facts, and where the player is on it.
 *
 * Filled from a seat's model, from a game at one screen, or from a record; drawn by view_match.
 */
#ifndef SK_TUI_SCENE_H
#define SK_TUI_SCENE_H

#include "client/luck.h"
#include "client/tui/boardview.h"
#include "client/tui/field.h"
#include "client/tui/film.h"
#include "client/tui/keymap.h"
#include "client/tui/log.h"

enum scene_kind { SCENE_MATCH, SCENE_WATCH, SCENE_HOTSEAT, SCENE_REPLAY };

struct scene_player {
    const char *name;   /* "" unknown. Borrowed */
    bool known, online; /* known: presence was told */
    int64_t away_ms;
    bool has_left;
    int64_t left_ms;
};
struct scene {
    enum scene_kind kind;
    const struct audit *a;       /* with a board; borrowed */
    const struct rules_state *s; /* the position shown; borrowed */
    enum rules_side me;          /* who orders here; RULES_NOBODY */
    bool may_order, busy;
    bool went_back; /* the server did, and waits for our word (DICE D7) */
    bool offered;   /* the other side offers something: yes or no */
    struct scene_player player[2];
    uint8_t running; /* whose clock; RULES_NOBODY */
    unsigned spectators;
    uint32_t behind;          /* phases that what we see is old */
    bool lobby;               /* leaving goes back to a lobby */
    const char *match;        /* number or id; borrowed */
    const char *dice;         /* "dice checked"; borrowed */
    bool dice_bad, dice_none; /* they don't check; none was checked yet */
    const char *kept;         /* the order that waits for the line, as typed; "" none. Borrowed */
    const char *status;       /* one line about the link, "" fine; borrowed */
    const struct log *log;
    const struct film *film;
    const struct luck *luck;
    size_t at; /* frame shown; film->n: now */
    bool running_film;
    int speed_ms;        /* of the replay, a step */
    bool can[ACT_COUNT]; /* what may be done now */
};

/* Where the player is on the screen. */
enum table_over { TABLE_BOARD, TABLE_HELP, TABLE_INFO, TABLE_LOG, TABLE_LUCK };
enum table_prompt { PROMPT_NONE, PROMPT_ORDER, PROMPT_SAY, PROMPT_SAY_ALL, PROMPT_TURN };
struct table {
    struct select select;
    struct boardplace place;
    bool zoom_set, large;
    int log_back;  /* rows scrolled back */
    int list_from; /* first figure row */
    enum table_over over;
    int over_at;              /* rows scrolled */
    enum table_prompt prompt; /* what is being typed */
    struct field field;
    uint8_t ask;    /* enum action that waits for yes or no; ACT_NONE */
    char note[400]; /* the answer to the last key: one line */
    bool note_bad;
};

#endif
