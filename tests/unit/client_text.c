/* SPDX-License-Identifier: ISC
 * client_text.c -- addresses, typed orders and sentences of the client; records and luck.
 */
#include "client/luck.h"
#include "client/options.h"
#include "client/orders.h"
#include "client/record.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

/* ---- addresses and clocks ---- */

static void addresses(void **unused)
{
    static const struct {
        const char *text, *host, *match;
        unsigned port;
    } good[] = {
        {"skirmish://club.example:1963", "club.example", "", 1963},
        {"skirmish://club.example", "club.example", "", 1962},
        {"127.0.0.1:80", "127.0.0.1", "", 80},
        {"skirmish://[::1]:1962/match/142", "::1", "142", 1962},
        {"[::1]", "::1", "", 1962},
        {"skirmish://h:1/match/0123456789abcdef0123456789abcdef", "h",
         "0123456789abcdef0123456789abcdef", 1},
        {"skirmish://h:1/", "h", "", 1},
    };
    static const char *const bad[] = {
        "",
        "skirmish://",
        "skirmish://h:0",
        "skirmish://h:65536",
        "skirmish://h:x",
        "http://h",
        "skirmish://h/other",
        "skirmish://h/match/",
        "skirmish://h/match/0",
        "skirmish://[::1",
        "skirmish://h/match/0123456789ABCDEF0123456789abcdef",
    };
    struct url u;
    char why[URL_WHY_LEN];
    struct buf text = BUF_EMPTY;

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        assert_int_equal(url_parse(good[i].text, &u, why), ERR_OK);
        assert_string_equal(u.host, good[i].host);
        assert_string_equal(u.match, good[i].match);
        assert_int_equal(u.port, good[i].port);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        why[0] = '\0';
        assert_int_equal(url_parse(bad[i], &u, why), ERR_USAGE);
        assert_true(why[0] != '\0');
    }
    assert_int_equal(url_parse("[::1]:7/match/9", &u, why), ERR_OK);
    url_print(&u, &text);
    assert_string_equal(text.data, "skirmish://[::1]:7/match/9");
    buf_fini(&text);
}

static void clocks(void **unused)
{
    struct clock_rule c;

    (void)unused;
    assert_true(options_clock("none", &c));
    assert_int_equal(c.kind, CLOCK_NONE);
    assert_true(options_clock("20m+30s", &c));
    assert_int_equal(c.kind, CLOCK_LIVE);
    assert_int_equal(c.main_s, 1200);
    assert_int_equal(c.phase_s, 30);
    assert_true(options_clock("90+0", &c));
    assert_true(options_clock("3d", &c));
    assert_int_equal(c.kind, CLOCK_CORRESPONDENCE);
    assert_int_equal(c.days, 3);
    assert_false(options_clock("", &c));
    assert_false(options_clock("0d", &c));
    assert_false(options_clock("31d", &c));
    assert_false(options_clock("0+0", &c));
    assert_false(options_clock("5x", &c));
}

/* ---- orders ---- */

struct field {
    struct scenario_set set;
    const struct scenario *scn;
    struct rules_state state;
    struct orders_place at;
};

static void field_init(struct field *f, const char *scenario)
{
    scenario_set_init(&f->set);
    f->scn = scenario_set_find(&f->set, scenario);
    assert_non_null(f->scn);
    rules_begin(&f->scn->board, &f->state);
    f->state.turn = 1;
    f->state.active = RULES_A;
    f->at = (struct orders_place){f->scn, &f->scn->board, &f->state, RULES_A};
}

static uint16_t square(const struct field *f, const char *name)
{
    return rules_square_parse(&f->scn->board, name);
}

/* Typed, read, and written again; `want` NULL: refused, with a sentence. */
static void typed(const struct field *f, const char *line, const char *want)
{
    struct said c;
    struct buf why = BUF_EMPTY, text = BUF_EMPTY;

    if (want == NULL) {
        assert_int_equal(orders_parse(&f->at, line, &c, &why), ERR_USAGE);
        assert_true(why.len > 10);
    } else {
        if (orders_parse(&f->at, line, &c, &why) != ERR_OK)
            fail_msg("%s: %s", line, buf_str(&why));
        orders_print(f->scn, &c.order, &text);
        assert_string_equal(buf_str(&text), want);
        assert_int_equal(c.order.side, f->at.side);
    }
    buf_fini(&why);
    buf_fini(&text);
}

static void typed_orders(void **unused)
{
    struct field f;

    (void)unused;
    field_init(&f, "first-blood");
    typed(&f, "m r1 b3 b4 n", "m r1 b3 b4 n");
    typed(&f, "move R1 B3 B4 NORTH", "m r1 b3 b4 n");
    typed(&f, "m r1 b4", "m r1 b3 b4"); /* the way is found */
    typed(&f, "  m   r1\tb3  ", "m r1 b3");
    typed(&f, "m r1,r2 b4 e", "m r1,r2 b3 b4 e");
    typed(&f, "m r1 exit n", "m r1 exit n");
    typed(&f, "t r1 e", "t r1 e");
    typed(&f, "f b2 n", "f b2 n");
    typed(&f, "f r3", "f f2 n");
    typed(&f, "f r3 e", "f f2 e");
    typed(&f, "u", "u");
    typed(&f, "e", "e");
    typed(&f, "end", "e");
    typed(&f, "m", NULL);
    typed(&f, "m r1", NULL);
    typed(&f, "m r9 b4", NULL);
    typed(&f, "m r1 z99", NULL);
    typed(&f, "m r1 exit", NULL);
    typed(&f, "t r1", NULL);
    typed(&f, "t r1 b3", NULL);
    typed(&f, "f", NULL);
    typed(&f, "f b2", NULL);
    typed(&f, "fly r1", NULL);
    typed(&f, "log x", NULL);
    typed(&f, "say  ", NULL);
    scenario_set_fini(&f.set);
}

/* Too far, or something in the way: said at once, with the rule that reach knows. */
static void no_way(void **unused)
{
    struct field f;
    struct said c;
    struct buf why = BUF_EMPTY;

    (void)unused;
    field_init(&f, "first-blood");
    assert_int_equal(orders_parse(&f.at, "m r1 b6", &c, &why), ERR_OK);
    assert_int_equal(c.no.why, RULES_WHY_TOO_FAR);
    assert_int_equal(c.no.asked, 4);
    assert_int_equal(c.no.allowed, 2);
    assert_int_equal(orders_parse(&f.at, "m r5 k2", &c, &why), ERR_OK); /* a friend stands there */
    assert_int_equal(c.no.why, RULES_WHY_FULL);
    assert_int_equal(orders_parse(&f.at, "m r1 b3", &c, &why), ERR_OK);
    assert_int_equal(c.no.why, RULES_WHY_NONE);
    assert_int_equal(orders_parse(&f.at, "m r1 b3 b4 b5 b6", &c, &why), ERR_OK); /* the rules' */
    assert_int_equal(c.no.why, RULES_WHY_NONE);
    buf_fini(&why);
    scenario_set_fini(&f.set);
}

static void other_words(void **unused)
{
    const struct orders_place nowhere = {.side = RULES_NOBODY};
    struct said c;
    struct buf why = BUF_EMPTY;
    enum command_kind kind;

    (void)unused;
    assert_int_equal(orders_parse(&nowhere, "say Good luck, Jo! ", &c, &why), ERR_OK);
    assert_int_equal(c.kind, COMMAND_SAY);
    assert_string_equal(c.text, "Good luck, Jo!");
    assert_int_equal(orders_parse(&nowhere, "log", &c, &why), ERR_OK);
    assert_int_equal(c.number, 10);
    assert_int_equal(orders_parse(&nowhere, "# a comment", &c, &why), ERR_OK);
    assert_int_equal(c.kind, COMMAND_COUNT);
    assert_int_equal(orders_parse(&nowhere, "", &c, &why), ERR_OK);
    assert_int_equal(c.kind, COMMAND_COUNT);
    assert_int_equal(orders_parse(&nowhere, "m r1 b3", &c, &why), ERR_USAGE);
    assert_true(orders_kind("E", &kind));
    assert_true(orders_is_order(kind));
    assert_true(orders_kind("board", &kind));
    assert_false(orders_is_order(kind));
    assert_false(orders_kind("xyzzy", &kind));
    buf_reset(&why);
    orders_help(&why);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(strstr(why.data, (const char *[]){"m FIGURES", "resign", "exit n"}[i]));
    buf_fini(&why);
}

/* ---- sentences ---- */

static void strangers_text(void **unused)
{
    static const char wild[] = {
        'a',    '\x1b', '[',    '3',    '1',    'm',    'b', '\a',
        '\xc3', '\xa9', '\xff', '\xe2', '\x80', '\xae', '!', '\0'}; /* escape, bell, override */
    struct buf text = BUF_EMPTY;

    (void)unused;
    words_safe(wild, &text);
    assert_string_equal(text.data, "a?[31mb?\xc3\xa9?"
                                   "?!");
    buf_fini(&text);
}

static void sentences(void **unused)
{
    struct field f;
    struct buf text = BUF_EMPTY;

    (void)unused;
    field_init(&f, "first-blood");
    words_ready(f.scn, &f.scn->board, &f.state, RULES_A, &text);
    assert_true(str_starts(text.data, "Six figures ready: R1 b2 north, "));
    assert_non_null(strstr(text.data, "R3 commander f2 north"));
    buf_reset(&text);
    words_reach(f.scn, &f.scn->board, &f.state, 0, &text);
    assert_true(str_starts(text.data, "R1 may reach b3"));
    f.state.status[0] = RULES_HALTED;
    buf_reset(&text);
    words_reach(f.scn, &f.scn->board, &f.state, 0, &text);
    assert_true(str_starts(text.data, "R1 can't act (R35)"));
    f.state.at[8] = square(&f, "f5"); /* n3 before R3 */
    buf_reset(&text);
    words_aim(f.scn, &f.scn->board, &f.state, 2, RULES_N, &text);
    assert_string_equal(text.data,
                        "R3 at f2 facing north sees n3 at f5, range 3. Hits on 4 or more (1 in 2), "
                        "saved on 5 or more (1 in 3). Kills 1 in 3.");
    buf_reset(&text);
    words_aim(f.scn, &f.scn->board, &f.state, 2, RULES_E, &text);
    assert_true(str_starts(text.data, "R3 at f2 facing east has no shot (R"));
    buf_reset(&text);
    words_span(12 * 60000 + 40000, &text);
    buf_putc(&text, ' ');
    words_span((2 * 24 + 4) * 3600000LL, &text);
    assert_string_equal(text.data, "12:40 2 d 4 h");
    buf_fini(&text);
    scenario_set_fini(&f.set);
}

/* ---- records ---- */

/* The record of the table's match, as match.record gives it. */
static void record_of(struct table *t, struct buf *out)
{
    struct buf text = BUF_EMPTY;
    int64_t after = 0;

    do {
        char why[JSON_WHY_LEN];
        struct jsonw w = jsonw_on(&text);
        struct json *j = NULL;
        const char *line = NULL, *next = NULL;

        buf_reset(&text);
        jsonw_obj(&w);
        assert_int_equal(match_record(t->m, after, &w), ERR_OK);
        jsonw_obj_end(&w);
        assert_int_equal(json_parse(text.data, text.len, &json_file_limits, &j, why), ERR_OK);
        for (const struct json *l = json_first(json_get(j, "lines")); l != NULL; l = json_next(l)) {
            assert_true(json_string(l, &line));
            buf_puts(out, line);
            buf_putc(out, '\n');
        }
        after = 0;
        if (json_get_string(j, "next", &next))
            assert_true(str_to_int(next, 1, INT64_MAX, &after));
        json_free(j);
    } while (after != 0);
    buf_fini(&text);
}

static enum err check(const struct buf *text, const char *head, struct record *r)
{
    const enum err e = record_check(r, text->data, text->len, head, NULL);

    record_fini(r);
    return e;
}

/* Sound as it is; with any byte changed, or cut anywhere, not. */
static void every_byte(void **unused)
{
    struct table t;
    struct record r;
    struct buf text = BUF_EMPTY;
    char head[2 * FD1_LEN + 1];

    (void)unused;
    table_init(&t, "first-blood");
    t.setup.fair = FAIR_STRICT;
    table_open(&t);
    table_start(&t);
    for (unsigned i = 0; i < 12; i++)
        table_play(&t);
    record_of(&t, &text);
    if (record_check(&r, text.data, text.len, NULL, NULL) != ERR_OK)
        fail_msg("line %d: %s", (int)r.line, r.why);
    (void)snprintf(head, sizeof(head), "%064d", 0);
    record_fini(&r);
    assert_int_equal(check(&text, head, &r), ERR_DATA);
    for (size_t i = 0; i < text.len; i++) {
        const char was = text.data[i];

        text.data[i] = (char)(was ^ (1 << (i % 7)));
        if (check(&text, NULL, &r) == ERR_OK)
            fail_msg("byte %d of %d may be changed", (int)i, (int)text.len);
        text.data[i] = was;
    }
    for (size_t i = 0; i < text.len; i += 97) {
        assert_int_equal(record_check(&r, text.data, i, NULL, NULL), ERR_DATA);
        record_fini(&r);
    }
    buf_putc(&text, '\n');
    assert_int_equal(check(&text, NULL, &r), ERR_DATA);
    buf_fini(&text);
    table_fini(&t);
}

/* ---- luck ---- */

static void luck_is_exact(void **unused)
{
    struct luck_row *row = mem_zalloc(sizeof(*row));
    double mean, at_most, at_least;

    (void)unused;
    row->n = 2; /* two shots, 1 in 2 and 1 in 3: one hit */
    row->of_six[0] = 3;
    row->of_six[1] = 2;
    row->got = 1;
    luck_tail(row, LUCK_HITS, &mean, &at_most, &at_least);
    assert_true(mean > 0.8332 && mean < 0.8334);
    assert_true(at_least > 0.6666 && at_least < 0.6667); /* 1 - 1/2 * 2/3 */
    assert_true(at_most > 0.8332 && at_most < 0.8334);   /* 1 - 1/2 * 1/3 */
    row->got = 11;                                       /* two dice, 11 or more: 3 in 36 */
    luck_tail(row, LUCK_MELEE, &mean, &at_most, &at_least);
    assert_true(mean > 6.99 && mean < 7.01);
    assert_true(at_least > 0.0833 && at_least < 0.0834);
    assert_true(at_most > 0.9722 && at_most < 0.9723);
    mem_free(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),     cmocka_unit_test(clocks),
        cmocka_unit_test(typed_orders),  cmocka_unit_test(no_way),
        cmocka_unit_test(other_words),   cmocka_unit_test(strangers_text),
        cmocka_unit_test(sentences),     cmocka_unit_test(every_byte),
        cmocka_unit_test(luck_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
