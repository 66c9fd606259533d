/* SPDX-License-Identifier: ISC
 * match.c -- a match's life, its seats, and the operations of few words.
 */
#include "server/core/match.h"

#include <sodium/utils.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/match_impl.h"

/* ---- small ---- */

enum err refuse(struct match_step *st, enum err e, const char *words)
{
    (void)str_copy(st->no.words, sizeof(st->no.words), words);
    return e;
}

enum err refuse_unless_live(const struct match *m, struct match_now now, struct match_step *st)
{
    if (m->core->state == MATCH_OVER)
        return refuse(st, ERR_PHASE, "the game is over");
    if (m->core->state != MATCH_LIVE)
        return refuse(st, ERR_PHASE, "the game has not started");
    if (clock_fallen(m->core, now.served))
        return refuse(st, ERR_PHASE, "the time has run out");
    return ERR_OK;
}

void match_step_fini(struct match_step *st)
{
    for (size_t i = 0; i < st->n; i++)
        mem_free(st->op[i].data);
    mem_free(st->op);
    *st = (struct match_step){0};
}

/* ---- life ---- */

enum fair match_default_fair(const struct clock_rule *clock, bool rated)
{
    return rated && clock->kind == CLOCK_LIVE ? FAIR_STRICT : FAIR_NORMAL;
}

enum err match_setup_check(const struct match_setup *s, const char **field)
{
    if (s->fair == FAIR_STRICT && s->clock.kind == CLOCK_CORRESPONDENCE) {
        *field = "fair"; /* D3 */
        return ERR_PARAMS;
    }
    if (s->fair == FAIR_SERVER && s->rated) {
        *field = "rated"; /* D9 */
        return ERR_PARAMS;
    }
    return ERR_OK;
}

void core_begin(const struct match *m, struct match_core *c)
{
    *c = (struct match_core){.state = MATCH_OPEN, .side_of = {RULES_NOBODY, RULES_NOBODY}};
    if (m->setup.side != RULES_NOBODY) {
        c->side_of[ROLE_A] = m->setup.side;
        c->side_of[ROLE_B] = (uint8_t)rules_enemy((enum rules_side)m->setup.side);
    }
    c->clock.running = RULES_NOBODY;
    c->clock.owes = ROLE_COUNT;
    c->dice.kid = m->env->kid;
    c->dice.need_salt = true;
    c->dice.chain[ROLE_A].need_anchor = m->setup.fair != FAIR_SERVER;
    c->dice.chain[ROLE_B].need_anchor = m->setup.fair != FAIR_SERVER;
    game_init(&c->game, m->setup.board);
}

struct match *match_bare(const struct match_setup *s, const struct match_env *env,
                         struct match_now now)
{
    struct match *m = mem_zalloc(sizeof(*m));

    m->setup = *s;
    m->env = env;
    m->loaded_at = now.served;
    m->roll_at = now.served;
    m->seat[ROLE_A].since = now.served;
    m->seat[ROLE_B].since = now.served;
    m->core = mem_zalloc(sizeof(*m->core));
    core_begin(m, m->core);
    return m;
}

void match_open(const struct match_setup *s, const struct match_env *env, struct match_now now,
                struct match **out, struct match_step *st)
{
    struct match *m = match_bare(s, env, now);
    struct entry e;
    struct entry_opened *o = &e.u.opened;

    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_OPENED;
    memcpy(o->match, s->id, MATCH_ID_LEN);
    o->no = s->no;
    o->scenario = s->scenario->id;
    memcpy(o->scenario_hash, s->scenario->hash, RULES_HASH_LEN);
    o->readings = s->board->readings;
    o->clock = s->clock;
    o->fair = s->fair;
    o->rated = s->rated;
    o->maker = s->maker;
    o->side = s->side;
    match_server_anchor(m, 0, o->anchor);
    m->chain_at = now.served;
    m->loaded_at = env->started;
    (void)match_run(m, &e, now, st);
    *out = m;
}

/* Without what is shown of it, which has nothing shown of its own. */
static void free_alone(struct match *m)
{
    if (m == NULL)
        return;
    batch_free(m->pending);
    match_prepared_drop(m);
    mem_free(m->marks.seq);
    game_fini(&m->core->game);
    mem_free(m->core);
    recs_fini(&m->journal);
    mem_free(m->ids.slot);
    mem_free(m->stand.seq);
    if (m->chain != NULL)
        sodium_memzero(m->chain, sizeof(*m->chain));
    mem_free(m->chain);
    mem_free(m);
}

void match_free(struct match *m)
{
    if (m == NULL)
        return;
    free_alone(m->shown);
    free_alone(m);
}

bool match_is_pending(const struct match *m)
{
    return m->pending != NULL;
}

void match_stored(struct match *m, bool ok, struct match_applied *out)
{
    struct match_batch *b = m->pending;

    CHECK(b != NULL);
    m->pending = NULL;
    *out = (struct match_applied){0};
    if (ok) {
        batch_commit(b, out);
        return;
    }
    m->retry_at = mono_after(b->now.served, SECOND_MS);
    batch_free(b);
}

/* ---- seats ---- */

enum err match_join(struct match *m, const char *name, struct match_now now, struct match_step *st)
{
    struct entry e;

    if (m->core->state == MATCH_OVER)
        return refuse(st, ERR_PHASE, "the game is over");
    if (str_ieq(name, m->setup.maker))
        return refuse(st, ERR_CONFLICT, "that is your own match");
    if (m->core->state != MATCH_OPEN)
        return str_ieq(name, m->core->joiner) ? ERR_OK
                                              : refuse(st, ERR_CONFLICT, "the seat is taken");
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_JOINED;
    e.u.joined.player = name;
    e.u.joined.role = ROLE_B;
    return match_run(m, &e, now, st);
}

enum err match_cancel(struct match *m, struct match_now now, struct match_step *st)
{
    struct entry e;

    if (m->core->state != MATCH_OPEN)
        return refuse(st, ERR_PHASE, "the match is not open any more");
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_PLAY;
    e.u.play.event.kind = RULES_EV_OVER;
    e.u.play.event.u.over.winner = RULES_NOBODY;
    e.u.play.event.u.over.reason = RULES_BY_VOID;
    return match_run(m, &e, now, st);
}

void match_seen(struct match *m, enum role role, bool online, struct match_now now)
{
    struct match_seat *seat = &m->seat[role];

    if (seat->online == online)
        return;
    seat->online = online;
    seat->since = now.served;
}

void match_asked(struct match *m, enum role role, struct match_now now)
{
    m->seat[role].asked = true;
    m->seat[role].asked_at = now.served;
}

bool match_is_online(const struct match *m, enum role role, struct match_now now, int64_t *away_ms)
{
    const struct match_seat *seat = &m->seat[role];

    *away_ms = seat->online ? 0 : mono_since(now.served, seat->since);
    return seat->online;
}

/* ---- resign, claim, vacation ---- */

static enum err run_side(struct match *m, enum role role, enum entry_kind kind,
                         struct match_now now, struct match_step *st)
{
    struct entry e;

    memset(&e, 0, sizeof(e));
    e.kind = (uint8_t)kind;
    e.u.side = (uint8_t)match_side(m, role);
    return match_run(m, &e, now, st);
}

enum err match_resign(struct match *m, enum role role, struct match_now now, struct match_step *st)
{
    const enum err err = refuse_unless_live(m, now, st);

    return err != ERR_OK ? err : run_side(m, role, ENTRY_RESIGN, now, st);
}

/*
 * From when on may the one who waits for `other` claim (D3)? In a live game only absence counts:
 * the clock does the rest.
 */
static struct mono claim_from(const struct match *m, enum role other)
{
    const struct match_seat *seat = &m->seat[other];
    const struct mono waited = m->core->clock.owes_since;
    const bool live = m->setup.clock.kind == CLOCK_LIVE;
    struct mono from = mono_after(waited, MATCH_CLAIM_LONG_MS);
    struct mono gone = seat->since;

    if (live)
        from.ms = INT64_MAX;
    if (seat->online)
        return from;
    if (!live && waited.ms > gone.ms)
        gone = waited;
    gone = mono_after(gone, MATCH_CLAIM_MS);
    return gone.ms < from.ms ? gone : from;
}

enum err match_claim(struct match *m, enum role role, struct match_now now, struct match_step *st)
{
    const enum role other = role == ROLE_A ? ROLE_B : ROLE_A;
    const enum err err = refuse_unless_live(m, now, st);
    struct mono from;

    if (err != ERR_OK)
        return err;
    if (m->setup.clock.kind == CLOCK_CORRESPONDENCE)
        return refuse(st, ERR_PHASE, "in this match the clock decides");
    if (m->core->clock.owes != other)
        return refuse(st, ERR_PHASE, "the match does not wait for your opponent");
    from = claim_from(m, other);
    if (mono_reached(now.served, from))
        return run_side(m, role, ENTRY_CLAIM, now, st);
    if (from.ms == INT64_MAX)
        return refuse(st, ERR_PHASE, "your opponent is there");
    st->no.retry_ms = mono_since(from, now.served);
    return refuse(st, ERR_PHASE, "your opponent has not been away long enough");
}

bool match_wants_extend(const struct match *m, enum role role, struct mono until,
                        struct match_now now)
{
    return m->setup.clock.kind == CLOCK_CORRESPONDENCE && m->core->state == MATCH_LIVE &&
           !mono_reached(now.served, until) &&
           until.ms > m->core->clock.away_until[match_side(m, role)].ms &&
           !clock_fallen(m->core, now.served);
}

enum err match_extend(struct match *m, enum role role, struct mono until, struct match_now now,
                      struct match_step *st)
{
    const enum err err = refuse_unless_live(m, now, st);
    struct match_batch *b;

    if (err != ERR_OK)
        return err;
    if (m->setup.clock.kind != CLOCK_CORRESPONDENCE)
        return refuse(st, ERR_PHASE, "no days run in this match");
    if (!match_wants_extend(m, role, until, now))
        return ERR_OK;
    b = batch_new(m, now);
    clock_away(b->core, match_side(m, role), until, now.served);
    b->applied.clock = true;
    batch_close(b);
    batch_submit(b, st);
    return ERR_OK;
}

/* ---- reading ---- */

const struct match_setup *match_setup_of(const struct match *m)
{
    return &m->setup;
}

enum match_state match_state(const struct match *m)
{
    return (enum match_state)m->core->state;
}

const char *match_name(const struct match *m, enum role role)
{
    return role == ROLE_A ? m->setup.maker : m->core->joiner;
}

enum role match_role_of(const struct match *m, const char *name)
{
    if (str_ieq(name, m->setup.maker))
        return ROLE_A;
    return m->core->joiner[0] != '\0' && str_ieq(name, m->core->joiner) ? ROLE_B : ROLE_COUNT;
}

enum rules_side match_side(const struct match *m, enum role role)
{
    return (enum rules_side)m->core->side_of[role];
}

enum role match_role_of_side(const struct match *m, enum rules_side side)
{
    return m->core->side_of[ROLE_A] == side ? ROLE_A : ROLE_B;
}

const struct rules_state *match_position(const struct match *m)
{
    return m->core->started ? &m->core->game.rules.state : NULL;
}

bool match_is_paused(const struct match *m)
{
    return m->core->clock.paused;
}

struct wall match_opened_at(const struct match *m)
{
    return m->core->opened_at;
}

struct wall match_last_at(const struct match *m)
{
    return m->core->last_at;
}

struct mono match_touched_at(const struct match *m)
{
    return m->core->clock.since;
}

uint32_t match_head(const struct match *m)
{
    return m->core->head;
}

const uint8_t *match_hash(const struct match *m)
{
    return m->core->hash;
}

const uint8_t *match_state_hash(const struct match *m)
{
    return m->core->started ? m->core->state_hash : NULL;
}

unsigned match_generation(const struct match *m, enum role role)
{
    return m->core->dice.chain[role].tail.id.generation;
}

enum match_owes match_owes(const struct match *m, enum role role)
{
    const struct match_core *c = m->core;

    if (c->state == MATCH_OVER || c->state == MATCH_BROKEN)
        return OWES_NOTHING;
    if (core_owes_anchor(c, role) && (role == ROLE_A || c->state != MATCH_OPEN))
        return OWES_ANCHOR;
    if (core_owes_share(m, c, role))
        return OWES_SHARE;
    if (c->state == MATCH_LIVE && !c->clock.paused && !core_roll_open(m, c) &&
        !core_dice_wanted(c) && core_actor(c) == role)
        return OWES_ORDER;
    return OWES_NOTHING;
}
