/* SPDX-License-Identifier: ISC
 * online.c -- the full screen at a server: its life, and the link.
 */
#include "client/tui/online.h"

#include <errno.h>
#include <signal.h>

#include "client/account.h"
#include "client/tui/online_impl.h"
#include "common/base/mem.h"
#include "common/base/str.h"

void online_note(struct online *o, const char *text)
{
    (void)str_copy(o->note, sizeof(o->note), text);
    if (o->has_table && o->at == ONLINE_TABLE)
        play_note(&o->table, true, text);
    shell_dirty(o->shell);
}

const char *online_status(struct online *o)
{
    const int64_t left = mono_since(o->retry_at, mono_now());

    if (!o->down)
        return "";
    if (o->tries == 0)
        (void)str_copy(o->status, sizeof(o->status), o->why);
    else if (left > 0)
        (void)snprintf(o->status, sizeof(o->status),
                       "The line is down (%s). Try %u in %lld s; nothing is lost.", o->why,
                       o->tries, (long long)(left + 999) / 1000);
    else
        (void)snprintf(o->status, sizeof(o->status),
                       "The line is down (%s). Try %u is under way; nothing is lost.", o->why,
                       o->tries);
    return o->status;
}

/* ---- screen ---- */

static void draw(void *data, struct canvas *c)
{
    struct online *o = data;

    if (o->at == ONLINE_TABLE) {
        o->table.scene.status = online_status(o);
        play_draw(&o->table, c);
    } else {
        online_lobby_draw(o, c);
    }
    if (o->down)
        shell_wake(o->shell, 500);
}

static void key(void *data, uint32_t k)
{
    struct online *o = data;

    if (o->at == ONLINE_TABLE)
        play_key(&o->table, k);
    else
        online_lobby_key(o, k);
}

static void click(void *data, const struct zone *z, const struct term_event *ev)
{
    struct online *o = data;

    if (o->at == ONLINE_TABLE)
        play_click(&o->table, z, ev);
    else
        online_lobby_click(o, z, ev);
}

static void tick(void *data)
{
    struct online *o = data;

    if (o->must_stand)
        online_stand(o);
    else if (o->at == ONLINE_TABLE)
        play_tick(&o->table);
}

static void stop(void *data, int sig)
{
    struct online *o = data;

    app_leave(o->app, 128 + sig);
}

static const char *waits(void *data)
{
    struct online *o = data;

    if (o->down)
        return "The line is down.";
    return o->my_turn ? "It is your turn." : "";
}

/* ---- front ---- */

static void begin(void *data, struct app *app)
{
    struct online *o = data;
    const struct screen screen = {o, draw, key, click, tick, stop, waits};

    o->app = app;
    o->down = true;
    (void)str_copy(o->why, sizeof(o->why), "Connecting.");
    if (shell_open(app_loop(app), o->set, &screen, &o->shell) != ERR_OK) {
        app_leave(app, cmd_fail(EX_OSERR, "this terminal can't be used: %s; try --plain",
                                strerror(errno)));
        return;
    }
    if (o->opt->has_wish) {
        o->wish = o->opt->wish;
        online_sit(o, false);
    }
}

static void up(void *data)
{
    struct online *o = data;

    o->down = false;
    o->tries = 0;
    (void)str_copy(o->lobby.user, sizeof(o->lobby.user), link_user(app_link(o->app)));
    if (o->opt->password != NULL && account_remember(&o->opt->url, o->lobby.user) != ERR_OK)
        online_note(o, "The account can't be remembered in the state directory.");
    online_refresh(o);
    shell_dirty(o->shell);
}

static void down(void *data, const char *why, int64_t retry_ms)
{
    struct online *o = data;

    o->down = true;
    o->tries++;
    o->retry_at = mono_after(mono_now(), retry_ms);
    (void)str_copy(o->why, sizeof(o->why), why);
    shell_dirty(o->shell);
}

static void note(void *data, enum msg_note n, const struct json *params)
{
    struct online *o = data;

    online_lobby_note(o, n, params);
    shell_dirty(o->shell);
}

static void told(void *data, const char *text)
{
    struct online *o = data;

    online_note(o, text);
    shell_dirty(o->shell);
}

static void close_front(void *data)
{
    struct online *o = data;

    shell_close(o->shell);
    o->shell = NULL;
}

static void fini(struct online *o)
{
    if (o->has_table)
        play_fini(&o->table);
    film_fini(&o->past);
    online_pane_fini(o);
    scenario_set_fini(&o->scenarios);
    lobby_fini(&o->lobby);
    mem_free(o);
}

int online_run(const struct options *opt, const struct settings *set,
               const struct online_solo *with, bool *wants_solo)
{
    struct online *o = mem_zalloc(sizeof(*o));
    struct app_front front = {.data = o,
                              .begin = begin,
                              .up = up,
                              .down = down,
                              .note = note,
                              .told = told,
                              .close = close_front,
                              .seat = online_seat_hooks(o)};
    struct buf where = BUF_EMPTY;
    int code;

    o->opt = opt;
    o->set = set;
    o->with = with;
    o->pane.o = o;
    o->has_lobby = !opt->has_wish;
    lobby_init(&o->lobby);
    scenario_set_init(&o->scenarios);
    url_print(&opt->url, &where);
    (void)str_copy(o->lobby.server, sizeof(o->lobby.server), buf_str(&where));
    buf_fini(&where);
    code = app_run(opt, &front);
    *wants_solo = o->wants_solo;
    fini(o);
    return code;
}
