/* SPDX-License-Identifier: ISC
 * attic_file.h -- the archive's files: records of finished matches, compressed, one behind another.
 *
 * DIR/archive/00000001.ndjson.gz and so on. Each record is a gzip member of its own, so `zcat` shows
 * a file as lines of JSON. Files only grow, up to ATTIC_FILE_MAX, and are never changed again; the
 * database knows where each record stands. What a crash left behind the last known record is passed
 * over: a new file is begun.
 */
#ifndef SK_SERVER_SHELL_ATTIC_FILE_H
#define SK_SERVER_SHELL_ATTIC_FILE_H

#include "common/base/buf.h"
#include "common/base/err.h"

#define ATTIC_DIR       "archive" /* beside the database, and beside backups of it */
#define ATTIC_FILE_MAX  (64 << 20)
#define ATTIC_TEXT_MAX  (64 << 20) /* bytes of one record */
#define ATTIC_PATH_LEN  4160
#define ATTIC_FILE_NAME 20

struct attic_file {
    char dir[ATTIC_PATH_LEN]; /* of the archive */
    int fd;                   /* of the file written to; -1: none open */
    int64_t seg, end;         /* its number; bytes that count */
    int64_t kept;             /* `end` as of the last commit */
    int64_t kept_seg;
    bool dirty; /* written and not yet on disk */
};
struct attic_place {
    int64_t seg, off, len; /* file, first byte, bytes */
    int64_t size;          /* uncompressed */
};

/* `dir` need not be there. seg, end: where the newest known record ends; 0, 0: there is none. */
void attic_file_init(struct attic_file *a, const char *dir, int64_t seg, int64_t end);
void attic_file_fini(struct attic_file *a);
/* Compress `text` behind the newest. ERR_STORAGE no room; ERR_IO (errno). */
NODISCARD enum err attic_file_add(struct attic_file *a, const char *text, size_t len,
                                  struct attic_place *out);
/* Before the commit that counts what was added: force it to the disk. ERR_STORAGE, ERR_IO. */
NODISCARD enum err attic_file_sync(struct attic_file *a);
/* After it; or it failed: what was added since the last one doesn't count. */
void attic_file_keep(struct attic_file *a);
void attic_file_undo(struct attic_file *a);
/* A record's text, appended. ERR_DATA it isn't what was written; ERR_IO. */
NODISCARD enum err attic_file_read(const struct attic_file *a, const struct attic_place *p,
                                   struct buf *out);
/*
 * Bring the archive in the directory `to` (made if need be) up to the one in `from`: what is missing
 * or shorter there is copied, forced to the disk, and only then named; nothing else is touched. `from`
 * may be written to meanwhile, and needn't be there. ERR_STORAGE no room; ERR_IO (errno). Blocks.
 */
NODISCARD enum err attic_file_mirror(const char *from, const char *to);

#endif
