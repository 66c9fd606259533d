/* SPDX-License-Identifier: ISC
 * Connections: framing, phases, exactly one answer, silence, slowness, the end.
 */
#include "common/base/str.h"
#include "proto/line.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define PING  REQ(2, "session.ping", "{}")

static int setup(void **state)
{
    static struct world w;

    world_init(&w);
    *state = &w;
    return 0;
}

static int teardown(void **state)
{
    world_fini(*state);
    return 0;
}

static void assert_has(const char *line, const char *want)
{
    if (strstr(line, want) == NULL)
        fail_msg("no %s in %s", want, line);
}

static void welcomes_first(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect(w);

    assert_string_equal(world_take(w, c),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"server.welcome\",\"params\":{"
                        "\"server\":\"skirmishd/test\",\"protocol\":1,\"tls\":false,"
                        "\"motd\":\"hello\"}}");
    assert_string_equal(world_take(w, c), "");
}

static void turns_strangers_away(void **state)
{
    static const char *const firsts[] = {"GET / HTTP/1.1\r\n", "\x16\x03\x01", "\xff\xfb",
                                         "hello\n"};
    struct world *w = *state;

    for (size_t i = 0; i < ARRAY_LEN(firsts); i++) {
        unsigned c = world_connect(w);

        world_skip(w, c);
        world_send(w, c, firsts[i]);
        assert_has(world_take(w, c), "This is a skirmish server");
        assert_string_equal(world_take(w, c), "");
        assert_true(w->conn[c].closed);
    }
}

static void takes_any_cut_of_the_stream(void **state)
{
    static const char text[] = "\r\n \n" HELLO "\r\n" PING "\n" PING "\n";
    struct world *w = *state;

    for (size_t step = 1; step < sizeof(text); step += 7) {
        unsigned c = world_connect(w);
        char piece[sizeof(text)];
        unsigned n = 0;

        world_skip(w, c);
        for (size_t at = 0; at < sizeof(text) - 1; at += step) {
            str_ncopy(piece, sizeof(piece), text + at, MIN(step, sizeof(text) - 1 - at));
            world_send(w, c, piece);
        }
        assert_has(world_take(w, c), "\"id\":1,\"result\"");
        while (world_take(w, c)[0] != '\0')
            n++;
        assert_int_equal(n, 2);
        world_event(w, c, CORE_EOF);
        assert_true(w->conn[c].closed);
    }
}

static void keeps_phases(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect(w);

    world_ask(w, c, PING, "\"reason\":\"phase\"");
    world_ask(w, c, REQ(1, "nonsense.word", "{}"), "-32601");
    world_ask(w, c, REQ(1, "session.hello", "{\"protocol\":2,\"client\":\"t\"}"),
              "\"reason\":\"version\"");
    world_ask(w, c, HELLO, "\"limits\":{\"line\":4096");
    world_ask(w, c, HELLO, "\"reason\":\"phase\"");
    world_ask(w, c, REQ(1, "lobby.list", "{}"), "\"reason\":\"auth\"");
    world_ask(w, c, REQ(1, "session.logout", "{}"), "\"reason\":\"auth\"");
    world_ask(w, c, REQ(1, "scenario.list", "{}"), "first-blood");
    world_wait(w, 10); /* an answer of that size gives others their turn */
    world_ask(w, c, REQ(1, "scenario.get", "{\"id\":\"first-blood\"}"), "\"ground\"");
    world_ask(w, c, REQ(1, "scenario.get", "{\"id\":\"no-such\"}"), "not_found");
    world_ask(w, c, REQ(1, "session.guest", "{\"name\":\"Jo_1\"}"), "\"name\":\"Jo_1\"");
    world_ask(w, c, REQ(1, "session.guest", "{}"), "\"reason\":\"phase\"");
    world_ask(w, c, REQ(1, "lobby.list", "{}"), "\"matches\":[]");
    world_ask(w, c, REQ(1, "server.info", "{}"), "\"players\":1");
}

static void answers_what_is_wrong(void **state)
{
    static const char *const cases[][2] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"session.ping\"}", "-32700"},
        {"[" PING "]", "\"id\":null,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"session.ping\"}",
         "\"id\":null,\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"session.ping\"}", "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"session.ping\"}",
         "\"id\":4,\"error\":{\"code\":-32600"},
        {"{\"id\":4,\"method\":\"session.ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"x\\\"y\",\"method\":5}",
         "\"id\":\"x\\\"y\",\"error\":{\"code\":-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session.ping\",\"params\":[]}",
         "\"field\":\"params\""},
        {REQ(4, "session.guest", "{\"name\":\"a b\"}"), "\"field\":\"name\""},
        {REQ(4, "session.guest", "{\"name\":7}"), "\"field\":\"name\""},
        {REQ(4, "session.resume", "{}"), "\"field\":\"token\""},
        {REQ(4, "session.resume", "{\"token\":\"00\"}"), "\"field\":\"token\""},
        {REQ(4, "session.ping", "{\"more\":1}"), "\"time_ms\""},
    };
    struct world *w = *state;
    unsigned c = world_connect(w);

    world_ask(w, c, HELLO, "\"limits\"");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        world_ask(w, c, cases[i][0], cases[i][1]);
        assert_string_equal(world_take(w, c), ""); /* one answer, not two */
    }
}

static void closes_at_the_tenth_bad_line(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect(w);

    for (int i = 1; i <= 10; i++) {
        assert_false(w->conn[c].closed);
        world_ask(w, c, "{\"a\":1,\"a\":2}", "-32700");
        if (i < 10)
            world_ask(w, c, "[]", "-32600"); /* these don't count */
    }
    assert_true(w->conn[c].closed);
}

static void limits_lines(void **state)
{
    struct world *w = *state;
    unsigned before = world_connect(w);
    unsigned after = world_guest(w, "Longliner");
    struct buf b = BUF_EMPTY;

    for (int size = LINE_LIMIT_GUEST; size <= LINE_LIMIT_MEMBER;
         size += LINE_LIMIT_MEMBER - LINE_LIMIT_GUEST) {
        unsigned c = size == LINE_LIMIT_GUEST ? before : after;

        buf_reset(&b);
        buf_puts(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"pad\":\"");
        while (b.len < (size_t)size - 2)
            buf_putc(&b, 'x');
        buf_puts(&b, "\"}");
        world_ask(w, c, buf_str(&b), "\"error\""); /* exactly the limit: read, and refused */
        assert_false(w->conn[c].closed);
        buf_puts(&b, " ");
        world_ask(w, c, buf_str(&b), "-32700");
        assert_string_equal(world_take(w, c), "");
        assert_true(w->conn[c].closed);
    }
    buf_fini(&b);
}

static void pings_and_drops_the_silent(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect(w);

    world_skip(w, c);
    world_wait(w, 29999);
    assert_string_equal(world_take(w, c), "");
    world_wait(w, 1);
    assert_has(world_take(w, c), "server.ping");
    world_wait(w, 44000);
    assert_string_equal(world_take(w, c), "");
    world_send(w, c, "\n"); /* a blank line is life */
    world_wait(w, 30000);
    assert_has(world_take(w, c), "server.ping");
    world_wait(w, 44999);
    assert_false(w->conn[c].closed);
    world_wait(w, 1);
    assert_true(w->conn[c].closed);
}

static void says_busy_beyond_its_connections(void **state)
{
    struct world *w = *state;
    unsigned c = 0;

    for (unsigned i = 0; i < w->cfg.limits.max_conns; i++)
        c = world_connect(w);
    assert_false(w->conn[c].closed);
    c = world_connect(w);
    assert_has(world_take(w, c), "\"reason\":\"busy\"");
    assert_true(w->conn[c].closed);
    world_event(w, 0, CORE_EOF);
    c = world_connect(w);
    assert_has(world_take(w, c), "server.welcome");
}

static void a_late_close_is_nobodys(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect(w);

    world_send(w, c, "x");
    assert_true(w->conn[c].closed);
    world_send(w, c, HELLO "\n"); /* bytes and ends of a connection closed by the core */
    world_event(w, c, CORE_DRAINED);
    world_event(w, c, CORE_EOF);
    world_event(w, c, CORE_EOF);
}

static void a_slow_reader_is_read_no_more(void **state)
{
    struct world *w = *state;
    unsigned c = world_guest(w, "Slow");

    world_event(w, c, CORE_SLOW);
    assert_true(w->conn[c].paused);
    world_line(w, c, PING);
    assert_string_equal(world_take(w, c), "");
    world_event(w, c, CORE_DRAINED);
    assert_has(world_take(w, c), "time_ms");
    assert_false(w->conn[c].paused);
}

static void stops_only_behind_what_is_under_way(void **state)
{
    struct world *w = *state;
    unsigned c = world_guest(w, "Maker");

    w->store = STORE_WHEN_TOLD;
    world_line(w, c,
               REQ(3, "match.create",
                   "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","
                   "\"clock\":{\"kind\":\"none\"}}"));
    world_stop(w);
    assert_has(world_take(w, c), "server.closing");
    assert_false(w->stopped);
    world_stored(w, ERR_OK);
    assert_has(world_take(w, c), "\"no\":1"); /* acknowledged, since it is durable */
    assert_false(w->stopped);
    world_stored(w, ERR_OK);
    assert_true(w->stopped);
}

static void stops_when_all_is_done(void **state)
{
    struct world *w = *state;
    unsigned c = world_guest(w, "Last");

    world_stop(w);
    assert_string_equal(world_take(w, c),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"server.closing\",\"params\":{"
                        "\"in_s\":0,\"reason\":\"test over\"}}");
    assert_true(w->conn[c].closed);
    assert_true(w->stopped);
    assert_has(buf_str(&w->kept), "meta_put served_ms");
    world_event(w, c, CORE_EOF); /* what comes late finds nothing to do */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(welcomes_first),
        T(turns_strangers_away),
        T(takes_any_cut_of_the_stream),
        T(keeps_phases),
        T(answers_what_is_wrong),
        T(closes_at_the_tenth_bad_line),
        T(limits_lines),
        T(pings_and_drops_the_silent),
        T(says_busy_beyond_its_connections),
        T(a_late_close_is_nobodys),
        T(a_slow_reader_is_read_no_more),
        T(stops_only_behind_what_is_under_way),
        T(stops_when_all_is_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
