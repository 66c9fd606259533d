/* SPDX-License-Identifier: ISC
 * bot.h -- opponents that think: orders for a side from the rules alone.
 *
 * Pure but for its heap: no clock, entropy, I/O or global state. Equal board, side, level and seed
 * give, on equal positions, equal orders, on every machine: strength is budgeted in samples (games
 * played on in the head), never in time. Works for every scenario, scale and reading.
 *
 *     struct bot *bot = bot_new(board, RULES_A, BOT_SERGEANT, seed);
 *     while (state->active == RULES_A) {
 *         bot_decide(bot, state, &order);
 *         (send the order, wait until the referee's events are applied to state)
 *     }
 *     bot_free(bot);
 */
#ifndef SK_BOT_H
#define SK_BOT_H

#include "common/rules/rules.h"

enum bot_level { BOT_RECRUIT, BOT_SERGEANT, BOT_CAPTAIN, BOT_LEVEL_COUNT };

/* "recruit" */
const char *bot_level_word(enum bot_level level);
/* False, *out unchanged, for a word that is no level. */
bool bot_level_from_word(const char *word, enum bot_level *out);

struct bot;

/* A bot that plays `side`. Borrows the board (with the readings as played); owned: bot_free. */
NODISCARD struct bot *bot_new(const struct rules_board *b, enum rules_side side,
                              enum bot_level level, uint64_t seed);
void bot_free(struct bot *bot);

/*
 * The order that the bot gives now: legal on `s`, in whose phase its side must be (s->active, not
 * over). Sooner or later in every phase that is RULES_DO_END_PHASE. It never takes moves back. Any
 * position will do: a game may be taken up in the middle, or go on from another position than the
 * bot's own orders led to. About 1 ms of one core a phase for a recruit, 3 ms for a sergeant,
 * 200 ms for a captain, most of it in the phase's first call; a captain thinks again after volleys.
 */
void bot_decide(struct bot *bot, const struct rules_state *s, struct rules_order *out);

#endif
