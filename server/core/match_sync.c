/* SPDX-License-Identifier: ISC
 * match_sync.c -- entries, and the position that they follow, for who comes or comes back
 * (PROTOCOL, Sync).
 */
#include "proto/msg.h"
#include "server/core/match_impl.h"

enum { EVENT_FRAME = 180 }; /* bytes around an entry: names and two hashes */

bool match_line(struct match *m, uint32_t seq, struct match_line *out)
{
    const struct match_rec *rec;

    if (seq == 0 || seq > m->core->head)
        return false;
    rec = &m->journal.rec[seq - 1];
    if (rec->has_state == REC_UNKNOWN)
        match_recall(m);
    out->text = recs_line(&m->journal, seq - 1);
    out->len = rec->len;
    out->hash = rec->hash;
    out->state_hash = rec->has_state == REC_STATE ? rec->state_hash : NULL;
    return true;
}

static void put_hash(struct jsonw *w, const char *name, const uint8_t *hash)
{
    if (hash == NULL)
        jsonw_m_null(w, name);
    else
        jsonw_m_hex(w, name, hash, FD1_LEN);
}

void match_event_members(struct match *m, uint32_t seq, struct jsonw *w)
{
    struct match_line line;

    CHECK(match_line(m, seq, &line));
    put_hash(w, "hash", line.hash);
    put_hash(w, "state_hash", line.state_hash);
    jsonw_m_raw(w, "entry", line.text, line.len);
}

/*
 * The newest seq behind which no undo order reaches, and before the entry of an order whose roll is
 * open. Once the game is over nothing is taken back any more.
 */
static uint32_t base_seq(const struct match_core *c)
{
    uint32_t seq = c->head;

    if (c->state == MATCH_OVER)
        return seq;
    if (c->order_seq != 0)
        seq = c->order_seq - 1;
    if (c->game.rules.n_undo > 0)
        seq = MIN(seq, c->game.rules.undo[0].tag - 1);
    return seq;
}

static void put_players(const struct match *m, struct jsonw *w)
{
    jsonw_m_obj(w, "players");
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        jsonw_m_str(w, side_id(m, (enum rules_side)side),
                    match_name(m, match_role_of_side(m, (enum rules_side)side)));
    jsonw_obj_end(w);
}

static void put_front(const struct match *m, const struct match_sync *s, struct jsonw *w)
{
    const struct match_setup *setup = &m->setup;
    char letter;

    jsonw_m_hex(w, "match", setup->id, MATCH_ID_LEN);
    jsonw_m_int(w, "no", setup->no);
    jsonw_m_str(w, "scenario", setup->scenario->id);
    jsonw_m_hex(w, "scenario_hash", setup->scenario->hash, RULES_HASH_LEN);
    jsonw_name(w, "readings");
    readings_to_json(&setup->board->readings, w->out);
    w->comma = true;
    jsonw_m_bool(w, "rated", setup->rated);
    jsonw_m_str(w, "maker", setup->maker);
    if (setup->delay > 0)
        jsonw_m_int(w, "delay", setup->delay);
    if (setup->max_spectators > 0)
        jsonw_m_int(w, "max_spectators", setup->max_spectators);
    if (m->core->started)
        put_players(m, w);
    if (s->role == ROLE_COUNT)
        return;
    letter = role_letter(s->role);
    jsonw_name(w, "role");
    jsonw_strn(w, &letter, 1);
    if (m->core->started)
        jsonw_m_str(w, "side", side_id(m, match_side(m, s->role)));
}

static void put_state(struct match *m, uint32_t seq, struct jsonw *w)
{
    struct rules_state base = m->core->game.rules.state;

    if (m->core->state != MATCH_OVER)
        rules_game_base(&m->core->game.rules, &base);
    jsonw_m_int(w, "state_seq", seq);
    jsonw_m_hex(w, "state_seq_hash", m->journal.rec[seq - 1].hash, FD1_LEN);
    jsonw_m_obj(w, "state");
    state_members(w, m->setup.scenario, m->setup.board, &base);
    jsonw_obj_end(w);
}

/* Entries behind `after`, a page of them; returns the last one's seq. */
static uint32_t put_events(struct match *m, uint32_t after, struct jsonw *w)
{
    size_t bytes = 0;
    uint32_t seq = after;

    jsonw_m_arr(w, "events");
    while (seq < m->core->head) {
        bytes += m->journal.rec[seq].len + EVENT_FRAME;
        if (bytes > MATCH_PAGE_BYTES && seq > after)
            break;
        jsonw_obj(w);
        match_event_members(m, ++seq, w);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    return seq;
}

static void put_numbers(const struct match *m, struct jsonw *w, const char *name, bool bases)
{
    static const enum role order[] = {ROLE_S, ROLE_A, ROLE_B};

    jsonw_m_obj(w, name);
    for (unsigned i = 0; i < ARRAY_LEN(order); i++) {
        const struct match_chain *chain = &m->core->dice.chain[order[i]];
        const char word[2] = {role_letter(order[i]), '\0'};

        if (!chain->there)
            jsonw_m_null(w, word);
        else
            jsonw_m_int(w, word, bases ? chain->tail.base : chain->tail.id.generation);
    }
    jsonw_obj_end(w);
}

static void put_dice(const struct match *m, struct jsonw *w)
{
    const struct match_dice *d = &m->core->dice;
    static const enum role order[] = {ROLE_S, ROLE_A, ROLE_B};
    static const char *const names[] = {"s", "a", "b"};

    jsonw_m_obj(w, "dice");
    put_hash(w, "salt", d->has_salt ? d->salt : NULL);
    jsonw_m_int(w, "n", d->n);
    for (unsigned i = 0; i < ARRAY_LEN(order); i++)
        put_hash(w, names[i], d->chain[order[i]].there ? d->chain[order[i]].tail.last.x : NULL);
    put_numbers(m, w, "generations", false);
    put_numbers(m, w, "bases", true);
    jsonw_m_obj(w, "links"); /* which link of its chain each of s, a, b is */
    for (unsigned i = 0; i < ARRAY_LEN(order); i++)
        jsonw_m_int(w, names[i], d->chain[order[i]].tail.last.k);
    jsonw_obj_end(w);
    jsonw_obj_end(w);
}

void match_request_members(const struct match_request *r, struct jsonw *w)
{
    jsonw_m_int(w, "n", r->n);
    jsonw_m_int(w, "seq", r->seq);
    jsonw_m_hex(w, "hash", r->hash, FD1_LEN);
    jsonw_m_arr(w, "waiting");
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        const char letter = role_letter((enum role)role);

        if ((r->waiting >> role & 1) != 0)
            jsonw_strn(w, &letter, 1);
    }
    jsonw_arr_end(w);
}

static void put_offers(const struct match *m, struct jsonw *w)
{
    static const char *const words[MATCH_OFFER_KINDS] = {
        [OFFER_DRAW] = "draw", [OFFER_PAUSE] = "pause", [OFFER_UNDO] = "undo"};

    jsonw_m_arr(w, "offers");
    for (unsigned i = 0; i < 2 * MATCH_OFFER_KINDS; i++) {
        const unsigned side = i / MATCH_OFFER_KINDS, kind = i % MATCH_OFFER_KINDS;
        const uint32_t id = m->core->offers.id[side][kind];

        if (id == 0)
            continue;
        jsonw_obj(w);
        jsonw_m_int(w, "offer_id", id);
        jsonw_m_str(w, "side", side_id(m, (enum rules_side)side));
        jsonw_m_str(w, "offer", words[kind]);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

void match_clock_rule(const struct match *m, struct match_now now, struct jsonw *w)
{
    struct buf rule = BUF_EMPTY;

    clock_rule_to_json(&m->setup.clock, &rule);
    jsonw_m_raw(w, "clock", rule.data, rule.len - 1); /* left open for what runs */
    match_clock_json(m, now, w);
    jsonw_obj_end(w);
    buf_fini(&rule);
}

static void put_rear(const struct match *m, struct jsonw *w)
{
    struct match_request r;

    jsonw_m_str(w, "fair", fair_word((enum fair)m->setup.fair));
    put_dice(m, w);
    if (match_request(m, &r)) {
        jsonw_m_obj(w, "roll");
        match_request_members(&r, w);
        jsonw_obj_end(w);
    }
    put_offers(m, w);
}

/* All that stands before the clock. */
static void put_up_to_clock(struct match *m, const struct match_sync *s, struct jsonw *w,
                            struct match_synced *out)
{
    uint32_t from = s->has_after ? (uint32_t)s->after : 0;

    put_front(m, s, w);
    if (!s->has_after && m->core->started) {
        from = base_seq(m->core);
        put_state(m, from, w);
        out->has_state = true;
        out->state_seq = from;
    }
    jsonw_m_int(w, "head", m->core->head);
    jsonw_m_hex(w, "hash", m->core->hash, FD1_LEN);
    put_hash(w, "state_hash", match_state_hash(m));
    out->upto = put_events(m, from, w);
    if (out->upto < m->core->head)
        jsonw_m_int(w, "next", out->upto);
}

enum err match_sync(struct match *m, const struct match_sync *s, struct match_now now,
                    struct jsonw *w, struct match_synced *out)
{
    *out = (struct match_synced){0};
    if (s->has_after && (s->after < 0 || s->after > m->core->head))
        return ERR_PARAMS;
    put_up_to_clock(m, s, w, out);
    match_clock_rule(m, now, w);
    put_rear(m, w);
    return ERR_OK;
}

void match_prepare_new(struct match *m, struct match_prepared *out)
{
    const struct match_sync nobody = {.role = ROLE_COUNT};
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);

    *out = (struct match_prepared){.front = NULL};
    jsonw_obj(&w);
    put_up_to_clock(m, &nobody, &w, &out->got);
    buf_putc(&text, ','); /* the clock begins an object's members for who writes it */
    out->front = shared_new(text.data, text.len);
    buf_reset(&text);
    w = jsonw_on(&text);
    w.comma = true;
    put_rear(m, &w);
    jsonw_obj_end(&w);
    msg_end(&w);
    out->rear = shared_new(text.data, text.len);
    buf_fini(&text);
}
