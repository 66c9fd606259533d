/* SPDX-License-Identifier: ISC
 * tls.h -- TLS as bytes in and bytes out (OpenSSL 3): knows no socket, keeps no queue.
 *
 * TLS 1.2 and 1.3, ephemeral keys only, no renegotiation, no tickets, no early data. What a peer
 * can make it hold is bounded: one record, and the few lines said before the handshake has ended.
 */
#ifndef SK_SERVER_SHELL_TLS_H
#define SK_SERVER_SHELL_TLS_H

#include "common/base/buf.h"

#define TLS_WHY_LEN     4400
#define TLS_PENDING_MAX 4096 /* bytes to send that may wait for the handshake */

struct tls;      /* a certificate and its key, as many connections use them */
struct tls_conn; /* one connection's state */

/*
 * Read certificate (a PEM chain, our own first) and key (PEM, not encrypted). *out is owned:
 * tls_free. ERR_DATA, why[]: a file that can't be read or used, or that don't belong together.
 */
NODISCARD enum err tls_new(const char *cert, const char *key, struct tls **out,
                           char why[TLS_WHY_LEN]);
/* Read both again: for connections from now on, those that are there keep theirs. ERR_DATA, why[]:
 * the old ones stay. tls_reload_from: from other files, and from there later on. */
NODISCARD enum err tls_reload_from(struct tls *t, const char *cert, const char *key,
                                   char why[TLS_WHY_LEN]);
NODISCARD enum err tls_reload(struct tls *t, char why[TLS_WHY_LEN]);
/* Takes `t`, may be NULL; its connections must be gone. */
void tls_free(struct tls *t);

/* Owned: tls_conn_free. `t` must outlive it. */
struct tls_conn *tls_conn_new(struct tls *t);
void tls_conn_free(struct tls_conn *c);

/* Open; the peer has said that it sends no more; over; what came is no TLS at all. */
enum tls_state { TLS_OPEN, TLS_EOF, TLS_FAILED, TLS_STRANGER };

/*
 * Take `len` bytes of the network. What they say is appended to *plain, what must be sent (also
 * after TLS_FAILED: an alert) to *cipher. After anything but TLS_OPEN it must not be called again.
 */
enum tls_state tls_conn_feed(struct tls_conn *c, const char *data, size_t len, struct buf *plain,
                             struct buf *cipher);
/*
 * Encrypt; records are appended to *cipher, or `data` is kept until the handshake has ended. False:
 * this connection can't say anything (any more).
 */
bool tls_conn_write(struct tls_conn *c, const char *data, size_t len, struct buf *cipher);
/* Say that nothing follows. Nothing before the end of the handshake. */
void tls_conn_close(struct tls_conn *c, struct buf *cipher);
/* Has the handshake ended well? */
bool tls_conn_is_ready(const struct tls_conn *c);
/* What went wrong, a static word or OpenSSL's. */
const char *tls_conn_why(const struct tls_conn *c);

#endif
