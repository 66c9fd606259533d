/* SPDX-License-Identifier: ISC
 * rules.c -- orders decided and applied a second, random legal play, on the shipped scenarios.
 *
 * Games are played and written down first; what is timed is deciding each order anew on the
 * position as it was, and applying its events. Choosing orders and rolling dice isn't timed.
 */
#include "common/base/mem.h"
#include "common/base/msec.h"
#include "proto/game.h"
#include "proto/scenario.h"
#include "tests/sim/lib_play.h"

#define GAMES      200
#define SPAN_MS    1500
#define DICE       512
#define ORDERS_MAX 400000

/* One order as it was given, with the dice it took. */
struct taken {
    struct rules_order order;
    uint32_t die, n_dice; /* in tape.die */
    bool starts;          /* the first of a game */
};

struct tape {
    struct taken *taken;
    size_t n;
    uint8_t *die;
    size_t n_dice;
    size_t count[RULES_DO_END_PHASE + 1];
};

static void write_down(struct tape *t, const struct rules_order *o, const uint8_t *die, size_t used)
{
    struct taken *k = &t->taken[t->n++];

    k->order = *o;
    k->die = (uint32_t)t->n_dice;
    k->n_dice = (uint32_t)used;
    k->starts = o->kind == RULES_DO_START;
    memcpy(t->die + t->n_dice, die, used);
    t->n_dice += used;
    t->count[o->kind]++;
}

static void play(struct tape *t, const struct rules_board *b, uint64_t seed)
{
    struct rules_order o = {.kind = RULES_DO_START};
    struct game g;
    struct game_events ev = {0};
    struct play_rng rng;

    play_seed(&rng, seed);
    game_init(&g, b);
    for (;;) {
        uint8_t die[DICE];
        struct rules_dice dice = {die, DICE, 0};

        play_dice(&rng, die, DICE);
        if (game_decide(&g, &o, &dice, &ev) == RULES_OK && t->n < ORDERS_MAX) {
            write_down(t, &o, die, dice.used);
            game_apply_all(&g, (uint32_t)t->n, &ev);
        }
        if (rules_is_over(&g.rules.state) || t->n >= ORDERS_MAX)
            break;
        play_legal_order(&rng, &g.rules, &o);
    }
    game_fini(&g);
    game_events_fini(&ev);
}

/* All of the tape once, decided and applied. */
static void replay(const struct tape *t, const struct rules_board *b, struct game *g,
                   struct game_events *ev)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct taken *k = &t->taken[i];
        struct rules_dice dice = {t->die + k->die, k->n_dice, 0};

        if (k->starts) {
            g->rules.n_undo = 0;
            rules_begin(b, &g->rules.state);
        }
        CHECK(game_decide(g, &k->order, &dice, ev) == RULES_OK);
        game_apply_all(g, (uint32_t)i, ev);
    }
}

static void bench(const struct scenario *s)
{
    struct tape t = {mem_array(ORDERS_MAX, sizeof(struct taken)), 0, mem_alloc(64 << 20), 0, {0}};
    struct game g;
    struct game_events ev = {0};
    struct mono start;
    int64_t spent;
    size_t done = 0;

    for (uint64_t seed = 1; seed <= GAMES; seed++)
        play(&t, &s->board, seed);
    game_init(&g, &s->board);
    start = mono_now();
    do {
        replay(&t, &s->board, &g, &ev);
        done += t.n;
        spent = mono_since(mono_now(), start);
    } while (spent < SPAN_MS);
    printf("%-22s %s %3u figures  %8.0f orders/s  %5.0f ns an order  "
           "(%zu orders in %d games: %zu moves, %zu turns, %zu volleys, %zu undone, %zu ends)\n",
           s->id, scale_word((enum rules_scale)s->board.scale), s->board.n_figures,
           (double)done * 1e3 / (double)spent, (double)spent * 1e6 / (double)done, t.n, GAMES,
           t.count[RULES_DO_MOVE], t.count[RULES_DO_TURN], t.count[RULES_DO_FIRE],
           t.count[RULES_DO_UNDO], t.count[RULES_DO_END_PHASE]);
    game_fini(&g);
    game_events_fini(&ev);
    mem_free(t.taken);
    mem_free(t.die);
}

int main(void)
{
    struct scenario_set set;

    scenario_set_init(&set);
    for (size_t i = 0; i < set.len; i++)
        bench(set.item[i]);
    scenario_set_fini(&set);
    return 0;
}
