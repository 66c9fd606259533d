/* SPDX-License-Identifier: ISC
 * Clocks in simulated time, in the whole core: nothing is lost or handed out but what passes, by
 * increments, restarts, crashes (a second at most), pauses, a wall clock that jumps, both away.
 */
#include "common/base/drbg.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"
#include "tests/unit/libmatch.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO  REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define PING   REQ(2, "session.ping", "{}")
#define JOIN   REQ(4, "match.join", "{\"match\":1}")
#define SYNC   REQ(5, "match.sync", "{\"match\":1}")
#define ALL    REQ(5, "match.sync", "{\"match\":1,\"after\":0}")
#define DAY_MS INT64_C(86400000)

/* Ann (red) and Bob (blue) with a clock, their connections and what we think is left. */
struct club {
    struct world w;
    unsigned conn[2];
    char token[2][65];
    int64_t left[2], phase_ms;
    int running; /* 0, 1; -1: nobody's */
    unsigned orders;
};

static int setup(void **state)
{
    static struct club k;

    memset(&k, 0, sizeof(k));
    world_init(&k.w);
    *state = &k;
    return 0;
}

static int teardown(void **state)
{
    world_fini(&((struct club *)*state)->w);
    return 0;
}

static void log_in(struct club *k, int who)
{
    static const char *const names[] = {"Ann", "Bob"};
    struct buf b = BUF_EMPTY;
    const char *got;

    k->w.n_conns = k->w.n_conns > WORLD_CONNS - 4 ? 0 : k->w.n_conns; /* slots of the dead */
    k->conn[who] = world_connect(&k->w);
    buf_fini(&k->w.conn[k->conn[who]].out);
    (void)world_ask(&k->w, k->conn[who], HELLO, "\"limits\"");
    if (k->token[who][0] == '\0')
        buf_printf(&b, REQ(3, "session.guest", "{\"name\":\"%s\"}"), names[who]);
    else
        buf_printf(&b, REQ(3, "session.resume", "{\"token\":\"%s\"}"), k->token[who]);
    got = world_ask(&k->w, k->conn[who], buf_str(&b), "\"token\"");
    world_member(got, "token", k->token[who], 65);
    buf_fini(&b);
}

static int64_t number(const char *line, const char *after, const char *key)
{
    const char *at = strstr(line, after);
    char digits[24] = "";
    int64_t v = 0;

    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    at += strlen(key);
    (void)str_ncopy(digits, sizeof(digits), at, strspn(at, "0123456789"));
    assert_true(str_to_int(digits, 0, INT64_MAX, &v));
    return v;
}

static void read_clock(struct club *k, int64_t left[2], int *running)
{
    const char *got = world_ask(&k->w, k->conn[0], SYNC, "\"left\":{");

    left[0] = number(got, "\"left\":{", "\"red\":");
    left[1] = number(got, "\"left\":{", "\"blue\":");
    *running = -1;
    if (strstr(got, "\"running\":\"red\"") != NULL)
        *running = 0;
    if (strstr(got, "\"running\":\"blue\"") != NULL)
        *running = 1;
}

/* What the server says is what we think. */
static void agree(struct club *k)
{
    int64_t left[2];
    int running;

    read_clock(k, left, &running);
    assert_int_equal(running, k->running);
    assert_int_equal(left[0], k->left[0]);
    assert_int_equal(left[1], k->left[1]);
}

static void begin(struct club *k, const char *clock, int64_t main_ms, int64_t phase_ms)
{
    struct buf b = BUF_EMPTY;

    log_in(k, 0);
    log_in(k, 1);
    buf_printf(&b,
               REQ(6, "match.create",
                   "{\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","
                   "\"clock\":%s}"),
               clock);
    (void)world_ask(&k->w, k->conn[0], buf_str(&b), "\"no\":1");
    buf_fini(&b);
    (void)world_ask(&k->w, k->conn[1], JOIN, "\"side\":\"blue\"");
    read_clock(k, k->left, &k->running);
    assert_true(k->running >= 0);
    assert_int_equal(k->left[k->running], main_ms + phase_ms);
    assert_int_equal(k->left[1 - k->running], main_ms);
    k->phase_ms = phase_ms;
}

/* Time passes with both there. */
static void pass(struct club *k, int64_t ms)
{
    if (k->running >= 0)
        k->left[k->running] -= ms;
    while (ms > 0) {
        const int64_t step = MIN(ms, INT64_C(20000));

        world_wait(&k->w, step);
        for (int who = 0; who < 2; who++) {
            if (!k->w.conn[k->conn[who]].closed)
                (void)world_ask(&k->w, k->conn[who], PING, "time_ms");
            world_skip(&k->w, k->conn[who]);
        }
        ms -= step;
    }
}

static void end_phase(struct club *k)
{
    struct buf b = BUF_EMPTY;
    int64_t left[2];
    const char *got = world_ask(&k->w, k->conn[0], SYNC, "\"head\":");
    const long long head = (long long)number(got, "\"head\":", "\"head\":");

    buf_printf(&b,
               REQ(7, "match.order",
                   "{\"match\":1,\"order_id\":\"o%u\",\"base\":%lld,\"order\":{\"do\":"
                   "\"end_phase\"}}"),
               ++k->orders, head);
    (void)world_ask(&k->w, k->conn[k->running], buf_str(&b), "\"seq\"");
    buf_fini(&b);
    read_clock(k, left, &k->running);
    k->left[k->running] += k->phase_ms; /* whoever's phase it is now: a turn's end may repeat */
    assert_int_equal(left[0], k->left[0]);
    assert_int_equal(left[1], k->left[1]);
}

/* Down for a while, by a crash or cleanly, and both come back. What a crash cost. */
static int64_t restart(struct club *k, bool crash, int64_t down_ms, int64_t wall_jump_ms)
{
    int64_t left[2];
    int64_t cost = 0;
    int running;

    if (!crash) {
        world_stop(&k->w);
        k->w.stopped = false;
    }
    k->w.now.ms += down_ms;
    k->w.wall.ms += down_ms + wall_jump_ms;
    world_restart(&k->w);
    log_in(k, 0);
    log_in(k, 1);
    read_clock(k, left, &running);
    assert_int_equal(running, k->running);
    for (int i = 0; i < 2; i++) {
        cost += k->left[i] - left[i];
        assert_in_range(k->left[i] - left[i], 0, crash && i == running ? 1000 : 0);
        k->left[i] = left[i];
    }
    return cost;
}

static void nothing_is_lost_or_handed_out(void **state)
{
    struct club *k = *state;
    const uint8_t seed[32] = {4};
    struct drbg rng;
    int64_t cost = 0, passed = 0, given;
    unsigned crashes = 0;
    int64_t sum;

    drbg_init(&rng, seed);
    begin(k, "{\"kind\":\"live\",\"main_s\":36000,\"phase_s\":7}", 36000000, 7000);
    sum = k->left[0] + k->left[1];
    for (unsigned i = 0; i < 60; i++) {
        const int64_t ms = drbg_below(&rng, 40000);
        const uint32_t what = drbg_below(&rng, 4);

        pass(k, ms);
        passed += ms;
        agree(k);
        if (what < 2)
            end_phase(k);
        else
            cost += restart(k, what == 2, drbg_below(&rng, 2000000000),
                            i % 2 == 0 ? 365 * DAY_MS : -365 * DAY_MS);
        crashes += what == 2;
    }
    assert_true(crashes > 5 && k->orders > 10);
    given = (int64_t)k->orders * k->phase_ms;
    assert_int_equal(k->left[0] + k->left[1], sum + given - passed - cost);
    assert_true(cost <= (int64_t)crashes * 1000);
}

/* The flag falls in the very millisecond, in whatever phase, whoever is there. */
static void falls_on_time(struct club *k, unsigned phases, bool away)
{
    struct buf over = BUF_EMPTY;
    int64_t at;
    int loser;

    begin(k, "{\"kind\":\"live\",\"main_s\":300,\"phase_s\":5}", 300000, 5000);
    for (unsigned i = 0; i < phases; i++) {
        pass(k, 1700);
        end_phase(k);
    }
    loser = k->running;
    if (away) {
        world_event(&k->w, k->conn[0], CORE_EOF);
        world_event(&k->w, k->conn[1], CORE_EOF);
    }
    pass(k, k->left[loser] - 1);
    log_in(k, 0);
    assert_null(strstr(world_ask(&k->w, k->conn[0], ALL, "\"events\""), "\"kind\":\"over\""));
    at = k->w.wall.ms + 1;
    world_wait(&k->w, 1);
    buf_printf(&over, "\"ts\":%lld,\"kind\":\"over\",\"winner\":\"%s\",\"reason\":\"time\"",
               (long long)at, loser == 0 ? "blue" : "red");
    (void)world_ask(&k->w, k->conn[0], ALL, buf_str(&over));
    buf_fini(&over);
}

static void falls_in_every_phase(void **unused)
{
    (void)unused;
    for (unsigned phases = 0; phases < 9; phases++) {
        void *one = NULL;

        (void)setup(&one);
        falls_on_time(one, phases, phases % 2 == 1);
        (void)teardown(&one);
    }
}

static void agree_pause(struct club *k, int by)
{
    struct buf b = BUF_EMPTY;
    const char *got =
        world_ask(&k->w, k->conn[by], REQ(8, "match.offer", "{\"match\":1,\"offer\":\"pause\"}"),
                  "\"offer_id\":");

    buf_printf(&b, REQ(9, "match.answer", "{\"match\":1,\"offer_id\":%lld,\"accept\":true}"),
               (long long)number(got, "\"offer_id\":", "\"offer_id\":"));
    (void)world_ask(&k->w, k->conn[1 - by], buf_str(&b), "\"result\":{}");
    buf_fini(&b);
}

static void a_pause_outlives_restarts(void **state)
{
    struct club *k = *state;
    int was;

    begin(k, "{\"kind\":\"live\",\"main_s\":300,\"phase_s\":5}", 300000, 5000);
    pass(k, 12345);
    was = k->running;
    agree_pause(k, 0);
    k->running = -1;
    agree(k);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(restart(k, i != 1, 5 * DAY_MS, i == 2 ? -365 * DAY_MS : 365 * DAY_MS), 0);
        agree(k);
        pass(k, 600000);
        agree(k);
    }
    world_wait(&k->w, 2 * DAY_MS); /* nobody comes; a guest without a seat would be forgotten */
    log_in(k, 0);
    log_in(k, 1);
    agree(k);
    agree_pause(k, 1);
    k->running = was;
    agree(k);
    pass(k, 1000);
    agree(k);
}

/* Four times `ms` pass, with a stop or a crash behind each, and a wall clock that jumps. */
static void days_pass(struct club *k, int64_t ms)
{
    for (int i = 0; i < 4; i++) {
        world_wait(&k->w, ms);
        k->left[k->running] -= ms;
        (void)restart(k, i % 2 == 0, 40 * DAY_MS, i < 2 ? 365 * DAY_MS : -365 * DAY_MS);
    }
}

/* 25 days are more milliseconds than 31 bits hold, for the first three and a half hours. */
static void many_days_run(void **state)
{
    struct club *k = *state;

    begin(k, "{\"kind\":\"correspondence\",\"days\":25}", 25 * DAY_MS, 0);
    days_pass(k, DAY_MS / 20);
    agree(k);
    assert_true(k->left[k->running] < INT32_MAX);
}

static void days_run_by_served_time(void **state)
{
    struct club *k = *state;

    begin(k, "{\"kind\":\"correspondence\",\"days\":2}", 2 * DAY_MS, 0);
    days_pass(k, DAY_MS / 8);
    agree(k);
    world_wait(&k->w, k->left[k->running] - 1);
    log_in(k, 0);
    k->left[k->running] = 1;
    agree(k);
    world_wait(&k->w, 1);
    log_in(k, 1);
    (void)world_ask(&k->w, k->conn[1], ALL, "\"reason\":\"time\"");
}

/* ---- the referee alone: in open rolls, with strict dice ---- */

static void give_end(struct table *t)
{
    static const struct rules_order end = {
        .kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    struct buf id = BUF_EMPTY;

    buf_printf(&id, "e%u", ++t->orders);
    assert_int_equal(table_order(t, table_active(t), buf_str(&id), match_head(t->m), &end), ERR_OK);
    buf_fini(&id);
}

/* In the roll that the k-th order opens, the actor gives no share, or the other doesn't. */
static void falls_in_a_roll(unsigned k, bool actor)
{
    struct match_clock c;
    enum rules_side loser;
    struct match *again;
    struct table t;
    enum role me;

    table_init(&t, "first-blood");
    t.setup.fair = FAIR_STRICT;
    t.setup.clock = (struct clock_rule){CLOCK_LIVE, 100, 3, 0};
    table_open(&t);
    table_start(&t);
    for (unsigned i = 0; i < k; i++) {
        give_end(&t);
        table_shares(&t);
    }
    do {
        me = table_active(&t);
        give_end(&t);
        table_clear(&t);
    } while (match_owes(t.m, me) != OWES_SHARE);
    if (!actor)
        assert_int_equal(table_share(&t, me), ERR_OK);
    assert_true(match_clock_at(t.m, t.now, &c));
    loser = c.running;
    assert_int_equal(loser == match_side(t.m, me), actor);
    table_wait(&t, c.left_ms[loser] - 1);
    again = table_load(&t); /* a crash doesn't change it */
    match_free(t.m);
    t.m = again;
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    table_wait(&t, 1);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_TIME);
    assert_int_equal(match_position(t.m)->winner, rules_enemy(loser));
    table_fini(&t);
}

static void falls_in_open_rolls(void **unused)
{
    (void)unused;
    for (unsigned k = 0; k < 6; k++) {
        falls_in_a_roll(k, true);
        falls_in_a_roll(k, false);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(nothing_is_lost_or_handed_out), cmocka_unit_test(falls_in_every_phase),
        T(a_pause_outlives_restarts),     T(many_days_run),
        T(days_run_by_served_time),       cmocka_unit_test(falls_in_open_rolls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
