/* SPDX-License-Identifier: ISC
 * game.c -- see game.h. Texts are searched for, not parsed: the client has to be quicker than the
 * server that it measures.
 */
#include "tests/bench/load/game.h"

#include <inttypes.h>

#define SYNC_ID 5
static const char scenario[] = "first-blood";
static const char entry_mark[] = "\"entry\":{\"seq\":";

static void call(struct link *k, int id, const char *method, const char *params)
{
    link_print(k, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"match.%s\",\"params\":{%s}}\n", id,
               method, params);
}

/* A ready figure of the active side, and a face that it doesn't have. */
static void find_figure(struct game *g, const char *state, unsigned seat)
{
    char want[64], status[16], face[4], id[40];
    const char *at = strstr(state, "\"figures\":[");

    (void)snprintf(want, sizeof(want), "\"side\":\"%s\"", g->side[seat]);
    while (at != NULL && (at = strstr(at, "{\"id\":\"")) != NULL) {
        const char *end = strchr(at, '}');

        text_member(at, "{\"id\":\"", id, sizeof(id));
        text_member(at, "\"status\":\"", status, sizeof(status));
        if (end == NULL)
            break;
        if (strcmp(status, "ready") == 0 && strstr(at, want) != NULL && strstr(at, want) < end) {
            text_member(at, "\"face\":\"", face, sizeof(face));
            memcpy(g->figure[seat], id, sizeof(id));
            g->face[seat] = face[0] == 'n' ? 'e' : 'n';
            return;
        }
        at = end;
    }
    fail("no figure of %s is ready in %s", g->side[seat], state);
}

/* Sync until the game has begun. */
static char *await_start(struct game *g, unsigned seat)
{
    char params[64];
    char *line;

    (void)snprintf(params, sizeof(params), "\"match\":\"%s\"", g->match);
    do {
        call(&g->seat[seat], SYNC_ID, "sync", params);
        line = link_answer(&g->seat[seat], SYNC_ID);
    } while (strstr(line, "\"state\":{") == NULL);
    g->head[seat] = text_int(line, "\"head\":");
    return line;
}

void game_begin(struct load *l, struct game *g, unsigned i)
{
    char params[256], active[40];
    char *line;

    for (unsigned seat = 0; seat < 2; seat++) {
        link_open(l, &g->seat[seat], 2 * i + seat, false);
        link_guest(&g->seat[seat]);
    }
    (void)snprintf(params, sizeof(params),
                   "\"scenario\":\"%s\",\"side\":\"random\",\"clock\":{\"kind\":\"none\"},"
                   "\"fair\":\"server\"",
                   scenario);
    call(&g->seat[0], 3, "create", params);
    text_member(link_answer(&g->seat[0], 3), "\"match\":\"", g->match, sizeof(g->match));
    (void)snprintf(params, sizeof(params), "\"match\":\"%s\"", g->match);
    call(&g->seat[1], 3, "join", params);
    (void)link_answer(&g->seat[1], 3);
    for (unsigned seat = 0; seat < 2; seat++) {
        line = await_start(g, seat);
        text_member(line, seat == 0 ? "\"role\":\"A\",\"side\":\"" : "\"role\":\"B\",\"side\":\"",
                    g->side[seat], sizeof(g->side[seat]));
        text_member(strstr(line, "\"state\":{"), "\"active\":\"", active, sizeof(active));
        find_figure(g, strstr(line, "\"state\":{"), seat);
    }
    g->active = strcmp(active, g->side[0]) == 0 ? 0 : 1;
}

void game_order(struct game *g)
{
    const unsigned a = g->active;
    char order[128] = "{\"do\":\"undo\"}";
    char line[384];
    int n;

    g->ending = g->in_phase >= GAME_PHASE_ORDERS && !g->turned;
    if (g->ending)
        (void)snprintf(order, sizeof(order), "{\"do\":\"end_phase\"}");
    else if (!g->turned)
        (void)snprintf(order, sizeof(order),
                       "{\"do\":\"turn\",\"figures\":[\"%s\"],\"face\":\"%c\"}", g->figure[a],
                       g->face[a]);
    n = snprintf(line, sizeof(line),
                 "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"match.order\",\"params\":{\"match\":"
                 "\"%s\",\"order_id\":\"o%" PRIu64 "\",\"base\":%" PRId64 ",\"order\":%s}}\n",
                 g->match, g->orders, MAX(g->head[0], g->head[1]), order);
    g->seq = 0;
    g->sent_ns = now_ns();
    link_send(&g->seat[a], line, (size_t)n);
}

/* An entry that was broadcast. */
static void take_event(struct game *g, unsigned seat, const char *line)
{
    const int64_t seq = text_int(line, entry_mark);
    char side[40];

    if (seq < 0) {
        if (seat == 0 && strstr(line, "\"method\":\"match.presence\"") != NULL)
            g->lookers = text_int(line, "\"spectators\":");
        return;
    }
    g->head[seat] = seq;
    if (seat != g->active || strstr(line, "\"kind\":\"phase\"") == NULL)
        return;
    text_member(strstr(line, "\"kind\":\"phase\""), "\"side\":\"", side, sizeof(side));
    g->ending = false; /* it is here */
    g->in_phase = 0;
    g->active = strcmp(side, g->side[0]) == 0 ? 0 : 1;
}

static void take_answer(struct game *g, const char *line)
{
    const int64_t seq = text_int(line, "\"result\":{\"seq\":");

    if (strstr(line, "\"reason\":\"stale\"") != NULL) { /* the batch isn't all here yet */
        g->head[g->active] = text_int(line, "\"head\":");
        game_order(g);
        return;
    }
    if (seq < 0)
        fail("refused: %s", line);
    g->seq = seq;
    g->orders++;
    if (g->ending)
        return;
    g->in_phase++;
    g->turned = !g->turned;
}

bool game_take(struct game *g, unsigned seat)
{
    static const char answer[] = "{\"jsonrpc\":\"2.0\",\"id\":9,";
    const bool mine = seat == g->active;
    const char *line;

    (void)link_fill(&g->seat[seat]);
    while ((line = link_line(&g->seat[seat])) != NULL) {
        if (strncmp(line, answer, sizeof(answer) - 1) == 0)
            take_answer(g, line);
        else
            take_event(g, seat, line);
    }
    if (!mine || g->sent_ns == 0 || g->seq == 0 || g->ending || g->head[seat] <= g->seq)
        return false;
    return true;
}

bool game_is_even(const struct game *g)
{
    return g->head[0] == g->head[1];
}

void game_next_phase(struct game *g)
{
    const unsigned asked = g->active;

    if (g->in_phase < GAME_PHASE_ORDERS / 2) /* a game has no more than some dozens of phases */
        return;
    if (g->turned)
        fail("a phase can't be ended before the turn is taken back");
    g->in_phase = GAME_PHASE_ORDERS;
    game_order(g);
    while (g->in_phase != 0 || g->seq == 0 || !game_is_even(g)) {
        (void)game_take(g, asked);
        (void)game_take(g, 1 - asked);
    }
    g->sent_ns = 0;
}

void game_watch(struct link *k, const struct game *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        link_print(
            k,
            "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"match.watch\",\"params\":{\"match\":"
            "\"%s\"}}\n",
            10 + i, g[i].match);
    for (unsigned i = 0; i < n; i++)
        (void)link_answer(k, 10 + i);
}
