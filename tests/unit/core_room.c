/* SPDX-License-Identifier: ISC
 * Matches as people meet them: made, joined, played, watched, talked in; journal, then reply.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define PING REQ(2, "session.ping", "{}")
#define CREATE_AND(more)                                                                           \
    REQ(3, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","                      \
        "\"clock\":{\"kind\":\"none\"}" more "}")
#define CREATE CREATE_AND("")

enum { MINUTE_MS = 60 * 1000 };

/* Two who play, and one more. */
struct table {
    struct world w;
    unsigned a, b, c;
    char side[2][40];
};

static int setup(void **state)
{
    static struct table t;

    world_init(&t.w);
    t.a = world_guest(&t.w, "Ann");
    t.b = world_guest(&t.w, "Bob");
    t.c = world_guest(&t.w, "Cleo");
    *state = &t;
    return 0;
}

static int teardown(void **state)
{
    world_fini(&((struct table *)*state)->w);
    return 0;
}

static void assert_has(const char *line, const char *want)
{
    if (strstr(line, want) == NULL)
        fail_msg("no %s in %s", want, line);
}

static void assert_lacks(const char *line, const char *want)
{
    if (strstr(line, want) != NULL)
        fail_msg("%s in %s", want, line);
}

/* Ann's match 1, joined by Bob, both and Cleo at its head; nothing left to read. */
static void seat_all(struct table *t)
{
    struct world *w = &t->w;

    world_ask(w, t->a, CREATE, "\"no\":1");
    world_ask(w, t->b, REQ(4, "match.join", "{\"match\":1}"), "\"side\":\"");
    world_ask(w, t->a, REQ(5, "match.sync", "{\"match\":1}"), "\"role\":\"A\"");
    world_ask(w, t->b, REQ(5, "match.sync", "{\"match\":1}"), "\"role\":\"B\"");
    world_ask(w, t->c, REQ(5, "match.watch", "{\"match\":1}"), "\"head\"");
    world_skip(w, t->a);
    world_skip(w, t->b);
    world_skip(w, t->c);
}

/* The connection whose phase it is. */
static unsigned active(struct table *t, unsigned *other)
{
    const char *got = world_ask(&t->w, t->a, REQ(6, "match.mine", "{}"), "\"mine\":");
    bool ann = strstr(got, "\"mine\":true") != NULL;

    *other = ann ? t->b : t->a;
    return ann ? t->a : t->b;
}

#define ORDER(id, base, body)                                                                      \
    REQ(7, "match.order",                                                                          \
        "{\"match\":1,\"order_id\":\"" id "\",\"base\":" base ",\"order\":" body "}")
#define END ORDER("end", "4", "{\"do\":\"end_phase\"}")

static void makes_and_lists(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    char id[64];
    struct buf b = BUF_EMPTY;

    world_ask(w, t->c, REQ(1, "lobby.follow", "{}"), "\"online\":[{\"name\":\"Ann\"");
    world_member(world_ask(w, t->a, CREATE, "\"no\":1"), "match", id, sizeof(id));
    assert_has(world_take(w, t->c), "\"kind\":\"match\"");
    world_ask(w, t->b, REQ(1, "lobby.list", "{\"state\":\"open\"}"), id);
    world_ask(w, t->b, REQ(1, "lobby.list", "{\"state\":\"live\"}"), "\"matches\":[]");
    world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"matches\":[]");
    world_ask(w, t->a, REQ(1, "match.mine", "{}"), "\"role\":\"A\"");
    buf_printf(&b, REQ(4, "match.join", "{\"match\":\"%s\"}"), id);
    world_ask(w, t->a, buf_str(&b), "conflict"); /* one's own */
    world_ask(w, t->b, buf_str(&b), "\"side\":\"");
    world_ask(w, t->b, buf_str(&b), "\"side\":\""); /* again: the same answer */
    world_ask(w, t->c, buf_str(&b), "conflict");
    world_ask(w, t->b, REQ(1, "lobby.list", "{\"state\":\"live\"}"), "\"state\":\"live\"");
    world_ask(w, t->a, REQ(1, "match.cancel", "{\"match\":1}"), "\"reason\":\"phase\"");
    world_ask(w, t->a, REQ(1, "match.cancel", "{\"match\":2}"), "not_found");
    buf_fini(&b);
}

static void pages_the_lobby(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    const char *got;

    for (int i = 0; i < 5; i++)
        world_ask(w, t->a, CREATE, "\"match\"");
    got = world_ask(w, t->b, REQ(1, "lobby.list", "{\"limit\":2}"), "\"no\":5");
    assert_has(got, "\"no\":4");
    assert_lacks(got, "\"no\":3");
    assert_has(got, "\"next\":4");
    got = world_ask(w, t->b, REQ(1, "lobby.list", "{\"limit\":3,\"before\":4}"), "\"no\":1");
    assert_lacks(got, "\"next\"");
}

static void withdrawn_is_gone(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    world_ask(w, t->a, CREATE, "\"no\":1");
    world_ask(w, t->b, REQ(1, "lobby.follow", "{}"), "online");
    world_ask(w, t->c, REQ(1, "match.cancel", "{\"match\":1}"), "denied");
    world_ask(w, t->a, REQ(1, "match.cancel", "{\"match\":1}"), "\"result\":{}");
    assert_has(world_take(w, t->b), "\"kind\":\"gone\"");
    world_ask(w, t->b, REQ(1, "lobby.list", "{}"), "\"matches\":[]");
    world_ask(w, t->b, REQ(1, "match.join", "{\"match\":1}"), "\"reason\":\"phase\"");
    world_ask(w, t->a, REQ(1, "match.mine", "{}"), "\"matches\":[]");
}

static void refuses_bad_matches(void **state)
{
    static const char *const cases[][2] = {
        {REQ(1, "match.create",
             "{\"scenario\":\"nope\",\"side\":\"random\",\"clock\":{\"kind\":\"none\"}}"),
         "not_found"},
        {REQ(1, "match.create",
             "{\"scenario\":\"first-blood\",\"side\":\"nope\",\"clock\":{\"kind\":\"none\"}}"),
         "\"field\":\"side\""},
        {REQ(1, "match.create", "{\"scenario\":\"first-blood\",\"side\":\"random\"}"),
         "\"field\":\"clock\""},
        {REQ(1, "match.create",
             "{\"scenario\":\"first-blood\",\"side\":\"random\",\"clock\":{\"kind\":\"live\","
             "\"main_s\":-1,\"phase_s\":1}}"),
         "\"field\":\"clock.main_s\""},
        {REQ(1, "match.create",
             "{\"scenario\":\"first-blood\",\"side\":\"random\",\"fair\":\"strict\",\"clock\":{"
             "\"kind\":\"correspondence\",\"days\":3}}"),
         "\"field\":\"fair\""},
        {CREATE_AND(",\"readings\":{\"turning\":\"sideways\"}"), "\"field\":\"readings\""},
        {CREATE_AND(",\"rated\":true"), "denied"},
        {CREATE_AND(",\"opponent\":\"Nobody\""), "not_found"},
        {CREATE_AND(",\"opponent\":\"ann\""), "\"field\":\"opponent\""},
        {CREATE_AND(",\"watch\":\"some\""), "\"field\":\"watch\""},
        {CREATE_AND(",\"rematch_of\":9"), "not_found"},
    };
    struct table *t = *state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        world_ask(&t->w, t->a, cases[i][0], cases[i][1]);
    world_ask(&t->w, t->a, REQ(1, "lobby.list", "{}"), "\"matches\":[]");
    assert_string_equal(buf_str(&t->w.kept), "");
}

static void journals_then_replies(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    unsigned other;
    unsigned mover;
    const char *line;

    seat_all(t);
    mover = active(t, &other);
    w->store = STORE_WHEN_TOLD;
    world_line(w, mover, ORDER("one", "99", "{\"do\":\"end_phase\"}"));
    assert_has(world_take(w, mover), "\"field\":\"base\"");
    world_line(w, other, ORDER("two", "3", "{\"do\":\"end_phase\"}"));
    line = world_take(w, other);
    assert_true(strstr(line, "\"reason\":\"turn\"") != NULL || strstr(line, "stale") != NULL);
    world_line(w, t->c, ORDER("three", "3", "{\"do\":\"end_phase\"}"));
    assert_has(world_take(w, t->c), "denied");
    assert_int_equal(w->n_txns, 0);

    world_line(w, mover, REQ(7, "match.resign", "{\"match\":1}"));
    world_line(w, mover, PING);
    world_line(w, other, REQ(8, "match.resign", "{\"match\":1}"));
    assert_int_equal(w->n_txns, 1);
    assert_string_equal(world_take(w, mover), "");
    assert_string_equal(world_take(w, t->c), "");
    world_stored(w, ERR_OK);
    assert_has(world_take(w, mover), "\"result\":{}"); /* the answer first */
    line = world_take(w, mover);
    assert_has(line, "match.event");
    assert_has(line, "\"kind\":\"resign\"");
    assert_has(world_take(w, mover), "\"kind\":\"over\"");
    assert_has(world_take(w, t->c), "\"kind\":\"resign\"");
    while ((line = world_take(w, mover))[0] != '\0' && strstr(line, "time_ms") == NULL)
        assert_has(line, "\"method\"");
    assert_has(line, "time_ms"); /* and the line behind it */
    while ((line = world_take(w, other))[0] != '\0' && strstr(line, "\"id\":8") == NULL)
        assert_has(line, "\"method\"");
    assert_has(line, "\"reason\":\"phase\""); /* the second resignation found it over */
}

static void what_isnt_stored_never_was(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    char before[65];
    char after[65];

    w->store = STORE_FAILS;
    world_ask(w, t->a, CREATE, "\"reason\":\"storage\"");
    w->store = STORE_NOW;
    world_ask(w, t->a, REQ(1, "lobby.list", "{}"), "\"matches\":[]");
    world_ask(w, t->a, CREATE, "\"match\"");
    world_ask(w, t->b, REQ(4, "match.join", "{\"match\":2}"), "\"side\"");
    world_member(world_ask(w, t->a, REQ(5, "match.sync", "{\"match\":2}"), "\"head\""), "hash",
                 before, sizeof(before));
    w->store = STORE_FAILS;
    world_skip(w, t->b);
    world_ask(w, t->a, REQ(6, "match.resign", "{\"match\":2}"), "\"reason\":\"storage\"");
    w->store = STORE_NOW;
    world_member(world_ask(w, t->a, REQ(5, "match.sync", "{\"match\":2}"), "\"head\""), "hash",
                 after, sizeof(after));
    assert_string_equal(before, after);
    world_ask(w, t->a, REQ(6, "match.resign", "{\"match\":2}"), "\"result\":{}");
}

static void a_full_disk_stops_nothing_for_good(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    seat_all(t);
    w->store = STORE_FAILS;
    world_event(w, t->b, CORE_EOF);
    for (int s = 0; s < 25; s++)
        world_wait(w, 1000);
    assert_null(strstr(w->conn[t->a].out.data, "\"kind\":\"presence\""));
    w->store = STORE_NOW;
    world_wait(w, 2000); /* it was tried again and again, and now there is room */
    assert_non_null(strstr(w->conn[t->a].out.data, "\"kind\":\"presence\""));
}

static void presence_follows_connections(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    const char *line;

    seat_all(t);
    world_wait(w, 2000); /* the spectator is counted out */
    world_skip(w, t->a);
    world_event(w, t->b, CORE_EOF);
    line = world_take(w, t->a);
    assert_has(line, "match.presence");
    assert_has(line, "\"player\":\"Bob\",\"online\":false,\"away_ms\":0");
    world_wait(w, 15000);
    line = world_take(w, t->a);
    assert_has(line, "\"kind\":\"presence\"");
    assert_has(line, "\"online\":false");
    world_event(w, t->c, CORE_EOF);
    world_wait(w, 2000);
    assert_has(world_take(w, t->a), "\"spectators\":0");
}

static void a_slow_reader_syncs_again(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    seat_all(t);
    world_event(w, t->c, CORE_SLOW);
    world_ask(w, t->a, REQ(6, "match.resign", "{\"match\":1}"), "\"result\":{}");
    assert_string_equal(world_take(w, t->c), "");
    world_event(w, t->c, CORE_DRAINED);
    assert_has(world_take(w, t->c), "match.resync");
    assert_string_equal(world_take(w, t->c), "");
    world_ask(w, t->c, REQ(5, "match.watch", "{\"match\":1}"), "\"reason\":\"resign\"");
}

static void private_needs_its_code(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    char invite[48];
    struct buf b = BUF_EMPTY;
    const char *got;

    world_member(world_ask(w, t->a, CREATE_AND(",\"private\":true"), "\"invite\""), "invite",
                 invite, sizeof(invite));
    world_ask(w, t->b, REQ(1, "lobby.list", "{}"), "\"matches\":[]");
    world_ask(w, t->b, REQ(1, "match.join", "{\"match\":1}"), "denied");
    world_ask(w, t->b, REQ(1, "match.join", "{\"match\":1,\"invite\":\"guess\"}"), "denied");
    world_ask(w, t->c, REQ(1, "match.watch", "{\"match\":1}"), "denied");
    world_ask(w, t->c, REQ(1, "match.record", "{\"match\":1}"), "denied");
    world_ask(w, t->a, REQ(1, "match.mine", "{}"), invite);
    buf_printf(&b, REQ(1, "match.join", "{\"match\":1,\"invite\":\"%s\"}"), invite);
    world_ask(w, t->b, buf_str(&b), "\"side\"");
    got = world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"role\":\"B\"");
    assert_lacks(got, invite);
    buf_reset(&b);
    buf_printf(&b, REQ(1, "match.watch", "{\"match\":1,\"invite\":\"%s\"}"), invite);
    got = world_ask(w, t->c, buf_str(&b), "\"head\"");
    assert_lacks(got, invite);
    world_ask(w, t->c, REQ(1, "match.sync", "{\"match\":1}"), "\"head\""); /* it goes on to */
    buf_fini(&b);
}

static void challenges_are_for_one(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    world_ask(w, t->a, CREATE_AND(",\"opponent\":\"bOB\""), "\"no\":1");
    assert_has(world_take(w, t->b), "Ann challenges you");
    world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"role\":null");
    world_ask(w, t->c, REQ(1, "match.join", "{\"match\":1}"), "denied");
    world_ask(w, t->c, REQ(1, "match.decline", "{\"match\":1}"), "denied");
    world_ask(w, t->b, REQ(1, "match.decline", "{\"match\":1}"), "\"result\":{}");
    world_ask(w, t->b, REQ(1, "match.join", "{\"match\":1}"), "\"reason\":\"phase\"");
    world_ask(w, t->a, CREATE_AND(",\"opponent\":\"Bob\""), "\"no\":2");
    world_send(
        w, t->b,
        REQ(1, "match.join", "{\"match\":2}") "\n" REQ(2, "match.join", "{\"match\":2}") "\n");
    assert_has(world_take(w, t->b), "Ann challenges you");
    assert_has(world_take(w, t->b), "\"id\":1,\"result\":{\"side\":\"blue\"}");
    assert_has(world_take(w, t->b), "\"id\":2,\"result\":{\"side\":\"blue\"}");
    world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"role\":\"B\"");
    world_ask(w, t->b, REQ(1, "match.resign", "{\"match\":2}"), "\"result\":{}");
    world_ask(w, t->c, CREATE_AND(",\"rematch_of\":2"), "denied");
    world_ask(w, t->a, CREATE_AND(",\"rematch_of\":2"), "\"no\":3"); /* Ann was red */
    world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"maker\":\"Ann\",\"side\":\"blue\"");
}

static void chat_has_two_rooms(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    seat_all(t);
    world_ask(w, t->a, REQ(1, "match.chat", "{\"match\":1,\"to\":\"players\",\"text\":\"hush\"}"),
              "\"result\":{}");
    assert_has(world_take(w, t->b), "\"text\":\"hush\"");
    assert_string_equal(world_take(w, t->c), "");
    world_ask(w, t->c, REQ(1, "match.chat", "{\"match\":1,\"to\":\"players\",\"text\":\"x\"}"),
              "denied");
    buf_reset(&w->kept);
    world_ask(w, t->c, REQ(1, "match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"oh\"}"),
              "\"result\":{}");
    assert_string_equal(buf_str(&w->kept), "user_put cleo\ntoken_put cleo\n");
    assert_has(world_take(w, t->b), "\"from\":\"Cleo\",\"to\":\"all\"");
    world_ask(w, t->b, REQ(1, "chat.mute", "{\"player\":\"cleo\",\"on\":true}"), "\"result\":{}");
    world_ask(w, t->c, REQ(1, "match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"hey\"}"),
              "\"result\":{}");
    assert_string_equal(world_take(w, t->b), "");
    world_skip(w, t->a);
    world_ask(w, t->b, REQ(1, "match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"a\\u202eb\"}"),
              "\"field\":\"text\"");
    assert_string_equal(world_take(w, t->a), "");
}

static void nobody_looks_where_watch_is_none(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    world_ask(w, t->a, CREATE_AND(",\"watch\":\"none\""), "\"no\":1");
    world_ask(w, t->b, REQ(1, "match.join", "{\"match\":1}"), "\"side\"");
    world_ask(w, t->c, REQ(1, "match.watch", "{\"match\":1}"), "denied");
    world_ask(w, t->c, REQ(1, "match.sync", "{\"match\":1}"), "denied");
    world_ask(w, t->c, REQ(1, "match.legal", "{\"match\":1}"), "denied");
    world_ask(w, t->c, REQ(1, "match.record", "{\"match\":1}"), "denied");
    world_ask(w, t->b, REQ(1, "match.sync", "{\"match\":1}"), "\"head\"");
}

static void record_and_legal_answer(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    seat_all(t);
    world_ask(w, t->c, REQ(1, "match.record", "{\"match\":1}"), "\"lines\":[\"{\\\"record\\\":1");
    world_ask(w, t->c, REQ(1, "match.record", "{\"match\":1,\"after\":\"zz\"}"),
              "\"field\":\"after\"");
    world_ask(w, t->a, REQ(1, "match.legal", "{\"match\":1}"), "\"figures\":[");
    world_ask(w, t->a, REQ(1, "match.legal", "{\"match\":1,\"figure\":\"zz\"}"),
              "\"field\":\"figure\"");
    world_ask(w, t->c, REQ(1, "match.unwatch", "{\"match\":1}"), "\"result\":{}");
    world_ask(w, t->a, REQ(1, "match.resign", "{\"match\":1}"), "\"result\":{}");
    assert_string_equal(world_take(w, t->c), "");
}

/* Log in again by a token on a new connection. */
static unsigned back(struct world *w, const char *token)
{
    unsigned c = world_connect(w);
    struct buf b = BUF_EMPTY;

    world_ask(w, c, REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}"), "limits");
    buf_printf(&b, REQ(2, "session.resume", "{\"token\":\"%s\"}"), token);
    world_ask(w, c, buf_str(&b), "\"user\"");
    buf_fini(&b);
    return c;
}

static void a_restart_loses_nothing(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;
    char token[2][65];
    char hash[2][65];
    unsigned c[2];

    for (int i = 0; i < 2; i++) {
        c[i] = world_connect(w);
        world_ask(w, c[i], REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}"), "limits");
        world_member(world_ask(w, c[i],
                               i == 0 ? REQ(2, "session.guest", "{\"name\":\"Dora\"}")
                                      : REQ(2, "session.guest", "{\"name\":\"Emil\"}"),
                               "token"),
                     "token", token[i], sizeof(token[i]));
    }
    world_ask(w, c[0], CREATE_AND(",\"private\":true,\"opponent\":\"Emil\""), "\"no\":1");
    world_ask(w, c[0], CREATE, "\"no\":2");
    world_restart(w);
    /* Emil has neither sat nor talked: it was a guest in memory, and is gone; Dora is not */
    c[0] = back(w, token[0]);
    world_ask(w, c[0], REQ(3, "match.mine", "{}"), "\"no\":1");
    c[1] = world_guest(w, "Emil");
    world_ask(w, c[1], REQ(3, "match.join", "{\"match\":2}"), "\"side\":\"blue\"");
    world_member(world_ask(w, c[1], REQ(4, "match.sync", "{\"match\":2}"), "\"head\""), "hash",
                 hash[0], sizeof(hash[0]));
    world_restart(w);
    c[1] = world_guest(w, "Fred");
    world_member(world_ask(w, c[1], REQ(4, "match.watch", "{\"match\":2}"), "\"head\""), "hash",
                 hash[1], sizeof(hash[1]));
    assert_string_equal(hash[0], hash[1]);
    world_ask(w, c[1], REQ(5, "session.logout", "{}"), "{}");
    world_ask(w, c[1], REQ(6, "session.guest", "{\"name\":\"eMIL\"}"), "conflict");
    world_ask(w, c[1], REQ(6, "session.guest", "{\"name\":\"Gus\"}"), "token");
    world_ask(w, c[1], CREATE, "\"no\":3"); /* numbers go on */
}

static void open_matches_dont_outlive_interest(void **state)
{
    struct table *t = *state;
    struct world *w = &t->w;

    world_ask(w, t->a, CREATE, "\"no\":1");
    world_ask(w, t->b, CREATE_AND(",\"opponent\":\"Cleo\""), "\"no\":2");
    world_event(w, t->a, CORE_EOF); /* a guest who made one goes */
    for (int hour = 0; hour < 24; hour++) {
        world_ask(w, t->b, REQ(1, "match.mine", "{}"), "\"no\":2");
        world_ask(w, t->c, REQ(1, "lobby.list", "{\"state\":\"open\"}"), "\"no\":1");
        for (int minute = 0; minute < 60; minute++) {
            world_wait(w, MINUTE_MS);
            world_send(w, t->b, "\n");
            world_send(w, t->c, "\n");
        }
    }
    world_ask(w, t->c, REQ(1, "lobby.list", "{\"before\":2}"), "\"matches\":[]");
    world_wait(w, 1000);
    assert_false(w->conn[t->b].closed);
    w->wall.ms += 7 * INT64_C(86400000); /* nobody's watch decides */
    world_ask(w, t->c, REQ(1, "match.mine", "{}"), "\"no\":2");
    for (int minute = 0; minute < 6 * 24 * 60; minute++) {
        world_wait(w, MINUTE_MS);
        world_send(w, t->b, "\n");
        world_send(w, t->c, "\n");
    }
    world_ask(w, t->c, REQ(1, "match.mine", "{}"), "\"matches\":[]");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(makes_and_lists),
        T(pages_the_lobby),
        T(withdrawn_is_gone),
        T(refuses_bad_matches),
        T(journals_then_replies),
        T(what_isnt_stored_never_was),
        T(a_full_disk_stops_nothing_for_good),
        T(presence_follows_connections),
        T(a_slow_reader_syncs_again),
        T(private_needs_its_code),
        T(challenges_are_for_one),
        T(chat_has_two_rooms),
        T(nobody_looks_where_watch_is_none),
        T(record_and_legal_answer),
        T(a_restart_loses_nothing),
        T(open_matches_dont_outlive_interest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
