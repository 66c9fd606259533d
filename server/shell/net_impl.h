/* SPDX-License-Identifier: ISC
 * net_impl.h -- what the files of net share; nobody else includes it.
 */
#ifndef SK_SERVER_SHELL_NET_IMPL_H
#define SK_SERVER_SHELL_NET_IMPL_H

#include <netinet/in.h>

#include "server/shell/net.h"
#include "server/shell/tls.h"

#define PEER_MAGIC 0x50656572u /* "Peer" */

enum {
    NET_BACKLOG = 1024,
    NET_ACCEPTS = 64,          /* a turn of the loop and listener */
    NET_BUSY_MAX = 16,         /* connections being told `busy` at once; more are just closed */
    NET_DISCARD_MAX = 1 << 20, /* bytes read and dropped from a peer being closed */
    NET_SWEEP_MS = 250,        /* how often the closing ones' deadlines are looked at */
    NET_RETRY_MS = 100,        /* pause of a listener when not even the spare helps */
    NET_KEEP_IDS = 1024        /* room that a list keeps between two turns */
};

/* One connection. Freed in its close callback. There are many thousands: it is kept small. */
struct peer {
    uv_poll_t poll; /* first; its `data` is the net */
    unsigned magic;
    uint32_t discarded; /* bytes dropped since net_close */
    conn_id id;
    struct tls_conn *tls; /* owned; NULL: plain */
    union {
        struct shared *one;   /* cap 1 */
        struct shared **many; /* heap */
    } queue;
    uint32_t n, cap;     /* items queued */
    uint32_t queued;     /* bytes queued, */
    uint32_t sent;       /* and those of the first item that have gone out */
    uint32_t slow_at;    /* more queued beyond the first item: slow */
    bool dirty : 1;      /* in a dirty list */
    bool blocked : 1;    /* the socket takes no more for now */
    bool slow : 1;       /* the owner was told so */
    bool paused : 1;     /* by the owner */
    bool rested : 1;     /* this turn's bytes are read */
    bool reading : 1;    /* what comes is wanted */
    bool eof : 1;        /* the peer sends no more */
    bool told_eof : 1;   /* hooks.eof was called, or never will be */
    bool closing : 1;    /* net_close */
    bool shut : 1;       /* nothing more is written */
    bool doomed : 1;     /* too much queued: cut off at the next flush */
    bool busy : 1;       /* over the cap: the owner doesn't know it */
    unsigned polled : 2; /* UV_READABLE, UV_WRITABLE: what `poll` looks for */
};

static inline struct net *peer_net(const struct peer *p)
{
    return p->poll.data;
}

struct slot {
    struct peer *peer; /* NULL: free */
    uint32_t generation;
    uint32_t next_free; /* slot + 1; 0: none */
};

struct ids {
    conn_id *id;
    size_t n, cap;
};
struct deadline {
    conn_id id;
    uint64_t at;
};

struct listener {
    uv_poll_t poll;
    struct net *net;
    struct tls *tls; /* NULL: plain */
    int fd;
    bool resting; /* off until the sweep */
    struct listener *next;
};

struct net {
    uv_loop_t *loop;
    struct net_config cfg;
    struct net_hooks hooks;
    struct slot *slot;
    uint32_t n_slots, first_free; /* first_free: slot + 1 */
    unsigned n_peers, n_busy;
    struct listener *listeners;
    bool held;           /* net_hold */
    int spare;           /* a descriptor to give up when there is no other */
    struct ids dirty[2]; /* players, others */
    struct ids flushing; /* the list being worked on */
    struct ids rested;
    struct deadline *closing; /* in order of time */
    size_t n_closing, closing_cap;
    uv_timer_t sweep;
    struct net_stats stats;
    struct buf plain, cipher; /* of the connection that is being worked on */
    char read_buf[NET_READ_BYTES];
};

/* The connection, or NULL when it is gone. */
struct peer *peer_find(const struct net *n, conn_id id);
/* A new connection on `fd` (taken), reading not yet begun; NULL: closed again. */
struct peer *peer_new(struct net *n, int fd, bool busy);
/* End it now; hooks.eof is called if it wasn't. Not from inside a net_* call of the owner. */
void peer_end(struct peer *p);
void peer_read(struct peer *p); /* read on, if nothing holds it back */
void peer_stop_reading(struct peer *p);
void peer_poll(struct peer *p); /* look for what it waits for now */
int peer_fd(const struct peer *p);
void listeners_poll(struct net *n, bool on); /* begin to accept, or stop */

/* What was read: to the owner, or dropped where the connection is being closed. */
void peer_take(struct peer *p, const char *data, size_t len);
void peer_on_eof(struct peer *p);

/* TLS (net_tls.c). */
void tls_take(struct peer *p, const char *data, size_t len);
/* The record of `s` in its place (takes that reference); NULL: it waits, or can't be said. */
struct shared *tls_wrap(struct peer *p, struct shared *s);
void tls_say_bye(struct peer *p);

/* Output (net_out.c). */
void out_push(struct peer *p, struct shared *s, bool player);
void out_mark(struct peer *p, bool player); /* look at it at the next flush */
void out_flush(struct peer *p);
void out_fini(struct peer *p);

void ids_push(struct ids *l, conn_id id);
/* Empty it. A crowd's list isn't kept. */
void ids_reset(struct ids *l);

#endif
