/* SPDX-License-Identifier: ISC
 * tui.h -- the full screen as the program's main sees it.
 */
#ifndef SK_TUI_TUI_H
#define SK_TUI_TUI_H

#include "client/cmd.h"

/* Two at one screen; a private server and a bot. */
extern const struct command cmd_hotseat;
extern const struct command cmd_solo;

/*
 * Is this command line for the full screen: no command, play, watch or replay, on a terminal that
 * can, without --plain, --json, --script and the like? Then it was run, and *code is its exit code.
 * If not, SKIRMISH_SERVER is set to the server that the settings name, and somebody who plays by
 * lines for the first time is asked for one.
 * argv[0] is the program's name.
 */
bool tui_run(int argc, char **argv, int *code);

#endif
