/* SPDX-License-Identifier: ISC
 * lib_sim.h -- the simulator: the real server core in a world made of one seed.
 *
 * Clock, network, storage, hashing threads and entropy are the world's; players are small state
 * machines that speak the wire over simulated connections. Whatever the world does, the laws below
 * hold; a law that is broken ends the program with the seed that shows it. The same seed gives the
 * same run, byte for byte (sim_digest).
 *
 * How it hangs together: the queue of what will happen (lib_sim_world.c) moves bytes between
 * players (lib_sim_actor.c, lib_sim_seat.c, lib_sim_pest.c) and the core (lib_sim_server.c) over
 * links (lib_sim_net.c); what the core stores goes to rows (lib_sim_disk.c), and each journal line
 * that has become durable to its match's ledger (lib_sim_ledger.c), which knows the truth. The tap
 * (lib_sim_tap.c, lib_sim_tap_stream.c) holds every line that leaves the server against that truth.
 */
#ifndef SK_TESTS_LIB_SIM_H
#define SK_TESTS_LIB_SIM_H

#include <sodium/crypto_hash_sha256.h>

#include "client/dice_keeper.h"
#include "client/model.h"
#include "proto/line.h"
#include "proto/msg.h"
#include "server/core/core.h"
#include "tests/sim/lib_play.h"

/* ---- laws ---- */

/* X(enumerator, word, what it says) */
#define SIM_LAW_TABLE(X)                                                                           \
    X(LAW_STANDS, "stands", "the core stands, and does what its interface allows")                 \
    X(LAW_ACKED, "acknowledged", "what was acknowledged is durable, once")                         \
    X(LAW_EARLY, "early", "nothing leaves the server before it is durable")                        \
    X(LAW_REPLAY, "replay", "a replay of the rows gives the live hashes")                          \
    X(LAW_SEQ, "seq", "journal entries are numbered without gaps and never change")                \
    X(LAW_FIGURES, "figures", "figures are conserved")                                             \
    X(LAW_TURN, "turn", "nobody acts out of turn or for somebody else")                            \
    X(LAW_DICE, "dice", "dice are as many as the rules need")                                      \
    X(LAW_FD1, "verifier", "the verifier of links, dice and rules passes")                         \
    X(LAW_SECRET, "secret", "no unrevealed link or other secret is in any output or row")          \
    X(LAW_PRIVATE, "private", "invites and closed matches are shown to whom they are for")         \
    X(LAW_PREFIX, "prefix", "every viewer's stream is a prefix of the one stream, and reaches it") \
    X(LAW_RESUME, "resume", "sync at any seq gives what the continuous stream gave")               \
    X(LAW_RATED, "rated", "a rated game is rated once")                                            \
    X(LAW_CLOCK, "clock", "clocks run for whom the match waits and never rise but by increment")   \
    X(LAW_ONCE, "once", "a seat's order or share counts once")                                     \
    X(LAW_CLOSE, "close", "nobody who is there is sent away without a word")                       \
    X(LAW_GHOST, "ghost", "who is said to be there is there, and nobody else")                     \
    X(LAW_BAN, "ban", "nobody is let in from a banned address")                                    \
    X(LAW_ABSENT, "absent", "an absence is final, and nobody is absent whose share was taken")     \
    X(LAW_BOUNDS, "bounds", "queues, memory and descriptors stay within bounds")                   \
    X(LAW_ZERO, "zero", "nothing is left at the end")                                              \
    X(LAW_ACCOUNT, "account", "no connection changes another's account")                           \
    X(LAW_TOKEN, "token", "a token used again after its successor ends its family")                \
    X(LAW_REPLY, "reply", "each request is answered once, in order, and nothing follows a close")  \
    X(LAW_RESULT, "result", "an accepted order gets its result, or the game its end")              \
    X(LAW_ENDS, "ends", "in a healed world every match ends")                                      \
    X(LAW_ARCHIVE, "archive",                                                                      \
      "a finished match is archived once, whole, and comes back as it was")                        \
    X(LAW_RECOVERY, "recovery", "rows that were committed load again; a torn one stays alone")
enum sim_law {
#define X(name, word, says) name,
    SIM_LAW_TABLE(X)
#undef X
        SIM_LAW_COUNT
};

struct sim;
struct sim_ledger;
struct sim_table;
/* The law is broken: say so, with the seed and how to see it again, and end the program. */
NORETURN void sim_broken(const struct sim *s, enum sim_law law, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* The same unless `fine`; words are for people. */
void sim_hold(const struct sim *s, enum sim_law law, bool fine, const char *words);

/* ---- what will happen ---- */

enum sim_what {
    SIM_ACCEPT, /* link a: the connection reaches the server */
    SIM_UP,     /* link a: bytes reach the server */
    SIM_DOWN,   /* link a: bytes reach the client */
    SIM_END_UP, /* link a: the server learns that the client is gone */
    SIM_END_DOWN,
    SIM_COMMIT,   /* the group under way ends */
    SIM_HASHED,   /* the oldest hashing job ends */
    SIM_TICK,     /* the server's timer */
    SIM_START,    /* the server starts again */
    SIM_ACTOR,    /* actor a looks around */
    SIM_FAULT,    /* something goes wrong */
    SIM_BOSS,     /* the operator looks around */
    SIM_BOSS_JOB, /* what it wanted of the shell is done */
    SIM_WHAT_COUNT
};
struct sim_event {
    int64_t at;
    uint64_t order; /* of equal moments: first come, first served */
    uint8_t what;
    uint32_t a;    /* link, actor, or the tick's number */
    uint32_t life; /* of the process, link or wish that it belongs to; else passed over */
};
struct sim_queue {
    struct sim_event *heap;
    size_t n, cap;
    uint64_t order;
};
void sim_at(struct sim *s, int64_t at, struct sim_event ev);

/* ---- climate: how often what goes wrong, in a thousand ---- */

struct sim_climate {
    unsigned split;            /* of pieces that come in parts */
    unsigned slow_net;         /* of pieces that take long */
    unsigned drop, half_open;  /* of links at a fault */
    unsigned stall;            /* of readers at a fault: they read nothing for a while */
    unsigned refuse;           /* of connections that never reach the server */
    unsigned full, lost, lag;  /* of commits: disk full, unknown outcome, slow */
    unsigned unread;           /* of questions to the store: it can't read */
    unsigned crash, crash_mid; /* of faults: at once, between two effects */
    unsigned stop, hold;       /* of faults: clean restart, a handover that is begun */
    unsigned rekey;            /* of faults: another master key */
    unsigned jump;             /* of faults: the wall clock jumps */
    unsigned busy;             /* of hashing jobs: refused */
    int64_t fault_every_ms;
    bool small_queues; /* few bytes make a peer slow */
};

/* ---- the server's process ---- */

struct sim_server {
    struct core *core; /* NULL: not running */
    struct core_config cfg;
    struct core_effects fx;
    uint32_t life;       /* of processes so far */
    int64_t mono_base;   /* its clock reads t + mono_base */
    int64_t wall_off;    /* wall clock - t */
    int64_t born, ended; /* t; ended: of the process before */
    int64_t served_base; /* served_ms as it was loaded */
    int64_t tick_at;     /* t of the tick that is set */
    uint32_t tick_no;    /* the newest one's */
    unsigned crash_in;   /* effects until it crashes; 0: it doesn't */
    bool stopping, stopped, crashed, holding, held;
    bool rekey_due;
    uint64_t job[64];
    char *password[64], *hash[64]; /* owned */
    unsigned n_jobs;
    unsigned open_links; /* that the core hasn't closed and whose end it wasn't told */
};
void server_start(struct sim *s);
/* It is killed: memory is gone, what was being stored is kept or lost as a whole. */
void server_crash(struct sim *s);
void server_stop(struct sim *s);
void server_hold(struct sim *s);
void server_step(struct sim *s, struct core_event *ev);
void server_hashed(struct sim *s);
void server_fini(struct sim *s);
/* A core recovered from the rows as they are, beside the live one; core_free. `torn`: cut the
 * journal of that match short (NULL: none); `refused`: rows that it didn't take. */
struct core *server_shadow(struct sim *s, const struct core_config *cfg,
                           const struct sim_ledger *torn, unsigned *refused);

/* ---- links ---- */

enum { SIM_SUBS = 6, SIM_QUEUE = 128 };

struct sim_pipe {
    struct buf q;
    bool moving;        /* a delivery is on its way */
    int64_t not_before; /* a stall */
};
struct sim_sub {
    struct sim_ledger *ledger;
    uint32_t next; /* seq that must come */
};
struct sim_link {
    conn_id id; /* generation and the server's slot, which comes again */
    uint32_t serial, index;
    uint8_t actor, sess;
    bool reached;     /* the server has accepted it */
    bool server_open; /* the core may be told of it and may send */
    bool server_over; /* nothing more will be put into `down` */
    bool client_open;
    bool paused, slow;
    bool ended;    /* the core was told its end */
    bool closing;  /* it was told that it will be closed */
    bool told_why; /* so, or the newest line says why it will be closed */
    int64_t heard; /* t when the core last had bytes of it */
    bool forgiven; /* the world broke it: not every request was answered */
    struct sim_pipe up, down;
    struct buf part;         /* of a line that is leaving */
    size_t slow_at;          /* bytes queued when the core was told that it is slow */
    size_t limit;            /* with more queued it is slow, by the newest send */
    char user[NAME_LEN + 1]; /* logged in as, by the server's own words; "" */
    struct sim_sub sub[SIM_SUBS];
    unsigned n_subs;
    int64_t asked[SIM_QUEUE]; /* requests not answered yet, a ring */
    unsigned asked_at, n_asked;
};
/* The link of a new connection; NULL: refused. */
struct sim_link *net_connect(struct sim *s, uint8_t actor, uint8_t sess);
void sim_send(struct sim *s, struct sim_link *l, const char *data, size_t len);
/* The client goes: what is on its way still arrives (in part), then the server learns it; with
 * half_open it doesn't. */
void net_leave(struct sim *s, struct sim_link *l, bool half_open);
/* The line breaks: both ends learn it. */
void net_drop(struct sim *s, struct sim_link *l);
void net_stall(struct sim *s, struct sim_link *l, int64_t ms);
struct sim_link *net_find(const struct sim *s, conn_id id);
/* From the server: queue, close, read no more, read on. */
void net_out(struct sim *s, struct sim_link *l, const char *data, size_t len);
void sim_close(struct sim *s, struct sim_link *l);
void sim_pause(struct sim *s, struct sim_link *l, bool pause);
/* Tell the core who is slow, and who isn't any more. */
void net_settle(struct sim *s);
void net_server_gone(struct sim *s);
void net_event(struct sim *s, const struct sim_event *ev);
void net_fini(struct sim *s);

/* ---- rows ---- */

struct sim_row {
    uint8_t kind;
    uint8_t state, role;
    uint32_t seq;
    uint8_t key[32];
    char name[64];
    struct buf data, snapshot, lines, timers;
    uint32_t snapshot_seq;
};
struct sim_rows {
    struct sim_row *row;
    size_t n, cap;
};
/* A match in the archive. */
struct sim_filed {
    uint8_t id[MATCH_ID_LEN];
    uint32_t no;
    char name[2][NAME_LEN + 1];
    bool is_private;
    struct buf summary, record;
};
/* What the store was given to do: a transaction or a question. */
struct sim_work {
    struct store_txn *txn;   /* owned; NULL: a question */
    struct store_read *read; /* owned */
    struct store_found found;
    int64_t at; /* t */
};
enum { SIM_ROW_KINDS = 32 };
struct sim_disk {
    struct sim_rows rows[SIM_ROW_KINDS]; /* by the kind of operation that puts them */
    struct sim_filed *filed;             /* by number */
    size_t n_filed;
    struct buf *audit; /* oldest first */
    size_t n_audit;
    struct sim_work *work; /* under way, oldest first */
    size_t n, cap;
    size_t group;       /* how many of them are being worked off; 0: none */
    bool settled;       /* their outcome is known, and is being told */
    int64_t full_until; /* t */
    int64_t last_fault; /* t when commits last failed or lagged */
    int64_t served_ms;  /* as stored */
    uint64_t commits;
};
/* Rows that are there before the world begins; borrowed. */
void disk_seed(struct sim *s, const struct store_txn *txn);
void disk_submit(struct sim *s, struct store_txn *txn);
void disk_ask(struct sim *s, struct store_read *read);
void disk_commit(struct sim *s);
/* The process is gone with these under way. */
void disk_crash(struct sim *s);
void disk_fini(struct sim *s);
const struct sim_row *disk_share(const struct sim *s, const uint8_t match[MATCH_ID_LEN],
                                 enum role role);
const struct sim_row *disk_match(const struct sim *s, const uint8_t match[MATCH_ID_LEN]);
const struct sim_row *disk_token(const struct sim *s, const uint8_t token[MSG_TOKEN_LEN]);
const struct sim_row *disk_user(const struct sim *s, const char *name);
const struct sim_row *disk_standing(const struct sim *s, const char *name);
/* The journal rows of a match and what belongs to them are gone. */
void disk_forget(struct sim *s, const uint8_t match[MATCH_ID_LEN]);
/* An archive, rename or audit operation that is durable now. */
void shelf_op(struct sim *s, const struct store_op *op);
/* Answer as of now. `calm`: the disk can be read. */
void shelf_read(struct sim *s, const struct store_read *r, bool calm, struct store_found *out);
void shelf_fini(struct sim_disk *d);
/* All that is over has been archived, if the server was to do so by now. */
void shelf_end(struct sim *s);

/* ---- the truth about a match ---- */

struct sim_line {
    size_t at, len;
    uint8_t hash[FD1_LEN], state_hash[RULES_HASH_LEN];
    bool has_state; /* the position is defined behind it */
    uint8_t kind;   /* enum entry_kind */
};
struct sim_given {
    uint32_t seq;
    uint8_t side;
    char id[24];
    bool settled; /* its events are there */
};
struct sim_clock {
    bool known;
    int64_t left[2], bonus[2]; /* the newest told, and what may have come on top since */
    bool fresh;                /* days began anew */
    int64_t at;                /* t of the batch that told it */
    int64_t free_since;        /* t since when nobody owes; -1 */
    int64_t uncharged;         /* ms since `at` in which no clock ran */
    int64_t gift, loss;        /* ms that restarts since `at` may give or take */
};
struct sim_ledger {
    uint8_t id[MATCH_ID_LEN];
    char hex[MATCH_ID_HEX];
    const struct scenario *scn;
    struct sim_table *table;
    struct buf text;
    struct sim_line *line; /* by seq - 1 */
    uint32_t n, cap;
    struct audit audit;
    struct rules_state before; /* of figures, at the last whole batch */
    struct sim_given *given;
    uint32_t n_given, given_cap;
    uint32_t taken[2];   /* by role: newest roll whose share was acknowledged */
    uint32_t absent[2];  /* by role: newest roll marked absent for */
    int64_t last_order;  /* t */
    int64_t asked_at[2]; /* by role: t of the latest request for the open roll's share */
    struct sim_clock clock;
    bool phase_began;   /* in the batch that is read */
    bool filed;         /* it is in the archive */
    char invite[48];    /* "": none */
    uint32_t revealing; /* roll whose links stand in a transaction under way */
    struct sim_ledger *next;
};
struct sim_ledger *ledger_find(const struct sim *s, const char *hex, size_t len);
struct sim_ledger *ledger_of(const struct sim *s, const uint8_t id[MATCH_ID_LEN]);
/* Journal lines that are durable now; `at`: when their batch was made. */
void ledger_take(struct sim *s, const struct store_op *op, int64_t at);
/* A share that is durable now. */
void ledger_share(struct sim *s, const struct store_op *op, int64_t at);
/* Time that the process's end costs or gives. */
void ledger_restart(struct sim *s, int64_t ahead_ms);
void ledger_downtime(struct sim *s, int64_t ms);
const char *ledger_line(const struct sim_ledger *l, uint32_t seq, size_t *len);
/* The seat of this name; ROLE_COUNT: none. */
enum role ledger_role(const struct sim_ledger *l, const char *name);
void ledger_fini(struct sim *s);
void clock_line(struct sim *s, struct sim_ledger *l, int64_t at);
void clock_batch(struct sim *s, struct sim_ledger *l, int64_t at);
void clock_told(struct sim *s, const struct sim_ledger *l, const int64_t left[2]);

/* ---- secrets ---- */

struct sim_secret {
    uint8_t link[FD1_LEN];
    const struct sim_ledger *ledger;
    uint32_t k;
    uint16_t generation;
    uint8_t role; /* enum role */
};
struct sim_secrets {
    struct sim_secret *slot;
    size_t n, cap;
};
/* Links of a chain that are to be told one by one. */
void secret_chain(struct sim *s, const struct sim_ledger *l, enum role role,
                  const struct fd1_chain *c);
void secret_server(struct sim *s, struct sim_ledger *l, uint16_t generation);
/* Nothing in `text` is to be kept from everybody. `where` is for people. */
void secret_scan(struct sim *s, const char *text, size_t len, const char *where);
void secret_fini(struct sim *s);

/* ---- requests ---- */

/* X(enumerator, word) */
#define SIM_ASK_TABLE(X)                                                                           \
    X(ASK_HELLO, "session.hello")                                                                  \
    X(ASK_GUEST, "session.guest")                                                                  \
    X(ASK_REGISTER, "session.register")                                                            \
    X(ASK_LOGIN, "session.login")                                                                  \
    X(ASK_RESUME, "session.resume")                                                                \
    X(ASK_PING, "session.ping")                                                                    \
    X(ASK_LOGOUT, "session.logout")                                                                \
    X(ASK_PASSWORD, "session.password")                                                            \
    X(ASK_CREATE, "match.create")                                                                  \
    X(ASK_JOIN, "match.join")                                                                      \
    X(ASK_CANCEL, "match.cancel")                                                                  \
    X(ASK_MINE, "match.mine")                                                                      \
    X(ASK_SYNC, "match.sync")                                                                      \
    X(ASK_WATCH, "match.watch")                                                                    \
    X(ASK_UNWATCH, "match.unwatch")                                                                \
    X(ASK_ANCHOR, "match.anchor")                                                                  \
    X(ASK_SHARE, "match.share")                                                                    \
    X(ASK_ORDER, "match.order")                                                                    \
    X(ASK_RESIGN, "match.resign")                                                                  \
    X(ASK_CLAIM, "match.claim")                                                                    \
    X(ASK_OFFER, "match.offer")                                                                    \
    X(ASK_ANSWER, "match.answer")                                                                  \
    X(ASK_CHAT, "match.chat")                                                                      \
    X(ASK_LEGAL, "match.legal")                                                                    \
    X(ASK_RECORD, "match.record")                                                                  \
    X(ASK_LOBBY, "lobby.list")                                                                     \
    X(ASK_FOLLOW, "lobby.follow")                                                                  \
    X(ASK_MUTE, "chat.mute")                                                                       \
    X(ASK_UMPIRE, "match.umpire")                                                                  \
    X(ASK_PLAYED, "player.matches")                                                                \
    X(ASK_INFO, "server.info")
enum sim_ask {
#define X(name, word) name,
    SIM_ASK_TABLE(X)
#undef X
        ASK_COUNT
};
struct sim_asked {
    uint8_t what; /* enum sim_ask */
    uint8_t actor, sess, seat;
    bool answered, ok;
    bool has_after;
    uint32_t link;   /* serial */
    uint32_t number; /* share: roll; sync: after; as the asker likes */
    uint32_t model;  /* sync: of which reading */
    char match[MATCH_ID_HEX];
    char order_id[24];
    uint8_t token[32]; /* resume: the successor; share: the share */
};

/* ---- players ---- */

enum {
    SIM_ACTORS = 12,
    SIM_TABLES = 3,
    SIM_SESS = 2,
    SIM_SEATS = 4,
    SIM_TOKENS = 16,
};

/* How somebody behaves; each in a thousand unless named otherwise. */
struct sim_manner {
    int64_t think_ms, lazy_ms; /* before an order; sometimes */
    unsigned lazy;
    unsigned leave; /* of looks around: drop the line on purpose */
    unsigned twice; /* of orders and shares: sent twice, on both lines if there are two */
    unsigned rude;  /* of orders: out of turn, another's figures, a used id, forged shares */
    unsigned talk;  /* of looks around: chat, offers, lists */
    unsigned thief; /* of logins: an old token first */
    bool two_lines;
    bool pest, umpire, staff; /* umpire: acts as one; staff: is one */
};

enum sim_phase { SESS_DOWN, SESS_HELLO, SESS_LOGIN, SESS_UP };
struct sim_sess {
    struct sim_link *link; /* NULL: none */
    uint8_t phase;         /* enum sim_phase */
    struct buf in;
    int64_t since;    /* t of the last change of phase, or of the oldest open request */
    int64_t retry_at; /* t: not before */
    unsigned asked;   /* requests under way */
    bool mine_known, mine_asked;
    int64_t mine_at;
};

enum sim_seat_state { SEAT_IDLE, SEAT_ASKING, SEAT_SITS, SEAT_DONE };
struct sim_order {
    bool there, flying;
    char id[24];
    uint32_t base;
    struct buf body; /* JSON of the order */
};
struct sim_seat {
    struct sim_table *table;
    uint8_t wish;                    /* ROLE_A: makes it, ROLE_B: joins, ROLE_COUNT: looks on */
    uint8_t state;                   /* enum sim_seat_state */
    uint8_t sess;                    /* the session that reads it */
    bool has_model, reading, flying; /* reading: synced on that session; flying: a sync is */
    struct model m;
    struct keeper_record rec;
    struct fd1_chain *chain; /* owned */
    struct keeper_request want;
    bool wanted, sharing, anchoring, whole; /* whole: read from the journal's first entry */
    int64_t share_at, order_at, claim_at, sync_at;
    struct sim_order order;
    uint32_t model;   /* readings begun anew so far */
    uint32_t given;   /* seq of the newest order acknowledged */
    uint32_t replied; /* newest offer answered */
    char used_id[24]; /* of an order that was taken */
    bool used_end;    /* it was the end of a phase */
};
struct sim_actor {
    uint8_t index;
    struct sim_manner how;
    char name[NAME_LEN + 1];
    char password[24];
    bool member, registered;
    bool acked;     /* the account was acknowledged */
    bool gone;      /* doesn't come back */
    bool seated;    /* a seat of its was acknowledged */
    unsigned names; /* guest names used so far */
    uint8_t token[SIM_TOKENS][32];
    unsigned n_tokens, try_token, rounds;
    uint8_t old_token[32], older_token[32]; /* the one before the newest, and the one before that */
    unsigned steps_since;                   /* tokens of this family */
    uint32_t stole_life;                    /* process of then */
    bool stealing, stole;                   /* uses older_token; did: its family must be dead */
    struct sim_sess sess[SIM_SESS];
    struct sim_seat seat[SIM_SEATS];
    unsigned n_seats;
    int64_t wake_at;
    uint32_t wake;
    unsigned n_orders; /* ids used so far */
};
struct sim_table {
    uint8_t index, maker, joiner; /* actors */
    const struct scenario *scn;
    struct scenario *scn_mutable; /* the same, as the model wants it */
    struct clock_rule clock;
    uint8_t fair;
    uint8_t watch; /* enum msg_watch */
    bool rated, is_private, random_side, readings;
    bool known;
    char hex[MATCH_ID_HEX];
    char invite[48];
    struct sim_ledger *ledger;
};

/* ---- the operator ---- */

enum sim_boss_act { BOSS_LOOK, BOSS_ACT, BOSS_COPY, BOSS_BAN, BOSS_UNBAN };
enum sim_ban { BAN_NONE, BAN_UNKNOWN, BAN_THERE };
struct sim_order_of {
    conn_id id;
    uint8_t act;     /* enum sim_boss_act */
    unsigned number; /* of an address: 10.0.0.number */
    int64_t at;      /* t */
    size_t audited;  /* rows of the audit then */
};
struct sim_boss {
    conn_id last;
    struct sim_order_of waiting[24];
    unsigned n_waiting;
    uint8_t ban[10]; /* enum sim_ban; by number */
    bool copying;    /* a backup is asked for */
    uint64_t job;    /* 0: none */
};
void boss_look(struct sim *s);
void boss_answer(struct sim *s, conn_id id, const char *data, size_t len);
void boss_job(struct sim *s, uint64_t id);
void boss_job_end(struct sim *s);
void boss_lost(struct sim *s);
/* Is the address 10.0.0.number surely banned? */
bool boss_bans(const struct sim *s, unsigned number);

struct sim_totals {
    uint64_t runs, matches, played, orders, rolls, crashes, commits, lines, events, shadows;
    uint64_t archived, reads;
    int64_t simulated_ms;
};

struct sim {
    uint64_t seed;
    struct play_rng rng;
    const struct scenario_set *scenarios;
    int64_t t, storm_ends, healed_at;
    bool healed, leaving;
    bool quiet; /* the end is looked at: nobody asks for anything new */
    uint64_t happened;
    struct sim_queue queue;
    struct sim_climate climate;
    struct sim_server server;
    struct sim_disk disk;
    struct sim_boss boss;
    struct sim_link **link; /* by index; NULL: free */
    uint32_t n_links, links_cap, serial;
    struct sim_ledger *ledgers;
    struct sim_secrets secrets;
    struct sim_asked *asked; /* by id - 1 */
    int64_t n_asked, asked_cap;
    struct sim_actor actor[SIM_ACTORS];
    unsigned n_actors;
    struct sim_table table[SIM_TABLES];
    unsigned n_tables;
    struct buf line;       /* a request being written */
    uint8_t asking;        /* what it is, enum sim_ask */
    const char *last_line; /* shared bytes that the tap has just looked at */
    uint64_t digest[2];
    struct sim_totals sum;
    FILE *trace; /* NULL: none */
};

void sim_trace(struct sim *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sim_note(struct sim *s, const char *what, const void *data, size_t len);
bool sim_odds(struct sim *s, unsigned per_mille);
/* In [lo, hi]. */
int64_t sim_between(struct sim *s, int64_t lo, int64_t hi);
void sim_bytes(struct sim *s, uint8_t *out, size_t n);

/* Is somebody logged in by that name, as far as the server was told? */
bool net_is_online(const struct sim *s, const char *name);
/* Has the server a line open on which somebody of that name is logged in? */
bool net_has_line(const struct sim *s, const char *name);
/* Everything that the server sends: a line comes in pieces, all of them in one step. */
void tap_out(struct sim *s, struct sim_link *l, const char *data, size_t len);
void tap_end(struct sim *s);
/* Every transaction, as it is given to the store. */
void books_txn(struct sim *s, const struct store_txn *t);
/* At the end: everybody knows everything, everything was answered. */
void books_end(struct sim *s);

/* ---- actors ---- */

void actor_init(struct sim *s, struct sim_actor *a, const struct sim_manner *how, bool member);
void actor_fini(struct sim_actor *a);
void actor_look(struct sim *s, struct sim_actor *a);
void actor_bytes(struct sim *s, struct sim_link *l, const char *data, size_t len);
void actor_lost(struct sim *s, struct sim_link *l);
void actor_wake(struct sim *s, struct sim_actor *a, int64_t in_ms);
void actor_leave(struct sim *s, struct sim_actor *a);

/* Begin a request on a session that has a line: members, then ask_send. */
struct jsonw ask_begin(struct sim *s, enum sim_ask what);
struct sim_asked *ask_send(struct sim *s, struct sim_actor *a, uint8_t sess);
/* Is somebody's account or seat named here by that name? */
struct sim_actor *actor_named(struct sim *s, const char *name);

struct sim_answer {
    const struct sim_asked *asked;
    const struct json *result; /* NULL: an error */
    enum err err;
    int64_t retry_ms;
};
void seat_add(struct sim *s, struct sim_actor *a, struct sim_table *t, uint8_t wish);
void seat_fini(struct sim_seat *seat);
void seat_look(struct sim *s, struct sim_actor *a, struct sim_seat *seat);
void seat_answer(struct sim *s, struct sim_actor *a, const struct sim_answer *an);
void seat_note(struct sim *s, struct sim_actor *a, uint8_t sess, enum msg_note note,
               const struct json *params);
void seat_lost(struct sim_actor *a, uint8_t sess);
/* Ready to order? Then give one. */
void seat_play(struct sim *s, struct sim_actor *a, struct sim_seat *seat);
void seat_dice(struct sim *s, struct sim_actor *a, struct sim_seat *seat);
void dice_answer(struct sim *s, const struct sim_actor *a, struct sim_seat *seat,
                 const struct sim_answer *an);
/* Ask for somebody's finished games. */
void played_ask(struct sim *s, struct sim_actor *a, const struct sim_seat *seat);
void pest_look(struct sim *s, struct sim_actor *a, uint8_t sess);
void talk_look(struct sim *s, struct sim_actor *a, struct sim_seat *seat);

/* ---- a run ---- */

/* Let everything happen until then, or until `done`. */
void sim_go(struct sim *s, int64_t until, bool (*done)(const struct sim *));
/* Recover the rows beside the live core; `torn`: with that match's journal cut short. */
void shadow_look(struct sim *s, const struct sim_ledger *torn);
void end_look(struct sim *s);

/* One whole run; its sums are added to *sum. *digest depends on every byte that came, left or was
 * stored, and when. */
void sim_run(const struct scenario_set *scenarios, uint64_t seed, FILE *trace,
             struct sim_totals *sum, uint64_t *digest);

#endif
