/* SPDX-License-Identifier: ISC */
#include "server/shell/ctlsock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/ctlsock_addr.h"

#define CTL_MAGIC 0x43746c73u /* "Ctls" */

enum { CONNS_MAX = 16, BACKLOG = 16, PATH_LEN = 4200 };

struct ctl_conn {
    uv_pipe_t pipe;
    unsigned magic;
    struct ctlsock *sock; /* NULL: the door is closed */
    uint64_t id;
    char who[CTLSOCK_WHO_LEN];
    struct buf in;
    bool asked; /* the answer is to come */
    bool eof;
    struct ctl_conn *next;
    char block[4096];
};
struct ctlsock {
    uv_poll_t poll;
    int fd;
    struct ctlsock_hooks hooks;
    char path[PATH_LEN];
    dev_t dev; /* of what stands at `path` and is ours */
    ino_t ino;
    uint64_t next_id;
    struct ctl_conn *conns;
    unsigned n_conns;
};
struct ctl_write {
    uv_write_t req;
    struct shared *line;
};

static struct ctl_conn *conn_of(void *p)
{
    struct ctl_conn *cn = p;

    CHECK(cn != NULL && cn->magic == CTL_MAGIC);
    return cn;
}

/* ---- a connection ---- */

static void on_conn_closed(uv_handle_t *handle)
{
    struct ctl_conn *cn = conn_of(handle->data);

    buf_fini(&cn->in);
    cn->magic = 0;
    mem_free(cn);
}

static void end(struct ctl_conn *cn)
{
    struct ctl_conn **at;

    if (uv_is_closing((const uv_handle_t *)&cn->pipe))
        return;
    if (cn->sock != NULL) {
        at = &cn->sock->conns;
        while (*at != cn)
            at = &(*at)->next;
        *at = cn->next;
        cn->sock->n_conns--;
        cn->sock = NULL;
    }
    uv_close((uv_handle_t *)&cn->pipe, on_conn_closed);
}

static void take_line(struct ctl_conn *cn);

static void on_written(uv_write_t *req, int status)
{
    struct ctl_write *w = req->data;
    struct ctl_conn *cn = conn_of(req->handle->data);

    shared_unref(w->line);
    mem_free(w);
    if (status != 0)
        end(cn);
    else
        take_line(cn); /* the next one, or the end */
}

/* Takes the reference. */
static void write_line(struct ctl_conn *cn, struct shared *line)
{
    struct ctl_write *w = mem_zalloc(sizeof(*w));
    const uv_buf_t buf = uv_buf_init(line->data, (unsigned)line->len);

    w->line = line;
    w->req.data = w;
    if (uv_write(&w->req, (uv_stream_t *)&cn->pipe, &buf, 1, on_written) == 0)
        return;
    shared_unref(line);
    mem_free(w);
    end(cn);
}

/* The next whole line to the owner, unless one is still to be answered. */
static void take_line(struct ctl_conn *cn)
{
    const char *nl = cn->in.len > 0 ? memchr(cn->in.data, '\n', cn->in.len) : NULL;
    char *line;
    size_t len;

    if (cn->asked || cn->sock == NULL)
        return;
    if (nl == NULL) {
        if (cn->in.len > CORE_ADMIN_LINE || cn->eof)
            end(cn);
        return;
    }
    len = (size_t)(nl - cn->in.data);
    line = mem_strndup(cn->in.data, len);
    buf_consume(&cn->in, len + 1);
    cn->asked = true;
    cn->sock->hooks.line(cn->sock->hooks.arg, cn->id, cn->who, line, len);
    mem_free(line);
}

static void on_alloc(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
    struct ctl_conn *cn = conn_of(handle->data);

    (void)wanted;
    *buf = uv_buf_init(cn->block, sizeof(cn->block));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct ctl_conn *cn = conn_of(stream->data);

    if (n == 0)
        return;
    if (n > 0) {
        buf_put(&cn->in, buf->base, (size_t)n);
        if (cn->in.len > (size_t)2 * CORE_ADMIN_LINE)
            end(cn);
        else
            take_line(cn);
        return;
    }
    cn->eof = true;
    (void)uv_read_stop(stream);
    if (n != UV_EOF)
        end(cn);
    else if (!cn->asked)
        take_line(cn);
}

/* ---- who comes ---- */

static void refuse(int fd, const char *reason, const char *words)
{
    char line[200];
    const int n = snprintf(line, sizeof(line),
                           "{\"error\":{\"reason\":\"%s\",\"message\":\"%s\"}}\n", reason, words);

    (void)send(fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)close(fd);
}

static void take(struct ctlsock *s, int fd, uid_t uid)
{
    struct ctl_conn *cn = mem_zalloc(sizeof(*cn));

    cn->magic = CTL_MAGIC;
    cn->sock = s;
    cn->id = s->next_id++;
    cn->next = s->conns;
    s->conns = cn;
    s->n_conns++;
    ctlsock_name(uid, cn->who);
    CHECK(uv_pipe_init(s->poll.loop, &cn->pipe, 0) == 0);
    cn->pipe.data = cn;
    if (uv_pipe_open(&cn->pipe, fd) != 0) {
        (void)close(fd);
        end(cn);
    } else if (uv_read_start((uv_stream_t *)&cn->pipe, on_alloc, on_read) != 0) {
        end(cn);
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct ctlsock *s = poll->data;
    struct ucred peer;
    socklen_t len = sizeof(peer);
    int fd;

    (void)status;
    (void)events;
    fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0) {
        refuse(fd, "auth", "who are you?");
    } else if (peer.uid != 0 && peer.uid != geteuid()) {
        LOG_WARN("admin.refused", "uid=%u pid=%d", (unsigned)peer.uid, (int)peer.pid);
        refuse(fd, "auth", "only root and the server's own user may do that");
    } else if (s->n_conns >= CONNS_MAX) {
        refuse(fd, "busy", "too many operators at once: try again");
    } else {
        take(s, fd, peer.uid);
    }
}

/* ---- life ---- */

/* Bound under another name first: at `path` there is always a whole socket, ours or the old one. */
static int bind_at(const char *path)
{
    char temp[PATH_LEN + 8];
    struct sockaddr_un addr;
    int dir = -1;
    int fd = -1;
    bool ok;

    (void)snprintf(temp, sizeof(temp), "%s.new", path);
    (void)unlink(temp);
    ok = ctlsock_addr(temp, &addr, &dir);
    if (ok)
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ok = ok && fd >= 0 && bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) == 0 &&
         chmod(temp, 0600) == 0 && listen(fd, BACKLOG) == 0 && rename(temp, path) == 0;
    if (!ok) {
        const int e = errno;

        (void)unlink(temp);
        if (fd >= 0)
            (void)close(fd);
        fd = -1;
        errno = e;
    }
    if (dir >= 0)
        (void)close(dir);
    return fd;
}

enum err ctlsock_open(uv_loop_t *loop, const char *path, const struct ctlsock_hooks *hooks,
                      struct ctlsock **out, char why[CTLSOCK_WHY_LEN])
{
    struct ctlsock *s = mem_zalloc(sizeof(*s));
    struct stat st;

    s->hooks = *hooks;
    s->next_id = 1;
    s->fd = -1;
    if (str_copy(s->path, sizeof(s->path), path))
        s->fd = bind_at(path);
    else
        errno = ENAMETOOLONG;
    if (s->fd < 0 || stat(path, &st) != 0) {
        (void)snprintf(why, CTLSOCK_WHY_LEN, "no operator's socket at %.4200s: %s", path,
                       strerror(errno));
        if (s->fd >= 0)
            (void)close(s->fd);
        mem_free(s);
        return ERR_IO;
    }
    s->dev = st.st_dev;
    s->ino = st.st_ino;
    CHECK(uv_poll_init(loop, &s->poll, s->fd) == 0);
    s->poll.data = s;
    CHECK(uv_poll_start(&s->poll, UV_READABLE, on_poll) == 0);
    *out = s;
    return ERR_OK;
}

void ctlsock_answer(struct ctlsock *s, uint64_t conn, struct shared *line)
{
    struct ctl_conn *cn = s->conns;

    while (cn != NULL && cn->id != conn)
        cn = cn->next;
    if (cn == NULL) {
        shared_unref(line);
        return;
    }
    cn->asked = false;
    write_line(cn, line);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct ctlsock *s = handle->data;

    (void)close(s->fd);
    mem_free(s);
}

void ctlsock_close(struct ctlsock *s)
{
    struct stat st;

    if (s == NULL)
        return;
    while (s->conns != NULL)
        end(s->conns);
    if (stat(s->path, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
        (void)unlink(s->path);
    uv_close((uv_handle_t *)&s->poll, on_poll_closed);
}
