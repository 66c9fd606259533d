/* SPDX-License-Identifier: ISC
 * lib_sim_shadow.c -- a second core recovered from the rows as they are, beside the live one: all
 * rows must be taken, and what it tells a stranger must be what the journal says.
 */
#include "common/base/hex.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

static void step(struct sim *s, struct core *core, struct core_event *ev, struct buf *out);

/* What the core asks of the archive comes at once. */
static void answer_read(struct sim *s, struct core *core, const struct store_read *r,
                        struct buf *out)
{
    struct store_found found = {.err = ERR_OK};
    struct core_event ev = {.kind = CORE_READ, .u.read = {r->id, &found}};

    shelf_read(s, r, true, &found);
    step(s, core, &ev, out);
    store_found_fini(&found);
}

static void step(struct sim *s, struct core *core, struct core_event *ev, struct buf *out)
{
    struct core_effects fx = {NULL, 0, 0};

    ev->now = (struct mono){s->t + s->server.mono_base};
    ev->wall.ms = s->t + s->server.wall_off;
    ev->conn = 1;
    core_step(core, ev, &fx);
    for (size_t i = 0; i < fx.n; i++)
        if (fx.fx[i].kind == CORE_FX_SEND)
            buf_put(out, fx.fx[i].u.bytes->data, fx.fx[i].u.bytes->len);
        else if (fx.fx[i].kind == CORE_FX_READ)
            answer_read(s, core, fx.fx[i].u.read, out);
    core_effects_fini(&fx);
}

static void say(struct sim *s, struct core *core, const char *line, struct buf *out)
{
    struct core_event ev = {.kind = CORE_BYTES, .u.bytes = {line, strlen(line)}};

    buf_reset(out);
    step(s, core, &ev, out);
}

/* The hashes of a sync, against the journal's. */
static void look_at(struct sim *s, struct core *core, const struct sim_ledger *l, struct buf *out)
{
    const struct sim_line *last = &l->line[l->n - 1];
    char line[160], want[128], hex[2 * FD1_LEN + 1];

    (void)snprintf(line, sizeof(line),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"match.watch\",\"params\":{"
                   "\"match\":\"%s\",\"after\":%u}}\n",
                   l->hex, l->n);
    say(s, core, line, out);
    hex_encode(hex, last->hash, FD1_LEN);
    (void)snprintf(want, sizeof(want), "\"head\":%u,\"hash\":\"%s\"", l->n, hex);
    if (strstr(buf_str(out), want) == NULL)
        sim_broken(s, LAW_REPLAY, "match %s: recovery gives another head: %.300s", l->hex,
                   buf_str(out));
    if (!last->has_state)
        return;
    hex_encode(hex, last->state_hash, RULES_HASH_LEN);
    (void)snprintf(want, sizeof(want), "\"state_hash\":\"%s\"", hex);
    if (strstr(buf_str(out), want) == NULL)
        sim_broken(s, LAW_REPLAY, "match %s: recovery gives another position: %.500s", l->hex,
                   buf_str(out));
}

static void look_around(struct sim *s, struct core *core, const struct sim_ledger *torn)
{
    struct core_event ev = {.kind = CORE_ACCEPTED, .u.accepted = {.addr = "::1", .loopback = true}};
    struct buf out = BUF_EMPTY;

    step(s, core, &ev, &out);
    say(s, core,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.hello\",\"params\":{\"protocol\":1,"
        "\"client\":\"x\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session.guest\","
        "\"params\":{}}\n",
        &out);
    sim_hold(s, LAW_RECOVERY, strstr(buf_str(&out), "\"token\"") != NULL,
             "a recovered server takes no guest");
    for (const struct sim_ledger *l = s->ledgers; l != NULL; l = l->next) {
        const struct sim_table *t = l->table;

        if (l != torn && t != NULL && !t->is_private && t->watch == MSG_WATCH_ALL)
            look_at(s, core, l, &out);
    }
    buf_fini(&out);
}

void shadow_look(struct sim *s, const struct sim_ledger *torn)
{
    struct core_config cfg = s->server.cfg;
    unsigned refused = 0;
    struct core *core;

    cfg.seed[0] ^= 1; /* else its first token may be one that the live core made and stored */
    cfg.limits = (struct limits){0};
    cfg.limit_loopback = false;
    torn = torn != NULL && torn->filed ? NULL : torn;
    core = server_shadow(s, &cfg, torn, &refused);
    s->sum.shadows++;
    if (torn == NULL && refused > 0)
        sim_broken(s, LAW_RECOVERY, "%u rows that were committed aren't taken", refused);
    if (torn != NULL && (refused < 1 || refused > 3)) /* itself, and its shares */
        sim_broken(s, LAW_RECOVERY, "a torn journal makes %u rows fall", refused);
    look_around(s, core, torn);
    core_free(core);
}
