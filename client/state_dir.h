/* SPDX-License-Identifier: ISC
 * state_dir.h -- the small files that a client must not lose (XDG state directory, skirmish/).
 *
 * Secrets are written 0600 into a new file, synced, and renamed over the old one, and the directory
 * is synced too: after ERR_OK the content survives a power cut, and never is half a file there.
 */
#ifndef SK_CLIENT_STATE_DIR_H
#define SK_CLIENT_STATE_DIR_H

#include "common/base/buf.h"

#define STATE_FILE_MAX 65536

/* Path of the directory `sub` ("dice"), made (0700) with its parents. ERR_IO: errno. */
NODISCARD enum err state_dir(const char *sub, struct buf *path);
/* Write `text` to sub/name, durably. ERR_IO: errno; the old file is then still there. */
NODISCARD enum err state_write(const char *sub, const char *name, const struct buf *text);
/* Read sub/name, appended to `text`. ERR_NOT_FOUND: there is none. ERR_IO, ERR_ROOM. */
NODISCARD enum err state_read(const char *sub, const char *name, struct buf *text);
/* Remove sub/name; nothing when it isn't there. */
void state_remove(const char *sub, const char *name);
/*
 * Keep sub/name.lock for this process, until it ends or state_unlock. ERR_BUSY: another has it;
 * ERR_IO. *fd is the caller's.
 */
NODISCARD enum err state_lock(const char *sub, const char *name, int *fd);
void state_unlock(int fd);

#endif
