/* SPDX-License-Identifier: ISC
 * admin.h -- what an operator may do: one line in, one line out, in the core as everything else.
 *
 * A request is a JSON object, `{"cmd":"ban","address":"192.0.2.0/24","reason":"..."}`, with `as`, the
 * person's name where the system's isn't one; the answer `{"result":{...}}` or
 * `{"error":{"reason":"not_found","message":"..."}}`, reasons as PROTOCOL's. Whatever changes something
 * is written to the audit (in one transaction with the change) or, of a match, to its journal, before it
 * counts and is answered; what is only looked at isn't.
 *
 * A request that has to wait for somebody else's transaction stands in core.asks and is tried again
 * behind each step's event.
 */
#ifndef SK_CORE_ADMIN_H
#define SK_CORE_ADMIN_H

#include "server/core/session.h"

#define ADMIN_NAME_LEN 40
#define ADMIN_TEXT_MAX 400 /* code points of a reason, announcement or motd */
#define ADMIN_WAIT_MAX 64  /* requests that wait */
#define ADMIN_SPAN_MAX (INT64_C(100) * 366 * 24 * 3600) /* s */

struct admin_cmd;
struct check;

struct admin_ask {
    uint64_t conn;
    char who[ADMIN_NAME_LEN]; /* as the system knows them */
    char as[ADMIN_NAME_LEN];  /* as they call themselves; may be "" */
    struct json *req;         /* owned */
    const struct admin_cmd *cmd;
    struct admin_ask *next; /* in core.asks */
    /* of the work under way, as the command wants: */
    char secret[64];        /* password or code made here, to answer with */
    struct invite *invite;  /* borrowed: being revoked */
    struct ban *ban;        /* owned, until it counts */
    struct check *check;    /* owned */
    struct standing **mine; /* owned, and what it points to: standings as they will be */
    size_t n_mine;
    char name[NAME_LEN + 1]; /* the new one */
    struct wall until;
    uint8_t role; /* enum user_role */
};

/*
 * A command. SAID: answered · REFUSED: *no says why, or no->gate is shut · HELD: comes again ·
 * LATER: a pend has the request (pend.ask).
 */
typedef enum verdict admin_handler(struct core *, struct admin_ask *, struct refusal *no);

void admin_event(struct core *c, const struct core_event *ev);
/* Somebody's transaction has ended: who waits tries again. */
void admin_retry(struct core *c);
/* CORE_JOB. */
void admin_job_event(struct core *c, const struct core_event *ev);
/* The core is about to stop or to stand still: nobody waits for the shell any more. */
void admin_jobs_end(struct core *c);
/* The time for a drain has come. */
void admin_drain_timer(struct core *c);
void admin_free(struct core *c);
/* NULL is nothing. */
void admin_ask_free(struct admin_ask *a);

/* ---- for the commands ---- */

/* The parameter, or *no says what is wrong with it: plain text of at most ADMIN_TEXT_MAX code points;
 * absent: NULL, which is wrong where it is `required`. */
NODISCARD bool admin_text(const struct admin_ask *a, const char *name, bool required,
                          const char **out, struct refusal *no);
/* Borrowed; NULL: it isn't there, or isn't a text. */
const char *admin_word(const struct admin_ask *a, const char *name);
/* Is it there, and true? */
bool admin_flag(const struct admin_ask *a, const char *name);
/* A number within the range; absent: *out stays. */
struct admin_range {
    int64_t min, max;
};
NODISCARD bool admin_int(const struct admin_ask *a, const char *name, struct admin_range range,
                         int64_t *out, struct refusal *no);
/* `for_s`, counted from now; absent: `ever`. */
NODISCARD bool admin_until(const struct core *c, const struct admin_ask *a, int64_t ever,
                           struct wall *out, struct refusal *no);
/* `player`: borrowed; NULL: *no says that there is none. */
struct user *admin_user(struct core *c, const struct admin_ask *a, struct refusal *no);
/* The same, a member whose row nobody is changing; with HELD in *v: wait. */
struct user *admin_member(struct core *c, const struct admin_ask *a, struct refusal *no,
                          enum verdict *v);
/* `match`: a number or an id. */
NODISCARD bool admin_match(const struct admin_ask *a, struct msg_match *out, struct refusal *no);
/* Who it is, for people: "carl (root)". */
void admin_person(const struct admin_ask *a, struct buf *out);

/* An answer: out_line with the result's object open; then admin_send. */
struct jsonw admin_open(struct core *c);
void admin_send(struct core *c, const struct admin_ask *a, struct jsonw *w);
void admin_done(struct core *c, const struct admin_ask *a); /* an empty result */
void admin_fail(struct core *c, const struct admin_ask *a, enum err e, const char *words);

/* What the audit keeps besides who, when and the command. */
struct admin_audit {
    bool silent;             /* not its parameters, */
    const char *name, *text; /* but this, or this too; NULL: nothing */
};
void op_audit(struct core *c, const struct admin_ask *a, const struct admin_audit *more,
              struct ops *o);
/*
 * The change and its audit line as one transaction: `done` answers, or admin_stored says that it wasn't
 * saved. LATER.
 */
typedef void admin_end(struct core *, struct pend *, const struct core_event *);
struct pend *admin_store(struct core *c, struct admin_ask *a, struct ops *o, admin_end *done);
/* Was it? Else the answer has been given. */
bool admin_stored(struct core *c, const struct pend *p, const struct core_event *ev);
/* server.notice to every connection of the user; with `news`, kept for the next login where there is
 * none (the row is the caller's to store). */
void admin_tell(struct core *c, struct user *u, const char *text);
void admin_news(struct user *u, const char *text);
/* There is nothing to tell, or no longer. */
void admin_no_news(struct user *u);

admin_handler on_admin_status, on_admin_players, on_admin_player, on_admin_matches, on_admin_show;
admin_handler on_admin_audit, on_admin_check;
admin_handler on_admin_add, on_admin_role, on_admin_reset_password, on_admin_suspend;
admin_handler on_admin_unsuspend, on_admin_kick, on_admin_erase;
admin_handler on_admin_ban, on_admin_bans, on_admin_unban;
admin_handler on_admin_pause, on_admin_resume, on_admin_adjudicate, on_admin_void;
admin_handler on_admin_announce, on_admin_motd, on_admin_invite, on_admin_invites, on_admin_revoke;
admin_handler on_admin_drain, on_admin_backup, on_admin_reload, on_admin_upgrade;

/* A number of `check`: rows in memory whose match is set aside, and so on; see admin_check.c. */
void check_free(struct check *ch);

#endif
