/* SPDX-License-Identifier: ISC
 * What connections are sent: queues of shared bytes, one write a turn, the end after the last byte.
 */
#include <errno.h>
#include <sys/socket.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "server/shell/net_impl.h"

enum { WRITE_ITEMS = 256, CAP_MIN = 4, SMALL_BYTES = 2048 };

void out_mark(struct peer *p, bool player)
{
    if (p->dirty)
        return;
    p->dirty = true;
    ids_push(&peer_net(p)->dirty[player ? 0 : 1], p->id);
}

static struct shared **items_of(struct peer *p)
{
    return p->cap == 1 ? &p->queue.one : p->queue.many;
}

static void grow(struct peer *p)
{
    const uint32_t cap = MAX(p->cap * 2, (uint32_t)CAP_MIN);

    if (p->cap == 1) {
        struct shared *one = p->queue.one;

        p->queue.many = mem_array(cap, sizeof(struct shared *));
        p->queue.many[0] = one;
    } else {
        p->queue.many = mem_resize(p->queue.many, cap, sizeof(struct shared *));
    }
    p->cap = cap;
}

void out_push(struct peer *p, struct shared *s, bool player)
{
    CHECK(s->len <= UINT32_MAX - p->queued);
    if (p->n == p->cap)
        grow(p);
    items_of(p)[p->n++] = s;
    p->queued += (uint32_t)s->len;
    peer_net(p)->stats.queued += s->len;
    out_mark(p, player);
}

/* The first `n` items are done with. */
static void queue_drop(struct peer *p, uint32_t n)
{
    struct shared **item = items_of(p);

    for (uint32_t i = 0; i < n; i++)
        shared_unref(item[i]);
    p->n -= n;
    if (p->n > 0) {
        memmove(item, item + n, p->n * sizeof(struct shared *));
    } else if (p->cap > 1) {
        mem_free(p->queue.many);
        p->queue.one = NULL;
        p->cap = 1;
    }
}

static void account(struct peer *p, size_t bytes)
{
    p->queued -= (uint32_t)bytes;
    peer_net(p)->stats.queued -= bytes;
}

void out_fini(struct peer *p)
{
    queue_drop(p, p->n);
    account(p, p->queued);
}

/* One write of what stands from item `done` on. -1: errno says why. */
static ssize_t write_items(struct peer *p, uint32_t done)
{
    const uint32_t n = MIN(p->n - done, (uint32_t)WRITE_ITEMS);
    struct shared *const *item = items_of(p) + done;
    struct iovec part[WRITE_ITEMS];
    const struct msghdr msg = {.msg_iov = part, .msg_iovlen = n};
    char small[SMALL_BYTES];
    size_t len = 0;

    peer_net(p)->stats.writes++;
    if (n == 1) /* the usual case */
        return send(peer_fd(p), item[0]->data + p->sent, item[0]->len - p->sent, MSG_NOSIGNAL);
    if (p->sent == 0 && p->queued <= sizeof(small)) { /* an answer and its event: cheaper as one */
        for (uint32_t i = 0; i < n; i++) {
            memcpy(small + len, item[i]->data, item[i]->len);
            len += item[i]->len;
        }
        return send(peer_fd(p), small, len, MSG_NOSIGNAL);
    }
    for (uint32_t i = 0; i < n; i++)
        part[i] = (struct iovec){item[i]->data, item[i]->len};
    part[0].iov_base = item[0]->data + p->sent;
    part[0].iov_len -= p->sent;
    return sendmsg(peer_fd(p), &msg, MSG_NOSIGNAL);
}

/* Of what waits from item *done on `bytes` have gone out: *done is the first that hasn't, whole. */
static void went_out(struct peer *p, size_t bytes, uint32_t *done)
{
    struct shared *const *item = items_of(p);
    size_t left = bytes + p->sent;

    account(p, bytes);
    peer_net(p)->stats.bytes_out += bytes;
    while (*done < p->n && left >= item[*done]->len)
        left -= item[(*done)++]->len;
    p->sent = (uint32_t)left;
}

/* Write as much as the socket takes. False: it is blocked, or gone. */
static bool write_now(struct peer *p)
{
    uint32_t done = 0;
    bool gone = false;

    while (done < p->n && !p->blocked && !gone) {
        const ssize_t wrote = write_items(p, done);

        if (wrote >= 0)
            went_out(p, (size_t)wrote, &done);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            p->blocked = true;
        else if (errno != EINTR)
            gone = true;
    }
    queue_drop(p, done);
    if (gone)
        peer_end(p);
    else
        peer_poll(p);
    return !gone && !p->blocked;
}

/* Nothing more is written. Where the other side has nothing to say either that is the end; else its
 * end is waited for. */
static void shut(struct peer *p)
{
    p->shut = true;
    if (shutdown(peer_fd(p), SHUT_WR) != 0 || p->eof)
        peer_end(p);
}

/* All is written: say so where somebody waits for that, and end what was to be closed. */
static void emptied(struct peer *p)
{
    struct net *n = peer_net(p);

    if (p->closing) {
        if (!p->shut)
            shut(p);
        return;
    }
    if (!p->slow || n->held) /* who is held hears it when it goes on */
        return;
    p->slow = false;
    n->hooks.drained(n->hooks.arg, p->id);
}

void out_flush(struct peer *p)
{
    struct net *n = peer_net(p);
    const conn_id id = p->id;

    if (p->doomed) {
        LOG_INFO("net.cut", "conn=%llu queued=%u", (unsigned long long)p->id, p->queued);
        n->stats.cut_off++;
        peer_end(p);
        return;
    }
    if (!p->blocked && write_now(p)) {
        emptied(p);
        return;
    }
    p = peer_find(n, id);
    if (p == NULL || p->slow || p->closing)
        return;
    if (p->queued - (items_of(p)[0]->len - p->sent) <= p->slow_at)
        return;
    p->slow = true;
    n->hooks.slow(n->hooks.arg, id);
}
