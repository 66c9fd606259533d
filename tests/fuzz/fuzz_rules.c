/* SPDX-License-Identifier: ISC
 * The rules: any board, any order, any dice. Refused, nothing changes; accepted, the events give
 * the position, the dice are as many as shown, and figures are conserved.
 *
 * Input: 8 bytes choose the board; then for each order a byte that chooses it (odd: anything at
 * all, even: most often legal) and one for the dice.
 */
#include "common/base/mem.h"
#include "proto/game.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sim/lib_play.h"

enum { DICE = 4096, ORDERS_MAX = 400 };

struct table {
    struct play_rng rng;
    struct rules_board board;
    struct game game;
    struct game_events ev, again;
    uint8_t die[DICE];
};

static void check_state(const struct rules_board *b, const struct rules_state *s)
{
    for (unsigned f = 0; f < b->n_figures; f++) {
        const bool on = s->at[f] != RULES_NO_SQUARE;
        const bool off =
            s->status[f] == RULES_DEAD || s->status[f] == RULES_LEFT || s->status[f] == RULES_DUE;
        unsigned same = 0;

        CHECK(s->status[f] < RULES_STATUS_COUNT && on != off && (s->rank[f] > 0) == on);
        for (unsigned g = 0; on && g < b->n_figures; g++) {
            same += s->at[g] == s->at[f];
            CHECK(s->at[g] != s->at[f] || b->figure[g].side == b->figure[f].side);
            CHECK(g == f || s->at[g] != s->at[f] || s->rank[g] != s->rank[f]);
        }
        CHECK(same <= b->stack && (!on || !rules_is_impassable(b, s->at[f])));
    }
}

/* Does the order go through? */
static bool give(struct table *t, const struct rules_order *o, uint32_t tag)
{
    const struct rules_state before = t->game.rules.state;
    struct rules_dice dice = {t->die, DICE, 0}, exact;
    struct rules_state replay = before;
    uint8_t hash[2][RULES_HASH_LEN];
    const enum rules_err e = game_decide(&t->game, o, &dice, &t->ev);

    CHECK(memcmp(&before, &t->game.rules.state, sizeof(before)) == 0);
    CHECK(e == RULES_OK || (e == RULES_E_ILLEGAL && dice.used == 0));
    if (e != RULES_OK) {
        CHECK(t->ev.out.refusal.why > 0 && t->ev.out.refusal.why < RULES_WHY_COUNT);
        return false;
    }
    if (dice.used > 0) {
        exact = (struct rules_dice){t->die, dice.used - 1, 0};
        CHECK(game_decide(&t->game, o, &exact, &t->again) == RULES_E_DICE && exact.used == 0);
    }
    exact = (struct rules_dice){t->die, dice.used, 0};
    CHECK(game_decide(&t->game, o, &exact, &t->again) == RULES_OK && exact.used == dice.used);
    for (uint32_t i = 0; i < t->again.out.n_events; i++)
        rules_apply(&t->board, &replay, &t->again.out.event[i], t->again.out.item);
    game_apply_all(&t->game, tag, &t->ev);
    rules_hash(&t->board, &replay, hash[0]);
    game_hash(&t->game, hash[1]);
    CHECK(o->kind == RULES_DO_UNDO || memcmp(hash[0], hash[1], RULES_HASH_LEN) == 0);
    check_state(&t->board, &t->game.rules.state);
    return true;
}

static void play(struct table *t, const uint8_t *data, size_t size)
{
    struct rules_order o = {.kind = RULES_DO_START};
    uint32_t tag = 0;

    play_dice(&t->rng, t->die, DICE);
    CHECK(give(t, &o, tag++));
    for (size_t i = 0; i + 1 < size && i < 2 * (size_t)ORDERS_MAX; i += 2) {
        t->rng.s ^= (uint64_t)(data[i] >> 1) << 32 | 1;
        if (data[i] % 2 == 1)
            play_wild_order(&t->rng, &t->game.rules, &o);
        else if (!rules_is_over(&t->game.rules.state))
            play_legal_order(&t->rng, &t->game.rules, &o);
        for (size_t k = 0; k < 64; k++)
            t->die[k] = (uint8_t)((data[i + 1] + k * (1 + data[i + 1] / 6U)) % 6 + 1);
        CHECK(!give(t, &o, tag) || o.kind != RULES_DO_START);
        tag++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table *t;
    uint64_t seed;

    if (size < sizeof(seed))
        return 0;
    memcpy(&seed, data, sizeof(seed));
    t = mem_zalloc(sizeof(*t));
    play_seed(&t->rng, seed);
    play_random_board(&t->rng, &t->board);
    game_init(&t->game, &t->board);
    play(t, data + sizeof(seed), size - sizeof(seed));
    game_fini(&t->game);
    game_events_fini(&t->ev);
    game_events_fini(&t->again);
    mem_free(t);
    return 0;
}
