/* SPDX-License-Identifier: ISC */
#include "server/shell/metrics.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/config.h"

#define METRICS_MAGIC 0x4d657472u /* "Metr" */

enum { BACKLOG = 16, RETRY_MS = 200, DISCARD_MAX = 65536 };

union stream {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
};

/* One caller. Freed when both its handles are closed. */
struct caller {
    union stream s;
    uv_timer_t deadline;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct metrics *metrics;
    struct caller *next;
    struct buf answer;
    size_t len, discarded;
    unsigned open; /* handles */
    bool answered, closing;
    char request[METRICS_REQUEST_MAX];
    char spill[1024];
};

struct metrics {
    unsigned magic;
    uv_loop_t *loop;
    void (*page)(void *arg, struct buf *out);
    void *arg;
    union stream s;
    uv_timer_t retry;
    struct config_addr addr;
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)]; /* ""; TCP */
    struct caller *callers;
    unsigned n_callers;
    unsigned open; /* handles */
    bool listening, closing;
};

/* ---- callers ---- */

static void free_if_done(struct metrics *m)
{
    if (!m->closing || m->open > 0 || m->callers != NULL)
        return;
    m->magic = 0;
    mem_free(m);
}

static void on_caller_closed(uv_handle_t *handle)
{
    struct caller *c = handle->data;
    struct metrics *m = c->metrics;
    struct caller **at = &m->callers;

    c->open--;
    if (c->open > 0)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    m->n_callers--;
    buf_fini(&c->answer);
    mem_free(c);
    free_if_done(m);
}

static void end(struct caller *c)
{
    if (c->closing)
        return;
    c->closing = true;
    uv_close(&c->s.handle, on_caller_closed);
    uv_close((uv_handle_t *)&c->deadline, on_caller_closed);
}

static void on_deadline(uv_timer_t *timer)
{
    end(timer->data);
}

static void on_shut(uv_shutdown_t *req, int status)
{
    if (status != 0)
        end(req->data);
}

static void on_written(uv_write_t *req, int status)
{
    struct caller *c = req->data;

    if (c->closing)
        return;
    c->shutdown.data = c; /* its end of file is ours to close at; till then, the deadline */
    if (status != 0 || uv_shutdown(&c->shutdown, &c->s.stream, on_shut) != 0)
        end(c);
}

/* ---- HTTP ---- */

static void put_head(struct buf *out, const char *status, size_t len)
{
    buf_printf(out,
               "HTTP/1.0 %s\r\n"
               "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
               "Content-Length: %zu\r\n"
               "Connection: close\r\n"
               "\r\n",
               status, len);
}

static void answer_short(struct caller *c, const char *status)
{
    put_head(&c->answer, status, strlen(status) + 1);
    buf_printf(&c->answer, "%s\n", status);
}

static void answer_page(struct caller *c, bool body)
{
    struct buf page = BUF_EMPTY;

    c->metrics->page(c->metrics->arg, &page);
    put_head(&c->answer, "200 OK", page.len);
    if (body)
        buf_put(&c->answer, page.data, page.len);
    buf_fini(&page);
}

/* The first line of a request, cut into words. */
static void answer_request(struct caller *c, char *line)
{
    char *rest = line;
    const char *method = str_word(&rest);
    const char *target = str_word(&rest);
    const char *version = str_word(&rest);
    const bool get = method != NULL && str_eq(method, "GET");

    if (target == NULL || version == NULL || !str_starts(version, "HTTP/1."))
        answer_short(c, "400 Bad Request");
    else if (!get && !str_eq(method, "HEAD"))
        answer_short(c, "405 Method Not Allowed");
    else if (!str_eq(target, "/metrics"))
        answer_short(c, "404 Not Found");
    else
        answer_page(c, get);
}

static void send_answer(struct caller *c)
{
    uv_buf_t b = uv_buf_init(c->answer.data, (unsigned)c->answer.len);

    c->answered = true;
    c->write.data = c;
    if (uv_write(&c->write, &c->s.stream, &b, 1, on_written) != 0)
        end(c);
}

/* Answer once the head is whole, or can't become so. */
static void look_at_request(struct caller *c)
{
    char *line_end;

    c->request[c->len] = '\0';
    if (strlen(c->request) != c->len) {
        answer_short(c, "400 Bad Request");
    } else if (strstr(c->request, "\r\n\r\n") != NULL || strstr(c->request, "\n\n") != NULL) {
        line_end = c->request + strcspn(c->request, "\r\n");
        *line_end = '\0';
        answer_request(c, c->request);
    } else if (c->len == sizeof(c->request) - 1) {
        answer_short(c, "431 Request Header Fields Too Large");
    } else {
        return;
    }
    send_answer(c);
}

static void on_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
    struct caller *c = handle->data;

    (void)wanted;
    if (c->answered)
        *buf = uv_buf_init(c->spill, sizeof(c->spill));
    else
        *buf = uv_buf_init(c->request + c->len, (unsigned)(sizeof(c->request) - 1 - c->len));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct caller *c = stream->data;

    (void)buf;
    if (c->closing)
        return;
    if (n < 0) { /* also half a request, and no more to come */
        end(c);
    } else if (c->answered) {
        c->discarded += (size_t)n;
        if (c->discarded > DISCARD_MAX)
            end(c);
    } else if (n > 0) {
        c->len += (size_t)n;
        look_at_request(c);
    }
}

/* ---- listening ---- */

static void init_stream(const struct metrics *m, union stream *s, void *data)
{
    if (m->path[0] != '\0')
        CHECK(uv_pipe_init(m->loop, &s->pipe, 0) == 0);
    else
        CHECK(uv_tcp_init(m->loop, &s->tcp) == 0);
    s->handle.data = data;
}

static void on_caller(uv_stream_t *listener, int status)
{
    struct metrics *m = listener->data;
    struct caller *c;

    if (status != 0)
        return;
    c = mem_zalloc(sizeof(*c));
    c->metrics = m;
    c->next = m->callers;
    m->callers = c;
    m->n_callers++;
    c->open = 2;
    init_stream(m, &c->s, c);
    CHECK(uv_timer_init(m->loop, &c->deadline) == 0);
    c->deadline.data = c;
    if (uv_accept(listener, &c->s.stream) != 0 || m->n_callers > METRICS_PEERS_MAX) {
        end(c);
        return;
    }
    CHECK(uv_timer_start(&c->deadline, on_deadline, METRICS_DEADLINE_MS, 0) == 0);
    if (uv_read_start(&c->s.stream, on_alloc, on_read) != 0)
        end(c);
}

/* A socket that a server left behind when it was killed; one that somebody listens at stays. */
static void remove_stale(const char *path)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    struct stat st;
    int fd;

    if (lstat(path, &st) != 0 || !S_ISSOCK(st.st_mode) ||
        !str_copy(sa.sun_path, sizeof(sa.sun_path), path))
        return;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) != 0 && errno == ECONNREFUSED)
        (void)unlink(path);
    (void)close(fd);
}

/* libuv's error, 0: bound. */
static int bind_tcp(struct metrics *m)
{
    struct sockaddr_storage ss;
    int e = uv_ip4_addr(m->addr.host, m->addr.port, (struct sockaddr_in *)&ss);

    if (e != 0)
        e = uv_ip6_addr(m->addr.host, m->addr.port, (struct sockaddr_in6 *)&ss);
    return e != 0 ? e : uv_tcp_bind(&m->s.tcp, (const struct sockaddr *)&ss, 0);
}

static void say_where(const struct metrics *m)
{
    struct sockaddr_storage ss;
    int len = sizeof(ss);
    uint16_t port = m->addr.port;

    if (m->path[0] != '\0') {
        LOG_INFO("metrics.listen", "path=%s", m->path);
        return;
    }
    if (uv_tcp_getsockname(&m->s.tcp, (struct sockaddr *)&ss, &len) == 0)
        port = ntohs(ss.ss_family == AF_INET ? ((const struct sockaddr_in *)&ss)->sin_port
                                             : ((const struct sockaddr_in6 *)&ss)->sin6_port);
    LOG_INFO("metrics.listen", "host=%s port=%u", m->addr.host, port);
}

static void on_closed(uv_handle_t *handle)
{
    struct metrics *m = handle->data;

    m->open--;
    free_if_done(m);
}

/* A new handle, bound and listening; libuv's error, the handle closed again. */
static int try_listen(struct metrics *m)
{
    int e;

    init_stream(m, &m->s, m);
    m->open++;
    if (m->path[0] != '\0') {
        remove_stale(m->path);
        e = uv_pipe_bind(&m->s.pipe, m->path);
        if (e == 0 && chmod(m->path, 0600) != 0)
            e = uv_translate_sys_error(errno);
    } else {
        e = bind_tcp(m);
    }
    if (e == 0)
        e = uv_listen(&m->s.stream, BACKLOG, on_caller);
    m->listening = e == 0;
    if (e == 0)
        say_where(m);
    else
        uv_close(&m->s.handle, on_closed);
    return e;
}

static void on_retry(uv_timer_t *timer)
{
    struct metrics *m = timer->data;

    if (m->open > 1) /* the last try is still being closed */
        return;
    if (try_listen(m) == 0)
        CHECK(uv_timer_stop(timer) == 0);
}

enum err metrics_open(uv_loop_t *loop, const struct metrics_config *cfg, struct metrics **out,
                      char why[METRICS_WHY_LEN])
{
    struct metrics *m = mem_zalloc(sizeof(*m));
    int e;

    m->magic = METRICS_MAGIC;
    m->loop = loop;
    m->page = cfg->page;
    m->arg = cfg->arg;
    if (cfg->where[0] == '/')
        CHECK(str_copy(m->path, sizeof(m->path), cfg->where));
    else
        CHECK(config_parse_addr(cfg->where, &m->addr));
    CHECK(uv_timer_init(loop, &m->retry) == 0);
    m->retry.data = m;
    m->open = 1;
    *out = m;
    e = try_listen(m);
    if (e == 0)
        return ERR_OK;
    if (e == UV_EADDRINUSE && cfg->patient) {
        CHECK(uv_timer_start(&m->retry, on_retry, RETRY_MS, RETRY_MS) == 0);
        return ERR_OK;
    }
    (void)snprintf(why, METRICS_WHY_LEN, "metrics can't be served at %.200s: %s", cfg->where,
                   uv_strerror(e));
    metrics_close(m);
    *out = NULL;
    return e == UV_EADDRINUSE ? ERR_BUSY : ERR_IO;
}

void metrics_close(struct metrics *m)
{
    if (m == NULL)
        return;
    CHECK(m->magic == METRICS_MAGIC && !m->closing);
    m->closing = true;
    if (m->listening)
        uv_close(&m->s.handle, on_closed);
    uv_close((uv_handle_t *)&m->retry, on_closed);
    for (struct caller *c = m->callers; c != NULL; c = c->next)
        end(c);
}
