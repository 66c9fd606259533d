/* SPDX-License-Identifier: ISC
 * client_doubts.c -- what looks wrong in a scenario: each doubt from a file that has just that.
 */
#include "client/scenario_doubts.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* %s in turn: ground (5 rows of 5), red's win, figures more, waves. */
static const char frame[] =
    "{\"format\":1,\"id\":\"d\",\"title\":\"D\",\"author\":\"a\",\"summary\":\"s\",\"scale\":"
    "\"1in\",\"size\":[5,5],\"turns\":9,\"ground\":[%s],\"sides\":[{\"id\":\"red\",\"name\":"
    "\"Red\","
    "\"home\":\"s\",\"win\":[%s]},{\"id\":\"blue\",\"name\":\"Blue\",\"home\":\"n\",\"win\":["
    "{\"kind\":\"eliminate\"}]}],\"figures\":[{\"id\":\"r1\",\"side\":\"red\",\"type\":\"regular\","
    "\"at\":\"a1\",\"face\":\"n\"},{\"id\":\"b1\",\"side\":\"blue\",\"type\":\"regular\",\"at\":"
    "\"a5\",\"face\":\"s\"}%s],\"waves\":[%s]}";

static const char open_ground[] = "\".....\",\".....\",\".....\",\".....\",\".....\"";
static const char kill_all[] = "{\"kind\":\"eliminate\"}";

/* The doubts about a file; `words` must be in them, or there must be none when it is NULL. */
static void expect(const char *ground, const char *win, const char *figures, const char *waves,
                   const char *words)
{
    struct buf file = BUF_EMPTY, out = BUF_EMPTY;
    char why[SCENARIO_WHY_LEN] = "";
    struct scenario *s = NULL;
    unsigned n;

    buf_printf(&file, frame, ground, win, figures, waves);
    if (scenario_parse(buf_str(&file), file.len, &s, why) != ERR_OK)
        fail_msg("refused: %s\n%s", why, buf_str(&file));
    n = scenario_doubts(s, "- ", &out);
    if (words == NULL)
        assert_int_equal(n, 0);
    else if (n == 0 || strstr(buf_str(&out), words) == NULL)
        fail_msg("no \"%s\" in \"%s\"", words, buf_str(&out));
    scenario_free(s);
    buf_fini(&out);
    buf_fini(&file);
}

static void a_plain_file_raises_none(void **unused)
{
    (void)unused;
    expect(open_ground, kill_all, "", "", NULL);
}

static void squares_and_water(void **unused)
{
    (void)unused;
    expect("\"...B.\",\"...BB\",\".....\",\".....\",\".....\"", kill_all, "", "",
           "nobody can ever reach e5");
    expect("\".....\",\".....\",\"~~~~~\",\".....\",\".....\"", kill_all, "", "",
           "the water has no ford");
    expect("\".....\",\".....\",\"~~.~~\",\".....\",\".....\"", kill_all, "", "", NULL);
}

static void waves_without_room(void **unused)
{
    static const char one[] = "\"figures\":[{\"id\":\"w1\",\"type\":\"regular\"}]}";
    struct buf wave = BUF_EMPTY;

    (void)unused;
    buf_printf(&wave, "{\"side\":\"red\",\"turn\":2,\"edge\":\"e\",%s", one);
    expect("\"....B\",\"....B\",\"....B\",\"....~\",\"....B\"", kill_all, "", buf_str(&wave),
           "waves[0] can't enter");
    expect(open_ground, kill_all, "", buf_str(&wave), NULL);
    expect(open_ground, kill_all, "",
           "{\"side\":\"red\",\"turn\":2,\"squares\":[\"c1\"],\"figures\":[{\"id\":\"w1\","
           "\"type\":\"regular\"},{\"id\":\"w2\",\"type\":\"regular\"}]}",
           "2 figures and room for 1");
    expect(open_ground, kill_all, "",
           "{\"side\":\"red\",\"turn\":2,\"edge\":\"e\",\"figures\":[{\"id\":\"w1\",\"type\":"
           "\"wagon\"}]}",
           "there is no road");
    buf_fini(&wave);
}

static void conditions_that_cannot_be_met(void **unused)
{
    static const char wagon[] = ",{\"id\":\"w\",\"side\":\"red\",\"type\":\"wagon\",\"at\":\"b2\","
                                "\"face\":\"e\"}";
    static const char cart[] = ",{\"id\":\"w\",\"side\":\"blue\",\"type\":\"wagon\",\"at\":\"b2\","
                               "\"face\":\"e\"}";
    static const char road[] = "\".....\",\".....\",\".....\",\".rrr.\",\".....\"";
    static const char off[] = "{\"kind\":\"exit\",\"figures\":[\"w\"],\"edge\":\"e\"}";

    (void)unused;
    expect(road, off, wagon, "", "can get to the east edge, 1 must leave by it");
    expect("\".....\",\".....\",\".....\",\".rrrr\",\".....\"", off, wagon, "", NULL);
    expect(open_ground, kill_all, wagon, "", "wagon w stands off the road");
    expect(road, "{\"kind\":\"reach\",\"figures\":[\"w\"],\"squares\":[\"e5\"]}", wagon, "",
           "none of the figures can get to the squares");
    expect(road, "{\"kind\":\"kill\",\"figures\":[\"w\"]}", cart, "", "nothing harms wagon w");
    expect(open_ground, "{\"kind\":\"kill\",\"figures\":[\"r1\"]}", "", "", "of the same side");
    expect(open_ground, "{\"kind\":\"hold\",\"squares\":[\"b2\",\"c2\"]}", "", "",
           "2 squares, and the side has 1 soldiers");
    expect("\".....\",\".....\",\"~~~~~\",\".....\",\".....\"",
           "{\"kind\":\"hold\",\"squares\":[\"c5\"]}", "", "", "nobody of the side can get to c5");
    expect("\".BBBB\",\".....\",\".....\",\".....\",\".....\"", "{\"kind\":\"baseline\"}",
           ",{\"id\":\"r2\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"c1\",\"face\":\"n\"}"
           ",{\"id\":\"r3\",\"side\":\"red\",\"type\":\"regular\",\"at\":\"d1\",\"face\":\"n\"}",
           "", "2 soldiers must stand on the north edge, where there is room for 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_file_raises_none),
        cmocka_unit_test(squares_and_water),
        cmocka_unit_test(waves_without_room),
        cmocka_unit_test(conditions_that_cannot_be_met),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
