/* SPDX-License-Identifier: ISC
 * match_impl.h -- what the files of the referee share and nobody else sees.
 *
 * struct match_core is all of a match that is durable. A batch works on a copy of it: entries are
 * written and their effects taken one by one, then rows and ops are made from the copy; when the
 * store has it, the copy becomes the match. Recovery runs the same batches on the journal's lines.
 */
#ifndef SK_SERVER_MATCH_IMPL_H
#define SK_SERVER_MATCH_IMPL_H

#include "server/core/match.h"

#define SECOND_MS INT64_C(1000)
#define DAY_MS    (INT64_C(86400) * SECOND_MS)

#define MATCH_AWAY_MS       (15 * SECOND_MS)  /* presence, PROTOCOL */
#define MATCH_SILENT_MS     (10 * SECOND_MS)  /* D3, D4 */
#define MATCH_CLAIM_MS      (120 * SECOND_MS) /* D3: waited on one who is offline */
#define MATCH_CLAIM_LONG_MS (30 * DAY_MS)     /* D3: waited at all */
#define MATCH_SETUP_MS      (120 * SECOND_MS) /* DICE, Set-up */
#define MATCH_IDLE_MS       (90 * DAY_MS)     /* a match without an order */
#define MATCH_CHAIN_MS      (600 * SECOND_MS) /* the server's chain is kept in memory so long */
#define MATCH_SNAP_EVERY    64                /* entries between snapshots, about */

#define MATCH_OFFER_KINDS 3

/* A party's chain as the others know it. */
struct match_chain {
    bool there;       /* has an anchor */
    bool need_anchor; /* owes its next one (D7, D8) */
    uint8_t anchor[FD1_LEN];
    struct fd1_tail tail;
};

struct match_dice {
    uint32_t n; /* the last roll journaled */
    uint32_t kid;
    bool has_salt, need_salt;
    uint8_t salt[FD1_LEN];
    struct match_chain chain[ROLE_COUNT];
    uint32_t anchor_seq; /* of the last anchor entry */
    uint8_t anchor_hash[FD1_LEN];
    bool has_share[2], absent[2]; /* of the open roll */
    uint8_t share[2][FD1_LEN];
};

struct match_clocks {
    int64_t left_ms[2];
    uint8_t running;           /* enum rules_side */
    struct mono since;         /* left_ms as of then */
    struct mono away_until[2]; /* vacation, by side; it is in left_ms already */
    uint8_t owes;              /* enum role that the match waits for; ROLE_COUNT: nobody */
    struct mono owes_since;
    bool paused, pause_due; /* agreed, and begins when the roll is done (D5) */
    char pause_by[RULES_ID_LEN + 1];
};

struct match_offers {
    uint32_t last;                     /* the newest id given */
    uint32_t id[2][MATCH_OFFER_KINDS]; /* open ones by side and kind; 0: none */
};

struct match_core {
    uint8_t state; /* enum match_state */
    bool started;
    uint32_t head;
    uint8_t hash[FD1_LEN];
    struct wall opened_at, last_at;
    struct mono joined_at, order_at; /* served; order: the newest, or the start */
    char joiner[NAME_LEN + 1];
    uint8_t side_of[2]; /* by role; RULES_NOBODY while unknown */
    struct game game;
    uint8_t state_hash[RULES_HASH_LEN];
    uint32_t last_play;    /* seq of the newest order, roll or event of play */
    uint32_t phase_orders; /* in this phase */
    uint32_t order_seq;    /* of the order whose roll is open; 0: none */
    uint8_t order_hash[FD1_LEN];
    struct rules_order order;
    struct match_dice dice;
    struct match_clocks clock;
    struct match_offers offers;
    bool told_away[2]; /* by role: the journal's last presence says so */
    uint32_t snap_seq;
};

/* ---- journal lines ---- */

enum rec_state { REC_NO_STATE, REC_STATE, REC_UNKNOWN };
/* What an entry is to orders: nothing; one that stands; an order to take one back; that it is done. */
enum rec_what { REC_OTHER, REC_ORDER, REC_UNDO, REC_UNDONE };
struct match_rec {
    uint32_t off, len; /* without '\n' */
    uint8_t hash[FD1_LEN];
    uint8_t state_hash[RULES_HASH_LEN];
    uint8_t has_state; /* enum rec_state; unknown: recovery passed it over */
    uint8_t kind;      /* enum entry_kind */
    uint8_t what;      /* enum rec_what */
    uint32_t id_hash;  /* of orders: side and id (match_ids.c) */
};
struct match_recs {
    struct buf text; /* lines, each with '\n' */
    struct match_rec *rec;
    uint32_t n, cap;
};
/* Append a line; its hash isn't set. */
struct match_rec *recs_add(struct match_recs *r, const char *line, size_t len);
/* The same for a line, without its end, that stands in r->text already, from `off` to its end. */
struct match_rec *recs_close(struct match_recs *r, size_t off);
void recs_append(struct match_recs *to, const struct match_recs *from);
void recs_fini(struct match_recs *r);
static inline const char *recs_line(const struct match_recs *r, uint32_t i)
{
    return r->text.data + r->rec[i].off;
}

/* What the fixed front of a line of ours says, without a JSON tree. */
struct match_front {
    uint32_t seq;
    struct wall ts;
    uint8_t kind;     /* enum entry_kind */
    const char *rest; /* behind the kind's word and its quote */
};
NODISCARD bool front_read(const char *line, size_t len, struct match_front *out);
/* Members of an order's line. The id is in its JSON form, with quotes. */
struct match_order_front {
    const char *side, *id, *order;
    size_t side_len, id_len, order_len; /* order_len: to the end of the line */
};
NODISCARD bool front_order(const char *line, size_t len, struct match_order_front *out);

/* Order ids that were used: open addressing. */
struct match_id {
    uint32_t seq, hash; /* seq 0: free */
};
struct match_ids {
    struct match_id *slot;
    uint32_t n, cap;
};

/* Seqs of the orders not taken back, oldest first. */
struct match_stand {
    uint32_t *seq;
    uint32_t n, cap;
};

/* Seqs up to which it may be seen, by phase: before the start, then each phase's beginning. */
struct match_marks {
    uint32_t *seq;
    uint32_t n, cap;
};

struct match_seat {
    bool online, asked;
    struct mono since;    /* online or offline since then */
    struct mono asked_at; /* the latest sending of the open roll's request */
};

struct match_batch;

struct match {
    struct match_setup setup;
    const struct match_env *env;
    struct match_core *core; /* owned; changes places with a batch's */
    struct match_recs journal;
    struct match_ids ids;
    struct match_stand stand;
    struct match_marks marks;       /* where there is a delay */
    struct match *shown;            /* owned: as delayed viewers see it; NULL: not asked for */
    struct match_prepared prepared; /* for who comes now; front NULL: not asked for */
    struct match_seat seat[2];
    struct mono loaded_at;
    struct mono roll_at; /* the open roll is open since then, or since loaded_at */
    struct match_batch *pending;
    struct fd1_chain *chain; /* the server's, while in use */
    struct mono chain_at;
    struct mono retry_at; /* after a failed store: nothing by itself before */
    bool restored;        /* the master key is another than its chain's */
    bool is_shown;        /* another match's `shown` */
};

/* A transaction being made, then waiting for the store. */
struct match_batch {
    struct match_core *core; /* as it will be; owned, with its game */
    struct match_recs recs;  /* its entries */
    struct game_events ev;
    struct match *m; /* from here on zero in a new one (batch_take) */
    struct match_now now;
    int64_t left_ms[2]; /* at the batch's time, for entries that carry it */
    bool state_changed, phase_began;
    bool unhashed;                   /* recovery: state hashes wait until they are asked for */
    const struct match_recs *expect; /* recovery: the lines that it must give; NULL: live */
    bool differs;                    /* it didn't */
    struct match_applied applied;
    bool share; /* a share's: no entries */
    uint8_t role;
    bool drop_shares;
    bool was_open; /* a roll was open before */
};

/* Batches that are done with, and what decisions are made into: an order allocates little. */
#define MATCH_SPARE 256
struct match_spare {
    struct match_batch *batch[MATCH_SPARE];
    size_t n;
    struct game_events ev; /* of an order that is being checked */
};

/* ---- match_batch.c: making a batch ---- */

struct match_batch *batch_new(struct match *m, struct match_now now);
void batch_free(struct match_batch *b);
/* Write an entry at the batch's time: seq, ts and, where its kind has it, left are set here. */
void batch_put(struct match_batch *b, struct entry *e);
/* Write the events decided in b->ev and apply them under `tag`. */
void batch_events(struct match_batch *b, uint32_t tag);
/* The referee's own end of the game. */
void batch_over(struct match_batch *b, enum rules_side winner, enum rules_reason reason);
/* Settle clocks, who owes, hashes; nothing may be written after it. */
void batch_close(struct match_batch *b);
/* Make the transaction of a closed batch and let the match wait for it. */
void batch_submit(struct match_batch *b, struct match_step *st);
/* The batch becomes the match; takes `b`. */
void batch_commit(struct match_batch *b, struct match_applied *out);

/*
 * A whole batch from its first entry: what follows from it is decided here, for live play and for
 * recovery alike. `e` has kind and contents; seq and ts are set. ERR_DATA (recovery; live callers
 * have checked): it can't stand here.
 */
NODISCARD enum err batch_from(struct match_batch *b, struct entry *e);

/* The parts of batch_from by concern. */
NODISCARD enum err batch_order(struct match_batch *b, struct entry *e); /* match_order.c */
NODISCARD enum err batch_roll(struct match_batch *b, struct entry *e);  /* match_roll.c */
NODISCARD enum err batch_anchor(struct match_batch *b, struct entry *e);
NODISCARD enum err batch_absent(struct match_batch *b, struct entry *e);
NODISCARD enum err batch_offer(struct match_batch *b, struct entry *e); /* match_offer.c */
NODISCARD enum err batch_answer(struct match_batch *b, struct entry *e);
NODISCARD enum err batch_umpire(struct match_batch *b, struct entry *e); /* match_umpire.c */
void batch_pause(struct match_batch *b, bool pause, const char *by);     /* match_batch.c */
/* The same, but a pause waits for an open roll. */
void batch_want_pause(struct match_batch *b, bool pause, const char *by);

/* ---- match_dice.c: what is open, who owes ---- */

bool core_salt_open(const struct match *m, const struct match_core *c);
static inline bool core_roll_open(const struct match *m, const struct match_core *c)
{
    return c->order_seq != 0 || core_salt_open(m, c);
}
/* No order is taken: an anchor or a salt roll is wanted (D8). */
bool core_dice_wanted(const struct match_core *c);
bool core_owes_share(const struct match *m, const struct match_core *c, enum role role);
static inline bool core_owes_anchor(const struct match_core *c, enum role role)
{
    return c->dice.chain[role].need_anchor;
}
enum role core_actor(const struct match_core *c);
/* Whom the match waits for (ARCHITECTURE, clocks: the actor first); ROLE_COUNT: nobody. */
enum role core_owes(const struct match *m, const struct match_core *c);
/* Take an `anchor` entry's chain as that role's. */
void chain_begin(const struct match *m, struct match_core *c, const struct entry *e);
/* Link of the server's chain for roll n. */
void match_server_link(struct match *m, const struct match_core *c, uint32_t n,
                       uint8_t out[FD1_LEN]);
void match_server_anchor(struct match *m, uint16_t generation, uint8_t out[FD1_LEN]);

/* ---- match_clock.c ---- */

bool core_has_clock(const struct match *m);
void clock_start(const struct match *m, struct match_core *c);
/* Time left at `now`, not below 0. */
int64_t clock_left(const struct match_core *c, enum rules_side side, struct mono now);
/* Book what has run until `now`. */
void clock_settle(struct match_core *c, struct mono now);
/* After a batch: who runs now. */
void clock_rerun(const struct match *m, struct match_core *c, struct mono now);
/* A phase has begun. */
void clock_phase(const struct match *m, struct match_core *c, struct mono now);
/* The side's player is on vacation: what that adds to the one known already. */
void clock_away(struct match_core *c, enum rules_side side, struct mono until, struct mono now);
/* When the running clock falls; INT64_MAX: none runs. */
struct mono clock_fall(const struct match_core *c);
bool clock_fallen(const struct match_core *c, struct mono now);

/* ---- match_ids.c ---- */

/* seq of the order that `side` gave under `id` (plain text); 0: none. *same: with this body. */
uint32_t ids_find(const struct match *m, enum rules_side side, const char *id,
                  const struct rules_order *o, bool *same);
/* What a line's record says of its entry; rec_read finds it out from the line alone. False: it is
 * an order's, and not as we write them. */
void rec_set(const struct match *m, const struct entry *e, struct match_rec *rec);
NODISCARD bool rec_read(const char *line, struct match_rec *rec);
/* Take note of the line behind the newest noted: order ids, orders that stand. */
void lines_note(struct match *m, uint32_t seq);
/* Can the order be written, all its ids and squares being known? */
bool order_is_plain(const struct rules_board *b, const struct rules_order *o);

/* ---- match_view.c ---- */

/* Take note of the line behind the newest noted: where phases begin. */
void marks_note(struct match *m, uint32_t seq);
void match_prepared_drop(struct match *m);
/* match_sync.c: make it. */
void match_prepare_new(struct match *m, struct match_prepared *out);

/* ---- match_row.c ---- */

void row_write(const struct match *m, const struct match_core *c, struct buf *out);
/* What of it changes with each entry, appended. */
#define TIMERS_HINT 160
void timers_write(const struct match_core *c, struct buf *out);
/* The row's tree (owned), NULL when it doesn't check. */
struct json *row_open(const char *data, size_t len);
/* Setup from row; scenario and board not set. */
NODISCARD enum err row_setup(const struct json *row, struct match_setup *out,
                             struct match_peek *peek);
/* Over what the journal gave: timers and clocks; checks head and hash. `timers`: of the newest
 * entries, its tree; they count where they are of a later entry than the row; NULL: none. */
NODISCARD enum err row_apply(struct match *m, const struct json *row, const struct json *timers,
                             char why[PLAY_WHY_LEN]);
/* ---- match_snap.c ---- */
bool snap_is_due(const struct match_core *c);
void snap_write(const struct match *m, const struct match_core *c, struct buf *out);
/* Core as of the snapshot; m->setup is set. ERR_DATA: it doesn't check, *c undefined but its game. */
NODISCARD enum err snap_read(const struct match *m, const char *data, size_t len,
                             struct match_core *c);
/* Sealed text: SHA-256 in hex, '\n', the text. NULL when it doesn't check. */
void seal(const struct buf *text, struct buf *out);
const char *unseal(const char *data, size_t len, size_t *text_len);

/* ---- match_replay.c ---- */

/* The newest order not taken back; 0: none. *giver its side. */
uint32_t replay_newest(const struct match *m, enum rules_side *giver);
/* The position before the order entry `seq`. */
NODISCARD enum err replay_before(const struct match *m, uint32_t seq, struct rules_state *out);

/* ---- match_load.c ---- */

/* Let m, whose journal is a front of `all`, go on to entry `upto`, which ends a batch. */
void match_redo(struct match *m, const struct match_recs *all, uint32_t upto);
/* Find out the state hashes of lines that recovery passed over. */
void match_recall(struct match *m);

/* ---- small ---- */

struct match *match_bare(const struct match_setup *s, const struct match_env *env,
                         struct match_now now);
void core_begin(const struct match *m, struct match_core *c);
enum err refuse(struct match_step *st, enum err e, const char *words);
/* Refusals that several operations share: over, not started, time run out. */
NODISCARD enum err refuse_unless_live(const struct match *m, struct match_now now,
                                      struct match_step *st);
static inline const char *side_id(const struct match *m, enum rules_side side)
{
    return m->setup.scenario->side[side].id;
}
/* Run batch_from on `e` and submit. */
enum err match_run(struct match *m, struct entry *e, struct match_now now, struct match_step *st);

#endif
