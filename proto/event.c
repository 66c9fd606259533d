/* SPDX-License-Identifier: ISC
 * event.c -- events of play to JSON (PROTOCOL, Events of play).
 */
#include "common/base/str.h"
#include "proto/play_json.h"

static const char *const kinds[] = {"initiative", "phase",     "end_phase", "end_turn", "arrive",
                                    "morale",     "fall_back", "move",      "turn",     "undo",
                                    "volley",     "melee",     "over"};
_Static_assert(ARRAY_LEN(kinds) == RULES_EV_COUNT, "a word for every kind of event");

const char *event_kind_word(enum rules_event_kind kind)
{
    return kinds[kind];
}

bool event_kind_from_word(const char *kind, uint8_t *out)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_eq(kind, kinds[i])) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static void put_initiative(struct jsonw *w, const struct scenario *scn,
                           const struct rules_event *ev, const union rules_item *items)
{
    jsonw_m_int(w, "turn", ev->u.initiative.turn);
    jsonw_m_arr(w, "dice");
    for (unsigned i = 0; i < ev->u.initiative.n; i++) {
        const union rules_item *item = &items[ev->u.initiative.item + i];

        jsonw_arr(w);
        jsonw_int(w, item->roll.a);
        jsonw_int(w, item->roll.b);
        jsonw_arr_end(w);
    }
    jsonw_arr_end(w);
    play_put_side(w, "first", scn, ev->u.initiative.first);
}

/* Figures of items[from..from+n) that are nothing but a figure. */
static void put_ids(struct jsonw *w, const char *name, const struct scenario *scn,
                    const union rules_item *from, unsigned n)
{
    jsonw_m_arr(w, name);
    for (unsigned i = 0; i < n; i++)
        jsonw_str(w, play_id(scn, from[i].figure));
    jsonw_arr_end(w);
}

static void put_arrive(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev,
                       const union rules_item *items)
{
    const union rules_item *item = &items[ev->u.arrive.item];

    play_put_side(w, "side", scn, ev->u.arrive.side);
    jsonw_m_int(w, "wave", ev->u.arrive.wave);
    if (ev->u.arrive.die != 0)
        jsonw_m_int(w, "die", ev->u.arrive.die);
    if (ev->u.arrive.edge != RULES_NO_DIR)
        play_put_dir(w, "edge", ev->u.arrive.edge);
    jsonw_m_arr(w, "figures");
    for (unsigned i = 0; i < ev->u.arrive.n_placed; i++) {
        jsonw_obj(w);
        jsonw_m_str(w, "figure", play_id(scn, item[i].placed.figure));
        play_put_square(w, "at", scn, item[i].placed.at);
        play_put_dir(w, "face", item[i].placed.face);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    put_ids(w, "waiting", scn, item + ev->u.arrive.n_placed, ev->u.arrive.n_waiting);
}

static void put_fall_back(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev)
{
    jsonw_m_str(w, "figure", play_id(scn, ev->u.fall_back.figure));
    jsonw_m_str(w, "state", morale_word((enum rules_morale)ev->u.fall_back.state));
    play_put_square(w, "from", scn, ev->u.fall_back.from);
    play_put_squares(w, "path", scn, ev->u.fall_back.path, ev->u.fall_back.n);
    play_put_dir(w, "face", ev->u.fall_back.face);
    jsonw_m_bool(w, "left", ev->u.fall_back.left != 0);
}

static void put_group(struct jsonw *w, const struct scenario *scn, const uint8_t *figure,
                      unsigned n)
{
    jsonw_m_arr(w, "figures");
    for (unsigned i = 0; i < n; i++)
        jsonw_str(w, play_id(scn, figure[i]));
    jsonw_arr_end(w);
}

static void put_move(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev)
{
    put_group(w, scn, ev->u.move.figure, ev->u.move.n_figures);
    play_put_square(w, "from", scn, ev->u.move.from);
    play_put_squares(w, "path", scn, ev->u.move.path, ev->u.move.n);
    play_put_dir(w, "face", ev->u.move.face);
    if (ev->u.move.left != RULES_NO_DIR)
        jsonw_m_bool(w, "left", true);
}

static void put_shot(struct jsonw *w, const struct scenario *scn, const struct rules_shot *shot)
{
    jsonw_obj(w);
    jsonw_m_str(w, "figure", play_id(scn, shot->figure));
    jsonw_m_str(w, "at", play_id(scn, shot->at));
    if (shot->die != 0) {
        jsonw_m_int(w, "die", shot->die);
        jsonw_m_bool(w, "hit", shot->hit != 0);
    }
    if (shot->hit != 0) {
        jsonw_m_int(w, "save", shot->save);
        jsonw_m_bool(w, "killed", shot->killed != 0);
    }
    jsonw_obj_end(w);
}

static void put_volley(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev)
{
    play_put_square(w, "square", scn, ev->u.volley.square);
    play_put_dir(w, "face", ev->u.volley.face);
    play_put_square(w, "target", scn, ev->u.volley.target);
    jsonw_m_int(w, "range", ev->u.volley.range);
    jsonw_m_int(w, "to_hit", ev->u.volley.to_hit);
    jsonw_m_int(w, "to_save", ev->u.volley.to_save);
    jsonw_m_arr(w, "shots");
    for (unsigned i = 0; i < ev->u.volley.n; i++)
        put_shot(w, scn, &ev->u.volley.shot[i]);
    jsonw_arr_end(w);
}

static void put_melee(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev,
                      const union rules_item *items)
{
    const union rules_item *item = &items[ev->u.melee.item];

    jsonw_m_arr(w, "dice");
    for (unsigned i = 0; i < ev->u.melee.n_dice; i++, item++) {
        jsonw_obj(w);
        jsonw_m_str(w, "figure", play_id(scn, item->die.figure));
        jsonw_m_int(w, "die", item->die.die);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    jsonw_m_arr(w, "pairings");
    for (unsigned i = 0; i < ev->u.melee.n_pairings; i++, item++) {
        jsonw_obj(w);
        jsonw_m_str(w, "a", play_id(scn, item->pairing.a));
        jsonw_m_str(w, "b", play_id(scn, item->pairing.b));
        jsonw_m_int(w, "total_a", item->pairing.total_a);
        jsonw_m_int(w, "total_b", item->pairing.total_b);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    jsonw_m_arr(w, "saves");
    for (unsigned i = 0; i < ev->u.melee.n_saves; i++, item++) {
        jsonw_obj(w);
        jsonw_m_str(w, "figure", play_id(scn, item->save.figure));
        jsonw_m_str(w, "against", play_id(scn, item->save.against));
        jsonw_m_int(w, "die", item->save.die);
        jsonw_m_bool(w, "saved", item->save.saved != 0);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    put_ids(w, "killed", scn, item, ev->u.melee.n_killed);
}

static void put_morale(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev)
{
    jsonw_m_str(w, "figure", play_id(scn, ev->u.morale.figure));
    jsonw_m_int(w, "die", ev->u.morale.die);
    jsonw_m_int(w, "bonus", ev->u.morale.bonus);
    jsonw_m_str(w, "result", morale_word((enum rules_morale)ev->u.morale.result));
}

static void put_turn(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev)
{
    put_group(w, scn, ev->u.turn.figure, ev->u.turn.n_figures);
    play_put_square(w, "at", scn, ev->u.turn.at);
    play_put_dir(w, "face", ev->u.turn.face);
}

void event_members(struct jsonw *w, const struct scenario *scn, const struct rules_event *ev,
                   const union rules_item *items)
{
    jsonw_m_str(w, "kind", event_kind_word((enum rules_event_kind)ev->kind));
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_INITIATIVE:
        put_initiative(w, scn, ev, items);
        break;
    case RULES_EV_PHASE:
        jsonw_m_int(w, "turn", ev->u.phase.turn);
        play_put_side(w, "side", scn, ev->u.phase.side);
        break;
    case RULES_EV_END_PHASE:
        play_put_side(w, "side", scn, ev->u.phase.side);
        break;
    case RULES_EV_END_TURN:
        jsonw_m_int(w, "turn", ev->u.phase.turn);
        break;
    case RULES_EV_ARRIVE:
        put_arrive(w, scn, ev, items);
        break;
    case RULES_EV_MORALE:
        put_morale(w, scn, ev);
        break;
    case RULES_EV_FALL_BACK:
        put_fall_back(w, scn, ev);
        break;
    case RULES_EV_MOVE:
        put_move(w, scn, ev);
        break;
    case RULES_EV_TURN:
        put_turn(w, scn, ev);
        break;
    case RULES_EV_UNDO:
        jsonw_m_int(w, "undone", ev->u.undo.tag);
        break;
    case RULES_EV_VOLLEY:
        put_volley(w, scn, ev);
        break;
    case RULES_EV_MELEE:
        put_melee(w, scn, ev, items);
        break;
    case RULES_EV_OVER:
        play_put_side(w, "winner", scn, ev->u.over.winner);
        jsonw_m_str(w, "reason", reason_word((enum rules_reason)ev->u.over.reason));
        break;
    case RULES_EV_COUNT:
        break;
    }
}
