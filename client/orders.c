/* SPDX-License-Identifier: ISC
 * orders.c -- the typed language.
 */
#include "client/orders.h"

#include <ctype.h>

#include "common/base/str.h"

#define LINE_MAX_LEN 2048

struct row {
    const char *word, *brief;
    bool order;
    const char *usage, *help;
};
static const struct row rows[] = {
#define X(name, word, brief, order, usage, help) {word, brief, order, usage, help},
    COMMAND_TABLE(X)
#undef X
};
_Static_assert(ARRAY_LEN(rows) == COMMAND_COUNT, "a row for every command");

bool orders_is_order(enum command_kind kind)
{
    return kind < COMMAND_COUNT && rows[kind].order;
}

void orders_help(struct buf *out)
{
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        buf_printf(out, "  %-30s %s\n", rows[i].usage, rows[i].help);
    buf_puts(out, "  FACING is n, e, s or w. FIGURES are ids with commas between; in a 3in game "
                  "figures of one square move as one.\n"
                  "  m r1 exit n leaves the board where the scenario lets you. Words may be "
                  "written in full: move, fire, turn, undo, end.\n");
}

static enum command_kind find(const char *word)
{
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        if (str_ieq(word, rows[i].word) || (rows[i].brief != NULL && str_ieq(word, rows[i].brief)))
            return (enum command_kind)i;
    }
    return COMMAND_COUNT;
}

static bool is_blank(const char *word)
{
    return word == NULL || word[0] == '#';
}

bool orders_kind(const char *line, enum command_kind *kind)
{
    char copy[LINE_MAX_LEN];
    char *at = copy;
    const char *word;

    (void)str_copy(copy, sizeof(copy), line);
    word = str_word(&at);
    *kind = COMMAND_COUNT;
    if (is_blank(word))
        return true;
    *kind = find(word);
    return *kind != COMMAND_COUNT;
}

/* ---- words ---- */

static void lower(char *s)
{
    for (; *s != '\0'; s++)
        *s = (char)tolower((unsigned char)*s);
}

static enum err usage(enum command_kind kind, struct buf *why)
{
    buf_printf(why, "That is written: %s (%s).", rows[kind].usage, rows[kind].help);
    return ERR_USAGE;
}

/* A facing: n, north, ... */
static bool read_face(const char *word, uint8_t *out)
{
    static const char *const full[] = {"north", "east", "south", "west"};

    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        if (str_eq(word, full[d])) {
            *out = (uint8_t)d;
            return true;
        }
    }
    return dir_from_word(word, out);
}

static enum err unknown_figure(const struct orders_place *at, const char *word, struct buf *why)
{
    const char *comma = "";

    buf_printf(why, "There is no figure %.40s; yours are ", word);
    for (unsigned f = 0; f < at->board->n_figures; f++) {
        if (at->board->figure[f].side != at->side || at->state->at[f] == RULES_NO_SQUARE)
            continue;
        buf_printf(why, "%s%s", comma, at->board->id[f]);
        comma = ", ";
    }
    buf_putc(why, '.');
    return ERR_USAGE;
}

/* "r1,r2": one or more figures into the order. */
static enum err read_figures(const struct orders_place *at, char *word, struct rules_order *o,
                             struct buf *why)
{
    char *next = word;

    o->n_figures = 0;
    while (next != NULL) {
        char *comma = strchr(next, ',');
        uint16_t figure;

        if (comma != NULL)
            *comma = '\0';
        figure = rules_figure_find(at->board, next);
        if (figure == RULES_NO_FIGURE)
            return unknown_figure(at, next, why);
        if (o->n_figures == RULES_ORDER_MAX) {
            buf_puts(why, "That is too many figures for one order.");
            return ERR_USAGE;
        }
        o->figure[o->n_figures++] = figure;
        next = comma == NULL ? NULL : comma + 1;
    }
    return ERR_OK;
}

static enum err unknown_square(const struct orders_place *at, const char *word, struct buf *why)
{
    char last[RULES_SQUARE_NAME];

    buf_printf(why, "%.40s is neither a square of this board (a1 to %s) nor a facing.", word,
               rules_square_name(at->board, (uint16_t)(rules_squares(at->board) - 1), last));
    return ERR_USAGE;
}

/* ---- move ---- */

/* The figure of the group that moves least: its way serves all. */
static uint16_t slowest(const struct rules_board *b, const struct rules_order *o)
{
    uint16_t found = o->figure[0];

    for (unsigned i = 1; i < o->n_figures; i++) {
        if (rules_allowance(b, o->figure[i], false) < rules_allowance(b, found, false))
            found = o->figure[i];
    }
    return found;
}

/* Why there is no way to `to`: a reason that reach lists, or it is simply too far. */
static void no_way(const struct orders_place *at, const struct rules_reach *reach, uint16_t figure,
                   uint16_t to, struct rules_refusal *no)
{
    const unsigned w = at->board->w, from = at->state->at[figure];
    const int dx = (int)(to % w) - (int)(from % w), dy = (int)(to / w) - (int)(from / w);

    no->why = RULES_WHY_TOO_FAR;
    no->figure = figure;
    no->square = to;
    no->asked = (uint16_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
    no->allowed = (uint16_t)rules_allowance(at->board, figure, false);
    for (unsigned i = 0; i < reach->n_not; i++) {
        if (reach->no[i].at == to)
            no->why = reach->no[i].why;
    }
    if (no->why == RULES_WHY_TOO_FAR && no->asked <= no->allowed)
        no->asked = (uint16_t)(no->allowed + 1); /* the way round is longer */
}

/* Only the end was given: put the shortest way there, or say why there is none. */
static void find_path(const struct orders_place *at, struct rules_order *o,
                      struct rules_refusal *no)
{
    const uint16_t figure = slowest(at->board, o);
    struct rules_reach reach;

    rules_reach(at->board, at->state, figure, &reach);
    for (unsigned i = 0; i < reach.n_to; i++) {
        if (reach.to[i].at != o->path[0])
            continue;
        o->n_path = reach.to[i].n;
        for (unsigned k = 0; k < reach.to[i].n; k++)
            o->path[k] = reach.to[i].path[k];
        return;
    }
    if (reach.why == RULES_WHY_NONE && o->exit == RULES_NO_DIR &&
        o->path[0] != at->state->at[figure])
        no_way(at, &reach, figure, o->path[0], no);
}

/* The way to the square from which the board is left. */
static void find_exit(const struct orders_place *at, struct rules_order *o,
                      struct rules_refusal *no)
{
    struct rules_reach reach;
    const uint16_t figure = slowest(at->board, o);

    rules_reach(at->board, at->state, figure, &reach);
    if (o->exit == RULES_NO_DIR || (reach.exits >> o->exit & 1) == 0 ||
        reach.exit_via[o->exit] == at->state->at[figure])
        return;
    o->path[0] = reach.exit_via[o->exit];
    o->n_path = 1;
    find_path(at, o, no);
}

/* One word of a move behind the figures: a square, "exit", a facing. */
static enum err read_step(const struct orders_place *at, const char *word, char **line,
                          struct rules_order *o, struct buf *why)
{
    const uint16_t sq = rules_square_parse(at->board, word);

    if (str_eq(word, "exit")) {
        const char *edge = str_word(line);

        if (edge != NULL && read_face(edge, &o->exit))
            return ERR_OK;
        buf_puts(why, "Behind exit stands the edge to leave by: n, e, s or w.");
        return ERR_USAGE;
    }
    if (sq == RULES_NO_SQUARE && !read_face(word, &o->face))
        return unknown_square(at, word, why);
    if (sq != RULES_NO_SQUARE && o->n_path == RULES_ORDER_MAX) {
        buf_puts(why, "That way is too long.");
        return ERR_USAGE;
    }
    if (sq != RULES_NO_SQUARE)
        o->path[o->n_path++] = sq;
    return ERR_OK;
}

static enum err parse_move(const struct orders_place *at, char *line, struct said *out,
                           struct buf *why)
{
    struct rules_order *o = &out->order;
    char *word = str_word(&line);

    o->kind = RULES_DO_MOVE;
    if (word == NULL)
        return usage(COMMAND_MOVE, why);
    if (read_figures(at, word, o, why) != ERR_OK)
        return ERR_USAGE;
    while ((word = str_word(&line)) != NULL) {
        if (read_step(at, word, &line, o, why) != ERR_OK)
            return ERR_USAGE;
    }
    if (o->n_path == 0 && o->exit == RULES_NO_DIR)
        return usage(COMMAND_MOVE, why);
    if (at->state->at[o->figure[0]] == RULES_NO_SQUARE)
        return ERR_OK; /* the rules say so */
    if (o->n_path == 1)
        find_path(at, o, &out->no);
    else if (o->n_path == 0)
        find_exit(at, o, &out->no);
    return ERR_OK;
}

/* ---- the other orders ---- */

static enum err parse_turn(const struct orders_place *at, char *line, struct said *out,
                           struct buf *why)
{
    char *figures = str_word(&line);
    const char *face = str_word(&line);

    out->order.kind = RULES_DO_TURN;
    if (figures == NULL || face == NULL || !read_face(face, &out->order.face) ||
        str_word(&line) != NULL)
        return usage(COMMAND_TURN, why);
    return read_figures(at, figures, &out->order, why);
}

static enum err parse_fire(const struct orders_place *at, char *line, struct said *out,
                           struct buf *why)
{
    struct rules_order *o = &out->order;
    const char *word = str_word(&line), *face = str_word(&line);
    uint16_t figure;

    o->kind = RULES_DO_FIRE;
    if (word == NULL || str_word(&line) != NULL || (face != NULL && !read_face(face, &o->face)))
        return usage(COMMAND_FIRE, why);
    figure = rules_figure_find(at->board, word);
    if (figure != RULES_NO_FIGURE && at->state->at[figure] != RULES_NO_SQUARE) {
        o->square = at->state->at[figure];
        if (face == NULL)
            o->face = at->state->face[figure];
        return ERR_OK;
    }
    if (figure != RULES_NO_FIGURE || face == NULL)
        return figure != RULES_NO_FIGURE ? unknown_figure(at, word, why) : usage(COMMAND_FIRE, why);
    o->square = rules_square_parse(at->board, word);
    return o->square == RULES_NO_SQUARE ? unknown_square(at, word, why) : ERR_OK;
}

/* ---- questions ---- */

static enum err parse_figure(const struct orders_place *at, char *line, struct said *out,
                             struct buf *why)
{
    const char *word = str_word(&line), *face = str_word(&line);

    if (word == NULL)
        return out->kind == COMMAND_LEGAL ? ERR_OK : usage(COMMAND_ODDS, why);
    out->figure = rules_figure_find(at->board, word);
    if (out->figure == RULES_NO_FIGURE)
        return unknown_figure(at, word, why);
    if (face != NULL && !read_face(face, &out->face))
        return usage((enum command_kind)out->kind, why);
    return ERR_OK;
}

static enum err parse_look(const struct orders_place *at, char *line, struct said *out,
                           struct buf *why)
{
    const char *word = str_word(&line);

    if (word == NULL)
        return usage(COMMAND_LOOK, why);
    out->figure = rules_figure_find(at->board, word);
    out->square = out->figure != RULES_NO_FIGURE ? at->state->at[out->figure]
                                                 : rules_square_parse(at->board, word);
    if (out->square != RULES_NO_SQUARE)
        return ERR_OK;
    if (out->figure == RULES_NO_FIGURE)
        return unknown_square(at, word, why);
    buf_puts(why, "That figure isn't on the board.");
    return ERR_USAGE;
}

static enum err parse_log(char *line, struct said *out, struct buf *why)
{
    const char *word = str_word(&line);
    int64_t n = 10;

    if (word != NULL && !str_to_int(word, 1, 10000, &n))
        return usage(COMMAND_LOG, why);
    out->number = (uint16_t)n;
    return ERR_OK;
}

static enum err parse_resign(char *line, struct said *out, struct buf *why)
{
    const char *word = str_word(&line);

    if (word != NULL && !str_eq(word, "yes"))
        return usage(COMMAND_RESIGN, why);
    out->number = word != NULL ? 1 : 0;
    return ERR_OK;
}

static enum err parse_text(const char *line, struct said *out, struct buf *why)
{
    size_t n;

    while (isspace((unsigned char)*line))
        line++;
    n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        n--;
    if (n == 0)
        return usage((enum command_kind)out->kind, why);
    if (!str_ncopy(out->text, sizeof(out->text), line, n)) {
        buf_puts(why, "That is longer than 400 characters.");
        return ERR_USAGE;
    }
    return ERR_OK;
}

static enum err unknown_word(const char *word, struct buf *why)
{
    buf_printf(why, "%.40s is no command; ? lists them all.", word);
    return ERR_USAGE;
}

/* The words behind the first, which is out->kind. `raw`: the same line before it was lowered. */
static enum err parse_rest(const struct orders_place *at, char *line, const char *raw,
                           struct said *out, struct buf *why)
{
    const enum command_kind kind = (enum command_kind)out->kind;

    if ((orders_is_order(kind) || kind == COMMAND_LEGAL || kind == COMMAND_ODDS ||
         kind == COMMAND_LOOK) &&
        at->board == NULL) {
        buf_puts(why, "The match isn't known yet; wait a moment.");
        return ERR_USAGE;
    }
    if (kind == COMMAND_MOVE)
        return parse_move(at, line, out, why);
    if (kind == COMMAND_FIRE)
        return parse_fire(at, line, out, why);
    if (kind == COMMAND_TURN)
        return parse_turn(at, line, out, why);
    if (kind == COMMAND_LEGAL || kind == COMMAND_ODDS)
        return parse_figure(at, line, out, why);
    if (kind == COMMAND_LOOK)
        return parse_look(at, line, out, why);
    if (kind == COMMAND_LOG)
        return parse_log(line, out, why);
    if (kind == COMMAND_RESIGN)
        return parse_resign(line, out, why);
    if (kind == COMMAND_SAY || kind == COMMAND_SAY_ALL)
        return parse_text(raw, out, why);
    if (kind == COMMAND_UNDO)
        out->order.kind = RULES_DO_UNDO;
    if (kind == COMMAND_END)
        out->order.kind = RULES_DO_END_PHASE;
    return ERR_OK;
}

enum err orders_parse(const struct orders_place *at, const char *line, struct said *out,
                      struct buf *why)
{
    char copy[LINE_MAX_LEN];
    char *rest = copy;
    const char *word;

    memset(out, 0, sizeof(*out));
    out->kind = COMMAND_COUNT;
    out->order.face = RULES_NO_DIR;
    out->order.exit = RULES_NO_DIR;
    out->order.square = RULES_NO_SQUARE;
    out->order.side = (uint8_t)at->side;
    out->figure = RULES_NO_FIGURE;
    out->face = RULES_NO_DIR;
    if (!str_copy(copy, sizeof(copy), line)) {
        buf_puts(why, "That line is too long.");
        return ERR_USAGE;
    }
    word = str_word(&rest);
    if (is_blank(word))
        return ERR_OK;
    out->kind = (uint8_t)find(word);
    if (out->kind == COMMAND_COUNT)
        return unknown_word(word, why);
    {
        const char *raw = line + (rest - copy);

        lower(rest);
        return parse_rest(at, rest, raw, out, why);
    }
}

/* ---- back into words ---- */

static void print_figures(const struct scenario *scn, const struct rules_order *o, struct buf *out)
{
    for (unsigned i = 0; i < o->n_figures; i++)
        buf_printf(out, "%c%s", i == 0 ? ' ' : ',', scn->board.id[o->figure[i]]);
}

void orders_print(const struct scenario *scn, const struct rules_order *o, struct buf *out)
{
    static const char *const words[] = {"start", "m", "t", "f", "u", "e"};
    char name[RULES_SQUARE_NAME];

    buf_puts(out, words[o->kind]);
    if (o->kind == RULES_DO_MOVE || o->kind == RULES_DO_TURN)
        print_figures(scn, o, out);
    for (unsigned i = 0; o->kind == RULES_DO_MOVE && i < o->n_path; i++)
        buf_printf(out, " %s", rules_square_name(&scn->board, o->path[i], name));
    if (o->kind == RULES_DO_FIRE)
        buf_printf(out, " %s", rules_square_name(&scn->board, o->square, name));
    if (o->kind == RULES_DO_MOVE && o->exit != RULES_NO_DIR)
        buf_printf(out, " exit %s", dir_word((enum rules_dir)o->exit));
    if (o->face != RULES_NO_DIR && o->kind != RULES_DO_UNDO && o->kind != RULES_DO_END_PHASE)
        buf_printf(out, " %s", dir_word((enum rules_dir)o->face));
}
