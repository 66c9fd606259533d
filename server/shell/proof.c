/* SPDX-License-Identifier: ISC */
#include "server/shell/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/attic_file.h"
#include "server/shell/backup.h"
#include "server/shell/datadir.h"
#include "server/shell/durable.h"
#include "server/shell/load.h"

#define DB_NAME "skirmish.db"

/* A directory of ours with the copy in it. */
struct scratch {
    char dir[DATADIR_PATH_LEN - 64];
    char db[DATADIR_PATH_LEN];
};

static int PRINTF_LIKE(2, 3) say(int code, const char *fmt, ...)
{
    va_list ap;

    (void)fputs("skirmishd: ", stderr);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
    return code;
}

/* ---- copying ---- */

static bool copy_bytes(int from, int to)
{
    char block[65536];
    ssize_t n;

    while ((n = read(from, block, sizeof(block))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        for (ssize_t done = 0; done < n;) {
            const ssize_t k = write(to, block + done, (size_t)(n - done));

            if (k < 0 && errno != EINTR)
                return false;
            done += MAX(k, (ssize_t)0);
        }
        if (n < 0)
            return false;
    }
    return fsync(to) == 0;
}

/* errno, 0 when it is done. */
static int copy_file(const char *from, const char *to)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    int out, e;

    if (in < 0)
        return errno;
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    e = out < 0 || !copy_bytes(in, out) ? errno : 0;
    if (out >= 0)
        (void)close(out);
    (void)close(in);
    return e;
}

/* Does a server use the database `file`? Its directory's lock says so. */
static bool is_in_use(const char *file)
{
    char path[DATADIR_PATH_LEN], lock[DATADIR_PATH_LEN];
    bool held;
    int fd;

    if (!str_copy(path, sizeof(path), file))
        return false;
    if (snprintf(lock, sizeof(lock), "%s/lock", dirname(path)) >= (int)sizeof(lock))
        return false;
    fd = open(lock, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    held = flock(fd, LOCK_EX | LOCK_NB) != 0;
    (void)close(fd);
    return held;
}

static void scratch_remove(struct scratch *s)
{
    char path[DATADIR_PATH_LEN + 8];

    (void)snprintf(path, sizeof(path), "%s/" ATTIC_DIR, s->dir);
    (void)unlink(path);
    (void)unlink(s->db);
    (void)snprintf(path, sizeof(path), "%s-wal", s->db);
    (void)unlink(path);
    (void)rmdir(s->dir);
}

/* The archive beside `file`. False: there is none. */
static bool archive_of(const char *file, char out[DATADIR_PATH_LEN])
{
    char copy[DATADIR_PATH_LEN], path[DATADIR_PATH_LEN], whole[PATH_MAX];

    return str_copy(copy, sizeof(copy), file) &&
           snprintf(path, sizeof(path), "%s/" ATTIC_DIR, dirname(copy)) < (int)sizeof(path) &&
           realpath(path, whole) != NULL && str_copy(out, DATADIR_PATH_LEN, whole);
}

/* The copy finds the archive beside itself, as a server would. */
static bool lend_archive(const struct scratch *s, const char *file)
{
    char from[DATADIR_PATH_LEN], name[DATADIR_PATH_LEN];

    (void)snprintf(name, sizeof(name), "%s/" ATTIC_DIR, s->dir);
    return !archive_of(file, from) || symlink(from, name) == 0;
}

/* `file`, and the log beside it if a crash left one, into a new directory in `parent`. */
static int scratch_fill(struct scratch *s, const char *file, const char *parent)
{
    char from[DATADIR_PATH_LEN + 8], to[DATADIR_PATH_LEN + 8];
    int e;

    if (snprintf(s->dir, sizeof(s->dir), "%s/skirmish-scratch-XXXXXX", parent) >=
            (int)sizeof(s->dir) ||
        mkdtemp(s->dir) == NULL)
        return say(EX_CANTCREAT, "no scratch directory in %s: %s", parent, strerror(errno));
    (void)snprintf(s->db, sizeof(s->db), "%s/" DB_NAME, s->dir);
    e = copy_file(file, s->db);
    (void)snprintf(from, sizeof(from), "%s-wal", file);
    (void)snprintf(to, sizeof(to), "%s-wal", s->db);
    if (e == 0 && access(from, F_OK) == 0)
        e = copy_file(from, to);
    if (e == 0 && !lend_archive(s, file))
        e = errno;
    if (e == 0)
        return EX_OK;
    scratch_remove(s);
    return say(e == ENOENT || e == EACCES || e == EISDIR ? EX_NOINPUT : EX_IOERR,
               "%s can't be copied: %s", file, strerror(e));
}

/* ---- the proof ---- */

static int verdict(const struct load_report *r, const char *file, const char *purpose)
{
    printf(
        "%s: %s: %u matches (%u of them archived) with %llu entries played again from the first, "
        "%u users",
        purpose, file, r->matches + r->archived, r->archived, (unsigned long long)r->entries,
        r->users);
    if (r->aside == 0) {
        puts("; every hash is the same");
        return EX_OK;
    }
    printf("; %u rows are not as they should be (see above)\n", r->aside);
    return EX_DATAERR;
}

static int replay(struct store *store, const char *file, const char *purpose)
{
    struct core_config cc = {.server = "skirmishd/" SK_VERSION, .motd = "", .master_kid = 1};
    struct scenario_set scenarios;
    struct load_report r = {0};
    char why[STORE_WHY_LEN];
    struct core *core;
    enum err e;

    scenario_set_init(&scenarios);
    randombytes_buf(cc.seed, sizeof(cc.seed));
    core = core_new(&cc, &scenarios, mono_now(), wall_now());
    e = load_proof(store, core, &r, why);
    core_free(core);
    scenario_set_fini(&scenarios);
    if (e != ERR_OK)
        return say(EX_DATAERR, "%s can't be read: %s", file, why);
    return verdict(&r, file, purpose);
}

/* The scratch copy is opened as a server would, so its schema is this program's afterwards. */
static int prove(const struct scratch *s, const char *file, const char *purpose)
{
    char why[STORE_WHY_LEN];
    struct store *store = NULL;
    int code;
    enum err e = store_open_sqlite(s->db, &store, why);

    if (e != ERR_OK)
        return say(e == ERR_IO ? EX_IOERR : EX_DATAERR, "%s: %s", file, why);
    code = replay(store, file, purpose);
    store_free(store);
    e = backup_look_through(s->db, why);
    if (e != ERR_OK)
        return say(e == ERR_IO ? EX_IOERR : EX_DATAERR, "%s: %s", file, why);
    return code;
}

int proof_check(const char *file, const char *purpose)
{
    const char *tmp = getenv("TMPDIR");
    struct scratch s;
    int code;

    if (is_in_use(file))
        return say(EX_TEMPFAIL, "a server is using %s; make a backup, and look at that", file);
    code = scratch_fill(&s, file, tmp != NULL && tmp[0] == '/' ? tmp : "/var/tmp");
    if (code != EX_OK)
        return code;
    code = prove(&s, file, purpose);
    scratch_remove(&s);
    return code;
}

/* ---- restoring ---- */

/* DIR/name to DIR/name.STAMP, if it is there. */
static bool put_aside(const struct datadir *d, const char *name, const char *stamp)
{
    char from[DATADIR_PATH_LEN], to[DATADIR_PATH_LEN + 64];

    datadir_file(d, name, from);
    (void)snprintf(to, sizeof(to), "%s.%s", from, stamp);
    if (rename(from, to) == 0) {
        printf("kept: %s\n", to);
        return true;
    }
    return errno == ENOENT;
}

/* The archive that the backup has beside it; what is there has perhaps another match at a place. */
static bool restore_archive(const struct datadir *d, const char *file, const char *stamp)
{
    char from[DATADIR_PATH_LEN], to[DATADIR_PATH_LEN], there[PATH_MAX];

    datadir_file(d, ATTIC_DIR, to);
    if (!archive_of(file, from))
        return true; /* nothing was archived, or it is a copy of this very directory's database */
    if (realpath(to, there) != NULL && str_eq(from, there))
        return true;
    return put_aside(d, ATTIC_DIR, stamp) && attic_file_mirror(from, to) == ERR_OK;
}

/*
 * The old log goes first: without it the old database is older, never torn; with a new database
 * beside it, it would be another's. Then each step leaves something that a server can start from
 * or refuses, and the old files are all there.
 */
static int put_in_place(const struct datadir *d, const struct scratch *s, const char *file)
{
    char db[DATADIR_PATH_LEN];
    char stamp[40];
    struct tm tm;
    time_t now;

    now = (time_t)(wall_now().ms / 1000);
    CHECK(gmtime_r(&now, &tm) != NULL);
    CHECK(strftime(stamp, sizeof(stamp), "before-%Y%m%dT%H%M%SZ", &tm) > 0);
    datadir_file(d, DB_NAME, db);
    if (!put_aside(d, DB_NAME "-wal", stamp) || !put_aside(d, DB_NAME, stamp) ||
        !put_aside(d, "master.key", stamp) || !restore_archive(d, file, stamp) ||
        rename(s->db, db) != 0 || !durable_sync(d->path))
        return say(EX_IOERR,
                   "the backup can't be put in place: %s; what was there is in %s under "
                   "names that end in %s",
                   strerror(errno), d->path, stamp);
    printf(
        "restored: %s\n"
        "The next start makes a new master key; players of open matches are asked to go on with\n"
        "new dice, because the old ones would show what the backup doesn't remember.\n",
        db);
    return EX_OK;
}

int proof_restore(const char *file, const char *data)
{
    struct datadir d = {.lock = -1};
    char why[DATADIR_WHY_LEN];
    struct scratch s;
    enum err e = datadir_open(data, &d, why);
    int code;

    if (e != ERR_OK)
        return say(e == ERR_BUSY ? EX_TEMPFAIL : EX_CANTCREAT, "%s", why);
    code = scratch_fill(&s, file, d.path); /* there, so that it can be renamed */
    if (code == EX_OK) {
        code = prove(&s, file, "restore");
        if (code == EX_OK)
            code = put_in_place(&d, &s, file);
        else
            (void)say(code, "nothing was changed in %s", d.path);
        scratch_remove(&s);
    }
    datadir_close(&d);
    return code;
}
