/* SPDX-License-Identifier: ISC
 * cmd_club.c -- `skirmish who`, `ladder` and `history`: the people of a server, as text or as JSON,
 * a value a line.
 */
#include "client/account.h"
#include "client/app.h"
#include "client/club.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define PAGE 100

enum topic { TOPIC_WHO, TOPIC_LADDER, TOPIC_HISTORY };

struct club {
    struct options opt;
    struct app *app;
    enum topic topic;
    bool json;
    int64_t limit;       /* rows; 0: all */
    const char *player;  /* history: NULL: we */
    const char *against; /* history: NULL: anybody */
    struct json **live;  /* owned: games in play */
    size_t n_live;
    int64_t shown;
    struct club_score score;
    char **row; /* owned: history, told behind its sum */
};

static const char *player_of(const struct club *c)
{
    return c->player != NULL ? c->player : link_user(app_link(c->app));
}

static void print_json(const struct json *j)
{
    struct buf line = BUF_EMPTY;

    json_print(j, &line);
    (void)printf("%s\n", buf_str(&line));
    buf_fini(&line);
}

/* The answer is an error: leave with it. A lost line is asked again when it is up. */
static bool is_refused(struct club *c, const struct link_answer *a)
{
    struct buf text = BUF_EMPTY;

    if (a->err == ERR_OK)
        return false;
    if (a->err != ERR_EOF) {
        const bool later = a->err == ERR_BUSY || a->err == ERR_RATE || a->err == ERR_STORAGE;

        words_safe(a->message[0] != '\0' ? a->message : err_words(a->err), &text);
        app_leave(c->app, cmd_fail(later ? EX_TEMPFAIL : EX_NOPERM, "%s", buf_str(&text)));
    }
    buf_fini(&text);
    return true;
}

/* ---- who ---- */

static void on_online(void *data, const struct link_answer *a)
{
    struct club *c = data;
    const char *name = NULL;

    if (is_refused(c, a))
        return;
    for (const struct json *u = json_first(json_get(a->result, "online")); u != NULL;
         u = json_next(u)) {
        struct buf line = BUF_EMPTY;

        if (c->json) {
            print_json(u);
            continue;
        }
        club_user(u, link_user(app_link(c->app)), &line);
        if (!json_get_string(u, "name", &name))
            name = "";
        for (size_t i = 0; i < c->n_live; i++)
            club_game(c->live[i], name, &line);
        (void)printf("%s\n", buf_str(&line));
        buf_fini(&line);
    }
    app_leave(c->app, EX_OK);
}

static void ask_live(struct club *c, int64_t before);

/* Keep a copy: the answer's tree ends with it. */
static void keep_live(struct club *c, const struct json *match)
{
    struct buf text = BUF_EMPTY;
    char why[JSON_WHY_LEN];
    struct json *copy = NULL;

    json_print(match, &text);
    if (json_parse(buf_str(&text), text.len, &json_file_limits, &copy, why) == ERR_OK) {
        c->live = mem_resize(c->live, c->n_live + 1, sizeof(struct json *));
        c->live[c->n_live++] = copy;
    }
    buf_fini(&text);
}

static void on_live(void *data, const struct link_answer *a)
{
    struct club *c = data;
    int64_t next = 0;

    if (is_refused(c, a))
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m))
        keep_live(c, m);
    if (json_get_int(a->result, "next", &next)) {
        ask_live(c, next);
        return;
    }
    (void)link_begin(app_link(c->app), MSG_LOBBY_FOLLOW);
    link_send(app_link(c->app), on_online, c);
}

static void ask_live(struct club *c, int64_t before)
{
    struct jsonw *w = link_begin(app_link(c->app), MSG_LOBBY_LIST);

    jsonw_m_str(w, "state", "live");
    jsonw_m_int(w, "limit", PAGE);
    if (before > 0)
        jsonw_m_int(w, "before", before);
    link_send(app_link(c->app), on_live, c);
}

static void forget_live(struct club *c)
{
    for (size_t i = 0; i < c->n_live; i++)
        json_free(c->live[i]);
    mem_free(c->live);
    c->live = NULL;
    c->n_live = 0;
}

/* ---- ladder ---- */

static int64_t page_of(const struct club *c)
{
    return c->limit == 0 ? PAGE : MIN((int64_t)PAGE, c->limit - c->shown);
}

static void ask_ladder(struct club *c, int64_t from);

static void on_ladder(void *data, const struct link_answer *a)
{
    struct club *c = data;
    int64_t next = 0;

    if (is_refused(c, a))
        return;
    for (const struct json *p = json_first(json_get(a->result, "players")); p != NULL;
         p = json_next(p)) {
        struct buf line = BUF_EMPTY;

        c->shown++;
        if (c->json) {
            print_json(p);
            continue;
        }
        club_rank(p, true, &line);
        (void)printf("%s\n", buf_str(&line));
        buf_fini(&line);
    }
    if (json_get_int(a->result, "next", &next) && (c->limit == 0 || c->shown < c->limit)) {
        ask_ladder(c, next);
        return;
    }
    if (c->shown == 0 && !c->json)
        (void)printf("Nobody is rated here yet.\n");
    app_leave(c->app, EX_OK);
}

static void ask_ladder(struct club *c, int64_t from)
{
    struct jsonw *w = link_begin(app_link(c->app), MSG_PLAYER_LIST);

    jsonw_m_int(w, "limit", page_of(c));
    if (from > 0)
        jsonw_m_int(w, "before", from);
    link_send(app_link(c->app), on_ladder, c);
}

/* ---- history ---- */

static void ask_matches(struct club *c, int64_t before);

static void forget_rows(struct club *c)
{
    for (int64_t i = 0; c->row != NULL && i < c->shown; i++)
        mem_free(c->row[i]);
    mem_free(c->row);
    c->row = NULL;
    c->shown = 0;
    c->score = (struct club_score){0};
}

static void take_match(struct club *c, const struct json *m)
{
    struct buf line = BUF_EMPTY;

    if (c->json)
        json_print(m, &line);
    else
        club_match(m, player_of(c), &line);
    c->row = mem_resize(c->row, (size_t)c->shown + 1, sizeof(char *));
    c->row[c->shown++] = buf_detach(&line);
    club_count(&c->score, m, player_of(c));
}

static void finish_history(struct club *c)
{
    struct buf line = BUF_EMPTY;

    if (!c->json && c->shown == 0)
        (void)printf("No finished games.\n");
    if (!c->json && c->against != NULL) {
        club_score_words(&c->score, player_of(c), c->against, &line);
        (void)printf("%s\n", buf_str(&line));
    }
    buf_fini(&line);
    for (int64_t i = 0; i < c->shown; i++)
        (void)printf("%s\n", c->row[i]);
    app_leave(c->app, EX_OK);
}

static void on_matches(void *data, const struct link_answer *a)
{
    struct club *c = data;
    int64_t next = 0;

    if (is_refused(c, a))
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m))
        take_match(c, m);
    if (json_get_int(a->result, "next", &next) && (c->limit == 0 || c->shown < c->limit))
        ask_matches(c, next);
    else
        finish_history(c);
}

static void ask_matches(struct club *c, int64_t before)
{
    struct jsonw *w = link_begin(app_link(c->app), MSG_PLAYER_MATCHES);

    jsonw_m_str(w, "player", player_of(c));
    jsonw_m_int(w, "limit", page_of(c));
    if (c->against != NULL)
        jsonw_m_str(w, "against", c->against);
    if (before > 0)
        jsonw_m_int(w, "before", before);
    link_send(app_link(c->app), on_matches, c);
}

static void on_player(void *data, const struct link_answer *a)
{
    struct club *c = data;
    const struct json *player = json_get(a->result, "player");
    struct buf line = BUF_EMPTY;

    if (is_refused(c, a))
        return;
    if (c->json) {
        print_json(player);
    } else {
        club_profile(player, &line);
        (void)printf("%s\n", buf_str(&line));
    }
    buf_fini(&line);
    ask_matches(c, 0);
}

static void ask_player(struct club *c)
{
    struct jsonw *w = link_begin(app_link(c->app), MSG_PLAYER_GET);

    jsonw_m_str(w, "player", player_of(c));
    link_send(app_link(c->app), on_player, c);
}

/* ---- the line ---- */

static void on_begin(void *data, struct app *app)
{
    struct club *c = data;

    c->app = app;
}

static void on_up(void *data)
{
    struct club *c = data;

    forget_live(c);
    forget_rows(c);
    switch (c->topic) {
    case TOPIC_WHO:
        ask_live(c, 0);
        break;
    case TOPIC_LADDER:
        ask_ladder(c, 0);
        break;
    case TOPIC_HISTORY:
        ask_player(c);
        break;
    }
}

/* ---- what is asked for ---- */

/* A player's name, and no server's: those have a dot, a colon or a slash. */
static bool is_player(const char *word)
{
    return word[0] != '-' && strpbrk(word, ".:/") == NULL && msg_name_ok(word);
}

/* Our own words out of argv; the rest is options_read's. Returns how many stay, or -1 (said). */
static int take_words(struct club *c, const struct command *self, int argc, char **argv)
{
    int n = 1;

    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;

        if (str_eq(argv[i], "--limit") && more && str_to_int(argv[i + 1], 1, 1000000, &c->limit)) {
            i++;
        } else if (str_eq(argv[i], "--against") && more && c->topic == TOPIC_HISTORY) {
            c->against = argv[++i];
        } else if (str_eq(argv[i], "--limit") || str_eq(argv[i], "--against")) {
            (void)cmd_usage(self);
            return -1;
        } else if (c->topic == TOPIC_HISTORY && c->player == NULL && is_player(argv[i])) {
            c->player = argv[i];
        } else {
            argv[n++] = argv[i];
            /* an option's value isn't ours */
            if (str_starts(argv[i], "--") && !str_eq(argv[i], "--json") && more)
                argv[n++] = argv[++i];
        }
    }
    return n;
}

static int run_topic(enum topic topic, const struct command *self, int argc, char **argv)
{
    struct club c = {.topic = topic};
    const struct app_front front = {.data = &c, .begin = on_begin, .up = on_up};
    int code;

    argc = take_words(&c, self, argc, argv);
    if (argc < 0)
        return EX_USAGE;
    code = options_read(self, argc, argv, &c.opt);
    if (code != EX_OK)
        return code;
    account_use(&c.opt);
    c.json = c.opt.json;
    c.opt.json = false;
    c.opt.has_wish = false;
    code = app_run(&c.opt, &front);
    forget_live(&c);
    forget_rows(&c);
    return code;
}

static int run_who(const struct command *self, int argc, char **argv)
{
    return run_topic(TOPIC_WHO, self, argc, argv);
}

static int run_ladder(const struct command *self, int argc, char **argv)
{
    return run_topic(TOPIC_LADDER, self, argc, argv);
}

static int run_history(const struct command *self, int argc, char **argv)
{
    return run_topic(TOPIC_HISTORY, self, argc, argv);
}

const struct command cmd_who = {
    .name = "who",
    .usage = "[URL] [--name N] [--json]",
    .help = "who is at the server, and what they play",
    .run = run_who,
};
const struct command cmd_ladder = {
    .name = "ladder",
    .usage = "[URL] [--limit N] [--name N] [--json]",
    .help = "the rated players, best first",
    .run = run_ladder,
};
const struct command cmd_history = {
    .name = "history",
    .usage = "[PLAYER] [--against PLAYER] [--limit N] [URL] [--name N] [--json]",
    .help = "a player's profile and finished games, or two players' score against each other",
    .run = run_history,
};
