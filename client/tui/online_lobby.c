/* SPDX-License-Identifier: ISC
 * online_lobby.c -- the lobby at work: lists, scenarios, opening a match, games that are over.
 */
#include "client/tui/online_impl.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define LIST_LIMIT 100

/* ---- asking the server ---- */

static void on_list(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK)
        lobby_take_list(&o->lobby, a->result);
    shell_dirty(o->shell);
}

static void on_mine(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK)
        lobby_take_mine(&o->lobby, a->result);
    shell_dirty(o->shell);
}

static void on_follow(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK)
        lobby_take_online(&o->lobby, a->result);
    shell_dirty(o->shell);
}

static void on_me(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK)
        lobby_take_me(&o->lobby, a->result);
    shell_dirty(o->shell);
}

static void ask_me(struct online *o)
{
    struct jsonw *w = link_begin(app_link(o->app), MSG_PLAYER_GET);

    jsonw_m_str(w, "player", o->lobby.user);
    link_send(app_link(o->app), on_me, o);
}

static void ask_list(struct online *o, const char *state, link_answer_fn fn)
{
    struct jsonw *w = link_begin(app_link(o->app), MSG_LOBBY_LIST);

    jsonw_m_str(w, "state", state);
    jsonw_m_int(w, "limit", LIST_LIMIT);
    link_send(app_link(o->app), fn, o);
}

static void ask_mine(struct online *o)
{
    (void)link_begin(app_link(o->app), MSG_MATCH_MINE);
    link_send(app_link(o->app), on_mine, o);
}

void online_refresh(struct online *o)
{
    if (!link_is_up(app_link(o->app)) || !o->has_lobby)
        return;
    lobby_forget(&o->lobby);
    (void)link_begin(app_link(o->app), MSG_LOBBY_FOLLOW);
    link_send(app_link(o->app), on_follow, o);
    ask_list(o, "open", on_list);
    ask_list(o, "live", on_list);
    ask_mine(o);
    ask_me(o);
}

void online_to_lobby(struct online *o)
{
    o->at = ONLINE_LOBBY;
    online_refresh(o);
    shell_dirty(o->shell);
}

void online_lobby_note(struct online *o, enum msg_note note, const struct json *params)
{
    const char *text = NULL;

    if (note == NOTE_LOBBY_EVENT) {
        if (lobby_take_event(&o->lobby, params))
            ask_mine(o);
        if (o->at == ONLINE_PEOPLE)
            online_people(o);
    } else if (note == NOTE_SERVER_NOTICE && json_get_string(params, "text", &text)) {
        online_note(o, text);
    }
}

/* ---- sitting down ---- */

static void wish_for(struct online *o, enum seat_goal goal, const struct lobby_match *m)
{
    memset(&o->wish, 0, sizeof(o->wish));
    (void)str_copy(o->match, sizeof(o->match), m->id);
    o->wish.goal = goal;
    o->wish.match = o->match;
    online_sit(o, true);
}

static void open_at_cursor(struct online *o, bool watch)
{
    enum lobby_part part = LOBBY_PARTS;
    const struct lobby_match *m = view_lobby_at(&o->lobby, o->place.cursor, &part);

    if (m == NULL)
        online_note(o, "There is no match at the cursor.");
    else if (o->down)
        online_note(o, "The line is down.");
    else if (part == LOBBY_TO_WATCH || (watch && m->state == LOBBY_LIVE))
        wish_for(o, SEAT_WATCH, m);
    else if (watch)
        online_note(o, "That match has not begun; there is nothing to see yet.");
    else
        wish_for(o, SEAT_JOIN, m);
}

static void on_declined(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK)
        online_refresh(o);
    else
        online_note(o, a->message[0] != '\0' ? a->message : err_words(a->err));
}

/* Decline a challenge, or take back an open match of ours. */
static void refuse_at_cursor(struct online *o, enum msg_method method)
{
    enum lobby_part part = LOBBY_PARTS;
    const struct lobby_match *m = view_lobby_at(&o->lobby, o->place.cursor, &part);
    struct jsonw *w;

    if (m == NULL || part != (method == MSG_MATCH_DECLINE ? LOBBY_CHALLENGES : LOBBY_MINE)) {
        online_note(o, method == MSG_MATCH_DECLINE ? "No challenge at the cursor."
                                                   : "No open match of yours at the cursor.");
        return;
    }
    w = link_begin(app_link(o->app), method);
    jsonw_m_str(w, "match", m->id);
    link_send(app_link(o->app), on_declined, o);
}

/* ---- opening a match ---- */

static void add_choices(struct form *f, const char *label, const char *help,
                        const char *const *choice)
{
    struct form_row *r = form_add(f, label, help, NULL);

    for (; *choice != NULL; choice++)
        form_choice(r, *choice);
}

static void begin_form(struct online *o)
{
    static const char *const clocks[] = {"none", "10m+30s", "20m+60s", "1d", "3d", "7d", NULL};
    static const char *const dice[] = {"normal", "strict", "server", NULL};
    static const char *const no_yes[] = {"no", "yes", NULL};
    static const char *const delays[] = {"0", "1", "2", "3", "4", "6", "8", "12", NULL};
    const struct scenario *scn = o->scenarios.item[o->scenario];
    const char *const sides[] = {scn->side[0].id, scn->side[1].id, "random", NULL};

    form_init(&o->form, scn->title, "open the match");
    add_choices(&o->form, "Your side", "Random: the dice decide when both sit.", sides);
    add_choices(&o->form, "Clock", "Main time and what a phase adds, or days for each phase.",
                clocks);
    add_choices(&o->form, "Dice",
                "Normal and strict: both players' machines and the server make each die "
                "together. Server: the server rolls alone.",
                dice);
    add_choices(&o->form, "Rated", "Members only.", no_yes);
    add_choices(&o->form, "Private", "Not in the lists; who has the invite may join.", no_yes);
    add_choices(&o->form, "Delay",
                "How many phases those who look on are behind; players and umpires never are.",
                delays);
    (void)form_add(&o->form, "Spectators",
                   "How many may look on at a time; empty: as many as the server takes.", "");
    (void)form_add(&o->form, "Against", "A player's name makes it a challenge; empty: anybody.",
                   o->rival);
    o->form.cursor = o->form.n;
    o->at = ONLINE_CREATE;
}

static const char *chosen(const struct online *o, enum create_row row)
{
    const struct form_row *r = &o->form.row[row];

    return r->choice[r->at];
}

/* What was typed: "", or what is wrong with it. */
static const char *form_trouble(const struct online *o, uint32_t *most)
{
    const char *with = o->form.row[CREATE_WITH].field.text;
    const char *look = o->form.row[CREATE_SPECTATORS].field.text;

    *most = 0;
    if (with[0] != '\0' && !msg_name_ok(with))
        return "A name has 3 to 20 letters, digits, - or _.";
    if (look[0] != '\0' && !options_spectators(look, most))
        return "How many may look on is a number, 1 to 1000000, or empty.";
    return "";
}

static void create(struct online *o)
{
    const struct scenario *scn = o->scenarios.item[o->scenario];
    const char *with = o->form.row[CREATE_WITH].field.text;
    struct seat_wish *w = &o->wish;
    uint32_t most;

    (void)str_copy(o->form.note, sizeof(o->form.note), form_trouble(o, &most));
    if (o->form.note[0] != '\0')
        return;
    memset(w, 0, sizeof(*w));
    w->max_spectators = most;
    CHECK(options_delay(chosen(o, CREATE_DELAY), &w->delay));
    (void)str_copy(o->text[0], sizeof(o->text[0]), scn->id);
    (void)str_copy(o->text[1], sizeof(o->text[1]), chosen(o, CREATE_SIDE));
    (void)str_copy(o->text[2], sizeof(o->text[2]), with);
    w->goal = SEAT_CREATE;
    w->scenario = o->text[0];
    w->side = o->text[1];
    w->opponent = with[0] != '\0' ? o->text[2] : NULL;
    CHECK(options_clock(chosen(o, CREATE_CLOCK), &w->clock));
    w->has_fair = fair_from_word(chosen(o, CREATE_DICE), &w->fair);
    w->rated = str_eq(chosen(o, CREATE_RATED), "yes");
    w->is_private = str_eq(chosen(o, CREATE_PRIVATE), "yes");
    online_sit(o, true);
}

/* ---- drawing ---- */

void online_lobby_draw(struct online *o, struct canvas *c)
{
    const struct keymap *km = &o->set->keys;

    o->place.status = online_status(o);
    o->place.note = o->note;
    switch (o->at) {
    case ONLINE_LOBBY:
        view_lobby(c, km, &o->lobby, &o->place);
        break;
    case ONLINE_SCENARIOS:
        view_scenarios(c, km, &o->scenarios, o->scenario, "open a match");
        break;
    case ONLINE_CREATE:
        form_draw(&o->form, c, km);
        break;
    case ONLINE_HISTORY:
    case ONLINE_LADDER:
    case ONLINE_PEOPLE:
    case ONLINE_PROFILE:
        online_pane_draw(o, c);
        break;
    case ONLINE_HELP:
        view_help(c, km, CTX_LOBBY, NULL, &o->help_from);
        break;
    case ONLINE_TABLE:
        break;
    }
}

/* ---- keys ---- */

static void lobby_action(struct online *o, enum action act)
{
    const unsigned rows = view_lobby_rows(&o->lobby);

    if (act == ACT_UP && o->place.cursor > 0)
        o->place.cursor--;
    else if (act == ACT_DOWN && o->place.cursor + 1 < rows)
        o->place.cursor++;
    else if (act == ACT_HOME)
        o->place.cursor = 0;
    else if (act == ACT_END)
        o->place.cursor = rows > 0 ? rows - 1 : 0;
    else if (act == ACT_CHOOSE || act == ACT_JOIN || act == ACT_YES)
        open_at_cursor(o, false);
    else if (act == ACT_WATCH)
        open_at_cursor(o, true);
    else if (act == ACT_NO)
        refuse_at_cursor(o, MSG_MATCH_DECLINE);
    else if (act == ACT_WITHDRAW)
        refuse_at_cursor(o, MSG_MATCH_CANCEL);
    else if (act == ACT_HISTORY)
        online_pane(o, ONLINE_HISTORY, NULL);
    else if (act == ACT_LADDER)
        online_pane(o, ONLINE_LADDER, NULL);
    else if (act == ACT_PEOPLE)
        online_pane(o, ONLINE_PEOPLE, NULL);
    else if (act == ACT_PROFILE)
        online_pane(o, ONLINE_PROFILE, o->lobby.user);
}

static void main_action(struct online *o, enum action act)
{
    if (act == ACT_CREATE || act == ACT_SCENARIOS) {
        o->at = ONLINE_SCENARIOS;
        o->rival[0] = '\0';
    } else if (act == ACT_HELP) {
        o->at = ONLINE_HELP;
        o->help_from = 0;
    } else if (act == ACT_SOLO) {
        o->wants_solo = true;
        app_leave(o->app, EX_OK);
    } else if (act == ACT_QUIT) {
        app_leave(o->app, EX_OK);
    } else {
        lobby_action(o, act);
    }
}

static void step(unsigned *at, unsigned n, enum action act)
{
    if (act == ACT_UP && *at > 0)
        (*at)--;
    else if (act == ACT_DOWN && *at + 1 < n)
        (*at)++;
    else if (act == ACT_PAGE_UP || act == ACT_HOME)
        *at = act == ACT_HOME || *at < 15 ? 0 : *at - 15;
    else if ((act == ACT_PAGE_DOWN || act == ACT_END) && n > 0)
        *at = act == ACT_END || *at + 15 >= n ? n - 1 : *at + 15;
}

static void list_action(struct online *o, enum action act)
{
    const bool scenarios = o->at == ONLINE_SCENARIOS;

    if (!scenarios && online_pane_action(o, act))
        return;
    if (act == ACT_QUIT || act == ACT_CANCEL)
        o->at = ONLINE_LOBBY;
    else if (act == ACT_CHOOSE && scenarios && o->scenario < o->scenarios.len)
        begin_form(o);
    else if (scenarios)
        step(&o->scenario, (unsigned)o->scenarios.len, act);
    else
        step(&o->page.cursor, o->pane.n, act);
}

static void help_action(struct online *o, enum action act)
{
    if (act == ACT_UP || act == ACT_DOWN)
        o->help_from += act == ACT_UP ? -1 : 1;
    else if (act == ACT_PAGE_UP || act == ACT_PAGE_DOWN)
        o->help_from += act == ACT_PAGE_UP ? -15 : 15;
    else
        o->at = ONLINE_LOBBY;
}

static void form_ended(struct online *o, enum form_end end)
{
    if (end == FORM_DONE)
        create(o);
    else if (end == FORM_LEFT)
        o->at = ONLINE_SCENARIOS;
}

static void page_action(struct online *o, enum action act)
{
    if (shell_common(o->shell, act))
        return;
    if (o->at == ONLINE_LOBBY)
        main_action(o, act);
    else if (o->at == ONLINE_HELP)
        help_action(o, act);
    else
        list_action(o, act);
}

void online_lobby_key(struct online *o, uint32_t key)
{
    const unsigned ctx = o->at == ONLINE_LOBBY ? CTX_LOBBY : CTX_LIST;

    o->note[0] = '\0';
    if (o->at == ONLINE_CREATE)
        form_ended(o, form_key(&o->form, &o->set->keys, key));
    else
        page_action(o, keymap_find(&o->set->keys, ctx, key));
}

static void click_row(struct online *o, unsigned row)
{
    unsigned *at = o->at == ONLINE_LOBBY       ? &o->place.cursor
                   : o->at == ONLINE_SCENARIOS ? &o->scenario
                                               : &o->page.cursor;
    const bool again = *at == row;

    *at = row;
    if (again)
        page_action(o, ACT_CHOOSE);
}

void online_lobby_click(struct online *o, const struct zone *z, const struct term_event *ev)
{
    o->note[0] = '\0';
    if (ev->button == TERM_WHEEL_UP || ev->button == TERM_WHEEL_DOWN)
        page_action(o, ev->button == TERM_WHEEL_UP ? ACT_UP : ACT_DOWN);
    else if (ev->button != TERM_LEFT || z == NULL)
        return;
    else if (o->at == ONLINE_CREATE && z->act == ZONE_ROW)
        form_ended(o, form_click(&o->form, z->arg));
    else if (o->at == ONLINE_CREATE)
        form_ended(o, z->act == ACT_CANCEL ? FORM_LEFT : FORM_GOES_ON);
    else if (z->act == ZONE_ROW)
        click_row(o, (unsigned)z->arg);
    else if (z->act < ACT_COUNT)
        page_action(o, (enum action)z->act);
}
