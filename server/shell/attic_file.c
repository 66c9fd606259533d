/* SPDX-License-Identifier: ISC */
#include "server/shell/attic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/durable.h"

#define SUFFIX ".ndjson.gz"

enum { GZIP_BITS = 15 + 16, LEVEL = 6, COPY_BYTES = 1 << 16 };

void attic_file_init(struct attic_file *a, const char *dir, int64_t seg, int64_t end)
{
    *a = (struct attic_file){.fd = -1, .seg = seg, .end = end, .kept = end, .kept_seg = seg};
    CHECK(str_copy(a->dir, sizeof(a->dir), dir));
}

static void close_file(struct attic_file *a)
{
    if (a->fd >= 0)
        (void)close(a->fd);
    a->fd = -1;
}

void attic_file_fini(struct attic_file *a)
{
    close_file(a);
}

static void path_of(const struct attic_file *a, int64_t seg, char path[ATTIC_PATH_LEN + 64])
{
    (void)snprintf(path, ATTIC_PATH_LEN + 64, "%s/%08lld" SUFFIX, a->dir, (long long)seg);
}

static enum err failed(void)
{
    return errno == ENOSPC || errno == EDQUOT ? ERR_STORAGE : ERR_IO;
}

/* The next file, which must not be there yet; numbers that a crash has used are passed over. */
static enum err new_file(struct attic_file *a)
{
    char path[ATTIC_PATH_LEN + 64];

    close_file(a);
    if (mkdir(a->dir, 0700) != 0 && errno != EEXIST)
        return failed();
    do {
        a->seg++;
        path_of(a, a->seg, path);
        a->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (a->fd < 0 && errno == EEXIST);
    a->end = 0;
    if (a->fd < 0)
        return failed();
    return durable_sync(a->dir) ? ERR_OK : ERR_IO;
}

/* The file to write to is open and holds just what counts. */
static enum err need_file(struct attic_file *a)
{
    char path[ATTIC_PATH_LEN + 64];
    struct stat st;

    if (a->seg == 0 || a->end >= ATTIC_FILE_MAX)
        return new_file(a);
    if (a->fd >= 0)
        return ERR_OK;
    path_of(a, a->seg, path);
    a->fd = open(path, O_RDWR | O_CLOEXEC);
    if (a->fd < 0 || fstat(a->fd, &st) != 0 || st.st_size != a->end)
        return new_file(a); /* a database or an archive from another day */
    return ERR_OK;
}

static void compress_text(const char *text, size_t len, struct buf *out)
{
    z_stream z = {.zalloc = NULL};

    CHECK(deflateInit2(&z, LEVEL, Z_DEFLATED, GZIP_BITS, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (const Bytef *)text;
    z.avail_in = (uInt)len;
    z.avail_out = (uInt)deflateBound(&z, (uLong)len);
    z.next_out = (Bytef *)buf_room(out, z.avail_out);
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out->len += z.total_out;
    out->data[out->len] = '\0';
    CHECK(deflateEnd(&z) == Z_OK);
}

static bool write_all(int fd, const char *p, size_t n, int64_t off)
{
    while (n > 0) {
        const ssize_t done = pwrite(fd, p, n, (off_t)off);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        off += done;
        n -= (size_t)done;
    }
    return true;
}

enum err attic_file_add(struct attic_file *a, const char *text, size_t len, struct attic_place *out)
{
    struct buf packed = BUF_EMPTY;
    enum err e;

    if (len > ATTIC_TEXT_MAX)
        return ERR_IO;
    e = need_file(a);
    if (e != ERR_OK)
        return e;
    compress_text(text, len, &packed);
    *out = (struct attic_place){a->seg, a->end, (int64_t)packed.len, (int64_t)len};
    if (!write_all(a->fd, packed.data, packed.len, a->end))
        e = failed();
    buf_fini(&packed);
    a->dirty = true;
    if (e == ERR_OK)
        a->end += out->len;
    return e;
}

enum err attic_file_sync(struct attic_file *a)
{
    if (!a->dirty || a->fd < 0)
        return ERR_OK;
    if (fdatasync(a->fd) != 0)
        return failed();
    a->dirty = false;
    return ERR_OK;
}

void attic_file_keep(struct attic_file *a)
{
    a->kept = a->end;
    a->kept_seg = a->seg;
}

void attic_file_undo(struct attic_file *a)
{
    if (a->seg == a->kept_seg) {
        if (a->fd >= 0 && ftruncate(a->fd, (off_t)a->kept) != 0)
            close_file(a); /* its tail is passed over when it is opened again */
        a->end = a->kept;
        return;
    }
    if (a->fd >= 0 && ftruncate(a->fd, 0) != 0)
        close_file(a);
    a->end = 0; /* the new file, empty */
    a->kept = 0;
    a->kept_seg = a->seg;
}

static bool read_all(int fd, char *p, size_t n, int64_t off)
{
    while (n > 0) {
        const ssize_t got = pread(fd, p, n, (off_t)off);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        off += got;
        n -= (size_t)got;
    }
    return true;
}

/* gzip's own checksum and length are compared by zlib. */
static bool expand_text(const struct buf *packed, size_t size, struct buf *out)
{
    z_stream z = {.zalloc = NULL};
    bool ok;

    CHECK(inflateInit2(&z, GZIP_BITS) == Z_OK);
    z.next_in = (const Bytef *)packed->data;
    z.avail_in = (uInt)packed->len;
    z.next_out = (Bytef *)buf_room(out, size);
    z.avail_out = (uInt)size;
    ok = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == size && z.avail_in == 0;
    if (ok) {
        out->len += size;
        out->data[out->len] = '\0';
    }
    (void)inflateEnd(&z);
    return ok;
}

enum err attic_file_read(const struct attic_file *a, const struct attic_place *p, struct buf *out)
{
    char path[ATTIC_PATH_LEN + 64];
    struct buf packed = BUF_EMPTY;
    enum err e = ERR_DATA;
    int fd;

    if (p->len <= 0 || p->len > ATTIC_FILE_MAX || p->size <= 0 || p->size > ATTIC_TEXT_MAX)
        return ERR_DATA;
    path_of(a, p->seg, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? ERR_DATA : ERR_IO;
    if (read_all(fd, buf_room(&packed, (size_t)p->len), (size_t)p->len, p->off)) {
        packed.len = (size_t)p->len;
        if (expand_text(&packed, (size_t)p->size, out))
            e = ERR_OK;
    }
    (void)close(fd);
    buf_fini(&packed);
    return e;
}

/* ---- copies ---- */

static bool copy_bytes(int from, int to, int64_t n)
{
    char *room = mem_alloc(COPY_BYTES);
    bool ok = true;
    int64_t off = 0;

    while (ok && off < n) {
        const size_t part = (size_t)MIN(n - off, (int64_t)COPY_BYTES);

        ok = read_all(from, room, part, off) && write_all(to, room, part, off);
        off += (int64_t)part;
    }
    mem_free(room);
    return ok && fsync(to) == 0;
}

/* `n` bytes of `path` as `copy`; whole, or not under that name. */
static bool copy_file(const char *path, const char *copy, int64_t n)
{
    char part[ATTIC_PATH_LEN + 64];
    const int in = open(path, O_RDONLY | O_CLOEXEC);
    bool ok;
    int out;

    if (in < 0)
        return false;
    (void)snprintf(part, sizeof(part), "%s.part", copy);
    out = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ok = out >= 0 && copy_bytes(in, out, n);
    (void)close(in);
    if (out >= 0)
        (void)close(out);
    return ok && rename(part, copy) == 0;
}

static int is_file(const struct dirent *d)
{
    return str_ends(d->d_name, SUFFIX) ? 1 : 0;
}

static bool mirror_file(const char *from, const char *to, const char *name)
{
    char path[ATTIC_PATH_LEN + 64];
    char copy[ATTIC_PATH_LEN + 32];
    struct stat st, there;

    (void)snprintf(path, sizeof(path), "%.*s/%.32s", ATTIC_PATH_LEN - 1, from, name);
    (void)snprintf(copy, sizeof(copy), "%.*s/%.24s", ATTIC_PATH_LEN - 1, to, name);
    if (stat(path, &st) != 0)
        return false;
    if (stat(copy, &there) == 0 && there.st_size >= st.st_size)
        return true; /* files only grow */
    return copy_file(path, copy, st.st_size);
}

enum err attic_file_mirror(const char *from, const char *to)
{
    struct dirent **list = NULL;
    const int n = scandir(from, &list, is_file, alphasort);
    enum err e = ERR_OK;

    if (n < 0)
        return errno == ENOENT ? ERR_OK : ERR_IO;
    if (mkdir(to, 0700) != 0 && errno != EEXIST)
        e = failed();
    for (int i = 0; i < n; i++) {
        if (e == ERR_OK && !mirror_file(from, to, list[i]->d_name))
            e = failed();
        free(list[i]); /* scandir's own */
    }
    free(list);
    if (e == ERR_OK && !durable_sync(to))
        e = failed();
    return e;
}
