/* SPDX-License-Identifier: ISC
 * refusal.c -- why an order is refused, in words for people.
 */
#include "proto/play.h"

/*
 * One sentence a reason. In braces: f figure, t its type, o and u what it may move in the open and
 * uphill, s square, g what lies there, a squares asked, m squares allowed, b the board, n figures
 * that a square holds.
 */
static const char *const words[] = {
    [RULES_WHY_NONE] = "nothing is wrong with it",
    [RULES_WHY_OVER] = "the game is over",
    [RULES_WHY_NOT_YOUR_PHASE] = "it is the other side's phase",
    [RULES_WHY_NO_FIGURE] = "{f} is no figure of yours on the board",
    [RULES_WHY_ACTED] = "{f} has acted this turn; each figure moves or fires once",
    [RULES_WHY_HALTED] = "{f} is halted by its morale for this turn",
    [RULES_WHY_FALLING_BACK] = "{f} is falling back and takes no orders",
    [RULES_WHY_GROUP] = "one order is for figures of one square, each named once",
    [RULES_WHY_NO_PATH] = "a move goes at least one square; to face another way, turn",
    [RULES_WHY_STEP] = "{s} isn't next to the square before it; steps go n, e, s or w",
    [RULES_WHY_TOO_FAR] = "{t} moves {o}, {u} uphill; this way is {a}",
    [RULES_WHY_UPHILL] = "uphill {t} moves {m}; this way climbs and is {a}",
    [RULES_WHY_OFF_BOARD] = "that square isn't on the board; it goes from {b}",
    [RULES_WHY_ENEMY] = "an enemy stands at {s}; a path never enters an enemy's square",
    [RULES_WHY_GROUND] = "{s} is {g}; nobody enters it",
    [RULES_WHY_FULL] = "there is no room at {s}; a square holds {n}, and a wagon stands alone",
    [RULES_WHY_CROSSING] = "crossing an obstacle is the whole move: one step and nothing more",
    [RULES_WHY_WAGON_CROSSING] = "wagons don't cross obstacles",
    [RULES_WHY_WAGON_ROAD] = "a wagon stays on the road",
    [RULES_WHY_EXIT] = "your side can't leave the board there",
    [RULES_WHY_FACE] = "a turn needs a facing: n, e, s or w",
    [RULES_WHY_UNARMED] = "civilians and wagons don't fire",
    [RULES_WHY_NO_SHOOTER] = "nobody of yours in front at {s} faces that way and may still act",
    [RULES_WHY_FIRED] = "{s} has fired this turn; a square fires once",
    [RULES_WHY_NO_TARGET] = "nobody stands that way from {s}",
    [RULES_WHY_BLOCKED] = "no target: {g} at {s} in the line",
    [RULES_WHY_FRIEND] = "no target: {f} at {s} stands in the line",
    [RULES_WHY_TOO_NEAR] = "{f} at {s} is next to it; range 1 is hand-to-hand, at the turn's end",
    [RULES_WHY_OUT_OF_REACH] = "{f} at {s} is {a} away; shots reach {m}",
    [RULES_WHY_NOTHING_TO_UNDO] = "there is no move to take back since the last die or phase",
};
_Static_assert(ARRAY_LEN(words) == RULES_WHY_COUNT, "words for every reason");

static const char *const type_phrases[] = {"an irregular", "a regular", "a mounted figure",
                                           "a civilian", "a wagon"};
_Static_assert(ARRAY_LEN(type_phrases) == RULES_TYPE_COUNT, "a phrase for every type");

/* What lies there; open ground and roads stop nothing but for their height. */
static const char *const ground_phrases[] = {"higher ground", "woods", "higher ground",
                                             "a building",    "water", "a vehicle"};
_Static_assert(ARRAY_LEN(ground_phrases) == RULES_GROUND_COUNT, "a phrase for every ground");

static void put_squares_count(struct buf *out, unsigned n)
{
    buf_printf(out, "%u square%s", n, n == 1 ? "" : "s");
}

static void put_allowance(const struct rules_board *b, const struct rules_refusal *why, bool uphill,
                          struct buf *out)
{
    const unsigned n =
        why->figure < b->n_figures ? rules_allowance(b, why->figure, uphill) : why->allowed;

    if (uphill)
        buf_printf(out, "%u", n);
    else
        put_squares_count(out, n);
}

static void put_board(const struct rules_board *b, struct buf *out)
{
    char last[RULES_SQUARE_NAME];

    buf_printf(out, "a1 to %s", rules_square_name(b, (uint16_t)(rules_squares(b) - 1), last));
}

static void put_square(const struct rules_board *b, uint16_t sq, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    buf_puts(out, sq < rules_squares(b) ? rules_square_name(b, sq, name) : "that square");
}

/* "r1", and what it is called, if anything: "r1 (Lt Dupont)". */
static void put_figure(const struct scenario *scn, unsigned figure, struct buf *out)
{
    buf_puts(out, scn->board.id[figure]);
    if (scn->figure_name[figure] != NULL)
        buf_printf(out, " (%s)", scn->figure_name[figure]);
}

/* What the placeholder `key` stands for, but for the figure. */
static void put_key(char key, const struct rules_board *b, const struct rules_refusal *why,
                    struct buf *out)
{
    const bool figure = why->figure < b->n_figures, square = why->square < rules_squares(b);

    switch (key) {
    case 't':
        buf_puts(out, figure ? type_phrases[b->figure[why->figure].type] : "that figure");
        break;
    case 's':
        put_square(b, why->square, out);
        break;
    case 'g':
        buf_puts(out, square ? ground_phrases[b->ground[why->square]] : "something");
        break;
    case 'o':
    case 'u':
        put_allowance(b, why, key == 'u', out);
        break;
    case 'a':
        buf_put_int(out, why->asked);
        break;
    case 'm':
        put_squares_count(out, why->allowed);
        break;
    case 'b':
        put_board(b, out);
        break;
    case 'n':
        buf_put_int(out, b->stack);
        break;
    default: /* the table above has no others */
        CHECK(key == '\0');
    }
}

void refusal_words(const struct scenario *scn, const struct rules_board *b,
                   const struct rules_refusal *why, struct buf *out)
{
    for (const char *p = words[why->why]; *p != '\0'; p++) {
        if (*p != '{') {
            buf_putc(out, *p);
            continue;
        }
        if (p[1] != 'f')
            put_key(p[1], b, why, out);
        else if (why->figure < b->n_figures)
            put_figure(scn, why->figure, out);
        else
            buf_puts(out, "that");
        p += 2; /* the key; the loop steps over the brace */
    }
}
