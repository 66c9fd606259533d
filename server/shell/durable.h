/* SPDX-License-Identifier: ISC
 * durable.h -- what was written stays: past the page cache, on the disk. */
#ifndef SK_SERVER_SHELL_DURABLE_H
#define SK_SERVER_SHELL_DURABLE_H

#include <stdbool.h>

/* The file's content, or the directory's entries (behind a file made or renamed there), are on disk.
 * False: errno. Blocks. */
bool durable_sync(const char *path);

#endif
