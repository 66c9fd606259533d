/* SPDX-License-Identifier: ISC
 * shell_impl.h -- what the files of shell share; nobody else includes it.
 */
#ifndef SK_SERVER_SHELL_SHELL_IMPL_H
#define SK_SERVER_SHELL_SHELL_IMPL_H

#include "server/shell/backup.h"
#include "server/shell/ctlsock.h"
#include "server/shell/datadir.h"
#include "server/shell/handover.h"
#include "server/shell/hasher.h"
#include "server/shell/inherit.h"
#include "server/shell/keeper.h"
#include "server/shell/metrics.h"
#include "server/shell/net.h"
#include "server/shell/selfsign.h"
#include "server/shell/shell.h"
#include "server/shell/store.h"

/* Serving; for an upgrade: ending what is under way, then standing still while the new program
 * loads; asked to stop, the core has stopped, handles are being closed. */
enum stage { SERVING, HOLDING, HELD, STOPPING, LEAVING, CLOSING };

/* What the core wants done, and its argument (owned). */
struct shell_job {
    uint64_t id;
    uint8_t what; /* enum core_job */
    char *arg;
};

struct shell {
    uv_loop_t loop;
    struct datadir dir;
    struct scenario_set scenarios;
    struct store *store;
    struct hasher *hasher;
    struct net *net;
    struct metrics *metrics; /* NULL: none are wanted */
    struct tls *tls;         /* of the TLS listeners; NULL: there are none */
    struct core *core;
    struct ctlsock *ctl;   /* NULL: there is none */
    struct shell_job *job; /* to do in the next turn */
    size_t n_jobs;
    uint64_t backup_job; /* whom the backup under way is for */
    struct core_effects fx;
    uv_prepare_t turn; /* right before the loop waits: the one place that writes */
    uv_idle_t spin;    /* on: don't wait */
    uv_timer_t tick, entropy, patience, watchdog;
    uv_signal_t sigterm, sigint, sighup, sigusr1, sigusr2;
    struct inherit inherit;    /* what we were started with */
    struct handover *handover; /* to the program that replaces us; NULL: nobody does */
    struct starter starter;    /* starts it */
    struct keeper keeper;      /* of the house's bots */
    conn_id *gone;             /* peers that went away while the core stood still */
    size_t n_gone, gone_cap;
    int64_t served_ms; /* at started_ms of the loop's clock */
    uint64_t started_ms;
    int64_t tick_at_ms; /* what `tick` is set to */
    enum stage stage;
    bool stepping;
    bool backing_up;
    struct backup_wish asked_backup; /* of the one under way: `done` may be NULL */
    bool held;                       /* CORE_FX_HELD has come */
    bool stop_asked;                 /* while the core stood still */
    bool disk_full;                  /* the last transaction was refused */
    int exit_code;
    struct config cfg;              /* as it was read, what has changed since included */
    char **argv;                    /* borrowed: where it came from */
    bool new_settings;              /* the core is yet to be told */
    unsigned max_conns;             /* as wanted, or as descriptors allow */
    char print[SELFSIGN_PRINT_LEN]; /* of the certificate */
};

/* Serving time: goes on where the last run ended, stands still in between. */
struct mono shell_now(const struct shell *sh);
void shell_step(struct shell *sh, struct core_event *ev);
void shell_on_eof(void *arg, conn_id conn); /* net_hooks.eof */
/* The writer's thread begins, and answers. */
void shell_start_store(struct shell *sh);
/* Stop as at a signal: at once where nobody stands still, and the database comes back first. */
void shell_ask_stop(struct shell *sh, const char *why);
/* Ask the core to stop, for this reason. */
void shell_stop(struct shell *sh, const char *reason);
/* The loop ends when all of them are closed. */
void shell_close_handles(struct shell *sh);

/* Opening (shell_open.c): an exit code, EX_OK or what was said. */
NODISCARD int shell_open_all(struct shell *sh, struct config *own, unsigned max_conns);
NODISCARD int shell_open_store(struct shell *sh);

/*
 * Make a backup in `dir`. False: one is under way, or the server is no longer serving; `done` isn't
 * called then.
 */
NODISCARD bool shell_backup(struct shell *sh, const struct backup_wish *wish);

/*
 * Read the configuration again and put into effect what can change while people play
 * (shell_reload.c); the core is told in the next turn of the loop. What changed, and what needs a
 * restart, goes into the log and, a line each, behind *said (may be NULL). On an error nothing has
 * changed, and both say why: ERR_DATA, ERR_IO the files; ERR_PHASE not while upgrading or stopping.
 */
NODISCARD enum err shell_reload(struct shell *sh, struct buf *said);
void shell_on_reload(uv_signal_t *signal, int signum);
/* The core's part of a configuration, but for seed and master key. */
void shell_core_config(const struct shell *sh, struct core_config *out);
/* The sockets' part; as many connections as wanted, or as descriptors allow (with a word about it). */
void shell_net_config(const struct config *cfg, struct net_config *out);
/* Once a turn: tell the core what has changed. */
void shell_tell_settings(struct shell *sh);

/* The operator (shell_admin.c): the socket; CORE_FX_JOB (takes its argument); the turn's jobs. */
void shell_open_admin(struct shell *sh);
void shell_take_job(struct shell *sh, const struct core_effect *e);
void shell_do_jobs(struct shell *sh);
void shell_upgrade_failed(struct shell *sh, const char *why);

/* metrics_config.page (shell_metrics.c). */
void shell_metrics_page(void *arg, struct buf *out);

/* Upgrading (shell_upgrade.c). */
void shell_on_upgrade(uv_signal_t *signal, int signum);
/* Begin. An error, why[]: nothing has begun. */
NODISCARD enum err shell_upgrade(struct shell *sh, char why[HANDOVER_WHY_LEN]);
/* All is stored, the core stands still: the database is the new program's. */
void shell_give_database(struct shell *sh);

#endif
