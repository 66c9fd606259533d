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
                        ",\"level\":\"warn\",\"event\":\"x\",\"message\":\"name=a\\\\x0a\\\\x22"
                        "\\\\x5c\\\\xff\"}\n");
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
        cmocka_unit_test(writes_one_line_an_event),
        cmocka_unit_test(peers_cannot_forge),
        cmocka_unit_test(says_only_what_is_wanted),
        cmocka_unit_test(leaves_errno),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
