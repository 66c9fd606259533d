/* SPDX-License-Identifier: ISC
 * app.c -- one client program at work.
 */
#include "client/app.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <uv.h>

#include "client/errands.h"

struct app {
    const struct options *opt;
    const struct app_front *front;
    uv_loop_t loop;
    uv_signal_t stop[2];
    struct link *link;
    struct seat *seat;
    struct errands *errands; /* NULL: the front end has no seats */
    int code;
};

const struct options *app_options(const struct app *app)
{
    return app->opt;
}

struct uv_loop_s *app_loop(struct app *app)
{
    return &app->loop;
}

struct link *app_link(struct app *app)
{
    return app->link;
}

struct seat *app_seat(struct app *app)
{
    return app->seat;
}

void app_leave(struct app *app, int code)
{
    app->code = code;
    uv_stop(&app->loop);
}

void app_sit(struct app *app, const struct seat_wish *wish)
{
    CHECK(app->seat == NULL);
    if (app->errands != NULL)
        errands_leave(app->errands, wish->match);
    app->seat = seat_new(&app->loop, app->link, wish, &app->front->seat);
    if (link_is_up(app->link))
        seat_up(app->seat);
}

void app_stand(struct app *app)
{
    if (app->seat == NULL)
        return;
    link_forget(app->link, app->seat);
    seat_free(app->seat);
    app->seat = NULL;
    if (app->errands != NULL)
        errands_back(app->errands);
}

/* ---- from the link ---- */

static void on_up(void *data)
{
    struct app *app = data;

    if (app->front->up != NULL)
        app->front->up(app->front->data);
    if (app->seat != NULL)
        seat_up(app->seat);
    if (app->errands != NULL)
        errands_up(app->errands);
}

static void on_down(void *data, const char *why, int64_t retry_ms)
{
    struct app *app = data;

    if (app->seat != NULL)
        seat_down(app->seat);
    if (app->errands != NULL)
        errands_down(app->errands);
    if (app->front->down != NULL)
        app->front->down(app->front->data, why, retry_ms);
}

static void on_note(void *data, enum msg_note note, const struct json *params)
{
    struct app *app = data;

    if (app->seat != NULL)
        seat_note(app->seat, note, params);
    if (app->errands != NULL)
        errands_note(app->errands, note, params);
    if (app->front->note != NULL)
        app->front->note(app->front->data, note, params);
}

static void on_raw(void *data, const char *line, size_t len)
{
    (void)data;
    (void)fwrite(line, 1, len, stdout);
    (void)fputc('\n', stdout);
    (void)fflush(stdout);
}

static void on_told(void *data, const char *text)
{
    struct app *app = data;

    if (app->front->told != NULL)
        app->front->told(app->front->data, text);
    else
        (void)cmd_fail(EX_OK, "%s", text);
}

static void on_failed(void *data, int code, const char *why)
{
    struct app *app = data;
    struct buf where = BUF_EMPTY;

    url_print(&app->opt->url, &where);
    app_leave(app, cmd_fail(code, "%s: %s", buf_str(&where), why));
    buf_fini(&where);
}

/* Only who plays has a part in dice. */
static void open_errands(struct app *app)
{
    const struct errands_config cfg = {
        .front = &app->seat, .go_on = app->opt->wish.go_on, .told = on_told, .data = app};

    if (app->front->seat.failed != NULL)
        app->errands = errands_new(&app->loop, app->link, &cfg);
}

/* ---- the loop ---- */

static void on_stop(uv_signal_t *h, int sig)
{
    app_leave(h->data, 128 + sig);
}

static void listen_signals(struct app *app)
{
    static const int sigs[] = {SIGINT, SIGTERM};

    for (size_t i = 0; i < ARRAY_LEN(sigs); i++) {
        CHECK(uv_signal_init(&app->loop, &app->stop[i]) == 0);
        app->stop[i].data = app;
        CHECK(uv_signal_start(&app->stop[i], on_stop, sigs[i]) == 0);
    }
}

static int connect_link(struct app *app)
{
    const struct link_hooks hooks = {.data = app,
                                     .up = on_up,
                                     .down = on_down,
                                     .note = on_note,
                                     .told = on_told,
                                     .raw = app->opt->json ? on_raw : NULL,
                                     .failed = on_failed};
    const struct link_config cfg = {.url = app->opt->url,
                                    .name = app->opt->name,
                                    .password = app->opt->password,
                                    .registers = app->opt->registers,
                                    .invite = app->opt->wish.invite,
                                    .ca = app->opt->ca,
                                    .print = app->opt->print,
                                    .keep = true,
                                    .patience_ms = app->opt->patience_s * 1000};
    enum err e;

    e = link_new(&app->loop, &cfg, &hooks, &app->link);
    if (e == ERR_BUSY)
        return cmd_fail(EX_TEMPFAIL, "another client on this machine is %s at that server",
                        app->opt->name == NULL ? "every guest" : app->opt->name);
    if (e != ERR_OK)
        return cmd_fail(EX_CANTCREAT, "the state directory can't be used: %s", strerror(errno));
    return EX_OK;
}

static void close_all(struct app *app)
{
    if (app->front->close != NULL)
        app->front->close(app->front->data);
    link_free(app->link);
    seat_free(app->seat);
    errands_free(app->errands);
    for (size_t i = 0; i < ARRAY_LEN(app->stop); i++)
        uv_close((uv_handle_t *)&app->stop[i], NULL);
    (void)uv_run(&app->loop, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&app->loop) == 0);
}

int app_run(const struct options *opt, const struct app_front *front)
{
    struct app app = {.opt = opt, .front = front, .code = EX_SOFTWARE};
    int code;

    (void)signal(SIGPIPE, SIG_IGN);
    if (sodium_init() < 0)
        return cmd_fail(EX_OSERR, "no random numbers to be had");
    CHECK(uv_loop_init(&app.loop) == 0);
    listen_signals(&app);
    code = connect_link(&app);
    if (code == EX_OK) {
        open_errands(&app);
        front->begin(front->data, &app);
        if (opt->has_wish)
            app_sit(&app, &opt->wish);
        (void)uv_run(&app.loop, UV_RUN_DEFAULT);
        code = app.code;
    }
    close_all(&app);
    return code;
}
