/* SPDX-License-Identifier: ISC
 * shell_admin.c -- the operator's lines into the core, its answers out, and what it has the shell do.
 *
 * Jobs begin in the loop's turn, never within a step: some end at once.
 */
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/shell_impl.h"

static const char not_now[] =
    "{\"error\":{\"reason\":\"busy\",\"message\":\"the server is about to "
    "stop, or to hand over: try again\"}}\n";

static void on_line(void *arg, uint64_t conn, const char *who, const char *data, size_t len)
{
    struct shell *sh = arg;
    struct core_event ev = {.kind = CORE_ADMIN, .conn = conn, .u.admin = {who, data, len}};

    if (sh->stage == SERVING)
        shell_step(sh, &ev);
    else
        ctlsock_answer(sh->ctl, conn, shared_new(not_now, sizeof(not_now) - 1));
}

void shell_open_admin(struct shell *sh)
{
    const struct ctlsock_hooks hooks = {on_line, sh};
    char path[DATADIR_PATH_LEN];
    char why[CTLSOCK_WHY_LEN];

    if (sh->dir.lock < 0)
        return; /* nothing is kept, so there is no place for it */
    datadir_file(&sh->dir, CTLSOCK_NAME, path);
    if (ctlsock_open(&sh->loop, path, &hooks, &sh->ctl, why) != ERR_OK)
        LOG_ERROR("admin.none", "why=%s", why); /* players are served all the same */
}

void shell_take_job(struct shell *sh, const struct core_effect *e)
{
    sh->job = mem_resize(sh->job, sh->n_jobs + 1, sizeof(*sh->job));
    sh->job[sh->n_jobs++] = (struct shell_job){e->u.job.id, e->u.job.what, e->u.job.arg};
}

static void job_done(struct shell *sh, uint64_t job, enum err err, const char *words)
{
    struct core_event ev = {.kind = CORE_JOB, .u.job = {job, err, words}};

    shell_step(sh, &ev);
}

static void on_backed_up(void *arg, const struct backup_result *r)
{
    struct shell *sh = arg;
    struct buf words = BUF_EMPTY;

    if (r->err == ERR_OK)
        buf_printf(&words, "%s: %lld bytes, sound", r->path, (long long)r->bytes);
    else
        buf_puts(&words, r->why);
    job_done(sh, sh->backup_job, r->err, buf_str(&words));
    buf_fini(&words);
}

static void back_up(struct shell *sh, const struct shell_job *job)
{
    const struct backup_wish wish = {.dir = job->arg != NULL ? job->arg : sh->cfg.backup_dir,
                                     .keep = job->arg != NULL ? 0 : (unsigned)sh->cfg.backup_keep,
                                     .done = on_backed_up,
                                     .arg = sh};

    if (wish.dir[0] == '\0') {
        job_done(sh, job->id, ERR_NOT_FOUND,
                 "no [backup] directory is configured: name one (backup DIR)");
        return;
    }
    if (sh->backing_up) {
        job_done(sh, job->id, ERR_BUSY, "a backup is being made already");
        return;
    }
    sh->backup_job = job->id;
    if (!shell_backup(sh, &wish))
        job_done(sh, job->id, ERR_BUSY, "the server is about to stop, or to hand over");
}

static void reload(struct shell *sh, const struct shell_job *job)
{
    struct buf words = BUF_EMPTY;
    const enum err e = shell_reload(sh, &words);

    job_done(sh, job->id, e, buf_str(&words));
    buf_fini(&words);
}

static void upgrade(struct shell *sh, const struct shell_job *job)
{
    char why[HANDOVER_WHY_LEN] = "the new program is being started";
    const enum err e = shell_upgrade(sh, why);

    job_done(sh, job->id, e, why);
}

void shell_do_jobs(struct shell *sh)
{
    struct shell_job *job = sh->job;
    const size_t n = sh->n_jobs;

    sh->job = NULL;
    sh->n_jobs = 0;
    for (size_t i = 0; i < n; i++) {
        switch ((enum core_job)job[i].what) {
        case CORE_JOB_BACKUP:
            back_up(sh, &job[i]);
            break;
        case CORE_JOB_RELOAD:
            reload(sh, &job[i]);
            break;
        case CORE_JOB_UPGRADE:
            upgrade(sh, &job[i]);
            break;
        case CORE_JOB_STOP:
            shell_ask_stop(sh, job[i].arg);
            break;
        }
        mem_free(job[i].arg);
    }
    mem_free(job);
}

void shell_upgrade_failed(struct shell *sh, const char *why)
{
    job_done(sh, 0, ERR_INTERNAL, why);
}
