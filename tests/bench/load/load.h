/* SPDX-License-Identifier: ISC
 * load.h -- the busy-polling load client of tests/bench/run.
 *
 * One process holds the connections of one kind of load to one server. It sets them up, says
 * `ready`, and then does a window of work for each line `go MS [WIDTH]` on its standard input, with
 * one line of JSON for each: what was done, in how much wall time and CPU time of the server. All
 * that was begun in a window is ended in it, so CPU per message has no edges. (`storm` says
 * `storming` before that line, as soon as it does.) `rest` prepares for the next window, and so does
 * time without a word.
 */
#ifndef SK_TESTS_BENCH_LOAD_H
#define SK_TESTS_BENCH_LOAD_H

#include <openssl/ssl.h>

#include "common/base/buf.h"

/* A connection. Its socket never blocks. */
struct link {
    int fd;
    SSL *ssl;      /* NULL: plain */
    struct buf in; /* what came and isn't used up */
    size_t used;   /* of `in`, by link_line */
};

/* End the program with words. */
_Noreturn void fail(const char *fmt, ...) PRINTF_LIKE(1, 2);

struct load {
    int port, pid; /* of the server, on 127.0.0.1 */
    int epoll;
    SSL_CTX *tls; /* made with the first connection that wants it */
};

/* Connect; `i` counts connections, so that they spread over source addresses. */
void link_open(struct load *l, struct link *k, unsigned i, bool tls);
void link_close(struct link *k);
/* Be told of its input by epoll as `tag`. */
void link_watch(struct load *l, const struct link *k, uint32_t tag);
/* Read what is there: bytes, 0 where nothing is. Ends the program where the server is gone. */
size_t link_read(struct link *k, char *at, size_t room);
/* The same into k->in. */
size_t link_fill(struct link *k);
/* The next whole line in k->in, NUL in place of its end; NULL: there is none. Until the next fill. */
char *link_line(struct link *k);
/* Wait for one. */
char *link_wait_line(struct link *k);
/* Send all of it. */
void link_send(struct link *k, const char *data, size_t len);
void link_print(struct link *k, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Wait for the answer to the request of this number; ends the program if it is an error. */
char *link_answer(struct link *k, int64_t id);
/* Log in to skirmishd as a guest; requests 1 and 2. */
void link_guest(struct link *k);
/* Copy the string member `name` that stands behind `from`. */
void text_member(const char *from, const char *name, char *out, size_t size);
/* The integer behind the first `mark` in `text`; -1: no such. */
int64_t text_int(const char *text, const char *mark);

uint64_t now_ns(void);
/* CPU time of all threads of a process, user and kernel, from its schedstat: as soon as all of them
 * sleep, so that what they still do about the last message is in it; in 20 ms at the latest. */
uint64_t cpu_ns(int pid);

/* One window's result. */
struct window {
    uint64_t until_ns; /* no new work after this */
    unsigned width;    /* so much in flight; 0: all */
    uint64_t n;        /* messages, orders, deliveries */
    uint64_t lines; /* of them, what a reader got in bytes: `bytes` / `lines` is one event's size */
    uint64_t bytes;
    uint32_t *sample; /* latencies, ns */
    size_t n_samples;
};
enum { SAMPLES_MAX = 1 << 20 };
void window_sample(struct window *w, uint64_t began_ns);

/* A kind of load. */
struct kind {
    const char *name, *usage;
    int args; /* behind port and pid */
    void *(*setup)(struct load *l, char **arg);
    void (*run)(struct load *l, void *self, struct window *w);
    void (*idle)(struct load *l, void *self); /* each few seconds without work; may be NULL */
};
extern const struct kind kind_echo, kind_order, kind_fan, kind_peer, kind_storm, kind_disk;

#endif
