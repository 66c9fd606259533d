/* SPDX-License-Identifier: ISC
 * collusion.c -- what can a coalition gain on the dice?
 *
 * A game is brought to an open roll of ten dice. Then a coalition of two of the three parties
 * (server, maker, joiner; the maker acts) tries 20,000 times what is in its power: other words in
 * the order, other ids, another moment, shares late, withheld, forged or replayed. Each try runs
 * from the same game, and the best sum counts, as if the coalition could choose among them. The
 * same adversaries are pointed at
 *   FD1 strict   where no try may move a die;
 *   FD1 normal   where absence is the one choice left: two results, no third;
 *   usual        hash(server seed, client seed, nonce, order), the scheme of most fair-dice sites:
 *                whoever knows both seeds lifts the sum from 35 to 55;
 *   FD1 leaky    FD1 with the order's journal hash for salt;
 *   FD1 gullible FD1 that doesn't check links.
 * The last three prove that the harness bites. Foresight is measured as well: how far a coalition
 * that guesses the link it lacks can tell high rolls from low ones before the order is locked.
 */
#include <inttypes.h>

#include "tests/sim/collusion_game.h"

#include <sodium/crypto_hash_sha256.h>

#define TRIES       20000
#define MAX_RESULTS 3 /* different dice kept count of: one, two, many */

static const char *const coalitions[EVERYBODY + 1] = {
    [SET(SERVER) | SET(MAKER)] = "server+actor",
    [SET(SERVER) | SET(JOINER)] = "server+opponent",
    [SET(MAKER) | SET(JOINER)] = "both players",
};

struct scheme {
    const char *name;
    /* The dice of this try; false when it comes to no roll. */
    bool (*roll)(const struct game *g, const struct attempt *a, uint8_t faces[DICE]);
};

enum broken { USUAL, LEAKY, GULLIBLE, BROKEN_SCHEMES };

struct adversary {
    const char *name;
    void (*vary)(struct attempt *a, unsigned coalition, uint64_t *rng);
    unsigned moves; /* which broken schemes it moves: SET(enum broken) */
};

struct outcome {
    double honest, best; /* means over the games */
    unsigned results;    /* most different dice in one game, at most MAX_RESULTS */
    unsigned stalled;    /* tries that came to no roll */
};

static unsigned sum_of(const uint8_t faces[DICE])
{
    unsigned sum = 0;

    for (unsigned i = 0; i < DICE; i++)
        sum += faces[i];
    return sum;
}

static void dice_of(const uint8_t key[FD1_LEN], uint8_t faces[DICE])
{
    struct fd1_dice d;

    fd1_dice_init(&d, key);
    fd1_fill(&d, faces, DICE);
}

/* --- schemes ------------------------------------------------------------------------------ */

/* Hash of the journal with the order in it: the order is locked before any share is asked for. */
static void lock_order(const struct game *g, const struct attempt *a, uint8_t hash[FD1_LEN])
{
    char line[200];
    const int n = snprintf(line, sizeof(line),
                           "{\"kind\":\"order\",\"id\":%" PRIu64 ",\"req\":%" PRIu64
                           ",\"t\":%" PRIu64 ",\"nonce\":%" PRIu32 ",\"text\":\"%s\"}",
                           a->order_id, a->request_id, a->time_ms, a->nonce, a->text);

    CHECK(n > 0 && (size_t)n < sizeof(line));
    fd1_journal_hash(g->head, line, (uint32_t)n, hash);
}

/* Take the shares as they come; a wrong one is refused and counts as none (D6). */
static unsigned take_shares(const struct game *g, const struct attempt *a,
                            uint8_t share[PARTIES][FD1_LEN])
{
    unsigned present = 0;

    memset(share, 0, (size_t)PARTIES * FD1_LEN);
    for (unsigned i = 0; i < a->sends; i++) {
        const enum party p = a->sent[i].party;
        uint8_t x[FD1_LEN];

        make_share(g, p, a->sent[i].kind, a->sent[i].noise, x);
        if (!fd1_tail_check(&g->tail[p], g->n, x))
            continue;
        memcpy(share[p], x, FD1_LEN);
        present |= SET(p);
    }
    return present;
}

static bool roll_fd1(const struct game *g, const struct attempt *a, unsigned must,
                     uint8_t faces[DICE])
{
    uint8_t hash[FD1_LEN], share[PARTIES][FD1_LEN], key[FD1_LEN];
    unsigned present;

    lock_order(g, a, hash);
    present = take_shares(g, a, share);
    if ((present & must) != must)
        return false; /* waits, on the clock of whoever owes */
    roll_key(g, present, share, key);
    dice_of(key, faces);
    return true;
}

static bool roll_strict(const struct game *g, const struct attempt *a, uint8_t faces[DICE])
{
    return roll_fd1(g, a, EVERYBODY, faces);
}

static bool roll_normal(const struct game *g, const struct attempt *a, uint8_t faces[DICE])
{
    return roll_fd1(g, a, SET(SERVER) | SET(MAKER), faces);
}

static bool roll_leaky(const struct game *g, const struct attempt *a, uint8_t faces[DICE])
{
    struct game leaky = *g;

    lock_order(g, a, leaky.salt);
    return roll_strict(&leaky, a, faces);
}

static bool roll_gullible(const struct game *g, const struct attempt *a, uint8_t faces[DICE])
{
    uint8_t share[PARTIES][FD1_LEN], key[FD1_LEN];

    right_shares(g, share);
    for (unsigned i = 0; i < a->sends; i++)
        make_share(g, a->sent[i].party, a->sent[i].kind, a->sent[i].noise, share[a->sent[i].party]);
    roll_key(g, EVERYBODY, share, key);
    dice_of(key, faces);
    return true;
}

static bool roll_usual(const struct game *g, const struct attempt *a, uint8_t faces[DICE])
{
    uint8_t m[2 * FD1_LEN + 4 + 8 + sizeof(a->text)] = {0}, key[FD1_LEN];

    memcpy(m, g->seeds, sizeof(g->seeds));
    memcpy(m + 64, &a->nonce, 4);
    memcpy(m + 68, &a->order_id, 8);
    memcpy(m + 76, a->text, strlen(a->text));
    crypto_hash_sha256(key, m, sizeof(m));
    dice_of(key, faces);
    return true;
}

/* --- adversaries -------------------------------------------------------------------------- */

static void honest(struct attempt *a)
{
    static const enum party order[PARTIES] = {MAKER, JOINER, SERVER};

    *a = (struct attempt){.text = "fire r1 b1", .order_id = 7, .request_id = 3, .time_ms = 1000};
    for (unsigned p = 0; p < PARTIES; p++)
        a->sent[a->sends++].party = order[p];
}

static void vary_text(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    (void)coalition;
    (void)snprintf(a->text, sizeof(a->text), "fire r1 b1 note %016" PRIx64, next_u64(rng));
}

static void vary_ids(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    (void)coalition;
    a->order_id = next_u64(rng);
    a->request_id = next_u64(rng);
    a->nonce = (uint32_t)(next_u64(rng) & 0xffffffff);
}

/* Another moment, and the shares arrive in another order. */
static void vary_timing(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    (void)coalition;
    a->time_ms += next_u64(rng) % 600000;
    for (unsigned i = a->sends; i > 1; i--) {
        const unsigned j = (unsigned)(next_u64(rng) % i);
        const struct attempt was = *a;

        a->sent[i - 1] = was.sent[j];
        a->sent[j] = was.sent[i - 1];
    }
}

/* Its own shares withheld, and with the server anybody's lost. */
static void vary_absence(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < a->sends; i++) {
        const bool may = has(coalition, a->sent[i].party) || has(coalition, SERVER);

        if (may && next_u64(rng) % 4 == 0)
            continue;
        a->sent[kept++] = a->sent[i];
    }
    a->sends = kept;
}

/* Forged and replayed shares, before its right ones, after them or in their place. */
static void vary_shares(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    for (unsigned i = 0; i < a->sends; i++)
        if (has(coalition, a->sent[i].party) && next_u64(rng) % 8 == 0) {
            a->sent[i].kind = (enum share)(next_u64(rng) % SHARE_KINDS);
            a->sent[i].noise = next_u64(rng);
        }
    for (unsigned left = (unsigned)(next_u64(rng) % 3); left > 0 && a->sends < MAX_SENDS; left--) {
        const enum party p = (enum party)(next_u64(rng) % PARTIES);

        if (!has(coalition, p))
            continue;
        a->sent[a->sends].party = p;
        a->sent[a->sends].kind = (enum share)(next_u64(rng) % SHARE_KINDS);
        a->sent[a->sends++].noise = next_u64(rng);
    }
}

static void vary_all(struct attempt *a, unsigned coalition, uint64_t *rng)
{
    vary_text(a, coalition, rng);
    vary_ids(a, coalition, rng);
    vary_shares(a, coalition, rng);
    vary_absence(a, coalition, rng);
    vary_timing(a, coalition, rng);
}

static const struct adversary adversaries[] = {
    {"order text", vary_text, SET(USUAL) | SET(LEAKY)},
    {"ids and nonces", vary_ids, SET(USUAL) | SET(LEAKY)},
    {"timing", vary_timing, SET(LEAKY)},
    {"absence", vary_absence, 0},
    {"wrong shares", vary_shares, SET(GULLIBLE)},
    {"all of these", vary_all, SET(USUAL) | SET(LEAKY) | SET(GULLIBLE)},
};

/* --- the harness -------------------------------------------------------------------------- */

/* Keep count of different dice in seen[0..*n), up to MAX_RESULTS. */
static void note_result(uint8_t seen[MAX_RESULTS][DICE], unsigned *n, const uint8_t faces[DICE])
{
    for (unsigned i = 0; i < *n; i++)
        if (memcmp(seen[i], faces, DICE) == 0)
            return;
    if (*n < MAX_RESULTS)
        memcpy(seen[(*n)++], faces, DICE);
}

/* All tries at one game's open roll; adds to `o`. */
static void attack_game(const struct game *g, const struct scheme *s, const struct adversary *adv,
                        unsigned coalition, struct outcome *o)
{
    uint8_t seen[MAX_RESULTS][DICE], faces[DICE];
    uint64_t rng = 1;
    unsigned results = 0, best;
    struct attempt a;

    honest(&a);
    CHECK(s->roll(g, &a, faces));
    note_result(seen, &results, faces);
    best = sum_of(faces);
    o->honest += best;
    for (unsigned i = 0; i < TRIES; i++) {
        honest(&a);
        adv->vary(&a, coalition, &rng);
        if (!s->roll(g, &a, faces)) {
            o->stalled++;
            continue;
        }
        note_result(seen, &results, faces);
        best = MAX(best, sum_of(faces));
    }
    o->best += best;
    o->results = MAX(o->results, results);
}

static struct outcome attack(const struct scheme *s, const struct adversary *adv,
                             unsigned coalition, unsigned games)
{
    static struct game g;
    struct outcome o = {0};

    for (unsigned i = 0; i < games; i++) {
        game_open(&g, (uint64_t)coalition << 32 | i);
        while (g.n < OPEN_ROLL)
            game_next(&g);
        attack_game(&g, s, adv, coalition, &o);
    }
    o.honest /= games;
    o.best /= games;
    return o;
}

static bool say(bool ok, const struct scheme *s, const struct adversary *adv, unsigned coalition,
                const struct outcome *o)
{
    printf("%s %-12s  %-16s %-15s  honest %5.2f  best %5.2f  results %s  stalled %u\n",
           ok ? "ok  " : "FAIL", s->name, adv->name, coalitions[coalition], o->honest, o->best,
           o->results == MAX_RESULTS ? "many"
           : o->results == 2         ? "2"
                                     : "1",
           o->stalled);
    return ok;
}

/* Strict: whoever conspires and however, every try that rolls shows the same dice. */
static bool strict_holds(void)
{
    const struct scheme strict = {"FD1 strict", roll_strict};
    bool ok = true;

    for (unsigned coalition = 0; coalition < ARRAY_LEN(coalitions); coalition++)
        for (size_t i = 0; coalitions[coalition] != NULL && i < ARRAY_LEN(adversaries); i++) {
            const struct outcome o = attack(&strict, &adversaries[i], coalition, 1);
            const bool held = o.results == 1 && o.stalled < TRIES;

            ok = say(held, &strict, &adversaries[i], coalition, &o) && ok;
        }
    return ok;
}

/* Mean of the best of `tries` sums of ten fair d6, from their exact distribution. */
static double best_of(unsigned tries)
{
    double ways[6 * DICE + 1] = {1}, below = 0, mean = 0, all = 0, passed = 0;

    for (unsigned die = 1; die <= DICE; die++)
        for (unsigned sum = 6 * die + 1; sum-- > 0;) { /* downwards: in place */
            ways[sum] = 0;
            for (unsigned face = 1; face <= MIN(6u, sum); face++)
                ways[sum] += ways[sum - face];
        }
    for (unsigned sum = DICE; sum <= 6 * DICE; sum++)
        all += ways[sum];
    for (unsigned sum = DICE; sum <= 6 * DICE; sum++) {
        double none_above = 1;

        passed += ways[sum];
        for (unsigned i = 0; i < tries; i++)
            none_above *= passed / all;
        mean += sum * (none_above - below);
        below = none_above;
    }
    return mean;
}

/*
 * The same adversaries move schemes that let the order in, and gain what free choice among 20,000
 * throws is worth: 54.95 on average. (Of unchecked links, not each try brings another.)
 */
static bool harness_bites(void)
{
    static const struct scheme broken[BROKEN_SCHEMES] = {
        {"usual", roll_usual}, {"FD1 leaky", roll_leaky}, {"FD1 gullible", roll_gullible}};
    static const unsigned games[BROKEN_SCHEMES] = {12, 4, 4};
    const unsigned coalition = SET(SERVER) | SET(MAKER);
    const double choice = best_of(TRIES);
    bool ok = true;

    for (unsigned k = 0; k < BROKEN_SCHEMES; k++)
        for (size_t i = 0; i < ARRAY_LEN(adversaries); i++) {
            const struct adversary *adv = &adversaries[i];
            const bool moves = has(adv->moves, k);
            const struct outcome o = attack(&broken[k], adv, coalition, moves ? games[k] : 1);
            const bool lifted = o.best > choice - 3 && o.best < choice + 2;

            ok = say(moves ? lifted : o.results == 1, &broken[k], adv, coalition, &o) && ok;
        }
    printf("     free choice among %u fair throws is worth %.2f\n", (unsigned)TRIES, choice);
    return ok;
}

/* Normal: two results, with the opponent and without; the record says which it was. */
static bool normal_leaves_one_choice(void)
{
    const struct scheme normal = {"FD1 normal", roll_normal};
    const unsigned coalition = SET(SERVER) | SET(MAKER);
    bool ok = true;

    for (size_t i = 0; i < ARRAY_LEN(adversaries); i++) {
        const struct adversary *adv = &adversaries[i];
        const bool chooses = adv->vary == vary_absence || adv->vary == vary_all;
        const struct outcome o = attack(&normal, adv, coalition, 1);

        ok = say(o.results == (chooses ? 2 : 1), &normal, adv, coalition, &o) && ok;
    }
    return ok;
}

/* --- foresight ---------------------------------------------------------------------------- */

/*
 * Over many rolls: mean sum of those foretold high less that of those foretold low, by a
 * coalition that knows the links of `known` and guesses the others. `present`: whose share
 * enters.
 */
static double foresight(unsigned known, unsigned present)
{
    static struct game g;
    double sum[2] = {0}, rolls[2] = {0};
    uint64_t rng = 2;

    for (unsigned match = 0; match < 600; match++)
        for (game_open(&g, 1000 + match); g.n < LINKS; game_next(&g)) {
            uint8_t share[PARTIES][FD1_LEN], guess[PARTIES][FD1_LEN], key[FD1_LEN];
            uint8_t foretold[DICE], faces[DICE];
            bool high;

            right_shares(&g, share);
            memcpy(guess, share, sizeof(guess));
            for (unsigned p = 0; p < PARTIES; p++)
                if (!has(known, p)) /* its last link, or a lucky throw */
                    make_share(&g, (enum party)p, g.n % 2 ? SHARE_LAST : SHARE_RANDOM,
                               next_u64(&rng), guess[p]);
            roll_key(&g, present, guess, key);
            dice_of(key, foretold);
            roll_key(&g, present, share, key);
            dice_of(key, faces);
            high = sum_of(foretold) > 35;
            sum[high] += sum_of(faces);
            rolls[high]++;
        }
    return sum[1] / rolls[1] - sum[0] / rolls[0];
}

/* Two of three foresee nothing (five sigmas: 0.6); all links known foretells all (about 8.6). */
static bool foresight_is_nil(void)
{
    static const struct {
        const char *name;
        unsigned known, present;
        bool foresees;
    } cases[] = {
        {"server+actor", SET(SERVER) | SET(MAKER), EVERYBODY, false},
        {"server+opponent", SET(SERVER) | SET(JOINER), EVERYBODY, false},
        {"both players", SET(MAKER) | SET(JOINER), EVERYBODY, false},
        {"server+actor, opponent absent", SET(SERVER) | SET(MAKER), SET(SERVER) | SET(MAKER), true},
        {"all three", EVERYBODY, EVERYBODY, true},
    };
    bool ok = true;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const double gain = foresight(cases[i].known, cases[i].present);
        const bool good = cases[i].foresees ? gain > 8 : gain > -0.6 && gain < 0.6;

        printf("%s foresight   %-32s  high less low %5.2f\n", good ? "ok  " : "FAIL", cases[i].name,
               gain);
        ok = ok && good;
    }
    return ok;
}

int main(void)
{
    bool ok = strict_holds();

    ok = normal_leaves_one_choice() && ok;
    ok = harness_bites() && ok;
    ok = foresight_is_nil() && ok;
    return ok ? 0 : 1;
}
