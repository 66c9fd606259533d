/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_tls.h"

#include <unistd.h>

#include "common/base/str.h"
#include "server/shell/selfsign.h"

void tls_files(char cert[64], char key[64])
{
    char dir[] = "/tmp/sk-tls-XXXXXX";
    char why[SELFSIGN_WHY_LEN];

    /* no authorities: reading a system's hundred takes longer than all the rest */
    CHECK(setenv("SSL_CERT_FILE", "/dev/null", 1) == 0 &&
          setenv("SSL_CERT_DIR", "/dev/null", 1) == 0);
    CHECK(mkdtemp(dir) != NULL);
    (void)snprintf(cert, 64, "%s/tls.crt", dir);
    (void)snprintf(key, 64, "%s/tls.key", dir);
    CHECK(selfsign_make(cert, key, "a club", why) == ERR_OK);
}

void tls_files_remove(const char cert[64], const char key[64])
{
    char dir[64];

    (void)unlink(cert);
    (void)unlink(key);
    (void)str_copy(dir, sizeof(dir), cert);
    *strrchr(dir, '/') = '\0';
    (void)rmdir(dir);
}

static bool on_trust(void *arg, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN])
{
    struct tls_pair *p = arg;

    p->seen = *peer;
    (void)str_copy(why, TLS_CLIENT_WHY_LEN, "the test says no");
    return p->trusts;
}

void tls_pair_init(struct tls_pair *p, struct tls *t)
{
    const struct tls_rules rules = {.host = "127.0.0.1", .trust = on_trust, .arg = p};
    char why[TLS_CLIENT_WHY_LEN];

    memset(p, 0, sizeof(*p));
    p->trusts = true;
    p->server = tls_conn_new(t);
    CHECK(tls_client_new(&rules, &p->client, why) == ERR_OK);
    tls_client_start(p->client, &p->to_server);
}

void tls_pair_fini(struct tls_pair *p)
{
    tls_conn_free(p->server);
    tls_client_free(p->client);
    buf_fini(&p->to_server);
    buf_fini(&p->to_client);
    buf_fini(&p->at_server);
    buf_fini(&p->at_client);
}

static void feed_server(struct tls_pair *p, size_t cut)
{
    const size_t n = MIN(cut, p->to_server.len);

    if (p->server_state == TLS_OPEN)
        p->server_state =
            tls_conn_feed(p->server, buf_str(&p->to_server), n, &p->at_server, &p->to_client);
    buf_consume(&p->to_server, n);
}

static void feed_client(struct tls_pair *p, size_t cut)
{
    const size_t n = MIN(cut, p->to_client.len);

    if (p->client_state == TLS_CLIENT_OPEN)
        p->client_state =
            tls_client_feed(p->client, buf_str(&p->to_client), n, &p->at_client, &p->to_server);
    buf_consume(&p->to_client, n);
}

void tls_pair_run(struct tls_pair *p, size_t cut)
{
    while (p->to_server.len > 0 || p->to_client.len > 0) {
        if (p->to_server.len > 0)
            feed_server(p, cut);
        if (p->to_client.len > 0)
            feed_client(p, cut);
    }
}
