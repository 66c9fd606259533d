/* SPDX-License-Identifier: ISC
 * film.c -- keeping a game and going back in it.
 */
#include "client/tui/film.h"

#include "client/words.h"
#include "common/base/mem.h"

#define MARK_EVERY 32

void film_fini(struct film *f)
{
    for (size_t i = 0; i < f->n; i++) {
        mem_free(f->frame[i].words);
        mem_free(f->frame[i].items);
        mem_free(f->frame[i].mark);
    }
    mem_free(f->frame);
    memset(f, 0, sizeof(*f));
}

/* Items that an event has, and where the index of the first is. */
static unsigned items_of(const struct rules_event *ev, uint32_t *first)
{
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_INITIATIVE:
        *first = ev->u.initiative.item;
        return ev->u.initiative.n;
    case RULES_EV_ARRIVE:
        *first = ev->u.arrive.item;
        return (unsigned)ev->u.arrive.n_placed + ev->u.arrive.n_waiting;
    case RULES_EV_MELEE:
        *first = ev->u.melee.item;
        return (unsigned)ev->u.melee.n_dice + ev->u.melee.n_pairings + ev->u.melee.n_saves +
               ev->u.melee.n_killed;
    case RULES_EV_PHASE:
    case RULES_EV_END_PHASE:
    case RULES_EV_END_TURN:
    case RULES_EV_MORALE:
    case RULES_EV_FALL_BACK:
    case RULES_EV_MOVE:
    case RULES_EV_TURN:
    case RULES_EV_UNDO:
    case RULES_EV_VOLLEY:
    case RULES_EV_OVER:
    case RULES_EV_COUNT:
        break;
    }
    *first = 0;
    return 0;
}

static void set_item(struct rules_event *ev, uint32_t item)
{
    if (ev->kind == RULES_EV_INITIATIVE)
        ev->u.initiative.item = item;
    else if (ev->kind == RULES_EV_ARRIVE)
        ev->u.arrive.item = item;
    else if (ev->kind == RULES_EV_MELEE)
        ev->u.melee.item = item;
}

static void take_event(struct film_frame *fr, const struct entry *e)
{
    uint32_t first = 0;
    unsigned n;

    fr->event = e->u.play.event;
    n = items_of(&fr->event, &first);
    if (n == 0)
        return;
    fr->items = mem_dup(e->u.play.items + first, n * sizeof(*fr->items));
    set_item(&fr->event, 0);
}

void film_add(struct film *f, const struct audit *a, enum rules_side me)
{
    const struct rules_state *s = &a->game.rules.state;
    struct buf words = BUF_EMPTY;
    struct film_frame *fr;

    if (f->n == f->cap) {
        f->cap = MAX(f->cap * 2, (size_t)64);
        f->frame = mem_resize(f->frame, f->cap, sizeof(*f->frame));
    }
    fr = &f->frame[f->n++];
    memset(fr, 0, sizeof(*fr));
    fr->seq = a->last.seq;
    fr->kind = a->last.kind;
    fr->turn = a->started ? s->turn : 0;
    fr->side = a->started ? s->active : RULES_NOBODY;
    words_entry(a, me, &words);
    fr->words = buf_detach(&words);
    if (fr->kind == ENTRY_PLAY)
        take_event(fr, &a->last);
    f->since_mark++;
    /* `started` brings a position out of nothing; what an undo restores only a game knows */
    if (a->board != NULL && a->started &&
        (fr->kind == ENTRY_STARTED || f->since_mark >= MARK_EVERY ||
         (fr->kind == ENTRY_PLAY && fr->event.kind == RULES_EV_UNDO) || fr->kind == ENTRY_ANSWER ||
         fr->kind == ENTRY_UMPIRE || f->n == 1)) {
        fr->mark = mem_dup(s, sizeof(*s));
        f->since_mark = 0;
    }
}

bool film_state(const struct film *f, const struct rules_board *b, size_t i,
                struct rules_state *out)
{
    size_t from = i;

    if (i >= f->n || b == NULL)
        return false;
    while (from > 0 && f->frame[from].mark == NULL)
        from--;
    if (f->frame[from].mark == NULL)
        return false;
    *out = *f->frame[from].mark;
    for (size_t k = from + 1; k <= i; k++) {
        if (f->frame[k].kind == ENTRY_PLAY)
            rules_apply(b, out, &f->frame[k].event, f->frame[k].items);
    }
    return true;
}

/* Does one look at the board for it? */
static bool is_step(const struct film_frame *fr)
{
    return fr->kind == ENTRY_PLAY && fr->event.kind != RULES_EV_END_PHASE &&
           fr->event.kind != RULES_EV_END_TURN;
}

size_t film_next(const struct film *f, size_t i)
{
    while (i < f->n && !is_step(&f->frame[i]))
        i++;
    return i;
}

size_t film_prev(const struct film *f, size_t i)
{
    for (size_t k = MIN(i + 1, f->n); k-- > 0;) {
        if (is_step(&f->frame[k]))
            return k;
    }
    return f->n;
}

static bool is_phase_of(const struct film_frame *fr, enum rules_side me)
{
    return fr->kind == ENTRY_PLAY && fr->event.kind == RULES_EV_PHASE &&
           (me == RULES_NOBODY || fr->event.u.phase.side != me);
}

size_t film_their_phase(const struct film *f, enum rules_side me)
{
    for (size_t i = f->n; i-- > 0;) {
        if (is_phase_of(&f->frame[i], me))
            return i;
    }
    return f->n;
}

size_t film_turn(const struct film *f, unsigned turn)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->frame[i].kind == ENTRY_PLAY && f->frame[i].turn >= turn)
            return i;
    }
    return f->n;
}

bool film_initiative(const struct film *f, size_t at, uint8_t dice[2])
{
    for (size_t i = MIN(at < f->n ? at + 1 : f->n, f->n); i-- > 0;) {
        const struct rules_event *ev = &f->frame[i].event;
        const union rules_item *last;

        if (f->frame[i].kind != ENTRY_PLAY || ev->kind != RULES_EV_INITIATIVE ||
            ev->u.initiative.n == 0)
            continue;
        last = &f->frame[i].items[ev->u.initiative.item + ev->u.initiative.n - 1];
        dice[0] = last->roll.a;
        dice[1] = last->roll.b;
        return true;
    }
    return false;
}

/* Where a move or a fall-back began, and its way. */
static unsigned put_way(uint16_t from, const uint16_t *path, unsigned n, uint16_t *out,
                        unsigned max)
{
    unsigned k = 0;

    if (k < max)
        out[k++] = from;
    for (unsigned i = 0; i < n && k < max; i++)
        out[k++] = path[i];
    return k;
}

unsigned film_squares(const struct film_frame *fr, uint16_t *out, unsigned max)
{
    const struct rules_event *ev = &fr->event;
    unsigned n = 0;

    if (fr->kind != ENTRY_PLAY)
        return 0;
    if (ev->kind == RULES_EV_MOVE)
        return put_way(ev->u.move.from, ev->u.move.path, ev->u.move.n, out, max);
    if (ev->kind == RULES_EV_FALL_BACK)
        return put_way(ev->u.fall_back.from, ev->u.fall_back.path, ev->u.fall_back.n, out, max);
    if (ev->kind == RULES_EV_VOLLEY)
        return put_way(ev->u.volley.square, &ev->u.volley.target, 1, out, max);
    if (ev->kind == RULES_EV_TURN)
        return put_way(ev->u.turn.at, NULL, 0, out, max);
    if (ev->kind == RULES_EV_ARRIVE) {
        for (unsigned i = 0; i < ev->u.arrive.n_placed && n < max; i++)
            out[n++] = fr->items[ev->u.arrive.item + i].placed.at;
    }
    return n;
}
