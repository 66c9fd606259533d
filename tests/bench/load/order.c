/* SPDX-License-Identifier: ISC
 * order.c -- load order: matches of two seats and one spectator each; in each match one order is in
 * flight. A window's `width` is how many matches take part.
 */
#include <sys/epoll.h>

#include "common/base/mem.h"
#include "tests/bench/load/game.h"

enum { EVENTS = 512 };

struct orders {
    struct game *game;
    struct link *watcher;
    int64_t *seen; /* newest entry that the spectator has */
    unsigned n;
};

/* Tags: match * 4 + seat; the spectator is seat 2. */
static void *order_setup(struct load *l, char **arg)
{
    struct orders *o = mem_zalloc(sizeof(*o));

    o->n = (unsigned)strtoul(arg[0], NULL, 10);
    o->game = mem_array(o->n, sizeof(*o->game));
    o->watcher = mem_array(o->n, sizeof(*o->watcher));
    o->seen = mem_array(o->n, sizeof(*o->seen));
    for (unsigned i = 0; i < o->n; i++) {
        game_begin(l, &o->game[i], i);
        link_open(l, &o->watcher[i], i, false);
        link_guest(&o->watcher[i]);
        game_watch(&o->watcher[i], &o->game[i], 1);
        o->seen[i] = o->game[i].head[0];
        for (unsigned seat = 0; seat < 2; seat++)
            link_watch(l, &o->game[i].seat[seat], i * 4 + seat);
        link_watch(l, &o->watcher[i], i * 4 + 2);
    }
    return o;
}

static void take_watcher(struct orders *o, unsigned i)
{
    const char *line;

    (void)link_fill(&o->watcher[i]);
    while ((line = link_line(&o->watcher[i])) != NULL)
        o->seen[i] = MAX(o->seen[i], text_int(line, "\"entry\":{\"seq\":"));
}

static bool is_even(const struct orders *o)
{
    for (unsigned i = 0; i < o->n; i++)
        if (!game_is_even(&o->game[i]) || o->seen[i] != o->game[i].head[0])
            return false;
    return true;
}

static bool take_seat(struct game *g, unsigned seat, struct window *w)
{
    if (!game_take(g, seat))
        return false;
    window_sample(w, g->sent_ns);
    g->sent_ns = 0;
    w->n++;
    if (now_ns() >= w->until_ns && !g->turned)
        return true;
    game_order(g);
    return false;
}

static void order_run(struct load *l, void *self, struct window *w)
{
    struct orders *o = self;
    unsigned flying = w->width != 0 ? MIN(w->width, o->n) : o->n;
    struct epoll_event ev[EVENTS];

    for (unsigned i = 0; i < flying; i++)
        game_order(&o->game[i]);
    while (flying > 0 || !is_even(o)) {
        const int n = epoll_wait(l->epoll, ev, EVENTS, 0);

        for (int k = 0; k < n; k++) {
            const unsigned i = ev[k].data.u32 / 4;
            const unsigned seat = ev[k].data.u32 % 4;

            if (seat == 2)
                take_watcher(o, i);
            else if (take_seat(&o->game[i], seat, w))
                flying--;
        }
    }
}

static void order_idle(struct load *l, void *self)
{
    struct orders *o = self;

    (void)l;
    for (unsigned i = 0; i < o->n; i++) {
        link_send(&o->game[i].seat[0], "\n", 1);
        link_send(&o->game[i].seat[1], "\n", 1);
        link_send(&o->watcher[i], "\n", 1);
    }
}

const struct kind kind_order = {.name = "order",
                                .usage = "MATCHES",
                                .args = 1,
                                .setup = order_setup,
                                .run = order_run,
                                .idle = order_idle};
