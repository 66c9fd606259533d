/* SPDX-License-Identifier: ISC
 * line_lobby.c -- line mode before a match: what is open, what can be made.
 */
#include "client/line_impl.h"
#include "client/words.h"
#include "common/base/str.h"

static void help(struct line_mode *l)
{
    line_say(&l->out,
             "  list                      matches that are open or in play, and yours\n"
             "  scenarios                 what can be played\n"
             "  create SCENARIO [SIDE] [CLOCK]   open a match; SIDE is a side's id or "
             "random,\n"
             "                            CLOCK none, MAIN+PHASE (20m+30s) or DAYSd; behind "
             "it may stand\n"
             "                            delay PHASES (who looks on is so far behind)\n"
             "                            and spectators N (no more may look on)\n"
             "  join MATCH [CODE]         sit down at an open match, or come back to "
             "yours\n"
             "  challenge NAME SCENARIO [SIDE] [CLOCK]   open one for somebody\n"
             "  decline MATCH             refuse a challenge\n"
             "  withdraw MATCH            take your open match back\n"
             "  watch MATCH               look on\n"
             "  who                       who is here\n"
             "  ladder                    the rated players, best first\n"
             "  history [NAME [AGAINST]]  a player, and their finished games\n"
             "  quit                      leave");
}

static void put_clock(const struct json *clock, struct buf *out)
{
    const char *kind = NULL;
    int64_t a = 0, b = 0;

    if (!json_get_string(clock, "kind", &kind))
        return;
    if (json_get_int(clock, "days", &a)) {
        buf_printf(out, ", %lld days a phase", (long long)a);
    } else if (json_get_int(clock, "main_s", &a) && json_get_int(clock, "phase_s", &b)) {
        buf_puts(out, ", clock ");
        words_span(a * 1000, out);
        buf_printf(out, " and %lld s a phase", (long long)b);
    } else {
        buf_puts(out, ", no clock");
    }
}

static void put_text(const struct json *m, const char *before, const char *name, struct buf *out)
{
    const char *text = NULL;

    if (!json_get_string(m, name, &text))
        return;
    buf_puts(out, before);
    words_safe(text, out);
}

/* How one may look on. */
static void put_watch(const struct json *m, struct buf *out)
{
    uint32_t delay = 0, most = 0, now = 0;

    if (json_get_u32(m, "delay", &delay) && delay > 0) {
        buf_puts(out, ", delayed by ");
        words_phases(delay, out);
        buf_puts(out, " for who looks on");
    }
    if (json_get_u32(m, "max_spectators", &most) && most > 0) {
        if (!json_get_u32(m, "spectators", &now))
            now = 0;
        buf_printf(out, ", at most %u look on%s", most, now >= most ? " (full)" : "");
    }
}

static void put_match(const struct json *m, struct buf *out)
{
    int64_t no = 0;
    bool mine = false;

    if (!json_get_int(m, "no", &no))
        return;
    buf_printf(out, "#%lld", (long long)no);
    put_text(m, " ", "state", out);
    put_text(m, ": ", "title", out);
    put_text(m, " (", "scenario", out);
    put_text(m, "), made by ", "maker", out);
    put_text(m, " who takes ", "side", out);
    put_text(m, ", joined by ", "joiner", out);
    put_text(m, ", for ", "opponent", out);
    put_clock(json_get(m, "clock"), out);
    put_text(m, ", dice ", "fair", out);
    put_watch(m, out);
    if (json_get_bool(m, "mine", &mine) && mine)
        buf_puts(out, ", waits for you");
    buf_puts(out, ".\n");
}

/* A list in words; `none` when it is empty. */
static void show_list(struct line_mode *l, const struct link_answer *a, const char *title,
                      const char *none)
{
    struct buf text = BUF_EMPTY;

    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m))
        put_match(m, &text);
    if (a->err != ERR_OK)
        line_sayf(&l->out, "The list can't be had: %s.", err_words(a->err));
    else if (text.len == 0)
        line_say(&l->out, none);
    else
        line_sayf(&l->out, "%s\n%s", title, buf_str(&text));
    buf_fini(&text);
}

static void on_open(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;

    show_list(l, a, "Open matches:", "No match is open. `create SCENARIO` opens one; ? for more.");
    line_answered(l);
}

static void on_live(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;

    show_list(l, a, "In play:", "");
    line_answered(l);
}

static void on_mine(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;

    show_list(l, a, "Your matches:", "");
    line_answered(l);
}

static void ask_list(struct line_mode *l, const char *state, link_answer_fn fn)
{
    struct jsonw *w = link_begin(app_link(l->app), MSG_LOBBY_LIST);

    jsonw_m_str(w, "state", state);
    jsonw_m_int(w, "limit", 50);
    l->asks++;
    link_send(app_link(l->app), fn, l);
}

static void list(struct line_mode *l)
{
    l->asks++;
    (void)link_begin(app_link(l->app), MSG_MATCH_MINE);
    link_send(app_link(l->app), on_mine, l);
    ask_list(l, "live", on_live);
    ask_list(l, "open", on_open);
}

static void put_scenario(const struct json *s, struct buf *out)
{
    const char *name = NULL, *comma = "";
    int64_t turns = 0;

    put_text(s, "", "id", out);
    put_text(s, ": ", "title", out);
    put_text(s, ", ", "scale", out);
    if (json_get_int(s, "turns", &turns))
        buf_printf(out, ", %lld turns", (long long)turns);
    buf_puts(out, "; sides ");
    for (const struct json *e = json_first(json_get(s, "sides")); e != NULL; e = json_next(e)) {
        if (!json_get_string(e, "id", &name))
            continue;
        buf_puts(out, comma);
        words_safe(name, out);
        comma = " and ";
    }
    buf_puts(out, ".\n");
}

static void on_scenarios(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    for (const struct json *s = json_first(json_get(a->result, "scenarios")); s != NULL;
         s = json_next(s))
        put_scenario(s, &text);
    line_say(&l->out, text.len == 0 ? "No scenarios." : buf_str(&text));
    buf_fini(&text);
    line_answered(l);
}

/* Keep a word of the line for as long as the wish lives. */
static const char *keep(struct line_mode *l, unsigned i, const char *word)
{
    (void)str_copy(l->wish_text[i], sizeof(l->wish_text[i]), word);
    return l->wish_text[i];
}

/* What stands behind the scenario. False: something doesn't, and that was said. */
static bool read_create(struct line_mode *l, char *rest)
{
    struct seat_wish *w = &l->wish;
    unsigned n = 0;

    for (const char *word = str_word(&rest); word != NULL; word = str_word(&rest)) {
        const bool delay = str_ieq(word, "delay"), most = str_ieq(word, "spectators");
        const char *number = delay || most ? str_word(&rest) : NULL;

        if (delay && (number == NULL || !options_delay(number, &w->delay))) {
            line_say(&l->out, "Behind delay stands a number of phases, 0 to 100.");
            return false;
        }
        if (most && (number == NULL || !options_spectators(number, &w->max_spectators))) {
            line_say(&l->out, "Behind spectators stands a number, 1 to 1000000.");
            return false;
        }
        if (delay || most)
            continue;
        if (n == 0) {
            w->side = keep(l, 1, word);
        } else if (n > 1 || !options_clock(word, &w->clock)) {
            line_say(&l->out, "A clock is none, MAIN+PHASE (20m+30s) or DAYSd (3d).");
            return false;
        }
        n++;
    }
    return true;
}

/* `opponent`: whom it is for; NULL: anybody. */
static void create(struct line_mode *l, const char *opponent, char *rest)
{
    const char *scenario = str_word(&rest);

    if (scenario == NULL) {
        line_say(&l->out, opponent == NULL ? "That is written: create SCENARIO [SIDE] [CLOCK]; "
                                             "`scenarios` lists them."
                                           : "That is written: challenge NAME SCENARIO [SIDE] "
                                             "[CLOCK].");
        return;
    }
    l->wish = (struct seat_wish){.goal = SEAT_CREATE, .go_on = l->opt->wish.go_on};
    if (!read_create(l, rest))
        return;
    l->wish.scenario = keep(l, 0, scenario);
    l->wish.opponent = opponent == NULL ? NULL : keep(l, 2, opponent);
    app_sit(l->app, &l->wish);
}

static void challenge(struct line_mode *l, char *rest)
{
    const char *name = str_word(&rest);

    if (name == NULL || !msg_name_ok(name))
        line_say(&l->out, "That is written: challenge NAME SCENARIO [SIDE] [CLOCK].");
    else
        create(l, name, rest);
}

static void on_refused(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    if (a->err == ERR_OK)
        buf_puts(&text, "Done.");
    else
        buf_printf(&text, "Refused (%s): ", err_reason(a->err));
    if (a->err != ERR_OK)
        words_safe(a->message[0] != '\0' ? a->message : err_words(a->err), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
    line_answered(l);
}

/* Decline a challenge, or withdraw an open match. */
static void refuse(struct line_mode *l, char *rest, enum msg_method how)
{
    const char *match = str_word(&rest);
    struct jsonw *w;
    int64_t no;

    if (match != NULL && match[0] == '#')
        match++;
    if (match == NULL || !url_is_match(match)) {
        line_say(&l->out, "Behind it stands a match's number or id; `list` shows them.");
        return;
    }
    l->asks++;
    w = link_begin(app_link(l->app), how);
    if (str_to_int(match, 1, UINT32_MAX, &no))
        jsonw_m_int(w, "match", no);
    else
        jsonw_m_str(w, "match", match);
    link_send(app_link(l->app), on_refused, l);
}

static void sit(struct line_mode *l, char *rest, enum seat_goal goal)
{
    const char *match = str_word(&rest), *code = str_word(&rest);

    if (match != NULL && match[0] == '#')
        match++;
    if (match == NULL || (!url_is_match(match) && !str_eq(match, "any"))) {
        line_say(&l->out, "Behind it stands a match's number or id; `list` shows them.");
        return;
    }
    l->wish = (struct seat_wish){.goal = goal, .go_on = l->opt->wish.go_on};
    l->wish.match = keep(l, 0, match);
    l->wish.invite = code == NULL ? NULL : keep(l, 1, code);
    app_sit(l->app, &l->wish);
}

void line_lobby_do(struct line_mode *l, const char *line)
{
    char copy[256];
    char *rest = copy;
    const char *word;

    (void)str_copy(copy, sizeof(copy), line);
    word = str_word(&rest);
    if (word == NULL || word[0] == '#')
        return;
    if (str_ieq(word, "quit") || str_ieq(word, "q")) {
        line_leave(l, EX_OK);
    } else if (str_ieq(word, "list")) {
        list(l);
    } else if (str_ieq(word, "scenarios")) {
        l->asks++;
        (void)link_begin(app_link(l->app), MSG_SCENARIO_LIST);
        link_send(app_link(l->app), on_scenarios, l);
    } else if (str_ieq(word, "create")) {
        create(l, NULL, rest);
    } else if (str_ieq(word, "challenge")) {
        challenge(l, rest);
    } else if (str_ieq(word, "decline") || str_ieq(word, "withdraw")) {
        refuse(l, rest, str_ieq(word, "decline") ? MSG_MATCH_DECLINE : MSG_MATCH_CANCEL);
    } else if (str_ieq(word, "join")) {
        sit(l, rest, SEAT_JOIN);
    } else if (str_ieq(word, "watch")) {
        sit(l, rest, SEAT_WATCH);
    } else if (!line_club_do(l, word, rest)) {
        help(l);
    }
}

void line_lobby_up(struct line_mode *l)
{
    line_sayf(&l->out, "You are %s here. ? lists what can be said.", link_user(app_link(l->app)));
    list(l);
}
