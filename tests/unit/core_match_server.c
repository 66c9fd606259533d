/* SPDX-License-Identifier: ISC
 * core_match_server.c -- the referee with server-only dice: opening, orders, refusals, the end,
 * sync, record, legal.
 */
#include "common/base/str.h"
#include "proto/line.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

static void open_first_blood(struct table *t)
{
    table_init(t, "first-blood");
    table_open(t);
}

static void starts_at_join(void **unused)
{
    struct table t;

    (void)unused;
    open_first_blood(&t);
    assert_int_equal(match_state(t.m), MATCH_OPEN);
    assert_int_equal(match_head(t.m), 1);
    assert_null(match_state_hash(t.m));
    assert_true(
        str_starts(table_line(&t, 1), "{\"seq\":1,\"ts\":1700000000000,\"kind\":\"opened\""));
    table_clear(&t);
    assert_int_equal(table_join(&t), ERR_OK);
    assert_true(t.sum.started);
    assert_int_equal(match_state(t.m), MATCH_LIVE);
    assert_non_null(strstr(table_line(&t, 3), "\"kind\":\"roll\",\"n\":1,\"for\":0,\"flags\":0"));
    assert_non_null(strstr(table_line(&t, 4), "\"kind\":\"started\",\"sides\":{"));
    assert_non_null(strstr(table_line(&t, 5), "\"kind\":\"initiative\""));
    assert_non_null(match_state_hash(t.m));
    assert_int_equal(match_side(t.m, ROLE_A), RULES_A);
    assert_int_equal(match_role_of(t.m, "BOB"), ROLE_B);
    assert_int_equal(match_role_of(t.m, "carol"), ROLE_COUNT);
    table_fini(&t);
}

/* Half of the matches with random sides put the maker on each. */
static void draws_sides(void **unused)
{
    unsigned first = 0;

    (void)unused;
    for (unsigned i = 0; i < 40; i++) {
        struct table t;

        table_init(&t, "first-blood");
        t.setup.side = RULES_NOBODY;
        t.setup.id[0] = (uint8_t)i;
        table_open(&t);
        table_start(&t);
        first += match_side(t.m, ROLE_A) == RULES_A;
        assert_int_equal(match_side(t.m, ROLE_A) == RULES_A,
                         strstr(table_line(&t, 3), "\"dice\":[1,") != NULL);
        table_fini(&t);
    }
    assert_in_range(first, 8, 32);
}

static void seats_are_taken_once(void **unused)
{
    struct table t;

    (void)unused;
    open_first_blood(&t);
    assert_int_equal(table_end(&t, match_join(t.m, "Alice", t.now, &t.st)), ERR_CONFLICT);
    table_start(&t);
    assert_int_equal(table_join(&t), ERR_OK); /* the same again: nothing to keep */
    assert_int_equal(t.st.n, 0);
    assert_int_equal(table_end(&t, match_join(t.m, "carol", t.now, &t.st)), ERR_CONFLICT);
    assert_int_equal(table_end(&t, match_cancel(t.m, t.now, &t.st)), ERR_PHASE);
    table_fini(&t);
}

static void cancel_is_void(void **unused)
{
    struct table t;

    (void)unused;
    open_first_blood(&t);
    assert_int_equal(table_end(&t, match_cancel(t.m, t.now, &t.st)), ERR_OK);
    assert_int_equal(match_state(t.m), MATCH_OVER);
    assert_string_equal(strstr(table_line(&t, 2), "\"kind\""),
                        "\"kind\":\"over\",\"winner\":null,\"reason\":\"void\"}");
    assert_null(match_state_hash(t.m));
    assert_int_equal(table_join(&t), ERR_PHASE);
    match_free(table_load(&t));
    table_fini(&t);
}

/* An order as somebody sends it. */
struct
try {
    enum role role;
    const char *id;
    int64_t base;
    const struct rules_order *order;
};

/* Refused with `want`; nothing has changed. */
static void refused(struct table *t, const struct try *y, enum err want)
{
    uint8_t hash[FD1_LEN], state[RULES_HASH_LEN];
    const uint32_t head = match_head(t->m);

    memcpy(hash, match_hash(t->m), FD1_LEN);
    memcpy(state, match_state_hash(t->m), RULES_HASH_LEN);
    assert_int_equal(table_order(t, y->role, y->id, y->base, y->order), want);
    assert_int_equal(match_head(t->m), head);
    assert_memory_equal(match_hash(t->m), hash, FD1_LEN);
    assert_memory_equal(match_state_hash(t->m), state, RULES_HASH_LEN);
}
static void orders_are_refused_whole(void **unused)
{
    struct table t;
    struct rules_order o, bad;
    enum role me, other;

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    me = table_active(&t);
    other = me == ROLE_A ? ROLE_B : ROLE_A;
    assert_true(table_move(&t, &o));
    refused(&t, &(struct try){other, "x", match_head(t.m), &o}, ERR_TURN);
    refused(&t, &(struct try){me, "x", match_head(t.m) + 1, &o}, ERR_PARAMS);
    assert_string_equal(t.st.no.field, "base");
    refused(&t, &(struct try){me, "", match_head(t.m), &o}, ERR_PARAMS);
    refused(&t, &(struct try){me, "123456789012345678901234567890123", match_head(t.m), &o},
            ERR_PARAMS);
    refused(&t, &(struct try){me, "a\nb", match_head(t.m), &o}, ERR_PARAMS);
    refused(&t, &(struct try){me, "x", 2, &o}, ERR_STALE);
    assert_true(t.st.no.has_head);
    assert_int_equal(t.st.no.head, match_head(t.m));
    bad = o;
    bad.n_path = 0;
    refused(&t, &(struct try){me, "x", match_head(t.m), &bad}, ERR_ILLEGAL);
    assert_int_equal(t.st.no.rule, 12);
    bad = o;
    bad.figure[0] = RULES_NO_FIGURE;
    refused(&t, &(struct try){me, "x", match_head(t.m), &bad}, ERR_ILLEGAL);
    for (unsigned f = 0; f < t.board->n_figures; f++) {
        if (t.board->figure[f].side != match_position(t.m)->active)
            bad.figure[0] = (uint16_t)f;
    }
    refused(&t, &(struct try){me, "x", match_head(t.m), &bad}, ERR_ILLEGAL);
    /* its id is still free */
    assert_int_equal(table_order(&t, me, "x", match_head(t.m), &o), ERR_OK);
    table_fini(&t);
}

static void same_id_same_answer(void **unused)
{
    struct table t;
    struct rules_order o, other;
    enum role me;
    uint32_t seq, head;

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    me = table_active(&t);
    assert_true(table_move(&t, &o));
    assert_int_equal(table_order(&t, me, "one \"\\ \xc3\xa9", match_head(t.m), &o), ERR_OK);
    seq = t.st.seq;
    head = match_head(t.m);
    assert_int_equal(seq + 1, head); /* order and its move */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(table_order(&t, me, "one \"\\ \xc3\xa9", 0, &o), ERR_OK);
        assert_int_equal(t.st.seq, seq);
        assert_int_equal(t.st.n, 0);
        assert_int_equal(match_head(t.m), head);
    }
    other = o;
    other.face = (uint8_t)((other.face + 1) % 4);
    refused(&t, &(struct try){me, "one \"\\ \xc3\xa9", head, &other}, ERR_CONFLICT);
    refused(&t, &(struct try){me == ROLE_A ? ROLE_B : ROLE_A, "one \"\\ \xc3\xa9", head, &o},
            ERR_TURN);
    assert_int_equal(table_end(&t, match_resign(t.m, me, t.now, &t.st)), ERR_OK);
    assert_int_equal(table_order(&t, me, "one \"\\ \xc3\xa9", 0, &o), ERR_OK); /* for ever */
    assert_int_equal(t.st.seq, seq);
    refused(&t, &(struct try){me, "two", match_head(t.m), &o}, ERR_PHASE);
    table_fini(&t);
}

static void only_play_makes_stale(void **unused)
{
    struct table t;
    struct rules_order o;
    enum role me;
    uint32_t base;

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    me = table_active(&t);
    base = match_head(t.m);
    assert_int_equal(table_end(&t, match_offer(t.m, me, OFFER_DRAW, t.now, &t.st)), ERR_OK);
    assert_true(match_head(t.m) > base);
    assert_true(table_move(&t, &o));
    assert_int_equal(table_order(&t, me, "a", base, &o), ERR_OK);
    assert_true(table_move(&t, &o));
    refused(&t, &(struct try){me, "b", base, &o}, ERR_STALE);
    table_fini(&t);
}

static void storage_fault_changes_nothing(void **unused)
{
    struct table t;
    struct rules_order o;
    struct match_applied applied;
    enum role me;
    uint8_t hash[FD1_LEN];

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    me = table_active(&t);
    assert_true(table_move(&t, &o));
    memcpy(hash, match_hash(t.m), FD1_LEN);
    t.hold = true;
    assert_int_equal(table_order(&t, me, "a", match_head(t.m), &o), ERR_OK);
    assert_true(match_is_pending(t.m));
    assert_memory_equal(match_hash(t.m), hash, FD1_LEN); /* not before it is durable */
    match_stored(t.m, false, &applied);
    assert_int_equal(applied.n, 0);
    assert_false(match_is_pending(t.m));
    assert_memory_equal(match_hash(t.m), hash, FD1_LEN);
    t.hold = false;
    assert_int_equal(table_order(&t, me, "a", match_head(t.m), &o), ERR_OK);
    assert_memory_not_equal(match_hash(t.m), hash, FD1_LEN);
    table_fini(&t);
}

static void order_then_roll(void **unused)
{
    struct table t;
    struct rules_order o = {.kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    struct match_request r;
    struct match_line line;
    uint32_t seq;

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    /* two ends of phase: the second wants the next turn's initiative */
    assert_int_equal(table_order(&t, table_active(&t), "a", match_head(t.m), &o), ERR_OK);
    t.hold = true;
    assert_int_equal(table_order(&t, table_active(&t), "b", match_head(t.m), &o), ERR_OK);
    seq = t.st.seq;
    table_store(&t);
    assert_int_equal(match_head(t.m), seq); /* the order alone */
    assert_true(match_line(t.m, seq, &line));
    assert_null(line.state_hash);
    assert_true(match_request(t.m, &r));
    assert_int_equal(r.seq, seq);
    assert_int_equal(r.waiting, 0);
    assert_memory_equal(r.hash, match_hash(t.m), FD1_LEN);
    t.hold = false;
    refused(&t, &(struct try){table_active(&t), "c", seq, &o}, ERR_PHASE);
    assert_int_equal(match_deadline(t.m).ms, 0);
    table_next(&t);
    assert_non_null(strstr(table_line(&t, seq + 1), "\"kind\":\"roll\",\"n\":2"));
    assert_false(match_request(t.m, &r));
    assert_true(match_line(t.m, match_head(t.m), &line));
    assert_memory_equal(line.state_hash, match_state_hash(t.m), RULES_HASH_LEN);
    table_fini(&t);
}

static void limit_of_orders(void **unused)
{
    struct table t;
    struct rules_order o,
        undo = {.kind = RULES_DO_UNDO, .face = RULES_NO_DIR, .exit = RULES_NO_DIR},
        end = {.kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    char id[8];

    (void)unused;
    open_first_blood(&t);
    table_start(&t);
    assert_true(table_move(&t, &o));
    for (unsigned i = 0; i < MATCH_ORDERS_PHASE; i++) {
        (void)snprintf(id, sizeof(id), "i%u", i);
        assert_int_equal(
            table_order(&t, table_active(&t), id, match_head(t.m), i % 2 == 0 ? &o : &undo),
            ERR_OK);
    }
    refused(&t, &(struct try){table_active(&t), "more", match_head(t.m), &o}, ERR_PHASE);
    assert_int_equal(table_order(&t, table_active(&t), "end", match_head(t.m), &end), ERR_OK);
    assert_true(t.shelf.snaps > 10);
    match_free(table_load(&t));
    assert_true(table_move(&t, &o));
    assert_int_equal(table_order(&t, table_active(&t), "next", match_head(t.m), &o), ERR_OK);
    table_fini(&t);
}

static void resign_and_after(void **unused)
{
    struct table t;

    (void)unused;
    open_first_blood(&t);
    assert_int_equal(table_end(&t, match_resign(t.m, ROLE_A, t.now, &t.st)), ERR_PHASE);
    table_start(&t);
    table_clear(&t);
    assert_int_equal(table_end(&t, match_resign(t.m, ROLE_B, t.now, &t.st)), ERR_OK);
    assert_true(t.sum.over);
    assert_int_equal(match_position(t.m)->winner, RULES_A);
    assert_int_equal(match_position(t.m)->reason, RULES_BY_RESIGN);
    assert_int_equal(table_end(&t, match_resign(t.m, ROLE_A, t.now, &t.st)), ERR_PHASE);
    assert_int_equal(table_end(&t, match_offer(t.m, ROLE_A, OFFER_DRAW, t.now, &t.st)), ERR_PHASE);
    assert_int_equal(match_deadline(t.m).ms, INT64_MAX);
    match_free(table_load(&t));
    table_fini(&t);
}

/* Every line of sync, and the state given plus its entries, lead to the head's hashes. */
static void check_sync(struct table *t)
{
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    const struct match_sync s = {.role = ROLE_COUNT};
    struct match_synced got;
    struct json *j = NULL;
    char why[PLAY_WHY_LEN] = "";
    struct game g;
    struct rules_state state;
    struct entry_room room = {0};
    uint8_t hash[RULES_HASH_LEN];
    uint32_t order = 0;

    jsonw_obj(&w);
    assert_int_equal(match_sync(t->m, &s, t->now, &w, &got), ERR_OK);
    jsonw_obj_end(&w);
    assert_int_equal(json_parse(text.data, text.len, &json_file_limits, &j, why), ERR_OK);
    assert_true(got.has_state);
    assert_int_equal(got.upto, match_head(t->m));
    assert_int_equal(state_from_json(json_get(j, "state"), t->scenario, &state), ERR_OK);
    game_init(&g, t->board);
    game_set_state(&g, &state);
    for (const struct json *ev = json_first(json_get(j, "events")); ev != NULL;
         ev = json_next(ev)) {
        struct entry e;

        assert_int_equal(entry_decode(json_get(ev, "entry"), t->scenario, &e, &room, why), ERR_OK);
        order = e.kind == ENTRY_ORDER ? e.seq : order;
        if (e.kind == ENTRY_PLAY)
            assert_int_equal(game_apply(&g, order, &e.u.play.event, e.u.play.items), RULES_OK);
    }
    game_hash(&g, hash);
    assert_memory_equal(hash, match_state_hash(t->m), RULES_HASH_LEN);
    game_fini(&g);
    entry_room_fini(&room);
    json_free(j);
    buf_fini(&text);
}

static void plays_to_the_end(void **state)
{
    struct table t;
    unsigned n = 0;

    table_init(&t, *state);
    table_open(&t);
    table_start(&t);
    while (match_state(t.m) == MATCH_LIVE && n < 4000) {
        table_play(&t);
        check_sync(&t);
        if (n++ % 16 == 0)
            match_free(table_load(&t));
    }
    assert_int_equal(match_state(t.m), MATCH_OVER);
    match_free(table_load(&t));
    table_fini(&t);
}

static void record_pages(void **unused)
{
    struct table t;
    struct buf text = BUF_EMPTY;
    int64_t after = 0;
    unsigned lines = 0, pages = 0;

    (void)unused;
    table_init(&t, "cowboys-and-indians");
    table_open(&t);
    table_start(&t);
    while (match_head(t.m) < 600 && match_state(t.m) == MATCH_LIVE)
        table_play(&t);
    for (;;) {
        struct jsonw w = jsonw_on(&text);
        struct json *j = NULL;
        char why[JSON_WHY_LEN];
        const char *next = NULL;

        buf_reset(&text);
        jsonw_obj(&w);
        assert_int_equal(match_record(t.m, after, &w), ERR_OK);
        jsonw_obj_end(&w);
        assert_true(text.len < LINE_LIMIT_SERVER);
        assert_int_equal(json_parse(text.data, text.len, &json_file_limits, &j, why), ERR_OK);
        lines += json_count(json_get(j, "lines"));
        pages++;
        if (json_get_string(j, "next", &next))
            assert_true(str_to_int(next, after + 1, INT64_MAX, &after));
        json_free(j);
        if (next == NULL)
            break;
    }
    assert_int_equal(lines, match_head(t.m) + 2);
    assert_true(pages > 1);
    buf_fini(&text);
    table_fini(&t);
}

static void legal_says_what_can_be_done(void **unused)
{
    struct table t;
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    struct rules_order o;
    struct json *j = NULL;
    char why[JSON_WHY_LEN];

    (void)unused;
    open_first_blood(&t);
    jsonw_obj(&w);
    assert_int_equal(match_legal(t.m, RULES_A, NULL, &w), ERR_PHASE);
    table_start(&t);
    assert_int_equal(match_legal(t.m, RULES_A, "nobody", &w), ERR_PARAMS);
    assert_true(table_move(&t, &o));
    assert_int_equal(match_legal(t.m, RULES_A, t.board->id[o.figure[0]], &w), ERR_OK);
    jsonw_obj_end(&w);
    assert_int_equal(json_parse(text.data, text.len, &json_wire_limits, &j, why), ERR_OK);
    assert_true(json_count(json_get(j, "to")) > 0);
    assert_non_null(json_get(j, "why"));
    json_free(j);
    buf_fini(&text);
    table_fini(&t);
}

int main(void)
{
    static char first[] = "first-blood", tin[] = "tin-lizzy-down",
                cowboys[] = "cowboys-and-indians";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_join),
        cmocka_unit_test(draws_sides),
        cmocka_unit_test(seats_are_taken_once),
        cmocka_unit_test(cancel_is_void),
        cmocka_unit_test(orders_are_refused_whole),
        cmocka_unit_test(same_id_same_answer),
        cmocka_unit_test(only_play_makes_stale),
        cmocka_unit_test(storage_fault_changes_nothing),
        cmocka_unit_test(order_then_roll),
        cmocka_unit_test(limit_of_orders),
        cmocka_unit_test(resign_and_after),
        cmocka_unit_test_prestate(plays_to_the_end, first),
        cmocka_unit_test_prestate(plays_to_the_end, tin),
        cmocka_unit_test_prestate(plays_to_the_end, cowboys),
        cmocka_unit_test(record_pages),
        cmocka_unit_test(legal_says_what_can_be_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
