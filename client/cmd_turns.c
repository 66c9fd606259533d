/* SPDX-License-Identifier: ISC
 * cmd_turns.c -- `skirmish turns`: the games that wait for me, at one server or several, with the
 * time left; for prompts and cron: exit 0 if there are any, 1 if none.
 */
#include "client/account.h"
#include "client/app.h"
#include "client/words.h"
#include "common/base/str.h"

enum { EX_NONE = 1 };

struct turns {
    struct options opt; /* of the server that is asked */
    struct app *app;
    unsigned found;
};

static void put_left(const struct json *m, const char *side, struct buf *out)
{
    int64_t left;

    if (side == NULL || !json_get_int(json_get(m, "left"), side, &left))
        return;
    buf_puts(out, ", ");
    words_span(left, out);
    buf_puts(out, " left");
}

/* What of me it waits for. */
static const char *wanted(const struct json *m, const char *role)
{
    const char *state = NULL;
    const struct json *roll = json_get(m, "roll");

    if (role == NULL)
        return "a challenge";
    if (roll != NULL && json_type(roll) == JSON_OBJECT)
        return "a roll";
    return json_get_string(m, "state", &state) && str_eq(state, "live") ? "an order" : "the set-up";
}

static void put_match(struct turns *t, const struct json *m)
{
    const char *id = NULL, *title = NULL, *side = NULL, *role = NULL;
    struct url where = t->opt.url;
    struct buf line = BUF_EMPTY;
    int64_t no = 0, turn = 0;
    bool mine;

    if (!json_get_bool(m, "mine", &mine) || !mine || !json_get_string(m, "match", &id) ||
        !json_get_string(m, "title", &title) || !json_get_int(m, "no", &no) || !url_is_match(id) ||
        !str_copy(where.match, sizeof(where.match), id))
        return;
    if (!json_get_string(m, "your_side", &side))
        side = NULL;
    if (!json_get_string(m, "role", &role))
        role = NULL;
    url_print(&where, &line);
    buf_printf(&line, "  #%lld ", (long long)no);
    words_safe(title, &line);
    if (side != NULL) {
        buf_puts(&line, ", ");
        words_safe(side, &line);
    }
    if (json_get_int(m, "turn", &turn) && turn > 0)
        buf_printf(&line, ", turn %lld", (long long)turn);
    put_left(m, side, &line);
    (void)printf("%s: %s\n", buf_str(&line), wanted(m, role));
    buf_fini(&line);
    t->found++;
}

static void on_mine(void *data, const struct link_answer *a)
{
    struct turns *t = data;

    if (a->err != ERR_OK) {
        app_leave(t->app, cmd_fail(EX_TEMPFAIL, "no list: %s", err_words(a->err)));
        return;
    }
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m))
        put_match(t, m);
    app_leave(t->app, EX_OK);
}

static void on_up(void *data)
{
    struct turns *t = data;

    (void)link_begin(app_link(t->app), MSG_MATCH_MINE);
    link_send(app_link(t->app), on_mine, t);
}

static void on_begin(void *data, struct app *app)
{
    struct turns *t = data;

    t->app = app;
}

/* One server. EX_OK, or why it can't tell (said). */
static int ask(struct turns *t, const struct command *self, int argc, char **argv)
{
    const struct app_front front = {.data = t, .begin = on_begin, .up = on_up};
    int code = options_read(self, argc, argv, &t->opt);

    if (code != EX_OK)
        return code;
    account_use(&t->opt);
    t->opt.has_wish = false;
    t->opt.json = false;
    return app_run(&t->opt, &front);
}

static bool is_place(const char *word, const char *before)
{
    static const char *const valued[] = {"--name", "--server", "--patience", "--ca",
                                         "--fingerprint"};

    for (size_t i = 0; i < ARRAY_LEN(valued); i++) {
        if (str_eq(before, valued[i]))
            return false;
    }
    return word[0] != '-';
}

enum { WORDS_MAX = 64 };

static int run(const struct command *self, int argc, char **argv)
{
    char *word[WORDS_MAX]; /* the options, and behind them one place after the other */
    char *place[WORDS_MAX];
    struct turns t = {.found = 0};
    int n = 1, n_places = 0, worst = EX_OK;

    if (argc >= WORDS_MAX)
        return cmd_fail(EX_USAGE, "too many servers");
    word[0] = argv[0];
    for (int i = 1; i < argc; i++) {
        if (is_place(argv[i], argv[i - 1]))
            place[n_places++] = argv[i];
        else
            word[n++] = argv[i];
    }
    for (int i = 0; i < MAX(n_places, 1); i++) {
        int code;

        if (n_places > 0)
            word[n] = place[i];
        code = ask(&t, self, n + (n_places > 0 ? 1 : 0), word);
        worst = code != EX_OK ? code : worst;
    }
    if (t.found > 0)
        return EX_OK;
    return worst != EX_OK ? worst : EX_NONE;
}

const struct command cmd_turns = {
    .name = "turns",
    .usage = "[URL...] [--name N] [--patience SECONDS]",
    .help = "the games that wait for you; exit 0 if any, 1 if none",
    .run = run,
};
