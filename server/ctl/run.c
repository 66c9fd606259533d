/* SPDX-License-Identifier: ISC
 * run.c -- commands that are more than one question: upgrade, check of a backup, a certificate.
 */
#include <poll.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "common/base/log.h"
#include "common/base/msec.h"
#include "common/base/str.h"
#include "server/ctl/ctl.h"
#include "server/shell/proof.h"
#include "server/shell/selfsign.h"

enum { UPGRADE_MS = 120 * 1000, LOOK_MS = 100 };

/* ---- upgrade ---- */

struct state {
    int64_t pid, failed_at;
    char why[240];
};

/* How the server is; false: nobody there, or not to be asked just now. */
static bool look(struct ctl *c, struct state *out)
{
    struct buf answer = BUF_EMPTY;
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const struct json *r;
    const char *text;
    bool ok = false;

    *out = (struct state){0};
    ctl_close(c);
    if (ctl_ask_quietly(c, "{\"cmd\":\"status\"}", &answer) &&
        json_parse(buf_str(&answer), answer.len, &json_file_limits, &j, why) == ERR_OK) {
        r = json_get(j, "result");
        ok = json_get_int(r, "pid", &out->pid);
        if (ok && json_get_string(r, "upgrade_failed", &text))
            (void)str_copy(out->why, sizeof(out->why), text);
    }
    json_free(j);
    buf_fini(&answer);
    return ok;
}

static int wait_for_new(struct ctl *c, int64_t old_pid)
{
    const struct mono end = mono_after(mono_now(), UPGRADE_MS);
    struct state now;

    while (!mono_reached(mono_now(), end)) {
        if (look(c, &now) && now.pid != old_pid) {
            if (c->json)
                printf("{\"result\":{\"pid\":%lld}}\n", (long long)now.pid);
            else
                printf("upgraded: process %lld serves now\n", (long long)now.pid);
            return EX_OK;
        }
        if (now.why[0] != '\0')
            return ctl_fail(CTL_REFUSED, "the old server goes on: %s", now.why);
        (void)poll(NULL, 0, LOOK_MS);
    }
    return ctl_fail(EX_TEMPFAIL, "no outcome yet: look at the server's log");
}

int run_upgrade(struct ctl *c, int argc, char **argv)
{
    int used;
    char *words[] = {(char[]){"upgrade"}};
    const struct ctl_cmd *cmd = ctl_find(1, words, &used);
    struct state before;
    int code;

    if (!look(c, &before))
        before.pid = 0; /* whoever can't be reached is told so below */
    c->silent = true;   /* only the outcome is said */
    code = ctl_do(c, cmd, argc, argv);
    return code == EX_OK ? wait_for_new(c, before.pid) : code;
}

/* ---- check ---- */

int run_check(struct ctl *c, int argc, char **argv)
{
    int used;
    char *words[] = {(char[]){"check"}};

    if (argc == 0 || !str_eq(argv[0], "--backup"))
        return ctl_do(c, ctl_find(1, words, &used), argc, argv);
    if (argc != 2)
        return ctl_fail(EX_USAGE, "usage: skirmishctl check --backup FILE");
    if (sodium_init() < 0)
        return ctl_fail(EX_OSERR, "no random numbers from the system");
    log_setup(LOG_LEVEL_ERROR, LOG_FORM_TEXT);
    return proof_check(argv[1], "check");
}

/* ---- tls selfsign ---- */

int run_selfsign(struct ctl *c, int argc, char **argv)
{
    char cert[4200], key[4200];
    char print[SELFSIGN_PRINT_LEN];
    char why[SELFSIGN_WHY_LEN];
    struct stat st;
    enum err e;

    if (argc == 1 && stat(argv[0], &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)snprintf(cert, sizeof(cert), "%.4100s/tls.crt", argv[0]);
        (void)snprintf(key, sizeof(key), "%.4100s/tls.key", argv[0]);
    } else if (argc != 2 || !str_copy(cert, sizeof(cert), argv[0]) ||
               !str_copy(key, sizeof(key), argv[1])) {
        return ctl_fail(EX_USAGE, "usage: skirmishctl tls selfsign DIR | CERT KEY (DIR must be "
                                  "there)");
    }
    e = selfsign_make(cert, key, "skirmishd", why);
    if (e == ERR_OK)
        e = selfsign_print(cert, print, why);
    if (e != ERR_OK)
        return ctl_fail(e == ERR_IO ? EX_CANTCREAT : EX_DATAERR, "%s", why);
    if (c->json)
        printf("{\"result\":{\"fingerprint\":\"%s\"}}\n", print);
    else
        printf("%s\n%s\nfingerprint %s\n", cert, key, print);
    return EX_OK;
}
