/* SPDX-License-Identifier: ISC
 * lib_sim_actor.c -- a simulated person's program: lines up and down, logins, tokens that follow
 * one another, requests and their answers.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum {
    PATIENCE_MS = 40 * 1000, /* for an answer */
    ROUNDS = 4,              /* through all tokens, before they count as refused */
    BEHIND_MS = 9000,        /* by then an old line's last bytes have come or never will */
    GLANCE_MS = 900,
    LONG_MS = 400 * 1000,
    SELDOM_MS = 20 * 1000
};

static const char *const ask_words[] = {
#define X(name, word) word,
    SIM_ASK_TABLE(X)
#undef X
};

/* ---- requests ---- */

struct jsonw ask_begin(struct sim *s, enum sim_ask what)
{
    buf_reset(&s->line);
    buf_puts(&s->line, "{\"jsonrpc\":\"2.0\",\"id\":");
    buf_put_int(&s->line, s->n_asked + 1);
    buf_puts(&s->line, ",\"method\":\"");
    buf_puts(&s->line, ask_words[what]);
    buf_puts(&s->line, "\",\"params\":{");
    s->asking = (uint8_t)what;
    return jsonw_on(&s->line);
}

struct sim_asked *ask_send(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    static struct sim_asked nobody;
    struct sim_sess *ss = &a->sess[sess];
    struct sim_link *l = ss->link;
    struct sim_asked *q;

    if (l == NULL || l->n_asked == SIM_QUEUE) {
        memset(&nobody, 0, sizeof(nobody));
        return &nobody; /* not sent: it will be asked again */
    }
    if (s->n_asked == s->asked_cap) {
        s->asked_cap = s->asked_cap * 2 + 256;
        s->asked = mem_resize(s->asked, (size_t)s->asked_cap, sizeof(*s->asked));
    }
    q = &s->asked[s->n_asked++];
    *q = (struct sim_asked){.what = s->asking, .actor = a->index, .sess = sess, .link = l->serial};
    l->asked[(l->asked_at + l->n_asked++) % SIM_QUEUE] = s->n_asked;
    if (ss->asked++ == 0)
        ss->since = s->t;
    buf_puts(&s->line, "}}\n");
    sim_trace(s, "<- %u %s: %.*s", l->serial, a->name, (int)MIN(s->line.len - 1, 300U),
              s->line.data);
    sim_send(s, l, s->line.data, s->line.len);
    return q;
}

struct sim_actor *actor_named(struct sim *s, const char *name)
{
    for (unsigned i = 0; i < s->n_actors; i++)
        if (s->actor[i].name[0] != '\0' && str_ieq(s->actor[i].name, name))
            return &s->actor[i];
    return NULL;
}

/* ---- life ---- */

void actor_init(struct sim *s, struct sim_actor *a, const struct sim_manner *how, bool member)
{
    const uint8_t index = (uint8_t)s->n_actors++;

    *a = (struct sim_actor){.index = index, .how = *how, .member = member};
    if (member) {
        (void)snprintf(a->name, sizeof(a->name), "Member-%c", 'a' + index);
        (void)snprintf(a->password, sizeof(a->password), "pass-%c-%06u", 'a' + index,
                       play_below(&s->rng, 1000000));
    }
    actor_wake(s, a, sim_between(s, 0, 3000));
}

void actor_fini(struct sim_actor *a)
{
    for (unsigned i = 0; i < a->n_seats; i++)
        seat_fini(&a->seat[i]);
    for (unsigned i = 0; i < SIM_SESS; i++)
        buf_fini(&a->sess[i].in);
}

void actor_wake(struct sim *s, struct sim_actor *a, int64_t in_ms)
{
    const int64_t at = s->t + MAX(in_ms, 1);

    if (a->wake_at > s->t && a->wake_at <= at)
        return;
    a->wake_at = at;
    sim_at(s, at, (struct sim_event){.what = SIM_ACTOR, .a = a->index, .life = ++a->wake});
}

/* ---- tokens ---- */

static void push_token(struct sim_actor *a, const uint8_t token[32])
{
    memmove(a->token[1], a->token[0], sizeof(a->token) - sizeof(a->token[0]));
    memcpy(a->token[0], token, 32);
    a->n_tokens = MIN(a->n_tokens + 1, (unsigned)SIM_TOKENS);
}

static void pop_token(struct sim_actor *a)
{
    memmove(a->token[0], a->token[1], sizeof(a->token) - sizeof(a->token[0]));
    if (a->n_tokens > 0)
        a->n_tokens--;
}

/* The only one that counts from now on. */
static void own_token(struct sim_actor *a, const uint8_t token[32], bool follows)
{
    if (follows) {
        memcpy(a->older_token, a->old_token, 32);
        memcpy(a->old_token, a->token[a->try_token], 32);
    }
    a->steps_since = follows ? a->steps_since + 1 : 1;
    memcpy(a->token[0], token, 32);
    a->n_tokens = 1;
    a->try_token = a->rounds = 0;
    a->stole = false;
}

/* ---- logging in ---- */

static void ask_resume(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    struct jsonw w;
    struct sim_asked *q;
    uint8_t next[32];
    /* a thief's copy: two steps behind the newest, so that its use ends the family */
    const bool steals = !s->healed && a->member && a->steps_since >= 3 && !a->stole &&
                        a->n_tokens == 1 && sim_odds(s, a->how.thief);

    sim_bytes(s, next, sizeof(next));
    w = ask_begin(s, ASK_RESUME);
    jsonw_m_hex(&w, "token", steals ? a->older_token : a->token[a->try_token], 32);
    jsonw_m_hex(&w, "next", next, 32);
    q = ask_send(s, a, sess);
    memcpy(q->token, next, 32);
    q->number = steals || (a->stole && a->stole_life == s->server.life) ? 1 : 0;
    a->stealing = steals;
    if (!steals) {
        push_token(a, next);
        a->try_token++;
    }
}

static void ask_member(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    struct jsonw w = ask_begin(s, a->registered ? ASK_LOGIN : ASK_REGISTER);

    jsonw_m_str(&w, "name", a->name);
    jsonw_m_str(&w, "password", a->password);
    (void)ask_send(s, a, sess);
}

static void ask_guest(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    struct jsonw w = ask_begin(s, ASK_GUEST);

    (void)snprintf(a->name, sizeof(a->name), "Guest-%c-%u", 'a' + a->index, ++a->names);
    a->seated = false;
    jsonw_m_str(&w, "name", a->name);
    (void)ask_send(s, a, sess);
}

static void login(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    a->sess[sess].phase = SESS_LOGIN;
    if (a->n_tokens > 0)
        ask_resume(s, a, sess);
    else if (a->member)
        ask_member(s, a, sess);
    else
        ask_guest(s, a, sess);
}

static bool holds_seat(const struct sim_actor *a)
{
    for (unsigned i = 0; i < a->n_seats; i++) {
        const struct sim_ledger *l = a->seat[i].table->ledger;

        if (l != NULL && !l->audit.over && ledger_role(l, a->name) != ROLE_COUNT)
            return true;
    }
    return false;
}

/* Nobody knows any of its tokens. */
static void no_token(struct sim *s, struct sim_actor *a)
{
    if (!a->member && holds_seat(a))
        sim_broken(s, LAW_ACCOUNT, "no token of %s, who holds a seat, is taken", a->name);
    a->n_tokens = a->try_token = a->rounds = a->steps_since = 0;
    a->stole = false;
}

static void hang_up(struct sim *s, struct sim_actor *a, uint8_t sess, int64_t again_ms)
{
    struct sim_link *l = a->sess[sess].link;

    if (l == NULL)
        return;
    actor_lost(s, l);
    net_leave(s, l, false);
    a->sess[sess].retry_at = s->t + again_ms;
}

static void resume_refused(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    const uint8_t sess = an->asked->sess;

    if (a->stealing) {
        a->stealing = false;
        a->stole = an->err == ERR_AUTH;
        a->stole_life = s->server.life;
        hang_up(s, a, sess, 500);
        return;
    }
    pop_token(a); /* it never became one */
    a->try_token -= a->try_token > 0 ? 1 : 0;
    if (an->err != ERR_AUTH) {
        hang_up(s, a, sess, 1000);
        return;
    }
    if (++a->try_token < a->n_tokens) {
        ask_resume(s, a, sess);
        return;
    }
    a->try_token = 0;
    if (a->stole || ++a->rounds >= ROUNDS) {
        no_token(s, a);
        hang_up(s, a, sess, 100);
    } else {
        hang_up(s, a, sess, BEHIND_MS);
    }
}

static void login_refused(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    const uint8_t sess = an->asked->sess;

    if (an->asked->what == ASK_RESUME) {
        resume_refused(s, a, an);
        return;
    }
    if (an->asked->what == ASK_LOGIN && an->err == ERR_AUTH && a->acked)
        sim_broken(s, LAW_ACCOUNT, "the password of %s is refused", a->name);
    if (an->asked->what == ASK_REGISTER && an->err == ERR_CONFLICT)
        a->registered = true; /* by a request whose answer was lost */
    if (an->asked->what == ASK_LOGIN && an->err == ERR_AUTH)
        a->registered = false;
    hang_up(s, a, sess, an->err == ERR_CONFLICT || an->err == ERR_AUTH ? 100 : 1500);
}

static void logged_in(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    struct sim_sess *ss = &a->sess[an->asked->sess];
    const char *hex = "";
    uint8_t token[32];

    CHECK(json_get_string(an->result, "token", &hex) && hex_decode(token, sizeof(token), hex));
    if (an->asked->what == ASK_REGISTER || an->asked->what == ASK_LOGIN)
        a->registered = a->acked = true;
    own_token(a, token, an->asked->what == ASK_RESUME);
    ss->phase = SESS_UP;
    ss->mine_known = ss->mine_asked = false;
    actor_wake(s, a, 1);
}

/* ---- answers ---- */

static void on_answer(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    switch ((enum sim_ask)an->asked->what) {
    case ASK_HELLO:
        if (an->result != NULL)
            login(s, a, an->asked->sess);
        else
            hang_up(s, a, an->asked->sess, 1000);
        return;
    case ASK_GUEST:
    case ASK_REGISTER:
    case ASK_LOGIN:
    case ASK_RESUME:
        if (an->result != NULL)
            logged_in(s, a, an);
        else
            login_refused(s, a, an);
        return;
    case ASK_LOGOUT:
        if (an->result != NULL)
            hang_up(s, a, an->asked->sess, 500);
        return;
    case ASK_CREATE:
    case ASK_JOIN:
    case ASK_CANCEL:
    case ASK_MINE:
    case ASK_SYNC:
    case ASK_WATCH:
    case ASK_UNWATCH:
    case ASK_ANCHOR:
    case ASK_SHARE:
    case ASK_ORDER:
    case ASK_RESIGN:
    case ASK_CLAIM:
    case ASK_OFFER:
    case ASK_ANSWER:
    case ASK_RECORD:
    case ASK_UMPIRE:
        seat_answer(s, a, an);
        return;
    case ASK_PING:
    case ASK_PASSWORD:
    case ASK_CHAT:
    case ASK_LEGAL:
    case ASK_LOBBY:
    case ASK_FOLLOW:
    case ASK_MUTE:
    case ASK_PLAYED:
    case ASK_INFO:
    case ASK_COUNT:
        return;
    }
}

static void take_answer(struct sim *s, struct sim_actor *a, const struct json *j)
{
    const struct json *error = json_get(j, "error");
    const struct json *data = json_get(error, "data");
    struct sim_asked copy; /* the book grows while answers are looked at */
    struct sim_answer an = {.result = json_get(j, "result"), .asked = &copy};
    struct sim_sess *ss;
    const char *reason = "";
    int64_t id;

    if (!json_get_int(j, "id", &id) || id < 1 || id > s->n_asked)
        return;
    copy = s->asked[id - 1];
    ss = &a->sess[copy.sess];
    ss->asked -= ss->asked > 0 ? 1 : 0;
    ss->since = s->t;
    if (an.result == NULL) {
        an.err = json_get_string(data, "reason", &reason) ? err_from_reason(reason) : ERR_INTERNAL;
        if (!json_get_int(data, "retry_ms", &an.retry_ms))
            an.retry_ms = 0;
    }
    on_answer(s, a, &an);
}

static void take_note(struct sim *s, struct sim_actor *a, uint8_t sess, const struct json *j)
{
    const char *word = "";
    enum msg_note note;

    if (!json_get_string(j, "method", &word))
        return;
    note = msg_note_find(word);
    if (note == NOTE_SERVER_PING) {
        (void)ask_begin(s, ASK_PING);
        (void)ask_send(s, a, sess);
    } else if (note != NOTE_COUNT) {
        seat_note(s, a, sess, note, json_get(j, "params"));
    }
}

static void take_line(struct sim *s, struct sim_actor *a, uint8_t sess, const char *line)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    if (json_parse(line, strlen(line), &json_file_limits, &j, why) != ERR_OK)
        return; /* plain words to a stranger; all else the tap has seen */
    if (json_get(j, "id") != NULL)
        take_answer(s, a, j);
    else
        take_note(s, a, sess, j);
    json_free(j);
}

void actor_bytes(struct sim *s, struct sim_link *l, const char *data, size_t len)
{
    struct sim_actor *a = &s->actor[l->actor];
    struct sim_sess *ss = &a->sess[l->sess];
    char *nl;

    if (ss->link != l)
        return;
    buf_put(&ss->in, data, len);
    while (ss->link == l && ss->in.len > 0 && (nl = memchr(ss->in.data, '\n', ss->in.len))) {
        char *line = mem_strndup(ss->in.data, (size_t)(nl - ss->in.data));

        buf_consume(&ss->in, (size_t)(nl - ss->in.data) + 1);
        take_line(s, a, l->sess, line);
        mem_free(line);
    }
}

void actor_lost(struct sim *s, struct sim_link *l)
{
    struct sim_actor *a = &s->actor[l->actor];
    struct sim_sess *ss = &a->sess[l->sess];
    int64_t again = s->healed ? sim_between(s, 20, 200) : sim_between(s, 30, 4000);

    if (ss->link != l)
        return;
    if (ss->phase == SESS_LOGIN) { /* its last words may still come */
        again += BEHIND_MS;
        a->try_token = 0;
    }
    ss->link = NULL;
    ss->phase = SESS_DOWN;
    ss->asked = 0;
    buf_reset(&ss->in);
    ss->retry_at = s->t + again;
    seat_lost(a, l->sess);
    actor_wake(s, a, again);
}

/* ---- looking around ---- */

static void connect_again(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    struct sim_sess *ss = &a->sess[sess];
    struct jsonw w;

    ss->link = net_connect(s, a->index, sess);
    if (ss->link == NULL) {
        ss->retry_at = s->t + sim_between(s, 100, 2500);
        return;
    }
    ss->phase = SESS_HELLO;
    ss->since = s->t;
    w = ask_begin(s, ASK_HELLO);
    jsonw_m_int(&w, "protocol", 1);
    jsonw_m_str(&w, "client", "simulated");
    (void)ask_send(s, a, sess);
}

static bool is_logging_in(const struct sim_actor *a)
{
    for (unsigned i = 0; i < SIM_SESS; i++)
        if (a->sess[i].phase == SESS_HELLO || a->sess[i].phase == SESS_LOGIN)
            return true;
    return false;
}

static void look_at_line(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    struct sim_sess *ss = &a->sess[sess];

    if (ss->link == NULL) {
        if (s->t >= ss->retry_at && !is_logging_in(a) && !s->leaving)
            connect_again(s, a, sess);
        return;
    }
    if (ss->asked > 0 && s->t - ss->since > PATIENCE_MS)
        hang_up(s, a, sess, 100);
    else if (!s->healed && ss->phase == SESS_UP && sim_odds(s, a->how.leave)) {
        struct sim_link *l = ss->link;

        actor_lost(s, l);
        net_leave(s, l, sim_odds(s, 300));
    }
}

void actor_leave(struct sim *s, struct sim_actor *a)
{
    for (unsigned i = 0; i < SIM_SESS; i++)
        hang_up(s, a, (uint8_t)i, INT32_MAX);
}

void actor_look(struct sim *s, struct sim_actor *a)
{
    if (a->gone)
        return;
    look_at_line(s, a, 0);
    if (a->how.two_lines)
        look_at_line(s, a, 1);
    if (a->how.pest)
        pest_look(s, a, 0);
    for (unsigned i = 0; i < a->n_seats; i++)
        seat_look(s, a, &a->seat[i]);
    if (s->healed && s->t - s->healed_at > LONG_MS && !holds_seat(a)) {
        actor_leave(s, a); /* nothing is left to see but days of waiting */
        a->gone = true;
    } else if (s->healed) /* who still waits then waits for days */
        actor_wake(s, a, s->t - s->healed_at < LONG_MS ? GLANCE_MS : SELDOM_MS);
    else
        actor_wake(s, a, sim_between(s, 100, GLANCE_MS));
}
