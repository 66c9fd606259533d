/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/invite.h"
#include "server/core/session.h"
#include "server/core/user.h"

/* What an unknown name's password is checked against, so that it takes as long as a known one's;
 * made of random bytes that nobody kept. */
static const char nobodys_hash[] = "$argon2id$v=19$m=19456,t=2,p=1$FW7cxNYwW1WMIVFko6oukQ$"
                                   "QgV5RmbL5VJ+98uPVB2EN2i2Xcaog9CHayOmS68pCtk";
static const char wrong[] = "unknown name or wrong password";

static void hash_start(struct core *c, const struct pend *p, const char *password, const char *hash)
{
    c->n_hashing++;
    out_hash(c, p->id, password, hash);
}

/* Why there is no hash: too many wanted one, or the library failed. */
static enum err no_hash(const struct core_event *ev)
{
    return ev->u.hashed.err == ERR_BUSY ? ERR_BUSY : ERR_INTERNAL;
}

/* The next work of the same request: everything of `p` moves into it. */
static struct pend *hand_on(struct core *c, struct pend *p,
                            void (*done)(struct core *, struct pend *, const struct core_event *))
{
    struct conn *cn = pend_conn(p);
    struct pend *next = pend_new(c, NULL, NULL, done);
    uint64_t id = next->id;

    *next = *p;
    next->id = id;
    next->done = done;
    *p = (struct pend){.id = p->id};
    if (cn != NULL)
        cn->pend = next;
    return next;
}

static void refuse_pend(struct core *c, const struct pend *p, enum err e, const char *words)
{
    const struct msg_fault fault = {.text = words};
    struct conn *cn = pend_conn(p);

    session_count_login(c, p->req.method, false);
    if (cn != NULL)
        reply_error(c, cn, &p->req.id, e, &fault);
}

/* Of a suspended account: known only to who knows its password. */
static void refuse_barred(struct core *c, const struct pend *p)
{
    char *words = user_barred_words(c, p->user);

    refuse_pend(c, p, ERR_DENIED, words);
    mem_free(words);
}

/* ---- a new login of a user: family and first token ---- */

/* The transaction's end where the user's gate was shut for it. */
static void reopen(struct core *c, struct pend *p, bool ok)
{
    if (!p->shut)
        return;
    p->user->gate_shut = false;
    families_ended(c, p->user, ok);
}

static void login_failed(struct core *c, struct pend *p)
{
    struct user *u = p->user;

    refuse_pend(c, p, ERR_STORAGE, NULL);
    if (u->unborn) {
        pend_unpin(p);
        user_free(c, u);
    } else if (p->shut) {
        gate_open(c, &u->gate);
    }
}

static void on_login_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    const bool ok = ev->u.stored.err == ERR_OK;
    struct conn *cn = pend_conn(p);
    struct user *u = p->user;

    reopen(c, p, ok);
    if (p->invite != NULL)
        invite_spent(c, p->invite, ok);
    if (!ok) {
        login_failed(c, p);
        return;
    }
    p->invite = NULL;
    u->unborn = false;
    u->stored = true;
    family_enter(p->family);
    family_push(c, p->family, p->token);
    p->family = NULL;
    if (user_is_barred(c, u)) /* since it was begun */
        refuse_barred(c, p);
    else if (cn != NULL)
        session_login(c, cn, p);
    if (p->shut)
        gate_open(c, &u->gate);
}

/* One login more: the oldest of too many ends with it. */
static void make_room(struct pend *p, struct ops *ops)
{
    struct family *f;

    if (p->user->gate_shut)
        return; /* the next login does it */
    while ((f = family_surplus(p->user)) != NULL) {
        ops_family_drop(ops, f);
        p->shut = p->user->gate_shut = true;
    }
}

static void store_login(struct core *c, struct pend *p)
{
    struct ops ops = {NULL, 0, 0};
    uint8_t hash[32];

    p = hand_on(c, p, on_login_stored);
    p->family = family_new(c, p->user);
    token_make(c, p->token);
    token_hash(p->token, hash);
    if (p->user->unborn)
        op_user_put(&ops, p->user);
    if (p->invite != NULL)
        op_invite_spend(&ops, p->invite);
    op_token_put(&ops, p->family, hash, 0);
    make_room(p, &ops);
    out_store(c, p->id, &ops);
}

/* ---- register ---- */

static void on_registered_hash(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    c->n_hashing--;
    if (!ev->u.hashed.ok) {
        refuse_pend(c, p, no_hash(ev), NULL);
        pend_unpin(p);
        user_free(c, u);
        return;
    }
    user_own_account(u)->hash = mem_strdup(ev->u.hashed.hash);
    store_login(c, p);
}

/* May somebody register like that? */
static enum verdict check_register(const struct core *c, const struct msg_params *p,
                                   struct refusal *no)
{
    if (c->cfg.registration == REGISTER_CLOSED)
        return session_refuse(no, ERR_DENIED, "this server takes no new accounts");
    if (c->cfg.registration == REGISTER_INVITE && p->invite == NULL)
        return session_refuse(no, ERR_DENIED, "an invite code is needed to register here");
    if (user_is_taken(c, p->name))
        return session_refuse(no, ERR_CONFLICT, "this name is taken");
    if ((int64_t)c->n_hashing >= c->cfg.limits.max_hashing)
        return session_refuse(no, ERR_BUSY, NULL);
    return SAID;
}

enum verdict on_session_register(struct core *c, struct conn *cn, struct msg_request *req,
                                 struct refusal *no)
{
    struct invite *invite = NULL;
    struct user *u;
    struct pend *p;

    if (check_register(c, &req->p, no) != SAID)
        return REFUSED;
    if (c->cfg.registration == REGISTER_INVITE) {
        invite = invite_hold(c, req->p.invite);
        if (invite == NULL)
            return session_refuse(no, ERR_DENIED, "this invite code is not, or no longer, good");
    }
    u = user_new(c, req->p.name, USER_MEMBER);
    u->unborn = true;
    if (req->p.email != NULL)
        user_own_account(u)->email = mem_strdup(req->p.email);
    p = pend_new(c, cn, req, on_registered_hash);
    pend_pin(p, u);
    p->invite = invite;
    hash_start(c, p, p->req.p.password, NULL);
    return LATER;
}

/* ---- login ---- */

static void on_login_checked(struct core *c, struct pend *p, const struct core_event *ev)
{
    const bool fits =
        p->user != NULL && ev->u.hashed.ok && str_eq(p->hash, user_account(p->user)->hash);

    c->n_hashing--;
    if (ev->u.hashed.err == ERR_OK && !fits)
        limits_penalise(c, p->source, c->cfg.limits.penalty_login_ms);
    limits_let_go(c, p->source);
    p->source = NULL;
    if (ev->u.hashed.err != ERR_OK)
        refuse_pend(c, p, no_hash(ev), NULL);
    else if (!fits)
        refuse_pend(c, p, ERR_AUTH, wrong);
    else if (user_is_barred(c, p->user))
        refuse_barred(c, p);
    else if (p->user->changing)
        refuse_pend(c, p, ERR_BUSY, "the password is being changed: try again");
    else if (pend_conn(p) != NULL)
        store_login(c, p);
}

enum verdict on_session_login(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    struct user *u = user_find(c, req->p.name);
    struct pend *p;

    if ((int64_t)c->n_hashing >= c->cfg.limits.max_hashing)
        return session_refuse(no, ERR_BUSY, NULL);
    p = pend_new(c, cn, req, on_login_checked);
    p->source = limits_hold(cn);
    if (u != NULL && user_account(u)->hash != NULL) {
        pend_pin(p, u);
        p->hash = mem_strdup(user_account(u)->hash); /* it may be another when the answer comes */
    }
    hash_start(c, p, p->req.p.password,
               p->user != NULL ? user_account(p->user)->hash : nobodys_hash);
    return LATER;
}

/* ---- password: check the old, hash the new, keep it and end the other logins ---- */

static void on_password_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct conn *cn = pend_conn(p);

    u->gate_shut = u->changing = false;
    families_ended(c, u, ev->u.stored.err == ERR_OK);
    if (ev->u.stored.err == ERR_OK) {
        user_set_hash(u, p->hash);
        p->hash = NULL;
        session_end_others(c, u, cn);
        if (cn != NULL)
            reply_empty(c, cn, &p->req);
    } else {
        refuse_pend(c, p, ERR_STORAGE, NULL);
    }
    gate_open(c, &u->gate);
}

static void on_new_password_hash(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct ops ops = {NULL, 0, 0};
    struct account *account = user_own_account(u);
    char *old = account->hash;
    const struct conn *cn = pend_conn(p);

    c->n_hashing--;
    if (!ev->u.hashed.ok) {
        u->gate_shut = u->changing = false;
        refuse_pend(c, p, no_hash(ev), NULL);
        gate_open(c, &u->gate);
        return;
    }
    p = hand_on(c, p, on_password_stored);
    p->hash = mem_strdup(ev->u.hashed.hash);
    account->hash = p->hash; /* the row with the new one; it counts once stored */
    op_user_put(&ops, u);
    account->hash = old;
    for (struct family *f = u->families; f != NULL; f = f->next)
        if (cn == NULL || f != cn->family)
            ops_family_drop(&ops, f);
    out_store(c, p->id, &ops);
}

static void on_old_password_checked(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    c->n_hashing--;
    if (!ev->u.hashed.ok) {
        u->gate_shut = u->changing = false;
        refuse_pend(c, p, ev->u.hashed.err != ERR_OK ? no_hash(ev) : ERR_AUTH,
                    ev->u.hashed.err != ERR_OK ? NULL : "wrong password");
        gate_open(c, &u->gate);
        return;
    }
    p = hand_on(c, p, on_new_password_hash);
    hash_start(c, p, p->req.p.new_password, NULL);
}

enum verdict on_session_password(struct core *c, struct conn *cn, struct msg_request *req,
                                 struct refusal *no)
{
    struct user *u = cn->user;
    struct pend *p;

    if (u->kind == USER_GUEST)
        return session_refuse(no, ERR_DENIED, "a guest has no password");
    if (u->gate_shut)
        return session_hold(no, &u->gate);
    if ((int64_t)c->n_hashing >= c->cfg.limits.max_hashing)
        return session_refuse(no, ERR_BUSY, NULL);
    p = pend_new(c, cn, req, on_old_password_checked);
    pend_pin(p, u);
    u->gate_shut = u->changing = true;
    hash_start(c, p, p->req.p.old_password, user_account(u)->hash);
    return LATER;
}
