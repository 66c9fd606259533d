/* SPDX-License-Identifier: ISC
 * audit_dice.c -- checks of anchors, absences and rolls.
 */
#include "client/audit_dice.h"

#include "common/base/str.h"

static const uint8_t fd1_role[ROLE_COUNT] = {FD1_ROLE_MAKER, FD1_ROLE_JOINER, FD1_ROLE_SERVER};

static enum err wrong(char why[AUDIT_WHY_LEN], const char *text)
{
    (void)str_copy(why, AUDIT_WHY_LEN, text);
    return ERR_DATA;
}

void audit_dice_init(struct audit_dice *d, const uint8_t mid[FD1_MID_LEN], enum fair fair)
{
    *d = (struct audit_dice){.fair = (uint8_t)fair};
    memcpy(d->mid, mid, FD1_MID_LEN);
}

uint32_t audit_dice_link(const struct audit_dice *d, enum role role, uint32_t n)
{
    return d->chain[role].there ? fd1_link_number(d->chain[role].tail.base, n) : 0;
}

/* Roles that have a part in this match's rolls. */
static unsigned parties(const struct audit_dice *d)
{
    return d->fair == FAIR_SERVER ? 1U << ROLE_S : 1U << ROLE_S | 1U << ROLE_A | 1U << ROLE_B;
}

/* Parties whose chains have no link for the next roll. */
static unsigned used_up(const struct audit_dice *d)
{
    unsigned bits = 0;

    for (unsigned r = 0; r < ROLE_COUNT; r++) {
        if ((parties(d) >> r & 1) != 0 && d->chain[r].there &&
            audit_dice_link(d, (enum role)r, d->n + 1) == 0)
            bits |= 1U << r;
    }
    return bits;
}

enum err audit_dice_anchor(struct audit_dice *d, enum role role, uint16_t generation,
                           const uint8_t anchor[FD1_LEN], char why[AUDIT_WHY_LEN])
{
    struct audit_chain *c = &d->chain[role];
    struct fd1_chain_id id = {.role = fd1_role[role], .generation = generation};

    if ((parties(d) >> role & 1) == 0)
        return wrong(why, "an anchor of a player where the dice are the server's alone (D9)");
    if (d->since > 0 && c->there && generation <= c->generation)
        return ERR_OK; /* told with the state that following began from */
    if (generation != (c->there ? c->generation + 1U : 0U))
        return wrong(why, "an anchor of a generation that isn't the next (D6)");
    if (generation > 0) {
        /* The server's own chain ends early only after a restore, and then all three begin anew. */
        if (role == ROLE_S && (used_up(d) >> ROLE_S & 1) == 0)
            d->owed |= parties(d);
        d->anew = true;
        d->reanchors++;
    }
    d->owed &= ~(1U << role);
    memcpy(id.mid, d->mid, FD1_MID_LEN);
    c->there = true;
    c->generation = generation;
    memcpy(c->anchor, anchor, FD1_LEN);
    fd1_tail_init(&c->tail, &id, d->n, anchor);
    return ERR_OK;
}

enum err audit_dice_absent(struct audit_dice *d, enum role role, uint32_t n, enum role actor,
                           char why[AUDIT_WHY_LEN])
{
    if (d->fair != FAIR_NORMAL)
        return wrong(why, "somebody marked absent where every share is needed (D3)");
    if (n != d->n + 1)
        return wrong(why, "an absence from a roll that isn't open");
    if (role == actor || role == ROLE_S)
        return wrong(why, "the acting side or the server marked absent (D2)");
    d->absent |= 1U << role;
    return ERR_OK;
}

static uint8_t flags_wanted(const struct audit_dice *d)
{
    uint8_t flags = FD1_FLAG_A | FD1_FLAG_B;

    if (d->fair == FAIR_SERVER)
        return 0;
    if ((d->absent >> ROLE_A & 1) != 0)
        flags = (uint8_t)(flags & ~FD1_FLAG_A);
    if ((d->absent >> ROLE_B & 1) != 0)
        flags = (uint8_t)(flags & ~FD1_FLAG_B);
    return flags;
}

/* Is `x` the link of `role` for roll n? One from before following began lies below the tail. */
static bool link_fits(const struct audit_dice *d, enum role role, uint32_t n,
                      const uint8_t x[FD1_LEN])
{
    const struct audit_chain *c = &d->chain[role];
    const uint32_t k = audit_dice_link(d, role, n);
    uint8_t below[FD1_LEN];

    if (k == 0)
        return false;
    if (k > c->tail.last.k)
        return fd1_tail_check(&c->tail, n, x);
    return n <= d->since && fd1_descend(&c->tail.id, &c->tail.last, k, below) &&
           memcmp(below, x, FD1_LEN) == 0;
}

static void take_link(struct audit_dice *d, enum role role, uint32_t n, const uint8_t x[FD1_LEN])
{
    if (audit_dice_link(d, role, n) > d->chain[role].tail.last.k)
        CHECK(fd1_tail_take(&d->chain[role].tail, n, x));
}

static enum err check_links(const struct audit_dice *d, const struct entry_roll *roll,
                            char why[AUDIT_WHY_LEN])
{
    static const char *const texts[] = {"player A's link isn't the next of its chain",
                                        "player B's link isn't the next of its chain",
                                        "the server's link isn't the next of its chain"};
    const uint8_t *const link[] = {roll->a, roll->b, roll->s};
    const bool there[] = {(roll->flags & FD1_FLAG_A) != 0, (roll->flags & FD1_FLAG_B) != 0,
                          roll->has_s};

    if (!roll->has_s)
        return wrong(why, "a roll without the server's link");
    for (unsigned r = 0; r < ROLE_COUNT; r++) {
        if (there[r] && !link_fits(d, (enum role)r, roll->n, link[r]))
            return wrong(why, texts[r]);
    }
    return ERR_OK;
}

static enum err check_roll(const struct audit_dice *d, const struct entry_roll *roll,
                           char why[AUDIT_WHY_LEN])
{
    const bool salt = roll->for_seq == 0;

    if (roll->n != d->n + 1)
        return wrong(why, "a roll that isn't the next (D1)");
    if (salt && d->salted && !d->anew)
        return wrong(why, "a salt roll that nothing asks for (D8)");
    if (salt && d->owed != 0)
        return wrong(why, "a salt roll before the last anchor (D8)");
    if (!salt && !audit_dice_ready(d))
        return wrong(why, "a roll before the salt roll (D8)");
    if (roll->flags != flags_wanted(d))
        return wrong(why, "a roll in which a share is missing that isn't marked absent, or the "
                          "other way about (D3, D4)");
    return check_links(d, roll, why);
}

enum err audit_dice_roll(struct audit_dice *d, const struct entry_roll *roll, struct fd1_dice *dice,
                         char why[AUDIT_WHY_LEN])
{
    struct fd1_roll r = {.n = roll->n, .flags = roll->flags};
    const bool salt = roll->for_seq == 0;
    uint8_t key[FD1_LEN];

    memset(dice, 0, sizeof(*dice));
    if (roll->n <= d->since)
        return check_links(d, roll, why);
    if (check_roll(d, roll, why) != ERR_OK)
        return ERR_DATA;
    memcpy(r.mid, d->mid, FD1_MID_LEN);
    if (!salt)
        memcpy(r.salt, d->salt, FD1_LEN);
    memcpy(r.s, roll->s, FD1_LEN);
    memcpy(r.a, roll->a, FD1_LEN);
    memcpy(r.b, roll->b, FD1_LEN);
    fd1_roll_key(&r, key);
    fd1_dice_init(dice, key);
    take_link(d, ROLE_S, roll->n, roll->s);
    if ((roll->flags & FD1_FLAG_A) != 0)
        take_link(d, ROLE_A, roll->n, roll->a);
    if ((roll->flags & FD1_FLAG_B) != 0)
        take_link(d, ROLE_B, roll->n, roll->b);
    if (salt) {
        memcpy(d->salt, key, FD1_LEN);
        d->salted = true;
        d->anew = false;
    }
    d->n = roll->n;
    d->absent = 0;
    d->checked++;
    d->owed = used_up(d);
    if (d->owed != 0)
        d->anew = true;
    return ERR_OK;
}
