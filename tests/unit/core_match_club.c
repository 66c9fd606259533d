/* SPDX-License-Identifier: ISC
 * core_match_club.c -- the referee's clocks in simulated time, presence and claims, offers, the
 * umpire, and databases that lie.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

#define DAY INT64_C(86400000)

static const struct rules_order end_phase = {
    .kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
static const struct rules_order undo = {
    .kind = RULES_DO_UNDO, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};

static void start(struct table *t, enum fair fair, struct clock_rule clock)
{
    table_init(t, "first-blood");
    t->setup.fair = (uint8_t)fair;
    t->setup.clock = clock;
    table_open(t);
    table_start(t);
}

static const struct clock_rule none = {CLOCK_NONE, 0, 0, 0};
static const struct clock_rule live = {CLOCK_LIVE, 60, 5, 0};
static const struct clock_rule mail = {CLOCK_CORRESPONDENCE, 0, 0, 3};

static enum role other(enum role r)
{
    return r == ROLE_A ? ROLE_B : ROLE_A;
}

static enum err give(struct table *t, const struct rules_order *o)
{
    struct buf id = BUF_EMPTY;
    enum err e;

    buf_puts(&id, "g");
    buf_put_int(&id, ++t->orders);
    e = table_order(t, table_active(t), buf_str(&id), match_head(t->m), o);
    buf_fini(&id);
    return e;
}

static int64_t left(struct table *t, enum role role)
{
    struct match_clock c;

    assert_true(match_clock_at(t->m, t->now, &c));
    return c.left_ms[match_side(t->m, role)];
}

static enum role running(struct table *t)
{
    struct match_clock c;

    assert_true(match_clock_at(t->m, t->now, &c));
    return c.running == RULES_NOBODY ? ROLE_COUNT : match_role_of_side(t->m, c.running);
}

static enum err offer(struct table *t, enum role role, enum offer_kind kind)
{
    match_step_fini(&t->st);
    return table_end(t, match_offer(t->m, role, kind, t->now, &t->st));
}

static enum err answer(struct table *t, enum role role, uint32_t id, bool accept)
{
    const struct match_answer a = {id, accept};

    match_step_fini(&t->st);
    return table_end(t, match_answer(t->m, role, &a, t->now, &t->st));
}

static enum err claim(struct table *t, enum role role)
{
    match_step_fini(&t->st);
    return table_end(t, match_claim(t->m, role, t->now, &t->st));
}

/* ---- clocks ---- */

static void clock_runs_for_the_active(void **unused)
{
    struct table t;
    enum role me;

    (void)unused;
    start(&t, FAIR_SERVER, live);
    me = table_active(&t);
    assert_int_equal(running(&t), me);
    assert_int_equal(left(&t, me), 65000); /* 60 s and the phase's 5 */
    assert_int_equal(left(&t, other(me)), 60000);
    table_wait(&t, 20000);
    assert_int_equal(left(&t, me), 45000);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    assert_non_null(strstr(table_line(&t, t.st.seq), "\"left\":{"));
    assert_non_null(strstr(table_line(&t, t.st.seq), ":45000"));
    assert_int_equal(running(&t), other(me));
    assert_int_equal(left(&t, other(me)), 65000);
    table_wait(&t, 10000);
    assert_int_equal(left(&t, me), 45000);
    assert_int_equal(left(&t, other(me)), 55000);
    match_free(table_load(&t));
    table_fini(&t);
}

static void flag_falls_at_once(void **unused)
{
    struct table t;
    struct rules_order o;
    enum role me;

    (void)unused;
    start(&t, FAIR_SERVER, live);
    me = table_active(&t);
    assert_int_equal(match_deadline(t.m).ms, t.now.served.ms + 65000);
    table_wait(&t, 64999);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    t.now.served.ms += 1; /* an order comes with the fall, before the referee was called */
    assert_true(table_move(&t, &o));
    t.hold = true;
    assert_int_equal(give(&t, &o), ERR_PHASE);
    t.hold = false;
    table_next(&t);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_TIME);
    assert_int_equal(match_position(t.m)->winner, match_side(t.m, other(me)));
    assert_int_equal(left(&t, me), 0);
    match_free(table_load(&t));
    table_fini(&t);
}

/* The clock runs for who owes the share: the actor first, then the other. */
static void open_roll_runs_for_who_owes(void **unused)
{
    struct table t;
    enum role me;

    (void)unused;
    start(&t, FAIR_STRICT, live);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    me = table_active(&t);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    assert_int_equal(running(&t), me);
    table_wait(&t, 3000);
    assert_int_equal(left(&t, me), 62000);
    assert_int_equal(table_share(&t, me), ERR_OK);
    assert_int_equal(running(&t), other(me));
    match_free(table_load(&t));
    table_wait(&t, 7000);
    assert_int_equal(left(&t, me), 62000);
    match_free(table_load(&t));
    table_wait(&t, 65000);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(match_position(t.m)->winner, match_side(t.m, me));
    match_free(table_load(&t));
    table_fini(&t);
}

/* All that runs off one clock or the other is the time that passed; a stop costs nothing. */
static void time_is_conserved(void **unused)
{
    const struct clock_rule hour = {CLOCK_LIVE, 3600, 0, 0};
    struct table t;
    int64_t passed = 0;

    (void)unused;
    start(&t, FAIR_SERVER, hour);
    for (unsigned i = 0; i < 200 && match_state(t.m) == MATCH_LIVE; i++) {
        const int64_t step = drbg_below(&t.random, 9000);

        table_wait(&t, step);
        passed += step;
        assert_int_equal(left(&t, ROLE_A) + left(&t, ROLE_B), 7200000 - passed);
        t.now.wall.ms += i % 3 == 0 ? 365 * DAY : -365 * DAY; /* means nothing */
        if (i % 5 == 0) {
            struct match *again = table_load(&t); /* down for a while: served time stands */

            match_free(t.m);
            t.m = again;
            assert_int_equal(left(&t, ROLE_A) + left(&t, ROLE_B), 7200000 - passed);
        }
        table_play(&t);
    }
    table_fini(&t);
}

static void days_are_a_phase(void **unused)
{
    struct table t;
    enum role me;

    (void)unused;
    start(&t, FAIR_NORMAL, mail);
    me = table_active(&t);
    assert_int_equal(left(&t, me), 3 * DAY);
    table_wait(&t, 2 * DAY);
    assert_int_equal(left(&t, me), DAY);
    match_step_fini(&t.st);
    assert_int_equal(
        table_end(&t, match_extend(t.m, me, mono_after(t.now.served, 2 * DAY), t.now, &t.st)),
        ERR_OK);
    assert_int_equal(left(&t, me), 3 * DAY);
    match_free(table_load(&t));
    table_wait(&t, 2 * DAY);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    assert_int_equal(left(&t, other(me)), 3 * DAY);
    assert_int_equal(claim(&t, me), ERR_PHASE);
    table_wait(&t, 3 * DAY);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_TIME);
    table_fini(&t);
}

static void ninety_days_end_it(void **unused)
{
    struct table t;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    table_wait(&t, 80 * DAY);
    table_play(&t);
    table_wait(&t, 90 * DAY - 1);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    table_wait(&t, 1);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_ABANDON);
    assert_int_equal(match_position(t.m)->winner, RULES_NOBODY);
    match_free(table_load(&t));
    table_fini(&t);
}

/* ---- presence, claims ---- */

static void presence_is_kept(void **unused)
{
    struct table t;
    uint32_t head;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    head = match_head(t.m);
    match_seen(t.m, ROLE_B, false, t.now);
    table_wait(&t, 14999);
    match_seen(t.m, ROLE_B, true, t.now); /* a blink is nobody's business */
    table_wait(&t, 60000);
    assert_int_equal(match_head(t.m), head);
    match_seen(t.m, ROLE_B, false, t.now);
    table_wait(&t, 15000);
    assert_non_null(strstr(table_line(&t, head + 1), "\"kind\":\"presence\""));
    assert_non_null(strstr(table_line(&t, head + 1), "\"online\":false"));
    match_seen(t.m, ROLE_B, true, t.now);
    table_next(&t);
    assert_non_null(strstr(table_line(&t, head + 2), "\"online\":true"));
    match_free(table_load(&t));
    table_fini(&t);
}

static void claim_after_absence(void **unused)
{
    struct table t;
    enum role me, waiting;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    me = table_active(&t);
    waiting = other(me);
    assert_int_equal(claim(&t, me), ERR_PHASE); /* waits for itself */
    assert_int_equal(claim(&t, waiting), ERR_PHASE);
    assert_int_equal(t.st.no.retry_ms, 30 * DAY);
    table_wait(&t, 1000000);
    match_seen(t.m, me, false, t.now);
    table_wait(&t, 119000);
    assert_int_equal(claim(&t, waiting), ERR_PHASE);
    assert_int_equal(t.st.no.retry_ms, 1000);
    table_wait(&t, 1000);
    assert_int_equal(claim(&t, waiting), ERR_OK);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_ABANDON);
    assert_int_equal(match_position(t.m)->winner, match_side(t.m, waiting));
    match_free(table_load(&t));
    table_fini(&t);

    start(&t, FAIR_SERVER, none); /* there, but thirty days without an order */
    waiting = other(table_active(&t));
    table_wait(&t, 30 * DAY);
    assert_int_equal(claim(&t, waiting), ERR_OK);
    table_fini(&t);
}

/* ---- offers ---- */

static void draw_by_agreement(void **unused)
{
    struct table t;
    struct rules_order o;
    enum role me;
    uint32_t id;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    me = table_active(&t);
    assert_int_equal(offer(&t, me, OFFER_DRAW), ERR_OK);
    id = t.st.offer_id;
    assert_int_equal(offer(&t, me, OFFER_DRAW), ERR_OK);
    assert_int_equal(t.st.offer_id, id);
    assert_int_equal(t.st.n, 0);
    assert_int_equal(answer(&t, me, id, true), ERR_DENIED);
    assert_int_equal(answer(&t, other(me), id + 1, true), ERR_NOT_FOUND);
    assert_int_equal(answer(&t, other(me), 0, true), ERR_NOT_FOUND);
    match_free(table_load(&t));
    assert_true(table_move(&t, &o));
    assert_int_equal(give(&t, &o), ERR_OK); /* another position: the offer is dead */
    assert_int_equal(answer(&t, other(me), id, true), ERR_STALE);
    assert_int_equal(offer(&t, me, OFFER_DRAW), ERR_OK);
    assert_int_not_equal(t.st.offer_id, id);
    id = t.st.offer_id;
    assert_int_equal(answer(&t, other(me), id, false), ERR_OK);
    assert_int_equal(answer(&t, other(me), id, true), ERR_STALE);
    assert_int_equal(offer(&t, other(me), OFFER_DRAW), ERR_OK);
    assert_int_equal(answer(&t, me, t.st.offer_id, true), ERR_OK);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_DRAW);
    match_free(table_load(&t));
    table_fini(&t);
}

static void pause_and_on(void **unused)
{
    struct table t;
    struct rules_order o;
    struct match *again;
    enum role me;

    (void)unused;
    start(&t, FAIR_SERVER, live);
    me = table_active(&t);
    assert_true(table_move(&t, &o));
    table_wait(&t, 5000);
    assert_int_equal(offer(&t, other(me), OFFER_PAUSE), ERR_OK);
    assert_int_equal(answer(&t, me, t.st.offer_id, true), ERR_OK);
    assert_true(match_is_paused(t.m));
    assert_int_equal(running(&t), ROLE_COUNT);
    assert_int_equal(give(&t, &o), ERR_PHASE);
    table_wait(&t, 30 * DAY);
    assert_int_equal(left(&t, me), 60000);
    again = table_load(&t);
    match_free(t.m);
    t.m = again;
    match_seen(t.m, ROLE_A, true, t.now);
    match_seen(t.m, ROLE_B, true, t.now);
    assert_int_equal(offer(&t, me, OFFER_PAUSE), ERR_OK); /* to go on */
    assert_int_equal(answer(&t, other(me), t.st.offer_id, true), ERR_OK);
    assert_non_null(strstr(table_line(&t, match_head(t.m)), "\"kind\":\"resume\""));
    assert_int_equal(running(&t), me);
    assert_int_equal(left(&t, me), 60000);
    assert_int_equal(give(&t, &o), ERR_OK);
    match_free(table_load(&t));
    table_fini(&t);
}

static void pause_waits_for_the_roll(void **unused)
{
    struct table t;
    enum role me;
    uint32_t id;

    (void)unused;
    start(&t, FAIR_STRICT, live);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    me = table_active(&t);
    assert_int_equal(give(&t, &end_phase), ERR_OK);
    assert_int_equal(offer(&t, me, OFFER_PAUSE), ERR_OK);
    id = t.st.offer_id;
    assert_int_equal(answer(&t, other(me), id, true), ERR_OK);
    assert_false(match_is_paused(t.m));
    match_free(table_load(&t));
    table_shares(&t);
    assert_true(match_is_paused(t.m));
    assert_non_null(strstr(table_line(&t, match_head(t.m)), "\"kind\":\"pause\""));
    match_free(table_load(&t));
    table_fini(&t);
}

/* Past a die, past an end of phase, again and again down to the start. */
static void undo_past_dice(void **state)
{
    struct table t;
    struct rules_state kept[40];
    unsigned n = 0;
    uint32_t rolls;
    struct buf text = BUF_EMPTY;

    start(&t, *(const int *)*state != 0 ? FAIR_SERVER : FAIR_NORMAL, none);
    kept[0] = *match_position(t.m);
    while (n < ARRAY_LEN(kept) - 1) {
        if (n % 4 == 3)
            assert_int_equal(give(&t, &end_phase), ERR_OK);
        else
            table_play(&t);
        table_shares(&t);
        assert_int_equal(match_state(t.m), MATCH_LIVE);
        kept[++n] = *match_position(t.m);
    }
    table_show(&t, t.m, &text);
    rolls = (uint32_t)(strstr(buf_str(&text), "\"dice\":{") != NULL);
    assert_int_equal(rolls, 1);
    while (n > 0) {
        enum role giver = ROLE_A;

        table_clear(&t);
        if (offer(&t, giver, OFFER_UNDO) == ERR_DENIED) {
            giver = ROLE_B;
            assert_int_equal(offer(&t, giver, OFFER_UNDO), ERR_OK);
        }
        assert_int_equal(offer(&t, other(giver), OFFER_UNDO), ERR_DENIED);
        assert_int_equal(offer(&t, giver, OFFER_UNDO), ERR_OK);
        assert_int_equal(answer(&t, other(giver), t.st.offer_id, true), ERR_OK);
        assert_memory_equal(match_position(t.m), &kept[--n], sizeof(kept[0]));
        assert_true(t.sum.undo_to > 0);
        if (n % 8 == 0)
            match_free(table_load(&t));
    }
    assert_int_equal(offer(&t, ROLE_A, OFFER_UNDO), ERR_PHASE); /* nothing left */
    table_play(&t);
    match_free(table_load(&t));
    buf_fini(&text);
    table_fini(&t);
}

static void undo_is_not_for_rated(void **unused)
{
    struct table t;
    struct rules_order o;

    (void)unused;
    table_init(&t, "first-blood");
    t.setup.fair = FAIR_STRICT;
    t.setup.rated = true;
    table_open(&t);
    table_start(&t);
    assert_true(table_move(&t, &o));
    assert_int_equal(give(&t, &o), ERR_OK);
    assert_int_equal(offer(&t, table_active(&t), OFFER_UNDO), ERR_DENIED);
    assert_int_equal(give(&t, &undo), ERR_OK); /* R48's own stays */
    assert_int_equal(give(&t, &undo), ERR_ILLEGAL);
    assert_int_equal(t.st.no.rule, 48);
    table_fini(&t);
}

/* ---- umpire ---- */

static enum err act(struct table *t, enum match_act a, enum rules_side winner)
{
    const struct match_umpire u = {"zoe", (uint8_t)a, (uint8_t)winner, "said \"so\""};

    match_step_fini(&t->st);
    return table_end(t, match_umpire(t->m, &u, t->now, &t->st));
}

static void umpire_acts(void **unused)
{
    struct table t;

    (void)unused;
    start(&t, FAIR_SERVER, live);
    assert_int_equal(act(&t, ACT_RESUME, RULES_NOBODY), ERR_PHASE);
    assert_int_equal(act(&t, ACT_PAUSE, RULES_NOBODY), ERR_OK);
    assert_true(match_is_paused(t.m));
    assert_int_equal(act(&t, ACT_PAUSE, RULES_NOBODY), ERR_PHASE);
    assert_int_equal(act(&t, ACT_RESUME, RULES_NOBODY), ERR_OK);
    match_free(table_load(&t));
    assert_int_equal(act(&t, ACT_ADJUDICATE, RULES_B), ERR_OK);
    assert_int_equal(match_position(t.m)->winner, RULES_B);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_ADJUDICATED);
    assert_int_equal(act(&t, ACT_VOID, RULES_NOBODY), ERR_PHASE);
    match_free(table_load(&t));
    table_fini(&t);

    table_init(&t, "first-blood");
    table_open(&t);
    assert_int_equal(act(&t, ACT_PAUSE, RULES_NOBODY), ERR_PHASE);
    assert_int_equal(act(&t, ACT_VOID, RULES_NOBODY), ERR_OK);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    match_free(table_load(&t));
    table_fini(&t);
}

/* ---- databases that lie ---- */

static void flipped_bits(void **unused)
{
    struct table t;
    struct buf *parts[3];
    struct match *m = NULL;
    char why[PLAY_WHY_LEN];

    (void)unused;
    start(&t, FAIR_NORMAL, live);
    while (t.shelf.snaps == 0 || match_head(t.m) < t.shelf.snap_seq + 5)
        table_play(&t);
    parts[0] = &t.shelf.row;
    parts[1] = &t.shelf.lines;
    parts[2] = &t.shelf.snap;
    for (unsigned i = 0; i < 400; i++) {
        struct buf *b = parts[i % 3];
        const uint32_t at = drbg_below(&t.random, (uint32_t)b->len);
        const unsigned bit = 1U << drbg_below(&t.random, 8);

        b->data[at] = (char)((unsigned char)b->data[at] ^ bit);
        if (b == &t.shelf.snap) { /* passed over: the journal alone tells all */
            m = table_load(&t);
        } else {
            assert_int_equal(table_try_load(&t, &m, why), ERR_DATA);
            assert_null(m);
        }
        match_free(m);
        m = NULL;
        b->data[at] = (char)((unsigned char)b->data[at] ^ bit);
    }
    match_free(table_load(&t));
    table_fini(&t);
}

static void torn_end(void **unused)
{
    struct table t;
    struct match *m = NULL;
    char why[PLAY_WHY_LEN];
    size_t len;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    for (unsigned i = 0; i < 10; i++)
        table_play(&t);
    len = t.shelf.lines.len;
    for (size_t cut = 1; cut < 400 && cut < len; cut += 7) {
        t.shelf.lines.len = len - cut;
        assert_int_equal(table_try_load(&t, &m, why), ERR_DATA);
    }
    t.shelf.lines.len = len;
    match_free(table_load(&t));
    table_fini(&t);
}

/* A rule decided otherwise: the bytes of a forged journal hash well, but don't follow. */
static void forged_event(void **unused)
{
    struct table t;
    struct match *m = NULL;
    char why[PLAY_WHY_LEN] = "";
    char *first;

    (void)unused;
    start(&t, FAIR_SERVER, none);
    first = strstr(t.shelf.lines.data, "\"kind\":\"initiative\"");
    assert_non_null(first);
    first = strstr(first, "\"dice\":[[");
    first[9] = first[9] == '6' ? '5' : '6';
    assert_int_equal(table_try_load(&t, &m, why), ERR_DATA);
    assert_non_null(strstr(why, "the rules give something else"));
    table_fini(&t);
}

int main(void)
{
    static int normal = 0, server = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_runs_for_the_active),
        cmocka_unit_test(flag_falls_at_once),
        cmocka_unit_test(open_roll_runs_for_who_owes),
        cmocka_unit_test(time_is_conserved),
        cmocka_unit_test(days_are_a_phase),
        cmocka_unit_test(ninety_days_end_it),
        cmocka_unit_test(presence_is_kept),
        cmocka_unit_test(claim_after_absence),
        cmocka_unit_test(draw_by_agreement),
        cmocka_unit_test(pause_and_on),
        cmocka_unit_test(pause_waits_for_the_roll),
        cmocka_unit_test_prestate(undo_past_dice, &normal),
        cmocka_unit_test_prestate(undo_past_dice, &server),
        cmocka_unit_test(undo_is_not_for_rated),
        cmocka_unit_test(umpire_acts),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(torn_end),
        cmocka_unit_test(forged_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
