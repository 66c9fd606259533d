/* SPDX-License-Identifier: ISC
 * local.h -- a game without a server: this process is the referee, and both sides sit here.
 *
 * The position is kept as an audit (client/audit.h), as a server's match is, so that the same
 * screens show it. Pure but for its heap; dice come from the caller.
 */
#ifndef SK_TUI_LOCAL_H
#define SK_TUI_LOCAL_H

#include "client/tui/film.h"

#define LOCAL_DICE_MAX ENTRY_DICE_MAX

struct local_hooks {
    void *data;
    void (*roll)(void *data, uint8_t *face, size_t n);         /* n faces, 1 to 6 */
    void (*event)(void *data, const struct film_frame *frame); /* one more has happened */
};
struct local {
    struct audit audit;
    struct film film;
    struct local_hooks hooks;
    struct game_events events;
    uint8_t dice[LOCAL_DICE_MAX]; /* thrown, not yet used */
    size_t n_dice;
    uint32_t orders;
};

/* Set up and begin the first turn. Borrows `scn`. local_fini in the end. */
void local_init(struct local *l, const struct scenario *scn, const char *const player[2],
                const struct local_hooks *hooks);
void local_fini(struct local *l);
/* Carry out an order. ERR_ILLEGAL: `why` says; nothing changed. */
NODISCARD enum err local_order(struct local *l, const struct rules_order *o, struct buf *why);

#endif
