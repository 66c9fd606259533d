/* SPDX-License-Identifier: ISC
 * match_end.c -- what the pending transaction ends with, for those who keep accounts of it.
 */
#include "server/core/match_impl.h"

void match_drop(struct match *m)
{
    CHECK(m->pending != NULL);
    batch_free(m->pending);
    m->pending = NULL;
}

/* Has an order been given, before or by this batch? */
static bool is_played(const struct match *m)
{
    for (uint32_t i = 0; i < m->pending->recs.n; i++)
        if (m->pending->recs.rec[i].kind == ENTRY_ORDER)
            return true;
    return m->ids.n > 0;
}

bool match_ending(const struct match *m, struct match_ending *out)
{
    const struct match_batch *b = m->pending;
    const struct rules_state *s;

    *out = (struct match_ending){.winner = RULES_NOBODY, .reason = RULES_BY_VOID};
    if (b == NULL || !b->applied.over)
        return false;
    out->owed = b->applied.owed;
    out->started = b->core->started;
    if (!out->started)
        return true;
    s = &b->core->game.rules.state;
    out->winner = s->winner;
    out->reason = s->reason;
    out->played = is_played(m);
    return true;
}
