/* SPDX-License-Identifier: ISC
 * hash.c -- the canonical form of a position and its SHA-256 (PROTOCOL.md, State). */
#include "common/rules/rules_internal.h"

#include "common/base/sha256.h"

/* Text on its way into the hash. Each line's parts are written from `at` on and return where they
 * end; more_room stands before each that is at most PART_MAX long. */
struct text {
    struct sha256 sha;
    char chunk[1024];
};

enum { PART_MAX = 96 };
_Static_assert(PART_MAX > RULES_ID_LEN + RULES_SQUARE_NAME + 40, "a figure's line");

static char *more_room(struct text *t, char *at)
{
    if (at <= t->chunk + sizeof(t->chunk) - PART_MAX)
        return at;
    sha256_update(&t->sha, t->chunk, (size_t)(at - t->chunk));
    return t->chunk;
}

static char *put_word(char *at, const char *s)
{
    while (*s != '\0')
        *at++ = *s++;
    return at;
}

/* A letter or digit between blanks, or one at a line's end. */
static char *put_two(char *at, char c, char behind)
{
    at[0] = c;
    at[1] = behind;
    return at + 2;
}

static char *put_number(char *at, unsigned v)
{
    char digits[10];
    unsigned n = 0;

    for (; v >= 10; v /= 10)
        digits[n++] = (char)('0' + (int)(v % 10));
    *at++ = (char)('0' + (int)v);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}

static const char dir_letter[] = {
    [RULES_N] = 'n', [RULES_E] = 'e', [RULES_S] = 's', [RULES_W] = 'w', [RULES_NO_DIR] = '-'};
static const char side_letter[] = {[RULES_A] = 'A', [RULES_B] = 'B', [RULES_NOBODY] = '-'};
/* With the blank behind it; but for those that left, where the edge comes between. */
static const struct {
    char text[12];
    unsigned len;
} status_word[RULES_STATUS_COUNT] = {
#define WORD(w)                                                                                    \
    {                                                                                              \
        w, sizeof(w) - 1                                                                           \
    }
    [RULES_READY] = WORD("ready "),     [RULES_ACTED] = WORD("acted "),
    [RULES_HALTED] = WORD("halted "),   [RULES_RETREATING] = WORD("retreating "),
    [RULES_ROUTING] = WORD("routing "), [RULES_DEAD] = WORD("dead "),
    [RULES_LEFT] = WORD("left-"),       [RULES_DUE] = WORD("due "),
#undef WORD
};

/* All of its bytes are copied, and the next word begins over those behind it. */
static char *put_status(char *at, const struct rules_state *s, unsigned f)
{
    memcpy(at, status_word[s->status[f]].text, sizeof(status_word[0].text));
    at += status_word[s->status[f]].len;
    return s->status[f] == RULES_LEFT ? put_two(at, dir_letter[s->left_by[f]], ' ') : at;
}

static char *put_over(char *at, const struct rules_state *s)
{
    if (!rules_is_over(s))
        return put_two(at, '-', '\n');
    if (s->winner != RULES_NOBODY)
        return put_two(at, side_letter[s->winner], '\n');
    return put_word(at, s->reason == RULES_BY_VOID ? "void\n" : "draw\n");
}

static char *put_head(char *at, const struct rules_state *s)
{
    at = put_word(at, "skirmish-state 1 ");
    at = put_number(at, s->turn);
    *at++ = ' ';
    at = put_two(at, side_letter[s->first], ' ');
    at = put_two(at, side_letter[s->active], ' ');
    at = put_two(at, (char)('0' + (s->testing & 1)), ' ');
    at = put_two(at, (char)('0' + (s->testing >> 1 & 1)), ' ');
    return put_over(at, s);
}

static char *put_figure(char *at, const struct rules_board *b, const struct rules_state *s,
                        unsigned f)
{
    at = put_word(at, b->id[f]);
    *at++ = ' ';
    at = rules_put_square(b, s->at[f], at);
    *at++ = ' ';
    at = put_two(at, dir_letter[s->face[f]], ' ');
    at = put_status(at, s, f);
    at = put_number(at, s->rank[f]);
    *at++ = ' ';
    at = put_number(at, s->fell[f]);
    *at++ = '\n';
    return at;
}

static char *put_fired(struct text *t, char *at, const struct rules_board *b,
                       const struct rules_state *s)
{
    const unsigned squares = rules_squares(b);

    at = put_word(more_room(t, at), "fired");
    for (unsigned base = 0; base < squares; base += 64) {
        uint64_t bits = s->fired[base / 64];

        if (squares - base < 64)
            bits &= (UINT64_C(1) << (squares - base)) - 1;
        for (; bits != 0; bits &= bits - 1) {
            at = more_room(t, at);
            *at++ = ' ';
            at = rules_put_square(b, (uint16_t)(base + (unsigned)__builtin_ctzll(bits)), at);
        }
    }
    *at++ = '\n';
    return at;
}

void rules_hash(const struct rules_board *b, const struct rules_state *s,
                uint8_t out[RULES_HASH_LEN])
{
    struct text t;
    char *at;

    sha256_init(&t.sha);
    at = put_head(t.chunk, s);
    for (unsigned f = 0; f < b->n_figures; f++)
        at = put_figure(more_room(&t, at), b, s, f);
    at = put_fired(&t, at, b, s);
    for (unsigned w = 0; w < b->n_waves; w++)
        if (s->wave_edge[w] != RULES_NO_DIR) {
            at = put_word(more_room(&t, at), "wave ");
            at = put_number(at, w);
            *at++ = ' ';
            at = put_two(at, dir_letter[s->wave_edge[w]], '\n');
        }
    sha256_update(&t.sha, t.chunk, (size_t)(at - t.chunk));
    sha256_final(&t.sha, out);
}
