/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_badfs.h"

#include <pthread.h>
#include <sqlite3.h>

struct bad_file {
    sqlite3_file base;
    sqlite3_file *real; /* right behind this struct */
    int kind;           /* SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_WAL, or another */
};

/* One disk for the process; writers and the test are on different threads. */
static struct {
    pthread_mutex_t lock;
    sqlite3_vfs vfs, *real;
    enum badfs_fault fault;
    unsigned after, failed;
    struct badfs_seen seen;
    uint64_t db_run; /* since the last write of a log */
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

static sqlite3_file *real_of(sqlite3_file *f)
{
    return ((struct bad_file *)f)->real;
}

/* Does this call fail? Counts it. */
static bool hits(bool is_sync, enum badfs_fault *fault)
{
    bool hit = false;

    (void)pthread_mutex_lock(&disk.lock);
    if (disk.fault != BADFS_NONE && is_sync == (disk.fault == BADFS_SYNC_EIO)) {
        hit = disk.after == 0;
        if (hit)
            disk.failed++;
        else
            disk.after--;
    }
    *fault = disk.fault;
    (void)pthread_mutex_unlock(&disk.lock);
    return hit;
}

static int bad_close(sqlite3_file *f)
{
    return real_of(f)->pMethods->xClose(real_of(f));
}

static int bad_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static void note_write(const struct bad_file *f, uint64_t n, uint64_t at)
{
    struct badfs_seen *s = &disk.seen;

    (void)pthread_mutex_lock(&disk.lock);
    if (f->kind == SQLITE_OPEN_WAL) {
        s->log_bytes += n;
        s->log_end = MAX(s->log_end, at + n);
        disk.db_run = 0;
    } else if (f->kind == SQLITE_OPEN_MAIN_DB) {
        s->db_bytes += n;
        disk.db_run += n;
        s->db_run = MAX(s->db_run, disk.db_run);
    }
    (void)pthread_mutex_unlock(&disk.lock);
}

static int bad_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    enum badfs_fault fault;

    note_write((const struct bad_file *)f, (uint64_t)n, (uint64_t)at);
    if (!hits(false, &fault))
        return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
    if (fault == BADFS_FULL)
        return SQLITE_FULL;
    if (fault == BADFS_TORN)
        (void)real_of(f)->pMethods->xWrite(real_of(f), p, n / 2, at);
    return SQLITE_IOERR_WRITE;
}

static int bad_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int bad_sync(sqlite3_file *f, int flags)
{
    enum badfs_fault fault;

    return hits(true, &fault) ? SQLITE_IOERR_FSYNC : real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int bad_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int bad_lock(sqlite3_file *f, int how)
{
    return real_of(f)->pMethods->xLock(real_of(f), how);
}

static int bad_unlock(sqlite3_file *f, int how)
{
    return real_of(f)->pMethods->xUnlock(real_of(f), how);
}

static int bad_check_lock(sqlite3_file *f, int *out)
{
    return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int bad_control(sqlite3_file *f, int op, void *arg)
{
    return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int bad_sector(sqlite3_file *f)
{
    return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int bad_traits(sqlite3_file *f)
{
    return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

/* Version 1: no shared memory, no mapping; the store needs neither. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = bad_close,
    .xRead = bad_read,
    .xWrite = bad_write,
    .xTruncate = bad_truncate,
    .xSync = bad_sync,
    .xFileSize = bad_size,
    .xLock = bad_lock,
    .xUnlock = bad_unlock,
    .xCheckReservedLock = bad_check_lock,
    .xFileControl = bad_control,
    .xSectorSize = bad_sector,
    .xDeviceCharacteristics = bad_traits,
};

static int bad_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
    struct bad_file *bad = (struct bad_file *)f;
    int rc;

    (void)vfs;
    bad->real = (sqlite3_file *)(void *)(bad + 1);
    bad->kind = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL);
    rc = disk.real->xOpen(disk.real, name, bad->real, flags, out);
    f->pMethods = bad->real->pMethods != NULL ? &methods : NULL;
    return rc;
}

void badfs_install(void)
{
    if (disk.real != NULL)
        return;
    disk.real = sqlite3_vfs_find(NULL);
    CHECK(disk.real != NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "badfs";
    disk.vfs.szOsFile = (int)sizeof(struct bad_file) + disk.real->szOsFile;
    disk.vfs.xOpen = bad_open;
    CHECK(sqlite3_vfs_register(&disk.vfs, 1) == SQLITE_OK);
}

void badfs_set(enum badfs_fault fault, unsigned after)
{
    (void)pthread_mutex_lock(&disk.lock);
    disk.fault = fault;
    disk.after = after;
    disk.failed = 0;
    (void)pthread_mutex_unlock(&disk.lock);
}

void badfs_watch(void)
{
    (void)pthread_mutex_lock(&disk.lock);
    disk.seen = (struct badfs_seen){.log_end = 0};
    disk.db_run = 0;
    (void)pthread_mutex_unlock(&disk.lock);
}

void badfs_seen(struct badfs_seen *out)
{
    (void)pthread_mutex_lock(&disk.lock);
    *out = disk.seen;
    (void)pthread_mutex_unlock(&disk.lock);
}

unsigned badfs_failed(void)
{
    unsigned n;

    (void)pthread_mutex_lock(&disk.lock);
    n = disk.failed;
    (void)pthread_mutex_unlock(&disk.lock);
    return n;
}
