/* SPDX-License-Identifier: ISC
 * lobby.h -- what is known of a server's lobby: matches, who is there, our own games.
 *
 * Fed with results of lobby.list, match.mine, lobby.follow and with lobby.event. Pure. Strings are
 * the server's and other players': shown only through a canvas.
 */
#ifndef SK_TUI_LOBBY_H
#define SK_TUI_LOBBY_H

#include "proto/entry.h"
#include "proto/json.h"

#define LOBBY_MATCHES_MAX 512
#define LOBBY_ONLINE_MAX  256
#define LOBBY_TITLE_LEN   60

enum lobby_state { LOBBY_OPEN, LOBBY_LIVE, LOBBY_OVER };
struct lobby_match {
    char id[MATCH_ID_HEX];
    uint32_t no;
    uint8_t state; /* enum lobby_state; a match being set up is live */
    char scenario[RULES_ID_LEN + 1], title[LOBBY_TITLE_LEN], side[RULES_ID_LEN + 1];
    char maker[NAME_LEN + 1], joiner[NAME_LEN + 1], opponent[NAME_LEN + 1];
    struct clock_rule clock;
    bool rated, is_private;
    uint32_t turn, spectators, maker_rating; /* maker_rating: 0 unknown */
    uint32_t delay, max_spectators;          /* of who looks on; 0: none */
    /* ours */
    bool mine, my_turn, has_left;
    int64_t left_ms; /* ours, when it was told */
    char invite[64];
    /* over */
    char winner[NAME_LEN + 1], reason[24];
};
struct lobby {
    char server[300];          /* how we call it */
    char user[NAME_LEN + 1];   /* we */
    struct lobby_match *match; /* owned; by number, the newest first */
    unsigned n;
    char online[LOBBY_ONLINE_MAX][NAME_LEN + 1];
    unsigned n_online;
    bool is_rated; /* we are: */
    uint32_t rating, deviation;
};

void lobby_init(struct lobby *l);
void lobby_fini(struct lobby *l);
/* Result of lobby.list: added to what is known. */
void lobby_take_list(struct lobby *l, const struct json *result);
/* Result of match.mine: which are ours. */
void lobby_take_mine(struct lobby *l, const struct json *result);
/* Result of lobby.follow: who is there. */
void lobby_take_online(struct lobby *l, const struct json *result);
/* Result of player.get about us: our rating. */
void lobby_take_me(struct lobby *l, const struct json *result);
/* Params of lobby.event. True: it is about a match of ours, so match.mine has changed. */
bool lobby_take_event(struct lobby *l, const struct json *params);
/* Forget the matches, to ask for them again. */
void lobby_forget(struct lobby *l);

/* What the lobby screen shows, in its order. */
enum lobby_part { LOBBY_MINE, LOBBY_CHALLENGES, LOBBY_TO_JOIN, LOBBY_TO_WATCH, LOBBY_PARTS };
/* Matches of a part into out[]; returns how many. Ours to move first. */
unsigned lobby_part(const struct lobby *l, enum lobby_part part,
                    const struct lobby_match *out[LOBBY_MATCHES_MAX]);
/* Matches that wait for us. */
unsigned lobby_my_turns(const struct lobby *l);

#endif
