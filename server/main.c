/* SPDX-License-Identifier: ISC
 * skirmishd: options in, the shell runs, an exit code out.
 */
#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "common/base/log.h"
#include "server/config.h"
#include "server/shell/keeper.h"
#include "server/shell/proof.h"
#include "server/shell/shell.h"

enum { LARGE = 128 * 1024 };

static int print(void (*what)(struct buf *))
{
    struct buf text = BUF_EMPTY;

    what(&text);
    (void)fputs(buf_str(&text), stdout);
    buf_fini(&text);
    return EX_OK;
}

int main(int argc, char **argv)
{
    struct config cfg;
    struct config_args args;
    char why[CONFIG_WHY_LEN];
    enum err e;

    (void)mallopt(M_MXFAST, 0); /* fast bins are swept at every larger piece: dear, many are */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE); /* larger pieces leave no gaps: they go back at once */
    (void)signal(SIGPIPE, SIG_IGN);         /* a peer that has gone is an error code, not the end */
    (void)umask(077);
    e = config_load(&cfg, &args, argc, argv, why);
    if (e != ERR_OK) {
        (void)fprintf(stderr, "skirmishd: %s\n", why);
        return e == ERR_USAGE ? EX_USAGE : EX_CONFIG;
    }
    if (args.help)
        return print(config_help);
    if (args.sample)
        return print(config_sample);
    if (args.version) {
        puts("skirmishd " SK_VERSION);
        return EX_OK;
    }
    if (keeper_check(&cfg, why) < 0) {
        (void)fprintf(stderr, "skirmishd: %s\n", why);
        return EX_CONFIG;
    }
    if (args.check) {
        printf("configuration is sound%s%s\n", args.file != NULL ? ": " : "",
               args.file != NULL ? args.file : "");
        return EX_OK;
    }
    if (sodium_init() < 0) {
        (void)fprintf(stderr, "skirmishd: no random numbers from the system\n");
        return EX_OSERR;
    }
    log_setup((enum log_level)cfg.log_level, cfg.log_json ? LOG_FORM_JSON : LOG_FORM_TEXT);
    switch (args.job) {
    case JOB_SERVE:
        return shell_run(&cfg, argv);
    case JOB_CHECK_BACKUP:
        return proof_check(args.job_file, "check");
    case JOB_DRY_RUN:
        return proof_check(args.job_file, "upgrade to " SK_VERSION);
    case JOB_RESTORE:
        return proof_restore(args.job_file, cfg.data);
    }
    return EX_SOFTWARE;
}
