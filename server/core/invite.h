/* SPDX-License-Identifier: ISC
 * invite.h -- codes to register with, where the server asks for one.
 *
 * Kept as hashes: who reads the database can't register. A use counts with the account's row, in
 * one transaction; while a registration is under way its use is held.
 */
#ifndef SK_CORE_INVITE_H
#define SK_CORE_INVITE_H

#include "server/core/outbox.h"

#define INVITE_CODE_LEN 12 /* 59 bits, of letters that look unlike one another */
#define INVITE_USES_MAX 10000

struct invite;

/* What a new code is good for. */
struct invite_terms {
    const char *by;    /* who made it, plain text; borrowed */
    uint32_t uses;     /* 1 to INVITE_USES_MAX */
    struct wall until; /* ms 0: for ever */
};

/* A random code of that alphabet, n letters and NUL. */
void invite_letters(struct core *c, char *code, size_t n);
/*
 * A new code, good from now on; its row is added to `o`. Its text stands in code[] alone: tell it
 * once the transaction is durable, and invite_forget it if that fails.
 */
void invite_make(struct core *c, const struct invite_terms *t, char code[INVITE_CODE_LEN + 1],
                 struct ops *o);
void invite_forget(struct core *c, const char *code);

/* For lists: a code's own name, and what it is still good for. */
#define INVITE_ID_LEN 9 /* 8 digits of hex, with NUL */
struct invite_view {
    char id[INVITE_ID_LEN];
    const char *by; /* borrowed */
    uint32_t uses;
    struct wall until; /* ms 0: for ever */
};
/* Walk through them, as map_next does. False: no more. */
bool invite_next(const struct core *c, size_t *at, struct invite_view *out);
/* By its code or its id. Borrowed; NULL: there is none. */
struct invite *invite_find(const struct core *c, const char *code_or_id);
/* Is somebody just registering by it? */
bool invite_is_held(const struct invite *inv);
void invite_view(const struct invite *inv, struct invite_view *out);
/* Its row's end: good for nothing from now on; then, once that is durable, or wasn't: */
void op_invite_revoke(struct ops *o, struct invite *inv);
void invite_revoked(struct core *c, struct invite *inv, bool ok);

/* Hold one use of it. NULL: unknown, used up or over. */
struct invite *invite_hold(struct core *c, const char *code);
/* Give the use back. NULL is nothing. */
void invite_release(struct invite *inv);
/* The row as it is with the held use gone. */
void op_invite_spend(struct ops *o, struct invite *inv);
/* That row's end: the use is gone for good, or (ok false) still held. */
void invite_spent(struct core *c, struct invite *inv, bool ok);

void invites_init(struct core *c, const uint64_t seed[2]);
void invites_fini(struct core *c);
/* Read a stored row back. ERR_DATA. */
NODISCARD enum err invite_load(struct core *c, const uint8_t hash[32], const char *data,
                               size_t len);

#endif
