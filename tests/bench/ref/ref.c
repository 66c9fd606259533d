/* SPDX-License-Identifier: ISC
 * ref.c -- reference servers of tests/bench/run: the least that a server of that kind must do.
 *
 * ref echo|cjson|fan|tls [CERT KEY]: listens on a port of 127.0.0.1 and says which.
 * echo: each line comes back. cjson: each line is parsed by cJSON and answered with an object that
 * cJSON prints. fan: who says `S` reads; any other line goes to each reader, one write each. tls:
 * echo within TLS, by memory BIOs.
 */
#include <cjson/cJSON.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <uv.h>

#include "common/base/buf.h"
#include "common/base/mem.h"

enum { READ_BYTES = 65536, BACKLOG = 1024, SEALED_BYTES = 65536 };

struct ref;
struct conn {
    uv_tcp_t tcp;
    struct ref *ref;
    struct buf in;
    SSL *ssl;
    BIO *from, *to;
    bool reads; /* fan */
};

struct ref {
    uv_loop_t loop;
    uv_tcp_t listener;
    void (*line)(struct conn *c, const char *line, size_t len); /* without its end */
    SSL_CTX *tls;
    struct conn **reader;
    size_t n_readers, readers_cap;
    char room[READ_BYTES], sealed[SEALED_BYTES];
};

/* What the socket doesn't take at once is kept by libuv. */
struct rest {
    uv_write_t req;
    char data[];
};

static void on_rest(uv_write_t *req, int status)
{
    (void)status;
    mem_free(req->data);
}

static void put(struct conn *c, const char *data, size_t len)
{
    uv_buf_t b = {.len = len};
    struct rest *r;
    int n;

    memcpy(&b.base, &data, sizeof(data)); /* libuv only reads it, but doesn't say so */
    n = uv_try_write((uv_stream_t *)&c->tcp, &b, 1);
    if (n == UV_EAGAIN)
        n = 0;
    if (n < 0 || (size_t)n == len)
        return;
    r = mem_alloc(sizeof(*r) + len - (size_t)n);
    r->req.data = r;
    memcpy(r->data, data + n, len - (size_t)n);
    b = uv_buf_init(r->data, (unsigned)(len - (size_t)n));
    if (uv_write(&r->req, (uv_stream_t *)&c->tcp, &b, 1, on_rest) != 0)
        mem_free(r);
}

/* ---- what is done with a line ---- */

static void seal(struct conn *c)
{
    int n;

    while ((n = BIO_read(c->to, c->ref->sealed, SEALED_BYTES)) > 0)
        put(c, c->ref->sealed, (size_t)n);
}

/* The line's end is there behind it. */
static void echo(struct conn *c, const char *line, size_t len)
{
    if (c->ssl == NULL) {
        put(c, line, len + 1);
        return;
    }
    (void)SSL_write(c->ssl, line, (int)len + 1);
    seal(c);
}

static void cjson(struct conn *c, const char *line, size_t len)
{
    cJSON *in = cJSON_ParseWithLength(line, len);
    cJSON *out = cJSON_CreateObject();
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(in, "id");
    char *text;
    size_t n;

    (void)cJSON_AddStringToObject(out, "jsonrpc", "2.0");
    (void)cJSON_AddNumberToObject(out, "id", id != NULL ? id->valuedouble : 0);
    (void)cJSON_AddNumberToObject(cJSON_AddObjectToObject(out, "result"), "seq", (double)len);
    text = cJSON_PrintUnformatted(out);
    n = strlen(text);
    text[n] = '\n'; /* in place of its NUL */
    put(c, text, n + 1);
    cJSON_free(text);
    cJSON_Delete(out);
    cJSON_Delete(in);
}

static void fan(struct conn *c, const char *line, size_t len)
{
    struct ref *r = c->ref;

    if (len == 1 && line[0] == 'S') {
        if (r->n_readers == r->readers_cap) {
            r->readers_cap = MAX(r->readers_cap * 2, (size_t)64);
            r->reader = mem_resize(r->reader, r->readers_cap, sizeof(struct conn *));
        }
        r->reader[r->n_readers++] = c;
        c->reads = true;
        put(c, "ok\n", 3);
        return;
    }
    for (size_t i = 0; i < r->n_readers; i++)
        put(r->reader[i], line, len + 1);
}

/* ---- bytes to lines ---- */

static void on_closed(uv_handle_t *h)
{
    struct conn *c = h->data;
    struct ref *r = c->ref;

    for (size_t i = 0; c->reads && i < r->n_readers; i++)
        if (r->reader[i] == c)
            r->reader[i--] = r->reader[--r->n_readers];
    SSL_free(c->ssl);
    buf_fini(&c->in);
    mem_free(c);
}

/* All whole lines in `data`; returns the bytes used. */
static size_t lines(struct conn *c, const char *data, size_t len)
{
    size_t used = 0;
    const char *end;

    while (used < len && (end = memchr(data + used, '\n', len - used)) != NULL) {
        c->ref->line(c, data + used, (size_t)(end - data) - used);
        used = (size_t)(end - data) + 1;
    }
    return used;
}

static void take(struct conn *c, const char *data, size_t len)
{
    if (c->in.len == 0) { /* the usual case: whole lines, nothing copied */
        const size_t used = lines(c, data, len);

        buf_put(&c->in, data + used, len - used);
        return;
    }
    buf_put(&c->in, data, len);
    buf_consume(&c->in, lines(c, c->in.data, c->in.len));
}

static void take_tls(struct conn *c, const char *data, size_t len)
{
    char plain[READ_BYTES / 4];
    int n;

    ERR_clear_error();
    (void)BIO_write(c->from, data, (int)len);
    while ((n = SSL_read(c->ssl, plain, sizeof(plain))) > 0)
        take(c, plain, (size_t)n);
    seal(c);
}

static void on_alloc(uv_handle_t *h, size_t hint, uv_buf_t *b)
{
    const struct conn *c = h->data;

    (void)hint;
    *b = uv_buf_init(c->ref->room, READ_BYTES);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct conn *c = s->data;

    if (n < 0)
        uv_close((uv_handle_t *)&c->tcp, on_closed);
    else if (c->ssl != NULL)
        take_tls(c, b->base, (size_t)n);
    else
        take(c, b->base, (size_t)n);
}

static void on_connection(uv_stream_t *s, int status)
{
    struct ref *r = s->data;
    struct conn *c = mem_zalloc(sizeof(*c));

    CHECK(status == 0 && uv_tcp_init(&r->loop, &c->tcp) == 0);
    c->ref = r;
    c->tcp.data = c;
    CHECK(uv_accept(s, (uv_stream_t *)&c->tcp) == 0);
    CHECK(uv_tcp_nodelay(&c->tcp, 1) == 0);
    if (r->tls != NULL) {
        c->ssl = SSL_new(r->tls);
        c->from = BIO_new(BIO_s_mem());
        c->to = BIO_new(BIO_s_mem());
        SSL_set_bio(c->ssl, c->from, c->to);
        SSL_set_accept_state(c->ssl);
    }
    CHECK(uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*line)(struct conn *, const char *, size_t);
    } kinds[] = {{"echo", echo}, {"cjson", cjson}, {"fan", fan}, {"tls", echo}};
    struct ref *r = mem_zalloc(sizeof(*r));
    struct sockaddr_in a;
    int len = sizeof(a);

    for (size_t i = 0; argc > 1 && i < ARRAY_LEN(kinds); i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            r->line = kinds[i].line;
    if (r->line == NULL || (strcmp(argv[1], "tls") == 0 && argc != 4))
        return 64;
    if (argc == 4) {
        r->tls = SSL_CTX_new(TLS_server_method());
        CHECK(SSL_CTX_use_certificate_chain_file(r->tls, argv[2]) == 1 &&
              SSL_CTX_use_PrivateKey_file(r->tls, argv[3], SSL_FILETYPE_PEM) == 1);
        (void)SSL_CTX_set_mode(r->tls, SSL_MODE_RELEASE_BUFFERS);
    }
    CHECK(uv_loop_init(&r->loop) == 0 && uv_tcp_init(&r->loop, &r->listener) == 0);
    CHECK(uv_ip4_addr("127.0.0.1", 0, &a) == 0);
    CHECK(uv_tcp_bind(&r->listener, (const struct sockaddr *)&a, 0) == 0);
    r->listener.data = r;
    CHECK(uv_listen((uv_stream_t *)&r->listener, BACKLOG, on_connection) == 0);
    CHECK(uv_tcp_getsockname(&r->listener, (struct sockaddr *)&a, &len) == 0);
    printf("listening 127.0.0.1:%u\n", (unsigned)ntohs(a.sin_port));
    (void)fflush(stdout);
    return uv_run(&r->loop, UV_RUN_DEFAULT);
}
