/* SPDX-License-Identifier: ISC
 * tls.c -- TLS to clients. */
#include "server/shell/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/tls/tls_memory.h"

enum { HANDSHAKE_RECORD = 0x16, READ_BYTES = 16384 };

struct tls {
    SSL_CTX *ctx;
    BIO_METHOD *bio;
    char *cert, *key;
};
struct tls_conn {
    SSL *ssl;
    struct tls_memory mem;
    struct buf pending;
    const char *why;
    bool seen;   /* a byte has come */
    bool failed; /* OpenSSL has given up on it */
};

/* ---- certificate and key ---- */

static enum err no_good(const char *what, const char *file, char why[TLS_WHY_LEN])
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    (void)snprintf(why, TLS_WHY_LEN, "%s %s: %s", what, file,
                   reason != NULL ? reason : "can't be read");
    ERR_clear_error();
    return ERR_DATA;
}

/* A key file with a passphrase would make the server wait at a terminal: refuse it. */
static int no_passphrase(char *dst, int size, int writing, void *arg)
{
    (void)writing;
    (void)arg;
    if (size > 0)
        dst[0] = '\0';
    return -1;
}

static void set_rules(SSL_CTX *ctx)
{
    CHECK(SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1);
    CHECK(SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1);
    CHECK(SSL_CTX_set_num_tickets(ctx, 0) == 1);
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                       SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
}

static enum err load(const char *cert, const char *key, SSL_CTX **out, char why[TLS_WHY_LEN])
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    enum err e = ERR_OK;

    CHECK(ctx != NULL);
    set_rules(ctx);
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(ctx, cert) != 1)
        e = no_good("certificate", cert, why);
    else if (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1)
        e = no_good("key", key, why);
    else if (SSL_CTX_check_private_key(ctx) != 1)
        e = no_good("the certificate isn't the one of key", key, why);
    if (e != ERR_OK) {
        SSL_CTX_free(ctx);
        return e;
    }
    *out = ctx;
    return ERR_OK;
}

enum err tls_new(const char *cert, const char *key, struct tls **out, char why[TLS_WHY_LEN])
{
    struct tls *t = mem_zalloc(sizeof(*t));

    *out = NULL;
    t->cert = mem_strdup(cert);
    t->key = mem_strdup(key);
    t->bio = tls_memory_method();
    if (load(t->cert, t->key, &t->ctx, why) != ERR_OK) {
        tls_free(t);
        return ERR_DATA;
    }
    *out = t;
    return ERR_OK;
}

enum err tls_reload_from(struct tls *t, const char *cert, const char *key, char why[TLS_WHY_LEN])
{
    SSL_CTX *ctx;
    char *old_cert = t->cert, *old_key = t->key;

    if (load(cert, key, &ctx, why) != ERR_OK)
        return ERR_DATA;
    SSL_CTX_free(t->ctx); /* its connections hold references of their own */
    t->ctx = ctx;
    t->cert = mem_strdup(cert);
    t->key = mem_strdup(key);
    mem_free(old_cert);
    mem_free(old_key);
    return ERR_OK;
}

enum err tls_reload(struct tls *t, char why[TLS_WHY_LEN])
{
    return tls_reload_from(t, t->cert, t->key, why);
}

void tls_free(struct tls *t)
{
    if (t == NULL)
        return;
    SSL_CTX_free(t->ctx);
    BIO_meth_free(t->bio);
    mem_free(t->cert);
    mem_free(t->key);
    mem_free(t);
}

/* ---- one connection ---- */

struct tls_conn *tls_conn_new(struct tls *t)
{
    struct tls_conn *c = mem_zalloc(sizeof(*c));

    c->why = "";
    c->ssl = SSL_new(t->ctx);
    CHECK(c->ssl != NULL);
    tls_memory_attach(c->ssl, t->bio, &c->mem);
    SSL_set_accept_state(c->ssl);
    return c;
}

void tls_conn_free(struct tls_conn *c)
{
    if (c == NULL)
        return;
    SSL_free(c->ssl);
    buf_fini(&c->pending);
    mem_free(c);
}

bool tls_conn_is_ready(const struct tls_conn *c)
{
    return !c->failed && SSL_is_init_finished(c->ssl) == 1;
}

const char *tls_conn_why(const struct tls_conn *c)
{
    return c->why;
}

static void give_up(struct tls_conn *c)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    c->failed = true;
    c->why = reason != NULL ? reason : "protocol error";
    ERR_clear_error();
}

/* All of it: our BIO takes everything. */
static bool encrypt(struct tls_conn *c, const char *data, size_t len)
{
    size_t done = 0;

    ERR_clear_error();
    if (len == 0 || (SSL_write_ex(c->ssl, data, len, &done) == 1 && done == len))
        return true;
    give_up(c);
    return false;
}

/* What was said before the handshake had ended. */
static void send_pending(struct tls_conn *c)
{
    if (c->pending.len == 0 || !tls_conn_is_ready(c))
        return;
    (void)encrypt(c, c->pending.data, c->pending.len);
    buf_fini(&c->pending);
}

enum tls_state tls_conn_feed(struct tls_conn *c, const char *data, size_t len, struct buf *plain,
                             struct buf *cipher)
{
    enum tls_state state = TLS_OPEN;

    if (len == 0)
        return TLS_OPEN;
    if (!c->seen && (uint8_t)data[0] != HANDSHAKE_RECORD) {
        c->failed = true;
        c->why = "not TLS";
        return TLS_STRANGER;
    }
    c->seen = true;
    c->mem.in = data;
    c->mem.len = len;
    c->mem.out = cipher;
    while (state == TLS_OPEN) {
        size_t n = 0;
        int e;

        ERR_clear_error();
        if (SSL_read_ex(c->ssl, buf_room(plain, READ_BYTES), READ_BYTES, &n) == 1) {
            plain->len += n;
            plain->data[plain->len] = '\0';
            continue;
        }
        e = SSL_get_error(c->ssl, 0);
        if (e == SSL_ERROR_WANT_READ)
            break;
        if (e == SSL_ERROR_ZERO_RETURN) {
            state = TLS_EOF;
        } else {
            give_up(c);
            state = TLS_FAILED;
        }
    }
    send_pending(c);
    c->mem.out = NULL;
    return state;
}

bool tls_conn_write(struct tls_conn *c, const char *data, size_t len, struct buf *cipher)
{
    bool good;

    if (c->failed)
        return false;
    if (!tls_conn_is_ready(c)) {
        if (c->pending.len + len > TLS_PENDING_MAX)
            return false;
        buf_put(&c->pending, data, len);
        return true;
    }
    c->mem.out = cipher;
    good = encrypt(c, data, len);
    c->mem.out = NULL;
    return good;
}

void tls_conn_close(struct tls_conn *c, struct buf *cipher)
{
    if (!tls_conn_is_ready(c))
        return;
    c->mem.out = cipher;
    ERR_clear_error();
    (void)SSL_shutdown(c->ssl); /* ours is sent; the peer's isn't waited for */
    ERR_clear_error();
    c->mem.out = NULL;
}
