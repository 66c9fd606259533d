/* SPDX-License-Identifier: ISC
 * commit.c -- what a durable transaction costs on this disk.
 *
 * Usage: commit [DIR [SECONDS]]. For 1, 50, 500 transactions in flight, each three journal lines and
 * the timers of an order in a match of its own: transactions and group commits a second, and how long one
 * waits for its answer. Beside them an append of 4 KiB with fdatasync, and the memory store.
 */
#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/store.h"

enum { MATCHES = 500, LINE_BYTES = 420, TIMERS_BYTES = 90, ROW_BYTES = 850, MAX_SAMPLES = 2000000 };

struct bench {
    uv_loop_t loop;
    struct store *store;
    unsigned in_flight;
    uint64_t until_ns, n;
    uint64_t began[MATCHES];
    uint32_t seq[MATCHES];
    uint32_t *sample_us;
    bool measuring;
};

static void match_key(uint8_t key[32], unsigned i)
{
    uint8_t seed[randombytes_SEEDBYTES] = {(uint8_t)i, (uint8_t)(i >> 8)};

    memset(key, 0, 32);
    randombytes_buf_deterministic(key, MATCH_ID_LEN, seed);
}

static void set_op(struct store_op *op, unsigned i, enum store_op_kind kind, size_t len)
{
    op->kind = (uint8_t)kind;
    op->state = MATCH_LIVE;
    match_key(op->key, i);
    op->data = mem_zalloc(len + 1);
    memset(op->data, 'x', len);
    op->len = len;
}

static struct store_txn *new_txn(unsigned i, size_t n)
{
    struct store_txn *t = mem_zalloc(sizeof(*t));

    t->id = i;
    t->n = n;
    t->op = mem_array(n, sizeof(*t->op));
    return t;
}

static void submit(struct bench *b, unsigned i)
{
    struct store_txn *t = new_txn(i, 1);

    set_op(&t->op[0], i, STORE_ENTRIES, LINE_BYTES + TIMERS_BYTES);
    t->op[0].len = LINE_BYTES;
    t->op[0].timers_len = TIMERS_BYTES;
    t->op[0].seq = b->seq[i] + 1;
    t->op[0].n = 3;
    b->seq[i] += 3;
    b->began[i] = uv_hrtime();
    store_submit(b->store, t);
}

static void on_done(void *arg, uint64_t txn, enum err err)
{
    struct bench *b = arg;
    const uint64_t now = uv_hrtime();

    CHECK(err == ERR_OK);
    if (!b->measuring) {
        if (--b->in_flight == 0)
            uv_stop(&b->loop);
        return;
    }
    if (b->n < MAX_SAMPLES)
        b->sample_us[b->n] = (uint32_t)((now - b->began[txn]) / 1000);
    b->n++;
    if (now < b->until_ns)
        submit(b, (unsigned)txn);
    else if (--b->in_flight == 0)
        uv_stop(&b->loop);
}

static void on_lost(void *arg, const char *why)
{
    (void)arg;
    (void)fprintf(stderr, "commit: %s\n", why);
    abort();
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void print_row(const char *name, struct bench *b, double seconds, uint64_t groups)
{
    const size_t n = (size_t)MIN(b->n, (uint64_t)MAX_SAMPLES);

    qsort(b->sample_us, n, sizeof(*b->sample_us), by_value);
    printf("%-22s %9.0f txn/s %8.0f commits/s  p50 %6u us  p99 %6u us  longest %6u us\n", name,
           (double)b->n / seconds, (double)groups / seconds, (unsigned)b->sample_us[n / 2],
           (unsigned)b->sample_us[n - 1 - n / 100], (unsigned)b->sample_us[n - 1]);
}

static void run(struct bench *b, const char *store, unsigned in_flight, double seconds)
{
    struct store_stats before;
    struct store_stats after;
    char name[64];

    store_stats(b->store, &before);
    b->n = 0;
    b->measuring = true;
    b->in_flight = in_flight;
    b->until_ns = uv_hrtime() + (uint64_t)(seconds * 1e9);
    for (unsigned i = 0; i < in_flight; i++)
        submit(b, i);
    CHECK(uv_run(&b->loop, UV_RUN_DEFAULT) != 0);
    store_stats(b->store, &after);
    (void)snprintf(name, sizeof(name), "%s, %u in flight", store, in_flight);
    print_row(name, b, seconds, after.groups - before.groups);
}

static void bench_store(struct bench *b, double seconds)
{
    const struct store_hooks hooks = {.done = on_done, .lost = on_lost, .arg = b};

    CHECK(uv_loop_init(&b->loop) == 0);
    memset(b->seq, 0, sizeof(b->seq));
    store_start(b->store, &b->loop, &hooks);
    b->measuring = false;
    b->in_flight = MATCHES;
    for (unsigned i = 0; i < MATCHES; i++) {
        struct store_txn *t = new_txn(i, 1);

        set_op(t->op, i, STORE_MATCH_NEW, ROW_BYTES);
        (void)str_copy(t->op->name, sizeof(t->op->name), "first-blood");
        store_submit(b->store, t);
    }
    CHECK(uv_run(&b->loop, UV_RUN_DEFAULT) != 0);
    run(b, store_name(b->store), 1, seconds);
    run(b, store_name(b->store), 50, seconds);
    run(b, store_name(b->store), 500, seconds);
    store_free(b->store);
    CHECK(uv_run(&b->loop, UV_RUN_DEFAULT) == 0);
    CHECK(uv_loop_close(&b->loop) == 0);
}

static void bench_disk(struct bench *b, const char *path, double seconds)
{
    static const char page[4096];
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const uint64_t until = uv_hrtime() + (uint64_t)(seconds * 1e9);

    CHECK(fd >= 0);
    b->n = 0;
    for (uint64_t now = uv_hrtime(); now < until && b->n < MAX_SAMPLES;) {
        const uint64_t began = now;

        CHECK(write(fd, page, sizeof(page)) == (ssize_t)sizeof(page) && fdatasync(fd) == 0);
        now = uv_hrtime();
        b->sample_us[b->n++] = (uint32_t)((now - began) / 1000);
    }
    print_row("4 KiB and fdatasync", b, seconds, b->n);
    (void)close(fd);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 2;
    struct bench *b = mem_zalloc(sizeof(*b));
    char path[4096];
    char why[STORE_WHY_LEN];

    CHECK(sodium_init() >= 0);
    b->sample_us = mem_array(MAX_SAMPLES, sizeof(*b->sample_us));
    (void)snprintf(path, sizeof(path), "%s/commit-bench.raw", dir);
    bench_disk(b, path, seconds);
    (void)snprintf(path, sizeof(path), "%s/commit-bench.db", dir);
    (void)unlink(path);
    if (store_open_sqlite(path, &b->store, why) != ERR_OK) {
        (void)fprintf(stderr, "commit: %s: %s\n", path, why);
        return 1;
    }
    bench_store(b, seconds);
    (void)unlink(path);
    store_open_memory(&b->store);
    bench_store(b, seconds);
    mem_free(b->sample_us);
    mem_free(b);
    return 0;
}
