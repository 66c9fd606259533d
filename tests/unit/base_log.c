/* SPDX-License-Identifier: ISC */
#include "common/base/log.h"

#include <errno.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "tests/cmocka_all.h"

enum { STAMP = 24 }; /* 2026-01-31T12:00:00.123Z */

/* What was written to standard error since begin(), as the caller's heap string. */
struct capture {
    FILE *file;
    int saved;
};

static struct capture begin(void)
{
    struct capture c = {tmpfile(), dup(STDERR_FILENO)};

    assert_non_null(c.file);
    assert_true(c.saved >= 0);
    assert_true(dup2(fileno(c.file), STDERR_FILENO) >= 0);
    return c;
}

static void end(struct capture c, struct buf *out)
{
    assert_true(dup2(c.saved, STDERR_FILENO) >= 0);
    assert_int_equal(close(c.saved), 0);
    rewind(c.file);
    buf_reset(out);
    for (int ch = getc(c.file); ch != EOF; ch = getc(c.file))
        buf_putc(out, (char)ch);
    assert_int_equal(fclose(c.file), 0);
}

/* `line` without its time, which must look like one. */
static const char *stamped(const char *line, char mark)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";

    for (size_t i = 0; i < STAMP; i++) {
        if (form[i] == 'd')
            assert_in_range(line[i], '0', '9');
        else
            assert_int_equal(line[i], form[i]);
    }
    assert_int_equal(line[STAMP], mark);
    return line + STAMP + 1;
}

static void writes_one_line_an_event(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct capture c;

    (void)unused;
    log_setup(LOG_LEVEL_INFO, LOG_FORM_TEXT);
    c = begin();
    LOG_INFO("net.accept", "conn=%u from=%s", 7U, "127.0.0.1");
    end(c, &out);
    assert_string_equal(stamped(buf_str(&out), ' '), "info  net.accept conn=7 from=127.0.0.1\n");
    c = begin();
    LOG_ERROR("stop", "%s", "");
    end(c, &out);
    assert_string_equal(stamped(buf_str(&out), ' '), "error stop\n");
    buf_fini(&out);
}

static void peers_cannot_forge(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct capture c;

    (void)unused;
    log_setup(LOG_LEVEL_INFO, LOG_FORM_TEXT);
    c = begin();
    LOG_WARN("x", "name=%s", "a\nb\x1b[2J\"\\\xff\xe2\x80\xae\xc3\xa9\r\x7f\xc2\x9b");
    end(c, &out);
    assert_string_equal(stamped(buf_str(&out), ' '),
                        "warn  x name=a\\x0ab\\x1b[2J\\x22\\x5c\\xff\\xe2\\x80\\xae\xc3\xa9"
                        "\\x0d\\x7f\\xc2\\x9b\n");
    log_setup(LOG_LEVEL_INFO, LOG_FORM_JSON);
    c = begin();
    LOG_WARN("x", "name=%s", "a\n\"\\\xff");
    end(c, &out);
    assert_memory_equal(buf_str(&out), "{\"time\":\"", 9);
    assert_string_equal(stamped(buf_str(&out) + 9, '"'),
                        ",\"level\":\"warn\",\"event\":\"x\",\"name\":\"a\\\\x0a\\\\x22"
                        "\\\\x5c\\\\xff\"}\n");
    buf_fini(&out);
}

static int hex(char ch)
{
    return ch <= '9' ? ch - '0' : ch - 'a' + 10;
}

/* The value behind `mark` in a line, as it was before it was logged. */
static void value_in(const char *line, const char *mark, bool json, struct buf *out)
{
    const char *at = strstr(line, mark);
    const char *slash = json ? "\\\\x" : "\\x";
    char end;

    assert_non_null(at);
    at += strlen(mark);
    end = *at == '"' ? '"' : ' ';
    at += *at == '"';
    buf_reset(out);
    while (*at != end && *at != '\n') {
        assert_int_not_equal(*at, '\0');
        if (*at != '\\') {
            assert_true(json || end == '"' || (*at != '=' && *at != '"'));
            buf_putc(out, *at++);
            continue;
        }
        assert_true(strncmp(at, slash, strlen(slash)) == 0); /* nothing else is escaped */
        at += strlen(slash);
        buf_putc(out, (char)(hex(at[0]) * 16 + hex(at[1])));
        at += 2;
    }
    assert_int_equal(*at, json ? '"' : end == '"' ? '"' : *at);
}

/* Hostile values, two to a line, come back out of it byte by byte; no line or field is forged. */
static void values_come_back(void **unused)
{
    static const char *const hostile[] = {
        "",
        " ",
        "plain",
        "a=b",
        "x\" level=error y=\"z",
        "a\nb 2026-01-31T12:00:00.123Z error forged",
        "\\x41",
        "\\\\",
        "\xff\xfe",
        "\xc3",
        "\342\200\256abc",
        "\xe2\x80\x8b",
        "\x1b[31m",
        "\r",
        "\x7f",
        "\"}\n{\"time\":\"",
        "caf\xc3\xa9 \xf0\x9f\x8e\xb2",
        "%s%n",
        "\xed\xa0\x80",
        "'",
        "\t",
    };
    struct buf out = BUF_EMPTY, value = BUF_EMPTY;

    (void)unused;
    for (size_t i = 0; i < 2 * ARRAY_LEN(hostile) * ARRAY_LEN(hostile); i++) {
        const bool json = i % 2 != 0;
        const char *one = hostile[i / 2 % ARRAY_LEN(hostile)];
        const char *two = hostile[i / 2 / ARRAY_LEN(hostile)];
        struct capture c;

        log_setup(LOG_LEVEL_INFO, json ? LOG_FORM_JSON : LOG_FORM_TEXT);
        c = begin();
        LOG_INFO("x", "one=%s n=%d two=%s", one, -7, two);
        end(c, &out);
        assert_ptr_equal(strchr(buf_str(&out), '\n'), buf_str(&out) + out.len - 1);
        value_in(buf_str(&out), json ? "\"one\":" : " one=", json, &value);
        assert_string_equal(buf_str(&value), one);
        assert_non_null(strstr(buf_str(&out), json ? ",\"n\":-7,\"two\":" : " n=-7 two="));
        value_in(strstr(buf_str(&out), json ? ",\"n\":-7," : " n=-7"),
                 json ? "\"two\":" : " two=", json, &value);
        assert_string_equal(buf_str(&value), two);
    }
    log_setup(LOG_LEVEL_INFO, LOG_FORM_TEXT);
    buf_fini(&out);
    buf_fini(&value);
}

static void every_conversion(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct capture c;

    (void)unused;
    c = begin();
    LOG_INFO("x", "a=%u b=%lld c=%llu d=%zu e=%s:%d f=fixed %s", 4294967295U,
             -9223372036854775807LL, 18446744073709551615ULL, (size_t)8, "h", 1, "no key");
    end(c, &out);
    assert_string_equal(stamped(buf_str(&out), ' '),
                        "info  x a=4294967295 b=-9223372036854775807 c=18446744073709551615 d=8 "
                        "e=h:1 f=fixed message=\"no key\"\n");
    buf_fini(&out);
}

static void says_only_what_is_wanted(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct capture c;

    (void)unused;
    log_setup(LOG_LEVEL_WARN, LOG_FORM_TEXT);
    assert_true(log_wants(LOG_LEVEL_ERROR));
    assert_true(log_wants(LOG_LEVEL_WARN));
    assert_false(log_wants(LOG_LEVEL_INFO));
    assert_false(log_wants(LOG_LEVEL_DEBUG));
    c = begin();
    LOG_INFO("no", "%s", "");
    LOG_DEBUG("no", "%s", "");
    end(c, &out);
    assert_int_equal(out.len, 0);
    buf_fini(&out);
}

static void leaves_errno(void **unused)
{
    struct buf out = BUF_EMPTY;
    struct capture c;

    (void)unused;
    log_setup(LOG_LEVEL_INFO, LOG_FORM_TEXT);
    c = begin();
    errno = EEXIST;
    LOG_INFO("x", "%s", "y");
    assert_int_equal(errno, EEXIST);
    end(c, &out);
    assert_true(out.len > 0);
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_one_line_an_event), cmocka_unit_test(peers_cannot_forge),
        cmocka_unit_test(values_come_back),         cmocka_unit_test(every_conversion),
        cmocka_unit_test(says_only_what_is_wanted), cmocka_unit_test(leaves_errno),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
