/* SPDX-License-Identifier: ISC
 * game.c -- a game in play: the position and what may be taken back, R48. */
#include "common/rules/rules_internal.h"

#include <string.h>

void rules_game_begin(struct rules_game *g, const struct rules_board *b, struct rules_undo *undo,
                      uint32_t undo_cap)
{
    g->board = b;
    g->undo = undo;
    g->undo_cap = undo_cap;
    g->n_undo = 0;
    rules_begin(b, &g->state);
}

/* What everyone in `sq` is now. */
static void remember(const struct rules_game *g, struct rules_undo *u, uint16_t sq)
{
    u->at = sq;
    u->n = 0;
    for (unsigned f = 0; f < g->board->n_figures && u->n < RULES_STACK_MAX; f++) {
        if (g->state.at[f] != sq)
            continue;
        u->figure[u->n] = (uint8_t)f;
        u->face[u->n] = g->state.face[f];
        u->status[u->n] = g->state.status[f];
        u->rank[u->n] = g->state.rank[f];
        u->n++;
    }
}

/* Take `u` back in `s`. Those it moved stand last where they went, so nobody else's rank there
 * changes. */
static void restore(struct rules_state *s, const struct rules_undo *u)
{
    for (unsigned i = 0; i < u->n; i++) {
        unsigned f = u->figure[i];

        s->at[f] = u->at;
        s->face[f] = u->face[i];
        s->status[f] = u->status[i];
        s->rank[f] = u->rank[i];
        s->left_by[f] = RULES_NO_DIR;
    }
}

enum rules_err rules_game_decide(const struct rules_game *g, const struct rules_order *o,
                                 struct rules_dice *dice, struct rules_outcome *out)
{
    struct rules_event *ev;

    if (o->kind != RULES_DO_UNDO || g->n_undo == 0 || rules_is_over(&g->state) ||
        o->side != g->state.active)
        return rules_decide(g->board, &g->state, o, dice, out);
    if (out->n_events >= out->event_cap)
        return RULES_E_ROOM;
    ev = &out->event[out->n_events++];
    memset(ev, 0, sizeof(*ev));
    memset(&out->refusal, 0, sizeof(out->refusal));
    ev->kind = RULES_EV_UNDO;
    ev->u.undo.tag = g->undo[g->n_undo - 1].tag;
    return RULES_OK;
}

enum rules_err rules_game_apply(struct rules_game *g, uint32_t tag, const struct rules_event *ev,
                                const union rules_item *items)
{
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_MOVE:
    case RULES_EV_TURN:
        if (g->n_undo >= g->undo_cap)
            return RULES_E_ROOM;
        g->undo[g->n_undo].tag = tag;
        remember(g, &g->undo[g->n_undo],
                 ev->kind == RULES_EV_MOVE ? ev->u.move.from : ev->u.turn.at);
        g->n_undo++;
        break;
    case RULES_EV_UNDO:
        if (g->n_undo == 0 || g->undo[g->n_undo - 1].tag != ev->u.undo.tag)
            return RULES_E_ILLEGAL;
        g->n_undo--;
        restore(&g->state, &g->undo[g->n_undo]);
        return RULES_OK;
    case RULES_EV_INITIATIVE:
    case RULES_EV_PHASE:
    case RULES_EV_END_PHASE:
    case RULES_EV_END_TURN:
    case RULES_EV_ARRIVE:
    case RULES_EV_MORALE:
    case RULES_EV_FALL_BACK:
    case RULES_EV_VOLLEY:
    case RULES_EV_MELEE:
    case RULES_EV_OVER:
    case RULES_EV_COUNT:
        g->n_undo = 0; /* a die is rolled, the phase ends, or the game */
        break;
    }
    rules_apply(g->board, &g->state, ev, items);
    return RULES_OK;
}

void rules_game_base(const struct rules_game *g, struct rules_state *out)
{
    *out = g->state;
    for (uint32_t i = g->n_undo; i > 0; i--)
        restore(out, &g->undo[i - 1]);
}
