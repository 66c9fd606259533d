/* SPDX-License-Identifier: ISC
 * lib_sim_secret.c -- links that nobody may see before their roll is durable.
 *
 * Every run of 64 hex digits that leaves the server or is stored is looked up among the links of
 * all chains near the ones in use, their checkpoints and their ends (the secrets themselves).
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "tests/sim/lib_sim.h"

enum { NEAR = 192, HEX_LINK = 2 * FD1_LEN };

static size_t place(const struct sim_secrets *m, const uint8_t link[FD1_LEN])
{
    uint64_t h;
    size_t i;

    memcpy(&h, link, sizeof(h));
    i = (size_t)h & (m->cap - 1);
    while (m->slot[i].ledger != NULL && memcmp(m->slot[i].link, link, FD1_LEN) != 0)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void grow(struct sim_secrets *m)
{
    struct sim_secrets old = *m;

    if (2 * (m->n + 1) < m->cap)
        return;
    m->cap = MAX(old.cap * 2, (size_t)4096);
    m->slot = mem_array(m->cap, sizeof(*m->slot));
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].ledger != NULL)
            m->slot[place(m, old.slot[i].link)] = old.slot[i];
    mem_free(old.slot);
}

static void add(struct sim *s, const struct sim_secret *what)
{
    struct sim_secrets *m = &s->secrets;
    size_t i;

    grow(m);
    i = place(m, what->link);
    if (m->slot[i].ledger == NULL)
        m->n++;
    m->slot[i] = *what;
}

void secret_chain(struct sim *s, const struct sim_ledger *l, enum role role,
                  const struct fd1_chain *c)
{
    struct sim_secret one = {.ledger = l, .generation = c->id.generation, .role = (uint8_t)role};
    struct fd1_link link = {.k = NEAR};

    memcpy(link.x, c->mark[NEAR / FD1_MARK_EVERY], FD1_LEN);
    for (; link.k > 0; link.k--) {
        one.k = link.k;
        memcpy(one.link, link.x, FD1_LEN);
        add(s, &one);
        if (link.k > 1)
            CHECK(fd1_descend(&c->id, &link, link.k - 1, link.x));
    }
    for (uint32_t i = NEAR / FD1_MARK_EVERY + 1; i < FD1_MARKS; i++) {
        one.k = MIN(i * FD1_MARK_EVERY, (uint32_t)FD1_CHAIN_LEN);
        memcpy(one.link, c->mark[i], FD1_LEN);
        add(s, &one);
    }
}

void secret_server(struct sim *s, struct sim_ledger *l, uint16_t generation)
{
    struct fd1_chain_id id = {.role = FD1_ROLE_SERVER, .generation = generation};
    struct fd1_chain c;
    uint8_t secret[FD1_LEN];

    memcpy(id.mid, l->id, FD1_MID_LEN);
    fd1_server_secret(s->server.cfg.master, l->id, generation, secret);
    CHECK(fd1_chain_init(&c, &id, FD1_CHAIN_LEN, secret));
    secret_chain(s, l, ROLE_S, &c);
}

/* Is the link's roll durable, or in the transaction that is looked at? */
static bool is_revealed(const struct sim_secret *what, const char *hex)
{
    const struct sim_ledger *l = what->ledger;
    const struct audit_chain *c = &l->audit.dice.chain[what->role];

    if (!c->there || c->generation < what->generation)
        return false;
    if (c->generation > what->generation) /* done with, as far as it was told */
        return memmem(l->text.data, l->text.len, hex, HEX_LINK) != NULL;
    return what->k <= c->tail.last.k ||
           (l->revealing != 0 && what->k <= fd1_link_number(c->tail.base, l->revealing));
}

static bool is_hex(char ch)
{
    return (ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f');
}

static void look(struct sim *s, const char *hex, const char *where)
{
    const struct sim_secrets *m = &s->secrets;
    char text[HEX_LINK + 1] = "";
    uint8_t link[FD1_LEN];
    const struct sim_secret *found;

    if (m->cap == 0)
        return;
    memcpy(text, hex, HEX_LINK);
    if (!hex_decode(link, sizeof(link), text))
        return;
    found = &m->slot[place(m, link)];
    if (found->ledger != NULL && !is_revealed(found, text))
        sim_broken(s, LAW_SECRET, "%s holds link %u of chain %u, generation %u, match %s", where,
                   found->k, found->role, found->generation, found->ledger->hex);
}

void secret_scan(struct sim *s, const char *text, size_t len, const char *where)
{
    size_t run = 0;

    for (size_t i = 0; i < len; i++) {
        run = is_hex(text[i]) ? run + 1 : 0;
        if (run < HEX_LINK)
            continue;
        look(s, text + i + 1 - HEX_LINK, where);
        if (i + 1 >= len || !is_hex(text[i + 1]))
            run = 0;
    }
}

void secret_fini(struct sim *s)
{
    mem_free(s->secrets.slot);
}
