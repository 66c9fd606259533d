/* SPDX-License-Identifier: ISC
 * lib_sim_disk.c -- the store: groups of transactions that are durable late, refused as a whole, or
 * whose outcome nobody learns.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { COMMIT_FAST_MS = 3, COMMIT_STALL_MS = 30, COMMIT_LAG_MS = 4000 };

/* ---- rows ---- */

static void row_fini(struct sim_row *r)
{
    buf_fini(&r->data);
    buf_fini(&r->snapshot);
    buf_fini(&r->lines);
    buf_fini(&r->timers);
}

/* The kind of operation that puts what this one drops or changes. */
static uint8_t table_of(uint8_t kind)
{
    static const uint8_t put_by[SIM_ROW_KINDS] = {
        [STORE_MATCH_SET] = STORE_MATCH_NEW + 1,    [STORE_ENTRIES] = STORE_MATCH_NEW + 1,
        [STORE_SNAPSHOT] = STORE_MATCH_NEW + 1,     [STORE_SHARES_DROP] = STORE_SHARE + 1,
        [STORE_USER_DROP] = STORE_USER_PUT + 1,     [STORE_TOKEN_DROP] = STORE_TOKEN_PUT + 1,
        [STORE_INVITE_DROP] = STORE_INVITE_PUT + 1, [STORE_META_DROP] = STORE_META_PUT + 1,
    };

    return kind < SIM_ROW_KINDS && put_by[kind] != 0 ? (uint8_t)(put_by[kind] - 1) : kind;
}

/* Is a row of the operation's kind named by its key (else by its name)? */
static bool by_key(uint8_t table)
{
    return table == STORE_MATCH_NEW || table == STORE_TOKEN_PUT || table == STORE_SHARE ||
           table == STORE_INVITE_PUT;
}

static bool is_row(const struct sim_row *r, const struct store_op *op)
{
    if (!by_key(table_of(op->kind)))
        return str_ieq(r->name, op->name);
    return memcmp(r->key, op->key, sizeof(r->key)) == 0 &&
           (op->kind != STORE_SHARE || r->role == op->role);
}

static struct sim_row *row_find(struct sim *s, const struct store_op *op)
{
    struct sim_rows *rows = &s->disk.rows[table_of(op->kind)];

    for (size_t i = 0; i < rows->n; i++)
        if (is_row(&rows->row[i], op))
            return &rows->row[i];
    return NULL;
}

static struct sim_row *row_add(struct sim_rows *rows)
{
    if (rows->n == rows->cap) {
        rows->cap = rows->cap * 2 + 8;
        rows->row = mem_resize(rows->row, rows->cap, sizeof(*rows->row));
    }
    rows->row[rows->n] = (struct sim_row){0};
    return &rows->row[rows->n++];
}

static void set_data(struct buf *b, const struct store_op *op)
{
    buf_reset(b);
    buf_put(b, op->data != NULL ? op->data : "", op->len);
}

static void put_row(struct sim *s, const struct store_op *op)
{
    struct sim_row *r = row_find(s, op);

    if (r == NULL)
        r = row_add(&s->disk.rows[op->kind]);
    r->kind = op->kind;
    r->state = op->state;
    r->role = op->role;
    r->seq = op->seq;
    memcpy(r->key, op->key, sizeof(r->key));
    (void)str_copy(r->name, sizeof(r->name), op->name);
    set_data(&r->data, op);
}

static void drop_rows(struct sim *s, const struct store_op *op)
{
    struct sim_rows *rows = &s->disk.rows[table_of(op->kind)];

    for (size_t i = rows->n; i-- > 0;) {
        if (!is_row(&rows->row[i], op))
            continue;
        row_fini(&rows->row[i]);
        rows->n--;
        memmove(&rows->row[i], &rows->row[i + 1], (rows->n - i) * sizeof(rows->row[0]));
    }
}

static void put_match(struct sim *s, const struct store_op *op, int64_t at)
{
    struct sim_row *r = row_find(s, op);

    if (r == NULL)
        sim_broken(s, LAW_SEQ, "rows of a match that there isn't");
    if (op->kind == STORE_ENTRIES) {
        buf_put(&r->lines, op->data, op->len);
        buf_reset(&r->timers);
        buf_put(&r->timers, op->data + op->len, op->timers_len);
        ledger_take(s, op, at);
    } else if (op->kind == STORE_SNAPSHOT) {
        set_data(&r->snapshot, op);
        r->snapshot_seq = op->seq;
    } else {
        r->state = op->state;
        set_data(&r->data, op);
    }
}

void disk_forget(struct sim *s, const uint8_t match[MATCH_ID_LEN])
{
    struct store_op op = {.kind = STORE_SHARES_DROP};
    struct sim_rows *rows = &s->disk.rows[STORE_MATCH_NEW];

    memcpy(op.key, match, MATCH_ID_LEN);
    drop_rows(s, &op);
    op.kind = STORE_MATCH_NEW;
    for (size_t i = rows->n; i-- > 0;) {
        if (!is_row(&rows->row[i], &op))
            continue;
        row_fini(&rows->row[i]);
        rows->n--;
        memmove(&rows->row[i], &rows->row[i + 1], (rows->n - i) * sizeof(rows->row[0]));
    }
}

static void apply_op(struct sim *s, const struct store_op *op, int64_t at)
{
    const uint8_t table = table_of(op->kind);
    int64_t served;

    if (op->kind == STORE_ARCHIVE || op->kind == STORE_RENAME || op->kind == STORE_AUDIT) {
        shelf_op(s, op);
        return;
    }

    if (op->kind >= SIM_ROW_KINDS)
        return; /* of a later version: nothing here looks at it */
    if (op->kind == STORE_META_PUT && str_eq(op->name, "served_ms") &&
        str_to_int(op->data, 0, INT64_MAX / 2, &served)) {
        sim_hold(s, LAW_CLOCK,
                 served >= s->disk.served_ms || s->server.stopping || s->server.holding,
                 "serving time goes back");
        s->disk.served_ms = served;
    }
    if (table == STORE_MATCH_NEW && op->kind != STORE_MATCH_NEW)
        put_match(s, op, at);
    else if (table != op->kind)
        drop_rows(s, op);
    else
        put_row(s, op);
    if (op->kind == STORE_SHARE)
        ledger_share(s, op, at);
}

/* ---- transactions ---- */

static void begin_group(struct sim *s)
{
    struct sim_disk *d = &s->disk;
    int64_t ms = sim_between(s, 0, COMMIT_FAST_MS);

    if (d->n == 0 || d->group > 0)
        return;
    d->group = d->n;
    if (!s->healed && sim_odds(s, 30))
        ms = sim_between(s, 10, COMMIT_STALL_MS);
    if (!s->healed && sim_odds(s, s->climate.lag)) {
        ms = sim_between(s, 100, COMMIT_LAG_MS);
        d->last_fault = s->t + ms;
    }
    sim_at(s, s->t + ms, (struct sim_event){.what = SIM_COMMIT, .life = s->server.life});
}

static struct sim_work *add_work(struct sim *s)
{
    struct sim_disk *d = &s->disk;

    if (d->n == d->cap) {
        d->cap = d->cap * 2 + 8;
        d->work = mem_resize(d->work, d->cap, sizeof(*d->work));
    }
    sim_hold(s, LAW_BOUNDS, d->n < (size_t)s->server.cfg.limits.max_conns + 4U * SIM_TABLES + 64,
             "more transactions are under way than there are connections and matches");
    d->work[d->n] = (struct sim_work){.at = s->t};
    return &d->work[d->n++];
}

void disk_submit(struct sim *s, struct store_txn *txn)
{
    for (size_t i = 0; i < txn->n; i++) {
        const struct store_op *op = &txn->op[i];

        sim_note(s, "op", op->data, op->len);
    }
    books_txn(s, txn);
    add_work(s)->txn = txn;
    begin_group(s);
}

void disk_ask(struct sim *s, struct store_read *read)
{
    sim_note(s, "ask", &read->what, sizeof(read->what));
    sim_trace(s, "  read %u no %u", read->what, read->no);
    s->sum.reads++;
    add_work(s)->read = read;
    begin_group(s);
}

static void keep_txn(struct sim *s, const struct store_txn *t, int64_t at)
{
    for (size_t i = 0; i < t->n; i++)
        apply_op(s, &t->op[i], at);
    s->disk.commits++;
    s->sum.commits++;
}

void disk_seed(struct sim *s, const struct store_txn *txn)
{
    keep_txn(s, txn, s->t);
}

static void work_fini(struct sim_work *w)
{
    if (w->txn != NULL)
        store_txn_free(w->txn);
    if (w->read != NULL)
        store_read_free(w->read);
    store_found_fini(&w->found);
}

/* Take the oldest out and tell the core of its end. */
static void answer(struct sim *s, enum err e)
{
    struct sim_disk *d = &s->disk;
    struct sim_work w = d->work[0];
    struct core_event ev = {.kind = CORE_STORED};

    d->n--;
    d->group--;
    memmove(d->work, d->work + 1, d->n * sizeof(d->work[0]));
    if (w.txn != NULL) {
        ev.u.stored.txn = w.txn->id;
        ev.u.stored.err = e;
        sim_note(s, "stored", &ev.u.stored.err, sizeof(ev.u.stored.err));
    } else {
        ev.kind = CORE_READ;
        ev.u.read.id = w.read->id;
        ev.u.read.found = &w.found;
        sim_note(s, "found", &w.found.n, sizeof(w.found.n));
    }
    server_step(s, &ev);
    work_fini(&w);
}

/* What the group's items give, in their order: rows kept or not, questions answered as of then. */
static void work_off(struct sim *s, enum err e)
{
    for (size_t i = 0; i < s->disk.group; i++) {
        struct sim_work *w = &s->disk.work[i];

        if (w->txn == NULL)
            shelf_read(s, w->read, s->healed || !sim_odds(s, s->climate.unread), &w->found);
        else if (e == ERR_OK)
            keep_txn(s, w->txn, w->at);
    }
}

static bool is_full(struct sim *s)
{
    if (!s->healed && s->t >= s->disk.full_until && sim_odds(s, s->climate.full)) {
        s->disk.full_until = s->t + sim_between(s, 1, 8000);
        sim_trace(s, "the disk is full until %lld", (long long)s->disk.full_until);
    }
    return s->t < s->disk.full_until && !s->healed;
}

void disk_commit(struct sim *s)
{
    struct sim_disk *d = &s->disk;
    const uint32_t life = s->server.life;
    const size_t n = d->group;
    enum err e = ERR_OK;

    if (n == 0)
        return;
    if (!s->healed &&
        sim_odds(s, s->climate.lost)) { /* kept or not: the end comes before we know */
        sim_trace(s, "a commit of %zu with an unknown outcome", n);
        server_crash(s);
        return;
    }
    if (is_full(s)) {
        e = ERR_STORAGE;
        d->last_fault = s->t;
    }
    work_off(s, e);
    d->settled = true;
    for (size_t i = 0; i < n; i++) {
        answer(s, e);
        if (s->server.core == NULL || s->server.life != life)
            return;
    }
    d->settled = false;
    begin_group(s);
}

void disk_crash(struct sim *s)
{
    struct sim_disk *d = &s->disk;
    const bool kept = d->group > 0 && !d->settled && sim_odds(s, 500);

    for (size_t i = 0; i < d->group && kept; i++)
        if (d->work[i].txn != NULL)
            keep_txn(s, d->work[i].txn, d->work[i].at);
    for (size_t i = 0; i < d->n; i++)
        work_fini(&d->work[i]);
    d->n = d->group = 0;
    d->settled = false;
}

void disk_fini(struct sim *s)
{
    struct sim_disk *d = &s->disk;

    for (size_t i = 0; i < d->n; i++)
        work_fini(&d->work[i]);
    for (size_t k = 0; k < SIM_ROW_KINDS; k++) {
        for (size_t i = 0; i < d->rows[k].n; i++)
            row_fini(&d->rows[k].row[i]);
        mem_free(d->rows[k].row);
    }
    mem_free(d->work);
    shelf_fini(d);
}

/* ---- looking things up ---- */

static const struct sim_row *by_op(const struct sim *s, const struct store_op *op)
{
    const struct sim_rows *rows = &s->disk.rows[table_of(op->kind)];

    for (size_t i = 0; i < rows->n; i++)
        if (is_row(&rows->row[i], op))
            return &rows->row[i];
    return NULL;
}

const struct sim_row *disk_share(const struct sim *s, const uint8_t match[MATCH_ID_LEN],
                                 enum role role)
{
    struct store_op op = {.kind = STORE_SHARE, .role = (uint8_t)role};

    memcpy(op.key, match, MATCH_ID_LEN);
    return by_op(s, &op);
}

const struct sim_row *disk_match(const struct sim *s, const uint8_t match[MATCH_ID_LEN])
{
    struct store_op op = {.kind = STORE_MATCH_NEW};

    memcpy(op.key, match, MATCH_ID_LEN);
    return by_op(s, &op);
}

const struct sim_row *disk_token(const struct sim *s, const uint8_t token[MSG_TOKEN_LEN])
{
    struct store_op op = {.kind = STORE_TOKEN_PUT};

    (void)crypto_hash_sha256(op.key, token, MSG_TOKEN_LEN);
    return by_op(s, &op);
}

const struct sim_row *disk_user(const struct sim *s, const char *name)
{
    struct store_op op = {.kind = STORE_USER_PUT};

    (void)str_copy(op.name, sizeof(op.name), name);
    return by_op(s, &op);
}

const struct sim_row *disk_standing(const struct sim *s, const char *name)
{
    struct store_op op = {.kind = STORE_META_PUT};

    (void)snprintf(op.name, sizeof(op.name), "club/%s", name);
    return by_op(s, &op);
}
