/* SPDX-License-Identifier: ISC
 * cmd_play.c -- `skirmish play`: sit down and play, by lines.
 */
#include "client/account.h"
#include "client/line_mode.h"

static int run(const struct command *self, int argc, char **argv)
{
    struct options opt;
    const int code = options_read(self, argc, argv, &opt);

    if (code != EX_OK)
        return code;
    if (opt.level != NULL || opt.seed >= 0)
        return cmd_fail(EX_USAGE, "--level and --seed are for skirmish bot");
    account_use(&opt);
    return line_mode_run(&opt);
}

const struct command cmd_play = {
    .name = "play",
    .usage = OPTIONS_PLACE "\n    " OPTIONS_SEAT "\n"
                           "    [--script FILE] [--plain] [--ascii] [--stay]",
    .help = "play a match: open one, join one, or choose in the lobby",
    .run = run,
};
