/* SPDX-License-Identifier: ISC
 * tls_memory.h -- OpenSSL over the caller's memory: reads what was lent, appends what it writes.
 *
 * A BIO of ours, so that a connection holds no buffers of its own while it is quiet, and nothing can
 * be left in one undrained. Both ends of a connection use it: server/shell/tls.c, client/tls.c.
 */
#ifndef SK_COMMON_TLS_MEMORY_H
#define SK_COMMON_TLS_MEMORY_H

#include <openssl/ssl.h>

#include "common/base/buf.h"

/* What OpenSSL may read and where it may write, borrowed during one call into it. */
struct tls_memory {
    const char *in; /* moves on as it is read; then `len` 0: it wants more */
    size_t len;
    struct buf *out; /* NULL: nothing may be written now */
};

/* How such a BIO works. Owned: BIO_meth_free, once its BIOs are gone. */
BIO_METHOD *tls_memory_method(void);
/* Let `ssl` read from and write to *m, which must outlive it. */
void tls_memory_attach(SSL *ssl, const BIO_METHOD *method, struct tls_memory *m);

#endif
