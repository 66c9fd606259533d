/* SPDX-License-Identifier: ISC
 * model.h -- one match as the server has confirmed it, checked entry by entry.
 *
 * Fed with the results of match.sync and with notifications; pure (told the time). Screens, line
 * mode and bots read it and never change it.
 */
#ifndef SK_CLIENT_MODEL_H
#define SK_CLIENT_MODEL_H

#include "client/audit.h"

/* What is to be done after feeding. */
enum model_need {
    MODEL_GOOD,
    MODEL_MORE,   /* a page was taken: sync again after audit.head */
    MODEL_RESYNC, /* something doesn't fit (why says what): model_restart and sync again */
    MODEL_BACK    /* the server's head lies behind one that was seen (DICE D7) */
};

struct model_clock {
    bool known;
    int64_t left_ms[2];
    uint8_t running; /* enum rules_side; RULES_NOBODY: nobody's */
    bool paused;
    struct mono at; /* left_ms as of then */
};
struct model_seat {
    bool known, online;
    int64_t away_ms; /* offline for so long when it was told */
};

struct model {
    struct scenario *scn; /* owned */
    struct audit audit;
    char match[MATCH_ID_HEX];
    uint8_t role;   /* enum role of ours; ROLE_COUNT: we look on */
    bool synced;    /* at the head, and events follow */
    bool trusted;   /* begun from a position that the server gave: what was before isn't checked */
    bool caught_up; /* was at the head once */
    uint32_t told;  /* newest entry that the sink was told of */
    struct model_clock clock;
    struct model_seat seat[2]; /* by role */
    uint32_t spectators;
    uint32_t delay;          /* phases that who looks on is behind, as the match was opened with */
    uint32_t max_spectators; /* likewise; 0: as many as the server takes */
};

/* Told of every entry as it is confirmed; m->audit.last is it. live: new,
 * not part of catching up or of taking the journal again. */
struct model_sink {
    void *data;
    void (*entry)(void *data, const struct model *m, bool live);
};

/* Takes `scn`. Nothing known yet. */
void model_init(struct model *m, struct scenario *scn);
void model_fini(struct model *m);
/* Forget the journal, to take it from its beginning (or from a given position) again. */
void model_restart(struct model *m);

/* Scenario of a sync's result, before there is a model. False: not a sync's result. */
NODISCARD bool model_sync_scenario(const struct json *result, const char **id,
                                   uint8_t hash[RULES_HASH_LEN]);
/* Result of match.sync or match.watch. why[] with MODEL_RESYNC and MODEL_BACK. */
enum model_need model_sync(struct model *m, const struct json *result,
                           const struct model_sink *sink, char why[AUDIT_WHY_LEN]);
/* Params of match.event. Events before the head is reached, and ones seen, are passed over. */
enum model_need model_event(struct model *m, const struct json *params, struct mono now,
                            const struct model_sink *sink, char why[AUDIT_WHY_LEN]);
/*
 * Take `whole`, an audit of the same journal from its first entry, for one that began at a position
 * that the server gave. False: it isn't at the same entry, or tells otherwise; nothing changes.
 * True: `whole` is empty.
 */
NODISCARD bool model_adopt(struct model *m, struct audit *whole);
void model_presence(struct model *m, const struct json *params);
void model_clock(struct model *m, const struct json *params, struct mono now);

/* Our side; RULES_NOBODY for spectators and before it is known. */
enum rules_side model_side(const struct model *m);
static inline const struct rules_state *model_state(const struct model *m)
{
    return &m->audit.game.rules.state;
}
/* The board as played; NULL before anything is known. */
static inline const struct rules_board *model_board(const struct model *m)
{
    return m->audit.board;
}
/* Can we give an order now? */
bool model_may_order(const struct model *m);
/* Time left of `side` at `now`; false: no clock. */
bool model_left(const struct model *m, enum rules_side side, struct mono now, int64_t *left_ms);
/* "dice checked", "server-only dice, checked", "dice checked from roll 20 on", "no dice checked
 * yet". Appended. */
void model_dice_words(const struct model *m, struct buf *out);
/* "Result: red, eliminate, turn 10. Match ..., entry 285, hash ..., state ...; dice checked." */
void model_result_words(const struct model *m, struct buf *out);

#endif
