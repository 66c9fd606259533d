/* SPDX-License-Identifier: ISC
 * fd1.h -- FD1: dice that neither the server nor a player can choose or foresee.
 *
 * Each of the three parties commits to a hash chain before the match; every roll takes the next
 * link of each, and only those links (never an order, an id or a time) make the dice. Scheme,
 * reasons and a roll worked by hand: proto/DICE.md.
 *
 * Pure: no heap, clock, entropy or globals; imports SHA-256 and HMAC-SHA-256 of libsodium (usable
 * without sodium_init) and memory functions. Integers are big-endian on the wire and in every
 * hash. Nothing here runs in constant time, and nothing needs to: what is compared is public.
 */
#ifndef SK_DICE_FD1_H
#define SK_DICE_FD1_H

#include "common/base/util.h"

#define FD1_LEN         32   /* bytes of a link, anchor, secret, salt, roll key, journal hash */
#define FD1_MID_LEN     16   /* bytes of a match id */
#define FD1_CHAIN_LEN   4096 /* N: links of a chain behind its anchor; also the most allowed */
#define FD1_MARK_EVERY  64   /* links between two checkpoints of struct fd1_chain */
#define FD1_MARKS       (FD1_CHAIN_LEN / FD1_MARK_EVERY + 1)
#define FD1_ROLE_SERVER 'S'
#define FD1_ROLE_MAKER  'A' /* who made the match, whichever side they play */
#define FD1_ROLE_JOINER 'B'
#define FD1_FLAG_A      1u /* the maker's share is in the roll */
#define FD1_FLAG_B      2u /* the joiner's share is in the roll */

/* Which chain: one for each party of a match and generation (0, then +1 a re-anchoring). */
struct fd1_chain_id {
    uint8_t mid[FD1_MID_LEN];
    uint8_t role; /* FD1_ROLE_*: hashed as given */
    uint16_t generation;
};

/* Link x[k] of some chain; x[0] is the anchor. */
struct fd1_link {
    uint32_t k;
    uint8_t x[FD1_LEN];
};

/*
 * The server's chain secret for (mid, generation): HMAC-SHA-256 under the master key, so that no
 * secret needs storing and a match resumes after weeks with the same dice.
 */
void fd1_server_secret(const uint8_t master[FD1_LEN], const uint8_t mid[FD1_MID_LEN],
                       uint16_t generation, uint8_t secret[FD1_LEN]);

/*
 * Hash from link `from` down to x[k] of the same chain: from->k - k hashes. `out` may be from->x.
 * False, `out` untouched, when k > from->k or from->k > FD1_CHAIN_LEN.
 */
NODISCARD bool fd1_descend(const struct fd1_chain_id *id, const struct fd1_link *from, uint32_t k,
                           uint8_t out[FD1_LEN]);

/*
 * Link k of the chain of `n` links (1..FD1_CHAIN_LEN; FD1_CHAIN_LEN but in short test vectors)
 * that `secret` tops: n - k hashes and no memory, for owners of many idle chains. k = 0 gives the
 * anchor. False, `out` untouched, when n or k is out of range.
 */
NODISCARD bool fd1_link_from_secret(const struct fd1_chain_id *id, uint32_t n,
                                    const uint8_t secret[FD1_LEN], uint32_t k,
                                    uint8_t out[FD1_LEN]);

/*
 * An owner's chain with checkpoints: about 2 KB, n hashes to make, at most FD1_MARK_EVERY - 1 for
 * a link. Plain data; it holds the secret, so wipe it (sodium_memzero) when done. A server with
 * thousands of open matches makes one at a match's first roll since it was loaded and drops it
 * when the match falls idle; nothing is lost, the secret makes it again.
 */
struct fd1_chain {
    struct fd1_chain_id id;
    uint32_t n;
    uint8_t mark[FD1_MARKS][FD1_LEN]; /* mark[i] is x[MIN(i * FD1_MARK_EVERY, n)] */
};

/* Compute the checkpoints: n hashes. False, `c` untouched, when n is not in 1..FD1_CHAIN_LEN. */
NODISCARD bool fd1_chain_init(struct fd1_chain *c, const struct fd1_chain_id *id, uint32_t n,
                              const uint8_t secret[FD1_LEN]);
/* x[0], what the others are told before the match. Borrowed from `c`. */
const uint8_t *fd1_chain_anchor(const struct fd1_chain *c);
/* Link k (0..n). False, `out` untouched, when k > c->n: the chain is used up. */
NODISCARD bool fd1_chain_link(const struct fd1_chain *c, uint32_t k, uint8_t out[FD1_LEN]);

/*
 * Which link serves roll `n` of a match, in a chain whose base (0 in generation 0, later the last
 * roll before its anchor) is `base`: n - base. 0 when the chain has no link for that roll.
 */
uint32_t fd1_link_number(uint32_t base, uint32_t n);

/*
 * Does `link` belong to the chain of which `known` is known, above it? At most
 * link->k - known->k hashes, so never more than FD1_CHAIN_LEN. False too when link->k is not
 * above known->k or is above FD1_CHAIN_LEN.
 */
NODISCARD bool fd1_check_link(const struct fd1_chain_id *id, const struct fd1_link *known,
                              const struct fd1_link *link);

/* What everybody else knows of a chain: its last link shown. Plain data. */
struct fd1_tail {
    struct fd1_chain_id id;
    uint32_t base;
    struct fd1_link last;
};

/* A chain of which only the anchor is known. */
void fd1_tail_init(struct fd1_tail *t, const struct fd1_chain_id *id, uint32_t base,
                   const uint8_t anchor[FD1_LEN]);
/* Is `x` this chain's link for roll `n`, a roll later than the last one taken? */
NODISCARD bool fd1_tail_check(const struct fd1_tail *t, uint32_t n, const uint8_t x[FD1_LEN]);
/* The same, and from now on it is the last link known. False leaves `t` as it was. */
NODISCARD bool fd1_tail_take(struct fd1_tail *t, uint32_t n, const uint8_t x[FD1_LEN]);

/* All that makes a roll. Zeroed: an absent share, or the salt of a salt roll, is zero bytes. */
struct fd1_roll {
    uint8_t mid[FD1_MID_LEN];
    uint32_t n;    /* 1.. within the match */
    uint8_t flags; /* FD1_FLAG_*; other bits would be hashed as given */
    uint8_t salt[FD1_LEN];
    uint8_t s[FD1_LEN];
    uint8_t a[FD1_LEN]; /* taken for zeros when its flag is off */
    uint8_t b[FD1_LEN];
};

/* The roll key R_n. One hash of 157 bytes. */
void fd1_roll_key(const struct fd1_roll *r, uint8_t key[FD1_LEN]);

/* The dice of one roll, read left to right; one stream serves all dice of one order. */
struct fd1_dice {
    uint8_t key[FD1_LEN];
    uint8_t block[FD1_LEN];
    uint32_t next; /* number of the block to hash next */
    uint8_t used;  /* bytes of `block` already taken */
};

void fd1_dice_init(struct fd1_dice *d, const uint8_t key[FD1_LEN]);
/* Next die of `sides` (2..256): 1..sides, all equally likely. 0, no byte taken, for other sizes. */
uint16_t fd1_die(struct fd1_dice *d, unsigned sides);
/* The next `n` six-sided dice. */
void fd1_fill(struct fd1_dice *d, uint8_t *out, size_t n);

/*
 * Hash chain of a match's journal: hash of the entry `line` (its bytes, without the newline)
 * behind hash `prev` (32 zero bytes at the first entry). `out` may be `prev`.
 */
void fd1_journal_hash(const uint8_t prev[FD1_LEN], const void *line, uint32_t len,
                      uint8_t out[FD1_LEN]);

#endif
