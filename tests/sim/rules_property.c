/* SPDX-License-Identifier: ISC
 * Random games: what must hold of every game, whatever the board and whatever is ordered.
 */
// timeout: 300
#include "common/base/mem.h"
#include "proto/game.h"
#include "tests/cmocka_all.h"
#include "tests/sim/lib_play.h"

#define GAMES 1500
#define DICE  8192

/* Whatever is seen of a game, for the last line. */
struct seen {
    unsigned long games, orders, refused, undone, dice, over[RULES_REASON_COUNT];
    unsigned long why[RULES_WHY_COUNT], events[RULES_EV_COUNT];
};

struct world {
    struct play_rng rng;
    struct rules_board board;
    struct game game;
    struct game_events ev, again;
    uint8_t die[DICE];
    struct seen seen;
};

/* Figures are conserved, squares hold one side and no more than the stack, ranks are 1..n. */
static void check_state(const struct rules_board *b, const struct rules_state *s)
{
    for (unsigned f = 0; f < b->n_figures; f++) {
        bool on = s->at[f] != RULES_NO_SQUARE;
        bool off =
            s->status[f] == RULES_DEAD || s->status[f] == RULES_LEFT || s->status[f] == RULES_DUE;
        unsigned same = 0;
        unsigned before = 0;

        assert_true(on != off);
        assert_true(s->status[f] < RULES_STATUS_COUNT);
        assert_int_equal(on ? s->rank[f] > 0 : s->rank[f] == 0, 1);
        assert_true(on || s->fell[f] == 0);
        assert_int_equal(s->left_by[f] != RULES_NO_DIR, s->status[f] == RULES_LEFT);
        if (!on)
            continue;
        assert_true(s->at[f] < rules_squares(b));
        assert_false(rules_is_impassable(b, s->at[f]));
        for (unsigned g = 0; g < b->n_figures; g++) {
            if (s->at[g] != s->at[f])
                continue;
            same++;
            before += s->rank[g] < s->rank[f];
            assert_int_equal(b->figure[g].side, b->figure[f].side);
            assert_true(g == f || s->rank[g] != s->rank[f]);
            assert_true(g == f || (b->figure[f].type != RULES_WAGON));
        }
        assert_in_range(same, 1, b->stack);
        assert_int_equal(before + 1, s->rank[f]);
    }
    for (unsigned f = b->n_figures; f < RULES_FIGURES_MAX; f++)
        assert_int_equal(s->at[f], RULES_NO_SQUARE);
}

/* Dice that the events show. */
static size_t dice_shown(const struct rules_outcome *out)
{
    size_t n = 0;

    for (uint32_t i = 0; i < out->n_events; i++) {
        const struct rules_event *ev = &out->event[i];

        if (ev->kind == RULES_EV_INITIATIVE)
            n += 2U * ev->u.initiative.n;
        else if (ev->kind == RULES_EV_ARRIVE)
            n += ev->u.arrive.die != 0;
        else if (ev->kind == RULES_EV_MORALE)
            n++;
        else if (ev->kind == RULES_EV_MELEE)
            n += (size_t)ev->u.melee.n_dice + ev->u.melee.n_saves;
        for (unsigned k = 0; ev->kind == RULES_EV_VOLLEY && k < ev->u.volley.n; k++)
            n += (size_t)(ev->u.volley.shot[k].die != 0) + (ev->u.volley.shot[k].save != 0);
    }
    return n;
}

static void check_same(const struct rules_outcome *a, const struct rules_outcome *b)
{
    assert_int_equal(a->n_events, b->n_events);
    assert_int_equal(a->n_items, b->n_items);
    assert_memory_equal(a->event, b->event, a->n_events * sizeof(a->event[0]));
    assert_memory_equal(a->item, b->item, a->n_items * sizeof(a->item[0]));
}

/* One order: decided twice alike; with one die less not at all; refused, it changes nothing. */
static enum rules_err decide(struct world *w, const struct rules_order *o)
{
    struct rules_dice dice = {w->die, DICE, 0};
    struct rules_dice exact;
    struct rules_state before = w->game.rules.state;
    enum rules_err e = game_decide(&w->game, o, &dice, &w->ev);

    assert_memory_equal(&before, &w->game.rules.state, sizeof(before));
    assert_true(e == RULES_OK || e == RULES_E_ILLEGAL);
    exact = (struct rules_dice){w->die, dice.used, 0};
    assert_int_equal(game_decide(&w->game, o, &exact, &w->again), e);
    assert_int_equal(exact.used, dice.used);
    if (e == RULES_E_ILLEGAL) {
        assert_int_equal(dice.used, 0);
        assert_in_range(w->ev.out.refusal.why, 1, RULES_WHY_COUNT - 1);
        assert_int_equal(w->ev.out.refusal.why, w->again.out.refusal.why);
        w->seen.refused++;
        w->seen.why[w->ev.out.refusal.why]++;
        return e;
    }
    check_same(&w->ev.out, &w->again.out);
    assert_int_equal(dice.used, dice_shown(&w->ev.out));
    if (dice.used > 0) {
        exact = (struct rules_dice){w->die, dice.used - 1, 0};
        assert_int_equal(game_decide(&w->game, o, &exact, &w->again), RULES_E_DICE);
        assert_int_equal(exact.used, 0);
        assert_int_equal(w->again.out.n_events, 0);
    }
    w->seen.dice += dice.used;
    return e;
}

/* The events one by one give the position that the decision followed. */
static void apply(struct world *w, uint32_t tag, const struct rules_order *o)
{
    struct rules_state replay = w->game.rules.state;
    unsigned moves = w->game.rules.n_undo;

    for (uint32_t i = 0; i < w->ev.out.n_events; i++) {
        w->seen.events[w->ev.out.event[i].kind]++;
        rules_apply(&w->board, &replay, &w->ev.out.event[i], w->ev.out.item);
    }
    game_apply_all(&w->game, tag, &w->ev);
    check_state(&w->board, &w->game.rules.state);
    if (o->kind == RULES_DO_UNDO) {
        assert_int_equal(w->game.rules.n_undo, moves - 1);
        w->seen.undone++;
        return;
    }
    assert_memory_equal(&replay, &w->game.rules.state, sizeof(replay));
}

/* A move or turn and its undo leave no trace. */
static void check_undo(struct world *w, const struct rules_state *before)
{
    struct rules_order undo = {.kind = RULES_DO_UNDO, .side = w->game.rules.state.active};
    struct rules_game copy = w->game.rules;
    struct rules_dice none = {NULL, 0, 0};

    if (rules_is_over(&copy.state) || copy.n_undo == 0)
        return;
    assert_int_equal(game_decide(&w->game, &undo, &none, &w->again), RULES_OK);
    assert_int_equal(rules_game_apply(&copy, 0, &w->again.out.event[0], w->again.out.item),
                     RULES_OK);
    assert_memory_equal(before, &copy.state, sizeof(*before));
}

/* The odds that are shown are chances, and the reach lists only what the rules allow. */
static void check_reach(struct world *w)
{
    const struct rules_state *s = &w->game.rules.state;
    unsigned f = play_below(&w->rng, w->board.n_figures);
    struct rules_odds odds = {0, 1};
    struct rules_reach reach;

    if (s->at[f] != RULES_NO_SQUARE)
        odds = rules_odds_melee(&w->board, s, f);
    assert_true(odds.d >= 1 && odds.n <= odds.d);
    if (w->board.figure[f].side != s->active)
        return;
    rules_reach(&w->board, s, f, &reach);
    for (unsigned i = 0; i < reach.n_to; i++) {
        struct rules_order o = {.kind = RULES_DO_MOVE,
                                .side = s->active,
                                .face = RULES_NO_DIR,
                                .exit = RULES_NO_DIR,
                                .n_figures = 1,
                                .n_path = reach.to[i].n};
        struct rules_dice none = {NULL, 0, 0};

        o.figure[0] = (uint16_t)f;
        memcpy(o.path, reach.to[i].path, sizeof(o.path[0]) * o.n_path);
        assert_int_equal(game_decide(&w->game, &o, &none, &w->again), RULES_OK);
    }
}

static void play_game(struct world *w, uint64_t seed)
{
    struct rules_order o = {.kind = RULES_DO_START};
    uint32_t tag = 0;

    play_seed(&w->rng, seed);
    play_random_board(&w->rng, &w->board);
    game_fini(&w->game);
    game_init(&w->game, &w->board);
    check_state(&w->board, &w->game.rules.state);
    play_dice(&w->rng, w->die, DICE);
    assert_int_equal(decide(w, &o), RULES_OK);
    apply(w, tag++, &o);
    while (!rules_is_over(&w->game.rules.state)) {
        struct rules_state before = w->game.rules.state;

        assert_true(before.turn <= w->board.turns);
        if (play_chance(&w->rng, 25))
            play_wild_order(&w->rng, &w->game.rules, &o);
        else
            play_legal_order(&w->rng, &w->game.rules, &o);
        play_dice(&w->rng, w->die, 512);
        w->seen.orders++;
        if (play_chance(&w->rng, 5))
            check_reach(w);
        if (decide(w, &o) != RULES_OK)
            continue;
        apply(w, tag++, &o);
        if (o.kind == RULES_DO_MOVE || o.kind == RULES_DO_TURN)
            check_undo(w, &before);
    }
    play_legal_order(&w->rng, &w->game.rules, &o);
    o.side = (uint8_t)play_below(&w->rng, 2);
    assert_int_equal(decide(w, &o), RULES_E_ILLEGAL); /* nothing follows the end */
    w->seen.over[w->game.rules.state.reason]++;
    w->seen.games++;
}

static void random_games_keep_the_rules(void **unused)
{
    struct world *w = mem_zalloc(sizeof(*w));

    (void)unused;
    for (uint64_t seed = 1; seed <= GAMES; seed++)
        play_game(w, seed);
    print_message("%lu games, %lu orders, %lu refused, %lu undone, %lu dice\n", w->seen.games,
                  w->seen.orders, w->seen.refused, w->seen.undone, w->seen.dice);
    /* the games went everywhere: each event, each end and each refusal was there */
    for (unsigned i = 0; i < RULES_EV_COUNT; i++)
        assert_true(w->seen.events[i] > 0 || w->seen.undone > 0);
    for (unsigned i = RULES_BY_ELIMINATE; i <= RULES_BY_DRAW; i++) {
        if (w->seen.over[i] == 0)
            print_error("no game ended by reason %u\n", i);
        assert_true(w->seen.over[i] > 0);
    }
    for (unsigned i = 1; i < RULES_WHY_COUNT; i++) {
        if (w->seen.why[i] == 0)
            print_error("no order was refused for why %u\n", i);
        assert_true(w->seen.why[i] > 0);
    }
    game_fini(&w->game);
    game_events_fini(&w->ev);
    game_events_fini(&w->again);
    mem_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_games_keep_the_rules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
