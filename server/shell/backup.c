/* SPDX-License-Identifier: ISC */
#include "server/shell/backup.h"

#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/msec.h"
#include "common/base/str.h"
#include "server/shell/attic_file.h"
#include "server/shell/durable.h"

#define PREFIX    "skirmish-"
#define SUFFIX    ".db"
#define STAMP_LEN 16 /* 20260131T235959Z */

struct backup {
    struct store_copy copy; /* first: store_copy.done gives it back */
    uv_work_t work;
    uv_loop_t *loop;
    struct backup_wish wish;
    struct backup_result result;
    char dir[BACKUP_PATH_LEN - 64], archive[BACKUP_PATH_LEN];
    char partial[BACKUP_PATH_LEN], path[BACKUP_PATH_LEN];
    char why[BACKUP_WHY_LEN];
    uint64_t began;
};

/* ---- on a worker: sync, look through, name, tidy up ---- */

/* The first line of what SQLite finds wrong, "ok" if nothing. False: it can't be asked. */
static bool first_word(sqlite3 *db, const char *sql, char *out, size_t size)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW;

    if (ok)
        (void)str_copy(out, size, (const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    return ok;
}

enum err backup_look_through(const char *path, char why[STORE_WHY_LEN])
{
    char word[128] = "";
    sqlite3 *db = NULL;
    enum err e = ERR_OK;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
        !first_word(db, "PRAGMA integrity_check(1)", word, sizeof(word))) {
        (void)snprintf(why, STORE_WHY_LEN, "%s", sqlite3_errmsg(db));
        e = (sqlite3_errcode(db) & 0xff) == SQLITE_CANTOPEN ? ERR_IO : ERR_DATA;
    } else if (!str_eq(word, "ok")) {
        (void)snprintf(why, STORE_WHY_LEN, "integrity_check: %s", word);
        e = ERR_DATA;
    }
    (void)sqlite3_close(db);
    return e;
}

static bool is_backup(const char *name)
{
    const size_t len = strlen(PREFIX) + STAMP_LEN + strlen(SUFFIX);

    return strlen(name) == len && str_starts(name, PREFIX) && str_ends(name, SUFFIX);
}

static int is_backup_entry(const struct dirent *d)
{
    return is_backup(d->d_name) ? 1 : 0;
}

static int is_leftover(const struct dirent *d)
{
    return str_starts(d->d_name, "." PREFIX) && str_ends(d->d_name, ".partial") ? 1 : 0;
}

/* What servers left behind that ended in the midst of a backup. */
static void remove_leftovers(const char *dir)
{
    struct dirent **list = NULL;
    char path[BACKUP_PATH_LEN];
    const int n = scandir(dir, &list, is_leftover, alphasort);

    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof(path), "%.*s/%.255s", BACKUP_PATH_LEN - 260, dir,
                       list[i]->d_name);
        (void)unlink(path);
        free(list[i]); /* scandir's own */
    }
    free(list);
}

/* Names sort by time. A backup that can't be removed is no reason to call this one failed. */
static unsigned remove_older(const char *dir, unsigned keep)
{
    struct dirent **list = NULL;
    char path[BACKUP_PATH_LEN];
    unsigned removed = 0;
    int n;

    if (keep == 0)
        return 0;
    n = scandir(dir, &list, is_backup_entry, alphasort);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof(path), "%.*s/%.255s", BACKUP_PATH_LEN - 260, dir,
                       list[i]->d_name);
        if (i < n - (int)keep && unlink(path) == 0)
            removed++;
        free(list[i]); /* scandir's own */
    }
    free(list);
    return removed;
}

static enum err fail(struct backup *b, const char *what)
{
    (void)snprintf(b->why, sizeof(b->why), "%s: %s", what, strerror(errno));
    return errno == ENOSPC || errno == EDQUOT ? ERR_STORAGE : ERR_IO;
}

static enum err finish(struct backup *b)
{
    char why[STORE_WHY_LEN];
    char mirror[BACKUP_PATH_LEN];
    struct stat st;
    enum err e;

    if (!durable_sync(b->partial))
        return fail(b, "the copy can't be put on disk");
    e = backup_look_through(b->partial, why);
    if (e != ERR_OK) {
        (void)snprintf(b->why, sizeof(b->why), "the copy isn't sound: %s", why);
        return e;
    }
    (void)snprintf(mirror, sizeof(mirror), "%s/" ATTIC_DIR, b->dir);
    if (attic_file_mirror(b->archive, mirror) != ERR_OK)
        return fail(b, "the archive can't be copied");
    if (rename(b->partial, b->path) != 0 || !durable_sync(b->dir))
        return fail(b, "the copy can't be named");
    if (stat(b->path, &st) == 0)
        b->result.bytes = st.st_size;
    b->result.removed = remove_older(b->dir, b->wish.keep);
    return ERR_OK;
}

static void on_work(uv_work_t *work)
{
    struct backup *b = work->data;

    b->result.err = finish(b);
}

/* ---- on the loop ---- */

static void tell(struct backup *b)
{
    b->result.all_ms = (int64_t)((uv_hrtime() - b->began) / 1000000);
    b->result.why = b->why;
    b->result.path = b->path;
    if (b->result.err != ERR_OK)
        (void)unlink(b->partial);
    b->wish.done(b->wish.arg, &b->result);
    mem_free(b);
}

static void after_work(uv_work_t *work, int status)
{
    (void)status; /* nobody cancels it */
    tell(work->data);
}

static void on_copied(struct store_copy *c)
{
    struct backup *b = (struct backup *)c;

    b->result.copy_ms = (int64_t)((uv_hrtime() - b->began) / 1000000);
    b->result.err = c->err;
    if (c->err == ERR_OK) {
        CHECK(uv_queue_work(b->loop, &b->work, on_work, after_work) == 0);
        return;
    }
    (void)snprintf(b->why, sizeof(b->why), "no copy in %.200s: %s", b->dir, c->why);
    tell(b);
}

void backup_start(uv_loop_t *loop, struct store *store, const struct backup_wish *wish)
{
    struct backup *b = mem_zalloc(sizeof(*b));
    struct tm tm;
    time_t now;
    char stamp[STAMP_LEN + 1];

    now = (time_t)(wall_now().ms / 1000);
    CHECK(gmtime_r(&now, &tm) != NULL);
    CHECK(strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm) == STAMP_LEN);
    b->loop = loop;
    b->wish = *wish; /* whose strings are copied below */
    b->work.data = b;
    b->began = uv_hrtime();
    (void)str_copy(b->dir, sizeof(b->dir), wish->dir);
    (void)str_copy(b->archive, sizeof(b->archive), wish->archive);
    (void)snprintf(b->partial, sizeof(b->partial), "%s/." PREFIX "%s.partial", b->dir, stamp);
    (void)snprintf(b->path, sizeof(b->path), "%s/" PREFIX "%s" SUFFIX, b->dir, stamp);
    b->copy.path = b->partial;
    b->copy.done = on_copied;
    remove_leftovers(b->dir);
    store_copy(store, &b->copy);
}
