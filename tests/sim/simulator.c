/* SPDX-License-Identifier: ISC
 * The simulator (lib_sim.h): runs the real server core under seeded worlds.
 *
 *   simulator                    a handful of seeds, one of them twice: its bytes must be the same
 *   simulator --seeds A-B        these
 *   simulator --seconds N        from seed 1 on (--from A: from there) for so long
 *   simulator --trace            say everything that happens (with one seed)
 */
// timeout: 300
#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <unistd.h>

#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { HANDFUL = 12, HANG_S = 120, HEAP_GROWTH = 4 << 20 };

static struct {
    volatile sig_atomic_t high, low; /* halves of the seed, for the handler */
} now;

/* A check of the core's failed, or it hangs: name the seed with what a handler may call. */
static void on_fall(int sig)
{
    static const char hang[] = "\nlaw broken: ends (no end in sight), seed ";
    static const char fall[] = "\nlaw broken: stands (the core fell), seed ";
    char digits[24];
    size_t at = sizeof(digits);
    uint64_t seed = (uint64_t)(uint32_t)now.high << 31 | (uint32_t)now.low;
    const bool hung = sig == SIGALRM;

    digits[--at] = '\n';
    do {
        digits[--at] = (char)('0' + seed % 10);
        seed /= 10;
    } while (seed > 0);
    (void)!write(2, hung ? hang : fall, (hung ? sizeof(hang) : sizeof(fall)) - 1);
    (void)!write(2, digits + at, sizeof(digits) - at);
    _exit(1);
}

static void watch(uint64_t seed)
{
    now.high = (sig_atomic_t)(seed >> 31);
    now.low = (sig_atomic_t)(seed & 0x7fffffff);
    (void)alarm(HANG_S);
}

struct options {
    uint64_t from, to;
    int64_t seconds;
    bool trace, handful;
};

static bool read_seeds(const char *text, struct options *o)
{
    char first[24] = "";
    const char *dash = strchr(text, '-');
    int64_t a, b;

    if (dash == NULL)
        dash = text + strlen(text);
    if (!str_ncopy(first, sizeof(first), text, (size_t)(dash - text)) ||
        !str_to_int(first, 0, INT64_MAX, &a) ||
        !str_to_int(*dash == '-' ? dash + 1 : first, a, INT64_MAX, &b))
        return false;
    o->from = (uint64_t)a;
    o->to = (uint64_t)b;
    return true;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.from = 1, .to = HANDFUL, .handful = argc == 1};
    for (int i = 1; i < argc; i++) {
        int64_t from;

        if (str_eq(argv[i], "--trace")) {
            o->trace = true;
        } else if (str_eq(argv[i], "--seeds") && i + 1 < argc) {
            if (!read_seeds(argv[++i], o))
                return false;
        } else if (str_eq(argv[i], "--seconds") && i + 1 < argc) {
            if (!str_to_int(argv[++i], 1, 100000, &o->seconds))
                return false;
            o->to = INT64_MAX;
        } else if (str_eq(argv[i], "--from") && i + 1 < argc) {
            if (!str_to_int(argv[++i], 0, INT64_MAX, &from))
                return false;
            o->from = (uint64_t)from;
        } else {
            return false;
        }
    }
    return true;
}

static int64_t clock_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void say(const struct sim_totals *t, int64_t ms)
{
    (void)printf("%llu runs, %llu matches (%llu played), %llu orders, %llu rolls, %llu crashes, "
                 "%llu recoveries looked at, %llu lines checked, %llu archived, %llu read there, "
                 "%.1f days simulated\n",
                 (unsigned long long)t->runs, (unsigned long long)t->matches,
                 (unsigned long long)t->played, (unsigned long long)t->orders,
                 (unsigned long long)t->rolls, (unsigned long long)t->crashes,
                 (unsigned long long)t->shadows, (unsigned long long)t->lines,
                 (unsigned long long)t->archived, (unsigned long long)t->reads,
                 (double)t->simulated_ms / 86400000.0);
    (void)printf("%.0f matches a minute, %.1f s; no law broken\n",
                 (double)t->matches * 60000.0 / (double)MAX(ms, INT64_C(1)), (double)ms / 1000.0);
}

/* The same seed must give the same bytes; the heap must be as it was before. */
static int run_twice(const struct scenario_set *set, uint64_t seed)
{
    struct sim_totals none = {0};
    uint64_t one, two;

    watch(seed);
    sim_run(set, seed, NULL, &none, &one);
    sim_run(set, seed, NULL, &none, &two);
    if (one == two)
        return 0;
    (void)fprintf(stderr, "law broken: seed (the same seed gives the same bytes), seed %llu\n",
                  (unsigned long long)seed);
    return 1;
}

/* Bytes in use on the heap, the allocator's own caches among them; 0 where it doesn't say
 * (sanitizers, which look for leaks themselves). */
static size_t heap_bytes(void)
{
    return mallinfo2().uordblks;
}

static int run_all(const struct scenario_set *set, const struct options *o)
{
    struct sim_totals sum = {0};
    const int64_t began = clock_ms();
    uint64_t digest;
    size_t first = 0;

    for (uint64_t seed = o->from; seed <= o->to; seed++) {
        watch(seed);
        sim_run(set, seed, o->trace ? stdout : NULL, &sum, &digest);
        if (sum.runs == 1)
            first = heap_bytes();
        if (heap_bytes() > first + HEAP_GROWTH) {
            (void)fprintf(stderr,
                          "law broken: zero (nothing is left at the end): the heap grows, "
                          "seed %llu\n",
                          (unsigned long long)seed);
            return 1;
        }
        if (o->seconds > 0 && clock_ms() - began > o->seconds * 1000)
            break;
    }
    say(&sum, clock_ms() - began);
    return 0;
}

int main(int argc, char **argv)
{
    struct scenario_set set;
    struct options o;
    int status;

    if (sodium_init() < 0)
        return 1;
    if (!read_options(argc, argv, &o)) {
        (void)fprintf(stderr,
                      "usage: simulator [--seeds A-B | --seconds N] [--from A] [--trace]\n");
        return 64;
    }
    (void)signal(SIGABRT, on_fall);
    (void)signal(SIGSEGV, on_fall);
    (void)signal(SIGALRM, on_fall);
    scenario_set_init(&set);
    status = o.handful ? run_twice(&set, 7) : 0;
    if (status == 0)
        status = run_all(&set, &o);
    scenario_set_fini(&set);
    return status;
}
