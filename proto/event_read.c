/* SPDX-License-Identifier: ISC
 * event_read.c -- events of play from JSON (PROTOCOL, Events of play).
 *
 * Every number and name is checked against the scenario, so that an event that was read can be
 * applied without harm; that it is the right one only the rules can say.
 */
#include "common/base/mem.h"
#include "proto/play_json.h"

/* One more item behind the outcome's. */
static union rules_item *new_item(struct rules_outcome *o)
{
    if (o->n_items == o->item_cap) {
        o->item_cap = MAX(o->item_cap * 2, (uint32_t)RULES_ITEMS_HINT);
        o->item = mem_resize(o->item, o->item_cap, sizeof(*o->item));
    }
    o->item[o->n_items] = (union rules_item){{0}};
    return &o->item[o->n_items++];
}

/* The elements of `list`, each made into an item by `read`; their number into *n. */
static bool get_items(const struct json *list, const struct scenario *scn, struct rules_outcome *o,
                      bool (*read)(const struct json *, const struct scenario *,
                                   union rules_item *),
                      uint16_t *n)
{
    unsigned count = 0;

    if (list == NULL || json_count(list) > UINT16_MAX)
        return false;
    for (const struct json *e = json_first(list); e != NULL; e = json_next(e), count++) {
        if (!read(e, scn, new_item(o)))
            return false;
    }
    *n = (uint16_t)count;
    return true;
}

static bool read_id(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    return play_figure(j, scn, &out->figure);
}

static bool read_face(const struct json *j, uint8_t *out)
{
    int64_t v;

    if (!json_int(j, &v) || v < 1 || v > 6)
        return false;
    *out = (uint8_t)v;
    return true;
}

static bool read_roll(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    const struct json *a = json_first(j);

    (void)scn;
    return json_type(j) == JSON_ARRAY && json_count(j) == 2 && read_face(a, &out->roll.a) &&
           read_face(json_next(a), &out->roll.b);
}

static bool read_placed(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    return play_get_figure(j, "figure", scn, &out->placed.figure) &&
           play_get_square(j, "at", scn, &out->placed.at) &&
           play_get_dir(j, "face", &out->placed.face);
}

static bool read_die(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    return play_get_figure(j, "figure", scn, &out->die.figure) &&
           play_get_die(j, "die", &out->die.die);
}

static bool read_pairing(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    unsigned a, b;

    if (!play_get_figure(j, "a", scn, &out->pairing.a) ||
        !play_get_figure(j, "b", scn, &out->pairing.b) ||
        !play_get_uint(j, "total_a", UINT8_MAX, &a) || !play_get_uint(j, "total_b", UINT8_MAX, &b))
        return false;
    out->pairing.total_a = (uint8_t)a;
    out->pairing.total_b = (uint8_t)b;
    return true;
}

static bool read_save(const struct json *j, const struct scenario *scn, union rules_item *out)
{
    bool saved = false;

    if (!play_get_figure(j, "figure", scn, &out->save.figure) ||
        !play_get_figure(j, "against", scn, &out->save.against) ||
        !play_get_die(j, "die", &out->save.die) || !json_get_bool(j, "saved", &saved))
        return false;
    out->save.saved = saved ? 1 : 0;
    return true;
}

static bool read_initiative(const struct json *j, const struct scenario *scn,
                            struct rules_outcome *o, struct rules_event *ev)
{
    unsigned turn;

    ev->u.initiative.item = o->n_items;
    if (!play_get_uint(j, "turn", RULES_TURNS_MAX, &turn) ||
        !get_items(play_get_array(j, "dice"), scn, o, read_roll, &ev->u.initiative.n) ||
        !play_get_side(j, "first", scn, &ev->u.initiative.first))
        return false;
    ev->u.initiative.turn = (uint16_t)turn;
    return true;
}

/* phase, end_phase and end_turn: those of turn and side that the kind has. */
static bool read_phase(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    unsigned turn = 0;

    ev->u.phase.side = RULES_NOBODY;
    if (ev->kind != RULES_EV_END_PHASE && !play_get_uint(j, "turn", RULES_TURNS_MAX, &turn))
        return false;
    ev->u.phase.turn = (uint16_t)turn;
    return ev->kind == RULES_EV_END_TURN || play_get_side(j, "side", scn, &ev->u.phase.side);
}

static bool read_arrive(const struct json *j, const struct scenario *scn, struct rules_outcome *o,
                        struct rules_event *ev)
{
    unsigned wave;

    ev->u.arrive.item = o->n_items;
    ev->u.arrive.edge = RULES_NO_DIR;
    if (!play_get_side(j, "side", scn, &ev->u.arrive.side) ||
        !play_get_uint(j, "wave", RULES_WAVES_MAX, &wave) || wave >= scn->board.n_waves)
        return false;
    ev->u.arrive.wave = (uint8_t)wave;
    if ((json_get(j, "die") != NULL && !play_get_die(j, "die", &ev->u.arrive.die)) ||
        (json_get(j, "edge") != NULL && !play_get_dir(j, "edge", &ev->u.arrive.edge)))
        return false;
    return get_items(play_get_array(j, "figures"), scn, o, read_placed, &ev->u.arrive.n_placed) &&
           get_items(play_get_array(j, "waiting"), scn, o, read_id, &ev->u.arrive.n_waiting);
}

static bool get_morale(const struct json *j, const char *name, uint8_t *out)
{
    const char *word = NULL;

    return json_get_string(j, name, &word) && morale_from_word(word, out);
}

static bool read_morale(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    unsigned bonus;

    if (!play_get_figure(j, "figure", scn, &ev->u.morale.figure) ||
        !play_get_die(j, "die", &ev->u.morale.die) || !play_get_uint(j, "bonus", 1, &bonus))
        return false;
    ev->u.morale.bonus = (uint8_t)bonus;
    return get_morale(j, "result", &ev->u.morale.result);
}

static bool read_fall_back(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    bool left = false;

    if (!play_get_figure(j, "figure", scn, &ev->u.fall_back.figure) ||
        !get_morale(j, "state", &ev->u.fall_back.state) ||
        !play_get_square(j, "from", scn, &ev->u.fall_back.from) ||
        !play_get_path(j, "path", scn, ev->u.fall_back.path, &ev->u.fall_back.n) ||
        !play_get_dir(j, "face", &ev->u.fall_back.face) || !json_get_bool(j, "left", &left))
        return false;
    ev->u.fall_back.left = left ? 1 : 0;
    return ev->u.fall_back.state == RULES_RETREAT || ev->u.fall_back.state == RULES_ROUT;
}

static bool read_group(const struct json *j, const struct scenario *scn,
                       uint8_t figure[RULES_STACK_MAX], uint8_t *n)
{
    const struct json *list = play_get_array(j, "figures");
    uint8_t i = 0;

    if (list == NULL || json_count(list) == 0 || json_count(list) > RULES_STACK_MAX)
        return false;
    for (const struct json *e = json_first(list); e != NULL; e = json_next(e)) {
        if (!play_figure(e, scn, &figure[i++]))
            return false;
    }
    *n = i;
    return true;
}

static bool read_move(const struct json *j, const struct scenario *scn, enum rules_dir exit_edge,
                      struct rules_event *ev)
{
    bool left = false;

    if (!read_group(j, scn, ev->u.move.figure, &ev->u.move.n_figures) ||
        !play_get_square(j, "from", scn, &ev->u.move.from) ||
        !play_get_path(j, "path", scn, ev->u.move.path, &ev->u.move.n) ||
        !play_get_dir(j, "face", &ev->u.move.face))
        return false;
    if (json_get(j, "left") != NULL && !json_get_bool(j, "left", &left))
        return false;
    ev->u.move.left = left ? (uint8_t)exit_edge : RULES_NO_DIR;
    return !left || exit_edge != RULES_NO_DIR;
}

static bool read_turn(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    return read_group(j, scn, ev->u.turn.figure, &ev->u.turn.n_figures) &&
           play_get_square(j, "at", scn, &ev->u.turn.at) &&
           play_get_dir(j, "face", &ev->u.turn.face);
}

static bool read_undo(const struct json *j, struct rules_event *ev)
{
    unsigned tag;

    if (!play_get_uint(j, "undone", UINT32_MAX, &tag))
        return false;
    ev->u.undo.tag = tag;
    return true;
}

static bool read_shot(const struct json *j, const struct scenario *scn, struct rules_shot *shot)
{
    bool hit = false, killed = false;

    if (!play_get_figure(j, "figure", scn, &shot->figure) ||
        !play_get_figure(j, "at", scn, &shot->at))
        return false;
    if (json_get(j, "die") == NULL)
        return true; /* its aim had fallen */
    if (!play_get_die(j, "die", &shot->die) || !json_get_bool(j, "hit", &hit))
        return false;
    shot->hit = hit ? 1 : 0;
    if (!hit)
        return true;
    if (!play_get_die(j, "save", &shot->save) || !json_get_bool(j, "killed", &killed))
        return false;
    shot->killed = killed ? 1 : 0;
    return true;
}

static bool read_volley(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    const struct json *shots = play_get_array(j, "shots");
    unsigned range, to_hit, to_save;

    if (!play_get_square(j, "square", scn, &ev->u.volley.square) ||
        !play_get_dir(j, "face", &ev->u.volley.face) ||
        !play_get_square(j, "target", scn, &ev->u.volley.target) ||
        !play_get_uint(j, "range", UINT8_MAX, &range) ||
        !play_get_uint(j, "to_hit", UINT8_MAX, &to_hit) ||
        !play_get_uint(j, "to_save", UINT8_MAX, &to_save) || shots == NULL ||
        json_count(shots) > RULES_STACK_MAX)
        return false;
    ev->u.volley.range = (uint8_t)range;
    ev->u.volley.to_hit = (uint8_t)to_hit;
    ev->u.volley.to_save = (uint8_t)to_save;
    for (const struct json *e = json_first(shots); e != NULL; e = json_next(e)) {
        if (!read_shot(e, scn, &ev->u.volley.shot[ev->u.volley.n++]))
            return false;
    }
    return true;
}

static bool read_melee(const struct json *j, const struct scenario *scn, struct rules_outcome *o,
                       struct rules_event *ev)
{
    ev->u.melee.item = o->n_items;
    return get_items(play_get_array(j, "dice"), scn, o, read_die, &ev->u.melee.n_dice) &&
           get_items(play_get_array(j, "pairings"), scn, o, read_pairing,
                     &ev->u.melee.n_pairings) &&
           get_items(play_get_array(j, "saves"), scn, o, read_save, &ev->u.melee.n_saves) &&
           get_items(play_get_array(j, "killed"), scn, o, read_id, &ev->u.melee.n_killed);
}

static bool read_over(const struct json *j, const struct scenario *scn, struct rules_event *ev)
{
    const struct json *winner = json_get(j, "winner");
    const char *reason = NULL;

    ev->u.over.winner = RULES_NOBODY;
    if (winner == NULL)
        return false;
    if (json_type(winner) != JSON_NULL && !play_get_side(j, "winner", scn, &ev->u.over.winner))
        return false;
    return json_get_string(j, "reason", &reason) && reason_from_word(reason, &ev->u.over.reason);
}

static bool read_event(const struct json *j, const struct scenario *scn, enum rules_dir exit_edge,
                       struct rules_outcome *o, struct rules_event *ev)
{
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_INITIATIVE:
        return read_initiative(j, scn, o, ev);
    case RULES_EV_PHASE:
    case RULES_EV_END_PHASE:
    case RULES_EV_END_TURN:
        return read_phase(j, scn, ev);
    case RULES_EV_ARRIVE:
        return read_arrive(j, scn, o, ev);
    case RULES_EV_MORALE:
        return read_morale(j, scn, ev);
    case RULES_EV_FALL_BACK:
        return read_fall_back(j, scn, ev);
    case RULES_EV_MOVE:
        return read_move(j, scn, exit_edge, ev);
    case RULES_EV_TURN:
        return read_turn(j, scn, ev);
    case RULES_EV_UNDO:
        return read_undo(j, ev);
    case RULES_EV_VOLLEY:
        return read_volley(j, scn, ev);
    case RULES_EV_MELEE:
        return read_melee(j, scn, o, ev);
    case RULES_EV_OVER:
        return read_over(j, scn, ev);
    case RULES_EV_COUNT:
        break;
    }
    return false;
}

enum err event_from_json(const struct json *j, const struct scenario *scn, enum rules_dir exit,
                         struct game_events *ev)
{
    struct rules_outcome *o = &ev->out;
    const uint32_t items = o->n_items;
    struct rules_event got;
    const char *word = NULL;

    memset(&got, 0, sizeof(got)); /* every byte, so that equal events compare equal */
    if (!json_get_string(j, "kind", &word) || !event_kind_from_word(word, &got.kind) ||
        !read_event(j, scn, exit, o, &got)) {
        o->n_items = items;
        return ERR_DATA;
    }
    if (o->n_events == o->event_cap) {
        o->event_cap = MAX(o->event_cap * 2, (uint32_t)RULES_EVENTS_HINT);
        o->event = mem_resize(o->event, o->event_cap, sizeof(*o->event));
    }
    o->event[o->n_events++] = got;
    return ERR_OK;
}
