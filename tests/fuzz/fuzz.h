/* SPDX-License-Identifier: ISC
 * fuzz.h -- what every fuzz_*.c defines, and libFuzzer or replay.c calls.
 */
#ifndef SK_TESTS_FUZZ_H
#define SK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed one input; returns 0. A finding aborts. (The name is libFuzzer's.) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* NOLINT */

#endif
