/* SPDX-License-Identifier: ISC
 * play_impl.h -- shared by play_table.c and play_keys.c alone.
 */
#ifndef SK_TUI_PLAY_IMPL_H
#define SK_TUI_PLAY_IMPL_H

#include "client/tui/play_table.h"

bool play_facts(struct play_table *p);
struct select_place play_place(const struct play_table *p);
void play_wake(struct play_table *p);
void play_now(struct play_table *p);
void play_step(struct play_table *p, int way);

#endif
