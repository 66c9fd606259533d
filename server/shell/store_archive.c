/* SPDX-License-Identifier: ISC
 * store_archive.c -- finished matches out of the live tables, and reading them again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/store_sql.h"

/* ---- writing ---- */

/* Names aren't summed: they can change. */
static int64_t sum_of(int64_t no, const uint8_t *id, const struct attic_place *p,
                      struct sql_text summary)
{
    const int64_t num[] = {no, p->seg, p->off, p->len, p->size};

    return sql_sum_named('a', (struct sql_text){num, sizeof(num)},
                         (struct sql_text){id, MATCH_ID_LEN}, summary);
}

/* The match's journal, row by row from its newest. */
static int drop_journal(struct store_sql *s, const struct tail *m)
{
    int64_t pos = m->head;

    while (pos != 0) {
        sqlite3_stmt *stmt = sql_query(s, SQL_ROW, "i", pos);
        int64_t prev = 0;
        int rc;

        if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int64(stmt, 0) == m->mkey)
            prev = sqlite3_column_int64(stmt, 1);
        rc = sql_done(stmt);
        if (rc == SQLITE_OK)
            rc = sql_run(s, SQL_JOURNAL_DROP, "i", pos);
        if (rc != SQLITE_OK)
            return rc;
        pos = prev < pos ? prev : 0;
    }
    return SQLITE_OK;
}

static int drop_live(struct store_sql *s, struct tail *m)
{
    static const enum sql_stmt drops[] = {SQL_HEAD_DROP, SQL_SNAPSHOT_DROP, SQL_SHARES_DROP,
                                          SQL_MATCH_DROP};
    int rc = drop_journal(s, m);

    for (size_t i = 0; rc == SQLITE_OK && i < ARRAY_LEN(drops); i++)
        rc = sql_run(s, drops[i], "i", m->mkey);
    tails_touch(&s->tails, m);
    m->over = true; /* forgotten with the next fold; until then it names nothing */
    m->mkey = -1;
    m->head = 0;
    return rc;
}

int sql_archive(struct store_sql *s, const struct store_op *op)
{
    const struct store_archive *a = op->archive;
    const struct sql_text summary = {a->summary, a->summary_len};
    struct attic_place p;
    struct tail *m;
    int rc;

    m = sql_match(s, op->key, &rc);
    if (rc != SQLITE_OK)
        return rc;
    CHECK(m != NULL);
    rc = sql_of_err(attic_file_add(&s->attic, a->record, a->record_len, &p));
    if (rc == SQLITE_OK)
        rc = sql_run(s, SQL_ARCHIVE_PUT, "ibttiiiiiiib", (int64_t)op->seq, (const void *)op->key,
                     (size_t)MATCH_ID_LEN, a->name[0], a->name[1], a->over_at.ms,
                     (int64_t)a->is_private, p.seg, p.off, p.len, p.size,
                     sum_of(op->seq, op->key, &p, summary), summary.p, summary.n);
    return rc == SQLITE_OK ? drop_live(s, m) : rc;
}

int sql_rename(struct store_sql *s, const struct store_op *op)
{
    int rc = sql_run(s, SQL_RENAME_A, "tt", op->name, op->data);

    return rc == SQLITE_OK ? sql_run(s, SQL_RENAME_B, "tt", op->name, op->data) : rc;
}

int sql_audit(struct store_sql *s, const struct store_op *op)
{
    const struct sql_text data = {op->data, op->len};
    const struct sql_text none = {NULL, 0};

    return sql_run(s, SQL_AUDIT_PUT, "ib", sql_sum_named('o', none, none, data), data.p, data.n);
}

int sql_archive_end(struct store_sql *s, const char *dir)
{
    sqlite3_stmt *stmt = sql_query(s, SQL_ARCHIVE_LAST, "");
    int64_t seg = 0;
    int64_t end = 0;

    if (sqlite3_step(stmt) == SQLITE_ROW) {
        seg = sqlite3_column_int64(stmt, 0);
        end = sqlite3_column_int64(stmt, 1);
    }
    attic_file_init(&s->attic, dir, seg, end);
    return sql_done(stmt);
}

/* ---- reading ---- */

static struct sql_text blob(sqlite3_stmt *stmt, int col)
{
    const void *p = sqlite3_column_blob(stmt, col); /* before its size: SQLite's order */

    return (struct sql_text){p, (size_t)sqlite3_column_bytes(stmt, col)};
}

static void copy_text(sqlite3_stmt *stmt, int col, char *dst, size_t size)
{
    const unsigned char *p = sqlite3_column_text(stmt, col);

    (void)str_copy(dst, size, p != NULL ? (const char *)p : "");
}

/* no, id, a, b: the first columns of every query of the archive. */
static struct store_row *add_row(sqlite3_stmt *stmt, struct store_found *out)
{
    const struct sql_text id = blob(stmt, 1);
    struct store_row *row;

    if (id.n != MATCH_ID_LEN) {
        out->err = ERR_DATA;
        return NULL;
    }
    row = store_found_add(out);
    row->no = (uint32_t)sqlite3_column_int64(stmt, 0);
    memcpy(row->id, id.p, MATCH_ID_LEN);
    copy_text(stmt, 2, row->name[0], sizeof(row->name[0]));
    copy_text(stmt, 3, row->name[1], sizeof(row->name[1]));
    return row;
}

static void finish(sqlite3_stmt *stmt, struct store_found *out)
{
    if (sql_done(stmt) != SQLITE_OK)
        out->err = ERR_IO;
}

static void read_record(struct store_sql *s, sqlite3_stmt *stmt, struct store_found *out)
{
    struct buf text = BUF_EMPTY;

    if (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct attic_place p = {sqlite3_column_int64(stmt, 4), sqlite3_column_int64(stmt, 5),
                                      sqlite3_column_int64(stmt, 6), sqlite3_column_int64(stmt, 7)};
        struct store_row *row = add_row(stmt, out);

        if (row != NULL &&
            sqlite3_column_int64(stmt, 8) != sum_of(row->no, row->id, &p, blob(stmt, 9)))
            out->err = ERR_DATA;
        else if (row != NULL)
            out->err = attic_file_read(&s->attic, &p, &text);
        if (row != NULL && out->err == ERR_OK) {
            row->len = text.len;
            row->data = buf_detach(&text);
        }
    }
    buf_fini(&text);
    finish(stmt, out);
}

static void read_played(struct store_sql *s, const struct store_read *r, struct store_found *out)
{
    const int64_t below = r->no != 0 ? (int64_t)r->no : INT64_MAX;
    const int64_t hidden = r->hidden;
    const int64_t limit = r->limit;
    sqlite3_stmt *stmt = r->name[0][0] == '\0'
                             ? sql_query(s, SQL_ARCHIVE_ALL, "iii", below, hidden, limit)
                             : sql_query(s, SQL_ARCHIVE_OF, "iiittt", below, hidden, limit,
                                         r->name[0], r->name[1], r->viewer);

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text summary = blob(stmt, 4);
        struct store_row *row = add_row(stmt, out);

        if (row == NULL)
            break;
        row->data = mem_strndup(summary.n > 0 ? summary.p : "", summary.n);
        row->len = summary.n;
    }
    finish(stmt, out);
}

static void read_audit(struct store_sql *s, const struct store_read *r, struct store_found *out)
{
    const struct sql_text none = {NULL, 0};
    sqlite3_stmt *stmt = sql_query(s, SQL_AUDIT_LAST, "i", (int64_t)r->limit);

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text data = blob(stmt, 1);
        struct store_row *row = store_found_add(out);

        if (sqlite3_column_int64(stmt, 0) != sql_sum_named('o', none, none, data))
            out->err = ERR_DATA;
        row->data = mem_strndup(data.n > 0 ? data.p : "", data.n);
        row->len = data.n;
    }
    finish(stmt, out);
}

/* "ok" alone, or what is wrong. */
static enum err check_db(sqlite3 *db, struct buf *words)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA integrity_check(20)", -1, &stmt, NULL);
    bool sound = false;

    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(stmt, 0);

        sound = text != NULL && str_eq(text, "ok");
        if (!sound && text != NULL)
            buf_printf(words, "%s%s", words->len > 0 ? "; " : "", text);
    }
    if (rc != SQLITE_OK || sqlite3_finalize(stmt) != SQLITE_OK) {
        buf_puts(words, sqlite3_errmsg(db));
        return ERR_DATA;
    }
    return sound && words->len == 0 ? ERR_OK : ERR_DATA;
}

static void take_words(struct store_found *out, struct buf *words)
{
    struct store_row *row;

    if (words->len == 0)
        return;
    row = store_found_add(out);
    row->len = words->len;
    row->data = buf_detach(words);
}

void sql_read(struct store_backend *b, const struct store_read *r, struct store_found *out)
{
    struct store_sql *s = sql_of(b);
    struct buf words = BUF_EMPTY;

    switch ((enum store_read_kind)r->what) {
    case READ_ARCHIVED:
        read_record(s,
                    r->no != 0 ? sql_query(s, SQL_ARCHIVE_BY_NO, "i", (int64_t)r->no)
                               : sql_query(s, SQL_ARCHIVE_BY_ID, "b", (const void *)r->key,
                                           (size_t)MATCH_ID_LEN),
                    out);
        break;
    case READ_AFTER:
        read_record(s, sql_query(s, SQL_ARCHIVE_AFTER, "i", (int64_t)r->no), out);
        break;
    case READ_PLAYED:
        read_played(s, r, out);
        break;
    case READ_LIVE:
        sql_read_live(s, r->key, out);
        break;
    case READ_AUDIT:
        read_audit(s, r, out);
        break;
    case READ_CHECK:
        out->err = check_db(s->db, &words);
        take_words(out, &words);
        break;
    }
    buf_fini(&words);
}
