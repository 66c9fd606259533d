/* SPDX-License-Identifier: ISC
 * tls.h -- TLS to a server as bytes in and bytes out (OpenSSL 3): knows no socket.
 *
 * TLS 1.2 and 1.3. Nothing is told to the peer, and nothing of it is believed, before the caller
 * has said that its certificate will do.
 */
#ifndef SK_CLIENT_TLS_H
#define SK_CLIENT_TLS_H

#include "common/base/buf.h"

#define TLS_PRINT_LEN      72 /* "SHA256:" and 64 hex digits, with NUL */
#define TLS_CLIENT_WHY_LEN 640

struct tls_client;

/* The peer's certificate. */
struct tls_peer {
    char print[TLS_PRINT_LEN]; /* SHA-256 of its DER form */
    bool verified;             /* by an authority that we trust, for this host, and in its time */
    bool self_signed;
    const char *problem; /* why it isn't verified; "" */
};
struct tls_rules {
    const char *host; /* name or numeric address */
    const char *ca;   /* PEM file of the only authorities to trust; NULL: the system's */
    bool (*trust)(void *arg, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN]);
    void *arg;
};

/* *out is owned: tls_client_free. Strings are used in the call only. ERR_DATA, why[]: `ca` is no good. */
NODISCARD enum err tls_client_new(const struct tls_rules *rules, struct tls_client **out,
                                  char why[TLS_CLIENT_WHY_LEN]);
void tls_client_free(struct tls_client *t);

/* Begin: what to send first is appended to *cipher. */
void tls_client_start(struct tls_client *t, struct buf *cipher);

enum tls_client_state { TLS_CLIENT_OPEN, TLS_CLIENT_EOF, TLS_CLIENT_FAILED, TLS_CLIENT_UNTRUSTED };
/*
 * Take bytes of the network: what they say is appended to *plain, what must be sent to *cipher.
 * After anything but TLS_CLIENT_OPEN it must not be called again; tls_client_why says what was wrong.
 */
enum tls_client_state tls_client_feed(struct tls_client *t, const char *data, size_t len,
                                      struct buf *plain, struct buf *cipher);
/* Encrypt, once the handshake is over (something was said to us). False: it can't be. */
bool tls_client_write(struct tls_client *t, const char *data, size_t len, struct buf *cipher);
const char *tls_client_why(const struct tls_client *t);

#endif
