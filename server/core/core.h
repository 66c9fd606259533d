/* SPDX-License-Identifier: ISC
 * core.h -- the whole server as one pure step: core_step(core, event) -> effects.
 *
 * The shell turns the world (sockets, disk, clocks, entropy) into events and carries effects out;
 * the simulator and the fuzzers do the same without a world. The core never reads a clock, file,
 * socket or random device: the time comes with each event, entropy with CORE_ENTROPY.
 *
 * Journal, then reply: what must not leave before it is durable is given out as effect only after
 * the CORE_STORED of its transaction. A transaction is decided on the durable state, stored, then
 * applied: until CORE_STORED comes back a match has at most one transaction under way, and lines
 * that would change or read that match wait in their connection's turn.
 */
#ifndef SK_SERVER_CORE_H
#define SK_SERVER_CORE_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/msec.h"
#include "proto/entry.h"
#include "server/core/limits.h"
#include "server/core/metrics.h"

/* A connection: slot and generation, never reused in a process's life. 0 is none. Events of an id
 * that the core has closed are passed over. */
typedef uint64_t conn_id;

/* Bytes written once and read by many: freed with the last reference. Never changed once sent. */
struct shared {
    uint32_t refs;
    size_t len;
    char data[]; /* lines with their '\n': a step ends a connection's output with one */
};
struct shared *shared_new(const char *data, size_t len); /* one reference, the caller's */
struct shared *shared_ref(struct shared *s);
void shared_unref(struct shared *s);

/* ---- what the store is asked to keep: one transaction, all or nothing ---- */

enum store_op_kind {
    STORE_MATCH_NEW, /* match row: id, no, state, scenario id, `data` = core's private row (JSON) */
    STORE_MATCH_SET, /* match row again: state and `data` */
    STORE_ENTRIES,   /* journal lines [seq, seq + n): `data` = lines each with '\n'; behind its
                        `len` bytes timers_len more, the clocks as of then (core's private text) */
    STORE_SNAPSHOT,  /* `data` as of seq: bounds recovery */
    STORE_SHARE,     /* a player's share for the open roll (seq = roll n, role): DICE D4 */
    STORE_SHARES_DROP, /* the open roll's shares, once it is journaled */
    STORE_USER_PUT,    /* user row: name (key, without case), `data` = core's private row (JSON) */
    STORE_USER_DROP,
    STORE_TOKEN_PUT, /* token row: key = 32-byte hash, name = user, `data` = family, state (JSON) */
    STORE_TOKEN_DROP,
    STORE_INVITE_PUT, /* a code to register with: key = 32-byte hash, `data` = uses, end (JSON) */
    STORE_INVITE_DROP,
    STORE_META_PUT, /* small named values: next match number, served_ms, players' standings */
    STORE_META_DROP,
    STORE_ARCHIVE, /* a finished match leaves the live tables for the archive: `archive` */
    STORE_RENAME,  /* archived matches list the player called name as `data` from now on */
    STORE_AUDIT    /* what an umpire or operator did: `data` = a JSON object, kept for ever */
};
/* A finished match as it is archived; its number and id stand in the op. */
struct store_archive {
    char name[2][NAME_LEN + 1]; /* by role; "": nobody */
    struct wall over_at;
    bool is_private;
    char *summary; /* owned: what lists need (JSON) */
    char *record;  /* owned: its record, and a last line that is not part of it (archive.h) */
    size_t summary_len, record_len;
};
struct store_op {
    uint8_t kind;  /* enum store_op_kind */
    uint8_t state; /* enum match_state of match rows */
    uint8_t role;
    uint32_t seq, n;
    uint8_t key[32]; /* match id (16 bytes), or hash of a token or invite code */
    char name[64];
    char *data; /* owned, may be NULL */
    size_t len;
    uint32_t timers_len;           /* of entries: stand behind data's `len` bytes */
    struct store_archive *archive; /* owned; of STORE_ARCHIVE */
};
struct store_txn {
    uint64_t id; /* named by the core, answered by CORE_STORED */
    size_t n;
    struct store_op *op; /* owned; or `one`, which an order needs no more than */
    struct store_op one;
    uint64_t given_ns; /* the store's own */
};
void store_txn_free(struct store_txn *t);

/* ---- what the store is asked for; answered in one row with transactions ---- */

enum store_read_kind {
    READ_ARCHIVED, /* the archived match `key`, or number `no`: data = its record */
    READ_AFTER,    /* the archived match with the smallest number above `no`, likewise */
    READ_PLAYED,   /* archived matches numbered below `no`, newest first: data = summaries */
    READ_LIVE,     /* the live match `key` as it is on disk: data = journal lines, row, timers */
    READ_AUDIT,    /* the newest audit objects, newest first */
    READ_CHECK     /* is the database sound? data = words if it isn't */
};
struct store_read {
    uint64_t id; /* named by who asks */
    uint8_t what;
    uint8_t key[MATCH_ID_LEN];
    uint32_t no, limit;         /* no 0: of READ_ARCHIVED, by key; of READ_PLAYED, all */
    bool hidden;                /* played: all private matches too, */
    char viewer[NAME_LEN + 1];  /* or those that this player sat in */
    char name[2][NAME_LEN + 1]; /* played: by this player, against that one; "": any */
};
struct store_row {
    uint8_t id[MATCH_ID_LEN];
    uint32_t no;
    char name[2][NAME_LEN + 1];
    char *data, *row, *timers; /* owned, may be NULL; timers: of READ_LIVE */
    size_t len, row_len, timers_len;
};
struct store_found {
    enum err err;          /* ERR_OK, with no row where there is none; ERR_DATA damaged; ERR_IO */
    struct store_row *row; /* owned */
    size_t n;
};
void store_read_free(struct store_read *r);
void store_found_fini(struct store_found *f);
/* A new row, zeroed. Borrowed until the next. */
struct store_row *store_found_add(struct store_found *f);

enum match_state { MATCH_OPEN, MATCH_SETUP, MATCH_LIVE, MATCH_OVER, MATCH_BROKEN };

#define CORE_ADMIN_LINE 16384 /* longest line of an operator's */

/* ---- events ---- */

enum core_event_kind {
    CORE_ACCEPTED, /* a connection is there */
    CORE_BYTES,    /* bytes came on it */
    CORE_EOF,      /* its peer has ended sending or is gone: the last event of that id */
    CORE_SLOW,     /* more of its output is queued, beyond the one message being written, than
                      the newest send's slow_at; once, until ... */
    CORE_DRAINED,  /* ... its output queue is empty again */
    CORE_TICK,     /* time has passed; come when core_deadline says, or earlier */
    CORE_STORED,   /* a transaction's end: err OK (durable), ERR_STORAGE (surely not saved) */
    CORE_READ,     /* what the store was asked for */
    CORE_HASHED,   /* a password hash's end */
    CORE_ENTROPY,  /* 32 fresh random bytes to mix in */
    CORE_STOP,     /* the process should end: say so to all, then CORE_FX_STOPPED */
    CORE_HOLD,     /* take nothing on for now: what is under way ends, then CORE_FX_HELD */
    CORE_RELEASE,  /* go on where CORE_HOLD stopped */
    CORE_SETTINGS, /* the configuration was read again */
    CORE_ADMIN, /* the operator asks: one line of the admin socket, answered by one CORE_FX_ADMIN.
                      `conn` is an id of that socket's, of no meaning here */
    CORE_JOB    /* what CORE_FX_JOB asked for has ended */
};
struct core_event {
    uint8_t kind;
    struct mono now;
    struct wall wall;
    conn_id conn;
    union {
        struct {
            char addr[46]; /* numeric IPv4 or IPv6 address */
            bool tls, loopback;
        } accepted;
        struct {
            const char *data; /* borrowed */
            size_t len;
        } bytes;
        struct {
            uint64_t txn;
            enum err err;
        } stored;
        struct {
            uint64_t id;
            struct store_found *found; /* its rows may be taken */
        } read;
        struct {
            uint64_t job;
            enum err err;   /* ERR_BUSY: nothing was done, too many wait */
            bool ok;        /* verify: the password fits */
            char hash[128]; /* make: the new string */
        } hashed;
        uint8_t entropy[32];
        const char *reason; /* stop */
        /* settings: borrowed for the step, but its motd; server, seed and master don't count */
        const struct core_config *settings;
        struct {
            const char *who;  /* as the system knows them: "root"; borrowed */
            const char *data; /* the line without its end; borrowed */
            size_t len;
        } admin;
        struct {
            uint64_t job;      /* 0: nobody asked; an upgrade that had begun came to nothing */
            enum err err;      /* ERR_OK: done */
            const char *words; /* what came of it, for people; borrowed */
        } job;
    } u;
};

/* ---- effects, in the order to carry them out ---- */

enum core_effect_kind {
    CORE_FX_SEND,    /* queue `bytes` on conn; flushed once a turn of the loop */
    CORE_FX_CLOSE,   /* close conn once what is queued has gone (bounded by a deadline) */
    CORE_FX_PAUSE,   /* read no more from conn for now */
    CORE_FX_RESUME,  /* read on */
    CORE_FX_STORE,   /* start the transaction */
    CORE_FX_READ,    /* ask the store */
    CORE_FX_HASH,    /* verify or make a password hash on a worker */
    CORE_FX_STOPPED, /* nothing is under way any more: exit 0 */
    CORE_FX_ADMIN,   /* the answer to CORE_ADMIN of `conn`: one line, `bytes` */
    CORE_FX_JOB,     /* do a thing of the shell's, and say so with CORE_JOB */
    CORE_FX_HELD /* nothing is under way, all is stored: until CORE_RELEASE or CORE_STOP no other
                        event may come, and no store is needed, for CORE_STOP neither */
};
/* Things of the shell's that an operator may ask for. */
enum core_job {
    CORE_JOB_BACKUP,  /* `arg`: the directory; NULL: the configured one */
    CORE_JOB_RELOAD,  /* read the configuration again */
    CORE_JOB_UPGRADE, /* done when it has begun */
    CORE_JOB_STOP     /* CORE_STOP follows, for the reason `arg`; no CORE_JOB */
};
struct core_effect {
    uint8_t kind;
    bool player;      /* send: to one who plays there (flushed before spectators) */
    uint32_t slow_at; /* send: with more queued than this the connection is slow */
    conn_id conn;
    union {
        struct shared *bytes;    /* a reference, taken by the shell */
        struct store_txn *txn;   /* taken by the shell */
        struct store_read *read; /* taken by the shell */
        struct {
            uint64_t job;
            char *password, *hash; /* owned, taken; hash NULL: make one */
        } hash;
        struct {
            uint64_t id;
            uint8_t what; /* enum core_job */
            char *arg;    /* owned, taken; may be NULL */
        } job;
    } u;
};
struct core_effects {
    struct core_effect *fx;
    size_t n, cap;
};
void core_effects_fini(struct core_effects *fx); /* frees what wasn't taken too */

/* ---- life ---- */

/* Who may register an account. */
enum core_registration { REGISTER_OPEN, REGISTER_INVITE, REGISTER_CLOSED };

struct core_config {
    const char *server; /* "skirmishd/0.1.0" */
    const char *motd;   /* borrowed; may be "" */
    uint8_t seed[32];   /* entropy to start from */
    uint8_t master[32]; /* DICE: server chains' master key */
    uint32_t master_kid;
    int64_t pid; /* of the process, for the operator */
    struct limits limits;
    uint8_t registration;   /* enum core_registration */
    unsigned vacation_days; /* of a member in a calendar year (UTC) */
    int64_t archive_ms;     /* so long after its end a match goes into the archive */
    bool limit_loopback;    /* limits against hostility for 127/8 and ::1 too */
    bool members_watch;     /* guests may not look on */
    bool trust_plain;       /* a proxy ends TLS: passwords may come on plain connections */
};
struct core;
/* `scenarios` is borrowed for the core's life. */
NODISCARD struct core *core_new(const struct core_config *cfg, const struct scenario_set *scenarios,
                                struct mono now, struct wall wall);
void core_free(struct core *c);

/*
 * Recovery, before the first step: rows as the store has them, in this order: meta, users, tokens,
 * invites, matches with newest snapshot (may be NULL) and all their journal lines from seq 1, shares; then
 * core_load_done. ERR_DATA: this row is set aside (a match: MATCH_BROKEN), the rest goes on; why[]
 * says why.
 */
struct core_match_row {
    uint8_t id[MATCH_ID_LEN];
    uint8_t state;
    const char *data, *snapshot, *lines; /* lines: each with '\n' */
    const char *timers;                  /* of the newest STORE_ENTRIES; NULL: it had none */
    size_t data_len, snapshot_len, lines_len, timers_len;
    uint32_t snapshot_seq;
};
NODISCARD enum err core_load_meta(struct core *c, const char *name, const char *data);
NODISCARD enum err core_load_user(struct core *c, const char *name, const char *data, size_t len);
NODISCARD enum err core_load_token(struct core *c, const uint8_t hash[32], const char *user,
                                   const char *data, size_t len);
NODISCARD enum err core_load_invite(struct core *c, const uint8_t hash[32], const char *data,
                                    size_t len);
NODISCARD enum err core_load_match(struct core *c, const struct core_match_row *row,
                                   char why[PLAY_WHY_LEN]);
NODISCARD enum err core_load_share(struct core *c, const uint8_t match[MATCH_ID_LEN],
                                   enum role role, uint32_t roll, const uint8_t share[FD1_LEN]);
void core_load_done(struct core *c);
/* Afterwards: play an archived match's text again from its first entry; `id` must be its. ERR_DATA:
 * why[]. Nothing in the core changes. */
NODISCARD enum err core_prove_archived(struct core *c, const uint8_t id[MATCH_ID_LEN],
                                       const char *text, size_t len, char why[PLAY_WHY_LEN]);

/* The step. Effects are appended to *out. */
void core_step(struct core *c, const struct core_event *ev, struct core_effects *out);
/* When the next CORE_TICK is wanted at the latest. */
struct mono core_deadline(const struct core *c);

/* Ways to log in. */
enum core_login { CORE_LOGIN, CORE_REGISTER, CORE_RESUME, CORE_GUEST, CORE_LOGINS };
/* Counters for people and metrics. */
struct core_stats {
    uint64_t conns, logged_in, players, spectators, matches_open, matches_live, orders, refusals,
        stored, sent_bytes, turned_away, penalties;
    uint64_t matches_over, guests, users, archived, hashing, clocks; /* now */
    uint64_t refused[ERR_COUNT];    /* by reason; refusals is their sum */
    uint64_t login[CORE_LOGINS][2]; /* by way; refused, and let in */
    uint64_t created[3];            /* matches, by enum fair */
    struct hist order_ack;          /* from an order's line to its answer, the disk included */
};
void core_stats(const struct core *c, struct core_stats *out);

#endif
