/* SPDX-License-Identifier: ISC
 * select.h -- choosing figures and what they are to do, before it is ordered.
 *
 * Holds the cursor, the chosen figures (all of one square), where they may go, what they could
 * fire at, and why not. Pure: the rules are asked, nothing is sent. After the position has changed:
 * select_refresh.
 */
#ifndef SK_TUI_SELECT_H
#define SK_TUI_SELECT_H

#include "common/base/buf.h"
#include "proto/scenario.h"

struct select {
    uint16_t cursor; /* square */
    bool aiming;     /* choosing what to fire at */
    uint8_t face;    /* wanted at the end of a move or turn; RULES_NO_DIR: as it comes */
    uint8_t aim_face;
    uint8_t n; /* chosen figures, in rank order; 0: none */
    uint16_t figure[RULES_STACK_MAX];
    struct rules_reach reach; /* of the first chosen; with more, only what all may do */
    bool has_aim[4];
    struct rules_aim aim[4];         /* by facing, from the chosen figures' square */
    struct rules_refusal aim_why[4]; /* where has_aim is off */
};

/* What all functions look at; borrowed. */
struct select_place {
    const struct scenario *scn;
    const struct rules_board *board;
    const struct rules_state *state;
    enum rules_side side; /* who chooses; RULES_NOBODY: may look only */
};

/* Cursor near the middle, nothing chosen. */
void select_init(struct select *s, const struct rules_board *b);
void select_clear(struct select *s);
/* After a change: what is gone or can't act any more is no longer chosen. */
void select_refresh(struct select *s, const struct select_place *at);
/* Choose a figure, the cursor goes there. One that isn't ours, or can't act, is only looked at. */
void select_figure(struct select *s, const struct select_place *at, unsigned figure);
/* The next (+1) or previous (-1) figure of ours that can act. False: there is none. */
bool select_next(struct select *s, const struct select_place *at, int way);
/* All figures of the square that can act, or the first alone again. */
void select_group(struct select *s, const struct select_place *at);
/* Move the cursor, held on the board. */
void select_move(struct select *s, const struct rules_board *b, int dx, int dy);
/* Is the figure chosen? */
bool select_has(const struct select *s, unsigned figure);

/* Of the square: the way there, or NULL; why not (RULES_WHY_NONE: out of sight of the question). */
const struct rules_to *select_to(const struct select *s, uint16_t sq);
enum rules_why select_why(const struct select *s, uint16_t sq);
/* Is an enemy in the square under fire of the chosen, by their facing? *face. */
bool select_targets(const struct select *s, const struct select_place *at, uint16_t sq,
                    uint8_t *face);

enum select_act {
    SELECT_NOTHING, /* nothing to order; why[] */
    SELECT_LOOK,    /* another figure was chosen, or the cursor moved */
    SELECT_ORDER    /* *order is it */
};
/* Enter, or a click, at the cursor: choose the figure there, or order the chosen ones there. */
enum select_act select_choose(struct select *s, const struct select_place *at,
                              struct rules_order *order, struct buf *why);
/* Aim, and once aimed, fire. */
enum select_act select_fire(struct select *s, const struct select_place *at,
                            struct rules_order *order, struct buf *why);
/* Off the board from the square at the cursor. */
enum select_act select_exit(struct select *s, const struct select_place *at,
                            struct rules_order *order, struct buf *why);
/* What the chosen may do and what the cursor's square means, in sentences; appended. */
void select_words(const struct select *s, const struct select_place *at, struct buf *out);
/* One line: who stands at the cursor, ground, height, obstacles; appended. */
void select_square_words(const struct select *s, const struct select_place *at, struct buf *out);
/* Figures of `side` that can act. */
unsigned select_ready(const struct select_place *at, enum rules_side side);

#endif
