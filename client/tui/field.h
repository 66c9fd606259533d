/* SPDX-License-Identifier: ISC
 * field.h -- one line of text being typed.
 *
 * Pure. Holds plain UTF-8 only: what may not be sent to a person can't be typed or pasted in.
 */
#ifndef SK_TUI_FIELD_H
#define SK_TUI_FIELD_H

#include "client/tui/canvas.h"

#define FIELD_MAX 1600 /* bytes: 400 code points */

struct field {
    char text[FIELD_MAX + 1];
    size_t len, at; /* bytes; the caret stands before text[at] */
    bool secret;    /* shown as stars */
};

void field_set(struct field *f, const char *text);
/* Take a key (keymap.h). True: it was one for text. */
bool field_key(struct field *f, uint32_t key);
/* Draw into one row, scrolled so that the caret is seen, which is put there. */
void field_draw(const struct field *f, struct canvas *c, struct area a, struct style st);

#endif
