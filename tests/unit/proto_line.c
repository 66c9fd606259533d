/* SPDX-License-Identifier: ISC
 * Cutting a stream into lines: however it arrives, the lines are the same.
 */
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "proto/line.h"

#include "tests/cmocka_all.h"

/* Everything that comes out of `r` now, as "line|line|", with "!" for too long. */
static void drain(struct line_reader *r, struct buf *out)
{
    const char *line;
    size_t len;
    enum line_result got;

    while ((got = line_next(r, &line, &len)) == LINE_GOT) {
        assert_int_equal(line[len], '\0');
        buf_put(out, line, len);
        buf_putc(out, '|');
    }
    if (got == LINE_TOO_LONG)
        buf_putc(out, '!');
}

/* Feed `stream` in pieces of `step` bytes; the result must be `want`, however it was cut. */
static void expect_in_steps(const char *stream, size_t limit, size_t step, const char *want)
{
    const size_t len = strlen(stream);
    struct line_reader r;
    struct buf out = BUF_EMPTY;

    line_init(&r, limit);
    for (size_t at = 0; at < len; at += step) {
        line_feed(&r, stream + at, MIN(step, len - at));
        drain(&r, &out);
        if (r.too_long)
            break;
    }
    assert_string_equal(buf_str(&out), want);
    buf_fini(&out);
    line_fini(&r);
}

static void expect(const char *stream, size_t limit, const char *want)
{
    for (size_t step = 1; step <= strlen(stream) + 1; step++)
        expect_in_steps(stream, limit, step, want);
}

static void lines_come_out_however_they_are_cut(void **unused)
{
    (void)unused;
    expect("{\"a\":1}\n{\"b\":2}\r\n3\n", 100, "{\"a\":1}|{\"b\":2}|3|");
    expect("one\ntwo", 100, "one|");
    expect("a\r\r\n", 100, "a\r|"); /* only one '\r' belongs to the end */
    expect("a\rb\n", 100, "a\rb|");
    expect("", 100, "");
}

static void blank_lines_are_nothing(void **unused)
{
    (void)unused;
    expect("\n\r\n\n  \n\t\r\nx\n\n\ny\n", 100, "x|y|");
}

static void the_limit_is_exact_and_leaves_the_end_out(void **unused)
{
    (void)unused;
    expect("12345\n", 5, "12345|");
    expect("12345\r\n12345\n", 5, "12345|12345|");
    expect("123456\n", 5, "!");
    expect("123456\r\n", 5, "!");
    expect("1234\r\r\n", 5, "1234\r|");
    expect("12345\r\r\n", 5, "!");
    expect("12345\r", 5, "");
    expect("1\n123456789", 5, "1|!");
    expect("      \n", 5, "!"); /* a blank line has a limit too */
}

static void too_long_is_told_before_the_end_and_for_ever(void **unused)
{
    struct line_reader r;
    const char *line;
    size_t len;

    (void)unused;
    line_init(&r, 3);
    line_feed(&r, "abcd", 4); /* no end in sight */
    assert_int_equal(line_next(&r, &line, &len), LINE_TOO_LONG);
    line_feed(&r, "\nok\n", 4);
    assert_int_equal(line_next(&r, &line, &len), LINE_TOO_LONG);
    assert_null(r.in); /* nothing is kept of it */
    assert_false(line_is_partial(&r));
    line_fini(&r);
}

static void the_limit_may_grow_between_lines(void **unused)
{
    struct line_reader r;
    const char *line;
    size_t len;

    (void)unused;
    line_init(&r, 4);
    line_feed(&r, "abcd\nabcdefgh\n", 14);
    assert_int_equal(line_next(&r, &line, &len), LINE_GOT);
    r.limit = 8;
    assert_int_equal(line_next(&r, &line, &len), LINE_GOT);
    assert_string_equal(line, "abcdefgh");
    assert_int_equal(line_next(&r, &line, &len), LINE_NONE);
    line_fini(&r);
}

static void a_line_keeps_its_nul_bytes(void **unused)
{
    struct line_reader r;
    const char *line;
    size_t len;

    (void)unused;
    line_init(&r, 100);
    line_feed(&r, "a\0b\n", 4);
    assert_int_equal(line_next(&r, &line, &len), LINE_GOT);
    assert_int_equal(len, 3);
    assert_memory_equal(line, "a\0b", 4);
    line_fini(&r);
}

static void knows_when_part_of_a_line_waits(void **unused)
{
    struct line_reader r;
    struct buf out = BUF_EMPTY;

    (void)unused;
    line_init(&r, 100);
    assert_false(line_is_partial(&r));
    line_feed(&r, "whole\n", 6);
    assert_false(line_is_partial(&r));
    drain(&r, &out);
    assert_false(line_is_partial(&r));
    line_feed(&r, "half", 4);
    drain(&r, &out);
    assert_true(line_is_partial(&r));
    line_feed(&r, "\n", 1);
    drain(&r, &out);
    assert_false(line_is_partial(&r));
    assert_string_equal(buf_str(&out), "whole|half|");
    buf_fini(&out);
    line_fini(&r);
}

/* 2 MiB of lines in one packet, then 256 KiB a byte at a time: neither is quadratic (the test's
 * time limit would tell), and a drained reader gives its room back. */
static void long_streams_are_linear(void **unused)
{
    enum { LINES = 1 << 19, LONG = LINE_LIMIT_SERVER };
    struct buf packet = BUF_EMPTY;
    struct line_reader r;
    const char *line;
    size_t len;
    size_t got = 0;

    (void)unused;
    for (int i = 0; i < LINES; i++)
        buf_puts(&packet, "{}\r\n");
    line_init(&r, LONG);
    line_feed(&r, packet.data, packet.len);
    while (line_next(&r, &line, &len) == LINE_GOT)
        got += len == 2;
    assert_int_equal(got, LINES);
    assert_null(r.in);
    for (int i = 0; i < LONG; i++) {
        line_feed(&r, "x", 1);
        assert_int_equal(line_next(&r, &line, &len), LINE_NONE);
    }
    line_feed(&r, "\n", 1);
    assert_int_equal(line_next(&r, &line, &len), LINE_GOT);
    assert_int_equal(len, LONG);
    line_fini(&r);
    buf_fini(&packet);
}

/* A peer that always leaves half a line behind: what was taken goes, the buffer stays small. */
static void what_was_taken_does_not_pile_up(void **unused)
{
    struct line_reader r;
    const char *line;
    size_t len;

    (void)unused;
    line_init(&r, 100);
    line_feed(&r, "01234", 5);
    for (int i = 0; i < 100000; i++) {
        line_feed(&r, "56789\n01234", 11);
        assert_int_equal(line_next(&r, &line, &len), LINE_GOT);
        assert_string_equal(line, "0123456789");
        assert_int_equal(line_next(&r, &line, &len), LINE_NONE);
    }
    assert_true(r.in->cap <= 256);
    line_fini(&r);
}

/* Two readers and one room: it is with the one that has something to say. */
static void empty_readers_share_a_room(void **unused)
{
    static char large[20000];
    struct line_reader a, b;
    struct line_bytes *spare = NULL;
    const char *line = NULL;
    const char *room;
    size_t len = 0;

    (void)unused;
    line_init(&a, sizeof(large));
    line_init(&b, 100);
    line_settle(&a, &spare);
    assert_null(spare);
    line_lend(&a, &spare);
    line_feed(&a, "one\ntw", 6);
    assert_int_equal(line_next(&a, &line, &len), LINE_GOT);
    assert_string_equal(line, "one");
    line_settle(&a, &spare); /* part of a line waits */
    assert_null(spare);
    line_lend(&a, &spare);
    line_feed(&a, "o\n", 2);
    assert_int_equal(line_next(&a, &line, &len), LINE_GOT);
    assert_string_equal(line, "two");
    line_settle(&a, &spare);
    assert_null(a.in);
    assert_non_null(spare);
    room = spare->data;
    line_lend(&b, &spare);
    assert_null(spare);
    line_feed(&b, "three\n", 6);
    line_lend(&a, &spare); /* nothing to lend */
    memset(large, 'x', sizeof(large));
    large[sizeof(large) - 1] = '\n';
    line_feed(&a, large, sizeof(large));
    assert_int_equal(line_next(&b, &line, &len), LINE_GOT);
    assert_string_equal(line, "three");
    assert_ptr_equal(line, room);
    assert_int_equal(line_next(&a, &line, &len), LINE_GOT);
    assert_int_equal(len, sizeof(large) - 1);
    line_settle(&a, &spare); /* too large to be kept */
    assert_null(spare);
    line_settle(&b, &spare);
    assert_ptr_equal(spare->data, room);
    line_feed(&a, "four\n", 5); /* whoever isn't lent has its own */
    assert_int_equal(line_next(&a, &line, &len), LINE_GOT);
    assert_string_equal(line, "four");
    line_settle(&a, &spare);
    assert_ptr_equal(spare->data, room);
    line_fini(&a);
    line_fini(&b);
    mem_free(spare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_however_they_are_cut),
        cmocka_unit_test(blank_lines_are_nothing),
        cmocka_unit_test(the_limit_is_exact_and_leaves_the_end_out),
        cmocka_unit_test(too_long_is_told_before_the_end_and_for_ever),
        cmocka_unit_test(the_limit_may_grow_between_lines),
        cmocka_unit_test(a_line_keeps_its_nul_bytes),
        cmocka_unit_test(knows_when_part_of_a_line_waits),
        cmocka_unit_test(long_streams_are_linear),
        cmocka_unit_test(what_was_taken_does_not_pile_up),
        cmocka_unit_test(empty_readers_share_a_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
