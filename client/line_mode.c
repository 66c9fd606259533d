/* SPDX-License-Identifier: ISC
 * line_mode.c -- the front end of line mode: what comes in, in which order it is done.
 */
#include "client/line_mode.h"

#include <unistd.h>

#include "client/line_impl.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define SCRIPT_MAX ((size_t)4 * 1024 * 1024)

static void pump(struct line_mode *l);

void line_leave(struct line_mode *l, int code)
{
    l->left = true;
    l->out.mute = true;
    app_leave(l->app, code);
}

void line_answered(struct line_mode *l)
{
    l->asks--;
    pump(l);
}

/* ---- the queue ---- */

static void push(struct line_mode *l, const char *line)
{
    if (l->n_queue == l->cap_queue) {
        l->cap_queue = MAX(l->cap_queue * 2, (size_t)16);
        l->queue = mem_resize(l->queue, l->cap_queue, sizeof(*l->queue));
    }
    l->queue[l->n_queue++] =
        (struct line_queued){mem_strdup(line), l->typed && l->down ? l->played : LINE_ANY_TIME};
}

static struct line_queued take(struct line_mode *l, size_t i)
{
    const struct line_queued line = l->queue[i];

    l->n_queue--;
    memmove(&l->queue[i], &l->queue[i + 1], (l->n_queue - i) * sizeof(*l->queue));
    return line;
}

/* The next line that may be done: the first, or for a person the first that needn't wait. */
static bool next(struct line_mode *l, struct line_queued *line)
{
    for (size_t i = 0; i < l->n_queue; i++) {
        if (line_may_do(l, l->queue[i].text) ||
            line_is_late(l, l->queue[i].text, l->queue[i].played)) {
            *line = take(l, i);
            return true;
        }
        if (!l->typed)
            return false;
    }
    return false;
}

/* Is everything done that was asked for? */
static bool is_idle(const struct line_mode *l)
{
    const struct seat *seat = app_seat(l->app);

    if (l->n_queue > 0 || l->asks > 0 || l->awaits_over)
        return false;
    return seat == NULL ? link_is_up(app_link(l->app)) : l->ready && !seat_is_busy(seat);
}

static void pump(struct line_mode *l)
{
    struct line_queued line;

    while (!l->left && next(l, &line)) {
        if (app_seat(l->app) == NULL)
            line_lobby_do(l, line.text);
        else if (line_is_late(l, line.text, line.played))
            line_say_late(l, line.text);
        else
            line_do(l, line.text);
        mem_free(line.text);
    }
    if (!l->left && l->ended && is_idle(l)) {
        line_say(&l->out, "The input has ended; the match goes on without it.");
        line_leave(l, EX_OK);
    }
    if (!l->left)
        line_prompt(&l->out);
}

static void on_line(void *data, const char *line)
{
    struct line_mode *l = data;

    l->out.prompted = false;
    push(l, line);
    pump(l);
}

static void on_end(void *data)
{
    struct line_mode *l = data;

    if (l->opt->wish.goal == SEAT_WATCH && !l->typed)
        return; /* who only looks on needs no input */
    l->ended = true;
    pump(l);
}

/* ---- the match ---- */

static void on_ready(void *data)
{
    struct line_mode *l = data;

    line_flush(&l->out);
    if (!l->ready)
        line_intro(l);
    l->ready = true;
}

static void on_entry(void *data, bool live)
{
    struct line_mode *l = data;

    const struct model *m = line_match(l);

    if (m->audit.last.kind == ENTRY_ORDER || m->audit.last.kind == ENTRY_ROLL ||
        m->audit.last.kind == ENTRY_PLAY)
        l->played = m->audit.last.seq;
    line_entry(&l->out, m, live);
}

/* Our order's roll comes in a moment: its dice belong into the same line. */
static bool roll_is_near(const struct model *m)
{
    return m->audit.roll_seq != 0 && !m->audit.over &&
           (m->role > ROLE_B || (m->seat[ROLE_A].online && m->seat[ROLE_B].online));
}

static void finish(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;

    model_result_words(m, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
    if (!l->typed) {
        line_leave(l, EX_OK);
        return;
    }
    l->told_over = true;
    line_say(&l->out, "`rematch` asks for another game, `quit` leaves.");
}

static void on_settled(void *data)
{
    struct line_mode *l = data;
    const struct model *m = line_match(l);

    if (!audit_is_whole(&m->audit) || roll_is_near(m))
        return;
    line_flush(&l->out);
    if (m->audit.over)
        l->awaits_over = false;
    if (m->audit.over && !l->opt->stay && !l->told_over) {
        finish(l, m);
        if (l->left)
            return;
    }
    line_announce(l);
    pump(l);
}

static void on_order_end(void *data, const struct seat_order_end *end)
{
    struct line_mode *l = data;

    if (end->end != SEAT_TAKEN) {
        line_flush(&l->out);
        line_refused(l, end);
        pump(l);
    }
}

static void on_chat(void *data, const char *from, const char *text, bool all)
{
    struct line_mode *l = data;
    struct buf line = BUF_EMPTY;

    words_safe(from, &line);
    buf_puts(&line, all ? " to all: " : ": ");
    words_safe(text, &line);
    line_say(&l->out, buf_str(&line));
    buf_fini(&line);
    line_prompt(&l->out);
}

static void on_presence(void *data)
{
    (void)data; /* `who` tells; comings and goings are in the journal */
}

static void on_say(void *data, enum seat_news kind, const char *text)
{
    struct line_mode *l = data;

    line_flush(&l->out);
    line_sayf(&l->out, "%s%s", kind == SEAT_ALARM ? "WARNING: " : "", text);
    line_prompt(&l->out);
}

static void on_failed(void *data, int code, const char *why)
{
    struct line_mode *l = data;

    line_leave(l, cmd_fail(code, "%s", why));
}

/* ---- the line ---- */

static void on_begin(void *data, struct app *app)
{
    struct line_mode *l = data;
    const struct input_hooks hooks = {.data = l, .line = on_line, .end = on_end};

    l->app = app;
    if (l->opt->script == NULL || l->typed)
        l->input = input_new(app_loop(app), &hooks);
}

static void on_up(void *data)
{
    struct line_mode *l = data;

    if (l->down)
        line_say(&l->out, "The line is up again.");
    l->down = false;
    if (app_seat(l->app) == NULL)
        line_lobby_up(l);
    pump(l);
}

static void on_down(void *data, const char *why, int64_t retry_ms)
{
    struct line_mode *l = data;

    if (!l->down)
        line_sayf(&l->out, "The line is down (%s); trying again. What you type is kept.", why);
    (void)retry_ms;
    l->down = true;
    line_prompt(&l->out);
}

static void on_told(void *data, const char *text)
{
    struct line_mode *l = data;

    line_say(&l->out, text);
}

static void on_note(void *data, enum msg_note note, const struct json *params)
{
    struct line_mode *l = data;
    const char *text = NULL;
    struct buf line = BUF_EMPTY;

    if (note == NOTE_SERVER_NOTICE && json_get_string(params, "text", &text))
        buf_puts(&line, "Notice: ");
    if (note == NOTE_SERVER_WELCOME && !l->ready && json_get_string(params, "motd", &text) &&
        text[0] != '\0')
        buf_puts(&line, "Server: ");
    if (note == NOTE_SERVER_CLOSING && json_get_string(params, "reason", &text))
        buf_puts(&line, "The server closes: ");
    if (line.len > 0) {
        words_safe(text, &line);
        line_say(&l->out, buf_str(&line));
    }
    buf_fini(&line);
    if (note == NOTE_SERVER_NOTICE)
        line_challenged(l, params);
}

static void on_close(void *data)
{
    struct line_mode *l = data;

    input_free(l->input);
}

/* ---- life ---- */

static int load_script(struct line_mode *l)
{
    struct buf text = BUF_EMPTY;
    int code;
    char *at, *end;

    if (l->opt->script == NULL)
        return EX_OK;
    code = cmd_read_file(l->opt->script, SCRIPT_MAX, &text);
    at = text.data;
    while (code == EX_OK && at != NULL && *at != '\0') {
        end = strchr(at, '\n');
        if (end != NULL)
            *end = '\0';
        push(l, at);
        at = end == NULL ? NULL : end + 1;
    }
    buf_fini(&text);
    if (code == EX_OK && isatty(STDIN_FILENO) != 1)
        l->ended = true; /* the script is all there is */
    return code;
}

int line_mode_run(const struct options *opt)
{
    struct line_mode l = {.opt = opt, .shown_side = RULES_NOBODY};
    const struct app_front front = {
        .data = &l,
        .begin = on_begin,
        .up = on_up,
        .down = on_down,
        .note = on_note,
        .told = on_told,
        .close = on_close,
        .seat = {.data = &l,
                 .ready = on_ready,
                 .entry = on_entry,
                 .settled = on_settled,
                 .order_end = on_order_end,
                 .chat = on_chat,
                 .presence = on_presence,
                 .say = on_say,
                 .failed = on_failed},
    };
    int code;

    l.typed = opt->script == NULL && isatty(STDIN_FILENO) == 1;
    l.out.mute = opt->json;
    l.out.prompts = l.typed && isatty(STDOUT_FILENO) == 1;
    code = load_script(&l);
    if (code == EX_OK)
        code = app_run(opt, &front);
    for (size_t i = 0; i < l.n_queue; i++)
        mem_free(l.queue[i].text);
    mem_free(l.queue);
    line_out_fini(&l.out);
    return code;
}
