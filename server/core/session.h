/* SPDX-License-Identifier: ISC
 * session.h -- connections: their lines, the table of methods, and what waits.
 *
 * A request is answered exactly once and in its connection's order. While one is under way in the
 * store or a hashing thread (pend), or waits for somebody else's transaction (gate), the lines
 * behind it stay where they are.
 */
#ifndef SK_CORE_SESSION_H
#define SK_CORE_SESSION_H

#include "server/core/outbox.h"

/* ---- connections ---- */

void session_accept(struct core *c, const struct core_event *ev);
/* Borrowed; NULL: closed long ago. */
struct conn *session_find(const struct core *c, conn_id id);
void session_bytes(struct core *c, struct conn *cn, const char *data, size_t len);
void session_eof(struct core *c, struct conn *cn);
void session_slow(struct core *c, struct conn *cn);
void session_drained(struct core *c, struct conn *cn);
void session_timer(struct core *c, struct conn *cn);
/* What a banned address is told. */
extern const char session_banned[];
/* May a password or a member's token be said on it? What to say where not. */
extern const char session_not_private[];
bool session_is_private(const struct core *c, const struct conn *cn);
/* What more waits to be sent than this makes it slow. */
/* Does it read a match that its user plays? */
bool session_plays(const struct conn *cn);
uint32_t session_queue(const struct core *c, const struct conn *cn);
/* Answer the lines that are there until one must wait. */
void session_run(struct core *c, struct conn *cn);
/* Its gate has opened: leave it, serve what it held, go on. */
void session_retry(struct core *c, struct conn *cn);
/* End it: nothing more is read or sent; its memory goes at the end of the step. */
void session_close(struct core *c, struct conn *cn);
void session_bury(struct core *c);
/* The limits have changed: so have its deadlines. */
void session_rearm(struct core *c, struct conn *cn);

/* ---- handlers ---- */

enum verdict {
    SAID,    /* answered */
    REFUSED, /* *no says why; the table answers */
    HELD,    /* no->gate is shut: comes again when it opens */
    LATER    /* a pend has taken the request */
};
struct refusal {
    enum err err;
    struct msg_fault fault;
    struct gate *gate;
    char words[MATCH_WORDS_LEN], field[PLAY_WHY_LEN];
};
typedef enum verdict handler(struct core *, struct conn *, struct msg_request *, struct refusal *);

/* words: NULL for the error's own; copied. */
enum verdict session_refuse(struct refusal *no, enum err e, const char *words);
/* ERR_PARAMS; both copied. */
enum verdict session_refuse_field(struct refusal *no, const char *field, const char *words);
enum verdict session_hold(struct refusal *no, struct gate *g);

/* The answer of every way to log in (p->user, p->token); then the connection is that user's. */
void session_login(struct core *c, struct conn *cn, const struct pend *p);
/* Count it, where the method is one. */
void session_count_login(struct core *c, enum msg_method method, bool ok);
/* The user's other connections are told that they are logged out, and closed. */
void session_end_others(struct core *c, struct user *u, const struct conn *keep);

handler on_session_hello, on_session_ping, on_session_guest, on_session_resume, on_session_logout;
handler on_session_register, on_session_login, on_session_password;
handler on_server_info, on_scenario_list, on_scenario_get;
handler on_lobby_list, on_lobby_follow, on_lobby_unfollow, on_match_mine;
handler on_match_create, on_match_join, on_match_cancel, on_match_decline;
handler on_match_anchor, on_match_share, on_match_order, on_match_legal, on_match_resign;
handler on_match_claim, on_match_offer, on_match_answer, on_match_record;
handler on_match_sync, on_match_watch, on_match_unwatch;
handler on_match_chat, on_chat_mute;
handler on_match_umpire, on_player_get, on_player_list, on_player_matches;
handler on_player_vacation;

/* ---- what waits ---- */

/*
 * New work with an id for the shell's answer. With `cn`, its request is moved in and the
 * connection waits until `done` has been called. Owned by the core.
 */
struct pend *pend_new(struct core *c, struct conn *cn, struct msg_request *req,
                      void (*done)(struct core *, struct pend *, const struct core_event *));
/* Keep `u` in memory until done. */
void pend_pin(struct pend *p, struct user *u);
void pend_unpin(struct pend *p);
/* Keep its room in memory until done. */
void pend_pin_room(struct pend *p, struct room *r);
/* The user's row and tokens are in this transaction. */
void pend_has_row(struct pend *p, struct user *u);
/* The connection that waits for it; NULL: gone, or nobody asked. */
struct conn *pend_conn(const struct pend *p);
/* CORE_STORED or CORE_HASHED: finish and free the work, let its connection go on. */
void pend_end(struct core *c, uint64_t id, const struct core_event *ev);
/* The connection's work has turned out to need nobody else: free it. */
void pend_cancel(struct core *c, struct conn *cn);
void pend_free(struct core *c, struct pend *p);
/* All, the core being about to end. */
void pends_free(struct core *c);

/* Move who waits from one gate to the end of another. */
void gate_move(struct gate *from, struct gate *to);
/* Try again all who wait now, in order; they may come to wait again. */
void gate_open(struct core *c, struct gate *g);

#endif
