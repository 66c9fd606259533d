/* SPDX-License-Identifier: ISC */
#include "server/core/timer.h"

#include "common/base/mem.h"

void timers_fini(struct timers *ts)
{
    mem_free(ts->heap);
    *ts = (struct timers){NULL, 0, 0};
}

/* heap[i - 1] holds the timer of position i. */
static void put(struct timers *ts, struct timer *t, uint32_t pos)
{
    ts->heap[pos - 1] = t;
    t->pos = pos;
}

static void sift_up(struct timers *ts, struct timer *t)
{
    uint32_t pos = t->pos;

    while (pos > 1 && ts->heap[pos / 2 - 1]->at.ms > t->at.ms) {
        put(ts, ts->heap[pos / 2 - 1], pos);
        pos /= 2;
    }
    put(ts, t, pos);
}

static void sift_down(struct timers *ts, struct timer *t)
{
    uint32_t pos = t->pos;

    while (2 * pos <= ts->n) {
        uint32_t kid = 2 * pos;

        if (kid < ts->n && ts->heap[kid]->at.ms < ts->heap[kid - 1]->at.ms)
            kid++;
        if (ts->heap[kid - 1]->at.ms >= t->at.ms)
            break;
        put(ts, ts->heap[kid - 1], pos);
        pos = kid;
    }
    put(ts, t, pos);
}

void timer_arm(struct timers *ts, struct timer *t, struct mono at)
{
    t->at = at;
    if (t->pos == 0) {
        if (ts->n == ts->cap) {
            ts->cap = ts->cap == 0 ? 64 : ts->cap * 2;
            ts->heap = mem_resize(ts->heap, ts->cap, sizeof(struct timer *));
        }
        ts->n++;
        put(ts, t, ts->n);
    }
    sift_up(ts, t);
    sift_down(ts, t);
}

void timer_disarm(struct timers *ts, struct timer *t)
{
    struct timer *last;
    uint32_t pos = t->pos;

    if (pos == 0)
        return;
    t->pos = 0;
    last = ts->heap[ts->n - 1];
    ts->n--;
    if (last == t)
        return;
    put(ts, last, pos);
    sift_up(ts, last);
    sift_down(ts, last);
}

struct timer *timers_first(const struct timers *ts)
{
    return ts->n > 0 ? ts->heap[0] : NULL;
}

struct timer *timers_due(struct timers *ts, struct mono now)
{
    struct timer *t = timers_first(ts);

    if (t == NULL || !mono_reached(now, t->at))
        return NULL;
    timer_disarm(ts, t);
    return t;
}
