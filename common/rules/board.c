/* SPDX-License-Identifier: ISC
 * board.c -- the board and the roster as given: R1 to R7, R45. */
#include "common/rules/rules_internal.h"

/* R7: {open, uphill} by scale and type. */
static const uint8_t allowance[2][RULES_TYPE_COUNT][2] = {
    [RULES_1IN] = {[RULES_IRREGULAR] = {3, 2},
                   [RULES_REGULAR] = {2, 1},
                   [RULES_MOUNTED] = {5, 3},
                   [RULES_CIVILIAN] = {2, 1},
                   [RULES_WAGON] = {2, 0}},
    [RULES_3IN] = {[RULES_IRREGULAR] = {2, 1},
                   [RULES_REGULAR] = {1, 1},
                   [RULES_MOUNTED] = {3, 2},
                   [RULES_CIVILIAN] = {1, 1},
                   [RULES_WAGON] = {1, 0}},
};

unsigned rules_allowance(const struct rules_board *b, unsigned figure, bool uphill)
{
    return allowance[b->scale][b->figure[figure].type][uphill ? 1 : 0];
}

uint16_t rules_step(const struct rules_board *b, uint16_t sq, enum rules_dir dir)
{
    unsigned x = sq % b->w;
    unsigned y = sq / b->w;

    switch (dir) {
    case RULES_N:
        return y + 1 < b->h ? (uint16_t)(sq + b->w) : RULES_NO_SQUARE;
    case RULES_E:
        return x + 1 < b->w ? (uint16_t)(sq + 1) : RULES_NO_SQUARE;
    case RULES_S:
        return y > 0 ? (uint16_t)(sq - b->w) : RULES_NO_SQUARE;
    case RULES_W:
        return x > 0 ? (uint16_t)(sq - 1) : RULES_NO_SQUARE;
    case RULES_NO_DIR:
        break;
    }
    return RULES_NO_SQUARE;
}

enum rules_obstacle rules_obstacle_at(const struct rules_board *b, uint16_t sq, enum rules_dir dir)
{
    uint16_t other = rules_step(b, sq, dir);

    if (other == RULES_NO_SQUARE)
        return RULES_CLEAR;
    switch (dir) {
    case RULES_N:
        return (enum rules_obstacle)b->edge_n[sq];
    case RULES_E:
        return (enum rules_obstacle)b->edge_e[sq];
    case RULES_S:
        return (enum rules_obstacle)b->edge_n[other];
    case RULES_W:
        return (enum rules_obstacle)b->edge_e[other];
    case RULES_NO_DIR:
        break;
    }
    return RULES_CLEAR;
}

bool rules_is_impassable(const struct rules_board *b, uint16_t sq)
{
    return b->ground[sq] >= RULES_BUILDING; /* building, water, vehicle: R3 */
}

unsigned rules_edge_distance(const struct rules_board *b, uint16_t sq, enum rules_dir dir)
{
    unsigned x = sq % b->w;
    unsigned y = sq / b->w;

    switch (dir) {
    case RULES_N:
        return b->h - 1U - y;
    case RULES_E:
        return b->w - 1U - x;
    case RULES_S:
        return y;
    case RULES_W:
        return x;
    case RULES_NO_DIR:
        break;
    }
    return 0;
}

char *rules_put_square(const struct rules_board *b, uint16_t sq, char *at)
{
    unsigned col;
    unsigned row;

    if (sq == RULES_NO_SQUARE) {
        *at++ = '-';
        return at;
    }
    col = sq % b->w;
    row = sq / b->w + 1U;
    if (col >= 26)
        *at++ = (char)('a' + (int)(col / 26 - 1));
    *at++ = (char)('a' + (int)(col % 26));
    if (row >= 10)
        *at++ = (char)('0' + (int)(row / 10));
    *at++ = (char)('0' + (int)(row % 10));
    return at;
}

char *rules_square_name(const struct rules_board *b, uint16_t sq, char out[RULES_SQUARE_NAME])
{
    *rules_put_square(b, sq, out) = '\0';
    return out;
}

uint16_t rules_square_parse(const struct rules_board *b, const char *name)
{
    unsigned col = 0;
    unsigned row = 0;
    unsigned i = 0;

    for (; name[i] >= 'a' && name[i] <= 'z' && i < 2; i++)
        col = col * 26 + (unsigned)(name[i] - 'a') + 1;
    if (i == 0 || name[i] < '1' || name[i] > '9')
        return RULES_NO_SQUARE;
    for (unsigned digits = 0; name[i] >= '0' && name[i] <= '9' && digits < 2; digits++)
        row = row * 10 + (unsigned)(name[i++] - '0');
    if (name[i] != '\0' || col > b->w || row > b->h)
        return RULES_NO_SQUARE;
    return (uint16_t)((row - 1) * b->w + (col - 1));
}

uint16_t rules_figure_find(const struct rules_board *b, const char *id)
{
    for (unsigned f = 0; f < b->n_figures; f++) {
        unsigned i = 0;

        while (b->id[f][i] != '\0' && b->id[f][i] == id[i])
            i++;
        if (b->id[f][i] == id[i])
            return (uint16_t)f;
    }
    return RULES_NO_FIGURE;
}

bool rules_may_exit(const struct rules_board *b, enum rules_side side, enum rules_dir edge)
{
    const struct rules_board_side *bs = &b->side[side];

    for (unsigned i = 0; i < bs->n_wins; i++)
        if (bs->win[i].kind == RULES_WIN_EXIT && bs->win[i].edge == edge)
            return true;
    return false;
}
