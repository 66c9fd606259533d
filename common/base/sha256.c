/* SPDX-License-Identifier: ISC
 * sha256.c -- libcrypto's plain functions: they need no memory and can't fail, and cost a fifth of
 * what a hash by EVP costs at our sizes.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "common/base/sha256.h"

#include <openssl/sha.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct sha256) &&
                   alignof(SHA256_CTX) <= alignof(struct sha256),
               "room for the library's state");

void sha256_init(struct sha256 *s)
{
    (void)SHA256_Init((SHA256_CTX *)(void *)s);
}

void sha256_update(struct sha256 *s, const void *data, size_t len)
{
    if (len > 0)
        (void)SHA256_Update((SHA256_CTX *)(void *)s, data, len);
}

void sha256_final(struct sha256 *s, uint8_t out[SHA256_LEN])
{
    (void)SHA256_Final(out, (SHA256_CTX *)(void *)s);
}

void sha256(uint8_t out[SHA256_LEN], const void *data, size_t len)
{
    struct sha256 s;

    sha256_init(&s);
    sha256_update(&s, data, len);
    sha256_final(&s, out);
}
