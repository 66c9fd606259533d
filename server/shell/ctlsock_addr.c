/* SPDX-License-Identifier: ISC
 * ctlsock_addr.c -- what both ends need: users' names, and addresses of UNIX sockets in directories
 * however deep. A sockaddr has room for 107 bytes; a longer path goes by the directory's descriptor.
 */
#include "server/shell/ctlsock_addr.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/str.h"
#include "server/shell/ctlsock.h"

enum { PATH_LEN = 4200 };

bool ctlsock_addr(const char *path, struct sockaddr_un *out, int *dir)
{
    char copy[PATH_LEN];
    char name[PATH_LEN];
    int n;

    *dir = -1;
    memset(out, 0, sizeof(*out));
    out->sun_family = AF_UNIX;
    if (str_copy(out->sun_path, sizeof(out->sun_path), path))
        return true;
    if (!str_copy(copy, sizeof(copy), path) || !str_copy(name, sizeof(name), path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    *dir = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*dir < 0)
        return false;
    n = snprintf(out->sun_path, sizeof(out->sun_path), "/proc/self/fd/%d/%s", *dir, basename(name));
    if (n > 0 && n < (int)sizeof(out->sun_path))
        return true;
    (void)close(*dir);
    *dir = -1;
    errno = ENAMETOOLONG;
    return false;
}

void ctlsock_name(unsigned uid, char who[CTLSOCK_WHO_LEN])
{
    struct passwd pw;
    struct passwd *found = NULL;
    char room[4096];

    if (getpwuid_r(uid, &pw, room, sizeof(room), &found) != 0 || found == NULL ||
        !str_copy(who, CTLSOCK_WHO_LEN, pw.pw_name))
        (void)snprintf(who, CTLSOCK_WHO_LEN, "uid %u", uid);
}

enum err ctlsock_connect(const char *path, int *fd, char why[CTLSOCK_WHY_LEN])
{
    struct sockaddr_un addr;
    int dir = -1;
    int e = 0;

    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || !ctlsock_addr(path, &addr, &dir) ||
        connect(*fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0)
        e = errno;
    if (dir >= 0)
        (void)close(dir);
    if (e == 0)
        return ERR_OK;
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
    if (e == ENOENT || e == ECONNREFUSED || e == ENOTDIR) {
        (void)snprintf(why, CTLSOCK_WHY_LEN, "no server at %.4200s", path);
        return ERR_NOT_FOUND;
    }
    (void)snprintf(why, CTLSOCK_WHY_LEN, "%.4200s: %s", path, strerror(e));
    return e == EACCES || e == EPERM ? ERR_DENIED : ERR_IO;
}
