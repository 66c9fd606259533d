/* SPDX-License-Identifier: ISC
 * The configuration put into effect, at the start and again at SIGHUP.
 */
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/notify.h"
#include "server/shell/shell_impl.h"
#include "server/shell/tls.h"

enum {
    SPARE_FDS = 64, /* descriptors that aren't players' */
    QUEUE_BYTES = 4 * 1024 * 1024
};

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

void shell_net_config(const struct config *cfg, struct net_config *out)
{
    const struct limits *l = &cfg->limits;
    const int64_t queue = MAX(MAX(l->queue_guest, l->queue_spectator), l->queue_player);

    out->max_conns = allow_conns(cfg);
    out->max_queued = (size_t)MAX(2 * queue, (int64_t)QUEUE_BYTES);
    out->turn_bytes = (size_t)l->turn_bytes;
}

void shell_core_config(const struct shell *sh, struct core_config *out)
{
    const struct config *cfg = &sh->cfg;

    *out = (struct core_config){.server = "skirmishd/" SK_VERSION,
                                .motd = cfg->motd,
                                .pid = getpid(),
                                .limits = cfg->limits,
                                .trust_plain = cfg->trust_plain,
                                .members_watch = !cfg->guests_watch,
                                .registration = (uint8_t)cfg->registration,
                                .vacation_days = (unsigned)cfg->vacation_days,
                                .archive_ms = cfg->archive_s * 1000,
                                .limit_loopback = cfg->limit_loopback};
}

/* ---- again ---- */

static void PRINTF_LIKE(2, 3) tell(struct buf *said, const char *fmt, ...)
{
    va_list ap;

    if (said == NULL)
        return;
    va_start(ap, fmt);
    buf_vprintf(said, fmt, ap);
    va_end(ap);
    buf_putc(said, '\n');
}

static enum err failed(struct buf *said, enum err e, const char *why)
{
    LOG_ERROR("reload.failed", "kept=old why=%s", why);
    tell(said, "nothing has changed: %s", why);
    return e;
}

/* From the files that are configured now; from the same again where none are. */
static enum err reload_tls(struct shell *sh, const struct config *fresh, char why[TLS_WHY_LEN])
{
    enum err e;

    if (sh->tls == NULL)
        return ERR_OK;
    if (fresh->cert[0] != '\0' && fresh->key[0] != '\0')
        e = tls_reload_from(sh->tls, fresh->cert, fresh->key, why);
    else
        e = tls_reload(sh->tls, why);
    if (e == ERR_OK)
        LOG_INFO("reload.tls", "words=%s", "new connections get the certificate as it is now");
    else
        LOG_ERROR("reload.tls", "kept=old why=%s", why);
    return e;
}

static void tell_change(const struct config_change *ch, struct buf *said)
{
    if (ch->live) {
        LOG_INFO("reload.option", "section=%s key=%s was=%s now=%s", ch->section, ch->key, ch->was,
                 ch->is);
        tell(said, "[%s] %s = %s (was: %s)", ch->section, ch->key, ch->is, ch->was);
    } else {
        LOG_WARN("reload.restart", "section=%s key=%s now=%s wanted=%s", ch->section, ch->key,
                 ch->was, ch->is);
        tell(said, "[%s] %s = %s needs a restart (now: %s)", ch->section, ch->key, ch->is, ch->was);
    }
}

static void put_into_effect(struct shell *sh, const struct config *fresh, struct buf *said)
{
    struct config_change *ch = mem_alloc(sizeof(*ch));
    struct net_config nc;
    unsigned live = 0, waiting = 0;

    for (size_t at = 0; config_next_change(&sh->cfg, fresh, &at, ch);) {
        tell_change(ch, said);
        live += ch->live;
        waiting += !ch->live;
    }
    mem_free(ch);
    config_take_live(&sh->cfg, fresh);
    log_setup((enum log_level)sh->cfg.log_level, sh->cfg.log_json ? LOG_FORM_JSON : LOG_FORM_TEXT);
    shell_net_config(&sh->cfg, &nc);
    net_set(sh->net, &nc);
    sh->max_conns = nc.max_conns;
    sh->new_settings = true;
    LOG_INFO("reload.done", "changed=%u need_restart=%u", live, waiting);
    tell(said, "%u changed, %u need a restart", live, waiting);
}

enum err shell_reload(struct shell *sh, struct buf *said)
{
    struct config *fresh;
    struct config_args args;
    char why[MAX(CONFIG_WHY_LEN, TLS_WHY_LEN)];
    int argc = 0;
    enum err e;

    if (sh->stage != SERVING)
        return failed(said, ERR_PHASE, "the server is being upgraded, or stops");
    while (sh->argv[argc] != NULL)
        argc++;
    fresh = mem_alloc(sizeof(*fresh));
    e = config_load(fresh, &args, argc, sh->argv, why);
    if (e == ERR_OK)
        e = reload_tls(sh, fresh, why);
    if (e == ERR_OK)
        put_into_effect(sh, fresh, said);
    mem_free(fresh);
    return e == ERR_OK ? e : failed(said, e, why);
}

void shell_on_reload(uv_signal_t *signal, int signum)
{
    (void)signum;
    notify_send("RELOADING=1");
    if (shell_reload(signal->data, NULL) != ERR_OK)
        notify_send("READY=1\nSTATUS=serving; the new configuration is bad, see the log");
    else
        notify_send("READY=1\nSTATUS=serving");
}

void shell_tell_settings(struct shell *sh)
{
    struct core_config cc;
    struct core_event ev = {.kind = CORE_SETTINGS, .u.settings = &cc};

    if (!sh->new_settings || sh->stage != SERVING)
        return;
    sh->new_settings = false;
    shell_core_config(sh, &cc);
    cc.limits.max_conns = sh->max_conns;
    shell_step(sh, &ev);
}
