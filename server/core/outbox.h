/* SPDX-License-Identifier: ISC
 * outbox.h -- the step's effects: lines to send, transactions to store.
 *
 * Whatever leaves the core leaves through here, in the order of the calls.
 */
#ifndef SK_CORE_OUTBOX_H
#define SK_CORE_OUTBOX_H

#include "server/core/state.h"

/* Queue `s` on a connection; keeps a reference of its own. Nothing to one that is closing. */
void out_shared(struct core *c, struct conn *cn, struct shared *s, bool player);
/* Queue a copy of `b`. */
void out_buf(struct core *c, struct conn *cn, const struct buf *b);
/* Close once what is queued has gone; nothing is sent to it from now on. */
void out_close(struct core *c, struct conn *cn);
/* Nothing is under way any more. */
void out_stopped(struct core *c);
void out_held(struct core *c);
/* A line, with its end, to the operator. */
void out_admin(struct core *c, uint64_t conn, const struct buf *b);
/* A thing of the shell's, enum core_job. Copies `arg`, which may be NULL. */
void out_job(struct core *c, uint64_t id, enum core_job what, const char *arg);
void out_pause(struct core *c, struct conn *cn);
void out_resume(struct core *c, struct conn *cn);

/* The core's line buffer, emptied. Borrowed until the next call. */
struct buf *out_line(struct core *c);
/* An answer to `req`: out_line with the result open; then out_reply sends it. */
struct jsonw reply_open(struct core *c, const struct msg_request *req);
void reply_send(struct core *c, struct conn *cn, struct jsonw *w);
/* `{}`. */
void reply_empty(struct core *c, struct conn *cn, const struct msg_request *req);
void reply_error(struct core *c, struct conn *cn, const struct msg_id *id, enum err e,
                 const struct msg_fault *f);
/* A notification to one connection: note_open, members, note_send. */
struct jsonw note_open(struct core *c, enum msg_note n);
void note_send(struct core *c, struct conn *cn, struct jsonw *w);
/* The same as a shared line, one reference the caller's. */
NODISCARD struct shared *note_share(struct core *c, struct jsonw *w);

/* ---- transactions ---- */

struct ops {
    struct store_op *op;
    size_t n, cap;
};
/* A new operation, zeroed but for its kind. Borrowed until the next. */
struct store_op *ops_add(struct ops *o, enum store_op_kind kind);
/* Its data: a copy of `b`. */
void op_data(struct store_op *op, const struct buf *b);
/* Move a referee's operations behind. */
void ops_take(struct ops *o, struct match_step *st);
/* Forget operations that weren't needed. */
void ops_fini(struct ops *o);
/* A number kept under a name. */
void ops_meta(struct ops *o, const char *name, int64_t value);
/* Start the transaction `id`; takes the operations. */
void out_store(struct core *c, uint64_t id, struct ops *o);
/* Ask the store; takes `r`. */
void out_read(struct core *c, struct store_read *r);
/* Have a password hashed, or checked against `hash`. Copies both. */
void out_hash(struct core *c, uint64_t id, const char *password, const char *hash);

#endif
