/* SPDX-License-Identifier: ISC
 * play_keys.c -- what keys, clicks and typed lines do at a match screen.
 */
#include "client/orders.h"
#include "client/tui/play_impl.h"
#include "client/words.h"
#include "common/base/str.h"

#define SPEED_MIN 50
#define SPEED_MAX 5000

/* ---- orders ---- */

static bool may_order(struct play_table *p)
{
    const struct scene *v = &p->scene;

    if (v->may_order && !v->busy)
        return true;
    if (v->busy)
        play_note(p, true, "Wait: the order before is still on its way.");
    else if (v->a->over)
        play_note(p, true, "The game is over.");
    else if (v->me == RULES_NOBODY)
        play_note(p, true, "You look on: there is nothing to order.");
    else if (v->status != NULL && v->status[0] != '\0')
        play_note(p, true, "The line is down; the order was not sent.");
    else
        play_note(p, true, "It is not your phase.");
    return false;
}

/* Would it be ours to order, were the line up? */
static bool may_keep(const struct scene *v)
{
    const struct audit *a = v->a;

    return v->status != NULL && v->status[0] != '\0' && v->me != RULES_NOBODY && !v->busy &&
           a->started && !a->over && !a->paused && a->roll_seq == 0 &&
           a->game.rules.state.active == v->me;
}

static void keep(struct play_table *p, const struct rules_order *o)
{
    struct buf words = BUF_EMPTY;

    orders_print(p->scene.a->scn, o, &words);
    (void)str_copy(p->kept.words, sizeof(p->kept.words), buf_str(&words));
    buf_fini(&words);
    p->kept.on = true;
    p->kept.order = *o;
    p->kept.base = p->scene.a->head;
    select_clear(&p->table.select);
}

static void give(struct play_table *p, const struct rules_order *o)
{
    if (may_keep(&p->scene))
        keep(p, o);
    else if (may_order(p))
        p->port.order(p->port.data, o);
}

static void finish(struct play_table *p, enum select_act act, const struct rules_order *o,
                   struct buf *why)
{
    if (act == SELECT_ORDER)
        give(p, o);
    else if (act == SELECT_NOTHING)
        play_note(p, true, buf_str(why));
    buf_fini(why);
}

static void choose(struct play_table *p)
{
    const struct select_place at = play_place(p);
    struct buf why = BUF_EMPTY;
    struct rules_order o;

    finish(p, select_choose(&p->table.select, &at, &o, &why), &o, &why);
}

static void fire(struct play_table *p)
{
    const struct select_place at = play_place(p);
    struct buf why = BUF_EMPTY;
    struct rules_order o;

    finish(p, select_fire(&p->table.select, &at, &o, &why), &o, &why);
}

static void leave_board(struct play_table *p)
{
    const struct select_place at = play_place(p);
    struct buf why = BUF_EMPTY;
    struct rules_order o;

    finish(p, select_exit(&p->table.select, &at, &o, &why), &o, &why);
}

static void simple_order(struct play_table *p, enum rules_do kind)
{
    struct rules_order o;

    memset(&o, 0, sizeof(o));
    o.kind = (uint8_t)kind;
    o.side = (uint8_t)p->scene.me;
    o.face = RULES_NO_DIR;
    o.exit = RULES_NO_DIR;
    o.square = RULES_NO_SQUARE;
    give(p, &o);
}

static void end_phase(struct play_table *p)
{
    const struct select_place at = play_place(p);

    /* the question may be put while an order is still on its way, or the line is down */
    if (!(p->scene.busy && at.state->active == p->scene.me) && !may_keep(&p->scene) &&
        !may_order(p))
        return;
    if (p->scene.busy || select_ready(&at, p->scene.me) > 0)
        p->table.ask = ACT_END_PHASE;
    else
        simple_order(p, RULES_DO_END_PHASE);
}

static void face(struct play_table *p, enum rules_dir d)
{
    struct select *s = &p->table.select;
    const struct select_place at = play_place(p);

    if (s->n == 0) {
        play_note(p, true, "Choose who is to face that way first.");
        return;
    }
    s->face = s->face == d ? (uint8_t)RULES_NO_DIR : (uint8_t)d;
    if (s->aiming || select_to(s, s->cursor) == NULL)
        s->cursor = at.state->at[s->figure[0]];
    s->aiming = false;
}

/* ---- typed lines ---- */

static void open_prompt(struct play_table *p, enum table_prompt kind)
{
    p->table.prompt = kind;
    field_set(&p->table.field, "");
    recall_begin(&p->recall);
}

/* Commands that are keys too. */
static enum action act_of(enum command_kind kind)
{
    static const struct {
        enum command_kind kind;
        enum action act;
    } same[] = {
        {COMMAND_DRAW, ACT_DRAW},   {COMMAND_PAUSE, ACT_PAUSE}, {COMMAND_TAKEBACK, ACT_ASK_UNDO},
        {COMMAND_ACCEPT, ACT_YES},  {COMMAND_DECLINE, ACT_NO},  {COMMAND_RESIGN, ACT_RESIGN},
        {COMMAND_CLAIM, ACT_CLAIM}, {COMMAND_GO_ON, ACT_GO_ON}, {COMMAND_QUIT, ACT_QUIT},
        {COMMAND_HELP, ACT_HELP},   {COMMAND_LOG, ACT_LOG},     {COMMAND_GOALS, ACT_INFO},
    };

    for (size_t i = 0; i < ARRAY_LEN(same); i++) {
        if (same[i].kind == kind)
            return same[i].act;
    }
    return ACT_NONE;
}

static void do_action(struct play_table *p, enum action act);

/* Questions are answered in the log. */
static void answer(struct play_table *p, const struct said *said)
{
    const struct select_place at = play_place(p);
    struct buf out = BUF_EMPTY;

    if (said->kind == COMMAND_LEGAL && said->figure != RULES_NO_FIGURE)
        words_legal(at.scn, at.board, at.state, said->figure, &out);
    else if (said->kind == COMMAND_LEGAL)
        words_ready(at.scn, at.board, at.state, at.side, &out);
    else if (said->kind == COMMAND_ODDS)
        words_aim(at.scn, at.board, at.state, said->figure,
                  said->face <= RULES_W ? (enum rules_dir)said->face
                                        : (enum rules_dir)at.state->face[said->figure],
                  &out);
    else if (said->kind == COMMAND_LOOK)
        words_about(at.scn, at.board, at.state, said->square, &out);
    else if (said->kind == COMMAND_GROUND)
        words_ground(at.board, &out);
    else if (said->kind == COMMAND_DICE)
        buf_puts(&out, p->scene.dice);
    else
        words_position(p->scene.a, p->scene.me, &out);
    log_add(&p->log, LOG_NEWS, buf_str(&out));
    p->table.log_back = 0;
    buf_fini(&out);
}

static void take_order_line(struct play_table *p, const char *line)
{
    const struct scene *v = &p->scene;
    const struct orders_place at = {v->a->scn, v->a->board, &v->a->game.rules.state, v->me};
    struct buf why = BUF_EMPTY;
    struct said said;

    if (orders_parse(&at, line, &said, &why) != ERR_OK) {
        play_note(p, true, buf_str(&why));
    } else if (said.kind == COMMAND_COUNT) {
        play_note(p, false, "");
    } else if (orders_is_order((enum command_kind)said.kind)) {
        give(p, &said.order);
    } else if (said.kind == COMMAND_SAY || said.kind == COMMAND_SAY_ALL) {
        p->port.say(p->port.data, said.text, said.kind == COMMAND_SAY_ALL);
    } else if (said.kind == COMMAND_RESIGN && said.number == 1 && v->can[ACT_RESIGN]) {
        p->port.act(p->port.data, ACT_RESIGN);
    } else if (act_of((enum command_kind)said.kind) != ACT_NONE) {
        do_action(p, act_of((enum command_kind)said.kind));
    } else {
        answer(p, &said);
    }
    buf_fini(&why);
}

static void jump_to(struct play_table *p, const char *text)
{
    int64_t turn;
    size_t at;

    if (!str_to_int(text, 1, RULES_TURNS_MAX, &turn)) {
        play_note(p, true, "A turn is a number from 1.");
        return;
    }
    at = film_turn(&p->film, (unsigned)turn);
    if (at < p->film.n)
        p->at = film_next(&p->film, at) < p->film.n ? film_next(&p->film, at) : at;
    else
        play_note(p, true, "The game has no such turn.");
}

static void take_line(struct play_table *p)
{
    const enum table_prompt kind = p->table.prompt;
    const char *text = p->table.field.text;

    p->table.prompt = PROMPT_NONE;
    if (kind == PROMPT_ORDER) {
        recall_add(&p->recall, text);
        take_order_line(p, text);
    } else if (kind == PROMPT_TURN) {
        jump_to(p, text);
    } else if (text[0] != '\0') {
        p->port.say(p->port.data, text, kind == PROMPT_SAY_ALL);
    }
}

static void prompt_key(struct play_table *p, uint32_t key)
{
    if (key == KEY_K_ENTER)
        take_line(p);
    else if (key == KEY_K_ESC)
        p->table.prompt = PROMPT_NONE;
    else if (p->table.prompt != PROMPT_ORDER || !recall_key(&p->recall, &p->table.field, key))
        (void)field_key(&p->table.field, key);
}

/* ---- actions ---- */

static void over(struct play_table *p, enum table_over what)
{
    p->table.over = p->table.over == what ? TABLE_BOARD : what;
    p->table.over_at = 0;
}

static void ask_or_act(struct play_table *p, enum action act)
{
    if (p->scene.can[act])
        p->table.ask = (uint8_t)act;
    else
        play_note(p, true, "That can't be done now.");
}

static void say_yes_no(struct play_table *p, bool yes)
{
    const enum action ask = (enum action)p->table.ask;

    p->table.ask = ACT_NONE;
    if (ask == ACT_NONE) {
        if (p->scene.offered)
            p->port.act(p->port.data, yes ? ACT_YES : ACT_NO);
    } else if (yes && ask == ACT_END_PHASE) {
        simple_order(p, RULES_DO_END_PHASE);
    } else if (yes) {
        p->port.act(p->port.data, ask);
    }
}

static bool move_action(struct play_table *p, enum action act)
{
    const struct select_place at = play_place(p);
    struct select *s = &p->table.select;

    if (act == ACT_UP || act == ACT_DOWN)
        select_move(s, at.board, 0, act == ACT_UP ? 1 : -1);
    else if ((act == ACT_LEFT || act == ACT_RIGHT) && p->scene.kind == SCENE_REPLAY)
        play_step(p, act == ACT_LEFT ? -1 : 1);
    else if (act == ACT_LEFT || act == ACT_RIGHT)
        select_move(s, at.board, act == ACT_LEFT ? -1 : 1, 0);
    else if (act != ACT_NEXT && act != ACT_PREV)
        return false;
    else if (!select_next(s, &at, act == ACT_NEXT ? 1 : -1))
        play_note(p, false, "Nobody of yours can act.");
    return true;
}

static bool scroll_action(struct play_table *p, enum action act)
{
    if (act == ACT_PAGE_UP)
        p->table.log_back += 3;
    else if (act == ACT_PAGE_DOWN)
        p->table.log_back = MAX(0, p->table.log_back - 3);
    else if (act == ACT_HOME && (p->scene.kind == SCENE_REPLAY || p->at != PLAY_NOW))
        p->at = film_next(&p->film, 0);
    else if (act == ACT_END && p->scene.kind == SCENE_REPLAY)
        p->at = film_prev(&p->film, p->film.n - 1);
    else if (act == ACT_END && p->at != PLAY_NOW)
        play_now(p);
    else if (act == ACT_HOME)
        p->table.list_from = 0;
    else if (act == ACT_END)
        p->table.log_back = 0;
    else
        return false;
    return true;
}

static void review(struct play_table *p)
{
    p->at = film_their_phase(&p->film, p->scene.me);
    p->running = p->at < p->film.n;
    p->speed_ms = (int)MAX(p->set->pace_ms, (int64_t)SPEED_MIN);
    if (!p->running)
        play_now(p);
}

static bool film_action(struct play_table *p, enum action act)
{
    if (act == ACT_REVIEW) {
        review(p);
    } else if (act == ACT_BACK || act == ACT_FORTH) {
        p->running = false;
        play_step(p, act == ACT_BACK ? -1 : 1);
        if (act == ACT_BACK)
            p->port.act(p->port.data, act);
    } else if (act == ACT_PLAY) {
        p->running = !p->running;
    } else if (act == ACT_FASTER) {
        p->speed_ms = MAX(p->speed_ms * 2 / 3, SPEED_MIN);
    } else if (act == ACT_SLOWER) {
        p->speed_ms = MIN(p->speed_ms * 3 / 2, SPEED_MAX);
    } else if (act == ACT_JUMP) {
        open_prompt(p, PROMPT_TURN);
    } else {
        return false;
    }
    return true;
}

static void order_action(struct play_table *p, enum action act)
{
    const struct select_place at = play_place(p);

    if (act == ACT_CHOOSE)
        choose(p);
    else if (act == ACT_FIRE)
        fire(p);
    else if (act == ACT_EXIT)
        leave_board(p);
    else if (act == ACT_GROUP)
        select_group(&p->table.select, &at);
    else if (act == ACT_UNDO)
        simple_order(p, RULES_DO_UNDO);
    else if (act == ACT_END_PHASE)
        end_phase(p);
    else if (act >= ACT_FACE_N && act <= ACT_FACE_W)
        face(p, (enum rules_dir)(RULES_N + (act - ACT_FACE_N)));
}

static bool page_action(struct play_table *p, enum action act)
{
    static const struct {
        enum action act;
        enum table_over over;
        enum table_prompt prompt;
    } pages[] = {
        {ACT_HELP, TABLE_HELP, PROMPT_NONE},         {ACT_INFO, TABLE_INFO, PROMPT_NONE},
        {ACT_LOG, TABLE_LOG, PROMPT_NONE},           {ACT_LUCK, TABLE_LUCK, PROMPT_NONE},
        {ACT_COMMAND, TABLE_BOARD, PROMPT_ORDER},    {ACT_TALK, TABLE_BOARD, PROMPT_SAY},
        {ACT_TALK_ALL, TABLE_BOARD, PROMPT_SAY_ALL},
    };

    if (act == ACT_ZOOM) {
        p->table.zoom_set = true;
        p->table.large = !p->table.large;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
        if (pages[i].act != act)
            continue;
        if (pages[i].prompt != PROMPT_NONE)
            open_prompt(p, pages[i].prompt);
        else
            over(p, pages[i].over);
        return true;
    }
    return false;
}

static void cancel(struct play_table *p)
{
    if (p->table.ask != ACT_NONE)
        p->table.ask = ACT_NONE;
    else if (p->at != PLAY_NOW && p->scene.kind != SCENE_REPLAY)
        play_now(p);
    else if (p->table.select.aiming)
        p->table.select.aiming = false;
    else if (p->kept.on)
        p->kept.on = false;
    else
        select_clear(&p->table.select);
}

static void do_action(struct play_table *p, enum action act)
{
    if (act == ACT_NONE || shell_common(p->shell, act) || page_action(p, act) ||
        film_action(p, act) || scroll_action(p, act))
        return;
    /* whoever reaches for the board wants to see it as it is */
    if (p->at != PLAY_NOW && p->scene.kind != SCENE_REPLAY && act != ACT_CANCEL)
        play_now(p);
    if (move_action(p, act))
        return;
    if (act == ACT_YES || act == ACT_NO)
        say_yes_no(p, act == ACT_YES);
    else if (act == ACT_CANCEL)
        cancel(p);
    else if (act == ACT_RESIGN || act == ACT_CLAIM || act == ACT_DRAW || act == ACT_ASK_UNDO)
        ask_or_act(p, act);
    else if (act == ACT_QUIT || act == ACT_PAUSE || act == ACT_GO_ON)
        p->port.act(p->port.data, act);
    else if (p->scene.kind != SCENE_REPLAY)
        order_action(p, act);
}

/* Keys on a page that lies over the board. */
static void page_key(struct play_table *p, enum action act)
{
    const int up = p->table.over == TABLE_LOG ? 1 : -1; /* the log is scrolled from its end */

    if (act == ACT_UP || act == ACT_DOWN)
        p->table.over_at += act == ACT_UP ? up : -up;
    else if (act == ACT_PAGE_UP || act == ACT_PAGE_DOWN)
        p->table.over_at += 15 * (act == ACT_PAGE_UP ? up : -up);
    else if (act == ACT_HOME || act == ACT_END)
        p->table.over_at = act == ACT_HOME ? 0 : 100000;
    else if (act == ACT_CANCEL || act == ACT_QUIT || act == ACT_CHOOSE)
        p->table.over = TABLE_BOARD;
    else if (!shell_common(p->shell, act) && act != ACT_NONE) {
        p->table.over = TABLE_BOARD;
        do_action(p, act);
    }
}

void play_key(struct play_table *p, uint32_t key)
{
    const unsigned ctx = p->scene.kind == SCENE_REPLAY ? CTX_REPLAY : CTX_MATCH;
    enum action act = keymap_find(&p->set->keys, ctx, key);

    play_note(p, false, "");
    if (!play_facts(p)) {
        if (act == ACT_QUIT || act == ACT_CANCEL)
            p->port.act(p->port.data, ACT_QUIT);
        return;
    }
    if (p->table.prompt != PROMPT_NONE) {
        prompt_key(p, key);
    } else if (p->table.over != TABLE_BOARD) {
        page_key(p, act);
    } else if (p->table.ask != ACT_NONE) {
        act = keymap_find(&p->set->keys, CTX_ASK, key);
        if (act == ACT_YES || act == ACT_CHOOSE)
            say_yes_no(p, true);
        else
            p->table.ask = ACT_NONE;
    } else {
        do_action(p, act);
    }
}

/* ---- clicks ---- */

static void click_square(struct play_table *p, uint16_t sq)
{
    struct select *s = &p->table.select;
    const bool again = s->cursor == sq;

    if (p->at != PLAY_NOW && p->scene.kind != SCENE_REPLAY)
        play_now(p);
    s->cursor = sq;
    if (s->n > 0 && select_to(s, sq) != NULL && !again)
        return; /* looked at first; the second click does it */
    choose(p);
}

static void wheel(struct play_table *p, const struct zone *z, bool up)
{
    if (z != NULL && z->act == ZONE_SQUARE)
        select_move(&p->table.select, p->scene.a->board, 0, up ? 1 : -1);
    else if (p->table.over != TABLE_BOARD)
        page_key(p, up ? ACT_UP : ACT_DOWN);
    else
        (void)scroll_action(p, up ? ACT_PAGE_UP : ACT_PAGE_DOWN);
}

void play_click(struct play_table *p, const struct zone *z, const struct term_event *ev)
{
    const struct select_place none = {NULL, NULL, NULL, RULES_NOBODY};

    play_note(p, false, "");
    if (!play_facts(p))
        return;
    if (ev->button == TERM_WHEEL_UP || ev->button == TERM_WHEEL_DOWN) {
        wheel(p, z, ev->button == TERM_WHEEL_UP);
        return;
    }
    if (ev->button != TERM_LEFT || z == NULL || p->table.prompt != PROMPT_NONE)
        return;
    if (z->act == ZONE_SQUARE) {
        p->table.ask = ACT_NONE;
        click_square(p, (uint16_t)z->arg);
    } else if (z->act == ZONE_FIGURE) {
        struct select_place at = none;

        play_now(p);
        (void)play_facts(p);
        at = play_place(p);
        select_figure(&p->table.select, &at, (unsigned)z->arg);
    } else if (p->table.over != TABLE_BOARD) {
        page_key(p, (enum action)z->act);
    } else if (z->act < ACT_COUNT) {
        do_action(p, (enum action)z->act);
    }
}
