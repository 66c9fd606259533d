/* SPDX-License-Identifier: ISC
 * describe.c -- a scenario in words.
 */
#include "client/describe.h"

static const char *const dirs[] = {"north", "east", "south", "west", "no way"};
_Static_assert(ARRAY_LEN(dirs) == RULES_NO_DIR + 1, "a word for every direction");

static const char *const plurals[] = {"irregulars", "regulars", "mounted", "civilians", "wagons"};
_Static_assert(ARRAY_LEN(plurals) == RULES_TYPE_COUNT, "a plural for every type");

const char *describe_dir(enum rules_dir d)
{
    return dirs[d];
}

void describe_figures(const struct rules_board *b, unsigned from, unsigned n, struct buf *out)
{
    unsigned of_type[RULES_TYPE_COUNT] = {0};
    const char *comma = "";

    for (unsigned f = from; f < from + n; f++)
        of_type[b->figure[f].type]++;
    for (unsigned t = 0; t < RULES_TYPE_COUNT; t++) {
        if (of_type[t] == 0)
            continue;
        buf_printf(out, "%s%u %s", comma, of_type[t],
                   of_type[t] == 1 ? type_word((enum rules_type)t) : plurals[t]);
        comma = ", ";
    }
}

static void put_squares(const struct rules_board *b, unsigned list, unsigned n, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    for (unsigned i = 0; i < n; i++)
        buf_printf(out, "%s%s", i == 0 ? "" : ", ", rules_square_name(b, b->list[list + i], name));
}

/* The figures that a condition names, "r1 (Dupont), r2"; returns how many. */
static unsigned put_named(const struct scenario *scn, const struct rules_win *win, struct buf *out)
{
    unsigned n = 0;

    for (unsigned f = 0; f < scn->board.n_figures; f++) {
        if ((win->figures[f / 64] >> (f % 64) & 1) == 0)
            continue;
        buf_printf(out, "%s%s", n == 0 ? "" : ", ", scn->board.id[f]);
        if (scn->figure_name[f] != NULL)
            buf_printf(out, " (%s)", scn->figure_name[f]);
        n++;
    }
    return n;
}

static void put_exit(const struct scenario *scn, const struct rules_win *win, struct buf *out)
{
    struct buf names = BUF_EMPTY;
    const unsigned n = put_named(scn, win, &names);

    if (win->count < n)
        buf_printf(out, "%u of ", win->count);
    buf_printf(out, "%s off the board by the %s edge (at once)", buf_str(&names),
               describe_dir((enum rules_dir)win->edge));
    buf_fini(&names);
}

static void put_hold(const struct rules_board *b, const struct rules_win *win, struct buf *out)
{
    buf_puts(out, "a soldier of its own, not routing, on each of ");
    put_squares(b, win->list, win->n, out);
    if (win->turn == 0)
        buf_puts(out, " at the end of any turn");
    else
        buf_printf(out, " at the end of turn %u", win->turn);
}

static void put_win(const struct scenario *scn, enum rules_side side, const struct rules_win *win,
                    struct buf *out)
{
    const struct rules_board *b = &scn->board;
    const enum rules_side enemy = rules_enemy(side);

    switch ((enum rules_win_kind)win->kind) {
    case RULES_WIN_ELIMINATE:
        buf_printf(out, "no soldier of %s is on the board or still due (at once)",
                   scn->side[enemy].name);
        break;
    case RULES_WIN_KILL:
        put_named(scn, win, out);
        buf_puts(out, " killed (at once)");
        break;
    case RULES_WIN_EXIT:
        put_exit(scn, win, out);
        break;
    case RULES_WIN_HOLD:
        put_hold(b, win, out);
        break;
    case RULES_WIN_BASELINE:
        buf_printf(out,
                   "half of its soldiers or more, not routing, on the baseline of %s in the %s at "
                   "the end of a turn",
                   scn->side[enemy].name, describe_dir((enum rules_dir)b->side[enemy].home));
        break;
    case RULES_WIN_SURVIVE:
        buf_printf(out, "turn %u ends with no other condition met", win->turn);
        break;
    case RULES_WIN_REACH:
        put_named(scn, win, out);
        buf_puts(out, ": one of them on one of ");
        put_squares(b, win->list, win->n, out);
        buf_puts(out, " (at once)");
        break;
    case RULES_WIN_COUNT:
        break;
    }
}

void describe_wins(const struct scenario *scn, enum rules_side side, struct buf *out)
{
    const struct rules_board_side *is = &scn->board.side[side];

    for (unsigned i = 0; i < is->n_wins; i++) {
        buf_printf(out, "  - %s: ", win_word((enum rules_win_kind)is->win[i].kind));
        put_win(scn, side, &is->win[i], out);
        buf_putc(out, '\n');
    }
}

void describe_limit(const struct scenario *scn, struct buf *out)
{
    const struct rules_board *b = &scn->board;

    buf_printf(out, "After turn %u: ", b->turns);
    for (unsigned i = RULES_A; i <= RULES_B; i++) {
        if (b->side[i].limit_winner != 0) {
            buf_printf(out, "victory for %s.\n", scn->side[i].name);
            return;
        }
    }
    buf_puts(out, "a draw.\n");
}

static void put_table(const struct rules_wave *w, struct buf *out)
{
    buf_puts(out, "by the edge that a die gives:");
    for (unsigned face = 1; face <= 6;) {
        const uint8_t edge = w->edge[face - 1];
        unsigned last = face;

        while (last < 6 && w->edge[last] == edge)
            last++;
        if (last > face)
            buf_printf(out, "%s %u-%u %s", face == 1 ? "" : ",", face, last,
                       describe_dir((enum rules_dir)edge));
        else
            buf_printf(out, "%s %u %s", face == 1 ? "" : ",", face,
                       describe_dir((enum rules_dir)edge));
        face = last + 1;
    }
}

void describe_waves(const struct scenario *scn, struct buf *out)
{
    const struct rules_board *b = &scn->board;

    for (unsigned i = 0; i < b->n_waves; i++) {
        const struct rules_wave *w = &b->wave[i];

        buf_printf(out, "  - turn %u, %s: ", w->turn, scn->side[w->side].name);
        describe_figures(b, w->figure, w->n_figures, out);
        buf_putc(out, ' ');
        switch ((enum rules_entry)w->entry) {
        case RULES_ENTRY_SQUARES:
            buf_puts(out, "at ");
            put_squares(b, w->list, w->n, out);
            break;
        case RULES_ENTRY_EDGE:
            buf_printf(out, "by the %s edge", describe_dir((enum rules_dir)w->edge[0]));
            break;
        case RULES_ENTRY_TABLE:
            put_table(w, out);
            break;
        }
        buf_putc(out, '\n');
    }
}

void describe_readings(const struct rules_readings *r, struct buf *out)
{
    if (r->turning != 0)
        buf_puts(out, "  - turning: free, turning in place uses no action\n");
    if (r->melee != 0)
        buf_puts(out, "  - melee: after_each, hand-to-hand at the end of each phase\n");
    if (r->saves != 0)
        buf_puts(out, "  - saves: one, a figure that lost several pairings saves once\n");
    if (r->volley != 0)
        buf_puts(out, "  - volley: all, every figure of a square that faces that way fires\n");
    if (r->roster != 0)
        buf_puts(out, "  - roster: arrived, morale counts only who has been on the board\n");
}
