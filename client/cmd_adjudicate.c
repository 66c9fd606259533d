/* SPDX-License-Identifier: ISC
 * cmd_adjudicate.c -- play a game that lies on a real table (PROTOCOL, Records and offline play).
 *
 * The whole file is read and checked first: one that is bad in any part does nothing.
 */
#include "client/cmd.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "proto/play.h"

#define FILE_MAX ((size_t)64 * 1024 * 1024)

struct table {
    struct scenario *scn;
    uint8_t *dice;
    size_t n_dice;
    struct rules_order *order;
    size_t n_orders;
};

static void table_fini(struct table *t)
{
    scenario_free(t->scn);
    mem_free(t->dice);
    mem_free(t->order);
}

/* An id of a shipped scenario, or one whole. */
static int read_scenario(const struct json *j, const char *path, struct table *t)
{
    char why[SCENARIO_WHY_LEN];
    const char *id = NULL;

    if (json_string(j, &id) && cmd_is_shipped(id))
        return cmd_load_scenario(id, &t->scn);
    if (j == NULL || json_type(j) != JSON_OBJECT)
        return cmd_fail(EX_DATAERR,
                        "%s: scenario: must be an object, or an id of: skirmish scenario list",
                        path);
    if (scenario_from_json(j, &t->scn, why) != ERR_OK)
        return cmd_fail(EX_DATAERR, "%s: scenario: %s", path, why);
    return EX_OK;
}

static int read_dice(const struct json *list, const char *path, struct table *t)
{
    if (list == NULL || json_type(list) != JSON_ARRAY)
        return cmd_fail(EX_DATAERR, "%s: dice: must be an array of 1 to 6", path);
    t->dice = mem_array(MAX(json_count(list), 1U), sizeof(*t->dice));
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        int64_t face;

        if (!json_int(j, &face) || face < 1 || face > 6)
            return cmd_fail(EX_DATAERR, "%s: dice[%zu]: must be a number 1 to 6", path, t->n_dice);
        t->dice[t->n_dice++] = (uint8_t)face;
    }
    return EX_OK;
}

static int read_order(const struct json *j, const char *path, struct table *t)
{
    struct rules_order *o = &t->order[t->n_orders];
    const struct scenario *scn = t->scn;
    char field[PLAY_WHY_LEN];
    const char *side = NULL;

    if (order_from_json(j, scn, o, field) != ERR_OK)
        return cmd_fail(EX_DATAERR, "%s: orders[%zu]: %s is missing or of a wrong shape", path,
                        t->n_orders, field);
    if (json_get_string(j, "side", &side))
        o->side = (uint8_t)scenario_side_find(scn, side);
    if (side == NULL || o->side == RULES_NOBODY)
        return cmd_fail(EX_DATAERR, "%s: orders[%zu]: side: must be %s or %s", path, t->n_orders,
                        scn->side[RULES_A].id, scn->side[RULES_B].id);
    t->n_orders++;
    return EX_OK;
}

static int read_orders(const struct json *list, const char *path, struct table *t)
{
    if (list == NULL || json_type(list) != JSON_ARRAY)
        return cmd_fail(EX_DATAERR, "%s: orders: must be an array of orders", path);
    t->order = mem_array(MAX(json_count(list), 1U), sizeof(*t->order));
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        const int code = read_order(j, path, t);

        if (code != EX_OK)
            return code;
    }
    return EX_OK;
}

static int read_table(const char *path, struct table *t)
{
    struct buf text = BUF_EMPTY;
    struct json *j = NULL;
    char why[JSON_WHY_LEN];
    int code = cmd_read_file(path, FILE_MAX, &text);

    if (code == EX_OK && json_parse(buf_str(&text), text.len, &json_file_limits, &j, why) != ERR_OK)
        code = cmd_fail(EX_DATAERR, "%s: %s", path, why);
    if (code == EX_OK && json_type(j) != JSON_OBJECT)
        code = cmd_fail(EX_DATAERR, "%s: must be an object with scenario, dice and orders", path);
    if (code == EX_OK)
        code = read_scenario(json_get(j, "scenario"), path, t);
    if (code == EX_OK)
        code = read_dice(json_get(j, "dice"), path, t);
    if (code == EX_OK)
        code = read_orders(json_get(j, "orders"), path, t);
    json_free(j);
    buf_fini(&text);
    return code;
}

static void put_events(const struct scenario *scn, const struct game_events *ev, struct buf *out)
{
    for (uint32_t i = 0; i < ev->out.n_events; i++) {
        struct jsonw w = jsonw_on(out);

        jsonw_obj(&w);
        event_members(&w, scn, &ev->out.event[i], ev->out.item);
        jsonw_obj_end(&w);
        buf_putc(out, '\n');
    }
}

static void put_refused(const struct scenario *scn, int64_t index, const struct rules_refusal *why,
                        struct buf *out)
{
    struct buf words = BUF_EMPTY;
    struct jsonw w = jsonw_on(out);
    char rule[16];

    refusal_words(scn, &scn->board, why, &words);
    (void)snprintf(rule, sizeof(rule), "R%u", rules_why_rule((enum rules_why)why->why));
    jsonw_obj(&w);
    jsonw_m_str(&w, "kind", "refused");
    jsonw_m_int(&w, "index", index);
    jsonw_m_str(&w, "rule", rule);
    jsonw_m_str(&w, "message", buf_str(&words));
    jsonw_obj_end(&w);
    buf_putc(out, '\n');
    buf_fini(&words);
}

static void put_wanted(int64_t index, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_str(&w, "kind", "dice_wanted");
    jsonw_m_int(&w, "index", index);
    jsonw_obj_end(&w);
    buf_putc(out, '\n');
}

static void put_state(const struct scenario *scn, const struct game *g, size_t dice_used,
                      struct buf *out)
{
    struct jsonw w = jsonw_on(out);
    uint8_t hash[RULES_HASH_LEN];

    game_hash(g, hash);
    jsonw_obj(&w);
    jsonw_m_str(&w, "kind", "state");
    state_members(&w, scn, &scn->board, &g->rules.state);
    jsonw_m_hex(&w, "state_hash", hash, sizeof(hash));
    jsonw_m_int(&w, "dice_used", (int64_t)dice_used);
    jsonw_obj_end(&w);
    buf_putc(out, '\n');
}

struct play {
    const struct scenario *scn;
    struct game game;
    struct game_events events;
    struct rules_dice dice;
};

/* One order, the start at index -1. False when the dice ran out: then nothing more is played. */
static bool play(struct play *p, int64_t index, const struct rules_order *o, struct buf *out)
{
    const enum rules_err e = game_decide(&p->game, o, &p->dice, &p->events);

    switch (e) {
    case RULES_OK:
        game_apply_all(&p->game, (uint32_t)index, &p->events);
        put_events(p->scn, &p->events, out);
        return true;
    case RULES_E_ILLEGAL:
        put_refused(p->scn, index, &p->events.out.refusal, out);
        return true;
    case RULES_E_DICE:
        put_wanted(index, out);
        return false;
    case RULES_E_ROOM:
        break; /* game_decide makes room */
    }
    CHECK(e != RULES_E_ROOM);
    return false;
}

static void play_all(const struct table *t, struct buf *out)
{
    static const struct rules_order start = {
        .kind = RULES_DO_START, .side = RULES_NOBODY, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    struct play p = {.scn = t->scn, .dice = {t->dice, t->n_dice, 0}};
    bool on;

    game_init(&p.game, &t->scn->board);
    on = play(&p, -1, &start, out);
    for (size_t i = 0; on && i < t->n_orders; i++)
        on = play(&p, (int64_t)i, &t->order[i], out);
    put_state(t->scn, &p.game, p.dice.used, out);
    game_events_fini(&p.events);
    game_fini(&p.game);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct table t = {NULL, NULL, 0, NULL, 0};
    struct buf out = BUF_EMPTY;
    int code;

    if (argc != 2)
        return cmd_usage(self);
    code = read_table(argv[1], &t);
    if (code == EX_OK) {
        play_all(&t, &out);
        code = cmd_write(&out);
    }
    buf_fini(&out);
    table_fini(&t);
    return code;
}

const struct command cmd_adjudicate = {
    .name = "adjudicate",
    .usage = "FILE|-",
    .help = "play {scenario, dice, orders} of a game on a real table and print what happens",
    .run = run,
};
