/* SPDX-License-Identifier: ISC
 * Accounts of a club: who may register, invite codes, many logins, stolen tokens, vacation.
 */
#include <sodium.h>

#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO          REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define VACATION(days) REQ(4, "player.vacation", "{\"days\":" days "}")
#define MAIL                                                                                       \
    REQ(3, "match.create",                                                                         \
        "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","                      \
        "\"clock\":{\"kind\":\"correspondence\",\"days\":3}}")
#define MINE   REQ(5, "match.mine", "{}")
#define DAY_MS INT64_C(86400000)

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

/* The world again, its core configured anew; what was stored stays. */
static void reconfigure(struct world *w, enum core_registration who)
{
    w->cfg.registration = (uint8_t)who;
    world_restart(w);
}

static unsigned hello(struct world *w)
{
    unsigned c = world_connect(w);

    world_ask(w, c, HELLO, "\"limits\"");
    return c;
}

/* Send register or login; nothing is answered before the hash is there. */
static void say(struct world *w, unsigned c, const char *method, const char *name, const char *more)
{
    struct buf b = BUF_EMPTY;

    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"%s\",\"params\":{\"name\":\"%s\"",
               method, name);
    buf_printf(&b, ",\"password\":\"old secret\"%s}}", more);
    world_line(w, c, buf_str(&b));
    buf_fini(&b);
}

static void want(struct world *w, unsigned c, const char *words)
{
    const char *line = world_take(w, c);

    if (strstr(line, words) == NULL)
        fail_msg("no %s in \"%s\"", words, line);
}

static unsigned member(struct world *w, const char *name)
{
    unsigned c = hello(w);

    say(w, c, "session.register", name, "");
    world_hashed(w);
    want(w, c, "\"token\"");
    return c;
}

/* Log in on a new connection; its token. */
static unsigned login(struct world *w, const char *name, char token[65])
{
    unsigned c = hello(w);

    say(w, c, "session.login", name, "");
    world_hashed(w);
    world_member(world_take(w, c), "token", token, 65);
    return c;
}

/* The same where the token doesn't matter. */
static unsigned back(struct world *w, const char *name)
{
    char token[65];

    return login(w, name, token);
}

static void resume(struct world *w, unsigned c, const char *token, const char *words)
{
    struct buf b = BUF_EMPTY;

    buf_printf(&b, REQ(6, "session.resume", "{\"token\":\"%s\"}"), token);
    world_ask(w, c, buf_str(&b), words);
    buf_fini(&b);
}

/* ---- who may register ---- */

static void a_password_has_eight_characters(void **state)
{
    struct world *w = *state;
    unsigned c = hello(w);

    world_ask(w, c, REQ(1, "session.register", "{\"name\":\"Anna\",\"password\":\"1234567\"}"),
              "\"field\":\"password\"");
    world_line(w, c,
               REQ(1, "session.register",
                   "{\"name\":\"Anna\",\"password\":\"\303\251\303\251\303\251\303\251"
                   "\303\251\303\251\303\251\303\251\"}")); /* eight code points */
    assert_int_equal(w->n_jobs, 1);
    world_hashed(w);
    want(w, c, "\"token\"");
    world_ask(w, c, REQ(1, "session.password", "{\"old\":\"x\",\"new\":\"1234567\"}"),
              "\"field\":\"new\"");
}

static void closed_means_nobody(void **state)
{
    struct world *w = *state;
    unsigned c;

    member(w, "Anna");
    reconfigure(w, REGISTER_CLOSED);
    c = hello(w);
    say(w, c, "session.register", "Berta", "");
    want(w, c, "\"reason\":\"denied\"");
    say(w, c, "session.register", "Anna", ""); /* nor does it tell who is there */
    want(w, c, "\"reason\":\"denied\"");
    assert_int_equal(w->n_jobs, 0);
    say(w, c, "session.login", "Anna", ""); /* who has an account comes in */
    world_hashed(w);
    want(w, c, "\"token\"");
}

/* A code that the operator made, as the store has it. */
static void load_code(struct world *w, const char *code, const char *data)
{
    uint8_t hash[32];

    crypto_hash_sha256(hash, (const unsigned char *)code, strlen(code));
    assert_int_equal(core_load_invite(w->core, hash, data, strlen(data)), ERR_OK);
    assert_int_equal(core_load_invite(w->core, hash, data, strlen(data)), ERR_DATA);
}

#define CODE(code) ",\"invite\":\"" code "\""

static void an_invite_is_used_once(void **state)
{
    struct world *w = *state;
    unsigned a;
    unsigned b;

    reconfigure(w, REGISTER_INVITE);
    load_code(w, "letmein", "{\"uses\":1,\"until\":0,\"by\":\"op\"}");
    a = hello(w);
    b = hello(w);
    say(w, a, "session.register", "Anna", "");
    want(w, a, "\"reason\":\"denied\"");
    say(w, a, "session.register", "Anna", CODE("letmeout"));
    want(w, a, "\"reason\":\"denied\"");
    assert_int_equal(w->n_jobs, 0);
    say(w, a, "session.register", "Anna", CODE("letmein"));
    say(w, b, "session.register", "Berta", CODE("letmein")); /* at the same time: one of them */
    want(w, b, "\"reason\":\"denied\"");
    w->store = STORE_WHEN_TOLD;
    world_hashed(w);
    world_stored(w, ERR_STORAGE); /* no account, so no use either */
    want(w, a, "\"reason\":\"storage\"");
    w->store = STORE_NOW;
    buf_reset(&w->kept);
    say(w, b, "session.register", "Berta", CODE("letmein"));
    world_hashed(w);
    want(w, b, "\"token\"");
    assert_string_equal(buf_str(&w->kept), "user_put berta\ninvite_drop\ntoken_put berta\n");
    say(w, a, "session.register", "Anna", CODE("letmein"));
    want(w, a, "\"reason\":\"denied\"");
}

static void an_invite_ends_and_outlives_a_crash(void **state)
{
    struct world *w = *state;
    unsigned c;

    reconfigure(w, REGISTER_INVITE);
    load_code(w, "twice", "{\"uses\":2,\"until\":0,\"by\":\"op\"}");
    load_code(w, "today", "{\"uses\":9,\"until\":1700086400000,\"by\":\"op\"}");
    c = hello(w);
    say(w, c, "session.register", "Anna", CODE("twice"));
    world_hashed(w);
    want(w, c, "\"token\"");
    world_restart(w); /* the row with one use less was stored; `today` never was */
    c = hello(w);
    say(w, c, "session.register", "Berta", CODE("today"));
    want(w, c, "\"reason\":\"denied\"");
    say(w, c, "session.register", "Berta", CODE("twice"));
    world_hashed(w);
    want(w, c, "\"token\"");
    world_restart(w);
    load_code(w, "today", "{\"uses\":9,\"until\":1700086400000,\"by\":\"op\"}");
    c = hello(w);
    say(w, c, "session.register", "Cleo", CODE("twice"));
    want(w, c, "\"reason\":\"denied\"");
    world_wait(w, DAY_MS);
    c = hello(w);
    say(w, c, "session.register", "Cleo", CODE("today"));
    want(w, c, "\"reason\":\"denied\"");
}

static void bad_invite_rows_are_refused(void **state)
{
    static const char *const rows[] = {"", "{}", "{\"uses\":0,\"until\":0,\"by\":\"op\"}",
                                       "{\"uses\":1,\"by\":\"op\"}", "{\"uses\":1,\"until\":0}"};
    struct world *w = *state;
    const uint8_t hash[32] = {7};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(core_load_invite(w->core, hash, rows[i], strlen(rows[i])), ERR_DATA);
}

/* ---- many logins ---- */

/* Rows of tokens that the store holds. */
static unsigned tokens(const struct world *w)
{
    unsigned n = 0;

    for (size_t i = 0; i < w->n_rows; i++)
        n += w->row[i].kind == STORE_TOKEN_PUT;
    return n;
}

static void fifty_logins_over_oneself(void **state)
{
    struct world *w = *state;
    unsigned friend = world_guest(w, "Watcher");
    unsigned last = member(w, "Anna");
    unsigned seen = 0;
    char token[50][65];
    const char *line;

    world_ask(w, friend, REQ(1, "lobby.follow", "{}"), "\"online\":[");
    for (unsigned i = 0; i < 50; i++) {
        unsigned c = login(w, i % 2 == 0 ? "anna" : "ANNA", token[i]);

        world_event(w, last, CORE_EOF); /* the old one goes when the new one is there */
        last = c;
    }
    world_ask(w, friend, REQ(1, "server.info", "{}"), "\"players\":2");
    world_skip(w, friend);
    world_event(w, last, CORE_EOF);
    for (line = world_take(w, friend); line[0] != '\0'; line = world_take(w, friend)) {
        assert_non_null(strstr(line, "\"kind\":\"offline\""));
        seen++;
    }
    assert_int_equal(seen, 1);
    world_ask(w, friend, REQ(1, "server.info", "{}"), "\"players\":1");
    assert_int_equal(tokens(w), 20); /* the newest twenty logins, and no orphan */
    for (int again = 0; again < 2; again++) {
        resume(w, hello(w), token[29], "\"reason\":\"auth\"");
        world_restart(w);
    }
    resume(w, hello(w), token[49], "\"name\":\"Anna\"");
    resume(w, hello(w), token[30], "\"name\":\"Anna\"");
}

static void a_login_doesnt_outlive_its_password(void **state)
{
    struct world *w = *state;
    unsigned a = member(w, "Anna");
    unsigned b = hello(w);

    say(w, b, "session.login", "Anna", ""); /* being checked ... */
    world_line(w, a, REQ(1, "session.password", "{\"old\":\"old secret\",\"new\":\"new secret\"}"));
    world_hashed(w); /* ... and right, while the change is under way */
    want(w, b, "\"reason\":\"busy\"");
    say(w, b, "session.login", "Anna", "");
    world_hashed(w); /* the old one of the change is right */
    w->store = STORE_WHEN_TOLD;
    world_hashed(w);
    want(w, b, "\"reason\":\"busy\"");
    say(w, b, "session.login", "Anna", "");
    world_hashed(w);
    world_stored(w, ERR_OK);
    want(w, a, "\"result\":{}");
    world_hashed(w); /* checked against the old hash: right, but too late */
    assert_int_equal(w->n_txns, 0);
    want(w, b, "\"reason\":\"auth\"");
}

/* ---- stolen tokens ---- */

static void the_owner_is_told_at_the_next_login(void **state)
{
    struct world *w = *state;
    char t0[65];
    char t1[65];
    char fresh[65];
    unsigned c = member(w, "Anna");

    world_event(w, c, CORE_EOF);
    c = login(w, "Anna", t0);
    world_event(w, c, CORE_EOF);
    c = hello(w);
    resume(w, c, t0, "\"name\":\"Anna\"");
    world_event(w, c, CORE_EOF);
    c = hello(w);
    resume(w, c, t0, "\"reason\":\"auth\""); /* t1 wasn't used: only refused */
    c = login(w, "Anna", t0);
    world_skip(w, c);
    world_event(w, c, CORE_EOF);
    c = hello(w);
    {
        struct buf b = BUF_EMPTY;

        buf_printf(&b, REQ(6, "session.resume", "{\"token\":\"%s\"}"), t0);
        world_member(world_ask(w, c, buf_str(&b), "\"token\""), "token", t1, sizeof(t1));
        buf_fini(&b);
    }
    resume(w, hello(w), t1, "\"name\":\"Anna\""); /* the successor has been used */
    for (unsigned i = 0; i < w->n_conns; i++)
        if (!w->conn[i].closed)
            world_event(w, i, CORE_EOF); /* nobody is there */
    resume(w, hello(w), t0, "\"reason\":\"auth\"");
    resume(w, hello(w), t1, "\"reason\":\"auth\""); /* the whole family */
    world_restart(w);
    c = login(w, "Anna", fresh);
    want(w, c, "server.notice");
    c = login(w, "Anna", fresh);
    assert_string_equal(world_take(w, c), ""); /* once */
    world_restart(w);
    c = login(w, "Anna", fresh);
    assert_string_equal(world_take(w, c), "");
}

/* ---- vacation ---- */

/* Anna's game with Bert, three days a phase; whose turn it is. */
static unsigned mail_game(struct world *w, unsigned a, unsigned b, unsigned no)
{
    struct buf line = BUF_EMPTY;
    const char *mine;

    world_ask(w, a, MAIL, "\"no\":");
    buf_printf(&line, REQ(4, "match.join", "{\"match\":%u}"), no);
    world_ask(w, b, buf_str(&line), "\"side\":");
    buf_fini(&line);
    mine = world_ask(w, a, MINE, "\"left\":");
    return strstr(mine, "\"mine\":true") != NULL ? a : b;
}

static int64_t left_of(struct world *w, unsigned c, const char *side)
{
    char key[40];
    const char *mine = world_ask(w, c, MINE, "\"left\":{");
    const char *at;
    int64_t v;
    char digits[24] = "";

    (void)snprintf(key, sizeof(key), "\"%s\":", side);
    at = strstr(strstr(mine, "\"left\":{"), key);
    assert_non_null(at);
    at += strlen(key);
    (void)str_ncopy(digits, sizeof(digits), at, strspn(at, "0123456789"));
    assert_true(str_to_int(digits, 0, INT64_MAX, &v));
    return v;
}

static void vacation_extends_the_clocks(void **state)
{
    struct world *w = *state;
    unsigned a = member(w, "Anna");
    unsigned b = member(w, "Bert");
    const bool mine = mail_game(w, a, b, 1) == a;
    int64_t red;

    world_ask(w, a, VACATION("0"), "{\"until_ms\":0,\"days_left\":30}");
    world_ask(w, a, VACATION("31"), "\"reason\":\"denied\"");
    world_ask(w, a, VACATION("-1"), "\"field\":\"days\"");
    world_wait(w, DAY_MS);
    a = back(w, "Anna");
    b = back(w, "Bert");
    red = left_of(w, a, "red");
    assert_int_equal(red, mine ? 2 * DAY_MS : 3 * DAY_MS);
    buf_reset(&w->kept);
    world_ask(w, a, VACATION("10"), "\"days_left\":20}");
    assert_non_null(strstr(buf_str(&w->kept), "user_put anna\nmatch_set")); /* one transaction */
    assert_int_equal(left_of(w, a, "red"), red + 10 * DAY_MS);
    assert_int_equal(left_of(w, b, "red"), red + 10 * DAY_MS); /* both see it */
    world_restart(w);
    a = back(w, "Anna");
    assert_in_range(red + 10 * DAY_MS - left_of(w, a, "red"), 0, 1000); /* a crash's second */
    world_ask(w, a, VACATION("0"), "\"days_left\":20}");
    world_wait(w, 5 * DAY_MS);
    a = back(w, "Anna");
    world_ask(w, a, VACATION("20"), "\"days_left\":0}"); /* on top of what is left of it */
    world_ask(w, a, VACATION("1"), "\"reason\":\"denied\"");
    w->wall.ms += 366 * DAY_MS; /* another year, another thirty days */
    world_ask(w, a, VACATION("0"), "\"days_left\":30}");
}

static void vacation_isnt_lost_or_doubled(void **state)
{
    struct world *w = *state;
    unsigned a = member(w, "Anna");
    unsigned b = member(w, "Bert");
    int64_t red;

    mail_game(w, a, b, 1);
    red = left_of(w, a, "red");
    w->store = STORE_FAILS;
    world_ask(w, a, VACATION("10"), "\"reason\":\"storage\"");
    assert_int_equal(left_of(w, a, "red"), red);
    w->store = STORE_NOW;
    world_ask(w, a, VACATION("0"), "\"days_left\":30}");
    world_wait(w, 2000);
    world_skip(w, a);
    w->store = STORE_WHEN_TOLD;
    world_line(w, b, REQ(7, "match.offer", "{\"match\":1,\"offer\":\"draw\"}"));
    world_line(w, a, VACATION("10")); /* waits for the game's transaction */
    assert_string_equal(world_take(w, a), "");
    while (w->n_txns > 0)
        world_stored(w, ERR_OK);
    w->store = STORE_NOW;
    want(w, a, "\"days_left\":20}");
    world_skip(w, b);
    mail_game(w, a, b, 2); /* a game that begins meanwhile */
    assert_non_null(strstr(buf_str(&w->kept), "match_new first-blood"));
    assert_true(left_of(w, a, "red") > 10 * DAY_MS);
    world_ask(w, b, VACATION("0"), "{\"until_ms\":0,\"days_left\":30}");
    world_ask(w, world_guest(w, "Guest"), VACATION("0"), "\"reason\":\"denied\"");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_password_has_eight_characters),
        T(closed_means_nobody),
        T(an_invite_is_used_once),
        T(an_invite_ends_and_outlives_a_crash),
        T(bad_invite_rows_are_refused),
        T(fifty_logins_over_oneself),
        T(a_login_doesnt_outlive_its_password),
        T(the_owner_is_told_at_the_next_login),
        T(vacation_extends_the_clocks),
        T(vacation_isnt_lost_or_doubled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
