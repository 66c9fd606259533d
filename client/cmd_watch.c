/* SPDX-License-Identifier: ISC
 * cmd_watch.c -- `skirmish watch`: look on at a match, from its beginning to its end.
 */
#include "client/account.h"
#include "client/line_mode.h"

static int run(const struct command *self, int argc, char **argv)
{
    struct options opt;
    const int code = options_read(self, argc, argv, &opt);

    if (code != EX_OK)
        return code;
    if (opt.wish.match == NULL || opt.wish.scenario != NULL || opt.level != NULL || opt.seed >= 0) {
        (void)cmd_fail(EX_USAGE, "say which match: skirmish://HOST:PORT/match/ID, or --join ID");
        return cmd_usage(self);
    }
    opt.wish.goal = SEAT_WATCH;
    account_use(&opt);
    return line_mode_run(&opt);
}

const struct command cmd_watch = {
    .name = "watch",
    .usage =
        "URL/match/ID " OPTIONS_PLACE "\n    [--join MATCH] [--script FILE] [--ascii] [--stay]",
    .help = "look on at a match",
    .run = run,
};
