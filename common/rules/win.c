/* SPDX-License-Identifier: ISC
 * win.c -- victory: R42, R43. */
#include "common/rules/rules_internal.h"

#include <string.h>

static bool soldiers_remain(const struct rules_board *b, const struct rules_state *s,
                            enum rules_side side)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        if (b->figure[f].side == side && rules_is_soldier((enum rules_type)b->figure[f].type) &&
            (rules_on_board(s, f) || s->status[f] == RULES_DUE))
            return true;
    return false;
}

static bool is_kill_met(const struct rules_board *b, const struct rules_state *s,
                        const struct rules_win *win)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        if (rules_in_set(win->figures, f) && s->status[f] != RULES_DEAD)
            return false;
    return true;
}

static bool is_exit_met(const struct rules_board *b, const struct rules_state *s,
                        const struct rules_win *win)
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++)
        n += rules_in_set(win->figures, f) && s->status[f] == RULES_LEFT &&
             s->left_by[f] == win->edge;
    return n >= win->count;
}

static bool is_reach_met(const struct rules_board *b, const struct rules_state *s,
                         const struct rules_win *win)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        for (unsigned i = 0; rules_in_set(win->figures, f) && i < win->n; i++)
            if (s->at[f] == b->list[win->list + i])
                return true;
    return false;
}

/* One of the side's soldiers, not routing, on `sq`? */
static bool is_held(const struct rules_board *b, const struct rules_state *s, enum rules_side side,
                    uint16_t sq)
{
    for (unsigned f = 0; f < b->n_figures; f++)
        if (s->at[f] == sq && b->figure[f].side == side && s->status[f] != RULES_ROUTING &&
            rules_is_soldier((enum rules_type)b->figure[f].type))
            return true;
    return false;
}

static bool is_hold_met(const struct rules_board *b, const struct rules_state *s,
                        enum rules_side side, const struct rules_win *win)
{
    if (win->turn != 0 && win->turn != s->turn)
        return false;
    for (unsigned i = 0; i < win->n; i++)
        if (!is_held(b, s, side, b->list[win->list + i]))
            return false;
    return true;
}

static bool is_baseline_met(const struct rules_board *b, const struct rules_state *s,
                            enum rules_side side)
{
    enum rules_dir edge = (enum rules_dir)b->side[rules_enemy(side)].home;
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++)
        n += b->figure[f].side == side && rules_is_soldier((enum rules_type)b->figure[f].type) &&
             rules_on_board(s, f) && s->status[f] != RULES_ROUTING &&
             rules_edge_distance(b, s->at[f], edge) == 0;
    return n * 2 >= b->side[side].soldiers;
}

/* Is any exit condition of the side met? */
static bool has_got_out(const struct rules_board *b, const struct rules_state *s,
                        enum rules_side side)
{
    for (unsigned i = 0; i < b->side[side].n_wins; i++)
        if (b->side[side].win[i].kind == RULES_WIN_EXIT && is_exit_met(b, s, &b->side[side].win[i]))
            return true;
    return false;
}

/* Is the condition true of this position? `survive` is looked at by its caller. */
static bool is_met(const struct rules_board *b, const struct rules_state *s, enum rules_side side,
                   const struct rules_win *win)
{
    switch ((enum rules_win_kind)win->kind) {
    case RULES_WIN_ELIMINATE:
        return !soldiers_remain(b, s, rules_enemy(side)) && !has_got_out(b, s, rules_enemy(side));
    case RULES_WIN_KILL:
        return is_kill_met(b, s, win);
    case RULES_WIN_EXIT:
        return is_exit_met(b, s, win);
    case RULES_WIN_HOLD:
        return is_hold_met(b, s, side, win);
    case RULES_WIN_BASELINE:
        return is_baseline_met(b, s, side);
    case RULES_WIN_REACH:
        return is_reach_met(b, s, win);
    case RULES_WIN_SURVIVE:
    case RULES_WIN_COUNT:
        break;
    }
    return false;
}

static bool is_at_once(enum rules_win_kind kind)
{
    return kind == RULES_WIN_ELIMINATE || kind == RULES_WIN_KILL || kind == RULES_WIN_EXIT ||
           kind == RULES_WIN_REACH;
}

/* R42: turn t has ended and no condition of another kind is met, of either side. */
static bool is_survive_met(const struct rules_board *b, const struct rules_state *s,
                           const struct rules_win *win)
{
    if (s->turn < win->turn)
        return false;
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        for (unsigned i = 0; i < b->side[side].n_wins; i++)
            if (is_met(b, s, (enum rules_side)side, &b->side[side].win[i]))
                return false;
    return true;
}

/* The side's first met condition of this instant; RULES_BY_NOTHING: none. */
static enum rules_reason first_met(const struct rules_board *b, const struct rules_state *s,
                                   enum rules_side side, bool at_once)
{
    for (unsigned i = 0; i < b->side[side].n_wins; i++) {
        const struct rules_win *win = &b->side[side].win[i];

        if (is_at_once((enum rules_win_kind)win->kind) != at_once)
            continue;
        if (win->kind == RULES_WIN_SURVIVE ? is_survive_met(b, s, win) : is_met(b, s, side, win))
            return (enum rules_reason)(RULES_BY_ELIMINATE + win->kind);
    }
    return RULES_BY_NOTHING;
}

static enum rules_err end_game(struct rules_ctx *c, enum rules_side winner,
                               enum rules_reason reason)
{
    struct rules_event ev;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_OVER;
    ev.u.over.winner = (uint8_t)winner;
    ev.u.over.reason = (uint8_t)reason;
    return rules_emit(c, &ev);
}

/* R43: one side's condition wins, both sides' at once draw. */
static enum rules_err judge(struct rules_ctx *c, bool at_once)
{
    enum rules_reason a = first_met(c->b, &c->s, RULES_A, at_once);
    enum rules_reason b = first_met(c->b, &c->s, RULES_B, at_once);

    if (a != RULES_BY_NOTHING && b != RULES_BY_NOTHING)
        return end_game(c, RULES_NOBODY, RULES_BY_DRAW);
    if (a != RULES_BY_NOTHING)
        return end_game(c, RULES_A, a);
    if (b != RULES_BY_NOTHING)
        return end_game(c, RULES_B, b);
    return RULES_OK;
}

enum rules_err rules_emit_judged(struct rules_ctx *c, const struct rules_event *ev)
{
    enum rules_err e = rules_emit(c, ev);

    return e != RULES_OK ? e : judge(c, true);
}

enum rules_err rules_win_end_of_turn(struct rules_ctx *c)
{
    enum rules_err e = judge(c, false);

    if (e != RULES_OK || rules_is_over(&c->s) || c->s.turn < c->b->turns)
        return e;
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        if (c->b->side[side].limit_winner)
            return end_game(c, (enum rules_side)side, RULES_BY_LIMIT);
    return end_game(c, RULES_NOBODY, RULES_BY_LIMIT);
}
