/* SPDX-License-Identifier: ISC */
#include "server/shell/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/msg.h"

enum {
    PAUSE_MS = 1000,      /* before a bot is started again; doubled each time, */
    PAUSE_MAX_MS = 60000, /* up to this; */
    SOUND_MS = 120000     /* from the start when it has run for so long */
};

struct house_bot {
    char name[NAME_LEN + 1];
    const char *level;
    pid_t pid; /* 0: doesn't run */
    int64_t begun_ms, again_ms, pause_ms;
};

struct house {
    int fd, signals;
    pid_t self;
    char program[CONFIG_PATH_LEN + 16], state[CONFIG_PATH_LEN + 16];
    char url[CONFIG_HOST_LEN + 32]; /* "": not told yet */
    struct house_bot bot[KEEPER_BOTS_MAX];
    unsigned n;
};

/* ---- what is to run ---- */

static bool has_name(const struct house *h, const char *name)
{
    for (unsigned i = 0; i < h->n; i++) {
        if (str_ieq(h->bot[i].name, name))
            return true;
    }
    return false;
}

static bool add_bots(struct house *h, const char *level, const char *names,
                     char why[CONFIG_WHY_LEN])
{
    char list[CONFIG_TEXT_LEN];
    char *rest = list;
    const char *name;

    (void)str_copy(list, sizeof(list), names);
    while ((name = str_word(&rest)) != NULL) {
        if (!msg_name_ok(name)) {
            (void)snprintf(why, CONFIG_WHY_LEN,
                           "[bots] %s: %.40s: a name is 3 to 20 letters, digits, _ or -", level,
                           name);
            return false;
        }
        if (has_name(h, name) || h->n == KEEPER_BOTS_MAX) {
            (void)snprintf(why, CONFIG_WHY_LEN,
                           h->n == KEEPER_BOTS_MAX ? "[bots]: too many at %s: %.40s"
                                                   : "[bots] %s: %.40s is there twice",
                           level, name);
            return false;
        }
        (void)str_copy(h->bot[h->n].name, sizeof(h->bot[h->n].name), name);
        h->bot[h->n].level = level;
        h->bot[h->n++].pause_ms = PAUSE_MS;
    }
    return true;
}

static bool read_bots(struct house *h, const struct config *cfg, char why[CONFIG_WHY_LEN])
{
    return add_bots(h, "recruit", cfg->bots_recruit, why) &&
           add_bots(h, "sergeant", cfg->bots_sergeant, why) &&
           add_bots(h, "captain", cfg->bots_captain, why);
}

int keeper_check(const struct config *cfg, char why[CONFIG_WHY_LEN])
{
    struct house *h = mem_zalloc(sizeof(*h));
    const int n = read_bots(h, cfg, why) ? (int)h->n : -1;

    mem_free(h);
    return n;
}

/* The client beside this program, and a place for what it keeps. */
static void find_places(struct house *h, const struct config *cfg)
{
    ssize_t n;

    if (cfg->bots_program[0] != '\0') {
        (void)str_copy(h->program, sizeof(h->program), cfg->bots_program);
    } else {
        n = readlink("/proc/self/exe", h->program, CONFIG_PATH_LEN - 1);
        while (n > 0 && h->program[n - 1] != '/')
            n--;
        (void)str_copy(h->program + MAX(n, 0), 16, "skirmish");
    }
    if (cfg->store != CONFIG_STORE_MEMORY)
        (void)snprintf(h->state, sizeof(h->state), "%s/bots", cfg->data);
}

/* ---- processes ---- */

static int64_t now_ms(void)
{
    struct timespec t;

    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* In the child. */
NORETURN static void become(const struct house *h, const struct house_bot *b)
{
    char word[] = "bot", house[] = "--house", go_on[] = "--go-on", plain[] = "--plain";
    char name[] = "--name", level[] = "--level", is_name[NAME_LEN + 1], is_level[16];
    char program[sizeof(h->program)], url[sizeof(h->url)];
    char *argv[] = {program, word, url, house, go_on, plain, name, is_name, level, is_level, NULL};
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;

    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != h->self)
        _exit(0);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)str_copy(program, sizeof(program), h->program);
    (void)str_copy(url, sizeof(url), h->url);
    (void)str_copy(is_name, sizeof(is_name), b->name);
    (void)str_copy(is_level, sizeof(is_level), b->level);
    if (h->state[0] != '\0')
        (void)setenv("XDG_STATE_HOME", h->state, 1);
    (void)unsetenv("NOTIFY_SOCKET");
    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO); /* the server's has its listeners */
    }
    (void)execv(program, argv);
    (void)fprintf(stderr, "skirmishd: %s: %s\n", program, strerror(errno));
    _exit(127);
}

static void start(const struct house *h, struct house_bot *b)
{
    b->begun_ms = now_ms();
    b->pid = fork();
    if (b->pid == 0)
        become(h, b);
    if (b->pid > 0)
        return;
    b->pid = 0;
    b->again_ms = b->begun_ms + PAUSE_MAX_MS;
}

static void look_for_ends(struct house *h)
{
    for (unsigned i = 0; i < h->n; i++) {
        struct house_bot *b = &h->bot[i];
        const int64_t now = now_ms();

        if (b->pid == 0 || waitpid(b->pid, NULL, WNOHANG) != b->pid)
            continue;
        b->pid = 0;
        if (now - b->begun_ms >= SOUND_MS)
            b->pause_ms = PAUSE_MS;
        b->again_ms = now + b->pause_ms;
        b->pause_ms = MIN(b->pause_ms * 2, (int64_t)PAUSE_MAX_MS);
    }
}

/* Who is due; ms until the next one is, -1: nobody waits. */
static int start_due(struct house *h)
{
    int64_t wait = -1;

    for (unsigned i = 0; i < h->n && h->url[0] != '\0'; i++) {
        const int64_t left = h->bot[i].again_ms - now_ms();

        if (h->bot[i].pid == 0 && left <= 0)
            start(h, &h->bot[i]);
        if (h->bot[i].pid == 0 && (wait < 0 || left < wait))
            wait = MAX(left, INT64_C(1));
    }
    return (int)wait;
}

NORETURN static void end(struct house *h)
{
    for (unsigned i = 0; i < h->n; i++) {
        if (h->bot[i].pid > 0)
            (void)kill(h->bot[i].pid, SIGTERM);
    }
    for (unsigned i = 0; i < h->n; i++) { /* they obey */
        if (h->bot[i].pid > 0)
            (void)waitpid(h->bot[i].pid, NULL, 0);
    }
    _exit(0);
}

NORETURN static void run(struct house *h)
{
    struct pollfd p[2] = {{.fd = h->fd, .events = POLLIN}, {.fd = h->signals, .events = POLLIN}};
    struct signalfd_siginfo info;

    (void)prctl(PR_SET_NAME, "skirmish-bots");
    h->self = getpid();
    for (;;) {
        if (poll(p, ARRAY_LEN(p), start_due(h)) <= 0)
            continue;
        if (p[0].revents != 0) {
            const ssize_t n = recv(h->fd, h->url, sizeof(h->url) - 1, 0);

            if (n <= 0 && (n == 0 || errno != EINTR))
                end(h); /* the server has gone */
            h->url[MAX(n, 0)] = '\0';
        }
        if (p[1].revents != 0 && read(h->signals, &info, sizeof(info)) == sizeof(info)) {
            if (info.ssi_signo == SIGTERM)
                end(h);
            look_for_ends(h);
        }
    }
}

/* Ctrl-C is the server's affair, and so is what it is told to do by other signals. */
static int take_signals(void)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
    sigset_t set;

    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* ---- the server's side ---- */

enum err keeper_start(struct keeper *k, const struct config *cfg)
{
    char why[CONFIG_WHY_LEN];
    struct house *h;
    int pair[2];
    pid_t pid;

    k->fd = -1;
    if (keeper_check(cfg, why) <= 0)
        return ERR_OK;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return ERR_IO;
    pid = fork();
    if (pid == 0) {
        (void)close_range(3, (unsigned)pair[1] - 1, 0); /* what the server was given isn't ours */
        (void)close_range((unsigned)pair[1] + 1, UINT_MAX, 0);
        h = mem_zalloc(sizeof(*h));
        (void)read_bots(h, cfg, why);
        find_places(h, cfg);
        h->fd = pair[1];
        h->signals = take_signals();
        run(h);
    }
    (void)close(pair[1]);
    if (pid < 0) {
        (void)close(pair[0]);
        return ERR_IO;
    }
    k->fd = pair[0];
    return ERR_OK;
}

bool keeper_tell(struct keeper *k, const struct config *cfg)
{
    char url[CONFIG_HOST_LEN + 32];

    for (size_t i = 0; i < cfg->n_listen; i++) {
        const struct config_addr *a = &cfg->listen[i];
        const char *host = a->host;

        if (a->tls)
            continue;
        if (str_eq(host, "0.0.0.0"))
            host = "127.0.0.1";
        else if (str_eq(host, "::"))
            host = "::1";
        (void)snprintf(url, sizeof(url),
                       strchr(host, ':') != NULL ? "skirmish://[%s]:%u" : "skirmish://%s:%u", host,
                       a->port);
        return k->fd < 0 || send(k->fd, url, strlen(url), MSG_NOSIGNAL) > 0;
    }
    return k->fd < 0;
}

void keeper_close(struct keeper *k)
{
    if (k->fd >= 0)
        (void)close(k->fd);
    k->fd = -1;
}
