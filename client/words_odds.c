/* SPDX-License-Identifier: ISC
 * words_odds.c -- what could be done, and how likely it is, in sentences.
 */
#include "client/describe.h"
#include "client/words.h"

void words_odds(struct rules_odds odds, struct buf *out)
{
    for (uint64_t f = 2; f <= 7; f++) {
        while (odds.n > 0 && odds.n % f == 0 && odds.d % f == 0)
            odds = (struct rules_odds){odds.n / f, odds.d / f};
    }
    if (odds.n == 0)
        buf_puts(out, "never");
    else
        buf_printf(out, "%llu in %llu", (unsigned long long)odds.n, (unsigned long long)odds.d);
}

static void put_square(const struct rules_board *b, uint16_t sq, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    buf_puts(out, rules_square_name(b, sq, name));
}

static void put_numbers(const struct rules_aim *aim, struct buf *out)
{
    buf_printf(out, "range %u. Hits on %u or more (", aim->range, aim->to_hit);
    words_odds(rules_odds_hit(aim->to_hit), out);
    buf_printf(out, "), saved on %u or more (", aim->to_save);
    words_odds((struct rules_odds){7U - aim->to_save, 6}, out);
    buf_puts(out, "). Kills ");
    words_odds(rules_odds_kill(aim->to_hit, aim->to_save), out);
    if (aim->n > 1)
        buf_printf(out, " with each of %u shots", aim->n);
    buf_putc(out, '.');
}

/* Whom the shots are aimed at, each once. */
static void put_aims(const struct scenario *scn, const struct rules_aim *aim, struct buf *out)
{
    for (unsigned i = 0; i < aim->n; i++) {
        if (i > 0 && aim->shot[i].at == aim->shot[0].at)
            break; /* the aims go round */
        if (i > 0)
            buf_puts(out, ", ");
        words_id(scn, aim->shot[i].at, out);
    }
}

/* NOLINTNEXTLINE(readability-function-size): the place is three of six parameters */
void words_aim(const struct scenario *scn, const struct rules_board *b, const struct rules_state *s,
               unsigned figure, enum rules_dir face, struct buf *out)
{
    struct rules_refusal no;
    struct rules_aim aim;

    words_id(scn, figure, out);
    if (s->at[figure] == RULES_NO_SQUARE) {
        buf_puts(out, " isn't on the board.");
        return;
    }
    buf_puts(out, " at ");
    put_square(b, s->at[figure], out);
    buf_printf(out, " facing %s ", describe_dir(face));
    if (rules_aim(b, s, s->at[figure], face, &aim, &no) != RULES_OK) {
        buf_printf(out, "has no shot (R%u): ", rules_why_rule((enum rules_why)no.why));
        refusal_words(scn, b, &no, out);
        buf_putc(out, '.');
        return;
    }
    buf_puts(out, "sees ");
    put_aims(scn, &aim, out);
    buf_puts(out, " at ");
    put_square(b, aim.target, out);
    buf_puts(out, ", ");
    put_numbers(&aim, out);
}

void words_reach(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, unsigned figure, struct buf *out)
{
    struct rules_reach reach;

    rules_reach(b, s, figure, &reach);
    words_id(scn, figure, out);
    if (reach.why != RULES_WHY_NONE) {
        const struct rules_refusal no = {
            .why = reach.why, .figure = (uint16_t)figure, .square = RULES_NO_SQUARE};

        buf_printf(out, " can't act (R%u): ", rules_why_rule((enum rules_why)reach.why));
        refusal_words(scn, b, &no, out);
        buf_putc(out, '.');
        return;
    }
    buf_puts(out, reach.n_to == 0 ? " may reach no square" : " may reach");
    for (unsigned i = 0; i < reach.n_to; i++) {
        buf_putc(out, ' ');
        put_square(b, reach.to[i].at, out);
        if (reach.to[i].crosses != 0)
            buf_puts(out, " (crossing)");
    }
    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        if ((reach.exits >> d & 1) != 0)
            buf_printf(out, ", leave by the %s edge", describe_dir((enum rules_dir)d));
    }
    buf_putc(out, '.');
}

void words_legal(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, unsigned figure, struct buf *out)
{
    struct rules_refusal no;
    struct rules_aim aim;
    struct rules_odds melee;

    words_reach(scn, b, s, figure, out);
    if (s->at[figure] == RULES_NO_SQUARE)
        return;
    if (rules_can_act(b, s, figure) &&
        rules_aim(b, s, s->at[figure], (enum rules_dir)s->face[figure], &aim, &no) == RULES_OK) {
        buf_putc(out, ' ');
        words_aim(scn, b, s, figure, (enum rules_dir)s->face[figure], out);
    }
    melee = rules_odds_melee(b, s, figure);
    if (melee.n == 0)
        return;
    buf_puts(out, " If hand-to-hand were fought now, it would fall ");
    words_odds(melee, out);
    buf_putc(out, '.');
}

void words_phases(uint32_t n, struct buf *out)
{
    buf_printf(out, "%u phase%s", n, n == 1 ? "" : "s");
}

void words_span(int64_t ms, struct buf *out)
{
    const long long s = (long long)(MAX(ms, (int64_t)0) / 1000);

    if (s >= 86400)
        buf_printf(out, "%lld d %lld h", s / 86400, s % 86400 / 3600);
    else if (s >= 3600)
        buf_printf(out, "%lld:%02lld:%02lld", s / 3600, s % 3600 / 60, s % 60);
    else
        buf_printf(out, "%lld:%02lld", s / 60, s % 60);
}
