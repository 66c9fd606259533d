/* SPDX-License-Identifier: ISC */
#include "server/core/session.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/ban.h"
#include "server/core/room.h"
#include "server/core/user.h"

enum {
    REST_MS = 1,        /* others' turn */
    REST_RATE_MS = 1000 /* of one that is too fast, at most */
};

const char session_banned[] = "the operator wants no connections from this address";
const char session_not_private[] =
    "this line isn't encrypted: use skirmishs://, or play as a guest";
static const char not_json[] = "This is a skirmish server. It speaks JSON-RPC 2.0, one JSON object "
                               "a line; see PROTOCOL.md.\n";

/* ---- the table: who may call what, and what it costs ---- */

#define IN(phase) (1u << (phase))
#define ANY       (IN(PHASE_HELLO) | IN(PHASE_USER))
#define SECRET    IN(PHASE_COUNT) /* a password is in it: not on a line that others can read */

static const struct route {
    handler *handle;
    unsigned phases; /* and SECRET */
    unsigned cost;   /* messages that it counts as */
} routes[] = {
    [MSG_CHAT_MUTE] = {on_chat_mute, IN(PHASE_USER), 2},
    [MSG_LOBBY_FOLLOW] = {on_lobby_follow, IN(PHASE_USER), 5},
    [MSG_LOBBY_LIST] = {on_lobby_list, IN(PHASE_USER), 5},
    [MSG_LOBBY_UNFOLLOW] = {on_lobby_unfollow, IN(PHASE_USER), 1},
    [MSG_MATCH_ANCHOR] = {on_match_anchor, IN(PHASE_USER), 2},
    [MSG_MATCH_ANSWER] = {on_match_answer, IN(PHASE_USER), 2},
    [MSG_MATCH_CANCEL] = {on_match_cancel, IN(PHASE_USER), 2},
    [MSG_MATCH_CHAT] = {on_match_chat, IN(PHASE_USER), 10},
    [MSG_MATCH_CLAIM] = {on_match_claim, IN(PHASE_USER), 2},
    [MSG_MATCH_CREATE] = {on_match_create, IN(PHASE_USER), 20},
    [MSG_MATCH_DECLINE] = {on_match_decline, IN(PHASE_USER), 2},
    [MSG_MATCH_JOIN] = {on_match_join, IN(PHASE_USER), 5},
    [MSG_MATCH_LEGAL] = {on_match_legal, IN(PHASE_USER), 3},
    [MSG_MATCH_MINE] = {on_match_mine, IN(PHASE_USER), 3},
    [MSG_MATCH_OFFER] = {on_match_offer, IN(PHASE_USER), 5},
    [MSG_MATCH_ORDER] = {on_match_order, IN(PHASE_USER), 1},
    [MSG_MATCH_RECORD] = {on_match_record, IN(PHASE_USER), 5},
    [MSG_MATCH_RESIGN] = {on_match_resign, IN(PHASE_USER), 2},
    [MSG_MATCH_SHARE] = {on_match_share, IN(PHASE_USER), 1},
    [MSG_MATCH_SYNC] = {on_match_sync, IN(PHASE_USER), 5},
    [MSG_MATCH_UMPIRE] = {on_match_umpire, IN(PHASE_USER), 2},
    [MSG_MATCH_UNWATCH] = {on_match_unwatch, IN(PHASE_USER), 1},
    [MSG_MATCH_WATCH] = {on_match_watch, IN(PHASE_USER), 5},
    [MSG_PLAYER_GET] = {on_player_get, IN(PHASE_USER), 5},
    [MSG_PLAYER_LIST] = {on_player_list, IN(PHASE_USER), 5},
    [MSG_PLAYER_MATCHES] = {on_player_matches, IN(PHASE_USER), 5},
    [MSG_PLAYER_VACATION] = {on_player_vacation, IN(PHASE_USER), 5},
    [MSG_SCENARIO_GET] = {on_scenario_get, ANY, 5},
    [MSG_SCENARIO_LIST] = {on_scenario_list, ANY, 3},
    [MSG_SERVER_INFO] = {on_server_info, ANY, 1},
    [MSG_SESSION_GUEST] = {on_session_guest, IN(PHASE_HELLO), 10},
    [MSG_SESSION_HELLO] = {on_session_hello, IN(PHASE_NEW), 1},
    [MSG_SESSION_LOGIN] = {on_session_login, IN(PHASE_HELLO) | SECRET, 10},
    [MSG_SESSION_LOGOUT] = {on_session_logout, IN(PHASE_USER), 1},
    [MSG_SESSION_PASSWORD] = {on_session_password, IN(PHASE_USER) | SECRET, 20},
    [MSG_SESSION_PING] = {on_session_ping, ANY, 1},
    [MSG_SESSION_REGISTER] = {on_session_register, IN(PHASE_HELLO) | SECRET, 20},
    [MSG_SESSION_RESUME] = {on_session_resume, IN(PHASE_HELLO), 5},
};
_Static_assert(ARRAY_LEN(routes) == MSG_METHOD_COUNT, "a method without a route");

enum verdict session_refuse(struct refusal *no, enum err e, const char *words)
{
    no->err = e;
    if (words != NULL) {
        str_copy(no->words, sizeof(no->words), words);
        no->fault.text = no->words;
    }
    return REFUSED;
}

enum verdict session_refuse_field(struct refusal *no, const char *field, const char *words)
{
    str_copy(no->field, sizeof(no->field), field);
    no->fault.field = no->field;
    return session_refuse(no, ERR_PARAMS, words);
}

enum verdict session_hold(struct refusal *no, struct gate *g)
{
    no->gate = g;
    return HELD;
}

/* Messages a second, per connection. */
static bool may_pay(const struct core *c, struct conn *cn, unsigned cost, int64_t *retry_ms)
{
    const int64_t step_ms = c->cfg.limits.rate_step_ms;
    int64_t over;

    if (!cn->limited)
        return true;
    cn->rate_ms = MAX(cn->rate_ms, c->now.ms);
    over = cn->rate_ms + ((int64_t)cost - c->cfg.limits.rate_burst) * step_ms - c->now.ms;
    if (over > 0) {
        *retry_ms = over;
        return false;
    }
    cn->rate_ms += (int64_t)cost * step_ms;
    return true;
}

bool session_is_private(const struct core *c, const struct conn *cn)
{
    return cn->tls || cn->loopback || c->cfg.trust_plain;
}

bool session_plays(const struct conn *cn)
{
    for (const struct sub *s = &cn->one; s != NULL; s = s->conn_next)
        if (s->player)
            return true;
    return false;
}

uint32_t session_queue(const struct core *c, const struct conn *cn)
{
    const struct limits *l = &c->cfg.limits;

    if (cn->phase != PHASE_USER)
        return (uint32_t)l->queue_guest;
    return (uint32_t)(session_plays(cn) ? l->queue_player : l->queue_spectator);
}

/* Is it the peer that a line waits for? */
static bool line_waits(const struct conn *cn)
{
    return line_is_partial(&cn->in) && !cn->paused && !cn->slow && cn->pend == NULL &&
           cn->gate == NULL && !cn->resting;
}

static void sooner(int64_t *at, int64_t other)
{
    if (other < *at)
        *at = other;
}

/* Set its timer to the nearest of its deadlines. */
static void arm(struct core *c, struct conn *cn)
{
    const struct limits *l = &c->cfg.limits;
    const int64_t grace_ms = cn->phase == PHASE_NEW ? l->hello_ms : l->login_ms;
    int64_t at = cn->life.ms + (cn->pinged ? l->silence_ms : l->ping_ms);

    if (cn->slow && !session_plays(cn))
        sooner(&at, cn->since.ms + l->slow_ms);
    if (cn->limited && cn->phase != PHASE_USER)
        sooner(&at, cn->grace.ms + grace_ms);
    if (cn->resting)
        sooner(&at, cn->rest.ms);
    if (cn->limited && line_waits(cn))
        sooner(&at, cn->since.ms + l->line_ms);
    if (cn->timer.pos == 0 || at < cn->timer.at.ms) /* one that comes too early is set again */
        timer_arm(&c->timers, &cn->timer, (struct mono){at});
}

void session_rearm(struct core *c, struct conn *cn)
{
    if (!cn->closing)
        arm(c, cn);
}

/* Its lines wait while others are served. */
static void rest(struct core *c, struct conn *cn, int64_t ms)
{
    cn->resting = true;
    cn->rest = mono_after(c->now, ms);
    arm(c, cn);
}

/* Why the connection may not call this now, or ERR_OK. */
static enum err check_phase(const struct conn *cn, const struct route *r)
{
    if ((r->phases & IN(cn->phase)) != 0)
        return ERR_OK;
    return cn->phase == PHASE_HELLO && (r->phases & ~SECRET) == IN(PHASE_USER) ? ERR_AUTH
                                                                               : ERR_PHASE;
}

/* Phase, rate, parameters, handler. `again`: it was held, and has paid. */
static enum verdict dispatch(struct core *c, struct conn *cn, struct msg_request *req, bool again,
                             struct refusal *no)
{
    const struct route *r = &routes[req->method];
    const char *field;
    enum err e = check_phase(cn, r);
    enum verdict v;

    if (e != ERR_OK)
        return session_refuse(no, e,
                              e == ERR_PHASE && cn->phase == PHASE_NEW ? "say hello first" : NULL);
    if (!again) {
        if (!may_pay(c, cn, r->cost, &no->fault.retry_ms)) {
            rest(c, cn, MIN(no->fault.retry_ms, (int64_t)REST_RATE_MS));
            return session_refuse(no, ERR_RATE, NULL);
        }
        if ((r->phases & SECRET) != 0 && !session_is_private(c, cn))
            return session_refuse(no, ERR_DENIED, session_not_private);
        if (msg_read_params(req, &field) != ERR_OK)
            return session_refuse_field(no, field, NULL);
    }
    v = r->handle(c, cn, req, no);
    return v == REFUSED && no->gate != NULL ? HELD : v; /* room_need waits for the archive */
}

static void wait_at(struct conn *cn, struct gate *g, struct msg_request *req)
{
    cn->held = mem_dup(req, sizeof(*req));
    memset(req, 0, sizeof(*req));
    cn->gate = g;
    cn->gate_next = NULL;
    if (g->last != NULL)
        g->last->gate_next = cn;
    else
        g->first = cn;
    g->last = cn;
}

static void serve(struct core *c, struct conn *cn, struct msg_request *req, bool again)
{
    struct refusal no = {.err = ERR_OK};

    switch (dispatch(c, cn, req, again, &no)) {
    case SAID:
    case LATER:
        break;
    case REFUSED:
        session_count_login(c, req->method, false);
        reply_error(c, cn, &req->id, no.err, &no.fault);
        break;
    case HELD:
        wait_at(cn, no.gate, req);
        break;
    }
    msg_request_fini(req);
}

static void answer_line(struct core *c, struct conn *cn, const char *line, size_t len)
{
    struct msg_fault fault = {.text = NULL};
    const struct json_limits limits = {.depth = (unsigned)c->cfg.limits.depth,
                                       .members = (unsigned)c->cfg.limits.members,
                                       .values = (unsigned)c->cfg.limits.values};
    struct msg_request req;
    enum err e = msg_parse(&c->json_room, line, len, &limits, &req);
    int64_t wait_ms;

    cn->asked = c->now;
    if (e == ERR_OK) {
        serve(c, cn, &req, false);
        return;
    }
    if (e == ERR_PARAMS)
        fault.field = "params";
    reply_error(c, cn, &req.id, e, &fault);
    msg_request_fini(&req);
    if (e != ERR_PARSE && !may_pay(c, cn, 1, &wait_ms)) /* what is no request costs as one */
        rest(c, cn, MIN(wait_ms, (int64_t)REST_RATE_MS));
    if (e == ERR_PARSE && ++cn->bad_lines >= c->cfg.limits.bad_lines)
        session_close(c, cn);
}

static void too_long(struct core *c, struct conn *cn)
{
    static const struct msg_id nobody = {.kind = MSG_ID_NONE};
    static const struct msg_fault fault = {.text = "line too long"};

    reply_error(c, cn, &nobody, ERR_PARSE, &fault);
    session_close(c, cn);
}

static bool is_waiting(const struct conn *cn)
{
    return cn->pend != NULL || cn->gate != NULL || cn->resting;
}

void session_run(struct core *c, struct conn *cn)
{
    const uint32_t said = cn->said;
    int64_t lines = 0;

    while (!cn->closing && !is_waiting(cn) && !cn->slow && !core_rests(c)) {
        const char *line;
        size_t len;
        enum line_result got;

        if (lines == c->cfg.limits.turn_lines || cn->said - said > session_queue(c, cn)) {
            rest(c, cn, REST_MS);
            break;
        }
        got = line_next(&cn->in, &line, &len);
        if (got == LINE_GOT) {
            answer_line(c, cn, line, len);
            cn->since = c->now; /* whatever is behind it */
            lines++;
            continue;
        }
        if (got == LINE_TOO_LONG)
            too_long(c, cn);
        else if (cn->ended)
            session_close(c, cn);
        break;
    }
    if (cn->closing)
        return;
    line_settle(&cn->in, &c->line_room); /* an idle connection holds no buffer */
    if (is_waiting(cn) || cn->slow) {
        if (cn->resting)
            out_pause(c, cn);
        return;
    }
    if (cn->paused)
        cn->since = c->now; /* we didn't listen */
    out_resume(c, cn);
    arm(c, cn);
}

static void gate_leave(struct conn *cn)
{
    struct gate *g = cn->gate;
    struct conn *before = NULL;

    if (g == NULL)
        return;
    for (struct conn *at = g->first; at != cn; at = at->gate_next)
        before = at;
    if (before != NULL)
        before->gate_next = cn->gate_next;
    else
        g->first = cn->gate_next;
    if (g->last == cn)
        g->last = before;
    cn->gate = NULL;
    cn->gate_next = NULL;
}

void session_retry(struct core *c, struct conn *cn)
{
    struct msg_request *req = cn->held;

    gate_leave(cn);
    cn->held = NULL;
    if (req != NULL) {
        serve(c, cn, req, true);
        mem_free(req);
    }
    session_run(c, cn);
}

/* ---- coming and going ---- */

/* Say no before there is a session. */
static void turn_away(struct core *c, conn_id id, enum err e, int64_t retry_ms)
{
    static const struct msg_id nobody = {.kind = MSG_ID_NONE};
    const struct msg_fault fault = {.retry_ms = retry_ms,
                                    .text = e == ERR_DENIED ? session_banned : NULL};
    struct conn stranger = {.id = id};

    reply_error(c, &stranger, &nobody, e, &fault);
    out_close(c, &stranger);
    c->stats.turned_away++;
}

static void welcome(struct core *c, struct conn *cn)
{
    struct jsonw w = note_open(c, NOTE_SERVER_WELCOME);

    jsonw_m_str(&w, "server", c->cfg.server);
    jsonw_m_int(&w, "protocol", 1);
    jsonw_m_bool(&w, "tls", cn->tls);
    jsonw_m_str(&w, "motd", c->motd != NULL ? c->motd : c->cfg.motd);
    note_send(c, cn, &w);
}

void session_accept(struct core *c, const struct core_event *ev)
{
    struct conn *cn = mem_zalloc(sizeof(*cn));
    int64_t retry_ms = 0;
    enum err e;

    CHECK(ev->conn != 0 && session_find(c, ev->conn) == NULL);
    cn->id = ev->conn;
    cn->tls = ev->u.accepted.tls;
    cn->loopback = ev->u.accepted.loopback;
    cn->limited = !cn->loopback || c->cfg.limit_loopback;
    (void)limits_ip(ev->u.accepted.addr, cn->ip);
    e = c->stopping                 ? ERR_BUSY
        : ban_of(c, cn->ip) != NULL ? ERR_DENIED
                                    : limits_enter(c, cn, ev->u.accepted.addr, &retry_ms);
    if (e != ERR_OK) {
        turn_away(c, ev->conn, e, retry_ms);
        mem_free(cn);
        return;
    }
    line_init(&cn->in, (size_t)c->cfg.limits.line_guest);
    cn->life = cn->grace = c->now;
    cn->timer.kind = TIMER_CONN;
    cn->prev = c->conns_last;
    if (c->conns_last != NULL)
        c->conns_last->next = cn;
    else
        c->conns_first = cn;
    c->conns_last = cn;
    map_put(&c->conns, cn);
    c->n_conns++;
    arm(c, cn);
    welcome(c, cn);
}

struct conn *session_find(const struct core *c, conn_id id)
{
    return map_get(&c->conns, &id);
}

void session_close(struct core *c, struct conn *cn)
{
    if (cn->closing)
        return;
    out_close(c, cn);
    user_detach(c, cn);
    gate_leave(cn);
    timer_disarm(&c->timers, &cn->timer);
    limits_leave(c, cn);
    CHECK(map_take(&c->conns, &cn->id) == cn);
    if (cn->pend != NULL)
        cn->pend->conn = NULL;
    c->n_conns--;
    if (cn->prev != NULL)
        cn->prev->next = cn->next;
    else
        c->conns_first = cn->next;
    if (cn->next != NULL)
        cn->next->prev = cn->prev;
    else
        c->conns_last = cn->prev;
    cn->user_next = c->dead;
    c->dead = cn;
}

void session_bury(struct core *c)
{
    while (c->dead != NULL) {
        struct conn *cn = c->dead;

        c->dead = cn->user_next;
        if (cn->held != NULL)
            msg_request_fini(cn->held);
        mem_free(cn->held);
        line_fini(&cn->in);
        mem_free(cn);
    }
}

/* ---- what the shell tells ---- */

/* May a JSON text, or a blank before it, begin so? */
static bool may_begin(char ch)
{
    return ch != '\0' && strchr(" \t\r\n{[\"-0123456789tfn", ch) != NULL;
}

/* It goes, or is sent away, and never spoke as it should. */
static void penalise_silence(struct core *c, const struct conn *cn)
{
    if (cn->phase == PHASE_NEW)
        limits_penalise(c, cn->addr, c->cfg.limits.penalty_hello_ms);
}

void session_bytes(struct core *c, struct conn *cn, const char *data, size_t len)
{
    if (len == 0)
        return;
    cn->life = c->now;
    cn->pinged = false;
    if (!cn->spoke && !may_begin(data[0])) {
        struct buf *b = out_line(c);

        buf_puts(b, not_json);
        out_buf(c, cn, b);
        penalise_silence(c, cn);
        session_close(c, cn);
        return;
    }
    cn->spoke = true;
    if (!cn->slow && !line_is_partial(&cn->in))
        cn->since = c->now;
    line_lend(&cn->in, &c->line_room);
    line_feed(&cn->in, data, len);
    if (is_waiting(cn) || cn->slow)
        out_pause(c, cn);
    else
        session_run(c, cn);
}

void session_eof(struct core *c, struct conn *cn)
{
    cn->ended = true;
    cn->paused = false;
    if (is_waiting(cn))
        return;
    penalise_silence(c, cn);
    session_close(c, cn);
}

void session_slow(struct core *c, struct conn *cn)
{
    cn->slow = true;
    cn->since = c->now;
    out_pause(c, cn);
    arm(c, cn);
}

void session_drained(struct core *c, struct conn *cn)
{
    if (!cn->slow)
        return;
    cn->slow = false;
    subs_resync(c, cn);
    session_run(c, cn);
}

/* Its time is up: say why, and go. */
static void time_out(struct core *c, struct conn *cn, const char *why)
{
    struct jsonw w = note_open(c, NOTE_SERVER_CLOSING);

    jsonw_m_int(&w, "in_s", 0);
    jsonw_m_str(&w, "reason", why);
    note_send(c, cn, &w);
    session_close(c, cn);
}

/* The deadline that has passed, in words; NULL: none. */
static const char *overdue(const struct core *c, const struct conn *cn)
{
    const struct limits *l = &c->cfg.limits;

    if (cn->slow && !session_plays(cn) && mono_since(c->now, cn->since) >= l->slow_ms)
        return "you read too slowly";
    if (!cn->limited)
        return NULL;
    if (cn->phase == PHASE_NEW && mono_since(c->now, cn->grace) >= l->hello_ms)
        return "no hello came";
    if (cn->phase != PHASE_USER && mono_since(c->now, cn->grace) >= l->login_ms)
        return "no login came";
    if (line_waits(cn) && mono_since(c->now, cn->since) >= l->line_ms)
        return "a line took too long";
    return NULL;
}

void session_timer(struct core *c, struct conn *cn)
{
    const struct limits *l = &c->cfg.limits;
    const int64_t silent_ms = mono_since(c->now, cn->life);
    const char *why;
    struct jsonw w;

    if (cn->resting && mono_reached(c->now, cn->rest)) {
        cn->resting = false;
        session_run(c, cn);
        if (cn->closing)
            return;
    }
    why = overdue(c, cn);
    if (why != NULL) {
        limits_penalise(c, cn->addr,
                        cn->phase == PHASE_NEW ? l->penalty_hello_ms : l->penalty_grace_ms);
        time_out(c, cn, why);
        return;
    }
    if (silent_ms >= l->silence_ms) {
        session_close(c, cn);
        return;
    }
    if (silent_ms >= l->ping_ms && !cn->pinged) {
        cn->pinged = true;
        w = note_open(c, NOTE_SERVER_PING);
        jsonw_m_int(&w, "time_ms", c->wall.ms);
        note_send(c, cn, &w);
    }
    arm(c, cn);
}
