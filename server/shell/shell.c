/* SPDX-License-Identifier: ISC */
#include "server/shell/shell.h"

#include <sodium.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/datadir.h"
#include "server/shell/hasher.h"
#include "server/shell/load.h"
#include "server/shell/net.h"

enum {
    TICK_MAX_MS = 60 * 60 * 1000, /* no timer is set longer than this */
    ENTROPY_MS = 60 * 1000,
    STOP_MS = 10 * 1000, /* from the signal to the core's last word, at most */
    LEAVE_MS = 250,      /* then, for the peers to read it */
    SPARE_FDS = 64,      /* descriptors that aren't players' */
    SLOW_BYTES = 64 * 1024,
    QUEUE_BYTES = 4 * 1024 * 1024
};

/* Serving, asked to stop, the core has stopped, handles are being closed. */
enum stage { SERVING, STOPPING, LEAVING, CLOSING };

struct shell {
    uv_loop_t loop;
    struct datadir dir;
    struct scenario_set scenarios;
    struct store *store;
    struct hasher *hasher;
    struct net *net;
    struct core *core;
    struct core_effects fx;
    uv_prepare_t turn; /* right before the loop waits: the one place that writes */
    uv_idle_t spin;    /* on: don't wait */
    uv_timer_t tick, entropy, patience;
    uv_signal_t sigterm, sigint;
    int64_t served_ms; /* at started_ms of the loop's clock */
    uint64_t started_ms;
    int64_t tick_at_ms; /* what `tick` is set to */
    enum stage stage;
    bool stepping;
    bool disk_full; /* the last transaction was refused */
    int exit_code;
};

/* Serving time: goes on where the last run ended, stands still in between. */
static struct mono now_of(const struct shell *sh)
{
    return (struct mono){sh->served_ms + (int64_t)(uv_now(&sh->loop) - sh->started_ms)};
}

static void leave(struct shell *sh);

static void carry_out(struct shell *sh, struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
        net_send(sh->net, e->conn, e->u.bytes, e->player);
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
    case CORE_FX_HASH:
        hasher_submit(sh->hasher, e->u.hash.job, e->u.hash.password, e->u.hash.hash);
        break;
    case CORE_FX_STOPPED:
        leave(sh);
        break;
    }
}

static void step(struct shell *sh, struct core_event *ev)
{
    if (sh->stage >= LEAVING)
        return; /* the core has said its last word */
    CHECK(!sh->stepping);
    sh->stepping = true;
    ev->now = now_of(sh);
    ev->wall = wall_now();
    core_step(sh->core, ev, &sh->fx);
    for (size_t i = 0; i < sh->fx.n; i++)
        carry_out(sh, &sh->fx.fx[i]);
    sh->fx.n = 0; /* all taken */
    sh->stepping = false;
}

/* ---- from the world ---- */

static void on_accepted(void *arg, conn_id conn, const char *addr, bool loopback)
{
    struct core_event ev = {.kind = CORE_ACCEPTED, .conn = conn};

    (void)str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), addr);
    ev.u.accepted.loopback = loopback;
    LOG_DEBUG("net.accept", "conn=%llu from=%s", (unsigned long long)conn, addr);
    step(arg, &ev);
}

static void on_bytes(void *arg, conn_id conn, const char *data, size_t len)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = conn, .u.bytes = {data, len}};

    step(arg, &ev);
}

static void on_eof(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_EOF, .conn = conn};

    LOG_DEBUG("net.eof", "conn=%llu", (unsigned long long)conn);
    step(arg, &ev);
}

static void on_slow(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_SLOW, .conn = conn};

    step(arg, &ev);
}

static void on_drained(void *arg, conn_id conn)
{
    struct core_event ev = {.kind = CORE_DRAINED, .conn = conn};

    step(arg, &ev);
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
    step(sh, &ev);
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

static void on_hashed(void *arg, const struct hasher_done *done)
{
    struct core_event ev = {.kind = CORE_HASHED, .u.hashed = {.job = done->job, .ok = done->ok}};

    ev.u.hashed.err = done->err;
    (void)str_copy(ev.u.hashed.hash, sizeof(ev.u.hashed.hash), done->hash);
    step(arg, &ev);
}

static void on_tick(uv_timer_t *timer)
{
    struct shell *sh = timer->data;
    struct core_event ev = {.kind = CORE_TICK};

    sh->tick_at_ms = INT64_MAX;
    step(sh, &ev);
}

static void on_entropy(uv_timer_t *timer)
{
    struct core_event ev = {.kind = CORE_ENTROPY};

    randombytes_buf(ev.u.entropy, sizeof(ev.u.entropy));
    step(timer->data, &ev);
}

/* ---- the turn ---- */

/* Set the timer to what the core wants, where that has changed. */
static void set_tick(struct shell *sh)
{
    const struct mono now = now_of(sh);
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

static void close_handles(struct shell *sh)
{
    uv_handle_t *const own[] = {
        (uv_handle_t *)&sh->turn,    (uv_handle_t *)&sh->spin,     (uv_handle_t *)&sh->tick,
        (uv_handle_t *)&sh->entropy, (uv_handle_t *)&sh->patience, (uv_handle_t *)&sh->sigterm,
        (uv_handle_t *)&sh->sigint,
    };

    sh->stage = CLOSING; /* from here on nothing reaches the core */
    store_stop(sh->store);
    hasher_stop(sh->hasher);
    net_close_all(sh->net);
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        uv_close(own[i], NULL);
}

static void on_turn(uv_prepare_t *prepare)
{
    struct shell *sh = prepare->data;

    if (net_flush(sh->net))
        CHECK(uv_idle_start(&sh->spin, on_spin) == 0);
    else
        CHECK(uv_idle_stop(&sh->spin) == 0);
    if (sh->stage < LEAVING)
        set_tick(sh);
    else if (sh->stage == LEAVING && net_count(sh->net) == 0)
        close_handles(sh);
}

/* ---- the end ---- */

static void on_patience(uv_timer_t *timer)
{
    struct shell *sh = timer->data;

    if (sh->stage == STOPPING) {
        LOG_ERROR("stop.late", "ms=%d", STOP_MS);
        sh->exit_code = EX_SOFTWARE;
    }
    close_handles(sh);
}

/* The core has stopped: its last words go out, peers that read them leave. */
static void leave(struct shell *sh)
{
    sh->stage = LEAVING;
    net_close_each(sh->net);
    CHECK(uv_timer_start(&sh->patience, on_patience, LEAVE_MS, 0) == 0);
}

static void on_signal(uv_signal_t *signal, int signum)
{
    struct shell *sh = signal->data;
    struct core_event ev = {.kind = CORE_STOP, .u.reason = "stop"};

    LOG_INFO("stop", "signal=%d", signum);
    if (sh->stage != SERVING) { /* asked twice: don't wait for anybody */
        if (sh->stage != CLOSING)
            close_handles(sh);
        return;
    }
    sh->stage = STOPPING;
    net_stop_listening(sh->net);
    CHECK(uv_timer_start(&sh->patience, on_patience, STOP_MS, 0) == 0);
    step(sh, &ev);
}

/* ---- the beginning ---- */

static int say(int code, const char *why)
{
    (void)fprintf(stderr, "skirmishd: %s\n", why);
    return code;
}

/* As many connections as wanted, or as descriptors allow (with a word about it). */
static unsigned allow_conns(const struct config *cfg)
{
    struct rlimit lim;
    unsigned most = (unsigned)cfg->max_conns;

    CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
    lim.rlim_cur = lim.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &lim); /* what it really is decides */
    CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
    if (lim.rlim_cur >= most + (rlim_t)SPARE_FDS)
        return most;
    most = lim.rlim_cur > 2 * (rlim_t)SPARE_FDS ? (unsigned)(lim.rlim_cur - SPARE_FDS) : SPARE_FDS;
    LOG_WARN("limits.connections", "wanted=%lld descriptors=%llu now=%u", (long long)cfg->max_conns,
             (unsigned long long)lim.rlim_cur, most);
    return most;
}

static int open_data(struct shell *sh, const struct config *cfg)
{
    char why[DATADIR_WHY_LEN];

    sh->dir.lock = -1;
    if (cfg->store == CONFIG_STORE_MEMORY)
        return EX_OK;
    if (cfg->data[0] == '\0')
        return say(EX_CONFIG, "no data directory: name one with --data DIR, or set HOME");
    switch (datadir_open(cfg->data, &sh->dir, why)) {
    case ERR_OK:
        return EX_OK;
    case ERR_BUSY:
        return say(EX_TEMPFAIL, why);
    case ERR_DENIED:
        return say(EX_CONFIG, why);
    default:
        return say(EX_CANTCREAT, why);
    }
}

static int open_key(const struct shell *sh, struct master_key *key)
{
    char why[DATADIR_WHY_LEN];
    enum err e = ERR_OK;

    if (sh->dir.lock >= 0) {
        e = datadir_master_key(&sh->dir, key, why);
    } else {
        randombytes_buf(key->key, sizeof(key->key));
        key->kid = 1;
    }
    if (e == ERR_OK)
        return EX_OK;
    return say(e == ERR_IO ? EX_IOERR : EX_CONFIG, why);
}

static int open_store(struct shell *sh)
{
    char path[DATADIR_PATH_LEN];
    char why[STORE_WHY_LEN];
    char words[DATADIR_PATH_LEN + STORE_WHY_LEN + 64];
    enum err e;

    if (sh->dir.lock < 0) {
        store_open_memory(&sh->store);
        return EX_OK;
    }
    datadir_file(&sh->dir, "skirmish.db", path);
    e = store_open_sqlite(path, &sh->store, why);
    if (e == ERR_OK)
        return EX_OK;
    (void)snprintf(words, sizeof(words), "can't open the database %s: %s", path, why);
    if (e == ERR_BUSY)
        return say(EX_TEMPFAIL, words);
    return say(e == ERR_IO ? EX_IOERR : EX_DATAERR, words);
}

static int listen_all(struct shell *sh, struct config *cfg)
{
    char why[NET_WHY_LEN];

    for (size_t i = 0; i < cfg->n_listen; i++) {
        switch (net_listen(sh->net, cfg->listen[i].host, &cfg->listen[i].port, why)) {
        case ERR_OK:
            break;
        case ERR_BUSY:
            return say(EX_UNAVAILABLE, why);
        case ERR_DENIED:
            return say(EX_NOPERM, why);
        case ERR_NOT_FOUND:
            return say(EX_CONFIG, why);
        default:
            return say(EX_OSERR, why);
        }
    }
    return EX_OK;
}

static void make_core(struct shell *sh, const struct config *cfg, const struct master_key *key,
                      unsigned max_conns)
{
    struct core_config cc = {.server = "skirmishd/" SK_VERSION,
                             .motd = cfg->motd,
                             .master_kid = key->kid,
                             .max_conns = max_conns,
                             .max_conns_per_addr = (unsigned)cfg->max_conns_per_addr,
                             .max_matches = (unsigned)cfg->max_matches,
                             .max_guests = (unsigned)cfg->max_guests,
                             .max_watchers = (unsigned)cfg->max_watchers,
                             .registration = (uint8_t)cfg->registration,
                             .vacation_days = (unsigned)cfg->vacation_days,
                             .limit_loopback = cfg->limit_loopback};

    memcpy(cc.master, key->key, sizeof(cc.master));
    randombytes_buf(cc.seed, sizeof(cc.seed));
    sh->core = core_new(&cc, &sh->scenarios, now_of(sh), wall_now());
    sodium_memzero(&cc, sizeof(cc));
}

/* Database, clock and core: all that is known, before anybody is heard. */
static int load(struct shell *sh, const struct config *cfg, unsigned max_conns)
{
    struct master_key key = {.kid = 0};
    char why[STORE_WHY_LEN];
    int code = open_key(sh, &key);

    if (code == EX_OK)
        code = open_store(sh);
    if (code != EX_OK)
        return code;
    if (load_served_ms(sh->store, &sh->served_ms, why) != ERR_OK)
        return say(EX_DATAERR, why);
    uv_update_time(&sh->loop);
    sh->started_ms = uv_now(&sh->loop);
    make_core(sh, cfg, &key, max_conns);
    sodium_memzero(&key, sizeof(key));
    if (load_all(sh->store, sh->core, why) != ERR_OK)
        return say(EX_DATAERR, why);
    return EX_OK;
}

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
    sh->turn.data = sh->tick.data = sh->entropy.data = sh->patience.data = sh;
    sh->sigterm.data = sh->sigint.data = sh;
}

static void serve(struct shell *sh, const struct config *cfg)
{
    const struct store_hooks hooks = {on_stored, on_lost, sh};

    store_start(sh->store, &sh->loop, &hooks);
    hasher_start(&sh->loop, on_hashed, sh, &sh->hasher);
    init_handles(sh);
    CHECK(uv_prepare_start(&sh->turn, on_turn) == 0);
    CHECK(uv_timer_start(&sh->entropy, on_entropy, ENTROPY_MS, ENTROPY_MS) == 0);
    CHECK(uv_signal_start(&sh->sigterm, on_signal, SIGTERM) == 0);
    CHECK(uv_signal_start(&sh->sigint, on_signal, SIGINT) == 0);
    for (size_t i = 0; i < cfg->n_listen; i++) {
        const char *host = cfg->listen[i].host;
        const bool v6 = strchr(host, ':') != NULL;

        printf("listening %s%s%s:%u\n", v6 ? "[" : "", host, v6 ? "]" : "", cfg->listen[i].port);
    }
    (void)fflush(stdout); /* whoever reads it, or nobody */
    CHECK(uv_run(&sh->loop, UV_RUN_DEFAULT) == 0);
}

int shell_run(const struct config *cfg)
{
    struct config own = *cfg; /* its port 0s become real */
    struct shell *sh = mem_zalloc(sizeof(*sh));
    const struct net_hooks hooks = {.accepted = on_accepted,
                                    .bytes = on_bytes,
                                    .eof = on_eof,
                                    .slow = on_slow,
                                    .drained = on_drained,
                                    .arg = sh};
    struct net_config nc = {.slow_queued = SLOW_BYTES, .max_queued = QUEUE_BYTES};
    int code;

    sh->tick_at_ms = INT64_MAX;
    scenario_set_init(&sh->scenarios);
    CHECK(uv_loop_init(&sh->loop) == 0);
    nc.max_conns = allow_conns(cfg);
    net_new(&sh->loop, &nc, &hooks, &sh->net);
    code = open_data(sh, cfg);
    if (code == EX_OK)
        code = listen_all(sh, &own);
    if (code == EX_OK)
        code = load(sh, cfg, nc.max_conns);
    if (code == EX_OK) {
        serve(sh, &own);
        code = sh->exit_code;
    } else {
        net_close_all(sh->net);
        CHECK(uv_run(&sh->loop, UV_RUN_DEFAULT) == 0);
    }
    store_free(sh->store);
    net_free(sh->net);
    core_free(sh->core);
    core_effects_fini(&sh->fx);
    scenario_set_fini(&sh->scenarios);
    CHECK(uv_loop_close(&sh->loop) == 0);
    datadir_close(&sh->dir);
    mem_free(sh);
    return code;
}
