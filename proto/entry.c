/* SPDX-License-Identifier: ISC
 * entry.c -- journal entries to their line (PROTOCOL, Journal entries around play).
 */
#include "proto/entry.h"

#include "common/base/str.h"
#include "proto/entry_words.h"

static const char letters[] = {[ROLE_A] = 'A', [ROLE_B] = 'B', [ROLE_S] = 'S'};
_Static_assert(ARRAY_LEN(letters) == ROLE_COUNT, "a letter for every role");

static const char *const fair_words[] = {
    [FAIR_STRICT] = "strict", [FAIR_NORMAL] = "normal", [FAIR_SERVER] = "server"};

static const char *const kind_words[] = {
#define X(name, word) [name] = (word),
    ENTRY_TABLE(X)
#undef X
};
_Static_assert(ARRAY_LEN(kind_words) == ENTRY_PLAY, "a word for every kind of entry around play");

static const char *const offer_words[] = {
    [OFFER_DRAW] = "draw", [OFFER_PAUSE] = "pause", [OFFER_UNDO] = "undo"};

char role_letter(enum role r)
{
    return letters[r];
}

bool entry_role_from_word(const char *w, uint8_t *out)
{
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        if (w[0] == letters[i] && w[1] == '\0') {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool find_word(const char *const *words, size_t n, const char *w, uint8_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (str_eq(words[i], w)) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

const char *fair_word(enum fair f)
{
    return fair_words[f];
}

bool fair_from_word(const char *w, uint8_t *out)
{
    return find_word(fair_words, ARRAY_LEN(fair_words), w, out);
}

const char *entry_offer_word(enum offer_kind o)
{
    return offer_words[o];
}

bool entry_offer_from_word(const char *w, uint8_t *out)
{
    return find_word(offer_words, ARRAY_LEN(offer_words), w, out);
}

bool entry_kind_from_word(const char *w, uint8_t *out)
{
    return find_word(kind_words, ARRAY_LEN(kind_words), w, out);
}

static void put_role(struct jsonw *w, uint8_t role)
{
    jsonw_name(w, "role");
    jsonw_strn(w, &letters[role], 1);
}

static void put_side(struct jsonw *w, const char *name, const struct scenario *scn, uint8_t side)
{
    if (side == RULES_NOBODY)
        jsonw_m_null(w, name);
    else
        jsonw_m_str(w, name, scn->side[side].id);
}

/* A member whose value another codec appends. */
static struct buf *put_name(struct jsonw *w, const char *name)
{
    jsonw_name(w, name);
    w->comma = true;
    return w->out;
}

static void put_opened(struct jsonw *w, const struct entry_opened *o, const struct scenario *scn)
{
    jsonw_m_hex(w, "match", o->match, sizeof(o->match));
    jsonw_m_int(w, "no", o->no);
    jsonw_m_str(w, "scenario", o->scenario);
    jsonw_m_hex(w, "scenario_hash", o->scenario_hash, sizeof(o->scenario_hash));
    readings_to_json(&o->readings, put_name(w, "readings"));
    clock_rule_to_json(&o->clock, put_name(w, "clock"));
    jsonw_m_str(w, "fair", fair_words[o->fair]);
    jsonw_m_bool(w, "rated", o->rated);
    jsonw_m_str(w, "maker", o->maker);
    jsonw_m_str(w, "side", o->side == RULES_NOBODY ? "random" : scn->side[o->side].id);
    jsonw_m_hex(w, "anchor", o->anchor, sizeof(o->anchor));
}

static void put_link(struct jsonw *w, const char *name, bool present, const uint8_t x[FD1_LEN])
{
    if (present)
        jsonw_m_hex(w, name, x, FD1_LEN);
    else
        jsonw_m_null(w, name);
}

static void put_roll(struct jsonw *w, const struct entry_roll *r)
{
    jsonw_m_int(w, "n", r->n);
    jsonw_m_int(w, "for", r->for_seq);
    jsonw_m_int(w, "flags", r->flags);
    put_link(w, "s", r->has_s, r->s);
    put_link(w, "a", (r->flags & FD1_FLAG_A) != 0, r->a);
    put_link(w, "b", (r->flags & FD1_FLAG_B) != 0, r->b);
    jsonw_m_arr(w, "dice");
    for (unsigned i = 0; i < r->n_dice; i++)
        jsonw_int(w, r->dice[i]);
    jsonw_arr_end(w);
}

static void put_umpire(struct jsonw *w, const struct entry *e, const struct scenario *scn)
{
    jsonw_m_str(w, "by", e->u.umpire.by);
    jsonw_m_str(w, "act", e->u.umpire.act);
    if (e->u.umpire.has_winner)
        put_side(w, "winner", scn, e->u.umpire.winner);
    jsonw_m_str(w, "reason", e->u.umpire.reason);
}

/* Kinds whose one or two members need no function of their own. */
static void put_short(struct jsonw *w, const struct entry *e, const struct scenario *scn)
{
    switch ((enum entry_kind)e->kind) {
    case ENTRY_ABSENT:
        put_role(w, e->u.absent.role);
        jsonw_m_int(w, "roll", e->u.absent.roll);
        break;
    case ENTRY_OFFER:
        jsonw_m_int(w, "id", e->u.offer.id);
        put_side(w, "side", scn, e->u.offer.side);
        jsonw_m_str(w, "offer", offer_words[e->u.offer.offer]);
        break;
    case ENTRY_ANSWER:
        jsonw_m_int(w, "id", e->u.answer.id);
        put_side(w, "side", scn, e->u.answer.side);
        jsonw_m_bool(w, "accept", e->u.answer.accept);
        break;
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
        put_side(w, "side", scn, e->u.side);
        break;
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
        jsonw_m_str(w, "by", e->u.by);
        break;
    case ENTRY_PRESENCE:
        put_side(w, "side", scn, e->u.presence.side);
        jsonw_m_bool(w, "online", e->u.presence.online);
        break;
    case ENTRY_UMPIRE:
        put_umpire(w, e, scn);
        break;
    case ENTRY_OPENED:
    case ENTRY_JOINED:
    case ENTRY_ANCHOR:
    case ENTRY_ROLL:
    case ENTRY_STARTED:
    case ENTRY_ORDER:
    case ENTRY_PLAY:
    case ENTRY_KIND_COUNT:
        break;
    }
}

static void put_started(struct jsonw *w, const struct entry *e, const struct scenario *scn)
{
    jsonw_m_obj(w, "sides");
    for (unsigned i = 0; i < 2; i++)
        jsonw_m_str(w, scn->side[i].id, e->u.started.player[i]);
    jsonw_obj_end(w);
}

static void put_body(struct jsonw *w, const struct entry *e, const struct scenario *scn)
{
    switch ((enum entry_kind)e->kind) {
    case ENTRY_OPENED:
        put_opened(w, &e->u.opened, scn);
        break;
    case ENTRY_JOINED:
        jsonw_m_str(w, "player", e->u.joined.player);
        put_role(w, e->u.joined.role);
        break;
    case ENTRY_ANCHOR:
        put_role(w, e->u.anchor.role);
        jsonw_m_int(w, "generation", e->u.anchor.generation);
        jsonw_m_hex(w, "anchor", e->u.anchor.anchor, FD1_LEN);
        break;
    case ENTRY_ROLL:
        put_roll(w, &e->u.roll);
        break;
    case ENTRY_STARTED:
        put_started(w, e, scn);
        break;
    case ENTRY_ORDER:
        put_side(w, "side", scn, e->u.order.side);
        jsonw_m_str(w, "order_id", e->u.order.order_id);
        order_to_json(&e->u.order.order, scn, put_name(w, "order"));
        break;
    case ENTRY_ABSENT:
    case ENTRY_OFFER:
    case ENTRY_ANSWER:
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
    case ENTRY_PRESENCE:
    case ENTRY_UMPIRE:
    case ENTRY_PLAY:
    case ENTRY_KIND_COUNT:
        put_short(w, e, scn);
        break;
    }
}

void entry_encode(const struct entry *e, const struct scenario *scn, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_int(&w, "seq", e->seq);
    jsonw_m_int(&w, "ts", e->ts.ms);
    if (e->kind == ENTRY_PLAY) {
        event_members(&w, scn, &e->u.play.event, e->u.play.items);
    } else {
        jsonw_m_str(&w, "kind", kind_words[e->kind]);
        put_body(&w, e, scn);
    }
    if (e->has_left) {
        jsonw_m_obj(&w, "left");
        for (unsigned i = 0; i < 2; i++)
            jsonw_m_int(&w, scn->side[i].id, e->left_ms[i]);
        jsonw_obj_end(&w);
    }
    jsonw_obj_end(&w);
}
