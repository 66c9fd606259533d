/* SPDX-License-Identifier: ISC */
#include "tests/unit/libmatch.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"

void table_init(struct table *t, const char *scenario)
{
    static const uint8_t seed[DRBG_SEED_LEN] = {1, 9, 6, 2};

    memset(t, 0, sizeof(*t));
    scenario_set_init(&t->set);
    t->scenario = scenario_set_find(&t->set, scenario);
    assert_non_null(t->scenario);
    t->board = scenario_board_with(t->scenario, &t->scenario->board.readings);
    drbg_init(&t->random, seed);
    drbg_bytes(&t->random, t->env.master, FD1_LEN);
    t->env.kid = 1;
    t->now = (struct match_now){{1000000}, {1700000000000}};
    t->setup = (struct match_setup){.no = 1,
                                    .scenario = t->scenario,
                                    .board = t->board,
                                    .fair = FAIR_SERVER,
                                    .side = RULES_A,
                                    .maker = "alice"};
    drbg_bytes(&t->random, t->setup.id, MATCH_ID_LEN);
}

void table_open(struct table *t)
{
    match_open(&t->setup, &t->env, t->now, &t->m, &t->st);
    (void)table_end(t, ERR_OK);
    match_seen(t->m, ROLE_A, true, t->now);
}

static void shelf_fini(struct shelf *s)
{
    buf_fini(&s->row);
    buf_fini(&s->lines);
    buf_fini(&s->timers);
    buf_fini(&s->snap);
}

void table_fini(struct table *t)
{
    match_free(t->m);
    match_step_fini(&t->st);
    shelf_fini(&t->shelf);
    buf_fini(&t->text);
    mem_free(t->board);
    scenario_set_fini(&t->set);
}

static void keep(struct buf *b, const struct store_op *op)
{
    buf_reset(b);
    buf_put(b, op->data, op->len);
}

static void keep_op(struct table *t, const struct store_op *op)
{
    struct shelf *s = &t->shelf;

    assert_memory_equal(op->key, t->setup.id, MATCH_ID_LEN);
    switch ((enum store_op_kind)op->kind) {
    case STORE_MATCH_NEW:
        assert_int_equal(s->row.len, 0);
        assert_string_equal(op->name, t->scenario->id);
        keep(&s->row, op);
        s->state = op->state;
        return;
    case STORE_MATCH_SET:
        assert_true(s->row.len > 0);
        keep(&s->row, op);
        s->state = op->state;
        return;
    case STORE_ENTRIES:
        assert_int_equal(op->seq, s->head + 1);
        s->head += op->n;
        buf_put(&s->lines, op->data, op->len);
        buf_reset(&s->timers);
        buf_put(&s->timers, op->data + op->len, op->timers_len);
        return;
    case STORE_SNAPSHOT:
        assert_int_equal(op->seq, s->head);
        s->snap_seq = op->seq;
        s->snaps++;
        keep(&s->snap, op);
        return;
    case STORE_SHARE:
        assert_int_equal(op->len, FD1_LEN);
        s->has_share[op->role] = true;
        memcpy(s->share[op->role], op->data, FD1_LEN);
        s->share_roll[op->role] = op->seq;
        return;
    case STORE_SHARES_DROP:
        s->has_share[ROLE_A] = false;
        s->has_share[ROLE_B] = false;
        return;
    case STORE_USER_PUT:
    case STORE_USER_DROP:
    case STORE_TOKEN_PUT:
    case STORE_TOKEN_DROP:
    case STORE_INVITE_PUT:
    case STORE_INVITE_DROP:
    case STORE_META_PUT:
    case STORE_META_DROP:
    case STORE_ARCHIVE:
    case STORE_RENAME:
    case STORE_AUDIT:
        break;
    }
    fail_msg("op %d is not a match's", op->kind);
}

static void add_up(struct table *t)
{
    t->sum.ask |= t->last.ask;
    t->sum.over |= t->last.over;
    t->sum.started |= t->last.started;
    t->sum.turn |= t->last.turn;
    t->sum.clock |= t->last.clock;
    t->sum.offers |= t->last.offers;
    t->sum.owed |= t->last.owed;
    t->sum.undo_to = MAX(t->sum.undo_to, t->last.undo_to);
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        if ((t->last.ask >> role & 1) != 0)
            match_asked(t->m, (enum role)role, t->now);
    }
}

void table_store(struct table *t)
{
    const uint32_t seq = t->st.seq, offer = t->st.offer_id;

    assert_true(match_is_pending(t->m));
    for (size_t i = 0; i < t->st.n; i++)
        keep_op(t, &t->st.op[i]);
    match_step_fini(&t->st);
    t->st.seq = seq;
    t->st.offer_id = offer;
    match_stored(t->m, true, &t->last);
    add_up(t);
}

void table_next(struct table *t)
{
    const struct match_step kept = t->st;

    t->st = (struct match_step){0};
    while (match_next(t->m, t->now, &t->st))
        table_store(t);
    t->st = (struct match_step){.seq = kept.seq, .offer_id = kept.offer_id, .no = kept.no};
    assert_true(match_deadline(t->m).ms > t->now.served.ms);
}

enum err table_end(struct table *t, enum err e)
{
    if (e != ERR_OK) {
        assert_int_equal(t->st.n, 0);
        assert_false(match_is_pending(t->m));
        assert_true(t->st.no.words[0] != '\0');
        return e;
    }
    if (t->st.n > 0 && !t->hold)
        table_store(t);
    if (!t->hold)
        table_next(t);
    return e;
}

void table_clear(struct table *t)
{
    t->sum = (struct match_applied){0};
}

/* The referee is called at each of its deadlines on the way, as its owner does. */
void table_wait(struct table *t, int64_t ms)
{
    const int64_t until = t->now.served.ms + ms;

    for (;;) {
        const int64_t due = match_deadline(t->m).ms;
        const int64_t to = MIN(until, MAX(due, t->now.served.ms));

        t->now.wall.ms += to - t->now.served.ms;
        t->now.served.ms = to;
        table_next(t);
        if (to == until)
            return;
    }
}

static void fresh(struct table *t)
{
    match_step_fini(&t->st);
}

enum err table_join(struct table *t)
{
    enum err e;

    fresh(t);
    e = table_end(t, match_join(t->m, "bob", t->now, &t->st));
    match_seen(t->m, ROLE_B, true, t->now);
    return e;
}

static void make_chain(struct table *t, enum role role, uint16_t generation)
{
    struct fd1_chain_id id = {.role = (uint8_t)role_letter(role), .generation = generation};
    uint8_t secret[FD1_LEN];

    memcpy(id.mid, t->setup.id, FD1_MID_LEN);
    drbg_bytes(&t->random, secret, FD1_LEN);
    assert_true(fd1_chain_init(&t->chain[role], &id, FD1_CHAIN_LEN, secret));
}

enum err table_anchor(struct table *t, enum role role, uint16_t generation)
{
    struct match_anchor a = {.generation = generation};

    fresh(t);
    make_chain(t, role, generation);
    memcpy(a.anchor, fd1_chain_anchor(&t->chain[role]), FD1_LEN);
    return table_end(t, match_anchor(t->m, role, &a, t->now, &t->st));
}

/* As a client does: the base of its chain is known from sync. */
static uint32_t base_of(struct table *t, enum role role)
{
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    const struct match_sync s = {.role = role};
    struct match_synced synced;
    struct json *j = NULL;
    char why[JSON_WHY_LEN];
    const char name[2] = {role_letter(role), '\0'};
    int64_t base = 0;

    jsonw_obj(&w);
    assert_int_equal(match_sync(t->m, &s, t->now, &w, &synced), ERR_OK);
    jsonw_obj_end(&w);
    assert_int_equal(json_parse(text.data, text.len, &json_file_limits, &j, why), ERR_OK);
    assert_true(json_get_int(json_get(json_get(j, "dice"), "bases"), name, &base));
    json_free(j);
    buf_fini(&text);
    return (uint32_t)base;
}

enum err table_share(struct table *t, enum role role)
{
    struct match_request r;
    struct match_share s;

    fresh(t);
    assert_true(match_request(t->m, &r));
    s.roll = r.n;
    assert_true(fd1_chain_link(&t->chain[role], fd1_link_number(base_of(t, role), r.n), s.share));
    return table_end(t, match_share(t->m, role, &s, t->now, &t->st));
}

void table_shares(struct table *t)
{
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        if (match_owes(t->m, (enum role)role) == OWES_SHARE)
            assert_int_equal(table_share(t, (enum role)role), ERR_OK);
    }
}

void table_start(struct table *t)
{
    assert_int_equal(table_join(t), ERR_OK);
    if (t->setup.fair != FAIR_SERVER) {
        assert_int_equal(table_anchor(t, ROLE_A, 0), ERR_OK);
        assert_int_equal(table_anchor(t, ROLE_B, 0), ERR_OK);
        table_shares(t);
    }
    assert_int_equal(match_state(t->m), MATCH_LIVE);
}

enum role table_active(const struct table *t)
{
    return match_role_of_side(t->m, (enum rules_side)match_position(t->m)->active);
}

enum err table_order(struct table *t, enum role role, const char *id, int64_t base,
                     const struct rules_order *o)
{
    const struct match_order order = {.order_id = id, .base = base, .order = *o};

    fresh(t);
    return table_end(t, match_order(t->m, role, &order, t->now, &t->st));
}

static void no_order(struct rules_order *o)
{
    *o =
        (struct rules_order){.face = RULES_NO_DIR, .exit = RULES_NO_DIR, .square = RULES_NO_SQUARE};
}

static bool move_of(const struct table *t, unsigned f, unsigned which, struct rules_order *o)
{
    struct rules_reach *reach = mem_zalloc(sizeof(*reach));
    const struct rules_to *to;
    bool can;

    rules_reach(t->board, match_position(t->m), f, reach);
    can = reach->n_to > 0 && rules_can_act(t->board, match_position(t->m), f);
    if (can) {
        to = &reach->to[which % reach->n_to];
        no_order(o);
        o->kind = RULES_DO_MOVE;
        o->n_figures = 1;
        o->figure[0] = (uint16_t)f;
        o->n_path = to->n;
        memcpy(o->path, to->path, to->n * sizeof(o->path[0]));
    }
    mem_free(reach);
    return can;
}

bool table_move(const struct table *t, struct rules_order *o)
{
    const struct rules_state *s = match_position(t->m);

    for (unsigned f = 0; f < t->board->n_figures; f++) {
        if (t->board->figure[f].side == s->active && move_of(t, f, 0, o))
            return true;
    }
    return false;
}

void table_any(struct table *t, struct rules_order *o)
{
    const struct rules_state *s = match_position(t->m);

    for (unsigned tries = 0; tries < 24; tries++) {
        const unsigned f = drbg_below(&t->random, t->board->n_figures);
        struct rules_aim aim;
        struct rules_refusal no;

        if (t->board->figure[f].side != s->active || !rules_can_act(t->board, s, f))
            continue;
        for (unsigned face = RULES_N; face < RULES_NO_DIR; face++) {
            if (rules_aim(t->board, s, s->at[f], (enum rules_dir)face, &aim, &no) != RULES_OK)
                continue;
            no_order(o);
            o->kind = RULES_DO_FIRE;
            o->square = s->at[f];
            o->face = (uint8_t)face;
            return;
        }
        if (move_of(t, f, drbg_below(&t->random, 60), o)) {
            o->face = (uint8_t)drbg_below(&t->random, 4);
            return;
        }
    }
    no_order(o);
    o->kind = RULES_DO_END_PHASE;
}

void table_play(struct table *t)
{
    struct rules_order o;
    struct buf id = BUF_EMPTY;

    table_any(t, &o);
    buf_puts(&id, "o");
    buf_put_int(&id, ++t->orders);
    assert_int_equal(table_order(t, table_active(t), buf_str(&id), match_head(t->m), &o), ERR_OK);
    buf_fini(&id);
    if (!t->hold)
        table_shares(t);
}

/* ---- recovery ---- */

enum err table_try_load(struct table *t, struct match **out, char why[PLAY_WHY_LEN])
{
    const struct shelf *s = &t->shelf;
    struct core_match_row row = {.state = s->state,
                                 .data = s->row.data,
                                 .data_len = s->row.len,
                                 .snapshot = s->snap.len > 0 ? s->snap.data : NULL,
                                 .snapshot_len = s->snap.len,
                                 .snapshot_seq = s->snap_seq,
                                 .lines = s->lines.data,
                                 .lines_len = s->lines.len,
                                 .timers = s->timers.data,
                                 .timers_len = s->timers.len};
    const struct match_load l = {&row, t->scenario, t->board, &t->env};
    struct match_peek peek;
    enum err e;

    memcpy(row.id, t->setup.id, MATCH_ID_LEN);
    if (match_row_peek(s->row.data, s->row.len, &peek) == ERR_OK)
        assert_string_equal(peek.scenario, t->scenario->id);
    e = match_load(&l, t->now, out, why);
    for (unsigned role = ROLE_A; role <= ROLE_B && e == ERR_OK; role++) {
        if (s->has_share[role])
            assert_int_equal(
                match_load_share(*out, (enum role)role, s->share_roll[role], s->share[role]),
                ERR_OK);
    }
    return e;
}

static void put_clock(struct table *t, struct match *m, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    match_clock_json(m, t->now, &w);
    for (unsigned role = ROLE_A; role <= ROLE_B; role++)
        jsonw_m_int(&w, "owes", match_owes(m, (enum role)role));
    jsonw_obj_end(&w);
}

void table_show(struct table *t, struct match *m, struct buf *out)
{
    struct jsonw w = jsonw_on(out);
    struct match_sync s = {.role = ROLE_A};
    struct match_synced synced;

    jsonw_obj(&w);
    assert_int_equal(match_sync(m, &s, t->now, &w, &synced), ERR_OK);
    jsonw_obj_end(&w);
    jsonw_obj(&w);
    s.has_after = true;
    s.role = ROLE_COUNT;
    do {
        assert_int_equal(match_sync(m, &s, t->now, &w, &synced), ERR_OK);
        s.after = synced.upto;
    } while (synced.upto < match_head(m));
    assert_int_equal(match_record(m, 0, &w), ERR_OK);
    jsonw_obj_end(&w);
    put_clock(t, m, out);
}

void table_assert_same(struct table *t, struct match *a, struct match *b)
{
    struct buf x = BUF_EMPTY, y = BUF_EMPTY;

    table_show(t, a, &x);
    table_show(t, b, &y);
    assert_string_equal(buf_str(&x), buf_str(&y));
    if (match_position(a) != NULL)
        assert_memory_equal(match_position(a), match_position(b), sizeof(struct rules_state));
    buf_fini(&x);
    buf_fini(&y);
}

struct match *table_load(struct table *t)
{
    struct match *m = NULL;
    char why[PLAY_WHY_LEN] = "";

    if (table_try_load(t, &m, why) != ERR_OK)
        fail_msg("%s", why);
    table_assert_same(t, t->m, m);
    return m;
}

const char *table_line(struct table *t, uint32_t seq)
{
    struct match_line line;

    assert_true(match_line(t->m, seq, &line));
    buf_reset(&t->text);
    buf_put(&t->text, line.text, line.len);
    return buf_str(&t->text);
}
