/* SPDX-License-Identifier: ISC
 * session_umpire.c -- what an umpire may do to other people's matches.
 */
#include "server/core/room.h"
#include "server/core/user.h"

/* The act that a request asks for. REFUSED: *no says why not. */
static enum verdict read_act(const struct room *r, const struct msg_params *p,
                             struct match_umpire *u, struct refusal *no)
{
    *u = (struct match_umpire){.act = p->act, .winner = RULES_NOBODY, .reason = p->reason};
    if (p->winner == NULL)
        return SAID;
    if (u->act != ACT_ADJUDICATE)
        return session_refuse_field(no, "winner", "only adjudicate names a winner");
    u->winner = (uint8_t)scenario_side_find(match_setup_of(r->m)->scenario, p->winner);
    if (u->winner == RULES_NOBODY)
        return session_refuse_field(no, "winner", "no such side in this scenario");
    return SAID;
}

enum verdict on_match_umpire(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    struct match_umpire u;

    if (cn->user->role == USER_PLAIN)
        return session_refuse(no, ERR_DENIED, "only an umpire may do that");
    op.room = room_need(c, &req->p.match, no);
    if (op.room == NULL || read_act(op.room, &req->p, &u, no) != SAID)
        return REFUSED;
    if (room_role(op.room, cn->user) != ROLE_COUNT)
        return session_refuse(no, ERR_DENIED, "nobody is umpire of a match of their own");
    if (match_is_pending(op.room->m))
        return session_hold(no, &op.room->gate);
    u.by = cn->user->name;
    op.err = match_umpire(op.room->m, &u, core_now(c), &st);
    return room_submit(c, cn, req, &op, no);
}
