/* SPDX-License-Identifier: ISC
 * progress.c -- victory conditions, counted.
 */
#include "client/tui/progress.h"

struct count {
    unsigned done, all;
};

static bool is_named(const struct rules_win *w, unsigned f)
{
    return (w->figures[f / 64] >> (f % 64) & 1) != 0;
}

static bool is_steady_soldier(const struct rules_board *b, const struct rules_state *s, unsigned f)
{
    return rules_is_soldier((enum rules_type)b->figure[f].type) && s->at[f] != RULES_NO_SQUARE &&
           s->status[f] != RULES_ROUTING;
}

/* Soldiers of the other side that are on the board or due. */
static unsigned enemies_left(const struct rules_board *b, const struct rules_state *s,
                             enum rules_side side)
{
    unsigned n = 0;

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side != side && rules_is_soldier((enum rules_type)b->figure[f].type) &&
            (s->at[f] != RULES_NO_SQUARE || s->status[f] == RULES_DUE))
            n++;
    }
    return n;
}

static struct count held(const struct rules_board *b, const struct rules_state *s,
                         enum rules_side side, const struct rules_win *w)
{
    struct count c = {0, w->n};

    for (unsigned i = 0; i < w->n; i++) {
        for (unsigned f = 0; f < b->n_figures; f++) {
            if (b->figure[f].side == side && s->at[f] == b->list[w->list + i] &&
                is_steady_soldier(b, s, f)) {
                c.done++;
                break;
            }
        }
    }
    return c;
}

static struct count on_baseline(const struct rules_board *b, const struct rules_state *s,
                                enum rules_side side)
{
    const enum rules_dir home = (enum rules_dir)b->side[rules_enemy(side)].home;
    struct count c = {0, (b->side[side].soldiers + 1U) / 2};

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side == side && is_steady_soldier(b, s, f) &&
            rules_edge_distance(b, s->at[f], home) == 0)
            c.done++;
    }
    return c;
}

/* Of the named figures: killed, or left by the edge. */
static struct count named(const struct rules_board *b, const struct rules_state *s,
                          const struct rules_win *w)
{
    struct count c = {0, 0};

    for (unsigned f = 0; f < b->n_figures; f++) {
        if (!is_named(w, f))
            continue;
        c.all++;
        if (w->kind == RULES_WIN_KILL ? s->status[f] == RULES_DEAD
                                      : s->status[f] == RULES_LEFT && s->left_by[f] == w->edge)
            c.done++;
    }
    if (w->kind == RULES_WIN_EXIT)
        c.all = w->count;
    return c;
}

static void put_win(const struct rules_board *b, const struct rules_state *s, enum rules_side side,
                    const struct rules_win *w, struct buf *out)
{
    static const char *const edges[] = {"north", "east", "south", "west"};
    struct count c;

    switch ((enum rules_win_kind)w->kind) {
    case RULES_WIN_ELIMINATE:
        buf_printf(out, "%u enemies left", enemies_left(b, s, side));
        break;
    case RULES_WIN_KILL:
        c = named(b, s, w);
        buf_printf(out, "%u of %u named killed", c.done, c.all);
        break;
    case RULES_WIN_EXIT:
        c = named(b, s, w);
        buf_printf(out, "%u of %u out by the %s", c.done, c.all, edges[w->edge]);
        break;
    case RULES_WIN_HOLD:
        c = held(b, s, side, w);
        buf_printf(out, "%u of %u squares held", c.done, c.all);
        if (w->turn > 0)
            buf_printf(out, " (turn %u)", w->turn);
        break;
    case RULES_WIN_BASELINE:
        c = on_baseline(b, s, side);
        buf_printf(out, "%u of %u on the far row", c.done, c.all);
        break;
    case RULES_WIN_SURVIVE:
        buf_printf(out, "to last till turn %u", w->turn);
        break;
    case RULES_WIN_REACH:
        buf_printf(out, "to reach %u square%s", w->n, w->n == 1 ? "" : "s");
        break;
    case RULES_WIN_COUNT:
        break;
    }
}

void progress_words(const struct scenario *scn, const struct rules_board *b,
                    const struct rules_state *s, enum rules_side side, struct buf *out)
{
    (void)scn;
    for (unsigned i = 0; i < b->side[side].n_wins; i++) {
        buf_puts(out, i == 0 ? "" : "; ");
        put_win(b, s, side, &b->side[side].win[i], out);
    }
}
