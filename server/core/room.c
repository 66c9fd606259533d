/* SPDX-License-Identifier: ISC */
#include "server/core/room.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/attic.h"
#include "server/core/club.h"
#include "server/core/lobby.h"
#include "server/core/user.h"

enum { STORE_RETRY_MS = 1000, DAY_MS = 24 * 3600 * 1000, CHALLENGE_DAYS = 7, OPEN_DAYS = 90 };

/* ---- finding ---- */

struct room *room_find(const struct core *c, const struct msg_match *ref)
{
    size_t at;

    if (ref->no == 0)
        return map_get(&c->rooms, ref->id);
    at = list_below(&c->all, ref->no);
    return at < c->all.n && c->all.at[at]->no == ref->no ? c->all.at[at] : NULL;
}

struct room *room_need(struct core *c, const struct msg_match *ref, struct refusal *no)
{
    struct room *r = room_find(c, ref);

    if (r == NULL) {
        attic_fetch(c, ref, no);
        return NULL;
    }
    r->used = c->now;
    if (r->m == NULL) {
        session_refuse(no, ERR_INTERNAL, "this match is set aside: its journal doesn't check");
        return NULL;
    }
    return r;
}

enum role room_role(const struct room *r, const struct user *u)
{
    if (r->seat[ROLE_A] == u) /* the usual case: no name is read */
        return ROLE_A;
    return r->seat[ROLE_B] == u ? ROLE_B : match_role_of(r->m, u->name);
}

#define READINGS_ALL 32 /* five readings of two values each */

/* By scenario and readings; NULL: not wanted so far. */
struct boards {
    size_t n;
    struct rules_board *at[][READINGS_ALL];
};

const struct rules_board *room_board(struct core *c, const struct scenario *scn,
                                     const struct rules_readings *readings)
{
    unsigned bits = readings->turning | (unsigned)readings->melee << 1 |
                    (unsigned)readings->saves << 2 | (unsigned)readings->volley << 3 |
                    (unsigned)readings->roster << 4;
    size_t i = 0;

    if (memcmp(readings, &scn->board.readings, sizeof(*readings)) == 0)
        return &scn->board;
    while (i < c->scenarios->len && c->scenarios->item[i] != scn)
        i++;
    CHECK(i < c->scenarios->len && bits < READINGS_ALL);
    if (c->boards == NULL)
        c->boards = mem_zalloc(sizeof(*c->boards) + c->scenarios->len * sizeof(c->boards->at[0]));
    c->boards->n = c->scenarios->len;
    if (c->boards->at[i][bits] == NULL)
        c->boards->at[i][bits] = scenario_board_with(scn, readings);
    return c->boards->at[i][bits];
}

void boards_free(struct core *c)
{
    for (size_t i = 0; c->boards != NULL && i < c->boards->n; i++)
        for (size_t k = 0; k < READINGS_ALL; k++)
            mem_free(c->boards->at[i][k]);
    mem_free(c->boards);
    c->boards = NULL;
}

/* ---- life ---- */

struct room *room_new(struct match *m, const uint8_t id[MATCH_ID_LEN], uint32_t no)
{
    struct room *r = mem_zalloc(sizeof(*r));

    memcpy(r->id, id, sizeof(r->id));
    r->no = no;
    r->m = m;
    r->list = ROOMS_KINDS;
    r->timer.kind = TIMER_ROOM;
    r->away[0] = r->away[1] = (struct mono){INT64_MIN};
    return r;
}

void room_free(struct room *r)
{
    match_free(r->m);
    archived_fini(&r->own);
    mem_free(r->aside);
    mem_free(r);
}

const struct match_setup *room_setup(const struct room *r)
{
    return r->m != NULL ? match_setup_of(r->m) : r->aside;
}

static enum list_kind list_of(const struct room *r)
{
    if (r->m == NULL)
        return ROOMS_KINDS;
    switch (match_state(r->m)) {
    case MATCH_OPEN:
        return ROOMS_OPEN;
    case MATCH_SETUP:
    case MATCH_LIVE:
        return ROOMS_LIVE;
    case MATCH_OVER:
        return ROOMS_OVER;
    case MATCH_BROKEN:
        break;
    }
    return ROOMS_KINDS;
}

static bool has_clock(const struct room *r)
{
    return match_setup_of(r->m)->clock.kind != CLOCK_NONE;
}

/* Move it to the list of the state that it is in now. */
static void relist(struct core *c, struct room *r)
{
    enum list_kind to = list_of(r);

    if (to == r->list)
        return;
    if (r->list != ROOMS_KINDS)
        list_drop(&c->by_state[r->list], r);
    if (r->list == ROOMS_LIVE && has_clock(r))
        c->n_clocks--;
    r->list = (uint8_t)to;
    if (to == ROOMS_KINDS)
        return;
    if (to == ROOMS_OVER) {
        r->over_at = c->now;
        attic_wake(c);
    }
    list_add(&c->by_state[to], r);
    if (to == ROOMS_LIVE && has_clock(r))
        c->n_clocks++;
    if (to != ROOMS_OVER && (c->saver.pos == 0 || (to == ROOMS_LIVE && c->n_clocks == 1)))
        timer_arm(&c->timers, &c->saver, c->now);
}

/* A user takes a seat of the room, unless it has it already. */
static void seat_user(struct core *c, struct room *r, enum role role)
{
    struct user *u = user_find(c, match_name(r->m, role));

    if (u == NULL || r->seat[role] != NULL)
        return;
    r->seat[role] = u;
    user_add_seat(c, u, r, role);
    if (!user_is_online(u))
        r->away[role] = c->now;
}

static void end_challenge(struct core *c, struct room *r)
{
    struct user *u = r->challenged;

    r->challenged = NULL;
    if (u != NULL)
        user_drop_seat(c, u, r);
}

static void empty_seats(struct core *c, struct room *r)
{
    end_challenge(c, r);
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        struct user *u = r->seat[role];

        r->seat[role] = NULL;
        r->away[role] = (struct mono){INT64_MIN};
        if (u != NULL)
            user_drop_seat(c, u, r);
    }
}

/* When an open match has waited long enough; in served time, so that the wall clock doesn't count
 * and no downtime either. */
static struct mono open_end(const struct core *c, const struct room *r)
{
    const bool challenge = match_setup_of(r->m)->opponent[0] != '\0';
    const int64_t waited_ms = mono_since(core_now(c).served, match_touched_at(r->m));
    const int64_t days = challenge ? CHALLENGE_DAYS : OPEN_DAYS;

    return mono_after(c->now, MAX(days * DAY_MS - MAX(waited_ms, INT64_C(0)), INT64_C(0)));
}

void room_enter(struct core *c, struct room *r)
{
    map_put(&c->rooms, r);
    if (r->no > 0)
        list_add(&c->all, r);
    if (r->m == NULL) {
        c->n_aside++;
        return;
    }
    r->shown = match_visible_head(r->m, room_stranger);
    relist(c, r);
    if (r->list == ROOMS_OVER)
        return;
    seat_user(c, r, ROLE_A);
    seat_user(c, r, ROLE_B);
    if (r->list != ROOMS_OPEN)
        return;
    r->expires = open_end(c, r);
    if (match_setup_of(r->m)->opponent[0] != '\0') {
        r->challenged = user_find(c, match_setup_of(r->m)->opponent);
        if (r->challenged != NULL)
            user_add_seat(c, r->challenged, r, ROLE_COUNT);
    }
}

void room_leave(struct core *c, struct room *r)
{
    CHECK(r->list == ROOMS_OVER && r->players.n == 0 && r->watchers.n == 0 && r->pins == 0 &&
          r->gate.first == NULL);
    list_drop(&c->by_state[r->list], r);
    if (r->no > 0)
        list_drop(&c->all, r);
    CHECK(map_take(&c->rooms, r->id) == r);
    timer_disarm(&c->timers, &r->timer);
    room_free(r);
}

/* ---- what a stored transaction has done ---- */

struct shared *room_lines(struct core *c, struct room *r, uint32_t first, uint32_t n)
{
    struct buf *b = out_line(c);

    for (uint32_t seq = first; seq < first + n; seq++) {
        struct jsonw w = msg_note(b, NOTE_MATCH_EVENT);

        jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
        match_event_members(r->m, seq, &w);
        msg_note_end(&w);
    }
    return shared_new(b->data, b->len);
}

static void broadcast(struct core *c, struct room *r, const struct match_applied *ap)
{
    struct room_line l = {.to_players = true, .to_watchers = true};

    if (ap->n == 0 || (r->players.n == 0 && r->watchers.n == 0))
        return;
    l.line = room_lines(c, r, ap->first, ap->n);
    room_say(c, r, &l);
    shared_unref(l.line);
}

void room_ask(struct core *c, struct room *r, enum role role, struct conn *cn)
{
    struct match_request q;
    struct jsonw w;

    if (r->m == NULL || !match_request(r->m, &q) || (q.waiting >> role & 1) == 0)
        return;
    w = note_open(c, NOTE_MATCH_ROLL_REQUEST);
    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    jsonw_m_int(&w, "roll", q.n);
    jsonw_m_int(&w, "seq", q.seq);
    jsonw_m_hex(&w, "hash", q.hash, sizeof(q.hash));
    note_send(c, cn, &w);
    match_asked(r->m, role, core_now(c));
}

static void ask_seats(struct core *c, struct room *r, unsigned ask)
{
    for (int role = ROLE_A; role <= ROLE_B; role++)
        if ((ask >> role & 1) != 0 && r->seat[role] != NULL)
            for (struct conn *cn = r->seat[role]->conns; cn != NULL; cn = cn->user_next)
                room_ask(c, r, (enum role)role, cn);
}

static void applied(struct core *c, struct room *r, const struct match_applied *ap)
{
    broadcast(c, r, ap);
    if (ap->undo_to != 0)
        room_undone(c, r, ap->undo_to);
    room_show(c, r);
    relist(c, r);
    if (ap->joined) {
        end_challenge(c, r);
        seat_user(c, r, ROLE_B);
    }
    ask_seats(c, r, ap->ask);
    if (ap->over)
        empty_seats(c, r);
    if (ap->joined || ap->started || ap->over)
        room_tell_all_presence(c, r);
    if (ap->clock || ap->started || ap->over)
        room_tell_all_clock(c, r);
    if (ap->joined || ap->started || ap->turn || ap->over)
        lobby_match(c, r);
}

/* ---- the one road ---- */

static void answer_success(struct core *c, const struct pend *p)
{
    struct conn *cn = pend_conn(p);

    if (p->ask != NULL)
        admin_done(c, p->ask);
    if (cn == NULL)
        return;
    if (p->answer != NULL)
        p->answer(c, cn, p);
    else
        reply_empty(c, cn, &p->req);
}

static void answer_failure(struct core *c, const struct pend *p, enum err e)
{
    struct conn *cn = pend_conn(p);

    if (p->ask != NULL)
        admin_fail(c, p->ask, e, NULL);
    if (cn != NULL)
        reply_error(c, cn, &p->req.id, e, NULL);
}

static void on_new_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct room *r = p->room;
    bool ok = ev->u.stored.err == ERR_OK;
    struct match_applied ap;

    c->n_creating--;
    match_stored(r->m, ok, &ap);
    if (!ok) {
        answer_failure(c, p, ERR_STORAGE);
        room_free(r);
        return;
    }
    c->stats.stored++;
    room_enter(c, r);
    answer_success(c, p);
    lobby_match(c, r);
    room_settle(c, r);
}

void room_on_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct room *r = p->room;
    bool ok = ev->u.stored.err == ERR_OK;
    struct match_applied ap;

    match_stored(r->m, ok, &ap);
    club_stored(c, p->club, ok);
    p->club = NULL;
    if (ok) {
        c->stats.stored++;
        answer_success(c, p);
        applied(c, r, &ap);
    } else {
        answer_failure(c, p, ERR_STORAGE);
        r->retry = mono_after(c->now, STORE_RETRY_MS);
    }
    room_settle(c, r);
    gate_open(c, &r->gate);
}

void room_extended(struct core *c, struct room *r, bool ok)
{
    struct match_applied ap;

    r->txn = 0;
    match_stored(r->m, ok, &ap);
    if (ok)
        applied(c, r, &ap);
    else
        r->retry = mono_after(c->now, STORE_RETRY_MS);
    room_settle(c, r);
    gate_open(c, &r->gate);
}

static void fill_refusal(struct refusal *no, enum err e, const struct match_refusal *why)
{
    session_refuse(no, e, why->words[0] != '\0' ? why->words : NULL);
    if (why->field != NULL)
        session_refuse_field(no, why->field, why->words[0] != '\0' ? why->words : NULL);
    no->err = e;
    no->fault.rule = why->rule;
    no->fault.has_head = why->has_head;
    no->fault.head = why->head;
    no->fault.retry_ms = why->retry_ms;
}

enum verdict room_submit(struct core *c, struct conn *cn, struct msg_request *req,
                         const struct room_op *op, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    struct club_change *club = NULL;
    struct gate *busy;
    struct pend *p;

    if (op->err != ERR_OK) {
        fill_refusal(no, op->err, &op->step->no);
        match_step_fini(op->step);
        return REFUSED;
    }
    busy = op->step->n > 0 && !op->is_new ? club_plan(c, op->room, &ops, &club) : NULL;
    if (busy != NULL) {
        match_drop(op->room->m);
        match_step_fini(op->step);
        return session_hold(no, busy);
    }
    p = pend_new(c, cn, req, op->is_new ? on_new_stored : room_on_stored);
    p->club = club;
    p->is_new = op->is_new;
    p->room = op->room;
    p->is_new = op->is_new;
    p->answer = op->answer;
    p->seq = op->step->seq;
    p->offer_id = op->step->offer_id;
    if (op->step->n == 0) { /* done before: the same answer again */
        answer_success(c, p);
        pend_cancel(c, cn);
        match_step_fini(op->step);
        return SAID;
    }
    pend_pin(p, cn->user);
    if (op->sits && ops_user(&ops, cn->user))
        pend_has_row(p, cn->user);
    if (op->is_new)
        ops_meta(&ops, "next_no", c->next_no);
    ops_take(&ops, op->step);
    match_step_fini(op->step);
    out_store(c, p->id, &ops);
    return LATER;
}

enum verdict room_judge(struct core *c, struct admin_ask *a, const struct room_op *op,
                        struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    struct club_change *club = NULL;
    struct pend *p;

    if (op->err != ERR_OK) {
        fill_refusal(no, op->err, &op->step->no);
        match_step_fini(op->step);
        return REFUSED;
    }
    if (club_plan(c, op->room, &ops, &club) != NULL) {
        match_drop(op->room->m);
        match_step_fini(op->step);
        return HELD;
    }
    p = pend_new(c, NULL, NULL, room_on_stored);
    p->ask = a;
    p->club = club;
    p->room = op->room;
    op_audit(c, a, NULL, &ops);
    ops_take(&ops, op->step);
    match_step_fini(op->step);
    out_store(c, p->id, &ops);
    return LATER;
}
