/* SPDX-License-Identifier: ISC
 * state.c -- the position: its start, questions about it, and how each event changes it. */
#include "common/rules/rules_internal.h"

#include <string.h>

void rules_begin(const struct rules_board *b, struct rules_state *s)
{
    memset(s, 0, sizeof(*s));
    s->first = RULES_NOBODY;
    s->active = RULES_NOBODY;
    memset(s->wave_edge, RULES_NO_DIR, sizeof(s->wave_edge));
    for (unsigned f = 0; f < RULES_FIGURES_MAX; f++) {
        s->at[f] = RULES_NO_SQUARE;
        s->left_by[f] = RULES_NO_DIR;
        s->face[f] = RULES_NO_DIR;
    }
    for (unsigned f = 0; f < b->n_figures; f++) {
        s->face[f] = b->figure[f].face;
        s->status[f] = b->figure[f].at == RULES_NO_SQUARE ? RULES_DUE : RULES_READY;
        if (s->status[f] == RULES_READY) {
            s->rank[f] = (uint8_t)(rules_count_at(b, s, b->figure[f].at) + 1);
            s->at[f] = b->figure[f].at;
        }
    }
}

unsigned rules_count_at(const struct rules_board *b, const struct rules_state *s, uint16_t sq)
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++)
        n += s->at[f] == sq;
    return n;
}

unsigned rules_at(const struct rules_board *b, const struct rules_state *s, uint16_t sq,
                  uint8_t out[RULES_STACK_MAX])
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (s->at[f] != sq)
            continue;
        n++;
        if (s->rank[f] >= 1 && s->rank[f] <= RULES_STACK_MAX)
            out[s->rank[f] - 1] = (uint8_t)f;
    }
    return n;
}

bool rules_has_enemy(const struct rules_board *b, const struct rules_state *s, uint16_t sq,
                     enum rules_side side)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        if (s->at[f] == sq && b->figure[f].side != side)
            return true;
    return false;
}

bool rules_has_room(const struct rules_board *b, const struct rules_state *s, unsigned figure,
                    uint16_t sq, unsigned group)
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (s->at[f] != sq)
            continue;
        if (b->figure[f].type == RULES_WAGON || b->figure[figure].type == RULES_WAGON)
            return false; /* R17: a wagon has its square to itself */
        n++;
    }
    return n + group <= b->stack;
}

void rules_grid_build(const struct rules_board *b, const struct rules_state *s,
                      struct rules_grid *g)
{
    memset(g->first, 0xff, sizeof(g->first[0]) * rules_squares(b));
    for (unsigned rank = b->stack; rank >= 1; rank--)
        for (unsigned f = 0; f < b->n_figures; f++)
            if (s->at[f] != RULES_NO_SQUARE && s->rank[f] == rank) {
                g->next[f] = g->first[s->at[f]];
                g->first[s->at[f]] = (uint16_t)f;
            }
}

bool rules_can_act(const struct rules_board *b, const struct rules_state *s, unsigned figure)
{
    if (s->status[figure] != RULES_READY)
        return false;
    return b->figure[figure].type != RULES_WAGON || b->ground[s->at[figure]] == RULES_ROAD;
}

unsigned rules_killed(const struct rules_board *b, const struct rules_state *s,
                      enum rules_side side)
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++)
        n += b->figure[f].side == side && rules_is_soldier((enum rules_type)b->figure[f].type) &&
             s->status[f] == RULES_DEAD;
    return n;
}

unsigned rules_roster(const struct rules_board *b, const struct rules_state *s,
                      enum rules_side side)
{
    unsigned n = 0;

    if (b->readings.roster == 0)
        return b->side[side].soldiers;
    for (unsigned f = 0; f < b->n_figures; f++)
        n += b->figure[f].side == side && rules_is_soldier((enum rules_type)b->figure[f].type) &&
             s->status[f] != RULES_DUE;
    return n;
}

/* ---- applying events ---- */

/* Take `f` off its square; those behind it close up. */
static void lift(const struct rules_board *b, struct rules_state *s, unsigned f)
{
    uint16_t sq = s->at[f];
    uint8_t rank = s->rank[f];

    s->at[f] = RULES_NO_SQUARE;
    s->rank[f] = 0;
    if (b->stack == 1)
        return;
    for (unsigned g = 0; g < b->n_figures; g++)
        if (s->at[g] == sq && s->rank[g] > rank)
            s->rank[g]--;
}

/* Put `f` into `sq`, last in rank (R8). */
static void put(const struct rules_board *b, struct rules_state *s, unsigned f, uint16_t sq)
{
    s->rank[f] = b->stack == 1 ? 1 : (uint8_t)(rules_count_at(b, s, sq) + 1);
    s->at[f] = sq;
}

/* Off the board for good; `status` is dead or left. */
static void leave(const struct rules_board *b, struct rules_state *s, unsigned f,
                  enum rules_status status)
{
    if (rules_on_board(s, f))
        lift(b, s, f);
    s->status[f] = (uint8_t)status;
    s->fell[f] = 0;
}

/* R32: the side tests once half of its roster is killed, and from then on. */
static void count_killed(const struct rules_board *b, struct rules_state *s)
{
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        unsigned killed = rules_killed(b, s, (enum rules_side)side);

        if (killed > 0 && killed * 2 >= rules_roster(b, s, (enum rules_side)side))
            s->testing |= (uint8_t)(1U << side);
    }
}

static void apply_initiative(const struct rules_board *b, struct rules_state *s,
                             const struct rules_event *ev)
{
    s->turn = ev->u.initiative.turn;
    s->first = ev->u.initiative.first;
    s->active = ev->u.initiative.first;
    memset(s->fired, 0, sizeof(s->fired));
    for (unsigned f = 0; f < b->n_figures; f++)
        if (s->status[f] == RULES_ACTED || s->status[f] == RULES_HALTED ||
            s->status[f] == RULES_RETREATING)
            s->status[f] = RULES_READY;
}

static void apply_end_phase(const struct rules_board *b, struct rules_state *s, unsigned side)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        if (b->figure[f].side == side && s->status[f] == RULES_READY)
            s->status[f] = RULES_ACTED;
}

static void apply_arrive(const struct rules_board *b, struct rules_state *s,
                         const struct rules_event *ev, const union rules_item *items)
{
    const union rules_item *it = items + ev->u.arrive.item;

    for (unsigned i = 0; i < ev->u.arrive.n_placed; i++) {
        unsigned f = it[i].placed.figure;

        put(b, s, f, it[i].placed.at);
        s->face[f] = it[i].placed.face;
        s->status[f] = RULES_ACTED; /* R41: entering is its action */
    }
    if (b->wave[ev->u.arrive.wave].entry == RULES_ENTRY_TABLE)
        s->wave_edge[ev->u.arrive.wave] =
            ev->u.arrive.n_waiting > 0 ? ev->u.arrive.edge : (uint8_t)RULES_NO_DIR;
}

static void apply_morale(struct rules_state *s, const struct rules_event *ev)
{
    static const uint8_t status[] = {[RULES_STEADY] = RULES_READY,
                                     [RULES_HALT] = RULES_HALTED,
                                     [RULES_RETREAT] = RULES_RETREATING,
                                     [RULES_ROUT] = RULES_ROUTING};
    unsigned f = ev->u.morale.figure;

    s->status[f] = status[ev->u.morale.result];
    if (ev->u.morale.result == RULES_STEADY || ev->u.morale.result == RULES_HALT)
        s->fell[f] = 0;
}

static void apply_fall_back(const struct rules_board *b, struct rules_state *s,
                            const struct rules_event *ev)
{
    unsigned f = ev->u.fall_back.figure;

    s->face[f] = ev->u.fall_back.face;
    if (ev->u.fall_back.left) {
        leave(b, s, f, RULES_LEFT);
        s->left_by[f] = ev->u.fall_back.face;
        return;
    }
    s->fell[f] = 1;
    if (ev->u.fall_back.n > 0) {
        lift(b, s, f);
        put(b, s, f, ev->u.fall_back.path[ev->u.fall_back.n - 1]);
    }
}

static void apply_move(const struct rules_board *b, struct rules_state *s,
                       const struct rules_event *ev)
{
    uint16_t to = ev->u.move.n > 0 ? ev->u.move.path[ev->u.move.n - 1] : ev->u.move.from;

    for (unsigned i = 0; i < ev->u.move.n_figures; i++)
        lift(b, s, ev->u.move.figure[i]);
    for (unsigned i = 0; i < ev->u.move.n_figures; i++) {
        unsigned f = ev->u.move.figure[i];

        s->face[f] = ev->u.move.face;
        s->status[f] = RULES_ACTED;
        if (ev->u.move.left == RULES_NO_DIR) {
            put(b, s, f, to);
        } else {
            leave(b, s, f, RULES_LEFT);
            s->left_by[f] = ev->u.move.left;
        }
    }
}

static void apply_turn(const struct rules_board *b, struct rules_state *s,
                       const struct rules_event *ev)
{
    for (unsigned i = 0; i < ev->u.turn.n_figures; i++) {
        unsigned f = ev->u.turn.figure[i];

        s->face[f] = ev->u.turn.face;
        if (b->readings.turning == 0) /* R14, R50 */
            s->status[f] = RULES_ACTED;
    }
}

static void apply_volley(const struct rules_board *b, struct rules_state *s,
                         const struct rules_event *ev)
{
    for (unsigned i = 0; i < ev->u.volley.n; i++) {
        const struct rules_shot *shot = &ev->u.volley.shot[i];

        s->status[shot->figure] = RULES_ACTED;
        if (shot->killed)
            leave(b, s, shot->at, RULES_DEAD);
    }
    s->fired[ev->u.volley.square / 64] |= UINT64_C(1) << (ev->u.volley.square % 64);
    count_killed(b, s);
}

static void apply_melee(const struct rules_board *b, struct rules_state *s,
                        const struct rules_event *ev, const union rules_item *items)
{
    const union rules_item *killed = items + ev->u.melee.item + ev->u.melee.n_dice +
                                     ev->u.melee.n_pairings + ev->u.melee.n_saves;

    for (unsigned i = 0; i < ev->u.melee.n_killed; i++)
        leave(b, s, killed[i].figure, RULES_DEAD);
    count_killed(b, s);
}

void rules_apply(const struct rules_board *b, struct rules_state *s, const struct rules_event *ev,
                 const union rules_item *items)
{
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_INITIATIVE:
        apply_initiative(b, s, ev);
        break;
    case RULES_EV_PHASE:
        s->active = ev->u.phase.side;
        break;
    case RULES_EV_END_PHASE:
        apply_end_phase(b, s, ev->u.phase.side);
        break;
    case RULES_EV_END_TURN:
        break;
    case RULES_EV_ARRIVE:
        apply_arrive(b, s, ev, items);
        break;
    case RULES_EV_MORALE:
        apply_morale(s, ev);
        break;
    case RULES_EV_FALL_BACK:
        apply_fall_back(b, s, ev);
        break;
    case RULES_EV_MOVE:
        apply_move(b, s, ev);
        break;
    case RULES_EV_TURN:
        apply_turn(b, s, ev);
        break;
    case RULES_EV_UNDO: /* a game's: rules_game_apply */
        break;
    case RULES_EV_VOLLEY:
        apply_volley(b, s, ev);
        break;
    case RULES_EV_MELEE:
        apply_melee(b, s, ev, items);
        break;
    case RULES_EV_OVER:
        s->active = RULES_NOBODY;
        s->winner = ev->u.over.winner;
        s->reason = ev->u.over.reason;
        break;
    case RULES_EV_COUNT:
        break;
    }
}
