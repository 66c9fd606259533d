/* SPDX-License-Identifier: ISC */
#include "server/core/outbox.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/session.h"

struct shared *shared_new(const char *data, size_t len)
{
    struct shared *s = mem_alloc(sizeof(*s) + len);

    s->refs = 1;
    s->len = len;
    memcpy(s->data, data, len);
    return s;
}

struct shared *shared_ref(struct shared *s)
{
    s->refs++;
    return s;
}

void shared_unref(struct shared *s)
{
    if (s == NULL)
        return;
    CHECK(s->refs > 0);
    s->refs--;
    if (s->refs == 0)
        mem_free(s);
}

static void archive_free(struct store_archive *a)
{
    if (a == NULL)
        return;
    mem_free(a->summary);
    mem_free(a->record);
    mem_free(a);
}

void store_read_free(struct store_read *r)
{
    if (r != NULL)
        mem_free(r);
}

void store_found_fini(struct store_found *f)
{
    for (size_t i = 0; i < f->n; i++) {
        mem_free(f->row[i].data);
        mem_free(f->row[i].row);
        mem_free(f->row[i].timers);
    }
    mem_free(f->row);
    *f = (struct store_found){.err = ERR_OK};
}

struct store_row *store_found_add(struct store_found *f)
{
    f->row = mem_resize(f->row, f->n + 1, sizeof(*f->row));
    memset(&f->row[f->n], 0, sizeof(*f->row));
    return &f->row[f->n++];
}

static void op_fini(struct store_op *op)
{
    mem_free(op->data);
    archive_free(op->archive);
}

void ops_fini(struct ops *o)
{
    for (size_t i = 0; i < o->n; i++)
        op_fini(&o->op[i]);
    mem_free(o->op);
    *o = (struct ops){NULL, 0, 0};
}

void store_txn_free(struct store_txn *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->n; i++)
        op_fini(&t->op[i]);
    if (t->op != &t->one)
        mem_free(t->op);
    mem_free(t);
}

static void effect_fini(struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
    case CORE_FX_ADMIN:
        shared_unref(e->u.bytes);
        break;
    case CORE_FX_STORE:
        store_txn_free(e->u.txn);
        break;
    case CORE_FX_READ:
        store_read_free(e->u.read);
        break;
    case CORE_FX_HASH:
        mem_free(e->u.hash.password);
        mem_free(e->u.hash.hash);
        break;
    case CORE_FX_JOB:
        mem_free(e->u.job.arg);
        break;
    case CORE_FX_CLOSE:
    case CORE_FX_PAUSE:
    case CORE_FX_RESUME:
    case CORE_FX_STOPPED:
    case CORE_FX_HELD:
        break;
    }
}

void core_effects_fini(struct core_effects *fx)
{
    for (size_t i = 0; i < fx->n; i++)
        effect_fini(&fx->fx[i]);
    mem_free(fx->fx);
    *fx = (struct core_effects){NULL, 0, 0};
}

static struct core_effect *push(struct core *c, enum core_effect_kind kind, conn_id conn)
{
    struct core_effects *fx = c->out;

    if (fx->n == fx->cap) {
        fx->cap = fx->cap == 0 ? 16 : fx->cap * 2;
        fx->fx = mem_resize(fx->fx, fx->cap, sizeof(*fx->fx));
    }
    fx->fx[fx->n] = (struct core_effect){.kind = (uint8_t)kind, .conn = conn};
    return &fx->fx[fx->n++];
}

void out_shared(struct core *c, struct conn *cn, struct shared *s, bool player)
{
    struct core_effect *e;

    if (cn->closing)
        return;
    e = push(c, CORE_FX_SEND, cn->id);
    e->player = player;
    e->slow_at = session_queue(c, cn);
    e->u.bytes = shared_ref(s);
    c->stats.sent_bytes += s->len;
    cn->said += (uint32_t)s->len;
}

void out_buf(struct core *c, struct conn *cn, const struct buf *b)
{
    struct core_effect *e;

    if (cn->closing)
        return;
    e = push(c, CORE_FX_SEND, cn->id);
    e->player = session_plays(cn);
    e->slow_at = session_queue(c, cn);
    e->u.bytes = shared_new(b->data, b->len);
    c->stats.sent_bytes += b->len;
    cn->said += (uint32_t)b->len;
}

void out_close(struct core *c, struct conn *cn)
{
    if (cn->closing)
        return;
    cn->closing = true;
    push(c, CORE_FX_CLOSE, cn->id);
}

void out_stopped(struct core *c)
{
    push(c, CORE_FX_STOPPED, 0);
}

void out_held(struct core *c)
{
    push(c, CORE_FX_HELD, 0);
}

void out_admin(struct core *c, uint64_t conn, const struct buf *b)
{
    push(c, CORE_FX_ADMIN, conn)->u.bytes = shared_new(b->data, b->len);
}

void out_job(struct core *c, uint64_t id, enum core_job what, const char *arg)
{
    struct core_effect *e = push(c, CORE_FX_JOB, 0);

    e->u.job.id = id;
    e->u.job.what = (uint8_t)what;
    e->u.job.arg = arg != NULL ? mem_strdup(arg) : NULL;
}

void out_pause(struct core *c, struct conn *cn)
{
    if (cn->paused || cn->closing || cn->ended)
        return;
    cn->paused = true;
    push(c, CORE_FX_PAUSE, cn->id);
}

void out_resume(struct core *c, struct conn *cn)
{
    if (!cn->paused || cn->closing)
        return;
    cn->paused = false;
    push(c, CORE_FX_RESUME, cn->id);
}

struct buf *out_line(struct core *c)
{
    buf_reset(&c->line);
    return &c->line;
}

struct jsonw reply_open(struct core *c, const struct msg_request *req)
{
    return msg_result(out_line(c), &req->id);
}

void reply_send(struct core *c, struct conn *cn, struct jsonw *w)
{
    msg_end(w);
    out_buf(c, cn, w->out);
}

void reply_empty(struct core *c, struct conn *cn, const struct msg_request *req)
{
    struct buf *b = out_line(c);

    msg_result_empty(b, &req->id);
    out_buf(c, cn, b);
}

void reply_error(struct core *c, struct conn *cn, const struct msg_id *id, enum err e,
                 const struct msg_fault *f)
{
    static const struct msg_fault none = {.text = NULL};
    struct buf *b = out_line(c);

    msg_error(b, id, e, f != NULL ? f : &none);
    out_buf(c, cn, b);
    c->stats.refusals++;
    c->stats.refused[e]++;
}

struct jsonw note_open(struct core *c, enum msg_note n)
{
    return msg_note(out_line(c), n);
}

void note_send(struct core *c, struct conn *cn, struct jsonw *w)
{
    msg_note_end(w);
    out_buf(c, cn, w->out);
}

struct shared *note_share(struct core *c, struct jsonw *w)
{
    (void)c;
    msg_note_end(w);
    return shared_new(w->out->data, w->out->len);
}

/* ---- transactions ---- */

struct store_op *ops_add(struct ops *o, enum store_op_kind kind)
{
    if (o->n == o->cap) {
        o->cap = o->cap == 0 ? 4 : o->cap * 2;
        o->op = mem_resize(o->op, o->cap, sizeof(*o->op));
    }
    o->op[o->n] = (struct store_op){.kind = (uint8_t)kind};
    return &o->op[o->n++];
}

void op_data(struct store_op *op, const struct buf *b)
{
    op->data = mem_strndup(buf_str(b), b->len);
    op->len = b->len;
}

void ops_take(struct ops *o, struct match_step *st)
{
    if (o->n == 0 && st->n > 0) { /* the road of every order: nothing to copy */
        mem_free(o->op);
        *o = (struct ops){st->op, st->n, st->n};
        st->op = NULL;
        st->n = 0;
        return;
    }
    for (size_t i = 0; i < st->n; i++)
        *ops_add(o, (enum store_op_kind)st->op[i].kind) = st->op[i];
    mem_free(st->op);
    st->op = NULL;
    st->n = 0;
}

void ops_meta(struct ops *o, const char *name, int64_t value)
{
    struct store_op *op = ops_add(o, STORE_META_PUT);
    struct buf b = BUF_EMPTY;

    str_copy(op->name, sizeof(op->name), name);
    buf_put_int(&b, value);
    op->len = b.len;
    op->data = buf_detach(&b);
}

void out_store(struct core *c, uint64_t id, struct ops *o)
{
    struct store_txn *t = mem_zalloc(sizeof(*t));

    t->id = id;
    t->n = o->n;
    t->op = o->op;
    if (o->n == 1) {
        t->one = o->op[0];
        t->op = &t->one;
        mem_free(o->op);
    }
    *o = (struct ops){NULL, 0, 0};
    push(c, CORE_FX_STORE, 0)->u.txn = t;
}

void out_read(struct core *c, struct store_read *r)
{
    push(c, CORE_FX_READ, 0)->u.read = r;
}

void out_hash(struct core *c, uint64_t id, const char *password, const char *hash)
{
    struct core_effect *e = push(c, CORE_FX_HASH, 0);

    e->u.hash.job = id;
    e->u.hash.password = mem_strdup(password);
    e->u.hash.hash = hash != NULL ? mem_strdup(hash) : NULL;
}
