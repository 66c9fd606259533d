/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_heap.h"

#include <malloc.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED
#include <sanitizer/allocator_interface.h>

size_t heap_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes();
}

#else

size_t heap_bytes(void)
{
    const struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

#endif
