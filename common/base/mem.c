/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"

#include <unistd.h>

enum { SMALL_BYTES = 1024 };

/* No stdio here: it may want memory itself. */
static void NORETURN exhausted(void)
{
    static const char line[] = "out of memory\n";
    ssize_t n = write(STDERR_FILENO, line, sizeof(line) - 1);

    (void)n; /* the abort says the rest */
    abort();
}

static void *there(void *p)
{
    if (p == NULL)
        exhausted();
    return p;
}

void *mem_alloc(size_t n)
{
    return there(malloc(n > 0 ? n : 1));
}

/* glibc's calloc goes past its cache of small pieces. */
void *mem_zalloc(size_t n)
{
    if (n > SMALL_BYTES)
        return there(calloc(1, n));
    return memset(mem_alloc(n), 0, n);
}

void *mem_array(size_t count, size_t size)
{
    if (count == 0 || size == 0)
        return mem_zalloc(1);
    return there(calloc(count, size)); /* calloc multiplies checked */
}

void *mem_resize(void *p, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        exhausted();
    return there(realloc(p, bytes > 0 ? bytes : 1));
}

void *mem_dup(const void *p, size_t n)
{
    void *copy = mem_alloc(n);

    if (n > 0)
        memcpy(copy, p, n);
    return copy;
}

char *mem_strdup(const char *s)
{
    return mem_dup(s, strlen(s) + 1);
}

char *mem_strndup(const char *s, size_t n)
{
    char *copy;

    CHECK(n < SIZE_MAX);
    copy = mem_alloc(n + 1);
    if (n > 0)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

void mem_free(void *p)
{
    free(p);
}
