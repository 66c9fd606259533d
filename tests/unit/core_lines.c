/* SPDX-License-Identifier: ISC
 * Limits on what one connection says, one below, at and one above what the table says: lines, how
 * many of them and how fast; and what no line may say that others can read.
 */
#include "tests/cmocka_all.h"
#include "tests/unit/core_limits.h"

/* ---- one line ---- */

/* A ping of exactly `len` bytes. */
static void ping_of(struct buf *b, size_t len)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.ping\",\"x\":\"";

    buf_reset(b);
    buf_puts(b, head);
    while (b->len < len - 2)
        buf_putc(b, 'x');
    buf_puts(b, "\"}");
}

static void line_of(struct world *w, unsigned c, size_t limit)
{
    struct buf b = BUF_EMPTY;

    for (size_t len = limit - 1; len <= limit; len++) {
        ping_of(&b, len);
        world_ask(w, c, buf_str(&b), "time_ms");
        assert_true(is_open(w, c));
    }
    ping_of(&b, limit + 1);
    world_ask(w, c, buf_str(&b), "\"reason\":\"parse\"");
    assert_false(is_open(w, c));
    buf_fini(&b);
}

static void line_length(void **state)
{
    line_of(*state, hello_from(*state, HERE), 4096);
    line_of(*state, guest_from(*state, HERE), 16384);
}

/* `n` of what `unit` says, between head and tail. */
static void shape(struct world *w, const char *const part[4], unsigned n, const char *want)
{
    unsigned c = guest_from(w, HERE);
    struct buf b = BUF_EMPTY;

    buf_puts(&b, part[0]);
    for (unsigned i = 0; i < n; i++)
        buf_printf(&b, part[1][0] == '"' ? "%s%s%u\":0" : "%s%s", i > 0 ? part[3] : "", part[1], i);
    buf_puts(&b, part[2]);
    world_ask(w, c, buf_str(&b), want);
    world_event(w, c, CORE_EOF);
    buf_fini(&b);
}

static void depth(void **state)
{
    struct world *w = *state;

    for (unsigned n = 7; n <= 9; n++) {
        unsigned c = guest_from(w, HERE);
        struct buf b = BUF_EMPTY;

        buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.ping\",\"x\":");
        for (unsigned i = 1; i < n; i++)
            buf_putc(&b, '[');
        for (unsigned i = 1; i < n; i++)
            buf_putc(&b, ']');
        buf_putc(&b, '}');
        world_ask(w, c, buf_str(&b), n <= 8 ? "time_ms" : "\"reason\":\"parse\"");
        buf_fini(&b);
    }
}

static void members_and_values(void **state)
{
    static const char *const member[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.ping\",", "\"m", "}", ","};
    static const char *const value[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.ping\",\"x\":[", "0", "]}", ","};

    for (unsigned n = 63; n <= 65; n++) /* three stand there already */
        shape(*state, member, n - 3, n <= 64 ? "time_ms" : "\"reason\":\"parse\"");
    for (unsigned n = 511; n <= 513; n++) /* the object, its three, the array */
        shape(*state, value, n - 5, n <= 512 ? "time_ms" : "\"reason\":\"parse\"");
}

static void expect_bad_lines(struct world *w, int most)
{
    unsigned c = hello_from(w, HERE);

    for (int i = 1; i <= most; i++) {
        assert_true(is_open(w, c));
        world_ask(w, c, "{", "\"reason\":\"parse\"");
    }
    assert_false(is_open(w, c));
}

static void bad_lines(void **state)
{
    expect_bad_lines(*state, 10);
    with_limits(*state, &(struct limits){.bad_lines = 1000}); /* the most that can be wished */
    expect_bad_lines(*state, 1000);
}

/* ---- how many, how fast ---- */

static unsigned pings(struct world *w, unsigned c, unsigned n)
{
    unsigned good = 0;

    while (good < n) {
        const char *got;

        world_line(w, c, PING);
        got = world_take(w, c);
        if (strstr(got, "time_ms") == NULL) {
            assert_non_null(strstr(got, "\"reason\":\"rate\""));
            assert_non_null(strstr(got, "\"retry_ms\":20"));
            break;
        }
        good++;
    }
    return good;
}

static void rate(void **state)
{
    struct world *w = *state;
    unsigned c = hello_from(w, HERE); /* the first of the 100 */
    unsigned local = world_connect(w);

    assert_int_equal(pings(w, c, 200), 99);
    assert_true(w->conn[c].paused); /* it isn't heard before it may speak again */
    world_wait(w, 20);
    assert_false(w->conn[c].paused);
    assert_int_equal(pings(w, c, 200), 1);
    world_wait(w, 40);
    assert_int_equal(pings(w, c, 200), 2);
    world_ask(w, local, HELLO, "\"limits\"");
    for (int i = 0; i < 300; i++)
        world_ask(w, local, PING, "time_ms"); /* loopback is left out */
}

/* What is no request costs as much as one. */
static void rate_of_nonsense(void **state)
{
    struct world *w = *state;
    unsigned c = hello_from(w, HERE); /* the first of the 100 */
    unsigned n = 0;

    while (!w->conn[c].paused && n < 200) {
        world_line(w, c, n % 2 == 0 ? "{}" : REQ(7, "no.such", "{}"));
        assert_non_null(strstr(world_take(w, c), "\"error\""));
        n++;
    }
    assert_int_equal(n, 100);
    world_wait(w, 20);
    assert_false(w->conn[c].paused);
    assert_true(is_open(w, c));
}

static void turn(void **state)
{
    struct world *w = *state;
    struct buf b = BUF_EMPTY;

    for (unsigned n = 63; n <= 65; n++) {
        unsigned c = hello_from(w, HERE);

        buf_reset(&b);
        for (unsigned i = 0; i < n; i++)
            buf_puts(&b, PING "\n");
        world_send(w, c, buf_str(&b));
        assert_int_equal(answers(w, c), MIN(n, 64u));
        world_wait(w, 1);
        assert_int_equal(answers(w, c), n - MIN(n, 64u));
        assert_false(w->conn[c].paused);
        world_event(w, c, CORE_EOF);
    }
    buf_fini(&b);
}

/* ---- what may be said on a line that others can read ---- */

#define REGISTER REQ(7, "session.register", "{\"name\":\"Mary\",\"password\":\"long enough\"}")
#define LOGIN    REQ(8, "session.login", "{\"name\":\"Mary\",\"password\":\"long enough\"}")

static void secrets_need_tls(void **state)
{
    struct world *w = *state;
    unsigned plain = world_connect_from(w, HERE, false);
    unsigned tls = hello_from(w, HERE);
    char token[65];
    struct buf b = BUF_EMPTY;

    world_ask(w, plain, HELLO, "\"limits\"");
    world_ask(w, plain, REGISTER, "\"reason\":\"denied\"");
    world_ask(w, plain, LOGIN, "\"reason\":\"denied\"");
    assert_int_equal(w->n_jobs, 0);
    world_line(w, tls, REGISTER);
    world_hashed(w);
    world_member(world_take(w, tls), "token", token, sizeof(token));
    buf_printf(&b, REQ(9, "session.resume", "{\"token\":\"%s\"}"), token);
    world_ask(w, plain, buf_str(&b), "\"reason\":\"denied\"");
    world_ask(w, plain, REQ(3, "session.guest", "{\"name\":\"Jo\"}"), "\"reason\":\"params\"");
    world_member(world_ask(w, plain, REQ(3, "session.guest", "{\"name\":\"Joe\"}"), "Joe"), "token",
                 token, sizeof(token));
    plain = world_connect_from(w, HERE, false);
    world_ask(w, plain, HELLO, "\"limits\"");
    buf_reset(&b);
    buf_printf(&b, REQ(9, "session.resume", "{\"token\":\"%s\"}"), token);
    world_ask(w, plain, buf_str(&b), "\"kind\":\"guest\"");
    buf_fini(&b);
    w->cfg.trust_plain = true;
    with_limits(w, &w->cfg.limits);
    plain = world_connect_from(w, HERE, false);
    world_ask(w, plain, HELLO, "\"limits\"");
    world_line(w, plain, LOGIN);
    assert_int_equal(w->n_jobs, 1);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, plain), "\"token\""));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(line_length),      T(depth), T(members_and_values), T(bad_lines), T(rate),
        T(rate_of_nonsense), T(turn),  T(secrets_need_tls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
