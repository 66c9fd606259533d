/* SPDX-License-Identifier: ISC
 * shell.h -- the full screen on an event loop: keys, clicks, sizes, signals in; a canvas out.
 *
 * One screen is shown at a time (struct screen). It is drawn once after all that came in at one
 * time, when something said so (shell_dirty); nothing runs while nothing happens.
 */
#ifndef SK_TUI_SHELL_H
#define SK_TUI_SHELL_H

#include "client/tui/settings.h"
#include "client/tui/term.h"

struct uv_loop_s;
struct shell;

struct screen {
    void *data;
    void (*draw)(void *data, struct canvas *c);
    void (*key)(void *data, uint32_t key);
    /* A click, or the wheel, on a zone (NULL: on none). */
    void (*click)(void *data, const struct zone *z, const struct term_event *ev);
    void (*tick)(void *data);          /* the time of shell_wake has come */
    void (*stop)(void *data, int sig); /* asked to end */
    const char *(*waits)(void *data);  /* for windows too small: what waits */
};

/* Take the terminal; `set` is borrowed and outlives it. ERR_IO: errno. */
NODISCARD enum err shell_open(struct uv_loop_s *loop, const struct settings *set,
                              const struct screen *screen, struct shell **out);
/* Give it back and close the handles; memory goes when the loop has run. NULL is nothing. */
void shell_close(struct shell *s);
void shell_screen(struct shell *s, const struct screen *screen);
void shell_dirty(struct shell *s);
/* Call tick in so many ms (instead of when it was to be called); negative: not at all. */
void shell_wake(struct shell *s, int64_t in_ms);
struct tty *shell_term(struct shell *s);
/* Act on keys that every screen has. True: it was one. */
bool shell_common(struct shell *s, enum action act);

#endif
