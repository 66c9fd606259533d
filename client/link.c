/* SPDX-License-Identifier: ISC
 * link.c -- logged in at a server, again and again. The state is in l->stage. */
#include "client/link.h"

#include <sodium.h>
#include <sysexits.h>
#include <uv.h>

#include "client/wire.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/msec.h"
#include "common/base/str.h"
#include "proto/line.h"

#define RETRY_FIRST_MS 250
#define RETRY_MAX_MS   15000
#define RETRY_SOON_MS  500   /* while a new server takes over */
#define SOON_FOR_MS    10000 /* since the old one said so */
#define SILENCE_MS     75000 /* the server pings after 30 s */
#define LOGIN_MS       20000
#define CHECK_MS       2500

enum stage { STAGE_WAIT, STAGE_CONNECT, STAGE_WELCOME, STAGE_HELLO, STAGE_LOGIN, STAGE_UP };

struct pending {
    int64_t id;
    link_answer_fn fn;
    void *data;
};

struct link {
    uv_loop_t *loop;
    struct link_config cfg;
    struct link_hooks hooks;
    struct identity identity;
    uv_timer_t retry, check;
    unsigned open_timers;
    bool freed;
    enum stage stage;
    bool was_up, tried_register;
    unsigned tries;
    struct mono since;      /* when it was lost, or first tried */
    struct mono soon_until; /* the server said that it is back at once */
    char closing[64];       /* why it closes the line, in its words; "" */
    struct wire *wire;      /* NULL while we wait */
    struct line_reader in;
    struct buf out; /* not yet given to libuv */
    struct jsonw writer;
    int64_t next_id;
    struct pending *pending;
    size_t n_pending, cap_pending;
    char user[NAME_LEN + 1];
    bool sees_all; /* umpire or admin */
    char why[WIRE_WHY_LEN];
};

static void start(struct link *l);

/* ---- requests ---- */

struct jsonw *link_begin(struct link *l, enum msg_method m)
{
    l->writer = msg_request_out(&l->out, ++l->next_id, m);
    return &l->writer;
}

static void flush(struct link *l)
{
    if (l->wire != NULL)
        wire_send(l->wire, &l->out);
}

static void add_pending(struct link *l, link_answer_fn fn, void *data)
{
    if (l->n_pending == l->cap_pending) {
        l->cap_pending = MAX(l->cap_pending * 2, (size_t)16);
        l->pending = mem_resize(l->pending, l->cap_pending, sizeof(*l->pending));
    }
    l->pending[l->n_pending++] = (struct pending){l->next_id, fn, data};
}

static void answer_lost(link_answer_fn fn, void *data)
{
    const struct link_answer a = {.err = ERR_EOF, .message = "the line was lost"};

    if (fn != NULL)
        fn(data, &a);
}

void link_send(struct link *l, link_answer_fn fn, void *data)
{
    msg_note_end(&l->writer);
    if (l->stage <= STAGE_CONNECT) {
        buf_reset(&l->out);
        answer_lost(fn, data);
        return;
    }
    add_pending(l, fn, data);
    flush(l);
}

void link_forget(struct link *l, const void *data)
{
    for (size_t i = 0; i < l->n_pending; i++) {
        if (l->pending[i].data == data)
            l->pending[i].fn = NULL;
    }
}

/* Everybody who waits is told that the line was lost. */
static void lose_pending(struct link *l)
{
    struct pending *old = l->pending;
    const size_t n = l->n_pending;

    l->pending = NULL;
    l->n_pending = 0;
    l->cap_pending = 0;
    for (size_t i = 0; i < n; i++)
        answer_lost(old[i].fn, old[i].data);
    mem_free(old);
}

static bool take_pending(struct link *l, int64_t id, struct pending *out)
{
    for (size_t i = 0; i < l->n_pending; i++) {
        if (l->pending[i].id != id)
            continue;
        *out = l->pending[i];
        l->n_pending--;
        memmove(&l->pending[i], &l->pending[i + 1], (l->n_pending - i) * sizeof(*out));
        return true;
    }
    return false;
}

/* ---- down and up ---- */

static void hang_up(struct link *l)
{
    wire_close(l->wire);
    l->wire = NULL;
    line_fini(&l->in);
    line_init(&l->in, LINE_LIMIT_SERVER);
    buf_reset(&l->out);
}

static void fail(struct link *l, int code, const char *why)
{
    char text[sizeof(l->why)];

    (void)str_copy(text, sizeof(text), why);
    hang_up(l);
    l->stage = STAGE_WAIT;
    (void)uv_timer_stop(&l->retry);
    (void)uv_timer_stop(&l->check);
    lose_pending(l);
    l->hooks.failed(l->hooks.data, code, text);
}

static void on_retry(uv_timer_t *t)
{
    start(t->data);
}

static int64_t pause_ms(const struct link *l, int64_t least_ms)
{
    const bool soon = mono_since(l->soon_until, mono_now()) > 0;
    const int64_t most = soon ? RETRY_SOON_MS : RETRY_MAX_MS;
    int64_t ms = RETRY_FIRST_MS;

    for (unsigned i = 0; i < l->tries && ms < most; i++)
        ms *= 2;
    ms = MIN(ms, most);
    ms = ms * 3 / 4 + randombytes_uniform((uint32_t)(ms / 2 + 1));
    return MAX(ms, least_ms);
}

/* The line is lost, or couldn't be made: say so, and try again later. `code`: when it is given
 * up. */
static void drop(struct link *l, const char *why, int code, int64_t least_ms)
{
    const struct mono now = mono_now();
    const bool first = l->stage == STAGE_UP || l->tries == 0;
    int64_t pause;

    (void)str_copy(l->why, sizeof(l->why), why);
    if (first)
        l->since = now;
    hang_up(l);
    l->stage = STAGE_WAIT;
    identity_again(&l->identity);
    if ((!l->was_up && l->cfg.patience_ms == 0) ||
        (l->cfg.patience_ms > 0 && mono_since(now, l->since) >= l->cfg.patience_ms)) {
        fail(l, code, l->why);
        return;
    }
    pause = pause_ms(l, least_ms);
    l->tries++;
    (void)uv_timer_start(&l->retry, on_retry, (uint64_t)pause, 0);
    l->hooks.down(l->hooks.data, l->why, pause);
    lose_pending(l);
}

static void come_up(struct link *l)
{
    l->stage = STAGE_UP;
    l->was_up = true;
    l->tries = 0;
    l->closing[0] = '\0';
    l->hooks.up(l->hooks.data);
}

/* ---- logging in ---- */

static void log_in(struct link *l);

static void login_failed(struct link *l, const struct link_answer *a)
{
    char text[sizeof(l->why)];
    int64_t retry_ms = 0;

    (void)snprintf(text, sizeof(text), "login refused: %s", err_words(a->err));
    if (!json_get_int(a->data, "retry_ms", &retry_ms))
        retry_ms = 0;
    if (a->err == ERR_EOF)
        return; /* drop() has said so */
    if (a->err == ERR_AUTH && l->cfg.password != NULL) {
        fail(l, EX_NOPERM, "wrong name or password");
    } else if (a->err == ERR_DENIED && l->cfg.registers) {
        struct buf said = BUF_EMPTY;

        words_safe(a->message, &said);
        (void)snprintf(text, sizeof(text), "no account: %s", buf_str(&said));
        buf_fini(&said);
        fail(l, EX_NOPERM, text);
    } else if (a->err == ERR_CONFLICT || a->err == ERR_DENIED) {
        (void)snprintf(text, sizeof(text), "the name %s can't be had here: %s",
                       l->cfg.name == NULL ? "asked for" : l->cfg.name, err_words(a->err));
        fail(l, EX_NOPERM, text);
    } else if (a->err == ERR_BUSY || a->err == ERR_RATE || a->err == ERR_STORAGE) {
        drop(l, text, EX_TEMPFAIL, retry_ms);
    } else {
        fail(l, EX_PROTOCOL, text);
    }
}

static void on_login(void *data, const struct link_answer *a)
{
    struct link *l = data;
    const char *name = NULL, *token = NULL, *role = NULL;

    if (a->err != ERR_OK) {
        login_failed(l, a);
        return;
    }
    if (!json_get_string(json_get(a->result, "user"), "name", &name) || !msg_name_ok(name) ||
        !json_get_string(a->result, "token", &token)) {
        fail(l, EX_PROTOCOL, "the server's answer to the login makes no sense");
        return;
    }
    (void)str_copy(l->user, sizeof(l->user), name);
    l->sees_all = json_get_string(json_get(a->result, "user"), "role", &role) &&
                  (str_eq(role, "umpire") || str_eq(role, "admin"));
    if (l->cfg.keep && identity_taken(&l->identity, token) != ERR_OK) {
        fail(l, EX_IOERR, "the token can't be kept in the state directory");
        return;
    }
    come_up(l);
}

static void on_resume(void *data, const struct link_answer *a)
{
    struct link *l = data;

    if (a->err == ERR_AUTH) {
        identity_refused(&l->identity);
        log_in(l);
        return;
    }
    on_login(l, a);
}

/* A reply to session.register may have been lost: then the account is there, with our password. */
static void on_register(void *data, const struct link_answer *a)
{
    struct link *l = data;

    if (a->err == ERR_CONFLICT && l->tried_register) {
        l->cfg.registers = false;
        log_in(l);
        return;
    }
    l->tried_register = l->tried_register || a->err == ERR_EOF;
    on_login(l, a);
}

static void log_in_by_password(struct link *l)
{
    struct jsonw *w;

    w = link_begin(l, l->cfg.registers ? MSG_SESSION_REGISTER : MSG_SESSION_LOGIN);
    jsonw_m_str(w, "name", l->cfg.name);
    jsonw_m_str(w, "password", l->cfg.password);
    if (l->cfg.registers && l->cfg.invite != NULL)
        jsonw_m_str(w, "invite", l->cfg.invite);
    link_send(l, l->cfg.registers ? on_register : on_login, l);
}

static void log_in(struct link *l)
{
    const char *token = NULL, *next = NULL;
    enum err e = ERR_OK;
    struct jsonw *w;

    l->stage = STAGE_LOGIN;
    if (l->cfg.password != NULL && !l->was_up) {
        log_in_by_password(l);
        return;
    }
    if (l->cfg.keep && identity_next(&l->identity, &token, &next, &e)) {
        if (e != ERR_OK) {
            fail(l, EX_IOERR, "the next token can't be kept in the state directory");
            return;
        }
        w = link_begin(l, MSG_SESSION_RESUME);
        jsonw_m_str(w, "token", token);
        jsonw_m_str(w, "next", next);
        link_send(l, on_resume, l);
        return;
    }
    w = link_begin(l, MSG_SESSION_GUEST);
    if (l->cfg.name != NULL)
        jsonw_m_str(w, "name", l->cfg.name);
    link_send(l, on_login, l);
}

static void on_hello(void *data, const struct link_answer *a)
{
    struct link *l = data;

    if (a->err == ERR_OK)
        log_in(l);
    else if (a->err != ERR_EOF)
        fail(l, EX_PROTOCOL, "the server doesn't speak protocol version 1");
}

static void say_hello(struct link *l)
{
    struct jsonw *w;

    l->stage = STAGE_HELLO;
    w = link_begin(l, MSG_SESSION_HELLO);
    jsonw_m_int(w, "protocol", 1);
    jsonw_m_str(w, "client", "skirmish/" SK_VERSION);
    link_send(l, on_hello, l);
}

/* ---- lines ---- */

static void take_answer(struct link *l, const struct json *j, int64_t id)
{
    const struct json *error = json_get(j, "error");
    struct link_answer a = {.err = ERR_OK, .message = ""};
    const char *reason = NULL;
    struct pending p;

    if (!take_pending(l, id, &p) || p.fn == NULL)
        return;
    a.result = json_get(j, "result");
    if (error != NULL || a.result == NULL) {
        a.err = ERR_INTERNAL;
        a.data = json_get(error, "data");
        if (json_get_string(a.data, "reason", &reason))
            a.err = err_from_reason(reason);
        if (!json_get_string(error, "message", &a.message))
            a.message = "";
    }
    p.fn(p.data, &a);
}

/* The line will be closed: `upgrade` means that another server is there already. */
static void take_closing(struct link *l, const struct json *params)
{
    const char *reason = NULL;

    if (!json_get_string(params, "reason", &reason))
        return;
    if (str_eq(reason, "upgrade")) {
        l->soon_until = mono_after(mono_now(), SOON_FOR_MS);
        (void)str_copy(l->closing, sizeof(l->closing), "the server is being upgraded");
    } else if (str_eq(reason, "stop")) {
        (void)str_copy(l->closing, sizeof(l->closing), "the server stops");
    }
}

static void take_note(struct link *l, enum msg_note note, const struct json *params)
{
    if (note == NOTE_SERVER_PING) {
        (void)link_begin(l, MSG_SESSION_PING);
        link_send(l, NULL, NULL);
        return;
    }
    if (note == NOTE_SERVER_CLOSING)
        take_closing(l, params);
    l->hooks.note(l->hooks.data, note, params);
    if (note == NOTE_SERVER_WELCOME && l->stage == STAGE_WELCOME)
        say_hello(l);
}

static void take_line(struct link *l, const char *line, size_t len)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const char *method = NULL;
    int64_t id;

    if (l->hooks.raw != NULL)
        l->hooks.raw(l->hooks.data, line, len);
    if (json_parse(line, len, &json_file_limits, &j, why) != ERR_OK) {
        drop(l, "what answers there is no Skirmish server", EX_PROTOCOL, 0);
        return;
    }
    if (json_get_int(j, "id", &id)) {
        take_answer(l, j, id);
    } else if (json_get_string(j, "method", &method)) {
        const enum msg_note note = msg_note_find(method);

        if (note != NOTE_COUNT) /* others are of later servers */
            take_note(l, note, json_get(j, "params"));
    }
    json_free(j);
}

/* ---- the wire ---- */

static void on_bytes(void *data, const char *bytes, size_t n)
{
    struct link *l = data;
    const struct wire *w = l->wire;
    const char *line = NULL;
    size_t len = 0;

    line_feed(&l->in, bytes, n);
    while (l->wire == w) { /* whoever takes a line may hang up */
        switch (line_next(&l->in, &line, &len)) {
        case LINE_NONE:
            return;
        case LINE_TOO_LONG:
            drop(l, "the server sends lines that are too long", EX_PROTOCOL, 0);
            return;
        case LINE_GOT:
            take_line(l, line, len);
            break;
        }
    }
}

static void on_open(void *data)
{
    struct link *l = data;

    l->stage = STAGE_WELCOME;
}

static void on_told(void *data, const char *words)
{
    const struct link *l = data;

    if (l->hooks.told != NULL)
        l->hooks.told(l->hooks.data, words);
}

static void on_over(void *data, int code, const char *why)
{
    struct link *l = data;

    if (code == EX_NOPERM || code == EX_CONFIG)
        fail(l, code, why);
    else
        drop(l, code == EX_UNAVAILABLE && l->closing[0] != '\0' ? l->closing : why, code, 0);
}

static void start(struct link *l)
{
    const struct wire_config cfg = {&l->cfg.url, l->cfg.ca, l->cfg.print};
    const struct wire_hooks hooks = {
        .data = l, .open = on_open, .bytes = on_bytes, .told = on_told, .over = on_over};

    l->stage = STAGE_CONNECT;
    l->wire = wire_new(l->loop, &cfg, &hooks);
    wire_start(l->wire);
}

static void on_check(uv_timer_t *t)
{
    struct link *l = t->data;
    const int64_t most = l->stage == STAGE_UP ? SILENCE_MS : LOGIN_MS;

    if (l->wire != NULL && mono_since(mono_now(), wire_heard(l->wire)) >= most)
        drop(l, "the server has gone silent", EX_UNAVAILABLE, 0);
}

/* ---- life ---- */

enum err link_new(struct uv_loop_s *loop, const struct link_config *cfg,
                  const struct link_hooks *hooks, struct link **out)
{
    struct link *l = mem_zalloc(sizeof(*l));
    enum err e = ERR_OK;

    *out = NULL;
    l->identity.lock = -1;
    if (cfg->keep)
        e = identity_open(&l->identity, &cfg->url, cfg->name);
    if (e != ERR_OK) {
        mem_free(l);
        return e;
    }
    l->loop = loop;
    l->cfg = *cfg;
    l->hooks = *hooks;
    l->since = mono_now();
    line_init(&l->in, LINE_LIMIT_SERVER);
    CHECK(uv_timer_init(loop, &l->retry) == 0 && uv_timer_init(loop, &l->check) == 0);
    l->retry.data = l;
    l->check.data = l;
    l->open_timers = 2;
    CHECK(uv_timer_start(&l->check, on_check, CHECK_MS, CHECK_MS) == 0 &&
          uv_timer_start(&l->retry, on_retry, 0, 0) == 0);
    *out = l;
    return ERR_OK;
}

static void on_timer_closed(uv_handle_t *h)
{
    struct link *l = h->data;

    if (--l->open_timers > 0)
        return;
    identity_close(&l->identity);
    line_fini(&l->in);
    buf_fini(&l->out);
    mem_free(l->pending);
    mem_free(l);
}

void link_free(struct link *l)
{
    if (l == NULL || l->freed)
        return;
    l->freed = true;
    hang_up(l);
    l->n_pending = 0;
    l->stage = STAGE_WAIT;
    uv_close((uv_handle_t *)&l->retry, on_timer_closed);
    uv_close((uv_handle_t *)&l->check, on_timer_closed);
}

bool link_is_up(const struct link *l)
{
    return l->stage == STAGE_UP;
}

void link_forget_identity(struct link *l)
{
    identity_forget(&l->identity);
}

bool link_sees_all(const struct link *l)
{
    return l->sees_all;
}

const char *link_user(const struct link *l)
{
    return l->user;
}
