/* SPDX-License-Identifier: ISC
 * core_idle.c -- what guests cost who have logged in, look on at one match and are silent: the heap is
 * counted, not timed. With what a socket takes (shell_fan) it stays below 1 KB.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"
#include "tests/unit/lib_heap.h"

enum { WARM = 2000, GUESTS = 4000, BUDGET = 600, LEAST = 300 };

static void step(struct world *w, struct core_event *ev)
{
    struct core_effects fx = {NULL, 0, 0};

    ev->now = w->now;
    ev->wall = w->wall;
    core_step(w->core, ev, &fx);
    for (size_t i = 0; i < fx.n; i++) /* a guest who looks on writes nothing */
        assert_int_not_equal(fx.fx[i].kind, CORE_FX_STORE);
    core_effects_fini(&fx);
}

/* Connections beside the world's own. */
static conn_id id_of(unsigned i)
{
    return ((conn_id)2 << 32) + i;
}

static void say(struct world *w, unsigned i, const char *line)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = id_of(i)};

    ev.u.bytes.data = line;
    ev.u.bytes.len = strlen(line);
    step(w, &ev);
}

static void look_on(struct world *w, unsigned i, const char *match)
{
    struct core_event ev = {.kind = CORE_ACCEPTED, .conn = id_of(i)};
    struct buf b = BUF_EMPTY;

    str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), "127.0.0.1");
    ev.u.accepted.loopback = true;
    step(w, &ev);
    say(w, i,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
        "\"client\":\"test\"}}\n");
    say(w, i, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\"}\n");
    buf_printf(&b,
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"match.watch\",\"params\":{\"match\":"
               "\"%s\"}}\n",
               match);
    say(w, i, buf_str(&b));
    buf_fini(&b);
}

static void open_match(struct world *w, char *match, size_t size)
{
    const unsigned ann = world_guest(w, "ann");
    const unsigned bob = world_guest(w, "bob");
    struct buf b = BUF_EMPTY;

    world_member(world_ask(w, ann,
                           "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"match.create\",\"params\":{"
                           "\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","
                           "\"clock\":{\"kind\":\"none\"}}}",
                           "\"result\""),
                 "match", match, size);
    buf_printf(&b,
               "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"match.join\",\"params\":{\"match\":"
               "\"%s\"}}",
               match);
    (void)world_ask(w, bob, buf_str(&b), "\"result\"");
    buf_fini(&b);
}

/* Room for all of them. */
static void widen(struct world *w)
{
    struct core_event ev = {.kind = CORE_SETTINGS, .u.settings = &w->cfg};

    w->cfg.limits = (struct limits){.max_conns = 0}; /* the usual ones */
    step(w, &ev);
}

static void a_spectator_is_small(void **unused)
{
    struct world *w = mem_zalloc(sizeof(*w));
    struct core_stats stats;
    char match[40];
    size_t before;
    size_t each;

    (void)unused;
    world_init(w);
    widen(w);
    open_match(w, match, sizeof(match));
    for (unsigned i = 0; i < WARM; i++)
        look_on(w, i, match);
    before = heap_bytes();
    for (unsigned i = WARM; i < WARM + GUESTS; i++)
        look_on(w, i, match);
    each = (heap_bytes() - before) / GUESTS;
    core_stats(w->core, &stats);
    assert_int_equal(stats.spectators, WARM + GUESTS);
    print_message("%zu bytes a spectator\n", each);
    assert_in_range(each, LEAST, BUDGET);
    for (unsigned i = 0; i < WARM + GUESTS; i++) {
        struct core_event ev = {.kind = CORE_EOF, .conn = id_of(i)};

        step(w, &ev);
    }
    world_fini(w);
    mem_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_spectator_is_small)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
