/* SPDX-License-Identifier: ISC
 * TLS: a server's end and a client's, in memory; certificates of our own making; whom to trust.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "client/trust.h"
#include "common/base/str.h"
#include "server/shell/selfsign.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_tls.h"

struct files {
    char cert[64], key[64];
    struct tls *tls;
};

static int setup(void **state)
{
    static struct files f;
    char why[TLS_WHY_LEN];

    tls_files(f.cert, f.key);
    assert_int_equal(tls_new(f.cert, f.key, &f.tls, why), ERR_OK);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct files *f = *state;

    tls_free(f->tls);
    tls_files_remove(f->cert, f->key);
    return 0;
}

/* What is said before the handshake is over comes after it; a megabyte both ways; a clean end.
 * However the stream is cut. */
static void talks(void **state)
{
    const struct files *f = *state;
    static const size_t cuts[] = {1, 7, 100, 4096, 1 << 20};
    static char much[1 << 20];

    memset(much, 'm', sizeof(much));
    for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
        struct tls_pair p;
        const size_t n = cuts[i] < 100 ? 5000 : sizeof(much);

        tls_pair_init(&p, f->tls);
        assert_true(tls_conn_write(p.server, "early", 5, &p.to_client));
        assert_int_equal(p.to_client.len, 0);
        assert_false(tls_client_write(p.client, "too early", 9, &p.to_server));
        tls_pair_run(&p, cuts[i]);
        assert_true(tls_conn_is_ready(p.server));
        assert_string_equal(buf_str(&p.at_client), "early");
        assert_true(p.seen.self_signed);
        assert_false(p.seen.verified);
        assert_true(tls_conn_write(p.server, much, n, &p.to_client));
        assert_true(tls_client_write(p.client, much, n, &p.to_server));
        tls_pair_run(&p, cuts[i]);
        assert_int_equal(p.at_server.len, n);
        assert_int_equal(p.at_client.len, n + 5);
        assert_memory_equal(p.at_server.data, much, n);
        tls_conn_close(p.server, &p.to_client);
        tls_pair_run(&p, cuts[i]);
        assert_int_equal(p.client_state, TLS_CLIENT_EOF);
        tls_pair_fini(&p);
    }
}

static void bounds_what_waits(void **state)
{
    const struct files *f = *state;
    static const char word[TLS_PENDING_MAX];
    struct tls_pair p;

    tls_pair_init(&p, f->tls);
    assert_true(tls_conn_write(p.server, word, sizeof(word), &p.to_client));
    assert_false(tls_conn_write(p.server, word, 1, &p.to_client));
    tls_pair_fini(&p);
}

static void meets_strangers(void **state)
{
    const struct files *f = *state;
    struct tls_pair p;
    struct buf plain = BUF_EMPTY, cipher = BUF_EMPTY;
    struct tls_conn *c = tls_conn_new(f->tls);

    assert_int_equal(tls_conn_feed(c, "GET /", 5, &plain, &cipher), TLS_STRANGER);
    assert_false(tls_conn_write(c, "x", 1, &cipher));
    tls_conn_free(c);
    c = tls_conn_new(f->tls);
    assert_int_equal(tls_conn_feed(c, "\x16\x03\x01\xff\xff junk", 10, &plain, &cipher),
                     TLS_FAILED);
    assert_true(tls_conn_why(c)[0] != '\0');
    tls_conn_free(c);
    tls_pair_init(&p, f->tls); /* a bit falls over on the way */
    tls_pair_run(&p, 512);
    assert_true(tls_client_write(p.client, "order", 5, &p.to_server));
    p.to_server.data[p.to_server.len - 1] ^= 1;
    tls_pair_run(&p, 512);
    assert_int_equal(p.server_state, TLS_FAILED);
    assert_int_equal(p.at_server.len, 0);
    assert_int_equal(p.client_state, TLS_CLIENT_FAILED); /* an alert told it */
    tls_pair_fini(&p);
    tls_pair_init(&p, f->tls); /* a client that trusts nobody says nothing and hears nothing */
    p.trusts = false;
    assert_true(tls_conn_write(p.server, "secret", 6, &p.to_client));
    tls_pair_run(&p, 512);
    assert_int_equal(p.client_state, TLS_CLIENT_UNTRUSTED);
    assert_int_equal(p.at_client.len, 0);
    assert_string_equal(tls_client_why(p.client), "the test says no");
    tls_pair_fini(&p);
    buf_fini(&plain);
    buf_fini(&cipher);
}

static void makes_certificates_once(void **state)
{
    const struct files *f = *state;
    char print[SELFSIGN_PRINT_LEN], again[SELFSIGN_PRINT_LEN], why[SELFSIGN_WHY_LEN];
    struct tls_pair p;
    struct stat st;

    assert_int_equal(stat(f->key, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(selfsign_print(f->cert, print, why), ERR_OK);
    assert_true(trust_is_print(print));
    assert_int_equal(selfsign_make(f->cert, f->key, "a club", why), ERR_OK);
    assert_int_equal(selfsign_print(f->cert, again, why), ERR_OK);
    assert_string_equal(print, again);
    tls_pair_init(&p, f->tls);
    tls_pair_run(&p, 4096);
    assert_string_equal(p.seen.print, print); /* the one that clients see */
    tls_pair_fini(&p);
    assert_int_equal(selfsign_print(f->key, print, why), ERR_DATA);
    assert_int_equal(unlink(f->cert), 0);
    assert_int_equal(selfsign_make(f->cert, f->key, "a club", why), ERR_CONFLICT);
    assert_int_equal(selfsign_make("/nowhere/a", "/nowhere/b", "a club", why), ERR_IO);
}

static void reloads(void **state)
{
    const struct files *f = *state;
    char why[TLS_WHY_LEN], cert[64], key[64], first[TLS_PRINT_LEN];
    struct tls_pair old, p;

    tls_pair_init(&old, f->tls);
    tls_pair_run(&old, 4096);
    (void)str_copy(first, sizeof(first), old.seen.print);
    tls_files(cert, key);
    assert_int_equal(rename(cert, f->cert), 0);
    assert_int_equal(tls_reload(f->tls, why), ERR_DATA); /* halfway: not of one another */
    assert_non_null(strstr(why, f->key));
    assert_int_equal(rename(key, f->key), 0);
    assert_int_equal(tls_reload(f->tls, why), ERR_OK);
    tls_pair_init(&p, f->tls);
    tls_pair_run(&p, 4096);
    assert_string_not_equal(p.seen.print, first);
    tls_pair_fini(&p);
    assert_true(tls_conn_write(old.server, "still here", 10, &old.to_client));
    tls_pair_run(&old, 4096);
    assert_string_equal(buf_str(&old.at_client), "still here");
    tls_pair_fini(&old);
    assert_int_equal(unlink(f->key), 0);
    assert_int_equal(tls_reload(f->tls, why), ERR_DATA);
    tls_files_remove(cert, key);
}

/* ---- whom to trust ---- */

#define ONE "SHA256:1111111111111111111111111111111111111111111111111111111111111111"
#define TWO "SHA256:2222222222222222222222222222222222222222222222222222222222222222"

static bool ask(struct trust *t, const char *print, bool verified, bool self_signed,
                char why[TLS_CLIENT_WHY_LEN])
{
    struct tls_peer peer = {
        .verified = verified, .self_signed = self_signed, .problem = "the problem"};

    (void)str_copy(peer.print, sizeof(peer.print), print);
    why[0] = '\0';
    return trust_decide(t, &peer, why);
}

static void trusts(void **unused)
{
    char dir[] = "/tmp/sk-trust-XXXXXX", path[64], why[TLS_CLIENT_WHY_LEN];
    struct url url = {.host = "club.example", .port = 1962, .tls = true};
    struct trust t = {.url = &url};
    struct stat st;

    (void)unused;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
    assert_true(ask(&t, ONE, true, false, why)); /* an authority's word: nothing to remember */
    assert_string_equal(t.news, "");
    assert_false(ask(&t, ONE, false, false, why));
    assert_non_null(strstr(why, "the problem"));
    assert_true(ask(&t, ONE, false, true, why));
    assert_non_null(strstr(t.news, ONE));
    assert_true(ask(&t, ONE, false, true, why));
    assert_string_equal(t.news, "");
    assert_false(ask(&t, TWO, false, true, why));
    assert_non_null(strstr(why, "HAS CHANGED"));
    assert_non_null(strstr(why, ONE));
    assert_non_null(strstr(why, TWO));
    assert_true(ask(&t, TWO, true, false, why)); /* an authority vouches for the new one */
    url.port = 1963;                             /* another server */
    assert_true(ask(&t, TWO, false, true, why));
    t.print = ONE;
    assert_false(ask(&t, TWO, true, true, why));
    assert_true(ask(&t, ONE, false, false, why));
    t.print = NULL;
    t.has_ca = true;
    assert_false(ask(&t, TWO, false, true, why));
    assert_true(ask(&t, ONE, true, false, why));
    (void)snprintf(path, sizeof(path), "%s/skirmish/known_hosts", dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
    (void)rmdir(dir);
    assert_true(trust_is_print(ONE));
    assert_false(trust_is_print(ONE "1"));
    assert_false(trust_is_print("SHA1:11"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(talks),   T(bounds_what_waits),     T(meets_strangers), T(makes_certificates_once),
        T(reloads), cmocka_unit_test(trusts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
