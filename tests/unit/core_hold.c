/* SPDX-License-Identifier: ISC
 * Holding the core, as for an upgrade: what is under way ends, nothing new begins, and afterwards
 * it goes on, or ends without touching the store.
 */
#include "tests/cmocka_all.h"

#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define CREATE                                                                                     \
    REQ(5, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\",\"clock\":{\"kind\":"  \
        "\"live\",\"main_s\":600,\"phase_s\":0}}")

static int setup(void **state)
{
    struct world *w = test_calloc(1, sizeof(*w));

    world_init(w);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    world_fini(*state);
    test_free(*state);
    return 0;
}

static void waits_for_what_is_under_way(void **state)
{
    struct world *w = *state;
    const unsigned a = world_guest(w, "Ann");
    const unsigned b = world_guest(w, "Bob");

    world_skip(w, a);
    world_skip(w, b);
    w->store = STORE_WHEN_TOLD;
    world_line(w, a, CREATE);
    assert_int_equal(w->n_txns, 1);
    world_hold(w, true);
    assert_false(w->held);
    world_line(w, b, REQ(7, "session.ping", "{}"));
    assert_string_equal(world_take(w, b), ""); /* not taken on */
    world_stored(w, ERR_OK);
    assert_non_null(strstr(world_take(w, a), "\"no\":1")); /* the answer isn't lost */
    assert_false(w->held);
    assert_int_equal(w->n_txns, 1); /* the exact time */
    world_stored(w, ERR_OK);
    assert_true(w->held);
    assert_int_equal(w->n_txns, 0);
    world_hold(w, false);
    assert_non_null(strstr(world_take(w, b), "\"id\":7"));
    w->store = STORE_NOW;
    world_ask(w, b, REQ(8, "match.join", "{\"match\":1}"), "\"side\":\"blue\"");
}

static void clocks_go_on_after_it(void **state)
{
    struct world *w = *state;
    const unsigned a = world_guest(w, "Ann");
    const unsigned b = world_guest(w, "Bob");
    bool over = false;

    world_ask(w, a, CREATE, "\"no\":1");
    world_ask(w, b, REQ(6, "match.join", "{\"match\":1}"), "\"side\":\"blue\"");
    world_ask(w, a, REQ(6, "match.sync", "{\"match\":1}"), "\"head\"");
    world_hold(w, true);
    assert_true(w->held);
    world_hold(w, false);
    world_skip(w, a);
    for (int minute = 0; minute < 11 && !over; minute++) {
        const char *line;

        world_send(w, a, "\n");
        world_wait(w, INT64_C(60000));
        while ((line = world_take(w, a))[0] != '\0')
            over = over || strstr(line, "\"reason\":\"time\"") != NULL;
    }
    assert_true(over); /* the flag that falls is looked for again */
}

static int64_t kept_served(const struct world *w)
{
    for (size_t i = 0; i < w->n_rows; i++)
        if (w->row[i].kind == STORE_META_PUT && strcmp(w->row[i].name, "served_ms") == 0)
            return strtoll(buf_str(&w->row[i].data), NULL, 10);
    return -1;
}

/* The hold keeps the exact time; a crash right behind it must not give players time back. */
static void time_is_kept_ahead_right_after_it(void **state)
{
    struct world *w = *state;
    const unsigned a = world_guest(w, "Ann");
    const unsigned b = world_guest(w, "Bob");
    int64_t exact;

    world_ask(w, a, CREATE, "\"no\":1");
    world_ask(w, b, REQ(6, "match.join", "{\"match\":1}"), "\"side\":\"blue\"");
    world_hold(w, true);
    exact = kept_served(w);
    assert_true(w->held && exact >= 0);
    world_hold(w, false);
    world_wait(w, 1);
    assert_true(kept_served(w) > exact + 500);
}

static void stops_without_a_store(void **state)
{
    struct world *w = *state;
    const unsigned a = world_guest(w, "Ann");

    world_ask(w, a, CREATE, "\"no\":1");
    world_hold(w, true);
    assert_true(w->held);
    world_skip(w, a);
    w->store = STORE_WHEN_TOLD;
    w->now.ms += INT64_C(3600) * 1000 * 48; /* whatever is due by now */
    world_stop(w);
    assert_int_equal(w->n_txns, 0);
    assert_true(w->stopped);
    assert_non_null(strstr(world_take(w, a), "server.closing"));
    assert_true(w->conn[a].closed);
}

static void stops_while_holding(void **state)
{
    struct world *w = *state;
    const unsigned a = world_guest(w, "Ann");

    w->store = STORE_WHEN_TOLD;
    world_line(w, a, CREATE);
    world_hold(w, true);
    world_stop(w);
    assert_false(w->stopped);
    world_stored(w, ERR_OK);
    world_stored(w, ERR_OK);
    assert_true(w->stopped);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(waits_for_what_is_under_way),
        T(clocks_go_on_after_it),
        T(time_is_kept_ahead_right_after_it),
        T(stops_without_a_store),
        T(stops_while_holding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
