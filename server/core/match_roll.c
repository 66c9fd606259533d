/* SPDX-License-Identifier: ISC
 * match_roll.c -- anchors, shares and rolls (DICE).
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

enum { DICE_FIRST = 64 };

/* ---- batches ---- */

static void forget_shares(struct match_batch *b)
{
    memset(b->core->dice.has_share, 0, sizeof(b->core->dice.has_share));
    memset(b->core->dice.absent, 0, sizeof(b->core->dice.absent));
    b->drop_shares = true;
}

static bool anchor_fits(const struct match *m, const struct match_core *c, const struct entry *e)
{
    const enum role role = (enum role)e->u.anchor.role;
    const struct match_chain *chain = &c->dice.chain[role];

    if (role != ROLE_S && m->setup.fair == FAIR_SERVER)
        return false;
    if (role == ROLE_B && c->state == MATCH_OPEN)
        return false;
    if (c->order_seq != 0 || (role != ROLE_S && core_salt_open(m, c)))
        return false;
    return e->u.anchor.generation == (chain->there ? chain->tail.id.generation + 1 : 0);
}

enum err batch_anchor(struct match_batch *b, struct entry *e)
{
    struct match_core *c = b->core;
    const enum role role = (enum role)e->u.anchor.role;
    const bool was_wanted = c->dice.chain[role].need_anchor;

    if (!anchor_fits(b->m, c, e))
        return ERR_DATA;
    batch_put(b, e);
    chain_begin(b->m, c, e);
    c->dice.need_salt = true;
    c->dice.anchor_seq = e->seq;
    memcpy(c->dice.anchor_hash, c->hash, FD1_LEN);
    if (c->dice.has_share[ROLE_A] || c->dice.has_share[ROLE_B])
        forget_shares(b);
    if (role != ROLE_S)
        return ERR_OK;
    c->dice.kid = b->m->env->kid;
    if (!was_wanted && b->m->setup.fair != FAIR_SERVER) { /* a restore: both must follow, D7 */
        c->dice.chain[ROLE_A].need_anchor = true;
        c->dice.chain[ROLE_B].need_anchor = true;
    }
    return ERR_OK;
}

enum err batch_absent(struct match_batch *b, struct entry *e)
{
    const uint8_t role = e->u.absent.role;

    if (b->m->setup.fair != FAIR_NORMAL || b->core->order_seq == 0 || role > ROLE_B ||
        role == core_actor(b->core) || e->u.absent.roll != b->core->dice.n + 1 ||
        !core_owes_share(b->m, b->core, (enum role)role))
        return ERR_DATA;
    batch_put(b, e);
    b->core->dice.absent[role] = true;
    return ERR_OK;
}

/* Are the shares that the roll must have there, and all that are there on their chains? */
static bool shares_fit(const struct match *m, const struct match_core *c,
                       const struct entry_roll *r)
{
    const uint8_t want = (uint8_t)((c->dice.absent[ROLE_A] ? 0 : FD1_FLAG_A) |
                                   (c->dice.absent[ROLE_B] ? 0 : FD1_FLAG_B));

    if (!r->has_s || !fd1_tail_check(&c->dice.chain[ROLE_S].tail, r->n, r->s))
        return false;
    if (m->setup.fair == FAIR_SERVER)
        return r->flags == 0;
    if (r->flags != want)
        return false;
    return ((want & FD1_FLAG_A) == 0 || fd1_tail_check(&c->dice.chain[ROLE_A].tail, r->n, r->a)) &&
           ((want & FD1_FLAG_B) == 0 || fd1_tail_check(&c->dice.chain[ROLE_B].tail, r->n, r->b));
}

static void take_links(struct match_core *c, const struct entry_roll *r)
{
    const uint8_t *const x[ROLE_COUNT] = {[ROLE_A] = r->a, [ROLE_B] = r->b, [ROLE_S] = r->s};
    const bool there[ROLE_COUNT] = {[ROLE_A] = (r->flags & FD1_FLAG_A) != 0,
                                    [ROLE_B] = (r->flags & FD1_FLAG_B) != 0,
                                    [ROLE_S] = true};

    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        if (there[i])
            CHECK(fd1_tail_take(&c->dice.chain[i].tail, r->n, x[i]));
    }
}

/* Chains without a link for the next roll want a new anchor, and then a salt roll (D8). */
static void note_used_up(struct match_core *c)
{
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        struct match_chain *chain = &c->dice.chain[i];

        if (!chain->there || fd1_link_number(chain->tail.base, c->dice.n + 1) != 0)
            continue;
        chain->need_anchor = true;
        c->dice.need_salt = true;
    }
}

/*
 * Decide `o` with the dice of `key`, as many as it takes; they are left in *face (owned), *n of
 * them used, a d2 for the sides in front if the match wants one.
 */
static void roll_out(struct match_batch *b, const struct rules_order *o, const uint8_t key[FD1_LEN],
                     uint8_t **face, uint16_t *n)
{
    const bool sides = o->kind == RULES_DO_START && b->m->setup.side == RULES_NOBODY;
    const size_t front = sides ? 1 : 0;

    for (size_t len = DICE_FIRST;; len *= 2) {
        struct rules_dice dice = {NULL, len, 0};
        struct fd1_dice d;

        CHECK(len <= ENTRY_DICE_MAX);
        *face = mem_alloc(len + front);
        fd1_dice_init(&d, key);
        if (sides)
            (*face)[0] = (uint8_t)fd1_die(&d, 2);
        fd1_fill(&d, *face + front, len);
        dice.face = *face + front;
        if (game_decide(&b->core->game, o, &dice, &b->ev) == RULES_OK) {
            *n = (uint16_t)(dice.used + front);
            return;
        }
        mem_free(*face);
    }
}

static void put_started(struct match_batch *b, uint8_t d2)
{
    struct match_core *c = b->core;
    const struct match_setup *s = &b->m->setup;
    const uint8_t side = s->side == RULES_NOBODY ? (d2 == 1 ? RULES_A : RULES_B) : s->side;
    struct entry e;

    c->side_of[ROLE_A] = side;
    c->side_of[ROLE_B] = (uint8_t)rules_enemy((enum rules_side)side);
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_STARTED;
    e.u.started.player[c->side_of[ROLE_A]] = s->maker;
    e.u.started.player[c->side_of[ROLE_B]] = c->joiner;
    batch_put(b, &e);
    c->state = MATCH_LIVE;
    c->order_at = b->now.served;
    b->applied.started = true;
}

/* The order, or the start, that the roll is for. False: it can't roll now. */
static bool roll_order(const struct match *m, const struct match_core *c, uint32_t for_seq,
                       struct rules_order *out)
{
    memset(out, 0, sizeof(*out));
    if (for_seq != 0) {
        *out = c->order;
        return for_seq == c->order_seq;
    }
    out->kind = RULES_DO_START;
    return c->order_seq == 0 && core_salt_open(m, c);
}

/* Put the roll, and behind it what its dice give; they are rolled into e here. */
static void put_roll(struct match_batch *b, struct entry *e, const struct rules_order *o,
                     const uint8_t key[FD1_LEN])
{
    struct match_core *c = b->core;
    struct entry_roll *r = &e->u.roll;
    const bool start = r->for_seq == 0 && !c->started;
    uint8_t *face = NULL;

    r->dice = NULL;
    r->n_dice = 0;
    if (r->for_seq != 0 || start)
        roll_out(b, o, key, &face, &r->n_dice);
    r->dice = face;
    if (start) {
        c->started = true;
        clock_start(b->m, c);
        memcpy(b->left_ms, c->clock.left_ms, sizeof(b->left_ms));
    }
    batch_put(b, e);
    if (start)
        put_started(b, face[0]);
    if (face != NULL)
        batch_events(b, c->order_seq);
    mem_free(face);
}

enum err batch_roll(struct match_batch *b, struct entry *e)
{
    struct match_core *c = b->core;
    const struct entry_roll *r = &e->u.roll;
    struct rules_order o;
    struct fd1_roll roll = {.n = r->n, .flags = r->flags};
    uint8_t key[FD1_LEN];

    if (r->n != c->dice.n + 1 || !roll_order(b->m, c, r->for_seq, &o) || !shares_fit(b->m, c, r))
        return ERR_DATA;
    memcpy(roll.mid, b->m->setup.id, FD1_MID_LEN);
    memcpy(roll.s, r->s, FD1_LEN);
    memcpy(roll.a, r->a, FD1_LEN);
    memcpy(roll.b, r->b, FD1_LEN);
    if (r->for_seq != 0)
        memcpy(roll.salt, c->dice.salt, FD1_LEN);
    fd1_roll_key(&roll, key);
    put_roll(b, e, &o, key);
    if (r->for_seq == 0) {
        memcpy(c->dice.salt, key, FD1_LEN);
        c->dice.has_salt = true;
        c->dice.need_salt = false;
    }
    c->dice.n = r->n;
    c->order_seq = 0;
    take_links(c, r);
    note_used_up(c);
    forget_shares(b);
    b->drop_shares = b->m->setup.fair != FAIR_SERVER;
    return ERR_OK;
}

/* ---- operations ---- */

/* Was this anchor journaled for that role and generation? */
static bool anchor_known(const struct match *m, enum role role, const struct match_anchor *a)
{
    struct buf want = BUF_EMPTY;
    struct jsonw w = jsonw_on(&want);
    const char letter = role_letter(role);
    bool known = false;

    buf_puts(&want, ",\"role\":");
    jsonw_strn(&w, &letter, 1);
    jsonw_m_int(&w, "generation", a->generation);
    jsonw_m_hex(&w, "anchor", a->anchor, FD1_LEN);
    for (uint32_t i = 0; i < m->journal.n && !known; i++) {
        const struct match_rec *rec = &m->journal.rec[i];
        struct match_front f;

        if (rec->kind != ENTRY_ANCHOR || !front_read(recs_line(&m->journal, i), rec->len, &f))
            continue;
        known = memcmp(f.rest, want.data,
                       MIN(want.len, (size_t)(recs_line(&m->journal, i) + rec->len - f.rest))) == 0;
    }
    buf_fini(&want);
    return known;
}

enum err match_anchor(struct match *m, enum role role, const struct match_anchor *a,
                      struct match_now now, struct match_step *st)
{
    const struct match_core *c = m->core;
    const struct match_chain *chain = &c->dice.chain[role];
    const int64_t next = chain->there ? chain->tail.id.generation + 1 : 0;
    struct entry e;

    if (a->generation < 0 || a->generation > UINT16_MAX) {
        st->no.field = "generation";
        return refuse(st, ERR_PARAMS, "a generation is 0 to 65535");
    }
    if (a->generation < next)
        return anchor_known(m, role, a)
                   ? ERR_OK
                   : refuse(st, ERR_CONFLICT, "that generation has another anchor");
    if (m->setup.fair == FAIR_SERVER)
        return refuse(st, ERR_PHASE, "server-only dice take no anchors");
    if (a->generation > next)
        return refuse(st, ERR_PHASE, "not the next generation");
    if (c->state == MATCH_OVER)
        return refuse(st, ERR_PHASE, "the game is over");
    if (core_roll_open(m, c))
        return refuse(st, ERR_PHASE, "a roll is open");
    memset(&e, 0, sizeof(e));
    e.kind = ENTRY_ANCHOR;
    e.u.anchor.role = (uint8_t)role;
    e.u.anchor.generation = (uint16_t)a->generation;
    memcpy(e.u.anchor.anchor, a->anchor, FD1_LEN);
    return match_run(m, &e, now, st);
}

enum err match_share(struct match *m, enum role role, const struct match_share *s,
                     struct match_now now, struct match_step *st)
{
    const struct match_core *c = m->core;
    struct match_batch *b;

    if (c->state == MATCH_OVER || m->setup.fair == FAIR_SERVER || !core_roll_open(m, c) ||
        s->roll != (int64_t)c->dice.n + 1)
        return refuse(st, ERR_PHASE, "that roll is not open");
    if (c->dice.absent[role])
        return refuse(st, ERR_PHASE, "marked absent for that roll");
    if (c->dice.has_share[role])
        return memcmp(c->dice.share[role], s->share, FD1_LEN) == 0
                   ? ERR_OK
                   : refuse(st, ERR_DICE, "not this chain's link for that roll");
    if (!fd1_tail_check(&c->dice.chain[role].tail, (uint32_t)s->roll, s->share))
        return refuse(st, ERR_DICE, "not this chain's link for that roll");
    b = batch_new(m, now);
    b->core->dice.has_share[role] = true;
    memcpy(b->core->dice.share[role], s->share, FD1_LEN);
    b->share = true;
    b->role = (uint8_t)role;
    batch_close(b);
    batch_submit(b, st);
    return ERR_OK;
}

bool match_request(const struct match *m, struct match_request *out)
{
    const struct match_core *c = m->core;
    const bool order = c->order_seq != 0;

    if (c->state == MATCH_OVER || !core_roll_open(m, c))
        return false;
    *out = (struct match_request){.n = c->dice.n + 1, .seq = c->order_seq};
    memcpy(out->hash, order ? c->order_hash : c->dice.anchor_hash, FD1_LEN);
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        if (core_owes_share(m, c, (enum role)role))
            out->waiting |= 1U << role;
    }
    return true;
}
