/* SPDX-License-Identifier: ISC
 * line_out.h -- what line mode has said: lines on standard output, and the log of the game.
 */
#ifndef SK_CLIENT_LINE_OUT_H
#define SK_CLIENT_LINE_OUT_H

#include "client/model.h"

struct line_out {
    bool mute;                  /* --json: standard output belongs to the raw lines */
    bool prompts;               /* a person types there */
    bool prompted;              /* the prompt stands there now */
    struct buf batch;           /* sentences of the batch under way, lines separated by '\n' */
    bool rolled;                /* a roll is in it */
    struct rules_state *before; /* owned: the position behind the entry before; NULL: none */
    char **log;                 /* owned; the game's sentences, oldest first */
    size_t n_log, cap_log;
};

void line_out_fini(struct line_out *o);
/* A line (or several), printed at once. */
void line_say(struct line_out *o, const char *text);
void line_sayf(struct line_out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
void line_prompt(struct line_out *o);
/* The newest entry: into the log, and if live into the batch. */
void line_entry(struct line_out *o, const struct model *m, bool live);
/* The batch is complete: print it. */
void line_flush(struct line_out *o);
/* The last `n` sentences. */
void line_log(struct line_out *o, size_t n);

#endif
