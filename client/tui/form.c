/* SPDX-License-Identifier: ISC
 * form.c -- asking.
 */
#include "client/tui/form.h"

#include "client/tui/view.h"

#define LABEL_W 14

void form_init(struct form *f, const char *title, const char *button)
{
    memset(f, 0, sizeof(*f));
    f->title = title;
    f->button = button;
}

struct form_row *form_add(struct form *f, const char *label, const char *help, const char *text)
{
    struct form_row *r;

    CHECK(f->n < FORM_ROWS_MAX);
    r = &f->row[f->n++];
    memset(r, 0, sizeof(*r));
    r->label = label;
    r->help = help;
    if (text != NULL)
        field_set(&r->field, text);
    return r;
}

void form_choice(struct form_row *r, const char *choice)
{
    CHECK(r->n_choices < FORM_CHOICES_MAX);
    r->choice[r->n_choices++] = choice;
}

static void step(struct form *f, int way)
{
    const unsigned all = f->n + 1;

    do {
        f->cursor = (f->cursor + all + (unsigned)(way + (int)all) % all) % all;
    } while (f->cursor < f->n && f->row[f->cursor].hidden);
}

static void turn(struct form_row *r, int way)
{
    if (r->n_choices > 0)
        r->at = (r->at + r->n_choices + (way > 0 ? 1 : r->n_choices - 1)) % r->n_choices;
}

static enum form_end move_key(struct form *f, enum action act)
{
    struct form_row *r = f->cursor < f->n ? &f->row[f->cursor] : NULL;

    if (act == ACT_UP || act == ACT_PREV) {
        step(f, -1);
    } else if (act == ACT_DOWN || act == ACT_NEXT) {
        step(f, 1);
    } else if (act == ACT_CANCEL) {
        return FORM_LEFT;
    } else if (act == ACT_LEFT && r != NULL) {
        turn(r, -1);
    } else if (act == ACT_RIGHT && r != NULL) {
        turn(r, 1);
    } else if (act == ACT_CHOOSE) {
        if (r == NULL)
            return FORM_DONE;
        step(f, 1);
    }
    return FORM_GOES_ON;
}

enum form_end form_key(struct form *f, const struct keymap *km, uint32_t key)
{
    const bool text = f->cursor < f->n && f->row[f->cursor].n_choices == 0;
    const bool leaves = key == KEY_K_ENTER || key == KEY_K_TAB || key == KEY_K_BACK_TAB ||
                        key == KEY_K_UP || key == KEY_K_DOWN || key == KEY_K_ESC;

    f->note[0] = '\0';
    if (text && !leaves) {
        (void)field_key(&f->row[f->cursor].field, key);
        return FORM_GOES_ON;
    }
    if (key == ' ' && f->cursor < f->n) {
        turn(&f->row[f->cursor], 1);
        return FORM_GOES_ON;
    }
    return move_key(f, keymap_find(km, CTX_LIST, key));
}

enum form_end form_click(struct form *f, int arg)
{
    if (arg < 0 || (unsigned)arg > f->n)
        return FORM_GOES_ON;
    if ((unsigned)arg == f->n)
        return FORM_DONE;
    if (f->cursor == (unsigned)arg)
        turn(&f->row[arg], 1);
    f->cursor = (unsigned)arg;
    return FORM_GOES_ON;
}

static void put_line(struct canvas *c, struct area a, const struct form_row *r, bool here)
{
    const struct style st = here ? style_bold(INK_TEXT) : style_of(INK_TEXT);
    const char *text = r->field.secret && r->field.len > 0 ? "********" : r->field.text;

    if (here)
        field_draw(&r->field, c, a, st);
    else
        (void)canvas_put(c, a, st, text);
    canvas_tint(c, a, here ? PAPER_CHOSEN : PAPER_PLAIN, here ? 0 : ATTR_UNDERLINE);
}

static void put_choices(struct canvas *c, struct area a, const struct form_row *r, bool here)
{
    int x = a.x;

    for (unsigned i = 0; i < r->n_choices; i++) {
        const bool is = i == r->at;
        const struct style st = is ? style_bold(INK_KEY) : style_of(INK_FAINT);
        const int from = x;

        x = canvas_printf(c, row_of(x, a.y, a.x + a.w - x), st, is ? "[%s]" : " %s ", r->choice[i]);
        if (is && here)
            canvas_tint(c, row_of(from, a.y, x - from), PAPER_CHOSEN, 0);
        x++;
    }
}

static void put_row(struct canvas *c, struct area a, const struct form_row *r, bool here)
{
    const struct area value = row_of(a.x + LABEL_W, a.y, a.w - LABEL_W);

    (void)canvas_put(c, row_of(a.x, a.y, LABEL_W), style_of(here ? INK_TITLE : INK_FAINT),
                     r->label);
    if (r->n_choices == 0)
        put_line(c, value, r, here);
    else
        put_choices(c, value, r, here);
}

void form_draw(const struct form *f, struct canvas *c, const struct keymap *km)
{
    const struct area in = canvas_box(c, (struct area){2, 1, c->w - 4, c->h - 3}, f->title);
    const char *help = "";
    int y = in.y + 1, x;

    for (unsigned i = 0; i < f->n; i++) {
        const struct form_row *r = &f->row[i];

        if (r->hidden)
            continue;
        put_row(c, row_of(in.x, y, in.w), r, f->cursor == i);
        canvas_zone(c, row_of(in.x, y, in.w), ZONE_ROW, (int)i);
        if (f->cursor == i)
            help = r->help;
        y += 1;
    }
    x = canvas_printf(c, row_of(in.x, y + 1, in.w), style_bold(INK_KEY), "[ %s ]", f->button);
    canvas_zone(c, row_of(in.x, y + 1, x - in.x), ZONE_ROW, (int)f->n);
    if (f->cursor == f->n)
        canvas_tint(c, row_of(in.x, y + 1, x - in.x), PAPER_CURSOR, 0);
    (void)canvas_wrap(c, (struct area){in.x, y + 3, in.w, 3}, style_of(INK_FAINT), help, 0);
    (void)canvas_wrap(c, (struct area){in.x, in.y + in.h - 3, in.w, 3}, style_bold(INK_WARN),
                      f->note, 0);
    x = view_hint(c, row_of(3, c->h - 1, c->w - 3), km, ACT_NEXT, "next");
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_RIGHT, "other answer");
    x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_CHOOSE, "go on");
    (void)view_hint(c, row_of(x, c->h - 1, c->w - x), km, ACT_CANCEL, "back");
}
