/* SPDX-License-Identifier: ISC
 * Scenario files: whatever the file, it is refused with a reason or it is a board on which a game
 * can be begun, and its JSON gives the same scenario again.
 */
#include "common/base/mem.h"
#include "proto/game.h"
#include "proto/json.h"
#include "proto/scenario.h"
#include "tests/fuzz/fuzz.h"

/* A start, and the end of a phase or two. */
static void begin(const struct scenario *s)
{
    static uint8_t face[8192]; /* always the same dice */
    struct rules_order o = {.kind = RULES_DO_START};
    struct game g;
    struct game_events ev = {.out = {.n_events = 0}};

    for (size_t i = 0; i < sizeof(face); i++)
        face[i] = (uint8_t)(i * 7 % 6 + 1);
    game_init(&g, &s->board);
    for (int i = 0; i < 4 && !rules_is_over(&g.rules.state); i++) {
        struct rules_dice dice = {face, sizeof(face), 0};

        CHECK(game_decide(&g, &o, &dice, &ev) == RULES_OK);
        game_apply_all(&g, (uint32_t)i, &ev);
        o = (struct rules_order){.kind = RULES_DO_END_PHASE, .side = g.rules.state.active};
    }
    game_events_fini(&ev);
    game_fini(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[SCENARIO_WHY_LEN] = "";
    struct scenario *s = NULL, *again = NULL;

    if (scenario_parse((const char *)data, size, &s, why) != ERR_OK) {
        CHECK(why[0] != '\0' && s == NULL);
        return 0;
    }
    CHECK(scenario_parse(s->json, s->json_len, &again, why) == ERR_OK);
    CHECK(s->json_len == again->json_len && memcmp(s->json, again->json, s->json_len) == 0);
    CHECK(memcmp(s->hash, again->hash, sizeof(s->hash)) == 0);
    begin(s);
    scenario_free(s);
    scenario_free(again);
    return 0;
}
