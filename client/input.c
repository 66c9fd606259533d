/* SPDX-License-Identifier: ISC
 * input.c -- lines of standard input.
 *
 * Files can't be waited for, so they are read whole; the rest are libuv streams.
 */
#include "client/input.h"

#include <unistd.h>
#include <uv.h>

#include "common/base/mem.h"

#define INPUT_FILE_MAX ((size_t)4 * 1024 * 1024)
#define INPUT_LINE_MAX ((size_t)64 * 1024)

struct input {
    struct input_hooks hooks;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tty_t tty;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
        uv_timer_t timer; /* of a file: it comes in the loop's next turn */
    } u;
    struct buf in;
    bool typed, ended, closing;
};

/* Hand out whole lines; at the end, what is left too. */
static void take_lines(struct input *in, bool all)
{
    char *end;

    while (!in->closing && in->in.len > 0 &&
           ((end = memchr(in->in.data, '\n', in->in.len)) != NULL || all)) {
        const size_t n = end == NULL ? in->in.len : (size_t)(end - in->in.data);
        char *line = mem_strndup(in->in.data, n > 0 && in->in.data[n - 1] == '\r' ? n - 1 : n);

        buf_consume(&in->in, MIN(n + 1, in->in.len));
        in->hooks.line(in->hooks.data, line);
        mem_free(line);
    }
}

static void end(struct input *in)
{
    if (in->ended || in->closing)
        return;
    in->ended = true;
    take_lines(in, true);
    if (!in->closing)
        in->hooks.end(in->hooks.data);
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
    (void)h;
    b->base = mem_alloc(suggested);
    b->len = suggested;
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    struct input *in = s->data;

    if (n > 0) {
        buf_put(&in->in, b->base, (size_t)n);
        take_lines(in, false);
        if (in->in.len > INPUT_LINE_MAX)
            n = UV_EOF; /* no line of ours is so long */
    }
    mem_free(b->base);
    if (n < 0) {
        (void)uv_read_stop(s);
        end(in);
    }
}

static void on_file(uv_timer_t *t)
{
    struct input *in = t->data;

    if (buf_read_file(&in->in, "-", INPUT_FILE_MAX) != ERR_OK)
        buf_reset(&in->in);
    end(in);
}

/* Open standard input as a stream of its kind; false: it isn't one. */
static bool open_stream(struct input *in, struct uv_loop_s *loop)
{
    const uv_handle_type type = uv_guess_handle(STDIN_FILENO);

    if (type == UV_TTY)
        return uv_tty_init(loop, &in->u.tty, STDIN_FILENO, 1) == 0;
    if (type == UV_NAMED_PIPE) {
        CHECK(uv_pipe_init(loop, &in->u.pipe, 0) == 0);
        return uv_pipe_open(&in->u.pipe, STDIN_FILENO) == 0;
    }
    if (type == UV_TCP) {
        CHECK(uv_tcp_init(loop, &in->u.tcp) == 0);
        return uv_tcp_open(&in->u.tcp, STDIN_FILENO) == 0;
    }
    return false;
}

struct input *input_new(struct uv_loop_s *loop, const struct input_hooks *hooks)
{
    struct input *in = mem_zalloc(sizeof(*in));

    in->hooks = *hooks;
    in->typed = isatty(STDIN_FILENO) == 1;
    if (open_stream(in, loop)) {
        in->u.handle.data = in;
        CHECK(uv_read_start(&in->u.stream, on_alloc, on_read) == 0);
        return in;
    }
    if (in->u.handle.type == UV_UNKNOWN_HANDLE) {
        CHECK(uv_timer_init(loop, &in->u.timer) == 0);
        in->u.handle.data = in;
        CHECK(uv_timer_start(&in->u.timer, on_file, 0, 0) == 0);
    }
    return in;
}

bool input_is_typed(const struct input *in)
{
    return in->typed;
}

static void on_closed(uv_handle_t *h)
{
    struct input *in = h->data;

    buf_fini(&in->in);
    mem_free(in);
}

void input_free(struct input *in)
{
    if (in == NULL || in->closing)
        return;
    in->closing = true;
    in->u.handle.data = in;
    uv_close(&in->u.handle, on_closed);
}
