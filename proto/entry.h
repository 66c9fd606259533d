/* SPDX-License-Identifier: ISC
 * entry.h -- journal entries: one line of the record, both ways (PROTOCOL, Journal entries).
 *
 * The journal keeps the encoded bytes; hashes cover those bytes (DICE, The journal). Decoding is
 * for recovery, clients and verifiers. Strings of a decoded entry are borrowed from its JSON tree.
 */
#ifndef SK_PROTO_ENTRY_H
#define SK_PROTO_ENTRY_H

#include "common/base/msec.h"
#include "common/dice/fd1.h"
#include "proto/play.h"

#define MATCH_ID_LEN   16   /* bytes; 32 hex digits on the wire */
#define MATCH_ID_HEX   33   /* with NUL */
#define NAME_LEN       20   /* longest name, bytes (ASCII) */
#define ORDER_ID_LEN   128  /* 32 code points */
#define ENTRY_DICE_MAX 8192 /* dice of one roll */

enum role { ROLE_A, ROLE_B, ROLE_S, ROLE_COUNT }; /* DICE, Scheme: maker, joiner, server */
char role_letter(enum role r);

enum clock_kind { CLOCK_NONE, CLOCK_LIVE, CLOCK_CORRESPONDENCE };
struct clock_rule {
    uint8_t kind; /* enum clock_kind */
    uint32_t main_s, phase_s, days;
};
enum fair { FAIR_STRICT, FAIR_NORMAL, FAIR_SERVER };
const char *fair_word(enum fair f);
bool fair_from_word(const char *w, uint8_t *out);
/* {kind, main_s, phase_s} | {kind, days} | {kind: "none"}. ERR_PARAMS: field[] names the member. */
NODISCARD enum err clock_rule_from_json(const struct json *j, struct clock_rule *out,
                                        char field[PLAY_WHY_LEN]);
void clock_rule_to_json(const struct clock_rule *c, struct buf *out);

/* X(enumerator, kind word) : entries around play; ENTRY_PLAY is any event of play. */
#define ENTRY_TABLE(X)                                                                             \
    X(ENTRY_OPENED, "opened")                                                                      \
    X(ENTRY_JOINED, "joined")                                                                      \
    X(ENTRY_ANCHOR, "anchor")                                                                      \
    X(ENTRY_ABSENT, "absent")                                                                      \
    X(ENTRY_ROLL, "roll")                                                                          \
    X(ENTRY_STARTED, "started")                                                                    \
    X(ENTRY_ORDER, "order")                                                                        \
    X(ENTRY_OFFER, "offer")                                                                        \
    X(ENTRY_ANSWER, "answer")                                                                      \
    X(ENTRY_RESIGN, "resign")                                                                      \
    X(ENTRY_CLAIM, "claim")                                                                        \
    X(ENTRY_PAUSE, "pause")                                                                        \
    X(ENTRY_RESUME, "resume")                                                                      \
    X(ENTRY_PRESENCE, "presence")                                                                  \
    X(ENTRY_UMPIRE, "umpire")
enum entry_kind {
#define X(name, word) name,
    ENTRY_TABLE(X)
#undef X
        ENTRY_PLAY,
    ENTRY_KIND_COUNT
};

enum offer_kind { OFFER_DRAW, OFFER_PAUSE, OFFER_UNDO };

struct entry_opened {
    uint8_t match[MATCH_ID_LEN];
    uint32_t no;
    const char *scenario; /* id */
    uint8_t scenario_hash[RULES_HASH_LEN];
    struct rules_readings readings;
    struct clock_rule clock;
    uint8_t fair; /* enum fair */
    bool rated;
    const char *maker;
    uint8_t side; /* enum rules_side; RULES_NOBODY: random */
    uint8_t anchor[FD1_LEN];
};

struct entry_roll {
    uint32_t n, for_seq; /* 0: a salt roll */
    uint8_t flags;
    bool has_s;
    uint8_t s[FD1_LEN], a[FD1_LEN], b[FD1_LEN]; /* a, b by flags */
    const uint8_t *dice;                        /* borrowed */
    uint16_t n_dice;
};

struct entry {
    uint32_t seq;
    struct wall ts;
    uint8_t kind; /* enum entry_kind */
    bool has_left;
    int64_t left_ms[2]; /* by side, where a clock runs */
    union {
        struct entry_opened opened;
        struct {
            const char *player;
            uint8_t role; /* enum role */
        } joined;
        struct {
            uint8_t role;
            uint16_t generation;
            uint8_t anchor[FD1_LEN];
        } anchor;
        struct {
            uint8_t role;
            uint32_t roll;
        } absent;
        struct entry_roll roll;
        struct {
            const char *player[2]; /* by side */
        } started;
        struct {
            uint8_t side;
            const char *order_id;
            struct rules_order order;
        } order;
        struct {
            uint32_t id;
            uint8_t side, offer; /* enum offer_kind */
        } offer;
        struct {
            uint32_t id;
            uint8_t side;
            bool accept;
        } answer;
        uint8_t side;   /* resign, claim */
        const char *by; /* pause, resume: the side whose offer it was, or the umpire */
        struct {
            uint8_t side;
            bool online;
        } presence;
        struct {
            const char *by, *act, *reason;
            bool has_winner;
            uint8_t winner; /* RULES_NOBODY: null */
        } umpire;
        struct {
            struct rules_event event; /* ENTRY_PLAY; its items in `items` */
            const union rules_item *items;
        } play;
    } u;
};

/* Append the entry's compact JSON (no newline). */
void entry_encode(const struct entry *e, const struct scenario *scn, struct buf *out);

/* Room that decoding fills: dice and event items. A zeroed struct is empty. */
struct entry_room {
    struct game_events ev;
    uint8_t dice[ENTRY_DICE_MAX];
    uint8_t exit; /* exit edge of the last order decoded with this room (play.h) */
};
void entry_room_fini(struct entry_room *room);
/*
 * Read an entry from its parsed line; e borrows from `j` and `room` until the next call.
 * ERR_DATA: why[] says what isn't an entry.
 */
NODISCARD enum err entry_decode(const struct json *j, const struct scenario *scn, struct entry *e,
                                struct entry_room *room, char why[PLAY_WHY_LEN]);

#endif
