/* SPDX-License-Identifier: ISC
 * Strict JSON in: what is taken, what is refused and where, and the tree behind it.
 */
#include "proto/json.h"

#include "common/base/buf.h"
#include "tests/cmocka_all.h"

static void takes(const char *text)
{
    char why[JSON_WHY_LEN] = "untouched";
    struct json *j = NULL;

    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_OK);
    assert_non_null(j);
    assert_string_equal(why, "");
    json_free(j);
}

/* Refused, and why[] is `want`. */
static void refuses(const char *text, const char *want)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_PARSE);
    assert_null(j);
    assert_string_equal(why, want);
}

static void takes_every_kind_of_value(void **unused)
{
    (void)unused;
    takes("null");
    takes(" \t\r\n{ \"a\" : [ true , false , null , \"\" , 0 ] , \"b\" : { } } \r\n");
    takes("[]");
    takes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud834\\udd1e\"");
    takes("\"\xc3\xa9\xe2\x82\xac\xf0\x9d\x84\x9e\xef\xbf\xbf\x7f\"");
    takes("{\"\":1}");
}

static void takes_integers_within_2_to_53(void **unused)
{
    (void)unused;
    takes("[0,-1,-0,9007199254740992,-9007199254740992]");
    refuses("9007199254740993", "byte 17: a number beyond 2^53");
    refuses("-9007199254740993", "byte 18: a number beyond 2^53");
    refuses("99999999999999999999999999999999999999", "byte 17: a number beyond 2^53");
    refuses("01", "byte 3: a number with a leading zero");
    refuses("-01", "byte 4: a number with a leading zero");
    refuses("1.0", "byte 2: only integers are taken");
    refuses("1e2", "byte 2: only integers are taken");
    refuses("1E400", "byte 2: only integers are taken");
    refuses("-", "byte 2: a digit is wanted here");
    refuses("+1", "byte 1: no JSON value begins so");
    refuses("[1a]", "byte 3: ',' or ']' is wanted here");
    refuses("NaN", "byte 1: no JSON value begins so");
}

static void refuses_what_is_no_json(void **unused)
{
    (void)unused;
    refuses("", "byte 1: a value is wanted here, and the text ends");
    refuses("  ", "byte 3: a value is wanted here, and the text ends");
    refuses("[1,]", "byte 4: no JSON value begins so");
    refuses("[1 2]", "byte 4: ',' or ']' is wanted here");
    refuses("{\"a\":1,}", "byte 8: a member's name is wanted here");
    refuses("{\"a\"}", "byte 5: ':' is wanted here");
    refuses("{\"a\":}", "byte 6: no JSON value begins so");
    refuses("{a:1}", "byte 2: a member's name is wanted here");
    refuses("{\"a\":1]", "byte 7: ',' or '}' is wanted here");
    refuses("[", "byte 2: a value is wanted here, and the text ends");
    refuses("{} {}", "byte 4: something behind the end");
    refuses("tru", "byte 1: no JSON value begins so");
    refuses("True", "byte 1: no JSON value begins so");
    refuses("\xef\xbb\xbf{}", "byte 1: no JSON value begins so");
    refuses("[1,\n 2,\n x]", "line 3, byte 2: no JSON value begins so");
}

static void refuses_bad_strings(void **unused)
{
    (void)unused;
    refuses("\"a", "byte 3: a string without its end");
    refuses("\"a\\", "byte 3: a string without its end");
    refuses("\"a\\\"", "byte 5: a string without its end");
    refuses("\"\\x\"", "byte 2: no such escape");
    refuses("\"\\u12g4\"", "byte 4: \\u wants four hex digits");
    refuses("\"\\u12", "byte 4: \\u wants four hex digits");
    refuses("\"\\u0000\"", "byte 4: \\u0000 is refused");
    refuses("{\"\\u0000\":1}", "byte 5: \\u0000 is refused");
    refuses("\"\\ud834\"", "byte 4: a lone high surrogate");
    refuses("\"\\ud834\\u0041\"", "byte 4: a lone high surrogate");
    refuses("\"\\ud834\\ud834\"", "byte 4: a lone high surrogate");
    refuses("\"\\udd1e\"", "byte 4: a lone low surrogate");
    refuses("\"\t\"", "byte 2: a raw control character in a string");
    refuses("\"12345678\x1f\"", "byte 10: a raw control character in a string");
    refuses("\"\xc0\xaf\"", "byte 2: not UTF-8");
    refuses("\"\xed\xa0\x80\"", "byte 2: not UTF-8");
    refuses("\"\xf4\x90\x80\x80\"", "byte 2: not UTF-8");
    refuses("\"12345678\xe2\x82\"", "byte 10: not UTF-8");
}

static void a_raw_nul_is_no_end(void **unused)
{
    char why[JSON_WHY_LEN];

    (void)unused;
    assert_int_equal(json_scan("{}\0", 3, &json_wire_limits, why), ERR_PARSE);
    assert_int_equal(json_scan("\"a\0b\"", 5, &json_wire_limits, why), ERR_PARSE);
    assert_int_equal(json_scan("12", 1, &json_wire_limits, why), ERR_OK);
}

/* Names that only a digit in the middle tells apart; `twice` spells the first once more. */
static void put_alike(struct buf *b, const char *twice)
{
    buf_reset(b);
    buf_puts(b, "{");
    for (unsigned i = 0; i < 60; i++)
        buf_printf(b, "\"%*s%02u%*s\":1,", 20, "x", i, 20, "y");
    buf_printf(b, "\"%*s%s%*s\":1}", 20, "x", twice, 20, "y");
}

static void tells_names_apart_that_are_alike(void **unused)
{
    struct buf b = BUF_EMPTY;
    char why[JSON_WHY_LEN];

    (void)unused;
    put_alike(&b, "60");
    assert_int_equal(json_scan(b.data, b.len, &json_wire_limits, why), ERR_OK);
    put_alike(&b, "00");
    assert_int_equal(json_scan(b.data, b.len, &json_wire_limits, why), ERR_PARSE);
    put_alike(&b, "\\u00300");
    assert_int_equal(json_scan(b.data, b.len, &json_wire_limits, why), ERR_PARSE);
    assert_non_null(strstr(why, "the same name twice"));
    buf_fini(&b);
}

static void refuses_a_name_twice_however_spelt(void **unused)
{
    (void)unused;
    refuses("{\"a\":1,\"b\":2,\"a\":3}", "byte 16: the same name twice in one object");
    refuses("{\"a\":1,\"\\u0061\":2}", "byte 15: the same name twice in one object");
    refuses("{\"axxb\":1,\"ayyb\":2,\"a\\u0078xb\":3}",
            "byte 30: the same name twice in one object");
    refuses("{\"\xc3\xa9t\":1,\"\\u00e9t\":2}", "byte 18: the same name twice in one object");
    refuses("{\"\":1,\"\":2}", "byte 8: the same name twice in one object");
    refuses("{\"\\u00e9\":1,\"\xc3\xa9\":2}", "byte 16: the same name twice in one object");
    refuses("{\"\\ud834\\udd1e\":1,\"\xf0\x9d\x84\x9e\":2}",
            "byte 24: the same name twice in one object");
    refuses("{\"\\/\":1,\"/\":2}", "byte 11: the same name twice in one object");
    refuses("{\"a\":{\"b\":1},\"a\":2}", "byte 16: the same name twice in one object");
    refuses("{\"\":1,\"\":2}", "byte 8: the same name twice in one object");
    takes("{\"a\":{\"a\":{\"a\":1},\"b\":1},\"b\":[{\"a\":1},{\"a\":1}]}");
    takes("{\"a\":1,\"A\":2,\"ab\":3}");
}

/* `{"m0":0,"m1":0,...}` of n members into `out`. */
static void object_of(struct buf *out, unsigned n)
{
    buf_reset(out);
    buf_putc(out, '{');
    for (unsigned i = 0; i < n; i++)
        buf_printf(out, "%s\"m%u\":0", i > 0 ? "," : "", i);
    buf_putc(out, '}');
}

static enum err scan(const struct buf *text, const struct json_limits *limits)
{
    char why[JSON_WHY_LEN];

    return json_scan(buf_str(text), text->len, limits, why);
}

static void members_are_limited(void **unused)
{
    struct buf text = BUF_EMPTY;

    (void)unused;
    object_of(&text, 64);
    assert_int_equal(scan(&text, &json_wire_limits), ERR_OK);
    object_of(&text, 65);
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    assert_int_equal(scan(&text, &json_file_limits), ERR_OK);
    object_of(&text, JSON_MEMBERS_MAX);
    assert_int_equal(scan(&text, &json_file_limits), ERR_OK);
    text.len--;
    buf_puts(&text, ",\"\\u006d9\":0}"); /* m9, among names that are on the heap by now */
    assert_int_equal(scan(&text, &json_file_limits), ERR_PARSE);
    object_of(&text, JSON_MEMBERS_MAX + 1);
    assert_int_equal(scan(&text, &json_file_limits), ERR_PARSE);
    buf_fini(&text);
}

/* n of `open`, then `middle`, then n of `close`. */
static void nest(struct buf *out, size_t n, const char *open, const char *middle, char close)
{
    buf_reset(out);
    for (size_t i = 0; i < n; i++)
        buf_puts(out, open);
    buf_puts(out, middle);
    for (size_t i = 0; close != '\0' && i < n; i++)
        buf_putc(out, close);
}

static void depth_is_limited(void **unused)
{
    struct buf text = BUF_EMPTY;

    (void)unused;
    nest(&text, 8, "[", "", ']');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_OK);
    nest(&text, 9, "[", "", ']');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    nest(&text, 8, "{\"a\":", "1", '}');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_OK);
    nest(&text, 9, "{\"a\":", "1", '}');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    nest(&text, JSON_DEPTH_MAX, "[", "", ']');
    assert_int_equal(scan(&text, &json_file_limits), ERR_OK);
    nest(&text, JSON_DEPTH_MAX + 1, "[", "", ']');
    assert_int_equal(scan(&text, &json_file_limits), ERR_PARSE);
    buf_fini(&text);
}

/* The two files of the suite that are made here: 100,000 opened arrays, and opened objects. */
static void deep_nests_are_refused(void **unused)
{
    static const struct json_limits none = {0, 0, 0};
    struct buf text = BUF_EMPTY;

    (void)unused;
    nest(&text, 100000, "[", "", '\0');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    assert_int_equal(scan(&text, &none), ERR_PARSE);
    nest(&text, 100000, "[", "", ']');
    assert_int_equal(scan(&text, &none), ERR_PARSE);
    nest(&text, 50000, "[{\"\":", "", '\0');
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    assert_int_equal(scan(&text, &none), ERR_PARSE);
    buf_fini(&text);
}

static void values_are_limited(void **unused)
{
    struct buf text = BUF_EMPTY;

    (void)unused;
    nest(&text, 511, "1,", "1]", '\0');
    text.data[0] = '['; /* "[,1,1,..." is made "[ 1,..." : 511 numbers and the array, 512 */
    text.data[1] = ' ';
    assert_int_equal(scan(&text, &json_wire_limits), ERR_OK);
    text.len--;
    buf_puts(&text, ",1]");
    assert_int_equal(scan(&text, &json_wire_limits), ERR_PARSE);
    assert_int_equal(scan(&text, &json_file_limits), ERR_OK);
    buf_fini(&text);
}

static void reads_the_tree(void **unused)
{
    static const char text[] = "{\"s\":\"a\\u00e9\",\"i\":-9007199254740992,\"t\":true,\"f\":false,"
                               "\"n\":null,\"a\":[1,\"x\",[]],\"o\":{\"k\":2},\"I\":7}";
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const struct json *at;
    const char *s = "as before";
    int64_t i = 5;
    bool b = false;

    (void)unused;
    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_OK);
    assert_int_equal(json_type(j), JSON_OBJECT);
    assert_int_equal(json_count(j), 8);
    assert_true(json_get_string(j, "s", &s));
    assert_string_equal(s, "a\xc3\xa9");
    assert_true(json_get_int(j, "i", &i));
    assert_true(i == -JSON_INT_MAX);
    assert_true(json_get_int(j, "I", &i)); /* case counts */
    assert_int_equal(i, 7);
    assert_true(json_get_bool(j, "t", &b) && b);
    assert_true(json_get_bool(j, "f", &b) && !b);
    assert_int_equal(json_type(json_get(j, "n")), JSON_NULL);
    at = json_first(json_get(j, "a"));
    assert_null(json_name(at));
    assert_true(json_int(at, &i) && i == 1);
    at = json_next(json_next(at));
    assert_int_equal(json_type(at), JSON_ARRAY);
    assert_null(json_first(at));
    assert_null(json_next(at));
    assert_string_equal(json_name(json_first(json_get(j, "o"))), "k");
    json_free(j);
}

static void wrong_types_and_absent_members_leave_out_alone(void **unused)
{
    static const char text[] = "{\"s\":\"a\",\"i\":1,\"t\":true,\"a\":[1]}";
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const char *s = "as before";
    int64_t i = 5;
    bool b = true;

    (void)unused;
    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_OK);
    assert_false(json_get_string(j, "i", &s));
    assert_false(json_get_string(j, "S", &s));
    assert_false(json_get_string(json_get(j, "a"), "s", &s));
    assert_false(json_get_string(NULL, "s", &s));
    assert_false(json_string(NULL, &s));
    assert_string_equal(s, "as before");
    assert_false(json_get_int(j, "s", &i));
    assert_false(json_get_int(j, "t", &i));
    assert_int_equal(i, 5);
    assert_false(json_get_bool(j, "i", &b));
    assert_true(b);
    assert_int_equal(json_count(json_get(j, "i")), 0);
    assert_int_equal(json_count(NULL), 0);
    json_free(j);
    json_free(NULL);
}

static void narrow_reads_take_just_what_fits(void **unused)
{
    static const char text[] = "{\"a\":255,\"b\":256,\"c\":4294967295,\"d\":4294967296,\"e\":-1,"
                               "\"f\":\"abc\",\"g\":\"0aff\",\"h\":\"0aFf\",\"i\":\"0af\"}";
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    uint8_t small = 7;
    uint32_t large = 7;
    uint8_t bytes[2] = {1, 2};
    char word[4] = "was";

    (void)unused;
    assert_int_equal(json_parse(text, strlen(text), &json_wire_limits, &j, why), ERR_OK);
    assert_false(json_get_u8(j, "b", &small) || json_get_u8(j, "e", &small));
    assert_false(json_get_u8(j, "f", &small) || json_get_u8(j, "none", &small));
    assert_int_equal(small, 7);
    assert_true(json_get_u8(j, "a", &small));
    assert_int_equal(small, 255);
    assert_false(json_get_u32(j, "d", &large) || json_get_u32(j, "e", &large));
    assert_int_equal(large, 7);
    assert_true(json_get_u32(j, "c", &large));
    assert_int_equal(large, UINT32_MAX);
    assert_false(json_get_text(j, "f", word, 3) || json_get_text(j, "a", word, sizeof(word)));
    assert_true(json_get_text(j, "f", word, sizeof(word)));
    assert_string_equal(word, "abc");
    assert_false(json_get_hex(j, "h", bytes, 2) || json_get_hex(j, "i", bytes, 2));
    assert_false(json_get_hex(j, "g", bytes, 1) || json_get_hex(j, "a", bytes, 2));
    assert_true(json_get_hex(j, "g", bytes, 2));
    assert_int_equal(bytes[1], 0xff);
    json_free(j);
}

/* Parse and print; the text must come back as `want`. */
static void prints(const char *text, const char *want)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    struct buf out = BUF_EMPTY;

    assert_int_equal(json_parse(text, strlen(text), &json_file_limits, &j, why), ERR_OK);
    json_print(j, &out);
    assert_string_equal(buf_str(&out), want);
    json_free(j);
    buf_fini(&out);
}

static void prints_compact(void **unused)
{
    struct buf deep = BUF_EMPTY;

    (void)unused;
    prints(" 1 ", "1");
    prints("-0", "0");
    prints("[ ]", "[]");
    prints("{ }", "{}");
    prints("[[[]],[{}],{\"a\":[]},1]", "[[[]],[{}],{\"a\":[]},1]");
    prints("{ \"b\" : 1 , \"a\" : [ true, false, null, -9007199254740992 ] }",
           "{\"b\":1,\"a\":[true,false,null,-9007199254740992]}");
    prints("\"\\/\\u0041\\n\\\"\\\\\\ud834\\udd1e\"", "\"/A\\u000a\\\"\\\\\xf0\x9d\x84\x9e\"");
    prints("{\"\\u0001\\\"\":{\"\\\\\":0}}", "{\"\\u0001\\\"\":{\"\\\\\":0}}");
    nest(&deep, JSON_DEPTH_MAX, "[", "", ']');
    prints(buf_str(&deep), buf_str(&deep));
    buf_fini(&deep);
}

static void reads_seven(const struct json *j)
{
    int64_t v = 0;

    assert_true(json_get_int(j, "a", &v));
    assert_int_equal(v, 7);
}

/* A tree takes the memory of the one before, and never that of one that is still there. */
static void trees_share_a_room(void **unused)
{
    static const char small[] = "{\"a\":7}";
    struct json_room room = {NULL};
    struct json *one = NULL;
    struct json *two = NULL;
    struct json *large = NULL;
    struct buf text = BUF_EMPTY;
    const void *was;

    (void)unused;
    assert_int_equal(json_parse_in(&room, "{\"a\":", 5, &json_wire_limits, &one), ERR_PARSE);
    assert_null(one);
    assert_null(room.spare);
    assert_int_equal(json_parse_in(&room, small, 7, &json_wire_limits, &one), ERR_OK);
    assert_int_equal(json_parse_in(&room, small, 7, &json_wire_limits, &two), ERR_OK);
    reads_seven(one);
    json_free(one);
    reads_seven(two);
    was = room.spare;
    assert_non_null(was);
    json_free(two);
    assert_ptr_equal(room.spare, was);
    assert_int_equal(json_parse_in(&room, small, 7, &json_wire_limits, &one), ERR_OK);
    assert_null(room.spare);
    reads_seven(one);
    buf_puts(&text, "{\"a\":7,\"b\":[0");
    for (int i = 0; i < 400; i++)
        buf_puts(&text, ",\"x\"");
    buf_puts(&text, "]}");
    json_free(one);
    assert_int_equal(json_parse_in(&room, text.data, text.len, &json_wire_limits, &large), ERR_OK);
    assert_ptr_equal(room.spare, was); /* too small for that one */
    reads_seven(large);
    assert_int_equal(json_count(json_get(large, "b")), 401);
    json_free(large);
    assert_ptr_equal(room.spare, was);
    json_room_fini(&room);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_every_kind_of_value),
        cmocka_unit_test(takes_integers_within_2_to_53),
        cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(refuses_bad_strings),
        cmocka_unit_test(a_raw_nul_is_no_end),
        cmocka_unit_test(refuses_a_name_twice_however_spelt),
        cmocka_unit_test(tells_names_apart_that_are_alike),
        cmocka_unit_test(members_are_limited),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(deep_nests_are_refused),
        cmocka_unit_test(values_are_limited),
        cmocka_unit_test(reads_the_tree),
        cmocka_unit_test(wrong_types_and_absent_members_leave_out_alone),
        cmocka_unit_test(narrow_reads_take_just_what_fits),
        cmocka_unit_test(prints_compact),
        cmocka_unit_test(trees_share_a_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
