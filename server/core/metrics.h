/* SPDX-License-Identifier: ISC
 * metrics.h -- how often, and how long: plain counters, for the core and whoever measures beside it.
 */
#ifndef SK_CORE_METRICS_H
#define SK_CORE_METRICS_H

#include "common/base/util.h"

#define HIST_BOUNDS 15
/* Upper bounds of the buckets, in microseconds, rising; what is above all of them counts in the
 * bucket behind the last. */
extern const uint64_t hist_bound_us[HIST_BOUNDS];

struct hist {
    uint64_t n[HIST_BOUNDS + 1]; /* by bucket, not added up */
    uint64_t sum_us;
};
void hist_add(struct hist *h, uint64_t us);

#endif
