/* SPDX-License-Identifier: ISC
 * link.h -- the connection to a server: comes up, logs in, matches answers, comes back by itself.
 *
 * On libuv, in one thread. A lost connection is made again with growing pauses; whoever waits for
 * an answer then gets ERR_EOF and must ask again by what the server says after coming back.
 */
#ifndef SK_CLIENT_LINK_H
#define SK_CLIENT_LINK_H

#include "client/identity.h"
#include "proto/msg.h"

struct uv_loop_s;
struct link;

/* An answer. Everything is borrowed for the call. */
struct link_answer {
    enum err err;              /* ERR_OK; the wire's reason; ERR_EOF: the line was lost */
    const struct json *result; /* with ERR_OK */
    const char *message;       /* of an error, "" otherwise; untrusted text */
    const struct json *data;   /* of an error, or NULL */
};
typedef void (*link_answer_fn)(void *data, const struct link_answer *a);

struct link_hooks {
    void *data;
    void (*up)(void *data); /* logged in, for the first time or again */
    void (*down)(void *data, const char *why, int64_t retry_ms);
    void (*note)(void *data, enum msg_note note, const struct json *params);
    void (*raw)(void *data, const char *line, size_t len); /* every line; may be NULL */
    void (*told)(void *data, const char *text);            /* news for people; may be NULL */
    void (*failed)(void *data, int code, const char *why); /* given up; sysexits code */
};
struct link_config {
    struct url url;
    const char *name;     /* guest's name to ask for; NULL: any. Borrowed for the link's life */
    const char *password; /* an account's, to log in with `name` once; NULL: as guest, or by what
                             was kept. Borrowed for the link's life */
    bool registers;       /* make the account first */
    const char *invite;   /* a code to register with, or NULL */
    const char *ca;       /* with skirmishs://: PEM file of the authorities to trust, or NULL */
    const char *print;    /* the fingerprint that its certificate must have, or NULL */
    bool keep;            /* keep tokens in the state directory, to come back as the same */
    int64_t patience_ms;  /* give up when down for so long; 0: never, once it has been up */
};

/*
 * Start to connect. *out is owned: link_free. ERR_BUSY: another process is this name here;
 * ERR_IO: the state directory can't be used (errno).
 */
NODISCARD enum err link_new(struct uv_loop_s *loop, const struct link_config *cfg,
                            const struct link_hooks *hooks, struct link **out);
/* Close; memory goes when the loop has run its callbacks. No hook is called any more. */
void link_free(struct link *l);

bool link_is_up(const struct link *l);
/* Our name at the server, "" before the first login. Borrowed. */
const char *link_user(const struct link *l);
/* Are we an umpire (or admin), whom no match's delay holds back? */
bool link_sees_all(const struct link *l);

/* What was kept to come back by is of no use any more: forget it. */
void link_forget_identity(struct link *l);

/* Begin a request; members of its params are written, then link_send. One at a time. */
struct jsonw *link_begin(struct link *l, enum msg_method m);
/* Send what was begun. `fn` (may be NULL) is called once: at the latest when the line is lost. */
void link_send(struct link *l, link_answer_fn fn, void *data);
/* Whoever asked with this `data` no longer wants the answers that are still to come. */
void link_forget(struct link *l, const void *data);

#endif
