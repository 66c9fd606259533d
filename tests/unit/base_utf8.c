/* SPDX-License-Identifier: ISC */
#include "common/base/utf8.h"

#include "tests/cmocka_all.h"

/* Well-formed sequences at each boundary of Unicode's table 3-7. */
static const struct good {
    const char *bytes;
    size_t len;
    uint32_t cp;
} goods[] = {
    {"\x00", 1, 0x0},
    {"\x7f", 1, 0x7f},
    {"\xc2\x80", 2, 0x80},
    {"\xdf\xbf", 2, 0x7ff},
    {"\xe0\xa0\x80", 3, 0x800},
    {"\xed\x9f\xbf", 3, 0xd7ff},
    {"\xee\x80\x80", 3, 0xe000},
    {"\xef\xbf\xbf", 3, 0xffff},
    {"\xf0\x90\x80\x80", 4, 0x10000},
    {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
};

static const struct bad {
    const char *bytes;
    size_t len;
} bads[] = {
    {"\x80", 1}, /* a continuation first */
    {"\xbf", 1},
    {"\xc0\x80", 2},         /* overlong NUL */
    {"\xc1\xbf", 2},         /* overlong */
    {"\xe0\x9f\xbf", 3},     /* overlong */
    {"\xf0\x8f\xbf\xbf", 4}, /* overlong */
    {"\xed\xa0\x80", 3},     /* first surrogate */
    {"\xed\xbf\xbf", 3},     /* last surrogate */
    {"\xf4\x90\x80\x80", 4}, /* past U+10FFFF */
    {"\xf5\x80\x80\x80", 4},
    {"\xf8\x88\x80\x80\x80", 5},
    {"\xff", 1},
    {"\xc2", 1}, /* cut short */
    {"\xe2\x82", 2},
    {"\xf0\x9f\x98", 3},
    {"\xc2\x41", 2}, /* a letter where a continuation belongs */
    {"\xe2\x82\x41", 3},
    {"\xf0\x9f\x98\xc0", 4},
};

static void decodes_the_boundaries(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(goods); i++) {
        uint32_t cp = 12345;

        assert_int_equal(utf8_decode(goods[i].bytes, goods[i].len, &cp), goods[i].len);
        assert_int_equal(cp, goods[i].cp);
        assert_true(utf8_valid(goods[i].bytes, goods[i].len));
    }
}

static void refuses_what_is_ill_formed(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(bads); i++) {
        uint32_t cp = 12345;

        assert_int_equal(utf8_decode(bads[i].bytes, bads[i].len, &cp), 0);
        assert_int_equal(cp, 12345);
        assert_false(utf8_valid(bads[i].bytes, bads[i].len));
    }
    assert_int_equal(utf8_decode("", 0, NULL), 0);
    assert_true(utf8_valid("", 0));
    assert_false(utf8_valid("abc\xe2\x82", 5));
}

/* Every scalar value, there and back. */
static void encodes_what_decode_reads(void **unused)
{
    (void)unused;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
        char bytes[4];
        uint32_t back = ~cp;
        size_t n;

        if (cp == 0xd800)
            cp = 0xe000;
        n = utf8_encode(bytes, cp);
        if (utf8_decode(bytes, n, &back) != n || back != cp)
            fail_msg("U+%04X", (unsigned)cp);
    }
}

static void counts_code_points(void **unused)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";

    (void)unused;
    assert_int_equal(utf8_count(text, sizeof(text) - 1), 4);
    assert_int_equal(utf8_count("", 0), 0);
}

static void plain_leaves_out_what_deceives(void **unused)
{
    static const uint32_t no[] = {
        0x0,    0x9,    0xa,    0x1b,    0x1f,     0x7f,    0x80,    0x9b,     0x9f,
        0xad,   0x61c,  0x180e, 0x200b,  0x200d,   0x200e,  0x200f,  0x2028,   0x2029,
        0x202a, 0x202e, 0x2060, 0x2064,  0x2066,   0x2069,  0xfdd0,  0xfdef,   0xfeff,
        0xfffe, 0xffff, 0xd800, 0x1ffff, 0x10fffe, 0xe0000, 0xe007f, 0x110000,
    };
    static const uint32_t yes[] = {
        0x20,   0x7e,   0xa0,   0xac,   0xae,   0xe9,   0x61b,  0x61d,  0x200a, 0x2010,  0x2027,
        0x202f, 0x205f, 0x2065, 0x206a, 0x20ac, 0x4e2d, 0xfdcf, 0xfdf0, 0xfffd, 0x1f600, 0xe0080,
    };

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(no); i++)
        if (utf8_is_plain(no[i]))
            fail_msg("U+%04X taken", (unsigned)no[i]);
    for (size_t i = 0; i < ARRAY_LEN(yes); i++)
        if (!utf8_is_plain(yes[i]))
            fail_msg("U+%04X refused", (unsigned)yes[i]);
}

static void widths(void **unused)
{
    (void)unused;
    assert_int_equal(utf8_width('a'), 1);
    assert_int_equal(utf8_width(0xad), 1);
    assert_int_equal(utf8_width(0x2592), 1);
    assert_int_equal(utf8_width(0x300), 0);
    assert_int_equal(utf8_width(0x36f), 0);
    assert_int_equal(utf8_width(0x370), 1);
    assert_int_equal(utf8_width(0x200d), 0);
    assert_int_equal(utf8_width(0x10ff), 1);
    assert_int_equal(utf8_width(0x1100), 2);
    assert_int_equal(utf8_width(0x1160), 0);
    assert_int_equal(utf8_width(0x4e2d), 2);
    assert_int_equal(utf8_width(0xac00), 2);
    assert_int_equal(utf8_width(0xff21), 2);
    assert_int_equal(utf8_width(0xff71), 1);
    assert_int_equal(utf8_width(0x1f600), 2);
    assert_int_equal(utf8_width(0x10ffff), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_boundaries),
        cmocka_unit_test(refuses_what_is_ill_formed),
        cmocka_unit_test(encodes_what_decode_reads),
        cmocka_unit_test(counts_code_points),
        cmocka_unit_test(plain_leaves_out_what_deceives),
        cmocka_unit_test(widths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
