/* SPDX-License-Identifier: ISC
 * form.h -- a few questions answered on one screen: choices and lines of text.
 *
 * Pure. The last row is the button that says what happens then.
 */
#ifndef SK_TUI_FORM_H
#define SK_TUI_FORM_H

#include "client/tui/field.h"
#include "client/tui/keymap.h"

#define FORM_ROWS_MAX    10
#define FORM_CHOICES_MAX 8

struct form_row {
    const char *label; /* static, or outlives the form */
    const char *help;
    const char *choice[FORM_CHOICES_MAX]; /* none: a line of text. Borrowed */
    unsigned n_choices, at;
    struct field field;
    bool hidden; /* not asked, given the other answers */
};
struct form {
    const char *title, *button;
    struct form_row row[FORM_ROWS_MAX];
    unsigned n, cursor; /* cursor == n: the button */
    char note[240];     /* what is wrong */
};
enum form_end { FORM_GOES_ON, FORM_DONE, FORM_LEFT };

void form_init(struct form *f, const char *title, const char *button);
/* Add a row; returns it. `text` is what a line begins with, NULL for choices. */
struct form_row *form_add(struct form *f, const char *label, const char *help, const char *text);
void form_choice(struct form_row *r, const char *choice);
/* Take a key; the action it means is looked up by the form (choose, cancel, up, down ...). */
enum form_end form_key(struct form *f, const struct keymap *km, uint32_t key);
/* A click on row `arg` (ZONE_ROW). */
enum form_end form_click(struct form *f, int arg);
void form_draw(const struct form *f, struct canvas *c, const struct keymap *km);

#endif
