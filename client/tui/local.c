/* SPDX-License-Identifier: ISC
 * local.c -- refereeing a game at one screen.
 */
#include "client/tui/local.h"

#include "common/base/str.h"

#define THROW 32 /* dice thrown at a time */

/* One event more is true. */
static void take(struct local *l, const struct rules_event *ev)
{
    struct audit *a = &l->audit;

    CHECK(game_apply(&a->game, l->orders, ev, l->events.out.item) == RULES_OK);
    memset(&a->last, 0, sizeof(a->last));
    a->last.seq = ++a->head;
    a->last.kind = ENTRY_PLAY;
    a->last.u.play.event = *ev;
    a->last.u.play.items = l->events.out.item;
    if (ev->kind == RULES_EV_OVER) {
        a->over = true;
        a->winner = ev->u.over.winner;
        a->reason = ev->u.over.reason;
    }
    film_add(&l->film, a, RULES_NOBODY);
    l->hooks.event(l->hooks.data, &l->film.frame[l->film.n - 1]);
}

static enum rules_err decide(struct local *l, const struct rules_order *o)
{
    for (;;) {
        struct rules_dice dice = {l->dice, l->n_dice, 0};
        const enum rules_err e = game_decide(&l->audit.game, o, &dice, &l->events);
        size_t n;

        if (e == RULES_OK) {
            l->n_dice -= dice.used;
            memmove(l->dice, l->dice + dice.used, l->n_dice);
        }
        if (e != RULES_E_DICE)
            return e;
        n = MIN((size_t)THROW, LOCAL_DICE_MAX - l->n_dice);
        CHECK(n > 0);
        l->hooks.roll(l->hooks.data, l->dice + l->n_dice, n);
        l->n_dice += n;
    }
}

enum err local_order(struct local *l, const struct rules_order *o, struct buf *why)
{
    const enum rules_err e = decide(l, o);

    if (e != RULES_OK) {
        const struct rules_refusal *no = &l->events.out.refusal;

        buf_printf(why, "Not that (R%u): ", rules_why_rule((enum rules_why)no->why));
        refusal_words(l->audit.scn, l->audit.board, no, why);
        buf_putc(why, '.');
        return ERR_ILLEGAL;
    }
    l->orders++;
    for (uint32_t i = 0; i < l->events.out.n_events; i++)
        take(l, &l->events.out.event[i]);
    return ERR_OK;
}

void local_init(struct local *l, const struct scenario *scn, const char *const player[2],
                const struct local_hooks *hooks)
{
    const struct rules_order start = {.kind = RULES_DO_START, .side = RULES_A};
    struct rules_state before;
    struct audit_start at;
    struct buf why = BUF_EMPTY;

    memset(l, 0, sizeof(*l));
    l->hooks = *hooks;
    audit_init(&l->audit, scn);
    rules_begin(&scn->board, &before);
    memset(&at, 0, sizeof(at));
    at.state = &before;
    at.readings = &scn->board.readings;
    at.dice.fair = FAIR_SERVER;
    at.dice.salted = true;
    for (unsigned i = 0; i < 2; i++) {
        (void)str_copy(l->audit.name[i], sizeof(l->audit.name[i]), player[i]);
        l->audit.side_of[i] = (uint8_t)i;
    }
    audit_begin_at(&l->audit, &at);
    CHECK(local_order(l, &start, &why) == ERR_OK);
    buf_fini(&why);
}

void local_fini(struct local *l)
{
    game_events_fini(&l->events);
    film_fini(&l->film);
    audit_fini(&l->audit);
}
