/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/room.h"
#include "server/core/standing.h"
#include "server/core/user.h"

enum { PROTOCOL_VERSION = 1, CHAT_POINTS = 400 };

enum verdict on_session_hello(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    const struct limits *l = &c->cfg.limits;
    struct jsonw w;

    if (req->p.protocol != PROTOCOL_VERSION)
        return session_refuse(no, ERR_VERSION, "this server speaks protocol 1");
    cn->phase = PHASE_HELLO;
    w = reply_open(c, req);
    jsonw_obj(&w);
    jsonw_m_str(&w, "server", c->cfg.server);
    jsonw_m_int(&w, "protocol", PROTOCOL_VERSION);
    jsonw_m_obj(&w, "limits");
    jsonw_m_int(&w, "line", l->line_guest);
    jsonw_m_int(&w, "line_login", l->line_member);
    jsonw_m_int(&w, "line_server", LINE_LIMIT_SERVER);
    jsonw_m_int(&w, "depth", l->depth);
    jsonw_m_int(&w, "members", l->members);
    jsonw_m_int(&w, "values", l->values);
    jsonw_m_int(&w, "chat", CHAT_POINTS);
    jsonw_m_int(&w, "orders_phase", MATCH_ORDERS_PHASE);
    jsonw_obj_end(&w);
    jsonw_m_int(&w, "time_ms", c->wall.ms);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

enum verdict on_session_ping(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct jsonw w = reply_open(c, req);

    (void)no;
    jsonw_obj(&w);
    jsonw_m_int(&w, "time_ms", c->wall.ms);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

/* ---- server and scenarios ---- */

enum verdict on_server_info(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct jsonw w = reply_open(c, req);

    (void)no;
    jsonw_obj(&w);
    jsonw_m_str(&w, "server", c->cfg.server);
    jsonw_m_int(&w, "uptime_s", mono_since(c->now, c->born) / 1000);
    jsonw_m_int(&w, "players", c->n_users_online);
    jsonw_m_int(&w, "matches", (int64_t)c->by_state[ROOMS_LIVE].n);
    jsonw_m_int(&w, "spectators", c->n_watchers);
    jsonw_m_int(&w, "scenarios", (int64_t)c->scenarios->len);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

/* How its sides have fared in rated games. */
static void put_record(const struct sides *fared, int side, struct jsonw *w)
{
    jsonw_m_int(w, "won", fared->won[side]);
    jsonw_m_int(w, "rating", rating_shown(fared->side[side].rating));
    jsonw_m_int(w, "deviation", rating_shown(fared->side[side].deviation));
}

static void put_scenario(const struct core *c, const struct scenario *s, struct jsonw *w)
{
    const struct sides *fared = sides_find(c, s->id);

    jsonw_obj(w);
    jsonw_m_str(w, "id", s->id);
    jsonw_m_str(w, "title", s->title);
    if (s->summary != NULL)
        jsonw_m_str(w, "summary", s->summary);
    jsonw_m_str(w, "scale", scale_word((enum rules_scale)s->board.scale));
    jsonw_m_arr(w, "size");
    jsonw_int(w, s->board.w);
    jsonw_int(w, s->board.h);
    jsonw_arr_end(w);
    jsonw_m_int(w, "turns", s->board.turns);
    jsonw_m_arr(w, "sides");
    for (int side = RULES_A; side <= RULES_B; side++) {
        jsonw_obj(w);
        jsonw_m_str(w, "id", s->side[side].id);
        jsonw_m_str(w, "name", s->side[side].name);
        if (fared != NULL)
            put_record(fared, side, w);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    if (fared != NULL)
        jsonw_m_int(w, "drawn", fared->drawn);
    jsonw_obj_end(w);
}

enum verdict on_scenario_list(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    struct jsonw w = reply_open(c, req);

    (void)no;
    jsonw_obj(&w);
    jsonw_m_arr(&w, "scenarios");
    for (size_t i = 0; i < c->scenarios->len; i++)
        put_scenario(c, c->scenarios->item[i], &w);
    jsonw_arr_end(&w);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

enum verdict on_scenario_get(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    const struct scenario *s = scenario_set_find(c->scenarios, req->p.id);
    struct jsonw w;

    if (s == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such scenario");
    w = reply_open(c, req);
    jsonw_obj(&w);
    jsonw_m_raw(&w, "scenario", s->json, s->json_len);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    return SAID;
}

/* ---- guests ---- */

static void tell_stolen(struct core *c, struct conn *cn)
{
    struct jsonw w = note_open(c, NOTE_SERVER_NOTICE);

    jsonw_m_str(&w, "text",
                "An old token of yours was used again: every token of that login has ended.");
    note_send(c, cn, &w);
}

static void on_row_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;

    u->gate_shut = false;
    if (ev->u.stored.err != ERR_OK)
        u->warned = true; /* told once more */
    gate_open(c, &u->gate);
}

/* What happened while nobody was logged in is told now, and not again. */
static void tell_warned(struct core *c, struct conn *cn)
{
    struct user *u = cn->user;
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    if (!u->warned && user_account(u)->news == NULL)
        return;
    if (u->warned)
        tell_stolen(c, cn);
    if (user_account(u)->news != NULL) {
        struct jsonw w = note_open(c, NOTE_SERVER_NOTICE);

        jsonw_m_str(&w, "text", user_account(u)->news);
        note_send(c, cn, &w);
    }
    if (u->gate_shut)
        return;
    u->warned = false;
    admin_no_news(u);
    if (!u->stored)
        return;
    p = pend_new(c, NULL, NULL, on_row_stored);
    pend_pin(p, u);
    op_user_put(&ops, u);
    u->gate_shut = true;
    out_store(c, p->id, &ops);
}

void session_count_login(struct core *c, enum msg_method method, bool ok)
{
    static const enum msg_method ways[CORE_LOGINS] = {MSG_SESSION_LOGIN, MSG_SESSION_REGISTER,
                                                      MSG_SESSION_RESUME, MSG_SESSION_GUEST};

    for (size_t i = 0; i < ARRAY_LEN(ways); i++)
        if (ways[i] == method)
            c->stats.login[i][ok]++;
}

void session_login(struct core *c, struct conn *cn, const struct pend *p)
{
    struct jsonw w = reply_open(c, &p->req);

    session_count_login(c, p->req.method, true);
    jsonw_obj(&w);
    jsonw_name(&w, "user");
    user_json(p->user, &w);
    jsonw_m_hex(&w, "token", p->token, sizeof(p->token));
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    user_attach(c, cn, p->user, token_find(c, p->token)->family);
    tell_warned(c, cn);
}

enum verdict on_session_guest(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    char name[NAME_LEN + 1];
    struct family *f;
    struct user *u;
    struct pend *p;

    if (req->p.name == NULL && (int64_t)c->n_guests < c->cfg.limits.max_guests)
        user_guest_name(c, name);
    else if (req->p.name != NULL && user_is_taken(c, req->p.name))
        return session_refuse(no, ERR_CONFLICT, "this name is taken");
    else if ((int64_t)c->n_guests >= c->cfg.limits.max_guests)
        return session_refuse(no, ERR_BUSY, NULL);
    else
        str_copy(name, sizeof(name), req->p.name);
    u = user_new(c, name, USER_GUEST); /* what stays first: what goes leaves no gap behind */
    f = family_new(c, u);
    p = pend_new(c, cn, req, NULL);
    pend_pin(p, u);
    token_make(c, p->token);
    family_enter(f);
    family_push(c, f, p->token);
    session_login(c, cn, p);
    pend_cancel(c, cn);
    return SAID;
}

/* ---- resume: the old token dies, its successor is the client's or ours ---- */

static void on_resumed(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct conn *cn = pend_conn(p);
    struct token *t = token_find(c, p->req.p.token);

    u->gate_shut = false;
    if (ev->u.stored.err != ERR_OK) {
        if (cn != NULL)
            reply_error(c, cn, &p->req.id, ERR_STORAGE, NULL);
    } else {
        CHECK(t != NULL); /* the gate was shut */
        family_push(c, t->family, p->token);
        if (cn != NULL)
            session_login(c, cn, p);
        else
            user_idle(c, u);
    }
    gate_open(c, &u->gate);
}

static const char token_ended[] = "this token has ended";

static void on_family_dropped(struct core *c, struct pend *p, const struct core_event *ev)
{
    static const struct msg_fault fault = {.text = token_ended};
    struct conn *cn = pend_conn(p);
    struct user *u = p->user;

    (void)ev; /* not dropped: the rows come back at a restart, and die at their next use */
    u->gate_shut = false;
    if (cn != NULL)
        reply_error(c, cn, &p->req.id, ERR_AUTH, &fault);
    gate_open(c, &u->gate);
}

/* A token whose successor's successor is there came again: one of two clients isn't the owner. */
static enum verdict end_stolen(struct core *c, struct conn *cn, struct msg_request *req,
                               struct family *f, struct refusal *no)
{
    struct user *u = f->user;
    const bool is_kept = u->stored || u->storing > 0;
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    u->warned = u->warned || u->conns == NULL;
    if (is_kept) {
        ops_family_drop(&ops, f);
        op_user_put(&ops, u);
        u->gate_shut = true;
        p = pend_new(c, cn, req, on_family_dropped);
        pend_pin(p, u);
        out_store(c, p->id, &ops);
    }
    family_end(c, f);
    for (struct conn *other = u->conns; other != NULL; other = other->user_next)
        tell_stolen(c, other);
    return is_kept ? LATER : session_refuse(no, ERR_AUTH, token_ended);
}

/* A suspended account's tokens stay as they are. */
static enum verdict refuse_barred(const struct core *c, const struct user *u, struct refusal *no)
{
    char *words = user_barred_words(c, u);

    session_refuse(no, ERR_DENIED, words);
    mem_free(words);
    return REFUSED;
}

enum verdict on_session_resume(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no)
{
    struct token *t = token_find(c, req->p.token);
    struct ops ops = {NULL, 0, 0};
    uint8_t hash[32];
    struct family *f;
    struct pend *p;

    if (t == NULL)
        return session_refuse(no, ERR_AUTH, "no such token");
    f = t->family;
    if (f->user->kind == USER_MEMBER && !session_is_private(c, cn))
        return session_refuse(no, ERR_DENIED, session_not_private);
    if (f->user->gate_shut)
        return session_hold(no, &f->user->gate);
    if (user_is_barred(c, f->user))
        return refuse_barred(c, f->user, no);
    if (t != f->newest)
        return t->n + 1 < f->newest->n ? end_stolen(c, cn, req, f, no)
                                       : session_refuse(no, ERR_AUTH, "this token has a successor");
    if (msg_has(&req->p, MSG_F_NEXT) && token_find(c, req->p.next) != NULL)
        return session_refuse(no, ERR_CONFLICT, "the next token is known already");
    p = pend_new(c, cn, req, on_resumed);
    pend_pin(p, f->user);
    if (msg_has(&p->req.p, MSG_F_NEXT))
        memcpy(p->token, p->req.p.next, sizeof(p->token));
    else
        token_make(c, p->token);
    if (!f->user->stored && f->user->storing == 0) {
        family_push(c, f, p->token);
        session_login(c, cn, p);
        pend_cancel(c, cn);
        return SAID;
    }
    if (ops_user(&ops, f->user))
        pend_has_row(p, f->user);
    token_hash(p->token, hash);
    op_token_put(&ops, f, hash, f->newest->n + 1);
    if (family_size(f) == TOKENS_KEPT)
        op_token_drop(&ops, family_oldest(f)->hash);
    f->user->gate_shut = true;
    out_store(c, p->id, &ops);
    return LATER;
}

/* ---- logout ---- */

void session_end_others(struct core *c, struct user *u, const struct conn *keep)
{
    struct conn *next;

    for (struct conn *cn = u->conns; cn != NULL; cn = next) {
        struct jsonw w;

        next = cn->user_next;
        if (cn == keep)
            continue;
        w = note_open(c, NOTE_SERVER_NOTICE);
        jsonw_m_str(&w, "text", "You have been logged out.");
        note_send(c, cn, &w);
        session_close(c, cn);
    }
}

/* The tokens are gone for good. `cn` may be gone too. */
static void finish_logout(struct core *c, struct conn *cn, const struct pend *p)
{
    families_ended(c, p->user, true);
    if (p->req.p.all)
        session_end_others(c, p->user, cn);
    if (cn == NULL)
        return;
    reply_empty(c, cn, &p->req);
    user_detach(c, cn);
}

static void on_logged_out(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct user *u = p->user;
    struct conn *cn = pend_conn(p);

    u->gate_shut = false;
    if (ev->u.stored.err == ERR_OK) {
        finish_logout(c, cn, p);
    } else {
        families_ended(c, u, false);
        if (cn != NULL)
            reply_error(c, cn, &p->req.id, ERR_STORAGE, NULL);
    }
    gate_open(c, &u->gate);
}

/* A guest without token and seat can never come back: its name is free at once. */
static void forget_guest(struct core *c, struct user *u)
{
    if (u->kind == USER_GUEST && !u->stored && u->storing == 0 && u->conns == NULL &&
        u->seats == NULL && u->families == NULL && u->pins == 0)
        user_free(c, u);
}

enum verdict on_session_logout(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no)
{
    struct user *u = cn->user;
    struct ops ops = {NULL, 0, 0};
    struct pend *p;

    if (u->gate_shut)
        return session_hold(no, &u->gate);
    for (struct family *f = u->families; f != NULL; f = f->next)
        if (req->p.all || f == cn->family)
            ops_family_drop(&ops, f);
    p = pend_new(c, cn, req, on_logged_out);
    pend_pin(p, u);
    if (ops.n > 0 && (u->stored || u->storing > 0)) {
        u->gate_shut = true;
        out_store(c, p->id, &ops);
        return LATER;
    }
    ops_fini(&ops);
    finish_logout(c, cn, p);
    pend_cancel(c, cn);
    forget_guest(c, u);
    return SAID;
}
