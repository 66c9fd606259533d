/* SPDX-License-Identifier: ISC
 * utf8.h -- strict UTF-8 (RFC 3629: shortest form, no surrogates, at most U+10FFFF).
 */
#ifndef SK_BASE_UTF8_H
#define SK_BASE_UTF8_H

#include "common/base/util.h"

/*
 * Decode one code point from p[0..n). Returns its length 1..4 and sets *cp, or 0 when the bytes
 * are not well-formed (or n is 0).
 */
size_t utf8_decode(const char *p, size_t n, uint32_t *cp);
/* Write `cp` (a scalar value) to dst[4]; returns the length 1..4. */
size_t utf8_encode(char dst[4], uint32_t cp);
bool utf8_valid(const char *p, size_t n);
/* Code points of a valid string. */
size_t utf8_count(const char *p, size_t n);
/*
 * May a person send it to another? No: C0 and C1 controls, DEL, bidi overrides, embeddings and
 * isolates and marks (U+061C, U+200E/F, U+202A-E, U+2066-9), zero-width and invisible characters
 * (U+00AD, U+180E, U+200B-D, U+2060-4, U+FEFF), line and paragraph separators, tags (U+E0000-7F),
 * noncharacters.
 */
bool utf8_is_plain(uint32_t cp);
/* Terminal cells that `cp` takes: 0 combining, 2 wide East Asian and emoji, else 1. */
int utf8_width(uint32_t cp);

#endif
