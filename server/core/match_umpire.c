/* SPDX-License-Identifier: ISC
 * match_umpire.c -- what an umpire may do to a match.
 */
#include "common/base/str.h"
#include "server/core/match_impl.h"

static const char *const act_words[] = {[ACT_PAUSE] = "pause",
                                        [ACT_RESUME] = "resume",
                                        [ACT_ADJUDICATE] = "adjudicate",
                                        [ACT_VOID] = "void"};
_Static_assert(ARRAY_LEN(act_words) == ACT_COUNT, "a word for every act");

const char *match_act_word(enum match_act a)
{
    return act_words[a];
}

bool match_act_from_word(const char *w, uint8_t *out)
{
    for (unsigned i = 0; i < ACT_COUNT; i++) {
        if (str_eq(w, act_words[i])) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

/* Why that act can't be done now; NULL: it can. */
static const char *why_not(const struct match_core *c, enum match_act act)
{
    if (c->state == MATCH_OVER || c->state == MATCH_BROKEN)
        return "the game is over";
    if (act != ACT_VOID && c->state != MATCH_LIVE)
        return "the game has not started";
    if (act == ACT_PAUSE && (c->clock.paused || c->clock.pause_due))
        return "the game is paused already";
    if (act == ACT_RESUME && !c->clock.paused)
        return "the game is not paused";
    return NULL;
}

void batch_want_pause(struct match_batch *b, bool pause, const char *by)
{
    struct match_clocks *clock = &b->core->clock;

    if (pause && core_roll_open(b->m, b->core)) { /* begins after it, D5 */
        clock->pause_due = true;
        (void)str_copy(clock->pause_by, sizeof(clock->pause_by), by);
        return;
    }
    batch_pause(b, pause, by);
}

enum err batch_umpire(struct match_batch *b, struct entry *e)
{
    uint8_t act;

    if (!match_act_from_word(e->u.umpire.act, &act) ||
        why_not(b->core, (enum match_act)act) != NULL)
        return ERR_DATA;
    batch_put(b, e);
    switch ((enum match_act)act) {
    case ACT_PAUSE:
    case ACT_RESUME:
        batch_want_pause(b, act == ACT_PAUSE, e->u.umpire.by);
        break;
    case ACT_ADJUDICATE:
        batch_over(b, (enum rules_side)e->u.umpire.winner, RULES_BY_ADJUDICATED);
        break;
    case ACT_VOID:
        batch_over(b, RULES_NOBODY, RULES_BY_VOID);
        break;
    case ACT_COUNT:
        break;
    }
    return ERR_OK;
}

enum err match_umpire(struct match *m, const struct match_umpire *u, struct match_now now,
                      struct match_step *st)
{
    const char *why = why_not(m->core, (enum match_act)u->act);
    struct entry e;

    if (why != NULL)
        return refuse(st, ERR_PHASE, why);
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_UMPIRE;
    e.u.umpire.by = u->by;
    e.u.umpire.act = act_words[u->act];
    e.u.umpire.reason = u->reason;
    e.u.umpire.has_winner = u->act == ACT_ADJUDICATE;
    e.u.umpire.winner = u->winner;
    return match_run(m, &e, now, st);
}
