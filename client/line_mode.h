/* SPDX-License-Identifier: ISC
 * line_mode.h -- play and watch by lines: for the ear, for pipes, for plain terminals.
 *
 * Typed by a person, questions are answered at once and orders wait for one's turn. From a pipe or
 * script every line waits until the one before it is done, and the end of the input leaves.
 */
#ifndef SK_CLIENT_LINE_MODE_H
#define SK_CLIENT_LINE_MODE_H

#include "client/app.h"

/* Play (without a wish: beginning in the lobby), or look on where opt->wish says so. Returns the
 * exit code. */
int line_mode_run(const struct options *opt);

#endif
