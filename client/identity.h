/* SPDX-License-Identifier: ISC
 * identity.h -- who we are at a server: the tokens that let us come back (PROTOCOL,
 * session.resume).
 *
 * A token rotates with each use, and a reply may be lost: the next token is made here and on disk
 * before it is sent, and until the server has confirmed it the older ones are kept and tried, the
 * newest first. One process at a time uses an identity (a lock file).
 */
#ifndef SK_CLIENT_IDENTITY_H
#define SK_CLIENT_IDENTITY_H

#include "client/url.h"

#define TOKEN_HEX 65 /* 32 bytes in hex, with NUL */
#define IDENTITY_PAST                                                                              \
    8                     /* tokens kept after a login: the newest, and older ones, which only a
                             server restored from a backup still takes */
#define IDENTITY_MAX   32 /* tokens kept */
#define IDENTITY_SLOTS 32 /* unnamed guests of one machine at one server at a time */

struct identity {
    char file[URL_HOST_LEN + 49];
    int lock;
    unsigned n, at;  /* tokens, newest first; the one to try */
    unsigned second; /* tokens at the end that were refused once and are kept for a second try */
    char token[IDENTITY_MAX][TOKEN_HEX];
    bool offered; /* token[0] is a next one that the server hasn't confirmed */
};

/*
 * The identity at `u` called `name` (NULL: the first free unnamed one). ERR_BUSY: another process
 * uses it; ERR_IO: errno.
 */
NODISCARD enum err identity_open(struct identity *id, const struct url *u, const char *name);
void identity_close(struct identity *id);
/*
 * What to send with session.resume: false when there is no token left to try (session.guest it
 * is). The next token is on disk on return; ERR_IO in *e when it couldn't be stored.
 */
NODISCARD bool identity_next(struct identity *id, const char **token, const char **next,
                             enum err *e);
/* The server took the token, and this is the next one. */
NODISCARD enum err identity_taken(struct identity *id, const char *token);
/*
 * The server refused the token tried last. It is tried once more behind the others before it is
 * forgotten: a resume still on its way from a lost connection may make it good meanwhile.
 */
void identity_refused(struct identity *id);
/* All tokens have ended: forget them, on disk too. */
void identity_forget(struct identity *id);
/* The connection was lost before an answer: try again from the newest. */
void identity_again(struct identity *id);

#endif
