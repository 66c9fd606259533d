/* SPDX-License-Identifier: ISC
 * selfsign.h -- a certificate for a club that has none: made here, signed by itself, known by its
 * fingerprint.
 */
#ifndef SK_SERVER_SHELL_SELFSIGN_H
#define SK_SERVER_SHELL_SELFSIGN_H

#include "common/base/err.h"

#define SELFSIGN_PRINT_LEN 72 /* "SHA256:" and 64 hex digits, with NUL */
#define SELFSIGN_WHY_LEN   4400

/*
 * Make a key (P-256) and a certificate for `name` (what its subject says; clients go by the
 * fingerprint) that lasts ten years. Files that are there are never touched: both there is
 * ERR_OK, one without the other ERR_CONFLICT. The key's file has mode 0600, the certificate's
 * 0644; ERR_IO: one can't be written. why[] on error.
 */
NODISCARD enum err selfsign_make(const char *cert, const char *key, const char *name,
                                 char why[SELFSIGN_WHY_LEN]);
/* Fingerprint of the first certificate in a PEM file: SHA-256 of its DER form. ERR_DATA, why[]. */
NODISCARD enum err selfsign_print(const char *cert, char out[SELFSIGN_PRINT_LEN],
                                  char why[SELFSIGN_WHY_LEN]);

#endif
