/* SPDX-License-Identifier: ISC
 * admin_match.c -- an operator as umpire: it stands in the match's journal, where its players see it.
 */
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/room.h"
#include "server/core/user.h"

/* adjudicate: `winner`, a side's id; null or "draw": nobody. */
static bool read_winner(const struct admin_ask *a, const struct room *r, uint8_t *out,
                        struct refusal *no)
{
    const char *word;

    *out = RULES_NOBODY;
    if (!json_get_string(a->req, "winner", &word)) {
        session_refuse_field(no, "winner", "a side of the scenario, or draw");
        return false;
    }
    if (str_eq(word, "draw"))
        return true;
    *out = (uint8_t)scenario_side_find(match_setup_of(r->m)->scenario, word);
    if (*out != RULES_NOBODY)
        return true;
    session_refuse_field(no, "winner", "no such side in this scenario; or draw");
    return false;
}

static enum verdict judge(struct core *c, struct admin_ask *a, enum match_act act,
                          struct refusal *no)
{
    struct match_umpire u = {.by = USER_OPERATOR, .act = (uint8_t)act, .winner = RULES_NOBODY};
    struct match_step st = {.n = 0};
    struct msg_match ref;
    struct room *r;

    if (!admin_match(a, &ref, no) || !admin_text(a, "reason", true, &u.reason, no))
        return REFUSED;
    r = room_need(c, &ref, no);
    if (r == NULL || (act == ACT_ADJUDICATE && !read_winner(a, r, &u.winner, no)))
        return REFUSED;
    if (match_is_pending(r->m))
        return HELD;
    return room_judge(
        c, a,
        &(struct room_op){.room = r, .err = match_umpire(r->m, &u, core_now(c), &st), .step = &st},
        no);
}

enum verdict on_admin_pause(struct core *c, struct admin_ask *a, struct refusal *no)
{
    return judge(c, a, ACT_PAUSE, no);
}

enum verdict on_admin_resume(struct core *c, struct admin_ask *a, struct refusal *no)
{
    return judge(c, a, ACT_RESUME, no);
}

enum verdict on_admin_adjudicate(struct core *c, struct admin_ask *a, struct refusal *no)
{
    return judge(c, a, ACT_ADJUDICATE, no);
}

enum verdict on_admin_void(struct core *c, struct admin_ask *a, struct refusal *no)
{
    return judge(c, a, ACT_VOID, no);
}
