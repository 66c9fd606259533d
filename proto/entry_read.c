/* SPDX-License-Identifier: ISC
 * entry_read.c -- journal entries from their line.
 *
 * A line that was read has the right shape and names only what the scenario has; that it is the
 * right entry only the referee's and verifier's replay can say.
 */
#include "common/base/hex.h"
#include "common/base/str.h"
#include "proto/entry_words.h"

/* One reading under way. */
struct reader {
    const struct json *j;
    const struct scenario *scn;
    struct entry *e;
    struct entry_room *room;
};

static bool get_role(const struct json *j, uint8_t *out)
{
    const char *s = NULL;

    return json_get_string(j, "role", &s) && entry_role_from_word(s, out);
}

static bool get_side(const struct reader *r, const char *name, uint8_t *out)
{
    const char *s = NULL;

    if (!json_get_string(r->j, name, &s))
        return false;
    *out = (uint8_t)scenario_side_find(r->scn, s);
    return *out != RULES_NOBODY;
}

static bool is_null(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);

    return v != NULL && json_type(v) == JSON_NULL;
}

static bool read_opened(const struct reader *r)
{
    struct entry_opened *o = &r->e->u.opened;
    char why[SCENARIO_WHY_LEN];
    char field[PLAY_WHY_LEN];
    const char *fair = NULL, *side = NULL;

    if (!json_get_hex(r->j, "match", o->match, sizeof(o->match)) ||
        !json_get_u32(r->j, "no", &o->no) || !json_get_string(r->j, "scenario", &o->scenario) ||
        !json_get_hex(r->j, "scenario_hash", o->scenario_hash, sizeof(o->scenario_hash)) ||
        readings_from_json(json_get(r->j, "readings"), &o->readings, why) != ERR_OK ||
        clock_rule_from_json(json_get(r->j, "clock"), &o->clock, field) != ERR_OK)
        return false;
    if (!json_get_string(r->j, "fair", &fair) || !fair_from_word(fair, &o->fair) ||
        !json_get_bool(r->j, "rated", &o->rated) || !json_get_string(r->j, "maker", &o->maker) ||
        !json_get_hex(r->j, "anchor", o->anchor, FD1_LEN) || !json_get_string(r->j, "side", &side))
        return false;
    o->side = (uint8_t)scenario_side_find(r->scn, side);
    return o->side != RULES_NOBODY || str_eq(side, "random");
}

static bool read_anchor(const struct reader *r)
{
    uint32_t generation;

    if (!get_role(r->j, &r->e->u.anchor.role) || !json_get_u32(r->j, "generation", &generation) ||
        generation > UINT16_MAX)
        return false;
    r->e->u.anchor.generation = (uint16_t)generation;
    return json_get_hex(r->j, "anchor", r->e->u.anchor.anchor, FD1_LEN);
}

static bool read_link(const struct json *j, const char *name, uint8_t x[FD1_LEN], bool *present)
{
    *present = !is_null(j, name);
    return !*present || json_get_hex(j, name, x, FD1_LEN);
}

static bool read_dice(const struct reader *r)
{
    const struct json *dice = json_get(r->j, "dice");
    unsigned n = 0;

    if (dice == NULL || json_type(dice) != JSON_ARRAY || json_count(dice) > ENTRY_DICE_MAX)
        return false;
    for (const struct json *d = json_first(dice); d != NULL; d = json_next(d)) {
        int64_t v;

        if (!json_int(d, &v) || v < 1 || v > 6)
            return false;
        r->room->dice[n++] = (uint8_t)v;
    }
    r->e->u.roll.dice = r->room->dice;
    r->e->u.roll.n_dice = (uint16_t)n;
    return true;
}

static bool read_roll(const struct reader *r)
{
    struct entry_roll *roll = &r->e->u.roll;
    bool a, b;
    int64_t flags;

    if (!json_get_u32(r->j, "n", &roll->n) || !json_get_u32(r->j, "for", &roll->for_seq) ||
        !json_get_int(r->j, "flags", &flags) || flags < 0 || flags > 3 ||
        !read_link(r->j, "s", roll->s, &roll->has_s) || !read_link(r->j, "a", roll->a, &a) ||
        !read_link(r->j, "b", roll->b, &b))
        return false;
    roll->flags = (uint8_t)flags;
    return a == ((flags & FD1_FLAG_A) != 0) && b == ((flags & FD1_FLAG_B) != 0) && read_dice(r);
}

static bool read_started(const struct reader *r)
{
    const struct json *sides = json_get(r->j, "sides");

    return json_get_string(sides, r->scn->side[0].id, &r->e->u.started.player[0]) &&
           json_get_string(sides, r->scn->side[1].id, &r->e->u.started.player[1]);
}

static bool read_order(const struct reader *r)
{
    char field[PLAY_WHY_LEN];
    struct rules_order *o = &r->e->u.order.order;

    if (!get_side(r, "side", &r->e->u.order.side) ||
        !json_get_string(r->j, "order_id", &r->e->u.order.order_id) ||
        order_from_json(json_get(r->j, "order"), r->scn, o, field) != ERR_OK)
        return false;
    o->side = r->e->u.order.side;
    r->room->exit = o->exit;
    return true;
}

static bool read_offer(const struct reader *r)
{
    const char *kind = NULL;

    return json_get_u32(r->j, "id", &r->e->u.offer.id) &&
           get_side(r, "side", &r->e->u.offer.side) && json_get_string(r->j, "offer", &kind) &&
           entry_offer_from_word(kind, &r->e->u.offer.offer);
}

static bool read_umpire(const struct reader *r)
{
    r->e->u.umpire.has_winner = json_get(r->j, "winner") != NULL;
    r->e->u.umpire.winner = RULES_NOBODY;
    if (r->e->u.umpire.has_winner && !is_null(r->j, "winner") &&
        !get_side(r, "winner", &r->e->u.umpire.winner))
        return false;
    return json_get_string(r->j, "by", &r->e->u.umpire.by) &&
           json_get_string(r->j, "act", &r->e->u.umpire.act) &&
           json_get_string(r->j, "reason", &r->e->u.umpire.reason);
}

static bool read_play(const struct reader *r)
{
    struct rules_outcome *o = &r->room->ev.out;

    if (event_from_json(r->j, r->scn, (enum rules_dir)r->room->exit, &r->room->ev) != ERR_OK)
        return false;
    r->e->u.play.event = o->event[0];
    r->e->u.play.items = o->item;
    return true;
}

static bool read_body(const struct reader *r)
{
    struct entry *e = r->e;

    switch ((enum entry_kind)e->kind) {
    case ENTRY_OPENED:
        return read_opened(r);
    case ENTRY_JOINED:
        return json_get_string(r->j, "player", &e->u.joined.player) &&
               get_role(r->j, &e->u.joined.role);
    case ENTRY_ANCHOR:
        return read_anchor(r);
    case ENTRY_ABSENT:
        return get_role(r->j, &e->u.absent.role) && json_get_u32(r->j, "roll", &e->u.absent.roll);
    case ENTRY_ROLL:
        return read_roll(r);
    case ENTRY_STARTED:
        return read_started(r);
    case ENTRY_ORDER:
        return read_order(r);
    case ENTRY_OFFER:
        return read_offer(r);
    case ENTRY_ANSWER:
        return json_get_u32(r->j, "id", &e->u.answer.id) &&
               get_side(r, "side", &e->u.answer.side) &&
               json_get_bool(r->j, "accept", &e->u.answer.accept);
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
        return get_side(r, "side", &e->u.side);
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
        return json_get_string(r->j, "by", &e->u.by);
    case ENTRY_PRESENCE:
        return get_side(r, "side", &e->u.presence.side) &&
               json_get_bool(r->j, "online", &e->u.presence.online);
    case ENTRY_UMPIRE:
        return read_umpire(r);
    case ENTRY_PLAY:
        return read_play(r);
    case ENTRY_KIND_COUNT:
        break;
    }
    return false;
}

static bool read_left(const struct reader *r)
{
    const struct json *left = json_get(r->j, "left");

    if (left == NULL)
        return true;
    if (r->e->kind == ENTRY_PLAY && r->e->u.play.event.kind != RULES_EV_OVER)
        return true; /* of move and fall_back: whether the figure left the board */
    r->e->has_left = true;
    return json_type(left) == JSON_OBJECT && json_count(left) == 2 &&
           json_get_int(left, r->scn->side[0].id, &r->e->left_ms[0]) &&
           json_get_int(left, r->scn->side[1].id, &r->e->left_ms[1]);
}

/* The word of `kind` into the entry; an event of play has another table. */
static bool read_kind(const struct json *j, struct entry *e, const char **word)
{
    uint8_t event;

    if (!json_get_string(j, "kind", word))
        return false;
    if (entry_kind_from_word(*word, &e->kind))
        return true;
    e->kind = ENTRY_PLAY;
    return event_kind_from_word(*word, &event);
}

enum err entry_decode(const struct json *j, const struct scenario *scn, struct entry *e,
                      struct entry_room *room, char why[PLAY_WHY_LEN])
{
    const struct reader r = {j, scn, e, room};
    const char *word = "entry";

    memset(e, 0, sizeof(*e)); /* every byte, so that equal entries compare equal */
    room->ev.out.n_events = 0;
    room->ev.out.n_items = 0;
    if (!json_get_u32(j, "seq", &e->seq) || e->seq == 0 || !json_get_int(j, "ts", &e->ts.ms)) {
        (void)str_copy(why, PLAY_WHY_LEN, "an entry begins with seq and ts");
        return ERR_DATA;
    }
    if (!read_kind(j, e, &word)) {
        (void)str_copy(why, PLAY_WHY_LEN, "no kind of entry");
        return ERR_DATA;
    }
    if (!read_body(&r) || !read_left(&r)) {
        (void)snprintf(why, PLAY_WHY_LEN, "not the members of an entry %s", word);
        return ERR_DATA;
    }
    return ERR_OK;
}

void entry_room_fini(struct entry_room *room)
{
    game_events_fini(&room->ev);
}
