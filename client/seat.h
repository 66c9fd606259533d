/* SPDX-License-Identifier: ISC
 * seat.h -- our place at one match: gets us there, keeps the model true, plays our part in the
 * dice, and sees each order to its end.
 *
 * Sits between link and model. Whatever happens to the line, after it is up again the seat syncs
 * and settles what was open: an order in flight ends exactly once, or is said not to have arrived.
 */
#ifndef SK_CLIENT_SEAT_H
#define SK_CLIENT_SEAT_H

#include "client/dice_keeper.h"
#include "client/link.h"
#include "client/model.h"

enum seat_goal { SEAT_CREATE, SEAT_JOIN, SEAT_WATCH };
/* What is wished for. Strings are borrowed for the seat's life; NULL: not given. */
struct seat_wish {
    enum seat_goal goal;
    const char *scenario, *side; /* create; side: an id or "random" */
    struct clock_rule clock;     /* create */
    bool has_fair, rated, is_private;
    uint8_t fair; /* enum fair */
    const char *opponent;
    uint32_t delay;          /* create: phases that who looks on is behind */
    uint32_t max_spectators; /* create: at a time; 0: as many as the server takes */
    const char *match;       /* join, watch: id or number; "any": join the oldest open match */
    const char *invite;
    bool from_state; /* watch: begin at the position that the server gives; seat_fetch_past brings
                        what was before */
    bool is_errand;  /* join: we sit there, and are there for the dice alone (client/errands.h) */
    bool go_on;      /* follow a server that went back without being told to (DICE D7) */
};

enum seat_end {
    SEAT_TAKEN,   /* accepted, and all its events are confirmed */
    SEAT_REFUSED, /* nothing changed */
    SEAT_MISSED   /* the line was lost before it arrived: nothing changed */
};
struct seat_order_end {
    enum seat_end end;
    uint32_t seq;        /* taken */
    enum err err;        /* refused, missed: the wire's reason */
    const char *rule;    /* refused: "R13" or "" */
    const char *message; /* refused: the server's words, untrusted; "" if none */
};
enum seat_news {
    SEAT_INFO,    /* where things stand */
    SEAT_TROUBLE, /* the line, the server */
    SEAT_ALARM    /* the dice or the record don't check, the server went back */
};

struct seat_hooks {
    void *data;
    void (*ready)(void *data);            /* caught up with the match: first, and after each gap */
    void (*entry)(void *data, bool live); /* one more entry is confirmed: model.audit.last */
    void (*settled)(void *data);          /* a line was taken in whole: look what can be done now */
    void (*order_end)(void *data, const struct seat_order_end *end);
    void (*chat)(void *data, const char *from, const char *text, bool all);
    void (*presence)(void *data);
    void (*say)(void *data, enum seat_news kind, const char *text);
    void (*failed)(void *data, int code, const char *why); /* no seat to be had; sysexits code */
};

struct seat;
/* *wish is copied, `link` borrowed; the caller forwards the link's hooks. NULL never. */
struct seat *seat_new(struct uv_loop_s *loop, struct link *link, const struct seat_wish *wish,
                      const struct seat_hooks *hooks);
/* After link_free: the link's callbacks borrow the seat. */
void seat_free(struct seat *s);
void seat_up(struct seat *s);
void seat_down(struct seat *s);
void seat_note(struct seat *s, enum msg_note note, const struct json *params);

/* What is known; NULL until the scenario is. */
const struct model *seat_model(const struct seat *s);
/* The match's id or number as far as it is known, "" before. The invite of our private match. */
const char *seat_match(const struct seat *s);
const char *seat_invite(const struct seat *s);

/* How many phases ago it is what we see: 0 for those who play, for umpires, and once it is over. */
uint32_t seat_behind(const struct seat *s);

/* Did following begin at a position that the server gave, so that what was before is unknown? */
bool seat_lacks_past(const struct seat *s);
struct seat_past_hooks {
    void *data;
    void (*entry)(void *data, const struct audit *a); /* each from the first on: a->last, checked */
    /* All of them, and the model is whole; or why not (untrusted text): then nothing has changed. */
    void (*end)(void *data, bool good, const char *why);
};
/* Fetch what is lacking, once, by match.record; nothing if nothing is, or it is under way. */
void seat_fetch_past(struct seat *s, const struct seat_past_hooks *hooks);

/* Is an order under way? */
bool seat_is_busy(const struct seat *s);
/* Give an order (model_may_order, not busy); order_end follows. */
void seat_order(struct seat *s, const struct rules_order *o);
/* Begin a request of ours about this match ("match" is written); then seat_send. */
struct jsonw *seat_begin(struct seat *s, enum msg_method m);
void seat_send(struct seat *s, link_answer_fn fn, void *data);
/* Did the server go back, and wait for the player's word? */
bool seat_went_back(const struct seat *s);
/* The player's word to go on with it. */
void seat_go_on(struct seat *s);

#endif
