/* SPDX-License-Identifier: ISC
 * main.c -- `skirmish`: one program, a subcommand for each job.
 */
#include <errno.h>
#include <locale.h>

#include "client/cmd.h"
#include "client/tui/tui.h"
#include "common/base/str.h"

static const struct command *const commands[] = {
    &cmd_play,    &cmd_watch, &cmd_turns,    &cmd_account,    &cmd_who,     &cmd_ladder,
    &cmd_history, &cmd_solo,  &cmd_hotseat,  &cmd_bot,        &cmd_record,  &cmd_verify,
    &cmd_replay,  &cmd_luck,  &cmd_scenario, &cmd_adjudicate, &cmd_balance,
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (str_eq(commands[i]->name, name))
            return commands[i];
    }
    return NULL;
}

static int unknown(const char *name)
{
    return cmd_fail(EX_USAGE, "there is no command \"%s\"; see: skirmish --help", name);
}

static void print_help(FILE *to)
{
    (void)fputs("usage: skirmish                        (full screen, on a terminal)\n"
                "       skirmish COMMAND [ARGUMENT...]\n"
                "       skirmish help COMMAND\n"
                "       skirmish --version\n\n"
                "Grid skirmish games over the network, and all that belongs to them.\n\n",
                to);
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        (void)fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->help);
    (void)fputs("\nExit codes: 0 done, 1 none (turns), 64 usage, 65 bad data, 66 no such file, 69 "
                "unreachable,\n"
                "75 try later, 77 refused, 78 configuration.\n",
                to);
}

static void print_forms(const struct command *c)
{
    const char *form = c->usage;

    while (form != NULL) {
        const char *end = strchr(form, '\n');
        const int n = end == NULL ? (int)strlen(form) : (int)(end - form);

        if (form[0] == ' ') /* the form before goes on */
            (void)printf("%.*s\n", n, form);
        else
            (void)printf("skirmish %s %.*s\n", c->name, n, form);
        form = end == NULL ? NULL : end + 1;
    }
    (void)printf("\n%s\n", c->help);
}

static int help(const char *name)
{
    const struct command *c;

    if (name == NULL) {
        print_help(stdout);
        return EX_OK;
    }
    c = find(name);
    if (c == NULL)
        return unknown(name);
    print_forms(c);
    return EX_OK;
}

static int run(int argc, char **argv)
{
    const struct command *c;
    int code;

    if (tui_run(argc, argv, &code))
        return code;
    if (argc < 2) {
        print_help(stderr);
        return EX_USAGE;
    }
    if (str_eq(argv[1], "--version") || str_eq(argv[1], "version")) {
        (void)printf("skirmish %s, rules %d\n", SK_VERSION, RULES_VERSION);
        return EX_OK;
    }
    if (str_eq(argv[1], "--help") || str_eq(argv[1], "-h") || str_eq(argv[1], "help"))
        return help(argv[2]); /* NULL behind the last word */
    c = find(argv[1]);
    if (c == NULL)
        return unknown(argv[1]);
    if (argc > 2 && str_eq(argv[2], "--help"))
        return help(c->name);
    return c->run(c, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code;

    (void)setlocale(LC_ALL, "");
    code = run(argc, argv);
    if (fflush(stdout) != 0 && code == EX_OK)
        return cmd_fail(EX_IOERR, "standard output: %s", strerror(errno));
    return code;
}
