/* SPDX-License-Identifier: ISC
 * baddisk.c -- a disk that fails under the real server: preloaded with LD_PRELOAD.
 *
 * The file that SK_BADDISK names is mapped and shared with the test, which writes there what is to
 * fail; see struct order. Files whose name has "skirmish.db" in it are hit, no others.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault {
    FAULT_NONE,
    FAULT_FULL,      /* writes: no room, from the `after`-th on; the first leaves its first half */
    FAULT_WRITE_EIO, /* writes: I/O error */
    FAULT_TORN,      /* writes: the first half, then I/O error */
    FAULT_SYNC_EIO,  /* syncs: I/O error */
    FAULT_WRITE_DIE, /* the write's first half, then SIGKILL */
    FAULT_SYNC_DIE   /* SIGKILL instead of the sync */
};

struct order {
    _Atomic uint32_t fault; /* enum fault */
    _Atomic uint32_t after; /* such calls that still succeed */
    _Atomic uint32_t hits;  /* calls failed */
    _Atomic uint32_t calls; /* writes and syncs of these files, failed or not */
};

/* Weakly ordered on purpose: the test changes it while the server rests. */
static struct order *order;

__attribute__((constructor)) static void map_order(void)
{
    const char *path = getenv("SK_BADDISK");
    const int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *p;

    if (fd < 0)
        return;
    p = mmap(NULL, sizeof(*order), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED)
        order = p;
    (void)close(fd);
}

static int is_ours(int fd)
{
    char link[64];
    char path[4096];
    ssize_t n;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    if (n <= 0)
        return 0;
    path[n] = '\0';
    return strstr(path, "skirmish.db") != NULL;
}

/* The fault that hits this call, or FAULT_NONE. */
static enum fault fault_of(int fd, int is_sync)
{
    enum fault f;

    if (order == NULL || !is_ours(fd))
        return FAULT_NONE;
    order->calls++;
    f = (enum fault)order->fault;
    if (f == FAULT_NONE || is_sync != (f == FAULT_SYNC_EIO || f == FAULT_SYNC_DIE))
        return FAULT_NONE;
    if (order->after > 0) {
        order->after--;
        return FAULT_NONE;
    }
    order->hits++;
    return f;
}

static ssize_t real_write(int fd, const void *p, size_t n, off_t at)
{
    return syscall(SYS_pwrite64, fd, p, n, at);
}

static ssize_t fail(int code)
{
    errno = code;
    return -1;
}

static ssize_t bad_write(int fd, const void *p, size_t n, off_t at)
{
    switch (fault_of(fd, 0)) {
    case FAULT_NONE:
    case FAULT_SYNC_EIO:
    case FAULT_SYNC_DIE:
        return real_write(fd, p, n, at);
    case FAULT_FULL:
        if (order->hits == 1 && n > 1)
            return real_write(fd, p, n / 2, at);
        return fail(ENOSPC);
    case FAULT_WRITE_EIO:
        return fail(EIO);
    case FAULT_TORN:
        (void)real_write(fd, p, n / 2, at);
        return fail(EIO);
    case FAULT_WRITE_DIE:
        (void)real_write(fd, p, n / 2, at);
        (void)raise(SIGKILL);
        break;
    }
    return fail(EIO);
}

static int bad_sync(int fd, long call)
{
    switch (fault_of(fd, 1)) {
    case FAULT_SYNC_EIO:
        return (int)fail(EIO);
    case FAULT_SYNC_DIE:
        (void)raise(SIGKILL);
        break;
    case FAULT_NONE:
    case FAULT_FULL:
    case FAULT_WRITE_EIO:
    case FAULT_TORN:
    case FAULT_WRITE_DIE:
        break;
    }
    return (int)syscall(call, fd);
}

/* What SQLite calls, whatever it was compiled with. */
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return bad_write(fd, p, n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    return bad_write(fd, p, n, at);
}

int fdatasync(int fd)
{
    return bad_sync(fd, SYS_fdatasync);
}

int fsync(int fd)
{
    return bad_sync(fd, SYS_fsync);
}
