/* SPDX-License-Identifier: ISC
 * rules.h -- the whole game as pure functions.
 *
 * No I/O, clock, heap, globals, floats or recursion: equal inputs give equal outputs on every
 * machine, so referee, client, verifier, bots and simulators link it as it is. Rule numbers are
 * those of RULES.md. An index or enumerator that the caller passes must be in range; an order's
 * contents may be anything.
 */
#ifndef SK_RULES_H
#define SK_RULES_H

#include "common/rules/rules_types.h"

/* The version of these rules; journaled matches pin it. */
#define RULES_VERSION 1

/* ---- board ---- */

static inline bool rules_is_soldier(enum rules_type type)
{
    return type <= RULES_MOUNTED;
}
static inline enum rules_side rules_enemy(enum rules_side side)
{
    return side == RULES_A ? RULES_B : RULES_A;
}
static inline unsigned rules_squares(const struct rules_board *b)
{
    return (unsigned)b->w * b->h;
}
/* The square next to `sq` in direction `dir`, RULES_NO_SQUARE off the board. */
uint16_t rules_step(const struct rules_board *b, uint16_t sq, enum rules_dir dir);
/* The obstacle on the edge of `sq` towards `dir` (R4). */
enum rules_obstacle rules_obstacle_at(const struct rules_board *b, uint16_t sq, enum rules_dir dir);
/* Ground that nobody enters (R3). */
bool rules_is_impassable(const struct rules_board *b, uint16_t sq);
/* Squares a figure may move in a turn (R7): open ground, or with a climb in the path. */
unsigned rules_allowance(const struct rules_board *b, unsigned figure, bool uphill);
/* Distance from `sq` to the board's edge `dir`: 0 on it. */
unsigned rules_edge_distance(const struct rules_board *b, uint16_t sq, enum rules_dir dir);
/* "c4" into out[6]; "-" for RULES_NO_SQUARE. Returns out. */
#define RULES_SQUARE_NAME 6
char *rules_square_name(const struct rules_board *b, uint16_t sq, char out[RULES_SQUARE_NAME]);
/* The square called `name` ("c4"); RULES_NO_SQUARE when the board hasn't it or it isn't a name. */
uint16_t rules_square_parse(const struct rules_board *b, const char *name);
/* The figure whose id is `id`, or RULES_NO_FIGURE. */
uint16_t rules_figure_find(const struct rules_board *b, const char *id);
/* Does an `exit` condition of `side` name the edge (R45)? */
bool rules_may_exit(const struct rules_board *b, enum rules_side side, enum rules_dir edge);

/* ---- position ---- */

/* The position before the first turn. */
void rules_begin(const struct rules_board *b, struct rules_state *s);
static inline bool rules_is_over(const struct rules_state *s)
{
    return s->reason != RULES_BY_NOTHING;
}
/* Has `sq` fired this turn (R23)? */
static inline bool rules_has_fired(const struct rules_state *s, uint16_t sq)
{
    return (s->fired[sq / 64] >> (sq % 64) & 1) != 0;
}
/* Could the figure be given an order now, its side's phase granted (R46)? */
bool rules_can_act(const struct rules_board *b, const struct rules_state *s, unsigned figure);
/* Figures in `sq` in rank order into out[RULES_STACK_MAX]; returns how many. */
unsigned rules_at(const struct rules_board *b, const struct rules_state *s, uint16_t sq,
                  uint8_t out[RULES_STACK_MAX]);
/* Soldiers of the side killed so far, and the roster that morale counts (R32, R50). */
unsigned rules_killed(const struct rules_board *b, const struct rules_state *s,
                      enum rules_side side);
unsigned rules_roster(const struct rules_board *b, const struct rules_state *s,
                      enum rules_side side);
/* SHA-256 of the canonical form (PROTOCOL.md, State). */
void rules_hash(const struct rules_board *b, const struct rules_state *s,
                uint8_t out[RULES_HASH_LEN]);

/* ---- play ---- */

/*
 * Decide `o` on position `s`: what happens is appended to `out`, the dice used are taken from
 * `dice`; `s` is not changed. Kinds: RULES_DO_START on the position of rules_begin; all orders but
 * RULES_DO_UNDO, which needs a game.
 * RULES_E_ILLEGAL out->refusal says why · RULES_E_DICE too few dice · RULES_E_ROOM arrays too small
 * On error out's lengths and dice->used are as they were.
 */
NODISCARD enum rules_err rules_decide(const struct rules_board *b, const struct rules_state *s,
                                      const struct rules_order *o, struct rules_dice *dice,
                                      struct rules_outcome *out);

/*
 * Apply an event decided on (or journaled for) this position. `items` is the array that the
 * event's `item` indexes. RULES_EV_UNDO needs a game. Cannot fail for an event that fits; one that
 * doesn't is the caller's bug or a bad record: check it with rules_decide.
 */
void rules_apply(const struct rules_board *b, struct rules_state *s, const struct rules_event *ev,
                 const union rules_item *items);

/* Set `g` up before the first turn; borrows board and the undo array. */
void rules_game_begin(struct rules_game *g, const struct rules_board *b, struct rules_undo *undo,
                      uint32_t undo_cap);
/* As rules_decide, and RULES_DO_UNDO (R48). */
NODISCARD enum rules_err rules_game_decide(const struct rules_game *g, const struct rules_order *o,
                                           struct rules_dice *dice, struct rules_outcome *out);
/*
 * As rules_apply, keeping book of what may be taken back: a move or turn is remembered under
 * `tag` (the caller's name for the order: seq of its entry, or its index), a die or the end of a
 * phase forgets them all, an undo restores. RULES_E_ROOM: the undo array is full, nothing changed.
 * RULES_E_ILLEGAL: an undo of another tag than the newest, nothing changed.
 */
NODISCARD enum rules_err rules_game_apply(struct rules_game *g, uint32_t tag,
                                          const struct rules_event *ev,
                                          const union rules_item *items);
/* The newest position behind which no undo reaches. */
void rules_game_base(const struct rules_game *g, struct rules_state *out);
/* The rule that a refusal cites: 13 for R13. */
unsigned rules_why_rule(enum rules_why why);

/* ---- what could be done ---- */

/* One square that a figure may move to; path[n-1] is it. */
struct rules_to {
    uint16_t at;
    uint8_t n;
    uint8_t crosses; /* 1: one step over an obstacle (R16) */
    uint16_t path[RULES_PATH_MAX];
};
/* A square within the allowance that it may not move to, and why. */
struct rules_not {
    uint16_t at;
    uint8_t why; /* enum rules_why */
};
#define RULES_REACH_MAX 64 /* squares within 5 steps, itself left out: 60 */
struct rules_reach {
    uint8_t n_to, n_not;
    uint8_t exits;        /* bit per edge that it can leave by, RULES_N.. */
    uint8_t turn;         /* 1: may turn in place */
    uint8_t why;          /* why it can't act at all, else RULES_WHY_NONE */
    uint16_t exit_via[4]; /* last square before the edge; the path is that square's in `to` */
    struct rules_to to[RULES_REACH_MAX];
    struct rules_not no[RULES_REACH_MAX];
};
/* Where `figure` may go now by an order of its side (its own phase granted or not). */
void rules_reach(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                 struct rules_reach *out);

/* A volley that could be ordered from `square` towards `face`. */
struct rules_aim {
    uint16_t square, target;
    uint8_t face, range, to_hit, to_save, n;
    struct rules_shot shot[RULES_STACK_MAX]; /* figure and at; the rest 0 */
};
/* RULES_OK and *out, or RULES_E_ILLEGAL and *no. */
NODISCARD enum rules_err rules_aim(const struct rules_board *b, const struct rules_state *s,
                                   uint16_t square, enum rules_dir face, struct rules_aim *out,
                                   struct rules_refusal *no);

/* ---- odds, exact ---- */

/* That a shot needing `to_hit` hits; and that it kills one who saves on `to_save` or more. */
struct rules_odds rules_odds_hit(unsigned to_hit);
struct rules_odds rules_odds_kill(unsigned to_hit, unsigned to_save);
/* Bonus of `figure` against `against` in a pairing (R28). */
unsigned rules_melee_bonus(const struct rules_board *b, const struct rules_state *s,
                           unsigned figure, unsigned against);
/* Of 36 throws in a pairing with these bonuses: how many the first wins, and loses. */
void rules_odds_pairing(unsigned bonus, unsigned against, unsigned *wins, unsigned *loses);
/*
 * That `figure` falls in the hand-to-hand if it were fought now; 0 in 1 without a pairing. Exact up
 * to 16 pairings; beyond that (a lone 3in figure amid six full squares or more) of the first 16.
 */
struct rules_odds rules_odds_melee(const struct rules_board *b, const struct rules_state *s,
                                   unsigned figure);
/* Of 6 throws with `bonus`: how many give each result. */
void rules_odds_morale(unsigned bonus, unsigned of_six[4]);

#endif
