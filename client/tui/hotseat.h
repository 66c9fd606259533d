/* SPDX-License-Identifier: ISC
 * hotseat.h -- games without a server: two at one screen, and records seen again.
 */
#ifndef SK_TUI_HOTSEAT_H
#define SK_TUI_HOTSEAT_H

#include "client/tui/settings.h"
#include "proto/scenario.h"

/* Two at one screen; dice are the system's random numbers. Returns the exit code. */
int hotseat_run(const struct scenario *scn, const struct settings *set);
/* A record file, checked while it is read. Returns the exit code. */
int replay_run(const char *path, const struct settings *set);

#endif
