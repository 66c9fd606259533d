/* SPDX-License-Identifier: ISC
 * admin.c -- the operator's requests: table, reading, answering, waiting, the audit.
 */
#include "server/core/admin.h"

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/core/ban.h"
#include "server/core/standing.h"
#include "server/core/user.h"

struct admin_cmd {
    const char *name;
    admin_handler *handle;
};

static const struct admin_cmd cmds[] = {
    {"add", on_admin_add},           {"adjudicate", on_admin_adjudicate},
    {"announce", on_admin_announce}, {"audit", on_admin_audit},
    {"backup", on_admin_backup},     {"ban", on_admin_ban},
    {"bans", on_admin_bans},         {"check", on_admin_check},
    {"drain", on_admin_drain},       {"erase", on_admin_erase},
    {"invite", on_admin_invite},     {"invites", on_admin_invites},
    {"kick", on_admin_kick},         {"matches", on_admin_matches},
    {"motd", on_admin_motd},         {"pause", on_admin_pause},
    {"player", on_admin_player},     {"players", on_admin_players},
    {"reload", on_admin_reload},     {"reset-password", on_admin_reset_password},
    {"resume", on_admin_resume},     {"revoke", on_admin_revoke},
    {"role", on_admin_role},         {"show", on_admin_show},
    {"status", on_admin_status},     {"suspend", on_admin_suspend},
    {"unban", on_admin_unban},       {"unsuspend", on_admin_unsuspend},
    {"upgrade", on_admin_upgrade},   {"void", on_admin_void},
};

/* ---- life ---- */

void admin_ask_free(struct admin_ask *a)
{
    if (a == NULL)
        return;
    ban_free(a->ban);
    check_free(a->check);
    for (size_t i = 0; i < a->n_mine; i++)
        standing_free(a->mine[i]);
    mem_free(a->mine);
    json_free(a->req);
    mem_free(a);
}

void admin_free(struct core *c)
{
    while (c->asks != NULL) {
        struct admin_ask *a = c->asks;

        c->asks = a->next;
        admin_ask_free(a);
    }
}

/* ---- answers ---- */

struct jsonw admin_open(struct core *c)
{
    struct jsonw w = jsonw_on(out_line(c));

    jsonw_obj(&w);
    jsonw_m_obj(&w, "result");
    return w;
}

void admin_send(struct core *c, const struct admin_ask *a, struct jsonw *w)
{
    jsonw_obj_end(w);
    jsonw_obj_end(w);
    buf_putc(w->out, '\n');
    out_admin(c, a->conn, w->out);
}

void admin_done(struct core *c, const struct admin_ask *a)
{
    struct jsonw w = admin_open(c);

    admin_send(c, a, &w);
}

void admin_fail(struct core *c, const struct admin_ask *a, enum err e, const char *words)
{
    struct jsonw w = jsonw_on(out_line(c));

    jsonw_obj(&w);
    jsonw_m_obj(&w, "error");
    jsonw_m_str(&w, "reason", err_reason(e));
    jsonw_m_str(&w, "message", words != NULL && words[0] != '\0' ? words : err_words(e));
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    buf_putc(w.out, '\n');
    out_admin(c, a->conn, w.out);
}

/* ---- parameters ---- */

static bool is_plain(const char *s)
{
    const size_t len = strlen(s);

    for (size_t at = 0; at < len;) {
        uint32_t cp;
        const size_t n = utf8_decode(s + at, len - at, &cp);

        if (n == 0 || !utf8_is_plain(cp))
            return false;
        at += n;
    }
    return utf8_count(s, len) <= ADMIN_TEXT_MAX;
}

bool admin_text(const struct admin_ask *a, const char *name, bool required, const char **out,
                struct refusal *no)
{
    const struct json *j = json_get(a->req, name);

    *out = NULL;
    if (j == NULL && !required)
        return true;
    if (!json_string(j, out) || (required && (*out)[0] == '\0')) {
        session_refuse_field(no, name, "a text is wanted");
        return false;
    }
    if (is_plain(*out))
        return true;
    session_refuse_field(no, name, "up to 400 characters, without control characters");
    return false;
}

const char *admin_word(const struct admin_ask *a, const char *name)
{
    const char *text;

    return json_get_string(a->req, name, &text) ? text : NULL;
}

bool admin_flag(const struct admin_ask *a, const char *name)
{
    bool on;

    return json_get_bool(a->req, name, &on) && on;
}

bool admin_int(const struct admin_ask *a, const char *name, struct admin_range range, int64_t *out,
               struct refusal *no)
{
    const struct json *j = json_get(a->req, name);
    int64_t v;

    if (j == NULL)
        return true;
    if (!json_int(j, &v) || v < range.min || v > range.max) {
        session_refuse_field(no, name, "a number out of range");
        return false;
    }
    *out = v;
    return true;
}

bool admin_until(const struct core *c, const struct admin_ask *a, int64_t ever, struct wall *out,
                 struct refusal *no)
{
    int64_t span_s = 0;

    if (!admin_int(a, "for_s", (struct admin_range){1, ADMIN_SPAN_MAX}, &span_s, no))
        return false;
    out->ms = span_s > 0 ? c->wall.ms + span_s * 1000 : ever;
    return true;
}

struct user *admin_user(struct core *c, const struct admin_ask *a, struct refusal *no)
{
    struct user *u;
    const char *name;

    if (!json_get_string(a->req, "player", &name)) {
        session_refuse_field(no, "player", "a name is wanted");
        return NULL;
    }
    u = user_find(c, name);
    if (u == NULL)
        session_refuse(no, ERR_NOT_FOUND, "no such player");
    return u;
}

struct user *admin_member(struct core *c, const struct admin_ask *a, struct refusal *no,
                          enum verdict *v)
{
    struct user *u = admin_user(c, a, no);

    *v = REFUSED;
    if (u != NULL && u->kind != USER_MEMBER) {
        session_refuse(no, ERR_DENIED, "a guest has no account");
        return NULL;
    }
    if (u == NULL || !u->gate_shut)
        return u;
    *v = HELD;
    return NULL;
}

bool admin_match(const struct admin_ask *a, struct msg_match *out, struct refusal *no)
{
    const struct json *j = json_get(a->req, "match");
    const char *text;
    int64_t n;

    *out = (struct msg_match){.no = 0};
    if (json_int(j, &n) && n > 0 && n <= UINT32_MAX) {
        out->no = (uint32_t)n;
        return true;
    }
    if (json_string(j, &text) && hex_decode(out->id, sizeof(out->id), text))
        return true;
    session_refuse_field(no, "match", "a match's number or id is wanted");
    return false;
}

void admin_person(const struct admin_ask *a, struct buf *out)
{
    if (a->as[0] == '\0' || str_eq(a->as, a->who)) {
        buf_puts(out, a->who);
        return;
    }
    buf_printf(out, "%s (%s)", a->as, a->who);
}

/* ---- the audit ---- */

static void put_params(const struct admin_ask *a, struct jsonw *w)
{
    for (const struct json *m = json_first(a->req); m != NULL; m = json_next(m)) {
        const char *name = json_name(m);

        if (str_eq(name, "cmd") || str_eq(name, "as") || str_eq(name, "password"))
            continue;
        jsonw_str(w, name);
        buf_putc(w->out, ':');
        json_print(m, w->out);
        w->comma = true;
    }
}

void op_audit(struct core *c, const struct admin_ask *a, const struct admin_audit *more,
              struct ops *o)
{
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    jsonw_obj(&w);
    jsonw_m_int(&w, "ts", c->wall.ms);
    jsonw_m_str(&w, "who", a->who);
    if (a->as[0] != '\0')
        jsonw_m_str(&w, "as", a->as);
    jsonw_m_str(&w, "act", a->cmd->name);
    jsonw_m_obj(&w, "of");
    if (more == NULL || !more->silent)
        put_params(a, &w);
    if (more != NULL && more->name != NULL)
        jsonw_m_str(&w, more->name, more->text);
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    op_data(ops_add(o, STORE_AUDIT), &b);
    buf_fini(&b);
}

struct pend *admin_store(struct core *c, struct admin_ask *a, struct ops *o, admin_end *done)
{
    struct pend *p = pend_new(c, NULL, NULL, done);

    p->ask = a;
    out_store(c, p->id, o);
    return p;
}

bool admin_stored(struct core *c, const struct pend *p, const struct core_event *ev)
{
    if (ev->u.stored.err == ERR_OK)
        return true;
    admin_fail(c, p->ask, ERR_STORAGE, NULL);
    return false;
}

void admin_tell(struct core *c, struct user *u, const char *text)
{
    for (struct conn *cn = u->conns; cn != NULL; cn = cn->user_next) {
        struct jsonw w = note_open(c, NOTE_SERVER_NOTICE);

        jsonw_m_str(&w, "text", text);
        note_send(c, cn, &w);
    }
}

void admin_no_news(struct user *u)
{
    if (u->own == NULL)
        return;
    mem_free(u->own->news);
    u->own->news = NULL;
}

void admin_news(struct user *u, const char *text)
{
    enum { NEWS_MAX = 4000 };
    struct account *a = user_own_account(u);
    struct buf b = BUF_EMPTY;

    if (a->news != NULL && strlen(a->news) < NEWS_MAX)
        buf_printf(&b, "%s ", a->news);
    buf_puts(&b, text);
    mem_free(a->news);
    a->news = buf_detach(&b);
}

/* ---- in ---- */

static const struct admin_cmd *find_cmd(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++)
        if (str_eq(cmds[i].name, name))
            return &cmds[i];
    return NULL;
}

static unsigned count_waiting(const struct core *c)
{
    unsigned n = 0;

    for (const struct admin_ask *a = c->asks; a != NULL; a = a->next)
        n++;
    return n;
}

static void wait(struct core *c, struct admin_ask *a)
{
    struct admin_ask **end = &c->asks;

    while (*end != NULL)
        end = &(*end)->next;
    a->next = NULL;
    *end = a;
}

/* Takes the request. */
static void serve(struct core *c, struct admin_ask *a)
{
    struct refusal no = {.err = ERR_OK};
    enum verdict v = a->cmd->handle(c, a, &no);

    if (v == LATER)
        return;
    if (v == HELD || (v == REFUSED && no.gate != NULL)) {
        wait(c, a);
        return;
    }
    if (v == REFUSED && no.fault.field != NULL) {
        struct buf b = BUF_EMPTY;

        buf_printf(&b, "%s: %s", no.fault.field,
                   no.fault.text != NULL ? no.fault.text : err_words(no.err));
        admin_fail(c, a, no.err, buf_str(&b));
        buf_fini(&b);
    } else if (v == REFUSED) {
        admin_fail(c, a, no.err, no.fault.text);
    }
    admin_ask_free(a);
}

void admin_retry(struct core *c)
{
    struct admin_ask *now = c->asks;

    if (now == NULL || c->retrying || core_rests(c))
        return;
    c->retrying = true;
    c->asks = NULL;
    while (now != NULL) {
        struct admin_ask *a = now;

        now = a->next;
        serve(c, a);
    }
    c->retrying = false;
}

/* The line as a request; NULL: refused. */
static struct admin_ask *read_ask(struct core *c, const struct core_event *ev)
{
    struct admin_ask *a = mem_zalloc(sizeof(*a));
    char why[JSON_WHY_LEN];
    const char *text;

    a->conn = ev->conn;
    (void)str_copy(a->who, sizeof(a->who), ev->u.admin.who);
    if (json_parse(ev->u.admin.data, ev->u.admin.len, &json_wire_limits, &a->req, why) != ERR_OK ||
        !json_get_string(a->req, "cmd", &text)) {
        admin_fail(c, a, ERR_PARSE, "a JSON object with `cmd` is wanted");
    } else if ((a->cmd = find_cmd(text)) == NULL) {
        admin_fail(c, a, ERR_METHOD, "no such command");
    } else if (json_get_string(a->req, "as", &text) &&
               (!is_plain(text) || !str_copy(a->as, sizeof(a->as), text))) {
        admin_fail(c, a, ERR_PARAMS, "as: at most 39 bytes of plain text");
    } else if (core_rests(c) || count_waiting(c) >= ADMIN_WAIT_MAX) {
        admin_fail(c, a, ERR_BUSY, "the server is about to stop, or to hand over: try again");
    } else {
        return a;
    }
    admin_ask_free(a);
    return NULL;
}

void admin_event(struct core *c, const struct core_event *ev)
{
    struct admin_ask *a = read_ask(c, ev);

    if (a != NULL)
        serve(c, a);
}
