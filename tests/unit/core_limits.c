/* SPDX-License-Identifier: ISC
 * Every limit one below, at and one above what the table says: who is let in, how many and for how
 * long, penalties and queues. Those on what is said: core_lines.c.
 */
#include "tests/unit/core_limits.h"

#include "tests/cmocka_all.h"

/* ---- deadlines ---- */

/* Open one millisecond before, closed at `ms`. */
static void closes_at(struct world *w, unsigned c, int64_t ms, const char *why)
{
    world_wait(w, ms - 1);
    assert_true(is_open(w, c));
    world_skip(w, c);
    world_wait(w, 1);
    assert_false(is_open(w, c));
    if (why != NULL)
        assert_non_null(strstr(world_take(w, c), why));
}

static void hello_and_login(void **state)
{
    struct world *w = *state;
    unsigned c = world_connect_from(w, HERE, true);
    unsigned local = world_connect(w);

    closes_at(w, c, 5000, "no hello came");
    assert_true(is_open(w, local));
    c = world_connect_from(w, HERE, true);
    world_wait(w, 4999);
    world_ask(w, c, HELLO, "\"limits\"");
    closes_at(w, c, 15001, "no login came"); /* 20 s in all */
}

static void line_time(void **state)
{
    struct world *w = *state;
    unsigned c = guest_from(w, HERE);

    world_send(w, c, "{\"jsonrpc\"");
    world_wait(w, 9000);
    world_send(w, c, ":\"2.0\","); /* a byte now and then doesn't help */
    closes_at(w, c, 1000, "a line took too long");
    c = guest_from(w, HERE);
    world_send(w, c, "{\"jsonrpc\":\"2.0\",\"id\":1,");
    world_wait(w, 9999);
    world_ask(w, c, "\"method\":\"session.ping\"}", "time_ms");
    world_wait(w, 20000);
    assert_true(is_open(w, c));
}

static void dead_peer(void **state)
{
    struct world *w = *state;
    unsigned c = guest_from(w, HERE);

    world_wait(w, 29999);
    world_skip(w, c);
    world_wait(w, 1);
    assert_non_null(strstr(world_take(w, c), "server.ping"));
    closes_at(w, c, 45000, NULL);
}

/* ---- who is let in ---- */

static void per_source(void **state)
{
    static const char *const same[] = {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"};
    struct world *w = *state;
    unsigned c = 0;

    with_limits(w, &(struct limits){.max_conns = WORLD_CONNS});
    for (int i = 0; i < 32; i++)
        c = world_connect_from(w, HERE, true);
    assert_true(is_open(w, c));
    assert_false(is_open(w, world_connect_from(w, HERE, true)));
    assert_false(is_open(w, world_connect_from(w, "::ffff:192.0.2.1", true)));
    assert_true(is_open(w, world_connect_from(w, "192.0.2.2", true)));
    world_event(w, c, CORE_EOF);
    assert_true(is_open(w, world_connect_from(w, HERE, true)));
    with_limits(w, &(struct limits){.max_conns_per_addr = 2});
    for (int i = 0; i < 2; i++)
        assert_true(is_open(w, world_connect_from(w, same[i], true)));
    c = world_connect_from(w, "2001:db8:1:2:a:b:c:d", true);
    assert_non_null(strstr(world_take(w, c), "\"reason\":\"busy\""));
    assert_true(is_open(w, world_connect_from(w, "2001:db8:1:3::1", true)));
}

static void in_all(void **state)
{
    struct world *w = *state;

    with_limits(w, &(struct limits){.max_conns = 3});
    assert_true(is_open(w, world_connect(w)) && is_open(w, world_connect(w)) &&
                is_open(w, world_connect(w)));
    assert_false(is_open(w, world_connect(w)));
}

/* Below early_drop all are let in, at the top none, between some; who has logged in counts no
 * more. */
static void early_drop(void **state)
{
    struct world *w = *state;
    unsigned in = 0, out = 0;

    with_limits(w, &(struct limits){.early_drop = 4, .max_new_conns = 24});
    for (unsigned i = 0; i < 4; i++)
        assert_true(is_open(w, world_connect_from(w, HERE, true)));
    for (unsigned i = 0; i < 50; i++)
        is_open(w, world_connect_from(w, HERE, true)) ? in++ : out++;
    assert_true(in > 4 && out > 4 && in <= 20);
    assert_true(is_open(w, world_connect(w)));
    with_limits(w, &(struct limits){.early_drop = 3, .max_new_conns = 3});
    for (unsigned i = 0; i < 2; i++)
        (void)world_connect_from(w, HERE, true);
    in = hello_from(w, HERE);
    assert_false(is_open(w, world_connect_from(w, HERE, true)));
    world_ask(w, in, REQ(3, "session.guest", "{}"), "\"token\"");
    assert_true(is_open(w, world_connect_from(w, HERE, true)));
    assert_false(is_open(w, world_connect_from(w, HERE, true)));
    world_ask(w, in, REQ(4, "session.logout", "{}"), "{}");
    world_event(w, 0, CORE_EOF);
    assert_false(is_open(w, world_connect_from(w, HERE, true)));
}

/* ---- how many of each ---- */

static void guests(void **state)
{
    struct world *w = *state;

    with_limits(w, &(struct limits){.max_guests = 3});
    for (unsigned n = 1; n <= 3; n++)
        (void)guest_from(w, HERE);
    world_ask(w, hello_from(w, HERE), REQ(3, "session.guest", "{}"), "\"reason\":\"busy\"");
    world_ask(w, hello_from(w, HERE), REQ(3, "session.guest", "{\"name\":\"Zoe\"}"),
              "\"reason\":\"busy\"");
    world_ask(w, 0, REQ(4, "session.logout", "{}"), "{}"); /* its name and place are free at once */
    world_ask(w, hello_from(w, HERE), REQ(3, "session.guest", "{}"), "\"token\"");
}

#define CREATE                                                                                     \
    REQ(5, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","                      \
        "\"clock\":{\"kind\":\"none\"}}")

static void matches(void **state)
{
    struct world *w = *state;
    unsigned c;

    with_limits(w, &(struct limits){.max_matches = 3});
    c = guest_from(w, HERE);
    world_ask(w, c, CREATE, "\"no\":1");
    world_ask(w, c, CREATE, "\"no\":2");
    world_ask(w, c, CREATE, "\"no\":3");
    world_ask(w, c, CREATE, "\"reason\":\"busy\"");
    world_wait(w, 2000); /* each costs as much as twenty messages */
    world_ask(w, c, REQ(6, "match.cancel", "{\"match\":2}"), "{}");
    world_ask(w, c, CREATE, "\"no\":4");
    world_ask(w, c, CREATE, "\"reason\":\"busy\"");
}

static void watchers(void **state)
{
    static const char watch[] = REQ(6, "match.watch", "{\"match\":1}");
    struct world *w = *state;
    unsigned c = 0;

    with_limits(w, &(struct limits){.max_watchers = 3});
    world_ask(w, guest_from(w, HERE), CREATE, "\"no\":1");
    world_ask(w, 0, watch, "\"head\""); /* who sits there looks on at any time */
    for (unsigned n = 1; n <= 3; n++) {
        c = guest_from(w, HERE);
        world_ask(w, c, watch, "\"head\"");
    }
    world_skip(w, c);
    world_ask(w, c, watch, "\"head\""); /* again: it is one of them */
    world_ask(w, guest_from(w, HERE), watch, "\"reason\":\"busy\"");
    world_ask(w, 0, watch, "\"head\"");
    world_event(w, c, CORE_EOF);
    world_ask(w, guest_from(w, HERE), watch, "\"head\"");
    world_ask(w, guest_from(w, HERE), watch, "\"reason\":\"busy\"");
}

static void hashing(void **state)
{
    static const char login[] =
        REQ(4, "session.login", "{\"name\":\"nobody\",\"password\":\"wrong one\"}");
    struct world *w = *state;

    with_limits(w, &(struct limits){.max_hashing = 3});
    for (int n = 1; n <= 3; n++) {
        world_line(w, hello_from(w, HERE), login);
        assert_int_equal(w->n_jobs, n);
    }
    world_ask(w, hello_from(w, HERE), login, "\"reason\":\"busy\"");
    assert_int_equal(w->n_jobs, 3);
    world_hashed(w);
    world_line(w, hello_from(w, HERE), login);
    assert_int_equal(w->n_jobs, 3);
}

/* ---- penalties ---- */

static void fail_login(struct world *w, const char *addr)
{
    unsigned c = hello_from(w, addr);

    world_line(w, c, REQ(4, "session.login", "{\"name\":\"nobody\",\"password\":\"wrong one\"}"));
    world_event(w, c, CORE_EOF); /* going before the answer doesn't help */
    world_hashed(w);
}

static void turned_away(struct world *w, const char *addr, const char *retry)
{
    unsigned c = world_connect_from(w, addr, true);
    const char *got = world_take(w, c);

    assert_false(is_open(w, c));
    assert_non_null(strstr(got, "\"reason\":\"rate\""));
    assert_non_null(strstr(got, retry));
}

static void failed_logins(void **state)
{
    struct world *w = *state;

    fail_login(w, HERE);
    fail_login(w, HERE);
    assert_true(is_open(w, hello_from(w, HERE))); /* 10 s: below the 15 */
    world_wait(w, 1);
    fail_login(w, HERE);
    assert_true(is_open(w, hello_from(w, HERE))); /* 14.999 s */
    fail_login(w, HERE);
    turned_away(w, HERE, "\"retry_ms\":19999");
    assert_true(is_open(w, hello_from(w, "192.0.2.2")));
    world_wait(w, 4999);
    turned_away(w, HERE, "\"retry_ms\":15000");
    world_wait(w, 1);
    assert_true(is_open(w, world_connect_from(w, HERE, true)));
}

static void no_hello_and_grace(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 15; i++) {
        unsigned c = world_connect_from(w, HERE, true);

        assert_true(is_open(w, c));
        world_event(w, c, CORE_EOF);
    }
    turned_away(w, HERE, "\"retry_ms\":15000");
    assert_true(is_open(w, world_connect(w)));
    world_send(w, world_connect_from(w, "192.0.2.9", true), "GET / HTTP/1.0\r\n");
    for (int i = 0; i < 2; i++)
        (void)hello_from(w, "192.0.2.3");
    world_wait(w, 20000); /* neither has logged in: 20 s in all */
    turned_away(w, "192.0.2.3", "\"retry_ms\":20000");
}

static void penalties_are_bounded(void **state)
{
    struct world *w = *state;

    with_limits(w, &(struct limits){.penalty_most_ms = 20000, .penalty_sources = 1});
    for (int i = 0; i < 2; i++)
        (void)hello_from(w, HERE);
    world_wait(w, 1);
    for (int i = 0; i < 3; i++)
        (void)hello_from(w, "192.0.2.2");
    world_wait(w, 20000);
    turned_away(w, HERE, "\"retry_ms\":19999");
    assert_true(is_open(w, world_connect_from(w, "192.0.2.2", true))); /* not remembered */
    for (int i = 0; i < 4; i++)
        assert_true(is_open(w, hello_from(w, "192.0.2.2")));
    world_wait(w, 20000); /* both are forgotten, and HERE's place is free */
    assert_true(is_open(w, world_connect_from(w, HERE, true)));
}

/* ---- queues ---- */

static void seat(struct world *w, unsigned c)
{
    world_ask(w, c,
              REQ(5, "match.create",
                  "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","
                  "\"clock\":{\"kind\":\"none\"}}"),
              "\"no\":1");
    world_ask(w, c, REQ(6, "match.sync", "{\"match\":1}"), "\"head\"");
    world_ask(w, c, PING, "time_ms");
}

static void queues(void **state)
{
    struct world *w = *state;
    unsigned stranger = hello_from(w, HERE);
    unsigned looker = guest_from(w, HERE);
    unsigned player = guest_from(w, HERE);

    world_ask(w, looker, PING, "time_ms");
    seat(w, player);
    assert_int_equal(w->conn[stranger].slow_at, 4096);
    assert_int_equal(w->conn[looker].slow_at, 131072);
    assert_int_equal(w->conn[player].slow_at, 262144);
}

static void slow_ones(void **state)
{
    struct world *w = *state;
    unsigned player = guest_from(w, HERE);
    unsigned looker = guest_from(w, HERE);
    unsigned other = guest_from(w, HERE);

    seat(w, player);
    world_event(w, player, CORE_SLOW);
    world_event(w, other, CORE_SLOW);
    world_wait(w, 14999);
    world_event(w, other, CORE_DRAINED); /* just in time */
    world_wait(w, 1);
    world_event(w, looker, CORE_SLOW);
    closes_at(w, looker, 15000, "you read too slowly");
    assert_true(is_open(w, other));
    assert_true(is_open(w, player));
    closes_at(w, player, 45000, NULL); /* silent for 75 s like anybody */
}

#define GET REQ(1, "scenario.get", "{\"id\":\"first-blood\"}")

/* An answer after which more would wait than may: the next line waits too. */
static void answers_wait_for_room(void **state)
{
    struct world *w = *state;
    unsigned c = hello_from(w, HERE), n = 0;
    size_t said = 0;

    world_send(w, c, GET "\n" GET "\n" GET "\n" PING "\n" PING "\n");
    while (said <= 4096) { /* as long as all of it is within */
        const char *got = world_take(w, c);

        assert_non_null(strstr(got, "\"scenario\""));
        said += strlen(got) + 1;
        n++;
    }
    assert_string_equal(world_take(w, c), "");
    world_wait(w, 1);
    world_wait(w, 3);
    assert_int_equal(answers(w, c), 5 - n);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(hello_and_login),
        T(line_time),
        T(dead_peer),
        T(per_source),
        T(in_all),
        T(early_drop),
        T(guests),
        T(matches),
        T(watchers),
        T(hashing),
        T(failed_logins),
        T(no_hello_and_grace),
        T(penalties_are_bounded),
        T(queues),
        T(slow_ones),
        T(answers_wait_for_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
