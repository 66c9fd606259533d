/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_core.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/line.h"
#include "proto/scenario.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core_rows.h"

static struct world_conn *find(struct world *w, conn_id id)
{
    for (unsigned i = 0; i < w->n_conns; i++)
        if (w->conn[i].id == id)
            return &w->conn[i];
    check_failed("an effect on a connection that never was", __FILE__, __LINE__);
}

static void note_ops(struct world *w, const struct store_txn *t)
{
    static const char *const words[] = {
        [STORE_MATCH_NEW] = "match_new",   [STORE_MATCH_SET] = "match_set",
        [STORE_ENTRIES] = "entries",       [STORE_SNAPSHOT] = "snapshot",
        [STORE_SHARE] = "share",           [STORE_SHARES_DROP] = "shares_drop",
        [STORE_USER_PUT] = "user_put",     [STORE_USER_DROP] = "user_drop",
        [STORE_TOKEN_PUT] = "token_put",   [STORE_TOKEN_DROP] = "token_drop",
        [STORE_INVITE_PUT] = "invite_put", [STORE_INVITE_DROP] = "invite_drop",
        [STORE_META_PUT] = "meta_put",     [STORE_META_DROP] = "meta_drop",
        [STORE_ARCHIVE] = "archive",       [STORE_RENAME] = "rename",
        [STORE_AUDIT] = "audit",
    };

    for (size_t i = 0; i < t->n; i++) {
        buf_puts(&w->kept, words[t->op[i].kind]);
        if (t->op[i].kind == STORE_ENTRIES)
            buf_printf(&w->kept, " %u+%u", t->op[i].seq, t->op[i].n);
        if (t->op[i].name[0] != '\0')
            buf_printf(&w->kept, " %s", t->op[i].name);
        buf_putc(&w->kept, '\n');
    }
}

static void forget_work(struct world *w)
{
    for (size_t i = 0; i < w->n_txns; i++)
        store_txn_free(w->txn[i]);
    for (size_t i = 0; i < w->n_jobs; i++) {
        mem_free(w->password[i]);
        mem_free(w->hash[i]);
    }
    for (size_t i = 0; i < w->n_reads; i++)
        store_read_free(w->read[i]);
    w->n_txns = w->n_jobs = w->n_reads = 0;
}

void world_restart(struct world *w)
{
    core_free(w->core);
    forget_work(w);
    for (unsigned i = 0; i < w->n_conns; i++)
        w->conn[i].closed = true;
    w->cfg.seed[31]++; /* other entropy than before */
    w->core = core_new(&w->cfg, &w->scenarios, w->now, w->wall);
    rows_load(w);
    core_load_done(w->core);
}

void world_revive(struct world *w, bool kept)
{
    assert_true(w->dead);
    for (size_t i = 0; kept && i < w->n_txns; i++) {
        for (size_t k = 0; k < w->txn[i]->n; k++)
            rows_keep(w, &w->txn[i]->op[k]);
    }
    w->dead = false;
    world_restart(w);
}

static void on_effect(struct world *w, struct core_effect *e)
{
    switch ((enum core_effect_kind)e->kind) {
    case CORE_FX_SEND:
        assert_false(find(w, e->conn)->closed);
        buf_put(&find(w, e->conn)->out, e->u.bytes->data, e->u.bytes->len);
        find(w, e->conn)->slow_at = e->slow_at;
        if (w->n_sends < WORLD_SENDS)
            w->sends[w->n_sends++] = (struct world_send){e->conn, e->u.bytes, e->player};
        break;
    case CORE_FX_CLOSE:
        assert_false(find(w, e->conn)->closed);
        find(w, e->conn)->closed = true;
        break;
    case CORE_FX_PAUSE:
        find(w, e->conn)->paused = true;
        break;
    case CORE_FX_RESUME:
        find(w, e->conn)->paused = false;
        break;
    case CORE_FX_STORE:
        assert_true(w->n_txns < WORLD_WORK);
        w->txn[w->n_txns++] = e->u.txn;
        e->u.txn = NULL;
        break;
    case CORE_FX_READ:
        assert_true(w->n_reads < WORLD_WORK);
        w->read[w->n_reads++] = e->u.read;
        e->u.read = NULL;
        break;
    case CORE_FX_HASH:
        assert_true(w->n_jobs < WORLD_WORK);
        w->job[w->n_jobs] = e->u.hash.job;
        w->password[w->n_jobs] = e->u.hash.password;
        w->hash[w->n_jobs++] = e->u.hash.hash;
        e->u.hash.password = e->u.hash.hash = NULL;
        break;
    case CORE_FX_STOPPED:
        w->stopped = true;
        break;
    case CORE_FX_ADMIN:
        buf_put(&w->told, e->u.bytes->data, e->u.bytes->len);
        break;
    case CORE_FX_JOB:
        assert_true(w->n_shell_jobs < WORLD_WORK);
        w->shell_job[w->n_shell_jobs++] = e->u.job.id;
        w->shell_what = e->u.job.what;
        break;
    case CORE_FX_HELD:
        w->held = true;
        break;
    }
}

static void step_alone(struct world *w, struct core_event *ev)
{
    struct core_effects fx = {NULL, 0, 0};

    if (w->dead)
        return;
    ev->now = w->now;
    ev->wall = w->wall;
    core_step(w->core, ev, &fx);
    for (size_t i = 0; i < fx.n && !w->dead; i++) {
        on_effect(w, &fx.fx[i]);
        w->dead = ++w->effects == w->dies_at;
    }
    core_effects_fini(&fx);
}

/* The oldest transaction ends. */
static void end_txn(struct world *w, enum err e)
{
    struct core_event ev = {.kind = CORE_STORED};
    struct store_txn *t;

    assert_true(w->n_txns > 0);
    t = w->txn[0];
    w->n_txns--;
    memmove(w->txn, w->txn + 1, w->n_txns * sizeof(w->txn[0]));
    ev.u.stored.txn = t->id;
    ev.u.stored.err = e;
    if (e == ERR_OK) {
        note_ops(w, t);
        for (size_t i = 0; i < t->n; i++)
            rows_keep(w, &t->op[i]);
    }
    store_txn_free(t);
    step_alone(w, &ev);
}

static void end_read(struct world *w)
{
    struct store_read *q = w->read[0];
    struct store_found found = {.err = ERR_OK};
    struct core_event ev = {.kind = CORE_READ, .u.read = {q->id, &found}};

    w->n_reads--;
    memmove(w->read, w->read + 1, w->n_reads * sizeof(w->read[0]));
    rows_read(w, q, &found);
    store_read_free(q);
    step_alone(w, &ev);
    store_found_fini(&found);
}

static void answer_all(struct world *w)
{
    while (w->store != STORE_WHEN_TOLD && w->n_txns + w->n_reads > 0 && !w->dead) {
        if (w->n_txns > 0)
            end_txn(w, w->store == STORE_NOW ? ERR_OK : ERR_STORAGE);
        else
            end_read(w);
    }
}

static void step(struct world *w, struct core_event *ev)
{
    step_alone(w, ev);
    answer_all(w);
}

void world_init(struct world *w)
{
    memset(w, 0, sizeof(*w));
    scenario_set_init(&w->scenarios);
    w->cfg = (struct core_config){.server = "skirmishd/test",
                                  .motd = "hello",
                                  .seed = {1, 2, 3},
                                  .master = {9},
                                  .master_kid = 1,
                                  .limits = {.max_conns = 40,
                                             .max_conns_per_addr = 40,
                                             .max_matches = 100,
                                             .max_guests = 100,
                                             .max_watchers = 10},
                                  .vacation_days = 30,
                                  .archive_ms = 24 * 3600 * 1000};
    w->now.ms = 1000;
    w->wall.ms = 1700000000000;
    w->core = core_new(&w->cfg, &w->scenarios, w->now, w->wall);
    core_load_done(w->core);
}

void world_fini(struct world *w)
{
    core_free(w->core);
    for (unsigned i = 0; i < w->n_conns; i++)
        buf_fini(&w->conn[i].out);
    forget_work(w);
    rows_fini(w);
    buf_fini(&w->kept);
    buf_fini(&w->told);
    scenario_set_fini(&w->scenarios);
}

static unsigned connect_as(struct world *w, const char *addr, bool tls, bool loopback)
{
    struct core_event ev = {.kind = CORE_ACCEPTED};

    assert_true(w->n_conns < WORLD_CONNS);
    w->conn[w->n_conns].id = ((conn_id)1 << 32) + w->n_conns;
    ev.conn = w->conn[w->n_conns].id;
    str_copy(ev.u.accepted.addr, sizeof(ev.u.accepted.addr), addr);
    ev.u.accepted.loopback = loopback;
    ev.u.accepted.tls = tls;
    w->n_conns++;
    step(w, &ev);
    return w->n_conns - 1;
}

unsigned world_connect(struct world *w)
{
    return connect_as(w, "127.0.0.1", false, true);
}

unsigned world_connect_from(struct world *w, const char *addr, bool tls)
{
    return connect_as(w, addr, tls, false);
}

void world_send(struct world *w, unsigned conn, const char *bytes)
{
    struct core_event ev = {.kind = CORE_BYTES, .conn = w->conn[conn].id};

    ev.u.bytes.data = bytes;
    ev.u.bytes.len = strlen(bytes);
    step(w, &ev);
}

void world_line(struct world *w, unsigned conn, const char *line)
{
    struct buf b = BUF_EMPTY;

    buf_puts(&b, line);
    buf_putc(&b, '\n');
    world_send(w, conn, buf_str(&b));
    buf_fini(&b);
}

void world_admin(struct world *w, const char *line)
{
    struct core_event ev = {.kind = CORE_ADMIN, .conn = 7, .u.admin = {"root", line, strlen(line)}};

    step(w, &ev);
}

const char *world_told(struct world *w, const char *want)
{
    static char line[8192];
    const char *nl = w->told.len > 0 ? memchr(w->told.data, '\n', w->told.len) : NULL;
    size_t len;

    assert_non_null(nl);
    len = (size_t)(nl - w->told.data);
    assert_true(str_ncopy(line, sizeof(line), w->told.data, len));
    buf_consume(&w->told, len + 1);
    if (strstr(line, want) == NULL)
        fail_msg("%s isn't in %s", want, line);
    return line;
}

void world_job(struct world *w, enum err e, const char *words)
{
    struct core_event ev = {.kind = CORE_JOB, .u.job = {w->shell_job[0], e, words}};

    assert_true(w->n_shell_jobs > 0);
    w->n_shell_jobs--;
    memmove(w->shell_job, w->shell_job + 1, w->n_shell_jobs * sizeof(w->shell_job[0]));
    step(w, &ev);
}

void world_event(struct world *w, unsigned conn, enum core_event_kind kind)
{
    struct core_event ev = {.kind = (uint8_t)kind, .conn = w->conn[conn].id};

    step(w, &ev);
}

void world_wait(struct world *w, int64_t ms)
{
    int64_t end = w->now.ms + ms;

    while (w->now.ms < end) {
        struct core_event ev = {.kind = CORE_TICK};
        int64_t next = MAX(core_deadline(w->core).ms, w->now.ms + 1);

        next = MIN(next, end);
        w->wall.ms += next - w->now.ms;
        w->now.ms = next;
        step(w, &ev);
    }
}

void world_stored(struct world *w, enum err e)
{
    end_txn(w, e);
    answer_all(w);
}

void world_hashed(struct world *w)
{
    struct core_event ev = {.kind = CORE_HASHED};
    struct buf made = BUF_EMPTY;

    assert_true(w->n_jobs > 0);
    buf_printf(&made, "hash of %s", w->password[0]);
    ev.u.hashed.job = w->job[0];
    ev.u.hashed.ok = w->hash[0] == NULL || strcmp(w->hash[0], buf_str(&made)) == 0;
    str_copy(ev.u.hashed.hash, sizeof(ev.u.hashed.hash), buf_str(&made));
    buf_fini(&made);
    mem_free(w->password[0]);
    mem_free(w->hash[0]);
    w->n_jobs--;
    memmove(w->job, w->job + 1, w->n_jobs * sizeof(w->job[0]));
    memmove(w->password, w->password + 1, w->n_jobs * sizeof(w->password[0]));
    memmove(w->hash, w->hash + 1, w->n_jobs * sizeof(w->hash[0]));
    step(w, &ev);
}

void world_stop(struct world *w)
{
    struct core_event ev = {.kind = CORE_STOP};

    ev.u.reason = "test over";
    step(w, &ev);
}

void world_hold(struct world *w, bool on)
{
    struct core_event ev = {.kind = on ? CORE_HOLD : CORE_RELEASE};

    w->held = w->held && on;
    step(w, &ev);
}

const char *world_take(struct world *w, unsigned conn)
{
    static _Thread_local char line[LINE_LIMIT_SERVER + 1];
    struct buf *out = &w->conn[conn].out;
    const char *end = out->len > 0 ? memchr(out->data, '\n', out->len) : NULL;
    size_t n;

    line[0] = '\0';
    if (end == NULL)
        return line;
    n = (size_t)(end - out->data);
    assert_true(n < sizeof(line));
    memcpy(line, out->data, n);
    line[n] = '\0';
    buf_consume(out, n + 1);
    return line;
}

void world_skip(struct world *w, unsigned conn)
{
    buf_reset(&w->conn[conn].out);
}

const char *world_ask(struct world *w, unsigned conn, const char *line, const char *want)
{
    const char *got;

    world_line(w, conn, line);
    do
        got = world_take(w, conn);
    while (got[0] != '\0' && !str_starts(got, "{\"jsonrpc\":\"2.0\",\"id\":"));
    if (strstr(got, want) == NULL)
        fail_msg("%s\n gave %s\n without %s", line, got, want);
    return got;
}

void world_member(const char *line, const char *name, char *out, size_t size)
{
    struct buf key = BUF_EMPTY;
    const char *at;
    const char *end;

    buf_printf(&key, "\"%s\":\"", name);
    at = strstr(line, buf_str(&key));
    if (at == NULL) {
        fail_msg("no %s in %s", name, line);
        return;
    }
    at += key.len;
    end = strchr(at, '"');
    assert_true(str_ncopy(out, size, at, (size_t)(end - at)));
    buf_fini(&key);
}

unsigned world_guest(struct world *w, const char *name)
{
    unsigned conn = world_connect(w);
    struct buf b = BUF_EMPTY;

    world_ask(w, conn,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":"
              "{\"protocol\":1,\"client\":\"test\"}}",
              "\"limits\"");
    buf_printf(&b,
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\",\"params\":"
               "{\"name\":\"%s\"}}",
               name);
    world_ask(w, conn, buf_str(&b), "\"token\"");
    buf_fini(&b);
    world_skip(w, conn);
    return conn;
}
