/* SPDX-License-Identifier: ISC
 * match_offer.c -- draw, pause and undo by agreement.
 *
 * A draw or undo is offered in a position and dies with the next order; a pause stands until it is
 * answered. An undo takes back the newest order that isn't taken back yet, its dice and all, by
 * replay; the roll stays spent. No R48 undo reaches behind it.
 */
#include "server/core/match_impl.h"

enum err batch_offer(struct match_batch *b, struct entry *e)
{
    struct match_offers *o = &b->core->offers;

    if (e->u.offer.id != o->last + 1 || o->id[e->u.offer.side][e->u.offer.offer] != 0)
        return ERR_DATA;
    batch_put(b, e);
    o->last = e->u.offer.id;
    o->id[e->u.offer.side][e->u.offer.offer] = e->u.offer.id;
    return ERR_OK;
}

/* Whose open offer is it, and what? False: it isn't open. */
static bool find_offer(const struct match_offers *o, uint32_t id, enum rules_side *side,
                       enum offer_kind *kind)
{
    for (unsigned s = RULES_A; s <= RULES_B; s++) {
        for (unsigned k = 0; k < MATCH_OFFER_KINDS; k++) {
            if (id == 0 || o->id[s][k] != id)
                continue;
            *side = (enum rules_side)s;
            *kind = (enum offer_kind)k;
            return true;
        }
    }
    return false;
}

static enum err agree_undo(struct match_batch *b)
{
    struct rules_state before;
    struct entry e;
    enum rules_side giver;
    const uint32_t seq = replay_newest(b->m, &giver);

    if (seq == 0 || core_roll_open(b->m, b->core) || replay_before(b->m, seq, &before) != ERR_OK)
        return ERR_DATA;
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_PLAY;
    e.u.play.event.kind = RULES_EV_UNDO;
    e.u.play.event.u.undo.tag = seq;
    batch_put(b, &e);
    if (before.active != b->core->game.rules.state.active)
        b->core->phase_orders = 0;
    game_set_state(&b->core->game, &before);
    memset(b->core->offers.id, 0, sizeof(b->core->offers.id));
    b->state_changed = true;
    b->applied.turn = true;
    b->applied.undo_to = seq - 1;
    return ERR_OK;
}

static enum err agree(struct match_batch *b, enum rules_side side, enum offer_kind kind)
{
    struct match_clocks *clock = &b->core->clock;
    const char *by = side_id(b->m, side);

    switch (kind) {
    case OFFER_DRAW:
        batch_over(b, RULES_NOBODY, RULES_BY_DRAW);
        return ERR_OK;
    case OFFER_UNDO:
        return agree_undo(b);
    case OFFER_PAUSE:
        break;
    }
    b->core->offers.id[RULES_A][OFFER_PAUSE] = 0;
    b->core->offers.id[RULES_B][OFFER_PAUSE] = 0;
    batch_want_pause(b, !clock->paused, by);
    return ERR_OK;
}

enum err batch_answer(struct match_batch *b, struct entry *e)
{
    enum rules_side side;
    enum offer_kind kind;

    if (!find_offer(&b->core->offers, e->u.answer.id, &side, &kind) || side == e->u.answer.side)
        return ERR_DATA;
    batch_put(b, e);
    b->core->offers.id[side][kind] = 0;
    return e->u.answer.accept ? agree(b, side, kind) : ERR_OK;
}

/* An undo is the giver's of the newest order to ask for. */
static enum err check_undo(const struct match *m, enum rules_side side, struct match_step *st)
{
    enum rules_side giver;

    if (m->setup.rated)
        return refuse(st, ERR_DENIED, "nothing is taken back in a rated game");
    if (core_roll_open(m, m->core) || core_dice_wanted(m->core))
        return refuse(st, ERR_PHASE, "not while a roll is open");
    if (replay_newest(m, &giver) == 0)
        return refuse(st, ERR_PHASE, "there is no order to take back");
    if (giver != side)
        return refuse(st, ERR_DENIED, "only who gave the newest order may ask to take it back");
    return ERR_OK;
}

enum err match_offer(struct match *m, enum role role, enum offer_kind kind, struct match_now now,
                     struct match_step *st)
{
    const enum rules_side side = match_side(m, role);
    struct entry e;
    enum err err = refuse_unless_live(m, now, st);

    if (err == ERR_OK && kind == OFFER_UNDO)
        err = check_undo(m, side, st);
    if (err != ERR_OK)
        return err;
    st->offer_id = m->core->offers.id[side][kind];
    if (st->offer_id != 0)
        return ERR_OK;
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_OFFER;
    e.u.offer.id = m->core->offers.last + 1;
    e.u.offer.side = (uint8_t)side;
    e.u.offer.offer = (uint8_t)kind;
    st->offer_id = e.u.offer.id;
    return match_run(m, &e, now, st);
}

enum err match_answer(struct match *m, enum role role, const struct match_answer *a,
                      struct match_now now, struct match_step *st)
{
    const enum rules_side side = match_side(m, role);
    enum rules_side from;
    enum offer_kind kind;
    struct entry e;
    enum err err = refuse_unless_live(m, now, st);

    if (err != ERR_OK)
        return err;
    if (a->offer_id == 0 || a->offer_id > m->core->offers.last)
        return refuse(st, ERR_NOT_FOUND, "no such offer");
    if (!find_offer(&m->core->offers, a->offer_id, &from, &kind)) {
        st->no.has_head = true;
        st->no.head = m->core->head;
        return refuse(st, ERR_STALE, "that offer is no longer open");
    }
    if (from == side)
        return refuse(st, ERR_DENIED, "that is your own offer");
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_ANSWER;
    e.u.answer.id = a->offer_id;
    e.u.answer.side = (uint8_t)side;
    e.u.answer.accept = a->accept;
    return match_run(m, &e, now, st);
}
