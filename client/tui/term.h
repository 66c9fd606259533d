/* SPDX-License-Identifier: ISC
 * term.h -- the terminal: the only user of ncurses.
 *
 * One at a time in a process (ncurses is one). Whatever ends the process, the terminal is put
 * back: term_close, an exit, a stop signal handled by the caller, a crash. What is written to
 * standard error meanwhile is kept and comes out afterwards.
 */
#ifndef SK_TUI_TERM_H
#define SK_TUI_TERM_H

#include "client/tui/canvas.h"
#include "client/tui/keymap.h"
#include "client/tui/theme.h"

struct tty;

struct term_config {
    bool mouse, title;
    const char *colours; /* setting for theme_depth; NULL: auto */
};
enum term_button { TERM_LEFT, TERM_OTHER, TERM_WHEEL_UP, TERM_WHEEL_DOWN };
struct term_event {
    uint32_t key; /* KEY_K_MOUSE: x, y, button too */
    int x, y;
    enum term_button button;
};

/* Can this terminal be used in full screen: both ends a terminal that knows how to? */
bool term_is_able(void);
/* Take the terminal over. ERR_IO: it can't be had. */
NODISCARD enum err term_open(const struct term_config *cfg, struct tty **out);
/* Give it back. NULL is nothing. */
void term_close(struct tty *t);
void term_size(const struct tty *t, int *w, int *h);
/* Ask the system for the size again, after SIGWINCH. */
void term_resized(struct tty *t);
/* Show the canvas; only what changed is sent. */
void term_show(struct tty *t, const struct canvas *c, const struct theme *theme);
/* Draw everything anew with the next term_show. */
void term_redraw(struct tty *t);
/* The next key or click; false: none waits. */
bool term_read(struct tty *t, struct term_event *ev);
/* Was the terminal taken away (hung up)? To be asked when it was readable and nothing came. */
bool term_is_gone(const struct tty *t);
/* Ctrl-Z: give the terminal back, stop, and take it again when continued. */
void term_suspend(struct tty *t);
void term_bell(struct tty *t);
/* Plain ASCII. */
void term_title(struct tty *t, const char *text);
int term_fd(const struct tty *t);
/* Colours in use. */
int term_colours(const struct tty *t);

#endif
