/* SPDX-License-Identifier: ISC
 * wire.c -- one connection to a server.
 *
 * It owns its handle, and outlives its owner's interest in it until libuv has closed it.
 */
#include "client/wire.h"

#include <sysexits.h>
#include <uv.h>

#include "client/tls.h"
#include "client/trust.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define WIRE_MAGIC 0x77697265u

struct wire {
    uint32_t magic;
    bool closed; /* nobody cares any more */
    bool resolving;
    uv_tcp_t tcp;
    uv_connect_t connect;
    uv_getaddrinfo_t resolve;
    struct wire_config cfg;
    struct wire_hooks hooks;
    struct tls_client *tls; /* NULL: plain */
    struct trust trust;
    struct mono heard;
};

struct write {
    uv_write_t req;
    char *data;
};

/* ---- sending ---- */

static void on_written(uv_write_t *req, int status)
{
    struct write *w = req->data;

    (void)status; /* a broken line shows in the reads too */
    mem_free(w->data);
    mem_free(w);
}

/* Give the bytes to the network; *out is empty afterwards. */
static void put_out(struct wire *w, struct buf *out)
{
    struct write *req;
    uv_buf_t b;

    if (out->len == 0)
        return;
    req = mem_zalloc(sizeof(*req));
    b = uv_buf_init(NULL, 0);
    b.len = out->len;
    req->data = buf_detach(out);
    b.base = req->data;
    req->req.data = req;
    if (uv_write(&req->req, (uv_stream_t *)&w->tcp, &b, 1, on_written) != 0) {
        mem_free(req->data);
        mem_free(req);
    }
}

void wire_send(struct wire *w, struct buf *out)
{
    struct buf cipher = BUF_EMPTY;

    if (out->len == 0)
        return;
    if (w->tls == NULL) {
        put_out(w, out);
        return;
    }
    if (tls_client_write(w->tls, out->data, out->len, &cipher))
        put_out(w, &cipher);
    buf_fini(&cipher);
    buf_reset(out);
}

/* ---- what comes ---- */

static void over(const struct wire *w, int code, const char *why)
{
    char text[WIRE_WHY_LEN]; /* `why` may go with the wire */

    if (w->closed)
        return;
    (void)str_copy(text, sizeof(text), why);
    w->hooks.over(w->hooks.data, code, text);
}

/* What TLS carries; its end, or the peer's, is told once all that came before it is taken. */
static void take_cipher(struct wire *w, const char *data, size_t len)
{
    struct buf plain = BUF_EMPTY, cipher = BUF_EMPTY;
    const enum tls_client_state state = tls_client_feed(w->tls, data, len, &plain, &cipher);

    put_out(w, &cipher);
    buf_fini(&cipher);
    if (w->trust.news[0] != '\0')
        w->hooks.told(w->hooks.data, w->trust.news);
    w->trust.news[0] = '\0';
    if (plain.len > 0 && !w->closed)
        w->hooks.bytes(w->hooks.data, plain.data, plain.len);
    buf_fini(&plain);
    switch (state) {
    case TLS_CLIENT_OPEN:
        break;
    case TLS_CLIENT_EOF:
        over(w, EX_UNAVAILABLE, "the server closed the line");
        break;
    case TLS_CLIENT_FAILED:
        over(w, EX_PROTOCOL, tls_client_why(w->tls));
        break;
    case TLS_CLIENT_UNTRUSTED:
        over(w, EX_NOPERM, tls_client_why(w->tls));
        break;
    }
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
    (void)h;
    b->base = mem_alloc(suggested);
    b->len = suggested;
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct wire *w = s->data;

    CHECK(w->magic == WIRE_MAGIC);
    if (!w->closed && n < 0)
        over(w, EX_UNAVAILABLE, n == UV_EOF ? "the server closed the line" : uv_strerror((int)n));
    if (!w->closed && n > 0) {
        w->heard = mono_now();
        if (w->tls != NULL)
            take_cipher(w, b->base, (size_t)n);
        else
            w->hooks.bytes(w->hooks.data, b->base, (size_t)n);
    }
    mem_free(b->base);
}

/* ---- connecting ---- */

static bool on_trust(void *arg, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN])
{
    struct wire *w = arg;

    return trust_decide(&w->trust, peer, why);
}

static void start_tls(struct wire *w)
{
    const struct tls_rules rules = {
        .host = w->cfg.url->host, .ca = w->cfg.ca, .trust = on_trust, .arg = w};
    struct buf cipher = BUF_EMPTY;
    char why[TLS_CLIENT_WHY_LEN];

    w->trust =
        (struct trust){.url = w->cfg.url, .has_ca = w->cfg.ca != NULL, .print = w->cfg.print};
    if (tls_client_new(&rules, &w->tls, why) != ERR_OK) {
        over(w, EX_CONFIG, why);
        return;
    }
    tls_client_start(w->tls, &cipher);
    put_out(w, &cipher);
}

static void on_connect(uv_connect_t *req, int status)
{
    struct wire *w = req->data;

    if (w->closed)
        return;
    if (status != 0) {
        over(w, EX_UNAVAILABLE, uv_strerror(status));
        return;
    }
    (void)uv_tcp_nodelay(&w->tcp, 1);
    w->heard = mono_now();
    w->hooks.open(w->hooks.data);
    if (w->closed)
        return;
    if (uv_read_start((uv_stream_t *)&w->tcp, on_alloc, on_read) != 0)
        over(w, EX_UNAVAILABLE, "the line can't be read");
    else if (w->cfg.url->tls)
        start_tls(w);
}

static void on_closed(uv_handle_t *h)
{
    struct wire *w = h->data;

    CHECK(w->magic == WIRE_MAGIC);
    w->magic = 0;
    tls_client_free(w->tls);
    mem_free(w);
}

static void on_resolved(uv_getaddrinfo_t *req, int status, struct addrinfo *list)
{
    struct wire *w = req->data;
    int e = status;

    w->resolving = false;
    if (w->closed) {
        uv_freeaddrinfo(list);
        uv_close((uv_handle_t *)&w->tcp, on_closed);
        return;
    }
    if (e == 0)
        e = uv_tcp_connect(&w->connect, &w->tcp, list->ai_addr, on_connect);
    uv_freeaddrinfo(list);
    if (e != 0)
        over(w, EX_UNAVAILABLE, uv_strerror(e));
}

/* ---- life ---- */

struct wire *wire_new(struct uv_loop_s *loop, const struct wire_config *cfg,
                      const struct wire_hooks *hooks)
{
    struct wire *w = mem_zalloc(sizeof(*w));

    w->magic = WIRE_MAGIC;
    w->cfg = *cfg;
    w->hooks = *hooks;
    w->connect.data = w;
    w->resolve.data = w;
    w->heard = mono_now();
    CHECK(uv_tcp_init(loop, &w->tcp) == 0);
    w->tcp.data = w;
    return w;
}

void wire_start(struct wire *w)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    char port[8];
    int e;

    (void)snprintf(port, sizeof(port), "%u", w->cfg.url->port);
    w->resolving = true;
    e = uv_getaddrinfo(w->tcp.loop, &w->resolve, on_resolved, w->cfg.url->host, port, &hints);
    if (e != 0) {
        w->resolving = false;
        over(w, EX_UNAVAILABLE, uv_strerror(e));
    }
}

void wire_close(struct wire *w)
{
    if (w == NULL || w->closed)
        return;
    w->closed = true;
    if (w->resolving)
        (void)uv_cancel((uv_req_t *)&w->resolve); /* its callback closes */
    else
        uv_close((uv_handle_t *)&w->tcp, on_closed);
}

struct mono wire_heard(const struct wire *w)
{
    return w->heard;
}
