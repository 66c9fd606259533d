/* SPDX-License-Identifier: ISC
 * lib_play.c -- random boards and orders. */
#include "tests/sim/lib_play.h"

#include "common/base/util.h"

void play_seed(struct play_rng *r, uint64_t seed)
{
    r->s = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 4; i++)
        (void)play_below(r, 2);
}

unsigned play_below(struct play_rng *r, unsigned n)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return (unsigned)((r->s * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % n;
}

bool play_chance(struct play_rng *r, unsigned percent)
{
    return play_below(r, 100) < percent;
}

void play_dice(struct play_rng *r, uint8_t *face, size_t n)
{
    for (size_t i = 0; i < n; i++)
        face[i] = (uint8_t)(1 + play_below(r, 6));
}

/* ---- boards ---- */

static uint16_t random_square(struct play_rng *r, const struct rules_board *b)
{
    return (uint16_t)play_below(r, rules_squares(b));
}

static void random_ground(struct play_rng *r, struct rules_board *b)
{
    unsigned wild = play_below(r, 30); /* percent of squares that aren't open and flat */

    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        if (play_chance(r, wild))
            b->ground[sq] = (uint8_t)play_below(r, RULES_GROUND_COUNT);
        else if (play_chance(r, 15))
            b->ground[sq] = RULES_ROAD;
        if (play_chance(r, wild))
            b->height[sq] = (uint8_t)play_below(r, 4);
        if (play_chance(r, wild / 2))
            b->edge_n[sq] = (uint8_t)(1 + play_below(r, RULES_OBSTACLE_COUNT - 1));
        if (play_chance(r, wild / 2))
            b->edge_e[sq] = (uint8_t)(1 + play_below(r, RULES_OBSTACLE_COUNT - 1));
        if (sq / b->w == b->h - 1U)
            b->edge_n[sq] = RULES_CLEAR;
        if (sq % b->w == b->w - 1U)
            b->edge_e[sq] = RULES_CLEAR;
    }
}

static void name_figure(struct rules_board *b, unsigned f)
{
    b->id[f][0] = b->figure[f].side == RULES_A ? 'a' : 'b';
    b->id[f][1] = (char)('0' + (int)(f / 100));
    b->id[f][2] = (char)('0' + (int)(f / 10 % 10));
    b->id[f][3] = (char)('0' + (int)(f % 10));
}

static struct rules_figure *add_figure(struct play_rng *r, struct rules_board *b,
                                       enum rules_side side)
{
    struct rules_figure *fig = &b->figure[b->n_figures];

    fig->side = (uint8_t)side;
    fig->type = (uint8_t)(play_chance(r, 80) ? play_below(r, 3) : play_below(r, RULES_TYPE_COUNT));
    fig->commander = rules_is_soldier((enum rules_type)fig->type) && play_chance(r, 15);
    fig->face = RULES_NO_DIR;
    fig->at = RULES_NO_SQUARE;
    fig->wave = RULES_NO_WAVE;
    name_figure(b, b->n_figures);
    b->n_figures++;
    return fig;
}

/* Room for `fig` in `sq` among those placed before it? */
static bool is_free_at_start(const struct rules_board *b, const struct rules_figure *fig,
                             uint16_t sq)
{
    unsigned n = 0;

    if (rules_is_impassable(b, sq))
        return false;
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].at != sq)
            continue;
        if (b->figure[f].side != fig->side || fig->type == RULES_WAGON ||
            b->figure[f].type == RULES_WAGON)
            return false;
        n++;
    }
    return n < b->stack;
}

static void random_force(struct play_rng *r, struct rules_board *b, enum rules_side side)
{
    unsigned n = 1 + play_below(r, b->scale == RULES_1IN ? 10 : 20);
    bool close = play_chance(r, 50); /* near the middle, so that they meet */

    for (unsigned i = 0; i < n; i++) {
        struct rules_figure *fig = add_figure(r, b, side);
        bool placed = false;

        if (i == 0)
            fig->type = RULES_REGULAR; /* each side has a soldier */
        for (unsigned tries = 0; tries < 40 && !placed; tries++) {
            uint16_t sq = random_square(r, b);

            if (close && tries < 20)
                sq = (uint16_t)((b->h / 2U + play_below(r, 2)) * b->w + play_below(r, b->w));
            if (!is_free_at_start(b, fig, sq))
                continue;
            fig->at = sq;
            fig->face = (uint8_t)play_below(r, 4);
            placed = true;
        }
        if (!placed) {
            b->n_figures--;
            continue;
        }
        b->side[side].soldiers =
            (uint16_t)(b->side[side].soldiers + rules_is_soldier((enum rules_type)fig->type));
    }
}

static uint16_t random_list(struct play_rng *r, struct rules_board *b, unsigned n)
{
    uint16_t start = b->n_list;

    for (unsigned i = 0; i < n; i++)
        b->list[b->n_list++] = random_square(r, b);
    return start;
}

static void random_waves(struct play_rng *r, struct rules_board *b, enum rules_side side)
{
    for (unsigned i = play_below(r, 3); i > 0; i--) {
        struct rules_wave *w = &b->wave[b->n_waves];

        w->side = (uint8_t)side;
        w->turn = (uint16_t)(1 + play_below(r, b->turns));
        w->entry = (uint8_t)play_below(r, 3);
        for (unsigned k = 0; k < 6; k++)
            w->edge[k] = (uint8_t)play_below(r, 4);
        w->figure = b->n_figures;
        w->n_figures = (uint16_t)(1 + play_below(r, 8));
        if (w->entry == RULES_ENTRY_SQUARES) {
            w->n = (uint16_t)(1 + play_below(r, 5));
            w->list = random_list(r, b, w->n);
        }
        for (unsigned k = 0; k < w->n_figures; k++) {
            struct rules_figure *fig = add_figure(r, b, side);

            fig->wave = b->n_waves;
            b->side[side].soldiers =
                (uint16_t)(b->side[side].soldiers + rules_is_soldier((enum rules_type)fig->type));
        }
        b->n_waves++;
    }
}

static void random_win(struct play_rng *r, struct rules_board *b, struct rules_win *w)
{
    unsigned named = 1 + play_below(r, 3);
    unsigned distinct = 0;

    w->kind = (uint8_t)play_below(r, RULES_WIN_COUNT);
    w->edge = (uint8_t)play_below(r, 4);
    if (w->kind == RULES_WIN_SURVIVE || (w->kind == RULES_WIN_HOLD && play_chance(r, 50)))
        w->turn = (uint16_t)(1 + play_below(r, b->turns));
    if (w->kind == RULES_WIN_HOLD || w->kind == RULES_WIN_REACH) {
        w->n = (uint16_t)(1 + play_below(r, 2));
        w->list = random_list(r, b, w->n);
    }
    for (unsigned i = 0; i < named; i++) {
        unsigned f = play_below(r, b->n_figures);

        distinct += (w->figures[f / 64] >> (f % 64) & 1) == 0;
        w->figures[f / 64] |= UINT64_C(1) << (f % 64);
    }
    w->count = (uint16_t)(1 + play_below(r, distinct));
}

static void random_wins(struct play_rng *r, struct rules_board *b, enum rules_side side)
{
    struct rules_board_side *bs = &b->side[side];

    if (play_chance(r, 40)) {
        bs->n_wins = 2;
        bs->win[0].kind = RULES_WIN_ELIMINATE;
        bs->win[1].kind = RULES_WIN_BASELINE;
        return;
    }
    bs->n_wins = (uint8_t)(1 + play_below(r, 3));
    for (unsigned i = 0; i < bs->n_wins; i++)
        random_win(r, b, &bs->win[i]);
}

void play_random_board(struct play_rng *r, struct rules_board *b)
{
    memset(b, 0, sizeof(*b));
    b->scale = (uint8_t)play_below(r, 2);
    b->w = (uint8_t)(RULES_BOARD_MIN + play_below(r, 13));
    b->h = (uint8_t)(RULES_BOARD_MIN + play_below(r, 13));
    b->stack = b->scale == RULES_1IN ? 1 : (uint8_t)(1 + play_below(r, RULES_STACK_MAX));
    b->turns = (uint16_t)(1 + play_below(r, 12));
    b->readings = (struct rules_readings){(uint8_t)play_below(r, 2), (uint8_t)play_below(r, 2),
                                          (uint8_t)play_below(r, 2), (uint8_t)play_below(r, 2),
                                          (uint8_t)play_below(r, 2)};
    random_ground(r, b);
    do { /* until each side has its soldier on the board */
        b->n_figures = 0;
        b->n_waves = 0;
        b->n_list = 0;
        memset(b->side, 0, sizeof(b->side));
        memset(b->id, 0, sizeof(b->id));
        memset(b->wave, 0, sizeof(b->wave));
        for (unsigned side = RULES_A; side <= RULES_B; side++) {
            b->side[side].home = (uint8_t)play_below(r, 4);
            random_force(r, b, (enum rules_side)side);
            random_waves(r, b, (enum rules_side)side);
        }
        for (unsigned sq = 0; sq < rules_squares(b); sq += 2)
            b->ground[sq] = b->side[0].soldiers && b->side[1].soldiers ? b->ground[sq] : RULES_OPEN;
    } while (b->side[0].soldiers == 0 || b->side[1].soldiers == 0);
    b->side[play_below(r, 2)].limit_winner = (uint8_t)play_below(r, 2);
    random_wins(r, b, RULES_A);
    random_wins(r, b, RULES_B);
}

/* ---- orders ---- */

static void blank_order(struct rules_order *o, const struct rules_game *g)
{
    memset(o, 0, sizeof(*o));
    o->side = g->state.active;
    o->face = RULES_NO_DIR;
    o->exit = RULES_NO_DIR;
    o->square = RULES_NO_SQUARE;
    o->kind = RULES_DO_END_PHASE;
}

/* A random figure of the active side that may act, or RULES_NO_FIGURE. */
static unsigned ready_figure(struct play_rng *r, const struct rules_game *g)
{
    unsigned n = g->board->n_figures;
    unsigned start = play_below(r, n);

    for (unsigned i = 0; i < n; i++) {
        unsigned f = (start + i) % n;

        if (g->board->figure[f].side == g->state.active && rules_can_act(g->board, &g->state, f))
            return f;
    }
    return RULES_NO_FIGURE;
}

/* In 3in now and then the whole square goes along. */
static void add_group(struct play_rng *r, const struct rules_game *g, struct rules_order *o)
{
    unsigned lead = o->figure[0];

    for (unsigned f = 0; g->board->scale == RULES_3IN && f < g->board->n_figures; f++)
        if (f != lead && g->state.at[f] == g->state.at[lead] && g->state.status[f] == RULES_READY &&
            play_chance(r, 40) && o->n_figures < RULES_STACK_MAX)
            o->figure[o->n_figures++] = (uint16_t)f;
}

static bool try_fire(struct play_rng *r, const struct rules_game *g, unsigned f,
                     struct rules_order *o)
{
    struct rules_aim aim;
    struct rules_refusal no;

    (void)r;
    if (rules_aim(g->board, &g->state, g->state.at[f], (enum rules_dir)g->state.face[f], &aim,
                  &no) != RULES_OK)
        return false;
    o->kind = RULES_DO_FIRE;
    o->square = g->state.at[f];
    o->face = g->state.face[f];
    return true;
}

static bool try_move(struct play_rng *r, const struct rules_game *g, unsigned f,
                     struct rules_order *o)
{
    struct rules_reach reach;
    const struct rules_to *to;

    rules_reach(g->board, &g->state, f, &reach);
    if (reach.n_to == 0)
        return false;
    to = &reach.to[play_below(r, reach.n_to)];
    o->kind = RULES_DO_MOVE;
    o->figure[0] = (uint16_t)f;
    o->n_figures = 1;
    o->n_path = to->n;
    for (unsigned i = 0; i < to->n; i++)
        o->path[i] = to->path[i];
    if (reach.exits != 0 && play_chance(r, 30))
        for (unsigned d = 0; d < 4; d++)
            if ((reach.exits >> d & 1) != 0 && reach.exit_via[d] == to->at)
                o->exit = (uint8_t)d;
    if (play_chance(r, 30))
        o->face = (uint8_t)play_below(r, 4);
    add_group(r, g, o);
    return true;
}

void play_legal_order(struct play_rng *r, const struct rules_game *g, struct rules_order *o)
{
    unsigned f = ready_figure(r, g);

    blank_order(o, g);
    if (f == RULES_NO_FIGURE || play_chance(r, 4))
        return;
    if (g->n_undo > 0 && play_chance(r, 5)) {
        o->kind = RULES_DO_UNDO;
        return;
    }
    if (try_fire(r, g, f, o) || (play_chance(r, 85) && try_move(r, g, f, o)))
        return;
    o->kind = RULES_DO_TURN;
    o->figure[0] = (uint16_t)f;
    o->n_figures = 1;
    o->face = (uint8_t)play_below(r, 4);
    add_group(r, g, o);
}

void play_wild_order(struct play_rng *r, const struct rules_game *g, struct rules_order *o)
{
    const struct rules_board *b = g->board;
    uint16_t at;

    blank_order(o, g);
    o->side = play_chance(r, 90) ? g->state.active : (uint8_t)play_below(r, 2);
    o->side = (uint8_t)(o->side % 2);
    o->kind = (uint8_t)(RULES_DO_MOVE + play_below(r, 5));
    if (o->kind == RULES_DO_END_PHASE && play_chance(r, 80))
        o->kind = RULES_DO_MOVE;
    o->n_figures = (uint8_t)(play_chance(r, 70) ? 1 : play_below(r, RULES_ORDER_MAX + 1));
    for (unsigned i = 0; i < o->n_figures; i++)
        o->figure[i] = play_chance(r, 97) ? (uint16_t)play_below(r, b->n_figures) : RULES_NO_FIGURE;
    at = o->n_figures > 0 && o->figure[0] != RULES_NO_FIGURE ? g->state.at[o->figure[0]]
                                                             : RULES_NO_SQUARE;
    o->n_path =
        (uint8_t)(play_chance(r, 90) ? play_below(r, 5) : play_below(r, RULES_ORDER_MAX + 1));
    for (unsigned i = 0; i < o->n_path; i++) {
        if (at != RULES_NO_SQUARE && play_chance(r, 95))
            at = rules_step(b, at, (enum rules_dir)play_below(r, 4));
        else
            at = play_chance(r, 80) ? random_square(r, b) : RULES_NO_SQUARE;
        o->path[i] = at;
    }
    o->face = (uint8_t)(play_chance(r, 60) ? play_below(r, 4) : RULES_NO_DIR);
    o->exit = (uint8_t)(play_chance(r, 15) ? play_below(r, 4) : RULES_NO_DIR);
    o->square = play_chance(r, 95) ? random_square(r, b) : RULES_NO_SQUARE;
    if (play_chance(r, 60) && o->n_figures > 0 && o->figure[0] != RULES_NO_FIGURE)
        o->square = g->state.at[o->figure[0]];
}
