/* SPDX-License-Identifier: ISC
 * admin_people.c -- what an operator does to accounts: add, role, password, suspend, kick.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/core/admin.h"
#include "server/core/invite.h"
#include "server/core/session.h"
#include "server/core/user.h"

enum { PASSWORD_LETTERS = 16, PASSWORD_MIN = 8, PASSWORD_MAX = 256 };

static const char *const role_words[] = {"member", "umpire", "admin"};

static bool read_role(const struct admin_ask *a, bool required, uint8_t *out, struct refusal *no)
{
    const struct json *j = json_get(a->req, "role");
    const char *word;

    if (j == NULL && !required)
        return true;
    for (unsigned i = 0; i < ARRAY_LEN(role_words); i++) {
        if (json_string(j, &word) && str_eq(word, role_words[i])) {
            *out = (uint8_t)i;
            return true;
        }
    }
    session_refuse_field(no, "role", "member, umpire or admin");
    return false;
}

/* An act's words, and its reason where there is one. Owned by the caller. */
static char *sentence(const char *words, const char *reason)
{
    struct buf b = BUF_EMPTY;

    buf_puts(&b, words);
    if (reason != NULL && reason[0] != '\0')
        buf_printf(&b, ": %s", reason);
    buf_putc(&b, '.');
    return buf_detach(&b);
}

/* ---- a password, given or made here ---- */

static bool read_password(struct core *c, struct admin_ask *a, const char **out, struct refusal *no)
{
    const struct json *j = json_get(a->req, "password");
    size_t n;

    if (j == NULL) {
        invite_letters(c, a->secret, PASSWORD_LETTERS);
        *out = a->secret;
        return true;
    }
    if (json_string(j, out)) {
        n = utf8_count(*out, strlen(*out));
        if (n >= PASSWORD_MIN && n <= PASSWORD_MAX)
            return true;
    }
    session_refuse_field(no, "password", "8 to 256 characters are wanted");
    return false;
}

static void answer_password(struct core *c, const struct admin_ask *a, const struct user *u)
{
    struct jsonw w = admin_open(c);

    jsonw_m_str(&w, "player", u->name);
    if (a->secret[0] != '\0')
        jsonw_m_str(&w, "password", a->secret);
    admin_send(c, a, &w);
}

/* The request goes on in the next work. */
static struct admin_ask *take_ask(struct pend *p)
{
    struct admin_ask *a = p->ask;

    p->ask = NULL;
    return a;
}

static void fail_hash(struct core *c, const struct pend *p, const struct core_event *ev)
{
    admin_fail(c, p->ask, ev->u.hashed.err == ERR_BUSY ? ERR_BUSY : ERR_INTERNAL, NULL);
}

static void start_hash(struct core *c, struct admin_ask *a, struct user *u, const char *password,
                       admin_end *done)
{
    struct pend *p = pend_new(c, NULL, NULL, done);

    p->ask = a;
    pend_pin(p, u);
    c->n_hashing++;
    out_hash(c, p->id, password, NULL);
}

/* ---- add ---- */

static void on_added(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    if (admin_stored(c, p, ev)) {
        u->unborn = false;
        u->stored = true;
        answer_password(c, p->ask, u);
        return;
    }
    pend_unpin(p);
    user_free(c, u);
}

static void on_add_hashed(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct ops ops = {NULL, 0, 0};
    struct admin_ask *a;

    c->n_hashing--;
    if (!ev->u.hashed.ok) {
        fail_hash(c, p, ev);
        pend_unpin(p);
        user_free(c, u);
        return;
    }
    a = take_ask(p);
    user_own_account(u)->hash = mem_strdup(ev->u.hashed.hash);
    op_user_put(&ops, u);
    op_audit(c, a, NULL, &ops);
    pend_pin(admin_store(c, a, &ops, on_added), u);
}

enum verdict on_admin_add(struct core *c, struct admin_ask *a, struct refusal *no)
{
    uint8_t role = USER_PLAIN;
    const char *name, *password, *email;
    struct user *u;

    if (!json_get_string(a->req, "player", &name) || !msg_name_ok(name))
        return session_refuse_field(no, "player", "3 to 20 of A-Z a-z 0-9 _ -");
    if (!read_role(a, false, &role, no) || !admin_text(a, "email", false, &email, no) ||
        !read_password(c, a, &password, no))
        return REFUSED;
    if (user_is_taken(c, name))
        return session_refuse(no, ERR_CONFLICT, "this name is taken");
    u = user_new(c, name, USER_MEMBER);
    u->unborn = true;
    u->role = role;
    if (email != NULL)
        user_own_account(u)->email = mem_strdup(email);
    start_hash(c, a, u, password, on_add_hashed);
    return LATER;
}

/* ---- reset-password ---- */

static void on_reset_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    const bool ok = admin_stored(c, p, ev);

    u->gate_shut = u->changing = false;
    families_ended(c, u, ok);
    if (ok) {
        user_set_hash(u, p->hash);
        p->hash = NULL;
        session_end_others(c, u, NULL);
        answer_password(c, p->ask, u);
    } else {
        admin_no_news(u);
    }
    gate_open(c, &u->gate);
}

static void on_reset_hashed(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct ops ops = {NULL, 0, 0};
    struct account *account = user_own_account(u);
    char *old = account->hash;
    struct admin_ask *a;
    struct pend *next;

    c->n_hashing--;
    if (!ev->u.hashed.ok) {
        u->gate_shut = u->changing = false;
        fail_hash(c, p, ev);
        gate_open(c, &u->gate);
        return;
    }
    a = take_ask(p);
    admin_news(u, "The operator has set a new password for you; every login was ended.");
    account->hash = mem_strdup(ev->u.hashed.hash);
    op_user_put(&ops, u); /* the row with the new one; it counts once stored */
    op_audit(c, a, NULL, &ops);
    for (struct family *f = u->families; f != NULL; f = f->next)
        ops_family_drop(&ops, f);
    next = admin_store(c, a, &ops, on_reset_stored);
    next->hash = account->hash;
    account->hash = old;
    pend_pin(next, u);
}

enum verdict on_admin_reset_password(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const char *password, *reason;
    enum verdict v;
    struct user *u = admin_member(c, a, no, &v);

    if (u == NULL)
        return v;
    if (!admin_text(a, "reason", false, &reason, no) || !read_password(c, a, &password, no))
        return REFUSED;
    u->gate_shut = u->changing = true;
    start_hash(c, a, u, password, on_reset_hashed);
    return LATER;
}

/* ---- role ---- */

static void on_role_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    char *text;

    u->gate_shut = false;
    if (admin_stored(c, p, ev)) {
        struct buf b = BUF_EMPTY;

        u->role = p->ask->role;
        buf_printf(&b, "Your role here is now: %s", role_words[u->role]);
        text = sentence(buf_str(&b), NULL);
        admin_tell(c, u, text);
        mem_free(text);
        buf_fini(&b);
        admin_done(c, p->ask);
    } else {
        admin_no_news(u);
    }
    gate_open(c, &u->gate);
}

enum verdict on_admin_role(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    const char *reason;
    enum verdict v;
    struct user *u = admin_member(c, a, no, &v);
    uint8_t role = USER_PLAIN;
    uint8_t old;

    if (u == NULL)
        return v;
    if (!read_role(a, true, &role, no) || !admin_text(a, "reason", false, &reason, no))
        return REFUSED;
    if (u->conns == NULL) {
        struct buf b = BUF_EMPTY;

        buf_printf(&b, "The operator has changed your role: you are now %s.", role_words[role]);
        admin_news(u, buf_str(&b));
        buf_fini(&b);
    }
    old = u->role;
    u->role = role; /* the row with the new one; it counts once stored */
    op_user_put(&ops, u);
    u->role = old;
    op_audit(c, a, NULL, &ops);
    u->gate_shut = true;
    a->role = role;
    pend_pin(admin_store(c, a, &ops, on_role_stored), u);
    return LATER;
}

/* ---- suspend, unsuspend ---- */

/* Say why, and close all that the player has. */
static unsigned close_all(struct core *c, struct user *u, const char *text)
{
    unsigned n = 0;

    admin_tell(c, u, text);
    while (u->conns != NULL) {
        session_close(c, u->conns);
        n++;
    }
    return n;
}

static void on_suspended(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    u->gate_shut = false;
    if (admin_stored(c, p, ev)) {
        char *text;

        user_bar(u, p->ask->until, admin_word(p->ask, "reason"));
        text = user_barred_words(c, u);
        close_all(c, u, text);
        mem_free(text);
        admin_done(c, p->ask);
    }
    gate_open(c, &u->gate);
}

/* The row as it will be, until a->until; what is known stays as it is until that is stored. */
static void store_bar(struct core *c, struct admin_ask *a, struct user *u, const char *why,
                      admin_end *done)
{
    struct ops ops = {NULL, 0, 0};
    struct account *account = user_own_account(u);
    const struct wall old = account->barred;
    char *old_why = account->barred_why;

    account->barred = a->until;
    account->barred_why = why != NULL ? mem_strdup(why) : NULL;
    op_user_put(&ops, u);
    mem_free(account->barred_why);
    account->barred = old;
    account->barred_why = old_why;
    op_audit(c, a, NULL, &ops);
    u->gate_shut = true;
    pend_pin(admin_store(c, a, &ops, done), u);
}

enum verdict on_admin_suspend(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const char *reason;
    enum verdict v;
    struct user *u = admin_member(c, a, no, &v);

    if (u == NULL)
        return v;
    if (!admin_text(a, "reason", true, &reason, no) ||
        !admin_until(c, a, BARRED_FOR_EVER, &a->until, no))
        return REFUSED;
    store_bar(c, a, u, reason, on_suspended);
    return LATER;
}

static void on_unsuspended(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    u->gate_shut = false;
    if (admin_stored(c, p, ev)) {
        user_bar(u, (struct wall){0}, NULL);
        admin_done(c, p->ask);
    } else {
        admin_no_news(u);
    }
    gate_open(c, &u->gate);
}

enum verdict on_admin_unsuspend(struct core *c, struct admin_ask *a, struct refusal *no)
{
    const char *reason;
    enum verdict v;
    struct user *u = admin_member(c, a, no, &v);

    if (u == NULL)
        return v;
    if (!admin_text(a, "reason", false, &reason, no))
        return REFUSED;
    if (!user_is_barred(c, u))
        return session_refuse(no, ERR_PHASE, "this account is not suspended");
    admin_news(u, "Your account was suspended, and the operator has lifted that.");
    store_bar(c, a, u, NULL, on_unsuspended);
    return LATER;
}

/* ---- kick ---- */

static void on_kick_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    unsigned n;
    struct jsonw w;
    char *text;

    if (!admin_stored(c, p, ev))
        return;
    text = sentence("The operator has closed your connection", admin_word(p->ask, "reason"));
    n = close_all(c, u, text);
    mem_free(text);
    w = admin_open(c);
    jsonw_m_int(&w, "closed", n);
    admin_send(c, p->ask, &w);
}

enum verdict on_admin_kick(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct user *u = admin_user(c, a, no);
    struct ops ops = {NULL, 0, 0};
    const char *reason;

    if (u == NULL || !admin_text(a, "reason", false, &reason, no))
        return REFUSED;
    if (u->conns == NULL)
        return session_refuse(no, ERR_PHASE, "this player is not here");
    op_audit(c, a, NULL, &ops);
    pend_pin(admin_store(c, a, &ops, on_kick_stored), u);
    return LATER;
}
