/* SPDX-License-Identifier: ISC
 * lib_sim_shelf.c -- the store's archive: what goes in, held against the ledger, and what is read
 * of it and of the other rows.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

/* ---- what goes in ---- */

/* The text from `*at` begins with these bytes; behind them then. */
static void expect(struct sim *s, const struct sim_ledger *l, const char **at, const char *want,
                   size_t len)
{
    if (strncmp(*at, want, len) != 0)
        sim_broken(s, LAW_ARCHIVE, "match %s is archived with %.100s where %.100s is due", l->hex,
                   *at, want);
    *at += len;
}

/* First line, the one stream, the end, and a line of the server's own. */
static void check_record(struct sim *s, const struct sim_ledger *l, const char *text)
{
    const struct sim_line *last = &l->line[l->n - 1];
    char front[64], end[256], hash[2 * FD1_LEN + 1], state[2 * FD1_LEN + 3] = "null";
    const char *at = text;

    (void)snprintf(front, sizeof(front), "{\"record\":1,\"match\":\"%s\",", l->hex);
    expect(s, l, &at, front, strlen(front));
    at += strcspn(at, "\n");
    expect(s, l, &at, "\n", 1);
    expect(s, l, &at, l->text.data, l->text.len);
    hex_encode(hash, last->hash, FD1_LEN);
    if (last->has_state) {
        state[0] = '"';
        hex_encode(state + 1, last->state_hash, FD1_LEN);
        (void)str_copy(state + sizeof(state) - 2, 2, "\"");
    }
    (void)snprintf(end, sizeof(end), "{\"end\":{\"head\":%u,\"hash\":\"%s\",\"state_hash\":%s}}\n",
                   l->n, hash, state);
    expect(s, l, &at, end, strlen(end));
    expect(s, l, &at, "{\"row\":", 7);
    sim_hold(s, LAW_ARCHIVE, strchr(at, '\n') == at + strlen(at) - 1,
             "more than one line stands behind an archived record");
}

static void check_archive(struct sim *s, const struct sim_ledger *l, const struct store_op *op)
{
    const struct store_archive *a = op->archive;

    sim_hold(s, LAW_ARCHIVE, l != NULL && l->audit.over, "a match that isn't over is archived");
    if (l->filed || disk_match(s, op->key) == NULL)
        sim_broken(s, LAW_ARCHIVE, "match %s is archived twice", l->hex);
    for (size_t i = 0; i < s->disk.n_filed; i++)
        if (s->disk.filed[i].no == op->seq)
            sim_broken(s, LAW_ARCHIVE, "number %u is another match's", op->seq);
    for (unsigned r = ROLE_A; r <= ROLE_B; r++)
        sim_hold(s, LAW_ARCHIVE, str_eq(a->name[r], l->audit.name[r]),
                 "a match is archived under another name");
    if (l->table != NULL)
        sim_hold(s, LAW_PRIVATE, a->is_private == l->table->is_private,
                 "the archive opens a private match, or closes one");
    check_record(s, l, a->record);
}

static void file_match(struct sim *s, const struct store_op *op)
{
    struct sim_disk *d = &s->disk;
    struct sim_ledger *l = ledger_of(s, op->key);
    const struct store_archive *a = op->archive;
    struct sim_filed f = {.no = op->seq, .is_private = a->is_private};
    size_t at = d->n_filed;

    check_archive(s, l, op);
    memcpy(f.id, op->key, sizeof(f.id));
    memcpy(f.name, a->name, sizeof(f.name));
    buf_put(&f.summary, a->summary, a->summary_len);
    buf_put(&f.record, a->record, a->record_len);
    d->filed = mem_resize(d->filed, d->n_filed + 1, sizeof(*d->filed));
    while (at > 0 && d->filed[at - 1].no > f.no)
        at--;
    memmove(&d->filed[at + 1], &d->filed[at], (d->n_filed - at) * sizeof(*d->filed));
    d->filed[at] = f;
    d->n_filed++;
    l->filed = true;
    disk_forget(s, op->key);
    s->sum.archived++;
    sim_trace(s, "match %s is in the archive as %u", l->hex, f.no);
}

void shelf_op(struct sim *s, const struct store_op *op)
{
    struct sim_disk *d = &s->disk;

    if (op->kind == STORE_ARCHIVE) {
        file_match(s, op);
    } else if (op->kind == STORE_RENAME) {
        for (size_t i = 0; i < d->n_filed; i++)
            for (unsigned k = 0; k < 2; k++)
                if (str_ieq(d->filed[i].name[k], op->name))
                    (void)str_copy(d->filed[i].name[k], sizeof(d->filed[i].name[k]), op->data);
    } else {
        d->audit = mem_resize(d->audit, d->n_audit + 1, sizeof(*d->audit));
        d->audit[d->n_audit] = BUF_EMPTY;
        buf_put(&d->audit[d->n_audit++], op->data, op->len);
    }
}

/* ---- what is read ---- */

static bool plays(const struct sim_filed *f, const char *name)
{
    return name[0] == '\0' || str_ieq(f->name[0], name) || str_ieq(f->name[1], name);
}

static void give(const struct sim_filed *f, const struct buf *text, struct store_found *out)
{
    struct store_row *row = store_found_add(out);

    memcpy(row->id, f->id, sizeof(row->id));
    row->no = f->no;
    memcpy(row->name, f->name, sizeof(row->name));
    row->data = mem_strndup(text->data, text->len);
    row->len = text->len;
}

static void read_record(const struct sim_disk *d, const struct store_read *r,
                        struct store_found *out)
{
    for (size_t i = 0; i < d->n_filed && out->n == 0; i++) {
        const struct sim_filed *f = &d->filed[i];
        const bool wanted = r->what == READ_AFTER ? f->no > r->no
                            : r->no != 0          ? f->no == r->no
                                                  : memcmp(f->id, r->key, sizeof(f->id)) == 0;

        if (wanted)
            give(f, &f->record, out);
    }
}

static void read_played(const struct sim_disk *d, const struct store_read *r,
                        struct store_found *out)
{
    for (size_t i = d->n_filed; i-- > 0 && out->n < r->limit;) {
        const struct sim_filed *f = &d->filed[i];

        if ((r->no == 0 || f->no < r->no) &&
            (r->hidden || !f->is_private || (r->viewer[0] != '\0' && plays(f, r->viewer))) &&
            f->name[1][0] != '\0' && plays(f, r->name[0]) && plays(f, r->name[1]))
            give(f, &f->summary, out);
    }
}

static void read_live(const struct sim *s, const struct store_read *r, struct store_found *out)
{
    const struct sim_row *m = disk_match(s, r->key);
    struct store_row *row;

    if (m == NULL)
        return;
    row = store_found_add(out);
    memcpy(row->id, r->key, sizeof(row->id));
    row->data = mem_strndup(buf_str(&m->lines), m->lines.len);
    row->len = m->lines.len;
    row->row = mem_strndup(buf_str(&m->data), m->data.len);
    row->row_len = m->data.len;
    row->timers = mem_strndup(buf_str(&m->timers), m->timers.len);
    row->timers_len = m->timers.len;
}

static void read_audit(const struct sim_disk *d, const struct store_read *r,
                       struct store_found *out)
{
    for (size_t i = d->n_audit; i-- > 0 && out->n < r->limit;) {
        struct store_row *row = store_found_add(out);

        row->data = mem_strndup(d->audit[i].data, d->audit[i].len);
        row->len = d->audit[i].len;
    }
}

void shelf_read(struct sim *s, const struct store_read *r, bool calm, struct store_found *out)
{
    if (!calm) {
        out->err = ERR_IO;
        return;
    }
    switch ((enum store_read_kind)r->what) {
    case READ_ARCHIVED:
    case READ_AFTER:
        read_record(&s->disk, r, out);
        break;
    case READ_PLAYED:
        read_played(&s->disk, r, out);
        break;
    case READ_LIVE:
        read_live(s, r, out);
        break;
    case READ_AUDIT:
        read_audit(&s->disk, r, out);
        break;
    case READ_CHECK:
        break; /* sound: what a copy is worth shadow_look shows */
    }
}

/* ---- the end ---- */

void shelf_fini(struct sim_disk *d)
{
    for (size_t i = 0; i < d->n_filed; i++) {
        buf_fini(&d->filed[i].summary);
        buf_fini(&d->filed[i].record);
    }
    for (size_t i = 0; i < d->n_audit; i++)
        buf_fini(&d->audit[i]);
    mem_free(d->filed);
    mem_free(d->audit);
}

void shelf_end(struct sim *s)
{
    enum { SOON_MS = 60000 };

    for (const struct sim_ledger *l = s->ledgers; l != NULL; l = l->next)
        if (!l->filed && s->server.cfg.archive_ms <= SOON_MS)
            sim_broken(s, LAW_ARCHIVE, "match %s is never archived", l->hex);
}
