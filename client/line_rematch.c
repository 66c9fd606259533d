/* SPDX-License-Identifier: ISC
 * line_rematch.c -- behind the end of a game: another one against the same player.
 *
 * The seat is left from a callback of the link, never from one of its own.
 */
#include "client/line_impl.h"
#include "client/words.h"
#include "common/base/hex.h"
#include "common/base/str.h"

/* From this match to that one. */
static void move_over(struct line_mode *l, const char *match)
{
    app_stand(l->app);
    (void)str_copy(l->wish_text[0], sizeof(l->wish_text[0]), match);
    l->wish = (struct seat_wish){
        .goal = SEAT_JOIN, .match = l->wish_text[0], .go_on = l->opt->wish.go_on};
    l->rematch[0] = '\0';
    l->ready = l->awaits_over = l->told_over = false;
    l->shown_turn = 0;
    l->shown_side = RULES_NOBODY;
    app_sit(l->app, &l->wish);
}

static void say_refused(struct line_mode *l, const struct link_answer *a)
{
    struct buf text = BUF_EMPTY;

    if (a->err == ERR_EOF)
        buf_puts(&text, "The line was lost before the answer; ask again.");
    else
        buf_printf(&text, "Refused (%s): ", err_reason(a->err));
    if (a->err != ERR_EOF)
        words_safe(a->message, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void on_made(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    const char *id = NULL;

    if (a->err != ERR_OK || !json_get_string(a->result, "match", &id) || !url_is_match(id)) {
        say_refused(l, a);
    } else {
        line_say(&l->out, "A rematch is offered, with the sides swapped; it begins when the other "
                          "player takes it.");
        move_over(l, id);
    }
    line_answered(l);
}

/* The challenge was taken (or is ours already): sit down at it. */
static void on_taken(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    char match[MATCH_ID_HEX];

    if (a->err != ERR_OK) {
        say_refused(l, a);
        l->rematch[0] = '\0';
    } else {
        (void)str_copy(match, sizeof(match), l->rematch);
        move_over(l, match);
    }
    line_answered(l);
}

static void on_declined(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;

    l->rematch[0] = '\0';
    if (a->err != ERR_OK)
        say_refused(l, a);
    line_answered(l);
}

void line_challenged(struct line_mode *l, const struct json *notice)
{
    const struct model *m = line_model(l);
    const char *id = NULL;

    if (m == NULL || !json_get_string(notice, "match", &id) || !url_is_match(id) ||
        !str_copy(l->rematch, sizeof(l->rematch), id))
        return;
    line_say(&l->out, m->audit.over ? "`accept` sits down at it, `decline` refuses it."
                                    : "When this game is over, `accept` sits down at it.");
}

bool line_answer_challenge(struct line_mode *l, bool accept)
{
    const struct model *m = line_match(l);
    struct jsonw *w;

    if (l->rematch[0] == '\0' || (accept && !m->audit.over))
        return false;
    l->asks++;
    w = link_begin(app_link(l->app), accept ? MSG_MATCH_JOIN : MSG_MATCH_DECLINE);
    jsonw_m_str(w, "match", l->rematch);
    link_send(app_link(l->app), accept ? on_taken : on_declined, l);
    return true;
}

void line_rematch(struct line_mode *l)
{
    const struct model *m = line_match(l);
    struct buf clock = BUF_EMPTY, readings = BUF_EMPTY;
    struct jsonw *w;

    if (!m->audit.over || m->role > ROLE_B) {
        line_say(&l->out, m->role > ROLE_B ? "Only who played may ask for a rematch."
                                           : "This game isn't over yet.");
        return;
    }
    if (line_answer_challenge(l, true))
        return; /* the other side was first */
    l->asks++;
    w = link_begin(app_link(l->app), MSG_MATCH_CREATE);
    jsonw_m_str(w, "scenario", m->scn->id);
    jsonw_m_str(w, "side", "random"); /* the server swaps them */
    clock_rule_to_json(&m->audit.clock, &clock);
    jsonw_m_raw(w, "clock", buf_str(&clock), clock.len);
    buf_fini(&clock);
    jsonw_m_str(w, "fair", fair_word((enum fair)m->audit.fair));
    jsonw_m_bool(w, "rated", m->audit.rated);
    readings_to_json(&model_board(m)->readings, &readings);
    jsonw_m_raw(w, "readings", buf_str(&readings), readings.len);
    buf_fini(&readings);
    if (m->delay > 0)
        jsonw_m_int(w, "delay", m->delay);
    if (m->max_spectators > 0)
        jsonw_m_int(w, "max_spectators", m->max_spectators);
    jsonw_m_hex(w, "rematch_of", m->audit.match, MATCH_ID_LEN);
    link_send(app_link(l->app), on_made, l);
}
