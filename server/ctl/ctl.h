/* SPDX-License-Identifier: ISC
 * ctl.h -- skirmishctl: an operator's words into requests to a running server, and its answers into
 * words. Commands are one table; what each may be told is a table of its own.
 */
#ifndef SK_SERVER_CTL_CTL_H
#define SK_SERVER_CTL_CTL_H

#include "common/base/buf.h"
#include "proto/json.h"
#include "proto/jsonw.h"

#define CTL_PARAMS_MAX 5
#define CTL_WHY_LEN    4500

/* What skirmishctl exits with, besides sysexits' own. */
enum { CTL_REFUSED = 1 }; /* the server says no */

struct ctl {
    const char *path; /* of the socket; borrowed */
    int fd;           /* -1: not connected */
    struct buf in;
    bool json;   /* answers as they come */
    bool silent; /* a success isn't said */
};

enum ctl_kind {
    CTL_TEXT,  /* one word */
    CTL_REST,  /* all words that are left */
    CTL_INT,   /* a whole number */
    CTL_SPAN,  /* 90s 30m 12h 7d 4w, to seconds */
    CTL_MATCH, /* a number or an id; `all`: absent */
    CTL_FLAG,
    CTL_PASSWORD /* a flag: one line of standard input */
};
struct ctl_param {
    const char *name;   /* the request's member; NULL: there are no more */
    const char *option; /* "--for"; NULL: by its place */
    uint8_t kind;       /* enum ctl_kind */
    bool required;
};
struct ctl_cmd {
    const char *words; /* one or two: "invite make" */
    const char *cmd;   /* the request's; NULL: run alone */
    const char *usage; /* what may follow */
    const char *help;
    struct ctl_param param[CTL_PARAMS_MAX];
    void (*say)(const struct json *result); /* for people */
    /* Instead of a request: exit code. */
    int (*run)(struct ctl *c, int argc, char **argv);
};
extern const struct ctl_cmd ctl_cmds[];
extern const size_t ctl_n_cmds;

/* The command that argv begins with; *used: how many words name it. NULL: none. */
const struct ctl_cmd *ctl_find(int argc, char **argv, int *used);
/* The request line, without its end, of the words behind the command. False: why[]. */
NODISCARD bool ctl_request(const struct ctl_cmd *cmd, int argc, char **argv, struct buf *out,
                           char why[CTL_WHY_LEN]);

/* Ask, and hand back the answer's line; connects where need be. An exit code: EX_OK, or said. */
NODISCARD int ctl_ask(struct ctl *c, const char *line, struct buf *answer);
/* The same without a word; false: it can't be had. */
NODISCARD bool ctl_ask_quietly(struct ctl *c, const char *line, struct buf *answer);
/* Read an answer and say it: exit code. */
int ctl_say(const struct ctl *c, const struct ctl_cmd *cmd, const char *answer);
/* Both. */
int ctl_do(struct ctl *c, const struct ctl_cmd *cmd, int argc, char **argv);
void ctl_close(struct ctl *c);
int PRINTF_LIKE(2, 3) ctl_fail(int code, const char *fmt, ...);

void say_done(const struct json *r);
void say_status(const struct json *r);
void say_players(const struct json *r);
void say_player(const struct json *r);
void say_matches(const struct json *r);
void say_match(const struct json *r);
void say_audit(const struct json *r);
void say_bans(const struct json *r);
void say_ban(const struct json *r);
void say_invites(const struct json *r);
void say_invite(const struct json *r);
void say_password(const struct json *r);
void say_check(const struct json *r);
void say_words(const struct json *r);
void say_motd(const struct json *r);
void say_told(const struct json *r);
void say_closed(const struct json *r);
void say_drain(const struct json *r);
void say_erased(const struct json *r);

int run_check(struct ctl *c, int argc, char **argv);
int run_upgrade(struct ctl *c, int argc, char **argv);
int run_selfsign(struct ctl *c, int argc, char **argv);

#endif
