/* SPDX-License-Identifier: ISC
 * str.h -- bounded C strings and strict numbers.
 */
#ifndef SK_BASE_STR_H
#define SK_BASE_STR_H

#include "common/base/util.h"

/* Copy `src` to `dst[size]`, always NUL-terminated; true when it fitted whole. */
bool str_copy(char *dst, size_t size, const char *src);
/* Same of the first `n` bytes of `src`. */
bool str_ncopy(char *dst, size_t size, const char *src, size_t n);
bool str_eq(const char *a, const char *b);
/* Equal without regard to ASCII case. */
bool str_ieq(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/*
 * A whole decimal integer ("-12", no blanks, no sign '+', no leading zeros but "0") within
 * [min, max] into *out. False, *out untouched, for anything else.
 */
NODISCARD bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *out);
/* Write `v` in decimal to dst (room STR_INT_MAX), without a NUL; returns where it ends. */
#define STR_INT_MAX 20 /* 2^63 has 19 digits, and the sign */
char *str_put_int(char *dst, int64_t v);
/* Split off the next blank-separated word of *s: NUL-terminates it in place and moves *s behind
 * it. NULL when none is left. */
char *str_word(char **s);

#endif
