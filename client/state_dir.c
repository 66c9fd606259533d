/* SPDX-License-Identifier: ISC
 * state_dir.c -- the small files that a client must not lose.
 */
#include "client/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make every directory of `path`. */
static enum err make_dirs(char *path)
{
    for (char *p = path + 1;; p++) {
        const char was = *p;

        if (was != '/' && was != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return ERR_IO;
        *p = was;
        if (was == '\0')
            return ERR_OK;
    }
}

enum err state_dir(const char *sub, struct buf *path)
{
    const char *base = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    buf_reset(path);
    if (base != NULL && base[0] == '/') {
        buf_puts(path, base);
    } else if (home != NULL && home[0] == '/') {
        buf_printf(path, "%s/.local/state", home);
    } else {
        errno = ENOENT;
        return ERR_IO;
    }
    buf_printf(path, "/skirmish/%s", sub);
    return make_dirs(path->data);
}

static enum err path_of(const char *sub, const char *name, const char *suffix, struct buf *path)
{
    if (state_dir(sub, path) != ERR_OK)
        return ERR_IO;
    buf_printf(path, "/%s%s", name, suffix);
    return ERR_OK;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, data, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        len -= (size_t)n;
    }
    return true;
}

/* A new file with this content, on disk. */
static enum err write_new(const char *path, const struct buf *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good;

    if (fd < 0)
        return ERR_IO;
    good = write_all(fd, buf_str(text), text->len) && fsync(fd) == 0;
    return close(fd) == 0 && good ? ERR_OK : ERR_IO;
}

static enum err sync_dir(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good;

    if (fd < 0)
        return ERR_IO;
    good = fsync(fd) == 0;
    (void)close(fd);
    return good ? ERR_OK : ERR_IO;
}

enum err state_write(const char *sub, const char *name, const struct buf *text)
{
    struct buf dir = BUF_EMPTY, to = BUF_EMPTY, fresh = BUF_EMPTY;
    enum err e = ERR_IO;

    if (path_of(sub, name, "", &to) == ERR_OK && path_of(sub, name, ".new", &fresh) == ERR_OK &&
        state_dir(sub, &dir) == ERR_OK && write_new(fresh.data, text) == ERR_OK &&
        rename(fresh.data, to.data) == 0)
        e = sync_dir(dir.data);
    buf_fini(&dir);
    buf_fini(&to);
    buf_fini(&fresh);
    return e;
}

enum err state_read(const char *sub, const char *name, struct buf *text)
{
    struct buf path = BUF_EMPTY;
    enum err e = path_of(sub, name, "", &path);

    if (e == ERR_OK)
        e = buf_read_file(text, path.data, STATE_FILE_MAX);
    if (e == ERR_IO && errno == ENOENT)
        e = ERR_NOT_FOUND;
    buf_fini(&path);
    return e;
}

void state_remove(const char *sub, const char *name)
{
    struct buf path = BUF_EMPTY;

    if (path_of(sub, name, "", &path) == ERR_OK)
        (void)unlink(path.data);
    buf_fini(&path);
}

enum err state_lock(const char *sub, const char *name, int *fd)
{
    struct buf path = BUF_EMPTY;
    enum err e = path_of(sub, name, ".lock", &path);

    *fd = -1;
    if (e == ERR_OK) {
        *fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        e = *fd < 0 ? ERR_IO : ERR_OK;
    }
    if (e == ERR_OK && flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        e = errno == EWOULDBLOCK ? ERR_BUSY : ERR_IO;
        (void)close(*fd);
        *fd = -1;
    }
    buf_fini(&path);
    return e;
}

void state_unlock(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}
