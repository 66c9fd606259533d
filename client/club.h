/* SPDX-License-Identifier: ISC
 * club.h -- the people of a server in words: who is here, the ladder, profiles, finished games.
 *
 * From what lobby.follow, player.list, player.get and player.matches give; the same words for the
 * commands, line mode and the full screen. Pure; appended to `out` without a line end. What players
 * call themselves is written as words_safe does.
 */
#ifndef SK_CLIENT_CLUB_H
#define SK_CLIENT_CLUB_H

#include "common/base/buf.h"
#include "proto/json.h"

/* "Ann, member (you)". `user`: of lobby.follow's online; `me`: our name. */
void club_user(const struct json *user, const char *me, struct buf *out);
/* " plays Bob at First Blood (#142), turn 3" from a live match's summary, or nothing. */
void club_game(const struct json *match, const char *player, struct buf *out);
/* "  3. Ann                   1534 +/-62    12 games  here", `columns`; else "3. Ann, 1534 +/-62, 12
 * games, here." */
void club_rank(const struct json *row, bool columns, struct buf *out);
/* "Ann, member, here. Rated 1534 +/-62. 12 games: 7 won, 4 lost, 1 drawn. ..." */
void club_profile(const struct json *player, struct buf *out);
/* "#142 2026-11-30 First Blood: red against Bob, won by eliminate." as `player` saw it. */
void club_match(const struct json *match, const char *player, struct buf *out);

/* Games of one player, counted. */
struct club_score {
    unsigned won, lost, drawn, void_; /* void_: of no account, or not theirs */
};
void club_count(struct club_score *score, const struct json *match, const char *player);
/* "Ann against Bob: 3 won, 1 lost, 1 drawn." */
void club_score_words(const struct club_score *score, const char *player, const char *against,
                      struct buf *out);

#endif
