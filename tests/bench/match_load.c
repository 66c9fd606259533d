/* SPDX-License-Identifier: ISC
 * match_load.c -- how long the referee takes to recover many open matches, and what they weigh.
 *
 * One match is played with server dice for some orders; its rows are loaded again and again.
 * Usage: match_load [matches] [orders each]
 */
#include <malloc.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/match.h"

struct shelf {
    struct buf row, lines, timers, snap;
    uint32_t snap_seq;
};

static void put(struct buf *b, const struct store_op *op, bool append)
{
    if (!append)
        buf_reset(b);
    buf_put(b, op->data, op->len);
}

static void store(struct match *m, struct match_step *st, struct shelf *s)
{
    struct match_applied applied;

    for (size_t i = 0; i < st->n; i++) {
        const struct store_op *op = &st->op[i];

        if (op->kind == STORE_ENTRIES) {
            put(&s->lines, op, true);
            buf_reset(&s->timers);
            buf_put(&s->timers, op->data + op->len, op->timers_len);
        }
        if (op->kind == STORE_MATCH_NEW || op->kind == STORE_MATCH_SET)
            put(&s->row, op, false);
        if (op->kind == STORE_SNAPSHOT) {
            put(&s->snap, op, false);
            s->snap_seq = op->seq;
        }
    }
    match_step_fini(st);
    match_stored(m, true, &applied);
}

static void settle(struct match *m, struct match_now now, struct match_step *st, struct shelf *s)
{
    if (st->n > 0)
        store(m, st, s);
    while (match_next(m, now, st))
        store(m, st, s);
}

/* Any figure forward, else the end of the phase. */
static void pick(const struct rules_board *b, const struct rules_state *s, struct rules_order *o)
{
    struct rules_reach *reach = mem_zalloc(sizeof(*reach));

    *o = (struct rules_order){
        .kind = RULES_DO_END_PHASE, .face = RULES_NO_DIR, .exit = RULES_NO_DIR};
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side != s->active || !rules_can_act(b, s, f))
            continue;
        rules_reach(b, s, f, reach);
        if (reach->n_to == 0)
            continue;
        o->kind = RULES_DO_MOVE;
        o->n_figures = 1;
        o->figure[0] = (uint16_t)f;
        o->n_path = reach->to[0].n;
        memcpy(o->path, reach->to[0].path, sizeof(reach->to[0].path));
        break;
    }
    mem_free(reach);
}

static void play(struct match *m, const struct rules_board *b, struct match_now now, unsigned n,
                 struct shelf *s)
{
    for (unsigned i = 0; i < n && match_state(m) == MATCH_LIVE; i++) {
        struct buf id = BUF_EMPTY;
        struct match_step st = {0};
        struct match_order o = {.base = match_head(m)};

        buf_put_int(&id, i);
        o.order_id = buf_str(&id);
        pick(b, match_position(m), &o.order);
        CHECK(match_order(m, match_role_of_side(m, (enum rules_side)match_position(m)->active), &o,
                          now, &st) == ERR_OK);
        settle(m, now, &st, s);
        buf_fini(&id);
    }
}

int main(int argc, char **argv)
{
    int64_t matches = 10000, orders = 100;
    struct scenario_set set;
    const struct scenario *scenario;
    struct rules_board *board;
    struct match_env env = {.kid = 1};
    const struct match_now now = {{1000}, {1700000000000}};
    struct match_setup setup = {
        .no = 1, .fair = FAIR_SERVER, .side = RULES_A, .maker = "alice", .id = {1}};
    struct shelf shelf = {0};
    struct core_match_row row = {.id = {1}};
    struct match_step st = {0};
    struct match *m, **all;
    char why[PLAY_WHY_LEN] = "";
    struct mono from;
    size_t before;

    if ((argc > 1 && !str_to_int(argv[1], 1, 1000000, &matches)) ||
        (argc > 2 && !str_to_int(argv[2], 0, 10000, &orders)))
        return 64;
    scenario_set_init(&set);
    scenario = scenario_set_find(&set, "first-blood");
    CHECK(scenario != NULL);
    board = scenario_board_with(scenario, &scenario->board.readings);
    setup.scenario = scenario;
    setup.board = board;
    match_open(&setup, &env, now, &m, &st);
    settle(m, now, &st, &shelf);
    CHECK(match_join(m, "bob", now, &st) == ERR_OK);
    settle(m, now, &st, &shelf);
    play(m, board, now, (unsigned)orders, &shelf);
    row.data = shelf.row.data;
    row.data_len = shelf.row.len;
    row.snapshot = shelf.snap.data;
    row.snapshot_len = shelf.snap.len;
    row.snapshot_seq = shelf.snap_seq;
    row.lines = shelf.lines.data;
    row.lines_len = shelf.lines.len;
    row.timers = shelf.timers.data;
    row.timers_len = shelf.timers.len;
    all = mem_array((size_t)matches, sizeof(struct match *));
    before = mallinfo2().uordblks;
    from = mono_now();
    for (int64_t i = 0; i < matches; i++)
        CHECK(match_load(&(struct match_load){&row, scenario, board, &env}, now, &all[i], why) ==
              ERR_OK);
    printf("%lld matches of %u entries (snapshot at %u): %lld ms, %zu bytes each\n",
           (long long)matches, match_head(m), shelf.snap_seq,
           (long long)mono_since(mono_now(), from),
           (mallinfo2().uordblks - before) / (size_t)matches);
    for (int64_t i = 0; i < matches; i++)
        match_free(all[i]);
    mem_free(all);
    match_free(m);
    mem_free(board);
    buf_fini(&shelf.row);
    buf_fini(&shelf.lines);
    buf_fini(&shelf.timers);
    buf_fini(&shelf.snap);
    scenario_set_fini(&set);
    return 0;
}
