/* SPDX-License-Identifier: ISC
 * account.h -- the account that a person has at a server: remembered by name, so that play, watch
 * and turns come as that member, and passwords read from people without showing them.
 *
 * The tokens themselves are identity.h's. A password is never kept, nor taken from argv or the
 * environment.
 */
#ifndef SK_CLIENT_ACCOUNT_H
#define SK_CLIENT_ACCOUNT_H

#include "client/options.h"

#define ACCOUNT_SECRET_LEN 1025 /* 256 code points, with NUL */

/* The name of our account there; false: none is remembered. */
NODISCARD bool account_remembered(const struct url *u, char name[NAME_LEN + 1]);
/* ERR_IO: errno. */
NODISCARD enum err account_remember(const struct url *u, const char *name);
void account_forget(const struct url *u);
/* Without --name: come as the remembered account, if there is one. */
void account_use(struct options *opt);

/*
 * One line: from the terminal without echo, after `prompt`; or (from_stdin) a line of standard
 * input. False: none came, it is too long, or there is no terminal (said on standard error).
 */
NODISCARD bool account_read_secret(const char *prompt, bool from_stdin,
                                   char out[ACCOUNT_SECRET_LEN]);

#endif
