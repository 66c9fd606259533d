/* SPDX-License-Identifier: ISC
 * dice_keeper.c -- a player's own part in FD1.
 */
#include "client/dice_keeper.h"

#include <errno.h>

#include <sodium.h>

#include "client/state_dir.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "proto/jsonw.h"

static const uint8_t letters[] = {FD1_ROLE_MAKER, FD1_ROLE_JOINER};

/* ---- the file ---- */

void keeper_record_write(const struct keeper_record *rec, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_bool(&w, "there", rec->there);
    jsonw_m_int(&w, "generation", rec->generation);
    jsonw_m_hex(&w, "secret", rec->secret, FD1_LEN);
    jsonw_m_bool(&w, "renew", rec->renew);
    if (rec->next_there) {
        jsonw_m_int(&w, "next_generation", rec->next_generation);
        jsonw_m_hex(&w, "next_secret", rec->next_secret, FD1_LEN);
    }
    jsonw_m_int(&w, "roll", rec->roll);
    jsonw_m_hex(&w, "roll_hash", rec->roll_hash, FD1_LEN);
    jsonw_m_int(&w, "head", rec->head);
    jsonw_m_hex(&w, "head_hash", rec->head_hash, FD1_LEN);
    jsonw_obj_end(&w);
    buf_putc(out, '\n');
}

static bool get_number(const struct json *j, const char *name, int64_t max, int64_t *out)
{
    return json_get_int(j, name, out) && *out >= 0 && *out <= max;
}

static bool get_hash(const struct json *j, const char *name, uint8_t out[FD1_LEN])
{
    const char *s = NULL;

    return json_get_string(j, name, &s) && hex_decode(out, FD1_LEN, s);
}

/* What files of before haven't. */
static bool read_next(const struct json *j, struct keeper_record *rec)
{
    int64_t generation = 0;

    rec->renew = false;
    rec->next_there = json_get(j, "next_generation") != NULL;
    if (json_get(j, "renew") != NULL && !json_get_bool(j, "renew", &rec->renew))
        return false;
    if (rec->next_there && (!get_number(j, "next_generation", UINT16_MAX, &generation) ||
                            !get_hash(j, "next_secret", rec->next_secret)))
        return false;
    rec->next_generation = (uint16_t)generation;
    return true;
}

bool keeper_record_read(const char *text, size_t len, struct keeper_record *rec)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    int64_t generation, roll, head;
    bool good;

    if (json_parse(text, len, &json_file_limits, &j, why) != ERR_OK)
        return false;
    good = json_get_bool(j, "there", &rec->there) &&
           get_number(j, "generation", UINT16_MAX, &generation) &&
           get_number(j, "roll", UINT32_MAX, &roll) && get_number(j, "head", UINT32_MAX, &head) &&
           get_hash(j, "secret", rec->secret) && get_hash(j, "roll_hash", rec->roll_hash) &&
           get_hash(j, "head_hash", rec->head_hash) && read_next(j, rec);
    if (good) {
        rec->generation = (uint16_t)generation;
        rec->roll = (uint32_t)roll;
        rec->head = (uint32_t)head;
    }
    json_free(j);
    return good;
}

static enum err store(const struct dice_keeper *k)
{
    struct buf text = BUF_EMPTY;
    enum err e;

    keeper_record_write(&k->rec, &text);
    e = state_write("dice", k->name, &text);
    sodium_memzero(text.data, text.len);
    buf_fini(&text);
    return e;
}

enum err keeper_open(struct dice_keeper *k, const uint8_t mid[FD1_MID_LEN], const char *player,
                     enum role role)
{
    struct buf text = BUF_EMPTY;
    char hex[MATCH_ID_HEX];
    enum err e;

    CHECK(role == ROLE_A || role == ROLE_B);
    memset(k, 0, sizeof(*k));
    memcpy(k->mid, mid, FD1_MID_LEN);
    k->role = (uint8_t)role;
    hex_encode(hex, mid, FD1_MID_LEN);
    (void)snprintf(k->name, sizeof(k->name), "%s.%s", hex, player);
    e = state_read("dice", k->name, &text);
    if (e == ERR_OK && !keeper_record_read(text.data, text.len, &k->rec))
        e = ERR_DATA;
    if (text.data != NULL)
        sodium_memzero(text.data, text.len);
    buf_fini(&text);
    return e == ERR_NOT_FOUND ? ERR_OK : e;
}

static void drop_chain(struct dice_keeper *k)
{
    if (k->chain != NULL)
        sodium_memzero(k->chain, sizeof(*k->chain));
    mem_free(k->chain);
    k->chain = NULL;
}

void keeper_fini(struct dice_keeper *k)
{
    drop_chain(k);
    sodium_memzero(&k->rec, sizeof(k->rec));
}

/* Owned: the chain of a secret. */
static struct fd1_chain *chain_from(const struct dice_keeper *k, uint16_t generation,
                                    const uint8_t secret[FD1_LEN])
{
    struct fd1_chain_id id = {.role = letters[k->role], .generation = generation};
    struct fd1_chain *chain = mem_alloc(sizeof(*chain));

    memcpy(id.mid, k->mid, FD1_MID_LEN);
    CHECK(fd1_chain_init(chain, &id, FD1_CHAIN_LEN, secret));
    return chain;
}

static const struct fd1_chain *chain_of(struct dice_keeper *k)
{
    if (k->chain == NULL)
        k->chain = chain_from(k, k->rec.generation, k->rec.secret);
    return k->chain;
}

/* ---- heads ---- */

void keeper_see(struct dice_keeper *k, uint32_t head, const uint8_t hash[FD1_LEN])
{
    if (head == k->rec.head && memcmp(hash, k->rec.head_hash, FD1_LEN) != 0)
        k->went_back = true;
    if (head > k->rec.head && !k->went_back) {
        k->rec.head = head;
        memcpy(k->rec.head_hash, hash, FD1_LEN);
    }
}

void keeper_at_head(struct dice_keeper *k, uint32_t head)
{
    if (head < k->rec.head)
        k->went_back = true;
}

enum err keeper_go_on(struct dice_keeper *k)
{
    struct keeper_record old = k->rec;

    k->rec.head = 0;
    k->rec.roll = 0;
    k->rec.renew = true;
    k->rec.next_there = false; /* of the past that is lost */
    if (store(k) != ERR_OK) {
        k->rec = old;
        return ERR_IO;
    }
    k->went_back = false;
    return ERR_OK;
}

/* ---- anchors ---- */

/* Does the journal's chain of our role, of that generation, come from this secret's? */
static bool is_of(const struct dice_keeper *k, const struct audit *a, const struct fd1_chain *chain)
{
    const struct audit_chain *c = &a->dice.chain[k->role];
    uint8_t link[FD1_LEN];

    if (a->dice.since == 0)
        return memcmp(fd1_chain_anchor(chain), c->anchor, FD1_LEN) == 0;
    /* only the last link shown is known */
    return fd1_chain_link(chain, c->tail.last.k, link) &&
           memcmp(link, c->tail.last.x, FD1_LEN) == 0;
}

/* The next secret is the secret once the journal has its anchor. */
static void settle(struct dice_keeper *k, const struct audit *a)
{
    const struct audit_chain *c = &a->dice.chain[k->role];
    struct fd1_chain *chain;

    if (!k->rec.next_there || !c->there || c->generation != k->rec.next_generation)
        return;
    chain = chain_from(k, k->rec.next_generation, k->rec.next_secret);
    if (!is_of(k, a, chain)) {
        sodium_memzero(chain, sizeof(*chain));
        mem_free(chain);
        return;
    }
    drop_chain(k);
    k->chain = chain;
    k->rec.there = true;
    k->rec.generation = k->rec.next_generation;
    memcpy(k->rec.secret, k->rec.next_secret, FD1_LEN);
    k->rec.renew = false;
    k->rec.next_there = false;
    (void)store(k); /* or settled again the next time */
}

/* Is the journal's anchor of our role the one that our secret gives? */
static bool is_ours(struct dice_keeper *k, const struct audit *a)
{
    const struct audit_chain *c = &a->dice.chain[k->role];

    settle(k, a);
    return k->rec.there && c->there && k->rec.generation == c->generation &&
           is_of(k, a, chain_of(k));
}

bool keeper_is_elsewhere(struct dice_keeper *k, const struct audit *a)
{
    return a->dice.chain[k->role].there && !is_ours(k, a);
}

/* A secret for that generation's anchor, on disk; one made before whose anchor isn't journaled. */
static enum err make_next(struct dice_keeper *k, uint16_t generation)
{
    const struct keeper_record old = k->rec;

    if (k->rec.next_there && k->rec.next_generation == generation)
        return ERR_OK;
    k->rec.next_there = true;
    k->rec.next_generation = generation;
    randombytes_buf(k->rec.next_secret, FD1_LEN);
    if (store(k) == ERR_OK)
        return ERR_OK;
    k->rec = old;
    return ERR_IO;
}

enum err keeper_anchor(struct dice_keeper *k, const struct audit *a, enum keeper_anchor *what,
                       uint16_t *generation, uint8_t anchor[FD1_LEN])
{
    const struct audit_chain *c = &a->dice.chain[k->role];
    const bool open = audit_roll_open(a);
    struct fd1_chain *chain;

    *what = KEEPER_NO_ANCHOR;
    if (a->fair == FAIR_SERVER || a->over || k->went_back || open)
        return ERR_OK;
    settle(k, a);
    if (c->there && (a->dice.owed >> k->role & 1) == 0 && is_ours(k, a) && !k->rec.renew)
        return ERR_OK;
    *generation = c->there ? (uint16_t)(c->generation + 1) : 0;
    if (make_next(k, *generation) != ERR_OK)
        return ERR_IO;
    chain = chain_from(k, *generation, k->rec.next_secret);
    memcpy(anchor, fd1_chain_anchor(chain), FD1_LEN);
    sodium_memzero(chain, sizeof(*chain));
    mem_free(chain);
    *what = KEEPER_SEND_ANCHOR;
    return ERR_OK;
}

/* ---- shares ---- */

/* The hash that belongs to an open roll by the journal: at its order, or at the last anchor. */
static const uint8_t *open_hash(const struct audit *a, uint32_t seq)
{
    if (!audit_roll_open(a) || seq != a->roll_seq)
        return NULL;
    return seq == 0 ? a->anchor_hash : a->roll_hash;
}

enum keeper_share keeper_judge(const struct keeper_record *rec, const struct audit *a,
                               const struct keeper_request *req)
{
    const uint8_t *hash;

    if (rec->head > a->head)
        return KEEPER_BACK;
    if (rec->roll > req->roll)
        return KEEPER_BACK;
    if (rec->roll == req->roll && memcmp(rec->roll_hash, req->hash, FD1_LEN) != 0)
        return KEEPER_BACK;
    if (req->roll != a->dice.n + 1 || req->seq > a->head)
        return KEEPER_WAIT;
    hash = open_hash(a, req->seq);
    if (hash == NULL)
        return KEEPER_WAIT;
    return memcmp(hash, req->hash, FD1_LEN) == 0 ? KEEPER_SHARE : KEEPER_BACK;
}

enum keeper_share keeper_share(struct dice_keeper *k, const struct audit *a,
                               const struct keeper_request *req, uint8_t share[FD1_LEN])
{
    struct keeper_record old;
    const uint32_t link = audit_dice_link(&a->dice, (enum role)k->role, req->roll);
    enum keeper_share s;

    if (k->went_back)
        return KEEPER_BACK;
    s = keeper_judge(&k->rec, a, req);
    if (s == KEEPER_BACK)
        k->went_back = true;
    if (s != KEEPER_SHARE)
        return s;
    if (!is_ours(k, a) || link == 0)
        return KEEPER_NOT_OURS;
    old = k->rec;
    if (k->rec.roll != req->roll) {
        k->rec.roll = req->roll;
        memcpy(k->rec.roll_hash, req->hash, FD1_LEN);
        if (store(k) != ERR_OK) {
            k->rec = old;
            return KEEPER_UNWRITTEN;
        }
    }
    CHECK(fd1_chain_link(chain_of(k), link, share));
    return KEEPER_SHARE;
}
