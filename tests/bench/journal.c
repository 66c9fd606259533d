/* SPDX-License-Identifier: ISC
 * journal.c -- orders a second through a running server, over sockets; see journal.py.
 *
 * Usage: journal PORT MATCHES SECONDS       orders in so many matches at once, one under way in each
 *        journal PORT MATCHES fill EACH [N] so many matches with EACH orders, N (50) at a time, left
 *                                          open
 *
 * A match's side to move turns a figure and takes it back, again and again: an order of two or three
 * journal lines, without dice. Both seats are connected and are sent every entry.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/msec.h"
#include "common/base/str.h"
#include "proto/json.h"

enum { TABLES_MAX = 1000, ORDERS_MAX = 1000, SAMPLES = 2000000, ID_HEX = 33 };

enum stage { CREATE, JOIN, SYNC_MAKER, SYNC_JOINER, PLAY };

struct peer {
    int fd;
    struct buf in;
    struct table *table;
    bool maker, greeted;
};

/* One match at a time, and its two players. */
struct table {
    struct peer peer[2];
    enum stage stage;
    char match[ID_HEX];
    unsigned mover, orders;
    bool turned; /* the next is the undo */
    int64_t head;
    uint64_t asked_ns;
};

struct load {
    int epoll;
    unsigned port, n_tables;
    struct table *table;
    int64_t each, to_fill, filled; /* orders a match; matches wanted and made; 0: for a time */
    uint64_t until_ns, n, playing;
    bool measuring, done;
    uint32_t *sample_us;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    CHECK(clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static NORETURN void die(const char *what, const char *line)
{
    (void)fprintf(stderr, "journal: %s: %.400s\n", what, line);
    exit(1);
}

static void send_text(const struct peer *p, struct buf *b)
{
    size_t at = 0;

    buf_putc(b, '\n');
    while (at < b->len) {
        const ssize_t n = write(p->fd, b->data + at, b->len - at);

        if (n < 0 && errno != EINTR)
            die("write", strerror(errno));
        at += n > 0 ? (size_t)n : 0;
    }
    buf_fini(b);
}

static PRINTF_LIKE(3, 4) void ask(const struct peer *p, const char *method, const char *fmt, ...)
{
    struct buf b = BUF_EMPTY;
    va_list ap;

    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{", method);
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    buf_puts(&b, "}}");
    send_text(p, &b);
}

static void create(struct table *t)
{
    t->stage = CREATE;
    t->orders = 0;
    t->turned = false;
    ask(&t->peer[0], "match.create",
        "\"scenario\":\"first-blood\",\"side\":\"red\",\"fair\":\"server\",\"clock\":{\"kind\":"
        "\"none\"}");
}

static void sync_seat(struct table *t, unsigned seat)
{
    t->stage = seat == 0 ? SYNC_MAKER : SYNC_JOINER;
    ask(&t->peer[seat], "match.sync", "\"match\":\"%s\"", t->match);
}

static void give_order(struct table *t)
{
    const char *order = "{\"do\":\"undo\"}";

    if (!t->turned)
        order = t->mover == 0 ? "{\"do\":\"turn\",\"figures\":[\"r1\"],\"face\":\"e\"}"
                              : "{\"do\":\"turn\",\"figures\":[\"n1\"],\"face\":\"e\"}";
    t->stage = PLAY;
    t->asked_ns = now_ns();
    ask(&t->peer[t->mover], "match.order",
        "\"match\":\"%s\",\"order_id\":\"o%u\",\"base\":%lld,\"order\":%s", t->match, t->orders,
        (long long)t->head, order);
    t->turned = !t->turned;
    t->orders++;
}

/* An order's answer is here. */
static void on_played(struct load *l, struct table *t, const struct json *result)
{
    int64_t seq;
    uint64_t now = now_ns();

    if (!json_get_int(result, "seq", &seq))
        die("no seq", "");
    t->head = seq + 1;
    if (l->measuring && now < l->until_ns) {
        if (l->n < SAMPLES)
            l->sample_us[l->n] = (uint32_t)((now - t->asked_ns) / 1000);
        l->n++;
    }
    if (l->to_fill == 0 && now >= l->until_ns && l->measuring) {
        l->done = true;
    } else if ((int64_t)t->orders < l->each) {
        give_order(t);
    } else if (l->to_fill == 0) {
        create(t);
    } else if (++l->filled + (int64_t)l->n_tables <= l->to_fill) {
        create(t);
    } else if (l->filled == l->to_fill) {
        l->done = true;
    }
}

static void on_synced(struct load *l, struct table *t, const struct json *result)
{
    const char *active = NULL;

    if (!json_get_string(json_get(result, "state"), "active", &active)) {
        sync_seat(t, t->stage == SYNC_MAKER ? 0 : 1); /* the first roll is still being saved */
        return;
    }
    if (t->stage == SYNC_MAKER) {
        sync_seat(t, 1);
        return;
    }
    t->mover = str_eq(active, "red") ? 0 : 1;
    if (!json_get_int(result, "head", &t->head))
        die("no head", "");
    l->playing++;
    if (l->each == 0)
        on_played(l, t, result);
    else
        give_order(t);
}

static void on_result(struct load *l, struct table *t, const struct json *result)
{
    const char *id;

    switch (t->stage) {
    case CREATE:
        if (!json_get_string(result, "match", &id) || !str_copy(t->match, ID_HEX, id))
            die("no match", "");
        t->stage = JOIN;
        ask(&t->peer[1], "match.join", "\"match\":\"%s\"", t->match);
        break;
    case JOIN:
        sync_seat(t, 0);
        break;
    case SYNC_MAKER:
    case SYNC_JOINER:
        on_synced(l, t, result);
        break;
    case PLAY:
        on_played(l, t, result);
        break;
    }
}

static void on_line(struct load *l, struct peer *p, const char *line, size_t len)
{
    struct json *j = NULL;
    char why[JSON_WHY_LEN];

    if (str_starts(line, "{\"jsonrpc\":\"2.0\",\"method\""))
        return;
    if (json_parse(line, len, &json_file_limits, &j, why) != ERR_OK ||
        json_get(j, "result") == NULL)
        die("refused", line);
    if (!p->greeted) { /* hello and guest were sent together: the second answer counts */
        p->greeted = json_get(json_get(j, "result"), "token") != NULL;
        if (p->greeted && p->table->peer[0].greeted && p->table->peer[1].greeted)
            create(p->table);
    } else {
        on_result(l, p->table, json_get(j, "result"));
    }
    json_free(j);
}

static void on_readable(struct load *l, struct peer *p)
{
    const ssize_t n = read(p->fd, buf_room(&p->in, 65536), 65536);
    size_t at = 0;
    char *end;

    if (n <= 0)
        die("the server has closed a connection", n < 0 ? strerror(errno) : "");
    p->in.len += (size_t)n;
    while ((end = memchr(p->in.data + at, '\n', p->in.len - at)) != NULL) {
        *end = '\0';
        on_line(l, p, p->in.data + at, (size_t)(end - p->in.data) - at);
        at = (size_t)(end - p->in.data) + 1;
    }
    buf_consume(&p->in, at);
}

static void open_peer(const struct load *l, struct table *t, unsigned seat)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)l->port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct peer *p = &t->peer[seat];
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = p};
    const int on = 1;

    p->table = t;
    p->maker = seat == 0;
    p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->fd < 0 || connect(p->fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
        die("connect", strerror(errno));
    CHECK(setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
    CHECK(epoll_ctl(l->epoll, EPOLL_CTL_ADD, p->fd, &ev) == 0);
    ask(p, "session.hello", "\"protocol\":1,\"client\":\"journal\"");
    ask(p, "session.guest", "%s", "");
}

static void turn_once(struct load *l)
{
    struct epoll_event ev[256];
    const int n = epoll_wait(l->epoll, ev, 256, 30000);

    if (n == 0)
        die("silence", "");
    for (int i = 0; i < n && !l->done; i++)
        on_readable(l, ev[i].data.ptr);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void measure(struct load *l, double seconds)
{
    size_t n;

    l->each = ORDERS_MAX;
    while (l->playing < l->n_tables)
        turn_once(l);
    l->measuring = true;
    l->until_ns = now_ns() + (uint64_t)(seconds * 1e9);
    while (!l->done)
        turn_once(l);
    n = (size_t)MIN(l->n, (uint64_t)SAMPLES);
    CHECK(n > 0);
    qsort(l->sample_us, n, sizeof(*l->sample_us), by_value);
    printf("%.0f %u %u %u\n", (double)l->n / seconds, (unsigned)l->sample_us[n / 2],
           (unsigned)l->sample_us[n - 1 - n / 100], (unsigned)l->sample_us[n - 1]);
}

static void fill(struct load *l, int64_t matches, int64_t each)
{
    l->each = each;
    l->to_fill = matches;
    while (!l->done)
        turn_once(l);
    printf("%lld\n", (long long)l->filled);
}

int main(int argc, char **argv)
{
    static struct load l;
    int64_t port = 0, matches = 0, each = 0, at_once = 50;
    bool filling = argc > 4 && str_eq(argv[3], "fill");

    if (argc < 4 || !str_to_int(argv[1], 1, 65535, &port) ||
        !str_to_int(argv[2], 1, 1000000, &matches) ||
        (filling && !str_to_int(argv[4], 0, ORDERS_MAX, &each)) ||
        (argc > 5 && !str_to_int(argv[5], 1, TABLES_MAX, &at_once)))
        return 64;
    l.port = (unsigned)port;
    l.n_tables = (unsigned)MIN(filling ? MIN(at_once, matches) : matches, (int64_t)TABLES_MAX);
    l.epoll = epoll_create1(EPOLL_CLOEXEC);
    l.table = mem_array(l.n_tables, sizeof(*l.table));
    l.sample_us = mem_array(SAMPLES, sizeof(*l.sample_us));
    l.each = filling ? each : ORDERS_MAX;
    for (unsigned i = 0; i < l.n_tables; i++) {
        memset(&l.table[i], 0, sizeof(l.table[i]));
        open_peer(&l, &l.table[i], 0);
        open_peer(&l, &l.table[i], 1);
    }
    if (filling)
        fill(&l, matches, each);
    else
        measure(&l, strtod(argv[3], NULL));
    for (unsigned i = 0; i < l.n_tables; i++) {
        buf_fini(&l.table[i].peer[0].in);
        buf_fini(&l.table[i].peer[1].in);
    }
    mem_free(l.sample_us);
    mem_free(l.table);
    return 0;
}
