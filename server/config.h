/* SPDX-License-Identifier: ISC
 * config.h -- every option of the server in one table, for its file and its command line alike.
 *
 * Order: defaults, then the file (INI), then what is called *.conf in conf.d beside it, in order of name, then the
 * command line. A later one overrides an earlier one. An unknown section or key, a bad value and a
 * key given twice in one file are errors with file and line.
 */
#ifndef SK_SERVER_CONFIG_H
#define SK_SERVER_CONFIG_H

#include "common/base/buf.h"
#include "common/base/err.h"
#include "server/core/limits.h"

#define CONFIG_LISTEN_MAX 16
#define CONFIG_HOST_LEN   64
#define CONFIG_PATH_LEN   4000
#define CONFIG_TEXT_LEN   200
#define CONFIG_WHY_LEN    (CONFIG_PATH_LEN + 400)
#define CONFIG_VALUE_LEN  CONFIG_PATH_LEN /* of any option's value, as one would write it */

enum config_store { CONFIG_STORE_SQLITE, CONFIG_STORE_MEMORY };

struct config_addr {
    char host[CONFIG_HOST_LEN]; /* numeric address or name, no brackets */
    uint16_t port;              /* 0: any */
    bool tls;
};

struct config {
    struct config_addr listen[CONFIG_LISTEN_MAX];
    size_t n_listen;
    bool listen_preset;         /* nobody has named one: the default stands there */
    char data[CONFIG_PATH_LEN]; /* "" where there is no default either: no HOME */
    char motd[CONFIG_TEXT_LEN];
    int64_t store;     /* enum config_store */
    int64_t log_level; /* enum log_level */
    bool log_json;
    int64_t registration; /* enum core_registration */
    int64_t vacation_days;
    bool guests_watch;
    struct limits limits;
    int64_t archive_s;
    bool limit_loopback;
    char cert[CONFIG_PATH_LEN], key[CONFIG_PATH_LEN]; /* PEM files, or "" */
    bool selfsign;                                    /* make them in the data directory */
    bool trust_plain;
    char bots_recruit[CONFIG_TEXT_LEN], bots_sergeant[CONFIG_TEXT_LEN],
        bots_captain[CONFIG_TEXT_LEN];  /* names of the house's bots, see keeper.h */
    char bots_program[CONFIG_PATH_LEN]; /* "": the client beside this program */
    char backup_dir[CONFIG_PATH_LEN];   /* "": no backups are made at SIGUSR1 */
    int64_t backup_keep;
    char metrics[CONFIG_PATH_LEN]; /* ADDRESS:PORT of loopback, or a socket's path; "": none */
};

/* A job on files instead of serving. */
enum config_job { JOB_SERVE, JOB_CHECK_BACKUP, JOB_DRY_RUN, JOB_RESTORE };

/* What the command line asks for besides options; strings are borrowed from argv. */
struct config_args {
    const char *file; /* --config; NULL: none */
    enum config_job job;
    const char *job_file; /* of a job */
    bool help, version, check, sample;
};

/*
 * Defaults, the files that `argv` names, `argv`: into *c. why[] on error: ERR_USAGE (command line),
 * ERR_DATA (file, with line), ERR_IO (file can't be read).
 */
NODISCARD enum err config_load(struct config *c, struct config_args *args, int argc, char **argv,
                               char why[CONFIG_WHY_LEN]);
/* HOST:PORT or [HOST]:PORT. False: it is neither. */
bool config_parse_addr(const char *text, struct config_addr *a);
/* What --help prints. */
void config_help(struct buf *out);
/* What --sample-config prints: every option, its default, and why one would change it. */
void config_sample(struct buf *out);

/* ---- reading it again ---- */

struct config_change {
    const char *section, *key;
    char was[CONFIG_VALUE_LEN], is[CONFIG_VALUE_LEN]; /* as one would write them */
    bool live;                                        /* takes effect without a restart */
};
/* The next option from *at (0 at first) on that differs. False: there is none. */
bool config_next_change(const struct config *was, const struct config *is, size_t *at,
                        struct config_change *out);
/* Take over what takes effect without a restart. */
void config_take_live(struct config *c, const struct config *fresh);

#endif
