/* SPDX-License-Identifier: ISC
 * shell.h -- the world around the core: one loop that turns sockets, disk, clocks, signals and
 * entropy into the core's events and carries out its effects.
 */
#ifndef SK_SERVER_SHELL_SHELL_H
#define SK_SERVER_SHELL_SHELL_H

#include "server/config.h"

/*
 * Open everything, load what is stored, print `listening HOST:PORT` for each listener, serve until
 * SIGTERM or SIGINT. On SIGUSR2 the program at this one's path is started with `argv` and takes
 * over, see handover.h. Returns the process's exit code (sysexits.h); what went wrong is on standard
 * error. SIGPIPE must be ignored already, and libsodium ready. A store that can't say whether
 * something is saved ends the process from within, EX_IOERR, nobody answered.
 */
NODISCARD int shell_run(const struct config *cfg, char **argv);

#endif
