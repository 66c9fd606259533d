/* SPDX-License-Identifier: ISC
 * lib_store.h -- a store on a loop of its own, and what it holds as text.
 */
#ifndef SK_TESTS_LIB_STORE_H
#define SK_TESTS_LIB_STORE_H

#include "server/shell/store.h"

enum { RIG_ANSWERS = 8192 };

struct rig {
    uv_loop_t loop;
    struct store *store;
    uint64_t next_id;
    size_t n_asked, n_done;
    struct {
        uint64_t id;
        enum err err;
    } done[RIG_ANSWERS];
    uv_async_t lost_async;
    bool lost;
    char why[STORE_WHY_LEN];
};

/* A directory of the test's own, and the database in it; gone with rig_rmdir. */
void rig_mkdir(char dir[64]);
void rig_rmdir(const char *dir);
/* DIR/name; static room for four. */
const char *rig_path(const char *dir, const char *name);

/* Begin with `s` (taken). *r is the caller's, on the heap or static: it is large. */
void rig_start(struct rig *r, struct store *s);
/* Open DIR/test.db, which must work, and begin with it. */
void rig_open(struct rig *r, const char *dir);
/* Run the loop until all asked is answered, or the store is lost. */
void rig_wait(struct rig *r);
/* store_stop; the store can be loaded from. */
void rig_stop(struct rig *r);
/* rig_stop, store_free, close the loop. */
void rig_end(struct rig *r);

/* Transactions: begin, add ops, submit. Data is copied. */
struct store_txn *txn_new(struct rig *r);
struct store_op *txn_add(struct store_txn *t, enum store_op_kind kind, const char *data);
void txn_key(struct store_op *op, unsigned match);
void txn_submit(struct rig *r, struct store_txn *t);
/* Lines [seq, seq + n) of `match`: `{"seq":1,"m":MATCH}` and so on. */
void txn_lines(struct store_txn *t, unsigned match, uint32_t seq, uint32_t n);
/* A new match with its first line, submitted. */
void rig_new_match(struct rig *r, unsigned match);
/* A line, submitted; `seq` 2 and up. */
void rig_line(struct rig *r, unsigned match, uint32_t seq);

/* All rows, one a line, sorted: what two stores with the same content share. Damage is in it too. */
void rig_dump(struct store *s, struct buf *out);

#endif
