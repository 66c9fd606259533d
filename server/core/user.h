/* SPDX-License-Identifier: ISC
 * user.h -- people: names, tokens, who is logged in, and their rows in the store.
 *
 * A guest lives in memory until it sits down or chats; from then on (and a member always) its row
 * and tokens are durable, and every change of them goes through the store before it counts.
 */
#ifndef SK_CORE_USER_H
#define SK_CORE_USER_H

#include "server/core/outbox.h"

/* Who acts in matches' journals for the operator: nobody else may have this name. */
#define USER_OPERATOR "operator"

void name_key(char key[NAME_KEY_LEN], const char *name);

/* Borrowed; NULL: nobody of that name. */
struct user *user_find(const struct core *c, const char *name);
/* Has it a connection? NULL hasn't. */
static inline bool user_is_online(const struct user *u)
{
    return u != NULL && u->conns != NULL;
}
/* Is the name held, be it by somebody who is still registering? */
bool user_is_taken(const struct core *c, const char *name);
/* A new user of a free name (CHECK), owned by the core. */
struct user *user_new(struct core *c, const char *name, enum user_kind kind);
/* A free name for a guest. */
void user_guest_name(struct core *c, char name[NAME_LEN + 1]);
/* Forget a user who has no connection, seat or pin. Waiters at its gate are retried. */
void user_free(struct core *c, struct user *u);
/* Its account: an empty one where it has none. Borrowed until that is changed. */
const struct account *user_account(const struct user *u);
/* The same, to be changed: made where it has none. */
struct account *user_own_account(struct user *u);
/* Another password's hash (taken). */
void user_set_hash(struct user *u, char *hash);
/* `user` as an object: {name, kind, role}. */
void user_json(const struct user *u, struct jsonw *w);
/* Its members, behind an open object. */
void user_members(const struct user *u, struct jsonw *w);

/* The connection is this user's from now on: presence, lobby and line limit follow. */
void user_attach(struct core *c, struct conn *cn, struct user *u, struct family *f);
/* And no longer: back to before login. */
void user_detach(struct core *c, struct conn *cn);
/* A guest with nothing to stay for is dropped a day from now; call when that may have changed. */
void user_idle(struct core *c, struct user *u);
/* Its timer has fired. */
void user_expire(struct core *c, struct user *u);

/* A seat or challenge, role ROLE_COUNT. */
void user_add_seat(struct core *c, struct user *u, struct room *r, enum role role);
void user_drop_seat(struct core *c, struct user *u, const struct room *r);

bool user_has_muted(const struct user *u, const char *name);
/* false: there is no room for one more. */
NODISCARD bool user_mute(struct user *u, const char *name, bool on);

/* Suspended just now? */
bool user_is_barred(const struct core *c, const struct user *u);
/* Until then, and why (copied); ms 0, NULL: no longer. */
void user_bar(struct user *u, struct wall until, const char *why);
/* What such a one is told. Owned by the caller. */
char *user_barred_words(const struct core *c, const struct user *u);

/* ---- names of those who were erased: nobody else may sign with them ---- */

void erased_init(struct core *c, const uint64_t seed[2]);
void erased_fini(struct core *c);
bool erased_has(const struct core *c, const char *name);
void erased_enter(struct core *c, const char *name);
void op_erased_put(struct ops *o, const char *name);
/* A named value read back. ERR_NOT_FOUND: it is none of these · ERR_DATA. */
NODISCARD enum err erased_load(struct core *c, const char *name);

/* When its vacation ends, UNIX time in ms; 0: it has none. */
int64_t user_vacation_until_ms(const struct core *c, const struct user *u);

/* ---- tokens ---- */

/* Random bytes for a new token or code. */
void token_make(struct core *c, uint8_t token[MSG_TOKEN_LEN]);
void token_hash(const uint8_t token[MSG_TOKEN_LEN], uint8_t hash[32]);
/* Borrowed; NULL: unknown. */
struct token *token_find(const struct core *c, const uint8_t token[MSG_TOKEN_LEN]);
/* A family outside the core, its first token not yet known: owned by the caller. */
struct family *family_new(struct core *c, struct user *u);
void family_free(struct family *f); /* one that isn't in yet, or is out again */
/* The family is the user's from now on; takes it. */
void family_enter(struct family *f);
/* The next token of a family that is in. */
void family_push(struct core *c, struct family *f, const uint8_t token[MSG_TOKEN_LEN]);
/* End every token of it; frees it, and connections that logged in by it keep none. */
void family_end(struct core *c, struct family *f);
struct token *family_oldest(const struct family *f);
unsigned family_size(const struct family *f);
/* One too many: the family to end before another begins; NULL: there is room. */
struct family *family_surplus(const struct user *u);

/* ---- rows ---- */

void op_user_put(struct ops *o, const struct user *u);
void op_token_put(struct ops *o, const struct family *f, const uint8_t token_hash[32], uint32_t n);
void op_token_drop(struct ops *o, const uint8_t hash[32]);
/* Row and tokens, unless they are durable already: then false (see pend_user). */
bool ops_user(struct ops *o, const struct user *u);
/* Drop all tokens of a family, which is ending from now on. */
void ops_family_drop(struct ops *o, struct family *f);
/* The end of that transaction: the ending families are gone, or (ok false) stay. */
void families_ended(struct core *c, struct user *u, bool ok);
/* Read a stored row back. ERR_DATA. */
NODISCARD enum err user_load(struct core *c, const char *name, const char *data, size_t len);
NODISCARD enum err token_load(struct core *c, const uint8_t hash[32], const char *user,
                              const char *data, size_t len);

#endif
