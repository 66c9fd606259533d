/* SPDX-License-Identifier: ISC
 * proto_play.c -- orders, events and positions to JSON and back, over whole games.
 *
 * Random orders on the shipped scenarios give every kind of event; each is written, read back and
 * written again. The bytes themselves are held by tests/golden/adjudicate.py.
 */
#include "proto/play.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "common/base/drbg.h"
#include "common/base/mem.h"

#define DICE_MAX 2048

static struct json *parse(const char *text)
{
    char why[JSON_WHY_LEN] = "";
    struct json *j = NULL;

    if (json_parse(text, strlen(text), &json_file_limits, &j, why) != ERR_OK)
        fail_msg("%s: %s", why, text);
    return j;
}

/* ---- whole games ---- */

/* A game played at random, and what it checks on the way. */
struct random_game {
    const struct scenario *scn;
    struct game game;
    struct drbg rng;
    uint32_t index;
    unsigned seen[RULES_EV_COUNT];
};

static void roll(struct random_game *g, uint8_t face[DICE_MAX])
{
    for (unsigned i = 0; i < DICE_MAX; i++)
        face[i] = (uint8_t)(1 + drbg_below(&g->rng, 6));
}

static void put_event(const struct random_game *g, const struct rules_event *ev,
                      const union rules_item *items, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    event_members(&w, g->scn, ev, items);
    jsonw_obj_end(&w);
}

static void check_event(struct random_game *g, const struct rules_event *ev,
                        const union rules_item *items)
{
    const uint8_t exit_edge = ev->kind == RULES_EV_MOVE ? ev->u.move.left : (uint8_t)RULES_NO_DIR;
    struct buf first = BUF_EMPTY, again = BUF_EMPTY;
    struct game_events read = {0};
    struct json *j;

    put_event(g, ev, items, &first);
    j = parse(buf_str(&first));
    assert_int_equal(event_from_json(j, g->scn, (enum rules_dir)exit_edge, &read), ERR_OK);
    assert_int_equal(read.out.n_events, 1);
    put_event(g, &read.out.event[0], read.out.item, &again);
    assert_string_equal(buf_str(&again), buf_str(&first));
    g->seen[ev->kind]++;
    json_free(j);
    game_events_fini(&read);
    buf_fini(&first);
    buf_fini(&again);
}

/* The position as JSON, back and the same; and events read back lead to it too. */
static void check_state(const struct random_game *g)
{
    const struct rules_board *b = &g->scn->board;
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    struct rules_state back;
    struct json *j;

    jsonw_obj(&w);
    state_members(&w, g->scn, b, &g->game.rules.state);
    jsonw_obj_end(&w);
    j = parse(buf_str(&text));
    assert_int_equal(state_from_json(j, g->scn, &back), ERR_OK);
    assert_memory_equal(&back, &g->game.rules.state, sizeof(back));
    json_free(j);
    buf_fini(&text);
}

/* Give the order if the rules take it; false when they don't. */
static bool give(struct random_game *g, const struct rules_order *o)
{
    uint8_t face[DICE_MAX];
    struct rules_dice dice = {face, DICE_MAX, 0};
    struct game_events ev = {0};
    enum rules_err e;

    roll(g, face);
    e = game_decide(&g->game, o, &dice, &ev);
    if (e == RULES_OK) {
        for (uint32_t i = 0; i < ev.out.n_events; i++)
            check_event(g, &ev.out.event[i], ev.out.item);
        game_apply_all(&g->game, g->index++, &ev);
        check_state(g);
    }
    game_events_fini(&ev);
    return e == RULES_OK;
}

static void check_order(const struct random_game *g, const struct rules_order *o)
{
    struct buf text = BUF_EMPTY, again = BUF_EMPTY;
    struct rules_order back;
    char field[PLAY_WHY_LEN];
    struct json *j;

    order_to_json(o, g->scn, &text);
    j = parse(buf_str(&text));
    assert_int_equal(order_from_json(j, g->scn, &back, field), ERR_OK);
    back.side = o->side;
    assert_memory_equal(&back, o, sizeof(back));
    order_to_json(&back, g->scn, &again);
    assert_string_equal(buf_str(&again), buf_str(&text));
    json_free(j);
    buf_fini(&text);
    buf_fini(&again);
}

/* A move of `f` to somewhere it may go, or a turn, or a shot, or nothing that the rules take. */
static struct rules_order pick(struct random_game *g, unsigned f)
{
    const struct rules_state *s = &g->game.rules.state;
    struct rules_order o = {.side = s->active,
                            .exit = RULES_NO_DIR,
                            .face = (uint8_t)drbg_below(&g->rng, 4),
                            .square = RULES_NO_SQUARE};
    struct rules_reach reach;

    if (drbg_below(&g->rng, 3) == 0) {
        o.kind = RULES_DO_FIRE;
        o.square = s->at[f];
        o.face = s->face[f];
        return o;
    }
    o.n_figures = 1;
    o.figure[0] = (uint16_t)f;
    o.kind = RULES_DO_TURN;
    rules_reach(&g->scn->board, s, f, &reach);
    if (reach.n_to > 0 && drbg_below(&g->rng, 8) != 0) {
        const struct rules_to *to = &reach.to[drbg_below(&g->rng, reach.n_to)];

        o.kind = RULES_DO_MOVE;
        o.n_path = to->n;
        memcpy(o.path, to->path, to->n * sizeof(to->path[0]));
    }
    for (unsigned edge = RULES_N; edge <= RULES_W; edge++) {
        if ((reach.exits >> edge & 1) != 0 && reach.exit_via[edge] == s->at[f]) {
            o.kind = RULES_DO_MOVE;
            o.n_path = 0;
            o.exit = (uint8_t)edge;
        }
    }
    return o;
}

static void play_phase(struct random_game *g)
{
    const struct rules_state *s = &g->game.rules.state;
    const struct rules_order undo = {.kind = RULES_DO_UNDO,
                                     .side = s->active,
                                     .face = RULES_NO_DIR,
                                     .exit = RULES_NO_DIR,
                                     .square = RULES_NO_SQUARE};
    struct rules_order end = undo;
    const uint8_t side = s->active;

    for (unsigned f = 0; f < g->scn->board.n_figures && !rules_is_over(s); f++) {
        struct rules_order o;

        if (g->scn->board.figure[f].side != side || !rules_can_act(&g->scn->board, s, f))
            continue;
        o = pick(g, f);
        check_order(g, &o);
        if (give(g, &o) && drbg_below(&g->rng, 10) == 0)
            (void)give(g, &undo); /* refused behind a shot */
    }
    end.kind = RULES_DO_END_PHASE;
    check_order(g, &end);
    if (!rules_is_over(s))
        assert_true(give(g, &end));
}

static void play_game(struct random_game *g)
{
    const struct rules_order start = {
        .kind = RULES_DO_START, .side = RULES_NOBODY, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};

    game_init(&g->game, &g->scn->board);
    check_state(g);
    assert_true(give(g, &start));
    while (!rules_is_over(&g->game.rules.state))
        play_phase(g);
    game_fini(&g->game);
}

static void games_go_through_json_unchanged(void **unused)
{
    static const char *const ids[] = {"cowboys-and-indians", "first-blood", "tin-lizzy-down"};
    struct random_game g = {.index = 1};
    struct scenario_set set;

    (void)unused;
    drbg_init(&g.rng, (const uint8_t[DRBG_SEED_LEN]){1});
    scenario_set_init(&set);
    for (unsigned n = 0; n < 12; n++) {
        g.scn = scenario_set_find(&set, ids[n % ARRAY_LEN(ids)]);
        play_game(&g);
    }
    for (unsigned kind = 0; kind < RULES_EV_COUNT; kind++) {
        if (g.seen[kind] == 0)
            fail_msg("no %s among the events", event_kind_word((enum rules_event_kind)kind));
    }
    scenario_set_fini(&set);
}

/* ---- orders of a wrong shape ---- */

static const struct wrong_order {
    const char *text, *field;
} wrong_orders[] = {
    {"[]", "order"},
    {"{}", "order.do"},
    {"{\"do\":\"dance\"}", "order.do"},
    {"{\"do\":7}", "order.do"},
    {"{\"do\":\"move\",\"path\":[\"b3\"]}", "order.figures"},
    {"{\"do\":\"move\",\"figures\":\"r1\",\"path\":[\"b3\"]}", "order.figures"},
    {"{\"do\":\"move\",\"figures\":[1],\"path\":[\"b3\"]}", "order.figures"},
    {"{\"do\":\"move\",\"figures\":[\"r1\"]}", "order.path"},
    {"{\"do\":\"move\",\"figures\":[\"r1\"],\"path\":[3]}", "order.path"},
    {"{\"do\":\"move\",\"figures\":[\"r1\"],\"path\":[],\"exit\":\"up\"}", "order.exit"},
    {"{\"do\":\"move\",\"figures\":[\"r1\"],\"path\":[\"b3\"],\"face\":null}", "order.face"},
    {"{\"do\":\"turn\",\"figures\":[\"r1\"],\"face\":\"x\"}", "order.face"},
    {"{\"do\":\"fire\",\"face\":\"n\"}", "order.square"},
    {"{\"do\":\"fire\",\"square\":4,\"face\":\"n\"}", "order.square"},
};

/* Unknown members are ignored, also those that other orders know. */
static void undo_and_end_phase_have_no_members(void **unused)
{
    static const char *const texts[] = {"{\"do\":\"undo\",\"face\":\"up\",\"figures\":7}",
                                        "{\"do\":\"end_phase\",\"face\":null,\"exit\":\"n\"}",
                                        "{\"do\":\"end_phase\",\"face\":\"n\"}"};
    const struct scenario *scn;
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    scn = scenario_set_find(&set, "first-blood");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        char field[PLAY_WHY_LEN] = "", why[JSON_WHY_LEN];
        struct json *j = NULL;
        struct rules_order o;

        assert_int_equal(json_parse(texts[i], strlen(texts[i]), &json_file_limits, &j, why),
                         ERR_OK);
        assert_int_equal(order_from_json(j, scn, &o, field), ERR_OK);
        assert_int_equal(o.kind, i == 0 ? RULES_DO_UNDO : RULES_DO_END_PHASE);
        assert_int_equal(o.face, RULES_NO_DIR); /* the same body as without it */
        assert_int_equal(o.exit, RULES_NO_DIR);
        json_free(j);
    }
    scenario_set_fini(&set);
}

static void a_wrong_shape_names_the_member(void **unused)
{
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    for (size_t i = 0; i < ARRAY_LEN(wrong_orders); i++) {
        struct json *j = parse(wrong_orders[i].text);
        char field[PLAY_WHY_LEN] = "";
        struct rules_order o;

        assert_int_equal(order_from_json(j, set.item[0], &o, field), ERR_PARAMS);
        assert_string_equal(field, wrong_orders[i].field);
        json_free(j);
    }
    scenario_set_fini(&set);
}

static void what_the_board_has_not_is_the_rules_to_refuse(void **unused)
{
    struct json *j = parse("{\"do\":\"move\",\"figures\":[\"r1\",\"zz\"],\"path\":[\"b3\",\"z99\"],"
                           "\"more\":1}");
    char field[PLAY_WHY_LEN] = "";
    struct scenario_set set;
    struct rules_order o;

    (void)unused;
    scenario_set_init(&set);
    assert_int_equal(order_from_json(j, scenario_set_find(&set, "first-blood"), &o, field), ERR_OK);
    assert_int_equal(o.n_figures, 2);
    assert_int_equal(o.figure[0], 0);
    assert_int_equal(o.figure[1], RULES_NO_FIGURE);
    assert_int_equal(o.path[1], RULES_NO_SQUARE);
    assert_int_equal(o.face, RULES_NO_DIR);
    json_free(j);
    scenario_set_fini(&set);
}

/* ---- events and positions that aren't any ---- */

static const char *const wrong_events[] = {
    "{}",
    "{\"kind\":\"opened\"}",
    "{\"kind\":\"initiative\",\"turn\":1,\"dice\":[[6,7]],\"first\":\"red\"}",
    "{\"kind\":\"initiative\",\"turn\":1,\"dice\":[[6]],\"first\":\"red\"}",
    "{\"kind\":\"initiative\",\"turn\":1,\"dice\":[[6,1]],\"first\":\"green\"}",
    "{\"kind\":\"phase\",\"turn\":-1,\"side\":\"red\"}",
    "{\"kind\":\"phase\",\"turn\":1}",
    "{\"kind\":\"arrive\",\"side\":\"red\",\"wave\":0,\"figures\":[],\"waiting\":[]}",
    "{\"kind\":\"morale\",\"figure\":\"r1\",\"die\":3,\"bonus\":2,\"result\":\"halt\"}",
    "{\"kind\":\"fall_back\",\"figure\":\"r1\",\"state\":\"halt\",\"from\":\"a1\",\"path\":[],"
    "\"face\":\"n\",\"left\":false}",
    "{\"kind\":\"move\",\"figures\":[],\"from\":\"a1\",\"path\":[\"a2\"],\"face\":\"n\"}",
    "{\"kind\":\"move\",\"figures\":[\"r1\"],\"from\":\"a1\",\"path\":[\"a2\",\"a3\",\"a4\",\"a5\","
    "\"a6\",\"a7\"],\"face\":\"n\"}",
    "{\"kind\":\"move\",\"figures\":[\"r1\"],\"from\":\"a1\",\"path\":[],\"face\":\"n\","
    "\"left\":true}",
    "{\"kind\":\"turn\",\"figures\":[\"r7\"],\"at\":\"a1\",\"face\":\"n\"}",
    "{\"kind\":\"undo\"}",
    "{\"kind\":\"volley\",\"square\":\"a1\",\"face\":\"n\",\"target\":\"a4\",\"range\":3,"
    "\"to_hit\":4,\"to_save\":5,\"shots\":[{\"figure\":\"r1\",\"at\":\"n1\",\"die\":5}]}",
    "{\"kind\":\"melee\",\"dice\":[],\"pairings\":[],\"saves\":[]}",
    "{\"kind\":\"over\",\"reason\":\"limit\"}",
    "{\"kind\":\"over\",\"winner\":null,\"reason\":\"none\"}",
};

static void what_is_no_event_is_refused_and_leaves_nothing(void **unused)
{
    struct scenario_set set;
    struct game_events ev = {0};

    (void)unused;
    scenario_set_init(&set);
    for (size_t i = 0; i < ARRAY_LEN(wrong_events); i++) {
        struct json *j = parse(wrong_events[i]);

        if (event_from_json(j, scenario_set_find(&set, "first-blood"), RULES_NO_DIR, &ev) !=
            ERR_DATA)
            fail_msg("taken: %s", wrong_events[i]);
        assert_int_equal(ev.out.n_events, 0);
        assert_int_equal(ev.out.n_items, 0);
        json_free(j);
    }
    game_events_fini(&ev);
    scenario_set_fini(&set);
}

/* One thing wrong in the position at the start: the text replaced. */
static const struct wrong_state {
    const char *from, *to;
} wrong_states[] = {
    {"\"turn\":0", "\"turn\":1000"},
    {"\"first\":null", "\"first\":\"green\""},
    {"\"first\":null,", ""},
    {"\"id\":\"r2\"", "\"id\":\"r1\""},
    {"\"at\":\"b2\"", "\"at\":\"z2\""},
    {"\"at\":\"b2\"", "\"at\":\"d2\""}, /* two in one square of a 1in board */
    {"\"at\":\"b2\"", "\"at\":null"},   /* ready, but nowhere */
    {"\"face\":\"n\"", "\"face\":null"},
    {"\"status\":\"ready\"", "\"status\":\"asleep\""},
    {"\"status\":\"ready\"", "\"status\":\"dead\""},
    {"\"rank\":1", "\"rank\":0"},
    {"\"testing\":[]", "\"testing\":[\"green\"]"},
    {"\"fired\":[]", "\"fired\":[\"m1\"]"},
    {"\"fired\":[]", "\"fired\":[],\"waves\":[{\"wave\":0,\"edge\":\"n\"}]"},
    {"\"fired\":[]", "\"fired\":[],\"over\":{\"winner\":null}"},
};

static void what_is_no_position_is_refused(void **unused)
{
    const struct scenario *scn;
    struct scenario_set set;
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    struct rules_state s;

    (void)unused;
    scenario_set_init(&set);
    scn = scenario_set_find(&set, "first-blood");
    rules_begin(&scn->board, &s);
    jsonw_obj(&w);
    state_members(&w, scn, &scn->board, &s);
    jsonw_obj_end(&w);
    for (size_t i = 0; i < ARRAY_LEN(wrong_states); i++) {
        const char *at = strstr(buf_str(&text), wrong_states[i].from);
        struct buf wrong = BUF_EMPTY;
        struct json *j;

        assert_non_null(at);
        buf_put(&wrong, text.data, (size_t)(at - text.data));
        buf_puts(&wrong, wrong_states[i].to);
        buf_puts(&wrong, at + strlen(wrong_states[i].from));
        j = parse(buf_str(&wrong));
        if (state_from_json(j, scn, &s) != ERR_DATA)
            fail_msg("taken: %s for %s", wrong_states[i].to, wrong_states[i].from);
        json_free(j);
        buf_fini(&wrong);
    }
    buf_fini(&text);
    scenario_set_fini(&set);
}

/* ---- refusals ---- */

static void refusals_are_whole_sentences(void **unused)
{
    const struct scenario *scn;
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    scn = scenario_set_find(&set, "first-blood");
    for (unsigned why = RULES_WHY_NONE; why < RULES_WHY_COUNT; why++) {
        const struct rules_refusal bare = {
            .why = (uint8_t)why, .figure = RULES_NO_FIGURE, .square = RULES_NO_SQUARE};
        struct buf words = BUF_EMPTY;

        refusal_words(scn, &scn->board, &bare, &words);
        assert_true(words.len > 10);
        assert_null(strpbrk(buf_str(&words), "{}"));
        buf_fini(&words);
    }
    scenario_set_fini(&set);
}

static void refusals_say_who_where_and_how_far(void **unused)
{
    static const struct {
        struct rules_refusal why;
        const char *words;
    } rows[] = {
        {{.why = RULES_WHY_TOO_FAR, .figure = 0, .square = RULES_NO_SQUARE, .asked = 3},
         "a regular moves 2 squares, 1 uphill; this way is 3"},
        {{.why = RULES_WHY_UPHILL, .figure = 6, .square = 1, .asked = 3, .allowed = 2},
         "uphill an irregular moves 2 squares; this way climbs and is 3"},
        {{.why = RULES_WHY_GROUND, .figure = 0, .square = 62},
         "c6 is a building; nobody enters it"},
        {{.why = RULES_WHY_OFF_BOARD, .figure = 0, .square = RULES_NO_SQUARE},
         "that square isn't on the board; it goes from a1 to l10"},
        {{.why = RULES_WHY_OUT_OF_REACH, .figure = 6, .square = 109, .asked = 8, .allowed = 5},
         "n1 at b10 is 8 away; shots reach 5 squares"},
        {{.why = RULES_WHY_BLOCKED, .figure = RULES_NO_FIGURE, .square = 88},
         "no target: woods at e8 in the line"},
    };
    const struct scenario *scn;
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    scn = scenario_set_find(&set, "first-blood");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf words = BUF_EMPTY;

        refusal_words(scn, &scn->board, &rows[i].why, &words);
        assert_string_equal(buf_str(&words), rows[i].words);
        buf_fini(&words);
    }
    scenario_set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(games_go_through_json_unchanged),
        cmocka_unit_test(a_wrong_shape_names_the_member),
        cmocka_unit_test(undo_and_end_phase_have_no_members),
        cmocka_unit_test(what_the_board_has_not_is_the_rules_to_refuse),
        cmocka_unit_test(what_is_no_event_is_refused_and_leaves_nothing),
        cmocka_unit_test(what_is_no_position_is_refused),
        cmocka_unit_test(refusals_are_whole_sentences),
        cmocka_unit_test(refusals_say_who_where_and_how_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
