/* SPDX-License-Identifier: ISC
 * audit.h -- follows one match's journal and checks all that can be checked.
 *
 * Every entry: its place and the hash chain; the dice by FD1 (audit_dice.h); that each order is
 * one the rules take, and that the rules give exactly the events that follow it. Client, verifier
 * and replay use it. Pure: no clock, files or sockets.
 */
#ifndef SK_CLIENT_AUDIT_H
#define SK_CLIENT_AUDIT_H

#include "client/audit_dice.h"

#define AUDIT_OFFER_KINDS 3

/* A position that an agreed undo may go back to: before the order `seq`. */
struct audit_back {
    uint32_t seq;
    struct rules_state state;
};

struct audit {
    const struct scenario *scn; /* borrowed */
    struct rules_board *board;  /* owned; as played; NULL before `opened` */
    struct game game;
    uint32_t head;
    uint8_t hash[FD1_LEN];
    bool started, paused, over;
    uint8_t winner, reason; /* once over: enum rules_side, enum rules_reason */
    /* as opened */
    uint8_t match[MATCH_ID_LEN];
    uint32_t no;
    struct clock_rule clock;
    uint8_t fair, side_wish; /* enum fair; enum rules_side of the maker, RULES_NOBODY: random */
    bool rated;
    char name[2][NAME_LEN + 1]; /* by role, "" while nobody sits there */
    uint8_t side_of[2];         /* by role: enum rules_side, RULES_NOBODY before it is known */

    struct audit_dice dice;
    uint32_t roll_seq;                                /* order whose roll is open; 0: none */
    uint8_t roll_hash[FD1_LEN], anchor_hash[FD1_LEN]; /* at that order; at the last anchor */
    struct rules_order roll_order;
    uint32_t orders[2]; /* accepted so far, by side */
    bool has_left;
    int64_t left_ms[2]; /* the newest that the journal told, by side */

    /* the newest entry, and what must follow it */
    struct entry last; /* borrows from `room` and from the caller's tree */
    struct entry_room room;
    struct game_events want; /* events that must follow */
    uint32_t want_next, want_tag;
    bool want_started;
    uint8_t d2;                           /* of roll 1 where sides are random; else 0 */
    uint32_t offer[2][AUDIT_OFFER_KINDS]; /* newest not answered, by side and kind; 0: none */
    uint8_t actor;                        /* who resigned or claimed last */
    uint8_t agreed;                       /* enum offer_kind just agreed on, or AUDIT_NOTHING */
    struct audit_back *back;              /* owned; orders not taken back, oldest first */
    uint32_t n_back, back_cap;
};
#define AUDIT_NOTHING UINT8_MAX

/* Nothing read yet. Borrows `scn`. audit_fini in the end. */
void audit_init(struct audit *a, const struct scenario *scn);
void audit_fini(struct audit *a);

/*
 * Take the next entry: `line` are its bytes, `j` the same parsed. a->last is then it. ERR_DATA:
 * why[] says what is wrong; nothing more can be taken.
 */
NODISCARD enum err audit_take(struct audit *a, const struct json *j, const char *line, size_t len,
                              char why[AUDIT_WHY_LEN]);
/* Is a batch complete, so that the position is defined? */
static inline bool audit_is_whole(const struct audit *a)
{
    return !a->want_started && a->want_next >= a->want.out.n_events;
}
/* Hash of the position; false before the start and within a batch. */
NODISCARD bool audit_state_hash(const struct audit *a, uint8_t out[RULES_HASH_LEN]);
/* Is a roll open: an order's, or a salt roll for which nobody owes an anchor? */
bool audit_roll_open(const struct audit *a);
/* The seat of `side`; ROLE_COUNT before it is known. */
enum role audit_role_of(const struct audit *a, enum rules_side side);
/* Name of the player of `side`, "" before it is known. Borrowed. */
const char *audit_player(const struct audit *a, enum rules_side side);

/* What a sync without `after` tells instead of the entries before. */
struct audit_start {
    uint32_t seq;
    uint8_t hash[FD1_LEN];
    const struct rules_state *state;
    const struct rules_readings *readings;
    struct audit_dice dice; /* with since set */
};
/*
 * Begin from a position that somebody vouches for. The caller has set match, no, clock, fair,
 * rated, names and sides.
 */
void audit_begin_at(struct audit *a, const struct audit_start *s);

#endif
