/* SPDX-License-Identifier: ISC */
#include "server/shell/shell.h"

#include <sodium.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/attic_file.h"
#include "server/shell/confine.h"
#include "server/shell/notify.h"
#include "server/shell/shell_impl.h"
#include "server/shell/tls.h"

enum {
    TICK_MAX_MS = 60 * 60 * 1000, /* no timer is set longer than this */
    ENTROPY_MS = 60 * 1000,
    STOP_MS = 10 * 1000, /* from the signal to the core's last word, at most */
    LEAVE_MS = 250,      /* then, for the peers to read it */
    KEEP_EFFECTS = 1024  /* room for so many stays; a crowd's is given back */
};

struct mono shell_now(const struct shell *sh)
{
    return (struct mono){sh->served_ms + (int64_t)(uv_now(&sh->loop) - sh->started_ms)};
}

static void leave(struct shell *sh);

static void carry_out(struct shell *sh, struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
        net_send(sh->net, e->conn, &(struct net_send){e->u.bytes, e->player, e->slow_at});
        break;
    case CORE_FX_CLOSE:
        net_close(sh->net, e->conn);
        break;
    case CORE_FX_PAUSE:
        net_pause(sh->net, e->conn);
        break;
    case CORE_FX_RESUME:
        net_resume(sh->net, e->conn);
        break;
    case CORE_FX_STORE:
        store_submit(sh->store, e->u.txn);
        break;
    case CORE_FX_READ:
        store_ask(sh->store, e->u.read);
        break;
    case CORE_FX_HASH:
        hasher_submit(sh->hasher, e->u.hash.job, e->u.hash.password, e->u.hash.hash);
        break;
    case CORE_FX_STOPPED:
        leave(sh);
        break;
    case CORE_FX_ADMIN:
        if (sh->ctl != NULL)
            ctlsock_answer(sh->ctl, e->conn, e->u.bytes);
        else
            shared_unref(e->u.bytes);
        break;
    case CORE_FX_JOB:
        shell_take_job(sh, e);
        break;
    case CORE_FX_HELD:
        sh->held = true; /* dealt with in the turn: the store may be calling us just now */
        break;
    }
}

void shell_step(struct shell *sh, struct core_event *ev)
{
    if (sh->stage >= LEAVING || sh->stage == HELD)
        return; /* the core has said its last word, or stands still */
    CHECK(!sh->stepping);
    sh->stepping = true;
    ev->now = shell_now(sh);
    ev->wall = wall_now();
    core_step(sh->core, ev, &sh->fx);
    for (size_t i = 0; i < sh->fx.n; i++)
        carry_out(sh, &sh->fx.fx[i]);
    sh->fx.n = 0; /* all taken */
    if (sh->fx.cap > KEEP_EFFECTS)
        core_effects_fini(&sh->fx);
    sh->stepping = false;
}

/* ---- from the world ---- */

static void on_accepted(void *arg, conn_id conn, const struct net_peer *peer)
{
    struct core_event ev = {.kind = CORE_ACCEPTED, .conn = conn};

    (void)str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), peer->addr);
    ev.u.accepted.loopback = peer->loopback;
    ev.u.accepted.tls = peer->tls;
    LOG_DEBUG("net.accept", "conn=%llu from=%s", (unsigned long long)conn, peer->addr);
    shell_step(arg, &ev);
}

static void on_bytes(void *arg, conn_id conn, const char *data, size_t len)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = conn, .u.bytes = {data, len}};

    shell_step(arg, &ev);
}

/* The core will be told, if it goes on. */
static void remember_gone(struct shell *sh, conn_id conn)
{
    if (sh->n_gone == sh->gone_cap) {
        sh->gone_cap = MAX(sh->gone_cap * 2, (size_t)64);
        sh->gone = mem_resize(sh->gone, sh->gone_cap, sizeof(*sh->gone));
    }
    sh->gone[sh->n_gone++] = conn;
}

void shell_on_eof(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_EOF, .conn = conn};

    LOG_DEBUG("net.eof", "conn=%llu", (unsigned long long)conn);
    if (((struct shell *)arg)->stage == HELD)
        remember_gone(arg, conn);
    shell_step(arg, &ev);
}

static void on_slow(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_SLOW, .conn = conn};

    shell_step(arg, &ev);
}

static void on_drained(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_DRAINED, .conn = conn};

    shell_step(arg, &ev);
}

static void on_stored(void *arg, uint64_t txn, enum err err)
{
    struct core_event ev = {.kind = CORE_STORED, .u.stored = {txn, err}};
    struct shell *sh = arg;
    const bool full = err != ERR_OK;

    if (full != sh->disk_full) /* once, not for every order that is refused */
        LOG_WARN(full ? "store.full" : "store.room", "words=%s",
                 full ? "the disk is full: nothing new is taken until there is room"
                      : "there is room again");
    sh->disk_full = full;
    shell_step(sh, &ev);
}

static void on_found(void *arg, uint64_t id, struct store_found *found)
{
    struct core_event ev = {.kind = CORE_READ, .u.read = {id, found}};

    shell_step(arg, &ev);
}

/* On the writer's thread. Ending here and now is what keeps the promise: nobody is answered. */
static void on_lost(void *arg, const char *why)
{
    (void)arg;
    LOG_ERROR("store.lost", "why=%s", why);
    (void)fprintf(stderr,
                  "skirmishd: the database failed: %s\n"
                  "Nothing since its last success was acknowledged. Look at the disk, then start "
                  "again: every acknowledged order is there.\n",
                  why);
    _exit(EX_IOERR);
}

void shell_start_store(struct shell *sh)
{
    const struct store_hooks hooks = {
        .done = on_stored, .found = on_found, .lost = on_lost, .arg = sh};

    store_start(sh->store, &sh->loop, &hooks);
}

static void on_hashed(void *arg, const struct hasher_done *done)
{
    struct core_event ev = {.kind = CORE_HASHED, .u.hashed = {.job = done->job, .ok = done->ok}};

    ev.u.hashed.err = done->err;
    (void)str_copy(ev.u.hashed.hash, sizeof(ev.u.hashed.hash), done->hash);
    shell_step(arg, &ev);
}

static void on_tick(uv_timer_t *timer)
{
    struct shell *sh = timer->data;
    struct core_event ev = {.kind = CORE_TICK};

    sh->tick_at_ms = INT64_MAX;
    shell_step(sh, &ev);
}

static void on_entropy(uv_timer_t *timer)
{
    struct core_event ev = {.kind = CORE_ENTROPY};

    randombytes_buf(ev.u.entropy, sizeof(ev.u.entropy));
    shell_step(timer->data, &ev);
}

/* ---- the turn ---- */

/* Set the timer to what the core wants, where that has changed. */
static void set_tick(struct shell *sh)
{
    const struct mono now = shell_now(sh);
    const struct mono at = core_deadline(sh->core);
    int64_t in_ms = 0;

    if (at.ms == sh->tick_at_ms)
        return;
    sh->tick_at_ms = at.ms;
    if (at.ms > now.ms)
        in_ms = MIN(at.ms - now.ms, (int64_t)TICK_MAX_MS);
    CHECK(uv_timer_start(&sh->tick, on_tick, (uint64_t)in_ms, 0) == 0);
}

static void on_spin(uv_idle_t *idle)
{
    (void)idle; /* being active is all */
}

void shell_close_handles(struct shell *sh)
{
    uv_handle_t *const own[] = {
        (uv_handle_t *)&sh->turn,    (uv_handle_t *)&sh->spin,     (uv_handle_t *)&sh->tick,
        (uv_handle_t *)&sh->entropy, (uv_handle_t *)&sh->patience, (uv_handle_t *)&sh->sigterm,
        (uv_handle_t *)&sh->sigint,  (uv_handle_t *)&sh->sigusr2,  (uv_handle_t *)&sh->watchdog,
        (uv_handle_t *)&sh->sighup,  (uv_handle_t *)&sh->sigusr1,
    };

    sh->stage = CLOSING; /* from here on nothing reaches the core */
    if (sh->store != NULL)
        store_stop(sh->store);
    handover_free(sh->handover);
    hasher_stop(sh->hasher);
    net_close_all(sh->net);
    ctlsock_close(sh->ctl);
    sh->ctl = NULL;
    metrics_close(sh->metrics);
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        uv_close(own[i], NULL);
}

static void on_turn(uv_prepare_t *prepare)
{
    struct shell *sh = prepare->data;

    if (sh->n_jobs > 0)
        shell_do_jobs(sh);
    shell_tell_settings(sh);
    if (net_flush(sh->net))
        CHECK(uv_idle_start(&sh->spin, on_spin) == 0);
    else
        CHECK(uv_idle_stop(&sh->spin) == 0);
    if (sh->store != NULL)
        store_push(sh->store); /* who has caught breath may have ordered just now */
    if (sh->held && sh->stage == HOLDING)
        shell_give_database(sh);
    if (sh->stage < LEAVING && sh->stage != HELD)
        set_tick(sh);
    else if (sh->stage == LEAVING && net_count(sh->net) == 0)
        shell_close_handles(sh);
}

/* ---- the end ---- */

static void on_patience(uv_timer_t *timer)
{
    struct shell *sh = timer->data;

    if (sh->stage == STOPPING) {
        LOG_ERROR("stop.late", "ms=%d", STOP_MS);
        sh->exit_code = EX_SOFTWARE;
    }
    shell_close_handles(sh);
}

/* The core has stopped: its last words go out, peers that read them leave. */
static void leave(struct shell *sh)
{
    sh->stage = LEAVING;
    net_close_each(sh->net);
    CHECK(uv_timer_start(&sh->patience, on_patience, LEAVE_MS, 0) == 0);
}

void shell_stop(struct shell *sh, const char *reason)
{
    struct core_event ev = {.kind = CORE_STOP, .u.reason = reason};

    sh->stage = STOPPING;
    net_stop_listening(sh->net);
    CHECK(uv_timer_start(&sh->patience, on_patience, STOP_MS, 0) == 0);
    shell_step(sh, &ev);
}

void shell_ask_stop(struct shell *sh, const char *why)
{
    LOG_INFO("stop", "why=%s", why);
    notify_send("STOPPING=1");
    if (sh->stage == HOLDING || sh->stage == HELD) { /* the database comes back first */
        sh->stop_asked = true;
        handover_cancel(sh->handover, "the server was asked to stop");
        return;
    }
    if (sh->stage != SERVING) { /* asked twice: don't wait for anybody */
        if (sh->stage != CLOSING)
            shell_close_handles(sh);
        return;
    }
    shell_stop(sh, "stop");
}

static void on_signal(uv_signal_t *signal, int signum)
{
    shell_ask_stop(signal->data, signum == SIGTERM ? "SIGTERM" : "SIGINT");
}

static void on_backed_up(void *arg, const struct backup_result *r)
{
    struct shell *sh = arg;

    sh->backing_up = false;
    if (r->err == ERR_OK)
        LOG_INFO("backup.done", "file=%s bytes=%lld copy_ms=%lld ms=%lld removed=%u", r->path,
                 (long long)r->bytes, (long long)r->copy_ms, (long long)r->all_ms, r->removed);
    else
        LOG_ERROR("backup.failed", "why=%s", r->why);
    if (sh->asked_backup.done != NULL)
        sh->asked_backup.done(sh->asked_backup.arg, r);
}

bool shell_backup(struct shell *sh, const struct backup_wish *wish)
{
    struct backup_wish ours = *wish;
    char archive[DATADIR_PATH_LEN];

    if (sh->stage != SERVING || sh->backing_up)
        return false;
    sh->backing_up = true;
    sh->asked_backup = *wish;
    datadir_file(&sh->dir, ATTIC_DIR, archive);
    ours.archive = archive;
    ours.done = on_backed_up;
    ours.arg = sh;
    backup_start(&sh->loop, sh->store, &ours);
    return true;
}

/* SIGUSR1, a timer's way to ask for one. */
static void on_backup(uv_signal_t *signal, int signum)
{
    struct shell *sh = signal->data;
    const struct backup_wish wish = {.dir = sh->cfg.backup_dir,
                                     .keep = (unsigned)sh->cfg.backup_keep};

    (void)signum;
    if (sh->cfg.backup_dir[0] == '\0')
        LOG_ERROR("backup.failed", "why=%s", "no [backup] directory is configured");
    else if (!shell_backup(sh, &wish))
        LOG_WARN("backup.failed", "why=%s", "one is under way, or the server is about to end");
}

/* ---- the beginning ---- */

static void init_handles(struct shell *sh)
{
    uv_loop_t *loop = &sh->loop;

    CHECK(uv_prepare_init(loop, &sh->turn) == 0);
    CHECK(uv_idle_init(loop, &sh->spin) == 0);
    CHECK(uv_timer_init(loop, &sh->tick) == 0);
    CHECK(uv_timer_init(loop, &sh->entropy) == 0);
    CHECK(uv_timer_init(loop, &sh->patience) == 0);
    CHECK(uv_signal_init(loop, &sh->sigterm) == 0);
    CHECK(uv_signal_init(loop, &sh->sigint) == 0);
    CHECK(uv_timer_init(loop, &sh->watchdog) == 0);
    CHECK(uv_signal_init(loop, &sh->sigusr2) == 0);
    CHECK(uv_signal_init(loop, &sh->sighup) == 0);
    CHECK(uv_signal_init(loop, &sh->sigusr1) == 0);
    sh->sigusr1.data = sh;
    sh->turn.data = sh->tick.data = sh->entropy.data = sh->patience.data = sh;
    sh->sigterm.data = sh->sigint.data = sh->sigusr2.data = sh->sighup.data = sh;
}

static void on_watchdog(uv_timer_t *timer)
{
    (void)timer;
    notify_send("WATCHDOG=1");
}

/* The service manager learns that we serve, and from now on that we are alive. */
static void tell_manager(struct shell *sh)
{
    const uint64_t every = (uint64_t)notify_watchdog_ms() / 2;

    notify_send("READY=1\nSTATUS=serving");
    if (every > 0)
        CHECK(uv_timer_start(&sh->watchdog, on_watchdog, every, every) == 0);
}

static void hear_signals(struct shell *sh)
{
    CHECK(uv_signal_start(&sh->sigterm, on_signal, SIGTERM) == 0);
    CHECK(uv_signal_start(&sh->sigint, on_signal, SIGINT) == 0);
    CHECK(uv_signal_start(&sh->sighup, shell_on_reload, SIGHUP) == 0);
    CHECK(uv_signal_start(&sh->sigusr1, on_backup, SIGUSR1) == 0);
    CHECK(uv_signal_start(&sh->sigusr2, shell_on_upgrade, SIGUSR2) == 0);
}

static void serve(struct shell *sh, const struct config *cfg)
{
    LOG_INFO("confine", "filter=%s", confine() == CONFINE_FILTER ? "yes" : "no");
    uv_update_time(&sh->loop);
    sh->started_ms = uv_now(&sh->loop); /* nobody's clock has run while all was loaded */
    shell_start_store(sh);
    hasher_start(&sh->loop, on_hashed, sh, &sh->hasher);
    init_handles(sh);
    CHECK(uv_prepare_start(&sh->turn, on_turn) == 0);
    CHECK(uv_timer_start(&sh->entropy, on_entropy, ENTROPY_MS, ENTROPY_MS) == 0);
    hear_signals(sh);
    shell_open_admin(sh);
    for (size_t i = 0; i < cfg->n_listen; i++) {
        const char *host = cfg->listen[i].host;
        const bool v6 = strchr(host, ':') != NULL;

        printf("listening %s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", cfg->listen[i].port);
        if (cfg->listen[i].tls)
            printf(" tls %s", sh->print);
        printf("\n");
    }
    (void)fflush(stdout); /* whoever reads it, or nobody */
    if (!keeper_tell(&sh->keeper, cfg))
        LOG_WARN("bots", "words=%s", "house bots need a listener without TLS on this machine");
    tell_manager(sh);
    CHECK(uv_run(&sh->loop, UV_RUN_DEFAULT) == 0);
}

int shell_run(const struct config *cfg, char **argv)
{
    struct config own = *cfg; /* its port 0s become real */
    struct shell *sh = mem_zalloc(sizeof(*sh));
    const struct net_hooks hooks = {.accepted = on_accepted,
                                    .bytes = on_bytes,
                                    .eof = shell_on_eof,
                                    .slow = on_slow,
                                    .drained = on_drained,
                                    .arg = sh};
    struct net_config nc;
    int code;

    sh->tick_at_ms = INT64_MAX;
    sh->cfg = *cfg;
    sh->argv = argv;
    if (starter_open(&sh->starter, argv) != ERR_OK) /* first of all: it has nothing of ours */
        LOG_WARN("upgrade", "words=%s", "no process can be forked: no upgrade while serving");
    if (keeper_start(&sh->keeper, cfg) != ERR_OK)
        LOG_WARN("bots", "words=%s", "no process can be forked: no house bots");
    scenario_set_init(&sh->scenarios);
    CHECK(uv_loop_init(&sh->loop) == 0);
    shell_net_config(cfg, &nc);
    sh->max_conns = nc.max_conns;
    net_new(&sh->loop, &nc, &hooks, &sh->net);
    code = shell_open_all(sh, &own, nc.max_conns);
    if (code == EX_OK) {
        serve(sh, &own);
        code = sh->exit_code;
    } else {
        net_close_all(sh->net);
        metrics_close(sh->metrics);
        CHECK(uv_run(&sh->loop, UV_RUN_DEFAULT) == 0);
    }
    store_free(sh->store);
    mem_free(sh->gone);
    for (size_t i = 0; i < sh->n_jobs; i++)
        mem_free(sh->job[i].arg);
    mem_free(sh->job);
    net_free(sh->net);
    tls_free(sh->tls);
    starter_close(&sh->starter);
    keeper_close(&sh->keeper);
    core_free(sh->core);
    core_effects_fini(&sh->fx);
    scenario_set_fini(&sh->scenarios);
    CHECK(uv_loop_close(&sh->loop) == 0);
    datadir_close(&sh->dir);
    mem_free(sh);
    return code;
}
