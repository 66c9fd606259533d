/* SPDX-License-Identifier: ISC
 * match_order.c -- orders: who may give one now, and what comes of it (PROTOCOL, Orders on the
 * wire).
 */
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/core/match_impl.h"

enum { ORDER_ID_CHARS = 32 };

enum err batch_order(struct match_batch *b, struct entry *e)
{
    struct match_core *c = b->core;
    struct rules_order *o = &e->u.order.order;
    enum rules_err r;

    if (core_roll_open(b->m, c) || core_dice_wanted(c) || c->clock.paused)
        return ERR_DATA;
    o->side = e->u.order.side;
    r = game_decide_diceless(&c->game, o, &b->ev);
    if (r != RULES_OK && r != RULES_E_DICE)
        return ERR_DATA;
    batch_put(b, e);
    c->phase_orders++;
    c->order_at = b->now.served;
    for (unsigned side = RULES_A; side <= RULES_B; side++) { /* made in another position */
        c->offers.id[side][OFFER_DRAW] = 0;
        c->offers.id[side][OFFER_UNDO] = 0;
    }
    if (r == RULES_OK) {
        batch_events(b, e->seq);
        return ERR_OK;
    }
    c->order_seq = e->seq;
    c->order = *o;
    memcpy(c->order_hash, c->hash, FD1_LEN);
    return ERR_OK;
}

/* It stands in an entry, which holds no control character. */
static bool id_is_good(const char *id)
{
    const size_t len = strlen(id);
    uint32_t cp = 0;

    if (!utf8_valid(id, len) || len == 0 || utf8_count(id, len) > ORDER_ID_CHARS)
        return false;
    for (size_t i = 0; i < len; i += utf8_decode(id + i, len - i, &cp)) {
        (void)utf8_decode(id + i, len - i, &cp);
        if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
            return false;
    }
    return true;
}

static enum err refuse_field(struct match_step *st, const char *field, const char *words)
{
    st->no.field = field;
    return refuse(st, ERR_PARAMS, words);
}

/* May this side give any order now? */
static enum err check_time(const struct match *m, enum rules_side side, const struct match_order *o,
                           struct match_step *st)
{
    const struct match_core *c = m->core;

    if (core_roll_open(m, c))
        return refuse(st, ERR_PHASE, "the dice of an order are still to come");
    if (core_dice_wanted(c))
        return refuse(st, ERR_PHASE, "new dice chains are being set up");
    if (c->clock.paused)
        return refuse(st, ERR_PHASE, "the game is paused");
    if (c->last_play > o->base) {
        st->no.has_head = true;
        st->no.head = c->head;
        return refuse(st, ERR_STALE, "the board has moved on since");
    }
    if (c->game.rules.state.active != side)
        return refuse(st, ERR_TURN, "it is the other side's phase");
    if (c->phase_orders >= MATCH_ORDERS_PHASE && o->order.kind != RULES_DO_END_PHASE)
        return refuse(st, ERR_PHASE, "too many orders in this phase: only end_phase is taken");
    return ERR_OK;
}

/* The rules' own word. `ev` is scratch. */
static enum err check_rules(const struct match *m, const struct rules_order *o,
                            struct game_events *ev, struct match_step *st)
{
    struct buf words = BUF_EMPTY;
    const struct rules_refusal *why = &ev->out.refusal;
    enum err e = ERR_ILLEGAL;

    if (game_decide_diceless(&m->core->game, o, ev) != RULES_E_ILLEGAL)
        return ERR_OK;
    refusal_words(m->setup.scenario, m->setup.board, why, &words);
    st->no.rule = rules_why_rule((enum rules_why)why->why);
    (void)refuse(st, e, buf_str(&words));
    buf_fini(&words);
    return e;
}

bool match_knows_order(const struct match *m, enum role role, const char *order_id)
{
    bool same = false;

    return m->core->started && ids_find(m, match_side(m, role), order_id, NULL, &same) != 0;
}

enum err match_order(struct match *m, enum role role, const struct match_order *o,
                     struct match_now now, struct match_step *st)
{
    const enum rules_side side = match_side(m, role);
    struct match_spare *spare = m->env->spare;
    struct game_events own = {0};
    struct entry e;
    bool same = false;
    enum err err;

    if (!id_is_good(o->order_id))
        return refuse_field(st, "order_id", "an order id has 1 to 32 characters");
    if (m->core->started) {
        st->seq = ids_find(m, side, o->order_id, &o->order, &same);
        if (st->seq != 0)
            return same ? ERR_OK : refuse(st, ERR_CONFLICT, "that id named another order");
    }
    if (o->base < 0 || o->base > m->core->head)
        return refuse_field(st, "base", "base lies above the head");
    err = refuse_unless_live(m, now, st);
    if (err == ERR_OK)
        err = check_time(m, side, o, st);
    if (err != ERR_OK)
        return err;
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_ORDER;
    e.u.order.side = (uint8_t)side;
    e.u.order.order_id = o->order_id;
    e.u.order.order = o->order;
    e.u.order.order.side = (uint8_t)side;
    err = check_rules(m, &e.u.order.order, spare != NULL ? &spare->ev : &own, st);
    game_events_fini(&own);
    if (err != ERR_OK)
        return err;
    st->seq = m->core->head + 1;
    return match_run(m, &e, now, st);
}
