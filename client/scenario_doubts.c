/* SPDX-License-Identifier: ISC
 * scenario_doubts.c -- what looks wrong in a scenario that is sound.
 */
#include "client/scenario_doubts.h"

#include <stdarg.h>

#include "client/describe.h"
#include "common/base/mem.h"

#define NAMED_MAX 6 /* squares that a doubt lists by name */

/* Where somebody can get, from all the squares put in. */
struct ways {
    bool in[RULES_SQUARES_MAX];
    uint16_t queue[RULES_SQUARES_MAX];
    unsigned n;
};

struct doubter {
    const struct scenario *s;
    const struct rules_board *b;
    const char *before;
    struct buf *out;
    unsigned n;
    struct ways foot[2], own; /* of each side's figures on foot; scratch */
};

static void PRINTF_LIKE(2, 3) doubt(struct doubter *d, const char *fmt, ...)
{
    va_list ap;

    buf_puts(d->out, d->before);
    va_start(ap, fmt);
    buf_vprintf(d->out, fmt, ap);
    va_end(ap);
    buf_putc(d->out, '\n');
    d->n++;
}

/* ---- ways ---- */

static bool can_stand(const struct rules_board *b, uint16_t sq, bool wheels)
{
    return !rules_is_impassable(b, sq) && (!wheels || b->ground[sq] == RULES_ROAD);
}

static void start_from(struct ways *w, const struct rules_board *b, uint16_t sq, bool wheels)
{
    if (sq == RULES_NO_SQUARE || w->in[sq] || !can_stand(b, sq, wheels))
        return;
    w->in[sq] = true;
    w->queue[w->n++] = sq;
}

/* Climbs and obstacles are a matter of time for those on foot; a wagon does neither (R7, R16). */
static void spread(struct ways *w, const struct rules_board *b, bool wheels)
{
    for (unsigned i = 0; i < w->n; i++)
        for (unsigned dir = RULES_N; dir <= RULES_W; dir++) {
            const uint16_t from = w->queue[i];
            const uint16_t to = rules_step(b, from, (enum rules_dir)dir);

            if (to == RULES_NO_SQUARE ||
                (wheels && (rules_obstacle_at(b, from, (enum rules_dir)dir) != RULES_CLEAR ||
                            b->height[to] > b->height[from])))
                continue;
            start_from(w, b, to, wheels);
        }
}

static void start_from_edge(struct ways *w, const struct rules_board *b, enum rules_dir edge,
                            bool wheels)
{
    for (unsigned sq = 0; sq < rules_squares(b); sq++)
        if (rules_edge_distance(b, (uint16_t)sq, edge) == 0)
            start_from(w, b, (uint16_t)sq, wheels);
}

/* Every square that the figure may begin or enter on. */
static void start_figure(struct ways *w, const struct rules_board *b, unsigned f)
{
    const bool wheels = b->figure[f].type == RULES_WAGON;
    const struct rules_wave *wave;

    if (b->figure[f].wave == RULES_NO_WAVE) {
        start_from(w, b, b->figure[f].at, wheels);
        return;
    }
    wave = &b->wave[b->figure[f].wave];
    if (wave->entry == RULES_ENTRY_SQUARES)
        for (unsigned i = 0; i < wave->n; i++)
            start_from(w, b, b->list[wave->list + i], wheels);
    else
        for (unsigned i = 0; i < (wave->entry == RULES_ENTRY_TABLE ? 6U : 1U); i++)
            start_from_edge(w, b, (enum rules_dir)wave->edge[i], wheels);
}

/* d->own: where figure `f` alone can get. */
static void ways_of(struct doubter *d, unsigned f)
{
    memset(&d->own, 0, sizeof(d->own));
    start_figure(&d->own, d->b, f);
    spread(&d->own, d->b, d->b->figure[f].type == RULES_WAGON);
}

/* ---- squares ---- */

static void list_squares(const struct rules_board *b, const bool *in, bool wanted, struct buf *out)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        char name[RULES_SQUARE_NAME];

        if (in[sq] != wanted || rules_is_impassable(b, (uint16_t)sq))
            continue;
        if (n < NAMED_MAX)
            buf_printf(out, "%s%s", n == 0 ? "" : ", ", rules_square_name(b, (uint16_t)sq, name));
        n++;
    }
    if (n > NAMED_MAX)
        buf_printf(out, " and %u more", n - NAMED_MAX);
}

static void doubt_squares(struct doubter *d)
{
    struct buf names = BUF_EMPTY;
    bool met = false;
    bool water = false;

    memset(&d->own, 0, sizeof(d->own));
    for (unsigned sq = 0; sq < rules_squares(d->b); sq++) {
        d->own.in[sq] = d->foot[RULES_A].in[sq] || d->foot[RULES_B].in[sq];
        met |= d->foot[RULES_A].in[sq] && d->foot[RULES_B].in[sq];
        water |= d->b->ground[sq] == RULES_WATER;
    }
    list_squares(d->b, d->own.in, false, &names);
    if (names.len > 0)
        doubt(d, "nobody can ever reach %s (R3)", buf_str(&names));
    if (!met)
        doubt(d, "the two sides can't reach one another%s",
              water ? ": the water has no ford; open a square of it" : "");
    else if (water && names.len > 0)
        doubt(d, "the water has no ford to some of these squares: nobody crosses it (R3)");
    buf_fini(&names);
}

/* ---- waves ---- */

/* Places on `edge`, or in the wave's list, for one of its figures. */
static unsigned room_for(const struct doubter *d, const struct rules_wave *wave,
                         enum rules_dir edge, bool wheels)
{
    const struct rules_board *b = d->b;
    unsigned n = 0;

    if (wave->entry == RULES_ENTRY_SQUARES) {
        for (unsigned i = 0; i < wave->n; i++)
            n += can_stand(b, b->list[wave->list + i], wheels);
    } else {
        for (unsigned sq = 0; sq < rules_squares(b); sq++)
            n += rules_edge_distance(b, (uint16_t)sq, edge) == 0 &&
                 can_stand(b, (uint16_t)sq, wheels);
    }
    return wheels ? n : n * b->stack;
}

static void doubt_entry(struct doubter *d, unsigned w, enum rules_dir edge)
{
    const struct rules_wave *wave = &d->b->wave[w];
    unsigned wagons = 0, walkers = 0;
    struct buf where = BUF_EMPTY;

    if (wave->entry == RULES_ENTRY_SQUARES)
        buf_puts(&where, "on its squares");
    else
        buf_printf(&where, "on the %s edge", describe_dir(edge));
    for (unsigned i = 0; i < wave->n_figures; i++) {
        const bool wheels = d->b->figure[wave->figure + i].type == RULES_WAGON;

        wagons += wheels;
        walkers += !wheels;
    }
    if (walkers > 0 && room_for(d, wave, edge, false) == 0)
        doubt(d, "waves[%u] can't enter: there is no ground to stand on %s (R41)", w,
              buf_str(&where));
    else if (walkers > room_for(d, wave, edge, false))
        doubt(d, "waves[%u] has %u figures and room for %u %s: some must wait (R41)", w, walkers,
              room_for(d, wave, edge, false), buf_str(&where));
    if (wagons > 0 && room_for(d, wave, edge, true) == 0)
        doubt(d, "waves[%u] has a wagon that can't enter: there is no road %s (R41)", w,
              buf_str(&where));
    buf_fini(&where);
}

static void doubt_waves(struct doubter *d)
{
    for (unsigned w = 0; w < d->b->n_waves; w++) {
        const struct rules_wave *wave = &d->b->wave[w];
        unsigned seen = 0;

        for (unsigned i = 0; i < (wave->entry == RULES_ENTRY_TABLE ? 6U : 1U); i++) {
            if (wave->entry != RULES_ENTRY_SQUARES && (seen >> wave->edge[i] & 1) != 0)
                continue;
            seen |= wave->entry == RULES_ENTRY_SQUARES ? 0 : 1U << wave->edge[i];
            doubt_entry(d, w, (enum rules_dir)wave->edge[i]);
        }
    }
    for (unsigned f = 0; f < d->b->n_figures; f++)
        if (d->b->figure[f].type == RULES_WAGON && d->b->figure[f].at != RULES_NO_SQUARE &&
            d->b->ground[d->b->figure[f].at] != RULES_ROAD)
            doubt(d, "wagon %s stands off the road and will never move (R17)", d->b->id[f]);
}

/* ---- conditions ---- */

static bool is_named(const struct rules_win *win, unsigned f)
{
    return (win->figures[f / 64] >> (f % 64) & 1) != 0;
}

/* Can figure `f` get off by the edge, or to one of the squares, of `win`? */
static bool can_arrive(struct doubter *d, const struct rules_win *win, unsigned f)
{
    ways_of(d, f);
    for (unsigned i = 0; i < win->n; i++)
        if (d->own.in[d->b->list[win->list + i]])
            return true;
    for (unsigned sq = 0; win->kind == RULES_WIN_EXIT && sq < rules_squares(d->b); sq++)
        if (d->own.in[sq] &&
            rules_edge_distance(d->b, (uint16_t)sq, (enum rules_dir)win->edge) == 0)
            return true;
    return false;
}

static void doubt_named(struct doubter *d, enum rules_side side, unsigned w)
{
    const struct rules_win *win = &d->b->side[side].win[w];
    unsigned can = 0;

    for (unsigned f = 0; f < d->b->n_figures; f++) {
        if (!is_named(win, f))
            continue;
        if (win->kind == RULES_WIN_KILL && d->b->figure[f].type == RULES_WAGON)
            doubt(d, "sides[%u].win[%u] can't be met: nothing harms wagon %s (R17)", side, w,
                  d->b->id[f]);
        if ((win->kind == RULES_WIN_KILL) == (d->b->figure[f].side == side))
            doubt(d, "sides[%u].win[%u] names %s, a figure of the %s side", side, w, d->b->id[f],
                  win->kind == RULES_WIN_KILL ? "same" : "other");
        if (win->kind != RULES_WIN_KILL)
            can += can_arrive(d, win, f);
    }
    if (win->kind == RULES_WIN_EXIT && can < win->count)
        doubt(d,
              "sides[%u].win[%u] can't be met: %u of the figures can get to the %s edge, %u "
              "must leave by it",
              side, w, can, describe_dir((enum rules_dir)win->edge), win->count);
    if (win->kind == RULES_WIN_REACH && can == 0)
        doubt(d, "sides[%u].win[%u] can't be met: none of the figures can get to the squares", side,
              w);
}

static void doubt_hold(struct doubter *d, enum rules_side side, unsigned w)
{
    const struct rules_win *win = &d->b->side[side].win[w];

    for (unsigned i = 0; i < win->n; i++) {
        const uint16_t sq = d->b->list[win->list + i];
        char name[RULES_SQUARE_NAME];

        if (!d->foot[side].in[sq])
            doubt(d, "sides[%u].win[%u] can't be met: nobody of the side can get to %s", side, w,
                  rules_square_name(d->b, sq, name));
    }
    if (win->n > d->b->side[side].soldiers)
        doubt(d, "sides[%u].win[%u] can't be met: %u squares, and the side has %u soldiers", side,
              w, win->n, d->b->side[side].soldiers);
}

static void doubt_baseline(struct doubter *d, enum rules_side side, unsigned w)
{
    const enum rules_dir edge = (enum rules_dir)d->b->side[rules_enemy(side)].home;
    const unsigned need = (d->b->side[side].soldiers + 1U) / 2;
    unsigned room = 0;

    for (unsigned sq = 0; sq < rules_squares(d->b); sq++)
        if (rules_edge_distance(d->b, (uint16_t)sq, edge) == 0 && d->foot[side].in[sq])
            room += d->b->stack;
    if (room < need)
        doubt(d,
              "sides[%u].win[%u] can't be met: %u soldiers must stand on the %s edge, where "
              "there is room for %u",
              side, w, need, describe_dir(edge), room);
    if (d->b->side[side].home == d->b->side[rules_enemy(side)].home)
        doubt(d, "sides[%u].win[%u] is odd: both sides have the same home edge", side, w);
}

static void doubt_wins(struct doubter *d, enum rules_side side)
{
    for (unsigned w = 0; w < d->b->side[side].n_wins; w++) {
        switch ((enum rules_win_kind)d->b->side[side].win[w].kind) {
        case RULES_WIN_KILL:
        case RULES_WIN_EXIT:
        case RULES_WIN_REACH:
            doubt_named(d, side, w);
            break;
        case RULES_WIN_HOLD:
            doubt_hold(d, side, w);
            break;
        case RULES_WIN_BASELINE:
            doubt_baseline(d, side, w);
            break;
        case RULES_WIN_ELIMINATE:
        case RULES_WIN_SURVIVE:
        case RULES_WIN_COUNT:
            break;
        }
    }
}

unsigned scenario_doubts(const struct scenario *s, const char *before, struct buf *out)
{
    struct doubter *d = mem_zalloc(sizeof(*d));
    unsigned n;

    d->s = s;
    d->b = &s->board;
    d->before = before;
    d->out = out;
    for (unsigned f = 0; f < d->b->n_figures; f++)
        if (d->b->figure[f].type != RULES_WAGON)
            start_figure(&d->foot[d->b->figure[f].side], d->b, f);
    spread(&d->foot[RULES_A], d->b, false);
    spread(&d->foot[RULES_B], d->b, false);
    doubt_squares(d);
    doubt_waves(d);
    doubt_wins(d, RULES_A);
    doubt_wins(d, RULES_B);
    n = d->n;
    mem_free(d);
    return n;
}
