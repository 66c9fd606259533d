/* SPDX-License-Identifier: ISC
 * keeper.h -- the house's bots: ordinary clients in processes of their own, kept going.
 *
 * The server runs under a filter without exec (confine.h). So before that, and before it holds any
 * secret, descriptor or thread, it forks a small process, which runs `skirmish bot --house` for
 * each bot that [bots] names once it is told where the server listens, starts each again when it
 * ends, with growing pauses, and ends them and itself with the server. A bot speaks the public
 * protocol on a socket and has no other way to the server.
 */
#ifndef SK_SERVER_SHELL_KEEPER_H
#define SK_SERVER_SHELL_KEEPER_H

#include "server/config.h"

#define KEEPER_BOTS_MAX 32

struct keeper {
    int fd; /* to it; -1: there is none */
};

/* What [bots] says: how many bots; -1: why[] says what is wrong with it. */
int keeper_check(const struct config *cfg, char why[CONFIG_WHY_LEN]);
/* Fork it if there are bots. Single-threaded still. ERR_IO: errno, k->fd is -1. */
NODISCARD enum err keeper_start(struct keeper *k, const struct config *cfg);
/* The server listens there: bots may come. Once. False: there is no plain listener for them. */
NODISCARD bool keeper_tell(struct keeper *k, const struct config *cfg);
/* Bots and keeper end. */
void keeper_close(struct keeper *k);

#endif
