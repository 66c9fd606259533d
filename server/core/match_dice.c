/* SPDX-License-Identifier: ISC
 * match_dice.c -- which roll is open, who owes a share or an anchor, the server's own links
 * (DICE, D1 to D9).
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

bool core_dice_wanted(const struct match_core *c)
{
    return c->dice.need_salt || c->dice.chain[ROLE_S].need_anchor ||
           c->dice.chain[ROLE_A].need_anchor || c->dice.chain[ROLE_B].need_anchor;
}

bool core_salt_open(const struct match *m, const struct match_core *c)
{
    (void)m;
    return (c->state == MATCH_SETUP || c->state == MATCH_LIVE) && c->dice.need_salt &&
           !c->dice.chain[ROLE_S].need_anchor && !c->dice.chain[ROLE_A].need_anchor &&
           !c->dice.chain[ROLE_B].need_anchor;
}

bool core_owes_share(const struct match *m, const struct match_core *c, enum role role)
{
    return m->setup.fair != FAIR_SERVER && core_roll_open(m, c) && !c->dice.has_share[role] &&
           !c->dice.absent[role];
}

enum role core_actor(const struct match_core *c)
{
    return c->started && c->side_of[ROLE_B] == c->game.rules.state.active ? ROLE_B : ROLE_A;
}

enum role core_owes(const struct match *m, const struct match_core *c)
{
    const enum role actor = core_actor(c);
    const enum role other = actor == ROLE_A ? ROLE_B : ROLE_A;

    if (c->state != MATCH_LIVE || c->clock.paused)
        return ROLE_COUNT;
    if (core_owes_share(m, c, actor) || core_owes_anchor(c, actor))
        return actor;
    if (core_owes_share(m, c, other) || core_owes_anchor(c, other))
        return other;
    if (core_roll_open(m, c) || core_dice_wanted(c))
        return ROLE_COUNT; /* the server's turn */
    return actor;
}

static struct fd1_chain_id chain_id(const struct match *m, enum role role, uint16_t generation)
{
    struct fd1_chain_id id = {.role = (uint8_t)role_letter(role), .generation = generation};

    memcpy(id.mid, m->setup.id, sizeof(id.mid));
    return id;
}

/* The server's chain of that generation, made when it isn't at hand. */
static const struct fd1_chain *chain_of(struct match *m, uint16_t generation)
{
    const struct fd1_chain_id id = chain_id(m, ROLE_S, generation);
    uint8_t secret[FD1_LEN];

    if (m->chain != NULL && m->chain->id.generation == generation)
        return m->chain;
    if (m->chain == NULL)
        m->chain = mem_zalloc(sizeof(*m->chain));
    fd1_server_secret(m->env->master, m->setup.id, generation, secret);
    CHECK(fd1_chain_init(m->chain, &id, FD1_CHAIN_LEN, secret));
    return m->chain;
}

void match_server_anchor(struct match *m, uint16_t generation, uint8_t out[FD1_LEN])
{
    memcpy(out, fd1_chain_anchor(chain_of(m, generation)), FD1_LEN);
}

void match_server_link(struct match *m, const struct match_core *c, uint32_t n,
                       uint8_t out[FD1_LEN])
{
    const struct fd1_tail *tail = &c->dice.chain[ROLE_S].tail;
    const uint32_t k = fd1_link_number(tail->base, n);

    CHECK(k > 0 && fd1_chain_link(chain_of(m, tail->id.generation), k, out));
}

void chain_begin(const struct match *m, struct match_core *c, const struct entry *e)
{
    const enum role role = (enum role)e->u.anchor.role;
    struct match_chain *chain = &c->dice.chain[role];
    const struct fd1_chain_id id = chain_id(m, role, e->u.anchor.generation);

    chain->there = true;
    chain->need_anchor = false;
    memcpy(chain->anchor, e->u.anchor.anchor, FD1_LEN);
    fd1_tail_init(&chain->tail, &id, c->dice.n, e->u.anchor.anchor);
}
