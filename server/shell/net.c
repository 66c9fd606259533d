/* SPDX-License-Identifier: ISC */
#include "server/shell/net.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "server/shell/net_impl.h"

/* ---- ids ---- */

void ids_push(struct ids *l, conn_id id)
{
    if (l->n == l->cap) {
        l->cap = MAX(l->cap * 2, (size_t)64);
        l->id = mem_resize(l->id, l->cap, sizeof(*l->id));
    }
    l->id[l->n++] = id;
}

void ids_reset(struct ids *l)
{
    l->n = 0;
    if (l->cap <= NET_KEEP_IDS)
        return;
    mem_free(l->id);
    *l = (struct ids){NULL, 0, 0};
}

struct peer *peer_find(const struct net *n, conn_id id)
{
    const uint32_t slot = (uint32_t)(id & UINT32_MAX);

    if (slot >= n->n_slots || n->slot[slot].generation != (uint32_t)(id >> 32))
        return NULL;
    return n->slot[slot].peer;
}

/* An id for `p`: the slot's next generation, so that no id comes twice. */
static conn_id slot_take(struct net *n, struct peer *p)
{
    uint32_t slot;

    if (n->first_free == 0) {
        const uint32_t more = MAX(n->n_slots, 64u);

        n->slot = mem_resize(n->slot, (size_t)n->n_slots + more, sizeof(*n->slot));
        for (uint32_t i = n->n_slots + more; i-- > n->n_slots;) {
            n->slot[i] = (struct slot){.next_free = n->first_free};
            n->first_free = i + 1;
        }
        n->n_slots += more;
    }
    slot = n->first_free - 1;
    n->first_free = n->slot[slot].next_free;
    n->slot[slot].peer = p;
    n->slot[slot].generation++;
    CHECK(n->slot[slot].generation != 0);
    return (conn_id)n->slot[slot].generation << 32 | slot;
}

static void slot_give(struct net *n, conn_id id)
{
    const uint32_t slot = (uint32_t)(id & UINT32_MAX);

    n->slot[slot].peer = NULL;
    n->slot[slot].next_free = n->first_free;
    n->first_free = slot + 1;
}

/* ---- reading ---- */

static struct peer *peer_of(void *p)
{
    struct peer *peer = p;

    CHECK(peer != NULL && peer->magic == PEER_MAGIC);
    return peer;
}

int peer_fd(const struct peer *p)
{
    uv_os_fd_t fd = -1;

    CHECK(uv_fileno((const uv_handle_t *)&p->poll, &fd) == 0);
    return fd;
}

void peer_on_eof(struct peer *p)
{
    struct net *n = peer_net(p);

    p->eof = true;
    peer_stop_reading(p);
    if (p->closing) {
        if (p->shut)
            peer_end(p); /* both ways are done */
        return;
    }
    if (!p->told_eof) {
        p->told_eof = true;
        n->hooks.eof(n->hooks.arg, p->id);
    }
}

/* A peer that is being closed may still send: read it, so that the close isn't a reset that takes
 * our last words with it; but not for ever. */
static void discard(struct peer *p, size_t len)
{
    p->discarded += (uint32_t)len;
    if (p->discarded > NET_DISCARD_MAX)
        peer_end(p);
}

void peer_take(struct peer *p, const char *data, size_t len)
{
    struct net *n = peer_net(p);

    if (p->closing)
        discard(p, len);
    else
        n->hooks.bytes(n->hooks.arg, p->id, data, len);
}

/* All peers read into one buffer: what comes is used up before the next read. */
static void read_some(struct peer *p)
{
    struct net *n = peer_net(p);
    const ssize_t len = read(peer_fd(p), n->read_buf, n->cfg.turn_bytes);

    if (len == 0) {
        peer_on_eof(p);
        return;
    }
    if (len < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            peer_end(p);
        return;
    }
    n->stats.bytes_in += (uint64_t)len;
    if ((size_t)len == n->cfg.turn_bytes) { /* there may be more: others first */
        p->rested = true;
        peer_stop_reading(p);
        ids_push(&n->rested, p->id);
    }
    if (p->tls != NULL && !p->closing)
        tls_take(p, n->read_buf, (size_t)len);
    else
        peer_take(p, n->read_buf, (size_t)len);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct peer *p = peer_of(poll);
    struct net *n = peer_net(p);
    const conn_id id = p->id;

    if (status < 0) { /* an error waits for our next call; libuv has stopped looking */
        events = UV_READABLE | UV_WRITABLE;
        p->polled = 0;
    }
    if ((events & UV_WRITABLE) != 0 && p->blocked) {
        p->blocked = false;
        out_mark(p, true);
    }
    if ((events & UV_READABLE) != 0 && p->reading)
        read_some(p);
    if (status < 0 && (p = peer_find(n, id)) != NULL)
        peer_poll(p);
}

void peer_poll(struct peer *p)
{
    const unsigned want =
        (p->reading ? (unsigned)UV_READABLE : 0) | (p->blocked ? (unsigned)UV_WRITABLE : 0);

    if (want == p->polled)
        return;
    p->polled = want & 3;
    if (want == 0)
        CHECK(uv_poll_stop(&p->poll) == 0);
    else
        CHECK(uv_poll_start(&p->poll, (int)want, on_event) == 0);
}

void peer_read(struct peer *p)
{
    const bool held = (p->paused || peer_net(p)->held) && !p->closing;

    if (p->reading || p->eof || p->rested || held)
        return;
    p->reading = true;
    peer_poll(p);
}

void peer_stop_reading(struct peer *p)
{
    p->reading = false;
    peer_poll(p);
}

static void read_again(struct net *n)
{
    for (size_t i = 0; i < n->rested.n; i++) {
        struct peer *p = peer_find(n, n->rested.id[i]);

        if (p == NULL)
            continue;
        p->rested = false;
        peer_read(p);
    }
    ids_reset(&n->rested);
}

/* ---- life of a connection ---- */

static void on_closed(uv_handle_t *handle)
{
    struct peer *p = peer_of(handle);

    p->magic = 0;
    tls_conn_free(p->tls);
    mem_free(p);
}

struct peer *peer_new(struct net *n, int fd, bool busy)
{
    struct peer *p = mem_zalloc(sizeof(*p));

    if (uv_poll_init(n->loop, &p->poll, fd) != 0) {
        (void)close(fd);
        mem_free(p);
        return NULL;
    }
    p->poll.data = n;
    p->magic = PEER_MAGIC;
    p->cap = 1;
    p->busy = p->told_eof = busy;
    p->id = slot_take(n, p);
    n->n_peers++;
    n->n_busy += busy;
    return p;
}

void peer_end(struct peer *p)
{
    struct net *n = peer_net(p);
    const conn_id id = p->id;
    const bool tell = !p->told_eof;
    int fd;

    p->told_eof = true;
    out_fini(p);
    slot_give(n, id);
    n->n_peers--;
    n->n_busy -= p->busy;
    fd = peer_fd(p);
    uv_close((uv_handle_t *)&p->poll, on_closed); /* it looks at the socket no more */
    (void)close(fd);
    if (tell)
        n->hooks.eof(n->hooks.arg, id);
}

/* Whoever's time to close has run out is cut off. */
static void on_sweep(uv_timer_t *timer)
{
    struct net *n = timer->data;
    size_t i = 0;

    while (i < n->n_closing && n->closing[i].at <= uv_now(n->loop)) {
        struct peer *p = peer_find(n, n->closing[i++].id);

        if (p != NULL)
            peer_end(p);
    }
    n->n_closing -= i;
    memmove(n->closing, n->closing + i, n->n_closing * sizeof(*n->closing));
    if (n->n_closing == 0)
        CHECK(uv_timer_stop(&n->sweep) == 0);
}

void net_pause(struct net *n, conn_id conn)
{
    struct peer *p = peer_find(n, conn);

    if (p == NULL)
        return;
    p->paused = true;
    if (!p->closing)
        peer_stop_reading(p);
}

void net_resume(struct net *n, conn_id conn)
{
    struct peer *p = peer_find(n, conn);

    if (p == NULL)
        return;
    p->paused = false;
    peer_read(p);
}

void net_hold(struct net *n)
{
    n->held = true;
    listeners_poll(n, false);
    for (uint32_t i = 0; i < n->n_slots; i++) {
        if (n->slot[i].peer != NULL && !n->slot[i].peer->closing)
            peer_stop_reading(n->slot[i].peer);
    }
}

void net_release(struct net *n)
{
    n->held = false;
    listeners_poll(n, true);
    for (uint32_t i = 0; i < n->n_slots; i++) {
        struct peer *p = n->slot[i].peer;

        if (p == NULL)
            continue;
        peer_read(p);
        if (p->slow) /* it may have caught up meanwhile */
            out_mark(p, true);
    }
}

void net_send(struct net *n, conn_id conn, const struct net_send *what)
{
    struct shared *s = what->s;
    struct peer *p = peer_find(n, conn);

    if (p == NULL || p->closing || p->doomed) {
        shared_unref(s);
        return;
    }
    p->slow_at = what->slow_at;
    if (p->tls != NULL)
        s = tls_wrap(p, s);
    if (s == NULL)
        return;
    out_push(p, s, what->player);
    if (p->queued > n->cfg.max_queued)
        p->doomed = true;
}

void net_close(struct net *n, conn_id conn)
{
    struct peer *p = peer_find(n, conn);

    if (p == NULL || p->closing)
        return;
    if (p->tls != NULL)
        tls_say_bye(p);
    p->closing = true;
    if (n->n_closing == n->closing_cap) {
        n->closing_cap = MAX(n->closing_cap * 2, (size_t)64);
        n->closing = mem_resize(n->closing, n->closing_cap, sizeof(*n->closing));
    }
    n->closing[n->n_closing++] = (struct deadline){conn, uv_now(n->loop) + NET_LINGER_MS};
    if (uv_is_active((uv_handle_t *)&n->sweep) == 0)
        CHECK(uv_timer_start(&n->sweep, on_sweep, NET_SWEEP_MS, NET_SWEEP_MS) == 0);
    peer_read(p);
    out_mark(p, true);
}

bool net_flush(struct net *n)
{
    for (size_t which = 0; which < ARRAY_LEN(n->dirty); which++) {
        const struct ids done = n->flushing;

        n->flushing = n->dirty[which];
        n->dirty[which] = done;
        n->dirty[which].n = 0;
        for (size_t i = 0; i < n->flushing.n; i++) {
            struct peer *p = peer_find(n, n->flushing.id[i]);

            if (p == NULL)
                continue;
            p->dirty = false;
            out_flush(p);
        }
        ids_reset(&n->flushing);
    }
    read_again(n);
    return n->dirty[0].n > 0 || n->dirty[1].n > 0;
}

/* ---- the whole ---- */

void net_new(uv_loop_t *loop, const struct net_config *cfg, const struct net_hooks *hooks,
             struct net **out)
{
    struct net *n = mem_zalloc(sizeof(*n));

    n->loop = loop;
    n->cfg = *cfg;
    n->hooks = *hooks;
    n->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(uv_timer_init(loop, &n->sweep) == 0);
    n->sweep.data = n;
    *out = n;
}

void net_set(struct net *n, const struct net_config *cfg)
{
    n->cfg = *cfg;
}

unsigned net_count(const struct net *n)
{
    return n->n_peers;
}

void net_stats(const struct net *n, struct net_stats *out)
{
    *out = n->stats;
}

void net_close_each(struct net *n)
{
    for (uint32_t i = 0; i < n->n_slots; i++) {
        if (n->slot[i].peer != NULL)
            net_close(n, n->slot[i].peer->id);
    }
}

void net_close_all(struct net *n)
{
    net_stop_listening(n);
    for (uint32_t i = 0; i < n->n_slots; i++) {
        struct peer *p = n->slot[i].peer;

        if (p == NULL)
            continue;
        p->told_eof = true; /* the owner knows */
        peer_end(p);
    }
    uv_close((uv_handle_t *)&n->sweep, NULL);
}

void net_free(struct net *n)
{
    CHECK(n->n_peers == 0 && n->listeners == NULL);
    if (n->spare >= 0)
        (void)close(n->spare);
    for (size_t i = 0; i < ARRAY_LEN(n->dirty); i++)
        mem_free(n->dirty[i].id);
    mem_free(n->flushing.id);
    mem_free(n->rested.id);
    mem_free(n->closing);
    buf_fini(&n->plain);
    buf_fini(&n->cipher);
    mem_free(n->slot);
    mem_free(n);
}
