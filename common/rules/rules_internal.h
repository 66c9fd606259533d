/* SPDX-License-Identifier: ISC
 * rules_internal.h -- what the files of common/rules share and nobody else sees.
 */
#ifndef SK_RULES_INTERNAL_H
#define SK_RULES_INTERNAL_H

#include "common/rules/rules.h"

/*
 * One decision under way: `s` starts as a copy of the position and follows the events as they are
 * emitted, through the same rules_apply that everybody else uses.
 */
struct rules_ctx {
    const struct rules_board *b;
    struct rules_state s;
    struct rules_dice *dice;
    struct rules_outcome *out;
};

/* Who stands where: per square the figures in rank order as a list. Built when it is needed. */
struct rules_grid {
    uint16_t first[RULES_SQUARES_MAX];
    uint16_t next[RULES_FIGURES_MAX];
};
void rules_grid_build(const struct rules_board *b, const struct rules_state *s,
                      struct rules_grid *g);

/* Next die into *face, or RULES_E_DICE. */
NODISCARD enum rules_err rules_roll(struct rules_ctx *c, uint8_t *face);
/* Append an item; RULES_E_ROOM. */
NODISCARD enum rules_err rules_put(struct rules_ctx *c, union rules_item item);
/* Append the event and apply it to c->s. */
NODISCARD enum rules_err rules_emit(struct rules_ctx *c, const struct rules_event *ev);
/* The same for arrivals, fall-backs, moves, volleys and hand-to-hand: then look whether somebody has
 * won at once (R42). */
NODISCARD enum rules_err rules_emit_judged(struct rules_ctx *c, const struct rules_event *ev);
/* Why a figure of this status takes no order; RULES_WHY_NONE: it may. */
enum rules_why rules_why_not_ready(const struct rules_state *s, unsigned figure);
/* Set the refusal and return RULES_E_ILLEGAL. */
enum rules_err rules_refuse(struct rules_refusal *r, enum rules_why why, unsigned figure,
                            uint16_t square);

/* What a path meets in a square, for `side`. */
bool rules_has_enemy(const struct rules_board *b, const struct rules_state *s, uint16_t sq,
                     enum rules_side side);
unsigned rules_count_at(const struct rules_board *b, const struct rules_state *s, uint16_t sq);
/* May `group` figures like `figure` come to stand in `sq` beside who is there now (R13, R17)? The
 * movers must not be there; enemies and ground are the caller's question. */
bool rules_has_room(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                    uint16_t sq, unsigned group);

/* The orders and stages, one file each. */
NODISCARD enum rules_err rules_do_move(struct rules_ctx *c, const struct rules_order *o);
NODISCARD enum rules_err rules_do_turn(struct rules_ctx *c, const struct rules_order *o);
NODISCARD enum rules_err rules_do_fire(struct rules_ctx *c, const struct rules_order *o);
NODISCARD enum rules_err rules_do_start(struct rules_ctx *c);
NODISCARD enum rules_err rules_do_end_phase(struct rules_ctx *c);
NODISCARD enum rules_err rules_do_arrivals(struct rules_ctx *c, enum rules_side side);
NODISCARD enum rules_err rules_do_morale(struct rules_ctx *c, enum rules_side side);
NODISCARD enum rules_err rules_do_melee(struct rules_ctx *c);
NODISCARD enum rules_err rules_win_end_of_turn(struct rules_ctx *c);

/* R38: the way round for a routing figure, as steps; 0 when there is none. `way` has room for
 * RULES_PATH_MAX steps, the last of which may leave the board (RULES_NO_SQUARE). */
unsigned rules_way_round(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                         enum rules_dir dir, uint16_t way[RULES_PATH_MAX]);

static inline enum rules_dir rules_turn_by(unsigned dir, unsigned quarters)
{
    return (enum rules_dir)((dir + quarters) % 4);
}
static inline bool rules_on_board(const struct rules_state *s, unsigned f)
{
    return s->at[f] != RULES_NO_SQUARE;
}
static inline bool rules_in_set(const uint64_t *set, unsigned bit)
{
    return (set[bit / 64] >> (bit % 64) & 1) != 0;
}

/* The square's name at `at`, RULES_SQUARE_NAME - 1 bytes at most and no NUL; returns its end. */
char *rules_put_square(const struct rules_board *b, uint16_t sq, char *at);

#endif
