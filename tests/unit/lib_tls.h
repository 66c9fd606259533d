/* SPDX-License-Identifier: ISC
 * lib_tls.h -- a server's and a client's TLS, face to face in memory.
 */
#ifndef SK_TESTS_LIB_TLS_H
#define SK_TESTS_LIB_TLS_H

#include "client/tls.h"
#include "server/shell/tls.h"

struct tls_pair {
    struct tls_conn *server;
    struct tls_client *client;
    struct buf to_server, to_client; /* on the way, encrypted */
    struct buf at_server, at_client; /* arrived, in the clear */
    enum tls_state server_state;
    enum tls_client_state client_state;
    struct tls_peer seen; /* the certificate that the client was shown */
    bool trusts;          /* what it says to it */
};

/* A new certificate in a new directory of /tmp, for the process's life; its files' names. */
void tls_files(char cert[64], char key[64]);
void tls_files_remove(const char cert[64], const char key[64]);

void tls_pair_init(struct tls_pair *p, struct tls *t);
void tls_pair_fini(struct tls_pair *p);
/* Let what is on the way arrive, `cut` bytes at a time, until nothing is. */
void tls_pair_run(struct tls_pair *p, size_t cut);

#endif
