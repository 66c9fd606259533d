/* SPDX-License-Identifier: ISC
 * durable.c -- fsync by name. */
#include "server/shell/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool durable_sync(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int e;

    if (fd < 0)
        return false;
    e = fsync(fd) == 0 ? 0 : errno;
    (void)close(fd);
    errno = e;
    return e == 0;
}
