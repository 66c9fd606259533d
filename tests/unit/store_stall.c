/* SPDX-License-Identifier: ISC
 * How long can the writer be kept from its next commit, as far as that can be said without a clock?
 *
 * What keeps it is a checkpoint: pages of the write-ahead log are copied into the database. None
 * copies more than the log may hold, and the log is bounded too, however long the writer is never
 * idle: 16 MiB (store_sqlite.c) and the group that went over that.
 */
// timeout: 240
#include <sodium.h>

#include "common/base/mem.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_badfs.h"
#include "tests/unit/lib_store.h"

enum {
    PAGE = 4096,
    FRAME = PAGE + 24,        /* of the log: a head, a page */
    LOG_PAGES = 4096,         /* CHECKPOINT_PAGES */
    LINE_PAGES = 16,          /* what a line of this test fills */
    GROUP = 16,               /* lines that wait at the same time */
    GROUP_PAGES = GROUP * 20, /* a line's own, and those that lead to it */
    ROUNDS = LOG_PAGES / (GROUP * LINE_PAGES) + 4
};

static struct rig rig; /* large */

static void submit_line(uint32_t seq)
{
    struct store_txn *t = txn_new(&rig);
    struct buf line = BUF_EMPTY;
    struct store_op *op;

    buf_printf(&line, "{\"seq\":%u,\"m\":1,\"x\":\"", seq);
    memset(buf_room(&line, (size_t)LINE_PAGES * PAGE), 'x', (size_t)LINE_PAGES * PAGE);
    line.len += (size_t)LINE_PAGES * PAGE;
    buf_puts(&line, "\"}\n");
    op = txn_add(t, STORE_ENTRIES, buf_str(&line));
    buf_fini(&line);
    op->seq = seq;
    op->n = 1;
    txn_key(op, 1);
    txn_submit(&rig, t);
}

static void a_checkpoint_is_bounded(void **unused)
{
    struct badfs_seen seen;
    uint32_t seq = 2;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    rig_wait(&rig);
    badfs_watch();
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (unsigned k = 0; k < GROUP; k++)
            submit_line(seq++);
        rig_wait(&rig);
        assert_false(rig.lost);
    }
    for (size_t i = 0; i < rig.n_done; i++)
        assert_int_equal(rig.done[i].err, ERR_OK);
    badfs_seen(&seen);
    assert_true(seen.log_bytes > (uint64_t)(LOG_PAGES + GROUP_PAGES) * FRAME);
    assert_true(seen.log_end <= (uint64_t)(LOG_PAGES + GROUP_PAGES) * FRAME);
    assert_true(seen.db_bytes > 0); /* so there was one */
    assert_true(seen.db_run <= (uint64_t)(LOG_PAGES + GROUP_PAGES) * PAGE);
    rig_end(&rig);
    rig_rmdir(dir);
}

static int setup(void **unused)
{
    (void)unused;
    badfs_install();
    return sodium_init() < 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_checkpoint_is_bounded)};

    return cmocka_run_group_tests(tests, setup, NULL);
}
