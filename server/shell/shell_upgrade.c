/* SPDX-License-Identifier: ISC
 * An upgrade with nobody thrown out; handover.h has its order.
 */
#include <sysexits.h>

#include "common/base/log.h"
#include "common/base/str.h"
#include "server/shell/notify.h"
#include "server/shell/shell_impl.h"

/* The new program is there and waits for the database. */
static void on_new_ready(void *arg)
{
    struct shell *sh = arg;
    struct core_event ev = {.kind = CORE_HOLD};

    LOG_INFO("upgrade.hold", "connections=%u", net_count(sh->net));
    sh->stage = HOLDING;
    net_hold(sh->net);
    shell_step(sh, &ev);
}

void shell_give_database(struct shell *sh)
{
    sh->served_ms = shell_now(sh).ms;
    sh->stage = HELD;
    CHECK(uv_timer_stop(&sh->tick) == 0);
    sh->tick_at_ms = INT64_MAX;
    store_free(sh->store);
    sh->store = NULL;
    handover_go(sh->handover);
}

/* It has everything: our peers are sent to it. */
static void on_new_loaded(void *arg, int pid)
{
    struct shell *sh = arg;
    char main_pid[64];

    LOG_INFO("upgrade.done", "pid=%d", pid);
    (void)snprintf(main_pid, sizeof(main_pid), "MAINPID=%d", pid);
    notify_send(main_pid);
    handover_done(sh->handover);
    shell_stop(sh, "upgrade");
}

/* From where the core stood still, as if nothing had been. */
static void go_on(struct shell *sh)
{
    struct core_event ev = {.kind = CORE_RELEASE};

    uv_update_time(&sh->loop);
    if (sh->stage == HELD) {
        sh->started_ms = uv_now(&sh->loop);
        shell_start_store(sh);
    }
    sh->stage = SERVING;
    sh->held = false;
    shell_step(sh, &ev);
    for (size_t i = 0; i < sh->n_gone; i++)
        shell_on_eof(sh, sh->gone[i]);
    sh->n_gone = 0;
    net_release(sh->net);
}

static void on_new_failed(void *arg, const char *why)
{
    struct shell *sh = arg;

    handover_free(sh->handover);
    sh->handover = NULL;
    if (sh->stage != SERVING && sh->stage != HOLDING && sh->stage != HELD)
        return;
    LOG_ERROR("upgrade.failed", "why=%s", why);
    if (sh->stage == HELD &&
        shell_open_store(sh) != EX_OK) { /* it has got so far that only it can */
        sh->exit_code = EX_TEMPFAIL;
        shell_close_handles(sh);
        return;
    }
    if (sh->stage != SERVING)
        go_on(sh);
    shell_upgrade_failed(sh, why);
    if (sh->stop_asked)
        shell_stop(sh, "stop");
}

enum err shell_upgrade(struct shell *sh, char why[HANDOVER_WHY_LEN])
{
    const struct handover_hooks hooks = {on_new_ready, on_new_loaded, on_new_failed, sh};
    struct handover_gift gift = {.starter = &sh->starter, .lock = sh->dir.lock};
    int fd[INHERIT_MAX];

    if (sh->stage != SERVING || sh->handover != NULL) {
        (void)str_copy(why, HANDOVER_WHY_LEN, "one is under way, or the server is about to stop");
        return ERR_BUSY;
    }
    if (sh->dir.lock < 0) {
        (void)str_copy(why, HANDOVER_WHY_LEN, "what is kept in memory can't be handed over");
        return ERR_DENIED;
    }
    gift.fd = fd;
    gift.n = net_listeners(sh->net, fd, INHERIT_MAX);
    LOG_INFO("upgrade.begin", "sockets=%zu", gift.n);
    return handover_start(&sh->loop, &gift, &hooks, &sh->handover, why);
}

void shell_on_upgrade(uv_signal_t *signal, int signum)
{
    char why[HANDOVER_WHY_LEN];
    const enum err e = shell_upgrade(signal->data, why);

    (void)signum;
    if (e != ERR_OK && e != ERR_BUSY)
        LOG_ERROR("upgrade.failed", "why=%s", why);
}
