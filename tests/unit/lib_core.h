/* SPDX-License-Identifier: ISC
 * lib_core.h -- the server core in a small world: connections as byte queues, a store that answers
 * at once, when told, or not at all.
 */
#ifndef SK_TESTS_LIB_CORE_H
#define SK_TESTS_LIB_CORE_H

#include "common/base/buf.h"
#include "proto/json.h"
#include "server/core/core.h"

enum { WORLD_CONNS = 64, WORLD_WORK = 64, WORLD_SENDS = 512 };

/* What was sent, in order: whose bytes they are, not what they say. */
struct world_send {
    conn_id conn;
    const struct shared *bytes; /* only to be compared, within one step */
    bool player;
};

/* Rows as a store keeps them, in order of arrival. */
struct world_row {
    uint8_t kind; /* enum store_op_kind that made it */
    uint8_t state, role;
    uint32_t seq;
    uint8_t key[32];
    char name[64];
    struct buf data, snapshot, lines, timers;
    uint32_t snapshot_seq;
};

enum world_store { STORE_NOW, STORE_WHEN_TOLD, STORE_FAILS };

struct world_conn {
    conn_id id;
    struct buf out;   /* all that was sent and not yet taken */
    uint32_t slow_at; /* of the newest send */
    bool paused, closed;
};
struct world {
    struct core *core;
    struct scenario_set scenarios;
    struct core_config cfg;
    struct mono now;
    struct wall wall;
    struct world_conn conn[WORLD_CONNS];
    unsigned n_conns;
    enum world_store store;
    struct store_txn *txn[WORLD_WORK]; /* under way, oldest first; owned */
    size_t n_txns;
    uint64_t job[WORLD_WORK];
    char *password[WORLD_WORK], *hash[WORLD_WORK];
    size_t n_jobs;
    struct store_read *read[WORLD_WORK]; /* under way; owned */
    size_t n_reads;
    struct world_row *row; /* owned */
    size_t n_rows;
    struct buf kept; /* what was stored: a word a line, "match_new", "entries 3+2" ... */
    struct buf told; /* to the operator, not yet taken */
    uint64_t shell_job[WORLD_WORK]; /* under way */
    size_t n_shell_jobs;
    uint8_t shell_what; /* enum core_job of the newest */
    bool stopped, held;
    struct world_send sends[WORLD_SENDS]; /* the first so many since n_sends was set to 0 */
    size_t n_sends;
    uint64_t effects; /* carried out so far */
    uint64_t dies_at; /* SIGKILL once so many are; 0: it lives */
    bool dead;        /* it was; nothing happens any more until world_revive */
};

void world_init(struct world *w);
void world_fini(struct world *w);
/* A new connection; its number here. */
unsigned world_connect(struct world *w);
/* The same from elsewhere: `addr` isn't of this machine. */
unsigned world_connect_from(struct world *w, const char *addr, bool tls);
void world_send(struct world *w, unsigned conn, const char *bytes);
/* One line, with its end. */
void world_line(struct world *w, unsigned conn, const char *line);
void world_event(struct world *w, unsigned conn, enum core_event_kind kind);
/* Let time pass, in steps that the core asks for. */
void world_wait(struct world *w, int64_t ms);
/* The oldest transaction's end. */
void world_stored(struct world *w, enum err e);
/* The oldest hashing job's end, as argon2id would say: "hash of X" is the hash of X. */
void world_hashed(struct world *w);
void world_stop(struct world *w);
/* CORE_HOLD or CORE_RELEASE. */
void world_hold(struct world *w, bool on);
/* Everything in memory is gone, as by SIGKILL; a new core recovers what was stored. Connections
 * are closed. */
void world_restart(struct world *w);
/* The same behind dies_at. `kept`: transactions that were under way are durable, though nobody was
 * told; else they never were. */
void world_revive(struct world *w, bool kept);
/* The next line sent on the connection, without its end; "" when there is none. Valid until the
 * next call. */
const char *world_take(struct world *w, unsigned conn);
/* Throw away what was sent so far. */
void world_skip(struct world *w, unsigned conn);
/* Send the line and take its answer (the next line with an id), which must hold `want`; other
 * lines before it are skipped. Returns the answer, valid until the next call. */
const char *world_ask(struct world *w, unsigned conn, const char *line, const char *want);
/* The string member `name` right behind `"name":"` in a line, into out[size]. */
void world_member(const char *line, const char *name, char *out, size_t size);
/* An operator's line. */
void world_admin(struct world *w, const char *line);
/* The next answer to one, without its end, which must hold `want`; valid until the next call. */
const char *world_told(struct world *w, const char *want);
/* The oldest thing of the shell's ends. */
void world_job(struct world *w, enum err e, const char *words);
/* A connection that is logged in as this guest. */
unsigned world_guest(struct world *w, const char *name);

#endif
