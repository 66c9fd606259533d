/* SPDX-License-Identifier: ISC
 * session_play.c -- what a seat may do in its match.
 */
#include "common/base/str.h"
#include "server/core/room.h"

/* The match that the request names and the caller's seat in it. NULL: *v says what to return. */
static struct room *need_seat(struct core *c, const struct conn *cn, const struct msg_request *req,
                              struct refusal *no, enum verdict *v)
{
    struct room *r = room_need(c, &req->p.match, no);

    *v = REFUSED;
    if (r == NULL)
        return NULL;
    if (room_role(r, cn->user) == ROLE_COUNT) {
        session_refuse(no, ERR_DENIED, "you have no seat in this match");
        return NULL;
    }
    if (match_is_pending(r->m)) {
        *v = session_hold(no, &r->gate);
        return NULL;
    }
    return r;
}

/* Nothing but the id is looked at once the entry is stored, and a tree is many times as large. */
static enum verdict submit(struct core *c, struct conn *cn, struct msg_request *req,
                           const struct room_op *op, struct refusal *no)
{
    const enum verdict v = room_submit(c, cn, req, op, no);

    if (v == LATER)
        msg_keep_id(&cn->pend->req);
    return v;
}

enum verdict on_match_anchor(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    struct match_anchor a = {.generation = req->p.generation};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    memcpy(a.anchor, req->p.anchor, sizeof(a.anchor));
    op.err = match_anchor(op.room->m, room_role(op.room, cn->user), &a, core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

enum verdict on_match_share(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct match_share share;
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    share.roll = req->p.roll;
    memcpy(share.share, req->p.share, FD1_LEN);
    op.err = match_share(op.room->m, room_role(op.room, cn->user), &share, core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

static void answer_order(struct core *c, struct conn *cn, const struct pend *p)
{
    struct jsonw w = reply_open(c, &p->req);

    c->stats.orders++;
    hist_add(&c->stats.order_ack, (uint64_t)mono_since(c->now, cn->asked) * 1000);
    jsonw_obj(&w);
    jsonw_m_int(&w, "seq", p->seq);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
}

enum verdict on_match_order(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st, .answer = answer_order};
    struct match_order o = {.order_id = req->p.order_id, .base = req->p.base};
    char field[PLAY_WHY_LEN];
    enum verdict v;
    enum role role;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    role = room_role(op.room, cn->user);
    if (order_from_json(req->p.order, match_setup_of(op.room->m)->scenario, &o.order, field) !=
        ERR_OK) {
        if (match_knows_order(op.room->m, role, o.order_id))
            return session_refuse(no, ERR_CONFLICT, "that id named another order");
        return session_refuse_field(no, field, NULL);
    }
    op.err = match_order(op.room->m, role, &o, core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

enum verdict on_match_resign(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    op.err = match_resign(op.room->m, room_role(op.room, cn->user), core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

enum verdict on_match_claim(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    op.err = match_claim(op.room->m, room_role(op.room, cn->user), core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

static void answer_offer(struct core *c, struct conn *cn, const struct pend *p)
{
    struct jsonw w = reply_open(c, &p->req);

    jsonw_obj(&w);
    jsonw_m_int(&w, "offer_id", p->offer_id);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
}

enum verdict on_match_offer(struct core *c, struct conn *cn, struct msg_request *req,
                            struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st, .answer = answer_offer};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    op.err = match_offer(op.room->m, room_role(op.room, cn->user), (enum offer_kind)req->p.offer,
                         core_now(c), &st);
    return submit(c, cn, req, &op, no);
}

enum verdict on_match_answer(struct core *c, struct conn *cn, struct msg_request *req,
                             struct refusal *no)
{
    struct match_step st = {.n = 0};
    struct room_op op = {.step = &st};
    const struct match_answer a = {.offer_id = req->p.offer_id, .accept = req->p.accept};
    enum verdict v;

    op.room = need_seat(c, cn, req, no, &v);
    if (op.room == NULL)
        return v;
    op.err = match_answer(op.room->m, room_role(op.room, cn->user), &a, core_now(c), &st);
    return submit(c, cn, req, &op, no);
}
