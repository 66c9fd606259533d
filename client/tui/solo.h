/* SPDX-License-Identifier: ISC
 * solo.h -- a private server in this machine, and a bot to play against.
 *
 * The real skirmishd on a free port of loopback, with a data directory of its own; both end with
 * this process, however that ends.
 */
#ifndef SK_TUI_SOLO_H
#define SK_TUI_SOLO_H

#include "common/base/buf.h"

#define SOLO_DIR_LEN 256
struct solo {
    char dir[SOLO_DIR_LEN]; /* data, log and state of this game */
    bool keep;
    uint16_t port;
    char match[40];  /* of an unfinished game that was kept; "" none */
    int server, bot; /* process ids; 0: not running */
};

/*
 * Start the server; XDG_STATE_HOME of this process points into its directory from then on, so that
 * tokens and secrets of the game are where the game is. keep: NULL, or the directory to keep it in.
 * EX_OK or the exit code (said). solo_stop in either case.
 */
int solo_start(struct solo *s, const char *keep);
/* Start a bot that joins `match` ("" as invite: none is needed). EX_OK or said. */
int solo_bot(struct solo *s, const char *match, const char *invite, const char *level);
/* A kept game: remember the match, or that it is over. */
void solo_match(struct solo *s, const char *match, bool over);
/* End both; what isn't kept is removed. */
void solo_stop(struct solo *s);

#endif
