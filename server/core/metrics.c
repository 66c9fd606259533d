/* SPDX-License-Identifier: ISC */
#include "server/core/metrics.h"

const uint64_t hist_bound_us[HIST_BOUNDS] = {100,    250,    500,     1000,    2500,
                                             5000,   10000,  25000,   50000,   100000,
                                             250000, 500000, 1000000, 2500000, 10000000};

void hist_add(struct hist *h, uint64_t us)
{
    size_t i = 0;

    while (i < HIST_BOUNDS && us > hist_bound_us[i])
        i++;
    h->n[i]++;
    h->sum_us += us;
}
