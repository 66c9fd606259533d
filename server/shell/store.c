/* SPDX-License-Identifier: ISC */
#include "server/shell/store.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/shell/store_backend.h"

#define STORE_MAGIC   0x53746f72u /* "Stor" */
#define REST_AFTER_NS 20000000u   /* 20 ms without work: a quiet moment */

struct answer {
    struct store_txn *txn;
    enum err err;
};

/* Outlives the store until the loop has closed the handle. */
struct door {
    uv_async_t async;
    struct store *store; /* NULL once the store has stopped */
};

struct store {
    unsigned magic;
    struct store_backend *backend;
    struct store_hooks hooks;
    struct door *door; /* NULL: not started */
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t wake;
    /* under lock: */
    struct store_txn **waiting;
    size_t n_waiting, waiting_cap;
    struct answer *done;
    size_t n_done, done_cap;
    bool stopping, dead;
    struct store_stats stats;
};

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

/* Wait for work or the end; in a quiet moment let the backend tidy up. Called and left with the
 * lock held. False: stop. */
static bool wait_for_work(struct store *s, char why[STORE_WHY_LEN])
{
    while (s->n_waiting == 0 && !s->stopping) {
        if (!s->backend->class->wants_rest(s->backend)) {
            uv_cond_wait(&s->wake, &s->lock);
        } else if (uv_cond_timedwait(&s->wake, &s->lock, REST_AFTER_NS) == UV_ETIMEDOUT) {
            enum err e;

            uv_mutex_unlock(&s->lock);
            e = s->backend->class->rest(s->backend, why);
            uv_mutex_lock(&s->lock);
            if (e != ERR_OK) {
                s->dead = true;
                return false;
            }
        }
    }
    return s->n_waiting > 0;
}

static enum err commit(struct store *s, const struct store_group *g, char why[STORE_WHY_LEN])
{
    const uint64_t began = uv_hrtime();
    enum err e = s->backend->class->commit(s->backend, g, why);
    uint64_t us;

    us = (uv_hrtime() - began) / 1000;
    uv_mutex_lock(&s->lock);
    s->stats.commit_us += us;
    s->stats.longest_us = MAX(s->stats.longest_us, us);
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

/* The group's answers to the loop, behind those still there. */
static void answer(struct store *s, const struct store_group *g, enum err e)
{
    uv_mutex_lock(&s->lock);
    if (s->n_done + g->n > s->done_cap) {
        s->done_cap = MAX(s->done_cap * 2, s->n_done + g->n);
        s->done = mem_resize(s->done, s->done_cap, sizeof(*s->done));
    }
    for (size_t i = 0; i < g->n; i++)
        s->done[s->n_done++] = (struct answer){g->txn[i], e};
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
    e = s->backend->class->rest(s->backend, why);
    if (e != ERR_OK) {
        uv_mutex_lock(&s->lock);
        s->dead = true;
        uv_mutex_unlock(&s->lock);
    }
    return e;
}

static void write_until_stopped(void *arg)
{
    struct store *s = store_of(arg);
    struct store_txn **group = NULL;
    size_t cap = 0;
    char why[STORE_WHY_LEN] = "";

    uv_mutex_lock(&s->lock);
    while (wait_for_work(s, why)) {
        struct store_txn **taken = s->waiting;
        const size_t n = s->n_waiting;
        const size_t taken_cap = s->waiting_cap;
        enum err e;

        s->waiting = group;
        s->waiting_cap = cap;
        s->n_waiting = 0;
        group = taken;
        cap = taken_cap;
        uv_mutex_unlock(&s->lock);
        e = commit_and_answer(s, &(struct store_group){group, n}, why);
        uv_mutex_lock(&s->lock);
        if (e != ERR_OK)
            break;
    }
    uv_mutex_unlock(&s->lock);
    mem_free(group);
    if (s->dead)
        s->hooks.lost(s->hooks.arg, why);
}

/* ---- the loop's thread ---- */

static void deliver(struct store *s)
{
    struct answer *done;
    size_t n;

    uv_mutex_lock(&s->lock);
    done = s->done;
    n = s->n_done;
    s->done = NULL;
    s->n_done = s->done_cap = 0;
    uv_mutex_unlock(&s->lock);
    for (size_t i = 0; i < n; i++) {
        const uint64_t id = done[i].txn->id;

        store_txn_free(done[i].txn);
        s->hooks.done(s->hooks.arg, id, done[i].err);
    }
    mem_free(done);
}

static void on_async(uv_async_t *async)
{
    struct door *door = async->data;

    if (door->store != NULL)
        deliver(store_of(door->store));
}

static void on_door_closed(uv_handle_t *handle)
{
    mem_free(handle->data);
}

void store_start(struct store *s, uv_loop_t *loop, const struct store_hooks *hooks)
{
    CHECK(s->door == NULL);
    s->hooks = *hooks;
    s->stopping = s->dead = false;
    s->door = mem_zalloc(sizeof(*s->door));
    s->door->store = s;
    CHECK(uv_async_init(loop, &s->door->async, on_async) == 0);
    s->door->async.data = s->door;
    CHECK(uv_thread_create(&s->thread, write_until_stopped, s) == 0);
}

void store_submit(struct store *s, struct store_txn *txn)
{
    CHECK(s->door != NULL && !s->stopping);
    uv_mutex_lock(&s->lock);
    if (s->dead) { /* only where lost() returned: in tests */
        uv_mutex_unlock(&s->lock);
        store_txn_free(txn);
        return;
    }
    if (s->n_waiting == s->waiting_cap) {
        s->waiting_cap = MAX(s->waiting_cap * 2, (size_t)16);
        s->waiting = mem_resize(s->waiting, s->waiting_cap, sizeof(struct store_txn *));
    }
    s->waiting[s->n_waiting++] = txn;
    uv_cond_signal(&s->wake);
    uv_mutex_unlock(&s->lock);
}

void store_stop(struct store *s)
{
    if (s->door == NULL)
        return;
    uv_mutex_lock(&s->lock);
    s->stopping = true;
    uv_cond_signal(&s->wake);
    uv_mutex_unlock(&s->lock);
    CHECK(uv_thread_join(&s->thread) == 0);
    deliver(s);
    drop(&(struct store_group){s->waiting, s->n_waiting}); /* only where the thread died */
    s->n_waiting = 0;
    s->door->store = NULL;
    uv_close((uv_handle_t *)&s->door->async, on_door_closed);
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
    mem_free(s->waiting);
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
    uv_mutex_unlock(&s->lock);
}
