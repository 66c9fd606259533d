/* SPDX-License-Identifier: ISC
 * line_impl.h -- what the files of line mode share and nobody else sees.
 */
#ifndef SK_CLIENT_LINE_IMPL_H
#define SK_CLIENT_LINE_IMPL_H

#include "client/input.h"
#include "client/line_mode.h"
#include "client/line_out.h"
#include "client/orders.h"

#define LINE_ANY_TIME UINT32_MAX

struct line_queued {
    char *text;      /* owned */
    uint32_t played; /* newest entry of play when it was typed with the line down; else
                        LINE_ANY_TIME */
};

struct line_mode {
    const struct options *opt;
    struct app *app;
    struct input *input;
    struct line_out out;
    struct line_queued *queue; /* owned; not yet done, oldest first */
    size_t n_queue, cap_queue;
    bool typed, ended, left;
    bool ready;          /* the match was shown */
    bool down;           /* the line is down, and that was said */
    bool told_over;      /* the end was told, and the player is still here */
    bool awaits_over;    /* a resignation or claim was granted */
    uint32_t played;     /* newest entry of play: order, roll or event */
    unsigned asks;       /* requests whose answers are waited for */
    uint16_t shown_turn; /* whose phase was announced last */
    uint8_t shown_side;
    struct seat_wish wish; /* made in the lobby; its strings in wish_text */
    char wish_text[3][64];
    char player[NAME_LEN + 1], against[NAME_LEN + 1]; /* whose history was asked for */
    char rematch[MATCH_ID_HEX]; /* the other's challenge, told while we sit; "": none */
};

static inline const struct model *line_model(const struct line_mode *l)
{
    const struct seat *s = app_seat(l->app);

    return s == NULL ? NULL : seat_model(s);
}
/* The same where a match must be known. */
static inline const struct model *line_match(const struct line_mode *l)
{
    const struct model *m = line_model(l);

    CHECK(m != NULL && m->scn != NULL);
    return m;
}
/* Leave with this code. */
void line_leave(struct line_mode *l, int code);
/* The answer to a request that has nothing to show but its end: call it last. */
void line_answered(struct line_mode *l);

/* ---- line_do.c ---- */
/* May the line be done now, or must it wait? */
bool line_may_do(const struct line_mode *l, const char *line);
/* Is it an order that was typed while the line was down, and has the board moved on since? */
bool line_is_late(const struct line_mode *l, const char *line, uint32_t played);
void line_say_late(struct line_mode *l, const char *line);
/* Do a line of a match. */
void line_do(struct line_mode *l, const char *line);
/* "Refused (R12): ..." of an order that was sent. */
void line_refused(struct line_mode *l, const struct seat_order_end *end);
/* The match at first sight. */
void line_intro(struct line_mode *l);
/* Whose phase it is, when that is new. */
void line_announce(struct line_mode *l);

/* ---- line_rematch.c ---- */
/* Ask for another game, sides swapped; or take the one that the other side has asked for. */
void line_rematch(struct line_mode *l);
/* A notice of a challenge to us. */
void line_challenged(struct line_mode *l, const struct json *notice);
/* Take that challenge (once the game is over) or decline it. False: there is none to answer now. */
bool line_answer_challenge(struct line_mode *l, bool accept);

/* ---- line_lobby.c ---- */
void line_lobby_up(struct line_mode *l);
/* Do a line of the lobby. */
void line_lobby_do(struct line_mode *l, const char *line);

/* ---- line_club.c ---- */
/* Do a line of the lobby about people: who, ladder, history. False: it is none. */
bool line_club_do(struct line_mode *l, const char *word, char *rest);

#endif
