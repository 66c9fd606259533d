/* SPDX-License-Identifier: ISC
 * club.c -- the people of a server in words.
 */
#include "client/club.h"

#include <time.h>

#include "client/words.h"
#include "common/base/str.h"

enum result { RESULT_VOID, RESULT_WON, RESULT_LOST, RESULT_DRAWN };

static const char *text_of(const struct json *j, const char *name)
{
    const char *s = NULL;

    return json_get_string(j, name, &s) ? s : "";
}

static int64_t number_of(const struct json *j, const char *name)
{
    int64_t v = 0;

    return json_get_int(j, name, &v) ? v : 0;
}

static bool flag_of(const struct json *j, const char *name)
{
    bool v = false;

    return json_get_bool(j, name, &v) && v;
}

/* What somebody is: the role says more than that they are a member. */
static const char *kind_of(const struct json *user)
{
    const char *role = text_of(user, "role");

    return role[0] != '\0' ? role : text_of(user, "kind");
}

void club_user(const struct json *user, const char *me, struct buf *out)
{
    words_safe(text_of(user, "name"), out);
    buf_puts(out, ", ");
    words_safe(kind_of(user), out);
    if (str_ieq(text_of(user, "name"), me))
        buf_puts(out, " (you)");
}

/* The side id that a player has in a match; NULL: none. */
static const char *side_of(const struct json *match, const char *player)
{
    for (const struct json *p = json_first(json_get(match, "players")); p != NULL;
         p = json_next(p)) {
        const char *name = NULL;

        if (json_string(p, &name) && str_ieq(name, player))
            return json_name(p);
    }
    return NULL;
}

/* Who sits opposite; "" nobody. */
static const char *other_of(const struct json *match, const char *player)
{
    const char *maker = text_of(match, "maker");

    return str_ieq(maker, player) ? text_of(match, "joiner") : maker;
}

static bool sits_in(const struct json *match, const char *player)
{
    return str_ieq(text_of(match, "maker"), player) || str_ieq(text_of(match, "joiner"), player);
}

void club_game(const struct json *match, const char *player, struct buf *out)
{
    const int64_t turn = number_of(match, "turn");

    if (!sits_in(match, player))
        return;
    buf_puts(out, " plays ");
    words_safe(other_of(match, player), out);
    buf_puts(out, " at ");
    words_safe(text_of(match, "title"), out);
    buf_printf(out, " (#%lld)", (long long)number_of(match, "no"));
    if (turn > 0)
        buf_printf(out, ", turn %lld", (long long)turn);
}

static void put_games(int64_t n, struct buf *out)
{
    buf_printf(out, "%lld game%s", (long long)n, n == 1 ? "" : "s");
}

void club_rank(const struct json *row, bool columns, struct buf *out)
{
    const long long rank = number_of(row, "rank"), rating = number_of(row, "rating");
    const long long deviation = number_of(row, "deviation");
    struct buf name = BUF_EMPTY;

    words_safe(text_of(row, "name"), &name);
    buf_printf(out, columns ? "%4lld. %-20s %5lld +/-%-4lld " : "%lld. %s, %lld +/-%lld, ", rank,
               buf_str(&name), rating, deviation);
    put_games(number_of(row, "games"), out);
    if (flag_of(row, "online"))
        buf_puts(out, columns ? "  here" : ", here");
    buf_fini(&name);
}

/* "; games claimed for absence: 2 against Bob" and the like, where there are any. */
static void put_by_name(const struct json *by, const char *what, struct buf *out)
{
    const char *before = what;

    for (const struct json *n = json_first(by); n != NULL; n = json_next(n)) {
        int64_t v = 0;

        if (!json_int(n, &v) || v < 1)
            continue;
        buf_printf(out, "%s %lld against ", before, (long long)v);
        words_safe(json_name(n), out);
        before = ",";
    }
    if (before != what)
        buf_putc(out, '.');
}

/* The day of a time in UNIX milliseconds, UTC. */
static void put_day(int64_t ms, struct buf *out)
{
    const time_t at = (time_t)(ms / 1000);
    struct tm tm;
    char day[16];

    if (ms > 0 && gmtime_r(&at, &tm) != NULL && strftime(day, sizeof(day), "%Y-%m-%d", &tm) > 0)
        buf_puts(out, day);
    else
        buf_puts(out, "no date");
}

static void put_rating(const struct json *player, struct buf *out)
{
    const struct json *rating = json_get(player, "rating");

    if (rating == NULL || json_type(rating) != JSON_OBJECT) {
        buf_puts(out, " Unrated.");
        return;
    }
    buf_printf(out, " Rated %lld +/-%lld after ", (long long)number_of(rating, "rating"),
               (long long)number_of(rating, "deviation"));
    put_games(number_of(rating, "games"), out);
    buf_putc(out, '.');
}

void club_profile(const struct json *player, struct buf *out)
{
    const int64_t since = number_of(player, "since_ms"),
                  away = number_of(player, "vacation_until_ms");

    words_safe(text_of(player, "name"), out);
    buf_puts(out, ", ");
    words_safe(kind_of(player), out);
    if (since > 0) {
        buf_puts(out, " since ");
        put_day(since, out);
    }
    buf_puts(out, flag_of(player, "online") ? ", here." : ", not here.");
    put_rating(player, out);
    buf_putc(out, ' ');
    put_games(number_of(player, "games"), out);
    buf_printf(out, " in all: %lld won, %lld lost, %lld drawn.",
               (long long)number_of(player, "won"), (long long)number_of(player, "lost"),
               (long long)number_of(player, "drawn"));
    if (away > 0) {
        buf_puts(out, " On vacation until ");
        put_day(away, out);
        buf_putc(out, '.');
    }
    put_by_name(json_get(player, "setups_owed"), " Set-ups left unfinished:", out);
    put_by_name(json_get(player, "left_behind"), " Games left to the one who waited:", out);
}

/* How it ended for a player. */
static enum result result_of(const struct json *match, const char *player)
{
    const struct json *over = json_get(match, "over");
    const char *reason = text_of(over, "reason"), *side = side_of(match, player);
    const char *winner = NULL;

    if (side == NULL || str_eq(reason, "void"))
        return RESULT_VOID;
    if (json_get_string(over, "winner", &winner))
        return str_eq(winner, side) ? RESULT_WON : RESULT_LOST;
    return str_eq(reason, "abandon") ? RESULT_VOID : RESULT_DRAWN;
}

void club_match(const struct json *match, const char *player, struct buf *out)
{
    static const char *const words[] = {[RESULT_VOID] = "no result",
                                        [RESULT_WON] = "won",
                                        [RESULT_LOST] = "lost",
                                        [RESULT_DRAWN] = "drawn"};
    const char *side = side_of(match, player), *reason = text_of(json_get(match, "over"), "reason");
    const char *other = other_of(match, player);

    buf_printf(out, "#%lld ", (long long)number_of(match, "no"));
    put_day(number_of(match, "over_ts"), out);
    buf_putc(out, ' ');
    words_safe(text_of(match, "title"), out);
    buf_puts(out, ": ");
    if (side != NULL) {
        words_safe(side, out);
        buf_putc(out, ' ');
    }
    buf_puts(out, "against ");
    words_safe(other[0] != '\0' ? other : "nobody", out);
    buf_printf(out, ", %s", words[result_of(match, player)]);
    if (reason[0] != '\0') {
        buf_puts(out, " (");
        words_safe(reason, out);
        buf_putc(out, ')');
    }
    if (flag_of(match, "rated"))
        buf_puts(out, ", rated");
}

void club_count(struct club_score *score, const struct json *match, const char *player)
{
    switch (result_of(match, player)) {
    case RESULT_VOID:
        score->void_++;
        break;
    case RESULT_WON:
        score->won++;
        break;
    case RESULT_LOST:
        score->lost++;
        break;
    case RESULT_DRAWN:
        score->drawn++;
        break;
    }
}

void club_score_words(const struct club_score *score, const char *player, const char *against,
                      struct buf *out)
{
    words_safe(player, out);
    if (against != NULL) {
        buf_puts(out, " against ");
        words_safe(against, out);
    }
    buf_printf(out, ": %u won, %u lost, %u drawn", score->won, score->lost, score->drawn);
    if (score->void_ > 0)
        buf_printf(out, ", %u without a result", score->void_);
    buf_putc(out, '.');
}
