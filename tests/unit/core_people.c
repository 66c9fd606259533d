/* SPDX-License-Identifier: ISC
 * People: guests, tokens and their rotation, accounts, logging out, expiry.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define PING  REQ(2, "session.ping", "{}")
#define CREATE                                                                                     \
    REQ(3, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"random\",\"fair\":\"server\","                   \
        "\"clock\":{\"kind\":\"none\"}}")
#define DAY_MS (24 * 3600 * 1000)

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

static void guest(struct world *w, unsigned c, const char *name, char token[65])
{
    struct buf b = BUF_EMPTY;

    buf_printf(&b, REQ(5, "session.guest", "{\"name\":\"%s\"}"), name);
    world_member(world_ask(w, c, buf_str(&b), "\"token\""), "token", token, 65);
    buf_fini(&b);
}

/* Resume by `token`; next "" for none. The answer must hold `want`. Returns it. */
static const char *resume(struct world *w, unsigned c, const char *token, const char *next,
                          const char *want)
{
    struct buf b = BUF_EMPTY;
    const char *got;

    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"session.resume\",\"params\":{");
    buf_printf(&b, "\"token\":\"%s\"", token);
    if (next[0] != '\0')
        buf_printf(&b, ",\"next\":\"%s\"", next);
    buf_puts(&b, "}}");
    got = world_ask(w, c, buf_str(&b), want);
    buf_fini(&b);
    return got;
}

static void token_of(char out[65], char digit)
{
    memset(out, digit, 64);
    out[64] = '\0';
}

static void names_are_unique_without_case(void **state)
{
    struct world *w = *state;
    unsigned a = hello(w);
    unsigned b = hello(w);

    world_ask(w, a, REQ(1, "session.guest", "{\"name\":\"Jo-Ann\"}"), "\"kind\":\"guest\"");
    world_ask(w, b, REQ(1, "session.guest", "{\"name\":\"jO-aNN\"}"), "conflict");
    world_ask(w, b, REQ(1, "session.guest", "{}"), "\"name\":\"Guest-");
    assert_string_equal(buf_str(&w->kept), ""); /* nothing of guests is kept */
}

static void rotates_in_memory(void **state)
{
    struct world *w = *state;
    char t0[65];
    char t1[65];
    char t2[65];

    guest(w, hello(w), "Rita", t0);
    token_of(t1, 'a');
    resume(w, hello(w), t0, t1, "\"token\":\"aaaa");
    resume(w, hello(w), t0, "", "\"reason\":\"auth\""); /* it has a successor */
    world_member(resume(w, hello(w), t1, "", "\"name\":\"Rita\""), "token", t2, sizeof(t2));
    assert_string_not_equal(t1, t2);
    resume(w, hello(w), t1, "", "\"reason\":\"auth\"");     /* t2 wasn't used yet */
    resume(w, hello(w), t2, t1, "\"reason\":\"conflict\""); /* a next that is known */
    resume(w, hello(w), t2, "", "\"name\":\"Rita\"");
}

static void a_stolen_token_ends_its_family(void **state)
{
    struct world *w = *state;
    unsigned owner = hello(w);
    char t0[65];
    char t1[65];
    char t2[65];

    guest(w, owner, "Rita", t0);
    token_of(t1, 'a');
    token_of(t2, 'b');
    resume(w, hello(w), t0, t1, "\"user\"");
    resume(w, hello(w), t1, t2, "\"user\""); /* the successor has been used */
    world_skip(w, owner);
    resume(w, hello(w), t0, "", "\"reason\":\"auth\"");
    assert_non_null(strstr(world_take(w, owner), "server.notice"));
    resume(w, hello(w), t2, "", "\"reason\":\"auth\"");
    resume(w, hello(w), t1, "", "\"reason\":\"auth\"");
}

static void sitting_down_makes_a_guest_durable(void **state)
{
    struct world *w = *state;
    unsigned c = hello(w);
    char token[65];
    char next[65];

    guest(w, c, "Sitter", token);
    w->store = STORE_WHEN_TOLD;
    world_line(w, c, CREATE);
    world_line(w, c, PING);
    assert_string_equal(world_take(w, c), ""); /* the ping's answer waits behind it */
    world_stored(w, ERR_OK);
    assert_non_null(strstr(buf_str(&w->kept), "user_put sitter\ntoken_put sitter\n"));
    assert_non_null(strstr(world_take(w, c), "\"no\":1"));
    assert_non_null(strstr(world_take(w, c), "time_ms"));

    world_stored(w, ERR_OK); /* the serving time, now that a match is there */

    /* from now on a new token counts when it is durable, and not before */
    buf_reset(&w->kept);
    token_of(next, 'c');
    c = hello(w);
    resume(w, c, token, next, "");
    assert_string_equal(world_take(w, c), "");
    assert_int_equal(w->n_txns, 1);
    world_stored(w, ERR_STORAGE);
    assert_non_null(strstr(world_take(w, c), "\"reason\":\"storage\""));
    w->store = STORE_NOW;
    resume(w, c, token, next, "\"user\""); /* nothing had happened */
    assert_string_equal(buf_str(&w->kept), "token_put sitter\n");
}

static void two_resumes_of_one_token_make_one_successor(void **state)
{
    struct world *w = *state;
    unsigned a = hello(w);
    unsigned b;
    char token[65];

    guest(w, a, "Twice", token);
    world_ask(w, a, CREATE, "\"no\":1");
    w->store = STORE_WHEN_TOLD;
    a = hello(w);
    b = hello(w);
    resume(w, a, token, "", "");
    resume(w, b, token, "", "");
    assert_int_equal(w->n_txns, 1); /* the second waits for the first */
    world_stored(w, ERR_OK);
    assert_non_null(strstr(world_take(w, a), "\"user\""));
    assert_non_null(strstr(world_take(w, b), "\"reason\":\"auth\""));
    assert_int_equal(w->n_txns, 0);
}

static void an_idle_guest_is_forgotten_unless_it_sits(void **state)
{
    struct world *w = *state;
    unsigned idle = hello(w);
    unsigned sits = hello(w);
    char token[2][65];

    guest(w, idle, "Idle", token[0]);
    guest(w, sits, "Sits", token[1]);
    world_ask(w, sits, CREATE, "\"no\":1");
    world_event(w, idle, CORE_EOF);
    world_event(w, sits, CORE_EOF);
    world_wait(w, DAY_MS - 1);
    resume(w, hello(w), token[0], token[0], "conflict"); /* still known */
    world_wait(w, 1);
    resume(w, hello(w), token[0], "", "\"reason\":\"auth\"");
    resume(w, hello(w), token[1], "", "\"name\":\"Sits\"");
}

static void logging_out_ends_the_token(void **state)
{
    struct world *w = *state;
    unsigned a = hello(w);
    unsigned b = hello(w);
    char token[65];

    guest(w, a, "Leaver", token);
    world_ask(w, a, REQ(7, "session.logout", "{}"), "\"result\":{}");
    world_ask(w, a, REQ(7, "match.mine", "{}"), "\"reason\":\"auth\"");
    resume(w, b, token, "", "\"reason\":\"auth\"");
    guest(w, b, "leaver", token); /* the name is free again */
    resume(w, a, token, "", "\"user\"");
    world_skip(w, b);
    world_ask(w, a, REQ(7, "session.logout", "{\"all\":true}"), "\"result\":{}");
    assert_non_null(strstr(world_take(w, b), "server.notice"));
    assert_true(w->conn[b].closed);
}

/* ---- accounts ---- */

#define REGISTER REQ(8, "session.register", "{\"name\":\"Anna\",\"password\":\"old secret\"}")
#define LOGIN    REQ(9, "session.login", "{\"name\":\"anna\",\"password\":\"old secret\"}")
#define WRONG    REQ(9, "session.login", "{\"name\":\"anna\",\"password\":\"bad secret\"}")
#define NOBODY   REQ(9, "session.login", "{\"name\":\"nobody\",\"password\":\"bad secret\"}")

static unsigned member(struct world *w)
{
    unsigned c = hello(w);

    world_line(w, c, REGISTER);
    world_hashed(w);
    assert_non_null(
        strstr(world_take(w, c), "{\"name\":\"Anna\",\"kind\":\"member\",\"role\":\"member\"}"));
    return c;
}

static void registers_and_logs_in(void **state)
{
    struct world *w = *state;
    unsigned c;
    char wrong[2][256];

    member(w);
    assert_string_equal(buf_str(&w->kept), "user_put anna\ntoken_put anna\n");
    c = hello(w);
    world_ask(w, c, REGISTER, "conflict");
    world_ask(w, c, REQ(1, "session.guest", "{\"name\":\"ANNA\"}"), "conflict");
    for (int i = 0; i < 2; i++) {
        world_line(w, c, i == 0 ? WRONG : NOBODY);
        assert_int_equal(w->n_jobs, 1); /* an unknown name takes as long */
        world_hashed(w);
        str_copy(wrong[i], sizeof(wrong[i]), world_take(w, c));
        assert_non_null(strstr(wrong[i], "\"reason\":\"auth\""));
    }
    assert_string_equal(wrong[0], wrong[1]);
    world_line(w, c, LOGIN);
    world_line(w, c, PING);
    assert_string_equal(world_take(w, c), "");
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "\"name\":\"Anna\""));
    assert_non_null(strstr(world_take(w, c), "time_ms"));
}

static void a_registration_that_isnt_stored_never_was(void **state)
{
    struct world *w = *state;
    unsigned c = hello(w);
    unsigned other = hello(w);

    w->store = STORE_WHEN_TOLD;
    world_line(w, c, REGISTER);
    world_ask(w, other, REGISTER, "conflict"); /* the name is held, but nobody has it */
    world_line(w, other, LOGIN);
    world_hashed(w);
    assert_int_equal(w->n_txns, 1);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, other), "\"reason\":\"auth\""));
    world_stored(w, ERR_STORAGE);
    assert_non_null(strstr(world_take(w, c), "\"reason\":\"storage\""));
    w->store = STORE_NOW;
    world_line(w, other, REGISTER);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, other), "\"token\""));
}

static void hashes_at_most_so_many(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 32; i++)
        world_line(w, hello(w), NOBODY);
    world_ask(w, hello(w), NOBODY, "\"reason\":\"busy\"");
    while (w->n_jobs > 0)
        world_hashed(w);
    world_line(w, hello(w), NOBODY);
    assert_int_equal(w->n_jobs, 1);
}

static void a_new_password_ends_the_other_logins(void **state)
{
    struct world *w = *state;
    unsigned a = member(w);
    unsigned b = hello(w);
    char token[65];

    world_line(w, b, LOGIN);
    world_hashed(w);
    world_member(world_take(w, b), "token", token, sizeof(token));
    world_line(w, a, REQ(1, "session.password", "{\"old\":\"bad one\",\"new\":\"new secret\"}"));
    world_hashed(w);
    assert_non_null(strstr(world_take(w, a), "\"reason\":\"auth\""));
    world_line(w, a, REQ(1, "session.password", "{\"old\":\"old secret\",\"new\":\"new secret\"}"));
    world_hashed(w);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, a), "\"result\":{}"));
    assert_true(w->conn[b].closed);
    b = hello(w);
    resume(w, b, token, "", "\"reason\":\"auth\"");
    world_line(w, b, LOGIN);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, b), "\"reason\":\"auth\""));
    world_line(w, b, REQ(9, "session.login", "{\"name\":\"Anna\",\"password\":\"new secret\"}"));
    world_hashed(w);
    assert_non_null(strstr(world_take(w, b), "\"token\""));
}

/* ---- recovery ---- */

static void rows_come_back(void **state)
{
    static const char row[] = "{\"name\":\"Anna\",\"kind\":1,\"role\":1,\"since\":5,"
                              "\"hash\":\"hash of old secret\",\"muted\":[\"bob\"]}";
    struct world *w = *state;
    unsigned c;

    assert_int_equal(core_load_user(w->core, "anna", row, strlen(row)), ERR_OK);
    assert_int_equal(core_load_user(w->core, "anna", row, strlen(row)), ERR_DATA);
    assert_int_equal(core_load_user(w->core, "bert", row, strlen(row)), ERR_DATA);
    assert_int_equal(core_load_user(w->core, "cleo", "{}", 2), ERR_DATA);
    c = hello(w);
    world_line(w, c, LOGIN);
    world_hashed(w);
    assert_non_null(strstr(world_take(w, c), "\"role\":\"umpire\""));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(names_are_unique_without_case),
        T(rotates_in_memory),
        T(a_stolen_token_ends_its_family),
        T(sitting_down_makes_a_guest_durable),
        T(two_resumes_of_one_token_make_one_successor),
        T(an_idle_guest_is_forgotten_unless_it_sits),
        T(logging_out_ends_the_token),
        T(registers_and_logs_in),
        T(a_registration_that_isnt_stored_never_was),
        T(hashes_at_most_so_many),
        T(a_new_password_ends_the_other_logins),
        T(rows_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
