/* SPDX-License-Identifier: ISC
 * dice_keeper.h -- a player's own part in FD1: secret, chain, and when to give a link (DICE D7).
 *
 * One keeper for a seat in a match. Its file in the state directory (dice/MATCH.PLAYER) holds the
 * secret, the roll last answered with the order's hash, and the newest head seen; it is on disk
 * before an anchor or a link leaves.
 */
#ifndef SK_CLIENT_DICE_KEEPER_H
#define SK_CLIENT_DICE_KEEPER_H

#include "client/audit.h"

/* What is on disk. */
struct keeper_record {
    bool there; /* has a secret */
    uint16_t generation;
    uint8_t secret[FD1_LEN];
    bool
        renew; /* the player went on: the secret only ends the open roll, then comes the next one */
    bool next_there; /* the next secret, until the journal has its anchor */
    uint16_t next_generation;
    uint8_t next_secret[FD1_LEN];
    uint32_t roll; /* last one answered; 0: none */
    uint8_t roll_hash[FD1_LEN];
    uint32_t head; /* newest head seen; 0: none */
    uint8_t head_hash[FD1_LEN];
};

struct dice_keeper {
    char name[MATCH_ID_HEX + NAME_LEN + 2]; /* of its file */
    uint8_t mid[FD1_MID_LEN];
    uint8_t role; /* enum role */
    bool
        went_back; /* the server is behind what was seen: nothing leaves until the player says so */
    struct keeper_record rec;
    struct fd1_chain *chain; /* owned; of rec's generation, or NULL */
};

/* ERR_IO: the file can't be read. `role` is ROLE_A or ROLE_B. keeper_fini in the end. */
NODISCARD enum err keeper_open(struct dice_keeper *k, const uint8_t mid[FD1_MID_LEN],
                               const char *player, enum role role);
void keeper_fini(struct dice_keeper *k);

/*
 * Look at the journal as far as it is confirmed, entry by entry: notices a journal that isn't the
 * one seen before (went_back). Memory only.
 */
void keeper_see(struct dice_keeper *k, uint32_t head, const uint8_t hash[FD1_LEN]);
/* At the server's head: it must not lie before the newest one seen. */
void keeper_at_head(struct dice_keeper *k, uint32_t head);

/* Is the secret of our role's anchor on another machine? */
bool keeper_is_elsewhere(struct dice_keeper *k, const struct audit *a);

enum keeper_anchor { KEEPER_NO_ANCHOR, KEEPER_SEND_ANCHOR };
/*
 * Does our role owe an anchor by this journal? Then a secret of that generation is on disk, and
 * *generation and anchor are set. A journal whose anchor isn't our secret's (a lost device) asks
 * for the next generation too. ERR_IO: it can't be stored, nothing to send.
 */
NODISCARD enum err keeper_anchor(struct dice_keeper *k, const struct audit *a,
                                 enum keeper_anchor *what, uint16_t *generation,
                                 uint8_t anchor[FD1_LEN]);

enum keeper_share {
    KEEPER_SHARE,    /* send it */
    KEEPER_WAIT,     /* the order's entry isn't there yet */
    KEEPER_BACK,     /* the server went back: nothing is sent (D7) */
    KEEPER_NOT_OURS, /* no link of ours serves that roll */
    KEEPER_UNWRITTEN /* it couldn't be stored first (errno): nothing is sent */
};
struct keeper_request {
    uint32_t roll, seq;
    uint8_t hash[FD1_LEN];
};
/* The rule of D7 alone, on what is stored and confirmed. KEEPER_SHARE: may be answered. */
enum keeper_share keeper_judge(const struct keeper_record *rec, const struct audit *a,
                               const struct keeper_request *req);
/* Answer a match.roll_request: with KEEPER_SHARE it is stored, and share is set. */
enum keeper_share keeper_share(struct dice_keeper *k, const struct audit *a,
                               const struct keeper_request *req, uint8_t share[FD1_LEN]);

/*
 * The player goes on with a server that went back: heads and rolls are forgotten, and a new
 * generation is wanted (D7). No anchor is taken while a roll is open (D8), so the old secret is kept
 * for that one roll. ERR_IO: not stored, still went_back.
 */
NODISCARD enum err keeper_go_on(struct dice_keeper *k);

/* The file's text, and back; false: not one. */
void keeper_record_write(const struct keeper_record *rec, struct buf *out);
NODISCARD bool keeper_record_read(const char *text, size_t len, struct keeper_record *rec);

#endif
