/* SPDX-License-Identifier: ISC
 * failing.so -- loaded before a program's libraries: the k-th allocation, or the k-th call that
 * writes to disk, fails.
 *
 * SK_FAIL: malloc or io. SK_FAIL_AT: k from 1; 0: none, only count. SK_FAIL_ONCE: set, the next one
 * works again; not set, all that follow fail. SK_FAIL_LOG: a file that the counts are written to
 * at a clean exit, "allocations writes".
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/base/util.h"

extern void *__libc_malloc(size_t);          /* NOLINT: glibc's own, under every wrapper */
extern void *__libc_calloc(size_t, size_t);  /* NOLINT */
extern void *__libc_realloc(void *, size_t); /* NOLINT */

static struct {
    atomic_ulong allocations, writes;
    unsigned long fail_allocation, fail_write; /* 0: none */
    bool once;
} f;

static bool is_up(atomic_ulong *count, unsigned long at)
{
    const unsigned long n = atomic_fetch_add(count, 1) + 1;

    return at != 0 && (f.once ? n == at : n >= at);
}

static bool write_fails(void)
{
    if (!is_up(&f.writes, f.fail_write))
        return false;
    errno = EIO;
    return true;
}

static bool allocation_fails(void)
{
    if (!is_up(&f.allocations, f.fail_allocation))
        return false;
    errno = ENOMEM;
    return true;
}

__attribute__((constructor)) static void begin(void)
{
    const char *what = getenv("SK_FAIL");
    const char *at = getenv("SK_FAIL_AT");
    unsigned long k = at != NULL ? strtoul(at, NULL, 10) : 0;

    f.once = getenv("SK_FAIL_ONCE") != NULL;
    if (what != NULL && strcmp(what, "malloc") == 0)
        f.fail_allocation = k;
    else
        f.fail_write = k;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SK_FAIL_LOG");
    char text[64];
    int n, fd;

    if (path == NULL)
        return;
    n = snprintf(text, sizeof(text), "%lu %lu\n", atomic_load(&f.allocations),
                 atomic_load(&f.writes));
    f.fail_write = 0;
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, text, (size_t)n) == n)
        (void)close(fd);
}

/* The libraries' functions, with the failure before them. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs are reserved words */

void *malloc(size_t n)
{
    return allocation_fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return allocation_fails() ? NULL : __libc_realloc(p, n);
}

#define NEXT(name, type)                                                                           \
    static type *next;                                                                             \
    if (next == NULL)                                                                              \
    *(void **)&next = dlsym(RTLD_NEXT, name)

typedef ssize_t pwrite_fn(int, const void *, size_t, off_t);
typedef int fd_fn(int);
typedef int truncate_fn(int, off_t);

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
    NEXT("pwrite", pwrite_fn);
    return write_fails() ? -1 : next(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
    NEXT("pwrite64", pwrite_fn);
    return write_fails() ? -1 : next(fd, data, n, at);
}

int fsync(int fd)
{
    NEXT("fsync", fd_fn);
    return write_fails() ? -1 : next(fd);
}

int fdatasync(int fd)
{
    NEXT("fdatasync", fd_fn);
    return write_fails() ? -1 : next(fd);
}

int ftruncate(int fd, off_t to)
{
    NEXT("ftruncate", truncate_fn);
    return write_fails() ? -1 : next(fd, to);
}

int ftruncate64(int fd, off64_t to)
{
    NEXT("ftruncate64", truncate_fn);
    return write_fails() ? -1 : next(fd, to);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
