/* SPDX-License-Identifier: ISC
 * proto_entry.c -- journal entries there and back, and what isn't one.
 */
#include "common/base/buf.h"
#include "proto/entry.h"
#include "tests/cmocka_all.h"

#define X64 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

/* first-blood's sides and figures; every kind around play, and a few of play. */
static const char *const lines[] = {
    "{\"seq\":1,\"ts\":1700000000000,\"kind\":\"opened\",\"match\":"
    "\"00112233445566778899aabbccddeeff\","
    "\"no\":7,\"scenario\":\"first-blood\",\"scenario_hash\":\"" X64
    "\",\"readings\":{\"turning\":\"free\",\"melee\":\"after_both\",\"saves\":\"one\",\"volley\":"
    "\"front\",\"roster\":\"arrived\"},\"clock\":{\"kind\":\"live\",\"main_s\":600,\"phase_s\":5},"
    "\"fair\":\"strict\",\"rated\":true,\"maker\":\"alice\",\"side\":\"random\",\"anchor\":\"" X64
    "\"}",
    "{\"seq\":2,\"ts\":0,\"kind\":\"joined\",\"player\":\"bob\",\"role\":\"B\"}",
    "{\"seq\":3,\"ts\":1,\"kind\":\"anchor\",\"role\":\"S\",\"generation\":65535,\"anchor\":\"" X64
    "\"}",
    "{\"seq\":4,\"ts\":1,\"kind\":\"absent\",\"role\":\"A\",\"roll\":3}",
    "{\"seq\":5,\"ts\":1,\"kind\":\"roll\",\"n\":3,\"for\":4,\"flags\":2,\"s\":\"" X64
    "\",\"a\":null,\"b\":\"" X64 "\",\"dice\":[1,6,3],\"left\":{\"A\":1000,\"B\":0}}",
    "{\"seq\":6,\"ts\":1,\"kind\":\"started\",\"sides\":{\"A\":\"alice\",\"B\":\"bob\"}}",
    "{\"seq\":7,\"ts\":1,\"kind\":\"order\",\"side\":\"A\",\"order_id\":\"a \\\"\\\\ "
    "\xc3\xa9\",\"order\":{"
    "\"do\":\"end_phase\"},\"left\":{\"A\":1,\"B\":2}}",
    "{\"seq\":8,\"ts\":1,\"kind\":\"offer\",\"id\":1,\"side\":\"B\",\"offer\":\"undo\"}",
    "{\"seq\":9,\"ts\":1,\"kind\":\"answer\",\"id\":1,\"side\":\"A\",\"accept\":false}",
    "{\"seq\":10,\"ts\":1,\"kind\":\"resign\",\"side\":\"A\"}",
    "{\"seq\":11,\"ts\":1,\"kind\":\"claim\",\"side\":\"B\"}",
    "{\"seq\":12,\"ts\":1,\"kind\":\"pause\",\"by\":\"A\",\"left\":{\"A\":1,\"B\":2}}",
    "{\"seq\":13,\"ts\":1,\"kind\":\"resume\",\"by\":\"zoe\"}",
    "{\"seq\":14,\"ts\":1,\"kind\":\"presence\",\"side\":\"A\",\"online\":true}",
    "{\"seq\":15,\"ts\":1,\"kind\":\"umpire\",\"by\":\"zoe\",\"act\":\"void\",\"reason\":\"so\"}",
    "{\"seq\":16,\"ts\":1,\"kind\":\"umpire\",\"by\":\"zoe\",\"act\":\"adjudicate\",\"winner\":"
    "null,"
    "\"reason\":\"\"}",
    "{\"seq\":17,\"ts\":1,\"kind\":\"initiative\",\"turn\":1,\"dice\":[[2,2],[5,1]],\"first\":"
    "\"A\"}",
    "{\"seq\":18,\"ts\":1,\"kind\":\"over\",\"winner\":null,\"reason\":\"void\",\"left\":{\"A\":1,"
    "\"B\":2}}",
};

struct world {
    struct scenario_set set;
    const struct scenario *scn;
    struct entry_room room;
    char why[PLAY_WHY_LEN];
};

/* "A" and "B" as values of sides become the scenario's ids. */
static void sides(const struct world *w, const char *line, struct buf *out)
{
    for (const char *at = line; *at != '\0'; at++) {
        const bool is_role = at - line >= 7 && strncmp(at - 7, "\"role\":", 7) == 0;

        if (!is_role && strncmp(at, "\"A\"", 3) == 0) {
            buf_printf(out, "\"%s\"", w->scn->side[0].id);
            at += 2;
        } else if (!is_role && strncmp(at, "\"B\"", 3) == 0) {
            buf_printf(out, "\"%s\"", w->scn->side[1].id);
            at += 2;
        } else {
            buf_putc(out, *at);
        }
    }
}

static enum err decode(struct world *w, const char *text, size_t len, struct entry *e,
                       struct json **j)
{
    char why[JSON_WHY_LEN];

    if (json_parse(text, len, &json_file_limits, j, why) != ERR_OK)
        return ERR_PARSE;
    return entry_decode(*j, w->scn, e, &w->room, w->why);
}

static void there_and_back(void **state)
{
    struct world *w = *state;

    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct buf line = BUF_EMPTY, again = BUF_EMPTY;
        struct json *j = NULL;
        struct entry e = {0};

        sides(w, lines[i], &line);
        assert_int_equal(decode(w, line.data, line.len, &e, &j), ERR_OK);
        assert_int_equal(e.seq, i + 1);
        entry_encode(&e, w->scn, &again);
        assert_string_equal(buf_str(&line), buf_str(&again));
        json_free(j);
        buf_fini(&line);
        buf_fini(&again);
    }
}

/* Each member's name spoilt in turn (but those that may be absent): no entry any more. */
static void every_member_counts(void **state)
{
    struct world *w = *state;
    unsigned spoilt = 0;

    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct buf line = BUF_EMPTY;

        sides(w, lines[i], &line);
        for (char *at = line.data; (at = strchr(at, ':')) != NULL; at++) {
            struct json *j = NULL;
            struct entry e;
            char *name = at - 2;

            if (name <= line.data || at[-1] != '"')
                continue;
            while (name[-1] != '"')
                name--;
            if (strncmp(name, "left", 4) == 0 ||
                strncmp(name, "winner\":null,\"reason\":\"\"", 23) == 0 ||
                (i == 0 && at > strstr(line.data, "readings") && at < strstr(line.data, "clock")))
                continue;
            *name = (char)((unsigned char)*name ^ 1U);
            assert_int_not_equal(decode(w, line.data, line.len, &e, &j), ERR_OK);
            spoilt++;
            json_free(j);
            *name = (char)((unsigned char)*name ^ 1U);
        }
        buf_fini(&line);
    }
    assert_true(spoilt > 80);
}

static void clocks(void **state)
{
    static const struct {
        const char *text, *field; /* NULL: good */
    } rows[] = {
        {"{\"kind\":\"none\"}", NULL},
        {"{\"kind\":\"live\",\"main_s\":600,\"phase_s\":0}", NULL},
        {"{\"kind\":\"correspondence\",\"days\":30}", NULL},
        {"{\"kind\":\"live\",\"main_s\":600}", "clock.phase_s"},
        {"{\"kind\":\"live\",\"main_s\":-1,\"phase_s\":0}", "clock.main_s"},
        {"{\"kind\":\"live\",\"main_s\":0,\"phase_s\":0}", "clock.main_s"},
        {"{\"kind\":\"correspondence\",\"days\":0}", "clock.days"},
        {"{\"kind\":\"correspondence\",\"days\":31}", "clock.days"},
        {"{\"kind\":\"sundial\"}", "clock.kind"},
        {"{}", "clock.kind"},
        {"[]", "clock"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct clock_rule rule;
        struct json *j = NULL;
        struct buf again = BUF_EMPTY;
        char field[PLAY_WHY_LEN] = "", why[JSON_WHY_LEN];

        assert_int_equal(json_parse(rows[i].text, strlen(rows[i].text), &json_wire_limits, &j, why),
                         ERR_OK);
        if (rows[i].field != NULL) {
            assert_int_equal(clock_rule_from_json(j, &rule, field), ERR_PARAMS);
            assert_string_equal(field, rows[i].field);
        } else {
            assert_int_equal(clock_rule_from_json(j, &rule, field), ERR_OK);
            clock_rule_to_json(&rule, &again);
            assert_string_equal(buf_str(&again), rows[i].text);
        }
        buf_fini(&again);
        json_free(j);
    }
}

static int set_up(void **state)
{
    static struct world w;

    scenario_set_init(&w.set);
    w.scn = scenario_set_find(&w.set, "first-blood");
    *state = &w;
    return w.scn == NULL;
}

static int tear_down(void **state)
{
    struct world *w = *state;

    entry_room_fini(&w->room);
    scenario_set_fini(&w->set);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(every_member_counts),
        cmocka_unit_test(clocks),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
