/* SPDX-License-Identifier: ISC
 * peer.c -- load peer: one event to many readers, as others do it: the raw reference (`raw`), Redis,
 * NATS, MQTT (mosquitto), wesnothd's lobby chat. A round is WIDTH events sent at once, and ends when
 * each reader has all of them.
 */
#include <arpa/inet.h>
#include <sys/epoll.h>
#define ZLIB_CONST
#include <zlib.h>

#include "common/base/mem.h"
#include "tests/bench/load/load.h"

enum { EVENTS = 1024, READ_BYTES = 65536, TEXT_BYTES = 4096, QUIET_MS = 200, PATIENCE_MS = 30000 };

struct peer_load;
struct dialect {
    const char *name;
    void (*enter)(struct link *k, unsigned i); /* log in and subscribe */
    void (*event)(struct buf *out, const char *text, size_t len);
};

struct peer_load {
    const struct dialect *d;
    struct link *link; /* readers, then the one who writes */
    size_t *got;
    unsigned n, full;
    struct buf event;
    size_t event_bytes; /* as a reader gets it */
    char room[READ_BYTES];
};

static void await_text(struct link *k, const char *text)
{
    while (strstr(link_wait_line(k), text) == NULL)
        continue;
}

/* Wait for `n` bytes and drop them. */
static const unsigned char *await_bytes(struct link *k, size_t n)
{
    while (k->in.len - k->used < n)
        (void)link_fill(k);
    k->used += n;
    return (const unsigned char *)k->in.data + k->used - n;
}

/* ---- the raw reference ---- */

static void raw_enter(struct link *k, unsigned i)
{
    (void)i;
    link_print(k, "S\n");
    await_text(k, "ok");
}

static void raw_event(struct buf *out, const char *text, size_t len)
{
    buf_put(out, text, len - 1);
    buf_putc(out, '\n');
}

/* ---- Redis ---- */

static void redis_enter(struct link *k, unsigned i)
{
    (void)i;
    link_print(k, "*2\r\n$9\r\nSUBSCRIBE\r\n$2\r\nch\r\n");
    await_text(k, ":1");
}

static void redis_event(struct buf *out, const char *text, size_t len)
{
    buf_printf(out, "*3\r\n$7\r\nPUBLISH\r\n$2\r\nch\r\n$%zu\r\n", len);
    buf_put(out, text, len);
    buf_puts(out, "\r\n");
}

/* ---- NATS ---- */

static void nats_enter(struct link *k, unsigned i)
{
    (void)i;
    link_print(k, "CONNECT {\"verbose\":false}\r\nSUB ch 1\r\nPING\r\n");
    await_text(k, "PONG");
}

static void nats_event(struct buf *out, const char *text, size_t len)
{
    buf_printf(out, "PUB ch %zu\r\n", len);
    buf_put(out, text, len);
    buf_puts(out, "\r\n");
}

/* ---- MQTT 3.1.1 ---- */

static void mqtt_enter(struct link *k, unsigned i)
{
    char id[8];
    const char subscribe[] = "\x82\x07\0\1\0\2ch\0";

    (void)snprintf(id, sizeof(id), "c%05u", i % 100000);
    link_send(k, "\x10\x12\0\4MQTT\4\2\0\0\0\6", 14);
    link_send(k, id, 6);
    (void)await_bytes(k, 4); /* CONNACK */
    link_send(k, subscribe, sizeof(subscribe) - 1);
    (void)await_bytes(k, 5); /* SUBACK */
}

static void mqtt_event(struct buf *out, const char *text, size_t len)
{
    size_t rest = len + 4;

    buf_putc(out, 0x30);
    for (; rest > 127; rest >>= 7)
        buf_putc(out, (char)((rest & 127) | 128));
    buf_putc(out, (char)rest);
    buf_put(out, "\0\2ch", 4);
    buf_put(out, text, len);
}

/* ---- wesnothd: gzip'd WML behind its length ---- */

static void wml_put(struct buf *out, const char *text, size_t len)
{
    unsigned char room[2 * TEXT_BYTES];
    z_stream z = {.next_in = (const Bytef *)text,
                  .avail_in = (uInt)len,
                  .next_out = room,
                  .avail_out = sizeof(room)};
    uint32_t n;

    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END)
        fail("gzip");
    n = htonl((uint32_t)z.total_out);
    buf_put(out, &n, sizeof(n));
    buf_put(out, room, z.total_out);
    (void)deflateEnd(&z);
}

static void wml_say(struct link *k, const char *text)
{
    struct buf b = BUF_EMPTY;

    wml_put(&b, text, strlen(text));
    link_send(k, b.data, b.len);
    buf_fini(&b);
}

static void wml_await(struct link *k)
{
    const unsigned char *p = await_bytes(k, 4);

    (void)await_bytes(k, (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3]);
}

static void wesnoth_enter(struct link *k, unsigned i)
{
    char text[128];

    link_send(k, "\0\0\0\0", 4);
    (void)await_bytes(k, 4);
    wml_await(k); /* [version] */
    wml_say(k, "[version]\nversion=\"1.16.9\"\n[/version]\n");
    wml_await(k); /* [mustlogin] */
    (void)snprintf(text, sizeof(text),
                   "[login]\nselective_ping=\"1\"\nusername=\"b%u\"\n[/login]\n", i);
    wml_say(k, text);
    wml_await(k); /* [join_lobby] */
}

static void wesnoth_event(struct buf *out, const char *text, size_t len)
{
    char wml[TEXT_BYTES];
    const int n = snprintf(
        wml, sizeof(wml), "[message]\nmessage=\"%.*s\"\nroom=\"lobby\"\nsender=\"b\"\n[/message]\n",
        (int)MIN(len, (size_t)240), text);

    wml_put(out, wml, (size_t)n);
}

static const struct dialect dialects[] = {
    {"raw", raw_enter, raw_event},
    {"redis", redis_enter, redis_event},
    {"nats", nats_enter, nats_event},
    {"mqtt", mqtt_enter, mqtt_event},
    {"wesnoth", wesnoth_enter, wesnoth_event},
};

/* ---- the load ---- */

static struct link *writer(struct peer_load *p)
{
    return &p->link[p->n];
}

/* Read all away that is here, and that comes before it is quiet for so long. */
static void settle(struct load *l, struct peer_load *p, int quiet_ms)
{
    struct epoll_event ev[EVENTS];
    int n;

    while ((n = epoll_wait(l->epoll, ev, EVENTS, quiet_ms)) > 0)
        for (int k = 0; k < n; k++)
            (void)link_read(&p->link[ev[k].data.u32], p->room, sizeof(p->room));
}

static void publish(struct peer_load *p, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        link_send(writer(p), p->event.data, p->event.len);
}

/* How long one event is for a reader. */
static void measure(struct load *l, struct peer_load *p)
{
    struct epoll_event ev[EVENTS];
    int n;

    settle(l, p, QUIET_MS);
    publish(p, 1);
    while ((n = epoll_wait(l->epoll, ev, EVENTS, p->event_bytes > 0 ? QUIET_MS : PATIENCE_MS)) > 0)
        for (int k = 0; k < n; k++) {
            const unsigned i = ev[k].data.u32;
            const size_t got = link_read(&p->link[i], p->room, sizeof(p->room));

            if (i == 0)
                p->event_bytes += got;
        }
    if (p->event_bytes == 0)
        fail("%s delivers nothing", p->d->name);
}

static void *peer_setup(struct load *l, char **arg)
{
    struct peer_load *p = mem_zalloc(sizeof(*p));
    char text[TEXT_BYTES];
    const size_t len = (size_t)strtoul(arg[2], NULL, 10);

    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (strcmp(dialects[i].name, arg[0]) == 0)
            p->d = &dialects[i];
    p->n = (unsigned)strtoul(arg[1], NULL, 10);
    if (p->d == NULL || len == 0 || len > sizeof(text))
        fail("no such dialect, or a bad length");
    p->link = mem_array(p->n + 1, sizeof(*p->link));
    p->got = mem_array(p->n + 1, sizeof(*p->got));
    memset(text, 'x', sizeof(text));
    p->d->event(&p->event, text, len);
    for (unsigned i = 0; i <= p->n; i++) {
        link_open(l, &p->link[i], i, false);
        if (i < p->n || p->d->event == mqtt_event || p->d->event == wesnoth_event)
            p->d->enter(&p->link[i], i);
        buf_fini(&p->link[i].in);
        p->link[i].used = 0;
        link_watch(l, &p->link[i], i);
    }
    measure(l, p);
    return p;
}

static void round_run(struct load *l, struct peer_load *p, unsigned width, struct window *w)
{
    const size_t want = p->event_bytes * width;
    const uint64_t began = now_ns();
    struct epoll_event ev[EVENTS];

    memset(p->got, 0, (p->n + 1) * sizeof(*p->got));
    p->full = 0;
    publish(p, width);
    while (p->full < p->n) {
        const int n = epoll_wait(l->epoll, ev, EVENTS, 0);

        for (int k = 0; k < n; k++) {
            const unsigned i = ev[k].data.u32;
            const size_t got = link_read(&p->link[i], p->room, sizeof(p->room));

            w->bytes += got;
            if (i < p->n && p->got[i] < want && p->got[i] + got >= want)
                p->full++;
            p->got[i] += got;
        }
    }
    window_sample(w, began);
    w->n += (uint64_t)p->n * width;
}

static void peer_run(struct load *l, void *self, struct window *w)
{
    struct peer_load *p = self;
    const unsigned width = w->width != 0 ? w->width : 1;

    while (now_ns() < w->until_ns)
        round_run(l, p, width, w);
}

/* All that was sent has been read; what else a server says by itself is here or isn't. */
static void peer_idle(struct load *l, void *self)
{
    settle(l, self, 0);
}

const struct kind kind_peer = {.name = "peer",
                               .usage = "raw|redis|nats|mqtt|wesnoth READERS BYTES",
                               .args = 3,
                               .setup = peer_setup,
                               .run = peer_run,
                               .idle = peer_idle};
