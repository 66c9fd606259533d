/* SPDX-License-Identifier: ISC */
#include "server/shell/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/str.h"
#include "server/shell/inherit.h"

enum { LOOK_MS = 20, TEXT_LEN = 80 }; /* how often a child's end is looked for */

/* Signals that the server hears, and its starter doesn't. */
static const int ours[] = {SIGINT, SIGHUP, SIGUSR2};

struct order {
    int32_t kill; /* else start */
    int32_t n;
    char variable[TEXT_LEN];
};
union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(STARTER_FDS * sizeof(int))];
};

/* A new program will stand where this one was started from. */
static void find_program(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);

    out[n > 0 ? n : 0] = '\0';
}

/* ---- the starter's side ---- */

/* What a start needs, kept from before. */
struct job {
    const char *program;
    char **argv;
    int fd;      /* to the server */
    pid_t child; /* 0: none */
};

static void say(const struct job *j, enum starter_what what, int value)
{
    const struct starter_word w = {(int32_t)what, value};

    (void)send(j->fd, &w, sizeof(w), MSG_NOSIGNAL);
}

/* In the child: descriptors in their places, then the program. Returns errno. */
static int become(const struct job *j, const struct order *o, int *fd)
{
    char variable[TEXT_LEN];
    char *value;

    for (int32_t i = 0; i < o->n; i++) { /* first out of the way of those to be filled */
        fd[i] = fcntl(fd[i], F_DUPFD_CLOEXEC, INHERIT_FIRST + STARTER_FDS);
        if (fd[i] < 0)
            return errno;
    }
    for (int32_t i = 0; i < o->n; i++) {
        if (dup2(fd[i], INHERIT_FIRST + i) < 0)
            return errno;
    }
    (void)str_copy(variable, sizeof(variable), o->variable);
    value = strchr(variable, '=');
    if (value != NULL) {
        *value = '\0';
        (void)setenv(variable, value + 1, 1);
    }
    (void)unsetenv("WATCHDOG_PID"); /* names the old server */
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        (void)signal(ours[i], SIG_DFL);
    (void)execv(j->program, j->argv);
    return errno;
}

static void start(struct job *j, const struct order *o, int *fd)
{
    int failed[2]; /* closed by a successful exec */
    int why = 0;

    if (pipe2(failed, O_CLOEXEC) != 0) {
        say(j, STARTER_FAILED, errno);
        return;
    }
    j->child = fork();
    if (j->child == 0) {
        why = become(j, o, fd);
        (void)!write(failed[1], &why, sizeof(why));
        _exit(127);
    }
    (void)close(failed[1]);
    if (j->child < 0) {
        why = errno;
        j->child = 0;
    } else if (read(failed[0], &why, sizeof(why)) == (ssize_t)sizeof(why)) {
        (void)waitpid(j->child, NULL, 0);
        j->child = 0;
    }
    (void)close(failed[0]);
    say(j, why != 0 ? STARTER_FAILED : STARTER_BEGUN, why != 0 ? why : j->child);
}

static void look_for_end(struct job *j)
{
    int status = 0;

    if (j->child == 0 || waitpid(j->child, &status, WNOHANG) != j->child)
        return;
    j->child = 0;
    say(j, STARTER_ENDED, status);
}

/* The descriptors that came along; how many. */
static int32_t take_fds(struct msghdr *m, int fd[STARTER_FDS])
{
    int32_t n = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
        const size_t len = c->cmsg_len - CMSG_LEN(0);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        memcpy(fd, CMSG_DATA(c), MIN(len, STARTER_FDS * sizeof(int)));
        n = (int32_t)MIN(len / sizeof(int), (size_t)STARTER_FDS);
    }
    return n;
}

/* One order of the server's; false: it has gone. */
static bool obey(struct job *j)
{
    struct order o = {0};
    union control control = {0};
    struct iovec iov = {&o, sizeof(o)};
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    int fd[STARTER_FDS];
    const ssize_t got = recvmsg(j->fd, &m, MSG_CMSG_CLOEXEC);

    if (got < 0 && errno == EINTR)
        return true;
    if (got != (ssize_t)sizeof(o))
        return false;
    o.variable[TEXT_LEN - 1] = '\0';
    o.n = take_fds(&m, fd);
    if (o.kill != 0 && j->child != 0)
        (void)kill(j->child, SIGKILL);
    else if (o.kill == 0 && j->child == 0)
        start(j, &o, fd);
    for (int32_t i = 0; i < o.n; i++)
        (void)close(fd[i]);
    return true;
}

NORETURN static void run(struct job *j)
{
    struct pollfd p = {.fd = j->fd, .events = POLLIN};

    (void)prctl(PR_SET_NAME, "skirmish-start");
    for (size_t i = 0; i < ARRAY_LEN(ours); i++) /* a terminal's Ctrl-C is the server's affair */
        (void)signal(ours[i], SIG_IGN);
    for (;;) {
        if (poll(&p, 1, j->child != 0 ? LOOK_MS : -1) > 0 && !obey(j))
            _exit(0);
        look_for_end(j);
    }
}

/* ---- the server's side ---- */

enum err starter_open(struct starter *s, char **argv)
{
    char program[4096];
    int pair[2];
    pid_t pid;

    s->fd = -1;
    find_program(program, sizeof(program));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return ERR_IO;
    pid = fork();
    if (pid == 0) {
        struct job j = {.program = program, .argv = argv, .fd = pair[1]};

        (void)close(pair[0]);
        run(&j);
    }
    (void)close(pair[1]);
    if (pid < 0) {
        (void)close(pair[0]);
        return ERR_IO;
    }
    s->fd = pair[0];
    return ERR_OK;
}

static bool send_order(const struct starter *s, const struct order *o, const int *fd)
{
    struct order copy = *o;
    union control control = {0};
    struct iovec iov = {&copy, sizeof(copy)};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    const size_t bytes = (size_t)o->n * sizeof(int);

    if (o->n > 0) {
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE(bytes);
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(&control.head), fd, bytes);
    }
    return sendmsg(s->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(copy);
}

bool starter_start(const struct starter *s, const int *fd, size_t n, const char *variable)
{
    struct order o = {.n = (int32_t)n};

    CHECK(n <= STARTER_FDS && str_copy(o.variable, sizeof(o.variable), variable));
    return s->fd >= 0 && send_order(s, &o, fd);
}

void starter_kill(const struct starter *s)
{
    const struct order o = {.kill = 1};

    (void)send_order(s, &o, NULL); /* gone: then so is what it started, or nobody's */
}

bool starter_hear(const struct starter *s, struct starter_word *out)
{
    const ssize_t n = recv(s->fd, out, sizeof(*out), MSG_DONTWAIT);

    if (n == (ssize_t)sizeof(*out))
        return true;
    *out = (struct starter_word){STARTER_GONE, 0};
    return n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void starter_close(struct starter *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}
