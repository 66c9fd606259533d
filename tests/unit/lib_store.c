/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_store.h"

#include <dirent.h>
#include <unistd.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"

void rig_mkdir(char dir[64])
{
    const char *tmp = getenv("TMPDIR");

    (void)snprintf(dir, 64, "%s/sk-store-XXXXXX", tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
    assert_non_null(mkdtemp(dir));
}

const char *rig_path(const char *dir, const char *name)
{
    static char room[4][512];
    static unsigned next;
    char *path = room[next++ % ARRAY_LEN(room)];

    (void)snprintf(path, sizeof(room[0]), "%s/%s", dir, name);
    return path;
}

void rig_rmdir(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;

    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        if (e->d_name[0] != '.')
            (void)unlink(rig_path(dir, e->d_name));
    }
    (void)closedir(d);
    assert_int_equal(rmdir(dir), 0);
}

/* ---- running ---- */

static void on_done(void *arg, uint64_t txn, enum err err)
{
    struct rig *r = arg;

    assert_true(r->n_done < RIG_ANSWERS);
    r->done[r->n_done].id = txn;
    r->done[r->n_done++].err = err;
    if (r->n_done == r->n_asked)
        uv_stop(&r->loop);
}

static void on_lost(void *arg, const char *why)
{
    struct rig *r = arg;

    (void)str_copy(r->why, sizeof(r->why), why); /* read after the async below */
    assert_int_equal(uv_async_send(&r->lost_async), 0);
}

static void on_lost_here(uv_async_t *async)
{
    struct rig *r = async->data;

    r->lost = true;
    uv_stop(&r->loop);
}

void rig_start(struct rig *r, struct store *s)
{
    const struct store_hooks hooks = {.done = on_done, .lost = on_lost, .arg = r};

    r->store = s;
    r->n_asked = r->n_done = 0;
    r->next_id = 1;
    r->lost = false;
    assert_int_equal(uv_loop_init(&r->loop), 0);
    assert_int_equal(uv_async_init(&r->loop, &r->lost_async, on_lost_here), 0);
    r->lost_async.data = r;
    store_start(s, &r->loop, &hooks);
}

void rig_open(struct rig *r, const char *dir)
{
    struct store *s = NULL;
    char why[STORE_WHY_LEN] = "";

    if (store_open_sqlite(rig_path(dir, "test.db"), &s, why) != ERR_OK)
        fail_msg("%s", why);
    rig_start(r, s);
}

void rig_wait(struct rig *r)
{
    while (r->n_done < r->n_asked && !r->lost)
        (void)uv_run(&r->loop, UV_RUN_DEFAULT);
}

void rig_stop(struct rig *r)
{
    store_stop(r->store);
    uv_close((uv_handle_t *)&r->lost_async, NULL);
    (void)uv_run(&r->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&r->loop), 0);
}

void rig_end(struct rig *r)
{
    rig_stop(r);
    store_free(r->store);
    r->store = NULL;
}

/* ---- transactions ---- */

struct store_txn *txn_new(struct rig *r)
{
    struct store_txn *t = mem_zalloc(sizeof(*t));

    t->id = r->next_id++;
    return t;
}

struct store_op *txn_add(struct store_txn *t, enum store_op_kind kind, const char *data)
{
    struct store_op *op;

    t->op = mem_resize(t->op, t->n + 1, sizeof(*t->op));
    op = &t->op[t->n++];
    memset(op, 0, sizeof(*op));
    op->kind = (uint8_t)kind;
    if (data != NULL) {
        op->data = mem_strdup(data);
        op->len = strlen(data);
    }
    return op;
}

void txn_key(struct store_op *op, unsigned match)
{
    memset(op->key, 0, sizeof(op->key));
    op->key[0] = (uint8_t)match;
    op->key[1] = (uint8_t)(match >> 8);
    op->key[15] = 7;
}

void txn_submit(struct rig *r, struct store_txn *t)
{
    r->n_asked++;
    store_submit(r->store, t);
}

void txn_lines(struct store_txn *t, unsigned match, uint32_t seq, uint32_t n)
{
    struct buf lines = BUF_EMPTY;
    size_t len;
    struct store_op *op;

    for (uint32_t i = 0; i < n; i++)
        buf_printf(&lines, "{\"seq\":%u,\"m\":%u}\n", seq + i, match);
    len = lines.len;
    if (seq > 1) /* a match's first come with its row */
        buf_printf(&lines, "[%u]", seq + n - 1);
    op = txn_add(t, STORE_ENTRIES, buf_str(&lines));
    op->timers_len = (uint32_t)(lines.len - len);
    op->len = len;
    buf_fini(&lines);
    op->seq = seq;
    op->n = n;
    txn_key(op, match);
}

void rig_new_match(struct rig *r, unsigned match)
{
    struct store_txn *t = txn_new(r);
    struct store_op *op = txn_add(t, STORE_MATCH_NEW, "{\"row\":1}");

    txn_key(op, match);
    op->seq = match + 1;
    (void)str_copy(op->name, sizeof(op->name), "first-blood");
    txn_lines(t, match, 1, 1);
    txn_submit(r, t);
}

void rig_line(struct rig *r, unsigned match, uint32_t seq)
{
    struct store_txn *t = txn_new(r);
    struct store_op *op = txn_add(t, STORE_MATCH_SET, NULL);
    char row[64];

    (void)snprintf(row, sizeof(row), "{\"row\":1,\"head\":%u}", seq);
    op->data = mem_strdup(row);
    op->len = strlen(row);
    op->state = MATCH_LIVE;
    txn_key(op, match);
    txn_lines(t, match, seq, 1);
    txn_submit(r, t);
}

/* ---- what is there ---- */

struct dump {
    char **line;
    size_t n, cap;
};

static void PRINTF_LIKE(2, 3) add(struct dump *d, const char *fmt, ...)
{
    struct buf b = BUF_EMPTY;
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    if (d->n == d->cap) {
        d->cap = d->cap * 2 + 16;
        d->line = mem_resize(d->line, d->cap, sizeof(char *));
    }
    d->line[d->n++] = buf_detach(&b);
}

static void on_meta(void *arg, const char *name, const char *data)
{
    add(arg, "meta %s=%s", name, data);
}

static void on_user(void *arg, const char *name, const char *data, size_t len)
{
    add(arg, "user %s %.*s", name, (int)len, data);
}

static void on_token(void *arg, const uint8_t hash[32], const char *user, const char *data,
                     size_t len)
{
    char hex[65];

    hex_encode(hex, hash, 32);
    add(arg, "token %s %s %.*s", hex, user, (int)len, data);
}

static void on_match(void *arg, const struct core_match_row *row)
{
    char hex[MATCH_ID_HEX];

    hex_encode(hex, row->id, MATCH_ID_LEN);
    add(arg, "match %s state=%u %.*s snapshot@%u=%.*s timers=%.*s lines:\n%.*s", hex, row->state,
        (int)row->data_len, row->data, row->snapshot_seq, (int)row->snapshot_len,
        row->snapshot != NULL ? row->snapshot : "", (int)row->timers_len,
        row->timers_len > 0 ? row->timers : "", (int)row->lines_len,
        row->lines != NULL ? row->lines : "");
}

static void on_share(void *arg, const uint8_t match[MATCH_ID_LEN], enum role role, uint32_t roll,
                     const uint8_t share[FD1_LEN])
{
    char hex[MATCH_ID_HEX];

    hex_encode(hex, match, MATCH_ID_LEN);
    add(arg, "share %s role=%d roll=%u %.32s", hex, (int)role, roll, (const char *)share);
}

static void on_damaged(void *arg, const char *what)
{
    add(arg, "damaged %s", what);
}

static void on_invite(void *arg, const uint8_t hash[32], const char *data, size_t len)
{
    char hex[65];

    hex_encode(hex, hash, 32);
    add(arg, "invite %s %.*s", hex, (int)len, data);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void rig_dump(struct store *s, struct buf *out)
{
    struct dump d = {NULL, 0, 0};
    const struct store_sink sink = {&d,        on_meta,  on_user,  on_token,
                                    on_invite, on_match, on_share, on_damaged};
    char why[STORE_WHY_LEN] = "";

    if (store_load(s, &sink, why) != ERR_OK)
        fail_msg("load: %s", why);
    if (d.n > 0)
        qsort(d.line, d.n, sizeof(char *), by_text);
    for (size_t i = 0; i < d.n; i++) {
        buf_puts(out, d.line[i]);
        buf_putc(out, '\n');
        mem_free(d.line[i]);
    }
    mem_free(d.line);
}
