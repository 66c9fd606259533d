/* SPDX-License-Identifier: ISC
 * client_model.c -- the client's model beside a real referee: it must follow everything that a
 * match can bring, agree with it at every entry, and notice everything that is wrong.
 */
#include "client/model.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

struct follower {
    struct model m;
    uint32_t seen; /* entries told of by the sink */
    uint32_t live;
};

static struct scenario *copy_of(const struct scenario *s)
{
    char why[SCENARIO_WHY_LEN];
    struct scenario *out = NULL;

    assert_int_equal(scenario_parse(s->json, s->json_len, &out, why), ERR_OK);
    return out;
}

static void on_entry(void *data, const struct model *m, bool live)
{
    struct follower *f = data;

    f->seen = m->audit.last.seq;
    f->live += live ? 1 : 0;
}

static void follow_init(struct follower *f, const struct table *t)
{
    memset(f, 0, sizeof(*f));
    model_init(&f->m, copy_of(t->scenario));
}

static struct json *parsed(const struct buf *text)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    assert_int_equal(json_parse(text->data, text->len, &json_file_limits, &j, why), ERR_OK);
    return j;
}

/* A sync as the server answers it; `after` < 0: without. */
static struct json *sync_result(struct table *t, enum role role, int64_t after)
{
    const struct match_sync s = {.role = role, .has_after = after >= 0, .after = after};
    struct match_synced synced;
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    struct json *j;

    jsonw_obj(&w);
    assert_int_equal(match_sync(t->m, &s, t->now, &w, &synced), ERR_OK);
    jsonw_obj_end(&w);
    j = parsed(&text);
    buf_fini(&text);
    return j;
}

/* One sync and its pages. */
static void sync_all(struct follower *f, struct table *t, enum role role, bool from_state)
{
    const struct model_sink sink = {f, on_entry};
    enum model_need need = MODEL_MORE;

    while (need == MODEL_MORE) {
        char why[AUDIT_WHY_LEN] = "";
        const bool state = from_state && f->m.audit.board == NULL;
        struct json *j = sync_result(t, role, state ? -1 : (int64_t)f->m.audit.head);

        need = model_sync(&f->m, j, &sink, why);
        if (need != MODEL_GOOD && need != MODEL_MORE)
            fail_msg("%s", why);
        json_free(j);
    }
    assert_true(f->m.synced);
}

/* `text` of an event as a notification's params. */
static enum model_need give(struct follower *f, const struct buf *text, char why[AUDIT_WHY_LEN])
{
    const struct model_sink sink = {f, on_entry};
    struct json *j = parsed(text);
    const enum model_need need = model_event(&f->m, j, (struct mono){0}, &sink, why);

    json_free(j);
    return need;
}

static void event_text(struct table *t, uint32_t seq, struct buf *text)
{
    struct jsonw w = jsonw_on(text);

    buf_reset(text);
    jsonw_obj(&w);
    match_event_members(t->m, seq, &w);
    jsonw_obj_end(&w);
}

/* Tell all that is new, and compare. */
static void catch_up(struct follower *f, struct table *t)
{
    struct buf text = BUF_EMPTY;
    uint8_t hash[RULES_HASH_LEN];

    for (uint32_t seq = f->m.audit.head + 1; seq <= match_head(t->m); seq++) {
        char why[AUDIT_WHY_LEN] = "";

        event_text(t, seq, &text);
        if (give(f, &text, why) != MODEL_GOOD)
            fail_msg("entry %u: %s\n%s", seq, why, text.data);
        assert_int_equal(f->seen, seq);
    }
    assert_memory_equal(f->m.audit.hash, match_hash(t->m), FD1_LEN);
    if (match_state_hash(t->m) != NULL) {
        assert_true(audit_state_hash(&f->m.audit, hash));
        assert_memory_equal(hash, match_state_hash(t->m), RULES_HASH_LEN);
    }
    buf_fini(&text);
}

static void open_table(struct table *t, const char *scenario, enum fair fair)
{
    table_init(t, scenario);
    t->setup.fair = (uint8_t)fair;
    table_open(t);
}

/* A whole game, told live from its opening on; others come in by state and by journal. */
static void whole_game(const char *scenario, enum fair fair, uint8_t side)
{
    struct table t;
    struct follower live, late, full;

    table_init(&t, scenario);
    t.setup.fair = (uint8_t)fair;
    t.setup.side = side;
    table_open(&t);
    follow_init(&live, &t);
    sync_all(&live, &t, ROLE_A, false);
    assert_int_equal(live.m.role, ROLE_A);
    assert_false(model_may_order(&live.m));
    table_start(&t);
    catch_up(&live, &t);
    assert_int_equal(model_side(&live.m), match_side(t.m, ROLE_A));
    for (unsigned i = 0; i < 30 && match_state(t.m) == MATCH_LIVE; i++)
        table_play(&t);
    follow_init(&late, &t);
    sync_all(&late, &t, ROLE_COUNT, true);
    assert_true(late.m.trusted);
    assert_int_equal(model_side(&late.m), RULES_NOBODY);
    while (match_state(t.m) == MATCH_LIVE) {
        table_play(&t);
        catch_up(&live, &t);
        catch_up(&late, &t);
        assert_int_equal(model_may_order(&live.m),
                         match_state(t.m) == MATCH_LIVE && table_active(&t) == ROLE_A);
    }
    follow_init(&full, &t);
    sync_all(&full, &t, ROLE_B, false);
    catch_up(&full, &t);
    assert_true(live.m.audit.over && late.m.audit.over && full.m.audit.over);
    assert_int_equal(live.m.audit.dice.checked, live.m.audit.dice.n);
    assert_int_equal(full.live, 0);
    model_fini(&live.m);
    model_fini(&late.m);
    model_fini(&full.m);
    table_fini(&t);
}

static void follows_whole_games(void **unused)
{
    (void)unused;
    whole_game("first-blood", FAIR_STRICT, RULES_NOBODY);
    whole_game("first-blood", FAIR_SERVER, RULES_NOBODY);
    whole_game("tin-lizzy-down", FAIR_NORMAL, RULES_B);
    whole_game("cowboys-and-indians", FAIR_STRICT, RULES_A);
}

/* ---- what is wrong is noticed ---- */

/* Replace `from` by `to` in the newest event that has it; the server's hashes stay. */
static void tampered(struct table *t, struct follower *f, const char *from, const char *to)
{
    struct buf text = BUF_EMPTY, bad = BUF_EMPTY;
    char why[AUDIT_WHY_LEN] = "";

    for (uint32_t seq = f->m.audit.head + 1; seq <= match_head(t->m); seq++) {
        const char *at;

        event_text(t, seq, &text);
        at = strstr(text.data, from);
        if (at == NULL) {
            assert_int_equal(give(f, &text, why), MODEL_GOOD);
            continue;
        }
        buf_put(&bad, text.data, (size_t)(at - text.data));
        buf_puts(&bad, to);
        buf_puts(&bad, at + strlen(from));
        assert_int_equal(give(f, &bad, why), MODEL_RESYNC);
        assert_true(why[0] != '\0');
        buf_fini(&text);
        buf_fini(&bad);
        return;
    }
    fail_msg("no event has %s", from);
}

static void notices(const char *from, const char *to)
{
    struct table t;
    struct follower f;
    char why[AUDIT_WHY_LEN];
    struct json *j;

    open_table(&t, "first-blood", FAIR_STRICT);
    table_start(&t);
    for (unsigned i = 0; i < 3; i++)
        table_play(&t);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    for (unsigned i = 0; i < 40 && match_state(t.m) == MATCH_LIVE; i++)
        table_play(&t);
    tampered(&t, &f, from, to);
    model_restart(&f.m); /* and the true journal heals it */
    sync_all(&f, &t, ROLE_A, false);
    catch_up(&f, &t);
    j = sync_result(&t, ROLE_A, 0);
    f.m.audit.head++; /* as if more had been seen than the server has */
    assert_int_equal(model_sync(&f.m, j, NULL, why), MODEL_BACK);
    json_free(j);
    model_fini(&f.m);
    table_fini(&t);
}

static void notices_what_is_wrong(void **unused)
{
    (void)unused;
    notices("\"flags\":3", "\"flags\":1");
    notices("\"dice\":[", "\"dice\":[1,");
    notices("\"s\":\"", "\"s\":\"0");
    notices("\"face\":\"n\"", "\"face\":\"e\"");
    notices("\"kind\":\"move\"", "\"kind\":\"turn\"");
    notices("\"ts\":1", "\"ts\":2");
    notices("\"state_hash\":\"", "\"state_hash\":\"0");
    notices("\"hash\":\"", "\"hash\":\"f00d");
}

/* ---- what a match can bring ---- */

static void order_dice(struct table *t, char *id)
{
    struct rules_order o;

    for (;;) {
        struct match_request r;

        table_any(t, &o);
        (void)snprintf(id, 16, "d%u", ++t->orders);
        assert_int_equal(table_order(t, table_active(t), id, match_head(t->m), &o), ERR_OK);
        if (match_request(t->m, &r))
            return;
    }
}

static enum role other(enum role r)
{
    return r == ROLE_A ? ROLE_B : ROLE_A;
}

static uint32_t offer(struct table *t, enum role role, enum offer_kind kind)
{
    match_step_fini(&t->st);
    assert_int_equal(table_end(t, match_offer(t->m, role, kind, t->now, &t->st)), ERR_OK);
    return t->st.offer_id;
}

static void answer(struct table *t, enum role role, uint32_t id, bool accept)
{
    const struct match_answer a = {.offer_id = id, .accept = accept};

    match_step_fini(&t->st);
    assert_int_equal(table_end(t, match_answer(t->m, role, &a, t->now, &t->st)), ERR_OK);
}

static void agreements(void **unused)
{
    struct table t;
    struct follower f;
    char id[16];

    (void)unused;
    open_table(&t, "first-blood", FAIR_NORMAL);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    table_start(&t);
    for (unsigned i = 0; i < 20; i++) {
        enum role giver;

        order_dice(&t, id);
        giver = table_active(&t);
        table_shares(&t);
        answer(&t, other(giver), offer(&t, giver, OFFER_UNDO), i % 3 != 0);
        catch_up(&f, &t);
    }
    answer(&t, ROLE_B, offer(&t, ROLE_A, OFFER_PAUSE), true);
    catch_up(&f, &t);
    assert_true(f.m.audit.paused);
    assert_false(model_may_order(&f.m));
    answer(&t, ROLE_A, offer(&t, ROLE_B, OFFER_PAUSE), true);
    catch_up(&f, &t);
    assert_false(f.m.audit.paused);
    (void)offer(&t, ROLE_A, OFFER_DRAW);
    catch_up(&f, &t);
    assert_true(f.m.audit.offer[match_side(t.m, ROLE_A)][OFFER_DRAW] > 0);
    answer(&t, ROLE_B, f.m.audit.offer[match_side(t.m, ROLE_A)][OFFER_DRAW], true);
    catch_up(&f, &t);
    assert_true(f.m.audit.over);
    assert_int_equal(f.m.audit.reason, RULES_BY_DRAW);
    model_fini(&f.m);
    table_fini(&t);
}

static void absences_and_new_anchors(void **unused)
{
    struct table t;
    struct follower f;
    enum role me;
    char id[16];

    (void)unused;
    open_table(&t, "first-blood", FAIR_NORMAL);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    table_start(&t);
    order_dice(&t, id);
    me = table_active(&t);
    match_seen(t.m, other(me), false, t.now);
    assert_int_equal(table_share(&t, me), ERR_OK);
    catch_up(&f, &t);
    match_seen(t.m, other(me), true, t.now);
    order_dice(&t, id);
    table_shares(&t);
    catch_up(&f, &t);
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_OK); /* a lost device */
    catch_up(&f, &t);
    assert_false(model_may_order(&f.m));
    assert_true(audit_roll_open(&f.m.audit));
    table_shares(&t);
    for (unsigned i = 0; i < 10; i++)
        table_play(&t);
    catch_up(&f, &t);
    assert_int_equal(f.m.audit.dice.reanchors, 1);
    model_fini(&f.m);
    table_fini(&t);
}

static void restored_server(void **unused)
{
    struct table t;
    struct follower f;
    char id[16], why[PLAY_WHY_LEN] = "";

    (void)unused;
    open_table(&t, "first-blood", FAIR_STRICT);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    table_start(&t);
    order_dice(&t, id);
    catch_up(&f, &t);
    match_free(t.m);
    t.m = NULL;
    t.env.kid = 2;
    t.env.master[0] ^= 1;
    assert_int_equal(table_try_load(&t, &t.m, why), ERR_OK);
    match_seen(t.m, ROLE_A, true, t.now);
    match_seen(t.m, ROLE_B, true, t.now);
    table_next(&t);
    catch_up(&f, &t);
    assert_int_equal(f.m.audit.roll_seq, 0);
    assert_int_equal(f.m.audit.dice.owed, 1U << ROLE_A | 1U << ROLE_B);
    assert_int_equal(table_anchor(&t, ROLE_A, 1), ERR_OK);
    assert_int_equal(table_anchor(&t, ROLE_B, 1), ERR_OK);
    table_shares(&t);
    for (unsigned i = 0; i < 20; i++)
        table_play(&t);
    catch_up(&f, &t);
    model_fini(&f.m);
    table_fini(&t);
}

static void endings(void **unused)
{
    struct table t;
    struct follower f;
    char id[16];

    (void)unused;
    open_table(&t, "first-blood", FAIR_STRICT); /* a roll is left open */
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_B, false);
    table_start(&t);
    order_dice(&t, id);
    match_step_fini(&t.st);
    assert_int_equal(table_end(&t, match_resign(t.m, ROLE_A, t.now, &t.st)), ERR_OK);
    catch_up(&f, &t);
    assert_int_equal(f.m.audit.reason, RULES_BY_RESIGN);
    assert_int_equal(f.m.audit.winner, RULES_B);
    assert_true(f.m.audit.roll_seq != 0);
    model_fini(&f.m);
    table_fini(&t);

    open_table(&t, "first-blood", FAIR_STRICT); /* the set-up runs out */
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    assert_int_equal(table_join(&t), ERR_OK);
    table_wait(&t, 120000);
    catch_up(&f, &t);
    assert_int_equal(f.m.audit.reason, RULES_BY_VOID);
    model_fini(&f.m);
    table_fini(&t);

    table_init(&t, "first-blood"); /* a flag falls */
    t.setup.clock = (struct clock_rule){.kind = CLOCK_LIVE, .main_s = 60};
    table_open(&t);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    table_start(&t);
    table_wait(&t, 61000);
    catch_up(&f, &t);
    assert_int_equal(f.m.audit.reason, RULES_BY_TIME);
    model_fini(&f.m);
    table_fini(&t);
}

/* Clocks run down by what time passes, for the side that they run for. */
static void tells_time(void **unused)
{
    struct table t;
    struct follower f;
    struct buf text = BUF_EMPTY;
    struct json *j;
    int64_t left = 0;

    (void)unused;
    open_table(&t, "first-blood", FAIR_SERVER);
    follow_init(&f, &t);
    sync_all(&f, &t, ROLE_A, false);
    assert_false(model_left(&f.m, RULES_A, (struct mono){0}, &left));
    buf_puts(&text,
             "{\"left\":{\"red\":60000,\"blue\":50000},\"running\":\"blue\",\"paused\":false}");
    j = parsed(&text);
    model_clock(&f.m, j, (struct mono){1000});
    assert_true(model_left(&f.m, RULES_A, (struct mono){6000}, &left));
    assert_int_equal(left, 60000);
    assert_true(model_left(&f.m, RULES_B, (struct mono){6000}, &left));
    assert_int_equal(left, 45000);
    assert_true(model_left(&f.m, RULES_B, (struct mono){600000}, &left));
    assert_int_equal(left, 0);
    json_free(j);
    buf_fini(&text);
    model_fini(&f.m);
    table_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_whole_games), cmocka_unit_test(notices_what_is_wrong),
        cmocka_unit_test(agreements),          cmocka_unit_test(absences_and_new_anchors),
        cmocka_unit_test(restored_server),     cmocka_unit_test(endings),
        cmocka_unit_test(tells_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
