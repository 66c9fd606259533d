/* SPDX-License-Identifier: ISC
 * model.c -- one match as the server has confirmed it.
 */
#include "client/model.h"

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"

void model_init(struct model *m, struct scenario *scn)
{
    memset(m, 0, sizeof(*m));
    m->scn = scn;
    m->role = ROLE_COUNT;
    m->clock.running = RULES_NOBODY;
    audit_init(&m->audit, scn);
}

void model_fini(struct model *m)
{
    audit_fini(&m->audit);
    scenario_free(m->scn);
    m->scn = NULL;
}

void model_restart(struct model *m)
{
    audit_fini(&m->audit);
    audit_init(&m->audit, m->scn);
    m->synced = false;
    m->trusted = false;
}

static bool get_role(const struct json *j, uint8_t *out)
{
    const char *s = NULL;

    if (!json_get_string(j, "role", &s))
        return false;
    *out = str_eq(s, "A") ? ROLE_A : str_eq(s, "B") ? ROLE_B : ROLE_COUNT;
    return *out != ROLE_COUNT;
}

static enum model_need resync(char why[AUDIT_WHY_LEN], const char *text)
{
    (void)str_copy(why, AUDIT_WHY_LEN, text);
    return MODEL_RESYNC;
}

/* ---- entries ---- */

/* The server's state_hash behind an entry: null, or ours. */
static bool state_fits(const struct model *m, const struct json *event)
{
    const char *told = NULL;
    uint8_t hash[RULES_HASH_LEN];
    char hex[2 * RULES_HASH_LEN + 1];

    if (!json_get_string(event, "state_hash", &told))
        return true;
    if (!audit_state_hash(&m->audit, hash))
        return false;
    hex_encode(hex, hash, sizeof(hash));
    return str_eq(hex, told);
}

/* One event of a sync or notification: the next entry of the journal. */
static enum model_need take(struct model *m, const struct json *event,
                            const struct model_sink *sink, char why[AUDIT_WHY_LEN])
{
    const struct json *entry = json_get(event, "entry");
    struct buf line = BUF_EMPTY;
    char text[AUDIT_WHY_LEN];
    uint8_t hash[FD1_LEN];
    enum err e;

    if (entry == NULL || !json_get_hex(event, "hash", hash, sizeof(hash)))
        return resync(why, "an event without its entry or hash");
    json_print(entry, &line);
    e = audit_take(&m->audit, entry, buf_str(&line), line.len, text);
    buf_fini(&line);
    if (e != ERR_OK) {
        (void)snprintf(why, AUDIT_WHY_LEN, "entry %u: %.*s", m->audit.head + 1, AUDIT_WHY_LEN - 24,
                       text);
        return MODEL_RESYNC;
    }
    if (memcmp(hash, m->audit.hash, FD1_LEN) != 0)
        return resync(why, "the journal's hash isn't the server's");
    if (!state_fits(m, event))
        return resync(why, "our position isn't the server's");
    if (sink != NULL)
        sink->entry(sink->data, m, m->caught_up && m->audit.head > m->told);
    m->told = MAX(m->told, m->audit.head);
    return MODEL_GOOD;
}

/* Clocks as the newest entry tells them. */
static void clock_from_entry(struct model *m, struct mono now)
{
    const struct audit *a = &m->audit;

    if (!a->last.has_left)
        return;
    m->clock = (struct model_clock){.known = true, .running = RULES_NOBODY, .at = now};
    memcpy(m->clock.left_ms, a->left_ms, sizeof(m->clock.left_ms));
    m->clock.paused = a->paused;
    if (!a->over && a->started)
        m->clock.running = a->game.rules.state.active;
}

enum model_need model_event(struct model *m, const struct json *params, struct mono now,
                            const struct model_sink *sink, char why[AUDIT_WHY_LEN])
{
    enum model_need need;
    uint32_t seq = 0;

    if (!m->synced)
        return MODEL_GOOD; /* the sync under way brings it */
    if (!json_get_u32(json_get(params, "entry"), "seq", &seq))
        return resync(why, "an event without a number");
    if (seq <= m->audit.head)
        return MODEL_GOOD;
    if (seq != m->audit.head + 1) {
        m->synced = false;
        return MODEL_MORE; /* something was left out: fetch it */
    }
    need = take(m, params, sink, why);
    if (need == MODEL_GOOD)
        clock_from_entry(m, now);
    return need;
}

/* ---- sync ---- */

bool model_sync_scenario(const struct json *result, const char **id, uint8_t hash[RULES_HASH_LEN])
{
    return json_get_string(result, "scenario", id) &&
           json_get_hex(result, "scenario_hash", hash, RULES_HASH_LEN);
}

static enum model_need read_head(struct model *m, const struct json *r, uint32_t *head,
                                 char why[AUDIT_WHY_LEN])
{
    const char *match = NULL, *scenario = NULL;
    uint8_t hash[RULES_HASH_LEN];

    if (!json_get_string(r, "match", &match) || !str_copy(m->match, sizeof(m->match), match) ||
        !model_sync_scenario(r, &scenario, hash) || !json_get_u32(r, "head", head))
        return resync(why, "not the result of a sync");
    if (memcmp(hash, m->scn->hash, sizeof(hash)) != 0)
        return resync(why, "the match is played on another scenario than the one fetched");
    if (!json_get_u32(r, "delay", &m->delay))
        m->delay = 0;
    if (!json_get_u32(r, "max_spectators", &m->max_spectators))
        m->max_spectators = 0;
    if (json_get(r, "role") == NULL)
        m->role = ROLE_COUNT;
    else if (!get_role(r, &m->role))
        return resync(why, "a role that there isn't");
    if (*head < m->audit.head) {
        (void)snprintf(why, AUDIT_WHY_LEN, "the server is at entry %u, and %u was seen", *head,
                       m->audit.head);
        return MODEL_BACK;
    }
    return MODEL_GOOD;
}

/* A chain as `dice` gives it; absent ones are null. */
static bool read_chain(const struct json *dice, const char *link, const char *letter,
                       struct audit_chain *c, struct audit_dice *d)
{
    static const struct {
        const char *letter;
        uint8_t role;
    } roles[] = {{"S", FD1_ROLE_SERVER}, {"A", FD1_ROLE_MAKER}, {"B", FD1_ROLE_JOINER}};
    struct fd1_chain_id id = {0};
    uint32_t generation, base;
    uint8_t x[FD1_LEN];

    if (!json_get_hex(dice, link, x, sizeof(x)))
        return json_get(dice, link) != NULL && json_type(json_get(dice, link)) == JSON_NULL;
    if (!json_get_u32(json_get(dice, "generations"), letter, &generation) ||
        generation > UINT16_MAX || !json_get_u32(json_get(dice, "bases"), letter, &base) ||
        base > d->n || d->n - base > FD1_CHAIN_LEN)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(roles); i++) {
        if (str_eq(roles[i].letter, letter))
            id.role = roles[i].role;
    }
    memcpy(id.mid, d->mid, FD1_MID_LEN);
    id.generation = (uint16_t)generation;
    c->there = true;
    c->generation = id.generation;
    fd1_tail_init(&c->tail, &id, base, x);
    c->tail.last.k = d->n - base;
    return true;
}

static bool read_dice(const struct json *r, struct audit_dice *d)
{
    const struct json *dice = json_get(r, "dice");
    uint32_t n = 0, open_seq = 0;

    if (!json_get_u32(dice, "n", &n))
        return false;
    d->n = n;
    d->since = n;
    d->salted = json_get_hex(dice, "salt", d->salt, FD1_LEN);
    d->anew = json_get_u32(json_get(r, "roll"), "seq", &open_seq) && open_seq == 0;
    return read_chain(dice, "s", "S", &d->chain[ROLE_S], d) &&
           read_chain(dice, "a", "A", &d->chain[ROLE_A], d) &&
           read_chain(dice, "b", "B", &d->chain[ROLE_B], d);
}

/* What `opened`, `joined` and `started` would have told. */
static bool read_setup(struct model *m, const struct json *r, struct rules_readings *readings)
{
    struct audit *a = &m->audit;
    const struct json *players = json_get(r, "players");
    const char *fair = NULL, *maker = NULL, *name = NULL;
    char text[SCENARIO_WHY_LEN], field[PLAY_WHY_LEN];

    if (!hex_decode(a->match, MATCH_ID_LEN, m->match) || !json_get_u32(r, "no", &a->no) ||
        clock_rule_from_json(json_get(r, "clock"), &a->clock, field) != ERR_OK ||
        !json_get_string(r, "fair", &fair) || !fair_from_word(fair, &a->fair) ||
        !json_get_bool(r, "rated", &a->rated) || !json_get_string(r, "maker", &maker) ||
        readings_from_json(json_get(r, "readings"), readings, text) != ERR_OK)
        return false;
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        enum role role;

        if (!json_get_string(players, m->scn->side[side].id, &name))
            return false;
        role = str_eq(name, maker) ? ROLE_A : ROLE_B;
        a->side_of[role] = (uint8_t)side;
        if (!str_copy(a->name[role], sizeof(a->name[0]), name))
            return false;
    }
    return true;
}

static enum model_need begin_at(struct model *m, const struct json *r, char why[AUDIT_WHY_LEN])
{
    struct rules_state *state = mem_zalloc(sizeof(*state));
    struct rules_readings readings = {0};
    struct audit_start start = {.state = state, .readings = &readings};
    bool good;

    audit_dice_init(&start.dice, m->audit.match, FAIR_STRICT);
    good = read_setup(m, r, &readings);
    audit_dice_init(&start.dice, m->audit.match, (enum fair)m->audit.fair);
    good = good && read_dice(r, &start.dice) && json_get_u32(r, "state_seq", &start.seq) &&
           json_get_hex(r, "state_seq_hash", start.hash, FD1_LEN) &&
           state_from_json(json_get(r, "state"), m->scn, state) == ERR_OK;
    if (good) {
        audit_begin_at(&m->audit, &start);
        m->trusted = true;
    }
    mem_free(state);
    return good ? MODEL_GOOD : resync(why, "a position that can't be read");
}

/* At the head: hash and position must be the server's. */
static enum model_need arrive(struct model *m, const struct json *r, uint32_t head,
                              char why[AUDIT_WHY_LEN])
{
    uint8_t hash[FD1_LEN];

    if (m->audit.head != head || !json_get_hex(r, "hash", hash, sizeof(hash)))
        return resync(why, "a sync that doesn't reach the head");
    if (memcmp(hash, m->audit.hash, FD1_LEN) != 0)
        return resync(why, "the journal's hash isn't the server's");
    if (audit_is_whole(&m->audit) && !state_fits(m, r))
        return resync(why, "our position isn't the server's");
    m->synced = true;
    m->caught_up = true;
    return MODEL_GOOD;
}

enum model_need model_sync(struct model *m, const struct json *result,
                           const struct model_sink *sink, char why[AUDIT_WHY_LEN])
{
    uint32_t head = 0;
    enum model_need need = read_head(m, result, &head, why);

    if (need == MODEL_GOOD && m->audit.board == NULL && json_get(result, "state") != NULL)
        need = begin_at(m, result, why);
    for (const struct json *ev = json_first(json_get(result, "events"));
         ev != NULL && need == MODEL_GOOD; ev = json_next(ev)) {
        uint32_t seq = 0;

        if (json_get_u32(json_get(ev, "entry"), "seq", &seq) && seq <= m->audit.head)
            continue;
        need = take(m, ev, sink, why);
    }
    if (need != MODEL_GOOD)
        return need;
    if (json_get(result, "next") != NULL)
        return MODEL_MORE;
    return arrive(m, result, head, why);
}

bool model_adopt(struct model *m, struct audit *whole)
{
    uint8_t ours[RULES_HASH_LEN], theirs[RULES_HASH_LEN];
    const bool has = audit_state_hash(&m->audit, ours);

    if (whole->head != m->audit.head || memcmp(whole->hash, m->audit.hash, FD1_LEN) != 0 ||
        audit_state_hash(whole, theirs) != has || (has && memcmp(ours, theirs, sizeof(ours)) != 0))
        return false;
    audit_fini(&m->audit);
    m->audit = *whole;
    memset(whole, 0, sizeof(*whole));
    m->trusted = false;
    return true;
}

/* ---- what isn't in the journal ---- */

void model_presence(struct model *m, const struct json *params)
{
    struct model_seat seat[2] = {{0}};

    for (const struct json *s = json_first(json_get(params, "seats")); s != NULL;
         s = json_next(s)) {
        uint8_t role;
        bool online = false;
        int64_t away = 0;

        if (!get_role(s, &role) || !json_get_bool(s, "online", &online))
            continue;
        if (!json_get_int(s, "away_ms", &away))
            away = 0;
        seat[role] = (struct model_seat){true, online, away};
    }
    memcpy(m->seat, seat, sizeof(seat));
    if (!json_get_u32(params, "spectators", &m->spectators))
        m->spectators = 0;
}

void model_clock(struct model *m, const struct json *params, struct mono now)
{
    const struct json *left = json_get(params, "left");
    struct model_clock c = {.known = true, .running = RULES_NOBODY, .at = now};
    const char *running = NULL;

    if (!json_get_int(left, m->scn->side[0].id, &c.left_ms[0]) ||
        !json_get_int(left, m->scn->side[1].id, &c.left_ms[1]))
        return;
    if (json_get_string(params, "running", &running))
        c.running = (uint8_t)scenario_side_find(m->scn, running);
    if (!json_get_bool(params, "paused", &c.paused))
        c.paused = false;
    m->clock = c;
}

/* ---- asking ---- */

enum rules_side model_side(const struct model *m)
{
    return m->role <= ROLE_B ? (enum rules_side)m->audit.side_of[m->role] : RULES_NOBODY;
}

bool model_may_order(const struct model *m)
{
    const struct audit *a = &m->audit;
    const enum rules_side side = model_side(m);

    return m->synced && a->started && !a->over && !a->paused && audit_is_whole(a) &&
           a->roll_seq == 0 && audit_dice_ready(&a->dice) && side != RULES_NOBODY &&
           a->game.rules.state.active == side;
}

bool model_left(const struct model *m, enum rules_side side, struct mono now, int64_t *left_ms)
{
    int64_t run;

    if (!m->clock.known || side == RULES_NOBODY)
        return false;
    run = m->clock.running == side && !m->clock.paused ? mono_since(now, m->clock.at) : 0;
    *left_ms = MAX(m->clock.left_ms[side] - run, (int64_t)0);
    return true;
}

void model_dice_words(const struct model *m, struct buf *out)
{
    const struct audit_dice *d = &m->audit.dice;
    const bool server = d->fair == FAIR_SERVER, none = m->trusted && d->checked == 0;

    buf_puts(out, server && none ? "server-only dice, none checked yet"
                  : server       ? "server-only dice, checked"
                  : none         ? "no dice checked yet"
                                 : "dice checked");
    if (m->trusted && d->checked > 0)
        buf_printf(out, " from roll %u on", d->since + 1);
    if (d->reanchors > 0)
        buf_printf(out, ", %u new anchor%s", d->reanchors, d->reanchors == 1 ? "" : "s");
}

void model_result_words(const struct model *m, struct buf *out)
{
    const struct audit *a = &m->audit;
    char hash[2 * FD1_LEN + 1], state[2 * RULES_HASH_LEN + 1] = "-";
    uint8_t bytes[RULES_HASH_LEN];

    hex_encode(hash, a->hash, FD1_LEN);
    if (audit_state_hash(a, bytes))
        hex_encode(state, bytes, sizeof(bytes));
    buf_printf(out, "Result: %s, %s, turn %u. Match %s, entry %u, hash %s, state %s; ",
               a->winner <= RULES_B ? m->scn->side[a->winner].id : "nobody",
               reason_word((enum rules_reason)a->reason),
               a->started ? a->game.rules.state.turn : 0U, m->match, a->head, hash, state);
    model_dice_words(m, out);
    buf_putc(out, '.');
}
