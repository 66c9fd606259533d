/* SPDX-License-Identifier: ISC
 * All that is opened and read before anybody is heard.
 */
#include <sodium.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/str.h"
#include "server/shell/load.h"
#include "server/shell/shell_impl.h"
#include "server/shell/tls.h"

static int say(int code, const char *why)
{
    (void)fprintf(stderr, "skirmishd: %s\n", why);
    return code;
}

static int open_data(struct shell *sh, const struct config *cfg)
{
    char why[DATADIR_WHY_LEN];

    sh->dir.lock = -1;
    if (cfg->store == CONFIG_STORE_MEMORY)
        return EX_OK;
    if (cfg->data[0] == '\0')
        return say(EX_CONFIG, "no data directory: name one with --data DIR, or set HOME");
    switch (sh->inherit.lock >= 0 ? datadir_adopt(cfg->data, sh->inherit.lock, &sh->dir, why)
                                  : datadir_open(cfg->data, &sh->dir, why)) {
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

int shell_open_store(struct shell *sh)
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

static enum err listen_one(struct shell *sh, struct config_addr *a, char why[NET_WHY_LEN])
{
    struct tls *tls = a->tls ? sh->tls : NULL;
    const int fd = inherit_find(&sh->inherit, a->host, a->port);
    char host[NET_HOST_LEN];

    if (fd < 0)
        return net_listen(sh->net, a->host, &a->port, tls, why);
    net_adopt(sh->net, fd, tls);
    return net_where(fd, host, &a->port);
}

/* Sockets that we were given and the configuration doesn't name. */
static int listen_given(struct shell *sh, struct config *cfg)
{
    int fd;

    while (cfg->n_listen < CONFIG_LISTEN_MAX && (fd = inherit_next(&sh->inherit)) >= 0) {
        struct config_addr *a = &cfg->listen[cfg->n_listen++];

        a->tls = false;
        net_adopt(sh->net, fd, NULL);
        if (net_where(fd, a->host, &a->port) != ERR_OK)
            return say(EX_CONFIG, "a socket that this process was given isn't TCP");
    }
    return EX_OK;
}

static int listen_at(struct shell *sh, struct config_addr *a)
{
    char why[NET_WHY_LEN];

    switch (listen_one(sh, a, why)) {
    case ERR_OK:
        return EX_OK;
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

static int listen_all(struct shell *sh, struct config *cfg)
{
    int code = EX_OK;

    if (cfg->listen_preset && sh->inherit.n > 0)
        cfg->n_listen = 0; /* who gave the sockets chose the addresses */
    for (size_t i = 0; i < cfg->n_listen && code == EX_OK; i++) {
        if (cfg->listen[i].port != 0)
            code = listen_at(sh, &cfg->listen[i]);
    }
    for (size_t i = 0; i < cfg->n_listen && code == EX_OK; i++) { /* content with what is left */
        if (cfg->listen[i].port == 0)
            code = listen_at(sh, &cfg->listen[i]);
    }
    return code == EX_OK ? listen_given(sh, cfg) : code;
}

static void make_core(struct shell *sh, const struct master_key *key, unsigned max_conns)
{
    struct core_config cc = {.motd = NULL};

    shell_core_config(sh, &cc);
    cc.master_kid = key->kid;
    cc.limits.max_conns = max_conns;
    memcpy(cc.master, key->key, sizeof(cc.master));
    randombytes_buf(cc.seed, sizeof(cc.seed));
    sh->core = core_new(&cc, &sh->scenarios, shell_now(sh), wall_now());
    sodium_memzero(&cc, sizeof(cc));
}

/* Database, clock and core: all that is known, before anybody is heard. */
static int load(struct shell *sh, unsigned max_conns)
{
    struct master_key key = {.kid = 0};
    char why[STORE_WHY_LEN];
    int code = open_key(sh, &key);

    if (code == EX_OK)
        code = shell_open_store(sh);
    if (code != EX_OK)
        return code;
    if (load_served_ms(sh->store, &sh->served_ms, why) != ERR_OK)
        return say(EX_DATAERR, why);
    uv_update_time(&sh->loop);
    sh->started_ms = uv_now(&sh->loop);
    make_core(sh, &key, max_conns);
    sodium_memzero(&key, sizeof(key));
    if (load_all(sh->store, sh->core, why) != ERR_OK)
        return say(EX_DATAERR, why);
    return EX_OK;
}

/* What a process needs that takes over from another: the database, then its leave to serve. */
static int load_after_handover(struct shell *sh, unsigned max_conns)
{
    int code;

    if (sh->inherit.parent < 0)
        return load(sh, max_conns);
    inherit_say(&sh->inherit, "ready");
    if (!inherit_hear(&sh->inherit, "go"))
        return say(EX_TEMPFAIL, "the server that was to hand over has ended");
    code = load(sh, max_conns);
    if (code != EX_OK)
        return code;
    inherit_say(&sh->inherit, "loaded");
    if (!inherit_hear(&sh->inherit, "serve"))
        LOG_WARN("upgrade", "words=%s", "the old server has ended without a word");
    return EX_OK;
}

static int open_metrics(struct shell *sh)
{
    const struct metrics_config mc = {.where = sh->cfg.metrics,
                                      .patient = sh->inherit.parent >= 0,
                                      .page = shell_metrics_page,
                                      .arg = sh};
    char why[METRICS_WHY_LEN];

    if (sh->cfg.metrics[0] == '\0')
        return EX_OK;
    switch (metrics_open(&sh->loop, &mc, &sh->metrics, why)) {
    case ERR_OK:
        return EX_OK;
    case ERR_BUSY:
        return say(EX_UNAVAILABLE, why);
    default:
        return say(EX_OSERR, why);
    }
}

int shell_open_all(struct shell *sh, struct config *own, unsigned max_conns)
{
    char why[INHERIT_WHY_LEN];
    int code;

    if (inherit_take(&sh->inherit, why) != ERR_OK)
        return say(EX_CONFIG, why);
    code = open_data(sh, own);
    if (code == EX_OK)
        code = open_tls(sh, own);
    if (code == EX_OK)
        code = listen_all(sh, own);
    if (code == EX_OK)
        code = open_metrics(sh);
    if (code == EX_OK)
        code = load_after_handover(sh, max_conns);
    inherit_close(&sh->inherit);
    return code;
}
