/* SPDX-License-Identifier: ISC
 * admin_erase.c -- a member who wants to be forgotten: the account gets a name that says nothing, in
 * lists, ladder and archive's index; address and tokens go. Signed records keep the name, and nobody
 * else may have it again.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/attic.h"
#include "server/core/invite.h"
#include "server/core/standing.h"
#include "server/core/user.h"

#define ERASED_PREFIX "erased-"

enum { ERASED_LETTERS = 10 };

/* ---- standings: the member's own, and others' that name it ---- */

static bool names(const struct standing *s, const char *name)
{
    for (size_t i = 0; i < s->n_pairs; i++)
        if (str_ieq(s->pair[i].name, name))
            return true;
    return false;
}

static bool concerns(const struct standing *s, const char *name)
{
    return str_ieq(s->name, name) || names(s, name);
}

/* Is a match's end, or a change of their rows, under way for somebody concerned? */
static bool somebody_is_busy(const struct core *c, const struct user *u)
{
    const struct standing *s;
    const struct user *other;
    size_t at = 0;

    while ((s = map_next(&c->standings, &at)) != NULL)
        if (s->busy && concerns(s, u->name))
            return true;
    for (at = 0; (other = map_next(&c->users, &at)) != NULL;)
        if (other != u && other->gate_shut && user_has_muted(other, u->name))
            return true;
    return u->pins > 0;
}

/* As it will be. */
static struct standing *renamed(const struct standing *s, const char *old, const char *name)
{
    struct standing *copy = standing_copy(s);

    if (str_ieq(copy->name, old)) {
        (void)str_copy(copy->name, sizeof(copy->name), name);
        name_key(copy->key, name);
    }
    for (size_t i = 0; i < copy->n_pairs; i++)
        if (str_ieq(copy->pair[i].name, old))
            (void)str_copy(copy->pair[i].name, sizeof(copy->pair[i].name), name);
    return copy;
}

static void rename_standings(struct core *c, struct admin_ask *a, const char *old, struct ops *o)
{
    struct standing *s;
    size_t at = 0;

    a->mine = mem_array(c->standings.n + 1, sizeof(struct standing *));
    while ((s = map_next(&c->standings, &at)) != NULL) {
        if (!concerns(s, old))
            continue;
        s->busy = true;
        a->mine[a->n_mine] = renamed(s, old, a->name);
        op_standing_put(o, a->mine[a->n_mine++]);
    }
    if (standing_find(c, old) != NULL)
        op_standing_drop(o, old);
}

/* They count from now on; or those that were there are free again. */
static void settle_standings(struct core *c, struct admin_ask *a, const char *old, bool ok)
{
    struct standing *own = standing_find(c, old);

    for (size_t i = 0; i < a->n_mine; i++) {
        struct standing *s = a->mine[i];
        const bool is_own = str_ieq(s->name, a->name);

        a->mine[i] = NULL;
        if (ok && is_own)
            standing_forget(c, old);
        if (ok) {
            standing_enter(c, s);
            continue;
        }
        standing_release(c, is_own ? own : standing_find(c, s->name));
        standing_free(s);
    }
    a->n_mine = 0;
}

static void unmute(struct core *c, const struct user *u, struct ops *o)
{
    struct user *other;
    size_t at = 0;

    while ((other = map_next(&c->users, &at)) != NULL) {
        if (other == u || !user_has_muted(other, u->name))
            continue;
        CHECK(user_mute(other, u->name, false));
        if (other->stored)
            op_user_put(o, other);
    }
}

/* ---- the act ---- */

/* Who will stand in lists: an account that no password opens. */
static struct user *make_shell(struct core *c, struct admin_ask *a, const struct user *u)
{
    struct user *shell;

    do {
        (void)str_copy(a->name, sizeof(a->name), ERASED_PREFIX);
        invite_letters(c, a->name + sizeof(ERASED_PREFIX) - 1, ERASED_LETTERS);
    } while (user_is_taken(c, a->name));
    shell = user_new(c, a->name, USER_MEMBER);
    shell->unborn = true;
    shell->since = u->since;
    user_own_account(shell)->hash = mem_strdup("erased");
    return shell;
}

static void on_erased(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct admin_ask *a = p->ask;
    const bool ok = admin_stored(c, p, ev);
    struct user *u = p->user;
    struct user *shell = p->shell;
    char old[NAME_LEN + 1];
    struct jsonw w;

    (void)str_copy(old, sizeof(old), u->name);
    pend_unpin(p);
    attic_archived_of(c, old, ok);
    settle_standings(c, a, old, ok);
    u->gate_shut = false;
    if (!ok) {
        u->unborn = false;
        families_ended(c, u, false);
        user_free(c, shell);
        gate_open(c, &u->gate);
        return;
    }
    erased_enter(c, old);
    shell->unborn = false;
    shell->stored = true;
    user_free(c, u);
    w = admin_open(c);
    jsonw_m_str(&w, "player", a->name);
    admin_send(c, a, &w);
}

static void plan(struct core *c, struct admin_ask *a, struct user *u, const struct user *shell,
                 struct ops *o)
{
    struct store_op *op;

    memcpy(ops_add(o, STORE_USER_DROP)->name, u->key, sizeof(u->key));
    for (struct family *f = u->families; f != NULL; f = f->next)
        ops_family_drop(o, f);
    op_user_put(o, shell);
    rename_standings(c, a, u->name, o);
    unmute(c, u, o);
    attic_archive_of(c, u->name, o);
    op = ops_add(o, STORE_RENAME);
    (void)str_copy(op->name, sizeof(op->name), u->name);
    op->data = mem_strdup(a->name);
    op->len = strlen(a->name);
    op_erased_put(o, u->name);
    op_audit(c, a, &(struct admin_audit){.silent = true, .name = "player", .text = a->name}, o);
}

static void say_games(const struct user *u, struct refusal *no)
{
    struct buf b = BUF_EMPTY;

    buf_puts(&b, "in games that aren't over, adjudicate or void them first:");
    for (const struct seat *s = u->seats; s != NULL && b.len < MATCH_WORDS_LEN / 2; s = s->next)
        buf_printf(&b, " %u", s->room->no);
    session_refuse(no, ERR_CONFLICT, buf_str(&b));
    buf_fini(&b);
}

enum verdict on_admin_erase(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    enum verdict v;
    struct user *u = admin_member(c, a, no, &v);
    struct user *shell;
    struct pend *p;

    if (u == NULL)
        return v;
    if (u->seats != NULL) {
        say_games(u, no);
        return REFUSED;
    }
    admin_tell(c, u, "This account is being erased.");
    while (u->conns != NULL)
        session_close(c, u->conns);
    if (somebody_is_busy(c, u))
        return HELD;
    shell = make_shell(c, a, u);
    plan(c, a, u, shell, &ops);
    u->gate_shut = u->unborn = true; /* nobody finds, challenges or logs in to it any more */
    p = admin_store(c, a, &ops, on_erased);
    pend_pin(p, u);
    p->shell = shell;
    return LATER;
}
