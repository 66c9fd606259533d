/* SPDX-License-Identifier: ISC
 * main.c -- load KIND PORT PID ...: see load.h; tests/bench/run drives it.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/bench/load/load.h"

enum { IDLE_MS = 10000 };

static const struct kind *const kinds[] = {&kind_echo, &kind_order, &kind_fan,
                                           &kind_peer, &kind_storm, &kind_disk};

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static double quantile_us(const struct window *w, double q)
{
    if (w->n_samples == 0)
        return 0;
    return w->sample[(size_t)(q * (double)(w->n_samples - 1))] / 1000.0;
}

static void go(struct load *l, const struct kind *k, void *self, const char *words)
{
    struct window w = {.sample = mem_array(SAMPLES_MAX, sizeof(uint32_t))};
    char *rest = NULL;
    const uint64_t ms = strtoull(words, &rest, 10);
    uint64_t began, cpu;

    w.width = (unsigned)strtoul(rest, NULL, 10);
    cpu = l->pid > 0 ? cpu_ns(l->pid) : 0;
    began = now_ns();
    w.until_ns = began + ms * 1000000;
    k->run(l, self, &w);
    began = now_ns() - began;
    cpu = l->pid > 0 ? cpu_ns(l->pid) - cpu : 0;
    qsort(w.sample, w.n_samples, sizeof(w.sample[0]), by_size);
    printf("{\"n\":%llu,\"wall_ns\":%llu,\"cpu_ns\":%llu,\"p50_us\":%.2f,\"p99_us\":%.2f,"
           "\"max_us\":%.2f,\"lines\":%llu,\"bytes\":%llu}\n",
           (unsigned long long)w.n, (unsigned long long)began, (unsigned long long)cpu,
           quantile_us(&w, 0.5), quantile_us(&w, 0.99), quantile_us(&w, 1.0),
           (unsigned long long)w.lines, (unsigned long long)w.bytes);
    (void)fflush(stdout);
    mem_free(w.sample);
}

static void rest(struct load *l, const struct kind *k, void *self)
{
    if (k->idle != NULL)
        k->idle(l, self);
    printf("{}\n");
    (void)fflush(stdout);
}

static const struct kind *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

static int usage(void)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        (void)fprintf(stderr, "load %s PORT PID %s\n", kinds[i]->name, kinds[i]->usage);
    return 64;
}

int main(int argc, char **argv)
{
    const struct kind *k = argc > 3 ? find(argv[1]) : NULL;
    struct load l = {.epoll = -1};
    char line[64];
    void *self;

    if (k == NULL || argc != 4 + k->args)
        return usage();
    (void)signal(SIGPIPE, SIG_IGN);
    l.port = (int)strtol(argv[2], NULL, 10);
    l.pid = (int)strtol(argv[3], NULL, 10);
    l.epoll = epoll_create1(EPOLL_CLOEXEC);
    self = k->setup(&l, argv + 4);
    printf("ready\n");
    (void)fflush(stdout);
    (void)setvbuf(stdin, NULL, _IONBF, 0);
    for (;;) {
        struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

        if (poll(&p, 1, IDLE_MS) == 0) {
            if (k->idle != NULL)
                k->idle(&l, self);
            continue;
        }
        if (fgets(line, sizeof(line), stdin) == NULL)
            return 0; /* the connections end with the process */
        if (strncmp(line, "go ", 3) == 0)
            go(&l, k, self, line + 3);
        else
            rest(&l, k, self);
    }
}
