/* SPDX-License-Identifier: ISC
 * lib_sim_dice.c -- a player's own part in the dice, by the client's own rule (DICE D7): chains,
 * anchors, shares; forged ones too.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

static void make_chain(struct sim *s, const struct sim_actor *a, struct sim_seat *seat,
                       uint16_t generation)
{
    struct fd1_chain_id id = {.role = seat->wish == ROLE_A ? FD1_ROLE_MAKER : FD1_ROLE_JOINER,
                              .generation = generation};

    (void)a;
    memcpy(id.mid, seat->table->ledger->id, FD1_MID_LEN);
    sim_bytes(s, seat->rec.secret, FD1_LEN);
    seat->rec.there = true;
    seat->rec.generation = generation;
    if (seat->chain == NULL)
        seat->chain = mem_alloc(sizeof(*seat->chain));
    CHECK(fd1_chain_init(seat->chain, &id, FD1_CHAIN_LEN, seat->rec.secret));
    secret_chain(s, seat->table->ledger, (enum role)seat->wish, seat->chain);
}

static void give_anchor(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;
    const struct audit_chain *c = &au->dice.chain[seat->wish];
    uint16_t generation;
    struct jsonw w;
    struct sim_asked *q;

    if (au->fair == FAIR_SERVER || au->over || seat->anchoring || audit_roll_open(au) ||
        (c->there && (au->dice.owed >> seat->wish & 1) == 0))
        return;
    generation = c->there ? (uint16_t)(c->generation + 1) : 0;
    if (!seat->rec.there || seat->rec.generation != generation)
        make_chain(s, a, seat, generation);
    w = ask_begin(s, ASK_ANCHOR);
    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_int(&w, "generation", generation);
    jsonw_m_hex(&w, "anchor", fd1_chain_anchor(seat->chain), FD1_LEN);
    q = ask_send(s, a, seat->sess);
    q->seat = (uint8_t)(seat - a->seat);
    (void)str_copy(q->match, sizeof(q->match), seat->table->hex);
    memcpy(q->token, fd1_chain_anchor(seat->chain), FD1_LEN);
    seat->anchoring = true;
}

static void send_share(struct sim *s, struct sim_actor *a, struct sim_seat *seat,
                       const uint8_t share[FD1_LEN])
{
    struct jsonw w = ask_begin(s, ASK_SHARE);
    struct sim_asked *q;

    jsonw_m_str(&w, "match", seat->table->hex);
    jsonw_m_int(&w, "roll", seat->want.roll);
    jsonw_m_hex(&w, "share", share, FD1_LEN);
    q = ask_send(s, a, seat->sess);
    q->seat = (uint8_t)(seat - a->seat);
    q->number = seat->want.roll;
    (void)str_copy(q->match, sizeof(q->match), seat->table->hex);
    memcpy(q->token, share, FD1_LEN);
}

/* A link of nobody's, or one that its chain is to give later. */
static void forge_share(struct sim *s, struct sim_actor *a, struct sim_seat *seat, uint32_t link)
{
    uint8_t share[FD1_LEN];

    sim_bytes(s, share, sizeof(share));
    if (sim_odds(s, 500) && link + 1 <= FD1_CHAIN_LEN)
        CHECK(fd1_chain_link(seat->chain, link - 1, share)); /* an old one again */
    send_share(s, a, seat, share);
}

static void give_share(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;
    const uint32_t link = audit_dice_link(&au->dice, (enum role)seat->wish, seat->want.roll);
    uint8_t share[FD1_LEN];

    if (link == 0 || seat->chain == NULL ||
        seat->rec.generation != au->dice.chain[seat->wish].generation) {
        seat->wanted = false;
        return;
    }
    if (!s->healed && sim_odds(s, a->how.rude))
        forge_share(s, a, seat, link);
    CHECK(fd1_chain_link(seat->chain, link, share));
    seat->rec.roll = seat->want.roll;
    memcpy(seat->rec.roll_hash, seat->want.hash, FD1_LEN);
    seat->sharing = true;
    send_share(s, a, seat, share);
    if (!s->healed && sim_odds(s, a->how.twice))
        send_share(s, a, seat, share);
}

void seat_dice(struct sim *s, struct sim_actor *a, struct sim_seat *seat)
{
    const struct audit *au = &seat->m.audit;

    if (seat->wish > ROLE_B || au->board == NULL)
        return;
    give_anchor(s, a, seat);
    if (!seat->wanted || seat->sharing || s->t < seat->share_at)
        return;
    switch (keeper_judge(&seat->rec, au, &seat->want)) {
    case KEEPER_SHARE:
        give_share(s, a, seat);
        break;
    case KEEPER_WAIT:
        if (seat->want.roll <= au->dice.n || au->over)
            seat->wanted = false;
        break;
    case KEEPER_BACK:
        if (s->server.cfg.master_kid == 1)
            sim_broken(s, LAW_ACKED, "%s is asked for roll %u of another past", a->name,
                       seat->want.roll);
        seat->rec.roll = 0; /* restored under another key: its player goes on (D7) */
        break;
    case KEEPER_NOT_OURS:
    case KEEPER_UNWRITTEN:
        break;
    }
}

void dice_answer(struct sim *s, const struct sim_actor *a, struct sim_seat *seat,
                 const struct sim_answer *an)
{
    uint8_t mine[FD1_LEN];
    const uint32_t link =
        audit_dice_link(&seat->m.audit.dice, (enum role)seat->wish, an->asked->number);
    const bool honest = link > 0 && seat->chain != NULL &&
                        fd1_chain_link(seat->chain, link, mine) &&
                        memcmp(mine, an->asked->token, FD1_LEN) == 0;

    if (!honest)
        return;
    seat->sharing = false;
    if (an->err == ERR_DICE)
        sim_broken(s, LAW_FD1, "%s: an honest share for roll %u is refused", a->name,
                   an->asked->number);
    if (an->result != NULL || (an->err == ERR_PHASE && an->asked->number == seat->want.roll))
        seat->wanted = seat->want.roll != an->asked->number;
    else
        seat->share_at = s->t + 1000;
}
