/* SPDX-License-Identifier: ISC
 * shell.c -- terminal and event loop together.
 */
#include "client/tui/shell.h"

#include <signal.h>
#include <uv.h>

#include "client/tui/view.h"
#include "common/base/mem.h"

#define SHELL_MAGIC  0x7368656cu
#define KEYS_AT_ONCE 256 /* then the screen is drawn, whatever more waits */

static const int signals[] = {SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

struct shell {
    uint32_t magic;
    struct tty *tty;
    const struct settings *set;
    struct screen screen;
    struct canvas canvas;
    bool dirty;
    uv_poll_t input;
    uv_prepare_t prepare;
    uv_timer_t timer;
    uv_signal_t sig[ARRAY_LEN(signals)];
    unsigned open;
};

static void draw(struct shell *s)
{
    const char *waits = s->screen.waits(s->screen.data);
    int w, h;

    s->dirty = false;
    term_size(s->tty, &w, &h);
    canvas_reset(&s->canvas, w, h, s->canvas.ascii);
    if (!view_small(&s->canvas, waits))
        s->screen.draw(s->screen.data, &s->canvas);
    term_show(s->tty, &s->canvas, &s->set->theme);
}

static void on_prepare(uv_prepare_t *h)
{
    struct shell *s = h->data;

    if (s->dirty)
        draw(s);
}

void shell_dirty(struct shell *s)
{
    s->dirty = true;
}

/* ---- in ---- */

static void take(struct shell *s, const struct term_event *ev)
{
    s->dirty = true;
    if (ev->key == KEY_K_RESIZE)
        return;
    if (ev->key == KEY_K_MOUSE)
        s->screen.click(s->screen.data, canvas_zone_at(&s->canvas, ev->x, ev->y), ev);
    else
        s->screen.key(s->screen.data, ev->key);
}

static void on_input(uv_poll_t *h, int status, int events)
{
    struct shell *s = h->data;
    struct term_event ev;

    (void)events;
    CHECK(s->magic == SHELL_MAGIC);
    if (status < 0) {
        (void)uv_poll_stop(h);
        s->screen.stop(s->screen.data, SIGHUP);
        return;
    }
    for (unsigned i = 0; i < KEYS_AT_ONCE && s->tty != NULL && term_read(s->tty, &ev); i++)
        take(s, &ev);
    if (s->tty != NULL && term_is_gone(s->tty)) {
        (void)uv_poll_stop(h);
        s->screen.stop(s->screen.data, SIGHUP);
    }
}

static void on_timer(uv_timer_t *h)
{
    struct shell *s = h->data;

    s->dirty = true;
    s->screen.tick(s->screen.data);
}

static void on_signal(uv_signal_t *h, int sig)
{
    struct shell *s = h->data;

    s->dirty = true;
    if (sig == SIGWINCH)
        term_resized(s->tty);
    else if (sig == SIGTSTP)
        term_suspend(s->tty);
    else
        s->screen.stop(s->screen.data, sig);
}

bool shell_common(struct shell *s, enum action act)
{
    if (act != ACT_REDRAW)
        return false;
    term_redraw(s->tty);
    return true;
}

void shell_wake(struct shell *s, int64_t in_ms)
{
    if (in_ms < 0)
        (void)uv_timer_stop(&s->timer);
    else
        (void)uv_timer_start(&s->timer, on_timer, (uint64_t)in_ms, 0);
}

struct tty *shell_term(struct shell *s)
{
    return s->tty;
}

void shell_screen(struct shell *s, const struct screen *screen)
{
    s->screen = *screen;
    s->dirty = true;
    shell_wake(s, -1);
}

/* ---- life ---- */

static void begin_handles(struct shell *s, uv_loop_t *loop)
{
    CHECK(uv_poll_init(loop, &s->input, term_fd(s->tty)) == 0);
    CHECK(uv_prepare_init(loop, &s->prepare) == 0);
    CHECK(uv_timer_init(loop, &s->timer) == 0);
    s->input.data = s;
    s->prepare.data = s;
    s->timer.data = s;
    CHECK(uv_poll_start(&s->input, UV_READABLE, on_input) == 0);
    CHECK(uv_prepare_start(&s->prepare, on_prepare) == 0);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        CHECK(uv_signal_init(loop, &s->sig[i]) == 0);
        s->sig[i].data = s;
        CHECK(uv_signal_start(&s->sig[i], on_signal, signals[i]) == 0);
    }
    s->open = 3 + ARRAY_LEN(signals);
}

enum err shell_open(struct uv_loop_s *loop, const struct settings *set, const struct screen *screen,
                    struct shell **out)
{
    const struct term_config cfg = {
        .mouse = set->mouse, .title = set->title, .colours = set->colours};
    struct shell *s = mem_zalloc(sizeof(*s));
    enum err e;

    *out = NULL;
    e = term_open(&cfg, &s->tty);
    if (e != ERR_OK) {
        mem_free(s);
        return e;
    }
    s->magic = SHELL_MAGIC;
    s->set = set;
    s->screen = *screen;
    s->dirty = true;
    canvas_init(&s->canvas, 1, 1, set->ascii);
    begin_handles(s, loop);
    *out = s;
    return ERR_OK;
}

static void on_closed(uv_handle_t *h)
{
    struct shell *s = h->data;

    CHECK(s->magic == SHELL_MAGIC);
    if (--s->open > 0)
        return;
    s->magic = 0;
    canvas_fini(&s->canvas);
    mem_free(s);
}

void shell_close(struct shell *s)
{
    if (s == NULL)
        return;
    term_close(s->tty);
    s->tty = NULL;
    uv_close((uv_handle_t *)&s->input, on_closed);
    uv_close((uv_handle_t *)&s->prepare, on_closed);
    uv_close((uv_handle_t *)&s->timer, on_closed);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        uv_close((uv_handle_t *)&s->sig[i], on_closed);
}
