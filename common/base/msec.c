/* SPDX-License-Identifier: ISC */
#include "common/base/msec.h"

static int64_t read_ms(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct mono mono_now(void)
{
    return (struct mono){read_ms(CLOCK_MONOTONIC)};
}

struct wall wall_now(void)
{
    return (struct wall){read_ms(CLOCK_REALTIME)};
}
