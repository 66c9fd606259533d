/* SPDX-License-Identifier: ISC
 * session_match.c -- matches made, joined, withdrawn.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/invite.h"
#include "server/core/room.h"
#include "server/core/user.h"

/* ---- match.create ---- */

/* Scenario, board and side as asked. */
static enum verdict read_scenario(struct core *c, const struct msg_params *p, struct match_setup *s,
                                  struct refusal *no)
{
    char why[SCENARIO_WHY_LEN];
    struct rules_readings readings;

    s->scenario = scenario_set_find(c->scenarios, p->scenario);
    if (s->scenario == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such scenario");
    s->side = RULES_NOBODY;
    if (strcmp(p->side, "random") != 0) {
        s->side = (uint8_t)scenario_side_find(s->scenario, p->side);
        if (s->side == RULES_NOBODY)
            return session_refuse_field(no, "side", "no such side in this scenario");
    }
    readings = s->scenario->board.readings;
    if (p->readings != NULL && readings_from_json(p->readings, &readings, why) != ERR_OK)
        return session_refuse_field(no, "readings", why);
    s->board = room_board(c, s->scenario, &readings);
    return SAID;
}

/* A rematch: a challenge to the same opponent with the sides swapped. */
static enum verdict read_rematch(struct core *c, const struct user *u, const struct msg_params *p,
                                 struct match_setup *s, struct refusal *no)
{
    const struct room *old = room_need(c, &p->rematch_of, no);
    const char *other;
    enum role role;

    if (old == NULL)
        return REFUSED;
    role = match_role_of(old->m, u->name);
    if (role == ROLE_COUNT)
        return session_refuse(no, ERR_DENIED, "you did not play that match");
    if (match_state(old->m) != MATCH_OVER)
        return session_refuse(no, ERR_PHASE, "that match is not over");
    other = match_name(old->m, role == ROLE_A ? ROLE_B : ROLE_A);
    if (other[0] == '\0')
        return session_refuse(no, ERR_PHASE, "nobody played that match with you");
    if (p->opponent != NULL && !str_ieq(p->opponent, other))
        return session_refuse_field(no, "opponent", "a rematch is with the same opponent");
    str_copy(s->opponent, sizeof(s->opponent), other);
    s->has_rematch = true;
    memcpy(s->rematch_of, old->id, sizeof(s->rematch_of));
    if (s->scenario == match_setup_of(old->m)->scenario && match_side(old->m, role) != RULES_NOBODY)
        s->side = (uint8_t)rules_enemy(match_side(old->m, role));
    return SAID;
}

static enum verdict read_opponent(struct core *c, const struct user *u, const struct msg_params *p,
                                  struct match_setup *s, struct refusal *no)
{
    const struct user *other;

    if (msg_has(p, MSG_F_REMATCH_OF) && read_rematch(c, u, p, s, no) != SAID)
        return REFUSED;
    if (s->opponent[0] == '\0' && p->opponent == NULL)
        return SAID;
    other = user_find(c, s->opponent[0] != '\0' ? s->opponent : p->opponent);
    if (other == NULL)
        return session_refuse(no, ERR_NOT_FOUND, "no such player");
    if (other == u)
        return session_refuse_field(no, "opponent", "you can't challenge yourself");
    if (s->rated && other->kind == USER_GUEST)
        return session_refuse(no, ERR_DENIED, "guests play unrated");
    str_copy(s->opponent, sizeof(s->opponent), other->name);
    return SAID;
}

static enum verdict read_setup(struct core *c, const struct user *u, const struct msg_params *p,
                               struct match_setup *s, struct refusal *no)
{
    char field[PLAY_WHY_LEN];
    const char *which;

    if (read_scenario(c, p, s, no) != SAID)
        return REFUSED;
    if (clock_rule_from_json(p->clock, &s->clock, field) != ERR_OK)
        return session_refuse_field(no, field, NULL);
    s->rated = p->rated;
    if (s->rated && u->kind == USER_GUEST)
        return session_refuse(no, ERR_DENIED, "guests play unrated");
    s->fair = msg_has(p, MSG_F_FAIR) ? p->fair : (uint8_t)match_default_fair(&s->clock, s->rated);
    s->watch = p->watch;
    s->is_private = p->priv;
    s->delay = p->delay;
    s->max_spectators = p->max_spectators;
    str_copy(s->maker, sizeof(s->maker), u->name);
    if (read_opponent(c, u, p, s, no) != SAID)
        return REFUSED;
    if (match_setup_check(s, &which) != ERR_OK)
        return session_refuse_field(no, which, NULL);
    if (s->is_private || s->watch == MSG_WATCH_INVITED)
        invite_letters(c, s->invite, INVITE_CODE_LEN);
    return SAID;
}

static void notify_challenged(struct core *c, const struct room *r)
{
    struct buf b = BUF_EMPTY;

    if (r->challenged == NULL)
        return;
    buf_printf(&b, "%s challenges you to %s: match %u.", match_setup_of(r->m)->maker,
               match_setup_of(r->m)->scenario->title, r->no);
    for (struct conn *cn = r->challenged->conns; cn != NULL; cn = cn->user_next) {
        struct jsonw w = note_open(c, NOTE_SERVER_NOTICE);

        jsonw_m_str(&w, "text", buf_str(&b));
        jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
        note_send(c, cn, &w);
    }
    buf_fini(&b);
}

static void answer_created(struct core *c, struct conn *cn, const struct pend *p)
{
    const struct room *r = p->room;
    struct jsonw w = reply_open(c, &p->req);

    c->stats.created[match_setup_of(r->m)->fair]++;
    jsonw_obj(&w);
    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    jsonw_m_int(&w, "no", r->no);
    if (match_setup_of(r->m)->invite[0] != '\0')
        jsonw_m_str(&w, "invite", match_setup_of(r->m)->invite);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
    notify_challenged(c, r);
}

enum verdict on_match_create(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct match_setup s = {.no = c->next_no};
    struct room_op op = {.step = &st, .answer = answer_created, .is_new = true, .sits = true};
    struct match *m;

    if (c->drain.pos != 0)
        return session_refuse(no, ERR_BUSY, "the server is about to stop: nothing new begins");
    if (c->by_state[ROOMS_OPEN].n + c->by_state[ROOMS_LIVE].n + c->n_creating >=
        (size_t)c->cfg.limits.max_matches)
        return session_refuse(no, ERR_BUSY, NULL);
    if (read_setup(c, cn->user, &req->p, &s, no) != SAID)
        return REFUSED;
    c->next_no++;
    drbg_bytes(&c->rng, s.id, sizeof(s.id));
    match_open(&s, &c->env, core_now(c), &m, &st);
    op.room = room_new(m, s.id, s.no);
    c->n_creating++;
    return room_submit(c, cn, req, &op, no);
}

/* ---- match.join, decline, cancel ---- */

static void answer_joined(struct core *c, struct conn *cn, const struct pend *p)
{
    const struct match_setup *s = match_setup_of(p->room->m);
    enum rules_side side = match_side(p->room->m, match_role_of(p->room->m, cn->user->name));
    struct jsonw w = reply_open(c, &p->req);

    jsonw_obj(&w);
    if (side == RULES_NOBODY)
        jsonw_m_null(&w, "side");
    else
        jsonw_m_str(&w, "side", s->scenario->side[side].id);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
}

bool room_invited(const struct room *r, const char *invite)
{
    const char *code = match_setup_of(r->m)->invite;

    return invite != NULL && code[0] != '\0' && strcmp(code, invite) == 0;
}

/* May this user take the free seat? */
static enum verdict check_join(const struct room *r, const struct user *u, const char *invite,
                               struct refusal *no)
{
    const struct match_setup *s = match_setup_of(r->m);

    if (room_role(r, u) != ROLE_COUNT)
        return SAID; /* the referee has its own words for these */
    if (s->opponent[0] != '\0') {
        if (!str_ieq(s->opponent, u->name))
            return session_refuse(no, ERR_DENIED, "this match is a challenge to somebody else");
    } else if (s->is_private && !room_invited(r, invite)) {
        return session_refuse(no, ERR_DENIED, "this match is private: its invite code is needed");
    }
    if (s->rated && u->kind == USER_GUEST)
        return session_refuse(no, ERR_DENIED, "guests play unrated");
    return SAID;
}

enum verdict on_match_join(struct core *c, struct conn *cn, struct msg_request *req,
                           struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st, .answer = answer_joined, .sits = true};

    if (c->drain.pos != 0)
        return session_refuse(no, ERR_BUSY, "the server is about to stop: nothing new begins");
    op.room = room_need(c, &req->p.match, no);
    if (op.room == NULL || check_join(op.room, cn->user, req->p.invite, no) != SAID)
        return REFUSED;
    if (match_is_pending(op.room->m))
        return session_hold(no, &op.room->gate);
    op.err = match_join(op.room->m, cn->user->name, core_now(c), &st);
    return room_submit(c, cn, req, &op, no);
}

enum verdict on_match_decline(struct core *c, struct conn *cn, struct msg_request *req,
                              struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};

    op.room = room_need(c, &req->p.match, no);
    if (op.room == NULL)
        return REFUSED;
    if (!str_ieq(match_setup_of(op.room->m)->opponent, cn->user->name))
        return session_refuse(no, ERR_DENIED, "this match is no challenge to you");
    if (match_is_pending(op.room->m))
        return session_hold(no, &op.room->gate);
    op.err = match_cancel(op.room->m, core_now(c), &st);
    return room_submit(c, cn, req, &op, no);
}

enum verdict on_match_cancel(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};

    op.room = room_need(c, &req->p.match, no);
    if (op.room == NULL)
        return REFUSED;
    if (room_role(op.room, cn->user) != ROLE_A)
        return session_refuse(no, ERR_DENIED, "only its maker may withdraw a match");
    if (match_is_pending(op.room->m))
        return session_hold(no, &op.room->gate);
    op.err = match_cancel(op.room->m, core_now(c), &st);
    return room_submit(c, cn, req, &op, no);
}
