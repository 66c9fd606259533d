/* SPDX-License-Identifier: ISC
 * Compact JSON out: these are the bytes that hashes cover.
 */
#include "proto/jsonw.h"

#include <inttypes.h>

#include "proto/json.h"
#include "tests/cmocka_all.h"

static void members_stand_in_order_without_blanks(void **unused)
{
    static const uint8_t bytes[] = {0x00, 0xff, 0x1a};
    struct buf out = BUF_EMPTY;
    struct jsonw w = jsonw_on(&out);

    (void)unused;
    jsonw_obj(&w);
    jsonw_m_str(&w, "s", "v");
    jsonw_m_int(&w, "i", -12);
    jsonw_m_bool(&w, "t", true);
    jsonw_m_bool(&w, "f", false);
    jsonw_m_null(&w, "n");
    jsonw_m_hex(&w, "h", bytes, sizeof(bytes));
    jsonw_m_raw(&w, "r", "[1]", 3);
    jsonw_m_obj(&w, "o");
    jsonw_obj_end(&w);
    jsonw_m_arr(&w, "a");
    jsonw_int(&w, 0);
    jsonw_str(&w, "x");
    jsonw_bool(&w, true);
    jsonw_null(&w);
    jsonw_arr(&w);
    jsonw_arr_end(&w);
    jsonw_obj(&w);
    jsonw_m_int(&w, "k", 1);
    jsonw_obj_end(&w);
    jsonw_raw(&w, "2", 1);
    jsonw_hex(&w, bytes, 0);
    jsonw_arr_end(&w);
    jsonw_m_int(&w, "z", 9);
    jsonw_obj_end(&w);
    assert_string_equal(buf_str(&out),
                        "{\"s\":\"v\",\"i\":-12,\"t\":true,\"f\":false,\"n\":null,\"h\":\"00ff1a\","
                        "\"r\":[1],\"o\":{},\"a\":[0,\"x\",true,null,[],{\"k\":1},2,\"\"],"
                        "\"z\":9}");
    buf_fini(&out);
}

static void writes(const char *s, size_t n, const char *want)
{
    struct buf out = BUF_EMPTY;
    struct jsonw w = jsonw_on(&out);

    jsonw_strn(&w, s, n);
    assert_string_equal(buf_str(&out), want);
    assert_int_equal(out.len, strlen(want));
    buf_fini(&out);
    w = jsonw_on(&out);
    jsonw_key_strn(&w, "k", 1, s, n);
    assert_memory_equal(buf_str(&out), "\"k\":", 4);
    assert_string_equal(buf_str(&out) + 4, want);
    assert_int_equal(out.len, strlen(want) + 4);
    buf_fini(&out);
}

static void only_quote_backslash_and_controls_are_escaped(void **unused)
{
    (void)unused;
    writes("", 0, "\"\"");
    writes("a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\"");
    writes("\n\x1f\x01\x7f", 4, "\"\\u000a\\u001f\\u0001\x7f\"");
    writes("a\0b", 3, "\"a\\u0000b\"");
    writes("\xc3\xa9 \xf0\x9d\x84\x9e", 7, "\"\xc3\xa9 \xf0\x9d\x84\x9e\"");
    writes("\"\"\"", 3, "\"\\\"\\\"\\\"\"");
}

/* One byte that needs an escape, at each place of strings of each short length: the scan by eights
 * and its rest agree with a scan by ones. */
static void escapes_are_found_at_every_place(void **unused)
{
    static const char odd[] = {'"', '\\', '\x01', '\x1f', '\0', '\x20', '\x7f', '\xc3'};
    char s[40];

    (void)unused;
    for (size_t n = 1; n <= sizeof(s); n++) {
        for (size_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof(odd); k++) {
                struct buf want = BUF_EMPTY;

                memset(s, '!', n);
                s[at] = odd[k];
                buf_printf(&want, "\"%.*s", (int)at, s);
                if (odd[k] == '"' || odd[k] == '\\')
                    buf_printf(&want, "\\%c", odd[k]);
                else if ((unsigned char)odd[k] < 0x20)
                    buf_printf(&want, "\\u%04x", (unsigned)odd[k]);
                else
                    buf_putc(&want, odd[k]);
                buf_put(&want, s + at + 1, n - at - 1);
                buf_putc(&want, '"');
                writes(s, n, buf_str(&want));
                buf_fini(&want);
            }
        }
    }
}

static void integers_at_their_ends(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct jsonw w = jsonw_on(&out);

    (void)unused;
    jsonw_arr(&w);
    jsonw_int(&w, INT64_MIN);
    jsonw_int(&w, INT64_MAX);
    jsonw_int(&w, JSON_INT_MAX);
    jsonw_arr_end(&w);
    assert_string_equal(buf_str(&out),
                        "[-9223372036854775808,9223372036854775807,9007199254740992]");
    buf_fini(&out);
}

/* Every length of number, and what stands around them in each length of a name. */
static void integers_of_every_length(void **unused)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz";
    int64_t power = 1;

    (void)unused;
    for (unsigned digits = 1; digits <= 18; digits++, power *= 10)
        for (int64_t v = power - 2; v <= power + 2; v++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct buf out = BUF_EMPTY;
                struct buf want = BUF_EMPTY;
                struct jsonw w = jsonw_on(&out);
                const size_t len = (size_t)(v & INT64_MAX) % sizeof(name);

                buf_printf(&want, "%" PRId64 ",\"%.*s\":%" PRId64, sign * v, (int)len, name,
                           sign * v);
                jsonw_int(&w, sign * v);
                jsonw_key_int(&w, name, len, sign * v);
                assert_string_equal(buf_str(&out), buf_str(&want));
                buf_reset(&out);
                buf_put_int(&out, sign * v);
                assert_int_equal(strtoll(buf_str(&out), NULL, 10), sign * v);
                buf_fini(&out);
                buf_fini(&want);
            }
}

static void names_of_every_length(void **unused)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyz";

    (void)unused;
    for (size_t n = 0; n < sizeof(name); n++) {
        struct buf out = BUF_EMPTY;
        struct buf want = BUF_EMPTY;
        struct jsonw w = jsonw_on(&out);

        buf_printf(&want, "{\"%.*s\":{\"x\":%.*s", (int)n, name, (int)n, name);
        jsonw_obj(&w);
        jsonw_key(&w, name, n);
        jsonw_obj(&w);
        jsonw_m_raw(&w, "x", name, n);
        assert_string_equal(buf_str(&out), buf_str(&want));
        buf_fini(&out);
        buf_fini(&want);
    }
}

/* A writer that is put behind text which is there already doesn't touch it. */
static void appends(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct jsonw w;

    (void)unused;
    buf_puts(&out, "data: ");
    w = jsonw_on(&out);
    jsonw_str(&w, "x");
    jsonw_str(&w, "y");
    assert_string_equal(buf_str(&out), "data: \"x\",\"y\"");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stand_in_order_without_blanks),
        cmocka_unit_test(only_quote_backslash_and_controls_are_escaped),
        cmocka_unit_test(escapes_are_found_at_every_place),
        cmocka_unit_test(integers_at_their_ends),
        cmocka_unit_test(integers_of_every_length),
        cmocka_unit_test(names_of_every_length),
        cmocka_unit_test(appends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
