/* SPDX-License-Identifier: ISC
 * game.c -- a rules_game with the room it needs.
 */
#include "proto/game.h"

#include "common/base/mem.h"

#define UNDO_HINT 16

void game_init(struct game *g, const struct rules_board *b)
{
    rules_game_begin(&g->rules, b, mem_array(UNDO_HINT, sizeof(struct rules_undo)), UNDO_HINT);
}

void game_fini(struct game *g)
{
    mem_free(g->rules.undo);
    *g = (struct game){0};
}

void game_set_state(struct game *g, const struct rules_state *s)
{
    g->rules.state = *s;
    g->rules.n_undo = 0;
}

/* At least the given room; what is there is forgotten. */
static void reserve(struct rules_outcome *o, uint32_t events, uint32_t items)
{
    if (o->event_cap < events) {
        o->event = mem_resize(o->event, events, sizeof(*o->event));
        o->event_cap = events;
    }
    if (o->item_cap < items) {
        o->item = mem_resize(o->item, items, sizeof(*o->item));
        o->item_cap = items;
    }
}

enum rules_err game_decide(const struct game *g, const struct rules_order *o,
                           struct rules_dice *dice, struct game_events *ev)
{
    enum rules_err e;

    reserve(&ev->out, RULES_EVENTS_HINT, RULES_ITEMS_HINT);
    for (;;) {
        ev->out.n_events = 0;
        ev->out.n_items = 0;
        e = rules_game_decide(&g->rules, o, dice, &ev->out);
        if (e != RULES_E_ROOM)
            return e;
        reserve(&ev->out, ev->out.event_cap * 2, ev->out.item_cap * 2);
    }
}

enum rules_err game_decide_diceless(const struct game *g, const struct rules_order *o,
                                    struct game_events *ev)
{
    static const uint8_t none;
    struct rules_dice dice = {&none, 0, 0};

    return game_decide(g, o, &dice, ev);
}

enum rules_err game_apply(struct game *g, uint32_t tag, const struct rules_event *ev,
                          const union rules_item *items)
{
    for (;;) {
        const enum rules_err e = rules_game_apply(&g->rules, tag, ev, items);

        if (e != RULES_E_ROOM)
            return e;
        g->rules.undo_cap *= 2;
        g->rules.undo = mem_resize(g->rules.undo, g->rules.undo_cap, sizeof(*g->rules.undo));
    }
}

void game_apply_all(struct game *g, uint32_t tag, const struct game_events *ev)
{
    for (uint32_t i = 0; i < ev->out.n_events; i++)
        CHECK(game_apply(g, tag, &ev->out.event[i], ev->out.item) == RULES_OK);
}

void game_hash(const struct game *g, uint8_t out[RULES_HASH_LEN])
{
    rules_hash(g->rules.board, &g->rules.state, out);
}

void game_events_fini(struct game_events *ev)
{
    mem_free(ev->out.event);
    mem_free(ev->out.item);
    *ev = (struct game_events){0};
}
