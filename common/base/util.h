/* SPDX-License-Identifier: ISC
 * util.h -- the few macros that every module uses. */
#ifndef SK_BASE_UTIL_H
#define SK_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a)           (sizeof(a) / sizeof((a)[0]))
#define NODISCARD              __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN               __attribute__((noreturn))

#undef MIN /* some system headers have their own */
#undef MAX
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * An invariant of ours, checked in release builds too: prints file, line and the
 * expression to standard error, then aborts. For bugs only; never for bad input.
 */
#define CHECK(cond) ((cond) ? (void)0 : check_failed(#cond, __FILE__, __LINE__))
NORETURN void check_failed(const char *expr, const char *file, int line);

#endif
