/* SPDX-License-Identifier: ISC */
#include "common/base/util.h"
#include "server/shell/store_sql.h"

#define APPLICATION_ID 0x534b6d64 /* "SKmd": PRAGMA application_id of our databases */

/*
 * Step i brings a database of schema i to schema i + 1. Steps that have shipped are never changed.
 * In `journal` the short columns stand before the bytes: walking a chain reads no overflow page.
 */
static const char *const steps[] = {
    /* 0 -> 1 */
    "CREATE TABLE meta(name TEXT NOT NULL PRIMARY KEY, sum INT NOT NULL, value BLOB NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE TABLE users(name TEXT NOT NULL COLLATE NOCASE PRIMARY KEY, sum INT NOT NULL,"
    " data BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE tokens(hash BLOB NOT NULL PRIMARY KEY, user TEXT NOT NULL, sum INT NOT NULL,"
    " data BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE matches(mkey INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, no INT NOT NULL,"
    " state INT NOT NULL, scenario TEXT NOT NULL, sum INT NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE journal(pos INTEGER PRIMARY KEY, mkey INT NOT NULL, prev INT NOT NULL,"
    " seq INT NOT NULL, n INT NOT NULL, sum INT NOT NULL, lines BLOB NOT NULL);"
    "CREATE TABLE heads(mkey INTEGER PRIMARY KEY, pos INT NOT NULL);"
    "CREATE TABLE snapshots(mkey INTEGER PRIMARY KEY, seq INT NOT NULL, sum INT NOT NULL,"
    " data BLOB NOT NULL);"
    "CREATE TABLE shares(mkey INT NOT NULL, roll INT NOT NULL, role INT NOT NULL,"
    " sum INT NOT NULL, share BLOB NOT NULL, PRIMARY KEY(mkey,roll,role)) WITHOUT ROWID;",
    /* 1 -> 2 */
    "CREATE TABLE invites(hash BLOB NOT NULL PRIMARY KEY, sum INT NOT NULL, data BLOB NOT NULL)"
    " WITHOUT ROWID;",
    /* 2 -> 3: seg, off, len, size: where the record stands (attic_file.h) */
    "CREATE TABLE archive(no INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
    " a TEXT NOT NULL COLLATE NOCASE, b TEXT NOT NULL COLLATE NOCASE, over_ts INT NOT NULL,"
    " private INT NOT NULL, seg INT NOT NULL, off INT NOT NULL, len INT NOT NULL,"
    " size INT NOT NULL, sum INT NOT NULL, summary BLOB NOT NULL);"
    "CREATE INDEX archive_a ON archive(a,no);"
    "CREATE INDEX archive_b ON archive(b,no);"
    "CREATE INDEX archive_place ON archive(seg,off);"
    "CREATE TABLE audit(n INTEGER PRIMARY KEY, sum INT NOT NULL, data BLOB NOT NULL);",
    /* 3 -> 4: rows from before have none, the match's row has all */
    "ALTER TABLE journal ADD COLUMN timers BLOB;",
};
_Static_assert(ARRAY_LEN(steps) == STORE_SCHEMA, "a step for each schema");

static bool read_int(sqlite3 *db, const char *sql, int *out)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW;

    if (ok)
        *out = sqlite3_column_int(stmt, 0);
    return sqlite3_finalize(stmt) == SQLITE_OK && ok;
}

static bool apply(sqlite3 *db, int from)
{
    char done[96];

    for (size_t i = (size_t)from; i < ARRAY_LEN(steps); i++) {
        if (sqlite3_exec(db, steps[i], NULL, NULL, NULL) != SQLITE_OK)
            return false;
    }
    (void)snprintf(done, sizeof(done), "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                   APPLICATION_ID, STORE_SCHEMA);
    return sqlite3_exec(db, done, NULL, NULL, NULL) == SQLITE_OK;
}

enum err sql_migrate(sqlite3 *db, char why[STORE_WHY_LEN])
{
    int app = 0;
    int version = 0;
    int tables = 0;

    if (!read_int(db, "PRAGMA application_id", &app) ||
        !read_int(db, "PRAGMA user_version", &version) ||
        !read_int(db, "SELECT count(*) FROM sqlite_schema", &tables))
        goto fail;
    if (app != APPLICATION_ID && (app != 0 || version != 0 || tables != 0)) {
        (void)snprintf(why, STORE_WHY_LEN, "it is a database of another program");
        return ERR_DATA;
    }
    if (version > STORE_SCHEMA) {
        (void)snprintf(
            why, STORE_WHY_LEN,
            "a newer skirmishd wrote it (schema %d; this one knows up to %d): install that"
            " version again, or restore a backup made before the upgrade",
            version, STORE_SCHEMA);
        return ERR_VERSION;
    }
    if (version == STORE_SCHEMA)
        return ERR_OK;
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        goto fail;
    if (apply(db, version) && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return ERR_OK;

fail:
    (void)snprintf(why, STORE_WHY_LEN, "%s", sqlite3_errmsg(db));
    if (sqlite3_get_autocommit(db) == 0) /* closing would roll back too */
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return ERR_DATA;
    case SQLITE_BUSY:
        return ERR_BUSY;
    default:
        return ERR_IO;
    }
}
