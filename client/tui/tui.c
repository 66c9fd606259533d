/* SPDX-License-Identifier: ISC
 * tui.c -- when the full screen is used, and its commands.
 */
#include "client/tui/tui.h"

#include <sodium.h>
#include <unistd.h>

#include "client/account.h"
#include "client/bot/bot.h"
#include "client/tui/hotseat.h"
#include "client/tui/online.h"
#include "client/tui/solo.h"
#include "client/tui/term.h"
#include "client/tui/wizard.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define SCENARIO_DEFAULT "first-blood"

/* The settings, owned; NULL: they are wrong, which was said. */
static struct settings *load(void)
{
    struct settings *set = mem_zalloc(sizeof(*set));
    char why[SETTINGS_WHY_LEN];

    settings_init(set);
    if (settings_load(set, why) != ERR_OK) {
        (void)cmd_fail(EX_CONFIG, "%s", why);
        mem_free(set);
        return NULL;
    }
    set->ascii = set->ascii || !cmd_is_utf8();
    return set;
}

/* ---- solo ---- */

struct solo_wish {
    const char *scenario, *side, *level, *keep;
};

static int solo_online(struct solo *s, const struct solo_wish *wish, const struct settings *set)
{
    struct online_solo with = {s, wish->level};
    struct options opt;
    char match[sizeof(s->match)];
    bool again = false;

    memset(&opt, 0, sizeof(opt));
    (void)str_copy(opt.url.host, sizeof(opt.url.host), "127.0.0.1");
    opt.url.port = s->port;
    opt.seed = -1;
    opt.name = set->name[0] != '\0' ? set->name : "You";
    opt.has_wish = true;
    opt.wish.goal = SEAT_CREATE;
    opt.wish.scenario = wish->scenario;
    opt.wish.side = wish->side;
    opt.wish.clock.kind = CLOCK_NONE;
    opt.wish.is_private = true;
    if (s->match[0] != '\0') { /* go on with the game that was kept */
        (void)str_copy(match, sizeof(match), s->match);
        opt.wish = (struct seat_wish){.goal = SEAT_JOIN, .match = match};
    }
    return online_run(&opt, set, &with, &again);
}

static int solo(const struct solo_wish *wish, const struct settings *set)
{
    struct solo s;
    int code = solo_start(&s, wish->keep);

    if (code == EX_OK)
        code = solo_online(&s, wish, set);
    solo_stop(&s);
    return code;
}

static bool solo_options(int argc, char **argv, struct solo_wish *w)
{
    *w = (struct solo_wish){SCENARIO_DEFAULT, "random", "sergeant", NULL};
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;

        if (str_eq(argv[i], "--side") && more)
            w->side = argv[++i];
        else if (str_eq(argv[i], "--level") && more)
            w->level = argv[++i];
        else if (str_eq(argv[i], "--keep") && more)
            w->keep = argv[++i];
        else if (argv[i][0] != '-')
            w->scenario = argv[i];
        else
            return false;
    }
    return true;
}

static int run_solo(const struct command *self, int argc, char **argv)
{
    struct settings *set = NULL;
    enum bot_level level;
    struct solo_wish w;
    int code;

    if (!solo_options(argc, argv, &w))
        return cmd_usage(self);
    if (!bot_level_from_word(w.level, &level))
        return cmd_fail(EX_USAGE, "a level is recruit, sergeant or captain");
    if (!cmd_is_shipped(w.scenario))
        return cmd_fail(EX_USAGE, "there is no scenario %s; see: skirmish scenario list",
                        w.scenario);
    if (!term_is_able())
        return cmd_fail(EX_USAGE, "this needs a terminal; by lines: skirmishd, skirmish bot and "
                                  "skirmish play --plain");
    set = load();
    code = set == NULL ? EX_CONFIG : solo(&w, set);
    mem_free(set);
    return code;
}

const struct command cmd_solo = {
    .name = "solo",
    .usage = "[SCENARIO] [--side ID|random] [--level recruit|sergeant|captain] [--keep DIR]",
    .help = "play against the bot here, with a private server",
    .run = run_solo,
};

/* ---- two at one screen ---- */

static int run_hotseat(const struct command *self, int argc, char **argv)
{
    struct scenario *scn = NULL;
    struct settings *set = NULL;
    int code;

    if (argc > 2 || (argc == 2 && argv[1][0] == '-'))
        return cmd_usage(self);
    if (!term_is_able())
        return cmd_fail(EX_USAGE, "this needs a terminal");
    code = cmd_load_scenario(argc == 2 ? argv[1] : SCENARIO_DEFAULT, &scn);
    if (code == EX_OK) {
        set = load();
        code = set == NULL ? EX_CONFIG : hotseat_run(scn, set);
    }
    mem_free(set);
    scenario_free(scn);
    return code;
}

const struct command cmd_hotseat = {
    .name = "hotseat",
    .usage = "[SCENARIO|FILE]",
    .help = "two players at one screen, without a server",
    .run = run_hotseat,
};

/* ---- at a server ---- */

/* The settings say where, unless the command line or the environment does. */
static void point_to_server(const struct settings *set)
{
    if (set->server[0] != '\0')
        (void)setenv("SKIRMISH_SERVER", set->server, 0);
}

/* As whom we come: by the answers of the first start, as the account that is remembered, or by the
 * settings' name. */
static void be_somebody(struct options *opt, const struct settings *set,
                        const struct wizard_secret *secret)
{
    if (secret == NULL)
        account_use(opt);
    if (opt->name == NULL && set->name[0] != '\0')
        opt->name = set->name;
    if (secret == NULL)
        return;
    if (secret->password[0] == '\0') {
        account_forget(&opt->url); /* rather a guest */
        return;
    }
    opt->password = secret->password;
    opt->registers = secret->registers;
    if (secret->invite[0] != '\0')
        opt->wish.invite = secret->invite;
}

static int at_server(const struct command *self, int argc, char **argv, struct settings *set,
                     const struct wizard_secret *secret)
{
    struct options opt;
    bool wants_solo = false;
    int code;

    point_to_server(set);
    code = options_read(self, argc, argv, &opt);
    if (code != EX_OK)
        return code;
    if (self == &cmd_watch && opt.wish.match == NULL)
        return cmd_usage(self);
    if (self == &cmd_watch) {
        opt.wish.goal = SEAT_WATCH;
        opt.wish.from_state = true;
    }
    be_somebody(&opt, set, secret);
    set->ascii = set->ascii || opt.ascii;
    do {
        const struct solo_wish wish = {SCENARIO_DEFAULT, "random", "sergeant", NULL};
        const char *state = getenv("XDG_STATE_HOME");
        char *was = state != NULL ? mem_strdup(state) : NULL;

        wants_solo = false;
        code = online_run(&opt, set, NULL, &wants_solo);
        if (wants_solo)
            (void)solo(&wish, set);
        if (was != NULL)
            (void)setenv("XDG_STATE_HOME", was, 1);
        else
            (void)unsetenv("XDG_STATE_HOME");
        mem_free(was);
    } while (wants_solo);
    return code;
}

/* Ask where and as whom until the server lets us in; *code is then the lobby's. */
static int ask_and_enter(char **argv, struct settings *set)
{
    struct wizard_secret *secret = mem_zalloc(sizeof(*secret));
    const char *note = "";
    int code;

    do {
        code = wizard_run(set, note, secret);
        if (code != EX_OK)
            break;
        (void)setenv("SKIRMISH_SERVER", set->server, 1);
        code = at_server(&cmd_play, 1, argv, set, secret);
        note = "The server did not let you in by that name, password or invite code.";
    } while (code == EX_NOPERM);
    sodium_memzero(secret, sizeof(*secret));
    mem_free(secret);
    return code == EX_TEMPFAIL ? EX_OK : code; /* left the questions */
}

static int run_lobby(struct settings *set)
{
    char name[] = "play";
    char *argv[] = {name, NULL};
    const char *server = getenv("SKIRMISH_SERVER");
    int code;

    if (set->server[0] == '\0' && (server == NULL || server[0] == '\0'))
        return ask_and_enter(argv, set);
    code = at_server(&cmd_play, 1, argv, set, NULL);
    return code == EX_NOPERM ? ask_and_enter(argv, set) : code;
}

/* ---- is it for us? ---- */

static bool is_for_lines(int argc, char **argv)
{
    static const char *const flags[] = {"--plain",  "--json", "--script",
                                        "--boards", "--turn", "--help"};

    for (int i = 2; i < argc; i++) {
        for (size_t k = 0; k < ARRAY_LEN(flags); k++) {
            if (str_eq(argv[i], flags[k]))
                return true;
        }
    }
    return false;
}

/* A person at a plain terminal, who plays for the first time and says nothing of where? */
static bool is_first_by_lines(int argc, char **argv, const struct settings *set)
{
    if (argc < 2 || !str_eq(argv[1], "play") || set->server[0] != '\0' ||
        getenv("SKIRMISH_SERVER") != NULL || isatty(STDIN_FILENO) != 1 ||
        isatty(STDOUT_FILENO) != 1)
        return false;
    for (int i = 2; i < argc; i++) {
        if (!str_eq(argv[i], "--plain") && !str_eq(argv[i], "--ascii"))
            return false;
    }
    return true;
}

/* Not for the full screen: other commands go to the server that is kept, too. True: *code is the
 * end of it. */
static bool by_lines(int argc, char **argv, int *code)
{
    struct settings *set = mem_zalloc(sizeof(*set));
    char why[SETTINGS_WHY_LEN];
    enum err e;

    settings_init(set);
    e = settings_load(set, why); /* what is wrong with it, the full screen says */
    *code = EX_OK;
    if (e == ERR_OK && is_first_by_lines(argc, argv, set))
        *code = wizard_lines(set);
    else if (e == ERR_OK)
        point_to_server(set);
    mem_free(set);
    return *code != EX_OK;
}

static int dispatch(int argc, char **argv, struct settings *set)
{
    if (argc == 1)
        return run_lobby(set);
    if (str_eq(argv[1], "replay"))
        return replay_run(argv[2], set);
    return at_server(str_eq(argv[1], "play") ? &cmd_play : &cmd_watch, argc - 1, argv + 1, set,
                     NULL);
}

bool tui_run(int argc, char **argv, int *code)
{
    const bool known = argc == 1 || str_eq(argv[1], "play") || str_eq(argv[1], "watch") ||
                       (str_eq(argv[1], "replay") && argc == 3 && argv[2][0] != '-');
    struct settings *set = NULL;

    if (!known || is_for_lines(argc, argv) || !term_is_able())
        return by_lines(argc, argv, code);
    set = load();
    *code = set == NULL ? EX_CONFIG : dispatch(argc, argv, set);
    mem_free(set);
    return true;
}
