/* SPDX-License-Identifier: ISC
 * balance.c -- games of bot against bot, played and counted.
 */
#include "client/balance.h"

#include "common/base/mem.h"
#include "proto/game.h"

#define DICE 8192 /* at one order's disposal: more than the largest board can use at once */

/* ---- a game ---- */

struct match {
    const struct balance_setup *setup;
    struct bot *bot[2]; /* by side */
    struct game game;
    struct game_events ev;
    uint64_t rng;
    uint8_t die[DICE];
};

static uint64_t next(uint64_t *s)
{
    uint64_t z = (*s += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* `n` faces more. */
static void roll(struct match *m, size_t from, size_t n)
{
    for (size_t i = from; i < n; i++)
        m->die[i] = (uint8_t)(1 + (next(&m->rng) >> 32) * 6 / (UINT64_C(1) << 32));
}

/* Decide and apply; dice are rolled only as far as they are needed. */
static void play_order(struct match *m, const struct rules_order *o)
{
    size_t rolled = 0;

    for (size_t n = 0; n <= DICE; n = n == 0 ? 16 : n * 2) {
        struct rules_dice dice = {m->die, n, 0};
        enum rules_err e;

        roll(m, rolled, n);
        rolled = n;
        e = game_decide(&m->game, o, &dice, &m->ev);
        if (e == RULES_E_DICE)
            continue;
        CHECK(e == RULES_OK); /* a bot's order is legal */
        game_apply_all(&m->game, 0, &m->ev);
        return;
    }
    CHECK(false); /* more dice than a board can use */
}

static void report(const struct match *m, struct balance_game *out)
{
    const struct rules_state *s = &m->game.rules.state;

    out->winner = s->winner;
    out->reason = s->reason;
    out->turns = s->turn;
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        out->killed[side] = (uint16_t)rules_killed(m->setup->board, s, (enum rules_side)side);
}

void balance_play(const struct balance_setup *setup, uint32_t index, struct balance_game *out)
{
    struct match *m = mem_zalloc(sizeof(*m));
    struct rules_order o = {.kind = RULES_DO_START, .side = RULES_NOBODY};

    *out = (struct balance_game){.swapped = setup->swaps && index % 2 == 1};
    m->setup = setup;
    m->rng = setup->seed * UINT64_C(0xd1342543de82ef95) + index;
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        m->bot[side] = bot_new(setup->board, (enum rules_side)side,
                               setup->level[side ^ out->swapped], next(&m->rng));
    game_init(&m->game, setup->board);
    play_order(m, &o);
    out->first = m->game.rules.state.first;
    while (!rules_is_over(&m->game.rules.state)) {
        bot_decide(m->bot[m->game.rules.state.active], &m->game.rules.state, &o);
        play_order(m, &o);
        out->orders = (uint16_t)MIN(out->orders + 1, UINT16_MAX);
    }
    report(m, out);
    bot_free(m->bot[RULES_A]);
    bot_free(m->bot[RULES_B]);
    game_fini(&m->game);
    game_events_fini(&m->ev);
    mem_free(m);
}

/* ---- counting ---- */

void balance_add(struct balance_tally *t, const struct balance_game *g)
{
    t->games++;
    t->how[g->winner][g->reason]++;
    t->turns[MIN(g->turns, BALANCE_TURNS - 1)]++;
    t->orders += g->orders;
    t->killed[RULES_A] += g->killed[RULES_A];
    t->killed[RULES_B] += g->killed[RULES_B];
    if (g->winner == RULES_NOBODY) {
        t->draws++;
        return;
    }
    t->won[g->winner]++;
    t->bot_won[g->winner ^ g->swapped]++;
    t->first_won += g->winner == g->first;
}

unsigned balance_turn_at(const struct balance_tally *t, unsigned percent)
{
    uint64_t so_far = 0;

    for (unsigned turn = 0; turn < BALANCE_TURNS; turn++) {
        so_far += t->turns[turn];
        if (so_far * 100 >= (uint64_t)t->games * percent && so_far > 0)
            return turn;
    }
    return 0;
}

/* Newton's, from above: falls until it can't. */
static double square_root(double x)
{
    double r = x > 1.0 ? x : 1.0;

    for (int i = 0; i < 60; i++)
        r = 0.5 * (r + x / r);
    return r;
}

struct balance_share balance_share(uint32_t k, uint32_t n)
{
    const double z = 1.959963984540054; /* 97.5% of the normal distribution lies below */
    double p, mid, half, by;

    if (n == 0)
        return (struct balance_share){0.0, 0.0, 0.0};
    p = (double)k / n;
    by = 1.0 + z * z / n;
    mid = (p + z * z / (2.0 * n)) / by;
    half = z * square_root(p * (1.0 - p) / n + z * z / (4.0 * n * n)) / by;
    return (struct balance_share){p, k == 0 ? 0.0 : mid - half, k == n ? 1.0 : mid + half};
}
