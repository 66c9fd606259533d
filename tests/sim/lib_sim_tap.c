/* SPDX-License-Identifier: ISC
 * lib_sim_tap.c -- every line that leaves the server, held against what is durable at that moment:
 * which answer or note it is, and what was acknowledged by it.
 */
#include "common/base/hex.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim_tap_stream.h"

static const char event_front[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"match.event\",\"params\":{\"match\":\"";
static const char reply_front[] = "{\"jsonrpc\":\"2.0\",\"id\":";
static const char note_front[] = "{\"jsonrpc\":\"2.0\",\"method\":\"";

/* ---- answers ---- */

static void tap_login(struct sim *s, struct sim_link *l, const struct sim_asked *q,
                      const struct json *r)
{
    const struct sim_actor *a = &s->actor[l->actor];
    const char *name = "", *hex = "";
    uint8_t token[32];

    sim_hold(s, LAW_ACCOUNT,
             json_get_string(json_get(r, "user"), "name", &name) &&
                 json_get_string(r, "token", &hex) && hex_decode(token, sizeof(token), hex),
             "a login without user or token");
    if (q->what == ASK_RESUME && q->number == 1)
        sim_broken(s, LAW_TOKEN, "%s logs in by a token whose family had ended", name);
    if (q->what != ASK_GUEST && !str_ieq(name, a->name))
        sim_broken(s, LAW_ACCOUNT, "%s is logged in as %s", a->name, name);
    if (disk_user(s, name) != NULL && disk_token(s, token) == NULL)
        sim_broken(s, LAW_EARLY, "a token of %s is told before it is durable", name);
    sim_hold(s, LAW_TOKEN, q->what != ASK_RESUME || memcmp(token, q->token, sizeof(token)) == 0,
             "another token than the client's own was made");
    (void)str_copy(l->user, sizeof(l->user), name);
}

static void tap_share(struct sim *s, const struct sim_link *l, const struct sim_asked *q)
{
    struct sim_ledger *led = ledger_find(s, q->match, strlen(q->match));
    const enum role role = led != NULL ? ledger_role(led, l->user) : ROLE_COUNT;
    const struct sim_row *row;

    if (role > ROLE_B)
        sim_broken(s, LAW_TURN, "a share of somebody without a seat is taken");
    if (led->absent[role] == q->number)
        sim_broken(s, LAW_ABSENT, "a share for roll %u is taken behind the absence", q->number);
    row = disk_share(s, led->id, role);
    if (row == NULL || row->seq != q->number || memcmp(row->data.data, q->token, FD1_LEN) != 0)
        sim_broken(s, LAW_EARLY, "a share for roll %u is acknowledged and isn't durable",
                   q->number);
    led->taken[role] = q->number;
}

static void tap_order(struct sim *s, const struct sim_link *l, const struct sim_asked *q,
                      const struct json *r)
{
    const struct sim_ledger *led = ledger_find(s, q->match, strlen(q->match));
    const enum role role = led != NULL ? ledger_role(led, l->user) : ROLE_COUNT;
    uint32_t seq = 0;

    sim_hold(s, LAW_TURN, role != ROLE_COUNT, "an order of somebody without a seat is taken");
    sim_hold(s, LAW_ACKED, tap_u32(r, "seq", &seq), "an order is taken without a seq");
    for (uint32_t i = 0; i < led->n_given; i++) {
        const struct sim_given *g = &led->given[i];

        if (g->seq == seq && str_eq(g->id, q->order_id) && g->side == led->audit.side_of[role])
            return;
    }
    sim_broken(s, seq > led->n ? LAW_EARLY : LAW_ACKED,
               "order %s is acknowledged as entry %u, and isn't durable there", q->order_id, seq);
}

/* Acknowledged by `{}` or an id: the journal must say so. */
static void tap_said(struct sim *s, const struct sim_asked *q, const char *want)
{
    const struct sim_ledger *led = ledger_find(s, q->match, strlen(q->match));

    if (led == NULL || memmem(led->text.data, led->text.len, want, strlen(want)) == NULL)
        sim_broken(s, LAW_EARLY, "match %s: acknowledged, and not in the journal: %s", q->match,
                   want);
}

static void tap_create(struct sim *s, const struct sim_link *l, const struct json *r)
{
    const char *match = "", *invite = "";
    struct sim_ledger *led;

    sim_hold(s, LAW_ACKED, json_get_string(r, "match", &match), "a match without its id");
    led = ledger_find(s, match, strlen(match));
    sim_hold(s, LAW_EARLY, led != NULL && disk_match(s, led->id) != NULL,
             "a match is told before it is durable");
    sim_hold(s, LAW_ACCOUNT, ledger_role(led, l->user) == ROLE_A, "somebody else's match is told");
    if (json_get_string(r, "invite", &invite))
        (void)str_copy(led->invite, sizeof(led->invite), invite);
}

static void tap_word(struct sim *s, const struct sim_asked *q, const char *kind, const char *more)
{
    char want[160];

    (void)snprintf(want, sizeof(want), "\"kind\":\"%s\"%s", kind, more);
    tap_said(s, q, want);
}

static void tap_seat(struct sim *s, const struct sim_link *l, const struct sim_asked *q,
                     const struct json *r)
{
    char more[128];
    uint32_t id = q->number;

    if (q->what == ASK_JOIN) {
        (void)snprintf(more, sizeof(more), ",\"player\":\"%s\"", l->user);
        tap_word(s, q, "joined", more);
    } else if (q->what == ASK_ANCHOR) {
        (void)str_copy(more, sizeof(more), ",\"role\"");
        tap_word(s, q, "anchor", more);
        hex_encode(more, q->token, FD1_LEN);
        tap_said(s, q, more);
    } else if (q->what == ASK_RESIGN || q->what == ASK_CLAIM) {
        tap_word(s, q, q->what == ASK_RESIGN ? "resign" : "claim", "");
    } else if (q->what == ASK_CANCEL) {
        tap_word(s, q, "over", "");
    } else {
        if (q->what == ASK_OFFER && !tap_u32(r, "offer_id", &id))
            sim_broken(s, LAW_ACKED, "an offer without its id");
        (void)snprintf(more, sizeof(more), ",\"id\":%u,", id);
        tap_word(s, q, q->what == ASK_OFFER ? "offer" : "answer", more);
    }
}

static void tap_result(struct sim *s, struct sim_link *l, const struct sim_asked *q,
                       const struct json *r)
{
    switch ((enum sim_ask)q->what) {
    case ASK_GUEST:
    case ASK_REGISTER:
    case ASK_LOGIN:
    case ASK_RESUME:
        tap_login(s, l, q, r);
        break;
    case ASK_LOGOUT:
        l->user[0] = '\0';
        l->n_subs = 0;
        break;
    case ASK_CREATE:
        tap_create(s, l, r);
        break;
    case ASK_SHARE:
        tap_share(s, l, q);
        break;
    case ASK_ORDER:
        tap_order(s, l, q, r);
        break;
    case ASK_JOIN:
    case ASK_CANCEL:
    case ASK_ANCHOR:
    case ASK_RESIGN:
    case ASK_CLAIM:
    case ASK_OFFER:
    case ASK_ANSWER:
        tap_seat(s, l, q, r);
        break;
    case ASK_RECORD:
        tap_record(s, q, r);
        break;
    case ASK_PLAYED:
        tap_played(s, l, q, r);
        break;
    case ASK_UNWATCH:
        tap_unfollow(l, ledger_find(s, q->match, strlen(q->match)));
        break;
    case ASK_UMPIRE:
        tap_word(s, q, "umpire", "");
        break;
    case ASK_SYNC: /* with its own bytes, see tap_reply */
    case ASK_WATCH:
    case ASK_HELLO:
    case ASK_PING:
    case ASK_PASSWORD:
    case ASK_MINE:
    case ASK_CHAT:
    case ASK_LEGAL:
    case ASK_LOBBY:
    case ASK_FOLLOW:
    case ASK_MUTE:
    case ASK_INFO:
    case ASK_COUNT:
        break;
    }
}

/* The request that the answer is to; NULL: one of those that no book is kept of. */
static struct sim_asked *pop_asked(struct sim *s, struct sim_link *l, const char *line)
{
    const char *digits = line + sizeof(reply_front) - 1;
    struct sim_asked *q;
    int64_t id;

    if (*digits < '0' || *digits > '9')
        return NULL;
    id = (int64_t)strtoll(digits, NULL, 10);
    if (id < 1 || id > s->n_asked)
        return NULL;
    q = &s->asked[id - 1];
    if (q->answered || q->link != l->serial || l->n_asked == 0 || l->asked[l->asked_at] != id)
        sim_broken(s, LAW_REPLY, "request %lld is answered twice, elsewhere, or before %lld",
                   (long long)id, l->n_asked > 0 ? (long long)l->asked[l->asked_at] : 0);
    q->answered = true;
    l->asked_at = (l->asked_at + 1) % SIM_QUEUE;
    l->n_asked--;
    return q;
}

/* An answer to a request without a book, of one who means harm. */
static void tap_stranger(struct sim *s, const struct sim_link *l, const char *line)
{
    const char *at = strstr(line, "\"result\":{\"user\":{\"name\":\"");
    char name[NAME_LEN + 1] = "";
    const struct sim_actor *a;

    if (at == NULL)
        return;
    at += strlen("\"result\":{\"user\":{\"name\":\"");
    (void)str_ncopy(name, sizeof(name), at, strcspn(at, "\""));
    a = actor_named(s, name);
    if (a != NULL && a->index != l->actor)
        sim_broken(s, LAW_ACCOUNT, "%s is logged in to by somebody else", name);
}

static void tap_reply(struct sim *s, struct sim_link *l, const char *line, size_t len)
{
    struct sim_asked *q = pop_asked(s, l, line);
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const struct json *r;

    if (q == NULL) {
        tap_stranger(s, l, line);
        return;
    }
    if (json_parse(line, len, &json_file_limits, &j, why) != ERR_OK)
        sim_broken(s, LAW_REPLY, "an answer that isn't JSON: %s", why);
    r = json_get(j, "result");
    q->ok = r != NULL;
    if (r != NULL && (q->what == ASK_SYNC || q->what == ASK_WATCH))
        tap_sync(s, l, q, r, line);
    else if (r != NULL)
        tap_result(s, l, q, r);
    json_free(j);
}

/* ---- notes ---- */

static void tap_request(struct sim *s, const struct sim_link *l, struct sim_ledger *led,
                        const struct json *p)
{
    const enum role role = ledger_role(led, l->user);
    const struct audit *a = &led->audit;
    uint32_t roll = 0, seq = 0;
    const char *hash = "";

    sim_hold(s, LAW_PRIVATE, role != ROLE_COUNT, "a share is asked of somebody without a seat");
    led->asked_at[role] = s->t;
    if (s->disk.settled) /* the core hasn't heard of all that is durable */
        return;
    if (!tap_u32(p, "roll", &roll) || !tap_u32(p, "seq", &seq) ||
        !json_get_string(p, "hash", &hash) || !audit_roll_open(a) || roll != a->dice.n + 1 ||
        seq != a->roll_seq || !tap_is_hash(seq == 0 ? a->anchor_hash : a->roll_hash, hash))
        sim_broken(s, LAW_EARLY, "match %s: shares for roll %u are asked, entry %u", led->hex, roll,
                   seq);
}

/* Players have a room of their own, and in a rated game nobody else speaks to them. */
static void tap_chat(struct sim *s, const struct sim_link *l, const struct sim_ledger *led,
                     const struct json *p)
{
    const char *from = "", *to = "";
    const bool sits = ledger_role(led, l->user) != ROLE_COUNT;

    if (!json_get_string(p, "from", &from) || !json_get_string(p, "to", &to))
        sim_broken(s, LAW_PRIVATE, "words of nobody, or for nobody");
    if (!sits && !str_eq(to, "all"))
        sim_broken(s, LAW_PRIVATE, "%s hears what is said among players", l->user);
    if (sits && led->audit.rated && !led->audit.over && ledger_role(led, from) == ROLE_COUNT)
        sim_broken(s, LAW_PRIVATE, "%s is spoken to in a rated game by %s", l->user, from);
}

static void tap_presence(struct sim *s, const struct json *p)
{
    for (const struct json *j = json_first(json_get(p, "seats")); j != NULL; j = json_next(j)) {
        const char *name = "";
        bool online = false;

        if (!json_get_string(j, "player", &name) || !json_get_bool(j, "online", &online))
            sim_broken(s, LAW_GHOST, "a seat without a player");
        if (online ? !net_has_line(s, name) : net_is_online(s, name))
            sim_broken(s, LAW_GHOST, "%s is said to be %s", name, online ? "there" : "away");
    }
}

static void tap_note(struct sim *s, struct sim_link *l, const char *line, size_t len)
{
    const char *word = "", *match = "";
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const struct json *p;
    struct sim_ledger *led;

    if (json_parse(line, len, &json_file_limits, &j, why) != ERR_OK)
        sim_broken(s, LAW_REPLY, "a notification that isn't JSON: %s", why);
    p = json_get(j, "params");
    led = json_get_string(p, "match", &match) ? ledger_find(s, match, strlen(match)) : NULL;
    if (led != NULL && json_get_string(j, "method", &word)) {
        if (str_eq(word, "match.roll_request"))
            tap_request(s, l, led, p);
        else if (str_eq(word, "match.resync"))
            tap_unfollow(l, led);
        else if (str_eq(word, "match.chat"))
            tap_chat(s, l, led, p);
        else if (str_eq(word, "match.presence"))
            tap_presence(s, p);
        else if (str_eq(word, "match.clock"))
            tap_clock(s, led, json_get(p, "left"));
    }
    json_free(j);
}

/* ---- all lines ---- */

static void check_invites(struct sim *s, const struct sim_link *l, const char *line)
{
    for (const struct sim_ledger *led = s->ledgers; led != NULL; led = led->next)
        if (led->invite[0] != '\0' && strstr(line, led->invite) != NULL &&
            ledger_role(led, l->user) != ROLE_A)
            sim_broken(s, LAW_PRIVATE, "%s is shown the invite of match %s",
                       l->user[0] != '\0' ? l->user : "a stranger", led->hex);
}

/* A word before the end: of the server's end, of a logout elsewhere, of a line that is none. */
static bool says_why(const char *line)
{
    static const char *const words[] = {"\"method\":\"server.notice\"", "\"id\":null",
                                        "This is a skirmish server"};
    bool why = false;

    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        why |= strstr(line, words[i]) != NULL;
    return why;
}

static void tap_line(struct sim *s, struct sim_link *l, const char *line, size_t len)
{
    s->sum.lines++;
    sim_trace(s, "  -> %u %s: %.400s", l->serial, l->user, line);
    check_invites(s, l, line);
    if (!l->closing)
        l->told_why = says_why(line);
    l->closing |= strstr(line, "\"method\":\"server.closing\"") != NULL;
    l->told_why |= l->closing;
    if (strncmp(line, event_front, sizeof(event_front) - 1) == 0)
        tap_event(s, l, line + sizeof(event_front) - 1);
    else if (strncmp(line, reply_front, sizeof(reply_front) - 1) == 0)
        tap_reply(s, l, line, len);
    else if (strncmp(line, note_front, sizeof(note_front) - 1) == 0)
        tap_note(s, l, line, len);
    else
        sim_hold(s, LAW_REPLY, strncmp(line, "This is a skirmish server", 25) == 0,
                 "a line that is nothing");
}

void tap_out(struct sim *s, struct sim_link *l, const char *data, size_t len)
{
    char *nl;

    sim_hold(s, LAW_REPLY, len > 0, "nothing leaves");
    if (s->last_line != data)
        secret_scan(s, data, len, "a line");
    s->last_line = data;
    buf_put(&l->part, data, len);
    while ((nl = memchr(l->part.data, '\n', l->part.len)) != NULL) {
        const size_t n = (size_t)(nl - l->part.data);

        *nl = '\0';
        sim_hold(s, LAW_BOUNDS, n <= LINE_LIMIT_SERVER, "a line beyond the limit");
        tap_line(s, l, l->part.data, n);
        buf_consume(&l->part, n + 1);
    }
}

void tap_end(struct sim *s)
{
    for (uint32_t i = 0; i < s->n_links; i++)
        sim_hold(s, LAW_REPLY, s->link[i] == NULL || s->link[i]->part.len == 0,
                 "half a line leaves");
}
