/* SPDX-License-Identifier: ISC
 * TLS between a socket and its owner: what comes is opened before the owner sees it, what goes is
 * sealed as it is queued, so that the queue's bounds count what the network must take.
 */
#include "common/base/log.h"
#include "server/shell/net_impl.h"

static const char stranger[] = "This port speaks TLS: use skirmishs://HOST:PORT.\n";

/* Queue what OpenSSL wants to say. */
static void push_cipher(struct peer *p)
{
    struct net *n = peer_net(p);

    if (n->cipher.len > 0)
        out_push(p, shared_new(n->cipher.data, n->cipher.len), true);
    buf_reset(&n->cipher);
}

/* The owner hears that it is gone; what is queued (an alert, a word) still goes out. */
static void fail(struct peer *p)
{
    struct net *n = peer_net(p);

    LOG_DEBUG("net.tls", "conn=%llu why=%s", (unsigned long long)p->id, tls_conn_why(p->tls));
    n->stats.tls_failed++;
    net_close(n, p->id);
    if (!p->told_eof) {
        p->told_eof = true;
        n->hooks.eof(n->hooks.arg, p->id);
    }
}

void tls_take(struct peer *p, const char *data, size_t len)
{
    struct net *n = peer_net(p);
    const conn_id id = p->id;
    enum tls_state state;

    buf_reset(&n->plain);
    state = tls_conn_feed(p->tls, data, len, &n->plain, &n->cipher);
    push_cipher(p);
    if (n->plain.len > 0)
        peer_take(p, n->plain.data, n->plain.len);
    p = peer_find(n, id);
    if (p == NULL || p->closing)
        return;
    switch (state) {
    case TLS_OPEN:
        break;
    case TLS_EOF:
        peer_on_eof(p);
        break;
    case TLS_STRANGER:
        out_push(p, shared_new(stranger, sizeof(stranger) - 1), true);
        fail(p);
        break;
    case TLS_FAILED:
        fail(p);
        break;
    }
}

struct shared *tls_wrap(struct peer *p, struct shared *s)
{
    struct net *n = peer_net(p);
    struct shared *sealed = NULL;

    if (!tls_conn_write(p->tls, s->data, s->len, &n->cipher))
        p->doomed = true; /* looked at by the next flush */
    if (n->cipher.len > 0)
        sealed = shared_new(n->cipher.data, n->cipher.len);
    else if (p->doomed)
        out_mark(p, true);
    buf_reset(&n->cipher);
    shared_unref(s);
    return sealed;
}

void tls_say_bye(struct peer *p)
{
    tls_conn_close(p->tls, &peer_net(p)->cipher);
    push_cipher(p);
}
