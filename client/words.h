/* SPDX-License-Identifier: ISC
 * words.h -- the game in plain sentences, for the ear as for the eye.
 *
 * Every line stands alone and every die is told; the first side's figures are written in upper
 * case, as on the board. Pure; appended to `out`, without line ends unless said.
 */
#ifndef SK_CLIENT_WORDS_H
#define SK_CLIENT_WORDS_H

#include "client/audit.h"

/* Text of strangers: what a terminal must not see is written as '?'. */
void words_safe(const char *text, struct buf *out);
/* "R1", "n4". */
void words_id(const struct scenario *scn, unsigned figure, struct buf *out);
/* "R3 commander (Lt Dupont) f3 north". */
void words_figure(const struct scenario *scn, const struct rules_state *s, unsigned figure,
                  struct buf *out);
/* "Four figures ready: R1 b3 north, ..."; "No figure is ready." */
void words_ready(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, enum rules_side side, struct buf *out);
/* "Turn 3. Red's phase (you). Red has 4 of 6 soldiers, Blue 6 of 6." */
void words_position(const struct audit *a, enum rules_side me, struct buf *out);
/* The newest entry, as sentences; nothing for those that say nothing to people. `me`: our side,
 * RULES_NOBODY for spectators. */
void words_entry(const struct audit *a, enum rules_side me, struct buf *out);
/* One event of play, on the position behind it. */
void words_event(const struct audit *a, const struct rules_event *ev, const union rules_item *items,
                 struct buf *out);
/* "1 in 3". */
void words_odds(struct rules_odds odds, struct buf *out);
/* What `figure` sees along `face`, with the odds of each shot, or why there is none. */
void words_aim(const struct scenario *scn, const struct rules_board *b, const struct rules_state *s,
               unsigned figure, enum rules_dir face, struct buf *out);
/* Where `figure` may go and fire: several sentences. */
void words_legal(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, unsigned figure, struct buf *out);
/* "R1 may reach a2 a3 b4." */
void words_reach(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, unsigned figure, struct buf *out);
/* The ground: what lies where, a line a kind. */
void words_ground(const struct rules_board *b, struct buf *out);
/* "h7: road, barricade north; L1 regular ready" */
void words_square(const struct scenario *scn, const struct rules_board *b,
                  const struct rules_state *s, uint16_t sq, struct buf *out);
/* The same, and who is near it, how far and which way, the nearest first. */
void words_about(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, uint16_t sq, struct buf *out);
/* A side's figures, a line each. */
void words_force(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, enum rules_side side, struct buf *out);
/* " R1 b2 north, ready again." of each figure that a step back has changed. */
void words_change(const struct scenario *scn, const struct rules_board *b,
                  const struct rules_state *before, const struct rules_state *now, struct buf *out);
/* "1 phase", "3 phases". */
void words_phases(uint32_t n, struct buf *out);
/* "12:40", "2 d 4 h". */
void words_span(int64_t ms, struct buf *out);
/* "The game is over: Red wins, by eliminating the enemy." */
void words_over(const struct audit *a, struct buf *out);

#endif
