/* SPDX-License-Identifier: ISC
 * lib_sim_server.c -- the process around the core: steps, effects, crashes, recovery.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { HASH_FAST_MS = 70, HASH_SLOW_MS = 130, TICK_LATE_MS = 3 };

static struct mono mono_of(const struct sim *s)
{
    return (struct mono){s->t + s->server.mono_base};
}

/* ---- recovery ---- */

static const uint8_t load_order[] = {STORE_META_PUT,   STORE_USER_PUT,  STORE_TOKEN_PUT,
                                     STORE_INVITE_PUT, STORE_MATCH_NEW, STORE_SHARE};

static enum err load_match(struct core *core, const struct sim_row *r, bool torn)
{
    struct core_match_row row = {.state = r->state,
                                 .data = buf_str(&r->data),
                                 .data_len = r->data.len,
                                 .lines = buf_str(&r->lines),
                                 .lines_len = r->lines.len - (torn ? MIN(r->lines.len, 7U) : 0),
                                 .timers = buf_str(&r->timers),
                                 .timers_len = r->timers.len,
                                 .snapshot_seq = r->snapshot_seq};
    char why[PLAY_WHY_LEN] = "";

    memcpy(row.id, r->key, sizeof(row.id));
    if (r->snapshot_seq > 0) {
        row.snapshot = buf_str(&r->snapshot);
        row.snapshot_len = r->snapshot.len;
    }
    return core_load_match(core, &row, why);
}

static enum err load_row(struct core *core, const struct sim_row *r, const struct sim_ledger *torn)
{
    const char *data = buf_str(&r->data);

    if (r->kind == STORE_META_PUT)
        return core_load_meta(core, r->name, data);
    if (r->kind == STORE_USER_PUT)
        return core_load_user(core, r->name, data, r->data.len);
    if (r->kind == STORE_TOKEN_PUT)
        return core_load_token(core, r->key, r->name, data, r->data.len);
    if (r->kind == STORE_INVITE_PUT)
        return core_load_invite(core, r->key, data, r->data.len);
    if (r->kind == STORE_MATCH_NEW)
        return load_match(core, r, torn != NULL && memcmp(torn->id, r->key, MATCH_ID_LEN) == 0);
    return core_load_share(core, r->key, (enum role)r->role, r->seq, (const uint8_t *)data);
}

static struct core *recover(struct sim *s, const struct core_config *cfg, struct mono now,
                            const struct sim_ledger *torn, unsigned *refused)
{
    const struct wall wall = {s->t + s->server.wall_off};
    struct core *core = core_new(cfg, s->scenarios, now, wall);

    *refused = 0;
    for (size_t i = 0; i < ARRAY_LEN(load_order); i++) {
        const struct sim_rows *rows = &s->disk.rows[load_order[i]];

        for (size_t k = 0; k < rows->n; k++)
            *refused += load_row(core, &rows->row[k], torn) != ERR_OK ? 1 : 0;
    }
    core_load_done(core);
    return core;
}

struct core *server_shadow(struct sim *s, const struct core_config *cfg,
                           const struct sim_ledger *torn, unsigned *refused)
{
    return recover(s, cfg, mono_of(s), torn, refused);
}

/* ---- life ---- */

static void set_tick(struct sim *s)
{
    struct sim_server *v = &s->server;
    const struct mono at = core_deadline(v->core);
    int64_t t;

    if (at.ms == INT64_MAX) {
        v->tick_at = INT64_MAX;
        return;
    }
    t = MAX(at.ms - v->mono_base, s->t);
    if (t == v->tick_at)
        return;
    v->tick_at = t;
    sim_at(s, t + (s->healed ? 0 : sim_between(s, 0, TICK_LATE_MS)),
           (struct sim_event){.what = SIM_TICK, .a = ++v->tick_no, .life = v->life});
}

void server_start(struct sim *s)
{
    struct sim_server *v = &s->server;
    unsigned refused;

    if (v->core != NULL)
        return;
    sim_bytes(s, v->cfg.seed, sizeof(v->cfg.seed));
    if (v->rekey_due) {
        sim_bytes(s, v->cfg.master, sizeof(v->cfg.master));
        v->cfg.master_kid++;
        v->rekey_due = false;
        sim_trace(s, "another master key, kid %u", v->cfg.master_kid);
    }
    v->life++;
    v->mono_base = sim_between(s, 0, 1000000000);
    if (v->life > 1)
        ledger_downtime(s, s->t - v->ended);
    v->born = s->t;
    v->served_base = s->disk.served_ms;
    v->tick_at = INT64_MAX;
    v->stopping = v->stopped = v->crashed = v->held = v->holding = false;
    v->crash_in = 0;
    v->core = recover(s, &v->cfg, mono_of(s), NULL, &refused);
    sim_trace(s, "process %u starts", v->life);
    if (refused > 0)
        sim_broken(s, LAW_RECOVERY, "%u rows that were committed aren't taken", refused);
    set_tick(s);
}

static void forget_jobs(struct sim_server *v)
{
    for (unsigned i = 0; i < v->n_jobs; i++) {
        mem_free(v->password[i]);
        mem_free(v->hash[i]);
    }
    v->n_jobs = 0;
}

/* The process is gone, by a crash or at its own end. */
static void end_process(struct sim *s)
{
    struct sim_server *v = &s->server;
    const int64_t served = v->served_base + s->t - v->born;

    core_free(v->core);
    v->core = NULL;
    v->ended = s->t;
    v->crashed = false;
    forget_jobs(v);
    disk_crash(s);
    boss_lost(s);
    net_server_gone(s);
    ledger_restart(s, s->disk.served_ms - served);
    sim_at(s, s->t + (s->healed ? 10 : sim_between(s, 10, 20000)),
           (struct sim_event){.what = SIM_START, .life = v->life});
}

void server_crash(struct sim *s)
{
    if (s->server.core == NULL)
        return;
    sim_trace(s, "process %u crashes", s->server.life);
    sim_note(s, "crash", NULL, 0);
    s->sum.crashes++;
    end_process(s);
}

void server_stop(struct sim *s)
{
    struct core_event ev = {.kind = CORE_STOP, .u.reason = "simulated"};

    if (s->server.core == NULL || s->server.stopping)
        return;
    sim_trace(s, "process %u is to stop", s->server.life);
    s->server.stopping = true;
    server_step(s, &ev);
}

/* As if a new program were to take over. */
void server_hold(struct sim *s)
{
    struct core_event ev = {.kind = CORE_HOLD};

    if (s->server.core == NULL || s->server.stopping || s->server.holding)
        return;
    sim_trace(s, "process %u holds", s->server.life);
    s->server.holding = true;
    server_step(s, &ev);
}

/* All is stored and nothing moves: the handover is called off, or it is the old program's end. */
static void end_hold(struct sim *s)
{
    struct core_event ev = {.kind = CORE_RELEASE};

    s->server.held = false;
    sim_hold(s, LAW_ZERO, s->disk.n == s->disk.group && s->disk.n <= 1 && s->server.n_jobs == 0,
             "work is under way in a server that holds");
    if (sim_odds(s, 500)) {
        ev = (struct core_event){.kind = CORE_STOP, .u.reason = "handed over"};
        s->server.stopping = true;
    }
    s->server.holding = false;
    s->disk.last_fault = s->t; /* the exact time is kept, until the next commit */
    server_step(s, &ev);
}

void server_fini(struct sim *s)
{
    core_free(s->server.core);
    s->server.core = NULL;
    forget_jobs(&s->server);
    core_effects_fini(&s->server.fx);
}

/* ---- hashing threads ---- */

static void hash_start(struct sim *s, struct core_effect *e)
{
    struct sim_server *v = &s->server;

    sim_hold(s, LAW_BOUNDS, v->n_jobs < ARRAY_LEN(v->job), "too many hashing jobs under way");
    v->job[v->n_jobs] = e->u.hash.job;
    v->password[v->n_jobs] = e->u.hash.password;
    v->hash[v->n_jobs++] = e->u.hash.hash;
    e->u.hash.password = e->u.hash.hash = NULL;
    sim_at(s, s->t + sim_between(s, HASH_FAST_MS, HASH_SLOW_MS),
           (struct sim_event){.what = SIM_HASHED, .life = v->life});
}

static void hash_of(const char *password, char out[128])
{
    uint8_t h[32];

    (void)crypto_hash_sha256(h, (const uint8_t *)password, strlen(password));
    (void)str_copy(out, 128, "$sim$");
    hex_encode(out + 5, h, 16);
}

void server_hashed(struct sim *s)
{
    struct core_event ev = {.kind = CORE_HASHED};
    struct sim_server *v = &s->server;
    char *password, *hash;
    char made[128];

    if (v->n_jobs == 0)
        return;
    ev.u.hashed.job = v->job[0];
    password = v->password[0];
    hash = v->hash[0];
    v->n_jobs--;
    memmove(v->job, v->job + 1, v->n_jobs * sizeof(v->job[0]));
    memmove(v->password, v->password + 1, v->n_jobs * sizeof(v->password[0]));
    memmove(v->hash, v->hash + 1, v->n_jobs * sizeof(v->hash[0]));
    hash_of(password, made);
    ev.u.hashed.ok = hash == NULL || strcmp(hash, made) == 0;
    (void)str_copy(ev.u.hashed.hash, sizeof(ev.u.hashed.hash), made);
    if (!s->healed && sim_odds(s, s->climate.busy)) {
        ev.u.hashed.err = ERR_BUSY;
        ev.u.hashed.ok = false;
    }
    mem_free(password);
    mem_free(hash);
    server_step(s, &ev);
}

/* ---- the step ---- */

static void send_out(struct sim *s, const struct core_effect *e)
{
    struct sim_link *l = net_find(s, e->conn);

    if (l == NULL || !l->server_open)
        sim_broken(s, LAW_REPLY, "something is sent on a connection that is closed: %.200s",
                   e->u.bytes->data);
    l->limit = e->slow_at;
    tap_out(s, l, e->u.bytes->data, e->u.bytes->len);
    net_out(s, l, e->u.bytes->data, e->u.bytes->len);
}

static struct sim_link *need_open(struct sim *s, conn_id id)
{
    struct sim_link *l = net_find(s, id);

    sim_hold(s, LAW_STANDS, l != NULL && l->server_open, "an effect on a closed connection");
    return l;
}

static void carry_out(struct sim *s, struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
        send_out(s, e);
        break;
    case CORE_FX_CLOSE:
        sim_close(s, need_open(s, e->conn));
        break;
    case CORE_FX_PAUSE:
        sim_pause(s, need_open(s, e->conn), true);
        break;
    case CORE_FX_RESUME:
        sim_pause(s, need_open(s, e->conn), false);
        break;
    case CORE_FX_STORE:
        disk_submit(s, e->u.txn);
        e->u.txn = NULL;
        break;
    case CORE_FX_READ:
        disk_ask(s, e->u.read);
        e->u.read = NULL;
        break;
    case CORE_FX_HASH:
        hash_start(s, e);
        break;
    case CORE_FX_STOPPED:
        s->server.stopped = true;
        break;
    case CORE_FX_HELD:
        s->server.held = true;
        break;
    case CORE_FX_ADMIN:
        boss_answer(s, e->conn, e->u.bytes->data, e->u.bytes->len);
        break;
    case CORE_FX_JOB:
        sim_hold(s, LAW_STANDS, e->u.job.what == CORE_JOB_BACKUP, "a job that nobody asked for");
        boss_job(s, e->u.job.id);
        break;
    }
}

/* Some effects are carried out, and then the power is gone. */
static bool crashes_now(struct sim_server *v)
{
    if (v->crash_in == 0)
        return false;
    v->crash_in--;
    return v->crash_in == 0;
}

void server_step(struct sim *s, struct core_event *ev)
{
    struct sim_server *v = &s->server;
    struct core_effects fx = v->fx;

    v->fx = (struct core_effects){NULL, 0, 0};
    ev->now = mono_of(s);
    ev->wall.ms = s->t + v->wall_off;
    s->sum.events++;
    core_step(v->core, ev, &fx);
    for (size_t i = 0; i < fx.n && !v->crashed; i++) {
        v->crashed = crashes_now(v);
        if (!v->crashed)
            carry_out(s, &fx.fx[i]);
    }
    s->last_line = NULL;
    if (!v->crashed)
        tap_end(s);
    if (v->crashed) {
        core_effects_fini(&fx);
        server_crash(s);
        return;
    }
    for (size_t i = 0; i < fx.n; i++)
        if (fx.fx[i].kind == CORE_FX_SEND || fx.fx[i].kind == CORE_FX_ADMIN)
            shared_unref(fx.fx[i].u.bytes);
        else if (fx.fx[i].kind == CORE_FX_JOB)
            mem_free(fx.fx[i].u.job.arg);
    fx.n = 0;
    v->fx = fx;
    if (v->stopped) {
        sim_trace(s, "process %u stops", v->life);
        end_process(s);
        return;
    }
    set_tick(s);
    if (v->held)
        end_hold(s);
}
