/* SPDX-License-Identifier: ISC
 * fd1.c -- see fd1.h; byte layouts as in proto/DICE.md.
 */
#include "common/dice/fd1.h"

#include <sodium/crypto_auth_hmacsha256.h>

#include "common/base/sha256.h"

#define TAG_LEN 8

_Static_assert(SHA256_LEN == FD1_LEN, "a hash is a link");
_Static_assert(crypto_auth_hmacsha256_BYTES == FD1_LEN, "a MAC is a secret");
_Static_assert(crypto_auth_hmacsha256_KEYBYTES == FD1_LEN, "the master key is one HMAC key");
_Static_assert(FD1_CHAIN_LEN % FD1_MARK_EVERY == 0, "the secret is the last checkpoint");

/* Writers return where the next field goes, so that a layout reads top to bottom. */
static uint8_t *put_bytes(uint8_t *p, const void *src, size_t n)
{
    memcpy(p, src, n);
    return p + n;
}

static uint8_t *put_u8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}

static uint8_t *put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)(v & 0xff);
    return p + 2;
}

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16 & 0xff);
    p[2] = (uint8_t)(v >> 8 & 0xff);
    p[3] = (uint8_t)(v & 0xff);
    return p + 4;
}

void fd1_server_secret(const uint8_t master[FD1_LEN], const uint8_t mid[FD1_MID_LEN],
                       uint16_t generation, uint8_t secret[FD1_LEN])
{
    uint8_t m[TAG_LEN + FD1_MID_LEN + 2];
    uint8_t *p = put_bytes(m, "FD1seed.", TAG_LEN);

    p = put_bytes(p, mid, FD1_MID_LEN);
    put_u16(p, generation);
    crypto_auth_hmacsha256(secret, m, sizeof(m), master);
}

bool fd1_descend(const struct fd1_chain_id *id, const struct fd1_link *from, uint32_t k,
                 uint8_t out[FD1_LEN])
{
    uint8_t m[TAG_LEN + FD1_MID_LEN + 1 + 2 + 4 + FD1_LEN];
    uint8_t x[FD1_LEN];
    uint8_t *tail = put_bytes(m, "FD1chain", TAG_LEN);

    if (k > from->k || from->k > FD1_CHAIN_LEN)
        return false;
    tail = put_bytes(tail, id->mid, FD1_MID_LEN);
    tail = put_u8(tail, id->role);
    tail = put_u16(tail, id->generation);
    memcpy(x, from->x, FD1_LEN);
    for (uint32_t at = from->k; at > k; at--) { /* only the number and the link change */
        put_bytes(put_u32(tail, at), x, FD1_LEN);
        sha256(x, m, sizeof(m));
    }
    memcpy(out, x, FD1_LEN);
    return true;
}

bool fd1_link_from_secret(const struct fd1_chain_id *id, uint32_t n, const uint8_t secret[FD1_LEN],
                          uint32_t k, uint8_t out[FD1_LEN])
{
    struct fd1_link top = {.k = n};

    if (n == 0)
        return false;
    memcpy(top.x, secret, FD1_LEN);
    return fd1_descend(id, &top, k, out);
}

/* The number of the link that mark[i] holds. */
static uint32_t mark_k(const struct fd1_chain *c, uint32_t i)
{
    return MIN(i * FD1_MARK_EVERY, c->n);
}

/* The lowest checkpoint at or above link k. */
static uint32_t mark_above(uint32_t k)
{
    return (k + FD1_MARK_EVERY - 1) / FD1_MARK_EVERY;
}

bool fd1_chain_init(struct fd1_chain *c, const struct fd1_chain_id *id, uint32_t n,
                    const uint8_t secret[FD1_LEN])
{
    struct fd1_link at = {.k = n};
    bool ok = true;

    if (n == 0 || n > FD1_CHAIN_LEN)
        return false;
    memset(c, 0, sizeof(*c));
    c->id = *id;
    c->n = n;
    memcpy(at.x, secret, FD1_LEN);
    memcpy(c->mark[mark_above(n)], secret, FD1_LEN);
    for (uint32_t i = mark_above(n); ok && i > 0; i--) {
        const uint32_t k = mark_k(c, i - 1);

        ok = fd1_descend(id, &at, k, at.x);
        at.k = k;
        memcpy(c->mark[i - 1], at.x, FD1_LEN);
    }
    return ok;
}

const uint8_t *fd1_chain_anchor(const struct fd1_chain *c)
{
    return c->mark[0];
}

bool fd1_chain_link(const struct fd1_chain *c, uint32_t k, uint8_t out[FD1_LEN])
{
    struct fd1_link from;

    if (k > c->n || c->n > FD1_CHAIN_LEN)
        return false;
    from.k = mark_k(c, mark_above(k));
    memcpy(from.x, c->mark[mark_above(k)], FD1_LEN);
    return fd1_descend(&c->id, &from, k, out);
}

uint32_t fd1_link_number(uint32_t base, uint32_t n)
{
    return n > base && n - base <= FD1_CHAIN_LEN ? n - base : 0;
}

bool fd1_check_link(const struct fd1_chain_id *id, const struct fd1_link *known,
                    const struct fd1_link *link)
{
    uint8_t x[FD1_LEN];

    if (link->k <= known->k || !fd1_descend(id, link, known->k, x))
        return false;
    return memcmp(x, known->x, FD1_LEN) == 0;
}

void fd1_tail_init(struct fd1_tail *t, const struct fd1_chain_id *id, uint32_t base,
                   const uint8_t anchor[FD1_LEN])
{
    memset(t, 0, sizeof(*t));
    t->id = *id;
    t->base = base;
    memcpy(t->last.x, anchor, FD1_LEN);
}

bool fd1_tail_check(const struct fd1_tail *t, uint32_t n, const uint8_t x[FD1_LEN])
{
    struct fd1_link link = {.k = fd1_link_number(t->base, n)};

    memcpy(link.x, x, FD1_LEN);
    return fd1_check_link(&t->id, &t->last, &link);
}

bool fd1_tail_take(struct fd1_tail *t, uint32_t n, const uint8_t x[FD1_LEN])
{
    if (!fd1_tail_check(t, n, x))
        return false;
    t->last.k = fd1_link_number(t->base, n);
    memmove(t->last.x, x, FD1_LEN);
    return true;
}

void fd1_roll_key(const struct fd1_roll *r, uint8_t key[FD1_LEN])
{
    static const uint8_t none[FD1_LEN];
    uint8_t m[TAG_LEN + FD1_MID_LEN + 4 + 1 + 4 * FD1_LEN];
    uint8_t *p = put_bytes(m, "FD1roll.", TAG_LEN);

    p = put_bytes(p, r->mid, FD1_MID_LEN);
    p = put_u32(p, r->n);
    p = put_u8(p, r->flags);
    p = put_bytes(p, r->salt, FD1_LEN);
    p = put_bytes(p, r->s, FD1_LEN);
    p = put_bytes(p, r->flags & FD1_FLAG_A ? r->a : none, FD1_LEN);
    put_bytes(p, r->flags & FD1_FLAG_B ? r->b : none, FD1_LEN);
    sha256(key, m, sizeof(m));
}

void fd1_dice_init(struct fd1_dice *d, const uint8_t key[FD1_LEN])
{
    memset(d, 0, sizeof(*d));
    memcpy(d->key, key, FD1_LEN);
    d->used = FD1_LEN; /* nothing hashed yet */
}

static unsigned next_byte(struct fd1_dice *d)
{
    uint8_t m[TAG_LEN + FD1_LEN + 4];

    if (d->used == FD1_LEN) {
        put_u32(put_bytes(put_bytes(m, "FD1dice.", TAG_LEN), d->key, FD1_LEN), d->next);
        sha256(d->block, m, sizeof(m));
        d->next++;
        d->used = 0;
    }
    return d->block[d->used++];
}

uint16_t fd1_die(struct fd1_dice *d, unsigned sides)
{
    unsigned v;

    if (sides < 2 || sides > 256)
        return 0;
    do /* bytes above the last whole multiple would favour the low faces */
        v = next_byte(d);
    while (v >= 256 - 256 % sides);
    return (uint16_t)(1 + v % sides);
}

void fd1_fill(struct fd1_dice *d, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)fd1_die(d, 6);
}

void fd1_journal_hash(const uint8_t prev[FD1_LEN], const void *line, uint32_t len,
                      uint8_t out[FD1_LEN])
{
    struct sha256 st;
    uint8_t head[TAG_LEN + FD1_LEN + 4];

    put_u32(put_bytes(put_bytes(head, "FD1jrnl.", TAG_LEN), prev, FD1_LEN), len);
    sha256_init(&st);
    sha256_update(&st, head, sizeof(head));
    sha256_update(&st, line, len);
    sha256_final(&st, out);
}
