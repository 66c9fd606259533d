/* SPDX-License-Identifier: ISC
 * proto_scenario.c -- scenario files: what a sound one becomes, and every error with its words.
 */
#include "proto/scenario.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "common/base/hex.h"
#include "common/base/mem.h"

/* Sides are mixed up in the file on purpose: the roster is A's figures, A's waves, then B's. */
static const char sound[] =
    "{\"format\":1,\"id\":\"test\",\"title\":\"Test\",\"author\":\"us\",\"summary\":\"s\","
    "\"scale\":\"1in\",\"size\":[6,4],\"turns\":9,"
    "\"ground\":[\".wrB~V\",\"......\",\"......\",\"rrrrrr\"],"
    "\"heights\":[\"012345\",\"000000\",\"000000\",\"000009\"],"
    "\"obstacles\":[{\"kind\":\"wall\",\"edges\":[\"c2n\",\"c2e\"]},"
    "{\"kind\":\"stream\",\"edges\":[\"a2s\"]}],"
    "\"sides\":[{\"id\":\"red\",\"name\":\"Red\",\"home\":\"s\",\"win\":["
    "{\"kind\":\"kill\",\"figures\":[\"b2\"]},"
    "{\"kind\":\"exit\",\"figures\":[\"r1\",\"r9\"],\"edge\":\"n\"},"
    "{\"kind\":\"hold\",\"squares\":[\"a3\",\"b3\"],\"turn\":5},"
    "{\"kind\":\"reach\",\"figures\":[\"r1\"],\"squares\":[\"f2\"]},"
    "{\"kind\":\"survive\",\"turn\":8}]},"
    "{\"id\":\"blue\",\"name\":\"Blue\",\"home\":\"n\",\"limit_winner\":true}],"
    "\"figures\":[{\"id\":\"b1\",\"side\":\"blue\",\"type\":\"irregular\",\"at\":\"a4\",\"face\":"
    "\"s\"},"
    "{\"id\":\"r1\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"a2\",\"face\":\"n\","
    "\"name\":\"Dupont\",\"commander\":true},"
    "{\"id\":\"w1\",\"side\":\"red\",\"type\":\"wagon\",\"at\":\"f1\",\"face\":\"w\"}],"
    "\"waves\":[{\"side\":\"blue\",\"turn\":2,\"d6\":{\"1\":\"n\",\"2\":\"e\",\"3\":\"s\",\"4\":"
    "\"w\","
    "\"5\":\"n\",\"6\":\"e\"},\"figures\":[{\"id\":\"b2\",\"type\":\"mounted\"}]},"
    "{\"side\":\"red\",\"turn\":3,\"squares\":[\"a1\",\"b1\"],\"figures\":["
    "{\"id\":\"r9\",\"type\":\"civilian\"}]},"
    "{\"side\":\"red\",\"turn\":9,\"edge\":\"w\",\"figures\":[{\"id\":\"r8\",\"type\":\"regular\"}]"
    "}],"
    "\"readings\":{\"melee\":\"after_each\"}}";

static struct scenario *parse(const char *text)
{
    char why[SCENARIO_WHY_LEN] = "";
    struct scenario *s = NULL;

    if (scenario_parse(text, strlen(text), &s, why) != ERR_OK)
        fail_msg("refused: %s", why);
    return s;
}

/* `text` with the first `from` replaced; owned by the caller. */
static char *replaced(const char *text, const char *from, const char *to)
{
    struct buf out = BUF_EMPTY;
    const char *at = strstr(text, from);

    if (at == NULL)
        fail_msg("no %s in the text", from);
    buf_put(&out, text, (size_t)(at - text));
    buf_puts(&out, to);
    buf_puts(&out, at + strlen(from));
    return buf_detach(&out);
}

static void a_sound_file_becomes_a_board(void **unused)
{
    struct scenario *s = parse(sound);
    const struct rules_board *b = &s->board;

    (void)unused;
    assert_string_equal(s->id, "test");
    assert_string_equal(s->side[RULES_B].name, "Blue");
    assert_int_equal(b->w, 6);
    assert_int_equal(b->h, 4);
    assert_int_equal(b->turns, 9);
    assert_int_equal(b->stack, 1);
    assert_int_equal(b->ground[rules_square_parse(b, "b4")], RULES_WOODS);
    assert_int_equal(b->ground[rules_square_parse(b, "f4")], RULES_VEHICLE);
    assert_int_equal(b->ground[rules_square_parse(b, "a1")], RULES_ROAD);
    assert_int_equal(b->height[rules_square_parse(b, "d4")], 3);
    assert_int_equal(b->height[rules_square_parse(b, "f1")], 9);
    assert_int_equal(rules_obstacle_at(b, rules_square_parse(b, "c3"), RULES_S), RULES_WALL);
    assert_int_equal(rules_obstacle_at(b, rules_square_parse(b, "d2"), RULES_W), RULES_WALL);
    assert_int_equal(rules_obstacle_at(b, rules_square_parse(b, "a1"), RULES_N), RULES_STREAM);
    assert_int_equal(b->readings.melee, 1);
    assert_int_equal(b->readings.turning, 0);
    assert_int_equal(b->side[RULES_A].limit_winner, 0);
    assert_int_equal(b->side[RULES_B].limit_winner, 1);
    assert_int_equal(b->side[RULES_A].soldiers, 2); /* r1 and r8, due later */
    scenario_free(s);
}

static void the_roster_is_in_the_rules_order(void **unused)
{
    static const char *const order[] = {"r1", "w1", "r9", "r8", "b1", "b2"};
    struct scenario *s = parse(sound);
    const struct rules_board *b = &s->board;

    (void)unused;
    assert_int_equal(b->n_figures, ARRAY_LEN(order));
    for (unsigned i = 0; i < ARRAY_LEN(order); i++)
        assert_string_equal(b->id[i], order[i]);
    assert_int_equal(b->figure[0].commander, 1);
    assert_string_equal(s->figure_name[0], "Dupont");
    assert_null(s->figure_name[1]);
    /* waves keep the file's order */
    assert_int_equal(b->n_waves, 3);
    assert_int_equal(b->wave[0].side, RULES_B);
    assert_int_equal(b->wave[0].entry, RULES_ENTRY_TABLE);
    assert_int_equal(b->wave[0].figure, 5);
    assert_int_equal(b->wave[0].edge[3], RULES_W);
    assert_int_equal(b->wave[1].figure, 2);
    assert_int_equal(b->wave[1].n, 2);
    assert_int_equal(b->list[b->wave[1].list + 1], 1);
    assert_int_equal(b->wave[2].edge[0], RULES_W);
    assert_int_equal(b->figure[3].wave, 2);
    assert_int_equal(b->figure[3].at, RULES_NO_SQUARE);
    assert_int_equal(b->figure[0].wave, RULES_NO_WAVE);
    scenario_free(s);
}

static void conditions_are_read_and_the_default_filled_in(void **unused)
{
    struct scenario *s = parse(sound);
    const struct rules_board_side *a = &s->board.side[RULES_A], *b = &s->board.side[RULES_B];

    (void)unused;
    assert_int_equal(a->n_wins, 5);
    assert_int_equal(a->win[0].kind, RULES_WIN_KILL);
    assert_true(a->win[0].figures[0] == UINT64_C(1) << 5);
    assert_int_equal(a->win[1].count, 2); /* absent: all of them */
    assert_int_equal(a->win[1].edge, RULES_N);
    assert_int_equal(a->win[2].turn, 5);
    assert_int_equal(a->win[2].n, 2);
    assert_int_equal(a->win[4].turn, 8);
    assert_int_equal(b->n_wins, 2);
    assert_int_equal(b->win[0].kind, RULES_WIN_ELIMINATE);
    assert_int_equal(b->win[1].kind, RULES_WIN_BASELINE);
    scenario_free(s);
}

static void json_is_the_members_compact_and_the_hash_over_it(void **unused)
{
    struct scenario *s = parse(sound);
    char *spaced = replaced(sound, "\"id\":\"test\",", "\"x\":[1, {}],\n \"id\" : \"test\",");
    struct scenario *other = parse(spaced);
    char hex[2 * RULES_HASH_LEN + 1];

    (void)unused;
    assert_string_equal(s->json, sound);
    assert_int_equal(s->json_len, strlen(sound));
    hex_encode(hex, s->hash, sizeof(s->hash));
    assert_string_equal(hex, "2900394872557ad93fecac8c0c9a4f84af3283d6d3602cf2d8f235899974dd94");
    assert_memory_equal(other->json, "{\"format\":1,\"x\":[1,{}],\"id\":\"test\",", 35);
    assert_memory_not_equal(other->hash, s->hash, sizeof(s->hash));
    scenario_free(s);
    scenario_free(other);
    mem_free(spaced);
}

static void defaults_stand_where_nothing_is_said(void **unused)
{
    struct scenario *s =
        parse("{\"format\":1,\"id\":\"x\",\"title\":\"\",\"author\":\"\",\"summary\":\"\","
              "\"scale\":\"3in\",\"size\":[4,4],\"ground\":[\"....\",\"....\",\"....\",\"....\"],"
              "\"sides\":[{\"id\":\"a\",\"name\":\"A\",\"home\":\"s\",\"win\":[]},"
              "{\"id\":\"b\",\"name\":\"B\",\"home\":\"n\"}],\"figures\":["
              "{\"id\":\"1\",\"side\":\"a\",\"type\":\"regular\",\"at\":\"a1\",\"face\":\"n\"},"
              "{\"id\":\"2\",\"side\":\"b\",\"type\":\"mounted\",\"at\":\"d4\",\"face\":\"s\"}]}");

    (void)unused;
    assert_int_equal(s->board.turns, 50);
    assert_int_equal(s->board.stack, 6);
    assert_int_equal(s->board.n_waves, 0);
    assert_int_equal(s->board.side[RULES_A].n_wins, 2);
    scenario_free(s);
}

/* One thing wrong in the sound file: the text replaced, and what is said about it. */
static const struct flaw {
    const char *from, *to, *why;
} flaws[] = {
    {"\"format\":1", "\"format\":2", "format: is 2; it must be 1"},
    {"\"format\":1,", "", "format: is missing; it must be a whole number"},
    {"\"id\":\"test\"", "\"id\":\"Test\"", "id: \"Test\" is no id; use 1 to 32 of a-z, 0-9 and -"},
    {"\"id\":\"test\"", "\"id\":\"\"", "id: \"\" is no id; use 1 to 32 of a-z, 0-9 and -"},
    {"\"id\":\"test\"", "\"id\":\"abcdefghijklmnopqrstuvwxyz0123456\"",
     "id: \"abcdefghijklmnopqrstuvwxyz0123456\" is no id; use 1 to 32 of a-z, 0-9 and -"},
    {"\"title\":\"Test\"", "\"title\":7", "title: is a number; it must be a string"},
    {"\"title\":\"Test\"", "\"title\":\"a\\u001bb\"",
     "title: has a control or invisible character at byte 1; use plain text"},
    {"\"author\":\"us\",", "", "author: is missing; it must be a string"},
    {"\"1in\"", "\"2in\"", "scale: \"2in\" is unknown; use 1in or 3in"},
    {"[6,4]", "[6,3]", "size[1]: is 3; it must be 4 to 64"},
    {"[6,4]", "[65,4]", "size[0]: is 65; it must be 4 to 64"},
    {"[6,4]", "[6]", "size: has 1 elements; at least 2 must be there"},
    {"\"turns\":9", "\"turns\":0", "turns: is 0; it must be 1 to 999"},
    {"\"turns\":9", "\"turns\":\"9\"", "turns: is a string; it must be a whole number"},
    {"\"turns\":9", "\"stack\":10", "stack: is 10; it must be 1 to 9"},
    {"\"......\",", "", "ground: has 3 rows; the board is 4 high, north first"},
    {"\"......\"", "\".....\"", "ground[1]: has 5 characters; the board is 6 wide, one each"},
    {".wrB~V", ".wrX~V", "ground[0]: unknown character in \"X~V\"; use only .wrB~V"},
    {"\"012345\"", "\"01234x\"", "heights[0]: unknown character in \"x\"; use only 0123456789"},
    {"\"wall\"", "\"hedge\"",
     "obstacles[0].kind: \"hedge\" is unknown; use wall, fence, stream or barricade"},
    {"\"c2n\"", "\"c5n\"",
     "obstacles[0].edges[0]: \"c5n\" is no edge of the 6x4 board; use a square and n, e, s or w"},
    {"\"c2n\"", "\"c2\"",
     "obstacles[0].edges[0]: \"c2\" is no edge of the 6x4 board; use a square and n, e, s or w"},
    {"\"c2n\"", "\"c4n\"",
     "obstacles[0].edges[0]: c4n is the board's rim; an obstacle lies between two squares (R4)"},
    {"\"id\":\"blue\"", "\"id\":\"red\"",
     "sides[1].id: is red as the first side's; the two must differ"},
    {"\"home\":\"n\"", "\"home\":\"x\"", "sides[1].home: \"x\" is unknown; use n, e, s or w"},
    {"\"home\":\"s\"", "\"home\":\"s\",\"limit_winner\":true",
     "sides[1].limit_winner: both sides have it; at most one may (R43)"},
    {"\"limit_winner\":true", "\"limit_winner\":1",
     "sides[1].limit_winner: is a number; it must be true or false"},
    {"\"melee\":\"after_each\"", "\"melee\":\"never\"",
     "readings.melee: is unknown; use after_both or after_each (R50)"},
    {"\"side\":\"blue\"", "\"side\":\"green\"",
     "figures[0].side: there is no side \"green\"; use red or blue"},
    {"\"id\":\"w1\"", "\"id\":\"r1\"",
     "figures[2].id: there is a figure r1 already; give each its own id"},
    {"\"type\":\"irregular\"", "\"type\":\"knight\"",
     "figures[0].type: \"knight\" is unknown; use irregular, regular, mounted, civilian or wagon"},
    {"\"at\":\"a2\"", "\"at\":\"z9\"", "figures[1].at: z9 is not on the 6x4 board; use a1 to f4"},
    {"\"at\":\"a2\"", "\"at\":\"d4\"",
     "figures[1].at: d4 is building, where nobody stands (R3); use another square"},
    {"\"at\":\"a4\"", "\"at\":\"a2\"",
     "figures[0].at: a2 holds r1 of the other side; use another square (R2)"},
    {"\"at\":\"f1\"", "\"at\":\"a2\"",
     "figures[2].at: a2 holds r1; a wagon has its square to itself (R17)"},
    {"\"type\":\"wagon\",\"at\":\"f1\"", "\"type\":\"regular\",\"at\":\"a2\"",
     "figures[2].at: a2 holds 1 already, all that a square may (R2); use another"},
    {"\"face\":\"s\"", "\"face\":null", "figures[0].face: is null; it must be n, e, s or w"},
    {"\"type\":\"regular\",\"at\":\"a2\"", "\"type\":\"civilian\",\"at\":\"a2\"",
     "figures[1].commander: a civilian can't command; only soldiers do (R6)"},
    {"\"type\":\"wagon\"", "\"type\":\"wagon\",\"name\":\"\\u202e\"",
     "figures[2].name: has a control or invisible character at byte 0; use plain text"},
    {"\"side\":\"blue\",\"turn\":2", "\"side\":\"grey\",\"turn\":2",
     "waves[0].side: there is no side \"grey\"; use red or blue"},
    {"\"turn\":9,", "\"turn\":10,", "waves[2].turn: is 10; it must be 1 to 9"},
    {"\"edge\":\"w\",", "", "waves[2]: must have exactly one of squares, edge and d6"},
    {"\"edge\":\"w\",", "\"edge\":\"w\",\"squares\":[\"a1\"],",
     "waves[2]: must have exactly one of squares, edge and d6"},
    {",\"6\":\"e\"", "", "waves[0].d6.6: is missing; it must be n, e, s or w"},
    {"[\"a1\",\"b1\"]", "[]", "waves[1].squares: has 0 elements; at least 1 must be there"},
    {"[\"a1\",\"b1\"]", "[\"a1\",\"g1\"]",
     "waves[1].squares[1]: g1 is not on the 6x4 board; use a1 to f4"},
    {"[{\"id\":\"r8\",\"type\":\"regular\"}]", "[]",
     "waves[2].figures: has 0 elements; at least 1 must be there"},
    {"\"kind\":\"kill\"", "\"kind\":\"rob\"",
     "sides[0].win[0].kind: \"rob\" is unknown; use eliminate, kill, exit, hold, baseline, survive "
     "or reach"},
    {"[\"b2\"]", "[\"b3\"]",
     "sides[0].win[0].figures[0]: there is no figure \"b3\"; use an id of figures or waves"},
    {"[\"b2\"]", "[\"b2\",\"b2\"]",
     "sides[0].win[0].figures[1]: b2 is named already; name each figure once"},
    {"\"edge\":\"n\"", "\"edge\":\"n\",\"count\":3",
     "sides[0].win[1].count: is 3; it must be 1 to 2"},
    {"\"edge\":\"n\"", "\"count\":1", "sides[0].win[1].edge: is missing; it must be n, e, s or w"},
    {"\"turn\":5", "\"turn\":1000", "sides[0].win[2].turn: is 1000; it must be 1 to 999"},
    {"[\"f2\"]", "[\"f5\"]",
     "sides[0].win[3].squares[0]: f5 is not on the 6x4 board; use a1 to f4"},
    {",\"turn\":8", "", "sides[0].win[4].turn: is missing; it must be a whole number"},
};

static void every_error_names_the_member_and_what_is_right(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(flaws); i++) {
        char *text = replaced(sound, flaws[i].from, flaws[i].to);
        char why[SCENARIO_WHY_LEN] = "";
        struct scenario *s = NULL;

        if (scenario_parse(text, strlen(text), &s, why) != ERR_DATA)
            fail_msg("flaw %zu (%s) was taken, or gave another error", i, flaws[i].why);
        assert_null(s);
        assert_string_equal(why, flaws[i].why);
        mem_free(text);
    }
}

static void a_side_needs_a_soldier(void **unused)
{
    char *text = replaced(sound, "\"type\":\"irregular\"", "\"type\":\"civilian\"");
    char *both = replaced(text, "\"type\":\"mounted\"", "\"type\":\"civilian\"");
    char why[SCENARIO_WHY_LEN] = "";
    struct scenario *s = parse(text); /* the wave's rider is one */

    (void)unused;
    scenario_free(s);
    assert_int_equal(scenario_parse(both, strlen(both), &s, why), ERR_DATA);
    assert_string_equal(why, "figures: side blue has no soldier; give it an irregular, regular or "
                             "mounted figure (R6)");
    mem_free(text);
    mem_free(both);
}

/* Odd, but nothing is unclear about them. */
static void an_edge_named_twice_and_a_late_turn_are_taken(void **unused)
{
    char *text = replaced(sound, "\"c2e\"", "\"c3s\"");
    char *late = replaced(text, "\"turn\":5", "\"turn\":10");
    struct scenario *s = parse(late);

    (void)unused;
    assert_int_equal(rules_obstacle_at(&s->board, rules_square_parse(&s->board, "c3"), RULES_S),
                     RULES_WALL);
    assert_int_equal(s->board.side[RULES_A].win[2].turn, 10);
    scenario_free(s);
    mem_free(text);
    mem_free(late);
    text = replaced(sound, "\"a2s\"", "\"d2w\"");
    s = parse(text); /* a wall, then a stream */
    assert_int_equal(rules_obstacle_at(&s->board, rules_square_parse(&s->board, "d2"), RULES_W),
                     RULES_STREAM);
    scenario_free(s);
    mem_free(text);
}

static void what_is_no_object_is_refused(void **unused)
{
    static const char *const texts[] = {"", "[]", "7", "{", "{\"format\":1}}", "\"format\""};

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        char why[SCENARIO_WHY_LEN] = "";
        struct scenario *s = NULL;

        assert_int_equal(scenario_parse(texts[i], strlen(texts[i]), &s, why), ERR_DATA);
        assert_null(s);
        assert_true(why[0] != '\0');
    }
}

static void readings_are_read_over_and_written_whole(void **unused)
{
    struct rules_readings r = {.saves = 1};
    static const char text[] = "{\"volley\":\"all\",\"other\":1}", bad[] = "{\"saves\":1}";
    char why[SCENARIO_WHY_LEN] = "";
    struct buf out = BUF_EMPTY;
    struct json *j = NULL;

    (void)unused;
    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_OK);
    assert_int_equal(readings_from_json(j, &r, why), ERR_OK);
    json_free(j);
    readings_to_json(&r, &out);
    assert_string_equal(buf_str(&out),
                        "{\"turning\":\"action\",\"melee\":\"after_both\",\"saves\":\"one\","
                        "\"volley\":\"all\",\"roster\":\"all\"}");
    assert_int_equal(json_parse(bad, strlen(bad), &json_wire_limits, &j, why), ERR_OK);
    assert_int_equal(readings_from_json(j, &r, why), ERR_PARAMS);
    assert_int_equal(r.saves, 1);
    json_free(j);
    buf_fini(&out);
}

static void the_shipped_ones_are_sound(void **unused)
{
    static const char *const ids[] = {"first-blood", "tin-lizzy-down", "cowboys-and-indians"};
    struct scenario_set set;

    (void)unused;
    scenario_set_init(&set);
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        const struct scenario *s = scenario_set_find(&set, ids[i]);

        assert_non_null(s);
        assert_string_equal(s->id, ids[i]);
    }
    assert_null(scenario_set_find(&set, "nope"));
    scenario_set_fini(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_file_becomes_a_board),
        cmocka_unit_test(the_roster_is_in_the_rules_order),
        cmocka_unit_test(conditions_are_read_and_the_default_filled_in),
        cmocka_unit_test(json_is_the_members_compact_and_the_hash_over_it),
        cmocka_unit_test(defaults_stand_where_nothing_is_said),
        cmocka_unit_test(every_error_names_the_member_and_what_is_right),
        cmocka_unit_test(a_side_needs_a_soldier),
        cmocka_unit_test(an_edge_named_twice_and_a_late_turn_are_taken),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(readings_are_read_over_and_written_whole),
        cmocka_unit_test(the_shipped_ones_are_sound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
