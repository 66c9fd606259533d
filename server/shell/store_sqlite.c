/* SPDX-License-Identifier: ISC */
#include <errno.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "server/shell/store_sql.h"

enum {
    FOLD_EVERY = 4096,      /* journal rows between two foldings */
    REST_PAGES = 1000,      /* log pages worth a checkpoint when all is quiet */
    CHECKPOINT_PAGES = 4096 /* 16 MiB of log: checkpoint however busy it is */
};

/*
 * FULL: a commit that was answered survives a power cut (NORMAL may lose it). One connection, and
 * an exclusive lock: no second process, no shared memory. No checkpoint inside a commit: `rest`
 * does it. cell_size_check and a checksum a row find what a disk forgot.
 */
static const char setup[] = "PRAGMA locking_mode=EXCLUSIVE;"
                            "PRAGMA synchronous=FULL;"
                            "PRAGMA wal_autocheckpoint=0;"
                            "PRAGMA cell_size_check=ON;"
                            "PRAGMA cache_spill=OFF;"
                            "PRAGMA cache_size=-32768;"
                            "PRAGMA temp_store=MEMORY;"
                            "PRAGMA secure_delete=OFF;"
                            "PRAGMA trusted_schema=OFF;";

static const char *const text_of[] = {
#define X(name, text) [name] = (text),
    SQL_TABLE(X)
#undef X
};
_Static_assert(ARRAY_LEN(text_of) == SQL_COUNT, "a text for each statement");

static void say(const struct store_sql *s, char why[STORE_WHY_LEN])
{
    (void)snprintf(why, STORE_WHY_LEN, "%s (SQLite code %d)", sqlite3_errmsg(s->db),
                   sqlite3_extended_errcode(s->db));
}

/*
 * Did the disk refuse for want of room, before anything of the commit counted? The log's last frame
 * makes a transaction count; where a write of it failed its checksum is wrong, so it never will.
 * A failed sync is another thing: nobody knows what it left.
 */
static bool is_full(const struct store_sql *s, int rc)
{
    if ((rc & 0xff) == SQLITE_FULL)
        return true;
    return rc == SQLITE_IOERR_WRITE && sqlite3_system_errno(s->db) == EDQUOT;
}

int sql_of_err(enum err e)
{
    if (e == ERR_OK)
        return SQLITE_OK;
    return e == ERR_STORAGE ? SQLITE_FULL : SQLITE_IOERR;
}

static int write_group(struct store_sql *s, const struct store_group *g)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct store_txn *t = g->txn[i];

        for (size_t k = 0; k < t->n; k++) {
            int rc = sql_write(s, &t->op[k]);

            if (rc != SQLITE_OK)
                return rc;
        }
    }
    return SQLITE_OK;
}

static enum err sqlite_commit(struct store_backend *b, const struct store_group *g,
                              char why[STORE_WHY_LEN])
{
    struct store_sql *s = sql_of(b);
    const int64_t pos = s->last_pos;
    const int64_t mkey = s->last_mkey;
    bool full;
    int rc = sql_run(s, SQL_BEGIN, "");

    if (rc == SQLITE_OK)
        rc = write_group(s, g);
    if (rc == SQLITE_OK)
        rc = sql_of_err(attic_file_sync(&s->attic));
    if (rc == SQLITE_OK)
        rc = sql_run(s, SQL_COMMIT, "");
    if (rc == SQLITE_OK) {
        tails_keep(&s->tails);
        attic_file_keep(&s->attic);
        return ERR_OK;
    }
    say(s, why);
    full = is_full(s, rc);
    attic_file_undo(&s->attic);
    if (sqlite3_get_autocommit(s->db) == 0 && sql_run(s, SQL_ROLLBACK, "") != SQLITE_OK)
        full = false;
    tails_undo(&s->tails);
    s->last_pos = pos;
    s->last_mkey = mkey;
    return full ? ERR_STORAGE : ERR_IO;
}

/* Called by SQLite behind each commit. */
static int on_wal(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct store_sql *s = arg;

    (void)db;
    (void)name;
    s->wal_pages = pages;
    return SQLITE_OK;
}

static bool sqlite_wants_rest(const struct store_backend *b)
{
    return sql_of_const(b)->wal_pages >= REST_PAGES;
}

static bool sqlite_needs_rest(const struct store_backend *b)
{
    const struct store_sql *s = sql_of_const(b);

    return s->wal_pages >= CHECKPOINT_PAGES || s->last_pos - s->heads_upto >= FOLD_EVERY;
}

/* Each match that has gone on since: the tails know, no row is read. */
static int put_heads(struct store_sql *s)
{
    const struct tail *t;
    size_t at = 0;
    int rc = SQLITE_OK;

    while (rc == SQLITE_OK && (t = map_next(&s->tails.by_id, &at)) != NULL)
        if (t->mkey > 0 && t->head > s->heads_upto)
            rc = sql_run(s, SQL_HEADS_PUT, "ii", t->mkey, t->head);
    return rc;
}

int sql_fold(struct store_sql *s)
{
    int rc = SQLITE_OK;

    if (s->last_pos == s->heads_upto)
        return rc;
    rc = sql_run(s, SQL_BEGIN, "");
    if (rc == SQLITE_OK)
        rc = put_heads(s);
    if (rc == SQLITE_OK) /* the row of no match says how far they go */
        rc = sql_run(s, SQL_HEADS_PUT, "ii", (int64_t)0, s->last_pos);
    if (rc == SQLITE_OK)
        rc = sql_run(s, SQL_COMMIT, "");
    if (rc == SQLITE_OK) {
        s->heads_upto = s->last_pos;
        tails_forget_over(&s->tails);
    } else if (sqlite3_get_autocommit(s->db) == 0) {
        const int undone = sql_run(s, SQL_ROLLBACK, "");

        rc = undone != SQLITE_OK ? undone : rc;
    }
    return rc;
}

static enum err sqlite_rest(struct store_backend *b, char why[STORE_WHY_LEN])
{
    struct store_sql *s = sql_of(b);
    int rc = sql_fold(s);

    if (rc == SQLITE_OK && s->wal_pages >= REST_PAGES) {
        s->wal_pages = 0;
        rc = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    if (rc == SQLITE_OK || is_full(s, rc)) /* no room for tidying: all is safe in the log */
        return ERR_OK;
    say(s, why);
    return ERR_IO;
}

static enum err sqlite_copy(struct store_backend *b, const char *path, char why[STORE_WHY_LEN])
{
    struct store_sql *s = sql_of(b);
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, "VACUUM INTO ?1", -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, path, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_DONE)
        return sqlite3_finalize(stmt) == SQLITE_OK ? ERR_OK : ERR_IO;
    rc = sqlite3_errcode(s->db);
    say(s, why);
    (void)sqlite3_finalize(stmt); /* the same error again */
    return is_full(s, rc) ? ERR_STORAGE : ERR_IO;
}

static void sqlite_close(struct store_backend *b)
{
    struct store_sql *s = sql_of(b);

    if (s->folded && sql_fold(s) != SQLITE_OK) {
        LOG_WARN("store.fold", "why=%s", "left to the next start");
        s->folded = false;
    }
    if (!s->folded && s->db != NULL) /* rows that `heads` doesn't know stay in the log */
        (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    for (size_t i = 0; i < ARRAY_LEN(s->stmt); i++)
        (void)sqlite3_finalize(s->stmt[i]);
    CHECK(sqlite3_close(s->db) == SQLITE_OK); /* checkpoints and removes the log */
    tails_fini(&s->tails);
    attic_file_fini(&s->attic);
    s->magic = 0;
    mem_free(s);
}

static const struct store_backend_class sqlite_class = {
    .name = "sqlite",
    .meta = sql_meta,
    .load = sql_load,
    .commit = sqlite_commit,
    .read = sql_read,
    .wants_rest = sqlite_wants_rest,
    .needs_rest = sqlite_needs_rest,
    .rest = sqlite_rest,
    .copy = sqlite_copy,
    .close = sqlite_close,
};

static int prepare_all(struct store_sql *s)
{
    for (size_t i = 0; i < ARRAY_LEN(text_of); i++) {
        int rc =
            sqlite3_prepare_v3(s->db, text_of[i], -1, SQLITE_PREPARE_PERSISTENT, &s->stmt[i], NULL);

        if (rc != SQLITE_OK)
            return rc;
    }
    return SQLITE_OK;
}

/* The pages' own order: a bit gone bad there may hide whole rows, and writing on would do more harm.
 * ERR_DATA: damaged, why[] says where. */
static enum err check_pages(const struct store_sql *s, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = NULL;
    bool good = false;
    const char *words;

    if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        words = (const char *)sqlite3_column_text(stmt, 0);
        good = words != NULL && sqlite3_stricmp(words, "ok") == 0;
        (void)snprintf(why, STORE_WHY_LEN, "it is damaged (%.120s): restore a backup",
                       words != NULL ? words : "no more is known");
    } else {
        say(s, why);
    }
    (void)sqlite3_finalize(stmt);
    return good ? ERR_OK : ERR_DATA;
}

static int put_old_heads(struct store_sql *s)
{
    sqlite3_stmt *stmt = sql_query(s, SQL_HEADS_OLD, "");
    int rc = SQLITE_OK;
    int done;

    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const int64_t mkey = sqlite3_column_int64(stmt, 0);
        const int64_t pos = sqlite3_column_int64(stmt, 1);

        if (sql_row_is_good(s, pos))
            rc = sql_run(s, SQL_HEADS_PUT, "ii", mkey, pos);
    }
    done = sql_done(stmt);
    return rc == SQLITE_OK ? done : rc;
}

/* Heads that are older than the rows: of a crash before a fold, or of a disk that forgot a page. */
static int mend_heads(struct store_sql *s)
{
    int rc = sql_run(s, SQL_BEGIN, "");

    if (rc == SQLITE_OK)
        rc = put_old_heads(s);
    if (rc == SQLITE_OK)
        rc = sql_run(s, SQL_COMMIT, "");
    return rc; /* on an error the database is closed, and the transaction with it */
}

/* Find the ends of things. Then copy what the log holds into the database, for good: after a crash
 * the log's newest pages may be in the system's cache alone. */
static int recover(struct store_sql *s, const char *dir)
{
    int rc = sql_query_int(sql_query(s, SQL_LAST_POS, ""), 0, &s->last_pos);

    if (rc == SQLITE_OK)
        rc = sql_query_int(sql_query(s, SQL_LAST_MKEY, ""), 0, &s->last_mkey);
    if (rc == SQLITE_OK)
        rc = sql_query_int(sql_query(s, SQL_HEAD, "i", (int64_t)0), 0, &s->heads_upto);
    if (s->last_pos < s->heads_upto) /* the newest were archived: no place is used again */
        s->last_pos = s->heads_upto;
    if (rc == SQLITE_OK)
        rc = mend_heads(s);
    if (rc == SQLITE_OK)
        rc = sql_fold(s); /* no tails so far, and no match behind what was mended */
    s->folded = rc == SQLITE_OK;
    if (rc == SQLITE_OK)
        rc = sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sql_archive_end(s, dir);
    return rc;
}

static bool is_wal(sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    const bool wal =
        sqlite3_prepare_v2(db, "PRAGMA journal_mode=WAL", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW &&
        sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;

    return sqlite3_finalize(stmt) == SQLITE_OK && wal;
}

static enum err open_at(struct store_sql *s, const char *path, char why[STORE_WHY_LEN])
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    char dir[ATTIC_PATH_LEN];
    const char *slash = strrchr(path, '/');
    int on = 1;
    enum err e = sql_check_log(path, why);

    (void)snprintf(dir, sizeof(dir), "%.*s" ATTIC_DIR, slash != NULL ? (int)(slash - path + 1) : 0,
                   path);
    if (e != ERR_OK)
        return e;
    if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK)
        goto fail;
    (void)sqlite3_extended_result_codes(s->db, 1);
    (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* a frame that ends short is never padded by others behind it: see is_full */
    (void)sqlite3_file_control(s->db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &on);
    if (sqlite3_exec(s->db, setup, NULL, NULL, NULL) != SQLITE_OK)
        goto fail;
    e = sql_migrate(s->db, why);
    if (e != ERR_OK)
        return e;
    if (!is_wal(s->db)) {
        (void)snprintf(why, STORE_WHY_LEN, "no write-ahead log: %s", sqlite3_errmsg(s->db));
        return ERR_IO;
    }
    e = check_pages(s, why);
    if (e != ERR_OK)
        return e;
    (void)sqlite3_wal_hook(s->db, on_wal, s);
    if (prepare_all(s) == SQLITE_OK && recover(s, dir) == SQLITE_OK)
        return ERR_OK;

fail:
    say(s, why);
    switch (sqlite3_errcode(s->db) & 0xff) {
    case SQLITE_BUSY:
        return ERR_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* a table that isn't as this program made it */
        return ERR_DATA;
    default:
        return ERR_IO;
    }
}

enum err store_open_sqlite(const char *path, struct store **out, char why[STORE_WHY_LEN])
{
    struct store_sql *s = mem_zalloc(sizeof(*s));
    enum err e;

    *out = NULL;
    s->base.class = &sqlite_class;
    s->magic = SQL_MAGIC;
    tails_init(&s->tails);
    s->attic.fd = -1;
    e = open_at(s, path, why);
    if (e != ERR_OK) {
        sqlite_close(&s->base);
        return e;
    }
    *out = store_new(&s->base);
    return ERR_OK;
}

int64_t store_sqlite_memory(void)
{
    return sqlite3_memory_used();
}
