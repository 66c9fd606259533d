/* SPDX-License-Identifier: ISC
 * timer.h -- deadlines of connections, users and matches in one heap.
 *
 * A timer stands inside its owner, is armed for one moment at a time and costs O(log n) to move.
 * A zeroed timer with its kind set is one that isn't armed.
 */
#ifndef SK_CORE_TIMER_H
#define SK_CORE_TIMER_H

#include "common/base/msec.h"

enum timer_kind {
    TIMER_CONN,
    TIMER_USER,
    TIMER_ROOM,
    TIMER_CORE,
    TIMER_ADDR,
    TIMER_ATTIC,
    TIMER_DRAIN
};

struct timer {
    struct mono at;
    uint32_t pos; /* in the heap, from 1; 0: not armed */
    uint8_t kind; /* enum timer_kind: what it stands in */
};
struct timers {
    struct timer **heap;
    uint32_t n, cap;
};

void timers_fini(struct timers *ts);
/* Arm `t`, or move it. */
void timer_arm(struct timers *ts, struct timer *t, struct mono at);
void timer_disarm(struct timers *ts, struct timer *t);
/* The earliest armed timer, borrowed; NULL when there is none. */
struct timer *timers_first(const struct timers *ts);
/* Take the earliest one out when its moment has come: it is disarmed. NULL: nothing is due. */
struct timer *timers_due(struct timers *ts, struct mono now);

#endif
