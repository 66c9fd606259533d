/* SPDX-License-Identifier: ISC
 * json_scan.h -- the scanner's door for json.c: the same, with a count.
 */
#ifndef SK_PROTO_JSON_SCAN_H
#define SK_PROTO_JSON_SCAN_H

#include "proto/json.h"

/* json_scan, and *values is how many values the text has (names don't count). */
NODISCARD enum err json_scan_count(const char *text, size_t len, const struct json_limits *limits,
                                   char why[JSON_WHY_LEN], unsigned *values);

#endif
