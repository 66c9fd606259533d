/* SPDX-License-Identifier: ISC
 * play.h -- orders, events of play and positions as JSON, both ways (PROTOCOL: Orders, Events of
 * play, State).
 *
 * `scn` gives side ids and the roster's ids; `b` is the board as played (its readings may differ
 * from the file's). Encoders append compact JSON; members stand in PROTOCOL's order.
 */
#ifndef SK_PROTO_PLAY_H
#define SK_PROTO_PLAY_H

#include "proto/game.h"
#include "proto/jsonw.h"
#include "proto/scenario.h"

#define PLAY_WHY_LEN 160

/*
 * Read an order object. Unknown figure ids and squares become RULES_NO_FIGURE/RULES_NO_SQUARE (the
 * rules refuse them); a wrong shape is ERR_PARAMS with field[] = the member ("order.path").
 * `side` isn't in it: the caller sets o->side.
 */
NODISCARD enum err order_from_json(const struct json *j, const struct scenario *scn,
                                   struct rules_order *o, char field[PLAY_WHY_LEN]);
/* The order as an object, canonical: what the journal keeps and idempotence compares. An order
 * that holds unknown ids can't be encoded (CHECK): only accepted ones are. */
void order_to_json(const struct rules_order *o, const struct scenario *scn, struct buf *out);

/* The event's members behind an open object: `"kind":"move",...`. `tag` is put as `undone`. */
void event_members(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev,
                   const union rules_item *items);
/*
 * Read an event of play from an object with `kind`; its items are appended to ev->out. A `move`
 * with `left` doesn't name its edge on the wire: `exit` is that of the order before it.
 * ERR_DATA for anything that isn't one.
 */
NODISCARD enum err event_from_json(const struct json *j, const struct scenario *scn,
                                   enum rules_dir exit, struct game_events *ev);
/* Is `kind` the name of an event of play? *out its enum rules_event_kind. */
bool event_kind_from_word(const char *kind, uint8_t *out);
const char *event_kind_word(enum rules_event_kind kind);

/* The members of State behind an open object: `"turn":3,...` (no state_hash). */
void state_members(struct jsonw *w, const struct scenario *scn, const struct rules_board *b,
                   const struct rules_state *s);
/* Read State back. ERR_DATA when it isn't one of this scenario. */
NODISCARD enum err state_from_json(const struct json *j, const struct scenario *scn,
                                   struct rules_state *s);

/* A refusal in words for people: "a regular moves 2 squares, 1 uphill; this way is 3". */
void refusal_words(const struct scenario *scn, const struct rules_board *b,
                   const struct rules_refusal *why, struct buf *out);

#endif
