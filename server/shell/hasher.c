/* SPDX-License-Identifier: ISC */
#include "server/shell/hasher.h"

#include <sodium.h>
#include <sys/resource.h>

#include "common/base/mem.h"

#define HASHER_MAGIC 0x48617368u /* "Hash" */
#define HASHER_NICE  10

_Static_assert(HASHER_LEN == crypto_pwhash_STRBYTES, "room for a hash string");

struct job {
    struct job *next;
    char *password, *hash;
    struct hasher_done done;
};
struct job_list {
    struct job *first, *last;
    unsigned n;
};

struct hasher {
    unsigned magic;
    uv_async_t async;
    hasher_done_cb *done;
    void *arg;
    uv_thread_t thread[HASHER_THREADS];
    uv_mutex_t lock;
    uv_cond_t wake;
    /* under lock: */
    struct job_list waiting, ended;
    bool stopping;
};

static void push(struct job_list *l, struct job *j)
{
    j->next = NULL;
    if (l->last != NULL)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
    l->n++;
}

static struct job *pop(struct job_list *l)
{
    struct job *j = l->first;

    if (j == NULL)
        return NULL;
    l->first = j->next;
    if (l->first == NULL)
        l->last = NULL;
    l->n--;
    return j;
}

static void wipe(struct job *j)
{
    if (j->password != NULL)
        sodium_memzero(j->password, strlen(j->password));
    mem_free(j->password);
    j->password = NULL;
}

static void job_free(struct job *j)
{
    wipe(j);
    mem_free(j->hash);
    mem_free(j);
}

static void work(struct job *j)
{
    const size_t len = strlen(j->password);

    if (j->hash != NULL)
        j->done.ok = crypto_pwhash_str_verify(j->hash, j->password, len) == 0;
    else
        j->done.ok = crypto_pwhash_str_alg(j->done.hash, j->password, len, HASHER_OPS, HASHER_MEM,
                                           crypto_pwhash_ALG_ARGON2ID13) == 0;
    wipe(j);
}

static void run(void *arg)
{
    struct hasher *h = arg;

    CHECK(h->magic == HASHER_MAGIC);
    (void)setpriority(PRIO_PROCESS, 0, HASHER_NICE); /* on Linux: this thread */
    uv_mutex_lock(&h->lock);
    for (;;) {
        struct job *j;

        while (h->waiting.n == 0 && !h->stopping)
            uv_cond_wait(&h->wake, &h->lock);
        if (h->stopping)
            break;
        j = pop(&h->waiting);
        CHECK(j != NULL);
        uv_mutex_unlock(&h->lock);
        work(j);
        uv_mutex_lock(&h->lock);
        push(&h->ended, j);
        CHECK(uv_async_send(&h->async) == 0);
    }
    uv_mutex_unlock(&h->lock);
}

static void on_async(uv_async_t *async)
{
    struct hasher *h = async->data;
    struct job *j;

    CHECK(h->magic == HASHER_MAGIC);
    do {
        uv_mutex_lock(&h->lock);
        j = pop(&h->ended);
        uv_mutex_unlock(&h->lock);
        if (j != NULL) {
            h->done(h->arg, &j->done);
            job_free(j);
        }
    } while (j != NULL);
}

void hasher_start(uv_loop_t *loop, hasher_done_cb *done, void *arg, struct hasher **out)
{
    struct hasher *h = mem_zalloc(sizeof(*h));

    h->magic = HASHER_MAGIC;
    h->done = done;
    h->arg = arg;
    CHECK(uv_mutex_init(&h->lock) == 0);
    CHECK(uv_cond_init(&h->wake) == 0);
    CHECK(uv_async_init(loop, &h->async, on_async) == 0);
    h->async.data = h;
    for (size_t i = 0; i < ARRAY_LEN(h->thread); i++)
        CHECK(uv_thread_create(&h->thread[i], run, h) == 0);
    *out = h;
}

void hasher_submit(struct hasher *h, uint64_t job, char *password, char *hash)
{
    struct job *j = mem_zalloc(sizeof(*j));

    j->password = password;
    j->hash = hash;
    j->done.job = job;
    uv_mutex_lock(&h->lock);
    if (h->waiting.n < HASHER_QUEUE) {
        push(&h->waiting, j);
        uv_cond_signal(&h->wake);
    } else {
        wipe(j);
        j->done.err = ERR_BUSY;
        push(&h->ended, j);
        CHECK(uv_async_send(&h->async) == 0);
    }
    uv_mutex_unlock(&h->lock);
}

static void on_closed(uv_handle_t *handle)
{
    struct hasher *h = handle->data;

    h->magic = 0;
    mem_free(h);
}

void hasher_stop(struct hasher *h)
{
    struct job *j;

    uv_mutex_lock(&h->lock);
    h->stopping = true;
    uv_cond_broadcast(&h->wake);
    uv_mutex_unlock(&h->lock);
    for (size_t i = 0; i < ARRAY_LEN(h->thread); i++)
        CHECK(uv_thread_join(&h->thread[i]) == 0);
    while ((j = pop(&h->waiting)) != NULL)
        job_free(j);
    while ((j = pop(&h->ended)) != NULL)
        job_free(j);
    uv_mutex_destroy(&h->lock);
    uv_cond_destroy(&h->wake);
    uv_close((uv_handle_t *)&h->async, on_closed);
}
