/* SPDX-License-Identifier: ISC
 * tls_memory.c -- a BIO over memory that is borrowed for a call. */
#include "common/tls/tls_memory.h"

#include "common/base/util.h"

static int on_read(BIO *b, char *dst, int n)
{
    struct tls_memory *m = BIO_get_data(b);
    const size_t take = MIN(m->len, (size_t)MAX(n, 0));

    BIO_clear_retry_flags(b);
    if (take == 0) {
        BIO_set_retry_read(b);
        return -1;
    }
    memcpy(dst, m->in, take);
    m->in += take;
    m->len -= take;
    return (int)take;
}

static int on_write(BIO *b, const char *src, int n)
{
    const struct tls_memory *m = BIO_get_data(b);

    BIO_clear_retry_flags(b);
    CHECK(m->out != NULL && n >= 0);
    buf_put(m->out, src, (size_t)n);
    return n;
}

static long on_ctrl(BIO *b, int cmd, long num, void *ptr)
{
    (void)b;
    (void)num;
    (void)ptr;
    return cmd == BIO_CTRL_FLUSH;
}

BIO_METHOD *tls_memory_method(void)
{
    BIO_METHOD *method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "caller's memory");

    CHECK(method != NULL && BIO_meth_set_read(method, on_read) == 1 &&
          BIO_meth_set_write(method, on_write) == 1 && BIO_meth_set_ctrl(method, on_ctrl) == 1);
    return method;
}

void tls_memory_attach(SSL *ssl, const BIO_METHOD *method, struct tls_memory *m)
{
    BIO *bio = BIO_new(method);

    CHECK(bio != NULL);
    BIO_set_data(bio, m);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio); /* one reference for both: OpenSSL knows */
}
