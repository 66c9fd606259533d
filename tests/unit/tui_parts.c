/* SPDX-License-Identifier: ISC
 * tui_parts.c -- what the screens are made of: cells, keys, colours, settings, choosing.
 */
#include "client/tui/recall.h"
#include "client/tui/settings.h"
#include "client/tui/wizard.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_tui.h"

/* ---- canvas ---- */

static void check_put(const char *text, int w, bool ascii, const char *want)
{
    struct buf have = BUF_EMPTY;
    struct canvas c;

    canvas_init(&c, 12, 1, ascii);
    (void)canvas_put(&c, row_of(0, 0, w), style_of(INK_TEXT), text);
    canvas_text(&c, &have);
    assert_string_equal(buf_str(&have), want);
    canvas_fini(&c);
    buf_fini(&have);
}

static void test_strangers_text(void **state)
{
    (void)state;
    check_put("a\033[31mb", 12, false, "a?[31mb\n");
    check_put("a\033]0;x\007b", 12, false, "a?]0;x?b\n");
    check_put("\xc2\x9b"
              "31m",
              12, false, "?31m\n"); /* C1 */
    check_put("a\xe2\x80\xae"
              "b",
              12, false, "a?b\n"); /* right-to-left override */
    check_put("a\xe2\x80\x8b"
              "b",
              12, false, "a?b\n");            /* zero width */
    check_put("\xff\xfe", 12, false, "??\n"); /* not UTF-8 */
    check_put("e\xcc\x81"
              "f",
              12, false, "ef\n");                        /* a combining accent */
    check_put("\xe2\x96\xb2\xc3\xa9", 12, true, "^?\n"); /* ASCII only */
    check_put("a\nb\tc", 12, false, "a?b?c\n");
}

static void test_cut_and_wide(void **state)
{
    struct canvas c;
    struct buf have = BUF_EMPTY;

    (void)state;
    check_put("abcdef", 4, false, "abc\xe2\x80\xa6\n");
    check_put("abcd", 4, false, "abcd\n");
    check_put("abcdef", 4, true, "abc~\n");
    check_put("\xe6\xbc\xa2\xe5\xad\x97", 4, false, "\xe6\xbc\xa2\xe5\xad\x97\n");
    check_put("\xe6\xbc\xa2\xe5\xad\x97", 3, false, "\xe6\xbc\xa2\xe2\x80\xa6\n");
    /* half of a wide glyph written over */
    canvas_init(&c, 4, 1, false);
    (void)canvas_put(&c, row_of(0, 0, 4), style_of(INK_TEXT), "\xe6\xbc\xa2\xe5\xad\x97");
    canvas_glyph(&c, 1, 0, style_of(INK_TEXT), 'x');
    canvas_text(&c, &have);
    assert_string_equal(buf_str(&have), " x\xe5\xad\x97\n");
    canvas_glyph(&c, 9, 9, style_of(INK_TEXT), 'x'); /* off the canvas: nothing */
    canvas_fini(&c);
    buf_fini(&have);
}

static void test_wrap_and_zones(void **state)
{
    struct canvas c;

    (void)state;
    assert_int_equal(canvas_wrap_rows(5, "one two three"), 3);
    assert_int_equal(canvas_wrap_rows(3, "abcdefg"), 3);
    assert_int_equal(canvas_wrap_rows(5, "a\n\nb"), 3);
    canvas_init(&c, 10, 5, false);
    assert_int_equal(
        canvas_wrap(&c, (struct area){0, 0, 5, 2}, style_of(INK_TEXT), "one two three", 1), 2);
    assert_int_equal(c.cell[0].cp, 't');
    canvas_zone(&c, (struct area){0, 0, 10, 5}, 1, 10);
    canvas_zone(&c, (struct area){2, 2, 2, 1}, 2, 20);
    assert_int_equal(canvas_zone_at(&c, 2, 2)->arg, 20);
    assert_int_equal(canvas_zone_at(&c, 4, 2)->arg, 10);
    assert_null(canvas_zone_at(&c, 10, 0));
    canvas_fini(&c);
}

/* ---- colours ---- */

static void test_theme(void **state)
{
    struct theme t;
    struct theme_look look;

    (void)state;
    assert_int_equal(theme_depth(256, "auto", NULL), 256);
    assert_int_equal(theme_depth(256, "auto", "1"), 0);
    assert_int_equal(theme_depth(256, "auto", ""), 256);
    assert_int_equal(theme_depth(256, "16", "1"), 16);
    assert_int_equal(theme_depth(8, "256", NULL), 8);
    assert_int_equal(theme_depth(88, "auto", NULL), 16);
    assert_int_equal(theme_depth(256, "none", NULL), 0);
    assert_true(theme_named("default", &t));
    assert_false(theme_named("pink", &t));
    look = theme_look(&t, style_of(INK_SIDE_A), 256);
    assert_int_equal(look.fg, 214);
    look = theme_look(&t, style_of(INK_SIDE_A), 0);
    assert_int_equal(look.fg, THEME_DEFAULT);
    assert_true(theme_set(&t, "side-a", "33"));
    assert_int_equal(theme_look(&t, style_of(INK_SIDE_A), 256).fg, 33);
    assert_int_equal(theme_look(&t, style_of(INK_SIDE_A), 8).fg, THEME_DEFAULT);
    assert_false(theme_set(&t, "side-a", "256"));
    assert_false(theme_set(&t, "side-c", "1"));
}

/* Without colours every paper that matters is still told by an attribute. */
static void test_no_colour_says_it_too(void **state)
{
    static const enum paper papers[] = {PAPER_TARGET, PAPER_CHOSEN, PAPER_CURSOR, PAPER_BAR};
    struct theme t;

    (void)state;
    assert_true(theme_named("default", &t));
    for (size_t i = 0; i < ARRAY_LEN(papers); i++) {
        const struct style st = {INK_TEXT, (uint8_t)papers[i], 0};

        assert_int_not_equal(theme_look(&t, st, 0).attr, 0);
    }
}

/* ---- keys ---- */

static void test_keymap(void **state)
{
    struct keymap km;
    char why[KEYMAP_WHY_LEN];
    struct buf out = BUF_EMPTY;

    (void)state;
    keymap_init(&km);
    assert_int_equal(keymap_find(&km, CTX_MATCH, 'f'), ACT_FIRE);
    assert_int_equal(keymap_find(&km, CTX_LOBBY, 'f'), ACT_NONE);
    assert_int_equal(keymap_find(&km, CTX_MATCH, 'k'), ACT_UP);
    assert_int_equal(keymap_find(&km, CTX_MATCH, KEY_K_UP), ACT_UP);
    assert_true(keymap_set(&km, "fire", "F5 k", why));
    assert_int_equal(keymap_find(&km, CTX_MATCH, 'k'), ACT_FIRE);
    assert_int_equal(keymap_find(&km, CTX_MATCH, KEY_K_F1 + 4), ACT_FIRE);
    assert_int_equal(keymap_find(&km, CTX_MATCH, KEY_K_UP), ACT_UP);
    keymap_keys(&km, ACT_FIRE, &out);
    assert_string_equal(buf_str(&out), "F5 k");
    assert_false(keymap_set(&km, "fire", "Hyper", why));
    assert_false(keymap_set(&km, "fly", "f", why));
    assert_int_equal(keymap_key_parse("C-l"), KEY_CTRL('l'));
    assert_int_equal(keymap_key_parse("S-Tab"), KEY_K_BACK_TAB);
    buf_fini(&out);
}

/* No key means two things at one place, and none is without a word. */
static void test_keys_dont_clash(void **state)
{
    struct keymap km;

    (void)state;
    keymap_init(&km);
    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        assert_true(action_help((enum action)a)[0] != '\0');
        for (unsigned ctx = 1; ctx < CTX_ALL; ctx <<= 1) {
            for (unsigned i = 0; i < KEYMAP_KEYS && (action_contexts((enum action)a) & ctx); i++) {
                if (km.key[a][i] != 0)
                    assert_int_equal(keymap_find(&km, ctx, km.key[a][i]), a);
            }
        }
    }
}

static void test_field(void **state)
{
    struct field f = {0};

    (void)state;
    for (const char *p = "ab cd"; *p != '\0'; p++)
        assert_true(field_key(&f, (uint32_t)*p));
    assert_true(field_key(&f, 0xe9));
    assert_true(field_key(&f, KEY_K_LEFT));
    assert_true(field_key(&f, KEY_K_BACKSPACE));
    assert_string_equal(f.text, "ab c\xc3\xa9");
    assert_true(field_key(&f, KEY_CTRL('w')));
    assert_string_equal(f.text, "ab \xc3\xa9");
    assert_true(field_key(&f, KEY_K_HOME));
    assert_true(field_key(&f, KEY_K_DELETE));
    assert_string_equal(f.text, "b \xc3\xa9");
    assert_false(field_key(&f, 0x1b));
    assert_false(field_key(&f, 0x202e)); /* what can't be sent can't be typed */
    for (unsigned i = 0; i < 2 * FIELD_MAX; i++)
        (void)field_key(&f, 'x');
    assert_true(f.len <= FIELD_MAX);
}

/* ---- settings ---- */

static void test_recall(void **state)
{
    struct recall r = {.n = 0};
    struct field f = {.len = 0};
    char line[16];

    (void)state;
    assert_true(recall_key(&r, &f, KEY_K_UP));
    assert_string_equal(f.text, "");
    assert_false(recall_key(&r, &f, 'k'));
    recall_add(&r, "");
    assert_int_equal(r.n, 0);
    for (unsigned i = 0; i < RECALL_LINES + 3; i++) {
        (void)snprintf(line, sizeof(line), "line %u", i);
        recall_add(&r, line);
    }
    assert_int_equal(r.n, RECALL_LINES);
    recall_add(&r, "line 20"); /* it is there: it becomes the newest */
    assert_int_equal(r.n, RECALL_LINES);
    recall_begin(&r);
    field_set(&f, "dra");
    assert_true(recall_key(&r, &f, KEY_K_UP));
    assert_string_equal(f.text, "line 20");
    assert_true(recall_key(&r, &f, KEY_K_UP));
    assert_string_equal(f.text, "line 34");
    assert_true(recall_key(&r, &f, KEY_K_DOWN));
    assert_true(recall_key(&r, &f, KEY_K_DOWN));
    assert_string_equal(f.text, "dra");
    for (unsigned i = 0; i < 2 * RECALL_LINES; i++)
        assert_true(recall_key(&r, &f, KEY_K_UP));
    assert_string_equal(f.text, "line 3");
    recall_fini(&r);
}

static void test_settings(void **state)
{
    struct settings s;
    char why[SETTINGS_WHY_LEN];

    (void)state;
    settings_init(&s);
    assert_int_equal(settings_parse(&s,
                                    "# mine\nserver = club.example\nname=Ann\n\nbell = on\n"
                                    "pace = 0\ncolours = 16\ntheme = contrast\n"
                                    "theme.side-a = 33\nkey.fire = F2\r\n",
                                    why),
                     ERR_OK);
    assert_string_equal(s.server, "club.example");
    assert_string_equal(s.name, "Ann");
    assert_true(s.bell);
    assert_int_equal(s.pace_ms, 0);
    assert_int_equal(keymap_find(&s.keys, CTX_MATCH, KEY_K_F1 + 1), ACT_FIRE);
    assert_int_equal(settings_parse(&s, "bell = on\nbell = loud\n", why), ERR_DATA);
    assert_string_equal(why, "line 2: bell can't be loud");
    assert_int_equal(settings_parse(&s, "volume = 11\n", why), ERR_DATA);
    assert_int_equal(settings_parse(&s, "nonsense\n", why), ERR_DATA);
}

static void test_wizard(void **state)
{
    struct wizard_secret secret;
    struct settings s;
    struct form f;

    (void)state;
    settings_init(&s);
    wizard_form(&f, &s);
    field_set(&f.row[0].field, "host:notaport");
    assert_false(wizard_take(&f, &s));
    assert_true(f.note[0] != '\0');
    field_set(&f.row[0].field, "club.example:1962");
    field_set(&f.row[1].field, "a b");
    assert_false(wizard_take(&f, &s));
    field_set(&f.row[1].field, "Ann");
    assert_true(wizard_take(&f, &s));
    assert_string_equal(s.server, "club.example:1962");
    wizard_secret(&f, &secret);
    assert_string_equal(secret.password, "");
    field_set(&f.row[3].field, "short");
    field_set(&f.row[4].field, "tea-time");
    f.row[2].at = 2; /* a new account */
    assert_false(wizard_take(&f, &s));
    field_set(&f.row[3].field, "long enough");
    assert_true(wizard_take(&f, &s));
    wizard_secret(&f, &secret);
    assert_true(secret.registers);
    assert_string_equal(secret.invite, "tea-time");
    f.row[2].at = 1; /* an account that is there */
    wizard_secret(&f, &secret);
    assert_false(secret.registers);
    assert_string_equal(secret.invite, "");
}

/* ---- choosing ---- */

static struct select_place place_of(const struct stage *s)
{
    return (struct select_place){s->scn, s->scene.a->board, s->scene.s, s->scene.me};
}

static uint16_t square(const struct stage *s, const char *name)
{
    const uint16_t sq = rules_square_parse(s->scene.a->board, name);

    assert_int_not_equal(sq, RULES_NO_SQUARE);
    return sq;
}

static void test_choose_and_go(void **state)
{
    struct stage st;
    struct select *s = &st.table.select;
    struct select_place at;
    struct rules_order o;
    struct buf why = BUF_EMPTY;

    (void)state;
    stage_init(&st, "first-blood", "52");
    stage_sit(&st, RULES_A);
    at = place_of(&st);
    assert_true(select_next(s, &at, 1));
    assert_int_equal(s->figure[0], rules_figure_find(at.board, "r1"));
    assert_true(select_next(s, &at, -1));
    assert_int_equal(s->figure[0], rules_figure_find(at.board, "r6"));
    s->cursor = square(&st, "f2");
    assert_int_equal(select_choose(s, &at, &o, &why), SELECT_LOOK);
    assert_int_equal(s->figure[0], rules_figure_find(at.board, "r3"));
    s->cursor = square(&st, "f4");
    s->face = RULES_W;
    assert_int_equal(select_choose(s, &at, &o, &why), SELECT_ORDER);
    assert_int_equal(o.kind, RULES_DO_MOVE);
    assert_int_equal(o.n_path, 2);
    assert_int_equal(o.face, RULES_W);
    s->cursor = square(&st, "f9"); /* too far */
    assert_int_equal(select_choose(s, &at, &o, &why), SELECT_NOTHING);
    assert_non_null(strstr(buf_str(&why), "R12"));
    s->cursor = square(&st, "f2"); /* its own square, with a facing: a turn */
    assert_int_equal(select_choose(s, &at, &o, &why), SELECT_ORDER);
    assert_int_equal(o.kind, RULES_DO_TURN);
    buf_reset(&why);
    assert_int_equal(select_fire(s, &at, &o, &why), SELECT_NOTHING);
    assert_non_null(strstr(buf_str(&why), "R19"));
    buf_reset(&why);
    assert_int_equal(select_exit(s, &at, &o, &why), SELECT_NOTHING);
    assert_non_null(strstr(buf_str(&why), "R45"));
    buf_fini(&why);
    stage_fini(&st);
}

static void test_aim_and_fire(void **state)
{
    struct stage st;
    struct select *s = &st.table.select;
    struct select_place at;
    struct rules_order o;
    struct buf why = BUF_EMPTY;

    (void)state;
    stage_init(&st, "first-blood", "52");
    stage_order(&st, "e");
    stage_order(&st, "m n1 b7 s");
    stage_order(&st, "e");
    assert_int_equal(st.scene.s->active, RULES_A);
    stage_sit(&st, RULES_A);
    at = place_of(&st);
    stage_choose(&st, "r1");
    assert_int_equal(select_fire(s, &at, &o, &why), SELECT_LOOK);
    assert_true(s->aiming);
    assert_int_equal(s->cursor, square(&st, "b7"));
    select_words(s, &at, &why);
    assert_non_null(strstr(buf_str(&why), "Kills 1 in 12"));
    assert_int_equal(select_fire(s, &at, &o, &why), SELECT_ORDER);
    assert_int_equal(o.kind, RULES_DO_FIRE);
    assert_int_equal(o.square, square(&st, "b2"));
    assert_int_equal(o.face, RULES_N);
    stage_order(&st, "f r1");
    select_refresh(s, &at); /* it has acted: no longer chosen */
    assert_int_equal(s->n, 0);
    buf_fini(&why);
    stage_fini(&st);
}

static void test_onlookers_choose_nothing(void **state)
{
    struct stage st;
    struct select_place at;
    struct rules_order o;
    struct buf why = BUF_EMPTY;

    (void)state;
    stage_init(&st, "first-blood", "52");
    at = place_of(&st);
    assert_int_equal(select_choose(&st.table.select, &at, &o, &why), SELECT_NOTHING);
    assert_false(select_next(&st.table.select, &at, 1));
    select_figure(&st.table.select, &at, 0);
    assert_int_equal(st.table.select.n, 0);
    select_move(&st.table.select, at.board, -100, 100);
    assert_int_equal(st.table.select.cursor, square(&st, "a10"));
    buf_fini(&why);
    stage_fini(&st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strangers_text),
        cmocka_unit_test(test_cut_and_wide),
        cmocka_unit_test(test_wrap_and_zones),
        cmocka_unit_test(test_theme),
        cmocka_unit_test(test_no_colour_says_it_too),
        cmocka_unit_test(test_keymap),
        cmocka_unit_test(test_keys_dont_clash),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_recall),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_wizard),
        cmocka_unit_test(test_choose_and_go),
        cmocka_unit_test(test_aim_and_fire),
        cmocka_unit_test(test_onlookers_choose_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
