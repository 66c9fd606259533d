/* SPDX-License-Identifier: ISC */
#include "server/core/standing.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/session.h"
#include "server/core/user.h"

static void sides_key(char key[SIDES_KEY_LEN], const char *scenario)
{
    memset(key, 0, SIDES_KEY_LEN);
    (void)str_copy(key, SIDES_KEY_LEN, scenario);
}

struct standing *standing_find(const struct core *c, const char *name)
{
    char key[NAME_KEY_LEN];

    name_key(key, name);
    return map_get(&c->standings, key);
}

struct sides *sides_find(const struct core *c, const char *scenario)
{
    char key[SIDES_KEY_LEN];

    sides_key(key, scenario);
    return map_get(&c->sides, key);
}

struct standing *standing_new(const char *name)
{
    struct standing *s = mem_zalloc(sizeof(*s));

    name_key(s->key, name);
    (void)str_copy(s->name, sizeof(s->name), name);
    s->rating = rating_start();
    return s;
}

struct standing *standing_copy(const struct standing *s)
{
    struct standing *copy = mem_dup(s, sizeof(*s));

    copy->pair = s->n_pairs > 0 ? mem_dup(s->pair, s->n_pairs * sizeof(*s->pair)) : NULL;
    copy->past = s->n_past > 0 ? mem_dup(s->past, s->n_past * sizeof(*s->past)) : NULL;
    copy->gate = (struct gate){NULL, NULL};
    copy->busy = false;
    return copy;
}

void standing_free(struct standing *s)
{
    if (s == NULL)
        return;
    mem_free(s->pair);
    mem_free(s->past);
    mem_free(s);
}

struct sides *sides_new(const char *scenario)
{
    struct sides *s = mem_zalloc(sizeof(*s));

    sides_key(s->key, scenario);
    s->side[0] = s->side[1] = rating_start();
    return s;
}

/* ---- the ladder ---- */

/* Does `a` stand before `b`? */
static bool is_before(const struct standing *a, const struct standing *b)
{
    const int64_t ra = rating_shown(a->rating.rating);
    const int64_t rb = rating_shown(b->rating.rating);

    return ra != rb ? ra > rb : memcmp(a->key, b->key, sizeof(a->key)) < 0;
}

size_t standing_rank(const struct core *c, const struct standing *s)
{
    size_t lo = 0;
    size_t hi = c->ladder.n;

    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;

        if (is_before(c->ladder.at[mid], s))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void ladder_add(struct core *c, struct standing *s)
{
    struct ladder *l = &c->ladder;
    const size_t at = standing_rank(c, s);

    if (s->rated == 0)
        return;
    if (l->n == l->cap) {
        l->cap = l->cap == 0 ? 16 : l->cap * 2;
        l->at = mem_resize(l->at, l->cap, sizeof(struct standing *));
    }
    memmove(&l->at[at + 1], &l->at[at], (l->n - at) * sizeof(struct standing *));
    l->at[at] = s;
    l->n++;
}

static void ladder_drop(struct core *c, const struct standing *s)
{
    struct ladder *l = &c->ladder;
    const size_t at = standing_rank(c, s);

    if (s->rated == 0)
        return;
    CHECK(at < l->n && l->at[at] == s);
    l->n--;
    memmove(&l->at[at], &l->at[at + 1], (l->n - at) * sizeof(struct standing *));
}

/* ---- in and out ---- */

void standing_enter(struct core *c, struct standing *s)
{
    struct standing *old = map_take(&c->standings, s->key);
    struct gate waiters = {NULL, NULL};

    if (old != NULL) {
        gate_move(&old->gate, &waiters);
        ladder_drop(c, old);
        standing_free(old);
    }
    map_put(&c->standings, s);
    ladder_add(c, s);
    gate_open(c, &waiters);
}

void sides_enter(struct core *c, struct sides *s)
{
    struct sides *old = map_take(&c->sides, s->key);
    struct gate waiters = {NULL, NULL};

    if (old != NULL)
        gate_move(&old->gate, &waiters);
    mem_free(old);
    map_put(&c->sides, s);
    gate_open(c, &waiters);
}

void standing_release(struct core *c, struct standing *s)
{
    if (s == NULL)
        return;
    s->busy = false;
    gate_open(c, &s->gate);
}

void sides_release(struct core *c, struct sides *s)
{
    if (s == NULL)
        return;
    s->busy = false;
    gate_open(c, &s->gate);
}

void standing_forget(struct core *c, const char *name)
{
    struct standing *s = standing_find(c, name);
    struct gate waiters = {NULL, NULL};

    if (s == NULL)
        return;
    (void)map_take(&c->standings, s->key);
    ladder_drop(c, s);
    gate_move(&s->gate, &waiters);
    standing_free(s);
    gate_open(c, &waiters);
}

void standings_free(struct core *c)
{
    struct standing *s;
    struct sides *d;
    size_t at = 0;

    while ((s = map_next(&c->standings, &at)) != NULL)
        standing_free(s);
    for (at = 0; (d = map_next(&c->sides, &at)) != NULL;)
        mem_free(d);
    map_fini(&c->standings);
    map_fini(&c->sides);
    mem_free(c->ladder.at);
}

struct standing_pair *standing_pair_of(struct standing *s, const char *name)
{
    for (size_t i = 0; i < s->n_pairs; i++)
        if (str_ieq(s->pair[i].name, name))
            return &s->pair[i];
    if (s->n_pairs == STANDING_PAIRS) {
        s->n_pairs--;
        memmove(s->pair, s->pair + 1, s->n_pairs * sizeof(*s->pair));
    } else {
        s->pair = mem_resize(s->pair, s->n_pairs + 1, sizeof(*s->pair));
    }
    s->pair[s->n_pairs] = (struct standing_pair){.owed = 0};
    (void)str_copy(s->pair[s->n_pairs].name, sizeof(s->pair->name), name);
    return &s->pair[s->n_pairs++];
}

void standing_add_past(struct standing *s, const struct standing_past *past)
{
    if (s->n_past == STANDING_PAST) {
        s->n_past--;
        memmove(s->past, s->past + 1, s->n_past * sizeof(*s->past));
    } else {
        s->past = mem_resize(s->past, s->n_past + 1, sizeof(*s->past));
    }
    s->past[s->n_past++] = *past;
}

void standing_rating(const struct standing *s, struct jsonw *w)
{
    const struct rating start = rating_start();
    const struct rating *r = s != NULL ? &s->rating : &start;

    jsonw_obj(w);
    jsonw_m_int(w, "rating", rating_shown(r->rating));
    jsonw_m_int(w, "deviation", rating_shown(r->deviation));
    jsonw_m_int(w, "games", s != NULL ? s->rated : 0);
    jsonw_obj_end(w);
}
