/* SPDX-License-Identifier: ISC
 * echo.c -- load echo: a line on each connection, the same again when its answer has come. Against
 * the reference servers, and as any request to skirmishd.
 * load storm: log in by password, go, come again, without end.
 * load disk: append 4 KiB and fdatasync.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/bench/load/load.h"

enum { READ_BYTES = 65536, EVENTS = 512, DISK_BYTES = 4096 };

struct echo {
    struct link *link;
    uint64_t *sent_ns; /* 0: not in flight */
    unsigned n;
    char *line; /* with its '\n' */
    size_t len;
    bool guest;
};

static void *echo_setup(struct load *l, char **arg)
{
    struct echo *e = mem_zalloc(sizeof(*e));
    const bool tls = strchr(arg[1], '+') != NULL;

    e->n = (unsigned)strtoul(arg[0], NULL, 10);
    e->guest = strncmp(arg[1], "guest", 5) == 0;
    e->len = strlen(arg[2]) + 1;
    e->line = mem_alloc(e->len + 1);
    (void)snprintf(e->line, e->len + 1, "%s\n", arg[2]);
    e->link = mem_array(e->n, sizeof(*e->link));
    e->sent_ns = mem_array(e->n, sizeof(*e->sent_ns));
    for (unsigned i = 0; i < e->n; i++) {
        link_open(l, &e->link[i], i, tls);
        if (e->guest)
            link_guest(&e->link[i]);
        buf_fini(&e->link[i].in);
        e->link[i].used = 0;
        link_watch(l, &e->link[i], i);
    }
    return e;
}

static void echo_send(struct echo *e, unsigned i)
{
    e->sent_ns[i] = now_ns();
    link_send(&e->link[i], e->line, e->len);
}

/* Whatever nobody waits for (a ping of the server's) is out of the way. */
static void settle(struct load *l, struct echo *e, int ms)
{
    struct epoll_event ev[EVENTS];
    char room[READ_BYTES];
    int n;

    while ((n = epoll_wait(l->epoll, ev, EVENTS, ms)) > 0)
        for (int i = 0; i < n; i++)
            (void)link_read(&e->link[ev[i].data.u32], room, sizeof(room));
}

static void echo_run(struct load *l, void *self, struct window *w)
{
    struct echo *e = self;
    const unsigned width = w->width != 0 ? MIN(w->width, e->n) : e->n;
    unsigned flying = width;
    struct epoll_event ev[EVENTS];
    char room[READ_BYTES];

    for (unsigned i = 0; i < width; i++)
        echo_send(e, i);
    while (flying > 0) {
        const int n = epoll_wait(l->epoll, ev, EVENTS, 0);

        for (int k = 0; k < n; k++) {
            const unsigned i = ev[k].data.u32;
            const size_t got = link_read(&e->link[i], room, sizeof(room));

            if (got == 0 || room[got - 1] != '\n' || e->sent_ns[i] == 0)
                continue;
            window_sample(w, e->sent_ns[i]);
            e->sent_ns[i] = 0;
            w->n++;
            w->bytes += got;
            if (now_ns() < w->until_ns)
                echo_send(e, i);
            else
                flying--;
        }
    }
}

static void echo_idle(struct load *l, void *self)
{
    struct echo *e = self;

    for (unsigned i = 0; e->guest && i < e->n; i++)
        link_send(&e->link[i], "\n", 1);
    settle(l, e, 0);
}

const struct kind kind_echo = {.name = "echo",
                               .usage = "N raw|raw+tls|guest|guest+tls LINE",
                               .args = 3,
                               .setup = echo_setup,
                               .run = echo_run,
                               .idle = echo_idle};

/* ---- logging in ---- */

struct storm {
    unsigned n, at;
    struct link *link;
};

static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":"
                            "{\"protocol\":1,\"client\":\"bench\"}}\n";

static void ask(struct link *k, int id, const char *method, unsigned user)
{
    link_print(k,
               "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"session.%s\",\"params\":{\"name\":"
               "\"storm%u\",\"password\":\"a long password %u\"}}\n",
               hello, id, method, user, user);
}

/* An account each. */
static void *storm_setup(struct load *l, char **arg)
{
    struct storm *s = mem_zalloc(sizeof(*s));

    s->n = (unsigned)strtoul(arg[0], NULL, 10);
    s->link = mem_array(s->n, sizeof(*s->link));
    for (unsigned i = 0; i < s->n; i++) {
        link_open(l, &s->link[i], i, false);
        ask(&s->link[i], 2, "register", i);
        (void)link_answer(&s->link[i], 2);
        link_close(&s->link[i]);
    }
    return s;
}

static void storm_begin(struct load *l, struct storm *s, unsigned i)
{
    link_open(l, &s->link[i], i, false);
    link_watch(l, &s->link[i], i);
    ask(&s->link[i], 2, "login", i);
}

/* Sleeps between answers: it must not take CPU time from whom it disturbs. */
static void storm_run(struct load *l, void *self, struct window *w)
{
    struct storm *s = self;
    struct epoll_event ev[EVENTS];
    uint64_t refused = 0;

    for (unsigned i = 0; i < s->n; i++)
        storm_begin(l, s, i);
    printf("storming\n"); /* all of them wait for their answers */
    (void)fflush(stdout);
    while (now_ns() < w->until_ns) {
        const int n = epoll_wait(l->epoll, ev, EVENTS, 10);

        for (int k = 0; k < n; k++) {
            struct link *at = &s->link[ev[k].data.u32];
            const char *line;

            (void)link_fill(at);
            while ((line = link_line(at)) != NULL) {
                if (text_int(line, "\"id\":") != 2)
                    continue;
                w->n += strstr(line, "\"token\":") != NULL;
                refused += strstr(line, "\"error\":") != NULL;
                link_close(at);
                storm_begin(l, s, ev[k].data.u32);
                break;
            }
        }
    }
    for (unsigned i = 0; i < s->n; i++)
        link_close(&s->link[i]);
    w->lines = refused;
}

const struct kind kind_storm = {
    .name = "storm", .usage = "N", .args = 1, .setup = storm_setup, .run = storm_run};

/* ---- the disk ---- */

struct disk {
    int fd;
    char page[DISK_BYTES];
};

static void *disk_setup(struct load *l, char **arg)
{
    struct disk *d = mem_zalloc(sizeof(*d));

    (void)l;
    memset(d->page, 'x', sizeof(d->page));
    d->fd = open(arg[0], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (d->fd < 0)
        fail("%s can't be written", arg[0]);
    return d;
}

static void disk_run(struct load *l, void *self, struct window *w)
{
    const struct disk *d = self;

    (void)l;
    while (now_ns() < w->until_ns) {
        const uint64_t began = now_ns();

        if (write(d->fd, d->page, sizeof(d->page)) != (ssize_t)sizeof(d->page) ||
            fdatasync(d->fd) != 0)
            fail("the disk doesn't take it");
        window_sample(w, began);
        w->n++;
    }
}

const struct kind kind_disk = {
    .name = "disk", .usage = "FILE", .args = 1, .setup = disk_setup, .run = disk_run};
