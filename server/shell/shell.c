/* SPDX-License-Identifier: ISC */
#include "server/shell/shell.h"

#include <sodium.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/confine.h"
#include "server/shell/datadir.h"
#include "server/shell/hasher.h"
#include "server/shell/load.h"
#include "server/shell/net.h"
#include "server/shell/selfsign.h"
#include "server/shell/tls.h"

enum {
    TICK_MAX_MS = 60 * 60 * 1000, /* no timer is set longer than this */
    ENTROPY_MS = 60 * 1000,
    STOP_MS = 10 * 1000, /* from the signal to the core's last word, at most */
    LEAVE_MS = 250,      /* then, for the peers to read it */
    SPARE_FDS = 64,      /* descriptors that aren't players' */
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
    struct tls *tls; /* of the TLS listeners; NULL: there are none */
    struct core *core;
    struct core_effects fx;
    uv_prepare_t turn; /* right before the loop waits: the one place that writes */
    uv_idle_t spin;    /* on: don't wait */
    uv_timer_t tick, entropy, patience;
    uv_signal_t sigterm, sigint, sighup;
    int64_t served_ms; /* at started_ms of the loop's clock */
    uint64_t started_ms;
    int64_t tick_at_ms; /* what `tick` is set to */
    enum stage stage;
    bool stepping;
    bool disk_full; /* the last transaction was refused */
    int exit_code;
    char print[SELFSIGN_PRINT_LEN]; /* of the certificate */
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

static void on_accepted(void *arg, conn_id conn, const struct net_peer *peer)
{
    struct core_event ev = {.kind = CORE_ACCEPTED, .conn = conn};

    (void)str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), peer->addr);
    ev.u.accepted.loopback = peer->loopback;
    ev.u.accepted.tls = peer->tls;
    LOG_DEBUG("net.accept", "conn=%llu from=%s", (unsigned long long)conn, peer->addr);
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
        (uv_handle_t *)&sh->sigint,  (uv_handle_t *)&sh->sighup,
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

/* SIGHUP: read again what can change while people play. */
static void on_reload(uv_signal_t *signal, int signum)
{
    struct shell *sh = signal->data;
    char why[TLS_WHY_LEN];

    (void)signum;
    if (sh->tls == NULL)
        return;
    if (tls_reload(sh->tls, why) == ERR_OK)
        LOG_INFO("reload.tls", "%s", "new connections get the certificate as it is now");
    else
        LOG_ERROR("reload.tls", "kept=old why=%s", why);
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
    unsigned most = (unsigned)cfg->limits.max_conns;

    CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
    lim.rlim_cur = lim.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &lim); /* what it really is decides */
    CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
    if (lim.rlim_cur >= most + (rlim_t)SPARE_FDS)
        return most;
    most = lim.rlim_cur > 2 * (rlim_t)SPARE_FDS ? (unsigned)(lim.rlim_cur - SPARE_FDS) : SPARE_FDS;
    LOG_WARN("limits.connections", "wanted=%lld descriptors=%llu now=%u",
             (long long)cfg->limits.max_conns, (unsigned long long)lim.rlim_cur, most);
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

/* Names the certificate's files: configured, or of our own making. */
static int find_cert(const struct shell *sh, struct config *cfg)
{
    char why[SELFSIGN_WHY_LEN];
    char file[DATADIR_PATH_LEN];

    if (cfg->cert[0] != '\0' && cfg->key[0] != '\0')
        return EX_OK;
    if (cfg->cert[0] != '\0' || cfg->key[0] != '\0')
        return say(EX_CONFIG, "a certificate needs its key, and a key its certificate: [tls] cert, "
                              "key");
    if (!cfg->selfsign)
        return say(EX_CONFIG, "a TLS listener needs a certificate: --tls-cert FILE --tls-key FILE, "
                              "or --selfsign");
    if (sh->dir.lock < 0)
        return say(EX_CONFIG, "--selfsign keeps its certificate in the data directory: there is "
                              "none");
    datadir_file(&sh->dir, "tls.crt", file);
    if (!str_copy(cfg->cert, sizeof(cfg->cert), file))
        return say(EX_CONFIG, "the data directory's path is too long");
    datadir_file(&sh->dir, "tls.key", file);
    if (!str_copy(cfg->key, sizeof(cfg->key), file))
        return say(EX_CONFIG, "the data directory's path is too long");
    switch (selfsign_make(cfg->cert, cfg->key, "skirmishd", why)) {
    case ERR_OK:
        return EX_OK;
    case ERR_IO:
        return say(EX_CANTCREAT, why);
    default:
        return say(EX_CONFIG, why);
    }
}

static int open_tls(struct shell *sh, struct config *cfg)
{
    char why[TLS_WHY_LEN];
    bool wanted = false;
    int code;

    for (size_t i = 0; i < cfg->n_listen; i++)
        wanted = wanted || cfg->listen[i].tls;
    if (!wanted)
        return EX_OK;
    code = find_cert(sh, cfg);
    if (code == EX_OK && tls_new(cfg->cert, cfg->key, &sh->tls, why) != ERR_OK)
        code = say(EX_CONFIG, why);
    if (code == EX_OK && selfsign_print(cfg->cert, sh->print, why) != ERR_OK)
        code = say(EX_CONFIG, why);
    return code;
}

static int listen_all(struct shell *sh, struct config *cfg)
{
    char why[NET_WHY_LEN];

    for (size_t i = 0; i < cfg->n_listen; i++) {
        struct config_addr *a = &cfg->listen[i];

        switch (net_listen(sh->net, a->host, &a->port, a->tls ? sh->tls : NULL, why)) {
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
                             .limits = cfg->limits,
                             .trust_plain = cfg->trust_plain,
                             .registration = (uint8_t)cfg->registration,
                             .vacation_days = (unsigned)cfg->vacation_days,
                             .limit_loopback = cfg->limit_loopback};

    cc.limits.max_conns = max_conns;
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
    CHECK(uv_signal_init(loop, &sh->sighup) == 0);
    sh->turn.data = sh->tick.data = sh->entropy.data = sh->patience.data = sh;
    sh->sigterm.data = sh->sigint.data = sh->sighup.data = sh;
}

static void serve(struct shell *sh, const struct config *cfg)
{
    const struct store_hooks hooks = {on_stored, on_lost, sh};

    LOG_INFO("confine", "filter=%s", confine() == CONFINE_FILTER ? "yes" : "no");
    store_start(sh->store, &sh->loop, &hooks);
    hasher_start(&sh->loop, on_hashed, sh, &sh->hasher);
    init_handles(sh);
    CHECK(uv_prepare_start(&sh->turn, on_turn) == 0);
    CHECK(uv_timer_start(&sh->entropy, on_entropy, ENTROPY_MS, ENTROPY_MS) == 0);
    CHECK(uv_signal_start(&sh->sigterm, on_signal, SIGTERM) == 0);
    CHECK(uv_signal_start(&sh->sigint, on_signal, SIGINT) == 0);
    CHECK(uv_signal_start(&sh->sighup, on_reload, SIGHUP) == 0);
    for (size_t i = 0; i < cfg->n_listen; i++) {
        const char *host = cfg->listen[i].host;
        const bool v6 = strchr(host, ':') != NULL;

        printf("listening %s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", cfg->listen[i].port);
        if (cfg->listen[i].tls)
            printf(" tls %s", sh->print);
        printf("\n");
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
    struct net_config nc = {.max_queued = QUEUE_BYTES,
                            .turn_bytes = (size_t)cfg->limits.turn_bytes};
    int code;

    sh->tick_at_ms = INT64_MAX;
    scenario_set_init(&sh->scenarios);
    CHECK(uv_loop_init(&sh->loop) == 0);
    nc.max_conns = allow_conns(cfg);
    net_new(&sh->loop, &nc, &hooks, &sh->net);
    code = open_data(sh, cfg);
    if (code == EX_OK)
        code = open_tls(sh, &own);
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
    tls_free(sh->tls);
    core_free(sh->core);
    core_effects_fini(&sh->fx);
    scenario_set_fini(&sh->scenarios);
    CHECK(uv_loop_close(&sh->loop) == 0);
    datadir_close(&sh->dir);
    mem_free(sh);
    return code;
}
