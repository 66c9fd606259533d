/* SPDX-License-Identifier: ISC
 * What connections are sent: queues of shared bytes, one write a turn, the end after the last byte.
 */
#include "common/base/log.h"
#include "common/base/mem.h"
#include "server/shell/net_impl.h"

#define REQUEST_MAGIC 0x57726974u /* "Writ" */

enum { TRY_BUFS = 64, REQUEST_BUFS = 512 };

/* A write that the socket couldn't take at once. */
struct request {
    uv_write_t req;
    unsigned magic;
    struct net *net;
    conn_id conn;
    size_t bytes;
    uint32_t n;
    struct shared *item[];
};

struct shutdown {
    uv_shutdown_t req;
    struct net *net;
    conn_id conn;
};

void out_mark(struct peer *p, bool player)
{
    if (p->dirty)
        return;
    p->dirty = true;
    ids_push(&p->net->dirty[player ? 0 : 1], p->id);
}

void out_push(struct peer *p, struct shared *s, bool player)
{
    if (p->n == p->cap) {
        const uint32_t cap = p->cap * 2 + 2;

        if (p->queue == p->few) {
            p->queue = mem_array(cap, sizeof(struct shared *));
            memcpy(p->queue, p->few, sizeof(p->few));
        } else {
            p->queue = mem_resize(p->queue, cap, sizeof(struct shared *));
        }
        p->cap = cap;
    }
    p->queue[p->n++] = s;
    p->queued += s->len;
    p->net->stats.queued += s->len;
    out_mark(p, player);
}

/* The first `n` items are done with, or belong to a request. */
static void queue_drop(struct peer *p, uint32_t n)
{
    p->n -= n;
    if (p->n > 0) {
        memmove(p->queue, p->queue + n, p->n * sizeof(struct shared *));
    } else if (p->queue != p->few) {
        mem_free(p->queue);
        p->queue = p->few;
        p->cap = PEER_FEW;
    }
}

static void account(struct peer *p, size_t bytes)
{
    p->queued -= bytes;
    p->net->stats.queued -= bytes;
}

void out_fini(struct peer *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        shared_unref(p->queue[i]);
    queue_drop(p, p->n);
    account(p, p->queued);
}

/* All is written: say so where somebody waits for that, and end what was to be closed. */
static void emptied(struct peer *p);

static void on_written(uv_write_t *req, int status)
{
    struct request *r = req->data;
    struct peer *p;

    CHECK(r->magic == REQUEST_MAGIC);
    for (uint32_t i = 0; i < r->n; i++)
        shared_unref(r->item[i]);
    p = peer_find(r->net, r->conn);
    if (p != NULL) {
        p->writing = false;
        p->first = 0;
        account(p, r->bytes);
        if (status == 0)
            r->net->stats.bytes_out += r->bytes;
        if (status < 0)
            peer_end(p);
        else if (p->n > 0)
            out_mark(p, true);
        else
            emptied(p);
    }
    r->magic = 0;
    mem_free(r);
}

/* Give the queue (from byte `skip` of its first item on) to libuv, which waits for the socket. */
static void write_later(struct peer *p, size_t skip)
{
    const uint32_t n = MIN(p->n, (uint32_t)REQUEST_BUFS);
    struct request *r = mem_zalloc(sizeof(*r) + n * sizeof(struct shared *));
    uv_buf_t buf[REQUEST_BUFS];

    CHECK(n > 0);
    r->magic = REQUEST_MAGIC;
    r->net = p->net;
    r->conn = p->id;
    r->n = n;
    r->req.data = r;
    for (uint32_t i = 0; i < n; i++) {
        const size_t from = i == 0 ? skip : 0;

        r->item[i] = p->queue[i];
        buf[i] = uv_buf_init(p->queue[i]->data + from, (unsigned)(p->queue[i]->len - from));
        r->bytes += buf[i].len;
    }
    /* cppcheck-suppress uninitvar ; n >= 1 */
    p->first = buf[0].len;
    queue_drop(p, n);
    p->writing = true;
    p->net->stats.writes++;
    if (uv_write(&r->req, (uv_stream_t *)&p->tcp, buf, n, on_written) == 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        shared_unref(r->item[i]);
    account(p, r->bytes);
    mem_free(r);
    peer_end(p);
}

/* Write at once as much as the socket takes. False: it is blocked (the rest waits in a request) or
 * gone. */
static bool write_now(struct peer *p)
{
    while (p->n > 0) {
        const uint32_t n = MIN(p->n, (uint32_t)TRY_BUFS);
        uv_buf_t buf[TRY_BUFS];
        uint32_t whole = 0;
        size_t left;
        int wrote;

        for (uint32_t i = 0; i < n; i++)
            buf[i] = uv_buf_init(p->queue[i]->data, (unsigned)p->queue[i]->len);
        p->net->stats.writes++;
        wrote = uv_try_write((uv_stream_t *)&p->tcp, buf, n);
        if (wrote < 0 && wrote != UV_EAGAIN) {
            peer_end(p);
            return false;
        }
        left = (size_t)MAX(wrote, 0);
        account(p, left);
        p->net->stats.bytes_out += left;
        while (whole < n && left >= p->queue[whole]->len) {
            left -= p->queue[whole]->len;
            shared_unref(p->queue[whole++]);
        }
        queue_drop(p, whole);
        if (whole < n) {
            write_later(p, left);
            return false;
        }
    }
    return true;
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    struct shutdown *s = req->data;
    struct peer *p = peer_find(s->net, s->conn);

    /* the other side has nothing to say either, or is gone: done; else wait for its end */
    if (p != NULL && (status < 0 || p->eof))
        peer_end(p);
    mem_free(s);
}

static void shut(struct peer *p)
{
    struct shutdown *s = mem_zalloc(sizeof(*s));

    s->net = p->net;
    s->conn = p->id;
    s->req.data = s;
    p->shut = true;
    if (uv_shutdown(&s->req, (uv_stream_t *)&p->tcp, on_shutdown) == 0)
        return;
    mem_free(s);
    peer_end(p);
}

static void emptied(struct peer *p)
{
    struct net *n = p->net;

    if (p->closing) {
        if (!p->shut)
            shut(p);
        return;
    }
    if (!p->slow)
        return;
    p->slow = false;
    n->hooks.drained(n->hooks.arg, p->id);
}

void out_flush(struct peer *p)
{
    struct net *n = p->net;
    const conn_id id = p->id;

    if (p->doomed) {
        LOG_INFO("net.cut", "conn=%llu queued=%zu", (unsigned long long)p->id, p->queued);
        n->stats.cut_off++;
        peer_end(p);
        return;
    }
    if (!p->writing && write_now(p)) {
        emptied(p);
        return;
    }
    p = peer_find(n, id);
    if (p == NULL || p->slow || p->closing || p->queued <= p->slow_at + p->first)
        return;
    p->slow = true;
    n->hooks.slow(n->hooks.arg, id);
}
