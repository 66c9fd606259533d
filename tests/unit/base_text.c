/* SPDX-License-Identifier: ISC
 * Strings, strict numbers, hex and error names.
 */
#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"

static void copies_within_bounds(void **unused)
{
    char room[5] = "xxxx";

    (void)unused;
    assert_true(str_copy(room, sizeof(room), "1234"));
    assert_string_equal(room, "1234");
    assert_false(str_copy(room, sizeof(room), "12345"));
    assert_string_equal(room, "1234");
    assert_true(str_copy(room, sizeof(room), ""));
    assert_string_equal(room, "");
    assert_false(str_copy(room, 1, "1"));
    assert_string_equal(room, "");
    assert_true(str_ncopy(room, sizeof(room), "abcdef", 3));
    assert_string_equal(room, "abc");
    assert_false(str_ncopy(room, 3, "abcdef", 3));
    assert_string_equal(room, "ab");
}

static void compares(void **unused)
{
    (void)unused;
    assert_true(str_eq("a", "a"));
    assert_false(str_eq("a", "A"));
    assert_true(str_ieq("Tin-Lizzy_1", "tIN-lIZZY_1"));
    assert_false(str_ieq("a", "ab"));
    assert_false(str_ieq("ab", "a"));
    assert_false(str_ieq("[", "{")); /* 0x20 apart, as letters are */
    assert_false(str_ieq("\xc3\x89", "\xc3\xa9"));
    assert_true(str_starts("match.order", "match."));
    assert_false(str_starts("match", "match."));
    assert_true(str_starts("x", ""));
    assert_true(str_ends("a.json", ".json"));
    assert_false(str_ends("json", ".json"));
    assert_true(str_ends("x", ""));
}

static void reads_whole_integers_only(void **unused)
{
    static const char *const bad[] = {
        "",
        "-",
        "+1",
        " 1",
        "1 ",
        "01",
        "-0",
        "00",
        "-01",
        "1.0",
        "1e3",
        "0x10",
        "12a",
        "9223372036854775808",
        "--1",
        "\xd9\xa1",
        "-9223372036854775809",
        "99999999999999999999999999",
    };
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"7", 7},
        {"-12", -12},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    int64_t v = 4711;

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (str_to_int(bad[i], INT64_MIN, INT64_MAX, &v))
            fail_msg("took \"%s\"", bad[i]);
    assert_int_equal(v, 4711);
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        assert_true(str_to_int(good[i].text, INT64_MIN, INT64_MAX, &v));
        assert_true(v == good[i].value);
    }
    assert_true(str_to_int("5", 5, 5, &v));
    assert_false(str_to_int("4", 5, 6, &v));
    assert_false(str_to_int("7", 5, 6, &v));
    assert_int_equal(v, 5);
}

static void splits_words(void **unused)
{
    char line[] = "  m r1\tb3  n\n";
    char blank[] = " \t ";
    char *rest = line;

    (void)unused;
    assert_string_equal(str_word(&rest), "m");
    assert_string_equal(str_word(&rest), "r1");
    assert_string_equal(str_word(&rest), "b3");
    assert_string_equal(str_word(&rest), "n");
    assert_null(str_word(&rest));
    assert_null(str_word(&rest));
    rest = blank;
    assert_null(str_word(&rest));
}

static void hex_there_and_back(void **unused)
{
    uint8_t bytes[256];
    uint8_t back[256] = {0};
    char text[513];

    (void)unused;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    hex_encode(text, bytes, sizeof(bytes));
    assert_int_equal(strlen(text), 512);
    assert_memory_equal(text, "000102030405060708090a0b0c0d0e0f10", 34);
    assert_string_equal(text + 506, "fdfeff");
    assert_true(hex_decode(back, sizeof(back), text));
    assert_memory_equal(back, bytes, sizeof(bytes));
    for (size_t n = 0; n <= 70; n++) {
        hex_encode(text, bytes + 100, n);
        assert_int_equal(strlen(text), 2 * n);
        assert_true(hex_decode(back, n, text));
        assert_memory_equal(back, bytes + 100, n);
    }
}

static void hex_refuses_everything_else(void **unused)
{
    static const char *const bad[] = {"",     "a",    "0",    "abc",  "abcde",
                                      "ABCD", "abcg", "ab d", "0xab", "ab\n"};
    uint8_t two[2];

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (hex_decode(two, sizeof(two), bad[i]))
            fail_msg("took \"%s\"", bad[i]);
    assert_true(hex_decode(two, sizeof(two), "a90f"));
    assert_int_equal(two[0], 0xa9);
    assert_int_equal(two[1], 0x0f);
    assert_true(hex_decode(two, 0, ""));
    assert_false(hex_decode(two, 0, "00"));
}

static void errors_have_names_of_their_own(void **unused)
{
    (void)unused;
    for (int a = 0; a < ERR_COUNT; a++) {
        assert_true(err_words((enum err)a)[0] != '\0');
        for (int b = 0; b < a; b++)
            assert_string_not_equal(err_reason((enum err)a), err_reason((enum err)b));
    }
}

static void wire_reasons_lead_back(void **unused)
{
    (void)unused;
    for (int e = ERR_OK + 1; e < ERR_IO; e++)
        assert_int_equal(err_from_reason(err_reason((enum err)e)), e);
    assert_int_equal(err_from_reason("ok"), ERR_INTERNAL);
    assert_int_equal(err_from_reason("io"), ERR_INTERNAL);
    assert_int_equal(err_from_reason("nonsense"), ERR_INTERNAL);
    assert_int_equal(err_code(ERR_OK), 0);
    assert_int_equal(err_code(ERR_PARSE), -32700);
    assert_int_equal(err_code(ERR_ILLEGAL), 7);
    assert_int_equal(err_code(ERR_IO), -32603);
    assert_string_equal(err_reason(ERR_NOT_FOUND), "not_found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_within_bounds),
        cmocka_unit_test(compares),
        cmocka_unit_test(reads_whole_integers_only),
        cmocka_unit_test(splits_words),
        cmocka_unit_test(hex_there_and_back),
        cmocka_unit_test(hex_refuses_everything_else),
        cmocka_unit_test(errors_have_names_of_their_own),
        cmocka_unit_test(wire_reasons_lead_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
