/* SPDX-License-Identifier: ISC
 * lib_sim_seat.c -- a place at a table: getting there, reading along by the client's own model,
 * giving the part in the dice that is owed.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { LOOK_BACK = 25 };

void seat_add(struct sim *s, struct sim_actor *a, struct sim_table *t, uint8_t wish)
{
    struct sim_seat *seat = &a->seat[a->n_seats++];

    CHECK(a->n_seats <= SIM_SEATS);
    *seat = (struct sim_seat){.table = t, .wish = wish};
    seat->whole = sim_odds(s, 600);
}

void seat_fini(struct sim_seat *seat)
{
    if (seat->has_model) {
        seat->m.scn = NULL; /* borrowed */
        model_fini(&seat->m);
    }
    buf_fini(&seat->order.body);
    mem_free(seat->chain);
}

static uint8_t up_sess(const struct sim_actor *a, uint8_t wished)
{
    if (a->sess[wished].phase == SESS_UP)
        return wished;
    for (unsigned i = 0; i < SIM_SESS; i++)
        if (a->sess[i].phase == SESS_UP)
            return (uint8_t)i;
    return SIM_SESS;
}

/* The line is gone, and with it what was under way on it. */
void seat_lost(struct sim_actor *a, uint8_t sess)
{
    for (unsigned i = 0; i < a->n_seats; i++) {
        struct sim_seat *seat = &a->seat[i];

        if (seat->sess != sess)
            continue;
        seat->reading = seat->flying = false;
        seat->replied = 0;
        seat->m.synced = false;
        seat->order.flying = seat->sharing = seat->anchoring = false;
        if (seat->state == SEAT_ASKING)
            seat->state = SEAT_IDLE;
    }
}

/* ---- asking about a match ---- */

static struct sim_asked *ask_about(struct sim *s, struct sim_actor *a, const struct sim_seat *seat,
                                   enum sim_ask what)
{
    struct jsonw w = ask_begin(s, what);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    if ((what == ASK_JOIN || what == ASK_WATCH) && seat->table->invite[0] != '\0' && !a->how.pest)
        jsonw_m_str(&w, "invite", seat->table->invite);
    q = ask_send(s, a, seat->sess);
    q->seat = (uint8_t)(seat - a->seat);
    (void)str_copy(q->match, sizeof(q->match), seat->table->hex);
    return q;
}

static void put_clock(struct jsonw *w, const struct clock_rule *c)
{
    jsonw_name(w, "clock");
    clock_rule_to_json(c, w->out);
    w->comma = true;
}

static void ask_create(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    static const char *const watch[] = {"all", "invited", "none"};
    const struct sim_table *t = seat->table;
    struct jsonw w = ask_begin(s, ASK_CREATE);
    struct sim_asked *q;

    jsonw_m_str(&w, "scenario", t->scn->id);
    jsonw_m_str(&w, "side", t->random_side ? "random" : t->scn->side[t->index % 2].id);
    put_clock(&w, &t->clock);
    jsonw_m_str(&w, "fair", fair_word((enum fair)t->fair));
    jsonw_m_bool(&w, "rated", t->rated);
    jsonw_m_bool(&w, "private", t->is_private);
    jsonw_m_str(&w, "watch", watch[t->watch]);
    if (t->readings) {
        jsonw_m_obj(&w, "readings");
        jsonw_m_str(&w, "turning", "free");
        jsonw_m_str(&w, "melee", "after_each");
        jsonw_obj_end(&w);
    }
    q = ask_send(s, a, seat->sess);
    q->seat = (uint8_t)(seat - a->seat);
    seat->state = SEAT_ASKING;
}

/* The table's match is this one. */
static void adopt(struct sim *s, struct sim_actor *a, struct sim_seat *seat, struct sim_ledger *l)
{
    struct sim_table *t = seat->table;

    t->known = true;
    t->ledger = l;
    l->table = t;
    (void)str_copy(t->hex, sizeof(t->hex), l->hex);
    (void)str_copy(t->invite, sizeof(t->invite), l->invite);
    seat->state = SEAT_SITS;
    a->seated = true;
    sim_trace(s, "table %u is match %s", t->index, t->hex);
}

/* match.mine: a match that was made by a request whose answer was lost; or too many of them. */
static void take_mine(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    for (const struct json *m = json_first(json_get(an->result, "matches")); m != NULL;
         m = json_next(m)) {
        const char *hex = "", *role = "", *invite = "";
        struct sim_ledger *l;
        struct sim_seat *seat = NULL;

        if (!json_get_string(m, "match", &hex) || !json_get_string(m, "role", &role) ||
            !str_eq(role, "A"))
            continue;
        l = ledger_find(s, hex, strlen(hex));
        if (l == NULL || l->table != NULL)
            continue;
        if (json_get_string(m, "invite", &invite))
            (void)str_copy(l->invite, sizeof(l->invite), invite);
        for (unsigned i = 0; i < a->n_seats && seat == NULL; i++)
            if (a->seat[i].wish == ROLE_A && !a->seat[i].table->known && !s->healed &&
                a->seat[i].table->scn == l->scn && a->seat[i].table->fair == l->audit.fair &&
                a->seat[i].state == SEAT_IDLE)
                seat = &a->seat[i];
        if (seat != NULL) {
            adopt(s, a, seat, l);
        } else if (s->healed) {
            struct jsonw w = ask_begin(s, ASK_CANCEL);
            struct sim_asked *q;

            jsonw_m_str(&w, "match", l->hex);
            q = ask_send(s, a, an->asked->sess);
            (void)str_copy(q->match, sizeof(q->match), l->hex);
        }
    }
}

/* ---- reading ---- */

static void need_model(struct sim_seat *seat)
{
    if (seat->has_model)
        return;
    model_init(&seat->m, NULL);
    seat->m.scn = seat->table->scn_mutable;
    seat->m.audit.scn = seat->table->scn;
    seat->has_model = true;
}

static void ask_sync(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const bool looks_on = seat->wish == ROLE_COUNT;
    const uint32_t head = seat->has_model ? seat->m.audit.head : 0;
    struct jsonw w = ask_begin(s, looks_on ? ASK_WATCH : ASK_SYNC);
    const bool after = seat->whole || (seat->has_model && seat->m.audit.board != NULL);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    if (looks_on && seat->table->invite[0] != '\0' && !a->how.pest)
        jsonw_m_str(&w, "invite", seat->table->invite);
    if (after)
        jsonw_m_int(&w, "after", head);
    q = ask_send(s, a, seat->sess);
    q->seat = (uint8_t)(seat - a->seat);
    q->has_after = after;
    q->number = head;
    q->model = seat->model;
    (void)str_copy(q->match, sizeof(q->match), seat->table->hex);
    seat->flying = true;
    seat->reading = false;
}

static void read_again(struct sim *s, struct sim_actor *a, struct sim_seat *seat, const char *why)
{
    if (!seat->m.trusted)
        sim_broken(s, LAW_PREFIX, "%s, who has read all from the first entry, finds: %s", a->name,
                   why);
    model_restart(&seat->m);
    seat->model++;
    seat->whole = true;
    seat->reading = false;
    seat->sync_at = s->t;
    actor_wake(s, a, 1);
}

/* What the model says to what it was fed. */
static void on_fed(struct sim *s, struct sim_actor *a, struct sim_seat *seat, enum model_need need,
                   const char *why)
{
    switch (need) {
    case MODEL_GOOD:
        seat->rec.head = seat->m.audit.head;
        memcpy(seat->rec.head_hash, seat->m.audit.hash, FD1_LEN);
        break;
    case MODEL_MORE:
        seat->reading = false;
        seat->sync_at = s->t;
        actor_wake(s, a, 1);
        break;
    case MODEL_RESYNC:
        read_again(s, a, seat, why);
        break;
    case MODEL_BACK:
        sim_broken(s, LAW_ACKED, "the server went back before what %s saw: %s", a->name, why);
    }
}

static void take_sync(struct sim *s, struct sim_actor *a, struct sim_seat *seat,
                      const struct sim_answer *an)
{
    char why[AUDIT_WHY_LEN] = "";
    enum model_need need;

    if (an->asked->model != seat->model)
        return; /* asked by a model that has begun anew since */
    seat->flying = false;
    if (an->result == NULL) {
        if (an->err == ERR_PARAMS)
            sim_broken(s, LAW_ACKED, "%s saw entry %u, which the server hasn't", a->name,
                       an->asked->number);
        seat->sync_at = s->t + 2000;
        if (an->err == ERR_DENIED)
            seat->state = SEAT_DONE;
        return;
    }
    need_model(seat);
    need = model_sync(&seat->m, an->result, NULL, why);
    seat->reading = need == MODEL_GOOD;
    on_fed(s, a, seat, need, why);
}

static struct sim_seat *seat_at(struct sim_actor *a, const struct json *params)
{
    const char *hex = "";

    if (!json_get_string(params, "match", &hex))
        return NULL;
    for (unsigned i = 0; i < a->n_seats; i++)
        if (a->seat[i].table->known && str_eq(a->seat[i].table->hex, hex))
            return &a->seat[i];
    return NULL;
}

static void take_request(struct sim *s, struct sim_actor *a, struct sim_seat *seat,
                         const struct json *params)
{
    struct keeper_request r = {0};
    const char *hash = "";
    int64_t roll = 0, seq = 0;

    if (seat->wish > ROLE_B || !json_get_int(params, "roll", &roll) ||
        !json_get_int(params, "seq", &seq) || !json_get_string(params, "hash", &hash) ||
        !hex_decode(r.hash, FD1_LEN, hash))
        return;
    r.roll = (uint32_t)roll;
    r.seq = (uint32_t)seq;
    if (r.roll < seat->rec.roll)
        return; /* late, on the other line */
    seat->want = r;
    if (!seat->wanted)
        seat->share_at = s->t + (!s->healed && sim_odds(s, a->how.lazy) ? a->how.lazy_ms
                                                                        : sim_between(s, 0, 40));
    seat->wanted = true;
    actor_wake(s, a, seat->share_at - s->t);
}

void seat_note(struct sim *s, struct sim_actor *a, uint8_t sess, enum msg_note note,
               const struct json *params)
{
    struct sim_seat *seat = seat_at(a, params);
    char why[AUDIT_WHY_LEN] = "";
    enum model_need need;

    if (seat == NULL)
        return;
    if (note == NOTE_MATCH_ROLL_REQUEST) {
        take_request(s, a, seat, params);
    } else if (note == NOTE_MATCH_EVENT && seat->sess == sess && seat->reading) {
        need = model_event(&seat->m, params, (struct mono){s->t}, NULL, why);
        on_fed(s, a, seat, need, why);
        if (need == MODEL_GOOD && seat->wanted)
            actor_wake(s, a, seat->share_at - s->t);
    } else if (note == NOTE_MATCH_RESYNC && seat->sess == sess) {
        if (seat->m.trusted) /* perhaps because an undo reaches behind the state given */
            read_again(s, a, seat, "resync");
        seat->model++;
        seat->reading = seat->flying = false;
        seat->sync_at = s->t;
    }
}

/* ---- answers ---- */

static void take_place(struct sim *s, struct sim_actor *a, struct sim_seat *seat,
                       const struct sim_answer *an)
{
    const char *hex = "";

    seat->order_at = s->t + 1000;
    if (an->result == NULL) {
        seat->state = an->err == ERR_PHASE || an->err == ERR_DENIED ? SEAT_DONE : SEAT_IDLE;
        if (an->err == ERR_CONFLICT)
            sim_broken(s, LAW_ACCOUNT, "the seat of %s is taken by somebody else", a->name);
        return;
    }
    if (an->asked->what == ASK_JOIN) {
        seat->state = SEAT_SITS;
        a->seated = true;
    } else if (json_get_string(an->result, "match", &hex) && !seat->table->known) {
        adopt(s, a, seat, ledger_find(s, hex, strlen(hex)));
    }
}

static void take_order(struct sim *s, struct sim_seat *seat, const struct sim_answer *an)
{
    struct sim_order *o = &seat->order;
    int64_t seq = 0;

    if (an->asked->number != 0) {
        sim_hold(s, an->asked->order_id[0] == 'a' ? LAW_ONCE : LAW_TURN, an->result == NULL,
                 "an order that nobody may give is taken");
        return;
    }
    if (!o->there || !str_eq(o->id, an->asked->order_id))
        return; /* the answer to a copy */
    o->flying = false;
    if (an->result != NULL) {
        CHECK(json_get_int(an->result, "seq", &seq));
        seat->given = (uint32_t)seq;
        (void)str_copy(seat->used_id, sizeof(seat->used_id), o->id);
        seat->used_end = strstr(buf_str(&o->body), "end_phase") != NULL;
        o->there = false;
        return;
    }
    if (an->err == ERR_CONFLICT)
        sim_broken(s, LAW_ONCE, "order %s is refused as another body's", o->id);
    if (an->err == ERR_ILLEGAL)
        sim_broken(s, LAW_REPLAY, "order %s is legal on the client's board of entry %u: %.200s",
                   o->id, o->base, buf_str(&o->body));
    seat->order_at = s->t + 300;
    o->there = an->err == ERR_STORAGE || an->err == ERR_BUSY || an->err == ERR_RATE;
}

void seat_answer(struct sim *s, struct sim_actor *a, const struct sim_answer *an)
{
    struct sim_seat *seat = &a->seat[an->asked->seat];

    switch ((enum sim_ask)an->asked->what) {
    case ASK_CREATE:
    case ASK_JOIN:
        if (seat->state == SEAT_ASKING)
            take_place(s, a, seat, an);
        break;
    case ASK_MINE:
        a->sess[an->asked->sess].mine_known = an->result != NULL;
        if (an->result != NULL)
            take_mine(s, a, an);
        break;
    case ASK_SYNC:
    case ASK_WATCH:
        if (a->how.pest)
            break;
        take_sync(s, a, seat, an);
        break;
    case ASK_ANCHOR:
        seat->anchoring = false;
        if (an->err == ERR_CONFLICT)
            sim_broken(s, LAW_ONCE, "%s: its own anchor is refused as another", a->name);
        break;
    case ASK_SHARE:
        dice_answer(s, a, seat, an);
        break;
    case ASK_ORDER:
        take_order(s, seat, an);
        break;
    case ASK_ANSWER:
        if (an->err == ERR_STORAGE)
            seat->replied = 0;
        break;
    case ASK_UMPIRE:
        a->how.umpire = a->how.umpire && an->err != ERR_METHOD;
        break;
    case ASK_HELLO: /* the others: it is in the journal, or it isn't */
    case ASK_GUEST:
    case ASK_REGISTER:
    case ASK_LOGIN:
    case ASK_RESUME:
    case ASK_PING:
    case ASK_LOGOUT:
    case ASK_PASSWORD:
    case ASK_CANCEL:
    case ASK_UNWATCH:
    case ASK_RESIGN:
    case ASK_CLAIM:
    case ASK_OFFER:
    case ASK_CHAT:
    case ASK_LEGAL:
    case ASK_RECORD:
    case ASK_LOBBY:
    case ASK_FOLLOW:
    case ASK_MUTE:
    case ASK_PLAYED:
    case ASK_INFO:
    case ASK_COUNT:
        break;
    }
    actor_wake(s, a, 1);
}

/* ---- looking around ---- */

static void look_idle(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct sim_table *t = seat->table;

    if (seat->wish == ROLE_A && s->healed && !t->known) {
        seat->state = SEAT_DONE;
    } else if (seat->wish == ROLE_A && t->known) {
        seat->state = SEAT_SITS;
    } else if (seat->wish == ROLE_A && a->sess[seat->sess].mine_known && s->t >= seat->order_at) {
        ask_create(s, a, seat);
    } else if (seat->wish == ROLE_B && t->known && s->t >= seat->order_at &&
               (s->healed || !t->is_private || sim_odds(s, 100))) { /* the code comes late */
        (void)ask_about(s, a, seat, ASK_JOIN);
        seat->state = SEAT_ASKING;
    } else if (seat->wish == ROLE_COUNT && t->known) {
        seat->state = SEAT_SITS;
    }
}

/* Who waits for long claims; whether there is anything to claim is the server's to say. */
static void look_claim(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;

    if (seat->wish > ROLE_B || !au->started || s->t < seat->claim_at)
        return;
    if (seat->claim_at > 0)
        (void)ask_about(s, a, seat, ASK_CLAIM);
    seat->claim_at = s->t + sim_between(s, 20000, 90000);
}

static void look_sits(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    if (!seat->reading) {
        if (!seat->flying && s->t >= seat->sync_at)
            ask_sync(s, a, seat);
        return;
    }
    if (seat->m.audit.over) {
        (void)ask_about(s, a, seat, ASK_RECORD);
        if (sim_odds(s, 700)) /* who looks on keeps it from the archive */
            (void)ask_about(s, a, seat, ASK_UNWATCH);
        seat->state = SEAT_DONE;
        return;
    }
    seat_dice(s, a, seat);
    look_claim(s, a, seat);
    seat_play(s, a, seat);
    talk_look(s, a, seat);
}

/* Old games, in memory or in the archive, are looked at again. */
static void look_back(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const unsigned which = play_below(&s->rng, 3);

    if (!seat->table->known || !seat->has_model || !seat->m.audit.over || seat->flying)
        return;
    if (which == 0)
        (void)ask_about(s, a, seat, ASK_RECORD);
    else if (which == 1)
        played_ask(s, a, seat);
    else
        ask_sync(s, a, seat);
    if (which == 2)
        (void)ask_about(s, a, seat, ASK_UNWATCH);
}

void seat_look(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const uint8_t sess = up_sess(a, seat->sess);

    if (sess == SIM_SESS)
        return;
    if (sess != seat->sess) {
        seat->sess = sess;
        seat->reading = seat->flying = false;
    }
    if (!a->sess[sess].mine_asked || (s->healed && !s->quiet && s->t >= a->sess[sess].mine_at)) {
        (void)ask_begin(s, ASK_MINE);
        (void)ask_send(s, a, sess);
        a->sess[sess].mine_asked = true;
        a->sess[sess].mine_at = s->t + 15000;
    }
    if (seat->state == SEAT_IDLE)
        look_idle(s, a, seat);
    else if (seat->state == SEAT_SITS)
        look_sits(s, a, seat);
    else if (seat->state == SEAT_DONE && !s->quiet && sim_odds(s, LOOK_BACK))
        look_back(s, a, seat);
}
