/* SPDX-License-Identifier: ISC */
#include "server/core/club.h"

#include "common/base/mem.h"
#include "server/core/room.h"
#include "server/core/user.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

/* Standings as they will be; the core's own are busy meanwhile. */
struct club_change {
    struct standing *seat[2]; /* by role; NULL: nobody sat there */
    struct sides *sides;      /* NULL: not rated */
};

void club_change_free(struct club_change *ch)
{
    if (ch == NULL)
        return;
    standing_free(ch->seat[ROLE_A]);
    standing_free(ch->seat[ROLE_B]);
    mem_free(ch->sides);
    mem_free(ch);
}

/* A copy to change, or a beginner's. */
static struct standing *draft_of(const struct core *c, const char *name)
{
    const struct standing *s = standing_find(c, name);

    return s != NULL ? standing_copy(s) : standing_new(name);
}

/* ---- what counts ---- */

/* Did somebody win, or both draw? Void games, and games that both left, have no result. */
static bool has_result(const struct match_ending *end)
{
    return end->started && end->reason != RULES_BY_VOID &&
           !(end->reason == RULES_BY_ABANDON && end->winner == RULES_NOBODY);
}

static bool is_member(const struct core *c, const char *name)
{
    const struct user *u = user_find(c, name);

    return u != NULL && u->kind == USER_MEMBER;
}

/* Rated from the first order on. */
static bool is_rated(const struct core *c, const struct room *r, const struct match_ending *end)
{
    const struct match_setup *s = match_setup_of(r->m);

    return s->rated && s->fair != FAIR_SERVER && end->played && has_result(end) &&
           is_member(c, match_name(r->m, ROLE_A)) && is_member(c, match_name(r->m, ROLE_B));
}

static double score_of(const struct match_ending *end, enum rules_side side)
{
    if (end->winner == RULES_NOBODY)
        return 0.5;
    return end->winner == side ? 1.0 : 0.0;
}

static void count_result(struct standing *s, double score)
{
    s->won += score > 0.75;
    s->lost += score < 0.25;
    s->drawn += score > 0.25 && score < 0.75;
}

/* ---- ratings ---- */

/* The empty rating periods since its last game. */
static void catch_up(const struct core *c, struct standing *s)
{
    if (s->rated > 0)
        rating_idle(&s->rating, (c->wall.ms - s->rated_at) / (RATING_IDLE_PERIOD * DAY_MS));
}

/*
 * A side's opponent is the other side, as much stronger or weaker as its player is than this
 * side's: what is left is the scenario's own slope.
 */
static void rate_sides(const struct club_change *ch, const struct rating player[2],
                       const struct match_ending *end)
{
    struct sides *s = ch->sides;
    const struct rating before[2] = {s->side[0], s->side[1]};

    for (int side = RULES_A; side <= RULES_B; side++) {
        const int other = 1 - side;
        struct rating_game g = {before[other], score_of(end, (enum rules_side)side)};

        g.opponent.rating += player[other].rating - player[side].rating;
        g.opponent.deviation =
            MIN(g.opponent.deviation + player[other].deviation, RATING_START_DEV);
        rating_period(&s->side[side], &g, 1);
    }
    if (end->winner == RULES_NOBODY)
        s->drawn++;
    else
        s->won[end->winner]++;
}

static void rate(struct core *c, const struct room *r, struct club_change *ch,
                 const struct match_ending *end)
{
    struct rating before[2]; /* by side */
    const struct sides *known = sides_find(c, match_setup_of(r->m)->scenario->id);

    for (int role = ROLE_A; role <= ROLE_B; role++) {
        catch_up(c, ch->seat[role]);
        before[match_side(r->m, (enum role)role)] = ch->seat[role]->rating;
    }
    ch->sides = known != NULL ? mem_dup(known, sizeof(*known))
                              : sides_new(match_setup_of(r->m)->scenario->id);
    ch->sides->gate = (struct gate){NULL, NULL};
    ch->sides->busy = false;
    rate_sides(ch, before, end);
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        struct standing *s = ch->seat[role];
        const enum rules_side side = match_side(r->m, (enum role)role);
        const struct rating_game g = {before[rules_enemy(side)], score_of(end, side)};
        struct standing_past past = {.ts = c->wall.ms};

        rating_period(&s->rating, &g, 1);
        s->rated++;
        s->rated_at = c->wall.ms;
        past.rating = rating_shown(s->rating.rating);
        memcpy(past.match, r->id, MATCH_ID_LEN);
        standing_add_past(s, &past);
    }
}

/* ---- the change ---- */

static void count_waiting(const struct room *r, struct club_change *ch,
                          const struct match_ending *end)
{
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        const char *other = match_name(r->m, role == ROLE_A ? ROLE_B : ROLE_A);

        if ((end->owed >> role & 1) != 0)
            standing_pair_of(ch->seat[role], other)->owed++;
        if (end->started && end->reason == RULES_BY_ABANDON && end->winner != RULES_NOBODY &&
            match_side(r->m, (enum role)role) != (enum rules_side)end->winner)
            standing_pair_of(ch->seat[role], other)->left++;
    }
}

static struct club_change *draft(struct core *c, const struct room *r,
                                 const struct match_ending *end)
{
    struct club_change *ch = mem_zalloc(sizeof(*ch));

    for (int role = ROLE_A; role <= ROLE_B; role++)
        ch->seat[role] = draft_of(c, match_name(r->m, (enum role)role));
    count_waiting(r, ch, end);
    if (is_rated(c, r, end))
        rate(c, r, ch, end);
    if (has_result(end))
        for (int role = ROLE_A; role <= ROLE_B; role++)
            count_result(ch->seat[role], score_of(end, match_side(r->m, (enum role)role)));
    return ch;
}

static struct gate *who_is_busy(struct core *c, const struct room *r)
{
    struct sides *sides = sides_find(c, match_setup_of(r->m)->scenario->id);

    for (int role = ROLE_A; role <= ROLE_B; role++) {
        struct standing *s = standing_find(c, match_name(r->m, (enum role)role));

        if (s != NULL && s->busy)
            return &s->gate;
    }
    return sides != NULL && sides->busy ? &sides->gate : NULL;
}

/* What the core knows under that key is busy; somebody new is entered as a beginner. */
static void hold(struct core *c, const struct club_change *ch)
{
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        if (standing_find(c, ch->seat[role]->name) == NULL)
            standing_enter(c, standing_new(ch->seat[role]->name));
        standing_find(c, ch->seat[role]->name)->busy = true;
    }
    if (ch->sides == NULL)
        return;
    if (sides_find(c, ch->sides->key) == NULL)
        sides_enter(c, sides_new(ch->sides->key));
    sides_find(c, ch->sides->key)->busy = true;
}

struct gate *club_plan(struct core *c, const struct room *r, struct ops *o,
                       struct club_change **out)
{
    struct match_ending end;
    struct gate *busy;

    *out = NULL;
    if (!match_ending(r->m, &end) || match_name(r->m, ROLE_B)[0] == '\0' ||
        (!has_result(&end) && end.owed == 0))
        return NULL;
    busy = who_is_busy(c, r);
    if (busy != NULL)
        return busy;
    *out = draft(c, r, &end);
    hold(c, *out);
    for (int role = ROLE_A; role <= ROLE_B; role++)
        op_standing_put(o, (*out)->seat[role]);
    if ((*out)->sides != NULL)
        op_sides_put(o, (*out)->sides);
    return NULL;
}

void club_stored(struct core *c, struct club_change *ch, bool ok)
{
    if (ch == NULL)
        return;
    for (int role = ROLE_A; role <= ROLE_B; role++) {
        if (ok)
            standing_enter(c, ch->seat[role]);
        else
            standing_release(c, standing_find(c, ch->seat[role]->name));
    }
    if (ch->sides != NULL && ok)
        sides_enter(c, ch->sides);
    else if (ch->sides != NULL)
        sides_release(c, sides_find(c, ch->sides->key));
    if (ok) {
        ch->seat[ROLE_A] = ch->seat[ROLE_B] = NULL;
        ch->sides = NULL;
    }
    club_change_free(ch);
}
