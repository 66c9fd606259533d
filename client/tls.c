/* SPDX-License-Identifier: ISC
 * tls.c -- TLS to a server. */
#include "client/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/tls/tls_memory.h"

enum { READ_BYTES = 16384, DIGEST_LEN = 32 };

struct tls_client {
    SSL_CTX *ctx;
    SSL *ssl;
    BIO_METHOD *bio;
    struct tls_memory mem;
    bool (*trust)(void *arg, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN]);
    void *arg;
    bool trusted;
    char why[TLS_CLIENT_WHY_LEN];
};

/* ---- life ---- */

static bool set_host(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_get0_param(ssl);
    char name[256]; /* OpenSSL's macro takes no const */

    if (X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1)
        return true;
    ERR_clear_error();
    return str_copy(name, sizeof(name), host) && SSL_set1_host(ssl, name) == 1 &&
           SSL_set_tlsext_host_name(ssl, name) == 1;
}

static enum err set_up(struct tls_client *t, const struct tls_rules *rules,
                       char why[TLS_CLIENT_WHY_LEN])
{
    CHECK(SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION) == 1);
    (void)SSL_CTX_set_options(t->ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                          SSL_OP_IGNORE_UNEXPECTED_EOF);
    (void)SSL_CTX_set_session_cache_mode(t->ctx, SSL_SESS_CACHE_OFF);
    t->ssl = SSL_new(t->ctx);
    CHECK(t->ssl != NULL);
    tls_memory_attach(t->ssl, t->bio, &t->mem);
    SSL_set_connect_state(t->ssl);
    /* what the check says is looked at once the handshake is over: see decide() */
    SSL_set_verify(t->ssl, SSL_VERIFY_NONE, NULL);
    ERR_clear_error();
    if (rules->ca != NULL && SSL_CTX_load_verify_file(t->ctx, rules->ca) != 1) {
        (void)snprintf(why, TLS_CLIENT_WHY_LEN, "%.400s holds no certificates that can be read",
                       rules->ca);
        ERR_clear_error();
        return ERR_DATA;
    }
    if (rules->ca == NULL)
        (void)SSL_CTX_set_default_verify_paths(t->ctx); /* without any nothing is verified */
    ERR_clear_error();
    if (set_host(t->ssl, rules->host))
        return ERR_OK;
    (void)snprintf(why, TLS_CLIENT_WHY_LEN, "%.253s is no host that a certificate could name",
                   rules->host);
    ERR_clear_error();
    return ERR_DATA;
}

enum err tls_client_new(const struct tls_rules *rules, struct tls_client **out,
                        char why[TLS_CLIENT_WHY_LEN])
{
    struct tls_client *t = mem_zalloc(sizeof(*t));

    *out = NULL;
    t->trust = rules->trust;
    t->arg = rules->arg;
    t->ctx = SSL_CTX_new(TLS_client_method());
    t->bio = tls_memory_method();
    CHECK(t->ctx != NULL);
    if (set_up(t, rules, why) != ERR_OK) {
        tls_client_free(t);
        return ERR_DATA;
    }
    *out = t;
    return ERR_OK;
}

void tls_client_free(struct tls_client *t)
{
    if (t == NULL)
        return;
    SSL_free(t->ssl);
    SSL_CTX_free(t->ctx);
    BIO_meth_free(t->bio);
    mem_free(t);
}

const char *tls_client_why(const struct tls_client *t)
{
    return t->why;
}

/* ---- the handshake ---- */

static enum tls_client_state give_up(struct tls_client *t)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    (void)snprintf(t->why, sizeof(t->why), "no TLS with it: %s",
                   reason != NULL ? reason : "protocol error");
    ERR_clear_error();
    return TLS_CLIENT_FAILED;
}

static void print_of(X509 *x, char out[TLS_PRINT_LEN])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    char hex[2 * DIGEST_LEN + 1] = "";
    unsigned len = 0;

    if (X509_digest(x, EVP_sha256(), digest, &len) == 1 && len == DIGEST_LEN)
        hex_encode(hex, digest, DIGEST_LEN);
    (void)snprintf(out, TLS_PRINT_LEN, "SHA256:%s", hex);
}

/* Will its certificate do? */
static enum tls_client_state decide(struct tls_client *t)
{
    X509 *x = SSL_get0_peer_certificate(t->ssl);
    const long result = SSL_get_verify_result(t->ssl);
    struct tls_peer peer = {.verified = result == X509_V_OK, .problem = ""};

    if (x == NULL) {
        (void)str_copy(t->why, sizeof(t->why), "it shows no certificate");
        return TLS_CLIENT_UNTRUSTED;
    }
    print_of(x, peer.print);
    peer.self_signed = X509_self_signed(x, 1) == 1;
    if (!peer.verified)
        peer.problem = X509_verify_cert_error_string(result);
    ERR_clear_error();
    t->trusted = t->trust(t->arg, &peer, t->why);
    return t->trusted ? TLS_CLIENT_OPEN : TLS_CLIENT_UNTRUSTED;
}

void tls_client_start(struct tls_client *t, struct buf *cipher)
{
    t->mem.out = cipher;
    ERR_clear_error();
    (void)SSL_do_handshake(t->ssl); /* wants to read: the answer to what it has just written */
    ERR_clear_error();
    t->mem.out = NULL;
}

static enum tls_client_state shake(struct tls_client *t)
{
    int done;

    ERR_clear_error();
    done = SSL_do_handshake(t->ssl);
    if (done == 1)
        return decide(t);
    return SSL_get_error(t->ssl, done) == SSL_ERROR_WANT_READ ? TLS_CLIENT_OPEN : give_up(t);
}

static enum tls_client_state read_all(struct tls_client *t, struct buf *plain)
{
    for (;;) {
        size_t n = 0;
        int e;

        ERR_clear_error();
        if (SSL_read_ex(t->ssl, buf_room(plain, READ_BYTES), READ_BYTES, &n) == 1) {
            plain->len += n;
            plain->data[plain->len] = '\0';
            continue;
        }
        e = SSL_get_error(t->ssl, 0);
        if (e == SSL_ERROR_WANT_READ)
            return TLS_CLIENT_OPEN;
        return e == SSL_ERROR_ZERO_RETURN ? TLS_CLIENT_EOF : give_up(t);
    }
}

enum tls_client_state tls_client_feed(struct tls_client *t, const char *data, size_t len,
                                      struct buf *plain, struct buf *cipher)
{
    enum tls_client_state state = TLS_CLIENT_OPEN;

    t->mem = (struct tls_memory){data, len, cipher};
    if (!t->trusted)
        state = shake(t);
    if (state == TLS_CLIENT_OPEN && t->trusted)
        state = read_all(t, plain);
    t->mem.out = NULL;
    return state;
}

bool tls_client_write(struct tls_client *t, const char *data, size_t len, struct buf *cipher)
{
    size_t done = 0;
    bool good;

    if (!t->trusted)
        return false;
    t->mem.out = cipher;
    ERR_clear_error();
    good = SSL_write_ex(t->ssl, data, len, &done) == 1 && done == len;
    ERR_clear_error();
    t->mem.out = NULL;
    return good;
}
