/* SPDX-License-Identifier: ISC
 * game.h -- a rules_game with the room it needs.
 *
 * The rules allocate nothing; this grows their arrays on RULES_E_ROOM and tries again, which is
 * free of effect because the rules are pure. Referee, client, verifier, adjudicate and bots all
 * play through it.
 */
#ifndef SK_PROTO_GAME_H
#define SK_PROTO_GAME_H

#include "common/rules/rules.h"

struct game {
    struct rules_game rules; /* state in rules.state */
};
/* Events and items on the heap, reused from call to call. A zeroed struct is empty. */
struct game_events {
    struct rules_outcome out;
};

void game_init(struct game *g, const struct rules_board *b); /* borrows the board */
void game_fini(struct game *g);
/* Start over from a position behind which no undo reaches (a snapshot). */
void game_set_state(struct game *g, const struct rules_state *s);
/* rules_game_decide into `ev` (emptied first). Never RULES_E_ROOM. */
NODISCARD enum rules_err game_decide(const struct game *g, const struct rules_order *o,
                                     struct rules_dice *dice, struct game_events *ev);
/* Does the order need a die (DICE D1)? RULES_OK: no, `ev` is the outcome; RULES_E_DICE: yes. */
NODISCARD enum rules_err game_decide_diceless(const struct game *g, const struct rules_order *o,
                                              struct game_events *ev);
/* Apply one event under `tag`. RULES_E_ILLEGAL for an undo that doesn't fit. */
NODISCARD enum rules_err game_apply(struct game *g, uint32_t tag, const struct rules_event *ev,
                                    const union rules_item *items);
/* Apply all of `ev` under `tag`; they were decided on this position (CHECK). */
void game_apply_all(struct game *g, uint32_t tag, const struct game_events *ev);
void game_hash(const struct game *g, uint8_t out[RULES_HASH_LEN]);

void game_events_fini(struct game_events *ev);

#endif
