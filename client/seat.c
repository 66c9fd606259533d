/* SPDX-License-Identifier: ISC
 * seat.c -- our place at one match.
 */
#include "client/seat.h"

#include <sysexits.h>

#include "client/seat_impl.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

/* ---- small ---- */

void seat_say(struct seat *s, enum seat_news kind, const char *text)
{
    s->hooks.say(s->hooks.data, kind, text);
}

void seat_fail(struct seat *s, int code, const char *why)
{
    if (s->failed)
        return;
    s->failed = true;
    s->hooks.failed(s->hooks.data, code, why);
}

/* A refusal to let us in, with the server's words. */
void seat_fail_answer(struct seat *s, const char *what, const struct link_answer *a)
{
    const bool later = a->err == ERR_BUSY || a->err == ERR_RATE || a->err == ERR_STORAGE;
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "%s: ", what);
    words_safe(a->message[0] != '\0' ? a->message : err_words(a->err), &text);
    seat_fail(s, later ? EX_TEMPFAIL : EX_NOPERM, buf_str(&text));
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

uint32_t seat_behind(const struct seat *s)
{
    const struct model *m = &s->model;

    return s->has_model && m->role == ROLE_COUNT && !m->audit.over && !link_sees_all(s->link)
               ? m->delay
               : 0;
}

bool seat_is_busy(const struct seat *s)
{
    return s->flight.on;
}

bool seat_went_back(const struct seat *s)
{
    return s->has_keeper && s->keeper.went_back;
}

/* ---- entries ---- */

static void open_keeper(struct seat *s, const struct model *m)
{
    if (s->has_keeper || m->role > ROLE_B || m->audit.fair == FAIR_SERVER)
        return;
    if (keeper_open(&s->keeper, m->audit.match, link_user(s->link), (enum role)m->role) != ERR_OK) {
        seat_fail(s, EX_IOERR, "the secret of our dice can't be read from the state directory");
        return;
    }
    s->has_keeper = true;
}

void seat_on_entry(void *data, const struct model *m, bool live)
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

/* ---- what is owed now ---- */

void seat_reconcile(struct seat *s)
{
    if (s->step != STEP_THERE || !s->model.synced || s->failed)
        return;
    seat_past_up(s);
    seat_settle_dice(s);
    if (s->step == STEP_THERE && link_is_up(s->link))
        seat_settle_order(s);
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
        seat_sit(s);
}

void seat_down(struct seat *s)
{
    s->step = STEP_NONE;
    s->flight.again = s->flight.on;
    (void)uv_timer_stop(s->timer);
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
    const struct model_sink sink = {s, seat_on_entry};
    const bool was = s->model.synced;
    char why[AUDIT_WHY_LEN];
    const enum model_need need = model_event(&s->model, params, mono_now(), &sink, why);

    if (!was)
        return;
    if (need == MODEL_GOOD)
        seat_reconcile(s);
    else
        seat_took(s, need, why);
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
        seat_take_request(s, params);
        seat_reconcile(s);
        break;
    case NOTE_MATCH_RESYNC:
        s->model.synced = false;
        seat_sync_now(s);
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

static void on_timer(uv_timer_t *t)
{
    struct seat *s = t->data;

    if (s == NULL || s->failed || !link_is_up(s->link))
        return;
    if (s->step == STEP_THERE)
        seat_reconcile(s);
    else if (s->step == STEP_SYNC)
        seat_sync_now(s);
}

bool seat_try_later(struct seat *s, const struct link_answer *a)
{
    int64_t retry_ms = RETRY_MS;

    if (a->err != ERR_RATE && a->err != ERR_BUSY && a->err != ERR_STORAGE)
        return false;
    if (a->err == ERR_STORAGE)
        seat_say(s, SEAT_TROUBLE, "The server can't save just now; it is tried again.");
    if (!json_get_int(a->data, "retry_ms", &retry_ms) || retry_ms < 1)
        retry_ms = RETRY_MS;
    (void)uv_timer_start(s->timer, on_timer, (uint64_t)MIN(retry_ms, (int64_t)60000), 0);
    return true;
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
    s->seated = wish->is_errand;
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
    seat_past_free(s);
    if (s->has_model)
        model_fini(&s->model);
    buf_fini(&s->flight.order);
    s->magic = 0;
    mem_free(s);
}
