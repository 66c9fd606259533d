/* SPDX-License-Identifier: ISC
 * state.h -- what the core knows, shared by its own files and by nobody else.
 *
 * Ownership: core owns connections, users (with their token families) and rooms (a match and who
 * looks at it). Lists between them are intrusive and kept in order of arrival, so that effects come
 * in the same order in every run.
 */
#ifndef SK_CORE_STATE_H
#define SK_CORE_STATE_H

#include "common/base/drbg.h"
#include "common/base/map.h"
#include "proto/line.h"
#include "proto/msg.h"
#include "server/core/archive.h"
#include "server/core/core.h"
#include "server/core/match.h"
#include "server/core/timer.h"

#define NAME_KEY_LEN 24 /* a name in lower case, padded with zeros */

struct user;
struct room;
struct sub;
struct pend;
struct standing;
struct fetch;
struct club_change;
struct invite;
struct admin_ask;
struct ban;

/* Connections that wait for a transaction to end, first come first. */
struct gate {
    struct conn *first, *last;
};

/* A source (limits_source): its connections, and how long it is being penalised. */
struct addr {
    uint8_t key[SOURCE_LEN];
    unsigned conns, held;
    struct mono penalty; /* until then */
    struct timer timer;  /* then; armed: counted in n_penalised */
};

enum phase { PHASE_NEW, PHASE_HELLO, PHASE_USER, PHASE_COUNT };

/* A connection that sees a match live. */
struct sub {
    struct conn *conn;
    struct room *room;
    struct sub *conn_next;
    struct sub *prev, *next; /* of the room's players or watchers */
    uint32_t state_seq;      /* of the state given at sync; 0: none given */
    bool player;
    bool later; /* sees events when match_visible_head reaches them */
    bool stale; /* missed events: gets match.resync once drained */
};
struct sub_list {
    struct sub *first, *last;
    unsigned n;
};

/* A connection that follows the lobby. */
struct follower {
    struct conn *conn;
    struct follower *prev, *next;
};

/* There are many thousands, most of whom look on: what it takes for that is kept small. */
struct conn {
    conn_id id;
    struct line_reader in;
    uint8_t ip[IP_LEN];        /* where it comes from */
    struct timer timer;        /* the nearest of its deadlines */
    struct mono life;          /* when bytes last came */
    struct mono grace;         /* since when it is expected to log in */
    struct mono since;         /* slow: since when; else when the line now coming began */
    struct mono rest;          /* resting: until then its lines wait, it is others' turn */
    struct mono asked;         /* when the request being served was taken up */
    int64_t rate_ms;           /* the message bucket is full again at this mono time */
    struct addr *addr;         /* counted there; NULL: not counted */
    struct user *user;         /* PHASE_USER */
    struct family *family;     /* of the token that it logged in by; NULL once that was ended */
    struct conn *prev, *next;  /* of all, in order of arrival */
    struct conn *user_next;    /* of the same user, in order of login; of the dead */
    struct follower *follower; /* owned; NULL: it doesn't follow the lobby */
    struct gate *gate;         /* waits there with `held` */
    struct conn *gate_next;
    struct msg_request *held; /* owned */
    struct pend *pend;        /* its request under way, or NULL */
    struct sub one;           /* a match that it reads, room NULL: none; then the others */
    uint32_t said;            /* bytes sent to it, modulo 2^32 */
    uint16_t bad_lines;
    uint8_t phase : 2; /* enum phase */
    bool tls : 1;
    bool loopback : 1;
    bool limited : 1; /* the limits against hostility hold for it */
    bool is_new : 1;  /* counted in n_new_conns */
    bool spoke : 1;   /* a first byte came and could begin JSON */
    bool pinged : 1;
    bool paused : 1;  /* the shell was told to read no more */
    bool slow : 1;    /* its output is over the limit until CORE_DRAINED */
    bool ended : 1;   /* its peer sends no more: closed once its lines are answered */
    bool closing : 1; /* nothing more is read or sent */
    bool resting : 1;
};

/* ---- people ---- */

#define TOKENS_KEPT 64 /* of a family: older ones are forgotten, and so simply unknown */

#define FAMILIES_KEPT 20 /* of a user: another login ends the oldest */

struct token {
    uint8_t hash[32];
    struct family *family;
    struct token *older;
    uint32_t n; /* its place in the family, from 0 */
};
/* Tokens that followed one another from one login on. */
struct family {
    uint8_t id[16];
    struct user *user;
    struct token *newest;
    struct family *next;
    struct token one; /* one of them has its place here, a guest's only one; free: family NULL */
    bool ending;      /* a transaction that drops it is under way */
};

enum user_kind { USER_GUEST, USER_MEMBER };
enum user_role { USER_PLAIN, USER_UMPIRE, USER_ADMIN };

/* A seat in a match that isn't over, or (role ROLE_COUNT) a challenge to this user. */
struct seat {
    struct room *room;
    uint8_t role; /* enum role */
    struct seat *next;
};

/* Days off: no correspondence clock runs out meanwhile. */
struct vacation {
    struct mono until;  /* served time; long ago: none */
    int64_t year, days; /* calendar year (UTC), and days taken in it */
};

#define BARRED_FOR_EVER INT64_MAX

/* What a user has beyond a guest who looks on. */
struct account {
    struct vacation vacation;
    char *news; /* owned: what an operator did meanwhile, told like `warned`; NULL: nothing */
    struct wall barred;          /* suspended until then; BARRED_FOR_EVER; ms 0: not at all */
    char *barred_why;            /* owned; NULL: not suspended */
    char *hash, *email;          /* owned; members */
    char (*muted)[NAME_KEY_LEN]; /* owned */
    size_t n_muted;
};

struct user {
    char key[NAME_KEY_LEN];
    char name[NAME_LEN + 1];
    uint8_t kind, role;  /* enum user_kind, enum user_role */
    bool stored : 1;     /* its row is durable */
    bool unborn : 1;     /* registering: holds the name, is nobody yet */
    bool gate_shut : 1;  /* a change of its tokens or row is under way */
    bool changing : 1;   /* that of its password: nobody logs in by the old one meanwhile */
    bool warned : 1;     /* its tokens were stolen while it was away: told at its next login */
    unsigned storing;    /* transactions under way that hold its row */
    unsigned pins;       /* pends that point here */
    struct account *own; /* owned; NULL: an empty one (user_account, user_own_account) */
    struct gate gate;
    struct timer timer; /* a guest's expiry */
    struct conn *conns;
    struct user *online_prev, *online_next;
    struct seat *seats;
    struct family *families;
    struct wall since;
    int64_t chat_ms; /* its chat bucket is full again at this mono time */
};

/* ---- matches ---- */

struct room {
    uint8_t id[MATCH_ID_LEN];
    uint32_t no;
    uint8_t list;     /* enum list_kind it stands in */
    struct match *m;  /* owned; NULL: set aside, its journal doesn't check */
    struct gate gate; /* shut while match_is_pending */
    struct timer timer;
    struct sub_list players, watchers;
    struct user *seat[2];    /* while it isn't over */
    struct user *challenged; /* while it is open */
    bool told[2];            /* what match_seen was last told */
    struct mono away[2];     /* since when the seat is offline; ms INT64_MIN: it isn't */
    uint64_t txn;            /* a transaction of several rooms that this one waits for; 0: none */
    struct mono retry;       /* after a storage failure nothing is started before this */
    struct mono presence_at; /* when spectators may be counted out again */
    bool presence_due;
    uint32_t shown;            /* entries that delayed viewers have been sent; delay > 0 */
    uint32_t undo_low;         /* the lowest undo_to that they don't know of yet; 0: none */
    struct mono expires;       /* an open match, without an answer */
    struct mono over_at;       /* since when it is over, or opened from the archive */
    struct mono used;          /* when somebody last asked for it */
    unsigned pins;             /* pends that point here */
    bool archiving, archived;  /* its way into the archive is under way; done */
    struct archived own;       /* of an archived one: what it brought along, without m */
    struct match_setup *aside; /* of one set aside, where its row tells it; owned */
    bool aside_over;           /* such a one was over */
};

/* Rated players, best first (standing.h). */
struct ladder {
    struct standing **at;
    size_t n, cap;
};

enum list_kind { ROOMS_OPEN, ROOMS_LIVE, ROOMS_OVER, ROOMS_KINDS };
/* Rooms by number, ascending. */
struct room_list {
    struct room **at;
    size_t n, cap;
};

/* ---- work under way ---- */

/*
 * A transaction or a hashing job that the shell is doing. `done` is called with its end; it answers
 * `req` (req.tree NULL: nobody asked) on `conn`, if that is still there.
 */
struct pend {
    uint64_t id;
    void (*done)(struct core *, struct pend *, const struct core_event *);
    void (*answer)(struct core *, struct conn *, const struct pend *); /* room: of a success */
    struct conn *conn; /* who waits for it; NULL: nobody, or it has gone */
    struct user *user; /* pinned; NULL: none */
    bool has_row;      /* that user's row and tokens are in the transaction */
    bool is_new;       /* room: being created */
    bool shut;         /* login: it has shut the user's gate */
    struct room *room;
    struct family *family;        /* owned until done takes it: a login's new one */
    struct addr *source;          /* held: who is penalised if this goes wrong; NULL: nobody */
    uint8_t token[MSG_TOKEN_LEN]; /* to answer with */
    uint32_t seq, offer_id;       /* to answer with */
    char *hash;                   /* owned: a password's hash on its way into a row */
    bool pins_room;               /* that room stays in memory until done */
    struct fetch *fetch;          /* whom the archive is asked for */
    struct club_change *club;     /* owned: what a match's end does to its players */
    struct invite *invite;        /* held for a registration; NULL: none */
    struct vacation vacation;     /* as it will be */
    struct admin_ask *ask;        /* owned: the operator's, to be answered; NULL: nobody's */
    struct user *shell;           /* who takes an erased one's place; not pinned, being unborn */
    struct pend *spare;           /* while it is kept for the next: another such */
    struct msg_request req;       /* owned; last, since it is large and mostly copied */
};

struct boards; /* boards with other readings than their scenario's, see room.c */

struct core {
    struct core_config cfg;
    const struct scenario_set *scenarios;
    struct match_env env;
    struct mono born, now;
    struct wall wall;
    int64_t served_ms; /* when the core was born */
    struct drbg rng;
    struct timers timers;
    struct timer saver; /* of served_ms */
    struct map conns, addrs, users, tokens, invites, rooms, pends;
    struct room_list all, by_state[ROOMS_KINDS];
    struct conn *conns_first, *conns_last;
    struct follower *followers_first, *followers_last;
    struct conn *dead; /* closed in this step: freed at its end */
    struct user *online_first, *online_last;
    struct boards *boards;
    struct map standings, sides;
    struct map fetches;          /* matches that the archive is being asked for */
    const struct fetch *missing; /* its waiters are being told that it isn't there, */
    enum err missing_err;        /* and why */
    uint64_t n_archived;
    unsigned n_archiving, n_reading;
    struct timer attic; /* when the next finished match may leave */
    struct ladder ladder;
    struct pend *spare_pend; /* owned */
    unsigned n_spare_pends;
    struct core_effects *out;     /* of the step under way */
    struct buf line;              /* a message being written */
    struct json_room json_room;   /* of requests */
    struct line_bytes *line_room; /* of whoever is heard next (line_lend) */
    uint64_t next_id, n_penalised;
    uint32_t next_no;
    unsigned n_conns, n_new_conns, n_users_online, n_guests, n_watchers, n_players, n_hashing,
        n_creating;
    unsigned n_aside;       /* matches that are set aside */
    unsigned n_clocks;      /* matches in play with a clock: served_ms is saved for them */
    struct admin_ask *asks; /* the operator's that wait for others' transactions */
    struct ban **ban;       /* owned, in order of their addresses */
    size_t n_bans;
    char *motd;             /* owned: the operator's; NULL: the configuration's */
    char *upgrade_why;      /* owned: what the newest upgrade failed of; NULL: of nothing */
    struct wall upgrade_at; /* when */
    struct map erased;      /* names that nobody may take again (user_erase.c) */
    struct timer drain;     /* armed: the server will stop then */
    struct wall drain_at;
    bool retrying; /* `asks` are being worked on */
    bool saving, stopping, stopped;
    bool holding, held; /* CORE_HOLD has come; CORE_FX_HELD has gone out */
    struct core_stats stats;
};

/* Nothing new is taken on. */
static inline bool core_rests(const struct core *c)
{
    return c->stopping || c->holding;
}

static inline struct match_now core_now(const struct core *c)
{
    return (struct match_now){{c->served_ms + mono_since(c->now, c->born)}, c->wall};
}

#endif
