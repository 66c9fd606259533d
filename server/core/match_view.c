/* SPDX-License-Identifier: ISC
 * match_view.c -- what who looks on may see: the match as it was some phases ago.
 *
 * A delayed viewer is shown a second match, which has been given the journal's first lines alone:
 * position, dice, hashes and record all come from it, so nothing can slip past the delay. It goes
 * on from phase to phase, and is made only where somebody asks.
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

enum { PHASES_MIN = 8 };

static void marks_push(struct match_marks *k, uint32_t seq)
{
    if (k->n == k->cap) {
        k->cap = k->cap == 0 ? PHASES_MIN : k->cap * 2;
        k->seq = mem_resize(k->seq, k->cap, sizeof(*k->seq));
    }
    k->seq[k->n++] = seq;
}

static bool is_phase(const struct match *m, uint32_t seq)
{
    static const char word[] = "\"phase\"";
    struct match_front f;

    return front_read(recs_line(&m->journal, seq - 1), m->journal.rec[seq - 1].len, &f) &&
           memcmp(f.rest - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

/* A batch in play begins with an entry that is none of play; what is of play behind a phase's
 * beginning belongs to its batch. */
void marks_note(struct match *m, uint32_t seq)
{
    struct match_marks *k = &m->marks;
    const struct match_rec *rec = &m->journal.rec[seq - 1];

    if (m->setup.delay == 0)
        return;
    if (rec->kind == ENTRY_STARTED) { /* the salt roll, its batch's first entry, stands before it */
        k->n = 0;
        marks_push(k, seq >= 2 && rec[-1].kind == ENTRY_ROLL ? seq - 2 : seq - 1);
    } else if (rec->kind == ENTRY_PLAY && k->n > 0) {
        if (is_phase(m, seq))
            marks_push(k, seq);
        else if (k->n > 1 && k->seq[k->n - 1] == seq - 1)
            k->seq[k->n - 1] = seq;
    }
}

uint32_t match_visible_head(const struct match *m, struct match_viewer who)
{
    const struct match_marks *k = &m->marks;

    if (!match_is_delayed(m, who) || k->n == 0)
        return m->core->head;
    return k->seq[k->n > m->setup.delay ? k->n - m->setup.delay : 0];
}

bool match_is_delayed(const struct match *m, struct match_viewer who)
{
    return m->setup.delay > 0 && m->core->state != MATCH_OVER && who.role == ROLE_COUNT &&
           !who.umpire;
}

struct match *match_shown(struct match *m, struct match_viewer who)
{
    const uint32_t seq = match_visible_head(m, who);

    if (m->core->state == MATCH_OVER) {
        match_free(m->shown); /* all may be seen now */
        m->shown = NULL;
    }
    if (!match_is_delayed(m, who) || m->marks.n == 0)
        return m;
    if (m->shown == NULL) {
        m->shown = match_bare(&m->setup, m->env, (struct match_now){.served = m->loaded_at});
        m->shown->is_shown = true;
    }
    match_redo(m->shown, &m->journal, seq);
    return m->shown;
}

/* ---- a sync for many ---- */

void match_prepared_drop(struct match *m)
{
    shared_unref(m->prepared.front);
    shared_unref(m->prepared.rear);
    m->prepared = (struct match_prepared){.front = NULL};
}

const struct match_prepared *match_prepare(struct match *m)
{
    struct match_prepared *p = &m->prepared;

    if (p->front == NULL)
        match_prepare_new(m, p);
    return p;
}
