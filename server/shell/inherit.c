/* SPDX-License-Identifier: ISC */
#include "server/shell/inherit.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/str.h"

static bool is_listener(int fd)
{
    int on = 0;
    socklen_t len = sizeof(on);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) == 0 && on != 0;
}

static enum err take_sockets(struct inherit *in, int64_t n, char why[INHERIT_WHY_LEN])
{
    for (int64_t i = 0; i < n; i++) {
        const int fd = INHERIT_FIRST + (int)i;

        if (!is_listener(fd)) {
            (void)snprintf(why, INHERIT_WHY_LEN,
                           "descriptor %d, which this process was given, is no listening socket",
                           fd);
            return ERR_PARAMS;
        }
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        in->fd[in->n++] = fd;
    }
    return ERR_OK;
}

/* Is `fd` a descriptor at all? Then it isn't for our own children. */
static bool own(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

static bool number(char **rest, int64_t min, int64_t max, int64_t *out)
{
    const char *word = str_word(rest);

    return word != NULL && str_to_int(word, min, max, out);
}

static enum err from_predecessor(struct inherit *in, const char *text, char why[INHERIT_WHY_LEN])
{
    char words[64];
    char *rest = words;
    int64_t n, parent, lock;
    const bool ok = str_copy(words, sizeof(words), text) && number(&rest, 0, INHERIT_MAX, &n) &&
                    number(&rest, INHERIT_FIRST, INT16_MAX, &parent) &&
                    number(&rest, -1, INT16_MAX, &lock);

    (void)unsetenv(INHERIT_VAR);
    if (!ok || !own((int)parent) || (lock >= 0 && !own((int)lock))) {
        (void)snprintf(why, INHERIT_WHY_LEN,
                       INHERIT_VAR " is a skirmishd's word to another, and "
                                   "not to be set by hand");
        return ERR_PARAMS;
    }
    in->parent = (int)parent;
    in->lock = (int)lock;
    return take_sockets(in, n, why);
}

static enum err from_manager(struct inherit *in, char why[INHERIT_WHY_LEN])
{
    const char *count = getenv("LISTEN_FDS");
    const char *pid = getenv("LISTEN_PID");
    enum err e = ERR_OK;
    int64_t n, whose;

    if (count != NULL && pid != NULL && str_to_int(pid, 1, INT32_MAX, &whose) &&
        whose == getpid()) {
        if (str_to_int(count, 0, INHERIT_MAX, &n)) {
            e = take_sockets(in, n, why);
        } else {
            (void)snprintf(why, INHERIT_WHY_LEN, "LISTEN_FDS=%.20s: at most %d sockets", count,
                           INHERIT_MAX);
            e = ERR_PARAMS;
        }
    }
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDNAMES");
    return e;
}

enum err inherit_take(struct inherit *in, char why[INHERIT_WHY_LEN])
{
    const char *text = getenv(INHERIT_VAR);

    *in = (struct inherit){.lock = -1, .parent = -1};
    return text != NULL ? from_predecessor(in, text, why) : from_manager(in, why);
}

/* Address and port of `sa` for comparing; IPv4 in its IPv6 form. */
static bool endpoint(const struct sockaddr_storage *sa, struct in6_addr *addr, uint16_t *port)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (sa->ss_family == AF_INET6) {
        memcpy(&v6, sa, sizeof(v6));
        *addr = v6.sin6_addr;
        *port = ntohs(v6.sin6_port);
        return true;
    }
    if (sa->ss_family != AF_INET)
        return false;
    memcpy(&v4, sa, sizeof(v4));
    memset(addr, 0, sizeof(*addr));
    addr->s6_addr[10] = addr->s6_addr[11] = 0xff;
    memcpy(addr->s6_addr + 12, &v4.sin_addr, sizeof(v4.sin_addr));
    *port = ntohs(v4.sin_port);
    return true;
}

static bool is_bound(int fd, const struct in6_addr *addr, uint16_t port)
{
    struct sockaddr_storage sa = {0};
    socklen_t len = sizeof(sa);
    struct in6_addr has;
    uint16_t at;

    return getsockname(fd, (struct sockaddr *)&sa, &len) == 0 && endpoint(&sa, &has, &at) &&
           memcmp(&has, addr, sizeof(has)) == 0 && (port == 0 || port == at);
}

int inherit_find(struct inherit *in, const char *host, uint16_t port)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct sockaddr_storage sa = {0};
    struct addrinfo *found = NULL;
    struct in6_addr addr;
    uint16_t none;

    if (in->n == 0 || getaddrinfo(host, NULL, &hints, &found) != 0)
        return -1;
    memcpy(&sa, found->ai_addr, MIN(sizeof(sa), (size_t)found->ai_addrlen));
    freeaddrinfo(found);
    if (!endpoint(&sa, &addr, &none))
        return -1;
    for (size_t i = 0; i < in->n; i++) {
        const int fd = in->fd[i];

        if (fd < 0 || !is_bound(fd, &addr, port))
            continue;
        in->fd[i] = -1;
        return fd;
    }
    return -1;
}

int inherit_next(struct inherit *in)
{
    for (size_t i = 0; i < in->n; i++) {
        const int fd = in->fd[i];

        in->fd[i] = -1;
        if (fd >= 0)
            return fd;
    }
    return -1;
}

void inherit_close(struct inherit *in)
{
    int fd;

    while ((fd = inherit_next(in)) >= 0)
        (void)close(fd);
    if (in->parent >= 0)
        (void)close(in->parent);
    in->parent = -1;
}

/* ---- words between two processes: a line each ---- */

void inherit_say(const struct inherit *in, const char *word)
{
    char line[32];

    (void)snprintf(line, sizeof(line), "%s\n", word);
    if (in->parent >= 0) /* who has gone doesn't hear */
        (void)send(in->parent, line, strlen(line), MSG_NOSIGNAL);
}

bool inherit_hear(const struct inherit *in, const char *word)
{
    char line[32];
    size_t len = 0;

    while (len + 1 < sizeof(line)) {
        const ssize_t n = read(in->parent, line + len, 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        if (line[len] == '\n')
            break;
        len++;
    }
    line[len] = '\0';
    return str_eq(line, word);
}
