/* SPDX-License-Identifier: ISC */
#include "server/shell/store_tails.h"

#include "common/base/mem.h"

void tails_init(struct tails *ts)
{
    static const uint64_t seed[2] = {0}; /* ids are random: nobody chooses collisions */

    *ts = (struct tails){0};
    map_init_own(&ts->by_id, offsetof(struct tail, id), MATCH_ID_LEN, seed);
}

void tails_fini(struct tails *ts)
{
    size_t at = 0;

    for (struct tail *t = map_next(&ts->by_id, &at); t != NULL; t = map_next(&ts->by_id, &at))
        mem_free(t);
    map_fini(&ts->by_id);
    mem_free(ts->change);
    *ts = (struct tails){0};
}

struct tail *tails_find(const struct tails *ts, const uint8_t id[MATCH_ID_LEN])
{
    return map_get(&ts->by_id, id);
}

static struct tail_change *new_change(struct tails *ts)
{
    if (ts->n_changes == ts->cap) {
        ts->cap = MAX(ts->cap * 2, (size_t)64);
        ts->change = mem_resize(ts->change, ts->cap, sizeof(*ts->change));
    }
    return &ts->change[ts->n_changes++];
}

struct tail *tails_add(struct tails *ts, const uint8_t id[MATCH_ID_LEN], int64_t mkey)
{
    struct tail *t = mem_zalloc(sizeof(*t));

    CHECK(mkey != 0);
    memcpy(t->id, id, MATCH_ID_LEN);
    t->mkey = mkey;
    map_put(&ts->by_id, t);
    *new_change(ts) = (struct tail_change){.tail = t};
    return t;
}

void tails_touch(struct tails *ts, struct tail *t)
{
    *new_change(ts) = (struct tail_change){t, *t};
}

void tails_keep(struct tails *ts)
{
    ts->n_changes = 0;
}

void tails_undo(struct tails *ts)
{
    while (ts->n_changes > 0) {
        const struct tail_change *c = &ts->change[--ts->n_changes];

        if (c->before.mkey != 0) {
            *c->tail = c->before;
            continue;
        }
        CHECK(map_take(&ts->by_id, c->tail->id) == c->tail);
        mem_free(c->tail);
    }
}

void tails_forget_over(struct tails *ts)
{
    struct tail **over = NULL;
    size_t n = 0;
    size_t cap = 0;
    size_t at = 0;

    CHECK(ts->n_changes == 0);
    for (struct tail *t = map_next(&ts->by_id, &at); t != NULL; t = map_next(&ts->by_id, &at)) {
        if (!t->over)
            continue;
        if (n == cap) {
            cap = MAX(cap * 2, (size_t)64);
            over = mem_resize(over, cap, sizeof(struct tail *));
        }
        over[n++] = t;
    }
    for (size_t i = 0; i < n; i++) {
        CHECK(map_take(&ts->by_id, over[i]->id) == over[i]);
        mem_free(over[i]);
    }
    mem_free(over);
}
