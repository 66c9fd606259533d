/* SPDX-License-Identifier: ISC
 * store_wal.c -- is the write-ahead log damaged in its midst?
 *
 * SQLite ends recovery at the first frame that doesn't check and takes it for a commit that a crash
 * cut short. That is right at the log's end; but a bit gone bad further up would quietly take with
 * it every acknowledged order behind it. Our commits are synced one by one (synchronous=FULL): a
 * frame that goes on behind a commit proves that this commit was durable. So the first bad frame is
 * damage where, from it on, a commit is followed by a frame that checks. The last commit alone can't
 * be told from a torn one.
 *
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 */
#include <errno.h>

#include "server/shell/store_sql.h"

enum {
    HEADER = 32,
    FRAME_HEAD = 24,
    PAGE_MIN = 512,
    PAGE_MAX = 65536,
    LOG_MAX = 1 << 30 /* bytes; a log is checkpointed long before */
};
#define MAGIC 0x377f0682u /* its lowest bit: checksums of big-endian words */

struct sum {
    uint32_t a, b;
};

struct wal {
    const uint8_t *data;
    size_t page, n; /* bytes of a page, frames */
    bool big;
    uint32_t salt[2];
    struct sum start; /* of the header: frame 0's checksum goes on from it */
};

static uint32_t word(const uint8_t *p, bool big)
{
    if (big)
        return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static struct sum add(struct sum s, const uint8_t *p, size_t len, bool big)
{
    for (size_t i = 0; i < len; i += 8) {
        s.a += word(p + i, big) + s.b;
        s.b += word(p + i + 4, big) + s.a;
    }
    return s;
}

static struct sum sum_at(const uint8_t *p)
{
    return (struct sum){word(p, true), word(p + 4, true)};
}

static bool is_same(struct sum x, struct sum y)
{
    return x.a == y.a && x.b == y.b;
}

static const uint8_t *frame(const struct wal *w, size_t i)
{
    return w->data + HEADER + i * (FRAME_HEAD + w->page);
}

static struct sum stored(const struct wal *w, size_t i)
{
    return sum_at(frame(w, i) + 16);
}

static bool is_commit(const struct wal *w, size_t i)
{
    return word(frame(w, i) + 4, true) != 0;
}

/* What frame i's checksum has to be behind `before`. */
static struct sum computed(const struct wal *w, size_t i, struct sum before)
{
    const uint8_t *f = frame(w, i);

    return add(add(before, f, 8, w->big), f + FRAME_HEAD, w->page, w->big);
}

/* Is frame i of this log, and does it go on from `before`? */
static bool goes_on(const struct wal *w, size_t i, struct sum before)
{
    const uint8_t *f = frame(w, i);

    return word(f + 8, true) == w->salt[0] && word(f + 12, true) == w->salt[1] &&
           is_same(computed(w, i, before), stored(w, i));
}

/* False: the header isn't one. */
static bool read_header(const struct buf *b, struct wal *w)
{
    const uint8_t *p = (const uint8_t *)b->data;
    const uint32_t magic = word(p, true);

    *w = (struct wal){.data = p, .big = (magic & 1) != 0, .page = word(p + 8, true)};
    w->salt[0] = word(p + 16, true);
    w->salt[1] = word(p + 20, true);
    w->start = add((struct sum){0, 0}, p, FRAME_HEAD, w->big);
    if ((magic & ~1u) != MAGIC || w->page < PAGE_MIN || w->page > PAGE_MAX ||
        (w->page & (w->page - 1)) != 0 || !is_same(w->start, sum_at(p + FRAME_HEAD)))
        return false;
    w->n = (b->len - HEADER) / (FRAME_HEAD + w->page);
    return true;
}

/* The first frame that doesn't check is `bad`, behind `before`. Was it durable all the same? */
static bool is_damage(const struct wal *w, size_t bad, struct sum before)
{
    if (bad + 1 < w->n && is_commit(w, bad) &&
        (goes_on(w, bad + 1, stored(w, bad)) || goes_on(w, bad + 1, computed(w, bad, before))))
        return true;
    for (size_t i = bad + 1; i + 1 < w->n; i++) {
        if (is_commit(w, i) && goes_on(w, i + 1, stored(w, i)))
            return true;
    }
    return false;
}

static enum err check(const struct buf *b, const char *path, char why[STORE_WHY_LEN])
{
    struct wal w;
    struct sum before;
    size_t i = 0;

    if (b->len <= HEADER + FRAME_HEAD) /* no frame yet */
        return ERR_OK;
    if (!read_header(b, &w)) {
        (void)snprintf(why, STORE_WHY_LEN, "the head of the write-ahead log %.120s is damaged",
                       path);
        return ERR_DATA;
    }
    before = w.start;
    while (i < w.n && goes_on(&w, i, before))
        before = stored(&w, i++);
    if (i == w.n || !is_damage(&w, i, before))
        return ERR_OK;
    (void)snprintf(
        why, STORE_WHY_LEN,
        "the write-ahead log %.90s is damaged at byte %zu, and acknowledged orders stand "
        "behind that: restore a backup, or cut it off there and lose them",
        path, (size_t)(frame(&w, i) - w.data));
    return ERR_DATA;
}

enum err sql_check_log(const char *db, char why[STORE_WHY_LEN])
{
    struct buf path = BUF_EMPTY;
    struct buf b = BUF_EMPTY;
    enum err e;

    buf_printf(&path, "%s-wal", db);
    e = buf_read_file(&b, buf_str(&path), LOG_MAX);
    if (e == ERR_OK)
        e = check(&b, buf_str(&path), why);
    else if (e == ERR_IO && errno == ENOENT)
        e = ERR_OK;
    else
        (void)snprintf(why, STORE_WHY_LEN, "%.120s can't be read", buf_str(&path));
    buf_fini(&b);
    buf_fini(&path);
    return e;
}
