/* SPDX-License-Identifier: ISC
 * seat_play.c -- our part in the dice, and orders from their giving to their end.
 */
#include <sodium.h>
#include <sysexits.h>

#include "client/seat_impl.h"
#include "common/base/hex.h"

/* ---- dice ---- */

/* What was seen of the server's other past is forgotten, and a new secret wanted. */
static void forget_back(struct seat *s)
{
    if (keeper_go_on(&s->keeper) != ERR_OK) {
        seat_say(s, SEAT_TROUBLE, "That can't be stored in the state directory; nothing was sent.");
        return;
    }
    s->told_back = false;
    s->shared = 0;
    keeper_see(&s->keeper, s->model.audit.head, s->model.audit.hash);
    if (s->model.audit.roll_seq != 0)
        seat_say(s, SEAT_ALARM,
                 "An order waits for its dice, and new secrets come only behind them: whoever saw "
                 "that roll before the server went back may have known it.");
}

static void told_back(struct seat *s)
{
    if (s->told_back || !seat_went_back(s))
        return;
    s->told_back = true;
    seat_say(s, SEAT_ALARM,
             "Careful, the server went back: it has lost entries that were seen here, so no share "
             "for a die leaves this client. If you know why, `go on` makes new secrets.");
    if (s->wish.go_on)
        forget_back(s);
}

void seat_go_on(struct seat *s)
{
    if (!seat_went_back(s))
        return;
    forget_back(s);
    seat_reconcile(s);
}

static void on_anchor(void *data, const struct link_answer *a)
{
    struct seat *s = data;

    s->anchored = -1;
    if (seat_try_later(s, a))
        return;
    if (a->err == ERR_OK || a->err == ERR_EOF || a->err == ERR_PHASE)
        return;
    seat_say(s, SEAT_TROUBLE,
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
        seat_fail(s, EX_IOERR, "the secret of our dice can't be kept in the state directory");
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
    if (seat_try_later(s, a))
        return;
    if (a->err != ERR_EOF)
        seat_say(s, SEAT_TROUBLE, "The server didn't take our share of the roll.");
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
        seat_say(s, SEAT_ALARM,
                 "The secret for our dice in this match isn't on this machine; the roll "
                 "waits for the machine that has it.");
        s->has_request = false;
        return;
    case KEEPER_UNWRITTEN:
        seat_say(s, SEAT_TROUBLE, "Our share can't be sent: the state directory can't be written.");
        s->has_request = false;
        return;
    }
    s->shared = s->request.roll;
    w = seat_begin(s, MSG_MATCH_SHARE);
    jsonw_m_int(w, "roll", s->request.roll);
    jsonw_m_hex(w, "share", share, FD1_LEN);
    link_send(s->link, on_share, s);
}

void seat_settle_dice(struct seat *s)
{
    if (s->wish.is_errand && s->has_keeper && keeper_is_elsewhere(&s->keeper, &s->model.audit))
        return;
    told_back(s);
    if (s->has_keeper && !s->keeper.went_back && !s->model.audit.over &&
        uv_is_active((uv_handle_t *)s->timer) == 0) {
        send_anchor(s);
        send_share(s);
        told_back(s);
    }
}

void seat_take_request(struct seat *s, const struct json *params)
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

static void on_order(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    struct seat_order_end end = {.end = SEAT_REFUSED, .err = a->err, .rule = "", .message = ""};
    int64_t seq = 0;

    s->flight.sent = false;
    if (a->err == ERR_EOF || !s->flight.on)
        return; /* settled after the next sync */
    if (a->err == ERR_OK) {
        if (json_get_int(a->result, "seq", &seq) && seq > 0 && seq <= UINT32_MAX)
            s->flight.seq = (uint32_t)seq;
        settle_flight(s);
        return;
    }
    if (seat_try_later(s, a))
        return;
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
void seat_settle_order(struct seat *s)
{
    settle_flight(s);
    if (!s->flight.on || s->flight.sent || s->flight.seq != 0 ||
        uv_is_active((uv_handle_t *)s->timer))
        return;
    send_flight(s);
}
