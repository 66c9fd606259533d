/* SPDX-License-Identifier: ISC
 * input.h -- lines typed, piped or scripted, as they come, on libuv.
 */
#ifndef SK_CLIENT_INPUT_H
#define SK_CLIENT_INPUT_H

#include "common/base/buf.h"

struct uv_loop_s;
struct input;

struct input_hooks {
    void *data;
    void (*line)(void *data, const char *line); /* without its end */
    void (*end)(void *data);                    /* nothing more will come */
};

/* Read standard input: a terminal, pipe, socket or file. Never NULL. A reader of /dev/null or of
 * a closed input gets `end` at once (from the loop). */
struct input *input_new(struct uv_loop_s *loop, const struct input_hooks *hooks);
/* Does a person type there? */
bool input_is_typed(const struct input *in);
/* Close; memory goes when the loop has run its callbacks. */
void input_free(struct input *in);

#endif
