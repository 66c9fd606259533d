/* SPDX-License-Identifier: ISC
 * core_fan.c -- an event is written once, whoever reads it, and goes to players first; what a sync
 * says is written once for all who come. Counted, not timed.
 */
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

enum { WATCHERS = 10 };

struct hall {
    struct world w;
    unsigned seat[2], watcher[WATCHERS];
    char match[40];
};

static const char *say(struct hall *h, unsigned conn, const char *method, const char *more)
{
    struct buf b = BUF_EMPTY;
    const char *answer;

    buf_printf(&b,
               "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"match.%s\",\"params\":{\"match\":"
               "\"%s\"%s}}",
               method, h->match, more);
    answer = world_ask(&h->w, conn, buf_str(&b), "\"result\"");
    buf_fini(&b);
    return answer;
}

static void open_hall(struct hall *h)
{
    memset(h, 0, sizeof(*h));
    world_init(&h->w);
    h->seat[0] = world_guest(&h->w, "ann");
    h->seat[1] = world_guest(&h->w, "bob");
    world_member(world_ask(&h->w, h->seat[0],
                           "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"match.create\",\"params\":{"
                           "\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\","
                           "\"clock\":{\"kind\":\"none\"}}}",
                           "\"result\""),
                 "match", h->match, sizeof(h->match));
    (void)say(h, h->seat[1], "join", "");
    for (unsigned i = 0; i < 2; i++)
        (void)say(h, h->seat[i], "sync", "");
    for (unsigned i = 0; i < WATCHERS; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "eve%u", i);
        h->watcher[i] = world_guest(&h->w, name);
    }
}

/* The sends to that connection; *bytes is the last one's. */
static unsigned sends_to(const struct hall *h, unsigned conn, const struct shared **bytes)
{
    unsigned n = 0;

    for (size_t i = 0; i < h->w.n_sends; i++) {
        if (h->w.sends[i].conn != h->w.conn[conn].id)
            continue;
        n++;
        *bytes = h->w.sends[i].bytes;
    }
    return n;
}

/* What was just asked by that seat was answered, and told to all by one line, players first. */
static void expect_one_event(const struct hall *h, unsigned asker)
{
    const struct shared *first = NULL, *own = NULL;
    bool others = false;

    assert_int_equal(h->w.n_sends, 1 + 2 + WATCHERS); /* the answer, and the event to all */
    assert_int_equal(sends_to(h, h->seat[1 - asker], &first), 1);
    assert_int_equal(sends_to(h, h->seat[asker], &own), 2);
    assert_ptr_equal(own, first);
    for (unsigned i = 0; i < WATCHERS; i++) {
        const struct shared *bytes = NULL;

        assert_int_equal(sends_to(h, h->watcher[i], &bytes), 1);
        assert_ptr_equal(bytes, first);
    }
    for (size_t i = 0; i < h->w.n_sends; i++) {
        assert_false(h->w.sends[i].player && others);
        others |= !h->w.sends[i].player;
    }
}

/* A figure of the active side turns. Returns the seat that said so. */
static unsigned order_turn(struct hall *h)
{
    const char *sync = say(h, h->seat[0], "sync", "");
    const char *state = strstr(sync, "\"state\":{");
    const char *head = strstr(sync, "\"head\":");
    char active[16], more[160];
    unsigned seat;

    assert_non_null(state);
    assert_non_null(head);
    world_member(state, "active", active, sizeof(active));
    seat = str_eq(active, "red") ? 0 : 1;
    (void)snprintf(more, sizeof(more),
                   ",\"order_id\":\"o1\",\"base\":%ld,\"order\":{\"do\":\"turn\",\"figures\":["
                   "\"%s\"],\"face\":\"e\"}",
                   strtol(head + strlen("\"head\":"), NULL, 10), seat == 0 ? "r1" : "n1");
    h->w.n_sends = 0;
    (void)say(h, h->seat[seat], "order", more);
    return seat;
}

static void one_serialisation(void **unused)
{
    struct hall h;

    (void)unused;
    open_hall(&h);
    for (unsigned i = 0; i < WATCHERS; i++)
        (void)say(&h, h.watcher[i], "watch", "");
    expect_one_event(&h, order_turn(&h)); /* its two entries are one line's */
    h.w.n_sends = 0;
    (void)say(&h, h.seat[0], "offer", ",\"offer\":\"draw\"");
    expect_one_event(&h, 0);
    world_fini(&h.w);
}

/* Each answer is four pieces, two of them the same for all. */
static void one_preparation(void **unused)
{
    struct hall h;
    const struct shared *front = NULL, *rear = NULL;
    char first[8192];

    (void)unused;
    open_hall(&h);
    for (unsigned i = 0; i < WATCHERS; i++) {
        const char *answer;

        h.w.n_sends = 0;
        answer = say(&h, h.watcher[i], "watch", "");
        assert_true(h.w.n_sends >= 4);
        if (i == 0) {
            front = h.w.sends[1].bytes;
            rear = h.w.sends[3].bytes;
            assert_true(str_copy(first, sizeof(first), answer));
        }
        assert_string_equal(answer, first);          /* the same id, so the same line */
        assert_ptr_equal(h.w.sends[1].bytes, front); /* held by the match: its address is its own */
        assert_ptr_equal(h.w.sends[3].bytes, rear);
        assert_false(h.w.sends[1].player);
    }
    (void)say(&h, h.seat[0], "offer", ",\"offer\":\"draw\""); /* another head, another answer */
    h.w.n_sends = 0;
    assert_string_not_equal(say(&h, h.watcher[0], "watch", ""), first);
    world_fini(&h.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_serialisation),
        cmocka_unit_test(one_preparation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
