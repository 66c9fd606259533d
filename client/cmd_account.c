/* SPDX-License-Identifier: ISC
 * cmd_account.c -- `skirmish account`: register, log in, change the password, log out; the account
 * is remembered for play, watch and turns.
 */
#include <errno.h>
#include <sodium.h>

#include "client/account.h"
#include "client/app.h"
#include "client/words.h"
#include "common/base/str.h"

enum action { ACTION_REGISTER, ACTION_LOGIN, ACTION_PASSWORD, ACTION_LOGOUT, ACTION_COUNT };
static const char *const action_words[] = {"register", "login", "password", "logout"};
_Static_assert(ARRAY_LEN(action_words) == ACTION_COUNT, "a word for every action");

struct account {
    const struct options *opt;
    struct app *app;
    enum action action;
    bool all, from_stdin;
    char password[ACCOUNT_SECRET_LEN], fresh[ACCOUNT_SECRET_LEN];
};

/* ---- at the server ---- */

static void say_where(const struct account *a, const char *before, const char *after)
{
    struct buf where = BUF_EMPTY;

    url_print(&a->opt->url, &where);
    (void)printf("%s%s at %s%s\n", before, link_user(app_link(a->app)), buf_str(&where), after);
    buf_fini(&where);
}

static void refused(struct account *a, const struct link_answer *answer)
{
    struct buf text = BUF_EMPTY;

    words_safe(answer->message, &text);
    app_leave(a->app, cmd_fail(answer->err == ERR_BUSY || answer->err == ERR_STORAGE ||
                                       answer->err == ERR_EOF
                                   ? EX_TEMPFAIL
                                   : EX_NOPERM,
                               "%s", buf_str(&text)));
    buf_fini(&text);
}

static void on_changed(void *data, const struct link_answer *answer)
{
    struct account *a = data;

    if (answer->err != ERR_OK) {
        refused(a, answer);
        return;
    }
    say_where(a, "New password of ", "; every other login has ended.");
    app_leave(a->app, EX_OK);
}

static void on_logged_out(void *data, const struct link_answer *answer)
{
    struct account *a = data;

    if (answer->err != ERR_OK) {
        refused(a, answer);
        return;
    }
    say_where(a, "Logged out: ", a->all ? ", everywhere." : ".");
    link_forget_identity(app_link(a->app));
    account_forget(&a->opt->url);
    app_leave(a->app, EX_OK);
}

static void ask_change(struct account *a)
{
    struct jsonw *w = link_begin(app_link(a->app), MSG_SESSION_PASSWORD);

    jsonw_m_str(w, "old", a->password);
    jsonw_m_str(w, "new", a->fresh);
    link_send(app_link(a->app), on_changed, a);
}

static void ask_logout(struct account *a)
{
    struct jsonw *w = link_begin(app_link(a->app), MSG_SESSION_LOGOUT);

    jsonw_m_bool(w, "all", a->all);
    link_send(app_link(a->app), on_logged_out, a);
}

static void on_up(void *data)
{
    struct account *a = data;

    if (a->action == ACTION_LOGOUT) {
        ask_logout(a);
        return;
    }
    if (account_remember(&a->opt->url, link_user(app_link(a->app))) != ERR_OK) {
        app_leave(a->app,
                  cmd_fail(EX_CANTCREAT, "the account can't be remembered: %s", strerror(errno)));
        return;
    }
    if (a->action == ACTION_PASSWORD) {
        ask_change(a);
        return;
    }
    say_where(a, "You are ", "; play, watch and turns come as this member now.");
    app_leave(a->app, EX_OK);
}

static void on_begin(void *data, struct app *app)
{
    struct account *a = data;

    a->app = app;
}

static void on_note(void *data, enum msg_note note, const struct json *params)
{
    const char *text = NULL;
    struct buf line = BUF_EMPTY;

    (void)data;
    if (note != NOTE_SERVER_NOTICE || !json_get_string(params, "text", &text))
        return;
    words_safe(text, &line);
    (void)printf("Notice: %s\n", buf_str(&line));
    buf_fini(&line);
}

/* ---- what is asked for ---- */

/* Our own words out of argv; the rest is options_read's. argv[1] is the action. */
static int take_words(struct account *a, int argc, char **argv)
{
    int n = 1;

    for (int i = 2; i < argc; i++) {
        if (str_eq(argv[i], "--password-stdin"))
            a->from_stdin = true;
        else if (str_eq(argv[i], "--all"))
            a->all = true;
        else
            argv[n++] = argv[i];
    }
    return n;
}

/* A new password twice, where a person types it. */
static bool read_new(const struct account *a, char out[ACCOUNT_SECRET_LEN])
{
    char again[ACCOUNT_SECRET_LEN];
    bool same;

    if (!account_read_secret("New password (8 characters or more): ", a->from_stdin, out))
        return false;
    if (a->from_stdin)
        return true;
    if (!account_read_secret("The same again: ", false, again))
        return false;
    same = str_eq(out, again);
    sodium_memzero(again, sizeof(again));
    if (!same)
        (void)cmd_fail(EX_USAGE, "these were two different passwords");
    return same;
}

static bool read_secrets(struct account *a)
{
    switch (a->action) {
    case ACTION_REGISTER:
        return read_new(a, a->password);
    case ACTION_LOGIN:
        return account_read_secret("Password: ", a->from_stdin, a->password);
    case ACTION_PASSWORD:
        return account_read_secret("Old password: ", a->from_stdin, a->password) &&
               read_new(a, a->fresh);
    case ACTION_LOGOUT:
    case ACTION_COUNT:
        break;
    }
    return true;
}

static int go(struct account *a, struct options *opt)
{
    const struct app_front front = {.data = a, .begin = on_begin, .up = on_up, .note = on_note};

    if (opt->name == NULL && a->action != ACTION_REGISTER)
        account_use(opt);
    if (opt->name == NULL)
        return cmd_fail(EX_USAGE, "say whose account: --name NAME");
    if (!read_secrets(a))
        return EX_USAGE;
    opt->password = a->action == ACTION_LOGOUT ? NULL : a->password;
    opt->registers = a->action == ACTION_REGISTER;
    opt->has_wish = false;
    a->opt = opt;
    return app_run(opt, &front);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct account a = {.action = ACTION_COUNT};
    struct options opt;
    int code;

    for (unsigned i = 0; argc > 1 && i < ACTION_COUNT; i++) {
        if (str_eq(argv[1], action_words[i]))
            a.action = (enum action)i;
    }
    if (a.action == ACTION_COUNT)
        return cmd_usage(self);
    argc = take_words(&a, argc, argv);
    code = options_read(self, argc, argv, &opt);
    if (code == EX_OK)
        code = go(&a, &opt);
    sodium_memzero(&a, sizeof(a));
    return code;
}

const struct command cmd_account = {
    .name = "account",
    .usage = "register [URL] --name N [--invite CODE] [--password-stdin]\n"
             "login [URL] --name N [--password-stdin]\n"
             "password [URL] [--name N] [--password-stdin]\n"
             "logout [URL] [--name N] [--all]",
    .help = "an account at a server: make it, log in, new password, log out",
    .run = run,
};
