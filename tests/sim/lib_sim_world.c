/* SPDX-License-Identifier: ISC
 * lib_sim_world.c -- one run: who is there, what goes wrong, how it heals, and what must be true at
 * the end.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum {
    EVENTS_MAX = 3000000, /* of a run */
    STILL_MS = 3000,
    CALL_MS = 200 * 1000,
    DAY_MS = 86400 * 1000
};
#define HEALED_MAX_MS ((int64_t)200 * DAY_MS)

/* ---- the queue ---- */

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(struct sim_event *a, struct sim_event *b)
{
    const struct sim_event x = *a;

    *a = *b;
    *b = x;
}

void sim_at(struct sim *s, int64_t at, struct sim_event ev)
{
    struct sim_queue *q = &s->queue;

    if (q->n == q->cap) {
        q->cap = q->cap * 2 + 256;
        q->heap = mem_resize(q->heap, q->cap, sizeof(*q->heap));
    }
    ev.at = MAX(at, s->t);
    ev.order = q->order++;
    q->heap[q->n] = ev;
    for (size_t i = q->n++; i > 0 && is_before(&q->heap[i], &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&q->heap[i], &q->heap[(i - 1) / 2]);
}

static struct sim_event next_event(struct sim_queue *q)
{
    const struct sim_event first = q->heap[0];
    size_t i = 0;

    q->heap[0] = q->heap[--q->n];
    for (;;) {
        size_t least = i;

        for (size_t kid = 2 * i + 1; kid <= 2 * i + 2 && kid < q->n; kid++)
            if (is_before(&q->heap[kid], &q->heap[least]))
                least = kid;
        if (least == i)
            return first;
        swap(&q->heap[i], &q->heap[least]);
        i = least;
    }
}

/* ---- a world from a seed ---- */

static void make_climate(struct sim *s)
{
    struct sim_climate *c = &s->climate;
    const unsigned wild = play_below(&s->rng, 4); /* 0: a calm day */

    *c = (struct sim_climate){.fault_every_ms = 60000, .split = 100};
    s->storm_ends = sim_between(s, 60000, 240000);
    if (wild == 0)
        return;
    *c = (struct sim_climate){
        .split = play_below(&s->rng, 900),
        .slow_net = play_below(&s->rng, 40),
        .drop = play_below(&s->rng, 400),
        .half_open = play_below(&s->rng, 200),
        .stall = play_below(&s->rng, 400),
        .refuse = play_below(&s->rng, 150),
        .full = play_below(&s->rng, wild == 3 ? 20 : 5),
        .lost = play_below(&s->rng, wild == 3 ? 20 : 4),
        .lag = play_below(&s->rng, 20),
        .unread = play_below(&s->rng, wild == 3 ? 100 : 20),
        .crash = play_below(&s->rng, wild == 3 ? 200 : 60),
        .crash_mid = play_below(&s->rng, wild == 3 ? 300 : 60),
        .stop = play_below(&s->rng, 60),
        .rekey = sim_odds(s, 150) ? 40 : 0,
        .jump = play_below(&s->rng, 100),
        .busy = play_below(&s->rng, 100),
        .fault_every_ms = sim_between(s, 300, 8000),
        .small_queues = sim_odds(s, 600),
        .hold = play_below(&s->rng, 60),
    };
}

static void make_server(struct sim *s)
{
    struct core_config *cfg = &s->server.cfg;

    *cfg = (struct core_config){.server = "skirmishd/sim",
                                .motd = "simulated",
                                .master_kid = 1,
                                .vacation_days = 30,
                                .archive_ms = sim_odds(s, 300) ? INT64_C(7) * DAY_MS
                                                               : sim_between(s, 0, 40000),
                                .limit_loopback = sim_odds(s, 200),
                                .trust_plain = true};
    cfg->limits = (struct limits){.max_conns = 9 + play_below(&s->rng, 20),
                                  .max_conns_per_addr = 4,
                                  .max_matches = 30,
                                  .max_guests = 200,
                                  .max_watchers = 1 + play_below(&s->rng, 6)};
    if (s->climate.small_queues) {
        cfg->limits.queue_guest = 256 + play_below(&s->rng, 2000);
        cfg->limits.queue_spectator = 256 + play_below(&s->rng, 20000);
        cfg->limits.queue_player = 256 + play_below(&s->rng, 20000);
    }
    sim_bytes(s, cfg->master, sizeof(cfg->master));
    s->server.wall_off = INT64_C(1700000000000) + sim_between(s, 0, 1000000000);
}

static struct sim_manner any_manner(struct sim *s)
{
    struct sim_manner how = {.think_ms = sim_between(s, 50, 1500), .talk = 10};

    switch (play_below(&s->rng, 7)) {
    case 0: /* lazy */
        how.lazy = 30;
        how.lazy_ms = sim_between(s, 2000, 60000);
        break;
    case 1: /* comes and goes */
        how.leave = 5 + play_below(&s->rng, 25);
        break;
    case 2: /* says all twice */
        how.twice = 500;
        how.two_lines = true;
        break;
    case 3: /* tries what it may not */
        how.rude = 150;
        break;
    case 4: /* talks */
        how.talk = 120;
        break;
    case 5: /* all of it */
        how = (struct sim_manner){.think_ms = 300,
                                  .lazy = 10,
                                  .lazy_ms = 15000,
                                  .leave = 8,
                                  .twice = 200,
                                  .rude = 60,
                                  .talk = 40,
                                  .two_lines = true,
                                  .thief = 300};
        break;
    default: /* honest */
        break;
    }
    how.thief = MAX(how.thief, 100U);
    return how;
}

static void make_clock(struct sim *s, struct clock_rule *c)
{
    const unsigned which = play_below(&s->rng, 10);

    if (which < 6)
        *c = (struct clock_rule){.kind = CLOCK_LIVE,
                                 .main_s = (uint32_t)sim_between(s, 60, 900),
                                 .phase_s = play_below(&s->rng, 20)};
    else if (which < 7)
        *c = (struct clock_rule){.kind = CLOCK_CORRESPONDENCE, .days = 1};
    else
        *c = (struct clock_rule){.kind = CLOCK_NONE};
}

static void make_table(struct sim *s, struct sim_actor *maker, struct sim_actor *joiner)
{
    struct sim_table *t = &s->table[s->n_tables];

    t->index = (uint8_t)s->n_tables++;
    t->maker = maker->index;
    t->joiner = joiner->index;
    t->scn_mutable = s->scenarios->item[play_below(&s->rng, (unsigned)s->scenarios->len)];
    if (sim_odds(s, 500))
        t->scn_mutable = s->scenarios->item[1 % s->scenarios->len];
    t->scn = t->scn_mutable;
    make_clock(s, &t->clock);
    t->rated = maker->member && joiner->member && sim_odds(s, 600);
    t->fair = (uint8_t)play_below(&s->rng, t->rated ? 2 : 3);
    if (t->clock.kind == CLOCK_CORRESPONDENCE && t->fair == FAIR_STRICT)
        t->fair = FAIR_NORMAL;
    t->is_private = sim_odds(s, 250);
    t->watch = (uint8_t)(sim_odds(s, 700) ? MSG_WATCH_ALL : 1 + play_below(&s->rng, 2));
    t->random_side = sim_odds(s, 300);
    t->readings = sim_odds(s, 200);
    seat_add(s, maker, t, ROLE_A);
    seat_add(s, joiner, t, ROLE_B);
}

/* An umpire can't be made over the wire: its row is there from the start. */
static void make_umpire(struct sim *s)
{
    struct sim_manner how = {.think_ms = 1000, .umpire = true, .staff = true};
    struct store_op op = {.kind = STORE_USER_PUT};
    struct store_txn txn = {.n = 1, .op = &op};
    struct sim_actor *a = &s->actor[s->n_actors];
    struct buf row = BUF_EMPTY;
    uint8_t h[32];
    char hex[65];

    actor_init(s, a, &how, true);
    (void)crypto_hash_sha256(h, (const uint8_t *)a->password, strlen(a->password));
    for (unsigned i = 0; i < 16; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", h[i]);
    buf_printf(&row,
               "{\"name\":\"%s\",\"kind\":1,\"role\":1,\"since\":0,\"hash\":\"$sim$%s\","
               "\"muted\":[]}",
               a->name, hex);
    (void)snprintf(op.name, sizeof(op.name), "member-%c", 'a' + a->index);
    op.data = row.data;
    op.len = row.len;
    a->registered = a->acked = true;
    disk_seed(s, &txn);
    buf_fini(&row);
    for (unsigned i = 0; i < s->n_tables; i++)
        seat_add(s, a, &s->table[i], ROLE_COUNT);
}

static void make_people(struct sim *s)
{
    const unsigned tables = 1 + play_below(&s->rng, SIM_TABLES);
    const unsigned players = 2 + play_below(&s->rng, 3);
    struct sim_manner how;

    for (unsigned i = 0; i < players; i++) {
        how = any_manner(s);
        actor_init(s, &s->actor[s->n_actors], &how, sim_odds(s, 500));
    }
    for (unsigned i = 0; i < tables; i++) {
        const unsigned maker = play_below(&s->rng, players);

        make_table(s, &s->actor[maker],
                   &s->actor[(maker + 1 + play_below(&s->rng, players - 1)) % players]);
    }
    for (unsigned i = play_below(&s->rng, 3); i > 0; i--) {
        struct sim_actor *a = &s->actor[s->n_actors];

        how = (struct sim_manner){.talk = 30, .leave = play_below(&s->rng, 20)};
        actor_init(s, a, &how, sim_odds(s, 300));
        seat_add(s, a, &s->table[play_below(&s->rng, tables)], ROLE_COUNT);
    }
    if (sim_odds(s, 500)) {
        how = (struct sim_manner){.pest = true, .leave = 20};
        actor_init(s, &s->actor[s->n_actors], &how, false);
    }
    if (sim_odds(s, 250))
        make_umpire(s);
}

/* ---- what goes wrong ---- */

static struct sim_link *any_link(struct sim *s)
{
    return s->n_links > 0 ? s->link[play_below(&s->rng, s->n_links)] : NULL;
}

static void harm_link(struct sim *s)
{
    const struct sim_climate *c = &s->climate;
    struct sim_link *l = any_link(s);

    if (l == NULL || !l->client_open)
        return;
    if (sim_odds(s, c->drop)) {
        net_drop(s, l);
    } else if (sim_odds(s, c->half_open)) {
        sim_trace(s, "link %u is half open", l->serial);
        actor_lost(s, l);
        net_leave(s, l, true);
    } else if (sim_odds(s, c->stall)) {
        net_stall(s, l, sim_between(s, 100, 30000));
    }
}

static void harm_server(struct sim *s)
{
    const struct sim_climate *c = &s->climate;
    struct sim_server *v = &s->server;

    if (v->core == NULL)
        return;
    if (sim_odds(s, c->crash)) {
        server_crash(s);
    } else if (sim_odds(s, c->crash_mid)) {
        v->crash_in = 1 + play_below(&s->rng, 40);
    } else if (sim_odds(s, c->stop)) {
        server_stop(s);
    } else if (sim_odds(s, c->hold)) {
        server_hold(s);
    } else if (sim_odds(s, c->rekey)) {
        v->rekey_due = true;
        server_crash(s);
    } else if (sim_odds(s, c->jump)) {
        v->wall_off += sim_between(s, -5 * DAY_MS / 2, 5 * DAY_MS / 2);
        sim_trace(s, "the wall clock jumps");
    }
}

/* A game that was paused while somebody went away for ever would wait 90 days: they come back. */
static void call_back(struct sim *s)
{
    for (unsigned i = 0; i < s->n_actors; i++) {
        struct sim_actor *a = &s->actor[i];

        for (unsigned k = 0; k < a->n_seats; k++) {
            const struct sim_ledger *l = a->seat[k].table->ledger;

            if (l == NULL || l->audit.over || !l->audit.paused || !a->gone || s->leaving)
                continue;
            a->gone = false;
            a->sess[0].retry_at = s->t;
            actor_wake(s, a, 1);
        }
    }
}

static void on_fault(struct sim *s)
{
    struct core_event ev = {.kind = CORE_ENTROPY};

    if (s->healed) {
        call_back(s);
        return;
    }
    harm_link(s);
    harm_server(s);
    if (s->server.core != NULL && sim_odds(s, 50)) {
        sim_bytes(s, ev.u.entropy, sizeof(ev.u.entropy));
        server_step(s, &ev);
    }
    sim_at(s, s->t + sim_between(s, 1, 2 * s->climate.fault_every_ms),
           (struct sim_event){.what = SIM_FAULT});
}

/* ---- heal ---- */

/* Some never come back: their opponents claim, or time decides. */
static void send_away(struct sim *s)
{
    for (unsigned i = 0; i < s->n_actors; i++) {
        struct sim_actor *a = &s->actor[i];
        bool can = a->n_seats > 0 && !a->how.pest && !a->how.umpire && sim_odds(s, 60);

        for (unsigned k = 0; k < a->n_seats && can; k++)
            can = a->seat[k].table->ledger != NULL &&
                  (a->seat[k].wish == ROLE_COUNT ||
                   a->seat[k].table->ledger->audit.name[ROLE_B][0] != '\0') &&
                  !a->seat[k].table->ledger->audit.paused;
        if (!can || !a->seated)
            continue;
        sim_trace(s, "%s never comes back", a->name);
        actor_leave(s, a);
        a->gone = true;
    }
}

static void heal(struct sim *s)
{
    sim_trace(s, "the world heals");
    s->healed = true;
    s->healed_at = s->t;
    s->server.crash_in = 0;
    send_away(s);
    sim_at(s, s->t + CALL_MS, (struct sim_event){.what = SIM_FAULT});
    sim_at(s, s->t + 10, (struct sim_event){.what = SIM_START, .life = s->server.life});
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL) {
            s->link[i]->down.not_before = 0;
            sim_at(s, s->t + 1,
                   (struct sim_event){.what = SIM_DOWN, .a = i, .life = s->link[i]->serial});
        }
    for (unsigned i = 0; i < s->n_actors; i++) {
        for (unsigned k = 0; k < SIM_SESS; k++)
            s->actor[i].sess[k].mine_asked = false;
        if (s->actor[i].how.pest)
            actor_leave(s, &s->actor[i]);
        s->actor[i].gone |= s->actor[i].how.pest;
        actor_wake(s, &s->actor[i], 1);
    }
}

static bool all_over(const struct sim *s)
{
    for (const struct sim_ledger *l = s->ledgers; l != NULL; l = l->next)
        if (!l->audit.over)
            return false;
    return s->disk.n == 0 && s->server.core != NULL;
}

/* ---- the loop ---- */

static void happen(struct sim *s, const struct sim_event *ev)
{
    struct core_event tick = {.kind = CORE_TICK};
    const bool alive = s->server.core != NULL && ev->life == s->server.life;

    switch ((enum sim_what)ev->what) {
    case SIM_ACCEPT:
    case SIM_UP:
    case SIM_DOWN:
    case SIM_END_UP:
    case SIM_END_DOWN:
        net_event(s, ev);
        break;
    case SIM_COMMIT:
        if (alive)
            disk_commit(s);
        break;
    case SIM_HASHED:
        if (alive)
            server_hashed(s);
        break;
    case SIM_TICK:
        if (alive && ev->a == s->server.tick_no) {
            s->server.tick_at = INT64_MAX;
            server_step(s, &tick);
        }
        break;
    case SIM_START:
        if (ev->life == s->server.life)
            server_start(s);
        break;
    case SIM_ACTOR:
        if (s->actor[ev->a].wake == ev->life)
            actor_look(s, &s->actor[ev->a]);
        break;
    case SIM_FAULT:
        on_fault(s);
        break;
    case SIM_BOSS:
        boss_look(s);
        break;
    case SIM_BOSS_JOB:
        if (alive)
            boss_job_end(s);
        break;
    case SIM_WHAT_COUNT:
        break;
    }
    net_settle(s);
}

void sim_go(struct sim *s, int64_t until, bool (*done)(const struct sim *))
{
    while (s->queue.n > 0 && s->queue.heap[0].at <= until && (done == NULL || !done(s))) {
        const struct sim_event ev = next_event(&s->queue);

        s->t = ev.at;
        if (++s->happened > EVENTS_MAX)
            sim_broken(s, LAW_ENDS, "too much happens, and no end");
        happen(s, &ev);
        if (!s->healed && s->t > 1000 && play_below(&s->rng, 4000) == 0)
            shadow_look(s, s->ledgers != NULL && sim_odds(s, 400) ? s->ledgers : NULL);
    }
    if (done == NULL || !done(s))
        s->t = MAX(s->t, until);
}

/* ---- the whole ---- */

static void fini(struct sim *s)
{
    server_fini(s);
    for (unsigned i = 0; i < s->n_actors; i++)
        actor_fini(&s->actor[i]);
    net_fini(s);
    disk_fini(s);
    ledger_fini(s);
    secret_fini(s);
    mem_free(s->queue.heap);
    mem_free(s->asked);
    buf_fini(&s->line);
}

static void add_up(struct sim_totals *sum, const struct sim *s)
{
    sum->runs++;
    sum->matches += s->sum.matches;
    sum->played += s->sum.played;
    sum->orders += s->sum.orders;
    sum->rolls += s->sum.rolls;
    sum->crashes += s->sum.crashes;
    sum->commits += s->sum.commits;
    sum->lines += s->sum.lines;
    sum->events += s->sum.events;
    sum->shadows += s->sum.shadows;
    sum->archived += s->sum.archived;
    sum->reads += s->sum.reads;
    sum->simulated_ms += s->t;
}

void sim_run(const struct scenario_set *scenarios, uint64_t seed, FILE *trace,
             struct sim_totals *sum, uint64_t *digest)
{
    struct sim *s = mem_zalloc(sizeof(*s));

    s->seed = seed;
    s->trace = trace;
    s->scenarios = scenarios;
    play_seed(&s->rng, seed);
    make_climate(s);
    make_server(s);
    make_people(s);
    server_start(s);
    if (sim_odds(s, 300))
        sim_at(s, sim_between(s, 500, 9000), (struct sim_event){.what = SIM_BOSS});
    sim_at(s, sim_between(s, 500, 5000), (struct sim_event){.what = SIM_FAULT});
    sim_go(s, s->storm_ends, NULL);
    heal(s);
    sim_go(s, s->t + STILL_MS, NULL);
    sim_go(s, s->t + HEALED_MAX_MS, all_over);
    end_look(s);
    add_up(sum, s);
    *digest = s->digest[0] ^ s->digest[1];
    fini(s);
    mem_free(s);
}
