/* SPDX-License-Identifier: ISC
 * audit_dice.h -- the dice of one match as anybody can check them (DICE).
 *
 * Keeps what is known of the three chains and checks every anchor, absence and roll against it.
 * Pure. Checks return ERR_DATA with why[] and leave everything as it was.
 */
#ifndef SK_CLIENT_AUDIT_DICE_H
#define SK_CLIENT_AUDIT_DICE_H

#include "proto/entry.h"

#define AUDIT_WHY_LEN 320

struct audit_chain {
    bool there; /* has an anchor */
    uint16_t generation;
    uint8_t anchor[FD1_LEN]; /* of this generation; unknown (zero) when following began later */
    struct fd1_tail tail;
};
struct audit_dice {
    uint8_t mid[FD1_MID_LEN];
    uint8_t fair;       /* enum fair */
    uint32_t n;         /* the last roll journaled */
    uint32_t since;     /* rolls up to this one were before following began: only their links' place
                       in the chains is checked */
    uint32_t checked;   /* rolls checked whole */
    uint32_t reanchors; /* anchors of later generations */
    bool salted, anew;  /* anew: a salt roll must come before the next order (D8) */
    unsigned owed;      /* bit per role (1 << ROLE_A): must send its next anchor first */
    unsigned absent;    /* bit per role: marked absent for roll n + 1 */
    uint8_t salt[FD1_LEN];
    struct audit_chain chain[ROLE_COUNT];
};

/* No chain known yet. */
void audit_dice_init(struct audit_dice *d, const uint8_t mid[FD1_MID_LEN], enum fair fair);
/* An anchor: the first of that role, or its next generation. */
NODISCARD enum err audit_dice_anchor(struct audit_dice *d, enum role role, uint16_t generation,
                                     const uint8_t anchor[FD1_LEN], char why[AUDIT_WHY_LEN]);
/* `role` marked absent for roll `n`; `actor`: who gave the order. */
NODISCARD enum err audit_dice_absent(struct audit_dice *d, enum role role, uint32_t n,
                                     enum role actor, char why[AUDIT_WHY_LEN]);
/*
 * A roll: links, flags, number. Sets *dice to the stream of its dice and takes the links; a salt
 * roll becomes the salt.
 */
NODISCARD enum err audit_dice_roll(struct audit_dice *d, const struct entry_roll *roll,
                                   struct fd1_dice *dice, char why[AUDIT_WHY_LEN]);
/* May orders be given: salted, and no anchor or salt roll outstanding? */
static inline bool audit_dice_ready(const struct audit_dice *d)
{
    return d->salted && !d->anew;
}
/* The link that `role` would give in roll `n`: its number, 0 when its chain has none. */
uint32_t audit_dice_link(const struct audit_dice *d, enum role role, uint32_t n);

#endif
