/* SPDX-License-Identifier: ISC
 * err.h -- every way an operation of ours can fail, named once.
 *
 * The first block are the reasons of PROTOCOL.md, so a handler's error is the wire's
 * reason; the second never leaves a process.
 */
#ifndef SK_BASE_ERR_H
#define SK_BASE_ERR_H

#include "common/base/util.h"

/* X(enumerator, wire reason, wire code, words) */
#define ERR_WIRE_TABLE(X)                                                                          \
    X(ERR_PARSE, "parse", -32700, "not one strict JSON object on the line")                        \
    X(ERR_INVALID, "invalid", -32600, "not a request")                                             \
    X(ERR_METHOD, "method", -32601, "no such method")                                              \
    X(ERR_PARAMS, "params", -32602, "wrong parameter")                                             \
    X(ERR_INTERNAL, "internal", -32603, "internal error")                                          \
    X(ERR_AUTH, "auth", 1, "log in first")                                                         \
    X(ERR_DENIED, "denied", 2, "not allowed")                                                      \
    X(ERR_NOT_FOUND, "not_found", 3, "no such thing")                                              \
    X(ERR_CONFLICT, "conflict", 4, "already taken or already done otherwise")                      \
    X(ERR_PHASE, "phase", 5, "not now")                                                            \
    X(ERR_TURN, "turn", 6, "not your turn")                                                        \
    X(ERR_ILLEGAL, "illegal", 7, "against the rules")                                              \
    X(ERR_STALE, "stale", 8, "the board has moved on")                                             \
    X(ERR_RATE, "rate", 9, "too fast")                                                             \
    X(ERR_BUSY, "busy", 10, "full, try later")                                                     \
    X(ERR_STORAGE, "storage", 11, "not saved; nothing happened")                                   \
    X(ERR_DICE, "dice", 12, "dice share wrong or missing")                                         \
    X(ERR_VERSION, "version", 13, "protocol version not spoken here")

enum err {
    ERR_OK = 0,
#define X(name, reason, code, words) name,
    ERR_WIRE_TABLE(X)
#undef X
        ERR_IO, /* the environment failed; errno or a log line says how */
    ERR_DATA,   /* a file or record is not what it should be */
    ERR_ROOM,   /* does not fit the room given; state as before */
    ERR_EOF,    /* the other end is gone */
    ERR_USAGE,  /* wrong words on a command line */
    ERR_COUNT
};

/* The wire's name for `e` ("illegal"), "ok" for ERR_OK, a short name for the others. Static. */
const char *err_reason(enum err e);
/* The wire's number for `e` (7), 0 for ERR_OK, -32603 for one that never leaves a process. */
int err_code(enum err e);
/* One plain sentence part for people. Static. */
const char *err_words(enum err e);
/* The error whose wire reason is `reason`; ERR_INTERNAL when there is none. */
enum err err_from_reason(const char *reason);

#endif
