/* SPDX-License-Identifier: ISC
 * store_sql.h -- what the files of the SQLite backend share; nobody else includes it.
 *
 * Journal rows are appended, never changed, and found without an index: a row names the row before
 * it of the same match (prev), and `heads` holds each match's newest row as of row `heads_upto`,
 * brought up to date now and then and when the database is opened (a "fold"). So a group of orders
 * writes the few pages at the journal's end, however many matches play. Measured with 500 matches
 * in flight (tests/bench/commit): twice the orders a second of a journal clustered by match and
 * seq, which writes a page a match. Match rows are changed in place, so an order leaves them alone:
 * what changes with each entry stands in the journal's row (timers). Every row carries a checksum of
 * all its columns.
 *
 * A disk may forget a page, and show the one from before. So nothing leaves the log for the database
 * before a fold: `heads` knows each match's newest row by another page than the row's own, and the
 * rows know it when it is `heads` that is old (SQL_HEADS_OLD). A row that isn't what was written is not
 * believed then: it was folded before it left the log, so its match knows it.
 */
#ifndef SK_SERVER_SHELL_STORE_SQL_H
#define SK_SERVER_SHELL_STORE_SQL_H

#include <sqlite3.h>

#include "server/shell/attic_file.h"
#include "server/shell/store_backend.h"
#include "server/shell/store_tails.h"

#define STORE_SCHEMA 4 /* PRAGMA user_version that this program writes */

/* X(enumerator, SQL) */
#define SQL_TABLE(X)                                                                               \
    X(SQL_BEGIN, "BEGIN IMMEDIATE")                                                                \
    X(SQL_COMMIT, "COMMIT")                                                                        \
    X(SQL_ROLLBACK, "ROLLBACK")                                                                    \
    X(SQL_APPEND, "INSERT INTO journal(pos,mkey,prev,seq,n,sum,lines,timers)"                      \
                  " VALUES(?,?,?,?,?,?,?,?)")                                                      \
    X(SQL_MATCH_NEW, "INSERT INTO matches(mkey,id,no,state,scenario,sum,data)"                     \
                     " VALUES(?,?,?,?,?,?,?)")                                                     \
    X(SQL_MATCH_SET, "UPDATE matches SET state=?2,sum=?3,data=?4 WHERE mkey=?1")                   \
    X(SQL_MATCH_GET, "SELECT mkey FROM matches WHERE id=?")                                        \
    X(SQL_SNAPSHOT, "INSERT OR REPLACE INTO snapshots(mkey,seq,sum,data) VALUES(?,?,?,?)")         \
    X(SQL_SHARE, "INSERT OR REPLACE INTO shares(mkey,roll,role,sum,share) VALUES(?,?,?,?,?)")      \
    X(SQL_SHARES_DROP, "DELETE FROM shares WHERE mkey=?")                                          \
    X(SQL_USER_PUT, "INSERT OR REPLACE INTO users(name,sum,data) VALUES(?,?,?)")                   \
    X(SQL_USER_DROP, "DELETE FROM users WHERE name=?")                                             \
    X(SQL_TOKEN_PUT, "INSERT OR REPLACE INTO tokens(hash,user,sum,data) VALUES(?,?,?,?)")          \
    X(SQL_TOKEN_DROP, "DELETE FROM tokens WHERE hash=?")                                           \
    X(SQL_INVITE_PUT, "INSERT OR REPLACE INTO invites(hash,sum,data) VALUES(?,?,?)")               \
    X(SQL_INVITE_DROP, "DELETE FROM invites WHERE hash=?")                                         \
    X(SQL_META_PUT, "INSERT OR REPLACE INTO meta(name,sum,value) VALUES(?,?,?)")                   \
    X(SQL_META_DROP, "DELETE FROM meta WHERE name=?")                                              \
    X(SQL_ARCHIVE_PUT,                                                                             \
      "INSERT INTO archive(no,id,a,b,over_ts,private,seg,off,len,size,sum,summary)"                \
      " VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")                                                          \
    X(SQL_ARCHIVE_BY_ID, "SELECT no,id,a,b,seg,off,len,size,sum,summary FROM archive WHERE id=?")  \
    X(SQL_ARCHIVE_BY_NO, "SELECT no,id,a,b,seg,off,len,size,sum,summary FROM archive WHERE no=?")  \
    X(SQL_ARCHIVE_AFTER, "SELECT no,id,a,b,seg,off,len,size,sum,summary FROM archive WHERE no>?"   \
                         " ORDER BY no LIMIT 1")                                                   \
    X(SQL_ARCHIVE_ALL, "SELECT no,id,a,b,summary FROM archive WHERE no<?1 AND b<>''"               \
                       " AND private<=?2 ORDER BY no DESC LIMIT ?3")                               \
    X(SQL_ARCHIVE_OF, "SELECT * FROM (SELECT no,id,a,b,summary FROM archive WHERE a=?4 AND b<>''"  \
                      " AND (?5='' OR b=?5) AND no<?1 AND (private<=?2 OR a=?6 OR b=?6)"           \
                      " ORDER BY no DESC LIMIT ?3) UNION ALL"                                      \
                      " SELECT * FROM (SELECT no,id,a,b,summary FROM archive WHERE b=?4"           \
                      " AND (?5='' OR a=?5) AND no<?1 AND (private<=?2 OR a=?6 OR b=?6)"           \
                      " ORDER BY no DESC LIMIT ?3) ORDER BY no DESC LIMIT ?3")                     \
    X(SQL_ARCHIVE_LAST, "SELECT seg,off+len FROM archive ORDER BY seg DESC,off DESC LIMIT 1")      \
    X(SQL_RENAME_A, "UPDATE archive SET a=?2 WHERE a=?1")                                          \
    X(SQL_RENAME_B, "UPDATE archive SET b=?2 WHERE b=?1")                                          \
    X(SQL_JOURNAL_DROP, "DELETE FROM journal WHERE pos=?")                                         \
    X(SQL_HEAD_DROP, "DELETE FROM heads WHERE mkey=?")                                             \
    X(SQL_SNAPSHOT_DROP, "DELETE FROM snapshots WHERE mkey=?")                                     \
    X(SQL_MATCH_DROP, "DELETE FROM matches WHERE mkey=?")                                          \
    X(SQL_MATCH_ROW, "SELECT state,sum,data FROM matches WHERE mkey=?")                            \
    X(SQL_AUDIT_PUT, "INSERT INTO audit(sum,data) VALUES(?,?)")                                    \
    X(SQL_AUDIT_LAST, "SELECT sum,data FROM audit ORDER BY n DESC LIMIT ?")                        \
    X(SQL_META_GET, "SELECT sum,value FROM meta WHERE name=?")                                     \
    X(SQL_META_ALL, "SELECT name,sum,value FROM meta ORDER BY name")                               \
    X(SQL_USER_ALL, "SELECT name,sum,data FROM users ORDER BY name")                               \
    X(SQL_TOKEN_ALL, "SELECT hash,user,sum,data FROM tokens ORDER BY hash")                        \
    X(SQL_INVITE_ALL, "SELECT hash,sum,data FROM invites ORDER BY hash")                           \
    X(SQL_MATCH_ALL, "SELECT m.mkey,m.id,m.state,m.sum,m.data,s.seq,s.sum,s.data"                  \
                     " FROM matches m LEFT JOIN snapshots s ON s.mkey=m.mkey ORDER BY m.mkey")     \
    X(SQL_SHARE_ALL, "SELECT m.id,s.mkey,s.roll,s.role,s.sum,s.share FROM shares s"                \
                     " JOIN matches m ON m.mkey=s.mkey ORDER BY s.mkey,s.roll,s.role")             \
    X(SQL_ROW, "SELECT mkey,prev,seq,n,sum,lines,timers FROM journal WHERE pos=?")                 \
    X(SQL_HEAD, "SELECT pos FROM heads WHERE mkey=?")                                              \
    X(SQL_HEAD_LATE, "SELECT max(pos) FROM journal WHERE pos>? AND mkey=?")                        \
    X(SQL_LAST_POS, "SELECT coalesce(max(pos),0) FROM journal")                                    \
    X(SQL_LAST_MKEY, "SELECT coalesce(max(mkey),0) FROM matches")                                  \
    X(SQL_HEADS_PUT, "INSERT OR REPLACE INTO heads(mkey,pos) VALUES(?,?)")                         \
    X(SQL_HEADS_OLD, "SELECT j.mkey,j.pos FROM (SELECT mkey,max(pos) pos FROM journal"             \
                     " GROUP BY mkey) j LEFT JOIN heads h ON h.mkey=j.mkey"                        \
                     " WHERE j.pos>coalesce(h.pos,0)")

enum sql_stmt {
#define X(name, text) name,
    SQL_TABLE(X)
#undef X
        SQL_COUNT
};

struct store_sql {
    struct store_backend base;
    unsigned magic;
    sqlite3 *db;
    sqlite3_stmt *stmt[SQL_COUNT];
    struct tails tails;
    int64_t last_pos;   /* newest journal row */
    int64_t last_mkey;  /* newest match */
    int64_t heads_upto; /* journal rows up to here are in `heads` */
    int wal_pages;      /* in the write-ahead log since its last checkpoint */
    bool folded;        /* all that isn't in the log is in `heads` */
    struct attic_file attic;
};

#define SQL_MAGIC 0x53716c74u /* "Sqlt" */
struct store_sql *sql_of(struct store_backend *b);
const struct store_sql *sql_of_const(const struct store_backend *b);

/*
 * Run a statement that gives no row. `types`: one letter a parameter: 'i' int64_t, 't' a C string,
 * 'b' const void * and size_t. Returns SQLite's code, SQLITE_OK when done.
 */
NODISCARD int sql_run(struct store_sql *s, enum sql_stmt which, const char *types, ...);
/* Bind likewise; the caller steps (SQLITE_ROW) and ends with sql_done. */
NODISCARD sqlite3_stmt *sql_query(struct store_sql *s, enum sql_stmt which, const char *types, ...);
/* End of a query; SQLite's code for the whole of it. */
int sql_done(sqlite3_stmt *stmt);
/* The one integer a query gives; `other` where it is NULL or there is no row. */
NODISCARD int sql_query_int(sqlite3_stmt *stmt, int64_t other, int64_t *out);

/* Bytes of a row, borrowed. */
struct sql_text {
    const void *p;
    size_t n;
};
/* A journal row without its place. */
struct sql_row {
    int64_t mkey, prev, seq, n;
    struct sql_text lines, timers; /* timers: may be of no bytes */
};

/* Schema: make or migrate, in one transaction. ERR_VERSION, ERR_DATA, ERR_IO with why[]. */
NODISCARD enum err sql_migrate(sqlite3 *db, char why[STORE_WHY_LEN]);

/* Before the database at path `db` is opened: ERR_DATA when its write-ahead log is damaged where
 * SQLite would drop acknowledged transactions without a word. ERR_IO: it can't be read. */
NODISCARD enum err sql_check_log(const char *db, char why[STORE_WHY_LEN]);

/* What SQLite would say of a failing file. */
int sql_of_err(enum err e);
/* One op of a transaction into the open one. SQLite's code. */
NODISCARD int sql_write(struct store_sql *s, const struct store_op *op);
/* A match's tail, read from the database if need be; NULL with *rc set (SQLITE_OK: no
 * such match). */
struct tail *sql_match(struct store_sql *s, const uint8_t id[MATCH_ID_LEN], int *rc);
/* The checksum of each kind of row: made when written, compared when read. */
int64_t sql_sum_match(int64_t mkey, const uint8_t *id, int64_t state, struct sql_text data);
int64_t sql_sum_row(int64_t pos, const struct sql_row *row);
int64_t sql_sum_snapshot(int64_t mkey, int64_t seq, struct sql_text data);
int64_t sql_sum_share(int64_t mkey, int64_t roll, int64_t role, const void *share);
int64_t sql_sum_named(char table, struct sql_text name, struct sql_text user, struct sql_text data);

/* Bring `heads` up to the newest rows. SQLite's code; on error all is as before. */
NODISCARD int sql_fold(struct store_sql *s);

/* A match from the live tables to the archive; other names in its lists; an audit's line
 * (store_archive.c). SQLite's code. */
NODISCARD int sql_archive(struct store_sql *s, const struct store_op *op);
NODISCARD int sql_rename(struct store_sql *s, const struct store_op *op);
NODISCARD int sql_audit(struct store_sql *s, const struct store_op *op);
/* Where the archive's files end. */
NODISCARD int sql_archive_end(struct store_sql *s, const char *dir);
/* A live match as it is on disk: into *out, its journal and its row. */
void sql_read_live(struct store_sql *s, const uint8_t id[MATCH_ID_LEN], struct store_found *out);
/* Everything into the directory `path`, which must not be there. ERR_IO, ERR_DATA; why[]. */

/* Is the journal's row there what was written? */
bool sql_row_is_good(struct store_sql *s, int64_t pos);

/* Reading (struct store_backend_class). */
void sql_read(struct store_backend *b, const struct store_read *r, struct store_found *out);
NODISCARD enum err sql_meta(struct store_backend *b, const char *name, struct buf *out);
NODISCARD enum err sql_load(struct store_backend *b, const struct store_sink *sink,
                            char why[STORE_WHY_LEN]);

#endif
