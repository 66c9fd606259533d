/* SPDX-License-Identifier: ISC
 * vacation.c -- days off, of a yearly allowance: correspondence clocks get as much time more.
 *
 * One transaction holds the member's row and all its correspondence games in play; a game that
 * begins later is given the rest when it is settled (room.c).
 */
#include "server/core/room.h"
#include "server/core/user.h"

enum { DAY_MS = 24 * 3600 * 1000 };

/* Calendar year (UTC): days since 1970 to civil, years beginning in March. */
static int64_t year_of(struct wall w)
{
    const int64_t days = w.ms / DAY_MS + 719468;
    const int64_t era = days / 146097;
    const int64_t day = days % 146097;
    const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const int64_t of_year = day - (365 * year + year / 4 - year / 100);

    return year + era * 400 + (of_year >= 306 ? 1 : 0);
}

static int64_t days_left(const struct core *c, const struct vacation *v)
{
    const int64_t taken = v->year == year_of(c->wall) ? v->days : 0;

    return MAX((int64_t)c->cfg.vacation_days - taken, INT64_C(0));
}

int64_t user_vacation_until_ms(const struct core *c, const struct user *u)
{
    const int64_t left = mono_since(user_account(u)->vacation.until, core_now(c).served);

    return left > 0 ? c->wall.ms + left : 0;
}

static void answer(struct core *c, struct conn *cn, const struct msg_request *req)
{
    struct jsonw w = reply_open(c, req);

    jsonw_obj(&w);
    jsonw_m_int(&w, "until_ms", user_vacation_until_ms(c, cn->user));
    jsonw_m_int(&w, "days_left", days_left(c, &user_account(cn->user)->vacation));
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
}

static void on_vacation_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    const bool ok = ev->u.stored.err == ERR_OK;
    struct conn *cn = pend_conn(p);
    struct user *u = p->user;
    struct seat *next;

    u->gate_shut = false;
    if (ok)
        user_own_account(u)->vacation = p->vacation;
    if (cn != NULL && ok)
        answer(c, cn, &p->req);
    else if (cn != NULL)
        reply_error(c, cn, &p->req.id, ERR_STORAGE, NULL);
    for (struct seat *s = u->seats; s != NULL; s = next) {
        next = s->next;
        if (s->room->txn == p->id)
            room_extended(c, s->room, ok);
    }
    gate_open(c, &u->gate);
}

/* The first of the user's games whose transaction is under way; NULL: none. */
static struct room *busy_room(const struct user *u)
{
    for (const struct seat *s = u->seats; s != NULL; s = s->next)
        if (s->role != ROLE_COUNT && match_is_pending(s->room->m))
            return s->room;
    return NULL;
}

/* The vacation as it will be. */
static struct vacation longer(const struct core *c, const struct user *u, int64_t days)
{
    const struct mono from = {MAX(user_account(u)->vacation.until.ms, core_now(c).served.ms)};
    const int64_t year = year_of(c->wall);

    return (struct vacation){
        .until = mono_after(from, days * DAY_MS),
        .year = year,
        .days =
            (user_account(u)->vacation.year == year ? user_account(u)->vacation.days : 0) + days};
}

static void extend_all(struct core *c, const struct pend *p, struct ops *ops)
{
    for (const struct seat *s = p->user->seats; s != NULL; s = s->next) {
        struct match_step st = {.n = 0};
        struct room *r = s->room;

        if (s->role == ROLE_COUNT ||
            !match_wants_extend(r->m, (enum role)s->role, p->vacation.until, core_now(c)))
            continue;
        CHECK(match_extend(r->m, (enum role)s->role, p->vacation.until, core_now(c), &st) ==
              ERR_OK);
        r->txn = p->id;
        ops_take(ops, &st);
        match_step_fini(&st);
    }
}

enum verdict on_player_vacation(struct core *c, struct conn *cn, struct msg_request *req,
                                struct refusal *no)
{
    struct user *u = cn->user;
    struct ops ops = {NULL, 0, 0};
    struct vacation old;
    struct room *busy;
    struct pend *p;

    if (u->kind == USER_GUEST)
        return session_refuse(no, ERR_DENIED, "guests have no vacation");
    if (u->gate_shut)
        return session_hold(no, &u->gate);
    if (req->p.days == 0) {
        answer(c, cn, req);
        return SAID;
    }
    if (req->p.days > days_left(c, &user_account(u)->vacation))
        return session_refuse(no, ERR_DENIED, "not so many vacation days are left this year");
    busy = busy_room(u);
    if (busy != NULL)
        return session_hold(no, &busy->gate);
    p = pend_new(c, cn, req, on_vacation_stored);
    pend_pin(p, u);
    p->vacation = longer(c, u, p->req.p.days);
    old = user_account(u)->vacation;
    user_own_account(u)->vacation =
        p->vacation; /* the row with the new one; it counts once stored */
    op_user_put(&ops, u);
    user_own_account(u)->vacation = old;
    extend_all(c, p, &ops);
    u->gate_shut = true;
    out_store(c, p->id, &ops);
    return LATER;
}
