/* SPDX-License-Identifier: ISC
 * room_settle.c -- what a match wants by itself: whom it waits for, when, and its end by time.
 */
#include "server/core/club.h"
#include "server/core/room.h"
#include "server/core/user.h"

enum { BUSY_RETRY_MS = 10, DAY_MS = 24 * 3600 * 1000 };

/* Tell the referee which seats are online, where that has changed. */
static void tell_seen(struct core *c, struct room *r)
{
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        bool online = user_is_online(r->seat[role]);

        if (r->seat[role] == NULL || online == r->told[role])
            continue;
        r->told[role] = online;
        match_seen(r->m, (enum role)role, online, core_now(c));
    }
}

/* When an open match ends by itself: nobody came, or a guest who made it is gone for a day. */
static struct mono open_until(const struct room *r)
{
    const struct user *maker = r->seat[ROLE_A];
    struct mono at = {INT64_MAX};

    if (r->list != ROOMS_OPEN)
        return at;
    at = r->expires;
    if (maker != NULL && maker->kind == USER_GUEST && r->away[ROLE_A].ms != INT64_MIN)
        at.ms = MIN(at.ms, r->away[ROLE_A].ms + DAY_MS);
    return at;
}

static void arm(struct core *c, struct room *r, struct mono at)
{
    at.ms = MIN(at.ms, open_until(r).ms);
    if (r->presence_due && r->presence_at.ms < at.ms)
        at = r->presence_at;
    if (at.ms == INT64_MAX) {
        timer_disarm(&c->timers, &r->timer);
        return;
    }
    at.ms = MAX(at.ms, c->now.ms + 1); /* what is due was just tried: not again in this step */
    timer_arm(&c->timers, &r->timer, at);
}

/* What the referee, or an open match's end, wants now. False: nothing. */
static bool is_wanted(struct core *c, struct room *r, struct match_step *st)
{
    if (mono_reached(c->now, open_until(r)))
        return match_cancel(r->m, core_now(c), st) == ERR_OK && st->n > 0;
    for (int role = ROLE_A; role <= ROLE_B; role++) { /* a game that began during a vacation */
        const struct user *u = r->seat[role];

        if (u != NULL &&
            match_wants_extend(r->m, (enum role)role, user_account(u)->vacation.until, core_now(c)))
            return match_extend(r->m, (enum role)role, user_account(u)->vacation.until, core_now(c),
                                st) == ERR_OK &&
                   st->n > 0;
    }
    return match_next(r->m, core_now(c), st);
}

void room_settle(struct core *c, struct room *r)
{
    struct match_step st = {.n = 0};
    struct ops ops = {NULL, 0, 0};
    struct club_change *club = NULL;
    struct mono at;
    struct pend *p;

    if (r->m == NULL || match_is_pending(r->m) || core_rests(c))
        return;
    tell_seen(c, r);
    if (!mono_reached(c->now, r->retry)) {
        timer_arm(&c->timers, &r->timer, r->retry);
        return;
    }
    if (!is_wanted(c, r, &st)) {
        at = match_deadline(r->m);
        if (at.ms != INT64_MAX)
            at.ms += c->born.ms - c->served_ms;
        arm(c, r, at);
        return;
    }
    if (club_plan(c, r, &ops, &club) != NULL) { /* another match of theirs is just ending */
        match_drop(r->m);
        match_step_fini(&st);
        r->retry = mono_after(c->now, BUSY_RETRY_MS);
        timer_arm(&c->timers, &r->timer, r->retry);
        return;
    }
    p = pend_new(c, NULL, NULL, room_on_stored);
    p->room = r;
    p->club = club;
    ops_take(&ops, &st);
    match_step_fini(&st);
    out_store(c, p->id, &ops);
}

void room_timer(struct core *c, struct room *r)
{
    if (r->presence_due && mono_reached(c->now, r->presence_at))
        room_tell_all_presence(c, r);
    if (r->m != NULL && match_is_pending(r->m))
        arm(c, r, (struct mono){INT64_MAX}); /* settled when it is stored */
    else
        room_settle(c, r);
}

void room_presence(struct core *c, struct room *r)
{
    for (int role = ROLE_A; role <= ROLE_B; role++)
        if (user_is_online(r->seat[role]))
            r->away[role] = (struct mono){INT64_MIN};
        else if (r->seat[role] != NULL && r->away[role].ms == INT64_MIN)
            r->away[role] = c->now;
    room_tell_all_presence(c, r);
    room_settle(c, r);
}
