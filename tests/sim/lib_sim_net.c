/* SPDX-License-Identifier: ISC
 * lib_sim_net.c -- connections as the kernel and the server's shell give them: pieces of any size,
 * late, cut off, half open; slots that are used again under another generation.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum {
    QUEUE_GROWTH = 320 * 1024, /* beyond what was there when it became slow: one answer, notes */
    SILENCE_MS = 70 * 1000,    /* a little less than the server's patience */
    BUSY_LINKS = 4             /* being told `busy` beside those that the core counts */
};

static struct sim_link *of_event(const struct sim *s, const struct sim_event *ev)
{
    struct sim_link *l = ev->a < s->n_links ? s->link[ev->a] : NULL;

    return l != NULL && l->serial == ev->life ? l : NULL;
}

struct sim_link *net_find(const struct sim *s, conn_id id)
{
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL && s->link[i]->id == id)
            return s->link[i];
    return NULL;
}

bool net_is_online(const struct sim *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL && s->link[i]->server_open && !s->link[i]->ended &&
            str_ieq(s->link[i]->user, name))
            return true;
    return false;
}

bool net_has_line(const struct sim *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL && s->link[i]->server_open && str_ieq(s->link[i]->user, name))
            return true;
    return false;
}

static void at_link(struct sim *s, const struct sim_link *l, enum sim_what what, int64_t in_ms)
{
    sim_at(s, s->t + in_ms,
           (struct sim_event){.what = (uint8_t)what, .a = l->index, .life = l->serial});
}

static int64_t delay(struct sim *s)
{
    if (s->healed)
        return play_below(&s->rng, 2);
    return sim_odds(s, s->climate.slow_net) ? sim_between(s, 20, 3000) : sim_between(s, 0, 8);
}

/* ---- coming and going ---- */

static void free_link(struct sim_link *l)
{
    buf_fini(&l->up.q);
    buf_fini(&l->down.q);
    buf_fini(&l->part);
    mem_free(l);
}

/* Both ends are through with it. */
static void bury(struct sim *s, struct sim_link *l)
{
    if (l->client_open || l->server_open)
        return;
    s->link[l->index] = NULL;
    free_link(l);
}

static uint32_t free_slot(struct sim *s)
{
    uint32_t slot = 0;

    while (slot < s->n_links && s->link[slot] != NULL)
        slot++;
    if (slot < s->n_links)
        return slot;
    if (s->n_links == s->links_cap) {
        s->links_cap = s->links_cap * 2 + 16;
        s->link = mem_resize(s->link, s->links_cap, sizeof(struct sim_link *));
    }
    s->link[s->n_links] = NULL;
    return s->n_links++;
}

struct sim_link *net_connect(struct sim *s, uint8_t actor, uint8_t sess)
{
    struct sim_link *l;
    uint32_t slot;

    if (s->server.core == NULL || s->server.stopping ||
        (!s->healed && sim_odds(s, s->climate.refuse)))
        return NULL;
    slot = free_slot(s);
    l = mem_zalloc(sizeof(*l));
    l->serial = ++s->serial;
    l->index = slot;
    l->actor = actor;
    l->sess = sess;
    l->client_open = true;
    s->link[slot] = l;
    at_link(s, l, SIM_ACCEPT, delay(s));
    return l;
}

/* The server's slot: the lowest that no open connection has, so that numbers come again soon. */
static conn_id next_id(const struct sim *s, const struct sim_link *l)
{
    uint32_t slot = 0;

    for (uint32_t i = 0; i < s->n_links; i++) {
        if (s->link[i] != NULL && s->link[i]->server_open &&
            (s->link[i]->id & UINT32_MAX) == slot) {
            slot++;
            i = UINT32_MAX; /* from the first again */
        }
    }
    return (conn_id)l->serial << 32 | slot;
}

static void on_accept(struct sim *s, struct sim_link *l)
{
    struct core_event ev = {.kind = CORE_ACCEPTED};

    if (s->server.core == NULL || s->server.stopping) {
        l->server_over = true;
        at_link(s, l, SIM_END_DOWN, delay(s));
        return;
    }
    l->id = ev.conn = next_id(s, l);
    l->reached = l->server_open = true;
    l->heard = s->t;
    s->server.open_links++;
    sim_hold(s, LAW_BOUNDS,
             s->server.open_links <= (unsigned)s->server.cfg.limits.max_conns + BUSY_LINKS,
             "more connections are open than the server may have");
    (void)str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), "10.0.0.1");
    ev.u.accepted.addr[7] = (char)('1' + l->actor % 9);
    ev.u.accepted.loopback = true;
    sim_note(s, "accept", &l->id, sizeof(l->id));
    server_step(s, &ev);
    l = net_find(s, ev.conn);
    sim_hold(s, LAW_BAN, l == NULL || !l->server_open || !boss_bans(s, l->actor % 9U + 1),
             "somebody is let in from a banned address");
    if (l != NULL && l->up.q.len > 0 && !l->up.moving) {
        l->up.moving = true;
        at_link(s, l, SIM_UP, delay(s));
    }
}

static void move_up(struct sim *s, struct sim_link *l)
{
    if (!l->reached || l->up.moving || l->paused || l->up.q.len == 0 || !l->server_open)
        return;
    l->up.moving = true;
    at_link(s, l, SIM_UP, delay(s));
}

void sim_send(struct sim *s, struct sim_link *l, const char *data, size_t len)
{
    if (!l->client_open)
        return;
    buf_put(&l->up.q, data, len);
    move_up(s, l);
}

/* How much of what is there comes now. */
static size_t piece(struct sim *s, size_t len, bool client_is_there)
{
    if (s->healed || !client_is_there || !sim_odds(s, s->climate.split))
        return len;
    if (sim_odds(s, 200))
        return 1;
    return 1 + play_below(&s->rng, (unsigned)len);
}

static void on_up(struct sim *s, struct sim_link *l)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = l->id};
    struct buf part = BUF_EMPTY;
    size_t n;

    l->up.moving = false;
    if (l->paused || !l->server_open || l->ended || l->up.q.len == 0)
        return;
    n = piece(s, l->up.q.len, l->client_open);
    buf_put(&part, l->up.q.data, n);
    buf_consume(&l->up.q, n);
    l->heard = s->t;
    ev.u.bytes.data = part.data;
    ev.u.bytes.len = n;
    sim_note(s, "up", part.data, n);
    server_step(s, &ev);
    buf_fini(&part);
    l = net_find(s, ev.conn);
    if (l != NULL)
        move_up(s, l);
}

/* What a client sent before it went arrives first, or not. */
static void on_end_up(struct sim *s, struct sim_link *l)
{
    struct core_event ev = {.kind = CORE_EOF, .conn = l->id};

    if (!l->reached) {
        l->server_open = false;
        bury(s, l);
        return;
    }
    if (l->ended)
        return;
    if (l->paused && l->server_open && sim_odds(s, 700)) { /* the kernel keeps it for later */
        at_link(s, l, SIM_END_UP, 50);
        return;
    }
    l->ended = true;
    if (s->server.core != NULL) { /* of one that the core has closed too: it must pass it over */
        sim_note(s, "eof", &l->id, sizeof(l->id));
        server_step(s, &ev);
    }
    l = net_find(s, ev.conn);
    if (l == NULL)
        return;
    if (!l->server_open)
        bury(s, l);
}

void net_leave(struct sim *s, struct sim_link *l, bool half_open)
{
    l->forgiven = true;
    l->client_open = false;
    buf_reset(&l->down.q);
    if (!l->reached && !l->server_open) {
        at_link(s, l, SIM_END_UP, 3001); /* behind its accept */
        return;
    }
    if (half_open)
        buf_reset(&l->up.q);
    if (!half_open || !l->server_open)
        at_link(s, l, SIM_END_UP, delay(s));
}

void net_drop(struct sim *s, struct sim_link *l)
{
    const size_t keep = l->up.q.len > 0 ? play_below(&s->rng, (unsigned)l->up.q.len + 1) : 0;

    if (!l->client_open)
        return;
    sim_trace(s, "link %u of actor %u breaks", l->serial, l->actor);
    l->up.q.len = keep;
    actor_lost(s, l);
    net_leave(s, l, false);
}

void net_stall(struct sim *s, struct sim_link *l, int64_t ms)
{
    l->down.not_before = MAX(l->down.not_before, s->t + ms);
}

/* ---- from the server ---- */

static void move_down(struct sim *s, struct sim_link *l)
{
    if (l->down.moving || l->down.q.len == 0 || !l->client_open)
        return;
    l->down.moving = true;
    at_link(s, l, SIM_DOWN, MAX(l->down.not_before - s->t, delay(s)));
}

void net_out(struct sim *s, struct sim_link *l, const char *data, size_t len)
{
    sim_note(s, "out", data, len);
    if (!l->client_open) { /* a half-open peer reads nothing: the socket's room, then the queue */
        l->down.q.len = 0;
        return;
    }
    buf_put(&l->down.q, data, len);
    if (l->slow)
        sim_hold(s, LAW_BOUNDS, l->down.q.len <= l->slow_at + QUEUE_GROWTH,
                 "a slow reader's queue grows without bound");
    move_down(s, l);
}

/* Silence is the one thing that is punished in silence. */
static void check_close(struct sim *s, const struct sim_link *l)
{
    if (l->client_open && !l->ended && !l->told_why && s->t - l->heard < SILENCE_MS)
        sim_broken(s, LAW_CLOSE, "link %u of %s is closed without a word", l->serial,
                   l->user[0] != '\0' ? l->user : "a stranger");
}

void sim_close(struct sim *s, struct sim_link *l)
{
    check_close(s, l);
    sim_note(s, "close", &l->id, sizeof(l->id));
    l->server_open = false;
    l->server_over = true;
    s->server.open_links--;
    if (!l->client_open) {
        if (l->ended)
            bury(s, l);
        else
            at_link(s, l, SIM_END_UP, delay(s));
        return;
    }
    if (l->down.q.len == 0 && !l->down.moving)
        at_link(s, l, SIM_END_DOWN, delay(s));
}

void sim_pause(struct sim *s, struct sim_link *l, bool pause)
{
    l->paused = pause;
    if (!pause)
        move_up(s, l);
}

static void on_down(struct sim *s, struct sim_link *l)
{
    struct buf part = BUF_EMPTY;
    const uint32_t serial = l->serial, slot = l->index;
    size_t n;

    l->down.moving = false;
    if (l->down.q.len == 0 && l->server_over)
        at_link(s, l, SIM_END_DOWN, delay(s));
    if (!l->client_open || l->down.q.len == 0)
        return;
    if (s->t < l->down.not_before && !s->healed) {
        move_down(s, l);
        return;
    }
    n = piece(s, l->down.q.len, true);
    buf_put(&part, l->down.q.data, n);
    buf_consume(&l->down.q, n);
    actor_bytes(s, l, part.data, n);
    buf_fini(&part);
    l = s->link[slot];
    if (l == NULL || l->serial != serial || !l->client_open)
        return;
    if (l->down.q.len > 0)
        move_down(s, l);
    else if (l->server_over)
        at_link(s, l, SIM_END_DOWN, delay(s));
}

static void on_end_down(struct sim *s, struct sim_link *l)
{
    if (!l->client_open)
        return;
    actor_lost(s, l);
    l->client_open = false;
    if (!l->server_open && l->reached && !l->ended)
        at_link(s, l, SIM_END_UP, 1 + delay(s)); /* a late end of an old connection */
    else
        bury(s, l);
}

/* ---- the shell's word on slow readers ---- */

static void tell(struct sim *s, struct sim_link *l, enum core_event_kind kind)
{
    struct core_event ev = {.kind = (uint8_t)kind, .conn = l->id};

    l->slow = kind == CORE_SLOW;
    l->slow_at = l->down.q.len;
    sim_note(s, l->slow ? "slow" : "drained", &l->id, sizeof(l->id));
    sim_trace(s, "link %u is %s", l->serial, l->slow ? "slow" : "drained");
    server_step(s, &ev);
}

void net_settle(struct sim *s)
{
    for (uint32_t i = 0; i < s->n_links && s->server.core != NULL; i++) {
        struct sim_link *l = s->link[i];

        if (l == NULL || !l->server_open || l->ended)
            continue;
        if (!l->slow && l->client_open && l->down.q.len > l->limit)
            tell(s, l, CORE_SLOW);
        else if (l->slow && l->down.q.len == 0)
            tell(s, l, CORE_DRAINED);
    }
}

/* The process has ended: what it had given to the kernel may still arrive. */
void net_server_gone(struct sim *s)
{
    s->server.open_links = 0;
    for (uint32_t i = 0; i < s->n_links; i++) {
        struct sim_link *l = s->link[i];

        if (l == NULL)
            continue;
        l->forgiven = l->forgiven || l->server_open;
        buf_reset(&l->part);
        l->n_subs = 0;
        l->server_over = true;
        if (l->server_open && l->down.q.len > 0 && sim_odds(s, 500))
            l->down.q.len = play_below(&s->rng, (unsigned)l->down.q.len + 1);
        l->server_open = false;
        l->ended = true;
        buf_reset(&l->up.q);
        if (!l->client_open)
            bury(s, l);
        else if (l->down.q.len == 0)
            at_link(s, l, SIM_END_DOWN, delay(s));
    }
}

void net_event(struct sim *s, const struct sim_event *ev)
{
    struct sim_link *l = of_event(s, ev);

    if (l == NULL)
        return;
    if (ev->what == SIM_ACCEPT && !l->reached && !l->server_over)
        on_accept(s, l);
    else if (ev->what == SIM_UP && s->server.core != NULL)
        on_up(s, l);
    else if (ev->what == SIM_DOWN)
        on_down(s, l);
    else if (ev->what == SIM_END_UP)
        on_end_up(s, l);
    else if (ev->what == SIM_END_DOWN)
        on_end_down(s, l);
}

void net_fini(struct sim *s)
{
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL)
            free_link(s->link[i]);
    mem_free(s->link);
}
