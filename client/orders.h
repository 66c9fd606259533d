/* SPDX-License-Identifier: ISC
 * orders.h -- the typed language: orders and questions, the same in line mode, scripts and the
 * full screen's prompt. Pure.
 */
#ifndef SK_CLIENT_ORDERS_H
#define SK_CLIENT_ORDERS_H

#include "common/base/buf.h"
#include "proto/scenario.h"

/* X(enumerator, word, short form or NULL, is an order, usage, what it does) */
#define COMMAND_TABLE(X)                                                                           \
    X(COMMAND_MOVE, "move", "m", true, "m FIGURES SQUARE... [FACING]",                             \
      "move along these squares, or by the shortest way to one: m r1 b3 b4 n; m r1,r2 b4")         \
    X(COMMAND_FIRE, "fire", "f", true, "f SQUARE FACING | f FIGURE",                               \
      "fire a volley from a square: f c4 n; f r3 fires the way R3 faces")                          \
    X(COMMAND_TURN, "turn", "t", true, "t FIGURES FACING", "turn in place: t r1 e")                \
    X(COMMAND_UNDO, "undo", "u", true, "u", "take back the newest move since the last die")        \
    X(COMMAND_END, "end", "e", true, "e", "end your phase")                                        \
    X(COMMAND_LEGAL, "legal", NULL, false, "legal [FIGURE]",                                       \
      "where a figure may go, or who may act at all")                                              \
    X(COMMAND_ODDS, "odds", NULL, false, "odds FIGURE [FACING]", "the odds of its shot")           \
    X(COMMAND_LOOK, "look", NULL, false, "look SQUARE|FIGURE",                                     \
      "what a square is, who stands there, and who is near, how far and which way")                \
    X(COMMAND_GROUND, "ground", NULL, false, "ground", "the ground of the whole board, in words")  \
    X(COMMAND_BOARD, "board", "b", false, "board", "draw the board")                               \
    X(COMMAND_FIGURES, "figures", NULL, false, "figures", "both forces, figure by figure")         \
    X(COMMAND_GOALS, "goals", NULL, false, "goals", "who wins how")                                \
    X(COMMAND_LOG, "log", NULL, false, "log [N]", "the last N sentences of the game (10)")         \
    X(COMMAND_STATUS, "status", NULL, false, "status", "turn, phase, strength")                    \
    X(COMMAND_CLOCK, "clock", NULL, false, "clock", "time left")                                   \
    X(COMMAND_WHO, "who", NULL, false, "who", "who plays, who is there")                           \
    X(COMMAND_DICE, "dice", NULL, false, "dice", "what was checked, and the journal's hash")       \
    X(COMMAND_SAY, "say", NULL, false, "say TEXT", "chat to the other player")                     \
    X(COMMAND_SAY_ALL, "shout", NULL, false, "shout TEXT", "chat to spectators too")               \
    X(COMMAND_DRAW, "draw", NULL, false, "draw", "offer a draw")                                   \
    X(COMMAND_PAUSE, "pause", NULL, false, "pause", "offer a pause, or to go on after one")        \
    X(COMMAND_TAKEBACK, "takeback", NULL, false, "takeback",                                       \
      "offer to take your newest order back, past its dice")                                       \
    X(COMMAND_REMATCH, "rematch", NULL, false, "rematch",                                          \
      "after the end: challenge the same player, sides swapped")                                   \
    X(COMMAND_ACCEPT, "accept", NULL, false, "accept", "accept the other side's newest offer")     \
    X(COMMAND_DECLINE, "decline", NULL, false, "decline", "decline it")                            \
    X(COMMAND_RESIGN, "resign", NULL, false, "resign [yes]",                                       \
      "give the game up; yes: without being asked again")                                          \
    X(COMMAND_CLAIM, "claim", NULL, false, "claim", "claim the game from one who stays away")      \
    X(COMMAND_GO_ON, "go", NULL, false, "go on", "go on with a server that went back")             \
    X(COMMAND_HELP, "help", "?", false, "?", "this list")                                          \
    X(COMMAND_QUIT, "quit", "q", false, "quit", "leave; the match goes on and waits for you")

enum command_kind {
#define X(name, word, brief, order, usage, help) name,
    COMMAND_TABLE(X)
#undef X
        COMMAND_COUNT
};

struct said {
    uint8_t kind; /* enum command_kind; COMMAND_COUNT: a blank line or # comment */
    struct rules_order order;
    struct rules_refusal no; /* move: only the end was given and there is no way; else zero */
    uint16_t figure;         /* legal, odds; RULES_NO_FIGURE: none given */
    uint16_t square;         /* look */
    uint8_t face;            /* odds; RULES_NO_DIR: none given */
    uint16_t number;         /* log; resign: 1 with yes */
    char text[1700];         /* say */
};

/* Where orders are understood. `scn` NULL: nothing is known of the match yet. */
struct orders_place {
    const struct scenario *scn;
    const struct rules_board *board;
    const struct rules_state *state;
    enum rules_side side;
};

/* What the line's first word asks for: COMMAND_COUNT with true for a blank line, false for an
 * unknown word. */
bool orders_kind(const char *line, enum command_kind *kind);
bool orders_is_order(enum command_kind kind);
/*
 * Read a line. ERR_USAGE: `why` has a sentence that says what is wrong and what would be right.
 * That the rules allow an order isn't checked here.
 */
NODISCARD enum err orders_parse(const struct orders_place *at, const char *line, struct said *out,
                                struct buf *why);
/* The order as it would be typed, "m r1 b3 b4 n"; appended. */
void orders_print(const struct scenario *scn, const struct rules_order *o, struct buf *out);
/* The whole language, a line each. */
void orders_help(struct buf *out);

#endif
