/* SPDX-License-Identifier: ISC
 * The lobby under stress: a challenge taken twice, all withdrawing at once, connections that die in
 * any order, crashes at any point. No ghost, no double, no orphan.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define CREATE(more)                                                                               \
    REQ(3, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","                      \
        "\"clock\":{\"kind\":\"none\"}" more "}")
#define CHALLENGE CREATE(",\"opponent\":\"bob\"")
#define JOIN      REQ(4, "match.join", "{\"match\":1}")
#define CANCEL    REQ(5, "match.cancel", "{\"match\":1}")
#define DECLINE   REQ(6, "match.decline", "{\"match\":1}")
#define MINE      REQ(7, "match.mine", "{}")
#define LIST      REQ(8, "lobby.list", "{}")
#define FOLLOW    REQ(9, "lobby.follow", "{}")
#define INFO      REQ(9, "server.info", "{}")
#define DAY_MS    INT64_C(86400000)

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

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        n++;
    return n;
}

/* Lines sent on the connection that hold `what`; all are taken. */
static unsigned drain(struct world *w, unsigned c, const char *what)
{
    const unsigned n = count(buf_str(&w->conn[c].out), what);

    world_skip(w, c);
    return n;
}

static void store_all(struct world *w)
{
    while (w->n_txns > 0)
        world_stored(w, ERR_OK);
}

static void two_acceptances_in_a_packet_make_one_match(void **state)
{
    struct world *w = *state;
    unsigned a = world_guest(w, "Ann");
    unsigned b = world_guest(w, "Bob");

    world_ask(w, a, CHALLENGE, "\"no\":1");
    assert_int_equal(drain(w, b, "Ann challenges you"), 1);
    world_send(w, b, JOIN "\n" JOIN "\n" DECLINE "\n");
    assert_non_null(strstr(world_take(w, b), "\"side\":\"blue\""));
    assert_non_null(strstr(world_take(w, b), "\"side\":\"blue\""));
    assert_non_null(strstr(world_take(w, b), "\"reason\":\"phase\""));
    assert_int_equal(count(world_ask(w, b, MINE, "\"matches\""), "\"no\":"), 1);
    assert_int_equal(count(world_ask(w, a, MINE, "\"matches\""), "\"no\":"), 1);
    assert_int_equal(count(buf_str(&w->kept), "match_new"), 1);
    assert_int_equal(count(world_ask(w, a, LIST, "\"matches\""), "\"state\":\"live\""), 1);
}

/* Taken, declined and withdrawn before the disk has said anything: the first one counts. */
static void everybody_at_once(void **state)
{
    static const char *const words[] = {JOIN, DECLINE, CANCEL};

    (void)state;
    for (unsigned first = 0; first < 3; first++) {
        for (unsigned second = 0; second < 3; second++) {
            struct world *w;
            void *one = NULL;
            unsigned a, b, c;

            (void)setup(&one);
            w = one;
            a = world_guest(w, "Ann");
            b = world_guest(w, "Bob");
            c = world_guest(w, "Cleo");
            world_ask(w, c, FOLLOW, "\"online\"");
            world_ask(w, a, CHALLENGE, "\"no\":1");
            world_skip(w, c);
            w->store = STORE_WHEN_TOLD;
            world_line(w, first == 2 ? a : b, words[first]);
            world_line(w, second == 2 ? a : b, words[second]);
            world_line(w, c, JOIN); /* not challenged */
            store_all(w);
            w->store = STORE_NOW;
            world_skip(w, a);
            world_skip(w, b);
            if (first == 0) {
                assert_int_equal(drain(w, c, "\"kind\":\"gone\""), 0);
                world_ask(w, c, LIST, "\"state\":\"live\"");
                world_ask(w, a, MINE, "\"your_side\"");
            } else {
                assert_int_equal(drain(w, c, "\"kind\":\"gone\""), 1);
                world_ask(w, c, LIST, "\"matches\":[]");
                world_ask(w, a, MINE, "\"matches\":[]");
                world_ask(w, b, MINE, "\"matches\":[]");
            }
            (void)teardown(&one);
        }
    }
}

static void ten_withdraw_at_once(void **state)
{
    struct world *w = *state;
    unsigned c = world_guest(w, "Cleo");
    unsigned maker[10];
    struct buf line = BUF_EMPTY;

    world_ask(w, c, FOLLOW, "\"online\"");
    for (unsigned i = 0; i < 10; i++) {
        char name[] = "Maker-0";

        name[6] = (char)('0' + i);
        maker[i] = world_guest(w, name);
        world_ask(w, maker[i], CREATE(""), "\"no\":");
    }
    world_skip(w, c);
    w->store = STORE_WHEN_TOLD;
    for (unsigned i = 0; i < 10; i++) {
        buf_reset(&line);
        buf_printf(&line, REQ(5, "match.cancel", "{\"match\":%u}"), i + 1);
        world_line(w, maker[i], buf_str(&line));
        if (i % 2 == 0)
            world_event(w, maker[i], CORE_EOF); /* doesn't wait for the answer */
    }
    store_all(w);
    w->store = STORE_NOW;
    assert_int_equal(drain(w, c, "\"kind\":\"gone\""), 10);
    world_ask(w, c, LIST, "\"matches\":[]");
    world_ask(w, c, INFO, "\"players\":6,\"matches\":0");
    world_restart(w);
    c = world_guest(w, "Cleo2");
    world_ask(w, c, LIST, "\"matches\":[]");
    buf_fini(&line);
}

/* Whoever's connection dies first, and whatever is under way: nobody stays behind. */
static void they_die_in_any_order(void **state)
{
    static const uint8_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct world *w;
        void *one = NULL;
        unsigned c[3], last;

        (void)setup(&one);
        w = one;
        c[0] = world_guest(w, "Ann");
        c[1] = world_guest(w, "Bob");
        c[2] = world_guest(w, "Cleo");
        world_ask(w, c[2], FOLLOW, "\"online\"");
        world_ask(w, c[0], CHALLENGE, "\"no\":1");
        w->store = STORE_WHEN_TOLD;
        world_line(w, c[1], JOIN);
        world_line(w, c[2], REQ(1, "match.watch", "{\"match\":1}"));
        world_line(w, c[0], CANCEL);
        for (unsigned k = 0; k < 3; k++) {
            world_event(w, c[orders[i % 6][k]], CORE_EOF);
            if (i >= 6 && w->n_txns > 0)
                world_stored(w, ERR_OK);
        }
        store_all(w);
        w->store = STORE_NOW;
        last = world_guest(w, "Dora");
        world_ask(w, last, INFO, "\"players\":1,");
        world_ask(w, last, INFO, "\"spectators\":0");
        world_ask(w, last, FOLLOW,
                  "\"online\":[{\"name\":\"Dora\",\"kind\":\"guest\","
                  "\"role\":null}]}");
        assert_int_equal(count(world_ask(w, last, LIST, "\"matches\""), "\"state\":\"live\""), 1);
        (void)teardown(&one);
    }
}

/* SIGKILL after each of the transactions of a challenge and its acceptance. */
static void a_crash_at_any_point(void **state)
{
    (void)state;
    for (unsigned stored = 0; stored < 6; stored++) {
        struct world *w;
        void *one = NULL;
        char token[65];
        struct buf line = BUF_EMPTY;
        unsigned a, b;
        const char *got;

        (void)setup(&one);
        w = one;
        a = world_connect(w);
        world_ask(w, a, HELLO, "\"limits\"");
        world_member(world_ask(w, a, REQ(2, "session.guest", "{\"name\":\"Ann\"}"), "token"),
                     "token", token, sizeof(token));
        b = world_guest(w, "Bob");
        w->store = STORE_WHEN_TOLD;
        world_line(w, a, CHALLENGE);
        for (unsigned k = 0; k < stored; k++) {
            if (w->n_txns > 0)
                world_stored(w, ERR_OK);
            if (k == 0)
                world_line(w, b, JOIN);
        }
        w->store = STORE_NOW;
        world_restart(w);
        a = world_connect(w);
        world_ask(w, a, HELLO, "\"limits\"");
        buf_printf(&line, REQ(2, "session.resume", "{\"token\":\"%s\"}"), token);
        got = world_ask(w, a, buf_str(&line), "\"jsonrpc\"");
        if (strstr(got, "\"user\"") == NULL) { /* the guest was never stored, nor its match */
            assert_int_equal(count(buf_str(&w->kept), "match_new"), 0);
            a = world_guest(w, "Ann");
            world_ask(w, a, LIST, "\"matches\":[]");
        } else {
            got = world_ask(w, a, MINE, "\"no\":1");
            assert_int_equal(count(got, "\"no\":"), 1);
            assert_int_equal(count(buf_str(&w->kept), "user_put bob"), /* he came with the seat */
                             count(got, "\"joiner\":\"Bob\""));
            if (strstr(got, "\"joiner\"") == NULL) {
                b = world_guest(w, "Bob");
                world_ask(w, b, JOIN, "\"side\":\"blue\"");
            }
        }
        buf_fini(&line);
        (void)teardown(&one);
    }
}

/* ---- what ends by itself ---- */

static void challenges_and_open_matches_expire(void **state)
{
    struct world *w = *state;
    unsigned a = world_connect(w);

    world_ask(w, a, HELLO, "\"limits\"");
    world_line(w, a, REQ(2, "session.register", "{\"name\":\"Ann\",\"password\":\"12345678\"}"));
    world_hashed(w);
    world_skip(w, a);
    (void)world_guest(w, "Bob");
    world_ask(w, a, CHALLENGE, "\"no\":1");
    world_ask(w, a, CREATE(""), "\"no\":2");
    world_wait(w, 3 * DAY_MS);
    w->wall.ms += 366 * DAY_MS; /* the wall clock means nothing, before and after a restart */
    world_restart(w);
    world_wait(w, 3 * DAY_MS);
    w->wall.ms -= 732 * DAY_MS;
    world_restart(w);
    world_wait(w, DAY_MS - 1);
    a = world_guest(w, "Zoe");
    assert_int_equal(count(world_ask(w, a, LIST, "\"matches\""), "\"state\":\"open\""), 2);
    world_wait(w, 125000); /* where no clock runs a crash may cost a minute */
    a = world_guest(w, "Zoe1");
    assert_int_equal(count(world_ask(w, a, LIST, "\"matches\""), "\"state\":\"open\""), 1);
    world_wait(w, 83 * DAY_MS - 185000);
    a = world_guest(w, "Zoe2");
    assert_int_equal(count(world_ask(w, a, LIST, "\"matches\""), "\"state\":\"open\""), 1);
    world_wait(w, 60000 + 125000);
    a = world_guest(w, "Zoe3");
    assert_int_equal(count(world_ask(w, a, LIST, "\"matches\""), "\"state\":\"open\""), 0);
}

static void a_private_match_wants_its_code(void **state)
{
    struct world *w = *state;
    unsigned a = world_guest(w, "Ann");
    unsigned b = world_guest(w, "Bob");
    unsigned c = world_guest(w, "Cleo");
    char code[64];
    struct buf line = BUF_EMPTY;

    world_ask(w, c, FOLLOW, "\"online\"");
    world_skip(w, c);
    world_member(world_ask(w, a, CREATE(",\"private\":true"), "\"no\":1"), "invite", code,
                 sizeof(code));
    world_ask(w, b, LIST, "\"matches\":[]");
    assert_int_equal(drain(w, c, "lobby.event"), 0);
    world_ask(w, b, JOIN, "\"reason\":\"denied\"");
    world_ask(w, b, REQ(4, "match.join", "{\"match\":1,\"invite\":\"abc\"}"), "denied");
    world_ask(w, c, REQ(4, "match.watch", "{\"match\":1}"), "denied");
    world_restart(w);
    b = world_guest(w, "Bob");
    c = world_guest(w, "Cleo");
    buf_printf(&line, REQ(4, "match.join", "{\"match\":1,\"invite\":\"%s\"}"), code);
    world_ask(w, b, buf_str(&line), "\"side\":\"blue\"");
    world_ask(w, c, LIST, "\"matches\":[]");
    world_ask(w, c, REQ(4, "match.record", "{\"match\":1}"), "denied");
    buf_fini(&line);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(two_acceptances_in_a_packet_make_one_match),
        cmocka_unit_test(everybody_at_once),
        T(ten_withdraw_at_once),
        cmocka_unit_test(they_die_in_any_order),
        cmocka_unit_test(a_crash_at_any_point),
        T(challenges_and_open_matches_expire),
        T(a_private_match_wants_its_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
