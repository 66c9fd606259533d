/* SPDX-License-Identifier: ISC
 * online_impl.h -- what the files of the full screen at a server share and nobody else sees.
 */
#ifndef SK_TUI_ONLINE_IMPL_H
#define SK_TUI_ONLINE_IMPL_H

#include "client/app.h"
#include "client/club.h"
#include "client/tui/form.h"
#include "client/tui/online.h"
#include "client/tui/play_table.h"
#include "client/tui/view_lobby.h"

enum online_at {
    ONLINE_LOBBY,
    ONLINE_SCENARIOS,
    ONLINE_CREATE,
    ONLINE_HISTORY, /* games that are over */
    ONLINE_LADDER,
    ONLINE_PEOPLE,
    ONLINE_PROFILE,
    ONLINE_HELP,
    ONLINE_TABLE
};
enum create_row {
    CREATE_SIDE,
    CREATE_CLOCK,
    CREATE_DICE,
    CREATE_RATED,
    CREATE_PRIVATE,
    CREATE_DELAY,
    CREATE_SPECTATORS,
    CREATE_WITH
};

/* A list over the lobby. */
struct pane {
    struct online *o;          /* whose it is */
    char **row;                /* owned rows, */
    char (*key)[MATCH_ID_HEX]; /* and the match or player that each is */
    unsigned n;
    enum online_at back;       /* of a player: where we came from */
    char player[NAME_LEN + 1]; /* whose profile it is */
    bool pair;                 /* only their games against us */
    struct buf profile, head;
    struct club_score score;
};

struct online {
    const struct options *opt;
    const struct settings *set;
    const struct online_solo *with; /* a bot for our match; NULL: none */
    struct app *app;
    struct shell *shell;
    struct scenario_set scenarios;
    struct pane pane;
    struct lobby_place place;
    struct list_page page;
    struct mono retry_at;
    struct seat_wish wish; /* its strings in text */
    struct play_table table;
    struct film past; /* of the match's beginning, while it is fetched */
    struct luck past_luck;
    struct form form;
    struct lobby lobby;
    enum online_at at;
    unsigned scenario, tries;
    int help_from;
    bool has_lobby;  /* leaving a match goes back to it */
    bool wants_solo; /* left to play the bot */
    bool bot_called, down;
    bool has_table, must_stand, my_turn;
    char note[240], why[160], status[240];
    char text[3][64];
    char match[MATCH_ID_HEX];
    char rival[NAME_LEN + 1]; /* whom the match to be opened is for, "" anybody */
};

extern const struct screen online_lobby_screen;

void online_note(struct online *o, const char *text);
/* "", or what is wrong with the link; with the seconds till the next try. */
const char *online_status(struct online *o);
/* Ask for the lobby's lists anew. */
void online_refresh(struct online *o);
void online_to_lobby(struct online *o);

/* ---- online_lobby.c ---- */
void online_lobby_draw(struct online *o, struct canvas *c);
void online_lobby_key(struct online *o, uint32_t key);
void online_lobby_click(struct online *o, const struct zone *z, const struct term_event *ev);
void online_lobby_note(struct online *o, enum msg_note note, const struct json *params);

/* ---- online_club.c ---- */
/* Show a list; `player`: whose profile, with ONLINE_PROFILE. */
void online_pane(struct online *o, enum online_at at, const char *player);
/* Who is here, anew. */
void online_people(struct online *o);
/* False: the action means nothing special there. */
bool online_pane_action(struct online *o, enum action act);
void online_pane_draw(struct online *o, struct canvas *c);
void online_pane_fini(struct online *o);

/* ---- online_match.c ---- */
struct seat_hooks online_seat_hooks(struct online *o);
/* Show the table of o->wish; `sit`: and take the place. */
void online_sit(struct online *o, bool sit);
/* Leave the table. */
void online_stand(struct online *o);

#endif
