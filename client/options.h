/* SPDX-License-Identifier: ISC
 * options.h -- the command line that play, bot and watch share.
 */
#ifndef SK_CLIENT_OPTIONS_H
#define SK_CLIENT_OPTIONS_H

#include "client/cmd.h"
#include "client/seat.h"
#include "client/url.h"

struct options {
    struct url url;
    const char *name;
    char account[NAME_LEN + 1]; /* a remembered one's name, where that is used */
    const char *password;       /* an account's; NULL: none was given */
    bool registers;             /* the account is to be made */
    struct seat_wish wish;
    bool has_wish; /* create, join or a match in the URL was given */
    bool json, plain, ascii, stay;
    bool house; /* bot: takes the challenges to it, and nothing else */
    const char *script;
    const char *ca, *print; /* what a TLS server's certificate must be; NULL: see client/trust.h */
    const char *level;      /* bot */
    int64_t seed;           /* bot; -1: not given */
    int64_t patience_s;     /* give up when the server is away for so long; 0: never */
};

#define OPTIONS_PLACE                                                                              \
    "[URL] [--server URL] [--name N] [--invite CODE] [--patience SECONDS] [--json]\n"              \
    "    [--ca FILE | --fingerprint SHA256:HEX]"
#define OPTIONS_SEAT                                                                               \
    "[--create SCENARIO --side ID|random [--clock none|MAIN+PHASE|DAYSd]\n"                        \
    "    [--fair strict|normal|server] [--rated] [--private] [--opponent N]\n"                     \
    "    [--delay PHASES] [--max-spectators N] | --join MATCH|any]\n"                              \
    "    [--go-on]"

/* Read argv behind the subcommand's name; strings are borrowed from argv and the environment.
 * EX_OK, or EX_USAGE (said). */
int options_read(const struct command *self, int argc, char **argv, struct options *out);
/* "none", "20m+30s" (main time and increment a phase), "3d". False: not a clock. */
bool options_clock(const char *text, struct clock_rule *out);
/* Phases that who looks on is behind, 0 to 100. False: not that. */
bool options_delay(const char *text, uint32_t *out);
/* How many may look on at a time, 1 to 1,000,000. False: not that. */
bool options_spectators(const char *text, uint32_t *out);

#endif
