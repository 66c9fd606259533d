/* SPDX-License-Identifier: ISC
 * words_ground.c -- the board in sentences, for whoever doesn't see it: the ground, a square and
 * what is about it, the forces, and what a step back in the game has changed.
 */
#include "client/words.h"

#include "client/describe.h"
#include "common/base/str.h"

#define ABOUT_SQUARES 8 /* how far `look` looks */

static void put_square(const struct rules_board *b, uint16_t sq, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    buf_puts(out, rules_square_name(b, sq, name));
}

/* ---- the ground ---- */

/* Squares of the board of which `is` is true, runs of a row together: "e8 to g8, j7". */
static void put_runs(const struct rules_board *b, const uint8_t *what, uint8_t value,
                     struct buf *out)
{
    const char *before = "";

    for (unsigned y = b->h; y-- > 0;) {
        for (unsigned x = 0; x < b->w; x++) {
            const unsigned from = x;

            if (what[y * b->w + x] != value)
                continue;
            while (x + 1U < b->w && what[y * b->w + x + 1] == value)
                x++;
            buf_puts(out, before);
            put_square(b, (uint16_t)(y * b->w + from), out);
            if (x > from) {
                buf_puts(out, " to ");
                put_square(b, (uint16_t)(y * b->w + x), out);
            }
            before = ", ";
        }
    }
}

static bool has(const struct rules_board *b, const uint8_t *what, uint8_t value)
{
    return memchr(what, value, (size_t)b->w * b->h) != NULL;
}

static void put_obstacles(const struct rules_board *b, enum rules_obstacle kind, struct buf *out)
{
    const char *before = "";

    for (unsigned sq = 0; sq < (unsigned)b->w * b->h; sq++) {
        static const enum rules_dir ways[] = {RULES_N, RULES_E};

        for (unsigned i = 0; i < ARRAY_LEN(ways); i++) {
            if (rules_obstacle_at(b, (uint16_t)sq, ways[i]) != kind)
                continue;
            if (before[0] == '\0')
                buf_printf(out, "%s: ", obstacle_word(kind));
            buf_puts(out, before);
            put_square(b, (uint16_t)sq, out);
            buf_printf(out, " %s", describe_dir(ways[i]));
            before = ", ";
        }
    }
    if (before[0] != '\0')
        buf_puts(out, ".\n");
}

void words_ground(const struct rules_board *b, struct buf *out)
{
    buf_printf(out, "%u squares from west to east, a to ", b->w);
    put_square(b, (uint16_t)(b->w - 1), out);
    buf_printf(out, ", and %u from south to north. Open where nothing is said.\n", b->h);
    for (unsigned g = RULES_WOODS; g < RULES_GROUND_COUNT; g++) {
        if (!has(b, b->ground, (uint8_t)g))
            continue;
        buf_printf(out, "%s: ", ground_word((enum rules_ground)g));
        put_runs(b, b->ground, (uint8_t)g, out);
        buf_puts(out, ".\n");
    }
    for (unsigned h = 1; h <= 9; h++) {
        if (!has(b, b->height, (uint8_t)h))
            continue;
        buf_printf(out, "height %u: ", h);
        put_runs(b, b->height, (uint8_t)h, out);
        buf_puts(out, ".\n");
    }
    for (unsigned o = RULES_CLEAR + 1; o < RULES_OBSTACLE_COUNT; o++)
        put_obstacles(b, (enum rules_obstacle)o, out);
}

/* ---- a square ---- */

void words_square(const struct scenario *scn, const struct rules_board *b,
                  const struct rules_state *s, uint16_t sq, struct buf *out)
{
    uint8_t there[RULES_STACK_MAX];
    const unsigned n = rules_at(b, s, sq, there);

    put_square(b, sq, out);
    buf_printf(out, ": %s", ground_word((enum rules_ground)b->ground[sq]));
    if (b->height[sq] > 0)
        buf_printf(out, ", height %u", b->height[sq]);
    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        const enum rules_obstacle o = rules_obstacle_at(b, sq, (enum rules_dir)d);

        if (o != RULES_CLEAR)
            buf_printf(out, ", %s %s", obstacle_word(o), describe_dir((enum rules_dir)d));
    }
    for (unsigned i = 0; i < n; i++) {
        buf_puts(out, i == 0 ? "; " : ", ");
        words_id(scn, there[i], out);
        buf_printf(out, " %s %s", type_word((enum rules_type)b->figure[there[i]].type),
                   status_word((enum rules_status)s->status[there[i]]));
    }
}

/* "3 north and 1 east" */
static void put_way(int dx, int dy, struct buf *out)
{
    if (dy != 0)
        buf_printf(out, "%d %s", dy > 0 ? dy : -dy, dy > 0 ? "north" : "south");
    if (dx != 0 && dy != 0)
        buf_puts(out, " and ");
    if (dx != 0)
        buf_printf(out, "%d %s", dx > 0 ? dx : -dx, dx > 0 ? "east" : "west");
}

static int apart(const struct rules_board *b, uint16_t from, uint16_t to, int *dx, int *dy)
{
    *dx = to % b->w - from % b->w;
    *dy = to / b->w - from / b->w;
    return (*dx > 0 ? *dx : -*dx) + (*dy > 0 ? *dy : -*dy);
}

void words_about(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, uint16_t sq, struct buf *out)
{
    bool any = false;
    int dx, dy;

    words_square(scn, b, s, sq, out);
    buf_puts(out, ".");
    for (int far = 1; far <= ABOUT_SQUARES; far++) {
        for (unsigned f = 0; f < b->n_figures; f++) {
            if (s->at[f] == RULES_NO_SQUARE || apart(b, sq, s->at[f], &dx, &dy) != far)
                continue;
            buf_puts(out, any ? "; " : " From there: ");
            words_id(scn, f, out);
            buf_puts(out, " at ");
            put_square(b, s->at[f], out);
            buf_printf(out, " facing %s, ", describe_dir((enum rules_dir)s->face[f]));
            put_way(dx, dy, out);
            any = true;
        }
    }
    if (any)
        buf_putc(out, '.');
    else
        buf_printf(out, " Nobody is within %d squares of it.", ABOUT_SQUARES);
}

/* ---- the forces ---- */

void words_force(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, enum rules_side side, struct buf *out)
{
    buf_printf(out, "%s:\n", scn->side[side].name);
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side != side)
            continue;
        words_figure(scn, s, f, out);
        buf_printf(out, ", %s", type_word((enum rules_type)b->figure[f].type));
        if (s->at[f] != RULES_NO_SQUARE)
            buf_printf(out, ", %s", status_word((enum rules_status)s->status[f]));
        if (s->at[f] != RULES_NO_SQUARE && b->stack > 1)
            buf_printf(out, ", rank %u", s->rank[f]);
        buf_puts(out, ".\n");
    }
}

void words_change(const struct scenario *scn, const struct rules_board *b,
                  const struct rules_state *before, const struct rules_state *now, struct buf *out)
{
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (before->at[f] == now->at[f] && before->face[f] == now->face[f] &&
            before->status[f] == now->status[f])
            continue;
        buf_putc(out, ' ');
        words_figure(scn, now, f, out);
        if (now->at[f] != RULES_NO_SQUARE)
            buf_printf(out, ", %s", status_word((enum rules_status)now->status[f]));
        buf_puts(out, " again.");
    }
}
