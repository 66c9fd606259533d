/* SPDX-License-Identifier: ISC
 * lib_sim_law.c -- the laws' words, a run's trace and digest, chance.
 */
#include <stdarg.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "tests/sim/lib_sim.h"

static const struct {
    const char *word, *says;
} laws[] = {
#define X(name, word, says) {word, says},
    SIM_LAW_TABLE(X)
#undef X
};
_Static_assert(ARRAY_LEN(laws) == SIM_LAW_COUNT, "a law without words");

void sim_broken(const struct sim *s, enum sim_law law, const char *fmt, ...)
{
    va_list ap;

    (void)fflush(stdout);
    (void)fprintf(stderr, "seed %llu: law broken: %s (%s)\n  at %lld ms, process %u: ",
                  (unsigned long long)s->seed, laws[law].word, laws[law].says, (long long)s->t,
                  s->server.life);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fprintf(stderr, "\n  again: tests/sim/run --seeds %llu-%llu --trace\n",
                  (unsigned long long)s->seed, (unsigned long long)s->seed);
    if (s->trace != NULL)
        (void)fflush(s->trace);
    exit(1);
}

void sim_hold(const struct sim *s, enum sim_law law, bool fine, const char *words)
{
    if (!fine)
        sim_broken(s, law, "%s", words);
}

void sim_trace(struct sim *s, const char *fmt, ...)
{
    va_list ap;

    if (s->trace == NULL)
        return;
    (void)fprintf(s->trace, "%8lld ", (long long)s->t);
    va_start(ap, fmt);
    (void)vfprintf(s->trace, fmt, ap);
    va_end(ap);
    (void)fputc('\n', s->trace);
}

/* Into the digest: what happened when. Each note's hash is the key of the next. */
void sim_note(struct sim *s, const char *what, const void *data, size_t len)
{
    const int64_t front[2] = {s->t, (int64_t)len};
    uint64_t *d = s->digest;

    d[1] = map_hash(d, front, sizeof(front));
    d[0] = map_hash(d, what, strlen(what));
    if (len > 0)
        d[1] = map_hash(d, data, len);
}

bool sim_odds(struct sim *s, unsigned per_mille)
{
    return per_mille > 0 && play_below(&s->rng, 1000) < per_mille;
}

int64_t sim_between(struct sim *s, int64_t lo, int64_t hi)
{
    return hi <= lo ? lo : lo + (int64_t)play_below(&s->rng, (unsigned)(hi - lo + 1));
}

void sim_bytes(struct sim *s, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)play_below(&s->rng, 256);
}
