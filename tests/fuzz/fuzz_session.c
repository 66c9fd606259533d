/* SPDX-License-Identifier: ISC
 * Whole sessions against the server core: whatever comes, it stands, what it says is strict JSON
 * in whole lines, nothing follows a close, and every line is answered exactly once.
 *
 * Input: lines. `0..3` and text: the connection sends the text as a line; `tN`: N/10 s pass; `s`
 * or `f`: the oldest transaction succeeds or fails; `h`: a password job ends; `eN` its peer ends,
 * `wN` it is slow, `dN` it has drained, `nN` it connects anew. Two guests sit in match 1 and a
 * third looks on when it begins.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/json.h"
#include "proto/line.h"
#include "server/core/core.h"
#include "tests/fuzz/fuzz.h"

enum { CONNS = 4, WORK_MAX = 64 };

struct peer {
    conn_id id;
    struct buf said; /* in the step under way */
    unsigned lines, answers;
    bool closed, slow, ended;
};
struct room {
    struct core *core;
    struct peer peer[CONNS];
    conn_id next_id;
    struct mono now;
    uint64_t txn[WORK_MAX], job[WORK_MAX];
    uint64_t read[WORK_MAX];
    size_t n_txns, n_jobs, n_reads;
};

static void step(struct room *r, struct core_event *ev);

static void check_line(struct peer *p, const char *line, size_t len)
{
    static const char answer[] = "{\"jsonrpc\":\"2.0\",\"id\":";
    char why[JSON_WHY_LEN];

    CHECK(len <= LINE_LIMIT_SERVER);
    if (len > 0 && line[0] == 'T')
        return; /* the plain words to a stranger */
    CHECK(json_scan(line, len, &json_file_limits, why) == ERR_OK);
    if (len >= sizeof(answer) && memcmp(line, answer, sizeof(answer) - 1) == 0)
        p->answers++;
}

static void on_send(struct room *r, const struct core_effect *e)
{
    for (int i = 0; i < CONNS; i++) {
        struct peer *p = &r->peer[i];

        if (p->id != e->conn)
            continue;
        CHECK(!p->closed && e->u.bytes->len > 0);
        buf_put(&p->said, e->u.bytes->data, e->u.bytes->len);
    }
}

/* A step says whole lines. */
static void check_said(struct peer *p)
{
    const char *at = buf_str(&p->said);
    const char *end = at + p->said.len;

    CHECK(at == end || end[-1] == '\n');
    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));

        check_line(p, at, (size_t)(nl - at));
        at = nl + 1;
    }
    buf_fini(&p->said);
}

static void on_effect(struct room *r, const struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
        on_send(r, e);
        break;
    case CORE_FX_CLOSE:
        for (int i = 0; i < CONNS; i++)
            if (r->peer[i].id == e->conn) {
                CHECK(!r->peer[i].closed);
                r->peer[i].closed = true;
            }
        break;
    case CORE_FX_STORE:
        CHECK(r->n_txns < WORK_MAX);
        r->txn[r->n_txns++] = e->u.txn->id;
        break;
    case CORE_FX_READ:
        CHECK(r->n_reads < WORK_MAX);
        r->read[r->n_reads++] = e->u.read->id;
        break;
    case CORE_FX_HASH:
        CHECK(r->n_jobs < WORK_MAX);
        r->job[r->n_jobs++] = e->u.hash.job;
        break;
    case CORE_FX_PAUSE:
    case CORE_FX_RESUME:
    case CORE_FX_STOPPED:
    case CORE_FX_HELD:
    case CORE_FX_ADMIN:
    case CORE_FX_JOB:
        break;
    }
}

static void step(struct room *r, struct core_event *ev)
{
    struct core_effects fx = {NULL, 0, 0};

    ev->now = r->now;
    ev->wall.ms = r->now.ms + INT64_C(1700000000000);
    core_step(r->core, ev, &fx);
    for (size_t i = 0; i < fx.n; i++)
        on_effect(r, &fx.fx[i]);
    core_effects_fini(&fx);
    for (int i = 0; i < CONNS; i++)
        check_said(&r->peer[i]);
}

static void stored(struct room *r, enum err e)
{
    struct core_event ev = {.kind = CORE_STORED};

    if (r->n_txns == 0)
        return;
    ev.u.stored.txn = r->txn[0];
    ev.u.stored.err = e;
    r->n_txns--;
    memmove(r->txn, r->txn + 1, r->n_txns * sizeof(r->txn[0]));
    step(r, &ev);
}

static void hashed(struct room *r)
{
    struct core_event ev = {.kind = CORE_HASHED};

    if (r->n_jobs == 0)
        return;
    ev.u.hashed.job = r->job[0];
    ev.u.hashed.ok = true;
    str_copy(ev.u.hashed.hash, sizeof(ev.u.hashed.hash), "a hash");
    r->n_jobs--;
    memmove(r->job, r->job + 1, r->n_jobs * sizeof(r->job[0]));
    step(r, &ev);
}

/* The archive has nothing. */
static void answered(struct room *r)
{
    struct store_found found = {.err = ERR_OK};
    struct core_event ev = {.kind = CORE_READ};

    if (r->n_reads == 0)
        return;
    ev.u.read.id = r->read[0];
    ev.u.read.found = &found;
    r->n_reads--;
    memmove(r->read, r->read + 1, r->n_reads * sizeof(r->read[0]));
    step(r, &ev);
}

static void say(struct room *r, int i, const char *text, size_t len)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = r->peer[i].id};
    struct buf b = BUF_EMPTY;

    if (r->peer[i].closed || r->peer[i].ended)
        return;
    buf_put(&b, text, len);
    buf_putc(&b, '\n');
    ev.u.bytes.data = b.data;
    ev.u.bytes.len = b.len;
    for (size_t k = 0; k < len; k++)
        if (text[k] != ' ' && text[k] != '\t' && text[k] != '\r') {
            r->peer[i].lines++;
            break;
        }
    step(r, &ev);
    buf_fini(&b);
}

static void connect_anew(struct room *r, int i)
{
    struct core_event ev = {.kind = CORE_ACCEPTED};

    if (r->peer[i].id != 0 && !r->peer[i].closed) {
        struct core_event end = {.kind = CORE_EOF, .conn = r->peer[i].id};

        step(r, &end);
    }
    r->peer[i] = (struct peer){.id = ++r->next_id};
    ev.conn = r->peer[i].id;
    ev.u.accepted.loopback = true;
    step(r, &ev);
}

static void tell(struct room *r, int i, enum core_event_kind kind)
{
    struct core_event ev = {.kind = (uint8_t)kind, .conn = r->peer[i].id};
    struct peer *p = &r->peer[i];

    if (p->closed || (kind == CORE_DRAINED && !p->slow) || (kind == CORE_SLOW && p->slow))
        return;
    p->slow = kind == CORE_SLOW;
    p->ended = p->ended || kind == CORE_EOF;
    step(r, &ev);
}

static void pass(struct room *r, const char *text, size_t len)
{
    struct core_event ev = {.kind = CORE_TICK};
    int64_t tenths = 0;

    for (size_t i = 0; i < len && i < 7 && text[i] >= '0' && text[i] <= '9'; i++)
        tenths = tenths * 10 + (text[i] - '0');
    r->now.ms += tenths * 100;
    step(r, &ev);
}

static void command(struct room *r, const char *line, size_t len)
{
    int who = len > 1 && line[1] >= '0' && line[1] < '0' + CONNS ? line[1] - '0' : 0;

    if (r->n_txns > WORK_MAX - 16) /* the store is never this far behind */
        while (r->n_txns > 0)
            stored(r, ERR_OK);
    if (line[0] >= '0' && line[0] < '0' + CONNS)
        say(r, line[0] - '0', line + 1, len - 1);
    else if (line[0] == 't')
        pass(r, line + 1, len - 1);
    else if (line[0] == 's' || line[0] == 'f')
        stored(r, line[0] == 's' ? ERR_OK : ERR_STORAGE);
    else if (line[0] == 'h')
        hashed(r);
    else if (line[0] == 'n')
        connect_anew(r, who);
    else if (line[0] == 'e' || line[0] == 'w' || line[0] == 'd')
        tell(r, who, line[0] == 'e' ? CORE_EOF : line[0] == 'w' ? CORE_SLOW : CORE_DRAINED);
}

static void run(struct room *r, const char *text, size_t len)
{
    while (len > 0) {
        const char *nl = memchr(text, '\n', len);
        size_t n = nl != NULL ? (size_t)(nl - text) : len;

        if (n > 0)
            command(r, text, n);
        n = MIN(n + 1, len);
        text += n;
        len -= n;
    }
}

static const char opening[] =
    "0{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
    "\"client\":\"f\"}}\n"
    "1{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
    "\"client\":\"f\"}}\n"
    "2{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
    "\"client\":\"f\"}}\n"
    "3{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
    "\"client\":\"f\"}}\n"
    "0{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\",\"params\":{\"name\":\"ann\"}}\n"
    "1{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\",\"params\":{\"name\":\"bob\"}}\n"
    "2{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\",\"params\":{\"name\":\"cleo\"}}\n"
    "0{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"match.create\",\"params\":{\"scenario\":\"first-"
    "blood\","
    "\"side\":\"red\",\"fair\":\"server\",\"clock\":{\"kind\":\"live\",\"main_s\":600,\"phase_s\":"
    "5}}}\n"
    "s\ns\n1{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"match.join\",\"params\":{\"match\":1}}"
    "\ns\ns\n"
    "0{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"match.sync\",\"params\":{\"match\":1}}\n"
    "1{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"match.sync\",\"params\":{\"match\":1}}\n"
    "2{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"match.watch\",\"params\":{\"match\":1}}"
    "\ns\ns\ns\ns\ns\ns\n";

static const struct core_config config = {.server = "skirmishd/fuzz",
                                          .motd = "",
                                          .limits = {.max_conns = 8,
                                                     .max_conns_per_addr = 8,
                                                     .max_matches = 50,
                                                     .max_guests = 50,
                                                     .max_watchers = 2}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario_set scenarios; /* read once: no input changes it */
    struct room r = {.now = {1000}};

    if (scenarios.len == 0)
        scenario_set_init(&scenarios);
    r.core = core_new(&config, &scenarios, r.now, (struct wall){INT64_C(1700000000000)});
    core_load_done(r.core);
    for (int i = 0; i < CONNS; i++)
        connect_anew(&r, i);
    run(&r, opening, sizeof(opening) - 1);
    run(&r, (const char *)data, size);
    for (int i = 0; i < CONNS; i++)
        tell(&r, i, CORE_DRAINED);
    while (r.n_txns > 0 || r.n_jobs > 0 || r.n_reads > 0) {
        stored(&r, ERR_OK);
        hashed(&r);
        answered(&r);
    }
    for (int i = 0; i < CONNS; i++)
        CHECK(r.peer[i].closed ? r.peer[i].answers <= r.peer[i].lines
                               : r.peer[i].answers == r.peer[i].lines);
    core_free(r.core);
    return 0;
}
