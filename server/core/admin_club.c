/* SPDX-License-Identifier: ISC
 * admin_club.c -- announcements, the greeting, invite codes, and what the shell is asked to do.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/invite.h"

/* ---- announce ---- */

static void on_announced(struct core *c, struct pend *p, const struct core_event *ev)
{
    const char *text = admin_word(p->ask, "text");
    struct shared *s;
    struct jsonw w;
    unsigned n = 0;

    if (!admin_stored(c, p, ev))
        return;
    w = note_open(c, NOTE_SERVER_NOTICE);
    jsonw_m_str(&w, "text", text);
    s = note_share(c, &w);
    for (struct conn *cn = c->conns_first; cn != NULL; cn = cn->next) {
        if (cn->phase != PHASE_USER || cn->slow)
            continue;
        out_shared(c, cn, s, false);
        n++;
    }
    shared_unref(s);
    w = admin_open(c);
    jsonw_m_int(&w, "told", n);
    admin_send(c, p->ask, &w);
}

enum verdict on_admin_announce(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    const char *text;

    if (!admin_text(a, "text", true, &text, no))
        return REFUSED;
    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, on_announced);
    return LATER;
}

/* ---- motd ---- */

static void answer_motd(struct core *c, const struct admin_ask *a)
{
    struct jsonw w = admin_open(c);

    jsonw_m_str(&w, "motd", c->motd != NULL ? c->motd : c->cfg.motd);
    jsonw_m_bool(&w, "configured", c->motd == NULL);
    admin_send(c, a, &w);
}

static void on_motd_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    const char *text = admin_word(p->ask, "text");

    if (!admin_stored(c, p, ev))
        return;
    mem_free(c->motd);
    c->motd = text != NULL ? mem_strdup(text) : NULL;
    answer_motd(c, p->ask);
}

/* With `text` another one; with `reset` the configuration's again; else only tell. */
enum verdict on_admin_motd(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    struct store_op *op;
    const char *text;

    if (!admin_text(a, "text", false, &text, no))
        return REFUSED;
    if (text == NULL && !admin_flag(a, "reset")) {
        answer_motd(c, a);
        return SAID;
    }
    op = ops_add(&ops, text != NULL ? STORE_META_PUT : STORE_META_DROP);
    (void)str_copy(op->name, sizeof(op->name), "motd");
    if (text != NULL) {
        op->data = mem_strdup(text);
        op->len = strlen(text);
    }
    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, on_motd_stored);
    return LATER;
}

/* ---- invites ---- */

static void put_invite(const struct invite_view *v, struct jsonw *w)
{
    jsonw_m_str(w, "id", v->id);
    jsonw_m_int(w, "uses", v->uses);
    jsonw_m_int(w, "until", v->until.ms);
    jsonw_m_str(w, "by", v->by);
}

static void on_invite_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    const char *code = p->ask->secret;
    struct invite_view v;
    struct jsonw w;

    if (!admin_stored(c, p, ev)) {
        invite_forget(c, code);
        return;
    }
    w = admin_open(c);
    jsonw_m_str(&w, "code", code);
    if (invite_find(c, code) != NULL) {
        invite_view(invite_find(c, code), &v);
        put_invite(&v, &w);
    }
    admin_send(c, p->ask, &w);
}

enum verdict on_admin_invite(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct invite_terms terms = {.by = a->as[0] != '\0' ? a->as : a->who};
    struct ops ops = {NULL, 0, 0};
    struct invite_view v;
    int64_t uses = 1;

    if (!admin_int(a, "uses", (struct admin_range){1, INVITE_USES_MAX}, &uses, no) ||
        !admin_until(c, a, 0, &terms.until, no))
        return REFUSED;
    terms.uses = (uint32_t)uses;
    invite_make(c, &terms, a->secret, &ops);
    invite_view(invite_find(c, a->secret), &v);
    op_audit(c, a, &(struct admin_audit){.name = "id", .text = v.id}, &ops);
    (void)admin_store(c, a, &ops, on_invite_stored);
    return LATER;
}

enum verdict on_admin_invites(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct jsonw w = admin_open(c);
    struct invite_view v;
    size_t at = 0;

    (void)no;
    jsonw_m_arr(&w, "invites");
    while (invite_next(c, &at, &v)) {
        jsonw_obj(&w);
        put_invite(&v, &w);
        jsonw_obj_end(&w);
    }
    jsonw_arr_end(&w);
    admin_send(c, a, &w);
    return SAID;
}

static void on_revoked(struct core *c, struct pend *p, const struct core_event *ev)
{
    const bool ok = admin_stored(c, p, ev);

    invite_revoked(c, p->ask->invite, ok);
    if (ok)
        admin_done(c, p->ask);
}

enum verdict on_admin_revoke(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    struct invite_view v;
    const char *code;

    if (!json_get_string(a->req, "code", &code))
        return session_refuse_field(no, "code", "a code or its id is wanted");
    a->invite = invite_find(c, code);
    if (a->invite == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such invite code");
    if (invite_is_held(a->invite))
        return HELD; /* somebody is just registering by it */
    invite_view(a->invite, &v);
    op_invite_revoke(&ops, a->invite);
    op_audit(c, a, &(struct admin_audit){.silent = true, .name = "id", .text = v.id}, &ops);
    (void)admin_store(c, a, &ops, on_revoked);
    return LATER;
}

/* ---- drain ---- */

static void say_closing(struct core *c, int64_t in_s, const char *reason)
{
    struct jsonw w = note_open(c, NOTE_SERVER_CLOSING);
    struct shared *s;

    jsonw_m_int(&w, "in_s", in_s);
    jsonw_m_str(&w, "reason", reason);
    s = note_share(c, &w);
    for (struct conn *cn = c->conns_first; cn != NULL; cn = cn->next)
        out_shared(c, cn, s, true);
    shared_unref(s);
}

static void say_open(struct core *c)
{
    for (struct conn *cn = c->conns_first; cn != NULL; cn = cn->next) {
        struct jsonw w = note_open(c, NOTE_SERVER_NOTICE);

        jsonw_m_str(&w, "text", "The server stays open after all.");
        note_send(c, cn, &w);
    }
}

void admin_drain_timer(struct core *c)
{
    out_job(c, 0, CORE_JOB_STOP, "stop");
}

static bool read_in_s(const struct admin_ask *a, int64_t *out, struct refusal *no)
{
    enum { DAY_S = 24 * 3600 };

    return admin_int(a, "in_s", (struct admin_range){0, DAY_S}, out, no);
}

static void on_drain_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    const char *reason = admin_word(p->ask, "reason");
    const bool cancel = admin_flag(p->ask, "cancel");
    struct refusal no = {.err = ERR_OK};
    int64_t in_s = 0;
    struct jsonw w;

    if (!admin_stored(c, p, ev) || !read_in_s(p->ask, &in_s, &no))
        return;
    w = admin_open(c);
    jsonw_m_int(&w, "in_s", cancel ? -1 : in_s);
    admin_send(c, p->ask, &w);
    if (cancel) {
        timer_disarm(&c->timers, &c->drain);
        say_open(c);
        return;
    }
    c->drain_at.ms = c->wall.ms + in_s * 1000;
    if (in_s > 0)
        say_closing(c, in_s, reason != NULL ? reason : "the server stops");
    timer_arm(&c->timers, &c->drain, mono_after(c->now, in_s * 1000));
}

/* The server will stop: nothing new begins until then, what is played goes on. */
enum verdict on_admin_drain(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    const char *reason;
    int64_t in_s = 0;

    if (!read_in_s(a, &in_s, no) || !admin_text(a, "reason", false, &reason, no))
        return REFUSED;
    if (admin_flag(a, "cancel") && c->drain.pos == 0)
        return session_refuse(no, ERR_PHASE, "the server isn't about to stop");
    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, on_drain_stored);
    return LATER;
}

/* ---- what the shell does ---- */

static void on_job_done(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct jsonw w;

    if (ev->u.job.err != ERR_OK) {
        admin_fail(c, p->ask, ev->u.job.err, ev->u.job.words);
        return;
    }
    w = admin_open(c);
    jsonw_m_str(&w, "words", ev->u.job.words != NULL ? ev->u.job.words : "done");
    admin_send(c, p->ask, &w);
}

static void start_job(struct core *c, struct pend *p, const struct core_event *ev,
                      enum core_job what)
{
    struct admin_ask *a = p->ask;
    struct pend *next;

    if (!admin_stored(c, p, ev))
        return;
    p->ask = NULL;
    next = pend_new(c, NULL, NULL, on_job_done);
    next->ask = a;
    out_job(c, next->id, what, admin_word(a, "directory"));
}

static void on_backup_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    start_job(c, p, ev, CORE_JOB_BACKUP);
}

static void on_reload_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    start_job(c, p, ev, CORE_JOB_RELOAD);
}

static void on_upgrade_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    start_job(c, p, ev, CORE_JOB_UPGRADE);
}

static enum verdict audit_first(struct core *c, struct admin_ask *a, admin_end *then)
{
    struct ops ops = {NULL, 0, 0};

    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, then);
    return LATER;
}

static struct pend *find_job(const struct core *c)
{
    struct pend *p;
    size_t at = 0;

    while ((p = map_next(&c->pends, &at)) != NULL)
        if (p->done == on_job_done)
            return p;
    return NULL;
}

void admin_jobs_end(struct core *c)
{
    struct pend *p;

    while ((p = find_job(c)) != NULL) {
        admin_fail(c, p->ask, ERR_BUSY,
                   "the server stops or hands over; its log says what came of it");
        CHECK(map_take(&c->pends, &p->id) == p);
        pend_free(c, p);
    }
}

enum verdict on_admin_backup(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const char *dir;

    if (!admin_text(a, "directory", false, &dir, no))
        return REFUSED;
    if (dir != NULL && dir[0] != '/')
        return session_refuse_field(no, "directory", "a path from the root is wanted");
    return audit_first(c, a, on_backup_stored);
}

enum verdict on_admin_reload(struct core *c, struct admin_ask *a, struct refusal *no)
{
    (void)no;
    return audit_first(c, a, on_reload_stored);
}

enum verdict on_admin_upgrade(struct core *c, struct admin_ask *a, struct refusal *no)
{
    (void)no;
    mem_free(c->upgrade_why);
    c->upgrade_why = NULL;
    return audit_first(c, a, on_upgrade_stored);
}

void admin_job_event(struct core *c, const struct core_event *ev)
{
    if (ev->u.job.job != 0) {
        if (map_get(&c->pends, &ev->u.job.job) != NULL) /* admin_jobs_end */
            pend_end(c, ev->u.job.job, ev);
        return;
    }
    mem_free(c->upgrade_why);
    c->upgrade_why = mem_strdup(ev->u.job.words != NULL ? ev->u.job.words : "it failed");
    c->upgrade_at = c->wall;
}
