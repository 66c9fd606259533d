/* SPDX-License-Identifier: ISC
 * hash.c -- the canonical form of a position and its SHA-256 (PROTOCOL.md, State). */
#include "common/rules/rules_internal.h"

#include <string.h>

#include "common/base/sha256.h"

/* Text on its way into the hash. */
struct text {
    struct sha256 sha;
    unsigned n;
    uint8_t chunk[1024];
};

static void put_char(struct text *t, char c)
{
    if (t->n == sizeof(t->chunk)) {
        sha256_update(&t->sha, t->chunk, t->n);
        t->n = 0;
    }
    t->chunk[t->n++] = (uint8_t)c;
}

static void put_word(struct text *t, const char *s)
{
    while (*s != '\0')
        put_char(t, *s++);
}

static void put_number(struct text *t, unsigned v)
{
    char digits[10];
    unsigned n = 0;

    do {
        digits[n++] = (char)('0' + (int)(v % 10));
        v /= 10;
    } while (v > 0);
    while (n > 0)
        put_char(t, digits[--n]);
}

static const char dir_letter[] = {
    [RULES_N] = 'n', [RULES_E] = 'e', [RULES_S] = 's', [RULES_W] = 'w', [RULES_NO_DIR] = '-'};
static const char side_letter[] = {[RULES_A] = 'A', [RULES_B] = 'B', [RULES_NOBODY] = '-'};
static const char *const status_word[RULES_STATUS_COUNT] = {
    [RULES_READY] = "ready",     [RULES_ACTED] = "acted",
    [RULES_HALTED] = "halted",   [RULES_RETREATING] = "retreating",
    [RULES_ROUTING] = "routing", [RULES_DEAD] = "dead",
    [RULES_LEFT] = "left",       [RULES_DUE] = "due"};

static void put_over(struct text *t, const struct rules_state *s)
{
    if (!rules_is_over(s))
        put_char(t, '-');
    else if (s->winner != RULES_NOBODY)
        put_char(t, side_letter[s->winner]);
    else
        put_word(t, s->reason == RULES_BY_VOID ? "void" : "draw");
}

static void put_head(struct text *t, const struct rules_state *s)
{
    put_word(t, "skirmish-state 1 ");
    put_number(t, s->turn);
    put_char(t, ' ');
    put_char(t, side_letter[s->first]);
    put_char(t, ' ');
    put_char(t, side_letter[s->active]);
    put_char(t, ' ');
    put_number(t, s->testing & 1U);
    put_char(t, ' ');
    put_number(t, s->testing >> 1 & 1U);
    put_char(t, ' ');
    put_over(t, s);
    put_char(t, '\n');
}

static void put_figure(struct text *t, const struct rules_board *b, const struct rules_state *s,
                       unsigned f)
{
    char name[RULES_SQUARE_NAME];

    put_word(t, b->id[f]);
    put_char(t, ' ');
    put_word(t, rules_square_name(b, s->at[f], name));
    put_char(t, ' ');
    put_char(t, dir_letter[s->face[f]]);
    put_char(t, ' ');
    put_word(t, status_word[s->status[f]]);
    if (s->status[f] == RULES_LEFT) {
        put_char(t, '-');
        put_char(t, dir_letter[s->left_by[f]]);
    }
    put_char(t, ' ');
    put_number(t, s->rank[f]);
    put_char(t, ' ');
    put_number(t, s->fell[f]);
    put_char(t, '\n');
}

static void put_fired(struct text *t, const struct rules_board *b, const struct rules_state *s)
{
    char name[RULES_SQUARE_NAME];

    put_word(t, "fired");
    for (unsigned sq = 0; sq < rules_squares(b); sq++)
        if (rules_has_fired(s, (uint16_t)sq)) {
            put_char(t, ' ');
            put_word(t, rules_square_name(b, (uint16_t)sq, name));
        }
    put_char(t, '\n');
}

void rules_hash(const struct rules_board *b, const struct rules_state *s,
                uint8_t out[RULES_HASH_LEN])
{
    struct text t;

    t.n = 0;
    sha256_init(&t.sha);
    put_head(&t, s);
    for (unsigned f = 0; f < b->n_figures; f++)
        put_figure(&t, b, s, f);
    put_fired(&t, b, s);
    for (unsigned w = 0; w < b->n_waves; w++)
        if (s->wave_edge[w] != RULES_NO_DIR) {
            put_word(&t, "wave ");
            put_number(&t, w);
            put_char(&t, ' ');
            put_char(&t, dir_letter[s->wave_edge[w]]);
            put_char(&t, '\n');
        }
    sha256_update(&t.sha, t.chunk, t.n);
    sha256_final(&t.sha, out);
}
