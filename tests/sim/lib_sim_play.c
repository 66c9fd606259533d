/* SPDX-License-Identifier: ISC
 * lib_sim_play.c -- orders given from the client's own board, given again, given where nobody may;
 * and all that is said besides.
 */
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { HASTE = 120, HEALED_HASTE = 250, RUDE = 1 };

/* ---- requests ---- */

static void about(struct sim *s, const struct sim_seat *seat, struct sim_asked *q,
                  const struct sim_actor *a)
{
    (void)s;
    q->seat = (uint8_t)(seat - a->seat);
    (void)str_copy(q->match, sizeof(q->match), seat->table->hex);
}

static struct sim_asked *send_order(struct sim *s, struct sim_actor *a, const struct sim_seat *seat,
                                    const struct sim_order *o, uint8_t sess)
{
    struct jsonw w = ask_begin(s, ASK_ORDER);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_str(&w, "order_id", o->id);
    jsonw_m_int(&w, "base", o->base);
    jsonw_m_raw(&w, "order", o->body.data, o->body.len);
    q = ask_send(s, a, sess);
    about(s, seat, q, a);
    (void)str_copy(q->order_id, sizeof(q->order_id), o->id);
    return q;
}

static void write_order(const struct sim_seat *seat, const struct rules_order *o, struct buf *out)
{
    buf_reset(out);
    order_to_json(o, seat->table->scn, out);
}

static void end_of_phase(const struct sim_seat *seat, struct rules_order *o)
{
    *o = (struct rules_order){.kind = RULES_DO_END_PHASE,
                              .side = seat->m.audit.game.rules.state.active,
                              .face = RULES_NO_DIR,
                              .exit = RULES_NO_DIR,
                              .square = RULES_NO_SQUARE};
}

static bool is_legal(const struct sim_seat *seat, const struct rules_order *o)
{
    struct game_events ev = {0};
    const enum rules_err e = game_decide_diceless(&seat->m.audit.game, o, &ev);

    game_events_fini(&ev);
    return e == RULES_OK || e == RULES_E_DICE;
}

static void choose(struct sim *s, const struct sim_seat *seat, struct rules_order *o)
{
    play_legal_order(&s->rng, &seat->m.audit.game.rules, o);
    if (sim_odds(s, s->healed ? HEALED_HASTE : HASTE) || !is_legal(seat, o))
        end_of_phase(seat, o);
}

/* ---- what nobody may do ---- */

static void answer(struct sim *s, struct sim_actor *a, struct sim_seat *seat, uint32_t id,
                   bool accept);

/* Agree to what it has offered itself. */
static void agree_alone(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;
    const uint32_t replied = seat->replied;

    for (unsigned kind = 0; kind < AUDIT_OFFER_KINDS; kind++)
        if (au->offer[model_side(&seat->m)][kind] != 0)
            answer(s, a, seat, au->offer[model_side(&seat->m)][kind], true);
    seat->replied = replied;
}

/* Under ids that no seat gives: each of these must be refused. */
static void be_rude(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;
    struct sim_order o = {.base = au->head};
    struct rules_order r;
    const unsigned which = play_below(&s->rng, 5);

    if (!au->started || au->over)
        return;
    if (which == 4) {
        agree_alone(s, a, seat);
        return;
    }
    (void)snprintf(o.id, sizeof(o.id), "r%c%u", 'a' + a->index, ++a->n_orders);
    end_of_phase(seat, &r);
    if (which == 0 && model_may_order(&seat->m)) { /* legal, but for an older board */
        if (seat->given == 0)
            return;
        o.base = seat->given - 1;
    } else if (which == 1 && seat->used_id[0] != '\0') { /* a used id with another body */
        (void)str_copy(o.id, sizeof(o.id), seat->used_id);
        if (seat->used_end) {
            r.kind = RULES_DO_TURN;
            r.n_figures = 1;
            r.face = RULES_N;
        }
    } else if (which == 2) { /* somebody else's figure */
        const enum rules_side other = rules_enemy(model_side(&seat->m));

        r.kind = RULES_DO_TURN;
        r.n_figures = 1;
        r.face = RULES_S;
        while (au->board->figure[r.figure[0]].side != other)
            r.figure[0]++;
    } else if (au->game.rules.state.active == model_side(&seat->m)) {
        return; /* out of turn: only when it isn't ours */
    }
    write_order(seat, &r, &o.body);
    send_order(s, a, seat, &o, seat->sess)->number = RUDE;
    buf_fini(&o.body);
}

/* ---- play ---- */

static void new_order(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    struct rules_order o;

    choose(s, seat, &o);
    write_order(seat, &o, &seat->order.body);
    (void)snprintf(seat->order.id, sizeof(seat->order.id), "a%c%u", 'a' + a->index, ++a->n_orders);
    seat->order.base = seat->m.audit.head;
    seat->order.there = true;
}

static void plan_order(struct sim *s, const struct sim_actor *a, struct sim_seat *seat)
{
    const bool lazy = !s->healed && sim_odds(s, a->how.lazy);

    seat->order_at =
        s->t + (lazy ? a->how.lazy_ms : sim_between(s, 5, s->healed ? 60 : a->how.think_ms));
}

void seat_play(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const uint8_t other = seat->sess == 0 ? 1 : 0;

    if (seat->wish > ROLE_B)
        return;
    if (!s->healed && sim_odds(s, a->how.rude))
        be_rude(s, a, seat);
    if (seat->order.flying || seat->m.audit.head < seat->given ||
        (!seat->order.there && !model_may_order(&seat->m)))
        return;
    if (s->t < seat->order_at) {
        actor_wake(s, a, seat->order_at - s->t);
        return;
    }
    if (!seat->order.there)
        new_order(s, a, seat);
    seat->order.flying = true;
    (void)send_order(s, a, seat, &seat->order, seat->sess);
    if (!s->healed && sim_odds(s, a->how.twice)) {
        const bool both = a->sess[other].phase == SESS_UP;

        (void)send_order(s, a, seat, &seat->order, both ? other : seat->sess);
    }
    plan_order(s, a, seat);
}

/* ---- talk ---- */

static void offer(struct sim *s, struct sim_actor *a, const struct sim_seat *seat,
                  enum offer_kind kind)
{
    struct jsonw w = ask_begin(s, ASK_OFFER);

    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_str(&w, "offer", msg_offer_word(kind));
    about(s, seat, ask_send(s, a, seat->sess), a);
}

static void answer(struct sim *s, struct sim_actor *a, struct sim_seat *seat, uint32_t id,
                   bool accept)
{
    struct jsonw w = ask_begin(s, ASK_ANSWER);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_int(&w, "offer_id", id);
    jsonw_m_bool(&w, "accept", accept);
    q = ask_send(s, a, seat->sess);
    about(s, seat, q, a);
    q->number = id;
    seat->replied = id;
}

static void look_offers(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;
    const enum rules_side other = rules_enemy(model_side(&seat->m));

    for (unsigned kind = 0; kind < AUDIT_OFFER_KINDS; kind++) {
        const uint32_t id = au->offer[other][kind];

        if (id == 0 || id <= seat->replied)
            continue;
        answer(s, a, seat, id,
               kind == OFFER_PAUSE ? s->healed == au->paused || sim_odds(s, 500)
                                   : sim_odds(s, kind == OFFER_UNDO ? 600 : 150));
        return;
    }
    if (au->paused && (s->healed ? sim_odds(s, 300) : sim_odds(s, 30)))
        offer(s, a, seat, OFFER_PAUSE); /* to go on */
}

static void say(struct sim *s, struct sim_actor *a, const struct sim_seat *seat)
{
    struct jsonw w = ask_begin(s, ASK_CHAT);

    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_str(&w, "to", sim_odds(s, 500) ? "all" : "players");
    jsonw_m_str(&w, "text", "Well \"done\", \\o/ \xc3\xa4\xe2\x82\xac");
    about(s, seat, ask_send(s, a, seat->sess), a);
}

static void mute(struct sim *s, struct sim_actor *a, const struct sim_seat *seat)
{
    const char *name = seat->m.audit.name[seat->wish == ROLE_A ? ROLE_B : ROLE_A];
    struct jsonw w = ask_begin(s, ASK_MUTE);

    if (name[0] == '\0')
        return;
    jsonw_m_str(&w, "player", name);
    jsonw_m_bool(&w, "on", sim_odds(s, 500));
    about(s, seat, ask_send(s, a, seat->sess), a);
}

/* A sync from anywhere, while it reads along: the answer's events are checked where they leave. */
static void sync_again(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const uint32_t head = seat->m.audit.head;
    struct jsonw w = ask_begin(s, seat->wish == ROLE_COUNT ? ASK_WATCH : ASK_SYNC);
    const bool has_after = seat->whole || sim_odds(s, 700);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    if (seat->wish == ROLE_COUNT && seat->table->invite[0] != '\0')
        jsonw_m_str(&w, "invite", seat->table->invite);
    if (has_after)
        jsonw_m_int(&w, "after", play_below(&s->rng, head + 1));
    q = ask_send(s, a, seat->sess);
    about(s, seat, q, a);
    q->has_after = has_after;
    q->model = seat->model;
    q->number = has_after ? (uint32_t)strtoul(strstr(s->line.data, "\"after\":") + 8, NULL, 10) : 0;
    seat->flying = true;
}

static void ask_plain(struct sim *s, struct sim_actor *a, const struct sim_seat *seat,
                      enum sim_ask what)
{
    struct jsonw w = ask_begin(s, what);

    if (what != ASK_LOBBY && what != ASK_FOLLOW && what != ASK_INFO)
        jsonw_m_str(&w, "match", seat->table->hex);
    about(s, seat, ask_send(s, a, seat->sess), a);
}

void played_ask(struct sim *s, struct sim_actor *a, const struct sim_seat *seat)
{
    const uint32_t who = sim_odds(s, 500) ? a->index : play_below(&s->rng, s->n_actors);
    struct jsonw w;
    struct sim_asked *q;

    if (s->actor[who].name[0] == '\0')
        return;
    w = ask_begin(s, ASK_PLAYED);
    jsonw_m_str(&w, "player", s->actor[who].name);
    q = ask_send(s, a, seat->sess);
    about(s, seat, q, a);
    q->number = who;
}

static void umpire(struct sim *s, struct sim_actor *a, const struct sim_seat *seat)
{
    static const char *const acts[] = {"pause", "resume", "resume", "adjudicate", "void"};
    const bool paused = seat->m.audit.paused;
    const unsigned which = s->healed ? 1 : play_below(&s->rng, sim_odds(s, 100) ? 5 : 3);
    struct jsonw w;

    if (!seat->m.audit.started || (s->healed && !paused))
        return;
    w = ask_begin(s, ASK_UMPIRE);
    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_str(&w, "act", acts[paused && which == 0 ? 1 : which]);
    if (which == 3)
        jsonw_m_str(&w, "winner", seat->table->scn->side[0].id);
    jsonw_m_str(&w, "reason", "simulated");
    about(s, seat, ask_send(s, a, seat->sess), a);
}

static void talk_player(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    static const enum sim_ask plain[] = {ASK_LEGAL,  ASK_RECORD, ASK_LOBBY,
                                         ASK_FOLLOW, ASK_INFO,   ASK_LEGAL};
    const unsigned which = play_below(&s->rng, 14);

    if (which < ARRAY_LEN(plain))
        ask_plain(s, a, seat, plain[which]);
    else if (which >= 12)
        played_ask(s, a, seat);
    else if (which == 6)
        say(s, a, seat);
    else if (which == 7)
        mute(s, a, seat);
    else if (which == 8 && sim_odds(s, 60))
        ask_plain(s, a, seat, ASK_RESIGN);
    else if (which == 8 || which == 9)
        sync_again(s, a, seat);
    else
        offer(s, a, seat, (enum offer_kind)play_below(&s->rng, 3));
}

void talk_look(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    if (a->how.umpire && sim_odds(s, s->healed ? 500 : 30))
        umpire(s, a, seat);
    if (seat->flying)
        return;
    if (seat->wish > ROLE_B) {
        if (!s->healed && sim_odds(s, a->how.talk))
            sync_again(s, a, seat);
        else if (!s->healed && sim_odds(s, a->how.talk))
            say(s, a, seat);
        return;
    }
    if (!seat->m.audit.started || seat->m.audit.over)
        return;
    look_offers(s, a, seat);
    if (!s->healed && sim_odds(s, a->how.talk))
        talk_player(s, a, seat);
}
