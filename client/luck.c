/* SPDX-License-Identifier: ISC
 * luck.c -- what each side rolled against what was to be expected.
 *
 * The distribution is built die by die (successes of unequal chances, or sums of d6), which is
 * exact but for rounding.
 */
#include "client/luck.h"

#include "common/base/mem.h"

static const char *const words[] = {"shots that hit", "saves made", "hand-to-hand dice",
                                    "morale dice", "initiative dice"};
_Static_assert(ARRAY_LEN(words) == LUCK_KIND_COUNT, "words for every kind");

static bool is_sum(enum luck_kind kind)
{
    return kind >= LUCK_MELEE;
}

static void count(struct luck *l, unsigned side, enum luck_kind kind, unsigned got, unsigned of_six)
{
    struct luck_row *r = &l->row[side][kind];

    if (r->n == LUCK_MAX)
        return;
    r->of_six[r->n++] = (uint8_t)of_six;
    r->got += got;
}

static void count_volley(struct luck *l, const struct audit *a, const struct rules_event *ev)
{
    for (unsigned i = 0; i < ev->u.volley.n; i++) {
        const struct rules_shot *shot = &ev->u.volley.shot[i];
        const unsigned side = a->board->figure[shot->figure].side;

        if (shot->die == 0)
            continue;
        count(l, side, LUCK_HITS, shot->hit, 7U - ev->u.volley.to_hit);
        if (shot->hit != 0)
            count(l, side == RULES_A ? RULES_B : RULES_A, LUCK_SAVES, shot->killed == 0,
                  7U - ev->u.volley.to_save);
    }
}

static void count_melee(struct luck *l, const struct audit *a, const struct rules_event *ev,
                        const union rules_item *items)
{
    const union rules_item *it = &items[ev->u.melee.item];

    for (unsigned i = 0; i < ev->u.melee.n_dice; i++, it++)
        count(l, a->board->figure[it->die.figure].side, LUCK_MELEE, it->die.die, 0);
    it += ev->u.melee.n_pairings;
    for (unsigned i = 0; i < ev->u.melee.n_saves; i++, it++)
        count(l, a->board->figure[it->save.figure].side, LUCK_SAVES, it->save.saved, 3);
}

void luck_entry(struct luck *l, const struct audit *a)
{
    const struct rules_event *ev = &a->last.u.play.event;
    const union rules_item *items = a->last.u.play.items;

    if (a->last.kind != ENTRY_PLAY)
        return;
    if (ev->kind == RULES_EV_VOLLEY)
        count_volley(l, a, ev);
    if (ev->kind == RULES_EV_MELEE)
        count_melee(l, a, ev, items);
    if (ev->kind == RULES_EV_MORALE)
        count(l, a->board->figure[ev->u.morale.figure].side, LUCK_MORALE, ev->u.morale.die, 0);
    for (unsigned i = 0; ev->kind == RULES_EV_INITIATIVE && i < ev->u.initiative.n; i++) {
        count(l, RULES_A, LUCK_INITIATIVE, items[ev->u.initiative.item + i].roll.a, 0);
        count(l, RULES_B, LUCK_INITIATIVE, items[ev->u.initiative.item + i].roll.b, 0);
    }
}

/* p[0..len] with one more die; returns the new len. */
static unsigned one_more(double *p, unsigned len, bool sum, unsigned of_six)
{
    const unsigned more = sum ? 6 : 1;

    for (unsigned i = len + more + 1; i-- > 0;) {
        double q = 0;

        if (sum) {
            for (unsigned face = 1; face <= 6; face++)
                q += i >= face && i - face <= len ? p[i - face] / 6 : 0;
        } else {
            q = (i <= len ? p[i] * (6 - (double)of_six) / 6 : 0) +
                (i >= 1 ? p[i - 1] * (double)of_six / 6 : 0);
        }
        p[i] = q;
    }
    return len + more;
}

void luck_tail(const struct luck_row *row, enum luck_kind kind, double *mean, double *at_most,
               double *at_least)
{
    const bool sum = is_sum(kind);
    double *p = mem_array(row->n * 6U + 7U, sizeof(*p));
    unsigned len = 0;

    p[0] = 1;
    *mean = 0;
    for (unsigned i = 0; i < row->n; i++) {
        len = one_more(p, len, sum, row->of_six[i]);
        *mean += sum ? 3.5 : (double)row->of_six[i] / 6;
    }
    *at_most = 0;
    *at_least = 0;
    for (unsigned i = 0; i <= len; i++) {
        if (i <= row->got)
            *at_most += p[i];
        if (i >= row->got)
            *at_least += p[i];
    }
    mem_free(p);
}

void luck_words(const struct luck *l, const struct scenario *scn, struct buf *out)
{
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        for (unsigned kind = 0; kind < LUCK_KIND_COUNT; kind++) {
            const struct luck_row *row = &l->row[side][kind];
            double mean, at_most, at_least;

            if (row->n == 0)
                continue;
            luck_tail(row, (enum luck_kind)kind, &mean, &at_most, &at_least);
            buf_printf(out, "%s: %s, %u dice: %s %u, expected %.1f; ", scn->side[side].name,
                       words[kind], row->n, is_sum((enum luck_kind)kind) ? "sum" : "got", row->got,
                       mean);
            if (at_least <= at_most)
                buf_printf(out, "as good or better %.1f%% of the time.\n", at_least * 100);
            else
                buf_printf(out, "as bad or worse %.1f%% of the time.\n", at_most * 100);
        }
    }
    if (out->len == 0)
        buf_puts(out, "No dice were rolled.\n");
}
