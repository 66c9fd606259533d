/* SPDX-License-Identifier: ISC
 * hotseat.c -- the full screen without a server.
 */
#include "client/tui/hotseat.h"

#include <errno.h>
#include <sodium.h>
#include <uv.h>

#include "client/cmd.h"
#include "client/record.h"
#include "client/tui/local.h"
#include "client/tui/play_table.h"
#include "common/base/mem.h"

/* One game on one screen: `local` for a game at one screen, `record` for one seen again. */
struct offline {
    uv_loop_t loop;
    struct shell *shell;
    const struct settings *set;
    struct play_table table;
    struct local *local;
    struct record *record;
    bool begun;
    int code;
};

/* ---- screen ---- */

static void draw(void *data, struct canvas *c)
{
    struct offline *f = data;

    play_draw(&f->table, c);
}

static void key(void *data, uint32_t k)
{
    struct offline *f = data;

    play_key(&f->table, k);
}

static void click(void *data, const struct zone *z, const struct term_event *ev)
{
    struct offline *f = data;

    play_click(&f->table, z, ev);
}

static void tick(void *data)
{
    struct offline *f = data;

    play_tick(&f->table);
}

static void stop(void *data, int sig)
{
    struct offline *f = data;

    f->code = 128 + sig;
    uv_stop(&f->loop);
}

static const char *waits(void *data)
{
    (void)data;
    return "";
}

/* ---- port ---- */

static void facts(void *data, struct scene *v)
{
    struct offline *f = data;

    v->a = f->local != NULL ? &f->local->audit : &f->record->audit;
    v->dice = f->local != NULL ? "random dice" : f->record->why[0] == '\0' ? "dice checked" : "";
    v->dice_bad = f->record != NULL && f->record->why[0] != '\0';
    v->match = "";
    for (unsigned side = 0; v->a->board != NULL && side < 2; side++)
        v->player[side].name = audit_player(v->a, (enum rules_side)side);
    if (f->local == NULL)
        return;
    v->me = (enum rules_side)v->a->game.rules.state.active;
    v->may_order = v->me <= RULES_B && !v->a->over;
}

static void order(void *data, const struct rules_order *o)
{
    struct offline *f = data;
    struct buf why = BUF_EMPTY;

    if (local_order(f->local, o, &why) != ERR_OK)
        play_note(&f->table, true, buf_str(&why));
    buf_fini(&why);
    select_clear(&f->table.table.select);
    play_settled(&f->table);
}

static void say(void *data, const char *text, bool all)
{
    struct offline *f = data;

    (void)all;
    log_add(&f->table.log, LOG_CHAT, text);
}

/* The side whose phase it is gives up. */
static void resign(struct offline *f)
{
    struct audit *a = &f->local->audit;

    a->over = true;
    a->winner = (uint8_t)rules_enemy((enum rules_side)a->game.rules.state.active);
    a->reason = RULES_BY_RESIGN;
    a->game.rules.state.winner = a->winner;
    a->game.rules.state.reason = RULES_BY_RESIGN;
    a->game.rules.state.active = RULES_NOBODY;
    log_add(&f->table.log, LOG_NEWS, "The game is resigned.");
    play_settled(&f->table);
}

static void act(void *data, enum action a)
{
    struct offline *f = data;

    if (a == ACT_QUIT)
        uv_stop(&f->loop);
    else if (a == ACT_RESIGN && f->local != NULL && !f->local->audit.over)
        resign(f);
}

/* ---- life ---- */

static enum err begin(struct offline *f, const struct settings *set, enum scene_kind kind)
{
    const struct screen screen = {f, draw, key, click, tick, stop, waits};
    const struct play_port port = {f, facts, order, say, act};
    enum err e;

    f->set = set;
    CHECK(uv_loop_init(&f->loop) == 0);
    e = shell_open(&f->loop, set, &screen, &f->shell);
    if (e == ERR_OK)
        play_init(&f->table, f->shell, set, kind, &port);
    return e;
}

static void end(struct offline *f)
{
    shell_close(f->shell);
    if (f->shell != NULL)
        play_fini(&f->table);
    (void)uv_run(&f->loop, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&f->loop) == 0);
}

static int no_terminal(struct offline *f)
{
    const int why = errno;

    end(f);
    return cmd_fail(EX_OSERR, "this terminal can't be used: %s", strerror(why));
}

/* ---- two at one screen ---- */

static void roll(void *data, uint8_t *face, size_t n)
{
    (void)data;
    for (size_t i = 0; i < n; i++)
        face[i] = (uint8_t)(randombytes_uniform(6) + 1);
}

static void on_event(void *data, const struct film_frame *frame)
{
    struct offline *f = data;

    (void)frame;
    play_entry(&f->table, &f->local->audit, f->begun, true);
}

int hotseat_run(const struct scenario *scn, const struct settings *set)
{
    static const char *const players[2] = {"", ""};
    struct offline *f = mem_zalloc(sizeof(*f));
    const struct local_hooks hooks = {f, roll, on_event};
    int code = EX_OK;

    if (sodium_init() < 0) {
        mem_free(f);
        return cmd_fail(EX_OSERR, "no random numbers to be had");
    }
    if (begin(f, set, SCENE_HOTSEAT) != ERR_OK) {
        code = no_terminal(f);
    } else {
        f->local = mem_zalloc(sizeof(*f->local));
        local_init(f->local, scn, players, &hooks);
        f->begun = true;
        (void)uv_run(&f->loop, UV_RUN_DEFAULT);
        code = f->code;
        end(f);
        local_fini(f->local);
        mem_free(f->local);
    }
    mem_free(f);
    return code;
}

/* ---- a record ---- */

static void on_entry(void *data, const struct record *r)
{
    struct offline *f = data;

    if (r->audit.board != NULL)
        play_entry(&f->table, &r->audit, false, false);
}

/* Read it all, so that any moment can be gone to; what is sound of it is shown. */
static int read_record(struct offline *f, const char *path, const struct buf *text)
{
    const struct record_sink sink = {f, on_entry};
    struct buf words = BUF_EMPTY;

    if (record_check(f->record, buf_str(text), text->len, NULL, &sink) == ERR_OK) {
        f->record->why[0] = '\0';
    } else {
        buf_printf(&words, "%s: line %llu: %s", path, (unsigned long long)f->record->line,
                   f->record->why);
        log_add(&f->table.log, LOG_ALARM, buf_str(&words));
        play_note(&f->table, true, buf_str(&words));
    }
    if (f->record->audit.board == NULL || !f->record->audit.started) {
        const int code = words.len > 0 ? cmd_fail(EX_DATAERR, "%s", buf_str(&words))
                                       : cmd_fail(EX_DATAERR, "%s: no play in this record", path);

        buf_fini(&words);
        return code;
    }
    buf_fini(&words);
    f->table.at = film_next(&f->table.film, 0);
    return EX_OK;
}

int replay_run(const char *path, const struct settings *set)
{
    struct offline *f = mem_zalloc(sizeof(*f));
    struct buf text = BUF_EMPTY;
    int code = cmd_read_file(path, RECORD_FILE_MAX, &text);

    if (code == EX_OK && begin(f, set, SCENE_REPLAY) != ERR_OK) {
        code = no_terminal(f);
    } else if (code == EX_OK) {
        f->record = mem_zalloc(sizeof(*f->record));
        code = read_record(f, path, &text);
        if (code == EX_OK) {
            (void)uv_run(&f->loop, UV_RUN_DEFAULT);
            code = f->code != 0 ? f->code : f->record->why[0] != '\0' ? EX_DATAERR : EX_OK;
        }
        end(f);
        record_fini(f->record);
        mem_free(f->record);
    }
    buf_fini(&text);
    mem_free(f);
    return code;
}
