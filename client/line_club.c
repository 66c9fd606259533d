/* SPDX-License-Identifier: ISC
 * line_club.c -- line mode before a match: the people of the server, in words.
 */
#include "client/club.h"
#include "client/line_impl.h"
#include "client/words.h"
#include "common/base/str.h"

#define ROWS_SHOWN 20

static void say_refused(struct line_mode *l, const struct link_answer *a)
{
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "Refused (%s): ", err_reason(a->err));
    words_safe(a->message[0] != '\0' ? a->message : err_words(a->err), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

/* ---- who ---- */

static void on_online(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    for (const struct json *u = json_first(json_get(a->result, "online")); u != NULL;
         u = json_next(u)) {
        club_user(u, link_user(app_link(l->app)), &text);
        buf_puts(&text, ".\n");
    }
    if (a->err != ERR_OK)
        say_refused(l, a);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
    (void)link_begin(app_link(l->app), MSG_LOBBY_UNFOLLOW);
    link_send(app_link(l->app), NULL, NULL);
    line_answered(l);
}

static void who(struct line_mode *l)
{
    l->asks++;
    (void)link_begin(app_link(l->app), MSG_LOBBY_FOLLOW);
    link_send(app_link(l->app), on_online, l);
}

/* ---- ladder ---- */

static void on_ladder(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    for (const struct json *p = json_first(json_get(a->result, "players")); p != NULL;
         p = json_next(p)) {
        club_rank(p, false, &text);
        buf_puts(&text, ".\n");
    }
    if (a->err != ERR_OK)
        say_refused(l, a);
    else
        line_say(&l->out, text.len == 0 ? "Nobody is rated here yet." : buf_str(&text));
    buf_fini(&text);
    line_answered(l);
}

static void ladder(struct line_mode *l)
{
    struct jsonw *w = link_begin(app_link(l->app), MSG_PLAYER_LIST);

    jsonw_m_int(w, "limit", ROWS_SHOWN);
    l->asks++;
    link_send(app_link(l->app), on_ladder, l);
}

/* ---- history ---- */

static void on_matches(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct club_score score = {0};
    struct buf text = BUF_EMPTY;
    unsigned n = 0;

    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        club_count(&score, m, l->player);
        if (n++ >= ROWS_SHOWN)
            continue;
        club_match(m, l->player, &text);
        buf_puts(&text, ".\n");
    }
    if (a->err != ERR_OK) {
        say_refused(l, a);
    } else if (n == 0) {
        line_say(&l->out, "No finished games.");
    } else {
        line_say(&l->out, buf_str(&text));
        buf_reset(&text);
        club_score_words(&score, l->player, l->against[0] != '\0' ? l->against : NULL, &text);
        line_sayf(&l->out, "The last %u games. %s", n, buf_str(&text));
    }
    buf_fini(&text);
    line_answered(l);
}

static void on_player(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    if (a->err == ERR_OK)
        club_profile(json_get(a->result, "player"), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
    line_answered(l);
}

static void history(struct line_mode *l, char *rest)
{
    const char *player = str_word(&rest), *against = str_word(&rest);
    struct jsonw *w;

    (void)str_copy(l->player, sizeof(l->player),
                   player == NULL ? link_user(app_link(l->app)) : player);
    (void)str_copy(l->against, sizeof(l->against), against == NULL ? "" : against);
    l->asks += 2;
    w = link_begin(app_link(l->app), MSG_PLAYER_GET);
    jsonw_m_str(w, "player", l->player);
    link_send(app_link(l->app), on_player, l);
    w = link_begin(app_link(l->app), MSG_PLAYER_MATCHES);
    jsonw_m_str(w, "player", l->player);
    if (against != NULL)
        jsonw_m_str(w, "against", l->against);
    jsonw_m_int(w, "limit", 100);
    link_send(app_link(l->app), on_matches, l);
}

bool line_club_do(struct line_mode *l, const char *word, char *rest)
{
    if (str_ieq(word, "who"))
        who(l);
    else if (str_ieq(word, "ladder"))
        ladder(l);
    else if (str_ieq(word, "history"))
        history(l, rest);
    else
        return false;
    return true;
}
