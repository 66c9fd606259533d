/* SPDX-License-Identifier: ISC */
#include "common/base/util.h"

void check_failed(const char *expr, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: bug: not true: %s\n", file, line, expr);
    abort();
}
