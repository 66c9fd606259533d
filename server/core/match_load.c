/* SPDX-License-Identifier: ISC
 * match_load.c -- recovery: the journal done again, from the snapshot or from its first line.
 *
 * Every line's hash is checked; from the snapshot on, each batch is made anew from its first entry
 * and must give the same bytes. Nothing is believed but timers: the row's, which are sealed, or those
 * behind the newest entries, which the store holds by the row's checksum.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/match_impl.h"

static enum err bad(char why[PLAY_WHY_LEN], uint32_t seq, const char *what)
{
    struct buf text = BUF_EMPTY;

    buf_puts(&text, "entry ");
    buf_put_int(&text, seq);
    buf_puts(&text, ": ");
    buf_puts(&text, what);
    (void)str_copy(why, PLAY_WHY_LEN, buf_str(&text));
    buf_fini(&text);
    return ERR_DATA;
}

/* ---- one batch ---- */

/* A decoded line; borrows from `j` and room until the next. */
struct line {
    struct json *j;
    struct entry_room room;
    struct entry e;
};

/* The journal that is read. */
struct redo {
    const struct match_recs *all;
    struct line line, behind;
    struct game_events ev; /* lent to one batch after the other */
    bool unhashed;
};

static bool decode(const struct match *m, const struct match_recs *all, uint32_t i, struct line *l)
{
    char json_why[JSON_WHY_LEN], why[PLAY_WHY_LEN];

    json_free(l->j);
    l->j = NULL;
    return json_parse(recs_line(all, i), all->rec[i].len, &json_file_limits, &l->j, json_why) ==
               ERR_OK &&
           entry_decode(l->j, m->setup.scenario, &l->e, &l->room, why) == ERR_OK;
}

static void line_fini(struct line *l)
{
    json_free(l->j);
    entry_room_fini(&l->room);
}

/* Times left of a batch whose first entry has none stand in the second, if at all. */
static bool left_is_behind(uint8_t kind)
{
    return kind == ENTRY_RESIGN || kind == ENTRY_CLAIM || kind == ENTRY_ANSWER ||
           kind == ENTRY_UMPIRE;
}

static void take_left(struct match_batch *b, struct redo *r, uint32_t at)
{
    const struct entry *from = &r->line.e;

    if (!from->has_left && left_is_behind(r->line.e.kind) && at + 1 < r->all->n &&
        decode(b->m, r->all, at + 1, &r->behind))
        from = &r->behind.e;
    if (!from->has_left)
        return;
    memcpy(b->left_ms, from->left_ms, sizeof(b->left_ms));
    memcpy(b->core->clock.left_ms, from->left_ms, sizeof(b->left_ms));
}

/* The batch that begins behind m's head. */
static enum err redo_batch(struct match *m, struct redo *r, char why[PLAY_WHY_LEN])
{
    const uint32_t at = m->core->head;
    struct match_now now = {.served = m->core->clock.since};
    struct match_applied applied;
    struct match_batch *b;
    struct game_events own; /* a batch that was used before brings some along */
    const char *what = NULL;

    if (!decode(m, r->all, at, &r->line))
        return bad(why, at + 1, "is no entry");
    now.wall = r->line.e.ts;
    b = batch_new(m, now);
    b->unhashed = r->unhashed;
    b->expect = r->all;
    own = b->ev;
    b->ev = r->ev;
    take_left(b, r, at);
    if (batch_from(b, &r->line.e) != ERR_OK)
        what = "can't stand here";
    else if (b->differs)
        what = "the rules give something else";
    r->ev = b->ev;
    b->ev = own;
    if (what != NULL) {
        batch_free(b);
        return bad(why, at + 1, what);
    }
    batch_close(b);
    batch_commit(b, &applied);
    return ERR_OK;
}

/* From m's head to the end of `all`. */
static enum err redo_all(struct match *m, const struct match_recs *all, bool unhashed,
                         char why[PLAY_WHY_LEN])
{
    struct redo *r = mem_zalloc(sizeof(*r));
    enum err err = ERR_OK;

    r->all = all;
    r->unhashed = unhashed;
    while (err == ERR_OK && m->core->head < all->n)
        err = redo_batch(m, r, why);
    line_fini(&r->line);
    line_fini(&r->behind);
    game_events_fini(&r->ev);
    mem_free(r);
    return err;
}

/* ---- the whole ---- */

static enum err split(const struct core_match_row *row, struct match_recs *all,
                      char why[PLAY_WHY_LEN])
{
    uint8_t prev[FD1_LEN] = {0};
    const char *at = row->lines != NULL ? row->lines : ""; /* NULL: the store found it damaged */
    const char *const end = at + row->lines_len;

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        struct match_rec *rec;
        struct match_front f;

        if (nl == NULL || !front_read(at, (size_t)(nl - at), &f) || f.seq != all->n + 1)
            return bad(why, all->n + 1, "is torn or out of order");
        rec = recs_add(all, at, (size_t)(nl - at));
        fd1_journal_hash(prev, at, rec->len, rec->hash);
        rec->kind = f.kind;
        rec->has_state = REC_UNKNOWN;
        memcpy(prev, rec->hash, FD1_LEN);
        at = nl + 1;
    }
    return all->n > 0 ? ERR_OK : bad(why, 1, "is missing");
}

/* Let m stand where the snapshot stands, if it is one of this journal. */
static enum err take_snapshot(struct match *m, const struct core_match_row *row,
                              const struct match_recs *all, char why[PLAY_WHY_LEN])
{
    struct match_core c;
    struct match_recs part = *all;
    struct match_front first;

    core_begin(m, &c);
    if (row->snapshot == NULL || snap_read(m, row->snapshot, row->snapshot_len, &c) != ERR_OK ||
        c.head > all->n || c.head == 0 || memcmp(c.hash, all->rec[c.head - 1].hash, FD1_LEN) != 0 ||
        !front_read(recs_line(all, 0), all->rec[0].len, &first)) {
        game_fini(&c.game);
        return ERR_OK;
    }
    c.opened_at = first.ts;
    game_fini(&m->core->game);
    *m->core = c;
    part.n = c.head;
    part.text.len = all->rec[c.head - 1].off + all->rec[c.head - 1].len + 1;
    recs_append(&m->journal, &part);
    for (uint32_t seq = 1; seq <= c.head; seq++) {
        if (!rec_read(recs_line(&m->journal, seq - 1), &m->journal.rec[seq - 1]))
            return bad(why, seq, "is no order");
        lines_note(m, seq);
    }
    return ERR_OK;
}

static enum err check_setup(const struct match_load *l, const struct match_setup *s,
                            const struct match_peek *peek, char why[PLAY_WHY_LEN])
{
    const char *what = NULL;

    if (memcmp(s->id, l->row->id, MATCH_ID_LEN) != 0)
        what = "the match's row is another's";
    else if (!str_eq(peek->scenario, l->scenario->id) ||
             memcmp(peek->scenario_hash, l->scenario->hash, RULES_HASH_LEN) != 0)
        what = "the scenario is not the one that was played";
    else if (memcmp(&peek->readings, &l->board->readings, sizeof(peek->readings)) != 0)
        what = "the readings are not those that were played";
    if (what == NULL)
        return ERR_OK;
    (void)str_copy(why, PLAY_WHY_LEN, what);
    return ERR_DATA;
}

/* The row, and what the newest entries say behind it. */
static enum err apply_row(struct match *m, const struct core_match_row *row,
                          const struct json *tree, char why[PLAY_WHY_LEN])
{
    char json_why[JSON_WHY_LEN];
    struct json *timers = NULL;
    enum err err;

    if (row->timers_len > 0 &&
        json_parse(row->timers, row->timers_len, &json_file_limits, &timers, json_why) != ERR_OK) {
        (void)str_copy(why, PLAY_WHY_LEN, "the clocks behind the newest entry can't be read");
        return ERR_DATA;
    }
    err = row_apply(m, tree, timers, why);
    json_free(timers);
    return err;
}

static enum err load_into(struct match *m, const struct core_match_row *row,
                          const struct json *tree, char why[PLAY_WHY_LEN])
{
    struct match_recs all = {0};
    enum err err = split(row, &all, why);

    if (err == ERR_OK)
        err = take_snapshot(m, row, &all, why);
    if (err == ERR_OK)
        err = redo_all(m, &all, true, why);
    recs_fini(&all);
    if (err != ERR_OK)
        return err;
    if (m->core->started)
        game_hash(&m->core->game, m->core->state_hash);
    clock_rerun(m, m->core, m->core->clock.since);
    return apply_row(m, row, tree, why);
}

static enum err load(const struct match_load *l, const struct json *tree, struct match_now now,
                     struct match **out, char why[PLAY_WHY_LEN])
{
    struct match_setup setup;
    struct match_peek peek;
    struct match *m;
    enum err err;

    if (row_setup(tree, &setup, &peek) != ERR_OK) {
        (void)str_copy(why, PLAY_WHY_LEN, "the match's row doesn't check");
        return ERR_DATA;
    }
    err = check_setup(l, &setup, &peek, why);
    if (err != ERR_OK)
        return err;
    setup.scenario = l->scenario;
    setup.board = l->board;
    m = match_bare(&setup, l->env, now);
    err = load_into(m, l->row, tree, why);
    if (err != ERR_OK) {
        match_free(m);
        return err;
    }
    m->roll_at = now.served;
    if (m->core->clock.since.ms > now.served.ms) /* a crash just after a match with a clock began */
        m->core->clock.since = now.served;
    m->restored = m->core->dice.kid != m->env->kid && m->core->state != MATCH_OVER;
    *out = m;
    return ERR_OK;
}

enum err match_load(const struct match_load *l, struct match_now now, struct match **out,
                    char why[PLAY_WHY_LEN])
{
    struct json *tree = row_open(l->row->data, l->row->data_len);
    enum err err;

    *out = NULL;
    err = load(l, tree, now, out, why);
    json_free(tree);
    return err;
}

enum err match_load_share(struct match *m, enum role role, uint32_t roll,
                          const uint8_t share[FD1_LEN])
{
    struct match_core *c = m->core;
    const struct mono owes_since = c->clock.owes_since;

    if (role > ROLE_B || c->state == MATCH_OVER || !core_roll_open(m, c) || roll != c->dice.n + 1)
        return ERR_OK;
    if (!fd1_tail_check(&c->dice.chain[role].tail, roll, share))
        return ERR_DATA;
    c->dice.has_share[role] = true;
    memcpy(c->dice.share[role], share, FD1_LEN);
    clock_rerun(m, c, c->clock.since);
    c->clock.owes_since = owes_since; /* as the row has it, written with the share */
    return ERR_OK;
}

void match_redo(struct match *m, const struct match_recs *all, uint32_t upto)
{
    struct match_recs part = *all; /* borrowed */
    char why[PLAY_WHY_LEN];

    if (upto <= m->core->head)
        return;
    part.n = upto;
    (void)redo_all(m, &part, false, why); /* what it doesn't reach isn't shown */
}

/* ---- state hashes of lines that recovery passed over, when somebody asks ---- */

void match_recall(struct match *m)
{
    const struct match_now now = {.served = m->loaded_at};
    struct match *again = match_bare(&m->setup, m->env, now);
    char why[PLAY_WHY_LEN];

    (void)redo_all(again, &m->journal, false, why); /* what it doesn't reach has no hash to show */
    for (uint32_t i = 0; i < m->journal.n; i++) {
        struct match_rec *rec = &m->journal.rec[i];

        if (rec->has_state != REC_UNKNOWN)
            continue;
        rec->has_state = i < again->journal.n ? again->journal.rec[i].has_state : REC_NO_STATE;
        if (rec->has_state == REC_STATE)
            memcpy(rec->state_hash, again->journal.rec[i].state_hash, RULES_HASH_LEN);
    }
    match_free(again);
}
