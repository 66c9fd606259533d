/* SPDX-License-Identifier: ISC
 * shell_fan.c -- whatever is queued on a connection in a turn of the loop leaves by one write, and
 * a reader that has stalled costs a bounded amount of memory, and nobody else anything.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/shell/net.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_heap.h"

enum { READERS = 40, LINES = 5, LINE_BYTES = 600, MAX_QUEUED = 256 * 1024, SLOW_AT = 32 * 1024 };

struct hall {
    uv_loop_t loop;
    struct net *net;
    uint16_t port;
    int fd[READERS];
    conn_id id[READERS];
    unsigned n, slow, drained, gone;
};

static void on_accepted(void *arg, conn_id conn, const struct net_peer *peer)
{
    struct hall *h = arg;

    (void)peer;
    assert_true(h->n < READERS);
    h->id[h->n++] = conn;
}

static void on_bytes(void *arg, conn_id conn, const char *data, size_t len)
{
    (void)arg;
    (void)conn;
    (void)data;
    (void)len;
}

static void on_eof(void *arg, conn_id conn)
{
    (void)conn;
    ((struct hall *)arg)->gone++;
}

static void on_slow(void *arg, conn_id conn)
{
    (void)conn;
    ((struct hall *)arg)->slow++;
}

static void on_drained(void *arg, conn_id conn)
{
    (void)conn;
    ((struct hall *)arg)->drained++;
}

static void open_hall(struct hall *h, unsigned n)
{
    const struct net_hooks hooks = {on_accepted, on_bytes, on_eof, on_slow, on_drained, h};
    const struct net_config cfg = {
        .max_conns = READERS, .max_queued = MAX_QUEUED, .turn_bytes = NET_READ_BYTES};
    char why[NET_WHY_LEN];

    memset(h, 0, sizeof(*h));
    assert_int_equal(uv_loop_init(&h->loop), 0);
    net_new(&h->loop, &cfg, &hooks, &h->net);
    assert_int_equal(net_listen(h->net, "127.0.0.1", &h->port, NULL, why), ERR_OK);
    for (unsigned i = 0; i < n; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(h->port)};

        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        h->fd[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(h->fd[i], (struct sockaddr *)&to, sizeof(to)), 0);
        while (h->n <= i) /* one after the other, so that both sides number them alike */
            (void)uv_run(&h->loop, UV_RUN_ONCE);
    }
}

static void close_hall(struct hall *h, unsigned n)
{
    net_close_all(h->net);
    assert_int_equal(uv_run(&h->loop, UV_RUN_DEFAULT), 0);
    net_free(h->net);
    assert_int_equal(uv_loop_close(&h->loop), 0);
    for (unsigned i = 0; i < n; i++)
        (void)close(h->fd[i]);
}

static struct shared *line_new(char c)
{
    char text[LINE_BYTES];

    memset(text, c, sizeof(text));
    text[sizeof(text) - 1] = '\n';
    return shared_new(text, sizeof(text));
}

static uint64_t writes(const struct hall *h)
{
    struct net_stats s;

    net_stats(h->net, &s);
    return s.writes;
}

static void one_write_a_turn(void **unused)
{
    struct hall h = {.n = 0};
    struct shared *s[LINES];
    uint64_t before;

    (void)unused;
    open_hall(&h, READERS);
    before = writes(&h);
    for (unsigned k = 0; k < LINES; k++) {
        s[k] = line_new((char)('a' + k));
        for (unsigned i = 0; i < READERS; i++)
            net_send(h.net, h.id[i], &(struct net_send){shared_ref(s[k]), i == 0, SLOW_AT});
        assert_int_equal(s[k]->refs, 1 + READERS); /* held, not copied */
    }
    assert_int_equal(writes(&h), before); /* nothing leaves before the turn's end */
    assert_false(net_flush(h.net));
    assert_int_equal(writes(&h), before + READERS); /* one each, however much there is */
    for (unsigned i = 0; i < READERS; i++) {
        char got[LINES * LINE_BYTES];

        assert_int_equal(recv(h.fd[i], got, sizeof(got), MSG_WAITALL), sizeof(got));
        for (unsigned k = 0; k < LINES; k++)
            assert_memory_equal(got + (size_t)k * LINE_BYTES, s[k]->data, LINE_BYTES);
    }
    for (unsigned k = 0; k < LINES; k++) {
        assert_int_equal(s[k]->refs, 1);
        shared_unref(s[k]);
    }
    close_hall(&h, READERS);
}

/* Reader 0 doesn't read: it is told once to be slow, then cut off; reader 1 gets every line. */
static void stalled_reader(void **unused)
{
    enum { ROUNDS = 20000 };
    struct hall h = {.n = 0};
    struct shared *s = line_new('x');
    struct net_stats stats;
    size_t most = 0;
    uint64_t got = 0;
    unsigned again = 0;

    (void)unused;
    open_hall(&h, 2);
    assert_int_equal(fcntl(h.fd[1], F_SETFL, O_NONBLOCK), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        char text[4 * LINE_BYTES];
        ssize_t n;

        net_send(h.net, h.id[0], &(struct net_send){shared_ref(s), false, SLOW_AT});
        net_send(h.net, h.id[1], &(struct net_send){shared_ref(s), false, SLOW_AT});
        if (net_flush(h.net)) /* who was cut off leaves work for the next turn, nobody else */
            again++;
        (void)uv_run(&h.loop, UV_RUN_NOWAIT);
        net_stats(h.net, &stats);
        most = MAX(most, stats.queued);
        while ((n = recv(h.fd[1], text, sizeof(text), 0)) > 0)
            got += (uint64_t)n;
    }
    assert_int_equal(h.slow, 1);
    assert_int_equal(stats.cut_off, 1);
    assert_int_equal(h.gone, 1);
    assert_true(again <= 1);
    assert_true(most <= MAX_QUEUED + (size_t)2 * LINE_BYTES); /* beside what the system holds */
    assert_int_equal(got, (uint64_t)ROUNDS * LINE_BYTES);
    assert_int_equal(s->refs, 1); /* nothing is held for who is gone */
    shared_unref(s);
    close_hall(&h, 2);
}

static uint64_t queued(const struct hall *h)
{
    struct net_stats s;

    net_stats(h->net, &s);
    return s.queued;
}

/* One that catches up while all is held is said to have done so, when it goes on. */
static void a_reader_catches_up_while_held(void **unused)
{
    struct hall h = {.n = 0};
    struct shared *s = line_new('x');
    char text[4 * LINE_BYTES];

    (void)unused;
    open_hall(&h, 1);
    assert_int_equal(fcntl(h.fd[0], F_SETFL, O_NONBLOCK), 0);
    while (h.slow == 0) {
        net_send(h.net, h.id[0], &(struct net_send){shared_ref(s), false, SLOW_AT});
        assert_false(net_flush(h.net));
        (void)uv_run(&h.loop, UV_RUN_NOWAIT);
    }
    net_hold(h.net);
    while (queued(&h) > 0) {
        while (recv(h.fd[0], text, sizeof(text), 0) > 0)
            ;
        (void)uv_run(&h.loop, UV_RUN_NOWAIT);
        assert_false(net_flush(h.net));
    }
    assert_int_equal(h.drained, 0); /* nobody could do anything about it */
    net_release(h.net);
    assert_false(net_flush(h.net));
    assert_int_equal(h.drained, 1);
    assert_false(net_flush(h.net));
    assert_int_equal(h.drained, 1);
    assert_int_equal(s->refs, 1);
    shared_unref(s);
    close_hall(&h, 1);
}

/* What a connection takes here, with the tables as they happen to grow; core_idle has the rest. */
static void an_idle_one_is_small(void **unused)
{
    enum { BUDGET = 300, LEAST = 150 };
    struct hall few, many;
    size_t before, with_few, with_many;

    (void)unused;
    before = heap_bytes();
    open_hall(&few, READERS / 2);
    with_few = heap_bytes() - before;
    close_hall(&few, READERS / 2);
    before = heap_bytes();
    open_hall(&many, READERS);
    with_many = heap_bytes() - before;
    print_message("%zu bytes a connection\n", (with_many - with_few) / (READERS / 2));
    assert_in_range(with_many - with_few, LEAST * (READERS / 2), BUDGET * (READERS / 2));
    close_hall(&many, READERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_write_a_turn),
        cmocka_unit_test(stalled_reader),
        cmocka_unit_test(a_reader_catches_up_while_held),
        cmocka_unit_test(an_idle_one_is_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
