/* SPDX-License-Identifier: ISC
 * The odds that are shown are those that the dice give: counted over every throw.
 */
#include "common/base/mem.h"
#include "proto/game.h"
#include "proto/scenario.h"
#include "tests/cmocka_all.h"

#define THROWN 5 /* three fighters' dice and up to two saves */

/* r1, mounted by choice, stands between two enemies; one of them shows it its flank. */
static struct scenario *load(const char *type, const char *saves)
{
    struct buf text = BUF_EMPTY;
    char why[SCENARIO_WHY_LEN];
    struct scenario *s = NULL;

    buf_printf(
        &text,
        "{\"format\":1,\"id\":\"odds\",\"title\":\"t\",\"author\":\"a\",\"summary\":\"s\","
        "\"scale\":\"1in\",\"size\":[4,4],\"turns\":3,\"ground\":[\"....\",\"....\",\"....\","
        "\"....\"],\"sides\":[{\"id\":\"red\",\"name\":\"Red\",\"home\":\"s\"},"
        "{\"id\":\"blue\",\"name\":\"Blue\",\"home\":\"n\"}],\"figures\":["
        "{\"id\":\"r1\",\"side\":\"red\",\"type\":\"%s\",\"at\":\"b2\",\"face\":\"n\"},"
        "{\"id\":\"b1\",\"side\":\"blue\",\"type\":\"regular\",\"at\":\"b3\",\"face\":\"e\"},"
        "{\"id\":\"b2\",\"side\":\"blue\",\"type\":\"regular\",\"at\":\"b1\",\"face\":\"n\"}],"
        "\"readings\":{\"saves\":\"%s\"}}",
        type, saves);
    if (scenario_parse(buf_str(&text), text.len, &s, why) != ERR_OK)
        fail_msg("%s", why);
    buf_fini(&text);
    return s;
}

/* The position as both phases have ended but for blue's last word. */
static void come_to_blows(struct game *g, struct game_events *ev)
{
    static const uint8_t red_first[] = {6, 1};
    struct rules_dice dice = {red_first, 2, 0};
    struct rules_dice none = {NULL, 0, 0};
    struct rules_order o = {.kind = RULES_DO_START};

    assert_int_equal(game_decide(g, &o, &dice, ev), RULES_OK);
    game_apply_all(g, 0, ev);
    o = (struct rules_order){.kind = RULES_DO_END_PHASE, .side = RULES_A};
    assert_int_equal(game_decide(g, &o, &none, ev), RULES_OK);
    game_apply_all(g, 1, ev);
}

static bool falls(const struct game_events *ev, unsigned figure)
{
    for (uint32_t i = 0; i < ev->out.n_events; i++) {
        const struct rules_event *m = &ev->out.event[i];
        const union rules_item *killed;

        if (m->kind != RULES_EV_MELEE)
            continue;
        killed = ev->out.item + m->u.melee.item + m->u.melee.n_dice + m->u.melee.n_pairings +
                 m->u.melee.n_saves;
        for (unsigned k = 0; k < m->u.melee.n_killed; k++)
            if (killed[k].figure == figure)
                return true;
    }
    return false;
}

/* Of 6^THROWN throws, in how many each of the three falls. */
static void count_falls(const struct game *g, struct game_events *ev, uint64_t fell[3])
{
    const struct rules_order end = {.kind = RULES_DO_END_PHASE, .side = RULES_B};

    for (unsigned n = 0; n < 7776; n++) {
        uint8_t die[THROWN + 4] = {0, 0, 0, 0, 0, 6, 1, 6, 1};
        struct rules_dice dice = {die, sizeof(die), 0};
        unsigned left = n;

        for (unsigned i = 0; i < THROWN; i++, left /= 6)
            die[i] = (uint8_t)(1 + left % 6);
        for (unsigned tail = 0; game_decide(g, &end, &dice, ev) != RULES_OK; tail++) {
            die[THROWN - 1 - tail % 2] = (uint8_t)(1 + tail % 6); /* an initiative without end */
            assert_in_range(tail, 0, 20);
        }
        for (unsigned f = 0; f < 3; f++)
            fell[f] += falls(ev, f);
    }
}

static void check(const char *type, const char *saves)
{
    struct scenario *s = load(type, saves);
    struct game g;
    struct game_events ev = {0};
    uint64_t fell[3] = {0};

    game_init(&g, &s->board);
    come_to_blows(&g, &ev);
    count_falls(&g, &ev, fell);
    for (unsigned f = 0; f < 3; f++) {
        struct rules_odds odds = rules_odds_melee(&s->board, &g.rules.state, f);

        assert_true(fell[f] > 0);
        assert_int_equal(odds.n * 7776, fell[f] * odds.d);
    }
    game_fini(&g);
    game_events_fini(&ev);
    scenario_free(s);
}

static void melee_odds_are_those_of_all_throws(void **unused)
{
    (void)unused;
    check("regular", "each");
    check("regular", "one");
    check("mounted", "each");
    check("mounted", "one");
}

static void shot_odds_are_those_of_the_table(void **unused)
{
    (void)unused;
    for (unsigned hit = 2; hit <= 6; hit++)
        for (unsigned save = 2; save <= 6; save++) {
            struct rules_odds h = rules_odds_hit(hit);
            struct rules_odds k = rules_odds_kill(hit, save);
            unsigned hits = 0;
            unsigned kills = 0;

            for (unsigned a = 1; a <= 6; a++)
                for (unsigned b = 1; b <= 6; b++) {
                    hits += a >= hit;
                    kills += a >= hit && b < save;
                }
            assert_int_equal(h.n * 36, hits * h.d);
            assert_int_equal(k.n * 36, kills * k.d);
        }
}

static void morale_odds_are_six_throws(void **unused)
{
    unsigned six[4];

    (void)unused;
    rules_odds_morale(0, six);
    assert_int_equal(six[RULES_STEADY], 2);
    assert_int_equal(six[RULES_HALT], 1);
    assert_int_equal(six[RULES_RETREAT], 2);
    assert_int_equal(six[RULES_ROUT], 1);
    rules_odds_morale(1, six);
    assert_int_equal(six[RULES_STEADY], 3);
    assert_int_equal(six[RULES_HALT], 1);
    assert_int_equal(six[RULES_RETREAT], 2);
    assert_int_equal(six[RULES_ROUT], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(melee_odds_are_those_of_all_throws),
        cmocka_unit_test(shot_odds_are_those_of_the_table),
        cmocka_unit_test(morale_odds_are_six_throws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
