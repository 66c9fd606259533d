/* SPDX-License-Identifier: ISC
 * view_match.c -- the match screen: title, board, log, prompt. The panel is view_panel.c.
 */
#include "client/tui/view_match.h"

#include "client/words.h"
#include "common/base/str.h"

#define PANEL_MIN 40
#define PANEL_MAX 72

struct layout {
    struct area board, panel, log;
    int y_rule, y_status, y_prompt;
};

/* ---- small windows, hints ---- */

bool view_small(struct canvas *c, const char *waits)
{
    char text[160];

    if (c->w >= VIEW_COLS && c->h >= VIEW_ROWS)
        return false;
    (void)snprintf(text, sizeof(text),
                   "This window has %d x %d cells; the game needs %d x %d. Make it larger, or q "
                   "leaves. %s",
                   c->w, c->h, VIEW_COLS, VIEW_ROWS, waits);
    (void)canvas_wrap(c, (struct area){0, 0, c->w, c->h}, style_of(INK_TEXT), text, 0);
    return true;
}

int view_hint(struct canvas *c, struct area a, const struct keymap *km, enum action act,
              const char *word)
{
    struct buf key = BUF_EMPTY;
    int x = a.x;
    const int from = a.x;

    keymap_key(km, act, &key);
    if (key.len > 0 && canvas_width(buf_str(&key)) + 1 + canvas_width(word) <= a.w) {
        x = canvas_put(c, a, style_bold(INK_KEY), buf_str(&key));
        x = canvas_put(c, row_of(x + 1, a.y, a.x + a.w - x - 1), style_of(INK_FAINT), word);
        canvas_zone(c, row_of(from, a.y, x - from), (int)act, 0);
        x += 2;
    }
    buf_fini(&key);
    return x;
}

void view_trouble(struct canvas *c, int y, const char *text)
{
    canvas_fill(c, row_of(0, y, c->w), style_of(INK_WARN), ' ');
    (void)canvas_printf(c, row_of(0, y, c->w), style_bold(INK_WARN), " %s", text);
    canvas_tint(c, row_of(0, y, c->w), PAPER_BAR, 0);
}

/* ---- title ---- */

static const char *side_name(const struct scene *v, unsigned side)
{
    return side <= RULES_B ? v->a->scn->side[side].name : "nobody";
}

static void put_phase(const struct scene *v, struct buf *out)
{
    const struct rules_state *s = v->s;

    if (!v->a->started) {
        buf_puts(out,
                 v->a->name[ROLE_B][0] == '\0' ? "waiting for an opponent" : "setting up the dice");
    } else if (rules_is_over(s)) {
        buf_puts(out, "over");
    } else if (s->active <= RULES_B) {
        buf_printf(out, "%s's phase", side_name(v, s->active));
        if (v->me == s->active && v->kind != SCENE_HOTSEAT)
            buf_puts(out, " (you)");
        if (v->a->paused)
            buf_puts(out, ", paused");
        else if (v->a->roll_seq != 0)
            buf_puts(out, ", dice are being rolled");
    }
}

static void put_title(struct canvas *c, const struct scene *v)
{
    struct buf out = BUF_EMPTY, right = BUF_EMPTY;
    const int w = c->w - 1;
    uint8_t dice[2];
    int right_w;

    buf_printf(&out, "%s", v->a->scn->title);
    if (v->s->turn > 0)
        buf_printf(&out, " · turn %u of %u", v->s->turn, v->a->board->turns);
    buf_puts(&out, " · ");
    put_phase(v, &out);
    if (v->dice != NULL && v->dice[0] != '\0')
        buf_printf(&right, "%s%s", v->dice, v->dice_bad ? " !!" : v->dice_none ? "" : " ✓");
    right_w = canvas_width(buf_str(&right));
    if (v->film != NULL && film_initiative(v->film, v->at, dice)) {
        const bool fits = canvas_width(buf_str(&out)) + 17 <= w - right_w - 2;

        buf_printf(&out, " · %s %u:%u", fits ? "initiative" : "init", dice[0], dice[1]);
    }
    (void)canvas_put(c, row_of(1, 0, w - right_w - 2), style_bold(INK_TITLE), buf_str(&out));
    canvas_put_right(c, row_of(w - right_w, 0, right_w),
                     v->dice_bad ? style_bold(INK_WARN) : style_of(INK_GOOD), buf_str(&right));
    buf_fini(&out);
    buf_fini(&right);
}

/* ---- layout ---- */

static struct layout lay_out(const struct canvas *c, const struct scene *v, struct table *t)
{
    const struct rules_board *b = v->a->board;
    struct layout l;
    const int log_h = MIN(3 + (c->h - VIEW_ROWS) / 3, 14), middle = c->h - 4 - log_h;
    int board_w;

    if (!t->zoom_set)
        t->large = b->scale == RULES_3IN || (boardview_width(b, true) <= c->w - PANEL_MIN - 2 &&
                                             boardview_height(b, true) <= middle);
    board_w = MIN(boardview_width(b, t->large), c->w - PANEL_MIN - 2);
    l.board = (struct area){1, 1, board_w, middle};
    l.panel.x = 1 + board_w + 2;
    l.panel.y = 1;
    l.panel.w = MIN(c->w - l.panel.x - 1, PANEL_MAX);
    l.panel.h = middle;
    l.y_rule = 1 + middle;
    l.log = (struct area){1, l.y_rule + 1, c->w - 2, log_h};
    l.y_status = c->h - 2;
    l.y_prompt = c->h - 1;
    return l;
}

/* ---- board ---- */

static void put_board(struct canvas *c, const struct scene *v, struct table *t,
                      const struct layout *l)
{
    struct boardview bv = {
        .board = v->a->board, .state = v->s, .select = &t->select, .large = t->large};

    if (v->film != NULL && v->film->n > 0) {
        const size_t at = v->at < v->film->n ? v->at : film_prev(v->film, v->film->n);

        if (at < v->film->n)
            bv.n_last = film_squares(&v->film->frame[at], bv.last, BOARDVIEW_LAST_MAX);
    }
    boardview_place(&t->place, v->a->board, t->large, l->board, t->select.cursor);
    boardview_draw(c, &t->place, &bv);
}

/* ---- the lower lines ---- */

static void put_replay_line(struct canvas *c, const struct scene *v, const struct keymap *km, int y)
{
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "%s: step %zu of %zu",
               v->kind == SCENE_REPLAY ? "Replay"
               : v->running_film       ? "Step by step"
                                       : "Looking back",
               v->at + 1, v->film->n);
    if (v->kind == SCENE_REPLAY && v->running_film)
        buf_printf(&text, ", a step each %d ms", v->speed_ms);
    buf_puts(&text, ". ");
    if (v->kind != SCENE_REPLAY) {
        keymap_key(km, ACT_FORTH, &text);
        buf_puts(&text, " a step on, ");
        keymap_key(km, ACT_CANCEL, &text);
        buf_puts(&text, " to now.");
    }
    (void)canvas_put(c, row_of(1, y, c->w - 2), style_bold(INK_WARN), buf_str(&text));
    buf_fini(&text);
}

static void put_status(struct canvas *c, const struct scene *v, const struct table *t,
                       const struct keymap *km, int y)
{
    const struct select_place at = {v->a->scn, v->a->board, v->s, v->me};
    struct buf words = BUF_EMPTY;

    if (t->note[0] != '\0') {
        (void)canvas_put(c, row_of(1, y, c->w - 2),
                         t->note_bad ? style_bold(INK_WARN) : style_bold(INK_TEXT), t->note);
    } else if (v->film != NULL && v->at < v->film->n) {
        put_replay_line(c, v, km, y);
    } else if (v->kept != NULL && v->kept[0] != '\0') {
        (void)canvas_printf(c, row_of(1, y, c->w - 2), style_bold(INK_WARN),
                            "Kept until the line is up: %s (Esc drops it)", v->kept);
    } else if (v->busy) {
        (void)canvas_put(c, row_of(1, y, c->w - 2), style_of(INK_FAINT),
                         "The order is on its way.");
    } else {
        select_square_words(&t->select, &at, &words);
        (void)canvas_put(c, row_of(1, y, c->w - 2), style_of(INK_FAINT), buf_str(&words));
    }
    buf_fini(&words);
}

struct hint {
    enum action act;
    const char *word;
};
static const struct hint hints_match[] = {
    {ACT_YES, "accept"},    {ACT_NO, "decline"},    {ACT_NEXT, "next"},   {ACT_CHOOSE, "choose"},
    {ACT_FIRE, "fire"},     {ACT_END_PHASE, "end"}, {ACT_UNDO, "undo"},   {ACT_HELP, "help"},
    {ACT_QUIT, "lobby"},    {ACT_COMMAND, "type"},  {ACT_GROUP, "group"}, {ACT_EXIT, "leave"},
    {ACT_REVIEW, "review"}, {ACT_TALK, "talk"},     {ACT_BACK, "back"},
};
static const struct hint hints_replay[] = {
    {ACT_LEFT, "back"},     {ACT_RIGHT, "on"},      {ACT_PLAY, "run/stop"}, {ACT_FASTER, "faster"},
    {ACT_SLOWER, "slower"}, {ACT_JUMP, "turn"},     {ACT_HELP, "help"},     {ACT_QUIT, "leave"},
    {ACT_LUCK, "luck"},     {ACT_INFO, "scenario"},
};

static void put_hints(struct canvas *c, const struct scene *v, const struct keymap *km, int y)
{
    const bool replay = v->kind == SCENE_REPLAY;
    const struct hint *hint = replay ? hints_replay : hints_match;
    const size_t n = replay ? ARRAY_LEN(hints_replay) : ARRAY_LEN(hints_match);
    int x = 1;

    for (size_t i = 0; i < n; i++) {
        const char *word = hint[i].act == ACT_QUIT && !v->lobby ? "leave" : hint[i].word;

        if (v->can[hint[i].act])
            x = view_hint(c, row_of(x, y, c->w - x), km, hint[i].act, word);
    }
}

static const char *prompt_lead(enum table_prompt p)
{
    switch (p) {
    case PROMPT_NONE:
        break;
    case PROMPT_ORDER:
        return "> ";
    case PROMPT_SAY:
        return "say to the players: ";
    case PROMPT_SAY_ALL:
        return "say to all: ";
    case PROMPT_TURN:
        return "to turn: ";
    }
    return "";
}

static void put_question(struct canvas *c, const struct scene *v, const struct table *t,
                         const struct keymap *km, int y)
{
    const struct select_place at = {v->a->scn, v->a->board, v->s, v->me};
    char text[160];
    int x;

    if (t->ask == ACT_END_PHASE)
        (void)snprintf(text, sizeof(text), "%u could still act. End the phase?",
                       v->me <= RULES_B ? select_ready(&at, v->me) : 0U);
    else
        (void)snprintf(text, sizeof(text), "Really %s?", action_help((enum action)t->ask));
    x = canvas_put(c, row_of(1, y, c->w - 20), style_bold(INK_WARN), text);
    x = view_hint(c, row_of(x + 2, y, c->w - x - 2), km, ACT_YES, "yes");
    (void)view_hint(c, row_of(x, y, c->w - x), km, ACT_NO, "no");
}

static void put_prompt(struct canvas *c, const struct scene *v, const struct table *t,
                       const struct keymap *km, int y)
{
    if (t->ask != ACT_NONE) {
        put_question(c, v, t, km, y);
    } else if (t->prompt != PROMPT_NONE) {
        const int x =
            canvas_put(c, row_of(1, y, c->w - 2), style_bold(INK_KEY), prompt_lead(t->prompt));

        field_draw(&t->field, c, row_of(x, y, c->w - x - 1), style_of(INK_TEXT));
    } else {
        put_hints(c, v, km, y);
    }
}

/* Who looks on with a delay is told so for as long as it holds. */
static void put_behind(struct canvas *c, const struct scene *v, int y)
{
    struct buf text = BUF_EMPTY;

    if (v->behind == 0)
        return;
    buf_puts(&text, " You look on, delayed by ");
    words_phases(v->behind, &text);
    buf_putc(&text, ' ');
    canvas_put_right(c, row_of(c->w / 2, y, c->w - c->w / 2 - 2), style_bold(INK_WARN),
                     buf_str(&text));
    buf_fini(&text);
}

/* ---- the whole ---- */

void view_match(struct canvas *c, const struct scene *v, const struct keymap *km, struct table *t)
{
    const struct layout l = lay_out(c, v, t);

    put_title(c, v);
    put_board(c, v, t, &l);
    view_panel(c, l.panel, v, t);
    canvas_rule(c, 0, l.y_rule, c->w);
    put_behind(c, v, l.y_rule);
    if (v->status != NULL && v->status[0] != '\0')
        view_trouble(c, l.y_rule, v->status);
    else if (t->log_back > 0)
        (void)canvas_put(c, row_of(2, l.y_rule, 40), style_bold(INK_WARN),
                         " older lines; PgDn for the newest ");
    if (v->film != NULL && v->at < v->film->n)
        film_draw(v->film, c, l.log, v->at);
    else
        log_draw(v->log, c, l.log, t->log_back);
    put_status(c, v, t, km, l.y_status);
    put_prompt(c, v, t, km, l.y_prompt);
}
