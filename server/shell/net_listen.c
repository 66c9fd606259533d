/* SPDX-License-Identifier: ISC
 * Listeners. Accepting is done here and not by libuv, which hides it from its caller when the
 * process is out of descriptors.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "server/shell/net_impl.h"

/* Over the cap there is no session to say it, so the line stands here. */
static const char busy_line[] =
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":10,\"message\":\"the server is full, try "
    "later\",\"data\":{\"reason\":\"busy\"}}}\n";

/* ---- who is there ---- */

static struct sockaddr_in as_v4(const struct sockaddr_storage *sa)
{
    struct sockaddr_in in;

    memcpy(&in, sa, sizeof(in));
    return in;
}

static struct sockaddr_in6 as_v6(const struct sockaddr_storage *sa)
{
    struct sockaddr_in6 in;

    memcpy(&in, sa, sizeof(in));
    return in;
}

/* A socket that listens on :: may serve IPv4 too: such a peer is an IPv4 peer. */
static void unmap(struct sockaddr_storage *sa)
{
    const struct sockaddr_in6 v6 = as_v6(sa);
    struct sockaddr_in v4 = {.sin_family = AF_INET};

    if (sa->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
        return;
    v4.sin_port = v6.sin6_port;
    memcpy(&v4.sin_addr, v6.sin6_addr.s6_addr + 12, sizeof(v4.sin_addr));
    memcpy(sa, &v4, sizeof(v4));
}

static bool is_loopback(const struct sockaddr_storage *sa)
{
    const struct sockaddr_in6 v6 = as_v6(sa);

    if (sa->ss_family == AF_INET)
        return ntohl(as_v4(sa).sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

static void address_words(const struct sockaddr_storage *sa, char addr[INET6_ADDRSTRLEN])
{
    const struct sockaddr_in v4 = as_v4(sa);
    const struct sockaddr_in6 v6 = as_v6(sa);
    const void *bytes = &v6.sin6_addr;

    if (sa->ss_family == AF_INET)
        bytes = &v4.sin_addr;
    if (inet_ntop(sa->ss_family, bytes, addr, INET6_ADDRSTRLEN) == NULL)
        addr[0] = '\0';
}

/* ---- accepting ---- */

/* `plain`: it can be told why; to one that waits for a handshake that would only be noise. */
static void refuse(struct net *n, int fd, bool plain)
{
    struct peer *p = NULL;

    n->stats.refused++;
    if (!plain) {
        (void)close(fd);
        return;
    }
    if (n->n_busy >= NET_BUSY_MAX) {
        (void)send(fd, busy_line, sizeof(busy_line) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)close(fd);
        return;
    }
    p = peer_new(n, fd, true);
    if (p == NULL)
        return;
    out_push(p, shared_new(busy_line, sizeof(busy_line) - 1), false);
    net_close(n, p->id);
}

static void welcome(const struct listener *l, int fd, const struct sockaddr_storage *sa)
{
    struct net *n = l->net;
    char addr[INET6_ADDRSTRLEN];
    struct peer *p;
    int on = 1;

    if (n->n_peers - n->n_busy >= n->cfg.max_conns) {
        refuse(n, fd, l->tls == NULL);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    p = peer_new(n, fd, false);
    if (p == NULL)
        return;
    if (l->tls != NULL)
        p->tls = tls_conn_new(l->tls);
    n->stats.accepted++;
    address_words(sa, addr);
    peer_read(p); /* nothing comes before the loop's next turn */
    n->hooks.accepted(n->hooks.arg, p->id,
                      &(struct net_peer){addr, is_loopback(sa), l->tls != NULL});
}

/* No descriptor is left: give up the spare to tell one caller so. False: that failed too. */
static bool refuse_with_spare(struct net *n, const struct listener *l)
{
    int fd;

    if (n->spare < 0)
        return false;
    (void)close(n->spare);
    fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        n->stats.refused++;
        if (l->tls == NULL)
            (void)send(fd, busy_line, sizeof(busy_line) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)close(fd);
    }
    n->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0;
}

static void on_ready(uv_poll_t *poll, int status, int events);

static void on_rested(uv_handle_t *timer)
{
    mem_free(timer);
}

static void wake_listener(uv_timer_t *timer)
{
    struct net *n = timer->data;

    if (n->spare < 0)
        n->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (struct listener *l = n->listeners; l != NULL; l = l->next) {
        l->resting = false;
    }
    if (!n->held)
        listeners_poll(n, true);
    uv_close((uv_handle_t *)timer, on_rested);
}

void listeners_poll(struct net *n, bool on)
{
    for (struct listener *l = n->listeners; l != NULL; l = l->next) {
        if (!on)
            (void)uv_poll_stop(&l->poll); /* always 0 */
        else if (!l->resting)
            CHECK(uv_poll_start(&l->poll, UV_READABLE, on_ready) == 0);
    }
}

/* Nothing can be accepted now: look away for a moment instead of being called again at once. */
static void rest(struct listener *l)
{
    uv_timer_t *timer = mem_zalloc(sizeof(*timer));

    l->resting = true;
    CHECK(uv_poll_stop(&l->poll) == 0);
    CHECK(uv_timer_init(l->net->loop, timer) == 0);
    timer->data = l->net;
    CHECK(uv_timer_start(timer, wake_listener, NET_RETRY_MS, 0) == 0);
}

static bool accept_one(struct listener *l)
{
    struct sockaddr_storage sa = {0};
    socklen_t len = sizeof(sa);
    const int fd = accept4(l->fd, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd >= 0) {
        unmap(&sa);
        welcome(l, fd, &sa);
        return true;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return false;
    if (errno == EMFILE || errno == ENFILE) {
        if (refuse_with_spare(l->net, l))
            return true;
        LOG_WARN("net.accept", "err=%s", "no descriptor is left");
        rest(l);
        return false;
    }
    if (errno == ENOBUFS || errno == ENOMEM) {
        LOG_WARN("net.accept", "err=%s", strerror(errno));
        rest(l);
        return false;
    }
    return true; /* this one's own trouble: it hung up, or its network did */
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct listener *l = poll->data;

    (void)status; /* accept says it better */
    (void)events;
    for (int i = 0; i < NET_ACCEPTS && accept_one(l); i++)
        ;
}

/* ---- listening ---- */

static int open_listener(const struct addrinfo *ai)
{
    const int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    int saved;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (ai->ai_family == AF_INET6) /* so that 0.0.0.0 and :: can be listened on together */
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, NET_BACKLOG) == 0)
        return fd;
    saved = errno;
    (void)close(fd);
    errno = saved;
    return -1;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage sa = {0};
    socklen_t len = sizeof(sa);

    CHECK(getsockname(fd, (struct sockaddr *)&sa, &len) == 0);
    return ntohs(sa.ss_family == AF_INET ? as_v4(&sa).sin_port : as_v6(&sa).sin6_port);
}

static enum err why_not(const char *host, uint16_t port, char why[NET_WHY_LEN])
{
    switch (errno) {
    case EADDRINUSE:
        (void)snprintf(why, NET_WHY_LEN,
                       "port %u on %s is in use; stop what listens there, or choose another with "
                       "--listen HOST:PORT (port 0 takes a free one)",
                       port, host);
        return ERR_BUSY;
    case EACCES:
    case EPERM:
        (void)snprintf(why, NET_WHY_LEN,
                       "port %u on %s isn't allowed to this user; choose one above 1023", port,
                       host);
        return ERR_DENIED;
    case EADDRNOTAVAIL:
        (void)snprintf(why, NET_WHY_LEN, "%s is no address of this machine", host);
        return ERR_NOT_FOUND;
    default:
        (void)snprintf(why, NET_WHY_LEN, "can't listen on %s port %u: %s", host, port,
                       strerror(errno));
        return ERR_IO;
    }
}

void net_adopt(struct net *n, int fd, struct tls *tls)
{
    struct listener *l = mem_zalloc(sizeof(*l));

    l->net = n;
    l->tls = tls;
    l->fd = fd;
    CHECK(uv_poll_init(n->loop, &l->poll, fd) == 0);
    l->poll.data = l;
    CHECK(uv_poll_start(&l->poll, UV_READABLE, on_ready) == 0);
    l->next = n->listeners;
    n->listeners = l;
}

enum err net_listen(struct net *n, const char *host, uint16_t *port, struct tls *tls,
                    char why[NET_WHY_LEN])
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char service[8];
    int fd;

    (void)snprintf(service, sizeof(service), "%u", *port);
    if (getaddrinfo(host, service, &hints, &found) != 0) {
        (void)snprintf(why, NET_WHY_LEN, "there is no address for host %s", host);
        return ERR_NOT_FOUND;
    }
    fd = open_listener(found);
    freeaddrinfo(found);
    if (fd < 0)
        return why_not(host, *port, why);
    *port = port_of(fd);
    net_adopt(n, fd, tls);
    return ERR_OK;
}

enum err net_where(int fd, char host[NET_HOST_LEN], uint16_t *port)
{
    struct sockaddr_storage sa = {0};
    socklen_t len = sizeof(sa);

    if (getsockname(fd, (struct sockaddr *)&sa, &len) != 0 ||
        (sa.ss_family != AF_INET && sa.ss_family != AF_INET6))
        return ERR_IO;
    address_words(&sa, host);
    *port = port_of(fd);
    return ERR_OK;
}

size_t net_listeners(const struct net *n, int *fd, size_t max)
{
    size_t k = 0;

    for (const struct listener *l = n->listeners; l != NULL && k < max; l = l->next)
        fd[k++] = l->fd;
    return k;
}

static void on_listener_closed(uv_handle_t *handle)
{
    struct listener *l = handle->data;

    (void)close(l->fd);
    mem_free(l);
}

void net_stop_listening(struct net *n)
{
    while (n->listeners != NULL) {
        struct listener *l = n->listeners;

        n->listeners = l->next;
        uv_close((uv_handle_t *)&l->poll, on_listener_closed);
    }
}
