/* SPDX-License-Identifier: ISC */
#include "server/shell/selfsign.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/hex.h"

enum { LASTS_S = 10 * 365 * 24 * 60 * 60, SERIAL_BYTES = 16, DIGEST_LEN = 32 };

static enum err cannot(const char *what, const char *file, char why[SELFSIGN_WHY_LEN])
{
    (void)snprintf(why, SELFSIGN_WHY_LEN, "can't %s %s: %s", what, file, strerror(errno));
    return ERR_IO;
}

/* A random serial number, not negative (RFC 5280, 4.1.2.2). */
static bool set_serial(X509 *x)
{
    uint8_t bytes[SERIAL_BYTES];
    BIGNUM *n;
    bool good;

    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return false;
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    n = BN_bin2bn(bytes, sizeof(bytes), NULL);
    good = n != NULL && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x)) != NULL;
    BN_free(n);
    return good;
}

static bool add_extension(X509 *x, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *ext;
    bool good;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, x, x, NULL, NULL, 0);
    ext = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    good = ext != NULL && X509_add_ext(x, ext, -1) == 1;
    X509_EXTENSION_free(ext);
    return good;
}

static bool fill(X509 *x, EVP_PKEY *pkey, const char *name)
{
    X509_NAME *subject = X509_get_subject_name(x);

    return X509_set_version(x, X509_VERSION_3) == 1 && set_serial(x) &&
           X509_gmtime_adj(X509_getm_notBefore(x), -60L * 60) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(x), LASTS_S) != NULL &&
           X509_set_pubkey(x, pkey) == 1 &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1,
                                      -1, 0) == 1 &&
           X509_set_issuer_name(x, subject) == 1 &&
           add_extension(x, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(x, NID_key_usage, "critical,digitalSignature") &&
           add_extension(x, NID_ext_key_usage, "serverAuth") &&
           X509_sign(x, pkey, EVP_sha256()) > 0;
}

/* A new file, written by `put`, on disk. */
static enum err write_new(const char *path, mode_t mode, bool (*put)(FILE *, void *), void *arg,
                          char why[SELFSIGN_WHY_LEN])
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good;

    if (f == NULL)
        return cannot("make", path, why);
    good = fchmod(fd, mode) == 0 && put(f, arg) && fflush(f) == 0 && fsync(fd) == 0;
    if (fclose(f) == 0 && good)
        return ERR_OK;
    (void)cannot("write", path, why);
    (void)unlink(path);
    return ERR_IO;
}

static bool put_key(FILE *f, void *pkey)
{
    return PEM_write_PrivateKey(f, pkey, NULL, NULL, 0, NULL, NULL) == 1;
}

static bool put_cert(FILE *f, void *x)
{
    return PEM_write_X509(f, x) == 1;
}

enum err selfsign_make(const char *cert, const char *key, const char *name,
                       char why[SELFSIGN_WHY_LEN])
{
    const bool have_cert = access(cert, F_OK) == 0;
    const bool have_key = access(key, F_OK) == 0;
    EVP_PKEY *pkey;
    X509 *x;
    enum err e;

    if (have_cert && have_key)
        return ERR_OK;
    if (have_cert || have_key) {
        (void)snprintf(why, SELFSIGN_WHY_LEN, "there is %s, but no %s; move it away first",
                       have_cert ? cert : key, have_cert ? key : cert);
        return ERR_CONFLICT;
    }
    pkey = EVP_EC_gen("P-256");
    x = X509_new();
    if (pkey == NULL || x == NULL || !fill(x, pkey, name)) {
        const char *reason = ERR_reason_error_string(ERR_peek_last_error());

        (void)snprintf(why, SELFSIGN_WHY_LEN, "can't make a certificate for %.200s: %s", name,
                       reason != NULL ? reason : "out of memory");
        e = ERR_DATA;
    } else {
        e = write_new(key, 0600, put_key, pkey, why);
        if (e == ERR_OK) {
            e = write_new(cert, 0644, put_cert, x, why);
            if (e != ERR_OK)
                (void)unlink(key); /* of no use alone */
        }
    }
    X509_free(x);
    EVP_PKEY_free(pkey);
    ERR_clear_error();
    return e;
}

enum err selfsign_print(const char *cert, char out[SELFSIGN_PRINT_LEN], char why[SELFSIGN_WHY_LEN])
{
    FILE *f = fopen(cert, "re");
    X509 *x = f != NULL ? PEM_read_X509(f, NULL, NULL, NULL) : NULL;
    uint8_t digest[EVP_MAX_MD_SIZE];
    char hex[2 * DIGEST_LEN + 1];
    unsigned len = 0;
    bool good;

    if (f != NULL)
        (void)fclose(f);
    good = x != NULL && X509_digest(x, EVP_sha256(), digest, &len) == 1 && len == DIGEST_LEN;
    X509_free(x);
    ERR_clear_error();
    if (!good) {
        (void)snprintf(why, SELFSIGN_WHY_LEN, "%s holds no certificate that can be read", cert);
        return ERR_DATA;
    }
    hex_encode(hex, digest, DIGEST_LEN);
    (void)snprintf(out, SELFSIGN_PRINT_LEN, "SHA256:%s", hex);
    return ERR_OK;
}
