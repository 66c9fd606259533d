/* SPDX-License-Identifier: ISC
 * msg.h -- the wire's methods and their parameters as tables; requests in, replies out (PROTOCOL).
 *
 * A method is one row: its word and its parameters, each with type, bounds and place in the flat
 * struct msg_params. Server and client take the words from here. Decoding is in two steps, so that
 * a server can look at a method's phase and rights before its parameters: msg_parse, msg_params.
 */
#ifndef SK_PROTO_MSG_H
#define SK_PROTO_MSG_H

#include "proto/entry.h"
#include "proto/json.h"
#include "proto/jsonw.h"

/* X(enumerator, word): client to server, in strcmp order (msg_method_find searches by halves). */
#define MSG_METHOD_TABLE(X)                                                                        \
    X(MSG_CHAT_MUTE, "chat.mute")                                                                  \
    X(MSG_LOBBY_FOLLOW, "lobby.follow")                                                            \
    X(MSG_LOBBY_LIST, "lobby.list")                                                                \
    X(MSG_LOBBY_UNFOLLOW, "lobby.unfollow")                                                        \
    X(MSG_MATCH_ANCHOR, "match.anchor")                                                            \
    X(MSG_MATCH_ANSWER, "match.answer")                                                            \
    X(MSG_MATCH_CANCEL, "match.cancel")                                                            \
    X(MSG_MATCH_CHAT, "match.chat")                                                                \
    X(MSG_MATCH_CLAIM, "match.claim")                                                              \
    X(MSG_MATCH_CREATE, "match.create")                                                            \
    X(MSG_MATCH_DECLINE, "match.decline")                                                          \
    X(MSG_MATCH_JOIN, "match.join")                                                                \
    X(MSG_MATCH_LEGAL, "match.legal")                                                              \
    X(MSG_MATCH_MINE, "match.mine")                                                                \
    X(MSG_MATCH_OFFER, "match.offer")                                                              \
    X(MSG_MATCH_ORDER, "match.order")                                                              \
    X(MSG_MATCH_RECORD, "match.record")                                                            \
    X(MSG_MATCH_RESIGN, "match.resign")                                                            \
    X(MSG_MATCH_SHARE, "match.share")                                                              \
    X(MSG_MATCH_SYNC, "match.sync")                                                                \
    X(MSG_MATCH_UMPIRE, "match.umpire")                                                            \
    X(MSG_MATCH_UNWATCH, "match.unwatch")                                                          \
    X(MSG_MATCH_WATCH, "match.watch")                                                              \
    X(MSG_PLAYER_GET, "player.get")                                                                \
    X(MSG_PLAYER_LIST, "player.list")                                                              \
    X(MSG_PLAYER_MATCHES, "player.matches")                                                        \
    X(MSG_PLAYER_VACATION, "player.vacation")                                                      \
    X(MSG_SCENARIO_GET, "scenario.get")                                                            \
    X(MSG_SCENARIO_LIST, "scenario.list")                                                          \
    X(MSG_SERVER_INFO, "server.info")                                                              \
    X(MSG_SESSION_GUEST, "session.guest")                                                          \
    X(MSG_SESSION_HELLO, "session.hello")                                                          \
    X(MSG_SESSION_LOGIN, "session.login")                                                          \
    X(MSG_SESSION_LOGOUT, "session.logout")                                                        \
    X(MSG_SESSION_PASSWORD, "session.password")                                                    \
    X(MSG_SESSION_PING, "session.ping")                                                            \
    X(MSG_SESSION_REGISTER, "session.register")                                                    \
    X(MSG_SESSION_RESUME, "session.resume")
enum msg_method {
#define X(name, word) name,
    MSG_METHOD_TABLE(X)
#undef X
        MSG_METHOD_COUNT
};

/* X(enumerator, word): notifications, server to client. */
#define MSG_NOTE_TABLE(X)                                                                          \
    X(NOTE_SERVER_WELCOME, "server.welcome")                                                       \
    X(NOTE_SERVER_NOTICE, "server.notice")                                                         \
    X(NOTE_SERVER_PING, "server.ping")                                                             \
    X(NOTE_SERVER_CLOSING, "server.closing")                                                       \
    X(NOTE_MATCH_EVENT, "match.event")                                                             \
    X(NOTE_MATCH_ROLL_REQUEST, "match.roll_request")                                               \
    X(NOTE_MATCH_RESYNC, "match.resync")                                                           \
    X(NOTE_MATCH_PRESENCE, "match.presence")                                                       \
    X(NOTE_MATCH_CLOCK, "match.clock")                                                             \
    X(NOTE_MATCH_CHAT, "match.chat")                                                               \
    X(NOTE_LOBBY_EVENT, "lobby.event")
enum msg_note {
#define X(name, word) name,
    MSG_NOTE_TABLE(X)
#undef X
        NOTE_COUNT
};

const char *msg_method_word(enum msg_method m);
const char *msg_note_word(enum msg_note n);
/* The method called `word`, or MSG_METHOD_COUNT. */
enum msg_method msg_method_find(const char *word);
/* The notification called `word`, or NOTE_COUNT. */
enum msg_note msg_note_find(const char *word);

/* Is `name` a player's name (PROTOCOL: [A-Za-z0-9_-]{3,20})? */
bool msg_name_ok(const char *name);

/* ---- parameters ---- */

enum msg_watch { MSG_WATCH_ALL, MSG_WATCH_INVITED, MSG_WATCH_NONE };
const char *msg_watch_word(enum msg_watch w);
enum msg_list_state { LIST_OPEN, LIST_LIVE, LIST_OVER };
enum msg_chat_to { CHAT_PLAYERS, CHAT_ALL };
const char *msg_chat_to_word(enum msg_chat_to to);
const char *msg_offer_word(enum offer_kind o);

/* X(member, word): a bit of msg_params.has each. */
#define MSG_FIELD_TABLE(X)                                                                         \
    X(ACCEPT, "accept")                                                                            \
    X(ACT, "act")                                                                                  \
    X(AFTER, "after")                                                                              \
    X(AGAINST, "against")                                                                          \
    X(ALL, "all")                                                                                  \
    X(ANCHOR, "anchor")                                                                            \
    X(BASE, "base")                                                                                \
    X(BEFORE, "before")                                                                            \
    X(CLIENT, "client")                                                                            \
    X(CLOCK, "clock")                                                                              \
    X(DAYS, "days")                                                                                \
    X(DELAY, "delay")                                                                              \
    X(EMAIL, "email")                                                                              \
    X(FAIR, "fair")                                                                                \
    X(FIGURE, "figure")                                                                            \
    X(GENERATION, "generation")                                                                    \
    X(ID, "id")                                                                                    \
    X(INVITE, "invite")                                                                            \
    X(LIMIT, "limit")                                                                              \
    X(MATCH, "match")                                                                              \
    X(MAX_SPECTATORS, "max_spectators")                                                            \
    X(NAME, "name")                                                                                \
    X(NEW, "new")                                                                                  \
    X(NEXT, "next")                                                                                \
    X(OFFER, "offer")                                                                              \
    X(OFFER_ID, "offer_id")                                                                        \
    X(OLD, "old")                                                                                  \
    X(ON, "on")                                                                                    \
    X(OPPONENT, "opponent")                                                                        \
    X(ORDER, "order")                                                                              \
    X(ORDER_ID, "order_id")                                                                        \
    X(PASSWORD, "password")                                                                        \
    X(PLAYER, "player")                                                                            \
    X(PRIVATE, "private")                                                                          \
    X(PROTOCOL, "protocol")                                                                        \
    X(RATED, "rated")                                                                              \
    X(REASON, "reason")                                                                            \
    X(READINGS, "readings")                                                                        \
    X(REMATCH_OF, "rematch_of")                                                                    \
    X(ROLL, "roll")                                                                                \
    X(SCENARIO, "scenario")                                                                        \
    X(SHARE, "share")                                                                              \
    X(SIDE, "side")                                                                                \
    X(STATE, "state")                                                                              \
    X(TEXT, "text")                                                                                \
    X(TO, "to")                                                                                    \
    X(TOKEN, "token")                                                                              \
    X(WATCH, "watch")                                                                              \
    X(WINNER, "winner")
enum msg_field {
#define X(name, word) MSG_F_##name,
    MSG_FIELD_TABLE(X)
#undef X
        MSG_FIELD_COUNT
};

#define MSG_TOKEN_LEN 32

/* A match as requests name it: by its id, or (no != 0) by its small number. */
struct msg_match {
    uint8_t id[MATCH_ID_LEN];
    uint32_t no;
};

/*
 * A request's parameters. Strings and JSON values are borrowed from the request's tree. A member
 * whose bit in `has` is off is zero. `after` is a seq (match.record's is opaque: `page`); `before`
 * is a match's number.
 */
struct msg_params {
    uint64_t has; /* 1 << enum msg_field */
    int64_t protocol;
    uint32_t after, base, before, days, delay, generation, limit, max_spectators, offer_id, roll;
    bool accept, all, on, priv, rated;
    uint8_t act;   /* pause, resume, adjudicate, void, in this order (enum match_act) */
    uint8_t fair;  /* enum fair */
    uint8_t offer; /* enum offer_kind */
    uint8_t state; /* enum msg_list_state */
    uint8_t to;    /* enum msg_chat_to */
    uint8_t watch; /* enum msg_watch */
    struct msg_match match, rematch_of;
    uint8_t anchor[FD1_LEN], share[FD1_LEN], token[MSG_TOKEN_LEN], next[MSG_TOKEN_LEN];
    const char *client, *email, *figure, *id, *invite, *name, *new_password, *old_password;
    const char *opponent, *order_id, *page, *password, *player, *scenario, *side, *text;
    const char *against, *reason, *winner;       /* winner: NULL is a draw */
    const struct json *clock, *order, *readings; /* objects */
};

static inline bool msg_has(const struct msg_params *p, enum msg_field f)
{
    return (p->has >> f & 1) != 0;
}

enum msg_type {
    MSG_T_INT,    /* within min..max, to int64_t */
    MSG_T_U32,    /* within min..max, to uint32_t */
    MSG_T_BOOL,   /* to bool */
    MSG_T_TEXT,   /* min..max code points, to const char * */
    MSG_T_LINE,   /* the same without control characters */
    MSG_T_PLAIN,  /* the same, of characters that a person may send another (utf8_is_plain) */
    MSG_T_NAME,   /* a player's name, to const char * */
    MSG_T_ID,     /* [a-z0-9-]{1,32}, to const char * */
    MSG_T_SIDE,   /* the same, or null to NULL */
    MSG_T_MATCH,  /* 32 digits of lower-case hex or a number, to struct msg_match */
    MSG_T_HEX,    /* max bytes as lower-case hex, to uint8_t[max] */
    MSG_T_WORD,   /* one of words[], to uint8_t */
    MSG_T_OBJECT, /* to const struct json * */
    MSG_TYPE_COUNT
};
struct msg_param {
    uint8_t field; /* enum msg_field */
    uint8_t type;  /* enum msg_type */
    bool required;
    uint16_t offset; /* in struct msg_params */
    int64_t min, max;
    const char *const *words; /* NULL-terminated */
};
/* The parameters of a method, *n of them. Static. */
const struct msg_param *msg_method_params(enum msg_method m, size_t *n);
const char *msg_field_word(enum msg_field f);

/* ---- requests in ---- */

enum msg_id_kind { MSG_ID_NONE, MSG_ID_INT, MSG_ID_STRING };
struct msg_id {
    uint8_t kind; /* enum msg_id_kind; none: answered with null */
    int64_t i;
    const char *s; /* borrowed */
};
struct msg_request {
    struct json *tree; /* owned: msg_request_fini */
    struct msg_id id;
    uint8_t method;            /* enum msg_method */
    const struct json *params; /* object, or NULL: none given */
    struct msg_params p;
};

/*
 * Read a request's envelope. On every error out->id is set as far as it could be read, and the
 * request is to be finished too. Its tree lies in `room`.
 * ERR_PARSE: not strict JSON · ERR_INVALID: a batch, no `jsonrpc`, no usable id or method ·
 * ERR_METHOD · ERR_PARAMS: params that aren't an object
 */
NODISCARD enum err msg_parse(struct json_room *room, const char *line, size_t len,
                             const struct json_limits *limits, struct msg_request *out);
/*
 * Check and read the method's parameters into r->p. Unknown members are passed over.
 * ERR_PARAMS: *field is the (static) name of the one that is wrong or missing.
 */
NODISCARD enum err msg_read_params(struct msg_request *r, const char **field);
void msg_request_fini(struct msg_request *r);
/* From now on only the id and the method are wanted: the rest may go, and the tree with it. */
void msg_keep_id(struct msg_request *r);

/* ---- answers and notifications out: whole lines, each with its '\n', appended ---- */

/* `{"jsonrpc":"2.0","id":7,"result":`; the result and then msg_end follow. */
struct jsonw msg_result(struct buf *out, const struct msg_id *id);
/* `{"jsonrpc":"2.0","method":"server.ping","params":{`; members and then msg_note_end follow. */
struct jsonw msg_note(struct buf *out, enum msg_note n);
void msg_end(struct jsonw *w);
void msg_note_end(struct jsonw *w);
/* The whole answer `{}`. */
void msg_result_empty(struct buf *out, const struct msg_id *id);

/* What an error says beyond its reason; zeroed: nothing. */
struct msg_fault {
    const char *text;  /* NULL: err_words */
    const char *field; /* params */
    unsigned rule;     /* illegal: 13 for R13; 0: none */
    bool has_head;
    uint32_t head;    /* stale */
    int64_t retry_ms; /* rate; 0: none */
};
void msg_error(struct buf *out, const struct msg_id *id, enum err e, const struct msg_fault *f);

/* ---- requests out (clients, tests) ---- */

/* `{"jsonrpc":"2.0","id":7,"method":"…","params":{`; members and then msg_note_end follow. */
struct jsonw msg_request_out(struct buf *out, int64_t id, enum msg_method m);

#endif
