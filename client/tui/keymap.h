/* SPDX-License-Identifier: ISC
 * keymap.h -- every action, the keys it has, and where it may be done: one table.
 *
 * Help, hints and the manual are made from it; the config changes its keys. Pure.
 */
#ifndef SK_TUI_KEYMAP_H
#define SK_TUI_KEYMAP_H

#include "common/base/buf.h"

/* A key is a code point, or one of these. */
enum key {
    KEY_BASE = 0x110000,
    KEY_K_UP,
    KEY_K_DOWN,
    KEY_K_LEFT,
    KEY_K_RIGHT,
    KEY_K_SHIFT_UP,
    KEY_K_SHIFT_DOWN,
    KEY_K_SHIFT_LEFT,
    KEY_K_SHIFT_RIGHT,
    KEY_K_HOME,
    KEY_K_END,
    KEY_K_PAGE_UP,
    KEY_K_PAGE_DOWN,
    KEY_K_BACK_TAB,
    KEY_K_BACKSPACE,
    KEY_K_DELETE,
    KEY_K_INSERT,
    KEY_K_F1,
    KEY_K_F12 = KEY_K_F1 + 11,
    KEY_K_MOUSE,  /* a click: where is told beside */
    KEY_K_RESIZE, /* the window has another size */
    KEY_K_COUNT
};
#define KEY_K_ESC   0x1bU
#define KEY_K_ENTER 0x0dU
#define KEY_K_TAB   0x09U
#define KEY_CTRL(c) ((uint32_t)(c)&0x1fU)

/* Where keys may mean different things. */
#define CTX_LOBBY    1U
#define CTX_LIST     2U /* scenarios, ladder, history, watchers */
#define CTX_MATCH    4U
#define CTX_REPLAY   8U
#define CTX_ASK      16U /* a question to be answered */
#define CTX_ALL      31U
#define CTX_SIDEWAYS (CTX_ALL & ~CTX_LOBBY) /* where left and right mean something */

/* X(enumerator, name in the config, contexts, keys by default, what it does) */
#define ACTION_TABLE(X)                                                                            \
    X(ACT_COMMAND, "command", CTX_LOBBY | CTX_MATCH | CTX_REPLAY, ":", "type an order or command") \
    X(ACT_FACE_N, "face-north", CTX_MATCH, "K S-Up", "face north at the end of the move")          \
    X(ACT_FACE_E, "face-east", CTX_MATCH, "L S-Right", "face east")                                \
    X(ACT_FACE_S, "face-south", CTX_MATCH, "J S-Down", "face south")                               \
    X(ACT_FACE_W, "face-west", CTX_MATCH, "H S-Left", "face west")                                 \
    X(ACT_FIRE, "fire", CTX_MATCH, "f", "aim; again: fire")                                        \
    X(ACT_EXIT, "exit", CTX_MATCH, "x", "leave the board from the square at the cursor")           \
    X(ACT_GROUP, "group", CTX_MATCH, "g", "all of the square, or one (3in)")                       \
    X(ACT_UNDO, "undo", CTX_MATCH, "u", "take the last move back")                                 \
    X(ACT_END_PHASE, "end-phase", CTX_MATCH, "e", "end the phase")                                 \
    X(ACT_REVIEW, "review", CTX_MATCH, "r", "see again what the other side just did")              \
    X(ACT_BACK, "step-back", CTX_MATCH | CTX_REPLAY, "[", "a step back in the game")               \
    X(ACT_FORTH, "step-on", CTX_MATCH | CTX_REPLAY, "]", "a step on")                              \
    X(ACT_ZOOM, "zoom", CTX_MATCH | CTX_REPLAY, "z", "larger or smaller squares")                  \
    X(ACT_INFO, "info", CTX_MATCH | CTX_REPLAY, "i", "the scenario: who wins how, the signs")      \
    X(ACT_LOG, "log", CTX_MATCH | CTX_REPLAY, "o", "the log over the whole screen, or small")      \
    X(ACT_TALK, "talk", CTX_MATCH, "t", "say something to the players")                            \
    X(ACT_TALK_ALL, "talk-all", CTX_MATCH, "T", "say something to all who look on")                \
    X(ACT_YES, "yes", CTX_ASK | CTX_MATCH | CTX_LOBBY, "y", "yes; accept what is offered")         \
    X(ACT_NO, "no", CTX_ASK | CTX_MATCH | CTX_LOBBY, "n", "no; decline it")                        \
    X(ACT_DRAW, "offer-draw", CTX_MATCH, "D", "offer a draw")                                      \
    X(ACT_PAUSE, "offer-pause", CTX_MATCH, "P", "offer a pause")                                   \
    X(ACT_ASK_UNDO, "ask-undo", CTX_MATCH, "U", "ask to take back behind a die")                   \
    X(ACT_RESIGN, "resign", CTX_MATCH, "R", "resign")                                              \
    X(ACT_CLAIM, "claim", CTX_MATCH, "A", "claim the game of an absent player")                    \
    X(ACT_GO_ON, "go-on", CTX_MATCH, "O", "go on with a server that went back")                    \
    X(ACT_PLAY, "play", CTX_REPLAY, "p", "run or stop")                                            \
    X(ACT_FASTER, "faster", CTX_REPLAY, "+ =", "faster")                                           \
    X(ACT_SLOWER, "slower", CTX_REPLAY, "-", "slower")                                             \
    X(ACT_JUMP, "jump", CTX_REPLAY, "g", "jump to a turn")                                         \
    X(ACT_LUCK, "luck", CTX_REPLAY, "u", "how the dice fell")                                      \
    X(ACT_CREATE, "create", CTX_LOBBY | CTX_LIST, "c", "open a match; challenge a player")         \
    X(ACT_JOIN, "join", CTX_LOBBY, "a", "sit down at the match at the cursor")                     \
    X(ACT_WATCH, "watch", CTX_LOBBY, "w", "look on at the match at the cursor")                    \
    X(ACT_SCENARIOS, "scenarios", CTX_LOBBY, "s", "scenarios with map and forces")                 \
    X(ACT_LADDER, "ladder", CTX_LOBBY, "l", "the rated players, best first")                       \
    X(ACT_PROFILE, "profile", CTX_LOBBY, "h", "your profile and finished games")                   \
    X(ACT_PEOPLE, "people", CTX_LOBBY, "i", "who is here")                                         \
    X(ACT_HISTORY, "history", CTX_LOBBY, "H", "games that are over")                               \
    X(ACT_AGAINST, "against", CTX_LIST, "v", "of a player: only games against you, or all")        \
    X(ACT_SOLO, "bot", CTX_LOBBY, "p", "play the bot here, off the net")                           \
    X(ACT_WITHDRAW, "withdraw", CTX_LOBBY, "d", "take back your open match")                       \
    X(ACT_UP, "up", CTX_ALL, "Up k", "cursor up")                                                  \
    X(ACT_DOWN, "down", CTX_ALL, "Down j", "cursor down")                                          \
    X(ACT_LEFT, "left", CTX_SIDEWAYS, "Left h", "cursor left; in a replay, a step back")           \
    X(ACT_RIGHT, "right", CTX_SIDEWAYS, "Right l", "cursor right; in a replay, a step on")         \
    X(ACT_NEXT, "next", CTX_ALL, "Tab", "next figure that can act, or next part")                  \
    X(ACT_PREV, "previous", CTX_ALL, "S-Tab", "the one before")                                    \
    X(ACT_CHOOSE, "choose", CTX_ALL, "Enter Space", "choose what is at the cursor; do it")         \
    X(ACT_CANCEL, "cancel", CTX_ALL, "Esc", "leave off; back to now")                              \
    X(ACT_PAGE_UP, "page-up", CTX_ALL, "PgUp C-b", "a page up; in a match, older log")             \
    X(ACT_PAGE_DOWN, "page-down", CTX_ALL, "PgDn C-f", "a page down; newer log")                   \
    X(ACT_HOME, "first", CTX_ALL, "Home", "to the first; looking back, to move one")               \
    X(ACT_END, "last", CTX_ALL, "End G", "to the last")                                            \
    X(ACT_HELP, "help", CTX_ALL, "? F1", "this help")                                              \
    X(ACT_REDRAW, "redraw", CTX_ALL, "C-l", "draw the screen anew")                                \
    X(ACT_QUIT, "quit", CTX_ALL, "q", "back; from the lobby, leave")

enum action {
    ACT_NONE,
#define X(name, word, ctx, keys, help) name,
    ACTION_TABLE(X)
#undef X
        ACT_COUNT,
    /* not keys: what zones mean */
    ZONE_SQUARE = ACT_COUNT, /* arg: square */
    ZONE_FIGURE,             /* arg: figure */
    ZONE_ROW                 /* arg: row of a list */
};

#define KEYMAP_KEYS 4 /* keys of one action */
struct keymap {
    uint32_t key[ACT_COUNT][KEYMAP_KEYS]; /* 0: none */
};

void keymap_init(struct keymap *km);
/* "fire" to "f F2": all keys of that action anew; they are taken from other actions of its
 * contexts. False with why[]. */
#define KEYMAP_WHY_LEN 120
NODISCARD bool keymap_set(struct keymap *km, const char *action, const char *keys,
                          char why[KEYMAP_WHY_LEN]);
/* What the key means in a context; ACT_NONE. */
enum action keymap_find(const struct keymap *km, unsigned ctx, uint32_t key);
const char *action_name(enum action a);
const char *action_help(enum action a);
unsigned action_contexts(enum action a);
/* "Up k"; appended. */
void keymap_keys(const struct keymap *km, enum action a, struct buf *out);
/* The first key of an action alone, "" for none; appended. */
void keymap_key(const struct keymap *km, enum action a, struct buf *out);

/* "S-Tab" and back; 0: no such key. */
void keymap_key_name(uint32_t key, struct buf *out);
uint32_t keymap_key_parse(const char *name);

#endif
