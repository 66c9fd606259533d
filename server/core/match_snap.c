/* SPDX-License-Identifier: ISC
 * match_snap.c -- snapshots: a match as of a seq, so that recovery needn't decide it all again.
 *
 * Taken only at plain moments (nothing to undo, no roll open, no anchor wanted, no pause), so that
 * position, chains and a few counters are all there is to say.
 */
#include "common/base/hex.h"
#include "common/base/str.h"
#include "server/core/match_impl.h"

enum { SNAP_FORMAT = 1 };

bool snap_is_due(const struct match_core *c)
{
    return c->state == MATCH_LIVE && c->head - c->snap_seq >= MATCH_SNAP_EVERY &&
           c->order_seq == 0 && c->game.rules.n_undo == 0 && !core_dice_wanted(c) &&
           !c->clock.paused && !c->clock.pause_due;
}

/* ---- out ---- */

static void put_chain(struct jsonw *w, const struct match_chain *chain)
{
    jsonw_obj(w);
    jsonw_m_bool(w, "there", chain->there);
    if (chain->there) {
        jsonw_m_int(w, "generation", chain->tail.id.generation);
        jsonw_m_int(w, "base", chain->tail.base);
        jsonw_m_hex(w, "anchor", chain->anchor, FD1_LEN);
        jsonw_m_int(w, "k", chain->tail.last.k);
        jsonw_m_hex(w, "x", chain->tail.last.x, FD1_LEN);
    }
    jsonw_obj_end(w);
}

static void put_offers(struct jsonw *w, const struct match_offers *o)
{
    jsonw_m_int(w, "offer_last", o->last);
    jsonw_m_arr(w, "offers");
    for (unsigned i = 0; i < 2 * MATCH_OFFER_KINDS; i++)
        jsonw_int(w, o->id[i / MATCH_OFFER_KINDS][i % MATCH_OFFER_KINDS]);
    jsonw_arr_end(w);
}

void snap_write(const struct match *m, const struct match_core *c, struct buf *out)
{
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);

    jsonw_obj(&w);
    jsonw_m_int(&w, "snapshot", SNAP_FORMAT);
    jsonw_m_int(&w, "rules", RULES_VERSION);
    jsonw_m_int(&w, "seq", c->head);
    jsonw_m_hex(&w, "hash", c->hash, FD1_LEN);
    jsonw_m_hex(&w, "state_hash", c->state_hash, RULES_HASH_LEN);
    jsonw_m_int(&w, "ts", c->last_at.ms);
    jsonw_m_str(&w, "joiner", c->joiner);
    jsonw_m_int(&w, "maker_side", c->side_of[ROLE_A]);
    jsonw_m_int(&w, "last_play", c->last_play);
    jsonw_m_int(&w, "phase_orders", c->phase_orders);
    jsonw_m_int(&w, "n", c->dice.n);
    jsonw_m_hex(&w, "salt", c->dice.salt, FD1_LEN);
    jsonw_m_arr(&w, "chains");
    for (unsigned i = 0; i < ROLE_COUNT; i++)
        put_chain(&w, &c->dice.chain[i]);
    jsonw_arr_end(&w);
    put_offers(&w, &c->offers);
    jsonw_m_arr(&w, "away");
    jsonw_bool(&w, c->told_away[ROLE_A]);
    jsonw_bool(&w, c->told_away[ROLE_B]);
    jsonw_arr_end(&w);
    jsonw_m_obj(&w, "state");
    state_members(&w, m->setup.scenario, m->setup.board, &c->game.rules.state);
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    seal(&text, out);
    buf_fini(&text);
}

/* ---- in ---- */

static bool read_chain(const struct json *j, const struct match *m, enum role role,
                       struct match_chain *chain)
{
    struct fd1_chain_id id = {.role = (uint8_t)role_letter(role)};
    uint32_t generation, base;

    *chain = (struct match_chain){0};
    if (!json_get_bool(j, "there", &chain->there))
        return false;
    if (!chain->there)
        return true;
    if (!json_get_u32(j, "generation", &generation) || generation > UINT16_MAX ||
        !json_get_u32(j, "base", &base) || !json_get_hex(j, "anchor", chain->anchor, FD1_LEN))
        return false;
    memcpy(id.mid, m->setup.id, FD1_MID_LEN);
    id.generation = (uint16_t)generation;
    fd1_tail_init(&chain->tail, &id, base, chain->anchor);
    return json_get_u32(j, "k", &chain->tail.last.k) &&
           json_get_hex(j, "x", chain->tail.last.x, FD1_LEN);
}

static bool read_dice(const struct json *j, const struct match *m, struct match_dice *d)
{
    const struct json *chain = json_first(json_get(j, "chains"));

    d->need_salt = false;
    d->has_salt = true;
    for (unsigned i = 0; i < ROLE_COUNT; i++, chain = json_next(chain)) {
        if (chain == NULL || !read_chain(chain, m, (enum role)i, &d->chain[i]))
            return false;
    }
    return json_get_u32(j, "n", &d->n) && json_get_hex(j, "salt", d->salt, FD1_LEN);
}

static bool read_offers(const struct json *j, struct match_offers *o)
{
    const struct json *id = json_first(json_get(j, "offers"));

    for (unsigned i = 0; i < 2 * MATCH_OFFER_KINDS; i++, id = json_next(id)) {
        int64_t v;

        if (id == NULL || !json_int(id, &v) || v < 0 || v > UINT32_MAX)
            return false;
        o->id[i / MATCH_OFFER_KINDS][i % MATCH_OFFER_KINDS] = (uint32_t)v;
    }
    return json_get_u32(j, "offer_last", &o->last);
}

static bool read_sides(const struct json *j, struct match_core *c)
{
    const struct json *away = json_first(json_get(j, "away"));
    const char *joiner = NULL;
    uint32_t side;

    if (!json_get_string(j, "joiner", &joiner) || !str_copy(c->joiner, sizeof(c->joiner), joiner) ||
        !json_get_u32(j, "maker_side", &side) || side > RULES_B ||
        !json_bool(away, &c->told_away[ROLE_A]) ||
        !json_bool(json_next(away), &c->told_away[ROLE_B]))
        return false;
    c->side_of[ROLE_A] = (uint8_t)side;
    c->side_of[ROLE_B] = (uint8_t)rules_enemy((enum rules_side)side);
    return true;
}

static bool read_position(const struct json *j, const struct match *m, struct match_core *c)
{
    struct rules_state state;
    uint8_t hash[RULES_HASH_LEN];

    if (state_from_json(json_get(j, "state"), m->setup.scenario, &state) != ERR_OK ||
        !json_get_hex(j, "state_hash", c->state_hash, RULES_HASH_LEN))
        return false;
    game_set_state(&c->game, &state);
    game_hash(&c->game, hash);
    return memcmp(hash, c->state_hash, RULES_HASH_LEN) == 0;
}

static bool read_snapshot(const struct json *j, const struct match *m, struct match_core *c)
{
    int64_t format, rules;

    c->state = MATCH_LIVE;
    c->started = true;
    if (!json_get_int(j, "snapshot", &format) || format != SNAP_FORMAT ||
        !json_get_int(j, "rules", &rules) || rules != RULES_VERSION ||
        !json_get_u32(j, "seq", &c->head) || !json_get_hex(j, "hash", c->hash, FD1_LEN) ||
        !json_get_int(j, "ts", &c->last_at.ms) || !json_get_u32(j, "last_play", &c->last_play) ||
        !json_get_u32(j, "phase_orders", &c->phase_orders))
        return false;
    c->snap_seq = c->head;
    if (!read_dice(j, m, &c->dice) || !read_offers(j, &c->offers) || !read_sides(j, c) ||
        !read_position(j, m, c))
        return false;
    if (rules_is_over(&c->game.rules.state)) /* of an archived match */
        c->state = MATCH_OVER;
    return true;
}

enum err snap_read(const struct match *m, const char *data, size_t len, struct match_core *c)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    size_t text_len = 0;
    const char *text = unseal(data, len, &text_len);
    bool ok;

    if (text == NULL || json_parse(text, text_len, &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    ok = read_snapshot(j, m, c);
    json_free(j);
    return ok ? ERR_OK : ERR_DATA;
}
