/* SPDX-License-Identifier: ISC
 * online_match.c -- a match at a server: between seat and table.
 */
#include "client/tui/online_impl.h"

#include "client/words.h"
#include "common/base/str.h"

static const struct model *model_of(const struct online *o)
{
    const struct seat *s = app_seat(o->app);

    return s == NULL ? NULL : seat_model(s);
}

/* ---- facts ---- */

static void player_facts(const struct model *m, struct scene *v)
{
    for (unsigned side = 0; side < 2; side++) {
        struct scene_player *p = &v->player[side];
        const enum role role = audit_role_of(&m->audit, (enum rules_side)side);

        p->name = audit_player(&m->audit, (enum rules_side)side);
        p->known = role < ROLE_S && m->seat[role].known;
        p->online = p->known && m->seat[role].online;
        p->away_ms = p->known ? m->seat[role].away_ms : 0;
        p->has_left = model_left(m, (enum rules_side)side, mono_now(), &p->left_ms);
    }
    v->running = m->clock.known && !m->clock.paused ? m->clock.running : (uint8_t)RULES_NOBODY;
}

static bool is_offered(const struct model *m)
{
    const enum rules_side me = model_side(m);

    for (unsigned k = 0; me <= RULES_B && k < AUDIT_OFFER_KINDS; k++) {
        if (m->audit.offer[rules_enemy(me)][k] != 0)
            return true;
    }
    return false;
}

static void facts(void *data, struct scene *v)
{
    struct online *o = data;
    const struct model *m = model_of(o);

    v->a = m != NULL && m->audit.board != NULL ? &m->audit : NULL;
    if (v->a == NULL)
        return;
    v->me = model_side(m);
    v->may_order = model_may_order(m) && !o->down;
    v->busy = seat_is_busy(app_seat(o->app));
    v->went_back = seat_went_back(app_seat(o->app));
    v->offered = is_offered(m);
    v->spectators = m->spectators;
    v->behind = seat_behind(app_seat(o->app));
    v->match = m->match;
    player_facts(m, v);
    buf_reset(&o->table.dice);
    model_dice_words(m, &o->table.dice);
    v->dice = buf_str(&o->table.dice);
    v->dice_none = m->trusted && m->audit.dice.checked == 0;
}

/* ---- what the table asks for ---- */

static void order(void *data, const struct rules_order *r)
{
    struct online *o = data;

    seat_order(app_seat(o->app), r);
    select_clear(&o->table.table.select);
}

static void on_answer(void *data, const struct link_answer *a)
{
    struct online *o = data;

    if (a->err == ERR_OK || !o->has_table)
        return;
    if (a->err == ERR_EOF)
        play_note(&o->table, true, "The line was lost before the answer; ask again.");
    else
        play_note(&o->table, true, a->message[0] != '\0' ? a->message : err_words(a->err));
}

static void say(void *data, const char *text, bool all)
{
    struct online *o = data;
    struct jsonw *w = seat_begin(app_seat(o->app), MSG_MATCH_CHAT);

    jsonw_m_str(w, "to", msg_chat_to_word(all ? CHAT_ALL : CHAT_PLAYERS));
    jsonw_m_str(w, "text", text);
    seat_send(app_seat(o->app), on_answer, o);
}

static void ask(struct online *o, enum msg_method method)
{
    (void)seat_begin(app_seat(o->app), method);
    seat_send(app_seat(o->app), on_answer, o);
}

static void offer(struct online *o, enum offer_kind kind)
{
    struct jsonw *w = seat_begin(app_seat(o->app), MSG_MATCH_OFFER);

    jsonw_m_str(w, "offer", msg_offer_word(kind));
    seat_send(app_seat(o->app), on_answer, o);
}

/* The newest thing that the other side offers. */
static void answer(struct online *o, bool accept)
{
    const struct model *m = model_of(o);
    const enum rules_side me = model_side(m);
    uint32_t newest = 0;
    struct jsonw *w;

    for (unsigned k = 0; me <= RULES_B && k < AUDIT_OFFER_KINDS; k++)
        newest = MAX(newest, m->audit.offer[rules_enemy(me)][k]);
    if (newest == 0)
        return;
    w = seat_begin(app_seat(o->app), MSG_MATCH_ANSWER);
    jsonw_m_int(w, "offer_id", newest);
    jsonw_m_bool(w, "accept", accept);
    seat_send(app_seat(o->app), on_answer, o);
}

/* ---- the game before we came ---- */

static void on_past(void *data, const struct audit *a)
{
    struct online *o = data;

    film_add(&o->past, a, RULES_NOBODY);
    luck_entry(&o->past_luck, a);
}

static void on_past_end(void *data, bool good, const char *why)
{
    struct online *o = data;
    struct buf text = BUF_EMPTY;

    if (good) {
        play_whole(&o->table, &o->past, &o->past_luck);
        play_note(&o->table, false, "");
    } else {
        buf_puts(&text, "The game's beginning can't be had: ");
        words_safe(why, &text);
        play_note(&o->table, true, buf_str(&text));
        buf_fini(&text);
    }
    film_fini(&o->past);
}

/* A step back: whoever came later lacks what was before, and gets it once. */
static void fetch_past(struct online *o)
{
    const struct seat_past_hooks hooks = {o, on_past, on_past_end};

    if (!seat_lacks_past(app_seat(o->app)) || o->past.n > 0)
        return;
    memset(&o->past_luck, 0, sizeof(o->past_luck));
    play_note(&o->table, false, "The game so far is being fetched and checked.");
    seat_fetch_past(app_seat(o->app), &hooks);
}

static void act(void *data, enum action a)
{
    struct online *o = data;

    if (a == ACT_QUIT) {
        o->must_stand = true;
        shell_wake(o->shell, 0);
    } else if (app_seat(o->app) == NULL || model_of(o) == NULL) {
        return;
    } else if (a == ACT_BACK) {
        fetch_past(o);
    } else if (a == ACT_YES || a == ACT_NO) {
        answer(o, a == ACT_YES);
    } else if (a == ACT_DRAW) {
        offer(o, OFFER_DRAW);
    } else if (a == ACT_PAUSE) {
        offer(o, OFFER_PAUSE);
    } else if (a == ACT_ASK_UNDO) {
        offer(o, OFFER_UNDO);
    } else if (a == ACT_RESIGN) {
        ask(o, MSG_MATCH_RESIGN);
    } else if (a == ACT_CLAIM) {
        ask(o, MSG_MATCH_CLAIM);
    } else if (a == ACT_GO_ON) {
        seat_go_on(app_seat(o->app));
    }
}

/* ---- from the seat ---- */

/* Tell, once, that it has become our turn: a bell and a title, as set. */
static void look_whose_turn(struct online *o)
{
    const struct model *m = model_of(o);
    const bool mine = m != NULL && model_may_order(m);

    if (mine == o->my_turn)
        return;
    o->my_turn = mine;
    if (mine && o->set->bell)
        term_bell(shell_term(o->shell));
    term_title(shell_term(o->shell), mine ? "* your turn - Skirmish" : "Skirmish");
}

/* The match is there: call the bot to it, by its invite. */
static void call_bot(struct online *o)
{
    const struct seat *s = app_seat(o->app);

    if (o->with == NULL || o->bot_called)
        return;
    o->bot_called = true;
    if (solo_bot(o->with->solo, seat_match(s), seat_invite(s), o->with->level) != EX_OK)
        online_note(o, "The bot could not be started.");
}

static void on_ready(void *data)
{
    struct online *o = data;
    struct buf words = BUF_EMPTY;

    if (!o->has_table)
        return;
    call_bot(o);
    play_settled(&o->table);
    words_position(&model_of(o)->audit, model_side(model_of(o)), &words);
    log_add(&o->table.log, LOG_NEWS, buf_str(&words));
    buf_fini(&words);
    play_back(&o->table);
    look_whose_turn(o);
}

static void on_entry(void *data, bool live)
{
    struct online *o = data;
    const struct model *m = model_of(o);

    if (!o->has_table || m->audit.board == NULL)
        return;
    if (o->table.film.n > 0 && m->audit.last.seq <= o->table.film.frame[o->table.film.n - 1].seq) {
        film_fini(&o->table.film); /* the match is taken again */
        memset(o->table.luck, 0, sizeof(*o->table.luck));
    }
    o->table.scene.me = model_side(m);
    play_entry(&o->table, &m->audit, live, seat_is_busy(app_seat(o->app)));
}

static void on_settled(void *data)
{
    struct online *o = data;
    const struct model *m = model_of(o);

    if (!o->has_table || m == NULL)
        return;
    if (o->with != NULL)
        solo_match(o->with->solo, seat_match(app_seat(o->app)), m->audit.over);
    play_settled(&o->table);
    look_whose_turn(o);
}

static void on_order_end(void *data, const struct seat_order_end *end)
{
    struct online *o = data;
    struct buf text = BUF_EMPTY;

    if (end->end == SEAT_MISSED)
        buf_puts(&text, "The order did not arrive before the line was lost; nothing happened.");
    else if (end->end == SEAT_REFUSED) {
        buf_puts(&text, "Refused");
        if (end->rule[0] != '\0')
            buf_printf(&text, " (%s)", end->rule);
        buf_puts(&text, ": ");
        words_safe(end->message[0] != '\0' ? end->message : err_words(end->err), &text);
    }
    play_note(&o->table, text.len > 0, buf_str(&text));
    buf_fini(&text);
    play_settled(&o->table);
    look_whose_turn(o);
}

static void on_chat(void *data, const char *from, const char *text, bool all)
{
    struct online *o = data;
    struct buf line = BUF_EMPTY;

    if (!o->has_table)
        return;
    words_safe(from, &line);
    buf_puts(&line, all ? " to all: " : ": ");
    words_safe(text, &line);
    log_add(&o->table.log, LOG_CHAT, buf_str(&line));
    buf_fini(&line);
    shell_dirty(o->shell);
}

static void on_presence(void *data)
{
    struct online *o = data;

    shell_dirty(o->shell);
}

static void on_say(void *data, enum seat_news kind, const char *text)
{
    struct online *o = data;

    if (!o->has_table)
        return;
    log_add(&o->table.log, kind == SEAT_ALARM ? LOG_ALARM : LOG_NEWS, text);
    o->table.scene.dice_bad = o->table.scene.dice_bad || kind == SEAT_ALARM;
    shell_dirty(o->shell);
}

static void on_failed(void *data, int code, const char *why)
{
    struct online *o = data;

    if (!o->has_lobby) {
        app_leave(o->app, cmd_fail(code, "%s", why));
        return;
    }
    (void)str_copy(o->note, sizeof(o->note), why);
    o->must_stand = true;
    shell_wake(o->shell, 0);
}

struct seat_hooks online_seat_hooks(struct online *o)
{
    return (struct seat_hooks){.data = o,
                               .ready = on_ready,
                               .entry = on_entry,
                               .settled = on_settled,
                               .order_end = on_order_end,
                               .chat = on_chat,
                               .presence = on_presence,
                               .say = on_say,
                               .failed = on_failed};
}

/* ---- coming and going ---- */

void online_sit(struct online *o, bool sit)
{
    const struct play_port port = {o, facts, order, say, act};
    const enum scene_kind kind = o->wish.goal == SEAT_WATCH ? SCENE_WATCH : SCENE_MATCH;

    play_init(&o->table, o->shell, o->set, kind, &port);
    o->wish.from_state = o->wish.goal == SEAT_WATCH;
    o->table.scene.lobby = o->has_lobby;
    o->has_table = true;
    o->at = ONLINE_TABLE;
    o->my_turn = false;
    if (sit)
        app_sit(o->app, &o->wish);
}

void online_stand(struct online *o)
{
    o->must_stand = false;
    if (!o->has_lobby) {
        app_leave(o->app, EX_OK);
        return;
    }
    if (app_seat(o->app) != NULL && link_is_up(app_link(o->app)) &&
        seat_match(app_seat(o->app))[0] != '\0') {
        (void)seat_begin(app_seat(o->app), MSG_MATCH_UNWATCH);
        seat_send(app_seat(o->app), NULL, NULL);
    }
    app_stand(o->app);
    link_forget(app_link(o->app), o);
    if (o->has_table)
        play_fini(&o->table);
    film_fini(&o->past);
    o->has_table = false;
    o->my_turn = false;
    term_title(shell_term(o->shell), "Skirmish");
    online_to_lobby(o);
}
