/* SPDX-License-Identifier: ISC
 * backup.h -- a backup while people play: a copy made by the writer's thread, put on disk for good,
 * looked through, and only then given its name.
 *
 * DIR/skirmish-YYYYMMDDTHHMMSSZ.db, 0600; until all is well it is DIR/.skirmish-....partial. What is
 * over stands in the archive's files, which only grow: all backups in DIR share one mirror of them,
 * DIR/archive (attic_file.h), which each brings up to date before it gets its name. Whether its games can be played again from it is proof.h's matter. The master key is never in it.
 */
#ifndef SK_SERVER_SHELL_BACKUP_H
#define SK_SERVER_SHELL_BACKUP_H

#include "server/shell/store.h"

#define BACKUP_PATH_LEN 4096
#define BACKUP_WHY_LEN  512

struct backup_result {
    enum err err;     /* ERR_STORAGE: no room; ERR_DATA: the copy is damaged; ERR_IO, ERR_EOF */
    const char *why;  /* of an error */
    const char *path; /* of the backup; borrowed for the call */
    int64_t bytes;    /* its size */
    int64_t copy_ms, all_ms; /* commits waited for the first */
    unsigned removed;        /* older ones, beyond `keep` */
};
struct backup_wish {
    const char *dir;     /* must be there */
    const char *archive; /* the archive's directory; its mirror is dir/archive */
    unsigned keep;       /* this many backups, the newest, stay in it; 0: all */
    /* On the loop's thread, once. */
    void (*done)(void *arg, const struct backup_result *r);
    void *arg;
};

/* Begin. One at a time in a store. */
void backup_start(uv_loop_t *loop, struct store *store, const struct backup_wish *wish);

/* Is the file a whole and sound database of ours? ERR_DATA, ERR_IO: why[]. Blocking. */
NODISCARD enum err backup_look_through(const char *path, char why[STORE_WHY_LEN]);

#endif
