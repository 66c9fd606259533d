/* SPDX-License-Identifier: ISC
 * Growing buffers, and the memory under them.
 */
#include "common/base/buf.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/cmocka_all.h"

static void holds(const struct buf *b)
{
    assert_true(b->cap == 0 ? b->len == 0 : b->len < b->cap && b->data[b->len] == '\0');
}

static void grows_by_bytes_and_blocks(void **unused)
{
    struct buf b = BUF_EMPTY;
    char block[1000];

    (void)unused;
    assert_string_equal(buf_str(&b), "");
    for (size_t i = 0; i < 5000; i++) {
        buf_putc(&b, (char)('a' + i % 26));
        holds(&b);
    }
    assert_int_equal(b.len, 5000);
    for (size_t i = 0; i < b.len; i++)
        assert_int_equal(b.data[i], 'a' + (int)(i % 26));
    memset(block, 'x', sizeof(block));
    for (size_t n = 0; n < sizeof(block); n++) {
        size_t before = b.len;

        buf_put(&b, block, n);
        assert_int_equal(b.len, before + n);
        holds(&b);
    }
    buf_reset(&b);
    holds(&b);
    assert_string_equal(buf_str(&b), "");
    buf_fini(&b);
    assert_true(b.data == NULL && b.len == 0 && b.cap == 0);
}

static void room_is_really_there(void **unused)
{
    struct buf b = BUF_EMPTY;

    (void)unused;
    for (size_t n = 0; n < 300; n++) {
        char *to = buf_room(&b, n);

        memset(to, 'r', n); /* the sanitizer watches */
        assert_true(b.cap > b.len + n);
        b.len += n;
        b.data[b.len] = '\0';
    }
    buf_fini(&b);
}

static void writes_integers(void **unused)
{
    struct buf b = BUF_EMPTY;

    (void)unused;
    buf_put_int(&b, 0);
    buf_putc(&b, ' ');
    buf_put_int(&b, -1);
    buf_putc(&b, ' ');
    buf_put_int(&b, 1962);
    buf_putc(&b, ' ');
    buf_put_int(&b, INT64_MAX);
    buf_putc(&b, ' ');
    buf_put_int(&b, INT64_MIN);
    assert_string_equal(buf_str(&b), "0 -1 1962 9223372036854775807 -9223372036854775808");
    buf_fini(&b);
}

/* Lengths around every growth step: what fits exactly, one less, one more. */
static void prints_across_growth(void **unused)
{
    char text[600];

    (void)unused;
    for (size_t n = 0; n < sizeof(text); n++) {
        struct buf b = BUF_EMPTY;

        memset(text, 'p', n);
        text[n] = '\0';
        buf_printf(&b, "%s", text);
        assert_int_equal(b.len, n);
        assert_string_equal(buf_str(&b), text);
        buf_printf(&b, "<%s|%d>", text, 42);
        assert_int_equal(b.len, 2 * n + 5);
        assert_memory_equal(b.data + b.len - 4, "|42>", 5);
        holds(&b);
        buf_fini(&b);
    }
}

static void consumes_from_the_front(void **unused)
{
    struct buf b = BUF_EMPTY;

    (void)unused;
    buf_consume(&b, 0);
    buf_puts(&b, "one\ntwo\n");
    buf_consume(&b, 4);
    assert_string_equal(buf_str(&b), "two\n");
    buf_consume(&b, 0);
    assert_string_equal(buf_str(&b), "two\n");
    buf_consume(&b, 4);
    assert_int_equal(b.len, 0);
    holds(&b);
    buf_fini(&b);
}

static void detaches(void **unused)
{
    struct buf b = BUF_EMPTY;
    char *s = buf_detach(&b);

    (void)unused;
    assert_string_equal(s, "");
    mem_free(s);
    buf_puts(&b, "mine");
    s = buf_detach(&b);
    assert_true(b.data == NULL && b.len == 0 && b.cap == 0);
    buf_puts(&b, "new");
    assert_string_equal(s, "mine");
    mem_free(s);
    buf_fini(&b);
}

static void reads_files_within_bounds(void **unused)
{
    char path[] = "/tmp/skirmish-base-buf-XXXXXX";
    int fd = mkstemp(path);
    struct buf b = BUF_EMPTY;

    (void)unused;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    assert_int_equal(close(fd), 0);
    buf_puts(&b, ">");
    assert_int_equal(buf_read_file(&b, path, 10), ERR_OK);
    assert_string_equal(buf_str(&b), ">0123456789");
    assert_int_equal(buf_read_file(&b, path, 9), ERR_ROOM);
    assert_string_equal(buf_str(&b), ">0123456789");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(buf_read_file(&b, path, 10), ERR_IO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(buf_read_file(&b, "/", 10), ERR_IO);
    assert_int_equal(errno, EISDIR);
    assert_string_equal(buf_str(&b), ">0123456789");
    buf_fini(&b);
}

static void memory_is_copied_and_zeroed(void **unused)
{
    uint8_t *zero = mem_zalloc(64);
    uint32_t *many = mem_array(16, sizeof(*many));
    char *text = mem_strndup("abcdef", 3);
    char *none = mem_dup(NULL, 0);

    (void)unused;
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(zero[i], 0);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(many[i], 0);
    many = mem_resize(many, 4000, sizeof(*many));
    assert_int_equal(many[15], 0);
    assert_string_equal(text, "abc");
    assert_non_null(none);
    mem_free(zero);
    mem_free(many);
    mem_free(text);
    mem_free(none);
    mem_free(NULL);
}

static void overflow_now(void)
{
    volatile size_t huge = SIZE_MAX / 2;

    mem_free(mem_resize(NULL, huge, 4));
}

static void consume_too_much(void)
{
    struct buf b = BUF_EMPTY;

    buf_consume(&b, 1);
}

/* How a child ends that calls `act`: the signal's number, 0 for none. */
static int dies_by(void (*act)(void))
{
    pid_t child = fork();
    int status = 0;

    assert_true(child >= 0);
    if (child == 0) {
        (void)close(STDERR_FILENO);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void bugs_and_exhaustion_abort(void **unused)
{
    (void)unused;
    assert_int_equal(dies_by(overflow_now), SIGABRT);
    assert_int_equal(dies_by(consume_too_much), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_by_bytes_and_blocks), cmocka_unit_test(room_is_really_there),
        cmocka_unit_test(writes_integers),           cmocka_unit_test(prints_across_growth),
        cmocka_unit_test(consumes_from_the_front),   cmocka_unit_test(detaches),
        cmocka_unit_test(reads_files_within_bounds), cmocka_unit_test(memory_is_copied_and_zeroed),
        cmocka_unit_test(bugs_and_exhaustion_abort),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
