/* SPDX-License-Identifier: ISC
 * core_limits.h -- how the tests of limits begin (core_limits.c, core_lines.c): a small world, other
 * limits than the defaults, and connections from elsewhere.
 */
#ifndef SK_TESTS_CORE_LIMITS_H
#define SK_TESTS_CORE_LIMITS_H

#include "tests/unit/lib_core.h"

#define REQ(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define HELLO REQ(1, "session.hello", "{\"protocol\":1,\"client\":\"t\"}")
#define PING  REQ(2, "session.ping", "{}")
#define HERE  "192.0.2.1"

static inline int setup(void **state)
{
    static struct world w;

    world_init(&w);
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world_fini(*state);
    return 0;
}

/* Other limits than the defaults: a new core. */
static inline void with_limits(struct world *w, const struct limits *l)
{
    w->cfg.limits = *l;
    world_restart(w);
    w->n_conns = 0;
    for (unsigned i = 0; i < WORLD_CONNS; i++) {
        buf_fini(&w->conn[i].out);
        w->conn[i] = (struct world_conn){0};
    }
}

static inline bool is_open(const struct world *w, unsigned c)
{
    return !w->conn[c].closed;
}

static inline unsigned hello_from(struct world *w, const char *addr)
{
    unsigned c = world_connect_from(w, addr, true);

    world_ask(w, c, HELLO, "\"limits\"");
    return c;
}

static inline unsigned guest_from(struct world *w, const char *addr)
{
    unsigned c = hello_from(w, addr);

    world_ask(w, c, REQ(3, "session.guest", "{}"), "\"token\"");
    return c;
}

/* Takes all lines that were sent on it. Returns how many. */
static inline unsigned answers(struct world *w, unsigned c)
{
    unsigned n = 0;

    while (world_take(w, c)[0] != '\0')
        n++;
    return n;
}

#endif
