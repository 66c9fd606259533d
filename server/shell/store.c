/* SPDX-License-Identifier: ISC */
#include "server/shell/store.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/store_backend.h"

#define STORE_MAGIC   0x53746f72u /* "Stor" */
#define REST_AFTER_NS 20000000u   /* 20 ms without work: a quiet moment */

/* A transaction, or a question. */
struct item {
    struct store_txn *txn;
    struct store_read *read;
};
struct answer {
    struct store_txn *txn; /* NULL: of a question */
    enum err err;
    uint64_t read;
    struct store_found found;
};

/* Outlives the store until the loop has closed the handle. */
struct door {
    uv_async_t async;
    uv_prepare_t turn;   /* what a turn of the loop has given goes to the writer at its end */
    struct store *store; /* NULL once the store has stopped */
};

struct items {
    struct item *at;
    size_t n, cap;
};

struct store {
    unsigned magic;
    struct store_backend *backend;
    struct store_hooks hooks;
    struct door *door; /* NULL: not started */
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t wake;
    struct items fresh; /* of this turn, the loop's own */
    /* under lock: */
    struct items waiting;
    struct answer *done;
    size_t n_done, done_cap;
    bool stopping, dead;
    struct store_copy *copy; /* wanted, being made, or (copied) to be told; NULL: none */
    bool copied;
    struct store_stats stats;
};

static void items_add(struct items *l, struct item item)
{
    if (l->n == l->cap) {
        l->cap = MAX(l->cap * 2, (size_t)16);
        l->at = mem_resize(l->at, l->cap, sizeof(*l->at));
    }
    l->at[l->n++] = item;
}

static void items_drop(struct items *l)
{
    for (size_t i = 0; i < l->n; i++) {
        store_txn_free(l->at[i].txn);
        store_read_free(l->at[i].read);
    }
    l->n = 0;
}

static struct store *store_of(void *p)
{
    struct store *s = p;

    CHECK(s != NULL && s->magic == STORE_MAGIC);
    return s;
}

struct store *store_new(struct store_backend *b)
{
    struct store *s = mem_zalloc(sizeof(*s));

    s->magic = STORE_MAGIC;
    s->backend = b;
    CHECK(uv_mutex_init(&s->lock) == 0);
    CHECK(uv_cond_init(&s->wake) == 0);
    return s;
}

/* ---- the writer's thread ---- */

/* Make the copy that is wanted, if one is. Called and left with the lock held. */
static void copy_if_wanted(struct store *s)
{
    struct store_copy *c = s->copy;

    if (c == NULL || s->copied || s->stopping)
        return;
    uv_mutex_unlock(&s->lock);
    c->err = ERR_NOT_FOUND;
    if (s->backend->class->copy != NULL)
        c->err = s->backend->class->copy(s->backend, c->path, c->why);
    else
        (void)str_copy(c->why, sizeof(c->why), "it is kept in memory alone");
    uv_mutex_lock(&s->lock);
    s->copied = true;
    CHECK(uv_async_send(&s->door->async) == 0);
}

/* Housekeeping, without the lock. It keeps the next commit waiting as a commit does. */
static enum err tidy(struct store *s, char why[STORE_WHY_LEN])
{
    const uint64_t began = uv_hrtime();
    enum err e = s->backend->class->rest(s->backend, why);
    const uint64_t us = (uv_hrtime() - began) / 1000;

    uv_mutex_lock(&s->lock);
    hist_add(&s->stats.rest, us);
    s->dead = s->dead || e != ERR_OK;
    uv_mutex_unlock(&s->lock);
    return e;
}

/* Wait for work or the end; in a quiet moment let the backend tidy up. Called and left with the
 * lock held. False: stop. */
static bool wait_for_work(struct store *s, char why[STORE_WHY_LEN])
{
    copy_if_wanted(s);
    while (s->waiting.n == 0 && !s->stopping) {
        if (s->copy != NULL && !s->copied) {
            copy_if_wanted(s);
        } else if (!s->backend->class->wants_rest(s->backend)) {
            uv_cond_wait(&s->wake, &s->lock);
        } else if (uv_cond_timedwait(&s->wake, &s->lock, REST_AFTER_NS) == UV_ETIMEDOUT) {
            enum err e;

            uv_mutex_unlock(&s->lock);
            e = tidy(s, why);
            uv_mutex_lock(&s->lock);
            if (e != ERR_OK)
                return false;
        }
    }
    return s->waiting.n > 0;
}

static enum err commit(struct store *s, const struct store_group *g, char why[STORE_WHY_LEN])
{
    const uint64_t began = uv_hrtime();
    enum err e = s->backend->class->commit(s->backend, g, why);
    uint64_t us;

    us = (uv_hrtime() - began) / 1000;
    uv_mutex_lock(&s->lock);
    s->stats.commit_us += us;
    hist_add(&s->stats.commit, us);
    if (e == ERR_OK) {
        s->stats.groups++;
        s->stats.txns += g->n;
    } else if (e == ERR_STORAGE) {
        s->stats.refused += g->n;
    } else {
        s->dead = true;
    }
    uv_mutex_unlock(&s->lock);
    return e;
}

/* Room for `n` more answers, under lock. */
static void need_answers(struct store *s, size_t n)
{
    if (s->n_done + n <= s->done_cap)
        return;
    s->done_cap = MAX(s->done_cap * 2, s->n_done + n);
    s->done = mem_resize(s->done, s->done_cap, sizeof(*s->done));
}

/* The group's answers to the loop, behind those still there. */
static void answer(struct store *s, const struct store_group *g, enum err e)
{
    uv_mutex_lock(&s->lock);
    need_answers(s, g->n);
    for (size_t i = 0; i < g->n; i++)
        s->done[s->n_done++] = (struct answer){.txn = g->txn[i], .err = e};
    uv_mutex_unlock(&s->lock);
    CHECK(uv_async_send(&s->door->async) == 0);
}

static void answer_read(struct store *s, struct store_read *r)
{
    struct answer a = {.read = r->id};

    s->backend->class->read(s->backend, r, &a.found);
    store_read_free(r);
    uv_mutex_lock(&s->lock);
    need_answers(s, 1);
    s->done[s->n_done++] = a;
    uv_mutex_unlock(&s->lock);
    CHECK(uv_async_send(&s->door->async) == 0);
}

static void drop(const struct store_group *g)
{
    for (size_t i = 0; i < g->n; i++)
        store_txn_free(g->txn[i]);
}

static enum err commit_and_answer(struct store *s, const struct store_group *g,
                                  char why[STORE_WHY_LEN])
{
    enum err e = commit(s, g, why);

    if (e != ERR_OK && e != ERR_STORAGE) {
        drop(g);
        return e;
    }
    answer(s, g, e);
    if (!s->backend->class->needs_rest(s->backend))
        return ERR_OK;
    return tidy(s, why);
}

/* What waits, in order: transactions between two questions are one group. `room` has a place for
 * each. On an error the rest is dropped. */
static enum err work_off(struct store *s, const struct item *item, size_t n,
                         struct store_txn **room, char why[STORE_WHY_LEN])
{
    enum err e = ERR_OK;
    size_t i = 0;

    while (i < n) {
        size_t k = 0;

        while (i + k < n && item[i + k].txn != NULL) {
            room[k] = item[i + k].txn;
            k++;
        }
        if (k > 0 && e == ERR_OK)
            e = commit_and_answer(s, &(struct store_group){room, k}, why);
        else if (k > 0)
            drop(&(struct store_group){room, k});
        i += k;
        if (i < n && item[i].txn == NULL) {
            if (e == ERR_OK)
                answer_read(s, item[i].read);
            else
                store_read_free(item[i].read);
            i++;
        }
    }
    return e;
}

static void write_until_stopped(void *arg)
{
    struct store *s = store_of(arg);
    struct items taken = {NULL, 0, 0};
    struct store_txn **room = NULL;
    char why[STORE_WHY_LEN] = "";

    uv_mutex_lock(&s->lock);
    while (wait_for_work(s, why)) {
        const struct items now = s->waiting;
        enum err e;

        s->waiting = (struct items){taken.at, 0, taken.cap};
        taken = now;
        uv_mutex_unlock(&s->lock);
        room = mem_resize(room, taken.cap, sizeof(struct store_txn *));
        e = work_off(s, taken.at, taken.n, room, why);
        uv_mutex_lock(&s->lock);
        if (e != ERR_OK)
            break;
    }
    uv_mutex_unlock(&s->lock);
    mem_free(taken.at);
    mem_free(room);
    if (s->dead)
        s->hooks.lost(s->hooks.arg, why);
}

/* ---- the loop's thread ---- */

static void deliver(struct store *s)
{
    const uint64_t now = uv_hrtime();
    struct answer *done;
    size_t n;

    uv_mutex_lock(&s->lock);
    done = s->done;
    n = s->n_done;
    s->done = NULL;
    s->n_done = s->done_cap = 0;
    for (size_t i = 0; i < n; i++)
        if (done[i].txn != NULL)
            hist_add(&s->stats.wait, (now - done[i].txn->given_ns) / 1000);
    uv_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        if (done[i].txn != NULL) {
            const uint64_t id = done[i].txn->id;

            store_txn_free(done[i].txn);
            s->hooks.done(s->hooks.arg, id, done[i].err);
        } else {
            s->hooks.found(s->hooks.arg, done[i].read, &done[i].found);
            store_found_fini(&done[i].found);
        }
    }
    mem_free(done);
}

/* The copy is made, or will never be: its asker is told. */
static void deliver_copy(struct store *s)
{
    struct store_copy *c = NULL;

    uv_mutex_lock(&s->lock);
    if (s->copied) {
        c = s->copy;
        s->copy = NULL;
        s->copied = false;
    }
    uv_mutex_unlock(&s->lock);
    if (c != NULL)
        c->done(c);
}

static void on_async(uv_async_t *async)
{
    struct door *door = async->data;

    if (door->store != NULL)
        deliver(store_of(door->store));
    if (door->store != NULL)
        deliver_copy(store_of(door->store));
}

static void on_turn_closed(uv_handle_t *handle)
{
    mem_free(handle->data);
}

static void on_async_closed(uv_handle_t *handle)
{
    struct door *door = handle->data;

    uv_close((uv_handle_t *)&door->turn, on_turn_closed);
}

void store_push(struct store *s)
{
    if (s->fresh.n == 0)
        return;
    uv_mutex_lock(&s->lock);
    if (s->dead) { /* only where lost() returned: in tests */
        items_drop(&s->fresh);
    } else if (s->waiting.n == 0) {
        const struct items empty = s->waiting;

        s->waiting = s->fresh;
        s->fresh = empty;
        uv_cond_signal(&s->wake);
    } else {
        for (size_t i = 0; i < s->fresh.n; i++)
            items_add(&s->waiting, s->fresh.at[i]);
        s->fresh.n = 0;
        uv_cond_signal(&s->wake);
    }
    uv_mutex_unlock(&s->lock);
}

static void on_turn(uv_prepare_t *turn)
{
    const struct door *door = turn->data;

    if (door->store != NULL)
        store_push(store_of(door->store));
}

void store_start(struct store *s, uv_loop_t *loop, const struct store_hooks *hooks)
{
    CHECK(s->door == NULL);
    s->hooks = *hooks;
    s->stopping = s->dead = false;
    s->door = mem_zalloc(sizeof(*s->door));
    s->door->store = s;
    CHECK(uv_async_init(loop, &s->door->async, on_async) == 0);
    CHECK(uv_prepare_init(loop, &s->door->turn) == 0);
    s->door->async.data = s->door->turn.data = s->door;
    CHECK(uv_prepare_start(&s->door->turn, on_turn) == 0);
    CHECK(uv_thread_create(&s->thread, write_until_stopped, s) == 0);
}

static void submit(struct store *s, struct item item)
{
    CHECK(s->door != NULL && !s->stopping);
    items_add(&s->fresh, item);
}

void store_submit(struct store *s, struct store_txn *txn)
{
    txn->given_ns = uv_hrtime();
    submit(s, (struct item){.txn = txn});
}

void store_find(struct store *s, const struct store_read *read, struct store_found *out)
{
    CHECK(s->door == NULL);
    *out = (struct store_found){.err = ERR_OK};
    s->backend->class->read(s->backend, read, out);
}

void store_ask(struct store *s, struct store_read *read)
{
    submit(s, (struct item){.read = read});
}

void store_copy(struct store *s, struct store_copy *c)
{
    CHECK(s->door != NULL && !s->stopping && s->copy == NULL);
    store_push(s);
    uv_mutex_lock(&s->lock);
    s->copy = c;
    uv_cond_signal(&s->wake);
    uv_mutex_unlock(&s->lock);
}

void store_stop(struct store *s)
{
    if (s->door == NULL)
        return;
    store_push(s);
    uv_mutex_lock(&s->lock);
    s->stopping = true;
    uv_cond_signal(&s->wake);
    uv_mutex_unlock(&s->lock);
    CHECK(uv_thread_join(&s->thread) == 0);
    deliver(s);
    if (s->copy != NULL && !s->copied) {
        s->copy->err = ERR_EOF;
        (void)str_copy(s->copy->why, sizeof(s->copy->why), "the server stopped before it was made");
        s->copied = true;
    }
    deliver_copy(s);
    items_drop(&s->waiting); /* only where the thread died */
    s->door->store = NULL;
    uv_close((uv_handle_t *)&s->door->async, on_async_closed);
    s->door = NULL;
}

void store_free(struct store *s)
{
    if (s == NULL)
        return;
    store_stop(s);
    s->backend->class->close(s->backend);
    uv_mutex_destroy(&s->lock);
    uv_cond_destroy(&s->wake);
    mem_free(s->waiting.at);
    mem_free(s->fresh.at);
    mem_free(s->done);
    s->magic = 0;
    mem_free(s);
}

enum err store_meta(struct store *s, const char *name, struct buf *out)
{
    CHECK(s->door == NULL);
    return s->backend->class->meta(s->backend, name, out);
}

enum err store_load(struct store *s, const struct store_sink *sink, char why[STORE_WHY_LEN])
{
    CHECK(s->door == NULL);
    return s->backend->class->load(s->backend, sink, why);
}

const char *store_name(const struct store *s)
{
    return s->backend->class->name;
}

void store_stats(struct store *s, struct store_stats *out)
{
    uv_mutex_lock(&s->lock);
    *out = s->stats;
    out->waiting = s->waiting.n;
    uv_mutex_unlock(&s->lock);
}
