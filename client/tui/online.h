/* SPDX-License-Identifier: ISC
 * online.h -- the full screen at a server: lobby, matches, looking on.
 */
#ifndef SK_TUI_ONLINE_H
#define SK_TUI_ONLINE_H

#include "client/app.h"
#include "client/tui/settings.h"
#include "client/tui/solo.h"

/* A bot to be started for the match that we open; NULL: none. */
struct online_solo {
    struct solo *solo;
    const char *level;
};

/*
 * Until the player leaves. *wants_solo: left to play the bot here. Returns the exit code.
 */
int online_run(const struct options *opt, const struct settings *set,
               const struct online_solo *with, bool *wants_solo);

#endif
