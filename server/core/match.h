/* SPDX-License-Identifier: ISC
 * match.h -- the referee of one match: owns its position, journal, dice and clocks.
 *
 * Decide, store, apply: an operation checks on the durable state and either refuses (an enum err,
 * nothing changed) or gives back a transaction for the store. Nothing is true before the owner
 * says match_stored(m, true); with false the match is as it was. While a transaction is under way
 * (match_is_pending) no other operation may be called; reading is allowed.
 *
 * After match_stored, after anything told by match_seen or match_asked, and at match_deadline, the
 * owner calls match_next until it has nothing: it starts what the referee wants by itself (a roll
 * whose shares are there, an absence, a fallen flag). So timeouts and shares come in by the same
 * door as orders.
 *
 * Seats are roles (A the maker, B the one who joins), bound to user names, never to connections.
 * Time is told: `served` is the server's serving time (ARCHITECTURE, clocks aren't charged for
 * downtime), a clock of its own that goes on from restart to restart; deadlines are in it too.
 */
#ifndef SK_SERVER_MATCH_H
#define SK_SERVER_MATCH_H

#include "proto/entry.h"
#include "server/core/core.h"

struct match;

struct match_now {
    struct mono served;
    struct wall wall; /* only for `ts` */
};

/* What the referee needs of the server; borrowed for the life of every match. */
struct match_env {
    uint8_t master[FD1_LEN];
    uint32_t kid;        /* a match of another kid comes from a backup: it re-anchors (DICE D7) */
    struct mono started; /* served time when this process began (D4: nobody is away before 10 s) */
    struct match_spare *spare; /* room kept for the next transactions; NULL: none is kept */
};
/* Owned: match_spare_free, when all matches are gone. */
NODISCARD struct match_spare *match_spare_new(void);
void match_spare_free(struct match_spare *s);

#define MATCH_INVITE_LEN   40 /* longest invite code */
#define MATCH_ACT_LEN      12
#define MATCH_WORDS_LEN    240
#define MATCH_ORDERS_PHASE 1024 /* orders of a seat in one phase (PROTOCOL) */
#define MATCH_PAGE_BYTES   65536

/* How a match was asked for; fixed for its life. Copied, but for scenario and board. */
struct match_setup {
    uint8_t id[MATCH_ID_LEN];
    uint32_t no;
    const struct scenario *scenario; /* borrowed for the match's life */
    const struct rules_board *board; /* as played (readings); borrowed for the match's life */
    struct clock_rule clock;
    uint8_t fair;  /* enum fair */
    uint8_t watch; /* enum msg_watch of proto/msg.h */
    uint8_t side;  /* enum rules_side the maker plays; RULES_NOBODY: random */
    bool rated, is_private;
    char maker[NAME_LEN + 1];
    char opponent[NAME_LEN + 1];       /* challenged; "" : anybody */
    char invite[MATCH_INVITE_LEN + 1]; /* "" : none */
    uint32_t delay;                    /* phases that who looks on is behind; 0: none */
    uint32_t max_spectators;           /* at a time; 0: as many as the server takes */
    bool has_rematch;
    uint8_t rematch_of[MATCH_ID_LEN];
};
/* `fair` where match.create names none (DICE D3). */
enum fair match_default_fair(const struct clock_rule *clock, bool rated);
/* Do these go together? ERR_PARAMS: *field is the member that doesn't (static). */
NODISCARD enum err match_setup_check(const struct match_setup *s, const char **field);

/* Why not. Zeroed but for what applies. */
struct match_refusal {
    unsigned rule;     /* ERR_ILLEGAL: 13 for R13 */
    const char *field; /* ERR_PARAMS: member (static) */
    bool has_head;
    uint32_t head;    /* ERR_STALE */
    int64_t retry_ms; /* ERR_PHASE of a claim: may be claimed after so long; else 0 */
    char words[MATCH_WORDS_LEN];
};

/*
 * What an operation gives back. n == 0 with ERR_OK: it was done before, or there is nothing to
 * keep; answer at once, no match_stored. n > 0: a transaction, to be answered after it is durable.
 * The ops are the caller's (match_step_fini, or moved whole into a struct store_txn).
 */
struct match_step {
    struct store_op *op;
    size_t n;
    uint32_t seq;      /* order: seq of its entry, the answer */
    uint32_t offer_id; /* offer: the answer */
    struct match_refusal no;
};
void match_step_fini(struct match_step *st);

/* What a stored transaction has done. */
struct match_applied {
    uint32_t first, n; /* entries [first, first + n) are there to broadcast: match_line */
    unsigned ask;      /* bit per role (1 << ROLE_A): send it the roll request, match_asked */
    bool opened, joined, started, over; /* what became true in this transaction */
    bool turn;        /* the phase changed: match.mine, lobby and clocks have news */
    bool clock;       /* what runs, or how much is left, changed otherwise than by time */
    bool offers;      /* the open offers changed */
    uint32_t undo_to; /* an agreed undo: position is that of this seq; who synced at a later
                                  state_seq gets match.resync. 0: none */
    unsigned owed;    /* over of an unfinished set-up: roles that still owed */
};

/* ---- life ---- */

/*
 * A new match, its `opened` entry pending. *out is owned: match_free; to be freed too when the
 * transaction isn't stored. `s` must pass match_setup_check.
 */
void match_open(const struct match_setup *s, const struct match_env *env, struct match_now now,
                struct match **out, struct match_step *st);
void match_free(struct match *m);

/* What must be known to find scenario and board of a stored match. */
struct match_peek {
    char scenario[RULES_ID_LEN + 1];
    uint8_t scenario_hash[RULES_HASH_LEN];
    struct rules_readings readings;
};
NODISCARD enum err match_row_peek(const char *data, size_t len, struct match_peek *out);
/* All that a stored row fixes; scenario and board stay NULL, *peek says which. ERR_DATA: it doesn't
 * check. */
NODISCARD enum err match_row_setup(const char *data, size_t len, struct match_setup *out,
                                   struct match_peek *peek);
/* The match's number as a row that doesn't check tells it; 0: it can't be read. */
uint32_t match_row_no(const char *data, size_t len);

/* A stored match: `row` with ALL its journal lines from seq 1; the snapshot only saves deciding. */
struct match_load {
    const struct core_match_row *row;
    const struct scenario *scenario; /* of match_row_peek; borrowed for the match's life */
    const struct rules_board *board;
    const struct match_env *env;
};
/*
 * Recover: every line's hash, from the snapshot on every decision, roll and position are checked
 * again. ERR_DATA: why[], nothing made. A snapshot that doesn't check is passed over.
 */
NODISCARD enum err match_load(const struct match_load *l, struct match_now now, struct match **out,
                              char why[PLAY_WHY_LEN]);
/* A stored share of the open roll (DICE D4). ERR_DATA: it doesn't belong there. Shares of a roll
 * that isn't open are passed over. */
NODISCARD enum err match_load_share(struct match *m, enum role role, uint32_t roll,
                                    const uint8_t share[FD1_LEN]);

/* ---- the one road ---- */

bool match_is_pending(const struct match *m);
/* The end of the pending transaction. ok: applied, *out says what; else dropped, *out zeroed. */
void match_stored(struct match *m, bool ok, struct match_applied *out);
/* Start what is due. True: *st is a transaction to store (then match_stored, then here again). */
NODISCARD bool match_next(struct match *m, struct match_now now, struct match_step *st);
/* When (served time) match_next is wanted at the latest; ms == INT64_MAX: at nothing's. */
struct mono match_deadline(const struct match *m);

/* ---- operations: refuse, or a transaction ----
 * ERR_PHASE over, not started, paused, roll open ... · others as named. The caller has checked
 * that the user holds the seat. */

/*
 * Take seat B. ERR_CONFLICT taken, or the maker's own match; the seat's holder again: n == 0. The
 * caller has checked invite, opponent and rights.
 */
NODISCARD enum err match_join(struct match *m, const char *name, struct match_now now,
                              struct match_step *st);
/* End an open match (cancel, decline, expiry) as void. ERR_PHASE: it isn't open any more. */
NODISCARD enum err match_cancel(struct match *m, struct match_now now, struct match_step *st);

struct match_anchor {
    int64_t generation;
    uint8_t anchor[FD1_LEN];
};
/* ERR_CONFLICT another anchor for that generation · ERR_PHASE not the next one, or not now. */
NODISCARD enum err match_anchor(struct match *m, enum role role, const struct match_anchor *a,
                                struct match_now now, struct match_step *st);
struct match_share {
    int64_t roll;
    uint8_t share[FD1_LEN];
};
/* ERR_DICE not the link · ERR_PHASE no such open roll, or marked absent for it. */
NODISCARD enum err match_share(struct match *m, enum role role, const struct match_share *s,
                               struct match_now now, struct match_step *st);

struct match_order {
    const char *order_id; /* 1 to 32 code points, plain */
    int64_t base;
    struct rules_order order; /* order_from_json; its side is set from the seat */
};
/*
 * ERR_CONFLICT id used with another body · ERR_PARAMS base above the head, or a bad id · ERR_STALE
 * · ERR_TURN · ERR_ILLEGAL with rule and words. st->seq is the order's entry.
 */
NODISCARD enum err match_order(struct match *m, enum role role, const struct match_order *o,
                               struct match_now now, struct match_step *st);
/* Has that seat given an order of this id? For a body that can't even be read: it is another one. */
bool match_knows_order(const struct match *m, enum role role, const char *order_id);

NODISCARD enum err match_resign(struct match *m, enum role role, struct match_now now,
                                struct match_step *st);
/* ERR_PHASE: nothing to claim, with retry_ms when only time is missing. */
NODISCARD enum err match_claim(struct match *m, enum role role, struct match_now now,
                               struct match_step *st);
/* While paused, OFFER_PAUSE offers to go on. ERR_DENIED: an undo that isn't one's to offer. The
 * same offer still open: its id again, n == 0. */
NODISCARD enum err match_offer(struct match *m, enum role role, enum offer_kind kind,
                               struct match_now now, struct match_step *st);
struct match_answer {
    uint32_t offer_id;
    bool accept;
};
/* ERR_NOT_FOUND never made · ERR_STALE made in another position, or answered · ERR_DENIED own. */
NODISCARD enum err match_answer(struct match *m, enum role role, const struct match_answer *a,
                                struct match_now now, struct match_step *st);
enum match_act { ACT_PAUSE, ACT_RESUME, ACT_ADJUDICATE, ACT_VOID, ACT_COUNT };
const char *match_act_word(enum match_act a);
bool match_act_from_word(const char *w, uint8_t *out);
struct match_umpire {
    const char *by;     /* borrowed */
    uint8_t act;        /* enum match_act */
    uint8_t winner;     /* adjudicate: enum rules_side, RULES_NOBODY: nobody */
    const char *reason; /* plain text, at most 400 code points */
};
NODISCARD enum err match_umpire(struct match *m, const struct match_umpire *u, struct match_now now,
                                struct match_step *st);
/*
 * The seat's player is away until `until` (served; the latest counts): what is left of that comes on
 * top of its days, now and in each phase that begins before. n == 0: known already. ERR_PHASE: no
 * days run in this match, or it isn't in play.
 */
NODISCARD enum err match_extend(struct match *m, enum role role, struct mono until,
                                struct match_now now, struct match_step *st);
/* Would match_extend change anything? */
bool match_wants_extend(const struct match *m, enum role role, struct mono until,
                        struct match_now now);

/* How the pending transaction ends the match; false: there is none, or it doesn't. */
struct match_ending {
    bool started, played; /* the game has begun; an order was given */
    uint8_t winner;       /* enum rules_side; RULES_NOBODY: nobody */
    uint8_t reason;       /* enum rules_reason */
    unsigned owed;        /* as in match_applied */
};
bool match_ending(const struct match *m, struct match_ending *out);
/* Forget the pending transaction, which the store never saw: the match is as it was. */
void match_drop(struct match *m);

/* ---- what the referee is told; no transaction by itself, match_next follows ---- */

/* The seat's account has (no longer) a connection logged in. Only changes count. */
void match_seen(struct match *m, enum role role, bool online, struct match_now now);
/* The open roll's request has been sent to that seat (DICE D4: the 10 s count from the latest). */
void match_asked(struct match *m, enum role role, struct match_now now);

/* Is a connection of the seat's account logged in; else *away_ms for how long not. */
bool match_is_online(const struct match *m, enum role role, struct match_now now, int64_t *away_ms);

/* ---- who looks on, and how far ---- */

struct match_viewer {
    enum role role; /* its seat; ROLE_COUNT: none */
    bool umpire;
};
/*
 * How far the journal may be seen. Seats and umpires see the head; others see what was there when
 * the phase began that began `delay` phases ago (the running one is the first of them), and all of
 * a finished game. The one place that decides it: for events, sync, legal, record and lists alike.
 */
uint32_t match_visible_head(const struct match *m, struct match_viewer who);
/* Is this viewer one for whom the head may lie further? */
bool match_is_delayed(const struct match *m, struct match_viewer who);
/* The match as it may be seen: m itself, or as it was at match_visible_head. Only for reading;
 * borrowed until the next operation. */
struct match *match_shown(struct match *m, struct match_viewer who);

/* ---- reading; all borrowed until the next operation ---- */

const struct match_setup *match_setup_of(const struct match *m);
enum match_state match_state(const struct match *m);
/* Name in the seat; "" while nobody has it. */
const char *match_name(const struct match *m, enum role role);
/* The seat of `name` (without case); ROLE_COUNT: none. */
enum role match_role_of(const struct match *m, const char *name);
/* The side that a seat plays; RULES_NOBODY before `started` where it is random. */
enum rules_side match_side(const struct match *m, enum role role);
enum role match_role_of_side(const struct match *m, enum rules_side side);
const struct rules_state *match_position(const struct match *m); /* NULL before `started` */
bool match_is_paused(const struct match *m);
struct wall match_opened_at(const struct match *m);
struct wall match_last_at(const struct match *m);    /* `ts` of the newest entry */
struct mono match_touched_at(const struct match *m); /* served: the newest transaction */
uint32_t match_head(const struct match *m);
const uint8_t *match_hash(const struct match *m); /* journal hash at the head */
/* Canonical hash of the position at the head; NULL before `started`. */
const uint8_t *match_state_hash(const struct match *m);
/* Re-anchorings so far of that role. */
unsigned match_generation(const struct match *m, enum role role);

/* Time left of a side, and who it runs for (RULES_NOBODY: nobody's runs). False: no clock. */
struct match_clock {
    int64_t left_ms[2];
    enum rules_side running;
};
bool match_clock_at(const struct match *m, struct match_now now, struct match_clock *out);
/* `"left":{...},"running":...,"paused":...` behind an open object: what match.clock says, and
 * nothing where no clock runs. */
void match_clock_json(const struct match *m, struct match_now now, struct jsonw *w);

/* Does the seat owe something: an order, a share, an anchor? (match.mine's turn and roll) */
enum match_owes { OWES_NOTHING, OWES_ORDER, OWES_SHARE, OWES_ANCHOR };
enum match_owes match_owes(const struct match *m, enum role role);

/* The open roll's request. False: none is open. `waiting`: bit per role. */
struct match_request {
    uint32_t n, seq;
    uint8_t hash[FD1_LEN];
    unsigned waiting;
};
bool match_request(const struct match *m, struct match_request *out);
/* `"n":...,"seq":...,"hash":...,"waiting":[...]` behind an open object (sync's and mine's roll). */
void match_request_members(const struct match_request *r, struct jsonw *w);

/* One entry as it was broadcast. False: no such seq. */
struct match_line {
    const char *text; /* without '\n', not NUL-terminated */
    size_t len;
    const uint8_t *hash, *state_hash; /* state_hash NULL: null */
};
bool match_line(struct match *m, uint32_t seq, struct match_line *out);
/* `"hash":...,"state_hash":...,"entry":...` of that entry, behind an open object. */
void match_event_members(struct match *m, uint32_t seq, struct jsonw *w);

struct match_sync {
    enum role role; /* who asks; ROLE_COUNT: no seat */
    bool has_after;
    int64_t after;
};
struct match_synced {
    uint32_t upto; /* entries up to here were given; == head: live notifications may begin */
    bool has_state;
    uint32_t state_seq; /* of the state given */
};
/*
 * The same of a sync without `after` for somebody without a seat, made once for all who come before
 * the next transaction: the result is `front`, what match_clock_rule writes, and `rear`, which ends
 * the answer's line. Borrowed until the next operation; a match_shown has its own.
 */
struct match_prepared {
    struct shared *front, *rear;
    struct match_synced got;
};
const struct match_prepared *match_prepare(struct match *m);
/* `"clock":...` with what runs, behind an open object. */
void match_clock_rule(const struct match *m, struct match_now now, struct jsonw *w);
/* The members of match.sync's result behind an open object. ERR_PARAMS: after above the head. */
NODISCARD enum err match_sync(struct match *m, const struct match_sync *s, struct match_now now,
                              struct jsonw *w, struct match_synced *out);
/*
 * The members of match.legal's result behind an open object. figure NULL: all figures of `side`
 * (RULES_NOBODY: of both). ERR_PHASE not started · ERR_PARAMS unknown figure.
 */
NODISCARD enum err match_legal(const struct match *m, enum rules_side side, const char *figure,
                               struct jsonw *w);
/* The whole record, each line with its '\n', appended. */
void match_record_text(const struct match *m, struct buf *out);
/* The match's private row, and (once started) a snapshot as of its head. */
void match_rows(const struct match *m, struct buf *row, struct buf *snapshot);
/* The members of match.record's result; after: 0, or `next` of the page before. ERR_PARAMS. */
NODISCARD enum err match_record(struct match *m, int64_t after, struct jsonw *w);

#endif
