/* SPDX-License-Identifier: ISC
 * log.h -- the lines under the board: play in words, chat, notices; the newest last.
 */
#ifndef SK_TUI_LOG_H
#define SK_TUI_LOG_H

#include "client/tui/canvas.h"
#include "client/tui/film.h"

#define LOG_LINES_MAX 2000

enum log_kind { LOG_PLAY, LOG_CHAT, LOG_NEWS, LOG_ALARM };
struct log_line {
    uint8_t kind; /* enum log_kind */
    char *text;   /* owned */
};
/* A zeroed struct is empty. */
struct log {
    struct log_line *line; /* owned ring of LOG_LINES_MAX */
    size_t n;              /* ever added */
};

void log_fini(struct log *l);
/* Add a line; nothing for "". */
void log_add(struct log *l, enum log_kind kind, const char *text);
/* The newest lines at the bottom of `a`, `back` rows scrolled back. */
void log_draw(const struct log *l, struct canvas *c, struct area a, int back);
/* The words of a game up to frame `at`, the newest at the bottom. */
void film_draw(const struct film *f, struct canvas *c, struct area a, size_t at);

#endif
