/* SPDX-License-Identifier: ISC */
#include "server/shell/notify.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/str.h"

void notify_send(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    size_t len;
    int fd;

    if (path == NULL || (path[0] != '/' && path[0] != '@'))
        return;
    len = strlen(path);
    if (!str_copy(sa.sun_path, sizeof(sa.sun_path), path))
        return;
    if (sa.sun_path[0] == '@')
        sa.sun_path[0] = '\0'; /* an abstract name */
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&sa,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    (void)close(fd);
}

int64_t notify_watchdog_ms(void)
{
    const char *usec = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    int64_t us, whose;

    if (usec == NULL || !str_to_int(usec, 1, INT64_MAX, &us))
        return 0;
    if (pid != NULL && (!str_to_int(pid, 1, INT32_MAX, &whose) || whose != getpid()))
        return 0;
    return MAX(us / 1000, (int64_t)2);
}
