/* SPDX-License-Identifier: ISC
 * conn.c -- connections of the load client, and the clock and CPU meters.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/bench/load/load.h"

enum { FILL_BYTES = 65536, PER_SOURCE = 12000, CPU_PATIENCE_NS = 20000000 };

void fail(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)fprintf(stderr, "load: ");
    (void)vfprintf(stderr, fmt, ap);
    (void)fprintf(stderr, "\n");
    va_end(ap);
    exit(1);
}

/* ---- life ---- */

static struct sockaddr_in loopback(uint32_t host, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

    a.sin_addr.s_addr = htonl((127U << 24) + host);
    return a;
}

static void start_tls(struct load *l, struct link *k)
{
    int rc;

    if (l->tls == NULL) {
        l->tls = SSL_CTX_new(TLS_client_method());
        if (l->tls == NULL)
            fail("no TLS");
        SSL_CTX_set_verify(l->tls, SSL_VERIFY_NONE, NULL);
        (void)SSL_CTX_set_session_cache_mode(l->tls, SSL_SESS_CACHE_OFF);
    }
    k->ssl = SSL_new(l->tls);
    if (k->ssl == NULL || SSL_set_fd(k->ssl, k->fd) != 1)
        fail("no TLS connection");
    while ((rc = SSL_connect(k->ssl)) != 1) {
        const int why = SSL_get_error(k->ssl, rc);
        struct pollfd p = {.fd = k->fd, .events = why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN};

        if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE)
            fail("TLS handshake: error %d", why);
        (void)poll(&p, 1, 5000);
    }
}

void link_open(struct load *l, struct link *k, unsigned i, bool tls)
{
    const struct sockaddr_in from = loopback(2 + i / PER_SOURCE, 0);
    const struct sockaddr_in to = loopback(1, l->port);
    const int on = 1;

    *k = (struct link){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (k->fd < 0 || setsockopt(k->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on)) != 0 ||
        bind(k->fd, (const struct sockaddr *)&from, sizeof(from)) != 0 ||
        connect(k->fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
        fail("connection %u to port %d: errno %d", i, l->port, errno);
    (void)setsockopt(k->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (fcntl(k->fd, F_SETFL, O_NONBLOCK) != 0)
        fail("a socket that blocks");
    if (tls)
        start_tls(l, k);
}

void link_close(struct link *k)
{
    SSL_free(k->ssl);
    (void)close(k->fd);
    buf_fini(&k->in);
    *k = (struct link){.fd = -1};
}

void link_watch(struct load *l, const struct link *k, uint32_t tag)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u32 = tag};

    if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, k->fd, &ev) != 0)
        fail("epoll: errno %d", errno);
}

/* ---- bytes ---- */

size_t link_read(struct link *k, char *at, size_t room)
{
    ssize_t n;

    if (k->ssl != NULL) {
        const int got = SSL_read(k->ssl, at, (int)room);

        if (got <= 0 && SSL_get_error(k->ssl, got) == SSL_ERROR_WANT_READ)
            return 0;
        n = got;
    } else {
        n = recv(k->fd, at, room, 0);
        if (n < 0 && errno == EAGAIN)
            return 0;
    }
    if (n <= 0)
        fail("the server has closed a connection (%zd)", n);
    return (size_t)n;
}

size_t link_fill(struct link *k)
{
    size_t n;

    if (k->used > 0) {
        buf_consume(&k->in, k->used);
        k->used = 0;
    }
    n = link_read(k, buf_room(&k->in, FILL_BYTES), FILL_BYTES);
    k->in.len += n;
    return n;
}

char *link_line(struct link *k)
{
    char *from, *end;

    if (k->in.len == k->used)
        return NULL; /* there may be no data at all */
    from = k->in.data + k->used;
    end = memchr(from, '\n', k->in.len - k->used);
    if (end == NULL)
        return NULL;
    *end = '\0';
    k->used = (size_t)(end + 1 - k->in.data);
    return from;
}

char *link_wait_line(struct link *k)
{
    char *line;

    while ((line = link_line(k)) == NULL) {
        struct pollfd p = {.fd = k->fd, .events = POLLIN};

        if (link_fill(k) == 0 && poll(&p, 1, 30000) == 0)
            fail("no answer in 30 s");
    }
    return line;
}

void link_send(struct link *k, const char *data, size_t len)
{
    while (len > 0) {
        const ssize_t n = k->ssl != NULL ? SSL_write(k->ssl, data, (int)len)
                                         : send(k->fd, data, len, MSG_NOSIGNAL);
        struct pollfd p = {.fd = k->fd, .events = POLLOUT};

        if (n > 0) {
            data += n;
            len -= (size_t)n;
        } else if (poll(&p, 1, 30000) == 0) {
            fail("the server doesn't read");
        } else if (k->ssl == NULL && errno != EAGAIN) {
            fail("send: errno %d", errno);
        }
    }
}

void link_print(struct link *k, const char *fmt, ...)
{
    struct buf b = BUF_EMPTY;
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    link_send(k, b.data, b.len);
    buf_fini(&b);
}

/* ---- what skirmishd says ---- */

char *link_answer(struct link *k, int64_t id)
{
    static const char front[] = "{\"jsonrpc\":\"2.0\",\"id\":";
    char *line;

    do {
        line = link_wait_line(k);
    } while (strncmp(line, front, sizeof(front) - 1) != 0 || text_int(line, "\"id\":") != id);
    if (strstr(line, "\"result\":") == NULL)
        fail("refused: %s", line);
    return line;
}

void link_guest(struct link *k)
{
    link_print(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":"
                  "{\"protocol\":1,\"client\":\"bench\"}}\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\"}\n");
    (void)link_answer(k, 1);
    (void)link_answer(k, 2);
}

void text_member(const char *from, const char *name, char *out, size_t size)
{
    const char *at = strstr(from, name);
    size_t n = 0;

    if (at == NULL)
        fail("no %s in %s", name, from);
    at += strlen(name);
    while (at[n] != '"' && at[n] != '\0' && n + 1 < size)
        n++;
    memcpy(out, at, n);
    out[n] = '\0';
}

int64_t text_int(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);

    return at != NULL ? strtoll(at + strlen(mark), NULL, 10) : -1;
}

/* ---- meters ---- */

uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t read_number(const char *path)
{
    char text[64] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;

    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        (void)close(fd);
    }
    text[MAX(n, 0)] = '\0';
    return strtoull(text, NULL, 10);
}

/* Does a thread of it run, or want to? */
static bool is_running(const char *task)
{
    char file[160], text[256] = "";
    const char *end;
    ssize_t n = 0;
    int fd;

    (void)snprintf(file, sizeof(file), "%s/stat", task);
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        (void)close(fd);
    }
    text[MAX(n, 0)] = '\0';
    end = strrchr(text, ')'); /* the name is in brackets, and may have some itself */
    return end != NULL && end[1] != '\0' && end[2] == 'R';
}

/* Sum of its threads' CPU time; *busy: one of them runs, so that its last slice isn't in it. */
static uint64_t sum_ns(int pid, bool *busy)
{
    char path[64];
    uint64_t sum = 0;
    DIR *dir;
    const struct dirent *e;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    dir = opendir(path);
    if (dir == NULL)
        fail("no process %d", pid);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) ; one thread */
    while ((e = readdir(dir)) != NULL) {
        char task[96], file[128];

        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(task, sizeof(task), "%s/%.20s", path, e->d_name);
        (void)snprintf(file, sizeof(file), "%s/schedstat", task);
        *busy = *busy || is_running(task);
        sum += read_number(file);
    }
    (void)closedir(dir);
    return sum;
}

uint64_t cpu_ns(int pid)
{
    const uint64_t late = now_ns() + CPU_PATIENCE_NS;
    uint64_t sum;
    bool busy;

    do {
        busy = false;
        sum = sum_ns(pid, &busy);
    } while (busy && now_ns() < late);
    return sum;
}

void window_sample(struct window *w, uint64_t began_ns)
{
    if (w->n_samples < SAMPLES_MAX)
        w->sample[w->n_samples++] = (uint32_t)MIN(now_ns() - began_ns, (uint64_t)UINT32_MAX);
}
