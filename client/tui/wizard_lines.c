/* SPDX-License-Identifier: ISC
 * wizard_lines.c -- the first start by lines: where, and as whom.
 *
 * The account itself is made by `skirmish account`, which asks for the password unseen.
 */
#include <errno.h>
#include <unistd.h>

#include "client/cmd.h"
#include "client/tui/wizard.h"
#include "client/url.h"
#include "common/base/str.h"
#include "proto/msg.h"

#define ANSWER_LEN 300

/* A line of the terminal, read byte by byte so that nothing behind it is taken. False: its end. */
static bool ask(const char *question, const char *otherwise, char out[ANSWER_LEN])
{
    size_t n = 0;
    char c = '\0';

    (void)printf("%s", question);
    if (otherwise[0] != '\0')
        (void)printf(" [%s]", otherwise);
    (void)printf(": ");
    (void)fflush(stdout);
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, &c, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return false;
        if (c == '\n')
            break;
        if (n + 1 < ANSWER_LEN && c != '\r')
            out[n++] = c;
    }
    out[n] = '\0';
    if (n == 0)
        (void)str_copy(out, ANSWER_LEN, otherwise);
    return true;
}

static bool ask_server(struct settings *set)
{
    char answer[ANSWER_LEN], why[URL_WHY_LEN];
    struct url url;

    for (;;) {
        if (!ask("Server, such as club.example or 127.0.0.1:1962", URL_DEFAULT, answer))
            return false;
        if (url_parse(answer, &url, why) == ERR_OK)
            return str_copy(set->server, sizeof(set->server), answer);
        (void)printf("%s\n", why);
    }
}

static bool ask_name(char name[ANSWER_LEN])
{
    for (;;) {
        if (!ask("Your name, 3 to 20 letters, digits, - or _", "", name))
            return false;
        if (msg_name_ok(name))
            return true;
        (void)printf("That is no name.\n");
    }
}

/* Log in, or make an account, by `skirmish account`. Its exit code; -1: the input ended. */
static int enter(bool is_new)
{
    char name[ANSWER_LEN], invite[ANSWER_LEN];
    char words[][16] = {"account", "login", "register", "--name", "--invite"};
    char *argv[7] = {words[0], is_new ? words[2] : words[1], words[3], name};
    int argc = 4;

    if (!ask_name(name) ||
        (is_new && !ask("Invite code, if the server wants one (empty: none)", "", invite)))
        return -1;
    if (is_new && invite[0] != '\0') {
        argv[argc++] = words[4];
        argv[argc++] = invite;
    }
    return cmd_account.run(&cmd_account, argc, argv);
}

static bool ask_account(void)
{
    char answer[ANSWER_LEN];
    int code;

    for (;;) {
        if (!ask("A guest plays unrated and needs no password. guest, login or new", "guest",
                 answer))
            return false;
        if (str_eq(answer, "guest"))
            return true;
        if (!str_eq(answer, "login") && !str_eq(answer, "new"))
            continue;
        code = enter(str_eq(answer, "new"));
        if (code <= EX_OK)
            return code == EX_OK;
    }
}

int wizard_lines(struct settings *set)
{
    (void)printf("This is the first start here: two questions, and the answers are kept.\n");
    if (!ask_server(set))
        return EX_NOINPUT;
    (void)setenv("SKIRMISH_SERVER", set->server, 1);
    if (!ask_account())
        return EX_NOINPUT;
    if (settings_keep(set) != ERR_OK)
        return cmd_fail(EX_CANTCREAT, "the settings can't be kept: %s", strerror(errno));
    return EX_OK;
}
