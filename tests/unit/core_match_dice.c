/* SPDX-License-Identifier: ISC
 * core_match_dice.c -- the referee with shares (DICE): set-up, strict, normal, absence, anchoring
 * anew, a restored server.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

static void open_fair(struct table *t, enum fair fair)
{
    table_init(t, "first-blood");
    t->setup.fair = (uint8_t)fair;
    table_open(t);
}

/* Whoever's phase it is gives an order that wants dice. Returns its seq. */
static uint32_t order_dice(struct table *t)
{
    struct rules_order o = {.kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    struct match_request r;

    while (!match_request(t->m, &r)) {
        struct buf id = BUF_EMPTY;

        buf_puts(&id, "d");
        buf_put_int(&id, ++t->orders);
        assert_int_equal(table_order(t, table_active(t), buf_str(&id), match_head(t->m), &o),
                         ERR_OK);
        buf_fini(&id);
    }
    return r.seq;
}

static enum role other(enum role r)
{
    return r == ROLE_A ? ROLE_B : ROLE_A;
}

static enum err give(struct table *t, enum role role, int64_t roll, const uint8_t x[FD1_LEN])
{
    struct match_share s = {.roll = roll};

    memcpy(s.share, x, FD1_LEN);
    match_step_fini(&t->st);
    return table_end(t, match_share(t->m, role, &s, t->now, &t->st));
}

static void set_up_needs_all(void **unused)
{
    struct table t;
    struct match_request r;
    uint8_t x[FD1_LEN] = {1};

    (void)unused;
    open_fair(&t, FAIR_STRICT);
    assert_int_equal(table_anchor(&t, ROLE_A, 0), ERR_OK); /* before anybody joins */
    assert_int_equal(table_join(&t), ERR_OK);
    assert_false(match_request(t.m, &r));
    assert_int_equal(match_owes(t.m, ROLE_B), OWES_ANCHOR);
    assert_int_equal(give(&t, ROLE_A, 1, x), ERR_PHASE);
    table_clear(&t);
    assert_int_equal(table_anchor(&t, ROLE_B, 0), ERR_OK);
    assert_int_equal(t.sum.ask, 1U << ROLE_A | 1U << ROLE_B);
    assert_true(match_request(t.m, &r));
    assert_int_equal(r.n, 1);
    assert_int_equal(r.seq, 0);
    assert_memory_equal(r.hash, match_hash(t.m), FD1_LEN);
    assert_int_equal(give(&t, ROLE_A, 1, x), ERR_DICE); /* no link of that chain */
    assert_int_equal(give(&t, ROLE_A, 2, x), ERR_PHASE);
    assert_int_equal(table_share(&t, ROLE_B), ERR_OK);
    assert_int_equal(match_state(t.m), MATCH_SETUP);
    match_free(table_load(&t));                        /* the share with it */
    assert_int_equal(table_share(&t, ROLE_B), ERR_OK); /* the same again */
    assert_int_equal(t.st.n, 0);
    assert_int_equal(give(&t, ROLE_B, 1, x), ERR_DICE);
    assert_int_equal(table_share(&t, ROLE_A), ERR_OK);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    assert_non_null(strstr(table_line(&t, 5), "\"kind\":\"roll\",\"n\":1,\"for\":0,\"flags\":3"));
    assert_false(t.shelf.has_share[ROLE_A]);
    assert_int_equal(give(&t, ROLE_A, 1, x), ERR_PHASE);
    match_free(table_load(&t));
    table_fini(&t);
}

static void anchors_are_for_ever(void **unused)
{
    struct table t;
    struct match_anchor a = {.generation = 0};

    (void)unused;
    open_fair(&t, FAIR_STRICT);
    assert_int_equal(table_anchor(&t, ROLE_A, 0), ERR_OK);
    memcpy(a.anchor, fd1_chain_anchor(&t.chain[ROLE_A]), FD1_LEN);
    assert_int_equal(table_end(&t, match_anchor(t.m, ROLE_A, &a, t.now, &t.st)), ERR_OK);
    assert_int_equal(t.st.n, 0);
    assert_int_equal(table_anchor(&t, ROLE_A, 2), ERR_PHASE);
    assert_int_equal(table_anchor(&t, ROLE_A, 1), ERR_OK); /* a lost device before the start */
    assert_int_equal(table_end(&t, match_anchor(t.m, ROLE_A, &a, t.now, &t.st)), ERR_OK);
    a.anchor[0] ^= 1;
    assert_int_equal(table_end(&t, match_anchor(t.m, ROLE_A, &a, t.now, &t.st)), ERR_CONFLICT);
    assert_int_equal(match_generation(t.m, ROLE_A), 1);
    assert_int_equal(table_join(&t), ERR_OK);
    assert_int_equal(table_anchor(&t, ROLE_B, 0), ERR_OK);
    table_shares(&t);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    table_fini(&t);
}

static void setup_runs_out(void **unused)
{
    struct table t;

    (void)unused;
    open_fair(&t, FAIR_STRICT);
    table_wait(&t, INT64_C(40) * 86400000); /* an open match waits */
    assert_int_equal(match_state(t.m), MATCH_OPEN);
    assert_int_equal(table_anchor(&t, ROLE_A, 0), ERR_OK);
    assert_int_equal(table_join(&t), ERR_OK);
    table_wait(&t, 119999);
    assert_int_equal(match_state(t.m), MATCH_SETUP);
    table_clear(&t);
    table_wait(&t, 1);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(t.sum.owed, 1U << ROLE_B);
    assert_int_equal(table_anchor(&t, ROLE_B, 0), ERR_PHASE);
    match_free(table_load(&t));
    table_fini(&t);
}

static void strict_waits_for_both(void **unused)
{
    struct table t;
    struct rules_order o;
    uint32_t seq;
    enum role me;

    (void)unused;
    open_fair(&t, FAIR_STRICT);
    table_start(&t);
    seq = order_dice(&t);
    me = table_active(&t);
    assert_int_equal(match_head(t.m), seq);
    assert_int_equal(match_owes(t.m, me), OWES_SHARE);
    assert_int_equal(match_owes(t.m, other(me)), OWES_SHARE);
    table_any(&t, &o);
    assert_int_equal(table_order(&t, me, "no", seq, &o), ERR_PHASE);
    assert_int_equal(table_share(&t, me), ERR_OK);
    match_seen(t.m, other(me), false, t.now);
    table_wait(&t, INT64_C(3600000)); /* offline or not */
    assert_non_null(strstr(table_line(&t, match_head(t.m)), "\"presence\""));
    match_free(table_load(&t));
    assert_int_equal(table_share(&t, other(me)), ERR_OK);
    assert_non_null(strstr(table_line(&t, seq + 2), "\"kind\":\"roll\",\"n\":2"));
    assert_non_null(strstr(table_line(&t, seq + 2), "\"flags\":3"));
    table_fini(&t);
}

static void normal_marks_absent(void **unused)
{
    struct table t;
    struct match_request r;
    uint32_t seq;
    enum role me;
    uint8_t x[FD1_LEN] = {0};

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    seq = order_dice(&t);
    me = table_active(&t);
    match_seen(t.m, other(me), false, t.now);
    table_next(&t);
    assert_int_equal(match_head(t.m), seq); /* the actor's is mandatory, and first */
    assert_int_equal(table_share(&t, me), ERR_OK);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"kind\":\"absent\""));
    assert_non_null(strstr(table_line(&t, seq + 2), me == ROLE_A ? "\"flags\":1" : "\"flags\":2"));
    assert_int_equal(give(&t, other(me), 2, x), ERR_PHASE); /* too late */
    assert_false(match_request(t.m, &r));
    match_free(table_load(&t));
    /* back: its next link is some steps further down the chain */
    match_seen(t.m, other(me), true, t.now);
    seq = order_dice(&t);
    table_shares(&t);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"flags\":3"));
    table_fini(&t);
}

static void normal_counts_ten_seconds(void **unused)
{
    struct table t;
    uint32_t seq;
    enum role me;

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    seq = order_dice(&t);
    me = table_active(&t);
    table_wait(&t, 5000);
    match_asked(t.m, other(me), t.now); /* asked again, at a sync */
    assert_int_equal(table_share(&t, me), ERR_OK);
    table_wait(&t, 9999);
    assert_int_equal(match_head(t.m), seq);
    table_wait(&t, 1);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"kind\":\"absent\""));
    assert_true(match_head(t.m) > seq + 1);
    table_fini(&t);
}

/* A share that was acknowledged is never absent, whatever its giver's connection does. */
static void acknowledged_is_present(void **unused)
{
    struct table t;
    uint32_t seq;
    enum role me;

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    seq = order_dice(&t);
    me = table_active(&t);
    assert_int_equal(table_share(&t, other(me)), ERR_OK);
    match_seen(t.m, other(me), false, t.now);
    table_wait(&t, 14000);
    assert_int_equal(match_head(t.m), seq);
    assert_int_equal(table_share(&t, me), ERR_OK);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"flags\":3"));
    table_fini(&t);
}

/* After a server start nobody counts as gone before ten seconds have passed. */
static void start_gives_ten_seconds(void **unused)
{
    struct table t;
    struct match *again;
    struct match_step st = {0};
    uint32_t seq;

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    seq = order_dice(&t);
    assert_int_equal(table_share(&t, table_active(&t)), ERR_OK);
    again = table_load(&t);
    assert_false(match_next(again, t.now, &st));
    t.now.served.ms += 9999;
    assert_false(match_next(again, t.now, &st));
    t.now.served.ms += 1;
    assert_true(match_next(again, t.now, &st));
    assert_int_equal(st.op[0].kind, STORE_ENTRIES);
    assert_non_null(strstr(st.op[0].data, "\"kind\":\"absent\""));
    assert_int_equal(match_head(again), seq);
    match_step_fini(&st);
    match_free(again);
    table_fini(&t);
}

static void lost_device(void **unused)
{
    struct table t;
    struct match_request r;
    struct rules_order o;
    uint32_t at;

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    (void)order_dice(&t);
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_PHASE); /* a roll is open */
    table_fini(&t);

    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    table_clear(&t);
    at = match_head(t.m);
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_OK);
    assert_int_equal(t.sum.ask, 1U << ROLE_A | 1U << ROLE_B);
    assert_true(match_request(t.m, &r));
    assert_int_equal(r.n, 2);
    assert_int_equal(r.seq, 0);
    table_any(&t, &o);
    assert_int_equal(table_order(&t, table_active(&t), "no", at, &o), ERR_PHASE);
    match_free(table_load(&t));
    table_shares(&t);
    assert_string_equal(strstr(table_line(&t, at + 2), "\"dice\""), "\"dice\":[]}");
    match_free(table_load(&t));
    for (unsigned i = 0; i < 40; i++)
        table_play(&t);
    match_free(table_load(&t));
    table_fini(&t);
}

/* A restore from backup: another master key, and the match as the backup has it. */
static void restored_server(void **unused)
{
    struct table t;
    uint32_t seq;
    enum role me;

    (void)unused;
    open_fair(&t, FAIR_STRICT);
    table_start(&t);
    seq = order_dice(&t);
    me = table_active(&t);
    assert_int_equal(table_share(&t, me), ERR_OK);
    match_free(t.m);
    t.env.kid = 2;
    t.env.master[0] ^= 1;
    {
        char why[PLAY_WHY_LEN] = "";

        t.m = NULL;
        assert_int_equal(table_try_load(&t, &t.m, why), ERR_OK);
    }
    match_seen(t.m, ROLE_A, true, t.now);
    match_seen(t.m, ROLE_B, true, t.now);
    assert_int_equal(match_deadline(t.m).ms, 0);
    table_next(&t);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"kind\":\"undo\",\"undone\":"));
    assert_non_null(strstr(table_line(&t, seq + 2), "\"role\":\"S\",\"generation\":1"));
    assert_int_equal(match_head(t.m), seq + 2);
    assert_false(t.shelf.has_share[me]);
    assert_int_equal(match_owes(t.m, ROLE_A), OWES_ANCHOR);
    assert_int_equal(match_owes(t.m, ROLE_B), OWES_ANCHOR);
    match_free(table_load(&t));
    assert_int_equal(table_anchor(&t, ROLE_A, 1), ERR_OK);
    assert_int_equal(match_owes(t.m, ROLE_A), OWES_NOTHING);
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_OK);
    table_shares(&t);
    assert_non_null(strstr(table_line(&t, match_head(t.m)), "\"kind\":\"roll\",\"n\":2,\"for\":0"));
    assert_int_equal(match_owes(t.m, me), OWES_ORDER);
    match_free(table_load(&t));
    for (unsigned i = 0; i < 30; i++)
        table_play(&t);
    match_free(table_load(&t));
    table_fini(&t);
}

/* Spend rolls by agreement until the chains end; then all anchor anew, and dice go on (D8). */
static void used_up_chains(void **unused)
{
    struct table t;
    struct match_request r;
    uint32_t n = 1;

    (void)unused;
    open_fair(&t, FAIR_NORMAL);
    table_start(&t);
    while (n < FD1_CHAIN_LEN) {
        struct match_answer a = {.accept = true};
        enum role giver;

        (void)order_dice(&t);
        giver = table_active(&t);
        table_shares(&t);
        n++;
        assert_int_equal(match_state(t.m), MATCH_LIVE);
        if (n == FD1_CHAIN_LEN)
            break;
        match_step_fini(&t.st);
        assert_int_equal(table_end(&t, match_offer(t.m, giver, OFFER_UNDO, t.now, &t.st)), ERR_OK);
        a.offer_id = t.st.offer_id;
        match_step_fini(&t.st);
        assert_int_equal(table_end(&t, match_answer(t.m, other(giver), &a, t.now, &t.st)), ERR_OK);
    }
    assert_int_equal(match_owes(t.m, ROLE_A), OWES_ANCHOR);
    assert_int_equal(match_owes(t.m, ROLE_B), OWES_ANCHOR);
    assert_int_equal(match_generation(t.m, ROLE_S), 1); /* the server's is there at once */
    assert_false(match_request(t.m, &r));
    match_free(table_load(&t));
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_OK);
    assert_int_equal(table_anchor(&t, ROLE_A, 1), ERR_OK);
    assert_true(match_request(t.m, &r));
    assert_int_equal(r.n, FD1_CHAIN_LEN + 1);
    assert_int_equal(r.seq, 0);
    table_shares(&t);
    (void)order_dice(&t);
    table_shares(&t);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    match_free(table_load(&t));
    table_fini(&t);
}

/* All three modes, every seq: what recovery makes is what was there. */
static void recovers_everywhere(void **state)
{
    static const enum fair modes[] = {FAIR_STRICT, FAIR_NORMAL, FAIR_SERVER};
    struct table t;
    const enum fair fair = modes[*(const int *)*state];

    open_fair(&t, fair);
    match_free(table_load(&t));
    table_start(&t);
    for (unsigned i = 0; i < 120 && match_state(t.m) == MATCH_LIVE; i++) {
        struct match *again;
        struct match_request r;

        t.hold = true;
        table_play(&t);
        table_store(&t);
        again = table_load(&t);
        match_free(t.m); /* and goes on as the recovered one */
        t.m = again;
        match_seen(t.m, ROLE_A, true, t.now);
        match_seen(t.m, ROLE_B, true, t.now);
        t.hold = false;
        table_next(&t);
        while (match_request(t.m, &r))
            table_shares(&t);
        table_wait(&t, 1000);
    }
    assert_true(t.shelf.snaps > 0);
    table_fini(&t);
}

int main(void)
{
    static int strict = 0, normal = 1, server = 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_up_needs_all),
        cmocka_unit_test(anchors_are_for_ever),
        cmocka_unit_test(setup_runs_out),
        cmocka_unit_test(strict_waits_for_both),
        cmocka_unit_test(normal_marks_absent),
        cmocka_unit_test(normal_counts_ten_seconds),
        cmocka_unit_test(acknowledged_is_present),
        cmocka_unit_test(start_gives_ten_seconds),
        cmocka_unit_test(lost_device),
        cmocka_unit_test(restored_server),
        cmocka_unit_test(used_up_chains),
        cmocka_unit_test_prestate(recovers_everywhere, &strict),
        cmocka_unit_test_prestate(recovers_everywhere, &normal),
        cmocka_unit_test_prestate(recovers_everywhere, &server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
