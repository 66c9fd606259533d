/* SPDX-License-Identifier: ISC
 * balance_words.c -- a balance run in words, and as a drawing.
 */
#include "client/balance.h"

static void put_share(const char *what, uint32_t k, uint32_t n, struct buf *out)
{
    const struct balance_share s = balance_share(k, n);

    buf_printf(out, "  %-28s %5u  %5.1f%%  (%.1f to %.1f)\n", what, k, 100.0 * s.share,
               100.0 * s.low, 100.0 * s.high);
}

static void put_how(const struct balance_tally *t, const struct scenario *scn, struct buf *out)
{
    for (unsigned who = RULES_A; who <= RULES_NOBODY; who++)
        for (unsigned why = 0; why < RULES_REASON_COUNT; why++) {
            struct buf what = BUF_EMPTY;

            if (t->how[who][why] == 0)
                continue;
            buf_printf(&what, "%s by %s", who == RULES_NOBODY ? "drawn" : scn->side[who].name,
                       reason_word((enum rules_reason)why));
            put_share(buf_str(&what), t->how[who][why], t->games, out);
            buf_fini(&what);
        }
}

static void put_bots(const struct balance_tally *t, const struct balance_setup *setup,
                     struct buf *out)
{
    if (!setup->swaps)
        return;
    buf_puts(out, "by bot, sides swapped in every other game\n");
    put_share(bot_level_word(setup->level[0]), t->bot_won[0], t->games, out);
    put_share(bot_level_word(setup->level[1]), t->bot_won[1], t->games, out);
}

void balance_words(const struct balance_tally *t, const struct balance_setup *setup,
                   const struct scenario *scn, double cpu_s, struct buf *out)
{
    struct buf readings = BUF_EMPTY;

    readings_to_json(&setup->board->readings, &readings);
    buf_printf(out, "%s (%s): %u games, %s v %s, seed %llu\nreadings %s\n", scn->title, scn->id,
               t->games, bot_level_word(setup->level[0]), bot_level_word(setup->level[1]),
               (unsigned long long)setup->seed, buf_str(&readings));
    buf_fini(&readings);
    buf_puts(out, "won, with 95% intervals\n");
    put_share(scn->side[RULES_A].name, t->won[RULES_A], t->games, out);
    put_share(scn->side[RULES_B].name, t->won[RULES_B], t->games, out);
    put_share("drawn", t->draws, t->games, out);
    put_bots(t, setup, out);
    buf_puts(out, "of the decided games\n");
    put_share(scn->side[RULES_A].name, t->won[RULES_A], t->games - t->draws, out);
    put_share("the first to move", t->first_won, t->games - t->draws, out);
    buf_puts(out, "how it ended\n");
    put_how(t, scn, out);
    buf_printf(out, "length: half the games between turn %u and %u, median %u, limit %u\n",
               balance_turn_at(t, 25), balance_turn_at(t, 75), balance_turn_at(t, 50),
               setup->board->turns);
    buf_puts(out, "soldiers killed a game:");
    for (unsigned side = RULES_A; side <= RULES_B; side++)
        buf_printf(out, " %s %.1f of %u%s", scn->side[side].name,
                   t->games == 0 ? 0.0 : (double)t->killed[side] / t->games,
                   setup->board->side[side].soldiers, side == RULES_A ? "," : "\n");
    buf_printf(out, "orders a game: %.0f\n", t->games == 0 ? 0.0 : (double)t->orders / t->games);
    if (cpu_s > 0.0)
        buf_printf(out, "speed: %.1f games a second on one core\n", t->games / cpu_s);
}

/* ---- drawing ---- */

#define WIDTH   640
#define BAR_X   180
#define BAR_W   360
#define LINE_H  26
#define GRAPH_H 120

/* `text` where markup may not stand. */
static void put_escaped(const char *text, struct buf *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            buf_printf(out, "&#%d;", *text);
        else
            buf_putc(out, *text);
    }
}

static void put_text(unsigned x, unsigned y, const char *text, struct buf *out)
{
    buf_printf(out, "<text x=\"%u\" y=\"%u\">", x, y);
    put_escaped(text, out);
    buf_puts(out, "</text>\n");
}

/* A share as a bar, its interval as a whisker. */
static void put_bar(unsigned y, const char *what, const struct balance_share *s, const char *colour,
                    struct buf *out)
{
    put_text(10, y + 14, what, out);
    buf_printf(out,
               "<rect x=\"%d\" y=\"%u\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n"
               "<path d=\"M%.1f %uV%uM%.1f %uH%.1fM%.1f %uV%u\" stroke=\"#222\" fill=\"none\"/>\n"
               "<text x=\"%d\" y=\"%u\">%.1f%%</text>\n",
               BAR_X, y, BAR_W * s->share, colour, BAR_X + BAR_W * s->low, y + 3, y + 13,
               BAR_X + BAR_W * s->low, y + 8, BAR_X + BAR_W * s->high, BAR_X + BAR_W * s->high,
               y + 3, y + 13, BAR_X + BAR_W + 20, y + 14, 100.0 * s->share);
}

/* Games by the turn that they ended in. */
static void put_lengths(const struct balance_tally *t, unsigned limit, unsigned y, struct buf *out)
{
    const double step = (double)(WIDTH - 40) / (limit + 1);
    uint32_t most = 1;

    for (unsigned turn = 0; turn <= limit; turn++)
        most = MAX(most, t->turns[turn]);
    for (unsigned turn = 1; turn <= limit; turn++) {
        const double h = (double)GRAPH_H * t->turns[turn] / most;

        buf_printf(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#888\"/>\n",
                   20 + step * turn, y + GRAPH_H - h, step * 0.8, h);
        if (turn % 5 == 0 || turn == 1)
            buf_printf(out, "<text x=\"%.1f\" y=\"%u\">%u</text>\n", 20 + step * turn,
                       y + GRAPH_H + 16, turn);
    }
}

void balance_svg(const struct balance_tally *t, const struct balance_setup *setup,
                 const struct scenario *scn, struct buf *out)
{
    static const char *const colour[] = {"#b5413b", "#3b6fb5", "#999"};
    const unsigned limit = setup->board->turns;
    struct buf title = BUF_EMPTY;
    unsigned y = 50;

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" "
               "height=\"100%%\" fill=\"#fff\"/>\n",
               WIDTH, 50 + 4 * LINE_H + 40 + GRAPH_H + 40);
    buf_printf(&title, "%s: %u games, %s v %s, seed %llu", scn->title, t->games,
               bot_level_word(setup->level[0]), bot_level_word(setup->level[1]),
               (unsigned long long)setup->seed);
    put_text(10, 24, buf_str(&title), out);
    buf_fini(&title);
    for (unsigned who = RULES_A; who <= RULES_NOBODY; who++, y += LINE_H) {
        const struct balance_share s =
            balance_share(who == RULES_NOBODY ? t->draws : t->won[who], t->games);

        put_bar(y, who == RULES_NOBODY ? "drawn" : scn->side[who].name, &s, colour[who], out);
    }
    {
        const struct balance_share s = balance_share(t->first_won, t->games - t->draws);

        put_bar(y, "the first to move", &s, "#5a9a4a", out);
    }
    put_text(10, y + LINE_H + 20, "games by the turn that they ended in", out);
    put_lengths(t, limit, y + LINE_H + 30, out);
    buf_puts(out, "</svg>\n");
}
