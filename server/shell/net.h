/* SPDX-License-Identifier: ISC
 * net.h -- the server's sockets (libuv): listeners, connections by id, bounded output.
 *
 * A connection is known outside by its id alone, slot and generation; an id whose connection is
 * gone does nothing. Output is queued as references to shared bytes and written once a turn of the
 * loop by net_flush, players first; hooks are called from the loop's callbacks and net_flush only,
 * never from inside another net_* call, so that the owner's step is never entered twice.
 */
#ifndef SK_SERVER_SHELL_NET_H
#define SK_SERVER_SHELL_NET_H

#include <uv.h>

#include "server/core/core.h"

#define NET_WHY_LEN    200
#define NET_HOST_LEN   64
#define NET_READ_BYTES 16384
#define NET_LINGER_MS  5000 /* from net_close to the hard end, at most */

struct net;
struct tls;

/* Who has connected. */
struct net_peer {
    const char *addr; /* numeric, borrowed */
    bool loopback;
    bool tls; /* will speak TLS; its handshake is yet to come */
};

struct net_hooks {
    void (*accepted)(void *arg, conn_id conn, const struct net_peer *peer);
    void (*bytes)(void *arg, conn_id conn, const char *data, size_t len); /* data borrowed */
    /* The peer sends no more, or is gone. Once for each accepted id, the last call for it but
     * `drained`; what is sent to it still goes out as long as its socket takes it. */
    void (*eof)(void *arg, conn_id conn);
    /* More bytes wait behind a blocked socket than the newest net_send wanted to see there, beyond
     * the one message being written; once, until `drained` says that all of it has gone out. */
    void (*slow)(void *arg, conn_id conn);
    void (*drained)(void *arg, conn_id conn);
    void *arg;
};
struct net_config {
    unsigned max_conns; /* one more is told `busy` and closed */
    size_t max_queued;  /* bytes queued for one connection; beyond, it is cut off */
    size_t turn_bytes;  /* read from one connection in a turn of the loop, to NET_READ_BYTES */
};

/* *out is owned: net_close_all, then net_free. Both structs are copied. */
void net_new(uv_loop_t *loop, const struct net_config *cfg, const struct net_hooks *hooks,
             struct net **out);
/* From now on; who is there stays, even above max_conns. */
void net_set(struct net *n, const struct net_config *cfg);

/*
 * Bind and listen; `host` is a numeric address or a name (its first address counts), port 0 any.
 * Connections wait in the system until the loop runs. *port is the real one. With `tls` (borrowed
 * until net_free) its connections speak that, and all bytes of hooks and net_send are what is
 * inside; without, NULL.
 * ERR_BUSY address in use · ERR_DENIED not allowed · ERR_NOT_FOUND no such host or address · ERR_IO;
 * why[] says so for people, with host and port.
 */
NODISCARD enum err net_listen(struct net *n, const char *host, uint16_t *port, struct tls *tls,
                              char why[NET_WHY_LEN]);
/* Listen on a socket that listens already (taken), with or without TLS as in net_listen. */
void net_adopt(struct net *n, int fd, struct tls *tls);
/* The address that a socket is bound to. ERR_IO: it is no TCP socket. */
NODISCARD enum err net_where(int fd, char host[NET_HOST_LEN], uint16_t *port);
/* Descriptors of the listeners, the first `max` of them; how many. */
size_t net_listeners(const struct net *n, int *fd, size_t max);
/* Accept nobody and read nothing, until net_release; what is queued goes out. */
void net_hold(struct net *n);
void net_release(struct net *n);
/* Close the listeners: nobody new. */
void net_stop_listening(struct net *n);

/* Queue `s` (takes a reference). `player`: written before others. */
struct net_send {
    struct shared *s;
    bool player;
    uint32_t slow_at; /* bytes */
};
void net_send(struct net *n, conn_id conn, const struct net_send *what);
/* Close once all queued has gone, NET_LINGER_MS at the latest; sends to it do nothing from now. */
void net_close(struct net *n, conn_id conn);
void net_pause(struct net *n, conn_id conn);
void net_resume(struct net *n, conn_id conn);

/* Once a turn, right before the loop waits: write what is queued, begin to read again where a
 * turn's budget was used up. True: there is more at once, don't wait. */
NODISCARD bool net_flush(struct net *n);

/* net_close for all that are there. */
void net_close_each(struct net *n);
/* Connections that are still there. */
unsigned net_count(const struct net *n);
/* Cut all off, listeners and timer too; the loop must run until its handles are closed. */
void net_close_all(struct net *n);
/* Takes `n`; every handle must be closed (net_count 0 and the loop run dry). */
void net_free(struct net *n);

struct net_stats {
    uint64_t accepted, refused, cut_off, tls_failed, bytes_in, bytes_out;
    uint64_t writes; /* system calls that wrote, or tried to */
    size_t queued;   /* bytes waiting now, all connections */
};
void net_stats(const struct net *n, struct net_stats *out);

#endif
