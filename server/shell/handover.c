/* SPDX-License-Identifier: ISC */
#include "server/shell/handover.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/inherit.h"

#define HANDOVER_MAGIC 0x48616e64u /* "Hand" */

enum stage { STARTED, READY, GOING, LOADED, GIVEN_UP };

struct handover {
    unsigned magic;
    struct handover_hooks hooks;
    const struct starter *starter;
    uv_poll_t words; /* of the starter */
    uv_pipe_t pipe;  /* to the new process */
    uv_timer_t patience;
    unsigned open; /* handles that aren't closed */
    enum stage stage;
    int pid;
    bool freed;
    char line[32];
    size_t len;
    char why[HANDOVER_WHY_LEN];
};

static struct handover *handover_of(void *p)
{
    struct handover *h = p;

    CHECK(h != NULL && h->magic == HANDOVER_MAGIC);
    return h;
}

static void give_up(struct handover *h, const char *why)
{
    if (h->stage == GIVEN_UP)
        return;
    h->stage = GIVEN_UP;
    (void)str_copy(h->why, sizeof(h->why), why);
    starter_kill(h->starter); /* its end is told to the owner */
}

void handover_cancel(struct handover *h, const char *why)
{
    give_up(h, why);
}

/* The new process is no more, or never was. */
static void is_over(struct handover *h, const char *fmt, int value)
{
    if (h->stage != GIVEN_UP) {
        h->stage = GIVEN_UP;
        (void)snprintf(h->why, sizeof(h->why), "the new program %s %d", fmt, value);
    }
    (void)uv_timer_stop(&h->patience);
    (void)uv_poll_stop(&h->words);
    h->hooks.failed(h->hooks.arg, h->why);
}

static void on_starter(uv_poll_t *poll, int status, int events)
{
    struct handover *h = handover_of(poll->data);
    struct starter_word w;

    (void)status; /* reading says it better */
    (void)events;
    if (!starter_hear(h->starter, &w))
        return;
    switch ((enum starter_what)w.what) {
    case STARTER_BEGUN:
        h->pid = w.value;
        break;
    case STARTER_FAILED:
        is_over(h, "can't be started: error", w.value);
        break;
    case STARTER_ENDED:
        if (WIFSIGNALED(w.value))
            is_over(h, "was ended by signal", WTERMSIG(w.value));
        else
            is_over(h, "ended (its own words stand before this line) with status",
                    WEXITSTATUS(w.value));
        break;
    case STARTER_GONE:
        is_over(h, "lost its starter at step", (int)h->stage);
        break;
    }
}

static void on_patience(uv_timer_t *timer)
{
    give_up(handover_of(timer->data), "the new program isn't heard of");
}

/* ---- its words ---- */

static void on_word(struct handover *h)
{
    if (h->stage == STARTED && str_eq(h->line, "ready")) {
        h->stage = READY;
        (void)uv_timer_stop(&h->patience);
        h->hooks.ready(h->hooks.arg);
    } else if (h->stage == GOING && str_eq(h->line, "loaded")) {
        h->stage = LOADED;
        (void)uv_timer_stop(&h->patience);
        h->hooks.loaded(h->hooks.arg, h->pid);
    } else {
        give_up(h, "the new program says something else than was expected");
    }
}

static void on_alloc(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    struct handover *h = handover_of(handle->data);

    (void)hint;
    *buf = uv_buf_init(h->line + h->len, (unsigned)(sizeof(h->line) - 1 - h->len));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct handover *h = handover_of(stream->data);
    char *end;

    (void)buf;
    if (n <= 0 || h->stage == GIVEN_UP) { /* its end is told by the starter */
        if (n < 0)
            (void)uv_read_stop(stream);
        return;
    }
    h->len += (size_t)n;
    h->line[h->len] = '\0';
    end = strchr(h->line, '\n');
    if (end == NULL && h->len + 1 < sizeof(h->line))
        return;
    if (end != NULL)
        *end = '\0';
    h->len = 0; /* it says one word and waits */
    on_word(h);
}

static void tell(struct handover *h, const char *line)
{
    uv_buf_t buf = uv_buf_init(NULL, 0);
    char text[8];

    (void)str_copy(text, sizeof(text), line);
    buf.base = text;
    buf.len = strlen(text);
    if (uv_try_write((uv_stream_t *)&h->pipe, &buf, 1) != (int)buf.len)
        give_up(h, "the new program doesn't listen");
}

static void wait_for(struct handover *h, uint64_t ms)
{
    CHECK(uv_timer_start(&h->patience, on_patience, ms, 0) == 0);
}

void handover_go(struct handover *h)
{
    if (h->stage != READY)
        return; /* given up meanwhile: hooks.failed comes */
    h->stage = GOING;
    wait_for(h, HANDOVER_LOADED_MS);
    tell(h, "go\n");
}

void handover_done(struct handover *h)
{
    CHECK(h->stage == LOADED);
    tell(h, "serve\n");
}

/* ---- start and end ---- */

static void on_closed(uv_handle_t *handle)
{
    struct handover *h = handover_of(handle->data);

    if (--h->open > 0)
        return;
    h->magic = 0;
    mem_free(h);
}

void handover_free(struct handover *h)
{
    if (h == NULL || h->freed)
        return;
    h->freed = true;
    uv_close((uv_handle_t *)&h->words, on_closed);
    uv_close((uv_handle_t *)&h->pipe, on_closed);
    uv_close((uv_handle_t *)&h->patience, on_closed);
}

/* Descriptors of the new process from INHERIT_FIRST on: the sockets, our pipe, the lock. */
static bool send_gift(const struct handover_gift *gift, int theirs)
{
    const size_t n = MIN(gift->n, (size_t)INHERIT_MAX);
    int fd[INHERIT_MAX + 2];
    char word[64];
    size_t k = n;

    _Static_assert(INHERIT_MAX + 2 <= STARTER_FDS, "all of them go at once");
    memcpy(fd, gift->fd, n * sizeof(fd[0]));
    fd[k++] = theirs;
    if (gift->lock >= 0)
        fd[k++] = gift->lock;
    (void)snprintf(word, sizeof(word), INHERIT_VAR "=%zu %zu %d", n, INHERIT_FIRST + n,
                   gift->lock >= 0 ? (int)(INHERIT_FIRST + n + 1) : -1);
    return starter_start(gift->starter, fd, k, word);
}

enum err handover_start(uv_loop_t *loop, const struct handover_gift *gift,
                        const struct handover_hooks *hooks, struct handover **out,
                        char why[HANDOVER_WHY_LEN])
{
    struct handover *h;
    int pair[2];
    bool ok;

    *out = NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        (void)snprintf(why, HANDOVER_WHY_LEN, "no descriptor is left");
        return ERR_IO;
    }
    ok = send_gift(gift, pair[1]);
    (void)close(pair[1]);
    if (!ok) {
        (void)close(pair[0]);
        (void)snprintf(why, HANDOVER_WHY_LEN, "the process that could start it is gone");
        return ERR_IO;
    }
    h = mem_zalloc(sizeof(*h));
    h->magic = HANDOVER_MAGIC;
    h->hooks = *hooks;
    h->starter = gift->starter;
    h->open = 3;
    CHECK(uv_pipe_init(loop, &h->pipe, 0) == 0);
    CHECK(uv_timer_init(loop, &h->patience) == 0);
    CHECK(uv_poll_init(loop, &h->words, gift->starter->fd) == 0);
    h->words.data = h->pipe.data = h->patience.data = h;
    CHECK(uv_pipe_open(&h->pipe, pair[0]) == 0);
    CHECK(uv_read_start((uv_stream_t *)&h->pipe, on_alloc, on_read) == 0);
    CHECK(uv_poll_start(&h->words, UV_READABLE, on_starter) == 0);
    wait_for(h, HANDOVER_READY_MS);
    *out = h;
    return ERR_OK;
}
