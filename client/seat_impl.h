/* SPDX-License-Identifier: ISC
 * seat_impl.h -- what the files of the seat share and nobody else sees.
 */
#ifndef SK_CLIENT_SEAT_IMPL_H
#define SK_CLIENT_SEAT_IMPL_H

#include <uv.h>

#include "client/seat.h"

#define SEAT_MAGIC     0x73656174u
#define ORDER_ID_BYTES 12
#define DRIFT_MAX      3
#define RETRY_MS       1000

enum step {
    STEP_NONE,     /* the line is down, or nothing asked for yet */
    STEP_SITTING,  /* create or join is under way */
    STEP_SCENARIO, /* scenario.get is under way */
    STEP_SYNC,     /* sync is under way */
    STEP_THERE
};

struct flight {
    bool on, sent; /* sent: an answer is waited for */
    char id[2 * ORDER_ID_BYTES + 1];
    uint32_t base, seq; /* seq: of its entry, 0 unknown */
    struct buf order;
    bool again; /* sent again after a lost line */
};

struct seat {
    uint32_t magic;
    struct link *link;
    struct seat_wish wish;
    struct seat_hooks hooks;
    enum step step;
    bool has_model, has_keeper, seated, asked_create, told_back, failed;
    unsigned drifts;
    uint32_t drift_at;
    struct model model;
    struct dice_keeper keeper;
    char match[MATCH_ID_HEX], invite[64];
    bool has_request;
    struct keeper_request request;
    uint32_t shared;  /* roll whose share is on its way or there */
    int32_t anchored; /* generation whose anchor is on its way; -1: none */
    struct flight flight;
    struct past *past; /* owned: the fetch under way, or NULL */
    uv_timer_t *timer; /* own allocation: outlives the seat until libuv has closed it */
};

/* ---- seat.c ---- */
void seat_say(struct seat *s, enum seat_news kind, const char *text);
/* No seat to be had; said once. */
void seat_fail(struct seat *s, int code, const char *why);
/* The same for a refusal, with the server's words. */
void seat_fail_answer(struct seat *s, const char *what, const struct link_answer *a);
/* Was it refused only for now (too fast, busy, not saved)? Then what is owed is looked at again when
 * the server says so. */
NODISCARD bool seat_try_later(struct seat *s, const struct link_answer *a);
/* One more entry is confirmed: a model_sink's. */
void seat_on_entry(void *data, const struct model *m, bool live);
/* At the head: give what is owed, settle what is open, tell the front end. */
void seat_reconcile(struct seat *s);

/* ---- seat_sync.c ---- */
/* The line is up: get to our place. */
void seat_sit(struct seat *s);
void seat_sync_now(struct seat *s);
/* A page or event was taken in: go on as it needs. */
void seat_took(struct seat *s, enum model_need need, const char *why);

/* ---- seat_past.c ---- */
/* At the head (again): ask, if a fetch is under way. */
void seat_past_up(struct seat *s);
void seat_past_free(struct seat *s);

/* ---- seat_play.c ---- */
/* Give what our part in the dice owes; say it when the server went back. */
void seat_settle_dice(struct seat *s);
void seat_take_request(struct seat *s, const struct json *params);
/* End our order if its events are there, or send it once more. */
void seat_settle_order(struct seat *s);

#endif
