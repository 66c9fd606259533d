/* SPDX-License-Identifier: ISC
 * The page of figures: text format 0.0.4 of Prometheus. No label's value comes from a peer.
 */
#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/shell/metrics.h"
#include "server/shell/shell_impl.h"

#define US_PER_S 1000000

static void head(struct buf *b, const char *name, const char *type, const char *help)
{
    buf_printf(b, "# HELP skirmishd_%s %s\n# TYPE skirmishd_%s %s\n", name, help, name, type);
}

static void gauge(struct buf *b, const char *name, const char *help, uint64_t value)
{
    head(b, name, "gauge", help);
    buf_printf(b, "skirmishd_%s %llu\n", name, (unsigned long long)value);
}

static void counter(struct buf *b, const char *name, const char *help, uint64_t value)
{
    head(b, name, "counter", help);
    buf_printf(b, "skirmishd_%s %llu\n", name, (unsigned long long)value);
}

/* A number of microseconds, in seconds. */
static void put_seconds(struct buf *b, uint64_t us)
{
    buf_printf(b, "%llu.%06llu", (unsigned long long)(us / US_PER_S),
               (unsigned long long)(us % US_PER_S));
}

static void histogram(struct buf *b, const char *name, const char *help, const struct hist *h)
{
    uint64_t n = 0;

    head(b, name, "histogram", help);
    for (size_t i = 0; i < HIST_BOUNDS; i++) {
        n += h->n[i];
        buf_printf(b, "skirmishd_%s_bucket{le=\"", name);
        put_seconds(b, hist_bound_us[i]);
        buf_printf(b, "\"} %llu\n", (unsigned long long)n);
    }
    n += h->n[HIST_BOUNDS];
    buf_printf(b, "skirmishd_%s_bucket{le=\"+Inf\"} %llu\nskirmishd_%s_sum ", name,
               (unsigned long long)n, name);
    put_seconds(b, h->sum_us);
    buf_printf(b, "\nskirmishd_%s_count %llu\n", name, (unsigned long long)n);
}

/* ---- the core's ---- */

static void put_refusals(struct buf *b, const struct core_stats *s)
{
    uint64_t by[ERR_COUNT] = {0};

    for (size_t e = 1; e < ERR_COUNT; e++)
        by[e <= ERR_VERSION ? e : ERR_INTERNAL] += s->refused[e];
    head(b, "refusals_total", "counter", "Requests and connections refused, by the wire's reason.");
    for (size_t e = 1; e <= ERR_VERSION; e++)
        buf_printf(b, "skirmishd_refusals_total{reason=\"%s\"} %llu\n", err_reason((enum err)e),
                   (unsigned long long)by[e]);
}

static void put_logins(struct buf *b, const struct core_stats *s)
{
    static const char *const way[] = {[CORE_LOGIN] = "login",
                                      [CORE_REGISTER] = "register",
                                      [CORE_RESUME] = "resume",
                                      [CORE_GUEST] = "guest"};
    _Static_assert(ARRAY_LEN(way) == CORE_LOGINS, "a way to log in without a word");

    head(b, "logins_total", "counter", "Attempts to log in, by way and result.");
    for (size_t i = 0; i < ARRAY_LEN(way); i++)
        for (size_t ok = 0; ok < 2; ok++)
            buf_printf(b, "skirmishd_logins_total{way=\"%s\",result=\"%s\"} %llu\n", way[i],
                       ok != 0 ? "ok" : "failed", (unsigned long long)s->login[i][ok]);
}

static void put_matches(struct buf *b, const struct core_stats *s)
{
    head(b, "matches", "gauge", "Matches in memory, by state.");
    buf_printf(b,
               "skirmishd_matches{state=\"open\"} %llu\n"
               "skirmishd_matches{state=\"live\"} %llu\n"
               "skirmishd_matches{state=\"over\"} %llu\n",
               (unsigned long long)s->matches_open, (unsigned long long)s->matches_live,
               (unsigned long long)s->matches_over);
    head(b, "matches_created_total", "counter", "Matches created, by how their dice are rolled.");
    for (size_t i = 0; i < ARRAY_LEN(s->created); i++)
        buf_printf(b, "skirmishd_matches_created_total{fair=\"%s\"} %llu\n",
                   fair_word((enum fair)i), (unsigned long long)s->created[i]);
    gauge(b, "matches_archived", "Matches in the archive.", s->archived);
    gauge(b, "match_clocks", "Matches in play with a clock.", s->clocks);
}

static void put_core(struct shell *sh, struct buf *b)
{
    struct core_stats s;

    core_stats(sh->core, &s);
    gauge(b, "connections", "Connections that the core serves.", s.conns);
    gauge(b, "users_online", "People who are logged in.", s.users);
    gauge(b, "guests", "Guests in memory, here or away.", s.guests);
    gauge(b, "players", "Connections that follow a match of their own.", s.players);
    gauge(b, "spectators", "Connections that look on at matches.", s.spectators);
    gauge(b, "hashing", "Passwords being hashed, or waiting for it.", s.hashing);
    put_matches(b, &s);
    counter(b, "orders_total", "Orders accepted.", s.orders);
    histogram(b, "order_ack_seconds",
              "From an order's line to its answer, the disk included (to the millisecond).",
              &s.order_ack);
    put_refusals(b, &s);
    put_logins(b, &s);
    counter(b, "turned_away_total", "Connections turned away at the door.", s.turned_away);
    counter(b, "penalties_total", "Penalties given to sources of hostility.", s.penalties);
}

/* ---- the world's ---- */

static void put_net(const struct shell *sh, struct buf *b)
{
    struct net_stats n;

    net_stats(sh->net, &n);
    counter(b, "accepted_total", "Connections accepted.", n.accepted);
    counter(b, "full_total", "Connections refused because all places were taken.", n.refused);
    counter(b, "cut_off_total", "Connections cut off because too much was queued.", n.cut_off);
    counter(b, "tls_failures_total", "Connections whose TLS failed.", n.tls_failed);
    counter(b, "received_bytes_total", "Bytes read from connections.", n.bytes_in);
    counter(b, "sent_bytes_total", "Bytes written to connections.", n.bytes_out);
    counter(b, "writes_total", "System calls that wrote to connections.", n.writes);
    gauge(b, "queue_bytes", "Bytes that wait to be written to connections.", n.queued);
}

static void put_store(const struct shell *sh, struct buf *b)
{
    struct store_stats s = {0};

    if (sh->store != NULL) /* else it is a new program's by now */
        store_stats(sh->store, &s);
    counter(b, "store_groups_total", "Commits to the disk, each of a group of transactions.",
            s.groups);
    counter(b, "store_transactions_total", "Transactions committed.", s.txns);
    counter(b, "store_refused_total", "Transactions refused because the disk was full.", s.refused);
    gauge(b, "store_waiting", "Transactions and questions that the writer hasn't begun.",
          s.waiting);
    gauge(b, "store_full", "1 while the disk is full.", sh->disk_full);
    histogram(b, "commit_seconds", "One commit.", &s.commit);
    histogram(b, "housekeeping_seconds",
              "One round of the database's housekeeping, which commits wait for.", &s.rest);
    histogram(b, "transaction_seconds", "From a transaction's hand-over to its answer.", &s.wait);
    gauge(b, "store_memory_bytes", "Memory of the database's library, its cache for the most part.",
          (uint64_t)MAX(store_sqlite_memory(), INT64_C(0)));
}

static uint64_t resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long long all, resident = 0;

    if (f == NULL)
        return 0;
    if (fscanf(f, "%llu %llu", &all, &resident) != 2) // NOLINT(cert-err34-c): the kernel's numbers
        resident = 0;
    (void)fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t open_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    uint64_t n = 0;

    if (d == NULL)
        return 0;
    while (readdir(d) != NULL)
        n++;
    (void)closedir(d);
    return n >= 3 ? n - 3 : 0; /* ".", ".." and its own */
}

static uint64_t cpu_us(void)
{
    struct rusage u;

    CHECK(getrusage(RUSAGE_SELF, &u) == 0);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * US_PER_S +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void put_process(const struct shell *sh, struct buf *b)
{
    const struct mallinfo2 heap = mallinfo2();

    head(b, "build_info", "gauge", "1, with the program's version.");
    buf_puts(b, "skirmishd_build_info{version=\"" SK_VERSION "\"} 1\n");
    gauge(b, "uptime_seconds", "Since this process began to serve.",
          (uv_now(&sh->loop) - sh->started_ms) / 1000);
    gauge(b, "memory_bytes", "Memory of this process.", resident_bytes());
    gauge(b, "heap_bytes", "Memory in use that was allocated.", heap.uordblks + heap.hblkhd);
    gauge(b, "descriptors", "Descriptors that are open.", open_descriptors());
    gauge(b, "connections_max", "Connections that may be open at once.", sh->max_conns);
    head(b, "cpu_seconds_total", "counter", "Processor time used.");
    buf_puts(b, "skirmishd_cpu_seconds_total ");
    put_seconds(b, cpu_us());
    buf_putc(b, '\n');
}

void shell_metrics_page(void *arg, struct buf *out)
{
    struct shell *sh = arg;

    put_process(sh, out);
    put_core(sh, out);
    put_net(sh, out);
    put_store(sh, out);
}
