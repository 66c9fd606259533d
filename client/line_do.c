/* SPDX-License-Identifier: ISC
 * line_do.c -- the lines of a match: orders and questions.
 */
#include "client/describe.h"
#include "client/draw.h"
#include "client/line_impl.h"
#include "client/words.h"
#include "common/base/hex.h"
#include "common/base/msec.h"
#include "common/base/str.h"

bool line_is_late(const struct line_mode *l, const char *line, uint32_t played)
{
    const struct model *m = line_model(l);
    enum command_kind kind;

    return played != LINE_ANY_TIME && played != l->played && m != NULL && m->synced &&
           orders_kind(line, &kind) && orders_is_order(kind);
}

void line_say_late(struct line_mode *l, const char *line)
{
    struct buf text = BUF_EMPTY;

    buf_puts(&text, "Not sent, the board has moved on since it was typed: ");
    words_safe(line, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

bool line_may_do(const struct line_mode *l, const char *line)
{
    const struct model *m;
    enum command_kind kind;
    bool busy;

    if (app_seat(l->app) == NULL)
        return link_is_up(app_link(l->app)) && l->asks == 0;
    m = line_model(l);
    busy = seat_is_busy(app_seat(l->app)) || l->asks > 0 || l->awaits_over;
    if (!orders_kind(line, &kind) || kind == COMMAND_COUNT || kind == COMMAND_HELP)
        return l->typed || !busy;
    if (kind == COMMAND_QUIT)
        return l->typed || (!busy && m != NULL && l->ready);
    if (m == NULL || !l->ready || !m->synced)
        return false;
    if (orders_is_order(kind) && !m->audit.over && model_side(m) != RULES_NOBODY)
        return !busy && model_may_order(m);
    if (orders_is_order(kind) && !m->audit.started && m->role <= ROLE_B && !m->audit.over)
        return false;
    return l->typed || !busy;
}

/* ---- orders ---- */

static void put_hint(const struct model *m, const struct rules_order *o,
                     const struct rules_refusal *no, struct buf *out)
{
    const bool moves = o->kind == RULES_DO_MOVE && o->n_figures > 0;

    switch ((enum rules_why)no->why) {
    case RULES_WHY_NO_PATH:
    case RULES_WHY_STEP:
    case RULES_WHY_TOO_FAR:
    case RULES_WHY_UPHILL:
    case RULES_WHY_OFF_BOARD:
    case RULES_WHY_ENEMY:
    case RULES_WHY_GROUND:
    case RULES_WHY_FULL:
    case RULES_WHY_CROSSING:
    case RULES_WHY_WAGON_CROSSING:
    case RULES_WHY_WAGON_ROAD:
    case RULES_WHY_EXIT:
        if (moves) {
            buf_putc(out, ' ');
            words_reach(m->scn, model_board(m), model_state(m), o->figure[0], out);
        }
        break;
    case RULES_WHY_NO_FIGURE:
    case RULES_WHY_ACTED:
    case RULES_WHY_HALTED:
    case RULES_WHY_FALLING_BACK:
    case RULES_WHY_NO_SHOOTER:
        buf_putc(out, ' ');
        words_ready(m->scn, model_board(m), model_state(m), model_side(m), out);
        break;
    case RULES_WHY_NONE:
    case RULES_WHY_OVER:
    case RULES_WHY_NOT_YOUR_PHASE:
    case RULES_WHY_GROUP:
    case RULES_WHY_FACE:
    case RULES_WHY_UNARMED:
    case RULES_WHY_FIRED:
    case RULES_WHY_NO_TARGET:
    case RULES_WHY_BLOCKED:
    case RULES_WHY_FRIEND:
    case RULES_WHY_TOO_NEAR:
    case RULES_WHY_OUT_OF_REACH:
    case RULES_WHY_NOTHING_TO_UNDO:
    case RULES_WHY_COUNT:
        break;
    }
}

static void refuse(struct line_mode *l, const struct model *m, const struct rules_order *o,
                   const struct rules_refusal *no)
{
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "Refused (R%u): ", rules_why_rule((enum rules_why)no->why));
    refusal_words(m->scn, model_board(m), no, &text);
    buf_putc(&text, '.');
    put_hint(m, o, no, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

/* Would the rules take it? If not, say which one and what would work. */
static bool allowed(struct line_mode *l, const struct model *m, const struct said *c)
{
    struct game_events ev = {0};
    enum rules_err e = RULES_E_ILLEGAL;

    if (c->no.why != RULES_WHY_NONE)
        refuse(l, m, &c->order, &c->no);
    else
        e = game_decide_diceless(&m->audit.game, &c->order, &ev);
    if (e == RULES_E_ILLEGAL && c->no.why == RULES_WHY_NONE)
        refuse(l, m, &c->order, &ev.out.refusal);
    game_events_fini(&ev);
    return e != RULES_E_ILLEGAL;
}

/* The odds of a volley before it is fired. */
static void tell_odds(struct line_mode *l, const struct model *m, const struct rules_order *o)
{
    uint8_t figure[RULES_STACK_MAX];
    struct buf text = BUF_EMPTY;

    if (rules_at(model_board(m), model_state(m), o->square, figure) > 0)
        words_aim(m->scn, model_board(m), model_state(m), figure[0], (enum rules_dir)o->face,
                  &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void order(struct line_mode *l, const struct model *m, const struct said *c)
{
    if (model_side(m) == RULES_NOBODY) {
        line_say(&l->out, "You look on here; only the players give orders.");
        return;
    }
    if (m->audit.over) {
        line_say(&l->out, "Refused (R42): the game is over.");
        return;
    }
    if (!allowed(l, m, c))
        return;
    if (c->order.kind == RULES_DO_FIRE)
        tell_odds(l, m, &c->order);
    seat_order(app_seat(l->app), &c->order);
}

void line_refused(struct line_mode *l, const struct seat_order_end *end)
{
    struct buf text = BUF_EMPTY;

    if (end->end == SEAT_MISSED)
        buf_puts(&text, "The order did not arrive before the line was lost, and the board has "
                        "moved on: nothing was done.");
    else
        buf_printf(&text,
                   "Refused (%s): ", end->rule[0] != '\0' ? end->rule : err_reason(end->err));
    if (end->end != SEAT_MISSED)
        words_safe(end->message[0] != '\0' ? end->message : err_words(end->err), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

/* ---- requests without much of an answer ---- */

static void on_answer(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;
    struct buf text = BUF_EMPTY;

    if (a->err == ERR_EOF) {
        line_say(&l->out, "The line was lost before the answer; ask again.");
    } else if (a->err != ERR_OK) {
        buf_printf(&text, "Refused (%s): ", err_reason(a->err));
        words_safe(a->message, &text);
        line_say(&l->out, buf_str(&text));
    }
    buf_fini(&text);
    line_answered(l);
}

/* A resignation or claim that is granted ends the game: its end is waited for. */
static void on_end_asked(void *data, const struct link_answer *a)
{
    struct line_mode *l = data;

    l->awaits_over = a->err == ERR_OK && !line_match(l)->audit.over;
    on_answer(l, a);
}

static void end_game(struct line_mode *l, enum msg_method how)
{
    l->asks++;
    (void)seat_begin(app_seat(l->app), how);
    seat_send(app_seat(l->app), on_end_asked, l);
}

static void send(struct line_mode *l)
{
    l->asks++;
    seat_send(app_seat(l->app), on_answer, l);
}

static void say_text(struct line_mode *l, const char *text, bool all)
{
    struct jsonw *w = seat_begin(app_seat(l->app), MSG_MATCH_CHAT);

    jsonw_m_str(w, "to", all ? "all" : "players");
    jsonw_m_str(w, "text", text);
    send(l);
}

static void offer(struct line_mode *l, enum offer_kind kind)
{
    struct jsonw *w = seat_begin(app_seat(l->app), MSG_MATCH_OFFER);

    jsonw_m_str(w, "offer", msg_offer_word(kind));
    send(l);
}

static void answer(struct line_mode *l, const struct model *m, bool accept)
{
    const enum rules_side side = model_side(m);
    uint32_t newest = 0;
    struct jsonw *w;

    for (unsigned k = 0; side != RULES_NOBODY && k < AUDIT_OFFER_KINDS; k++)
        newest = MAX(newest, m->audit.offer[rules_enemy(side)][k]);
    if (newest == 0) {
        if (!line_answer_challenge(l, accept))
            line_say(&l->out, "Nothing is offered to you.");
        return;
    }
    w = seat_begin(app_seat(l->app), MSG_MATCH_ANSWER);
    jsonw_m_int(w, "offer_id", newest);
    jsonw_m_bool(w, "accept", accept);
    send(l);
}

/* ---- questions ---- */

static void legal(struct line_mode *l, const struct model *m, uint16_t figure)
{
    const struct rules_board *b = model_board(m);
    const enum rules_side side =
        model_side(m) == RULES_NOBODY ? (enum rules_side)model_state(m)->active : model_side(m);
    struct buf text = BUF_EMPTY;

    if (figure != RULES_NO_FIGURE) {
        words_legal(m->scn, b, model_state(m), figure, &text);
    } else {
        for (unsigned f = 0; f < b->n_figures; f++) {
            if (b->figure[f].side != side || !rules_can_act(b, model_state(m), f))
                continue;
            words_legal(m->scn, b, model_state(m), f, &text);
            buf_putc(&text, '\n');
        }
        if (text.len == 0)
            words_ready(m->scn, b, model_state(m), side, &text);
    }
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void odds(struct line_mode *l, const struct model *m, const struct said *c)
{
    const enum rules_dir face = c->face != RULES_NO_DIR
                                    ? (enum rules_dir)c->face
                                    : (enum rules_dir)model_state(m)->face[c->figure];
    struct buf text = BUF_EMPTY;

    words_aim(m->scn, model_board(m), model_state(m), c->figure, face, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void board(struct line_mode *l, const struct model *m, bool forces)
{
    const struct draw_style style = {.ascii = l->opt->ascii || !cmd_is_utf8()};
    struct buf text = BUF_EMPTY;

    if (forces) {
        words_force(m->scn, model_board(m), model_state(m), RULES_A, &text);
        words_force(m->scn, model_board(m), model_state(m), RULES_B, &text);
    } else {
        draw_board(model_board(m), model_state(m), &style, &text);
        draw_legend(model_board(m), &style, &text);
    }
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void look(struct line_mode *l, const struct model *m, const struct said *c)
{
    struct buf text = BUF_EMPTY;

    if (c->kind == COMMAND_GROUND)
        words_ground(model_board(m), &text);
    else
        words_about(m->scn, model_board(m), model_state(m), c->square, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void goals(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;

    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        buf_printf(&text, "%s%s wins by any of:\n", m->scn->side[side].name,
                   side == model_side(m) ? " (you)" : "");
        describe_wins(m->scn, (enum rules_side)side, &text);
    }
    describe_limit(m->scn, &text);
    describe_waves(m->scn, &text);
    describe_readings(&model_board(m)->readings, &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void clock_words(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;
    int64_t left;

    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        if (!model_left(m, (enum rules_side)side, mono_now(), &left))
            continue;
        buf_printf(&text, "%s has ", m->scn->side[side].name);
        words_span(left, &text);
        buf_puts(&text,
                 m->clock.running == side && !m->clock.paused ? " left, running. " : " left. ");
    }
    line_say(&l->out, text.len == 0 ? "This match has no clock." : buf_str(&text));
    buf_fini(&text);
}

static void who(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;

    for (unsigned r = ROLE_A; r <= ROLE_B; r++) {
        const uint8_t side = m->audit.side_of[r];

        if (m->audit.name[r][0] == '\0')
            continue;
        words_safe(m->audit.name[r], &text);
        if (side != RULES_NOBODY)
            buf_printf(&text, " plays %s", m->scn->side[side].name);
        if (m->role == r)
            buf_puts(&text, " (you)");
        if (m->seat[r].known)
            buf_puts(&text, m->seat[r].online ? ", is there. " : ", is away. ");
        else
            buf_puts(&text, ". ");
    }
    buf_printf(&text, "%u look%s on", m->spectators, m->spectators == 1 ? "s" : "");
    if (m->delay > 0 && !m->audit.over) {
        buf_puts(&text, ", delayed by ");
        words_phases(m->delay, &text);
    }
    buf_putc(&text, '.');
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void dice(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;
    char hash[2 * FD1_LEN + 1];

    hex_encode(hash, m->audit.hash, FD1_LEN);
    model_dice_words(m, &text);
    buf_printf(&text, ": %u rolls, %s. Entry %u, hash %s.", m->audit.dice.checked,
               fair_word((enum fair)m->audit.fair), m->audit.head, hash);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void status(struct line_mode *l, const struct model *m)
{
    struct buf text = BUF_EMPTY;

    words_position(&m->audit, model_side(m), &text);
    if (!m->audit.over && m->audit.started) {
        buf_putc(&text, ' ');
        words_ready(m->scn, model_board(m), model_state(m), (enum rules_side)model_state(m)->active,
                    &text);
    }
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

static void help(struct line_mode *l)
{
    struct buf text = BUF_EMPTY;

    orders_help(&text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

/* Things asked of the client alone. False: it is no such command. */
static bool do_question(struct line_mode *l, const struct model *m, const struct said *c)
{
    if (c->kind == COMMAND_LEGAL)
        legal(l, m, c->figure);
    else if (c->kind == COMMAND_ODDS)
        odds(l, m, c);
    else if (c->kind == COMMAND_BOARD || c->kind == COMMAND_FIGURES)
        board(l, m, c->kind == COMMAND_FIGURES);
    else if (c->kind == COMMAND_LOOK || c->kind == COMMAND_GROUND)
        look(l, m, c);
    else if (c->kind == COMMAND_GOALS)
        goals(l, m);
    else if (c->kind == COMMAND_LOG)
        line_log(&l->out, c->number);
    else if (c->kind == COMMAND_STATUS)
        status(l, m);
    else if (c->kind == COMMAND_CLOCK)
        clock_words(l, m);
    else if (c->kind == COMMAND_WHO)
        who(l, m);
    else if (c->kind == COMMAND_DICE)
        dice(l, m);
    else
        return false;
    return true;
}

static void go_on(struct line_mode *l)
{
    if (seat_went_back(app_seat(l->app)))
        seat_go_on(app_seat(l->app));
    else
        line_say(&l->out, "The server didn't go back; there is nothing to go on from.");
}

/* Things asked of the server. */
static void do_request(struct line_mode *l, const struct model *m, const struct said *c)
{
    if (c->kind == COMMAND_SAY || c->kind == COMMAND_SAY_ALL)
        say_text(l, c->text, c->kind == COMMAND_SAY_ALL || m->role > ROLE_B);
    else if (c->kind == COMMAND_DRAW)
        offer(l, OFFER_DRAW);
    else if (c->kind == COMMAND_PAUSE)
        offer(l, OFFER_PAUSE);
    else if (c->kind == COMMAND_TAKEBACK)
        offer(l, OFFER_UNDO);
    else if (c->kind == COMMAND_REMATCH)
        line_rematch(l);
    else if (c->kind == COMMAND_ACCEPT || c->kind == COMMAND_DECLINE)
        answer(l, m, c->kind == COMMAND_ACCEPT);
    else if (c->kind == COMMAND_RESIGN && c->number == 0)
        line_say(&l->out, "That gives the game up. `resign yes` does it.");
    else if (c->kind == COMMAND_RESIGN)
        end_game(l, MSG_MATCH_RESIGN);
    else if (c->kind == COMMAND_CLAIM)
        end_game(l, MSG_MATCH_CLAIM);
    else if (c->kind == COMMAND_GO_ON)
        go_on(l);
}

/* Commands that need the match; the others are done already. */
static void do_match(struct line_mode *l, const struct model *m, const struct said *c)
{
    if (orders_is_order((enum command_kind)c->kind))
        order(l, m, c);
    else if (!do_question(l, m, c))
        do_request(l, m, c);
}

void line_do(struct line_mode *l, const char *line)
{
    const struct model *m = line_model(l);
    struct orders_place at = {.side = RULES_NOBODY};
    struct said c;
    struct buf why = BUF_EMPTY;
    enum err e;

    if (m != NULL && model_board(m) != NULL)
        at = (struct orders_place){m->scn, model_board(m), model_state(m), model_side(m)};
    e = orders_parse(&at, line, &c, &why);
    if (e != ERR_OK)
        line_say(&l->out, buf_str(&why));
    buf_fini(&why);
    if (e != ERR_OK || c.kind == COMMAND_COUNT)
        return;
    if (c.kind == COMMAND_QUIT) {
        line_leave(l, EX_OK);
        return;
    }
    if (c.kind == COMMAND_HELP)
        help(l);
    else if (m != NULL && at.board != NULL)
        do_match(l, m, &c);
}

/* ---- what is said unasked ---- */

/* How far behind we see it, or those who look on at us. Ends the sentence "You look on". */
static void put_delay(const struct line_mode *l, const struct model *m, struct buf *out)
{
    const uint32_t behind = seat_behind(app_seat(l->app));

    if (model_side(m) != RULES_NOBODY && m->delay > 0 && !m->audit.over) {
        buf_puts(out, "Who looks on sees it delayed by ");
        words_phases(m->delay, out);
        buf_puts(out, ". ");
    } else if (m->role > ROLE_B && behind > 0) {
        buf_puts(out, ", delayed by ");
        words_phases(behind, out);
        buf_puts(out, ": what happens now is told then. ");
    } else if (m->role > ROLE_B) {
        buf_puts(out, ". ");
    }
}

void line_intro(struct line_mode *l)
{
    const struct model *m = line_match(l);
    const char *invite = seat_invite(app_seat(l->app));
    struct buf text = BUF_EMPTY;

    buf_printf(&text, "Match #%u: %s, %u by %u squares, %u turns. At ", m->audit.no, m->scn->title,
               model_board(m)->w, model_board(m)->h, model_board(m)->turns);
    url_print_match(&app_options(l->app)->url, m->audit.no, &text);
    buf_puts(&text, ". ");
    if (m->audit.fair == FAIR_SERVER)
        buf_puts(&text, "Server-only dice. ");
    if (invite[0] != '\0') {
        buf_puts(&text, "Invite code: ");
        words_safe(invite, &text);
        buf_puts(&text, ". ");
    }
    if (model_side(m) != RULES_NOBODY)
        buf_printf(&text, "You play %s. ", m->scn->side[model_side(m)].name);
    else if (m->role > ROLE_B)
        buf_puts(&text, "You look on");
    put_delay(l, m, &text);
    words_position(&m->audit, model_side(m), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}

void line_announce(struct line_mode *l)
{
    const struct model *m = line_match(l);
    const struct rules_state *s = model_state(m);
    struct buf text = BUF_EMPTY;

    if (!m->audit.started || m->audit.over || m->audit.roll_seq != 0 || !m->synced ||
        (s->turn == l->shown_turn && s->active == l->shown_side))
        return;
    l->shown_turn = s->turn;
    l->shown_side = s->active;
    if (s->active != model_side(m))
        return;
    buf_puts(&text, "Your phase. ");
    words_ready(m->scn, model_board(m), s, model_side(m), &text);
    line_say(&l->out, buf_str(&text));
    buf_fini(&text);
}
