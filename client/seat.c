/* SPDX-License-Identifier: ISC
 * seat.c -- our place at one match.
 */
#include "client/seat.h"

#include <errno.h>
#include <sodium.h>
#include <sysexits.h>
#include <uv.h>

#include "client/words.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define SEAT_MAGIC     0x73656174u
#define ORDER_ID_BYTES 12
#define DRIFT_MAX      3
#define RETRY_ORDER_MS 1000

enum step {
    STEP_NONE,     /* the line is down, or nothing asked for yet */
    STEP_SITTING,  /* create or join is under way */
    STEP_SCENARIO, /* scenario.get is under way */
    STEP_SYNC,     /* sync is under way */
    STEP_THERE
};

struct flight {
    bool on, sent; /* sent: an answer is waited for */
    char id[2 * ORDER_ID_BYTES + 1];
    uint32_t base, seq; /* seq: of its entry, 0 unknown */
    struct buf order;
    bool again; /* sent again after a lost line */
};

struct seat {
    uint32_t magic;
    struct link *link;
    struct seat_wish wish;
    struct seat_hooks hooks;
    enum step step;
    bool has_model, has_keeper, seated, asked_create, told_back, failed;
    unsigned drifts;
    uint32_t drift_at;
    struct model model;
    struct dice_keeper keeper;
    char match[MATCH_ID_HEX], invite[64];
    bool has_request;
    struct keeper_request request;
    uint32_t shared;  /* roll whose share is on its way or there */
    int32_t anchored; /* generation whose anchor is on its way; -1: none */
    struct flight flight;
    uv_timer_t *timer; /* own allocation: outlives the seat until libuv has closed it */
};

static void sync_now(struct seat *s);
static void reconcile(struct seat *s);
static void send_flight(struct seat *s);

/* ---- small ---- */

static void say(struct seat *s, enum seat_news kind, const char *text)
{
    s->hooks.say(s->hooks.data, kind, text);
}

static void fail(struct seat *s, int code, const char *why)
{
    if (s->failed)
        return;
    s->failed = true;
    s->hooks.failed(s->hooks.data, code, why);
}

/* A refusal to let us in, with the server's words. */
static void fail_answer(struct seat *s, const char *what, const struct link_answer *a)
{
    const bool later = a->err == ERR_BUSY || a->err == ERR_RATE || a->err == ERR_STORAGE;
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "%s: ", what);
    words_safe(a->message[0] != '\0' ? a->message : err_words(a->err), &text);
    fail(s, later ? EX_TEMPFAIL : EX_NOPERM, buf_str(&text));
    buf_fini(&text);
}

static void put_match(struct jsonw *w, const char *match)
{
    int64_t no;

    if (str_to_int(match, 1, UINT32_MAX, &no))
        jsonw_m_int(w, "match", no);
    else
        jsonw_m_str(w, "match", match);
}

struct jsonw *seat_begin(struct seat *s, enum msg_method m)
{
    struct jsonw *w = link_begin(s->link, m);

    put_match(w, s->match);
    return w;
}

void seat_send(struct seat *s, link_answer_fn fn, void *data)
{
    link_send(s->link, fn, data);
}

const struct model *seat_model(const struct seat *s)
{
    return s->has_model ? &s->model : NULL;
}

const char *seat_match(const struct seat *s)
{
    return s->has_model && s->model.match[0] != '\0' ? s->model.match : s->match;
}

const char *seat_invite(const struct seat *s)
{
    return s->invite;
}

bool seat_is_busy(const struct seat *s)
{
    return s->flight.on;
}

bool seat_went_back(const struct seat *s)
{
    return s->has_keeper && s->keeper.went_back;
}

/* ---- getting there ---- */

static void on_create(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *id = NULL, *invite = NULL;

    if (a->err == ERR_EOF)
        return;
    if (a->err != ERR_OK) {
        fail_answer(s, "the match can't be opened", a);
        return;
    }
    if (!json_get_string(a->result, "match", &id) || !str_copy(s->match, sizeof(s->match), id)) {
        fail(s, EX_PROTOCOL, "the server's answer to match.create makes no sense");
        return;
    }
    if (json_get_string(a->result, "invite", &invite))
        (void)str_copy(s->invite, sizeof(s->invite), invite);
    s->seated = true;
    sync_now(s);
}

static void create(struct seat *s)
{
    struct buf clock = BUF_EMPTY;
    struct jsonw *w = link_begin(s->link, MSG_MATCH_CREATE);

    jsonw_m_str(w, "scenario", s->wish.scenario);
    jsonw_m_str(w, "side", s->wish.side == NULL ? "random" : s->wish.side);
    clock_rule_to_json(&s->wish.clock, &clock);
    jsonw_m_raw(w, "clock", buf_str(&clock), clock.len);
    buf_fini(&clock);
    if (s->wish.has_fair)
        jsonw_m_str(w, "fair", fair_word((enum fair)s->wish.fair));
    if (s->wish.rated)
        jsonw_m_bool(w, "rated", true);
    if (s->wish.is_private)
        jsonw_m_bool(w, "private", true);
    if (s->wish.opponent != NULL)
        jsonw_m_str(w, "opponent", s->wish.opponent);
    s->asked_create = true;
    link_send(s->link, on_create, s);
}

/* Was the match that we asked for made before the line was lost? */
static void on_mine(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *maker = NULL, *scenario = NULL, *id = NULL;

    if (a->err == ERR_EOF)
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (json_get_string(m, "maker", &maker) && str_ieq(maker, link_user(s->link)) &&
            json_get_string(m, "scenario", &scenario) && str_eq(scenario, s->wish.scenario) &&
            json_get_string(m, "match", &id) && str_copy(s->match, sizeof(s->match), id)) {
            s->seated = true;
            sync_now(s);
            return;
        }
    }
    create(s);
}

static void on_join(void *data, const struct link_answer *a)
{
    struct seat *s = data;

    if (a->err == ERR_EOF)
        return;
    if (a->err == ERR_OK) {
        s->seated = true;
    } else if (a->err != ERR_CONFLICT && a->err != ERR_PHASE && a->err != ERR_DENIED) {
        fail_answer(s, "no seat there", a);
        return;
    }
    sync_now(s); /* the seat may be ours already: the sync says so */
}

static void join(struct seat *s)
{
    struct jsonw *w = seat_begin(s, MSG_MATCH_JOIN);

    if (s->wish.invite != NULL)
        jsonw_m_str(w, "invite", s->wish.invite);
    link_send(s->link, on_join, s);
}

/* The oldest open match that anybody may join; the list begins with the newest. */
static void on_open_list(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *id = NULL, *maker = NULL;

    if (a->err == ERR_EOF)
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (json_get(m, "opponent") == NULL && json_get_string(m, "maker", &maker) &&
            !str_ieq(maker, link_user(s->link)) && json_get_string(m, "match", &id))
            (void)str_copy(s->match, sizeof(s->match), id);
    }
    if (s->match[0] == '\0') {
        fail(s, EX_TEMPFAIL, "no match is open");
        return;
    }
    join(s);
}

static void sit(struct seat *s)
{
    s->step = STEP_SITTING;
    if (s->seated || s->wish.goal == SEAT_WATCH) {
        sync_now(s);
    } else if (s->wish.goal == SEAT_CREATE) {
        if (s->asked_create) {
            (void)link_begin(s->link, MSG_MATCH_MINE);
            link_send(s->link, on_mine, s);
        } else {
            create(s);
        }
    } else if (s->match[0] == '\0') {
        struct jsonw *w = link_begin(s->link, MSG_LOBBY_LIST);

        jsonw_m_str(w, "state", "open");
        jsonw_m_int(w, "limit", 100);
        link_send(s->link, on_open_list, s);
    } else {
        join(s);
    }
}

/* ---- the scenario ---- */

/* The shipped scenario of that hash, or NULL. Owned. */
static struct scenario *shipped(const char *id, const uint8_t hash[RULES_HASH_LEN])
{
    char why[SCENARIO_WHY_LEN];

    for (size_t i = 0; i < scenario_files_len; i++) {
        struct scenario *scn = NULL;

        if (!str_eq(scenario_files[i].id, id) ||
            scenario_parse(scenario_files[i].text, scenario_files[i].len, &scn, why) != ERR_OK)
            continue;
        if (memcmp(scn->hash, hash, RULES_HASH_LEN) == 0)
            return scn;
        scenario_free(scn);
    }
    return NULL;
}

static void have_scenario(struct seat *s, struct scenario *scn)
{
    model_init(&s->model, scn);
    s->has_model = true;
}

static void on_scenario(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    struct scenario *scn = NULL;
    char why[SCENARIO_WHY_LEN];

    if (a->err == ERR_EOF)
        return;
    if (a->err != ERR_OK) {
        fail_answer(s, "the scenario can't be had", a);
        return;
    }
    if (scenario_from_json(json_get(a->result, "scenario"), &scn, why) != ERR_OK) {
        fail(s, EX_DATAERR, why);
        return;
    }
    have_scenario(s, scn);
    sync_now(s);
}

/* The record's first line has the scenario as the match was opened with. */
static void on_record(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *line = NULL;
    struct scenario *scn = NULL;
    struct json *j = NULL;
    char why[SCENARIO_WHY_LEN] = "the match's scenario can't be had", no[JSON_WHY_LEN];

    if (a->err == ERR_EOF)
        return;
    if (json_string(json_first(json_get(a->result, "lines")), &line) &&
        json_parse(line, strlen(line), &json_file_limits, &j, no) == ERR_OK &&
        scenario_from_json(json_get(j, "scenario"), &scn, why) == ERR_OK) {
        have_scenario(s, scn);
        sync_now(s);
    } else {
        fail(s, EX_DATAERR, why);
    }
    json_free(j);
}

/* ---- sync ---- */

static void need_scenario(struct seat *s, const struct json *result)
{
    uint8_t hash[RULES_HASH_LEN];
    const char *id = NULL;
    struct scenario *scn;

    if (!model_sync_scenario(result, &id, hash)) {
        fail(s, EX_PROTOCOL, "the server's answer to a sync makes no sense");
        return;
    }
    scn = shipped(id, hash);
    s->step = STEP_SCENARIO;
    if (scn != NULL) {
        have_scenario(s, scn);
        sync_now(s);
    } else {
        struct jsonw *w = link_begin(s->link, MSG_SCENARIO_GET);

        jsonw_m_str(w, "id", id);
        link_send(s->link, on_scenario, s);
    }
}

/* The match is played on another edition of the scenario than the server has now. */
static void other_edition(struct seat *s)
{
    model_fini(&s->model);
    s->has_model = false;
    s->step = STEP_SCENARIO;
    (void)seat_begin(s, MSG_MATCH_RECORD);
    link_send(s->link, on_record, s);
}

/* Something doesn't fit: say so loudly, and take the match again from its beginning; at the
 * second time, from a position that the server gives. */
static void drifted(struct seat *s, const char *why)
{
    char text[AUDIT_WHY_LEN + 80];

    if (s->drifts == 0 || s->model.audit.head > s->drift_at)
        s->drifts = 0;
    s->drifts++;
    s->drift_at = s->model.audit.head;
    (void)snprintf(text, sizeof(text), "What the server says does not check: %s.", why);
    say(s, SEAT_ALARM, text);
    if (s->drifts > DRIFT_MAX) {
        fail(s, EX_DATAERR, "what the server says does not check, again and again");
        return;
    }
    model_restart(&s->model);
    sync_now(s);
}

static void took_page(struct seat *s, enum model_need need, const char *why)
{
    switch (need) {
    case MODEL_GOOD:
        s->step = STEP_THERE;
        s->drifts = 0;
        if (s->has_keeper)
            keeper_at_head(&s->keeper, s->model.audit.head);
        s->hooks.ready(s->hooks.data);
        reconcile(s);
        break;
    case MODEL_MORE:
        sync_now(s);
        break;
    case MODEL_RESYNC:
        drifted(s, why);
        break;
    case MODEL_BACK:
        say(s, SEAT_ALARM, why);
        model_restart(&s->model);
        sync_now(s);
        break;
    }
}

static void on_entry(void *data, const struct model *m, bool live);

static void on_sync(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const struct model_sink sink = {s, on_entry};
    char why[AUDIT_WHY_LEN];
    const char *id = NULL;
    uint8_t hash[RULES_HASH_LEN];

    if (a->err == ERR_EOF)
        return;
    if (a->err == ERR_PARAMS && s->has_model && s->model.audit.head > 0) {
        took_page(s, MODEL_BACK, "The server went back behind what was seen here.");
        return;
    }
    if (a->err != ERR_OK) {
        fail_answer(s, "the match can't be seen", a);
        return;
    }
    if (s->wish.goal != SEAT_WATCH && json_get(a->result, "role") == NULL) {
        fail(s, EX_NOPERM, "no seat of that match is free for us");
        return;
    }
    s->seated = true;
    if (!s->has_model) {
        need_scenario(s, a->result);
    } else if (model_sync_scenario(a->result, &id, hash) &&
               memcmp(hash, s->model.scn->hash, sizeof(hash)) != 0 && s->model.audit.head == 0) {
        other_edition(s);
    } else {
        took_page(s, model_sync(&s->model, a->result, &sink, why), why);
    }
}

static void sync_now(struct seat *s)
{
    struct jsonw *w;
    const bool trust = s->has_model && s->drifts > 1 && s->model.audit.board == NULL;

    if (!link_is_up(s->link) || s->failed)
        return;
    s->step = STEP_SYNC;
    w = seat_begin(s, s->wish.goal == SEAT_WATCH ? MSG_MATCH_WATCH : MSG_MATCH_SYNC);
    if (!trust)
        jsonw_m_int(w, "after", s->has_model ? s->model.audit.head : 0);
    if (s->wish.goal == SEAT_WATCH && s->wish.invite != NULL)
        jsonw_m_str(w, "invite", s->wish.invite);
    link_send(s->link, on_sync, s);
}

/* ---- entries ---- */

static void open_keeper(struct seat *s, const struct model *m)
{
    if (s->has_keeper || m->role > ROLE_B || m->audit.fair == FAIR_SERVER)
        return;
    if (keeper_open(&s->keeper, m->audit.match, link_user(s->link), (enum role)m->role) != ERR_OK) {
        fail(s, EX_IOERR, "the secret of our dice can't be read from the state directory");
        return;
    }
    s->has_keeper = true;
}

static void on_entry(void *data, const struct model *m, bool live)
{
    struct seat *s = data;
    const struct audit *a = &m->audit;

    CHECK(s->magic == SEAT_MAGIC);
    open_keeper(s, m);
    if (s->has_keeper)
        keeper_see(&s->keeper, a->head, a->hash);
    if (s->flight.on && a->last.kind == ENTRY_ORDER && a->last.u.order.side == model_side(m) &&
        str_eq(a->last.u.order.order_id, s->flight.id))
        s->flight.seq = a->last.seq;
    s->hooks.entry(s->hooks.data, live);
}

/* ---- dice ---- */

static void told_back(struct seat *s)
{
    if (s->told_back || !seat_went_back(s))
        return;
    s->told_back = true;
    say(s, SEAT_ALARM,
        "The server went back: it has lost entries that were seen here, so no share "
        "for a die leaves this client. If you know why, `go on` makes new secrets.");
    if (s->wish.go_on)
        seat_go_on(s);
}

void seat_go_on(struct seat *s)
{
    if (!seat_went_back(s))
        return;
    if (keeper_go_on(&s->keeper) != ERR_OK) {
        say(s, SEAT_TROUBLE, "That can't be stored in the state directory; nothing was sent.");
        return;
    }
    s->told_back = false;
    s->shared = 0;
    keeper_see(&s->keeper, s->model.audit.head, s->model.audit.hash);
    reconcile(s);
}

static void on_anchor(void *data, const struct link_answer *a)
{
    struct seat *s = data;

    s->anchored = -1;
    if (a->err == ERR_OK || a->err == ERR_EOF || a->err == ERR_PHASE)
        return;
    say(s, SEAT_TROUBLE,
        a->err == ERR_CONFLICT ? "The server has another anchor of ours for the dice."
                               : "The server didn't take our anchor for the dice.");
}

static void send_anchor(struct seat *s)
{
    enum keeper_anchor what;
    uint16_t generation = 0;
    uint8_t anchor[FD1_LEN];
    struct jsonw *w;

    if (s->anchored >= 0)
        return;
    if (keeper_anchor(&s->keeper, &s->model.audit, &what, &generation, anchor) != ERR_OK) {
        fail(s, EX_IOERR, "the secret of our dice can't be kept in the state directory");
        return;
    }
    if (what == KEEPER_NO_ANCHOR)
        return;
    s->anchored = generation;
    w = seat_begin(s, MSG_MATCH_ANCHOR);
    jsonw_m_int(w, "generation", generation);
    jsonw_m_hex(w, "anchor", anchor, FD1_LEN);
    link_send(s->link, on_anchor, s);
}

static void on_share(void *data, const struct link_answer *a)
{
    struct seat *s = data;

    if (a->err == ERR_OK || a->err == ERR_PHASE)
        return;
    s->shared = 0;
    if (a->err != ERR_EOF)
        say(s, SEAT_TROUBLE, "The server didn't take our share of the roll.");
}

static void send_share(struct seat *s)
{
    uint8_t share[FD1_LEN];
    struct jsonw *w;

    if (!s->has_request || s->shared == s->request.roll)
        return;
    switch (keeper_share(&s->keeper, &s->model.audit, &s->request, share)) {
    case KEEPER_SHARE:
        break;
    case KEEPER_WAIT:
    case KEEPER_BACK:
        return;
    case KEEPER_NOT_OURS:
        say(s, SEAT_ALARM,
            "The secret for our dice in this match isn't on this machine; the roll "
            "waits for the machine that has it.");
        s->has_request = false;
        return;
    case KEEPER_UNWRITTEN:
        say(s, SEAT_TROUBLE, "Our share can't be sent: the state directory can't be written.");
        s->has_request = false;
        return;
    }
    s->shared = s->request.roll;
    w = seat_begin(s, MSG_MATCH_SHARE);
    jsonw_m_int(w, "roll", s->request.roll);
    jsonw_m_hex(w, "share", share, FD1_LEN);
    link_send(s->link, on_share, s);
}

static void take_request(struct seat *s, const struct json *params)
{
    int64_t roll, seq;
    const char *hash = NULL;

    if (!json_get_int(params, "roll", &roll) || roll < 1 || roll > UINT32_MAX ||
        !json_get_int(params, "seq", &seq) || seq < 0 || seq > UINT32_MAX ||
        !json_get_string(params, "hash", &hash) || !hex_decode(s->request.hash, FD1_LEN, hash))
        return;
    s->request.roll = (uint32_t)roll;
    s->request.seq = (uint32_t)seq;
    s->has_request = true;
    s->shared = 0; /* asked again: answer again, the keeper knows what it may */
}

/* ---- orders ---- */

static void end_flight(struct seat *s, const struct seat_order_end *end)
{
    s->flight.on = false;
    s->flight.sent = false;
    buf_reset(&s->flight.order);
    s->hooks.order_end(s->hooks.data, end);
}

/* Is all that the order brings confirmed? */
static void settle_flight(struct seat *s)
{
    const struct audit *a = &s->model.audit;
    struct seat_order_end end = {.end = SEAT_TAKEN, .rule = "", .message = ""};

    if (!s->flight.on || s->flight.seq == 0 || !s->model.synced || a->head < s->flight.seq ||
        a->roll_seq == s->flight.seq || !audit_is_whole(a))
        return;
    end.seq = s->flight.seq;
    end_flight(s, &end);
}

static void on_order_timer(uv_timer_t *t)
{
    struct seat *s = t->data;

    if (s != NULL && s->flight.on && !s->flight.sent && s->model.synced)
        send_flight(s);
}

static void on_order(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    struct seat_order_end end = {.end = SEAT_REFUSED, .err = a->err, .rule = "", .message = ""};
    int64_t seq = 0, retry_ms = RETRY_ORDER_MS;

    s->flight.sent = false;
    if (a->err == ERR_EOF || !s->flight.on)
        return; /* settled after the next sync */
    if (a->err == ERR_OK) {
        if (json_get_int(a->result, "seq", &seq) && seq > 0 && seq <= UINT32_MAX)
            s->flight.seq = (uint32_t)seq;
        settle_flight(s);
        return;
    }
    if (a->err == ERR_RATE || a->err == ERR_BUSY || a->err == ERR_STORAGE) {
        if (a->err != ERR_RATE || !json_get_int(a->data, "retry_ms", &retry_ms) || retry_ms < 1)
            retry_ms = RETRY_ORDER_MS;
        if (a->err == ERR_STORAGE)
            say(s, SEAT_TROUBLE, "The server can't save just now; the order is tried again.");
        (void)uv_timer_start(s->timer, on_order_timer, (uint64_t)retry_ms, 0);
        return;
    }
    if (s->flight.again && a->err == ERR_STALE)
        end.end = SEAT_MISSED;
    if (!json_get_string(a->data, "rule", &end.rule))
        end.rule = "";
    end.message = a->message;
    end_flight(s, &end);
}

static void send_flight(struct seat *s)
{
    struct jsonw *w = seat_begin(s, MSG_MATCH_ORDER);

    jsonw_m_str(w, "order_id", s->flight.id);
    jsonw_m_int(w, "base", s->flight.base);
    jsonw_m_raw(w, "order", buf_str(&s->flight.order), s->flight.order.len);
    s->flight.sent = true;
    link_send(s->link, on_order, s);
}

void seat_order(struct seat *s, const struct rules_order *o)
{
    uint8_t id[ORDER_ID_BYTES];

    CHECK(s->has_model && !s->flight.on);
    randombytes_buf(id, sizeof(id));
    hex_encode(s->flight.id, id, sizeof(id));
    s->flight.on = true;
    s->flight.again = false;
    s->flight.seq = 0;
    s->flight.base = s->model.audit.head;
    buf_reset(&s->flight.order);
    order_to_json(o, s->model.scn, &s->flight.order);
    send_flight(s);
}

/* After a sync: an order whose answer was lost is in the journal, or is sent once more. */
static void resume_flight(struct seat *s)
{
    settle_flight(s);
    if (!s->flight.on || s->flight.sent || s->flight.seq != 0 ||
        uv_is_active((uv_handle_t *)s->timer))
        return;
    s->flight.again = true;
    send_flight(s);
}

/* ---- what is owed now ---- */

static void reconcile(struct seat *s)
{
    if (s->step != STEP_THERE || !s->model.synced || s->failed)
        return;
    told_back(s);
    if (s->has_keeper && !s->keeper.went_back && !s->model.audit.over) {
        send_anchor(s);
        send_share(s);
        told_back(s);
    }
    if (s->step == STEP_THERE && link_is_up(s->link))
        resume_flight(s);
    if (!s->failed)
        s->hooks.settled(s->hooks.data);
}

/* ---- from the link ---- */

void seat_up(struct seat *s)
{
    s->anchored = -1;
    s->shared = 0;
    s->has_request = false; /* it is sent again to whoever owes */
    if (!s->failed)
        sit(s);
}

void seat_down(struct seat *s)
{
    s->step = STEP_NONE;
    if (s->has_model)
        s->model.synced = false;
}

static void take_chat(struct seat *s, const struct json *params)
{
    const char *from = NULL, *text = NULL, *to = NULL;

    if (json_get_string(params, "from", &from) && json_get_string(params, "text", &text) &&
        json_get_string(params, "to", &to))
        s->hooks.chat(s->hooks.data, from, text, str_eq(to, "all"));
}

static void take_event(struct seat *s, const struct json *params)
{
    const struct model_sink sink = {s, on_entry};
    const bool was = s->model.synced;
    char why[AUDIT_WHY_LEN];
    const enum model_need need = model_event(&s->model, params, mono_now(), &sink, why);

    if (!was)
        return;
    if (need == MODEL_GOOD)
        reconcile(s);
    else
        took_page(s, need, why);
}

void seat_note(struct seat *s, enum msg_note note, const struct json *params)
{
    const char *match = NULL;

    if (!s->has_model || s->failed || !json_get_string(params, "match", &match) ||
        !str_eq(match, s->model.match))
        return;
    switch (note) {
    case NOTE_MATCH_EVENT:
        take_event(s, params);
        break;
    case NOTE_MATCH_ROLL_REQUEST:
        take_request(s, params);
        reconcile(s);
        break;
    case NOTE_MATCH_RESYNC:
        s->model.synced = false;
        sync_now(s);
        break;
    case NOTE_MATCH_PRESENCE:
        model_presence(&s->model, params);
        s->hooks.presence(s->hooks.data);
        break;
    case NOTE_MATCH_CLOCK:
        model_clock(&s->model, params, mono_now());
        break;
    case NOTE_MATCH_CHAT:
        take_chat(s, params);
        break;
    case NOTE_SERVER_WELCOME:
    case NOTE_SERVER_NOTICE:
    case NOTE_SERVER_PING:
    case NOTE_SERVER_CLOSING:
    case NOTE_LOBBY_EVENT:
    case NOTE_COUNT:
        break;
    }
}

/* ---- life ---- */

struct seat *seat_new(struct uv_loop_s *loop, struct link *link, const struct seat_wish *wish,
                      const struct seat_hooks *hooks)
{
    struct seat *s = mem_zalloc(sizeof(*s));

    s->magic = SEAT_MAGIC;
    s->link = link;
    s->wish = *wish;
    s->hooks = *hooks;
    s->anchored = -1;
    if (wish->match != NULL && !str_eq(wish->match, "any"))
        (void)str_copy(s->match, sizeof(s->match), wish->match);
    s->timer = mem_zalloc(sizeof(*s->timer));
    CHECK(uv_timer_init(loop, s->timer) == 0);
    s->timer->data = s;
    return s;
}

static void on_timer_closed(uv_handle_t *h)
{
    mem_free(h);
}

void seat_free(struct seat *s)
{
    if (s == NULL)
        return;
    s->timer->data = NULL;
    uv_close((uv_handle_t *)s->timer, on_timer_closed);
    if (s->has_keeper)
        keeper_fini(&s->keeper);
    if (s->has_model)
        model_fini(&s->model);
    buf_fini(&s->flight.order);
    s->magic = 0;
    mem_free(s);
}
