/* SPDX-License-Identifier: ISC
 * msec.h -- time that can't be mixed up with other integers.
 *
 * struct mono is a reading of a monotonic clock (only differences mean anything); struct wall is
 * UNIX time. Spans are plain int64_t named *_ms. The pure modules never read a clock: they are
 * told the time.
 */
#ifndef SK_BASE_MSEC_H
#define SK_BASE_MSEC_H

#include "common/base/util.h"

struct mono {
    int64_t ms;
};
struct wall {
    int64_t ms;
};

static inline int64_t mono_since(struct mono now, struct mono then)
{
    return now.ms - then.ms;
}
static inline struct mono mono_after(struct mono t, int64_t span_ms)
{
    return (struct mono){t.ms + span_ms};
}
static inline bool mono_reached(struct mono now, struct mono deadline)
{
    return now.ms >= deadline.ms;
}

/* The process's clocks; called only by shells (server/shell, client), never by pure modules. */
struct mono mono_now(void);
struct wall wall_now(void);

#endif
