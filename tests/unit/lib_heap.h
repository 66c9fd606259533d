/* SPDX-License-Identifier: ISC
 * lib_heap.h -- how much of the heap is in use.
 */
#ifndef SK_TESTS_LIB_HEAP_H
#define SK_TESTS_LIB_HEAP_H

#include <stddef.h>

/* Bytes in use, with what the allocator takes for each piece (under a sanitizer: without). */
size_t heap_bytes(void);

#endif
