/* SPDX-License-Identifier: ISC
 * match_row.c -- a match's private row: how it was asked for, where its journal ends, its timers.
 *
 * Written when the match's state changes, or its timers do without an entry; entries of play carry
 * the timers as of their own batch (timers_write), so that an order changes no row in place. Of the
 * two, what is of the later entry counts; at the same entry, the row: it was written behind it.
 * Sealed by its SHA-256: a flipped bit is found, not played with.
 */
#include "common/base/hex.h"
#include "common/base/sha256.h"
#include "common/base/str.h"
#include "server/core/match_impl.h"

enum { HASH_HEX = 64, ROW_FORMAT = 1, TIMERS_FORMAT = 1, MARK_LEN = 8, ROW_HINT = 1536 };

/* Seal what stands in `out` from `front` on, behind the place left for it. */
static void seal_front(struct buf *out, size_t front)
{
    const size_t text = front + HASH_HEX + 1;
    uint8_t hash[SHA256_LEN];
    char hex[HASH_HEX + 1];

    sha256(hash, out->data + text, out->len - text);
    hex_encode(hex, hash, sizeof(hash));
    memcpy(out->data + front, hex, HASH_HEX);
    out->data[text - 1] = '\n';
}

void seal(const struct buf *text, struct buf *out)
{
    const size_t front = out->len;

    (void)buf_room(out, HASH_HEX + 1 + text->len);
    out->len += HASH_HEX + 1;
    buf_put(out, text->data, text->len);
    seal_front(out, front);
}

const char *unseal(const char *data, size_t len, size_t *text_len)
{
    uint8_t hash[SHA256_LEN];
    char hex[HASH_HEX + 1];

    if (data == NULL || len <= HASH_HEX || data[HASH_HEX] != '\n')
        return NULL;
    *text_len = len - HASH_HEX - 1;
    sha256(hash, data + HASH_HEX + 1, *text_len);
    hex_encode(hex, hash, sizeof(hash));
    return memcmp(hex, data, HASH_HEX) == 0 ? data + HASH_HEX + 1 : NULL;
}

/* ---- out ---- */

static struct buf *raw_member(struct jsonw *w, const char *name)
{
    jsonw_name(w, name);
    w->comma = true;
    return w->out;
}

static void put_setup(const struct match *m, struct jsonw *w)
{
    const struct match_setup *s = &m->setup;

    jsonw_m_hex(w, "match", s->id, MATCH_ID_LEN);
    jsonw_m_int(w, "no", s->no);
    jsonw_m_str(w, "scenario", s->scenario->id);
    jsonw_m_hex(w, "scenario_hash", s->scenario->hash, RULES_HASH_LEN);
    readings_to_json(&s->board->readings, raw_member(w, "readings"));
    clock_rule_to_json(&s->clock, raw_member(w, "clock"));
    jsonw_m_str(w, "fair", fair_word((enum fair)s->fair));
    jsonw_m_int(w, "watch", s->watch);
    jsonw_m_int(w, "side", s->side);
    jsonw_m_bool(w, "rated", s->rated);
    jsonw_m_bool(w, "private", s->is_private);
    jsonw_m_str(w, "maker", s->maker);
    jsonw_m_str(w, "opponent", s->opponent);
    jsonw_m_str(w, "invite", s->invite);
    if (s->delay > 0)
        jsonw_m_int(w, "delay", s->delay);
    if (s->max_spectators > 0)
        jsonw_m_int(w, "max_spectators", s->max_spectators);
    if (s->has_rematch)
        jsonw_m_hex(w, "rematch_of", s->rematch_of, MATCH_ID_LEN);
}

/* As an array, the names left out: it stands behind each batch of the journal. */
void timers_write(const struct match_core *c, struct buf *out)
{
    const struct match_clocks *k = &c->clock;
    struct jsonw w = jsonw_on(out);

    jsonw_arr(&w);
    jsonw_int(&w, TIMERS_FORMAT);
    jsonw_int(&w, c->head);
    jsonw_hex(&w, c->hash, MARK_LEN);
    jsonw_hex(&w, c->state_hash, MARK_LEN);
    jsonw_int(&w, c->dice.kid);
    jsonw_int(&w, k->since.ms);
    for (unsigned side = 0; side < 2; side++) {
        jsonw_int(&w, k->left_ms[side]);
        jsonw_int(&w, k->away_until[side].ms);
    }
    jsonw_int(&w, k->owes_since.ms);
    jsonw_int(&w, c->joined_at.ms);
    jsonw_int(&w, c->order_at.ms);
    jsonw_arr_end(&w);
}

static void put_state(const struct match_core *c, struct jsonw *w)
{
    jsonw_m_int(w, "state", c->state);
    jsonw_m_int(w, "head", c->head);
    jsonw_m_hex(w, "hash", c->hash, FD1_LEN);
    jsonw_m_hex(w, "state_hash", c->state_hash, RULES_HASH_LEN);
    jsonw_m_int(w, "kid", c->dice.kid);
    jsonw_m_int(w, "served", c->clock.since.ms);
    jsonw_m_arr(w, "left");
    jsonw_int(w, c->clock.left_ms[0]);
    jsonw_int(w, c->clock.left_ms[1]);
    jsonw_arr_end(w);
    jsonw_m_arr(w, "away_until");
    jsonw_int(w, c->clock.away_until[0].ms);
    jsonw_int(w, c->clock.away_until[1].ms);
    jsonw_arr_end(w);
    jsonw_m_int(w, "owes", c->clock.owes);
    jsonw_m_int(w, "owes_since", c->clock.owes_since.ms);
    jsonw_m_int(w, "joined_at", c->joined_at.ms);
    jsonw_m_int(w, "order_at", c->order_at.ms);
}

void row_write(const struct match *m, const struct match_core *c, struct buf *out)
{
    const size_t front = out->len;
    struct jsonw w = jsonw_on(out);

    (void)buf_room(out, ROW_HINT);
    out->len += HASH_HEX + 1; /* the seal's place */
    jsonw_obj(&w);
    jsonw_m_int(&w, "row", ROW_FORMAT);
    jsonw_m_int(&w, "rules", RULES_VERSION);
    put_setup(m, &w);
    put_state(c, &w);
    jsonw_obj_end(&w);
    seal_front(out, front);
}

/* ---- in ---- */

struct json *row_open(const char *data, size_t len)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    size_t text_len = 0;
    const char *text = unseal(data, len, &text_len);
    int64_t format, rules;

    if (text == NULL || json_parse(text, text_len, &json_file_limits, &j, why) != ERR_OK)
        return NULL;
    if (json_get_int(j, "row", &format) && format == ROW_FORMAT &&
        json_get_int(j, "rules", &rules) && rules == RULES_VERSION)
        return j;
    json_free(j);
    return NULL;
}

static bool read_peek(const struct json *j, struct match_peek *out)
{
    char why[SCENARIO_WHY_LEN];

    return json_get_text(j, "scenario", out->scenario, sizeof(out->scenario)) &&
           json_get_hex(j, "scenario_hash", out->scenario_hash, RULES_HASH_LEN) &&
           readings_from_json(json_get(j, "readings"), &out->readings, why) == ERR_OK;
}

static bool read_setup(const struct json *j, struct match_setup *s)
{
    char field[PLAY_WHY_LEN];
    const char *fair = NULL;

    s->has_rematch = json_get(j, "rematch_of") != NULL;
    return json_get_hex(j, "match", s->id, MATCH_ID_LEN) && json_get_u32(j, "no", &s->no) &&
           clock_rule_from_json(json_get(j, "clock"), &s->clock, field) == ERR_OK &&
           json_get_string(j, "fair", &fair) && fair_from_word(fair, &s->fair) &&
           json_get_u8(j, "watch", &s->watch) && json_get_u8(j, "side", &s->side) &&
           s->side <= RULES_NOBODY && json_get_bool(j, "rated", &s->rated) &&
           json_get_bool(j, "private", &s->is_private) &&
           json_get_text(j, "maker", s->maker, sizeof(s->maker)) &&
           json_get_text(j, "opponent", s->opponent, sizeof(s->opponent)) &&
           json_get_text(j, "invite", s->invite, sizeof(s->invite)) &&
           (json_get(j, "delay") == NULL || json_get_u32(j, "delay", &s->delay)) &&
           (json_get(j, "max_spectators") == NULL ||
            json_get_u32(j, "max_spectators", &s->max_spectators)) &&
           (!s->has_rematch || json_get_hex(j, "rematch_of", s->rematch_of, MATCH_ID_LEN));
}

enum err row_setup(const struct json *row, struct match_setup *out, struct match_peek *peek)
{
    *out = (struct match_setup){0};
    return row != NULL && read_peek(row, peek) && read_setup(row, out) ? ERR_OK : ERR_DATA;
}

enum err match_row_peek(const char *data, size_t len, struct match_peek *out)
{
    struct json *row = row_open(data, len);
    const bool ok = row != NULL && read_peek(row, out);

    json_free(row);
    return ok ? ERR_OK : ERR_DATA;
}

enum err match_row_setup(const char *data, size_t len, struct match_setup *out,
                         struct match_peek *peek)
{
    struct json *row = row_open(data, len);
    const enum err e = row_setup(row, out, peek);

    json_free(row);
    return e;
}

uint32_t match_row_no(const char *data, size_t len)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    uint32_t no = 0;

    if (len <= HASH_HEX ||
        json_parse(data + HASH_HEX + 1, len - HASH_HEX - 1, &json_file_limits, &j, why) != ERR_OK ||
        !json_get_u32(j, "no", &no))
        no = 0;
    json_free(j);
    return no;
}

static bool get_ms(const struct json *j, const char *name, struct mono *out)
{
    return json_get_int(j, name, &out->ms);
}

static bool get_pair(const struct json *j, const char *name, int64_t *a, int64_t *b)
{
    const struct json *pair = json_get(j, name);
    const struct json *first = json_first(pair);

    return json_count(pair) == 2 && json_int(first, a) && json_int(json_next(first), b);
}

static bool read_timers(const struct json *j, struct match_core *c)
{
    struct match_clocks *k = &c->clock;

    return get_pair(j, "left", &k->left_ms[0], &k->left_ms[1]) &&
           (json_get(j, "away_until") == NULL || /* of a server that knew no vacation */
            get_pair(j, "away_until", &k->away_until[0].ms, &k->away_until[1].ms)) &&
           get_ms(j, "served", &c->clock.since) && get_ms(j, "owes_since", &c->clock.owes_since) &&
           get_ms(j, "joined_at", &c->joined_at) && get_ms(j, "order_at", &c->order_at) &&
           json_get_u32(j, "kid", &c->dice.kid);
}

/* An array's items, one after the other. */
static bool next_int(const struct json **at, int64_t *out)
{
    const bool good = json_int(*at, out);

    *at = json_next(*at);
    return good;
}

static bool next_u32(const struct json **at, uint32_t *out)
{
    int64_t v;

    if (!next_int(at, &v) || v < 0 || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool next_mark(const struct json **at, uint8_t out[MARK_LEN])
{
    const char *hex = NULL;
    const bool good = json_string(*at, &hex) && hex_decode(out, MARK_LEN, hex);

    *at = json_next(*at);
    return good;
}

/* Where a journal ended when that was written, and the position there. */
struct mark {
    uint32_t head;
    size_t len; /* of either hash, from its front: they are here against accidents */
    uint8_t hash[FD1_LEN], state_hash[RULES_HASH_LEN];
};

static bool row_mark(const struct json *row, struct mark *out)
{
    out->len = FD1_LEN;
    return json_get_u32(row, "head", &out->head) && json_get_hex(row, "hash", out->hash, FD1_LEN) &&
           json_get_hex(row, "state_hash", out->state_hash, RULES_HASH_LEN);
}

/* *at stands behind it. */
static bool timers_mark(const struct json *timers, const struct json **at, struct mark *out)
{
    int64_t format;

    *at = json_first(timers);
    out->len = MARK_LEN;
    return next_int(at, &format) && format == TIMERS_FORMAT && next_u32(at, &out->head) &&
           next_mark(at, out->hash) && next_mark(at, out->state_hash);
}

static bool read_later(const struct json *at, struct match_core *c)
{
    struct match_clocks *k = &c->clock;
    bool good = next_u32(&at, &c->dice.kid) && next_int(&at, &k->since.ms);

    for (unsigned side = 0; side < 2; side++)
        good = good && next_int(&at, &k->left_ms[side]) && next_int(&at, &k->away_until[side].ms);
    return good && next_int(&at, &k->owes_since.ms) && next_int(&at, &c->joined_at.ms) &&
           next_int(&at, &c->order_at.ms) && at == NULL;
}

static bool is_of_journal(const struct match *m, const struct mark *k)
{
    return k->head > 0 && k->head <= m->journal.n &&
           memcmp(k->hash, m->journal.rec[k->head - 1].hash, k->len) == 0;
}

enum err row_apply(struct match *m, const struct json *row, const struct json *timers,
                   char why[PLAY_WHY_LEN])
{
    const struct json *later = NULL; /* the timers that count; NULL: the row's */
    struct mark first, last;
    uint8_t state;
    enum err err = ERR_DATA;

    if (!row_mark(row, &first) || !json_get_u8(row, "state", &state)) {
        (void)str_copy(why, PLAY_WHY_LEN, "the match's row doesn't check");
        return err;
    }
    last = first;
    if (first.head < m->core->head && !timers_mark(timers, &later, &last)) {
        (void)str_copy(why, PLAY_WHY_LEN, "the clocks behind the newest entry can't be read");
    } else if (last.head != m->core->head || !is_of_journal(m, &first) ||
               !is_of_journal(m, &last) || state != m->core->state) {
        (void)str_copy(why, PLAY_WHY_LEN, "the journal's end is not the row's");
    } else if (memcmp(last.state_hash, m->core->state_hash, last.len) != 0) {
        (void)str_copy(why, PLAY_WHY_LEN, "the journal leads to another position than the row's");
    } else if (later != NULL ? !read_later(later, m->core) : !read_timers(row, m->core)) {
        (void)str_copy(why, PLAY_WHY_LEN, "the row's clocks can't be read");
    } else {
        err = ERR_OK;
    }
    return err;
}
