/* SPDX-License-Identifier: ISC
 * The operator: addresses, what happens when nothing can be stored, who waits for whom, and lines that
 * are no requests.
 */
#include "common/base/str.h"
#include "server/core/ban.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO    REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define PING     REQ(2, "session.ping", "{}")
#define LOGIN    REQ(3, "session.login", "{\"name\":\"ann\",\"password\":\"secret words\"}")
#define REGISTER REQ(4, "session.register", "{\"name\":\"ann\",\"password\":\"secret words\"}")
#define SUSPEND  "{\"cmd\":\"suspend\",\"player\":\"ann\",\"reason\":\"rude\",\"for_s\":60}"

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

static unsigned hello(struct world *w)
{
    unsigned c = world_connect(w);

    world_ask(w, c, HELLO, "\"limits\"");
    return c;
}

/* ann, a member, logged in. */
static unsigned ann(struct world *w)
{
    unsigned c = hello(w);

    world_line(w, c, REGISTER);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "\"token\""));
    return c;
}

static void ask(struct world *w, const char *line, const char *want)
{
    world_admin(w, line);
    world_told(w, want);
    assert_int_equal(w->told.len, 0); /* one answer */
}

/* ---- addresses ---- */

static void addresses(void **state)
{
    static const struct {
        const char *text, *shown; /* shown NULL: it is none */
    } rows[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"192.0.2.1/32", "192.0.2.1"},
        {"192.0.2.129/25", "192.0.2.128/25"},
        {"192.0.2.1/0", "0.0.0.0/0"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"2001:DB8::1", "2001:db8::1"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:db8:ffff::/33", "2001:db8:8000::/33"},
        {"::", "::"},
        {"::/0", "::/0"},
        {"::1/128", "::1"},
        {"1::", "1::"},
        {"", NULL},
        {"/", NULL},
        {"192.0.2", NULL},
        {"192.0.2.256", NULL},
        {"192.0.2.1/33", NULL},
        {"192.0.2.1/", NULL},
        {"192.0.2.1/-1", NULL},
        {"192.0.2.1/1/1", NULL},
        {"192.0.2.1 ", NULL},
        {"::/129", NULL},
        {"fe80::1%eth0", NULL},
        {"1:2:3:4:5:6:7:8:9", NULL},
        {"1:2:3:4:5:6:7", NULL},
        {"2001:db8::12345", NULL},
        {"::1:", NULL},
        {"1::2::3", NULL},
        {"1:2:3:4:5:6:7:8::", NULL},
        {":1::", NULL},
        {"::192.0.2.1.", NULL},
        {"example.org", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[BAN_TEXT_LEN] = "";
        struct ban_net net;
        const bool ok = ban_parse(rows[i].text, &net);

        if (ok != (rows[i].shown != NULL))
            fail_msg("%s: %s", rows[i].text, ok ? "taken" : "refused");
        if (!ok)
            continue;
        ban_text(&net, text);
        assert_string_equal(text, rows[i].shown);
    }
}

static void networks(void **state)
{
    struct world *w = *state;
    unsigned inside = world_connect_from(w, "2001:db8:1::5", true);
    unsigned outside = world_connect_from(w, "2001:db9::5", true);

    ask(w, "{\"cmd\":\"ban\",\"address\":\"2001:db8::/32\",\"for_s\":60}", "\"closed\":1");
    assert_true(w->conn[inside].closed);
    assert_false(w->conn[outside].closed);
    inside = world_connect_from(w, "2001:db8:ffff::1", true);
    assert_non_null(strstr(world_take(w, inside), "\"denied\""));
    assert_true(w->conn[inside].closed);
    world_restart(w);
    inside = world_connect_from(w, "2001:db8::1", true);
    assert_true(w->conn[inside].closed);
    assert_false(w->conn[world_connect_from(w, "2001:db7::1", true)].closed);
    world_wait(w, 60000);
    assert_false(w->conn[world_connect_from(w, "2001:db8::1", true)].closed);
    ask(w, "{\"cmd\":\"bans\"}", "\"bans\":[]");
    ask(w, "{\"cmd\":\"ban\",\"address\":\"192.0.2.1\"}", "\"closed\":0"); /* the old row goes */
    for (size_t i = 0; i < w->n_rows; i++)
        assert_true(w->row[i].kind != STORE_META_PUT || strstr(w->row[i].name, "2001") == NULL);
    assert_true(w->conn[world_connect_from(w, "192.0.2.1", true)].closed);
    assert_true(w->conn[world_connect_from(w, "::ffff:192.0.2.1", true)].closed);
}

/* ---- nothing can be stored: nothing has happened ---- */

static void full_disk(void **state)
{
    static const char *const acts[] = {
        SUSPEND,
        "{\"cmd\":\"role\",\"player\":\"ann\",\"role\":\"admin\"}",
        "{\"cmd\":\"ban\",\"address\":\"127.0.0.1\"}",
        "{\"cmd\":\"invite\"}",
        "{\"cmd\":\"announce\",\"text\":\"hello\"}",
        "{\"cmd\":\"motd\",\"text\":\"other\"}",
        "{\"cmd\":\"kick\",\"player\":\"ann\"}",
        "{\"cmd\":\"drain\"}",
        "{\"cmd\":\"erase\",\"player\":\"bob\"}",
        "{\"cmd\":\"backup\"}",
    };
    struct world *w = *state;
    unsigned c = ann(w);

    world_admin(w, "{\"cmd\":\"add\",\"player\":\"bob\",\"password\":\"other words\"}");
    world_hashed(w);
    world_told(w, "\"bob\"");
    w->store = STORE_FAILS;
    for (size_t i = 0; i < ARRAY_LEN(acts); i++)
        ask(w, acts[i], "\"storage\"");
    world_admin(w, "{\"cmd\":\"add\",\"player\":\"eve\",\"password\":\"other words\"}");
    world_hashed(w);
    world_told(w, "\"storage\"");
    w->store = STORE_NOW;
    assert_string_equal(world_take(w, c), ""); /* heard nothing, */
    assert_false(w->conn[c].closed);           /* and is there */
    world_ask(w, c, PING, "time_ms");
    ask(w, "{\"cmd\":\"status\"}", "\"bans\":0");
    ask(w, "{\"cmd\":\"invites\"}", "\"invites\":[]");
    ask(w, "{\"cmd\":\"motd\"}", "\"hello\"");
    ask(w, "{\"cmd\":\"player\",\"player\":\"ann\"}", "\"role\":\"member\"");
    ask(w, "{\"cmd\":\"player\",\"player\":\"bob\"}", "\"online\":false");
    ask(w, "{\"cmd\":\"player\",\"player\":\"eve\"}", "\"not_found\"");
    assert_false(w->conn[hello(w)].closed);
    ask(w, "{\"cmd\":\"erase\",\"player\":\"bob\"}", "\"erased-");
    ask(w, "{\"cmd\":\"player\",\"player\":\"bob\"}", "\"not_found\"");
    world_restart(w);
    ask(w, "{\"cmd\":\"add\",\"player\":\"BOB\",\"password\":\"other words\"}", "\"conflict\"");
}

/* ---- who waits ---- */

static void one_after_the_other(void **state)
{
    struct world *w = *state;
    unsigned c = ann(w);

    w->store = STORE_WHEN_TOLD;
    world_admin(w, SUSPEND);
    world_admin(w, "{\"cmd\":\"role\",\"player\":\"ann\",\"role\":\"umpire\"}"); /* waits */
    world_admin(w, "{\"cmd\":\"bans\"}");                                        /* doesn't */
    world_told(w, "\"bans\":[]");
    assert_int_equal(w->told.len, 0);
    assert_int_equal(w->n_txns, 1);
    assert_false(w->conn[c].closed);
    world_stored(w, ERR_OK);
    world_told(w, "\"result\":{}");
    assert_true(w->conn[c].closed);
    assert_int_equal(w->told.len, 0);
    world_stored(w, ERR_OK);
    world_told(w, "\"result\":{}");
    w->store = STORE_NOW;
    ask(w, "{\"cmd\":\"player\",\"player\":\"ann\"}", "\"umpire\"");
}

/* A login that was begun before the suspension isn't let through by it. */
static void login_under_way(void **state)
{
    struct world *w = *state;
    unsigned c;

    ann(w);
    c = hello(w);
    world_line(w, c, LOGIN);
    ask(w, SUSPEND, "\"result\":{}");
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "\"denied\""));
    world_line(w, c, LOGIN);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "rude"));
    world_wait(w, 61000);
    c = hello(w);
    world_line(w, c, LOGIN);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "\"token\""));
}

/* ---- the shell's part ---- */

static void jobs(void **state)
{
    struct world *w = *state;

    world_admin(w, "{\"cmd\":\"backup\",\"directory\":\"/b\"}");
    assert_int_equal(w->shell_what, CORE_JOB_BACKUP);
    assert_int_equal(w->told.len, 0);
    world_job(w, ERR_OK, "all well");
    world_told(w, "all well");
    world_admin(w, "{\"cmd\":\"reload\"}");
    world_job(w, ERR_DATA, "line 7");
    world_told(w, "line 7");
    world_admin(w, "{\"cmd\":\"backup\"}");
    world_stop(w); /* doesn't wait for it */
    assert_true(w->stopped);
    world_told(w, "\"busy\"");
    world_job(w, ERR_OK, "late");
    assert_int_equal(w->told.len, 0);
}

static void held(void **state)
{
    struct world *w = *state;

    world_admin(w, "{\"cmd\":\"backup\"}");
    world_hold(w, true);
    assert_true(w->held);
    world_told(w, "\"busy\"");
    world_hold(w, false);
    ask(w, "{\"cmd\":\"motd\",\"text\":\"after\"}", "after");
}

static void draining(void **state)
{
    struct world *w = *state;

    ask(w, "{\"cmd\":\"drain\",\"in_s\":10}", "\"in_s\":10");
    assert_int_equal(w->n_shell_jobs, 0);
    world_wait(w, 9999);
    assert_int_equal(w->n_shell_jobs, 0);
    world_wait(w, 1);
    assert_int_equal(w->n_shell_jobs, 1);
    assert_int_equal(w->shell_what, CORE_JOB_STOP);
}

/* ---- lines that are no requests ---- */

static void garbage(void **state)
{
    static const char *const lines[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"cmd\":1}",
        "{\"cmd\":\"\"}",
        "{\"cmd\":\"nothing\"}",
        "{\"cmd\":\"ban\"}",
        "{\"cmd\":\"ban\",\"address\":1}",
        "{\"cmd\":\"ban\",\"address\":\"1.2.3.4\",\"for_s\":0}",
        "{\"cmd\":\"ban\",\"address\":\"1.2.3.4\",\"for_s\":\"1\"}",
        "{\"cmd\":\"ban\",\"address\":\"1.2.3.4\",\"reason\":\"a\\u0007\"}",
        "{\"cmd\":\"suspend\",\"player\":\"ann\",\"reason\":\"\"}",
        "{\"cmd\":\"suspend\",\"player\":[],\"reason\":\"x\"}",
        "{\"cmd\":\"role\",\"player\":\"ann\",\"role\":\"king\"}",
        "{\"cmd\":\"show\",\"match\":0}",
        "{\"cmd\":\"show\",\"match\":\"zz\"}",
        "{\"cmd\":\"void\",\"match\":1}",
        "{\"cmd\":\"void\",\"match\":1,\"reason\":\"x\"}",
        "{\"cmd\":\"add\",\"player\":\"x\"}",
        "{\"cmd\":\"add\",\"player\":\"operator\"}",
        "{\"cmd\":\"add\",\"player\":\"abc\",\"password\":\"short\"}",
        "{\"cmd\":\"matches\",\"state\":\"lost\"}",
        "{\"cmd\":\"matches\",\"limit\":0}",
        "{\"cmd\":\"audit\",\"limit\":1001}",
        "{\"cmd\":\"invite\",\"uses\":10001}",
        "{\"cmd\":\"revoke\",\"code\":\"none\"}",
        "{\"cmd\":\"backup\",\"directory\":\"here\"}",
        "{\"cmd\":\"drain\",\"in_s\":-1}",
        "{\"cmd\":\"status\",\"as\":\"0123456789012345678901234567890123456789\"}",
    };
    struct world *w = *state;

    ann(w);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        ask(w, lines[i], "{\"error\":{\"reason\":\"");
    ask(w, "{\"cmd\":\"audit\"}", "\"audit\":[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),
        cmocka_unit_test_setup_teardown(networks, setup, teardown),
        cmocka_unit_test_setup_teardown(full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(one_after_the_other, setup, teardown),
        cmocka_unit_test_setup_teardown(login_under_way, setup, teardown),
        cmocka_unit_test_setup_teardown(jobs, setup, teardown),
        cmocka_unit_test_setup_teardown(held, setup, teardown),
        cmocka_unit_test_setup_teardown(draining, setup, teardown),
        cmocka_unit_test_setup_teardown(garbage, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
