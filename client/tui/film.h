/* SPDX-License-Identifier: ISC
 * film.h -- a game as it went, entry by entry, so that any moment can be shown again.
 *
 * Fed with each confirmed entry (audit.h). Keeps events and words, and a position now and then;
 * the others are worked out from those. Pure but for its heap.
 */
#ifndef SK_TUI_FILM_H
#define SK_TUI_FILM_H

#include "client/audit.h"

struct film_frame {
    uint32_t seq;
    uint16_t turn;
    uint8_t side;             /* whose phase it is, or whose order it was; RULES_NOBODY: nobody's */
    uint8_t kind;             /* enum entry_kind */
    char *words;              /* owned; "" for nothing to say */
    struct rules_event event; /* ENTRY_PLAY */
    union rules_item *items;  /* owned; what event indexes, from 0; NULL for none */
    struct rules_state *mark; /* owned; the position behind it, or NULL */
};
struct film {
    struct film_frame *frame; /* owned */
    size_t n, cap;
    size_t since_mark;
};

/* A zeroed struct is empty. */
void film_fini(struct film *f);
/* Take a->last, just confirmed. `me`: our side, for the words. */
void film_add(struct film *f, const struct audit *a, enum rules_side me);
/* The position behind frame `i`; false before there is any. */
bool film_state(const struct film *f, const struct rules_board *b, size_t i,
                struct rules_state *out);
/* The next frame from `i` on (or down from it) in which something happened on the board, or n. */
size_t film_next(const struct film *f, size_t i);
size_t film_prev(const struct film *f, size_t i);
/* The first frame of what the enemy of `me` did last: its newest phase, and what followed. n: none.
 * RULES_NOBODY: of the newest phase. */
size_t film_their_phase(const struct film *f, enum rules_side me);
/* The first frame of turn `turn`, or n. */
size_t film_turn(const struct film *f, unsigned turn);
/* The dice of the last initiative, A's and B's, at frame `at` (n or more: now). False: none yet. */
bool film_initiative(const struct film *f, size_t at, uint8_t dice[2]);
/* Squares that the frame is about, at most `max`. */
unsigned film_squares(const struct film_frame *fr, uint16_t *out, unsigned max);

#endif
