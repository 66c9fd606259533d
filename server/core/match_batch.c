/* SPDX-License-Identifier: ISC
 * match_batch.c -- one batch of entries: written and taken on a copy of the match.
 *
 * Live play and recovery come through batch_from: the first entry says what is done, all that
 * follows from it is decided here, so a journal is checked by doing it again.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/match_impl.h"

enum {
    SPARE_BYTES = 16384, /* a batch with more text isn't kept */
    LINE_HINT = 512,     /* most entries are shorter */
    STEP_OPS = 4         /* of most transactions */
};

/* ---- room that is used again ---- */

struct match_spare *match_spare_new(void)
{
    return mem_zalloc(sizeof(struct match_spare));
}

static void batch_end(struct match_batch *b)
{
    game_fini(&b->core->game);
    mem_free(b->core);
    recs_fini(&b->recs);
    game_events_fini(&b->ev);
    mem_free(b);
}

void match_spare_free(struct match_spare *s)
{
    if (s == NULL)
        return;
    while (s->n > 0)
        batch_end(s->batch[--s->n]);
    game_events_fini(&s->ev);
    mem_free(s);
}

/* A zeroed batch, but for its core (copied next) and the room that its lists bring along. */
static struct match_batch *batch_take(const struct match_env *env)
{
    const size_t zeroed = offsetof(struct match_batch, m);
    struct match_spare *s = env->spare;
    struct match_batch *b;

    if (s == NULL || s->n == 0) {
        b = mem_zalloc(sizeof(*b));
        b->core = mem_zalloc(sizeof(*b->core));
        return b;
    }
    b = s->batch[--s->n];
    memset((char *)b + zeroed, 0, sizeof(*b) - zeroed);
    b->recs.n = 0;
    buf_reset(&b->recs.text);
    return b;
}

/* A copy of the game, its undo list in b's own room. */
static void copy_core(struct match_batch *b, const struct match *m)
{
    struct rules_game *g = &b->core->game.rules;
    struct rules_undo *undo = g->undo;
    uint32_t cap = g->undo_cap;

    *b->core = *m->core;
    if (cap < g->n_undo || cap == 0) {
        cap = g->undo_cap;
        undo = mem_resize(undo, cap, sizeof(*undo));
    }
    if (g->n_undo > 0)
        memcpy(undo, m->core->game.rules.undo, g->n_undo * sizeof(*undo));
    g->undo = undo;
    g->undo_cap = cap;
}

struct match_batch *batch_new(struct match *m, struct match_now now)
{
    struct match_batch *b = batch_take(m->env);

    b->m = m;
    b->now = now;
    copy_core(b, m);
    clock_settle(b->core, now.served);
    memcpy(b->left_ms, b->core->clock.left_ms, sizeof(b->left_ms));
    b->was_open = core_roll_open(m, m->core);
    b->applied.first = m->core->head + 1;
    return b;
}

void batch_free(struct match_batch *b)
{
    struct match_spare *s;

    if (b == NULL)
        return;
    s = b->m->env->spare;
    if (s == NULL || s->n == MATCH_SPARE || b->recs.text.cap > SPARE_BYTES ||
        b->ev.out.item_cap > RULES_ITEMS_HINT)
        batch_end(b);
    else
        s->batch[s->n++] = b;
}

/* Entries that carry `left` where a clock runs (PROTOCOL). */
static bool carries_left(const struct entry *e)
{
    switch ((enum entry_kind)e->kind) {
    case ENTRY_ORDER:
    case ENTRY_ROLL:
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
        return true;
    case ENTRY_PLAY:
        return e->u.play.event.kind == RULES_EV_OVER;
    case ENTRY_OPENED:
    case ENTRY_JOINED:
    case ENTRY_ANCHOR:
    case ENTRY_ABSENT:
    case ENTRY_STARTED:
    case ENTRY_OFFER:
    case ENTRY_ANSWER:
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
    case ENTRY_PRESENCE:
    case ENTRY_UMPIRE:
    case ENTRY_KIND_COUNT:
        break;
    }
    return false;
}

/* The line's hash; recovery has hashed the line that it must be. */
static void hash_line(struct match_batch *b, struct match_rec *rec)
{
    const char *line = b->recs.text.data + rec->off;
    const uint32_t i = b->core->head - 1;

    if (b->expect != NULL && i < b->expect->n && b->expect->rec[i].len == rec->len &&
        memcmp(recs_line(b->expect, i), line, rec->len) == 0) {
        memcpy(rec->hash, b->expect->rec[i].hash, FD1_LEN);
        return;
    }
    b->differs = true;
    fd1_journal_hash(b->core->hash, line, rec->len, rec->hash);
}

void batch_put(struct match_batch *b, struct entry *e)
{
    const size_t off = b->recs.text.len;
    struct match_rec *rec;

    (void)buf_room(&b->recs.text, LINE_HINT);
    e->seq = ++b->core->head;
    e->ts = b->now.wall;
    e->has_left = core_has_clock(b->m) && b->core->started && carries_left(e);
    memcpy(e->left_ms, b->left_ms, sizeof(e->left_ms));
    entry_encode(e, b->m->setup.scenario, &b->recs.text);
    rec = recs_close(&b->recs, off);
    rec_set(b->m, e, rec);
    hash_line(b, rec);
    memcpy(b->core->hash, rec->hash, FD1_LEN);
    b->core->last_at = e->ts;
    if (e->kind == ENTRY_ORDER || e->kind == ENTRY_ROLL || e->kind == ENTRY_PLAY)
        b->core->last_play = e->seq;
}

static void put_event(struct match_batch *b, const struct rules_event *ev,
                      const union rules_item *items)
{
    struct entry e;

    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_PLAY;
    e.u.play.event = *ev;
    e.u.play.items = items;
    batch_put(b, &e);
}

void batch_events(struct match_batch *b, uint32_t tag)
{
    const struct rules_outcome *o = &b->ev.out;

    for (uint32_t i = 0; i < o->n_events; i++) {
        put_event(b, &o->event[i], o->item);
        CHECK(game_apply(&b->core->game, tag, &o->event[i], o->item) == RULES_OK);
        b->phase_began |= o->event[i].kind == RULES_EV_PHASE;
        b->state_changed = true;
    }
    if (rules_is_over(&b->core->game.rules.state))
        b->core->state = MATCH_OVER;
}

void batch_over(struct match_batch *b, enum rules_side winner, enum rules_reason reason)
{
    struct rules_event ev;

    memset(&ev, 0, sizeof(ev));
    ev.kind = RULES_EV_OVER;
    ev.u.over.winner = (uint8_t)winner;
    ev.u.over.reason = (uint8_t)reason;
    put_event(b, &ev, NULL);
    b->core->state = MATCH_OVER;
    if (!b->core->started)
        return;
    CHECK(game_apply(&b->core->game, 0, &ev, NULL) == RULES_OK);
    b->state_changed = true;
}

void batch_pause(struct match_batch *b, bool pause, const char *by)
{
    struct entry e;

    memset(&e, 0, sizeof(e));
    e.kind = pause ? ENTRY_PAUSE : ENTRY_RESUME;
    e.u.by = by;
    batch_put(b, &e);
    b->core->clock.paused = pause;
    b->core->clock.pause_due = false;
    b->applied.clock = true;
}

/* ---- from the first entry ---- */

static enum err from_opened(struct match_batch *b, struct entry *e)
{
    struct match_core *c = b->core;
    struct entry anchor;

    if (c->head != 0)
        return ERR_DATA;
    batch_put(b, e);
    c->opened_at = e->ts;
    c->state = MATCH_OPEN;
    memset(&anchor, 0, sizeof(anchor));
    anchor.u.anchor.role = ROLE_S;
    memcpy(anchor.u.anchor.anchor, e->u.opened.anchor, FD1_LEN);
    chain_begin(b->m, c, &anchor);
    b->applied.opened = true;
    return ERR_OK;
}

static enum err from_joined(struct match_batch *b, struct entry *e)
{
    if (b->core->state != MATCH_OPEN || e->u.joined.role != ROLE_B ||
        !str_copy(b->core->joiner, sizeof(b->core->joiner), e->u.joined.player))
        return ERR_DATA;
    batch_put(b, e);
    b->core->state = MATCH_SETUP;
    b->core->joined_at = b->now.served;
    b->applied.joined = true;
    return ERR_OK;
}

static enum err from_side(struct match_batch *b, struct entry *e)
{
    const enum rules_side side = (enum rules_side)e->u.side;

    batch_put(b, e);
    if (e->kind == ENTRY_RESIGN)
        batch_over(b, rules_enemy(side), RULES_BY_RESIGN);
    else
        batch_over(b, side, RULES_BY_ABANDON);
    return ERR_OK;
}

static enum err from_pause(struct match_batch *b, const struct entry *e)
{
    if (!b->core->clock.pause_due || core_roll_open(b->m, b->core) || b->core->clock.paused)
        return ERR_DATA;
    batch_pause(b, true, e->u.by);
    return ERR_OK;
}

static enum err from_presence(struct match_batch *b, struct entry *e)
{
    const enum role role = match_role_of_side(b->m, (enum rules_side)e->u.presence.side);

    if (b->core->told_away[role] != e->u.presence.online)
        return ERR_DATA;
    batch_put(b, e);
    b->core->told_away[role] = !e->u.presence.online;
    return ERR_OK;
}

/* After a restore: the order whose roll is open is taken back (D7). */
static enum err from_undo(struct match_batch *b, struct entry *e)
{
    if (b->core->order_seq == 0 || e->u.play.event.u.undo.tag != b->core->order_seq)
        return ERR_DATA;
    batch_put(b, e);
    b->core->order_seq = 0;
    memset(b->core->dice.has_share, 0, sizeof(b->core->dice.has_share));
    memset(b->core->dice.absent, 0, sizeof(b->core->dice.absent));
    b->drop_shares = true;
    return ERR_OK;
}

/* An end that time alone brings. */
static enum err from_over(struct match_batch *b, const struct entry *e)
{
    const enum rules_reason reason = (enum rules_reason)e->u.play.event.u.over.reason;
    const enum rules_side winner = (enum rules_side)e->u.play.event.u.over.winner;
    const bool live = b->core->state == MATCH_LIVE;

    if (reason == RULES_BY_VOID && !live && winner == RULES_NOBODY) {
        for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
            if (b->core->state == MATCH_SETUP && (core_owes_share(b->m, b->core, (enum role)role) ||
                                                  core_owes_anchor(b->core, (enum role)role)))
                b->applied.owed |= 1U << role;
        }
    } else if (!live || !((reason == RULES_BY_TIME && winner != RULES_NOBODY) ||
                          (reason == RULES_BY_ABANDON && winner == RULES_NOBODY))) {
        return ERR_DATA;
    }
    batch_over(b, winner, reason);
    return ERR_OK;
}

static enum err from_play(struct match_batch *b, struct entry *e)
{
    if (e->u.play.event.kind == RULES_EV_UNDO)
        return from_undo(b, e);
    return e->u.play.event.kind == RULES_EV_OVER ? from_over(b, e) : ERR_DATA;
}

/* Kinds that stand only in a match in play. */
static bool is_of_play(uint8_t kind)
{
    return kind == ENTRY_ORDER || kind == ENTRY_OFFER || kind == ENTRY_ANSWER ||
           kind == ENTRY_RESIGN || kind == ENTRY_CLAIM || kind == ENTRY_PAUSE ||
           kind == ENTRY_PRESENCE || kind == ENTRY_ABSENT;
}

enum err batch_from(struct match_batch *b, struct entry *e)
{
    if (b->core->state == MATCH_OVER || (is_of_play(e->kind) && b->core->state != MATCH_LIVE))
        return ERR_DATA;
    switch ((enum entry_kind)e->kind) {
    case ENTRY_OPENED:
        return from_opened(b, e);
    case ENTRY_JOINED:
        return from_joined(b, e);
    case ENTRY_ANCHOR:
        return batch_anchor(b, e);
    case ENTRY_ABSENT:
        return batch_absent(b, e);
    case ENTRY_ROLL:
        return batch_roll(b, e);
    case ENTRY_ORDER:
        return batch_order(b, e);
    case ENTRY_OFFER:
        return batch_offer(b, e);
    case ENTRY_ANSWER:
        return batch_answer(b, e);
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
        return from_side(b, e);
    case ENTRY_PAUSE:
        return from_pause(b, e);
    case ENTRY_PRESENCE:
        return from_presence(b, e);
    case ENTRY_UMPIRE:
        return batch_umpire(b, e);
    case ENTRY_PLAY:
        return from_play(b, e);
    case ENTRY_RESUME: /* never the first of a batch */
    case ENTRY_STARTED:
    case ENTRY_KIND_COUNT:
        break;
    }
    return ERR_DATA;
}

/* ---- close, submit, commit ---- */

/* What the owner will want to know. */
static void note_applied(struct match_batch *b)
{
    const struct match *m = b->m;
    struct match_applied *a = &b->applied;

    a->n = b->recs.n;
    a->over = b->core->state == MATCH_OVER && m->core->state != MATCH_OVER;
    a->clock |= b->core->clock.running != m->core->clock.running;
    a->offers |= memcmp(&b->core->offers, &m->core->offers, sizeof(b->core->offers)) != 0;
    if (!core_roll_open(m, b->core) || b->was_open)
        return;
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        if (core_owes_share(m, b->core, (enum role)role))
            a->ask |= 1U << role;
    }
}

void batch_close(struct match_batch *b)
{
    struct match_core *c = b->core;

    if (b->unhashed) {
        for (uint32_t i = 0; i < b->recs.n; i++)
            b->recs.rec[i].has_state = REC_UNKNOWN;
    } else if (b->state_changed) {
        struct match_rec *last = &b->recs.rec[b->recs.n - 1];

        game_hash(&c->game, c->state_hash);
        memcpy(last->state_hash, c->state_hash, RULES_HASH_LEN);
        last->has_state = REC_STATE;
    }
    if (b->phase_began) {
        b->applied.turn = true;
        c->phase_orders = 0;
        if (c->state == MATCH_LIVE)
            clock_phase(b->m, c, b->now.served);
    }
    if (c->state == MATCH_OVER) {
        memset(c->offers.id, 0, sizeof(c->offers.id));
        c->clock.pause_due = false;
        c->clock.paused = false;
        b->drop_shares |= c->dice.has_share[ROLE_A] || c->dice.has_share[ROLE_B];
        memset(c->dice.has_share, 0, sizeof(c->dice.has_share));
    }
    clock_rerun(b->m, c, b->now.served);
    note_applied(b);
}

static struct store_op *add_op(struct match_batch *b, struct match_step *st,
                               enum store_op_kind kind, struct buf *data)
{
    struct store_op *op;

    if (st->n == 0 || st->n % STEP_OPS == 1) /* one is enough for most orders */
        st->op = mem_resize(st->op, st->n == 0 ? 1 : st->n + STEP_OPS, sizeof(*st->op));
    op = &st->op[st->n++];
    memset(op, 0, sizeof(*op));
    op->kind = (uint8_t)kind;
    op->state = b->core->state;
    memcpy(op->key, b->m->setup.id, MATCH_ID_LEN);
    if (data != NULL) {
        op->len = data->len;
        op->data = buf_detach(data);
    }
    return op;
}

static void add_row(struct match_batch *b, struct match_step *st)
{
    struct buf row = BUF_EMPTY;
    struct store_op *op;

    row_write(b->m, b->core, &row);
    op = add_op(b, st, b->applied.opened ? STORE_MATCH_NEW : STORE_MATCH_SET, &row);
    op->seq = b->m->setup.no;
    (void)str_copy(op->name, sizeof(op->name), b->m->setup.scenario->id);
}

static void add_entries(struct match_batch *b, struct match_step *st)
{
    const size_t lines_len = b->recs.text.len;
    struct buf lines = BUF_EMPTY;
    struct store_op *op;

    (void)buf_room(&lines, lines_len + TIMERS_HINT);
    buf_put(&lines, b->recs.text.data, lines_len);
    timers_write(b->core, &lines);
    op = add_op(b, st, STORE_ENTRIES, &lines);
    op->seq = b->applied.first;
    op->n = b->recs.n;
    op->timers_len = (uint32_t)(op->len - lines_len);
    op->len = lines_len;
}

/* Entries of play carry what changes with them: its row is written only for all else. */
static bool row_is_due(const struct match_batch *b)
{
    return b->recs.n == 0 || b->core->state != MATCH_LIVE || b->m->core->state != MATCH_LIVE;
}

void batch_submit(struct match_batch *b, struct match_step *st)
{
    struct buf data = BUF_EMPTY;

    CHECK(b->m->pending == NULL);
    if (snap_is_due(b->core)) {
        b->core->snap_seq = b->core->head;
        snap_write(b->m, b->core, &data);
    }
    if (row_is_due(b))
        add_row(b, st);
    if (b->recs.n > 0)
        add_entries(b, st);
    if (data.len > 0)
        add_op(b, st, STORE_SNAPSHOT, &data)->seq = b->core->head;
    if (b->share) {
        struct store_op *op;

        buf_put(&data, b->core->dice.share[b->role], FD1_LEN);
        op = add_op(b, st, STORE_SHARE, &data);
        op->seq = b->core->dice.n + 1;
        op->role = b->role;
    }
    if (b->drop_shares)
        (void)add_op(b, st, STORE_SHARES_DROP, NULL);
    b->m->pending = b;
}

void batch_commit(struct match_batch *b, struct match_applied *out)
{
    struct match *m = b->m;
    const uint32_t before = m->core->head;
    struct match_core *old = m->core; /* its room, for the next batch */

    match_prepared_drop(m);
    m->core = b->core;
    recs_append(&m->journal, &b->recs);
    for (uint32_t seq = before + 1; seq <= m->core->head; seq++)
        lines_note(m, seq);
    if (core_roll_open(m, m->core) && !b->was_open) {
        m->roll_at = b->now.served;
        m->seat[ROLE_A].asked = false;
        m->seat[ROLE_B].asked = false;
    }
    m->restored = m->core->dice.kid != m->env->kid && m->core->state != MATCH_OVER;
    *out = b->applied;
    b->core = old;
    batch_free(b);
}

enum err match_run(struct match *m, struct entry *e, struct match_now now, struct match_step *st)
{
    struct match_batch *b = batch_new(m, now);

    CHECK(batch_from(b, e) == ERR_OK); /* the caller has checked */
    batch_close(b);
    batch_submit(b, st);
    return ERR_OK;
}
