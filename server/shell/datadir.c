/* SPDX-License-Identifier: ISC */
#include "server/shell/datadir.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/hex.h"
#include "common/base/str.h"
#include "server/shell/durable.h"

#define KEY_WORD "skirmish-master-key"

enum { KEY_FILE_MAX = 256 };

static enum err say_errno(char why[DATADIR_WHY_LEN], const char *what, const char *path)
{
    (void)snprintf(why, DATADIR_WHY_LEN, "%s %s: %s", what, path, strerror(errno));
    return ERR_IO;
}

/* mkdir -p, each new one 0700 */
static bool make_dirs(const char *path)
{
    char part[DATADIR_PATH_LEN];

    (void)str_copy(part, sizeof(part), path);
    for (char *p = part + 1; *p != '\0'; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
        *p = '/';
    }
    return mkdir(part, 0700) == 0 || errno == EEXIST;
}

static enum err check_dir(const char *path, char why[DATADIR_WHY_LEN])
{
    struct stat st;

    if (stat(path, &st) != 0)
        return say_errno(why, "can't use", path);
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return say_errno(why, "can't use", path);
    }
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        (void)snprintf(why, DATADIR_WHY_LEN,
                       "others may write to %s (mode %03o); make it the server's own (chmod 700)",
                       path, (unsigned)st.st_mode & 0777u);
        return ERR_DENIED;
    }
    return ERR_OK;
}

static enum err take_lock(struct datadir *d, char why[DATADIR_WHY_LEN])
{
    char path[DATADIR_PATH_LEN];

    datadir_file(d, "lock", path);
    d->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (d->lock < 0)
        return say_errno(why, "can't open", path);
    if (flock(d->lock, LOCK_EX | LOCK_NB) == 0)
        return ERR_OK;
    if (errno != EWOULDBLOCK)
        return say_errno(why, "can't lock", path);
    (void)snprintf(why, DATADIR_WHY_LEN,
                   "another skirmishd is using %s; stop it first, or give this one a directory of "
                   "its own with --data DIR",
                   d->path);
    return ERR_BUSY;
}

enum err datadir_open(const char *path, struct datadir *d, char why[DATADIR_WHY_LEN])
{
    enum err e;

    d->lock = -1;
    if (path[0] == '\0' || !str_copy(d->path, sizeof(d->path), path)) {
        (void)snprintf(why, DATADIR_WHY_LEN, "the data directory's name is empty or too long");
        return ERR_IO;
    }
    if (!make_dirs(d->path))
        return say_errno(why, "can't make", d->path);
    e = check_dir(d->path, why);
    if (e == ERR_OK)
        e = take_lock(d, why);
    if (e != ERR_OK)
        datadir_close(d);
    return e;
}

enum err datadir_adopt(const char *path, int lock, struct datadir *d, char why[DATADIR_WHY_LEN])
{
    char file[DATADIR_PATH_LEN];
    struct stat held, there;

    d->lock = lock;
    if (path[0] == '\0' || !str_copy(d->path, sizeof(d->path), path)) {
        (void)snprintf(why, DATADIR_WHY_LEN, "the data directory's name is empty or too long");
        return ERR_IO;
    }
    datadir_file(d, "lock", file);
    if (fstat(lock, &held) != 0 || stat(file, &there) != 0)
        return say_errno(why, "can't use", file);
    if (held.st_dev != there.st_dev || held.st_ino != there.st_ino) {
        (void)snprintf(why, DATADIR_WHY_LEN,
                       "%s isn't the directory of the server that hands over: an upgrade can't "
                       "change --data",
                       path);
        return ERR_DENIED;
    }
    return check_dir(d->path, why);
}

void datadir_close(struct datadir *d)
{
    if (d->lock >= 0)
        (void)close(d->lock);
    d->lock = -1;
}

void datadir_file(const struct datadir *d, const char *name, char out[DATADIR_PATH_LEN])
{
    const int n = snprintf(out, DATADIR_PATH_LEN, "%s/%s", d->path, name);

    CHECK(n > 0 && n < DATADIR_PATH_LEN);
}

/* ---- the master key ---- */

/* `skirmish-master-key KID HEX` and a newline. */
static bool key_parse(struct buf *text, struct master_key *out)
{
    char *rest = text->data;
    const char *word = str_word(&rest);
    const char *kid = str_word(&rest);
    char *hex = str_word(&rest);
    int64_t number;

    if (hex == NULL)
        return false;
    hex[strcspn(hex, "\n")] = '\0';
    if (!str_eq(word, KEY_WORD) || !str_to_int(kid, 1, UINT32_MAX, &number) ||
        !hex_decode(out->key, MASTER_KEY_LEN, hex))
        return false;
    out->kid = (uint32_t)number;
    return true;
}

static bool write_whole(int fd, const char *data, size_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* Written whole under another name first: a crash never leaves half a key. */
static enum err key_make(const struct datadir *d, const char *path, struct master_key *out,
                         char why[DATADIR_WHY_LEN])
{
    char hex[2 * MASTER_KEY_LEN + 1];
    char text[KEY_FILE_MAX];
    char fresh[DATADIR_PATH_LEN];
    bool ok;
    int fd;

    randombytes_buf(out->key, sizeof(out->key));
    out->kid = 1 + randombytes_uniform(INT32_MAX);
    out->is_new = true;
    hex_encode(hex, out->key, sizeof(out->key));
    (void)snprintf(text, sizeof(text), KEY_WORD " %u %s\n", (unsigned)out->kid, hex);
    datadir_file(d, "master.key.new", fresh);
    (void)unlink(fresh);
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
    if (fd < 0)
        return say_errno(why, "can't make", fresh);
    ok = write_whole(fd, text, strlen(text)) && fsync(fd) == 0;
    ok = close(fd) == 0 && ok;
    ok = ok && link(fresh, path) == 0; /* unlike rename, never over a key that is there */
    if (!ok)
        (void)say_errno(why, "can't write", path);
    (void)unlink(fresh);
    sodium_memzero(text, sizeof(text));
    sodium_memzero(hex, sizeof(hex));
    if (ok && !durable_sync(d->path)) {
        ok = false;
        (void)say_errno(why, "can't sync", d->path);
    }
    return ok ? ERR_OK : ERR_IO;
}

static enum err key_check(const char *path, char why[DATADIR_WHY_LEN])
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? ERR_NOT_FOUND : say_errno(why, "can't read", path);
    if (!S_ISREG(st.st_mode)) {
        (void)snprintf(why, DATADIR_WHY_LEN, "%s is not a plain file", path);
        return ERR_DATA;
    }
    if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        (void)snprintf(why, DATADIR_WHY_LEN,
                       "others may read the master key %s (mode %03o): whoever has read it can "
                       "foresee the server's dice. chmod 400 it, and make a new one if anybody may "
                       "have",
                       path, (unsigned)st.st_mode & 0777u);
        return ERR_DENIED;
    }
    return ERR_OK;
}

enum err datadir_master_key(const struct datadir *d, struct master_key *out,
                            char why[DATADIR_WHY_LEN])
{
    struct buf text = BUF_EMPTY;
    char path[DATADIR_PATH_LEN];
    enum err e;

    out->is_new = false;
    datadir_file(d, "master.key", path);
    e = key_check(path, why);
    if (e == ERR_NOT_FOUND)
        return key_make(d, path, out, why);
    if (e != ERR_OK)
        return e;
    e = buf_read_file(&text, path, KEY_FILE_MAX);
    if (e == ERR_IO) {
        (void)say_errno(why, "can't read", path);
    } else if (e != ERR_OK || text.len == 0 || !key_parse(&text, out)) {
        (void)snprintf(why, DATADIR_WHY_LEN,
                       "%s isn't a master key (one line: " KEY_WORD " NUMBER 64-HEX-DIGITS)", path);
        e = ERR_DATA;
    }
    if (text.data != NULL)
        sodium_memzero(text.data, text.len);
    buf_fini(&text);
    return e;
}
