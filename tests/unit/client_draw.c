/* SPDX-License-Identifier: ISC
 * client_draw.c -- the board and the forces as text, against pictures.
 */
#include "client/draw.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "client/describe.h"
#include "common/base/mem.h"

static const char small[] =
    "{\"format\":1,\"id\":\"small\",\"title\":\"T\",\"author\":\"A\",\"summary\":\"S\","
    "\"scale\":\"1in\",\"size\":[6,5],\"turns\":8,"
    "\"ground\":[\".w~...\",\"......\",\"rrrrrr\",\"..B.V.\",\"......\"],"
    "\"heights\":[\"000000\",\"000012\",\"000000\",\"000000\",\"000000\"],"
    "\"obstacles\":[{\"kind\":\"wall\",\"edges\":[\"b2n\"]},{\"kind\":\"fence\",\"edges\":[\"a4e\"]"
    "},"
    "{\"kind\":\"stream\",\"edges\":[\"d3n\",\"d3e\"]},{\"kind\":\"barricade\",\"edges\":[\"f1w\"]}"
    "],"
    "\"sides\":[{\"id\":\"red\",\"name\":\"Red\",\"home\":\"s\",\"win\":["
    "{\"kind\":\"exit\",\"figures\":[\"r1\",\"r2\"],\"count\":1,\"edge\":\"n\"},"
    "{\"kind\":\"hold\",\"squares\":[\"a5\",\"b5\"]},{\"kind\":\"survive\",\"turn\":8}]},"
    "{\"id\":\"blue\",\"name\":\"Blue\",\"home\":\"n\",\"limit_winner\":true}],"
    "\"figures\":["
    "{\"id\":\"r1\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"a1\",\"face\":\"n\","
    "\"commander\":true,"
    "\"name\":\"Dupont\"},"
    "{\"id\":\"r2\",\"side\":\"red\",\"type\":\"mounted\",\"at\":\"c1\",\"face\":\"e\"},"
    "{\"id\":\"w1\",\"side\":\"red\",\"type\":\"wagon\",\"at\":\"c3\",\"face\":\"w\"},"
    "{\"id\":\"long-id\",\"side\":\"blue\",\"type\":\"irregular\",\"at\":\"f5\",\"face\":\"s\"},"
    "{\"id\":\"c1\",\"side\":\"blue\",\"type\":\"civilian\",\"at\":\"e5\",\"face\":\"w\"}],"
    "\"waves\":[{\"side\":\"blue\",\"turn\":4,\"d6\":{\"1\":\"n\",\"2\":\"n\",\"3\":\"w\",\"4\":"
    "\"e\","
    "\"5\":\"e\",\"6\":\"e\"},\"figures\":[{\"id\":\"b9\",\"type\":\"irregular\"}]}]}";

static const char stacked[] =
    "{\"format\":1,\"id\":\"s\",\"title\":\"T\",\"author\":\"A\",\"summary\":\"S\","
    "\"scale\":\"3in\",\"size\":[4,4],\"ground\":[\"....\",\"....\",\"....\",\"....\"],"
    "\"sides\":[{\"id\":\"a\",\"name\":\"A\",\"home\":\"s\"},{\"id\":\"b\",\"name\":\"B\",\"home\":"
    "\"n\"}],"
    "\"figures\":[{\"id\":\"1\",\"side\":\"a\",\"type\":\"regular\",\"at\":\"b2\",\"face\":\"n\"},"
    "{\"id\":\"2\",\"side\":\"a\",\"type\":\"mounted\",\"at\":\"b2\",\"face\":\"e\"},"
    "{\"id\":\"3\",\"side\":\"b\",\"type\":\"mounted\",\"at\":\"d4\",\"face\":\"s\"}]}";

static struct scenario *parse(const char *text)
{
    char why[SCENARIO_WHY_LEN] = "";
    struct scenario *s = NULL;

    if (scenario_parse(text, strlen(text), &s, why) != ERR_OK)
        fail_msg("%s", why);
    return s;
}

static void check_board(const char *scenario, const struct draw_style *style, const char *want)
{
    struct scenario *s = parse(scenario);
    struct buf out = BUF_EMPTY;
    struct rules_state start;

    rules_begin(&s->board, &start);
    draw_board(&s->board, &start, style, &out);
    assert_string_equal(buf_str(&out), want);
    buf_fini(&out);
    scenario_free(s);
}

static void the_large_board_shows_edges(void **unused)
{
    (void)unused;
    check_board(small, &(struct draw_style){.ascii = false, .zoom = DRAW_AUTO},
                "      a   b   c   d   e   f\n"
                "  5   ·   ♣   ≈   ·  c◀  n▼\n"
                "\n"
                "  4   · ┇ ·   ·   ·   1   2\n"
                "                 ∼∼∼\n"
                "  3   ░   ░  W◀   ░ ≀ ░   ░\n"
                "         ━━━\n"
                "  2   ·   ·   ▓   ·   ▣   ·\n"
                "\n"
                "  1  R▲*  ·  M▶   ·   · ╳ ·\n");
}

static void ascii_says_the_same(void **unused)
{
    (void)unused;
    check_board(small, &(struct draw_style){.ascii = true, .zoom = DRAW_LARGE},
                "      a   b   c   d   e   f\n"
                "  5   .   \"   ~   .  c<  nv\n"
                "\n"
                "  4   . : .   .   .   1   2\n"
                "                 ~~~\n"
                "  3   :   :  W<   : ~ :   :\n"
                "         ===\n"
                "  2   .   .   #   .   %   .\n"
                "\n"
                "  1  R^*  .  M>   .   . x .\n");
}

static void the_small_board_lists_obstacles(void **unused)
{
    (void)unused;
    check_board(small, &(struct draw_style){.ascii = true, .zoom = DRAW_SMALL},
                "     a b c d e f\n"
                "  5  . \" ~ . c<nv\n"
                "  4  . . . . 1 2\n"
                "  3  : : W<: : :\n"
                "  2  . . # . % .\n"
                "  1  R^. M>. . .\n"
                "     stream d3n d3e\n"
                "     wall b2n\n"
                "     fence a4e\n"
                "     barricade e1e\n");
}

static void a_stack_shows_its_first_and_its_count(void **unused)
{
    (void)unused;
    check_board(stacked, &(struct draw_style){.ascii = true, .zoom = DRAW_AUTO},
                "      a   b   c   d\n"
                "  4   .   .   .  m1v\n"
                "\n"
                "  3   .   .   .   .\n"
                "\n"
                "  2   .  R2^  .   .\n"
                "\n"
                "  1   .   .   .   .\n");
}

static void a_wide_board_has_two_lines_of_names(void **unused)
{
    struct rules_board *b = mem_zalloc(sizeof(*b));
    struct rules_state s;
    struct buf out = BUF_EMPTY;

    (void)unused;
    b->w = 28;
    b->h = 4;
    b->stack = 1;
    rules_begin(b, &s);
    draw_board(b, &s, &(struct draw_style){.ascii = true, .zoom = DRAW_AUTO}, &out);
    assert_memory_equal(buf_str(&out),
                        "                                                         a a\n"
                        "     a b c d e f g h i j k l m n o p q r s t u v w x y z a b\n"
                        "  4  . . . . . . . . . . . . . . . . . . . . . . . . . . . .\n",
                        (size_t)3 * 61);
    buf_fini(&out);
    mem_free(b);
}

static void forces_list_what_each_figure_can_do(void **unused)
{
    const struct draw_style style = {.ascii = false, .zoom = DRAW_AUTO};
    struct scenario *s = parse(small);
    struct buf out = BUF_EMPTY;
    struct rules_state st;

    (void)unused;
    rules_begin(&s->board, &st);
    st.status[0] = RULES_HALTED;
    st.status[1] = RULES_ROUTING;
    st.status[2] = RULES_LEFT;
    st.at[2] = RULES_NO_SQUARE;
    st.left_by[2] = RULES_W;
    draw_force(s, &st, RULES_A, &style, &out);
    assert_string_equal(buf_str(&out), "  R r1*  regular    a1   ▲= halted  Dupont\n"
                                       "  M r2   mounted    c1   ▶‼ routing\n"
                                       "  W w1   wagon      -    left by w\n");
    buf_reset(&out);
    st.status[3] = RULES_DEAD;
    st.at[3] = RULES_NO_SQUARE;
    draw_force(s, &st, RULES_B, &style, &out);
    assert_string_equal(buf_str(&out), "  n long-id  irregular  -    killed\n"
                                       "  c c1       civilian   e5   ◀ ready\n"
                                       "  n b9       irregular  -    due in turn 4\n");
    buf_fini(&out);
    scenario_free(s);
}

static void the_legend_names_what_is_there(void **unused)
{
    struct scenario *s = parse(small);
    struct buf out = BUF_EMPTY;

    (void)unused;
    draw_legend(&s->board, &(struct draw_style){.ascii = true, .zoom = DRAW_AUTO}, &out);
    assert_string_equal(buf_str(&out),
                        "N irregular  R regular  M mounted  C civilian  W wagon  * commander\n"
                        ". open  \" woods  : road  # building  ~ water  % vehicle  1-9 height  "
                        "~~ stream  =| wall  -: fence  xx barricade\n");
    buf_fini(&out);
    scenario_free(s);
}

static void conditions_and_waves_are_said_in_words(void **unused)
{
    struct scenario *s = parse(small);
    struct buf out = BUF_EMPTY;

    (void)unused;
    describe_wins(s, RULES_A, &out);
    describe_wins(s, RULES_B, &out);
    describe_waves(s, &out);
    describe_limit(s, &out);
    assert_string_equal(
        buf_str(&out),
        "  - exit: 1 of r1 (Dupont), r2 off the board by the north edge (at once)\n"
        "  - hold: a soldier of its own, not routing, on each of a5, b5 at the end of any turn\n"
        "  - survive: turn 8 ends with no other condition met\n"
        "  - eliminate: no soldier of Red is on the board or still due (at once)\n"
        "  - baseline: half of its soldiers or more, not routing, on the baseline of Red in the "
        "south at the end of a turn\n"
        "  - turn 4, Blue: 1 irregular by the edge that a die gives: 1-2 north, 3 west, 4-6 east\n"
        "After turn 8: victory for Blue.\n");
    buf_fini(&out);
    scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_large_board_shows_edges),
        cmocka_unit_test(ascii_says_the_same),
        cmocka_unit_test(the_small_board_lists_obstacles),
        cmocka_unit_test(a_stack_shows_its_first_and_its_count),
        cmocka_unit_test(a_wide_board_has_two_lines_of_names),
        cmocka_unit_test(forces_list_what_each_figure_can_do),
        cmocka_unit_test(the_legend_names_what_is_there),
        cmocka_unit_test(conditions_and_waves_are_said_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
