/* SPDX-License-Identifier: ISC
 * cmd.h -- subcommands of `skirmish`: what each is, and what they share.
 *
 * One file a subcommand, cmd_<name>.c, which defines one `const struct command cmd_<name>`;
 * main.c lists them. Exit codes are those of <sysexits.h>. Results go to standard output, what
 * went wrong to standard error.
 */
#ifndef SK_CLIENT_CMD_H
#define SK_CLIENT_CMD_H

#include <sysexits.h>

#include "common/base/buf.h"
#include "proto/scenario.h"

struct command {
    const char *name;
    const char *usage; /* what follows the name; lines separated by '\n' for several forms */
    const char *help;  /* one line */
    /* argv[0] is the subcommand's name. Returns the exit code. */
    int (*run)(const struct command *self, int argc, char **argv);
};

/* Say how `self` is used, on standard error. Returns EX_USAGE. */
int cmd_usage(const struct command *self);
/* "skirmish: ..." and a newline on standard error. Returns `code`. */
int cmd_fail(int code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* All of `out` to standard output. EX_OK, or EX_IOERR (said on standard error). */
int cmd_write(const struct buf *out);
/* The file at `path` ("-": standard input) into `out`. EX_OK, or EX_NOINPUT, EX_DATAERR (said). */
int cmd_read_file(const char *path, size_t max, struct buf *out);
/* Is `id` that of a shipped scenario? */
bool cmd_is_shipped(const char *id);
/* A shipped scenario by its id, or a file: *out is owned. EX_OK, or the exit code (said). */
int cmd_load_scenario(const char *id_or_path, struct scenario **out);
/* Can the terminal's locale show what ASCII can't? */
bool cmd_is_utf8(void);

extern const struct command cmd_account;
extern const struct command cmd_adjudicate;
extern const struct command cmd_bot;
extern const struct command cmd_history;
extern const struct command cmd_ladder;
extern const struct command cmd_luck;
extern const struct command cmd_play;
extern const struct command cmd_record;
extern const struct command cmd_replay;
extern const struct command cmd_balance;
extern const struct command cmd_scenario;
extern const struct command cmd_turns;
extern const struct command cmd_verify;
extern const struct command cmd_watch;
extern const struct command cmd_who;

#endif
