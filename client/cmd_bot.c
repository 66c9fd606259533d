/* SPDX-License-Identifier: ISC
 * cmd_bot.c -- `skirmish bot`: a player without a person, through the same line as everybody.
 */
#include <sodium.h>

#include "client/app.h"
#include "client/bot/bot.h"
#include "client/house.h"
#include "client/words.h"
#include "common/base/str.h"

struct bot_front {
    const struct options *opt;
    struct app *app;
    struct bot *bot;                 /* owned; thinks on `board` */
    const struct rules_board *board; /* the model's, as long as it has it */
    enum bot_level level;
    uint64_t seed;
    bool spoilt;        /* an order was refused: end the phase */
    unsigned refused;   /* in a row */
    bool seeking;       /* for an open match */
    struct house house; /* with --house */
    struct seat_wish wish;
    char match[MATCH_ID_HEX];
};

#define REFUSED_MAX 8

static const struct model *model(const struct bot_front *f)
{
    const struct seat *s = app_seat(f->app);

    return s == NULL ? NULL : seat_model(s);
}

/* A line for people; none where standard output has the raw messages. */
static void say(const struct bot_front *f, const char *text)
{
    if (f->opt->json)
        return;
    (void)printf("%s\n", text);
    (void)fflush(stdout);
}

static void finish(struct bot_front *f, const struct model *m)
{
    struct buf text = BUF_EMPTY;

    if (f->opt->house) {
        house_look(&f->house);
        return;
    }
    model_result_words(m, &text);
    say(f, buf_str(&text));
    buf_fini(&text);
    app_leave(f->app, EX_OK);
}

/* What the bot would do; the model may have got a new board since. */
static void decide(struct bot_front *f, const struct model *m, struct rules_order *out)
{
    if (f->spoilt) {
        *out = (struct rules_order){.kind = RULES_DO_END_PHASE,
                                    .side = (uint8_t)model_side(m),
                                    .face = RULES_NO_DIR,
                                    .exit = RULES_NO_DIR,
                                    .square = RULES_NO_SQUARE};
        return;
    }
    if (f->board != model_board(m)) {
        bot_free(f->bot);
        f->board = model_board(m);
        f->bot = bot_new(f->board, model_side(m), f->level, f->seed);
    }
    bot_decide(f->bot, model_state(m), out);
}

static void on_settled(void *data)
{
    struct bot_front *f = data;
    const struct model *m = model(f);
    struct rules_order o;

    if (m == NULL || !audit_is_whole(&m->audit))
        return;
    if (m->audit.over) {
        finish(f, m);
        return;
    }
    if (!model_may_order(m) || seat_is_busy(app_seat(f->app)))
        return;
    decide(f, m, &o);
    seat_order(app_seat(f->app), &o);
}

static void on_order_end(void *data, const struct seat_order_end *end)
{
    struct bot_front *f = data;

    if (end->end == SEAT_TAKEN) {
        f->refused = 0;
        f->spoilt = false;
        return;
    }
    if (end->err == ERR_STALE || end->err == ERR_TURN || end->err == ERR_PHASE)
        return; /* the board has moved on: think again when it is told */
    f->spoilt = true;
    if (++f->refused >= REFUSED_MAX)
        app_leave(f->app, cmd_fail(EX_SOFTWARE, "the server refuses every order: %s %s",
                                   err_reason(end->err), end->rule));
}

static void on_ready(void *data)
{
    const struct bot_front *f = data;
    const struct model *m = model(f);
    struct buf text = BUF_EMPTY;

    if (m == NULL)
        return;
    buf_printf(&text, "Match #%u: %s. At ", m->audit.no, m->scn->title);
    url_print_match(&app_options(f->app)->url, m->audit.no, &text);
    buf_puts(&text, ". ");
    words_position(&m->audit, model_side(m), &text);
    say(f, buf_str(&text));
    buf_fini(&text);
}

static void on_entry(void *data, bool live)
{
    const struct bot_front *f = data;
    const struct model *m = model(f);
    struct buf text = BUF_EMPTY;

    if (!live || m == NULL || f->opt->plain)
        return;
    words_entry(&m->audit, model_side(m), &text);
    if (text.len > 0)
        say(f, text.data);
    buf_fini(&text);
}

static void on_chat(void *data, const char *from, const char *text, bool all)
{
    (void)data;
    (void)from;
    (void)text;
    (void)all;
}

static void on_presence(void *data)
{
    (void)data;
}

static void on_say(void *data, enum seat_news kind, const char *text)
{
    const struct bot_front *f = data;

    if (f->opt->json && kind == SEAT_ALARM)
        (void)cmd_fail(EX_OK, "%s", text);
    say(f, text);
}

static void on_failed(void *data, int code, const char *why)
{
    struct bot_front *f = data;

    if (f->opt->house) {
        (void)cmd_fail(code, "%s", why);
        house_failed(&f->house);
    } else {
        app_leave(f->app, cmd_fail(code, "%s", why));
    }
}

/* From one match to another: the board that it thinks on goes with the seat. */
static void on_stand(void *data)
{
    struct bot_front *f = data;

    bot_free(f->bot);
    f->bot = NULL;
    f->board = NULL;
    f->spoilt = false;
    f->refused = 0;
}

/* ---- finding a match ---- */

static void look_for_one(struct bot_front *f);

static void on_open(void *data, const struct link_answer *a)
{
    struct bot_front *f = data;
    const char *id = NULL, *maker = NULL;

    f->match[0] = '\0';
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (json_get(m, "opponent") == NULL && json_get_string(m, "maker", &maker) &&
            !str_ieq(maker, link_user(app_link(f->app))) && json_get_string(m, "match", &id))
            (void)str_copy(f->match, sizeof(f->match), id); /* the last one is the oldest */
    }
    if (f->match[0] == '\0' || app_seat(f->app) != NULL)
        return;
    f->seeking = false;
    f->wish.match = f->match;
    app_sit(f->app, &f->wish);
}

static void look_for_one(struct bot_front *f)
{
    struct jsonw *w = link_begin(app_link(f->app), MSG_LOBBY_LIST);

    jsonw_m_str(w, "state", "open");
    jsonw_m_int(w, "limit", 100);
    link_send(app_link(f->app), on_open, f);
}

static void on_begin(void *data, struct app *app)
{
    struct bot_front *f = data;

    f->app = app;
    f->seeking = !f->opt->has_wish && !f->opt->house;
    if (f->opt->house)
        house_begin(&f->house, app);
}

static void on_up(void *data)
{
    struct bot_front *f = data;

    if (f->opt->house)
        house_look(&f->house);
    if (!f->seeking)
        return;
    say(f, "Waiting for an open match.");
    (void)link_begin(app_link(f->app), MSG_LOBBY_FOLLOW);
    link_send(app_link(f->app), NULL, NULL);
    look_for_one(f);
}

static void on_down(void *data, const char *why, int64_t retry_ms)
{
    struct buf text = BUF_EMPTY;

    (void)retry_ms;
    buf_printf(&text, "The line is down (%s); trying again.", why);
    say(data, buf_str(&text));
    buf_fini(&text);
}

static void on_note(void *data, enum msg_note note, const struct json *params)
{
    struct bot_front *f = data;
    const char *kind = NULL;

    if (f->opt->house && note == NOTE_SERVER_NOTICE)
        house_look(&f->house); /* a challenge, perhaps */
    if (f->seeking && note == NOTE_LOBBY_EVENT && json_get_string(params, "kind", &kind) &&
        str_eq(kind, "match"))
        look_for_one(f);
}

static void on_close(void *data)
{
    struct bot_front *f = data;

    if (f->opt->house)
        house_close(&f->house);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct options opt;
    struct bot_front f = {.opt = &opt, .level = BOT_RECRUIT};
    const struct app_front front = {
        .data = &f,
        .begin = on_begin,
        .up = on_up,
        .down = on_down,
        .note = on_note,
        .close = on_close,
        .seat = {.data = &f,
                 .ready = on_ready,
                 .entry = on_entry,
                 .settled = on_settled,
                 .order_end = on_order_end,
                 .chat = on_chat,
                 .presence = on_presence,
                 .say = on_say,
                 .failed = on_failed},
    };
    int code = options_read(self, argc, argv, &opt);

    if (code != EX_OK)
        return code;
    if (opt.level != NULL && !bot_level_from_word(opt.level, &f.level))
        return cmd_fail(EX_USAGE, "there is no level %s; there are recruit, sergeant, captain",
                        opt.level);
    if (opt.house && (opt.has_wish || opt.name == NULL))
        return cmd_fail(EX_USAGE, "--house goes with --name, and with no match");
    if (sodium_init() < 0)
        return cmd_fail(EX_OSERR, "no random numbers to be had");
    f.seed = opt.seed >= 0 ? (uint64_t)opt.seed
                           : (uint64_t)randombytes_random() << 32 | randombytes_random();
    f.wish = opt.wish;
    f.house.data = &f;
    f.house.stand = on_stand;
    code = app_run(&opt, &front);
    bot_free(f.bot);
    return code;
}

const struct command cmd_bot = {
    .name = "bot",
    .usage = OPTIONS_PLACE
    "\n    " OPTIONS_SEAT "\n    [--level recruit|sergeant|captain] [--seed N] [--plain] [--house]",
    .help = "let a bot play: in that match, in the next one that is open, or as the house's",
    .run = run,
};
