/* SPDX-License-Identifier: ISC
 * fan.c -- load fan: spectators who all look on at the same WIDTH matches; a round is one order in
 * each of them at once, and ends when each spectator has all that came of it.
 */
#include <sys/epoll.h>

#include "common/base/mem.h"
#include "tests/bench/load/game.h"

enum {
    EVENTS = 1024,
    READ_BYTES = 65536,
    PATIENCE_MS = 60000,
    PING_ID = 77,
    ENTRIES = 2,
    KEEP_EVERY = 2000,
    SEATS_TAG = 1 << 30
};

struct fan {
    struct game *game;
    struct link *link;
    uint32_t *lines; /* of this round */
    unsigned n, width, full;
    uint32_t want; /* lines of this round */
    char room[READ_BYTES];
};

/* Nobody is taken for silent, nor for slow. */
static void keep_alive(struct fan *f, unsigned upto)
{
    for (unsigned i = 0; i < f->width; i++) {
        link_send(&f->game[i].seat[0], "\n", 1);
        link_send(&f->game[i].seat[1], "\n", 1);
    }
    for (unsigned i = 0; i < upto; i++) {
        link_send(&f->link[i], "\n", 1);
        (void)link_read(&f->link[i], f->room, sizeof(f->room));
    }
}

static void *fan_setup(struct load *l, char **arg)
{
    struct fan *f = mem_zalloc(sizeof(*f));

    f->n = (unsigned)strtoul(arg[0], NULL, 10);
    f->width = (unsigned)strtoul(arg[1], NULL, 10);
    f->game = mem_array(f->width, sizeof(*f->game));
    f->link = mem_array(f->n, sizeof(*f->link));
    f->lines = mem_array(f->n, sizeof(*f->lines));
    for (unsigned i = 0; i < f->width; i++) {
        game_begin(l, &f->game[i], i);
        for (unsigned seat = 0; seat < 2; seat++)
            link_watch(l, &f->game[i].seat[seat], SEATS_TAG + i * 2 + seat);
    }
    printf("matches\n"); /* the memory without spectators can be looked at now */
    (void)fflush(stdout);
    if (getchar() == EOF)
        fail("nobody wants it");
    for (unsigned i = 0; i < f->n; i++) {
        if (i % KEEP_EVERY == KEEP_EVERY - 1)
            keep_alive(f, i);
        link_open(l, &f->link[i], i, false);
        link_guest(&f->link[i]);
        game_watch(&f->link[i], f->game, f->width);
        buf_fini(&f->link[i].in);
        f->link[i].used = 0;
        link_watch(l, &f->link[i], i);
    }
    return f;
}

static void take_watcher(struct fan *f, unsigned i, struct window *w)
{
    const size_t got = link_read(&f->link[i], f->room, sizeof(f->room));
    const uint32_t before = f->lines[i];

    for (const char *at = f->room; (at = memchr(at, '\n', got - (size_t)(at - f->room))) != NULL;
         at++)
        f->lines[i]++;
    w->bytes += got;
    if (before < f->want && f->lines[i] >= f->want)
        f->full++;
}

/* Read a spectator's lines away up to the answer to the ping. True: it is here. */
static bool take_pong(struct link *k)
{
    bool found = false;
    const char *line;

    (void)link_fill(k);
    while ((line = link_line(k)) != NULL)
        found = found || text_int(line, "{\"jsonrpc\":\"2.0\",\"id\":") == PING_ID;
    if (k->used == k->in.len) { /* 15,000 of them: no room is kept */
        buf_fini(&k->in);
        k->used = 0;
    }
    return found;
}

/* Is each match's seat told how many look on? That number comes late, and comes but once. */
static bool is_counted(const struct fan *f)
{
    for (unsigned i = 0; i < f->width; i++)
        if (f->game[i].lookers != (int64_t)f->n)
            return false;
    return true;
}

static void take_all(struct load *l, struct fan *f, unsigned *waits)
{
    struct epoll_event ev[EVENTS];
    const int n = epoll_wait(l->epoll, ev, EVENTS, PATIENCE_MS);

    if (n <= 0)
        fail("the server has gone quiet");
    for (int k = 0; k < n; k++) {
        const uint32_t tag = ev[k].data.u32;

        if (tag >= SEATS_TAG)
            (void)game_take(&f->game[(tag - SEATS_TAG) / 2], (tag - SEATS_TAG) % 2);
        else if (take_pong(&f->link[tag]))
            --*waits;
    }
}

/* All that was said to the spectators is read away: each asks, and what comes behind the answer is
 * new. */
static void settle(struct load *l, struct fan *f)
{
    unsigned none = 0, waits = f->n;

    while (!is_counted(f))
        take_all(l, f, &none);
    for (unsigned i = 0; i < f->n; i++)
        link_print(&f->link[i], "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"session.ping\"}\n",
                   PING_ID);
    while (waits > 0)
        take_all(l, f, &waits);
}

/* One order in each of the matches. */
static void round_run(struct load *l, struct fan *f, unsigned width, struct window *w)
{
    struct epoll_event ev[EVENTS];
    unsigned done = 0;

    memset(f->lines, 0, f->n * sizeof(*f->lines));
    f->want = width * ENTRIES;
    f->full = 0;
    for (unsigned i = 0; i < width; i++)
        game_order(&f->game[i]);
    while (done < width || f->full < f->n) {
        const int n = epoll_wait(l->epoll, ev, EVENTS, 0);

        for (int k = 0; k < n; k++) {
            const uint32_t tag = ev[k].data.u32;
            struct game *g;

            if (tag < SEATS_TAG) {
                take_watcher(f, tag, w);
                continue;
            }
            g = &f->game[(tag - SEATS_TAG) / 2];
            if (!game_take(g, (tag - SEATS_TAG) % 2))
                continue;
            window_sample(w, g->sent_ns);
            g->sent_ns = 0;
            done++;
        }
    }
    w->n += (uint64_t)f->n * width;
    w->lines += (uint64_t)f->n * width * ENTRIES;
}

static void fan_run(struct load *l, void *self, struct window *w)
{
    struct fan *f = self;
    const unsigned width = w->width != 0 ? MIN(w->width, f->width) : f->width;

    while (now_ns() < w->until_ns || f->game[0].turned) {
        if (f->game[0].in_phase >= GAME_PHASE_ORDERS)
            return;
        round_run(l, f, width, w);
    }
}

/* Between windows: a new phase, so that no bound is met within one. */
static void fan_idle(struct load *l, void *self)
{
    struct fan *f = self;

    for (unsigned i = 0; i < f->width; i++)
        game_next_phase(&f->game[i]);
    keep_alive(f, 0);
    settle(l, f);
}

const struct kind kind_fan = {.name = "fan",
                              .usage = "SPECTATORS MATCHES (go on with a line at `matches`)",
                              .args = 2,
                              .setup = fan_setup,
                              .run = fan_run,
                              .idle = fan_idle};
